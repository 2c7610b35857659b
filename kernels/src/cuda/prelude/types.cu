// Definitions that many functions use. The format of these files is described in sections.rs.

//# infinity: f32
DEVICE f32 infinity_f32() { return from_bits(0x7f800000u); }
//# nan: f32
DEVICE f32 nan_f32() { return from_bits(0x7fc00000u); }
//# infinity: f64
DEVICE f64 infinity_f64() { return from_bits(0x7ff0000000000000ull); }
//# nan: f64
DEVICE f64 nan_f64() { return from_bits(0x7ff8000000000000ull); }
//# is_infinite: floats
//+ infinity:$T
DEVICE bool is_infinite($T x) { return fabs(x) == infinity_$T(); }
//# is_finite: floats
//+ infinity:$T
DEVICE bool is_finite($T x) { return fabs(x) < infinity_$T(); }
//# is_negative: floats
DEVICE bool is_negative($T x) { return (bits(x) >> (8 * sizeof($T) - 1)) != 0; }

// Half types: an inexact number rounds once, because the intermediate f32 has an odd last bit.
//# to_odd: f64
DEVICE f32 to_odd(f64 x) {
    f32 near = __double2float_rz(x);
    return (f64)near == x || x != x ? near : from_bits(bits(near) | 1);
}
//# to_odd: i32
DEVICE f32 to_odd(i32 x) {
    f32 near = __int2float_rz(x);
    return (i32)near == x ? near : from_bits(bits(near) | 1);
}
//# to_odd: u32
DEVICE f32 to_odd(u32 x) {
    f32 near = __uint2float_rz(x);
    return (u32)near == x ? near : from_bits(bits(near) | 1);
}
//# to_odd: i64
DEVICE f32 to_odd(i64 x) {
    f32 near = __ll2float_rz(x);
    return (i64)near == x ? near : from_bits(bits(near) | 1);
}
//# to_odd: u64
DEVICE f32 to_odd(u64 x) {
    f32 near = __ull2float_rz(x);
    return (u64)near == x ? near : from_bits(bits(near) | 1);
}
