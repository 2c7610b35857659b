"""Speed on one GPU compared with CuPy, PyTorch and JAX: python benches/gpu.py [--only NAME,NAME].

Each case is a plain NumPy program. It runs unchanged with Phalanx and with CuPy, and with PyTorch
and JAX if they have an equivalent program. Times are milliseconds, the median of seven runs. Each
run computes the result, waits for it and reads an element. A run of a case under a millisecond
enqueues twenty results, and the time is divided by twenty. *alone* is one call with its wait.
*limit* is the number of bytes that must move, divided by the copy bandwidth measured at the start.
The sum of the result is compared with CuPy's and, with `--sums FILE`, with NumPy's sums in the
file: `python benches/gpu.py --numpy FILE` computes them on the host, without a GPU, and adds them
to the file. Each measured case adds a row to the file of `--json FILE`.
"""

import argparse
import json
import os
import statistics
import time

import numpy

RUNS = 7
PEERS = ("cupy", "torch", "jax")
# Each case with its name, operands and programs, in the order in which they are measured.
CASES = []
# The modules to measure; those that are not requested, or not installed, stay None.
PX = CUPY = TORCH = JAX = None
# Bytes a second of a large copy.
BANDWIDTH = None


def options():
    """The options of the command line."""
    parser = argparse.ArgumentParser(description="Speed on one GPU beside CuPy, PyTorch and JAX.")
    parser.add_argument("--only", metavar="NAME,NAME", help="cases, by their first words")
    parser.add_argument("--peers", metavar="NAME,NAME", default=",".join(PEERS), help="or none")
    parser.add_argument("--json", metavar="FILE", help="the file to write a row for each case to")
    sums = parser.add_mutually_exclusive_group()
    sums.add_argument("--sums", metavar="FILE", help="a file with the sums of NumPy's results")
    sums.add_argument("--numpy", metavar="FILE", help="a file to add sums of NumPy to")
    asked = parser.parse_args()
    wanted = None if asked.only is None else asked.only.split(",")
    for name in wanted or []:
        if not any(is_meant(name, row) for row in CASES):
            parser.error(f"no case {name!r}; there are {', '.join(row[0] for row in CASES)}")
    asked.cases = [
        row for row in CASES if wanted is None or any(is_meant(name, row) for name in wanted)
    ]
    asked.peers = [] if asked.peers == "none" else asked.peers.split(",")
    for name in asked.peers:
        if name not in PEERS:
            parser.error(f"no peer {name!r}; there are {', '.join(PEERS)}, or none")
    if asked.sums is not None and not os.path.exists(asked.sums):
        parser.error(f"there is no file {asked.sums}")
    return asked


def is_meant(name, row):
    """Whether a case has this name, or one that begins with its words."""
    return row[0] == name or row[0].startswith(name + " ")


def load(peers):
    """Imports the module to measure, and the peers that are installed."""
    global PX, CUPY, TORCH, JAX
    import phalanx

    found = {}
    for name in peers:
        try:
            found[name] = __import__(name)
        except ImportError:
            pass
    PX, CUPY, TORCH, JAX = phalanx, *(found.get(name) for name in PEERS)
    if JAX is not None:
        JAX.config.update("jax_enable_x64", True)


def sums_of(path):
    """The sums of the results of cases, from a file."""
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    return {row["case"]: row["sum"] for row in rows}


def wait_phalanx(result):
    PX.evaluate(result)
    return float(result.ravel()[0].real)


def wait_cupy(result):
    value = float(result.ravel()[0].real)
    CUPY.cuda.Device().synchronize()
    return value


def wait_torch(result):
    TORCH.cuda.synchronize()
    return float(result.ravel()[0].real)


def wait_jax(result):
    result = JAX.block_until_ready(result)
    return float(result.ravel()[0].real)


def start(result):
    """Starts the computation of a lazy result, without waiting for it."""
    if isinstance(result, PX.ndarray):
        PX.evaluate(result)


def checksum(result):
    """The sum of a result, in double precision; for complex numbers, of their magnitudes."""
    if result.dtype.kind == "c":
        result = abs(result)
    total = float(result.astype("float64").sum())
    return total


def timed(program, wait):
    """The median of the milliseconds of some runs, and the milliseconds of one call alone."""
    wait(program())
    begun = time.perf_counter()
    wait(program())
    single = (time.perf_counter() - begun) * 1e3
    repeats = 20 if single < 1.2 else 1
    times = []
    for _ in range(RUNS):
        begun = time.perf_counter()
        for _ in range(repeats):
            result = program()
            start(result)
        wait(result)
        times.append((time.perf_counter() - begun) * 1e3 / repeats)
    return statistics.median(times), single


def sum_of_numpy(path, name, make, program):
    """Adds the sum of the result that NumPy computes to the file of sums."""
    begun = time.perf_counter()
    with numpy.errstate(all="ignore"):
        total = checksum(numpy.asarray(program(numpy, *make("numpy"))))
    print(f"{name:18} {total!r} in {time.perf_counter() - begun:.1f} s", flush=True)
    with open(path, "a") as file:
        file.write(json.dumps({"case": name, "sum": total}) + "\n")


def case(name, make, bytes_moved, program, torch_program=None, jax_program=None):
    """Adds a program to measure: `make(module)` returns its operands."""
    CASES.append((name, make, bytes_moved, program, torch_program, jax_program))


def measure(name, make, bytes_moved, program, torch_program, jax_program, sums, report):
    """Measures a program and adds a row to the report, if there is one."""
    row = {"case": name, "unit": "ms", "limit": bytes_moved / BANDWIDTH * 1e3}
    plans = [("phalanx", PX, wait_phalanx, program), ("cupy", CUPY, wait_cupy, program)]
    if torch_program is not None:
        plans.append(("torch", TORCH, wait_torch, torch_program))
    if jax_program is not None:
        plans.append(("jax", JAX, wait_jax, jax_program))
    for which, module, wait, body in plans:
        if module is None:
            continue
        try:
            operands = make(which)
            inner = JAX.jit(lambda *o: body(JAX.numpy, *o)) if which == "jax" else None
            run = (lambda: inner(*operands)) if inner else (lambda: body(module, *operands))
            row[which], row[which + "_alone"] = timed(run, wait)
            if which == "phalanx":
                row["extra_memory"] = extra_memory(operands, run)
            if which in ("phalanx", "cupy"):
                # New operands, because programs may have written into the old ones.
                operands = None
                operands = make(which)
                row[which + "_sum"] = checksum(run())
        except Exception as error:
            row[which] = None
            print(f"{name} {which}: {type(error).__name__}: {str(error)[:600]}")
        operands = run = inner = None
        release(which)
    if name in sums:
        row["numpy_sum"] = sums[name]
    if report is not None:
        with open(report, "a") as file:
            file.write(json.dumps(row) + "\n")
    shown = "  ".join(
        f"{which} {row[which]:9.3f}" if row.get(which) else f"{which}         -"
        for which in ("phalanx", "cupy", "torch", "jax")
        if which in row
    )
    part = row["limit"] / row["phalanx"] if row.get("phalanx") else 0
    ours = row.get("phalanx_sum")
    others = {which: row[which + "_sum"] for which in ("cupy", "numpy") if which + "_sum" in row}
    unlike = [which for which, other in others.items() if not near(ours, other)]
    doubt = f"  sum as {'+'.join(others)}" if others else ""
    if unlike:
        doubt = f"  WRONG {ours} {others}"
    extra = f"  memory +{row.get('extra_memory', 0):.1%}"
    print(
        f"{name:18} limit {row['limit']:8.3f}  {shown}  fraction {part:.2f}"
        f"  alone {row.get('phalanx_alone', 0):8.3f}{extra}{doubt}",
        flush=True,
    )


def near(left, right):
    """Whether two sums are equal up to rounding. NaN is near no number."""
    return left is not None and abs(left - right) <= 1e-5 * max(abs(left), abs(right), 1e-300)


def extra_memory(operands, run):
    """The peak of the device's memory beyond operands and result, as a fraction of their bytes."""
    import phalanx.cuda

    pool = phalanx.cuda.get_default_memory_pool()
    for operand in operands:
        if isinstance(operand, PX.ndarray):
            wait_phalanx(operand)
    pool.reset_peak()
    before = pool.used_bytes()
    result = run()
    wait_phalanx(result)
    inputs = sum(getattr(operand, "nbytes", 0) for operand in operands)
    return (pool.peak_bytes() - before - result.nbytes) / (inputs + result.nbytes)


def release(which):
    """Frees memory for the next module."""
    import gc

    gc.collect()
    if which == "cupy":
        CUPY.get_default_memory_pool().free_all_blocks()
    if which == "torch":
        TORCH.cuda.empty_cache()
    if which == "phalanx":
        PX.evaluate(PX.zeros(1))
    # After heavy work a GPU draws so much power that the next work is up to 15 % slower.
    time.sleep(0.3)


def random(which, shape, dtype, seed=1):
    """Pseudorandom numbers between 0 and 1, which are the same in every module."""
    count = int(numpy.prod(shape))
    factor, modulus = 2654435761 + 2 * seed, 4294967296
    if which == "torch":
        numbers = TORCH.arange(count, device="cuda", dtype=TORCH.int64) * factor % modulus
        return (numbers / modulus).to(getattr(TORCH, dtype)).reshape(shape)
    module = {"phalanx": PX, "cupy": CUPY, "jax": JAX and JAX.numpy, "numpy": numpy}[which]
    numbers = module.arange(count, dtype="int64") * factor % modulus
    array = (numbers / modulus).astype(dtype).reshape(shape)
    if which == "phalanx":
        PX.evaluate(array)
    return array


def arrays(count, shape, dtype):
    def make(which):
        operands = []
        for seed in range(count):
            operands.append(random(which, shape, dtype, seed))
        return operands

    return make


def bandwidth():
    """The bytes that a large copy reads and writes in a second."""
    size = 1 << 30
    if TORCH is not None:
        a = TORCH.empty(size, dtype=TORCH.uint8, device="cuda")
        b = TORCH.empty_like(a)
        for _ in range(3):
            b.copy_(a)
        TORCH.cuda.synchronize()
        begun, end = TORCH.cuda.Event(enable_timing=True), TORCH.cuda.Event(enable_timing=True)
        begun.record()
        for _ in range(20):
            b.copy_(a)
        end.record()
        TORCH.cuda.synchronize()
        return 2 * size * 20 / (begun.elapsed_time(end) / 1e3)
    a = PX.zeros(size // 8)
    best, _ = timed(lambda: a + 1, wait_phalanx)
    return 2 * size / (best / 1e3)


BIG = 1 << 28
SIDE = 16384


def chain(np, a, b):
    return np.sqrt(np.sin(a) ** 2 + np.cos(a) ** 2) * a + b


def black_scholes(np, s, k, t):
    r, v = 0.02, 0.3
    s = s * 100 + 10
    k = k * 100 + 10
    t = t + 0.1

    def normal(x):
        z = 1 / (1 + 0.2316419 * abs(x))
        poly = z * (0.319381530 + z * (-0.356563782 + z * (1.781477937 + z * (-1.821255978 + z * 1.330274429))))
        tail = np.exp(-0.5 * x * x) * 0.3989422804014327 * poly
        return np.where(x >= 0, 1 - tail, tail)

    root = v * np.sqrt(t)
    d1 = (np.log(s / k) + (r + v * v / 2) * t) / root
    d2 = d1 - root
    return s * normal(d1) - k * np.exp(-r * t) * normal(d2)


def stencil5(np, g):
    for _ in range(50):
        g[1:-1, 1:-1] = 0.2 * (g[1:-1, 1:-1] + g[:-2, 1:-1] + g[2:, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:])
    return g


def cg_matfree(np, b):
    def laplacian(x):
        y = 4 * x
        y[1:] -= x[:-1]
        y[:-1] -= x[1:]
        y[:, 1:] -= x[:, :-1]
        y[:, :-1] -= x[:, 1:]
        return y

    x = np.zeros_like(b)
    r = b.copy()
    p = r.copy()
    rs = (r * r).sum()
    for _ in range(25):
        ap = laplacian(p)
        alpha = rs / (p * ap).sum()
        x += alpha * p
        r -= alpha * ap
        new = (r * r).sum()
        p = r + (new / rs) * p
        rs = new
    return x


def small(np, x):
    for _ in range(30):
        x = x - x.mean(axis=0)
        x = x / (1 + abs(x).max(axis=1)[:, None])
    return x


def add_at(np, values, positions):
    table = np.zeros(10**6, "float32")
    np.add.at(table, positions, values)
    return table


def kmeans(np, x, c):
    for _ in range(5):
        d = (x * x).sum(axis=1)[:, None] - 2 * (x @ c.T) + (c * c).sum(axis=1)
        label = d.argmin(axis=1)
        hot = (label[:, None] == np.arange(c.shape[0])).astype(x.dtype)
        c = (hot.T @ x) / hot.sum(axis=0)[:, None]
    return c


for dtype, size in (("float32", 4), ("float64", 8)):
    short = "f32" if size == 4 else "f64"
    case(f"add {short}", arrays(2, BIG, dtype), 3 * size * BIG, lambda np, a, b: a + b, lambda np, a, b: a + b, lambda np, a, b: a + b)
    count = BIG if size == 4 else BIG // 2
    case(f"chain {short}", arrays(2, count, dtype), 3 * size * count, chain, chain, chain)
    case(f"black {short}", arrays(3, BIG, dtype), 4 * size * BIG, black_scholes, None, black_scholes)
SUM = lambda np, a: a.sum()
case("sum", arrays(1, BIG, "float64"), 8 * BIG, SUM, SUM, SUM)
case("sum f32", arrays(1, BIG, "float32"), 4 * BIG, SUM, SUM, SUM)
case("var", arrays(1, BIG, "float64"), 8 * BIG, lambda np, a: a.var(), lambda np, a: a.var(), lambda np, a: a.var())
case("argmax", arrays(1, BIG, "float64"), 8 * BIG, lambda np, a: a.argmax(), lambda np, a: a.argmax(), lambda np, a: a.argmax())
for axis in (0, 1):
    for name in ("sum", "var", "argmax"):
        reduce = lambda np, a, name=name, axis=axis: getattr(a, name)(axis)
        case(f"{name} axis {axis}", arrays(1, (SIDE, SIDE), "float64"), 8 * SIDE * SIDE, reduce, reduce, reduce)
for shape in ((10_000_000, 8), (8, 10_000_000), (1000, 10, 1000)):
    elements = int(numpy.prod(shape))
    for dtype, size in (("float32", 4), ("float64", 8)):
        for axis in range(len(shape)):
            reduce = lambda np, a, axis=axis: a.sum(axis)
            kept = elements // shape[axis]
            case(f"sum {'x'.join(map(str, shape))} {axis} {size}", arrays(1, shape, dtype), size * (elements + kept), reduce, reduce)
case("sqdiff", arrays(2, BIG, "float32"), 8 * BIG, lambda np, a, b: ((a - b) ** 2).sum(), lambda np, a, b: ((a - b) ** 2).sum(), lambda np, a, b: ((a - b) ** 2).sum())
case("transpose", arrays(1, (SIDE, SIDE), "float32"), 8 * SIDE * SIDE, lambda np, a: a.T.copy() if np is not TORCH else a.T.contiguous(), lambda np, a: a.T.contiguous())
case("addtranspose", arrays(1, (SIDE, SIDE), "float64"), 16 * SIDE * SIDE, lambda np, a: a + a.T, lambda np, a: a + a.T, lambda np, a: a + a.T)
case("stencil5", arrays(1, (SIDE, SIDE), "float64"), 50 * 16 * SIDE * SIDE, stencil5)
case("cg_matfree", arrays(1, (8192, 8192), "float64"), 25 * 6 * 8 * 8192 * 8192, cg_matfree)
case("small", arrays(1, (64, 64), "float64"), 60 * 16 * 64 * 64, small)
case("gemm f64", arrays(2, (SIDE, SIDE), "float64"), 3 * 8 * SIDE * SIDE, lambda np, a, b: a @ b)
case("gemm f32", arrays(2, (2 * SIDE, 2 * SIDE), "float32"), 12 * 4 * SIDE * SIDE, lambda np, a, b: a @ b)


def points_and_centres(which):
    """Points, and some of them as first centres, so that no centre loses all points and is NaN."""
    points = random(which, (1 << 24, 16), "float32")
    centres = points[:: 1 << 19].copy()
    if which == "phalanx":
        PX.evaluate(centres)
    return [points, centres]


case("kmeans", points_and_centres, 5 * 4 * 16 * (1 << 24), kmeans)
case("cumsum", arrays(1, BIG, "float64"), 16 * BIG, lambda np, a: a.cumsum(), lambda np, a: a.cumsum(0))


def table_and_positions(which):
    table = random(which, BIG, "float32")
    positions = (random(which, 1 << 26, "float64", 5) * BIG).astype("int64") if which != "torch" else None
    if which == "phalanx":
        PX.evaluate(positions)
    return [table, positions]


case("take", table_and_positions, (8 + 4 + 32) * (1 << 26), lambda np, a, i: a.take(i))
case("sort", arrays(1, 1 << 27, "float32"), 8 << 27, lambda np, a: np.sort(a), lambda np, a: a.sort()[0])
case("argsort", arrays(1, 1 << 26, "float32"), 12 << 26, lambda np, a: np.argsort(a), lambda np, a: a.argsort())
case("mask", arrays(1, BIG, "float32"), 6 * BIG, lambda np, a: a[a > 0.5], lambda np, a: a[a > 0.5])


def positive(which):
    """A matrix whose lower triangle is that of a positive definite one."""
    a = random(which, (SIDE, SIDE), "float64") - 0.5
    if which == "torch":
        a.diagonal().add_(SIDE)
        return [a]
    module = {"cupy": CUPY, "phalanx": PX, "numpy": numpy}[which]
    a.ravel()[:: SIDE + 1] += SIDE
    if which == "phalanx":
        module.evaluate(a)
    return [a]


def system(which):
    return positive(which) + [random(which, (SIDE, 16), "float64", 2)]


def grid_matrix(which):
    """The 5-point matrix of a grid in rows, and a vector."""
    side, module = 4096, {"cupy": CUPY, "phalanx": PX, "numpy": numpy}[which]
    if which == "cupy":
        from cupyx.scipy import sparse
    elif which == "numpy":
        from scipy import sparse
    else:
        from phalanx.scipy import sparse
    points = module.arange(side * side, dtype="int64")
    row, column = points // side, points % side
    # An entry outside of the grid becomes a zero on the diagonal.
    steps = [(row > 0, -side), (column > 0, -1), (row >= 0, 0), (column < side - 1, 1), (row < side - 1, side)]
    columns = module.stack([module.where(inside, points + step, points) for inside, step in steps], axis=1)
    values = module.stack([module.where(inside, 4.0 if step == 0 else -1.0, 0.0) for inside, step in steps], axis=1)
    starts = module.arange(side * side + 1, dtype="int64") * 5
    matrix = sparse.csr_matrix((values.ravel(), columns.ravel(), starts), shape=(side * side, side * side))
    return [matrix, random(which, side * side, "float64", 3)]


FFTN = lambda np, a: np.fft.fftn(a)
for side in (512, 1024):
    # The transform along each of the three axes reads and writes all elements.
    case(f"fftn {side}", arrays(1, (side,) * 3, "complex64"), 3 * 16 * side**3, FFTN, FFTN, FFTN)
CHOLESKY, SOLVE = lambda np, a: np.linalg.cholesky(a), lambda np, a, b: np.linalg.solve(a, b)
case("cholesky", positive, 16 * SIDE * SIDE, CHOLESKY, CHOLESKY)
case("solve", system, 16 * SIDE * SIDE, SOLVE, SOLVE)
# Values, columns of 4 bytes, starts, the vector that is read and the vector that is written.
case("spmv", grid_matrix, (5 * 12 + 4 + 16) << 24, lambda np, a, x: a @ x)
case("bincount", lambda which: [random(which, 10**7, "float64"), (random(which, 10**7, "float64", 2) * 100).astype("int64")], 16 * 10**7, lambda np, w, i: np.bincount(i, weights=w, minlength=100))
case("searchsorted", lambda which: [random(which, 1 << 24, "float64"), random(which, 1 << 20, "float64", 2)], 8 << 24, lambda np, v, a: np.searchsorted(np.sort(a), v))
case("add.at", lambda which: [random(which, 10**7, "float32"), (random(which, 10**7, "float64", 2) * 10**6).astype("int64")], 12 * 10**7, add_at)
case("argsort c64", lambda which: [random(which, 1 << 24, "float32") + 1j * random(which, 1 << 24, "float32", 2)], 16 << 24, lambda np, a: np.argsort(a))


def main():
    global BANDWIDTH
    asked = options()
    if asked.numpy is not None:
        for name, make, _, program, _, _ in asked.cases:
            sum_of_numpy(asked.numpy, name, make, program)
        return
    sums = {} if asked.sums is None else sums_of(asked.sums)
    if asked.json is not None:
        # Rows of an earlier run are removed, because rows are appended one by one.
        open(asked.json, "w").close()
    load(asked.peers)
    BANDWIDTH = bandwidth()
    print(f"copy {BANDWIDTH / 1e12:.2f} TB/s")
    for row in asked.cases:
        measure(*row, sums, asked.json)


if __name__ == "__main__":
    main()
