// Merges the ascending runs of a line in pairs. Of equal elements, those of the first run come
// first. With `POSITIONS`, the kernels write the positions of the elements.
struct Argument {
    u64 from, to;
    // The number of runs found and their first positions in any order; then in ascending order.
    u64 found, starts;
    // The elements of the line, and the number of its runs at most.
    u64 extent, runs;
    // The number of runs that earlier passes have merged into each.
    u64 width;
    // The position of the first element of the line.
    u64 origin;
    // For each tile of the pass, the number of elements of the first run of its pair before it.
    u64 cuts, tiles;
};

#define THREADS 256
#define ITEMS (sizeof(Word) > 4 ? 8 : 16)
#define TILE (THREADS * ITEMS)

// Finds where the runs start.
KERNEL(256) find_runs(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x + 1; i < a.extent; i += step) {
        if (!is_less(key_at(a.from, i), key_at(a.from, i - 1))) continue;
        unsigned place = atomic_add((unsigned*)a.found, 1u);
        if (place + 1 < a.runs) ((u64*)a.found)[1 + place] = i;
    }
}

// Puts the starts in order, after 0 and before the end of the line.
KERNEL(256) order_runs(const Argument a) {
    unsigned count = *(const unsigned*)a.found;
    if (count + 1 > a.runs) count = (unsigned)a.runs - 1;
    const u64* found = (const u64*)a.found + 1;
    u64* starts = (u64*)a.starts;
    for (u64 i = threadIdx.x; i <= a.runs; i += THREADS) {
        if (i == 0) starts[0] = 0;
        if (i > count) starts[i] = a.extent;
        if (i == 0 || i > count) continue;
        u64 own = found[i - 1];
        unsigned rank = 1;
        for (unsigned other = 0; other < count; other++) rank += found[other] < own;
        starts[rank] = own;
    }
}

DEVICE u64 start_of(const Argument& a, u64 run) {
    return run < a.runs ? ((const u64*)a.starts)[run] : a.extent;
}

// The number of elements of the first run among the first `diagonal` merged elements.
template <typename First, typename Second>
DEVICE u64 of_first(First first, u64 count, Second second, u64 others, u64 diagonal) {
    u64 low = diagonal > others ? diagonal - others : 0, high = diagonal < count ? diagonal : count;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (order_of(second[diagonal - 1 - middle]) < order_of(first[middle])) high = middle;
        else low = middle + 1;
    }
    return low;
}

// A tile of the result: the two runs of its pair, and the position of its first element, at most at
// the end.
struct Tile {
    u64 start, middle, end, first;
};

DEVICE Tile tile_at(const Argument& a, u64 tile) {
    for (u64 run = 0;; run += 2 * a.width) {
        u64 start = start_of(a, run), end = start_of(a, run + 2 * a.width);
        u64 tiles = (end - start + TILE - 1) / TILE;
        if (tile < tiles || end == a.extent) {
            u64 first = start + tile * TILE;
            return {start, start_of(a, run + a.width), end, first < end ? first : end};
        }
        tile -= tiles;
    }
}

// Finds the cuts of all tiles of a pass. The searches wait for memory, so they run side by side.
KERNEL(THREADS) cut_tiles(const Argument a) {
    u64 at = (u64)blockIdx.x * THREADS + threadIdx.x;
    if (at >= a.tiles) return;
    Tile tile = tile_at(a, at);
    const Word* first = (const Word*)a.from + tile.start;
    const Word* second = (const Word*)a.from + tile.middle;
    u64 count = tile.middle - tile.start, others = tile.end - tile.middle;
    ((u64*)a.cuts)[at] = of_first(first, count, second, others, tile.first - tile.start);
}

// A thread block merges a tile.
KERNEL(THREADS) merge_runs(const Argument a) {
    SHARED Word room[TILE];
    // For each element of the result, its place in the room.
    SHARED u16 places[TILE];
    SHARED Tile tile;
    if (threadIdx.x == 0) tile = tile_at(a, blockIdx.x);
    barrier();
    u64 start = tile.start, middle = tile.middle, end = tile.end, tile_start = tile.first;
    if (tile_start >= end) return;
    const Word *first = (const Word*)a.from + start, *second = (const Word*)a.from + middle;
    u64 count = middle - start, diagonal = tile_start - start;
    u64 size = end - tile_start < TILE ? end - tile_start : TILE;
    const u64* cuts = (const u64*)a.cuts + blockIdx.x;
    u64 from_first = cuts[0], next = tile_start + size < end ? cuts[1] : count;
    u64 of_tile = next - from_first, from_second = diagonal - from_first;
    for (u64 i = threadIdx.x; i < size; i += THREADS)
        room[i] = i < of_tile ? first[from_first + i] : second[from_second + i - of_tile];
    barrier();
    const Word *low = room, *high = room + of_tile;
    u64 rest = size - of_tile, own = threadIdx.x * ITEMS < size ? threadIdx.x * ITEMS : size;
    u64 i = of_first(low, of_tile, high, rest, own), j = own - i;
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        bool has_low = i < of_tile, has_high = j < rest;
        bool takes_high = has_high && (!has_low || order_of(high[j]) < order_of(low[i]));
        if (own + k < size) places[own + k] = (u16)(takes_high ? of_tile + j : i);
        if (takes_high) j++;
        else i++;
    }
    barrier();
    for (u64 i = threadIdx.x; i < size; i += THREADS) {
        u64 at = places[i];
        if (POSITIONS) {
            u64 row = at < of_tile ? start + from_first + at : middle + from_second + at - of_tile;
            ((i64*)a.to)[tile_start + i] = (i64)(a.origin + row);
        } else {
            ((Word*)a.to)[tile_start + i] = room[at];
        }
    }
}
