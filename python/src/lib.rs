//! The Python module `phalanx`: arguments and names. Every operation is one of the root package.
//!
//! The folders are layers. Each uses those before it:
//!
//! 1. `interpreter`: the calling line of Python, exceptions, waits.
//! 2. `session`: the session, its GPUs, its notices, and the agreement of its processes.
//! 3. `objects`: the objects that hold arrays, without their methods; the rules of subclasses and
//!    of elements; the mesh of a call.
//! 4. `convert`: objects of Python to arrays, and arrays to objects of Python.
//! 5. `calls`: signatures, arguments, keys, values to write, and answers.
//! 6. `records`: items and functions of structured arrays.
//! 7. `methods`: the methods of arrays.
//! 8. `function`, and `functions` by topic: tables with a row for each function, which has the
//!    signature, a sentence, and the call in Rust. `ufunc` is the class of elementwise operations.
//!    `distribution`, `gpu`, `random_source`, `checkpoints`, `series`, `user_kernels` and
//!    `raw_kernels` have the other classes and functions.
//! 9. `module` and `submodules` give all of it to Python.
//!
//! A call of Rust stays attached to the interpreter, except while it waits
//! (`interpreter::waiting`).

mod calls;
mod checkpoints;
mod convert;
mod distribution;
mod function;
mod functions;
mod gpu;
mod interpreter;
mod methods;
mod module;
mod objects;
mod program;
mod random_source;
mod raw_kernels;
mod records;
mod series;
mod session;
mod submodules;
mod ufunc;
mod user_kernels;
