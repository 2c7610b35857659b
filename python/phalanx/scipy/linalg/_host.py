"""Functions without a distributed algorithm here: SciPy's own, on the host."""

import functools

from .._host_calls import Calls
from ._host_table import OF_BANDS, TABLE
from ._parameters import OF_HOST, PARAMETERS

# Elements of a matrix that may be copied to the host, and of bands, whose functions need a time
# proportional to their elements.
_FEW, LONG = 1 << 22, 1 << 25

calls, _calls_of_bands = (Calls("linalg", PARAMETERS, most) for most in (_FEW, LONG))
# The result of a function of SciPy's, for arguments that a function here has no method for.
of_scipy, of_bands = calls.call, _calls_of_bands.call


@functools.cache
def functions():
    """The functions of the table, by their names."""
    return calls.functions(TABLE, OF_HOST) | _calls_of_bands.functions(OF_BANDS)
