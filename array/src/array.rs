//! `Array`: a cell and a view of it.

use crate::elementwise::{copy_order, record_as};
use crate::engine::Cause;
use crate::error::{Error, Site, call_site};
use crate::graph::{Evaluated, Held, Node, NodeOp};
use crate::host::HostArray;
use crate::lens::{hide_truth, show_truth, show_truth_host};
use crate::manipulation::refused;
use crate::operand::{Argument, Operand};
use crate::view::{Form, Lens, Stage, View};
use crate::window::{MeshHandle, map_or_none};
use phalanx_ops::{AffineMap, DType, Element, Scalar, Shape, Sharding};
use std::sync::{Arc, Mutex, PoisonError};

/// An n-dimensional array over the devices of a mesh, with NumPy's semantics.
///
/// Operations record and return at once; observing (`evaluate`, `to_vec`, `item`, printing)
/// computes. An operation with wrong arguments returns an array that carries the error (see
/// [`Array::ok`]); operations on it pass the error on and observing it returns it, so no operation
/// panics and none has to be unwrapped.
///
/// Clones and views share the elements: writing through one is seen by the others.
#[derive(Clone)]
pub struct Array(Result<Live, Broken>);

#[derive(Clone)]
struct Live {
    cell: Arc<Cell>,
    view: View,
}

/// An array that could not be made.
#[derive(Clone)]
struct Broken {
    error: Error,
    shape: Shape,
    dtype: DType,
}

/// The base that views share: which node is its value now.
pub(crate) struct Cell {
    mesh: MeshHandle,
    value: Mutex<Result<Arc<Node>, Error>>,
    shape: Shape,
}

impl Cell {
    fn new(mesh: MeshHandle, node: Arc<Node>) -> Arc<Cell> {
        node.add_handle();
        let shape = node.shape().clone();
        Arc::new(Cell { mesh, value: Mutex::new(Ok(node)), shape })
    }

    fn node(&self) -> Result<Arc<Node>, Error> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn replace(&self, value: Result<Arc<Node>, Error>) {
        if let Ok(node) = &value {
            node.add_handle();
        }
        let old = std::mem::replace(
            &mut *self.value.lock().unwrap_or_else(PoisonError::into_inner),
            value,
        );
        if let Ok(node) = old {
            node.drop_handle();
        }
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        if let Ok(node) = self.value.get_mut().unwrap_or_else(PoisonError::into_inner) {
            node.drop_handle();
        }
    }
}

impl Array {
    pub(crate) fn from_node(mesh: MeshHandle, node: Arc<Node>) -> Array {
        let view = View::whole(node.shape(), node.dtype());
        Array(Ok(Live { cell: Cell::new(mesh, node), view }))
    }

    /// An array that carries an error.
    pub(crate) fn broken(error: Error) -> Array {
        Array(Err(Broken { error, shape: Shape::new(), dtype: DType::F64 }))
    }

    /// The array, or what its making failed with.
    pub(crate) fn catch(result: Result<Array, Error>) -> Array {
        result.unwrap_or_else(Array::broken)
    }

    fn live(&self) -> Result<&Live, Error> {
        self.0.as_ref().map_err(|broken| broken.error.clone())
    }

    /// The array itself, or the error it carries. Local.
    pub fn ok(&self) -> Result<&Array, Error> {
        self.live().map(|_| self)
    }

    /// The extents; those of a 0-d array if the array carries an error. Local.
    pub fn shape(&self) -> &[usize] {
        match &self.0 {
            Ok(live) => &live.view.shape,
            Err(broken) => &broken.shape,
        }
    }

    /// The number of axes. Local.
    pub fn ndim(&self) -> usize {
        self.shape().len()
    }

    /// The number of elements. Local.
    pub fn size(&self) -> usize {
        phalanx_ops::shape::size(self.shape())
    }

    /// The dtype of the elements. Local.
    pub fn dtype(&self) -> DType {
        match &self.0 {
            Ok(live) => live.view.dtype,
            Err(broken) => broken.dtype,
        }
    }

    /// NumPy's strides, in bytes. Local.
    pub fn strides(&self) -> Vec<isize> {
        let strides = |live: &Live| live.view.strides.iter().map(|&s| s as isize).collect();
        self.0.as_ref().map_or(Vec::new(), strides)
    }

    /// Whether two arrays share their elements (one is a view of the other, or both of a third).
    /// Local.
    pub fn shares_memory(&self, other: &Array) -> bool {
        matches!((&self.0, &other.0), (Ok(a), Ok(b)) if Arc::ptr_eq(&a.cell, &b.cell))
    }

    /// The mesh of the array. Local.
    pub fn mesh(&self) -> Result<MeshHandle, Error> {
        Ok(self.live()?.cell.mesh.clone())
    }

    /// How the array looks at its base.
    pub(crate) fn base_view(&self) -> Result<&View, Error> {
        Ok(&self.live()?.view)
    }

    /// The same cell seen through another view.
    pub(crate) fn with_view(&self, view: View) -> Result<Array, Error> {
        Ok(Array(Ok(Live { cell: self.live()?.cell.clone(), view })))
    }

    /// The value of the base that the array looks at.
    pub(crate) fn base_node(&self) -> Result<Arc<Node>, Error> {
        self.live()?.cell.node()
    }

    pub(crate) fn base_shape(&self) -> Result<Shape, Error> {
        Ok(self.live()?.cell.shape.clone())
    }

    /// The array as an operand of an operation recorded now; lenses other than maps record what
    /// they show.
    pub(crate) fn operand(&self, site: Site) -> Result<Operand, Error> {
        let live = self.live()?;
        let mesh = &live.cell.mesh;
        let node = Held::new(live.cell.node()?);
        let mut operand = Operand::Value { node, map: None };
        for stage in &live.view.stages {
            if let Some(form) = &stage.form {
                operand = form_operand(mesh, operand, form, site)?;
            }
            let Operand::Value { node, map: None } = operand else {
                unreachable!("bug: a stage starts at a whole value")
            };
            operand = Operand::Value { map: map_or_none((*stage.map).clone(), node.shape()), node };
            if let Some(lens) = stage.lens {
                operand = lens.show(mesh, operand, &stage.map.shape, site)?;
            }
        }
        if live.view.is_truth {
            operand = show_truth(mesh, operand, &live.view.shape, site)?;
        }
        Ok(operand)
    }

    /// Whether the elements are elements of the base, and not what lenses make of them.
    pub(crate) fn shows_base(&self) -> bool {
        self.0.as_ref().is_ok_and(|live| {
            let Ok(node) = live.cell.node() else { return false };
            let is_same = |stage: &Stage| {
                let is_form = stage.form.as_ref().is_none_or(|form| form.dtype == node.dtype());
                stage.lens.is_none() && is_form
            };
            !live.view.is_truth && live.view.stages.iter().all(is_same)
        })
    }

    /// Replaces what the view covers by `value`, whose dtype is the array's and whose shape
    /// broadcasts to the view's.
    pub(crate) fn write(&self, value: Operand, site: Site) -> Result<(), Error> {
        let live = self.live()?;
        let writing = live.cell.mesh.writing(&value);
        let written = write_stages(&live.cell, &live.view, value, site);
        drop(writing);
        match written {
            Ok(node) => live.cell.replace(Ok(node.node())),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Leaves the array's cell with an error that its readers will get.
    pub(crate) fn poison(&self, error: Error) {
        if let Ok(live) = &self.0 {
            live.cell.replace(Err(error));
        }
    }

    /// Computes the value, and everything else recorded so far. Collective over the mesh.
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
        let live = self.live()?;
        let mesh = &live.cell.mesh;
        let node = live.cell.node()?;
        let is_pending = node.result().is_none();
        if cause.is_observation() {
            mesh.raise_known(is_pending && cause != Cause::Print)?;
        }
        if is_pending {
            mesh.close_for(&node, cause, site)?;
            if cause.is_observation() {
                mesh.raise_known(cause != Cause::Print)?;
            }
        }
        match node.result() {
            Some(Ok(value)) => mesh.engine().wait(value),
            Some(Err(error)) => Err(error.clone()),
            None => unreachable!("bug: a closed window left a node without a result"),
        }
    }

    /// The elements in C order. Local for a value already evaluated that this process holds whole
    /// (every replicated value, so every 0-d one); else Collective over the mesh.
    ///
    /// Errors: as [`Array::evaluate`].
    #[track_caller]
    pub fn to_host(&self) -> Result<HostArray, Error> {
        self.to_host_at(call_site())
    }

    pub(crate) fn to_host_at(&self, site: Site) -> Result<HostArray, Error> {
        self.to_host_for(Cause::Observation, site)
    }

    /// The call that made the array.
    pub(crate) fn made_at(&self) -> Result<Site, Error> {
        let site = self.base_node()?.site();
        Ok(site.unwrap_or_else(|| unreachable!("bug: an array that no call made")))
    }

    /// Whether `to_host` of any part is Local.
    pub(crate) fn is_held(&self) -> Result<bool, Error> {
        let live = self.live()?;
        let node = live.cell.node()?;
        let is_alone = live.cell.mesh.engine().process().1 == 1
            && live.view.stages.len() <= 1
            && live.view.stages.iter().all(|stage| stage.form.is_none());
        let is_here = |value: &Arc<dyn Evaluated>| is_alone || value.sharding().is_replicated();
        Ok(matches!(node.result(), Some(Ok(value)) if is_here(value)))
    }

    pub(crate) fn to_host_for(&self, cause: Cause, site: Site) -> Result<HostArray, Error> {
        let live = self.live()?;
        if let [] | [_] = live.view.stages.as_slice()
            && live.view.stages.iter().all(|stage| stage.form.is_none())
        {
            // All ranks read what is split, whether or not it has been evaluated.
            if let Some(Ok(value)) = live.cell.node()?.result()
                && cause == Cause::Observation
                && !value.sharding().is_replicated()
            {
                live.cell.mesh.raise_known(true)?;
            }
            self.evaluate_for(cause, site)?;
            if let Some(host) = self.read_local()? {
                return Ok(host);
            }
        }
        if let Some(host) = self.read_reshaped(cause)? {
            return Ok(host);
        }
        // The elements lie elsewhere: bring a whole copy to every device.
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
        whole.evaluate_for(cause, site)?;
        Ok(whole
            .read_local()?
            .unwrap_or_else(|| unreachable!("bug: a replicated value is held by every process")))
    }

    fn read_local(&self) -> Result<Option<HostArray>, Error> {
        let live = self.live()?;
        let node = live.cell.node()?;
        let stage = live.view.stages.first();
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
            Some(lens) => lens.show_host(&host),
            None if live.view.is_truth => show_truth_host(host),
            None => host,
        }))
    }

    /// The elements behind other forms of a value that every process holds: the stages are followed
    /// on the host, so that reading stays Local. A process alone reads Locally anyway, and less of
    /// the value.
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
            live.view.stages.iter().fold(whole, |mut host, stage| {
                if let Some(form) = &stage.form {
                    (host.shape, host.dtype) = (form.shape.to_vec(), form.dtype);
                }
                let host = host.through(&stage.map);
                stage.lens.map_or_else(|| host.clone(), |lens| lens.show_host(&host))
            })
        });
        Ok(if live.view.is_truth { shown.map(show_truth_host) } else { shown })
    }

    /// The elements in C order, converted to `T` if the dtype is another. Collectivity and errors
    /// as [`Array::to_host`].
    #[track_caller]
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, Error> {
        Ok(self.to_host_at(call_site())?.to_vec())
    }

    /// The only element of an array of size 1. Collectivity and errors as [`Array::to_host`], and
    /// `OpError::Argument` for another size.
    #[track_caller]
    pub fn item<T: Element>(&self) -> Result<T, Error> {
        let site = call_site();
        if self.live()?.view.shape.iter().product::<usize>() != 1 {
            let value = format!("{:?}", self.shape());
            return Err(refused("item", "shape", value, site));
        }
        Ok(self.to_host_at(site)?.to_vec()[0])
    }

    /// The plan of everything pending, as text; nothing is run. Local.
    pub fn explain(&self) -> Result<String, Error> {
        self.live()?.cell.mesh.explain()
    }

    /// The sharding that the array's base has or will have, seen through the view. Local.
    pub fn sharding(&self) -> Result<Sharding, Error> {
        let live = self.live()?;
        live.cell.mesh.sharding(&live.cell.node()?, &live.view.stages)
    }

    /// Converts to another dtype, as NumPy's `astype` does (any cast is allowed); always a copy.
    ///
    /// Collectivity: Local (records a node); evaluating is Collective over the mesh.
    #[track_caller]
    pub fn astype(&self, dtype: DType) -> Array {
        self.astype_at(dtype, call_site())
    }

    pub(crate) fn astype_at(&self, dtype: DType, site: Site) -> Array {
        let arguments = [Argument::Array(self.clone())];
        Array::catch(record_as(NodeOp::Cast, &arguments, &[self.dtype()], dtype, copy_order, site))
    }

    /// A copy with elements of its own, in C order. Local (records a node).
    #[track_caller]
    pub fn copy(&self) -> Array {
        self.copy_at(call_site())
    }

    pub(crate) fn copy_at(&self, site: Site) -> Array {
        Array::catch((|| {
            let mesh = self.mesh()?;
            let operand = self.operand(site)?;
            let node =
                mesh.record(NodeOp::Cast, &[operand], self.shape().into(), self.dtype(), site)?;
            Ok(Array::from_node(mesh, node))
        })())
    }

    /// The array with another sharding: an array of its own, equal in value. Local (records a
    /// node).
    #[track_caller]
    pub fn with_sharding(&self, sharding: Sharding) -> Array {
        let site = call_site();
        Array::catch((|| {
            let live = self.live()?;
            crate::sharding::check(&sharding, self.shape(), live.cell.mesh.mesh())
                .map_err(|error| Error::op(error, site))?;
            let op = NodeOp::Reshard(Arc::new(sharding));
            let operand = self.operand(site)?;
            let node =
                live.cell.mesh.record(op, &[operand], self.shape().into(), self.dtype(), site)?;
            Ok(Array::from_node(live.cell.mesh.clone(), node))
        })())
    }

    /// Another dtype on the way to an operation: unlike `astype`, with axes ordered as the
    /// operation would.
    pub(crate) fn converted(&self, dtype: DType, site: Site) -> Array {
        if dtype == self.dtype() {
            return self.clone();
        }
        let arguments = [Argument::Array(self.clone())];
        Array::catch(crate::elementwise::record(
            NodeOp::Cast,
            &arguments,
            &[self.dtype()],
            dtype,
            site,
        ))
    }
}

/// Records another form of the bytes of an operand; the operand is copied first if it is not a
/// whole value.
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
    // Bytes that are to be bools may be any.
    let is_truth = form.dtype == DType::Bool && node.dtype() != DType::Bool;
    let dtype = if is_truth { DType::U8 } else { form.dtype };
    let node = mesh.record(NodeOp::Reshape, &[operand], form.shape.clone(), dtype, site)?;
    let operand = Operand::Value { node: Held::new(node), map: None };
    if is_truth { show_truth(mesh, operand, &form.shape, site) } else { Ok(operand) }
}

/// The operand as a whole value: a view is copied.
pub(crate) fn whole_operand(
    mesh: &MeshHandle,
    operand: Operand,
    site: Site,
) -> Result<Operand, Error> {
    match &operand {
        Operand::Value { map: Some(map), node } => {
            let (shape, dtype) = (map.shape.clone(), node.dtype());
            let node = mesh.record(NodeOp::Cast, &[operand], shape, dtype, site)?;
            Ok(Operand::Value { node: Held::new(node), map: None })
        }
        _ => Ok(operand),
    }
}

/// The new value of a cell after a write through a stack of stages: each stage updates what the one
/// before it showed.
fn write_stages(cell: &Cell, view: &View, value: Operand, site: Site) -> Result<Held, Error> {
    let mesh = &cell.mesh;
    // For each stage, what it looks at, how, and what it shows of that.
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
                    operand = lens.show(mesh, operand, &shown[shown.len() - 1].1.shape, site)?;
                }
                let Operand::Value { node, .. } = form_operand(mesh, operand, form, site)? else {
                    unreachable!("bug: another form of a value is a value")
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
            // What comes from a later stage has the form of that.
            let dtype = lens.map_or(old.dtype(), |_| Lens::shows(old.dtype()));
            if node.shape() != &map.shape || node.dtype() != dtype {
                let form = Form { shape: map.shape.clone(), dtype };
                value = form_operand(mesh, value, &form, site)?;
            }
        }
        if let Some(lens) = lens {
            let map = map_or_none((**map).clone(), old.shape());
            let seen = Operand::Value { node: old.clone(), map };
            value = lens.hide(mesh, value, seen, site)?;
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

/// The operand seen with the shape of the place it is written to.
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

impl HostArray {
    /// The elements as `T`, converted as `astype` converts.
    pub(crate) fn to_vec<T: Element>(&self) -> Vec<T> {
        let size = self.dtype.size();
        self.bytes
            .chunks_exact(size)
            .map(|bytes| Scalar::from_bytes(self.dtype, bytes).to_element())
            .collect()
    }
}
