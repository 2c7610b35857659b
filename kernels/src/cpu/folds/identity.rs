//! The result of a fold over no points.

use super::combine::MOST_BYTES;
use num_complex::Complex64;
use phalanx_ops::{DType, Kind, Monoid, Scalar, Weak};

/// The bytes of the result of a fold over no points: combining them with the folds of other devices
/// changes nothing.
pub(crate) fn identity(monoid: Monoid, dtype: DType) -> [u8; MOST_BYTES] {
    let weak = match monoid {
        Monoid::Multiply => Weak::Int(1),
        Monoid::All => Weak::Bool(true),
        Monoid::LogAddExp => Weak::Float(f64::NEG_INFINITY),
        Monoid::BitAnd if dtype.kind() == Kind::Bool => Weak::Bool(true),
        Monoid::BitAnd => Weak::Int(-1),
        Monoid::Min | Monoid::ArgMin => bounds(dtype).1,
        Monoid::Max | Monoid::ArgMax => bounds(dtype).0,
        Monoid::Add
        | Monoid::Any
        | Monoid::BitOr
        | Monoid::BitXor
        | Monoid::Moments
        | Monoid::Binned => Weak::Int(0),
    };
    let mut bytes = [0; MOST_BYTES];
    let scalar = Scalar::from_weak(dtype, weak);
    bytes[..dtype.size()].copy_from_slice(scalar.bytes());
    bytes
}

/// The smallest and the largest element of a dtype.
fn bounds(dtype: DType) -> (Weak, Weak) {
    let bits = 8 * dtype.size() as u32;
    let infinity = f64::INFINITY;
    match dtype.kind() {
        Kind::Bool => (Weak::Bool(false), Weak::Bool(true)),
        Kind::Unsigned => (Weak::Int(0), Weak::Int((1 << bits) - 1)),
        Kind::Signed => (Weak::Int(-(1 << (bits - 1))), Weak::Int((1 << (bits - 1)) - 1)),
        Kind::Float => (Weak::Float(-infinity), Weak::Float(infinity)),
        Kind::Complex => {
            let corner = |part| Weak::Complex(Complex64::new(part, part));
            (corner(-infinity), corner(infinity))
        }
    }
}
