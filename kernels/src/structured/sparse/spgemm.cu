// The product of two sparse matrices. LANES threads share a row of A. The rows of B are sorted and
// have no duplicates. ADD, MULTIPLY and ZERO, the sum of no products, are those of the semiring.
#define END ((I)((u64)~(u64)0 >> (65 - 8 * sizeof(I))))

// The first column of an entry, or END.
DEVICE I column_before(const Pattern& p, u64 at, u64 stop) { return at < stop ? column_of(p, at) : END; }

#if defined(PRODUCT_COUNT) || defined(PRODUCT_COLUMNS)
// The columns of a row of the product, ascending: in each turn, the next column is the least one
// that any row of B has next. A thread remembers where it is in the first of its rows of B, and
// searches in the others. Returns their number.
DEVICE u64 multiply(const Argument& a, u64 row, bool is_row, I* to, u64 most) {
    u64 lane = threadIdx.x % LANES;
    u64 begin = is_row ? begin_of(a.a, row) : 0, end = is_row ? end_of(a.a, row) : 0;
    u64 at = 0, stop = 0;
    if (begin + lane < end) {
        u64 k = (u64)(i64)column_of(a.a, begin + lane);
        if (k < a.b.rows) {
            at = begin_of(a.b, k);
            stop = end_of(a.b, k);
        }
    }
    I own = column_before(a.b, at, stop);
    bool is_first = true;
    I last = 0;
    u64 count = 0;
    for (;;) {
        I next = own;
        for (u64 entry = begin + lane + LANES; entry < end; entry += LANES) {
            u64 k = (u64)(i64)column_of(a.a, entry);
            if (k >= a.b.rows) continue;
            u64 from = begin_of(a.b, k), until = end_of(a.b, k);
            if (!is_first) from = lower(a.b, from, until, (I)(last + 1));
            I column = column_before(a.b, from, until);
            if (column < next) next = column;
        }
#pragma unroll
        for (int other = LANES / 2; other > 0; other /= 2) {
            I column = shuffle_from(next, (threadIdx.x % 32) ^ other);
            if (column < next) next = column;
        }
        // All threads of a warp take part in the shuffles until the last row is done.
        if (ballot(next != END) == 0) return count;
        if (next == END) continue;
        if (to && lane == 0 && count < most) to[count] = next;
        count++;
        if (own == next) own = column_before(a.b, ++at, stop);
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
#define TEAMS (THREADS / LANES)
// The elements that a team adds up at a time.
#define PART (16384 / sizeof(S) / TEAMS)

// The elements of a row of the product, by parts. The team takes the entries of A in their order,
// so an element is the sum of its products in that order; the threads share a row of B, whose
// columns differ, so no two of them add to one element.
KERNEL(THREADS) product_values(const Argument a) {
    SHARED alignas(16) char memory[TEAMS * PART * sizeof(S)];
    u64 row = ((u64)blockIdx.x * THREADS + threadIdx.x) / LANES;
    u64 lane = threadIdx.x % LANES;
    S* sums = (S*)memory + threadIdx.x / LANES * PART;
    bool is_row = row < a.result.rows;
    u64 begin = is_row ? begin_of(a.result, row) : 0, end = is_row ? end_of(a.result, row) : 0;
    u64 a_begin = is_row ? begin_of(a.a, row) : 0, a_end = is_row ? end_of(a.a, row) : 0;
    // All threads of a warp take part until the last row is done.
    for (u64 first = begin; ballot(first < end) != 0; first += PART) {
        u64 stop = first + PART < end ? first + PART : end;
        for (u64 i = first + lane; i < stop; i += LANES) sums[i - first] = ZERO;
        warp_barrier();
        for (u64 entry = a_begin; ballot(first < end && entry < a_end) != 0; entry++) {
            if (first < end && entry < a_end) {
                u64 k = (u64)(i64)column_of(a.a, entry);
                if (k < a.b.rows) {
                    S factor = WIDE(((const T*)a.a_values)[entry]);
                    u64 at = begin_of(a.b, k), until = end_of(a.b, k);
                    if (first > begin) at = lower(a.b, at, until, column_of(a.result, first));
                    for (at += lane; at < until; at += LANES) {
                        I column = column_of(a.b, at);
                        u64 place = lower(a.result, first, stop, column);
                        if (place >= stop) break;
                        S& sum = sums[place - first];
                        S value = WIDE(((const T*)a.b_values)[at]);
                        sum = ADD(sum, MULTIPLY(factor, value));
                    }
                }
            }
            warp_barrier();
        }
        for (u64 i = first + lane; i < stop; i += LANES) {
            ((T*)a.to)[i] = NARROW(sums[i - first]);
        }
        warp_barrier();
    }
}
#endif
