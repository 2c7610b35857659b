"""Eigenvalues and eigenvectors."""

import phalanx as np

from .._arguments import refuse
from . import _host
from ._arrays import adjoint, of_one_shape, square, together
from ._cholesky import mass
from ._described import DECOMPOSED, described
from ._triangular import substituted

_DRIVERS = (None, "ev", "evd", "evr", "evx", "gv", "gvd", "gvx")
_ERRORS = {"ValueError": "The matrices are not square, have infinities or NaNs, or a word or a "
           "subset is not allowed.",
           "LinAlgError": "The eigenvalues do not converge, or `b` is not positive definite."}
_OF_HERMITIAN = {
    "b": ("array_like", "The second matrix, which is positive definite; the identity by default."),
    "type": ("{1, 2, 3}", "The problem: ``a v = w b v``, ``a b v = w v`` or ``b a v = w v``."),
    "driver": ("str", "The routine of LAPACK, without effect on how they are computed."),
    "subset_by_index": ("(int, int)", "The numbers of the first and the last eigenvalue."),
    "subset_by_value": ("(float, float)", "The limits of the eigenvalues, the upper one of which "
                        "is included."),
}


@described(
    "ndarray or (ndarray, ndarray): The eigenvalues in ascending order, and the eigenvectors as "
    "columns.",
    _ERRORS, DECOMPOSED, **_OF_HERMITIAN,
    eigvals_only=("bool", "Whether there are no eigenvectors."),
)
def eigh(
    a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, type=1,
    check_finite=True, subset_by_index=None, subset_by_value=None, driver=None,
):
    """The eigenvalues of Hermitian matrices, of which one triangle is used."""
    if driver not in _DRIVERS:
        raise refuse(f'"{driver}" is unknown. Possible values are {_DRIVERS[1:]}.',
                     mistake="choice")
    a = square(a, check_finite)
    half = "L" if lower else "U"
    if a.size == 0:
        # As in SciPy, nothing else is looked at.
        return np.linalg.eigvalsh(a, half) if eigvals_only else tuple(np.linalg.eigh(a, half))
    _check_driver(driver, b, subset_by_index, subset_by_value)
    chosen = _Chosen(a.shape[-1], subset_by_index, subset_by_value)
    if b is not None:
        b = square(b, check_finite)
        if a.shape[-2:] != b.shape[-2:]:
            raise refuse(f"wrong b dimensions {b.shape}, should be {a.shape}")
        if type not in (1, 2, 3):
            raise refuse('"type" keyword only accepts 1, 2, and 3.')
        return _generalised(*together(a, b), half, type, eigvals_only, chosen)
    if eigvals_only:
        return chosen.of(np.linalg.eigvalsh(a, half))
    return chosen.of(*np.linalg.eigh(a, half))


@described("ndarray: The eigenvalues in ascending order.", _ERRORS, DECOMPOSED, **_OF_HERMITIAN)
def eigvalsh(
    a, b=None, *, lower=True, overwrite_a=False, overwrite_b=False, type=1, check_finite=True,
    subset_by_index=None, subset_by_value=None, driver=None,
):
    """The eigenvalues of Hermitian matrices, of which one triangle is used."""
    return eigh(
        a, b, lower=lower, eigvals_only=True, type=type, check_finite=check_finite,
        subset_by_index=subset_by_index, subset_by_value=subset_by_value, driver=driver,
    )


def _check_driver(driver, b, by_index, by_value):
    if b is not None and driver in ("ev", "evd", "evr", "evx"):
        raise refuse("the driver is not one of generalised problems")
    if b is None and driver in ("gv", "gvd", "gvx"):
        raise refuse("the driver is one of generalised problems, and b is missing")
    if (by_index is not None or by_value is not None) and driver in ("ev", "evd", "gv", "gvd"):
        raise refuse(f'"{driver}" cannot compute subsets of eigenvalues')


class _Chosen:
    """A subset of eigenvalues in ascending order."""

    def __init__(self, n, by_index, by_value):
        self.part, self.limits = slice(None), None
        if by_index is not None and by_value is not None:
            raise refuse("Either index or value subset can be requested.")
        if by_index is not None:
            low, high = (int(one) for one in by_index)
            if not 0 <= low <= high < n:
                raise refuse(f"Requested eigenvalue indices are not valid. Valid range is [0, "
                             f"{n - 1}] and start <= end, but start={low}, end={high} is given")
            self.part = slice(low, high + 1)
        if by_value is not None:
            low, high = (float(one) for one in by_value)
            if not low < high:
                raise refuse(f"Requested eigenvalue bounds are not valid: {low} < {high}")
            self.limits = low, high

    def of(self, values, vectors=None):
        if self.limits is not None:
            low, high = self.limits
            first = (values <= low).sum(axis=-1)
            count = of_one_shape(np.maximum((values <= high).sum(axis=-1) - first, 0))
            places = first[..., None] + np.arange(count)
            values = np.take_along_axis(values, places, -1)
            if vectors is not None:
                vectors = np.take_along_axis(vectors, places[..., None, :], -1)
        else:
            values = values[..., self.part]
            vectors = None if vectors is None else vectors[..., self.part]
        return values if vectors is None else (values, vectors)


def _generalised(a, b, half, kind, only_values, chosen):
    if half == "U":
        a, b = adjoint(a), adjoint(b)
    factor = mass(b)
    full = np.tril(a) + adjoint(np.tril(a, -1))
    if kind == 1:
        inner = substituted(factor, full, lower=True)
        inner = substituted(factor, adjoint(inner), lower=True)
    else:
        inner = adjoint(factor) @ full @ factor
    inner = (inner + adjoint(inner)) / 2
    if only_values:
        return chosen.of(np.linalg.eigvalsh(inner, "L"))
    values, vectors = np.linalg.eigh(inner, "L")
    values, vectors = chosen.of(values, vectors)
    if kind == 3:
        return values, factor @ vectors
    return values, substituted(adjoint(factor), vectors)


_OF_GENERAL = {
    "b": ("array_like", "The second matrix; the identity by default."),
    "homogeneous_eigvals": ("bool", "Whether eigenvalues are pairs of numbers, whose quotients "
                            "they are."),
    "left": ("bool", "Whether left eigenvectors are returned."),
    "right": ("bool", "Whether right eigenvectors are returned."),
}
_ON_HOST = (
    DECOMPOSED + " With `b` or `left`, SciPy computes it on the host; matrices of more than 2**22 "
    "elements are refused then."
)


@described(
    "ndarray or tuple of ndarray: The eigenvalues, the left and the right eigenvectors as columns, "
    "as far as they are wanted.",
    _ERRORS, _ON_HOST, **_OF_GENERAL,
)
def eig(
    a, b=None, left=False, right=True, overwrite_a=False, overwrite_b=False, check_finite=True,
    homogeneous_eigvals=False,
):
    """The eigenvalues, not sorted, and the eigenvectors of a square matrix."""
    if b is not None or left:
        return _host.of_scipy("eig", a, b, left, right, check_finite=check_finite,
                              homogeneous_eigvals=homogeneous_eigvals)
    a = square(a, check_finite)
    if not right:
        return eigvals(a, None, False, False, homogeneous_eigvals)
    values, vectors = np.linalg.eig(a)
    return _values(values, homogeneous_eigvals), vectors


@described("ndarray: The eigenvalues.", _ERRORS, _ON_HOST.replace("`b` or `left`", "`b`"),
           **_OF_GENERAL)
def eigvals(
    a, b=None, overwrite_a=False, check_finite=True, homogeneous_eigvals=False
):
    """The eigenvalues of a square matrix, not sorted."""
    if b is not None:
        return _host.of_scipy("eigvals", a, b, check_finite=check_finite,
                              homogeneous_eigvals=homogeneous_eigvals)
    a = square(a, check_finite)
    return _values(np.linalg.eigvals(a), homogeneous_eigvals)


def _values(values, homogeneous):
    values = values.astype(np.result_type(values.dtype, np.complex64), copy=False)
    if homogeneous:
        return np.stack([values, np.ones_like(values)], axis=-2)
    return values
