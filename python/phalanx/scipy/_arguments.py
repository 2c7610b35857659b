"""Arguments and errors of the modules of SciPy's names, and the mesh of a call."""

import functools

import phalanx as np

from .._phalanx import _beside, _refusal


def refuse(text, kind=ValueError, mistake="value", hint=None):
    """An error of a call."""
    return _refusal(kind, mistake, text, hint)


def array(x):
    """An argument as an array."""
    return x if isinstance(x, np.ndarray) else np.asarray(x)


def host(x, dtype=None):
    """A small argument as a NumPy array. An array on devices is read."""
    import numpy

    if isinstance(x, np.ndarray):
        x = x.get()
    elif isinstance(x, (list, tuple)):
        x = [one.get() if isinstance(one, np.ndarray) else one for one in x]
    return numpy.asarray(x, dtype)


def beside(function):
    """A function that computes on the mesh of its first argument that has one.

    Arrays of this process alone may be used outside of the block that made them; so what a function
    makes of numbers or of nothing has to be on their mesh.
    """
    if hasattr(function, "_is_beside"):
        return function

    @functools.wraps(function)
    def call(*given, **keywords):
        with _beside([home(one) for one in (*given, *keywords.values())]):
            return function(*given, **keywords)

    call._is_beside = True
    return call


def in_c_order(function):
    """A function whose results have contiguous last axes, as arrays that NumPy makes anew."""

    @functools.wraps(function)
    def call(*given, **keywords):
        found = function(*given, **keywords)
        if isinstance(found, tuple):
            return tuple(np.asarray(one, order="C") for one in found)
        return np.asarray(found, order="C")

    return call


def home(argument):
    """An array of an argument, or of what it contains; None if it has none."""
    if isinstance(argument, np.ndarray):
        return argument
    if isinstance(argument, (tuple, list)):
        # Lists of numbers may be long, and have no mesh.
        is_plain = not argument or isinstance(argument[0], (int, float, complex, str))
        return None if is_plain else [home(part) for part in argument]
    # Sparse matrices and linear operators.
    return argument._home() if hasattr(type(argument), "_home") else None
