//! Functions for which the translation to CUDA C has texts of its own.

/// `a * b + c`; on GPUs one `fma`.
#[inline(always)]
pub(crate) fn fused(a: f64, b: f64, c: f64) -> f64 {
    a * b + c
}

/// The inverse of a square root, for which GPUs have a function.
#[inline(always)]
pub(crate) fn rsqrt(x: f64) -> f64 {
    1.0 / libm::sqrt(x)
}

/// The sine and the cosine of a number, which share the reduction of the argument.
#[inline(always)]
pub(crate) fn sincos(x: f64, to: &mut [f64; 2]) {
    (to[0], to[1]) = libm::sincos(x);
}
