// Merges the ascending runs of a line in pairs. Of equal elements, those of the first run come
// first. With `POSITIONS`, the kernels write the positions of the elements; with `UNPACKED`, the
// last pass writes the positions that elements have in their low 32 bits.
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
    // The tiles of the pass, and their number.
    u64 of_pass, tiles;
    // Whether the pass writes the result.
    u64 is_last;
};

#define THREADS 256
#define ITEMS (sizeof(Word) > 4 ? 8 : 16)
#define TILE (THREADS * ITEMS)
// The elements that a thread reads before it compares them.
#define AHEAD 8

// Finds where the runs start. A thread reads its elements ahead of the comparisons.
KERNEL(256) find_runs(const Argument a) {
    u64 own_first = (u64)blockIdx.x * THREADS * AHEAD + threadIdx.x;
    u64 step = (u64)gridDim.x * THREADS * AHEAD;
    for (u64 first = own_first; first < a.extent; first += step) {
        Key own[AHEAD], before[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            u64 i = first + k * THREADS;
            bool is = i > 0 && i < a.extent;
            own[k] = key_at(a.from, is ? i : 0);
            before[k] = key_at(a.from, is ? i - 1 : 0);
        }
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            if (!is_less(own[k], before[k])) continue;
            unsigned place = atomic_add((unsigned*)a.found, 1u);
            if (place + 1 < a.runs) ((u64*)a.found)[1 + place] = first + k * THREADS;
        }
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
template <typename Number>
DEVICE Number of_first(const Word* first, Number count, const Word* second, Number others,
                       Number diagonal) {
    Number low = diagonal > others ? diagonal - others : 0;
    Number high = diagonal < count ? diagonal : count;
    while (low < high) {
        Number middle = (low + high) / 2;
        if (order_of(second[diagonal - 1 - middle]) < order_of(first[middle])) high = middle;
        else low = middle + 1;
    }
    return low;
}

// A tile of the result: the two runs of its pair, the position of its first element, at most at the
// end, and the number of elements of the first run before it.
struct Tile {
    u64 start, middle, end, first, cut;
};

DEVICE Tile tile_at(const Argument& a, u64 tile) {
    for (u64 run = 0;; run += 2 * a.width) {
        u64 start = start_of(a, run), end = start_of(a, run + 2 * a.width);
        u64 tiles = (end - start + TILE - 1) / TILE;
        if (tile < tiles || end == a.extent) {
            u64 first = start + tile * TILE;
            return {start, start_of(a, run + a.width), end, first < end ? first : end, 0};
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
    tile.cut = of_first(first, count, second, others, tile.first - tile.start);
    ((Tile*)a.of_pass)[at] = tile;
}

// The place of an element of a tile in shared memory: one is left free after each 128 bytes, so
// threads that access elements at the distance of `ITEMS` access different banks.
#define PLACE(at) ((at) + (at) / (int)(128 / sizeof(Item)))

// A thread block merges a tile.
KERNEL(THREADS) merge_runs(const Argument a) {
    // What a thread merges: the elements, or their places in the room.
#if POSITIONS
    typedef u16 Item;
    SHARED u16 merged[PLACE(TILE)];
#else
    typedef Word Item;
#endif
    SHARED Word room[PLACE(TILE)];
    const Tile* tiles = (const Tile*)a.of_pass + blockIdx.x;
    Tile tile = tiles[0];
    u64 next_cut = tiles[blockIdx.x + 1 < a.tiles ? 1 : 0].cut;
    u64 start = tile.start, middle = tile.middle, end = tile.end, tile_start = tile.first;
    if (tile_start >= end) return;
    u64 count = middle - start, diagonal = tile_start - start;
    int size = (int)(end - tile_start < TILE ? end - tile_start : TILE);
    u64 from_first = tile.cut, next = tile_start + size < end ? next_cut : count;
    int of_tile = (int)(next - from_first), rest = size - of_tile;
    const Word* first = (const Word*)a.from + start + from_first;
    const Word* second = (const Word*)a.from + middle + (diagonal - from_first) - of_tile;
    Word own[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        int i = k * THREADS + threadIdx.x;
        own[k] = i < size ? (i < of_tile ? first : second)[i] : (Word)0;
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++) room[k * THREADS + threadIdx.x] = own[k];
    barrier();
    int from = threadIdx.x * ITEMS < size ? threadIdx.x * ITEMS : size;
    int i = (int)of_first(room, of_tile, room + of_tile, rest, from), j = of_tile + from - i;
    Word low = room[i < size ? i : 0], high = room[j < size ? j : 0];
    Word low_order = order_of(low), high_order = order_of(high);
    Item taken[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        bool takes_high = j < size && (i >= of_tile || high_order < low_order);
#if POSITIONS
        taken[k] = (u16)(takes_high ? j : i);
#else
        taken[k] = takes_high ? high : low;
#endif
        // One read serves the run whose element was taken.
        int at = takes_high ? ++j : ++i;
        Word read = room[at < size ? at : 0], order = order_of(read);
        if (takes_high) {
            high = read;
            high_order = order;
        } else {
            low = read;
            low_order = order;
        }
    }
#if !POSITIONS
    Word* merged = room;
    barrier();
#endif
#pragma unroll
    for (int k = 0; k < ITEMS; k++) merged[PLACE(threadIdx.x * ITEMS + k)] = taken[k];
    barrier();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        int i = k * THREADS + threadIdx.x;
        if (i >= size) continue;
        Item item = merged[PLACE(i)];
#if POSITIONS
        u64 row = item < of_tile ? start + from_first : middle + (diagonal - from_first) - of_tile;
        ((i64*)a.to)[tile_start + i] = (i64)(a.origin + row + item);
#else
        ((Word*)a.to)[tile_start + i] = UNPACKED && a.is_last ? (Word)(item & 0xffffffffu) : item;
#endif
    }
}
