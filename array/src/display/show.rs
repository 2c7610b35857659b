//! The implementations of `Display` and `Debug` for arrays, and [`print`].

use super::elements::{rounded, scalar_text, words};
use super::layout::{Frame, PLAIN, Summary, layout};
use crate::array::Array;
use phalanx_graph::{Cause, Error, HostArray, call_site};
use phalanx_ops::{DType, Scalar};
use std::fmt;

fn element(array: &HostArray, position: usize) -> Scalar {
    let size = array.dtype.size();
    Scalar::from_bytes(array.dtype, &array.bytes[position * size..(position + 1) * size])
}

/// The text of NumPy's `str` of a host array at the default print options. If the number of bytes
/// is wrong, the text is the error. Local.
pub fn host_array_str(array: &HostArray) -> String {
    if let Err(error) = array.check() {
        return error.to_string();
    }
    if array.size() == 0 {
        return String::from("[]");
    }
    let shown = Summary::default().shown_positions(&array.shape).into_iter();
    let shown: Vec<Scalar> = shown.map(|at| element(array, at)).collect();
    text_of(&array.shape, &shown, array.dtype, PLAIN, None)
}

/// The text of an array of `shape` whose printed elements `shown` has. With `digits`, floats have
/// that many digits after the point.
pub(super) fn text_within(
    shown: &HostArray,
    shape: &[usize],
    frame: Frame,
    digits: Option<usize>,
) -> String {
    if shape.contains(&0) {
        return String::from("[]");
    }
    let elements: Vec<Scalar> = (0..shown.size()).map(|at| element(shown, at)).collect();
    text_of(shape, &elements, shown.dtype, frame, digits)
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
            Ok(shown) => f.write_str(&text_within(&shown, self.shape(), PLAIN, f.precision())),
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
        println!("{}", text_within(&shown, array.shape(), PLAIN, None));
    }
    Ok(())
}
