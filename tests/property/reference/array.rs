//! Arrays of the reference: shared elements, and the strides of views of them.

use super::layout;
use super::value::Value;
use phalanx::{DType, Index};
use std::cell::RefCell;
use std::rc::Rc;

/// An array of the reference. Clones and views share elements.
#[derive(Clone)]
pub struct Plain {
    base: Rc<RefCell<Base>>,
    shape: Vec<usize>,
    strides: Vec<i64>,
    offset: i64,
    is_broadcast: bool,
}

struct Base {
    dtype: DType,
    values: Vec<Value>,
    /// Set if elements depend on the order of rounding: the largest magnitude that took part.
    rounded: Option<f64>,
}

/// All indices of an array of this shape, in C order.
pub fn positions(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for &extent in shape {
        all = all
            .into_iter()
            .flat_map(|index| {
                (0..extent).map(move |at| index.iter().copied().chain([at]).collect::<Vec<_>>())
            })
            .collect();
    }
    all
}

/// The most elements of a broadcast result, so that programs stay small.
const LARGEST: usize = 4000;

/// The shape that both shapes broadcast to.
pub fn broadcast(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let ndim = a.len().max(b.len());
    let extent = |shape: &[usize], axis: usize| match (axis + shape.len()).checked_sub(ndim) {
        Some(own) => shape[own],
        None => 1,
    };
    let shape: Option<Vec<usize>> = (0..ndim)
        .map(|axis| match (extent(a, axis), extent(b, axis)) {
            (x, y) if x == y => Some(x),
            (1, y) => Some(y),
            (x, 1) => Some(x),
            _ => None,
        })
        .collect();
    shape.filter(|shape| shape.iter().product::<usize>() <= LARGEST)
}

impl Plain {
    /// A new array with elements given in C order and its axes in memory in `order`.
    pub fn new(dtype: DType, shape: &[usize], values: &[Value], order: &[usize]) -> Plain {
        let base = Base { dtype, values: values.to_vec(), rounded: None };
        let array = Plain {
            base: Rc::new(RefCell::new(base)),
            shape: shape.to_vec(),
            // NumPy gives arrays without elements these strides.
            strides: match shape.contains(&0) {
                true => vec![0; shape.len()],
                false => layout::strides(shape, order),
            },
            offset: 0,
            is_broadcast: false,
        };
        array.write(values);
        array
    }

    /// A new array in C order.
    pub fn in_c_order(dtype: DType, shape: &[usize], values: &[Value]) -> Plain {
        Plain::new(dtype, shape, values, &layout::c_order(shape.len()))
    }

    pub fn dtype(&self) -> DType {
        self.base.borrow().dtype
    }

    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// The strides in elements.
    pub fn strides(&self) -> &[i64] {
        &self.strides
    }

    /// Whether both are views of the same elements.
    pub fn shares_memory(&self, other: &Plain) -> bool {
        Rc::ptr_eq(&self.base, &other.base)
    }

    /// The largest magnitude that took part in roundings whose order is not fixed.
    pub fn rounded(&self) -> Option<f64> {
        self.base.borrow().rounded
    }

    /// Notes that elements depend on the order of rounding.
    pub fn set_rounded(&self, magnitude: Option<f64>) {
        let mut base = self.base.borrow_mut();
        base.rounded = match (base.rounded, magnitude) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
    }

    fn address(&self, index: &[usize]) -> i64 {
        let steps = index.iter().zip(&self.strides).map(|(&at, stride)| at as i64 * stride);
        self.offset + steps.sum::<i64>()
    }

    fn addresses(&self) -> Vec<i64> {
        positions(&self.shape).iter().map(|index| self.address(index)).collect()
    }

    /// The elements in C order.
    pub fn values(&self) -> Vec<Value> {
        let base = self.base.borrow();
        self.addresses().into_iter().map(|at| base.values[at as usize]).collect()
    }

    /// Replaces the elements by these, in C order.
    pub fn write(&self, values: &[Value]) {
        let mut base = self.base.borrow_mut();
        for (at, &value) in self.addresses().into_iter().zip(values) {
            base.values[at as usize] = value;
        }
    }

    /// Whether the view may be written; views of a broadcast may not.
    pub fn is_writable(&self) -> bool {
        !self.is_broadcast
    }

    /// The strides of the array as an operand of shape `to`, 0 where it is broadcast.
    pub fn strides_in(&self, to: &[usize]) -> Vec<i64> {
        let mut strides = vec![0; to.len() - self.shape.len()];
        let own = self.shape.iter().zip(&self.strides);
        strides.extend(own.map(|(&extent, &stride)| if extent == 1 { 0 } else { stride }));
        strides
    }

    /// The view repeated to a shape.
    pub fn broadcast_to(&self, shape: &[usize]) -> Option<Plain> {
        if broadcast(&self.shape, shape)? != shape {
            return None;
        }
        let strides = self.strides_in(shape);
        Some(Plain { shape: shape.to_vec(), strides, is_broadcast: true, ..self.clone() })
    }

    /// The view with its axes in another order.
    pub fn transpose(&self, axes: &[usize]) -> Option<Plain> {
        let mut sorted = axes.to_vec();
        sorted.sort_unstable();
        if sorted != layout::c_order(self.shape.len()) {
            return None;
        }
        Some(Plain {
            shape: axes.iter().map(|&axis| self.shape[axis]).collect(),
            strides: axes.iter().map(|&axis| self.strides[axis]).collect(),
            ..self.clone()
        })
    }

    /// The view at a basic index.
    pub fn index(&self, items: &[Index]) -> Option<Plain> {
        let named = |item: &&Index| matches!(item, Index::At(_) | Index::Range { .. });
        let named = items.iter().filter(named).count();
        let rest = self.shape.len().checked_sub(named)?;
        let mut view = Plain { shape: Vec::new(), strides: Vec::new(), ..self.clone() };
        let mut axis = 0;
        let whole = Index::Range { start: None, stop: None, step: 1 };
        let mut spelled: Vec<Index> = Vec::new();
        for &item in items {
            match item {
                Index::Ellipsis => spelled.extend(std::iter::repeat_n(whole, rest)),
                item => spelled.push(item),
            }
        }
        let missing = self.shape.len() - spelled.iter().filter(|item| named_axis(item)).count();
        spelled.extend(std::iter::repeat_n(whole, missing));
        for item in spelled {
            match item {
                Index::NewAxis => {
                    view.shape.push(1);
                    view.strides.push(0);
                    continue;
                }
                Index::At(at) => {
                    let extent = self.shape[axis] as i64;
                    let at = if at < 0 { at + extent } else { at };
                    if !(0..extent).contains(&at) {
                        return None;
                    }
                    view.offset += at * self.strides[axis];
                }
                Index::Range { start, stop, step } => {
                    let chosen = slice_positions(start, stop, step, self.shape[axis]);
                    view.offset += chosen.first().copied().unwrap_or(0) * self.strides[axis];
                    view.shape.push(chosen.len());
                    view.strides.push(step * self.strides[axis]);
                }
                Index::Ellipsis => unreachable!("bug: spelled out above"),
            }
            axis += 1;
        }
        Some(view)
    }

    /// The elements in C order with another shape: a view if suitable strides exist.
    pub fn reshape(&self, shape: &[usize]) -> Option<Plain> {
        if shape.iter().product::<usize>() != self.size() {
            return None;
        }
        let strides = if self.size() == 0 {
            Some(layout::strides(shape, &layout::c_order(shape.len())))
        } else {
            self.strides_of_reshape(shape)
        };
        Some(match strides {
            Some(strides) => Plain { shape: shape.to_vec(), strides, ..self.clone() },
            None => {
                let copy = Plain::in_c_order(self.dtype(), shape, &self.values());
                copy.set_rounded(self.rounded());
                copy
            }
        })
    }

    fn strides_of_reshape(&self, shape: &[usize]) -> Option<Vec<i64>> {
        let wanted = self.addresses();
        let contiguous = layout::strides(shape, &layout::c_order(shape.len()));
        let strides: Vec<i64> = (0..shape.len())
            .map(|axis| match shape[axis] {
                1 => 0,
                _ => wanted[contiguous[axis] as usize] - wanted[0],
            })
            .collect();
        let view = Plain { shape: shape.to_vec(), strides: strides.clone(), ..self.clone() };
        (view.addresses() == wanted).then_some(strides)
    }
}

fn named_axis(item: &Index) -> bool {
    matches!(item, Index::At(_) | Index::Range { .. })
}

/// The positions that a Python slice selects.
fn slice_positions(start: Option<i64>, stop: Option<i64>, step: i64, extent: usize) -> Vec<i64> {
    let extent = extent as i64;
    let bound = |bound: i64| if bound < 0 { bound + extent } else { bound };
    let mut chosen = Vec::new();
    if step > 0 {
        let mut at = start.map_or(0, |start| bound(start).max(0));
        let stop = stop.map_or(extent, |stop| bound(stop).min(extent));
        while at < stop {
            chosen.push(at);
            at += step;
        }
    } else {
        let mut at = start.map_or(extent - 1, |start| bound(start).min(extent - 1));
        let stop = stop.map_or(-1, |stop| bound(stop).max(-1));
        while at > stop {
            chosen.push(at);
            at += step;
        }
    }
    chosen
}
