//! Instructions carried out by the reference.

use super::array::{Plain, broadcast, positions};
use super::elementwise::{binary, binary_dtypes, magnitude, promote, unary};
use super::layout;
use super::order;
use super::reduction::{has_both_zeros, histogram, matmul, percentile, reduce};
use super::value::Value;
use crate::program::{Blocks, Instruction, Name, Operand};
use phalanx::{DType, Op};

/// Programs use no floats beyond this, so that conversions to integers stay defined.
const LARGEST: f64 = 1e15;

/// The arrays of a program after the instructions carried out so far.
pub struct Reference {
    arrays: Vec<Option<Plain>>,
    mesh: Vec<usize>,
}

impl Reference {
    /// The start of a program on a mesh.
    pub fn new(mesh: &[usize]) -> Reference {
        Reference { arrays: Vec::new(), mesh: mesh.to_vec() }
    }

    /// The array of a name.
    pub fn get(&self, name: Name) -> Option<&Plain> {
        self.arrays.get(name.0)?.as_ref()
    }

    /// The names that have arrays.
    pub fn names(&self) -> Vec<Name> {
        (0..self.arrays.len()).filter(|&at| self.arrays[at].is_some()).map(Name).collect()
    }

    fn set(&mut self, name: Name, array: Plain) {
        if self.arrays.len() <= name.0 {
            self.arrays.resize(name.0 + 1, None);
        }
        self.arrays[name.0] = Some(array);
    }

    fn operand(&self, operand: Operand) -> Option<Plain> {
        match operand {
            Operand::Array(name) => self.get(name).cloned(),
            Operand::Number(value) => Some(Plain::in_c_order(value.dtype(), &[], &[value])),
        }
    }

    /// Carries out an instruction; `None`, with nothing done, if it does not apply.
    pub fn step(&mut self, instruction: &Instruction) -> Option<()> {
        use Instruction::*;
        if let Some((to, array)) = self.made(instruction)? {
            self.set(to, array);
            return Some(());
        }
        match instruction {
            Assign { of, value } => write(self.get(*of)?, &self.operand(*value)?),
            InPlace { op, of, value } => {
                let target = self.get(*of)?;
                let result = self.binary(*op, target, &self.operand(*value)?)?;
                // A written value may have more axes of extent 1, but not a result.
                if result.shape().len() > target.shape().len() {
                    return None;
                }
                write(target, &result)
            }
            AssignWhere { of, mask, value } => {
                let (target, value) = (self.get(*of)?, self.operand(*value)?);
                if !is_same_kind(value.dtype(), target.dtype()) {
                    return None;
                }
                write(target, &select(self.get(*mask)?, &value, target)?)
            }
            AssignAt { of, positions, value } => {
                let (target, value) = (self.get(*of)?, self.operand(*value)?);
                if !target.is_writable() || !is_same_kind(value.dtype(), target.dtype()) {
                    return None;
                }
                order::assign_at(target, positions, &value)
            }
            Drop { of } => {
                self.get(*of)?;
                self.arrays[of.0] = None;
                Some(())
            }
            Read { of } | Shards { of } | Explain { of } | Evaluate { of } => {
                self.get(*of).map(|_| ())
            }
            _ => Some(()),
        }
    }

    /// The array that an instruction makes, if it makes one.
    #[expect(clippy::option_option, reason = "not applicable, or nothing made")]
    fn made(&self, instruction: &Instruction) -> Option<Option<(Name, Plain)>> {
        use Instruction::*;
        let array = |name: &Name| self.get(*name);
        Some(Some(match instruction {
            Full { to, shape, value, dtype } => {
                let values = vec![value.cast(*dtype); shape.iter().product()];
                (*to, Plain::in_c_order(*dtype, shape, &values))
            }
            Arange { to, start, stop, step } => {
                let before = |at: &i64| if *step > 0 { at < stop } else { at > stop };
                let line = std::iter::successors(Some(*start), |at| Some(at + step));
                let values: Vec<Value> = line.take_while(before).map(Value::Int).collect();
                (*to, Plain::in_c_order(DType::I64, &[values.len()], &values))
            }
            FromSlice { to, shape, values, dtype } => {
                (*to, Plain::in_c_order(*dtype, shape, values))
            }
            FromFunction { to, shape, factors } => {
                let value = |index: &Vec<usize>| {
                    let terms = index.iter().zip(factors).map(|(&at, factor)| at as i64 * factor);
                    Value::Int(terms.sum::<i64>().rem_euclid(11))
                };
                let values: Vec<Value> = positions(shape).iter().map(value).collect();
                (*to, Plain::in_c_order(DType::I64, shape, &values))
            }
            Slice { to, of, items } => (*to, array(of)?.index(items)?),
            At { to, of, index } => {
                let items: Vec<_> = index.iter().map(|&at| phalanx::Index::At(at)).collect();
                let element = array(of)?.index(&items)?;
                if !element.shape().is_empty() {
                    return None;
                }
                (*to, copied(&element, element.dtype(), &[]))
            }
            Transpose { to, of, axes } => (*to, array(of)?.transpose(axes)?),
            Reshape { to, of, shape } => (*to, array(of)?.reshape(shape)?),
            BroadcastTo { to, of, shape } => (*to, array(of)?.broadcast_to(shape)?),
            Alias { to, of } => (*to, array(of)?.clone()),
            Copy { to, of } => {
                let of = array(of)?;
                (*to, copied(of, of.dtype(), &layout::c_order(of.shape().len())))
            }
            Cast { to, of, dtype } => {
                let of = array(of)?;
                let defined = |value: &Value| match value {
                    Value::Float(value) => value.abs() <= LARGEST,
                    _ => true,
                };
                if *dtype != of.dtype()
                    && (of.rounded().is_some()
                        || (*dtype == DType::I64 && !of.values().iter().all(defined)))
                {
                    return None;
                }
                (*to, copied(of, *dtype, &layout::copy_order(of.shape(), of.strides())))
            }
            Unary { to, op, of } => (*to, unary_of(*op, array(of)?)?),
            Binary { to, op, left, right } => {
                (*to, self.binary(*op, &self.operand(*left)?, &self.operand(*right)?)?)
            }
            Select { to, mask, on_true, on_false } => {
                let (on_true, on_false) = (self.operand(*on_true)?, self.operand(*on_false)?);
                (*to, select(array(mask)?, &on_true, &on_false)?)
            }
            Reduce { to, reduction, of, axes, keepdims } => {
                let of = array(of)?;
                let axes = resolve_axes(axes.as_deref(), of.shape().len())?;
                (*to, reduce(*reduction, of, &axes, *keepdims)?)
            }
            Matmul { to, left, right } => (*to, matmul(array(left)?, array(right)?)?),
            Compress { to, of, mask } => {
                let (of, mask) = (array(of)?, array(mask)?);
                if mask.dtype() != DType::Bool || mask.shape() != of.shape() {
                    return None;
                }
                let pairs = of.values().into_iter().zip(mask.values());
                let values: Vec<Value> =
                    pairs.filter(|(_, chosen)| chosen.truth()).map(|(value, _)| value).collect();
                let result = Plain::in_c_order(of.dtype(), &[values.len()], &values);
                result.set_rounded(of.rounded());
                (*to, result)
            }
            Histogram { to, of, bins, range } => (*to, histogram(array(of)?, *bins, *range)?),
            Percentile { to, of, q } => (*to, percentile(array(of)?, q)?),
            Sort { to, of, axis } => (*to, order::sort(array(of)?, *axis)?.0),
            ArgSort { to, of, axis } => (*to, order::sort(array(of)?, *axis)?.1),
            Cumsum { to, of, axis } => (*to, checked(order::cumsum(array(of)?, *axis)?, None)?),
            Take { to, of, axis, positions } => (*to, order::take(array(of)?, positions, *axis)?),
            Concatenate { to, left, right, axis } => {
                (*to, order::concatenate(array(left)?, array(right)?, *axis)?)
            }
            FromLocal { to, of, axis, sizes } => {
                let of = array(of)?;
                if sizes.len() != self.mesh.iter().product::<usize>()
                    || of.shape().get(*axis) != Some(&sizes.iter().sum())
                {
                    return None;
                }
                (*to, copied(of, of.dtype(), &layout::c_order(of.shape().len())))
            }
            Reshard { to, of, axes } => {
                let of = array(of)?;
                if !self.fits(axes, of.shape()) {
                    return None;
                }
                (*to, copied(of, of.dtype(), &layout::kept_order(of.shape(), of.strides())))
            }
            _ => return Some(None),
        }))
    }

    fn fits(&self, axes: &[Option<Blocks>], shape: &[usize]) -> bool {
        let mut used: Vec<u8> = Vec::new();
        axes.len() == shape.len()
            && axes.iter().zip(shape).all(|(blocks, &extent)| {
                let Some(blocks) = blocks else { return true };
                let named = blocks.mesh_axes.iter();
                let fresh = named.clone().all(|axis| {
                    let fresh = (*axis as usize) < self.mesh.len() && !used.contains(axis);
                    used.push(*axis);
                    fresh
                });
                fresh
                    && blocks.sizes.as_ref().is_none_or(|sizes| {
                        sizes.len()
                            == named.map(|&axis| self.mesh[axis as usize]).product::<usize>()
                            && sizes.iter().sum::<usize>() == extent
                    })
            })
    }

    fn binary(&self, op: Op, left: &Plain, right: &Plain) -> Option<Plain> {
        let (computed, dtype) = binary_dtypes(op, left.dtype(), right.dtype())?;
        let shape = broadcast(left.shape(), right.shape())?;
        let (a, b) = (left.broadcast_to(&shape)?, right.broadcast_to(&shape)?);
        let (a, b) = (a.values(), b.values());
        if op == Op::Divide && b.iter().any(|b| b.float() == 0.0 && b.float().is_sign_negative()) {
            return None;
        }
        // Which of two zeros is smaller is not specified.
        let is_open = |(a, b): (&Value, &Value)| has_both_zeros(&[*a, *b]);
        if matches!(op, Op::Minimum | Op::Maximum) && a.iter().zip(&b).any(is_open) {
            return None;
        }
        let rounded = match (left.rounded(), right.rounded()) {
            (None, None) => None,
            (_, None) if op == Op::Divide => {
                let least = b.iter().fold(f64::INFINITY, |least, b| least.min(b.float().abs()));
                Some(magnitude_of(left)? / least)
            }
            _ => Some(magnitude(op, magnitude_of(left)?, magnitude_of(right)?)?),
        };
        let values: Vec<Value> =
            a.iter().zip(&b).map(|(a, b)| binary(op, a.cast(computed), b.cast(computed))).collect();
        let strides = [left.strides_in(&shape), right.strides_in(&shape)];
        let order = layout::iterator_order(shape.len(), &strides);
        checked(Plain::new(dtype, &shape, &values, &order), rounded)
    }
}

/// A new array, unless its floats are too large.
fn checked(array: Plain, rounded: Option<f64>) -> Option<Plain> {
    let too_large = |value: &Value| value.float().is_finite() && value.float().abs() > LARGEST;
    if array.dtype() == DType::F64 && array.values().iter().any(too_large) {
        return None;
    }
    if rounded.is_some_and(|magnitude| magnitude.is_nan() || magnitude > LARGEST) {
        return None;
    }
    array.set_rounded(rounded);
    Some(array)
}

fn magnitude_of(array: &Plain) -> Option<f64> {
    let largest = array.values().iter().fold(0.0f64, |most, value| most.max(value.float().abs()));
    let magnitude = array.rounded().unwrap_or(0.0).max(largest);
    magnitude.is_finite().then_some(magnitude)
}

fn copied(of: &Plain, dtype: DType, order: &[usize]) -> Plain {
    let values: Vec<Value> = of.values().iter().map(|value| value.cast(dtype)).collect();
    let copy = Plain::new(dtype, of.shape(), &values, order);
    copy.set_rounded(of.rounded());
    copy
}

fn unary_of(op: Op, of: &Plain) -> Option<Plain> {
    let (dtype, function) = unary(op, of.dtype())?;
    let rounded = match of.rounded() {
        None => None,
        Some(_) => Some(magnitude(op, magnitude_of(of)?, 0.0)?),
    };
    let values: Vec<Value> = of.values().into_iter().map(function).collect();
    let order = layout::iterator_order(of.shape().len(), &[of.strides_in(of.shape())]);
    checked(Plain::new(dtype, of.shape(), &values, &order), rounded)
}

fn select(mask: &Plain, on_true: &Plain, on_false: &Plain) -> Option<Plain> {
    if mask.rounded().is_some() {
        return None;
    }
    let dtype = promote(on_true.dtype(), on_false.dtype());
    let shape = broadcast(mask.shape(), &broadcast(on_true.shape(), on_false.shape())?)?;
    let seen = |array: &Plain| array.broadcast_to(&shape).map(|array| array.values());
    let (chosen, a, b) = (seen(mask)?, seen(on_true)?, seen(on_false)?);
    let values: Vec<Value> = (0..chosen.len())
        .map(|at| if chosen[at].truth() { a[at] } else { b[at] }.cast(dtype))
        .collect();
    let strides = [mask, on_true, on_false].map(|array| array.strides_in(&shape));
    let order = layout::iterator_order(shape.len(), &strides);
    let rounded = match (on_true.rounded(), on_false.rounded()) {
        (None, None) => None,
        _ => Some(magnitude_of(on_true)?.max(magnitude_of(on_false)?)),
    };
    checked(Plain::new(dtype, &shape, &values, &order), rounded)
}

fn is_same_kind(from: DType, to: DType) -> bool {
    promote(from, to) == to
}

/// Writes a value, broadcast, through a view.
fn write(target: &Plain, value: &Plain) -> Option<()> {
    if !is_same_kind(value.dtype(), target.dtype()) || !target.is_writable() {
        return None;
    }
    let extra = value.shape().len().saturating_sub(target.shape().len());
    if value.shape()[..extra].iter().any(|&extent| extent != 1) {
        return None;
    }
    let value = value.reshape(&value.shape()[extra..])?.broadcast_to(target.shape())?;
    let values: Vec<Value> = value.values().iter().map(|v| v.cast(target.dtype())).collect();
    target.write(&values);
    target.set_rounded(value.rounded());
    Some(())
}

fn resolve_axes(axes: Option<&[i64]>, ndim: usize) -> Option<Vec<usize>> {
    let Some(axes) = axes else { return Some(layout::c_order(ndim)) };
    let mut resolved = Vec::new();
    for &axis in axes {
        let axis = if axis < 0 { axis + ndim as i64 } else { axis };
        if !(0..ndim as i64).contains(&axis) || resolved.contains(&(axis as usize)) {
            return None;
        }
        resolved.push(axis as usize);
    }
    resolved.sort_unstable();
    Some(resolved)
}
