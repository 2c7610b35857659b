//! Arrays made from other arrays, from bytes, from numbers and from text.

use crate::array::Array;
use crate::creation::from_slice;
use crate::floating::warn_discarded;
use crate::manipulation::{MemoryOrder, refused, stack};
use phalanx_graph::{Error, HostArray, Site, call_site, in_place_of, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Scalar, Weak, promote};

/// NumPy's `copy`: a new array with the same elements. Local (records a node).
#[track_caller]
#[must_use]
pub fn copy(array: &Array) -> Array {
    let site = call_site();
    within(site, || array.copy())
}

/// NumPy's `array`: a copy, in `dtype` if it is given. Local (records a node).
#[track_caller]
#[must_use]
pub fn array(array: &Array, dtype: impl Into<Option<DType>>) -> Array {
    let (site, dtype) = (call_site(), dtype.into());
    in_place_of(site, || array.astype(dtype.unwrap_or(array.dtype())))
}

/// NumPy's `asarray`: the array itself, or a copy if `dtype` differs from its own. Local.
#[track_caller]
#[must_use]
pub fn asarray(array: &Array, dtype: impl Into<Option<DType>>) -> Array {
    let site = call_site();
    let dtype = dtype.into().unwrap_or(array.dtype());
    Array::catch(warn_discarded(array.dtype(), dtype, site).map(|()| array.converted(dtype, site)))
}

/// NumPy's `asarray(array, dtype, order, copy)` of an array: the copy that the request needs, or
/// `None` if the array itself meets it. `copies` is NumPy's `copy`: `true` copies always, `false`
/// never, and `None` if needed: for another dtype or memory order, and of an element, which cannot
/// be written.
///
/// Local (a copy records nodes). Errors: `OpError::Argument` if a copy is needed and not allowed.
#[track_caller]
pub fn copy_if_needed(
    array: &Array,
    dtype: impl Into<Option<DType>>,
    order: MemoryOrder,
    copies: impl Into<Option<bool>>,
) -> Result<Option<Array>, Error> {
    let (site, copies) = (call_site(), copies.into());
    let own = array.ok()?.dtype();
    let dtype = dtype.into().unwrap_or(own);
    let is_met = dtype == own && array.is_in_order(order)? && !array.is_element();
    match copies {
        None | Some(false) if is_met => Ok(None),
        Some(false) => Err(refused("asarray", "copy", NEEDS_COPY, site)),
        _ => in_place_of(site, || array.astype_in(dtype, order).into_result().map(Some)),
    }
}

/// The problem of a request that allows no copy.
pub(crate) const NEEDS_COPY: &str = "false, but the request needs a copy";

/// NumPy's `asanyarray`: as [`asarray`].
#[track_caller]
#[must_use]
pub fn asanyarray(array: &Array, dtype: impl Into<Option<DType>>) -> Array {
    asarray(array, dtype)
}

/// NumPy's `asarray_chkfinite`: [`asarray`] of an array whose elements must all be finite.
/// Collective over the mesh. Errors: `OpError::Argument` for NaN and infinities.
#[track_caller]
#[must_use]
pub fn asarray_chkfinite(array: &Array, dtype: impl Into<Option<DType>>) -> Array {
    let (site, dtype) = (call_site(), dtype.into());
    Array::catch(within(site, || {
        let array = asarray(array, dtype);
        if array.ok()?.dtype().is_inexact() && !array.isfinite().all(()).item::<bool>()? {
            let value = String::from("NaN or an infinity");
            return Err(refused("asarray_chkfinite", "array", value, site));
        }
        Ok(array)
    }))
}

/// NumPy's `require`: the array, or a copy of it, that meets requirements on its memory. They are
/// NumPy's words or letters: `C` and `F` for an order, `O` for an array that is no view, `W` for
/// one that may be written. Other words require nothing. Local (a copy records a node). Errors:
/// `OpError::Argument` for both orders.
#[track_caller]
#[must_use]
pub fn require(array: &Array, requirements: &[impl AsRef<str>]) -> Array {
    let site = call_site();
    let has = |names: &[&str]| {
        let is_named = |word: &str| names.iter().any(|name| name.eq_ignore_ascii_case(word));
        requirements.iter().any(|word| is_named(word.as_ref()))
    };
    let c = has(&["C", "C_CONTIGUOUS", "CONTIGUOUS"]);
    let f = has(&["F", "F_CONTIGUOUS", "FORTRAN"]);
    let order = if f { MemoryOrder::F } else { MemoryOrder::C };
    Array::catch(within(site, || {
        if c && f {
            return Err(refused("require", "requirements", "both C and F", site));
        }
        let array = if c || f { array.in_order(order) } else { array.clone() };
        let flags = array.flags()?;
        let is_met = (flags.owns_data || !has(&["O", "OWNDATA"]))
            && (flags.writeable || !has(&["W", "WRITEABLE"]));
        if is_met { Ok(array) } else { array.copy_in(order).into_result() }
    }))
}

/// NumPy's array of a list of arrays: [`stack`] along a new first axis, in C order whatever the
/// orders of the arrays. Dtype: the dtypes of a list promote one after the other, while those of
/// [`stack`] promote all at once. Local (records nodes). Errors: those of [`stack`].
#[track_caller]
#[must_use]
pub fn array_of_list(items: &[Array]) -> Array {
    let site = call_site();
    within(site, || {
        let common = items.iter().map(Array::dtype).reduce(promote);
        if let Some(made) = common.and_then(|common| of_elements(items, common, site)) {
            return made;
        }
        let cast = |item: &Array| match common.filter(|&common| common != item.dtype()) {
            Some(common) => item.astype(common),
            None => item.clone(),
        };
        let items: Vec<Array> = items.iter().map(cast).collect();
        stack(&items.iter().collect::<Vec<_>>(), 0).in_order(MemoryOrder::C)
    })
}

/// The vector of known elements of one mesh, in a dtype to which they promote. `None` if another
/// item is among them.
fn of_elements(items: &[Array], dtype: DType, site: Site) -> Option<Array> {
    let first = items.first()?;
    let mut bytes = Vec::with_capacity(items.len() * dtype.size());
    for item in items {
        let element = item.element_beside(first)?.cast(dtype);
        bytes.extend_from_slice(&element.padded()[..dtype.size()]);
    }
    let host = HostArray { dtype, shape: vec![items.len()], bytes };
    Some(first.mesh().ok()?.enter(|| Array::from_host_at(&host, site)))
}

/// NumPy's `astype`: a copy in another dtype. Local (records a node).
#[track_caller]
#[must_use]
pub fn astype(array: &Array, dtype: DType) -> Array {
    let site = call_site();
    in_place_of(site, || array.astype(dtype))
}

/// NumPy's `isfortran`: whether the elements are in Fortran order and not in C order. Local.
#[must_use]
pub fn isfortran(array: &Array) -> bool {
    let size = array.dtype().size() as isize;
    let (shape, strides) = (array.shape(), array.strides());
    let is_stored = |axes: Vec<usize>| {
        let mut step = size;
        axes.into_iter().all(|axis| {
            let is_next = shape[axis] == 1 || strides[axis] == step;
            step *= shape[axis] as isize;
            is_next
        })
    };
    let axes = 0..shape.len();
    array.size() > 0 && is_stored(axes.clone().collect()) && !is_stored(axes.rev().collect())
}

/// NumPy's `frombuffer`: the vector of `count` elements whose bytes start at byte `offset`; without
/// a `count`, of all elements up to the end.
///
/// Replicated data of the host: every process passes the same bytes. Errors: `OpError::Argument`
/// for an offset beyond the bytes, for too few bytes, or, without a `count`, for a number of bytes
/// that is not a multiple of the element size.
#[track_caller]
#[must_use]
pub fn frombuffer(
    bytes: &[u8],
    dtype: DType,
    count: impl Into<Option<usize>>,
    offset: usize,
) -> Array {
    let (site, size) = (call_site(), dtype.size());
    let refuse =
        |argument, value: usize| Err(refused("frombuffer", argument, value.to_string(), site));
    Array::catch((|| {
        let Some(rest) = bytes.get(offset..) else {
            return refuse("offset", offset);
        };
        let count = match count.into() {
            None if rest.len() % size != 0 => return refuse("bytes", rest.len()),
            None => rest.len() / size,
            Some(count) => count,
        };
        let Some(bytes) = count.checked_mul(size).and_then(|length| rest.get(..length)) else {
            return refuse("count", count);
        };
        let host = HostArray { dtype, shape: vec![count], bytes: bytes.to_vec() };
        within(site, || Array::from_host(&host).into_result())
    })())
}

/// NumPy's `fromiter`: the vector of the numbers of an iterator, or of its first `count` numbers.
///
/// Replicated data of the host. Errors: `OpError::OutOfRange` for numbers that `dtype` does not
/// hold, `OpError::Cast` for complex numbers in a real dtype, `OpError::Argument` for too few
/// numbers.
#[track_caller]
#[must_use]
pub fn fromiter<T: Into<Weak>>(
    numbers: impl IntoIterator<Item = T>,
    dtype: DType,
    count: impl Into<Option<usize>>,
) -> Array {
    let (site, count) = (call_site(), count.into());
    Array::catch((|| {
        let numbers = numbers.into_iter().take(count.unwrap_or(usize::MAX));
        let scalars = numbers.map(|number| Scalar::assigned(dtype, number.into()));
        let scalars: Vec<Scalar> =
            scalars.collect::<Result<_, OpError>>().map_err(|error| Error::op(error, site))?;
        if let Some(count) = count.filter(|&count| scalars.len() < count) {
            return Err(refused("fromiter", "count", count.to_string(), site));
        }
        let bytes = scalars.iter().flat_map(|scalar| scalar.bytes().to_vec()).collect();
        let host = HostArray { dtype, shape: vec![scalars.len()], bytes };
        within(site, || Array::from_host(&host).into_result())
    })())
}

/// NumPy's `fromstring` of text: the vector of the numbers in it, which `separator` (or white
/// space) divides. Numbers are parsed as `f64` and cast to `dtype`.
///
/// Replicated data of the host. Errors: `OpError::Argument` for text that is not a number.
#[track_caller]
#[must_use]
pub fn fromstring(text: &str, dtype: DType, separator: &str) -> Array {
    let site = call_site();
    Array::catch((|| {
        let words: Vec<&str> = match separator.trim() {
            "" => text.split_whitespace().collect(),
            separator => text.split(separator).map(str::trim).filter(|w| !w.is_empty()).collect(),
        };
        let number = |word: &&str| {
            word.parse::<f64>().map_err(|_| refused("fromstring", "text", (*word).to_owned(), site))
        };
        let numbers: Vec<f64> = words.iter().map(number).collect::<Result<_, _>>()?;
        within(site, || from_slice(&numbers, [numbers.len()]).converted(dtype, site).into_result())
    })())
}
