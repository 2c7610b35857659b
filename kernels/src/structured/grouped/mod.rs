//! Elements that are combined by the slot that each has, in their order: on a GPU, where a stable
//! sort by slots brings together what belongs together.

pub mod cuda;
