//! Values of images between their elements.

use crate::array::Array;
use crate::manipulation::{common_shape, refused};
use crate::recording::record_structured;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::{Interpolate, Outside, SPLINE_ORDER, Structured, WINDOW_AXES};
use phalanx_ops::{DType, Kind};

/// The values of a spline at points: SciPy's `map_coordinates` of `scipy.ndimage`, without its
/// filter.
///
/// `coefficients` are those of the spline of this order, 0 to 5; for 0 and 1 they are the image.
/// Points have coordinates along the last axes of the coefficients. The first axis of an array of
/// `coordinates` is that of these axes, in their order: one array has the coordinates along all of
/// them, as SciPy's, or several have some each. Their other axes broadcast, and come last in the
/// result, behind the other axes of the coefficients. The result is
/// computed in `f64`, and has the dtype `f32` if the coefficients have, else `f64`. Points that no
/// element stands for, such as NaN, have the value `number`. Sharding: that of the coordinates;
/// every device gets the last axes of the coefficients whole. Local (records a node). Errors:
/// `OpError::Ndim` if there are more coordinates than axes, or none, or more than [`WINDOW_AXES`],
/// or an array of them is a scalar;
/// `OpError::Argument` for coefficients without elements, complex numbers and another order;
/// `OpError::Broadcast`.
#[track_caller]
#[must_use]
pub fn interpolate(
    coefficients: &Array,
    coordinates: &[Array],
    order: u8,
    outside: Outside,
    number: f64,
) -> Array {
    Array::catch(recorded(coefficients, coordinates, order, (outside, number), call_site()))
}

fn recorded(
    coefficients: &Array,
    coordinates: &[Array],
    order: u8,
    (outside, number): (Outside, f64),
    site: Site,
) -> Result<Array, Error> {
    const OPERATION: &str = "interpolate";
    for array in [coefficients].into_iter().chain(coordinates) {
        array.ok()?;
        if array.dtype().is_complex() {
            return Err(refused(OPERATION, "dtype", array.dtype().to_string(), site));
        }
    }
    if let Some(scalar) = coordinates.iter().find(|array| array.ndim() == 0) {
        let expected = "at least 1, whose first one is that of the coordinates";
        let error = OpError::Ndim { operation: OPERATION, expected, ndim: scalar.ndim() };
        return Err(Error::op(error, site));
    }
    let count = coordinates.iter().map(|array| array.shape()[0]).sum::<usize>();
    if count == 0 || count > coefficients.ndim().min(WINDOW_AXES) {
        let expected = "one axis for each coordinate, at least 1 and at most 8";
        let error = OpError::Ndim { operation: OPERATION, expected, ndim: coefficients.ndim() };
        return Err(Error::op(error, site));
    }
    if coefficients.size() == 0 {
        return Err(refused(OPERATION, "coefficients", "no elements", site));
    }
    if order > SPLINE_ORDER {
        return Err(refused(OPERATION, "order", order.to_string(), site));
    }
    let shapes = coordinates.iter().map(|array| &array.shape()[1..]);
    let shape = common_shape(shapes, site)?;
    let single = |array: &Array| array.dtype() == DType::F32;
    let wide = |is_single: bool| if is_single { DType::F32 } else { DType::F64 };
    // Integers of 16 bits and halves are exact in `f32`.
    let own = coefficients.dtype();
    let is_narrow = own.size() <= 2 || single(coefficients);
    let dtype = wide(own.kind() == Kind::Float && is_narrow);
    let of_points = wide(coordinates.iter().all(single));
    let mut operands = vec![coefficients.converted(wide(is_narrow), site)];
    for array in coordinates {
        let array = array.converted(of_points, site);
        // All have as many axes as the points, and the first one.
        let (own, extents) = array.shape().split_at(1);
        let ones = vec![1; shape.len() - extents.len()];
        let extents = [own, &ones, extents].concat();
        operands.push(within(site, || array.reshape(extents).into_result())?);
    }
    let op = Interpolate { axes: count as u8, order, outside, number: number.to_bits(), dtype };
    let operands: Vec<&Array> = operands.iter().collect();
    record_structured(Structured::Interpolate(op), &operands, site)
}
