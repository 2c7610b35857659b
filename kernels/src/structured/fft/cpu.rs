//! Fourier transforms on the CPU by the plans of `phalanx-numerics`. A transform is computed in the
//! precision of its elements and each line separately, so the result depends neither on the
//! sharding of a value nor on the number of threads.

use super::check::check;
use super::lines::{Line, Lines};
use crate::structured::{Block, Plain};
use num_complex::Complex;
use phalanx_numerics::fft::{Direction, Precision};
use phalanx_ops::DType;
use phalanx_ops::structured::{Fft, Transform};

/// Transforms the lines of a block along an axis.
///
/// In a real inverse transform, imaginary parts that must be 0 are taken as 0. Lines without
/// elements give zeros. Panics (`bug:`) if shapes or dtypes do not fit.
pub fn run(fft: &Fft, operands: &[Block<'_>], to: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
    let from = &operands[0];
    let axis = usize::from(fft.axis);
    check(fft, from, to);
    if to.is_empty() {
        return;
    }
    match to.dtype.real() {
        DType::F32 => typed::<f32>(fft.transform, from, to, axis, pool),
        DType::F64 => typed::<f64>(fft.transform, from, to, axis, pool),
        other => unreachable!("bug: a transform of components of {other}"),
    }
}

fn typed<T: Precision + Plain>(
    transform: Transform,
    from: &Block<'_>,
    to: &Block<'_>,
    axis: usize,
    pool: Option<&rayon::ThreadPool>,
) where
    Complex<T>: Plain,
{
    match transform {
        Transform::Forward => complex::<T>(Direction::Forward, from, to, axis, pool),
        Transform::Inverse => complex::<T>(Direction::Inverse, from, to, axis, pool),
        Transform::RealForward => {
            let zero = (T::zero(), Complex::new(T::zero(), T::zero()));
            Lines::new(from, to, axis).run(zero, pool, || {
                let plan = T::plan_real_forward(from.shape[axis]);
                let mut scratch = plan.make_scratch_vec();
                move |line: Line<'_, T, Complex<T>>| {
                    plan.process_with_scratch(line.from, line.to, &mut scratch)
                        .expect("bug: lengths of a real transform");
                }
            });
        }
        Transform::RealInverse { .. } => {
            let zero = (Complex::new(T::zero(), T::zero()), T::zero());
            let extent = to.shape[axis];
            Lines::new(from, to, axis).run(zero, pool, || {
                let plan = T::plan_real_inverse(extent);
                let mut scratch = plan.make_scratch_vec();
                move |line: Line<'_, Complex<T>, T>| {
                    line.from[0].im = T::zero();
                    if extent.is_multiple_of(2) {
                        line.from[extent / 2].im = T::zero();
                    }
                    plan.process_with_scratch(line.from, line.to, &mut scratch)
                        .expect("bug: lengths of a real transform");
                }
            });
        }
    }
}

fn complex<T: Precision + Plain>(
    direction: Direction,
    from: &Block<'_>,
    to: &Block<'_>,
    axis: usize,
    pool: Option<&rayon::ThreadPool>,
) where
    Complex<T>: Plain,
{
    let zero = Complex::new(T::zero(), T::zero());
    Lines::new(from, to, axis).run((zero, zero), pool, || {
        let plan = T::plan(from.shape[axis], direction);
        let mut scratch = vec![zero; plan.get_outofplace_scratch_len()];
        move |line: Line<'_, Complex<T>, Complex<T>>| {
            plan.process_outofplace_with_scratch(line.from, line.to, &mut scratch);
        }
    });
}
