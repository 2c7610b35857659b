//! Frequencies of transforms, and shifts of their order along axes.

use crate::array::Array;
use crate::creation::arange;
use crate::fft::options::own_extent;
use crate::manipulation::{refused, roll};
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::saturating;

/// The frequencies (`f64`) of the elements of [`fft`](super::fft) of `extent` samples at this
/// distance, in cycles per unit of the distance. Local (records a node). Errors: `OpError::Zero`
/// for no samples or no distance, `OpError::Argument` for a negative number of samples.
#[track_caller]
#[must_use]
pub fn fftfreq(extent: i64, spacing: f64) -> Array {
    frequencies(extent, spacing, false, call_site())
}

/// The frequencies of the elements of [`rfft`](super::rfft); see [`fftfreq`]. A negative number of
/// samples gives no frequencies.
#[track_caller]
#[must_use]
pub fn rfftfreq(extent: i64, spacing: f64) -> Array {
    frequencies(extent, spacing, true, call_site())
}

fn frequencies(extent: i64, spacing: f64, is_half: bool, site: Site) -> Array {
    Array::catch(within(site, || {
        let zero = |argument| {
            let operation = if is_half { "rfftfreq" } else { "fftfreq" };
            Err(Error::op(OpError::Zero { operation, argument }, site))
        };
        if extent == 0 {
            return zero("extent");
        }
        if spacing == 0.0 {
            return zero("spacing");
        }
        if extent < 0 && !is_half {
            return Err(refused("fftfreq", "extent", extent.to_string(), site));
        }
        let factor = 1.0 / (extent as f64 * spacing);
        let numbers = if is_half {
            arange(0, extent.div_euclid(2) + 1, 1)
        } else {
            // The frequencies 0, 1, … come first, and the negative ones follow.
            let negative = extent / 2;
            (arange(0, extent, 1) + negative).remainder(extent) - negative
        };
        (numbers * factor).into_result()
    }))
}

/// A copy of the array with the frequency 0 in the middle of the given axes, or of all axes. Local
/// (records nodes). Errors: `OpError::Index` for an axis out of range, `OpError::Ndim` for a 0-d
/// array.
#[track_caller]
#[must_use]
pub fn fftshift(array: &Array, axes: Option<&[i64]>) -> Array {
    shifted(array, axes, |extent| extent / 2, call_site())
}

/// The inverse of [`fftshift`].
#[track_caller]
#[must_use]
pub fn ifftshift(array: &Array, axes: Option<&[i64]>) -> Array {
    shifted(array, axes, |extent| extent - extent / 2, call_site())
}

fn shifted(array: &Array, axes: Option<&[i64]>, by: fn(usize) -> usize, site: Site) -> Array {
    Array::catch((|| {
        array.ok()?;
        let all: Vec<i64> = (0..array.ndim() as i64).collect();
        if axes.unwrap_or(&all).is_empty() {
            if array.ndim() > 0 {
                return Ok(array.copy_at(site));
            }
            let (operation, expected) = ("fftshift", "at least 1");
            return Err(Error::op(OpError::Ndim { operation, expected, ndim: 0 }, site));
        }
        let mut shifts = Vec::new();
        for &axis in axes.unwrap_or(&all) {
            shifts.push(saturating(by(own_extent(array, axis, site)?)));
        }
        Ok(within(site, || roll(array, shifts, axes.unwrap_or(&all))))
    })())
}
