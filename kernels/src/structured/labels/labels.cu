// The connected elements of a mask: trees whose root is the first element of a part. The mask has
// AXES axes.
struct Argument {
    u64 mask, structure, to, total;
    // The block, its place in the whole mask, and the whole mask.
    i64 shape[AXES], origin[AXES], whole[AXES];
};

// Whether the structure connects neighbours along the last axis.
DEVICE bool joins_columns(const Argument& a, int neighbours) {
    return ((const u8*)a.structure)[neighbours / 2 - 1] != 0;
}

DEVICE int neighbours_of() {
    int neighbours = 1;
    for (int axis = 0; axis < AXES; axis++) neighbours *= 3;
    return neighbours;
}

// Each element's parent is the first one of its row that a warp sees connected with it.
KERNEL(256) plant(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    const int lane = threadIdx.x & 31;
    bool joins = joins_columns(a, neighbours_of());
    u64 all = (a.total + 31) / 32 * 32;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += step) {
        bool holds = i < a.total && ((const u8*)a.mask)[i] != 0;
        bool begins = i < a.total && i % a.shape[AXES - 1] == 0;
        u32 held = ballot(holds), begun = ballot(begins);
        // The last lane up to this one that holds nothing, and the last one at which a row begins.
        u32 up_to = ~0u >> (31 - lane);
        int gap = 63 - leading_zeros((u64)(~held & up_to));
        int start = 63 - leading_zeros((u64)(begun & up_to));
        int first = gap + 1 > start ? gap + 1 : start;
        if (first < 0) first = 0;
        if (i < a.total) ((i64*)a.to)[i] = holds ? (joins ? (i64)i - lane + first : (i64)i) : -1;
    }
}

// The root of an element. Each element on the way gets its parent's parent: whichever of several
// threads writes last, the parent is an earlier element of the same part.
DEVICE i64 root_of(i64* parents, i64 at) {
    volatile i64* now = parents;
    i64 parent = now[at];
    while (parent != at) {
        i64 above = now[parent];
        if (above != parent) now[at] = above;
        at = parent;
        parent = above;
    }
    return at;
}

// Connects two parts: the greater root gets the lesser one as its parent, unless another thread has
// changed it meanwhile.
DEVICE void connect(i64* parents, i64 a, i64 b) {
    while (true) {
        a = root_of(parents, a);
        b = root_of(parents, b);
        if (a == b) return;
        i64 low = a < b ? a : b, high = a < b ? b : a;
        i64 before = (i64)atomic_min((u64*)parents + high, (u64)low);
        if (before == high) return;
        a = before;
        b = low;
    }
}

// Connects each element with its neighbours that come earlier.
KERNEL(256) join(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    const u8* mask = (const u8*)a.mask;
    const int neighbours = neighbours_of();
    bool joins = joins_columns(a, neighbours);
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        if (mask[i] == 0) continue;
        i64 index[AXES], rest = i;
        for (int axis = AXES - 1; axis >= 0; axis--) {
            index[axis] = rest % a.shape[axis];
            rest /= a.shape[axis];
        }
        for (int number = 0; number < neighbours / 2; number++) {
            if (((const u8*)a.structure)[number] == 0) continue;
            i64 other = 0, stride = 1;
            int which = number;
            bool is_inside = true;
            for (int axis = AXES - 1; axis >= 0; axis--) {
                i64 at = index[axis] + which % 3 - 1;
                is_inside = is_inside && at >= 0 && at < a.shape[axis];
                other += at * stride;
                stride *= a.shape[axis];
                which /= 3;
            }
            if (!is_inside || mask[other] == 0) continue;
            // The elements before both are connected with them, and connect them.
            i64 column = index[AXES - 1], far = column + number % 3 - 1;
            bool is_along = number == neighbours / 2 - 1;
            if (joins && is_along && (i & 31) != 0) continue;
            if (joins && !is_along && column > 0 && far > 0 && mask[i - 1] && mask[other - 1]) {
                continue;
            }
            connect((i64*)a.to, i, other);
        }
    }
}

// Each element gets its root. A thread writes its own elements alone: a path that another thread
// shortens could end at an element that is no root.
KERNEL(256) flatten(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    volatile i64* parents = (volatile i64*)a.to;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        i64 at = i, parent = parents[i];
        if (parent < 0) continue;
        while (parent != at) {
            at = parent;
            parent = parents[at];
        }
        parents[i] = at;
    }
}

// Positions in the whole mask.
KERNEL(256) place(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    i64* parents = (i64*)a.to;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        i64 rest = parents[i], at = 0, stride = 1;
        if (rest < 0) continue;
        for (int axis = AXES - 1; axis >= 0; axis--) {
            at += (rest % a.shape[axis] + a.origin[axis]) * stride;
            rest /= a.shape[axis];
            stride *= a.whole[axis];
        }
        parents[i] = at;
    }
}
