"""What sparse matrices have beyond sparse arrays."""

from . import _described
from ._described import described


class spmatrix:
    """The base of sparse matrices, in which `*` is the matrix product."""

    _is_array = False
    _lengths = (2,)

    @classmethod
    def __class_getitem__(cls, argument, /):
        from types import GenericAlias

        return GenericAlias(cls, argument)

    def __mul__(self, other):
        return self._matmul(other)

    def __rmul__(self, other):
        return self._rmatmul(other)

    def __pow__(self, n):
        from .linalg import matrix_power

        power = matrix_power(self, n)
        # The identity, too, is a matrix.
        return self._class(power.format)(power) if power._is_array else power

    @property
    def shape(self):
        """The numbers of rows and columns."""
        return self._shape

    @shape.setter
    def shape(self, shape):
        self.set_shape(shape)

    @property
    def A(self):
        """The elements as an array."""
        return self.toarray()

    @property
    def H(self):
        """The conjugate transpose."""
        return self.getH()

    @described("None", {"ValueError": "The shape has another number of elements."})
    def set_shape(self, shape):
        """Changes the shape in place."""
        other = self.reshape(shape).asformat(self.format)
        self.__dict__ = other.__dict__

    @described("(int, int)", notes=_described.LOCAL)
    def get_shape(self):
        """The numbers of rows and columns."""
        return self._shape

    @described("sparse matrix", notes=_described.LOCAL)
    def asfptype(self):
        """The matrix with floating-point values."""
        return self._asfptype()

    @described("int", notes=_described.LOCAL)
    def getmaxprint(self):
        """The most entries that are shown."""
        return self.maxprint

    @described("str", notes=_described.LOCAL)
    def getformat(self):
        """The name of the format."""
        return self._format

    @described(
        "int or ndarray",
        {"ValueError": "The axis is out of range.",
         "NotImplementedError": "The format counts along no axis."},
    )
    def getnnz(self, axis=None):
        """The number of entries, also of those that are zero."""
        return self._getnnz(axis)

    @described("sparse matrix")
    def getH(self):
        """The conjugate transpose."""
        return self.conjugate().transpose()

    @described("sparse matrix: Of one column.", {"IndexError": "There is no such column."})
    def getcol(self, j):
        """A column."""
        return self._getcol(j)

    @described("sparse matrix: Of one row.", {"IndexError": "There is no such row."})
    def getrow(self, i):
        """A row."""
        return self._getrow(i)

    @described("ndarray", {"ValueError": "`out` has another shape or dtype, or `order` is given."})
    def todense(self, order=None, out=None):
        """The elements as an array, as `toarray`."""
        return self.toarray(order=order, out=out)
