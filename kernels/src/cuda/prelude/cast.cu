// Casts: cast_TO is overloaded on the source. A cast to an integer truncates. A number out of range
// gives the result of the x86-64 conversion to 32 or 64 bits, cut to the width.

//# truncate_i32: f32
DEVICE i32 truncate_i32(f32 x) {
    return x >= -2147483648.0f && x < 2147483648.0f ? (i32)x : (i32)0x80000000;
}
//# truncate_i32: f64
DEVICE i32 truncate_i32(f64 x) {
    return x > -2147483649.0 && x < 2147483648.0 ? (i32)x : (i32)0x80000000;
}
//# truncate_i64: floats
DEVICE i64 truncate_i64($T x) {
    return x >= ($T)-0x1p63 && x < ($T)0x1p63 ? (i64)x : (i64)0x8000000000000000ull;
}

//# cast_bool: bool integers floats
DEVICE bool cast_bool($T x) { return x != 0; }
//# cast_bool: halves
DEVICE bool cast_bool($T x) { return (x.bits & 0x7fff) != 0; }
//# cast_bool: complexes
DEVICE bool cast_bool($T x) { return x.re != 0 | x.im != 0; }

//# cast_i8 cast_i16 cast_i32 cast_i64 cast_u8 cast_u16 cast_u32 cast_u64: bool integers
DEVICE $O $F($T x) { return ($O)x; }
//# cast_i8 cast_i16 cast_i32 cast_u8 cast_u16: floats
//+ truncate_i32:$T
DEVICE $O $F($T x) { return ($O)truncate_i32(x); }
//# cast_i64 cast_u32: floats
//+ truncate_i64:$T
DEVICE $O $F($T x) { return ($O)truncate_i64(x); }
//# cast_u64: floats
//+ truncate_i64:$T
DEVICE u64 cast_u64($T x) {
    bool high = x >= ($T)0x1p63;
    return (u64)truncate_i64(high ? x - ($T)0x1p63 : x) ^ ((u64)high << 63);
}
//# cast_i8 cast_i16 cast_i32 cast_i64 cast_u8 cast_u16 cast_u32 cast_u64: halves
//+ cast_f32:$T $F:f32
DEVICE $O $F($T x) { return $F(cast_f32(x)); }
//# cast_i8 cast_i16 cast_i32 cast_i64 cast_u8 cast_u16 cast_u32 cast_u64: complexes
//+ $F:$R
DEVICE $O $F($T x) { return $F(x.re); }

//# cast_f32 cast_f64: bool integers floats
DEVICE $O $F($T x) { return ($O)x; }
//# cast_f32: halves
DEVICE f32 cast_f32($T x) { return widen(x); }
//# cast_f64: halves
//+ cast_f32:$T
DEVICE f64 cast_f64($T x) { return cast_f32(x); }
//# cast_f32 cast_f64: complexes
DEVICE $O $F($T x) { return ($O)x.re; }

//# cast_f16 cast_bf16: f32
DEVICE $O $F(f32 x) { return nearest_$O(x); }
//# cast_f16 cast_bf16: bool i8 i16 u8 u16
//+ $F:f32
DEVICE $O $F($T x) { return $F((f32)x); }
//# cast_f16 cast_bf16: i32 i64 u32 u64 f64
//+ $F:f32 to_odd:$T
DEVICE $O $F($T x) { return $F(to_odd(x)); }
//# cast_f16 cast_bf16: halves
//+ $F:f32 cast_f32:$T
DEVICE $O $F($T x) { return $F(cast_f32(x)); }
//# cast_f16 cast_bf16: complexes
//+ $F:$R
DEVICE $O $F($T x) { return $F(x.re); }

//# cast_c64 cast_c128: bool integers floats
DEVICE $O $F($T x) { return $O{($P)x, 0}; }
//# cast_c64 cast_c128: halves
//+ cast_f32:$T
DEVICE $O $F($T x) { return $O{($P)cast_f32(x), 0}; }
//# cast_c64 cast_c128: complexes
DEVICE $O $F($T x) { return $O{($P)x.re, ($P)x.im}; }
