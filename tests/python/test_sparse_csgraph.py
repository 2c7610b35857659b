"""Graphs as sparse matrices, against SciPy: by the algorithms of the host and by the distributed
ones."""

import warnings

import numpy
import pytest
import scipy.sparse
import scipy.sparse.csgraph

import phalanx
from phalanx.scipy import sparse
from phalanx.scipy.sparse import csgraph
from phalanx.scipy.sparse.csgraph import _tools

from .sparse_cases import check, outcome, ours, some

theirs = scipy.sparse.csgraph


def made(nodes, edges, seed, least=1, dtype=numpy.float64, is_sorted=True):
    """A random graph: no weights are equal, and some nodes have no edges."""
    generator = numpy.random.default_rng(seed)
    row, column = generator.integers(0, max(nodes, 1), (2, edges))
    row[row % 7 == 5] = 0
    places = generator.permutation(numpy.unique(row * nodes + column))
    (row, column), edges = numpy.divmod(places, max(nodes, 1)), places.size
    values = generator.permutation(4 * edges)[:edges] + least
    if numpy.dtype(dtype).kind == "f":
        # Sums of them are exact, as SciPy takes rounded sums for negative cycles.
        values = values + generator.integers(0, 4096, edges) / 4096
    order = numpy.lexsort((column, row)) if is_sorted else numpy.argsort(row, kind="stable")
    row, column = row[order], column[order]
    starts = numpy.searchsorted(row, numpy.arange(nodes + 1))
    values = values.astype(dtype)
    parts = (values, column.astype(numpy.int32), starts.astype(numpy.int32))
    return scipy.sparse.csr_array(parts, shape=(nodes, nodes))


def zeros(graph):
    """The graph in which some entries are zero."""
    graph = graph.copy()
    graph.data[::5] = 0
    return graph


GRAPHS = {
    "no nodes": made(0, 0, 0),
    "no edges": made(4, 0, 0),
    "one node": made(1, 2, 0),
    "few": made(4, 6, 1),
    "parts": made(25, 18, 2),
    "unsorted": made(25, 60, 3, is_sorted=False),
    "many": made(30, 300, 4),
    "zeros": zeros(made(20, 70, 5)),
    "int32": made(15, 50, 6, dtype=numpy.int32),
    "uint8": made(15, 50, 7, dtype=numpy.uint8),
    "bool": made(15, 40, 8, dtype=bool),
    "float32": made(15, 50, 9, dtype=numpy.float32),
}
NEGATIVE = {
    # Weights are potentials of nodes and positive numbers, so that no cycle is negative.
    name: scipy.sparse.csr_array(
        (graph.data + (lambda of: of[graph.tocoo().row] - of[graph.indices])(
            numpy.arange(graph.shape[0]) * 7.5 % 31), graph.indices, graph.indptr), graph.shape)
    for name, graph in GRAPHS.items() if graph.dtype == numpy.float64
}
NODES = {name: graph.shape[0] for name, graph in GRAPHS.items()}


@pytest.fixture(params=[0, 10**9], ids=["distributed", "gathered"])
def algorithm(request, monkeypatch):
    """Runs each test by both algorithms."""
    monkeypatch.setattr(_tools, "GATHER_BELOW", request.param)


def each(graphs=GRAPHS):
    return pytest.mark.parametrize("name", some(graphs))


def both(name, *given, graphs=GRAPHS, **keywords):
    """The result of a function by us and by SciPy."""
    graph = graphs[name]
    function = given[0]
    own = outcome(lambda: getattr(csgraph, function)(ours(graph), *given[1:], **keywords))
    other = outcome(lambda: getattr(theirs, function)(graph, *given[1:], **keywords))
    return own, other


def as_partition(labels):
    """Labels in the order of their first nodes."""
    _, first, found = numpy.unique(labels, return_index=True, return_inverse=True)
    return numpy.argsort(numpy.argsort(first))[found]


@pytest.mark.usefixtures("algorithm")
@each()
def test_components(name):
    for directed in (True, False):
        check(*both(name, "connected_components", directed))
        check(*both(name, "connected_components", directed, return_labels=False))
        own, other = both(name, "connected_components", directed, connection="strong")
        assert own[0] == other[0] and own[1].dtype == other[1].dtype
        # SciPy's numbers depend on the order of its search.
        assert_equal(as_partition(own[1].get()), as_partition(other[1]))


def assert_equal(own, other):
    own = own.get() if isinstance(own, phalanx.ndarray) else own
    numpy.testing.assert_array_equal(own, other)


@pytest.mark.usefixtures("algorithm")
@each()
def test_searches(name):
    for start in {0, NODES[name] // 2, NODES[name] - 1}:
        if not 0 <= start < NODES[name]:
            continue
        for directed in (True, False):
            for kind in ("breadth_first", "depth_first"):
                check(*both(name, f"{kind}_order", start, directed))
                check(*both(name, f"{kind}_order", start, directed, return_predecessors=False))
                check(*both(name, f"{kind}_tree", start, directed))


@pytest.mark.usefixtures("algorithm")
@each()
def test_spanning_trees(name):
    own, other = both(name, "minimum_spanning_tree")
    check(own, other)
    assert own.nnz == other.nnz
    matrix = scipy.sparse.csr_matrix(GRAPHS[name])
    tree = csgraph.minimum_spanning_tree(ours(matrix))
    assert isinstance(tree, sparse.csr_matrix)
    check(tree, theirs.minimum_spanning_tree(matrix))


@pytest.mark.usefixtures("algorithm")
@each()
@pytest.mark.parametrize("directed", [True, False])
def test_paths(name, directed):
    check_paths(name, directed, GRAPHS)


def has_equal_paths(name):
    """Whether paths may have the same length. Then each library has its own."""
    return name in ("zeros", "bool", "int32", "uint8")


def check_nodes(graph, directed, indices, found, unweighted=False):
    """Each path is as long as its last edge and the path before it."""
    count = graph.shape[0]
    if count == 0:
        return
    weights = theirs.csgraph_to_dense(graph, numpy.inf)
    if unweighted:
        weights = numpy.where(weights < numpy.inf, 1, weights)
    weights = weights if directed else numpy.minimum(weights, weights.T)
    distances, before = (part.get().reshape(-1, count) for part in found)
    sources = numpy.reshape(numpy.arange(count) if indices is None else indices, -1)
    for source, lengths, nodes in zip(sources, distances, before):
        for node in range(count):
            if node == source % count or lengths[node] == numpy.inf:
                assert nodes[node] == -9999
            else:
                through = lengths[nodes[node]] + weights[nodes[node], node]
                assert abs(through - lengths[node]) < 1e-6


def check_paths(name, directed, graphs):
    count = NODES[name]
    several = [0, count // 2, -1] if count else []
    for indices in (None, several, *([[several[:2]], count - 1] if count else [])):
        for options in ({}, {"unweighted": True}):
            given = dict(directed=directed, indices=indices, **options)
            for function in ("dijkstra", "bellman_ford", "johnson"):
                if graphs is NEGATIVE and function == "dijkstra":
                    continue
                check(*both(name, function, graphs=graphs, **given))
                with_nodes = dict(given, return_predecessors=True)
                own, other = both(name, function, graphs=graphs, **with_nodes)
                if has_equal_paths(name) or options:
                    check(own[0], other[0])
                    check_nodes(graphs[name], directed, indices, own, bool(options))
                else:
                    check(own, other)
    for method in ("auto", "FW", "D", "BF", "J"):
        if graphs is NEGATIVE and method == "D":
            continue
        check(*both(name, "shortest_path", method, directed, graphs=graphs))
    own, other = both(name, "floyd_warshall", directed, True, graphs=graphs)
    check(own[0], other[0])
    check_nodes(graphs[name], directed, None, own)
    check(*both(name, "floyd_warshall", directed, unweighted=True, graphs=graphs))


@pytest.mark.usefixtures("algorithm")
@each(NEGATIVE)
def test_negative_weights(name):
    check_paths(name, True, NEGATIVE)


@pytest.mark.usefixtures("algorithm")
@each()
def test_limits_and_nearest_sources(name):
    if not NODES[name]:
        return
    sources = [NODES[name] // 2, 0]
    for directed in (True, False):
        for limit in (0, 60.5, numpy.inf):
            given = dict(directed=directed, indices=sources, limit=limit)
            check(*both(name, "dijkstra", **given))
            given |= dict(min_only=True)
            check(*both(name, "dijkstra", **given))
            if not has_equal_paths(name):
                check(*both(name, "dijkstra", return_predecessors=True, **given))
    check(*both(name, "dijkstra", min_only=True))


@pytest.mark.usefixtures("algorithm")
def test_negative_cycles():
    dense = numpy.array([[0, 1.0, 0, 0], [0, 0, -2, 0], [0.5, 0, 0, 3], [0, 0, 0, 0]])
    graph = sparse.csr_array(dense)
    for function in ("bellman_ford", "johnson", "floyd_warshall"):
        with pytest.raises(csgraph.NegativeCycleError):
            getattr(csgraph, function)(graph)
    with pytest.raises(csgraph.NegativeCycleError):
        csgraph.yen(graph, 0, 3, 2)
    # A cycle that is not reached.
    found = csgraph.bellman_ford(graph, indices=3)
    assert_equal(found, theirs.bellman_ford(dense, indices=3))
    # Without a direction, a negative edge is a cycle.
    with pytest.raises(csgraph.NegativeCycleError):
        csgraph.bellman_ford(sparse.csr_array([[0, -1.0], [0, 0]]), directed=False, indices=0)
    # A cycle of weight zero, but for rounding.
    around = numpy.array([[0, 0.1, 0], [0, 0, 0.2], [-0.3, 0, 0]])
    numpy.testing.assert_allclose(
        csgraph.bellman_ford(around).get(), theirs.bellman_ford(around), atol=1e-12
    )
    with pytest.warns(UserWarning, match="negative weights"):
        csgraph.dijkstra(sparse.csr_array([[0, -1.0], [0, 0]]))


@pytest.mark.usefixtures("algorithm")
def test_long_paths():
    """A search of more steps than the distributed algorithms take."""
    count = 300
    graph = scipy.sparse.diags_array(numpy.arange(1.0, count), offsets=1, format="csr")
    check(csgraph.breadth_first_order(ours(graph), 0), theirs.breadth_first_order(graph, 0))
    check(
        csgraph.dijkstra(ours(graph), indices=0, return_predecessors=True),
        theirs.dijkstra(graph, indices=0, return_predecessors=True),
    )
    check(csgraph.connected_components(ours(graph)), theirs.connected_components(graph))


@each()
def test_several_paths(name):
    if NODES[name] < 2:
        return
    graph = GRAPHS[name]
    if graph.nnz == 0:
        # SciPy refuses it.
        assert csgraph.yen(ours(graph), 0, 1, 3).shape == (0,)
        return
    for directed in (True, False):
        for source, sink in [(0, NODES[name] - 1), (NODES[name] // 2, 0), (0, 0)]:
            given = (ours(graph), source, sink, 6)
            own = csgraph.yen(*given, directed=directed)
            check(own, theirs.yen(graph, source, sink, 6, directed=directed))
            lengths, nodes = csgraph.yen(*given, directed=directed, return_predecessors=True)
            assert_equal(lengths, own.get())
            assert nodes.shape == (len(own), NODES[name]) and nodes.dtype == numpy.int32
            for row in nodes.get():
                node = sink
                while node != source:
                    node = row[node]
                    assert node >= 0


def test_several_paths_of_a_simple_graph():
    generator = numpy.random.default_rng(8)
    for _ in range(5):
        dense = generator.random((9, 9)) * (generator.random((9, 9)) < 0.4)
        numbers = generator.random(9)
        for weights in (dense, (dense + numbers[:, None] - numbers) * (dense > 0)):
            graph = scipy.sparse.csr_array(weights)
            for directed in (True, False) if weights is dense else (True,):
                own = outcome(lambda: csgraph.yen(ours(graph), 0, 8, 12, directed=directed))
                other = outcome(lambda: theirs.yen(graph, 0, 8, 12, directed=directed))
                check(own, other)


@each()
def test_laplacians(name):
    for options in (
        {},
        {"normed": True},
        {"use_out_degree": True},
        {"symmetrized": True},
        {"normed": True, "symmetrized": True, "use_out_degree": True},
        {"dtype": numpy.float64},
    ):
        if name in ("bool", "uint8"):
            # SciPy has no negative numbers of these dtypes.
            continue
        check(*both(name, "laplacian", return_diag=True, **options))
        dense = GRAPHS[name].toarray()
        own = outcome(lambda: csgraph.laplacian(phalanx.asarray(dense), **options))
        check(own, outcome(lambda: theirs.laplacian(dense, **options)))
        vectors = numpy.random.default_rng(1).random((NODES[name], 2))
        own, _ = csgraph.laplacian(
            ours(GRAPHS[name]), form="function", return_diag=True, **options
        )
        other = theirs.laplacian(GRAPHS[name], form="function", **options)
        if NODES[name]:
            numpy.testing.assert_allclose(own(vectors).get(), other(vectors), 1e-5, 1e-5)


def test_laplacian_operator():
    graph = GRAPHS["few"]
    own = csgraph.laplacian(ours(graph), form="lo")
    other = theirs.laplacian(graph, form="lo")
    vectors = numpy.arange(4.0).reshape(4, 1)
    expected = other.matmat(vectors)
    numpy.testing.assert_allclose(own.matmat(phalanx.asarray(vectors)).get(), expected)
    found = own.matvec(phalanx.asarray(vectors[:, 0]))
    numpy.testing.assert_allclose(found.get(), expected[:, 0])
    with pytest.raises(ValueError):
        csgraph.laplacian(ours(graph), form="list")
    with pytest.raises(ValueError):
        csgraph.laplacian(phalanx.ones((2, 3)))


def test_flows():
    for seed in range(6):
        graph = made(12, 50, seed, dtype=numpy.int32)
        for method in ("dinic", "edmonds_karp"):
            own = csgraph.maximum_flow(ours(graph), 0, 11, method=method)
            other = theirs.maximum_flow(graph, 0, 11, method=method)
            assert own.flow_value == other.flow_value
            flow = own.flow.toarray().get()
            assert own.flow.format == "csr" and own.flow.dtype == numpy.int32
            assert_equal(own.flow.indices, other.flow.indices)
            assert (flow <= graph.toarray()).all() and (flow == -flow.T).all()
            sums = flow.sum(axis=1)
            assert sums[0] == own.flow_value == -sums[11] and not sums[1:11].any()
    assert repr(own) == repr(other)
    for given in (
        (graph.tocsc(), 0, 1),
        (graph.astype(float), 0, 1),
        (graph, 3, 3),
        (graph, 0, 12),
        (graph, -1, 2),
        (scipy.sparse.csr_array(numpy.ones((2, 3), dtype=int)), 0, 1),
    ):
        own = outcome(lambda: csgraph.maximum_flow(ours(given[0]), *given[1:]))
        check(own, outcome(lambda: theirs.maximum_flow(*given)))
    with pytest.raises(ValueError):
        csgraph.maximum_flow(ours(graph), 0, 1, method="push")
    with pytest.raises(ValueError):
        csgraph.maximum_flow(sparse.csr_array([[0, 2**40], [0, 0]]), 0, 1)


def rectangles():
    generator = numpy.random.default_rng(12)
    for shape in [(6, 6), (5, 9), (9, 5), (1, 4), (12, 12)]:
        for density in (0.15, 0.3, 0.7):
            weights = generator.normal(size=shape)
            yield weights * (generator.random(shape) < density)


def test_matchings():
    for dense in rectangles():
        for format in ("csr", "csc", "coo"):
            graph = scipy.sparse.csr_array(dense).asformat(format)
            own = csgraph.maximum_bipartite_matching(ours(graph), "column").get()
            other = theirs.maximum_bipartite_matching(graph, "column")
            assert own.dtype == other.dtype and (own >= 0).sum() == (other >= 0).sum()
            matched = numpy.flatnonzero(own >= 0)
            assert len(set(own[matched])) == len(matched) and dense[matched, own[matched]].all()
            rows = csgraph.maximum_bipartite_matching(ours(graph)).get()
            assert rows.shape == (dense.shape[1],)
            assert (own[rows[rows >= 0]] == numpy.flatnonzero(rows >= 0)).all()
            assert csgraph.structural_rank(ours(graph)) == theirs.structural_rank(graph)
            for maximize in (False, True):
                check(
                    outcome(lambda: csgraph.min_weight_full_bipartite_matching(
                        ours(graph), maximize)),
                    outcome(lambda: theirs.min_weight_full_bipartite_matching(graph, maximize)),
                )
    with pytest.warns(UserWarning, match="explicit zero"):
        csgraph.min_weight_full_bipartite_matching(
            sparse.csr_array(([1.0, 0.0], [0, 1], [0, 2]), shape=(1, 2))
        )
    with pytest.raises(TypeError):
        csgraph.maximum_bipartite_matching(phalanx.ones((2, 2)))
    with pytest.raises(TypeError):
        csgraph.min_weight_full_bipartite_matching(sparse.lil_array((2, 2)))
    with pytest.raises(TypeError):
        csgraph.structural_rank(phalanx.ones((2, 2)))


@each()
def test_reverse_cuthill_mckee(name):
    graph = GRAPHS[name]
    own = csgraph.reverse_cuthill_mckee(ours(graph)).get()
    assert own.dtype == numpy.int32
    assert_equal(numpy.sort(own), numpy.arange(NODES[name]))
    if 0 < NODES[name] <= 16:
        # The order of nodes of equal degree is not defined in larger graphs.
        assert_equal(own, theirs.reverse_cuthill_mckee(graph))
        symmetric = scipy.sparse.csc_array(graph + graph.T)
        check(
            csgraph.reverse_cuthill_mckee(ours(symmetric), symmetric_mode=True),
            theirs.reverse_cuthill_mckee(symmetric, symmetric_mode=True),
        )
    with pytest.raises(TypeError):
        csgraph.reverse_cuthill_mckee(ours(graph.tocoo()))


@each()
def test_trees_of_predecessors(name):
    graph = GRAPHS[name]
    for directed in (True, False):
        distances, before = theirs.shortest_path(
            graph, "D", directed=directed, return_predecessors=True
        )
        if NODES[name]:
            given = phalanx.asarray(before[0])
            check(
                csgraph.reconstruct_path(ours(graph), given, directed),
                theirs.reconstruct_path(graph, before[0], directed),
            )
        for null in (numpy.inf, -1):
            check(
                csgraph.construct_dist_matrix(ours(graph), before, directed, null_value=null),
                theirs.construct_dist_matrix(graph, before, directed, null_value=null),
            )
    with pytest.raises(ValueError):
        csgraph.reconstruct_path(ours(graph), numpy.zeros(NODES[name]))
    with pytest.raises(TypeError):
        csgraph.construct_dist_matrix(ours(graph), before.astype(float))
    with pytest.raises(ValueError):
        csgraph.construct_dist_matrix(ours(graph), numpy.zeros((2, 7), dtype=numpy.int32))


def test_dense_graphs():
    dense = numpy.array([[0, 1, numpy.inf], [numpy.nan, 2, 0], [1e-12, -1, 4]])
    for null in (0, 2, numpy.nan, numpy.inf, None):
        for options in ({}, {"nan_null": False}, {"infinity_null": False}):
            given = dict(null_value=null, **options)
            own = csgraph.csgraph_from_dense(phalanx.asarray(dense), **given)
            other = theirs.csgraph_from_dense(dense, **given)
            check(own, other)
            assert own.nnz == other.nnz
            masked = csgraph.csgraph_masked_from_dense(phalanx.asarray(dense), **given)
            expected = theirs.csgraph_masked_from_dense(dense, **given)
            assert_equal(masked.mask, expected.mask)
            assert_equal(masked.data, expected.data)
            check(csgraph.csgraph_from_masked(expected), theirs.csgraph_from_masked(expected))
    integers = numpy.array([[0, 3], [2, 0]])
    check(csgraph.csgraph_from_dense(integers), theirs.csgraph_from_dense(integers))
    for name, graph in GRAPHS.items():
        for null in (0, -1, numpy.inf, numpy.nan):
            check(
                csgraph.csgraph_to_dense(ours(graph), null), theirs.csgraph_to_dense(graph, null)
            )
        if NODES[name]:
            own, other = csgraph.csgraph_to_masked(ours(graph)), theirs.csgraph_to_masked(graph)
            assert_equal(own.mask, other.mask)
            assert_equal(own.compressed(), other.compressed())
    for given in (numpy.ones((2, 3)), numpy.ones(4)):
        with pytest.raises(ValueError):
            csgraph.csgraph_from_dense(given)
        with pytest.raises(ValueError):
            csgraph.csgraph_masked_from_dense(given)
    with pytest.raises(ValueError):
        csgraph.csgraph_to_dense(dense)
    with pytest.raises(ValueError):
        csgraph.csgraph_to_dense(sparse.coo_array(integers))


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.usefixtures("algorithm")
def test_graphs_of_any_form():
    dense = numpy.array([[0, 2, 0, 1.5], [0, 0, 3, 0], [4, 0, 0, numpy.inf], [0, 0.5, 0, 0]])
    masked = numpy.ma.masked_invalid(numpy.where(dense == 0, numpy.nan, dense))
    csr = scipy.sparse.csr_array(numpy.where(numpy.isinf(dense), 0, dense))
    for graph in (dense, masked, dense.tolist(), csr, csr.tocsc(), csr.tocoo(), csr.tolil(),
                  csr.todok(), csr.todia(), scipy.sparse.csr_matrix(csr), numpy.matrix(dense)):
        for directed in (True, False):
            other = graph if not isinstance(graph, list) else dense
            # SciPy's method 'auto' refuses some formats.
            check(
                csgraph.shortest_path(graph, directed=directed),
                theirs.shortest_path(other, "D", directed=directed),
            )
            check(
                csgraph.breadth_first_order(graph, 1, directed),
                theirs.breadth_first_order(other, 1, directed),
            )
            check(
                csgraph.breadth_first_tree(graph, 1, directed),
                theirs.breadth_first_tree(other, 1, directed),
            )
        check(csgraph.connected_components(graph), theirs.connected_components(other))
        check(csgraph.minimum_spanning_tree(graph), theirs.minimum_spanning_tree(other))


def test_refused():
    graph = ours(GRAPHS["few"])
    wide = phalanx.ones((2, 3))
    for call in (
        lambda: csgraph.connected_components(wide),
        lambda: csgraph.connected_components(sparse.csr_array((2, 3))),
        lambda: csgraph.connected_components(graph, connection="loose"),
        lambda: csgraph.dijkstra(graph, indices=[4]),
        lambda: csgraph.bellman_ford(graph, indices=-5),
        lambda: csgraph.johnson(graph, indices=[0, 9]),
        lambda: csgraph.dijkstra(graph, limit=-1),
        lambda: csgraph.shortest_path(graph, "FW", indices=[0]),
        lambda: csgraph.shortest_path(graph, "A*"),
        lambda: csgraph.yen(graph, 0, 4, 1),
        lambda: csgraph.yen(graph, 0, 1, -1),
        lambda: csgraph.breadth_first_order(graph, 4),
        lambda: csgraph.depth_first_order(graph, -1),
        lambda: csgraph.floyd_warshall(wide),
        lambda: csgraph.minimum_spanning_tree(wide),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        csgraph.breadth_first_order(graph, 1.5)
    assert issubclass(csgraph.NegativeCycleError, Exception)
    assert str(csgraph.NegativeCycleError("text")) == "text"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(sparse.SparseEfficiencyWarning):
            csgraph.structural_rank(sparse.lil_array((2, 2)))


def test_every_name_is_there():
    names = {name for name in theirs.__all__ if name not in ("test",)}
    assert names - {"test"} <= set(csgraph.__all__)


@pytest.mark.parametrize("special", [numpy.nan, numpy.inf, -numpy.inf])
def test_special_weights_are_the_same_on_the_host_and_on_devices(monkeypatch, special):
    graph = made(40, 150, 11)
    graph.data[::17] = special
    found = []
    for gather_below in (0, 10**9):
        monkeypatch.setattr(_tools, "GATHER_BELOW", gather_below)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given = dict(indices=[0, 7], return_predecessors=True, limit=5000.0)
            found.append([one.get() for one in csgraph.dijkstra(ours(graph), **given)])
    for one, other in zip(*found):
        numpy.testing.assert_array_equal(one, other)
