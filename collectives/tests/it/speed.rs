//! Collectives of short and long data on GPUs, many at a time: checks results, and prints times for
//! `benches/collectives.py`. `COLLECTIVES_BYTES` is the length of the longest data.

use crate::fixture::{bytes, on_gpus, slice};
use phalanx_collectives::{CollectiveError, Communicator};
use phalanx_device::{Event, Slice};
use phalanx_ops::{DType, Monoid};
use std::time::Instant;

/// The longest data in bytes of a run without measurement.
const SHORT: usize = 64 << 10;

type Collective = fn(&dyn Communicator, &Slice, &Slice) -> Result<Event, CollectiveError>;

/// Collectives by name: the first slice is used whole, the second whole or in part.
const COLLECTIVES: [(&str, Collective); 5] = [
    ("all_reduce", |member, whole, _| member.all_reduce(whole, DType::F32, Monoid::Add)),
    ("all_gather", |member, whole, other| {
        member.all_gather(&other.slice(0, whole.len / member.size()), whole)
    }),
    ("reduce_scatter", |member, whole, other| {
        let part = other.slice(0, whole.len / member.size());
        member.reduce_scatter(whole, &part, DType::F32, Monoid::Add)
    }),
    ("all_to_all", |member, whole, other| member.all_to_all(whole, other)),
    ("broadcast", |member, whole, _| member.broadcast(whole, 0)),
];

/// Microseconds per collective of many in a row, which the device performs without the host.
fn measure(member: &dyn Communicator, collective: Collective, data: [&Slice; 2]) -> f64 {
    let repeat = (1 << 26 >> data[0].len.ilog2().min(24)).clamp(10, 400);
    let run = |times: usize| {
        for _ in 0..times {
            collective(member, data[0], data[1]).unwrap().wait().unwrap();
        }
        // Reading waits for all of them.
        data[0].buffer.read(0, &mut [0; 4]);
    };
    run(5);
    member.barrier().unwrap();
    let start = Instant::now();
    run(repeat);
    start.elapsed().as_secs_f64() * 1e6 / repeat as f64
}

#[test]
fn many_collectives_in_a_row_are_in_order_on_gpus() {
    let longest = std::env::var("COLLECTIVES_BYTES").ok().and_then(|bytes| bytes.parse().ok());
    for ((name, plane), members) in on_gpus() {
        let fixture = plane(members);
        fixture.run(|member| {
            // Each call combines the result of the previous one.
            let data = slice(&1i64.to_ne_bytes().repeat(1000));
            for _ in 0..20 {
                member.all_reduce(&data, DType::I64, Monoid::Add).unwrap().wait().unwrap();
            }
            let expected = (members as i64).wrapping_pow(20).to_ne_bytes();
            assert!(bytes(&data).chunks_exact(8).all(|item| item == expected), "{name}");
            let mut len = 1 << 10;
            // Only times of two and four members are read; with three, correct results suffice.
            let longest = if members == 3 { SHORT } else { longest.unwrap_or(SHORT) };
            while len <= longest {
                // Whole elements for every member.
                let bytes = len / (4 * members) * (4 * members);
                let (whole, other) = (slice(&vec![0; bytes]), slice(&vec![0; bytes]));
                for (collective, call) in COLLECTIVES {
                    let time = measure(member, call, [&whole, &other]);
                    if member.rank() == 0 {
                        println!("time {collective} {len} {members} {time:.2} {name}");
                    }
                }
                len *= 4;
            }
        });
        fixture.shutdown();
    }
}
