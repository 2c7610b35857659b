//! Arrays filled with one value, or with the values of an array, in an order of axes in memory.

use super::basic::{ShapeArgument, full};
use super::conversions::isfortran;
use super::like::full_like;
use crate::array::{Argument, Array, cast_scalar, dtype_of_number};
use crate::dtypes::result_type;
use crate::floating::{check_cast, check_number, warn_filled};
use crate::manipulation::{MemoryOrder, refused};
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::{DType, Scalar, Weak};

/// Options of [`full_as`] and [`full_like_as`]. `FillOptions::default()` selects NumPy's default
/// dtype and order.
#[derive(Clone, Default, Debug)]
pub struct FillOptions {
    dtype: Option<DType>,
    order: Option<MemoryOrder>,
    shape: Option<ShapeArgument>,
}

impl FillOptions {
    /// The dtype. The default is the dtype of the value, or of the array in [`full_like_as`].
    #[must_use]
    pub fn dtype(self, dtype: impl Into<Option<DType>>) -> FillOptions {
        FillOptions { dtype: dtype.into(), ..self }
    }

    /// The order of axes in memory. The default is C order, or the order of the array in
    /// [`full_like_as`].
    #[must_use]
    pub fn order(self, order: MemoryOrder) -> FillOptions {
        FillOptions { order: Some(order), ..self }
    }

    /// The shape, instead of that of the array in [`full_like_as`].
    #[must_use]
    pub fn shape(self, shape: impl Into<ShapeArgument>) -> FillOptions {
        FillOptions { shape: Some(shape.into()), ..self }
    }
}

/// NumPy's `full`: an array of one value, or of the values of an array, which are cast and
/// broadcast to the shape.
///
/// Dtype: that of the options, else that of the value; a number has the default dtype of its kind.
/// Local (records nodes). Errors: `OpError::OutOfRange`, `OpError::BroadcastInto`,
/// `OpError::Argument` for the orders A and K.
#[track_caller]
pub fn full_as(
    shape: impl Into<ShapeArgument>,
    value: impl Into<Argument>,
    options: FillOptions,
) -> Array {
    let (site, shape, value) = (call_site(), shape.into(), value.into());
    if let Some(Err(error)) = options.dtype.map(|dtype| warn_filled(&value, dtype, site)) {
        return Array::catch(Err(error));
    }
    let made = within(site, || {
        let dtype = match options.dtype {
            Some(dtype) => dtype,
            None => match &value {
                Argument::Weak(weak) => dtype_of_number(*weak),
                strong => result_type(std::slice::from_ref(strong))?,
            },
        };
        let made = match options.order.unwrap_or(MemoryOrder::C) {
            MemoryOrder::C => full(shape, number_of(&value, dtype, site)?, dtype),
            MemoryOrder::F => {
                let reversed: Vec<i64> = shape.0.iter().rev().copied().collect();
                full(reversed.as_slice(), number_of(&value, dtype, site)?, dtype).t()
            }
            other => return Err(refused("full", "order", format!("{other:?}"), site)),
        };
        Ok(made)
    });
    Array::catch(made.and_then(|made| filled(made, &value, site)))
}

/// NumPy's `full_like`: as [`full_as`], with the shape, the dtype and the order of axes of an array
/// unless the options give others. Local (records nodes). Errors: as for [`full_as`].
#[track_caller]
pub fn full_like_as(array: &Array, value: impl Into<Argument>, options: FillOptions) -> Array {
    let (site, value) = (call_site(), value.into());
    let dtype = options.dtype.unwrap_or(array.dtype());
    if let Err(error) = warn_filled(&value, dtype, site) {
        return Array::catch(Err(error));
    }
    let made = within(site, || {
        array.ok()?;
        let number = number_of(&value, dtype, site)?;
        let order = options.order.unwrap_or(MemoryOrder::K);
        if order == MemoryOrder::K && options.shape.is_none() {
            return Ok(full_like(array, number, dtype));
        }
        let shape = options.shape.unwrap_or_else(|| array.shape().into()).0;
        // The axes, from outermost to innermost.
        let mut axes: Vec<usize> = (0..shape.len()).collect();
        match order {
            MemoryOrder::F => axes.reverse(),
            MemoryOrder::A if isfortran(array) => axes.reverse(),
            MemoryOrder::K if shape.len() == array.ndim() => {
                let strides = array.strides();
                axes.sort_by_key(|&axis| std::cmp::Reverse(strides[axis].unsigned_abs()));
            }
            _ => {}
        }
        let outer: Vec<i64> = axes.iter().map(|&axis| shape[axis]).collect();
        let mut inverse = vec![0i64; axes.len()];
        axes.iter().enumerate().for_each(|(place, &axis)| inverse[axis] = place as i64);
        let made = array.mesh()?.enter(|| full(outer.as_slice(), number, dtype));
        Ok(made.transpose(&inverse))
    });
    Array::catch(made.and_then(|made| filled(made, &value, site)))
}

/// The number of a value for elements of `dtype`; zero for an array, whose values are written
/// later. Scalars are cast as by `astype`. Errors: the floating-point error of the cast.
fn number_of(value: &Argument, dtype: DType, site: Site) -> Result<Weak, Error> {
    match value {
        Argument::Weak(weak) => {
            check_number(*weak, Scalar::from_weak(dtype, *weak), site)?;
            Ok(*weak)
        }
        Argument::Scalar(scalar) => Ok(cast_scalar(dtype, *scalar, site)?.to_weak()),
        Argument::Array(_) => Ok(Weak::Int(0)),
    }
}

/// The new array. If `value` is an array, its values are written into it.
fn filled(made: Array, value: &Argument, site: Site) -> Result<Array, Error> {
    if let Argument::Array(values) = value {
        let cast = values.ok()?.converted(made.ok()?.dtype(), site);
        check_cast(values, &cast, site);
        within(site, || made.try_assign(cast))?;
    }
    made.into_result()
}
