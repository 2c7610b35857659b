"""Laplacians of graphs."""

import phalanx as np

from ...._phalanx import _refusal
from ...._phalanx.sparse import _laplacian
from .._classes import adopted, class_of, is_sparse
from ._described import DISTRIBUTED, described_graph


@described_graph(
    "coo_array, coo_matrix, ndarray, function or LinearOperator, or a tuple: The Laplacian, sparse "
    "if the graph is; with `return_diag` also the degrees, or the roots of them if `normed`.",
    {"ValueError": "The matrix is not square, or the form is unknown."}, DISTRIBUTED,
    csgraph=("sparse matrix or array_like", "The graph, of shape (N, N). Zeros are no edges; "
             "infinities and NaN are weights."),
)
def laplacian(csgraph, normed=False, return_diag=False, use_out_degree=False, *, copy=True,
              form="array", dtype=None, symmetrized=False):
    """The degrees of the nodes on the diagonal, less the weights of the edges."""
    graph = adopted(csgraph)
    graph = graph if is_sparse(graph) else np.asarray(graph)
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
        raise _refusal(ValueError, "value", "csgraph must be a square matrix or array")
    if form not in ("array", "function", "lo"):
        raise _refusal(ValueError, "choice", f"Invalid form: {form!r}")
    if normed and graph.dtype.kind in "iu":
        graph = graph.astype(np.float64)
    dtype = graph.dtype if dtype is None else np.dtype(dtype)
    axis = 1 if use_out_degree else 0
    if form != "array":
        made, diagonal = _product(graph, normed, axis, form, dtype, symmetrized)
    elif is_sparse(graph):
        made, diagonal = _of_sparse(graph, normed, axis, dtype, symmetrized)
    else:
        made, diagonal = _of_dense(graph, normed, axis, dtype, symmetrized)
    return (made, diagonal) if return_diag else made


def _of_sparse(graph, normed, axis, dtype, symmetrized):
    core, diagonal = _laplacian(graph._rows(), bool(normed), axis == 1, bool(symmetrized), dtype)
    rows = class_of("csr", graph._is_array)._of_core(core, tuple(core.shape))
    is_banded = graph.format == "dia" and not normed
    return (rows.todia() if is_banded else rows.tocoo()), diagonal


def _roots(degrees):
    """The square roots of degrees, 1 for nodes without edges, and which nodes have none."""
    is_alone = degrees == 0
    return np.where(is_alone, 1, np.sqrt(degrees)), is_alone


def _of_dense(graph, normed, axis, dtype, symmetrized):
    weights = graph + graph.T.conj() if symmetrized else graph.copy()
    np.fill_diagonal(weights, 0)
    degrees = weights.sum(axis=axis)
    if normed:
        degrees, is_alone = _roots(degrees)
        weights = weights / degrees / degrees[:, np.newaxis]
        diagonal = 1 - is_alone.astype(np.int64)
    else:
        diagonal = degrees
    made = (weights * -1).astype(dtype, copy=False)
    np.fill_diagonal(made, diagonal)
    return made, degrees.astype(dtype, copy=False)


def _product(graph, normed, axis, form, dtype, symmetrized):
    """The product of the Laplacian with the columns of an array."""
    sums, own = graph.sum(axis=axis).reshape(-1), graph.diagonal()
    if symmetrized:
        sums = sums + graph.sum(axis=1 - axis).reshape(-1)
    degrees = sums - own - own if symmetrized else sums - own
    factors = None
    if normed:
        degrees, _ = _roots(degrees)
        factors = (1.0 / degrees)[:, np.newaxis]
    sums = sums[:, np.newaxis]

    def product(v):
        v = np.asarray(v)
        if factors is not None:
            v = v * factors
        found = v * sums - graph @ v
        if symmetrized:
            found = found - (v.conj().T @ graph).conj().T
        return found if factors is None else factors * found

    degrees = degrees.astype(dtype, copy=False)
    if form == "function":
        return product, degrees
    from ..linalg import LinearOperator

    def of_vector(v):
        return product(v.reshape(-1, 1)).reshape(v.shape)

    shape = tuple(graph.shape)
    return LinearOperator(shape, matvec=of_vector, matmat=product, dtype=dtype), degrees
