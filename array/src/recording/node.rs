//! Recording of a node with the elements of several arguments: broadcasting, and casts of the
//! operands.

use super::mesh::{check_shape, mesh_of};
use super::order::{OrderRule, copy_order, in_order, memory_order};
use crate::array::Argument;
use crate::array::Array;
use crate::floating::{check_number, is_on, looks};
use phalanx_graph::{Error, MeshHandle, NodeOp, Operand, Site, map_or_none};
use phalanx_ops::shape::broadcast;
use phalanx_ops::{AffineMap, Arg, DType, Op, Scalar, Shape, Signature};
use smallvec::SmallVec;
use std::sync::Arc;

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

/// Records an elementwise operation by the loop with this signature.
pub(super) fn record_by(
    op: Op,
    arguments: &[Argument],
    signature: Signature,
    site: Site,
) -> Result<Array, Error> {
    record(NodeOp::Elementwise(op), arguments, signature.inputs(), signature.output, site)
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
    let elements = arguments.iter().map(|argument| argument.as_array().and_then(Array::element));
    let known: &SmallVec<[Option<Scalar>; 3]> = &elements.collect();
    let is_known = |(argument, known): (&Argument, &Option<Scalar>)| {
        known.is_some() || argument.as_array().is_none()
    };
    let are_known = arguments.iter().zip(known).all(is_known);
    if are_known
        && let Some(element) = of_elements(&mesh, &op, arguments, known, input_dtypes, output)
    {
        return Ok(Array::from_element(mesh, element));
    }
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
    for ((argument, known), &dtype) in arguments.iter().zip(known).zip(input_dtypes) {
        let array = match argument {
            Argument::Weak(weak) => {
                let number = Scalar::from_weak(dtype, *weak);
                if looks() {
                    check_number(*weak, number, site)?;
                }
                operands.push(Operand::Scalar(number));
                continue;
            }
            Argument::Scalar(scalar) => {
                operands.push(Operand::Scalar(scalar.cast(dtype)));
                continue;
            }
            Argument::Array(array) => array,
        };
        // A known element is a scalar of the operation. If all are known, one has to be a value.
        if let Some(element) = known.filter(|_| !are_known)
            && element.dtype() == dtype
        {
            operands.push(Operand::Scalar(element));
            continue;
        }
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

/// The result of an elementwise operation on elements that are known, which needs no plan. `None`
/// while the program looks for floating-point errors, which a plan finds.
fn of_elements(
    mesh: &MeshHandle,
    op: &NodeOp,
    arguments: &[Argument],
    known: &[Option<Scalar>],
    input_dtypes: &[DType],
    output: DType,
) -> Option<Scalar> {
    let &NodeOp::Elementwise(op) = op else { return None };
    if is_on() {
        return None;
    }
    let mut operands = [Scalar::new(false); 2];
    let places = operands.iter_mut().zip(arguments).zip(known).zip(input_dtypes);
    for (((place, argument), known), &dtype) in places {
        *place = match (argument, known) {
            (Argument::Weak(weak), _) => Scalar::from_weak(dtype, *weak),
            (Argument::Scalar(scalar), _) | (Argument::Array(_), Some(scalar)) => {
                if scalar.dtype() == dtype { *scalar } else { scalar.cast(dtype) }
            }
            (Argument::Array(_), None) => return None,
        };
    }
    mesh.engine().computed(op, &operands[..arguments.len()], output)
}

/// The result of an operation of the table on scalars and numbers, which needs no plan. `None` for
/// arrays, for powers, which depend on the exponent, and where no loop takes the dtypes.
pub(crate) fn of_known(mesh: &MeshHandle, op: Op, arguments: &[Argument]) -> Option<Scalar> {
    let count = arguments.len();
    if op == Op::Power || count != op.arity() {
        return None;
    }
    let mut kinds = [Arg::Strong(DType::Bool); 2];
    kinds.iter_mut().zip(arguments).for_each(|(kind, argument)| *kind = argument.kind());
    let signature = op.resolve(&kinds[..count]).ok().filter(|it| it.constant.is_none())?;
    let (inputs, output) = (signature.inputs(), signature.output);
    of_elements(mesh, &NodeOp::Elementwise(op), arguments, &[None; 2][..count], inputs, output)
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

impl Array {
    /// The array in another dtype, with the axes in the order of a copy.
    pub(crate) fn astype_at(&self, dtype: DType, site: Site) -> Array {
        let arguments = [Argument::Array(self.clone())];
        Array::catch(record_as(NodeOp::Cast, &arguments, &[self.dtype()], dtype, copy_order, site))
    }

    /// The array cast for an operation. Unlike `astype`, the order of axes is that of an
    /// operation's result.
    pub(crate) fn converted(&self, dtype: DType, site: Site) -> Array {
        if dtype == self.dtype() {
            return self.clone();
        }
        let arguments = [Argument::Array(self.clone())];
        Array::catch(record(NodeOp::Cast, &arguments, &[self.dtype()], dtype, site))
    }
}
