"""Objects of SciPy on the host whose arrays are ours: triangulations and hulls."""

import phalanx as np

from .. import _host
from .._host_calls import Calls
from ._described import HOST, described
from ._parameters import PARAMETERS

# Elements of an array on devices that are copied to the host.
_MOST = 1 << 25

_calls = Calls("spatial", PARAMETERS, _MOST)
scipy_spatial, to_host = _calls.module, _calls.to_host


def from_host(x):
    """A result of SciPy: arrays as ours, anything else as it is: lists of regions may be long."""
    import numpy

    if isinstance(x, tuple):
        return tuple(map(from_host, x))
    return _host.arrays(x) if isinstance(x, numpy.ndarray) else x


def attribute(name, text):
    """An attribute of an object of SciPy. Its array is copied to devices when it is first used."""

    def read(self):
        if name not in self._found:
            self._found[name] = from_host(getattr(self._of_scipy, name))
        return self._found[name]

    read.__name__ = name
    read.__doc__ = text
    return property(read)


def attributes(**texts):
    """A decorator of a class with attributes of an object of SciPy."""

    def decorate(kind):
        for name, text in texts.items():
            setattr(kind, name, attribute(name, text))
        return kind

    return decorate


class OfScipy:
    """An object that has an object of SciPy, `_of_scipy`."""

    def _hold(self, of_scipy, points):
        """Keeps the object of SciPy; our arrays are on the mesh of `points`."""
        self._of_scipy, self._given, self._found = of_scipy, points, {}

    def _home(self):
        given = getattr(self, "_given", None)
        return given if isinstance(given, np.ndarray) else None

    def _forget(self):
        """Drops the arrays, after the object of SciPy has changed."""
        self._found = {}

    @described("None", {}, HOST)
    def close(self):
        """Ends the addition of points or half-spaces."""
        self._of_scipy.close()
