"""Some eigenvalues and eigenvectors of large operators."""

import warnings

import phalanx as np

from ...._phalanx import _refusal
from ...._phalanx import sparse as _core
from . import _dense
from ._described import COLLECTIVE, described, on_mesh
from ._errors import ArpackNoConvergence
from ._interface import IdentityOperator, LinearOperator, aslinearoperator
from ._inverses import inverse_of, shifted
from ._operands import (
    count_of,
    dense_of,
    for_core,
    given_options,
    inexact,
    is_matrix,
    is_sparse_operator,
    square,
    with_dtype,
)

_RAISES = {
    "ValueError": "The shapes do not fit, or an option does not exist or excludes another one.",
    "TypeError": "All eigenvalues are wanted of an operator that is not an array.",
    "ArpackNoConvergence": "The limit of iterations came first. The exception has the eigenvalues "
    "and eigenvectors that converged.",
    "RuntimeError": "`A - sigma M` is singular.",
}
_RETURNS = (
    "ndarray or (ndarray, ndarray): The eigenvalues, and with them the eigenvectors in columns if "
    "they are wanted."
)
_NOTES = (
    COLLECTIVE + " Each restart reads numbers. With `sigma` and without `OPinv`, the inverse of a "
    "sparse matrix of up to 2,048 rows and of any array is computed as an array; that of a larger "
    "matrix or of an operator is applied by an iterative solver. The inverse of `M` likewise."
)
_OPERATOR = "sparse matrix, array_like or LinearOperator"
_OWN = {
    "M": (_OPERATOR, "Makes the problem ``A x = w M x``, with a positive definite matrix."),
    "Minv": (_OPERATOR, "The inverse of `M`, without `sigma`."),
    "OPinv": (_OPERATOR, "The inverse of ``A - sigma M``."),
    "maxiter": ("int", "The most restarts; by default ten for each row."),
    "return_eigenvectors": ("bool", "Whether eigenvectors are wanted too."),
}
_OF_REAL = {"LA": "LR", "SA": "SR"}


class _Problem:
    """The arguments that the two solvers share, checked."""

    def __init__(self, A, k, M):
        self.A = with_dtype(square(A))
        self.rows = self.A.shape[0]
        self.M = None
        if M is not None:
            self.M = with_dtype(aslinearoperator(M))
            if self.M.shape != self.A.shape:
                text = f"wrong M dimensions {self.M.shape}, should be {self.A.shape}"
                raise _refusal(ValueError, "together", text)
            if self.M.dtype.char.lower() != self.A.dtype.char.lower():
                text = "M does not have the same type precision as A"
                warnings.warn(text, UserWarning, stacklevel=4)
        self.k = count_of("k", k)
        if self.k <= 0:
            raise _refusal(ValueError, "value", f"k={k} must be greater than 0.")
        dtypes = [self.A.dtype] + ([] if self.M is None else [self.M.dtype])
        if any(one.kind not in "biufc" for one in dtypes):
            text = "matrix type must be 'f', 'd', 'F', or 'D'"
            raise _refusal(ValueError, "dtype", text)
        self.dtype = inexact(*dtypes)

    def options(self, which, ncv, maxiter, v0, tol):
        """The options of the core's solvers."""
        if maxiter is not None and maxiter <= 0:
            text = f"maxiter must be positive, maxiter={maxiter}"
            raise _refusal(ValueError, "value", text)
        if ncv is not None:
            ncv = min(count_of("ncv", ncv), self.rows)
            if ncv <= self.k:
                raise _refusal(ValueError, "value", f"ncv must be k<ncv<=n, ncv={ncv}")
        if v0 is not None:
            v0 = np.asarray(v0).reshape(-1)
        return given_options(
            which=which, ncv=ncv, maxiter=count_of("maxiter", maxiter), v0=v0, tol=float(tol)
        )

    def dense(self, name):
        """The matrices as arrays, for a problem all of whose eigenvalues are wanted."""
        if is_sparse_operator(self.A):
            text = f"all {self.rows} eigenvalues of a sparse matrix are those of an array"
            hint = f"use phalanx.linalg.{name} of A.toarray(), or reduce k"
            raise _refusal(TypeError, "type", text, hint)
        for one in (self.A, self.M):
            if one is not None and not is_matrix(one):
                text = f"all {self.rows} eigenvalues are wanted of an operator that is no matrix"
                raise _refusal(TypeError, "type", text, "reduce k")
        return dense_of(self.A), None if self.M is None else dense_of(self.M)

    def residuals(self, values, vectors):
        """The norms of ``A x - w M x``."""
        images = vectors if self.M is None else self.M.matmat(vectors)
        return np.linalg.norm(self.A.matmat(vectors) - images * values, axis=0)

    def checked(self, values, vectors, converged):
        """The results, or an error if fewer pairs than wanted converged."""
        if converged >= self.k:
            return values, vectors
        order = np.argsort(self.residuals(values, vectors))[:converged]
        order = np.sort(order)
        text = f"No convergence ({converged}/{self.k} eigenvectors converged)"
        raise ArpackNoConvergence(text, values[order], vectors[:, order])

    def inverse_of_mass(self, Minv):
        """The inverse of `M`, for a problem without `sigma`."""
        if Minv is not None:
            return aslinearoperator(Minv)
        return inverse_of(self.M, True, "M")

    def inverse_of_shifted(self, OPinv, sigma):
        """The inverse of ``A - sigma M``."""
        if OPinv is not None:
            return aslinearoperator(OPinv)
        return inverse_of(shifted(self.A, self.M, sigma), False, "A - sigma * M")

    def check_without_sigma(self, OPinv, Minv):
        if OPinv is not None:
            text = "OPinv should not be specified with sigma = None."
            raise _refusal(ValueError, "together", text)
        if self.M is None and Minv is not None:
            text = "Minv should not be specified with M = None."
            raise _refusal(ValueError, "together", text)


@on_mesh
@described(
    _RETURNS, _RAISES, _NOTES + " The eigenvalues ascend. `mode` and `M` need several products "
    "more for each eigenvalue than a problem without them.",
    **_OWN,
    which=(
        "{'LM', 'SM', 'LA', 'SA', 'BE'}",
        "The wanted eigenvalues: of largest or smallest magnitude, the largest or smallest ones, "
        "or half of them from each end. With `sigma` of ``1 / (w - sigma)``.",
    ),
    mode=("{'normal', 'buckling', 'cayley'}", "The transformation, with `sigma`."),
)
def eigsh(
    A, k=6, M=None, sigma=None, which="LM", v0=None, ncv=None, maxiter=None, tol=0,
    return_eigenvectors=True, Minv=None, OPinv=None, mode="normal", rng=None,
):
    """Some eigenvalues and eigenvectors of a Hermitian matrix or operator."""
    problem = _Problem(A, k, M)
    is_complex = problem.dtype.kind == "c"
    if is_complex and mode != "normal":
        text = f"mode={mode} cannot be used with complex matrix A"
        raise _refusal(ValueError, "together", text)
    if is_complex and which == "BE":
        text = "which='BE' cannot be used with complex matrix A"
        raise _refusal(ValueError, "together", text)
    if which not in ("LM", "SM", "LA", "SA", "BE"):
        text = "which must be one of LM SM LA SA BE"
        raise _refusal(ValueError, "choice", text)
    if problem.k >= problem.rows:
        text = "k >= N for N * N square matrix: all eigenvalues are computed as for an array"
        warnings.warn(text, RuntimeWarning, stacklevel=3)
        found = _dense.eigh(*problem.dense("eigh"))
        return found if return_eigenvectors else found[0]
    if sigma is None:
        problem.check_without_sigma(OPinv, Minv)
    elif Minv is not None:
        text = "Minv should not be specified when sigma is specified."
        raise _refusal(ValueError, "together", text)
    elif mode not in ("normal", "buckling", "cayley"):
        raise _refusal(ValueError, "choice", f"unrecognized mode '{mode}'")
    options = problem.options(which, ncv, maxiter, v0, tol)
    if problem.M is None and (sigma is None or mode == "normal"):
        if sigma is not None:
            inverse = problem.inverse_of_shifted(OPinv, sigma)
            options |= {"sigma": _real(sigma), "inverse": for_core(inverse)}
        found = _core._eigen("eigsh", for_core(problem.A), problem.k, options)
    else:
        found = _transformed(problem, sigma, which, options, Minv, OPinv, mode)
    values, vectors = problem.checked(*found)
    return (values, vectors) if return_eigenvectors else values


def _real(sigma):
    sigma = complex(sigma)
    return sigma.real if sigma.imag == 0 else sigma


class _Transformation:
    """An operator whose eigenvectors are those of a problem, and its eigenvalues as a function of
    the problem's."""

    def __init__(self, problem, sigma, Minv, OPinv, mode):
        A, M = problem.A, problem.M
        self.mass = M if M is not None else IdentityOperator(A.shape, A.dtype)
        self.sigma, self.mode = sigma, "regular" if sigma is None else mode
        if sigma is None:
            self.operator = problem.inverse_of_mass(Minv) @ A
            return
        inverse = problem.inverse_of_shifted(OPinv, sigma)
        right = {"normal": self.mass, "buckling": A}.get(mode)
        self.operator = inverse @ (A + self.mass * sigma if right is None else right)

    def of(self, values):
        """The operator's eigenvalues for those of the problem."""
        if self.mode == "regular":
            return values
        difference = values - self.sigma
        if self.mode == "normal":
            return 1 / difference
        return (values if self.mode == "buckling" else values + self.sigma) / difference


def _transformed(problem, sigma, which, options, Minv, OPinv, mode):
    """Eigenpairs by an operator that is not Hermitian but has the problem's eigenvectors: the
    values are those of the problem in the space of the vectors."""
    way = _Transformation(problem, sigma, Minv, OPinv, mode)
    operator, k = for_core(way.operator), problem.k
    parts = [(which, k)]
    if which == "BE":
        parts = [(one, count) for one, count in (("LA", k - k // 2), ("SA", k // 2)) if count]
    vectors, converged = [], 0
    for one, count in parts:
        own = {**options, "which": _OF_REAL.get(one, one)}
        _, found, done = _core._eigen("eigs", operator, count, own)
        vectors.append(found)
        converged += done
    vectors = np.concatenate(vectors, axis=1)
    # The matrix that is positive definite, in whose inner product the problem is Hermitian.
    first, second = problem.A, way.mass
    if mode == "buckling":
        first, second = second, first
    values, vectors = _in_space(first, second, vectors, problem.dtype.kind == "c")
    if mode == "buckling":
        values = 1 / values
    order = _wanted(way.of(values), which, k)
    order = order[np.argsort(values[order])]
    return values[order], vectors[:, order], min(converged, k)


def _in_space(first, second, vectors, is_complex):
    """The eigenpairs of ``first x = w second x`` in the space of some vectors."""
    if not is_complex:
        # Eigenvectors of real matrices are real but for a factor of absolute value 1.
        squares = (vectors * vectors).sum(axis=0)
        sizes = np.abs(squares)
        factors = np.sqrt(np.conj(squares) / np.where(sizes == 0, 1.0, sizes))
        vectors = vectors * np.where(sizes == 0, 1.0, factors)
        vectors = np.concatenate([vectors.real, vectors.imag], axis=1)
    gram = np.conj(vectors.T) @ vectors
    sizes, turns = np.linalg.eigh((gram + np.conj(gram.T)) / 2)
    # Directions of other size are rounding errors.
    count = int((sizes > 1e-8 * sizes[-1]).sum())
    basis = vectors @ (turns[:, -count:] / np.sqrt(sizes[-count:]))
    grams = [np.conj(basis.T) @ one.matmat(basis) for one in (first, second)]
    values, factors = _dense.eigh(*((gram + np.conj(gram.T)) / 2 for gram in grams))
    return values, basis @ factors


def _wanted(values, which, k):
    """The positions of the most wanted eigenvalues."""
    ascending = np.argsort(np.abs(values) if which in ("LM", "SM") else values)
    if which in ("SM", "SA"):
        return ascending[:k]
    if which in ("LM", "LA"):
        return ascending[-k:]
    high = k - k // 2
    return np.concatenate([ascending[: k // 2], ascending[len(ascending) - high :]])


@on_mesh
@described(
    _RETURNS, _RAISES, _NOTES + " The most wanted eigenvalues come first. Eigenvalues and "
    "eigenvectors are complex.",
    **_OWN,
    which=(
        "{'LM', 'SM', 'LR', 'SR', 'LI', 'SI'}",
        "The wanted eigenvalues: of largest or smallest magnitude, real part or imaginary part. "
        "With `sigma` of ``1 / (w - sigma)``.",
    ),
    OPpart=(
        "{'r', 'i'}",
        "For real matrices: iterates with the real or imaginary part of the inverse of "
        "``A - sigma M``, and `which` is about its eigenvalues.",
    ),
)
def eigs(
    A, k=6, M=None, sigma=None, which="LM", v0=None, ncv=None, maxiter=None, tol=0,
    return_eigenvectors=True, Minv=None, OPinv=None, OPpart=None, rng=None,
):
    """Some eigenvalues and eigenvectors of a square matrix or operator."""
    problem = _Problem(A, k, M)
    if problem.k >= problem.rows - 1:
        text = "k >= N - 1 for N * N square matrix: all eigenvalues are computed as for an array"
        warnings.warn(text, RuntimeWarning, stacklevel=3)
        found = _dense.eig(*problem.dense("eig"))
        return found if return_eigenvectors else found[0]
    if which not in ("LM", "SM", "LR", "SR", "LI", "SI"):
        text = "which must be one of LM SM LR SR LI SI"
        raise _refusal(ValueError, "choice", text)
    if sigma is None:
        problem.check_without_sigma(OPinv, Minv)
        if OPpart is not None:
            text = "OPpart should not be specified with sigma = None or complex A"
            raise _refusal(ValueError, "together", text)
    elif Minv is not None:
        text = "Minv should not be specified when sigma is specified."
        raise _refusal(ValueError, "together", text)
    options = problem.options(which, ncv, maxiter, v0, tol)
    if sigma is None:
        operator = problem.A
        if problem.M is not None:
            operator = problem.inverse_of_mass(Minv) @ operator
        found = _core._eigen("eigs", for_core(operator), problem.k, options)
    else:
        found = _near(problem, sigma, options, OPinv, OPpart)
    values, vectors = problem.checked(*found)
    return (values, vectors) if return_eigenvectors else values


def _near(problem, sigma, options, OPinv, OPpart):
    """The eigenpairs near `sigma`."""
    sigma, part = complex(sigma), None
    if OPpart is not None:
        if problem.A.dtype.kind == "c":
            text = "OPpart should not be specified with sigma=None or complex A"
            raise _refusal(ValueError, "together", text)
        part = str(OPpart).lower()
        if part not in ("r", "i"):
            raise _refusal(ValueError, "choice", "OPpart must be one of ('r','i')")
        if part == "i" and sigma.imag == 0:
            raise _refusal(ValueError, "together", "OPpart cannot be 'i' if sigma is real")
    inverse = problem.inverse_of_shifted(OPinv, sigma if sigma.imag else sigma.real)
    if problem.M is not None:
        inverse = inverse @ problem.M
    if part is None or sigma.imag == 0:
        options |= {"sigma": sigma, "inverse": for_core(with_dtype(inverse))}
        return _core._eigen("eigs", for_core(problem.A), problem.k, options)
    operator = _part_of(inverse, part)
    _, vectors, converged = _core._eigen("eigs", operator, problem.k, options)
    images = vectors if problem.M is None else problem.M.matmat(vectors)
    products = [(np.conj(vectors) * one).sum(axis=0)
                for one in (problem.A.matmat(vectors), images)]
    return products[0] / products[1], vectors, converged


def _part_of(inverse, part):
    """The real or imaginary part of an inverse, as an operator of complex vectors."""
    sign, factor = (1, 0.5) if part == "r" else (-1, -0.5j)

    def product(x):
        return factor * (inverse.matvec(x) + sign * np.conj(inverse.matvec(np.conj(x))))

    return LinearOperator(inverse.shape, product, dtype=inexact(inverse.dtype))
