//! Linear recurrences along lines, on the host: several lines at a time, one in each lane of a
//! vector register. Recurrences that follow each other filter the same few samples in turn, which
//! stay in the cache.

use crate::cpu::instructions::for_each_level;
use crate::structured::lines::{Places, each};
use crate::structured::{Block, Plain};
use num_complex::{Complex32, Complex64};
use phalanx_ops::DType;
use phalanx_ops::structured::{Filtered, Recurrence};
use std::ops::{Add, Mul, Sub};

/// Samples of lines that are copied together, and the side of the squares in which they are.
const SAMPLES: usize = 64;
const TILE: usize = 8;
/// The samples of a thread, at least.
const GRAIN: usize = 1 << 14;

/// A number of signals.
trait Number: Plain + Default + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {}

impl Number for f32 {}
impl Number for f64 {}
impl Number for Complex32 {}
impl Number for Complex64 {}

/// Samples or states of lines that are filtered together.
type Together<T, const LANES: usize> = [T; LANES];

/// Computes the block `to` of the result from the signal, both matrices of coefficients and the
/// states.
pub fn run(
    op: &Recurrence,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    if to.is_empty() {
        return;
    }
    // A step waits for the one before, so two registers of lines are computed at the same time.
    match to.dtype {
        DType::F32 => lines::<f32, 32>(op, operands, to, pool),
        DType::F64 => lines::<f64, 16>(op, operands, to, pool),
        DType::C64 => lines::<Complex32, 8>(op, operands, to, pool),
        DType::C128 => lines::<Complex64, 8>(op, operands, to, pool),
        dtype => unreachable!("bug: a recurrence of {dtype}"),
    }
}

fn lines<T: Number, const LANES: usize>(
    op: &Recurrence,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    // SAFETY: nothing writes the operands meanwhile (condition 2 of `Buffer`).
    let [signal, numerator, denominator, states] =
        [0, 1, 2, 3].map(|operand| unsafe { operands[operand].elements::<T>() });
    let row = operands[1].shape[1];
    let order = row - 1;
    let of_line = operands[1].shape[0] * order;
    let count = states.len() / of_line;
    let length = operands[0].shape.last().copied().unwrap_or(0);
    let out = Places::<T>::of(to);
    let gives_signal = op.gives == Filtered::Signal;
    let grain = GRAIN.div_ceil(LANES * length.max(1));
    each(pool, count.div_ceil(LANES), grain, |part| {
        let mut state = vec![[T::default(); LANES]; of_line];
        let mut samples = [[T::default(); LANES]; SAMPLES];
        for first in part.map(|group| group * LANES) {
            let own = LANES.min(count - first);
            for (k, state) in state.iter_mut().enumerate() {
                *state = [T::default(); LANES];
                (0..own).for_each(|lane| state[lane] = states[(first + lane) * of_line + k]);
            }
            let from = &signal[first * length..][..own * length];
            let written = if gives_signal { own * length } else { 0 };
            // SAFETY: these lines are of this thread alone and in the block (conditions 1 and 2 of
            // `Places`).
            let to = unsafe { std::slice::from_raw_parts_mut(out.at(first * length), written) };
            for start in (0..length).step_by(SAMPLES) {
                let samples = &mut samples[..SAMPLES.min(length - start)];
                across(&from[start..], length, own, samples);
                let rows = numerator.chunks(row).zip(denominator.chunks(row));
                for (state, (b, a)) in state.chunks_mut(order).zip(rows) {
                    match order {
                        1 => advance_few::<T, 1, LANES>(samples, state, b, a),
                        2 => advance_few::<T, 2, LANES>(samples, state, b, a),
                        3 => advance_few::<T, 3, LANES>(samples, state, b, a),
                        4 => advance_few::<T, 4, LANES>(samples, state, b, a),
                        _ => advance_many::<T, LANES>(samples, state, b, a),
                    }
                }
                if gives_signal {
                    along(samples, &mut to[start..], length, own);
                }
            }
            if !gives_signal {
                for (k, state) in state.iter().enumerate() {
                    for (line, &of_lane) in (first..first + own).zip(state) {
                        // SAFETY: as above.
                        unsafe { out.at(line * of_line + k).write(of_lane) };
                    }
                }
            }
        }
    });
}

for_each_level! {
    /// Reads samples of `own` lines, each `length` after the one before.
    fn across[T: Number, const LANES: usize][T, LANES](
        lines: &[T],
        length: usize,
        own: usize,
        samples: &mut [Together<T, LANES>],
    ) {
        let many = samples.len();
        if own < LANES || !many.is_multiple_of(TILE) {
            for (lane, line) in lines.chunks(length).take(own).enumerate() {
                samples.iter_mut().zip(line).for_each(|(sample, &x)| sample[lane] = x);
            }
            return;
        }
        for first in (0..LANES).step_by(TILE) {
            for start in (0..many).step_by(TILE) {
                let mut tile = [[T::default(); TILE]; TILE];
                for (lane, row) in tile.iter_mut().enumerate() {
                    row.copy_from_slice(&lines[(first + lane) * length + start..][..TILE]);
                }
                for (place, sample) in samples[start..start + TILE].iter_mut().enumerate() {
                    let to = &mut sample[first..first + TILE];
                    (0..TILE).for_each(|lane| to[lane] = tile[lane][place]);
                }
            }
        }
    }
}

for_each_level! {
    /// Writes samples of `own` lines, each `length` after the one before.
    fn along[T: Number, const LANES: usize][T, LANES](
        samples: &[Together<T, LANES>],
        lines: &mut [T],
        length: usize,
        own: usize,
    ) {
        let many = samples.len();
        if own < LANES || !many.is_multiple_of(TILE) {
            for (lane, line) in lines.chunks_mut(length).take(own).enumerate() {
                line.iter_mut().zip(samples).for_each(|(y, sample)| *y = sample[lane]);
            }
            return;
        }
        for first in (0..LANES).step_by(TILE) {
            for start in (0..many).step_by(TILE) {
                let mut tile = [[T::default(); TILE]; TILE];
                for (row, sample) in tile.iter_mut().zip(&samples[start..start + TILE]) {
                    row.copy_from_slice(&sample[first..first + TILE]);
                }
                for lane in 0..TILE {
                    let to = &mut lines[(first + lane) * length + start..][..TILE];
                    (0..TILE).for_each(|place| to[place] = tile[place][lane]);
                }
            }
        }
    }
}

/// One sample of each line. Returns the samples of the result.
#[inline(always)]
fn step<T: Number, const LANES: usize>(
    x: Together<T, LANES>,
    state: &mut [Together<T, LANES>],
    b: &[T],
    a: &[T],
) -> Together<T, LANES> {
    let mut y = x;
    let order = state.len();
    for lane in 0..LANES {
        y[lane] = b[0] * x[lane] + state[0][lane];
    }
    for k in 0..order {
        let next = if k + 1 < order { state[k + 1] } else { [T::default(); LANES] };
        for lane in 0..LANES {
            state[k][lane] = next[lane] + b[k + 1] * x[lane] - a[k + 1] * y[lane];
        }
    }
    y
}

for_each_level! {
    /// Filters samples in place; few states stay in registers.
    fn advance_few[T: Number, const ORDER: usize, const LANES: usize][T, ORDER, LANES](
        samples: &mut [Together<T, LANES>],
        states: &mut [Together<T, LANES>],
        b: &[T],
        a: &[T],
    ) {
        let mut state = [[T::default(); LANES]; ORDER];
        state.copy_from_slice(&states[..ORDER]);
        for sample in samples.iter_mut() {
            *sample = step(*sample, &mut state, b, a);
        }
        states[..ORDER].copy_from_slice(&state);
    }
}

for_each_level! {
    /// Filters samples in place.
    fn advance_many[T: Number, const LANES: usize][T, LANES](
        samples: &mut [Together<T, LANES>],
        state: &mut [Together<T, LANES>],
        b: &[T],
        a: &[T],
    ) {
        for sample in samples.iter_mut() {
            *sample = step(*sample, state, b, a);
        }
    }
}
