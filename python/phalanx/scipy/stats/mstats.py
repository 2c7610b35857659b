"""Statistics of masked arrays: SciPy's ``scipy.stats.mstats``, on the host.

Arrays on devices have no masks; pass arrays of NumPy. For NaNs, functions of `phalanx.scipy.stats`
have ``nan_policy="omit"``.
"""


def _module():
    import importlib

    from ._host import scipy_stats

    scipy_stats("mstats")
    return importlib.import_module("scipy.stats.mstats")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_module(), name)


def __dir__():
    return dir(_module())
