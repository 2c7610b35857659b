// Operations on the rows and entries of sparse matrices. I is the type of columns, T is that of
// values, and S is that of sums. A definition selects the kernel that is compiled.
struct Pattern {
    u64 starts, ends, columns, rows, entries;
};

// The rows of the result, and of one or two matrices; unused ones have no rows.
struct Argument {
    Pattern result, a, b;
    u64 to, x, a_values, b_values;
    // The elements of x.
    u64 count;
};

#define THREADS 256

DEVICE u64 begin_of(const Pattern& p, u64 row) {
    const i64* starts = (const i64*)p.starts;
    return inside(starts[row], starts[0], p.entries);
}

DEVICE u64 end_of(const Pattern& p, u64 row) {
    u64 begin = begin_of(p, row);
    u64 end = inside(((const i64*)p.ends)[row], ((const i64*)p.starts)[0], p.entries);
    return end < begin ? begin : end;
}

DEVICE I column_of(const Pattern& p, u64 entry) { return ((const I*)p.columns)[entry]; }

// The last row in a range that begins at or before an entry.
DEVICE u64 row_within(const Pattern& p, u64 entry, u64 low, u64 high) {
    while (low < high) {
        u64 middle = low + (high - low + 1) / 2;
        if (begin_of(p, middle) <= entry) low = middle;
        else high = middle - 1;
    }
    return low;
}

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

#ifdef COUNT_KEPT
KERNEL(THREADS) count_kept(const Argument a) {
    ROW(a.a)
    i64 count = 0;
    for (u64 i = begin_of(a.a, row); i < end_of(a.a, row); i++) count += ((const u8*)a.x)[i] != 0;
    ((i64*)a.to)[row] = count;
}
#endif

#ifdef COPY_ROWS
KERNEL(THREADS) copy_rows(const Argument a) {
    ENTRY(a.result)
    u64 at = (u64)((const i64*)a.x)[row] + (entry - begin_of(a.result, row));
    if (at < a.count) ((T*)a.to)[entry] = ((const T*)a.a_values)[at];
}
#endif

#ifdef KEEP
KERNEL(THREADS) keep(const Argument a) {
    ROW(a.a)
    u64 to = begin_of(a.result, row), stop = end_of(a.result, row), end = end_of(a.a, row);
    for (u64 i = begin_of(a.a, row); i < end && to < stop; i++) {
        if (((const u8*)a.x)[i] != 0) ((T*)a.to)[to++] = ((const T*)a.a_values)[i];
    }
}
#endif

#ifdef FOLD
KERNEL(THREADS) fold(const Argument a) {
    ROW(a.a)
    u64 at = begin_of(a.a, row), end = end_of(a.a, row);
    T result = T();
    if (at < end) {
        S sum = WIDE(((const T*)a.a_values)[at]);
        for (at++; at < end; at++) sum = COMBINE(sum, WIDE(((const T*)a.a_values)[at]));
        result = NARROW(sum);
    }
    ((T*)a.to)[row] = result;
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

#if defined(UNION_COUNT) || defined(UNION)
// The columns of two sorted rows, written to `to` unless that is null. Returns their number.
DEVICE u64 unite(const Argument& a, u64 row, I* to, u64 most) {
    u64 i = begin_of(a.a, row), i_end = end_of(a.a, row);
    u64 j = begin_of(a.b, row), j_end = end_of(a.b, row);
    u64 count = 0;
    while (i < i_end || j < j_end) {
        I column;
        if (j >= j_end) column = column_of(a.a, i++);
        else if (i >= i_end) column = column_of(a.b, j++);
        else {
            I left = column_of(a.a, i), right = column_of(a.b, j);
            column = left < right ? left : right;
            i += left <= right;
            j += right <= left;
        }
        if (to && count < most) to[count] = column;
        count++;
    }
    return count;
}
#endif

#ifdef UNION_COUNT
KERNEL(THREADS) union_count(const Argument a) {
    ROW(a.a)
    ((i64*)a.to)[row] = (i64)unite(a, row, (I*)0, 0);
}
#endif

#ifdef UNION
KERNEL(THREADS) union_columns(const Argument a) {
    ROW(a.a)
    u64 begin = begin_of(a.result, row);
    unite(a, row, (I*)a.to + begin, end_of(a.result, row) - begin);
}
#endif

#if defined(PRODUCT_COUNT) || defined(PRODUCT_COLUMNS)
// The columns of a row of the product, ascending: in each turn, each of the LANES threads of a row
// finds the next column in the rows of B of some entries of A, and the least of them is the next
// column. Returns their number.
DEVICE u64 multiply(const Argument& a, u64 row, bool is_row, I* to, u64 most) {
    u64 lane = threadIdx.x % LANES;
    u64 begin = is_row ? begin_of(a.a, row) : 0, end = is_row ? end_of(a.a, row) : 0;
    bool is_first = true;
    I last = 0;
    u64 count = 0;
    for (;;) {
        bool has_next = false;
        I next = 0;
        for (u64 entry = begin + lane; entry < end; entry += LANES) {
            u64 k = (u64)(i64)column_of(a.a, entry);
            if (k >= a.b.rows) continue;
            u64 at = begin_of(a.b, k), stop = end_of(a.b, k);
            if (!is_first) at = lower(a.b, at, stop, (I)(last + 1));
            if (at < stop && (!has_next || column_of(a.b, at) < next)) {
                next = column_of(a.b, at);
                has_next = true;
            }
        }
#pragma unroll
        for (int other = LANES / 2; other > 0; other /= 2) {
            u32 from = (threadIdx.x % 32) ^ other;
            bool has = shuffle_from((u32)has_next, from) != 0;
            I column = shuffle_from(next, from);
            if (has && (!has_next || column < next)) {
                next = column;
                has_next = true;
            }
        }
        // All threads of a warp take part in the shuffles until the last row is done.
        if (ballot(has_next) == 0) return count;
        if (!has_next) continue;
        if (to && lane == 0 && count < most) to[count] = next;
        count++;
        last = next;
        is_first = false;
    }
}

#define PRODUCT_ROW \
    u64 row = ((u64)blockIdx.x * THREADS + threadIdx.x) / LANES; \
    bool is_row = row < a.a.rows;
#endif

#ifdef PRODUCT_COUNT
KERNEL(THREADS) product_count(const Argument a) {
    PRODUCT_ROW
    u64 count = multiply(a, row, is_row, (I*)0, 0);
    if (is_row && threadIdx.x % LANES == 0) ((i64*)a.to)[row] = (i64)count;
}
#endif

#ifdef PRODUCT_COLUMNS
KERNEL(THREADS) product_columns(const Argument a) {
    PRODUCT_ROW
    u64 begin = is_row ? begin_of(a.result, row) : 0;
    u64 most = is_row ? end_of(a.result, row) - begin : 0;
    multiply(a, row, is_row, (I*)a.to + begin, most);
}
#endif

#ifdef PRODUCT_VALUES
// An element of the product: the products of its row of A and its column of B, in their order.
KERNEL(THREADS) product_values(const Argument a) {
    ENTRY(a.result)
    I column = column_of(a.result, entry);
    S sum = S();
    for (u64 i = begin_of(a.a, row); i < end_of(a.a, row); i++) {
        u64 k = (u64)(i64)column_of(a.a, i);
        if (k >= a.b.rows) continue;
        u64 stop = end_of(a.b, k);
        T value = ((const T*)a.a_values)[i];
        for (u64 at = lower(a.b, begin_of(a.b, k), stop, column);
             at < stop && column_of(a.b, at) == column; at++) {
            sum = op_add(sum, op_multiply(WIDE(value), WIDE(((const T*)a.b_values)[at])));
        }
    }
    ((T*)a.to)[entry] = NARROW(sum);
}
#endif
