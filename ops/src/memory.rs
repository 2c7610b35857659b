//! Checks whether the host has memory, before large requests.
//!
//! A failed allocation ends the process, in our code or in a library. So code that needs memory in
//! proportion to the program's data checks here first, and refuses the request instead.

use std::hint::black_box;

/// The bytes that plans, messages and threads need beside a request.
pub const BESIDE: usize = 16 << 20;
/// Requests of fewer bytes are not checked.
const SMALL: usize = 1 << 20;

/// Whether the host can provide this many bytes now, and `BESIDE` more. The check takes a few
/// microseconds. Small requests, such as 0, always pass.
///
/// ```
/// # use phalanx_ops::memory::has_room;
/// assert!(has_room(1 << 21));
/// assert!(!has_room(usize::MAX / 4));
/// ```
pub fn has_room(bytes: usize) -> bool {
    bytes < SMALL || can_be_given(bytes.saturating_add(BESIDE))
}

/// Whether the host can still provide `BESIDE` bytes.
pub fn has_some_left() -> bool {
    can_be_given(BESIDE)
}

/// Allocates and frees the bytes. Pages that are never touched cost nothing.
fn can_be_given(bytes: usize) -> bool {
    let mut probe: Vec<u8> = Vec::new();
    let is_given = probe.try_reserve_exact(bytes).is_ok();
    // The compiler may remove an unused allocation.
    black_box(probe.as_mut_ptr());
    is_given
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn much_is_asked_for_and_little_is_not() {
        assert!(has_room(0));
        assert!(has_room(SMALL));
        assert!(has_some_left());
        assert!(!has_room(isize::MAX as usize));
        assert!(!has_room(usize::MAX));
    }
}
