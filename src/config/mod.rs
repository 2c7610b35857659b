//! The configuration of a session.
//!
//! `settings` has the configuration itself, `meeting` the part about other processes, and `error`
//! the errors. `read` is the one place where the environment is read. It parses the variables
//! (`variables`) with the file of the secret (`token`) and the process's own place
//! (`own_placement`), and adds what depends on the machine and the launcher: the ways by which
//! processes can meet (`ways`), the price table (`price_file`), and MPI's abilities (`mpi`).
//! `addresses` finds the addresses of this machine.

mod addresses;
mod error;
mod meeting;
mod mpi;
mod own_placement;
mod price_file;
mod read;
mod settings;
mod token;
mod variables;
mod ways;

pub use crate::environment::{Devices, MeetingWay, MemoryLimit};
pub(crate) use addresses::{address_beside, interface_of};
pub use error::{ConfigError, IntroductionFlaw, TokenFlaw};
pub use meeting::{Left, Listener, Meeting, Startup, Way};
pub use mpi::{mpi_gpus, mpi_library};
pub use phalanx_collectives::{Transport, mpi::MpiOptions};
pub use phalanx_device::blas::BlasChoice;
pub use phalanx_device::cuda::CudaOptions;
pub use phalanx_device::instructions::Level as InstructionLevel;
pub use read::{
    cuda_packages, falls_back, unknown_variables, unknown_warning, variables_in_effect,
};
pub use settings::Config;
