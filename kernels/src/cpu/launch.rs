//! Launches on buffers: the checked way into the executor.

use super::Compiled;
use super::recent;
use phalanx_device::Buffer;
use phalanx_ops::Scalar;
use smallvec::SmallVec;

/// The arguments of a launch, with buffers in place of addresses.
#[derive(Clone, Debug)]
pub struct BufferLaunch<'a> {
    /// The extent of each axis.
    pub extents: &'a [usize],
    /// The global index of the first point of each axis.
    pub origins: &'a [i64],
    /// One for each access: the buffer, the byte offset of position 0 of all axes, and a byte
    /// stride for each axis it names.
    pub accesses: SmallVec<[(&'a Buffer, isize, &'a [isize]); 6]>,
    /// One for each guard: the global indices `start..end` of each axis it names.
    pub guards: &'a [Vec<(i64, i64)>],
    /// One for each scalar.
    pub scalars: SmallVec<[Scalar; 4]>,
}

/// Runs a kernel on buffers; returns when it is done.
///
/// Panics (`bug:`) if an access reaches outside of its buffer. The plan promises that no other code
/// uses the buffers in conflict and that points do not depend on each other's stores (condition 2
/// of `Buffer`).
pub fn launch(compiled: &Compiled, arguments: &BufferLaunch<'_>, pool: Option<&rayon::ThreadPool>) {
    tracing::trace!(target: "phalanx::path", file = file!());
    // Numbers and dtypes come from the kernel itself (condition 1 of `Compiled::run`); addresses
    // are checked, tables by their length argument in the kernel (2); independence of points and
    // exclusive use are the plan's promise (3, 4).
    recent::run_on_buffers(compiled, arguments, pool);
}
