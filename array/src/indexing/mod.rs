//! Indexing: basic and advanced, by positions and by masks, for reading and writing.

mod advanced;
mod basic;
mod combine;
mod find;
mod mask;
mod positions;

pub use advanced::{AnyIndex, IntoAnyIndex, ix_};
pub use basic::{Ellipsis, IndexItem, IndexItems, NewAxis, with_step};
pub(crate) use combine::combine_at;
pub use find::{
    argwhere, choose, compress, extract, flatnonzero, nonzero, place, ravel_multi_index,
    ravel_multi_index_in, try_place, unravel_index, unravel_index_in,
};
pub use positions::{Mode, put_along_axis, take, take_along_axis, try_put_along_axis};
pub(crate) use positions::{checked_positions, operand_array};
