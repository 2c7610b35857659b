"""Strategies of parameters that mean the same in all areas, and the tables of the areas."""

import importlib

from .undefined import undefined

__all__ = ["AREAS", "COMMON", "LEADING", "SHOWN", "table", "undefined"]

AREAS = ["ndimage", "signal", "signal.windows", "fft", "fftpack", "special", "stats", "interpolate",
         "spatial", "spatial.distance", "spatial.transform", "cluster.vq", "integrate", "optimize",
         "linalg"]
# The parameter whose array decides how many axes there are.
LEADING = ("input", "x", "a", "data", "image", "in1", "signal", "arr", "volume", "im", "Iin", "t",
           "Zxx", "y", "z", "structure", "XA", "X", "samples", "u", "obs", "pvalues", "f_obs",
           "ps", "pk", "values", "sample", "scores", "data1", "u_values", "rankvals")


def table(area):
    """The strategies of an area."""
    return importlib.import_module(f"{__package__}.of_{area.replace('.', '_')}")


COMMON = {
    "axis": lambda d: d.axis(),
    "axes": lambda d: d.axes(),
    "x": lambda d: d.array(),
    "a": lambda d: d.array(),
    "y": lambda d: d.array(d.first.shape),
    "cval": lambda d: d.one([0, 1.5, -2, 3]),
    "dx": lambda d: d.one([1.0, 0.5, 2]),
}

# What is compared of an object of a class: attributes, or the result of a function.
SHOWN = {name: how for area in AREAS for name, how in getattr(table(area), "SHOWN", {}).items()}
