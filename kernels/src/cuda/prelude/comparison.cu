// Comparison, extremes and truth. Complex numbers compare lexicographically. If either imaginary
// part is NaN, the numbers are incomparable even if their real parts differ.

//# op_equal(==) op_not_equal(!=) op_less(<) op_less_equal(<=) op_greater(>) op_greater_equal(>=)
//# : bool integers floats
DEVICE bool $F($T a, $T b) { return a $Q b; }
//# op_equal: complexes
DEVICE bool op_equal($T a, $T b) { return a.re == b.re && a.im == b.im; }
//# op_not_equal: complexes
DEVICE bool op_not_equal($T a, $T b) { return a.re != b.re || a.im != b.im; }
//# op_less(<;<) op_less_equal(<=;<) op_greater(>;>) op_greater_equal(>=;>): complexes
DEVICE bool $F($T a, $T b) {
    return (a.re $D b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im $Q b.im);
}
// Integers of different signs compare by value.
//# op_equal: i64,u64
DEVICE bool op_equal(i64 a, u64 b) { return a >= 0 && (u64)a == b; }
//# op_not_equal: i64,u64
DEVICE bool op_not_equal(i64 a, u64 b) { return a < 0 || (u64)a != b; }
//# op_less(<) op_less_equal(<=): i64,u64
DEVICE bool $F(i64 a, u64 b) { return a < 0 || (u64)a $Q b; }
//# op_greater(>) op_greater_equal(>=): i64,u64
DEVICE bool $F(i64 a, u64 b) { return a >= 0 && (u64)a $Q b; }
//# op_equal: u64,i64
DEVICE bool op_equal(u64 a, i64 b) { return b >= 0 && a == (u64)b; }
//# op_not_equal: u64,i64
DEVICE bool op_not_equal(u64 a, i64 b) { return b < 0 || a != (u64)b; }
//# op_less(<) op_less_equal(<=): u64,i64
DEVICE bool $F(u64 a, i64 b) { return b >= 0 && a $Q (u64)b; }
//# op_greater(>) op_greater_equal(>=): u64,i64
DEVICE bool $F(u64 a, i64 b) { return b < 0 || a $Q (u64)b; }

//# op_maximum(>=) op_minimum(<=) op_fmax(>=) op_fmin(<=): bool integers
DEVICE $T $F($T a, $T b) { return a $Q b ? a : b; }
// NaN if either argument is NaN.
//# op_maximum(>=) op_minimum(<=): floats
DEVICE $T $F($T a, $T b) { return a $Q b || a != a ? a : b; }
// NaN only if both arguments are NaN.
//# op_fmax(>=) op_fmin(<=): floats
DEVICE $T $F($T a, $T b) { return a $Q b || b != b ? a : b; }
//# op_maximum: complexes
//+ op_isnan:$T op_greater_equal:$T
DEVICE $T op_maximum($T a, $T b) { return op_isnan(a) || op_greater_equal(a, b) ? a : b; }
//# op_minimum: complexes
//+ op_isnan:$T op_less_equal:$T
DEVICE $T op_minimum($T a, $T b) { return op_isnan(a) || op_less_equal(a, b) ? a : b; }
//# op_fmax: complexes
//+ op_isnan:$T op_greater_equal:$T
DEVICE $T op_fmax($T a, $T b) { return op_isnan(b) || op_greater_equal(a, b) ? a : b; }
//# op_fmin: complexes
//+ op_isnan:$T op_less_equal:$T
DEVICE $T op_fmin($T a, $T b) { return op_isnan(b) || op_less_equal(a, b) ? a : b; }

//# op_isnan op_isinf: bool integers
DEVICE bool $F($T a) { return false; }
//# op_isfinite: bool integers
DEVICE bool op_isfinite($T a) { return true; }
//# op_isnan: floats
DEVICE bool op_isnan($T a) { return a != a; }
//# op_isinf: floats
//+ is_infinite:$T
DEVICE bool op_isinf($T a) { return is_infinite(a); }
//# op_isfinite: floats
//+ is_finite:$T
DEVICE bool op_isfinite($T a) { return is_finite(a); }
//# op_isnan: complexes
DEVICE bool op_isnan($T a) { return a.re != a.re || a.im != a.im; }
//# op_isinf: complexes
//+ is_infinite:$R
DEVICE bool op_isinf($T a) { return is_infinite(a.re) || is_infinite(a.im); }
//# op_isfinite: complexes
//+ is_finite:$R
DEVICE bool op_isfinite($T a) { return is_finite(a.re) && is_finite(a.im); }
//# op_signbit: floats
//+ is_negative:$T
DEVICE bool op_signbit($T a) { return is_negative(a); }

//# op_logical_and(&&) op_logical_or(||) op_logical_xor(!=): bool integers floats complexes
//+ cast_bool:$T
DEVICE bool $F($T a, $T b) { return cast_bool(a) $Q cast_bool(b); }
//# op_logical_not: bool integers floats complexes
//+ cast_bool:$T
DEVICE bool op_logical_not($T a) { return !cast_bool(a); }

// A pair of a value and its index becomes the better of this pair and another: the first NaN wins,
// and among equal values the smaller index.
//# lexically_less: bool integers floats
DEVICE bool lexically_less($T a, $T b) { return a < b; }
//# lexically_less: halves
//+ cast_f32:$T
DEVICE bool lexically_less($T a, $T b) { return cast_f32(a) < cast_f32(b); }
//# lexically_less: complexes
DEVICE bool lexically_less($T a, $T b) { return a.re < b.re || (a.re == b.re && a.im < b.im); }
//# precedes_argmin(a, b) precedes_argmax(b, a): bool integers floats halves complexes
//+ lexically_less:$T op_isnan:$T
DEVICE bool $F($T a, $T b) { return !op_isnan(b) && (op_isnan(a) || lexically_less($Q)); }
//# combine_argmin(precedes_argmin) combine_argmax(precedes_argmax)
//# : bool integers floats halves complexes
//+ $Q:$T
template <class Index>
DEVICE void $F($T& best, Index& best_index, $T value, Index index) {
    if ($Q(value, best) || (!$Q(best, value) && index < best_index)) {
        best = value;
        best_index = index;
    }
}
// Chan's update of a count, a mean and a sum of squared deviations. An empty side has no mean.
//# combine_moments: floats
DEVICE void combine_moments($T& count, $T& mean, $T& squares, $T count2, $T mean2, $T squares2) {
    if (count2 == 0) return;
    if (count == 0) {
        count = count2;
        mean = mean2;
        squares = squares2;
        return;
    }
    $T total = count + count2, difference = mean2 - mean;
    mean = mean + difference * (count2 / total);
    squares = squares + squares2 + difference * difference * (count * count2 / total);
    count = total;
}
