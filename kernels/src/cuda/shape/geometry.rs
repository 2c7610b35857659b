//! The numbers of a launch, and the groups of axes that are merged.

use crate::cuda::variant::GuardKind;
use crate::ir::{AxisId, Kernel};

/// Bytes of a line of memory; a shape depends on addresses modulo this.
pub(in crate::cuda) const LINE: usize = 128;

/// The numbers of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Geometry<'a> {
    /// The extent of each axis.
    pub extents: &'a [usize],
    /// The global index of the first point of each axis.
    pub origins: &'a [i64],
    /// The byte stride of each access along each axis that it names.
    pub strides: &'a [&'a [isize]],
    /// The global indices inside each guard along each axis that it names.
    pub guards: &'a [Vec<(i64, i64)>],
    /// The address of each access; only alignment and distances within a buffer matter.
    pub addresses: &'a [u64],
}

/// Axes that are merged in all accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Points.
    pub extent: usize,
    /// The axis, if it must not be merged with others.
    pub axis: Option<AxisId>,
    /// The axis whose strides are the group's: its innermost.
    pub inner: AxisId,
}

/// The byte stride of each access along every axis; 0 along those that it does not name.
pub(super) fn full_strides(kernel: &Kernel, launch: &Geometry<'_>) -> Vec<Vec<isize>> {
    let of = |(access, strides): (&crate::ir::Access, &&[isize])| {
        let mut all = vec![0; kernel.axes];
        for (&axis, &stride) in access.axes.iter().zip(strides.iter()) {
            all[axis.index()] = stride;
        }
        all
    };
    kernel.accesses.iter().zip(launch.strides).map(of).collect()
}

/// Kinds, positions, and pinned axes.
type Guards = (Vec<GuardKind>, Vec<Vec<(i64, i64)>>, Vec<bool>);

/// The kind of each guard, its positions, and the axes that must not be merged because of it.
pub(super) fn guards(kernel: &Kernel, launch: &Geometry<'_>) -> Guards {
    let mut pinned = vec![false; kernel.axes];
    let (mut kinds, mut bounds) = (Vec::new(), Vec::new());
    for (axes, guard) in kernel.guards.iter().zip(launch.guards) {
        let (mut asked, mut positions, mut never) = (Vec::new(), Vec::new(), false);
        for (&axis, &(start, end)) in axes.iter().zip(guard) {
            let extent = launch.extents[axis.index()] as i64;
            let low = start.saturating_sub(launch.origins[axis.index()]).clamp(0, extent);
            let high = end.saturating_sub(launch.origins[axis.index()]).clamp(0, extent);
            never |= low >= high;
            if low > 0 || high < extent {
                asked.push(axis);
                positions.push((low, high));
            }
        }
        if never {
            kinds.push(GuardKind::Never);
            bounds.push(Vec::new());
            continue;
        }
        asked.iter().for_each(|&axis| pinned[axis.index()] = true);
        kinds.push(GuardKind::Bounds(asked));
        bounds.push(positions);
    }
    (kinds, bounds, pinned)
}

/// Merges adjacent axes where each access has one stride over both; drops axes of one point unless
/// their index is needed.
pub(super) fn groups(
    axes: &[AxisId],
    extents: &[usize],
    strides: &[Vec<isize>],
    pinned: &[bool],
) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::with_capacity(axes.len());
    for &axis in axes {
        let extent = extents[axis.index()];
        if extent == 1 && !pinned[axis.index()] {
            continue;
        }
        if let Some(outer) = groups.last_mut()
            && outer.axis.is_none()
            && !pinned[axis.index()]
            && strides.iter().all(|strides| {
                strides[axis.index()].checked_mul(extent as isize)
                    == Some(strides[outer.inner.index()])
            })
        {
            outer.extent *= extent;
            outer.inner = axis;
        } else {
            groups.push(Group { extent, axis: pinned[axis.index()].then_some(axis), inner: axis });
        }
    }
    groups
}
