//! The table of operations that move bytes without looking at them, on every plane.

use crate::fixture::{PLANES, bytes, on_gpus, place, slice, tcp};
use phalanx_collectives::{Communicator, Message, Rows};
use phalanx_device::{Buffer, Slice};
use phalanx_ops::{DType, Monoid};

const MEMBERS: &[usize] = &[1, 2, 3, 4, 8, 11];
/// Bytes: nothing, one, odd, just beyond the ring's and the network's limits, several pieces.
const SIZES: &[usize] = &[0, 1, 777, 65_537, 700_001];
/// Bytes that copy engines of GPUs carry: one piece, and more pieces than a window has slots.
const LONG: &[usize] = &[(2 << 20) + 5, (25 << 20) + 3];

/// The message of `from` to `to`; messages of equal length differ in content.
fn message(from: usize, to: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| (from * 31 + to * 17 + at + at / 251) as u8).collect()
}

/// The receiver number of a message to all members.
const ALL: usize = 99;

/// Uneven lengths around `size`.
fn length(member: usize, size: usize) -> usize {
    if member % 4 == 2 { 0 } else { size + member * 5 }
}

fn each(run: impl Fn(&dyn Communicator, usize) + Sync) {
    for (name, plane) in PLANES {
        for &members in MEMBERS {
            // Many processes with long data take long and reveal nothing new.
            let is_large = members > 4 && *name != "local";
            let fixture = plane(members);
            fixture.run(|member| {
                for &size in SIZES.iter().filter(|size| !is_large || **size < 100_000) {
                    run(member, size);
                }
            });
            fixture.shutdown();
        }
    }
    for ((name, plane), members) in on_gpus() {
        let fixture = plane(members);
        fixture.run(|member| {
            assert!(member.takes_device_memory() && name.starts_with(member.plane()), "{name}");
            SIZES.iter().chain(LONG).for_each(|&size| run(member, size));
        });
        fixture.shutdown();
    }
}

#[test]
fn broadcast_copies_the_data_of_each_root() {
    each(|member, size| {
        for root in 0..member.size() {
            let own =
                if member.rank() == root { slice(&message(root, ALL, size)) } else { place(size) };
            member.broadcast(&own, root).unwrap().wait().unwrap();
            assert_eq!(bytes(&own), message(root, ALL, size));
        }
    });
}

#[test]
fn all_gather_concatenates_equal_and_unequal_parts() {
    each(|member, size| {
        for uneven in [false, true] {
            let count = |other: usize| if uneven { length(other, size) } else { size };
            let counts: Vec<usize> = (0..member.size()).map(count).collect();
            let own = slice(&message(member.rank(), ALL, counts[member.rank()]));
            let all = place(counts.iter().sum());
            let event = if uneven {
                member.all_gather_v(&own, &all, &counts)
            } else {
                member.all_gather(&own, &all)
            };
            event.unwrap().wait().unwrap();
            let expected: Vec<u8> =
                (0..member.size()).flat_map(|other| message(other, ALL, counts[other])).collect();
            assert!(bytes(&all) == expected, "{size} bytes, uneven: {uneven}");
        }
    });
}

#[test]
fn all_to_all_transposes_parts() {
    each(|member, size| {
        let (own, members) = (member.rank(), member.size());
        for uneven in [false, true] {
            let count = |from: usize, to: usize| {
                if uneven { length(from + 2 * to, size) } else { size }
            };
            let send_counts: Vec<usize> = (0..members).map(|to| count(own, to)).collect();
            let receive_counts: Vec<usize> = (0..members).map(|from| count(from, own)).collect();
            let parts: Vec<u8> =
                (0..members).flat_map(|to| message(own, to, count(own, to))).collect();
            let (send, receive) = (slice(&parts), place(receive_counts.iter().sum()));
            let event = if uneven {
                member.all_to_all_v(&send, &send_counts, &receive, &receive_counts)
            } else {
                member.all_to_all(&send, &receive)
            };
            event.unwrap().wait().unwrap();
            let expected: Vec<u8> =
                (0..members).flat_map(|from| message(from, own, count(from, own))).collect();
            assert!(bytes(&receive) == expected, "{size} bytes, uneven: {uneven}");
        }
    });
}

#[test]
fn scatter_and_gather_undo_each_other() {
    each(|member, size| {
        let own = member.rank();
        for root in [0, member.size() - 1] {
            for uneven in [false, true] {
                let count = |other: usize| if uneven { length(other, size) } else { size };
                let counts: Vec<usize> = (0..member.size()).map(count).collect();
                let whole: Vec<u8> =
                    (0..member.size()).flat_map(|to| message(root, to, counts[to])).collect();
                let (send, receive) = (slice(&whole), place(whole.len()));
                let part = place(counts[own]);
                let (send, receive): (Option<&Slice>, Option<&Slice>) =
                    if own == root { (Some(&send), Some(&receive)) } else { (None, None) };
                let scattered = if uneven {
                    member.scatter_v(send, &part, &counts, root)
                } else {
                    member.scatter(send, &part, root)
                };
                scattered.unwrap().wait().unwrap();
                assert!(bytes(&part) == message(root, own, counts[own]), "scatter of {size} bytes");
                let gathered = if uneven {
                    member.gather_v(&part, receive, &counts, root)
                } else {
                    member.gather(&part, receive, root)
                };
                gathered.unwrap().wait().unwrap();
                if let Some(receive) = receive {
                    assert!(bytes(receive) == whole, "gather of {size} bytes");
                }
            }
        }
    });
}

#[test]
fn messages_between_a_pair_keep_their_order() {
    each(|member, size| {
        let (own, members) = (member.rank(), member.size());
        let (next, previous) = ((own + 1) % members, (own + members - 1) % members);
        // Sends run ahead of receives, and a collective in between does not mix with them. On a
        // GPU, sends begin together with the receives.
        if member.takes_device_memory() {
            let (send, receive) = (slice(&message(own, next, size)), place(size));
            let sent = member.send(&send, next).unwrap();
            member.recv(&receive, previous).unwrap().wait().unwrap();
            sent.wait().unwrap();
            assert!(bytes(&receive) == message(previous, own, size));
            return;
        }
        let lengths = [size, 3, size + 1];
        let sent: Vec<_> = lengths
            .iter()
            .enumerate()
            .map(|(turn, len)| member.send(&slice(&message(own, turn, *len)), next).unwrap())
            .collect();
        member.barrier().unwrap();
        for (turn, len) in lengths.iter().enumerate() {
            let received = place(*len);
            member.recv(&received, previous).unwrap().wait().unwrap();
            assert!(bytes(&received) == message(previous, turn, *len));
        }
        for event in sent {
            event.wait().unwrap();
        }
        let (send, receive) = (slice(&message(own, next, size)), place(size));
        member.send_recv(&send, next, &receive, previous).unwrap().wait().unwrap();
        assert!(bytes(&receive) == message(previous, own, size));
    });
}

#[test]
fn short_messages_without_receivers_stay_with_their_sender() {
    // Many more of the longest short messages than a process stores for a sender, and tiny ones.
    let len = |number: usize| [64 << 10, 0, 1, 64 << 10, 777][number % 5];
    let count = 400;
    let fixture = tcp(3);
    fixture.run(|member| {
        let (own, others) =
            (member.rank(), [0, 1, 2].into_iter().filter(|to| *to != member.rank()));
        let others: Vec<usize> = others.collect();
        let group = member.split(Some(0), 0).unwrap().unwrap();
        let sent: Vec<_> = (0..count)
            .flat_map(|number| others.iter().map(move |to| (number, *to)))
            .map(|(number, to)| {
                let data = slice(&message(own, number, len(number)));
                (member.send(&data, to).unwrap(), len(number))
            })
            .collect();
        // Unclaimed messages block nothing else, with credit or without.
        for size in [5, 60_000, 1 << 20] {
            let (next, previous) = ((own + 1) % 3, (own + 2) % 3);
            let (send, receive) = (slice(&message(own, next, size)), place(size));
            group.send_recv(&send, next, &receive, previous).unwrap().wait().unwrap();
            assert!(bytes(&receive) == message(previous, own, size));
            let gathered = place(3 * size);
            group.all_gather(&send, &gathered).unwrap().wait().unwrap();
            assert!(bytes(&gathered)[own * size..][..size] == bytes(&send));
        }
        let kept: usize =
            sent.iter().filter(|(event, _)| event.is_done()).map(|(_, len)| len).sum();
        assert!(kept <= others.len() * (4 << 20), "{kept} bytes were sent without a receiver");
        member.barrier().unwrap();
        for from in &others {
            for number in 0..count {
                let received = place(len(number));
                member.recv(&received, *from).unwrap().wait().unwrap();
                assert!(bytes(&received) == message(*from, number, len(number)), "{number}");
            }
        }
        sent.into_iter().for_each(|(event, _)| event.wait().unwrap());
    });
    fixture.shutdown();
}

#[test]
fn an_exchange_reaches_all_members_and_overlaps_with_collectives() {
    each(|member, size| {
        let (own, members) = (member.rank(), member.size());
        let outgoing = |turn: usize| {
            let data = move |to: usize| slice(&message(own + turn, to, length(own, size)));
            (0..members).map(move |to| Message { peer: to, data: data(to), rows: None })
        };
        let place =
            |from: usize| Message { peer: from, data: place(length(from, size)), rows: None };
        // Two messages for each peer, the receives in another order of peers.
        let sends: Vec<Message> = outgoing(0).chain(outgoing(50)).collect();
        let receives: Vec<Message> =
            (0..members).rev().flat_map(|from| [place(from), place(from)]).collect();
        let event = member.exchange(&sends, &receives).unwrap();
        let shared = slice(&message(0, ALL, size));
        member.broadcast(&shared, 0).unwrap().wait().unwrap();
        event.wait().unwrap();
        assert!(event.is_done());
        for (at, Message { peer, data, .. }) in receives.iter().enumerate() {
            let turn = 50 * (at % 2);
            assert!(bytes(data) == message(peer + turn, own, length(*peer, size)), "from {peer}");
        }
    });
}

#[test]
fn long_messages_of_gpus_are_read_from_rows_and_written_to_rows() {
    for ((name, plane), members) in on_gpus() {
        let fixture = plane(members);
        fixture.run(|member| {
            let own = member.rank();
            // The same 3.5 MB in rows of two lengths.
            let (sent, received) =
                (Rows { len: 700, pitch: 1024 }, Rows { len: 1400, pitch: 1401 });
            let all = 700 * 5000;
            member.prepare().unwrap();
            let others = || (0..members).filter(|&peer| peer != own);
            if !others().all(|peer| member.takes_rows(peer, all, sent.pitch)) {
                println!("skipped: the members do not access each other's memory");
                return;
            }
            let span = |rows: Rows| (all / rows.len - 1) * rows.pitch + rows.len;
            let placed = |content: &[u8], rows: Rows, empty: u8| {
                let mut memory = vec![empty; span(rows)];
                for (row, bytes) in content.chunks(rows.len).enumerate() {
                    memory[row * rows.pitch..][..rows.len].copy_from_slice(bytes);
                }
                memory
            };
            let sends = others().map(|peer| {
                let data = slice(&placed(&message(own, peer, all), sent, 1));
                Message { peer, data, rows: Some(sent) }
            });
            let receives = others().map(|peer| {
                let data = slice(&vec![9; span(received)]);
                Message { peer, data, rows: Some(received) }
            });
            let (sends, receives): (Vec<_>, Vec<_>) = (sends.collect(), receives.collect());
            member.exchange(&sends, &receives).unwrap().wait().unwrap();
            for Message { peer, data, .. } in &receives {
                let expected = placed(&message(*peer, own, all), received, 9);
                assert!(bytes(data) == expected, "{name}, from {peer}");
            }
        });
        fixture.shutdown();
    }
}

#[test]
fn groups_of_gpus_are_split_and_take_slices_of_the_host_too() {
    for ((_, plane), members) in on_gpus() {
        let fixture = plane(members);
        fixture.run(|member| {
            let own = member.rank();
            let reversed = member.split(Some(0), (members - own) as u32).unwrap().unwrap();
            let all = place(members);
            reversed.all_gather(&slice(&[own as u8]), &all).unwrap().wait().unwrap();
            let expected: Vec<u8> = (0..members as u8).rev().collect();
            assert_eq!(bytes(&all), expected);
            let alone = member.split(Some(own as u32), 0).unwrap().unwrap();
            let data = slice(&5i64.to_ne_bytes());
            alone.all_reduce(&data, DType::I64, Monoid::Add).unwrap().wait().unwrap();
            assert_eq!(bytes(&data), 5i64.to_ne_bytes());
            let host = |bytes: &[u8]| Buffer::from_vec(bytes.to_vec()).whole();
            let gathered = host(&vec![0; members]);
            member.all_gather(&host(&[own as u8]), &gathered).unwrap().wait().unwrap();
            assert!(bytes(&gathered).into_iter().rev().eq(expected));
        });
        fixture.shutdown();
    }
}

#[test]
fn a_split_orders_members_by_key_and_its_groups_do_not_mix() {
    for (_, plane) in PLANES {
        let fixture = plane(5);
        fixture.run(|member| {
            let own = member.rank();
            let color = if own == 2 { None } else { Some(own as u32 % 2) };
            for round in 0..3u8 {
                let group = member.split(color, 10 - own as u32).unwrap();
                // Member 2 stays out; 1 and 3 are one group, 0 and 4 the other, in reversed order.
                let Some(group) = group else {
                    assert_eq!(own, 2);
                    continue;
                };
                assert_eq!((group.size(), group.rank()), (2, usize::from(own < 2)));
                let all = place(2);
                group.all_gather(&slice(&[own as u8 + round]), &all).unwrap().wait().unwrap();
                let expected =
                    if own % 2 == 0 { [4 + round, round] } else { [3 + round, 1 + round] };
                assert_eq!(bytes(&all), expected);
                let alone = group.split(Some(own as u32), 0).unwrap().unwrap();
                assert_eq!((alone.size(), alone.plane()), (1, "local"));
                alone.barrier().unwrap();
            }
            let all = member.split(Some(0), 0).unwrap().unwrap();
            assert_eq!((all.size(), all.rank()), (5, own));
            all.barrier().unwrap();
        });
        fixture.shutdown();
    }
}
