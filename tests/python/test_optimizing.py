"""x.optimizing: the search for launches, its records and their file. Kernels run where there is a
GPU; elsewhere their launches are recorded."""

import json
import re

import numpy
import pytest

import phalanx as np
from phalanx import _kernel_programs
from phalanx.x import optimizing

from . import worlds
from .conftest import RANKS, device_count

if RANKS > 1:
    pytest.skip("several processes only use records of a file", allow_module_level=True)

needs_gpu = pytest.mark.skipif(not np.cuda.is_available(), reason="the session has no GPU")
needs_cpu = pytest.mark.skipif(np.cuda.is_available(), reason="the session has GPUs")

# A loop whose number of turns depends on elements, so the text is compiled.
COLLATZ = """
    y = 0;
    for (long long v = x; v > 1; v = v % 2 ? 3 * v + 1 : v / 2) y += 1;
"""


@pytest.fixture(autouse=True)
def contexts(monkeypatch):
    """No records of other tests."""
    monkeypatch.setattr(optimizing, "_contexts", {})


@pytest.fixture
def launches(monkeypatch):
    """The launches of kernels, instead of running them; the seconds of one come from its size."""
    made = []

    class Kernel:
        max_threads_per_block = 512

        def __init__(self, text, name, options):
            self.text = text

        def __call__(self, grid, block, args):
            made.append((grid[0], block[0]))

    def measured(kernel, launch, arguments, options):
        grid, threads = launch
        kernel((grid,), (threads,), arguments)
        # 256 threads that compute four elements each are the fastest.
        return abs(threads - 256) / 1e3 + abs(grid * threads * 4 - 2**20) / 1e9

    monkeypatch.setattr(_kernel_programs, "_RawKernel", Kernel)
    monkeypatch.setattr(optimizing, "_measured", measured)
    monkeypatch.setattr(optimizing, "_device_name", lambda: "device")
    return made


def program(operation=COLLATZ, name="collatz"):
    return _kernel_programs.Elementwise(
        name, ("int64 x", "int64 y"), operation, "", "", "", ())


@needs_cpu
def test_the_fastest_launch_is_used_from_then_on(launches):
    x = np.arange(2**20)
    kernel = program()
    kernel.call([x], None, 128)
    assert launches == [(2**13, 128)]
    with optimizing.optimize():
        kernel.call([x], None, 128)
        tried = launches[1:-1]
        # The usual launch comes first; 1024 threads are more than the kernel can have.
        assert tried[0] == (2**13, 128) and len(tried) == len(set(tried)) == 20
        assert {threads for _, threads in tried} == {32, 64, 128, 256, 512}
        assert launches[-1] == (2**10, 256)
        launches.clear()
        kernel.call([x], None, 128)
        kernel.call([x[: 2**20 - 2**18]], None, 128)
        assert launches[:1] == [(2**10, 256)]
    launches.clear()
    kernel.call([x], None, 128)
    assert launches == [(2**13, 128)], "outside of the block nothing changes"


@needs_cpu
def test_sizes_of_one_power_of_two_share_a_record(launches):
    kernel = program()
    with optimizing.optimize():
        kernel.call([np.arange(2**20)], None, 128)
        launches.clear()
        kernel.call([np.arange(2**21 - 1)], None, 128)
        assert launches == [(2**11, 256)]
        launches.clear()
        kernel.call([np.arange(2**21)], None, 128)
        assert len(launches) > 1


@needs_cpu
def test_blocks_of_one_key_share_records(launches):
    x, kernel = np.arange(2**20), program()
    for key, is_new in [("a", True), ("b", True), ("a", False), (None, True), (None, False)]:
        launches.clear()
        with optimizing.optimize(key=key):
            kernel.call([x], None, 128)
        assert (len(launches) > 1) == is_new
        assert launches[-1] == (2**10, 256)


@needs_cpu
def test_blocks_may_be_nested(launches):
    x, kernel = np.arange(2**20), program()
    with optimizing.optimize(key="outer"):
        with optimizing.optimize(key="inner", max_trials=1):
            kernel.call([x], None, 128)
        launches.clear()
        kernel.call([x], None, 128)
        assert launches[-1] == (2**10, 256)
    with pytest.raises(KeyError), optimizing.optimize():
        raise KeyError
    launches.clear()
    kernel.call([x], None, 128)
    assert launches == [(2**13, 128)]


@needs_cpu
def test_limits_of_the_search(launches, monkeypatch):
    x, kernel = np.arange(2**20), program()
    with optimizing.optimize(key="trials", max_trials=3):
        kernel.call([x], None, 128)
    assert len(launches) == 4
    launches.clear()
    with optimizing.optimize(key="time", timeout=1e-9):
        kernel.call([x], None, 128)
    # One launch is tried, and one is the call's.
    assert launches == [(2**13, 128)] * 2


@needs_cpu
def test_trials_write_copies(launches, monkeypatch):
    outputs = []

    def measured(kernel, launch, arguments, options):
        outputs.append([one for one in arguments if isinstance(one, np.ndarray)][1])
        return 1.0

    monkeypatch.setattr(optimizing, "_measured", measured)
    x, y = np.arange(100), np.full(100, 7)
    with optimizing.optimize():
        result, = program().call([x, y], None, 128)
    assert result is y and len(outputs) > 3
    for one in outputs:
        assert not np.shares_memory(one, y) and numpy.array_equal(np.asnumpy(one), [7] * 100)


@needs_cpu
def test_texts_that_use_threads_keep_their_launch(launches):
    kernel = program("y = x + threadIdx.x * 0;", "threads")
    with optimizing.optimize():
        kernel.call([np.arange(1000)], None, 64)
    assert launches == [(16, 64)]


@needs_cpu
def test_processes_only_use_records(launches, monkeypatch):
    x, kernel = np.arange(2**20), program()
    monkeypatch.setattr(np._phalanx, "size", lambda: 2)
    with optimizing.optimize():
        kernel.call([x], None, 128)
    assert launches == [(2**13, 128)]
    monkeypatch.setattr(np._phalanx, "size", lambda: 1)
    with optimizing.optimize():
        kernel.call([x], None, 128)
    monkeypatch.setattr(np._phalanx, "size", lambda: 2)
    launches.clear()
    with optimizing.optimize():
        kernel.call([x], None, 128)
    assert launches == [(2**10, 256)]


@needs_cpu
def test_nothing_is_measured_while_operations_are_captured(launches):
    x, kernel, stream = np.arange(2**20), program(), np.cuda.Stream()
    stream.begin_capture()
    try:
        with optimizing.optimize():
            kernel.call([x], None, 128)
    finally:
        stream.end_capture()
    assert launches == [(2**13, 128)]


@needs_cpu
def test_reductions_keep_powers_of_two(launches):
    kernel = _kernel_programs.Reduction(
        "norm", ("float64 x", "float64 y"), ["x * x", "a + b", "y = a"], "0", None, "", ())
    with optimizing.optimize():
        kernel.call([np.ones((64, 100))], [1], False, [])
    assert launches[0] == (64, 512) and len(launches) > 10
    assert {threads for _, threads in launches} == {32, 64, 128, 256, 512}
    assert {grid for grid, _ in launches} == {64, 32, 16, 8}
    assert launches[-1][1] == 256


@needs_cpu
def test_records_are_kept_in_a_file(launches, tmp_path, monkeypatch):
    path = tmp_path / "launches.json"
    x = np.arange(2**20)
    with optimizing.optimize(key="k", path=path):
        program().call([x], None, 128)
    stored = json.loads(path.read_text())
    assert stored["key"] == "k" and len(stored["records"]) == 1
    name, record = next(iter(stored["records"].items()))
    assert name.startswith("collatz ") and "device" in name
    assert (record["threads"], record["turns"]) == (256, 4)
    # What the file has is used, by another process too.
    monkeypatch.setattr(optimizing, "_contexts", {})
    record["threads"], record["turns"] = 64, 2
    path.write_text(json.dumps(stored))
    launches.clear()
    with optimizing.optimize(key="k", path=path, readonly=True):
        program().call([x], None, 128)
        assert launches == [(2**13, 64)]
        program(name="other").call([x], None, 128)
    assert len(json.loads(path.read_text())["records"]) == 1
    with optimizing.optimize(key="k", path=path):
        pass
    assert len(json.loads(path.read_text())["records"]) == 2
    assert list(tmp_path.iterdir()) == [path]


@needs_cpu
def test_other_files_are_refused(launches, tmp_path):
    path = tmp_path / "launches.json"
    with optimizing.optimize(key="one", path=path):
        pass
    with pytest.raises(ValueError, match="'one', not 'two'"):
        with optimizing.optimize(key="two", path=path):
            pass
    for text in ["", "[]", '{"form": "other"}', '{"form": "phalanx launches 1", "key": null}']:
        path.write_text(text)
        with pytest.raises(ValueError, match="no file of optimize"), optimizing.optimize(path=path):
            pass


def stored(path, **record):
    """A file with one record of the kernel `collatz` for 2**20 elements, changed."""
    with optimizing.optimize(key="made", path=path):
        program().call([np.arange(2**20)], None, 128)
    made = json.loads(path.read_text())
    made["key"] = None
    for one in made["records"].values():
        one.update(record)
    path.write_text(json.dumps(made))


@needs_cpu
@pytest.mark.parametrize("record", [
    {"turns": 0}, {"turns": 3}, {"turns": -1}, {"turns": "1"}, {"turns": True}, {"threads": 0},
    {"threads": 1025}, {"threads": -32}, {"threads": 64.0}, {"threads": None}, {"seconds": "x"},
    {"seconds": float("nan")},
])
def test_launches_of_a_file_are_checked(launches, tmp_path, record):
    path = tmp_path / "launches.json"
    stored(path, **record)
    with pytest.raises(ValueError, match="no kernel has the launch for 'collatz"):
        with optimizing.optimize(path=path):
            pass


@needs_cpu
@pytest.mark.parametrize("threads", [1024, 100])
def test_launches_that_a_kernel_does_not_have_are_searched_again(launches, tmp_path, threads):
    # The kernel has 512 threads at most, and no search tries 100.
    path = tmp_path / "launches.json"
    stored(path, threads=threads)
    launches.clear()
    with optimizing.optimize(path=path):
        program().call([np.arange(2**20)], None, 128)
    assert len(launches) > 1 and launches[-1] == (2**10, 256)
    record, = json.loads(path.read_text())["records"].values()
    assert record["threads"] == 256


OF_THE_FIRST = """
import json, pathlib, re, sys
import phalanx as np
from phalanx.x import optimizing

rank = np.rank()
path = pathlib.Path(sys.argv[1]) / f"{rank}.json"


def attempt(**options):
    try:
        with optimizing.optimize(path=path, **options):
            found = optimizing._contexts[options.get("key")].records
        return found
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


def content(threads):
    record = {"threads": threads, "turns": 2, "seconds": 0.5}
    return json.dumps({"form": "phalanx launches 1", "key": None, "records": {"x": record}})


def shown(*told):
    print(re.sub(r"/\\d\\.json", "/R.json", json.dumps(told)), flush=True)


# Without files, the first process writes one.
none = attempt()
np.distributed.agree()
shown(none, path.exists() == (rank == 0))
# Each process has a file of its own, or none.
if rank < 2:
    path.write_text(content((64, 128)[rank]))
shown(attempt(readonly=True))
optimizing._contexts.clear()
# A file of the first one that is wrong is an error everywhere.
if rank == 0:
    path.write_text(content(5000))
shown(attempt())
shown(attempt(key="other"))
if rank == 0:
    path.unlink()
    path.mkdir()
shown(attempt())
# So is a file that it cannot write.
path = path.parent / "missing" / "R.json"
shown(attempt().partition(":")[0])
float(np.arange(5.0).sum())
"""


@needs_cpu
@pytest.mark.skipif(device_count() > 1, reason="the program starts processes of its own")
def test_all_processes_use_the_file_of_the_first(tmp_path):
    ended = worlds.run(OF_THE_FIRST, str(tmp_path), processes=3)
    told = [[], [], []]
    for line in ended.stdout.splitlines():
        # The launcher marks the lines of all but the first process.
        marked = re.match(r"\[(\d)\] ", line)
        told[int(marked[1]) if marked else 0].append(json.loads(line[4 if marked else 0:]))
    assert told[0] == told[1] == told[2], ended.stdout
    own, record, wrong, other, folder, missing = told[0]
    assert own == [{}, True]
    assert record == [{"x": {"threads": 64, "turns": 2, "seconds": 0.5}}]
    assert "no kernel has the launch for 'x' in" in wrong[0] and "5000" in wrong[0]
    assert wrong[0].startswith("ValueError") and "have the key None, not 'other'" in other[0]
    assert folder[0].startswith("IsADirectoryError") and missing == ["FileNotFoundError"]


@pytest.mark.parametrize("error, options", [
    (TypeError, {"trials": 3}), (ValueError, {"max_trials": 0}), (ValueError, {"timeout": -1}),
    (TypeError, {"key": 3}),
])
def test_wrong_options(error, options):
    with pytest.raises(error, match="|".join(options)), optimizing.optimize(**options):
        pass
    assert _kernel_programs.tuning.choose is None


def test_plain_arithmetic_is_not_searched(tmp_path):
    path = tmp_path / "launches.json"
    square = np.ElementwiseKernel("T x", "T y", "y = x * x", "square")
    with optimizing.optimize(path=path):
        assert np.asnumpy(square(np.arange(4))).tolist() == [0, 1, 4, 9]
    assert json.loads(path.read_text())["records"] == {}


def steps_of(x):
    """The number of steps from each number to 1."""
    x, steps = x.copy(), numpy.zeros_like(x)
    while (going := x > 1).any():
        steps[going] += 1
        x = numpy.where(going, numpy.where(x % 2, 3 * x + 1, x // 2), x)
    return steps


@needs_gpu
def test_kernels_are_measured(tmp_path):
    path = tmp_path / "launches.json"
    collatz = np.ElementwiseKernel("int64 x", "int64 y", COLLATZ, "collatz")
    x = np.arange(2**20) % 1000
    expected = steps_of(numpy.arange(1000))[numpy.arange(2**20) % 1000]
    with optimizing.optimize(path=path, timeout=10):
        found = collatz(x)
    assert numpy.array_equal(np.asnumpy(found), expected)
    record, = json.loads(path.read_text())["records"].values()
    assert 0 < record["seconds"] < 0.1 and record["threads"] in (32, 64, 128, 256, 512, 1024)
    # All launches give the same results.
    for threads in (32, 1024):
        for turns in (1, 8):
            stored = json.loads(path.read_text())
            for one in stored["records"].values():
                one.update(threads=threads, turns=turns)
            path.write_text(json.dumps(stored))
            optimizing._contexts.clear()
            with optimizing.optimize(path=path, readonly=True):
                assert numpy.array_equal(np.asnumpy(collatz(x)), expected)


@needs_gpu
def test_kernels_that_add_to_their_output_add_once():
    add = np.ElementwiseKernel(
        "int64 x", "raw int32 y", "for (long long v = x; v > 0; --v) atomicAdd(&y[i % 5], 1);",
        "add")
    x, y = np.arange(2**20) % 7, np.arange(5, dtype="int32")
    with optimizing.optimize(max_trials=6):
        add(x, y)
    host = numpy.arange(2**20)
    expected = numpy.arange(5) + numpy.bincount(host % 5, host % 7).astype(int)
    assert numpy.array_equal(np.asnumpy(y), expected)


@needs_gpu
def test_reductions_are_measured(tmp_path):
    path = tmp_path / "launches.json"
    kernel = np.ReductionKernel(
        "int64 x", "int64 y", "turns(x)", "a + b", "y = a", "0", "turns",
        preamble="__device__ long long turns(long long x) {"
                 " long long t = 0; for (; x > 1; x = x % 2 ? 3 * x + 1 : x / 2) ++t; return t; }")
    host = (numpy.arange(2**20) % 1000).reshape(2**10, 2**10)
    expected = steps_of(numpy.arange(1000))[host].sum(axis=1)
    with optimizing.optimize(path=path, timeout=10):
        found = kernel(np.asarray(host), axis=1)
    assert numpy.array_equal(np.asnumpy(found), expected)
    record, = json.loads(path.read_text())["records"].values()
    assert record["threads"] in (32, 64, 128, 256, 512)
