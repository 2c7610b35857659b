//! Recurrences from both ends.

use libm::fabs;

/// The factor by which the solution from behind, with the neighbouring values `back0` and `back1`,
/// comes nearest to the one from the start, with `before` and `here`: by least squares.
pub(crate) fn recurrence_factor(before: f64, here: f64, back0: f64, back1: f64) -> f64 {
    let size = fabs(back0) + fabs(back1);
    let b0 = back0 / size;
    let b1 = back1 / size;
    (before * b0 + here * b1) / (b0 * b0 + b1 * b1) / size
}
