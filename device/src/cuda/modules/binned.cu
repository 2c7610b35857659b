// Sums whose bits do not depend on the order: the type and the arithmetic of
// `phalanx_ops::Binned`, which says how they work. Kernels and collectives share this text; its
// section is read as those of `kernels/src/cuda/prelude/` are.
//# combine_binned: f64
struct Binned {
    // The upper half of the rounder of the first digit, less the bit of its fraction: a number whose
    // exponent is much smaller has all its digits in the window and below. 0 for windows whose
    // numbers are added in another way.
    u32 top;
    i32 window;
    // The sums contain the bits of this many rounders of each digit.
    u32 count;
    i64 sums[3];
};

#define BINNED_DIGIT (30u << 20)

// The bits of what rounds a number to multiples of a digit's unit.
DEVICE u64 binned_rounder(u32 top, int digit) {
    return (u64)((top | 0x80000u) - digit * BINNED_DIGIT) << 32;
}

DEVICE void binned_settle(Binned& all) {
#pragma unroll
    for (int digit = 0; digit < 3; digit++) {
        all.sums[digit] -= (i64)(all.count * binned_rounder(all.top, digit));
    }
    all.count = 0;
}

// The digits move to a window that is not below their own. The sums must be settled.
DEVICE void binned_raise(Binned& all, i32 window) {
    i32 steps = window - all.window;
    if (steps <= 0) return;
    all.sums[2] = steps == 1 ? all.sums[1] : steps == 2 ? all.sums[0] : 0;
    all.sums[1] = steps == 1 ? all.sums[0] : 0;
    all.sums[0] = 0;
    all.window = window;
    all.top = window < 69 ? (u32)(30 * window + 1) << 20 : 0;
}

DEVICE void binned_digits(Binned& all, u32 top, f64 x) {
#pragma unroll
    for (int digit = 0; digit < 3; digit++) {
        f64 rounder = from_bits(binned_rounder(top, digit));
        f64 rounded = x + rounder;
        all.sums[digit] += (i64)bits(rounded);
        x -= rounded - rounder;
    }
    all.count += 1;
}

// Adds a number that may be too large for the window.
FAR Binned binned_rare(Binned all, f64 x) {
    int exponent = (int)(bits(x) >> 52) & 2047, window = (exponent + 52) / 30;
    binned_settle(all);
    binned_raise(all, exponent == 2047 ? 127 : window < 2 ? 2 : window);
    if (all.window == 127) {
        // The sums count infinities and NaN.
        if (exponent == 2047) {
            all.sums[0] += x > 0;
            all.sums[1] += x < 0;
            all.sums[2] += x != x;
        }
    } else if (all.window == 69) {
        // Smaller numbers lose bits here only where they are far below the last digit.
        u32 top = (u32)(30 * 68 + 1) << 20;
        binned_digits(all, top, x * from_bits((u64)(1023 - 30) << 52));
        all.top = top;
        binned_settle(all);
        all.top = 0;
    } else {
        binned_digits(all, all.top, x);
    }
    return all;
}

DEVICE void binned_add(Binned& all, f64 x) {
    u32 exponent = (u32)(bits(x) >> 32) & 0x7ff00000u;
    if (exponent + (23u << 20) >= all.top) {
        all = binned_rare(all, x);
    } else {
        binned_digits(all, all.top, x);
    }
}

DEVICE void combine_binned(Binned& all, Binned other) {
    binned_settle(all);
    binned_settle(other);
    binned_raise(other, all.window);
    binned_raise(all, other.window);
    all.sums[0] += other.sums[0];
    all.sums[1] += other.sums[1];
    all.sums[2] += other.sums[2];
}

// The sum, rounded to the nearest number. The sums must be settled.
DEVICE f64 binned_value(const Binned& all) {
    if (all.window == 127) {
        bool is_nan = all.sums[2] > 0 || (all.sums[0] > 0) == (all.sums[1] > 0);
        u64 infinity = 0x7ffull << 52;
        if (is_nan) return from_bits(infinity | 1ull << 51);
        return from_bits(all.sums[0] > 0 ? infinity : infinity | 1ull << 63);
    }
    // The total as an integer of 128 bits, in units of the last digit.
    i64 carry = (all.sums[2] + (1ll << 29)) >> 30;
    i64 low = all.sums[2] - carry * (1ll << 30);
    i64 middle = all.sums[1] + carry;
    carry = (middle + (1ll << 29)) >> 30;
    low += (middle - carry * (1ll << 30)) * (1ll << 30);
    i64 high = all.sums[0] + carry;
    u64 lower = ((u64)high << 60) + (u64)low;
    u64 upper = (u64)(high >> 4) + (u64)(low >> 63) + (lower < (u64)low);
    bool is_negative = (upper >> 63) != 0;
    if (is_negative) {
        lower = 0 - lower;
        upper = 0 - upper - (lower != 0);
    }
    if ((upper | lower) == 0) return 0;
    // The first 64 bits, of which the last tells whether any bit follows.
    u64 first = upper != 0 ? upper : lower;
    int zeros = leading_zeros(first);
    first <<= zeros;
    int shift = 0;
    if (upper != 0) {
        shift = 64 - zeros;
        if (zeros > 0) first |= lower >> shift;
        if ((zeros > 0 ? lower << zeros : lower) != 0) first |= 1;
    } else {
        first = lower;
    }
    f64 value = (f64)first * from_bits((u64)(1023 + shift) << 52);
    int power = 30 * (all.window - 2) - 1074;
    value *= from_bits(power < -1022 ? 1ull << (power + 1074) : (u64)(power + 1023) << 52);
    return is_negative ? -value : value;
}
