//! Random order and random choice.

use super::Generator;
use crate::array::Array;
use crate::creation::ShapeArgument;
use crate::error::{DataError, Error, Site, call_site, within};
use crate::indexing::take_along_axis;
use crate::manipulation::refused;
use crate::math::select;
use crate::scans::cumsum;
use crate::sorting::{Side, argsort, searchsorted};
use phalanx_ops::DType;
use phalanx_ops::error::OpError;
use phalanx_ops::shape::size;

impl Generator {
    /// The numbers from 0 to before `count` in random order (`i64`): the order of as many random
    /// numbers.
    #[track_caller]
    #[must_use]
    pub fn permutation(&self, count: usize) -> Array {
        let site = call_site();
        Array::catch(within(site, || argsort(&self.bits([count]), 0).ok().cloned()))
    }

    /// A copy of the array with its slices along an axis in random order: NumPy's `permutation` of
    /// an array. Errors: `OpError::Axis`.
    #[track_caller]
    #[must_use]
    pub fn shuffled(&self, array: &Array, axis: i64) -> Array {
        let site = call_site();
        Array::catch(within(site, || {
            let count = array.ok()?.shape()[array.axis(axis, site)?];
            array.take(&self.permutation(count), axis).ok().cloned()
        }))
    }

    /// A copy of the array with the elements of each line along an axis in a random order of its
    /// own; without an axis, with all elements in random order. Errors: `OpError::Axis`.
    #[track_caller]
    #[must_use]
    pub fn permuted(&self, array: &Array, axis: impl Into<Option<i64>>) -> Array {
        let (site, axis) = (call_site(), axis.into());
        Array::catch(within(site, || {
            array.ok()?;
            let Some(axis) = axis else {
                let order = self.permutation(array.size());
                return array.reshape([-1]).take(&order, 0).reshape(array.shape()).ok().cloned();
            };
            array.axis(axis, site)?;
            let order = argsort(&self.bits(array.shape()), axis);
            take_along_axis(array, &order, axis).ok().cloned()
        }))
    }

    /// Puts the slices of the array along an axis into random order. Errors: `OpError::Axis`, and
    /// those of [`Array::assign`].
    #[track_caller]
    pub fn shuffle(&self, array: &Array, axis: i64) {
        let site = call_site();
        let shuffled = within(site, || self.shuffled(array, axis));
        if let Err(error) = within(site, || array.try_assign(&shuffled)) {
            array.poison(error);
        }
    }

    /// Slices of the array along its first axis, chosen at random: each at most once unless
    /// `replace`; with `weights`, a vector of their chances, in proportion to them.
    ///
    /// Collective with weights, which must add up to 1, else Local. Errors: `OpError::Argument` for
    /// more than there are, for another number of weights, for NaN and for another sum,
    /// `OpError::Ndim`, `OpError::Cast` for complex weights, `DataError::Negative`.
    #[track_caller]
    #[must_use]
    pub fn choice(
        &self,
        array: &Array,
        shape: impl Into<ShapeArgument>,
        replace: bool,
        weights: Option<&Array>,
    ) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            array.ok()?;
            if array.ndim() == 0 {
                let (operation, expected) = ("choice", "at least 1");
                return Err(Error::op(OpError::Ndim { operation, expected, ndim: 0 }, site));
            }
            let count = array.shape()[0];
            let shape = shape.resolve(8, site)?;
            let wanted = size(&shape);
            let chances = weights.map(|weights| chances(weights, count, site)).transpose()?;
            if (count == 0 && wanted > 0) || (!replace && wanted > count) {
                return Err(refused("choice", "shape", format!("{shape:?} of {count}"), site));
            }
            let first = |order: Array| order.slice(crate::s![..wanted]).copy();
            let positions = match chances {
                None if replace => self.integers(0, count.max(1) as i64, shape.as_slice()),
                None => first(self.permutation(count)).reshape(shape.as_slice()),
                Some(chances) if replace => {
                    let sums = cumsum(&chances, Some(0));
                    let all = sums.slice(crate::s![-1]);
                    let drawn = self.random(shape.as_slice(), DType::F64) * all;
                    let found = searchsorted(&sums, &drawn, Side::Right);
                    select(&found.less(count as i64), &found, count as i64 - 1)
                }
                Some(chances) => {
                    let possible = chances.greater(0);
                    let there_are = possible.astype(DType::I64).sum(()).item::<i64>()?;
                    if wanted as i64 > there_are {
                        let value = format!("{shape:?} of {there_are} with a chance");
                        return Err(refused("choice", "shape", value, site));
                    }
                    // What happens first of things that happen with these rates.
                    let times = self.standard_exponential([count], DType::F64) / &chances;
                    let times = select(&possible, &times, f64::INFINITY);
                    first(argsort(&times, 0)).reshape(shape.as_slice())
                }
            };
            array.take(&positions, 0).ok().cloned()
        }))
    }
}

/// Weights as chances of so many things.
fn chances(weights: &Array, count: usize, site: Site) -> Result<Array, Error> {
    let (operation, ndim, dtype) = ("choice", weights.ok()?.ndim(), weights.dtype());
    if dtype.is_complex() {
        return Err(Error::op(OpError::Cast { from: dtype, to: DType::F64 }, site));
    }
    if ndim != 1 {
        return Err(Error::op(OpError::Ndim { operation, expected: "1", ndim }, site));
    }
    if weights.size() != count {
        let value = format!("{} of {count}", weights.size());
        return Err(refused(operation, "the number of weights", value, site));
    }
    let chances = weights.converted(DType::F64, site);
    let (sum, least) = (chances.sum(()), chances.min(crate::axis(()).initial(0.0)));
    let (sum, least) = (sum.item::<f64>()?, least.item::<f64>()?);
    if least < 0.0 {
        return Err(Error::data(DataError::Negative { operation, argument: "weights" }, site));
    }
    let epsilon = match dtype {
        DType::F16 => 1.0 / 1024.0,
        DType::BF16 => 1.0 / 128.0,
        DType::F32 => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    };
    let is_one = (sum - 1.0).abs() <= epsilon.sqrt();
    if !is_one {
        return Err(refused(operation, "the sum of the weights", sum.to_string(), site));
    }
    Ok(chances)
}
