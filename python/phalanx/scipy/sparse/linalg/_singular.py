"""Some singular values of large operators."""

import math

import phalanx as np

from ...._phalanx import _refusal
from ...._phalanx import sparse as _core
from ._described import COLLECTIVE, described, on_mesh
from ._errors import ArpackNoConvergence
from ._interface import aslinearoperator
from ._operands import for_core, given_options, with_dtype


@on_mesh
@described(
    "ndarray or (ndarray, ndarray, ndarray): The left vectors in columns, the singular values "
    "ascending, and the right vectors in conjugated rows; None for vectors that are not wanted.",
    {"ValueError": "An option does not exist or is out of range, or the operator is empty.",
     "NotImplementedError": "The operator has no adjoint.",
     "ArpackNoConvergence": "The limit of iterations came first, with the solver 'arpack'."},
    COLLECTIVE + " Each restart reads numbers. All solvers are names of one method, by the "
    "eigenvalues of the smaller one of ``A^H A`` and ``A A^H``: singular values below the root of "
    "the rounding unit times the largest one are not accurate.",
    which=("{'LM', 'SM'}", "Whether the largest or the smallest values are wanted."),
    maxiter=("int", "The most restarts."),
    return_singular_vectors=("bool, 'u' or 'vh'", "Which vectors are wanted."),
    solver=("{'arpack', 'lobpcg', 'propack'}", "With 'propack' all values may be wanted."),
    options=("dict", "Ignored, as in SciPy."),
    random_state=("object", "As `rng`, by its former name."),
)
def svds(
    A, k=6, ncv=None, tol=0, which="LM", v0=None, maxiter=None, return_singular_vectors=True,
    solver="arpack", rng=None, options=None, *, random_state=None,
):
    """Some singular values and singular vectors of a matrix or operator."""
    solver = str(solver).lower()
    if solver not in ("arpack", "lobpcg", "propack"):
        raise _refusal(ValueError, "choice", "solver must be one of arpack, lobpcg, propack")
    A = with_dtype(aslinearoperator(A))
    smaller = min(A.shape)
    if A.dtype.kind not in "iufc":
        raise _refusal(ValueError, "dtype", "`A` must be of numeric data type.")
    if math.prod(A.shape) == 0:
        raise _refusal(ValueError, "value", "`A` must not be empty.")
    most = smaller if solver == "propack" else smaller - 1
    if int(k) != k or not 0 < k <= most:
        text = f"`k` must be an integer satisfying `0 < k <= {most}`."
        raise _refusal(ValueError, "value", text)
    if solver == "arpack" and ncv is not None and (int(ncv) != ncv or not k < ncv < smaller):
        text = "`ncv` must be an integer satisfying `k < ncv < min(A.shape)`."
        raise _refusal(ValueError, "value", text)
    if tol < 0 or not math.isfinite(tol):
        text = "`tol` must be a non-negative floating point value."
        raise _refusal(ValueError, "value", text)
    which = str(which).upper()
    if which not in ("LM", "SM"):
        raise _refusal(ValueError, "choice", "`which` must be in LM, SM.")
    if maxiter is not None and (int(maxiter) != maxiter or maxiter <= 0):
        raise _refusal(ValueError, "value", "`maxiter` must be a positive integer.")
    if return_singular_vectors not in (True, False, "u", "vh"):
        text = "`return_singular_vectors` must be in True, False, 'u', 'vh'."
        raise _refusal(ValueError, "choice", text)
    if v0 is not None:
        v0 = _checked_start(v0, A.shape, solver)
    chosen = given_options(
        # As in SciPy, the tolerance of eigenvalues is that of singular values squared.
        tol=float(tol) ** 2,
        which=which,
        v0=v0,
        ncv=int(ncv) if ncv is not None and solver == "arpack" else None,
        maxiter=None if maxiter is None else int(maxiter),
    )
    u, s, vh, converged = _core._svds(for_core(A), int(k), chosen)
    if converged < k and solver == "arpack":
        # As in SciPy, the exception has eigenvalues of the square of the matrix.
        text = f"No convergence ({converged}/{int(k)} singular vectors converged)"
        right = vh.conj().T
        residuals = np.linalg.norm(A.matmat(right) - u * s, axis=0)
        best = np.sort(np.argsort(residuals)[:converged])
        vectors = u if A.shape[0] < A.shape[1] else right
        raise ArpackNoConvergence(text, s[best] ** 2, vectors[:, best])
    if return_singular_vectors is False:
        return s
    return (
        None if return_singular_vectors == "vh" else u,
        s,
        None if return_singular_vectors == "u" else vh,
    )


def _checked_start(v0, shape, solver):
    """The start as a vector of the smaller side; None if it is one of the other side."""
    v0 = np.atleast_1d(np.asarray(v0))
    if v0.dtype.kind not in "fc":
        text = "`v0` must be of floating or complex floating data type."
        raise _refusal(ValueError, "dtype", text)
    expected = (shape[0],) if solver == "propack" else (min(shape),)
    if v0.shape != expected:
        raise _refusal(ValueError, "value", f"`v0` must have shape {expected}.")
    return v0 if expected == (min(shape),) else None
