//! Lenses on elements: the components of complex numbers, and bytes as bools. Values are read and
//! written through them.

use phalanx_graph::{Error, Held, HostArray, Lens, MeshHandle, NodeOp, Operand, Site};
use phalanx_ops::{DType, Op, Scalar, Shape};

/// Records the components of `operand`, whose shape is `shape`, that a lens shows.
pub(crate) fn show(
    lens: Lens,
    mesh: &MeshHandle,
    operand: Operand,
    shape: &Shape,
    site: Site,
) -> Result<Operand, Error> {
    let part = match lens {
        Lens::Real => 0,
        Lens::Imaginary => 1,
    };
    if let Some(part) = mesh.known_part(&operand, part) {
        return Ok(part);
    }
    let dtype = Lens::shows(operand.dtype());
    let node = record(mesh, lens.op(), &[operand], shape, dtype, site)?;
    Ok(Operand::Value { node, map: None })
}

/// Records `old` with `value` in place of the component that a lens shows.
pub(crate) fn hide(
    lens: Lens,
    mesh: &MeshHandle,
    value: Operand,
    old: Operand,
    site: Site,
) -> Result<Operand, Error> {
    let dtype = old.dtype();
    let shape = match &old {
        Operand::Value { map: Some(map), .. } => map.shape.clone(),
        Operand::Value { node, map: None } => node.shape().clone(),
        Operand::Scalar(_) => unreachable!("bug: a write to a number"),
    };
    let other = |lens: Lens| show(lens, mesh, old.clone(), &shape, site);
    let parts = match lens {
        Lens::Real => [value, other(Lens::Imaginary)?],
        Lens::Imaginary => [other(Lens::Real)?, value],
    };
    let node = record(mesh, Op::Complex, &parts, &shape, dtype, site)?;
    Ok(Operand::Value { node, map: None })
}

/// The components of elements on the host that a lens shows.
pub(crate) fn show_host(lens: Lens, host: &HostArray) -> HostArray {
    let item = host.dtype.size();
    let elements = host.bytes.chunks_exact(item);
    let bytes = match lens {
        Lens::Real => elements.flat_map(|z| &z[..item / 2]).copied().collect(),
        Lens::Imaginary => elements.flat_map(|z| &z[item / 2..]).copied().collect(),
    };
    HostArray { dtype: Lens::shows(host.dtype), shape: host.shape.clone(), bytes }
}

/// Records whether each of the bytes is not zero. `shape` is their shape.
pub(crate) fn show_truth(
    mesh: &MeshHandle,
    bytes: Operand,
    shape: &Shape,
    site: Site,
) -> Result<Operand, Error> {
    let zero = Operand::Scalar(Scalar::new(0u8));
    let node = record(mesh, Op::NotEqual, &[bytes, zero], shape, DType::Bool, site)?;
    Ok(Operand::Value { node, map: None })
}

/// Records bools as bytes. `shape` is their shape.
pub(crate) fn hide_truth(
    mesh: &MeshHandle,
    value: Operand,
    shape: &Shape,
    site: Site,
) -> Result<Operand, Error> {
    if let Operand::Scalar(scalar) = value {
        return Ok(Operand::Scalar(scalar.cast(DType::U8)));
    }
    let node = mesh.record(NodeOp::Cast, &[value], shape.clone(), DType::U8, site)?;
    Ok(Operand::Value { node: Held::new(node), map: None })
}

/// Whether each of the bytes on the host is not zero, as bools.
pub(crate) fn show_truth_host(mut host: HostArray) -> HostArray {
    host.bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
    HostArray { dtype: DType::Bool, ..host }
}

fn record(
    mesh: &MeshHandle,
    op: Op,
    operands: &[Operand],
    shape: &Shape,
    dtype: DType,
    site: Site,
) -> Result<Held, Error> {
    let node = mesh.record(NodeOp::Elementwise(op), operands, shape.clone(), dtype, site)?;
    Ok(Held::new(node))
}
