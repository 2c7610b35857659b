//! An answer compared with NumPy's.

use crate::answer::Answer;
use crate::arguments::Arguments;
use crate::case::{host, items, text};
use crate::elements::{Number, epsilon, numbers};
use crate::matrices;
use crate::orders;
use crate::words;
use phalanx::{Array, DType, HostArray};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// How answers are compared.
pub struct Comparison<'a> {
    /// The tolerance that the description names.
    pub tolerance: Tolerance,
    /// The description's word for the way of comparison.
    pub compare: String,
    /// The arrays given to the call; `bases` has the base of each.
    pub views: &'a [Array],
    /// See `views`.
    pub bases: &'a [Array],
    /// A unique key of the case.
    pub key: &'a str,
    /// The arguments of the call.
    pub arguments: &'a Arguments,
    /// The largest magnitude among the elements given.
    pub magnitude: f64,
}

/// The allowed difference of floats from NumPy's.
#[derive(Clone, Copy, Debug)]
pub enum Tolerance {
    /// Bit for bit, except the bits of NaN.
    Exact,
    /// This many units of rounding, of the answer or of the largest element given.
    Rounded(f64),
    /// This many units of rounding, of the answer or of the square of the largest element given.
    Squared(f64),
    /// This many units of rounding of the answer.
    Ulp(f64),
    /// A relative and an absolute difference.
    Near(f64, f64),
}

impl Tolerance {
    /// The tolerance of a word in a description.
    pub fn new(word: &str) -> Tolerance {
        let (name, rest) = word.split_once('(').unwrap_or((word, ""));
        let parameters: Vec<f64> = rest
            .trim_end_matches(')')
            .split(',')
            .filter(|text| !text.is_empty())
            .map(|text| text.trim().parse().unwrap_or_else(|_| panic!("{word} is no tolerance")))
            .collect();
        match (name, parameters.as_slice()) {
            ("exact", []) => Tolerance::Exact,
            ("rounded", []) => Tolerance::Rounded(32.0),
            ("rounded", &[units]) => Tolerance::Rounded(units),
            ("squared", []) => Tolerance::Squared(32.0),
            ("squared", &[units]) => Tolerance::Squared(units),
            ("ulp", &[units]) => Tolerance::Ulp(units),
            ("near", &[relative, absolute]) => Tolerance::Near(relative, absolute),
            _ => panic!("{word} is no tolerance"),
        }
    }

    /// The allowed difference of an answer of a dtype from an expected number.
    fn distance(self, dtype: DType, expected: f64, magnitude: f64) -> f64 {
        let unit = epsilon(dtype);
        match self {
            Tolerance::Exact => 0.0,
            Tolerance::Rounded(units) => units * unit * expected.max(magnitude),
            Tolerance::Squared(units) => units * unit * expected.max(magnitude * magnitude),
            Tolerance::Ulp(units) => units * unit * expected,
            Tolerance::Near(relative, absolute) => relative * expected + absolute,
        }
    }
}

impl Comparison<'_> {
    /// Compares an answer; the error states the difference.
    pub fn check(&self, answer: &Answer, expected: &Value) -> Result<(), String> {
        match self.compare.as_str() {
            "values" | "shape" => self.plain(answer, expected),
            word => self.by_word(word, answer, expected),
        }
    }

    /// Compares dtypes and shapes, then the values in a named way.
    fn by_word(&self, word: &str, answer: &Answer, expected: &Value) -> Result<(), String> {
        let forms = Comparison { compare: "shape".into(), ..*self };
        forms.plain(answer, expected)?;
        let told = |error: phalanx::Error| error.to_string();
        let given = self.views.first().map(Array::to_host).transpose().map_err(told)?;
        let given = given.unwrap_or_else(|| HostArray::from_slice::<f64>(&[], &[0]));
        let mut found = Vec::new();
        answer.arrays(&mut found);
        let found: Vec<HostArray> =
            found.iter().map(|array| array.to_host().map_err(told)).collect::<Result<_, _>>()?;
        let wanted = match expected.get("items") {
            Some(several) => items(several).iter().map(|one| host(&one["values"])).collect(),
            None => vec![host(&expected["values"])],
        };
        let plain = Comparison { compare: "values".into(), ..*self };
        match (word, found.len()) {
            ("same", _) => same_everywhere(self.key, &found),
            ("argsort", 1) => orders::sorting(self.arguments, &given, &found[0], &wanted[0]),
            ("partition", 1) => orders::partition(self.arguments, &given, &found[0], false),
            ("argpartition", 1) => orders::partition(self.arguments, &given, &found[0], true),
            ("unordered", 1) => matrices::unordered(&found[0], &wanted[0]),
            // Without the vectors, singular values and eigenvalues are in order.
            ("svd" | "eigh", 1) => plain.host(&found[0], &wanted[0]),
            ("qr" | "svd" | "eigh" | "eig", _) => {
                if word == "eigh" {
                    plain.host(&found[0], &wanted[0])?;
                } else if word == "svd" {
                    plain.host(&found[1], &wanted[1])?;
                } else if word == "eig" {
                    matrices::unordered(&found[0], &wanted[0])?;
                }
                matrices::check(word, &given, &found)
            }
            _ => panic!("{word} is no way to compare {} answers", found.len()),
        }
    }

    fn plain(&self, answer: &Answer, expected: &Value) -> Result<(), String> {
        if let Some(wanted) = expected.get("items") {
            let Answer::Items(found) = answer else {
                return Err(format!("{}, expected {}", answer.kind(), items(wanted).len()));
            };
            if found.len() != items(wanted).len() {
                return Err(format!("{} answers, expected {}", found.len(), items(wanted).len()));
            }
            let mut pairs = found.iter().zip(items(wanted)).enumerate();
            return pairs.try_for_each(|(number, (found, wanted))| {
                self.plain(found, wanted).map_err(|fault| format!("answer {number}: {fault}"))
            });
        }
        if let Some(values) = expected.get("values") {
            let wanted = host(values);
            return match answer {
                Answer::Array(array) => self.array(array, &wanted, expected),
                Answer::Bool(value) => self.host(&HostArray::from_slice(&[*value], &[]), &wanted),
                Answer::Int(value) => self.host(&HostArray::from_slice(&[*value], &[]), &wanted),
                other => Err(format!("{}, expected an array", other.kind())),
            };
        }
        if let Some(name) = expected.get("dtype") {
            let name = text(name);
            return match answer {
                Answer::DType(dtype) if dtype.numpy_name() == name => Ok(()),
                Answer::DType(dtype) => Err(format!("{}, expected {name}", dtype.numpy_name())),
                other => Err(format!("{}, expected {name}", other.kind())),
            };
        }
        python(answer, &expected["python"])
    }

    fn array(&self, array: &Array, wanted: &HostArray, expected: &Value) -> Result<(), String> {
        self.form(array.dtype(), array.shape(), wanted)?;
        if let Some(strides) = expected.get("strides") {
            self.layout(array, items(strides), items(&expected["shares"]))?;
        }
        let found = array.to_host().map_err(|error| error.to_string())?;
        self.host(&found, wanted)
    }

    fn form(&self, dtype: DType, shape: &[usize], wanted: &HostArray) -> Result<(), String> {
        if dtype != wanted.dtype {
            let (found, expected) = (dtype.numpy_name(), wanted.dtype.numpy_name());
            return Err(format!("dtype {found}, expected {expected}"));
        }
        if shape != wanted.shape {
            let (found, expected) = (words::tuple(shape), words::tuple(&wanted.shape));
            return Err(format!("shape {found}, expected {expected}"));
        }
        Ok(())
    }

    /// Compares strides, and which of the given arrays the answer is a view of.
    fn layout(&self, array: &Array, strides: &[Value], shares: &[Value]) -> Result<(), String> {
        let size = array.dtype().size() as i64;
        let found: Vec<i64> = array.strides().iter().map(|&stride| stride as i64 / size).collect();
        let expected: Vec<i64> = strides.iter().filter_map(Value::as_i64).collect();
        // Strides have no effect along an axis of one position, or in an array without elements.
        let shape = array.shape();
        let matters = |axis: &usize| shape[*axis] != 1 && !shape.contains(&0);
        if (0..shape.len()).filter(matters).any(|axis| found[axis] != expected[axis]) {
            return Err(format!("strides {found:?}, expected {expected:?}"));
        }
        for (number, base) in self.bases.iter().enumerate() {
            let expected = shares.iter().any(|one| one.as_u64() == Some(number as u64));
            if array.has_base_of(base) != expected {
                let letter = char::from(b'a' + number as u8);
                return Err(format!("shares memory with {letter}: {}", !expected));
            }
        }
        Ok(())
    }

    fn host(&self, found: &HostArray, wanted: &HostArray) -> Result<(), String> {
        self.form(found.dtype, &found.shape, wanted)?;
        if self.compare == "shape" {
            return Ok(());
        }
        let dtype = found.dtype;
        let (left, right) = (numbers(dtype, &found.bytes), numbers(dtype, &wanted.bytes));
        if left.len() == right.len() && left.iter().zip(&right).all(|(a, b)| self.near(dtype, a, b))
        {
            return Ok(());
        }
        let found = words::elements(dtype, &found.bytes);
        let expected = words::elements(dtype, &wanted.bytes);
        Err(format!("found    {found}\n    expected {expected}"))
    }

    fn near(&self, dtype: DType, found: &Number, expected: &Number) -> bool {
        let (left, right) = (found.parts(), expected.parts());
        let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        if let (Number::Whole(left), Number::Whole(right)) = (found, expected) {
            return left == right;
        }
        if left.iter().zip(&right).all(same) {
            return true;
        }
        if matches!(self.tolerance, Tolerance::Exact) {
            return false;
        }
        let modulus = |parts: [f64; 2]| parts[0].hypot(parts[1]);
        if !modulus(left).is_finite() || !modulus(right).is_finite() {
            // Infinities of real numbers have a sign. Which part of a complex number is infinite or
            // NaN depends on the order of operations.
            let complex = dtype.is_complex();
            return left == right
                || (complex && !modulus(left).is_finite() && !modulus(right).is_finite());
        }
        let distance = (left[0] - right[0]).hypot(left[1] - right[1]);
        distance <= self.tolerance.distance(dtype, modulus(right), self.magnitude)
    }
}

/// Compares with the answer of the first mesh that ran the case.
fn same_everywhere(key: &str, found: &[HostArray]) -> Result<(), String> {
    static FIRST: Mutex<BTreeMap<String, Vec<HostArray>>> = Mutex::new(BTreeMap::new());
    let mut answers = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
    let first = answers.entry(key.to_owned()).or_insert_with(|| found.to_vec());
    let mut pairs = first.iter().zip(found);
    let Some((there, here)) = pairs.find(|(there, here)| there != here) else { return Ok(()) };
    let [here, there] = [here, there].map(|host| words::elements(host.dtype, &host.bytes));
    Err(format!("found    {here}\n    and elsewhere {there}"))
}

/// Compares with a value of Python that is no array.
fn python(answer: &Answer, expected: &Value) -> Result<(), String> {
    let agrees = match answer {
        Answer::Bool(value) => expected.as_bool() == Some(*value),
        Answer::Int(value) => expected.as_i64() == Some(*value),
        Answer::Text(value) => expected.as_str() == Some(value),
        Answer::Nothing => expected.is_null(),
        Answer::Array(array) if array.ndim() == 0 => {
            let found = array.to_host().map_err(|error| error.to_string())?;
            match (expected, numbers(found.dtype, &found.bytes).first()) {
                (Value::Bool(value), Some(Number::Whole(found))) => *found == i128::from(*value),
                (Value::Number(value), Some(Number::Whole(found))) => {
                    value.as_i64().map(i128::from) == Some(*found)
                }
                _ => false,
            }
        }
        _ => false,
    };
    let found = match answer {
        Answer::Bool(value) => value.to_string(),
        Answer::Int(value) => value.to_string(),
        Answer::Text(value) => value.clone(),
        other => other.kind().to_owned(),
    };
    if agrees { Ok(()) } else { Err(format!("{found}, expected {expected}")) }
}
