"""Lack of memory: only the work that does not fit fails, and the program continues."""

# Functions for which the host has too little memory run in children of one process. Each child
# starts its own session, makes its inputs, and then gets a low memory limit.

import sys
import textwrap

import pytest

from . import worlds
from .conftest import FULL

worlds.apart()

# Work that is refused under a limit of 13 MiB a device; at the end only the arrays bound to names
# are left.
REFUSALS = {
    "a product that nobody reads": """
        big = ones((200000, 1, 1000)) * ones((1, 200000, 1))
        later = big + 1.0
    """,
    "a product that is read": """
        made = sys._getframe().f_lineno + 1
        big = ones((200000, 1, 1000)) * ones((1, 200000, 1))
        row = big[7, 8, :4] * 2.0
        line = refused(lambda: big.evaluate())
        assert f"from    <string>:{made}\\n" in line and "f64[200000, 200000, 1000]" in line, line
        assert refused(lambda: big.evaluate()) == line
        refused(lambda: (big + 1.0).evaluate())
        assert row.tolist() == [2.0] * 4
    """,
    "a transform": """
        refused(lambda: np.fft.fft(ones(2 * 10**6)).evaluate())
        kept = np.fft.fft(ones(2 * 10**6))
        dropped = np.fft.fft(ones(2 * 10**6 + 1))
        del dropped
    """,
    "a product of matrices": """
        refused(lambda: (ones((3000, 10)) @ ones((10, 3000))).evaluate())
    """,
    "a sort": """
        refused(lambda: np.sort(ones(10**7)).evaluate())
        refused(lambda: np.unique(np.arange(10.0**7)))
    """,
    "running sums": """
        refused(lambda: np.cumsum(ones(10**7)).evaluate())
    """,
    "a selection": """
        refused(lambda: (ones(10**7) * 2.0)[np.arange(10**7) % 2 == 0])
    """,
    "a write": """
        def write(x):
            x[2:] = np.sort(ones((10**6, 8)), axis=0).sum(axis=0)
            x.evaluate()
        refused(lambda: write(ones(10)))
    """,
    "all that is pending": """
        first, second = ones(10**7), ones(3)
        refused(np.flush)
        assert second.tolist() == [1.0] * 3
    """,
    "several of which each would fit": """
        first, second, third = (ones(10**6 * devices) * float(n) for n in range(3))
        refused(np.flush)
        first.evaluate()
        # There is room for another one once that is dropped.
        del first
        second.evaluate()
        refused(lambda: third.evaluate())
        del second
        assert float((ones(10**6 * devices) * 2.0)[-1]) == 2.0
    """,
}

PROGRAM = """
import sys
import phalanx as np
ones = np.ones
devices = int(sys.argv[1])

def refused(call):
    try:
        call()
    except MemoryError as error:
        assert "PX050" in str(error), error
        return str(error)
    raise AssertionError("nothing was refused")

def fits(x):
    try:
        x.evaluate()
    except MemoryError:
        return False
    return True

before = np.arange(10) * 3
written = np.zeros((50, 4))
written.evaluate()
written[1:3] += 1.0
split = np.arange(10.0**5)
def part():
{part}
    return locals()
for turn in range(3):
    written += 1.0
    kept = part()
    split += 1.0
    assert float(split[-1]) == 10.0**5 + turn, split[-1]
    assert float((np.arange(1000) * 2).sum()) == 999000.0
    assert float(split.sum()) == 10**5 * (10**5 - 1) / 2 + (turn + 1) * 10**5
    assert written[:4, 0].tolist() == [turn + 1.0, turn + 2.0, turn + 2.0, turn + 1.0]
    assert np.sort(-np.arange(5.0)).tolist() == [-4.0, -3.0, -2.0, -1.0, -0.0]
    del kept
assert before.tolist() == list(range(0, 30, 3))
np.shutdown()
print("over")
"""


@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize("processes, devices", [(1, 1), (1, 3), (2, 1), (2, 2)])
def test_the_program_continues_after_a_refusal(refusal, processes, devices):
    part = textwrap.indent(textwrap.dedent(REFUSALS[refusal]), "    ")
    program = PROGRAM.replace("{part}\n", part)
    run = worlds.run(
        program,
        str(processes * devices),
        processes=processes,
        devices=devices,
        environment={"PHALANX_MEMORY_LIMIT": "13M"},
    )
    assert run.stdout.count("over\n") == processes, run.stdout


# Functions of vectors, matrices and positions, and functions that read or copy elements.
ON_HOST = """
x.get(); x.tolist(); x.tobytes(); bytes(x); str(x); np.asnumpy(x)
np.asarray(host); np.array(host); np.save(path, x); np.savez(path, x=x); x.astype("f4")
np.sort(x); np.argsort(x); np.lexsort((x, x)); np.partition(x, 9); np.median(x); np.unique(x)
np.percentile(x, 30); np.percentile(m, m); np.searchsorted(x, x); np.histogram(x); np.isin(i, i); np.intersect1d(i, i)
np.cumsum(x); np.diff(x); np.interp(x, x, x); np.flip(x).copy(); np.roll(x, 3); np.repeat(x, 3)
np.tile(x, 3); np.take(x, i); x[i]; x[i % 2 == 0]; np.nonzero(x); np.argwhere(m); np.bincount(i)
np.concatenate([x, x]); np.stack([x, x]); np.hstack([x, x]); np.outer(x[:1500], x[:1500])
np.where(i % 2 == 0, x, 1.0); np.add.reduceat(i, i[:9]); np.choose(i % 2, [x, x]); x + x; x * 2.0
np.fft.fft(x); np.fft.rfft(x); np.fft.ifft(x); np.fft.irfft(x); np.fft.fft2(m); np.fft.hfft(x)
m @ m; np.dot(m, m); np.einsum("ij,jk", m, m); np.kron(m[:40, :40], m[:40, :40]); m.T.copy()
np.linalg.svd(m); np.linalg.qr(m); np.linalg.inv(m); np.linalg.solve(m, m); np.linalg.eigh(m)
np.linalg.eigvals(m[:300, :300]); np.linalg.cholesky(m @ m.T); np.linalg.det(m); np.linalg.pinv(m)
np.convolve(x, x[:9]); np.cov(m); np.corrcoef(m); np.gradient(x); np.trapezoid(x)
np.random.random(2 * 10**6); np.random.permutation(x); np.random.bytes(10**8); np.zeros(10**8)
np.meshgrid(x[:3000], x[:3000]); np.array_equal(x, x); np.average(x, weights=x); np.cross(v, v)
"""

ON_LITTLE_MEMORY = """
import os, resource, signal, sys, tempfile
import numpy
import phalanx as np

calls = {calls!r}
path = tempfile.mkdtemp() + "/x.npy"

def child(call):
    signal.alarm(50)
    host = numpy.arange(2.0 * 10**6)
    x, i = np.asarray(host), np.arange(2 * 10**6) % 1000
    m = (np.arange(10.0**6).reshape(1000, 1000) % 7.0) + np.eye(1000) * 9.0
    v = np.ones((10**6, 3))
    for given in (x, i, m, v, np.sort(np.arange(1000.0))):
        given.evaluate()
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + {more}, resource.RLIM_INFINITY))
    try:
        results = eval(call)
        for result in results if isinstance(results, (tuple, list)) else [results]:
            if isinstance(result, np.ndarray):
                result.evaluate()
    except MemoryError as error:
        os.write(1, b"r")
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert float(x.sum()) == (10**6 - 0.5) * 2 * 10**6, x.sum()
    assert float((np.arange(100) * 2).sum()) == 9900.0

bad = []
for call in calls:
    process = os.fork()
    if process == 0:
        status = 1
        try:
            child(call)
            status = 0
        except BaseException as error:
            print(call, type(error), error, file=sys.stderr, flush=True)
        finally:
            os._exit(status)
    status = os.waitpid(process, 0)[1]
    if status != 0:
        bad.append((call, status))
assert not bad, bad
"""


@pytest.mark.skipif(sys.platform != "linux", reason="address spaces are limited on Linux")
@pytest.mark.parametrize("devices", [1, 3])
@pytest.mark.parametrize("more", [12 << 20, 40 << 20])
def test_refusals_of_the_host_are_errors(devices, more):
    calls = [call.strip() for call in ON_HOST.replace("\n", ";").split(";")]
    calls = worlds.due([call for call in calls if call])
    program = ON_LITTLE_MEMORY.format(calls=calls, more=more)
    run = worlds.run(program, devices=devices, timeout=300, environment={"RUST_BACKTRACE": "1"})
    # Some calls succeed and some are refused, no matter how much memory a device itself needs.
    assert run.stdout.count("r") > len(calls) // 10, run.stdout


def test_work_on_many_elements_is_done_in_pieces():
    worlds.run(
        """
        import phalanx as np
        n = 10**8
        x = np.zeros(n, dtype="i1")
        x[:: 10**6] = 3
        x[-1] = 1
        found = np.flatnonzero(x)
        assert found.dtype == np.int64 and found.size == 101 and int(found[-1]) == n - 1
        assert found[:100].tolist() == list(range(0, n, 10**6))
        sums = np.add.reduceat(x, np.asarray([0, 10, 5000, n // 2, n // 2 + 5]))
        assert sums.dtype == np.int64 and sums.tolist() == [3, 0, 147, 3, 148], sums
        assert np.add.reduceat(x, np.asarray([10, 5, 0, 0])).tolist() == [0, 0, 3, 301]
        del x, found, sums
        # There is room for the results alone.
        repeated = np.broadcast_to(np.arange(4.0), (10**7, 4))
        assert np.take(repeated, np.asarray([[2, 3]]), axis=1)[5].tolist() == [[2.0, 3.0]]
        assert np.searchsorted(np.arange(4.0), repeated)[7].tolist() == [0, 1, 2, 3]
        assert np.searchsorted(np.broadcast_to(np.asarray(2.0), (10**11,)), 3.0) == 10**11
        """,
        environment={"PHALANX_MEMORY_LIMIT": "400M"},
        timeout=120,
    )


@pytest.mark.skipif(not FULL, reason="takes 5 GiB, only with PHALANX_TEST_FULL=1")
@pytest.mark.parametrize("devices", [1, 3])
def test_an_array_has_more_elements_than_32_bits_count(devices):
    worlds.run(
        """
        import phalanx as np
        n = 2_200_000_000
        x = np.zeros(n, dtype="i1")
        y = x + np.int8(1)
        assert y.dtype == np.int8 and int(y.sum()) == n and int(y[-1]) == 1
        assert int(y[n // 2:].sum()) == n - n // 2
        del y
        x[2**31 + 7], x[-1] = 3, 5
        assert x[2**31:2**31 + 10].tolist() == [0] * 7 + [3, 0, 0]
        assert int(x.max()) == 5 and int(x.argmax()) == n - 1 and int(x[::-1][0]) == 5
        assert int(np.count_nonzero(x)) == 2 and np.flatnonzero(x).tolist() == [2**31 + 7, n - 1]
        assert int(x[1::2].sum()) == 8
        x[2**31:] += np.int8(1)
        assert int(x.sum(dtype="i8")) == n - 2**31 + 8
        assert x.reshape(2, n // 2).sum(axis=1).tolist() == [0, n - 2**31 + 8]
        """,
        devices=devices,
        timeout=600,
    )


@pytest.mark.skipif(not FULL, reason="takes 6 GiB, only with PHALANX_TEST_FULL=1")
@pytest.mark.parametrize("devices", [1, 3])
def test_reduceat_combines_more_elements_than_32_bits_count(devices):
    # The sums have 8 times as many bytes as the elements: with all at once they exceed the limit.
    worlds.run(
        """
        import phalanx as np
        n, far = 2_200_000_000, 2**31 + 7
        x = np.zeros(n, dtype="i1")
        x[10], x[far], x[-1] = 100, 3, 5
        starts = [0, 10, n // 2, far - 1, far, far + 1, n - 1]
        sums = np.add.reduceat(x, starts)
        assert sums.dtype == np.int64 and sums.tolist() == [0, 100, 0, 0, 3, 0, 5], sums
        # Stretches from starts that do not ascend are single elements, and the last one is long.
        assert np.add.reduceat(x, [far, far - 1, far, 5]).tolist() == [3, 0, 3, 108]
        x += np.int8(1)
        sums = np.add.reduceat(x, starts)
        counts = [10, n // 2 - 10, far - 1 - n // 2, 1, 1, n - 2 - far, 1]
        assert sums.tolist() == [c + more for c, more in zip(counts, [0, 100, 0, 0, 3, 0, 5])], sums
        rows = np.add.reduceat(x.reshape(n // 2, 2), [0, far // 2, far // 2 + 1])
        after = n // 2 - far // 2 - 1
        assert rows.tolist() == [[far // 2 + 100, far // 2], [1, 4], [after, after + 5]], rows
        """,
        devices=devices,
        environment={"PHALANX_MEMORY_LIMIT": f"{6 // devices}G"},
        timeout=600,
    )
