"""Functions of the host that graphs of CUDA call. A driver of Python stands for CUDA's, so that the
threads and their ends are tested without a GPU."""

import ctypes
import threading
import time

import pytest

from phalanx import _cuda_graph_calls as graph_calls


class Driver:
    """Streams that record calls, and launches that post them."""

    def __init__(self):
        self.recording, self.nodes = {}, {}

    def call(self, name, stream, post, address):
        assert name == "cuLaunchHostFunc"
        self.recording[stream].append((post, address))

    def begin(self, *streams):
        for stream in streams:
            self.recording[stream] = []

    def end(self, graph, *streams):
        self.nodes[graph] = [one for stream in streams for one in self.recording.pop(stream)]
        graph_calls.end_capture(graph)

    def launch(self, executable, graph, is_counted=True):
        if is_counted:
            graph_calls.launch(executable, 7)
        for post, address in self.nodes[graph]:
            ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(post.value)(address)


@pytest.fixture
def driver(monkeypatch):
    made = Driver()
    monkeypatch.setattr(graph_calls, "_call", made.call)
    monkeypatch.setattr(graph_calls, "_is_capturing", lambda stream: stream in made.recording)
    return made


def threads():
    return sum(one.name == "phalanx-graph-call" for one in threading.enumerate())


def wait_for(condition):
    until = time.monotonic() + 10
    while not condition() and time.monotonic() < until:
        time.sleep(0.001)
    return condition()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_function_that_raises_is_reported_and_called_by_later_launches(driver, monkeypatch):
    told, reported = [], []
    monkeypatch.setattr(threading, "excepthook", reported.append)

    def function(value):
        told.append(value)
        raise KeyError(len(told))

    before = threads()
    driver.begin(1)
    graph_calls.record(1, function, (5,))
    driver.end(100, 1)
    graph_calls.instantiate(100, 200)
    for turn in range(1, 4):
        driver.launch(200, 100)
        assert wait_for(lambda turn=turn: len(told) == len(reported) == turn)
    assert told == [5] * 3 and [one.exc_type for one in reported] == [KeyError] * 3
    assert reported[0].thread.name == "phalanx-graph-call"
    graph_calls.destroy("graph", 100)
    assert threads() == before + 1
    graph_calls.destroy("executable", 200)
    assert wait_for(lambda: threads() == before)


def test_threads_end_with_the_last_executable_after_its_calls(driver):
    told, gate, before = [], threading.Event(), threads()
    driver.begin(1, 2)
    graph_calls.record(1, lambda: (gate.wait(10), told.append("first")), ())
    graph_calls.record(2, told.append, ("second",))
    driver.end(100, 1, 2)
    for executable in (200, 201):
        graph_calls.instantiate(100, executable)
    graph_calls.destroy("graph", 100)
    graph_calls.destroy("executable", 200)
    assert threads() == before + 2
    for _ in range(3):
        driver.launch(201, 100)
    # The first calls wait, and are made after the executable was destroyed.
    graph_calls.destroy("executable", 201)
    assert wait_for(lambda: threads() == before + 1) and told == ["second"] * 3
    gate.set()
    assert wait_for(lambda: threads() == before)
    assert told == ["second"] * 3 + ["first"] * 3
    # A launch that was not counted posts a semaphore that is still there.
    driver.launch(201, 100, is_counted=False)
    assert told == ["second"] * 3 + ["first"] * 3


def test_a_launch_that_is_recorded_gives_its_calls_to_the_graph(driver):
    told, before = [], threads()
    driver.begin(1)
    graph_calls.record(1, told.append, ("inner",))
    driver.end(100, 1)
    graph_calls.instantiate(100, 200)
    driver.begin(7)
    graph_calls.launch(200, 7)
    graph_calls.launch(200, 7)
    driver.end(101, 7)
    driver.nodes[101] = driver.nodes[100] * 2
    graph_calls.instantiate(101, 201)
    for kind, handle in (("graph", 100), ("executable", 200), ("graph", 101)):
        graph_calls.destroy(kind, handle)
    driver.launch(201, 101)
    graph_calls.destroy("executable", 201)
    assert wait_for(lambda: threads() == before) and told == ["inner"] * 2


def test_captures_that_fail_or_go_on_beside_others(driver):
    before = threads()
    driver.begin(1, 2, 3)
    for stream in (1, 2, 3):
        graph_calls.record(stream, print, ())
    driver.end(100, 1)
    # The stream of a capture that fails, and one that was destroyed in it.
    driver.recording.pop(2)
    graph_calls.forget_stream(3)
    assert threads() == before + 3
    graph_calls.end_capture()
    assert wait_for(lambda: threads() == before + 1)
    graph_calls.destroy("graph", 100)
    assert wait_for(lambda: threads() == before)
    assert not graph_calls._recorded and not graph_calls._calls
