//! How processes find each other, prove that they belong together, and agree.
//!
//! Rank 0 listens; the others connect to it and then to each other. Every connection starts with a
//! proof of the shared token, in frames of fixed size, before anything else is read. Rank 0
//! compares the settings that must be equal and sends all ranks the addresses of all ranks. If
//! something is wrong, it sends the error to all ranks that are present.

mod attend;
mod coordinate;
mod door;
mod frames;
mod greeting;
mod inquiry;
mod joined;
mod mesh;
mod readiness;
mod settings;
#[cfg(test)]
mod tests;
mod tls;
mod token;
mod transport;

pub(crate) use attend::attend;
pub(crate) use coordinate::coordinate;
pub(crate) use frames::Connection;
pub(crate) use joined::{Joined, Wish};
pub(crate) use readiness::{agreed_prices, facts, hosts};
pub use settings::Rendezvous;
pub use transport::Transport;
