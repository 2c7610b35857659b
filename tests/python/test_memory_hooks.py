"""Memory hooks and allocators of phalanx.cuda."""

import ctypes
import gc
import io
import json
import subprocess
import sys
import threading

import numpy
import pytest

import phalanx as np
from phalanx.cuda import memory_hooks


def has_gpu():
    """Whether the session has GPUs."""
    return np.cuda.is_available()


needs_gpu = pytest.mark.skipif(not has_gpu(), reason="the session has no GPU")


class Keeping(np.cuda.MemoryHook):
    """Keeps all calls."""

    name = "Keeping"

    def __init__(self):
        self.calls = []


def _keeping(name):
    def keep(self, **values):
        self.calls.append((name, self.site, values))

    return keep


for _name in "alloc malloc free".split():
    for _when in "preprocess postprocess".split():
        setattr(Keeping, f"{_name}_{_when}", _keeping(f"{_name}_{_when}"))


def test_a_hook_learns_what_its_block_takes_and_frees():
    before = np.ones(300_001)
    hook = Keeping()
    with hook:
        assert np.cuda.memory_hook.get_memory_hooks() == {"Keeping": hook}
        x = np.ones(300_007) * 2  # the line
        x.evaluate()
        del x
    del before
    assert np.cuda.memory_hook.get_memory_hooks() == {}
    names = [name for name, _, _ in hook.calls]
    assert names.count("malloc_preprocess") == names.count("malloc_postprocess") > 0
    assert names.count("alloc_preprocess") == names.count("alloc_postprocess")
    assert names.count("free_preprocess") == names.count("free_postprocess")
    taken = [
        (site, values) for name, site, values in hook.calls
        if name == "malloc_postprocess" and values["size"] >= 8 * 300_007 // np.size() // 8
    ]
    assert taken, hook.calls
    site, values = taken[0]
    line = test_a_hook_learns_what_its_block_takes_and_frees.__code__.co_firstlineno + 5
    assert site == f"{__file__}:{line}", site
    assert set(values) == {"device_id", "size", "mem_size", "mem_ptr", "pmem_id"}
    assert values["mem_size"] >= values["size"] and values["mem_ptr"] > 0
    count = len(hook.calls)
    np.ones(300_011).evaluate()
    assert len(hook.calls) == count


def test_hooks_print_and_profile():
    text, report = io.StringIO(), io.StringIO()
    lines = memory_hooks.LineProfileHook()
    with memory_hooks.DebugPrintHook(file=text), lines:
        with pytest.raises(KeyError, match="active already"):
            memory_hooks.LineProfileHook().__enter__()
        (np.ones(1_000_003) + 1).evaluate()
    rows = [json.loads(row) for row in text.getvalue().splitlines()]
    assert {"hook", "device_id", "mem_size", "mem_ptr"} <= set(rows[0])
    assert any(row["hook"] == "malloc" for row in rows)
    lines.print_report(file=report)
    first, *others = report.getvalue().splitlines()
    assert first.startswith("_root (") and "B, " in first
    assert any("test_memory_hooks.py:" in row and "MB" in row for row in others), others


def test_small_results_have_the_line_of_their_operation():
    small = np.arange(7.0)
    small.evaluate()
    hook = Keeping()
    with hook:
        kept = [small + number for number in range(3)]  # the line
        for array in kept:
            array.evaluate()
    line = test_small_results_have_the_line_of_their_operation.__code__.co_firstlineno + 5
    taken = [site for name, site, _ in hook.calls if name == "malloc_postprocess"]
    # A mesh of one CPU computes each result when it is recorded, others compute all in one plan.
    assert taken and f"{__file__}:{line}" in taken, hook.calls


@pytest.mark.one_process("threads share the session")
def test_threads_allocate_while_hooks_begin_and_end():
    program = """
import sys, threading, time
import phalanx as np
sys.setswitchinterval(1e-5)

class Hook(np.cuda.MemoryHook):
    name = "Hook"

stop = []

def work(own):
    while not stop:
        a = np.ones(3000 + own) * 2
        b = a + 1
        b.evaluate()
        del a, b

threads = [threading.Thread(target=work, args=(own,)) for own in range(3)]
for thread in threads:
    thread.start()
until = time.time() + 1.5
while time.time() < until:
    with Hook():
        (np.ones(2000) * 3).evaluate()
        time.sleep(0.002)
stop.append(True)
for thread in threads:
    thread.join()
print("ended")
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120
    )
    assert ended.stdout == "ended\n", ended.stderr


@needs_gpu
@pytest.mark.one_process("threads share the session")
def test_threads_change_the_allocator_and_free_memory():
    stop, failed = [], []

    def change(free):
        try:
            while not stop:
                if free:
                    np.cuda.get_default_memory_pool().free_all_blocks()
                else:
                    with np.cuda.using_allocator(np.cuda.MemoryPool(np.cuda.malloc_async).malloc):
                        pass
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=change, args=(free,)) for free in (True, False)]
    for thread in threads:
        thread.start()
    for size in range(300):
        values = np.arange(100_003.0 + size) + 1
        assert float(values[-1]) == 100_003 + size
        del values
    stop.append(True)
    for thread in threads:
        thread.join(60)
    assert not failed and not any(thread.is_alive() for thread in threads)


def test_allocators_are_checked_and_restored():
    pool = np.cuda.MemoryPool()
    with pytest.raises(TypeError, match="callable"):
        np.cuda.set_allocator(3)
    with pytest.raises(TypeError, match="functions"):
        np.cuda.PythonFunctionAllocator(1, 2)
    before = np.cuda.get_allocator()
    with np.cuda.using_allocator(pool.malloc):
        assert np.cuda.get_allocator() == pool.malloc
        assert float(np.arange(1000.0).sum()) == 499500
    assert np.cuda.get_allocator() == before
    assert np.cuda.MemoryAsyncPool().memoryAsyncHasStat is True


@needs_gpu
@pytest.mark.parametrize(
    "make",
    [
        lambda: None,
        lambda: np.cuda.MemoryPool(np.cuda.malloc_managed).malloc,
        lambda: np.cuda.MemoryAsyncPool().malloc,
        lambda: np.cuda.MemoryPool(np.cuda.malloc_async).malloc,
    ],
)
def test_arrays_use_the_chosen_memory(make):
    old = np.arange(100_003.0)
    old.evaluate()
    with np.cuda.using_allocator(make()):
        for _ in range(5):
            new = np.sqrt(old * old + 1) + np.ones(100_003).cumsum()
            expected = numpy.sqrt(numpy.arange(100_003.0) ** 2 + 1) + numpy.arange(1, 100_004.0)
            numpy.testing.assert_allclose(numpy.asarray(new), expected, rtol=1e-15)
        kept = new
    numpy.testing.assert_allclose(numpy.asarray(kept), expected, rtol=1e-15)
    assert float((kept - old).sum()) == pytest.approx(float((expected - numpy.asarray(old)).sum()))


@needs_gpu
def test_functions_of_python_allocate():
    given, taken = {}, []

    def give(size, device):
        address = np.cuda.runtime.malloc(size)
        given[address] = (size, device)
        return address

    def take(address, device):
        taken.append((address, device))
        np.cuda.runtime.free(address)

    allocator = np.cuda.PythonFunctionAllocator(give, take)
    with np.cuda.using_allocator(allocator.malloc):
        for _ in range(3):
            x = np.arange(1_000_003.0) * 2
            assert float(x.sum()) == 1_000_002 * 1_000_003.0
        assert any(size >= 8 * 1_000_003 for size, _ in given.values())
        del x
    np.cuda.Device().synchronize()
    np.ones(10).evaluate()
    assert {address for address, _ in taken} <= set(given) and taken
    assert all(device == 0 for _, device in given.values())
    memory = allocator.malloc(1000)
    assert memory.ptr in given
    address = memory.ptr
    del memory
    assert taken[-1] == (address, 0)


@needs_gpu
def test_a_refusal_of_an_allocator_is_lack_of_memory():
    def refuse(size):
        raise MemoryError

    with np.cuda.using_allocator(refuse), pytest.raises(MemoryError, match="PX050"):
        np.ones(123_457).evaluate()
    assert float(np.ones(123_457).sum()) == 123_457


@needs_gpu
def test_functions_of_c_allocate():
    calls = []
    address = ctypes.c_void_p

    @ctypes.CFUNCTYPE(address, address, ctypes.c_size_t, ctypes.c_int)
    def give(parameter, size, device):
        calls.append((parameter, size, device))
        return np.cuda.runtime.malloc(size)

    @ctypes.CFUNCTYPE(None, address, address, ctypes.c_int)
    def take(parameter, pointer, device):
        calls.append((parameter, pointer, device))
        np.cuda.runtime.free(pointer)

    pointers = [ctypes.cast(function, address).value for function in (give, take)]
    allocator = np.cuda.CFunctionAllocator(7, *pointers, (give, take))
    with np.cuda.using_allocator(allocator.malloc):
        assert float(np.ones(1_000_033).sum()) == 1_000_033
    np.cuda.Device().synchronize()
    assert calls and all(parameter == 7 for parameter, _, _ in calls)


_TORCH = """
import torch
import phalanx as np
allocator = np.cuda.pluggable_allocator()
torch.cuda.memory.change_current_allocator(allocator)
x = torch.ones(1_000_003, device="cuda", dtype=torch.float64)
held = np.cuda.get_default_memory_pool().used_bytes()
assert held >= 8 * 1_000_003, held
a = np.arange(1_000_003.0)
for _ in range(20):
    y = x * 2
    b = a + 1
    del y
    assert float(b.sum()) == 1_000_003 * 1_000_004 / 2
assert float((x * 3).sum()) == 3 * 1_000_003
del x
print("used", np.cuda.get_default_memory_pool().used_bytes() - b.nbytes - a.nbytes < 1 << 20)
"""

_FROM_TORCH = """
import torch
import phalanx as np
allocator = np.cuda.PythonFunctionAllocator(
    lambda size, device: torch.cuda.caching_allocator_alloc(size, device),
    lambda address, device: torch.cuda.caching_allocator_delete(address),
)
np.cuda.set_allocator(allocator.malloc)
before = torch.cuda.memory_allocated()
a = np.arange(1_000_003.0)
for _ in range(20):
    b = a + 1
    assert float(b.sum()) == 1_000_003 * 1_000_004 / 2
assert torch.cuda.memory_allocated() - before >= 2 * 8 * 1_000_003
np.cuda.set_allocator(np.cuda.get_default_memory_pool().malloc)
del a, b
np.cuda.Device().synchronize()
np.ones(3).evaluate()
print("used", torch.cuda.memory_allocated() - before < 1 << 20)
"""


@needs_gpu
@pytest.mark.parametrize("program", [_TORCH, _FROM_TORCH])
def test_one_pool_is_shared_with_pytorch(program):
    pytest.importorskip("torch")
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 0 and ended.stdout.strip() == "used True", ended


class Failing(np.cuda.MemoryHook):
    """Raises for each memory block that is taken."""

    name = "Failing"

    def malloc_postprocess(self, **values):
        raise LookupError(f"block {values['mem_size']}")


def work():
    (np.ones(300_007) * 2).evaluate()


@pytest.mark.parametrize("is_outer", [False, True])
def test_a_hook_that_raises_takes_nothing_from_others(is_outer):
    alone, beside = Keeping(), Keeping()
    # The pool of a GPU keeps the memory of the first run for the next ones.
    work()
    np.cuda.Stream.null.synchronize()
    with alone:
        work()
    hooks = (Failing(), beside) if is_outer else (beside, Failing())
    with pytest.raises(LookupError, match="block"), hooks[0]:
        with hooks[1]:
            work()
    assert [name for name, _, _ in beside.calls] == [name for name, _, _ in alone.calls]
    assert np.cuda.memory_hook.get_memory_hooks() == {}
    # Its next block begins without the exception.
    with Failing():
        pass


def test_an_exception_of_the_block_is_kept():
    with pytest.raises(ZeroDivisionError) as found, Failing():
        work()
        1 / 0
    assert "memory hook 'Failing' raised LookupError" in found.value.__notes__[0]


@pytest.mark.parametrize("wait", [
    lambda: np.cuda.Stream().synchronize(), lambda: np.cuda.Stream.null.synchronize(),
    lambda: np.cuda.runtime.deviceSynchronize(), lambda: np.cuda.runtime.streamSynchronize(0),
])
def test_hooks_are_called_when_the_program_waits(wait):
    # Arrays of earlier tests whose objects refer to each other are freed whenever Python finds them.
    gc.collect()
    np.cuda.Stream.null.synchronize()
    hook = Keeping()
    with hook:
        work()
        wait()
        count = len(hook.calls)
        assert count > 0 and not np._phalanx._memory_events()
        work()
    assert len(hook.calls) > count


def test_a_function_of_a_hook_may_wait():
    calls = []

    class Waiting(np.cuda.MemoryHook):
        name = "Waiting"

        def malloc_postprocess(self, **values):
            calls.append(values["mem_size"])
            np.cuda.Stream.null.synchronize()

    hook = Keeping()
    with hook, Waiting():
        work()
        np.cuda.Stream.null.synchronize()
        work()
    names = [name for name, _, _ in hook.calls]
    assert names.count("malloc_postprocess") == len(calls) > 0
