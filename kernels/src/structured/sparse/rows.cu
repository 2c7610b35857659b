// Operations on the rows and entries of sparse matrices. I is the type of columns, T is that of
// values, and S is that of sums. A definition selects the kernel that is compiled.
// The rows of the result, and of one or two matrices; unused ones have no rows.
struct Argument {
    Pattern result, a, b;
    u64 to, x, a_values, b_values;
    // The elements of x.
    u64 count;
};

#define THREADS 256

DEVICE I column_of(const Pattern& p, u64 entry) { return ((const I*)p.columns)[entry]; }

// The row of the entry of this thread; its thread block has neighbouring entries.
DEVICE u64 row_of(const Pattern& p, u64 entry) {
    SHARED u64 range[2];
    if (threadIdx.x < 2) {
        u64 first = (u64)blockIdx.x * THREADS;
        u64 last = first + THREADS - 1 < p.entries ? first + THREADS - 1 : p.entries - 1;
        range[threadIdx.x] = row_within(p, threadIdx.x == 0 ? first : last, 0, p.rows - 1);
    }
    barrier();
    return row_within(p, entry, range[0], range[1]);
}

// The first entry of a sorted row whose column is not less than one; the end if there is none.
DEVICE u64 lower(const Pattern& p, u64 begin, u64 end, I column) {
    while (begin < end) {
        u64 middle = begin + (end - begin) / 2;
        if (column_of(p, middle) < column) begin = middle + 1;
        else end = middle;
    }
    return begin;
}

#define ENTRY(p) \
    u64 entry = (u64)blockIdx.x * THREADS + threadIdx.x; \
    u64 row = row_of(p, entry); \
    if (entry >= p.entries) return;

#define ROW(p) \
    u64 row = (u64)blockIdx.x * THREADS + threadIdx.x; \
    if (row >= p.rows) return;

#ifdef SPREAD
KERNEL(THREADS) spread(const Argument a) {
    ENTRY(a.result)
    ((T*)a.to)[entry] = ((const T*)a.x)[row];
}
#endif

#ifdef RISES
KERNEL(THREADS) rises(const Argument a) {
    ENTRY(a.result)
    u8 order = 2;
    if (entry > begin_of(a.result, row)) {
        I before = column_of(a.result, entry - 1), column = column_of(a.result, entry);
        order = before < column ? 2 : before == column ? 1 : 0;
    }
    ((u8*)a.to)[entry] = order;
}
#endif

#ifdef PICK
KERNEL(THREADS) pick(const Argument a) {
    u64 entry = (u64)blockIdx.x * THREADS + threadIdx.x;
    if (entry >= a.result.entries) return;
    u64 at = (u64)((const i64*)a.result.columns)[entry];
    ((T*)a.to)[entry] = at < a.count ? ((const T*)a.x)[at] : T();
}
#endif

#ifdef JOIN
KERNEL(THREADS) join(const Argument a) {
    u64 entry = (u64)blockIdx.x * THREADS + threadIdx.x;
    if (entry >= a.result.entries) return;
    bool is_first = entry < a.count;
    const T* from = (const T*)(is_first ? a.x : a.a_values);
    ((T*)a.to)[entry] = from[is_first ? entry : entry - a.count];
}
#endif

#ifdef RENUMBER
KERNEL(THREADS) renumber(const Argument a) {
    u64 entry = (u64)blockIdx.x * THREADS + threadIdx.x;
    if (entry >= a.result.entries) return;
    i64 column = (i64)column_of(a.result, entry);
    u64 low = 0, high = a.count;
    while (low < high) {
        u64 middle = low + (high - low) / 2;
        if (((const i64*)a.x)[middle] < column) low = middle + 1;
        else high = middle;
    }
    ((i32*)a.to)[entry] = (i32)low;
}
#endif

#ifdef KEYS
// A key for each entry: its row, and its column in the lowest 31 bits.
KERNEL(THREADS) keys(const Argument a) {
    ENTRY(a.result)
    ((u64*)a.to)[entry] = row << 31 | (u64)column_of(a.result, entry);
}
#endif

#ifdef ORDER
// Whether an entry stands before another one of its row.
DEVICE bool stands_before(const Pattern& p, i64 entry, i64 other) {
    I column = column_of(p, (u64)entry), next = column_of(p, (u64)other);
    return column < next || (column == next && entry < other);
}

// Moves the entry at the root of a heap down to its place.
DEVICE void sink(const Pattern& p, i64* order, u64 root, u64 count) {
    i64 entry = order[root];
    for (u64 child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && stands_before(p, order[child], order[child + 1])) child++;
        if (!stands_before(p, entry, order[child])) break;
        order[root] = order[child];
        root = child;
    }
    order[root] = entry;
}

KERNEL(THREADS) order(const Argument a) {
    ROW(a.result)
    u64 begin = begin_of(a.result, row), count = end_of(a.result, row) - begin;
    i64* order = (i64*)a.to + begin;
    for (u64 i = 0; i < count; i++) order[i] = (i64)(begin + i);
    if (count <= 32) {
        for (u64 i = 1; i < count; i++) {
            i64 entry = order[i];
            u64 at = i;
            for (; at > 0 && stands_before(a.result, entry, order[at - 1]); at--) {
                order[at] = order[at - 1];
            }
            order[at] = entry;
        }
        return;
    }
    for (u64 i = count / 2; i-- > 0;) sink(a.result, order, i, count);
    for (u64 last = count - 1; last > 0; last--) {
        i64 greatest = order[0];
        order[0] = order[last];
        order[last] = greatest;
        sink(a.result, order, 0, last);
    }
}
#endif

#ifdef COPY_ROWS
KERNEL(THREADS) copy_rows(const Argument a) {
    ENTRY(a.result)
    u64 at = (u64)((const i64*)a.x)[row] + (entry - begin_of(a.result, row));
    if (at < a.count) ((T*)a.to)[entry] = ((const T*)a.a_values)[at];
}
#endif

#ifdef ALIGN
KERNEL(THREADS) align(const Argument a) {
    ENTRY(a.result)
    I column = column_of(a.result, entry);
    u64 end = end_of(a.a, row);
    u64 at = lower(a.a, begin_of(a.a, row), end, column);
    T result = T();
    if (at < end && column_of(a.a, at) == column) {
        S sum = WIDE(((const T*)a.a_values)[at]);
        for (at++; at < end && column_of(a.a, at) == column; at++) {
            sum = op_add(sum, WIDE(((const T*)a.a_values)[at]));
        }
        result = NARROW(sum);
    }
    ((T*)a.to)[entry] = result;
}
#endif

