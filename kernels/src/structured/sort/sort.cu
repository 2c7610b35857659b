// Sorting by the digits of keys, the lowest digit first. Each pass reads and writes memory once.
//
// `T` is the type of the elements, `K` the unsigned integers of their size, `KIND` 0 for unsigned
// integers and truth values, 1 for signed integers, 2 for floating point. With `POSITIONS` the
// kernels write the positions of the elements; with `PACKED` also the keys, above the positions.
// With `UNPACKED` the elements are packed, and the kernels write the positions in their low bits.
struct Argument {
    u64 from, to;
    // The keys and positions between passes.
    u64 keys, next_keys, positions, next_positions;
    // The histogram of the digits of all elements; the number of tiles that have started, and the
    // published counts of the digits of each tile.
    u64 histogram, status;
    u64 count, pass, passes;
    // The position of the first element of a line.
    u64 origin;
    // The thread blocks of a line, and the bytes from one line to the next of keys, of positions
    // and of the status.
    u64 blocks, keys_step, positions_step, status_step;
};

#define THREADS 384
// Tiles of wide keys are smaller, so they fit in shared memory.
#define ITEMS (sizeof(K) > 4 ? 8 : 16)
// The number of earlier tiles whose counts a tile reads at once.
#define LOOK 4
#define WARPS (THREADS / 32)
#define TILE (THREADS * ITEMS)
#define SIGN ((K)1 << (8 * sizeof(K) - 1))

// An integer with the order of the element: NaN is last, and zeros are equal if positions are
// written.
DEVICE K key_of(K bits) {
    if (KIND == 1) return bits ^ SIGN;
    if (KIND == 2) {
        K magnitude = bits & ~SIGN;
        if (magnitude > INFINITE) return (K)~(K)0;
        if (POSITIONS && magnitude == 0) bits = 0;
        return bits & SIGN ? (K)~bits : (K)(bits | SIGN);
    }
    return bits;
}

DEVICE K element_of(K key) {
    if (KIND == 1) return key ^ SIGN;
    if (KIND == 2) {
        if (key == (K)~(K)0) return (K)(INFINITE | (INFINITE & (~INFINITE + 1)) >> 1);
        return key & SIGN ? (K)(key ^ SIGN) : (K)~key;
    }
    return key;
}

// What is written for an element: with `UNPACKED`, the position in the low bits.
DEVICE K result_of(K element) { return UNPACKED ? (K)(element & 0xffffffffu) : element; }

// The argument for the line of the thread block. A text for one line (`MANY` is 0) has the argument
// as it is: moved addresses would take registers.
#if MANY
#define OF_LINE const Argument a = of_line(all)
DEVICE Argument of_line(Argument a) {
    u64 line = blockIdx.x / a.blocks;
    a.from += line * a.count * sizeof(K);
    a.to += line * a.count * (POSITIONS ? sizeof(i64) : sizeof(K));
    a.keys += line * a.keys_step;
    a.next_keys += line * a.keys_step;
    a.positions += line * a.positions_step;
    a.next_positions += line * a.positions_step;
    a.histogram += line * 256 * sizeof(K) * sizeof(unsigned);
    a.status += line * a.status_step;
    return a;
}
#else
#define OF_LINE const Argument& a = all
#endif

KERNEL(THREADS) sort_count(const Argument all) {
    OF_LINE;
    SHARED unsigned counts[sizeof(K)][256];
    for (int i = threadIdx.x; i < sizeof(K) * 256; i += THREADS) ((unsigned*)counts)[i] = 0;
    barrier();
    u64 step = a.blocks * THREADS * 8;
    for (u64 first = blockIdx.x % a.blocks * THREADS * 8; first < a.count; first += step) {
        K keys[8];
        bool is[8];
#pragma unroll
        for (int i = 0; i < 8; i++) {
            u64 at = first + i * THREADS + threadIdx.x;
            is[i] = at < a.count;
            keys[i] = is[i] ? ((const K*)a.from)[at] : (K)0;
        }
#pragma unroll
        for (int i = 0; i < 8; i++) {
            K key = key_of(keys[i]);
#pragma unroll
            for (int p = 0; p < sizeof(K); p++)
                if (is[i]) atomic_add(&counts[p][(key >> (8 * p)) & 255], 1u);
        }
    }
    barrier();
    for (int i = threadIdx.x; i < sizeof(K) * 256; i += THREADS) {
        unsigned own = ((unsigned*)counts)[i];
        if (own) atomic_add((unsigned*)a.histogram + i, own);
    }
}

// The sum of the values of all earlier threads of the thread block.
DEVICE unsigned before(unsigned own, unsigned* pool) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned sum = own;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        unsigned lower = shuffle_up(sum, d);
        if (lane >= d) sum += lower;
    }
    barrier();
    if (lane == 31) pool[warp] = sum;
    barrier();
    unsigned below = 0;
    for (int w = 0; w < warp; w++) below += pool[w];
    return below + sum - own;
}

KERNEL(256) sort_starts(const Argument all) {
    OF_LINE;
    SHARED unsigned pool[8];
    for (int p = 0; p < sizeof(K); p++) {
        unsigned* counts = (unsigned*)a.histogram + 256 * p;
        counts[threadIdx.x] = before(counts[threadIdx.x], pool);
    }
}

// A tile ranks its keys by a digit, publishes the count of each digit, and orders the keys in
// shared memory. Then it reads the counts of earlier tiles, which have had time to publish them.
KERNEL(THREADS) sort_pass(const Argument all) {
    OF_LINE;
    SHARED K keys[TILE];
    SHARED u16 counts[WARPS][256];
    SHARED unsigned masks[WARPS][256];
    SHARED unsigned targets[256], pool[WARPS], ticket;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, digit = threadIdx.x;
    volatile unsigned* status = (volatile unsigned*)a.status + 1;
    if (threadIdx.x == 0) ticket = atomic_add((unsigned*)a.status, 1u);
    for (int i = threadIdx.x; i < WARPS * 128; i += THREADS) ((unsigned*)counts)[i] = 0;
    for (int i = threadIdx.x; i < WARPS * 256; i += THREADS) ((unsigned*)masks)[i] = 0;
    barrier();
    u64 tile = ticket, first = tile * TILE;
    int size = (int)(a.count - first < TILE ? a.count - first : TILE);
    int shift = 8 * (int)a.pass;
    bool is_first = a.pass == 0, is_last = a.pass + 1 == a.passes;
    K own[ITEMS];
    u16 rank[ITEMS];
    const K* from = (is_first ? (const K*)a.from : (const K*)a.keys) + first;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        int at = warp * 32 * ITEMS + i * 32 + lane;
        own[i] = at < size ? from[at] : (K)0;
    }
    if (is_first) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++) own[i] = key_of(own[i]);
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        int at = warp * 32 * ITEMS + i * 32 + lane;
        bool is = at < size;
        unsigned d = (unsigned)(own[i] >> shift) & 255;
        // The mask has the lanes of the warp with the same digit, and one lane counts them.
        if (is) atomic_or(&masks[warp][d], 1u << lane);
        warp_barrier();
        unsigned same = is ? masks[warp][d] : 0;
        unsigned lower = same & ((1u << lane) - 1);
        warp_barrier();
        unsigned known = 0;
        if (is && lower == 0) {
            known = counts[warp][d];
            counts[warp][d] = known + count_ones(same);
            masks[warp][d] = 0;
        }
        warp_barrier();
        known = shuffle_from(known, same ? lowest_one(same) : 0);
        rank[i] = known + count_ones(lower);
    }
    barrier();
    const unsigned TOTAL = 1u << 30, PREFIX = 2u << 30, NUMBER = TOTAL - 1;
    unsigned total = 0;
    if (digit < 256) {
#pragma unroll
        for (int w = 0; w < WARPS; w++) {
            unsigned of_warp = counts[w][digit];
            counts[w][digit] = total;
            total += of_warp;
        }
        status[tile * 256 + digit] = (tile == 0 ? PREFIX : TOTAL) | total;
    }
    unsigned start = before(total, pool);
    if (digit < 256) {
#pragma unroll
        for (int w = 0; w < WARPS; w++) counts[w][digit] += start;
    }
    barrier();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        int at = warp * 32 * ITEMS + i * 32 + lane;
        if (at < size) {
            rank[i] += counts[warp][(unsigned)(own[i] >> shift) & 255];
            keys[rank[i]] = own[i];
        }
    }
    if (digit < 256) {
        unsigned sum = 0;
        if (tile > 0) {
            // Reads several tiles at once; counts that are not published yet are read again.
            for (u64 at = tile;;) {
                unsigned words[LOOK];
#pragma unroll
                for (int i = 0; i < LOOK; i++)
                    words[i] = status[(at > i ? at - 1 - i : 0) * 256 + digit];
                bool is_done = false, is_missing = false;
                int seen = 0;
#pragma unroll
                for (int i = 0; i < LOOK; i++) {
                    is_missing = is_missing || words[i] == 0;
                    if (!is_done && !is_missing) {
                        sum += words[i] & NUMBER;
                        seen++;
                        is_done = (words[i] & PREFIX) != 0;
                    }
                }
                if (is_done) break;
                at -= seen;
            }
            status[tile * 256 + digit] = PREFIX | (sum + total);
        }
        targets[digit] = ((const unsigned*)a.histogram)[256 * a.pass + digit] + sum - start;
    }
    barrier();
    unsigned place[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        int at = i * THREADS + threadIdx.x;
        if (at < size) {
            K key = keys[at];
            place[i] = targets[(unsigned)(key >> shift) & 255] + at;
            if (POSITIONS) {
                // The memory of the keys is reused for positions before these are stored.
                if (PACKED && is_last) ((u32*)a.to)[2 * (u64)place[i] + 1] = key;
                else if (!is_last) ((K*)a.next_keys)[place[i]] = key;
            } else if (is_last) {
                ((K*)a.to)[place[i]] = result_of(element_of(key));
            } else {
                ((K*)a.next_keys)[place[i]] = key;
            }
        }
    }
    if (!POSITIONS) return;
    barrier();
    // The memory of the keys is reused for positions, which fit in four bytes.
    unsigned* room = (unsigned*)keys;
    if (sizeof(K) < 4) room = (unsigned*)((char*)a.next_positions + 4 * a.count) + tile * TILE;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        int at = warp * 32 * ITEMS + i * 32 + lane;
        if (at < size)
            room[rank[i]] = is_first ? (unsigned)(first + at) : ((const unsigned*)a.positions)[first + at];
    }
    barrier();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        int at = i * THREADS + threadIdx.x;
        if (at < size) {
            if (PACKED && is_last) ((u32*)a.to)[2 * (u64)place[i]] = (u32)a.origin + room[at];
            else if (is_last) ((i64*)a.to)[place[i]] = (i64)(a.origin + room[at]);
            else ((unsigned*)a.next_positions)[place[i]] = room[at];
        }
    }
}

// A thread block sorts a line of up to `SHORT` elements by exchanges; positions break ties.
#define SHORT 2048
KERNEL(THREADS) sort_short(const Argument a) {
    SHARED K keys[SHORT];
    SHARED u16 positions[SHORT];
    const K* from = (const K*)a.from + blockIdx.x * a.count;
    int size = (int)a.count, padded = 1;
    while (padded < size) padded *= 2;
    for (int i = threadIdx.x; i < padded; i += THREADS) {
        keys[i] = i < size ? key_of(from[i]) : (K)~(K)0;
        positions[i] = i;
    }
    for (int k = 2; k <= padded; k *= 2) {
        for (int j = k / 2; j > 0; j /= 2) {
            barrier();
            for (int i = threadIdx.x; i < padded; i += THREADS) {
                int other = i ^ j;
                if (other > i) {
                    bool greater = keys[i] > keys[other] ||
                        (keys[i] == keys[other] && positions[i] > positions[other]);
                    if (greater == ((i & k) == 0)) {
                        K key = keys[i];
                        keys[i] = keys[other];
                        keys[other] = key;
                        u16 position = positions[i];
                        positions[i] = positions[other];
                        positions[other] = position;
                    }
                }
            }
        }
    }
    barrier();
    for (int i = threadIdx.x; i < size; i += THREADS) {
        u64 at = blockIdx.x * a.count + i;
        u64 position = a.origin + positions[i];
        if (POSITIONS) ((u64*)a.to)[at] = PACKED ? (u64)keys[i] << 32 | position : position;
        else ((K*)a.to)[at] = result_of(from[positions[i]]);
    }
}
