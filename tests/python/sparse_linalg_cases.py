"""Matrices of the tests of sparse linear algebra, and residuals."""

import numpy
import scipy.sparse

import phalanx
from phalanx.scipy import sparse

from .sparse_cases import FEWER


def some(cases, first=0):
    """The cases of a test; on several devices and processes a third of them, as each takes several
    times as long."""
    return list(cases)[first::3] if FEWER else list(cases)


def host(x):
    return x.get() if isinstance(x, phalanx.ndarray) else numpy.asarray(x)


def drawn(rows, columns=None, kind="d", seed=7):
    """A vector or a matrix of random numbers."""
    generator = numpy.random.default_rng(seed)
    shape = (rows,) if columns is None else (rows, columns)
    values = generator.standard_normal(shape)
    if kind in "FD":
        values = values + 1j * generator.standard_normal(shape)
    return values.astype(kind)


def definite(rows=30, kind="d"):
    """A Hermitian positive definite matrix of three diagonals, and for complex numbers five."""
    main = numpy.linspace(2.5, 4, rows)
    made = scipy.sparse.diags_array([-1.0, main, -1.0], offsets=[-1, 0, 1], shape=(rows, rows))
    made = scipy.sparse.csr_array(made)
    if kind in "FD":
        other = scipy.sparse.eye_array(rows, k=2, format="csr") * 0.2j
        made = made + other + other.conj().T
    return made.astype(kind)


def general(rows=30, kind="d"):
    """A matrix that is not symmetric, with a diagonal that dominates."""
    generator = numpy.random.default_rng(3)
    made = scipy.sparse.random_array((rows, rows), density=0.1, rng=generator, format="csr")
    if kind in "FD":
        made = made * (1 + 0.5j)
    return scipy.sparse.csr_array(made + scipy.sparse.eye_array(rows) * 3).astype(kind)


def ours(matrix):
    """Our matrix with the parts of one of SciPy's."""
    kind = "array" if isinstance(matrix, scipy.sparse.sparray) else "matrix"
    return getattr(sparse, f"{matrix.format}_{kind}")(matrix)


def outcome(function, *given, **keywords):
    """The result of a call, or the class of its error."""
    try:
        return function(*given, **keywords)
    except Exception as error:
        return error


def same_error(own, other):
    """Whether both calls failed, with errors of one class."""
    assert isinstance(other, Exception), other
    kind = next(one for one in type(other).__mro__ if one.__module__ == "builtins")
    assert isinstance(own, kind), f"{own!r} in place of {other!r}"
