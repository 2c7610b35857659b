"""The programs of the documents run.

A code block of Python in docs/*.md and README.md is a separate program, which runs on one device
and on three. A word after the language changes that: `mpi` runs it in processes of MPI, `processes`
in those of `phalanx run`; any other word names a library that the code block requires.
"""

import importlib.util
import pathlib
import re

import pytest

from . import worlds
from .test_mpi import needs_mpi4py

ROOT = pathlib.Path(worlds.ROOT)
BLOCK = re.compile(r"^```python *([a-z_]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks():
    """Every code block: the file with the line, the way to run it, and the program."""
    for path in [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]:
        text = path.read_text()
        for found in BLOCK.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            marks = [worlds.needs_mpirun, needs_mpi4py] if found[1] == "mpi" else []
            yield pytest.param(
                *found.groups(), id=f"{path.relative_to(ROOT)}:{line}", marks=marks
            )


@pytest.mark.parametrize("how, program", list(blocks()))
def test_block(how, program, tmp_path):
    # Files that a program writes go to its own folder.
    path = tmp_path / "program.py"
    path.write_text(program)
    started = f"\nimport os, runpy\nos.chdir({str(tmp_path)!r})\nrunpy.run_path('program.py')\n"
    if how == "mpi":
        worlds.mpirun(started)
    elif how == "processes":
        worlds.run(started, processes=2)
    else:
        if how and importlib.util.find_spec(how) is None:
            pytest.skip(f"no {how} here")
        for devices in (1, 3):
            worlds.run(started, devices=devices)


def test_blocks_are_found():
    assert len(list(blocks())) >= 8


def test_every_module_of_cupy_has_its_place():
    guide = (ROOT / "docs" / "cupy.md").read_text()
    rows = (ROOT / "tests" / "api" / "cupy_api.tsv").read_text().splitlines()[1:]
    rows = [row.split("\t") for row in rows]
    classes = {f"{area}.{name}" for area, name, kind, *_ in rows if kind == "class"}
    modules = set()
    for area, name, kind, *_ in rows:
        # Areas of classes are inside of modules, and so are CuPy's own members of SciPy's classes.
        is_class = area in classes or area.replace("cupyx.", "").replace("cupy", "numpy") in classes
        if area.startswith("cupy"):
            modules.add(area.rpartition(".")[0] if is_class else area)
            if kind == "module":
                modules.add(f"{area}.{name}")
    assert len(modules) > 50
    named = set(re.findall(r"`([\w.]+)`", guide))
    missing = {
        module for module in modules
        if not any(module == name or module.endswith(f".{name.lstrip('.')}") for name in named)
    }
    assert not missing, f"docs/cupy.md says nothing of {sorted(missing)}"


def test_help_says_how_the_demo_gets_its_data(tmp_path):
    def program(*words):
        command = "import sys\nfrom phalanx.__main__ import main\nsys.argv[0] = 'phalanx'\nmain()\n"
        return worlds.run(command, *words).stdout

    assert "phalanx demo --fetch" in program("help")
    assert "--output" in program("demo", "--fetch", "--help")
