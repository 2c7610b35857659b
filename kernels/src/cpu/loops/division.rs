//! Division of integers in vector registers, by multiplication if the divisors are equal, or else
//! by division of floating-point numbers.
//!
//! No processor divides vectors of integers. A quotient of integers a and b whose magnitudes are
//! below 2^p, divided in a format of p bits of precision and truncated, is exact: a / b is either
//! an integer or at least 1 / |b| away from the next one, and the rounding error is smaller.
//! Integers of 64 bits are divided in this way if all integers of a stretch are below 2^53; where
//! vectors of them are converted by one instruction, also if the divisors are equal.

use super::driver::{Loop, STRETCH, staged_pair};
use super::equal_divisors::{Divided, Multiplication, Part, divided_by, equal};
use super::integer::Integer;
use crate::cpu::instructions::for_each_level;
use phalanx_device::instructions::Level;
use phalanx_ops::DType;
use std::mem::MaybeUninit;

/// An integer that is divided as a floating-point number.
pub(super) trait Division: Integer + Multiplication {
    /// Whether some integers are too large for that.
    const MAY_NOT_FIT: bool;

    /// Whether the integer is not too large.
    fn fits(self) -> bool;
    /// The results for integers that fit. What is not used costs nothing: the compiler removes it.
    fn divided(self, divisor: Self) -> Divided<Self>;
}

/// Quotient and remainder of a truncated division; the divisor is not 0, and not -1.
macro_rules! truncated {
    ($a:expr, $divisor:expr, $type:ty, $float:ty, $converted:ty) => {{
        let (a, divisor) = ($a, $divisor);
        let exact = a as $float / divisor as $float;
        // SAFETY: the quotient is no larger than `a`, which has the type of the result.
        let quotient = unsafe { exact.to_int_unchecked::<$converted>() } as $type;
        (quotient, a.wrapping_sub(quotient.wrapping_mul(divisor)))
    }};
}

macro_rules! unsigned {
    ($($type:ty, $float:ty, $converted:ty, $fits:expr);*) => {$(
        impl Division for $type {
            const MAY_NOT_FIT: bool = <$type>::BITS == 64;

            #[inline(always)]
            fn fits(self) -> bool {
                $fits(self)
            }

            #[inline(always)]
            fn divided(self, divisor: Self) -> Divided<Self> {
                let safe = if divisor == 0 { 1 } else { divisor };
                let (quotient, left) = truncated!(self, safe, $type, $float, $converted);
                let floor = if divisor == 0 { 0 } else { quotient };
                Divided { floor, remainder: left, fmod: left }
            }
        }
    )*};
}

macro_rules! signed {
    ($($type:ty, $float:ty, $converted:ty, $fits:expr);*) => {$(
        impl Division for $type {
            const MAY_NOT_FIT: bool = <$type>::BITS == 64;

            #[inline(always)]
            fn fits(self) -> bool {
                $fits(self)
            }

            #[inline(always)]
            fn divided(self, divisor: Self) -> Divided<Self> {
                let is_special = (divisor == 0) | (divisor == -1);
                let safe = if is_special { 1 } else { divisor };
                let (quotient, left) = truncated!(self, safe, $type, $float, $converted);
                let is_above = (left != 0) & ((left < 0) != (safe < 0));
                let special = if divisor == 0 { 0 } else { self.wrapping_neg() };
                Divided {
                    // Checks of overflow would keep the loop out of vector registers.
                    floor: if is_special {
                        special
                    } else {
                        quotient.wrapping_sub(is_above as $type)
                    },
                    remainder: if is_above { left.wrapping_add(safe) } else { left },
                    fmod: left,
                }
            }
        }
    )*};
}

/// Magnitudes below this are exact in f64.
const EXACT: u64 = 1 << 53;

unsigned! {
    u8, f32, i32, |_| true;
    u16, f32, i32, |_| true;
    u32, f64, u32, |_| true;
    u64, f64, i64, |value| value < EXACT
}
signed! {
    i8, f32, i32, |_| true;
    i16, f32, i32, |_| true;
    i32, f64, i32, |_| true;
    i64, f64, i64, |value: i64| (value as u64).wrapping_add(EXACT - 1) < 2 * EXACT - 1
}

/// The loop of a division; `None` if the dtype is no integer.
pub(super) fn division<P: Part>(dtype: DType) -> Option<Loop> {
    Some(match dtype {
        DType::U8 => run::<u8, P> as Loop,
        DType::U16 => run::<u16, P>,
        DType::U32 => run::<u32, P>,
        DType::U64 => run::<u64, P>,
        DType::I8 => run::<i8, P>,
        DType::I16 => run::<i16, P>,
        DType::I32 => run::<i32, P>,
        DType::I64 => run::<i64, P>,
        _ => return None,
    })
}

unsafe fn run<T: Division, P: Part>(inputs: &[*const u8], output: *mut u8, count: usize) {
    // SAFETY: the caller's promise.
    unsafe { staged_pair(inputs, output, count, map::<T, P>) };
}

for_each_level! {
    fn map[T: Division, P: Part][T, P](a: &[T], b: &[T], out: &mut [MaybeUninit<T>]) {
        let by = equal(b).map(T::reciprocal_of);
        // Only AVX-512 converts vectors of integers of 64 bits. It then divides those that fit in
        // less time than it multiplies them by halves.
        let converts = Level::current() == Level::Avx512;
        if let Some(by) = by
            && !(T::MAY_NOT_FIT && converts)
        {
            return divided_by::<T, P>(a, by, out);
        }
        let rows = a.chunks(STRETCH).zip(b.chunks(STRETCH)).zip(out.chunks_mut(STRETCH));
        for ((a, b), out) in rows {
            let fits = |values: &[T]| values.iter().fold(true, |fits, value| fits & value.fits());
            if !T::MAY_NOT_FIT || (fits(a) && fits(b)) {
                for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
                    out.write(P::of_divided(a.divided(b)));
                }
            } else if let Some(by) = by {
                divided_by::<T, P>(a, by, out);
            } else {
                for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
                    out.write(P::of(a, b));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::loops::equal_divisors::Floor;
    use crate::cpu::loops::equal_divisors::tests::{check_parts, numbers};

    fn check<T: Division + PartialEq + std::fmt::Debug>(numbers: &[T]) {
        for &a in numbers {
            for &b in numbers {
                if T::MAY_NOT_FIT && !(a.fits() && b.fits()) {
                    continue;
                }
                check_parts(a.divided(b), a, b);
            }
        }
    }

    #[test]
    fn quotients_by_floating_point_numbers_are_those_of_integers() {
        macro_rules! check {
            ($($type:ty),*) => {$(
                let all: Vec<$type> =
                    numbers().filter_map(|number| <$type>::try_from(number).ok()).collect();
                check(&all);
            )*};
        }
        check!(u8, u16, u32, u64, i8, i16, i32, i64);
        check(&(i8::MIN..=i8::MAX).collect::<Vec<_>>());
        check(&(u8::MIN..=u8::MAX).collect::<Vec<_>>());
    }

    #[test]
    fn stretches_with_large_integers_are_divided_as_integers() {
        let large = [i64::MIN, i64::MAX, -1, 0, 3];
        let a: Vec<i64> =
            (0..1000).map(|at| if at < 600 { at } else { large[at as usize % 5] }).collect();
        let b: Vec<i64> =
            (0..1000).map(|at| large[(at as usize / 5) % 5].wrapping_add(at % 2)).collect();
        let mut found = vec![0i64; 1000];
        let code = division::<Floor>(DType::I64).expect("integers are divided");
        // SAFETY: three arrays of 1,000 elements.
        unsafe { code(&[a.as_ptr().cast(), b.as_ptr().cast()], found.as_mut_ptr().cast(), 1000) };
        let expected: Vec<i64> = a.iter().zip(&b).map(|(&a, &b)| a.floor_divide(b)).collect();
        assert_eq!(found, expected);
    }
}
