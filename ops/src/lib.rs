//! The vocabulary of Phalanx: plain data and its algebra. No I/O, no `unsafe`, no policy.
#![forbid(unsafe_code)]

pub mod bounds;
pub mod error;
pub mod mesh;
pub mod shape;
pub mod sharding;
pub mod view;
pub mod cast;
pub mod dtype;
pub mod elementwise;
pub mod monoid;
pub mod promote;
pub mod scalar;

pub use dtype::{DType, Element, Kind};
pub use elementwise::{Arg, Op, Signature};
pub use cast::{Casting, can_cast};
pub use promote::{promote, promote_weak};
pub use monoid::Monoid;
pub use scalar::{Scalar, Weak};
pub use bounds::Bounds;
pub use mesh::Mesh;
pub use shape::Shape;
pub use sharding::{IndexBox, Partial, Sharding, Split};
pub use view::{AffineMap, AxisMap, Index};
pub use error::OpError;
