"""The example programs for images, signals and maps."""

import numpy
import pytest

import phalanx as np

from . import worlds
from .test_gallery import FOLDER
from .test_kernel_examples import example


def image_of(name):
    """The file of an image in a package, which need not be installed."""
    pytest.importorskip("matplotlib")
    path = example("count_cells").packaged(name)
    return path or pytest.skip(f"the package of {name} is not installed")


def test_count_cells():
    assert example("count_cells").main("drawn", side=192, cells=25) == 25


@pytest.mark.one_process("it starts a program")
@pytest.mark.parametrize("devices", [1, 3, 4])
@pytest.mark.parametrize("image, cells", [("drawn", 81), ("nuclei", 112), ("coins", 24)])
def test_count_cells_on_devices(image, cells, devices, tmp_path):
    if image != "drawn":
        image_of(image)
    program, words = str(FOLDER / "count_cells.py"), ["--image", image]
    if devices == 3:
        pytest.importorskip("matplotlib")
        words += ["--picture", str(tmp_path / "parts.png")]
    said = worlds.run(program, *words, devices=devices, environment={"MPLBACKEND": "agg"}).stdout
    assert said.startswith(f"{image}: {cells} cells, of ")
    if devices == 3:
        assert (tmp_path / "parts.png").read_bytes().startswith(b"\x89PNG")


def test_cells_of_a_micrograph_are_those_marked_by_hand():
    program = example("count_cells")
    path = image_of("nuclei")
    marks = program.read(path.with_name("mask2d.tif")).astype(int)
    labels, count, areas, centres = program.counted(program.read(path))
    assert abs(float(areas.sum()) / (marks > 0).sum() - 1) < 0.25
    rows, columns = (numpy.array([float(one[axis]) for one in centres]) for axis in (0, 1))
    hit = numpy.bincount(marks[rows.round().astype(int), columns.round().astype(int)])
    # Nuclei on top of others and at the border are not told apart.
    assert (hit[1:] == 1).sum() >= 105 and (hit[1:] > 1).sum() <= 3 and hit[0] <= 5
    assert np.asnumpy(labels).max() == count


def test_count_cells_of_a_file(tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    program = example("count_cells")
    path = tmp_path / "cells.png"
    pyplot.imsave(path, program.drawn(192, 25), cmap="gray")
    assert program.main(str(path)) == 25


def test_an_image_that_is_not_installed_says_so(monkeypatch):
    program = example("count_cells")
    monkeypatch.setattr(program, "PACKAGED", {"nuclei": ("no-package", "no_package/image.png")})
    with pytest.raises(SystemExit, match="install --no-deps no-package"):
        program.main("nuclei")
    # Without a name, spots are drawn.
    assert program.main(side=192, cells=25) == 25


def test_spectrogram():
    # A bin of the spectra is 7.8 Hz wide.
    assert example("spectrogram").main(seconds=4.0) < 40.0


def test_station_map():
    smooth, linear = example("station_map").main(stations=200, side=96)
    # The noise of a measurement is 0.3 degrees.
    assert smooth < 0.3 and smooth < linear
