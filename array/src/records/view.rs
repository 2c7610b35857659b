//! Views of the same bytes as other elements, between structured and other dtypes.

use super::handle::{Records, wrong};
use super::record::Record;
use crate::array::Array;
use phalanx_graph::{Error, call_site, within};
use phalanx_ops::{DType, Index};
use std::sync::Arc;

impl Records {
    /// The bytes as numbers, NumPy's `a.view(dtype)`. If the sizes of the elements differ, the last
    /// axis changes. Local. Errors: `OpError::Reinterpret`, `OpError::Arguments`.
    #[track_caller]
    pub fn view_numbers(&self, dtype: DType) -> Result<Array, Error> {
        within(call_site(), || {
            let seen = if self.record.size() == dtype.size() {
                self.bytes.view(dtype).slice([Index::Ellipsis, Index::At(0)])
            } else {
                self.joined()?.view(dtype)
            };
            seen.into_result()
        })
    }

    /// The bytes as other records. Local. Errors: `OpError::Arguments`.
    #[track_caller]
    pub fn view_records(&self, record: &Arc<Record>) -> Result<Records, Error> {
        within(call_site(), || {
            if self.record.size() == record.size() {
                Ok(Records { bytes: self.bytes.clone(), record: record.clone() })
            } else {
                parted(&self.joined()?, record)
            }
        })
    }

    /// The numbers of an array as records. Local. Errors: those of [`Records::view_numbers`].
    #[track_caller]
    pub fn of_numbers(array: &Array, record: &Arc<Record>) -> Result<Records, Error> {
        within(call_site(), || {
            if array.dtype().size() != record.size() {
                return parted(&array.view(DType::U8), record);
            }
            let bytes = array.slice([Index::Ellipsis, Index::NewAxis]).view(DType::U8);
            Records::of_bytes(&bytes, record)
        })
    }

    /// The bytes of all elements along the last axis, joined into one axis.
    fn joined(&self) -> Result<Array, Error> {
        let (outer, last) = match self.shape().split_last() {
            Some((last, outer)) => (outer, *last),
            None => return Err(wrong("a 0-d array keeps the size of its element", call_site())),
        };
        let shape: Vec<usize> = outer.iter().copied().chain([last * self.record.size()]).collect();
        let joined = self.bytes.reshape(shape);
        if joined.ok()?.has_base_of(&self.bytes) {
            Ok(joined)
        } else {
            Err(wrong("the last axis is not contiguous", call_site()))
        }
    }
}

/// The bytes along the last axis, divided into records.
fn parted(bytes: &Array, record: &Arc<Record>) -> Result<Records, Error> {
    let Some((&last, outer)) = bytes.ok()?.shape().split_last() else {
        return Err(wrong("a 0-d array keeps the size of its element", call_site()));
    };
    if record.size() == 0 || last % record.size() != 0 {
        let problem = "the bytes of the last axis are not a multiple of the new size";
        return Err(wrong(problem, call_site()));
    }
    let parts = [last / record.size(), record.size()];
    let shape: Vec<usize> = outer.iter().copied().chain(parts).collect();
    Records::of_bytes(&bytes.reshape(shape), record)
}
