//! The objects that hold arrays, with as much as conversions need of them: they are made, claimed
//! and recognised here. Their methods are in `methods`.

pub mod call_mesh;
pub mod device_shard;
pub mod elements;
pub mod ndarray;
pub mod shown;
pub mod sparse_matrix;
pub mod subclass;
