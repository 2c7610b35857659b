//! Powers of integers, by vector registers where stretches have one exponent.

use super::driver::{Loop, STRETCH, integers, staged_pair};
use super::integer::Integer;
use crate::cpu::instructions::for_each_level;
use phalanx_ops::DType;
use std::mem::MaybeUninit;

/// Products and bits of an exponent.
trait Exponent: Integer {
    fn product(self, other: Self) -> Self;
    /// The exponent, if it is not negative.
    fn bits(self) -> Option<u64>;
    const ONE: Self;
}

macro_rules! exponent {
    ($($type:ty),*) => {$(
        impl Exponent for $type {
            const ONE: $type = 1;

            #[inline(always)]
            fn product(self, other: $type) -> $type {
                self.wrapping_mul(other)
            }

            #[inline(always)]
            fn bits(self) -> Option<u64> {
                u64::try_from(self).ok()
            }
        }
    )*};
}

exponent!(i8, i16, i32, i64, u8, u16, u32, u64);

/// The loop of `Integer::power`; `None` if the dtype is no integer.
pub(super) fn integer_power(dtype: DType) -> Option<Loop> {
    integers!(dtype, T => run::<T> as Loop)
}

unsafe fn run<T: Exponent>(inputs: &[*const u8], output: *mut u8, count: usize) {
    // SAFETY: the caller's promise.
    unsafe { staged_pair(inputs, output, count, map::<T>) };
}

for_each_level! {
    fn map[T: Exponent][T](a: &[T], b: &[T], out: &mut [MaybeUninit<T>]) {
        let rows = a.chunks(STRETCH).zip(b.chunks(STRETCH)).zip(out.chunks_mut(STRETCH));
        for ((a, b), out) in rows {
            let first = b[0];
            let is_one = b.iter().fold(true, |is_one, &exponent| is_one & (exponent == first));
            match first.bits().filter(|_| is_one) {
                Some(exponent) => uniform(a, exponent, out),
                None => {
                    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
                        out.write(a.power(b));
                    }
                }
            }
        }
    }
}

/// Powers by squaring, all elements at once.
#[inline(always)]
fn uniform<T: Exponent>(a: &[T], exponent: u64, out: &mut [MaybeUninit<T>]) {
    let (mut bases, mut powers) = ([T::ONE; STRETCH], [T::ONE; STRETCH]);
    let (bases, powers) = (&mut bases[..a.len()], &mut powers[..a.len()]);
    bases.copy_from_slice(a);
    let mut left = exponent;
    while left != 0 {
        if left & 1 != 0 {
            for (power, &base) in powers.iter_mut().zip(bases.iter()) {
                *power = power.product(base);
            }
        }
        left >>= 1;
        if left != 0 {
            for base in bases.iter_mut() {
                *base = base.product(*base);
            }
        }
    }
    for (out, &power) in out.iter_mut().zip(powers.iter()) {
        out.write(power);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_by_one_exponent_are_those_of_each_element() {
        let a: Vec<i64> = (0..700).map(|at| at * at * 7_919 - 300_000).collect();
        for exponent in [-1, 0, 1, 2, 3, 5, 62, 63, i64::MAX] {
            let mut b = vec![exponent; 700];
            b[699] = 3;
            let mut found = vec![0i64; 700];
            let code = integer_power(DType::I64).expect("integers have powers");
            // SAFETY: three arrays of 700 elements.
            unsafe {
                code(&[a.as_ptr().cast(), b.as_ptr().cast()], found.as_mut_ptr().cast(), 700)
            };
            let expected: Vec<i64> =
                a.iter().zip(&b).map(|(&a, &b)| Integer::power(a, b)).collect();
            assert_eq!(found, expected, "power {exponent}");
        }
    }
}
