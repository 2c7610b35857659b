//! The graph of a mesh: operations are recorded into windows, and an engine evaluates them.
//!
//! A [`MeshHandle`] has an open window, to which operations add nodes. The observation of a value
//! closes the window and passes its [`Graph`] to the [`Engine`], which `scheduler` implements.
//! The arrays of `array` are views ([`View`]) of nodes.
#![forbid(unsafe_code)]

mod bounds;
mod capture;
mod checks;
mod condition;
mod engine;
mod error;
mod graph;
mod host;
mod ids;
mod interval;
mod node;
mod operation;
mod unseen;
mod verify;
mod view;
mod window;

pub use capture::Captured;
pub use engine::{AtOnce, Cause, Engine, Evaluation, Limits, ShardMemory};
pub use error::{
    DataError, Error, ErrorKind, Failure, Place, Site, call_site, called_from, in_place_of,
    is_nested, outside, within,
};
pub use graph::{Graph, Input, NodeData, Part, Source};
pub use host::{HostArray, HostMemory, LocalShard, ShardBytes, room_on_host};
pub use ids::{LeafId, NodeId, ScalarId};
pub use interval::Interval;
pub use node::{Evaluated, Held, Node, Operand};
pub use operation::NodeOp;
pub use unseen::note_unseen;
pub use view::{Form, Lens, Stage, View, contiguous_strides, map_or_none, shared_or_none};
pub use window::{Entered, MeshHandle, Writing};
