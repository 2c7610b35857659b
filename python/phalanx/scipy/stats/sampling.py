"""Generators of random numbers: SciPy's ``scipy.stats.sampling``, on the host.

They draw one number after another. Distributions of `phalanx.scipy.stats` draw on devices by their
method `rvs`.
"""


from .._host import module as _module


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_module("stats.sampling", name), name)


def __dir__():
    return dir(_module("stats.sampling", "*"))
