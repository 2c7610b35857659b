// Words for features that C++ lacks: qualifiers, barriers, shuffles, atomics, inline assembly and
// half types. Only this text and the device functions of `kernels`
// (`kernels/src/cuda/prelude/`) use CUDA's syntax for them; all other texts use these words. A
// section begins with `//#` and its word; a text receives the first section and those whose words
// it uses (`words.rs`).

// The host launches a `KERNEL(threads)` with this many threads in a thread block, and a
// `KERNEL(threads, blocks)` with this many thread blocks on a multiprocessor; `LOCAL_KERNEL` is a
// kernel in a namespace. A kernel reads a `PARAMETER` in place. `FAR` functions are not inlined;
// tables are constant.
//#
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
#define LOCAL_KERNEL(...) __global__ void __launch_bounds__(__VA_ARGS__)
#define KERNEL(...) extern "C" LOCAL_KERNEL(__VA_ARGS__)
#define PARAMETER const __grid_constant__
#define DEVICE static __device__ __forceinline__
#define FAR static __device__ __noinline__
#define TABLE static __constant__ const
#define SHARED __shared__

// A kernel's first statement: its thread blocks may start before the preceding work is done.
//# begin
DEVICE void begin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// The elements have their own alignments, because a view may start at any multiple of them.
//# f16
struct f16 { u16 bits; };
//# bf16
struct bf16 { u16 bits; };
//# c64
struct c64 { f32 re, im; };
//# c128
struct c128 { f64 re, im; };

//# bits
DEVICE u32 bits(f32 x) { return __float_as_uint(x); }
DEVICE u64 bits(f64 x) { return (u64)__double_as_longlong(x); }
//# from_bits
DEVICE f32 from_bits(u32 x) { return __uint_as_float(x); }
DEVICE f64 from_bits(u64 x) { return __longlong_as_double((i64)x); }

// Conversions from half types, and to the nearest number of a half type.
//# widen
DEVICE f32 widen(f16 x) {
    f32 wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
    return wide;
}
DEVICE f32 widen(bf16 x) { return from_bits((u32)x.bits << 16); }
//# nearest_f16
DEVICE f16 nearest_f16(f32 x) {
    f16 near;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(near.bits) : "f"(x));
    return near;
}
//# nearest_bf16
DEVICE bf16 nearest_bf16(f32 x) {
    bf16 near;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(near.bits) : "f"(x));
    return near;
}

// All threads of the thread block (or of the warp) wait here for each other, and see each other's
// earlier writes. `barrier_all` returns whether a condition holds on all threads.
//# barrier
DEVICE void barrier() { __syncthreads(); }
//# barrier_all
DEVICE bool barrier_all(bool is) { return __syncthreads_and(is); }
//# warp_barrier
DEVICE void warp_barrier() { __syncwarp(); }
// Earlier writes of the thread are visible on the whole GPU before later ones.
//# fence
DEVICE void fence() { __threadfence(); }
// A short pause in a wait for other threads.
//# pause
DEVICE void pause() { __nanosleep(20); }

// The lanes of the warp on which a condition holds, one bit for each.
//# ballot
DEVICE u32 ballot(bool is) { return __ballot_sync(0xffffffffu, is); }
// The lanes of the warp that have the same number.
//# lanes_with
DEVICE u32 lanes_with(u32 x) { return __match_any_sync(0xffffffffu, x); }
//# count_ones
DEVICE int count_ones(u32 x) { return __popc(x); }
// The number of zeros above the highest set bit.
//# leading_zeros
DEVICE int leading_zeros(u64 x) { return __clzll((i64)x); }
// A quotient; `rest` becomes the remainder. Most numbers fit in 32 bits, which are faster.
//# divided
template <class T> DEVICE u64 divided(u64 number, u64 by, T& rest) {
    if (((number | by) >> 32) == 0) {
        u32 quotient = (u32)number / (u32)by;
        rest = (u32)number - quotient * (u32)by;
        return quotient;
    }
    u64 quotient = number / by;
    rest = number - quotient * by;
    return quotient;
}
// The position of the lowest set bit; -1 if there is none.
//# lowest_one
DEVICE int lowest_one(u32 x) { return __ffs(x) - 1; }

// A value of another thread of the warp, word by word: `move` is the shuffle of a word.
//# by_words
template <class X, class F> DEVICE X by_words(X x, F move) {
    union {
        X whole;
        u32 words[(sizeof(X) + 3) / 4];
    } parts = {};
    parts.whole = x;
#pragma unroll
    for (int w = 0; w < (sizeof(X) + 3) / 4; w++) parts.words[w] = move(parts.words[w]);
    return parts.whole;
}
// The value of the lane of the warp this far above or below within each `width`; the thread's own
// value if there is none.
//# shuffle_down
template <class X> DEVICE X shuffle_down(X x, int distance, int width = 32) {
    return by_words(x, [=](u32 word) { return __shfl_down_sync(0xffffffffu, word, distance, width); });
}
//# shuffle_up
template <class X> DEVICE X shuffle_up(X x, int distance, int width = 32) {
    return by_words(x, [=](u32 word) { return __shfl_up_sync(0xffffffffu, word, distance, width); });
}
// The value of one lane of the warp within each `width`.
//# shuffle_from
template <class X> DEVICE X shuffle_from(X x, int lane, int width = 32) {
    return by_words(x, [=](u32 word) { return __shfl_sync(0xffffffffu, word, lane, width); });
}

// Atomic updates of numbers of 32 or 64 bits; they return the old number.
//# atomic_add
template <class T> DEVICE T atomic_add(T* to, T x) { return atomicAdd(to, x); }
//# atomic_and
template <class T> DEVICE T atomic_and(T* to, T x) { return atomicAnd(to, x); }
//# atomic_or
template <class T> DEVICE T atomic_or(T* to, T x) { return atomicOr(to, x); }
//# atomic_xor
template <class T> DEVICE T atomic_xor(T* to, T x) { return atomicXor(to, x); }
//# atomic_max
template <class T> DEVICE T atomic_max(T* to, T x) { return atomicMax(to, x); }
//# atomic_min
template <class T> DEVICE T atomic_min(T* to, T x) { return atomicMin(to, x); }
// Increments a number, which becomes 0 after `last`.
//# atomic_next
DEVICE u32 atomic_next(u32* to, u32 last) { return atomicInc(to, last); }
// Writes a number if the old one is as expected.
//# atomic_replace
template <class T> DEVICE T atomic_replace(T* to, T expected, T x) { return atomicCAS(to, expected, x); }

// Two words at once, at a multiple of 16 bytes, that other threads read or write at the same time.
//# store_pair
DEVICE void store_pair(void* to, u64 first, u64 second) {
    asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(first), "l"(second) : "memory");
}
//# load_pair
DEVICE void load_pair(const void* from, u64& first, u64& second) {
    asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(first), "=l"(second) : "l"(from) : "memory");
}

// Words at addresses that the host and other GPUs access. Writes before a release are visible after
// an acquire that reads the released word.
//# load_acquire
DEVICE u32 load_acquire(u64 from) {
    u32 word;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
    return word;
}
//# load_relaxed
DEVICE u32 load_relaxed(u64 from) {
    u32 word;
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
    return word;
}
//# store_release
DEVICE void store_release(u64 to, u32 word) {
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
}
