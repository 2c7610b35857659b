//! Gradients: derivatives by differences along each axis.

use super::differences::{as_array, diff, part};
use crate::array::Argument;
use crate::array::Array;
use crate::creation::zeros;
use crate::manipulation::refused;
use crate::reductions::Axes;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Kind, Op, Weak};

/// The options of [`gradient`]: NumPy's further arguments. `()` is their defaults.
#[derive(Clone, Default)]
pub struct GradientOptions {
    spacing: Vec<Argument>,
    axes: Option<Axes>,
    edge_order: Option<i64>,
}

impl From<()> for GradientOptions {
    fn from((): ()) -> GradientOptions {
        GradientOptions::default()
    }
}

impl GradientOptions {
    /// The distance of neighbours (a number), or their coordinates (a vector). Call this once for
    /// all axes, or once for each axis.
    #[must_use]
    pub fn spacing(mut self, spacing: impl Into<Argument>) -> GradientOptions {
        self.spacing.push(spacing.into());
        self
    }

    /// Takes gradients along these axes; the default is all axes.
    #[must_use]
    pub fn axis(self, axes: impl Into<Axes>) -> GradientOptions {
        GradientOptions { axes: Some(axes.into()), ..self }
    }

    /// Differences at the ends are accurate to this order: 1 or 2.
    #[must_use]
    pub fn edge_order(self, edge_order: i64) -> GradientOptions {
        GradientOptions { edge_order: Some(edge_order), ..self }
    }
}

/// NumPy's `gradient`: for each axis, the derivative by central differences inside and by one-sided
/// differences at the ends.
///
/// Shape: that of the array; dtype `f64` for integers. Local (records nodes). On an error the
/// result is one array that carries it. Errors: `OpError::Axis`, `OpError::Argument` for too few
/// elements, an edge order above 2 or coordinates that do not fit, `OpError::Arguments` for a wrong
/// number of spacings.
#[track_caller]
#[must_use]
pub fn gradient(array: &Array, options: impl Into<GradientOptions>) -> Vec<Array> {
    let (site, options) = (call_site(), options.into());
    let gradients = array
        .mesh()
        .and_then(|mesh| mesh.enter(|| within(site, || try_gradient(array, &options, site))));
    gradients.unwrap_or_else(|error| vec![Array::broken(error)])
}

fn try_gradient(array: &Array, options: &GradientOptions, site: Site) -> Result<Vec<Array>, Error> {
    let axes = match &options.axes {
        Some(axes) => axes.in_order(array.ndim(), site)?,
        None => (0..array.ndim()).collect(),
    };
    let is_step = |one: &Argument| one.as_array().is_none_or(|array| array.ndim() == 0);
    let spacings = match options.spacing.as_slice() {
        [] => vec![Argument::Weak(Weak::Float(1.0)); axes.len()],
        [one] if is_step(one) => vec![one.clone(); axes.len()],
        each if each.len() == axes.len() => each.to_vec(),
        _ => {
            let problem = "there must be one step, or a spacing for each axis";
            return Err(Error::op(OpError::Arguments { operation: "gradient", problem }, site));
        }
    };
    let edge_order = options.edge_order.unwrap_or(1);
    if edge_order > 2 {
        return Err(refused("gradient", "edge_order", edge_order.to_string(), site));
    }
    let values = if array.dtype().is_integer() && array.dtype() != DType::Bool {
        array.converted(DType::F64, site)
    } else {
        array.clone()
    };
    let mut gradients = Vec::new();
    for (&axis, spacing) in axes.iter().zip(&spacings) {
        let extent = array.shape()[axis];
        if (extent as i64) < edge_order + 1 {
            return Err(refused("gradient", "extent", extent.to_string(), site));
        }
        gradients.push(gradient_along(&values, axis, spacing, edge_order, site)?);
    }
    Ok(gradients)
}

/// The gradient along one axis.
fn gradient_along(
    values: &Array,
    axis: usize,
    spacing: &Argument,
    edge_order: i64,
    site: Site,
) -> Result<Array, Error> {
    let dtype = if values.dtype().is_inexact() { values.dtype() } else { DType::F64 };
    let steps = steps_of(spacing, values, axis, site)?;
    let result = zeros(values.shape(), dtype);
    let line = Line { values, axis, last: values.shape()[axis] as i64, result };
    match steps {
        Some(steps) => line.with_steps(&steps, edge_order)?,
        None => line.with_one_step(spacing, edge_order)?,
    }
    Ok(line.result)
}

/// The distances of neighbours along an axis, if the spacing is a vector of coordinates.
fn steps_of(
    spacing: &Argument,
    values: &Array,
    axis: usize,
    site: Site,
) -> Result<Option<Array>, Error> {
    let extent = values.shape()[axis];
    match spacing {
        Argument::Array(x) if x.ok()?.ndim() > 0 => {
            if x.shape() != [extent] {
                let value = format!("coordinates of shape {:?}", x.shape());
                return Err(refused("gradient", "spacing", value, site));
            }
            let x = if x.dtype().is_inexact() { x.clone() } else { x.converted(DType::F64, site) };
            let mut shape = vec![1usize; values.ndim()];
            shape[axis] = extent - 1;
            Ok(Some(diff(&x, ()).reshape(shape)))
        }
        _ => Ok(None),
    }
}

/// The lines along an axis, and the array that receives their gradients.
struct Line<'a> {
    values: &'a Array,
    axis: usize,
    /// The extent of the axis.
    last: i64,
    result: Array,
}

impl Line<'_> {
    /// The elements from `start` on, as many as have two neighbours.
    fn inner(&self, start: i64) -> Array {
        part(self.values, self.axis, Some(start), Some(self.last - 2 + start))
    }

    /// The elements of an array at one position.
    fn at(&self, array: &Array, place: i64) -> Array {
        part(array, self.axis, Some(place), Some(place + 1))
    }

    fn write(&self, start: i64, stop: i64, value: Array) -> Result<(), Error> {
        part(&self.result, self.axis, Some(start), Some(stop)).try_assign(value)
    }

    /// Writes the gradients for neighbours at one distance.
    fn with_one_step(&self, spacing: &Argument, edge_order: i64) -> Result<(), Error> {
        let last = self.last;
        let inner = |start: i64| self.inner(start);
        let value = |place: i64| self.at(self.values, place);
        // As NumPy, which combines the numbers in f64 before it combines them with elements of a
        // narrower dtype.
        let number = |op: Op, number: f64| match (spacing, op) {
            (Argument::Weak(weak), Op::Multiply) if weak.kind() != Kind::Complex => {
                Argument::from(number * weak.to_complex().re)
            }
            (Argument::Weak(weak), Op::Divide) if weak.kind() != Kind::Complex => {
                Argument::from(number / weak.to_complex().re)
            }
            _ => Array::apply(op, &[number.into(), as_array(spacing).into()]).into(),
        };
        self.write(1, last - 1, (inner(2) - inner(0)) / number(Op::Multiply, 2.0))?;
        if edge_order == 2 {
            let factor = |factor: f64| number(Op::Divide, factor);
            let start = value(0) * factor(-1.5) + value(1) * factor(2.0) + value(2) * factor(-0.5);
            self.write(0, 1, start)?;
            let end = value(last - 3) * factor(0.5)
                + value(last - 2) * factor(-2.0)
                + value(last - 1) * factor(1.5);
            self.write(last - 1, last, end)
        } else {
            let by = |value: Array| {
                let arguments = [value.into(), spacing.clone()];
                Array::apply(Op::Divide, &arguments)
            };
            self.write(0, 1, by(value(1) - value(0)))?;
            self.write(last - 1, last, by(value(last - 1) - value(last - 2)))
        }
    }

    /// Writes the gradients for the distances of all neighbours.
    fn with_steps(&self, steps: &Array, edge_order: i64) -> Result<(), Error> {
        let (axis, last) = (self.axis, self.last);
        let inner = |start: i64| self.inner(start);
        let value = |place: i64| self.at(self.values, place);
        let (before, after) = (part(steps, axis, None, Some(-1)), part(steps, axis, Some(1), None));
        let both = &before + &after;
        self.write(
            1,
            last - 1,
            -(&after / (&before * &both)) * inner(0)
                + (&after - &before) / (&before * &after) * inner(1)
                + &before / (&after * &both) * inner(2),
        )?;
        if edge_order == 2 {
            let (one, two) = (self.at(steps, 0), self.at(steps, 1));
            let both = &one + &two;
            let start = -((&one * 2.0 + &two) / (&one * &both)) * value(0)
                + &both / (&one * &two) * value(1)
                - &one / (&two * &both) * value(2);
            self.write(0, 1, start)?;
            let (one, two) = (self.at(steps, last - 3), self.at(steps, last - 2));
            let both = &one + &two;
            let end = &two / (&one * &both) * value(last - 3)
                - &both / (&one * &two) * value(last - 2)
                + (&two * 2.0 + &one) / (&two * &both) * value(last - 1);
            self.write(last - 1, last, end)
        } else {
            self.write(0, 1, (value(1) - value(0)) / self.at(steps, 0))?;
            let end = (value(last - 1) - value(last - 2)) / self.at(steps, last - 2);
            self.write(last - 1, last, end)
        }
    }
}
