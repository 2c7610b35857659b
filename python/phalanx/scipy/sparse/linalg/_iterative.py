"""Solvers of linear equations by Krylov spaces."""

import warnings

import phalanx as np

from ...._phalanx import _refusal
from ...._phalanx import sparse as _core
from ._described import COLLECTIVE, described, on_mesh
from ._interface import LinearOperator, aslinearoperator
from ._operands import count_of, for_core, given_options, inexact, square, with_dtype

_RAISES = {
    "ValueError": "The shapes do not fit, or a tolerance is negative.",
    "TypeError": "An operand is no matrix and no linear operator.",
    "NotImplementedError": "The method needs an adjoint that an operator does not have.",
}
_RETURNS = (
    "tuple of ndarray and int: The solution, and a code: 0 for success, a positive number of "
    "iterations if the tolerance was not reached, a negative number if the method broke down."
)
_STEPS = COLLECTIVE + " Each iteration reads numbers that decide about the next one."
_RESTARTS = _STEPS + " `maxiter` counts restarts."


class _System:
    """The equations of a call: operators and vectors, checked and in one dtype."""

    def __init__(self, A, b, x0, M):
        self.operator = square(A)
        rows = self.operator.shape[0]
        b = np.asarray(b)
        if b.shape not in ((rows,), (rows, 1)):
            text = f"shapes of A {self.operator.shape} and b {b.shape} are incompatible"
            raise _refusal(ValueError, "together", text)
        self.operator = with_dtype(self.operator, b)
        self.dtype = inexact(self.operator.dtype, b.dtype)
        self.b = b.astype(self.dtype, copy=False).reshape(-1)
        self.inverse = _preconditioner(A, M, self.operator)
        self.x0 = self._start(x0)

    def _start(self, x0):
        if x0 is None:
            return None
        if isinstance(x0, str):
            if x0 != "Mb":
                text = f"x0 is an array or 'Mb', not {x0!r}"
                raise _refusal(ValueError, "choice", text)
            return self.b if self.inverse is None else self.inverse.matvec(self.b)
        x0 = np.asarray(x0)
        rows = self.operator.shape[0]
        if x0.shape not in ((rows,), (rows, 1)):
            text = f"shapes of A {self.operator.shape} and x0 {x0.shape} are incompatible"
            raise _refusal(ValueError, "together", text)
        if x0.dtype.kind == "c" and self.dtype.kind != "c":
            x0 = x0.real
        return x0.astype(self.dtype, copy=False).reshape(-1)

    def solved(self, method, *, rtol, atol=0.0, maxiter=None, **options):
        """The answer of the core: solution, code, iterations, norms of residuals."""
        if atol is None or isinstance(atol, str) or float(atol) < 0:
            text = f"{method}() called with invalid `atol`={atol!r}"
            hint = "`atol` is a real, non-negative number"
            raise _refusal(ValueError, "value", text, hint)
        options = given_options(
            rtol=float(rtol),
            atol=float(atol),
            maxiter=count_of("maxiter", maxiter),
            x0=self.x0,
            **{"M": for_core(self.inverse), **options},
        )
        return _core._solve(method, for_core(self.operator), self.b, options)


def _preconditioner(given, M, operator):
    """The preconditioner as an operator; None without one. A matrix may have one of its own."""
    if M is not None:
        M = aslinearoperator(M)
        if M.shape != operator.shape:
            text = "matrix and preconditioner have different shapes"
            raise _refusal(ValueError, "together", text)
        return M
    if not hasattr(given, "psolve"):
        return None
    adjoint = getattr(given, "rpsolve", None)
    return LinearOperator(operator.shape, given.psolve, rmatvec=adjoint, dtype=operator.dtype)


def _simple(method, A, b, x0, rtol, atol, maxiter, M, callback, **options):
    system = _System(A, b, x0, M)
    options |= {"rtol": rtol, "atol": atol, "maxiter": maxiter, "callback": callback}
    return system.solved(method, **options)[:2]


@on_mesh
@described(
    _RETURNS,
    {**_RAISES, "ValueError": "The shapes do not fit, or a tolerance or `check_every` is wrong."},
    COLLECTIVE + " Every `check_every` iterations, the norm of the residual is read.",
    callback=(
        "callable", "Called with the solution after each iteration after which the norm is read."
    ),
    pipelined=(
        "bool",
        "Whether all sums of an iteration are formed at once, by pipelined conjugate gradients. "
        "On several devices this is faster if devices wait for sums longer than they update "
        "vectors. An addition to SciPy.",
    ),
    check_every=(
        "int",
        "The iterations between two reads of the norm of the residual. Each read waits for the "
        "devices; the solver may do up to ``check_every - 1`` iterations too many. An addition to "
        "SciPy.",
    ),
)
def cg(
    A, b, x0=None, *, rtol=1e-05, atol=0.0, maxiter=None, M=None, callback=None, pipelined=False,
    check_every=1,
):
    """Solves ``A x = b`` with a Hermitian positive definite matrix by conjugate gradients."""
    check_every = count_of("check_every", check_every)
    if check_every < 1:
        raise _refusal(ValueError, "value", "check_every is a positive integer")
    return _simple(
        "cg", A, b, x0, rtol, atol, maxiter, M, callback, pipelined=bool(pipelined),
        check_every=check_every,
    )


@on_mesh
@described(_RETURNS, _RAISES, _STEPS)
def cgs(A, b, x0=None, *, rtol=1e-05, atol=0.0, maxiter=None, M=None, callback=None):
    """Solves ``A x = b`` by conjugate gradients squared."""
    return _simple("cgs", A, b, x0, rtol, atol, maxiter, M, callback)


@on_mesh
@described(_RETURNS, _RAISES, _STEPS)
def bicg(A, b, x0=None, *, rtol=1e-05, atol=0.0, maxiter=None, M=None, callback=None):
    """Solves ``A x = b`` by biconjugate gradients, with products of the adjoint."""
    return _simple("bicg", A, b, x0, rtol, atol, maxiter, M, callback)


@on_mesh
@described(_RETURNS, _RAISES, _STEPS)
def bicgstab(A, b, x0=None, *, rtol=1e-05, atol=0.0, maxiter=None, M=None, callback=None):
    """Solves ``A x = b`` by stabilised biconjugate gradients."""
    return _simple("bicgstab", A, b, x0, rtol, atol, maxiter, M, callback)


@on_mesh
@described(_RETURNS, _RAISES, _STEPS)
def tfqmr(
    A, b, x0=None, *, rtol=1e-05, atol=0.0, maxiter=None, M=None, callback=None, show=False
):
    """Solves ``A x = b`` by transpose-free quasi-minimal residuals."""
    system = _System(A, b, x0, M)
    if maxiter is None:
        maxiter = min(10000, 10 * system.operator.shape[0])
    x, info, iterations, residuals = system.solved(
        "tfqmr", rtol=rtol, atol=atol, maxiter=maxiter, callback=callback
    )
    if show:
        _show("tfqmr", info, iterations, residuals)
    return x, info


def _show(method, info, iterations, residuals):
    end = "converged" if info == 0 else "did not converge"
    np.print(f"{method} {end} after {iterations} iterations; residual {residuals[-1]:.3e}")


@on_mesh
@described(
    _RETURNS, _RAISES, _STEPS,
    shift=("float", "The multiple of the identity that is subtracted from `A`."),
)
def minres(
    A, b, x0=None, *, rtol=1e-05, shift=0.0, maxiter=None, M=None, callback=None, show=False,
    check=False,
):
    """Solves ``(A - shift I) x = b`` with a Hermitian matrix by minimal residuals. The matrix may
    be indefinite or singular; the preconditioner is positive definite."""
    system = _System(A, b, x0, M)
    if check:
        _check_symmetry(system, shift)
    # As in SciPy, a solution that iterations have made is in double precision.
    wide = np.result_type(system.dtype, np.float64)
    observed = None if callback is None else lambda x: callback(x.astype(wide, copy=False))
    x, info, iterations, residuals = system.solved(
        "minres", rtol=rtol, maxiter=maxiter, callback=observed, shift=float(shift)
    )
    if show:
        _show("minres", info, iterations, residuals)
    return (x.astype(wide, copy=False) if iterations else x), info


def _check_symmetry(system, shift):
    """Raises an error if products tell that an operator is not symmetric. Reads two numbers for
    each."""
    A, M = system.operator, system.inverse
    r = system.b
    if system.x0 is not None:
        r = r - (A.matvec(system.x0) - shift * system.x0)
    unit = float(np.finfo(system.dtype).eps)
    y = r if M is None else M.matvec(r)
    w = A.matvec(y)
    pairs = [("matrix", (w, w), (y, A.matvec(w)))]
    if M is not None:
        pairs.append(("preconditioner", (y, y), (r, M.matvec(y))))
    for name, first, second in pairs:
        both = np.stack([np.vdot(*first), np.vdot(*second)]).tolist()
        difference, size = abs(both[0] - both[1]), abs(both[0])
        if difference > (size + unit) * unit ** (1 / 3):
            raise _refusal(ValueError, "value", f"non-symmetric {name}")


@on_mesh
@described(_RETURNS, _RAISES, _STEPS)
def qmr(A, b, x0=None, *, rtol=1e-05, atol=0.0, maxiter=None, M1=None, M2=None, callback=None):
    """Solves ``A x = b`` by quasi-minimal residuals, with products of the adjoint."""
    # The solver takes preconditioners of its own, not those of one argument.
    system = _System(aslinearoperator(A), b, x0, None)
    if M1 is None and M2 is None and hasattr(A, "psolve"):
        M1, M2 = (_side(A, side, system.operator) for side in ("left", "right"))
    first, second = (_preconditioner(None, one, system.operator) for one in (M1, M2))
    return system.solved(
        "qmr", rtol=rtol, atol=atol, maxiter=maxiter, callback=callback, M=for_core(first),
        M2=for_core(second),
    )[:2]


def _side(given, side, operator):
    """The preconditioner of a matrix on one side."""
    return LinearOperator(
        operator.shape,
        lambda x: given.psolve(x, side),
        rmatvec=lambda x: given.rpsolve(x, side),
        dtype=operator.dtype,
    )


@on_mesh
@described(
    _RETURNS, _RAISES, _RESTARTS + " With the callback type 'legacy' it counts iterations.",
    restart=("int", "The iterations between two restarts; 20 by default."),
    callback=("callable", "Called with what `callback_type` says."),
    callback_type=(
        "{'x', 'pr_norm', 'legacy'}",
        "'x' calls with the solution after each restart, 'pr_norm' with the relative norm of the "
        "residual after each iteration; 'legacy', the default, is as 'pr_norm'.",
    ),
)
def gmres(
    A, b, x0=None, *, rtol=1e-05, atol=0.0, restart=None, maxiter=None, M=None, callback=None,
    callback_type=None,
):
    """Solves ``A x = b`` by generalised minimal residuals with restarts."""
    if callback is not None and callback_type is None:
        text = "gmres() called without specifying `callback_type`: give 'x' or 'pr_norm'"
        warnings.warn(text, DeprecationWarning, stacklevel=3)
    callback_type = "legacy" if callback_type is None else callback_type
    if callback_type not in ("x", "pr_norm", "legacy"):
        raise _refusal(ValueError, "choice", f"Unknown callback_type: {callback_type!r}")
    system = _System(A, b, x0, M)
    rows = system.operator.shape[0]
    restart = min(20 if restart is None else max(count_of("restart", restart), 1), max(rows, 1))
    options = {"rtol": rtol, "atol": atol, "maxiter": maxiter}
    if callback is None:
        return system.solved("gmres", restart=restart, **options)[:2]
    if callback_type == "x":
        return system.solved("gmres", restart=restart, callback=callback, **options)[:2]
    size = float(np.linalg.norm(system.b))
    options["residual_callback"] = lambda residual: callback(residual / size)
    if callback_type == "pr_norm":
        return system.solved("gmres", restart=restart, **options)[:2]
    return _limited(system, restart, 10 * rows if maxiter is None else maxiter, options)


def _limited(system, restart, most, options):
    """GMRES with a limit of iterations: whole cycles, then a shorter one."""
    left = most = count_of("maxiter", most)
    x, info = system.solved("gmres", **{**options, "maxiter": 0})[:2]
    while left > 0:
        steps = min(restart, left)
        options["maxiter"] = left // steps
        x, info, iterations, _ = system.solved("gmres", restart=steps, **options)
        if info == 0 or iterations == 0:
            break
        left -= iterations
        system.x0 = x
    return x, 0 if info == 0 and most > 0 else most


@on_mesh
@described(
    _RETURNS, _RAISES, _RESTARTS,
    callback=("callable", "Called with the solution after each restart."),
    inner_m=("int", "The iterations between two restarts."),
    outer_k=("int", "The number of vectors that are kept over a restart."),
    outer_v=(
        "list of tuple",
        "Vectors and their products with `A`, or None in their place. The solution starts with "
        "the best combination of them, and its change is appended.",
    ),
    store_outer_Av=("bool", "Whether the product is appended with the vector."),
    prepend_outer_v=("bool", "Ignored: the vectors are used before the first iteration."),
)
def lgmres(
    A, b, x0=None, *, rtol=1e-05, atol=0.0, maxiter=1000, M=None, callback=None, inner_m=30,
    outer_k=3, outer_v=None, store_outer_Av=True, prepend_outer_v=False,
):
    """Solves ``A x = b`` by loose GMRES, which keeps changes of the solution over restarts."""
    system = _System(A, b, x0, M)
    _check_finite(system.b)
    start = system.x0
    if outer_v:
        products = [_product(system, v, product) for v, product in outer_v]
        _project(system, [v for v, _ in outer_v], products)
    x, info = system.solved(
        "lgmres", rtol=rtol, atol=atol, maxiter=maxiter, callback=callback,
        restart=count_of("inner_m", inner_m), recycled=count_of("outer_k", outer_k),
    )[:2]
    if outer_v is not None:
        change = x if start is None else x - start
        inverse = _reciprocal(np.linalg.norm(change))
        product = system.operator.matvec(change) * inverse if store_outer_Av else None
        outer_v.append((change * inverse, product))
        del outer_v[: max(0, len(outer_v) - count_of("outer_k", outer_k))]
    return x, info


@on_mesh
@described(
    _RETURNS, _RAISES, _RESTARTS,
    callback=("callable", "Called with the solution after each restart."),
    m=("int", "The iterations between two restarts."),
    k=("int", "The number of vectors that are kept over a restart; by default `m`."),
    CU=(
        "list of tuple",
        "Products with `A`, or None in their place, and the vectors. The solution starts with the "
        "best combination of them, and its change is appended.",
    ),
    discard_C=("bool", "Whether products in `CU` are neither used nor kept."),
    truncate=("{'oldest', 'smallest'}", "Which vectors are dropped."),
)
def gcrotmk(
    A, b, x0=None, *, rtol=1e-05, atol=0.0, maxiter=1000, M=None, callback=None, m=20, k=None,
    CU=None, discard_C=False, truncate="oldest",
):
    """Solves ``A x = b`` by flexible GCROT(m, k), which keeps vectors over restarts."""
    system = _System(A, b, x0, M)
    _check_finite(system.b)
    if truncate not in ("oldest", "smallest"):
        raise _refusal(ValueError, "choice", f"Invalid value for 'truncate': {truncate!r}")
    start = system.x0
    if CU:
        CU[:] = [
            (_product(system, vector, None if discard_C else product), vector)
            for product, vector in CU
        ]
        _project(system, [vector for _, vector in CU], [product for product, _ in CU])
    m = max(count_of("m", m), 1)
    x, info = system.solved(
        "gcrotmk", rtol=rtol, atol=atol, maxiter=maxiter, callback=callback, restart=m,
        recycled=m if k is None else count_of("k", k), truncate_smallest=truncate == "smallest",
    )[:2]
    if CU is not None:
        change = x if start is None else x - start
        product = system.operator.matvec(change)
        inverse = _reciprocal(np.linalg.norm(product))
        CU.append((product * inverse, change * inverse))
        if discard_C:
            CU[:] = [(None, vector) for _, vector in CU]
        del CU[: max(0, len(CU) - (m if k is None else count_of("k", k)))]
    return x, info


def _check_finite(b):
    if not bool(np.isfinite(b).all()):
        raise _refusal(ValueError, "value", "RHS must contain only finite numbers")


def _product(system, vector, product):
    """The product with a kept vector, which may be known."""
    return system.operator.matvec(vector) if product is None else np.asarray(product)


def _project(system, vectors, products):
    """Moves the start to the best combination of kept vectors."""
    x = np.zeros_like(system.b) if system.x0 is None else system.x0
    residual = system.b - system.operator.matvec(x)
    images = np.stack(products, axis=1).astype(system.dtype, copy=False)
    factors = np.linalg.lstsq(images, residual, rcond=None)[0]
    vectors = np.stack([np.asarray(vector) for vector in vectors], axis=1)
    system.x0 = x + vectors.astype(system.dtype, copy=False) @ factors


def _reciprocal(size):
    """The reciprocal of a norm; 0 of 0."""
    return np.where(size == 0, 0.0, 1.0 / np.where(size == 0, 1.0, size)).astype(size.dtype)
