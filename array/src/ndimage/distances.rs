//! The nearest elements along the lines of an axis, of which exact distances consist.

use crate::array::Array;
use crate::manipulation::refused;
use crate::recording::record_structured;
use phalanx_graph::{Error, Site, call_site};
use phalanx_ops::DType;
use phalanx_ops::structured::{Nearest, Structured};

/// For each place `i` of the lines along an axis, the place `k` (`i64`) with the least
/// `costs[k] + (spacing * (i - k))**2`; -1 if all costs of the line are infinite.
///
/// With costs of 0 at some elements and infinity elsewhere, these are the nearest of them; the
/// squared distances then are the costs for the next axis, and so on: the exact Euclidean distances
/// (Felzenszwalb and Huttenlocher 2012). Shape: that of the costs. Sharding: lines are whole, other
/// axes may be split. Local (records a node). Errors: `OpError::Axis`; `OpError::Argument` for a
/// spacing that is not positive.
#[track_caller]
#[must_use]
pub fn nearest_along(costs: &Array, axis: i64, spacing: f64) -> Array {
    Array::catch(recorded(costs, axis, spacing, call_site()))
}

fn recorded(costs: &Array, axis: i64, spacing: f64, site: Site) -> Result<Array, Error> {
    let axis = costs.ok()?.axis(axis, site)? as u8;
    if !(spacing.is_finite() && spacing > 0.0) {
        return Err(refused("nearest_along", "spacing", spacing.to_string(), site));
    }
    let op = Structured::Nearest(Nearest { axis, spacing: spacing.to_bits() });
    record_structured(op, &[&costs.converted(DType::F64, site)], site)
}
