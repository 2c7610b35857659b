//! New arrays.

use crate::answer::Answer;
use crate::arguments::{Arguments, inexpressible};
use phalanx::{
    Array, DType, Error, Grid, Indexing, Samples, arange, ascontiguousarray, asfortranarray,
    bartlett, blackman, diag, diag_indices, diagflat, empty, empty_like, eye, full, full_like,
    geomspace, hamming, hanning, identity, indices, kaiser, linspace, logspace, meshgrid, ones,
    ones_like, sparse_indices, tri, tril, tril_indices, triu, triu_indices, vander, zeros,
    zeros_like,
};

calls! { a =>
    "zeros": zeros(a.shape(0), dtype(a)),
    "ones": ones(a.shape(0), dtype(a)),
    "empty": empty(a.shape(0), dtype(a)),
    "full": full(a.shape(0), a.number(1), a.optional_dtype("dtype").unwrap_or(a.dtype_of(1))),
    "arange": match a.count() {
        1 => arange(0, a.number(0), 1),
        2 => arange(a.number(0), a.number(1), 1),
        _ => arange(a.number(0), a.number(1), a.number(2)),
    },
    "linspace": linspace(a.number(0), a.number(1), samples(a)),
    "logspace": logspace(
        a.argument(0),
        a.argument(1),
        samples(a),
        a.optional_argument("base").unwrap_or(10.0.into()),
    ),
    "geomspace": geomspace(a.argument(0), a.argument(1), samples(a)),
    "eye": eye(a.extent(0), side(a, 1), a.int_or(2, 0), dtype(a)),
    "identity": identity(a.extent(0), dtype(a)),
    "tri": tri(a.extent(0), side(a, 1), a.int_or(2, 0), dtype(a)),
    "tril": tril(&a.array(0), a.int_or(1, 0)),
    "triu": triu(&a.array(0), a.int_or(1, 0)),
    "diag": diag(&a.array(0), a.int_or(1, 0)),
    "diagflat": diagflat(&a.array(0), a.int_or(1, 0)),
    "vander": vander(&a.array(0), side(a, 1), a.flag("increasing")),
    "zeros_like": zeros_like(&a.array(0), a.optional_dtype("dtype")),
    "ones_like": ones_like(&a.array(0), a.optional_dtype("dtype")),
    "empty_like": empty_like(&a.array(0), a.optional_dtype("dtype")),
    "full_like": full_like(&a.array(0), a.number(1), a.optional_dtype("dtype")),
    "ascontiguousarray": ascontiguousarray(&a.array(0)),
    "asfortranarray": asfortranarray(&a.array(0)),
    "indices": match a.flag("sparse") {
        true => sparse_indices(a.shape(0)),
        false => indices(a.shape(0)).ok().map(|array| vec![array.clone()]),
    }.map(|found| if a.flag("sparse") { found.into() } else { Answer::from(&found[0]) }),
    "meshgrid": grid(a),
    "tril_indices": tril_indices(a.extent(0), a.int_or(1, 0), side(a, 2)),
    "triu_indices": triu_indices(a.extent(0), a.int_or(1, 0), side(a, 2)),
    "diag_indices": diag_indices(a.extent(0), side(a, 1).unwrap_or(2)),
    "hanning": hanning(length(a)),
    "hamming": hamming(length(a)),
    "blackman": blackman(length(a)),
    "bartlett": bartlett(length(a)),
    "kaiser": kaiser(length(a), a.float(1)),
}

fn dtype(a: &Arguments) -> DType {
    a.optional_dtype("dtype").unwrap_or(DType::F64)
}

/// An extent that may be left out.
fn side(a: &Arguments, place: usize) -> Option<usize> {
    a.optional_int(place).map(|_| a.extent(place))
}

/// The length of a window; a negative length is 0.
fn length(a: &Arguments) -> usize {
    a.int(0).max(0) as usize
}

fn samples(a: &Arguments) -> Samples {
    let count = a.optional_int(2).map_or(50, |_| a.extent(2));
    Samples::from(count).endpoint(a.flag_or("endpoint", true))
}

fn grid(a: &Arguments) -> Result<Vec<Array>, Error> {
    let indexing = match a.optional_text("indexing").as_deref() {
        None | Some("xy") => Indexing::Xy,
        Some("ij") => Indexing::Ij,
        Some(other) => inexpressible(format!("indexing {other}")),
    };
    let grid = Grid::from(indexing).sparse(a.flag("sparse")).copy(a.flag_or("copy", true));
    let arrays = a.arrays_from(0);
    meshgrid(&arrays.iter().collect::<Vec<_>>(), grid)
}
