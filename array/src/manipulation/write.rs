//! Writes to the elements that an index condition or a mask selects.

use crate::array::{Argument, Array, assigned_number, cast_scalar};
use crate::creation::index_of;
use crate::floating::{check_cast, check_number, warn_discarded};
use crate::manipulation::argument::{refused, sound};
use crate::manipulation::edit::try_resize;
use crate::math::select;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::promote::default_dtype;
use phalanx_ops::{AffineMap, AxisMap, Casting, DType, Kind, Scalar, Shape, can_cast};

/// A value cast to the dtype of the target, so that `select` keeps the dtype of the elements that
/// are not written.
fn written(value: Argument, dtype: DType, site: Site) -> Result<Argument, Error> {
    Ok(match value {
        Argument::Weak(weak) => assigned_number(dtype, weak, site)?.into(),
        Argument::Scalar(scalar) => cast_scalar(dtype, scalar, site)?.into(),
        Argument::Array(array) => array.ok()?.converted(dtype, site).into(),
    })
}

/// Writes `value`, broadcast, into `target`: everywhere, or where `mask`, broadcast, is true.
///
/// `casting` limits the casts of arrays and typed scalars. A plain number needs a target of at
/// least its own kind, unless `casting` is `Unsafe`; an integer must fit the dtype under every
/// casting.
///
/// Local (records nodes). Errors: `OpError::Cast`, `OpError::BroadcastInto`, and the errors of
/// [`Array::try_assign`]; the target is then unchanged.
#[track_caller]
pub fn copyto(
    target: &Array,
    value: impl Into<Argument>,
    mask: Option<&Array>,
    casting: Casting,
) -> Result<(), Error> {
    let (site, mut value) = (call_site(), value.into());
    target.ok()?;
    let to = target.dtype();
    if let Argument::Array(array) = &value {
        array.ok()?;
    }
    let (from, is_kind) = match &value {
        // A number counts as the narrowest dtype of its kind.
        Argument::Weak(weak) => {
            // The error of an integer that does not fit comes before that of the casting rule.
            Scalar::filled(to, *weak).map_err(|error| Error::op(error, site))?;
            let least = if to.kind() == Kind::Unsigned { Kind::Signed } else { to.kind() };
            (default_dtype(*weak), casting == Casting::Unsafe || weak.kind() <= least)
        }
        strong => {
            let from = strong.strong().unwrap_or(to);
            (from, can_cast(from, to, casting))
        }
    };
    if !is_kind {
        return Err(Error::op(OpError::Cast { from, to, casting }, site));
    }
    value.strong().map_or(Ok(()), |from| warn_discarded(from, to, site))?;
    match value {
        Argument::Weak(weak) if casting == Casting::Unsafe => {
            let scalar = Scalar::filled(to, weak).map_err(|error| Error::op(error, site))?;
            check_number(weak, scalar, site)?;
            value = scalar.into();
        }
        // Unlike an assignment, a copy casts a scalar to every dtype as it casts an array.
        Argument::Scalar(scalar) => value = cast_scalar(to, scalar, site)?.into(),
        Argument::Array(array) if mask.is_none() && from != to => {
            let cast = array.converted(to, site);
            check_cast(&array, &cast, site);
            value = cast.into();
        }
        _ => {}
    }
    let Some(mask) = mask else { return within(site, || target.try_assign(value)) };
    mask.ok()?;
    if mask.dtype() != DType::Bool {
        let error = OpError::cast(mask.dtype(), DType::Bool);
        return Err(Error::op(error, site));
    }
    let value = written(value, to, site)?;
    within(site, || target.rewrite(|| select(mask, value.clone(), target).into_result(), site))
}

/// Writes where `mask`, an array of the size of the target, is true. The value is the element of
/// `values` at the same position in C order; values repeat if there are fewer.
///
/// Only casts that lose nothing are allowed. Local (records nodes). Errors: `OpError::Cast`,
/// `OpError::Argument` for a mask of another size, and the errors of [`Array::try_assign`].
#[track_caller]
pub fn putmask(target: &Array, mask: &Array, values: impl Into<Argument>) -> Result<(), Error> {
    let (site, values) = (call_site(), values.into());
    sound([target, mask])?;
    if mask.size() != target.size() {
        return Err(refused("putmask", "mask", format!("of shape {:?}", mask.shape()), site));
    }
    let to = target.dtype();
    if let Some(from) = values.strong()
        && !can_cast(from, to, Casting::Safe)
    {
        return Err(Error::op(OpError::Cast { from, to, casting: Casting::Safe }, site));
    }
    let values = match written(values, to, site)? {
        Argument::Array(array) if array.size() == 0 => return Ok(()),
        Argument::Array(array) if array.shape() != target.shape() => {
            try_resize(&array, target.shape(), site)?.into()
        }
        other => other,
    };
    within(site, || {
        let mask = mask.reshape(target.shape());
        target.rewrite(|| select(&mask, values.clone(), target).into_result(), site)
    })
}

/// Writes the diagonal of an array with two axes, or with more axes of equal extent. With `wrap`,
/// the diagonal of a tall matrix starts again after the last column. An array of values is written
/// in C order, and repeats if it has fewer elements than the diagonal.
///
/// Local (records nodes). Errors: `OpError::Ndim`, `OpError::Argument` for more than two axes of
/// different extents and for an array without values, and the errors of [`Array::try_assign`].
#[track_caller]
pub fn fill_diagonal(array: &Array, value: impl Into<Argument>, wrap: bool) -> Result<(), Error> {
    let (site, value) = (call_site(), value.into());
    array.ok()?;
    let ndim = array.ndim();
    if ndim < 2 {
        let error = OpError::Ndim { operation: "fill_diagonal", expected: "2 or more", ndim };
        return Err(Error::op(error, site));
    }
    let shape = Shape::from_slice(array.shape());
    if ndim > 2 && shape.iter().any(|&extent| extent != shape[0]) {
        return Err(refused("fill_diagonal", "shape", format!("{shape:?}"), site));
    }
    if array.size() == 0 {
        return Ok(());
    }
    let value = written(value, array.dtype(), site)?;
    if matches!(&value, Argument::Array(values) if values.size() == 0) {
        return Err(refused("fill_diagonal", "val", "no values", site));
    }
    let value = match value {
        Argument::Array(values) if values.size() == 1 => {
            within(site, || values.reshape(()).into_result())?.into()
        }
        other => other,
    };
    if !(wrap && ndim == 2 && shape[0] > shape[1]) {
        return write_diagonal(array, value, site);
    }
    // A wrapped diagonal has an element at every flat index that is a multiple of `columns + 1`.
    let mesh = array.mesh()?;
    let (row, column) = (index_of(&shape, 0, &mesh, site)?, index_of(&shape, 1, &mesh, site)?);
    let columns = shape[1] as i64;
    within(site, || {
        let mask = ((&row * columns + &column) % (columns + 1)).equal(0);
        let value = match value {
            // Row `r` of a wrapped diagonal has the value with number `r - r / (columns + 1)`. The
            // last of every `columns + 1` rows has none, so a gap follows each round of values.
            Argument::Array(values) if values.ndim() > 0 => {
                let rounds = shape[0].div_ceil(shape[1] + 1);
                let filled = try_resize(&values, &[rounds, shape[1]], site)?;
                let gaps = crate::manipulation::pad(
                    &filled,
                    [(0, 0), (0, 1)],
                    crate::manipulation::PadMode::Empty,
                );
                let rows = gaps.ravel().slice([super::argument::span(0, shape[0])]);
                rows.reshape([shape[0], 1]).into()
            }
            one => one,
        };
        array.rewrite(|| select(&mask, value.clone(), array).into_result(), site)
    })
}

/// Writes the diagonal of all axes, through the view in which one axis moves along all of them.
fn write_diagonal(array: &Array, value: Argument, site: Site) -> Result<(), Error> {
    let length = array.shape().iter().copied().min().unwrap_or(0);
    let all = std::iter::repeat_n(AxisMap { axis: Some(0), start: 0, step: 1 }, array.ndim());
    let map = AffineMap { shape: Shape::from_slice(&[length]), axes: all.collect() };
    let diagonal = array.with_view(array.base_view()?.through(&map, array.base_shape()?))?;
    let value = match value {
        Argument::Array(values) if values.ndim() > 0 => {
            try_resize(&values, &[length], site)?.into()
        }
        one => one,
    };
    within(site, || diagonal.try_assign(value))
}
