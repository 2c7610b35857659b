//! Quicksort of long runs of keys.

use super::keys::Key;
use super::registers::Registers;
use crate::structured::lines::threads;
use crate::structured::sort::merge::PIECE;
use crate::structured::tasks::{both, within};
use phalanx_device::HostRoom;

/// Sorts keys, with the threads of a pool if there is one.
pub(in crate::structured) fn sort<K: Key>(keys: &mut [K], pool: Option<&rayon::ThreadPool>) {
    match K::in_registers() {
        Some(registers) => registers.sort(keys, pool),
        None => keys.sort_unstable(),
    }
}

/// Sorts keys beside room for as many, in a thread of a pool.
pub(in crate::structured) fn sort_beside<K: Key>(keys: &mut [K], room: &mut [K]) {
    assert_eq!(keys.len(), room.len(), "bug: room for other keys");
    let Some(registers) = K::in_registers() else { return keys.sort_unstable() };
    let (count, room) = (keys.len(), room.as_mut_ptr());
    let run = Run { keys: keys.as_mut_ptr(), room, count };
    // SAFETY: both arrays are this call's alone.
    unsafe { registers.sort_run(run, true, turns(count)) };
}

/// Merges two runs of keys.
pub(in crate::structured) fn merge<K: Key>(a: &[K], b: &[K], to: &mut [K]) {
    assert_eq!(a.len() + b.len(), to.len(), "bug: room for other keys");
    match K::in_registers() {
        Some(registers) if !to.is_empty() => {
            let runs = [(a.as_ptr(), a.len()), (b.as_ptr(), b.len())];
            // SAFETY: `to` is a slice of its own with room for both runs, and `Registers` shows
            // that the processor can.
            unsafe { (registers.merge)(runs, to.as_mut_ptr()) };
        }
        _ => merge_one_by_one(a, b, to),
    }
}

fn merge_one_by_one<K: Key>(mut a: &[K], mut b: &[K], to: &mut [K]) {
    let mut done = 0;
    while let (Some(&first), Some(&second)) = (a.first(), b.first()) {
        let takes_second = second < first;
        to[done] = if takes_second { second } else { first };
        done += 1;
        a = &a[usize::from(!takes_second)..];
        b = &b[usize::from(takes_second)..];
    }
    to[done..][..a.len()].copy_from_slice(a);
    to[done + a.len()..].copy_from_slice(b);
}

/// Whether several threads share the sorting of keys of this type.
pub(in crate::structured) fn is_shared<K: Key>() -> bool {
    K::in_registers().is_some()
}

impl<K: Key> Registers<K> {
    fn sort(self, keys: &mut [K], pool: Option<&rayon::ThreadPool>) {
        if keys.len() <= self.most {
            // SAFETY: the keys are few enough, and both arrays are the same.
            return unsafe { (self.few)(keys.as_ptr(), keys.as_mut_ptr(), keys.len()) };
        }
        let Some(room) = HostRoom::new(size_of_val(keys)) else { return keys.sort_unstable() };
        let start = room.start().cast().as_ptr();
        let run = Run { keys: keys.as_mut_ptr(), room: start, count: keys.len() };
        // SAFETY: both arrays hold `count` keys, and are this call's alone.
        let mut sort = move || unsafe { self.sort_run(run, true, turns(run.count)) };
        match pool {
            Some(pool) if threads(Some(pool)) > 1 && keys.len() >= 2 * PIECE => {
                within(pool, &mut sort);
            }
            _ => sort(),
        }
    }

    /// Sorts the keys of a run: in their place, or into the room. After `turns` splits the pivots
    /// were bad, and `sort_unstable` sorts.
    ///
    /// # Safety
    /// Both arrays are valid for `count` keys until this returns, they do not overlap, and nothing
    /// else uses them.
    unsafe fn sort_run(self, run: Run<K>, is_in_place: bool, turns: u32) {
        let Run { keys, room, count } = run;
        let to = if is_in_place { keys } else { room };
        if count <= self.most {
            // SAFETY: the caller's promise, and `Registers` shows that the processor can.
            return unsafe { (self.few)(keys, to, count) };
        }
        if turns == 0 {
            // SAFETY: the caller's promise.
            unsafe {
                std::slice::from_raw_parts_mut(keys, count).sort_unstable();
                if !is_in_place {
                    std::ptr::copy_nonoverlapping(keys, room, count);
                }
            }
            return;
        }
        // Low keys go where the result begins, and high keys to the other array.
        let other = if is_in_place { room } else { keys };
        // SAFETY: the caller's promise.
        let pivot = unsafe { self.pivot(keys, count) };
        // SAFETY: as above; one of the arrays is read, and the other does not overlap it.
        let mut below = unsafe { (self.part)(keys, [to, other], count, pivot, false) };
        let is_least = below == 0;
        if is_least {
            // The pivot is the least key, so all keys are in the other array. All that equal the
            // pivot are in order.
            // SAFETY: as above.
            below = unsafe { (self.part)(other, [to, other], count, pivot, true) };
        }
        let above = count - below;
        let low = Run { keys: to, room: other.wrapping_add(above), count: below };
        let high = Run { keys: other, room: to.wrapping_add(below), count: above };
        let sort_low = move || {
            if !is_least {
                // SAFETY: the caller's promise; the two runs share no key and no room.
                unsafe { self.sort_run(low, true, turns - 1) };
            }
        };
        // SAFETY: as above.
        let sort_high = move || unsafe { self.sort_run(high, false, turns - 1) };
        if count > PIECE && rayon::current_thread_index().is_some() {
            both(sort_low, sort_high);
        } else {
            sort_low();
            sort_high();
        }
    }

    /// A key near the middle of `count` keys: the middle one of a sample.
    ///
    /// The places of the sample are scattered: keys that repeat at equal distances would give a
    /// regular sample the same key again and again.
    ///
    /// # Safety
    /// The address is valid for `count` keys, at least one.
    unsafe fn pivot(self, keys: *const K, count: usize) -> K {
        const MOST: usize = 64;
        let size = if count > 1 << 12 { MOST } else { MOST / 4 };
        let mut state = count as u64;
        let mut key = || {
            // A linear congruential generator, of which the upper half is used (Knuth's MMIX).
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(MMIX_STEP);
            let place = (u128::from(state) * count as u128) >> u64::BITS;
            // SAFETY: the place is below `count`.
            unsafe { *keys.add(place as usize) }
        };
        let mut sample = [key(); MOST];
        sample[1..size].fill_with(key);
        // SAFETY: the sample has at most `most` keys, and `Registers` shows that the processor can.
        unsafe { (self.few)(sample.as_ptr(), sample.as_mut_ptr(), size) };
        sample[size / 2]
    }
}

const MMIX_STEP: u64 = 1_442_695_040_888_963_407;

/// The splits of a run of so many keys after which its pivots were bad: twice as many as halving
/// needs.
fn turns(count: usize) -> u32 {
    2 * count.max(1).ilog2()
}

/// Keys, and room for as many.
#[derive(Clone, Copy)]
struct Run<K> {
    keys: *mut K,
    room: *mut K,
    count: usize,
}

// SAFETY: whoever sorts a run promises that its arrays are used by nothing else.
unsafe impl<K: Send> Send for Run<K> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of random keys: all different, few different, in order, reversed, periodic, equal, and
    /// of the largest key.
    fn runs<K: Key>(count: usize, key: impl Fn(u64) -> K) -> Vec<Vec<K>> {
        let mut state = count as u64 + 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut random = |most: u64| (0..count).map(|_| key(next() % most)).collect::<Vec<K>>();
        let (all, few, two) = (random(u64::MAX), random(5), random(2));
        let mut ascending = all.clone();
        ascending.sort_unstable();
        let descending = ascending.iter().rev().copied().collect();
        let (equal, last) = (vec![key(7); count], vec![key(u64::MAX); count]);
        let periodic = (0..count as u64).map(|at| key(at % 128)).collect();
        vec![all, few, two, ascending, descending, periodic, equal, last]
    }

    fn check<K: Key + std::fmt::Debug>(key: impl Fn(u64) -> K + Copy) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let short = (0..70).chain([100, 127, 128, 129, 255, 256, 257, 300, 511, 1000, 5000]);
        for count in short.chain([70_001, 200_000]) {
            for given in runs(count, key) {
                let mut expected = given.clone();
                expected.sort_unstable();
                for pool in [None, Some(&pool)] {
                    let mut keys = given.clone();
                    sort(&mut keys, pool);
                    assert_eq!(keys, expected, "{count} keys");
                }
            }
        }
    }

    #[test]
    fn keys_are_sorted() {
        check(|bits| bits as u32);
        check(|bits| bits);
        check(|bits| bits as u16);
    }

    /// Whether the registers for `u64` and those for `u32` are there.
    fn has_registers() -> bool {
        let has = u64::in_registers().is_some();
        if !has {
            println!("skipped: no registers of 512 bits");
        }
        has
    }

    fn sorted_in_turns<K: Key + std::fmt::Debug>(key: impl Fn(u64) -> K, turns: u32) {
        let Some(registers) = K::in_registers() else { return };
        let mut keys: Vec<K> = (0..3000).map(|at| key(at * 2_654_435_761 % 3001)).collect();
        let (mut room, mut expected) = (keys.clone(), keys.clone());
        expected.sort_unstable();
        let run = Run { keys: keys.as_mut_ptr(), room: room.as_mut_ptr(), count: keys.len() };
        // SAFETY: both arrays hold as many keys, and are this function's alone.
        unsafe { registers.sort_run(run, true, turns) };
        assert_eq!(keys, expected);
    }

    /// Bad pivots end in `sort_unstable`.
    #[test]
    fn turns_run_out() {
        if has_registers() {
            for turns in 0..3 {
                sorted_in_turns(|bits| bits, turns);
                sorted_in_turns(|bits| bits as u32, turns);
            }
        }
    }

    /// A sample at equal distances had the same key again and again, so each split removed one key.
    #[test]
    fn pivots_of_periodic_keys_are_near_the_middle() {
        let Some(registers) = u64::in_registers().filter(|_| has_registers()) else { return };
        for (count, period) in [(1 << 20, 1024), (1 << 16, 256), (1 << 14, 128), (4096, 64)] {
            let keys: Vec<u64> = (0..count).map(|at| at % period).collect();
            // SAFETY: the array holds as many keys.
            let pivot = unsafe { registers.pivot(keys.as_ptr(), keys.len()) };
            let middle = period / 5..period - period / 5;
            assert!(middle.contains(&pivot), "pivot {pivot} of {count} keys of period {period}");
        }
    }
}
