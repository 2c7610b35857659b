//! A toy plane for the memory of devices, made as `docs/adding.md` says in its section on planes.
//!
//! Its library only sends messages, so the plane implements `Memory` and uses the algorithms of the
//! host. The host cannot follow an address of its devices.

use super::{DevicePlane, HostGroup, Member};
use crate::algorithms::{self, Lower, Memory, converse};
use crate::call::Call;
use crate::group::MemberDevice;
use crate::order::Items;
use crate::transport::Fabric;
use crate::{CollectiveError, Communicator, Message, Operation};
use phalanx_device::{
    Buffer, Device, DeviceError, DevicePointer, Event, NullDevice, Remote, Slice, Strided,
    copy_slice,
};
use phalanx_ops::{DType, Monoid};
use std::sync::{Arc, Mutex, MutexGuard};

/// The address of a device's first byte, which no host has.
const FIRST: u64 = 1 << 60;

/// A device whose calls return when their work is done.
struct ToyDevice {
    /// The bytes of all buffers so far.
    bytes: Mutex<Vec<u8>>,
    /// The device in the eyes of those who wait for its work.
    idle: Arc<NullDevice>,
}

impl ToyDevice {
    fn new() -> Arc<ToyDevice> {
        Arc::new(ToyDevice { bytes: Mutex::default(), idle: NullDevice::new(0, None) })
    }

    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.bytes.lock().unwrap()
    }

    fn allocate(self: &Arc<Self>, len: usize) -> Buffer {
        let mut all = self.bytes();
        let start = all.len();
        all.resize(start + len, 0);
        let address = DevicePointer::from_address(FIRST + start as u64);
        // SAFETY: the device follows no address, and keeps the bytes.
        unsafe { Buffer::from_remote(address, len, self.clone(), |_| {}) }
    }

    /// A slice that holds a copy of the bytes.
    fn upload(self: &Arc<Self>, bytes: &[u8]) -> Slice {
        let buffer = self.allocate(bytes.len());
        buffer.write(0, bytes);
        buffer.whole()
    }
}

impl Remote for ToyDevice {
    fn read(&self, address: DevicePointer, bytes: &mut [u8]) {
        let start = (address.address() - FIRST) as usize;
        bytes.copy_from_slice(&self.bytes()[start..][..bytes.len()]);
    }

    fn write(&self, address: DevicePointer, bytes: &[u8]) {
        let start = (address.address() - FIRST) as usize;
        self.bytes()[start..][..bytes.len()].copy_from_slice(bytes);
    }

    fn zero(&self, address: DevicePointer, len: usize) {
        self.write(address, &vec![0; len]);
    }

    fn copy(&self, from: &Strided<'_>, to: &Strided<'_>, extents: &[usize], item: usize) {
        let &[len] = extents else { panic!("collectives copy slices") };
        assert_eq!((from.strides, to.strides, item), (&[1][..], &[1][..], 1));
        let mut bytes = vec![0; len];
        from.buffer.read(from.offset as usize, &mut bytes);
        to.buffer.write(to.offset as usize, &bytes);
    }

    fn compress(
        &self,
        _value: DevicePointer,
        _mask: DevicePointer,
        _to: DevicePointer,
        _count: usize,
        _item: usize,
    ) -> Result<usize, DeviceError> {
        panic!("no collective selects items")
    }

    fn device(&self) -> Arc<dyn Device> {
        self.idle.clone()
    }
}

/// One device's side of a group. Its messages are those of the host's group, which copy between the
/// memories of one process.
struct ToyPlane {
    host: Arc<HostGroup>,
    device: Arc<ToyDevice>,
}

impl Memory for ToyPlane {
    fn is_on_host(&self) -> bool {
        false
    }

    fn settle(&self) -> Result<(), CollectiveError> {
        Ok(())
    }

    fn scratch(&self, len: usize) -> Result<Buffer, CollectiveError> {
        Ok(self.device.allocate(len))
    }

    fn copy(&self, source: &Slice, target: &Slice) -> Result<(), CollectiveError> {
        if source.device_pointer() != target.device_pointer() {
            copy_slice(source, target);
        }
        Ok(())
    }

    fn combine(
        &self,
        accumulator: &Slice,
        incoming: &Slice,
        items: Items,
        lower: Lower,
    ) -> Result<(), CollectiveError> {
        let (mut combined, other) = (bytes(accumulator), bytes(incoming));
        match lower {
            Lower::Accumulator => items.into(&mut combined, &other),
            Lower::Incoming => items.onto(&mut combined, &other),
        }
        accumulator.buffer.write(accumulator.offset, &combined);
        Ok(())
    }
}

impl DevicePlane for ToyPlane {
    fn name(&self) -> Option<&'static str> {
        Some("toy")
    }

    fn takes_device_memory(&self) -> bool {
        true
    }

    fn waits_in_device_work(&self) -> bool {
        false
    }

    fn prepare(&self) -> Result<(), CollectiveError> {
        Ok(())
    }

    fn collective(&self, call: Call<'_>) -> Result<Event, CollectiveError> {
        let group = &self.host.group;
        let _begun = group.fabric.doings.under.begin(call.operation(), call.bytes());
        let run = || {
            group.fabric.failure.check()?;
            if group.size() > 1 {
                return converse(group, self, |own| algorithms::collective(own, call));
            }
            // A group of one member only copies.
            call.ends().map_or(Ok(()), |[source, target]| self.copy(source, target))
        };
        run().map(|()| Event::ready()).map_err(|error| group.fabric.fail(error))
    }

    fn messages(
        &self,
        operation: Operation,
        sends: &[Message],
        receives: &[Message],
    ) -> Result<Event, CollectiveError> {
        self.host.group.messages(operation, sends, receives)
    }

    fn of_division(&self, host: &Arc<HostGroup>, _members: &[usize]) -> ToyPlane {
        ToyPlane { host: host.clone(), device: self.device.clone() }
    }
}

/// The bytes of a slice.
fn bytes(slice: &Slice) -> Vec<u8> {
    let mut bytes = vec![0; slice.len];
    slice.buffer.read(slice.offset, &mut bytes);
    bytes
}

/// A group of members in this process, each with a device.
fn group(size: usize) -> Vec<(Arc<dyn Communicator>, Arc<ToyDevice>)> {
    let fabric = Fabric::new(0, Vec::new());
    let devices: Arc<[MemberDevice]> =
        (0..size).map(|device| MemberDevice { process: 0, device }).collect();
    let member = |rank| -> (Arc<dyn Communicator>, _) {
        let host = HostGroup::new(fabric.clone(), 0, rank, devices.clone());
        let device = ToyDevice::new();
        let plane = ToyPlane { host: host.clone(), device: device.clone() };
        (Member::on_device(host, plane), device)
    };
    (0..size).map(member).collect()
}

/// Runs `work` as every member, each on its thread.
fn run<T: Send>(
    members: &[(Arc<dyn Communicator>, Arc<ToyDevice>)],
    work: impl Fn(&dyn Communicator, &Arc<ToyDevice>) -> T + Sync,
) -> Vec<T> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = members
            .iter()
            .map(|(member, device)| scope.spawn(move || work(&**member, device)))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Numbers whose sum depends on the order of combination.
fn numbers(member: usize, count: usize) -> Vec<u8> {
    let number = |at: usize| 10f64.powi((member * 7 + at) as i32 % 19) + 0.1 * at as f64;
    (0..count).flat_map(|at| number(at).to_ne_bytes()).collect()
}

/// A collective waited for.
fn done(outcome: Result<Event, CollectiveError>) {
    outcome.unwrap().wait().unwrap();
}

/// The results of every method that moves data, on slices that `of` makes.
fn results(member: &dyn Communicator, of: &dyn Fn(&[u8]) -> Slice) -> Vec<Vec<u8>> {
    let (rank, size) = (member.rank(), member.size());
    let (next, last) = ((rank + 1) % size, size - 1);
    let place = |len: usize| of(&vec![0xa5; len]);
    let mut found = Vec::new();
    // Nothing, short data, and data that travels around a ring.
    for count in [0, 5, 9001] {
        let own = numbers(rank, count);
        // Member `i` has part `i`: the last one has all but two numbers, or all.
        let few = usize::from(count > size);
        let part = |member: usize| if member == last { count - few * last } else { few };
        let counts: Vec<usize> = (0..size).map(|member| 8 * part(member)).collect();
        let own_part = || of(&own[..counts[rank]]);

        let all = of(&own);
        done(member.all_reduce(&all, DType::F64, Monoid::Add));
        found.push(bytes(&all));
        let on_root = of(&own);
        done(member.reduce(&on_root, DType::F64, Monoid::Add, last));
        found.push(if rank == last { bytes(&on_root) } else { Vec::new() });
        let copied = of(&own);
        done(member.broadcast(&copied, last));
        found.push(bytes(&copied));
        let gathered = place(8 * count);
        done(member.all_gather_v(&own_part(), &gathered, &counts));
        found.push(bytes(&gathered));
        let scattered = place(counts[rank]);
        done(member.reduce_scatter_v(&of(&own), &scattered, &counts, DType::F64, Monoid::Add));
        found.push(bytes(&scattered));
        let received = place(size * counts[rank]);
        let equal = vec![counts[rank]; size];
        done(member.all_to_all_v(&of(&own), &counts, &received, &equal));
        found.push(bytes(&received));
        let received = place(counts[rank]);
        let whole = of(&own);
        done(member.scatter_v((rank == last).then_some(&whole), &received, &counts, last));
        found.push(bytes(&received));
        let whole = place(8 * count);
        done(member.gather_v(&own_part(), (rank == last).then_some(&whole), &counts, last));
        found.push(bytes(&whole));
        let received = place(8 * count);
        done(member.send_recv(&of(&own), next, &received, (rank + last) % size));
        found.push(bytes(&received));
        let places: Vec<Slice> = (0..size).map(|_| place(8 * count)).collect();
        let message =
            |(peer, data): (usize, &Slice)| Message { peer, data: data.clone(), rows: None };
        let receives: Vec<Message> = places.iter().enumerate().map(message).collect();
        let sends: Vec<Message> = (0..size).map(|peer| message((peer, &of(&own)))).collect();
        done(member.exchange(&sends, &receives));
        found.extend(places.iter().map(bytes));
    }
    found
}

#[test]
fn slices_of_a_device_get_the_results_of_the_host() {
    for size in 1..=3 {
        run(&group(size), |member, device| {
            assert!(member.takes_device_memory() && member.plane() == "toy");
            member.prepare().unwrap();
            let on_device = results(member, &|bytes| device.upload(bytes));
            let on_host = results(member, &|bytes| Buffer::from_vec(bytes.to_vec()).whole());
            assert_eq!(on_device, on_host, "member {} of {size}", member.rank());
            member.barrier().unwrap();
        });
    }
}

#[test]
fn messages_travel_between_a_device_and_the_host() {
    run(&group(2), |member, device| {
        let (rank, peer) = (member.rank(), 1 - member.rank());
        let (sent, place) = (numbers(rank, 5), Buffer::from_vec(vec![0u8; 40]).whole());
        done(member.send_recv(&device.upload(&sent), peer, &place, peer));
        assert_eq!(bytes(&place), numbers(peer, 5));
    });
}

#[test]
fn a_group_made_by_a_split_has_the_plane() {
    for size in 1..=3 {
        run(&group(size), |member, device| {
            // Members 2 and 0 form a group in this order; member 1 is alone, or joins none.
            let rank = member.rank();
            let color = (rank != 1 || size == 2).then_some(rank as u32 % 2);
            let Some(divided) = member.split(color, (size - rank) as u32).unwrap() else {
                assert_eq!(rank, 1);
                return;
            };
            assert_eq!(divided.size(), if size == 3 { 2 } else { 1 });
            assert_eq!(divided.rank(), usize::from(size == 3 && rank == 0));
            assert!(divided.takes_device_memory() && divided.plane() == "toy");
            let on_device = results(&*divided, &|bytes| device.upload(bytes));
            let on_host = results(&*divided, &|bytes| Buffer::from_vec(bytes.to_vec()).whole());
            assert_eq!(on_device, on_host);
        });
    }
}
