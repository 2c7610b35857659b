//! Manipulation: other shapes, orders and arrangements of the elements of an array.

mod argument;
mod atleast;
mod axes;
mod block;
mod diagonal;
mod edit;
mod join;
mod order;
mod pad;
mod rearrange;
mod repeat;
mod runs;
mod shape;
mod split;
mod stack;
mod trim;
mod write;

pub use argument::{AxisList, Positions};
pub(crate) use argument::{
    along, at_least, axes_of, axis_of, refused, signed, sound, span, with_extent,
};
pub use atleast::{atleast_1d, atleast_2d, atleast_3d, atleast_nd};
pub(crate) use axes::common_shape;
pub use axes::{
    broadcast_arrays, broadcast_shapes, matrix_transpose, moveaxis, permute_dims, rollaxis,
    swapaxes,
};
pub use block::{Nested, block};
pub use edit::{append, delete, insert, resize};
pub(crate) use join::{blank, mesh_of_all, try_concatenate, write_part};
pub use join::{concat, concatenate, join_as};
pub use order::MemoryOrder;
pub use pad::{Ends, PadMode, PadWidths, Statistic, pad, pad_by};
pub use rearrange::{flip, fliplr, flipud, roll, roll_period, rot90, tile};
pub use repeat::{repeat, repeat_by, repeat_each};
pub use split::{Sections, array_split, dsplit, hsplit, split, unstack, vsplit};
pub use stack::{column_stack, dstack, hstack, row_stack, stack, vstack};
pub use trim::{Trim, trim_zeros};
pub use write::{copyto, fill_diagonal, putmask};
