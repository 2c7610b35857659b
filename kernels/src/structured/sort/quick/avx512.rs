//! Registers of 512 bits.

use super::network::{self, Register};
use super::registers::Registers;
use std::arch::x86_64::*;

/// A key of 32 or 64 bits.
pub(super) trait Word: Copy + PartialOrd {
    type Lanes: Split<Key = Self>;
}

impl Word for u32 {
    type Lanes = Narrow;
}
impl Word for u64 {
    type Lanes = Wide;
}

/// A register that can be split by a pivot.
///
/// # Safety
/// As [`Register`].
pub(super) trait Split: Register {
    /// A register of one key.
    unsafe fn splat(key: Self::Key) -> Self;
    /// The lanes below the pivot (with `EQUAL`: not above it), as bits.
    unsafe fn below<const EQUAL: bool>(self, pivot: Self) -> u32;
    /// The lanes of which the bits are set, from the first lane on. The others are unspecified.
    unsafe fn compressed(self, lanes: u32) -> Self;
    /// Writes all lanes.
    unsafe fn store_all(self, to: *mut Self::Key);
}

/// The most registers that a network sorts.
const ROWS: usize = 16;

/// The sort of a processor with AVX-512.
pub(super) fn registers<K: Word>() -> Registers<K> {
    Registers { most: ROWS * K::Lanes::LANES, few: few::<K>, part: part::<K>, merge: merge::<K> }
}

/// Sorts few keys.
///
/// # Safety
/// The processor has AVX-512; the addresses are valid for `count` keys, at most `16 * LANES`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
unsafe fn few<K: Word>(from: *const K, to: *mut K, count: usize) {
    let rows = count.div_ceil(K::Lanes::LANES);
    // SAFETY: the caller's promise.
    unsafe {
        match rows {
            0 => {}
            1 => network::sort::<K::Lanes, 1>(from, to, count),
            2 => network::sort::<K::Lanes, 2>(from, to, count),
            3..=4 => network::sort::<K::Lanes, 4>(from, to, count),
            5..=8 => network::sort::<K::Lanes, 8>(from, to, count),
            _ => {
                assert!(rows <= ROWS, "bug: {count} keys are not few");
                network::sort::<K::Lanes, 16>(from, to, count);
            }
        }
    }
}

/// Merges two runs. See [`Registers`].
///
/// # Safety
/// The processor has AVX-512; the addresses are valid for their keys, and `to` for those of both
/// runs, which it does not overlap.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
unsafe fn merge<K: Word>(runs: [(*const K, usize); 2], to: *mut K) {
    // SAFETY: the caller's promise.
    unsafe { network::merge::<K::Lanes>(runs, to) }
}

/// Splits keys by a pivot. See [`Registers`].
///
/// # Safety
/// The processor has AVX-512; the addresses are valid for `count` keys. One of the last two may be
/// the first; else they do not overlap.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi2,popcnt")]
unsafe fn part<K: Word>(
    from: *const K,
    to: [*mut K; 2],
    count: usize,
    pivot: K,
    takes_equal: bool,
) -> usize {
    // SAFETY: the caller's promise.
    unsafe {
        if takes_equal {
            part_by::<K::Lanes, true>(from, to, count, pivot)
        } else {
            part_by::<K::Lanes, false>(from, to, count, pivot)
        }
    }
}

#[inline(always)]
unsafe fn part_by<S: Split, const EQUAL: bool>(
    from: *const S::Key,
    [low, high]: [*mut S::Key; 2],
    count: usize,
    pivot: S::Key,
) -> usize {
    // SAFETY: the caller's promise. No more keys are written to an array than were read, so a
    // whole register that is written ends at or before the last key read.
    unsafe {
        let pivot = S::splat(pivot);
        let whole = count - count % S::LANES;
        let mut taken = 0;
        for at in (0..whole).step_by(S::LANES) {
            let keys = S::load(from.add(at), S::LANES);
            let below = keys.below::<EQUAL>(pivot);
            keys.compressed(below).store_all(low.add(taken));
            keys.compressed(!below).store_all(high.add(at - taken));
            taken += below.count_ones() as usize;
        }
        let rest = count - whole;
        let keys = S::load(from.add(whole), rest);
        let below = keys.below::<EQUAL>(pivot) & first(rest);
        let last = below.count_ones() as usize;
        keys.compressed(below).store(low.add(taken), last);
        keys.compressed(!below & first(rest)).store(high.add(whole - taken), rest - last);
        taken + last
    }
}

/// The first `count` bits.
#[inline(always)]
fn first(count: usize) -> u32 {
    (1u32 << count) - 1
}

/// Four registers of four parts of 128 bits, transposed.
///
/// # Safety
/// The processor has AVX-512.
#[inline(always)]
unsafe fn transposed_parts([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let (even_low, odd_low) =
            (_mm512_shuffle_i32x4(a, b, 0x88), _mm512_shuffle_i32x4(a, b, 0xdd));
        let (even_high, odd_high) =
            (_mm512_shuffle_i32x4(c, d, 0x88), _mm512_shuffle_i32x4(c, d, 0xdd));
        [
            _mm512_shuffle_i32x4(even_low, even_high, 0x88),
            _mm512_shuffle_i32x4(odd_low, odd_high, 0x88),
            _mm512_shuffle_i32x4(even_low, even_high, 0xdd),
            _mm512_shuffle_i32x4(odd_low, odd_high, 0xdd),
        ]
    }
}

/// Sixteen keys of 32 bits.
#[derive(Clone, Copy)]
pub(super) struct Narrow(__m512i);

/// Eight keys of 64 bits.
#[derive(Clone, Copy)]
pub(super) struct Wide(__m512i);

impl Register for Narrow {
    type Key = u32;
    const LANES: usize = 16;

    #[inline(always)]
    unsafe fn load(from: *const u32, count: usize) -> Narrow {
        // SAFETY: the caller's promise.
        unsafe {
            if count == 16 {
                return Narrow(_mm512_loadu_si512(from.cast()));
            }
            let rest = _mm512_set1_epi32(-1);
            Narrow(_mm512_mask_loadu_epi32(rest, first(count) as u16, from.cast()))
        }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u32, count: usize) {
        // SAFETY: the caller's promise.
        unsafe { _mm512_mask_storeu_epi32(to.cast(), first(count) as u16, self.0) }
    }
    #[inline(always)]
    unsafe fn min(self, other: Narrow) -> Narrow {
        // SAFETY: the caller's promise.
        unsafe { Narrow(_mm512_min_epu32(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn max(self, other: Narrow) -> Narrow {
        // SAFETY: the caller's promise.
        unsafe { Narrow(_mm512_max_epu32(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn mirrored<const GROUP: usize>(self) -> Narrow {
        const { assert!(GROUP.is_power_of_two() && GROUP <= 16, "a group of lanes") };
        // SAFETY: the caller's promise.
        unsafe {
            let lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
            let places = _mm512_xor_si512(lanes, _mm512_set1_epi32(GROUP as i32 - 1));
            Narrow(_mm512_permutexvar_epi32(places, self.0))
        }
    }
    #[inline(always)]
    unsafe fn exchanged<const STEP: usize>(self) -> Narrow {
        // SAFETY: the caller's promise.
        unsafe {
            Narrow(match STEP {
                1 => _mm512_shuffle_epi32(self.0, 0xb1),
                2 => _mm512_shuffle_epi32(self.0, 0x4e),
                4 => _mm512_shuffle_i64x2(self.0, self.0, 0xb1),
                _ => _mm512_shuffle_i64x2(self.0, self.0, 0x4e),
            })
        }
    }
    #[inline(always)]
    unsafe fn transposed(rows: [Narrow; 16]) -> [Narrow; 16] {
        let rows = rows.map(|row| row.0);
        // SAFETY: the caller's promise.
        unsafe {
            // Each 128 bits of the fours hold four keys of one column. A closure that is called
            // more than once may not be inlined, and is then not compiled for this processor.
            let mut fours = rows;
            for group in (0..16).step_by(4) {
                let (a, b) = (rows[group], rows[group + 1]);
                let (c, d) = (rows[group + 2], rows[group + 3]);
                let (low, low_after) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
                let (high, high_after) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
                fours[group] = _mm512_unpacklo_epi64(low, low_after);
                fours[group + 1] = _mm512_unpackhi_epi64(low, low_after);
                fours[group + 2] = _mm512_unpacklo_epi64(high, high_after);
                fours[group + 3] = _mm512_unpackhi_epi64(high, high_after);
            }
            let mut columns = [Narrow(fours[0]); 16];
            for at in 0..4 {
                let parts = [fours[at], fours[4 + at], fours[8 + at], fours[12 + at]];
                let [a, b, c, d] = transposed_parts(parts);
                columns[at] = Narrow(a);
                columns[4 + at] = Narrow(b);
                columns[8 + at] = Narrow(c);
                columns[12 + at] = Narrow(d);
            }
            columns
        }
    }
    #[inline(always)]
    unsafe fn mixed<const STEP: usize>(self, other: Narrow) -> Narrow {
        let upper = match STEP {
            1 => 0xaaaa,
            2 => 0xcccc,
            4 => 0xf0f0,
            _ => 0xff00,
        };
        // SAFETY: the caller's promise.
        unsafe { Narrow(_mm512_mask_mov_epi32(self.0, upper, other.0)) }
    }
}

impl Split for Narrow {
    #[inline(always)]
    unsafe fn splat(key: u32) -> Narrow {
        // SAFETY: the caller's promise.
        unsafe { Narrow(_mm512_set1_epi32(key as i32)) }
    }
    #[inline(always)]
    unsafe fn below<const EQUAL: bool>(self, pivot: Narrow) -> u32 {
        // SAFETY: the caller's promise.
        unsafe {
            u32::from(if EQUAL {
                _mm512_cmple_epu32_mask(self.0, pivot.0)
            } else {
                _mm512_cmplt_epu32_mask(self.0, pivot.0)
            })
        }
    }
    #[inline(always)]
    unsafe fn compressed(self, lanes: u32) -> Narrow {
        // SAFETY: the caller's promise.
        unsafe { Narrow(_mm512_maskz_compress_epi32(lanes as u16, self.0)) }
    }
    #[inline(always)]
    unsafe fn store_all(self, to: *mut u32) {
        // SAFETY: the caller's promise.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }
}

impl Register for Wide {
    type Key = u64;
    const LANES: usize = 8;

    #[inline(always)]
    unsafe fn load(from: *const u64, count: usize) -> Wide {
        // SAFETY: the caller's promise.
        unsafe {
            if count == 8 {
                return Wide(_mm512_loadu_si512(from.cast()));
            }
            let rest = _mm512_set1_epi64(-1);
            Wide(_mm512_mask_loadu_epi64(rest, first(count) as u8, from.cast()))
        }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u64, count: usize) {
        // SAFETY: the caller's promise.
        unsafe { _mm512_mask_storeu_epi64(to.cast(), first(count) as u8, self.0) }
    }
    #[inline(always)]
    unsafe fn min(self, other: Wide) -> Wide {
        // SAFETY: the caller's promise.
        unsafe { Wide(_mm512_min_epu64(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn max(self, other: Wide) -> Wide {
        // SAFETY: the caller's promise.
        unsafe { Wide(_mm512_max_epu64(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn mirrored<const GROUP: usize>(self) -> Wide {
        // A group of 16 is asked for in a branch that is never taken.
        const { assert!(GROUP.is_power_of_two() && GROUP <= 16, "a group of lanes") };
        // SAFETY: the caller's promise.
        unsafe {
            let lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
            let places = _mm512_xor_si512(lanes, _mm512_set1_epi64(GROUP as i64 - 1));
            Wide(_mm512_permutexvar_epi64(places, self.0))
        }
    }
    #[inline(always)]
    unsafe fn exchanged<const STEP: usize>(self) -> Wide {
        // SAFETY: the caller's promise.
        unsafe {
            Wide(match STEP {
                1 => _mm512_shuffle_epi32(self.0, 0x4e),
                2 => _mm512_shuffle_i64x2(self.0, self.0, 0xb1),
                _ => _mm512_shuffle_i64x2(self.0, self.0, 0x4e),
            })
        }
    }
    #[inline(always)]
    unsafe fn transposed(rows: [Wide; 16]) -> [Wide; 16] {
        let mut columns = rows;
        // SAFETY: the caller's promise.
        unsafe {
            for half in 0..2 {
                let mut pairs = [rows[0].0; 8];
                for at in 0..4 {
                    let (a, b) = (rows[8 * half + 2 * at].0, rows[8 * half + 2 * at + 1].0);
                    pairs[at] = _mm512_unpacklo_epi64(a, b);
                    pairs[4 + at] = _mm512_unpackhi_epi64(a, b);
                }
                for at in 0..2 {
                    let of = 4 * at;
                    let parts = [pairs[of], pairs[of + 1], pairs[of + 2], pairs[of + 3]];
                    // Each column fills two registers.
                    let [a, b, c, d] = transposed_parts(parts);
                    columns[2 * at + half] = Wide(a);
                    columns[4 + 2 * at + half] = Wide(b);
                    columns[8 + 2 * at + half] = Wide(c);
                    columns[12 + 2 * at + half] = Wide(d);
                }
            }
        }
        columns
    }
    #[inline(always)]
    unsafe fn mixed<const STEP: usize>(self, other: Wide) -> Wide {
        let upper = match STEP {
            1 => 0xaa,
            2 => 0xcc,
            _ => 0xf0,
        };
        // SAFETY: the caller's promise.
        unsafe { Wide(_mm512_mask_mov_epi64(self.0, upper, other.0)) }
    }
}

impl Split for Wide {
    #[inline(always)]
    unsafe fn splat(key: u64) -> Wide {
        // SAFETY: the caller's promise.
        unsafe { Wide(_mm512_set1_epi64(key as i64)) }
    }
    #[inline(always)]
    unsafe fn below<const EQUAL: bool>(self, pivot: Wide) -> u32 {
        // SAFETY: the caller's promise.
        unsafe {
            u32::from(if EQUAL {
                _mm512_cmple_epu64_mask(self.0, pivot.0)
            } else {
                _mm512_cmplt_epu64_mask(self.0, pivot.0)
            })
        }
    }
    #[inline(always)]
    unsafe fn compressed(self, lanes: u32) -> Wide {
        // SAFETY: the caller's promise.
        unsafe { Wide(_mm512_maskz_compress_epi64(lanes as u8, self.0)) }
    }
    #[inline(always)]
    unsafe fn store_all(self, to: *mut u64) {
        // SAFETY: the caller's promise.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }
}
