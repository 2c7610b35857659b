//! The handle: a cell and a view of it.

use super::cell::{Cell, Value, whole};
use super::loans::Loans;
use phalanx_graph::{Error, MeshHandle, Node, Stage, View};
use phalanx_ops::{DType, Scalar, Shape, Sharding};
use std::sync::Arc;

/// An n-dimensional array over the devices of a mesh, with NumPy's semantics.
///
/// Operations record and return at once. An observation (`evaluate`, `to_vec`, `item`, printing)
/// computes. An operation with wrong arguments returns an array that carries the error (see
/// [`Array::ok`]). Operations on that array pass the error on, and its observation returns it, so
/// no operation panics and none must be unwrapped. The end of the session reports errors that the
/// program has not seen, with the calls that caused them.
///
/// Clones and views share the elements: a write through one changes all of them.
#[must_use = "a failed operation returns an array that carries the error; an unused array hides it"]
#[derive(Clone)]
pub struct Array(pub(super) Result<Live, Box<Broken>>);

/// Two pointers: arrays are passed and copied often.
#[derive(Clone)]
pub(super) struct Live {
    pub(super) cell: Arc<Cell>,
    /// The view of the base; `None` for the whole base.
    part: Option<Arc<View>>,
}

impl Live {
    /// The whole of a base.
    pub(super) fn whole(cell: Arc<Cell>) -> Live {
        Live { cell, part: None }
    }

    /// The view of the base.
    pub(super) fn view(&self) -> &View {
        self.part.as_deref().unwrap_or(&self.cell.whole)
    }
}

/// An array that could not be made.
#[derive(Clone)]
pub(super) struct Broken {
    error: Error,
    shape: Shape,
    dtype: DType,
}

impl Array {
    pub(crate) fn from_node(mesh: MeshHandle, node: Arc<Node>) -> Array {
        let whole = whole(node.shape(), node.dtype());
        let cell = Cell::new(mesh, Value::of(node), whole);
        Array(Ok(Live::whole(cell)))
    }

    /// A 0-d array of a known element.
    pub(crate) fn from_element(mesh: MeshHandle, element: Scalar) -> Array {
        let cell = Cell::new(mesh, Value::Element(element), whole(&[], element.dtype()));
        Array(Ok(Live::whole(cell)))
    }

    /// An array that carries an error.
    pub(crate) fn broken(error: Error) -> Array {
        phalanx_graph::note_unseen(&error);
        Array::carrying(error)
    }

    fn carrying(error: Error) -> Array {
        Array(Err(Box::new(Broken { error, shape: Shape::new(), dtype: DType::F64 })))
    }

    /// An array that carries an error, which is reported only if the array is used.
    pub(crate) fn refusing(error: Error) -> Array {
        Array::carrying(error.reported())
    }

    /// The array, or an array that carries the error.
    pub(crate) fn catch(result: Result<Array, Error>) -> Array {
        result.unwrap_or_else(Array::broken)
    }

    pub(super) fn live(&self) -> Result<&Live, Error> {
        self.0.as_ref().map_err(|broken| broken.error.clone())
    }

    /// The array itself, or the error that it carries. Local.
    pub fn ok(&self) -> Result<&Array, Error> {
        self.live().map(|_| self).map_err(Error::reported)
    }

    /// The array, or the error that it carries, as [`Array::ok`] of an array that is not used
    /// further. Local.
    pub fn into_result(self) -> Result<Array, Error> {
        self.ok()?;
        Ok(self)
    }

    /// The extents, or the error that the array carries. Local.
    pub fn try_shape(&self) -> Result<&[usize], Error> {
        Ok(self.ok()?.shape())
    }

    /// The number of axes, or the error that the array carries. Local.
    pub fn try_ndim(&self) -> Result<usize, Error> {
        Ok(self.ok()?.ndim())
    }

    /// The number of elements, or the error that the array carries. Local.
    pub fn try_size(&self) -> Result<usize, Error> {
        Ok(self.ok()?.size())
    }

    /// The dtype, or the error that the array carries. Local.
    pub fn try_dtype(&self) -> Result<DType, Error> {
        Ok(self.ok()?.dtype())
    }

    /// NumPy's strides, in bytes, or the error that the array carries. Local.
    pub fn try_strides(&self) -> Result<Vec<isize>, Error> {
        Ok(self.ok()?.strides())
    }

    /// The extents; none if the array carries an error, see [`Array::try_shape`]. Local.
    pub fn shape(&self) -> &[usize] {
        match &self.0 {
            Ok(live) => &live.view().shape,
            Err(broken) => &broken.shape,
        }
    }

    /// The number of axes; 0 if the array carries an error, see [`Array::try_ndim`]. Local.
    pub fn ndim(&self) -> usize {
        self.shape().len()
    }

    /// The number of elements; 1 if the array carries an error, see [`Array::try_size`]. Local.
    pub fn size(&self) -> usize {
        phalanx_ops::shape::size(self.shape())
    }

    /// The dtype of the elements; `f64` if the array carries an error, see [`Array::try_dtype`].
    /// Local.
    pub fn dtype(&self) -> DType {
        match &self.0 {
            Ok(live) => live.view().dtype,
            Err(broken) => broken.dtype,
        }
    }

    /// NumPy's strides, in bytes; none if the array carries an error. Local.
    pub fn strides(&self) -> Vec<isize> {
        let strides = |live: &Live| live.view().strides.iter().map(|&s| s as isize).collect();
        self.0.as_ref().map_or(Vec::new(), strides)
    }

    /// Whether two arrays have the same base, even if they have no element in common. Local.
    pub fn has_base_of(&self, other: &Array) -> bool {
        matches!((&self.0, &other.0), (Ok(a), Ok(b)) if Arc::ptr_eq(&a.cell, &b.cell))
    }

    /// The mesh of the array. Local.
    pub fn mesh(&self) -> Result<MeshHandle, Error> {
        Ok(self.live()?.cell.mesh.clone())
    }

    /// The mesh of the array.
    pub(crate) fn mesh_of_base(&self) -> Result<&MeshHandle, Error> {
        Ok(&self.live()?.cell.mesh)
    }

    /// The number of arrays that use the same base; `None` for an array that carries an error.
    pub(crate) fn handles(&self) -> Option<usize> {
        self.0.as_ref().ok().map(|live| Arc::strong_count(&live.cell))
    }

    /// The view of the base.
    pub(crate) fn base_view(&self) -> Result<&View, Error> {
        Ok(self.live()?.view())
    }

    /// The same cell with another view.
    pub(crate) fn with_view(&self, view: View) -> Result<Array, Error> {
        Ok(Array(Ok(Live { cell: self.live()?.cell.clone(), part: Some(Arc::new(view)) })))
    }

    /// The lent parts of the base.
    pub(super) fn loans(&self) -> Result<&Loans, Error> {
        Ok(&self.live()?.cell.loans)
    }

    /// The present value of the base, for an operation or an observation.
    pub(crate) fn base_node(&self) -> Result<Arc<Node>, Error> {
        self.live()?.cell.node()
    }

    /// The present value of the base, for a question about it, which a capture does not record.
    /// Local.
    pub(crate) fn present_node(&self) -> Result<Arc<Node>, Error> {
        self.live()?.cell.present()
    }

    /// The dtype of the base.
    pub(crate) fn base_dtype(&self) -> Result<DType, Error> {
        Ok(self.live()?.cell.dtype())
    }

    pub(crate) fn base_shape(&self) -> Result<&Shape, Error> {
        Ok(self.live()?.cell.shape())
    }

    /// Whether a stage of the view has a form.
    pub(crate) fn has_form(&self) -> bool {
        let live = self.0.as_ref();
        live.is_ok_and(|live| live.view().stages.iter().any(|stage| stage.form.is_some()))
    }

    /// Whether the elements are elements of the base: no lens and no other dtype applies.
    pub(crate) fn shows_base(&self) -> bool {
        self.0.as_ref().is_ok_and(|live| {
            let dtype = live.cell.dtype();
            let is_same = |stage: &Stage| {
                let is_form = stage.form.as_ref().is_none_or(|form| form.dtype == dtype);
                stage.lens.is_none() && is_form
            };
            !live.view().is_truth && live.view().stages.iter().all(is_same)
        })
    }

    /// The plan of all pending operations, as text. Nothing is run. Local.
    #[track_caller]
    pub fn explain(&self) -> Result<String, Error> {
        let live = self.live()?;
        live.cell.mesh.explain(&live.cell.present()?)
    }

    /// The sharding that the array's base has or will get, as seen through the view. Local.
    /// Operations that are recorded later can still change the sharding of a pending value.
    #[track_caller]
    pub fn sharding(&self) -> Result<Sharding, Error> {
        let live = self.live()?;
        live.cell.mesh.sharding(&live.cell.present()?, &live.view().stages)
    }
}
