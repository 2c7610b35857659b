// Conversions between our order of matrices and a library's, and functions of its results. R is the
// type of the components, and an element has C components. Matrices are consecutive and in C order,
// unless a comment states another order.
struct alignas(C * sizeof(R)) T {
    R part[C];
};

DEVICE T number(R re) {
    T x = {};
    x.part[0] = re;
    return x;
}

DEVICE R nan_value() { return (R)from_bits(0x7ff8000000000000ull); }

DEVICE T nans() {
    T x;
    for (int c = 0; c < C; c++) x.part[c] = nan_value();
    return x;
}

// A quotient. Small numbers use the much shorter division of 32 bits.
DEVICE u64 divide(u64 a, u64 b) { return (a | b) >> 32 ? a / b : (u64)((u32)a / (u32)b); }

// The elements that a kernel uses.
#define ALL 0
#define LOWER 1
#define UPPER 2

DEVICE bool is_within(u64 which, u64 row, u64 column) {
    return which == ALL || (which == LOWER ? row >= column : row <= column);
}

struct Inspection {
    u64 from;
    // An i32 for each matrix.
    u64 flags;
    u64 rows, columns, total, which;
    // Whether infinite elements count, too.
    u64 infinite;
};

// Sets the flag of matrices with an element that is NaN, or infinite.
KERNEL(256) inspect(const Inspection a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        T x = ((const T*)a.from)[i];
        bool is_bad = false;
        for (int c = 0; c < C; c++) {
            R part = x.part[c];
            is_bad |= a.infinite ? !(part - part == 0) : part != part;
        }
        if (!is_bad) continue;
        u64 line = divide(i, a.columns), column = i - line * a.columns;
        u64 matrix = divide(line, a.rows), row = line - matrix * a.rows;
        if (is_within(a.which, row, column)) ((i32*)a.flags)[matrix] = 1;
    }
}

struct Preparation {
    // `flags` marks the matrices that are replaced. `found` marks the matrices with an element that
    // is NaN. Each is 0 if there are no such flags.
    u64 from, to, flags, found;
    u64 n, total, which;
};

// Copies a triangle of Hermitian matrices with a real diagonal, and zeros elsewhere. A matrix with
// a flag becomes the identity, since libraries may not terminate if an element is not finite.
KERNEL(256) prepare(const Preparation a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        u64 line = divide(i, a.n), column = i - line * a.n;
        u64 matrix = divide(line, a.n), row = line - matrix * a.n;
        T x = number(row == column);
        if (!a.flags || !((const i32*)a.flags)[matrix]) {
            x = number(0);
            if (is_within(a.which, row, column)) {
                x = ((const T*)a.from)[i];
                if (C == 2 && row == column) x.part[C - 1] = 0;
                if (a.found && (x.part[0] != x.part[0] || x.part[C - 1] != x.part[C - 1])) {
                    ((i32*)a.found)[matrix] = 1;
                }
            }
        }
        ((T*)a.to)[i] = x;
    }
}

struct Replacement {
    u64 to, flags;
    u64 size, count;
};

// Zeros in place of matrices of `size` elements that have a flag.
KERNEL(256) replace(const Replacement a) {
    for (u64 matrix = blockIdx.y; matrix < a.count; matrix += gridDim.y) {
        if (!((const i32*)a.flags)[matrix]) continue;
        u64 step = (u64)gridDim.x * blockDim.x;
        for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.size; i += step) {
            ((T*)a.to)[matrix * a.size + i] = number(0);
        }
    }
}

struct Spoiling {
    u64 to;
    // An i32 for each matrix, or 0 if there are none. It is not zero if the library failed, or if
    // the matrix was not finite.
    u64 outcomes, flags;
    // Elements of a result, thread blocks for each result, extent of the square that gets zeros
    // above its diagonal (0: none).
    u64 size, blocks, n;
};

// NaN in the results of matrices without the wanted factorisation.
KERNEL(256) spoil(const Spoiling a) {
    u64 matrix = blockIdx.x / a.blocks, block = blockIdx.x - matrix * a.blocks;
    bool is_bad = (a.outcomes && ((const i32*)a.outcomes)[matrix] != 0) ||
                  (a.flags && ((const i32*)a.flags)[matrix] != 0);
    if (!is_bad && a.n == 0) return;
    T* to = (T*)a.to + matrix * a.size;
    u64 step = a.blocks * blockDim.x;
    for (u64 i = block * blockDim.x + threadIdx.x; i < a.size; i += step) {
        if (is_bad) {
            to[i] = nans();
        } else {
            u64 row = divide(i, a.n);
            if (row < i - row * a.n) to[i] = number(0);
        }
    }
}

struct Identity {
    u64 to;
    u64 n, total;
};

KERNEL(256) identity(const Identity a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        u64 line = divide(i, a.n), matrix = divide(line, a.n);
        ((T*)a.to)[i] = number(line - matrix * a.n == i - line * a.n);
    }
}

struct Addresses {
    u64 to;
    // The address of the first matrix, bytes from a matrix to the next, number of matrices.
    u64 first, step, count;
};

KERNEL(256) addresses(const Addresses a) {
    u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.count) ((u64*)a.to)[i] = a.first + i * a.step;
}

struct Factor {
    u64 from, to;
    // Rows of the matrix in Fortran's order, whose upper triangle is read; rows and columns of the
    // result; elements from a result to the next; all elements of the results.
    u64 m, rows, columns, to_step, from_step, total;
};

// The transposes of triangular factors.
KERNEL(256) factor(const Factor a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    u64 size = a.rows * a.columns;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        u64 matrix = divide(i, size), at = i - matrix * size;
        u64 row = divide(at, a.columns), column = at - row * a.columns;
        T x = number(0);
        if (column <= row) x = ((const T*)a.from)[matrix * a.from_step + row * a.m + column];
        ((T*)a.to)[matrix * a.to_step + at] = x;
    }
}

struct Values {
    u64 from, to;
    // Values of a matrix, elements from a row of results to the next, all values.
    u64 count, to_step, total;
};

// Real values as elements.
KERNEL(256) values(const Values a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        u64 matrix = divide(i, a.count), at = i - matrix * a.count;
        ((T*)a.to)[matrix * a.to_step + at] = number(((const R*)a.from)[i]);
    }
}

struct Pivots {
    u64 to;
    // Rows of a matrix, rows of all; whether pivots are i64 and not i32, whether none are set yet.
    u64 n, total, wide, fresh;
};

// Replaces pivots outside of the matrix by pivots that exchange no rows. A library leaves arbitrary
// pivots if it has not factorised a matrix, and it uses these pivots when it solves.
KERNEL(256) pivots(const Pivots a) {
    u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < a.total; i += step) {
        i64 row = (i64)(i - divide(i, a.n) * a.n) + 1;
        if (!a.fresh) {
            i64 pivot = a.wide ? ((const i64*)a.to)[i] : (i64)((const i32*)a.to)[i];
            if (row <= pivot && pivot <= (i64)a.n) continue;
        }
        if (a.wide) ((i64*)a.to)[i] = row;
        else ((i32*)a.to)[i] = (i32)row;
    }
}

struct Determinants {
    u64 from, pivots, flags, to;
    u64 n;
    // Whether pivots are i64 and not i32.
    u64 wide;
};

struct Product {
    f64 re, im, sign_re, sign_im, logarithm;
    i64 exponent;
    int odd, zero;
};

// Scales a number to a moderate size by a power of two, and returns the exponent of its inverse.
DEVICE i64 split(f64& re, f64& im) {
    f64 largest = fmax(fabs(re), fabs(im));
    if (largest == 0 || !(largest - largest == 0) || re != re || im != im) return 0;
    int exponent = ilogb(largest);
    re = ldexp(re, -exponent);
    im = ldexp(im, -exponent);
    return exponent;
}

DEVICE void times(f64& re, f64& im, f64 other_re, f64 other_im) {
    if (C == 1) {
        re = re * other_re;
        return;
    }
    f64 real = re * other_re - im * other_im;
    im = re * other_im + im * other_re;
    re = real;
}

DEVICE void take_over(Product& all, const Product& one) {
    times(all.re, all.im, one.re, one.im);
    all.exponent += one.exponent + split(all.re, all.im);
    times(all.sign_re, all.sign_im, one.sign_re, one.sign_im);
    all.logarithm += one.logarithm;
    all.odd ^= one.odd;
    all.zero |= one.zero;
}

// The product of the pivots of a matrix, its sign and the logarithm of its absolute value; partial
// products neither overflow nor underflow. A thread block for each matrix.
KERNEL(128) determinant(const Determinants a) {
    SHARED Product shared[128];
    u64 matrix = blockIdx.x;
    const T* from = (const T*)a.from + matrix * a.n * a.n;
    Product own = {1, 0, 1, 0, 0, 0, 0, 0};
    for (u64 i = threadIdx.x; i < a.n; i += blockDim.x) {
        u64 at = matrix * a.n + i;
        i64 pivot = a.wide ? ((const i64*)a.pivots)[at] : (i64)((const i32*)a.pivots)[at];
        T x = from[i * a.n + i];
        f64 re = x.part[0], im = C == 2 ? (f64)x.part[C - 1] : 0;
        Product one = {re, im, 1, 0, 0, 0, pivot != (i64)i + 1, re == 0 && im == 0};
        if (!one.zero) {
            one.logarithm = log(C == 2 ? hypot(re, im) : fabs(re));
            one.exponent = split(one.re, one.im);
            if (C == 1) {
                one.sign_re = re != re ? re : copysign(1.0, re);
            } else {
                f64 size = hypot(one.re, one.im);
                one.sign_re = one.re / size;
                one.sign_im = one.im / size;
            }
        }
        take_over(own, one);
    }
    shared[threadIdx.x] = own;
    barrier();
    if (threadIdx.x > 0) return;
    for (int other = 1; other < blockDim.x; other++) take_over(own, shared[other]);
    T* to = (T*)a.to + matrix * 3;
    if (((const i32*)a.flags)[matrix]) {
        for (int i = 0; i < 3; i++) to[i] = nans();
        return;
    }
    if (own.zero) {
        to[0] = to[1] = number(0);
        to[2] = number(-(R)from_bits(0x7ff0000000000000ull));
        return;
    }
    f64 turn = own.odd ? -1.0 : 1.0;
    i64 exponent = own.exponent < -5000 ? -5000 : own.exponent > 5000 ? 5000 : own.exponent;
    T value = number((R)ldexp(turn * own.re, (int)exponent)), sign = number((R)(turn * own.sign_re));
    if (C == 2) {
        value.part[C - 1] = (R)ldexp(turn * own.im, (int)exponent);
        sign.part[C - 1] = (R)(turn * own.sign_im);
    }
    to[0] = value;
    to[1] = sign;
    to[2] = number((R)own.logarithm);
}
