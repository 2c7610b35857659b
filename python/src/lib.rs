//! The Python module `phalanx`: arguments and names. Every operation is one of the root package.
//!
//! `ndarray` is the class of arrays, `ufunc` that of elementwise operations, and `function` that of
//! all other functions, whose rows stand in the tables of `functions`: a row has the signature,
//! what the function is for, and the call in Rust. `convert` leads from Python's objects to arrays
//! and back, `errors` from errors to exceptions, `site` tells which line of Python calls. Calls of
//! Rust keep the interpreter, but for the time that they wait (`waiting`).

mod answer;
mod arguments;
mod asked;
mod blocks;
mod buffers;
mod call_mesh;
mod checkpoints;
mod construct;
mod convert;
mod device_shard;
mod distribution;
mod dlpack;
mod documentation;
mod dtypes;
mod elements;
mod errors;
mod errstate;
mod flags;
mod function;
mod functions;
mod gpu;
mod host_buffer;
mod implicit_copy;
mod indexing;
mod iteration;
mod mistakes;
mod module;
mod named;
mod ndarray;
mod operators;
mod options;
mod output;
mod program;
mod random_source;
mod records;
mod series;
mod session;
mod shown;
mod signature;
mod site;
mod sparse_matrix;
mod spelling;
mod subclass;
mod submodules;
mod text;
mod ufunc;
mod waiting;
mod writing;
