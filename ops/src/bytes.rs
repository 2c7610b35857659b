//! Numbers of bytes, which are not numbers of elements.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// A number of bytes. Its text has a binary unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Bytes(pub usize);

impl Bytes {
    /// The bytes of this many elements of `item` bytes each.
    pub const fn of(elements: usize, item: usize) -> Bytes {
        Bytes(elements * item)
    }

    /// The sum, or the largest number if it is larger than that.
    pub const fn saturating_add(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_add(other.0))
    }
}

impl Add for Bytes {
    type Output = Bytes;
    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Bytes) {
        *self = *self + other;
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Bytes>>(all: I) -> Bytes {
        all.fold(Bytes(0), Add::add)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut value = self.0 as f64;
        let mut unit = 0;
        while value >= 1024.0 && unit < 4 {
            value /= 1024.0;
            unit += 1;
        }
        f.pad(&match unit {
            0 => format!("{} B", self.0),
            _ => format!("{value:.1} {}", ["B", "KiB", "MiB", "GiB", "TiB"][unit]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_the_largest_unit_that_fits() {
        for (bytes, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (64 << 20, "64.0 MiB"),
            (3 << 29, "1.5 GiB"),
            (1 << 52, "4096.0 TiB"),
        ] {
            assert_eq!(Bytes(bytes).to_string(), text);
        }
        assert_eq!(format!("{:>10}|", Bytes(2048)), "   2.0 KiB|");
    }
}
