//! Building a kernel: the needed members of a group as kernel IR.
//!
//! Sinks (stores, folds, accumulations) are emitted in program order. The values they need are
//! computed on demand, each at the outermost level where its inputs are known. A sink that uses the
//! result of a fold in an open loop closes the loop; a later member opens a second loop over the
//! same axes. A value needed in both loops is computed twice if that is cheap; otherwise the first
//! loop stores it and the second loads it.

mod builder;
mod built;
mod maps;
mod moments;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use builder::build;
pub(crate) use built::{Buffer, Built, BuiltAccess, ScalarSource};
