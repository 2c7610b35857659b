"""Streams and events while operations are captured: they order, and run nothing."""

import numpy
import pytest

import phalanx as np
from phalanx import cuda


def test_a_second_stream_joins_a_capture_by_events():
    first, second = cuda.Stream(non_blocking=True), cuda.Stream(non_blocking=True)
    x = np.arange(4.0)
    with first:
        first.begin_capture()
        try:
            fork = first.record()
            second.wait_event(fork)
            with second:
                doubled = x * 2
            join = second.record()
            first.wait_event(join)
            joined = doubled + 1
        finally:
            graph = first.end_capture()
    for scale in (1.0, 3.0):
        x[...] = scale * np.arange(4.0)
        graph.launch()
        numpy.testing.assert_array_equal(numpy.asarray(doubled), scale * numpy.arange(4.0) * 2)
        numpy.testing.assert_array_equal(numpy.asarray(joined), scale * numpy.arange(4.0) * 2 + 1)


def test_events_of_captured_operations_have_no_time():
    stream, before = cuda.Stream(), cuda.Event().record()
    event = cuda.Event().record()
    stream.begin_capture()
    try:
        x = np.ones(3) + 1
        assert event.record(stream) is event and event.query()
        event.synchronize()
        with pytest.raises(ValueError, match="must have been recorded"):
            cuda.get_elapsed_time(before, event)
    finally:
        graph = stream.end_capture()
    graph.launch(stream)
    assert x.tolist() == [2, 2, 2]
    assert cuda.get_elapsed_time(before, event.record()) >= 0


def test_waiting_for_captured_operations_is_refused():
    stream = cuda.Stream()
    stream.begin_capture()
    try:
        x = np.ones(3) + 1
        for act in (stream.synchronize, cuda.Stream.null.synchronize,
                    lambda: stream.launch_host_func(print, 0)):
            with pytest.raises(RuntimeError, match="PX181"):
                act()
    finally:
        graph = stream.end_capture()
    graph.launch()
    assert x.tolist() == [2, 2, 2]
