//! Special functions as compositions of elementwise operations.

use super::methods::select;
use crate::array::Array;
use phalanx_graph::{Error, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Kind};
use std::f64::consts::PI;

/// NumPy's `sinc`: `sin(pi x) / (pi x)`, 1 at zero. Dtype: floating point or complex. Local
/// (records nodes, which fuse).
#[track_caller]
#[must_use]
pub fn sinc(array: &Array) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let angle = array * PI;
        // As NumPy, which replaces zero by an angle so small that the quotient is 1.
        let tiny = match angle.ok()?.dtype() {
            DType::F16 => 2f64.powi(-10),
            DType::BF16 => 2f64.powi(-7),
            DType::F32 => f64::from(f32::EPSILON),
            DType::F64 => f64::EPSILON,
            _ => 1e-20,
        };
        let angle = select(&angle.equal(0), tiny, &angle);
        (angle.sin() / &angle).into_result()
    }))
}

/// Coefficients of the Chebyshev series of `exp(-x) I0(x)` between 0 and 8.
///
/// Source: Cephes, as in NumPy.
#[rustfmt::skip]
const NEAR: [f64; 30] = [
    -4.4153416464793395e-18, 3.3307945188222384e-17, -2.431279846547955e-16,
    1.715391285555133e-15, -1.1685332877993451e-14, 7.676185498604936e-14,
    -4.856446783111929e-13, 2.95505266312964e-12, -1.726826291441556e-11,
    9.675809035373237e-11, -5.189795601635263e-10, 2.6598237246823866e-09,
    -1.300025009986248e-08, 6.046995022541919e-08, -2.670793853940612e-07,
    1.1173875391201037e-06, -4.4167383584587505e-06, 1.6448448070728896e-05,
    -5.754195010082104e-05, 0.00018850288509584165, -0.0005763755745385824,
    0.0016394756169413357, -0.004324309995050576, 0.010546460394594998,
    -0.02373741480589947, 0.04930528423967071, -0.09490109704804764,
    0.17162090152220877, -0.3046826723431984, 0.6767952744094761,
];

/// Coefficients of the Chebyshev series of `exp(-x) sqrt(x) I0(x)` from 8 on.
#[rustfmt::skip]
const FAR: [f64; 25] = [
    -7.233180487874754e-18, -4.830504485944182e-18, 4.46562142029676e-17,
    3.461222867697461e-17, -2.8276239805165836e-16, -3.425485619677219e-16,
    1.7725601330565263e-15, 3.8116806693526224e-15, -9.554846698828307e-15,
    -4.150569347287222e-14, 1.54008621752141e-14, 3.8527783827421426e-13,
    7.180124451383666e-13, -1.7941785315068062e-12, -1.3215811840447713e-11,
    -3.1499165279632416e-11, 1.1889147107846439e-11, 4.94060238822497e-10,
    3.3962320257083865e-09, 2.266668990498178e-08, 2.0489185894690638e-07,
    2.8913705208347567e-06, 6.889758346916825e-05, 0.0033691164782556943,
    0.8044904110141088,
];

/// The Chebyshev series with these coefficients, by Clenshaw's rule.
fn chebyshev(x: &Array, coefficients: &[f64]) -> Array {
    let (mut last, mut before) = (x * coefficients[0] + coefficients[1], None);
    let mut previous = None;
    for &coefficient in &coefficients[2..] {
        let older = previous.replace(last.clone());
        let product = x * &last;
        let difference = match &older {
            Some(older) => product - older,
            None => product - coefficients[0],
        };
        last = difference + coefficient;
        before = older;
    }
    let before = before.unwrap_or_else(|| unreachable!("bug: there are many coefficients"));
    (last - before) * 0.5
}

/// NumPy's `i0`: the modified Bessel function of the first kind, order 0.
///
/// Dtype: floating point. Local (records nodes, which fuse). Errors: `OpError::Dtype` for complex
/// numbers.
#[track_caller]
#[must_use]
pub fn i0(array: &Array) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        let dtype = array.ok()?.dtype();
        if dtype.is_complex() {
            return Err(Error::op(OpError::Dtype { operation: "i0", dtypes: vec![dtype] }, site));
        }
        let is_float = dtype.kind() == Kind::Float;
        let wide = if is_float { array.clone() } else { array.converted(DType::F64, site) };
        let x = wide.absolute();
        let near = chebyshev(&(&x / 2.0 - 2.0), &NEAR);
        let far = chebyshev(&(32.0 / &x - 2.0), &FAR) / x.sqrt();
        (x.exp() * select(&x.less_equal(8.0), near, far)).into_result()
    }))
}
