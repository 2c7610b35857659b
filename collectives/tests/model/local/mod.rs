//! The checked part of `src/local`, and the checks.

#[path = "../../../src/local/barrier.rs"]
mod barrier;
#[allow(dead_code, reason = "tests reach a part of it")]
#[path = "../../../src/local/board.rs"]
mod board;
mod checks;
