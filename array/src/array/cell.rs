//! The cell: the base that arrays share, with its present value.

use super::loans::Loans;
use phalanx_graph::{Error, MeshHandle, Node, View};
use phalanx_ops::{DType, Scalar, Shape};
use std::borrow::Cow;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

pub(super) mod captures;

/// The base that views share. A write replaces its value.
pub(super) struct Cell {
    pub(super) mesh: MeshHandle,
    value: Mutex<Result<Value, Error>>,
    /// The view of the whole base. Bases without axes share theirs: most of them are elements,
    /// which are made often.
    pub(super) whole: Cow<'static, View>,
    /// The element that the cell was made of: the value until a write replaces it.
    made_of: Option<Scalar>,
    claim: AtomicU8,
    /// The number of the last capture of operations that has used the cell.
    capture: AtomicU64,
    pub(super) loans: Loans,
}

/// The values of `Cell::claim`. `Array::claim` decides whether the base is an element.
const UNCLAIMED: u8 = 0;
const NO_ELEMENT: u8 = 1;
const ELEMENT: u8 = 2;

/// The value of a base.
pub(super) enum Value {
    /// A node, of which the cell is a handle.
    Node(Arc<Node>),
    /// An element that is known. It becomes a node when an operation needs one.
    Element(Scalar),
}

impl Value {
    pub(super) fn of(node: Arc<Node>) -> Value {
        node.add_handle();
        Value::Node(node)
    }

    fn element(&self) -> Option<Scalar> {
        match self {
            Value::Element(element) => Some(*element),
            Value::Node(node) => node.element(),
        }
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        if let Value::Node(node) = self {
            node.drop_handle();
        }
    }
}

impl Cell {
    pub(super) fn new(mesh: MeshHandle, value: Value, whole: Cow<'static, View>) -> Arc<Cell> {
        let made_of = match value {
            Value::Element(element) => Some(element),
            Value::Node(_) => None,
        };
        let (value, loans) = (Mutex::new(Ok(value)), Loans::default());
        let claim = AtomicU8::new(UNCLAIMED);
        let capture = AtomicU64::new(0);
        let cell = Arc::new(Cell { mesh, value, whole, made_of, claim, capture, loans });
        if cell.mesh.is_capturing() {
            // No error: a new base has no value to compute.
            let _noted = cell.note(true);
        }
        cell
    }

    /// The shape of the base.
    pub(super) fn shape(&self) -> &Shape {
        &self.whole.shape
    }

    /// The dtype of the base.
    pub(super) fn dtype(&self) -> DType {
        self.whole.dtype
    }

    /// Whether the base is declared an element.
    pub(super) fn is_element(&self) -> bool {
        self.claim.load(Ordering::Acquire) == ELEMENT
    }

    /// Declares whether the base is an element. The first declaration decides; the result is
    /// whether it agrees with this one.
    pub(super) fn claim(&self, is_element: bool) -> bool {
        let wanted = if is_element { ELEMENT } else { NO_ELEMENT };
        let claimed =
            self.claim.compare_exchange(UNCLAIMED, wanted, Ordering::AcqRel, Ordering::Acquire);
        claimed.is_ok() || claimed == Err(wanted)
    }

    /// The element, if it is known without a plan and an operation may take it for a number. While
    /// operations are captured, none may: a launch uses the element that the array has then, and
    /// results would differ between devices that know elements and those that do not.
    pub(super) fn element(&self) -> Option<Scalar> {
        if self.mesh.is_capturing() { None } else { self.known() }
    }

    /// The element, if it is known without a plan.
    pub(super) fn known(&self) -> Option<Scalar> {
        // An element never changes, so no lock is needed.
        match self.made_of {
            Some(element) if self.is_element() => Some(element),
            _ => self.value().as_ref().ok()?.element(),
        }
    }

    /// Whether the base is declared an element and is known since it was made: it never changes.
    pub(super) fn is_constant(&self) -> bool {
        self.made_of.is_some() && self.is_element()
    }

    /// The value, for an operation or an observation, which a capture records. Collective if a
    /// capture is in progress and has to compute the value first; else Local.
    pub(super) fn node(self: &Arc<Self>) -> Result<Arc<Node>, Error> {
        if self.mesh.is_capturing() {
            self.note(false)?;
        }
        self.present()
    }

    /// The value, for a question about the base: a capture does not record it. Local.
    pub(super) fn present(&self) -> Result<Arc<Node>, Error> {
        let mut value = self.value();
        match &*value {
            Ok(Value::Node(node)) => Ok(node.clone()),
            Ok(Value::Element(element)) => {
                let node = Node::known(*element);
                *value = Ok(Value::of(node.clone()));
                Ok(node)
            }
            Err(error) => Err(error.clone()),
        }
    }

    /// The value, locked. Nothing waits while it is locked.
    pub(super) fn value(&self) -> MutexGuard<'_, Result<Value, Error>> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the value. What is written before it is claimed is no element.
    ///
    /// Errors: `PX181` if another thread has ended the capture that recorded the value; then the
    /// base keeps its value.
    pub(super) fn replace(self: &Arc<Self>, node: Arc<Node>) -> Result<(), Error> {
        self.replace_if(|_| true, node).map(drop)
    }

    /// As [`Cell::replace`], if `before` is still the value. Returns whether it was.
    pub(super) fn replace_value(
        self: &Arc<Self>,
        before: &Arc<Node>,
        node: Arc<Node>,
    ) -> Result<bool, Error> {
        let is_before =
            |value: &_| matches!(value, Ok(Value::Node(present)) if Arc::ptr_eq(present, before));
        self.replace_if(is_before, node)
    }

    fn replace_if(
        self: &Arc<Self>,
        may_replace: impl FnOnce(&Result<Value, Error>) -> bool,
        node: Arc<Node>,
    ) -> Result<bool, Error> {
        if self.mesh.is_capturing() {
            self.note(false)?;
        }
        self.note_written();
        let mut value = self.value();
        // The end of a capture first ends its values, then locks those of the bases.
        if let Some(error) = node.error_of_capture() {
            return Err(error);
        }
        if !may_replace(&value) {
            return Ok(false);
        }
        // The old value is dropped after the lock is released.
        let _old = std::mem::replace(&mut *value, Ok(Value::of(node)));
        drop(value);
        Ok(true)
    }

    /// Declares that an element that the cell was made of need not be its value any more.
    pub(super) fn note_written(&self) {
        if self.made_of.is_some() {
            self.claim(false);
        }
    }

    /// Sets the value to an error.
    pub(super) fn poison(self: &Arc<Self>, error: Error) {
        if self.mesh.is_capturing() {
            // The error replaces a value that cannot be computed, too.
            let _noted = self.note(false);
        }
        self.set(Err(error));
    }

    /// As `replace`, unseen by a capture.
    pub(super) fn set(&self, value: Result<Arc<Node>, Error>) {
        self.note_written();
        // The old value is dropped after the lock is released.
        let _old = std::mem::replace(&mut *self.value(), value.map(Value::of));
    }
}

/// The view of a whole value.
pub(super) fn whole(shape: &[usize], dtype: DType) -> Cow<'static, View> {
    static WITHOUT_AXES: [OnceLock<View>; DType::ALL.len()] =
        [const { OnceLock::new() }; DType::ALL.len()];
    let make = || View::whole(shape, dtype);
    if shape.is_empty() {
        Cow::Borrowed(WITHOUT_AXES[dtype as usize].get_or_init(make))
    } else {
        Cow::Owned(make())
    }
}
