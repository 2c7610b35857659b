//! NumPy's `ufunc.at`: an operation on the elements that an index names, each as often as it is
//! named.
//!
//! As in NumPy, numbers without a dtype are arrays of the default one, the operation computes in
//! the dtype that the array's and the values' promote to, and each result is cast to the array's.

use super::advanced::{AnyIndex, all_basic, mask_of_all};
use super::positions::array_of;
use crate::array::Array;
use crate::elementwise::{mesh_of, try_elementwise};
use crate::error::{Error, Site, within};
use crate::math::select;
use crate::operand::Argument;
use crate::power::refuse_negative;
use phalanx_ops::error::OpError;
use phalanx_ops::promote::default_dtype;
use phalanx_ops::{Arg, Casting, DType, Kind, Op, Scalar, Signature, Weak};

/// Applies `op` to the elements that an index names; `values`, broadcast to what it shows, are the
/// second operands of an operation of two.
///
/// Collectivity and errors as [`Array::assign_index`], and those of the operation.
pub(crate) fn combine_at(
    op: Op,
    array: &Array,
    items: &[AnyIndex],
    values: Option<&Argument>,
    site: Site,
) -> Result<(), Error> {
    array.ok()?;
    array.check_writable(site)?;
    let mut operands = vec![Argument::from(array)];
    operands.extend(values.map(|values| strong(values, site)).transpose()?);
    mesh_of(&operands, site)?;
    let kinds: Vec<Arg> = operands.iter().map(Argument::kind).collect();
    let signature = op.resolve(&kinds).map_err(|error| Error::op(error, site))?;
    let values = operands.pop().filter(|_| values.is_some());
    // What a slice shows stands there once.
    if let Some(items) = all_basic(items) {
        let view = within(site, || array.slice(items).ok().cloned())?;
        let new = applied(op, &view, values, site)?;
        return view.assign_at(&new, Casting::Unsafe, site);
    }
    let is_single =
        |values: &Argument| !matches!(values, Argument::Array(array) if array.ndim() > 0);
    if let Some(mask) = mask_of_all(array, items)
        && values.as_ref().is_none_or(is_single)
    {
        let new = applied(op, array, values, site)?.converted(array.dtype(), site);
        return within(site, || array.try_assign(select(mask, new, array)));
    }
    let worked = array.work_out(items, site)?;
    let Some(values) = values else { return worked.write(Some(op), None, site) };
    let values = match fitted(op, array.dtype(), values, signature, site) {
        Argument::Array(values) => values,
        Argument::Scalar(scalar) => array_of(scalar, array, site)?,
        Argument::Weak(_) => unreachable!("bug: a number without a dtype"),
    };
    if op == Op::Power && signature.output.is_integer() {
        refuse_negative([array.dtype(), values.dtype()], &values, site)?;
    }
    let target = worked.target();
    check_broadcast(values.shape(), &target, site)?;
    let values = within(site, || values.broadcast_to(target.as_slice()).ok().cloned())?;
    worked.write(Some(op), Some(&values), site)
}

/// The operation on all elements of an array.
fn applied(op: Op, array: &Array, values: Option<Argument>, site: Site) -> Result<Array, Error> {
    let mut operands = vec![Argument::from(array)];
    if let Some(Argument::Array(values)) = &values {
        check_broadcast(values.shape(), array.shape(), site)?;
    }
    operands.extend(values);
    try_elementwise(op, &operands, site)
}

/// Refuses values that have more axes than what they are combined with, or other extents.
fn check_broadcast(values: &[usize], target: &[usize], site: Site) -> Result<(), Error> {
    let mut pairs = values.iter().rev().zip(target.iter().rev());
    if values.len() <= target.len() && pairs.all(|(&v, &t)| v == t || v == 1) {
        return Ok(());
    }
    let (value, target) = (values.into(), target.into());
    Err(Error::op(OpError::BroadcastInto { value, target }, site))
}

/// A number without a dtype as NumPy's `asarray` takes it.
fn strong(values: &Argument, site: Site) -> Result<Argument, Error> {
    let Argument::Weak(weak) = values else {
        if let Argument::Array(array) = values {
            array.ok()?;
        }
        return Ok(values.clone());
    };
    let dtype = match weak {
        Weak::Int(value) if i64::try_from(*value).is_err() => DType::U64,
        weak => default_dtype(*weak),
    };
    let scalar = Scalar::filled(dtype, *weak).map_err(|error| Error::op(error, site))?;
    Ok(Argument::Scalar(scalar))
}

/// The values in the dtype that the loop takes: that of the array where its own loop gives the same
/// bits, which saves casts of the elements.
fn fitted(op: Op, dtype: DType, values: Argument, signature: Signature, site: Site) -> Argument {
    let own = op.resolve(&[Arg::Strong(dtype), Arg::Strong(dtype)]);
    let has_own = own.is_ok_and(|own| own.inputs() == [dtype; 2] && own.output == dtype);
    let wraps = matches!(
        op,
        Op::Add | Op::Subtract | Op::Multiply | Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor
    );
    // The low bits of integers depend on low bits alone.
    let is_modular = wraps && dtype.is_integer() && signature.output.is_integer();
    let to = match &values {
        _ if has_own && is_modular => dtype,
        Argument::Scalar(scalar) if has_own && is_exact(op, dtype, *scalar, signature) => dtype,
        _ => signature.inputs()[1],
    };
    match values {
        Argument::Scalar(scalar) => Argument::Scalar(scalar.cast(to)),
        Argument::Array(array) => Argument::Array(array.converted(to, site)),
        weak => weak,
    }
}

/// Whether the loop of `dtype` gives the bits that the loop of `signature`, rounded, gives for a
/// value that `dtype` holds: a sum, product or quotient that is rounded to twice the digits and two
/// more, and then once more, is rounded as if once.
fn is_exact(op: Op, dtype: DType, value: Scalar, signature: Signature) -> bool {
    let cast = value.cast(dtype);
    // NaN is not equal to itself.
    let is_same = cast.to_weak().to_complex() == value.to_weak().to_complex();
    if !is_same || cast.cast(value.dtype()) != value || signature.output.kind() != dtype.kind() {
        return false;
    }
    match op {
        Op::Maximum | Op::Minimum | Op::Fmax | Op::Fmin => dtype.kind() != Kind::Complex,
        Op::Add | Op::Subtract => dtype.is_inexact(),
        Op::Multiply | Op::Divide => dtype.kind() == Kind::Float,
        _ => false,
    }
}
