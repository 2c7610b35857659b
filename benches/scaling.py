"""The same programs on one device and on several: python benches/scaling.py [--only CASE].

Each program runs on 1, 2, 4 and 8 GPUs (as many as there are) of one process, and in as many
processes of one GPU each, which `phalanx run` starts. Without GPUs, it runs on 1 and 2 CPU devices
of one thread each. The sizes of arrays are the same for all numbers of devices, so with twice the
devices each has half the work. Times are milliseconds for a result, the median of seven runs. Each
run computes the result several times and waits for the last. `x` is the time on one device divided
by the time on several.

With --predict FOLDER, price tables are measured first and written there, and a second table shows
the times that `explain` predicts, and these divided by the measured ones.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time

from gpu import cg_matfree, kmeans

RUNS = 7
# Elements of vectors and of sorted vectors, sides of matrices and of the grid of a solver, points
# of 16 numbers, and sides of products and cubes.
SIZES = {
    "cuda": {
        "count": 1 << 28,
        "sorted": 1 << 27,
        "side": 16384,
        "grid": 8192,
        "points": 1 << 24,
        "products": {"product f32": 32768, "product f64": 16384},
        "cubes": {"fftn": 512, "fftn large": 1024},
    },
    "cpu": {
        "count": 1 << 24,
        "sorted": 1 << 24,
        "side": 4096,
        "grid": 4096,
        "points": 1 << 20,
        "products": {"product f32": 2048, "product f64": 2048},
        "cubes": {"fftn": 256},
    },
}


def chain(np, a, b):
    return np.sqrt(np.sin(a) ** 2 + np.cos(a) ** 2) * a + b


def normal(np, x):
    """The normal distribution, by the polynomial of Abramowitz and Stegun 26.2.17."""
    k = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    series = k * (
        0.319381530
        + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))
    )
    tail = 0.3989422804014327 * np.exp(-0.5 * x * x) * series
    return np.where(x > 0, 1.0 - tail, tail)


def black_scholes(np, spot, strike, years):
    rate, volatility = 0.02, 0.3
    spread = volatility * np.sqrt(years + 0.25)
    first = (np.log((spot + 1) / (strike + 1)) + (rate + volatility**2 / 2) * years) / spread
    discounted = (strike + 1) * np.exp(-rate * years)
    return (spot + 1) * normal(np, first) - discounted * normal(np, first - spread)


STEPS = 50


def stencil5(np, g, steps=STEPS):
    for _ in range(steps):
        g[1:-1, 1:-1] = 0.2 * (g[1:-1, 1:-1] + g[:-2, 1:-1] + g[2:, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:])
    return g


def cholesky(np, a):
    """Of a matrix with a large diagonal."""
    return np.linalg.cholesky((a + a.T) * 0.5 + a.shape[0] * np.eye(a.shape[0], dtype=a.dtype))


def cluster(np, points):
    """Five steps of k-means with 32 centres."""
    return kmeans(np, points, points[:: points.shape[0] // 32].copy())


def cases(sizes):
    """For each case: the shapes and dtypes of its operands, its program, and the results of a
    run."""
    count, sorted_ = sizes["count"], sizes["sorted"]
    vector, ordered, matrix = (count,), (sorted_,), (sizes["side"],) * 2
    found = {
        "add": ([(vector, "float64")] * 2, lambda np, a, b: a + b, 20),
        "add reversed": ([(vector, "float64"), (vector, "reversed")], lambda np, a, b: a + b, 20),
        "chain": ([(vector, "float64")] * 2, chain, 20),
        "black_scholes f32": ([(vector, "float32")] * 3, black_scholes, 10),
        "black_scholes f64": ([(vector, "float64")] * 3, black_scholes, 10),
        "sum": ([(vector, "float64")], lambda np, a: a.sum(), 20),
        "var": ([(vector, "float64")], lambda np, a: a.var(), 20),
        "argmax": ([(vector, "float64")], lambda np, a: a.argmax(), 20),
        "sum of columns": ([(matrix, "float64")], lambda np, a: a.sum(axis=0), 20),
        "stencil5": ([(matrix, "float64")], stencil5, 1),
        "cg_matfree": ([((sizes["grid"],) * 2, "float64")], cg_matfree, 1),
        "kmeans": ([((sizes["points"], 16), "float32")], cluster, 1),
        "cumsum": ([(vector, "float64")], lambda np, a: np.cumsum(a), 10),
        "sort f32": ([(ordered, "float32")], lambda np, a: np.sort(a), 5),
        "sort f64": ([(ordered, "float64")], lambda np, a: np.sort(a), 5),
        "argsort f32": ([(ordered, "float32")], lambda np, a: np.argsort(a), 5),
        # A quarter as many random positions as there are elements.
        "take": ([(vector, "float32"), ((count // 4,), count)], lambda np, a, i: np.take(a, i), 5),
        "transpose": ([(matrix, "float32")], lambda np, a: a.T.copy(), 20),
        "add transpose": ([(matrix, "float64")], lambda np, a: a + a.T, 20),
        "cholesky": ([(matrix, "float64")], cholesky, 1),
    }
    for name, side in sizes["cubes"].items():
        found[name] = ([((side,) * 3, "complex64")], lambda np, a: np.fft.fftn(a), 3)
    for name, side in sizes["products"].items():
        dtype = name.split(" ")[1].replace("f", "float")
        found[name] = ([((side,) * 2, dtype)] * 2, lambda np, a, b: a @ b, 1)
    return found


def drawn(np, generator, shape, dtype):
    """Random numbers; a number instead of a dtype stands for positions below it."""
    if isinstance(dtype, int):
        return generator.integers(0, dtype, shape)
    if dtype == "reversed":
        # A product keeps the order of the blocks that it reads.
        return generator.random(shape)[::-1] * 1.0
    if dtype == "complex64":
        return (generator.random(shape, dtype="float32") + 1j).astype(dtype)
    return generator.random(shape, dtype=dtype)


def predicted(np, program, arrays):
    """The milliseconds that a plan predicts for a program; None without prices, and for programs of
    several plans."""
    if program in (cg_matfree, cluster):
        return None
    if program is stencil5:
        # One step is one plan.
        result, times = program(np, *arrays, steps=1), STEPS
    else:
        result, times = program(np, *arrays), 1
    line = re.search(r"predicted time ([0-9.]+) (µs|ms|s)\b", result.explain())
    np.evaluate(result)
    units = {"µs": 1e-3, "ms": 1.0, "s": 1e3}
    return line and times * float(line[1]) * units[line[2]]


def measure(devices, only):
    """The times of this process, as a line of JSON."""
    import phalanx as np

    np.init(devices=devices.replace("RANK", os.environ.get("PHALANX_RANK", "0")))
    times, foreseen = {}, {}
    for name, (operands, program, repeats) in cases(SIZES[devices.split(":")[0]]).items():
        if only and name != only:
            continue
        generator = np.random.default_rng(5)
        arrays = [drawn(np, generator, shape, dtype) for shape, dtype in operands]
        np.evaluate(*arrays)

        def once(repeats):
            begun = time.perf_counter()
            for _ in range(repeats):
                result = program(np, *arrays)
                np.evaluate(result)
            result[(0,) * result.ndim].item()
            return (time.perf_counter() - begun) * 1e3 / repeats

        once(2)
        # The number is the same on all ranks, because it does not depend on a measured time.
        times[name] = statistics.median(once(repeats) for _ in range(RUNS))
        foreseen[name] = predicted(np, program, arrays)
        arrays = None
    if np.rank() == 0:
        print("times", json.dumps([times, foreseen]), flush=True)


def gpus():
    """The number of GPUs."""
    import phalanx as np

    return np._phalanx._gpu_count()


def run(devices, processes, only, prices):
    """The times of the programs on some devices, in some processes, and those that plans predict
    with a price table that is measured first, if it has a path."""
    command = [sys.executable]
    if processes > 1:
        command += ["-m", "phalanx", "run", "-n", str(processes), sys.executable]
    variables = os.environ | {"PHALANX_THREADS": "1"}
    if prices:
        variables["PHALANX_PRICES"] = prices
    if processes == 1 and devices.startswith("cpu"):
        # One pool of a process: a thread for each device.
        variables["PHALANX_THREADS"] = devices.split(":")[1]
    if prices:
        measuring = [*command, "-m", "phalanx", "info", "--measure"]
        where = {"PHALANX_DEVICES": devices.replace("RANK", "")} if processes == 1 else {}
        table = subprocess.run(measuring, capture_output=True, text=True, check=False,
                               env=variables | where)
        print(table.stdout, table.stderr)
    command += [os.path.abspath(__file__), "--devices", devices]
    command += ["--only", only] if only else []
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
    for line in ended.stdout.splitlines():
        at = line.find("times [")
        if at >= 0:
            return json.loads(line[at + 6 :])
    print(devices, processes, ended.stdout[-2000:], ended.stderr[-2000:])
    return {}, {}


def main(only, predicts):
    """Measures all and prints a table."""
    most = gpus()
    kind = "cuda" if most else "cpu"
    counts = [count for count in (1, 2, 4, 8) if count <= (most or 2)]
    columns, foreseen = {}, {}

    def measured(count, processes, devices):
        prices = os.path.join(predicts, f"{kind}-{count}-{processes}") if predicts else None
        found = run(devices, processes, only, prices)
        columns[count, processes], foreseen[count, processes] = found

    for count in counts:
        numbers = ",".join(map(str, range(count))) if most else str(count)
        measured(count, 1, f"{kind}:{numbers}")
        if count > 1:
            measured(count, count, "cuda:RANK" if most else "cpu:1")
    print(f"{'':18}" + "".join(f"{count:>10} in {processes}" for count, processes in columns))
    for name in cases(SIZES[kind]):
        one = columns[1, 1].get(name)
        if one is None:
            continue
        line = f"{name:18}"
        for times in columns.values():
            now = times.get(name)
            line += f"{'-':>16}" if now is None else f"{now:9.3f} x{one / now:5.2f}"
        print(line)
    if not predicts:
        return
    print("predicted, and divided by measured")
    for name in cases(SIZES[kind]):
        line = f"{name:18}"
        for column, times in foreseen.items():
            ahead, now = times.get(name), columns[column].get(name)
            line += f"{'-':>16}" if not ahead or not now else f"{ahead:9.3f} ÷{ahead / now:5.2f}"
        print(line)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The same programs on one device and on several.")
    parser.add_argument("--only", help="the name of a case")
    parser.add_argument("--predict", metavar="FOLDER", help="predicts the times too")
    parser.add_argument("--devices", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.devices:
        measure(given.devices, given.only)
    else:
        main(given.only, given.predict)
