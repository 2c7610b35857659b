// The connected elements of a mask: trees whose root is the first element of a part. The mask has
// AXES axes. P is an integer type for positions, WORD one without a sign of the same size.
//
// The elements of a tile, TILE_ROWS x TILE_COLUMNS ones along the last two axes, are connected first,
// in shared memory. So most paths are short before tiles are connected with each other.
#define TILE (TILE_ROWS * TILE_COLUMNS)
#define NONE 0xffffffffu

struct Argument {
    u64 mask, structure, to, total, tiles;
    // The block, its place in the whole mask, and the whole mask.
    i64 shape[AXES], origin[AXES], whole[AXES];
};

// The rows and the columns of a block.
DEVICE P columns_of(const Argument& a) { return (P)a.shape[AXES - 1]; }
DEVICE P rows_of(const Argument& a) {
#if AXES == 1
    return 1;
#else
    return (P)a.shape[AXES - 2];
#endif
}

// The number of neighbours in a structure, with the element itself.
DEVICE constexpr int neighbours_of() {
    int neighbours = 1;
    for (int axis = 0; axis < AXES; axis++) neighbours *= 3;
    return neighbours;
}

// The root of an element, of a tile or of all. Each element on the way gets its parent's parent:
// whichever of several threads writes last, the parent is an earlier element of the same part.
template <class N> DEVICE N root_of(N* parents, N at) {
    volatile N* now = parents;
    N parent = now[at];
    while (parent != at) {
        N above = now[parent];
        if (above != parent) now[at] = above;
        at = parent;
        parent = above;
    }
    return at;
}

// Connects two parts: the greater root gets the lesser one as its parent, unless another thread has
// changed it meanwhile.
template <class N, class W> DEVICE void connect(N* parents, W* words, N a, N b) {
    while (true) {
        a = root_of(parents, a);
        b = root_of(parents, b);
        if (a == b) return;
        N low = a < b ? a : b, high = a < b ? b : a;
        N before = (N)atomic_min(words + high, (W)low);
        if (before == high) return;
        a = before;
        b = low;
    }
}

// Each element's parent is the root of its part of a tile.
KERNEL(256) plant(const Argument a) {
    SHARED u32 parents[TILE];
    const u8* mask = (const u8*)a.mask;
    const u8* structure = (const u8*)a.structure;
    const int centre = neighbours_of() / 2;
    P rows = rows_of(a), columns = columns_of(a);
    P across = (columns - 1) / TILE_COLUMNS + 1;
    P along = (rows - 1) / TILE_ROWS + 1;
    bool joins_columns = structure[centre - 1] != 0;
    for (u64 tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
        P plane = (P)tile / across / along;
        P first_row = (P)tile / across % along * TILE_ROWS;
        P first_column = (P)tile % across * TILE_COLUMNS;
        P start = (plane * rows + first_row) * columns + first_column;
        u32 held[TILE / 256];
        barrier();
#pragma unroll
        for (int k = 0; k < TILE / 256; k++) {
            u32 at = threadIdx.x + 256 * k, lane = at & 31;
            P row = at / TILE_COLUMNS, column = at % TILE_COLUMNS;
            bool is_there = first_row + row < rows && first_column + column < columns;
            bool holds = is_there && mask[start + row * columns + column] != 0;
            held[k] = ballot(holds);
            // The first one of the elements up to this one that hold without a gap.
            u32 up_to = ~0u >> (31 - lane);
            int gap = 63 - leading_zeros((u64)(~held[k] & up_to));
            u32 first = joins_columns ? at - lane + gap + 1 : at;
            parents[at] = holds ? first : NONE;
        }
        barrier();
#pragma unroll
        for (int k = 0; k < TILE / 256; k++) {
            u32 at = threadIdx.x + 256 * k, lane = at & 31, column = at % TILE_COLUMNS;
            if (!(held[k] >> lane & 1)) continue;
            bool is_before = lane > 0 && (held[k] >> (lane - 1) & 1);
            if (joins_columns && column > 0 && lane == 0 && parents[at - 1] != NONE) {
                connect(parents, parents, at, at - 1);
            }
#if AXES > 1
            if (at < TILE_COLUMNS) continue;
#pragma unroll
            for (int step = -1; step <= 1; step++) {
                u32 other = at - TILE_COLUMNS + step;
                bool is_inside = (int)column + step >= 0 && (int)column + step < TILE_COLUMNS;
                if (!is_inside || structure[centre - 3 + step] == 0) continue;
                if (parents[other] == NONE) continue;
                // The elements before both are connected with them, and connect them.
                bool is_known = joins_columns && is_before && (int)column + step > 0;
                if (is_known && parents[other - 1] != NONE) continue;
                connect(parents, parents, at, other);
            }
#endif
        }
        barrier();
#pragma unroll
        for (int k = 0; k < TILE / 256; k++) {
            u32 at = threadIdx.x + 256 * k;
            P row = at / TILE_COLUMNS, column = at % TILE_COLUMNS;
            if (first_row + row >= rows || first_column + column >= columns) continue;
            P root = -1;
            if (parents[at] != NONE) {
                u32 found = root_of(parents, at);
                root = start + (P)(found / TILE_COLUMNS) * columns + (P)(found % TILE_COLUMNS);
            }
            ((P*)a.to)[start + row * columns + column] = root;
        }
    }
}

// Connects each element with its neighbours that come earlier and are in other tiles.
KERNEL(256) join(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    const u8* mask = (const u8*)a.mask;
    const u8* structure = (const u8*)a.structure;
    constexpr int neighbours = neighbours_of();
    bool joins_columns = structure[neighbours / 2 - 1] != 0;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        if (mask[i] == 0) continue;
        P index[AXES], rest = (P)i;
#pragma unroll
        for (int axis = AXES - 1; axis > 0; axis--) {
            P extent = (P)a.shape[axis], above = rest / extent;
            index[axis] = rest - above * extent;
            rest = above;
        }
        index[0] = rest;
        P column = index[AXES - 1];
#if AXES > 1
        bool begins_tile = index[AXES - 2] % TILE_ROWS == 0;
#endif
#pragma unroll (AXES <= 3 ? 13 : 1)
        for (int number = 0; number < neighbours / 2; number++) {
            // Whether all steps but those along the last two axes are 0, and these steps.
            bool is_in_plane = number / 9 == neighbours / 2 / 9;
            P to_column = column + number % 3 - 1;
            bool is_beside = to_column >= 0 && to_column / TILE_COLUMNS == column / TILE_COLUMNS;
#if AXES > 1
            bool is_above = number / 3 % 3 == 0;
            if (is_in_plane && is_beside && !(is_above && begins_tile)) continue;
#else
            if (is_in_plane && is_beside) continue;
#endif
            if (structure[number] == 0) continue;
            P other = 0, stride = 1;
            int which = number;
            bool is_inside = true;
#pragma unroll
            for (int axis = AXES - 1; axis >= 0; axis--) {
                P at = index[axis] + which % 3 - 1;
                is_inside = is_inside && at >= 0 && at < (P)a.shape[axis];
                other += at * stride;
                stride *= (P)a.shape[axis];
                which /= 3;
            }
            if (!is_inside || mask[other] == 0) continue;
            // The elements before both are connected with them, and connect them.
            bool is_along = number == neighbours / 2 - 1;
            if (joins_columns && !is_along && column > 0 && to_column > 0) {
                if (mask[i - 1] != 0 && mask[other - 1] != 0) continue;
            }
            connect((P*)a.to, (WORD*)a.to, (P)i, other);
        }
    }
}

// A number for the tile of an element. It counts the rows of all planes, so it may change within a
// tile, or be that of two tiles. It only decides which elements `climb` treats, so any function of
// the position would do.
DEVICE P near_tile(const Argument& a, P i) {
    P columns = columns_of(a), row = i / columns;
    P column = i - row * columns;
    return row / TILE_ROWS * ((columns - 1) / TILE_COLUMNS + 1) + column / TILE_COLUMNS;
}

// Elements whose parents are in other tiles get their roots: these are the long paths. A thread
// writes its own elements alone: a path that another thread shortens could end at an element that is
// no root.
KERNEL(256) climb(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    volatile P* parents = (volatile P*)a.to;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        P at = (P)i, parent = parents[i];
        if (parent < 0 || parent == at || near_tile(a, parent) == near_tile(a, at)) continue;
        while (parent != at) {
            at = parent;
            parent = parents[at];
        }
        parents[i] = at;
    }
}

// Each element gets its root: where a path leaves a tile, it has been found.
KERNEL(256) flatten(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    P* parents = (P*)a.to;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        P at = (P)i, parent = parents[i];
        if (parent < 0) continue;
        while (parent != at && near_tile(a, parent) == near_tile(a, at)) {
            at = parent;
            parent = parents[at];
        }
        parents[i] = parent;
    }
}

// Positions in the whole mask.
KERNEL(256) place(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    P* parents = (P*)a.to;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        P rest = parents[i], at = 0, stride = 1;
        if (rest < 0) continue;
#pragma unroll
        for (int axis = AXES - 1; axis >= 0; axis--) {
            P extent = (P)a.shape[axis], above = rest / extent;
            at += (rest - above * extent + (P)a.origin[axis]) * stride;
            rest = above;
            stride *= (P)a.whole[axis];
        }
        parents[i] = at;
    }
}
