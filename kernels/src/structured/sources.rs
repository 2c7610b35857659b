//! The CUDA texts of all routines.

use super::{
    fft, gather, grouped, interpolation, labels, linalg, matmul, nearest, neighbourhood,
    recurrence, requests, scan, search, sort, sparse, transpose, trees,
};
use crate::cuda::special;
use phalanx_device::cuda::{BINNED, WORDS, copy_source, with_words};

/// The texts of all kernels that are written by hand, each with a name and for every dtype, for
/// tests of the compiler. A text that is missing here fails `every_text_is_among_the_sources`.
pub fn cuda_sources() -> Vec<(String, String)> {
    let kinds = [
        ("scan", [scan::cuda::sources(), scan::reduce_at_sources()].concat()),
        ("sort", sort::cuda::sources()),
        ("spectrum", fft::cuda::sources()),
        ("linalg", linalg::cuda::sources()),
        ("spmv", sparse::cuda::sources()),
        ("transpose", transpose::sources()),
        ("windows", neighbourhood::cuda::sources()),
        ("interpolation", interpolation::cuda::sources()),
        ("recurrence", recurrence::cuda::sources()),
        ("labels", labels::cuda::sources()),
        ("nearest", nearest::cuda::sources()),
        ("trees", trees::cuda::sources()),
        ("special", special::sources()),
        ("search", search::cuda::sources()),
        ("gather", [gather::cuda::take_sources(), gather::cuda::put_sources()].concat()),
        ("requests", requests::sources()),
        ("grouped", grouped::cuda::sources()),
        ("sum_parts", matmul::cuda::sources()),
        ("copy", vec![copy_source(), WORDS.to_owned()]),
        ("binned", vec![with_words(BINNED)]),
    ];
    let named = kinds.into_iter().flat_map(|(kind, sources)| {
        sources.into_iter().enumerate().map(move |(at, source)| (format!("{kind}_{at}"), source))
    });
    named.collect()
}
