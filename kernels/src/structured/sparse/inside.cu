// The rows of a matrix in a device's block of entries.
struct Pattern {
    u64 starts, ends, columns, rows, entries;
};

// An entry's position in the device's block, cut to the range of the block.
DEVICE u64 inside(i64 position, i64 origin, u64 entries) {
    if (position <= origin) return 0;
    u64 at = (u64)position - (u64)origin;
    return at < entries ? at : entries;
}

DEVICE u64 begin_of(const Pattern& p, u64 row) {
    const i64* starts = (const i64*)p.starts;
    return inside(starts[row], starts[0], p.entries);
}

DEVICE u64 end_of(const Pattern& p, u64 row) {
    u64 begin = begin_of(p, row);
    u64 end = inside(((const i64*)p.ends)[row], ((const i64*)p.starts)[0], p.entries);
    return end < begin ? begin : end;
}

// The last row in a range that begins at or before an entry.
DEVICE u64 row_within(const Pattern& p, u64 entry, u64 low, u64 high) {
    while (low < high) {
        u64 middle = low + (high - low + 1) / 2;
        if (begin_of(p, middle) <= entry) low = middle;
        else high = middle - 1;
    }
    return low;
}

