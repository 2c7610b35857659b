//! Random order and random choice.

use super::Generator;
use crate::array::Array;
use crate::creation::{ShapeArgument, arange};
use crate::indexing::take_along_axis;
use crate::manipulation::refused;
use crate::math::cumsum;
use crate::math::select;
use crate::sorting::{Side, argpartition, argsort, searchsorted};
use phalanx_graph::{DataError, Error, Site, call_site, within};
use phalanx_ops::DType;
use phalanx_ops::error::OpError;
use phalanx_ops::shape::size;

/// The population of [`Generator::choice`].
#[derive(Clone)]
pub enum Population {
    /// The integers (`i64`) from 0 up to, but not including, a number.
    Below(i64),
    /// The slices of an array along an axis.
    Slices(Array),
}

impl From<i64> for Population {
    fn from(count: i64) -> Population {
        Population::Below(count)
    }
}
impl From<i32> for Population {
    fn from(count: i32) -> Population {
        Population::Below(count.into())
    }
}
impl From<Array> for Population {
    fn from(array: Array) -> Population {
        Population::Slices(array)
    }
}
impl From<&Array> for Population {
    fn from(array: &Array) -> Population {
        Population::Slices(array.clone())
    }
}

/// Options of [`Generator::choice`]. `()` is the default: along the first axis, with equal
/// probabilities and with replacement.
#[derive(Clone)]
pub struct ChoiceOptions {
    replace: bool,
    weights: Option<Array>,
    axis: i64,
}

impl Default for ChoiceOptions {
    fn default() -> ChoiceOptions {
        ChoiceOptions { replace: true, weights: None, axis: 0 }
    }
}

impl From<()> for ChoiceOptions {
    fn from((): ()) -> ChoiceOptions {
        ChoiceOptions::default()
    }
}

impl ChoiceOptions {
    /// Whether an element may be chosen more than once.
    #[must_use]
    pub fn replace(self, replace: bool) -> ChoiceOptions {
        ChoiceOptions { replace, ..self }
    }

    /// The probabilities of the elements: a vector whose sum is 1.
    #[must_use]
    pub fn weights(self, weights: &Array) -> ChoiceOptions {
        ChoiceOptions { weights: Some(weights.clone()), ..self }
    }

    /// The axis of the slices.
    #[must_use]
    pub fn axis(self, axis: i64) -> ChoiceOptions {
        ChoiceOptions { axis, ..self }
    }
}

impl Generator {
    /// The integers from 0 to `count - 1` in random order (`i64`), computed as the sorting order of
    /// random numbers.
    #[track_caller]
    #[must_use]
    pub fn permutation(&self, count: usize) -> Array {
        let site = call_site();
        Array::catch(within(site, || argsort(&self.bits([count]), 0).into_result()))
    }

    /// A copy of the array with its slices along an axis in random order: NumPy's `permutation` of
    /// an array. Errors: `OpError::Axis`.
    #[track_caller]
    #[must_use]
    pub fn shuffled(&self, array: &Array, axis: i64) -> Array {
        let site = call_site();
        Array::catch(within(site, || {
            let count = array.ok()?.shape()[array.axis(axis, site)?];
            array.take(&self.permutation(count), axis).into_result()
        }))
    }

    /// A copy of the array in which each line along an axis has its own random order. Without an
    /// axis, all elements are in random order. Errors: `OpError::Axis`.
    #[track_caller]
    #[must_use]
    pub fn permuted(&self, array: &Array, axis: impl Into<Option<i64>>) -> Array {
        let (site, axis) = (call_site(), axis.into());
        Array::catch(within(site, || {
            array.ok()?;
            let Some(axis) = axis else {
                let order = self.permutation(array.size());
                return array.reshape([-1]).take(&order, 0).reshape(array.shape()).into_result();
            };
            array.axis(axis, site)?;
            let order = argsort(&self.bits(array.shape()), axis);
            take_along_axis(array, &order, axis).into_result()
        }))
    }

    /// Puts the slices of the array along an axis into random order. The array carries an error,
    /// which is one of those of [`Generator::try_shuffle`].
    #[track_caller]
    pub fn shuffle(&self, array: &Array, axis: i64) {
        let site = call_site();
        if let Err(error) = within(site, || self.try_shuffle(array, axis)) {
            array.poison(error);
        }
    }

    /// As [`Generator::shuffle`]. Errors: `OpError::Arguments` for an array without axes,
    /// `OpError::Axis`, and the errors of [`Array::try_assign`]; the array is then unchanged.
    #[track_caller]
    pub fn try_shuffle(&self, array: &Array, axis: i64) -> Result<(), Error> {
        let site = call_site();
        if array.ok()?.ndim() == 0 {
            let (operation, problem) = ("shuffle", "an array without axes has nothing to shuffle");
            return Err(Error::op(OpError::Arguments { operation, problem }, site));
        }
        within(site, || array.try_assign(self.shuffled(array, axis)))
    }

    /// NumPy's `choice`: integers below a number, or slices of an array, chosen at random. Shape:
    /// the given one for integers; for slices it replaces the axis of the slices.
    ///
    /// Collective with weights, which must add up to 1; else Local. Errors: `OpError::Argument` for
    /// a negative number, for a choice of more elements than exist, for another number of weights,
    /// for NaN and for another sum; `OpError::Axis`, `OpError::Ndim`, `OpError::Cast` for complex
    /// weights, `DataError::Negative`.
    #[track_caller]
    #[must_use]
    pub fn choice(
        &self,
        population: impl Into<Population>,
        shape: impl Into<ShapeArgument>,
        options: impl Into<ChoiceOptions>,
    ) -> Array {
        let (site, population) = (call_site(), population.into());
        let (shape, options) = (shape.into(), options.into());
        Array::catch(within(site, || {
            let ChoiceOptions { replace, weights, axis } = options;
            let is_range = matches!(population, Population::Below(_));
            let array = match population {
                Population::Slices(array) => array,
                Population::Below(count) if count < 0 => {
                    return Err(refused("choice", "a", count.to_string(), site));
                }
                Population::Below(count) => self.mesh.enter(|| arange(0, count, 1)),
            };
            if array.ok()?.ndim() == 0 {
                let (operation, expected) = ("choice", "at least 1");
                return Err(Error::op(OpError::Ndim { operation, expected, ndim: 0 }, site));
            }
            let count = array.shape()[array.axis(axis, site)?];
            let shape = shape.resolve(8, site)?;
            let wanted = size(&shape);
            let weights = weights.as_ref();
            let chances = weights.map(|weights| chances(weights, count, site)).transpose()?;
            if (count == 0 && wanted > 0) || (!replace && wanted > count) {
                return Err(refused("choice", "shape", format!("{shape:?} of {count}"), site));
            }
            let positions = match chances {
                None if replace => self.integers(0, count.max(1) as i64, shape.as_slice()),
                None => first(&self.bits([count]), wanted).reshape(shape.as_slice()),
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
                        let value = format!("{shape:?} of {there_are} with a positive chance");
                        return Err(refused("choice", "shape", value, site));
                    }
                    // Each element gets the time of its first event, at a rate that is its weight.
                    // The earliest elements are chosen.
                    let times = self.standard_exponential([count], DType::F64) / &chances;
                    let times = select(&possible, &times, f64::INFINITY);
                    first(&times, wanted).reshape(shape.as_slice())
                }
            };
            // The numbers of a range are their own positions.
            if is_range { Ok(positions) } else { array.take(&positions, axis).into_result() }
        }))
    }
}

/// The positions of the smallest keys, in the order of the keys: the start of a random order, of
/// which the rest is not sorted.
fn first(keys: &Array, wanted: usize) -> Array {
    let order = match wanted {
        0 => argsort(keys, 0),
        _ => argpartition(keys, &[0, wanted as i64 - 1], 0),
    };
    order.slice(crate::s![..wanted]).copy()
}

/// The weights as probabilities of `count` elements, checked.
fn chances(weights: &Array, count: usize, site: Site) -> Result<Array, Error> {
    let (operation, ndim, dtype) = ("choice", weights.ok()?.ndim(), weights.dtype());
    if dtype.is_complex() {
        return Err(Error::op(OpError::cast(dtype, DType::F64), site));
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
