"""Matrices of applications, each solved by solvers that suit it: to a relative residual of 1e-8,
and to the solution of SciPy's direct solver."""

import functools

import numpy
import pytest
import scipy.sparse
import scipy.sparse.linalg as theirs

import phalanx
from phalanx.scipy import sparse
from phalanx.scipy.sparse import linalg

from . import sparse_families as families
from .sparse_linalg_cases import some

RESIDUAL, ERROR = 1e-8, 1e-6
# The solvers stop earlier, because they follow their residual and do not compute it.
STOP = 1e-10

FAMILIES = {
    "poisson in a square": (families.poisson, (110, 120)),
    "poisson in a cube": (families.poisson, (19, 20, 21)),
    "elasticity": (families.elasticity, (90, 36)),
    "convection and diffusion": (families.convection_diffusion, (110,)),
    "power law": (families.power_law, (2500,)),
    "geometric graph": (families.geometric, (12000,)),
}
DEFINITE = ["direct", "cg jacobi", "cg ic0", "cg multigrid"]
GENERAL = ["direct", "gmres ilu0", "gmres spilu", "bicgstab ilu0", "bicgstab spilu"]
PRECONDITIONERS = {
    "jacobi": linalg.jacobi,
    "ic0": linalg.ic0,
    "ilu0": linalg.ilu0,
    "multigrid": linalg.multigrid,
    "spilu": lambda A: linalg.LinearOperator(A.shape, linalg.spilu(A).solve, dtype=A.dtype),
}
CASES = [
    (family, solver)
    for family in FAMILIES
    for solver in (GENERAL if family.startswith("convection") else DEFINITE)
]


@functools.cache
def problem(family):
    """The matrix, a right-hand side, and the solution of SciPy."""
    make, arguments = FAMILIES[family]
    matrix = make(*arguments)
    b = families.right_hand_side(matrix)
    return matrix, b, theirs.spsolve(matrix.tocsc(), b)


def solved(matrix, b, solver):
    """The solution of one of our solvers, on the host."""
    method, _, name = solver.partition(" ")
    if method == "direct":
        return linalg.spsolve(sparse.csc_array(matrix), phalanx.asarray(b)).get()
    own = sparse.csr_array(matrix)
    made = PRECONDITIONERS[name](sparse.csc_array(matrix) if name == "spilu" else own)
    x, info = getattr(linalg, method)(own, phalanx.asarray(b), rtol=STOP, maxiter=3000, M=made)
    assert info == 0
    return x.get()


def check(matrix, b, x, wanted):
    assert numpy.linalg.norm(b - matrix @ x) <= RESIDUAL * numpy.linalg.norm(b)
    assert numpy.linalg.norm(x - wanted) <= ERROR * numpy.linalg.norm(wanted)


@pytest.mark.parametrize("family, solver", some(CASES))
def test_solutions_are_those_of_scipy(family, solver):
    matrix, b, wanted = problem(family)
    check(matrix, b, solved(matrix, b, solver), wanted)


@pytest.mark.parametrize("family", list(FAMILIES))
def test_matrices_are_of_their_families(family):
    matrix, _, _ = problem(family)
    is_symmetric = abs(matrix - matrix.T).max() < 1e-14
    assert is_symmetric == (family != "convection and diffusion")
    # Matrices of graphs have one on the vector of ones; matrices of grids are weakly dominant.
    sums = matrix @ numpy.ones(matrix.shape[0])
    if "graph" in family or "law" in family:
        numpy.testing.assert_allclose(sums, 1)
    elif family != "elasticity":
        assert sums.min() > -1e-12 and sums.max() > 0.5


def test_a_plate_that_is_pulled_is_stretched_evenly():
    # Without contraction across, a plate in tension has linear displacements.
    columns, rows = 6, 3
    matrix = families.elasticity(columns, rows, poisson_ratio=0.0)
    forces = numpy.zeros((columns, rows + 1, 2))
    forces[-1, :, 0] = [0.5, 1, 1, 0.5]
    x = solved(matrix, forces.ravel(), "direct").reshape(columns, rows + 1, 2)
    stretch = numpy.arange(1, columns + 1.0)[:, None] * numpy.ones(rows + 1)
    numpy.testing.assert_allclose(x[:, :, 0], stretch, rtol=1e-12)
    numpy.testing.assert_allclose(x[:, :, 1], 0, atol=1e-12)


def shipped(name):
    matrices = families.packaged()
    if matrices is None:
        pytest.skip("SciPy is installed without the data of its tests")
    return matrices[name]


@pytest.mark.parametrize("solver", ["direct", "cg jacobi"])
def test_normal_equations_of_a_matrix_of_the_matrix_market(solver):
    equations = shipped("A_real")
    matrix = scipy.sparse.csr_array(equations.T @ equations)
    b = equations.T @ families.right_hand_side(equations)
    check(matrix, b, solved(matrix, b, solver), theirs.spsolve(matrix.tocsc(), b))


@pytest.mark.parametrize("solver", ["direct", "gmres ilu0"])
def test_a_complex_matrix_of_the_matrix_market(solver):
    # The condition of the matrix itself leaves no digits to compare.
    own = shipped("A_complex")
    matrix = scipy.sparse.csr_array(own + 1e-3 * scipy.sparse.eye_array(own.shape[0]))
    b = families.right_hand_side(matrix)
    check(matrix, b, solved(matrix, b, solver), theirs.spsolve(matrix.tocsc(), b))
