// Arithmetic. Integers wrap: they are computed as unsigned integers of at least 32 bits.

//# op_add: bool
DEVICE bool op_add(bool a, bool b) { return a | b; }
//# op_add: integers
DEVICE $T op_add($T a, $T b) { return ($T)(($W)a + ($W)b); }
//# op_add: floats
DEVICE $T op_add($T a, $T b) { return a + b; }
//# op_add: complexes
DEVICE $T op_add($T a, $T b) { return $T{a.re + b.re, a.im + b.im}; }

//# op_subtract: integers
DEVICE $T op_subtract($T a, $T b) { return ($T)(($W)a - ($W)b); }
//# op_subtract: floats
DEVICE $T op_subtract($T a, $T b) { return a - b; }
//# op_subtract: complexes
DEVICE $T op_subtract($T a, $T b) { return $T{a.re - b.re, a.im - b.im}; }

//# op_multiply: bool
DEVICE bool op_multiply(bool a, bool b) { return a & b; }
//# op_multiply: integers
DEVICE $T op_multiply($T a, $T b) { return ($T)(($W)a * ($W)b); }
//# op_multiply: floats
DEVICE $T op_multiply($T a, $T b) { return a * b; }
//# op_multiply: complexes
DEVICE $T op_multiply($T a, $T b) {
    return $T{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

//# op_divide: floats
DEVICE $T op_divide($T a, $T b) { return a / b; }
// Smith's method, which does not square the divisor.
//# op_divide: complexes
DEVICE $T op_divide($T a, $T b) {
    $R re = fabs(b.re), im = fabs(b.im);
    if (re >= im) {
        if (re == 0 && im == 0) return $T{a.re / re, a.im / re};
        $R ratio = b.im / b.re, scale = 1 / (b.re + b.im * ratio);
        return $T{(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
    }
    $R ratio = b.re / b.im, scale = 1 / (b.im + b.re * ratio);
    return $T{(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
}

//# op_floor_divide(/) op_fmod(%) op_remainder(%): unsigned
DEVICE $T $F($T a, $T b) { return b == 0 ? ($T)0 : ($T)(a $Q b); }
// The quotient of the smallest number by -1 wraps.
//# op_floor_divide: signed
DEVICE $T op_floor_divide($T a, $T b) {
    if (b == 0) return 0;
    if (b == -1) return ($T)(0 - ($W)a);
    $T quotient = ($T)(a / b);
    return ($T)(quotient - (a % b != 0 && (a < 0) != (b < 0)));
}
//# op_fmod: signed
DEVICE $T op_fmod($T a, $T b) { return b == 0 || b == -1 ? ($T)0 : ($T)(a % b); }
//# op_remainder: signed
//+ op_fmod:$T
DEVICE $T op_remainder($T a, $T b) {
    $T left = op_fmod(a, b);
    return left != 0 && (left < 0) != (b < 0) ? ($T)(left + b) : left;
}

//# op_fmod: floats
DEVICE $T op_fmod($T a, $T b) { return fmod(a, b); }
// The remainder with the sign of the divisor, computed from `left`, the remainder of the truncated
// quotient.
//# divide_down: floats
DEVICE $T divide_down($T a, $T b, $T& left) {
    left = fmod(a, b);
    if (left == 0) return copysign(($T)0, b);
    return (b < 0) != (left < 0) ? left + b : left;
}
//# op_remainder: floats
//+ divide_down:$T nan:$T
DEVICE $T op_remainder($T a, $T b) {
    $T left;
    return b == 0 ? nan_$T() : divide_down(a, b, left);
}
//# op_floor_divide: floats
//+ divide_down:$T
DEVICE $T op_floor_divide($T a, $T b) {
    if (b == 0) return a / b;
    $T left, remainder = divide_down(a, b, left);
    $T quotient = (a - left) / b;
    if (left != 0 && remainder != left) quotient = quotient - 1;
    if (quotient == 0) return copysign(($T)0, a / b);
    $T down = floor(quotient);
    return quotient - down > ($T)0.5 ? down + 1 : down;
}

//# op_negative: integers
DEVICE $T op_negative($T a) { return ($T)(0 - ($W)a); }
//# op_negative: floats
DEVICE $T op_negative($T a) { return -a; }
//# op_negative: complexes
DEVICE $T op_negative($T a) { return $T{-a.re, -a.im}; }
//# op_positive: integers floats complexes
DEVICE $T op_positive($T a) { return a; }

//# op_absolute: bool unsigned
DEVICE $T op_absolute($T a) { return a; }
//# op_absolute: signed
DEVICE $T op_absolute($T a) { return a < 0 ? ($T)(0 - ($W)a) : a; }
//# op_absolute op_fabs: floats
DEVICE $T $F($T a) { return fabs(a); }
//# op_absolute: complexes
//+ op_hypot:$R
DEVICE $R op_absolute($T a) { return op_hypot(a.re, a.im); }

//# op_sign: unsigned
DEVICE $T op_sign($T a) { return ($T)(a != 0); }
//# op_sign: signed
DEVICE $T op_sign($T a) { return ($T)((a > 0) - (a < 0)); }
//# op_sign: floats
DEVICE $T op_sign($T a) { return a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a; }
//# op_sign: complexes
//+ op_hypot:$R nan:$R is_infinite:$R
DEVICE $T op_sign($T z) {
    $R modulus = op_hypot(z.re, z.im);
    if (modulus == 0) return $T{0, 0};
    if (!is_infinite(modulus)) return $T{z.re / modulus, z.im / modulus};
    if (!is_infinite(z.re)) return $T{0, copysign(($R)1, z.im)};
    if (!is_infinite(z.im)) return $T{copysign(($R)1, z.re), 0};
    return $T{nan_$R(), nan_$R()};
}

//# op_reciprocal: unsigned
DEVICE $T op_reciprocal($T a) { return ($T)(a == 1); }
// The result for zero is that of an x86-64 conversion of infinity.
//# op_reciprocal: i8 i16
DEVICE $T op_reciprocal($T a) { return a == 1 || a == -1 ? a : ($T)0; }
//# op_reciprocal: i32 i64
DEVICE $T op_reciprocal($T a) {
    return a == 0 ? ($T)(($W)1 << (8 * sizeof($T) - 1)) : a == 1 || a == -1 ? a : ($T)0;
}
//# op_reciprocal: floats
DEVICE $T op_reciprocal($T a) { return 1 / a; }
//# op_reciprocal: complexes
DEVICE $T op_reciprocal($T z) {
    if (fabs(z.im) <= fabs(z.re)) {
        $R ratio = z.im / z.re, divisor = z.re + z.im * ratio;
        return $T{1 / divisor, -ratio / divisor};
    }
    $R ratio = z.re / z.im, divisor = z.re * ratio + z.im;
    return $T{ratio / divisor, -1 / divisor};
}

//# op_square: integers floats complexes
//+ op_multiply:$T
DEVICE $T op_square($T a) { return op_multiply(a, a); }

//# op_conjugate: integers floats
DEVICE $T op_conjugate($T a) { return a; }
//# op_conjugate: complexes
DEVICE $T op_conjugate($T a) { return $T{a.re, -a.im}; }
//# op_real: bool integers floats
DEVICE $T op_real($T a) { return a; }
//# op_real: complexes
DEVICE $R op_real($T a) { return a.re; }
//# op_imag: bool integers floats
DEVICE $T op_imag($T a) { return 0; }
//# op_imag: complexes
DEVICE $R op_imag($T a) { return a.im; }
//# op_complex: floats
DEVICE $C op_complex($T a, $T b) { return $C{a, b}; }

//# op_deg2rad op_radians: floats
DEVICE $T $F($T a) { return a * (($T)0x1.921fb54442d18p+1 / ($T)180); }
//# op_rad2deg op_degrees: floats
DEVICE $T $F($T a) { return a * (($T)180 / ($T)0x1.921fb54442d18p+1); }
