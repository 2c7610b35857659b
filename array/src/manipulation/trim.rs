//! Removal of zeros at the ends of axes.

use crate::array::Array;
use crate::manipulation::argument::{AxisList, axes_of, span};
use crate::reductions::Axes;
use phalanx_graph::{call_site, within};
use phalanx_ops::{DType, Index};

/// The ends at which zeros are removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Trim {
    /// At both ends.
    #[default]
    Both,
    /// At the front.
    Front,
    /// At the back.
    Back,
}

/// The view of the smallest box that contains all nonzero elements. Only the given axes (`()` is
/// all) are cut, and only at the ends that `trim` selects.
///
/// Collective over the mesh: the shape depends on data, so the window closes. One pair of positions
/// is read for each axis. Errors: `OpError::Axis`, `OpError::DuplicateAxis`.
#[track_caller]
#[must_use]
pub fn trim_zeros(array: &Array, trim: Trim, axes: impl Into<AxisList>) -> Array {
    let (site, axes) = (call_site(), axes.into());
    Array::catch(within(site, || {
        array.ok()?;
        let ndim = array.ndim();
        let trimmed = match &axes.0 {
            None => (0..ndim).collect(),
            Some(axes) => axes_of(axes, ndim, site)?,
        };
        let mut items = vec![Index::Range { start: None, stop: None, step: 1 }; ndim];
        if trimmed.is_empty() {
            return Ok(array.clone());
        }
        if array.size() == 0 {
            trimmed.iter().for_each(|&axis| items[axis] = span(0, 0));
            return Ok(array.slice(items));
        }
        let nonzero = array.astype(DType::Bool);
        let is_any = nonzero.any(());
        let ends: Vec<(usize, Array, Array)> = trimmed
            .iter()
            .map(|&axis| {
                let others: Vec<i64> = (0..ndim as i64).filter(|&k| k != axis as i64).collect();
                let seen = nonzero.any(Axes::from(others.as_slice()));
                let backwards = seen.slice([Index::Range { start: None, stop: None, step: -1 }]);
                (axis, seen.argmax(()), backwards.argmax(()))
            })
            .collect();
        if !is_any.item::<bool>()? {
            trimmed.iter().for_each(|&axis| items[axis] = span(0, 0));
            return Ok(array.slice(items));
        }
        for (axis, first, last) in ends {
            let start = if trim == Trim::Back { 0 } else { first.item::<i64>()? as usize };
            let cut = if trim == Trim::Front { 0 } else { last.item::<i64>()? as usize };
            items[axis] = span(start, array.shape()[axis] - cut);
        }
        Ok(array.slice(items))
    }))
}
