//! Combinations that keep the running result in a register: sums, products, minima and maxima.
//!
//! Conditions under which they may be called, to which `SAFETY` comments refer:
//!
//! 1. All elements that a function is documented to touch belong to blocks and have the dtype.
//! 2. Nothing else touches them meanwhile; the elements read and the elements written do not
//!    overlap.

use half::{bf16, f16};
use num_complex::{Complex32, Complex64};
use phalanx_ops::{DType, Op};

/// The functions of an operation and a dtype.
#[derive(Clone, Copy)]
pub(in crate::structured) struct Typed {
    /// Combines each of `extent` rows of `width` elements, except the first, with the rows before
    /// it. Rows are `stride` elements apart, in `from` and in `to`; the first row of `to` is given.
    pub scan: unsafe fn(from: *const u8, to: *mut u8, extent: usize, stride: usize, width: usize),
    /// Combines `count` elements, at least one, from left to right into the one at `to`.
    pub fold: unsafe fn(from: *const u8, to: *mut u8, count: usize),
    /// Combines the element of `to` at each position with a value, in order. `to` has `extent`
    /// elements, the first at the position `first`; positions outside of them are skipped. There
    /// are as many values as positions.
    pub put:
        unsafe fn(values: *const u8, positions: &[i64], to: *mut u8, first: i64, extent: usize),
}

impl Typed {
    /// The functions, if they are faster than the loops of the elementwise table.
    pub(in crate::structured) fn of(op: Op, dtype: DType) -> Option<Typed> {
        macro_rules! by_type {
            ($($($variant:ident)|+ $type:ty, $f:expr;)*) => {
                match dtype {
                    $($(DType::$variant)|+ => Some(typed::<$type, _>($f)),)*
                    #[allow(unreachable_patterns, reason = "some operations have all dtypes")]
                    _ => None,
                }
            };
        }
        match op {
            Op::Add => by_type! {
                Bool u8, |a, b| a | b;
                I8 | U8 u8, u8::wrapping_add;
                I16 | U16 u16, u16::wrapping_add;
                I32 | U32 u32, u32::wrapping_add;
                I64 | U64 u64, u64::wrapping_add;
                F16 f16, |a, b| f16::from_f32(a.to_f32() + b.to_f32());
                BF16 bf16, |a, b| bf16::from_f32(a.to_f32() + b.to_f32());
                F32 f32, |a, b| a + b;
                F64 f64, |a, b| a + b;
                C64 Complex32, |a, b| a + b;
                C128 Complex64, |a, b| a + b;
            },
            Op::Multiply => by_type! {
                Bool u8, |a, b| a & b;
                I8 | U8 u8, u8::wrapping_mul;
                I16 | U16 u16, u16::wrapping_mul;
                I32 | U32 u32, u32::wrapping_mul;
                I64 | U64 u64, u64::wrapping_mul;
                F16 f16, |a, b| f16::from_f32(a.to_f32() * b.to_f32());
                BF16 bf16, |a, b| bf16::from_f32(a.to_f32() * b.to_f32());
                F32 f32, |a, b| a * b;
                F64 f64, |a, b| a * b;
                C64 Complex32, |a, b| a * b;
                C128 Complex64, |a, b| a * b;
            },
            Op::Maximum => by_type! {
                I8 i8, i8::max; I16 i16, i16::max; I32 i32, i32::max; I64 i64, i64::max;
                Bool | U8 u8, u8::max; U16 u16, u16::max; U32 u32, u32::max; U64 u64, u64::max;
                F16 f16, |a, b| if a >= b || a.is_nan() { a } else { b };
                BF16 bf16, |a, b| if a >= b || a.is_nan() { a } else { b };
                F32 f32, |a, b| if a >= b || a.is_nan() { a } else { b };
                F64 f64, |a, b| if a >= b || a.is_nan() { a } else { b };
            },
            Op::Minimum => by_type! {
                I8 i8, i8::min; I16 i16, i16::min; I32 i32, i32::min; I64 i64, i64::min;
                Bool | U8 u8, u8::min; U16 u16, u16::min; U32 u32, u32::min; U64 u64, u64::min;
                F16 f16, |a, b| if a <= b || a.is_nan() { a } else { b };
                BF16 bf16, |a, b| if a <= b || a.is_nan() { a } else { b };
                F32 f32, |a, b| if a <= b || a.is_nan() { a } else { b };
                F64 f64, |a, b| if a <= b || a.is_nan() { a } else { b };
            },
            _ => None,
        }
    }
}

/// A function without captures: its type identifies it.
trait Function<T>: Fn(T, T) -> T + Copy {}
impl<T, F: Fn(T, T) -> T + Copy> Function<T> for F {}

fn typed<T: Copy, F: Function<T>>(_: F) -> Typed {
    const { assert!(size_of::<F>() == 0, "the function captures nothing") };
    Typed { scan: scan::<T, F>, fold: fold::<T, F>, put: put::<T, F> }
}

/// The only value of a function type without captures.
///
/// # Safety
/// `F` has size zero and a value of it has existed.
unsafe fn conjure<F: Copy>() -> F {
    // SAFETY: a value of size zero has no bytes to read, and `F: Copy` lets it exist twice.
    unsafe { std::ptr::NonNull::<F>::dangling().read() }
}

/// # Safety
/// Conditions 1 and 2 of the module.
unsafe fn scan<T: Copy, F: Function<T>>(
    from: *const u8,
    to: *mut u8,
    extent: usize,
    stride: usize,
    width: usize,
) {
    let (from, to) = (from.cast::<T>(), to.cast::<T>());
    // SAFETY: `typed` was given a value of `F`; all positions are below `extent` rows (conditions 1
    // and 2).
    unsafe {
        let f = conjure::<F>();
        if extent == 0 {
            return;
        }
        if width == 1 {
            let mut last = *to;
            for row in 1..extent {
                last = f(last, *from.add(row * stride));
                *to.add(row * stride) = last;
            }
            return;
        }
        for row in 1..extent {
            for at in row * stride..row * stride + width {
                *to.add(at) = f(*to.add(at - stride), *from.add(at));
            }
        }
    }
}

/// # Safety
/// Conditions 1 and 2 of the module.
unsafe fn fold<T: Copy, F: Function<T>>(from: *const u8, to: *mut u8, count: usize) {
    // SAFETY: `typed` was given a value of `F`; conditions 1 and 2.
    unsafe {
        let f = conjure::<F>();
        let elements = std::slice::from_raw_parts(from.cast::<T>(), count);
        let (&first, rest) = elements.split_first().expect("bug: a stretch without elements");
        *to.cast::<T>() = rest.iter().fold(first, |last, &element| f(last, element));
    }
}

/// # Safety
/// Conditions 1 and 2 of the module.
unsafe fn put<T: Copy, F: Function<T>>(
    values: *const u8,
    positions: &[i64],
    to: *mut u8,
    first: i64,
    extent: usize,
) {
    // SAFETY: `typed` was given a value of `F`; conditions 1 and 2.
    let (f, values, to) = unsafe {
        (
            conjure::<F>(),
            std::slice::from_raw_parts(values.cast::<T>(), positions.len()),
            std::slice::from_raw_parts_mut(to.cast::<T>(), extent),
        )
    };
    for (&position, &value) in positions.iter().zip(values) {
        if let Some(element) = to.get_mut(position.wrapping_sub(first) as u64 as usize) {
            *element = f(*element, value);
        }
    }
}
