"""What functions share that are SciPy's own, on the host."""

import importlib
import importlib.util

import phalanx as np

from .._phalanx import _refusal


def module(area, name):
    """SciPy's module of an area, for a function of this name; an ImportError that names the package
    if SciPy is missing."""
    if importlib.util.find_spec("scipy") is None:
        raise _refusal(
            ImportError,
            "absent",
            f"phalanx.scipy.{area}.{name} is computed by SciPy, which is not installed",
            "pip install phalanx[scipy]",
        )
    return importlib.import_module(f"scipy.{area}")


def copied(x, most, name):
    """A copy of an array on the host, for a function of this name. Long arrays are refused."""
    if x.size > most:
        raise _refusal(
            ValueError,
            "large",
            f"{name} is computed on the host, and an array of {x.size} elements, more than {most}, "
            "is too long to be copied there",
            "pass array.get() to copy it nevertheless",
        )
    return x.get()


def arrays(x):
    """An array of NumPy as ours; one of objects or texts as it is."""
    return np.asarray(x) if x.dtype.kind in "biufc" else x
