//! Reading and writing elements of raw arrays.

use super::arithmetic::Place;
use super::stop::Stop;
use super::types::Type;
use super::values::{Elements, Value, ValueKind};
use crate::array::{Argument, Array};
use crate::creation::zeros;
use crate::indexing::{Mode, take};
use crate::math::select;
use phalanx_graph::{Error, Site, within};
use phalanx_ops::structured::Put;
use phalanx_ops::{DType, Index, Op, Scalar, Shape};
use std::ops::Range;

/// The elements of the kernel: their shape, and their number.
#[derive(Clone)]
pub(super) struct Space {
    pub shape: Shape,
    pub count: usize,
}

impl Space {
    /// A value as an array with an element for each element of the kernel.
    pub fn spread(&self, value: &Value, of: Type, site: Site) -> Result<Array, Error> {
        let array = match value.argument(of, site)? {
            Argument::Array(array) => array,
            other => within(site, || other.into_array()),
        };
        match array.ok()?.shape() == &*self.shape {
            true => Ok(array),
            false => within(site, || array.broadcast_to(&self.shape[..]).into_result()),
        }
    }
}

/// The view of the elements `scale * i + offset` for the numbers `i`.
fn along((scale, offset): (i64, i64), numbers: &Range<i64>) -> Index {
    let first = scale * numbers.start + offset;
    let end = scale * (numbers.end - 1) + offset + scale.signum();
    // The end of a descending range may be before the first element.
    let stop = (end >= 0).then_some(end);
    Index::Range { start: Some(first), stop, step: scale }
}

/// The numbers `i` of `0..count` for which `0 <= scale * i + offset < extent`.
fn inside((scale, offset): (i64, i64), count: usize, extent: usize) -> Option<Range<i64>> {
    let (scale, offset) = (i128::from(scale), i128::from(offset));
    let (count, last) = (count as i128, extent as i128 - 1);
    let (low, high) = if scale > 0 { (-offset, last - offset) } else { (offset - last, offset) };
    let size = scale.abs();
    let first = low.div_euclid(size) + i128::from(low.rem_euclid(size) > 0);
    let (start, end) = (first.max(0), (high.div_euclid(size) + 1).min(count));
    Some(i64::try_from(start).ok()?..i64::try_from(end.max(start)).ok()?)
}

/// The elements of a vector at an index for each element of the kernel. An index outside of the
/// vector reads some element or zero.
pub(super) fn read(
    vector: &Array,
    index: &Value,
    space: &Space,
    place: Place,
) -> Result<Value, Stop> {
    let (site, extent) = (place.site, vector.size());
    if !(index.of.is_integer() || index.of == Type::BOOL) {
        return Err(place.refuse("an index must be an integer"));
    }
    if space.count > 0
        && extent > 0
        && let Some(number) = index.known_integer()
    {
        let at = Index::At(number.clamp(0, extent as i128 - 1) as i64);
        return Ok(Value::array(within(site, || vector.slice([at])).into_result()?));
    }
    if space.count == 0 || extent == 0 {
        let nothing = within(site, || zeros(&space.shape[..], vector.dtype()));
        return Ok(Value::array(nothing.into_result()?));
    }
    if let Some(line) = index.line().filter(|(scale, _)| *scale != 0)
        && let Some(numbers) = inside(line, space.count, extent)
    {
        let array = within(site, || {
            if numbers.is_empty() {
                return zeros(&space.shape[..], vector.dtype());
            }
            let seen = vector.slice([along(line, &numbers)]);
            if numbers == (0..space.count as i64) {
                return seen.reshape(&space.shape[..]);
            }
            let all = zeros([space.count], vector.dtype());
            all.slice([along((1, 0), &numbers)]).assign(seen);
            all.reshape(&space.shape[..])
        });
        return Ok(Value::array(array.into_result()?));
    }
    let positions = index.argument(Type::LONG, site)?;
    let Argument::Array(positions) = positions else {
        unreachable!("bug: a number that is not known")
    };
    Ok(Value::array(within(site, || take(vector, &positions, None, Mode::Clip)).into_result()?))
}

/// How elements are written.
#[derive(Clone, Copy)]
pub(super) struct Writing<'a> {
    /// The operation that combines the elements with the values; `None` to replace them.
    pub by: Option<Op>,
    /// The elements of the kernel that write; `None` for all.
    pub mask: Option<&'a Array>,
}

/// The vector with the values written at an index for each element of the kernel. Where the index
/// is outside of the vector, nothing is written; of several values, the last one stays.
pub(super) fn written(
    vector: &Array,
    (index, value): (&Value, &Value),
    writing: Writing<'_>,
    space: &Space,
    place: Place,
) -> Result<Array, Stop> {
    let (site, extent) = (place.site, vector.size());
    if !(index.of.is_integer() || index.of == Type::BOOL) {
        return Err(place.refuse("an index must be an integer"));
    }
    if space.count == 0 || extent == 0 {
        return Ok(vector.clone());
    }
    let of = Type(vector.dtype());
    let values = space.spread(value, of, site)?;
    let is_plain = writing.by.is_none() && writing.mask.is_none();
    if let Some(line) = index.line().filter(|(scale, _)| is_plain && *scale != 0)
        && let Some(numbers) = inside(line, space.count, extent)
    {
        if numbers.is_empty() {
            return Ok(vector.clone());
        }
        return Ok(within(site, || {
            let new = vector.copy();
            let values = values.reshape([-1]).slice([along((1, 0), &numbers)]);
            new.slice([along(line, &numbers)]).assign(values);
            new.into_result()
        })?);
    }
    let positions = space.spread(index, Type::LONG, site)?;
    let positions = match writing.mask {
        None => positions,
        Some(mask) => {
            // A place outside of the vector is left out.
            let nowhere = Argument::Scalar(Scalar::new(-1i64));
            within(site, || select(mask, positions, nowhere)).into_result()?
        }
    };
    let in_order = crate::array::is_reproducible(&vector.mesh()?);
    let put = Put { axis: 0, op: writing.by, in_order: in_order && writing.by.is_some() };
    Ok(within(site, || {
        let flat = |array: &Array| array.reshape([-1]).into_result();
        vector.put_resolved(put, &flat(&positions)?, &flat(&values)?, site)
    })?)
}

/// The number of each element in C order.
pub(super) fn numbers(indices: &[Array], space: &Space, site: Site) -> Result<Value, Error> {
    let mut stride = space.count as i64;
    let mut sum: Option<Array> = None;
    for (index, &extent) in indices.iter().zip(&space.shape) {
        stride /= extent.max(1) as i64;
        let part = if stride == 1 { index.clone() } else { within(site, || index * stride) };
        sum = Some(match sum {
            None => part,
            Some(sum) => within(site, || sum + part),
        });
    }
    let array = match sum {
        Some(sum) => sum.into_result()?,
        None => within(site, || zeros([0usize; 0], DType::I64)).into_result()?,
    };
    let elements = Elements { array, line: Some((1, 0)) };
    Ok(Value { of: Type::LONG, kind: ValueKind::Elements(elements) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_inside_are_those_of_a_search() {
        for scale in [-3, -2, -1, 1, 2, 5] {
            for offset in -12..12 {
                for (count, extent) in [(1, 1), (5, 3), (7, 20), (10, 10)] {
                    let is_inside = |i: &i64| (0..extent as i64).contains(&(scale * i + offset));
                    let expected: Vec<i64> = (0..count as i64).filter(is_inside).collect();
                    let found = inside((scale, offset), count, extent).unwrap();
                    assert_eq!(found.collect::<Vec<i64>>(), expected, "{scale} {offset}");
                }
            }
        }
    }
}
