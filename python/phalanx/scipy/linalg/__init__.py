"""Linear algebra: names of ``scipy.linalg``.

Factorisations, equations and eigenvalues are those of ``phalanx.linalg`` with SciPy's arguments.
What has no distributed algorithm here is SciPy's own on the host, for matrices of bounded sizes.
The modules ``blas``, ``lapack``, ``cython_blas``, ``cython_lapack`` and ``interpolative`` are
SciPy's themselves, of NumPy's arrays. SciPy has to be installed for both: ``pip install
phalanx[scipy]``.
"""

from .._host_calls import beside_all as _beside_all
from ._banded import eig_banded, solve_banded, solveh_banded
from ._cholesky import cho_factor, cho_solve, cholesky
from ._eigen import eig, eigh, eigvals, eigvalsh
from ._functions import (
    coshm,
    cosm,
    expm,
    expm_frechet,
    fractional_matrix_power,
    logm,
    signm,
    sinhm,
    sinm,
    sqrtm,
    tanhm,
    tanm,
)
from ._host import functions as _functions
from ._lu import lu, lu_factor, lu_solve
from ._qr import qr, qr_multiply, rq
from ._singular import (
    diagsvd,
    null_space,
    orth,
    orthogonal_procrustes,
    polar,
    subspace_angles,
    svd,
    svdvals,
)
from ._sketch import clarkson_woodruff_transform
from ._solve import (
    det,
    inv,
    lstsq,
    matmul_toeplitz,
    norm,
    pinv,
    pinvh,
    solve,
    solve_circulant,
)
from ._special_matrices import (
    block_diag,
    circulant,
    companion,
    convolution_matrix,
    dft,
    fiedler,
    fiedler_companion,
    hadamard,
    hankel,
    helmert,
    hilbert,
    khatri_rao,
    leslie,
    toeplitz,
)
from ._structure import bandwidth, ishermitian, issymmetric
from ._triangular import solve_triangular
from ._warnings import SCIPYS as _SCIPYS
from ._warnings import found as _found

globals().update(_functions())

__all__ = sorted(
    """
bandwidth block_diag cho_factor cho_solve cholesky circulant clarkson_woodruff_transform companion
convolution_matrix coshm cosm det dft diagsvd eig eig_banded eigh eigvals eigvalsh expm expm_frechet
fiedler fiedler_companion fractional_matrix_power hadamard hankel helmert hilbert inv ishermitian
issymmetric khatri_rao leslie logm lstsq lu lu_factor lu_solve matmul_toeplitz norm null_space orth
orthogonal_procrustes pinv pinvh polar qr qr_multiply rq signm sinhm sinm solve solve_banded
solve_circulant solve_triangular solveh_banded sqrtm subspace_angles svd svdvals tanhm tanm toeplitz
""".split()
    + list(_functions())
    # SciPy's module `interpolative` is one that has to be imported, there and here.
    + [name for name in _SCIPYS if name != "interpolative"]
)

_beside_all(__all__, globals())


def __getattr__(name):
    # SciPy's own classes and modules, which are loaded when they are first used.
    if name in _SCIPYS:
        return _found(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
