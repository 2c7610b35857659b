"""A call of a ufunc with an output enters the files of ARCHITECTURE.md's map, in its order."""

import pathlib
import re
import subprocess
import sys

import pytest

from . import worlds

worlds.apart()

PROGRAM = """
import sys
import phalanx as np
a, b, c = (np.arange(60.0) + step for step in range(3))
[x.get() for x in (a, b, c)]
print("begin", file=sys.stderr, flush=True)
np.add(a, b, out=c)
c.get()
print("end", file=sys.stderr, flush=True)
"""
# Files that a call with an output does not need: methods of arrays, reductions, combinations.
NOT_NEEDED = {"array/src/math/methods.rs", "array/src/reductions/methods.rs",
              "array/src/reductions/record.rs", "collectives/src/planes/member.rs"}


def files_of_the_map():
    page = pathlib.Path(__file__).parents[2] / "ARCHITECTURE.md"
    if not page.exists():
        pytest.skip("there is no map here")
    text = page.read_text().split("## The path of an expression")[1]
    lines = re.match(r"\n((?:\n|    .*\n)*)", text).group(1)
    return re.findall(r"\S+src/\S+\.rs(?=\s)", lines)


def test_a_call_with_an_output_enters_the_files_of_the_map_in_its_order():
    environment = worlds.surroundings() | {"PHALANX_LOG": "trace", "PHALANX_DEVICES": "cpu:3"}
    ended = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True,
                           text=True, timeout=100, check=True)
    lines = ended.stderr.partition("begin\n")[2].partition("end\n")[0]
    entered = list(dict.fromkeys(re.findall(r'phalanx::path: file="(.*)"', lines)))
    assert entered == [file for file in files_of_the_map() if file not in NOT_NEEDED]
