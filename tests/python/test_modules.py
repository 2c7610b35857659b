"""Modules of the package: each is found by the import statement and as an attribute."""

import importlib

import numpy
import numpy.typing
import pytest

NAMES = """
    dtypes exceptions fft lib lib.array_utils lib.format lib.mixins lib.npyio lib.scimath
    lib.stride_tricks linalg polynomial polynomial.polynomial random testing typing version
""".split()


@pytest.mark.parametrize("name", NAMES)
def test_modules_are_imported(name):
    module = importlib.import_module(f"phalanx.{name}")
    found = importlib.import_module("phalanx")
    for part in name.split("."):
        found = getattr(found, part)
    assert found is module
    importlib.import_module(f"numpy.{name}")


def test_modules_of_numpy_keep_their_names():
    import phalanx.typing
    from phalanx.lib.array_utils import normalize_axis_index
    from phalanx.typing import NDArray

    assert phalanx.typing is numpy.typing and numpy.typing.__spec__.name == "numpy.typing"
    assert NDArray is numpy.typing.NDArray and normalize_axis_index(-1, 3) == 2


def test_the_version_is_ours():
    import phalanx.version

    assert phalanx.version.version == phalanx.__version__ == phalanx.version.full_version


@pytest.mark.parametrize("name", ["ma", "char", "typing.ma"])
def test_missing_modules(name):
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"phalanx.{name}")
