//! Connections that break, and bytes that no process of this version sends.

use crate::wire::Wire;
use crate::world::{Ended, World, free_address};

trials![
    a_closed_connection_is_an_error_on_every_rank,
    a_truncated_frame_is_an_error_on_every_rank,
    frames_that_no_rank_has_made_are_an_error_on_every_rank,
    a_flipped_bit_is_an_error_on_every_rank,
    a_bit_flipped_while_ranks_meet_is_an_error_on_every_rank,
];

/// A header as processes send it, but for its number and its code.
pub fn header(kind: u8, from: u32, to: u32, value: u64, payload: u32) -> Vec<u8> {
    let mut bytes = vec![0; 64];
    bytes[0] = kind;
    bytes[4..8].copy_from_slice(&payload.to_le_bytes());
    bytes[8..12].copy_from_slice(&from.to_le_bytes());
    bytes[12..16].copy_from_slice(&to.to_le_bytes());
    bytes[32..40].copy_from_slice(&value.to_le_bytes());
    bytes
}

/// A world of three in which something happens on the way from rank 1 to rank 0.
fn damaged(damage: impl FnOnce(&Wire)) -> Vec<Ended> {
    let address = free_address();
    let wire = Wire::to(address.clone());
    let world = World::of(3, "go_on", &["split"]).set("PHALANX_ADDRESS", address);
    let mut running = world.set_on(1, "PHALANX_ADDRESS", wire.address.clone()).start();
    // Some 400 ms, twice as long as ranks take to report their activities.
    (0..3).for_each(|rank| running.wait_for(rank, "turn 200"));
    damage(&wire);
    running.end()
}

/// The error of all ranks.
fn assert_all(ended: &[Ended], code: &str, beginning: &str) {
    for rank in ended {
        let error = rank.error(code);
        assert!(error.starts_with(beginning), "{ended:#?}");
    }
}

/// Ranks 0 and 1 have lost each other. The rank that notices it first names the other one to all
/// ranks, perhaps before the other one notices it.
fn assert_lost(ended: &[Ended]) {
    let names = |rank: usize, lost: usize| {
        let told = format!("rank {lost} died, last reported at step ");
        ended[rank].error("PX060").starts_with(&told)
    };
    assert!((0..3).all(|rank| names(rank, 0) || names(rank, 1)), "{ended:#?}");
    assert!(names(0, 1) || names(1, 0), "{ended:#?}");
}

fn a_closed_connection_is_an_error_on_every_rank() {
    assert_lost(&damaged(Wire::close));
}

fn a_truncated_frame_is_an_error_on_every_rank() {
    let ended = damaged(|wire| {
        wire.inject(&header(0, 1, 0, 0, 512)[..10]);
        wire.close();
    });
    assert_lost(&ended);
}

fn frames_that_no_rank_has_made_are_an_error_on_every_rank() {
    let frames = [
        header(1, 1, 0, 1 << 63, 0),
        header(3, 1, 0, 1 << 63, 0),
        header(4, 0, 0, 0, u32::MAX),
        b"GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nUser-Agent: none\r\n\r\n".to_vec(),
    ];
    for frame in frames {
        let ended = damaged(|wire| wire.inject(&frame));
        assert_all(&ended, "PX077", "rank 1 sent a malformed frame: the head of frame ");
    }
}

fn a_flipped_bit_is_an_error_on_every_rank() {
    // Heads, codes, lengths, array bytes and checksums, of whatever is on its way.
    for (at, there) in [(0, true), (5, false), (33, true), (77, false), (300, true), (1003, false)]
    {
        for bit in [at % 8, (at + 3) % 8] {
            let ended = damaged(|wire| wire.flip(at, bit, there));
            let sender = if there { 1 } else { 0 };
            assert_all(&ended, "PX077", &format!("rank {sender} sent a malformed frame: "));
        }
    }
}

fn a_bit_flipped_while_ranks_meet_is_an_error_on_every_rank() {
    // After the messages by which both ends prove the token.
    let of_rank_1 = [80, 84, 95, 108, 115, 400].map(|at| (at, true));
    let of_rank_0 = [73, 77, 88, 101, 108, 400].map(|at| (at, false));
    for (at, there) in of_rank_1.into_iter().chain(of_rank_0) {
        let address = free_address();
        let wire = Wire::to(address.clone());
        wire.flip(at, at % 8, there);
        let world = World::of(3, "nothing", &[]).set("PHALANX_ADDRESS", address);
        let ended = world.set_on(1, "PHALANX_ADDRESS", wire.address.clone()).run();
        let sender = if there { 1 } else { 0 };
        assert_all(&ended, "PX077", &format!("rank {sender} sent a malformed frame: "));
    }
}
