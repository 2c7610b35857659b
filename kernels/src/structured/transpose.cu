// Transposed copies of consecutive matrices, by squares in shared memory.
struct Argument {
    u64 from, to;
    // The extents of each source matrix.
    u64 rows, columns;
    // Elements from a row to the next and from a matrix to the next, in the source and the result.
    u64 from_row, from_matrix, to_row, to_matrix;
    u64 count;
    // Whether the complex conjugates are written.
    u64 conjugates;
};

DEVICE u32 conjugate(u32 x) { return x; }
DEVICE u64 conjugate(u64 x) { return x ^ 0x8000000000000000ull; }
DEVICE uint4 conjugate(uint4 x) {
    x.w ^= 0x80000000u;
    return x;
}

KERNEL(256) transpose(const Argument a) {
    SHARED W square[32][33];
    u64 down = (a.rows + 31) / 32, across = (a.columns + 31) / 32, squares = down * across;
    int lane = threadIdx.x % 32, line = threadIdx.x / 32;
    for (u64 at = blockIdx.x; at < squares * a.count; at += gridDim.x) {
        u64 matrix = at / squares, rest = at - matrix * squares;
        u64 row = rest / across * 32, column = rest % across * 32;
        const W* from = (const W*)a.from + matrix * a.from_matrix;
        W* to = (W*)a.to + matrix * a.to_matrix;
        barrier();
#pragma unroll
        for (int i = line; i < 32; i += 8) {
            if (row + i < a.rows && column + lane < a.columns) {
                square[i][lane] = from[(row + i) * a.from_row + column + lane];
            }
        }
        barrier();
#pragma unroll
        for (int i = line; i < 32; i += 8) {
            if (column + i < a.columns && row + lane < a.rows) {
                W x = square[lane][i];
                to[(column + i) * a.to_row + row + lane] = a.conjugates ? conjugate(x) : x;
            }
        }
    }
}
