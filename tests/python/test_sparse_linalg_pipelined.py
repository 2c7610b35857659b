"""Pipelined conjugate gradients, and residuals that are read every few iterations."""

import re

import numpy
import pytest
import scipy.sparse

import phalanx
from phalanx.scipy.sparse import linalg

from .conftest import device_count
from .sparse_linalg_cases import definite, drawn, host, ours, some


def laplacian(side):
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    unit = scipy.sparse.eye_array(side)
    made = scipy.sparse.kron(line, unit) + scipy.sparse.kron(unit, line)
    return scipy.sparse.csr_array(made + scipy.sparse.diags_array(numpy.linspace(0, 2, side**2)))


def iterations(matrix, b, **options):
    """The solution and the number of iterations."""
    seen = []
    x, info = linalg.cg(ours(matrix), b, callback=lambda x: seen.append(1), **options)
    assert info == 0
    return host(x), len(seen)


@pytest.mark.parametrize("kind", some("dfDF"))
def test_solutions(kind):
    matrix = definite(200, kind)
    b = drawn(200, kind=kind)
    diagonal = scipy.sparse.diags_array(1 / matrix.diagonal(), format="csr").astype(kind)
    for inverse in (None, ours(diagonal)):
        x, info = linalg.cg(ours(matrix), b, rtol=1e-5, pipelined=True, M=inverse)
        assert info == 0 and x.dtype == kind
        assert numpy.linalg.norm(matrix @ host(x) - b) <= 1.1e-5 * numpy.linalg.norm(b)


@pytest.mark.parametrize("jacobi", [False, True])
@pytest.mark.parametrize("rtol", [1e-5, 1e-10, 1e-13])
def test_iterations_and_accuracy_are_those_of_the_ordinary_method(rtol, jacobi):
    matrix = laplacian(25)
    b = drawn(625)
    inverse = linalg.jacobi(ours(matrix)) if jacobi else None
    x, count = iterations(matrix, b, rtol=rtol, M=inverse)
    own, own_count = iterations(matrix, b, rtol=rtol, M=inverse, pipelined=True)
    assert abs(own_count - count) <= 1
    residuals = [numpy.linalg.norm(matrix @ one - b) / numpy.linalg.norm(b) for one in (x, own)]
    assert residuals[1] <= max(2 * residuals[0], 1.01 * rtol)


def test_the_attained_accuracy_does_not_end_the_solver_early():
    # Less than rounding allows: both methods end, equally near.
    matrix, b = laplacian(15), drawn(225)
    size = numpy.linalg.norm(b)
    found = [
        host(linalg.cg(ours(matrix), b, rtol=1e-17, maxiter=400, pipelined=pipelined)[0])
        for pipelined in (False, True)
    ]
    near = [numpy.linalg.norm(matrix @ x - b) / size for x in found]
    assert near[1] <= 4 * near[0] < 1e-14


@pytest.mark.parametrize("pipelined", [False, True])
@pytest.mark.parametrize("every", some([2, 7, 100]))
def test_residuals_that_are_read_every_few_iterations(every, pipelined):
    matrix, b = laplacian(12), drawn(144)
    options = {"rtol": 1e-8, "pipelined": pipelined}
    _, count = iterations(matrix, b, **options)
    x, reads = iterations(matrix, b, check_every=every, **options)
    assert reads == -(-count // every)
    assert numpy.linalg.norm(matrix @ x - b) <= 1.01e-8 * numpy.linalg.norm(b)
    # The last iteration is read in any case.
    x, info = linalg.cg(ours(matrix), b, maxiter=5, check_every=every, **options)
    assert info == 5
    same, _ = linalg.cg(ours(matrix), b, maxiter=5, **options)
    numpy.testing.assert_allclose(host(x), host(same), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("pipelined", [False, True])
def test_iterations_after_the_solution_change_nothing(pipelined):
    # The identity is solved by the first step; all later residuals vanish.
    matrix = scipy.sparse.csr_array(scipy.sparse.eye_array(50) * 2.0)
    b = numpy.arange(50.0)
    x, info = linalg.cg(ours(matrix), b, check_every=30, pipelined=pipelined)
    assert info == 0
    numpy.testing.assert_array_equal(host(x), b / 2)


def test_all_sums_of_an_iteration_are_one_combination():
    """Counts in the plans of more and more iterations, which a product shows before a read."""
    n = 1000
    scale = phalanx.asarray(numpy.linspace(1.0, 2.0, n))

    def combinations(pipelined, inverse):
        plans = []

        def product(x):
            plans.append(x.explain().partition("\n")[0])
            return x * scale

        operator = linalg.LinearOperator((n, n), product, dtype="d")
        options = {"rtol": 1e-3, "maxiter": 8, "check_every": 8, "M": inverse}
        linalg.cg(operator, phalanx.asarray(drawn(n)), pipelined=pipelined, **options)
        found = [re.search(r"(\d+) all-reduces?", plan) for plan in plans]
        counts = [int(one[1]) if one else 0 for one in found]
        return counts[6] - counts[3]

    if device_count() > 1:
        for inverse in (None, scipy.sparse.diags_array(numpy.linspace(1.0, 0.8, n))):
            assert combinations(False, inverse) == 6
            assert combinations(True, inverse) == 3


def test_bad_options():
    matrix, b = ours(definite(20)), drawn(20)
    for every in (0, -3, 1.5):
        with pytest.raises(ValueError):
            linalg.cg(matrix, b, check_every=every)
    with pytest.raises(TypeError):
        linalg.bicgstab(matrix, b, pipelined=True)
    x, info = linalg.cg(matrix, numpy.zeros(20), pipelined=True)
    assert info == 0 and not host(x).any()
    _, info = linalg.cg(matrix, b, maxiter=1, rtol=1e-14, pipelined=True)
    assert info == 1
