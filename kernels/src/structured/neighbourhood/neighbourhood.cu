// The combination of the elements in a window around each element.
//
// T is the type of the elements and U that of the result, A the type in which elements are
// combined, R that of what is combined so far and of the numbers of the window. One of SUM, LINE,
// MEAN, LEAST, GREATEST (with heights), MINIMUM, MAXIMUM and RANK is defined.
// The value has AXES axes; the last two are rows and columns. Of a small window in a plane,
// SIZE_ROWS and SIZE_COLUMNS are the extents, and the loops over it are written out. One of
// RUNS_WINDOWS, RUNS_LINE, RUNS_ACROSS, RUNS_ALONG and RUNS_RANKS names the kernel.
struct Box {
    // The first element, and for each axis the first position and the number of positions.
    u64 address;
    i64 start[AXES], extent[AXES];
};

struct Argument {
    u64 window, heights, to, total;
    // The elements outside of the value: 0 a number, 1 the nearest, 2 and 3 reflected, 4 repeated.
    u64 border, outside, rank, boxes;
    // The whole value; the block of the result; the window.
    i64 extent[AXES], start[AXES], length[AXES], size[AXES], before[AXES];
    // The first box is the device's own block.
    Box box[BOXES];
};

#define ROWS (AXES - 2)
#define COLUMNS (AXES - 1)

// Numbers as integers, without their fractions; the least integer if it is out of range, as on the
// host.
DEVICE i32 word(f64 number) {
    bool inside = number > -2147483649.0 && number < 2147483648.0;
    return inside ? (i32)number : (i32)0x80000000u;
}

DEVICE i64 long_of(f64 number) {
    bool inside = number >= -9223372036854775808.0 && number < 9223372036854775808.0;
    return inside ? (i64)number : (i64)0x8000000000000000ull;
}

DEVICE u64 whole(f64 number) {
    bool large = number >= 9223372036854775808.0;
    u64 found = (u64)long_of(large ? number - 9223372036854775808.0 : number);
    return large ? found ^ 0x8000000000000000ull : found;
}

// The position that stands for one outside of an axis, or -1.
DEVICE i64 stands_for(i64 at, i64 extent, u64 border) {
    if (at >= 0 && at < extent) return at;
    if (border == 0) return -1;
    if (border == 1) return at < 0 ? 0 : extent - 1;
    if (border == 3 && extent == 1) return 0;
    i64 period = border == 4 ? extent : border == 2 ? 2 * extent : 2 * extent - 2;
    i64 place = at % period;
    if (place < 0) place += period;
    i64 last = border == 2 ? 2 * extent - 1 : period;
    return border == 4 || place < last - place ? place : last - place;
}

// The element at a place, inside or outside of the value. Changes the place.
DEVICE A value_at(const Argument& a, i64* at) {
    for (int axis = 0; axis < AXES; axis++) {
        at[axis] = stands_for(at[axis], a.extent[axis], a.border);
        if (at[axis] < 0) return KEEP_OUTSIDE(from_bits(a.outside));
    }
    for (u64 number = 0; number < a.boxes; number++) {
        const Box& box = a.box[number];
        bool is_inside = true;
        i64 place = 0;
        for (int axis = 0; axis < AXES; axis++) {
            i64 here = at[axis] - box.start[axis];
            is_inside = is_inside && here >= 0 && here < box.extent[axis];
            place = place * box.extent[axis] + here;
        }
        if (is_inside) return (A)((const T*)box.address)[place];
    }
    return (A)0;
}

#ifdef RANK
DEVICE bool counts(const Argument& a, i64 place) { return ((const u8*)a.window)[place] != 0; }
#else
// An element of the window: its number, and whether it counts.
struct Tap {
    bool counts;
    R number;
};
DEVICE Tap tap_at(const Argument& a, i64 place) {
#if defined(SUM) || defined(LINE)
    f64 number = ((const f64*)a.window)[place];
#ifdef SUM
    return Tap{number != 0.0, number};
#else
    return Tap{true, number};
#endif
#else
    bool counts = ((const u8*)a.window)[place] != 0;
#if defined(LEAST) || defined(GREATEST)
    return Tap{counts, ((const f64*)a.heights)[place]};
#else
    return Tap{counts, (R)1};
#endif
#endif
}

// What has been combined so far. The result begins as START. Extremes of integers begin with one that
// no element exceeds, STARTS_BEYOND; of others, the first element is the result even if it is NaN.
struct SoFar {
    R result;
    int count;
};

DEVICE void add_counted(SoFar& so_far, A element, R number) {
#if defined(SUM) || defined(LINE)
#ifdef TRUNCATED
    // The last bit of a sum matters.
    so_far.result = so_far.result + element * number;
#else
    so_far.result = fma(element, number, so_far.result);
#endif
#elif defined(MEAN)
    so_far.result += element;
#elif defined(LEAST)
    // As in SciPy, only the first height is a number; the others have the type of the elements.
    R lowered = so_far.count == 0 ? (R)element - number : (R)MINUS(element, NARROW_T(number));
    so_far.result = so_far.count == 0 || lowered < so_far.result ? lowered : so_far.result;
#elif defined(GREATEST)
    R raised = so_far.count == 0 ? (R)element + number : (R)PLUS(element, NARROW_T(number));
    so_far.result = so_far.count == 0 || raised > so_far.result ? raised : so_far.result;
#elif defined(MINIMUM)
    bool is_first = !STARTS_BEYOND && so_far.count == 0;
    so_far.result = is_first || element < so_far.result ? element : so_far.result;
#else
    bool is_first = !STARTS_BEYOND && so_far.count == 0;
    so_far.result = is_first || element > so_far.result ? element : so_far.result;
#endif
    so_far.count++;
}

DEVICE void add(SoFar& so_far, A element, const Tap& tap) {
    if (tap.counts) add_counted(so_far, element, tap.number);
}

DEVICE U finished(const SoFar& so_far) {
#ifdef MEAN
    return NARROW_U(so_far.result / (f64)so_far.count);
#else
    return NARROW_U(so_far.result);
#endif
}
#endif

// The place of the window of an element of the result; whether it is inside of the own block, and
// where it starts there.
DEVICE bool window_of(const Argument& a, u64 element, i64* at, i64& first) {
    bool is_inside = true;
#pragma unroll
    for (int axis = AXES - 1; axis >= 0; axis--) {
        i64 rest = element;
        if (axis > 0) element = divided(element, a.length[axis], rest);
        at[axis] = a.start[axis] + rest - a.before[axis];
    }
    first = 0;
#pragma unroll
    for (int axis = 0; axis < AXES; axis++) {
        i64 here = at[axis] - a.box[0].start[axis];
        is_inside = is_inside && here >= 0 && here + a.size[axis] <= a.box[0].extent[axis];
        first = first * a.box[0].extent[axis] + here;
    }
    return is_inside && a.boxes > 0;
}

// The place of an element of the window, counted along all axes.
DEVICE void place_of(const Argument& a, const i64* at, i64 number, i64* place) {
    for (int axis = AXES - 1; axis >= 0; axis--) {
        place[axis] = at[axis] + number % a.size[axis];
        number /= a.size[axis];
    }
}

// The element of a window, inside or outside of the own block. It is a call, so that the code for
// most elements needs no registers for it.
FAR A element_of(const Argument& a, u64 element, i64 number) {
    i64 at[AXES], place[AXES], first;
    window_of(a, element, at, first);
    place_of(a, at, number, place);
    return value_at(a, place);
}

#ifdef SIZE_ROWS
// The element at a row and a column of a window, as in `element_of`.
FAR A element_at(const Argument& a, u64 element, int row, int column) {
    i64 at[AXES], first;
    window_of(a, element, at, first);
    at[ROWS] += row;
    at[COLUMNS] += column;
    return value_at(a, at);
}
#endif

// How far a plane of the window, a position along all axes but the last two, is from its start.
DEVICE i64 plane_at(const Argument& a, i64 plane) {
    i64 far = 0, stride = a.box[0].extent[ROWS] * a.box[0].extent[COLUMNS];
    for (int axis = AXES - 3; axis >= 0; axis--) {
        far += plane % a.size[axis] * stride;
        plane /= a.size[axis];
        stride *= a.box[0].extent[axis];
    }
    return far;
}

DEVICE i64 planes_of(const Argument& a) {
    i64 planes = 1;
    for (int axis = 0; axis < AXES - 2; axis++) planes *= a.size[axis];
    return planes;
}

#ifndef RANK
#ifdef SIZE_ROWS
#define COUNT (SIZE_ROWS * SIZE_COLUMNS)
// The numbers of a larger window are read where they are needed, as they would take too many
// registers.
#define KEEPS_NUMBERS (COUNT <= 25)

// Whether the elements of a small window count: bit `number` is set if element `number` does.
DEVICE u64 counted(const Argument& a) {
    u64 holds = 0;
#pragma unroll
    for (int number = 0; number < COUNT; number++) holds |= (u64)tap_at(a, number).counts << number;
    return holds;
}
#endif

#ifdef RUNS_WINDOWS
#ifdef STRIP
// The elements of a strip: STRIP elements below each other, so that each element that is read serves
// several. EVERY is whether all elements of the window count, else bits of `holds` say which ones.
template <bool EVERY>
DEVICE void add_strip(
    SoFar* so_far, const Argument& a, const T* from, i64 stride, const R* kept, u64 holds
) {
#if KEEPS_NUMBERS
    const R* numbers = kept;
#else
    R numbers[COUNT];
#endif
#pragma unroll
    for (int line = 0; line < SIZE_ROWS + STRIP - 1; line++) {
#pragma unroll
        for (int column = 0; column < SIZE_COLUMNS; column++) {
            A element = (A)from[column];
#if !KEEPS_NUMBERS
            int own = line * SIZE_COLUMNS + column;
            if (line < SIZE_ROWS) numbers[own] = tap_at(a, own).number;
#endif
#pragma unroll
            for (int j = 0; j < STRIP; j++) {
                int row = line - j, number = row * SIZE_COLUMNS + column;
                if (row < 0 || row >= SIZE_ROWS) continue;
                if (EVERY || (holds >> number & 1)) {
                    add_counted(so_far[j], element, numbers[number]);
                }
            }
        }
        from += stride;
    }
}

// The same for a strip that is not inside of the own block.
DEVICE void add_beyond(SoFar* so_far, const Argument& a, u64 element) {
#pragma unroll 1
    for (int line = 0; line < SIZE_ROWS + STRIP - 1; line++) {
#pragma unroll 1
        for (int column = 0; column < SIZE_COLUMNS; column++) {
            A value = element_at(a, element, line, column);
#pragma unroll
            for (int j = 0; j < STRIP; j++) {
                int row = line - j;
                if (row < 0 || row >= SIZE_ROWS) continue;
                add(so_far[j], value, tap_at(a, row * SIZE_COLUMNS + column));
            }
        }
    }
}

// A thread computes strips of the result with the same small window.
KERNEL(256) windows(PARAMETER Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    const T* own = (const T*)a.box[0].address;
    i64 stride = a.box[0].extent[COLUMNS];
    R numbers[COUNT];
#pragma unroll
    for (int number = 0; number < COUNT; number++) numbers[number] = tap_at(a, number).number;
    u64 holds = counted(a);
    bool every = holds == (u64)-1 >> (64 - COUNT);
    i64 rows = a.length[ROWS], columns = a.length[COLUMNS];
    i64 strips = (rows + STRIP - 1) / STRIP;
    u64 all = a.total / rows * strips;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += step) {
        i64 column, strip;
        i64 plane = divided(divided(i, columns, column), strips, strip);
        // The last strip of a plane may share rows with the one before.
        i64 row = strip * STRIP < rows - STRIP ? strip * STRIP : rows - STRIP;
        u64 element = (plane * rows + row) * columns + column;
        i64 at[AXES], first;
        bool is_inside = window_of(a, element, at, first);
        i64 below = at[ROWS] - a.box[0].start[ROWS] + SIZE_ROWS + STRIP - 1;
        SoFar so_far[STRIP];
#pragma unroll
        for (int j = 0; j < STRIP; j++) so_far[j] = SoFar{START, 0};
        if (is_inside && below <= a.box[0].extent[ROWS]) {
            if (every) {
                add_strip<true>(so_far, a, own + first, stride, numbers, holds);
            } else {
                add_strip<false>(so_far, a, own + first, stride, numbers, holds);
            }
        } else {
            add_beyond(so_far, a, element);
        }
#pragma unroll
        for (int j = 0; j < STRIP; j++) {
            ((U*)a.to)[element + j * columns] = finished(so_far[j]);
        }
    }
}
#else
// The elements of a window that is not inside of the own block.
DEVICE void add_all(SoFar& so_far, const Argument& a, u64 element, i64 all) {
#pragma unroll 1
    for (i64 number = 0; number < all; number++) {
        add(so_far, element_of(a, element, number), tap_at(a, number));
    }
}

// A thread for each element of the result.
KERNEL(256) windows(PARAMETER Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    const T* own = (const T*)a.box[0].address;
    i64 planes = planes_of(a), row_stride = a.box[0].extent[COLUMNS];
    i64 rows = a.size[ROWS], columns = a.size[COLUMNS];
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        i64 at[AXES], first;
        SoFar so_far = {START, 0};
        i64 number = 0;
        if (window_of(a, i, at, first)) {
            for (i64 plane = 0; plane < planes; plane++) {
                const T* from = own + first + plane_at(a, plane);
                for (i64 row = 0; row < rows; row++) {
                    for (i64 column = 0; column < columns; column++) {
                        add(so_far, (A)from[column], tap_at(a, number++));
                    }
                    from += row_stride;
                }
            }
        } else {
            add_all(so_far, a, i, planes * rows * columns);
        }
        ((U*)a.to)[i] = finished(so_far);
    }
}
#endif

#endif

#ifdef RUNS_LINE
// A thread for each element: the products in the order of the host's routine, which no product is
// contracted in.
KERNEL(256) line(PARAMETER Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    const f64* weights = (const f64*)a.window;
    i64 size = 1;
    for (int axis = 0; axis < AXES; axis++) size *= a.size[axis];
    const f64 epsilon = 2.220446049250313e-16;
    bool is_symmetric = size % 2 == 1, is_antisymmetric = size % 2 == 1;
    for (i64 low = 0; low < size / 2; low++) {
        f64 one = weights[low], other = weights[size - 1 - low];
        is_symmetric = is_symmetric && fabs(other - one) <= epsilon;
        is_antisymmetric = is_antisymmetric && fabs(other + one) <= epsilon;
    }
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        i64 at[AXES], first;
        bool is_inside = window_of(a, i, at, first);
        i64 stride = 1;
        for (int axis = AXES - 1; axis >= 0 && a.size[axis] == 1; axis--) {
            stride *= a.box[0].extent[axis];
        }
        const T* own = (const T*)a.box[0].address + first;
        auto read = [&](i64 number) -> f64 {
            return is_inside ? (f64)own[number * stride] : element_of(a, i, number);
        };
        f64 sum;
        if (is_symmetric || is_antisymmetric) {
            sum = read(size / 2) * weights[size / 2];
            for (i64 low = 0; low < size / 2; low++) {
                f64 one = read(low), other = read(size - 1 - low);
                f64 pair = is_symmetric ? one + other : one - other;
                sum = sum + pair * weights[low];
            }
        } else {
            sum = read(size - 1) * weights[size - 1];
            for (i64 number = 0; number < size - 1; number++) {
                sum = sum + read(number) * weights[number];
            }
        }
        ((U*)a.to)[i] = NARROW_U(sum);
    }
}
#endif

#if defined(RUNS_ACROSS) || defined(RUNS_ALONG)
// Windows along one axis: a thread computes EACH elements that follow each other along that axis,
// so each element that it reads serves several.
#define EACH 8

#ifdef SIZE_ROWS
// The elements of a run with a small window along a row; `from` is in shared memory.
template <bool EVERY>
DEVICE void add_run(SoFar* so_far, const Argument& a, const A* from, u64 holds) {
    R numbers[COUNT];
#pragma unroll
    for (int t = 0; t < COUNT + EACH - 1; t++) {
        A element = from[t + t / EACH];
        if (t < COUNT) numbers[t] = tap_at(a, t).number;
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            int number = t - j;
            if (number < 0 || number >= COUNT) continue;
            if (EVERY || (holds >> number & 1)) add_counted(so_far[j], element, numbers[number]);
        }
    }
}
#endif

// The elements of a run, one after the other.
struct Run {
    SoFar so_far[EACH];
    Tap before[EACH], here[EACH];
};

DEVICE void clear(Run& run) {
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        run.so_far[j] = SoFar{START, 0};
        run.here[j] = Tap{false, 0};
    }
}

// Moves EACH elements of the window on.
DEVICE void advance(Run& run, const Argument& a, i64 t, i64 size) {
#pragma unroll
    for (int u = 0; u < EACH; u++) {
        run.before[u] = run.here[u];
        run.here[u] = t + u < size ? tap_at(a, t + u) : Tap{false, 0};
    }
}

// Element `u` of those read since then: it is element t + u - j of the window of element j.
template <int u> DEVICE void serve(Run& run, A element) {
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        add(run.so_far[j], element, j <= u ? run.here[(u - j) & (EACH - 1)]
                                           : run.before[(EACH + u - j) & (EACH - 1)]);
    }
}

// EACH elements that have been read.
template <class E> DEVICE void serve_all(Run& run, const E* elements) {
    serve<0>(run, (A)elements[0]);
    serve<1>(run, (A)elements[1]);
    serve<2>(run, (A)elements[2]);
    serve<3>(run, (A)elements[3]);
    serve<4>(run, (A)elements[4]);
    serve<5>(run, (A)elements[5]);
    serve<6>(run, (A)elements[6]);
    serve<7>(run, (A)elements[7]);
}

#ifdef RUNS_ACROSS
// The element at a row, inside or outside, as in `element_of`.
FAR A element_across(const Argument& a, i64 plane, i64 row, i64 column) {
    i64 place[AXES];
    for (int axis = AXES - 3; axis >= 0; axis--) {
        place[axis] = a.start[axis] + plane % a.length[axis];
        plane /= a.length[axis];
    }
    place[ROWS] = row;
    place[COLUMNS] = a.start[COLUMNS] + column;
    return value_at(a, place);
}

// The window is along the rows: neighbouring threads read neighbouring columns.
KERNEL(256) across(PARAMETER Argument a) {
    i64 rows = a.length[ROWS], columns = a.length[COLUMNS], size = a.size[ROWS];
    i64 runs = (rows + EACH - 1) / EACH, needed = size + EACH - 1;
    u64 step = (u64)gridDim.x * blockDim.x;
    u64 outer = a.total / (rows * columns), all = outer * runs * columns;
    const Box& box = a.box[0];
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += step) {
        i64 column, run_number;
        i64 plane = divided(divided(i, columns, column), runs, run_number);
        i64 first = run_number * EACH;
        i64 from = a.start[ROWS] + first - a.before[ROWS];
        const T* own = (const T*)box.address
            + (plane * box.extent[ROWS] + from - box.start[ROWS]) * columns + column;
        i64 inside_from = box.start[ROWS] - from, inside_to = inside_from + box.extent[ROWS];
        Run run;
        clear(run);
        i64 t = 0;
        T elements[EACH];
        if (inside_from <= 0 && needed <= inside_to) {
            for (; t + EACH <= needed; t += EACH) {
#pragma unroll
                for (int u = 0; u < EACH; u++) elements[u] = own[u * columns];
                own += EACH * columns;
                advance(run, a, t, size);
                serve_all(run, elements);
            }
            if (t < needed) {
#pragma unroll
                for (int u = 0; u < EACH; u++) {
                    elements[u] = t + u < needed ? own[u * columns] : (T)0;
                }
                advance(run, a, t, size);
                serve_all(run, elements);
            }
        } else {
            for (; t < needed; t += EACH) {
                advance(run, a, t, size);
                // The number outside may be none of T.
                A all[EACH];
#pragma unroll
                for (int u = 0; u < EACH; u++) {
                    all[u] = t + u < needed ? element_across(a, plane, from + t + u, column) : (A)0;
                }
                serve_all(run, all);
            }
        }
        U* to = (U*)a.to + (plane * rows + first) * columns + column;
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            if (first + j < rows) to[j * columns] = finished(run.so_far[j]);
        }
    }
}

#endif

#ifdef RUNS_ALONG
// The element at a column, inside or outside, as in `element_of`.
FAR A element_along(const Argument& a, i64 line, i64 column) {
    i64 place[AXES];
    for (int axis = ROWS; axis >= 0; axis--) {
        place[axis] = a.start[axis] + line % a.length[axis];
        line /= a.length[axis];
    }
    place[COLUMNS] = column;
    return value_at(a, place);
}

// The window is along the columns: a warp reads a part of a row into shared memory first.
KERNEL(256) along(PARAMETER Argument a) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int part = 32 * EACH;
    // A place is skipped after every EACH elements, so the threads read different banks.
    SHARED A kept[8][(32 * EACH + LARGEST) / EACH * (EACH + 1)];
    A* row = kept[warp];
    i64 columns = a.length[COLUMNS], size = a.size[COLUMNS];
    i64 parts = (columns + part - 1) / part;
    i64 lines = a.total / columns, all = lines * parts;
    const Box& box = a.box[0];
#ifdef SIZE_ROWS
    u64 holds = counted(a);
    bool every = holds == (u64)-1 >> (64 - COUNT);
#endif
    for (i64 i = (i64)blockIdx.x * 8 + warp; i < all; i += (i64)gridDim.x * 8) {
        i64 number_of_part;
        i64 line = divided(i, parts, number_of_part), first = number_of_part * part;
        i64 from = a.start[COLUMNS] + first - a.before[COLUMNS];
        int wanted = (int)((columns - first < part ? columns - first : part) + size - 1);
        i64 inside_from = box.start[COLUMNS] - from;
        i64 inside_to = inside_from + box.extent[COLUMNS];
        const T* own = (const T*)box.address + line * box.extent[COLUMNS] - inside_from;
        warp_barrier();
        if (inside_from <= 0 && wanted <= inside_to) {
#pragma unroll 4
            for (int t = lane; t < wanted; t += 32) row[t + t / EACH] = (A)own[t];
        } else {
            for (int t = lane; t < wanted; t += 32) {
                A element;
                if (t >= inside_from && t < inside_to) {
                    element = (A)own[t];
                } else {
                    element = element_along(a, line, from + t);
                }
                row[t + t / EACH] = element;
            }
        }
        warp_barrier();
        Run run;
        clear(run);
        int mine = lane * EACH;
#ifdef SIZE_ROWS
        if (every) {
            add_run<true>(run.so_far, a, row + mine + lane, holds);
        } else {
            add_run<false>(run.so_far, a, row + mine + lane, holds);
        }
#else
        for (i64 t = 0; t < size + EACH - 1; t += EACH) {
            advance(run, a, t, size);
            const A* here = row + (mine + (int)t) / EACH * (EACH + 1);
            serve_all(run, here);
        }
#endif
        // The threads' elements are put side by side in shared memory, so that they are stored
        // together.
        warp_barrier();
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            ((U*)row)[mine + j + lane] = finished(run.so_far[j]);
        }
        warp_barrier();
        U* to = (U*)a.to + line * columns + first;
        int stored = (int)(columns - first < part ? columns - first : part);
#pragma unroll 4
        for (int t = lane; t < stored; t += 32) to[t] = ((U*)row)[t + t / EACH];
    }
}
#endif
#endif
#endif

#ifdef RANK
// Integers in the order of the elements, NaN last.
#ifdef IS_FLOAT
DEVICE KEY key_of(T element) {
    KEY own = (KEY)bits(element != element ? (T)NOT_A_NUMBER : element);
    return own ^ ((own >> (8 * (int)sizeof(KEY) - 1)) & LARGEST_KEY);
}
DEVICE T of_key(KEY key) {
    return from_bits((BITS)(key ^ ((key >> (8 * (int)sizeof(KEY) - 1)) & LARGEST_KEY)));
}
#else
DEVICE KEY key_of(T element) { return element; }
DEVICE T of_key(KEY key) { return key; }
#endif
// The same without signs.
DEVICE u64 ordered(T element) { return (u64)(i64)key_of(element) ^ SIGN; }

#ifdef NETWORK
#define BOTH(i, j) { KEY a_ = v[i], b_ = v[j]; bool l_ = b_ < a_; v[i] = l_ ? b_ : a_; v[j] = l_ ? a_ : b_; }
#define LOW(i, j) v[i] = v[j] < v[i] ? v[j] : v[i];
#define HIGH(i, j) v[j] = v[j] < v[i] ? v[i] : v[j];

// A thread for each element: the COUNT elements of its window in registers, and exchanges of which
// only those stand here that the rank needs. Elements that do not count are the greatest.
KERNEL(256) ranks(PARAMETER Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    const T* own = (const T*)a.box[0].address;
    i64 row_stride = a.box[0].extent[COLUMNS];
    bool all_count = true;
    u32 holds[(COUNT + 31) / 32] = {};
#pragma unroll
    for (int number = 0; number < COUNT; number++) {
        bool one = counts(a, number);
        all_count = all_count && one;
        holds[number / 32] |= (u32)one << (number % 32);
    }
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        i64 at[AXES], first;
        KEY v[COUNT];
        if (window_of(a, i, at, first)) {
            const T* from = own + first;
#ifdef SIZE_ROWS
#pragma unroll
            for (int row = 0; row < SIZE_ROWS; row++) {
#pragma unroll
                for (int column = 0; column < SIZE_COLUMNS; column++) {
                    v[row * SIZE_COLUMNS + column] = key_of(from[column]);
                }
                from += row_stride;
            }
#else
            i64 column = 0, row = 0, plane = 0, columns = a.size[COLUMNS], rows = a.size[ROWS];
#pragma unroll
            for (int number = 0; number < COUNT; number++) {
                v[number] = key_of(from[column]);
                if (++column == columns) {
                    column = 0;
                    from += row_stride;
                    if (++row == rows) {
                        row = 0;
                        plane++;
                        if (number + 1 < COUNT) from = own + first + plane_at(a, plane);
                    }
                }
            }
#endif
            if (!all_count) {
#pragma unroll
                for (int number = 0; number < COUNT; number++) {
                    bool one = holds[number / 32] >> (number % 32) & 1;
                    v[number] = one ? v[number] : LARGEST_KEY;
                }
            }
        } else {
#pragma unroll 1
            for (int number = 0; number < COUNT; number++) {
                KEY element = counts(a, number) ? key_of(element_of(a, i, number)) : LARGEST_KEY;
#pragma unroll
                for (int other = 0; other < COUNT; other++) {
                    if (other == number) v[other] = element;
                }
            }
        }
        NETWORK
        ((U*)a.to)[i] = of_key(v[RANK]);
    }
}
#else
// A thread for each element: the bits of the element of the rank, from the highest on, by counting.
KERNEL(256) ranks(PARAMETER Argument a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    i64 all = 1;
    for (int axis = 0; axis < AXES; axis++) all *= a.size[axis];
    const int bits = 8 * sizeof(T);
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        u64 found = 0;
        i64 rank = a.rank;
        T result = (T)0;
        for (int bit = bits - 1; bit >= 0; bit--) {
            i64 below = 0;
            T any = (T)0;
            for (i64 number = 0; number < all; number++) {
                if (!counts(a, number)) continue;
                T element = element_of(a, i, number);
                u64 key = ordered(element);
                bool is_alike = (key >> bit | 1) == (found >> bit | 1);
                below += is_alike && (key >> bit & 1) == 0;
                any = is_alike ? element : any;
            }
            if (rank >= below) {
                rank -= below;
                found |= (u64)1 << bit;
            }
            result = any;
        }
        // The element that has all of the bits.
        for (i64 number = 0; number < all; number++) {
            if (!counts(a, number)) continue;
            T element = element_of(a, i, number);
            if (ordered(element) == found) result = element;
        }
        ((U*)a.to)[i] = result;
    }
}
#endif
#endif
