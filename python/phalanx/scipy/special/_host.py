"""Functions of few numbers, such as zeros and quadrature nodes: SciPy's own, on the host."""

import functools

import phalanx as np

from .._host_calls import Calls, rows
from ._host_table import CLASSES, TABLE
from ._parameters import OF_FUNCTIONS, PARAMETERS

# Elements of an argument that may be copied to the host.
LONGEST = 1 << 22


class _Calls(Calls):
    def from_host(self, x):
        """A result of SciPy: numbers of NumPy are arrays of ours, as those of functions here."""
        import numpy

        if not isinstance(x, (numpy.ndarray, numpy.generic)):
            return super().from_host(x)
        if x.dtype.kind not in "biufc":
            # Objects as numbers, as far as arrays have them.
            numbers = numpy.array(x.tolist())
            return np.asarray(numbers) if numbers.dtype.kind in "biufc" else x
        return np.asarray(x)


calls = _Calls("special", PARAMETERS, LONGEST)
call, from_host, scipy_special = calls.call, calls.from_host, calls.module


@functools.cache
def _rows():
    return rows(TABLE)


def _made(name, signature, returns, summary):
    return calls.made(name, signature, returns, summary, OF_FUNCTIONS.get(name))


def elementwise(name, row, summary):
    """A ufunc of SciPy that no native part computes."""
    returns = "ndarray: The values, in the shape to which the arguments broadcast."
    if row.results:
        names = ", ".join(f"`{one}`" for one in row.results)
        returns = f"tuple of ndarray: {names}, in the shape to which the arguments broadcast."
    return _made(name, f"{', '.join(row.parameters)}, /, **kwargs", returns, summary)


def found(name):
    """The function or class of a name; None if it is none of SciPy's here."""
    if name in CLASSES:
        return calls.found(name)
    row = _rows().get(name)
    return None if row is None else _made(name, *row)


def names():
    """The names that are SciPy's own functions."""
    return [*_rows(), *CLASSES]
