"""Functions of few numbers, such as filter design: SciPy's own, on the host."""

import functools

from .._host_calls import Calls
from ._host_table import TABLE
from ._parameters import OF_FUNCTIONS, PARAMETERS


def _adopted(x):
    """A system of SciPy as ours, and what it returns with arrays of ours."""
    if type(x).__module__ != "scipy.signal._ltisys":
        return None
    from . import _systems

    if hasattr(x, "poles"):
        return _systems.from_scipy(x)
    return type(x)(**{name: calls.from_host(value) for name, value in vars(x).items()})


# Results are arrays of ours, whichever module and device options name.
calls = Calls("signal", PARAMETERS, adopt=_adopted, ignored=("xp", "device"))
scipy_signal = calls.module


@functools.cache
def functions():
    """The functions of the table, by their names."""
    return calls.functions(TABLE, OF_FUNCTIONS)
