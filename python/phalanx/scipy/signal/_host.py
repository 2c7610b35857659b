"""Functions of few numbers, such as filter design: SciPy's own, on the host."""

import functools
import inspect
import re

import phalanx as np

from .. import _host
from . import _described
from ._host_table import TABLE
from ._parameters import OF_FUNCTIONS

_NOTES = (
    "Local: the function is SciPy's, and runs on the host of every process. Collective if an "
    "argument is an array on devices, which is copied to the host; an array of more than 2**20 "
    "elements is refused."
)
# Elements of an array on devices that may be copied to the host.
_FEW = 1 << 20


def scipy_signal(name):
    """The module of SciPy; an ImportError that names the package if it is missing."""
    return _host.module("signal", name)


def to_host(x):
    """An argument for SciPy: our arrays as NumPy's, our systems as SciPy's."""
    if isinstance(x, np.ndarray):
        return _host.copied(x, _FEW, "the function of SciPy")
    if isinstance(x, (list, tuple)):
        made = [to_host(one) for one in x]
        return type(x)(made) if type(x) in (list, tuple) else type(x)(*made)
    if isinstance(x, dict):
        return {name: to_host(value) for name, value in x.items()}
    return x._of_scipy if hasattr(x, "_of_scipy") else x


def from_host(x):
    """A result of SciPy: arrays as ours, systems as ours, anything else as it is."""
    import numpy

    if isinstance(x, numpy.ndarray):
        return _host.arrays(x)
    if isinstance(x, numpy.generic):
        return x
    if type(x) in (list, tuple):
        return type(x)(map(from_host, x))
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*map(from_host, x))
    if type(x).__module__ == "scipy.signal._ltisys":
        from . import _systems

        if hasattr(x, "poles"):
            return _systems.from_scipy(x)
        return type(x)(**{name: from_host(value) for name, value in vars(x).items()})
    return x


def _made(name, text, returns, summary):
    """A function that calls SciPy's of the same name."""
    # The signature is written in the table, so that SciPy is imported by the first call only.
    signature = inspect.signature(eval(f"lambda {text}: None", {}))

    def call(*given, **options):
        found = getattr(scipy_signal(name), name)
        for module in ("xp", "device"):
            options.pop(module, None)
        return from_host(found(*map(to_host, given), **to_host(options)))

    call.__name__ = call.__qualname__ = name
    call.__module__ = "phalanx.scipy.signal"
    call.__signature__ = signature
    call.__doc__ = _described.composed(
        f"{summary} It is SciPy's function on the host.",
        list(signature.parameters.values()),
        returns,
        {
            "ValueError": "The value or the shape of an argument is not allowed.",
            "ImportError": "SciPy is not installed: ``pip install phalanx[scipy]``.",
        },
        _NOTES,
        OF_FUNCTIONS.get(name, {}),
    )
    return call


@functools.cache
def functions():
    """The functions of the table, by their names."""
    made = {}
    for entry in re.split(r"\n(?=\w)", TABLE.strip()):
        found = re.fullmatch(r"(\w+)\((.*?)\) -> (.*) \| (.*)", " ".join(entry.split()))
        made[found[1]] = _made(*found.groups())
    return made
