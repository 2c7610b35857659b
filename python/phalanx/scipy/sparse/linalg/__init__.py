"""Linear algebra of sparse matrices and linear operators: names of ``scipy.sparse.linalg``."""

from ._direct import SuperLU, factorized, spilu, splu, spsolve, use_solver
from ._eigen import eigs, eigsh
from ._errors import ArpackError, ArpackNoConvergence, MatrixRankWarning
from ._exponential import expm
from ._functions import (
    expm_multiply,
    funm_multiply_krylov,
    inv,
    matrix_power,
    norm,
    onenormest,
)
from ._interface import LinearOperator, aslinearoperator
from ._iterative import bicg, bicgstab, cg, cgs, gcrotmk, gmres, lgmres, minres, qmr, tfqmr
from ._laplacian import LaplacianNd
from ._least_squares import lsmr, lsqr
from ._lobpcg import lobpcg
from ._preconditioners import block_jacobi, chebyshev, ic0, ilu0, jacobi, multigrid, ssor
from ._singular import svds
from ._structure import is_sptriangular, spbandwidth, spsolve_triangular

__all__ = """
ArpackError ArpackNoConvergence LaplacianNd LinearOperator MatrixRankWarning SuperLU
aslinearoperator bicg bicgstab block_jacobi cg cgs chebyshev eigs eigsh expm expm_multiply
factorized funm_multiply_krylov gcrotmk gmres ic0 ilu0 inv is_sptriangular jacobi lgmres lobpcg
lsmr lsqr matrix_power minres multigrid norm onenormest qmr spbandwidth spilu splu spsolve
spsolve_triangular ssor svds tfqmr use_solver
""".split()

for _name in __all__:
    _value = globals()[_name]
    if isinstance(_value, type):
        # The name by which programs import the class, also when it is pickled.
        _value.__module__ = __name__
