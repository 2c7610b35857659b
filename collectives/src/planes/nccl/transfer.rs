//! Bytes between the members of a group of GPUs, all of which progress together.

use crate::Message;
use phalanx_device::cuda::NcclCommunicator;
use phalanx_device::{DeviceError, Slice};
use std::collections::VecDeque;
use std::ops::Range;

/// Enqueues sends and receives that progress together, in list order within a pair.
pub(super) fn transfer(
    link: &NcclCommunicator,
    rank: usize,
    sends: &[Message],
    receives: &[Message],
) -> Result<(), DeviceError> {
    let is_own = |part: &&Message| part.peer == rank;
    let is_others = |part: &&Message| part.peer != rank && part.data.len > 0;
    let mut sent: VecDeque<&Message> = sends.iter().filter(is_own).collect();
    let mut own = Vec::new();
    for to in receives.iter().filter(is_own) {
        let Some(from) = sent.pop_front() else {
            unreachable!("bug: a message of oneself that was not sent")
        };
        assert_eq!(from.data.len, to.data.len, "bug: a message to oneself changes its length");
        let places = [from.data.device_pointer(), to.data.device_pointer()];
        if places[0] != places[1] && to.data.len > 0 {
            own.push((places, to.data.len));
        }
    }
    assert!(sent.is_empty(), "bug: a message to oneself that is not received");
    if !sends.iter().chain(receives).any(|part| is_others(&part)) {
        return own.into_iter().try_for_each(|(places, bytes)| {
            // SAFETY: both slices reside in this device's memory and are kept until the stream is
            // past the copy.
            unsafe { link.stream().copy(places, bytes) }
        });
    }
    link.grouped(|| {
        // Messages to oneself also use NCCL, at the same time as the rest.
        for ([from, to], bytes) in own {
            // SAFETY: both slices reside in this device's memory and are kept until the stream is
            // past the message.
            unsafe {
                link.send(from, bytes, rank)?;
                link.receive(to, bytes, rank)?;
            }
        }
        for Message { peer, data, .. } in sends.iter().filter(is_others) {
            // SAFETY: the slice is in this device's memory and is kept until the stream is past
            // the message.
            unsafe { link.send(data.device_pointer(), data.len, *peer) }?;
        }
        for Message { peer, data, .. } in receives.iter().filter(is_others) {
            // SAFETY: as above.
            unsafe { link.receive(data.device_pointer(), data.len, *peer) }?;
        }
        Ok(())
    })
}

/// The byte ranges of the parts of a slice with these lengths.
pub(super) fn parts(counts: &[usize]) -> impl Iterator<Item = (usize, Range<usize>)> {
    counts.iter().enumerate().scan(0, |offset, (peer, count)| {
        let start = *offset;
        *offset += count;
        Some((peer, start..*offset))
    })
}

/// The parts of a slice, one for each member.
pub(super) fn split_up(data: &Slice, counts: &[usize]) -> Vec<Message> {
    let part = |(peer, range): (usize, Range<usize>)| Message {
        peer,
        data: data.slice(range.start, range.len()),
        rows: None,
    };
    parts(counts).map(part).collect()
}

/// The same bytes to, or from, each of the given members.
pub(super) fn same(data: &Slice, members: impl Iterator<Item = usize>) -> Vec<Message> {
    members.map(|peer| Message { peer, data: data.clone(), rows: None }).collect()
}
