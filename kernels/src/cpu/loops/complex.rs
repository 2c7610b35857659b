//! Arithmetic and order of complex numbers, in the element's own precision.

use super::real::Real;
use num_complex::Complex;

/// Quotient by Smith's method, which does not square the divisor.
#[inline]
pub(super) fn divide<T: Real>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    let (re, im) = (Real::abs(b.re), Real::abs(b.im));
    if re >= im {
        if re == T::ZERO && im == T::ZERO {
            return Complex::new(a.re / re, a.im / re);
        }
        let ratio = b.im / b.re;
        let scale = T::ONE / (b.re + b.im * ratio);
        Complex::new((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale)
    } else {
        let ratio = b.re / b.im;
        let scale = T::ONE / (b.im + b.re * ratio);
        Complex::new((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale)
    }
}

#[inline]
pub(super) fn multiply<T: Real>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    Complex::new(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)
}

#[inline]
pub(super) fn reciprocal<T: Real>(z: Complex<T>) -> Complex<T> {
    if Real::abs(z.im) <= Real::abs(z.re) {
        let ratio = z.im / z.re;
        let divisor = z.re + z.im * ratio;
        Complex::new(T::ONE / divisor, -ratio / divisor)
    } else {
        let ratio = z.re / z.im;
        let divisor = z.re * ratio + z.im;
        Complex::new(ratio / divisor, -T::ONE / divisor)
    }
}

/// `z / |z|`; an infinite component alone gives its sign.
#[inline]
pub(super) fn sign<T: Real>(z: Complex<T>) -> Complex<T> {
    let modulus = Real::hypot(z.re, z.im);
    if Real::is_nan(modulus) {
        Complex::new(T::NAN, T::NAN)
    } else if Real::is_infinite(modulus) {
        match (Real::is_infinite(z.re), Real::is_infinite(z.im)) {
            (true, true) => Complex::new(T::NAN, T::NAN),
            (true, false) => Complex::new(Real::copysign(T::ONE, z.re), T::ZERO),
            _ => Complex::new(T::ZERO, Real::copysign(T::ONE, z.im)),
        }
    } else if modulus == T::ZERO {
        Complex::new(T::ZERO, T::ZERO)
    } else {
        Complex::new(z.re / modulus, z.im / modulus)
    }
}

#[inline]
pub(super) fn is_nan<T: Real>(z: Complex<T>) -> bool {
    Real::is_nan(z.re) | Real::is_nan(z.im)
}

#[inline]
pub(super) fn is_infinite<T: Real>(z: Complex<T>) -> bool {
    Real::is_infinite(z.re) | Real::is_infinite(z.im)
}

#[inline]
pub(super) fn is_finite<T: Real>(z: Complex<T>) -> bool {
    Real::is_finite(z.re) & Real::is_finite(z.im)
}

/// Lexicographic order; a NaN in either imaginary part makes different real parts incomparable too.
/// Without branches, so that the compiler can use vector registers.
#[inline]
pub(super) fn less<T: Real>(a: Complex<T>, b: Complex<T>) -> bool {
    (a.re < b.re) & !Real::is_nan(a.im) & !Real::is_nan(b.im) | (a.re == b.re) & (a.im < b.im)
}

/// Like `less`, or equal.
#[inline]
pub(super) fn less_equal<T: Real>(a: Complex<T>, b: Complex<T>) -> bool {
    (a.re < b.re) & !Real::is_nan(a.im) & !Real::is_nan(b.im) | (a.re == b.re) & (a.im <= b.im)
}

#[inline]
pub(super) fn greater<T: Real>(a: Complex<T>, b: Complex<T>) -> bool {
    less(b, a)
}

#[inline]
pub(super) fn greater_equal<T: Real>(a: Complex<T>, b: Complex<T>) -> bool {
    less_equal(b, a)
}

/// The larger in lexicographic order; the first with a NaN part if there is one.
#[inline]
pub(super) fn maximum<T: Real>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    if is_nan(a) | greater_equal(a, b) { a } else { b }
}

/// The smaller in lexicographic order; the first with a NaN part if there is one.
#[inline]
pub(super) fn minimum<T: Real>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    if is_nan(a) | less_equal(a, b) { a } else { b }
}

/// The larger in lexicographic order; one with a NaN part only if both have one.
#[inline]
pub(super) fn fmax<T: Real>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    if is_nan(b) | greater_equal(a, b) { a } else { b }
}

/// The smaller in lexicographic order; one with a NaN part only if both have one.
#[inline]
pub(super) fn fmin<T: Real>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    if is_nan(b) | less_equal(a, b) { a } else { b }
}
