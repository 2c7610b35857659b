"""Flows, matchings and orders of nodes."""

import warnings

from ...._phalanx import _refusal
from ...._phalanx.sparse import (
    _maximum_bipartite_matching,
    _maximum_flow,
    _min_weight_full_bipartite_matching,
    _reverse_cuthill_mckee,
    _structural_rank,
)
from .._classes import warn
from ._described import GATHERED, described_graph
from ._tools import checked_node, checked_sparse, wrapped

_ENTRIES = ("csr", "csc", "coo")
_NOT_SPARSE = {"TypeError": "The matrix is not sparse, or it is in another format."}


class MaximumFlowResult:
    """The result of `maximum_flow`: `flow_value`, the amount that reaches the sink, and `flow`, the
    sparse matrix of the flow through each edge."""

    def __init__(self, flow_value, flow):
        self.flow_value = flow_value
        self.flow = flow

    def __repr__(self):
        return f"MaximumFlowResult with value of {self.flow_value}"


@described_graph(
    "MaximumFlowResult: An object with the attributes `flow_value` and `flow`.",
    {"TypeError": "The matrix is not in csr format.",
     "ValueError": "The capacities are not integers of 32 bits, the matrix is not square, or the "
     "nodes are no two nodes of it."},
    GATHERED,
    csgraph=("csr_array or csr_matrix", "The capacities, of shape (N, N)."),
    method=("{'dinic', 'edmonds_karp'}", "The algorithm."),
)
def maximum_flow(csgraph, source, sink, *, method="dinic"):
    """The largest flow from a node to another one."""
    graph = checked_sparse(csgraph, ("csr",))
    if graph.dtype.kind not in "iu":
        text = f"graph capacities must be integers, not {graph.dtype}"
        raise _refusal(ValueError, "dtype", text, "convert them with astype(np.int32)")
    if source == sink:
        raise _refusal(ValueError, "together", "source and sink vertices must differ")
    if len(graph.shape) != 2 or graph.shape[0] != graph.shape[1]:
        raise _refusal(ValueError, "value", "graph must be specified as a square matrix.")
    source = checked_node("source", source, graph.shape[0])
    sink = checked_node("sink", sink, graph.shape[0])
    if method not in ("dinic", "edmonds_karp"):
        raise _refusal(ValueError, "choice", f"{method} method is not supported yet.")
    value, flow = _maximum_flow(graph._rows(), source, sink, method == "dinic")
    return MaximumFlowResult(value, wrapped(flow, graph))


@described_graph(
    "ndarray of int32: The row of each column, or the column of each row; -1 for none.",
    _NOT_SPARSE, GATHERED, graph=("sparse matrix", "The pairs that are allowed, as entries."),
)
def maximum_bipartite_matching(graph, perm_type="row"):
    """As many pairs of a row and a column with an entry as there can be."""
    graph = checked_sparse(graph, _ENTRIES)
    rows, columns = _maximum_bipartite_matching(graph._rows())
    return columns if perm_type == "column" else rows


@described_graph(
    "tuple of ndarray: The rows and the columns of the pairs. The rows rise.",
    {**_NOT_SPARSE, "ValueError": "There are too few entries for a full matching."}, GATHERED,
)
def min_weight_full_bipartite_matching(biadjacency, maximize=False):
    """The pairs of all rows or all columns whose weights have the least sum."""
    graph = checked_sparse(biadjacency, _ENTRIES)
    core = graph._rows()
    if core.nnz and bool((core.values == 0).any()):
        warnings.warn("explicit zero weights are removed before matching", stacklevel=3)
    found = _min_weight_full_bipartite_matching(core, bool(maximize))
    if found is None:
        text = "no full matching exists"
        hint = "maximum_bipartite_matching finds the largest one"
        raise _refusal(ValueError, "value", text, hint)
    return found


@described_graph(
    "int", {"TypeError": "The matrix is not sparse."}, GATHERED,
    graph=("sparse matrix", "The matrix."),
)
def structural_rank(graph):
    """The largest rank of a matrix with these entries, whatever their values are."""
    graph = checked_sparse(graph, ())
    if graph.format not in _ENTRIES:
        warn("Input matrix should be in CSC, CSR, or COO matrix format")
    return _structural_rank(graph._rows())


@described_graph(
    "ndarray of int32: The nodes in their new order.",
    {**_NOT_SPARSE, "ValueError": "The matrix is not square."}, GATHERED,
    graph=("csr or csc matrix", "The matrix."),
)
def reverse_cuthill_mckee(graph, symmetric_mode=False):
    """An order of rows and columns that brings the entries of a matrix near its diagonal."""
    graph = checked_sparse(graph, ("csc", "csr"))
    # The compressed lines: the order is the same for rows and columns.
    core = graph._rows() if graph.format == "csr" else graph._rows_of_transpose()
    return _reverse_cuthill_mckee(core, bool(symmetric_mode))
