// Values of splines of order ORDER at points with coordinates along AXES axes: a thread for each
// point. RANK is the number of the points' joined axes. The coefficients have elements T, the result
// U, the coordinates C. OUTSIDE is the number of what is outside. P is an integer type for positions
// in the coefficients, and UNSIGNED the one of this size without a sign.
#define TAPS (ORDER + 1)
#define CONSTANT 0
#define COEFFICIENT 1
#define NEAREST 2
#define REFLECT 3
#define MIRROR 4
#define WRAP 5
#define REPEAT 6

struct Argument {
    // The points of an element of the leading axes, and the coefficients for them.
    u64 image, to, total, number, points, elements;
    u64 coordinates[AXES];
    i64 extents[AXES], strides[AXES];
    i64 of_points[RANK], steps[AXES][RANK];
};

// A coordinate moved to one that is at the axis or near it.
DEVICE f64 moved(f64 x, P extent, bool& is_inside) {
    f64 n = (f64)extent, last = n - 1.0;
    bool is_below = x < 0.0, is_above = x > last;
#if OUTSIDE == COEFFICIENT || OUTSIDE == NEAREST
    // Farther away, all coefficients are the same.
    f64 most = n + 6.0;
    return x < -most ? -most : x > most ? most : x;
#else
    if (!is_below && !is_above) return x;
#if OUTSIDE == CONSTANT
    is_inside = false;
    return 0.0;
#else
    if (extent <= 1) return 0.0;
#if OUTSIDE == MIRROR
    f64 turn = 2.0 * last;
    if (is_below) {
        f64 low = x + turn * trunc(-x / turn);
        return low <= -last ? low + turn : -low;
    }
    f64 high = x - turn * trunc(x / turn);
    return high >= n ? turn - high : high;
#elif OUTSIDE == REFLECT
    f64 turn = 2.0 * n;
    if (is_below) {
        f64 low = x < -turn ? x + turn * trunc(-x / turn) : x;
        if (low < -n) return low + turn;
        return (low > -1e-15 ? 1e-15 : -low) - 1.0;
    }
    f64 high = x - turn * trunc(x / turn);
    return high >= n ? turn - high - 1.0 : high;
#elif OUTSIDE == WRAP
    return is_below ? x + last * (trunc(-x / last) + 1.0) : x - last * trunc(x / last);
#else
    return is_below ? x + n * (floor(trunc(-1.0 - x) / n) + 1.0) : x - n * trunc(x / n);
#endif
#endif
#endif
}

// The position of the coefficient that stands for one inside or outside.
DEVICE P placed(P at, P n) {
    if (at >= 0 && at < n) return at;
#if OUTSIDE == COEFFICIENT || OUTSIDE == NEAREST
    return at < 0 ? 0 : n - 1;
#else
    if (n == 1) return 0;
    P turn = OUTSIDE == REPEAT ? n : OUTSIDE == REFLECT ? 2 * n : 2 * n - 2;
    P place = at % turn;
    place = place < 0 ? place + turn : place;
#if OUTSIDE == REPEAT
    return place;
#else
    P other = turn - (OUTSIDE == REFLECT ? 1 : 0) - place;
    return place < other ? place : other;
#endif
#endif
}

#if ORDER == 3
DEVICE f64 cubic(f64 d) { return (d * d * (3.0 * d - 6.0) + 4.0) / 6.0; }
#elif ORDER == 4
DEVICE f64 quartic(f64 d) {
    return ((((5.0 - d) * d / 6.0 - 1.25) * d + 5.0 / 24.0) * d) + 55.0 / 96.0;
}
#elif ORDER == 5
DEVICE f64 quintic(f64 d) {
    f64 square = d * d;
    return square * (square * (0.25 - d / 12.0) - 0.5) + 0.55;
}
DEVICE f64 outer_quintic(f64 d) {
    return ((((d / 24.0 - 0.375) * d + 1.25) * d - 1.75) * d + 0.625) * d + 0.425;
}
#endif

// The values of the splines around a point at the distance t from the middle one.
DEVICE void weigh(f64 t, f64* weights) {
#if ORDER == 0
    weights[0] = 1.0;
#elif ORDER == 1
    weights[0] = 1.0 - t;
    weights[1] = t;
#else
#if ORDER == 2
    f64 half = 0.5 - t;
    weights[0] = 0.5 * half * half;
    weights[1] = 0.75 - t * t;
#elif ORDER == 3
    f64 u = 1.0 - t;
    weights[0] = u * u * u / 6.0;
    weights[1] = cubic(t);
    weights[2] = cubic(u);
#elif ORDER == 4
    f64 half = (0.5 - t) * (0.5 - t), square = t * t;
    weights[0] = half * half / 24.0;
    weights[1] = quartic(1.0 + t);
    weights[2] = square * (0.25 * square - 0.625) + 115.0 / 192.0;
    weights[3] = quartic(1.0 - t);
#else
    f64 u = 1.0 - t, low = u * u;
    weights[0] = low * low * u / 120.0;
    weights[1] = outer_quintic(1.0 + t);
    weights[2] = quintic(t);
    weights[3] = quintic(u);
    weights[4] = outer_quintic(1.0 + u);
#endif
    f64 rest = 1.0;
#pragma unroll
    for (int tap = 0; tap < ORDER; tap++) rest -= weights[tap];
    weights[ORDER] = rest;
#endif
}

// The coefficients around a point along an axis.
struct Near {
    f64 weights[TAPS];
    P places[TAPS];
    // The first one's position, as if the axis had no ends.
    P start;
#if OUTSIDE == COEFFICIENT
    bool beyond[TAPS];
#endif
    bool is_inside;
};

DEVICE void look(const Argument& a, int axis, C coordinate, Near& near) {
    f64 x = (f64)coordinate;
    P extent = (P)a.extents[axis], stride = (P)a.strides[axis];
    near.is_inside = true;
#if ORDER > 0
    // Most points have all of their coefficients inside and need no rule for the outside. What is far
    // away starts outside; NaN may start at 0.
    f64 nearest = ORDER % 2 == 1 ? floor(x) : floor(x + 0.5);
    UNSIGNED first = (UNSIGNED)(P)nearest - ORDER / 2;
    UNSIGNED starts = extent < TAPS ? 0 : (UNSIGNED)extent - ORDER;
    if (first < starts) {
#if OUTSIDE != NEAREST && OUTSIDE != COEFFICIENT
        near.is_inside = x == x;
#endif
        weigh(x - nearest, near.weights);
        near.start = (P)first;
        P place = near.start * stride;
#pragma unroll
        for (int tap = 0; tap < TAPS; tap++) {
#if OUTSIDE == COEFFICIENT
            near.beyond[tap] = false;
#endif
            near.places[tap] = place + tap * stride;
        }
        return;
    }
#endif
    x = moved(x, extent, near.is_inside);
    // As in SciPy, NaN is outside if points outside are told apart.
#if OUTSIDE != NEAREST && (OUTSIDE != COEFFICIENT || ORDER == 0)
    near.is_inside = near.is_inside && x == x;
#endif
    f64 middle = ORDER % 2 == 1 ? floor(x) : floor(x + 0.5);
    weigh(x - middle, near.weights);
    // A point is near the axis, but for rounding of far ones. The conversion of NaN gives some
    // integer, and its weights are NaN.
    P most = extent + 6, start = (P)middle;
    start = (start < -most ? -most : start > most ? most : start) - ORDER / 2;
    near.start = start;
#pragma unroll
    for (int tap = 0; tap < TAPS; tap++) {
        P at = start + tap;
#if OUTSIDE == COEFFICIENT
        near.beyond[tap] = at < 0 || at >= extent;
#endif
        near.places[tap] = placed(at, extent) * stride;
    }
}

// The sums along the second axis of the rows of coefficients around a point. If this axis's
// coordinate stays the same (SHARES_SUMS), a point shares some of them with the one above it.
struct Rows {
#if SHARES_SUMS
    f64 sums[TAPS];
    P start;
#endif
    bool is_known;
};

#if AXES == 2
DEVICE f64 row_sum(const T* image, const Near* near, int row, f64 number) {
    const T* from = image + near[0].places[row];
    f64 sum = 0.0;
#pragma unroll
    for (int tap = 0; tap < TAPS; tap++) {
        f64 own = (f64)from[near[1].places[tap]];
#if OUTSIDE == COEFFICIENT
        own = near[0].beyond[row] || near[1].beyond[tap] ? number : own;
#endif
        sum = fma(own, near[1].weights[tap], sum);
    }
    return sum;
}

// The value at a point.
DEVICE f64 value_at(const T* image, const Near* near, Rows& rows, f64 number) {
    f64 value = 0.0;
#if SHARES_SUMS
    P down = near[0].start - rows.start;
    bool is_next = rows.is_known && down == 1, is_same = rows.is_known && down == 0;
    rows.start = near[0].start;
    rows.is_known = true;
    if (is_next) {
#pragma unroll
        for (int row = 1; row < TAPS; row++) rows.sums[row - 1] = rows.sums[row];
        rows.sums[TAPS - 1] = row_sum(image, near, TAPS - 1, number);
    } else if (!is_same) {
#pragma unroll
        for (int row = 0; row < TAPS; row++) rows.sums[row] = row_sum(image, near, row, number);
    }
#pragma unroll
    for (int row = 0; row < TAPS; row++) value = fma(rows.sums[row], near[0].weights[row], value);
#else
#pragma unroll
    for (int row = 0; row < TAPS; row++) {
        value = fma(row_sum(image, near, row, number), near[0].weights[row], value);
    }
#endif
    return value;
}
#else
// The value at a point.
DEVICE f64 value_at(const T* image, const Near* near, Rows&, f64 number) {
    f64 value = 0.0;
#if AXES == 1
#pragma unroll
    for (int tap = 0; tap < TAPS; tap++) {
        f64 own = (f64)image[near[0].places[tap]];
#if OUTSIDE == COEFFICIENT
        own = near[0].beyond[tap] ? number : own;
#endif
        value += own * near[0].weights[tap];
    }
#else
    int all = 1;
#pragma unroll
    for (int axis = 0; axis < AXES; axis++) all *= TAPS;
    for (int each = 0; each < all; each++) {
        int left_taps = each, taps[AXES];
        P place = 0;
        bool is_beyond = false;
#pragma unroll
        for (int axis = AXES - 1; axis >= 0; axis--) {
            taps[axis] = left_taps % TAPS;
            left_taps /= TAPS;
            place += near[axis].places[taps[axis]];
#if OUTSIDE == COEFFICIENT
            is_beyond = is_beyond || near[axis].beyond[taps[axis]];
#endif
        }
        f64 own = is_beyond ? number : (f64)image[place];
#pragma unroll
        for (int axis = 0; axis < AXES; axis++) own *= near[axis].weights[taps[axis]];
        value += own;
    }
#endif
    return value;
}
#endif

// A thread computes STRIP points along the joined axis before the last one, if there is one: what
// they have in common is found once.
KERNEL(256) interpolate(PARAMETER Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    f64 number = from_bits(a.number);
#if RANK == 1
    u64 all = a.total;
#else
    u64 columns = a.of_points[RANK - 1], rows = a.of_points[RANK - 2];
    u64 strips = (rows + STRIP - 1) / STRIP, all = a.total / rows * strips;
#endif
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += step) {
        const C* coordinates[AXES];
#if RANK == 1
        u64 leading = 0, first = i, point = i;
        if (a.points != a.total) {
            leading = i / a.points;
            point = i - leading * a.points;
        }
#pragma unroll
        for (int axis = 0; axis < AXES; axis++) {
            coordinates[axis] = (const C*)a.coordinates[axis] + (i64)point * a.steps[axis][0];
        }
#else
        u64 column, strip, left = divided(divided(i, columns, column), strips, strip);
        u64 row = strip * STRIP, first = (left * rows + row) * columns + column;
#pragma unroll
        for (int axis = 0; axis < AXES; axis++) {
            i64 from = (i64)row * a.steps[axis][RANK - 2] + (i64)column * a.steps[axis][RANK - 1];
            coordinates[axis] = (const C*)a.coordinates[axis] + from;
        }
#pragma unroll
        for (int along = RANK - 3; along >= 0; along--) {
            u64 at;
            left = divided(left, a.of_points[along], at);
#pragma unroll
            for (int axis = 0; axis < AXES; axis++) {
                coordinates[axis] += (i64)at * a.steps[axis][along];
            }
        }
        u64 leading = left;
#endif
        const T* image = (const T*)a.image + leading * a.elements;
        U* to = (U*)a.to + first;
        Near near[AXES];
        Rows around;
        around.is_known = false;
#if RANK == 1
        bool is_inside = true;
#pragma unroll
        for (int axis = 0; axis < AXES; axis++) {
            look(a, axis, coordinates[axis][0], near[axis]);
            is_inside = is_inside && near[axis].is_inside;
        }
        *to = (U)(is_inside ? value_at(image, near, around, number) : number);
#else
        int some = rows - row < STRIP ? (int)(rows - row) : STRIP;
#pragma unroll 1
        for (int e = 0; e < some; e++) {
            bool is_inside = true;
#pragma unroll
            for (int axis = 0; axis < AXES; axis++) {
                i64 down = a.steps[axis][RANK - 2];
                if (e == 0 || down != 0) look(a, axis, *coordinates[axis], near[axis]);
                coordinates[axis] += down;
                is_inside = is_inside && near[axis].is_inside;
            }
            *to = (U)(is_inside ? value_at(image, near, around, number) : number);
            to += columns;
        }
#endif
    }
}
