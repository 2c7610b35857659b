//! The dtypes that calls of ufuncs ask for.

use crate::arguments::Arguments;
use crate::dtypes;
use crate::errors::{type_error, value_error};
use crate::mistakes::Mistake;
use phalanx::{Arg, Argument, Array, Casting, DType, Op, can_cast};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use smallvec::SmallVec;

/// The dtypes that are asked for of the operands and of a result of an operation, in this order.
pub type DTypes = SmallVec<[Option<DType>; 3]>;

/// The dtypes that a call asks for by `dtype` or `signature`.
pub struct Asked {
    /// For each operand.
    inputs: SmallVec<[Option<DType>; 2]>,
    /// For each result.
    outputs: SmallVec<[Option<DType>; 2]>,
    /// How operands may be cast.
    pub casting: Casting,
}

impl Asked {
    /// What `dtype`, `signature` or `sig` asks for.
    pub fn of(
        a: &Arguments<'_, '_>,
        nin: usize,
        nout: usize,
        casting: Casting,
    ) -> PyResult<Option<Asked>> {
        let both = |one: &str, other: &str| {
            type_error(Mistake::Together, format!("cannot specify both '{one}' and '{other}'"))
        };
        let given = match (a.find("sig"), a.find("signature")) {
            (Some(_), Some(_)) => return Err(both("sig", "signature")),
            (found, None) | (None, found) => found,
        };
        let Some(given) = given else {
            let dtype = a.optional_dtype("dtype")?;
            return Ok(dtype.map(|dtype| Asked {
                inputs: SmallVec::from_elem(None, nin),
                outputs: SmallVec::from_elem(Some(dtype), nout),
                casting,
            }));
        };
        if a.find("dtype").is_some() {
            return Err(both("signature", "dtype"));
        }
        let mut dtypes = asked_dtypes(a.name(), given, nin, nout)?.into_iter();
        let inputs = dtypes.by_ref().take(nin).collect();
        Ok(Some(Asked { inputs, outputs: dtypes.collect(), casting }))
    }

    /// The dtype that a product of matrices or vectors is asked for, whose loops all are from one
    /// dtype to the same. Errors: there is no such loop.
    pub fn of_product(a: &Arguments<'_, '_>, operands: [&Array; 2]) -> PyResult<Option<DType>> {
        let Some(asked) = Asked::of(a, 2, 1, Casting::SameKind)? else { return Ok(None) };
        let mut all = asked.inputs.iter().chain(&asked.outputs).flatten();
        let Some(&dtype) = all.next() else { return Ok(None) };
        let mut places = operands.iter().zip(&asked.inputs);
        let fits = asked.outputs[0].is_some()
            || places.all(|(array, asked)| {
                asked.is_some() || can_cast(array.dtype(), dtype, Casting::Safe)
            });
        match fits && all.all(|other| *other == dtype) {
            true => Ok(Some(dtype)),
            false => Err(no_loop(a.name())),
        }
    }

    /// For each operand, and then for a result.
    pub fn of_result(&self, place: usize) -> DTypes {
        self.inputs.iter().copied().chain([self.outputs[place]]).collect()
    }

    /// What is asked for of each operation that computes a result. Of two operations both cast the
    /// operands alike: the first result of which a dtype is asked for says to what. Errors: there
    /// is no such pair of loops.
    pub fn of_each(
        &self,
        name: &str,
        ops: &[Op],
        operands: &[Argument],
    ) -> PyResult<SmallVec<[DTypes; 2]>> {
        let &[first, second] = ops else {
            return Ok(SmallVec::from_iter([self.of_result(0)]));
        };
        let kinds: SmallVec<[Arg; 2]> = operands.iter().map(kind).collect();
        let leading = usize::from(self.outputs[0].is_none() && self.outputs[1].is_some());
        let (leader, other) = if leading == 0 { (first, second) } else { (second, first) };
        let of = |op: Op, asked: &[Option<DType>]| {
            op.resolve_by(&kinds, asked, Casting::Unsafe).map_err(|_| no_loop(name))
        };
        let led = of(leader, &self.of_result(leading))?;
        // One dtype for all results is taken by casts; else operands go where they safely can.
        let is_one = self.outputs[0].is_some() && self.outputs[0] == self.outputs[1];
        let mut places = kinds.iter().zip(&self.inputs).zip(led.inputs());
        let fits = places.all(|((kind, asked), &to)| match *kind {
            Arg::Strong(from) => asked.is_some() || can_cast(from, to, Casting::Safe),
            Arg::Weak(_) => true,
        });
        if !is_one && !fits {
            return Err(no_loop(name));
        }
        let inputs = led.inputs().iter().copied().map(Some);
        let with = |output| inputs.clone().chain([output]).collect::<SmallVec<[_; 3]>>();
        let beside = of(other, &with(self.outputs[1 - leading]))?;
        let mut both = SmallVec::from_iter([with(Some(led.output)), with(Some(beside.output))]);
        if leading == 1 {
            both.swap(0, 1);
        }
        Ok(both)
    }
}

/// The error of dtypes that no loop has.
fn no_loop(name: &str) -> PyErr {
    let text = "No loop matching the specified signature and casting was found for ufunc";
    type_error(Mistake::Dtype, format!("{text} {name}"))
}

/// An operand as far as the choice of a loop goes.
pub fn kind(operand: &Argument) -> Arg {
    match operand {
        Argument::Array(array) => Arg::Strong(array.dtype()),
        Argument::Scalar(scalar) => Arg::Strong(scalar.dtype()),
        Argument::Weak(weak) => Arg::Weak(*weak),
    }
}

/// The dtypes that a `signature` names, a text as `dd->d` or a tuple with `None` for what is left
/// open: for each operand, and then for each result.
fn asked_dtypes(
    name: &str,
    given: &Bound<'_, PyAny>,
    nin: usize,
    nout: usize,
) -> PyResult<Vec<Option<DType>>> {
    if let Ok(tuple) = given.cast::<PyTuple>() {
        if tuple.len() == 1 {
            return Err(type_error(
                Mistake::Type,
                "Use `dtype` or  fill the tuple with more than one 'None'.",
            ));
        }
        if tuple.len() != nin + nout {
            return Err(value_error(
                Mistake::Value,
                format!(
                    "a type-tuple must be specified of length {} for ufunc '{name}'",
                    nin + nout
                ),
            ));
        }
        let dtype = |object: Bound<'_, PyAny>| match object.is_none() {
            true => Ok(None),
            false => dtypes::from_python(&object).map(Some),
        };
        return tuple.iter().map(dtype).collect();
    }
    let text = match given.cast::<PyBytes>() {
        Ok(bytes) => String::from_utf8_lossy(bytes.as_bytes()).into_owned(),
        Err(_) => match given.cast::<PyString>() {
            Ok(text) => text.to_cow()?.into_owned(),
            Err(_) => {
                return Err(type_error(
                    Mistake::Type,
                    "the signature object to ufunc must be a string or a tuple.",
                ));
            }
        },
    };
    if text.chars().count() == 1 {
        return Err(type_error(
            Mistake::Type,
            "Use `dtype` or  fill the tuple with more than one 'None'.",
        ));
    }
    let parts = text.split_once("->");
    let fits = |part: &str, count: usize| part.chars().count() == count;
    let Some((inputs, outputs)) = parts.filter(|(i, o)| fits(i, nin) && fits(o, nout)) else {
        return Err(value_error(
            Mistake::Value,
            format!(
                "a type-string for {name}, {nin} typecode(s) before and {nout} after the -> sign"
            ),
        ));
    };
    let dtype = |letter: char| {
        // NumPy has no letter of its own for bfloat16.
        if letter == 'E' {
            return Ok(Some(DType::BF16));
        }
        let named = PyString::new(given.py(), &letter.to_string());
        dtypes::from_python(&named).map(Some).map_err(|_| {
            value_error(Mistake::Dtype, format!("Invalid data-type for array: '{letter}'"))
        })
    };
    inputs.chars().chain(outputs.chars()).map(dtype).collect()
}
