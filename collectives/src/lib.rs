//! Moves bytes between the devices of a world: planes, algorithms, tickets and rendezvous.
//!
//! Knows byte counts, dtypes and monoids; never shapes, shardings or graphs.
//!
//! A process meets the others in a [`Rendezvous`] (or is alone: [`World::local`]) and gets a
//! [`World`], which has one [`Communicator`] for each device of the process. Groups whose members
//! are threads of one process read each other's memory; all others exchange messages, within a
//! process by one copy and between processes by MPI or over TCP. What lies on GPUs goes by NCCL,
//! where all processes have it and every member has a GPU of its own, else by MPI, from GPU to GPU
//! where that is proved ([`World::attach`]).

mod agreement;
mod algorithms;
mod aside;
mod chunks;
mod combine;
mod communicator;
mod counting;
mod error;
mod exchange;
mod failure;
mod fork;
mod gpu_path;
mod group;
mod lead;
mod local;
pub mod mpi;
mod nccl;
mod network;
mod open_files;
mod operation;
mod order;
mod prices;
mod private_file;
mod records;
mod rendezvous;
mod sync;
mod tickets;
mod transport;
mod wait;
mod world;

pub use combine::{reduce_into, reduce_onto};
pub use communicator::{Communicator, Message};
pub use counting::{Count, Counting, Counts};
pub use error::CollectiveError;
pub use exchange::{Exchange, ExchangeError, MeetingFile, MpiExchange, Pmi, Pmix};
pub use fork::Process;
pub use gpu_path::GpuPath;
pub use nccl::{cuda_sources, device_facts};
pub use network::{
    ReservedPort, address_towards, default_address, host_name, interface_address, resolved,
};
pub use operation::Operation;
pub use prices::{InvalidPrices, Price, Prices};
pub use private_file::{Links, PrivateFileError, read_private};
pub use records::{Recorded, RecordedOperation};
pub use rendezvous::{Rendezvous, Transport};
pub use tickets::{GivenData, Ticket, TicketKind};
pub use transport::Entered;
pub use world::{Facts, World};
