//! The memory of LAPACK's routines, and the numbers that they write.

use crate::structured::number::Number;
use phalanx_device::blas::Kind;

/// The outcome of a routine: 0 is success. The integer of a library has 32 or 64 bits.
#[derive(Default)]
pub(super) struct Outcome(i64);

impl Outcome {
    pub(super) fn pointer(&mut self) -> *mut std::ffi::c_void {
        std::ptr::from_mut(&mut self.0).cast()
    }

    /// The number, of which the lower half is written in any case.
    pub(super) fn code(&self) -> i32 {
        self.0 as i32
    }

    /// `None` if the routine failed.
    pub(super) fn success(&self) -> Option<()> {
        (self.code() == 0).then_some(())
    }
}

/// Calls a routine that takes work and its length: first with the length -1, by which it asks for
/// work, then with as much.
pub(super) fn with_work<T: Number>(mut call: impl FnMut(&mut [T], i64)) {
    let mut asked = [T::of(0.0, 0.0)];
    call(&mut asked, -1);
    // A length that is not a number of the type may be rounded down.
    let length = asked[0].parts()[0] * (1.0 + f64::from(f32::EPSILON));
    let mut work = vec![T::of(0.0, 0.0); (length.ceil() as usize).max(1)];
    let length = work.len() as i64;
    call(&mut work, length);
}

/// Real numbers of a kind's precision.
pub(super) struct Reals {
    words: Vec<f64>,
    is_single: bool,
}

impl Reals {
    pub(super) fn new(kind: Kind, count: usize) -> Reals {
        let is_single = matches!(kind, Kind::S | Kind::C);
        Reals { words: vec![0.0; count.max(1)], is_single }
    }

    pub(super) fn pointer(&mut self) -> *mut std::ffi::c_void {
        self.words.as_mut_ptr().cast()
    }

    /// The number at a position.
    pub(super) fn get(&self, at: usize) -> f64 {
        if !self.is_single {
            return self.words[at];
        }
        let [a, b, c, d, e, f, g, h] = self.words[at / 2].to_ne_bytes();
        f64::from(f32::from_ne_bytes(if at.is_multiple_of(2) {
            [a, b, c, d]
        } else {
            [e, f, g, h]
        }))
    }
}

/// Integers of a library, of 32 or 64 bits.
pub(super) struct Integers {
    words: Vec<i64>,
    is_wide: bool,
}

impl Integers {
    pub(super) fn new(count: usize, is_wide: bool) -> Integers {
        Integers { words: vec![0; count.max(1)], is_wide }
    }

    pub(super) fn pointer(&mut self) -> *mut std::ffi::c_void {
        self.words.as_mut_ptr().cast()
    }

    /// The integer at a position.
    pub(super) fn get(&self, at: usize) -> i64 {
        if self.is_wide {
            return self.words[at];
        }
        let word = self.words[at / 2];
        i64::from(if at.is_multiple_of(2) { word as i32 } else { (word >> 32) as i32 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_libraries_write_them() {
        let mut reals = Reals::new(Kind::C, 3);
        let [first, second] = [1.5_f32, -2.0].map(f32::to_ne_bytes);
        reals.words[0] = f64::from_ne_bytes([first, second].concat().try_into().unwrap());
        assert_eq!([reals.get(0), reals.get(1)], [1.5, -2.0]);
        let integers = Integers { words: vec![0x3_0000_0007, 5], is_wide: false };
        assert_eq!([0, 1, 2].map(|at| integers.get(at)), [7, 3, 5]);
    }
}
