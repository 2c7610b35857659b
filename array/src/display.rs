//! Printing of arrays, as NumPy prints small ones.

use crate::array::Array;
use crate::error::Error;
use crate::host::HostArray;
use phalanx_ops::{Kind, Scalar, Weak};
use std::fmt;
use std::panic::Location;

/// Arrays of more elements are summarised by their corners.
const MOST: usize = 1000;
/// Elements shown at each end of a summarised axis.
const EDGE: usize = 3;

impl HostArray {
    fn element(&self, position: usize) -> Scalar {
        let size = self.dtype.size();
        Scalar::from_bytes(self.dtype, &self.bytes[position * size..(position + 1) * size])
    }

    /// The text NumPy would print.
    pub fn text(&self) -> String {
        let summarised = self.size() > MOST;
        let shown = |extent: usize| -> Vec<Option<usize>> {
            if summarised && extent > 2 * EDGE {
                (0..EDGE).map(Some).chain([None]).chain((extent - EDGE..extent).map(Some)).collect()
            } else {
                (0..extent).map(Some).collect()
            }
        };
        let mut positions = vec![0];
        for &extent in &self.shape {
            let axis = shown(extent);
            positions = positions
                .iter()
                .flat_map(|&start| axis.iter().flatten().map(move |&index| start * extent + index))
                .collect();
        }
        let elements: Vec<Scalar> =
            positions.iter().map(|&position| self.element(position)).collect();
        let texts = format_elements(&elements, self.dtype.kind());
        let width = if self.shape.is_empty() {
            0
        } else {
            texts.iter().map(String::len).max().unwrap_or(0)
        };
        let mut next = texts.iter();
        let mut text = String::new();
        write_axis(&mut text, &self.shape, 0, &shown, &mut |text| {
            if let Some(element) = next.next() {
                text.push_str(&format!("{element:>width$}"));
            }
        });
        text
    }
}

fn write_axis(
    text: &mut String,
    shape: &[usize],
    axis: usize,
    shown: &dyn Fn(usize) -> Vec<Option<usize>>,
    element: &mut dyn FnMut(&mut String),
) {
    if axis == shape.len() {
        return element(text);
    }
    text.push('[');
    let last = axis + 1 == shape.len();
    for (position, index) in shown(shape[axis]).into_iter().enumerate() {
        if position > 0 {
            if last {
                text.push(' ');
            } else {
                text.push_str(&"\n".repeat(shape.len() - axis - 1));
                text.push_str(&" ".repeat(axis + 1));
            }
        }
        match index {
            Some(_) => write_axis(text, shape, axis + 1, shown, element),
            None => text.push_str("..."),
        }
    }
    text.push(']');
}

fn format_elements(elements: &[Scalar], kind: Kind) -> Vec<String> {
    match kind {
        Kind::Float => {
            let values: Vec<f64> = elements.iter().map(|e| e.to_weak().to_complex().re).collect();
            let single = elements.first().is_some_and(|e| e.dtype().size() <= 4);
            format_floats(&values, single)
        }
        Kind::Complex => {
            let single = elements.first().is_some_and(|e| e.dtype().size() <= 8);
            let parts = |part: fn(num_complex::Complex64) -> f64| {
                format_floats(
                    &elements.iter().map(|e| part(e.to_weak().to_complex())).collect::<Vec<_>>(),
                    single,
                )
            };
            let (real, imaginary) = (parts(|z| z.re), parts(|z| z.im));
            let sign = |text: String| if text.starts_with('-') { text } else { format!("+{text}") };
            real.into_iter().zip(imaginary).map(|(re, im)| format!("{re}{}j", sign(im))).collect()
        }
        Kind::Bool => elements
            .iter()
            .map(|e| String::from(if e.to_weak() == Weak::Bool(true) { "True" } else { "False" }))
            .collect(),
        Kind::Signed | Kind::Unsigned => elements.iter().map(Scalar::to_string).collect(),
    }
}

/// Floats with as many digits as tell them apart, at most 8 after the point; in scientific notation
/// where magnitudes differ widely, by NumPy's rule.
fn format_floats(values: &[f64], single: bool) -> Vec<String> {
    let shortest =
        |value: f64| if single { format!("{}", value as f32) } else { format!("{value}") };
    let finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    let magnitudes = || finite.iter().map(|v| v.abs()).filter(|&v| v > 0.0);
    let largest = magnitudes().fold(0.0, f64::max);
    let smallest = magnitudes().fold(f64::INFINITY, f64::min);
    let scientific =
        largest >= 1e8 || smallest < 1e-4 || largest / smallest > 1e3 && values.len() > 1;
    let scientific = scientific && (largest >= 1e8 || smallest < 1e-4)
        || (largest / smallest > 1e8 && values.len() > 1);
    let digits = if scientific {
        0
    } else {
        let after =
            |v: &f64| shortest(*v).split_once('.').map_or(0, |(_, fraction)| fraction.len());
        finite.iter().map(after).max().unwrap_or(0).min(8)
    };
    values
        .iter()
        .map(|&value| {
            if value.is_nan() {
                String::from("nan")
            } else if value.is_infinite() {
                String::from(if value > 0.0 { "inf" } else { "-inf" })
            } else if scientific {
                let text = format!("{value:.8e}");
                let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                let mantissa = mantissa.trim_end_matches('0');
                let exponent: i32 = exponent.parse().unwrap_or(0);
                format!("{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
            } else if digits == 0 {
                format!("{value:.0}.")
            } else {
                let text = format!("{value:.digits$}");
                let trimmed = text.trim_end_matches('0');
                if values.len() == 1 {
                    String::from(trimmed)
                } else {
                    format!("{trimmed:<width$}", width = text.len())
                }
            }
        })
        .collect()
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
