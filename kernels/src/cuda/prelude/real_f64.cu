// Real functions of f64. CUDA's own functions are used where their documented error is within the
// row's bound: exp, exp2, expm1, log, log2, log10, log1p, cbrt, cosh and tanh have 1 ulp, sinh and
// atanh have 2 ulp.
//
// The polynomials of sine, cosine, tangent, arcsine and arctangent are from FreeBSD's msun:
// Copyright (C) 1993, 2004 by Sun Microsystems, Inc. All rights reserved. Permission to use, copy,
// modify, and distribute this software is freely granted, provided that this notice is preserved.

//# op_exp(exp) op_exp2(exp2) op_expm1(expm1) op_log(log) op_log2(log2) op_log10(log10)
//# op_log1p(log1p) op_cbrt(cbrt) op_sinh(sinh) op_cosh(cosh) op_tanh(tanh) op_arctanh(atanh): f64
DEVICE f64 $F(f64 x) { return $Q(x); }

// x reduced by multiples of pi/2 to twice the precision, with the multiple's lowest bits. A large x
// is multiplied by the significant bits of 2/pi (Payne and Hanek).
//# reduced: f64
struct reduced_f64 { f64 high, low; i32 quadrant; };
//# reduce_large: f64
//+ reduced:f64
TABLE u64 two_over_pi_f64[20] = {
    0x0000000000000000ull, 0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull,
    0xfe5163abdebbc561ull, 0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull,
    0xe88235f52ebb4484ull, 0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull,
    0x1ff897ffde05980full, 0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull,
    0x7527bac7ebe5f17bull, 0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull};
FAR reduced_f64 reduce_large(f64 x) {
    u64 b = bits(x), m = (b & 0x000fffffffffffffull) | 0x0010000000000000ull;
    i32 e = (i32)(b >> 52 & 0x7ff);
    if (e == 0x7ff) return reduced_f64{x - x, x - x, 0};
    i32 first = e - 1075 + 62, word = first >> 6, shift = first & 63;
    u64 w2 = two_over_pi_f64[word], w1 = two_over_pi_f64[word + 1], w0 = two_over_pi_f64[word + 2];
    if (shift) {
        u64 next = two_over_pi_f64[word + 3];
        w2 = w2 << shift | w1 >> (64 - shift);
        w1 = w1 << shift | w0 >> (64 - shift);
        w0 = w0 << shift | next >> (64 - shift);
    }
    u64 carry = __umul64hi(m, w0), low = m * w1 + carry;
    u64 high = m * w2 + __umul64hi(m, w1) + (low < carry);
    i32 q = (i32)(high >> 62);
    high = high << 2 | low >> 62;
    low <<= 2;
    bool below = (i64)high < 0;
    if (below) {
        q++;
        low = 0 - low;
        high = ~high + (low == 0);
    }
    i32 zeros = __clzll((i64)high);
    if (zeros) {
        high = high << zeros | low >> (64 - zeros);
        low <<= zeros;
    }
    f64 unit = __longlong_as_double((i64)(1023 - 53 - zeros) << 52);
    f64 a = (f64)(high >> 11) * unit;
    f64 c = (f64)(high << 53 >> 11 | low >> 22) * (unit * 0x1p-53);
    f64 product = a * 0x1.921fb54442d18p+0;
    f64 rest = fma(a, 0x1.921fb54442d18p+0, -product);
    rest = fma(a, 0x1.1a62633145c07p-54, fma(c, 0x1.921fb54442d18p+0, rest));
    f64 sum = product + rest, left = rest - (sum - product);
    bool negative = (i64)b < 0;
    if (negative) q = -q;
    return negative != below ? reduced_f64{-sum, -left, q} : reduced_f64{sum, left, q};
}
// The first remainder is exact.
//# reduce: f64
//+ reduce_large:f64
DEVICE reduced_f64 reduce(f64 x) {
    if (!(fabs(x) < 0x1p20)) return reduce_large(x);
    f64 shifted = fma(x, 0x1.45f306dc9c883p-1, 0x1.8p+52), k = shifted - 0x1.8p+52;
    f64 r = fma(k, -0x1.921fb54442d18p+0, x), product = k * 0x1.1a62633145c07p-54;
    f64 high = r - product, back = high - r;
    f64 low = (r - (high - back)) - (product + back);
    low = fma(k, 0x1.f1976b7ed8fbcp-110, low - fma(k, 0x1.1a62633145c07p-54, -product));
    return reduced_f64{high, low, (i32)bits(shifted)};
}
//# sin_reduced: f64
//+ reduce:f64
DEVICE f64 sin_reduced(const reduced_f64& r) {
    f64 x = r.high, z = x * x, v = z * x;
    f64 p = fma(fma(1.58969099521155010221e-10, z, -2.50507602534068634195e-08), z,
                2.75573137070700676789e-06);
    p = fma(fma(p, z, -1.98412698298579493134e-04), z, 8.33333333332248946124e-03);
    return x - (fma(z, fma(-v, p, 0.5 * r.low), -r.low) - v * -1.66666666666666324348e-01);
}
//# cos_reduced: f64
//+ reduce:f64
DEVICE f64 cos_reduced(const reduced_f64& r) {
    f64 z = r.high * r.high, half = 0.5 * z, w = 1 - half;
    f64 p = fma(fma(-1.13596475577881948265e-11, z, 2.08757232129817482790e-09), z,
                -2.75573143513906633035e-07);
    p = fma(fma(p, z, 2.48015872894767294178e-05), z, -1.38888888888741095749e-03);
    p = fma(p, z, 4.16666666666666019037e-02) * z;
    return w + (((1 - w) - half) + fma(z, p, -r.high * r.low));
}
// Selects the polynomial and the sign without a branch, because neighbours are in different
// quadrants. A kernel that needs both functions of one x computes each polynomial once.
//# pick_quadrant: f64
DEVICE f64 pick_quadrant(f64 even, f64 odd, i32 quadrant) {
    u64 mask = 0 - (u64)(quadrant & 1), sign = (u64)(quadrant & 2) << 62;
    return from_bits((bits(even) & ~mask | bits(odd) & mask) ^ sign);
}
//# op_sin: f64
//+ sin_reduced:f64 cos_reduced:f64 pick_quadrant:f64
DEVICE f64 op_sin(f64 x) {
    reduced_f64 r = reduce(x);
    f64 y = pick_quadrant(sin_reduced(r), cos_reduced(r), r.quadrant);
    return fabs(x) < 0x1p-27 ? x : y;
}
//# op_cos: f64
//+ sin_reduced:f64 cos_reduced:f64 pick_quadrant:f64
DEVICE f64 op_cos(f64 x) {
    reduced_f64 r = reduce(x);
    return pick_quadrant(sin_reduced(r), cos_reduced(r), r.quadrant + 1);
}
//# op_tan: f64
//+ reduce:f64
DEVICE f64 op_tan(f64 argument) {
    if (fabs(argument) < 0x1p-27) return argument;
    reduced_f64 reduced = reduce(argument);
    f64 x = reduced.high, y = reduced.low;
    bool odd = reduced.quadrant & 1, big = fabs(x) >= 0.67434, negative = x < 0;
    if (big) {
        if (negative) { x = -x; y = -y; }
        x = (7.85398163397448278999e-01 - x) + (3.06161699786838301793e-17 - y);
        y = 0;
    }
    f64 z = x * x, w = z * z;
    f64 r = fma(w, -1.85586374855275456654e-05, 7.81794442939557092300e-05);
    r = fma(w, fma(w, r, 5.88041240820264096874e-04), 3.59207910759131235356e-03);
    r = fma(w, fma(w, r, 2.18694882948595424599e-02), 1.33333333333201242699e-01);
    f64 v = fma(w, 2.59073051863633712884e-05, 7.14072491382608190305e-05);
    v = fma(w, fma(w, v, 2.46463134818469906812e-04), 1.45620945432529025516e-03);
    v = fma(w, fma(w, v, 8.86323982359930005737e-03), 5.39682539762260521377e-02);
    f64 s = z * x;
    r = fma(z, fma(s, fma(z, v, r), y), y) + s * 3.33333333333334091986e-01;
    w = x + r;
    if (big) {
        f64 one = odd ? -1 : 1, value = one - 2 * (x + (r - w * w / (w + one)));
        return negative ? -value : value;
    }
    if (!odd) return w;
    f64 rest = r - (w - x), inverse = -1 / w;
    return fma(inverse, fma(inverse, w, 1.0) + inverse * rest, inverse);
}

//# arcsin_tail: f64
DEVICE f64 arcsin_tail(f64 z) {
    f64 p = fma(z, 3.47933107596021167570e-05, 7.91534994289814532176e-04);
    p = fma(z, fma(z, p, -4.00555345006794114027e-02), 2.01212532134862925881e-01);
    p = fma(z, fma(z, p, -3.25565818622400915405e-01), 1.66666666666666657415e-01) * z;
    f64 q = fma(z, 7.70381505559019352791e-02, -6.88283971605453293030e-01);
    q = fma(z, fma(z, q, 2.02094576023350569471e+00), -2.40339491173441421878e+00);
    return p / fma(z, q, 1.0);
}
// acos(x) for x in [1/2, 1], as a sum.
//# arccos_near_one: f64
//+ arcsin_tail:f64
DEVICE f64 arccos_near_one(f64 x, f64& low) {
    f64 z = fma(x, -0.5, 0.5), s = sqrt(z);
    f64 rest = s == 0 ? 0 : fma(-s, s, z) / (2 * s);
    low = 2 * fma(s, arcsin_tail(z), rest);
    return 2 * s;
}
//# op_arcsin: f64
//+ arccos_near_one:f64 nan:f64
DEVICE f64 op_arcsin(f64 x) {
    f64 a = fabs(x), low;
    if (a < 0.5) return fma(x, arcsin_tail(x * x), x);
    if (!(a <= 1)) return nan_f64();
    f64 high = arccos_near_one(a, low), sum = 0x1.921fb54442d18p+0 - high;
    f64 rest = (0x1.921fb54442d18p+0 - sum) - high;
    return copysign(sum + (rest - (low - 0x1.1a62633145c07p-54)), x);
}
//# op_arccos: f64
//+ arccos_near_one:f64 nan:f64
DEVICE f64 op_arccos(f64 x) {
    f64 a = fabs(x), low;
    if (a < 0.5) {
        f64 sum = 0x1.921fb54442d18p+0 - x, rest = (0x1.921fb54442d18p+0 - sum) - x;
        return sum + (rest - fma(x, arcsin_tail(x * x), -0x1.1a62633145c07p-54));
    }
    if (!(a <= 1)) return nan_f64();
    f64 high = arccos_near_one(a, low);
    if (x > 0) return high + low;
    f64 sum = 0x1.921fb54442d18p+1 - high, rest = (0x1.921fb54442d18p+1 - sum) - high;
    return sum + (rest - (low - 0x1.1a62633145c07p-53));
}
// The arctangent of high + low >= 0 with high finite; if the point is behind, pi minus this.
//# arctan_sum: f64
DEVICE f64 arctan_sum(f64 high, f64 low, bool behind) {
    f64 x = high, base = 0, rest = 0;
    if (high >= 0.4375) {
        f64 over, under;
        if (high < 1.1875) {
            bool first = high < 0.6875;
            over = first ? 2 * high - 1 : high - 1;
            under = first ? 2 + high : high + 1;
            base = first ? 4.63647609000806093515e-01 : 7.85398163397448278999e-01;
            rest = first ? 2.26987774529616870924e-17 : 3.06161699786838301793e-17;
        } else {
            bool third = high < 2.4375;
            over = third ? high - 1.5 : -1;
            under = third ? fma(1.5, high, 1.0) : high;
            base = third ? 9.82793723247329054082e-01 : 1.57079632679489655800e+00;
            rest = third ? 1.39033110312309984516e-17 : 6.12323399573676603587e-17;
        }
        x = over / under;
    }
    if (high < 0x1p60) rest += low / fma(high, high, 1.0);
    f64 z = x * x, w = z * z;
    f64 s = fma(w, 1.62858201153657823623e-02, 4.97687799461593236017e-02);
    s = fma(w, fma(w, s, 6.66107313738753120669e-02), 9.09088713343650656196e-02);
    s = fma(w, fma(w, s, 1.42857142725034663711e-01), 3.33333333333329318027e-01) * z;
    f64 t = fma(w, -3.65315727442169155270e-02, -5.83357013379057348645e-02);
    t = fma(w, fma(w, t, -7.69187620504482999495e-02), -1.11111104054623557880e-01);
    t = fma(w, t, -1.99999999998764832476e-01) * w;
    rest = (x * (s + t) - rest) - x;
    if (!behind) return base - rest;
    f64 sum = 0x1.921fb54442d18p+1 - base, lost = (0x1.921fb54442d18p+1 - sum) - base;
    return sum + (rest + (lost + 0x1.1a62633145c07p-53));
}
//# op_arctan: f64
//+ arctan_sum:f64 is_infinite:f64
DEVICE f64 op_arctan(f64 x) {
    if (fabs(x) < 0x1p-27) return x;
    f64 y = is_infinite(x) ? 0x1.921fb54442d18p+0 : arctan_sum(fabs(x), 0, false);
    return copysign(y, x);
}
//# op_arctan2: f64
//+ arctan_sum:f64 is_infinite:f64 is_negative:f64
DEVICE f64 op_arctan2(f64 y, f64 x) {
    if (x != x || y != y) return x + y;
    f64 a = fabs(x), b = fabs(y), angle;
    bool behind = is_negative(x);
    if (b == 0) angle = behind ? 0x1.921fb54442d18p+1 : 0;
    else if (a == b) angle = behind ? 0x1.2d97c7f3321d2p+1 : 0x1.921fb54442d18p-1;
    else if (a == 0 || is_infinite(b)) angle = 0x1.921fb54442d18p+0;
    else if (is_infinite(a)) angle = behind ? 0x1.921fb54442d18p+1 : 0;
    else {
        if (a > 0x1p900 || b > 0x1p900) { a *= 0x1p-200; b *= 0x1p-200; }
        else if (a < 0x1p-900 || b < 0x1p-900) { a *= 0x1p100; b *= 0x1p100; }
        f64 q = b / a;
        if (q > 0x1p60) angle = 0x1.921fb54442d18p+0;
        else if (q < 0x1p-60) angle = behind ? 0x1.921fb54442d18p+1 : fabs(y) / fabs(x);
        else angle = arctan_sum(q, fma(-q, a, b) / a, behind);
    }
    return copysign(angle, y);
}

//# op_arcsinh: f64
DEVICE f64 op_arcsinh(f64 x) {
    f64 a = fabs(x), y;
    if (a >= 0x1p28) y = log(a) + 0x1.62e42fefa39efp-1;
    else if (a >= 2) y = log(fma(2.0, a, 1 / (sqrt(fma(a, a, 1.0)) + a)));
    else y = log1p(a + a * a / (1 + sqrt(fma(a, a, 1.0))));
    return a < 0x1p-28 || x != x ? x : copysign(y, x);
}
//# op_arccosh: f64
//+ nan:f64
DEVICE f64 op_arccosh(f64 x) {
    if (!(x >= 1)) return nan_f64();
    if (x >= 0x1p28) return log(x) + 0x1.62e42fefa39efp-1;
    f64 t = x - 1;
    if (x >= 2) return log(2 * x - 1 / (x + sqrt(fma(x, x, -1.0))));
    return log1p(t + sqrt(fma(t, t, 2 * t)));
}
// The squares are summed with twice the precision, after scaling by a power of 2.
//# op_hypot: f64
//+ is_infinite:f64 infinity:f64
DEVICE f64 op_hypot(f64 a, f64 b) {
    if (is_infinite(a) || is_infinite(b)) return infinity_f64();
    f64 x = fabs(a), y = fabs(b), factor = 1, unfactor = 1;
    if (x < y) { f64 other = x; x = y; y = other; }
    if (x > 0x1p500) { factor = 0x1p-600; unfactor = 0x1p600; }
    if (y < 0x1p-450 && x < 0x1p-390) { factor = 0x1p600; unfactor = 0x1p-600; }
    x *= factor;
    y *= factor;
    f64 x2 = x * x, y2 = y * y, sum = x2 + y2;
    f64 rest = (y2 - (sum - x2)) + (fma(x, x, -x2) + fma(y, y, -y2));
    f64 root = sqrt(sum);
    if (sum == 0) return root;
    return (root + (fma(-root, root, sum) + rest) / (2 * root)) * unfactor;
}

// exp(b * log(a)) of a finite positive number; the logarithm is a sum of two numbers, of relative
// error below 2**-64.
//# positive_power: f64
//+ infinity:f64
DEVICE f64 positive_power(f64 a, f64 b) {
    bool small = a < 0x1p-1022;
    u64 word = bits(small ? a * 0x1p54 : a);
    i32 e = (i32)((i64)(word - 0x3fe6a09e667f3bcdull) >> 52);
    f64 m = from_bits(word - ((u64)(i64)e << 52)), n = (f64)(small ? e - 54 : e);
    // log(m) = 2 atanh((m - 1) / (m + 1))
    f64 over = m - 1, under = m + 1, back = under - m;
    f64 under_low = (m - (under - back)) + (1 - back), inverse = 1 / under;
    f64 q = over * inverse;
    f64 q_low = fma(-q, under_low, fma(-q, under, over)) * inverse;
    f64 z = q * q, z_low = fma(2 * q, q_low, fma(q, q, -z));
    f64 p = fma(fma(0x1.b8f089728de3fp-5, z, 0x1.ac476873b3260p-5), z, 0x1.e1f81e418e626p-5);
    p = fma(fma(p, z, 0x1.1110df430665dp-4), z, 0x1.3b13b1bdcfb31p-4);
    p = fma(fma(p, z, 0x1.745d174510f8dp-4), z, 0x1.c71c71c71cffap-4);
    p = fma(fma(p, z, 0x1.2492492492491p-3), z, 0x1.999999999999ap-3) * z;
    f64 s = 0x1.5555555555555p-2 + p;
    f64 s_low = ((0x1.5555555555555p-2 - s) + p) + 0x1.5555555555555p-56;
    f64 t = z * s, t_low = fma(z, s, -t) + fma(z, s_low, z_low * s);
    f64 u = q * t, u_low = fma(q, t, -u) + fma(q, t_low, q_low * t);
    f64 half = q + u, half_low = ((q - half) + u) + (u_low + q_low);
    f64 whole = n * 0x1.62e42fefa3p-1, twice = 2 * half;
    f64 high = whole + twice, part = high - whole;
    f64 low = (whole - (high - part)) + (twice - part);
    low += fma(n, 0x1.3de6af278ece6p-42, 2 * half_low);
    f64 y = b * high, y_low = fma(b, low, fma(b, high, -y));
    // Out of range; the product may have overflowed.
    if (!(fabs(y) < 800)) return y > 0 ? infinity_f64() : 0;
    f64 shifted = fma(y, 0x1.71547652b82fep+0, 0x1.8p+52), k = shifted - 0x1.8p+52;
    f64 r = fma(k, -0x1.62e42fefa3p-1, y), r_low = fma(k, -0x1.3de6af278ece6p-42, y_low);
    f64 x = r + r_low;
    r_low = (r - x) + r_low;
    f64 g = fma(fma(0x1.af390ba7e6f47p-26, x, 0x1.2891d4ffbb0f9p-22), x, 0x1.71de0d85293b8p-19);
    g = fma(fma(g, x, 0x1.a019b8ca26fcfp-16), x, 0x1.a01a01a7cebcdp-13);
    g = fma(fma(g, x, 0x1.6c16c1789d1d7p-10), x, 0x1.11111111109a6p-7);
    g = fma(fma(fma(g, x, 0x1.5555555553d37p-5), x, 0x1.5555555555556p-3), x, 0.5);
    f64 value = 1 + (x + fma(x * x, g, r_low));
    i32 first = (i32)bits(shifted) >> 1, second = (i32)bits(shifted) - first;
    value *= from_bits((u64)(i64)(first + 1023) << 52);
    return value * from_bits((u64)(i64)(second + 1023) << 52);
}
