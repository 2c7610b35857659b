// Products of rows of two matrices at the entries of a sparse matrix, multiplied by its values.
// LANES neighbouring threads of a warp have an entry. I is the type of columns, T is that of values,
// and S is that of sums.
struct Argument {
    // The rows of the sparse matrix.
    Pattern own;
    u64 values, x, y, to;
    // Rows of y, columns of x and y.
    u64 length, width;
};

#define THREADS 256

KERNEL(THREADS) sampled(const Argument a) {
    SHARED u64 range[2];
    u64 first = (u64)blockIdx.x * (THREADS / LANES), entry = first + threadIdx.x / LANES;
    if (threadIdx.x < 2) {
        u64 last = first + THREADS / LANES - 1;
        if (last >= a.own.entries) last = a.own.entries - 1;
        range[threadIdx.x] = row_within(a.own, threadIdx.x == 0 ? first : last, 0, a.own.rows - 1);
    }
    barrier();
    bool is_entry = entry < a.own.entries;
    u32 lane = threadIdx.x % LANES;
    S sum = S();
    u64 column = is_entry ? (u64)(i64)((const I*)a.own.columns)[entry] : a.length;
    if (column < a.length) {
        u64 row = row_within(a.own, entry, range[0], range[1]);
        const T* x = (const T*)a.x + row * a.width;
        const T* y = (const T*)a.y + column * a.width;
#pragma unroll 4
        for (u64 i = lane; i < a.width; i += LANES) {
            sum = op_add(sum, op_multiply(WIDE(x[i]), WIDE(y[i])));
        }
    }
#pragma unroll
    for (int other = LANES / 2; other > 0; other /= 2) sum = op_add(sum, shuffle_down(sum, other));
    if (!is_entry || lane != 0) return;
    T product = NARROW(sum);
    // Added to zero as on the CPU, so that zeros have the same sign.
    S scaled = op_multiply(WIDE(((const T*)a.values)[entry]), WIDE(product));
    ((T*)a.to)[entry] = NARROW(op_add(S(), scaled));
}
