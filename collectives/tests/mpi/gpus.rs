//! Cases that the table lacks: long data of GPUs, and data that the device is still computing.

use crate::fixture::{bytes, on_gpus, place, slice};
use phalanx_collectives::Message;
use phalanx_device::{Strided, copy_strided};
use phalanx_ops::{DType, Monoid};

/// More than one chunk through pinned memory, and not a multiple of one.
const LONG: usize = (9 << 20) + 24;

fn message(from: usize, to: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| (from * 31 + to * 17 + at + at / 251) as u8).collect()
}

#[test]
fn long_messages_of_gpus_arrive_whole() {
    for ((_, plane), members) in on_gpus() {
        let fixture = plane(members);
        fixture.run(|member| {
            let own = member.rank();
            let send =
                |to| Message { peer: to, data: slice(&message(own, to, LONG + to)), rows: None };
            let receive = |from| Message {
                peer: from,
                data: place(LONG + own).slice(0, LONG + own),
                rows: None,
            };
            let sends: Vec<Message> = (0..members).map(send).collect();
            let receives: Vec<Message> = (0..members).rev().map(receive).collect();
            member.exchange(&sends, &receives).unwrap().wait().unwrap();
            for Message { peer, data, .. } in &receives {
                assert!(bytes(data) == message(*peer, own, LONG + own), "from {peer}");
            }
            let (all, parts) = (place(members * LONG), place(members * LONG));
            member.all_gather(&slice(&message(own, 0, LONG)), &all).unwrap().wait().unwrap();
            member.all_to_all(&all, &parts).unwrap().wait().unwrap();
            let expected = message(own, 0, LONG);
            assert!(bytes(&parts).chunks_exact(LONG).all(|part| part == expected));
        });
        fixture.shutdown();
    }
}

#[test]
fn messages_wait_for_the_work_of_a_gpu() {
    const BYTES: usize = 1 << 20;
    for ((_, plane), members) in on_gpus() {
        let fixture = plane(members);
        fixture.run(|member| {
            let (own, next) = (member.rank(), (member.rank() + 1) % members);
            let previous = (own + members - 1) % members;
            let whole = |slice: &phalanx_device::Slice| slice.buffer.clone();
            let copy = |from: &phalanx_device::Buffer, to: &phalanx_device::Buffer| {
                let place = |buffer| Strided { buffer, offset: 0, strides: &[1] };
                copy_strided(&place(from), &place(to), &[BYTES], 1);
            };
            let (made, received, kept) = (place(BYTES), place(BYTES), place(BYTES));
            for turn in 0..20 {
                let source = slice(&message(own, turn, BYTES));
                // Enqueued, and perhaps incomplete when the message is posted.
                copy(&whole(&source), &whole(&made));
                let event = member.send_recv(&made, next, &received, previous).unwrap();
                event.wait().unwrap();
                // Later work sees the received data.
                copy(&whole(&received), &whole(&kept));
                assert!(bytes(&kept) == message(previous, turn, BYTES), "turn {turn}");
                let number = (turn as i64 + own as i64).to_ne_bytes();
                let sum = place(8);
                copy_strided(
                    &Strided { buffer: &whole(&slice(&number)), offset: 0, strides: &[1] },
                    &Strided { buffer: &whole(&sum), offset: 0, strides: &[1] },
                    &[8],
                    1,
                );
                member.all_reduce(&sum, DType::I64, Monoid::Add).unwrap().wait().unwrap();
                let expected = (members * turn + members * (members - 1) / 2) as i64;
                assert_eq!(bytes(&sum), expected.to_ne_bytes());
            }
        });
        fixture.shutdown();
    }
}
