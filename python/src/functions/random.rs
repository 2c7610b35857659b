//! Random numbers: methods of generators, and functions of `phalanx.random`.

use crate::calls::answer::Answer;
use crate::calls::arguments::{Arguments, is_integer};
use crate::convert::dtypes::numpy;
use crate::convert::{self, fetch, to_numpy};
use crate::function::Row;
use crate::functions;
use crate::interpreter::errors::{as_numpy_raises, raised, refused, value_error};
use crate::interpreter::mistakes::Mistake;
use crate::objects::ndarray::Ndarray;
use crate::random_source::{RandomSource, reseed, reseed_one, source, state_of, take_state};
use phalanx::random::{ChoiceOptions, Generator, IntegerOptions, Population, Size};
use phalanx::{Argument, Array, DType, ShapeArgument, Weak};
use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyEllipsis, PyFloat, PyList, PyTuple};

/// Rows that are methods of a generator and also functions, which draw from the module's generator.
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

/// As `draws`. The functions of the module and the methods of `RandomState` also take a dtype,
/// unlike NumPy's.
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

/// The drawn numbers in the requested dtype.
fn in_dtype(a: &Arguments<'_, '_>, answer: Answer) -> PyResult<Answer> {
    Ok(match (a.optional_dtype("dtype")?, answer) {
        (Some(dtype), Answer::Array(array)) => Generator::drawn_as(&array, dtype).into(),
        (_, answer) => answer,
    })
}

/// The shape of the drawn array; without axes for one number.
fn shape(a: &Arguments<'_, '_>) -> PyResult<Vec<i64>> {
    Ok(a.optional_integers("size")?.unwrap_or_default())
}

/// The shape of the drawn array. The parameters determine it unless it is given.
fn size(a: &Arguments<'_, '_>) -> PyResult<Size> {
    Ok(a.optional_integers("size")?.as_deref().map(ShapeArgument::from).into())
}

/// A parameter of a distribution, or the default if there is no argument. As in NumPy, None is no
/// number.
fn parameter(a: &Arguments<'_, '_>, name: &str, default: f64) -> PyResult<Argument> {
    match a.find(name) {
        Some(object) => convert::argument(object),
        None => Ok(Argument::Weak(Weak::Float(default))),
    }
}

/// Numbers of a distribution without parameters, written into `out` if it is given.
fn plain(a: &Arguments<'_, '_>, draw: impl Fn(&[i64], DType) -> Array) -> PyResult<Answer> {
    let dtype = a.dtype_or("dtype", DType::F64)?;
    let shape = match a.out()? {
        Some(out) if !a.has("size") => out.shape().iter().map(|&extent| extent as i64).collect(),
        _ => shape(a)?,
    };
    a.stored(draw(&shape, dtype))
}

/// A bound of integers; an array has one for each element. Python floats are truncated, as by
/// `int`.
fn bound(a: &Arguments<'_, '_>, name: &str) -> PyResult<Argument> {
    let object = a.object(name)?;
    let number = |number: i128| Argument::Weak(Weak::Int(number));
    if object.is_instance_of::<PyFloat>() {
        let whole = a.py().import("builtins")?.getattr("int")?.call1((object,));
        let whole = whole.and_then(|whole| whole.extract());
        let wrong = |error| as_numpy_raises(a.py(), Mistake::Value, error);
        return whole.map(number).map_err(wrong);
    }
    let has_axes = || object.getattr("ndim")?.extract::<usize>().map(|ndim| ndim > 0);
    if object.is_instance_of::<PyList>()
        || object.is_instance_of::<PyTuple>()
        || has_axes().unwrap_or(false)
    {
        return a.array(name).map(Argument::Array);
    }
    a.wide_integer(name).map(number)
}

/// Integers from `low`, or 0, to before `high`.
fn integers(a: &Arguments<'_, '_>, rng: &Generator, is_closed: bool) -> PyResult<Array> {
    let (low, high) = if a.has("high") {
        (bound(a, "low")?, bound(a, "high")?)
    } else {
        (Argument::from(0), bound(a, "low")?)
    };
    let dtype = if a.takes("dtype") { a.dtype_or("dtype", DType::I64)? } else { DType::I64 };
    Ok(rng.integers_as(low, high, size(a)?, IntegerOptions::from(dtype).closed(is_closed)))
}

/// Slices along an axis, or integers below a number, chosen at random.
fn chosen(a: &Arguments<'_, '_>, rng: &Generator, axis: i64) -> PyResult<Array> {
    let population = if is_integer(a.object("a")?)? {
        Population::from(a.integer("a")?)
    } else {
        Population::from(a.array("a")?)
    };
    let options = ChoiceOptions::default().replace(a.truth_or("replace", true)?).axis(axis);
    let options = match a.optional_array("p")? {
        Some(chances) => options.weights(&chances),
        None => options,
    };
    Ok(rng.choice(population, shape(a)?.as_slice(), options))
}

/// The axis of the slices of a population; the numbers below a number have one axis.
fn axis_of_slices(a: &Arguments<'_, '_>, population: &str) -> PyResult<i64> {
    if is_integer(a.object(population)?)? { Ok(0) } else { a.integer_or("axis", 0) }
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
    match object.cast::<Ndarray>() {
        Ok(array) => {
            let shuffled = rng.try_shuffle(&array.get().array, axis);
            shuffled.map_err(|error| raised(a.py(), &error))
        }
        Err(_) => shuffle_on_host(a, rng, axis),
    }
}

/// Shuffles an array of NumPy's, or a list or another sequence. The order is fetched.
fn shuffle_on_host(a: &Arguments<'_, '_>, rng: &Generator, axis: i64) -> PyResult<()> {
    let (py, object) = (a.py(), a.object("x")?);
    let numpy = numpy(py)?;
    let is_array = object.is_instance(&numpy.getattr("ndarray")?)?;
    if !is_array && axis != 0 {
        let text = "Axis argument is only supported on ndarray objects";
        return Err(refused::<PyNotImplementedError>(Mistake::Together, text));
    }
    let parts =
        if is_array { numpy.call_method1("moveaxis", (object, axis, 0))? } else { object.clone() };
    let count = parts.len().map_err(|_| a.wrong("x", "an array or a list"))?;
    let order = to_numpy(py, fetch(py, &rng.permutation(count))?)?;
    if is_array {
        return parts.set_item(PyEllipsis::get(py), parts.get_item(order)?);
    }
    let items: Vec<_> = parts.try_iter()?.collect::<PyResult<_>>()?;
    for (place, position) in order.try_iter()?.enumerate() {
        let written = parts.set_item(place, &items[position?.extract::<usize>()?]);
        written.map_err(|error| as_numpy_raises(py, Mistake::Type, error))?;
    }
    Ok(())
}

fn bytes(a: &Arguments<'_, '_>, rng: &Generator) -> PyResult<Answer> {
    let host = fetch(a.py(), &rng.bytes(a.size_or("length", 0)?))?;
    Ok(Answer::Object(PyBytes::new(a.py(), &host.bytes).into_any().unbind()))
}

/// Uniform or normal numbers, whose shape is given by the positional arguments.
fn of_rest(a: &Arguments<'_, '_>, draw: impl Fn(&[i64], DType) -> Array) -> PyResult<Array> {
    let shape = a.integers_of_rest("args")?;
    Ok(draw(&shape, a.dtype_or("dtype", DType::F64)?))
}

typed_draws! {
    /// Methods of every generator.
    METHODS, TYPED_METHODS, FUNCTIONS, a, rng =>
    "normal"("loc=0.0, scale=1.0, size=None"),
    "Numbers of the normal distribution with mean `loc` and standard deviation `scale`.":
    rng.normal(parameter(a, "loc", 0.0)?, parameter(a, "scale", 1.0)?, size(a)?);

    "laplace"("loc=0.0, scale=1.0, size=None"),
    "Numbers of the Laplace distribution: exponential distances on both sides of `loc`.":
    rng.laplace(parameter(a, "loc", 0.0)?, parameter(a, "scale", 1.0)?, size(a)?);

    "logistic"("loc=0.0, scale=1.0, size=None"),
    "Numbers of the logistic distribution around `loc`.":
    rng.logistic(parameter(a, "loc", 0.0)?, parameter(a, "scale", 1.0)?, size(a)?);

    "gumbel"("loc=0.0, scale=1.0, size=None"),
    "Numbers of the Gumbel distribution of extreme values.":
    rng.gumbel(parameter(a, "loc", 0.0)?, parameter(a, "scale", 1.0)?, size(a)?);

    "lognormal"("mean=0.0, sigma=1.0, size=None"),
    "Numbers whose logarithms are normal.":
    rng.lognormal(parameter(a, "mean", 0.0)?, parameter(a, "sigma", 1.0)?, size(a)?);

    "uniform"("low=0.0, high=1.0, size=None"),
    "Uniform numbers from `low` up to but not including `high`.":
    {
        let (low, high) = (parameter(a, "low", 0.0)?, parameter(a, "high", 1.0)?);
        // NumPy's legacy functions, the ones that take a dtype here, allow a `low` above `high`.
        if a.takes("dtype") {
            rng.uniform_between(low, high, size(a)?)
        } else {
            rng.uniform(low, high, size(a)?)
        }
    };

    "exponential"("scale=1.0, size=None"),
    "Numbers of the exponential distribution with mean `scale`.":
    rng.exponential(parameter(a, "scale", 1.0)?, size(a)?);

    "rayleigh"("scale=1.0, size=None"),
    "Numbers of the Rayleigh distribution: lengths of vectors of two normal numbers.":
    rng.rayleigh(parameter(a, "scale", 1.0)?, size(a)?);

    "weibull"("a, size=None"),
    "Numbers of the Weibull distribution with exponent `a`.":
    rng.weibull(a.argument("a")?, size(a)?);

    "pareto"("a, size=None"),
    "Numbers of the Pareto distribution with exponent `a`, less 1.":
    rng.pareto(a.argument("a")?, size(a)?);

    "power"("a, size=None"),
    "Numbers from 0 to 1 whose density is proportional to their power `a - 1`.":
    rng.power(a.argument("a")?, size(a)?);

    "triangular"("left, mode, right, size=None"),
    "Numbers of the triangular distribution, whose density is largest at `mode`.":
    rng.triangular(a.argument("left")?, a.argument("mode")?, a.argument("right")?, size(a)?);

    "standard_cauchy"("size=None"),
    "Numbers of the Cauchy distribution around 0: quotients of two normal numbers.":
    rng.standard_cauchy(shape(a)?.as_slice());

    "binomial"("n, p, size=None"),
    "The number of successes among `n` trials that each succeed with probability `p`.":
    rng.binomial(a.argument("n")?, a.argument("p")?, size(a)?);

    "poisson"("lam=1.0, size=None"),
    "Numbers of the Poisson distribution with mean `lam`.":
    rng.poisson(parameter(a, "lam", 1.0)?, size(a)?);

    "geometric"("p, size=None"),
    "The number of trials up to and including the first success.":
    rng.geometric(a.argument("p")?, size(a)?);

    "gamma"("shape, scale=1.0, size=None"),
    "Numbers of the gamma distribution with exponent `shape` and scale `scale`.":
    rng.gamma(parameter(a, "shape", 1.0)?, parameter(a, "scale", 1.0)?, size(a)?);

    "beta"("a, b, size=None"),
    "Numbers of the beta distribution, from 0 to 1.":
    rng.beta(a.argument("a")?, a.argument("b")?, size(a)?);

    "chisquare"("df, size=None"),
    "Numbers of the chi-squared distribution, with `df` degrees of freedom.":
    rng.chisquare(a.argument("df")?, size(a)?);

    "noncentral_chisquare"("df, nonc, size=None"),
    "Numbers of the noncentral chi-squared distribution, with noncentrality `nonc`.":
    rng.noncentral_chisquare(a.argument("df")?, a.argument("nonc")?, size(a)?);

    "f"("dfnum, dfden, size=None"),
    "Numbers of the F distribution, with `dfnum` and `dfden` degrees of freedom.":
    rng.f(a.argument("dfnum")?, a.argument("dfden")?, size(a)?);

    "noncentral_f"("dfnum, dfden, nonc, size=None"),
    "Numbers of the noncentral F distribution, with noncentrality `nonc`.":
    rng.noncentral_f(a.argument("dfnum")?, a.argument("dfden")?, a.argument("nonc")?, size(a)?);

    "standard_t"("df, size=None"),
    "Numbers of Student's t distribution, with `df` degrees of freedom.":
    rng.standard_t(a.argument("df")?, size(a)?);

    "wald"("mean, scale, size=None"),
    "Numbers of the inverse normal distribution with a mean and a scale.":
    rng.wald(a.argument("mean")?, a.argument("scale")?, size(a)?);

    "vonmises"("mu, kappa, size=None"),
    "Angles of the von Mises distribution around `mu`; a larger `kappa` makes them closer to it.":
    rng.vonmises(a.argument("mu")?, a.argument("kappa")?, size(a)?);

    "dirichlet"("alpha, size=None"),
    "Vectors of the Dirichlet distribution along the last axis: positive numbers with the sum 1.":
    rng.dirichlet(&a.array("alpha")?, shape(a)?.as_slice());

    "negative_binomial"("n, p, size=None"),
    "The number of failures before `n` trials succeed, each with probability `p`.":
    rng.negative_binomial(a.argument("n")?, a.argument("p")?, size(a)?);

    "hypergeometric"("ngood, nbad, nsample, size=None"),
    "The number of good items among `nsample` items drawn from good and bad ones.":
    rng.hypergeometric(a.argument("ngood")?, a.argument("nbad")?, a.argument("nsample")?, size(a)?);

    "logseries"("p, size=None"),
    "Numbers from 1 on with probabilities proportional to the terms of the logarithmic series.":
    rng.logseries(a.argument("p")?, size(a)?);

    "zipf"("a, size=None"),
    "Numbers of Zipf's distribution: the probability of `k` is proportional to `k**-a`.":
    rng.zipf(a.argument("a")?, size(a)?);

    "multivariate_normal"("mean, cov, size=None, check_valid='warn', tol=1e-08, *, method='svd'"),
    "Vectors of the normal distribution with a mean and a covariance.":
    rng.multivariate_normal(&a.array("mean")?, &a.array("cov")?, shape(a)?.as_slice());
}

draws! {
    /// Methods of every generator whose answers have one dtype.
    PLAIN_METHODS, PLAIN_FUNCTIONS, a, rng =>
    "multinomial"("n, pvals, size=None"),
    "The number of times that each result occurs in `n` draws, along the last axis.":
    rng.multinomial(a.argument("n")?, &a.array("pvals")?, size(a)?);

    "bytes"("length"),
    "Random bytes. Collective.":
    bytes(a, rng);
}

functions! {
    /// Methods of `Generator` alone.
    GENERATOR_METHODS, a =>
    "random(self, /, size=None, dtype=float, out=None)",
    "Uniform numbers from 0 up to but not including 1.":
    {
        let rng = source(a)?;
        plain(a, |shape, dtype| rng.random(shape, dtype))
    };

    "standard_normal(self, /, size=None, dtype=float, out=None)",
    "Numbers of the normal distribution with mean 0 and standard deviation 1.":
    {
        let rng = source(a)?;
        plain(a, |shape, dtype| rng.standard_normal(shape, dtype))
    };

    "standard_exponential(self, /, size=None, dtype=float, method='zig', out=None)",
    "Numbers of the exponential distribution with mean 1.":
    {
        let rng = source(a)?;
        plain(a, |shape, dtype| rng.standard_exponential(shape, dtype))
    };

    "standard_gamma(self, /, shape, size=None, dtype=float, out=None)",
    "Numbers of the gamma distribution with exponent `shape` and scale 1.":
    {
        let rng = source(a)?;
        let (exponent, dtype) = (a.argument("shape")?, a.dtype_or("dtype", DType::F64)?);
        let size = match a.out()? {
            Some(out) if !a.has("size") => Size::from(out.shape()),
            _ => size(a)?,
        };
        a.stored(rng.standard_gamma(exponent, size, dtype))
    };

    "integers(self, /, low, high=None, size=None, dtype=int, endpoint=False)",
    "Random integers from `low` up to `high`, which is included only with `endpoint`.":
    integers(a, &*source(a)?, a.truth_or("endpoint", false)?);

    "choice(self, /, a, size=None, replace=True, p=None, axis=0, shuffle=True)",
    "Random slices along an axis, or random integers below a number.":
    chosen(a, &*source(a)?, axis_of_slices(a, "a")?);

    "permutation(self, /, x, axis=0)",
    "The integers below a number, or the slices along an axis, in random order.":
    permuted(a, &*source(a)?, axis_of_slices(a, "x")?);

    "permuted(self, /, x, *, axis=None, out=None)",
    "The elements of each vector along an axis, in a separate random order.":
    a.stored(source(a)?.permuted(&a.array("x")?, a.optional_integer("axis")?));

    "shuffle(self, /, x, axis=0)",
    "Shuffles the slices of an array along an axis in place.":
    shuffle(a, &*source(a)?, a.integer_or("axis", 0)?);

    "spawn(self, /, n_children)",
    "New generators, whose seeds are children of this generator's seed.":
    {
        let children = RandomSource::spawned(a.object("self")?, a.count("n_children")?)?;
        Answer::list(children.into_iter().map(Bound::unbind).collect::<Vec<_>>())
    };
}

draws! {
    /// Methods of `RandomState` alone.
    LEGACY_METHODS, LEGACY_FUNCTIONS, a, rng =>
    "rand"("*args, dtype=None"),
    "Uniform numbers from 0 up to but not including 1, in an array of the given extents.":
    of_rest(a, |shape, dtype| rng.random(shape, dtype));

    "randn"("*args, dtype=None"),
    "Numbers of the normal distribution with mean 0 and standard deviation 1, in an array of the \
     given extents.":
    of_rest(a, |shape, dtype| rng.standard_normal(shape, dtype));

    "randint"("low, high=None, size=None, dtype=int"),
    "Random integers from `low` up to but not including `high`.":
    integers(a, rng, false);

    "random_integers"("low, high=None, size=None"),
    "Random integers from `low` to `high`, or from 1 to a single argument, with both ends.":
    if a.has("high") {
        integers(a, rng, true)
    } else {
        let options = IntegerOptions::from(DType::I64).closed(true);
        Ok(rng.integers_as(1, a.integer("low")?, size(a)?, options))
    };

    "random"("size=None, dtype=None"),
    "Uniform numbers from 0 up to but not including 1.":
    rng.random(shape(a)?.as_slice(), a.dtype_or("dtype", DType::F64)?);

    "random_sample"("size=None, dtype=None"),
    "Uniform numbers from 0 up to but not including 1.":
    rng.random(shape(a)?.as_slice(), a.dtype_or("dtype", DType::F64)?);

    "ranf"("size=None, dtype=None"),
    "Uniform numbers from 0 up to but not including 1.":
    rng.random(shape(a)?.as_slice(), a.dtype_or("dtype", DType::F64)?);

    "sample"("size=None, dtype=None"),
    "Uniform numbers from 0 up to but not including 1.":
    rng.random(shape(a)?.as_slice(), a.dtype_or("dtype", DType::F64)?);

    "standard_normal"("size=None, dtype=None"),
    "Numbers of the normal distribution with mean 0 and standard deviation 1.":
    rng.standard_normal(shape(a)?.as_slice(), a.dtype_or("dtype", DType::F64)?);

    "standard_exponential"("size=None, dtype=None"),
    "Numbers of the exponential distribution with mean 1.":
    rng.standard_exponential(shape(a)?.as_slice(), a.dtype_or("dtype", DType::F64)?);

    "standard_gamma"("shape, size=None, dtype=None"),
    "Numbers of the gamma distribution with exponent `shape` and scale 1.":
    rng.standard_gamma(a.argument("shape")?, size(a)?, a.dtype_or("dtype", DType::F64)?);

    "choice"("a, size=None, replace=True, p=None"),
    "Random elements of a vector, or random integers below a number.":
    chosen(a, rng, 0);

    "permutation"("x"),
    "The integers below a number, or the slices of an array, in random order.":
    permuted(a, rng, 0);

    "shuffle"("x"),
    "Shuffles the slices of an array along the first axis in place.":
    shuffle(a, rng, 0);

    "get_state"("legacy=True"),
    "The state of the generator, as a tuple or as a dictionary.":
    state_of(a.py(), rng, a.truth_or("legacy", true)?)?;

    "set_state"("state"),
    "Sets the state of the generator to one that `get_state` returned.":
    take_state(rng, a.object("state")?)?;
}

functions! {
    /// Methods of `RandomState` that are other functions of the module.
    RANDOM_STATE_METHODS, a =>
    "tomaxint(self, /, size=None)",
    "Random integers from 0 to the greatest integer of 64 bits, which is included.":
    source(a)?.integers_as(0, i64::MAX, size(a)?, IntegerOptions::from(DType::I64).closed(true));

    "seed(self, seed=None)",
    "Restarts the generator from a seed; Collective without one.":
    reseed_one(a.py(), &*source(a)?, a.given("seed"))?;
}

functions! {
    /// Functions of the module that are no methods.
    ALONE, a =>
    "default_rng(seed=None)",
    "A generator with a seed; without one, all processes agree on a seed (Collective).":
    match a.given("seed").map(|seed| seed.is_instance_of::<RandomSource>()) {
        Some(true) => Ok(a.object("seed")?.clone().unbind()),
        _ => RandomSource::of_seed(a.py(), a.given("seed")),
    };

    "seed(seed=None)",
    "Seeds the generator of the module's functions; Collective without a seed.":
    reseed(a.py(), a.given("seed"));
}
