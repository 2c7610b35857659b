//! Copies between the host and a GPU, where there is one.

use crate::executor::device;
use phalanx_device::copy_slice;

/// The host overwrites the source of a copy while the device is still busy with earlier work. If
/// the copy read the source later, a kernel would find positions outside of its buffers.
#[test]
fn bytes_are_taken_over_when_a_copy_returns() {
    let Some(device) = device() else { return };
    let half = 1 << 29;
    let large = device.clone().allocate(2 * half).expect("a GPU has a gibibyte");
    let lengths =
        [1, 8, 100, 4096, 65_535, 65_536, 65_537, 1 << 18, (1 << 20) - 1, 1 << 20, 40 << 20];
    let byte = |at: usize| (at % 251) as u8;
    for length in lengths {
        let mut given: Vec<u8> = (0..length).map(byte).collect();
        let told = device.upload(&vec![7; length]).expect("there is room");
        for _ in 0..20 {
            copy_slice(&large.slice(0, half), &large.slice(half, half));
        }
        let filled = device.upload(&given).expect("there is room");
        told.write(0, &given);
        given.fill(0xFF);
        for (buffer, what) in [(filled, "new"), (told, "known")] {
            let mut found = vec![0; length];
            buffer.read(0, &mut found);
            let wrong = (0..length).find(|&at| found[at] != byte(at));
            assert_eq!(wrong, None, "{length} bytes to {what} memory");
        }
    }
    assert!(device.failure().is_none(), "{:?}", device.failure());
}
