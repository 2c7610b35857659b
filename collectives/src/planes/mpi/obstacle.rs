//! The reasons why a library does not receive addresses of GPU memory.

/// Why a library does not receive addresses of GPU memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Obstacle {
    Forbidden,
    Denied,
    Silent,
    Threads,
    Memory,
    Refused,
    Late,
    Wrong,
}

impl Obstacle {
    pub(super) const ALL: [Obstacle; 8] = [
        Obstacle::Forbidden,
        Obstacle::Denied,
        Obstacle::Silent,
        Obstacle::Threads,
        Obstacle::Memory,
        Obstacle::Refused,
        Obstacle::Late,
        Obstacle::Wrong,
    ];

    /// A description for users.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Obstacle::Forbidden => "PHALANX_MPI_CUDA is 0, or CUDA is disabled in Open MPI",
            Obstacle::Denied => "the MPI library says that it does not accept GPU memory",
            Obstacle::Silent => "the MPI library does not say whether it accepts GPU memory",
            Obstacle::Threads => "the MPI library allows only one thread to call it",
            Obstacle::Memory => "the GPU had no element to exchange",
            Obstacle::Refused => "the MPI library failed to exchange an element of GPU memory",
            Obstacle::Late => "an element of GPU memory did not arrive in time",
            Obstacle::Wrong => "an element of GPU memory arrived with another value",
        }
    }

    /// Wire code of an outcome; 0 means success.
    pub(super) fn code(outcome: Result<(), Obstacle>) -> u8 {
        let of = |obstacle| Obstacle::ALL.iter().position(|one| *one == obstacle);
        outcome.err().and_then(of).map_or(0, |at| at as u8 + 1)
    }

    pub(super) fn of(code: u8) -> Option<Obstacle> {
        usize::from(code).checked_sub(1).and_then(|at| Obstacle::ALL.get(at)).copied()
    }

    /// The obstacle known before a trial, from the user's setting and the library's answer.
    pub(crate) fn before(forced: Option<bool>, says: Option<bool>) -> Result<(), Obstacle> {
        match (forced, says) {
            (Some(false), _) => Err(Obstacle::Forbidden),
            (Some(true), _) | (None, Some(true)) => Ok(()),
            (None, Some(false)) => Err(Obstacle::Denied),
            (None, None) => Err(Obstacle::Silent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_tried_that_the_library_does_not_say_and_the_user_does_not_force() {
        use Obstacle::{Denied, Forbidden, Silent};
        for (forced, says, expected) in [
            (None, Some(true), Ok(())),
            (None, Some(false), Err(Denied)),
            (None, None, Err(Silent)),
            (Some(true), Some(false), Ok(())),
            (Some(true), None, Ok(())),
            (Some(false), Some(true), Err(Forbidden)),
            (Some(false), None, Err(Forbidden)),
        ] {
            assert_eq!(Obstacle::before(forced, says), expected, "{forced:?} {says:?}");
        }
    }
}
