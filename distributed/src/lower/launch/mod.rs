//! Kernels of the user's own: on the first device of the mesh, which gets whole arrays, or on every
//! device, with its blocks.

mod launches;

pub(super) use launches::Launches;
