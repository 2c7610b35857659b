"""What reproducible mode costs: the time of an operation in it, divided by the ordinary time.

    python benches/reproducible.py            # on the devices of PHALANX_DEVICES
    python benches/reproducible.py --elements 268435456 --order 8192

Times are the least of several runs, each until the result is there. Inputs are new in each run, so
that no run reuses the value of another.
"""

import argparse
import time

import phalanx as np


def least(operation, runs):
    """The least time of an operation on an input, in milliseconds."""
    times = []
    for run in range(runs + 2):
        operands = operation.prepare(run)
        np.evaluate(*operands)
        started = time.perf_counter()
        result = operation.compute(*operands)
        np.evaluate(result)
        float(result.ravel()[-1].real)
        times.append(time.perf_counter() - started)
    return min(times[2:]) * 1e3


class Operation:
    def __init__(self, name, compute, *operands):
        self.name, self.compute, self.operands = name, compute, operands

    def prepare(self, run):
        """The operands, of which the first has another element than in the run before."""
        first, *others = self.operands
        first[0] = first[0] + (run + 1) * 1e-3
        return first, *others


def operations(dtype, elements, order):
    random = np.random.default_rng(1)
    vector = random.random(elements).astype(dtype)
    other = random.random(elements).astype(dtype)
    side = int(elements**0.5)
    matrix = random.random((side, side)).astype(dtype)
    narrow = random.random((elements // 8, 8)).astype(dtype)
    left, right = (random.random((order, order)).astype(dtype) for _ in range(2))
    places = random.integers(0, 1000, elements // 16)
    weights = random.random(elements // 16).astype(dtype)
    yield Operation("sum", np.sum, vector)
    yield Operation("mean", np.mean, vector)
    yield Operation("norm", np.linalg.norm, vector)
    yield Operation("var", np.var, vector)
    yield Operation("x @ y", np.dot, vector, other)
    yield Operation("sum of exp(-x)", lambda x: np.exp(-x).sum(), vector)
    yield Operation("sum, axis 0", lambda x: x.sum(0), matrix)
    yield Operation("sum, axis 1", lambda x: x.sum(1), matrix)
    yield Operation("sum of rows of 8", lambda x: x.sum(1), narrow)
    yield Operation("sum of 8 columns", lambda x: x.sum(0), narrow)
    yield Operation("cumsum", np.cumsum, vector)
    yield Operation("bincount, weights", lambda w, p: np.bincount(p, w), weights, places)
    yield Operation(f"product {order}", np.matmul, left, right)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--elements", type=int, default=1 << 24)
    parser.add_argument("--order", type=int, default=1024)
    parser.add_argument("--dtypes", nargs="+", default=["float32", "float64"])
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    print(f"{'dtype':8} {'operation':18} {'ordinary':>10} {'reproducible':>13} {'ratio':>6}")
    for dtype in given.dtypes:
        for operation in operations(dtype, given.elements, given.order):
            ordinary = least(operation, given.runs)
            with np.reproducible():
                reproducible = least(operation, given.runs)
            print(f"{dtype:8} {operation.name:18} {ordinary:7.3f} ms {reproducible:10.3f} ms "
                  f"{reproducible / ordinary:6.2f}", flush=True)


if __name__ == "__main__":
    main()
    np.shutdown()
