"""Functions of few numbers: SciPy's own, on the host."""

import inspect

import phalanx as np

from .. import _host

# Elements of an array on devices that may be copied to the host.
_FEW = 1 << 20


def scipy_stats(name):
    """The module of SciPy; an ImportError that names the package if it is missing."""
    return _host.module("stats", name)


def to_host(x, name):
    """An argument for SciPy: our arrays as NumPy's. Long arrays are refused."""
    if isinstance(x, np.ndarray):
        return _host.copied(x, _FEW, f"phalanx.scipy.stats.{name}")
    if type(x) in (list, tuple):
        return type(x)(to_host(one, name) for one in x)
    if type(x) is dict:
        return {key: to_host(value, name) for key, value in x.items()}
    return getattr(x, "_of_scipy", x)


def from_host(x):
    """A result of SciPy: arrays as ours, anything else as it is."""
    import numpy

    if isinstance(x, numpy.ndarray):
        return _host.arrays(x)
    if type(x) in (list, tuple):
        return type(x)(map(from_host, x))
    if isinstance(x, tuple) and type(x).__module__.startswith("scipy") and hasattr(x, "_fields"):
        made = list(map(from_host, x))
        try:
            return type(x)(*made)
        except TypeError:
            return x
    return x


def agreed_seed():
    """A seed on which all processes agree."""
    return int(np.random.randint(0, 2**31 - 1))


class HostObject:
    """An object of SciPy: a distribution, frozen or not. Its methods run on the host.

    Arguments are copied to the host, which is refused for long arrays, and results back. Random
    numbers without a `random_state` have a seed on which all processes agree.
    """

    def __init__(self, of_scipy, name):
        self._of_scipy, self._name = of_scipy, name

    def __repr__(self):
        return f"<distribution {self._name} of SciPy>"

    def __dir__(self):
        return dir(self._of_scipy)

    def __call__(self, *args, **kwds):
        made = self._of_scipy(*to_host(args, self._name), **to_host(kwds, self._name))
        return HostObject(made, self._name)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._of_scipy, name)
        if not callable(found):
            return from_host(found)

        def call(*args, **kwds):
            for word in _random_parameters(found):
                if kwds.get(word) is None:
                    kwds[word] = agreed_seed()
            made = found(*to_host(args, self._name), **to_host(kwds, self._name))
            if name == "freeze":
                return HostObject(made, self._name)
            return from_host(made)

        call.__name__ = name
        return call

    def __reduce__(self):
        return _named, (self._of_scipy, self._name)


def _random_parameters(method):
    """The parameters of a method that take a seed."""
    if method.__name__ == "rvs":
        return ("random_state",)
    try:
        names = inspect.signature(method).parameters
    except (TypeError, ValueError):
        return ()
    return [one for one in ("rng", "random_state") if one in names]


def _named(of_scipy, name):
    return HostObject(of_scipy, name)


def distribution(name):
    """A distribution of SciPy by its name."""
    return HostObject(getattr(scipy_stats(name), name), name)
