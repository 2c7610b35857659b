//! Filters that combine the elements in a window around each element.

use crate::array::Array;
use crate::manipulation::refused;
use crate::recording::record_structured;
use phalanx_graph::{Error, Site, call_site};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::{Border, Neighbourhood, Structured, WINDOW_AXES, WindowCombine};
use phalanx_ops::{DType, Kind};

/// What a filter computes from the elements in a window. Each window is an array with as many axes
/// as the image.
#[derive(Clone, Copy)]
pub enum Window<'a> {
    /// The sum of the products with these weights.
    Sum(&'a Array),
    /// As `Sum`, for weights along one axis, in the order of SciPy's `correlate1d`: pairs of
    /// elements first if the weights are symmetric or antisymmetric. Weights of 0 count.
    Line(&'a Array),
    /// The mean of the elements where the footprint is true.
    Mean(&'a Array),
    /// The smallest element where the footprint is true, with the heights, if any, subtracted.
    Minimum(&'a Array, Option<&'a Array>),
    /// The largest element where the footprint is true, with the heights, if any, added.
    Maximum(&'a Array, Option<&'a Array>),
    /// The element of a rank, from 0, among those where the footprint is true.
    Rank(&'a Array, usize),
}

/// The options of a filter.
#[derive(Clone, Debug)]
pub struct WindowOptions {
    /// The elements outside of the image.
    pub border: Border,
    /// For each axis, how far the window is moved; empty if it is not.
    ///
    /// The window of element `i` starts at `i - extent / 2 - origin`.
    pub origins: Vec<i64>,
    /// The dtype of a sum or mean, or with heights; by default that of the image. Other results
    /// have the dtype of the image.
    pub dtype: Option<DType>,
}

impl Default for WindowOptions {
    fn default() -> WindowOptions {
        WindowOptions { border: Border::Reflect, origins: Vec::new(), dtype: None }
    }
}

/// The combination of the elements in a window around each element of an image: SciPy's
/// `correlate`, `uniform_filter`, `minimum_filter`, `maximum_filter` and `rank_filter` of
/// `scipy.ndimage`.
///
/// Where no element of a footprint is true, the result is 0; a rank beyond the true elements stands
/// for the greatest of them or of the dtype. Shape: that of the image. Sums and means are computed
/// in `f64`, and truncated if the result has integers. Sharding: that of the image; the elements at
/// the borders of blocks move. Local (records a node). Errors: `OpError::Ndim` if the window has
/// other axes than the image, or there are more than [`WINDOW_AXES`]; `OpError::Argument` for a
/// window of no extent, an origin outside of the window, a `Line` along several
/// axes, a rank that is too large, and complex images (filter the real and the imaginary part).
#[track_caller]
#[must_use]
pub fn window_filter(image: &Array, window: Window<'_>, options: &WindowOptions) -> Array {
    let site = call_site();
    Array::catch(record(image, window, options, site))
}

fn record(
    image: &Array,
    window: Window<'_>,
    options: &WindowOptions,
    site: Site,
) -> Result<Array, Error> {
    const OPERATION: &str = "window_filter";
    let (combine, shape, heights) = match window {
        Window::Sum(weights) => (WindowCombine::Sum, weights, None),
        Window::Line(weights) => (WindowCombine::Line, weights, None),
        Window::Mean(footprint) => (WindowCombine::Mean, footprint, None),
        Window::Minimum(footprint, heights) => (WindowCombine::Minimum, footprint, heights),
        Window::Maximum(footprint, heights) => (WindowCombine::Maximum, footprint, heights),
        Window::Rank(footprint, rank) => (WindowCombine::Rank(rank as u32), footprint, None),
    };
    for array in [Some(image), Some(shape), heights].into_iter().flatten() {
        array.ok()?;
    }
    let ndim = image.ndim();
    let expected = match () {
        () if ndim > WINDOW_AXES => Some("at most 8"),
        () if [Some(shape), heights].into_iter().flatten().any(|it| it.ndim() != ndim) => {
            Some("that of the image")
        }
        () => None,
    };
    if let Some(expected) = expected {
        let error = OpError::Ndim { operation: OPERATION, expected, ndim: shape.ndim().max(ndim) };
        return Err(Error::op(error, site));
    }
    let lines = shape.shape().iter().filter(|&&extent| extent > 1).count();
    if combine == WindowCombine::Line && lines > 1 {
        return Err(refused(OPERATION, "window", "a line along several axes", site));
    }
    if image.dtype().is_complex() {
        return Err(refused(OPERATION, "image", "complex numbers", site));
    }
    if shape.size() == 0 {
        return Err(refused(OPERATION, "window", "no elements", site));
    }
    if let WindowCombine::Rank(_) = combine
        && let Window::Rank(_, rank) = window
        && rank >= shape.size().min(u32::MAX as usize)
    {
        return Err(refused(OPERATION, "rank", rank.to_string(), site));
    }
    if let Some(heights) = heights.filter(|heights| heights.shape() != shape.shape()) {
        let given = format!("heights of shape {:?}", heights.shape());
        return Err(refused(OPERATION, "window", given, site));
    }
    let (mut before, mut extents) = ([0; WINDOW_AXES], [0; WINDOW_AXES]);
    for (axis, &extent) in shape.shape().iter().enumerate() {
        let origin = options.origins.get(axis).copied().unwrap_or(0);
        let first = (extent / 2) as i64 + origin;
        if !(0..extent as i64).contains(&first) || extent > u32::MAX as usize {
            return Err(refused(OPERATION, "origins", origin.to_string(), site));
        }
        (before[axis], extents[axis]) = (first as u32, image.shape()[axis] as u64);
    }
    // Halves have no routine of their own; every half is an `f32`.
    let own = image.dtype();
    let wide = if own.kind() == Kind::Float && own.size() == 2 { DType::F32 } else { own };
    let is_weighted = matches!(combine, WindowCombine::Sum | WindowCombine::Line);
    let is_sum = is_weighted || combine == WindowCombine::Mean;
    let result = options.dtype.filter(|_| is_sum || heights.is_some()).unwrap_or(own);
    let is_half = result.kind() == Kind::Float && result.size() == 2;
    let dtype = if is_half { DType::F32 } else { result };
    if dtype.is_complex() {
        return Err(refused(OPERATION, "dtype", result.to_string(), site));
    }
    let of_window = if is_weighted { DType::F64 } else { DType::Bool };
    let op = Neighbourhood {
        combine,
        border: options.border,
        before,
        extents,
        has_heights: heights.is_some(),
        dtype,
    };
    let image = image.converted(wide, site);
    let shape = shape.converted(of_window, site);
    let heights = heights.map(|heights| heights.converted(DType::F64, site));
    let mut operands = vec![&image, &shape];
    operands.extend(heights.as_ref());
    let filtered = record_structured(Structured::Neighbourhood(op), &operands, site)?;
    Ok(filtered.converted(result, site))
}
