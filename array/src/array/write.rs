//! Writes through views.

use super::form::form_operand;
use super::handle::{Array, Cell, Live};
use super::lens::{self, hide_truth};
use phalanx_graph::{Error, Form, Held, Lens, NodeOp, Operand, Site, View, map_or_none};
use phalanx_ops::shape::size;
use phalanx_ops::{AffineMap, Shape};
use std::sync::Arc;

impl Array {
    /// Replaces the elements of the view by `value`. Its dtype must be the array's, and its shape
    /// must broadcast to the view's.
    pub(crate) fn write(&self, value: Operand, site: Site) -> Result<(), Error> {
        tracing::trace!(target: "phalanx::path", file = file!());
        let live = self.live()?;
        self.check_not_lent(Some(site))?;
        if live.store(&value) {
            return Ok(());
        }
        let writing = live.cell.mesh.writing(&value);
        let written = write_stages(&live.cell, &live.view, value, site);
        drop(writing);
        match written {
            Ok(node) => live.cell.replace(Ok(node.node())),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Sets the value of the array's cell to an error, which later uses return.
    pub(crate) fn poison(&self, error: Error) {
        if let Ok(live) = &self.0 {
            live.cell.replace(Err(error));
        }
    }
}

impl Live {
    /// Writes a small value in memory, if nothing but this array has the base's value. False if the
    /// write has to be recorded.
    fn store(&self, value: &Operand) -> bool {
        if size(&self.view.shape) > self.cell.mesh.most_at_once() {
            return false;
        }
        let Some(map) = self.view.map(&self.cell.shape) else { return false };
        let value = broadcast_operand(value.clone(), &self.view.shape);
        let engine = self.cell.mesh.engine();
        self.cell.with_only_node(|node| {
            let is_stored = engine.store_at_once(node, &map, &value);
            if is_stored {
                node.change();
            }
            is_stored
        })
    }
}

/// The new value of a cell after a write through the stages of a view. Each stage updates the
/// output of the stage before it.
fn write_stages(cell: &Cell, view: &View, value: Operand, site: Site) -> Result<Held, Error> {
    let mesh = &cell.mesh;
    // For each stage: its input, its map and its lens.
    let mut shown: Vec<(Held, Arc<AffineMap>, Option<Lens>)> = Vec::new();
    let base = Arc::new(AffineMap::identity(&cell.shape));
    if view.stages.first().is_none_or(|stage| stage.form.is_some()) {
        shown.push((Held::new(cell.node()?), base, None));
    }
    for stage in &view.stages {
        let node = match (&stage.form, shown.last()) {
            (Some(form), Some((node, map, lens))) => {
                let map = map_or_none((**map).clone(), node.shape());
                let mut operand = Operand::Value { node: node.clone(), map };
                if let Some(lens) = lens {
                    operand =
                        lens::show(*lens, mesh, operand, &shown[shown.len() - 1].1.shape, site)?;
                }
                let Operand::Value { node, .. } = form_operand(mesh, operand, form, site)? else {
                    unreachable!("bug: the form of an array is a number")
                };
                node
            }
            (None, None) => Held::new(cell.node()?),
            _ => unreachable!("bug: only the first stage may lack a form"),
        };
        shown.push((node, stage.map.clone(), stage.lens));
    }
    let mut value = broadcast_operand(value, &view.shape);
    if view.is_truth {
        value = hide_truth(mesh, value, &view.shape, site)?;
    }
    for (old, map, lens) in shown.iter().rev() {
        if let Operand::Value { node, map: None } = &value {
            // The value of a later stage has the form of that stage.
            let dtype = lens.map_or(old.dtype(), |_| Lens::shows(old.dtype()));
            if node.shape() != &map.shape || node.dtype() != dtype {
                let form = Form { shape: map.shape.clone(), dtype };
                value = form_operand(mesh, value, &form, site)?;
            }
        }
        if let Some(lens) = lens {
            let map = map_or_none((**map).clone(), old.shape());
            let seen = Operand::Value { node: old.clone(), map };
            value = lens::hide(*lens, mesh, value, seen, site)?;
        }
        let operands = [Operand::Value { node: old.clone(), map: None }, value];
        let update = NodeOp::Update(map.clone());
        let node = mesh.record(update, &operands, old.shape().clone(), old.dtype(), site)?;
        value = Operand::Value { node: Held::new(node), map: None };
    }
    match value {
        Operand::Value { node, .. } => Ok(node),
        Operand::Scalar(_) => unreachable!("bug: an update gives a value"),
    }
}

/// The operand, broadcast to the shape of the target.
fn broadcast_operand(operand: Operand, shape: &Shape) -> Operand {
    match operand {
        Operand::Value { node, map } => {
            let map = map.map_or_else(|| AffineMap::identity(node.shape()), |map| (*map).clone());
            if &map.shape == shape {
                let map = map_or_none(map, node.shape());
                return Operand::Value { node, map };
            }
            let map = map.broadcast_to(shape).unwrap_or_else(|error| unreachable!("bug: {error}"));
            Operand::Value { map: map_or_none(map, node.shape()), node }
        }
        scalar => scalar,
    }
}
