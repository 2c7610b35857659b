//! Sorting, running sums, and elements at positions.

use super::array::{Plain, broadcast, positions as indices};
use super::elementwise::promote;
use super::layout;
use super::value::Value;
use phalanx::DType;
use std::cmp::Ordering;

/// The array as lines along an axis (without an axis, all elements as one line): the shape, and for
/// each line the positions of its elements in C order. Only for arrays in C order with elements
/// that do not depend on the order of rounding.
fn lines(of: &Plain, axis: Option<i64>) -> Option<(Vec<usize>, Vec<Vec<usize>>)> {
    let shape = match axis {
        Some(_) => of.shape().to_vec(),
        None => vec![of.size()],
    };
    let ndim = shape.len() as i64;
    let axis = axis.unwrap_or(0);
    if of.rounded().is_some() || !is_plain(of) || !(-ndim..ndim).contains(&axis) {
        return None;
    }
    let axis = axis.rem_euclid(ndim) as usize;
    let step: usize = shape[axis + 1..].iter().product();
    let begins = indices(&shape).into_iter().enumerate().filter(|(_, index)| index[axis] == 0);
    let line = |begin: usize| (0..shape[axis]).map(|at| begin + at * step).collect();
    let lines = begins.map(|(begin, _)| line(begin)).collect();
    Some((shape, lines))
}

/// Whether an array is in C order in memory, ignoring strides without effect.
fn is_plain(of: &Plain) -> bool {
    let strides = layout::strides(of.shape(), &layout::c_order(of.shape().len()));
    let axes = of.shape().iter().zip(of.strides()).zip(strides);
    of.size() == 0 || axes.into_iter().all(|((&extent, &own), plain)| extent == 1 || own == plain)
}

fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => {
            a.partial_cmp(b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
        }
        _ => a.int().cmp(&b.int()),
    }
}

/// The elements in order, and the positions that they had.
pub fn sort(of: &Plain, axis: Option<i64>) -> Option<(Plain, Plain)> {
    let (shape, lines) = lines(of, axis)?;
    let values = of.values();
    let (mut sorted, mut found) = (values.clone(), vec![Value::Int(0); values.len()]);
    for line in lines {
        let mut order: Vec<usize> = (0..line.len()).collect();
        order.sort_by(|&a, &b| compare(&values[line[a]], &values[line[b]]));
        for (place, from) in order.into_iter().enumerate() {
            sorted[line[place]] = values[line[from]];
            found[line[place]] = Value::Int(from as i64);
        }
    }
    let sorted = Plain::in_c_order(of.dtype(), &shape, &sorted);
    Some((sorted, Plain::in_c_order(DType::I64, &shape, &found)))
}

/// The sums up to each element, from the first on.
pub fn cumsum(of: &Plain, axis: Option<i64>) -> Option<Plain> {
    let (shape, lines) = lines(of, axis)?;
    let dtype = if of.dtype() == DType::F64 { DType::F64 } else { DType::I64 };
    let mut values: Vec<Value> = of.values().iter().map(|value| value.cast(dtype)).collect();
    for line in lines {
        for pair in line.windows(2) {
            values[pair[1]] = match (values[pair[0]], values[pair[1]]) {
                (Value::Float(sum), Value::Float(next)) => Value::Float(sum + next),
                (sum, next) => Value::Int(sum.int().wrapping_add(next.int())),
            };
        }
    }
    Some(Plain::in_c_order(dtype, &shape, &values))
}

/// A position in an axis; a negative one counts from its end.
fn resolved(position: i64, extent: usize) -> Option<usize> {
    let position = if position < 0 { position + extent as i64 } else { position };
    usize::try_from(position).ok().filter(|&position| position < extent)
}

/// The elements at positions of an axis.
pub fn take(of: &Plain, positions: &[i64], axis: usize) -> Option<Plain> {
    let extent = *of.shape().get(axis)?;
    let positions: Vec<usize> =
        positions.iter().map(|&at| resolved(at, extent)).collect::<Option<_>>()?;
    let (values, mut shape) = (of.values(), of.shape().to_vec());
    let strides = layout::strides(&shape, &layout::c_order(shape.len()));
    shape[axis] = positions.len();
    let value = |mut index: Vec<usize>| {
        index[axis] = positions[index[axis]];
        let place: i64 = index.iter().zip(&strides).map(|(&at, step)| at as i64 * step).sum();
        values[place as usize]
    };
    let taken: Vec<Value> = indices(&shape).into_iter().map(value).collect();
    let taken = Plain::in_c_order(of.dtype(), &shape, &taken);
    taken.set_rounded(of.rounded());
    Some(taken)
}

/// Both arrays, one after the other along an axis.
pub fn concatenate(left: &Plain, right: &Plain, axis: usize) -> Option<Plain> {
    let (a, b) = (left.shape(), right.shape());
    let fits = |other: usize| other == axis || a[other] == b[other];
    if a.len() != b.len() || axis >= a.len() || !(0..a.len()).all(fits) {
        return None;
    }
    if !is_plain(left) || !is_plain(right) {
        return None;
    }
    let dtype = promote(left.dtype(), right.dtype());
    let mut shape = a.to_vec();
    shape[axis] += b[axis];
    let both = [left, right]
        .map(|array| (layout::strides(array.shape(), &layout::c_order(a.len())), array.values()));
    let value = |mut index: Vec<usize>| {
        let (strides, values) = &both[usize::from(index[axis] >= a[axis])];
        if index[axis] >= a[axis] {
            index[axis] -= a[axis];
        }
        let place: i64 = index.iter().zip(strides).map(|(&at, step)| at as i64 * step).sum();
        values[place as usize].cast(dtype)
    };
    let values: Vec<Value> = indices(&shape).into_iter().map(value).collect();
    let joined = Plain::in_c_order(dtype, &shape, &values);
    joined.set_rounded(left.rounded());
    joined.set_rounded(right.rounded());
    Some(joined)
}

/// Writes a value, broadcast, at positions of the first axis; for equal positions the last wins.
pub fn assign_at(target: &Plain, positions: &[i64], value: &Plain) -> Option<()> {
    let extent = *target.shape().first()?;
    let positions: Vec<usize> =
        positions.iter().map(|&at| resolved(at, extent)).collect::<Option<_>>()?;
    let mut shape = target.shape().to_vec();
    shape[0] = positions.len();
    if broadcast(value.shape(), &shape)? != shape {
        return None;
    }
    let written = value.broadcast_to(&shape)?.values();
    let mut values = target.values();
    let row: usize = shape[1..].iter().product();
    for (number, &position) in positions.iter().enumerate() {
        for at in 0..row {
            values[position * row + at] = written[number * row + at].cast(target.dtype());
        }
    }
    target.write(&values);
    target.set_rounded(value.rounded());
    Some(())
}
