//! Short data of GPUs that can access each other's memory, which one kernel moves: lengths around
//! every boundary, slices of any alignment, and members that are slow at times.

use crate::fixture::{bytes, on_gpus, place, slice};
use crate::reference::{check, item};
use phalanx_collectives::{Communicator, Message};
use phalanx_device::Slice;
use phalanx_ops::{DType, Monoid};
use std::time::Duration;

/// The longest data that one kernel moves.
const MOST: usize = 256 << 10;

fn on_every_plane(work: impl Fn(&dyn Communicator) + Sync) {
    for ((name, plane), members) in on_gpus() {
        let fixture = plane(members);
        if !fixture.is_at_once() {
            println!("{name}: {members} GPUs do not reach each other's memory");
        }
        fixture.run(|member| work(member));
        fixture.shutdown();
    }
}

/// The byte of a member at a position of a call's data.
fn byte(member: usize, call: usize, at: usize) -> u8 {
    (member * 41 + call * 7 + at + at / 253) as u8
}

fn data(member: usize, call: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| byte(member, call, at)).collect()
}

/// A slice that starts some bytes after the start of its buffer.
fn shifted(shift: usize, bytes: &[u8]) -> Slice {
    let whole = [vec![0; shift], bytes.to_vec(), vec![0; 5]].concat();
    slice(&whole).slice(shift, bytes.len())
}

#[test]
fn reductions_of_lengths_around_every_boundary() {
    let kinds = [
        (DType::U8, Monoid::BitXor),
        (DType::BF16, Monoid::Add),
        (DType::I32, Monoid::Multiply),
        (DType::C64, Monoid::Add),
        (DType::F64, Monoid::Min),
        (DType::F32, Monoid::Moments),
        (DType::F64, Monoid::Moments),
        (DType::F64, Monoid::Binned),
        (DType::I16, Monoid::ArgMax),
        (DType::C128, Monoid::ArgMin),
    ];
    on_every_plane(|member| {
        for (dtype, monoid) in kinds {
            let size = monoid.item_size(dtype);
            let around = [16, 8 << 10, 64 << 10, 128 << 10, MOST];
            let lengths = around.iter().flat_map(|bytes| {
                let items = bytes / size;
                [items.saturating_sub(1).max(1), items.max(1), items + 1]
            });
            for (number, items) in lengths.enumerate() {
                // Items are aligned like their elements, and slices no better.
                let shift = [0, size, 16, 3 * size][number % 4];
                let own: Vec<u8> =
                    (0..items).flat_map(|at| item(member.rank(), at, dtype, monoid)).collect();
                let data = shifted(shift, &own);
                member.all_reduce(&data, dtype, monoid).unwrap().wait().unwrap();
                for (at, actual) in bytes(&data).chunks_exact(size).enumerate() {
                    check(actual, member.size(), at, dtype, monoid);
                }
                let around = data.buffer.whole();
                let (before, behind) = (around.slice(0, shift), around.slice(shift + data.len, 5));
                assert!(bytes(&before).iter().chain(&bytes(&behind)).all(|byte| *byte == 0));
            }
        }
    });
}

#[test]
fn gathers_of_any_length_and_alignment() {
    on_every_plane(|member| {
        let (own, members) = (member.rank(), member.size());
        let lengths = [1, 3, 15, 16, 17, 1000, 8191, 8192, 8193, 100_000, MOST - 1, MOST, MOST + 1];
        for (call, len) in lengths.into_iter().enumerate() {
            for uneven in [false, true] {
                let count = |other: usize| match uneven {
                    true if other == members - 1 => 0,
                    true => len.saturating_sub(other * 5),
                    false => len,
                };
                let counts: Vec<usize> = (0..members).map(count).collect();
                let send = shifted([0, 4, 1][call % 3], &data(own, call, counts[own]));
                let total = counts.iter().sum();
                let receive = shifted([0, 1, 4, 8][call % 4], &vec![0xa5; total]);
                member.all_gather_v(&send, &receive, &counts).unwrap().wait().unwrap();
                let expected: Vec<u8> =
                    (0..members).flat_map(|other| data(other, call, counts[other])).collect();
                assert!(bytes(&receive) == expected, "{len} bytes, uneven: {uneven}");
                let start = receive.offset + total;
                assert_eq!(bytes(&receive.buffer.slice(start, 5)), [0; 5], "behind {len} bytes");
            }
            // In place.
            let all = place(len * members);
            let part = all.slice(own * len, len);
            part.buffer.write(part.offset, &data(own, call, len));
            member.all_gather(&part, &all).unwrap().wait().unwrap();
            let expected: Vec<u8> = (0..members).flat_map(|other| data(other, call, len)).collect();
            assert!(bytes(&all) == expected, "{len} bytes in place");
        }
    });
}

#[test]
fn slow_members_get_the_data_of_the_call_that_they_are_in() {
    on_every_plane(|member| {
        let (own, members) = (member.rank(), member.size());
        let reversed = member.split(Some(0), (members - own) as u32).unwrap().unwrap();
        let calls = 240;
        let length = |call: usize| [8, 4096, 24, 65_536, 262_144, 16, 20_000][call % 7];
        let mut results = Vec::new();
        for call in 0..calls {
            // No other member waits on the host for a sleeping member.
            if (call + 11 * own).is_multiple_of(37) {
                std::thread::sleep(Duration::from_millis(3));
            }
            let (len, data) = (length(call), slice(&data(own, call, length(call))));
            match call % 3 {
                0 => {
                    member.all_reduce(&data, DType::U8, Monoid::BitXor).unwrap().wait().unwrap();
                    results.push(data);
                }
                1 => {
                    let all = place(len * members);
                    member.all_gather(&data, &all).unwrap().wait().unwrap();
                    results.push(all);
                }
                _ => {
                    reversed.all_reduce(&data, DType::U8, Monoid::BitXor).unwrap().wait().unwrap();
                    results.push(data);
                }
            }
            // Work of the other stream in between keeps its order.
            if call % 16 == 5 {
                let (next, previous) = ((own + 1) % members, (own + members - 1) % members);
                let received = place(len);
                let message = |peer, data: &Slice| Message { peer, data: data.clone(), rows: None };
                let last = results.last().unwrap().slice(0, len.min(100));
                let into = received.slice(0, last.len);
                let event = member.exchange(&[message(next, &last)], &[message(previous, &into)]);
                let mut sum = slice(&1i64.to_ne_bytes());
                member.all_reduce(&sum, DType::I64, Monoid::Add).unwrap().wait().unwrap();
                event.unwrap().wait().unwrap();
                assert_eq!(bytes(&sum), (members as i64).to_ne_bytes());
                sum = into;
                assert!(bytes(&sum) == bytes(&last), "all have the same result of call {call}");
            }
        }
        for (call, result) in results.iter().enumerate() {
            let len = length(call);
            let expected: Vec<u8> = match call % 3 {
                1 => (0..members).flat_map(|other| data(other, call, len)).collect(),
                _ => {
                    let of_all =
                        |at| (0..members).fold(0, |sum, other| sum ^ byte(other, call, at));
                    (0..len).map(of_all).collect()
                }
            };
            assert!(bytes(result) == expected, "call {call}");
        }
    });
}
