// Running combinations `y[i] = OP(y[i - 1], x[i])` of lines. The order in which elements are
// combined is a matter of the extents alone.
struct Argument {
    u64 from, to;
    // Lines are `outer` stretches of `extent` rows of `inner` elements.
    u64 outer, extent, inner;
    // For chained tiles: tiles of a line, and where they tell each other.
    u64 tiles, totals, prefixes, flags;
};

struct Maybe {
    T value;
    bool is;
};

DEVICE Maybe join(Maybe x, Maybe y) {
    if (!x.is) return y;
    if (!y.is) return x;
    return Maybe{OP(x.value, y.value), true};
}

#define THREADS 256
#define TILE (THREADS * ITEMS)

// A thread for each line of neighbouring ones.
extern "C" __global__ void __launch_bounds__(256) scan_columns(const Argument a) {
    u64 line = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= a.outer * a.inner) return;
    u64 stretch = line / a.inner, column = line - stretch * a.inner;
    const T* from = (const T*)a.from + stretch * a.extent * a.inner + column;
    T* to = (T*)a.to + stretch * a.extent * a.inner + column;
    T running = from[0];
    to[0] = running;
#pragma unroll 8
    for (u64 row = 1; row < a.extent; row++) {
        running = OP(running, from[row * a.inner]);
        to[row * a.inner] = running;
    }
}

template <class X> DEVICE X shuffle_up(X x, int distance) {
    union {
        X whole;
        unsigned words[(sizeof(X) + 3) / 4];
    } bits = {};
    bits.whole = x;
#pragma unroll
    for (int w = 0; w < (sizeof(X) + 3) / 4; w++)
        bits.words[w] = __shfl_up_sync(0xffffffffu, bits.words[w], distance);
    return bits.whole;
}

// What is before each thread of a block, and in `all` what is in all of them.
DEVICE Maybe before(Maybe own, Maybe* pool, Maybe& all) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    Maybe inclusive = own;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        Maybe lower;
        lower.value = shuffle_up(inclusive.value, d);
        lower.is = __shfl_up_sync(0xffffffffu, (int)inclusive.is, d);
        if (lane >= d) inclusive = join(lower, inclusive);
    }
    __syncthreads();
    if (lane == 31) pool[warp] = inclusive;
    __syncthreads();
    Maybe below = Maybe{T(), false};
    all = Maybe{T(), false};
#pragma unroll
    for (int w = 0; w < THREADS / 32; w++) {
        if (w == warp) below = all;
        all = join(all, pool[w]);
    }
    Maybe exclusive;
    exclusive.value = shuffle_up(inclusive.value, 1);
    exclusive.is = __shfl_up_sync(0xffffffffu, (int)inclusive.is, 1);
    if (lane == 0) exclusive.is = false;
    return join(below, exclusive);
}

DEVICE int place(int at) { return at + at / ITEMS; }

struct Tile {
    T x[ITEMS];
    int count;
};

// Reads a tile in whole lines of memory, and gives each thread consecutive elements.
DEVICE void load_tile(Tile& tile, const T* from, u64 left, T* room) {
    tile.count = (int)(left < TILE ? left : TILE);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        int at = i * THREADS + threadIdx.x;
        if (at < tile.count) room[place(at)] = from[at];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        int at = threadIdx.x * ITEMS + i;
        if (at < tile.count) tile.x[i] = room[place(at)];
    }
}

DEVICE void store_tile(const Tile& tile, T* to, T* room) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        int at = threadIdx.x * ITEMS + i;
        if (at < tile.count) room[place(at)] = tile.x[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        int at = i * THREADS + threadIdx.x;
        if (at < tile.count) to[at] = room[place(at)];
    }
}

// Scans the elements of a thread; what they come to.
DEVICE Maybe scan_own(Tile& tile) {
    Maybe own = Maybe{T(), false};
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        if (threadIdx.x * ITEMS + i < tile.count) {
            if (i > 0) tile.x[i] = OP(tile.x[i - 1], tile.x[i]);
            own = Maybe{tile.x[i], true};
        }
    }
    return own;
}

DEVICE void add_before(Tile& tile, Maybe lower) {
    if (!lower.is) return;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) tile.x[i] = OP(lower.value, tile.x[i]);
}

// A block for each line, tile after tile.
extern "C" __global__ void __launch_bounds__(THREADS) scan_rows(const Argument a) {
    __shared__ alignas(16) char memory[(TILE + TILE / ITEMS) * sizeof(T)];
    __shared__ Maybe pool[THREADS / 32];
    T* room = (T*)memory;
    const T* from = (const T*)a.from + blockIdx.x * a.extent;
    T* to = (T*)a.to + blockIdx.x * a.extent;
    Maybe carry = Maybe{T(), false};
    for (u64 first = 0; first < a.extent; first += TILE) {
        Tile tile;
        load_tile(tile, from + first, a.extent - first, room);
        Maybe own = scan_own(tile), all;
        Maybe lower = join(carry, before(own, pool, all));
        add_before(tile, lower);
        carry = join(carry, all);
        store_tile(tile, to + first, room);
    }
}

template <class X> DEVICE void store_volatile(X* to, X x) {
    union {
        X whole;
        unsigned words[(sizeof(X) + 3) / 4];
    } bits = {};
    bits.whole = x;
    unsigned* words = (unsigned*)to;
    for (int w = 0; w < (sizeof(X) + 3) / 4; w++) ((volatile unsigned*)words)[w] = bits.words[w];
}

template <class X> DEVICE X load_volatile(const X* from) {
    union {
        X whole;
        unsigned words[(sizeof(X) + 3) / 4];
    } bits = {};
    for (int w = 0; w < (sizeof(X) + 3) / 4; w++)
        bits.words[w] = ((const volatile unsigned*)from)[w];
    return bits.whole;
}

// Tiles of a group tell their totals; the last of each group waits for what is before the group and
// tells what is up to its end. Groups are fixed, so that the order is.
#define GROUP 256
struct alignas(16) Slot {
    T value;
};

extern "C" __global__ void __launch_bounds__(THREADS) scan_chained(const Argument a) {
    __shared__ alignas(16) char memory[(TILE + TILE / ITEMS) * sizeof(T)];
    __shared__ Maybe pool[THREADS / 32];
    __shared__ u64 ticket;
    __shared__ Slot shown;
    T* room = (T*)memory;
    volatile unsigned* flags = (volatile unsigned*)a.flags;
    // Tiles begin in order, so that nobody waits for one that has not begun.
    if (threadIdx.x == 0) ticket = atomicAdd((unsigned*)a.flags, 1u);
    __syncthreads();
    u64 line = ticket / a.tiles, tile_at = ticket - line * a.tiles;
    volatile unsigned* has_total = flags + 1;
    volatile unsigned* has_prefix = flags + 1 + a.outer * a.tiles;
    Slot* totals = (Slot*)a.totals;
    Slot* prefixes = (Slot*)a.prefixes;
    u64 groups = (a.tiles + GROUP - 1) / GROUP;
    u64 first = tile_at * TILE;
    const T* from = (const T*)a.from + line * a.extent + first;
    Tile tile;
    load_tile(tile, from, a.extent - first, room);
    Maybe own = scan_own(tile), all;
    Maybe lower = before(own, pool, all);
    u64 group = tile_at / GROUP, start = group * GROUP, here = line * a.tiles;
    if (threadIdx.x == 0) {
        store_volatile(&totals[here + tile_at], Slot{all.value});
        __threadfence();
        has_total[here + tile_at] = 1;
    }
    // The totals of the tiles of the group before this one, a thread for each.
    Maybe part = Maybe{T(), false}, in_group;
    if (start + threadIdx.x < tile_at) {
        u64 at = here + start + threadIdx.x;
        while (has_total[at] == 0) __nanosleep(20);
        __threadfence();
        part = Maybe{load_volatile(&totals[at]).value, true};
    }
    before(part, pool, in_group);
    Maybe carry = in_group;
    if (group > 0) {
        u64 at = line * groups + group - 1;
        if (threadIdx.x == 0) {
            while (has_prefix[at] == 0) __nanosleep(20);
            __threadfence();
            shown = load_volatile(&prefixes[at]);
        }
        __syncthreads();
        carry = join(Maybe{shown.value, true}, in_group);
    }
    if (threadIdx.x == 0 && (tile_at == start + GROUP - 1)) {
        u64 at = line * groups + group;
        store_volatile(&prefixes[at], Slot{join(carry, all).value});
        __threadfence();
        has_prefix[at] = 1;
    }
    add_before(tile, join(carry, lower));
    store_tile(tile, (T*)a.to + line * a.extent + first, room);
}
