//! Reductions and products, one element at a time.

use super::array::{Plain, positions};
use super::elementwise::{binary, promote};
use super::layout;
use super::value::Value;
use crate::program::Reduction;
use phalanx::{DType, Op};

/// Sums of multiples of this that stay below [`LARGEST`] are exact in any order.
const GRAIN: f64 = 1.0 / 1024.0;
const LARGEST: f64 = 1e12;
/// The most scalar products of a matrix product.
const MOST_PRODUCTS: usize = 20_000;

/// The reduction of an array over axes, ascending; `None` where NumPy raises an error or the result
/// depends too much on the order of rounding.
pub fn reduce(reduction: Reduction, of: &Plain, axes: &[usize], keepdims: bool) -> Option<Plain> {
    let count: usize = axes.iter().map(|&axis| of.shape()[axis]).product();
    let finds = matches!(reduction, Reduction::ArgMin | Reduction::ArgMax);
    let needs_elements = finds || matches!(reduction, Reduction::Min | Reduction::Max);
    if count == 0 && needs_elements {
        return None;
    }
    let kept: Vec<usize> = (0..of.shape().len()).filter(|axis| !axes.contains(axis)).collect();
    let inner: Vec<usize> = axes.iter().map(|&axis| of.shape()[axis]).collect();
    let outer: Vec<usize> = kept.iter().map(|&axis| of.shape()[axis]).collect();
    let by_kept = of.transpose(&kept.iter().chain(axes).copied().collect::<Vec<_>>())?;
    let values = by_kept.values();
    let dtype = result_dtype(reduction, of.dtype());
    let (mut results, mut rounded) = (Vec::new(), None);
    for position in 0..outer.iter().product() {
        let group = &values[position * count..(position + 1) * count];
        let (value, magnitude) = reduce_group(reduction, group, dtype, of.rounded())?;
        results.push(value);
        rounded = rounded.into_iter().chain(magnitude).reduce(f64::max);
    }
    debug_assert_eq!(inner.iter().product::<usize>(), count);
    let shape: Vec<usize> = match keepdims {
        false => outer,
        true => (0..of.shape().len())
            .map(|axis| if axes.contains(&axis) { 1 } else { of.shape()[axis] })
            .collect(),
    };
    let order = match finds {
        true => layout::c_order(shape.len()),
        false => {
            let copied = reduction == Reduction::CountNonzero && of.dtype() != DType::Bool;
            // NumPy counts on a copy as bools.
            let strides = match copied {
                true => {
                    let order = layout::copy_order(of.shape(), &of.strides_in(of.shape()));
                    layout::strides(of.shape(), &order)
                }
                false => of.strides_in(of.shape()),
            };
            let order = layout::iterator_order(of.shape().len(), &[strides]);
            let order = order.iter().filter(|axis| keepdims || kept.contains(axis));
            let place = |axis: &usize| {
                if keepdims {
                    *axis
                } else {
                    kept.iter().position(|kept| kept == axis).unwrap_or(0)
                }
            };
            order.map(place).collect()
        }
    };
    let result = Plain::new(dtype, &shape, &results, &order);
    result.set_rounded(rounded);
    Some(result)
}

fn result_dtype(reduction: Reduction, dtype: DType) -> DType {
    match reduction {
        Reduction::Sum | Reduction::Prod => promote(dtype, DType::I64),
        Reduction::Min | Reduction::Max => dtype,
        Reduction::Any | Reduction::All => DType::Bool,
        Reduction::ArgMin | Reduction::ArgMax | Reduction::CountNonzero => DType::I64,
        Reduction::Mean | Reduction::Var | Reduction::Std => DType::F64,
    }
}

/// The result of a set of elements, with the rounded magnitude if the order matters.
fn reduce_group(
    reduction: Reduction,
    group: &[Value],
    dtype: DType,
    rounded: Option<f64>,
) -> Option<(Value, Option<f64>)> {
    let count = group.len() as f64;
    Some(match reduction {
        Reduction::Sum => sum(group, dtype, rounded)?,
        Reduction::Prod => (product(group, dtype, rounded)?, None),
        Reduction::Min | Reduction::Max if has_both_zeros(group) => return None,
        Reduction::Min => (extreme(Op::Minimum, group), rounded),
        Reduction::Max => (extreme(Op::Maximum, group), rounded),
        _ if rounded.is_some() && reduction != Reduction::Mean => return None,
        Reduction::Any => (Value::Bool(group.iter().any(|value| value.truth())), None),
        Reduction::All => (Value::Bool(group.iter().all(|value| value.truth())), None),
        Reduction::CountNonzero => {
            (Value::Int(group.iter().filter(|value| value.truth()).count() as i64), None)
        }
        Reduction::ArgMin => (Value::Int(first(Op::Less, group)), None),
        Reduction::ArgMax => (Value::Int(first(Op::Greater, group)), None),
        Reduction::Mean => {
            let (total, rounded) = sum(group, DType::F64, rounded)?;
            (Value::Float(total.float() / count), rounded)
        }
        Reduction::Var | Reduction::Std => {
            let floats: Vec<f64> = group.iter().map(|value| value.float()).collect();
            let mean = floats.iter().sum::<f64>() / count;
            let variance = floats.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count;
            let largest = floats.iter().fold(1.0f64, |most, value| most.max(value.abs()));
            if largest > LARGEST.sqrt()
                || (variance.is_finite() && !floats.iter().all(|f| f.is_finite()))
            {
                return None;
            }
            // The square root makes small errors large.
            if reduction == Reduction::Std && variance < 1e-3 {
                return None;
            }
            let result = if reduction == Reduction::Std { variance.sqrt() } else { variance };
            (Value::Float(result), Some(largest * largest * count))
        }
    })
}

fn sum(group: &[Value], dtype: DType, rounded: Option<f64>) -> Option<(Value, Option<f64>)> {
    if dtype == DType::I64 {
        let total = group.iter().fold(0i64, |total, value| total.wrapping_add(value.int()));
        return Some((Value::Int(total), None));
    }
    let floats = || group.iter().map(|value| value.float());
    let magnitude: f64 = floats().filter(|value| value.is_finite()).map(f64::abs).sum();
    let exact = floats().all(|value| !value.is_finite() || value % GRAIN == 0.0);
    let magnitude = magnitude + rounded.unwrap_or(0.0) * group.len() as f64;
    if magnitude > LARGEST {
        return None;
    }
    let order_matters = !exact || rounded.is_some();
    Some((Value::Float(floats().sum()), order_matters.then_some(magnitude)))
}

fn product(group: &[Value], dtype: DType, rounded: Option<f64>) -> Option<Value> {
    if dtype == DType::I64 {
        return Some(Value::Int(group.iter().fold(1i64, |p, value| p.wrapping_mul(value.int()))));
    }
    let floats = || group.iter().map(|value| value.float());
    let magnitude: f64 = floats().map(|value| value.abs().max(1.0)).product();
    let exact = floats().all(|value| value.fract() == 0.0) && magnitude < 1e15;
    (exact && rounded.is_none()).then(|| Value::Float(floats().product()))
}

/// Whether the set has both a positive and a negative zero.
pub fn has_both_zeros(group: &[Value]) -> bool {
    let zero = |negative: bool| {
        move |value: &Value| value.float() == 0.0 && value.float().is_sign_negative() == negative
    };
    group.iter().any(zero(false)) && group.iter().any(zero(true))
}

fn extreme(op: Op, group: &[Value]) -> Value {
    group[1..].iter().fold(group[0], |best, &value| binary(op, best, value))
}

/// The first element that is before all others, or the first NaN.
fn first(before: Op, group: &[Value]) -> i64 {
    if let Some(nan) = group.iter().position(|value| value.float().is_nan()) {
        return nan as i64;
    }
    let mut best = 0;
    for (position, &value) in group.iter().enumerate() {
        if binary(before, value, group[best]).truth() {
            best = position;
        }
    }
    best as i64
}

/// The product of two matrices.
pub fn matmul(left: &Plain, right: &Plain) -> Option<Plain> {
    let (&[rows, inner], &[inner_right, columns]) = (left.shape(), right.shape()) else {
        return None;
    };
    if inner != inner_right || rows * inner * columns > MOST_PRODUCTS {
        return None;
    }
    let dtype = promote(left.dtype(), right.dtype());
    let (a, b) = (left.values(), right.values());
    let (mut results, mut rounded) = (Vec::new(), None);
    for index in positions(&[rows, columns]) {
        let terms: Vec<Value> = (0..inner)
            .map(|k| {
                let (x, y) = (a[index[0] * inner + k], b[k * columns + index[1]]);
                binary(Op::Multiply, x.cast(dtype), y.cast(dtype))
            })
            .collect();
        if dtype == DType::Bool {
            results.push(Value::Bool(terms.iter().any(|term| term.truth())));
            continue;
        }
        if left.rounded().is_some() || right.rounded().is_some() {
            return None;
        }
        if terms.iter().any(|term| !term.float().is_finite()) {
            return None;
        }
        let (value, magnitude) = sum(&terms, dtype, None)?;
        // A library may fuse multiplications and additions, so products must be exact too.
        let fused = a.iter().chain(&b).any(|value| value.float() % GRAIN.sqrt() != 0.0);
        let magnitude = match (magnitude, fused && dtype == DType::F64) {
            (None, true) => Some(terms.iter().map(|term| term.float().abs()).sum()),
            (magnitude, _) => magnitude,
        };
        results.push(value);
        rounded = rounded.into_iter().chain(magnitude).reduce(f64::max);
    }
    let result = Plain::in_c_order(dtype, &[rows, columns], &results);
    result.set_rounded(rounded);
    Some(result)
}

/// The counts of elements in equal bins; the last bin includes its right edge.
pub fn histogram(of: &Plain, bins: usize, (low, high): (f64, f64)) -> Option<Plain> {
    if of.rounded().is_some() {
        return None;
    }
    let mut counts = vec![0i64; bins];
    for value in of.values() {
        let value = value.float();
        if value >= low && value <= high {
            let bin = ((value - low) / (high - low) * bins as f64).floor() as usize;
            counts[bin.min(bins - 1)] += 1;
        }
    }
    let counts: Vec<Value> = counts.into_iter().map(Value::Int).collect();
    Some(Plain::in_c_order(DType::I64, &[bins], &counts))
}

/// Percentiles of all elements, linearly interpolated.
pub fn percentile(of: &Plain, q: &[f64]) -> Option<Plain> {
    let mut sorted: Vec<f64> = of.values().iter().map(|value| value.float()).collect();
    if sorted.is_empty()
        || of.dtype() == DType::Bool
        || of.rounded().is_some()
        || sorted.iter().any(|x| !x.is_finite())
    {
        return None;
    }
    sorted.sort_by(f64::total_cmp);
    let largest = sorted[0].abs().max(sorted[sorted.len() - 1].abs());
    let at = |q: &f64| {
        let position = q / 100.0 * (sorted.len() - 1) as f64;
        let (low, part) = (position.floor() as usize, position.fract());
        let high = (low + 1).min(sorted.len() - 1);
        Value::Float(sorted[low] * (1.0 - part) + sorted[high] * part)
    };
    let values: Vec<Value> = q.iter().map(at).collect();
    let result = Plain::in_c_order(DType::F64, &[q.len()], &values);
    result.set_rounded(Some(largest));
    Some(result)
}
