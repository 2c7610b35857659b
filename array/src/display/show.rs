//! What prints: `Display` and `Debug` of arrays, and [`print`].

use super::elements::{scalar_text, words};
use super::layout::{layout, shown_positions};
use crate::array::Array;
use crate::error::Error;
use crate::host::HostArray;
use phalanx_ops::Scalar;
use std::fmt;
use std::panic::Location;

impl HostArray {
    fn element(&self, position: usize) -> Scalar {
        let size = self.dtype.size();
        Scalar::from_bytes(self.dtype, &self.bytes[position * size..(position + 1) * size])
    }

    /// The text NumPy's `str` gives, at its default print options; what is wrong, if there are too
    /// few or too many bytes.
    pub fn text(&self) -> String {
        if let Err(error) = self.check() {
            return error.to_string();
        }
        if self.shape.is_empty() {
            return scalar_text(&self.element(0));
        }
        if self.size() == 0 {
            return String::from("[]");
        }
        let elements: Vec<Scalar> =
            shown_positions(&self.shape).into_iter().map(|at| self.element(at)).collect();
        layout(&self.shape, &words(&elements, self.dtype))
    }
}

impl fmt::Display for Array {
    /// The elements as NumPy prints them, or the error. Collectivity as [`Array::to_host`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_host_for_print() {
            Ok(host) => f.write_str(&host.text()),
            Err(error) => write!(f, "{error}"),
        }
    }
}

impl fmt::Debug for Array {
    /// Shape and dtype, never elements: Local.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ok() {
            Ok(_) => write!(f, "Array(shape={:?}, dtype={})", self.shape(), self.dtype()),
            Err(error) => write!(f, "Array({error})"),
        }
    }
}

/// Prints the array from rank 0. Collective over the mesh. Errors: as [`Array::to_host`].
#[track_caller]
pub fn print(array: &Array) -> Result<(), Error> {
    let host = array.to_host_at(Location::caller())?;
    if array.mesh()?.engine().process().0 == 0 {
        println!("{}", host.text());
    }
    Ok(())
}
