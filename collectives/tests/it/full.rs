//! Tests that need too much memory for every run.

use crate::fixture::connected;
use phalanx_device::Buffer;

#[test]
fn a_message_longer_than_31_bits_arrives_whole() {
    if std::env::var_os("PHALANX_TEST_FULL").is_none_or(|value| value != "1") {
        println!("skipped: a message of 2^31 + 1 bytes needs PHALANX_TEST_FULL=1");
        return;
    }
    let len = (1usize << 31) + 1;
    let byte = |at: usize| (at ^ at >> 13 ^ at >> 29) as u8;
    for devices in [&[1, 1][..], &[2]] {
        let fixture =
            if devices.len() == 1 { crate::fixture::local(2) } else { connected(devices) };
        fixture.run(|member| {
            if member.rank() == 0 {
                let data = Buffer::from_vec((0..len).map(byte).collect::<Vec<u8>>());
                member.send(&data.whole(), 1).unwrap().wait().unwrap();
            } else {
                let data = Buffer::from_vec(vec![0u8; len]).whole();
                member.recv(&data, 0).unwrap().wait().unwrap();
                // SAFETY: the receive is over, and nothing else uses the buffer.
                let bytes = unsafe { data.bytes() };
                assert!(bytes.iter().enumerate().all(|(at, actual)| *actual == byte(at)));
            }
        });
        fixture.shutdown();
    }
}
