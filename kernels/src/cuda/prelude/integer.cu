// Functions of integers, with NumPy's results where the function is undefined in arithmetic.

// A negative exponent is an error in the data, which another check reports; here it gives 0.
//# power_by_squaring: u32 u64
DEVICE $T power_by_squaring($T base, $T left) {
    $T power = 1;
    while (left != 0) {
        if (left & 1) power *= base;
        base *= base;
        left >>= 1;
    }
    return power;
}
//# op_power: unsigned
//+ power_by_squaring:$W
DEVICE $T op_power($T a, $T b) { return ($T)power_by_squaring(($W)a, ($W)b); }
//# op_power: signed
//+ power_by_squaring:$W
DEVICE $T op_power($T a, $T b) { return b < 0 ? ($T)0 : ($T)power_by_squaring(($W)a, ($W)b); }

//# op_bitwise_and(&) op_bitwise_or(|) op_bitwise_xor(^): bool integers
DEVICE $T $F($T a, $T b) { return ($T)(a $Q b); }
//# op_invert: bool
DEVICE bool op_invert(bool a) { return !a; }
//# op_invert: integers
DEVICE $T op_invert($T a) { return ($T)~a; }

//# op_left_shift: integers
DEVICE $T op_left_shift($T a, $T b) {
    return ($U)b < 8 * sizeof($T) ? ($T)(($W)a << b) : ($T)0;
}
//# op_right_shift: unsigned
DEVICE $T op_right_shift($T a, $T b) { return b < 8 * sizeof($T) ? ($T)(a >> b) : ($T)0; }
//# op_right_shift: signed
DEVICE $T op_right_shift($T a, $T b) {
    return ($U)b < 8 * sizeof($T) ? ($T)(a >> b) : a < 0 ? ($T)-1 : ($T)0;
}

//# op_bitwise_count: i8 i16 i32 u8 u16 u32
//+ op_absolute:$T
DEVICE u8 op_bitwise_count($T a) { return (u8)__popc(($U)op_absolute(a)); }
//# op_bitwise_count: i64 u64
//+ op_absolute:$T
DEVICE u8 op_bitwise_count($T a) { return (u8)__popcll((u64)op_absolute(a)); }

// Stein's method: no divisions.
//# greatest_divisor: u32
DEVICE u32 greatest_divisor(u32 a, u32 b) {
    if (a == 0 || b == 0) return a | b;
    i32 shift = __ffs(a | b) - 1;
    a >>= __ffs(a) - 1;
    do {
        b >>= __ffs(b) - 1;
        u32 smaller = a < b ? a : b;
        b = a < b ? b - a : a - b;
        a = smaller;
    } while (b != 0);
    return a << shift;
}
//# greatest_divisor: u64
DEVICE u64 greatest_divisor(u64 a, u64 b) {
    if (a == 0 || b == 0) return a | b;
    i32 shift = __ffsll(a | b) - 1;
    a >>= __ffsll(a) - 1;
    do {
        b >>= __ffsll(b) - 1;
        u64 smaller = a < b ? a : b;
        b = a < b ? b - a : a - b;
        a = smaller;
    } while (b != 0);
    return a << shift;
}
//# op_gcd: integers
//+ greatest_divisor:$W op_absolute:$T
DEVICE $T op_gcd($T a, $T b) {
    return ($T)greatest_divisor(($W)($U)op_absolute(a), ($W)($U)op_absolute(b));
}
//# op_lcm: integers
//+ greatest_divisor:$W op_absolute:$T
DEVICE $T op_lcm($T a, $T b) {
    $W x = ($U)op_absolute(a), y = ($U)op_absolute(b), divisor = greatest_divisor(x, y);
    return divisor == 0 ? ($T)0 : ($T)(x / divisor * y);
}

// The first two of the four words of Philox4x32-10, for a counter whose upper half is 0.
// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
//# op_philox: u64
DEVICE u64 op_philox(u64 counter, u64 key) {
    u32 w0 = (u32)counter, w1 = (u32)(counter >> 32), w2 = 0, w3 = 0;
    u32 k0 = (u32)key, k1 = (u32)(key >> 32);
#pragma unroll
    for (i32 round = 0; round < 10; round++) {
        u64 a = (u64)w0 * 0xd2511f53u, b = (u64)w2 * 0xcd9e8d57u;
        w0 = (u32)(b >> 32) ^ w1 ^ k0;
        w1 = (u32)b;
        w2 = (u32)(a >> 32) ^ w3 ^ k1;
        w3 = (u32)a;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    return (u64)w0 | (u64)w1 << 32;
}
