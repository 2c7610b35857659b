"""Statistics of masked arrays: SciPy's ``scipy.stats.mstats``, on the host.

Arrays on devices have no masks; pass arrays of NumPy. For NaNs, functions of `phalanx.scipy.stats`
have ``nan_policy="omit"``.
"""


from .._host import module as _module


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_module("stats.mstats", name), name)


def __dir__():
    return dir(_module("stats.mstats", "*"))
