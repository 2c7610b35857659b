"""The Python tests: one session for all of them, in which every array is split.

The devices are those of `PHALANX_DEVICES`. With `PHALANX_TEST_FULL=1` every case runs on all of
them, with ten times as many examples of Hypothesis. `PHALANX_TEST_SHARE` runs an eighth of the
tests, `PHALANX_TEST_TURN` a sixth of the cases of each test; both the eighth of half of the files,
or of a quarter of them in ranks.
Under a launcher every process runs the tests as a rank of one world, except tests marked as tests
of one process.
"""

import collections
import gc
import importlib.util
import os
import pathlib
import signal
import sys
import zlib

import numpy
import pytest
from hypothesis import HealthCheck, settings

ROOT = pathlib.Path(__file__).resolve().parents[2]
if importlib.util.find_spec("phalanx") is None:
    sys.path.insert(0, str(ROOT / "python"))

import phalanx  # noqa: E402

# Programs that a shell starts in the background ignore both signals. The programs that tests start
# and interrupt would inherit that.
for number, handler in [
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGQUIT, signal.SIG_DFL),
]:
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, handler)

FULL = os.environ.get("PHALANX_TEST_FULL") == "1"
SHARE, TURN = map(os.environ.get, ["PHALANX_TEST_SHARE", "PHALANX_TEST_TURN"])

settings.register_profile(
    "phalanx",
    # The same examples in each run, so that a failure belongs to the change that caused it.
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=1500 if FULL else 150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("phalanx")

# The number of processes of the launcher that runs these tests.
RANKS = int(
    next(filter(None, map(os.environ.get, ["PHALANX_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"])), 1)
)

# Texts of kernels that are no plain arithmetic are refused where there are no GPUs; on GPUs they are
# compiled.
on_parsed_texts = pytest.mark.skipif(
    phalanx.cuda.is_available(), reason="on GPUs the compiler finds the mistakes"
)


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "one_process(reason): the test cannot run in the ranks of a world"
    )


def pytest_ignore_collect(collection_path):
    """Reads no file of tests that is not due; reading them takes longer than an eighth of them."""
    if not SHARE or not TURN or not collection_path.name.startswith("test_"):
        return None
    parts = 4 if RANKS > 1 else 2
    number = zlib.crc32(collection_path.name.encode())
    return True if number % parts != int(TURN) % parts else None


def pytest_collection_modifyitems(config, items):
    """Keeps the tests of one share, the same on every machine and in every process; in ranks, keeps
    those that ranks can run together."""
    totals = collections.Counter(item.nodeid.partition("[")[0] for item in items)
    cases = collections.Counter()

    def is_due(item):
        if RANKS > 1 and item.get_closest_marker("one_process"):
            return False
        function = item.nodeid.partition("[")[0]
        if TURN and not SHARE and RANKS == 1:
            # Of fewer than six cases, one is due.
            cases[function] += 1
            if (cases[function] + int(TURN)) % min(6, totals[function]):
                return False
        return not SHARE or zlib.crc32(item.nodeid.encode()) % 8 == int(SHARE)

    due = [is_due(item) for item in items]
    left_out = [item for item, is_one in zip(items, due) if not is_one]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item, is_one in zip(items, due) if is_one]


def pytest_collection_finish():
    """Keeps the collector of garbage from going over all tests again and again."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter):
    """Prints the seed of the random arguments also where all cases pass: it may change with the
    commit."""
    drawn = next((sys.modules[name] for name in sys.modules if name.endswith("test_drawn")), None)
    if drawn is not None and hasattr(drawn, "SEED"):
        line = f"random arguments: PHALANX_TEST_SEED={drawn.SEED}, {drawn.CASES} cases a function"
        terminalreporter.write_line(line)


def device_count():
    """The number of devices in `PHALANX_DEVICES`."""
    kind, _, numbers = os.environ.get("PHALANX_DEVICES", "cpu").partition(":")
    # GPUs are listed, CPU devices counted.
    return len(numbers.split(",")) if kind == "cuda" else int(numbers or 1)


@pytest.fixture(scope="session", autouse=True)
def session():
    """The session of all tests. Arrays of one element or more are split over its devices."""
    phalanx.init(split_from=1)
    with numpy.errstate(all="ignore"):
        yield
    phalanx.shutdown()
