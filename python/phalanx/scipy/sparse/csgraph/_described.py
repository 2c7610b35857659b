"""Docstrings of graph functions: the parameters that they share."""

from .._described import COLLECTIVE, described

GATHERED = f"{COLLECTIVE} Every process reads the graph to its host and computes the same."
DISTRIBUTED = f"{COLLECTIVE} The algorithm is distributed."
BY_SIZE = (
    f"{COLLECTIVE} A graph with fewer than 100,000 entries is read to the host of every process; "
    "the algorithm for a larger one is distributed."
)
SQUARE = {"ValueError": "The matrix is not square."}
NODE = {"ValueError": "The matrix is not square, or it has no such node."}
SOURCES = {"ValueError": "The matrix is not square, or an index is out of range."}
NEGATIVE = {"NegativeCycleError": "The weights of a cycle have a negative sum."}

_GRAPH = ("sparse matrix or array_like", "The graph, of shape (N, N).")
_PARAMETERS = {
    "K": ("int", "The largest number of paths."),
    "biadjacency": ("sparse matrix", "The weights of pairs of a row and a column."),
    "connection": (
        "{'weak', 'strong'}",
        "Whether edges of any direction connect nodes, or nodes have to reach each other.",
    ),
    "copy": ("bool", "Whether the argument stays as it is. It stays so in any case."),
    "csgraph": _GRAPH,
    "directed": ("bool", "Whether edges lead one way only."),
    "dtype": ("dtype", "The dtype of the results; by default that of the graph."),
    "form": (
        "{'array', 'function', 'lo'}",
        "Whether the result is a matrix, a function of vectors, or a LinearOperator.",
    ),
    "graph": _GRAPH,
    "i_start": ("int", "The node at which the search starts."),
    "indices": ("int or array_like of int", "The nodes at which paths start."),
    "infinity_null": ("bool", "Whether infinite elements are no edges."),
    "limit": ("float", "The length of the longest path."),
    "maximize": ("bool", "Whether the sum is to be the largest one."),
    "method": ("str", "The algorithm."),
    "min_only": ("bool", "Whether each node has the path from its nearest source only."),
    "nan_null": ("bool", "Whether NaN is no edge."),
    "normed": ("bool", "Whether rows and columns are divided by the roots of the degrees."),
    "null_value": ("float or None", "The element that stands for no edge."),
    "overwrite": ("bool", "Whether the argument may change. It stays as it is."),
    "perm_type": ("{'row', 'column'}", "Whether the result has the rows of all columns, or the "
                  "columns of all rows."),
    "predecessors": ("array_like of int", "The node before each node; negative for none."),
    "return_diag": ("bool", "Whether the degrees are returned."),
    "return_labels": ("bool", "Whether the component of each node is returned."),
    "return_predecessors": ("bool", "Whether the node before each node is returned."),
    "sink": ("int", "The last node."),
    "source": ("int", "The first node."),
    "symmetric_mode": ("bool", "Whether the matrix is known to be symmetric."),
    "symmetrized": ("bool", "Whether the graph is added to its conjugate transpose first."),
    "unweighted": ("bool", "Whether each edge has the length 1."),
    "use_out_degree": ("bool", "Whether degrees are sums of rows in place of columns."),
}


def described_graph(returns, raises=None, notes=COLLECTIVE, **own):
    """A decorator that composes the docstring of a function on graphs."""
    return described(returns, raises, notes, **{**_PARAMETERS, **own})
