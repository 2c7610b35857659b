//! Elements that are known without a plan and have no array yet.

use super::argument::Argument;
use super::handle::Array;
use super::observe::raise_earlier;
use crate::recording::of_known;
use phalanx_graph::{Error, MeshHandle};
use phalanx_ops::{DType, Op, Scalar};

/// An element that is known without a plan, with its mesh. It never changes.
///
/// A program that works with single elements makes many of them, and few ever need an array
/// ([`KnownElement::array`]). So a read or an operation on elements needs no memory.
///
/// ```
/// # use phalanx_array as phalanx;
/// # use phalanx::{Argument, Array, KnownElement};
/// # use phalanx_ops::Op;
/// # fn example(counts: &Array) -> Option<KnownElement> {
/// let count = counts.element_at(&[2])?;
/// count.apply(Op::Add, &[Argument::Scalar(count.element()?), 1.into()])
/// # }
/// ```
#[derive(Clone)]
pub struct KnownElement {
    mesh: MeshHandle,
    element: Scalar,
}

impl KnownElement {
    pub(super) fn new(mesh: &MeshHandle, element: Scalar) -> KnownElement {
        KnownElement { mesh: mesh.clone(), element }
    }

    /// The dtype. Local.
    pub fn dtype(&self) -> DType {
        self.element.dtype()
    }

    /// The mesh. Local.
    pub fn mesh(&self) -> &MeshHandle {
        &self.mesh
    }

    /// The element, if operations may take it for a number: not while operations are captured, as
    /// [`Array::element`]. Local.
    #[inline]
    pub fn element(&self) -> Option<Scalar> {
        (!self.mesh.is_capturing()).then_some(self.element)
    }

    /// The element, for an observation. Local. Errors: those of earlier operations, as any
    /// observation raises them.
    pub fn item(&self) -> Result<Scalar, Error> {
        raise_earlier(&self.mesh)?;
        Ok(self.element)
    }

    /// The result of an operation on known elements and numbers, as [`Array::apply_to_known`].
    /// Local.
    #[inline]
    pub fn apply(&self, op: Op, arguments: &[Argument]) -> Option<KnownElement> {
        of_known(&self.mesh, op, arguments).map(|element| KnownElement::new(&self.mesh, element))
    }

    /// A new 0-d array of the element, which is declared an element ([`Array::claim`]). Local.
    pub fn array(&self) -> Array {
        let array = self.writeable_array();
        // The array is new, so nothing has declared it anything else.
        let _claimed = array.claim(true);
        array
    }

    /// A new 0-d array of the element, which may be declared an element or written.
    pub(super) fn writeable_array(&self) -> Array {
        Array::from_element(self.mesh.clone(), self.element)
    }
}
