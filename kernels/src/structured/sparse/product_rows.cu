// The product of a sparse matrix and a vector in some rows. The vector has two parts, one behind the
// other. A thread has a row and adds its products in their order; a warp adds those of a longer row.
// I is the type of columns, S is the type of sums. ADD, MULTIPLY and ZERO, the sum of no products,
// are those of the semiring.
struct Argument {
    Pattern matrix;
    u64 values, x, received, wanted, to;
    // Elements of x and of what was received, wanted rows.
    u64 length, others, count;
};

#define THREADS 256
#define LONG 64

DEVICE S product(const Argument& a, u64 entry) {
    u64 column = (u64)(i64)((const I*)a.matrix.columns)[entry];
    const T* x = (const T*)a.x;
    u64 length = a.length;
    if (column >= length) {
        column -= length;
        x = (const T*)a.received;
        length = a.others;
    }
    if (column >= length) return ZERO;
    return MULTIPLY(WIDE(((const T*)a.values)[entry]), WIDE(x[column]));
}

KERNEL(THREADS) product_rows(const Argument a) {
    SHARED u64 rows[THREADS], begins[THREADS], stops[THREADS];
    u64 at = (u64)blockIdx.x * THREADS + threadIdx.x, row = a.matrix.rows;
    if (at < a.count) row = (u64)((const i64*)a.wanted)[at];
    bool is_row = row < a.matrix.rows;
    u64 begin = is_row ? begin_of(a.matrix, row) : 0, stop = is_row ? end_of(a.matrix, row) : 0;
    bool is_short = stop - begin <= LONG;
    if (is_row && is_short) {
        S sum = ZERO;
#pragma unroll 4
        for (u64 i = begin; i < stop; i++) sum = ADD(sum, product(a, i));
        ((T*)a.to)[row] = NARROW(sum);
    }
    if (barrier_all(is_short)) return;
    rows[threadIdx.x] = row;
    begins[threadIdx.x] = begin;
    stops[threadIdx.x] = stop;
    barrier();
    int lane = threadIdx.x % 32;
    for (int of = threadIdx.x / 32; of < THREADS; of += THREADS / 32) {
        if (stops[of] - begins[of] <= LONG) continue;
        S sum = ZERO;
#pragma unroll 4
        for (u64 i = begins[of] + lane; i < stops[of]; i += 32) sum = ADD(sum, product(a, i));
#pragma unroll
        for (int other = 16; other > 0; other /= 2) sum = ADD(sum, shuffle_down(sum, other));
        if (lane == 0) ((T*)a.to)[rows[of]] = NARROW(sum);
    }
}
