//! Bad input, missing ranks, killed ranks, short memory: an error with a code on every rank, and
//! nothing left behind.
//!
//! | Fault | Error of the others | Where |
//! |---|---|---|
//! | `kill -9` | PX060, within 5 s | `killing`; under mpirun `mpi` |
//! | `SIGSTOP` for ever | PX168, after `PHALANX_STALL`; named before | `silence`; `mpi` |
//! | `SIGSTOP` for a while | none; named after 5 s | `silence` |
//! | a rank that is slow | none | `silence` |
//! | a closed connection, a truncated frame | PX060 | `damage` |
//! | a frame that claims 2^63 bytes | PX072 or PX077 | `damage` |
//! | bytes of another protocol | PX077 | `damage` |
//! | a wrong token | PX064, PX066 | `start_up` |
//! | a peer of another version | PX068 | `damage` |
//! | other operations, shapes or dtypes on one rank | PX062 | `divergence` |
//! | an error, an exception or a panic on one rank | PX062, PX063 | `divergence`, Python's tests |
//! | a full disk under an output file | PX081, PX032 | `input`; a checkpoint: `restart` |
//! | a call that does not return | PX060, after 10 s more | tests of the collectives |
//! | any of them, at any moment | one of them | `random`; `mpi` |

pub mod damage;
pub mod input;
pub mod killing;
pub mod memory;
pub mod random;
pub mod restart;
pub mod silence;
pub mod start_up;
