//! How elements are combined: by the loops of the elementwise table, or by faster functions.

use super::typed::Typed;
use crate::cpu::loops::{Loop, cast, elementwise};
use crate::structured::combining::has_loop;
use phalanx_ops::{DType, Op};

/// Elements of half types that are widened at a time.
const STRETCH: usize = 256;

/// An operation from two elements of a dtype to one of the same dtype.
#[derive(Clone, Copy)]
pub(in crate::structured) struct Combination {
    by_loop: Loop,
    /// For half types that are computed by the loop of `f32`: the casts to it and back.
    casts: Option<[Loop; 2]>,
    /// Bytes of an element.
    pub size: usize,
    /// Whether elements may be combined in another order than from left to right.
    pub is_free: bool,
    /// Faster functions, for some operations.
    pub typed: Option<Typed>,
}

impl Combination {
    /// Panics (`bug:`) if the operation has no such loop.
    pub(in crate::structured) fn of(op: Op, dtype: DType) -> Combination {
        assert!(has_loop(op, dtype), "bug: {op} of {dtype} does not give {dtype}");
        let (by_loop, casts) = match elementwise(op, &[dtype; 2]) {
            Some(own) => (own, None),
            None => (
                elementwise(op, &[DType::F32; 2])
                    .unwrap_or_else(|| unreachable!("bug: {op} has no loop of f32")),
                Some([cast(dtype, DType::F32), cast(DType::F32, dtype)]),
            ),
        };
        Combination {
            by_loop,
            casts,
            size: dtype.size(),
            is_free: op.is_free(dtype),
            typed: Typed::of(op, dtype),
        }
    }

    /// `to[i] = op(a[i], b[i])` for `i < count`.
    ///
    /// # Safety
    /// The conditions of `cpu::loops`: all three have `count` elements of the dtype; an operand is
    /// the result itself or does not overlap it.
    pub(in crate::structured) unsafe fn apply(
        &self,
        a: *const u8,
        b: *const u8,
        to: *mut u8,
        count: usize,
    ) {
        let Some([widen, narrow]) = self.casts else {
            // SAFETY: the caller's promise.
            return unsafe { (self.by_loop)(&[a, b], to, count) };
        };
        let mut wide = [[0f32; STRETCH]; 3];
        let [wide_a, wide_b, wide_to] = &mut wide;
        for start in (0..count).step_by(STRETCH) {
            let (count, offset) = (STRETCH.min(count - start), start * self.size);
            // SAFETY: the stretch is inside the caller's elements, and fits the three arrays.
            unsafe {
                widen(&[a.add(offset)], wide_a.as_mut_ptr().cast(), count);
                widen(&[b.add(offset)], wide_b.as_mut_ptr().cast(), count);
                let operands = [wide_a.as_ptr().cast(), wide_b.as_ptr().cast()];
                (self.by_loop)(&operands, wide_to.as_mut_ptr().cast(), count);
                narrow(&[wide_to.as_ptr().cast()], to.add(offset), count);
            }
        }
    }
}
