//! Functions of functions and of conditions: NumPy's `apply_along_axis`, `piecewise` and `select`.

mod apply;
mod choices;

pub use apply::{apply_along_axis, apply_over_axes};
pub use choices::{Piece, piecewise, piecewise_by, select_list};
