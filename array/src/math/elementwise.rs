//! Recording of elementwise operations: broadcasting, casts of the operands, and the order of axes
//! in memory of the result.

use crate::array::Argument;
use crate::array::Array;
use phalanx_graph::{
    Error, MeshHandle, Node, NodeOp, Operand, Site, contiguous_strides, map_or_none, within,
};
use phalanx_ops::shape::broadcast;
use phalanx_ops::{AffineMap, Arg, Casting, DType, Op, Scalar, Shape, Signature};
use smallvec::SmallVec;
use std::sync::Arc;

/// Records the operation `op` of the table. The array carries the error if there is one.
pub(crate) fn elementwise(op: Op, arguments: &[Argument], site: Site) -> Array {
    Array::catch(try_elementwise(op, arguments, site))
}

/// Records the operation `op` of the table.
pub(crate) fn try_elementwise(op: Op, arguments: &[Argument], site: Site) -> Result<Array, Error> {
    let kinds: SmallVec<[Arg; 2]> = arguments.iter().map(Argument::kind).collect();
    for argument in arguments {
        if let Argument::Array(array) = argument {
            array.ok()?;
        }
    }
    let signature = op.resolve(&kinds).map_err(|error| Error::op(error, site))?;
    by_loop(op, arguments, signature, site)
}

/// Records the operation `op` of the table by a loop with the requested dtypes. See
/// [`Op::resolve_by`].
pub(crate) fn elementwise_by(
    op: Op,
    arguments: &[Argument],
    asked: &[Option<DType>],
    casting: Casting,
    site: Site,
) -> Result<Array, Error> {
    let kinds: SmallVec<[Arg; 2]> = arguments.iter().map(Argument::kind).collect();
    for argument in arguments {
        if let Argument::Array(array) = argument {
            array.ok()?;
        }
    }
    let signature = op.resolve_by(&kinds, asked, casting);
    by_loop(op, arguments, signature.map_err(|error| Error::op(error, site))?, site)
}

/// Records the operation `op` of the table by the loop with this signature.
pub(crate) fn by_loop(
    op: Op,
    arguments: &[Argument],
    signature: Signature,
    site: Site,
) -> Result<Array, Error> {
    tracing::trace!(target: "phalanx::path", file = file!());
    if op == Op::Power {
        return super::power::record_power(arguments, signature, site);
    }
    record(NodeOp::Elementwise(op), arguments, signature.inputs(), signature.output, site)
}

/// Runs `body` on the mesh of `array`. Its calls count as the call at `site`.
pub(crate) fn on_mesh_of(
    array: &Array,
    site: Site,
    body: impl FnOnce() -> Result<Array, Error>,
) -> Array {
    Array::catch(array.mesh().and_then(|mesh| mesh.enter(|| within(site, body))))
}

/// The mesh of all arrays among the arguments. Errors: `OpError::Meshes`.
pub(crate) fn mesh_of(arguments: &[Argument], site: Site) -> Result<MeshHandle, Error> {
    let arrays = arguments.iter().filter_map(|argument| match argument {
        Argument::Array(array) => Some(array),
        Argument::Scalar(_) | Argument::Weak(_) => None,
    });
    mesh_of_arrays(arrays, site)
}

/// The mesh of all arrays, or the current mesh if there are none.
pub(crate) fn mesh_of_arrays<'a>(
    arrays: impl Iterator<Item = &'a Array>,
    site: Site,
) -> Result<MeshHandle, Error> {
    let mut found: Option<MeshHandle> = None;
    for array in arrays {
        let mesh = array.mesh()?;
        match &found {
            Some(first) if !first.same(&mesh) => {
                return Err(Error::op(first.differing(&mesh), site));
            }
            _ => found = Some(mesh),
        }
    }
    found.map_or_else(|| crate::creation::current_mesh(site), Ok)
}

/// Refuses a shape that an array of this dtype cannot have.
pub(crate) fn check_shape(shape: &[usize], dtype: DType, site: Site) -> Result<(), Error> {
    phalanx_ops::shape::check(shape, dtype.size()).map_err(|error| Error::op(error, site))
}

/// A rule for the order in memory of the axes of a result.
type OrderRule = fn(&[Argument], &[usize]) -> Result<Option<Vec<usize>>, Error>;

/// Records an elementwise node whose inputs are cast to the given dtypes.
pub(crate) fn record(
    op: NodeOp,
    arguments: &[Argument],
    input_dtypes: &[DType],
    output: DType,
    site: Site,
) -> Result<Array, Error> {
    record_as(op, arguments, input_dtypes, output, memory_order, site)
}

/// Records an elementwise node. `rule` gives the order in memory of the axes of its result.
pub(crate) fn record_as(
    op: NodeOp,
    arguments: &[Argument],
    input_dtypes: &[DType],
    output: DType,
    rule: OrderRule,
    site: Site,
) -> Result<Array, Error> {
    let mesh = mesh_of(arguments, site)?;
    let mut shape = Shape::new();
    let mut first = true;
    for argument in arguments {
        let Argument::Array(array) = argument else { continue };
        array.ok()?;
        if first {
            shape = Shape::from_slice(array.shape());
            first = false;
        } else if array.shape() != shape.as_slice() {
            shape = broadcast(&shape, array.shape()).map_err(|error| Error::op(error, site))?;
        }
    }
    check_shape(&shape, output, site)?;
    let order = rule(arguments, &shape)?;
    let mut operands = SmallVec::<[Operand; 3]>::new();
    for (argument, &dtype) in arguments.iter().zip(input_dtypes) {
        let array = match argument {
            Argument::Weak(weak) => {
                operands.push(Operand::Scalar(Scalar::from_weak(dtype, *weak)));
                continue;
            }
            Argument::Scalar(scalar) => {
                operands.push(Operand::Scalar(scalar.cast(dtype)));
                continue;
            }
            Argument::Array(array) => array,
        };
        let needs_cast = array.dtype() != dtype && op != NodeOp::Cast;
        let operand = if needs_cast {
            array.astype_at(dtype, site).operand(site)?
        } else {
            array.operand(site)?
        };
        operands.push(shape_operand(operand, array.shape(), &shape, order.as_deref()));
    }
    let recorded: Shape = match &order {
        Some(order) => order.iter().map(|&axis| shape[axis]).collect(),
        None => shape,
    };
    let node = mesh.record(op, &operands, recorded, output, site)?;
    in_order(mesh, node, order.as_deref())
}

/// The operand broadcast to `shape`, with its axes in `order`.
fn shape_operand(
    operand: Operand,
    from: &[usize],
    shape: &Shape,
    order: Option<&[usize]>,
) -> Operand {
    let Operand::Value { node, map } = operand else { return operand };
    if from == shape.as_slice() && order.is_none() {
        return Operand::Value { node, map };
    }
    let mut map = map.map_or_else(|| AffineMap::identity(node.shape()), Arc::unwrap_or_clone);
    if map.shape != *shape {
        map = map.broadcast_to(shape).unwrap_or_else(|error| unreachable!("bug: {error}"));
    }
    if let Some(order) = order {
        map = map.transpose(order);
    }
    Operand::Value { map: map_or_none(map, node.shape()), node }
}

/// The array of a node that was recorded with its axes in `order`.
pub(crate) fn in_order(
    mesh: MeshHandle,
    node: Arc<Node>,
    order: Option<&[usize]>,
) -> Result<Array, Error> {
    let base = node.shape().clone();
    let array = Array::from_node(mesh, node);
    let Some(order) = order else { return Ok(array) };
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
