//! The checked part of `src/planes/local`, and the checks.

#[path = "../../../src/planes/local/barrier.rs"]
mod barrier;
#[allow(dead_code, reason = "tests reach a part of it")]
#[path = "../../../src/planes/local/board.rs"]
mod board;
mod checks;
