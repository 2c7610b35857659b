//! Launches on buffers: the checked way into the executor.

use super::Compiled;
use crate::ir::{AccessArgument, Launch};
use phalanx_device::{Buffer, assert_in_bounds};
use phalanx_ops::Scalar;

/// The arguments of a launch, with buffers in place of addresses.
#[derive(Clone, Debug)]
pub struct BufferLaunch<'a> {
    /// The extent of each axis.
    pub extents: &'a [usize],
    /// The global index of the first point of each axis.
    pub origins: &'a [i64],
    /// One for each access: the buffer, the byte at position 0 of all axes, and a byte stride for
    /// each axis it names.
    pub accesses: Vec<(&'a Buffer, isize, &'a [isize])>,
    /// One for each scalar.
    pub scalars: Vec<Scalar>,
}

/// Runs a kernel without guards on buffers; returns when it is done.
///
/// Panics (`bug:`) if an access reaches outside of its buffer. Who else may touch the buffers
/// meanwhile, and that points do not depend on each other's stores, is the plan's promise
/// (condition 2 of `Buffer`).
pub fn launch(compiled: &Compiled, arguments: &BufferLaunch<'_>, pool: Option<&rayon::ThreadPool>) {
    let kernel = compiled.kernel();
    assert!(
        kernel.guards.is_empty(),
        "bug: guarded kernels have loads outside of their buffers"
    );
    let mut accesses = Vec::with_capacity(arguments.accesses.len());
    for ((buffer, offset, strides), access) in arguments.accesses.iter().zip(&kernel.accesses) {
        let param = &kernel.params[access.param];
        let mut extents: smallvec::SmallVec<[usize; 4]> = access
            .axes
            .iter()
            .map(|&axis| arguments.extents[axis])
            .collect();
        // Nothing is touched where an axis of the grid has no points.
        if arguments.extents[..kernel.grid].contains(&0) {
            extents.push(0);
        }
        let is_table = matches!(param.role, crate::ir::Role::Table);
        if !is_table {
            assert_in_bounds(buffer.len(), *offset, strides, &extents, param.dtype.size());
        }
        accesses.push(AccessArgument {
            pointer: buffer.as_ptr().wrapping_offset(*offset),
            strides: strides.to_vec(),
        });
    }
    let launch = Launch {
        extents: arguments.extents.to_vec(),
        origins: arguments.origins.to_vec(),
        accesses,
        scalars: arguments.scalars.clone(),
        guards: Vec::new(),
    };
    // SAFETY: numbers and dtypes come from the kernel itself (1); addresses were checked above,
    // tables by their length argument in the kernel (2); independence of points and exclusive use
    // are the plan's promise (3, 4).
    unsafe { compiled.run(&launch, pool) }
}
