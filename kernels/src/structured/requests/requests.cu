// Positions of a split axis in the order of their owners, and what is read or written there.
//
// `R` is the type of requests and slots, `W` a word of rows.
struct Argument {
    u64 positions, firsts, offsets, starts, requests, slots;
    // The table, the answers or values, and the result.
    u64 table, answers, to;
    // The first position, and the end of the positions; the positions of a round.
    u64 first, end, of_round;
    // Members, and the one whose positions have no request; whether elements are read.
    u64 members, own, is_read;
    // Positions of a tile, tiles of a round.
    u64 tile, tiles;
    // Positions of a stretch, or 0 if they are no lines' own; lines side by side.
    u64 stretch, inner;
    // Stretches of a row, words of a row in each, rows of the table and of the result; for kernels
    // that deal, `total` is the number of tiles.
    u64 outer, words, extent, total;
};

// The numbers of a thread block for each warp and member, and how many members are few.
#define MOST 8192
#define FEW 8
// The least number of a type.
#define NOWHERE ((R)((R)1 << (8 * sizeof(R) - 1)))

// The member that owns a place.
DEVICE u32 owner_of(const Argument& a, u64 place) {
    const u64* firsts = (const u64*)a.firsts;
    u32 low = 0, left = (u32)a.members;
    while (left > 1) {
        u32 half = left / 2;
        if (firsts[low + half] <= place) low += half;
        left -= half;
    }
    return low;
}

// A warp's tile: its number in the round, the round, and its positions.
struct Tile {
    u64 number, round, from, to;
};

DEVICE Tile tile_of(const Argument& a, u64 round, u64 number) {
    Tile tile = {number, round};
    u64 last = (round + 1) * a.of_round < a.end ? (round + 1) * a.of_round : a.end;
    tile.from = round * a.of_round + number * a.tile;
    tile.to = tile.from + a.tile < last ? tile.from + a.tile : last;
    return tile;
}

// Calls `body` with the positions of a tile, 32 at a time: whether the lane has one, its place in
// the block and in the axis, and its owner. The positions of four turns are read together.
template <class F> DEVICE void for_positions(const Argument& a, const Tile& tile, F body) {
    u32 lane = threadIdx.x % 32, members = (u32)a.members;
    u64 first[FEW];
#pragma unroll
    for (int m = 0; m < FEW; m++)
        first[m] = m < members ? ((const u64*)a.firsts)[m] : ~0ull;
    u64 extent = ((const u64*)a.firsts)[members];
    for (u64 base = tile.from; base < tile.to; base += 128) {
        i64 position[4];
#pragma unroll
        for (int t = 0; t < 4; t++) {
            u64 i = base + 32 * t + lane;
            position[t] = i < tile.to ? ((const i64*)a.positions)[i] : 0;
        }
#pragma unroll
        for (int t = 0; t < 4; t++) {
            u64 i = base + 32 * t + lane, place = (u64)position[t];
            if (a.is_read) {
                i64 at = position[t] < 0 ? position[t] + (i64)extent : position[t];
                place = at < 0 ? 0 : (u64)at;
                if (place >= extent) place = extent - 1;
            }
            u32 owner = 0;
            if (members <= FEW) {
#pragma unroll
                for (int m = 1; m < FEW; m++) owner += place >= first[m];
            } else {
                owner = owner_of(a, place);
            }
            body(i < tile.to, i, place, i < tile.to && place < extent ? owner : members);
        }
    }
}

// A warp for each tile. If there are few members, a lane has the count of each.
KERNEL(256) requests_count(const Argument a) {
    SHARED u32 counts[MOST];
    u32 warps = blockDim.x / 32, members = (u32)a.members, lane = threadIdx.x % 32;
    u64 at = (u64)blockIdx.x * warps + threadIdx.x / 32;
    if (at >= a.total) return;
    Tile tile = tile_of(a, at / a.tiles, at % a.tiles);
    u32* offsets = (u32*)a.offsets + tile.round * (a.members * a.tiles + 1) + tile.number;
    if (members <= FEW) {
        u32 count = 0;
        for_positions(a, tile, [&](bool, u64, u64, u32 owner) {
            for (u32 m = 0; m < members; m++) {
                u32 lanes = ballot(owner == m);
                if (lane == m) count += count_ones(lanes);
            }
        });
        if (lane < members) offsets[lane * a.tiles] = lane == a.own ? 0 : count;
        return;
    }
    u32* own = counts + threadIdx.x / 32 * members;
    for (u32 m = lane; m < members; m += 32) own[m] = 0;
    warp_barrier();
    for_positions(a, tile, [&](bool, u64, u64, u32 owner) {
        u32 lanes = lanes_with(owner);
        if (owner < members && lowest_one(lanes) == lane) own[owner] += count_ones(lanes);
        warp_barrier();
    });
    for (u32 m = lane; m < members; m += 32) offsets[m * a.tiles] = m == a.own ? 0 : own[m];
}

// The numbers of a round become the sums of those before them; a thread block for each round.
KERNEL(1024) requests_sum(const Argument a) {
    SHARED u32 sums[33];
    u64 length = a.members * a.tiles;
    u32* offsets = (u32*)a.offsets + blockIdx.x * (length + 1);
    u32* starts = (u32*)a.starts + blockIdx.x * (a.members + 1);
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, before = 0;
    for (u64 base = 0; base < length; base += 1024) {
        u64 i = base + threadIdx.x;
        u32 count = i < length ? offsets[i] : 0, sum = count;
        for (u32 d = 1; d < 32; d *= 2) {
            u32 lower = shuffle_up(sum, d);
            if (lane >= d) sum += lower;
        }
        if (lane == 31) sums[warp] = sum;
        barrier();
        u32 below = 0, all = 0;
        for (u32 w = 0; w < 32; w++) {
            if (w == warp) below = all;
            all += sums[w];
        }
        u32 offset = before + below + sum - count;
        if (i < length) {
            offsets[i] = offset;
            if (i % a.tiles == 0) starts[i / a.tiles] = offset;
        }
        before += all;
        barrier();
    }
    if (threadIdx.x == 0) {
        offsets[length] = before;
        starts[a.members] = before;
    }
}

KERNEL(256) requests_write(const Argument a) {
    SHARED u32 places[MOST];
    u32 warps = blockDim.x / 32, members = (u32)a.members, lane = threadIdx.x % 32;
    u64 at = (u64)blockIdx.x * warps + threadIdx.x / 32;
    if (at >= a.total) return;
    Tile tile = tile_of(a, a.first / a.of_round, at);
    const u32* offsets =
        (const u32*)a.offsets + tile.round * (a.members * a.tiles + 1) + tile.number;
    bool are_few = members <= FEW;
    u32* own = places + threadIdx.x / 32 * members;
    // The next slot of the member with the number of the lane.
    u32 next = 0;
    if (are_few) {
        if (lane < members) next = offsets[lane * a.tiles];
    } else {
        for (u32 m = lane; m < members; m += 32) own[m] = offsets[m * a.tiles];
        warp_barrier();
    }
    const u64* firsts = (const u64*)a.firsts;
    for_positions(a, tile, [&](bool is_position, u64 i, u64 place, u32 owner) {
        bool has_request = owner < members && owner != a.own;
        u32 before = (1u << lane) - 1, slot = 0;
        if (are_few) {
            for (u32 m = 0; m < members; m++) {
                u32 lanes = ballot(has_request && owner == m), start = shuffle_from(next, m);
                if (owner == m) slot = start + count_ones(lanes & before);
                if (lane == m) next += count_ones(lanes);
            }
        } else {
            u32 lanes = lanes_with(has_request ? owner : members);
            if (has_request) slot = own[owner] + count_ones(lanes & before);
            warp_barrier();
            if (has_request && lowest_one(lanes) == lane) own[owner] += count_ones(lanes);
            warp_barrier();
        }
        R written = NOWHERE;
        if (owner < members) {
            u64 local = place - firsts[owner];
            if (a.stretch) {
                u64 extent = firsts[owner + 1] - firsts[owner];
                local = (i / a.stretch * extent + local) * a.inner + i % a.inner;
            }
            if (has_request) ((R*)a.requests)[slot] = (R)local;
            written = has_request ? (R)slot : ~(R)local;
        }
        if (is_position) ((R*)a.slots)[i - a.first] = written;
    });
}

// A thread for each word of the answers.
KERNEL(256) requests_answer(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x, row = a.outer * a.words, all = a.total * row;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += step) {
        u64 at = row == 1 ? i : i / row, word = i - at * row, outer = 0;
        if (a.outer > 1) {
            outer = word / a.words;
            word -= outer * a.words;
        }
        u64 from = outer * a.extent + (u64)((const R*)a.requests)[at];
        ((W*)a.answers)[i] = ((const W*)a.table)[from * a.words + word];
    }
}

// A thread for each word of the rows of the result.
KERNEL(256) requests_place(const Argument a) {
    u64 count = a.end - a.first, of_outer = count * a.words, all = a.outer * of_outer;
    u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += step) {
        u64 outer = i < of_outer ? 0 : i / of_outer, rest = i - outer * of_outer;
        u64 k = a.words == 1 ? rest : rest / a.words, word = rest - k * a.words;
        R slot = ((const R*)a.slots)[k];
        const W* from = slot < 0 ? (const W*)a.table : (const W*)a.answers;
        u64 row = slot < 0 ? outer * a.extent + (u64)~slot : (u64)slot * a.outer + outer;
        ((W*)a.to)[(outer * a.total + a.first + k) * a.words + word] = from[row * a.words + word];
    }
}

// A thread for each word of the values.
KERNEL(256) requests_carry(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x, all = (a.end - a.first) * a.words;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += step) {
        u64 k = a.words == 1 ? i : i / a.words, word = i - k * a.words;
        R slot = ((const R*)a.slots)[k];
        if (slot >= 0) ((W*)a.to)[(u64)slot * a.words + word] = ((const W*)a.answers)[i];
    }
}
