//! The arguments of one launch of a kernel.

use phalanx_ops::Scalar;

/// The arguments of a launch: everything that the kernel itself does not fix.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// The extent of each axis.
    pub extents: Vec<usize>,
    /// The global index of the first point of each axis.
    pub origins: Vec<i64>,
    /// One for each access of the kernel.
    pub accesses: Vec<AccessArgument>,
    /// One for each scalar of the kernel, of its dtype.
    pub scalars: Vec<Scalar>,
    /// One for each guard of the kernel.
    pub guards: Vec<GuardArgument>,
}

/// The address and strides of an access.
#[derive(Clone, Debug)]
pub struct AccessArgument {
    /// The address of the element at position 0 of all axes. It need not be inside the buffer when
    /// guards or empty extents keep it from being read.
    pub pointer: *mut u8,
    /// The byte stride of each axis named by the access, in its order. May be negative or zero.
    pub strides: Vec<isize>,
}

// SAFETY: a launch is handed to the threads of one device; the plan orders the accesses to the
// memory of its pointers (condition 2 of `phalanx_device::Buffer`).
unsafe impl Send for AccessArgument {}
// SAFETY: as for `Send`.
unsafe impl Sync for AccessArgument {}

/// The box of a guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardArgument {
    /// For each axis named by the guard, the global indices `start..end` that lie inside.
    pub bounds: Vec<(i64, i64)>,
}
