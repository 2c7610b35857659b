"""Generators of random numbers: SciPy's ``scipy.stats.sampling``, on the host.

They draw one number after another. Distributions of `phalanx.scipy.stats` draw on devices by their
method `rvs`.
"""


def _module():
    import importlib

    from ._host import scipy_stats

    scipy_stats("sampling")
    return importlib.import_module("scipy.stats.sampling")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_module(), name)


def __dir__():
    return dir(_module())
