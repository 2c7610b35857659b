//! The combinations for which NCCL has the same result as this crate.

use phalanx_device::cuda::{NcclElement as Element, NcclReduction as Reduction};
use phalanx_ops::{DType, Kind, Monoid};

/// NCCL's combination of these items, if it has one: the elements, the operation, and the number of
/// elements of an item.
///
/// NCCL's minimum and maximum of floats lose NaN. It has no product and no order of complex
/// numbers, no 16-bit integers, and no items of several parts.
pub(super) fn native(dtype: DType, monoid: Monoid) -> Option<(Element, Reduction, usize)> {
    let (element, parts) = match dtype {
        DType::Bool => return truth(monoid).map(|reduction| (Element::U8, reduction, 1)),
        DType::I8 => (Element::I8, 1),
        DType::U8 => (Element::U8, 1),
        DType::I32 => (Element::I32, 1),
        DType::U32 => (Element::U32, 1),
        DType::I64 => (Element::I64, 1),
        DType::U64 => (Element::U64, 1),
        DType::F16 => (Element::F16, 1),
        DType::BF16 => (Element::BF16, 1),
        DType::F32 => (Element::F32, 1),
        DType::F64 => (Element::F64, 1),
        DType::C64 => (Element::F32, 2),
        DType::C128 => (Element::F64, 2),
        DType::I16 | DType::U16 => return None,
    };
    let is_integer = matches!(dtype.kind(), Kind::Signed | Kind::Unsigned);
    let reduction = match monoid {
        Monoid::Add => Reduction::Sum,
        Monoid::Multiply if parts == 1 => Reduction::Product,
        Monoid::Min if is_integer => Reduction::Min,
        Monoid::Max if is_integer => Reduction::Max,
        _ => return None,
    };
    Some((element, reduction, parts))
}

/// Truth values are bytes of 0 and 1.
fn truth(monoid: Monoid) -> Option<Reduction> {
    match monoid {
        Monoid::Add | Monoid::Any | Monoid::Max | Monoid::BitOr => Some(Reduction::Max),
        Monoid::Multiply | Monoid::All | Monoid::Min | Monoid::BitAnd => Some(Reduction::Min),
        Monoid::BitXor
        | Monoid::ArgMin
        | Monoid::ArgMax
        | Monoid::LogAddExp
        | Monoid::Moments
        | Monoid::Binned => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_have_the_bytes_of_their_elements() {
        for &dtype in DType::ALL {
            for &monoid in Monoid::ALL.iter().filter(|monoid| monoid.accepts(dtype)) {
                let Some((element, _, parts)) = native(dtype, monoid) else { continue };
                assert_eq!(parts * element.size(), monoid.item_size(dtype), "{monoid} {dtype}");
            }
        }
    }

    #[test]
    fn reductions_that_differ_from_numpy_are_not_given_to_the_library() {
        for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64, DType::C64, DType::C128] {
            assert_eq!(native(dtype, Monoid::Min), None, "{dtype}");
            assert_eq!(native(dtype, Monoid::Max), None, "{dtype}");
        }
        assert_eq!(native(DType::C64, Monoid::Multiply), None);
        assert_eq!(native(DType::C64, Monoid::Add), Some((Element::F32, Reduction::Sum, 2)));
        assert_eq!(native(DType::Bool, Monoid::BitXor), None);
    }
}
