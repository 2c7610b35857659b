//! The combination of many neighbouring elements on the CPU.

use super::combination::Combination;
use crate::structured::lines::{Bytes, each};

/// Fewer elements are combined from left to right.
const LONG: usize = 4096;
/// Elements of a piece, which one thread combines.
const PIECE: usize = 1 << 15;
/// Elements that are combined side by side.
const WIDTH: usize = 256;

/// Combines `count` elements, at least one, into the one at `to`: from left to right, or in an
/// order that depends on `count` alone.
///
/// # Safety
/// `from` has `count` elements of the dtype, which nothing writes meanwhile; nothing else touches
/// the element at `to`, which is none of them.
pub(in crate::structured) unsafe fn fold(
    combination: &Combination,
    from: *const u8,
    to: *mut u8,
    count: usize,
    pool: Option<&rayon::ThreadPool>,
) {
    let size = combination.size;
    if count < LONG || !combination.is_free {
        // SAFETY: the caller's promise.
        return unsafe { from_left(combination, from, to, count) };
    }
    let pieces = count.div_ceil(PIECE);
    // Words, so that elements are aligned.
    let mut room = vec![0u128; pieces];
    let (parts, from) = (Bytes::new(&mut room), Bytes::read_only(from));
    each(pool, pieces, 1, |range| {
        for piece in range {
            let (first, end) = (piece * PIECE, count.min((piece + 1) * PIECE));
            // SAFETY: pieces lie inside the caller's elements, and each has a place in the room,
            // which has at least `size` bytes for each.
            unsafe {
                let (from, to) = (from.at(first * size), parts.at(piece * size));
                side_by_side(combination, from, to, end - first);
            }
        }
    });
    // SAFETY: the room has `pieces` elements; the caller's promise for `to`.
    unsafe { fold(combination, parts.at(0), to, pieces, None) };
}

/// As for `fold`, from left to right.
///
/// # Safety
/// As for `fold`.
unsafe fn from_left(combination: &Combination, from: *const u8, to: *mut u8, count: usize) {
    let size = combination.size;
    // SAFETY: the caller's promise.
    unsafe {
        match combination.typed {
            Some(typed) => (typed.fold)(from, to, count),
            None => {
                std::ptr::copy_nonoverlapping(from, to, size);
                (1..count).for_each(|at| combination.apply(to, from.add(at * size), to, 1));
            }
        }
    }
}

/// As for `fold`: the first `WIDTH` elements with the next ones, and so on; their results by
/// halves.
///
/// # Safety
/// As for `fold`.
unsafe fn side_by_side(combination: &Combination, from: *const u8, to: *mut u8, count: usize) {
    let size = combination.size;
    let mut room = [0u128; WIDTH];
    let sums = Bytes::new(&mut room);
    let mut width = WIDTH.min(count);
    // SAFETY: the room has `WIDTH` elements of at most 16 bytes and overlaps neither `from` nor
    // `to`; the caller's promise.
    unsafe {
        std::ptr::copy_nonoverlapping(from, sums.at(0), width * size);
        for first in (width..count).step_by(WIDTH) {
            let next = from.add(first * size);
            combination.apply(sums.at(0), next, sums.at(0), WIDTH.min(count - first));
        }
        while width > 1 {
            let half = width.div_ceil(2);
            combination.apply(sums.at(0), sums.at(half * size), sums.at(0), width - half);
            width = half;
        }
        std::ptr::copy_nonoverlapping(sums.at(0), to, size);
    }
}
