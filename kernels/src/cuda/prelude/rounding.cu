// Rounding and the parts of floating-point numbers.

//# op_floor op_ceil op_trunc: bool integers
DEVICE $T $F($T a) { return a; }
//# op_floor: floats
DEVICE $T op_floor($T a) { return floor(a); }
//# op_ceil: floats
DEVICE $T op_ceil($T a) { return ceil(a); }
//# op_trunc op_modf_integral: floats
DEVICE $T $F($T a) { return trunc(a); }
//# op_rint: floats
DEVICE $T op_rint($T a) { return rint(a); }
//# op_rint: complexes
DEVICE $T op_rint($T a) { return $T{rint(a.re), rint(a.im)}; }
//# op_modf_fractional: floats
//+ is_infinite:$T
DEVICE $T op_modf_fractional($T a) {
    return copysign(is_infinite(a) ? ($T)0 : a - trunc(a), a);
}

//# op_frexp_mantissa: f32
//+ is_finite:f32
DEVICE f32 op_frexp_mantissa(f32 a) {
    if (a == 0 || !is_finite(a)) return a;
    u32 b = bits(fabs(a) < 0x1p-126f ? a * 0x1p24f : a);
    return from_bits((b & 0x807fffffu) | 0x3f000000u);
}
//# op_frexp_exponent: f32
//+ is_finite:f32
DEVICE i32 op_frexp_exponent(f32 a) {
    if (a == 0 || !is_finite(a)) return 0;
    bool small = fabs(a) < 0x1p-126f;
    return (i32)(bits(small ? a * 0x1p24f : a) >> 23 & 0xff) - (small ? 150 : 126);
}
//# op_frexp_mantissa: f64
//+ is_finite:f64
DEVICE f64 op_frexp_mantissa(f64 a) {
    if (a == 0 || !is_finite(a)) return a;
    u64 b = bits(fabs(a) < 0x1p-1022 ? a * 0x1p53 : a);
    return from_bits((b & 0x800fffffffffffffull) | 0x3fe0000000000000ull);
}
//# op_frexp_exponent: f64
//+ is_finite:f64
DEVICE i32 op_frexp_exponent(f64 a) {
    if (a == 0 || !is_finite(a)) return 0;
    bool small = fabs(a) < 0x1p-1022;
    return (i32)(bits(small ? a * 0x1p53 : a) >> 52 & 0x7ff) - (small ? 1075 : 1022);
}

// Beyond these bounds every finite number becomes infinity or zero.
//# clamp_exponent: i32 i64
DEVICE i32 clamp_exponent($T b) { return b > 3000 ? 3000 : b < -3000 ? -3000 : (i32)b; }
// The wider product is exact, so that rounding happens once.
//# op_ldexp: f32,i32 f32,i64
//+ clamp_exponent:$S
DEVICE f32 op_ldexp(f32 a, $S b) {
    i32 e = clamp_exponent(b);
    e = e > 400 ? 400 : e < -400 ? -400 : e;
    return (f32)((f64)a * from_bits((u64)(e + 1023) << 52));
}
// Each multiplication that scales down, except for the last one, leaves the result in the normal
// range.
//# op_ldexp: f64,i32 f64,i64
//+ clamp_exponent:$S
DEVICE f64 op_ldexp(f64 a, $S b) {
    i32 e = clamp_exponent(b);
    for (i32 step = 0; step < 2; step++) {
        if (e > 1023) { a *= 0x1p1023; e -= 1023; }
        if (e < -1022) { a *= 0x1p-969; e += 969; }
    }
    e = e > 1023 ? 1023 : e < -1022 ? -1022 : e;
    return a * from_bits((u64)(e + 1023) << 52);
}

//# op_copysign: floats
DEVICE $T op_copysign($T a, $T b) { return copysign(a, b); }
//# op_nextafter: floats
//+ nan:$T
DEVICE $T op_nextafter($T a, $T b) {
    if (a != a || b != b) return nan_$T();
    if (a == b) return b;
    if (a == 0) return copysign(from_bits(($B)1), b);
    return from_bits((a < b) == (a > 0) ? bits(a) + 1 : bits(a) - 1);
}
//# op_spacing: floats
//+ nan:$T is_finite:$T
DEVICE $T op_spacing($T a) {
    if (!is_finite(a)) return nan_$T();
    return a == 0 ? from_bits(($B)1) : from_bits(bits(a) + 1) - a;
}
//# op_heaviside: floats
DEVICE $T op_heaviside($T a, $T b) { return a != a ? a : a == 0 ? b : a < 0 ? 0 : 1; }

// For half types, the neighbour and the distance are those in the half type; `$I` is the bits of
// infinity.
//# op_nextafter: halves
DEVICE $T op_nextafter($T a, $T b) {
    i32 x = a.bits & 0x7fff, y = b.bits & 0x7fff;
    if (x > $I || y > $I) return $T{$I | 0x7f};
    i32 from = a.bits & 0x8000 ? -x : x, to = b.bits & 0x8000 ? -y : y;
    if (from == to) return a;
    if (x == 0) return $T{(u16)((b.bits & 0x8000) | 1)};
    return $T{(u16)((from < to) == (from > 0) ? a.bits + 1 : a.bits - 1)};
}
// The distance to the next larger number. NumPy uses this definition for this dtype alone.
//# op_spacing: f16
//+ cast_f32:f16 cast_f16:f32
DEVICE f16 op_spacing(f16 a) {
    i32 magnitude = a.bits & 0x7fff;
    if (magnitude >= 0x7c00) return f16{0x7e00};
    i32 lower = a.bits & 0x8000 && magnitude != 0 ? magnitude - 1 : magnitude;
    return cast_f16(cast_f32(f16{(u16)(lower + 1)}) - cast_f32(f16{(u16)lower}));
}
//# op_spacing: bf16
//+ cast_f32:bf16 cast_bf16:f32
DEVICE bf16 op_spacing(bf16 a) {
    i32 magnitude = a.bits & 0x7fff;
    if (magnitude >= 0x7f80) return bf16{0x7fc0};
    if (magnitude == 0) return bf16{1};
    return cast_bf16(cast_f32(bf16{(u16)(a.bits + 1)}) - cast_f32(a));
}
