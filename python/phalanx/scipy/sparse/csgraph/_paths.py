"""Shortest paths."""

import operator
import warnings

import phalanx as np

from ...._phalanx import _refusal
from ...._phalanx.sparse import _floyd_warshall, _shortest_paths, _yen
from . import _tools
from ._described import COLLECTIVE, GATHERED, NEGATIVE, SOURCES, SQUARE, described_graph
from ._tools import square_core, wrapped

_DISTANCES = (
    "ndarray or tuple of ndarray: The lengths of the paths; with `return_predecessors` also the "
    "node before each node (int32), -9999 for none."
)
_FEW = (
    f"{COLLECTIVE} The algorithm is distributed for a graph with 100,000 entries or more, if there "
    "are at most 8 sources and paths have at most 256 edges; else every process reads the graph to "
    "its host and computes the same."
)
_INFINITY = float("inf")


class NegativeCycleError(Exception):
    """The weights of a cycle have a negative sum, so that no path through it is the shortest."""

    def __init__(self, message=""):
        super().__init__(message)


def _sources(indices, count):
    """The nodes at which paths start, and the shape of `indices`; None for all nodes."""
    if indices is None:
        return None, (count,)
    indices = np.asarray(indices)
    if indices.dtype.kind not in "iub":
        indices = indices.astype(np.int32)
    nodes = indices.reshape(-1).tolist()
    nodes = [node + count if node < 0 else node for node in nodes]
    if any(not 0 <= node < count for node in nodes):
        raise _refusal(ValueError, "value", f"indices out of range 0...{count}")
    return nodes, indices.shape


def _options(directed, unweighted, predecessors, sources=None, limit=_INFINITY, min_only=False):
    return {
        "directed": bool(directed),
        "unweighted": bool(unweighted),
        "sources": sources,
        "predecessors": bool(predecessors),
        "limit": float(limit),
        "min_only": bool(min_only),
        "gather_below": _tools.GATHER_BELOW,
    }


def _checked(found):
    node, parts = found
    if node is not None:
        text = f"Negative cycle detected on node {node}"
        raise _refusal(
            NegativeCycleError, "value", text, "remove the cycle, or raise its weights"
        )
    return parts


def _from_sources(method, csgraph, directed, indices, return_predecessors, unweighted):
    core, _ = square_core(csgraph, directed)
    count = core.shape[0]
    sources, shape = _sources(indices, count)
    options = _options(directed, unweighted, return_predecessors, sources)
    distances, predecessors, _ = _checked(_shortest_paths(core, method, options))
    shape = (*shape, count)
    if return_predecessors:
        return distances.reshape(shape), predecessors.reshape(shape)
    return distances.reshape(shape)


def _has_negative(core):
    return bool((core.values < 0).any()) if core.nnz and core.dtype.kind in "if" else False


@described_graph(
    _DISTANCES,
    {"ValueError": "The matrix is not square, an index is out of range, the method is unknown, or "
     "indices are given for 'FW'.", **NEGATIVE},
    f"{COLLECTIVE} See the function of the method.",
    method=("{'auto', 'FW', 'D', 'BF', 'J'}",
            "Floyd-Warshall, Dijkstra, Bellman-Ford or Johnson. 'auto' takes Floyd-Warshall for a "
            "graph with many edges, else Johnson with negative weights, else Dijkstra."),
)
def shortest_path(csgraph, method="auto", directed=True, return_predecessors=False,
                  unweighted=False, overwrite=False, indices=None):
    """The shortest paths between nodes."""
    if method == "auto":
        core, own = square_core(csgraph, directed)
        csgraph, count = wrapped(core, own), core.shape[0]
        if indices is None and core.nnz >= count * count / 4:
            method = "FW"
        else:
            method = "J" if _has_negative(core) else "D"
    if method == "FW":
        if indices is not None:
            text = "Cannot specify indices with method == 'FW'."
            raise _refusal(ValueError, "together", text, "choose another method")
        return floyd_warshall(csgraph, directed, return_predecessors, unweighted, overwrite)
    functions = {"D": dijkstra, "BF": bellman_ford, "J": johnson}
    if method not in functions:
        raise _refusal(ValueError, "choice", f"unrecognized method {method!r}")
    return functions[method](csgraph, directed, indices, return_predecessors, unweighted)


@described_graph(
    "ndarray or tuple of ndarray: The lengths of the paths; with `return_predecessors` also the "
    "node before each node (int32), -9999 for none, and with `min_only` the first node of each "
    "path.",
    {"ValueError": "The matrix is not square, an index is out of range, or the limit is negative."},
    _FEW,
)
def dijkstra(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False,
             limit=_INFINITY, min_only=False):
    """The shortest paths in a graph without negative weights, by Dijkstra's algorithm."""
    core, _ = square_core(csgraph, directed)
    if _has_negative(core):
        # The level of the caller's line: this function and the one that finds its mesh are above.
        warnings.warn(
            "Graph has negative weights: dijkstra will give inaccurate results if the graph "
            "contains negative cycles. Consider johnson or bellman_ford.",
            stacklevel=3,
        )
    count = core.shape[0]
    sources, shape = _sources(indices, count)
    if not limit >= 0:
        raise _refusal(ValueError, "value", f"limit must be >= 0, not {limit}")
    options = _options(directed, unweighted, return_predecessors, sources, limit, min_only)
    distances, predecessors, firsts = _checked(_shortest_paths(core, "D", options))
    if min_only:
        return (distances, predecessors, firsts) if return_predecessors else distances
    shape = (*shape, count)
    if return_predecessors:
        return distances.reshape(shape), predecessors.reshape(shape)
    return distances.reshape(shape)


@described_graph(_DISTANCES, {**SOURCES, **NEGATIVE}, _FEW)
def bellman_ford(csgraph, directed=True, indices=None, return_predecessors=False,
                 unweighted=False):
    """The shortest paths in a graph with weights of any sign, by the algorithm of Bellman and Ford.

    A cycle that no source reaches does not matter.
    """
    return _from_sources("BF", csgraph, directed, indices, return_predecessors, unweighted)


@described_graph(_DISTANCES, {**SOURCES, **NEGATIVE}, GATHERED)
def johnson(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False):
    """The shortest paths in a graph with weights of any sign, by Johnson's algorithm."""
    if unweighted:
        return dijkstra(csgraph, directed, indices, return_predecessors, unweighted)
    return _from_sources("J", csgraph, directed, indices, return_predecessors, unweighted)


@described_graph(
    _DISTANCES, {**SQUARE, **NEGATIVE},
    f"{COLLECTIVE} The algorithm is distributed by rows for 317 nodes or more.",
)
def floyd_warshall(csgraph, directed=True, return_predecessors=False, unweighted=False,
                   overwrite=False):
    """The shortest paths between all nodes, by the algorithm of Floyd and Warshall."""
    core, _ = square_core(csgraph, directed)
    found = _floyd_warshall(core, _options(directed, unweighted, return_predecessors))
    distances, predecessors, _ = _checked(found)
    return (distances, predecessors) if return_predecessors else distances


@described_graph(
    "ndarray or tuple of ndarray: The lengths of the paths; with `return_predecessors` also the "
    "node before each node of each path (int32), -9999 for none.",
    {"ValueError": "The matrix is not square, it has no such node, or `K` is negative.",
     **NEGATIVE},
    GATHERED,
)
def yen(csgraph, source, sink, K, *, directed=True, return_predecessors=False, unweighted=False):
    """The shortest paths from a node to another one that have no node twice, by Yen's algorithm."""
    core, _ = square_core(csgraph, directed)
    count = core.shape[0]
    source, sink, K = (operator.index(number) for number in (source, sink, K))
    if not (0 <= source < count and 0 <= sink < count):
        text = (f"source and sink must be nodes from 0 to {count - 1}, not source={source} and "
                f"sink={sink}")
        raise _refusal(ValueError, "value", text)
    if K < 0:
        raise _refusal(ValueError, "value", f"K is at least 0, not {K}")
    options = _options(directed, unweighted, return_predecessors)
    distances, predecessors, _ = _checked(_yen(core, source, sink, K, options))
    return (distances, predecessors) if return_predecessors else distances
