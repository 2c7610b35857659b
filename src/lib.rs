//! Phalanx: NumPy's arrays over the devices of one machine or many.
//!
//! Arrays are *global*: a program indexes, adds and reduces whole arrays, and every process owns
//! blocks of them. Operations are recorded and run fused when a value is observed.
//!
//! ```
//! use phalanx::prelude::*;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let session = phalanx::init(Config::default().devices(2))?;
//! let a = arange(0, 6, 1).reshape([2, 3]).astype(DType::F64);
//! let mut b = (&a * 2.0 + 1.0).sqrt();
//! b += a.sum(keepdims(1));
//! a.slice(s![0, 1..]).assign(-1.0);
//! assert_eq!(a.to_vec::<f64>()?, [0.0, -1.0, -1.0, 3.0, 4.0, 5.0]);
//! assert_eq!(b.slice(s![.., 0]).to_vec::<f64>()?, [4.0, 7f64.sqrt() + 12.0]);
//! session.finish()?;
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod binding;
pub mod config;
mod config_error;
pub mod cuda;
pub mod environment;
mod gpus;
mod introduction;
mod logging;
mod meeting;
pub mod placement;
pub mod prices;
mod session;
mod ways;

pub use config::{
    Config, ConfigError, CudaOptions, Devices, IntroductionFlaw, Left, Listener, MemoryLimit,
    Startup,
};
pub use gpus::{gpus, start_up};
pub use meeting::{Meeting, Way};
pub use phalanx_array::Limits;
pub use phalanx_array::{
    AnyIndex, IndexItem, IndexItems, IntoAnyIndex, Mode, Side, Unique, argpartition, argsort,
    argsort_descending, argwhere, choose, compress, cumprod, cumsum, cumulative_as, digitize,
    extract, fft, flatnonzero, intersect1d, intersect1d_indices, isin, ix, ix_, lexsort, linalg,
    nancumprod, nancumsum, nonzero, partition, place, put_along_axis, random, ravel_multi_index,
    ravel_multi_index_in, searchsorted, searchsorted_by, setdiff1d, setdiff1d_in_order, setxor1d,
    sort, sort_complex, sort_descending, sparse, take, take_along_axis, topk, union1d, unique,
    unique_all, unique_along, unique_with, unravel_index, unravel_index_in,
};
pub use phalanx_array::{
    Argument, Array, Axes, DataError, DeferredErrors, Drawing, Ellipsis, Entered, Error, ErrorKind,
    Failure, FillOptions, HostArray, LocalShard, MeshHandle, NamedSharding, NamedSplit, NewAxis,
    Piece, Place, ShapeArgument, ShardBytes, ShardMemory, Site, SplitAlong, arange, call_site,
    complex, deferred_errors, empty, flush, from_function, from_slice, full, full_as, full_like_as,
    hand_over, histogram, indexing, io, keepdims, linspace, linspace_step, matmul,
    nanpercentile_weighted, ones, pad_by, percentile, percentile_weighted, picture, piecewise_by,
    print, room_on_host, s, s_items, select, synchronize, within, zeros,
};
pub use phalanx_array::{
    AxisList, ContractedAxes, Ends, Grid, GridRange, Indexing, MemoryOrder, Nested, PadMode,
    PadWidths, Positions, Product, ProductOptions, Samples, Sections, Statistic, Trim, append,
    arange_as, array_split, ascontiguousarray, asfortranarray, atleast_1d, atleast_2d, atleast_3d,
    bartlett, blackman, block, broadcast_arrays, broadcast_shapes, column_stack, concat,
    concatenate, copyto, cross, delete, diag, diag_indices, diagflat, dot, dsplit, dstack, einsum,
    einsum_with, empty_like, eye, fill_diagonal, flip, fliplr, flipud, full_like, geomspace,
    hamming, hanning, hsplit, hstack, identity, indices, indices_as, inner, insert, join_as,
    kaiser, kron, logspace, matrix_power, matrix_transpose, matvec, meshgrid, mgrid, moveaxis,
    multi_dot, ogrid, ones_like, outer, pad, permute_dims, product, product_dtype, putmask, repeat,
    repeat_each, resize, roll, rollaxis, rot90, row_stack, sparse_indices, sparse_indices_as,
    split, stack, swapaxes, tensordot, tile, tri, tril, tril_indices, trim_zeros, triu,
    triu_indices, unstack, vander, vdot, vecdot, vecmat, vsplit, vstack, whole_indices_as,
    zeros_like,
};
pub use phalanx_array::{
    Basis, BinRule, Bins, BitOrder, Casting, DTypeKind, HistogramOptions, PolynomialFit,
    QuantileMethod, Quantiles, apply_along_axis, array, array_str, array2string, asanyarray,
    asarray, asarray_chkfinite, astype, base_repr, binary_repr, can_cast, common_type, copy,
    cumulative_prod, cumulative_sum, diag_indices_from, format_float_positional,
    format_float_scientific, frombuffer, fromiter, fromstring, histogram2d, histogramdd, isdtype,
    isfortran, isscalar, issubdtype, iterable, mask_indices, may_share_memory, median,
    min_scalar_type, mintypecode, nanmedian, nanpercentile, nanquantile, nanquantile_weighted,
    packbits, percentile_along, poly, polydiv, polyfit, polyfit_full, promote_types, quantile,
    quantile_weighted, result_type, series_derivative, series_fit, series_integral, series_value,
    series_vander, shares_memory, tril_indices_from, triu_indices_from, typename, unpackbits,
    unwrap,
};
pub use phalanx_array::{
    Bound, ConvolveMode, CovarianceOptions, DiffOptions, GradientOptions, Replacements, Tolerance,
    Ufunc, UfuncOptions, all, allclose, amax, amin, angle, any, apply_over_axes, argmax, argmin,
    around, array_equal, array_equiv, average, average_and_weights, axis, bincount, clip, convolve,
    corrcoef, correlate, count_nonzero, cov, diff, ediff1d, fix, gradient, histogram_bin_edges, i0,
    interp, interp_periodic, isclose, iscomplex, iscomplexobj, isneginf, isposinf, isreal,
    isrealobj, max, mean, min, nan_to_num, nanargmax, nanargmin, nanmax, nanmean, nanmin, nanprod,
    nanstd, nansum, nanvar, piecewise, polyadd, polyder, polyint, polymul, polysub, polyval, prod,
    ptp, real_if_close, roots, round, select_list, sinc, std, sum, trapezoid, ufunc, var,
};
pub use phalanx_array::{
    Flags, Loan, Snapshot, Summary, array_repr, byteswap, records, try_place, try_put_along_axis,
};
pub use phalanx_array::{
    FloatingErrorKind, FloatingErrorMode, FloatingErrorReport, FloatingErrorReporter,
    FloatingErrorScope, FloatingErrors, Warning, called_from, errstate, floating_errors,
    report_warnings, set_floating_errors, warn_where,
};
#[doc(hidden)]
pub use phalanx_collectives::{
    ReservedPort, address_towards, default_address, host_name, resolved,
};
pub use phalanx_distributed::Policy;
pub use phalanx_ops::elementwise::{Arg, MULTI_OUTPUT, MultiOutput};
pub use phalanx_ops::error::OpError;
pub use phalanx_ops::waiting;
pub use phalanx_ops::{
    Bounds, DType, Element, Index, Kind, Mesh, Op, Scalar, Sharding, Split, Weak,
};
pub use phalanx_scheduler::{Counters, planning};
pub use session::{
    DeviceMemory, InitError, InitFailure, ProcessFacts, Session, agree, check_process, declare,
    init, rank, size,
};

/// The names that most programs use.
pub mod prelude {
    pub use crate::{
        Argument, Array, BitOrder, Casting, Config, ConvolveMode, CovarianceOptions, DType,
        DataError, DiffOptions, Ellipsis, Error, ErrorKind, GradientOptions, GridRange,
        HistogramOptions, HostArray, Indexing, LocalShard, MemoryOrder, Mode, NewAxis, Op, OpError,
        PadMode, QuantileMethod, Samples, Scalar, Session, Sharding, Side, Trim, Weak,
    };
    pub use crate::{
        allclose, angle, append, arange, argsort, array_equal, array_equiv, array_split, average,
        average_and_weights, axis, bartlett, bincount, blackman, block, broadcast_arrays,
        column_stack, concatenate, convolve, copyto, corrcoef, correlate, cov, cross, cumsum,
        delete, diag, diff, dot, dstack, ediff1d, einsum, einsum_with, empty, empty_like, eye, fft,
        fill_diagonal, flip, from_function, from_slice, full, full_like, geomspace, gradient,
        hamming, hanning, histogram, histogram2d, hstack, i0, identity, indices, inner, insert, io,
        isclose, ix, kaiser, keepdims, kron, lexsort, linalg, linspace, logspace, matmul,
        matrix_power, matvec, median, meshgrid, mgrid, moveaxis, multi_dot, nan_to_num, nanmean,
        nansum, nanvar, nonzero, ones, outer, packbits, pad, partition, percentile, piecewise,
        polyadd, polyder, polyfit, polyval, product, put_along_axis, putmask, quantile, random,
        repeat, repeat_each, resize, roll, rot90, s, searchsorted, select, select_list, sinc, sort,
        split, stack, take, take_along_axis, tensordot, tile, topk, trapezoid, tri, tril,
        tril_indices, trim_zeros, ufunc, unique, vander, vdot, vecdot, vecmat, vstack, zeros,
        zeros_like,
    };
}
