//! Starts the library's non-blocking collectives.
//!
//! All of them move bytes. A process's contribution to a gather, and the root's part of a scatter,
//! are in place already (`MPI_IN_PLACE`): the caller has copied them there, as the library would.

use super::abi::{Constants, Handle};
use super::table::Table;
use std::ffi::{c_int, c_void};

/// The lengths and offsets of all members' parts, in memory that stays in place until the
/// collective is complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    pub(super) counts: *const c_int,
    pub(super) offsets: *const c_int,
}

/// A collective to start, of at most 2³¹ − 1 bytes on each member.
#[derive(Clone, Copy, Debug)]
pub(super) enum Start {
    /// `MPI_Ibarrier`
    Barrier,
    /// `MPI_Ibcast`
    Broadcast { data: *mut u8, len: usize, root: usize },
    /// `MPI_Iallgather` of parts of one length.
    AllGatherEqual { whole: *mut u8, len: usize },
    /// `MPI_Iallgatherv`
    AllGather { whole: *mut u8, parts: Parts },
    /// `MPI_Ialltoallv`
    AllToAll { from: *const u8, from_parts: Parts, to: *mut u8, to_parts: Parts },
    /// `MPI_Iscatterv`, on the root.
    Scatter { whole: *const u8, parts: Parts, root: usize },
    /// `MPI_Iscatterv`, on the others.
    ScatterReceive { part: *mut u8, len: usize, root: usize },
    /// `MPI_Igatherv`, on the root.
    Gather { whole: *mut u8, parts: Parts, root: usize },
    /// `MPI_Igatherv`, on the others.
    GatherSend { part: *const u8, len: usize, root: usize },
}

/// A count or rank as MPI's integer type.
pub(super) fn int(number: usize) -> c_int {
    c_int::try_from(number).expect("bug: a number beyond those of MPI")
}

/// Starts a collective and writes its request to `made`. Returns the name and the status of the
/// library's function.
///
/// # Safety
/// The communicator belongs to the library of the table. As for `Calls::start`.
pub(super) unsafe fn start<H: Handle>(
    table: &Table<H>,
    constants: &Constants<H>,
    communicator: H,
    start: &Start,
    made: &mut H,
) -> (&'static str, c_int) {
    let byte = constants.byte;
    let in_place: *mut c_void =
        std::ptr::without_provenance_mut(constants.in_place.cast_unsigned());
    let nothing: *const c_int = std::ptr::null();
    // SAFETY: the caller's promise. The arguments that a member does not use are null or have
    // no length, as MPI requires.
    unsafe {
        match *start {
            Start::Barrier => ("MPI_Ibarrier", (table.ibarrier)(communicator, made)),
            Start::Broadcast { data, len, root } => (
                "MPI_Ibcast",
                (table.ibcast)(data.cast(), int(len), byte, int(root), communicator, made),
            ),
            Start::AllGatherEqual { whole, len } => (
                "MPI_Iallgather",
                (table.iallgather)(
                    in_place,
                    int(len),
                    byte,
                    whole.cast(),
                    int(len),
                    byte,
                    communicator,
                    made,
                ),
            ),
            Start::AllGather { whole, parts } => (
                "MPI_Iallgatherv",
                (table.iallgatherv)(
                    in_place,
                    0,
                    byte,
                    whole.cast(),
                    parts.counts,
                    parts.offsets,
                    byte,
                    communicator,
                    made,
                ),
            ),
            Start::AllToAll { from, from_parts, to, to_parts } => (
                "MPI_Ialltoallv",
                (table.ialltoallv)(
                    from.cast(),
                    from_parts.counts,
                    from_parts.offsets,
                    byte,
                    to.cast(),
                    to_parts.counts,
                    to_parts.offsets,
                    byte,
                    communicator,
                    made,
                ),
            ),
            Start::Scatter { whole, parts, root } => (
                "MPI_Iscatterv",
                (table.iscatterv)(
                    whole.cast(),
                    parts.counts,
                    parts.offsets,
                    byte,
                    in_place,
                    0,
                    byte,
                    int(root),
                    communicator,
                    made,
                ),
            ),
            Start::ScatterReceive { part, len, root } => (
                "MPI_Iscatterv",
                (table.iscatterv)(
                    std::ptr::null(),
                    nothing,
                    nothing,
                    byte,
                    part.cast(),
                    int(len),
                    byte,
                    int(root),
                    communicator,
                    made,
                ),
            ),
            Start::Gather { whole, parts, root } => (
                "MPI_Igatherv",
                (table.igatherv)(
                    in_place,
                    0,
                    byte,
                    whole.cast(),
                    parts.counts,
                    parts.offsets,
                    byte,
                    int(root),
                    communicator,
                    made,
                ),
            ),
            Start::GatherSend { part, len, root } => (
                "MPI_Igatherv",
                (table.igatherv)(
                    part.cast(),
                    int(len),
                    byte,
                    std::ptr::null_mut(),
                    nothing,
                    nothing,
                    byte,
                    int(root),
                    communicator,
                    made,
                ),
            ),
        }
    }
}
