"""Solvers of least squares."""

import phalanx as np

from ...._phalanx import _refusal
from ...._phalanx import sparse as _core
from ._described import COLLECTIVE, described, on_mesh
from ._interface import aslinearoperator
from ._operands import count_of, for_core, given_options, with_dtype

_RAISES = {
    "ValueError": "The shapes do not fit.",
    "TypeError": "The operand is no matrix and no linear operator.",
    "NotImplementedError": "The operator has no adjoint.",
}
_STEPS = (
    COLLECTIVE + " Each iteration reads three numbers. The solver computes in double precision."
)
_REASONS = (
    "the start is exact",
    "Ax - b is small enough for atol and btol",
    "the least squares solution is good enough for atol",
    "the condition number seems to exceed conlim",
    "Ax - b is small enough for this machine",
    "the least squares solution is good enough for this machine",
    "the condition number seems to be too large for this machine",
    "the limit of iterations was reached",
)
_X0 = ("array_like", "The start, a vector; zeros by default.")


def _solved(method, A, b, x0, show, **options):
    """The fields of the result of a solver."""
    operator = with_dtype(aslinearoperator(A))
    b = np.atleast_1d(np.asarray(b))
    if b.ndim > 1:
        b = b.squeeze()
    if b.shape != operator.shape[:1]:
        text = f"shapes of A {operator.shape} and b {b.shape} are incompatible"
        raise _refusal(ValueError, "together", text)
    # As in SciPy: the dtype of the solution is that of double precision.
    b = b.astype(np.result_type(b.dtype, np.float64), copy=False)
    if x0 is not None:
        x0 = np.asarray(x0)
        if x0.shape != operator.shape[1:]:
            text = f"shapes of A {operator.shape} and x0 {x0.shape} are incompatible"
            raise _refusal(ValueError, "together", text)
    options = given_options(x0=x0, **options)
    found = _core._least_squares(method, for_core(operator), b, options)
    if show:
        reason = _REASONS[found["istop"]]
        np.print(f"{method} stopped after {found['itn']} iterations: {reason}")
    return found


@on_mesh
@described(
    "tuple: `x`, `istop`, `itn`, `r1norm`, `r2norm`, `anorm`, `acond`, `arnorm`, `xnorm`, `var`: "
    "the solution, the reason for the end, the number of iterations, the norms of the residual "
    "without and with the penalty, estimates of the norm and of the condition number of `A`, of "
    "the residual of the normal equations and of the norm of the solution, and the variances.",
    _RAISES, _STEPS,
    atol=("float", "The relative error of `A`."),
    calc_var=("bool", "Whether to estimate the diagonal of ``(A^H A + damp^2 I)^-1``."),
    iter_lim=("int", "The most iterations; by default twice the number of columns."),
    x0=_X0,
)
def lsqr(
    A, b, damp=0.0, atol=1e-06, btol=1e-06, conlim=1e8, iter_lim=None, show=False,
    calc_var=False, x0=None,
):
    """Minimises ``norm(A x - b)^2 + damp^2 norm(x - x0)^2`` by LSQR."""
    found = _solved(
        "lsqr", A, b, x0, show, damp=float(damp), atol=float(atol), btol=float(btol),
        conlim=float(conlim), maxiter=count_of("iter_lim", iter_lim), calc_var=bool(calc_var),
    )
    if found.get("var") is None:
        found["var"] = np.zeros(found["x"].shape)
    names = "x istop itn r1norm r2norm anorm acond arnorm xnorm var".split()
    return tuple(found[name] for name in names)


@on_mesh
@described(
    "tuple: `x`, `istop`, `itn`, `normr`, `normar`, `norma`, `conda`, `normx`: the solution, the "
    "reason for the end, the number of iterations, the norms of the residual and of that of the "
    "normal equations, estimates of the norm and of the condition number of `A`, and the norm of "
    "the solution.",
    _RAISES, _STEPS,
    atol=("float", "The relative error of `A`."),
    maxiter=("int", "The most iterations; by default the smaller extent of `A`."),
    x0=_X0,
)
def lsmr(
    A, b, damp=0.0, atol=1e-06, btol=1e-06, conlim=1e8, maxiter=None, show=False, x0=None
):
    """Minimises ``norm(A x - b)^2 + damp^2 norm(x - x0)^2`` by LSMR."""
    found = _solved(
        "lsmr", A, b, x0, show, damp=float(damp), atol=float(atol), btol=float(btol),
        conlim=float(conlim), maxiter=count_of("maxiter", maxiter),
    )
    return tuple(found[name] for name in "x istop itn normr normar norma conda normx".split())
