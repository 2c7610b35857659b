// Products of a matrix that has far more entries in some rows than in others: threads have equally
// many entries, whatever their rows. The entries are cut into tiles. A row that ends in a tile and
// begins in an earlier one is added up from parts that the tiles leave: `heads` are the parts of
// the rows that end, and `tails` those of the rows that go on. Compare D. Merrill, M. Garland,
// "Merge-based parallel sparse matrix-vector multiplication", SC16. ADD, MULTIPLY and ZERO, the sum
// of no products, are those of the semiring.
struct Argument {
    Pattern matrix;
    u64 values, x, to;
    // Rows of x, columns of x.
    u64 length, width;
    // For each tile: the row of its first entry, and the row whose part is its head.
    u64 rows_of_tiles, rows_of_heads;
    u64 heads, tails;
};

#define THREADS 256
#define ITEMS 8
#define NONE (~(u64)0)
// The entries of a tile: those of a thread block for a vector, of a warp for a matrix.
#ifdef VECTOR
#define TILE (THREADS * ITEMS)
#else
#define TILE 128
#endif

DEVICE S product(const Argument& a, u64 entry, u64 place) {
    u64 column = (u64)(i64)((const I*)a.matrix.columns)[entry];
    if (column >= a.length) return ZERO;
    T value = ((const T*)a.values)[entry];
    return MULTIPLY(WIDE(value), WIDE(((const T*)a.x)[column * a.width + place]));
}

// The next row that ends behind an entry.
DEVICE u64 row_behind(const Argument& a, u64 row, u64 entry) {
    do row++;
    while (row + 1 < a.matrix.rows && end_of(a.matrix, row) <= entry);
    return row;
}

// The row of the first entry of each tile; no tile has a head yet. A warp finds it, by comparing
// 32 rows at a time.
KERNEL(THREADS) find_rows(const Argument a) {
    u64 tile = ((u64)blockIdx.x * THREADS + threadIdx.x) / 32;
    if (tile * TILE >= a.matrix.entries) return;
    u64 lane = threadIdx.x % 32, low = 0, high = a.matrix.rows - 1;
    while (low < high) {
        u64 step = (high - low + 31) / 32;
        u64 row = low + (lane + 1) * step;
        u32 ahead = ballot(row <= high && begin_of(a.matrix, row) <= tile * TILE);
        low += count_ones(ahead) * step;
        high = low + step - 1 < high ? low + step - 1 : high;
    }
    if (lane == 0) {
        ((u64*)a.rows_of_heads)[tile] = NONE;
        ((u64*)a.rows_of_tiles)[tile] = low;
    }
}

// Rows without entries.
KERNEL(THREADS) clear(const Argument a) {
    u64 at = (u64)blockIdx.x * THREADS + threadIdx.x;
    if (at < a.matrix.rows * a.width) ((T*)a.to)[at] = NARROW(ZERO);
}

#ifdef VECTOR
KERNEL(THREADS) tiles(const Argument a) {
    SHARED alignas(16) char memory[(TILE + THREADS) * sizeof(S)];
    SHARED alignas(16) char scanned[THREADS * sizeof(S)];
    SHARED bool has_ended[THREADS];
    // An unused place after each thread's products keeps threads in different banks.
    S* products = (S*)memory;
    S* sums = (S*)scanned;
    u64 tile = blockIdx.x, first = tile * TILE;
    u64 stop = first + TILE < a.matrix.entries ? first + TILE : a.matrix.entries;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        u32 at = i * THREADS + threadIdx.x;
        if (first + at < stop) products[at + at / ITEMS] = product(a, first + at, 0);
    }
    u64 low = ((const u64*)a.rows_of_tiles)[tile];
    u64 high = stop < a.matrix.entries ? ((const u64*)a.rows_of_tiles)[tile + 1] : a.matrix.rows - 1;
    barrier();
    u64 at = first + threadIdx.x * ITEMS, end = at + ITEMS < stop ? at + ITEMS : stop;
    const S* own = products + threadIdx.x * (ITEMS + 1);
    S sum = ZERO, head = ZERO;
    u64 head_row = NONE;
    bool ended = false;
    if (at < end) {
        u64 row = row_within(a.matrix, at, low, high), row_end = end_of(a.matrix, row);
        // Whether threads before this one have entries of the row.
        bool is_begun = begin_of(a.matrix, row) < at;
        for (; at < end; at++) {
            sum = ADD(sum, *own++);
            if (at + 1 != row_end) continue;
            if (is_begun) {
                head = sum;
                head_row = row;
            } else {
                ((T*)a.to)[row] = NARROW(sum);
            }
            sum = ZERO;
            is_begun = false;
            ended = true;
            if (at + 1 < end) {
                row = row_behind(a, row, at + 1);
                row_end = end_of(a.matrix, row);
            }
        }
    }
    // The sums of the rows that go on, from the thread in which they begin.
    sums[threadIdx.x] = sum;
    has_ended[threadIdx.x] = ended;
    for (u32 distance = 1; distance < THREADS; distance *= 2) {
        barrier();
        bool is_open = threadIdx.x >= distance && !ended;
        S left = is_open ? sums[threadIdx.x - distance] : ZERO;
        bool left_ended = is_open && has_ended[threadIdx.x - distance];
        barrier();
        if (is_open) {
            sum = ADD(left, sum);
            ended = left_ended;
            sums[threadIdx.x] = sum;
            has_ended[threadIdx.x] = ended;
        }
    }
    barrier();
    if (head_row != NONE) {
        if (threadIdx.x > 0) head = ADD(sums[threadIdx.x - 1], head);
        if (begin_of(a.matrix, head_row) < first) {
            ((u64*)a.rows_of_heads)[tile] = head_row;
            ((S*)a.heads)[tile] = head;
        } else {
            ((T*)a.to)[head_row] = NARROW(head);
        }
    }
    if (threadIdx.x == THREADS - 1) ((S*)a.tails)[tile] = sum;
}
#else
KERNEL(THREADS) tiles(const Argument a) {
    u64 groups = (a.width + 31) / 32;
    u64 warp = ((u64)blockIdx.x * THREADS + threadIdx.x) / 32;
    u64 tile = warp / groups, place = warp % groups * 32 + threadIdx.x % 32;
    u64 first = tile * TILE;
    if (first >= a.matrix.entries || place >= a.width) return;
    u64 stop = first + TILE < a.matrix.entries ? first + TILE : a.matrix.entries;
    u64 row = ((const u64*)a.rows_of_tiles)[tile], row_end = end_of(a.matrix, row);
    bool is_begun = begin_of(a.matrix, row) < first;
    S sum = ZERO;
    for (u64 base = first; base < stop; base += ITEMS) {
        S products[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            products[i] = base + i < stop ? product(a, base + i, place) : ZERO;
        }
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            u64 at = base + i;
            if (at >= stop) break;
            sum = ADD(sum, products[i]);
            if (at + 1 != row_end) continue;
            if (is_begun) {
                ((u64*)a.rows_of_heads)[tile] = row;
                ((S*)a.heads)[tile * a.width + place] = sum;
            } else {
                ((T*)a.to)[row * a.width + place] = NARROW(sum);
            }
            sum = ZERO;
            is_begun = false;
            if (at + 1 < stop) {
                row = row_behind(a, row, at + 1);
                row_end = end_of(a.matrix, row);
            }
        }
    }
    ((S*)a.tails)[tile * a.width + place] = sum;
}
#endif

// The rows that begin in one tile and end in another one.
#ifdef VECTOR
// A warp adds the parts of a row.
KERNEL(THREADS) join(const Argument a) {
    u64 tile = ((u64)blockIdx.x * THREADS + threadIdx.x) / 32;
    u32 lane = threadIdx.x % 32;
    u64 row = tile * TILE < a.matrix.entries ? ((const u64*)a.rows_of_heads)[tile] : NONE;
    if (row == NONE) return;
    S sum = ZERO;
    for (u64 from = begin_of(a.matrix, row) / TILE + lane; from < tile; from += 32) {
        sum = ADD(sum, ((const S*)a.tails)[from]);
    }
#pragma unroll
    for (int other = 16; other > 0; other /= 2) sum = ADD(sum, shuffle_down(sum, other));
    if (lane == 0) ((T*)a.to)[row] = NARROW(ADD(sum, ((const S*)a.heads)[tile]));
}
#else
// A thread adds the parts of an element; the threads of a warp have neighbouring ones.
KERNEL(THREADS) join(const Argument a) {
    u64 groups = (a.width + 31) / 32;
    u64 warp = ((u64)blockIdx.x * THREADS + threadIdx.x) / 32;
    u64 tile = warp / groups, place = warp % groups * 32 + threadIdx.x % 32;
    u64 row = tile * TILE < a.matrix.entries ? ((const u64*)a.rows_of_heads)[tile] : NONE;
    if (row == NONE || place >= a.width) return;
    S sum = ZERO;
    for (u64 from = begin_of(a.matrix, row) / TILE; from < tile; from += ITEMS) {
        S parts[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            parts[i] = from + i < tile ? ((const S*)a.tails)[(from + i) * a.width + place] : ZERO;
        }
#pragma unroll
        for (int i = 0; i < ITEMS; i++) sum = ADD(sum, parts[i]);
    }
    sum = ADD(sum, ((const S*)a.heads)[tile * a.width + place]);
    ((T*)a.to)[row * a.width + place] = NARROW(sum);
}
#endif
