"""Graphs of the forms that functions accept, and conversions between them."""

import operator

import phalanx as np

from ...._phalanx import _refusal
from ...._phalanx.sparse import (
    _construct_dist_matrix,
    _csgraph_to_dense,
    _reconstruct_path,
)
from .._arguments import as_dense
from .._classes import adopted, class_of, is_sparse
from .._core import Rows
from ._described import DISTRIBUTED, SQUARE, described_graph

# The number of entries from which on algorithms are distributed; None is the default. Tests set it
# to run both algorithms on small graphs.
GATHER_BELOW = None

_HOST = (
    "Collective: the elements of arrays on devices are fetched. The result is an array of NumPy."
)


def is_masked(x):
    """Whether an object is a masked array of NumPy."""
    return type(x).__name__ == "MaskedArray" and type(x).__module__.startswith("numpy.ma")


def is_numpy_matrix(x):
    """Whether an object is a matrix of NumPy."""
    return type(x).__name__ == "matrix" and type(x).__module__.startswith("numpy")


def wrapped(core, like, is_matrix=False):
    """The matrix of rows: a sparse matrix if another one is, else a sparse array."""
    is_matrix = not like._is_array if is_sparse(like) else is_matrix
    return class_of("csr", not is_matrix)._of_core(core, tuple(core.shape))


def square_core(csgraph, directed=True):
    """The rows of a graph, and the graph as ours. Entries that are zero stay."""
    csgraph = adopted(csgraph)
    if is_sparse(csgraph):
        if csgraph.ndim != 2:
            raise _refusal(ValueError, "value", "compressed-sparse graph must be 2-D")
        _check_square(csgraph.shape)
        if not directed and csgraph.format == "csc":
            # The columns serve as well, and are there.
            return csgraph._rows_of_transpose(), csgraph
        return csgraph._rows(), csgraph
    if is_masked(csgraph):
        return _core_of_masked(csgraph), csgraph
    return _core_of_dense(csgraph, 0, True, True), csgraph


def checked_sparse(graph, formats, error=TypeError, what="graph"):
    """A sparse matrix in one of some formats."""
    graph = adopted(graph)
    if not is_sparse(graph):
        raise _refusal(error, "type", f"{what} must be sparse", "make it with csr_array")
    if formats and graph.format not in formats:
        names = ", ".join(formats).upper()
        text = f"{what} is in {graph.format.upper()} format in place of {names}"
        raise _refusal(error, "type", text, "convert it with tocsr")
    return graph


def _check_square(shape):
    if len(shape) != 2:
        raise _refusal(ValueError, "value", "graph should have two dimensions")
    if shape[0] != shape[1]:
        text = f"compressed-sparse graph must be shape (N, N), not {tuple(shape)}"
        raise _refusal(ValueError, "value", text)


def checked_node(name, node, count):
    """A node as an integer."""
    try:
        node = operator.index(node)
    except TypeError:
        raise _refusal(TypeError, "type", f"{name} is an integer, not {node!r}") from None
    if not 0 <= node < count:
        text = f"{name} value ({node}) must be between 0 and {count - 1}"
        raise _refusal(ValueError, "value", text)
    return node


def _dense(graph):
    dense = as_dense(graph)
    if dense is NotImplemented:
        raise _refusal(TypeError, "type", f"a graph is not made of a {type(graph).__name__}")
    _check_square(dense.shape)
    return dense


def _core_of_dense(graph, null_value, nan_null, infinity_null):
    dense = _dense(graph)
    null_value, nan_null, infinity_null = _nulls(null_value, nan_null, infinity_null)
    is_float = dense.dtype.kind == "f"
    is_edge = np.ones(dense.shape, dtype=bool)
    if null_value is not None:
        # As masks of NumPy compare.
        is_null = np.isclose(dense, null_value) if is_float else dense == null_value
        is_edge &= ~is_null
    if infinity_null and is_float:
        is_edge &= ~np.isinf(dense)
    if nan_null and is_float:
        is_edge &= ~np.isnan(dense)
    rows, columns = np.nonzero(is_edge)
    values = dense[is_edge].astype(np.float64)
    return Rows.from_triplets(rows, columns, values, tuple(dense.shape), False)


def _nulls(null_value, nan_null, infinity_null):
    if null_value is None:
        return None, nan_null, infinity_null
    null_value = float(null_value)
    if null_value != null_value:
        return None, True, infinity_null
    if null_value in (float("inf"), -float("inf")):
        return None, nan_null, True
    return null_value, nan_null, infinity_null


def _core_of_masked(graph):
    import numpy

    _check_square(graph.shape)
    is_edge = ~numpy.ma.getmaskarray(graph)
    rows, columns = numpy.nonzero(is_edge)
    values = numpy.asarray(graph.data[is_edge], dtype=numpy.float64)
    return Rows.from_triplets(rows, columns, values, graph.shape, False)


@described_graph("csr_array: The graph; a csr_matrix of a numpy.matrix.", SQUARE, DISTRIBUTED,
                 graph=("array_like", "The weights, of shape (N, N)."))
def csgraph_from_dense(graph, null_value=0, nan_null=True, infinity_null=True):
    """The graph of an array of weights. Weights near `null_value` are no edges."""
    core = _core_of_dense(graph, null_value, nan_null, infinity_null)
    return wrapped(core, graph, is_numpy_matrix(graph))


@described_graph("csr_array: The graph of the elements that are not masked.", SQUARE,
                 graph=("numpy.ma.MaskedArray", "The weights, of shape (N, N)."))
def csgraph_from_masked(graph):
    """The graph of a masked array of NumPy."""
    import numpy

    return wrapped(_core_of_masked(numpy.ma.asarray(graph)), None)


@described_graph("numpy.ma.MaskedArray: The weights, with a mask where there is no edge.",
                 {"ValueError": "The array is not square, or `copy` is False and it needs a copy."},
                 _HOST,
                 graph=("array_like", "The weights, of shape (N, N)."),
                 copy=("bool", "Whether the weights are copied."))
def csgraph_masked_from_dense(graph, null_value=0, nan_null=True, infinity_null=True, copy=True):
    """The weights of an array as a masked array of NumPy."""
    import numpy

    if isinstance(graph, np.ndarray):
        graph, copy = graph.get(), True
    graph = numpy.array(graph, copy=copy)
    _check_square(graph.shape)
    null_value, nan_null, infinity_null = _nulls(null_value, nan_null, infinity_null)
    if null_value is None:
        made = numpy.ma.masked_array(graph, numpy.zeros(graph.shape, dtype=bool), copy=False)
    else:
        made = numpy.ma.masked_values(graph, null_value, copy=False)
    mask = numpy.ma.getmaskarray(made).copy()
    if infinity_null:
        mask |= numpy.isinf(graph)
    if nan_null:
        mask |= numpy.isnan(graph)
    made.mask = mask
    return made


@described_graph("ndarray of float64", {"ValueError": "It is no square sparse matrix in csr, csc "
                                        "or lil format."}, DISTRIBUTED,
                 csgraph=("sparse matrix", "The graph."))
def csgraph_to_dense(csgraph, null_value=0):
    """The weights of a graph as an array. Of several entries of an edge, the least one counts."""
    csgraph = checked_sparse(csgraph, ("lil", "csc", "csr"), ValueError, "csgraph")
    core, _ = square_core(csgraph)
    return _csgraph_to_dense(core, float(null_value))


@described_graph("numpy.ma.MaskedArray: The weights, with a mask where there is no edge.",
                 {"ValueError": "It is no square sparse matrix in csr, csc or lil format."}, _HOST,
                 csgraph=("sparse matrix", "The graph."))
def csgraph_to_masked(csgraph):
    """The weights of a graph as a masked array of NumPy."""
    import numpy

    return numpy.ma.masked_invalid(csgraph_to_dense(csgraph, float("nan")).get())


@described_graph(
    "csr_array or csr_matrix: An entry for each node that has a predecessor.",
    {"ValueError": "The matrix is not square, or the predecessors are not integers."}, DISTRIBUTED,
)
def reconstruct_path(csgraph, predecessors, directed=True):
    """The tree of the edges that predecessors name, with the weights of the graph."""
    core, own = square_core(csgraph, directed)
    predecessors = np.asarray(predecessors)
    if predecessors.dtype.kind not in "iu":
        text = "`predecessors` must be of an integral dtype"
        raise _refusal(ValueError, "dtype", text)
    return wrapped(_reconstruct_path(core, predecessors, bool(directed)), own)


@described_graph(
    "ndarray of float64: The lengths of the paths, of shape (N, N).",
    {"TypeError": "The predecessors are not of dtype int32.",
     "ValueError": "The graph and the predecessors differ in shape."}, DISTRIBUTED,
    predecessors=("array_like of int32", "The node before each node on the paths from each node."),
    null_value=("float", "The distance of nodes without a path."),
)
def construct_dist_matrix(graph, predecessors, directed=True, null_value=float("inf")):
    """The distances along the paths that a matrix of predecessors describes."""
    core, _ = square_core(graph, directed)
    predecessors = np.asarray(predecessors)
    if predecessors.dtype != np.dtype(np.int32):
        text = "Type of predecessors array should be np.int32"
        raise _refusal(TypeError, "dtype", text, "convert it with astype(np.int32)")
    if predecessors.shape != tuple(core.shape):
        text = "graph and predecessors must have the same shape"
        raise _refusal(ValueError, "together", text)
    return _construct_dist_matrix(core, predecessors, bool(directed), float(null_value))
