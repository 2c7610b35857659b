"""The type stubs match the module and are correct."""

import pathlib
import re
import sys

import pytest

from . import worlds

ROOT = pathlib.Path(worlds.ROOT)
PACKAGE = ROOT / "python" / "phalanx"
NAMES = sorted(path.name for path in PACKAGE.glob("*.pyi"))


def test_stubs_are_current(tmp_path):
    worlds.run(str(ROOT / "python" / "make_stubs.py"), str(tmp_path))
    assert sorted(path.name for path in tmp_path.glob("*.pyi")) == NAMES
    for name in NAMES:
        assert (tmp_path / name).read_text() == (PACKAGE / name).read_text(), (
            f"{name} is not current: run python python/make_stubs.py"
        )


def test_stubs_are_right():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null"]
    worlds.ended(command + [str(PACKAGE / name) for name in NAMES], {}, timeout=300, check=True)


PROGRAM = """\
import phalanx as np
x: np.ndarray = np.sqrt(np.arange(6.0)).reshape(2, 3)
number: float = float(x.sum(axis=0)[0])
parts: list[np.ndarray] = np.split(x, 2)
steps, step = np.linspace(0, 1, 5, retstep=True)
close: bool = np.allclose(x, [[0.0, 1.0, 2.0]] * 2, rtol=1e-3)
values: np.ndarray = np.linalg.eigh(x @ x.T).eigenvalues
drawn: np.ndarray = np.random.default_rng(1).normal(size=(2, 3))
rows, columns = np.where(x > 1)
joined: np.ndarray = np.concatenate([x, x], axis=-1).transpose(1, 0)
width: float = step * 2
np.sort(x, axis=None)
np.argsort(x, axis=None)
np.partition(x, 1, axis=None)
np.concatenate([x, x], axis=None)
np.take_along_axis(x, x.argsort(axis=None), axis=None)
np.put_along_axis(x, np.argpartition(x, 1, axis=None), 0, axis=None)
np.add.reduce(x, axis=None)
np.fft.irfft2(np.fft.fft2(x, axes=None), axes=None)
np.copyto(x, 1, where=None)
np.interp(1.5, [1, 2, 3], [3, 2, 0])
np.format_float_positional(1.5, sign=False)
np.format_float_scientific(1.5, sign=True)
sharding: np.Sharding = np.Sharding("device", None)
with np.local(), np.errstate(divide="ignore"):
    np.random.default_rng(np.random.SeedSequence(3)).normal(0, 1, size=(2, 3))
for row in x:
    row.sum()
wrong: int = x.reshape(3, 2)  # wrong
x.sum(axis="0")  # wrong
np.sort(x, kind=3)  # wrong
np.take(x, [0], mode="other")  # wrong
np.linalg.inv(x).missing  # wrong
np.random.default_rng(1).normal(size="3")  # wrong
np.cumsum(x, axis=(0, 1))  # wrong
text: str = np.allclose(x, x)  # wrong
np.zeros((2, 3), order="K")  # wrong
np.expand_dims(x)  # wrong
"""


def test_programs_are_checked(tmp_path):
    """Of the gallery's programs and one with mistakes, only the mistakes are reported."""
    pytest.importorskip("mypy")
    gallery = sorted((ROOT / "examples" / "python").glob("*.py"))
    assert len(gallery) >= 6
    program = tmp_path / "program_with_mistakes.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--follow-imports=silent", f"--cache-dir={tmp_path}"]
    variables = {"MYPYPATH": str(PACKAGE.parent)}
    programs = map(str, [program, *gallery])
    output = worlds.ended([*command, *programs], variables, timeout=300, check=False).stdout
    found = re.findall(r"(\w+\.py):(\d+): error", output)
    wrong = {
        (program.name, str(line))
        for line, text in enumerate(PROGRAM.splitlines(), 1)
        if text.endswith("# wrong")
    }
    assert set(found) == wrong, output
