//! Numbers as sums of two doubles, for series whose terms cancel (Dekker 1971, Knuth 1969).
//!
//! The rounding errors are exact also where a compiler fuses products and sums.

/// The sum of two numbers and its rounding error.
pub(crate) fn double_two_sum(a: f64, b: f64, out: &mut [f64; 2]) {
    let s = a + b;
    let t = s - a;
    out[1] = (a - (s - t)) + (b - t);
    out[0] = s;
}

/// The product of two numbers and its rounding error.
pub(crate) fn double_two_product(a: f64, b: f64, out: &mut [f64; 2]) {
    let p = a * b;
    let ta = 134217729.0 * a;
    let ah = ta - (ta - a);
    let al = a - ah;
    let tb = 134217729.0 * b;
    let bh = tb - (tb - b);
    let bl = b - bh;
    out[1] = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    out[0] = p;
}

/// a += b.
pub(crate) fn double_add(a: &mut [f64; 2], b: &[f64; 2]) {
    let mut s = [0.0; 2];
    double_two_sum(a[0], b[0], &mut s);
    let rest = s[1] + a[1] + b[1];
    a[0] = s[0] + rest;
    a[1] = rest - (a[0] - s[0]);
}

/// a *= b.
pub(crate) fn double_multiply(a: &mut [f64; 2], b: &[f64; 2]) {
    let mut p = [0.0; 2];
    double_two_product(a[0], b[0], &mut p);
    let rest = p[1] + (a[0] * b[1] + a[1] * b[0]);
    a[0] = p[0] + rest;
    a[1] = rest - (a[0] - p[0]);
}

/// a /= b.
pub(crate) fn double_divide(a: &mut [f64; 2], b: &[f64; 2]) {
    let q = a[0] / b[0];
    let mut p = [0.0; 2];
    double_two_product(q, b[0], &mut p);
    let rest = (((a[0] - p[0]) - p[1]) + a[1] - q * b[1]) / b[0];
    a[0] = q + rest;
    a[1] = rest - (a[0] - q);
}
