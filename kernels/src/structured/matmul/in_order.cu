// Products whose terms are added from the first to the last: an element has the same bits whatever
// block of the result a device computes, and the bits of the CPU's. A thread block computes a tile
// of the result; each thread, some of its rows and columns, whose sums stay in registers.
//
// T is the dtype; ROWS and COLUMNS are the numbers of rows and columns of a thread. A_TURNED and
// B_TURNED are 1 for an operand that is stored transposed.
struct Argument {
    u64 a, b, to;
    u64 m, k, n;
    // Whether the sums continue from what `to` holds.
    u64 adds;
    // The first product of the stack in this launch.
    u64 first;
};

#define SIDE 16
#define TERMS 8
// Neighbouring elements that a thread reads from shared memory at once.
#define PACK (16 / (int)sizeof(T))
// Elements of a term in shared memory, where terms begin at different banks.
#define STEP(TILE) (TILE + PACK)

struct alignas(16) Pack {
    T x[PACK];
};

#ifdef IS_COMPLEX
DEVICE T fused(T sum, T a, T b) {
    sum.re = fma(-a.im, b.im, fma(a.re, b.re, sum.re));
    sum.im = fma(a.im, b.re, fma(a.re, b.im, sum.im));
    return sum;
}
#else
DEVICE T fused(T sum, T a, T b) { return fma(a, b, sum); }
#endif

// The row or column of a tile that is a thread's `i`-th.
DEVICE int own(int i, int at) { return i / PACK * (SIDE * PACK) + at * PACK + i % PACK; }

template <int COUNT> DEVICE void read_own(T (&x)[COUNT], const T* row, int at) {
#pragma unroll
    for (int i = 0; i < COUNT; i += PACK) {
        Pack pack = *(const Pack*)(row + own(i, at));
#pragma unroll
        for (int j = 0; j < PACK; j++) x[i + j] = pack.x[j];
    }
}

// A part of an operand on its way to shared memory: some terms of each line, which is a row (of the
// left operand) or a column (of the right one) of a tile with TILE lines. ALONG says that terms are
// neighbours in memory.
template <int TILE, bool ALONG> struct Part {
    static constexpr int LOADS = TILE * TERMS / (SIDE * SIDE);
    const T* from;
    T x[LOADS];
    // Elements from one line, and from one term, to the next; the lines that the operand has.
    u64 of_line, of_term;
    i64 lines;
};

// The line and the term of a part's `l`-th element.
template <int TILE, bool ALONG> DEVICE int line_of(int l) {
    int at = l * (SIDE * SIDE) + threadIdx.x;
    return ALONG ? at / TERMS : at % TILE;
}
template <int TILE, bool ALONG> DEVICE int term_of(int l) {
    int at = l * (SIDE * SIDE) + threadIdx.x;
    return ALONG ? at % TERMS : at / TILE;
}

// The part that begins at the line `first` of an operand with `extent` lines.
template <int TILE, bool ALONG>
DEVICE void first_part(Part<TILE, ALONG>& part, const T* operand, u64 first, u64 extent, u64 terms) {
    part.of_line = ALONG ? terms : 1;
    part.of_term = ALONG ? 1 : extent;
    part.lines = (i64)(extent - first);
    part.from = operand + first * part.of_line;
}

// Reads the next terms, of which `left` are left.
template <int TILE, bool ALONG> DEVICE void load_part(Part<TILE, ALONG>& part, u64 left) {
#pragma unroll
    for (int l = 0; l < part.LOADS; l++) {
        int line = line_of<TILE, ALONG>(l), term = term_of<TILE, ALONG>(l);
        const T* from = part.from + line * part.of_line + term * part.of_term;
        part.x[l] = line < part.lines && term < left ? *from : T();
    }
    part.from += TERMS * part.of_term;
}

template <int TILE, bool ALONG> DEVICE void keep_part(const Part<TILE, ALONG>& part, Pack* room) {
#pragma unroll
    for (int l = 0; l < part.LOADS; l++) {
        int line = line_of<TILE, ALONG>(l), term = term_of<TILE, ALONG>(l);
        ((T*)room)[term * STEP(TILE) + line] = part.x[l];
    }
}

#define HIGH (SIDE * ROWS)
#define WIDE (SIDE * COLUMNS)

KERNEL(SIDE * SIDE, BLOCKS) multiply_in_order(const Argument p) {
    SHARED Pack kept_a[2][TERMS * STEP(HIGH) / PACK], kept_b[2][TERMS * STEP(WIDE) / PACK];
    u64 across = (p.n + WIDE - 1) / WIDE, tiles = (p.m + HIGH - 1) / HIGH * across;
    u64 stack = p.first + blockIdx.x / tiles, tile = blockIdx.x % tiles;
    u64 row = tile / across * HIGH, column = tile % across * WIDE;
    T* to = (T*)p.to + stack * p.m * p.n;
    int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;

    T sums[ROWS][COLUMNS];
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
#pragma unroll
        for (int j = 0; j < COLUMNS; j++) {
            u64 r = row + own(i, y), c = column + own(j, x);
            sums[i][j] = p.adds && r < p.m && c < p.n ? to[r * p.n + c] : T();
        }
    }
    Part<HIGH, !A_TURNED> a;
    Part<WIDE, B_TURNED> b;
    first_part(a, (const T*)p.a + stack * p.m * p.k, row, p.m, p.k);
    first_part(b, (const T*)p.b + stack * p.k * p.n, column, p.n, p.k);
    auto add = [&](int turn, int count) {
#pragma unroll
        for (int term = 0; term < TERMS; term++) {
            if (term >= count) break;
            T left[ROWS], right[COLUMNS];
            read_own(left, (const T*)kept_a[turn] + term * STEP(HIGH), y);
            read_own(right, (const T*)kept_b[turn] + term * STEP(WIDE), x);
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
#pragma unroll
                for (int j = 0; j < COLUMNS; j++) sums[i][j] = fused(sums[i][j], left[i], right[j]);
            }
        }
    };
    u64 left = p.k;
    load_part(a, left);
    load_part(b, left);
    keep_part(a, kept_a[0]);
    keep_part(b, kept_b[0]);
    barrier();
    int turn = 0;
    while (left > TERMS) {
        left -= TERMS;
        load_part(a, left);
        load_part(b, left);
        add(turn, TERMS);
        turn = 1 - turn;
        keep_part(a, kept_a[turn]);
        keep_part(b, kept_b[turn]);
        barrier();
    }
    // Terms beyond the last would make a zero of a negative one, and NaN of infinities.
    add(turn, (int)left);
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
#pragma unroll
        for (int j = 0; j < COLUMNS; j++) {
            u64 r = row + own(i, y), c = column + own(j, x);
            if (r < p.m && c < p.n) to[r * p.n + c] = sums[i][j];
        }
    }
}
