//! Joins: one array made from several. Each part is one write into the result, so a join of pending
//! values is computed in place.

use crate::array::Argument;
use crate::array::Array;
use crate::dtypes::promote_all;
use crate::floating::{check_cast, warn_discarded};
use crate::manipulation::argument::{AxisList, along, refused, sound, span, with_extent};
use crate::recording::{check_shape, in_order, mesh_of};
use phalanx_graph::{Error, MeshHandle, NodeOp, Operand, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{Casting, DType, Index, Scalar, Shape, Weak, can_cast};

/// A new array of zeros. `order` is the order of its axes in memory, from outermost to innermost;
/// `None` is C order.
pub(crate) fn blank(
    mesh: &MeshHandle,
    shape: &[usize],
    dtype: DType,
    order: Option<&[usize]>,
    site: Site,
) -> Result<Array, Error> {
    check_shape(shape, dtype, site)?;
    let recorded: Shape = match order {
        Some(order) => order.iter().map(|&axis| shape[axis]).collect(),
        None => shape.into(),
    };
    let zero = Operand::Scalar(Scalar::from_weak(dtype, Weak::Int(0)));
    let node = mesh.record(NodeOp::Fill, &[zero], recorded, dtype, site)?;
    in_order(mesh.clone(), node, order)
}

/// Writes a part of a new array.
pub(crate) fn write_part(
    target: &Array,
    items: &[Index],
    value: impl Into<Argument>,
    site: Site,
) -> Result<(), Error> {
    within(site, || {
        let part = target.slice(items);
        if part.ok()?.size() == 0 { Ok(()) } else { part.try_assign(value) }
    })
}

/// The mesh on which the arrays reside.
pub(crate) fn mesh_of_all<'a>(
    arrays: impl IntoIterator<Item = &'a Array>,
    site: Site,
) -> Result<MeshHandle, Error> {
    let arguments: Vec<Argument> = arrays.into_iter().map(Argument::from).collect();
    mesh_of(&arguments, site)
}

/// The order of axes that NumPy gives a join: the order of the parts, or C order where they
/// disagree.
///
/// Source: NumPy's `PyArray_CreateMultiSortedStridePerm`, an insertion sort of the axes by the
/// absolute strides of all parts.
fn join_order(arrays: &[&Array]) -> Option<Vec<usize>> {
    let ndim = arrays[0].ndim();
    let strides: Vec<Vec<isize>> = arrays.iter().map(|array| array.strides()).collect();
    let mut order: Vec<usize> = (0..ndim).collect();
    for position in 1..ndim {
        let axis = order[position];
        let mut place = position;
        for before in (0..position).rev() {
            let (mut swap, mut ambiguous) = (false, true);
            for (array, strides) in arrays.iter().zip(&strides) {
                let other = order[before];
                if array.shape()[axis] == 1 || array.shape()[other] == 1 {
                    continue;
                }
                if strides[axis].unsigned_abs() <= strides[other].unsigned_abs() {
                    swap = false;
                } else if ambiguous {
                    swap = true;
                }
                ambiguous = false;
            }
            if !ambiguous {
                if !swap {
                    break;
                }
                place = before;
            }
        }
        order.remove(position);
        order.insert(place, axis);
    }
    if order.is_sorted() { None } else { Some(order) }
}

/// The arrays joined along an existing axis. Axis `()` joins all elements of each array in C order.
///
/// Shapes: equal except along the axis. Dtype: the promotion of all. Local (records one write for
/// each array). Errors: `OpError::Argument` for no arrays and for shapes that differ,
/// `OpError::Ndim` for 0-d arrays, `OpError::Axis`, `OpError::Meshes`.
#[track_caller]
#[must_use]
pub fn concatenate(arrays: &[&Array], axis: impl Into<AxisList>) -> Array {
    let (site, axis) = (call_site(), axis.into());
    Array::catch(try_concatenate(arrays, &axis, None, site))
}

/// Alias of [`concatenate`].
#[track_caller]
#[must_use]
pub fn concat(arrays: &[&Array], axis: impl Into<AxisList>) -> Array {
    concatenate(arrays, axis)
}

/// The arrays joined. If `dtype` is `None`, the result has the promoted dtype of the parts.
pub(crate) fn try_concatenate(
    arrays: &[&Array],
    axis: &AxisList,
    dtype: Option<DType>,
    site: Site,
) -> Result<Array, Error> {
    sound(arrays.iter().copied())?;
    let Some(first) = arrays.first() else {
        return Err(refused("concatenate", "arrays", "none", site));
    };
    if axis.0.is_none() {
        let flat: Vec<Array> = arrays.iter().map(|array| within(site, || array.ravel())).collect();
        let flat: Vec<&Array> = flat.iter().collect();
        return try_concatenate(&flat, &AxisList::from(0), dtype, site);
    }
    if first.ndim() == 0 {
        let error = OpError::Ndim { operation: "concatenate", expected: "1 or more", ndim: 0 };
        return Err(Error::op(error, site));
    }
    let ndim = first.ndim();
    let axis = axis.single("concatenate", ndim, site)?.unwrap_or(0);
    let mut extent = 0usize;
    for (place, array) in arrays.iter().enumerate() {
        let fits = array.ndim() == ndim
            && (0..ndim).all(|k| k == axis || array.shape()[k] == first.shape()[k]);
        if !fits {
            let (first, other) = (first.shape(), array.shape());
            let value = format!(
                "shapes {first:?} (operand 0) and {other:?} (operand {place}), which must be equal \
                 except along axis {axis},"
            );
            return Err(refused("concatenate", "arrays", value, site));
        }
        extent = extent.saturating_add(array.shape()[axis]);
    }
    let dtype = dtype.unwrap_or_else(|| {
        promote_all(arrays.iter().map(|array| array.dtype())).unwrap_or(DType::F64)
    });
    let mesh = mesh_of_all(arrays.iter().copied(), site)?;
    let shape = with_extent(first.shape(), axis, extent);
    let order = join_order(arrays);
    let result = blank(&mesh, &shape, dtype, order.as_deref(), site)?;
    let mut start = 0;
    for array in arrays {
        let stop = start + array.shape()[axis];
        write_part(&result, &along(ndim, axis, span(start, stop)), *array, site)?;
        start = stop;
    }
    Ok(result)
}

/// Joins arrays by a function, such as `|arrays| stack(arrays, 0)`, in a dtype: the arguments
/// `dtype` and `casting` of NumPy's joins.
///
/// Dtype: `dtype`, or what the arrays promote to. Local, like the function. Errors: those of the
/// function, and `OpError::Cast` for an array whose cast `casting` forbids.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::{Array, Casting, concatenate, join_as};
/// use phalanx_ops::DType;
/// # fn example(x: &Array, y: &Array) -> Array {
/// // np.concatenate([x, y], dtype="f4", casting="unsafe")
/// join_as(&[x, y], Some(DType::F32), Casting::Unsafe, |arrays| concatenate(arrays, 0))
/// # }
/// ```
#[track_caller]
#[must_use]
pub fn join_as(
    arrays: &[&Array],
    dtype: Option<DType>,
    casting: Casting,
    join: impl Fn(&[&Array]) -> Array,
) -> Array {
    let site = call_site();
    let joined = within(site, || {
        // Wrong shapes are refused before wrong casts.
        let joined = join(arrays);
        let to = dtype.unwrap_or(joined.ok()?.dtype());
        for array in arrays {
            let from = array.dtype();
            if !can_cast(from, to, casting) {
                return Err(Error::op(OpError::Cast { from, to, casting }, site));
            }
        }
        Ok((joined, to))
    });
    Array::catch(joined.and_then(|(joined, to)| {
        if to == joined.dtype() {
            return Ok(joined);
        }
        let cast = |array: &&Array| {
            let cast = array.converted(to, site);
            warn_discarded(array.dtype(), to, site)?;
            check_cast(array, &cast, site);
            Ok(cast)
        };
        let cast = arrays.iter().map(cast).collect::<Result<Vec<Array>, Error>>()?;
        within(site, || join(&cast.iter().collect::<Vec<_>>()).into_result())
    }))
}
