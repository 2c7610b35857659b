//! Moves bytes between the devices of a world: planes, algorithms, tickets and rendezvous.
//!
//! Knows byte counts, dtypes and monoids; never shapes, shardings or graphs.
//!
//! A process meets the others in a [`Rendezvous`] (or is alone: [`World::local`]) and gets a
//! [`World`], which has one [`Communicator`] for each device of the process. In a communicator
//! group whose members are threads of one process, members read each other's memory. Other groups
//! exchange messages: by one copy within a process, by MPI or TCP between processes. GPU memory
//! travels by NCCL if all processes have it and each member has its own GPU; otherwise by MPI, from
//! GPU to GPU if an exchange proves that this works ([`World::attach`]), or through the host.

mod algorithms;
mod aside;
mod call;
mod chunks;
mod combine;
mod communicator;
mod error;
mod exchange;
mod facts;
mod failure;
mod fork;
mod gpu_path;
mod group;
mod join;
mod lead;
mod network;
mod observed;
mod open_files;
mod operation;
mod order;
mod planes;
mod prices;
mod private_file;
mod records;
mod rendezvous;
mod seed;
mod sync;
mod tickets;
mod transport;
mod wait;
mod world;

pub use combine::{reduce_into, reduce_onto};
pub use communicator::{Communicator, Message, Rows};
pub use error::CollectiveError;
pub use exchange::{Exchange, ExchangeError, MeetingFile, MpiExchange, Pmi, Pmix};
pub use facts::Facts;
pub use fork::Process;
pub use gpu_path::{GpuPath, LOCAL_GPUS_PRICE, MPI_PRICE, NCCL_PRICE};
pub use network::{
    ReservedPort, address_towards, default_address, host_name, interface_address, resolved,
};
pub use observed::{Count, Counts, Observed, Observer};
pub use operation::Operation;
pub use planes::mpi;
pub use planes::nccl::{cuda_sources, device_facts};
pub use prices::{InvalidPrices, Price, Prices};
pub use private_file::{Links, PrivateFileError, read_private};
pub use records::{Recorded, RecordedOperation};
pub use rendezvous::{Rendezvous, Transport};
pub use tickets::{GivenData, Ticket, TicketKind};
pub use transport::Entered;
pub use world::World;
