"""Poisson's equation on a cube, by conjugate gradients with algebraic multigrid.

Prints the levels of the multigrid, and the iterations with and without it.
"""

import sys

import phalanx as np
from phalanx.scipy import sparse
from phalanx.scipy.sparse.linalg import cg, multigrid


def laplacian(side):
    """The seven-point matrix of a cube with zeros outside."""
    line = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(side, side))
    one = sparse.identity(side)
    plane = sparse.kron(line, one) + sparse.kron(one, line)
    return (sparse.kron(plane, one) + sparse.kron(sparse.identity(side**2), line)).tocsr()


def solve(matrix, right, inverse=None):
    """The solution and the number of iterations."""
    count = 0

    def step(_):
        nonlocal count
        count += 1

    solution, info = cg(matrix, right, rtol=1e-8, M=inverse, callback=step)
    assert info == 0, "the iteration did not converge"
    return solution, count


def main(side=40):
    """The solution, the rows of the levels, the iterations and the residual."""
    matrix = laplacian(side)
    right = np.random.default_rng(3).standard_normal(side**3)
    inverse = multigrid(matrix)
    solution, steps = solve(matrix, right, inverse)
    _, plain = solve(matrix, right)
    residual = np.linalg.norm(right - matrix @ solution) / np.linalg.norm(right)
    return {
        "solution": solution, "levels": inverse.levels, "steps": steps, "plain": plain,
        "residual": residual,
    }


if __name__ == "__main__":
    found = main(*map(int, sys.argv[1:]))
    print(f"levels {found['levels']}; {found['steps']} iterations, {found['plain']} without")
    print(f"residual {float(found['residual']):.2e}")
