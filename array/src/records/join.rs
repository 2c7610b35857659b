//! Joins of structured arrays.

use super::handle::{Records, wrong};
use crate::manipulation::concatenate;
use phalanx_graph::{Error, call_site, within};
use phalanx_ops::shape::normalize_axis;

impl Records {
    /// The arrays joined along an axis. Arrays with other fields than the first one are cast to its
    /// fields. Local (records nodes). Errors: those of `concatenate` and of [`Records::cast`].
    #[track_caller]
    pub fn concatenated(parts: &[Records], axis: i64) -> Result<Records, Error> {
        let site = call_site();
        let first = parts.first().ok_or_else(|| wrong("need at least one array", site))?;
        let axis = normalize_axis(axis, first.ndim()).map_err(|error| Error::op(error, site))?;
        within(site, || {
            let cast = |part: &Records| {
                if part.record.has_layout_of(&first.record) {
                    Ok(part.clone())
                } else {
                    part.cast(&first.record)
                }
            };
            let parts = parts.iter().map(cast).collect::<Result<Vec<_>, Error>>()?;
            let bytes: Vec<_> = parts.iter().map(|part| &part.bytes).collect();
            first.with_bytes(concatenate(&bytes, axis as i64))
        })
    }
}
