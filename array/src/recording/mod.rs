//! Recording of operations as nodes of the window of a mesh.
//!
//! The functions here take arguments that are already chosen: they resolve the loop, broadcast and
//! cast the operands, and order the axes of the result in memory. Methods and functions for users
//! are in the folders of their topics.

mod elementwise;
mod mesh;
mod node;
mod order;
mod power;
mod structured;

pub(crate) use elementwise::{by_loop, elementwise, elementwise_by, try_elementwise};
pub use mesh::NotInitialised;
pub(crate) use mesh::{
    check_meshes, check_shape, current_mesh, in_place_on_mesh_of, mesh_of, mesh_of_arrays,
    on_mesh_of,
};
pub(crate) use node::{of_known, record, record_as};
pub(crate) use order::{copy_order, in_order, memory_order, order_of_strides};
pub(crate) use power::refuse_negative;
pub(crate) use structured::{
    line, line_axis, record_along, record_product, record_structured, stacked_alike,
    stacked_product, taken,
};
