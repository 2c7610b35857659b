//! Sorting on the CPU: elements are mapped to unsigned integers of the same order.

use super::positions;
use super::values;
use crate::structured::Block;
use phalanx_ops::DType;
use phalanx_ops::structured::{Order, Sort};

/// `to` = the elements of each line in order, or the positions they had. Sorting keeps the order of
/// equal elements, including the signs of zeros and the bits of NaNs. A partition puts only its
/// ranks in order, with -0 before 0. Lines of few runs are merged.
///
/// Panics (`bug:`) if shapes or dtypes do not fit.
pub fn run(sort: Sort, operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    let from = &operands[0];
    assert_eq!(from.shape, to.shape, "bug: sorting changes no shape");
    if to.is_empty() {
        return;
    }
    match sort.order {
        Order::Values => {
            assert_eq!(from.dtype, to.dtype, "bug: sorting changes no dtype");
            match from.dtype {
                DType::C64 | DType::C128 => positions::sort_complex(sort, from, to, pool),
                dtype => match dtype.size() {
                    1 => values::sort::<u8>(sort, from, to, pool),
                    2 => values::sort::<u16>(sort, from, to, pool),
                    4 => values::sort::<u32>(sort, from, to, pool),
                    _ => values::sort::<u64>(sort, from, to, pool),
                },
            }
        }
        Order::Positions => {
            assert_eq!(to.dtype, DType::I64, "bug: positions are i64");
            positions::sort(sort, from, to, pool);
        }
        Order::Packed => {
            let extent = to.shape[usize::from(sort.axis)];
            assert!(Order::is_packed(from.dtype, extent), "bug: {} is packed", from.dtype);
            assert_eq!(to.dtype, DType::U64, "bug: orders with positions are u64");
            positions::sort(sort, from, to, pool);
        }
        Order::Unpacked => {
            assert_eq!(
                (from.dtype, to.dtype),
                (DType::U64, DType::I64),
                "bug: packed positions are u64, and positions are i64"
            );
            positions::unpack(sort, from, to, pool);
        }
    }
}
