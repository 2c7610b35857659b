//! Data beyond the range of MPI's counts. The world's limits can be set to a few bytes for this.
//! Runs under a launcher, started by `launch`.

use crate::fixture::{bytes, library, mpi, place, slice};
use phalanx_collectives::{Communicator, Message};
use phalanx_ops::{DType, Monoid};

/// The most bytes of a collective on a member, and the length of a message's parts.
const LIMIT: usize = 100;

fn message(from: usize, to: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 7 + from * 31 + to * 13) as u8).collect()
}

#[test]
fn data_beyond_the_counts_of_mpi_arrive() {
    let Some(library) = library() else {
        println!("skipped: this runs under a launcher of MPI");
        return;
    };
    let fixture = mpi(library.size());
    fixture.worlds[0].limit_native_collectives(LIMIT);
    fixture.run(|member| {
        let (own, size) = (member.rank(), member.size());
        for len in [0, 1, LIMIT - 1, LIMIT, LIMIT + 1, 5 * LIMIT + 3] {
            let root = len % size;
            let data = slice(&message(own, 0, len));
            member.broadcast(&data, root).unwrap().wait().unwrap();
            assert!(bytes(&data) == message(root, 0, len), "broadcast of {len} bytes");
            gathers(member, len, root);
            exchanges(member, len);
            let data = slice(&vec![1; 8 * len]);
            member.all_reduce(&data, DType::U64, Monoid::Max).unwrap().wait().unwrap();
            assert!(bytes(&data) == vec![1; 8 * len]);
        }
        assert!(size > 1 && own < size);
    });
    fixture.shutdown();
}

fn gathers(member: &dyn Communicator, len: usize, root: usize) {
    let (own, size) = (member.rank(), member.size());
    let counts: Vec<usize> = (0..size).map(|rank| len * (rank % 2)).collect();
    let parts: Vec<u8> = (0..size).flat_map(|rank| message(rank, 1, counts[rank])).collect();
    let (part, whole) = (slice(&message(own, 1, counts[own])), place(parts.len()));
    member.all_gather_v(&part, &whole, &counts).unwrap().wait().unwrap();
    assert!(bytes(&whole) == parts, "all_gather of {len} bytes");
    let (whole, back) = (place(parts.len()), place(counts[own]));
    let whole = (own == root).then_some(&whole);
    member.gather_v(&part, whole, &counts, root).unwrap().wait().unwrap();
    assert!(whole.is_none_or(|whole| bytes(whole) == parts), "gather of {len} bytes");
    member.scatter_v(whole, &back, &counts, root).unwrap().wait().unwrap();
    assert!(bytes(&back) == bytes(&part), "scatter of {len} bytes");
}

/// Some pairs have short parts, others long ones.
fn exchanges(member: &dyn Communicator, len: usize) {
    let (own, size) = (member.rank(), member.size());
    let count = |from: usize, to: usize| {
        if (from + 2 * to).is_multiple_of(3) { len } else { (from + to) % 3 }
    };
    let sent: Vec<usize> = (0..size).map(|to| count(own, to)).collect();
    let received: Vec<usize> = (0..size).map(|from| count(from, own)).collect();
    let parts: Vec<u8> = (0..size).flat_map(|to| message(own, to, sent[to])).collect();
    let expected: Vec<u8> = (0..size).flat_map(|from| message(from, own, received[from])).collect();
    let (send, receive) = (slice(&parts), place(expected.len()));
    member.all_to_all_v(&send, &sent, &receive, &received).unwrap().wait().unwrap();
    assert!(bytes(&receive) == expected, "all_to_all of {len} bytes");
}

#[test]
fn data_beyond_the_parts_of_a_message_arrive() {
    let Some(library) = library() else {
        println!("skipped: this runs under a launcher of MPI");
        return;
    };
    let fixture = mpi(library.size());
    fixture.worlds[0].limit_message_parts(LIMIT);
    fixture.run(|member| {
        let (own, size) = (member.rank(), member.size());
        let (next, last) = ((own + 1) % size, (own + size - 1) % size);
        for parts in 0..4 {
            for len in (LIMIT * parts).saturating_sub(1)..=LIMIT * parts + 1 {
                let (send, receive) = (slice(&message(own, next, len)), place(len));
                member.send_recv(&send, next, &receive, last).unwrap().wait().unwrap();
                assert!(bytes(&receive) == message(last, own, len), "{len} bytes");
                // Two messages of one pair at the same time, the second of another length.
                let other = slice(&message(own, own, len + LIMIT));
                let also = place(len + LIMIT);
                let to = |data| Message { peer: next, data, rows: None };
                let from = |data| Message { peer: last, data, rows: None };
                let sends = [to(send), to(other)];
                let receives = [from(receive.clone()), from(also.clone())];
                member.exchange(&sends, &receives).unwrap().wait().unwrap();
                assert!(bytes(&receive) == message(last, own, len), "{len} bytes before others");
                assert!(bytes(&also) == message(last, last, len + LIMIT), "{len} bytes and more");
            }
        }
    });
    fixture.shutdown();
}
