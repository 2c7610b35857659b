"""docs/coverage.md states which names of NumPy and other libraries resolve."""

import pathlib

import numpy
import pytest

import phalanx as np

from . import worlds

ROOT = pathlib.Path(worlds.ROOT)
TABLE = ROOT / "tests" / "api" / "python_names.tsv"


def test_table_is_current(tmp_path):
    written = tmp_path / "names.tsv"
    worlds.run(str(ROOT / "python" / "resolve_names.py"), str(written))
    assert written.read_text() == TABLE.read_text(), "run python python/resolve_names.py"


def test_names_of_every_kind_are_found():
    rows = [line.split("\t") for line in TABLE.read_text().splitlines()[1:]]
    places = {(area, name): where for area, name, where, _ in rows}
    for area, name, where in (
        ("numpy", "add", "phalanx.add"),
        ("numpy.ufunc", "reduceat", "phalanx.ufunc.reduceat"),
        ("numpy.dtype", "itemsize", "phalanx.dtype.itemsize"),
        ("numpy.exceptions", "AxisError", "phalanx.exceptions.AxisError"),
        ("numpy.random.Generator", "normal", "phalanx.random.Generator.normal"),
        ("numpy.broadcast", "numiter", "phalanx.broadcast.numiter"),
        ("scipy.sparse.linalg", "cg", "phalanx.scipy.sparse.linalg.cg"),
        ("cupyx", "scatter_add", "phalanx.x.scatter_add"),
        ("array_api", "matmul", "phalanx.matmul"),
    ):
        assert places[area, name] == where
    assert places["numpy", "nditer"] == places["scipy", "odr"] == "-"
    assert not hasattr(np, "nditer")


def test_reasons_are_those_of_the_module():
    reasons = {}
    for line in TABLE.read_text().splitlines()[1:]:
        area, name, _, reason = line.split("\t")
        reasons[area, name] = reason
    assert reasons["numpy", "datetime64"] == "arrays hold no dates"
    assert reasons["numpy", "memmap"].startswith("load reads .npy files")


def test_names_that_say_why_they_are_not_there():
    names = "get_include getbufsize setbufsize test core f2py ctypeslib"
    for name in names.split():
        with pytest.raises(AttributeError, match=f"no attribute '{name}': ") as raised:
            getattr(np, name)
        assert raised.value.code == "PX151"
    assert np.dtypes is numpy.dtypes
    assert isinstance(np.arange(3).flat, np.flatiter)


def test_the_version_is_that_of_the_packages():
    text = (ROOT / "Cargo.toml").read_text()
    assert f'version = "{np.__version__}"' in text
