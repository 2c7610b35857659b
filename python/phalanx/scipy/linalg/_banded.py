"""Equations and eigenvalues of matrices in bands."""

import phalanx as np

from .._arguments import refuse
from . import _host
from ._arrays import checked
from ._described import described
from ._slabs import by_definite_slabs, by_slabs, whole_bands

_LONG = (
    "Collective if an argument is an array on devices. SciPy computes it on the host of every "
    "process, where an array of up to 2**25 elements is copied. "
)
_OF_BANDS = {
    "ValueError": "The shapes do not fit, there are infinities or NaNs, or an array is too long "
    "for the host.",
    "LinAlgError": "The matrix is singular.",
    "ImportError": "SciPy is not installed: ``pip install phalanx[scipy]``.",
}


@described(
    "ndarray: The solutions.", _OF_BANDS,
    _LONG + "A single matrix that is longer is solved on devices, by orthogonal transformations "
    "of slabs of rows. They are as exact as exchanges of rows; one CPU takes 30 to 100 times as "
    "long for them. The matrix counts as singular there if a row is zero, or if a column differs "
    "from a combination of other ones by at most r roundings of its length, r being the larger one "
    "of 8 and a quarter of the square root of the number of equations. A nearly singular matrix "
    "may be refused for that. A singular one that is refused by SciPy may have a solution with "
    "large numbers, if the weights of its columns in a combination that is zero differ by many "
    "orders of magnitude.",
)
def solve_banded(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True):
    """The solution of equations whose matrix is given in bands."""
    if not _is_long(ab, b):
        return _host.of_bands("solve_banded", l_and_u, ab, b, check_finite=check_finite)
    below, above = (int(one) for one in l_and_u)
    ab, b = _checked(ab, b, check_finite)
    if min(below, above) < 0:
        raise refuse(f"the numbers of diagonals {below} and {above} must not be negative")
    if below + above + 1 != ab.shape[0]:
        raise refuse(f"invalid values for the number of lower and upper diagonals: "
                     f"l+u+1 ({below + above + 1}) does not equal ab.shape[0] ({ab.shape[0]})")
    return by_slabs(below, above, ab, b)


@described(
    "ndarray: The solutions.",
    {**_OF_BANDS, "LinAlgError": "The matrix is not positive definite."},
    _LONG + "A single matrix that is longer is solved on devices, by triangles of Cholesky of "
    "slabs of rows; one CPU takes 30 to 100 times as long for them.",
)
def solveh_banded(ab, b, overwrite_ab=False, overwrite_b=False, lower=False, check_finite=True):
    """The solution of equations whose positive definite matrix is given in bands."""
    if not _is_long(ab, b):
        return _host.of_bands("solveh_banded", ab, b, lower=lower, check_finite=check_finite)
    ab, b = _checked(ab, b, check_finite)
    return by_definite_slabs(whole_bands(ab, lower), b)


def _is_long(ab, b):
    """Whether there is one matrix, and the host does not take it or the right sides."""
    is_long = any(isinstance(one, np.ndarray) and one.size > _host.LONG for one in (ab, b))
    return is_long and np.ndim(ab) == 2


def _checked(ab, b, check_finite):
    ab, b = checked(ab, check_finite), checked(b, check_finite)
    if b.ndim == 0 or b.ndim > 2 or ab.shape[-1] != b.shape[0]:
        raise refuse("shapes of ab and b are not compatible.")
    return ab, b


@described(
    "ndarray or (ndarray, ndarray): The eigenvalues in ascending order, and the eigenvectors.",
    {**_OF_BANDS, "LinAlgError": "The eigenvalues do not converge."}, _LONG,
    max_ev=("int", "Without effect: the eigenvalues within limits are counted."),
)
def eig_banded(
    a_band, lower=False, eigvals_only=False, overwrite_a_band=False, select="a",
    select_range=None, max_ev=0, check_finite=True,
):
    """The eigenvalues of a Hermitian matrix in bands."""
    # SciPy writes beyond its memory if there are more eigenvectors than it was told to expect.
    return _host.of_bands(
        "eig_banded", a_band, lower, eigvals_only, select=select, select_range=select_range,
        check_finite=check_finite,
    )


def bands_of(a, below, above):
    """The bands of a matrix, as rows in the places of their columns."""
    n = a.shape[-1]
    rows = np.arange(n)[None, :] + np.arange(-above, below + 1)[:, None]
    found = np.take_along_axis(a, np.clip(rows, 0, n - 1), 0)
    return np.where((rows >= 0) & (rows < n), found, np.zeros((), a.dtype))
