//! The corners that represent a large array when it is printed: only they are fetched.

use super::layout::Summary;
use crate::array::Array;
use phalanx_graph::{Cause, Error, HostArray, Site, call_site, within};
use phalanx_ops::Index;

/// The end of an axis of which elements are taken.
#[derive(Clone, Copy)]
enum End {
    First,
    Last,
}

fn end_of(array: &Array, axis: usize, end: End, edge: usize) -> Array {
    let range = |start, stop| Index::Range { start, stop, step: 1 };
    let edge = edge as i64;
    let mut index = vec![range(None, None); axis];
    index.push(match end {
        End::First => range(None, Some(edge)),
        End::Last => range(Some(-edge), None),
    });
    array.slice(index)
}

impl Array {
    /// The elements of a summary of the array: those at the ends of each shortened axis. Only they
    /// are fetched. Collectivity and errors: those of [`Array::to_host`].
    #[track_caller]
    pub fn corners(&self, summary: Summary) -> Result<HostArray, Error> {
        self.shown(summary, Cause::Print, call_site())
    }

    /// The printed elements, in C order. Collectivity: that of `to_host`. An array that this
    /// process holds is read at once. Otherwise each corner is fetched separately, so no elements
    /// between the corners move.
    pub(super) fn shown(
        &self,
        summary: Summary,
        cause: Cause,
        site: Site,
    ) -> Result<HostArray, Error> {
        let axes: Vec<usize> =
            (0..self.ndim()).filter(|&axis| summary.is_cut(self.shape(), axis)).collect();
        let is_held = axes.is_empty() || self.is_held()?;
        self.read_corners((&axes, summary.edge), is_held, cause, site)
    }

    /// The elements of the array at both ends of these axes.
    fn read_corners(
        &self,
        (axes, edge): (&[usize], usize),
        is_held: bool,
        cause: Cause,
        site: Site,
    ) -> Result<HostArray, Error> {
        let Some((&axis, inner)) = axes.split_first() else {
            // A copy fetches from other processes only its elements; a view would fetch its whole
            // base.
            let copied = (!is_held).then(|| self.copy_at(site));
            return copied.as_ref().unwrap_or(self).to_host_for(cause, site);
        };
        let read = |end| {
            let part = within(site, || end_of(self, axis, end, edge));
            part.read_corners((inner, edge), is_held, cause, site)
        };
        let (first, last) = (read(End::First)?, read(End::Last)?);
        let mut shape = first.shape.clone();
        let rows = shape[..axis].iter().product::<usize>();
        shape[axis] *= 2;
        let mut bytes = Vec::with_capacity(2 * first.bytes.len());
        let row = first.bytes.len() / rows.max(1);
        if row > 0 {
            for (first, last) in first.bytes.chunks(row).zip(last.bytes.chunks(row)) {
                bytes.extend_from_slice(first);
                bytes.extend_from_slice(last);
            }
        }
        Ok(HostArray { dtype: first.dtype, shape, bytes })
    }
}
