//! The table of the communicator on the plane `mpi`.
//!
//! The tests of `launch` start this program again under the launchers of MPI that are found, which
//! runs the table on four processes, and on their GPUs where there are any. Without a launcher the
//! table runs in one process, where its members are threads.

#[path = "../../../tests/absence.rs"]
mod absence;
mod beyond;
#[path = "../it/conformance.rs"]
mod conformance;
mod ending;
mod fixture;
mod gpus;
mod launch;
#[path = "../it/movement.rs"]
mod movement;
#[path = "../it/reference.rs"]
mod reference;
mod speed;
