"""Functions without a distributed algorithm here: SciPy's own, on the host."""

import functools

from .._host_calls import Calls
from ._host_table import TABLE
from ._parameters import OF_HOST, PARAMETERS

# Elements of a matrix that may be copied to the host.
_FEW = 1 << 22

calls = Calls("linalg", PARAMETERS, _FEW)
# The result of a function of SciPy's, for arguments that a function here has no method for.
of_scipy = calls.call


@functools.cache
def functions():
    """The functions of the table, by their names."""
    return calls.functions(TABLE, OF_HOST)
