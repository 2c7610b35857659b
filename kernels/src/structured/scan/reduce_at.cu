// Combines the elements of stretches of lines with `OP`. The combined pairs depend on the extents
// and on the rows where stretches begin.
struct Argument {
    u64 from, starts, to, parts;
    // Lines are `outer` stretches of `extent` rows of `inner` elements; the result has `rows` rows.
    u64 outer, extent, inner, rows;
    // Parts of each stretch.
    u64 chunks;
};

DEVICE u64 start_at(const Argument& a, u64 row) {
    i64 start = ((const i64*)a.starts)[row];
    if (start < 0) return 0;
    return (u64)start < a.extent ? (u64)start : a.extent - 1;
}

// The first row of a stretch, its number of rows, and the number of rows of each chunk.
struct Stretch {
    u64 first, count, of_chunk;
};

DEVICE Stretch stretch_at(const Argument& a, u64 row) {
    u64 first = start_at(a, row);
    u64 end = row + 1 < a.rows ? start_at(a, row + 1) : a.extent;
    u64 count = end > first ? end - first : 1;
    return Stretch{first, count, (count + a.chunks - 1) / a.chunks};
}

// A thread for each element of the result and chunk combines strictly from left to right.
KERNEL(256) reduce_columns(const Argument a) {
    u64 total = a.outer * a.rows * a.chunks * a.inner, step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += step) {
        u64 chunk_at = i / a.inner, column = i - chunk_at * a.inner;
        u64 line = chunk_at / a.chunks, chunk = chunk_at - line * a.chunks;
        u64 outer = line / a.rows, row = line - outer * a.rows;
        Stretch own = stretch_at(a, row);
        u64 first = chunk * own.of_chunk;
        if (first >= own.count) continue;
        u64 end = first + own.of_chunk < own.count ? first + own.of_chunk : own.count;
        const Element* from = (const Element*)a.from + (outer * a.extent + own.first) * a.inner + column;
        Element all = from[first * a.inner];
#pragma unroll 8
        for (u64 at = first + 1; at < end; at++) all = OP(all, from[at * a.inner]);
        ((Element*)(a.chunks > 1 ? a.parts : a.to))[i] = all;
    }
}

// A thread for each element of the result.
KERNEL(256) reduce_column_parts(const Argument a) {
    u64 total = a.outer * a.rows * a.inner, step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += step) {
        u64 line = i / a.inner, column = i - line * a.inner;
        Stretch own = stretch_at(a, line % a.rows);
        u64 parts = (own.count + own.of_chunk - 1) / own.of_chunk;
        const Element* from = (const Element*)a.parts + line * a.chunks * a.inner + column;
        Element all = from[0];
#pragma unroll 8
        for (u64 at = 1; at < parts; at++) all = OP(all, from[at * a.inner]);
        ((Element*)a.to)[i] = all;
    }
}

// The elements that a lane reads before it combines them.
#define AHEAD 8

// The combination of `count` > 0 elements by a warp; the first lane of the warp has it.
DEVICE Element of_warp(const Element* from, u64 count) {
    int lane = threadIdx.x % 32, lanes = count < 32 ? (int)count : 32;
    Element all = lane < lanes ? from[lane] : Element();
    u64 at = 32 + lane;
    // Reads ahead: the compiler does not move reads over the test of the end.
    for (; at + 32 * (AHEAD - 1) < count; at += 32 * AHEAD) {
        Element next[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) next[i] = from[at + 32 * i];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) all = OP(all, next[i]);
    }
    for (; at < count; at += 32) all = OP(all, from[at]);
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        Element upper = shuffle_down(all, d);
        if (lane + d < lanes) all = OP(all, upper);
    }
    return all;
}

// A warp for each chunk of each stretch of lines whose elements are neighbours.
KERNEL(256) reduce_lines(const Argument a) {
    u64 total = a.outer * a.rows * a.chunks, step = (u64)gridDim.x * 8;
    for (u64 i = (u64)blockIdx.x * 8 + threadIdx.x / 32; i < total; i += step) {
        u64 line = i / a.chunks, chunk = i - line * a.chunks;
        u64 outer = line / a.rows;
        Stretch own = stretch_at(a, line - outer * a.rows);
        u64 first = chunk * own.of_chunk;
        if (first >= own.count) continue;
        u64 left = own.count - first;
        const Element* from = (const Element*)a.from + outer * a.extent + own.first + first;
        Element all = of_warp(from, left < own.of_chunk ? left : own.of_chunk);
        if (threadIdx.x % 32 == 0) ((Element*)(a.chunks > 1 ? a.parts : a.to))[i] = all;
    }
}

// A thread block for each stretch, which has at least one part: each warp combines some of its
// parts.
KERNEL(256) reduce_line_parts(const Argument a) {
    SHARED alignas(16) char room[8 * sizeof(Element)];
    Element* of_warps = (Element*)room;
    u64 total = a.outer * a.rows, warp = threadIdx.x / 32;
    for (u64 i = blockIdx.x; i < total; i += gridDim.x) {
        Stretch own = stretch_at(a, i % a.rows);
        u64 parts = (own.count + own.of_chunk - 1) / own.of_chunk, of_warp_count = (parts + 7) / 8;
        u64 first = warp * of_warp_count, left = first < parts ? parts - first : 0;
        const Element* from = (const Element*)a.parts + i * a.chunks + first;
        if (left > 0) {
            Element all = of_warp(from, left < of_warp_count ? left : of_warp_count);
            if (threadIdx.x % 32 == 0) of_warps[warp] = all;
        }
        barrier();
        if (threadIdx.x == 0) {
            Element all = of_warps[0];
            for (u64 w = 1; w * of_warp_count < parts; w++) all = OP(all, of_warps[w]);
            ((Element*)a.to)[i] = all;
        }
        barrier();
    }
}
