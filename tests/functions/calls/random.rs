//! Random numbers.

use crate::answer::Answer;
use crate::arguments::{Arguments, inexpressible};
use phalanx::random::{ChoiceOptions, Generator, IntegerOptions, Population, seeded};
use phalanx::{Array, DType, ShapeArgument};
use serde_json::Value;

/// The generator of the seed, the first argument.
fn of(a: &Arguments) -> Generator {
    seeded(a.int(0) as u64).unwrap_or_else(|error| panic!("no generator: {error}"))
}

/// The shape at a position; by default that of a single number.
fn size(a: &Arguments, place: usize) -> ShapeArgument {
    match a.optional_integers((place, "size")) {
        Some(extents) => extents.as_slice().into(),
        None => ().into(),
    }
}

fn dtype(a: &Arguments) -> DType {
    a.optional_dtype((2, "dtype")).unwrap_or(DType::F64)
}

type OfOne = fn(&Generator, f64, ShapeArgument) -> Array;
type OfTwo = fn(&Generator, f64, f64, ShapeArgument) -> Array;

/// A distribution of one parameter.
fn one(a: &Arguments, draw: OfOne) -> Array {
    draw(&of(a), a.float(1), size(a, 2))
}

/// A distribution of two parameters.
fn two(a: &Arguments, draw: OfTwo) -> Array {
    draw(&of(a), a.float(1), a.float(2), size(a, 3))
}

fn integers(a: &Arguments) -> Array {
    let (low, high) = match a.optional_int(2) {
        Some(high) => (a.int(1), high),
        None => (0, a.int(1)),
    };
    let dtype = a.optional_dtype("dtype").unwrap_or(DType::I64);
    let options = IntegerOptions::from(dtype).closed(a.flag("endpoint"));
    of(a).integers_as(low, high, size(a, 3), options)
}

fn choice(a: &Arguments) -> Array {
    let population = match a.value(1) {
        Some(Value::Number(_)) => Population::from(a.int(1)),
        _ => Population::from(a.array(1)),
    };
    let options =
        ChoiceOptions::default().replace(a.flag_or("replace", true)).axis(a.int_or("axis", 0));
    let options = match a.optional_array("p") {
        Some(chances) => options.weights(&chances),
        None => options,
    };
    of(a).choice(population, size(a, 2), options)
}

fn permutation(a: &Arguments) -> Answer {
    match a.value(1) {
        Some(Value::Number(_)) => of(a).permutation(a.extent(1)).into(),
        Some(_) => of(a).shuffled(&a.array(1), a.int_or("axis", 0)).into(),
        None => inexpressible(String::from("no array")),
    }
}

calls! { a =>
    "random.Generator.random": of(a).random(size(a, 1), dtype(a)),
    "random.Generator.standard_normal": of(a).standard_normal(size(a, 1), dtype(a)),
    "random.Generator.standard_exponential": of(a).standard_exponential(size(a, 1), dtype(a)),
    "random.Generator.uniform": two(a, |numbers, low, high, shape| {
        numbers.uniform(low, high, shape)
    }),
    "random.Generator.normal": two(a, |numbers, mean, by, shape| numbers.normal(mean, by, shape)),
    "random.Generator.lognormal":
        two(a, |numbers, mean, by, shape| numbers.lognormal(mean, by, shape)),
    "random.Generator.laplace": two(a, |numbers, at, scale, shape| {
        numbers.laplace(at, scale, shape)
    }),
    "random.Generator.logistic":
        two(a, |numbers, at, scale, shape| numbers.logistic(at, scale, shape)),
    "random.Generator.gumbel": two(a, |numbers, at, scale, shape| numbers.gumbel(at, scale, shape)),
    "random.Generator.exponential": one(a, |numbers, mean, shape| numbers.exponential(mean, shape)),
    "random.Generator.rayleigh": one(a, |numbers, scale, shape| numbers.rayleigh(scale, shape)),
    "random.Generator.weibull": one(a, |numbers, exponent, shape| numbers.weibull(exponent, shape)),
    "random.Generator.pareto": one(a, |numbers, exponent, shape| numbers.pareto(exponent, shape)),
    "random.Generator.power": one(a, |numbers, exponent, shape| numbers.power(exponent, shape)),
    "random.Generator.standard_cauchy": of(a).standard_cauchy(size(a, 1)),
    "random.Generator.triangular":
        of(a).triangular(a.float(1), a.float(2), a.float(3), size(a, 4)),
    "random.Generator.integers": integers(a),
    "random.Generator.geometric": one(a, |numbers, chance, shape| numbers.geometric(chance, shape)),
    "random.Generator.binomial": of(a).binomial(a.int(1), a.float(2), size(a, 3)),
    "random.Generator.poisson": one(a, |numbers, mean, shape| numbers.poisson(mean, shape)),
    "random.Generator.standard_gamma":
        one(a, |numbers, exponent, shape| numbers.standard_gamma(exponent, shape, DType::F64)),
    "random.Generator.chisquare":
        one(a, |numbers, degrees, shape| numbers.chisquare(degrees, shape)),
    "random.Generator.standard_t":
        one(a, |numbers, degrees, shape| numbers.standard_t(degrees, shape)),
    "random.Generator.logseries": one(a, |numbers, chance, shape| numbers.logseries(chance, shape)),
    "random.Generator.zipf": one(a, |numbers, exponent, shape| numbers.zipf(exponent, shape)),
    "random.Generator.gamma": two(a, |numbers, of, scale, shape| numbers.gamma(of, scale, shape)),
    "random.Generator.beta": two(a, |numbers, a, b, shape| numbers.beta(a, b, shape)),
    "random.Generator.f": two(a, |numbers, above, below, shape| numbers.f(above, below, shape)),
    "random.Generator.wald": two(a, |numbers, mean, scale, shape| numbers.wald(mean, scale, shape)),
    "random.Generator.noncentral_chisquare":
        two(a, |numbers, of, shift, shape| numbers.noncentral_chisquare(of, shift, shape)),
    "random.Generator.vonmises": two(a, |numbers, at, k, shape| numbers.vonmises(at, k, shape)),
    "random.Generator.negative_binomial":
        two(a, |numbers, count, chance, shape| numbers.negative_binomial(count, chance, shape)),
    "random.Generator.noncentral_f":
        of(a).noncentral_f(a.float(1), a.float(2), a.float(3), size(a, 4)),
    "random.Generator.hypergeometric":
        of(a).hypergeometric(a.int(1), a.int(2), a.int(3), size(a, 4)),
    "random.Generator.permutation": permutation(a),
    "random.Generator.permuted": of(a).permuted(&a.array(1), a.optional_int("axis")),
    "random.Generator.shuffle": of(a).shuffle(&a.array(1), a.int_or("axis", 0)),
    "random.Generator.choice": choice(a),
    "random.Generator.multivariate_normal":
        of(a).multivariate_normal(&a.array(1), &a.array(2), size(a, 3)),
}
