// Functions of complex numbers, computed in f64; c64 results are rounded from f64. The results for
// infinities, NaN and signed zeros are those of annex G of C.

// The result has half the angle and the root of the modulus. The argument is scaled by a power
// of 4, so the root is scaled by a power of 2.
//# op_sqrt: floats
DEVICE $T op_sqrt($T a) { return sqrt(a); }
//# op_sqrt: c128
//+ op_hypot:f64 infinity:f64 nan:f64 is_infinite:f64
DEVICE c128 op_sqrt(c128 z) {
    f64 re = z.re, im = z.im;
    if (re == 0 && im == 0) return c128{0, im};
    if (is_infinite(im)) return c128{infinity_f64(), im};
    if (re != re) return c128{nan_f64(), nan_f64()};
    if (is_infinite(re)) {
        f64 rest = im != im ? im : 0;
        return re > 0 ? c128{re, copysign(rest, im)} : c128{fabs(rest), copysign(re, im)};
    }
    f64 largest = fabs(re) < fabs(im) ? fabs(im) : fabs(re), factor = 1, unfactor = 1;
    if (largest > 1e307) { factor = 0.0625; unfactor = 4; }
    if (largest < 1e-290) { factor = 0x1p108; unfactor = 0x1p-54; }
    re *= factor;
    im *= factor;
    f64 root = sqrt((fabs(re) + op_hypot(re, im)) * 0.5), other = fabs(im) / (2 * root);
    if (re >= 0) return c128{root * unfactor, copysign(other * unfactor, im)};
    return c128{other * unfactor, copysign(root * unfactor, im)};
}

//# cos_sin: f64
//+ sin_reduced:f64 cos_reduced:f64
DEVICE void cos_sin(f64 x, f64& cos, f64& sin) {
    reduced_f64 r = reduce(x);
    f64 c = cos_reduced(r), s = fabs(x) < 0x1p-27 ? x : sin_reduced(r);
    bool odd = r.quadrant & 1;
    cos = odd ? s : c;
    sin = odd ? c : s;
    if (r.quadrant + 1 & 2) cos = -cos;
    if (r.quadrant & 2) sin = -sin;
}
// exp(x) * factor * unit where exp(x) alone would overflow.
//# large_exp_times: f64
DEVICE f64 large_exp_times(f64 x, f64 factor, f64 unit) {
    f64 quarter = exp(x * 0.25);
    return factor * quarter * quarter * quarter * (quarter * unit);
}
//# op_exp: c128
//+ cos_sin:f64 large_exp_times:f64 infinity:f64 nan:f64 is_finite:f64
DEVICE c128 op_exp(c128 z) {
    f64 re = z.re, im = z.im, cos, sin;
    if (im == 0) return c128{exp(re), im};
    if (!is_finite(im)) {
        if (re == infinity_f64()) return c128{re, nan_f64()};
        if (re == -infinity_f64()) return c128{0, copysign(0.0, im)};
        return c128{nan_f64(), nan_f64()};
    }
    cos_sin(im, cos, sin);
    if (re > 709 && is_finite(re)) {
        return c128{large_exp_times(re, cos, 1), large_exp_times(re, sin, 1)};
    }
    f64 modulus = exp(re);
    return c128{modulus * cos, modulus * sin};
}
// The angle im * ln 2 has twice the precision. The power is a product of two halves, and neither
// half overflows before the product does.
//# op_exp2: c128
//+ op_exp:c128
DEVICE c128 op_exp2(c128 z) {
    const f64 ln2 = 0x1.62e42fefa39efp-1;
    if (!is_finite(z.re) || !is_finite(z.im)) return op_exp(c128{z.re * ln2, z.im * ln2});
    if (z.im == 0) return c128{exp2(z.re), z.im};
    f64 half = exp2(z.re * 0.5), angle = z.im * ln2, cos, sin;
    f64 rest = fma(z.im, ln2, -angle) + z.im * 0x1.abc9e3b39803fp-56, rest_cos, rest_sin;
    cos_sin(angle, cos, sin);
    cos_sin(rest, rest_cos, rest_sin);
    f64 turned_cos = cos * rest_cos - sin * rest_sin, turned_sin = sin * rest_cos + cos * rest_sin;
    return c128{half * turned_cos * half, half * turned_sin * half};
}
// Results for special values are those of the Array API standard.
//# op_expm1: c128
//+ cos_sin:f64 op_sin:f64 infinity:f64 nan:f64 is_finite:f64
DEVICE c128 op_expm1(c128 z) {
    if (z.im == 0) return c128{expm1(z.re) + 0.0, z.im};
    if (z.re == -infinity_f64()) {
        return c128{-1, copysign(0.0, is_finite(z.im) ? op_sin(z.im) : z.im)};
    }
    if (!is_finite(z.im)) return c128{z.re == infinity_f64() ? z.re : nan_f64(), nan_f64()};
    f64 half = op_sin(z.im * 0.5), cos, sin;
    cos_sin(z.im, cos, sin);
    return c128{expm1(z.re) * cos - 2 * half * half, exp(z.re) * sin};
}

// a * a + b * b + c, as if computed with twice the precision.
//# squares_plus: f64
DEVICE f64 squares_plus(f64 a, f64 b, f64 c) {
    f64 a2 = a * a, b2 = b * b, rest = fma(a, a, -a2) + fma(b, b, -b2);
    f64 large = a2 > b2 ? a2 : b2, small = a2 > b2 ? b2 : a2;
    f64 first = large + c, part = first - large;
    f64 low = (large - (first - part)) + (c - part);
    f64 sum = first + small;
    part = sum - first;
    f64 lower = (first - (sum - part)) + (small - part);
    return sum + (low + lower + rest);
}
//# log_modulus: f64
//+ op_hypot:f64 squares_plus:f64 is_finite:f64
DEVICE f64 log_modulus(f64 re, f64 im) {
    f64 x = fabs(re), y = fabs(im), largest = x > y ? x : y, factor = 1, rest = 0;
    if (largest > 1e307 && is_finite(largest)) { factor = 0.25; rest = 0x1.62e42fefa39efp+0; }
    if (largest < 1e-290 && largest > 0) { factor = 0x1p108; rest = -108 * 0x1.62e42fefa39efp-1; }
    f64 modulus = op_hypot(x * factor, y * factor);
    if (factor == 1 && modulus >= 0.5 && modulus < 2) return log1p(squares_plus(x, y, -1)) * 0.5;
    return log(modulus) + rest;
}
//# op_log: c128
//+ log_modulus:f64 op_arctan2:f64
DEVICE c128 op_log(c128 z) { return c128{log_modulus(z.re, z.im), op_arctan2(z.im, z.re)}; }
//# op_log2: c128
//+ op_log:c128
DEVICE c128 op_log2(c128 z) {
    c128 w = op_log(z);
    return c128{w.re * 0x1.71547652b82fep+0, w.im * 0x1.71547652b82fep+0};
}
//# op_log10: c128
//+ op_log:c128
DEVICE c128 op_log10(c128 z) {
    c128 w = op_log(z);
    return c128{w.re * 0x1.bcb7b1526e50ep-2, w.im * 0x1.bcb7b1526e50ep-2};
}
// |1 + z|**2 - 1 = 2 re + re**2 + im**2, without adding 1 first.
//# op_log1p: c128
//+ log_modulus:f64 op_arctan2:f64
DEVICE c128 op_log1p(c128 z) {
    bool near = fabs(z.re) < 4 && fabs(z.im) < 4 && !(z.re >= -2 && z.re <= -0.5);
    f64 modulus = near ? log1p(squares_plus(z.re, z.im, 2 * z.re)) * 0.5
                       : log_modulus(z.re + 1, z.im);
    return c128{modulus, op_arctan2(z.im, z.re + 1)};
}

// sinh x cos y, cosh x sin y, cosh x cos y, sinh x sin y.
//# hyperbolic_products: f64
//+ cos_sin:f64 large_exp_times:f64 is_finite:f64
struct hyperbolic_products { f64 sc, cs, cc, ss; };
DEVICE hyperbolic_products products(f64 x, f64 y) {
    f64 c, s;
    cos_sin(y, c, s);
    if (fabs(x) > 709 && is_finite(x)) {
        f64 sign = copysign(1.0, x);
        c = large_exp_times(fabs(x), c, 0.5);
        s = large_exp_times(fabs(x), s, 0.5);
        return hyperbolic_products{c * sign, s, c, s * sign};
    }
    f64 sh = sinh(x), ch = cosh(x);
    return hyperbolic_products{sh * c, ch * s, ch * c, sh * s};
}
//# op_sinh: c128
//+ hyperbolic_products:f64 nan:f64 is_finite:f64 is_infinite:f64
DEVICE c128 op_sinh(c128 z) {
    if (z.im == 0) return c128{sinh(z.re), z.im};
    if (!is_finite(z.im)) {
        return c128{z.re == 0 || is_infinite(z.re) ? z.re : nan_f64(), nan_f64()};
    }
    hyperbolic_products p = products(z.re, z.im);
    return c128{p.sc, p.cs};
}
//# op_cosh: c128
//+ hyperbolic_products:f64 infinity:f64 nan:f64 is_finite:f64 is_infinite:f64
DEVICE c128 op_cosh(c128 z) {
    f64 re = z.re, im = z.im, zero = copysign(0.0, re) * copysign(1.0, im);
    if (im == 0) return c128{cosh(re), zero};
    if (!is_finite(im)) {
        if (is_infinite(re)) return c128{infinity_f64(), nan_f64()};
        return c128{nan_f64(), re == 0 ? zero : nan_f64()};
    }
    hyperbolic_products p = products(re, im);
    return c128{p.cc, p.ss};
}
// Kahan's method, which computes the result from tan(im) and sinh(re).
//# op_tanh: c128
//+ cos_sin:f64 op_tan:f64 nan:f64 is_finite:f64 is_infinite:f64
DEVICE c128 op_tanh(c128 z) {
    f64 re = z.re, im = z.im, c, s;
    if (re != re) return c128{re, im == 0 ? im : nan_f64()};
    if (is_finite(re) && !is_finite(im)) return c128{re == 0 ? re : nan_f64(), nan_f64()};
    if (fabs(re) > 22) {
        cos_sin(im, c, s);
        f64 turn = is_finite(im) ? s * c : im;
        if (is_infinite(re)) return c128{copysign(1.0, re), copysign(0.0, turn)};
        f64 fall = exp(-fabs(re));
        return c128{copysign(1.0, re), 4 * s * c * fall * fall};
    }
    f64 t = op_tan(im), beta = 1 + t * t, sh = sinh(re), rho = sqrt(1 + sh * sh);
    f64 divisor = 1 + beta * sh * sh;
    return c128{beta * rho * sh / divisor, t / divisor};
}
// -i f(i z)
//# op_sin(op_sinh) op_tan(op_tanh): c128
//+ $Q:c128
DEVICE c128 $F(c128 z) {
    c128 w = $Q(c128{-z.im, z.re});
    return c128{w.im, -w.re};
}
//# op_cos: c128
//+ op_cosh:c128
DEVICE c128 op_cos(c128 z) { return op_cosh(c128{-z.im, z.re}); }

// Product in which an infinite factor or term makes an infinite product, as C's operator does.
//# multiply_infinite: c128
//+ op_multiply:c128 op_isinf:c128 is_infinite:f64 infinity:f64
DEVICE f64 boxed(f64 x, bool infinite) {
    if (infinite) return copysign(is_infinite(x) ? 1.0 : 0.0, x);
    return x != x ? copysign(0.0, x) : x;
}
DEVICE c128 multiply_infinite(c128 a, c128 b) {
    c128 product = op_multiply(a, b);
    if (product.re == product.re || product.im == product.im) return product;
    bool a_infinite = op_isinf(a), b_infinite = op_isinf(b);
    if (!a_infinite && !b_infinite && !is_infinite(a.re * b.re) && !is_infinite(a.im * b.im) &&
        !is_infinite(a.re * b.im) && !is_infinite(a.im * b.re)) return product;
    a = c128{boxed(a.re, a_infinite), boxed(a.im, a_infinite)};
    b = c128{boxed(b.re, b_infinite), boxed(b.im, b_infinite)};
    product = op_multiply(a, b);
    return c128{product.re * infinity_f64(), product.im * infinity_f64()};
}
// Except for the smallest powers, the product starts from 1, as in NumPy; this start determines the
// results for infinities.
//# integer_power: c128
//+ op_multiply:c128 op_divide:c128
DEVICE c128 integer_power(c128 a, i32 exponent) {
    if (exponent == 1) return a;
    if (exponent == 2) return op_multiply(a, a);
    if (exponent == 3) return op_multiply(a, op_multiply(a, a));
    i32 left = exponent < 0 ? -exponent : exponent;
    c128 square = a, power = c128{1, 0};
    while (left != 0) {
        if (left & 1) power = op_multiply(power, square);
        left >>= 1;
        if (left != 0) square = op_multiply(square, square);
    }
    return exponent < 0 ? op_divide(c128{1, 0}, power) : power;
}
// Small integer powers by squaring, others by the logarithm.
//# op_power: c128
//+ op_exp:c128 op_log:c128 multiply_infinite:c128 integer_power:c128
DEVICE c128 op_power(c128 a, c128 b) {
    if (b.re == 0 && b.im == 0) return c128{1, 0};
    if (a.re == 0 && a.im == 0) {
        f64 value = b.re > 0 ? 0 : nan_f64();
        return c128{value, value};
    }
    if (b.im == 0 && fabs(b.re) < 100 && trunc(b.re) == b.re) return integer_power(a, (i32)b.re);
    return op_exp(multiply_infinite(b, op_log(a)));
}
//# op_float_power: c128
//+ op_power:c128
DEVICE c128 op_float_power(c128 a, c128 b) { return op_power(a, b); }

// arcsin and arccos follow Hull, Fairgrieve and Tang, "Implementing the complex arcsine and
// arccosine functions using exception handling" (1997): real parts of both and their common
// imaginary part, in the first quadrant.
//# inverse_parts: f64
//+ op_hypot:f64 op_arcsin:f64 op_arccos:f64 op_arctan:f64
struct inverse_parts { f64 arcsin, arccos, imaginary; };
DEVICE inverse_parts usual_parts(f64 x, f64 y) {
    f64 right = x + 1, left = x - 1, r = op_hypot(right, y), s = op_hypot(left, y);
    f64 a = 0.5 * (r + s), b = x / a;
    inverse_parts parts;
    if (b <= 0.6417) {
        parts.arcsin = op_arcsin(b);
        parts.arccos = op_arccos(b);
    } else {
        f64 root = x <= 1 ? sqrt(0.5 * (a + x) * (y * y / (r + right) + (s - left)))
                          : y * sqrt(0.5 * ((a + x) / (r + right) + (a + x) / (s + left)));
        parts.arcsin = op_arctan(x / root);
        parts.arccos = op_arctan(root / x);
    }
    if (a <= 1.5) {
        f64 rest = x < 1 ? y * y / (s - left) : s + left;
        f64 over_one = 0.5 * (y * y / (r + right) + rest);
        parts.imaginary = log1p(over_one + sqrt(over_one * (a + 1)));
    } else {
        parts.imaginary = log(a + sqrt(a * a - 1));
    }
    return parts;
}
DEVICE inverse_parts extreme_parts(f64 x, f64 y) {
    const f64 quarter = 0x1.921fb54442d18p+0, ln2 = 0x1.62e42fefa39efp-1;
    f64 right = x + 1, left = x - 1;
    if (left == 0 && y == 0) return inverse_parts{quarter, 0, 0};
    if (y <= 0x1p-52 * fabs(left)) {
        if (x < 1) return inverse_parts{op_arcsin(x), op_arccos(x), y / sqrt(right * -left)};
        f64 root = x < 1e100 ? sqrt(left * right) : x;
        f64 imaginary = x < 1e100 ? log1p(left + root) : ln2 + log(x);
        return inverse_parts{quarter, y / root, imaginary};
    }
    if (y <= 6e-154) return inverse_parts{quarter - sqrt(y), sqrt(y), sqrt(y)};
    if (0x1p-52 * y - 1 >= x) return inverse_parts{x / y, quarter, ln2 + log(y)};
    if (x > 1) {
        f64 slope = x / y, imaginary = ln2 + log(y) + 0.5 * log1p(slope * slope);
        return inverse_parts{op_arctan(slope), op_arctan(y / x), imaginary};
    }
    f64 root = sqrt(1 + y * y);
    return inverse_parts{x / root, quarter, 0.5 * log1p(2 * y * (y + root))};
}
FAR inverse_parts find_inverse_parts(f64 x, f64 y) {
    bool usual = x > 6e-154 && x < 1.6e153 && y > 6e-154 && y < 1.6e153;
    return usual ? usual_parts(x, y) : extreme_parts(x, y);
}
//# op_arcsinh: c128
//+ inverse_parts:f64 infinity:f64 nan:f64 is_infinite:f64
DEVICE c128 op_arcsinh(c128 z) {
    f64 x = fabs(z.re), y = fabs(z.im), re = nan_f64(), im = nan_f64();
    bool x_infinite = is_infinite(x), y_infinite = is_infinite(y);
    if (x_infinite || y_infinite) {
        re = infinity_f64();
        if (x == x && y == y) im = !y_infinite ? 0 : 0x1.921fb54442d18p+0 * (x_infinite ? 0.5 : 1);
    } else if (x != x) {
        if (y == 0) im = y;
    } else if (y == y) {
        inverse_parts parts = find_inverse_parts(y, x);
        re = parts.imaginary;
        im = parts.arcsin;
    }
    return c128{copysign(re, z.re), copysign(im, z.im)};
}
// An odd function with conjugate symmetry: -i f(i z) swaps the parts.
//# op_arcsin(op_arcsinh) op_arctan(op_arctanh): c128
//+ $Q:c128
DEVICE c128 $F(c128 z) {
    c128 w = $Q(c128{z.im, z.re});
    return c128{w.im, w.re};
}
//# op_arccos: c128
//+ inverse_parts:f64 infinity:f64 nan:f64 is_infinite:f64 is_negative:f64
DEVICE c128 op_arccos(c128 z) {
    f64 x = fabs(z.re), y = fabs(z.im), re = nan_f64(), im = nan_f64();
    bool x_infinite = is_infinite(x), y_infinite = is_infinite(y);
    if (x_infinite || y_infinite) {
        im = infinity_f64();
        if (x == x && y == y) re = !y_infinite ? 0 : 0x1.921fb54442d18p+0 * (x_infinite ? 0.5 : 1);
    } else if (y != y) {
        if (x == 0) re = 0x1.921fb54442d18p+0;
    } else if (x == x) {
        inverse_parts parts = find_inverse_parts(x, y);
        re = parts.arccos;
        im = parts.imaginary;
    }
    if (is_negative(z.re) && re == re) re = 0x1.921fb54442d18p+1 - re;
    return c128{re, is_negative(z.im) ? im : -im};
}
//# op_arccosh: c128
//+ op_arccos:c128
DEVICE c128 op_arccosh(c128 z) {
    c128 w = op_arccos(z);
    if (w.re != w.re && w.im != w.im) return c128{w.re, w.im};
    return c128{fabs(w.im), copysign(w.re, z.im)};
}
//# op_arctanh: c128
//+ op_hypot:f64 op_arctan2:f64 infinity:f64 nan:f64 is_infinite:f64
DEVICE c128 op_arctanh(c128 z) {
    const f64 quarter = 0x1.921fb54442d18p+0;
    f64 x = fabs(z.re), y = fabs(z.im), re = nan_f64(), im = nan_f64();
    if (x != x) {
        if (is_infinite(y)) { re = 0; im = quarter; }
    } else if (y != y) {
        if (x == 0 || is_infinite(x)) re = 0;
    } else if (is_infinite(x) || is_infinite(y)) {
        re = 0;
        im = quarter;
    } else if (x > 1e16 || y > 1e16) {
        // 1 is negligible compared with the square of the modulus.
        f64 modulus = op_hypot(x * 0.25, y * 0.25);
        re = x * 0.25 / modulus / modulus * 0.25;
        im = quarter;
    } else if (x == 1 && y < 1e-150) {
        re = y == 0 ? infinity_f64() : 0.5 * (0x1.62e42fefa39efp-1 - log(y));
        im = y == 0 ? 0 : 0.5 * quarter;
    } else {
        re = 0.25 * log1p(4 * x / ((1 - x) * (1 - x) + y * y));
        im = 0.5 * op_arctan2(2 * y, (1 - x) * (1 + x) - y * y);
    }
    return c128{copysign(re, z.re), copysign(im, z.im)};
}
