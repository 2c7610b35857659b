//! How the loops of this module combine two elements, and what they combine of pairs.

use std::ops::{Mul, Sub};

/// The loop of a monoid and a dtype, as an `Option`: `$run` for the component type, the number of
/// components of an element, `$width` elements at a time, and the operation.
macro_rules! loop_of {
    ($monoid:expr, $dtype:expr, $run:ident: $loop:ty, $width:ident) => {{
        use crate::cpu::folds::operation::{Both, Either, Largest, Product, Smallest, Sum};
        use phalanx_ops::{DType, Monoid};
        macro_rules! of {
            ($type:ty, $parts:literal, $operation:ident) => {
                Some($run::<$type, $parts, { $parts * $width::<$type>() }, $operation> as $loop)
            };
        }
        macro_rules! by_dtype {
            ($operation:ident) => {
                match $dtype {
                    DType::F32 => of!(f32, 1, $operation),
                    DType::F64 => of!(f64, 1, $operation),
                    DType::I8 => of!(i8, 1, $operation),
                    DType::I16 => of!(i16, 1, $operation),
                    DType::I32 => of!(i32, 1, $operation),
                    DType::I64 => of!(i64, 1, $operation),
                    DType::U8 => of!(u8, 1, $operation),
                    DType::U16 => of!(u16, 1, $operation),
                    DType::U32 => of!(u32, 1, $operation),
                    DType::U64 => of!(u64, 1, $operation),
                    _ => None,
                }
            };
        }
        match ($monoid, $dtype) {
            // The components of complex numbers are summed separately.
            (Monoid::Add, DType::C64) => of!(f32, 2, Sum),
            (Monoid::Add, DType::C128) => of!(f64, 2, Sum),
            (Monoid::Add | Monoid::Any, DType::Bool) => of!(u8, 1, Either),
            (Monoid::Multiply | Monoid::All, DType::Bool) => of!(u8, 1, Both),
            (Monoid::Max, DType::Bool) => of!(u8, 1, Largest),
            (Monoid::Min, DType::Bool) => of!(u8, 1, Smallest),
            (Monoid::Add, _) => by_dtype!(Sum),
            (Monoid::Multiply, _) => by_dtype!(Product),
            (Monoid::Max, _) => by_dtype!(Largest),
            (Monoid::Min, _) => by_dtype!(Smallest),
            _ => None,
        }
    }};
}

pub(super) use loop_of;

/// The loop that sums narrow integers of one dtype in 64 bits of another, as an `Option`: `$run`
/// for the type of the narrow integers.
macro_rules! narrow_loop_of {
    ($from:expr, $to:expr, $run:ident) => {
        match ($from, $to) {
            (DType::Bool | DType::U8, DType::I64 | DType::U64) => Some($run::<u8>),
            (DType::I8, DType::I64) => Some($run::<i8>),
            (DType::U16, DType::I64 | DType::U64) => Some($run::<u16>),
            (DType::I16, DType::I64) => Some($run::<i16>),
            (DType::U32, DType::I64 | DType::U64) => Some($run::<u32>),
            (DType::I32, DType::I64) => Some($run::<i32>),
            _ => None,
        }
    };
}

pub(super) use narrow_loop_of;

/// How two elements are combined.
pub(super) trait Operation<T> {
    /// Whether `combine_numbers` does not accept NaN.
    const NAN_DIFFERS: bool = false;

    fn combine(left: T, right: T) -> T;

    /// As `combine` of elements that are no NaN.
    #[inline(always)]
    fn combine_numbers(left: T, right: T) -> T {
        Self::combine(left, right)
    }
}

/// What is combined of a pair of elements.
pub(super) trait Term<F, T> {
    fn term(element: F, other: F) -> T;
}

/// The first element.
pub(super) struct Plain;
/// The product of both.
pub(super) struct Scaled;
/// The square of their difference.
pub(super) struct Gap;

impl<T> Term<T, T> for Plain {
    #[inline(always)]
    fn term(element: T, _: T) -> T {
        element
    }
}

impl<T: Mul<Output = T>> Term<T, T> for Scaled {
    #[inline(always)]
    fn term(element: T, other: T) -> T {
        element * other
    }
}

impl<T: Copy + Sub<Output = T> + Mul<Output = T>> Term<T, T> for Gap {
    #[inline(always)]
    fn term(element: T, other: T) -> T {
        let gap = element - other;
        gap * gap
    }
}

macro_rules! narrow {
    ($($type:ty),*) => {$(
        impl Term<$type, i64> for Plain {
            #[inline(always)]
            fn term(element: $type, _: $type) -> i64 {
                i64::from(element)
            }
        }
    )*};
}

narrow!(u8, i8, u16, i16, u32, i32);

pub(super) struct Sum;
pub(super) struct Product;
pub(super) struct Largest;
pub(super) struct Smallest;
/// Logical or.
pub(super) struct Either;
/// Logical and.
pub(super) struct Both;

macro_rules! floats {
    ($($type:ty),*) => {$(
        impl Operation<$type> for Sum {
            #[inline(always)]
            fn combine(left: $type, right: $type) -> $type {
                left + right
            }
        }

        impl Operation<$type> for Product {
            #[inline(always)]
            fn combine(left: $type, right: $type) -> $type {
                left * right
            }
        }

        impl Operation<$type> for Largest {
            const NAN_DIFFERS: bool = true;

            #[inline(always)]
            fn combine(left: $type, right: $type) -> $type {
                if left >= right || left.is_nan() { left } else { right }
            }

            #[inline(always)]
            fn combine_numbers(left: $type, right: $type) -> $type {
                if right > left { right } else { left }
            }
        }

        impl Operation<$type> for Smallest {
            const NAN_DIFFERS: bool = true;

            #[inline(always)]
            fn combine(left: $type, right: $type) -> $type {
                if left <= right || left.is_nan() { left } else { right }
            }

            #[inline(always)]
            fn combine_numbers(left: $type, right: $type) -> $type {
                if right < left { right } else { left }
            }
        }
    )*};
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Operation<$type> for Sum {
            #[inline(always)]
            fn combine(left: $type, right: $type) -> $type {
                left.wrapping_add(right)
            }
        }

        impl Operation<$type> for Product {
            #[inline(always)]
            fn combine(left: $type, right: $type) -> $type {
                left.wrapping_mul(right)
            }
        }

        impl Operation<$type> for Largest {
            #[inline(always)]
            fn combine(left: $type, right: $type) -> $type {
                left.max(right)
            }
        }

        impl Operation<$type> for Smallest {
            #[inline(always)]
            fn combine(left: $type, right: $type) -> $type {
                left.min(right)
            }
        }
    )*};
}

floats!(f32, f64);
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Operation<u8> for Either {
    #[inline(always)]
    fn combine(left: u8, right: u8) -> u8 {
        u8::from(left | right != 0)
    }
}

impl Operation<u8> for Both {
    #[inline(always)]
    fn combine(left: u8, right: u8) -> u8 {
        u8::from(left != 0) & u8::from(right != 0)
    }
}
