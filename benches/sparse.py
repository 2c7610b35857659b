"""Sparse matrices beside SciPy's on the CPU, or CuPy's on a GPU: python benches/sparse.py
[--device cpu:1 | cuda:0] [--side 1024].

For each operation: milliseconds, the least of five runs, each waited for. The matrices are the
five-point matrix of a square of `side` points a side, one of a power law with ten entries a row,
and a small one. `multigrid` solves the seven-point problem of a
cube to 1e-8 with random right sides, and prints the iterations.
"""

import argparse
import time

import numpy
import scipy.sparse

import phalanx as np
from phalanx.scipy import sparse
from phalanx.scipy.sparse import linalg

RUNS = 5


def least(call, wait):
    """The least milliseconds of some runs, after one that compiles and caches."""
    wait(call())
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        wait(call())
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def waited(result):
    """Waits for a result of ours."""
    np.evaluate(result.data if sparse.issparse(result) else result)
    np.cuda.Device().synchronize()


def square(side):
    ones = numpy.ones(side * side)
    diagonals = [-ones, -ones, 4 * ones, -ones, -ones]
    return scipy.sparse.diags_array(
        diagonals, offsets=[-side, -1, 0, 1, side], shape=(side**2, side**2), format="csr"
    )


def power_law(rows, entries):
    generator = numpy.random.default_rng(0)
    places = (rows * generator.random((2, entries)) ** 3).astype(numpy.int64)
    values = generator.random(entries)
    return scipy.sparse.coo_array((values, tuple(places)), shape=(rows, rows)).tocsr()


def operations(matrix, x, many):
    """Operations by name, for a matrix of any module."""
    coordinates, turned = matrix.tocoo(), matrix.T.tocsr()
    return {
        "A @ x": lambda: matrix @ x,
        "A @ X, 32 columns": lambda: matrix @ many,
        "A @ A": lambda: matrix @ matrix,
        "A.T.tocsr()": lambda: matrix.T.tocsr(),
        "coo.tocsr()": lambda: coordinates.tocsr(),
        "A + A.T": lambda: matrix + turned,
        "A.sum(0)": lambda: matrix.sum(axis=0),
        "A.sum(1)": lambda: matrix.sum(axis=1),
        "A.max(1)": lambda: matrix.max(axis=1),
        "A.diagonal()": lambda: matrix.diagonal(),
        "A[::2]": lambda: matrix[::2],
    }


def cube(side):
    line = scipy.sparse.diags_array(
        [-numpy.ones(side - 1), 2 * numpy.ones(side), -numpy.ones(side - 1)], offsets=[-1, 0, 1]
    )
    one = scipy.sparse.eye_array(side)
    plane = scipy.sparse.kron(line, one) + scipy.sparse.kron(one, line)
    across = scipy.sparse.kron(scipy.sparse.eye_array(side**2), line)
    return (scipy.sparse.kron(plane, one) + across).tocsr()


def solve(side):
    matrix = sparse.csr_array(cube(side))
    right = np.random.default_rng(1).standard_normal(side**3)
    start = time.perf_counter()
    inverse = linalg.multigrid(matrix)
    np.cuda.Device().synchronize()
    setup = time.perf_counter() - start
    for name, operator in (("multigrid", inverse), ("alone", None)):
        steps = []
        linalg.cg(matrix, right, rtol=1e-8, M=operator, maxiter=3)
        start = time.perf_counter()
        _, info = linalg.cg(
            matrix, right, rtol=1e-8, M=operator, callback=lambda _, steps=steps: steps.append(1)
        )
        np.cuda.Device().synchronize()
        seconds = time.perf_counter() - start
        made = f", made in {setup:.2f} s, levels {inverse.levels}" if operator else ""
        print(f"cube {side}: cg {name}: {len(steps)} iterations, {seconds:.3f} s{made}", flush=True)
        assert info == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cpu:1")
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument("--cube", type=int, default=64)
    options = parser.parse_args()
    np.init(devices=options.device)
    on_gpu = options.device.startswith("cuda")
    if on_gpu:
        import cupy
        import cupyx.scipy.sparse

        def of_peer(matrix):
            return cupyx.scipy.sparse.csr_matrix(matrix)

        place, wait = cupy.asarray, lambda _: cupy.cuda.Device().synchronize()
    else:
        of_peer, place, wait = (lambda matrix: matrix), (lambda array: array), (lambda _: None)
    side = options.side
    given = {
        f"square {side}": square(side),
        f"power law {side**2 // 5}": power_law(side**2 // 5, 2 * side**2),
        "square 45": square(45),
    }
    for name, matrix in given.items():
        generator = numpy.random.default_rng(2)
        x, many = generator.random(matrix.shape[1]), generator.random((matrix.shape[1], 32))
        own = operations(sparse.csr_array(matrix), np.asarray(x), np.asarray(many))
        theirs = operations(of_peer(matrix), place(x), place(many))
        for label, call in own.items():
            if label == "A @ A" and name.startswith("power"):
                # The square of a power law is nearly full.
                continue
            ours, other = least(call, waited), least(theirs[label], wait)
            print(f"{name:16} {label:18} {ours:9.3f} {other:9.3f} {other / ours:6.2f}", flush=True)
    solve(options.cube)


if __name__ == "__main__":
    main()
