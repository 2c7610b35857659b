//! The streams of random bits of other generators, as functions of the position: word `i` of 64
//! bits is the `i`-th word of the sequential generator, on any mesh.
//!
//! A counter-based generator computes a word from its position. For a generator with a linear step,
//! `n` words follow from two tables of about √n rows: the states at regular distances, and the
//! steps between them. Generators whose steps cannot be skipped are not supported.

use crate::array::Array;
use crate::creation::from_slice;
use crate::indexing::Mode;
use crate::math::select;
use phalanx_graph::Site;
use phalanx_ops::{DType, Scalar};

/// A generator that computes any word from its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Philox4x32-10 with one word for each counter: the generator of this package.
    Philox4x32,
    /// Philox4x64-10 of NumPy's `Philox`: the key.
    Philox4x64([u64; 2]),
    /// PCG64 of NumPy, XSL-RR: the state and the increment.
    Pcg64(u128, u128),
    /// PCG64DXSM of NumPy: the state and the increment.
    Pcg64Dxsm(u128, u128),
    /// MRG32k3a: two states of three words of 32 bits. A word is two of its numbers, the first one
    /// in the upper half.
    Mrg32k3a([u64; 6]),
}

const PCG_MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;
const PCG_CHEAP_MULTIPLIER: u64 = 0xda94_2042_e4dd_58b5;

impl Stream {
    /// PCG64 from four words of a seed, initialised as in NumPy.
    pub fn pcg64(words: [u64; 4]) -> Stream {
        let (state, increment) = begun(words);
        Stream::Pcg64(state, increment)
    }

    /// PCG64DXSM from four words of a seed, initialised as in NumPy.
    pub fn pcg64dxsm(words: [u64; 4]) -> Stream {
        let (state, increment) = begun(words);
        Stream::Pcg64Dxsm(state, increment)
    }

    /// MRG32k3a from six words of a seed. A state of zeros never changes, so it becomes a state of
    /// ones.
    pub fn mrg32k3a(words: [u64; 6]) -> Stream {
        let mut state: [u64; 6] = std::array::from_fn(|place| words[place] % MODULI[place / 3]);
        for part in state.chunks_mut(3) {
            if part.iter().all(|&word| word == 0) {
                part.fill(1);
            }
        }
        Stream::Mrg32k3a(state)
    }

    /// The generator of NumPy's class `name` from the words of a seed; `None` for an unknown name
    /// or another number of words. Local.
    pub fn from_seed_words(name: &str, words: &[u64]) -> Option<Stream> {
        Some(match name {
            "Philox" => Stream::Philox4x64(words.try_into().ok()?),
            "PCG64" => Stream::pcg64(words.try_into().ok()?),
            "PCG64DXSM" => Stream::pcg64dxsm(words.try_into().ok()?),
            "MRG32k3a" => Stream::mrg32k3a(words.try_into().ok()?),
            _ => return None,
        })
    }

    /// The name of the generator's class in NumPy; `Philox4x3210` and `MRG32k3a` have CuPy's names.
    /// Local.
    pub const fn name(&self) -> &'static str {
        match self {
            Stream::Philox4x32 => "Philox4x3210",
            Stream::Philox4x64(_) => "Philox",
            Stream::Pcg64(..) => "PCG64",
            Stream::Pcg64Dxsm(..) => "PCG64DXSM",
            Stream::Mrg32k3a(_) => "MRG32k3a",
        }
    }

    /// The words of the state: the key, the state and the increment, or the state alone. Philox4x32
    /// has none. Local.
    pub fn state_words(&self) -> Vec<u128> {
        match *self {
            Stream::Philox4x32 => Vec::new(),
            Stream::Philox4x64(key) => key.map(u128::from).to_vec(),
            Stream::Pcg64(state, increment) | Stream::Pcg64Dxsm(state, increment) => {
                vec![state, increment]
            }
            Stream::Mrg32k3a(state) => state.map(u128::from).to_vec(),
        }
    }

    /// A generator of the same class with other words of the state; `None` for another number of
    /// words. Increments become odd, and words are cut off to their width. Local.
    pub fn with_state_words(&self, words: &[u128]) -> Option<Stream> {
        let word = |place: usize| words[place] as u64;
        Some(match (self, words) {
            (Stream::Philox4x32, []) => Stream::Philox4x32,
            (Stream::Philox4x64(_), [_, _]) => Stream::Philox4x64([word(0), word(1)]),
            (Stream::Pcg64(..), &[state, increment]) => Stream::Pcg64(state, increment | 1),
            (Stream::Pcg64Dxsm(..), &[state, increment]) => Stream::Pcg64Dxsm(state, increment | 1),
            (Stream::Mrg32k3a(_), [_, _, _, _, _, _]) => {
                Stream::mrg32k3a(std::array::from_fn(word))
            }
            _ => return None,
        })
    }

    /// The words at `positions` (`u64`), which lie between `first` and `first + count`. `None` for
    /// Philox4x32-10, which is an operation of its own.
    pub(super) fn words(
        &self,
        positions: &Array,
        first: u64,
        count: u64,
        site: Site,
    ) -> Option<Array> {
        let places = || Places::new(positions, first, count, site);
        match *self {
            Stream::Philox4x32 => None,
            Stream::Philox4x64(key) => Some(philox(positions, key)),
            // PCG64 makes the word from the state after the step.
            Stream::Pcg64(state, increment) => {
                let (high, low) = congruential(&places(), state, increment, PCG_MULTIPLIER, 1);
                let word = &high ^ &low;
                let turn = high.right_shift(Scalar::new(58u64));
                // The left shift is 64 minus the turn, and 0 for a turn of 0. The turn is below 64.
                let back = ((&turn ^ Scalar::new(63u64)) + Scalar::new(1u64)) & Scalar::new(63u64);
                Some(word.right_shift(&turn) | word.left_shift(&back))
            }
            // PCG64DXSM makes the word from the state before the step.
            Stream::Pcg64Dxsm(state, increment) => {
                let by = PCG_CHEAP_MULTIPLIER;
                let (high, low) = congruential(&places(), state, increment, by.into(), 0);
                let high = &high ^ high.right_shift(Scalar::new(32u64));
                let high = high * Scalar::new(by);
                let high = &high ^ high.right_shift(Scalar::new(48u64));
                Some(high * (low | Scalar::new(1u64)))
            }
            Stream::Mrg32k3a(state) => Some(recursive(&places(), &state)),
        }
    }
}

/// Positions as rows of two tables: the states at every `1 << shift`-th position, and the steps
/// from there.
struct Places {
    first: u64,
    states: u64,
    steps: u64,
    state: Array,
    step: Array,
}

impl Places {
    fn new(positions: &Array, first: u64, count: u64, site: Site) -> Places {
        let shift = (64 - count.leading_zeros()).div_ceil(2);
        let steps = 1u64 << shift;
        let behind = positions - Scalar::new(first);
        let index = |of: Array| of.converted(DType::I64, site);
        Places {
            first,
            states: (count >> shift) + 1,
            steps,
            state: index(behind.right_shift(Scalar::new(u64::from(shift)))),
            step: index(behind & Scalar::new(steps - 1)),
        }
    }

    /// A column of the table of states, or of the table of steps, at each position.
    fn column(rows: &Array, table: &[u64]) -> Array {
        // All positions are inside the table, so clipping changes none.
        from_slice(table, [table.len()]).take_with(rows, 0, Mode::Clip)
    }
}

/// The initial state and the increment of a linear congruential generator of 128 bits. As in NumPy,
/// both generators use the multiplier of PCG64 here.
fn begun(words: [u64; 4]) -> (u128, u128) {
    let pair = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
    let increment = pair(words[2], words[3]) << 1 | 1;
    let state = increment.wrapping_add(pair(words[0], words[1]));
    (state.wrapping_mul(PCG_MULTIPLIER).wrapping_add(increment), increment)
}

/// The multiplier and the increment of `count` steps at once.
///
/// Source: F. B. Brown, "Random number generation with arbitrary strides" (1994).
fn jump(mut count: u128, multiplier: u128, increment: u128) -> (u128, u128) {
    let (mut by, mut plus) = (multiplier, increment);
    let (mut all_by, mut all_plus) = (1u128, 0u128);
    while count > 0 {
        if count & 1 == 1 {
            all_by = all_by.wrapping_mul(by);
            all_plus = all_plus.wrapping_mul(by).wrapping_add(plus);
        }
        plus = by.wrapping_add(1).wrapping_mul(plus);
        by = by.wrapping_mul(by);
        count >>= 1;
    }
    (all_by, all_plus)
}

/// The upper and lower halves of the states at positions, `ahead` steps later.
fn congruential(
    places: &Places,
    state: u128,
    increment: u128,
    multiplier: u128,
    ahead: u64,
) -> (Array, Array) {
    let (by, plus) = jump(u128::from(places.first) + u128::from(ahead), multiplier, increment);
    let mut state = state.wrapping_mul(by).wrapping_add(plus);
    let (by, plus) = jump(places.steps.into(), multiplier, increment);
    let halves = |number: u128| [(number >> 64) as u64, number as u64];
    let mut states = [Vec::new(), Vec::new()];
    for _ in 0..places.states {
        states.iter_mut().zip(halves(state)).for_each(|(column, half)| column.push(half));
        state = state.wrapping_mul(by).wrapping_add(plus);
    }
    let (mut by, mut plus) = (1u128, 0u128);
    let mut steps = [Vec::new(), Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..places.steps {
        let row = halves(by).into_iter().chain(halves(plus));
        steps.iter_mut().zip(row).for_each(|(column, half)| column.push(half));
        by = by.wrapping_mul(multiplier);
        plus = plus.wrapping_mul(multiplier).wrapping_add(increment);
    }
    let [state_high, state_low] = states.map(|column| Places::column(&places.state, &column));
    let [by_high, by_low, plus_high, plus_low] =
        steps.map(|column| Places::column(&places.step, &column));
    let (high, low) = wide_product(&state_low, &by_low);
    let high = high + &state_high * &by_low + &state_low * &by_high;
    let sum = &low + &plus_low;
    let carry = select(&sum.less(&low), Scalar::new(1u64), Scalar::new(0u64));
    (high + plus_high + carry, sum)
}

/// The upper and lower 64 bits of products of words.
fn wide_product(a: &Array, b: &Array) -> (Array, Array) {
    let (mask, half) = (Scalar::new(0xffff_ffffu64), Scalar::new(32u64));
    let parts = |of: &Array| (of & mask, of.right_shift(half));
    let ((a_low, a_high), (b_low, b_high)) = (parts(a), parts(b));
    let first = &a_high * &b_low + (&a_low * &b_low).right_shift(half);
    let second = &a_low * &b_high + (&first & mask);
    let high = a_high * b_high + first.right_shift(half) + second.right_shift(half);
    (high, a * b)
}

/// Words of Philox4x64-10. Each block has four words, and its counter starts at 1, as in NumPy.
///
/// Source: J. K. Salmon and others, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
fn philox(positions: &Array, mut key: [u64; 2]) -> Array {
    let zero = positions * Scalar::new(0u64);
    let block = positions.right_shift(Scalar::new(2u64)) + Scalar::new(1u64);
    let mut words = [block, zero.clone(), zero.clone(), zero.clone()];
    let multipliers = [0xd2e7_470e_e14c_6c93u64, 0xca5a_8263_9512_1157];
    let multipliers = multipliers.map(|by| &zero + Scalar::new(by));
    for _ in 0..10 {
        let (first_high, first_low) = wide_product(&words[0], &multipliers[0]);
        let (second_high, second_low) = wide_product(&words[2], &multipliers[1]);
        words = [
            second_high ^ &words[1] ^ Scalar::new(key[0]),
            second_low,
            first_high ^ &words[3] ^ Scalar::new(key[1]),
            first_low,
        ];
        key[0] = key[0].wrapping_add(0x9e37_79b9_7f4a_7c15);
        key[1] = key[1].wrapping_add(0xbb67_ae85_84ca_a73b);
    }
    let place = positions & Scalar::new(3u64);
    let [first, second, third, fourth] = words;
    let upper = select(&place.equal(Scalar::new(2u64)), third, fourth);
    let lower = select(&place.equal(Scalar::new(0u64)), first, second);
    select(&place.less(Scalar::new(2u64)), lower, upper)
}

/// The moduli of the two recurrences of MRG32k3a, and the matrices of their steps.
///
/// Source: P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random
/// number generators" (1999).
const MODULI: [u64; 2] = [4_294_967_087, 4_294_944_443];
const STEPS: [Matrix; 2] = [
    [[0, 1, 0], [0, 0, 1], [MODULI[0] - 810_728, 1_403_580, 0]],
    [[0, 1, 0], [0, 0, 1], [MODULI[1] - 1_370_589, 0, 527_612]],
];

type Matrix = [[u64; 3]; 3];

fn product(a: &Matrix, b: &Matrix, modulus: u64) -> Matrix {
    let entry = |row: usize, column: usize| {
        (0..3).fold(0, |sum, k| (sum + a[row][k] * b[k][column] % modulus) % modulus)
    };
    std::array::from_fn(|row| std::array::from_fn(|column| entry(row, column)))
}

fn applied(matrix: &Matrix, state: [u64; 3], modulus: u64) -> [u64; 3] {
    matrix.map(|row| (0..3).fold(0, |sum, k| (sum + row[k] * state[k] % modulus) % modulus))
}

fn raised(matrix: &Matrix, mut count: u128, modulus: u64) -> Matrix {
    let (mut power, mut all) = (*matrix, [[1, 0, 0], [0, 1, 0], [0, 0, 1]]);
    while count > 0 {
        if count & 1 == 1 {
            all = product(&power, &all, modulus);
        }
        power = product(&power, &power, modulus);
        count >>= 1;
    }
    all
}

/// Words of MRG32k3a.
fn recursive(places: &Places, seed: &[u64; 6]) -> Array {
    // The two numbers of a word, for each recurrence.
    let numbers = [0, 1].map(|part| {
        let (modulus, step) = (MODULI[part], &STEPS[part]);
        let own = [seed[3 * part], seed[3 * part + 1], seed[3 * part + 2]];
        let mut state = applied(&raised(step, 2 * u128::from(places.first), modulus), own, modulus);
        let far = raised(step, 2 * u128::from(places.steps), modulus);
        let mut states = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..places.states {
            states.iter_mut().zip(state).for_each(|(column, word)| column.push(word));
            state = applied(&far, state, modulus);
        }
        let states = states.map(|column| Places::column(&places.state, &column));
        let twice = product(step, step, modulus);
        [step, &twice].map(|start| {
            // Only the last row of the matrix is needed for a number.
            let mut matrix = *start;
            let mut rows = [Vec::new(), Vec::new(), Vec::new()];
            for _ in 0..places.steps {
                rows.iter_mut().zip(matrix[2]).for_each(|(column, word)| column.push(word));
                matrix = product(&matrix, &twice, modulus);
            }
            let rows = rows.map(|column| Places::column(&places.step, &column));
            let modulus = Scalar::new(modulus);
            let terms = [0, 1, 2].map(|k| (&rows[k] * &states[k]).remainder(modulus));
            let [first, second, third] = terms;
            (first + second + third).remainder(modulus)
        })
    });
    let [first, second] = numbers;
    let modulus = Scalar::new(MODULI[0]);
    let drawn = |place: usize| {
        let difference = &first[place] + modulus - &second[place];
        // The result is between 1 and the modulus.
        (difference - Scalar::new(1u64)).remainder(modulus) + Scalar::new(1u64)
    };
    drawn(0).left_shift(Scalar::new(32u64)) | drawn(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_continue_from_their_words() {
        for (name, count) in [("Philox", 2), ("PCG64", 4), ("PCG64DXSM", 4), ("MRG32k3a", 6)] {
            let words: Vec<u64> = (1..=count).collect();
            let stream = Stream::from_seed_words(name, &words).unwrap();
            assert_eq!(stream.name(), name);
            let state = stream.state_words();
            assert_eq!(stream.with_state_words(&state), Some(stream));
            assert_eq!(stream.with_state_words(&state[1..]), None);
            assert_eq!(Stream::from_seed_words(name, &words[1..]), None);
        }
        let even = Stream::Pcg64(7, 3).with_state_words(&[5, 2]);
        assert_eq!(even, Some(Stream::Pcg64(5, 3)));
        assert_eq!(Stream::Philox4x32.state_words(), Vec::<u128>::new());
        assert_eq!(Stream::from_seed_words("MT19937", &[1]), None);
    }
}
