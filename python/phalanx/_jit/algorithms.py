"""Algorithms of one thread over iterators, after Thrust: their C++ and the types of their results.

The run-time compiler of CUDA refuses the headers of Thrust, so the algorithms are written here.
Each thread that calls one runs it alone, as Thrust does with ``thrust::seq``.
"""

import re as _re

ITERATORS = """\
namespace phalanx {
// Elements at a constant distance in bytes.
template <typename T>
struct Strided {
    char* at;
    long long step;
    __device__ T& operator*() const { return *(T*)at; }
    __device__ T& operator[](long long i) const { return *(T*)(at + i * step); }
    __device__ Strided operator+(long long i) const { return {at + i * step, step}; }
    __device__ Strided operator-(long long i) const { return {at - i * step, step}; }
    __device__ long long operator-(Strided other) const {
        return step == 0 ? 0 : (at - other.at) / step;
    }
    __device__ Strided& operator++() { at += step; return *this; }
    __device__ bool operator==(Strided other) const { return at == other.at; }
    __device__ bool operator!=(Strided other) const { return at != other.at; }
    __device__ bool operator<(Strided other) const { return *this - other < 0; }
    __device__ bool operator>(Strided other) const { return *this - other > 0; }
};
// Places that have no memory: the same value everywhere, or successive values.
template <typename T, bool counts>
struct Virtual {
    T value;
    long long at;
    __device__ T operator*() const { return (*this)[0]; }
    __device__ T operator[](long long i) const { return counts ? T(value + T(at + i)) : value; }
    __device__ Virtual operator+(long long i) const { return {value, at + i}; }
    __device__ Virtual operator-(long long i) const { return {value, at - i}; }
    __device__ long long operator-(Virtual other) const {
        return counts ? (long long)(value + T(at)) - (long long)(other.value + T(other.at))
                      : at - other.at;
    }
    __device__ Virtual& operator++() { ++at; return *this; }
    __device__ bool operator==(Virtual other) const { return *this - other == 0; }
    __device__ bool operator!=(Virtual other) const { return *this - other != 0; }
    __device__ bool operator<(Virtual other) const { return *this - other < 0; }
    __device__ bool operator>(Virtual other) const { return *this - other > 0; }
};
template <typename T> using Constant = Virtual<T, false>;
template <typename T> using Counting = Virtual<T, true>;

template <typename T> struct Bare { using type = T; };
template <typename T> struct Bare<T&> { using type = T; };
template <typename It> using Value = typename Bare<decltype(*It())>::type;

template <typename A, typename B>
struct Pair {
    A v0;
    B v1;
};
struct Before {
    template <typename A, typename B>
    __device__ bool operator()(A a, B b) const { return a < b; }
};
struct Same {
    template <typename A, typename B>
    __device__ bool operator()(A a, B b) const { return a == b; }
};
struct Plus {
    template <typename A, typename B>
    __device__ auto operator()(A a, B b) const -> decltype(a + b) { return a + b; }
};
struct Minus {
    template <typename A, typename B>
    __device__ auto operator()(A a, B b) const -> decltype(a - b) { return a - b; }
};
struct Times {
    template <typename A, typename B>
    __device__ auto operator()(A a, B b) const -> decltype(a * b) { return a * b; }
};
template <typename A, typename B>
static __device__ inline void exchange(A a, B b) {
    auto kept = Value<A>(*a);
    *a = *b;
    *b = kept;
}
}
"""

SEARCHES = """\
namespace phalanx {
template <typename It, typename T, typename Less = Before>
static __device__ It lower_bound(It first, It last, T value, Less less = Less()) {
    long long low = 0, high = last - first;
    while (low < high) {
        long long middle = (low + high) / 2;
        if (less(first[middle], value)) low = middle + 1;
        else high = middle;
    }
    return first + low;
}
template <typename It, typename T, typename Less = Before>
static __device__ It upper_bound(It first, It last, T value, Less less = Less()) {
    long long low = 0, high = last - first;
    while (low < high) {
        long long middle = (low + high) / 2;
        if (less(value, first[middle])) high = middle;
        else low = middle + 1;
    }
    return first + low;
}
template <typename It, typename T, typename Less = Before>
static __device__ bool binary_search(It first, It last, T value, Less less = Less()) {
    It found = lower_bound(first, last, value, less);
    return found != last && !less(value, *found);
}
template <typename It, typename T, typename Less = Before>
static __device__ Pair<It, It> equal_range(It first, It last, T value, Less less = Less()) {
    return {lower_bound(first, last, value, less), upper_bound(first, last, value, less)};
}
template <typename It, typename Values, typename Out, typename Less = Before>
static __device__ Out lower_bound_each(
    It first, It last, Values value, Values end, Out out, Less less = Less()
) {
    for (; value != end; ++value, ++out) *out = lower_bound(first, last, *value, less) - first;
    return out;
}
template <typename It, typename Values, typename Out, typename Less = Before>
static __device__ Out upper_bound_each(
    It first, It last, Values value, Values end, Out out, Less less = Less()
) {
    for (; value != end; ++value, ++out) *out = upper_bound(first, last, *value, less) - first;
    return out;
}
template <typename It, typename Values, typename Out, typename Less = Before>
static __device__ Out binary_search_each(
    It first, It last, Values value, Values end, Out out, Less less = Less()
) {
    for (; value != end; ++value, ++out) *out = binary_search(first, last, *value, less);
    return out;
}
template <typename It, typename T>
static __device__ It find(It first, It last, T value) {
    while (first != last && !(*first == value)) ++first;
    return first;
}
template <typename It, typename T>
static __device__ long long count(It first, It last, T value) {
    long long found = 0;
    for (; first != last; ++first) found += *first == value;
    return found;
}
template <typename A, typename B, typename Equal = Same>
static __device__ Pair<A, B> mismatch(A first, A last, B other, Equal equal = Equal()) {
    while (first != last && equal(*first, *other)) {
        ++first;
        ++other;
    }
    return {first, other};
}
template <typename A, typename B, typename Equal = Same>
static __device__ bool equal(A first, A last, B other, Equal same = Equal()) {
    return mismatch(first, last, other, same).v0 == last;
}
template <typename It, typename Less = Before>
static __device__ It is_sorted_until(It first, It last, Less less = Less()) {
    if (first == last) return last;
    for (It next = first + 1; next != last; ++first, ++next) {
        if (less(*next, *first)) return next;
    }
    return last;
}
template <typename It, typename Less = Before>
static __device__ bool is_sorted(It first, It last, Less less = Less()) {
    return is_sorted_until(first, last, less) == last;
}
}
"""

COPIES = """\
namespace phalanx {
template <typename It, typename Out>
static __device__ Out copy(It first, It last, Out out) {
    for (; first != last; ++first, ++out) *out = *first;
    return out;
}
template <typename It, typename T>
static __device__ void fill(It first, It last, T value) {
    for (; first != last; ++first) *first = value;
}
template <typename It, typename T = Value<It>, typename S = T>
static __device__ void sequence(It first, It last, T start = T(0), S step = S(1)) {
    for (long long i = 0; first != last; ++first, ++i) *first = start + step * S(i);
}
template <typename Map, typename It, typename Out>
static __device__ Out gather(Map first, Map last, It input, Out out) {
    for (; first != last; ++first, ++out) *out = input[*first];
    return out;
}
template <typename It, typename Map, typename Out>
static __device__ void scatter(It first, It last, Map map, Out out) {
    for (; first != last; ++first, ++map) out[*map] = *first;
}
template <typename It, typename T>
static __device__ It remove(It first, It last, T value) {
    It out = first;
    for (; first != last; ++first) {
        if (*first == value) continue;
        *out = *first;
        ++out;
    }
    return out;
}
template <typename It, typename Out, typename T>
static __device__ Out remove_copy(It first, It last, Out out, T value) {
    for (; first != last; ++first) {
        if (*first == value) continue;
        *out = *first;
        ++out;
    }
    return out;
}
template <typename It, typename T, typename S>
static __device__ void replace(It first, It last, T value, S by) {
    for (; first != last; ++first) {
        if (*first == value) *first = by;
    }
}
template <typename It, typename Out, typename T, typename S>
static __device__ Out replace_copy(It first, It last, Out out, T value, S by) {
    for (; first != last; ++first, ++out) {
        if (*first == value) *out = by;
        else *out = *first;
    }
    return out;
}
template <typename It>
static __device__ void reverse(It first, It last) {
    long long count = last - first;
    for (long long i = 0; i < count / 2; ++i) exchange(first + i, first + (count - 1 - i));
}
template <typename It, typename Out>
static __device__ Out reverse_copy(It first, It last, Out out) {
    for (long long i = last - first; i > 0; --i, ++out) *out = first[i - 1];
    return out;
}
template <typename A, typename B>
static __device__ B swap_ranges(A first, A last, B other) {
    for (; first != last; ++first, ++other) exchange(first, other);
    return other;
}
template <typename It, typename Equal = Same>
static __device__ It unique(It first, It last, Equal equal = Equal()) {
    if (first == last) return last;
    It out = first;
    for (++first; first != last; ++first) {
        if (equal(*out, *first)) continue;
        ++out;
        *out = *first;
    }
    return out + 1;
}
template <typename K, typename V, typename Equal = Same>
static __device__ Pair<K, V> unique_by_key(K first, K last, V value, Equal equal = Equal()) {
    if (first == last) return {last, value};
    K key = first;
    V out = value;
    for (++first, ++value; first != last; ++first, ++value) {
        if (equal(*key, *first)) continue;
        ++key;
        ++out;
        *key = *first;
        *out = *value;
    }
    return {key + 1, out + 1};
}
}
"""

SCANS = """\
namespace phalanx {
template <typename It, typename Out, typename Operation = Minus>
static __device__ Out adjacent_difference(
    It first, It last, Out out, Operation operation = Operation()
) {
    if (first == last) return out;
    Value<It> before = *first;
    *out = before;
    for (++first, ++out; first != last; ++first, ++out) {
        Value<It> here = *first;
        *out = operation(here, before);
        before = here;
    }
    return out;
}
template <typename It, typename T = Value<It>, typename Operation = Plus>
static __device__ T reduce(
    It first, It last, T total = T(0), Operation operation = Operation()
) {
    for (; first != last; ++first) total = T(operation(total, *first));
    return total;
}
template <typename A, typename B, typename T, typename Sum = Plus, typename Product = Times>
static __device__ T inner_product(
    A first, A last, B other, T total, Sum sum = Sum(), Product product = Product()
) {
    for (; first != last; ++first, ++other) total = T(sum(total, product(*first, *other)));
    return total;
}
template <typename It, typename Out, typename Operation = Plus>
static __device__ Out inclusive_scan(
    It first, It last, Out out, Operation operation = Operation()
) {
    if (first == last) return out;
    Value<It> total = *first;
    *out = total;
    for (++first, ++out; first != last; ++first, ++out) {
        total = Value<It>(operation(total, *first));
        *out = total;
    }
    return out;
}
template <typename It, typename Out, typename T = Value<It>, typename Operation = Plus>
static __device__ Out exclusive_scan(
    It first, It last, Out out, T total = T(0), Operation operation = Operation()
) {
    for (; first != last; ++first, ++out) {
        T next = T(operation(total, *first));
        *out = total;
        total = next;
    }
    return out;
}
template <
    typename K, typename V, typename Out, typename Equal = Same, typename Operation = Plus>
static __device__ Out inclusive_scan_by_key(
    K key, K last, V value, Out out, Equal equal = Equal(), Operation operation = Operation()
) {
    if (key == last) return out;
    Value<V> total = *value;
    *out = total;
    for (K next = key + 1; next != last; ++key, ++next) {
        ++value;
        ++out;
        total = equal(*key, *next) ? Value<V>(operation(total, *value)) : Value<V>(*value);
        *out = total;
    }
    return out + 1;
}
template <
    typename K, typename V, typename Out, typename T = Value<V>, typename Equal = Same,
    typename Operation = Plus>
static __device__ Out exclusive_scan_by_key(
    K key, K last, V value, Out out, T start = T(0), Equal equal = Equal(),
    Operation operation = Operation()
) {
    if (key == last) return out;
    Value<K> before = *key;
    T total = start;
    for (; key != last; ++key, ++value, ++out) {
        if (!equal(before, *key)) total = start;
        before = *key;
        T next = T(operation(total, *value));
        *out = total;
        total = next;
    }
    return out;
}
template <
    typename K, typename V, typename KOut, typename VOut, typename Equal = Same,
    typename Operation = Plus>
static __device__ Pair<KOut, VOut> reduce_by_key(
    K key, K last, V value, KOut keys, VOut values, Equal equal = Equal(),
    Operation operation = Operation()
) {
    while (key != last) {
        Value<K> present = *key;
        Value<V> total = *value;
        for (++key, ++value; key != last && equal(present, *key); ++key, ++value) {
            total = Value<V>(operation(total, *value));
        }
        *keys = present;
        *values = total;
        ++keys;
        ++values;
    }
    return {keys, values};
}
}
"""

SORTS = """\
namespace phalanx {
// What is sorted, by positions: keys alone, or keys with values that move along.
template <typename K, typename Less>
struct Keys {
    K keys;
    Less less;
    __device__ bool before(long long a, long long b) const { return less(keys[a], keys[b]); }
    __device__ void swap(long long a, long long b) const { exchange(keys + a, keys + b); }
};
template <typename K, typename V, typename Less>
struct KeysAndValues {
    K keys;
    V values;
    Less less;
    __device__ bool before(long long a, long long b) const { return less(keys[a], keys[b]); }
    __device__ void swap(long long a, long long b) const {
        exchange(keys + a, keys + b);
        exchange(values + a, values + b);
    }
};
template <typename Items>
static __device__ void sift_down(Items& items, long long root, long long count) {
    for (;;) {
        long long child = 2 * root + 1;
        if (child >= count) return;
        if (child + 1 < count && items.before(child, child + 1)) ++child;
        if (!items.before(root, child)) return;
        items.swap(root, child);
        root = child;
    }
}
// A heap sort: it needs no memory besides the items.
template <typename Items>
static __device__ void sort_items(Items items, long long count) {
    for (long long i = count / 2; i > 0; --i) sift_down(items, i - 1, count);
    for (long long i = count - 1; i > 0; --i) {
        items.swap(0, i);
        sift_down(items, 0, i);
    }
}
template <typename Items>
static __device__ void reverse_items(Items& items, long long first, long long last) {
    for (--last; first < last; ++first, --last) items.swap(first, last);
}
template <typename Items>
static __device__ void rotate_items(
    Items& items, long long first, long long middle, long long last
) {
    reverse_items(items, first, middle);
    reverse_items(items, middle, last);
    reverse_items(items, first, last);
}
// Merges two sorted neighbours in place: the longer one is halved, the other one is cut where the
// element in the middle belongs, and the inner parts change places. Parts that remain are kept on
// a stack, the shorter one on top, so that its height is at most the logarithm of the count.
template <typename Items>
static __device__ void merge_items(
    Items& items, long long first, long long middle, long long last
) {
    long long stack[64][3];
    int height = 1;
    stack[0][0] = first, stack[0][1] = middle, stack[0][2] = last;
    while (height > 0) {
        --height;
        first = stack[height][0], middle = stack[height][1], last = stack[height][2];
        if (first == middle || middle == last || !items.before(middle, middle - 1)) continue;
        if (last - first == 2) {
            items.swap(first, middle);
            continue;
        }
        long long left, right;
        if (middle - first >= last - middle) {
            left = first + (middle - first) / 2;
            long long low = middle, high = last;
            while (low < high) {
                long long at = (low + high) / 2;
                if (items.before(at, left)) low = at + 1;
                else high = at;
            }
            right = low;
        } else {
            right = middle + (last - middle) / 2;
            long long low = first, high = middle;
            while (low < high) {
                long long at = (low + high) / 2;
                if (items.before(right, at)) high = at;
                else low = at + 1;
            }
            left = low;
        }
        rotate_items(items, left, middle, right);
        long long cut = left + (right - middle);
        bool left_is_longer = cut - first > last - cut;
        for (int turn = 0; turn < 2; ++turn) {
            bool is_left = (turn == 0) == left_is_longer;
            stack[height][0] = is_left ? first : cut;
            stack[height][1] = is_left ? left : right;
            stack[height][2] = is_left ? cut : last;
            ++height;
        }
    }
}
template <typename Items>
static __device__ void stable_sort_items(Items items, long long count) {
    const long long shortest = 16;
    for (long long start = 0; start < count; start += shortest) {
        long long end = start + shortest < count ? start + shortest : count;
        for (long long i = start + 1; i < end; ++i) {
            for (long long at = i; at > start && items.before(at, at - 1); --at) {
                items.swap(at, at - 1);
            }
        }
    }
    for (long long width = shortest; width < count; width *= 2) {
        for (long long start = 0; start + width < count; start += 2 * width) {
            long long end = start + 2 * width < count ? start + 2 * width : count;
            merge_items(items, start, start + width, end);
        }
    }
}
template <typename It, typename Less = Before>
static __device__ void sort(It first, It last, Less less = Less()) {
    sort_items(Keys<It, Less>{first, less}, last - first);
}
template <typename It, typename Less = Before>
static __device__ void stable_sort(It first, It last, Less less = Less()) {
    stable_sort_items(Keys<It, Less>{first, less}, last - first);
}
template <typename K, typename V, typename Less = Before>
static __device__ void sort_by_key(K first, K last, V values, Less less = Less()) {
    sort_items(KeysAndValues<K, V, Less>{first, values, less}, last - first);
}
template <typename K, typename V, typename Less = Before>
static __device__ void stable_sort_by_key(K first, K last, V values, Less less = Less()) {
    stable_sort_items(KeysAndValues<K, V, Less>{first, values, less}, last - first);
}
}
"""

SETS = """\
namespace phalanx {
// Iterators of sets without values: every write is dropped.
struct Nothing {
    template <typename T>
    __device__ operator T() const { return T(); }
    __device__ Nothing& operator*() { return *this; }
    __device__ Nothing& operator++() { return *this; }
};
// Which items of two sorted ranges are copied: those of the first range alone, those of both, and
// those of the second range alone.
template <
    bool first_alone, bool both, bool second_alone, typename A, typename B, typename AV,
    typename BV, typename Out, typename VOut, typename Less>
static __device__ Pair<Out, VOut> combine_sets(
    A a, A a_end, B b, B b_end, AV a_value, BV b_value, Out out, VOut value, Less less
) {
    while (a != a_end || b != b_end) {
        bool from_a = b == b_end || (a != a_end && less(*a, *b));
        bool from_b = !from_a && (a == a_end || less(*b, *a));
        if (from_b ? second_alone : from_a ? first_alone : both) {
            if (from_b) {
                *out = *b;
                *value = *b_value;
            } else {
                *out = *a;
                *value = *a_value;
            }
            ++out;
            ++value;
        }
        if (!from_b) {
            ++a;
            ++a_value;
        }
        if (!from_a) {
            ++b;
            ++b_value;
        }
    }
    return {out, value};
}
#define PHALANX_SET(name, first_alone, both, second_alone)                                       \\
    template <typename A, typename B, typename Out, typename Less = Before>                      \\
    static __device__ Out name(A a, A a_end, B b, B b_end, Out out, Less less = Less()) {         \\
        return combine_sets<first_alone, both, second_alone>(                                    \\
            a, a_end, b, b_end, Nothing(), Nothing(), out, Nothing(), less).v0;                   \\
    }
PHALANX_SET(set_difference, true, false, false)
PHALANX_SET(set_intersection, false, true, false)
PHALANX_SET(set_symmetric_difference, true, false, true)
PHALANX_SET(set_union, true, true, true)
#undef PHALANX_SET
#define PHALANX_SET(name, first_alone, both, second_alone)                                       \\
    template <typename A, typename B, typename AV, typename BV, typename Out, typename VOut,      \\
              typename Less = Before>                                                            \\
    static __device__ Pair<Out, VOut> name(A a, A a_end, B b, B b_end, AV a_value, BV b_value,    \\
                                           Out out, VOut value, Less less = Less()) {             \\
        return combine_sets<first_alone, both, second_alone>(                                    \\
            a, a_end, b, b_end, a_value, b_value, out, value, less);                              \\
    }
PHALANX_SET(set_difference_by_key, true, false, false)
PHALANX_SET(set_symmetric_difference_by_key, true, false, true)
PHALANX_SET(set_union_by_key, true, true, true)
#undef PHALANX_SET
template <typename A, typename B, typename AV, typename Out, typename VOut,
          typename Less = Before>
static __device__ Pair<Out, VOut> set_intersection_by_key(
    A a, A a_end, B b, B b_end, AV a_value, Out out, VOut value, Less less = Less()
) {
    return combine_sets<false, true, false>(
        a, a_end, b, b_end, a_value, Nothing(), out, value, less);
}
}
"""

_PARTS = (
    (SEARCHES, "lower_bound upper_bound binary_search equal_range find count mismatch equal "
     "is_sorted_until is_sorted lower_bound_each upper_bound_each binary_search_each"),
    (COPIES, "copy fill sequence gather scatter remove remove_copy replace replace_copy reverse "
     "reverse_copy swap_ranges unique unique_by_key"),
    (SCANS, "adjacent_difference reduce inner_product inclusive_scan exclusive_scan "
     "inclusive_scan_by_key exclusive_scan_by_key reduce_by_key"),
    (SORTS, "sort stable_sort sort_by_key stable_sort_by_key"),
    (SETS, "set_difference set_intersection set_symmetric_difference set_union "
     "set_difference_by_key set_intersection_by_key set_symmetric_difference_by_key "
     "set_union_by_key"),
)


def parts_of(text):
    """The parts that the calls in a text need, in order."""
    called = set(_re.findall(r"phalanx::(\w+)\(", text))
    parts = [part for part, names in _PARTS if called & set(names.split())]
    if parts or _re.search(r"phalanx::(Strided|Constant|Counting)<", text):
        return [ITERATORS, *parts]
    return []


# For each algorithm: its arguments after the policy, and its result. `f` and `l` are the first and
# the last place of a range, `i` is a place, `v` a number, `o` an operation; those in capitals may
# be left out. Results are: a place of the argument of that number, a pair of two such places, a
# `bool`, a `count`, or a `value` of the elements.
ALGORITHMS = {
    "adjacent_difference": ("fliO", (2,)),
    "binary_search": ("flvO", "bool"),
    "copy": ("fli", (2,)),
    "count": ("flv", "count"),
    "equal": ("fliO", "bool"),
    "equal_range": ("flvO", (0, 0)),
    "exclusive_scan": ("fliVO", (2,)),
    "exclusive_scan_by_key": ("fliiVOO", (3,)),
    "fill": ("flv", None),
    "find": ("flv", (0,)),
    "gather": ("flii", (3,)),
    "inclusive_scan": ("fliO", (2,)),
    "inclusive_scan_by_key": ("fliiOO", (3,)),
    "inner_product": ("flivOO", "start"),
    "is_sorted": ("flO", "bool"),
    "is_sorted_until": ("flO", (0,)),
    "lower_bound": ("flvO", (0,)),
    "mismatch": ("fliO", (0, 2)),
    "reduce": ("flVO", "start"),
    "reduce_by_key": ("fliiiOO", (3, 4)),
    "remove": ("flv", (0,)),
    "remove_copy": ("fliv", (2,)),
    "replace": ("flvv", None),
    "replace_copy": ("flivv", (2,)),
    "reverse": ("fl", None),
    "reverse_copy": ("fli", (2,)),
    "scatter": ("flii", None),
    "sequence": ("flVV", None),
    "set_difference": ("flfliO", (4,)),
    "set_difference_by_key": ("flfliiiiO", (6, 7)),
    "set_intersection": ("flfliO", (4,)),
    "set_intersection_by_key": ("flfliiiO", (5, 6)),
    "set_symmetric_difference": ("flfliO", (4,)),
    "set_symmetric_difference_by_key": ("flfliiiiO", (6, 7)),
    "set_union": ("flfliO", (4,)),
    "set_union_by_key": ("flfliiiiO", (6, 7)),
    "sort": ("flO", None),
    "sort_by_key": ("fliO", None),
    "stable_sort": ("flO", None),
    "stable_sort_by_key": ("fliO", None),
    "swap_ranges": ("fli", (2,)),
    "unique": ("flO", (0,)),
    "unique_by_key": ("fliO", (0, 2)),
    "upper_bound": ("flvO", (0,)),
}
# Searches take a range of values, too: then they write a position or a truth value for each.
EACH = {
    "binary_search": ("flfliO", (4,)),
    "lower_bound": ("flfliO", (4,)),
    "upper_bound": ("flfliO", (4,)),
}
