//! The third of the cases of long tests that is due for a commit, which `PHALANX_TEST_TURN`
//! decides; without it all are.

use phalanx_ops::DType;

/// Whether the case with a number is due.
pub fn is_due(number: usize) -> bool {
    let turn = std::env::var("PHALANX_TEST_TURN").ok().and_then(|turn| turn.parse::<usize>().ok());
    turn.is_none_or(|turn| (number + turn).is_multiple_of(3))
}

/// The dtypes that are due.
pub fn due_dtypes() -> impl Iterator<Item = DType> {
    let due = |(number, _): &(usize, DType)| is_due(*number);
    DType::ALL.iter().copied().enumerate().filter(due).map(|(_, dtype)| dtype)
}
