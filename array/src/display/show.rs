//! The implementations of `Display` and `Debug` for arrays, and [`print`].

use super::elements::{rounded, scalar_text, words};
use super::layout::{Frame, PLAIN, Summary, layout};
use crate::array::Array;
use crate::engine::Cause;
use crate::error::{Error, call_site};
use crate::host::HostArray;
use phalanx_ops::{DType, Scalar};
use std::fmt;

impl HostArray {
    fn element(&self, position: usize) -> Scalar {
        let size = self.dtype.size();
        Scalar::from_bytes(self.dtype, &self.bytes[position * size..(position + 1) * size])
    }

    /// The text of NumPy's `str` at the default print options. If the number of bytes is wrong, the
    /// text is the error.
    pub fn text(&self) -> String {
        if let Err(error) = self.check() {
            return error.to_string();
        }
        if self.size() == 0 {
            return String::from("[]");
        }
        let shown =
            Summary::default().shown_positions(&self.shape).into_iter().map(|at| self.element(at));
        text_of(&self.shape, &shown.collect::<Vec<_>>(), self.dtype, PLAIN, None)
    }

    /// The text of an array of `shape` whose printed elements these are. With `digits`, floats have
    /// that many digits after the point.
    pub(super) fn text_within(
        &self,
        shape: &[usize],
        frame: Frame,
        digits: Option<usize>,
    ) -> String {
        if shape.contains(&0) {
            return String::from("[]");
        }
        let shown: Vec<Scalar> = (0..self.size()).map(|at| self.element(at)).collect();
        text_of(shape, &shown, self.dtype, frame, digits)
    }
}

/// The text of an array with elements, from the printed ones.
fn text_of(
    shape: &[usize],
    shown: &[Scalar],
    dtype: DType,
    frame: Frame,
    digits: Option<usize>,
) -> String {
    match (shown, digits) {
        ([element], Some(digits)) if shape.is_empty() => rounded(element, digits),
        ([element], None) if shape.is_empty() => scalar_text(element),
        _ => layout(shape, &words(shown, dtype, digits), frame),
    }
}

impl fmt::Display for Array {
    /// The elements as NumPy prints them, or the error. `{:.3}` prints floats with three digits
    /// after the point. Of a summarised array only the printed elements are fetched. Collectivity:
    /// that of [`Array::to_host`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Formatting has no call site.
        match self.made_at().and_then(|site| self.shown(Summary::default(), Cause::Print, site)) {
            Ok(shown) => f.write_str(&shown.text_within(self.shape(), PLAIN, f.precision())),
            Err(error) => write!(f, "{error}"),
        }
    }
}

impl fmt::Debug for Array {
    /// The shape and dtype, never elements. Local.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ok() {
            Ok(_) => write!(f, "Array(shape={:?}, dtype={})", self.shape(), self.dtype()),
            Err(error) => write!(f, "Array({error})"),
        }
    }
}

/// Prints the array on rank 0. Of a summarised array only the printed elements are fetched.
/// Collective over the mesh. Errors: those of [`Array::to_host`].
#[track_caller]
pub fn print(array: &Array) -> Result<(), Error> {
    let shown = array.shown(Summary::default(), Cause::Observation, call_site())?;
    if array.mesh()?.engine().process().0 == 0 {
        println!("{}", shown.text_within(array.shape(), PLAIN, None));
    }
    Ok(())
}
