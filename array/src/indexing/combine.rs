//! NumPy's `ufunc.at`: an operation on the elements that an index names, applied as often as each
//! is named.
//!
//! As in NumPy, numbers without a dtype are arrays of the default dtype. The operation computes in
//! the promoted dtype of the array and the values, and each result is cast to the dtype of the
//! array.

use super::advanced::{AnyIndex, Worked, all_basic, mask_of_all};
use super::positions::array_of;
use crate::array::{Argument, Array, dtype_of_number};
use crate::floating::{check_cast, check_elementwise, looks, warn_discarded};
use crate::math::select;
use crate::recording::{mesh_of, refuse_negative, try_elementwise};
use phalanx_graph::{Error, Site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{Arg, Casting, DType, Kind, Op, Scalar, Signature};

/// Applies `op` to the elements that an index names. `values`, broadcast to these elements, are the
/// second operands of an operation with two operands.
///
/// Collectivity and errors: as for [`Array::assign_index`], and the errors of the operation.
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
    // Basic items name each element at most once.
    if let Some(items) = all_basic(items) {
        let view = within(site, || array.slice(items).into_result())?;
        let new = applied(op, &view, values, None, site)?;
        return view.assign_at(&new, Casting::Unsafe, site);
    }
    let given = values.as_ref().and_then(Argument::strong);
    given.map_or(Ok(()), |from| warn_discarded(from, array.dtype(), site))?;
    let is_single =
        |values: &Argument| !matches!(values, Argument::Array(array) if array.ndim() > 0);
    if let Some(mask) = mask_of_all(array, items)
        && values.as_ref().is_none_or(is_single)
    {
        let new = || {
            let new = applied(op, array, values.clone(), Some(mask), site)?;
            if looks() && new.dtype() != array.dtype() {
                let selected = within(site, || select(mask, &new, 0));
                check_cast(&selected, &selected.converted(array.dtype(), site), site);
            }
            let new = new.converted(array.dtype(), site);
            within(site, || select(mask, new, array).into_result())
        };
        return array.rewrite(new, site);
    }
    let worked = array.work_out(items, site)?;
    let before = looks().then(|| worked.clone().taken(site)).transpose()?;
    let Some(values) = values else {
        worked.write(Some(op), None, site)?;
        return before.map_or(Ok(()), |before| check_combined(op, before, None, worked, site));
    };
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
    let values = within(site, || values.broadcast_to(target.as_slice()).into_result())?;
    worked.write(Some(op), Some(&values), site)?;
    before.map_or(Ok(()), |before| check_combined(op, before, Some(values), worked, site))
}

/// Records the floating-point errors of an operation on indexed elements: `before` has the elements
/// before it.
///
/// An element that the index names several times may become infinite or NaN by the value of
/// another occurrence, so nothing is reported if any value is infinite or NaN.
fn check_combined(
    op: Op,
    before: Array,
    values: Option<Array>,
    worked: Worked,
    site: Site,
) -> Result<(), Error> {
    let after = worked.taken(site)?;
    let finite = values
        .as_ref()
        .filter(|values| values.dtype().is_inexact())
        .map(|values| within(site, || values.isfinite().all(())));
    let operands: Vec<Argument> =
        [Some(before), values].into_iter().flatten().map(Argument::Array).collect();
    if after.dtype().is_inexact() {
        check_elementwise(op.name(), &operands, &[(op, &after)], finite.as_ref(), site);
        return Ok(());
    }
    // The loop may compute in floats. Each occurrence is checked as if it were the only one.
    let single = try_elementwise(op, &operands, site)?;
    check_elementwise(op.name(), &operands, &[(op, &single)], None, site);
    check_cast(&single, &after, site);
    Ok(())
}

/// The operation on all elements of an array; `mask` selects those whose floating-point errors are
/// recorded.
fn applied(
    op: Op,
    array: &Array,
    values: Option<Argument>,
    mask: Option<&Array>,
    site: Site,
) -> Result<Array, Error> {
    let mut operands = vec![Argument::from(array)];
    if let Some(Argument::Array(values)) = &values {
        check_broadcast(values.shape(), array.shape(), site)?;
    }
    operands.extend(values);
    let result = try_elementwise(op, &operands, site)?;
    check_elementwise(op.name(), &operands, &[(op, &result)], mask, site);
    Ok(result)
}

/// Returns an error for values that have more axes, or other extents, than their target.
fn check_broadcast(values: &[usize], target: &[usize], site: Site) -> Result<(), Error> {
    let mut pairs = values.iter().rev().zip(target.iter().rev());
    if values.len() <= target.len() && pairs.all(|(&v, &t)| v == t || v == 1) {
        return Ok(());
    }
    let (value, target) = (values.into(), target.into());
    Err(Error::op(OpError::BroadcastInto { value, target }, site))
}

/// The values as in NumPy's `asarray`: a number without a dtype gets one.
fn strong(values: &Argument, site: Site) -> Result<Argument, Error> {
    let Argument::Weak(weak) = values else {
        if let Argument::Array(array) = values {
            array.ok()?;
        }
        return Ok(values.clone());
    };
    let scalar = Scalar::filled(dtype_of_number(*weak), *weak);
    let scalar = scalar.map_err(|error| Error::op(error, site))?;
    Ok(Argument::Scalar(scalar))
}

/// The values in the dtype of the loop. If the loop of the array's dtype gives the same bits, that
/// dtype is used, which saves casts of the elements.
fn fitted(op: Op, dtype: DType, values: Argument, signature: Signature, site: Site) -> Argument {
    let own = op.resolve(&[Arg::Strong(dtype), Arg::Strong(dtype)]);
    let has_own = own.is_ok_and(|own| own.inputs() == [dtype; 2] && own.output == dtype);
    let wraps = matches!(
        op,
        Op::Add | Op::Subtract | Op::Multiply | Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor
    );
    // The low bits of the result depend on the low bits of the operands alone.
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

/// Whether the loop of `dtype` gives the same bits as the loop of `signature` with a rounded
/// result, for a value that `dtype` can hold. A sum, product or quotient that is first rounded to
/// at least twice the digits and two more, and then to `dtype`, equals the result of one rounding.
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
