//! Connections that break, and bytes that no process of this version sends.

use crate::wire::Wire;
use crate::world::{Ended, World, free_address};

trials![
    a_closed_connection_is_an_error_on_every_rank,
    a_truncated_frame_is_an_error_on_every_rank,
    a_message_of_2_to_63_bytes_is_an_error_on_every_rank,
    bytes_at_2_to_63_are_an_error_on_every_rank,
    a_text_of_2_to_63_bytes_is_an_error_on_every_rank,
    frames_of_another_protocol_are_an_error_on_every_rank,
    a_peer_of_another_version_is_refused,
];

/// A header as processes send it.
pub fn header(kind: u8, from: u32, to: u32, value: u64, payload: u32) -> Vec<u8> {
    let mut bytes = vec![0; 40];
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
    let wire = Wire::to(address.clone(), None);
    let world = World::of(3, "go_on", &["split"]).set("PHALANX_ADDRESS", address);
    let mut running = world.set_on(1, "PHALANX_ADDRESS", wire.address.clone()).start();
    // Some 400 ms, twice as long as ranks take to tell each other what they do.
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

fn a_closed_connection_is_an_error_on_every_rank() {
    let ended = damaged(Wire::close);
    assert!(ended[0].error("PX060").starts_with("rank 1 died at step "), "{ended:#?}");
    assert!(ended[1].error("PX060").starts_with("rank 0 died at step "), "{ended:#?}");
    ended[2].error("PX060");
}

fn a_truncated_frame_is_an_error_on_every_rank() {
    let ended = damaged(|wire| {
        wire.inject(&header(0, 1, 0, 0, 512)[..10]);
        wire.close();
    });
    let error = ended[0].error("PX060");
    assert!(error.starts_with("rank 1 died at step "), "{error}");
    ended[1].error("PX060");
    ended[2].error("PX060");
}

fn a_message_of_2_to_63_bytes_is_an_error_on_every_rank() {
    let ended = damaged(|wire| wire.inject(&header(1, 1, 0, 1 << 63, 0)));
    let told = "member 1 sent 9223372036854775808 bytes where member 0 expected ";
    assert_all(&ended, "PX072", told);
}

fn bytes_at_2_to_63_are_an_error_on_every_rank() {
    let ended = damaged(|wire| wire.inject(&header(3, 1, 0, 1 << 63, 0)));
    assert_all(&ended, "PX077", "rank 1 sent a malformed frame: bytes of an unknown message");
}

fn a_text_of_2_to_63_bytes_is_an_error_on_every_rank() {
    // What a rank does, with a text of so many bytes.
    let text: Vec<u8> = [&[5, 0, 253][..], &(1u64 << 63).to_le_bytes()].concat();
    let frame = [header(4, 0, 0, 0, text.len() as u32), text].concat();
    let ended = damaged(|wire| wire.inject(&frame));
    assert_all(&ended, "PX077", "rank 1 sent a malformed frame: ");
    // A frame that claims more than any may have.
    let ended = damaged(|wire| wire.inject(&header(4, 0, 0, 0, u32::MAX)));
    assert_all(&ended, "PX077", "rank 1 sent a malformed frame: 4294967295 bytes in a frame");
}

fn frames_of_another_protocol_are_an_error_on_every_rank() {
    let ended =
        damaged(|wire| wire.inject(b"GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n"));
    assert_all(&ended, "PX077", "rank 1 sent a malformed frame: unknown kind 71");
}

fn a_peer_of_another_version_is_refused() {
    let own = env!("CARGO_PKG_VERSION").as_bytes();
    let other: &[u8] = b"9.9.9";
    assert_eq!(own.len(), other.len(), "another version of the same length is needed");
    let address = free_address();
    let wire = Wire::to(address.clone(), Some((own, other)));
    let world = World::of(2, "nothing", &[]).set("PHALANX_ADDRESS", address);
    let ended = world.set_on(1, "PHALANX_ADDRESS", wire.address.clone()).run();
    assert_all(&ended, "PX068", "version differs: ");
    assert!(ended[0].error("PX068").ends_with(" on rank 0, 9.9.9 on rank 1"), "{ended:#?}");
}
