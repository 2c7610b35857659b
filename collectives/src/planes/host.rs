//! The plane of host memory: members read each other's memory if all are in one process, and
//! otherwise exchange messages.

use super::local::LocalGroup;
use super::mpi::Native;
use crate::algorithms::{self, Conversation, HostMemory, converse};
use crate::call::Call;
use crate::group::{Group, MemberDevice};
use crate::transport::Fabric;
use crate::{CollectiveError, Operation};
use phalanx_device::{Buffer, Event, Slice};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// One device's side of a group, for slices on the host.
#[derive(Debug)]
pub(crate) struct HostGroup {
    pub(crate) group: Group,
    /// The number after the largest of the device's communicator groups.
    next_number: Arc<AtomicU64>,
    /// Present when all members are in this process.
    local: Option<LocalGroup>,
    splits: AtomicU64,
}

/// A group made by a split, with its members' numbers in the old group.
pub(crate) type Division = (Arc<HostGroup>, Vec<usize>);

impl HostGroup {
    pub(crate) fn new(
        fabric: Arc<Fabric>,
        id: u64,
        rank: usize,
        members: Arc<[MemberDevice]>,
    ) -> Arc<HostGroup> {
        HostGroup::of(Group::new(fabric, (id, 0), rank, members), Arc::new(AtomicU64::new(1)))
    }

    fn of(group: Group, next_number: Arc<AtomicU64>) -> Arc<HostGroup> {
        let local = group.is_local().then(|| {
            let board = group.fabric.boards.of(group.id, group.size());
            LocalGroup::new(board, group.rank, group.fabric.failure.clone())
        });
        Arc::new(HostGroup { group, next_number, local, splits: AtomicU64::new(0) })
    }

    /// The name of the plane.
    pub(super) fn name(&self) -> &'static str {
        match (&self.local, self.group.fabric.engine()) {
            (Some(_), _) => "local",
            (None, Some(_)) => "mpi",
            (None, None) => "tcp",
        }
    }

    /// Performs a collective whose arguments were checked.
    pub(crate) fn collective(&self, call: Call<'_>) -> Result<Event, CollectiveError> {
        self.run(
            (call.operation(), call.bytes()),
            |local| local.collective(call),
            |remote| algorithms::collective(remote, call),
        )
    }

    /// Returns when all members have called it.
    pub(crate) fn barrier(&self) -> Result<(), CollectiveError> {
        self.run((Operation::Barrier, 0), LocalGroup::barrier, algorithms::barrier).map(drop)
    }

    /// Copies `data` of `root` to all.
    pub(crate) fn broadcast(&self, data: &Slice, root: usize) -> Result<(), CollectiveError> {
        self.collective(Call::Broadcast { data, root })?.wait().map_err(CollectiveError::from)
    }

    /// Concatenates the `send` of all members, which have one length, in `receive` of each.
    pub(crate) fn all_gather(&self, send: &Slice, receive: &Slice) -> Result<(), CollectiveError> {
        let counts = &vec![send.len; self.group.size()];
        let call = Call::AllGather { send, receive, counts };
        self.collective(call)?.wait().map_err(CollectiveError::from)
    }

    /// Runs one collective, on shared memory or by messages. An error ends the world.
    fn run(
        &self,
        (operation, bytes): (Operation, usize),
        local: impl FnOnce(&LocalGroup) -> Result<(), CollectiveError>,
        remote: impl FnOnce(&mut Conversation<'_>) -> Result<(), CollectiveError>,
    ) -> Result<Event, CollectiveError> {
        let fabric = &*self.group.fabric;
        let _begun = fabric.doings.under.begin(operation, bytes);
        let run = || {
            fabric.failure.check()?;
            match &self.local {
                Some(group) => local(group),
                None => converse(&self.group, &HostMemory(&self.group), remote),
            }
        };
        run().map(|()| Event::ready()).map_err(|error| fabric.fail(error))
    }

    /// Divides the group: members of equal `color` form a new one, ordered by (`key`, old rank).
    /// `None` if this member joins none.
    pub(crate) fn divide(
        &self,
        color: Option<u32>,
        key: u32,
    ) -> Result<Option<Division>, CollectiveError> {
        /// The colour of members that join no communicator group; larger than every `u32`.
        const NONE: u64 = u64::MAX;
        let group = &self.group;
        let number = self.next_number.load(Ordering::Relaxed);
        let can_split = group.native().is_some_and(Native::can_split);
        let own = [color.map_or(NONE, u64::from), u64::from(key), number, u64::from(can_split)];
        let answers = Buffer::from_vec(vec![0u64; own.len() * group.size()]);
        self.all_gather(&Buffer::from_vec(own.to_vec()).whole(), &answers.whole())?;
        let split = self.splits.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the buffer is this call's own and the gathering is over (condition 2 of
        // `Buffer`).
        let answers = unsafe {
            std::slice::from_raw_parts(answers.as_ptr().cast::<[u64; 4]>(), group.size())
        };
        let of_color = |color: u64| {
            let mut members: Vec<usize> =
                (0..answers.len()).filter(|member| answers[*member][0] == color).collect();
            members.sort_by_key(|member| (answers[*member][1], *member));
            members
        };
        let id = mix(mix(mix(group.id) ^ split) ^ own[0]);
        let members = if own[0] == NONE { Vec::new() } else { of_color(own[0]) };
        let rank = members.iter().position(|member| *member == group.rank);
        // MPI's split must be called by all members of this communicator group or by none.
        let is_several = |answer: &[u64; 4]| {
            let has_color = |other: &&[u64; 4]| other[0] == answer[0];
            answer[0] != NONE && answers.iter().filter(has_color).count() > 1
        };
        let mut native = None;
        if let Some(parent) = group.native()
            && answers.iter().all(|answer| answer[3] == 1)
            && answers.iter().any(is_several)
        {
            // MPI's colours are numbers of 31 bits.
            let color = members.iter().min().copied().filter(|_| members.len() > 1);
            let split = parent.split(color, rank.unwrap_or(0), id, &members);
            native = split.map_err(|error| group.fabric.fail(error))?;
        }
        let Some(rank) = rank else { return Ok(None) };
        let devices = members.iter().map(|member| group.members[*member]).collect();
        // A number that none of the members has used.
        let number = members.iter().map(|member| answers[*member][2]).max().unwrap_or(number);
        self.next_number.store(number + 1, Ordering::Relaxed);
        let divided = Group::new(group.fabric.clone(), (id, number), rank, devices);
        if let Some(native) = native {
            divided.use_native(native);
        }
        Ok(Some((HostGroup::of(divided, self.next_number.clone()), members)))
    }
}

/// Spreads a number over 64 bits, so that communicator groups of different splits get different
/// numbers (the finalizer of splitmix64).
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
