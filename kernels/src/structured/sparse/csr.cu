// The product of a sparse matrix in rows and a vector. A thread block has 256 rows. If the entries
// of these rows are contiguous and few enough, its threads read consecutive entries, and each
// thread adds the products of its own row in their order. Otherwise a warp has a row, or all
// threads have a long row. I is the type of columns, S is the type of sums. ADD, MULTIPLY and ZERO,
// the sum of no products, are those of the semiring.
struct Argument {
    u64 starts, ends, columns, values, x, to;
    // Rows, entries of the device's block, elements of the vector.
    u64 rows, entries, length;
};

#define THREADS 256
#define PRODUCTS (24576 / sizeof(S))
#define LONG 8192

DEVICE S product(const Argument& a, u64 entry) {
    u64 column = (u64)(i64)((const I*)a.columns)[entry];
    T value = ((const T*)a.values)[entry];
    if (column >= a.length) return ZERO;
    return MULTIPLY(WIDE(value), WIDE(((const T*)a.x)[column]));
}

// The sum over the threads of a warp; only the first thread returns the whole sum.
DEVICE S warp_sum(S sum) {
#pragma unroll
    for (int other = 16; other > 0; other /= 2) sum = ADD(sum, shuffle_down(sum, other));
    return sum;
}

// The product with a matrix: a thread for each element of the result, threads along its rows.
struct Matrix {
    u64 starts, ends, columns, values, x, to;
    // Rows, entries of the device's block, rows of x, columns of x.
    u64 rows, entries, length, width;
};

KERNEL(THREADS) spmm(const Matrix a) {
    u64 at = (u64)blockIdx.x * THREADS + threadIdx.x;
    u64 row = at / a.width, place = at % a.width;
    if (row >= a.rows) return;
    i64 origin = ((const i64*)a.starts)[0];
    u64 entry = inside(((const i64*)a.starts)[row], origin, a.entries);
    u64 stop = inside(((const i64*)a.ends)[row], origin, a.entries);
    S sum = ZERO;
#pragma unroll 4
    for (; entry < stop; entry++) {
        u64 column = (u64)(i64)((const I*)a.columns)[entry];
        if (column >= a.length) continue;
        T value = ((const T*)a.values)[entry];
        sum = ADD(sum, MULTIPLY(WIDE(value), WIDE(((const T*)a.x)[column * a.width + place])));
    }
    ((T*)a.to)[at] = NARROW(sum);
}

KERNEL(THREADS) spmv(const Argument a) {
    SHARED alignas(16) char memory[PRODUCTS * sizeof(S)];
    SHARED u64 begins[THREADS], stops[THREADS];
    S* products = (S*)memory;
    u64 first = (u64)blockIdx.x * THREADS;
    int rows = (int)(a.rows - first < THREADS ? a.rows - first : THREADS);
    i64 origin = ((const i64*)a.starts)[0];
    u64 begin = 0, stop = 0;
    if (threadIdx.x < rows) {
        begin = inside(((const i64*)a.starts)[first + threadIdx.x], origin, a.entries);
        stop = inside(((const i64*)a.ends)[first + threadIdx.x], origin, a.entries);
        if (stop < begin) stop = begin;
    }
    begins[threadIdx.x] = begin;
    stops[threadIdx.x] = stop;
    barrier();
    u64 low = begins[0], high = stops[rows - 1];
    bool is_own = threadIdx.x >= rows || (begin >= low && stop <= high);
    bool is_near = high >= low && high - low <= PRODUCTS;
    if (barrier_all(is_own && is_near)) {
        int count = (int)(high - low);
#pragma unroll 4
        for (int i = threadIdx.x; i < count; i += THREADS) products[i] = product(a, low + i);
        barrier();
        if (threadIdx.x >= rows) return;
        S sum = ZERO;
        for (int i = (int)(begin - low); i < (int)(stop - low); i++) sum = ADD(sum, products[i]);
        ((T*)a.to)[first + threadIdx.x] = NARROW(sum);
        return;
    }
    int lane = threadIdx.x % 32;
    for (int row = threadIdx.x / 32; row < rows; row += THREADS / 32) {
        if (stops[row] - begins[row] > LONG) continue;
        S sum = ZERO;
#pragma unroll 4
        for (u64 i = begins[row] + lane; i < stops[row]; i += 32) sum = ADD(sum, product(a, i));
        sum = warp_sum(sum);
        if (lane == 0) ((T*)a.to)[first + row] = NARROW(sum);
    }
    for (int row = 0; row < rows; row++) {
        if (stops[row] - begins[row] <= LONG) continue;
        S sum = ZERO;
#pragma unroll 4
        for (u64 i = begins[row] + threadIdx.x; i < stops[row]; i += THREADS) {
            sum = ADD(sum, product(a, i));
        }
        sum = warp_sum(sum);
        barrier();
        if (lane == 0) products[threadIdx.x / 32] = sum;
        barrier();
        if (threadIdx.x == 0) {
            for (int warp = 1; warp < THREADS / 32; warp++) sum = ADD(sum, products[warp]);
            ((T*)a.to)[first + row] = NARROW(sum);
        }
    }
}
