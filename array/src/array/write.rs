//! Writes through views.

use super::argument::Argument;
use super::form::form_operand;
use super::handle::{Array, Live};
use super::lens::{self, hide_truth};
use crate::floating::is_on;
use phalanx_graph::{Error, Form, Held, Lens, MeshHandle, NodeOp, Operand, Site, View};
use phalanx_graph::{map_or_none, shared_or_none};
use phalanx_ops::shape::size;
use phalanx_ops::{AffineMap, Casting, DType, Op, Scalar, Shape, Signature};
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
        while !live.write_over(&Held::new(live.cell.node()?), value.clone(), site)? {}
        Ok(())
    }

    /// Replaces the elements of the view by an array that `make` records from them, for writes of
    /// some of the elements. If another thread writes to the base meanwhile, `make` is called
    /// again, so it keeps what the other thread wrote. Errors: those of `make` and of
    /// [`Array::try_assign`].
    pub(crate) fn rewrite(
        &self,
        make: impl Fn() -> Result<Array, Error>,
        site: Site,
    ) -> Result<(), Error> {
        let live = self.live()?;
        loop {
            let before = Held::new(live.cell.node()?);
            let Some(value) = self.assigned(&make()?, Casting::Unsafe, site)? else {
                return Ok(());
            };
            self.check_not_lent(Some(site))?;
            if live.write_over(&before, value, site)? {
                return Ok(());
            }
        }
    }

    /// Replaces few elements by the results of an operation on them and another operand, in their
    /// memory. False if the operation has to be recorded.
    pub(crate) fn update_few(
        &self,
        op: Op,
        signature: &Signature,
        other: &Argument,
        site: Site,
    ) -> Result<bool, Error> {
        let (live, own) = (self.live()?, self.dtype());
        let &[left, right] = signature.inputs() else { return Ok(false) };
        let is_loop = signature.constant.is_none() && op != Op::Power && !is_on();
        let keeps_dtype = (left, signature.output) == (own, own);
        if !is_loop || !keeps_dtype || !live.is_small() || live.cell.loans.is_any() {
            return Ok(false);
        }
        let operand = match other {
            Argument::Weak(weak) => Operand::Scalar(Scalar::from_weak(right, *weak)),
            Argument::Scalar(scalar) => Operand::Scalar(scalar.cast(right)),
            Argument::Array(array) => match array.element_beside(self) {
                Some(element) => Operand::Scalar(element.cast(right)),
                None => match array.plain_beside(self, right, site)? {
                    Some(operand) => operand,
                    None => return Ok(false),
                },
            },
        };
        Ok(live.write(Some(op), &operand))
    }

    /// The array as an operand, if it has the mesh and the shape of another array, has the dtype
    /// `dtype`, and is a map of its base and nothing else.
    pub(crate) fn plain_beside(
        &self,
        other: &Array,
        dtype: DType,
        site: Site,
    ) -> Result<Option<Operand>, Error> {
        let is_alike = self.dtype() == dtype
            && self.shape() == other.shape()
            && self.mesh_of_base()?.same(other.mesh_of_base()?)
            && self.live()?.view().is_plain();
        if is_alike { self.operand(site).map(Some) } else { Ok(None) }
    }

    /// Replaces the value of the whole base, which has been written.
    pub(crate) fn replace_base(&self, value: Held) -> Result<(), Error> {
        self.live()?.cell.replace(value.node())
    }

    /// Sets the value of the array's cell to an error, which later uses return.
    pub(crate) fn poison(&self, error: Error) {
        if let Ok(live) = &self.0 {
            live.cell.poison(error);
        }
    }
}

impl Live {
    /// Records a write of `value`, if the base still has the value `before` then; else another
    /// thread has written to it, and nothing changes. Returns whether it was written.
    ///
    /// The recording may wait, and other threads write during the wait.
    fn write_over(&self, before: &Held, value: Operand, site: Site) -> Result<bool, Error> {
        let writing = self.cell.mesh.writing(&value);
        let written = write_stages(before, &self.cell.mesh, self.view(), value, site);
        drop(writing);
        self.cell.replace_value(before, written?.node())
    }

    /// Writes a small value in memory, if nothing but this array has the base's value. False if the
    /// write has to be recorded.
    fn store(&self, value: &Operand) -> bool {
        if !self.is_small() {
            return false;
        }
        let broadcast;
        let value = if is_of_shape(value, &self.view().shape) {
            value
        } else {
            broadcast = broadcast_operand(value.clone(), &self.view().shape);
            &broadcast
        };
        self.write(None, value)
    }

    /// Whether the elements are few enough to be written at once.
    fn is_small(&self) -> bool {
        size(&self.view().shape) <= self.cell.mesh.most_at_once()
    }

    /// Writes an operand, or the results of an operation on the elements and the operand, in memory
    /// if nothing but this array has the base's value. Returns whether it did.
    fn write(&self, op: Option<Op>, operand: &Operand) -> bool {
        let view = self.view();
        if !view.is_plain() {
            return false;
        }
        let map = view.stages.first().map(|stage| &*stage.map);
        let engine = self.cell.mesh.engine();
        self.cell.with_only_node(|node| {
            let is_written = engine.store_at_once(node, map, op, operand);
            if is_written {
                node.change();
            }
            is_written
        })
    }
}

/// The new value of a base with the value `before` after a write through the stages of a view. Each
/// stage updates the output of the stage before it.
fn write_stages(
    before: &Held,
    mesh: &MeshHandle,
    view: &View,
    value: Operand,
    site: Site,
) -> Result<Held, Error> {
    // For each stage: its input, its map and its lens.
    let mut shown: Vec<(Held, Arc<AffineMap>, Option<Lens>)> = Vec::new();
    if view.stages.first().is_none_or(|stage| stage.form.is_some()) {
        let base = Arc::new(AffineMap::identity(before.shape()));
        shown.push((before.clone(), base, None));
    }
    for stage in &view.stages {
        let node = match (&stage.form, shown.last()) {
            (Some(form), Some((node, map, lens))) => {
                let map = shared_or_none(map, node.shape());
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
            (None, None) => before.clone(),
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
            let map = shared_or_none(map, old.shape());
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

/// Whether an operand needs no broadcast to `shape`.
fn is_of_shape(operand: &Operand, shape: &Shape) -> bool {
    match operand {
        Operand::Value { map: Some(map), .. } => &map.shape == shape,
        Operand::Value { node, map: None } => node.shape() == shape,
        Operand::Scalar(_) => true,
    }
}

/// The operand, broadcast to the shape of the target.
fn broadcast_operand(operand: Operand, shape: &Shape) -> Operand {
    match operand {
        operand if is_of_shape(&operand, shape) => operand,
        Operand::Value { node, map } => {
            let map = map.map_or_else(|| AffineMap::identity(node.shape()), Arc::unwrap_or_clone);
            let map = map.broadcast_to(shape).unwrap_or_else(|error| unreachable!("bug: {error}"));
            Operand::Value { map: map_or_none(map, node.shape()), node }
        }
        scalar => scalar,
    }
}
