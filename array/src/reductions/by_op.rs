//! Reductions by any operation with two operands: NumPy's `ufunc.reduce`.

use super::axes::{Axes, axis};
use super::record::initial_value;
use crate::array::Argument;
use crate::array::Array;
use crate::manipulation::{along, moveaxis, refused, span, try_concatenate, with_extent};
use crate::math::combined_in;
use crate::math::select;
use crate::recording::try_elementwise;
use phalanx_graph::{Error, Site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{Arg, Casting, DType, Index, Monoid, Op, Scalar, Weak};

/// The options of every operation.
const OPTIONS: &[&str] = &["initial", "masked", "dtype", "out"];

/// Combines the elements over axes, with the initial value if one is given.
pub(crate) fn reduce_by(op: Op, array: &Array, axes: &Axes, site: Site) -> Result<Array, Error> {
    axes.allow("reduce", OPTIONS, site)?;
    axes.resolve(array.ok()?.ndim(), site)?;
    let (has_dtype, has_initial) = (axes.has_dtype().is_some(), axes.has_initial().is_some());
    let own = match op {
        Op::Add => Some(array.sum(axes.clone())),
        Op::Multiply => Some(array.prod(axes.clone())),
        Op::Minimum if !has_dtype => Some(array.min(axes.clone())),
        Op::Maximum if !has_dtype => Some(array.max(axes.clone())),
        Op::LogicalAnd if !has_dtype && !has_initial => Some(array.all(axes.clone())),
        Op::LogicalOr if !has_dtype && !has_initial => Some(array.any(axes.clone())),
        _ => None,
    };
    if let Some(own) = own {
        return own.into_result();
    }
    if op == Op::Ldexp {
        return ldexp(array, axes, site)?.into_out(axes, Casting::Unsafe, site);
    }
    let dtype = match op {
        Op::LogicalAnd | Op::LogicalOr | Op::LogicalXor if axes.has_dtype().is_none() => {
            DType::Bool
        }
        _ => combined_in(op, array, axes.has_dtype(), site)?,
    };
    // `fmin` and `fmax` skip NaN, as `nanmin` and `nanmax` do.
    if matches!(op, Op::Fmin | Op::Fmax) {
        let extreme = if op == Op::Fmin { super::nanmin } else { super::nanmax };
        let given = array.converted(dtype, site);
        return extreme(&given, axes.clone().with(|options| options.dtype = None)).into_result();
    }
    if op == Op::LogAddExp2 {
        return logaddexp2(array, dtype, axes, site)?.into_out(axes, Casting::Unsafe, site);
    }
    let reduced = match monoid(op) {
        Some(Monoid::LogAddExp) if array.size() == 0 => {
            // Without elements the result is the initial value, or the logarithm of zero without
            // one.
            let least = Weak::Float(f64::NEG_INFINITY).into();
            let start = axes.has_initial().cloned().unwrap_or(least);
            let start = initial_value(&start, dtype, site)?;
            let nothing = array.converted(dtype, site);
            let nothing = nothing.reduce(array, Monoid::Add, &axes.plain(), site)?;
            try_elementwise(Op::Add, &[nothing.into(), start], site)?
        }
        Some(monoid) => array.reduce_with(monoid, dtype, axes, site)?,
        None => in_order(op, array, dtype, axes, site)?,
    };
    reduced.into_out(axes, Casting::Unsafe, site)
}

/// The monoid of an operation, if it has one.
fn monoid(op: Op) -> Option<Monoid> {
    Some(match op {
        Op::Minimum => Monoid::Min,
        Op::Maximum => Monoid::Max,
        Op::LogicalAnd => Monoid::All,
        Op::LogicalOr => Monoid::Any,
        Op::BitwiseAnd => Monoid::BitAnd,
        Op::BitwiseOr => Monoid::BitOr,
        Op::BitwiseXor | Op::LogicalXor => Monoid::BitXor,
        Op::LogAddExp => Monoid::LogAddExp,
        _ => return None,
    })
}

/// `logaddexp2`, computed with `logaddexp`: only the natural exponential has a monoid.
fn logaddexp2(array: &Array, dtype: DType, axes: &Axes, site: Site) -> Result<Array, Error> {
    let natural = within(site, || array.converted(dtype, site) * std::f64::consts::LN_2);
    let masked = axes.clone().with(|options| {
        (options.initial, options.dtype, options.out) = (None, None, None);
    });
    let sum = reduce_by(Op::LogAddExp, natural.ok()?, &masked, site)?;
    let reduced = within(site, || sum * std::f64::consts::LOG2_E);
    match axes.has_initial() {
        None => reduced.into_result(),
        Some(initial) => {
            from_start(Op::LogAddExp2, &initial_value(initial, dtype, site)?, &reduced, site)
        }
    }
}

/// `ldexp` of the first element, or of the initial value. The exponent is the sum of the other
/// elements, which must be integers or bools, as in NumPy.
fn ldexp(array: &Array, axes: &Axes, site: Site) -> Result<Array, Error> {
    let removed = axes.resolve(array.ndim(), site)?;
    let (kind, asked) = (Arg::Strong(array.dtype()), axes.has_dtype());
    let signature = Op::Ldexp.resolve_by(&[kind, kind], &[asked, None, asked], Casting::SameKind);
    let dtype = signature.map_err(|error| Error::op(error, site))?.output;
    let place = match *removed {
        [] => return array.converted(dtype, site).with_kept_axes(array.shape(), axes, site),
        [place] => usize::from(place),
        _ => {
            let why = String::from("ldexp (its order matters: name one axis)");
            return Err(refused("reduce", "ufunc", why, site));
        }
    };
    let initial = axes.has_initial().map(|value| initial_value(value, dtype, site)).transpose()?;
    let elements = match axes.has_mask() {
        None => array.clone(),
        Some(mask) => {
            array.check_mask_of_bools(mask, site)?;
            if initial.is_none() {
                return Err(refused("ldexp", "initial", "none, with a mask", site));
            }
            within(site, || select(mask, array, 0).into_result())?
        }
    };
    let part = |index: Index| {
        within(site, || elements.slice(along(elements.ndim(), place, index)).into_result())
    };
    let (first, exponents) = match initial {
        Some(initial) => (initial, elements.clone()),
        None if array.shape()[place] == 0 => {
            return Err(Error::op(OpError::EmptyReduction { operation: "ldexp" }, site));
        }
        None => {
            let first = part(Index::At(0))?.converted(dtype, site);
            (first.into(), part(span(1, array.shape()[place]))?)
        }
    };
    let sum = within(site, || exponents.converted(DType::I64, site).sum(axis(place as i64)));
    let reduced = try_elementwise(Op::Ldexp, &[first, sum.into()], site)?;
    reduced.with_kept_axes(array.shape(), axes, site)
}

/// The array with all removed axes merged into one, and the position of that axis.
fn lines(array: &Array, removed: &[u8], site: Site) -> Result<(Array, usize), Error> {
    if let &[axis] = removed {
        return Ok((array.clone(), usize::from(axis)));
    }
    let place = array.ndim() - removed.len();
    within(site, || {
        let from: Vec<i64> = removed.iter().map(|&axis| i64::from(axis)).collect();
        let to: Vec<i64> = (place as i64..array.ndim() as i64).collect();
        let moved = moveaxis(array, from, to);
        let mut shape: Vec<usize> = moved.ok()?.shape()[..place].to_vec();
        shape.push(moved.shape()[place..].iter().product());
        Ok((moved.reshape(shape.as_slice()).into_result()?, place))
    })
}

/// Reduces by an operation without a monoid: combines the elements from the first to the last.
fn in_order(op: Op, array: &Array, dtype: DType, axes: &Axes, site: Site) -> Result<Array, Error> {
    let removed = axes.resolve(array.ndim(), site)?;
    let identity = op.identity();
    if removed.len() > 1 && identity.is_none() {
        let why = format!("{} (its order matters: name one axis)", op.name());
        return Err(refused("reduce", "ufunc", why, site));
    }
    let (elements, axis) = lines(&array.converted(dtype, site), &removed, site)?;
    let count = elements.shape()[axis];
    let initial = axes.has_initial().map(|value| initial_value(value, dtype, site)).transpose()?;
    let neutral = identity.map(|weak| Argument::Scalar(Scalar::from_weak(dtype, weak)));
    let start = initial.clone().or(neutral.clone());
    let mask = match axes.has_mask() {
        None => None,
        Some(mask) => {
            array.check_mask_of_bools(mask, site)?;
            let mask = within(site, || mask.broadcast_to(array.shape()).into_result())?;
            Some(lines(&mask, &removed, site)?.0)
        }
    };
    let at = |array: &Array, place: usize| {
        within(site, || array.slice(along(array.ndim(), axis, Index::At(place as i64))))
    };
    let empty = || Error::op(OpError::EmptyReduction { operation: op.name() }, site);
    let filled = |start: &Argument| -> Result<Array, Error> {
        let mut shape = elements.shape().to_vec();
        shape.remove(axis);
        let mesh = elements.mesh()?;
        mesh.enter(|| {
            within(site, || {
                let blank = crate::creation::zeros(shape, dtype);
                blank.try_assign(start.clone())?;
                Ok(blank)
            })
        })
    };
    let reduced = match (mask, neutral, start) {
        (_, _, Some(start)) if count == 0 => filled(&start)?,
        (_, _, None) if count == 0 => return Err(empty()),
        (Some(mask), Some(neutral), Some(start)) => {
            let elements = within(site, || select(&mask, &elements, neutral));
            from_start(op, &start, &last(op, &elements, axis, site)?, site)?
        }
        (Some(_), None, None) => {
            return Err(refused(op.name(), "initial", "none, with a mask", site));
        }
        (Some(mask), _, Some(start)) => {
            let mut reached = filled(&start)?;
            for place in 0..count {
                let next = at(&elements, place);
                let next = try_elementwise(op, &[(&reached).into(), next.into()], site)?;
                reached = within(site, || select(&at(&mask, place), next, &reached));
            }
            reached
        }
        // Without an initial value, `start` is the identity. The identity changes no result, except
        // for the sign of a single element (`hypot`).
        (None, Some(_), Some(start)) => {
            from_start(op, &start, &last(op, &elements, axis, site)?, site)?
        }
        (None, None, Some(start)) => {
            let first = filled(&start)?;
            let first =
                within(site, || first.reshape(with_extent(elements.shape(), axis, 1).as_slice()));
            let all = try_concatenate(&[&first, &elements], &(axis as i64).into(), None, site)?;
            last(op, &all, axis, site)?
        }
        (_, _, None) => last(op, &elements, axis, site)?,
    };
    reduced.with_kept_axes(array.shape(), axes, site)
}

fn from_start(op: Op, start: &Argument, rest: &Array, site: Site) -> Result<Array, Error> {
    try_elementwise(op, &[start.clone(), rest.into()], site)
}

/// The combination of all elements along an axis.
fn last(op: Op, elements: &Array, axis: usize, site: Site) -> Result<Array, Error> {
    let part = |index: Index| {
        within(site, || elements.slice(along(elements.ndim(), axis, index)).into_result())
    };
    if elements.shape()[axis] == 1 {
        return part(Index::At(0))?.copy_at(site).into_result();
    }
    if op == Op::Subtract {
        // `a - b - c` equals `a - (b + c)`.
        let (first, others) = (part(Index::At(0))?, part(span(1, elements.shape()[axis]))?);
        let sum = others.reduce(&others, Monoid::Add, &(axis as i64).into(), site)?;
        return try_elementwise(op, &[first.into(), sum.into()], site);
    }
    let dtype = Some(elements.dtype());
    let running = crate::math::accumulate(op, elements, axis as i64, dtype, site)?;
    within(site, || running.slice(along(running.ndim(), axis, Index::At(-1))).copy().into_result())
}
