// Complex transforms of neighbouring lines of each stretch. A thread block has W lines; a thread
// has eight elements of a line. N is a power of two from 8. Passes have radix 8; if N is no power
// of 8, the last pass has radix 4 or 2. They leave the elements in order (Stockham). Between passes
// threads exchange elements through shared memory, first one component and then the other.
struct Argument {
    u64 from, to;
    // Elements of a row.
    u64 inner;
    // Thread blocks for a stretch.
    u64 blocks;
};

struct alignas(2 * sizeof(R)) Complex {
    R re, im;
};

#define PART (N / 8)
#define THREADS (W * PART)
// Rows of shared memory with a gap after each eight, so threads access different banks.
#define ROW(p) (((p) + (p) / 8) * W)

DEVICE Complex operator+(Complex a, Complex b) { return Complex{a.re + b.re, a.im + b.im}; }
DEVICE Complex operator-(Complex a, Complex b) { return Complex{a.re - b.re, a.im - b.im}; }
DEVICE Complex operator*(Complex a, Complex b) {
    return Complex{fma(a.re, b.re, -(a.im * b.im)), fma(a.re, b.im, a.im * b.re)};
}

// The product with the fourth root of one of the transform: -i, or i for the inverse transform.
DEVICE Complex turned(Complex a) {
    return INVERSE ? Complex{-a.im, a.re} : Complex{a.im, -a.re};
}

DEVICE void two(Complex& a, Complex& b) {
    Complex sum = a + b;
    b = a - b;
    a = sum;
}

DEVICE void four(Complex& a, Complex& b, Complex& c, Complex& d) {
    Complex s = a + c, t = a - c, u = b + d, w = turned(b - d);
    a = s + u;
    b = t + w;
    c = s - u;
    d = t - w;
}

DEVICE void eight(Complex* v) {
    const R half = (R)0.70710678118654752440;
    four(v[0], v[2], v[4], v[6]);
    four(v[1], v[3], v[5], v[7]);
    Complex e[4] = {v[0], v[2], v[4], v[6]}, o[4] = {v[1], v[3], v[5], v[7]};
    Complex one = o[1] + turned(o[1]), three = turned(o[3]) - o[3];
    o[1] = Complex{half * one.re, half * one.im};
    o[2] = turned(o[2]);
    o[3] = Complex{half * three.re, half * three.im};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        v[k] = e[k] + o[k];
        v[k + 4] = e[k] - o[k];
    }
}

DEVICE void sine_and_cosine(float x, float* s, float* c) { sincospif(x, s, c); }
DEVICE void sine_and_cosine(double x, double* s, double* c) { sincospi(x, s, c); }

KERNEL(THREADS) columns(const Argument a) {
    SHARED R memory[ROW(N)];
    SHARED alignas(16) char roots_memory[N * sizeof(Complex)];
    Complex* roots = (Complex*)roots_memory;
    for (int t = threadIdx.x; t < N; t += THREADS) {
        R s, c;
        sine_and_cosine((R)(2 * t) / N, &s, &c);
        roots[t] = Complex{c, INVERSE ? s : -s};
    }
    barrier();
    int lane = threadIdx.x % W, j = threadIdx.x / W;
    u64 outer = blockIdx.x / a.blocks, column = (blockIdx.x - outer * a.blocks) * W + lane;
    bool is_inside = column < a.inner;
    u64 first = (outer * N + j) * a.inner + column, step = PART * a.inner;
    Complex v[8];
#pragma unroll
    for (int m = 0; m < 8; m++) {
        v[m] = is_inside ? ((const Complex*)a.from)[first + m * step] : Complex{0, 0};
    }
#pragma unroll
    for (int ns = 1; ns * 8 <= N; ns *= 8) {
        int k = j % ns;
        if (ns > 1) {
#pragma unroll
            for (int i = 1; i < 8; i++) v[i] = v[i] * roots[i * k * (PART / ns)];
        }
        eight(v);
        if (ns * 8 == N) break;
        int base = (j - k) * 8 + k;
        barrier();
#pragma unroll
        for (int i = 0; i < 8; i++) memory[ROW(base + i * ns) + lane] = v[i].re;
        barrier();
#pragma unroll
        for (int m = 0; m < 8; m++) v[m].re = memory[ROW(j + m * PART) + lane];
        barrier();
#pragma unroll
        for (int i = 0; i < 8; i++) memory[ROW(base + i * ns) + lane] = v[i].im;
        barrier();
#pragma unroll
        for (int m = 0; m < 8; m++) v[m].im = memory[ROW(j + m * PART) + lane];
    }
#if LAST == 2
#pragma unroll
    for (int q = 0; q < 4; q++) {
        v[q + 4] = v[q + 4] * roots[j + q * PART];
        two(v[q], v[q + 4]);
    }
#elif LAST == 4
#pragma unroll
    for (int q = 0; q < 2; q++) {
        int b = j + q * PART;
#pragma unroll
        for (int i = 1; i < 4; i++) v[q + 2 * i] = v[q + 2 * i] * roots[i * b];
        four(v[q], v[q + 2], v[q + 4], v[q + 6]);
    }
#endif
    if (!is_inside) return;
#pragma unroll
    for (int m = 0; m < 8; m++) ((Complex*)a.to)[first + m * step] = v[m];
}
