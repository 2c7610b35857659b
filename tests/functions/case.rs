//! A case: a call, its arrays, and NumPy's answer.

use phalanx::{Array, DType, HostArray, Index};
use serde_json::Value;

/// An operation from an array to a view of it.
pub enum Step {
    /// Its axes in another order.
    Transpose(Vec<i64>),
    /// Some of its elements, each axis as Python writes it.
    Index(Vec<String>),
    /// Its elements repeated.
    Broadcast(Vec<usize>),
}

/// An array that is given to a function.
pub struct Given {
    /// The base of the view.
    pub base: HostArray,
    /// The operations from the base to the view.
    pub steps: Vec<Step>,
    indices: Vec<Vec<Index>>,
}

/// A line of a topic's file.
pub struct Case {
    /// The function's name.
    pub function: String,
    /// The call as Python.
    pub text: String,
    /// The arrays among the arguments.
    pub arrays: Vec<Given>,
    /// The whole line.
    pub line: Value,
}

impl Case {
    pub fn new(line: &str) -> Case {
        let line: Value = serde_json::from_str(line)
            .unwrap_or_else(|error| panic!("a line is no JSON: {error}: {line}"));
        Case {
            function: text(&line["function"]),
            text: text(&line["text"]),
            arrays: items(&line["arrays"]).iter().map(Given::new).collect(),
            line,
        }
    }

    /// The call and the statements that make its arguments.
    pub fn words(&self) -> String {
        let statements = self.arrays.iter().enumerate();
        let statements = statements.map(|(number, given)| crate::words::statement(number, given));
        statements.chain([self.text.clone()]).collect::<Vec<String>>().join("\n      ")
    }
}

impl Given {
    fn new(value: &Value) -> Given {
        let mut indices = Vec::new();
        let steps = items(&value[3]).iter();
        let steps = steps.map(|step| match step[0].as_str() {
            Some("transpose") => Step::Transpose(integers(&step[1])),
            Some("broadcast") => Step::Broadcast(extents(&step[1])),
            _ => {
                indices.push(items(&step[1]).iter().map(index).collect());
                Step::Index(items(&step[1]).iter().map(index_words).collect())
            }
        });
        let steps = steps.collect();
        Given { base: host(value), steps, indices }
    }

    /// The base on the mesh, and the view of it.
    pub fn make(&self) -> (Array, Array) {
        let base = Array::from_host(&self.base);
        let mut indices = self.indices.iter();
        let view = self.steps.iter().fold(base.clone(), |array, step| match step {
            Step::Transpose(order) => array.transpose(order),
            Step::Broadcast(shape) => array.broadcast_to(shape.as_slice()),
            Step::Index(_) => array.slice(indices.next().expect("bug: an index for each step")),
        });
        (base, view)
    }
}

/// An array written as dtype, shape and bytes.
pub fn host(value: &Value) -> HostArray {
    HostArray {
        dtype: dtype(&text(&value[0])),
        shape: extents(&value[1]),
        bytes: bytes(&text(&value[2])),
    }
}

fn bytes(digits: &str) -> Vec<u8> {
    let digit = |letter: u8| (letter as char).to_digit(16).expect("bug: a digit") as u8;
    digits.as_bytes().chunks_exact(2).map(|two| digit(two[0]) * 16 + digit(two[1])).collect()
}

/// The dtype with this name in NumPy.
pub fn dtype(name: &str) -> DType {
    let found = DType::ALL.iter().find(|dtype| dtype.numpy_name() == name);
    *found.unwrap_or_else(|| panic!("no dtype {name}"))
}

/// An item of an index: an integer, `None`, an ellipsis, or a slice as a list or an object.
pub fn index(value: &Value) -> Index {
    let value = value.get("slice").unwrap_or(value);
    match value {
        Value::Null => Index::NewAxis,
        Value::Object(_) => Index::Ellipsis,
        Value::Array(parts) => Index::Range {
            start: parts[0].as_i64(),
            stop: parts[1].as_i64(),
            step: parts[2].as_i64().unwrap_or(1),
        },
        at => Index::At(at.as_i64().unwrap_or_else(|| panic!("{at} is no index"))),
    }
}

fn index_words(value: &Value) -> String {
    let Value::Array(parts) = value else { return value.to_string() };
    let bound = |part: &Value| part.as_i64().map_or(String::new(), |bound| bound.to_string());
    parts.iter().map(bound).collect::<Vec<String>>().join(":")
}

pub fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

fn integers(value: &Value) -> Vec<i64> {
    items(value).iter().filter_map(Value::as_i64).collect()
}

pub fn extents(value: &Value) -> Vec<usize> {
    items(value).iter().filter_map(Value::as_u64).map(|extent| extent as usize).collect()
}
