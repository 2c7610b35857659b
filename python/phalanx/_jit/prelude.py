"""C++ that kernels from Python use: arrays, float16, complex numbers, groups and reductions.

A kernel contains only the parts that it uses. Headers are avoided, because programs without the
toolkit of CUDA have none.
"""

ARRAY = """\
namespace phalanx {
// A view of an array. The strides are in bytes; a contiguous array does without them.
template <typename T, int N, bool contiguous>
struct Array {
    T* data;
    long long shape[N > 0 ? N : 1];
    long long strides[N > 0 ? N : 1];

    __device__ long long size() const {
        long long count = 1;
        for (int axis = 0; axis < N; ++axis) count *= shape[axis];
        return count;
    }

    // The place of the element, or of the first element of the row, at the indices.
    template <typename... Index>
    __device__ T* place(Index... indices) const {
        const long long at[] = {(long long)indices..., 0};
        if (contiguous) {
            long long offset = 0;
#pragma unroll
            for (int axis = 0; axis < N; ++axis) {
                offset = offset * shape[axis] + (axis < (int)sizeof...(Index) ? at[axis] : 0);
            }
            return data + offset;
        }
        long long offset = 0;
#pragma unroll
        for (int axis = 0; axis < (int)sizeof...(Index); ++axis) {
            offset += at[axis] * strides[axis];
        }
        return (T*)((char*)data + offset);
    }

    template <typename... Index>
    __device__ T& operator()(Index... indices) const {
        return *place(indices...);
    }

    // The view of the axes that follow the indices.
    template <typename... Index>
    __device__ Array<T, N - (int)sizeof...(Index), contiguous> row(Index... indices) const {
        Array<T, N - (int)sizeof...(Index), contiguous> result;
        result.data = place(indices...);
#pragma unroll
        for (int axis = sizeof...(Index); axis < N; ++axis) {
            result.shape[axis - sizeof...(Index)] = shape[axis];
            result.strides[axis - sizeof...(Index)] = strides[axis];
        }
        return result;
    }
};
}
"""

HALF = """\
// A float16: it is stored in 16 bits and computed as a float.
struct half {
    unsigned short bits;
    half() = default;
#ifdef __CUDA_ARCH__
    __device__ explicit half(float value) {
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    }
    __device__ explicit half(double value) {
        asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(value));
    }
    __device__ operator float() const {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
        return value;
    }
#else
    explicit half(float value);
    explicit half(double value);
    operator float() const;
#endif
    template <typename Integer>
    __device__ explicit half(Integer value) : half((float)value) {}
    template <typename Number>
    __device__ half& operator=(Number value) { return *this = half((float)value); }
};
"""

COMPLEX = """\
template <typename T>
struct complex {
    T re, im;
    complex() = default;
    __device__ complex(T real, T imag = 0) : re(real), im(imag) {}
    template <typename U>
    __device__ explicit complex(complex<U> z) : re(T(z.re)), im(T(z.im)) {}
    __device__ T real() const { return re; }
    __device__ T imag() const { return im; }
    __device__ complex& operator+=(complex z) { return *this = *this + z; }
    __device__ complex& operator-=(complex z) { return *this = *this - z; }
    __device__ complex& operator*=(complex z) { return *this = *this * z; }
    __device__ complex& operator/=(complex z) { return *this = *this / z; }
};

template <typename T>
static __device__ inline T real(complex<T> z) { return z.re; }
template <typename T>
static __device__ inline T imag(complex<T> z) { return z.im; }
template <typename T>
static __device__ inline complex<T> conj(complex<T> z) { return complex<T>(z.re, -z.im); }
template <typename T>
static __device__ inline T abs(complex<T> z) { return hypot(z.re, z.im); }
template <typename T>
static __device__ inline T arg(complex<T> z) { return atan2(z.im, z.re); }

template <typename T>
static __device__ inline complex<T> operator-(complex<T> z) { return complex<T>(-z.re, -z.im); }
template <typename T>
static __device__ inline complex<T> operator+(complex<T> a, complex<T> b) {
    return complex<T>(a.re + b.re, a.im + b.im);
}
template <typename T>
static __device__ inline complex<T> operator-(complex<T> a, complex<T> b) {
    return complex<T>(a.re - b.re, a.im - b.im);
}
template <typename T>
static __device__ inline complex<T> operator*(complex<T> a, complex<T> b) {
    return complex<T>(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
// The divisor is scaled by its greater part, so that its square does not overflow.
template <typename T>
static __device__ inline complex<T> operator/(complex<T> a, complex<T> b) {
    if (fabs(b.re) >= fabs(b.im)) {
        if (b.re == 0 && b.im == 0) return complex<T>(a.re / fabs(b.re), a.im / fabs(b.re));
        T ratio = b.im / b.re, scale = b.re + b.im * ratio;
        return complex<T>((a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale);
    }
    T ratio = b.re / b.im, scale = b.re * ratio + b.im;
    return complex<T>((a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale);
}
template <typename T>
static __device__ inline bool operator==(complex<T> a, complex<T> b) {
    return a.re == b.re && a.im == b.im;
}
template <typename T>
static __device__ inline bool operator!=(complex<T> a, complex<T> b) { return !(a == b); }
// The order is that of NumPy: by the real part, then by the imaginary part.
template <typename T>
static __device__ inline bool operator<(complex<T> a, complex<T> b) {
    return a.re < b.re || (a.re == b.re && a.im < b.im);
}
template <typename T>
static __device__ inline bool operator>(complex<T> a, complex<T> b) { return b < a; }
template <typename T>
static __device__ inline bool operator<=(complex<T> a, complex<T> b) {
    return a < b || a == b;
}
template <typename T>
static __device__ inline bool operator>=(complex<T> a, complex<T> b) { return b <= a; }

template <typename T>
static __device__ inline complex<T> exp(complex<T> z) {
    T size = exp(z.re);
    if (z.im == 0) return complex<T>(size, z.im);
    return complex<T>(size * cos(z.im), size * sin(z.im));
}
template <typename T>
static __device__ inline complex<T> log(complex<T> z) { return complex<T>(log(abs(z)), arg(z)); }
template <typename T>
static __device__ inline complex<T> sqrt(complex<T> z) {
    if (z.re == 0 && z.im == 0) return complex<T>(0, z.im);
    T half_sum = sqrt((fabs(z.re) + abs(z)) / 2);
    T other = fabs(z.im) / (2 * half_sum);
    if (z.re >= 0) return complex<T>(half_sum, copysign(other, z.im));
    return complex<T>(other, copysign(half_sum, z.im));
}
template <typename T>
static __device__ inline complex<T> sin(complex<T> z) {
    return complex<T>(sin(z.re) * cosh(z.im), cos(z.re) * sinh(z.im));
}
template <typename T>
static __device__ inline complex<T> cos(complex<T> z) {
    return complex<T>(cos(z.re) * cosh(z.im), -sin(z.re) * sinh(z.im));
}
template <typename T>
static __device__ inline complex<T> sinh(complex<T> z) {
    return complex<T>(sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im));
}
template <typename T>
static __device__ inline complex<T> cosh(complex<T> z) {
    return complex<T>(cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im));
}
template <typename T>
static __device__ inline complex<T> tan(complex<T> z) { return sin(z) / cos(z); }
template <typename T>
static __device__ inline complex<T> tanh(complex<T> z) { return sinh(z) / cosh(z); }
template <typename T>
static __device__ inline complex<T> pow(complex<T> a, complex<T> b) {
    if (b.re == 0 && b.im == 0) return complex<T>(1, 0);
    if (a.re == 0 && a.im == 0) return complex<T>(0, 0);
    return exp(b * log(a));
}
"""

ATOMICS = """\
namespace phalanx {
template <int bytes> struct Word;
template <> struct Word<2> { using type = unsigned short; };
template <> struct Word<4> { using type = unsigned int; };
template <> struct Word<8> { using type = unsigned long long; };

// An update of a value that the hardware has no instruction for: it is repeated until no other
// thread has written in between.
template <typename T, typename Update>
static __device__ inline T atomic_update(T* place, Update update) {
    using Bits = typename Word<sizeof(T)>::type;
    Bits seen = *(volatile Bits*)place;
    for (;;) {
        T before, after;
        memcpy(&before, &seen, sizeof(T));
        after = update(before);
        Bits wanted;
        memcpy(&wanted, &after, sizeof(T));
        Bits found = atomicCAS((Bits*)place, seen, wanted);
        if (found == seen) return before;
        seen = found;
    }
}
template <typename T> struct Add {
    T value;
    __device__ T operator()(T before) const { return T(before + value); }
};
template <typename T> struct Least {
    T value;
    __device__ T operator()(T before) const { return value < before ? value : before; }
};
template <typename T> struct Greatest {
    T value;
    __device__ T operator()(T before) const { return before < value ? value : before; }
};
template <typename T> struct Store {
    T value;
    __device__ T operator()(T) const { return value; }
};
}
"""

GROUPS = """\
namespace phalanx {
struct Triple {
    unsigned int x, y, z;
};
struct ThreadBlock {
    __device__ unsigned int thread_rank() const {
        return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    }
    __device__ unsigned int num_threads() const {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    __device__ Triple group_index() const { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
    __device__ Triple thread_index() const { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
    __device__ Triple dim_threads() const { return {blockDim.x, blockDim.y, blockDim.z}; }
    __device__ void sync() const { __syncthreads(); }
};
struct Grid {
    __device__ unsigned long long block_rank() const {
        const unsigned long long row = blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z;
        return blockIdx.x + gridDim.x * row;
    }
    __device__ unsigned long long num_blocks() const {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    __device__ unsigned long long thread_rank() const {
        return block_rank() * ThreadBlock().num_threads() + ThreadBlock().thread_rank();
    }
    __device__ unsigned long long num_threads() const {
        return num_blocks() * ThreadBlock().num_threads();
    }
    __device__ Triple dim_blocks() const { return {gridDim.x, gridDim.y, gridDim.z}; }
    __device__ Triple block_index() const { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
};
}
"""

WAITING_COPIES = """\
namespace phalanx {
// Starts a copy of a few bytes from memory to shared memory; other copies are made at once.
template <int width>
static __device__ inline void start_copy(char* to, const char* from) {
#ifdef __CUDA_ARCH__
    if (__isShared(to) && __isGlobal(from)) {
        const unsigned int place = (unsigned int)__cvta_generic_to_shared(to);
        const unsigned long long source = (unsigned long long)__cvta_generic_to_global(from);
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                     :: "r"(place), "l"(source), "n"(width) : "memory");
        return;
    }
#endif
    memcpy(to, from, width);
}
// The threads of the thread block share the copy; it is in the widest words that fit.
static __device__ inline void memcpy_async(
    void* target, const void* source, unsigned long long size
) {
    char* to = (char*)target;
    const char* from = (const char*)source;
    const unsigned long long thread =
        threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned long long threads = blockDim.x * blockDim.y * blockDim.z;
    const unsigned long long odd = (unsigned long long)to | (unsigned long long)from | size;
    if (odd % 16 == 0) {
        for (auto at = thread * 16; at < size; at += threads * 16) {
            start_copy<16>(to + at, from + at);
        }
    } else if (odd % 4 == 0) {
        for (auto at = thread * 4; at < size; at += threads * 4) start_copy<4>(to + at, from + at);
    } else {
        for (auto at = thread; at < size; at += threads) to[at] = from[at];
    }
#ifdef __CUDA_ARCH__
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// Waits for all copies but the last ones, and for the other threads of the thread block.
template <int last>
static __device__ inline void wait_for_copies() {
#ifdef __CUDA_ARCH__
    asm volatile("cp.async.wait_group %0;" :: "n"(last) : "memory");
#endif
    __syncthreads();
}
}
"""

FUNCTORS = """\
namespace phalanx {
struct Sum {
    template <typename T>
    __device__ T operator()(T a, T b) const { return T(a + b); }
};
struct Max {
    template <typename T>
    __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
struct Min {
    template <typename T>
    __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
}
"""

REDUCTIONS = """\
namespace phalanx {
// A value of any size travels between lanes in words of 32 bits.
template <typename T>
static __device__ inline T from_lane_above(unsigned int mask, T value, int distance, int width) {
    unsigned int words[(sizeof(T) + 3) / 4] = {};
    memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int word = 0; word < (int)(sizeof(words) / 4); ++word) {
        words[word] = __shfl_down_sync(mask, words[word], distance, width);
    }
    memcpy(&value, words, sizeof(T));
    return value;
}

// The first lane of each group of `width` lanes has the result.
template <typename T, int width>
struct WarpReduce {
    struct TempStorage {
        char unused;
    };
    template <typename Operation>
    static __device__ T reduce(TempStorage*, T value, Operation operation, int count = width) {
        const unsigned int thread =
            threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        const int lane = thread % width, first = thread % 32 - lane;
        const unsigned int mask = width == 32 ? 0xffffffffu : ((1u << (width % 32)) - 1) << first;
        for (int distance = width / 2; distance > 0; distance /= 2) {
            T other = from_lane_above(mask, value, distance, width);
            if (lane + distance < count) value = operation(value, other);
        }
        return value;
    }
};

// Thread 0 of the thread block has the result.
template <typename T, int x, int y, int z>
struct BlockReduce {
    struct TempStorage {
        T parts[x * y * z];
    };
    template <typename Operation>
    static __device__ T reduce(
        TempStorage* storage, T value, Operation operation, int count = x * y * z
    ) {
        const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        storage->parts[thread] = value;
        __syncthreads();
        while (count > 1) {
            const int kept = (count + 1) / 2;
            if (thread + kept < count) {
                storage->parts[thread] =
                    operation(storage->parts[thread], storage->parts[thread + kept]);
            }
            __syncthreads();
            count = kept;
        }
        return storage->parts[thread];
    }
};
}
"""

# The order in which parts are written: later ones use earlier ones.
PARTS = {
    "half": HALF,
    "complex": COMPLEX,
    "array": ARRAY,
    "atomics": ATOMICS,
    "groups": GROUPS,
    "waiting copies": WAITING_COPIES,
    "functors": FUNCTORS,
    "reductions": REDUCTIONS,
}

# A grid waits for all its threads with the help of the driver, which this header asks for it.
HEADERS = {"cooperative_groups": "#include <cooperative_groups.h>\n"}
