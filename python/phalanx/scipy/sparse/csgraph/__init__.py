"""Graphs as sparse matrices: names of ``scipy.sparse.csgraph``.

An entry at `(i, j)` is an edge from node `i` to node `j`. In an array, an element that is zero,
infinite or NaN is no edge.
"""

import types as _types

from ..._arguments import beside as _beside
from ._flow import (
    maximum_bipartite_matching,
    maximum_flow,
    min_weight_full_bipartite_matching,
    reverse_cuthill_mckee,
    structural_rank,
)
from ._laplacian import laplacian
from ._paths import (
    NegativeCycleError,
    bellman_ford,
    dijkstra,
    floyd_warshall,
    johnson,
    shortest_path,
    yen,
)
from ._tools import (
    construct_dist_matrix,
    csgraph_from_dense,
    csgraph_from_masked,
    csgraph_masked_from_dense,
    csgraph_to_dense,
    csgraph_to_masked,
    reconstruct_path,
)
from ._traversal import (
    breadth_first_order,
    breadth_first_tree,
    connected_components,
    depth_first_order,
    depth_first_tree,
    minimum_spanning_tree,
)

__all__ = """
NegativeCycleError bellman_ford breadth_first_order breadth_first_tree connected_components
construct_dist_matrix csgraph_from_dense csgraph_from_masked csgraph_masked_from_dense
csgraph_to_dense csgraph_to_masked depth_first_order depth_first_tree dijkstra floyd_warshall
johnson laplacian maximum_bipartite_matching maximum_flow min_weight_full_bipartite_matching
minimum_spanning_tree reconstruct_path reverse_cuthill_mckee shortest_path structural_rank yen
""".split()

for _name in __all__:
    _value = globals()[_name]
    if isinstance(_value, _types.FunctionType):
        globals()[_name] = _beside(_value)
    elif isinstance(_value, type):
        # The name by which programs import the class.
        _value.__module__ = __name__
