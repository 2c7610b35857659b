//! The Python module `phalanx`: arguments and names. Every operation is one of the root package.
//!
//! `ndarray` is the class of arrays, `ufunc` the class of elementwise operations, and `function`
//! the class of all other functions. The tables of `functions` have a row for each function: the
//! signature, a sentence, and the call in Rust. `convert` converts Python objects to arrays and
//! back, `errors` maps errors to exceptions, and `site` finds the calling line of Python. A call of
//! Rust stays attached to the interpreter, except while it waits (`waiting`).

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
