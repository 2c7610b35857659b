//! Random numbers: methods of generators, and functions of `phalanx.random`.

use crate::answer::Answer;
use crate::arguments::{Arguments, is_integer};
use crate::convert::{as_array, fetch};
use crate::errors::{as_numpy_raises, raised, type_error, value_error};
use crate::function::Row;
use crate::functions;
use crate::mistakes::Mistake;
use crate::ndarray::Ndarray;
use crate::random_source::{RandomSource, reseed, reseed_one, source, take_state, told_state};
use phalanx::random::Generator;
use phalanx::{Argument, Array, Casting, DType, Index, Weak};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyList, PyTuple};

/// Rows that are both methods of a generator and functions that draw from that of the module.
macro_rules! draws {
    (
        $(#[$attribute:meta])*
        $methods:ident, $functions:ident, $a:ident, $rng:ident =>
        $($name:literal ($parameters:literal), $summary:literal: $body:expr;)*
    ) => {
        $(#[$attribute])*
        pub const $methods: &[Row] = &[$(Row {
            signature: concat!($name, "(self, /, ", $parameters, ")"),
            summary: $summary,
            call: |$a| {
                let generator = source($a)?;
                let $rng: &Generator = &generator;
                Ok(Answer::from($body))
            },
        }),*];

        /// The same as functions of the module.
        pub const $functions: &[Row] = &[$(Row {
            signature: concat!($name, "(", $parameters, ")"),
            summary: $summary,
            call: |$a| {
                let generator = source($a)?;
                let $rng: &Generator = &generator;
                Ok(Answer::from($body))
            },
        }),*];
    };
}

/// As `draws`, with the dtype that functions of the module, and methods of `RandomState`, may ask
/// for beyond NumPy.
macro_rules! typed_draws {
    (
        $(#[$attribute:meta])*
        $methods:ident, $legacy:ident, $functions:ident, $a:ident, $rng:ident =>
        $($name:literal ($parameters:literal), $summary:literal: $body:expr;)*
    ) => {
        $(#[$attribute])*
        pub const $methods: &[Row] = &[$(Row {
            signature: concat!($name, "(self, /, ", $parameters, ")"),
            summary: $summary,
            call: |$a| {
                let generator = source($a)?;
                let $rng: &Generator = &generator;
                Ok(Answer::from($body))
            },
        }),*];

        /// The same with a dtype.
        pub const $legacy: &[Row] = &[$(Row {
            signature: concat!($name, "(self, /, ", $parameters, ", dtype=None)"),
            summary: $summary,
            call: |$a| {
                let generator = source($a)?;
                let $rng: &Generator = &generator;
                in_dtype($a, Answer::from($body))
            },
        }),*];

        /// The same as functions of the module.
        pub const $functions: &[Row] = &[$(Row {
            signature: concat!($name, "(", $parameters, ", dtype=None)"),
            summary: $summary,
            call: |$a| {
                let generator = source($a)?;
                let $rng: &Generator = &generator;
                in_dtype($a, Answer::from($body))
            },
        }),*];
    };
}

/// What is drawn, in the dtype that is asked for.
fn in_dtype(a: &Arguments<'_, '_>, answer: Answer) -> PyResult<Answer> {
    Ok(match (a.optional_dtype("dtype")?, answer) {
        (Some(dtype), Answer::Array(array)) => Generator::drawn_as(&array, dtype).into(),
        (_, answer) => answer,
    })
}

/// The shape of what is drawn; none for one number.
fn size(a: &Arguments<'_, '_>) -> PyResult<Vec<i64>> {
    Ok(a.optional_integers("size")?.unwrap_or_default())
}

/// The shape of what is drawn: `size`, or that to which parameters broadcast.
fn extents(a: &Arguments<'_, '_>, parameters: &[&Argument]) -> PyResult<Vec<i64>> {
    let shapes = parameters.iter().filter_map(|parameter| match parameter {
        Argument::Array(array) => Some(array.shape()),
        _ => None,
    });
    let common = phalanx::broadcast_shapes(&shapes.collect::<Vec<_>>());
    let common: Vec<i64> = common
        .map_err(|error| raised(a.py(), &error))?
        .into_iter()
        .map(|extent| extent as i64)
        .collect();
    let Some(shape) = a.optional_integers("size")? else { return Ok(common) };
    let leading = shape.len().checked_sub(common.len());
    let fits = leading.is_some_and(|leading| {
        common.iter().zip(&shape[leading..]).all(|(own, given)| *own == 1 || own == given)
    });
    match fits {
        true => Ok(shape),
        false => Err(value_error(
            Mistake::Together,
            format!("{}(): the parameters do not fit size", a.name()),
        )),
    }
}

/// A parameter of a distribution.
fn parameter(a: &Arguments<'_, '_>, name: &str, default: f64) -> PyResult<Argument> {
    Ok(a.optional_argument(name)?.unwrap_or(Argument::Weak(Weak::Float(default))))
}

/// A parameter that is a real number, or an array of them.
fn real(a: &Arguments<'_, '_>, name: &str) -> PyResult<Argument> {
    match a.argument(name)? {
        Argument::Array(array) if array.dtype().is_complex() => {
            a.check_cast(array.dtype(), DType::F64, Casting::SameKind)?;
            Ok(Argument::Array(array))
        }
        Argument::Array(array) => Ok(Argument::Array(array)),
        Argument::Scalar(_) | Argument::Weak(_) => Ok(Argument::Weak(Weak::Float(a.float(name)?))),
    }
}

/// A parameter that is an integer, or an array of them.
fn whole(a: &Arguments<'_, '_>, name: &str) -> PyResult<Argument> {
    match a.argument(name)? {
        Argument::Array(array) => {
            a.check_cast(array.dtype(), DType::I64, Casting::SameKind)?;
            Ok(Argument::Array(array))
        }
        Argument::Scalar(_) | Argument::Weak(_) => {
            Ok(Argument::Weak(Weak::Int(a.integer(name)?.into())))
        }
    }
}

/// Numbers of a distribution of one parameter.
fn of_one(
    a: &Arguments<'_, '_>,
    name: &str,
    draw: impl Fn(Argument, &[i64]) -> Array,
) -> PyResult<Array> {
    let parameter = real(a, name)?;
    let extents = extents(a, &[&parameter])?;
    Ok(draw(parameter, &extents))
}

/// Numbers of a distribution of several parameters.
fn of_several<const COUNT: usize>(
    a: &Arguments<'_, '_>,
    parameters: [Argument; COUNT],
    draw: impl Fn([Argument; COUNT], &[i64]) -> Array,
) -> PyResult<Array> {
    let extents = extents(a, &parameters.iter().collect::<Vec<_>>())?;
    Ok(draw(parameters, &extents))
}

/// Whether a parameter has axes.
fn is_array(parameter: &Argument) -> bool {
    matches!(parameter, Argument::Array(array) if array.ndim() > 0)
}

/// Numbers of a distribution of two parameters. Of arrays of parameters, numbers of the default
/// ones are drawn and moved to where `place` says.
fn drawn(
    a: &Arguments<'_, '_>,
    parameters: [(&str, f64); 2],
    draw: impl Fn(f64, f64, &[i64]) -> Array,
    place: impl Fn(Array, &Array, &Array) -> Array,
) -> PyResult<Array> {
    let [(first, first_default), (second, second_default)] = parameters;
    let given = [parameter(a, first, first_default)?, parameter(a, second, second_default)?];
    if !given.iter().any(is_array) {
        let of = |name: &str, default: f64| a.float_or(name, default);
        let (first, second) = (of(first, first_default)?, of(second, second_default)?);
        return Ok(draw(first, second, &size(a)?));
    }
    let [first, second] = given.map(|one| as_array(a.py(), one));
    let (first, second) = (first?.astype(DType::F64), second?.astype(DType::F64));
    let shape = match a.optional_integers("size")? {
        Some(shape) => shape,
        None => {
            let common = phalanx::broadcast_shapes(&[first.shape(), second.shape()]);
            let common = common.map_err(|error| raised(a.py(), &error))?;
            common.into_iter().map(|extent| extent as i64).collect()
        }
    };
    let placed = place(draw(first_default, second_default, &shape), &first, &second);
    if placed.ok().is_ok() && placed.shape().iter().map(|&extent| extent as i64).ne(shape) {
        return Err(value_error(
            Mistake::Together,
            format!("{}(): the parameters do not fit size", a.name()),
        ));
    }
    Ok(placed)
}

/// Refuses a scale that is negative anywhere. Collective.
fn not_negative(a: &Arguments<'_, '_>, name: &str) -> PyResult<()> {
    let Some(Argument::Array(scale)) = a.optional_argument(name)? else { return Ok(()) };
    let is_negative = scale.less(0).any(()).item::<bool>();
    match is_negative.map_err(|error| raised(a.py(), &error))? {
        true => Err(value_error(Mistake::Value, format!("{name} < 0"))),
        false => Ok(()),
    }
}

/// Numbers of a distribution with a location and a scale.
fn located(
    a: &Arguments<'_, '_>,
    location: &str,
    scale: &str,
    draw: impl Fn(f64, f64, &[i64]) -> Array,
) -> PyResult<Array> {
    not_negative(a, scale)?;
    drawn(a, [(location, 0.0), (scale, 1.0)], draw, |numbers, location, scale| {
        numbers * scale + location
    })
}

/// Numbers of a distribution with a scale alone.
fn scaled(a: &Arguments<'_, '_>, draw: impl Fn(f64, &[i64]) -> Array) -> PyResult<Array> {
    let scale = parameter(a, "scale", 1.0)?;
    if !is_array(&scale) {
        return Ok(draw(a.float_or("scale", 1.0)?, &size(a)?));
    }
    not_negative(a, "scale")?;
    let scale = as_array(a.py(), scale)?.astype(DType::F64);
    let shape = match a.optional_integers("size")? {
        Some(shape) => shape,
        None => scale.shape().iter().map(|&extent| extent as i64).collect(),
    };
    Ok(draw(1.0, &shape) * scale)
}

/// Numbers of a distribution that only the shape and the dtype say, written into `out`.
fn plain(a: &Arguments<'_, '_>, draw: impl Fn(&[i64], DType) -> Array) -> PyResult<Answer> {
    let dtype = a.dtype_or("dtype", DType::F64)?;
    let shape = match a.out()? {
        Some(out) if !a.has("size") => out.shape().iter().map(|&extent| extent as i64).collect(),
        _ => size(a)?,
    };
    a.stored(draw(&shape, dtype))
}

/// A bound of integers, which an array has for each element. Numbers that are not whole are cut
/// off, as `int` does.
enum Limit {
    Number(i128),
    Array(Array),
}

impl Limit {
    fn of(a: &Arguments<'_, '_>, name: &str) -> PyResult<Limit> {
        let object = a.object(name)?;
        if object.is_instance_of::<PyFloat>() {
            let whole = a.py().import("builtins")?.getattr("int")?.call1((object,));
            let whole = whole.and_then(|whole| whole.extract());
            let wrong = |error| as_numpy_raises(a.py(), Mistake::Value, error);
            return whole.map(Limit::Number).map_err(wrong);
        }
        let has_axes = || object.getattr("ndim")?.extract::<usize>().map(|ndim| ndim > 0);
        if object.is_instance_of::<PyList>()
            || object.is_instance_of::<PyTuple>()
            || has_axes().unwrap_or(false)
        {
            return a.array(name).map(Limit::Array);
        }
        a.wide_integer(name).map(Limit::Number)
    }

    fn array(self, a: &Arguments<'_, '_>) -> PyResult<Array> {
        match self {
            Limit::Array(array) => Ok(array),
            Limit::Number(number) => as_array(a.py(), Argument::Weak(Weak::Int(number))),
        }
    }
}

/// Integers from `low`, or 0, to before `high`.
fn integers(a: &Arguments<'_, '_>, rng: &Generator, closed: bool) -> PyResult<Array> {
    let (low, high) = match a.has("high") {
        true => (Limit::of(a, "low")?, Limit::of(a, "high")?),
        false => (Limit::Number(0), Limit::of(a, "low")?),
    };
    let dtype = if a.takes("dtype") { a.dtype_or("dtype", DType::I64)? } else { DType::I64 };
    if let (Limit::Number(low), &Limit::Number(high)) = (&low, &high) {
        let high = if closed { high.saturating_add(1) } else { high };
        return Ok(rng.integers_as(*low, high, size(a)?.as_slice(), dtype));
    }
    let (low, high) = (low.array(a)?, high.array(a)?);
    let high = if closed { high + 1 } else { high };
    let [low, high] = [low, high].map(Argument::Array);
    let extents = extents(a, &[&low, &high])?;
    let (low, high) = (as_array(a.py(), low)?, as_array(a.py(), high)?);
    Ok(rng.integers_between(&low, &high, extents.as_slice(), dtype))
}

/// Slices along an axis, or integers below a number, chosen at random.
fn chosen(a: &Arguments<'_, '_>, rng: &Generator, axis: i64) -> PyResult<Array> {
    let object = a.object("a")?;
    let array = match is_integer(object)? {
        true => {
            let count = a.integer("a")?;
            if count < 0 || (count == 0 && size(a)?.iter().product::<i64>() > 0) {
                return Err(value_error(
                    Mistake::Value,
                    "a must be a positive integer unless no samples are taken",
                ));
            }
            phalanx::arange(0, count, 1)
        }
        false => a.array("a")?,
    };
    let (shape, replace) = (size(a)?, a.truth_or("replace", true)?);
    let chances = a.optional_array("p")?;
    let array = if axis == 0 { array } else { phalanx::moveaxis(&array, axis, 0) };
    let chosen = rng.choice(&array, shape.as_slice(), replace, chances.as_ref());
    if axis == 0 || chosen.ok().is_err() {
        return Ok(chosen);
    }
    let place = if axis < 0 { axis + array.ndim() as i64 } else { axis };
    let from: Vec<i64> = (0..shape.len() as i64).collect();
    let to: Vec<i64> = from.iter().map(|number| place + number).collect();
    Ok(phalanx::moveaxis(&chosen, from, to))
}

/// The numbers below a number, or the slices of an array, in random order.
fn permuted(a: &Arguments<'_, '_>, rng: &Generator, axis: i64) -> PyResult<Array> {
    if is_integer(a.object("x")?)? {
        let count = usize::try_from(a.integer("x")?);
        let count =
            count.map_err(|_| value_error(Mistake::Value, "maximum allowed dimension exceeded"))?;
        return Ok(rng.permutation(count));
    }
    Ok(rng.shuffled(&a.array("x")?, axis))
}

fn shuffle(a: &Arguments<'_, '_>, rng: &Generator, axis: i64) -> PyResult<()> {
    let object = a.object("x")?;
    let array = object.cast::<Ndarray>().map_err(|_| a.wrong("x", "a phalanx.ndarray"))?;
    let array = &array.get().array;
    if array.ndim() == 0 {
        return Err(type_error(Mistake::Conversion, "a 0-d array has nothing to shuffle"));
    }
    array.try_assign(rng.shuffled(array, axis)).map_err(|error| raised(a.py(), &error))
}

fn bytes(a: &Arguments<'_, '_>, rng: &Generator) -> PyResult<Answer> {
    let length = a.size_or("length", 0)?;
    let host = fetch(a.py(), &rng.bits([length.div_ceil(8)]))?;
    let filled = |given: &mut [u8]| {
        given.copy_from_slice(&host.bytes[..length]);
        Ok(())
    };
    Ok(Answer::Object(PyBytes::new_with(a.py(), length, filled)?.into_any().unbind()))
}

/// Uniform or normal numbers of the shape that the positional arguments are.
fn of_rest(a: &Arguments<'_, '_>, draw: impl Fn(&[i64], DType) -> Array) -> PyResult<Array> {
    let shape = a.integers_of_rest("args")?;
    Ok(draw(&shape, a.dtype_or("dtype", DType::F64)?))
}

typed_draws! {
    /// Methods of every generator.
    METHODS, TYPED_METHODS, FUNCTIONS, a, rng =>
    "normal"("loc=0.0, scale=1.0, size=None"),
    "Normal numbers of a mean and a standard deviation.":
    located(a, "loc", "scale", |mean, deviation, shape| rng.normal(mean, deviation, shape));

    "laplace"("loc=0.0, scale=1.0, size=None"),
    "Numbers on both sides of a location, at exponential distances.":
    located(a, "loc", "scale", |center, scale, shape| rng.laplace(center, scale, shape));

    "logistic"("loc=0.0, scale=1.0, size=None"),
    "Logistic numbers.":
    located(a, "loc", "scale", |mean, scale, shape| rng.logistic(mean, scale, shape));

    "gumbel"("loc=0.0, scale=1.0, size=None"),
    "Gumbel's extreme values.":
    located(a, "loc", "scale", |mode, scale, shape| rng.gumbel(mode, scale, shape));

    "lognormal"("mean=0.0, sigma=1.0, size=None"),
    "Numbers whose logarithms are normal.":
    {
        not_negative(a, "sigma")?;
        let draw = |mean, deviation, shape: &[i64]| rng.lognormal(mean, deviation, shape);
        drawn(a, [("mean", 0.0), ("sigma", 1.0)], draw, |numbers, mean, deviation| {
            (numbers.log() * deviation + mean).exp()
        })
    };

    "uniform"("low=0.0, high=1.0, size=None"),
    "Uniform numbers from `low` to before `high`.":
    {
        let draw = |low, high, shape: &[i64]| rng.uniform(low, high, shape);
        drawn(a, [("low", 0.0), ("high", 1.0)], draw, |numbers, low, high| {
            numbers * (high - low) + low
        })
    };

    "exponential"("scale=1.0, size=None"),
    "Exponential numbers of a mean.":
    scaled(a, |scale, shape| rng.exponential(scale, shape));

    "rayleigh"("scale=1.0, size=None"),
    "Lengths of vectors of two normal numbers.":
    scaled(a, |scale, shape| rng.rayleigh(scale, shape));

    "weibull"("a, size=None"),
    "Weibull numbers of an exponent.":
    of_one(a, "a", |exponent, shape| rng.weibull(exponent, shape));

    "pareto"("a, size=None"),
    "Pareto's numbers, less 1, of an exponent.":
    of_one(a, "a", |exponent, shape| rng.pareto(exponent, shape));

    "power"("a, size=None"),
    "Numbers from 0 to 1 whose density grows with a power.":
    of_one(a, "a", |exponent, shape| rng.power(exponent, shape));

    "triangular"("left, mode, right, size=None"),
    "Numbers whose density rises to a mode and falls from there.":
    {
        let all = [real(a, "left")?, real(a, "mode")?, real(a, "right")?];
        of_several(a, all, |[left, mode, right], shape| rng.triangular(left, mode, right, shape))
    };

    "standard_cauchy"("size=None"),
    "Quotients of two normal numbers.":
    rng.standard_cauchy(size(a)?.as_slice());

    "binomial"("n, p, size=None"),
    "How many of `n` trials succeed that do so with a chance.":
    {
        let all = [whole(a, "n")?, real(a, "p")?];
        of_several(a, all, |[count, chance], shape| rng.binomial(count, chance, shape))
    };

    "poisson"("lam=1.0, size=None"),
    "Numbers of independent events of which there are `lam` on average.":
    match a.has("lam") {
        true => of_one(a, "lam", |mean, shape| rng.poisson(mean, shape)),
        false => size(a).map(|shape| rng.poisson(1.0, shape.as_slice())),
    };

    "geometric"("p, size=None"),
    "How many trials there are to the first that succeeds.":
    of_one(a, "p", |chance, shape| rng.geometric(chance, shape));

    "gamma"("shape, scale=1.0, size=None"),
    "Gamma numbers of an exponent and a scale.":
    {
        let [shape, scale] = [parameter(a, "shape", 1.0)?, parameter(a, "scale", 1.0)?];
        let extents = extents(a, &[&shape, &scale])?;
        rng.gamma(shape, scale, extents.as_slice())
    };

    "beta"("a, b, size=None"),
    "Beta numbers, from 0 to 1.":
    {
        let [first, second] = [a.argument("a")?, a.argument("b")?];
        let extents = extents(a, &[&first, &second])?;
        rng.beta(first, second, extents.as_slice())
    };

    "chisquare"("df, size=None"),
    "Sums of squares of as many normal numbers as there are degrees of freedom.":
    {
        let degrees = a.argument("df")?;
        let extents = extents(a, &[&degrees])?;
        rng.chisquare(degrees, extents.as_slice())
    };

    "noncentral_chisquare"("df, nonc, size=None"),
    "Sums of squares of normal numbers whose means have the sum of squares `nonc`.":
    {
        let all = [real(a, "df")?, real(a, "nonc")?];
        of_several(a, all, |[df, shift], shape| rng.noncentral_chisquare(df, shift, shape))
    };

    "f"("dfnum, dfden, size=None"),
    "Quotients of sums of squares, each through its degrees of freedom.":
    {
        let [above, below] = [a.argument("dfnum")?, a.argument("dfden")?];
        let extents = extents(a, &[&above, &below])?;
        rng.f(above, below, extents.as_slice())
    };

    "noncentral_f"("dfnum, dfden, nonc, size=None"),
    "As f, of which the numerator is noncentral.":
    {
        let all = [real(a, "dfnum")?, real(a, "dfden")?, real(a, "nonc")?];
        of_several(a, all, |[above, below, shift], shape| {
            rng.noncentral_f(above, below, shift, shape)
        })
    };

    "standard_t"("df, size=None"),
    "Student's numbers of degrees of freedom.":
    {
        let degrees = a.argument("df")?;
        let extents = extents(a, &[&degrees])?;
        rng.standard_t(degrees, extents.as_slice())
    };

    "wald"("mean, scale, size=None"),
    "Inverse normal numbers of a mean and a scale.":
    {
        let [mean, scale] = [a.argument("mean")?, a.argument("scale")?];
        let extents = extents(a, &[&mean, &scale])?;
        rng.wald(mean, scale, extents.as_slice())
    };

    "vonmises"("mu, kappa, size=None"),
    "Angles around `mu`, the closer the larger `kappa` is.":
    {
        let all = [real(a, "mu")?, real(a, "kappa")?];
        of_several(a, all, |[mean, kappa], shape| rng.vonmises(mean, kappa, shape))
    };

    "dirichlet"("alpha, size=None"),
    "Vectors of positive numbers whose sum is 1, along the last axis.":
    rng.dirichlet(&a.array("alpha")?, size(a)?.as_slice());

    "negative_binomial"("n, p, size=None"),
    "How many trials fail before `n` succeed.":
    {
        let all = [real(a, "n")?, real(a, "p")?];
        of_several(a, all, |[count, chance], shape| rng.negative_binomial(count, chance, shape))
    };

    "hypergeometric"("ngood, nbad, nsample, size=None"),
    "How many good ones are among `nsample` that are taken of good and bad ones.":
    {
        let all = [whole(a, "ngood")?, whole(a, "nbad")?, whole(a, "nsample")?];
        of_several(a, all, |[good, bad, sample], shape| {
            rng.hypergeometric(good, bad, sample, shape)
        })
    };

    "logseries"("p, size=None"),
    "Numbers with chances of the terms of the logarithm's series.":
    of_one(a, "p", |chance, shape| rng.logseries(chance, shape));

    "zipf"("a, size=None"),
    "Numbers whose chances fall as a power of them.":
    of_one(a, "a", |exponent, shape| rng.zipf(exponent, shape));

    "multivariate_normal"("mean, cov, size=None, check_valid='warn', tol=1e-08, *, method='svd'"),
    "Normal vectors of a mean and a covariance.":
    rng.multivariate_normal(&a.array("mean")?, &a.array("cov")?, size(a)?.as_slice());
}

draws! {
    /// Methods of every generator whose answers have one dtype.
    PLAIN_METHODS, PLAIN_FUNCTIONS, a, rng =>
    "multinomial"("n, pvals, size=None"),
    "How many of `n` draws have each result, along the last axis. Collective.":
    {
        let chances = a.array("pvals")?;
        let count = match a.argument("n")? {
            Argument::Array(counts) if counts.ndim() > 0 => Argument::Array(counts),
            Argument::Array(_) => Argument::from(a.integer("n")?),
            number => number,
        };
        let is_stack = chances.ndim() > 1 && chances.shape().last() != Some(&0);
        let first = || chances.slice([Index::Ellipsis, Index::At(0)]);
        let vectors = is_stack.then(|| Argument::Array(first()));
        let parameters: Vec<&Argument> = std::iter::once(&count).chain(&vectors).collect();
        let shape = extents(a, &parameters)?;
        rng.multinomial(count, &chances, shape.as_slice())
    };

    "bytes"("length"),
    "Random bytes. Collective.":
    bytes(a, rng);
}

functions! {
    /// Methods of `Generator` alone.
    GENERATOR_METHODS, a =>
    "random(self, /, size=None, dtype=float, out=None)",
    "Uniform numbers from 0 to before 1.":
    {
        let rng = source(a)?;
        plain(a, |shape, dtype| rng.random(shape, dtype))
    };

    "standard_normal(self, /, size=None, dtype=float, out=None)",
    "Normal numbers of mean 0 and deviation 1.":
    {
        let rng = source(a)?;
        plain(a, |shape, dtype| rng.standard_normal(shape, dtype))
    };

    "standard_exponential(self, /, size=None, dtype=float, method='zig', out=None)",
    "Exponential numbers of mean 1.":
    {
        let rng = source(a)?;
        plain(a, |shape, dtype| rng.standard_exponential(shape, dtype))
    };

    "standard_gamma(self, /, shape, size=None, dtype=float, out=None)",
    "Gamma numbers of an exponent.":
    {
        let rng = source(a)?;
        let exponent = a.argument("shape")?;
        let extents = match a.out()? {
            Some(out) if !a.has("size") => {
                out.shape().iter().map(|&extent| extent as i64).collect()
            }
            _ => extents(a, &[&exponent])?,
        };
        let dtype = a.dtype_or("dtype", DType::F64)?;
        a.stored(rng.standard_gamma(exponent, extents.as_slice(), dtype))
    };

    "integers(self, /, low, high=None, size=None, dtype=int, endpoint=False)",
    "Integers from `low` to before `high`, or to it with `endpoint`.":
    integers(a, &*source(a)?, a.truth_or("endpoint", false)?);

    "choice(self, /, a, size=None, replace=True, p=None, axis=0, shuffle=True)",
    "Slices along an axis, or integers below a number, chosen at random.":
    chosen(a, &*source(a)?, a.integer_or("axis", 0)?);

    "permutation(self, /, x, axis=0)",
    "The integers below a number, or the slices along an axis, in random order.":
    permuted(a, &*source(a)?, a.integer_or("axis", 0)?);

    "permuted(self, /, x, *, axis=None, out=None)",
    "The elements of each line along an axis in a random order of its own.":
    a.stored(source(a)?.permuted(&a.array("x")?, a.optional_integer("axis")?));

    "shuffle(self, /, x, axis=0)",
    "Puts the slices of an array along an axis into random order.":
    shuffle(a, &*source(a)?, a.integer_or("axis", 0)?);

    "spawn(self, /, n_children)",
    "Generators of their own, of children of the seed.":
    {
        let children = RandomSource::spawned(a.object("self")?, a.count("n_children")?)?;
        Answer::list(children.into_iter().map(Bound::unbind).collect::<Vec<_>>())
    };
}

draws! {
    /// Methods of `RandomState` alone.
    LEGACY_METHODS, LEGACY_FUNCTIONS, a, rng =>
    "rand"("*args, dtype=None"),
    "Uniform numbers from 0 to before 1, of a shape.":
    of_rest(a, |shape, dtype| rng.random(shape, dtype));

    "randn"("*args, dtype=None"),
    "Normal numbers of mean 0 and deviation 1, of a shape.":
    of_rest(a, |shape, dtype| rng.standard_normal(shape, dtype));

    "randint"("low, high=None, size=None, dtype=int"),
    "Integers from `low` to before `high`.":
    integers(a, rng, false);

    "random_integers"("low, high=None, size=None"),
    "Integers from `low`, or 1, to `high`.":
    match a.has("high") {
        true => integers(a, rng, true),
        false => Ok(rng.integers(1, a.integer("low")?.saturating_add(1), size(a)?.as_slice())),
    };

    "random"("size=None, dtype=None"),
    "Uniform numbers from 0 to before 1.":
    rng.random(size(a)?.as_slice(), a.dtype_or("dtype", DType::F64)?);

    "random_sample"("size=None, dtype=None"),
    "Uniform numbers from 0 to before 1.":
    rng.random(size(a)?.as_slice(), a.dtype_or("dtype", DType::F64)?);

    "ranf"("size=None, dtype=None"),
    "Uniform numbers from 0 to before 1.":
    rng.random(size(a)?.as_slice(), a.dtype_or("dtype", DType::F64)?);

    "sample"("size=None, dtype=None"),
    "Uniform numbers from 0 to before 1.":
    rng.random(size(a)?.as_slice(), a.dtype_or("dtype", DType::F64)?);

    "standard_normal"("size=None, dtype=None"),
    "Normal numbers of mean 0 and deviation 1.":
    rng.standard_normal(size(a)?.as_slice(), a.dtype_or("dtype", DType::F64)?);

    "standard_exponential"("size=None, dtype=None"),
    "Exponential numbers of mean 1.":
    rng.standard_exponential(size(a)?.as_slice(), a.dtype_or("dtype", DType::F64)?);

    "standard_gamma"("shape, size=None, dtype=None"),
    "Gamma numbers of an exponent.":
    {
        let exponent = a.argument("shape")?;
        let extents = extents(a, &[&exponent])?;
        rng.standard_gamma(exponent, extents.as_slice(), a.dtype_or("dtype", DType::F64)?)
    };

    "choice"("a, size=None, replace=True, p=None"),
    "Elements of a vector, or integers below a number, chosen at random.":
    chosen(a, rng, 0);

    "permutation"("x"),
    "The integers below a number, or the slices of an array, in random order.":
    permuted(a, rng, 0);

    "shuffle"("x"),
    "Puts the slices of an array into random order.":
    shuffle(a, rng, 0);

    "get_state"("legacy=True"),
    "What the next numbers depend on, as a tuple, or as a dictionary.":
    told_state(a.py(), rng, a.truth_or("legacy", true)?)?;

    "set_state"("state"),
    "Goes on from a state that `get_state` told.":
    take_state(rng, a.object("state")?)?;
}

functions! {
    /// Methods of `RandomState` that are other functions of the module.
    RANDOM_STATE_METHODS, a =>
    "tomaxint(self, /, size=None)",
    "Integers from 0 to the greatest one of 64 bits.":
    source(a)?.integers_as(0, 1 << 63, size(a)?.as_slice(), DType::I64);

    "seed(self, seed=None)",
    "Begins again with another seed; Collective without one.":
    reseed_one(a.py(), &*source(a)?, a.given("seed"))?;
}

functions! {
    /// Functions of the module that are no methods.
    ALONE, a =>
    "default_rng(seed=None)",
    "A generator of a seed; without one, of a seed that all ranks agree on (Collective).":
    match a.given("seed").map(|seed| seed.is_instance_of::<RandomSource>()) {
        Some(true) => Ok(a.object("seed")?.clone().unbind()),
        _ => RandomSource::of_seed(a.py(), a.given("seed")),
    };

    "seed(seed=None)",
    "Gives the functions of the module another seed; Collective without one.":
    reseed(a.py(), a.given("seed"));
}
