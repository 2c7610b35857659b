//! Choices among several values by conditions.

use crate::array::{Argument, Array, assigned_number, wrapped_number};
use crate::dtypes::{choice_in, result_type};
use crate::indexing::AnyIndex;
use crate::manipulation::refused;
use crate::math::{as_array, select};
use phalanx_graph::{Error, Site, call_site, outside, within};
use phalanx_ops::DType;
use phalanx_ops::error::OpError;

/// NumPy's `select(condlist, choicelist, default)`: each element is that of the choice whose
/// condition holds first, or of `default` if no condition holds. All arguments broadcast.
///
/// Dtype: the promotion of all choices and `default`. Local (records nodes, which fuse). Errors:
/// `OpError::Argument` without conditions or if the number of choices differs, `OpError::Mask` for
/// conditions that are not bool, `OpError::OutOfRange`, `OpError::Broadcast`.
#[track_caller]
#[must_use]
pub fn select_list(
    conditions: &[&Array],
    choices: &[Argument],
    default: impl Into<Argument>,
) -> Array {
    let (site, default) = (call_site(), default.into());
    Array::catch((|| {
        let Some(first) = conditions.first() else {
            return Err(refused("select", "conditions", "none", site));
        };
        if conditions.len() != choices.len() {
            let value = format!("{} for {} conditions", choices.len(), conditions.len());
            return Err(refused("select", "choices", value, site));
        }
        for (place, condition) in conditions.iter().enumerate() {
            let dtype = condition.ok()?.dtype();
            if dtype != DType::Bool {
                let argument = format!("select: condition {place}");
                return Err(Error::op(OpError::Mask { argument, dtype }, site));
            }
        }
        first.mesh()?.enter(|| {
            within(site, || {
                let all: Vec<Argument> = choices.iter().chain([&default]).cloned().collect();
                let dtype = result_type(&all)?;
                let default = match default {
                    Argument::Weak(weak) => wrapped_number(dtype, weak, site)?.into(),
                    strong => strong,
                };
                let mut chosen = as_array(&default).ok()?.converted(dtype, site);
                for (condition, choice) in conditions.iter().zip(choices).rev() {
                    chosen = select(condition, choice_in(dtype, choice, site)?, &chosen);
                }
                chosen.into_result()
            })
        })
    })())
}

/// NumPy's `piecewise` with values in place of functions: each element is the value whose condition
/// holds last. Where no condition holds, it is the additional value at the end of `values`, or zero
/// without one.
///
/// Shape and dtype are those of `x`; values are cast as by `astype`. A condition that is not bool
/// holds where it is not zero, and one with fewer axes is for the first axes of `x`, as a mask is.
/// Local (records nodes, which fuse). Errors: `OpError::Argument` for a wrong number of values,
/// `OpError::MaskShape`, `OpError::BroadcastInto` for a value.
#[track_caller]
#[must_use]
pub fn piecewise(x: &Array, conditions: &[&Array], values: &[Argument]) -> Array {
    let site = call_site();
    Array::catch((|| {
        let dtype = x.ok()?.dtype();
        if values.len() != conditions.len() && values.len() != conditions.len() + 1 {
            let value = format!("{} for {} conditions", values.len(), conditions.len());
            return Err(refused("piecewise", "values", value, site));
        }
        let conditions = truths(conditions, site)?;
        x.mesh()?.enter(|| {
            within(site, || {
                let value = |argument: &Argument| -> Result<Array, Error> {
                    let argument = match argument {
                        Argument::Weak(weak) => assigned_number(dtype, *weak, site)?.into(),
                        other => other.clone(),
                    };
                    Ok(as_array(&argument).converted(dtype, site))
                };
                let otherwise = match values.get(conditions.len()) {
                    Some(otherwise) => value(otherwise)?,
                    None => crate::creation::zeros((), dtype),
                };
                let whole = x.shape();
                let mut result = otherwise.broadcast_to(whole);
                for (condition, argument) in conditions.iter().zip(values) {
                    result = select(&spread(condition, whole, site)?, value(argument)?, &result);
                }
                // Without conditions, `result` is still a broadcast view of one element.
                Ok(if conditions.is_empty() {
                    result.ok()?.copy()
                } else {
                    result.into_result()?
                })
            })
        })
    })())
}

/// The value of [`piecewise_by`] where a condition holds.
pub enum Piece<'a> {
    /// A value.
    Value(Argument),
    /// A function of the vector of elements for which the condition holds. It returns as many
    /// values, or one.
    Function(Box<dyn Fn(&Array) -> Argument + 'a>),
}

impl<'a> Piece<'a> {
    /// A piece that is computed by a function.
    pub fn function<V: Into<Argument>>(function: impl Fn(&Array) -> V + 'a) -> Piece<'a> {
        Piece::Function(Box::new(move |elements| function(elements).into()))
    }
}

impl<V: Into<Argument>> From<V> for Piece<'_> {
    fn from(value: V) -> Self {
        Piece::Value(value.into())
    }
}

/// NumPy's `piecewise`: [`piecewise`] with functions among the values. A function is called only if
/// its condition holds for an element.
///
/// Collective: the elements for which each condition holds are counted. Errors: those of
/// [`piecewise`], those that the functions return, and those of writing their values.
#[track_caller]
#[must_use]
pub fn piecewise_by(x: &Array, conditions: &[&Array], pieces: &[Piece<'_>]) -> Array {
    let site = call_site();
    Array::catch((|| {
        let dtype = x.ok()?.dtype();
        let has_otherwise = pieces.len() == conditions.len() + 1;
        if (pieces.len() != conditions.len() && !has_otherwise)
            || (conditions.is_empty() && has_otherwise)
        {
            let value = format!("{} for {} conditions", pieces.len(), conditions.len());
            return Err(refused("piecewise", "functions", value, site));
        }
        let mut masks = truths(conditions, site)?;
        if has_otherwise && let [first, others @ ..] = masks.as_slice() {
            let any = |any: Array, one: &Array| any.logical_or(one);
            let any = within(site, || others.iter().fold(first.clone(), any));
            masks.push(within(site, || any.logical_not()));
        }
        let result = within(site, || crate::creation::zeros_like(x, None));
        for (mask, piece) in masks.iter().zip(pieces) {
            let value = match piece {
                Piece::Value(value) => value.clone(),
                Piece::Function(function) => {
                    let taken = within(site, || x.index([AnyIndex::Array(mask.clone())]));
                    if taken.ok()?.size() == 0 {
                        continue;
                    }
                    outside(|| function(&taken))
                }
            };
            let value = match value {
                Argument::Array(array) => Argument::Array(array.ok()?.converted(dtype, site)),
                other => other,
            };
            within(site, || result.try_assign_index([AnyIndex::Array(mask.clone())], value))?;
        }
        Ok(result)
    })())
}

/// A condition on the first axes of a shape, as a mask is, broadcast to the other axes.
fn spread(condition: &Array, whole: &[usize], site: Site) -> Result<Array, Error> {
    let mut shape = condition.shape().to_vec();
    if whole.get(..shape.len()) != Some(&shape[..]) {
        let extents = whole[..shape.len().min(whole.len())].into();
        return Err(Error::op(
            OpError::MaskShape { mask: condition.shape().into(), extents },
            site,
        ));
    }
    shape.resize(whole.len(), 1);
    condition.reshape(shape).broadcast_to(whole).into_result()
}

/// Conditions as bools.
fn truths(conditions: &[&Array], site: Site) -> Result<Vec<Array>, Error> {
    let truth = |condition: &&Array| match condition.ok()?.dtype() {
        DType::Bool => Ok((*condition).clone()),
        _ => within(site, || condition.astype(DType::Bool).into_result()),
    };
    conditions.iter().map(truth).collect()
}
