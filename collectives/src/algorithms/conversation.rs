//! The messages of one collective, none of which outlives it.

use super::memory::{Lower, Memory};
use crate::CollectiveError;
use crate::group::Group;
use crate::order::Items;
use crate::planes::mpi::Native;
use crate::transport::{Lane, Transfer};
use phalanx_device::{Buffer, Slice};
use std::collections::VecDeque;
use std::sync::Arc;

/// Runs `work` on each member of a communicator group, with that member's side of the conversation.
/// An error ends the world.
pub(crate) fn converse(
    group: &Group,
    memory: &dyn Memory,
    work: impl FnOnce(&mut Conversation<'_>) -> Result<(), CollectiveError>,
) -> Result<(), CollectiveError> {
    let mut conversation = Conversation::new(group, memory);
    // An error must be known to all before the rest of the conversation is cancelled.
    work(&mut conversation).map_err(|error| group.fabric.fail(error))?;
    conversation.finish()
}

/// The messages that a member has posted for one collective.
///
/// `finish` waits for all of them. When a collective returns early with an error, dropping the
/// conversation cancels what is left, so that nothing touches the caller's slices afterwards.
pub(crate) struct Conversation<'a> {
    group: &'a Group,
    memory: &'a dyn Memory,
    /// Sends whose memory may still be in use; those at the front are not complete.
    sent: VecDeque<Arc<Transfer>>,
    /// Receives without a wait so far. Each keeps the memory in which it arrives.
    received: VecDeque<Arc<Transfer>>,
    /// Receives that land in other memory than their destinations.
    arriving: Vec<Arriving>,
}

/// A receive, the memory in which it lands, and its destination.
struct Arriving {
    transfer: Arc<Transfer>,
    landed: Slice,
    place: Slice,
}

impl<'a> Conversation<'a> {
    fn new(group: &'a Group, memory: &'a dyn Memory) -> Conversation<'a> {
        let (sent, received, arriving) = (VecDeque::new(), VecDeque::new(), Vec::new());
        Conversation { group, memory, sent, received, arriving }
    }

    pub(super) fn rank(&self) -> usize {
        self.group.rank
    }

    pub(super) fn size(&self) -> usize {
        self.group.size()
    }

    /// MPI's own collectives, if the communicator group has them, they can access the data, and
    /// they can move this many bytes. All members must pass the same number.
    pub(super) fn native(&self, bytes: usize) -> Option<&'a Native> {
        let native = self.group.native().filter(|native| bytes <= native.limit());
        native.filter(|_| self.memory.is_on_host())
    }

    /// At least `len` bytes for this collective alone.
    pub(super) fn scratch(&self, len: usize) -> Result<Buffer, CollectiveError> {
        self.memory.scratch(len)
    }

    /// Copies bytes between slices, which may be the same memory.
    pub(super) fn copy(&self, source: &Slice, target: &Slice) -> Result<(), CollectiveError> {
        self.memory.copy(source, target)
    }

    /// Combines two slices into the first, in the order of ranks.
    pub(super) fn combine(
        &self,
        accumulator: &Slice,
        incoming: &Slice,
        items: Items,
        lower: Lower,
    ) -> Result<(), CollectiveError> {
        self.memory.combine(accumulator, incoming, items, lower)
    }

    pub(super) fn send(
        &mut self,
        to: usize,
        data: &Slice,
    ) -> Result<Arc<Transfer>, CollectiveError> {
        while self.sent.front().is_some_and(|first| first.is_done()) {
            self.sent.pop_front();
        }
        let carried = self.memory.outgoing(data, to)?;
        let transfer = self.group.post_send(Lane::Collectives, to, &carried)?;
        self.sent.push_back(transfer.clone());
        Ok(transfer)
    }

    pub(super) fn receive(
        &mut self,
        from: usize,
        place: &Slice,
    ) -> Result<Arc<Transfer>, CollectiveError> {
        let landed = self.memory.incoming(place, from)?;
        let transfer = self.group.post_receive(Lane::Collectives, from, &landed)?;
        self.received.push_back(transfer.clone());
        if !landed.buffer.same(&place.buffer) {
            let (transfer, place) = (transfer.clone(), place.clone());
            self.arriving.push(Arriving { transfer, landed, place });
        }
        Ok(transfer)
    }

    pub(super) fn wait(&mut self, transfer: &Arc<Transfer>) -> Result<(), CollectiveError> {
        self.end(transfer)?;
        let is_it = |received: &Arc<Transfer>| Arc::ptr_eq(received, transfer);
        if let Some(at) = self.received.iter().position(is_it) {
            self.received.remove(at);
        }
        Ok(())
    }

    /// Waits for a message and copies its data to the destination.
    fn end(&mut self, transfer: &Arc<Transfer>) -> Result<(), CollectiveError> {
        self.group.fabric.wait(transfer)?;
        let is_of = |arriving: &Arriving| Arc::ptr_eq(&arriving.transfer, transfer);
        match self.arriving.iter().position(is_of) {
            Some(at) => {
                let Arriving { landed, place, .. } = self.arriving.swap_remove(at);
                self.memory.arrived(&landed, &place)
            }
            None => Ok(()),
        }
    }

    /// Sends to one member, receives from another, and waits for both.
    pub(super) fn swap(
        &mut self,
        to: usize,
        data: &Slice,
        from: usize,
        place: &Slice,
    ) -> Result<(), CollectiveError> {
        let receive = self.receive(from, place)?;
        let send = self.send(to, data)?;
        self.wait(&receive)?;
        self.wait(&send)
    }

    /// Waits for every message so far.
    pub(super) fn settle(&mut self) -> Result<(), CollectiveError> {
        let mut outcome = Ok(());
        // Wait for every message, so that none is in use after an error.
        while let Some(transfer) = self.received.pop_front().or_else(|| self.sent.pop_front()) {
            outcome = outcome.and(self.end(&transfer));
        }
        outcome
    }

    /// Waits for every message and ends the conversation.
    fn finish(mut self) -> Result<(), CollectiveError> {
        self.settle()
    }
}

impl Drop for Conversation<'_> {
    fn drop(&mut self) {
        if self.received.is_empty() && self.sent.is_empty() {
            return;
        }
        // Only an error or a panic leaves messages behind. After a failure of the world, waiting
        // cancels them.
        if !self.group.fabric.failure.is_set() {
            self.group.fabric.fail(CollectiveError::Aborted {
                rank: self.group.fabric.rank,
                error_code: String::from("bug"),
                message: String::from("a collective was abandoned before its end"),
            });
        }
        // The caller that left the conversation has reported the outcome.
        let _ = self.settle();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::{HostMemory, collective};
    use crate::call::Call;
    use crate::group::MemberDevice;
    use crate::transport::Fabric;
    use phalanx_ops::{DType, Monoid};
    use std::cell::{Cell, RefCell};

    /// Host memory that simulates staging: messages land in other memory first.
    struct Staged<'a> {
        host: HostMemory<'a>,
        landings: RefCell<Vec<Buffer>>,
        /// The most bytes that landings have held at a time.
        most: Cell<usize>,
    }

    impl<'a> Staged<'a> {
        fn new(group: &'a Group) -> Staged<'a> {
            let (host, landings) = (HostMemory(group), RefCell::default());
            Staged { host, landings, most: Cell::default() }
        }

        /// The bytes of landings that are in use.
        fn held(&self) -> usize {
            let landings = self.landings.borrow();
            landings.iter().filter(|landing| !landing.is_unique()).map(Buffer::len).sum()
        }
    }

    impl Memory for Staged<'_> {
        fn is_on_host(&self) -> bool {
            false
        }

        fn settle(&self) -> Result<(), CollectiveError> {
            Ok(())
        }

        fn incoming(&self, place: &Slice, _from: usize) -> Result<Slice, CollectiveError> {
            let landing = Buffer::from_vec(vec![0u8; place.len]);
            let landed = landing.whole();
            self.landings.borrow_mut().push(landing);
            self.most.set(self.most.get().max(self.held()));
            Ok(landed)
        }

        fn scratch(&self, len: usize) -> Result<Buffer, CollectiveError> {
            self.host.scratch(len)
        }

        fn copy(&self, source: &Slice, target: &Slice) -> Result<(), CollectiveError> {
            self.host.copy(source, target)
        }

        fn combine(
            &self,
            accumulator: &Slice,
            incoming: &Slice,
            items: Items,
            lower: Lower,
        ) -> Result<(), CollectiveError> {
            self.host.combine(accumulator, incoming, items, lower)
        }
    }

    fn members(count: usize) -> Vec<Group> {
        let fabric = Fabric::new(0, Vec::new());
        let devices: Arc<[MemberDevice]> =
            (0..count).map(|device| MemberDevice { process: 0, device }).collect();
        (0..count).map(|rank| Group::new(fabric.clone(), (0, 0), rank, devices.clone())).collect()
    }

    fn bytes_of(buffer: &Buffer) -> Vec<u8> {
        let mut bytes = vec![0; buffer.len()];
        buffer.read(0, &mut bytes);
        bytes
    }

    #[test]
    fn awaited_messages_keep_no_memory_and_unawaited_ones_arrive() {
        let members = members(2);
        let (memory, elsewhere) = (Staged::new(&members[0]), Staged::new(&members[1]));
        let mut receiver = Conversation::new(&members[0], &memory);
        let mut sender = Conversation::new(&members[1], &elsewhere);
        let places = [0u8; 3].map(|byte| Buffer::from_vec(vec![byte; 100]));
        let receives: Vec<Arc<Transfer>> =
            places.iter().map(|place| receiver.receive(1, &place.whole()).unwrap()).collect();
        for byte in [1u8, 2, 3] {
            sender.send(0, &Buffer::from_vec(vec![byte; 100]).whole()).unwrap();
        }
        assert_eq!(memory.held(), 300);
        for (waited, receive) in receives.into_iter().take(2).enumerate() {
            receiver.wait(&receive).unwrap();
            drop(receive);
            assert_eq!(memory.held(), 200 - 100 * waited);
        }
        receiver.finish().unwrap();
        sender.finish().unwrap();
        assert_eq!(memory.held(), 0);
        for (place, byte) in places.iter().zip([1, 2, 3]) {
            assert_eq!(bytes_of(place), [byte; 100]);
        }
    }

    #[test]
    fn a_ring_holds_less_than_three_parts() {
        const MEMBERS: usize = 4;
        const PART: usize = 512 << 10;
        let items = Items { dtype: DType::U8, monoid: Monoid::Add };
        let most = std::thread::scope(|scope| {
            let threads: Vec<_> = members(MEMBERS)
                .into_iter()
                .map(|member| {
                    scope.spawn(move || {
                        let memory = Staged::new(&member);
                        let data = Buffer::from_vec(vec![1u8 << member.rank; MEMBERS * PART]);
                        let call = Call::AllReduce { data: &data.whole(), items };
                        converse(&member, &memory, |own| collective(own, call)).unwrap();
                        assert!(bytes_of(&data).iter().all(|byte| *byte == 0b1111));
                        memory.most.get()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).max()
        });
        // A travelling part, the next one, and pieces that are being combined. A member receives
        // six parts in total.
        assert!(most.is_some_and(|most| most > 0 && most < 3 * PART), "{most:?}");
    }
}
