"""Graphs of captured operations: Stream.begin_capture and end_capture."""

import gc

import numpy
import pytest

import phalanx as np


def captured(body):
    """The graph of the operations of a function."""
    stream = np.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        assert stream.is_capturing()
        try:
            body()
        finally:
            graph = stream.end_capture()
    assert not stream.is_capturing()
    return graph


def test_a_launch_runs_what_was_captured():
    x = np.arange(100_000.0)
    y = np.zeros(100_000)
    made = []

    def body():
        y[...] += 2 * x
        made.append(y[1:] - y[:-1])

    graph = captured(body)
    assert isinstance(graph, np.cuda.Graph)
    assert not numpy.asarray(y).any() and not numpy.asarray(made[0]).any()
    expected = numpy.zeros(100_000)
    for scale in (1, 1, 3):
        x[...] = scale * np.arange(100_000.0)
        graph.launch()
        expected += 2 * scale * numpy.arange(100_000.0)
        numpy.testing.assert_array_equal(numpy.asarray(y), expected)
        numpy.testing.assert_array_equal(numpy.asarray(made[0]), expected[1:] - expected[:-1])


def test_reductions_products_and_assignments():
    a = np.array(numpy.random.default_rng(3).random((40, 40)))
    v = np.ones(40)
    norm = np.zeros(())

    def body():
        w = a @ v
        norm[...] = np.sqrt((w * w).sum())
        v[...] = w / norm

    graph = captured(body)
    matrix, vector = numpy.asarray(a), numpy.ones(40)
    for _ in range(8):
        graph.launch()
        product = matrix @ vector
        expected = numpy.sqrt((product * product).sum())
        vector = product / expected
    numpy.testing.assert_allclose(float(norm), expected, rtol=1e-12)
    numpy.testing.assert_allclose(numpy.asarray(v), vector, rtol=1e-12)
    assert len(graph) >= 4
    text = graph.debug_dot_str()
    assert text.startswith("digraph") and text.count("->") >= 4
    graph.upload()
    assert graph.host_funcargs == () and (graph.graph, graph.graphExec) == (0, 0)


def test_elements_are_read_by_each_launch():
    counts = np.zeros(3, int)

    def body():
        counts[1] += 5

    graph = captured(body)
    for _ in range(3):
        graph.launch()
    assert counts.tolist() == [0, 15, 0]


def test_kernels_of_the_users_own():
    kernel = np.ElementwiseKernel("T x", "T y", "y += x * i", "add_index")
    x, y = np.ones(1000), np.zeros(1000)
    graph = captured(lambda: kernel(x, y))
    graph.launch()
    graph.launch()
    numpy.testing.assert_array_equal(numpy.asarray(y), 2.0 * numpy.arange(1000))


def test_values_are_not_read_in_a_capture():
    x = np.arange(5.0)
    stream = np.cuda.Stream()
    stream.begin_capture()
    y = x * 3
    with pytest.raises(RuntimeError, match="PX181"):
        y.tolist()
    with pytest.raises(RuntimeError, match="PX181"):
        stream.begin_capture()
    if np.size() == 1:
        # Several processes exchange their parts first, which is an operation, too.
        assert x.tolist() == [0, 1, 2, 3, 4]
    graph = stream.end_capture()
    graph.launch(stream)
    assert y.tolist() == [0, 3, 6, 9, 12]
    with pytest.raises(RuntimeError, match="no operations are being captured"):
        stream.end_capture()
    with pytest.raises(TypeError, match="begin_capture"):
        np.cuda.Graph()


def test_a_graph_keeps_no_memory_of_values_that_it_does_not_read():
    pool = np.cuda.MemoryPool()
    x = np.zeros(200_000)
    np.cuda.Stream.null.synchronize()
    before = pool.used_bytes()
    graph = captured(lambda: x.__iadd__(1))
    for _ in range(3):
        graph.launch()
        np.cuda.Stream.null.synchronize()
    gc.collect()
    assert pool.used_bytes() == before
    assert float(x[5]) == 3
