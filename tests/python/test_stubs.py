"""The type stubs are those of the module, and right."""

import pathlib
import subprocess
import sys

import pytest

from . import worlds

ROOT = pathlib.Path(worlds.ROOT)
PACKAGE = ROOT / "python" / "phalanx"
NAMES = ["__init__.pyi", "fft.pyi", "linalg.pyi", "random.pyi"]


def test_stubs_are_current(tmp_path):
    worlds.run(str(ROOT / "python" / "make_stubs.py"), str(tmp_path))
    for name in NAMES:
        assert (tmp_path / name).read_text() == (PACKAGE / name).read_text(), (
            f"{name} is not current: run python python/make_stubs.py"
        )


def test_stubs_are_right():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null"]
    checked = subprocess.run(
        command + [str(PACKAGE / name) for name in NAMES], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout


def test_a_program_is_checked(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(
        "import phalanx as np\n"
        "x: np.ndarray = np.sqrt(np.arange(6.0)).reshape(2, 3)\n"
        "number: float = float(x.sum(axis=0)[0])\n"
        "wrong: int = x.reshape(3, 2)\n"
    )
    command = [sys.executable, "-m", "mypy", "--cache-dir=/dev/null", str(program)]
    checked = subprocess.run(
        command, capture_output=True, text=True, check=False, env={"MYPYPATH": str(PACKAGE.parent)}
    )
    assert "program.py:4" in checked.stdout and "program.py:3" not in checked.stdout, checked.stdout
