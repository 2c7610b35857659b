// Real functions of f32. The most used functions evaluate polynomials in f32 and carry the
// significant rounding errors; the other functions compute in f64.
//
// CUDA's own functions are used where their documented error is within the row's bound: logf,
// log2f, log1pf, expm1f and cbrtf have 1 ulp, tanhf has 2 ulp.

//# op_log(logf) op_log2(log2f) op_log1p(log1pf) op_expm1(expm1f) op_cbrt(cbrtf) op_tanh(tanhf): f32
DEVICE f32 $F(f32 x) { return $Q(x); }

// 2**k in two factors, so that subnormal results round once.
//# scale: f32
DEVICE f32 scale(f32 x, i32 k) {
    i32 half = k >> 1;
    return x * from_bits((u32)(half + 127) << 23) * from_bits((u32)(k - half + 127) << 23);
}
// Adding 1.5 * 2**23 rounds to an integer, which the low bits then hold.
//# op_exp: f32
//+ scale:f32 infinity:f32
DEVICE f32 op_exp(f32 x) {
    f32 shifted = fma(x, 0x1.715476p+0f, 0x1.8p+23f), k = shifted - 0x1.8p+23f;
    f32 r = fma(k, -0x1.7f7d1cp-20f, fma(k, -0x1.62e4p-1f, x));
    f32 p = fma(0x1.a1256cp-13f, r, 0x1.6d43b0p-10f);
    p = fma(fma(fma(fma(p, r, 0x1.1110e0p-7f), r, 0x1.5554e8p-5f), r, 0x1.555556p-3f), r, 0.5f);
    f32 y = scale(fma(r * r, p, r) + 1, (i32)bits(shifted) - 0x4b400000);
    return x > 89 ? infinity_f32() : x < -104 ? 0 : y;
}
//# op_exp2: f32
//+ scale:f32 infinity:f32
DEVICE f32 op_exp2(f32 x) {
    f32 shifted = x + 0x1.8p+23f, r = x - (shifted - 0x1.8p+23f);
    f32 p = fma(0x1.441412p-13f, r, 0x1.5f0956p-10f);
    p = fma(fma(fma(p, r, 0x1.3b2a52p-7f), r, 0x1.c6af6cp-5f), r, 0x1.ebfbe0p-3f);
    f32 y = scale(fma(fma(p, r, 0x1.62e430p-1f), r, 1), (i32)bits(shifted) - 0x4b400000);
    return x >= 128 ? infinity_f32() : x < -151 ? 0 : y;
}
// x = m * 2**e with m in [2/3, 4/3).
//# op_log10: f32
//+ infinity:f32 nan:f32
DEVICE f32 op_log10(f32 x) {
    bool small = x < 0x1p-126f;
    u32 b = bits(small ? x * 0x1p23f : x);
    i32 e = (i32)(b - 0x3f2aaaabu) >> 23;
    f32 f = from_bits(b - ((u32)e << 23)) - 1, n = (f32)(small ? e - 23 : e);
    f32 p = fma(fma(0x1.dba260p-4f, f, -0x1.04a268p-3f), f, 0x1.bc8cf8p-4f);
    p = fma(fma(fma(p, f, -0x1.f4963ep-4f), f, 0x1.24c926p-3f), f, -0x1.55909ep-3f);
    p = fma(fma(fma(p, f, 0x1.9998d4p-3f), f, -0x1.ffff2cp-3f), f, 0x1.555556p-2f);
    f32 half = 0.5f * f, square = f * half, d = f - square;
    p = fma(p * f, f * f, ((f - d) - square) - fma(f, half, -square));
    f32 high = d * 0x1.bcb7b2p-2f;
    f32 low = fma(p, 0x1.bcb7b2p-2f, fma(d, -0x1.5b235ep-27f, fma(d, 0x1.bcb7b2p-2f, -high)));
    f32 whole = n * 0x1.3440p-2f, sum = whole + high;
    low = fma(n, 0x1.3509f8p-18f, low) + (e == 0 && !small ? 0 : (whole - sum) + high);
    f32 y = sum + low;
    if (x == 0) return -infinity_f32();
    return x < 0 ? nan_f32() : x == infinity_f32() || x != x ? x : y;
}

// x reduced by multiples of pi/2, with the multiple's lowest bits. A large x is multiplied by the
// significant bits of 2/pi (Payne and Hanek).
//# reduce_large: f32
TABLE u32 two_over_pi_f32[6] = {
    0x28be60dbu, 0x9391054au, 0x7f09d5f4u, 0x7d4d3770u, 0x36d8a566u, 0x4f10e410u};
struct large_f32 { f64 angle; i32 quadrant; };
FAR large_f32 reduce_large(f32 x) {
    u32 b = bits(x), m = (b & 0x007fffffu) << 8 | 0x80000000u;
    i32 e = (i32)(b >> 23 & 0xff) - 126, word = e >> 5, shift = e & 31;
    if (e == 129) return large_f32{(f64)(x - x), 0};
    u32 high = word ? two_over_pi_f32[word - 1] : 0, middle = two_over_pi_f32[word];
    u32 low = two_over_pi_f32[word + 1], next = two_over_pi_f32[word + 2];
    if (shift) {
        high = high << shift | middle >> (32 - shift);
        middle = middle << shift | low >> (32 - shift);
        low = low << shift | next >> (32 - shift);
    }
    u64 product = ((u64)m * low >> 32) + (u64)m * middle + ((u64)(m * high) << 32);
    i32 q = (i32)(product >> 62);
    i64 fraction = (i64)(product << 2) >> 2;
    q += fraction < 0;
    f64 angle = (f64)fraction * 0x1.921fb54442d18p-62;
    return (i32)b < 0 ? large_f32{-angle, -q} : large_f32{angle, q};
}
// The first remainder is exact; the second's error is kept in `low`.
//# reduce: f32
//+ reduce_large:f32
struct reduced_f32 { f32 high, low; i32 quadrant; };
DEVICE reduced_f32 reduce(f32 x) {
    f32 shifted = fma(x, 0x1.45f306p-1f, 0x1.8p+23f), k = shifted - 0x1.8p+23f;
    f32 r = fma(k, -0x1.921fb4p+0f, x), product = k * 0x1.4442d2p-24f;
    f32 high = r - product, back = high - r;
    f32 low = (r - (high - back)) - (product + back);
    low = fma(k, 0x1.ee59dap-50f, low - fma(k, 0x1.4442d2p-24f, -product));
    i32 quadrant = (i32)bits(shifted);
    if (!(fabs(x) < 65536)) {
        large_f32 large = reduce_large(x);
        high = (f32)large.angle;
        low = (f32)(large.angle - high);
        quadrant = large.quadrant;
    }
    return reduced_f32{high, low, quadrant};
}
//# sin_reduced: f32
//+ reduce:f32
DEVICE f32 sin_reduced(const reduced_f32& r) {
    f32 z = r.high * r.high;
    f32 p = fma(fma(-0x1.9ac6fcp-13f, z, 0x1.110c24p-7f), z, -0x1.555552p-3f);
    return r.high + fma(r.high * z, p, r.low);
}
//# cos_reduced: f32
//+ reduce:f32
DEVICE f32 cos_reduced(const reduced_f32& r) {
    f32 z = r.high * r.high, w = fma(z, -0.5f, 1), rest = fma(z, -0.5f, 1 - w);
    f32 p = fma(fma(0x1.9bd670p-16f, z, -0x1.6c12cep-10f), z, 0x1.555554p-5f);
    return w + (fma(z * z, p, -r.high * r.low) + rest);
}
// Selects the polynomial and the sign without a branch, because neighbours are in different
// quadrants. A kernel that needs both functions of one x computes each polynomial once.
//# pick_quadrant: f32
DEVICE f32 pick_quadrant(f32 even, f32 odd, i32 quadrant) {
    u32 mask = 0 - (u32)(quadrant & 1), sign = (u32)(quadrant & 2) << 30;
    return from_bits((bits(even) & ~mask | bits(odd) & mask) ^ sign);
}
//# op_sin: f32
//+ sin_reduced:f32 cos_reduced:f32 pick_quadrant:f32
DEVICE f32 op_sin(f32 x) {
    reduced_f32 r = reduce(x);
    f32 y = pick_quadrant(sin_reduced(r), cos_reduced(r), r.quadrant);
    return fabs(x) < 0x1p-13f ? x : y;
}
//# op_cos: f32
//+ sin_reduced:f32 cos_reduced:f32 pick_quadrant:f32
DEVICE f32 op_cos(f32 x) {
    reduced_f32 r = reduce(x);
    return pick_quadrant(sin_reduced(r), cos_reduced(r), r.quadrant + 1);
}
// Computed in f64: a quotient of sine and cosine in f32 would have twice the error of either.
//# op_tan: f32
//+ reduce_large:f32
DEVICE f32 op_tan(f32 x) {
    f64 shifted = fma((f64)x, 0x1.45f306dc9c883p-1, 0x1.8p+52), k = shifted - 0x1.8p+52;
    f64 r = fma(k, -0x1.1a62633145c07p-54, fma(k, -0x1.921fb54442d18p+0, (f64)x));
    i32 quadrant = (i32)bits(shifted);
    if (!(fabs(x) < 65536)) {
        large_f32 large = reduce_large(x);
        r = large.angle;
        quadrant = large.quadrant;
    }
    f64 z = r * r, w = z * z, s = z * r;
    f64 p = fma(z, 0.00946564784943673166728, 0.00297435743359967304927);
    p = fma(w, p, fma(z, 0.0245283181166547278873, 0.0533812378445670393523));
    p = fma(s * w, p, fma(s, fma(z, 0.133392002712976742718, 0.333331395030791399758), r));
    return (f32)(quadrant & 1 ? -1 / p : p);
}

// (asin(x) - x) / x**3 for z = x * x up to 1/4.
//# arcsin_tail: f32
DEVICE f32 arcsin_tail(f32 z) {
    f32 p = fma(fma(0x1.14138cp-5f, z, 0x1.18e1f6p-6f), z, 0x1.fd921ap-6f);
    return fma(fma(fma(p, z, 0x1.6d5b8ep-5f), z, 0x1.333432p-4f), z, 0x1.555554p-3f);
}
// acos(x) for x in [1/2, 1], as a sum.
//# arccos_near_one: f32
//+ arcsin_tail:f32
DEVICE f32 arccos_near_one(f32 x, f32& low) {
    f32 z = fma(x, -0.5f, 0.5f), inverse = z == 0 ? 0 : rsqrtf(z), s = z * inverse;
    f32 rest = fma(-s, s, z) * (0.5f * inverse);
    low = 2 * fma(s * z, arcsin_tail(z), rest);
    return 2 * s;
}
//# op_arcsin: f32
//+ arccos_near_one:f32 nan:f32
DEVICE f32 op_arcsin(f32 x) {
    f32 a = fabs(x), z = x * x, low;
    if (a < 0.5f) return fma(z * x, arcsin_tail(z), x);
    if (!(a <= 1)) return nan_f32();
    f32 high = arccos_near_one(a, low), sum = 0x1.921fb6p+0f - high;
    f32 rest = (0x1.921fb6p+0f - sum) - high;
    return copysign(sum + (rest - (low + 0x1.777a5cp-25f)), x);
}
//# op_arccos: f32
//+ arccos_near_one:f32 nan:f32
DEVICE f32 op_arccos(f32 x) {
    f32 a = fabs(x), z = x * x, low;
    if (a < 0.5f) {
        f32 sum = 0x1.921fb6p+0f - x, rest = (0x1.921fb6p+0f - sum) - x;
        return sum + (rest - fma(z * x, arcsin_tail(z), 0x1.777a5cp-25f));
    }
    if (!(a <= 1)) return nan_f32();
    f32 high = arccos_near_one(a, low);
    if (x > 0) return high + low;
    f32 sum = 0x1.921fb6p+1f - high, rest = (0x1.921fb6p+1f - sum) - high;
    return sum + (rest - (low + 0x1.777a5cp-24f));
}
// The arctangent of q in [0, 1], in f64.
//# arctan_short: f64
DEVICE f64 arctan_short(f64 q) {
    f64 z = q * q;
    f64 p = fma(fma(0x1.36ecfc48d188bp-11, z, -0x1.14abab0185470p-8), z, 0x1.cd243cc325c05p-7);
    p = fma(fma(p, z, -0x1.ea18af61c3e87p-6), z, 0x1.837061ab40426p-5);
    p = fma(fma(p, z, -0x1.ffb2b9595f5b2p-5), z, 0x1.36bfd2210f14ap-4);
    p = fma(fma(p, z, -0x1.73a719b0b93d9p-4), z, 0x1.c70a6be6d4163p-4);
    p = fma(fma(p, z, -0x1.2491d128f2977p-3), z, 0x1.9999971f594e7p-3);
    return fma(fma(p, z, -0x1.555555543c557p-2) * z, q, q);
}
// Beyond 1, the result is computed from the reciprocal, which is that of f32 made more precise.
//# op_arctan: f32
//+ arctan_short:f64
DEVICE f32 op_arctan(f32 x) {
    f32 a = fabs(x), inverse = 1 / a;
    f64 rough = inverse, exact = fma(fma((f64)-a, rough, 1.0), rough, rough);
    f64 angle = arctan_short(a > 1 ? exact : a);
    if (a > 1) angle = 0x1.921fb54442d18p+0 - angle;
    return copysign(inverse == 0 ? 0x1.921fb6p+0f : (f32)angle, x);
}
//# op_arctan2: f32
//+ arctan_short:f64
DEVICE f32 op_arctan2(f32 y, f32 x) {
    f64 a = fabs((f64)x), b = fabs((f64)y);
    f64 small = a < b ? a : b, large = a < b ? b : a;
    f64 angle = arctan_short(large == 0 ? 0 : small == large ? 1 : small / large);
    if (a < b) angle = 0x1.921fb54442d18p+0 - angle;
    if (signbit(x)) angle = 0x1.921fb54442d18p+1 - angle;
    return x != x || y != y ? x + y : copysign((f32)angle, y);
}

//# op_sinh: f32
DEVICE f32 op_sinh(f32 x) {
    if (fabs(x) < 0x1p-12f) return fma(x * x, x * 0x1.555556p-3f, x);
    f64 e = exp(fabs((f64)x));
    return copysign((f32)(0.5 * (e - 1 / e)), x);
}
//# op_cosh: f32
DEVICE f32 op_cosh(f32 x) {
    f64 e = exp(fabs((f64)x));
    return (f32)(0.5 * (e + 1 / e));
}
//# op_arcsinh: f32
DEVICE f32 op_arcsinh(f32 x) {
    if (fabs(x) < 0x1p-11f) return copysign(fma(x * -0x1.555556p-3f, x * x, x), x);
    f64 a = fabs((f64)x);
    return copysign((f32)log(a + sqrt(fma(a, a, 1.0))), x);
}
//# op_arccosh: f32
//+ nan:f32
DEVICE f32 op_arccosh(f32 x) {
    f64 a = x;
    return x < 1 ? nan_f32() : (f32)log(a + sqrt(fma(a, a, -1.0)));
}
//# op_arctanh: f32
DEVICE f32 op_arctanh(f32 x) {
    if (fabs(x) < 0x1p-12f) return fma(x * x, x * 0x1.555556p-2f, x);
    f64 a = fabs((f64)x);
    return copysign((f32)(0.5 * log((1 + a) / (1 - a))), x);
}
//# op_hypot: f32
//+ is_infinite:f32 infinity:f32
DEVICE f32 op_hypot(f32 a, f32 b) {
    f32 y = (f32)sqrt(fma((f64)a, (f64)a, (f64)b * (f64)b));
    return is_infinite(a) || is_infinite(b) ? infinity_f32() : y;
}
// The argument is a finite positive number.
//# positive_power: f32
DEVICE f32 positive_power(f32 a, f32 b) { return (f32)exp((f64)b * log((f64)a)); }

//# op_power: floats
//+ positive_power:$T infinity:$T nan:$T is_infinite:$T
DEVICE $T op_power($T a, $T b) {
    if (a == 1 || b == 0) return 1;
    if (a != a || b != b) return a + b;
    $T m = fabs(a);
    if (is_infinite(b)) return m == 1 ? 1 : (m > 1) == (b > 0) ? infinity_$T() : 0;
    bool whole = trunc(b) == b, odd = whole && trunc(b * ($T)0.5) * 2 != b;
    $T y;
    if (m == 0 || is_infinite(m)) y = (b > 0) == (m == 0) ? 0 : infinity_$T();
    else if (a < 0 && !whole) return nan_$T();
    else y = positive_power(m, b);
    return odd ? copysign(y, a) : y;
}
//# op_float_power: f64
//+ op_power:f64
DEVICE f64 op_float_power(f64 a, f64 b) { return op_power(a, b); }

//# op_logaddexp: floats
//+ op_exp:$T op_log1p:$T
DEVICE $T op_logaddexp($T a, $T b) {
    $T difference = a - b;
    if (a == b) return a + ($T)0x1.62e42fefa39efp-1;
    if (difference != difference) return difference;
    return (difference > 0 ? a : b) + op_log1p(op_exp(-fabs(difference)));
}
//# op_logaddexp2: floats
//+ op_exp2:$T op_log1p:$T
DEVICE $T op_logaddexp2($T a, $T b) {
    $T difference = a - b;
    if (a == b) return a + 1;
    if (difference != difference) return difference;
    $T rest = op_log1p(op_exp2(-fabs(difference)));
    return (difference > 0 ? a : b) + ($T)0x1.71547652b82fep+0 * rest;
}
