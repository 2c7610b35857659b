//! The memory order of an array as NumPy reports it, the base of a view, and the detection of
//! writes.

use super::handle::Array;
use crate::manipulation::refused;
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

impl Flags {
    /// A flag, or a combination of flags, by NumPy's name or letters; `None` for an unknown name.
    /// Local.
    ///
    /// ```
    /// # use phalanx_array as phalanx;
    /// # use phalanx::Flags;
    /// let (c_contiguous, f_contiguous) = (false, true);
    /// let flags = Flags { c_contiguous, f_contiguous, owns_data: true, writeable: false };
    /// assert_eq!(flags.named("FNC"), Some(true));
    /// assert_eq!(flags.named("FARRAY"), Some(false));
    /// assert_eq!(flags.named("G"), None);
    /// assert_eq!(flags.bits(), 0x106);
    /// ```
    #[must_use]
    pub fn named(&self, name: &str) -> Option<bool> {
        Some(match name {
            "C" | "C_CONTIGUOUS" | "CONTIGUOUS" => self.c_contiguous,
            "F" | "F_CONTIGUOUS" | "FORTRAN" => self.f_contiguous,
            "O" | "OWNDATA" => self.owns_data,
            "W" | "WRITEABLE" | "B" | "BEHAVED" => self.writeable,
            "A" | "ALIGNED" => true,
            "X" | "WRITEBACKIFCOPY" => false,
            "CA" | "CARRAY" => self.writeable && self.c_contiguous,
            "FA" | "FARRAY" => self.writeable && self.f_contiguous && !self.c_contiguous,
            "FNC" => self.f_contiguous && !self.c_contiguous,
            "FORC" => self.f_contiguous || self.c_contiguous,
            _ => return None,
        })
    }

    /// The flags as bits: NumPy's `flags.num`. Local.
    #[must_use]
    pub fn bits(&self) -> i64 {
        let bit = |holds: bool, bit: i64| if holds { bit } else { 0 };
        let (c, f) = (bit(self.c_contiguous, 0x1), bit(self.f_contiguous, 0x2));
        // Arrays are always aligned (0x100).
        c | f | bit(self.owns_data, 0x4) | 0x100 | bit(self.writeable, 0x400)
    }
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
            f_contiguous: view.transpose(&reversed, self.base_shape()?).is_contiguous(),
            owns_data: view.is_whole() || self.is_element(),
            writeable: self.is_writeable(),
        })
    }

    /// Whether the array may be written. Local.
    pub fn is_writeable(&self) -> bool {
        self.base_view().is_ok_and(|view| !view.is_read_only) && !self.is_element()
    }

    /// The same elements as an array that may be written, or that refuses writes, as NumPy's flag
    /// `WRITEABLE` asks for. Local. Errors: `OpError::Argument` for writes to a view that shows an
    /// element at several positions, such as a broadcast one, and the error that the array carries.
    #[track_caller]
    pub fn with_writes(&self, are_allowed: bool) -> Result<Array, Error> {
        let view = self.base_view()?.clone();
        if are_allowed && !view.stages.iter().all(|stage| stage.map.is_injective()) {
            let text = "true for a view that repeats elements";
            return Err(refused("with_writes", "are_allowed", text, call_site()));
        }
        self.with_view(View { is_read_only: !are_allowed, ..view })
    }

    /// NumPy's `base`: the whole array of which this one is a view; `None` if it is not a view.
    /// Local. Errors: the error that the array carries.
    pub fn base(&self) -> Result<Option<Array>, Error> {
        if self.base_view()?.is_whole() || self.is_element() {
            return Ok(None);
        }
        let (shape, dtype) = (self.base_shape()?, self.base_dtype()?);
        self.with_view(View::whole(shape, dtype)).map(Some)
    }

    /// The present value of the array's base. Local. Errors: the error that the array carries.
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        Ok(Snapshot(self.present_node()?))
    }

    /// Whether the array's base still has the value of the snapshot. Local.
    pub fn is_unchanged(&self, since: &Snapshot) -> bool {
        self.present_node().is_ok_and(|node| Arc::ptr_eq(&node, &since.0))
    }
}
