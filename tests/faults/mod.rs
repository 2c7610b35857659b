//! Bad input, missing ranks, killed ranks, short memory: an error with a code on every rank, and
//! nothing left behind.
//!
//! | Fault | Error of the others | Where |
//! |---|---|---|
//! | `kill -9` | PX060, within 5 s | `killing`; under mpirun `mpi` |
//! | `SIGSTOP` for ever | PX168, after `PHALANX_STALL`; named before | `silence`; `mpi` |
//! | `SIGSTOP` while ranks meet | PX168, after the time for connecting and 2 s | `random` |
//! | `SIGSTOP` for a while | none; named after 5 s | `silence` |
//! | a rank that is slow | none | `silence` |
//! | a closed connection, a truncated frame | PX060 | `damage` |
//! | a frame that no rank has made, bytes of another protocol | PX077 | `damage` |
//! | a bit that changes on the way | PX077 | `damage` |
//! | a wrong token | PX064, PX066 | `start_up` |
//! | a peer of another version | PX068 | tests of the root package and of the collectives |
//! | other operations, shapes or dtypes on one rank | PX062 | `divergence`, over TCP and by MPI |
//! | an error, an exception or a panic on one rank | PX062, PX063 | `divergence`, Python's tests |
//! | a full disk under an output file | PX081, PX032 | `input`; a checkpoint: `restart` |
//! | a call that does not return | PX060, after 8 s more | tests of the collectives |
//! | a program that waits elsewhere | PX060, PX168, after 8 s more | those, and Python's |
//! | any of them, at any moment | one of them | `random`; `mpi` |

pub mod damage;
pub mod input;
pub mod killing;
pub mod left;
pub mod memory;
pub mod random;
pub mod restart;
pub mod silence;
pub mod start_up;
