//! The plane `local`: members are threads of one process and read each other's memory.

mod barrier;
mod board;
mod collectives;
#[cfg(test)]
mod tests;

pub(crate) use board::Boards;
pub(crate) use collectives::LocalGroup;
