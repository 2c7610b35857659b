"""Linear operators: products of a matrix whose elements need not be known."""

import types
import warnings

import phalanx as np

from ...._phalanx import _beside, _refusal
from ..._arguments import home
from .._arguments import is_dense
from .._classes import adopted, is_sparse
from ._described import described



class LinearOperator:
    """A linear map of vectors, of which only products are computed.

    Parameters
    ----------
    shape : (int, int)
        The numbers of rows and columns.
    matvec : callable
        ``A @ x`` for a vector, of shape ``(n,)`` or ``(n, 1)``.
    rmatvec : callable, optional
        ``A^H @ x``, with the conjugate transpose.
    matmat : callable, optional
        ``A @ X`` for a matrix; by default column by column.
    dtype : dtype, optional
        The dtype; by default that of a product with zeros.
    rmatmat : callable, optional
        ``A^H @ X`` for a matrix; by default column by column.

    Raises
    ------
    ValueError
        The shape does not have two extents.

    Notes
    -----
    A class may derive from this one. It has ``_matvec`` or ``_matmat``, and for the adjoint
    ``_rmatvec``, ``_rmatmat`` or ``_adjoint``; it calls ``__init__(dtype, shape)``. Functions and
    methods record the same operations on every process.

    Operators are composed by ``+``, ``-``, ``*``, ``@``, ``**``, ``.T`` and ``.H``: the result is
    an operator that calls its parts.

    Local: a process may call it alone, unless a function reads values.
    """

    ndim = 2
    # Operators of arrays, of Phalanx and of NumPy, call those of the linear operator.
    __array_ufunc__ = None
    __array_priority__ = 102.0
    __class_getitem__ = classmethod(types.GenericAlias)

    args = ()

    def __new__(cls, *given, **keywords):
        if cls is LinearOperator:
            return super().__new__(_CustomLinearOperator)
        made = super().__new__(cls)
        is_complete = (
            cls._matvec is not LinearOperator._matvec or cls._matmat is not LinearOperator._matmat
        )
        if not is_complete:
            text = "a subclass of LinearOperator implements _matvec or _matmat, or both"
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        return made

    def __init__(self, dtype, shape):
        self.dtype = None if dtype is None else np.dtype(dtype)
        self.shape = _checked_shape(shape)

    def _init_dtype(self):
        """Takes the dtype of a product with zeros of the narrowest dtype, if none was given."""
        if self.dtype is None:
            self.dtype = np.dtype(self.matvec(np.zeros(self.shape[1], dtype=np.int8)).dtype)

    def _home(self):
        """An array of the mesh of the operands."""
        return [home(part) for part in self.args]

    def _operand(self, x):
        """An operand as an array of ours on the operator's mesh, or as a sparse matrix of ours."""
        x = adopted(x)
        if isinstance(x, np.ndarray) or is_sparse(x):
            return x
        with _beside([home(self)]):
            return np.asarray(x)

    # What subclasses may replace.

    def _matvec(self, x):
        return self.matmat(x.reshape(-1, 1))

    def _matmat(self, X):
        return _by_columns(self.matvec, X, self.shape[0])

    def _rmatvec(self, x):
        kind = type(self)
        if kind._adjoint is not LinearOperator._adjoint:
            return self.H.matvec(x)
        if kind._rmatmat is not LinearOperator._rmatmat:
            return self._rmatmat(x.reshape(-1, 1)).reshape(-1)
        text = f"{kind.__name__} has no adjoint"
        hint = "give rmatvec, or implement _rmatvec or _adjoint"
        raise _refusal(NotImplementedError, "absent", text, hint)

    def _rmatmat(self, X):
        if type(self)._adjoint is not LinearOperator._adjoint:
            return self.H.matmat(X)
        return _by_columns(self.rmatvec, X, self.shape[1])

    def _adjoint(self):
        return _AdjointLinearOperator(self)

    def _transpose(self):
        return _TransposedLinearOperator(self)

    # Products.

    @described("ndarray: Of shape `(m,)`, or `(m, 1)` for a column.",
               {"ValueError": "The vector has another extent."},
               x=("array_like", "A vector of shape `(n,)` or `(n, 1)`."))
    def matvec(self, x):
        """The product with a vector."""
        return self._vector_product(self._matvec, x, self.shape)

    @described("ndarray: Of shape `(n,)`, or `(n, 1)` for a column.",
               {"ValueError": "The vector has another extent.",
                "NotImplementedError": "The operator has no adjoint."},
               x=("array_like", "A vector of shape `(m,)` or `(m, 1)`."))
    def rmatvec(self, x):
        """The product of the conjugate transpose with a vector."""
        return self._vector_product(self._rmatvec, x, self.shape[::-1])

    def _vector_product(self, product, x, shape):
        rows, columns = shape
        x = self._operand(x)
        if x.shape not in ((columns,), (columns, 1)):
            text = f"dimension mismatch: a vector of shape {x.shape} in place of ({columns},)"
            raise _refusal(ValueError, "together", text)
        y = product(x)
        y = y.toarray() if is_sparse(y) else self._operand(y)
        if y.size != rows:
            text = f"a product of shape {y.shape} in place of ({rows},)"
            raise _refusal(ValueError, "together", text, "check the function of the product")
        return y.reshape((rows,) if x.ndim == 1 else (rows, 1))

    @described("ndarray: Of shape `(m, k)`.",
               {"ValueError": "The matrix has another number of rows."},
               X=("array_like or sparse matrix", "A matrix of shape `(n, k)`."))
    def matmat(self, X):
        """The product with a matrix."""
        return self._matrix_product(self._matmat, X, self.shape)

    @described("ndarray: Of shape `(n, k)`.",
               {"ValueError": "The matrix has another number of rows.",
                "NotImplementedError": "The operator has no adjoint."},
               X=("array_like or sparse matrix", "A matrix of shape `(m, k)`."))
    def rmatmat(self, X):
        """The product of the conjugate transpose with a matrix."""
        return self._matrix_product(self._rmatmat, X, self.shape[::-1])

    def _matrix_product(self, product, X, shape):
        rows, columns = shape
        X = self._operand(X)
        if X.ndim != 2:
            text = f"expected 2-d ndarray or matrix, not {X.ndim}-d"
            raise _refusal(ValueError, "value", text)
        if X.shape[0] != columns:
            text = f"dimension mismatch: {self.shape}, {X.shape}"
            raise _refusal(ValueError, "together", text)
        Y = product(X)
        if is_sparse(Y):
            return Y
        Y = self._operand(Y)
        if Y.shape != (rows, X.shape[1]):
            text = f"a product of shape {Y.shape} in place of {(rows, X.shape[1])}"
            raise _refusal(ValueError, "together", text, "check the function of the product")
        return Y

    @described("ndarray or LinearOperator: An operator if `x` is one or is a number.",
               {"ValueError": "The shapes do not fit."},
               x=("array_like, LinearOperator or scalar", "The other operand."))
    def dot(self, x):
        """The product with a vector, a matrix, another operator or a number."""
        if isinstance(x, LinearOperator):
            return _ProductLinearOperator(self, x)
        if np.isscalar(x):
            return _ScaledLinearOperator(self, x)
        x = self._operand(x)
        if x.ndim == 1 or (x.ndim == 2 and x.shape[1] == 1):
            return self.matvec(x)
        if x.ndim == 2:
            return self.matmat(x)
        raise _refusal(ValueError, "value", f"expected 1-d or 2-d array or matrix, not {x.ndim}-d")

    def _rdot(self, x):
        """The product with an operand on the left."""
        if isinstance(x, LinearOperator):
            return _ProductLinearOperator(x, self)
        if np.isscalar(x):
            return _ScaledLinearOperator(self, x)
        x = self._operand(x)
        if x.ndim == 1 or (x.ndim == 2 and x.shape[0] == 1):
            return self.T.matvec(x.T).T
        if x.ndim == 2:
            return self.T.matmat(x.T).T
        raise _refusal(ValueError, "value", f"expected 1-d or 2-d array or matrix, not {x.ndim}-d")

    def __call__(self, x):
        return self @ x

    def __mul__(self, x):
        return self.dot(x)

    def __rmul__(self, x):
        return self._rdot(x)

    def __matmul__(self, x):
        _refuse_scalar(x)
        return self.dot(x)

    def __rmatmul__(self, x):
        _refuse_scalar(x)
        return self._rdot(x)

    def __truediv__(self, x):
        if not np.isscalar(x):
            text = "Can only divide a linear operator by a scalar."
            raise _refusal(ValueError, "type", text)
        return _ScaledLinearOperator(self, 1.0 / x)

    def __pow__(self, p):
        return _PowerLinearOperator(self, p) if np.isscalar(p) else NotImplemented

    def __add__(self, x):
        return _SumLinearOperator(self, x) if isinstance(x, LinearOperator) else NotImplemented

    def __neg__(self):
        return _ScaledLinearOperator(self, -1)

    def __sub__(self, x):
        return self.__add__(-x)

    def __repr__(self):
        rows, columns = self.shape
        dtype = "unspecified dtype" if self.dtype is None else f"dtype={self.dtype}"
        return f"<{rows}x{columns} {type(self).__name__} with {dtype}>"

    @described("LinearOperator")
    def adjoint(self):
        """The conjugate transpose, also as `H`."""
        return self._adjoint()

    @described("LinearOperator")
    def transpose(self):
        """The transpose, also as `T`."""
        return self._transpose()

    H = property(adjoint)
    T = property(transpose)


def _by_columns(product, X, rows):
    """The products with the columns of a matrix, side by side."""
    if X.shape[1] == 0:
        return np.zeros((rows, 0), dtype=X.dtype)
    columns = X.toarray() if is_sparse(X) else X
    return np.hstack([product(columns[:, at].reshape(-1, 1)) for at in range(X.shape[1])])


def _checked_shape(shape):
    shape = tuple(shape)
    is_shape = len(shape) == 2 and all(
        hasattr(extent, "__index__") and extent >= 0 for extent in shape
    )
    if not is_shape:
        raise _refusal(ValueError, "value", f"invalid shape {shape!r} (must be 2-d)")
    return tuple(int(extent) for extent in shape)


def _refuse_scalar(x):
    if np.isscalar(x):
        raise _refusal(ValueError, "value", "Scalar operands are not allowed, use '*' instead")


class _CustomLinearOperator(LinearOperator):
    """An operator of functions."""

    def __init__(self, shape, matvec, rmatvec=None, matmat=None, dtype=None, rmatmat=None):
        super().__init__(dtype, shape)
        self._functions = (matvec, rmatvec, matmat, rmatmat)
        self._init_dtype()

    def _matvec(self, x):
        return self._functions[0](x)

    def _rmatvec(self, x):
        function = self._functions[1]
        if function is None:
            raise _refusal(NotImplementedError, "absent", "rmatvec is not defined", "give rmatvec")
        return function(x)

    def _matmat(self, X):
        function = self._functions[2]
        return super()._matmat(X) if function is None else function(X)

    def _rmatmat(self, X):
        function = self._functions[3]
        # The adjoint of an operator of functions calls the same functions.
        return _by_columns(self.rmatvec, X, self.shape[1]) if function is None else function(X)

    def _adjoint(self):
        matvec, rmatvec, matmat, rmatmat = self._functions
        if rmatvec is None:
            # An operator without products, whose own adjoint has some.
            rmatvec = self._rmatvec
        return _CustomLinearOperator(
            self.shape[::-1], rmatvec, matvec, rmatmat, self.dtype, matmat
        )


class _AdjointLinearOperator(LinearOperator):
    """The conjugate transpose of an operator."""

    def __init__(self, A):
        super().__init__(A.dtype, A.shape[::-1])
        self.A, self.args = A, (A,)

    def _matvec(self, x):
        return self.A._rmatvec(x)

    def _rmatvec(self, x):
        return self.A._matvec(x)

    def _matmat(self, X):
        return self.A._rmatmat(X)

    def _rmatmat(self, X):
        return self.A._matmat(X)

    def _adjoint(self):
        return self.A


class _TransposedLinearOperator(LinearOperator):
    """The transpose of an operator, by its adjoint."""

    def __init__(self, A):
        super().__init__(A.dtype, A.shape[::-1])
        self.A, self.args = A, (A,)

    def _matvec(self, x):
        return _conjugated(self.A.rmatvec(_conjugated(x)))

    def _rmatvec(self, x):
        return _conjugated(self.A.matvec(_conjugated(x)))

    def _matmat(self, X):
        return _conjugated(self.A.rmatmat(_conjugated(X)))

    def _rmatmat(self, X):
        return _conjugated(self.A.matmat(_conjugated(X)))

    def _transpose(self):
        return self.A


def _conjugated(x):
    if is_sparse(x):
        return x.conj()
    return np.conj(x) if x.dtype.kind == "c" else x


def _common_dtype(*parts):
    """The dtype to which operators and numbers promote."""
    known = [getattr(part, "dtype", part) for part in parts]
    return np.result_type(*(one for one in known if one is not None))


class _SumLinearOperator(LinearOperator):
    """The sum of two operators."""

    def __init__(self, A, B):
        if A.shape != B.shape:
            raise _refusal(ValueError, "together", f"cannot add {A} and {B}: shape mismatch")
        super().__init__(_common_dtype(A, B), A.shape)
        self.args = (A, B)

    def _matvec(self, x):
        return self.args[0].matvec(x) + self.args[1].matvec(x)

    def _rmatvec(self, x):
        return self.args[0].rmatvec(x) + self.args[1].rmatvec(x)

    def _matmat(self, X):
        return self.args[0].matmat(X) + self.args[1].matmat(X)

    def _rmatmat(self, X):
        return self.args[0].rmatmat(X) + self.args[1].rmatmat(X)

    def _adjoint(self):
        A, B = self.args
        return A.H + B.H


class _ProductLinearOperator(LinearOperator):
    """The product of two operators."""

    def __init__(self, A, B):
        if A.shape[1] != B.shape[0]:
            text = f"cannot multiply {A} and {B}: shape mismatch"
            raise _refusal(ValueError, "together", text)
        super().__init__(_common_dtype(A, B), (A.shape[0], B.shape[1]))
        self.args = (A, B)

    def _matvec(self, x):
        return self.args[0].matvec(self.args[1].matvec(x))

    def _rmatvec(self, x):
        return self.args[1].rmatvec(self.args[0].rmatvec(x))

    def _matmat(self, X):
        return self.args[0].matmat(self.args[1].matmat(X))

    def _rmatmat(self, X):
        return self.args[1].rmatmat(self.args[0].rmatmat(X))

    def _adjoint(self):
        A, B = self.args
        return B.H @ A.H


class _ScaledLinearOperator(LinearOperator):
    """An operator times a number."""

    def __init__(self, A, alpha):
        if isinstance(A, _ScaledLinearOperator):
            A, factor = A.args
            alpha = alpha * factor
        kind = alpha.dtype if hasattr(alpha, "dtype") else type(alpha)
        super().__init__(_common_dtype(A, np.dtype(kind)), A.shape)
        self.args = (A, alpha)

    def _matvec(self, x):
        return self.args[1] * self.args[0].matvec(x)

    def _rmatvec(self, x):
        return self._conjugate * self.args[0].rmatvec(x)

    def _matmat(self, X):
        return self.args[1] * self.args[0].matmat(X)

    def _rmatmat(self, X):
        return self._conjugate * self.args[0].rmatmat(X)

    @property
    def _conjugate(self):
        alpha = self.args[1]
        return alpha.conjugate() if isinstance(alpha, (int, float, complex)) else np.conj(alpha)

    def _adjoint(self):
        return self.args[0].H * self._conjugate


class _PowerLinearOperator(LinearOperator):
    """A power of an operator."""

    def __init__(self, A, p):
        if A.shape[0] != A.shape[1]:
            raise _refusal(ValueError, "value", f"square LinearOperator expected, got {A!r}")
        if p < 0 or int(p) != p:
            text = f"non-negative integer expected as p, not {p}"
            raise _refusal(ValueError, "value", text)
        super().__init__(A.dtype, A.shape)
        self.args = (A, int(p))

    def _power(self, product, x):
        for _ in range(self.args[1]):
            x = product(x)
        # The power 0 returns a copy, which a program may change.
        return x.copy() if self.args[1] == 0 else x

    def _matvec(self, x):
        return self._power(self.args[0].matvec, x)

    def _rmatvec(self, x):
        return self._power(self.args[0].rmatvec, x)

    def _matmat(self, X):
        return self._power(self.args[0].matmat, X)

    def _rmatmat(self, X):
        return self._power(self.args[0].rmatmat, X)

    def _adjoint(self):
        A, p = self.args
        return A.H**p


class MatrixLinearOperator(LinearOperator):
    """The operator of a matrix, which may be sparse."""

    def __init__(self, A):
        super().__init__(A.dtype, A.shape)
        self.A, self.args = A, (A,)
        self._conjugate_transpose = None

    def _matvec(self, x):
        return self.A @ x

    def _matmat(self, X):
        return self.A @ X

    def _adjoint(self):
        if self._conjugate_transpose is None:
            made = MatrixLinearOperator(_conjugated(self.A.T))
            made._conjugate_transpose = self
            self._conjugate_transpose = made
        return self._conjugate_transpose

    def _transpose(self):
        return MatrixLinearOperator(self.A.T)


class IdentityOperator(LinearOperator):
    """The operator that leaves vectors as they are."""

    def __init__(self, shape, dtype=None):
        super().__init__(dtype, shape)

    def _matvec(self, x):
        return x

    def _matmat(self, X):
        return X

    def _adjoint(self):
        return self

    def _transpose(self):
        return self


@described(
    "LinearOperator",
    {"TypeError": "The object is no matrix and no operator.",
     "ValueError": "The array has more than two axes."},
    "Local: recorded. Collective for a sparse matrix of another library, whose entries are read.",
    A=("array_like, sparse matrix, LinearOperator or object with `shape` and `matvec`",
       "The operator."),
)
def aslinearoperator(A):
    """An object as a linear operator."""
    if isinstance(A, LinearOperator):
        return A
    A = adopted(A)
    if is_sparse(A):
        return MatrixLinearOperator(A)
    if is_dense(A):
        if A.ndim > 2:
            raise _refusal(ValueError, "value", "array must have ndim <= 2")
        return MatrixLinearOperator(np.atleast_2d(np.asarray(A)))
    if hasattr(A, "shape") and hasattr(A, "matvec"):
        parts = {
            name: getattr(A, name, None) for name in ("rmatvec", "matmat", "rmatmat", "dtype")
        }
        return LinearOperator(A.shape, A.matvec, **parts)
    if hasattr(A, "__cuda_array_interface__") or hasattr(A, "__dlpack__"):
        return aslinearoperator(np.asarray(A))
    text = f"type not understood: a {type(A).__name__} is no linear operator"
    hint = "give an array, a sparse matrix, or an object with shape and matvec"
    raise _refusal(TypeError, "type", text, hint)
