// Combines two items as `collectives/src/combine/` does on the host. The element type `T`, the name
// of the monoid and the kind of elements must precede this text.

// Conversion to the type in which an element is computed, and back.
template <class E> DEVICE E wide(E element) { return element; }
DEVICE f32 wide(f16 element) { return widen(element); }
DEVICE f32 wide(bf16 element) { return widen(element); }
template <class E> struct Narrow {
    template <class W> DEVICE E of(W value) { return (E)value; }
};
template <> struct Narrow<f16> {
    DEVICE f16 of(f32 value) { return nearest_f16(value); }
};
template <> struct Narrow<bf16> {
    DEVICE bf16 of(f32 value) { return nearest_bf16(value); }
};

DEVICE bool is_nan(f32 a) { return a != a; }
DEVICE bool is_nan(f64 a) { return a != a; }
DEVICE bool is_nan(c64 a) { return is_nan(a.re) || is_nan(a.im); }
DEVICE bool is_nan(c128 a) { return is_nan(a.re) || is_nan(a.im); }
template <class E> DEVICE bool is_nan(E) { return false; }

// Whether a <= b; false if either is NaN.
template <class E> DEVICE bool at_most(E a, E b) { return a <= b; }
template <class C> DEVICE bool in_order(C a, C b) {
    return !is_nan(a) && !is_nan(b) && (a.re < b.re || (a.re == b.re && a.im <= b.im));
}
DEVICE bool at_most(c64 a, c64 b) { return in_order(a, b); }
DEVICE bool at_most(c128 a, c128 b) { return in_order(a, b); }

#if defined(ARGMIN) || defined(ARGMAX)
// The element, padded with zeros to a whole word, and the index.
#define ELEMENT_WORDS (sizeof(T) > 8 ? sizeof(T) / 8 : 1)
struct Item {
    u64 words[ELEMENT_WORDS + 1];
};
DEVICE T element(const Item &item) { return *(const T *)item.words; }
DEVICE Item combine(const Item &left, const Item &right) {
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
// The rest and the sum of squares of an item, relative to another mean.
DEVICE T rest_about(const Item &a, T mean) { return a.rest + a.count * (a.mean - mean); }
DEVICE T squares_about(const Item &a, T mean) {
    T step = a.mean - mean;
    return a.squares + step * (a.rest + a.rest + a.count * step);
}
DEVICE Item combine(const Item &a, const Item &b) {
    if (b.count == (T)0) return a;
    if (a.count == (T)0) return b;
    T count = a.count + b.count;
    T mean = a.mean + (b.mean - a.mean) * (b.count / count);
    return {count, mean, rest_about(a, mean) + rest_about(b, mean),
            squares_about(a, mean) + squares_about(b, mean)};
}
#elif defined(BINNED)
struct Item {
    i64 window, sums[3];
    T value;
};
DEVICE Binned sum_of(const Item &item) {
    return {0, (i32)item.window, 0, {item.sums[0], item.sums[1], item.sums[2]}};
}
DEVICE Item combine(const Item &a, const Item &b) {
    Binned all = sum_of(a);
    combine_binned(all, sum_of(b));
    return {all.window, {all.sums[0], all.sums[1], all.sums[2]}, binned_value(all)};
}
#else
typedef T Item;
#ifdef IS_COMPLEX
template <class C> DEVICE C sum(C a, C b) { return {a.re + b.re, a.im + b.im}; }
template <class C> DEVICE C product(C a, C b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
#endif
#ifdef LOGADDEXP
DEVICE f32 log_add(f32 a, f32 b) {
    if (a == b) return a + logf(2.0f);
    f32 difference = a - b;
    if (difference > 0.0f) return a + log1pf(expf(-difference));
    if (difference <= 0.0f) return b + log1pf(expf(difference));
    return difference;
}
DEVICE f64 log_add(f64 a, f64 b) {
    if (a == b) return a + log(2.0);
    f64 difference = a - b;
    if (difference > 0.0) return a + log1p(exp(-difference));
    if (difference <= 0.0) return b + log1p(exp(difference));
    return difference;
}
#endif
DEVICE Item combine(const Item &left, const Item &right) {
    auto a = wide(left), b = wide(right);
#if defined(ADD) && defined(IS_COMPLEX)
    return sum(a, b);
#elif defined(ADD) && defined(IS_FLOAT)
    return Narrow<T>::of(a + b);
#elif defined(ADD)
    return (T)((u64)a + (u64)b);
#elif defined(MULTIPLY) && defined(IS_COMPLEX)
    return product(a, b);
#elif defined(MULTIPLY) && defined(IS_FLOAT)
    return Narrow<T>::of(a * b);
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
    return Narrow<T>::of(log_add(a, b));
#endif
}
#endif
