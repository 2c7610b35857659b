"""Several threads of Python, and sessions that they start and end."""

import pytest

from . import worlds

# Array work; NumPy checks its result.
STRESS = """
import random, sys, threading
import numpy
import phalanx
import phalanx.cuda
sys.setswitchinterval(1e-5)
shared = phalanx.arange(5000.0)
def work(np, number):
    # Where threads meet differs each time; what each of them does is its own.
    choose = random.Random(number)
    total = 0.0
    x = np.arange(3000.0) + number
    base = shared if np is phalanx else numpy.arange(5000.0)
    for step in range(60):
        kind = choose.randrange(9)
        if kind == 0:
            x = x * 0.5 + base[:3000]
        elif kind == 1:
            x[x > 100.0] = 7.0
        elif kind == 2:
            total += float(x.sum())
        elif kind == 3:
            x = np.sort(x)[::-1].copy()
        elif kind == 4:
            total += len(x[x > 50.0]) + float(np.unique(np.floor(x)).size)
        elif kind == 5:
            with np.errstate(divide="ignore"):
                x += 1.0 / (1.0 + np.abs(x))
        elif kind == 6:
            a = x[:900].reshape(30, 30)
            total += float((a @ a.T).trace()) % 1000.0
        elif kind == 7:
            total += float(str(int(x[step])).__len__())
        elif np is phalanx:
            phalanx.cuda.Device().synchronize()
    return total
found, failures = {}, []
def run(number):
    try:
        found[number] = work(phalanx, number)
    except BaseException as error:
        failures.append((number, repr(error)))
        raise
threads = [threading.Thread(target=run, args=(number,)) for number in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(failures)
print(all(numpy.isclose(found[n], work(numpy, n), rtol=1e-9) for n in range(6)))
"""


@pytest.mark.parametrize("devices", [1, 3])
def test_threads_work_side_by_side(devices):
    assert worlds.run(STRESS, devices=devices, timeout=100).stdout == "[]\nTrue\n"


# Sums of much data fill windows quickly. So a window is often closed while a write is recorded, and
# then other threads run.
WRITERS = """
import sys, threading
import numpy
import phalanx as np
sys.setswitchinterval(1e-5)
np.init(memory_limit="4M", split_from=1)
much = np.arange(20000.0)
ways = {
    "element": lambda a, i, at, mask, value: a.__setitem__(i, i + 1),
    "slice": lambda a, i, at, mask, value: a.__setitem__(slice(i, i + 1), value),
    "in place": lambda a, i, at, mask, value: a[i:i + 1].__iadd__(value),
    "component": lambda a, i, at, mask, value: a.real.__setitem__(i, i + 1),
    "positions": lambda a, i, at, mask, value: a.__setitem__([i], value),
    "mask": lambda a, i, at, mask, value: a.__setitem__(mask, i + 1),
    "flat": lambda a, i, at, mask, value: a.flat.__setitem__(i, i + 1),
    "put": lambda a, i, at, mask, value: np.put(a, at, value),
    "along": lambda a, i, at, mask, value: np.put_along_axis(a, at, value, 0),
    "putmask": lambda a, i, at, mask, value: np.putmask(a, mask, value),
    "copyto": lambda a, i, at, mask, value: np.copyto(a, value, where=mask),
    "at": lambda a, i, at, mask, value: np.add.at(a, at, value),
    "masked at": lambda a, i, at, mask, value: np.add.at(a, mask, i + 1),
    "out": lambda a, i, at, mask, value: np.add(value, 0, out=a, where=mask),
}
count, threads, failures, lost = 160, 4, [], []
def write(way, a, number, begun):
    indices = np.arange(count)
    begun.wait()
    try:
        for i in range(number, count, threads):
            at, mask, value = np.array([i]), indices == i, np.array([i + 1.0])
            np.cumsum(much)
            way(a, i, at, mask, value)
    except BaseException as error:
        failures.append(repr(error))
for name, way in ways.items():
    a = np.zeros(count, complex if name == "component" else float)
    begun = threading.Barrier(threads)
    writers = [
        threading.Thread(target=write, args=(way, a, number, begun)) for number in range(threads)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    missing = int((numpy.asarray(a) != numpy.arange(1, count + 1)).sum())
    if missing:
        lost.append((name, missing))
print(failures, lost)
"""


@pytest.mark.parametrize("devices", [1, 3])
def test_threads_write_their_own_elements_of_one_array(devices):
    assert worlds.run(WRITERS, devices=devices, timeout=100).stdout == "[] []\n"


def test_a_second_thread_is_refused_with_several_processes():
    ended = worlds.run(
        """
        import threading
        import numpy
        import phalanx as np
        x = np.arange(100000.0)
        def try_all():
            work = {
                "records": lambda: x + 1,
                "observes": lambda: float(x[0]),
                "writes": lambda: x.__setitem__(0, 1.0),
                "flushes": np.flush,
                "agrees": np.agree if hasattr(np, "agree") else __import__(
                    "phalanx.distributed").distributed.agree,
                "joins": lambda: np.from_local(numpy.ones(3)),
                "draws": lambda: np.random.default_rng(),
            }
            for name, act in work.items():
                try:
                    act()
                    told.append(f"{name}: nothing")
                except RuntimeError as error:
                    told.append(f"{name}: {'PX036' in str(error)}")
            with np.local():
                # Every thread may use arrays of this process alone.
                told.append(f"local: {float((np.arange(5.0) + 1).sum())}")
        told = []
        thread = threading.Thread(target=try_all)
        total = float((x * 2).sum())
        thread.start()
        thread.join()
        print(total == 99999.0 * 100000.0, float((x * 2).sum()) == total)
        print(told)
        """,
        processes=2,
    )
    lines = sorted({line.split("] ", 1)[-1] if line.startswith("[1]") else line
                    for line in ended.stdout.splitlines()})
    assert lines[0] == "True True", ended.stdout
    assert lines[1].count("False") == lines[1].count("nothing") == 0, ended.stdout
    assert "local: 15.0" in lines[1]


def test_threads_begin_one_session():
    ended = worlds.run(
        """
        import threading
        import phalanx as np
        begun, told = threading.Barrier(4), []
        def begin(number):
            begun.wait()
            try:
                np.init(devices=2)
                told.append("begun")
            except ValueError as error:
                told.append("has already started" in str(error))
            told.append(float(np.arange(4.0).sum()))
        threads = [threading.Thread(target=begin, args=(n,)) for n in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        print(sorted(map(str, told)), np.mesh().devices)
        """
    )
    assert ended.stdout == f"{['6.0'] * 4 + ['True'] * 3 + ['begun']} 2\n"


def test_arrays_after_their_session():
    ended = worlds.run(
        """
        import phalanx as np
        import threading
        x, pending = np.arange(6.0), np.arange(6.0) + 1
        generator = np.random.default_rng(1)
        print(float(x.sum()))
        np.shutdown()
        np.shutdown()
        def attempt(name, act):
            try:
                print(name, act())
            except Exception as error:
                print(name, type(error).__name__, str(error).splitlines()[0])
        attempt("new", lambda: np.zeros(3))
        attempt("flush", np.flush)
        attempt("rank", np.rank)
        attempt("local", lambda: np.local().__enter__())
        attempt("sum", lambda: float(np.sum(x)))
        thread = threading.Thread(target=attempt, args=("thread", lambda: np.ones(2)))
        thread.start()
        thread.join()
        np.init(devices=2)
        attempt("again", lambda: np.ones(2).tolist())
        attempt("mixed", lambda: (np.ones(6) + x).tolist())
        attempt("old", lambda: x.tolist())
        attempt("old pending", lambda: pending.tolist())
        attempt("draws", lambda: generator.random(2).shape)
        """
    )
    lines = ended.stdout.splitlines()
    ending = "RuntimeError the session has ended: phalanx.init() starts another [PX153]"
    assert lines[0] == "15.0"
    assert lines[1:7] == [f"{name} {ending}" for name in
                          ("new", "flush", "rank", "local", "sum", "thread")]
    assert lines[7] == "again [1.0, 1.0]"
    assert lines[8].startswith("mixed ValueError"), lines
    assert len(lines) == 12, lines


CALLBACKS = {
    "apply_along_axis": "np.apply_along_axis(broken, 1, x)",
    "apply_over_axes": "np.apply_over_axes(lambda a, n: broken(a), x, [0])",
    "fromfunction": "np.fromfunction(broken, (3, 4))",
    "piecewise": "np.piecewise(x, [x > 5], [broken, 0.0])",
    "mask_indices": "np.mask_indices(3, broken)",
    "GeneralizedUFunc": "np.x.GeneralizedUFunc(broken, '(n)->()')(x)",
}


def _with_callback(call, where):
    program = """
        import phalanx as np
        x = np.arange(12.0).reshape(3, 4)
        class Mine(Exception):
            pass
        def broken(*arguments):
            if WHERE:
                raise Mine("only here")
            return arguments[0].sum() if hasattr(arguments[0], "sum") else 1.0
        for act in (lambda: CALL, lambda: float(x.sum())):
            try:
                print(act(), flush=True)
            except Exception as error:
                text = str(error).splitlines()[0].split(" [")[0]
                print(f"{type(error).__name__}: {text}", flush=True)
    """
    program = program.replace("WHERE", where).replace("CALL", call)
    ended = worlds.run(program, processes=2, check=False)
    own = [line[4:] for line in ended.stdout.splitlines() if line[:4] == "[1] "]
    others = [line for line in ended.stdout.splitlines() if line[:4] != "[1] "]
    return own, others


@pytest.mark.parametrize("function", CALLBACKS)
def test_callbacks_that_fail_on_one_process(function):
    own, others = _with_callback(CALLBACKS[function], "np.rank() == 1")
    assert own[0] == "Mine: only here"
    assert others[0] == "RuntimeError: on rank 1: Mine: only here"
    # The other process may finish its independent work before the failure reaches it.
    assert own[1] == "RuntimeError: rank 1 failed: Mine: only here"


def test_callbacks_that_fail_on_all_processes():
    for lines in _with_callback(CALLBACKS["apply_along_axis"], "True"):
        assert lines == ["Mine: only here", "66.0"]


def test_events_have_the_time_of_the_host():
    ended = worlds.run(
        """
        import phalanx as np
        from phalanx import cuda
        first = cuda.Event().record()
        float(np.arange(1e6).sum())
        second = cuda.Stream.null.record()
        second.synchronize()
        print(cuda.get_elapsed_time(first, second) > 0)
        try:
            cuda.get_elapsed_time(cuda.Event(), second)
        except ValueError as error:
            print(error)
        """
    )
    told, error = ended.stdout.splitlines()[:2]
    assert told == "True"
    assert error == "get_elapsed_time: both events must have been recorded [PX153]"
