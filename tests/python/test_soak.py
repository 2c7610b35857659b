"""Long-running programs: the resident memory of a loop must not grow.

With `PHALANX_TEST_FULL=1` a loop takes a million steps on one device, and a tenth of that on
several; else enough steps to detect a leak of thirty bytes a step, and of two hundred on
several devices, whose threads make the allocator settle later and whose steps take longer.
"""

import os
import pathlib
import subprocess
import sys

import pytest

from . import soak_loops
from .conftest import FULL, device_count

# The growth allowed for the allocator and Python's own caches after the first iterations.
MOST_GROWTH = 1 << 20 if FULL else 1 << 18 if device_count() == 1 else 1 << 19
if device_count() == 1:
    STEPS = 1_000_000 if FULL else 12_000
else:
    STEPS = 100_000 if FULL else 4_000
PROGRAM = pathlib.Path(soak_loops.__file__)

pytestmark = [
    pytest.mark.one_process("each loop has a process of its own"),
    pytest.mark.skipif(
        not os.path.exists("/proc/self/smaps_rollup"), reason="resident memory is not told here"
    ),
]


@pytest.mark.parametrize("name", soak_loops.LOOPS)
def test_loops_keep_no_memory(name):
    devices = os.environ.get("PHALANX_DEVICES", "cpu")
    if name == "several_devices" and device_count() == 1:
        devices = "cpu:3"
    ended = subprocess.run(
        [sys.executable, str(PROGRAM), name, str(STEPS)],
        env={**os.environ, "PHALANX_DEVICES": devices},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) <= MOST_GROWTH
