//! Polynomials with tabulated coefficients.

use crate::arithmetic::fused;

/// The polynomial in t with the first n coefficients of a table, the highest power first.
///
/// Two chains for alternate powers take half the time of one, which waits for each product.
pub(crate) fn table_polynomial(c: &[f64], n: usize, t: f64) -> f64 {
    let u = t * t;
    let mut last = 0.0;
    let mut other = 0.0;
    let mut i = n % 2;
    if i == 1 {
        last = c[0];
    }
    while i < n {
        other = fused(other, u, c[i]);
        last = fused(last, u, c[i + 1]);
        i += 2;
    }
    fused(t, other, last)
}
