//! Windows for signals.

use crate::array::Array;
use crate::creation::basic::ones;
use crate::creation::ranges::arange;
use crate::math::i0;
use crate::math::select;
use phalanx_graph::{call_site, within};
use phalanx_ops::DType;
use phalanx_ops::shape::saturating;
use std::f64::consts::PI;

/// A window of `size` numbers. `value` computes it from every second number from `1 - size` to
/// `size - 1`, and from the number of steps, `size - 1`.
#[track_caller]
fn window(size: usize, value: impl FnOnce(&Array, f64) -> Array) -> Array {
    let site = call_site();
    within(site, || {
        if size < 2 {
            return ones(size, DType::F64);
        }
        let last = saturating(size);
        let number = arange(1 - last, last, 2i64).astype(DType::F64);
        value(&number, (size - 1) as f64)
    })
}

/// The Hann window, `0.5 + 0.5 cos(π n / (size - 1))`, of dtype `f64`. Local (records nodes).
#[track_caller]
#[must_use]
pub fn hanning(size: usize) -> Array {
    window(size, |n, steps| (n * PI / steps).cos() * 0.5 + 0.5)
}

/// The Hamming window, `0.54 + 0.46 cos(π n / (size - 1))`, of dtype `f64`. Local (records nodes).
#[track_caller]
#[must_use]
pub fn hamming(size: usize) -> Array {
    window(size, |n, steps| (n * PI / steps).cos() * 0.46 + 0.54)
}

/// The Blackman window, of dtype `f64`. Local (records nodes).
#[track_caller]
#[must_use]
pub fn blackman(size: usize) -> Array {
    window(size, |n, steps| {
        (n * PI / steps).cos() * 0.5 + 0.42 + (n * (2.0 * PI) / steps).cos() * 0.08
    })
}

/// The triangular window with zeros at both ends, of dtype `f64`. Local (records nodes).
#[track_caller]
#[must_use]
pub fn bartlett(size: usize) -> Array {
    window(size, |n, steps| select(&n.less_equal(0), n / steps + 1.0, 1.0 - n / steps))
}

/// The Kaiser window with the shape `beta`, of dtype `f64`. Local (records nodes).
#[track_caller]
#[must_use]
pub fn kaiser(size: usize, beta: f64) -> Array {
    let site = call_site();
    within(site, || {
        if size < 2 {
            return ones(size, DType::F64);
        }
        let half = (size - 1) as f64 / 2.0;
        let ratio = (arange(0i64, saturating(size), 1i64).astype(DType::F64) - half) / half;
        let whole = crate::creation::full((), beta, DType::F64);
        i0(&((1.0 - &ratio * &ratio).sqrt() * beta)) / i0(&whole)
    })
}
