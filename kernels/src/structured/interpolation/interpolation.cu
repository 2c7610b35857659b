// Values of splines of order ORDER at points with coordinates along AXES axes: a thread for each
// point. RANK is the number of the points' joined axes. The coefficients have elements T, the result
// U, the coordinates C. OUTSIDE is the number of what is outside. P is an integer type for positions
// in the coefficients.
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

KERNEL(256) interpolate(PARAMETER Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    f64 number = from_bits(a.number);
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        u64 leading = 0, point = i;
        if (a.points != a.total) {
            leading = i / a.points;
            point = i - leading * a.points;
        }
        i64 from[AXES];
#if RANK == 1
#pragma unroll
        for (int axis = 0; axis < AXES; axis++) from[axis] = (i64)point * a.steps[axis][0];
#else
#pragma unroll
        for (int axis = 0; axis < AXES; axis++) from[axis] = 0;
        u64 left = point;
#pragma unroll
        for (int along = RANK - 1; along >= 0; along--) {
            u64 extent = a.of_points[along], at;
            if (along == 0) {
                at = left;
            } else if ((left | extent) >> 32) {
                at = left % extent;
                left /= extent;
            } else {
                at = (u32)left % (u32)extent;
                left = (u32)left / (u32)extent;
            }
#pragma unroll
            for (int axis = 0; axis < AXES; axis++) from[axis] += (i64)at * a.steps[axis][along];
        }
#endif
        bool is_inside = true;
        f64 weights[AXES][TAPS];
        P places[AXES][TAPS];
#if OUTSIDE == COEFFICIENT
        bool beyond[AXES][TAPS];
#endif
#pragma unroll
        for (int axis = 0; axis < AXES; axis++) {
            f64 x = (f64)((const C*)a.coordinates[axis])[from[axis]];
            P extent = (P)a.extents[axis];
            x = moved(x, extent, is_inside);
            // As in SciPy, NaN is outside if points outside are told apart.
#if OUTSIDE != NEAREST && (OUTSIDE != COEFFICIENT || ORDER == 0)
            is_inside = is_inside && x == x;
#endif
            f64 middle = ORDER % 2 == 1 ? floor(x) : floor(x + 0.5);
            weigh(x - middle, weights[axis]);
            // A point is near the axis, but for rounding of far ones.
            f64 most = (f64)extent + 6.0;
            P start = (middle == middle ? (P)fmin(fmax(middle, -most), most) : (P)0) - ORDER / 2;
#pragma unroll
            for (int tap = 0; tap < TAPS; tap++) {
                P at = start + tap;
#if OUTSIDE == COEFFICIENT
                beyond[axis][tap] = at < 0 || at >= extent;
#endif
                places[axis][tap] = placed(at, extent) * (P)a.strides[axis];
            }
        }
        f64 value = number;
        if (is_inside) {
            const T* image = (const T*)a.image + leading * a.elements;
            value = 0.0;
#if AXES == 1
#pragma unroll
            for (int tap = 0; tap < TAPS; tap++) {
                f64 own = (f64)image[places[0][tap]];
#if OUTSIDE == COEFFICIENT
                own = beyond[0][tap] ? number : own;
#endif
                value += own * weights[0][tap];
            }
#elif AXES == 2
#pragma unroll
            for (int row = 0; row < TAPS; row++) {
#pragma unroll
                for (int tap = 0; tap < TAPS; tap++) {
                    f64 own = (f64)image[places[0][row] + places[1][tap]];
#if OUTSIDE == COEFFICIENT
                    own = beyond[0][row] || beyond[1][tap] ? number : own;
#endif
                    value += own * weights[0][row] * weights[1][tap];
                }
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
                    place += places[axis][taps[axis]];
#if OUTSIDE == COEFFICIENT
                    is_beyond = is_beyond || beyond[axis][taps[axis]];
#endif
                }
                f64 own = is_beyond ? number : (f64)image[place];
#pragma unroll
                for (int axis = 0; axis < AXES; axis++) own *= weights[axis][taps[axis]];
                value += own;
            }
#endif
        }
        ((U*)a.to)[i] = (U)value;
    }
}
