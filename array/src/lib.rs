//! Arrays with NumPy's semantics, recorded into windows.
//!
//! An [`Array`] is a cell and a view. Operations record nodes in the window of their mesh. The
//! observation of a value closes the window and passes it to the [`Engine`], which `scheduler`
//! implements.
#![forbid(unsafe_code)]
// `Array` is `must_use` and gives the reason; functions that return it are marked too.
#![allow(clippy::double_must_use)]

mod array;
mod bits;
mod cases;
mod closeness;
mod complexes;
mod conversions;
mod convolution;
mod creation;
mod decomposition;
mod deferral;
mod differences;
mod display;
mod elementwise;
mod engine;
mod error;
pub mod fft;
mod fitting;
mod floating;
mod graph;
mod host;
mod householder;
pub mod indexing;
mod interpolation;
mod interval;
pub mod io;
mod lending;
mod lens;
mod linear;
mod manipulation;
mod math;
mod named_sharding;
mod operand;
mod polynomials;
mod power;
mod products;
pub mod random;
pub mod records;
mod reductions;
mod rounding;
mod scans;
mod series;
mod sharding;
mod sharing;
mod sorting;
pub mod sparse;
mod special;
mod statistics;
mod strided;
mod structured;
mod tensor_equations;
mod types;
mod ufunc;
mod unseen;
mod vectors;
mod verify;
mod view;
mod window;

/// Factorisations, norms and functions computed from them: NumPy's `linalg`.
pub mod linalg {
    pub use crate::decomposition::*;
    pub use crate::deferral::{check_matrices, checks_matrices};
    pub use crate::householder::qr_raw;
    pub use crate::linear::{cross, outer, vector_norm};
    pub use crate::products::{matmul, matrix_power, multi_dot, tensordot, vecdot};
    pub use crate::tensor_equations::{tensorinv, tensorsolve};
}

pub use array::{Array, Flags, Snapshot};
pub use bits::{BitOrder, byteswap, packbits, unpackbits};
pub use cases::{Piece, apply_along_axis, apply_over_axes, piecewise, piecewise_by, select_list};
pub use closeness::{
    Replacements, Tolerance, allclose, array_equal, array_equiv, isclose, isneginf, isposinf,
    nan_to_num,
};
pub use complexes::{angle, iscomplex, iscomplexobj, isreal, isrealobj, real_if_close};
pub use conversions::{
    array, asanyarray, asarray, asarray_chkfinite, astype, copy, frombuffer, fromiter, fromstring,
    isfortran,
};
pub use convolution::{ConvolveMode, convolve, correlate};
pub use creation::{
    FillOptions, Grid, GridRange, Indexing, NotInitialised, Samples, ShapeArgument, arange,
    arange_as, ascontiguousarray, asfortranarray, bartlett, blackman, diag, diag_indices,
    diag_indices_from, diagflat, empty, empty_like, eye, flush, from_function, from_slice, full,
    full_as, full_like, full_like_as, geomspace, hamming, hand_over, hanning, identity, indices,
    indices_as, kaiser, linspace, linspace_step, logspace, mask_indices, meshgrid, mgrid, ogrid,
    ones, ones_like, sparse_indices, sparse_indices_as, synchronize, tri, tril, tril_indices,
    tril_indices_from, triu, triu_indices, triu_indices_from, vander, whole_indices_as, zeros,
    zeros_like,
};
pub use deferral::{DeferredErrors, deferred_errors};
pub use differences::{DiffOptions, GradientOptions, diff, ediff1d, gradient, trapezoid};
pub use display::{
    Summary, array_repr, array_str, array2string, base_repr, binary_repr, format_float_positional,
    format_float_scientific, print,
};
pub use engine::{Cause, Engine, Evaluation, Limits, ShardMemory};
pub use error::{
    DataError, Error, ErrorKind, Failure, Place, Site, call_site, called_from, within,
};
pub use fitting::{PolynomialFit, poly, polydiv, polyfit, polyfit_full, unwrap};
pub use floating::{
    FloatingErrorKind, FloatingErrorMode, FloatingErrorReport, FloatingErrorReporter,
    FloatingErrorScope, FloatingErrors, Warning, errstate, floating_errors, report_warnings,
    set_floating_errors, warn_where,
};
pub use graph::{Evaluated, Graph, Input, Node, NodeData, NodeOp, Part, Source};
pub use host::{HostArray, LocalShard, ShardBytes, room_on_host};
pub use indexing::{
    AnyIndex, Ellipsis, IndexItem, IndexItems, IntoAnyIndex, Mode, NewAxis, argwhere, choose,
    compress, extract, flatnonzero, ix_, nonzero, place, put_along_axis, ravel_multi_index,
    ravel_multi_index_in, take, take_along_axis, try_place, try_put_along_axis, unravel_index,
    unravel_index_in,
};
pub use interpolation::{interp, interp_periodic};
pub use lending::Loan;
pub use lens::complex;
pub use manipulation::{
    AxisList, Ends, MemoryOrder, Nested, PadMode, PadWidths, Positions, Sections, Statistic, Trim,
    append, array_split, atleast_1d, atleast_2d, atleast_3d, block, broadcast_arrays,
    broadcast_shapes, column_stack, concat, concatenate, copyto, delete, dsplit, dstack,
    fill_diagonal, flip, fliplr, flipud, hsplit, hstack, insert, join_as, matrix_transpose,
    moveaxis, pad, pad_by, permute_dims, putmask, repeat, repeat_each, resize, roll, rollaxis,
    rot90, row_stack, split, stack, swapaxes, tile, trim_zeros, unstack, vsplit, vstack,
};
pub use math::select;
pub use named_sharding::{NamedSharding, NamedSplit, SplitAlong};
pub use operand::Argument;
pub use phalanx_ops::{Casting, Index, can_cast};
pub use polynomials::{polyadd, polyder, polyint, polymul, polysub, polyval, roots};
pub use products::{
    ContractedAxes, Product, ProductOptions, cross, dot, einsum, einsum_with, inner, kron, matmul,
    matrix_power, matvec, multi_dot, outer, product, product_dtype, tensordot, vdot, vecdot,
    vecmat,
};
pub use reductions::{
    Axes, all, amax, amin, any, argmax, argmin, axis, count_nonzero, keepdims, max, mean, min,
    nanargmax, nanargmin, nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar, prod, ptp, std,
    sum, var,
};
pub use rounding::{Bound, around, clip, fix, round};
pub use scans::{
    cumprod, cumsum, cumulative_as, cumulative_prod, cumulative_sum, nancumprod, nancumsum,
};
pub use series::{
    Basis, series_derivative, series_fit, series_integral, series_value, series_vander,
};
pub use sharding::{Drawing, picture};
pub use sharing::{may_share_memory, shares_memory};
pub use sorting::{
    Side, Unique, argpartition, argsort, argsort_descending, digitize, intersect1d,
    intersect1d_indices, isin, lexsort, partition, searchsorted, searchsorted_by, setdiff1d,
    setdiff1d_in_order, setxor1d, sort, sort_complex, sort_descending, topk, union1d, unique,
    unique_all, unique_along, unique_with,
};
pub use special::{i0, sinc};
pub use statistics::{
    BinRule, Bins, CovarianceOptions, HistogramOptions, QuantileMethod, Quantiles, average,
    average_and_weights, bincount, corrcoef, cov, histogram, histogram_bin_edges, histogram2d,
    histogramdd, median, nanmedian, nanpercentile, nanpercentile_weighted, nanquantile,
    nanquantile_weighted, percentile, percentile_along, percentile_weighted, quantile,
    quantile_weighted,
};
pub use types::{
    DTypeKind, common_type, isdtype, isscalar, issubdtype, iterable, min_scalar_type, mintypecode,
    promote_types, result_type, typename,
};
pub use ufunc::{Ufunc, UfuncOptions, ufunc};
pub use window::{Entered, MeshHandle};
