//! Bitonic networks over the lanes of several registers.

/// A register of keys.
///
/// # Safety
/// The processor has the instructions. Addresses are valid for the keys that are read or written.
pub(super) trait Register: Copy {
    /// The key of a lane.
    type Key: Copy + PartialOrd;
    /// The number of lanes.
    const LANES: usize;

    /// Reads the first `count` lanes, at most all. The others are the largest key.
    unsafe fn load(from: *const Self::Key, count: usize) -> Self;
    /// Writes the first `count` lanes, at most all.
    unsafe fn store(self, to: *mut Self::Key, count: usize);
    /// The smaller key of each lane.
    unsafe fn min(self, other: Self) -> Self;
    /// The larger key of each lane.
    unsafe fn max(self, other: Self) -> Self;
    /// Groups of `GROUP` lanes, each in reverse order.
    unsafe fn mirrored<const GROUP: usize>(self) -> Self;
    /// Each lane `i` exchanged with lane `i ^ STEP`.
    unsafe fn exchanged<const STEP: usize>(self) -> Self;
    /// Sixteen registers, of which each lane is in order, as sequences of sixteen keys in order,
    /// each in consecutive registers.
    unsafe fn transposed(rows: [Self; 16]) -> [Self; 16];
    /// The lanes of this register, but of the other one where `i & STEP` is not zero.
    unsafe fn mixed<const STEP: usize>(self, other: Self) -> Self;
}

/// Sorts at most `ROWS * LANES` keys.
///
/// # Safety
/// As [`Register`].
#[inline(always)]
pub(super) unsafe fn sort<R: Register, const ROWS: usize>(
    from: *const R::Key,
    to: *mut R::Key,
    count: usize,
) {
    let lanes = R::LANES;
    // SAFETY: the caller's promise; each row reads and writes only keys below `count`.
    unsafe {
        let left = |row: usize| count.saturating_sub(row * lanes).min(lanes);
        let mut rows: [R; ROWS] =
            std::array::from_fn(|row| R::load(from.wrapping_add(row * lanes), left(row)));
        if let Ok(all) = <&mut [R; 16]>::try_from(rows.as_mut_slice()) {
            sort_columns(all);
            *all = R::transposed(*all);
        } else {
            for row in &mut rows {
                *row = sorted_lanes(*row);
            }
        }
        if ROWS >= 2 && (ROWS < 16 || lanes >= 16) {
            mirror_rows::<R, ROWS, 2>(&mut rows);
            merge_lanes(&mut rows);
        }
        if ROWS >= 4 {
            mirror_rows::<R, ROWS, 4>(&mut rows);
            compare_rows::<R, ROWS, 1>(&mut rows);
            merge_lanes(&mut rows);
        }
        if ROWS >= 8 {
            mirror_rows::<R, ROWS, 8>(&mut rows);
            compare_rows::<R, ROWS, 2>(&mut rows);
            compare_rows::<R, ROWS, 1>(&mut rows);
            merge_lanes(&mut rows);
        }
        if ROWS >= 16 {
            mirror_rows::<R, ROWS, 16>(&mut rows);
            compare_rows::<R, ROWS, 4>(&mut rows);
            compare_rows::<R, ROWS, 2>(&mut rows);
            compare_rows::<R, ROWS, 1>(&mut rows);
            merge_lanes(&mut rows);
        }
        for (row, keys) in rows.into_iter().enumerate() {
            keys.store(to.wrapping_add(row * lanes), left(row));
        }
    }
}

/// Merges two runs of keys: a register of the smallest keys at a time.
///
/// Source: "Efficient Implementation of Sorting on Multi-Core SIMD CPU Architecture" (Chhugani et
/// al., 2008), section 4.1.
///
/// # Safety
/// As [`Register`]; `to` has room for both runs and overlaps neither.
#[inline(always)]
pub(super) unsafe fn merge<R: Register>(
    [(a, of_a), (b, of_b)]: [(*const R::Key, usize); 2],
    to: *mut R::Key,
) {
    let (lanes, total) = (R::LANES, of_a + of_b);
    // SAFETY: the caller's promise; keys at and after the end of a run are not read.
    unsafe {
        let (mut i, mut j) = (of_a.min(lanes), of_b.min(lanes));
        let (mut rest, mut next) = (R::load(a, i), R::load(b, j));
        let mut done = 0;
        loop {
            let mirrored = whole_mirrored(next);
            let low = merged_lanes(rest.min(mirrored));
            rest = merged_lanes(rest.max(mirrored));
            low.store(to.add(done), (total - done).min(lanes));
            done += lanes;
            if done >= total {
                return;
            }
            // The run with the smaller next key. A run that has ended gives the largest keys.
            let takes_a = i < of_a && (j >= of_b || *a.add(i) <= *b.add(j));
            let (run, place, end) = if takes_a { (a, &mut i, of_a) } else { (b, &mut j, of_b) };
            let count = (end - *place).min(lanes);
            next = R::load(run.wrapping_add(*place), count);
            *place += count;
        }
    }
}

/// Puts the keys of each lane in order.
///
/// Source: Green's network of sixteen keys, "The Art of Computer Programming", volume 3 (Knuth,
/// 1998), section 5.3.4.
#[inline(always)]
unsafe fn sort_columns<R: Register>(rows: &mut [R; 16]) {
    macro_rules! compare {
        ($($low:literal $high:literal),* $(,)?) => {$(
            let larger = rows[$low].max(rows[$high]);
            rows[$low] = rows[$low].min(rows[$high]);
            rows[$high] = larger;
        )*};
    }
    // SAFETY: the caller's promise.
    unsafe {
        compare!(0 1, 2 3, 4 5, 6 7, 8 9, 10 11, 12 13, 14 15);
        compare!(0 2, 1 3, 4 6, 5 7, 8 10, 9 11, 12 14, 13 15);
        compare!(0 4, 1 5, 2 6, 3 7, 8 12, 9 13, 10 14, 11 15);
        compare!(0 8, 1 9, 2 10, 3 11, 4 12, 5 13, 6 14, 7 15);
        compare!(5 10, 6 9, 3 12, 13 14, 4 8, 7 11, 1 2);
        compare!(1 4, 7 13, 2 8, 11 14);
        compare!(2 4, 5 6, 9 10, 11 13, 3 8, 7 12);
        compare!(6 8, 10 12, 3 5, 7 9);
        compare!(3 4, 5 6, 7 8, 9 10, 11 12);
        compare!(6 7, 8 9);
    }
}

/// Compares the keys of each group of rows with those of the group in reverse order.
#[inline(always)]
unsafe fn mirror_rows<R: Register, const ROWS: usize, const GROUP: usize>(rows: &mut [R; ROWS]) {
    // The length of the loop is a constant, so the compiler unrolls it and keeps the rows in
    // registers.
    for pair in 0..ROWS / 2 {
        let (group, at) = (pair / (GROUP / 2) * GROUP, pair % (GROUP / 2));
        let (low, high) = (group + at, group + GROUP - 1 - at);
        // SAFETY: the caller's promise.
        unsafe {
            let mirrored = whole_mirrored(rows[high]);
            let larger = rows[low].max(mirrored);
            rows[low] = rows[low].min(mirrored);
            rows[high] = whole_mirrored(larger);
        }
    }
}

/// Compares each row with the one `STEP` after it.
#[inline(always)]
unsafe fn compare_rows<R: Register, const ROWS: usize, const STEP: usize>(rows: &mut [R; ROWS]) {
    for pair in 0..ROWS / 2 {
        let low = pair / STEP * 2 * STEP + pair % STEP;
        // SAFETY: the caller's promise.
        unsafe {
            let larger = rows[low].max(rows[low + STEP]);
            rows[low] = rows[low].min(rows[low + STEP]);
            rows[low + STEP] = larger;
        }
    }
}

/// Puts the lanes of each row, which is a bitonic sequence, in order.
#[inline(always)]
unsafe fn merge_lanes<R: Register, const ROWS: usize>(rows: &mut [R; ROWS]) {
    for row in rows {
        // SAFETY: the caller's promise.
        unsafe { *row = merged_lanes(*row) };
    }
}

/// The lanes in order.
#[inline(always)]
unsafe fn sorted_lanes<R: Register>(mut row: R) -> R {
    // SAFETY: the caller's promise.
    unsafe {
        row = compared::<R, 1>(row, row.mirrored::<2>());
        row = compared::<R, 2>(row, row.mirrored::<4>());
        row = compared::<R, 1>(row, row.exchanged::<1>());
        row = compared::<R, 4>(row, row.mirrored::<8>());
        row = compared::<R, 2>(row, row.exchanged::<2>());
        row = compared::<R, 1>(row, row.exchanged::<1>());
        if R::LANES == 16 {
            row = compared::<R, 8>(row, row.mirrored::<16>());
            row = compared::<R, 4>(row, row.exchanged::<4>());
            row = compared::<R, 2>(row, row.exchanged::<2>());
            row = compared::<R, 1>(row, row.exchanged::<1>());
        }
        row
    }
}

/// The lanes of a bitonic sequence in order.
#[inline(always)]
unsafe fn merged_lanes<R: Register>(mut row: R) -> R {
    // SAFETY: the caller's promise.
    unsafe {
        if R::LANES == 16 {
            row = compared::<R, 8>(row, row.exchanged::<8>());
        }
        row = compared::<R, 4>(row, row.exchanged::<4>());
        row = compared::<R, 2>(row, row.exchanged::<2>());
        compared::<R, 1>(row, row.exchanged::<1>())
    }
}

#[inline(always)]
unsafe fn whole_mirrored<R: Register>(row: R) -> R {
    // SAFETY: the caller's promise.
    unsafe { if R::LANES == 16 { row.mirrored::<16>() } else { row.mirrored::<8>() } }
}

/// The smaller key where `i & STEP` is zero, the larger one elsewhere.
#[inline(always)]
unsafe fn compared<R: Register, const STEP: usize>(row: R, other: R) -> R {
    // SAFETY: the caller's promise.
    unsafe { row.min(other).mixed::<STEP>(row.max(other)) }
}
