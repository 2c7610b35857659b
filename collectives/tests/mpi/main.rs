//! The table of the communicator on the plane `mpi`.
//!
//! The tests of `launch` start this program again under the MPI launchers that are found. It then
//! runs the table in four processes, and on their GPUs if there are any. Without a launcher the
//! table runs in one process, whose threads are the members.

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
