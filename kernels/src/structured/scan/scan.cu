// Running combinations `y[i] = OP(y[i - 1], x[i])` of lines. The order in which elements are
// combined depends on the extents alone.
struct Argument {
    u64 from, to;
    // Lines are `outer` stretches of `extent` rows of `inner` elements.
    u64 outer, extent, inner;
    // Lines of a thread block that scans them in order.
    u64 lines;
    // For chained tiles: the numbers of tiles and of groups of tiles of a line, the number of tiles
    // that have started, and the slots for the totals of tiles, for the totals of groups of tiles,
    // and for the totals up to the end of every 32nd group of tiles.
    u64 tiles, groups, ticket, totals, group_totals, prefixes;
    // For each line, the element before its first; 0 if there is none.
    u64 before;
};

#define THREADS 256
// The number of thread blocks that a multiprocessor must hold at once.
#ifndef BLOCKS
#define BLOCKS 6
#endif
#define WARPS (THREADS / 32)
#define TILE (THREADS * ITEMS)

// A thread for each line; neighbouring threads have neighbouring lines.
KERNEL(256) scan_columns(const Argument a) {
    u64 line = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= a.outer * a.inner) return;
    u64 stretch = line / a.inner, column = line - stretch * a.inner;
    const T* from = (const T*)a.from + stretch * a.extent * a.inner + column;
    T* to = (T*)a.to + stretch * a.extent * a.inner + column;
    T running = from[0];
    if (a.before) running = OP(((const T*)a.before)[line], running);
    to[0] = running;
#pragma unroll 8
    for (u64 row = 1; row < a.extent; row++) {
        running = OP(running, from[row * a.inner]);
        to[row * a.inner] = running;
    }
}

#ifdef IN_ORDER
// A thread block for some lines. For each line, a thread combines the elements strictly from left
// to right; all threads together read and write them in consecutive addresses.
KERNEL(THREADS) scan_in_order(const Argument a) {
    SHARED alignas(16) char memory[(TILE + TILE / ITEMS) * sizeof(T)];
    T* room = (T*)memory;
    // The rows of shared memory are a word longer, so threads access different banks.
    u32 most = (u32)a.lines, length = TILE / most, row = length + (sizeof(T) < 4 ? 4 / sizeof(T) : 1);
    u64 before = (u64)blockIdx.x * most;
    u32 lines = a.outer - before < most ? (u32)(a.outer - before) : most;
    const T* from = (const T*)a.from + before * a.extent;
    T* to = (T*)a.to + before * a.extent;
    T running = T();
    bool continues = a.before != 0;
    if (continues && threadIdx.x < lines) running = ((const T*)a.before)[before + threadIdx.x];
    for (u64 first = 0; first < a.extent; first += length) {
        u32 size = a.extent - first < length ? (u32)(a.extent - first) : length;
#pragma unroll 4
        for (u32 i = threadIdx.x; i < lines * size; i += THREADS) {
            u32 line = i / size, at = i - line * size;
            room[line * row + at] = from[line * a.extent + first + at];
        }
        barrier();
        if (threadIdx.x < lines) {
            T* own = room + threadIdx.x * row;
            own[0] = running = first > 0 || continues ? OP(running, own[0]) : own[0];
#pragma unroll 8
            for (u32 at = 1; at < size; at++) own[at] = running = OP(running, own[at]);
        }
        barrier();
#pragma unroll 4
        for (u32 i = threadIdx.x; i < lines * size; i += THREADS) {
            u32 line = i / size, at = i - line * size;
            to[line * a.extent + first + at] = room[line * row + at];
        }
        barrier();
    }
}
#else
// The combination of earlier elements, if there are any.
struct Maybe {
    T value;
    bool is;
};

DEVICE T after(Maybe lower, T x) { return lower.is ? OP(lower.value, x) : x; }

// The element before a line.
DEVICE Maybe before_line(const Argument& a, u64 line) {
    return a.before ? Maybe{((const T*)a.before)[line], true} : Maybe{T(), false};
}

// Returns the combination of the elements of all earlier threads of the thread block. `own` is the
// combination of the thread's elements; `all` receives that of all threads.
DEVICE Maybe before(T own, T* pool, T& all) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        T lower = shuffle_up(own, d);
        if (lane >= d) own = OP(lower, own);
    }
    T next = shuffle_up(own, 1);
    if (lane == 31) pool[warp] = own;
    barrier();
    Maybe below = Maybe{T(), false};
    all = pool[0];
#pragma unroll
    for (int w = 1; w < WARPS; w++) {
        if (w == warp) below = Maybe{all, true};
        all = OP(all, pool[w]);
    }
    if (lane == 0) return below;
    return Maybe{after(below, next), true};
}

DEVICE unsigned place(unsigned at) { return at + at / ITEMS; }

// Reads a tile in consecutive addresses, gives each thread consecutive elements, and scans them;
// returns the last result. Results beyond the end are arbitrary, and no element depends on them.
DEVICE T load_tile(const T* from, u64 left, T* room) {
#pragma unroll
    for (int first = 0; first < ITEMS; first += 8) {
        T x[8];
#pragma unroll
        for (int i = 0; i < 8; i++) {
            unsigned at = (first + i) * THREADS + threadIdx.x;
            x[i] = left >= TILE || at < left ? from[at] : T();
        }
#pragma unroll
        for (int i = 0; i < 8; i++) room[place((first + i) * THREADS) + place(threadIdx.x)] = x[i];
    }
    barrier();
    T* own = room + threadIdx.x * (ITEMS + 1);
    T running = own[0];
#pragma unroll
    for (int i = 1; i < ITEMS; i++) own[i] = running = OP(running, own[i]);
    return running;
}

// Combines the combination of earlier elements with each of the thread's elements.
DEVICE void add_lower(Maybe lower, T* room) {
    T* own = room + threadIdx.x * (ITEMS + 1);
    if (!lower.is) return;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) own[i] = OP(lower.value, own[i]);
}

// Combines the combination of earlier tiles with each element of the tile, and writes the tile.
DEVICE void store_tile(Maybe carry, T* to, u64 left, const T* room) {
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        unsigned at = i * THREADS + threadIdx.x;
        T x = after(carry, room[place(i * THREADS) + place(threadIdx.x)]);
        if (left >= TILE || at < left) to[at] = x;
    }
}

// A thread block for each line, tile after tile.
KERNEL(THREADS) scan_rows(const Argument a) {
    SHARED alignas(16) char memory[(TILE + TILE / ITEMS) * sizeof(T)];
    SHARED alignas(16) char totals[WARPS * sizeof(T)];
    T* room = (T*)memory;
    const T* from = (const T*)a.from + blockIdx.x * a.extent;
    T* to = (T*)a.to + blockIdx.x * a.extent;
    Maybe carry = before_line(a, blockIdx.x);
    for (u64 first = 0; first < a.extent; first += TILE) {
        T all;
        Maybe lower = before(load_tile(from + first, a.extent - first, room), (T*)totals, all);
        add_lower(lower, room);
        barrier();
        store_tile(carry, to + first, a.extent - first, room);
        carry = Maybe{after(carry, all), true};
        barrier();
    }
}

// A number that a thread block publishes to others. A number of up to 8 bytes is written and read
// together with its flag, 16 bytes at once; a wider number is written before its flag.
struct alignas(16) Slot {
    u64 words[sizeof(T) <= 8 ? 2 : 4];
};

DEVICE void publish(Slot* to, T x) {
    u64 bits[2] = {};
    memcpy(bits, &x, sizeof(T));
    if (sizeof(T) <= 8) {
        store_pair(to, bits[0], 1);
        return;
    }
    volatile u64* words = (volatile u64*)to->words;
    words[0] = bits[0];
    words[1] = bits[1];
    fence();
    words[2] = 1;
}

// Returns whether the number has been published; if so, `x` receives it.
DEVICE bool read(const Slot* from, T& x) {
    u64 bits[2] = {}, flag;
    if (sizeof(T) <= 8) {
        load_pair(from, bits[0], flag);
    } else {
        volatile const u64* words = (volatile const u64*)from->words;
        flag = words[2];
        fence();
        bits[0] = words[0];
        bits[1] = words[1];
    }
    memcpy(&x, bits, sizeof(T));
    return flag != 0;
}

// The combination of `count` < 32 numbers. Each lane of a warp has one; every lane gets the result.
DEVICE Maybe joined(T own, int count) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        T lower = shuffle_up(own, d);
        if (lane >= d) own = OP(lower, own);
    }
    return Maybe{shuffle_from(own, count > 0 ? count - 1 : 0), count > 0};
}

// Each tile publishes its total. The last of 32 tiles publishes the total of these tiles. The last
// of 32 times 32 tiles waits for the earlier tiles and publishes the total up to its end. The
// combined pairs are fixed, so sums of floating-point numbers have the same bits each time.
KERNEL(THREADS, BLOCKS) scan_chained(const Argument a) {
    SHARED alignas(16) char memory[(TILE + TILE / ITEMS) * sizeof(T)];
    SHARED alignas(16) char pool[(WARPS + 1) * sizeof(T)];
    SHARED unsigned ticket;
    T *room = (T*)memory, *totals = (T*)pool, *shown = totals + WARPS;
    // Tiles begin in order, so no tile waits for a tile that has not started.
    if (threadIdx.x == 0) ticket = atomic_add((unsigned*)a.ticket, 1u);
    barrier();
    u64 line = ticket / (unsigned)a.tiles, tile = ticket - line * (unsigned)a.tiles;
    u64 first = line * a.extent + tile * TILE, left = a.extent - tile * TILE;
    T all;
    Maybe lower = before(load_tile((const T*)a.from + first, left, room), totals, all);
    if (threadIdx.x < 32) {
        int lane = threadIdx.x, in_group = (int)(tile % 32), group_at = (int)(tile / 32 % 32);
        u64 group = tile / 32, super = tile / 1024;
        Slot* tiles = (Slot*)a.totals + line * a.tiles;
        Slot* groups = (Slot*)a.group_totals + line * a.groups;
        Slot* supers = (Slot*)a.prefixes + line * (a.groups / 32);
        if (lane == 0) publish(tiles + tile, all);
        T of_tile = T(), of_group = T(), of_all = T();
        bool has_tile = lane >= in_group, has_group = lane >= group_at, has_all = super == 0;
        if (in_group == 31) {
            while (!has_tile) has_tile = read(tiles + tile - in_group + lane, of_tile);
            Maybe carry = joined(of_tile, in_group);
            if (lane == 0) publish(groups + group, after(carry, all));
        }
        // Reads all three kinds of totals in the same iteration.
        do {
            if (!has_tile) has_tile = read(tiles + tile - in_group + lane, of_tile);
            if (!has_group) has_group = read(groups + group - group_at + lane, of_group);
            if (!has_all) has_all = read(supers + super - 1, of_all);
        } while (!(has_tile && has_group && has_all));
        Maybe carry = joined(of_tile, in_group), between = joined(of_group, group_at);
        if (between.is) carry = Maybe{carry.is ? OP(between.value, carry.value) : between.value, true};
        if (super > 0) carry = Maybe{carry.is ? OP(of_all, carry.value) : of_all, true};
        if (lane == 0 && tile % 1024 == 1023) publish(supers + super, after(carry, all));
        // The totals of tiles do not include the element before the line.
        Maybe line_before = before_line(a, line);
        if (carry.is) carry.value = after(line_before, carry.value);
        if (lane == 0) shown[0] = carry.is ? carry.value : line_before.value;
    }
    add_lower(lower, room);
    barrier();
    store_tile(Maybe{shown[0], tile > 0 || a.before}, (T*)a.to + first, left, room);
}
#endif
