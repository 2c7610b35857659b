//! Recording of powers: NumPy's replacements for some scalar exponents, and the error of integers
//! to negative integer powers.

use super::node::{record, record_by};
use crate::array::Argument;
use crate::array::Array;
use phalanx_graph::{DataError, Error, NodeOp, Site};
use phalanx_ops::shape::{broadcast, size};
use phalanx_ops::{Arg, DType, Kind, Op, Scalar, Shape, Signature, Weak};

/// Records the power of two arguments by the loop of `signature`.
pub(crate) fn record_power(
    arguments: &[Argument],
    signature: Signature,
    site: Site,
) -> Result<Array, Error> {
    let [base, exponent] = arguments else { unreachable!("bug: a power of two arguments") };
    let output = signature.output;
    if let (Argument::Array(array), Some(op)) = (base, shortcut(base, exponent, output))
        && op.resolve(&[Arg::Strong(output)]).is_ok_and(|unary| unary.output == output)
    {
        let inputs = &signature.inputs()[..1];
        return record(NodeOp::Elementwise(op), &[array.into()], inputs, output, site);
    }
    let power = || record_by(Op::Power, arguments, signature, site);
    if !output.is_integer() || is_empty(arguments) {
        return power();
    }
    let dtype = |argument: &Argument| argument.strong().unwrap_or(output);
    let dtypes = [base, exponent].map(dtype);
    let exponents = match exponent {
        Argument::Array(array) => array,
        scalar if is_negative(scalar) => return Err(negative_power(dtypes, site)),
        _ => return power(),
    };
    // The check is recorded before the power, so every plan that computes the power also computes
    // the check.
    let any = any_negative(exponents, site)?;
    let power = power()?;
    if let Some(any) = any {
        refuse_where(&any, dtypes, exponents, site)?;
    }
    Ok(power)
}

fn negative_power([base, exponent]: [DType; 2], site: Site) -> Error {
    Error::data(DataError::NegativePower { base, exponent }, site)
}

/// Whether any exponent is negative; `None` if none can be.
fn any_negative(exponents: &Array, site: Site) -> Result<Option<Array>, Error> {
    if exponents.shows_base() && exponents.base_node()?.is_non_negative() {
        return Ok(None);
    }
    exponents.ok()?;
    let arguments = [exponents.into(), Weak::Int(0).into()];
    let less = Op::Less.resolve(&arguments.each_ref().map(Argument::kind));
    let less = less.map_err(|error| Error::op(error, site))?;
    record_by(Op::Less, &arguments, less, site)?.any_at(site).map(Some)
}

/// Refuses the power of integers if `any` holds.
fn refuse_where(
    any: &Array,
    dtypes: [DType; 2],
    exponents: &Array,
    site: Site,
) -> Result<(), Error> {
    if any.refuse(negative_power(dtypes, site), site)? && exponents.base_view()?.is_whole() {
        exponents.base_node()?.found_non_negative();
    }
    Ok(())
}

/// Refuses integers to negative integer powers; `dtypes` are those of base and exponent. Collective
/// if this depends on data.
pub(crate) fn refuse_negative(
    dtypes: [DType; 2],
    exponents: &Array,
    site: Site,
) -> Result<(), Error> {
    match any_negative(exponents, site)? {
        Some(any) if exponents.size() > 0 => refuse_where(&any, dtypes, exponents, site),
        _ => Ok(()),
    }
}

/// The operation that replaces the power to this scalar, as in NumPy.
///
/// Source: NumPy's `array_power` takes these ways for arrays of floats and complex numbers with
/// Python numbers, and its loops of `f32` and `f64` take them for any scalar. They differ from the
/// power at negative zero and infinity (`sqrt`), and in the last digits of complex numbers.
fn shortcut(base: &Argument, exponent: &Argument, output: DType) -> Option<Op> {
    let (number, is_python) = match exponent {
        Argument::Weak(weak) => (*weak, true),
        Argument::Scalar(scalar) => (scalar.to_weak(), false),
        Argument::Array(_) => return None,
    };
    let is_operator = is_python && base.strong().is_some_and(DType::is_inexact);
    if output.is_complex() {
        return match number {
            Weak::Int(2) if is_operator => Some(Op::Square),
            Weak::Int(-1) if is_operator => Some(Op::Reciprocal),
            Weak::Float(0.5) if is_operator => Some(Op::Sqrt),
            _ => None,
        };
    }
    if output.kind() != Kind::Float {
        return None;
    }
    let number = Scalar::from_weak(output, number).to_weak().to_complex().re;
    let has_fast_loop = matches!(output, DType::F32 | DType::F64);
    match number {
        2.0 => Some(Op::Square),
        -1.0 => Some(Op::Reciprocal),
        1.0 => Some(Op::Positive),
        0.5 if has_fast_loop || is_operator => Some(Op::Sqrt),
        _ => None,
    }
}

fn is_negative(scalar: &Argument) -> bool {
    let number = match scalar {
        Argument::Weak(weak) => *weak,
        Argument::Scalar(scalar) => scalar.to_weak(),
        Argument::Array(_) => return false,
    };
    match number {
        Weak::Int(value) => value < 0,
        Weak::Large(value) => value < 0.0,
        Weak::Bool(_) | Weak::Float(_) | Weak::Complex(_) => false,
    }
}

/// Whether the result has no elements, so that no exponent can be wrong. Also true for shapes that
/// do not broadcast.
fn is_empty(arguments: &[Argument]) -> bool {
    let mut shapes = arguments.iter().filter_map(|argument| match argument {
        Argument::Array(array) => Some(array.shape()),
        _ => None,
    });
    let joined = shapes.try_fold(Shape::new(), |joined, shape| broadcast(&joined, shape));
    joined.map_or(true, |shape| size(&shape) == 0)
}
