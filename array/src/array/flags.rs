//! The memory order of an array as NumPy reports it, the base of a view, and the detection of
//! writes.

use super::handle::Array;
use phalanx_graph::{Error, Node, View, call_site};
use phalanx_ops::shape::normalize_axis;
use std::sync::Arc;

/// NumPy's flags of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flags {
    /// The elements are in C order.
    pub c_contiguous: bool,
    /// The elements are in Fortran order.
    pub f_contiguous: bool,
    /// The array is not a view of another array.
    pub owns_data: bool,
    /// The array may be written.
    pub writeable: bool,
}

/// The value that an array's base had at some time.
#[derive(Clone)]
pub struct Snapshot(Arc<Node>);

impl Array {
    /// The number of an axis; a negative axis counts from the end. Local.
    ///
    /// Errors: `OpError::Axis`, and the error that the array carries.
    #[track_caller]
    pub fn axis_place(&self, axis: i64) -> Result<usize, Error> {
        self.ok()?;
        normalize_axis(axis, self.ndim()).map_err(|error| Error::op(error, call_site()))
    }

    /// NumPy's `flags`. Local. Errors: the error that the array carries.
    pub fn flags(&self) -> Result<Flags, Error> {
        let view = self.base_view()?;
        let reversed: Vec<usize> = (0..self.ndim()).rev().collect();
        Ok(Flags {
            c_contiguous: view.is_contiguous(),
            f_contiguous: view.transpose(&reversed, &self.base_shape()?).is_contiguous(),
            owns_data: view.is_whole() || self.is_element(),
            writeable: self.is_writeable(),
        })
    }

    /// Whether the array may be written. Local.
    pub fn is_writeable(&self) -> bool {
        self.base_view().is_ok_and(|view| !view.is_read_only) && !self.is_element()
    }

    /// NumPy's `base`: the whole array of which this one is a view; `None` if it is not a view.
    /// Local. Errors: the error that the array carries.
    pub fn base(&self) -> Result<Option<Array>, Error> {
        if self.base_view()?.is_whole() || self.is_element() {
            return Ok(None);
        }
        let (shape, dtype) = (self.base_shape()?, self.base_node()?.dtype());
        self.with_view(View::whole(&shape, dtype)).map(Some)
    }

    /// The present value of the array's base. Local. Errors: the error that the array carries.
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        Ok(Snapshot(self.base_node()?))
    }

    /// Whether the array's base still has the value of the snapshot. Local.
    pub fn is_unchanged(&self, since: &Snapshot) -> bool {
        self.base_node().is_ok_and(|node| Arc::ptr_eq(&node, &since.0))
    }
}
