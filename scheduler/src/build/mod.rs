//! Building a kernel: the members of a group that are needed, as kernel IR.
//!
//! Sinks (stores, folds, accumulations) are emitted in program order; the values they need are
//! computed on demand, each on the outermost level at which all it depends on is known. A sink that
//! uses the result of a fold whose loop is still open closes the loop; what comes after opens a
//! second loop over the same axes. A value needed in both is computed twice if cheap, else stored
//! by the first loop and loaded by the second.

mod builder;
mod built;
mod maps;
mod moments;
mod values;

pub(crate) use builder::build;
pub(crate) use built::{Buffer, Built, BuiltAccess, ScalarSource};
