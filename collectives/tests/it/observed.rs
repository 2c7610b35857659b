//! Counts of calls and bytes.

use crate::fixture::{local, place, slice, tcp};
use phalanx_collectives::{Communicator, Count, Counts, Observed, Operation};
use phalanx_ops::{DType, Monoid};
use std::sync::Arc;

#[test]
fn calls_and_bytes_are_counted_by_operation_and_in_split_groups() {
    let fixture = local(3);
    let counted = |member: &Arc<dyn Communicator>| {
        let counts = Counts::default();
        (Observed::new(member.clone(), Arc::new(counts.clone())), counts)
    };
    let members: Vec<(Observed, Counts)> = fixture.members.iter().map(counted).collect();
    std::thread::scope(|scope| {
        for (member, _) in &members {
            scope.spawn(move || {
                let data = slice(&[1; 24]);
                member.all_reduce(&data, DType::I64, Monoid::Add).unwrap().wait().unwrap();
                member.broadcast(&data, 1).unwrap().wait().unwrap();
                member.all_to_all(&data, &place(24)).unwrap().wait().unwrap();
                let group = member.split(Some(0), 0).unwrap().unwrap();
                group.all_gather(&data, &place(72)).unwrap().wait().unwrap();
                group.all_reduce(&data, DType::I64, Monoid::Add).unwrap().wait().unwrap();
            });
        }
    });
    for (rank, (_, counts)) in members.iter().enumerate() {
        assert_eq!(counts.of(Operation::AllReduce), Count { calls: 2, bytes: 48 });
        let broadcast = if rank == 1 { 24 } else { 0 };
        assert_eq!(counts.of(Operation::Broadcast), Count { calls: 1, bytes: broadcast });
        assert_eq!(counts.of(Operation::AllToAll), Count { calls: 1, bytes: 16 });
        assert_eq!(counts.of(Operation::AllGather), Count { calls: 1, bytes: 24 });
        assert_eq!(counts.of(Operation::Split).calls, 1);
        assert_eq!(counts.all().len(), 5);
        counts.reset();
        assert!(counts.all().is_empty());
    }
}

#[test]
fn a_ring_sends_each_byte_as_rarely_as_possible() {
    let fixture = tcp(4);
    let len = 4 << 20;
    let before: u64 = fixture.worlds.iter().map(|world| world.network_bytes()).sum();
    fixture.run(|member| {
        let data = slice(&vec![1; len]);
        member.all_reduce(&data, DType::F32, Monoid::Add).unwrap().wait().unwrap();
    });
    fixture.shutdown();
    let after: u64 = fixture.worlds.iter().map(|world| world.network_bytes()).sum();
    let (sent, least) = (after - before, 2 * 3 * len as u64);
    assert!(sent >= least && sent < least + least / 100, "{sent} bytes where {least} are needed");
}
