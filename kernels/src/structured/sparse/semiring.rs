//! The semirings of products of sparse matrices, on the CPU.
//!
//! The ordinary product has code of its own for each dtype. The others of a dtype share code that
//! decides for each row what to do: code for each of them made all kernels a sixth larger.

use super::rows::Column;
use super::value::{Bool, Value};
use half::{bf16, f16};
use phalanx_ops::structured::Semiring;
use std::marker::PhantomData;

/// How values are multiplied, and how their products are combined.
pub(super) trait Ring: Copy + Sync {
    /// The type of values.
    type Value: Value;

    /// The combination of no products.
    fn zero(self) -> Sum<Self>;

    /// The combination of a sum and the product of two values.
    fn add_product(self, sum: Sum<Self>, value: Self::Value, x: Self::Value) -> Sum<Self>;

    /// The combination of the products of values and the elements of `x` at their columns.
    #[inline(always)]
    fn dot<C: Column>(self, columns: &[C], values: &[Self::Value], x: &[Self::Value]) -> Sum<Self> {
        columns.iter().zip(values).fold(self.zero(), |sum, (column, &value)| {
            let x = usize::try_from(column.number()).ok().and_then(|column| x.get(column));
            x.map_or(sum, |&x| self.add_product(sum, value, x))
        })
    }

    /// Combines sums and the products of a value and a row.
    #[inline(always)]
    fn add_row(self, sums: &mut [Sum<Self>], value: Self::Value, x: &[Self::Value]) {
        for (sum, &x) in sums.iter_mut().zip(x) {
            *sum = self.add_product(*sum, value, x);
        }
    }

    /// As `add_row`, for elements whose sums are at the places of their columns.
    #[inline(always)]
    fn add_at<C: Column>(
        self,
        sums: &mut [Sum<Self>],
        value: Self::Value,
        columns: &[C],
        x: &[Self::Value],
        mut place: impl FnMut(C) -> Option<u32>,
    ) {
        for (&column, &x) in columns.iter().zip(x) {
            if let Some(at) = place(column) {
                let sum = &mut sums[at as usize];
                *sum = self.add_product(*sum, value, x);
            }
        }
    }
}

/// The type of the combinations of a semiring.
pub(super) type Sum<R> = <<R as Ring>::Value as Value>::Sum;

/// The sum of products.
#[derive(Clone, Copy)]
pub(super) struct PlusTimes<T>(PhantomData<T>);

impl<T: Value> PlusTimes<T> {
    pub fn new(_: Semiring) -> Self {
        PlusTimes(PhantomData)
    }
}

impl<T: Value> Ring for PlusTimes<T> {
    type Value = T;

    #[inline(always)]
    fn zero(self) -> T::Sum {
        T::ZERO
    }

    #[inline(always)]
    fn add_product(self, sum: T::Sum, value: T, x: T) -> T::Sum {
        T::add(sum, T::multiply(value, x))
    }
}

/// Values that have an order, to which NaN does not belong: it wins against every number.
pub(super) trait Ordered: Value {
    /// The least and the greatest sum.
    const ENDS: [Self::Sum; 2];

    /// The smaller sum; of equal ones the first.
    fn min(sum: Self::Sum, other: Self::Sum) -> Self::Sum;

    /// The larger sum; of equal ones the first.
    fn max(sum: Self::Sum, other: Self::Sum) -> Self::Sum;
}

macro_rules! ordered {
    ($($type:ty, $least:expr, $greatest:expr, |$a:ident, $b:ident| $min:expr, $max:expr;)*) => {
        $(impl Ordered for $type {
            const ENDS: [Self::Sum; 2] = [$least, $greatest];

            #[inline(always)]
            fn min($a: Self::Sum, $b: Self::Sum) -> Self::Sum {
                $min
            }

            #[inline(always)]
            fn max($a: Self::Sum, $b: Self::Sum) -> Self::Sum {
                $max
            }
        })*
    };
}

macro_rules! integers {
    ($($type:ident),*) => {
        ordered! { $($type, $type::MIN, $type::MAX, |a, b| Ord::min(a, b), Ord::max(a, b);)* }
    };
}
integers!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! floats {
    ($($type:ty as $sum:ident),*) => {
        ordered! { $(
            $type, $sum::NEG_INFINITY, $sum::INFINITY,
            |a, b| if a <= b || a.is_nan() { a } else { b },
            if a >= b || a.is_nan() { a } else { b };
        )* }
    };
}
floats!(f16 as f32, bf16 as f32, f32 as f32, f64 as f64);

ordered! { Bool, Bool::FALSE, Bool::TRUE, |a, b| Bool::multiply(a, b), Bool::add(a, b); }

macro_rules! extremes {
    ($($name:ident $end:literal |$value:ident, $x:ident| $product:expr, $add:ident;)*) => {
        $(
            /// The semiring of the same name.
            #[derive(Clone, Copy)]
            pub(super) struct $name<T>(PhantomData<T>);

            impl<T: Ordered> Ring for $name<T> {
                type Value = T;

                #[inline(always)]
                fn zero(self) -> T::Sum {
                    T::ENDS[$end]
                }

                #[inline(always)]
                fn add_product(self, sum: T::Sum, $value: T, $x: T) -> T::Sum {
                    T::$add(sum, $product)
                }
            }
        )*

        /// A semiring whose sums are least or greatest products.
        #[derive(Clone, Copy)]
        pub(super) enum Extreme<T> { $($name($name<T>)),* }

        impl<T: Ordered> Extreme<T> {
            pub fn new(semiring: Semiring) -> Self {
                match semiring {
                    $(Semiring::$name => Extreme::$name($name(PhantomData)),)*
                    Semiring::PlusTimes | Semiring::OrAnd => unreachable!("bug: {semiring}"),
                }
            }
        }

        impl<T: Ordered> Ring for Extreme<T> {
            type Value = T;

            #[inline(always)]
            fn zero(self) -> T::Sum {
                match self { $(Extreme::$name(ring) => ring.zero()),* }
            }

            #[inline(always)]
            fn add_product(self, sum: T::Sum, value: T, x: T) -> T::Sum {
                match self { $(Extreme::$name(ring) => ring.add_product(sum, value, x)),* }
            }

            #[inline(always)]
            fn dot<C: Column>(self, columns: &[C], values: &[T], x: &[T]) -> T::Sum {
                match self { $(Extreme::$name(ring) => ring.dot(columns, values, x)),* }
            }

            // Not for each type of columns.
            #[inline(never)]
            fn add_row(self, sums: &mut [T::Sum], value: T, x: &[T]) {
                match self { $(Extreme::$name(ring) => ring.add_row(sums, value, x)),* }
            }

            #[inline(always)]
            fn add_at<C: Column>(
                self,
                sums: &mut [T::Sum],
                value: T,
                columns: &[C],
                x: &[T],
                place: impl FnMut(C) -> Option<u32>,
            ) {
                match self {
                    $(Extreme::$name(ring) => ring.add_at(sums, value, columns, x, place)),*
                }
            }
        }
    };
}

extremes! {
    MinPlus 1 |value, x| T::add(value.widen(), x.widen()), min;
    MaxPlus 0 |value, x| T::add(value.widen(), x.widen()), max;
    MinTimes 1 |value, x| T::multiply(value, x), min;
    MaxTimes 0 |value, x| T::multiply(value, x), max;
    MinMax 1 |value, x| T::max(value.widen(), x.widen()), min;
    MaxMin 0 |value, x| T::min(value.widen(), x.widen()), max;
}

/// Runs an expression in which a name is a semiring for values of a dtype, which it accepts.
macro_rules! by_ring {
    ($semiring:expr, $dtype:expr, $ring:ident => $body:expr) => {{
        use $crate::structured::sparse::semiring::{Extreme, PlusTimes};
        use $crate::structured::sparse::value::{by_real, by_value};
        use phalanx_ops::structured::Semiring;
        match $semiring {
            // Bools are added by "or" and multiplied by "and".
            Semiring::PlusTimes | Semiring::OrAnd => by_value!($dtype, T => {
                let $ring = PlusTimes::<T>::new($semiring);
                $body
            }),
            Semiring::MinPlus
            | Semiring::MaxPlus
            | Semiring::MinTimes
            | Semiring::MaxTimes
            | Semiring::MinMax
            | Semiring::MaxMin => by_real!($dtype, T => {
                let $ring = Extreme::<T>::new($semiring);
                $body
            }),
        }
    }};
}
pub(super) use by_ring;
