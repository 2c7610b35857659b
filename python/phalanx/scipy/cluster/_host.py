"""Hierarchies of clusters: SciPy's functions on the host."""

import functools

from .._host_calls import Calls
from ._host_table import TABLE
from ._parameters import PARAMETERS

# Elements of an array on devices that may be copied to the host.
_MOST = 1 << 26


class _Calls(Calls):
    def called(self, function, name):
        """A metric of ours by the name that SciPy has for it. Other functions get arrays of NumPy,
        because SciPy calls them for every pair of points."""
        is_ours = getattr(function, "__module__", "").startswith("phalanx.scipy.spatial")
        return function.__name__ if is_ours else function


_calls = _Calls("cluster.hierarchy", PARAMETERS, _MOST)
hierarchy = _calls.module


@functools.cache
def functions():
    """The functions of the table, by their names."""
    return _calls.functions(TABLE)
