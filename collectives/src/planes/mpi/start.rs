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
    let none = Parts { counts: std::ptr::null(), offsets: std::ptr::null() };
    let mut rooted = Rooted { table, byte, communicator, made };
    // SAFETY: the caller's promise. The arguments that a member does not use are null or have
    // no length, as MPI requires.
    unsafe {
        match *start {
            Start::Barrier => ("MPI_Ibarrier", (table.ibarrier)(communicator, rooted.made)),
            Start::Broadcast { data, len, root } => (
                "MPI_Ibcast",
                (table.ibcast)(data.cast(), int(len), byte, int(root), communicator, rooted.made),
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
                    rooted.made,
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
                    rooted.made,
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
                    rooted.made,
                ),
            ),
            Start::Scatter { whole, parts, root } => {
                rooted.scatter((whole, parts), (in_place, 0), root)
            }
            Start::ScatterReceive { part, len, root } => {
                rooted.scatter((std::ptr::null(), none), (part.cast(), len), root)
            }
            Start::Gather { whole, parts, root } => {
                rooted.gather((in_place, 0), (whole, parts), root)
            }
            Start::GatherSend { part, len, root } => {
                rooted.gather((part.cast(), len), (std::ptr::null_mut(), none), root)
            }
        }
    }
}

/// A scatter or gather to start.
struct Rooted<'a, H> {
    table: &'a Table<H>,
    byte: H,
    communicator: H,
    made: &'a mut H,
}

impl<H: Handle> Rooted<'_, H> {
    /// Scatters the parts of `whole`.
    ///
    /// # Safety
    /// As for `start`.
    unsafe fn scatter(
        &mut self,
        (whole, parts): (*const u8, Parts),
        (part, len): (*mut c_void, usize),
        root: usize,
    ) -> (&'static str, c_int) {
        // SAFETY: the caller's promise.
        let status = unsafe {
            (self.table.iscatterv)(
                whole.cast(),
                parts.counts,
                parts.offsets,
                self.byte,
                part,
                int(len),
                self.byte,
                int(root),
                self.communicator,
                self.made,
            )
        };
        ("MPI_Iscatterv", status)
    }

    /// Gathers the parts in `whole`.
    ///
    /// # Safety
    /// As for `start`.
    unsafe fn gather(
        &mut self,
        (part, len): (*const c_void, usize),
        (whole, parts): (*mut u8, Parts),
        root: usize,
    ) -> (&'static str, c_int) {
        // SAFETY: the caller's promise.
        let status = unsafe {
            (self.table.igatherv)(
                part,
                int(len),
                self.byte,
                whole.cast(),
                parts.counts,
                parts.offsets,
                self.byte,
                int(root),
                self.communicator,
                self.made,
            )
        };
        ("MPI_Igatherv", status)
    }
}
