//! Matching of posted sends, posted receives and arrivals, channel by channel.

use super::channel::Channel;
use super::transfer::Transfer;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Sends, receives and arrivals of a channel that have no partner yet.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// Sends of this process to itself.
    pub(super) sends: VecDeque<Arc<Transfer>>,
    /// Sends to another process whose receiver is not ready, by sequence.
    pub(super) announced: VecDeque<(u64, Arc<Transfer>)>,
    /// Sequences whose receiver was ready before the sender.
    pub(super) cleared: VecDeque<u64>,
    /// The sequence of the next send to another process.
    pub(super) next_send: u64,
    /// Receives without a message so far, by sequence.
    pub(super) receives: VecDeque<(u64, Arc<Transfer>)>,
    /// Messages that no receive has claimed.
    pub(super) arrivals: VecDeque<Arrival>,
    /// Receives whose bytes are arriving, by sequence.
    pub(super) filling: Vec<(u64, Arc<Transfer>)>,
    /// The sequence of the next receive.
    pub(super) next_receive: u64,
}

#[derive(Debug)]
pub(super) enum Arrival {
    Bytes(Box<[u8]>),
    /// A message of this length is ready at the sender.
    Announced(u64),
}

type Shard = HashMap<Channel, Queue>;

/// The queues of a process.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    /// Several locks, so that device threads of different pairs rarely contend.
    shards: [Mutex<Shard>; 16],
}

impl Mailbox {
    /// Locks the queues among which the channel's queue is.
    pub(super) fn shard(&self, channel: &Channel) -> MutexGuard<'_, Shard> {
        let mixed = channel.group ^ (u64::from(channel.from) << 2) ^ u64::from(channel.to);
        self.shards[(mixed % 16) as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this process waits for a message from a process, or one to it is announced.
    pub(super) fn waits_for(&self, process: usize) -> bool {
        self.shards.iter().any(|shard| {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.values().any(|queue| {
                let receives = queue.receives.iter().chain(&queue.filling).chain(&queue.announced);
                receives.into_iter().any(|(_, transfer)| transfer.process == process)
            })
        })
    }

    /// Drops the empty queues from and to a member of a communicator group that this process no
    /// longer uses.
    pub(super) fn forget(&self, group: u64, member: u32) {
        for shard in &self.shards {
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.retain(|channel, queue| {
                let ours =
                    channel.group == group && (channel.to == member || channel.from == member);
                !ours || !queue.is_idle()
            });
        }
    }
}

impl Queue {
    fn is_idle(&self) -> bool {
        self.sends.is_empty()
            && self.announced.is_empty()
            && self.receives.is_empty()
            && self.arrivals.is_empty()
            && self.filling.is_empty()
    }
}
