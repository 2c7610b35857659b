"""The Python tests: one session for all of them, in which every array is split.

The devices are those of `PHALANX_DEVICES`. With `PHALANX_TEST_FULL=1` every case runs on all of
them, and Hypothesis looks ten times as long. `PHALANX_TEST_SHARE` runs one eighth of the tests.
"""

import importlib.util
import os
import pathlib
import sys
import zlib

import numpy
import pytest
from hypothesis import HealthCheck, settings

ROOT = pathlib.Path(__file__).resolve().parents[2]
if importlib.util.find_spec("phalanx") is None:
    sys.path.insert(0, str(ROOT / "python"))

import phalanx  # noqa: E402

FULL = os.environ.get("PHALANX_TEST_FULL") == "1"

settings.register_profile(
    "phalanx",
    # The same examples every time: what a change breaks is told where it is made.
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=1500 if FULL else 150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("phalanx")


def pytest_collection_modifyitems(config, items):
    """Leaves the tests of one share, which are the same on every machine and in every process."""
    share = os.environ.get("PHALANX_TEST_SHARE")
    if share:
        chosen = [item for item in items if zlib.crc32(item.nodeid.encode()) % 8 == int(share)]
        left = [item for item in items if zlib.crc32(item.nodeid.encode()) % 8 != int(share)]
        config.hook.pytest_deselected(items=left)
        items[:] = chosen


def device_count():
    """How many devices `PHALANX_DEVICES` names."""
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
