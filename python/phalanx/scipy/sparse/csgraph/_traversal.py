"""Components, searches and spanning trees."""

from ...._phalanx import _refusal
from ...._phalanx.sparse import (
    _connected_components,
    _minimum_spanning_tree,
    _reconstruct_path,
    _search_order,
)
from . import _tools
from ._described import BY_SIZE, GATHERED, NODE, SQUARE, described_graph
from ._tools import checked_node, is_numpy_matrix, square_core, wrapped

_ORDER = (
    "ndarray or tuple of ndarray: The nodes in the order in which they are reached; with "
    "`return_predecessors` also the node from which each node is reached, -9999 for none (int32)."
)
_TREE = "csr_array or csr_matrix: The edges by which nodes are reached, with their weights."


@described_graph(
    "int or (int, ndarray): The number of components; with `return_labels` also the component of "
    "each node (int32).",
    {"ValueError": "The matrix is not square, or the connection is unknown."},
    f"{BY_SIZE} Strong components are always found on the host.",
)
def connected_components(csgraph, directed=True, connection="weak", return_labels=True):
    """The parts of a graph whose nodes are connected."""
    connection = connection.lower()
    if connection not in ("weak", "strong"):
        raise _refusal(ValueError, "choice", "connection must be 'weak' or 'strong'")
    is_strong = connection == "strong" and bool(directed)
    core, _ = square_core(csgraph, is_strong)
    count, labels = _connected_components(core, is_strong, _tools.GATHER_BELOW)
    return (count, labels) if return_labels else count


def _searched(csgraph, i_start, directed, is_depth_first):
    core, own = square_core(csgraph, directed)
    start = checked_node("i_start", i_start, core.shape[0])
    found = _search_order(core, start, is_depth_first, bool(directed), _tools.GATHER_BELOW)
    return core, own, found


def _tree(csgraph, i_start, directed, is_depth_first):
    core, own, found = _searched(csgraph, i_start, directed, is_depth_first)
    return wrapped(_reconstruct_path(core, found[1], bool(directed)), own)


@described_graph(_ORDER, NODE, f"{BY_SIZE} It is read to the host, too, if it has more than 256 "
                 "distances from the start.")
def breadth_first_order(csgraph, i_start, directed=True, return_predecessors=True):
    """The nodes that a node reaches, the nearest ones first."""
    order, predecessors = _searched(csgraph, i_start, directed, False)[2]
    return (order, predecessors) if return_predecessors else order


@described_graph(_ORDER, NODE, GATHERED)
def depth_first_order(csgraph, i_start, directed=True, return_predecessors=True):
    """The nodes that a node reaches, each one followed by those that it reaches first."""
    order, predecessors = _searched(csgraph, i_start, directed, True)[2]
    return (order, predecessors) if return_predecessors else order


@described_graph(_TREE, NODE, BY_SIZE)
def breadth_first_tree(csgraph, i_start, directed=True):
    """The tree of a breadth-first search."""
    return _tree(csgraph, i_start, directed, False)


@described_graph(_TREE, NODE, GATHERED)
def depth_first_tree(csgraph, i_start, directed=True):
    """The tree of a depth-first search."""
    return _tree(csgraph, i_start, directed, True)


@described_graph(
    "csr_array or csr_matrix: The edges of the tree, or of one tree for each component (float64).",
    SQUARE, BY_SIZE,
)
def minimum_spanning_tree(csgraph, overwrite=False):
    """The edges that connect the nodes of a graph with the least sum of weights.

    Edges lead both ways. An edge of weight zero connects, but is no entry of the result.
    """
    core, own = square_core(csgraph)
    tree = _minimum_spanning_tree(core, _tools.GATHER_BELOW)
    return wrapped(tree, own, is_numpy_matrix(own))
