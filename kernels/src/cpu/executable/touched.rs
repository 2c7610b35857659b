//! The bytes that a launch touches, for the check that they lie inside of its buffers.

use crate::ir::{AccessId, Expr, GuardId, Kernel, Launch, Role, Stmt};
use phalanx_device::Buffer;
use smallvec::SmallVec;

/// The bytes that each access of a launch touches, relative to position 0 of all axes.
#[derive(Debug)]
pub(super) struct Touched(Vec<Option<(isize, isize)>>);

impl Touched {
    pub fn new(kernel: &Kernel, launch: &Launch) -> Touched {
        // Kernels are built so that an access is read under at most one guard.
        let mut guard_of: Vec<Option<GuardId>> = vec![None; kernel.accesses.len()];
        for value in &kernel.values {
            if let Expr::Load { access, guard } = value.expr {
                guard_of[access.index()] = guard;
            }
        }
        let mut idle = vec![false; kernel.accesses.len()];
        if launch.extents[kernel.grid..].contains(&0) {
            idle.fill(true);
            wake(kernel, &kernel.body, &launch.extents, &mut idle);
        }
        let range = |access: AccessId| {
            let at = access.index();
            if idle[at] { None } else { bytes(kernel, launch, access, guard_of[at]) }
        };
        Touched(kernel.access_ids().map(range).collect())
    }

    /// Panics (`bug:`) if an access (buffer, offset, strides) reaches outside of its buffer.
    pub fn check(&self, accesses: &[(&Buffer, isize, &[isize])]) {
        for (range, (buffer, offset, _)) in self.0.iter().zip(accesses) {
            let Some((low, high)) = range else { continue };
            let (low, high) = (offset.saturating_add(*low), offset.saturating_add(*high));
            assert!(
                low >= 0 && high <= buffer.len() as isize,
                "bug: bytes {low}..{high} of a buffer of {}",
                buffer.len()
            );
        }
    }
}

/// The bytes that an access touches; `None` if it touches none, and for tables: the kernel itself
/// checks positions against the length.
fn bytes(
    kernel: &Kernel,
    launch: &Launch,
    access: AccessId,
    guard: Option<GuardId>,
) -> Option<(isize, isize)> {
    let data = &kernel[access];
    let param = &kernel[data.param];
    if matches!(param.role, Role::Table) {
        return None;
    }
    // The positions that are touched, along each axis of the launch.
    let mut touched: SmallVec<[(usize, usize); 8]> =
        launch.extents.iter().map(|&extent| (0, extent)).collect();
    if let Some(guard) = guard {
        let bounds = &launch.guards[guard.index()].bounds;
        for (&axis, &(start, end)) in kernel[guard].iter().zip(bounds) {
            let (last, origin) =
                (launch.extents[axis.index()] as i64, launch.origins[axis.index()]);
            let local = |index: i64| index.saturating_sub(origin).clamp(0, last) as usize;
            touched[axis.index()] = (local(start), local(end).max(local(start)));
        }
    }
    let is_empty = |&(start, end): &(usize, usize)| start == end;
    let own = data.axes.iter().map(|&axis| touched[axis.index()]);
    if touched[..kernel.grid].iter().any(is_empty)
        || guard.is_some() && touched.iter().any(is_empty)
        || own.clone().any(|range| is_empty(&range))
    {
        return None;
    }
    let (mut low, mut high) = (0isize, param.dtype.size() as isize);
    for ((start, end), &stride) in own.zip(&launch.accesses[access.index()].strides) {
        let first = stride.saturating_mul(start as isize);
        let last = stride.saturating_mul(end as isize - 1);
        low = low.saturating_add(first.min(last));
        high = high.saturating_add(first.max(last));
    }
    Some((low, high))
}

/// Clears `idle` for the accesses outside of loops without points.
fn wake(kernel: &Kernel, body: &[Stmt], extents: &[usize], idle: &mut [bool]) {
    for statement in body {
        match statement {
            Stmt::Let(value) => {
                if let Expr::Load { access, .. } = kernel[*value].expr {
                    idle[access.index()] = false;
                }
            }
            Stmt::Loop { axes, body, .. } => {
                if axes.iter().all(|&axis| extents[axis.index()] > 0) {
                    wake(kernel, body, extents, idle);
                }
            }
            Stmt::Store { access, .. } | Stmt::Accumulate { access, .. } => {
                idle[access.index()] = false
            }
        }
    }
}
