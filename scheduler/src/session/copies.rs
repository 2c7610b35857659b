//! The copies of leaves that were moved, in the order of their last use.

use crate::moves::Moved;
use phalanx_ops::Bytes;
use phalanx_waiting::lock;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, Weak};

/// The most copies that are listed.
const MOST: usize = 256;

/// The copies that were made, the least recently used first. Equal on all ranks, whether the values
/// are alive or not.
#[derive(Default)]
pub(super) struct MovedCopies {
    copies: VecDeque<(Weak<Mutex<Moved>>, Bytes)>,
}

impl MovedCopies {
    /// Lists a copy, and makes room for it: all copies together take at most `most`.
    pub fn keep(&mut self, moved: &Arc<Mutex<Moved>>, bytes: Bytes, most: Bytes) {
        // A copy may be made again because the plan of the first one failed.
        self.copies.retain(|(copy, _)| copy.as_ptr() != Arc::as_ptr(moved));
        let mut taken = bytes + self.copies.iter().map(|(_, bytes)| *bytes).sum();
        while (taken > most || self.copies.len() >= MOST)
            && let Some((copy, bytes)) = self.copies.pop_front()
        {
            Self::free(&copy);
            taken = Bytes(taken.0 - bytes.0);
        }
        self.copies.push_back((Arc::downgrade(moved), bytes));
    }

    /// A window uses a copy.
    pub fn used(&mut self, moved: &Arc<Mutex<Moved>>) {
        let known = self.copies.iter().position(|(copy, _)| copy.as_ptr() == Arc::as_ptr(moved));
        if let Some(copy) = known.and_then(|known| self.copies.remove(known)) {
            self.copies.push_back(copy);
        }
    }

    /// Frees all copies.
    pub fn free_all(&mut self) {
        self.copies.drain(..).for_each(|(copy, _)| Self::free(&copy));
    }

    fn free(copy: &Weak<Mutex<Moved>>) {
        if let Some(moved) = copy.upgrade() {
            *lock(&moved) = Moved::Never;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use phalanx_graph::Node;
    use phalanx_ops::{DType, Sharding};

    fn kept() -> Arc<Mutex<Moved>> {
        let copy = Node::temporary([4][..].into(), DType::F64);
        Arc::new(Mutex::new(Moved::Kept(Sharding::replicated(1), copy)))
    }

    fn is_kept(moved: &Arc<Mutex<Moved>>) -> bool {
        matches!(*lock(moved), Moved::Kept(..))
    }

    #[test]
    fn the_least_recently_used_copies_make_room() {
        let mut copies = MovedCopies::default();
        let values: Vec<_> = (0..4).map(|_| kept()).collect();
        for value in &values[..3] {
            copies.keep(value, Bytes(10), Bytes(30));
        }
        assert!(values.iter().all(is_kept));
        copies.used(&values[0]);
        copies.keep(&values[3], Bytes(15), Bytes(30));
        let left: Vec<bool> = values.iter().map(is_kept).collect();
        assert_eq!(left, [true, false, false, true], "the first was used");
        copies.free_all();
        assert!(!is_kept(&values[3]));
    }

    #[test]
    fn the_copy_of_a_freed_value_takes_its_room_until_it_is_the_least_recently_used() {
        let mut copies = MovedCopies::default();
        let (first, second, third) = (kept(), kept(), kept());
        copies.keep(&first, Bytes(10), Bytes(20));
        copies.keep(&second, Bytes(10), Bytes(20));
        drop(second);
        copies.used(&first);
        copies.keep(&third, Bytes(10), Bytes(20));
        assert!(is_kept(&first) && is_kept(&third));
    }
}
