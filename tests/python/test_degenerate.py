"""Every operation, pair of dtypes and degenerate shape against NumPy, in separate processes, so
that a crash of a library or a driver does not end the tests. Runs the eighth `PHALANX_TEST_SHARE`
of the cases; all eighths on GPUs and with `--full`."""

import os
import pathlib
import subprocess
import sys

import pytest

from . import worlds
from .conftest import RANKS

PROGRAM = pathlib.Path(__file__).with_name("degenerate.py")
FAMILIES = ["products", "whole", "unary", "binary"]
DEVICES = os.environ.get("PHALANX_DEVICES", "cpu")
IS_WHOLE = os.environ.get("PHALANX_TEST_FULL") == "1" or not DEVICES.startswith("cpu")

if RANKS > 1:
    pytest.skip("the program is one process", allow_module_level=True)


SHARES = range(8) if IS_WHOLE else [int(os.environ.get("PHALANX_TEST_SHARE", "0")) % 8]


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("family", FAMILIES)
def test_degenerate_shapes_of_every_pair_of_dtypes(family, share):
    kept = {name: value for name, value in os.environ.items()
            if name in ("PHALANX_DEVICES", "PHALANX_CUDA_PATH", "PHALANX_THREADS")}
    result = subprocess.run(
        [sys.executable, str(PROGRAM), family, str(share), "8"], env=worlds.surroundings() | kept,
        capture_output=True, text=True, timeout=1500, check=False,
    )
    case = (result.stderr.splitlines() or ["none"])[-1]
    assert result.returncode in (0, 1), f"ended with {result.returncode} at {case}"
    assert result.returncode == 0, result.stdout[-4000:]
