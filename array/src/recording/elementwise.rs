//! Recording of elementwise operations: the choice of the loop.

use super::node::record_by;
use super::power::record_power;
use crate::array::Argument;
use crate::array::Array;
use crate::creation::full_like;
use phalanx_graph::{Error, Site, within};
use phalanx_ops::{Arg, Casting, DType, Op, Signature};
use smallvec::SmallVec;

/// Records the operation `op` of the table. The array carries the error if there is one.
pub(crate) fn elementwise(op: Op, arguments: &[Argument], site: Site) -> Array {
    Array::catch(try_elementwise(op, arguments, site))
}

/// Records the operation `op` of the table.
pub(crate) fn try_elementwise(op: Op, arguments: &[Argument], site: Site) -> Result<Array, Error> {
    let mut kinds = SmallVec::<[Arg; 2]>::new();
    arguments.iter().for_each(|argument| kinds.push(argument.kind()));
    for argument in arguments {
        if let Argument::Array(array) = argument {
            array.ok()?;
        }
    }
    let signature = op.resolve(&kinds).map_err(|error| Error::op(error, site))?;
    by_loop(op, arguments, signature, site)
}

/// Records the operation `op` of the table by a loop with the requested dtypes. See
/// [`Op::resolve_by`].
pub(crate) fn elementwise_by(
    op: Op,
    arguments: &[Argument],
    asked: &[Option<DType>],
    casting: Casting,
    site: Site,
) -> Result<Array, Error> {
    let kinds: SmallVec<[Arg; 2]> = arguments.iter().map(Argument::kind).collect();
    for argument in arguments {
        if let Argument::Array(array) = argument {
            array.ok()?;
        }
    }
    let signature = op.resolve_by(&kinds, asked, casting);
    by_loop(op, arguments, signature.map_err(|error| Error::op(error, site))?, site)
}

/// Records the operation `op` of the table by the loop with this signature.
pub(crate) fn by_loop(
    op: Op,
    arguments: &[Argument],
    signature: Signature,
    site: Site,
) -> Result<Array, Error> {
    tracing::trace!(target: "phalanx::path", file = file!());
    // The answer for every element of a comparison with an integer that no dtype holds.
    if let Some(answer) = signature.constant
        && let Some(array) = arguments.iter().find_map(Argument::as_array)
    {
        return within(site, || full_like(array, answer, DType::Bool).into_result());
    }
    if op == Op::Power {
        return record_power(arguments, signature, site);
    }
    record_by(op, arguments, signature, site)
}
