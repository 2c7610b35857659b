//! Equality of records.

use super::handle::{Records, Shown, wrong};
use crate::array::Array;
use crate::creation::full;
use crate::manipulation::broadcast_shapes;
use crate::reductions::axis;
use phalanx_graph::{Error, call_site, within};
use phalanx_ops::{DType, Weak};

impl Records {
    /// Whether all fields are equal, element by element, with broadcasting: NumPy's `a == b`.
    /// Fields at the same position, which must have equal names, are compared. Elements without
    /// fields are compared by their bytes.
    ///
    /// Dtype: bool. Local (records nodes). Errors: `OpError::Arguments` for records with other
    /// fields, `OpError::Broadcast`.
    #[track_caller]
    pub fn equal(&self, other: &Records) -> Result<Array, Error> {
        within(call_site(), || {
            let (own, others) = (self.record.fields(), other.record.fields());
            if own.is_empty() && others.is_empty() && self.record.size() == other.record.size() {
                return inner_all(self.bytes.equal(&other.bytes), 1);
            }
            let names_agree = own.iter().zip(others).all(|(a, b)| a.name == b.name);
            if own.is_empty() || own.len() != others.len() || !names_agree {
                return Err(wrong("records with other fields are not compared", call_site()));
            }
            let shape = broadcast_shapes(&[self.shape(), other.shape()])?;
            let shape: Vec<i64> = shape.iter().map(|&extent| extent as i64).collect();
            let mesh = self.bytes.mesh()?;
            let mut all = mesh.enter(|| full(shape.as_slice(), Weak::Bool(true), DType::Bool));
            for (a, b) in own.iter().zip(others) {
                if a.shape != b.shape {
                    return Err(wrong("fields of other shapes are not compared", call_site()));
                }
                let equal = match (self.shown(a)?, other.shown(b)?) {
                    (Shown::Numbers(x), Shown::Numbers(y)) => x.equal(&y),
                    (Shown::Records(x), Shown::Records(y)) => x.equal(&y)?,
                    _ => {
                        let problem = "records are not compared with numbers";
                        return Err(wrong(problem, call_site()));
                    }
                };
                all = all.logical_and(&inner_all(equal, a.shape.len())?);
            }
            all.into_result()
        })
    }

    /// Whether a field differs, element by element: NumPy's `a != b`. Errors: those of
    /// [`Records::equal`].
    #[track_caller]
    pub fn not_equal(&self, other: &Records) -> Result<Array, Error> {
        within(call_site(), || self.equal(other)?.logical_not().into_result())
    }
}

/// Whether all elements along the last `axes` axes are true.
fn inner_all(truths: Array, axes: usize) -> Result<Array, Error> {
    if axes == 0 {
        return Ok(truths);
    }
    let last: Vec<i64> = (1..=axes as i64).map(|place| -place).collect();
    truths.all(axis(last.as_slice())).into_result()
}
