//! Observation: computes pending values and reads elements.

use super::handle::Array;
use super::lens::{self, show_truth_host};
use crate::floating::observed;
use crate::manipulation::refused;
use phalanx_graph::{
    Cause, Error, ErrorKind, Evaluated, HostArray, MeshHandle, Node, NodeOp, Site, call_site,
    room_on_host,
};
use phalanx_ops::{AffineMap, Element, Scalar, Sharding};
use std::sync::Arc;

impl Array {
    /// Computes the value, and all other pending operations. Collective over the mesh.
    ///
    /// Errors: those of the operations that made it; `Failure`s of memory and communication.
    #[track_caller]
    pub fn evaluate(&self) -> Result<(), Error> {
        self.evaluate_at(call_site())
    }

    pub(crate) fn evaluate_at(&self, site: Site) -> Result<(), Error> {
        self.evaluate_for(Cause::Observation, site)
    }

    fn evaluate_for(&self, cause: Cause, site: Site) -> Result<(), Error> {
        self.evaluated_for(cause, site).map(|_| ())
    }

    /// The node of the value, after it is computed. If another thread writes the array meanwhile,
    /// the array has another node afterwards.
    fn evaluated_for(&self, cause: Cause, site: Site) -> Result<Arc<Node>, Error> {
        tracing::trace!(target: "phalanx::path", file = file!());
        let live = self.live().map_err(Error::reported)?;
        self.check_not_lent(Some(site))?;
        let mesh = &live.cell.mesh;
        let mut was_pending = false;
        loop {
            let node = live.cell.node()?;
            let is_pending = node.result().is_none();
            was_pending |= is_pending;
            if cause.is_observation() {
                mesh.raise_known(is_pending && cause != Cause::Print)?;
            }
            if is_pending {
                let closed = mesh.close_for(&node, cause, site);
                // The error may be that of other arrays, for lack of memory. An error in data is
                // raised by this observation, even if it is that of another array.
                if let Err(error) = closed {
                    let is_in_data = matches!(error.kind(), ErrorKind::Data(_));
                    if is_in_data || node.result().is_none() {
                        return Err(error);
                    }
                }
                if cause.is_observation() {
                    mesh.raise_known(cause != Cause::Print)?;
                }
            }
            match node.result() {
                Some(Ok(value)) => {
                    mesh.engine().wait(value)?;
                    if cause.is_observation() {
                        observed(mesh, was_pending && cause != Cause::Print)?;
                    }
                    return Ok(node);
                }
                Some(Err(error)) => return Err(error.clone().reported()),
                None => {}
            }
            // Another thread wrote the array and closed the window after this thread read the node.
            // The old node had no handle, so it was not computed.
            if Arc::ptr_eq(&node, &live.cell.node()?) {
                unreachable!("bug: a closed window left a node without a result");
            }
        }
    }

    /// The elements in C order. Local for a computed value that this process holds whole (every
    /// replicated value, so every 0-d one); else Collective over the mesh.
    ///
    /// Errors: those of [`Array::evaluate`].
    #[track_caller]
    pub fn to_host(&self) -> Result<HostArray, Error> {
        self.to_host_at(call_site())
    }

    pub(crate) fn to_host_at(&self, site: Site) -> Result<HostArray, Error> {
        self.to_host_for(Cause::Observation, site)
    }

    /// Whether the value is recorded and not computed, so that its observation is Collective.
    /// Local.
    pub fn is_pending(&self) -> bool {
        self.present_node().is_ok_and(|node| node.result().is_none() && node.element().is_none())
    }

    /// The call that made the array's value.
    pub(crate) fn made_at(&self) -> Result<Site, Error> {
        Ok(match self.present_node()?.site() {
            Some(site) => site,
            // No call made a known element.
            None => call_site(),
        })
    }

    /// Whether reading any part of the array is Local.
    pub(crate) fn is_held(&self) -> Result<bool, Error> {
        let live = self.live()?;
        let node = live.cell.present()?;
        let is_alone = live.cell.mesh.engine().process().1 == 1
            && live.view().stages.len() <= 1
            && live.view().stages.iter().all(|stage| stage.form.is_none());
        let is_here = |value: &Arc<dyn Evaluated>| is_alone || value.sharding().is_replicated();
        Ok(matches!(node.result(), Some(Ok(value)) if is_here(value)))
    }

    /// The element, if it is known without a plan. Local. Errors: as an observation raises them.
    fn known_to_host(&self, cause: Cause) -> Result<Option<Scalar>, Error> {
        let Some(element) = self.known_element() else { return Ok(None) };
        if cause.is_observation() {
            raise_earlier(&self.live()?.cell.mesh)?;
        }
        Ok(Some(element))
    }

    pub(crate) fn to_host_for(&self, cause: Cause, site: Site) -> Result<HostArray, Error> {
        if let Some(element) = self.known_to_host(cause)? {
            let (dtype, bytes) = (element.dtype(), element.bytes().to_vec());
            return Ok(HostArray { dtype, shape: Vec::new(), bytes });
        }
        let live = self.live().map_err(Error::reported)?;
        self.check_not_lent(Some(site))?;
        live.cell.mesh.engine().observes(site);
        if let [] | [_] = live.view().stages.as_slice()
            && live.view().stages.iter().all(|stage| stage.form.is_none())
        {
            // A read of a split value is Collective, whether or not the value is computed.
            if let Some(Ok(value)) = live.cell.node()?.result()
                && cause == Cause::Observation
                && !value.sharding().is_replicated()
            {
                live.cell.mesh.raise_known(true)?;
            }
            let node = self.evaluated_for(cause, site)?;
            if let Some(host) = self.read_local(&node)? {
                return Ok(host);
            }
        }
        if let Some(host) = self.read_reshaped(cause)? {
            return Ok(host);
        }
        // Other processes have elements: every device receives a whole copy.
        let mesh = &live.cell.mesh;
        let sharding = Arc::new(Sharding::replicated(self.ndim()));
        let operand = self.operand(site)?;
        let node = mesh.record(
            NodeOp::Reshard(sharding),
            &[operand],
            self.shape().into(),
            self.dtype(),
            site,
        )?;
        let whole = Array::from_node(mesh.clone(), node);
        let node = whole.evaluated_for(cause, site)?;
        Ok(whole
            .read_local(&node)?
            .unwrap_or_else(|| unreachable!("bug: a replicated value is held by every process")))
    }

    /// The elements of the array from a computed node, if this process holds them all.
    fn read_local(&self, node: &Node) -> Result<Option<HostArray>, Error> {
        let live = self.live()?;
        let stage = live.view().stages.first();
        let map = match stage {
            Some(stage) => (*stage.map).clone(),
            None => AffineMap::identity(node.shape()),
        };
        let host = match node.result() {
            Some(Ok(value)) => live.cell.mesh.engine().read(value, node.shape(), &map),
            Some(Err(error)) => Err(error.clone()),
            None => unreachable!("bug: reading a pending value"),
        };
        let lens = stage.and_then(|stage| stage.lens);
        Ok(host?.map(|host| match lens {
            Some(lens) => lens::show_host(lens, &host),
            None if live.view().is_truth => show_truth_host(host),
            None => host,
        }))
    }

    /// The elements of a view with forms, from a value that every process holds. The stages are
    /// applied on the host, so that reading stays Local. Not used with a single process, which
    /// reads Locally in any case, and only the elements that it needs.
    fn read_reshaped(&self, cause: Cause) -> Result<Option<HostArray>, Error> {
        let live = self.live()?;
        let node = live.cell.node()?;
        let engine = live.cell.mesh.engine();
        let value = match node.result() {
            Some(Ok(value)) if engine.process().1 > 1 && value.sharding().is_replicated() => value,
            _ => return Ok(None),
        };
        if cause.is_observation() {
            live.cell.mesh.raise_known(false)?;
        }
        let whole = engine.read(value, node.shape(), &AffineMap::identity(node.shape()))?;
        let shown = whole.map(|whole| {
            live.view().stages.iter().fold(whole, |mut host, stage| {
                if let Some(form) = &stage.form {
                    (host.shape, host.dtype) = (form.shape.to_vec(), form.dtype);
                }
                let host = host.through(&stage.map);
                match stage.lens {
                    Some(lens) => lens::show_host(lens, &host),
                    None => host,
                }
            })
        });
        Ok(if live.view().is_truth { shown.map(show_truth_host) } else { shown })
    }

    /// The elements in C order, converted to `T` if the dtype differs. Collectivity and errors:
    /// those of [`Array::to_host`].
    #[track_caller]
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, Error> {
        let site = call_site();
        let host = self.to_host_at(site)?;
        room_on_host(host.size().saturating_mul(size_of::<T>()), Some(site))?;
        Ok(host.to_vec())
    }

    /// The only element of an array of size 1, with its dtype. Collectivity and errors: those of
    /// [`Array::item`].
    #[track_caller]
    pub fn item_scalar(&self) -> Result<Scalar, Error> {
        let site = call_site();
        if let Some(element) = self.known_to_host(Cause::Observation)? {
            return Ok(element);
        }
        self.check_only_one(site)?;
        let host = self.to_host_at(site)?;
        Ok(Scalar::from_bytes(host.dtype, &host.bytes))
    }

    /// The element of an array without axes that needs no plan and no wait; `None` for any other
    /// array. Local. Errors: those of earlier operations, as any observation raises them.
    pub fn item_if_known(&self) -> Option<Result<Scalar, Error>> {
        self.known_to_host(Cause::Observation).transpose()
    }

    fn check_only_one(&self, site: Site) -> Result<(), Error> {
        if self.ok()?.size() == 1 {
            return Ok(());
        }
        Err(refused("item", "shape", format!("{:?}", self.shape()), site))
    }

    /// The only element of an array of size 1. Collectivity and errors: those of
    /// [`Array::to_host`], and `OpError::Argument` for another size.
    #[track_caller]
    pub fn item<T: Element>(&self) -> Result<T, Error> {
        let site = call_site();
        self.check_only_one(site)?;
        Ok(self.to_host_at(site)?.to_vec()[0])
    }
}

/// Raises the errors of earlier operations that an observation of a known element raises. Local.
pub(super) fn raise_earlier(mesh: &MeshHandle) -> Result<(), Error> {
    mesh.raise_known(false)?;
    observed(mesh, false)
}
