//! Signals: the recurrence of recursive filters, of which SciPy's `signal` consists.

use crate::array::Array;
use crate::manipulation::refused;
use crate::recording::record_structured;
use phalanx_graph::{Error, Site, call_site};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::{Recurrence, Structured};
use phalanx_ops::{DType, promote};

pub use phalanx_ops::structured::Filtered;

/// Linear recurrences along the last axis of a signal, one after the other: SciPy's `lfilter` and
/// `sosfilt` of `scipy.signal` for each line, from given states.
///
/// `numerators` and `denominators` are matrices of one shape with a row for each recurrence and at
/// least 2 columns; the first element of a denominator counts as 1. `states` has the axes of the
/// signal; the last one has the states of each recurrence, an element less than a row, one after
/// the other. All are converted to one dtype, at least `f32`. The result has the shape of the
/// signal, or for [`Filtered::States`] that of the states: those behind the last sample. Sharding:
/// that of the signal, with whole lines. Local (records a node). Errors: `OpError::Ndim`;
/// `OpError::Argument` for coefficients or states of another shape.
#[track_caller]
#[must_use]
pub fn recurrence(
    signal: &Array,
    numerators: &Array,
    denominators: &Array,
    states: &Array,
    gives: Filtered,
) -> Array {
    Array::catch(recorded([signal, numerators, denominators, states], gives, call_site()))
}

fn recorded(operands: [&Array; 4], gives: Filtered, site: Site) -> Result<Array, Error> {
    const OPERATION: &str = "recurrence";
    let mut dtype = DType::F32;
    for operand in operands {
        dtype = promote(dtype, operand.ok()?.dtype());
    }
    let [signal, numerators, denominators, states] = operands;
    if signal.ndim() == 0 {
        let expected = "at least 1";
        return Err(Error::op(OpError::Ndim { operation: OPERATION, expected, ndim: 0 }, site));
    }
    let given = numerators.shape();
    let of_line = match *given {
        [rows, columns] if columns > 1 && denominators.shape() == given => rows * (columns - 1),
        _ => 0,
    };
    if of_line == 0 {
        let given = format!("shapes {given:?} and {:?}", denominators.shape());
        return Err(refused(OPERATION, "denominators", given, site));
    }
    let lines = &signal.shape()[..signal.ndim() - 1];
    if states.shape().split_last() != Some((&of_line, lines)) {
        return Err(refused(OPERATION, "states", format!("shape {:?}", states.shape()), site));
    }
    let converted = operands.map(|operand| operand.converted(dtype, site));
    let op = Structured::Recurrence(Recurrence { gives });
    record_structured(op, &converted.each_ref(), site)
}
