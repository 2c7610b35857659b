//! Functions of the C library under SciPy's names.

/// The cube root of x.
pub fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

/// The power of 2 with the exponent x.
pub fn exp2(x: f64) -> f64 {
    libm::exp2(x)
}

/// The power of 10 with the exponent x.
pub fn exp10(x: f64) -> f64 {
    libm::exp10(x)
}

/// The function exp(x) - 1, also accurate for small x.
pub fn expm1(x: f64) -> f64 {
    libm::expm1(x)
}

/// The function log(1 + x), also accurate for small x.
pub fn log1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// The nearest integer, of two the even one.
pub fn round(x: f64) -> f64 {
    libm::rint(x)
}
