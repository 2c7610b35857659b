//! How processes that a launcher has started pass one text from rank 0 to all, before they are
//! connected: where rank 0 waits, and the secret.
//!
//! Each way is an [`Exchange`]: PMIx, PMI-1, a file that all can open, and MPI. Nothing here
//! knows what the text says.

mod file;
mod mpi;
mod pmi;
mod pmix;
mod way;

pub use file::MeetingFile;
pub use mpi::MpiExchange;
pub use pmi::Pmi;
pub use pmix::Pmix;
pub use way::{Exchange, ExchangeError};
