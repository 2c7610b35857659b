//! The arguments of launches: with buffers or with addresses. Both have a shape, on which plans
//! depend.

use super::touched::Touched;
use crate::ir::{AccessArgument, GuardArgument, Kernel, Launch};
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

impl BufferLaunch<'_> {
    /// The launch of a kernel with addresses. Panics (`bug:`) if an access reaches outside of its
    /// buffer.
    pub(in crate::cpu) fn checked(&self, kernel: &Kernel) -> Launch {
        let mut launch = self.launch();
        Touched::new(kernel, &launch).check(&self.accesses);
        for (access, (buffer, offset, _)) in launch.accesses.iter_mut().zip(&self.accesses) {
            access.pointer = buffer.as_ptr().wrapping_offset(*offset);
        }
        launch.scalars = self.scalars.to_vec();
        launch
    }
}

/// The shape of a launch: all that its plan depends on.
pub(super) trait Shape {
    fn extents(&self) -> &[usize];
    fn origins(&self) -> &[i64];
    fn accesses(&self) -> usize;
    fn strides(&self, access: usize) -> &[isize];
    fn guards(&self) -> usize;
    fn bounds(&self, guard: usize) -> &[(i64, i64)];

    #[inline]
    fn is(&self, launch: &Launch) -> bool {
        same(self.extents(), &launch.extents)
            && same(self.origins(), &launch.origins)
            && self.accesses() == launch.accesses.len()
            && self.guards() == launch.guards.len()
            && (0..self.accesses()).all(|at| same(self.strides(at), &launch.accesses[at].strides))
            && (0..self.guards()).all(|at| same(self.bounds(at), &launch.guards[at].bounds))
    }

    /// A launch of this shape, without addresses and scalars.
    fn launch(&self) -> Launch {
        let access = |at| AccessArgument {
            pointer: std::ptr::null_mut(),
            strides: self.strides(at).to_vec(),
        };
        let guard = |at| GuardArgument { bounds: self.bounds(at).to_vec() };
        Launch {
            extents: self.extents().to_vec(),
            origins: self.origins().to_vec(),
            accesses: (0..self.accesses()).map(access).collect(),
            scalars: Vec::new(),
            guards: (0..self.guards()).map(guard).collect(),
        }
    }
}

/// Compares short slices; the standard comparison of bytes is slow for empty ones.
fn same<T: PartialEq>(left: &[T], right: &[T]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left == right)
}

impl Shape for Launch {
    fn extents(&self) -> &[usize] {
        &self.extents
    }
    fn origins(&self) -> &[i64] {
        &self.origins
    }
    fn accesses(&self) -> usize {
        self.accesses.len()
    }
    fn strides(&self, access: usize) -> &[isize] {
        &self.accesses[access].strides
    }
    fn guards(&self) -> usize {
        self.guards.len()
    }
    fn bounds(&self, guard: usize) -> &[(i64, i64)] {
        &self.guards[guard].bounds
    }
}

impl Shape for BufferLaunch<'_> {
    fn extents(&self) -> &[usize] {
        self.extents
    }
    fn origins(&self) -> &[i64] {
        self.origins
    }
    fn accesses(&self) -> usize {
        self.accesses.len()
    }
    fn strides(&self, access: usize) -> &[isize] {
        self.accesses[access].2
    }
    fn guards(&self) -> usize {
        self.guards.len()
    }
    fn bounds(&self, guard: usize) -> &[(i64, i64)] {
        &self.guards[guard]
    }
}
