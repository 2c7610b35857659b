"""Formats whose values are one array, `data`: elementwise operations are operations on it."""

import phalanx as np

from ..._phalanx import _refusal
from ._arguments import checked_dtype, is_scalar
from ._base import Sparse
from ._described import RECORDED, described

# The functions that are zero at zero, so that they keep the pattern of entries, with what they
# compute.
_FUNCTIONS = {
    "sin": "The sines of the elements.",
    "tan": "The tangents of the elements.",
    "arcsin": "The inverse sines of the elements.",
    "arctan": "The inverse tangents of the elements.",
    "sinh": "The hyperbolic sines of the elements.",
    "tanh": "The hyperbolic tangents of the elements.",
    "arcsinh": "The inverse hyperbolic sines of the elements.",
    "arctanh": "The inverse hyperbolic tangents of the elements.",
    "rint": "The elements rounded to the nearest integers.",
    "sign": "The signs of the elements.",
    "expm1": "The exponentials of the elements, minus one.",
    "log1p": "The logarithms of one plus the elements.",
    "deg2rad": "The elements, which are degrees, in radians.",
    "rad2deg": "The elements, which are radians, in degrees.",
    "floor": "The largest integers that are not above the elements.",
    "ceil": "The smallest integers that are not below the elements.",
    "trunc": "The elements rounded toward zero.",
    "sqrt": "The square roots of the elements.",
}


class DataSparse(Sparse):
    """A sparse matrix with its values in `data`. `_with_data` has the same positions."""

    @property
    def dtype(self):
        """The dtype of the values."""
        return self.data.dtype

    @dtype.setter
    def dtype(self, dtype):
        self.data = self.data.view(dtype)

    def _summed_data(self):
        """The values without duplicates, which are added up in place."""
        if hasattr(self, "sum_duplicates"):
            self.sum_duplicates()
        return self.data

    def _summed_values(self, dtype):
        return self._summed_data().sum(dtype=dtype)

    def __abs__(self):
        return self._with_data(abs(self._summed_data()))

    def __round__(self, ndigits=0):
        return self._with_data(np.around(self._summed_data(), decimals=ndigits))

    def _real(self):
        return self._with_data(self.data.real.copy())

    def _imag(self):
        return self._with_data(self.data.imag.copy())

    def __neg__(self):
        if self.dtype.kind == "b":
            text = "negating a boolean sparse matrix is not supported"
            raise _refusal(NotImplementedError, "dtype", text)
        return self._with_data(-self.data)

    def __imul__(self, other):
        if not is_scalar(other):
            return NotImplemented
        values = self.data
        values *= other
        return self

    def __itruediv__(self, other):
        if not is_scalar(other):
            return NotImplemented
        values = self.data
        values *= 1.0 / other
        return self

    @described(
        "sparse matrix or array", {"TypeError": "The cast is not allowed."}, notes=RECORDED
    )
    def astype(self, dtype, casting="unsafe", copy=True):
        """The matrix with values of another dtype."""
        dtype = checked_dtype(dtype)
        if dtype == self.dtype:
            return self.copy() if copy else self
        return self._with_data(self.data.astype(dtype, casting=casting))

    @described("sparse matrix or array", notes=RECORDED)
    def conjugate(self, copy=True):
        """The complex conjugates of the elements."""
        if self.dtype.kind == "c":
            return self._with_data(self.data.conj())
        return self.copy() if copy else self

    @described("sparse matrix or array", notes=RECORDED)
    def copy(self):
        """A copy with entries of its own."""
        return self._with_data(self.data.copy())

    @described(
        "sparse matrix or array",
        {"NotImplementedError": "The exponent is zero or is no number."},
        n=("scalar", "The exponent."),
    )
    def power(self, n, dtype=None):
        """The elements raised to a power."""
        if not is_scalar(n):
            raise _refusal(NotImplementedError, "type", "the exponent is a number")
        if not n:
            text = "the power zero of a sparse matrix has no zeros"
            raise _refusal(NotImplementedError, "value", text, "use numpy.ones")
        values = self._summed_data()
        if dtype is not None:
            values = values.astype(dtype, copy=False)
        return self._with_data(values**n)

    def _mul_scalar(self, other):
        return self._with_data(self.data * other)


def _function(name, summary):
    def function(self):
        return self._with_data(getattr(np, name)(self._summed_data()))

    function.__name__ = name
    function.__qualname__ = f"DataSparse.{name}"
    function.__doc__ = summary
    errors = {
        "TypeError": "The function has no loop for the dtype.",
        "ValueError": "The values would be float16.",
    }
    return described("sparse matrix or array", errors)(function)


for _name, _summary in _FUNCTIONS.items():
    setattr(DataSparse, _name, _function(_name, _summary))
