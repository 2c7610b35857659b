//! The vocabulary of Phalanx: plain data and its algebra. No I/O, no `unsafe`, no policy.
#![forbid(unsafe_code)]

mod binned;
pub mod bounds;
mod bytes;
pub mod cast;
pub mod dtype;
pub mod elementwise;
pub mod error;
mod id;
pub mod memory;
pub mod mesh;
pub mod monoid;
pub mod promote;
pub mod scalar;
pub mod shape;
pub mod sharding;
pub mod structured;
pub mod view;

pub use binned::{Binned, Digits};
pub use bounds::Bounds;
pub use bytes::Bytes;
pub use cast::{Casting, can_cast};
pub use dtype::{DType, Element, Kind};
pub use elementwise::{Arg, Op, Signature, Special};
pub use error::OpError;
pub use mesh::Mesh;
pub use monoid::Monoid;
pub use promote::{promote, promote_weak};
pub use scalar::{Scalar, Weak, f64_to_f32_odd};
pub use shape::Shape;
pub use sharding::{IndexBox, Partial, Sharding, Split};
pub use structured::Structured;
pub use view::{AffineMap, AxisMap, Index};
