//! Images of any number of axes: SciPy's `ndimage`.
//!
//! Filters combine the elements around each element. An image stays on its devices: they exchange
//! the elements at the borders of their blocks.

mod distances;
mod labels;
mod points;
mod windows;

pub use distances::nearest_along;
pub use labels::label;
pub use phalanx_ops::structured::{Border, Outside, WINDOW_AXES};
pub use points::interpolate;
pub use windows::{Window, WindowOptions, window_filter};
