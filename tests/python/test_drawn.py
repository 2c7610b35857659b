"""Functions with random arguments against NumPy; a failure prints its seed.

The cases are the same in each run. `--full` draws a hundred thousand, which depend on the commit;
`PHALANX_TEST_SEED` draws those from a seed on.
"""

import os
import subprocess

import pytest

from . import drawn
from .conftest import RANKS

if RANKS > 1:
    pytest.skip("ranks draw the same cases", allow_module_level=True)

IS_FULL = os.environ.get("PHALANX_TEST_FULL") == "1"
CASES = 100_000 // len(drawn.FUNCTIONS) + 1 if IS_FULL else 25


def first_seed():
    """The first seed; with `--full` it depends on the commit."""
    told = os.environ.get("PHALANX_TEST_SEED")
    if told or not IS_FULL:
        return int(told or 0)
    found = subprocess.run(["git", "rev-list", "--count", "HEAD"], capture_output=True, text=True,
                           check=False, cwd=os.path.dirname(__file__))
    return int(found.stdout) * CASES if found.returncode == 0 else 0


SEED = first_seed()


@pytest.mark.parametrize("name", drawn.FUNCTIONS)
def test_drawn_arguments(name):
    found = ((seed, drawn.case(name, seed)) for seed in range(SEED, SEED + CASES))
    differences = [f"{name}, seed {seed}: {text}" for seed, text in found if text]
    assert not differences, "\n".join(differences[:10])
