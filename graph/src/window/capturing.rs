//! The window while operations are captured: it records, and computes nothing.

use super::{MeshHandle, Taken, Window};
use crate::engine::Cause;
use crate::error::{Error, Failure, Site};
use crate::node::{Node, Operand};
use crate::operation::NodeOp;
use phalanx_ops::{DType, Shape};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, MutexGuard};

/// The error of a value that a capture keeps from being computed.
#[derive(Debug, thiserror::Error)]
enum Capturing {
    #[error("operations are being captured: no value is computed until the capture ends")]
    InProgress,
    #[error("the capture that recorded this value has ended: only its graph computes the value")]
    Ended,
    #[error("recorded operations wait for memory, and a capture cannot begin before they run")]
    Waiting,
}

/// The code of [`Capturing`].
const CODE: &str = "PX181";

impl Failure for Capturing {
    fn code(&self) -> &'static str {
        CODE
    }
    fn numpy_class(&self) -> &'static str {
        "RuntimeError"
    }
    fn hint(&self) -> &'static str {
        match self {
            Capturing::InProgress => {
                "read values before the capture begins, or after it ends and the graph is launched"
            }
            Capturing::Ended => {
                "end the capture when other threads have recorded what belongs to it, or repeat \
                 the operation"
            }
            Capturing::Waiting => "drop arrays that are no longer needed before the capture begins",
        }
    }
}

impl Node {
    /// The error of a value that was captured, once the capture has ended. `None` for any other
    /// value. Local.
    pub fn error_of_capture(&self) -> Option<Error> {
        match self.result() {
            Some(Err(error)) if error.code() == CODE => Some(error.clone()),
            _ => None,
        }
    }
}

impl MeshHandle {
    /// The number of the capture in progress among those of the process, from 1; 0 if no operations
    /// are captured. Local.
    #[inline]
    pub fn capture(&self) -> u64 {
        self.0.capture.load(Ordering::Acquire)
    }

    /// Whether operations are being captured. Local.
    #[inline]
    pub fn is_capturing(&self) -> bool {
        self.capture() != 0
    }

    /// Begins to capture operations, after all that are recorded are started: from now on,
    /// operations of all threads on the mesh are recorded and not run, until `end_capture`.
    /// Collective over the mesh.
    ///
    /// Errors: `PX181` if operations are being captured already, or if there was too little memory
    /// for those that are recorded; those of the engine.
    pub fn begin_capture(&self, site: Site) -> Result<(), Error> {
        static BEGUN: AtomicU64 = AtomicU64::new(0);
        self.raise_pending(site)?;
        let mut window = self.closed(Cause::Data, site)?;
        if !window.graph.nodes.is_empty() {
            return Err(Error::failure(Capturing::Waiting, Some(site)));
        }
        // The window is locked: no operation is recorded between its end and the capture.
        let number = BEGUN.fetch_add(1, Ordering::Relaxed) + 1;
        window.capture = number;
        self.0.capture.store(number, Ordering::Release);
        Ok(())
    }

    /// Ends the capture in progress and takes what it has recorded; `None` if there is none. From
    /// now on, the captured values have an error as their result, for threads that still use them.
    pub(crate) fn take_captured(&self, site: Site) -> Option<Taken> {
        let mut window = self.window();
        let capture = self.capture();
        if capture == 0 {
            return None;
        }
        let (number, repeats) = (window.unused(), window.repeats.next());
        let next = Window { number, repeats, ..Window::default() };
        let captured = std::mem::replace(&mut *window, next);
        let error = MeshHandle::after_capture(site);
        for data in &captured.graph.nodes {
            // A known element is a value of other windows, too.
            if data.node.element().is_some() {
                data.node.unsettle();
            } else {
                data.node.finish(Err(error.clone()));
            }
        }
        let checks = self.checks().drain(..).collect();
        // A thread that sees no capture sees the results.
        self.0.capture.store(0, Ordering::Release);
        drop(window);
        Some(Taken { capture, window: captured.number, graph: captured.graph, checks })
    }

    /// The error of a value whose capture the call at `site` ends, or that the call uses after it.
    pub(super) fn after_capture(site: Site) -> Error {
        Error::failure(Capturing::Ended, Some(site))
    }

    /// The window, locked in order to be closed. Errors: `PX181` while operations are captured.
    pub(super) fn window_to_close(&self, site: Site) -> Result<MutexGuard<'_, Window>, Error> {
        let window = self.window();
        if self.is_capturing() {
            return Err(Error::failure(Capturing::InProgress, Some(site)));
        }
        Ok(window)
    }

    /// Records an operation while operations are captured. Errors: as [`MeshHandle::record`], and
    /// `PX181` for an operation whose result has a shape that depends on data.
    pub(super) fn record_captured(
        &self,
        op: NodeOp,
        operands: &[Operand],
        shape: Shape,
        dtype: DType,
        site: Site,
    ) -> Result<Arc<Node>, Error> {
        // Its caller needs the shape at once, and a launch could not leave the operation out: all
        // ranks run it together.
        if op == NodeOp::Compress {
            return Err(Error::failure(Capturing::InProgress, Some(site)));
        }
        for operand in operands {
            if let Operand::Value { node, .. } = operand {
                self.compute_deferred(node)?;
            }
        }
        let mut window = self.window();
        if self.is_capturing() {
            return window.push(op, operands, shape, dtype, site);
        }
        drop(window);
        self.record(op, operands, shape, dtype, site)
    }

    /// Computes the value of a node that was deferred before the capture in progress, beside the
    /// captured operations. Does nothing for any other node. Collective over the mesh.
    ///
    /// Errors: `PX036` if, with several processes, another thread records; those of the engine.
    pub fn compute_deferred(&self, node: &Arc<Node>) -> Result<(), Error> {
        let Some(site) = node.site().filter(|_| node.is_deferred()) else { return Ok(()) };
        self.own(site)?;
        // This may wait, so no lock is held.
        self.0.engine.make_room()?;
        let mut window = self.window();
        if !self.is_capturing() || !node.is_deferred() {
            return Ok(());
        }
        let apart = Window { number: window.unused(), ..Window::default() };
        let captured = std::mem::replace(&mut *window, apart);
        // The value is computed now or has an error: nothing may stay pending in this window.
        node.observe();
        let settled = window.settle(node, site);
        let closed = settled.and_then(|()| self.close_window(&mut window, Cause::Data, site));
        let last = window.number;
        *window = Window { last, ..captured };
        closed
    }
}

impl Window {
    /// A number that no window has had.
    fn unused(&self) -> u64 {
        self.number.max(self.last) + 1
    }
}
