//! Whether the host has memory: where it has none, what asks for much is refused before it begins.
//!
//! An allocation that fails ends the process, wherever it stands and in whichever library. So what
//! takes memory that grows with the program's data asks here first.

use std::hint::black_box;

/// What small things need beside what is asked for: plans, messages, threads.
pub const BESIDE: usize = 16 << 20;
/// Fewer bytes are small things.
const SMALL: usize = 1 << 20;

/// Whether the host gives so many bytes just now, and leaves what small things need. A few
/// microseconds; 0 does not ask whether anything is left.
///
/// ```
/// # use phalanx_ops::memory::has_room;
/// assert!(has_room(1 << 21));
/// assert!(!has_room(usize::MAX / 4));
/// ```
pub fn has_room(bytes: usize) -> bool {
    bytes < SMALL || can_be_given(bytes.saturating_add(BESIDE))
}

/// Whether the host still has what small things need, after much was taken.
pub fn has_some_left() -> bool {
    can_be_given(BESIDE)
}

/// Asks the system and gives back. Pages that nobody touches cost nothing.
fn can_be_given(bytes: usize) -> bool {
    let mut probe: Vec<u8> = Vec::new();
    let is_given = probe.try_reserve_exact(bytes).is_ok();
    // An allocation that nobody looks at may be left out.
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
