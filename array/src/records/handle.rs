//! The handle of a structured array: its bytes, and views of them.

use super::record::{Field, Form, Record};
use crate::array::Array;
use crate::creation::{NEEDS_COPY, zeros};
use crate::indexing::AnyIndex;
use crate::manipulation::{MemoryOrder, refused};
use phalanx_graph::{Error, HostArray, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Index};
use std::sync::Arc;

/// An array of records. Clones and views share the elements.
#[derive(Clone)]
pub struct Records {
    /// The bytes of the elements along the last axis.
    pub(super) bytes: Array,
    pub(super) record: Arc<Record>,
}

/// A field of a structured array, by the kind of its elements.
#[derive(Clone)]
pub enum Shown {
    /// Numbers or bools.
    Numbers(Array),
    /// Records.
    Records(Records),
}

impl Records {
    /// A structured array over `bytes`, whose last axis holds the bytes of an element.
    ///
    /// Local. Errors: `OpError::Arguments` for another dtype or extent, and the error that the
    /// array carries.
    #[track_caller]
    pub fn of_bytes(bytes: &Array, record: &Arc<Record>) -> Result<Records, Error> {
        let is_right =
            bytes.ok()?.dtype() == DType::U8 && bytes.shape().last() == Some(&record.size());
        if is_right {
            Ok(Records { bytes: bytes.clone(), record: record.clone() })
        } else {
            Err(wrong("the last axis has the bytes of an element", call_site()))
        }
    }

    /// Elements with zero bytes. Local (records a node).
    #[track_caller]
    pub fn zeros(shape: &[i64], record: &Arc<Record>) -> Result<Records, Error> {
        let size = record.size() as i64;
        let extents: Vec<i64> = shape.iter().copied().chain([size]).collect();
        let bytes = within(call_site(), || zeros(extents.as_slice(), DType::U8));
        Records::of_bytes(&bytes, record)
    }

    /// As [`Records::zeros`], in Fortran order for `MemoryOrder::F`. Local (records a node).
    #[track_caller]
    pub fn zeros_in(
        shape: &[i64],
        record: &Arc<Record>,
        order: MemoryOrder,
    ) -> Result<Records, Error> {
        within(call_site(), || match order {
            MemoryOrder::F => {
                let reversed: Vec<i64> = shape.iter().rev().copied().collect();
                Records::zeros(&reversed, record)?.transposed(None)
            }
            _ => Records::zeros(shape, record),
        })
    }

    /// Elements whose bytes are contiguous on the host. Local. The bytes are copied at once and
    /// must be equal on all ranks. Errors: `OpError::DataLength`.
    #[track_caller]
    pub fn from_host(shape: &[usize], bytes: Vec<u8>, record: &Arc<Record>) -> Result<Self, Error> {
        let shape = shape.iter().copied().chain([record.size()]).collect();
        let host = HostArray { dtype: DType::U8, shape, bytes };
        let bytes = within(call_site(), || Array::from_host(&host));
        Records::of_bytes(&bytes, record)
    }

    /// The bytes of the elements; those of one element are along the last axis.
    pub fn bytes(&self) -> &Array {
        &self.bytes
    }

    /// The structured dtype.
    pub fn record(&self) -> &Arc<Record> {
        &self.record
    }

    /// The number of axes.
    pub fn ndim(&self) -> usize {
        self.bytes.ndim().saturating_sub(1)
    }

    /// The extents.
    pub fn shape(&self) -> &[usize] {
        &self.bytes.shape()[..self.ndim()]
    }

    /// The number of elements.
    pub fn size(&self) -> usize {
        phalanx_ops::shape::size(self.shape())
    }

    /// NumPy's strides, in bytes.
    pub fn strides(&self) -> Vec<isize> {
        let mut strides = self.bytes.strides();
        strides.truncate(self.ndim());
        strides
    }

    /// NumPy's flags.
    ///
    /// Errors: the error that the array carries.
    pub fn flags(&self) -> Result<crate::Flags, Error> {
        let flags = self.bytes.flags()?;
        let f_contiguous = self.transposed(None)?.bytes.flags()?.c_contiguous;
        Ok(crate::Flags { f_contiguous, ..flags })
    }

    /// An array that carries the error of structured arrays in arithmetic. Operations refuse it as
    /// an operand.
    #[track_caller]
    pub fn refusal() -> Array {
        Array::refusing(wrong(
            "structured arrays have no arithmetic: take one of their fields",
            call_site(),
        ))
    }

    /// The whole base of this structured array, if its last axis has the size of a record; else the
    /// array itself.
    ///
    /// Errors: the error that the array carries.
    pub fn whole(&self) -> Result<Records, Error> {
        let whole = self.bytes.whole_base()?;
        Ok(Records::of_bytes(&whole, &self.record).unwrap_or_else(|_| self.clone()))
    }

    /// The same record with other bytes.
    pub(super) fn with_bytes(&self, bytes: Array) -> Result<Records, Error> {
        bytes.ok()?;
        Ok(Records { bytes, record: self.record.clone() })
    }

    /// The view at a basic index. Local. Errors: those of `Array::slice`.
    #[track_caller]
    pub fn slice(&self, items: &[Index]) -> Result<Records, Error> {
        let site = call_site();
        let items: Vec<AnyIndex> = items.iter().map(|item| AnyIndex::Basic(*item)).collect();
        within(site, || self.index(&items))
    }

    /// The elements at an index: a view for a basic index, else a copy.
    ///
    /// Collectivity and errors: those of `Array::index`.
    #[track_caller]
    pub fn index(&self, items: &[AnyIndex]) -> Result<Records, Error> {
        let site = call_site();
        let items = self.whole_index(items, site)?;
        self.with_bytes(within(site, || self.bytes.index(&items)))
    }

    /// The index of all bytes of the elements at an index.
    pub(super) fn whole_index(
        &self,
        items: &[AnyIndex],
        site: Site,
    ) -> Result<Vec<AnyIndex>, Error> {
        let axes = |item: &AnyIndex| match item {
            AnyIndex::Basic(Index::At(_) | Index::Range { .. }) => 1,
            AnyIndex::Basic(_) => 0,
            AnyIndex::Array(mask) if mask.dtype() == DType::Bool => mask.ndim(),
            AnyIndex::Array(_) => 1,
        };
        let (ndim, given) = (self.ndim(), items.iter().map(axes).sum());
        if given > ndim {
            return Err(Error::op(OpError::TooManyIndices { ndim, given }, site));
        }
        let is_ellipsis = |item: &AnyIndex| matches!(item, AnyIndex::Basic(Index::Ellipsis));
        // Without an ellipsis of its own, the index ends with one, which includes the axis of
        // bytes.
        let last = if items.iter().any(is_ellipsis) {
            Index::Range { start: None, stop: None, step: 1 }
        } else {
            Index::Ellipsis
        };
        Ok(items.iter().cloned().chain([AnyIndex::Basic(last)]).collect())
    }

    /// The view with the axes in another order; without `axes`, reversed. Local. Errors:
    /// `OpError::Permutation`.
    #[track_caller]
    pub fn transposed(&self, axes: Option<&[i64]>) -> Result<Records, Error> {
        let (site, ndim) = (call_site(), self.ndim());
        let axes: Vec<i64> = match axes {
            None => (0..ndim as i64).rev().collect(),
            Some(axes) => axes.to_vec(),
        };
        let wrong = || Error::op(OpError::Permutation { axes: axes.clone(), ndim }, site);
        let place =
            |axis: &i64| phalanx_ops::shape::normalize_axis(*axis, ndim).map(|axis| axis as i64);
        let order: Result<Vec<i64>, _> = axes.iter().map(place).collect();
        let order = order.map_err(|_| wrong())?;
        if order.len() != ndim {
            return Err(wrong());
        }
        let order: Vec<i64> = order.into_iter().chain([ndim as i64]).collect();
        self.with_bytes(within(site, || self.bytes.transpose(order)))
    }

    /// The view with two axes exchanged. Local. Errors: `OpError::Axis`.
    #[track_caller]
    pub fn swapaxes(&self, first: i64, second: i64) -> Result<Records, Error> {
        let site = call_site();
        let place = |axis| {
            phalanx_ops::shape::normalize_axis(axis, self.ndim())
                .map_err(|error| Error::op(error, site))
        };
        let mut axes: Vec<i64> = (0..self.ndim() as i64).collect();
        axes.swap(place(first)?, place(second)?);
        within(site, || self.transposed(Some(&axes)))
    }

    /// The view without axes of extent 1. Local.
    #[track_caller]
    pub fn squeeze(&self) -> Result<Records, Error> {
        let extents = self.shape().iter().filter(|&&extent| extent != 1);
        let shape: Vec<i64> = extents.map(|&extent| extent as i64).collect();
        within(call_site(), || self.reshaped(&shape, MemoryOrder::C))
    }

    /// A copy of all elements along one axis, read in an order. Local (records a node).
    #[track_caller]
    pub fn flatten(&self, order: MemoryOrder) -> Result<Records, Error> {
        within(call_site(), || {
            let flat = self.reshaped(&[-1], order)?;
            if flat.bytes.has_base_of(&self.bytes) {
                flat.copy_in(MemoryOrder::C)
            } else {
                Ok(flat)
            }
        })
    }

    /// The elements with another shape: a view if NumPy makes one, else a copy. Local. Errors:
    /// `OpError::Reshape`.
    #[track_caller]
    pub fn reshaped(&self, shape: &[i64], order: MemoryOrder) -> Result<Records, Error> {
        let site = call_site();
        let resolved = phalanx_ops::shape::resolve_reshape(self.shape(), shape)
            .map_err(|error| Error::op(error, site))?;
        let with_bytes = |shape: &[usize]| -> Vec<usize> {
            shape.iter().copied().chain([self.record.size()]).collect()
        };
        within(site, || match order {
            MemoryOrder::F => {
                let reversed: Vec<usize> = resolved.iter().rev().copied().collect();
                let turned = self.transposed(None)?;
                turned.with_bytes(turned.bytes.reshape(with_bytes(&reversed)))?.transposed(None)
            }
            _ => self.with_bytes(self.bytes.reshape(with_bytes(&resolved))),
        })
    }

    /// The view broadcast to `shape`. Local. Errors: `OpError::BroadcastInto`.
    #[track_caller]
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Records, Error> {
        let whole: Vec<usize> = shape.iter().copied().chain([self.record.size()]).collect();
        self.with_bytes(within(call_site(), || self.bytes.broadcast_to(whole)))
    }

    /// A copy in the memory order `order`. Local (records a node).
    #[track_caller]
    pub fn copy_in(&self, order: MemoryOrder) -> Result<Records, Error> {
        within(call_site(), || {
            let flags = self.flags()?;
            let is_fortran = flags.f_contiguous && !flags.c_contiguous;
            match order {
                MemoryOrder::F => self.copied_in_fortran_order(),
                MemoryOrder::A | MemoryOrder::K if is_fortran => self.copied_in_fortran_order(),
                _ => self.with_bytes(self.bytes.copy()),
            }
        })
    }

    /// NumPy's `asarray(records, dtype, order, copy)`: the copy that the request needs, or `None`
    /// if the array itself meets it. `copies` is as in [`copy_if_needed`](crate::copy_if_needed).
    /// Local (a copy records nodes). Errors: those of [`Records::cast`], `OpError::Argument` if a
    /// copy is needed and not allowed.
    #[track_caller]
    pub fn copy_if_needed(
        &self,
        record: Option<&Arc<Record>>,
        order: MemoryOrder,
        copies: impl Into<Option<bool>>,
    ) -> Result<Option<Records>, Error> {
        let (site, copies) = (call_site(), copies.into());
        let cast_to = record.filter(|record| **record != *self.record());
        let is_in_order = order == MemoryOrder::A || order.is_of(self.flags()?);
        match copies {
            None | Some(false) if cast_to.is_none() && is_in_order => Ok(None),
            Some(false) => Err(refused("asarray", "copy", NEEDS_COPY, site)),
            _ => within(site, || match cast_to {
                Some(record) => self.cast(record)?.copy_in(order).map(Some),
                None => self.copy_in(order).map(Some),
            }),
        }
    }

    fn copied_in_fortran_order(&self) -> Result<Records, Error> {
        let turned = self.transposed(None)?;
        turned.with_bytes(turned.bytes.copy())?.transposed(None)
    }

    /// The view of a field by its name or title. Local.
    ///
    /// Errors: `OpError::Argument` for an unknown name, `OpError::Arguments` for a field of a kind
    /// that arrays do not have.
    #[track_caller]
    pub fn field(&self, name: &str) -> Result<Shown, Error> {
        let site = call_site();
        match self.record.field(name) {
            Some(field) => within(site, || self.shown(field)),
            None => Err(refused("structured array", "field", format!("{name:?}"), site)),
        }
    }

    /// The view of some of the fields. Local. Errors: `OpError::Argument` for unknown or
    /// repeated names.
    #[track_caller]
    pub fn fields(&self, names: &[&str]) -> Result<Records, Error> {
        let record = self.record.selected(names).ok_or_else(|| {
            refused("structured array", "fields", format!("{names:?}"), call_site())
        })?;
        Ok(Records { bytes: self.bytes.clone(), record: Arc::new(record) })
    }

    /// The view of a field.
    pub(super) fn shown(&self, field: &Field) -> Result<Shown, Error> {
        let (start, end) = (field.offset as i64, (field.offset + field.size()) as i64);
        let range = Index::Range { start: Some(start), stop: Some(end), step: 1 };
        let part = self.bytes.slice([Index::Ellipsis, range]);
        let shape = |last: &[usize]| -> Vec<usize> {
            self.shape().iter().chain(&field.shape).chain(last).copied().collect()
        };
        match &field.form {
            Form::Number(dtype) if field.shape.is_empty() => {
                let one = part.view(*dtype).slice([Index::Ellipsis, Index::At(0)]);
                Ok(Shown::Numbers(one.into_result()?))
            }
            Form::Number(dtype) => {
                Ok(Shown::Numbers(part.view(*dtype).reshape(shape(&[])).into_result()?))
            }
            Form::Record(record) => {
                let bytes = part.reshape(shape(&[record.size()]));
                Ok(Shown::Records(Records { bytes: bytes.into_result()?, record: record.clone() }))
            }
            Form::Other { .. } => Err(wrong(
                "arrays hold numbers and truth values: the field is of another kind",
                call_site(),
            )),
        }
    }
}

/// The error of an operation that structured arrays do not support.
pub(super) fn wrong(problem: &'static str, site: Site) -> Error {
    Error::op(OpError::Arguments { operation: "structured array", problem }, site)
}
