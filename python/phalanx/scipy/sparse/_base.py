"""What sparse matrices of every format have.

Each format derives from `Sparse`, which computes by way of the rows (`_rows`, a `Rows` of the
core) unless the format has something better. The classes named `_array` derive from `sparray`
also, and those named `_matrix` from `spmatrix`.
"""

import math
import operator

import phalanx as np

from ..._phalanx import _refusal
from ._arguments import (
    as_dense,
    checked_axes,
    checked_dtype,
    checked_shape,
    is_dense,
    is_scalar,
    number,
    reshape_options,
    sum_dtype,
    unequal,
)
from ._classes import adopted, class_of, is_foreign, is_sparse, warn
from ._described import described


_NAMES = {
    "csr": "Compressed Sparse Row",
    "csc": "Compressed Sparse Column",
    "coo": "COOrdinate",
    "dia": "DIAgonal",
    "bsr": "Block Sparse Row",
    "lil": "List of Lists",
    "dok": "Dictionary Of Keys",
}
_MAXPRINT = 50
_SYMBOLS = {
    operator.eq: "==",
    operator.ne: "!=",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
}
_OPPOSITES = {
    operator.eq: operator.ne,
    operator.ne: operator.eq,
    operator.lt: operator.ge,
    operator.ge: operator.lt,
    operator.gt: operator.le,
    operator.le: operator.gt,
}
_OPERANDS = {"TypeError": "The operand is no array, no sparse matrix and no number."}
_DIFFER = {"ValueError": "The shapes do not fit."}


class Sparse:
    """A sparse matrix or array of any format."""

    # Operators of arrays, of Phalanx and of NumPy, call those of the sparse matrix.
    __array_ufunc__ = None
    __array_priority__ = 101.0
    __hash__ = None
    _format = "und"
    _is_array = True
    _lengths = (2,)
    _error_of_axes = ValueError
    # Whether positions have 64 bits where 32 would do. As in SciPy, the positions that an array is
    # made of keep their dtype, also in what is computed of it.
    _is_wide = False

    maxprint = _MAXPRINT

    @property
    def shape(self):
        """The numbers of rows and columns."""
        return self._shape

    @property
    def ndim(self):
        """The number of axes."""
        return len(self._shape)

    @property
    def format(self):
        """The name of the format."""
        return self._format

    @property
    def nnz(self):
        """The number of entries, also of those that are zero."""
        return self._getnnz()

    @property
    def size(self):
        """The number of entries, also of those that are zero."""
        return self._getnnz()

    @property
    def T(self):
        """The transpose."""
        return self.transpose()

    @property
    def mT(self):
        """The transpose."""
        return self.transpose()

    @property
    def real(self):
        """The real parts."""
        return self._real()

    @property
    def imag(self):
        """The imaginary parts."""
        return self._imag()

    @property
    def device(self):
        """The kind of the devices that have the entries."""
        return self.tocoo().data.device

    @property
    def _shape_as_2d(self):
        shape = self._shape
        return (1, shape[0]) if len(shape) == 1 else shape

    def _class(self, format):
        """The class of a format of the same kind: of arrays or of matrices."""
        return class_of(format, self._is_array)

    def _home(self):
        """An array of the matrix's mesh; None before there is one, and for entries on the host."""
        return None

    def _rows(self):
        """The entries by rows."""
        return self.tocsr()._rows()

    def _rows_of_transpose(self):
        """The entries by columns."""
        return self._rows().transpose()

    def _dense_argument(self, given, dtype=None):
        """The argument of a constructor as an array, of as many axes as the class may have."""
        is_text = isinstance(given, (str, bytes))
        dense = NotImplemented if is_text else as_dense(given, dtype)
        if dense is NotImplemented or (self._is_array and np.isscalar(given)):
            what = "a scalar" if np.isscalar(given) else f"a {type(given).__name__}"
            raise _refusal(ValueError, "type", f"{type(self).__name__} is not made of {what}")
        if dense.ndim < 2 and not self._is_array:
            dense = np.atleast_2d(dense)
        if dense.ndim not in self._lengths:
            text = f"{type(self).__name__} takes no array of {dense.ndim} axes"
            raise _refusal(self._error_of_axes, "value", text)
        checked_dtype(dense.dtype)
        return dense

    def _oriented(self):
        """The entries by rows or by columns, whichever is cheap, with the axes of both."""
        return self._rows(), (0, 1)

    def _set_print(self, maxprint):
        if maxprint is not None:
            self.maxprint = maxprint

    def _dense(self, values, shape):
        """A dense result of a product or a reduction, which has two axes for a matrix."""
        return values.reshape(shape)

    def __repr__(self):
        kind = "array" if self._is_array else "matrix"
        return (
            f"<{_NAMES[self._format]} sparse {kind} of dtype '{self.dtype}'\n"
            f"\twith {self.nnz} stored elements{self._details()} and shape {self._shape}>"
        )

    def _details(self):
        return ""

    def __str__(self):
        text, count, most = repr(self), self.nnz, self.maxprint
        if count == 0:
            return text
        entries = self.tocoo()

        def listed(part):
            places = zip(*(place[part].tolist() for place in entries.coords))
            numbers = entries.data[part].get()
            return "\n".join(f"  {place}\t{one}" for place, one in zip(_tuples(places), numbers))

        text += "\n  Coords\tValues\n"
        if count <= most:
            return text + listed(slice(None))
        half = most // 2
        return text + listed(slice(half)) + "\n  :\t:\n" + listed(slice(half - most, None))

    def __bool__(self):
        if self.shape == (1, 1):
            return self.nnz != 0
        raise _refusal(
            ValueError,
            "conversion",
            "the truth value of a sparse matrix with more than one element is ambiguous",
        )

    def __len__(self):
        text = "the length of a sparse matrix is ambiguous"
        raise _refusal(TypeError, "conversion", text, "use shape[0] or nnz")

    def __iter__(self):
        for row in range(self.shape[0]):
            yield self[row]

    @described("sparse matrix or array", _DIFFER, shape=("int or tuple of int", "The extents."),
               keywords=("dict", "`order` ('C' or 'F') and `copy`."))
    def reshape(self, *shape, **keywords):
        """The same elements in another shape, in coordinate format unless the shape is the same."""
        shape = checked_shape(shape, self._reshaped_lengths(), self.shape)
        order, copy = reshape_options(keywords)
        if shape == self.shape:
            return self.copy() if copy else self
        return self.tocoo().reshape(shape, order=order, copy=copy)

    def _reshaped_lengths(self):
        return (1, 2) if self._is_array else (2,)

    @described("None", {"NotImplementedError": "The format cannot change its shape in place."},
               shape=("int or tuple of int", "The extents."))
    def resize(self, *shape):
        """Changes the shape in place: elements outside the new shape are dropped."""
        raise _refusal(NotImplementedError, "absent", f"{type(self).__name__} has no resize")

    @described("sparse matrix or array", {"ValueError": "Values have no such dtype."})
    def astype(self, dtype, casting="unsafe", copy=True):
        """The matrix with values of another dtype."""
        dtype = checked_dtype(dtype)
        if dtype == self.dtype:
            return self.copy() if copy else self
        return self.tocsr().astype(dtype, casting=casting, copy=copy).asformat(self.format)

    def _asfptype(self):
        if self.dtype.kind in "fc":
            return self
        wide = self.dtype.itemsize > 2
        return self.astype(np.float64 if wide else np.float32)

    @described("sparse matrix or array", {"ValueError": "There is no such format."})
    def asformat(self, format, copy=False):
        """The matrix in another format."""
        if format is None or format == self._format:
            return self.copy() if copy else self
        if format not in _NAMES:
            raise _refusal(ValueError, "choice", f"Format {format} is unknown")
        return getattr(self, f"to{format}")(copy=copy)

    @described("ndarray or int", {"ValueError": "The axis is out of range."})
    def count_nonzero(self, axis=None):
        """The number of elements that are not zero."""
        return self.tocsr().count_nonzero(axis)

    def _getnnz(self, axis=None):
        return self.tocsr()._getnnz(axis)

    # Elementwise operations.

    @described("sparse matrix, sparse array or ndarray", _DIFFER | _OPERANDS)
    def multiply(self, other):
        """The products of elements; the operands broadcast."""
        if is_scalar(other):
            return self._mul_scalar(other)
        return self._as_compressed()._multiply(other)

    def _mul_scalar(self, other):
        return self.tocsr()._mul_scalar(other)

    def _operand(self, other):
        """The other operand: a sparse matrix of ours, an array, a scalar, or NotImplemented."""
        if isinstance(other, (str, bytes)):
            raise _refusal(TypeError, "type", "text is no operand of a sparse matrix")
        if is_sparse(other) or is_scalar(other) or isinstance(other, np.ndarray):
            return other
        if is_foreign(other):
            return adopted(other)
        return as_dense(other)

    def _maximum_minimum(self, other, ufunc):
        other = self._operand(other)
        if other is NotImplemented:
            text = f"{ufunc.__name__} of a sparse matrix and this operand is not supported"
            raise _refusal(NotImplementedError, "type", text)
        if is_scalar(other):
            other = number(other)
            if ufunc(0, other):
                sign = "positive" if ufunc is np.maximum else "negative"
                text = f"Taking {ufunc.__name__} with a {sign} number results in a dense matrix."
                warn(text)
                return type(self)(ufunc(self.toarray(), other))
            return self._as_compressed()._scalar_operation(other, ufunc)
        if is_dense(other):
            return ufunc(self.toarray(), other)
        if self.shape != other.shape:
            raise unequal(self.shape, other.shape)
        return self._as_compressed()._combined(other, ufunc)

    def _as_compressed(self):
        return self if self._format in ("csr", "csc") else self.tocsr()

    @described("sparse matrix, sparse array or ndarray", _DIFFER)
    def maximum(self, other):
        """The larger of two elements at each position."""
        return self._maximum_minimum(other, np.maximum)

    @described("sparse matrix, sparse array or ndarray", _DIFFER)
    def minimum(self, other):
        """The smaller of two elements at each position."""
        return self._maximum_minimum(other, np.minimum)

    @described(
        "sparse matrix, sparse array or ndarray",
        _DIFFER | {"TypeError": _OPERANDS["TypeError"] + " The numbers are complex."},
    )
    def dot(self, other, semiring="plus_times"):
        """The matrix product, also over another semiring, or the product with a number.

        Over a semiring, the first operation combines the results of the second one for each pair
        of elements in place of sums and products. Only entries take part. A row without entries
        gives the identity of the combination: infinity for a minimum, minus infinity for a
        maximum, and for integers the largest and the smallest one. NaN wins in minima and maxima,
        and integers wrap around. `or_and` gives bools. A sparse result has the entries of the
        ordinary product.
        """
        if semiring == "plus_times":
            return self * other if np.isscalar(other) else self @ other
        if is_scalar(other):
            text = "Scalar operands are not allowed over a semiring"
            raise _refusal(ValueError, "value", text)
        result = self._as_compressed()._matmul(other, semiring)
        if result is NotImplemented:
            text = f"dot of a sparse matrix and a {type(other).__name__} is not supported"
            raise _refusal(TypeError, "type", text)
        return result

    @described(
        "sparse matrix or array",
        {"NotImplementedError": "The exponent is zero or is no number."},
        n=("scalar", "The exponent."),
    )
    def power(self, n, dtype=None):
        """The elements raised to a power."""
        return self.tocsr().power(n, dtype=dtype)

    def _broadcast_to(self, shape, copy=False):
        if self.shape == shape:
            return self.copy() if copy else self
        return self.tocsr()._broadcast_to(shape, copy)

    def _comparison(self, other, comparison):
        other = self._operand(other)
        if other is NotImplemented:
            return NotImplemented
        if is_dense(other) and other.ndim > 0:
            return comparison(self.toarray(), other)
        if is_scalar(other):
            other = number(other)
            is_nan = other != other
            if not comparison(0, other):
                if is_nan:
                    return type(self)(self.shape, dtype=np.bool_)
                return self._as_compressed()._scalar_operation(other, comparison)
            self._warn_of_comparison(f"a sparse matrix with {other}", comparison)
            if is_nan:
                return type(self)(np.ones(self.shape, dtype=np.bool_))
            inverse = self._as_compressed()._scalar_operation(other, _OPPOSITES[comparison])
            return inverse._complement()
        if self.shape != other.shape:
            if comparison in (operator.eq, operator.ne):
                return comparison is operator.ne
            raise unequal(self.shape, other.shape, "inconsistent shape")
        own = self._as_compressed()
        if not comparison(0, 0):
            return own._combined(other, comparison)
        self._warn_of_comparison("two sparse matrices", comparison)
        return own._combined(other, _OPPOSITES[comparison])._complement()

    def _warn_of_comparison(self, what, comparison):
        warn(
            f"Comparing {what} using {_SYMBOLS[comparison]} is inefficient. Try using "
            f"{_SYMBOLS[_OPPOSITES[comparison]]} instead."
        )

    def __eq__(self, other):
        return self._comparison(other, operator.eq)

    def __ne__(self, other):
        return self._comparison(other, operator.ne)

    def __lt__(self, other):
        return self._comparison(other, operator.lt)

    def __le__(self, other):
        return self._comparison(other, operator.le)

    def __gt__(self, other):
        return self._comparison(other, operator.gt)

    def __ge__(self, other):
        return self._comparison(other, operator.ge)

    def __abs__(self):
        return abs(self.tocsr())

    def __round__(self, ndigits=0):
        return round(self.tocsr(), ndigits)

    def __neg__(self):
        return -self.tocsr()

    def _add_sparse(self, other):
        return self._as_compressed()._combined(other, np.add)

    def _sub_sparse(self, other):
        return self._as_compressed()._combined(other, _difference)

    def _sum_with(self, other, of_sparse, of_dense, name):
        """The sum or the difference with an operand of any kind."""
        other = self._operand(other)
        if other is NotImplemented:
            return NotImplemented
        if is_scalar(other):
            if number(other) == 0:
                return self.copy()
            text = f"{name} a nonzero scalar and a sparse matrix is not supported"
            raise _refusal(NotImplementedError, "value", text, "use toarray first")
        if is_sparse(other):
            if other.shape != self.shape:
                raise unequal(self.shape, other.shape)
            return of_sparse(other)
        return of_dense(self._dense_operand(other))

    def _dense_operand(self, other):
        try:
            return np.broadcast_to(np.asarray(other), self.shape)
        except ValueError:
            raise unequal(self.shape, other.shape) from None

    def __add__(self, other):
        return self._sum_with(other, self._add_sparse, lambda x: self.toarray() + x, "adding")

    def __radd__(self, other):
        return self.__add__(other)

    def __sub__(self, other):
        return self._sum_with(other, self._sub_sparse, lambda x: self.toarray() - x, "subtracting")

    def __rsub__(self, other):
        if is_scalar(other) and number(other) == 0:
            return -self.copy()
        other = adopted(other)
        if is_sparse(other):
            return other - self
        return self._sum_with(other, None, lambda x: x - self.toarray(), "subtracting")

    # In place, unless the format has something better, Python rebinds the name.

    def __iadd__(self, other):
        return NotImplemented

    def __isub__(self, other):
        return NotImplemented

    def __imul__(self, other):
        return NotImplemented

    def __itruediv__(self, other):
        return NotImplemented

    def __mul__(self, other):
        return self._multiply_or_not(other)

    def __rmul__(self, other):
        return self._multiply_or_not(other)

    def _multiply_or_not(self, other):
        other = self._operand(other)
        return NotImplemented if other is NotImplemented else self.multiply(other)

    def __pow__(self, n):
        return self.power(n)

    def __truediv__(self, other):
        other = self._operand(other)
        if other is NotImplemented:
            return NotImplemented
        if is_scalar(other):
            return self._divided_by_scalar(other)
        if is_dense(other):
            return self.multiply(np.divide(1, other))
        if other.shape != self.shape:
            raise unequal(self.shape, other.shape)
        own = self.tocsr()
        if np.can_cast(self.dtype, np.float64):
            own = own.astype(np.float64, copy=False)
        with np.errstate(all="ignore"):
            quotients = own.toarray() / other.toarray()
        # As in SciPy, the dtype is that of the dividend, unless only the quotient is complex.
        is_kept = quotients.dtype.kind == own.dtype.kind
        return quotients.astype(own.dtype, copy=False) if is_kept else quotients

    def __rtruediv__(self, other):
        other = adopted(other)
        return other / self if is_sparse(other) else NotImplemented

    def _divided_by_scalar(self, other):
        with np.errstate(all="ignore"):
            factor = np.divide(1, other)
        if not is_dense(other) and not hasattr(other, "dtype"):
            # A Python number, which does not widen the dtype.
            factor = factor.item()
        if np.can_cast(self.dtype, np.float64):
            return self.astype(np.float64, copy=False)._mul_scalar(factor)
        return self._mul_scalar(factor)

    # Products.

    def _matmul(self, other, *semiring):
        """The product with an operand on the right; compressed formats take a semiring."""
        other = self._operand(other)
        if other is NotImplemented:
            return NotImplemented
        if is_scalar(other):
            return self._mul_scalar(other)
        contracted = self.shape[-1]
        if is_dense(other) and other.ndim > 2:
            raise _refusal(ValueError, "value", "could not interpret dimensions")
        if other.shape[0] != contracted:
            text = f"matmul: dimension mismatch of {self.shape} and {tuple(other.shape)}"
            raise _refusal(ValueError, "together", text)
        if is_sparse(other):
            return self._matmul_sparse(other, *semiring)
        return self._matmul_dense(np.asarray(other), *semiring)

    def _matmul_dense(self, other, *semiring):
        result = self._rows().dot(other, *semiring)
        return result[0] if self.ndim == 1 else result

    def _matmul_sparse(self, other):
        return self.tocsr()._matmul_sparse(other)

    def _rmatmul(self, other):
        """The product with an operand on the left."""
        other = self._operand(other)
        if other is NotImplemented:
            return NotImplemented
        if is_scalar(other):
            return self._mul_scalar(other)
        if is_dense(other) and other.ndim > 2:
            raise _refusal(ValueError, "value", "could not interpret dimensions")
        result = self.transpose()._matmul(other.transpose())
        return NotImplemented if result is NotImplemented else result.transpose()

    def __matmul__(self, other):
        if is_scalar(other):
            raise _refusal(ValueError, "value", "Scalar operands are not allowed, use '*' instead")
        return self._matmul(other)

    def __rmatmul__(self, other):
        if is_scalar(other):
            raise _refusal(ValueError, "value", "Scalar operands are not allowed, use '*' instead")
        return self._rmatmul(other)

    # Views of the elements, and conversions.

    @described("sparse matrix or array", {"ValueError": "`axes` is no order of the axes."})
    def transpose(self, axes=None, copy=False):
        """The matrix with its axes reversed."""
        return self.tocsr().transpose(axes=axes, copy=copy)

    def _check_axes(self, axes):
        if axes not in (None, (1, 0), [1, 0]):
            raise _refusal(
                ValueError,
                "value",
                "Sparse matrices do not support an 'axes' parameter because swapping dimensions "
                "is the only logical permutation",
            )

    @described("sparse matrix or array")
    def conjugate(self, copy=True):
        """The complex conjugates of the elements."""
        if self.dtype.kind == "c":
            return self.tocsr().conjugate(copy=copy)
        return self.copy() if copy else self

    @described("sparse matrix or array")
    def conj(self, copy=True):
        """The complex conjugates of the elements."""
        return self.conjugate(copy=copy)

    def _real(self):
        return self.tocsr()._real()

    def _imag(self):
        return self.tocsr()._imag()

    @described("tuple of ndarray: One array of positions for each axis.")
    def nonzero(self):
        """The positions of the elements that are not zero."""
        entries = self.tocoo()
        is_nonzero = entries.data != 0
        return tuple(place[is_nonzero] for place in entries.coords)

    def _getcol(self, j):
        return self.tocsr()._getcol(j)

    def _getrow(self, i):
        return self.tocsr()._getrow(i)

    @described("ndarray", {"ValueError": "`out` has another shape or dtype, or `order` is given."})
    def toarray(self, order=None, out=None):
        """The elements as an array."""
        return self._delivered(self._rows().to_dense().reshape(self.shape), order, out)

    def _delivered(self, dense, order, out):
        if out is None:
            return np.asarray(dense, order=order) if order is not None else dense
        if order is not None:
            raise _refusal(ValueError, "together", "order cannot be given with out")
        if tuple(out.shape) != tuple(self.shape) or out.dtype != self.dtype:
            text = f"out has the shape {self.shape} and the dtype {self.dtype} of the matrix"
            raise _refusal(ValueError, "together", text)
        out[...] = dense if isinstance(out, np.ndarray) else dense.get()
        return out

    @described("ndarray", {"ValueError": "`out` has another shape or dtype, or `order` is given."})
    def todense(self, order=None, out=None):
        """The elements as an array, as `toarray`."""
        return self.toarray(order=order, out=out)

    @described("sparse matrix of SciPy")
    def get(self, stream=None):
        """The matrix as SciPy's, of the same format, on the host."""
        from ._host import to_scipy

        return to_scipy(self)

    @described("csr_matrix or csr_array")
    def tocsr(self, copy=False):
        """The matrix in compressed rows."""
        return self.tocoo().tocsr(copy=copy)

    @described("csc_matrix or csc_array", {"ValueError": "The array has one axis."})
    def tocsc(self, copy=False):
        """The matrix in compressed columns."""
        return self.tocsr().tocsc(copy=copy)

    @described("coo_matrix or coo_array")
    def tocoo(self, copy=False):
        """The matrix in coordinate format."""
        return self.tocsr().tocoo(copy=copy)

    @described("dia_matrix or dia_array", {"ValueError": "The array has one axis."})
    def todia(self, copy=False):
        """The matrix by diagonals."""
        return self.tocoo().todia(copy=copy)

    @described("bsr_matrix or bsr_array", {"ValueError": "The blocks do not divide the matrix."})
    def tobsr(self, blocksize=None, copy=False):
        """The matrix in compressed rows of blocks."""
        return self.tocsr().tobsr(blocksize=blocksize, copy=copy)

    @described("lil_matrix or lil_array", {"ValueError": "The array has one axis."})
    def tolil(self, copy=False):
        """The matrix as lists of Python, on the host."""
        return self._class("lil")(self.tocsr())

    @described("dok_matrix or dok_array")
    def todok(self, copy=False):
        """The matrix as a dictionary of Python, on the host."""
        return self._class("dok")(self.tocoo())

    @described("sparse matrix or array")
    def copy(self):
        """A copy with entries of its own."""
        return type(self)(self, copy=True)

    # Reductions.

    @described(
        "ndarray: Of shape `(1, n)` or `(m, 1)` for a matrix, and without the axis for an array.",
        {"ValueError": "The axis is out of range, or `out` has another shape."},
    )
    def sum(self, axis=None, dtype=None, out=None):
        """The sums of elements along an axis. Integers are added in 64 bits."""
        axes = checked_axes(axis, self.ndim)
        wide = sum_dtype(self.dtype)
        if axes is None:
            return _placed(self._summed_values(dtype or wide), dtype, out)
        lines, axis_of = self._oriented()
        if lines.dtype != wide:
            lines = lines.with_values(lines.values.astype(wide))
        return self._reduced(lines.reduce("add", axis_of[axes[0]]), axes[0], dtype, out)

    def _summed_values(self, dtype):
        return self._rows().values.sum(dtype=dtype)

    def _reduced(self, values, axis, dtype, out):
        """The result of a reduction along an axis, with two axes for a matrix."""
        if not self._is_array:
            values = values.reshape((1, -1) if axis == 0 else (-1, 1))
        return _placed(values, dtype, out)

    @described(
        "ndarray: Of shape `(1, n)` or `(m, 1)` for a matrix, and without the axis for an array.",
        {"ValueError": "The axis is out of range, or `out` has another shape.",
         "ZeroDivisionError": "There are no elements along the axis."},
    )
    def mean(self, axis=None, dtype=None, out=None):
        """The means of elements along an axis."""
        axes = checked_axes(axis, self.ndim)
        inner = np.dtype(np.float64) if self.dtype.kind in "biu" else self.dtype
        own = self.astype(inner, copy=False)
        count = math.prod(self.shape if axes is None else (self.shape[one] for one in axes))
        if count == 0:
            raise _refusal(ZeroDivisionError, "value", "the mean of no elements")
        result = own._mul_scalar(1.0 / count).sum(axis=axes, dtype=inner, out=out)
        return result if dtype is None or out is not None else result.astype(dtype, copy=False)

    @described("ndarray", {"ValueError": "The array has one axis."})
    def diagonal(self, k=0):
        """The elements of a diagonal."""
        return self.tocsr().diagonal(k)

    @described("ndarray: Without axes.")
    def trace(self, offset=0):
        """The sum of the elements of a diagonal."""
        return self.diagonal(k=offset).sum()

    @described(
        "None", {"ValueError": "There is no such diagonal, or the values have several axes."}
    )
    def setdiag(self, values, k=0):
        """Sets the elements of a diagonal. The shorter of the diagonal and the values is set."""
        rows, columns = self.shape
        if (k > 0 and k >= columns) or (k < 0 and -k >= rows):
            raise _refusal(ValueError, "value", f"the diagonal {k} exceeds the shape {self.shape}")
        values = np.asarray(values)
        if values.ndim > 1:
            text = "the values of a diagonal have at most one axis"
            raise _refusal(ValueError, "value", text)
        length = min(rows + k, columns) if k < 0 else min(rows, columns - k)
        if values.ndim:
            length = min(length, len(values))
            values = values[:length]
        if length > 0:
            self._setdiag(values, k, length)

    def _setdiag(self, values, k, length):
        text = f"{type(self).__name__} cannot set a diagonal in place"
        raise _refusal(NotImplementedError, "absent", text, "set it in the csr or coo format")


def _difference(first, second):
    """The difference of values; of truth values it is their difference modulo two."""
    if first.dtype.kind == second.dtype.kind == "b":
        return np.logical_xor(first, second)
    return first - second


def _placed(values, dtype, out):
    """The result of a reduction, in a dtype or in an array that is given."""
    if out is not None:
        if tuple(out.shape) != tuple(values.shape):
            raise _refusal(ValueError, "together", "out dimensions do not match shape")
        out[...] = values
        return out
    return values if dtype is None else values.astype(dtype, copy=False)


def _tuples(places):
    return (tuple(place) for place in places)


class sparray:
    """The base of sparse arrays, in which `*` is the product of elements."""

    @classmethod
    def __class_getitem__(cls, argument, /):
        from types import GenericAlias

        return GenericAlias(cls, argument)
