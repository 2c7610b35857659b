//! The bases that captures in progress have used.

use super::{Cell, Value};
use phalanx_graph::{Error, Held, Node, NodeOp, Operand, Site};
use phalanx_ops::Scalar;
use phalanx_waiting::lock;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, Weak};

/// A base that captured operations have used or made.
pub(in crate::array) struct Used {
    pub cell: Weak<Cell>,
    /// What the base was before the capture; `None` for a base that was made in it.
    pub before: Option<Before>,
}

/// A base from before the capture.
pub(in crate::array) struct Before {
    /// Keeps the base, whose value a launch reads.
    pub cell: Arc<Cell>,
    /// The value, or the error that the base carries.
    value: Result<Held, Error>,
    /// The node that stands for the value in the captured operations; `None` if they cannot use the
    /// value, because it has an error.
    pub input: Option<Held>,
}

/// The bases of the captures in progress, by the numbers of the captures. Whether a capture is in
/// progress is known by its mesh alone (`MeshHandle::capture`), which is asked while this is
/// locked. Nothing waits while this is locked.
static USED: Mutex<Vec<(u64, Vec<Used>)>> = Mutex::new(Vec::new());

/// The bases of a capture that has ended, in the order of their first uses.
pub(in crate::array) fn taken(number: u64) -> Vec<Used> {
    let mut used = lock(&USED);
    let position = used.iter().position(|(of, _)| *of == number);
    position.map(|position| used.swap_remove(position).1).unwrap_or_default()
}

/// Another thread has written the base.
struct Changed;

impl Cell {
    /// Records that a base is made (`is_new`), or read or written, if a capture is in progress. At
    /// the first use of a base from before the capture, another node takes the place of its value,
    /// so that the graph knows the base by it.
    ///
    /// Local, but Collective for the first use of a copy that was deferred until then: the copy is
    /// computed here. Errors: those of this computation.
    #[cold]
    pub(super) fn note(self: &Arc<Self>, is_new: bool) -> Result<(), Error> {
        loop {
            let number = self.mesh.capture();
            if number == 0 || self.capture.load(Ordering::Relaxed) == number {
                return Ok(());
            }
            // An element that never changes is a constant of the graph.
            if !is_new && self.is_constant() {
                return Ok(());
            }
            let value = if is_new { None } else { Some(self.present()) };
            if let Some(Ok(node)) = &value {
                // This may wait, so nothing is locked. `stand_in` sees if the base has changed.
                self.mesh.compute_deferred(node)?;
            }
            let mut used = lock(&USED);
            if self.mesh.capture() != number || self.capture.load(Ordering::Relaxed) == number {
                continue;
            }
            let before = match value {
                None => None,
                Some(value) => {
                    let input = match &value {
                        Ok(node) => match self.stand_in(node, number) {
                            Ok(input) => input,
                            Err(Changed) => continue,
                        },
                        Err(_) => None,
                    };
                    let value = value.map(Held::new);
                    Some(Before { cell: self.clone(), value, input: input.map(Held::new) })
                }
            };
            self.capture.store(number, Ordering::Relaxed);
            let one = Used { cell: Arc::downgrade(self), before };
            match used.iter_mut().find(|(of, _)| *of == number) {
                Some((_, used)) => used.push(one),
                None => used.push((number, vec![one])),
            }
            return Ok(());
        }
    }

    /// Replaces the value `old` by another node with the same result, in the capture with this
    /// number. Returns the new node; `None` if there is no result, because the value has an error.
    fn stand_in(&self, old: &Arc<Node>, capture: u64) -> Result<Option<Arc<Node>>, Changed> {
        let mut value = self.value();
        match &*value {
            Ok(Value::Node(node)) if Arc::ptr_eq(node, old) => {}
            _ => return Err(Changed),
        }
        let Some(new) = Node::standing_for(old, capture) else { return Ok(None) };
        *value = Ok(Value::of(new.clone()));
        Ok(Some(new))
    }

    /// Sets the value at the end of a capture, and returns the last value in the capture. `None` if
    /// the base carries an error, which stays.
    fn exchange(&self, new: Arc<Node>) -> Option<Held> {
        let mut value = self.value();
        let last = value.as_ref().ok()?.held();
        // The old value is dropped after the lock is released.
        let _old = std::mem::replace(&mut *value, Ok(Value::of(new)));
        drop(value);
        Some(last)
    }

    /// Makes a base that was made in a capture zero. Returns its last value in the capture; `None`
    /// if there is nothing to launch: the base is a constant, or carries an error.
    pub(in crate::array) fn empty(&self, site: Site) -> Option<Held> {
        if self.is_constant() {
            return None;
        }
        let dtype = self.dtype();
        let zero = Operand::Scalar(Scalar::new(false).cast(dtype));
        match self.mesh.defer(NodeOp::Fill, zero, self.shape().clone(), dtype, site) {
            Ok(zeros) => {
                self.note_written();
                self.exchange(zeros)
            }
            Err(error) => {
                self.set(Err(error));
                None
            }
        }
    }
}

impl Value {
    fn held(&self) -> Held {
        Held::new(match self {
            Value::Node(node) => node.clone(),
            Value::Element(element) => Node::known(*element),
        })
    }
}

impl Before {
    /// Gives the base its value from before the capture. Returns its last value in the capture, if
    /// that is another one.
    pub fn end(&self) -> Option<Held> {
        let before = self.value.as_ref().ok()?;
        let last = self.cell.exchange(before.node())?;
        let is_last = |node: &Held| Arc::ptr_eq(node, &last);
        let is_same = is_last(before) || self.input.as_ref().is_some_and(is_last);
        (!is_same).then_some(last)
    }
}
