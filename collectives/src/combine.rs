//! Combination of items in host memory: every dtype with every monoid that accepts it.
//!
//! Bytes need no alignment. f16 and bf16 are combined in f32 and rounded after each operation.

mod compound;
mod element;
#[cfg(test)]
mod tests;

use crate::CollectiveError;
use element::{Bits, Lattice, Number};
use half::{bf16, f16};
use num_complex::{Complex32, Complex64};
use phalanx_ops::{DType, Monoid};

/// Combines item by item: `accumulator = accumulator ∘ incoming`. The accumulator belongs to the
/// lower ranks.
///
/// Errors: `Unsupported` when the monoid does not accept the dtype, `Counts` when the lengths are
/// not equal or not whole items.
pub fn reduce_into(
    dtype: DType,
    monoid: Monoid,
    accumulator: &mut [u8],
    incoming: &[u8],
) -> Result<(), CollectiveError> {
    combine::<false>(dtype, monoid, accumulator, incoming)
}

/// Combines item by item: `accumulator = incoming ∘ accumulator`. The accumulator belongs to the
/// higher ranks.
///
/// Errors: as for `reduce_into`.
pub fn reduce_onto(
    dtype: DType,
    monoid: Monoid,
    accumulator: &mut [u8],
    incoming: &[u8],
) -> Result<(), CollectiveError> {
    combine::<true>(dtype, monoid, accumulator, incoming)
}

/// Checks that `bytes` bytes are whole items that can be combined.
pub(crate) fn check_items(
    operation: &str,
    dtype: DType,
    monoid: Monoid,
    bytes: usize,
) -> Result<(), CollectiveError> {
    if !monoid.accepts(dtype) {
        return Err(CollectiveError::Unsupported { monoid, dtype });
    }
    let item = monoid.item_size(dtype);
    if !bytes.is_multiple_of(item) {
        return Err(CollectiveError::Counts {
            operation: operation.into(),
            expected: bytes.next_multiple_of(item) as u64,
            actual: bytes as u64,
        });
    }
    Ok(())
}

/// `SWAP` puts the incoming item first.
fn combine<const SWAP: bool>(
    dtype: DType,
    monoid: Monoid,
    accumulator: &mut [u8],
    incoming: &[u8],
) -> Result<(), CollectiveError> {
    check_items("reduce_into", dtype, monoid, accumulator.len())?;
    if accumulator.len() != incoming.len() {
        return Err(CollectiveError::Counts {
            operation: "reduce_into".into(),
            expected: accumulator.len() as u64,
            actual: incoming.len() as u64,
        });
    }
    // One arm for each dtype that the monoid accepts.
    macro_rules! each_type {
        ($function:ident: $($variant:ident $type:ty),* $(; $other:pat => $otherwise:expr)?) => {
            match dtype {
                $(DType::$variant => $function::<$type, SWAP>(monoid, accumulator, incoming),)*
                $($other => $otherwise,)?
            }
        };
    }
    macro_rules! every_type {
        ($function:ident) => {
            each_type!($function: Bool bool, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16,
                U32 u32, U64 u64, F16 f16, BF16 bf16, F32 f32, F64 f64, C64 Complex32,
                C128 Complex64)
        };
    }
    let refused = || unreachable!("bug: {monoid} accepted {dtype}");
    match monoid {
        Monoid::Add | Monoid::Multiply => every_type!(numeric),
        Monoid::Min | Monoid::Max => every_type!(extreme),
        Monoid::ArgMin | Monoid::ArgMax => every_type!(position),
        Monoid::Any | Monoid::All => each_type!(truth: Bool bool; _ => refused()),
        Monoid::BitAnd | Monoid::BitOr | Monoid::BitXor => {
            each_type!(bitwise: Bool bool, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16,
                U32 u32, U64 u64; _ => refused())
        }
        Monoid::LogAddExp => {
            each_type!(log_add_exp: F16 f16, BF16 bf16, F32 f32, F64 f64; _ => refused())
        }
        Monoid::Moments => each_type!(moments: F32 f32, F64 f64; _ => refused()),
        Monoid::Binned => compound::binned(accumulator, incoming),
    }
    Ok(())
}

fn numeric<T: Number, const SWAP: bool>(monoid: Monoid, accumulator: &mut [u8], incoming: &[u8]) {
    if monoid == Monoid::Add {
        element::zip::<T, SWAP>(accumulator, incoming, T::add);
    } else {
        element::zip::<T, SWAP>(accumulator, incoming, T::multiply);
    }
}

fn extreme<T: Lattice, const SWAP: bool>(monoid: Monoid, accumulator: &mut [u8], incoming: &[u8]) {
    // As in NumPy: the first operand wins a tie, and wins if it is NaN.
    if monoid == Monoid::Min {
        let smaller = |a: T, b: T| if a.at_most(b) || a.is_nan() { a } else { b };
        element::zip::<T, SWAP>(accumulator, incoming, smaller);
    } else {
        let larger = |a: T, b: T| if b.at_most(a) || a.is_nan() { a } else { b };
        element::zip::<T, SWAP>(accumulator, incoming, larger);
    }
}

fn position<T: Lattice, const SWAP: bool>(monoid: Monoid, accumulator: &mut [u8], incoming: &[u8]) {
    // The index decides every tie, so the order of the operands does not matter.
    compound::position::<T>(monoid == Monoid::ArgMin, accumulator, incoming);
}

fn truth<T: Number, const SWAP: bool>(monoid: Monoid, accumulator: &mut [u8], incoming: &[u8]) {
    let monoid = if monoid == Monoid::Any { Monoid::Add } else { Monoid::Multiply };
    numeric::<T, SWAP>(monoid, accumulator, incoming);
}

fn bitwise<T: Bits, const SWAP: bool>(monoid: Monoid, accumulator: &mut [u8], incoming: &[u8]) {
    match monoid {
        Monoid::BitAnd => element::zip::<T, SWAP>(accumulator, incoming, |a, b| a & b),
        Monoid::BitOr => element::zip::<T, SWAP>(accumulator, incoming, |a, b| a | b),
        _ => element::zip::<T, SWAP>(accumulator, incoming, |a, b| a ^ b),
    }
}

fn log_add_exp<T: element::Float, const SWAP: bool>(
    _: Monoid,
    accumulator: &mut [u8],
    incoming: &[u8],
) {
    element::zip::<T, SWAP>(accumulator, incoming, T::log_add_exp);
}

fn moments<T: compound::Real, const SWAP: bool>(
    _: Monoid,
    accumulator: &mut [u8],
    incoming: &[u8],
) {
    compound::moments::<T, SWAP>(accumulator, incoming);
}
