//! Finds out whether the GPUs of a group can access each other's memory.
//!
//! When a group connects, it tests that with one exchange. All members agree on the result, so all
//! use the same method for the same call.

use super::endpoint::Endpoint;
use super::peers::{END, MOST_MEMBERS, Peers, SLOTS, Shared};
use super::texts::Kernel;
use crate::planes::HostGroup;
use crate::planes::agreement::{all_agree, gathered};
use crate::{CollectiveError, Message};
use phalanx_device::cuda::{CudaDevice, PEER_HANDLE_BYTES, PeerBlock};
use phalanx_device::{Device, DeviceError, DevicePointer, Slice};
use phalanx_waiting::look;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The time limit of the first call.
const PATIENCE: Duration = Duration::from_secs(5);

/// The description of a member's memory block for the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Card {
    has_block: bool,
    /// Random, because process ids are not unique.
    process: [u8; 16],
    machine: [u8; 40],
    ordinal: u64,
    address: u64,
    handle: [u8; PEER_HANDLE_BYTES],
    has_handle: bool,
}

impl Card {
    fn new(gpu: &CudaDevice, block: Option<&PeerBlock>) -> Card {
        let handle = block.and_then(|block| block.handle().ok());
        let (process, machine) = (process(), machine());
        Card {
            has_block: block.is_some() && process.is_some(),
            process: process.unwrap_or_default(),
            machine,
            ordinal: gpu.ordinal() as u64,
            address: block.map_or(0, |block| block.address().address()),
            handle: handle.unwrap_or([0; PEER_HANDLE_BYTES]),
            has_handle: handle.is_some(),
        }
    }

    fn to_bytes(self) -> Vec<u8> {
        let mut bytes = vec![u8::from(self.has_block)];
        bytes.extend(self.process);
        bytes.extend(self.machine);
        bytes.extend(self.ordinal.to_le_bytes());
        bytes.extend(self.address.to_le_bytes());
        bytes.extend(self.handle);
        bytes.push(u8::from(self.has_handle));
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Card {
        let mut rest = bytes;
        Card {
            has_block: taken::<1>(&mut rest) == [1],
            process: taken(&mut rest),
            machine: taken(&mut rest),
            ordinal: u64::from_le_bytes(taken(&mut rest)),
            address: u64::from_le_bytes(taken(&mut rest)),
            handle: taken(&mut rest),
            has_handle: taken::<1>(&mut rest) == [1],
        }
    }

    /// The address of the memory block for a GPU of this process, if the GPU can access it.
    fn reached_by(&self, gpu: &CudaDevice) -> Option<u64> {
        if Some(self.process) == process() {
            return gpu.reach(self.ordinal as usize).then_some(self.address);
        }
        let opened = self.has_handle.then(|| gpu.open_peer_block(&self.handle))?;
        let log = |error: &DeviceError| tracing::debug!(%error, "a GPU is out of reach");
        opened.inspect_err(log).ok().map(DevicePointer::address)
    }
}

/// Takes the first bytes away and returns them.
fn taken<const COUNT: usize>(bytes: &mut &[u8]) -> [u8; COUNT] {
    let Some((first, rest)) = bytes.split_first_chunk::<COUNT>() else {
        unreachable!("bug: a card of too few bytes")
    };
    *bytes = rest;
    *first
}

/// A random identity of this process.
fn process() -> Option<[u8; 16]> {
    static PROCESS: OnceLock<Option<[u8; 16]>> = OnceLock::new();
    *PROCESS.get_or_init(|| {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).ok().map(|()| bytes)
    })
}

/// An identity that all processes of a machine share.
fn machine() -> [u8; 40] {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    let text = text.unwrap_or_else(|_| crate::host_name());
    let mut machine = [0; 40];
    machine.iter_mut().zip(text.trim().bytes()).for_each(|(to, byte)| *to = byte);
    machine
}

/// The data of the trial exchange.
struct Trial {
    data: Slice,
    /// One destination for each slot.
    places: Vec<Slice>,
    expected: Vec<u8>,
}

impl Trial {
    fn new(gpu: &Arc<CudaDevice>, rank: usize, cards: &[Card]) -> Result<Trial, DeviceError> {
        let gpu: Arc<dyn Device> = gpu.clone();
        let part = |(member, card): (usize, &Card)| {
            let mut part = card.process;
            part[0] ^= member as u8;
            part
        };
        let parts: Vec<_> = cards.iter().enumerate().map(part).collect();
        let data = gpu.upload(&parts[rank])?.whole();
        let expected = parts.concat();
        let place = |_| Ok(gpu.upload(&vec![0; expected.len()])?.whole());
        let places = (0..SLOTS).map(place).collect::<Result<_, DeviceError>>()?;
        Ok(Trial { data, places, expected })
    }
}

/// Tests whether the members of a communicator group can access each other's memory; `None` on
/// all members if one cannot. The streams of the device must be empty. Collective.
///
/// Errors: the error that ended the world.
pub(super) fn connect(
    host: &HostGroup,
    endpoint: &Endpoint,
) -> Result<Option<Arc<Peers>>, CollectiveError> {
    let (gpu, members) = (&endpoint.gpu, host.group.size());
    if !(2..=MOST_MEMBERS).contains(&members) {
        return Ok(None);
    }
    let made = Shared::new(gpu, members);
    let made = made.inspect_err(|error| tracing::debug!(%error, "GPUs do not share memory"));
    let made = made.ok();
    let own = Card::new(gpu, made.as_ref().map(Shared::block));
    let cards: Vec<Card> =
        gathered(host, &own.to_bytes())?.iter().map(|card| Card::from_bytes(card)).collect();
    let reached = |card: &Card| {
        if card.has_block && card.machine == own.machine { card.reached_by(gpu) } else { None }
    };
    let memory: Option<Vec<u64>> = cards.iter().map(reached).collect();
    // All devices of the communicator group are idle here, so loading waits for no member.
    let gather = Kernel::Gather(members).load(gpu);
    let gather = gather.inspect_err(|error| tracing::debug!(%error, "no kernel for short data"));
    let parts = (made, memory, gather.ok());
    let is_ready = matches!(parts, (Some(_), Some(_), Some(_)));
    let is_of_one_process = host.group.is_local();
    if !all_agree(host, is_ready)? {
        if let (Some(shared), true) = (parts.0, is_of_one_process) {
            // SAFETY: no work has used the memory block, and no other process has opened it.
            let freed = unsafe { shared.free() };
            freed.map_err(|error| host.group.fabric.fail_of_device(&error))?;
        }
        return Ok(None);
    }
    let (Some(shared), Some(memory), Some(gather)) = parts else {
        unreachable!("bug: a member that is not ready has said that it is")
    };
    let peers = Peers::new(
        (gpu, &endpoint.copying),
        (host.group.rank, memory),
        shared,
        gather,
        is_of_one_process,
    );
    endpoint.watch.add_peers(&peers)?;
    // No member allocates while a kernel of another waits.
    let trial = Trial::new(gpu, host.group.rank, &cards);
    let trial = trial.inspect_err(|error| tracing::debug!(%error, "no barrier of GPUs"));
    if !all_agree(host, trial.is_ok())? {
        return Ok(None);
    }
    let Ok(trial) = trial else { unreachable!("bug: a member lacks a reported part") };
    let has_worked = try_out(&peers, host, &trial);
    let has_worked =
        has_worked.inspect_err(|error| tracing::debug!(%error, "the barrier of GPUs failed"));
    if !all_agree(host, has_worked == Ok(true))? {
        return Ok(None);
    }
    let has_copied = try_copies(&peers, host, &trial);
    let has_copied =
        has_copied.inspect_err(|error| tracing::debug!(%error, "copies between GPUs failed"));
    if all_agree(host, has_copied == Ok(true))? {
        peers.copies().allow();
    }
    Ok(Some(peers))
}

/// Waits for the work of a trial, for a limited time. Returns whether it has ended.
///
/// Errors: those of the device.
fn ends_in_time(peers: &Peers, host: &HostGroup) -> Result<bool, DeviceError> {
    let is_alive = || {
        look();
        !host.group.fabric.failure.is_set()
    };
    peers.is_idle_within(PATIENCE, is_alive)
}

/// Runs one exchange with each of the slots. Returns whether all of them worked.
///
/// Errors: those of the device.
fn try_out(peers: &Peers, host: &HostGroup, trial: &Trial) -> Result<bool, DeviceError> {
    for all in &trial.places {
        let counts = vec![trial.data.len; peers.members()];
        peers.all_gather(&trial.data, all, &counts)?;
        if !ends_in_time(peers, host)? {
            peers.stop();
            peers.is_idle_within(END, || true)?;
            return Ok(false);
        }
        let mut bytes = vec![0; trial.expected.len()];
        all.buffer.read(all.offset, &mut bytes);
        if bytes != trial.expected {
            return Ok(false);
        }
    }
    Ok(!peers.has_failed())
}

/// Sends the data of each member to all others by copy engines. Returns whether that worked.
///
/// Errors: those of the device.
fn try_copies(peers: &Peers, host: &HostGroup, trial: &Trial) -> Result<bool, DeviceError> {
    let (rank, all) = (host.group.rank, &trial.places[0]);
    let len = trial.data.len;
    all.buffer.zero(all.offset, all.len);
    all.buffer.write(all.offset + rank * len, &trial.expected[rank * len..][..len]);
    let others = || (0..peers.members()).filter(|&peer| peer != rank);
    let sends: Vec<_> =
        others().map(|peer| Message { peer, data: trial.data.clone(), rows: None }).collect();
    let receives: Vec<_> = others()
        .map(|peer| Message { peer, data: all.slice(peer * len, len), rows: None })
        .collect();
    peers.synchronize();
    // SAFETY: the slices are in the device's memory, whose work is done; the messages end before
    // the trial is dropped, because `stop` ends their waits.
    let enqueued = unsafe { peers.copies().enqueue(&sends, &receives) };
    let has_ended = enqueued.is_ok() && ends_in_time(peers, host)?;
    if !has_ended {
        peers.copies().release();
        peers.is_idle_within(END, || true)?;
        return enqueued.map(|()| false);
    }
    let mut bytes = vec![0; trial.expected.len()];
    all.buffer.read(all.offset, &mut bytes);
    Ok(bytes == trial.expected && !peers.has_failed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_survive_encoding() {
        let card = Card {
            has_block: true,
            process: [3; 16],
            machine: machine(),
            ordinal: 5,
            address: 0x7f00_1234_5678,
            handle: std::array::from_fn(|at| at as u8),
            has_handle: false,
        };
        assert_eq!(Card::from_bytes(&card.to_bytes()), card);
    }
}
