"""The texts of `repr` and `str`, for all print options."""

import numpy
import pytest

import phalanx as np

ARRAYS = [
    lambda np: np.array([[1.0, 2], [3, 4]], dtype="f4"),
    lambda np: np.array(1.0),
    lambda np: np.array(True),
    lambda np: np.array(2 - 1j),
    lambda np: np.array(5, dtype="u1"),
    lambda np: np.array([]),
    lambda np: np.zeros((0, 3)),
    lambda np: np.zeros((3, 0, 2), "c8"),
    lambda np: np.array([[True, False]]),
    lambda np: np.array([1e10, 1e-10, numpy.nan, -numpy.inf]),
    lambda np: np.array([1 + 2j, numpy.nan]),
    lambda np: np.arange(27).reshape(3, 3, 3),
    lambda np: np.linspace(0, 1, 30, dtype="f4"),
    lambda np: np.arange(18) / 7,
    lambda np: np.arange(1000),
    lambda np: np.arange(1001),
    lambda np: np.arange(2000.0),
    lambda np: np.zeros((1000, 1000), "i2"),
    lambda np: np.ones((1, 1001, 2), "u1"),
    lambda np: np.ones((2, 600, 3), "f4"),
    lambda np: (np.arange(3000) / 7).reshape(30, 2, 50).astype("f4"),
]
OPTIONS = [
    {},
    {"precision": 3},
    {"threshold": 20, "edgeitems": 1},
    {"threshold": 5, "edgeitems": 2, "linewidth": 40},
    {"edgeitems": 0, "threshold": 500},
    {"suppress": True, "sign": "+"},
    {"floatmode": "fixed", "nanstr": "-"},
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("make", ARRAYS)
def test_arrays_look_like_those_of_numpy(make, options):
    ours, theirs = make(np), make(numpy)
    with np.printoptions(**options):
        assert repr(ours) == repr(theirs)
        assert str(ours) == str(theirs)


def test_functions_of_text():
    for call in [
        lambda np: np.array2string(np.arange(5), separator=","),
        lambda np: np.array2string(np.arange(2000).reshape(40, 50), threshold=9, prefix="of "),
        lambda np: np.array_repr(np.arange(3000, dtype="f4"), precision=2, max_line_width=30),
        lambda np: np.array_repr(np.zeros((2, 2))),
        lambda np: np.array_str(np.arange(3) / 3, precision=3),
        lambda np: np.array2string(np.array(True)),
        lambda np: f"{np.array(1.5):.3f} {np.arange(2)}",
    ]:
        assert call(np) == call(numpy)


def test_options_are_those_of_numpy():
    with numpy.printoptions(precision=2):
        assert np.get_printoptions()["precision"] == 2
        assert repr(np.array([1 / 3])) == "array([0.33])"
