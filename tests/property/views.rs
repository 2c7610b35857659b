//! Views, reshapes and orders in memory compared with NumPy's, case by case.
//!
//! `tests/conformance/views.py` writes the cases; without them the test reports that it was
//! skipped.

use phalanx::{
    Array, Axes, Config, DType, Index, Limits, Policy, Session, arange, keepdims, matmul, select,
};
use std::path::PathBuf;

/// The relative tolerance of floats.
const TOLERANCE: f64 = 1e-12;

#[test]
fn views_and_orders_are_those_of_numpy() {
    let Some(folder) = std::env::var_os("PHALANX_CONFORMANCE_DATA") else {
        println!("skipped: PHALANX_CONFORMANCE_DATA names no folder with NumPy's results");
        return;
    };
    let path = PathBuf::from(folder).join("views.tsv");
    let table = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", path.display()));
    let config = Config::for_tests(3).threads(2);
    let policy = Policy { split_from: 1 };
    let session = Session::with_options(config, None, policy, Limits::default()).unwrap();
    let faults: Vec<String> = session.handle().enter(|| {
        let cases = table.lines().skip(1);
        cases
            .filter_map(|line| Case::new(line).check().err().map(|e| format!("{line}\n  {e}")))
            .collect()
    });
    session.finish().unwrap();
    assert!(table.lines().count() > 1000, "{} holds too few cases", path.display());
    let shown = faults.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(faults.is_empty(), "{} cases differ from NumPy:\n{shown}", faults.len());
}

/// A line of the table.
struct Case<'a> {
    left: [&'a str; 2],
    right: Option<[&'a str; 2]>,
    operation: &'a str,
    shape: &'a str,
    strides: &'a str,
    shares: bool,
    values: &'a str,
}

impl<'a> Case<'a> {
    fn new(line: &'a str) -> Case<'a> {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[left, left_steps, right, right_steps, operation, shape, strides, shares, values] =
            fields.as_slice()
        else {
            panic!("a line of {} fields: {line}", fields.len());
        };
        let right = (right != "-" || right_steps != "-").then_some([right, right_steps]);
        let shares = shares == "yes";
        Case { left: [left, left_steps], right, operation, shape, strides, shares, values }
    }

    fn check(&self) -> Result<(), String> {
        let (base, left) = program(self.left);
        let result = match self.right {
            None => operation(self.operation, &left, None),
            Some(right) => operation(self.operation, &left, Some(&program(right).1)),
        };
        let failed = result.ok().is_err();
        if failed || self.shape == "error" {
            let text = result.ok().err().map_or(String::from("no error"), |e| e.to_string());
            let agrees = failed == (self.shape == "error");
            return if agrees { Ok(()) } else { Err(text) };
        }
        let shape: Vec<usize> = numbers(self.shape);
        if result.shape() != shape {
            return Err(format!("shape {:?}", result.shape()));
        }
        let strides: Vec<i64> = numbers(self.strides);
        let size = result.dtype().size() as i64;
        let found: Vec<i64> = result.strides().iter().map(|&s| s as i64 / size).collect();
        // Strides have no effect along an axis of one position, or in an array without elements.
        let matters = |axis: &usize| shape[*axis] != 1 && !shape.contains(&0);
        if (0..shape.len()).filter(matters).any(|axis| found[axis] != strides[axis]) {
            return Err(format!("strides {found:?}"));
        }
        if result.has_base_of(&base) != self.shares {
            return Err(format!("shares the base: {}", result.has_base_of(&base)));
        }
        let found = result.to_vec::<f64>().map_err(|error| error.to_string())?;
        let near = |(found, expected): (&f64, &f64)| {
            found == expected
                || (found.is_nan() && expected.is_nan())
                || (found - expected).abs() <= TOLERANCE * expected.abs().max(1.0)
        };
        let expected: Vec<f64> = list(self.values).map(value).collect();
        if found.len() != expected.len() || !found.iter().zip(&expected).all(near) {
            return Err(format!("values {found:?}"));
        }
        Ok(())
    }
}

fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').filter(|item| !item.is_empty())
}

pub fn numbers<T: std::str::FromStr>(text: &str) -> Vec<T> {
    list(text).map(|item| item.parse().unwrap_or_else(|_| panic!("{item} in {text}"))).collect()
}

fn value(text: &str) -> f64 {
    match text {
        "True" => 1.0,
        "False" => 0.0,
        number => number.parse().unwrap_or_else(|_| panic!("{number} is no number")),
    }
}

/// The base of a program, and the result of its view operations.
fn program([shape, steps]: [&str; 2]) -> (Array, Array) {
    let shape: Vec<usize> = numbers(shape);
    let size = shape.iter().product::<usize>() as i64;
    let base = arange(0, size, 1).reshape(shape.as_slice());
    let last = steps
        .split('|')
        .filter(|step| !step.is_empty())
        .fold(base.clone(), |array, text| step(text, &array));
    (base, last)
}

pub fn step(text: &str, array: &Array) -> Array {
    let (name, arguments) = text.split_once(' ').unwrap_or((text, ""));
    match name {
        "index" => array.slice(list(arguments).map(index_item).collect::<Vec<Index>>()),
        "transpose" => array.transpose(numbers::<i64>(arguments)),
        "reshape" => array.reshape(numbers::<i64>(arguments).as_slice()),
        "broadcast" => array.broadcast_to(numbers::<usize>(arguments)),
        "expand" => array.expand_dims(numbers::<i64>(arguments)[0]),
        "squeeze" => array.squeeze(),
        "ravel" => array.ravel(),
        "t" => array.t(),
        "copy" => array.copy(),
        "astype" => array.astype(DType::F64),
        "negative" => array.negative(),
        "real" => array.real(),
        "imag" => array.imag(),
        "view" => array.view(crate::lenses::dtype(arguments)),
        other => panic!("no step {other}"),
    }
}

fn index_item(text: &str) -> Index {
    match text {
        "new" => Index::NewAxis,
        "..." => Index::Ellipsis,
        _ => match text.split(':').collect::<Vec<&str>>()[..] {
            [at] => Index::At(value(at) as i64),
            [start, stop, step] => {
                let bound = |text: &str| (!text.is_empty()).then(|| value(text) as i64);
                Index::Range {
                    start: bound(start),
                    stop: bound(stop),
                    step: bound(step).unwrap_or(1),
                }
            }
            _ => panic!("{text} is no index"),
        },
    }
}

fn operation(operation: &str, left: &Array, right: Option<&Array>) -> Array {
    let words: Vec<&str> = operation.split(' ').collect();
    match (words.as_slice(), right) {
        (["view"], None) => left.clone(),
        (["add"], Some(right)) => left + right,
        (["where"], Some(right)) => select(&left.greater(right), left, right),
        (["divide"], Some(right)) => left / (right * right + 1),
        (["matmul"], Some(right)) => matmul(left, right),
        ([reduction, axes, kept], None) => {
            let axes: Axes = match *axes {
                "all" => ().into(),
                listed => numbers::<i64>(listed).as_slice().into(),
            };
            let axes = if *kept == "keep" { keepdims(axes) } else { axes };
            match *reduction {
                "sum" => left.sum(axes),
                "prod" => left.prod(axes),
                "min" => left.min(axes),
                "max" => left.max(axes),
                "any" => left.any(axes),
                "all" => left.all(axes),
                "argmin" => left.argmin(axes),
                "argmax" => left.argmax(axes),
                "count_nonzero" => left.count_nonzero(axes),
                "mean" => left.mean(axes),
                "var" => left.var(axes, 0.0),
                other => panic!("no reduction {other}"),
            }
        }
        _ => panic!("no operation {operation}"),
    }
}
