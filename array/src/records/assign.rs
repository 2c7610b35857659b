//! Writes into structured arrays, field by field.

use super::handle::{Records, Shown, wrong};
use super::record::{Field, Form, Record};
use crate::array::Argument;
use crate::array::Array;
use crate::indexing::AnyIndex;
use phalanx_graph::{Error, call_site, within};
use phalanx_ops::{DType, Index};
use std::sync::Arc;

/// A value that is written into a structured array.
#[derive(Clone)]
pub enum RecordValue {
    /// A number or an array of numbers: it is written into all fields of an element.
    Numbers(Argument),
    /// Records: their fields are written into the fields at the same positions.
    Records(Records),
}

impl Records {
    /// NumPy's `a[...] = value`, with broadcasting. Fields of records are matched by position, not
    /// by name. Local (records nodes).
    ///
    /// Errors: `OpError::BroadcastInto`, `OpError::Arguments` for another number of fields, and
    /// those of `Array::try_assign`.
    #[track_caller]
    pub fn try_assign(&self, value: &RecordValue) -> Result<(), Error> {
        within(call_site(), || match value {
            RecordValue::Records(value) => self.assign_records(value),
            RecordValue::Numbers(value) if self.record.is_void() => self.assign_bytes_of(value),
            RecordValue::Numbers(value) => {
                self.record.fields().iter().try_for_each(|field| self.fill(field, value))
            }
        })
    }

    /// NumPy's `a[items] = value`. Collectivity and errors: those of `Array::try_assign_index`.
    #[track_caller]
    pub fn try_assign_index(&self, items: &[AnyIndex], value: &RecordValue) -> Result<(), Error> {
        let site = call_site();
        let is_basic = items.iter().all(|item| matches!(item, AnyIndex::Basic(_)));
        if is_basic {
            return within(site, || self.index(items)?.try_assign(value));
        }
        let whole = self.whole_index(items, site)?;
        within(site, || {
            let shape = match value {
                RecordValue::Records(value) => value.shape().to_vec(),
                RecordValue::Numbers(Argument::Array(array)) => array.shape().to_vec(),
                RecordValue::Numbers(_) => Vec::new(),
            };
            let made = match value {
                RecordValue::Records(value) if value.record.has_layout_of(&self.record) => {
                    value.clone()
                }
                value => {
                    let mesh = self.bytes.mesh()?;
                    mesh.enter(|| Records::filled(&shape, &self.record, value))?
                }
            };
            self.bytes.try_assign_index(&whole, &made.bytes)
        })
    }

    /// An array of records with a value in all elements. Local (records nodes). Errors: those of
    /// [`Records::try_assign`].
    #[track_caller]
    pub fn filled(
        shape: &[usize],
        record: &Arc<Record>,
        value: &RecordValue,
    ) -> Result<Records, Error> {
        let shape: Vec<i64> = shape.iter().map(|&extent| extent as i64).collect();
        within(call_site(), || {
            let made = Records::zeros(&shape, record)?;
            made.try_assign(value)?;
            Ok(made)
        })
    }

    /// The elements cast to another record. Local (records nodes). Errors: those of
    /// [`Records::try_assign`].
    #[track_caller]
    pub fn cast(&self, record: &Arc<Record>) -> Result<Records, Error> {
        within(call_site(), || {
            let value = RecordValue::Records(self.clone());
            self.bytes.mesh()?.enter(|| Records::filled(self.shape(), record, &value))
        })
    }

    /// The only field, cast to numbers. Errors: `OpError::Arguments` for several fields.
    #[track_caller]
    pub fn cast_to_numbers(&self, dtype: DType) -> Result<Array, Error> {
        within(call_site(), || match self.record.fields() {
            [field] => match self.shown(field)? {
                Shown::Numbers(numbers) => numbers.astype(dtype).into_result(),
                Shown::Records(records) => records.cast_to_numbers(dtype),
            },
            _ => Err(wrong("records of several fields are no numbers", call_site())),
        })
    }

    fn assign_records(&self, value: &Records) -> Result<(), Error> {
        if self.record.is_void() || value.record.is_void() {
            return self.assign_bytes(&value.bytes);
        }
        if self.record.has_layout_of(&value.record) && self.record.is_packed() {
            return self.bytes.try_assign(&value.bytes);
        }
        if self.record.fields().len() != value.record.fields().len() {
            return Err(wrong("records of another number of fields", call_site()));
        }
        // The source may overlap the target, so it is read first, as in NumPy.
        let value = if value.bytes.has_base_of(&self.bytes) {
            &value.with_bytes(value.bytes.copy())?
        } else {
            value
        };
        let pairs = self.record.fields().iter().zip(value.record.fields());
        for (to, from) in pairs {
            if let (Form::Other { .. }, Form::Other { .. }) = (&to.form, &from.form) {
                self.copy_other(to, value, from)?;
                continue;
            }
            match (self.shown(to)?, value.shown(from)?) {
                (Shown::Records(to), Shown::Records(from)) => to.assign_records(&from)?,
                (Shown::Records(to), Shown::Numbers(from)) => {
                    to.try_assign(&RecordValue::Numbers(Argument::Array(from)))?;
                }
                (Shown::Numbers(to), Shown::Records(from)) => {
                    to.try_assign(from.cast_to_numbers(to.dtype())?)?;
                }
                (Shown::Numbers(target), Shown::Numbers(source)) => {
                    target.try_assign(aligned(source, from, to, value.ndim())?)?;
                }
            }
        }
        Ok(())
    }

    /// Copies a field of a kind that arrays do not have.
    fn copy_other(&self, to: &Field, value: &Records, from: &Field) -> Result<(), Error> {
        if (&to.form, &to.shape) != (&from.form, &from.shape) {
            return Err(wrong("fields of texts and dates are not cast", call_site()));
        }
        let part = |of: &Records, field: &Field| {
            let (start, end) = (field.offset as i64, (field.offset + field.size()) as i64);
            let range = Index::Range { start: Some(start), stop: Some(end), step: 1 };
            of.bytes.slice([Index::Ellipsis, range])
        };
        part(self, to).try_assign(part(value, from))
    }

    /// Writes numbers into a field of every element.
    fn fill(&self, field: &Field, value: &Argument) -> Result<(), Error> {
        match self.shown(field)? {
            Shown::Numbers(numbers) => match value {
                Argument::Array(array) => {
                    let ones: Vec<usize> = array
                        .shape()
                        .iter()
                        .copied()
                        .chain(field.shape.iter().map(|_| 1))
                        .collect();
                    numbers.try_assign(array.reshape(ones))
                }
                number => numbers.try_assign(number.clone()),
            },
            Shown::Records(records) => {
                records.record.fields().iter().try_for_each(|field| records.fill(field, value))
            }
        }
    }

    /// Writes the bytes of numbers into elements without fields.
    fn assign_bytes_of(&self, value: &Argument) -> Result<(), Error> {
        let Argument::Array(array) = value else {
            return Err(wrong("numbers without a dtype have no bytes", call_site()));
        };
        let whole = array.copy().slice([Index::Ellipsis, Index::NewAxis]).view(DType::U8);
        self.assign_bytes(&whole)
    }

    /// Writes the bytes into each element; the rest of the element becomes 0.
    fn assign_bytes(&self, value: &Array) -> Result<(), Error> {
        let (to, from) = (self.record.size(), value.ok()?.shape().last().copied().unwrap_or(0));
        let part = |of: &Array, start: usize, stop: usize| {
            let [start, stop] = [start, stop].map(|at| Some(at as i64));
            of.slice([Index::Ellipsis, Index::Range { start, stop, step: 1 }])
        };
        let both = to.min(from);
        part(&self.bytes, 0, both).try_assign(part(value, 0, both))?;
        if both < to {
            part(&self.bytes, both, to).try_assign(0)?;
        }
        Ok(())
    }
}

/// The numbers of a field, with axes of extent 1 for the axes of the target field.
fn aligned(source: Array, from: &Field, to: &Field, ndim: usize) -> Result<Array, Error> {
    if from.shape == to.shape {
        return Ok(source);
    }
    if !from.shape.is_empty() {
        return Err(wrong("fields of arrays of other shapes are not cast", call_site()));
    }
    let shape: Vec<usize> =
        source.shape()[..ndim].iter().copied().chain(to.shape.iter().map(|_| 1)).collect();
    source.reshape(shape).into_result()
}
