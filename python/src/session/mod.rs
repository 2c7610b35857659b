//! The session of the program, and what belongs to it: its GPUs, its notices, the agreement of its
//! processes.

pub mod agreement;
pub mod captures;
pub mod errstate;
pub mod functions;
pub mod gpus;
pub mod handles;
pub mod host_calls;
pub mod implicit_copy;
mod lifetime;
pub mod memory;
pub mod notices;

pub use lifetime::{
    cuda_options, device_count, device_name, ensure, gpu_count, has_local_mesh, local_mesh, number,
    world_mesh,
};
