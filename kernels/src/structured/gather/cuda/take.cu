// Reading at positions, one word of a row at a time.
struct Argument {
    u64 table, positions, to;
    // Words of the result, of a row; rows of a stretch of the result and of the table.
    u64 total, words, rows, extent;
    // For positions of each element: elements of a row, and the position of the table's first row.
    u64 inner, origin;
};

DEVICE u64 inside(i64 position, u64 extent) {
    if (position < 0) position += extent;
    u64 at = position < 0 ? 0 : (u64)position;
    return at < extent ? at : extent - 1;
}

KERNEL(256) take(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        u64 row = a.words == 1 ? i : i / a.words, word = i - row * a.words;
        u64 outer = row < a.rows ? 0 : row / a.rows, k = row - outer * a.rows;
        u64 from = outer * a.extent + inside(((const i64*)a.positions)[k], a.extent);
        ((W*)a.to)[i] = ((const W*)a.table)[from * a.words + word];
    }
}

KERNEL(256) take_along(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        u64 row = i / a.inner, column = i - row * a.inner;
        u64 outer = row / a.rows;
        u64 from = outer * a.extent + inside(((const i64*)a.positions)[i] - (i64)a.origin, a.extent);
        ((W*)a.to)[i] = ((const W*)a.table)[from * a.inner + column];
    }
}
