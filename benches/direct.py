"""Direct solvers of sparse matrices: python benches/direct.py [--devices cpu:1 | cuda:0,1]
[--grids 300^2 40^3 ...] [--scipy] [--fronts] [--cg].

For the five-point matrices of squares and the seven-point matrices of cubes: seconds of the first
factorisation with a solution, of the next factorisation and of a solution (the least of four), and
the gigabytes of the factors; with `--scipy` also SciPy's (SuperLU, one thread), below 150,000 rows.
`--fronts` asks for dense matrices on the devices whatever these are;
`--cg` measures iterations of conjugate gradients in place of it, as `cg` has them.
"""

import argparse
import time

import numpy
import scipy.sparse
import scipy.sparse.linalg as theirs

import phalanx as np
from phalanx.scipy import sparse
from phalanx.scipy.sparse import linalg

GRIDS = ["110^2", "300^2", "1000^2", "24^3", "40^3", "64^3", "80^3"]
ITERATIONS = 400


def grid(side, axes):
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    matrix = line
    for _ in range(axes - 1):
        one, other = scipy.sparse.eye_array(side), scipy.sparse.eye_array(matrix.shape[0])
        matrix = scipy.sparse.kron(matrix, one) + scipy.sparse.kron(other, line)
    return scipy.sparse.csc_array(matrix)


def seconds(call):
    start = time.perf_counter()
    made = call()
    return time.perf_counter() - start, made


def direct(matrix, has_peer, options):
    b = numpy.random.default_rng(1).random(matrix.shape[0])
    own, right = sparse.csc_array(matrix), np.array(b)
    first, x = seconds(lambda: linalg.splu(own, options=options).solve(right).get())
    again, lu = seconds(lambda: linalg.splu(own, options=options))
    solved = min(seconds(lambda: float(lu.solve(right)[0]))[0] for _ in range(4))
    error = abs(matrix @ x - b).max() / abs(x).max()
    bytes_of = lu.fronts["bytes"] / 1e9 if lu.fronts else float("nan")
    line = f"{first:8.3f} {again:8.3f} {solved:8.4f} {bytes_of:6.2f} {error:8.0e}"
    if has_peer and matrix.shape[0] < 150_000:
        made, factors = seconds(lambda: theirs.splu(matrix))
        line += f" {made:8.3f} {seconds(lambda: factors.solve(b))[0]:8.4f}"
    return line


def iterations(matrix):
    own, b = sparse.csr_array(matrix), np.ones(matrix.shape[0])
    line = ""
    for options in ({}, {"check_every": 20}, {"pipelined": True},
                    {"pipelined": True, "check_every": 20}):
        def solve():
            return float(linalg.cg(own, b, rtol=1e-12, maxiter=ITERATIONS, **options)[0][0])

        solve()
        line += f" {1e3 * seconds(solve)[0] / ITERATIONS:8.3f}"
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--devices", default="cpu:1")
    parser.add_argument("--grids", nargs="+", default=GRIDS)
    parser.add_argument("--scipy", action="store_true")
    parser.add_argument("--fronts", action="store_true")
    parser.add_argument("--cg", action="store_true")
    given = parser.parse_args()
    np.init(devices=given.devices)
    names = "cg, check_every=20, pipelined, both (ms an iteration)" if given.cg else (
        "first, again, solve (s), GB, error; SciPy's factorisation and solution"
    )
    print(f"{given.devices}: {names}")
    for name in given.grids:
        side, axes = map(int, name.split("^"))
        matrix = grid(side, axes)
        options = {"Fronts": True} if given.fronts else None
        found = iterations(matrix) if given.cg else direct(matrix, given.scipy, options)
        print(f"{name:>7} {matrix.shape[0]:>8}", found, flush=True)


if __name__ == "__main__":
    main()
