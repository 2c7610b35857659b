// How two items are combined, as `collectives/src/combine/` does it on the host. Before this text
// stand the type `T` of the elements, the name of the monoid, and what kind of elements they are.
struct f16 {
    u16 bits;
};
struct bf16 {
    u16 bits;
};
struct c64 {
    float re, im;
};
struct c128 {
    double re, im;
};

// The type that an element is computed in, and back.
template <class E> __device__ inline E wide(E element) { return element; }
__device__ inline float wide(f16 element) {
    float result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(element.bits));
    return result;
}
__device__ inline float wide(bf16 element) { return __uint_as_float((u32)element.bits << 16); }
template <class E, class W> struct Narrow {
    __device__ static E of(W value) { return (E)value; }
};
template <> struct Narrow<f16, float> {
    __device__ static f16 of(float value) {
        f16 result;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
        return result;
    }
};
template <> struct Narrow<bf16, float> {
    __device__ static bf16 of(float value) {
        bf16 result;
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
        return result;
    }
};

__device__ inline bool is_nan(float a) { return a != a; }
__device__ inline bool is_nan(double a) { return a != a; }
__device__ inline bool is_nan(c64 a) { return is_nan(a.re) || is_nan(a.im); }
__device__ inline bool is_nan(c128 a) { return is_nan(a.re) || is_nan(a.im); }
template <class E> __device__ inline bool is_nan(E) { return false; }

// Whether a <= b; false where either is not a number.
template <class E> __device__ inline bool at_most(E a, E b) { return a <= b; }
template <class C> __device__ inline bool in_order(C a, C b) {
    return !is_nan(a) && !is_nan(b) && (a.re < b.re || (a.re == b.re && a.im <= b.im));
}
__device__ inline bool at_most(c64 a, c64 b) { return in_order(a, b); }
__device__ inline bool at_most(c128 a, c128 b) { return in_order(a, b); }

#if defined(ARGMIN) || defined(ARGMAX)
// The element, zeros up to a whole word, and the index.
#define ELEMENT_WORDS (sizeof(T) > 8 ? sizeof(T) / 8 : 1)
struct Item {
    u64 words[ELEMENT_WORDS + 1];
};
__device__ inline T element(const Item &item) { return *(const T *)item.words; }
__device__ inline Item combine(const Item &left, const Item &right) {
    auto a = wide(element(left)), b = wide(element(right));
    bool earlier = (i64)right.words[ELEMENT_WORDS] < (i64)left.words[ELEMENT_WORDS];
    bool takes;
    if (is_nan(a) || is_nan(b)) {
        takes = is_nan(b) && (!is_nan(a) || earlier);
    } else {
#ifdef ARGMIN
        bool no_worse = at_most(b, a), no_better = at_most(a, b);
#else
        bool no_worse = at_most(a, b), no_better = at_most(b, a);
#endif
        takes = no_worse && (!no_better || earlier);
    }
    return takes ? right : left;
}
#elif defined(MOMENTS)
struct Item {
    T count, mean, rest, squares;
};
// The rest and the squares of an item about another mean.
__device__ inline T rest_about(const Item &a, T mean) { return a.rest + a.count * (a.mean - mean); }
__device__ inline T squares_about(const Item &a, T mean) {
    T step = a.mean - mean;
    return a.squares + step * (a.rest + a.rest + a.count * step);
}
__device__ inline Item combine(const Item &a, const Item &b) {
    if (b.count == (T)0) return a;
    if (a.count == (T)0) return b;
    T count = a.count + b.count;
    T mean = a.mean + (b.mean - a.mean) * (b.count / count);
    return {count, mean, rest_about(a, mean) + rest_about(b, mean),
            squares_about(a, mean) + squares_about(b, mean)};
}
#else
typedef T Item;
#ifdef IS_COMPLEX
template <class C> __device__ inline C sum(C a, C b) { return {a.re + b.re, a.im + b.im}; }
template <class C> __device__ inline C product(C a, C b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
#endif
#ifdef LOGADDEXP
__device__ inline float log_add(float a, float b) {
    if (a == b) return a + logf(2.0f);
    float difference = a - b;
    if (difference > 0.0f) return a + log1pf(expf(-difference));
    if (difference <= 0.0f) return b + log1pf(expf(difference));
    return difference;
}
__device__ inline double log_add(double a, double b) {
    if (a == b) return a + log(2.0);
    double difference = a - b;
    if (difference > 0.0) return a + log1p(exp(-difference));
    if (difference <= 0.0) return b + log1p(exp(difference));
    return difference;
}
#endif
__device__ inline Item combine(const Item &left, const Item &right) {
    auto a = wide(left), b = wide(right);
    typedef decltype(a) W;
#if defined(ADD) && defined(IS_COMPLEX)
    return sum(a, b);
#elif defined(ADD) && defined(IS_FLOAT)
    return Narrow<T, W>::of(a + b);
#elif defined(ADD)
    return (T)((u64)a + (u64)b);
#elif defined(MULTIPLY) && defined(IS_COMPLEX)
    return product(a, b);
#elif defined(MULTIPLY) && defined(IS_FLOAT)
    return Narrow<T, W>::of(a * b);
#elif defined(MULTIPLY)
    return (T)((u64)a * (u64)b);
#elif defined(MIN)
    return at_most(a, b) || is_nan(a) ? left : right;
#elif defined(MAX)
    return at_most(b, a) || is_nan(a) ? left : right;
#elif defined(BITWISE_AND)
    return (T)(a & b);
#elif defined(BITWISE_OR)
    return (T)(a | b);
#elif defined(BITWISE_XOR)
    return (T)(a ^ b);
#elif defined(LOGADDEXP)
    return Narrow<T, W>::of(log_add(a, b));
#endif
}
#endif
