"""The programs of examples/python print what NumPy prints, on any number of devices."""

import pathlib
import re
import sys

import numpy
import pytest

from . import worlds
from .conftest import FULL

FOLDER = pathlib.Path(worlds.ROOT) / "examples" / "python"
GALLERY = ["heat_equation", "image_filter", "k_means", "logistic_regression", "n_body"]
# Numbers of processes, and of devices of each process.
PLACES = [(1, 1), (1, 3), (1, 4), (4, 1)]
# The programs that also run under mpirun without PHALANX_TEST_FULL.
SOON = ["heat_equation", "k_means"]
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")


def compare(found, expected):
    """Compares texts up to the last digits of numbers with a fraction."""
    assert NUMBER.sub("#", found) == NUMBER.sub("#", expected)
    for ours, theirs in zip(NUMBER.findall(found), NUMBER.findall(expected)):
        if "." in theirs or "e" in theirs:
            digits = len(theirs.partition("e")[0].partition(".")[2])
            assert abs(float(ours) - float(theirs)) <= 2 * 10.0**-digits * max(
                1.0, abs(float(theirs))
            ), (ours, theirs)
        else:
            assert ours == theirs


@pytest.fixture(scope="module")
def numpy_says(tmp_path_factory):
    """The output of a program with NumPy instead of Phalanx."""
    folder = tmp_path_factory.mktemp("gallery")
    said = {}

    def output(name):
        if name not in said:
            text = (FOLDER / f"{name}.py").read_text()
            path = folder / f"{name}.py"
            path.write_text(text.replace("import phalanx as np", "import numpy as np"))
            said[name] = worlds.run(str(path)).stdout
        return said[name]

    return output


@pytest.mark.parametrize("processes, devices", PLACES)
@pytest.mark.parametrize("name", GALLERY)
def test_program(name, processes, devices, numpy_says):
    ended = worlds.run(str(FOLDER / f"{name}.py"), processes=processes, devices=devices)
    # Every process prints the same; lines of processes other than the first are marked.
    lines = [line for line in ended.stdout.splitlines() if not re.match(r"\[\d+\] ", line)]
    compare("\n".join(lines) + "\n", numpy_says(name))


@worlds.needs_mpirun
@pytest.mark.parametrize("processes", [1, 4])
@pytest.mark.parametrize("name", GALLERY if FULL else SOON)
def test_program_under_mpirun(name, processes, numpy_says, tmp_path):
    worlds.mpirun(str(FOLDER / f"{name}.py"), processes=processes, folder=tmp_path)
    told = worlds.outputs(tmp_path)
    assert len(told) == processes
    for text in told:
        compare(text, numpy_says(name))


@pytest.mark.parametrize("processes, devices", PLACES)
def test_program_of_cupy(processes, devices):
    ended = worlds.run(str(FOLDER / "from_cupy.py"), processes=processes, devices=devices)
    lines = [line for line in ended.stdout.splitlines() if not re.match(r"\[\d+\] ", line)]
    assert lines == visits_of_cupy()


@worlds.needs_mpirun
@pytest.mark.parametrize("processes", [1, 4] if FULL else [4])
def test_program_of_cupy_under_mpirun(processes, tmp_path):
    worlds.mpirun(str(FOLDER / "from_cupy.py"), processes=processes, folder=tmp_path)
    told = worlds.outputs(tmp_path)
    assert len(told) == processes
    assert all(text.splitlines() == visits_of_cupy() for text in told), told


def visits_of_cupy():
    """The lines that the program has to print."""
    steps = numpy.where((numpy.arange(20_000) * 0.7548776662) % 1.0 < 0.5, 1, -1)
    visits = numpy.bincount(numpy.cumsum(steps) % 41, minlength=41)
    return [
        f"most visited {visits.argmax()} times {visits.max()}",
        f"visits {visits.tolist()}",
        "weights sum to 1.000000000000, as on the host: True",
        "infinities 41",
    ]


@pytest.mark.parametrize("processes, devices", [(1, 3), (3, 1), (4, 1), (2, 2)])
def test_pipeline(processes, devices):
    pipeline = str(FOLDER / "pipeline.py")
    alone = worlds.run(pipeline).stdout
    together = worlds.run(pipeline, processes=processes, devices=devices).stdout
    compare(together, alone)


@worlds.needs_mpirun
@pytest.mark.parametrize("processes", [1, 4] if FULL else [4])
def test_pipeline_under_mpirun(processes, tmp_path):
    pipeline = str(FOLDER / "pipeline.py")
    worlds.mpirun(pipeline, processes=processes, folder=tmp_path)
    alone, told = worlds.run(pipeline).stdout, worlds.outputs(tmp_path)
    assert len(told) == processes
    # One process prints for all.
    compare(told[0], alone)
    assert not any(told[1:])


def test_pipeline_agrees_with_numpy():
    sys.path.insert(0, str(FOLDER))
    try:
        import pipeline
    finally:
        sys.path.remove(str(FOLDER))
    import tempfile

    with tempfile.TemporaryDirectory() as made:
        pipeline.make_observations(pathlib.Path(made))
        rows = numpy.concatenate([pipeline.read(path) for path in sorted(pathlib.Path(made).iterdir())])
    features = numpy.clip(rows[:, : pipeline.FEATURES], -2.5, 2.5)
    printed = dict(
        line.split(" ", 1) for line in worlds.run(str(FOLDER / "pipeline.py")).stdout.splitlines()
    )
    said = [float(word) for word in printed["mean"].split()]
    numpy.testing.assert_allclose(said, features.mean(axis=0), atol=1e-8)
    said = [float(word) for word in printed["variance"].split()]
    numpy.testing.assert_allclose(said, features.var(axis=0, ddof=1), rtol=1e-8)
    counts, _ = numpy.histogram(features, bins=6, range=(-3, 3))
    assert printed["histogram"] == str(counts.tolist())


def test_a_corrupt_file_is_named_on_every_process(tmp_path):
    sys.path.insert(0, str(FOLDER))
    try:
        import pipeline
    finally:
        sys.path.remove(str(FOLDER))
    pipeline.make_observations(tmp_path)
    (tmp_path / "007.npy").write_bytes(b"no array")
    ended = worlds.run(str(FOLDER / "pipeline.py"), str(tmp_path), processes=3, check=False)
    assert ended.returncode == 1
    for process in range(3):
        lines = [line for line in ended.stderr.splitlines() if line.startswith(f"[{process}]")]
        assert any("007.npy cannot be used" in line for line in lines), ended.stderr
