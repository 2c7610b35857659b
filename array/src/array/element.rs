//! Elements: 0-d arrays that never change, like NumPy's scalars; and single elements of computed
//! values, which are read and written in memory.

use super::argument::Argument;
use super::cell::{Cell, Value};
use super::handle::{Array, Live};
use super::known::KnownElement;
use super::places::{first_byte, unravelled};
use crate::floating::error_of_number;
use crate::recording::of_known;
use phalanx_graph::{Error, Evaluated, MeshHandle, Node, call_site, in_place_of};
use phalanx_ops::error::OpError;
use phalanx_ops::{Casting, DType, Index, Op, Scalar, can_cast};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

impl Array {
    /// Declares that the array's base is an element, which never changes, or that it is not. The
    /// first declaration decides, and a write to a known element declares it none; the result is
    /// whether this agrees. If it does not, use a copy: then no write through a view changes an
    /// element, and no element changes with the array that it was taken from. Local.
    #[must_use]
    pub fn claim(&self, is_element: bool) -> bool {
        self.live().is_ok_and(|live| live.cell.claim(is_element))
    }

    /// Whether the array's base is declared an element. Local.
    pub fn is_element(&self) -> bool {
        self.0.as_ref().is_ok_and(|live| live.cell.is_element())
    }

    /// As [`Array::element`], if this array is on the mesh of `other`. Local.
    pub fn element_beside(&self, other: &Array) -> Option<Scalar> {
        let (Ok(own), Ok(other)) = (&self.0, &other.0) else { return None };
        if own.cell.mesh.same(&other.cell.mesh) { self.element() } else { None }
    }

    /// An element that was read from this array, equal on all ranks, with the mesh of this array.
    ///
    /// Local. Errors: the error that the array carries.
    pub fn of_element(&self, element: Scalar) -> Result<KnownElement, Error> {
        Ok(KnownElement::new(self.mesh_of_base()?, element))
    }

    /// Whether the array is on a mesh; false for an array that carries an error. Local.
    pub fn is_on(&self, mesh: &MeshHandle) -> bool {
        self.0.as_ref().is_ok_and(|live| live.cell.mesh.same(mesh))
    }

    /// The element of an array without axes, if it is known without a plan (it was read in memory,
    /// or computed from such elements) and operations may take it for a number: not while
    /// operations are captured. Local.
    #[inline]
    pub fn element(&self) -> Option<Scalar> {
        self.known_by(Cell::element)
    }

    /// The element of an array without axes, if it is known without a plan.
    pub(super) fn known_element(&self) -> Option<Scalar> {
        self.known_by(Cell::known)
    }

    #[inline]
    fn known_by(&self, known: fn(&Cell) -> Option<Scalar>) -> Option<Scalar> {
        let Ok(live) = &self.0 else { return None };
        let is_whole = live.view().shape.is_empty()
            && live.view().is_whole()
            && !live.view().is_truth
            && !live.cell.loans.is_any();
        if is_whole { known(&live.cell) } else { None }
    }

    /// The element at an index of integers, as a 0-d array of its own: NumPy's `a[i, j]`.
    ///
    /// Local. A process that is alone reads an element that is already computed in the memory of
    /// its CPUs. Of other processes, a small value that this one holds is shared, and stays alive
    /// until the element is dropped; any other element records a node. Errors: `OpError::Index`,
    /// `OpError::TooManyIndices`.
    #[track_caller]
    #[must_use]
    pub fn at(&self, index: impl AsRef<[i64]>) -> Array {
        let (site, index) = (call_site(), index.as_ref());
        if let Some(element) = self.element_at(index) {
            return element.writeable_array();
        }
        Array::catch((|| {
            self.ok()?;
            let view = self
                .base_view()?
                .index(&items_of(index), self.base_shape()?)
                .map_err(|error| Error::op(error, site))?;
            match self.kept(view.clone())? {
                Some(element) => Ok(element),
                None => Ok(self.with_view(view)?.astype_at(self.dtype(), site)),
            }
        })())
    }

    /// Writes a value into the element at an index of integers: NumPy's `a[i, j] = value`. A value
    /// with axes is refused, even of one element. As in NumPy, a bool takes an array of one
    /// element, unless the program wrote the array as a list (`is_list`).
    ///
    /// Local. A process that is alone writes a number into a computed array of its CPU in memory;
    /// any other write records a node. On an error, the array keeps its elements. Errors:
    /// `OpError::Index`, `OpError::TooManyIndices`, `OpError::Sequence`, and those of
    /// [`Array::try_assign`].
    ///
    /// ```
    /// # use phalanx_array as phalanx;
    /// # use phalanx::{Array, Error};
    /// # fn example(counts: &Array) -> Result<(), Error> {
    /// counts.try_assign_at([2, -1], 7, false)?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn try_assign_at(
        &self,
        index: impl AsRef<[i64]>,
        value: impl Into<Argument>,
        is_list: bool,
    ) -> Result<(), Error> {
        let (site, index, value) = (call_site(), index.as_ref(), value.into());
        if self.write_element(index, &value) {
            return Ok(());
        }
        let target = in_place_of(site, || self.slice(&items_of(index)[..]));
        let dtype = target.ok()?.dtype();
        if let Some(array) = value.as_array().filter(|array| array.ndim() > 0)
            && (is_list || dtype != DType::Bool || array.size() != 1)
        {
            return Err(Error::op(OpError::Sequence { is_type: dtype.is_complex() }, site));
        }
        target.assign_argument(&value, site)
    }

    /// The element at an index of integers, if a process that is alone has it computed in memory of
    /// its CPUs; `None` otherwise, and for a wrong index. Local.
    ///
    /// [`Array::at`] tries this first. A binding that calls this itself saves the search for the
    /// calling line, which only errors and recorded operations need.
    pub fn element_at(&self, index: &[i64]) -> Option<KnownElement> {
        let Ok(live) = &self.0 else { return None };
        // A capture records the read, so that each launch reads.
        if live.cell.loans.is_any() || live.cell.mesh.is_capturing() {
            return None;
        }
        let element = match live.cell.value().as_ref().ok()? {
            Value::Node(node) => match node.result() {
                Some(Ok(value)) => live.read_at(node, value, index)?,
                _ => return None,
            },
            Value::Element(_) => return None,
        };
        Some(KnownElement::new(&live.cell.mesh, element))
    }

    /// The result of an operation of the table on known elements ([`Array::element`]) and numbers,
    /// on the mesh of this array. Local.
    ///
    /// `None` if an argument is an array or the operation is not computed without a plan; then
    /// [`Array::apply`] records it or gives its error.
    pub fn apply_to_known(&self, op: Op, arguments: &[Argument]) -> Option<KnownElement> {
        let mesh = &self.0.as_ref().ok()?.cell.mesh;
        of_known(mesh, op, arguments).map(|element| KnownElement::new(mesh, element))
    }

    /// Writes a number or a known element at an index of integers in memory, if nothing but this
    /// array has its value. False if nothing was written; then [`Array::try_assign_at`] records the
    /// write or gives its error. Local.
    pub fn write_element(&self, index: &[i64], value: &Argument) -> bool {
        let Ok(live) = &self.0 else { return false };
        // A cast that may discard something is recorded, so that it can warn.
        let cast = |element: Scalar| {
            let fits = can_cast(element.dtype(), live.view().dtype, Casting::Safe);
            fits.then(|| element.cast(live.view().dtype))
        };
        let scalar = match value {
            Argument::Weak(weak) => Scalar::assigned(live.view().dtype, *weak)
                .ok()
                .filter(|element| error_of_number(*weak, *element).is_none()),
            Argument::Scalar(scalar) => cast(*scalar),
            Argument::Array(array) => array.element_beside(self).and_then(cast),
        };
        let Some(scalar) = scalar else { return false };
        if live.view().is_read_only || live.cell.loans.is_any() || self.is_element() {
            return false;
        }
        live.cell.with_only_node(|node| match node.result() {
            Some(Ok(value)) if live.write_at(node, value, index, scalar) => {
                node.change();
                true
            }
            _ => false,
        })
    }
}

/// Bytes that an element of a view and an element of its base share.
struct Part {
    /// The index of the element of the base.
    place: SmallVec<[i64; 4]>,
    /// The bytes of the element of the base.
    of_base: Range<usize>,
    /// The bytes of the element of the view.
    of_view: Range<usize>,
}

impl Live {
    /// The element of the view at an index, from the value of the base's node, which is computed.
    /// `None` as for [`Array::element_at`].
    fn read_at(&self, base: &Node, value: &Arc<dyn Evaluated>, index: &[i64]) -> Option<Scalar> {
        let engine = self.cell.mesh.engine();
        if self.view().is_plain() {
            return engine.element(value, &self.place(index)?);
        }
        let mut bytes = [0; 16];
        for part in self.parts(base, index)? {
            let element = engine.element(value, &part.place)?.padded();
            bytes[part.of_view].copy_from_slice(&element[part.of_base]);
        }
        Some(Scalar::from_padded(self.view().dtype, bytes))
    }

    /// Writes the element of the view at an index; see [`Live::read_at`] and
    /// [`Array::write_element`].
    fn write_at(
        &self,
        base: &Node,
        value: &Arc<dyn Evaluated>,
        index: &[i64],
        element: Scalar,
    ) -> bool {
        let engine = self.cell.mesh.engine();
        if self.view().is_plain() {
            let place = self.place(index);
            return place.is_some_and(|place| engine.set_element(value, &place, element));
        }
        let Some(parts) = self.parts(base, index) else { return false };
        parts.into_iter().all(|part| {
            let Some(old) = engine.element(value, &part.place) else { return false };
            let mut bytes = old.padded();
            bytes[part.of_base].copy_from_slice(&element.padded()[part.of_view]);
            engine.set_element(value, &part.place, Scalar::from_padded(base.dtype(), bytes))
        })
    }

    /// The index in the base of the element at an index of the view, which is a map. `None` for a
    /// wrong index.
    fn place(&self, index: &[i64]) -> Option<SmallVec<[i64; 4]>> {
        let view = self.view();
        let place = from_start(index, &view.shape)?;
        Some(match view.stages.first() {
            None => place.iter().map(|&place| place as i64).collect(),
            Some(stage) => stage.map.apply(&place),
        })
    }

    /// The bytes of the base that the element at an index of the view occupies, such as those of
    /// a field of records. `None` for a wrong index, for a view of numbers as bools, and for a view
    /// of bools as numbers.
    fn parts(&self, base: &Node, index: &[i64]) -> Option<Vec<Part>> {
        let view = self.view();
        if view.is_truth || (base.dtype() == DType::Bool && view.dtype != DType::Bool) {
            return None;
        }
        let place = from_start(index, &view.shape)?;
        let item = base.dtype().size();
        let steps = place.iter().zip(&view.strides).map(|(&at, &stride)| at as i64 * stride);
        let start = first_byte(view, base.shape(), item) as i64 + steps.sum::<i64>();
        let start = usize::try_from(start).ok()?;
        let (mut at, end) = (start, start + view.dtype.size());
        let mut parts = Vec::new();
        while at < end {
            let from = at % item;
            let count = (item - from).min(end - at);
            let place = unravelled(at / item, base.shape());
            parts.push(Part {
                place: place.into_iter().map(|at| at as i64).collect(),
                of_base: from..from + count,
                of_view: at - start..at - start + count,
            });
            at += count;
        }
        Some(parts)
    }
}

/// An index of integers that may count from the end, as one from the start; `None` for a wrong
/// one.
fn from_start(index: &[i64], shape: &[usize]) -> Option<SmallVec<[usize; 4]>> {
    if index.len() != shape.len() {
        return None;
    }
    let mut place = SmallVec::new();
    for (&index, &extent) in index.iter().zip(shape) {
        let index = if index < 0 { index + extent as i64 } else { index };
        place.push((0..extent as i64).contains(&index).then_some(index as usize)?);
    }
    Some(place)
}

impl Cell {
    /// Calls `write` with the value's node if nothing else refers to it: no view of another cell,
    /// no recorded operation and no running call. False if something does, and for a known element,
    /// which never changes.
    pub(super) fn with_only_node(&self, write: impl FnOnce(&Node) -> bool) -> bool {
        if self.mesh.is_capturing() {
            return false;
        }
        let value = self.value();
        match &*value {
            Ok(Value::Node(node)) if Arc::strong_count(node) == 1 && node.element().is_none() => {
                // What the last other owner read happened before.
                fence(Ordering::Acquire);
                write(node)
            }
            _ => false,
        }
    }
}

fn items_of(index: &[i64]) -> SmallVec<[Index; 4]> {
    index.iter().map(|&index| Index::At(index)).collect()
}
