//! Indexing: basic and advanced, by positions and by masks, for reading and writing.

mod advanced;
mod along_axis;
mod basic;
mod combine;
mod find;
mod flat;
mod linear;
mod mask;
mod positions;
mod take;

pub use advanced::{AnyIndex, IntoAnyIndex, ix_};
pub use along_axis::{put_along_axis, take_along_axis, try_put_along_axis};
pub use basic::{Ellipsis, IndexItem, IndexItems, NewAxis, element_index, with_step};
pub(crate) use combine::combine_at;
pub use find::{
    argwhere, choose, compress, extract, flatnonzero, nonzero, place, ravel_multi_index,
    ravel_multi_index_in, try_place, unravel_index, unravel_index_in,
};
pub use flat::flat_coordinates;
pub use positions::Mode;
pub(crate) use positions::{check_integers, checked_positions, operand_array};
pub use take::{take, take_into};
