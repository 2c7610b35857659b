// The nearest points of a tree, for points with DIMENSIONS coordinates. NORM is the exponent of the
// norm if it is 1 or 2, 0 if it is infinite, else 3. PERIODIC is defined for a periodic space. COUNT
// is the number of points to find that fit into registers, or 0.
struct Argument {
    u64 points, boxes, leaves, members, extents, to, distances;
    // The points to search for, and those to find; the nodes that are no leaves; the points of a
    // leaf; the number that stands for none.
    u64 total, count, inner, width, absent, norm, limit;
};

#if NORM == 3 || defined(PERIODIC)
// Distances of boxes are rounded otherwise than those of their points.
#define SLACK * (1.0 + 1e-12)
#else
#define SLACK
#endif
// Points of a leaf that are read at once.
#define AT_ONCE 4

// The power of a distance with one more coordinate.
DEVICE f64 accumulated(f64 sum, f64 gap, f64 norm) {
#if NORM == 1
    return sum + gap;
#elif NORM == 2
    return sum + gap * gap;
#elif NORM == 0
    return fmax(sum, gap);
#else
    return sum + pow(gap, norm);
#endif
}

DEVICE f64 point_gap(const Argument& a, int axis, f64 x, f64 y) {
    f64 gap = fabs(x - y);
#ifdef PERIODIC
    f64 extent = ((const f64*)a.extents)[axis];
    if (extent > 0.0) gap = fmin(gap, fabs(extent - gap));
#endif
    return gap;
}

// How far a box is; `node` counts from 1.
DEVICE f64 box_distance(const Argument& a, const f64* x, u32 node) {
    const f64* bounds = (const f64*)a.boxes + (u64)2 * DIMENSIONS * (node - 1);
    f64 sum = 0.0, norm = from_bits(a.norm);
#pragma unroll (DIMENSIONS <= 8 ? DIMENSIONS : 1)
    for (int axis = 0; axis < DIMENSIONS; axis++) {
        f64 low = bounds[axis], high = bounds[DIMENSIONS + axis];
        f64 gap = fmax(fmax(low - x[axis], x[axis] - high), 0.0);
#ifdef PERIODIC
        f64 extent = ((const f64*)a.extents)[axis];
        if (extent > 0.0) {
            f64 before = fmax(low - x[axis] + extent, 0.0);
            gap = fmin(gap, fmin(before, fmax(x[axis] + extent - high, 0.0)));
        }
#endif
        sum = accumulated(sum, gap, norm);
    }
    return sum;
}

DEVICE bool is_before(f64 distance, i64 number, f64 other, i64 other_number) {
    return distance < other || (distance == other && number < other_number);
}

#if COUNT > 0
// The nearest points so far, in order. There is none below the limit where the number is -1.
struct Found {
    f64 distance[COUNT];
    i64 number[COUNT];
};

DEVICE void clear(Found& found, const Argument& a) {
#pragma unroll
    for (int j = 0; j < COUNT; j++) {
        found.distance[j] = from_bits(a.limit);
        found.number[j] = -1;
    }
}

DEVICE f64 reach_of(const Found& found) { return found.distance[COUNT - 1]; }

DEVICE void insert(Found& found, f64 distance, i64 number) {
#pragma unroll
    for (int j = COUNT - 1; j >= 0; j--) {
        if (!is_before(distance, number, found.distance[j], found.number[j])) continue;
        bool is_here = j == 0
            || !is_before(distance, number, found.distance[j > 0 ? j - 1 : 0],
                          found.number[j > 0 ? j - 1 : 0]);
        found.distance[j] = is_here ? distance : found.distance[j > 0 ? j - 1 : 0];
        found.number[j] = is_here ? number : found.number[j > 0 ? j - 1 : 0];
    }
}

DEVICE void store(const Found& found, const Argument& a, i64* to) {
#pragma unroll
    for (int j = 0; j < COUNT; j++) to[j] = found.number[j] < 0 ? (i64)a.absent : found.number[j];
}
#else
// The nearest points so far, in memory: a heap whose first one is the farthest.
struct Found {
    f64* distance;
    i64* number;
    f64 limit;
    u64 size, count;
};

DEVICE f64 reach_of(const Found& found) {
    return found.size < found.count ? found.limit : found.distance[0];
}

// Puts a point in a free place, or in one that is lower in the heap.
DEVICE void sink(Found& found, u64 place, u64 size, f64 distance, i64 number) {
    while (2 * place + 1 < size) {
        u64 part = 2 * place + 1;
        if (part + 1 < size && is_before(found.distance[part], found.number[part],
                                         found.distance[part + 1], found.number[part + 1])) {
            part++;
        }
        if (!is_before(distance, number, found.distance[part], found.number[part])) break;
        found.distance[place] = found.distance[part];
        found.number[place] = found.number[part];
        place = part;
    }
    found.distance[place] = distance;
    found.number[place] = number;
}

DEVICE void insert(Found& found, f64 distance, i64 number) {
    if (found.size == found.count) {
        if (is_before(distance, number, found.distance[0], found.number[0])) {
            sink(found, 0, found.size, distance, number);
        }
        return;
    }
    if (!(distance < found.limit)) return;
    u64 place = found.size++;
    while (place > 0) {
        u64 above = (place - 1) / 2;
        if (!is_before(found.distance[above], found.number[above], distance, number)) break;
        found.distance[place] = found.distance[above];
        found.number[place] = found.number[above];
        place = above;
    }
    found.distance[place] = distance;
    found.number[place] = number;
}

// Sorts the heap in its place.
DEVICE void finish(Found& found, u64 absent) {
    for (u64 left = found.size; left > 1; left--) {
        f64 distance = found.distance[left - 1];
        i64 number = found.number[left - 1];
        found.distance[left - 1] = found.distance[0];
        found.number[left - 1] = found.number[0];
        sink(found, 0, left - 1, distance, number);
    }
    for (u64 place = found.size; place < found.count; place++) found.number[place] = (i64)absent;
}
#endif

// The points of a leaf.
DEVICE void visit(const Argument& a, const f64* x, u64 leaf, Found& found) {
    const f64* points = (const f64*)a.leaves + leaf * DIMENSIONS * a.width;
    const i64* members = (const i64*)a.members + leaf * a.width;
    f64 norm = from_bits(a.norm);
    for (u64 first = 0; first < a.width; first += AT_ONCE) {
        f64 distance[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) distance[j] = 0.0;
#pragma unroll (DIMENSIONS <= 8 ? DIMENSIONS : 1)
        for (int axis = 0; axis < DIMENSIONS; axis++) {
            const f64* row = points + axis * a.width;
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++) {
                u64 place = first + j < a.width ? first + j : a.width - 1;
                distance[j] = accumulated(distance[j], point_gap(a, axis, x[axis], row[place]), norm);
            }
        }
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {
            if (first + j >= a.width || !(distance[j] <= reach_of(found))) continue;
            i64 number = members[first + j];
            if (number < (i64)a.absent) insert(found, distance[j], number);
        }
    }
}

// A thread for each point. It goes down to the nearer part of a node first. A bit for each level says
// whether the other part is to be looked at later.
KERNEL(128) search(const Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        f64 x[DIMENSIONS];
#pragma unroll (DIMENSIONS <= 8 ? DIMENSIONS : 1)
        for (int axis = 0; axis < DIMENSIONS; axis++) {
            x[axis] = ((const f64*)a.points)[i * DIMENSIONS + axis];
        }
        i64* to = (i64*)a.to + i * a.count;
#if COUNT > 0
        Found found;
        clear(found, a);
#else
        Found found = {(f64*)a.distances + i * a.count, to, from_bits(a.limit), 0, a.count};
#endif
        u32 node = 1, waiting = 0;
        int level = 0;
        f64 distance = box_distance(a, x, node);
        while (true) {
            if (distance <= reach_of(found) SLACK) {
                if (node <= a.inner) {
                    f64 left = box_distance(a, x, 2 * node), right = box_distance(a, x, 2 * node + 1);
                    bool is_left = left <= right;
                    f64 far = is_left ? right : left;
                    level++;
                    node = 2 * node + (is_left ? 0 : 1);
                    distance = is_left ? left : right;
                    if (far <= reach_of(found) SLACK) waiting |= 1u << level;
                    continue;
                }
                visit(a, x, node - 1 - a.inner, found);
            }
            if (waiting == 0) break;
            // The other part at the lowest level that has one.
            int back = 63 - leading_zeros((u64)waiting);
            waiting ^= 1u << back;
            node = (node >> (level - back)) ^ 1;
            level = back;
            distance = box_distance(a, x, node);
        }
#if COUNT > 0
        store(found, a, to);
#else
        finish(found, a.absent);
#endif
    }
}
