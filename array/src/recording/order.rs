//! The order of axes in memory of a result, by NumPy's rules.

use crate::array::Argument;
use crate::array::Array;
use phalanx_graph::{Error, MeshHandle, Node, contiguous_strides};
use smallvec::SmallVec;
use std::sync::Arc;

/// A rule for the order in memory of the axes of a result.
pub(crate) type OrderRule = fn(&[Argument], &[usize]) -> Result<Option<Vec<usize>>, Error>;

/// The array of a node that was recorded with its axes in `order`.
pub(crate) fn in_order(
    mesh: MeshHandle,
    node: Arc<Node>,
    order: Option<&[usize]>,
) -> Result<Array, Error> {
    let Some(order) = order else { return Ok(Array::from_node(mesh, node)) };
    let base = node.shape().clone();
    let array = Array::from_node(mesh, node);
    let mut inverse = vec![0; order.len()];
    for (place, &axis) in order.iter().enumerate() {
        inverse[axis] = place;
    }
    let view = array.base_view()?.transpose(&inverse, &base);
    array.with_view(view)
}

/// The axes of a result from outermost to innermost in memory, by NumPy's K rule; `None` for C
/// order.
///
/// Source: the rule of NumPy's iterator, an insertion sort of the axes by the absolute strides of
/// all operands. An operand that is broadcast along an axis does not count there, and C order wins
/// where operands disagree.
pub(crate) fn memory_order(
    arguments: &[Argument],
    shape: &[usize],
) -> Result<Option<Vec<usize>>, Error> {
    let ndim = shape.len();
    if ndim < 2 {
        return Ok(None);
    }
    let mut strides = SmallVec::<[SmallVec<[i64; 4]>; 3]>::new();
    for argument in arguments {
        let Argument::Array(array) = argument else { continue };
        let view = array.base_view()?;
        if view.is_whole() && view.shape.len() == ndim {
            continue;
        }
        let mut padded: SmallVec<[i64; 4]> = smallvec::smallvec![0; ndim - view.shape.len()];
        padded.extend(
            view.shape
                .iter()
                .zip(&view.strides)
                .map(|(&e, &s)| if e == 1 { 0 } else { s.wrapping_abs() }),
        );
        strides.push(padded);
    }
    if strides.iter().all(|s| is_descending(s)) {
        return Ok(None);
    }
    for argument in arguments {
        if let Argument::Array(array) = argument
            && array.base_view()?.is_whole()
            && array.ndim() == ndim
        {
            let whole = contiguous_strides(array.shape(), array.dtype());
            strides.push(
                array.shape().iter().zip(whole).map(|(&e, s)| if e == 1 { 0 } else { s }).collect(),
            );
        }
    }
    Ok(order_of_strides(&strides, ndim))
}

/// The axes from outermost to innermost in memory, by the absolute strides of the operands; `None`
/// for C order. The stride is 0 along an axis on which the operand does not count.
pub(crate) fn order_of_strides(strides: &[SmallVec<[i64; 4]>], ndim: usize) -> Option<Vec<usize>> {
    // NumPy's iterator sorts from the innermost axis outwards.
    let mut order: Vec<usize> = (0..ndim).rev().collect();
    for position in 1..ndim {
        let axis = order[position];
        let mut place = position;
        for before in (0..position).rev() {
            let (mut swap, mut ambiguous) = (false, true);
            for s in strides {
                let (inner, outer) = (s[order[before]], s[axis]);
                if outer != 0 && inner != 0 {
                    if inner <= outer {
                        swap = false;
                    } else if ambiguous {
                        swap = true;
                    }
                    ambiguous = false;
                }
            }
            if !ambiguous {
                if swap {
                    place = before;
                } else {
                    break;
                }
            }
        }
        order.remove(position);
        order.insert(place, axis);
    }
    order.reverse();
    if order.is_sorted() { None } else { Some(order) }
}

/// The axes of a copy from outermost to innermost in memory; `None` for C order.
///
/// Source: the rule of NumPy's `PyArray_NewLikeArray`: descending absolute strides, with C order
/// among equal ones.
pub(crate) fn copy_order(arguments: &[Argument], _: &[usize]) -> Result<Option<Vec<usize>>, Error> {
    let [Argument::Array(array)] = arguments else { return Ok(None) };
    let view = array.base_view()?;
    if view.is_contiguous() {
        return Ok(None);
    }
    let mut order: Vec<usize> = (0..view.shape.len()).collect();
    order.sort_by_key(|&axis| std::cmp::Reverse(view.strides[axis].unsigned_abs()));
    Ok(if order.is_sorted() { None } else { Some(order) })
}

fn is_descending(strides: &[i64]) -> bool {
    let mut last = i64::MAX;
    strides
        .iter()
        .filter(|&&stride| stride != 0)
        .all(|&stride| std::mem::replace(&mut last, stride) >= stride)
}
