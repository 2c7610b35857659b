"""Integrals of samples: parameters of ``scipy.integrate``."""

import numpy

from .drawing import Array

EXACT = set()
COARSE = None
LEFT_OUT = {"quad_vec": "its results are as exact as the program demands",
            "solve_ivp": "steps that are chosen by errors differ by rounding",
            "fixed_quad": "a function of points"}
ARRAYS = {"dtypes": ["float64", "float64", "float32", "int32", "complex128"], "longest": 20,
          "rare": ["bool", "uint8", "complex64"]}


def places(d):
    """Places along the axis, or one for each sample."""
    axis, shape = d.values.get("axis", -1), d.first.shape
    count = shape[axis] if isinstance(axis, int) and -len(shape) <= axis < len(shape) else 3
    line = numpy.cumsum(numpy.round(d.chance.uniform(0.1, 1, count), 2))
    if d.often(0.7) or not shape:
        return d.laid(line if d.often(0.95) else line[:-1])
    wide = [1] * len(shape)
    wide[axis if isinstance(axis, int) and -len(shape) <= axis < len(shape) else 0] = -1
    return Array(numpy.broadcast_to(line.reshape(wide), shape) if line.size in shape else line)


PARAMETERS = {
    "y": lambda d: d.array(), "x": places,
    "dx": lambda d: d.one([1.0, 0.5, 2]),
    "initial": lambda d: d.one([None, 0, 0.0, 1.5]),
    "show": lambda d: False,
}
OWN = {"romb": {"y": lambda d: d.array((*d.shape(0, 1), d.one([2, 3, 5, 9, 17, 4, 1])))}}


def units(name, values):
    """The allowed difference in units of the precision of the result."""
    return 2**12


def excuse(name, values, found, expected):
    return False
