//! Special functions: SciPy's `special`.
//!
//! They are computed elementwise, in `f64`, by the same algorithms on CPUs and GPUs.

use crate::array::Array;
use crate::manipulation::{common_shape, refused};
use crate::recording::record_structured;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::structured::{Special, Structured};
use phalanx_ops::{DType, Kind, promote};

/// The special function with SciPy's name `name`, of as many arrays as it has arguments, which
/// broadcast.
///
/// The result is `f32` if all arguments are `f32` or narrower floating-point numbers, else `f64`.
/// Sharding: that of the arguments. Local (records a node). Errors: `OpError::Argument` for another
/// name or number of arguments and for complex numbers, `OpError::Broadcast`.
#[track_caller]
#[must_use]
pub fn special(function: &str, arguments: &[Array]) -> Array {
    Array::catch(recorded(function, arguments, call_site()))
}

fn recorded(function: &str, arguments: &[Array], site: Site) -> Result<Array, Error> {
    let Some(known) = phalanx_special::find(function) else {
        return Err(refused("special", "function", function, site));
    };
    let mut dtype = DType::F16;
    for argument in arguments {
        dtype = promote(dtype, argument.ok()?.dtype());
    }
    if arguments.len() != known.arity || dtype.is_complex() {
        let given = format!("{} arguments of {dtype}", arguments.len());
        return Err(refused(known.name, "arguments", given, site));
    }
    let is_single = dtype.kind() == Kind::Float && dtype.size() <= 4;
    let dtype = if is_single { DType::F32 } else { DType::F64 };
    let shape = common_shape(arguments.iter().map(|argument| argument.shape()), site)?;
    let with = |argument: &Array| {
        let argument = argument.converted(dtype, site);
        if argument.ndim() == 0 {
            return Ok(argument);
        }
        within(site, || argument.broadcast_to(shape.as_slice()).into_result())
    };
    let operands = arguments.iter().map(with).collect::<Result<Vec<Array>, Error>>()?;
    let op = Structured::Special(Special { function: known.name, dtype });
    record_structured(op, &operands.iter().collect::<Vec<_>>(), site)
}

/// The special functions: SciPy's name, the number of arguments and the definition of each. Local.
pub fn special_functions() -> impl Iterator<Item = (&'static str, usize, &'static str)> {
    phalanx_special::FUNCTIONS.iter().map(|it| (it.name, it.arity, it.doc))
}
