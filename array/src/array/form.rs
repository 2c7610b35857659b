//! Other forms of values: the same bytes with another shape or dtype.

use super::lens::show_truth;
use phalanx_graph::{Error, Form, Held, MeshHandle, NodeOp, Operand, Site};
use phalanx_ops::DType;

/// Records another form of the bytes of an operand. An operand that is not a whole value is copied
/// first.
pub(crate) fn form_operand(
    mesh: &MeshHandle,
    operand: Operand,
    form: &Form,
    site: Site,
) -> Result<Operand, Error> {
    let operand = whole_operand(mesh, operand, site)?;
    let Operand::Value { node, .. } = &operand else { return Ok(operand) };
    if node.shape() == &form.shape && node.dtype() == form.dtype {
        return Ok(operand);
    }
    // Bytes that become bools may have any value.
    let is_truth = form.dtype == DType::Bool && node.dtype() != DType::Bool;
    let dtype = if is_truth { DType::U8 } else { form.dtype };
    let node = mesh.record(NodeOp::Reshape, &[operand], form.shape.clone(), dtype, site)?;
    let operand = Operand::Value { node: Held::new(node), map: None };
    if is_truth { show_truth(mesh, operand, &form.shape, site) } else { Ok(operand) }
}

/// The operand as a whole value; a view is copied.
fn whole_operand(mesh: &MeshHandle, operand: Operand, site: Site) -> Result<Operand, Error> {
    match &operand {
        Operand::Value { map: Some(map), node } => {
            let (shape, dtype) = (map.shape.clone(), node.dtype());
            let node = mesh.record(NodeOp::Cast, &[operand], shape, dtype, site)?;
            Ok(Operand::Value { node: Held::new(node), map: None })
        }
        _ => Ok(operand),
    }
}
