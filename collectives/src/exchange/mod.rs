//! Exchanges: how processes that a launcher has started pass one text from rank 0 to all before
//! they are connected. The text holds rank 0's address and the secret.
//!
//! Each way is an [`Exchange`]: PMIx, PMI-1, a file that all can open, and MPI. No way interprets
//! the text.

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
