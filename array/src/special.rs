//! Special functions: SciPy's `special`.
//!
//! They are computed elementwise, in `f64`, by the same algorithms on CPUs and GPUs.

use crate::array::{Argument, Array};
use crate::manipulation::refused;
use crate::recording::record;
use phalanx_graph::{Error, NodeOp, Site, call_site};
use phalanx_ops::{DType, Kind, Special, Weak, promote};
use smallvec::SmallVec;

/// The special function with SciPy's name `name`, of as many arguments as it has: arrays, which
/// broadcast, and numbers.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::special::special;
/// use phalanx::{Argument, Array};
/// # fn example(x: &Array) -> [Array; 2] {
/// let gamma = special("gamma", [x]);
/// let bessel = special("jv", [Argument::from(0.5), x.into()]);
/// # [gamma, bessel]
/// # }
/// ```
///
/// The result is `f32` if all arrays are `f32` or narrower floating-point numbers, else `f64`.
/// Sharding: that of the arrays. Local (records a node, which fuses). Errors: `OpError::Argument`
/// for another name or number of arguments and for complex numbers, `OpError::Broadcast`.
#[track_caller]
#[must_use]
pub fn special<T: Into<Argument>>(function: &str, arguments: impl IntoIterator<Item = T>) -> Array {
    let arguments: SmallVec<[Argument; 3]> = arguments.into_iter().map(Into::into).collect();
    Array::catch(recorded(function, &arguments, call_site()))
}

pub(crate) fn recorded(function: &str, arguments: &[Argument], site: Site) -> Result<Array, Error> {
    let Some(known) = phalanx_special::find(function) else {
        return Err(refused("special", "function", function, site));
    };
    for array in arguments.iter().filter_map(Argument::as_array) {
        array.ok()?;
    }
    let dtype = arguments.iter().filter_map(Argument::strong).reduce(promote);
    let dtype = dtype.unwrap_or(DType::F64);
    let is_complex = |argument: &Argument| matches!(argument, Argument::Weak(Weak::Complex(_)));
    if arguments.len() != known.arity || dtype.is_complex() || arguments.iter().any(is_complex) {
        let given = format!("{} arguments of {dtype}", arguments.len());
        return Err(refused(known.name, "arguments", given, site));
    }
    let is_single = dtype.kind() == Kind::Float && dtype.size() <= 4;
    let dtype = if is_single { DType::F32 } else { DType::F64 };
    let dtypes: SmallVec<[DType; 3]> = arguments.iter().map(|_| dtype).collect();
    record(NodeOp::Special(Special { name: known.name }), arguments, &dtypes, dtype, site)
}

/// The special functions: SciPy's name, the number of arguments and the definition of each. Local.
pub fn special_functions() -> impl Iterator<Item = (&'static str, usize, &'static str)> {
    phalanx_special::FUNCTIONS.iter().map(|it| (it.name, it.arity, it.doc))
}
