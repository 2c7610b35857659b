//! Launches on buffers: the checked way into the executor.

use super::Compiled;
use crate::ir::{AccessArgument, Expr, GuardArgument, Kernel, Launch, Role, Stmt};
use phalanx_device::{Buffer, assert_in_bounds};
use phalanx_ops::Scalar;
use smallvec::SmallVec;

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
    /// One for each guard: the global indices `start..end` of each axis it names.
    pub guards: &'a [Vec<(i64, i64)>],
    /// One for each scalar.
    pub scalars: Vec<Scalar>,
}

/// Runs a kernel on buffers; returns when it is done.
///
/// Panics (`bug:`) if an access reaches outside of its buffer. Who else may touch the buffers
/// meanwhile, and that points do not depend on each other's stores, is the plan's promise
/// (condition 2 of `Buffer`).
pub fn launch(compiled: &Compiled, arguments: &BufferLaunch<'_>, pool: Option<&rayon::ThreadPool>) {
    let kernel = compiled.kernel();
    // An access is read under one guard at most, by how kernels are built.
    let mut guard_of: Vec<Option<usize>> = vec![None; kernel.accesses.len()];
    for value in &kernel.values {
        if let Expr::Load { access, guard } = value.expr {
            guard_of[access] = guard;
        }
    }
    let mut idle = vec![false; kernel.accesses.len()];
    if arguments.extents[kernel.grid..].contains(&0) {
        idle.fill(true);
        wake(kernel, &kernel.body, arguments.extents, &mut idle);
    }
    let mut accesses = Vec::with_capacity(arguments.accesses.len());
    for (position, (buffer, offset, strides)) in arguments.accesses.iter().enumerate() {
        let access = &kernel.accesses[position];
        let param = &kernel.params[access.param];
        // The positions that are touched, along each axis of the launch.
        let mut touched: SmallVec<[(usize, usize); 4]> =
            arguments.extents.iter().map(|&extent| (0, extent)).collect();
        if let Some(guard) = guard_of[position] {
            for (&axis, &(start, end)) in kernel.guards[guard].iter().zip(&arguments.guards[guard])
            {
                let last = arguments.extents[axis] as i64;
                let local = |index: i64| {
                    index.saturating_sub(arguments.origins[axis]).clamp(0, last) as usize
                };
                touched[axis] = (local(start), local(end).max(local(start)));
            }
        }
        let is_table = matches!(param.role, Role::Table);
        let is_untouched = idle[position]
            || touched[..kernel.grid].iter().any(|(start, end)| start == end)
            || guard_of[position].is_some() && touched.iter().any(|(start, end)| start == end);
        if !is_table && !is_untouched {
            let extents: SmallVec<[usize; 4]> =
                access.axes.iter().map(|&axis| touched[axis].1 - touched[axis].0).collect();
            let starts = access.axes.iter().map(|&axis| touched[axis].0 as isize);
            let skipped: isize = starts.zip(*strides).map(|(start, stride)| start * stride).sum();
            let first = *offset + skipped;
            assert_in_bounds(buffer.len(), first, strides, &extents, param.dtype.size());
        }
        accesses.push(AccessArgument {
            pointer: buffer.as_ptr().wrapping_offset(*offset),
            strides: strides.to_vec(),
        });
    }
    let guard = |bounds: &Vec<(i64, i64)>| GuardArgument { bounds: bounds.clone() };
    let launch = Launch {
        extents: arguments.extents.to_vec(),
        origins: arguments.origins.to_vec(),
        accesses,
        scalars: arguments.scalars.clone(),
        guards: arguments.guards.iter().map(guard).collect(),
    };
    // SAFETY: numbers and dtypes come from the kernel itself (1); addresses were checked above,
    // tables by their length argument in the kernel (2); independence of points and exclusive use
    // are the plan's promise (3, 4).
    unsafe { compiled.run(&launch, pool) }
}

/// Finds the accesses that stand outside of loops without points.
fn wake(kernel: &Kernel, body: &[Stmt], extents: &[usize], idle: &mut [bool]) {
    for statement in body {
        match statement {
            Stmt::Let(value) => {
                if let Expr::Load { access, .. } = kernel.values[*value].expr {
                    idle[access] = false;
                }
            }
            Stmt::Loop { axes, body, .. } => {
                if axes.iter().all(|&axis| extents[axis] > 0) {
                    wake(kernel, body, extents, idle);
                }
            }
            Stmt::Store { access, .. } | Stmt::Accumulate { access, .. } => idle[*access] = false,
        }
    }
}
