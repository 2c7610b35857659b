"""Times a program of `benches/cpu/programs.rs` in NumPy.

    python numpy_peer.py CASE DTYPE INPUT...

`INPUT` is `SHAPE:LOW:HIGH`, as in `4096x4096:0:1`. Prints a JSON document with the median of the
times in milliseconds, and the checksum and magnitude of the result. Inputs, numbers of runs and
checksums are those of `inputs.rs` and `measure.rs`.
"""

import json
import statistics
import sys
import time

import numpy as np

FEWEST = 5
MOST = 15
PATIENCE = 2.0
DTYPES = {"f32": np.float32, "f64": np.float64}
CENTRES = 32


def fraction(start, size):
    """Numbers from 0 up to but not including 1, with 24 bits, exact in every precision."""
    mixed = np.arange(start + 1, start + 1 + size, dtype=np.uint64)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(40)) / float(1 << 24)


def made(text, number, dtype):
    shape, low, high = text.split(":")
    shape, low, high = [int(extent) for extent in shape.split("x")], float(low), float(high)
    values = low + (high - low) * fraction(number << 40, int(np.prod(shape)))
    return values.astype(dtype).reshape(shape)


def normal(x):
    k = 1.0 / (1.0 + 0.2316419 * np.abs(x))
    total = k * 1.330274429 - 1.821255978
    for term in (1.781477937, -0.356563782, 0.319381530):
        total = k * total + term
    tail = 0.3989422804014327 * np.exp(-0.5 * x * x) * k * total
    return np.where(x < 0.0, tail, 1.0 - tail)


def black_scholes(spot, strike, time):
    rate, volatility = 0.02, 0.3
    root = np.sqrt(time)
    d1 = (np.log(spot / strike) + (rate + volatility * volatility / 2.0) * time) / (
        volatility * root
    )
    d2 = d1 - volatility * root
    return spot * normal(d1) - strike * np.exp(-rate * time) * normal(d2)


def stencil5(g):
    centre, north, south = g[1:-1, 1:-1], g[:-2, 1:-1], g[2:, 1:-1]
    west, east = g[1:-1, :-2], g[1:-1, 2:]
    for _ in range(50):
        centre[...] = 0.2 * (centre + north + south + west + east)
    return g


def cg_matfree(b):
    x = np.zeros_like(b)
    r = b.copy()
    p = r.copy()
    rr = (r * r).sum()
    for _ in range(25):
        q = 4.0 * p
        q[1:, :] -= p[:-1, :]
        q[:-1, :] -= p[1:, :]
        q[:, 1:] -= p[:, :-1]
        q[:, :-1] -= p[:, 1:]
        alpha = rr / (p * q).sum()
        x += alpha * p
        r -= alpha * q
        new = (r * r).sum()
        p = r + new / rr * p
        rr = new
    return x


def kmeans(x):
    c = x[:CENTRES].copy()
    squares = (x**2).sum(1, keepdims=True)
    for _ in range(5):
        distances = squares - 2.0 * (x @ c.T) + (c**2).sum(1)
        labels = distances.argmin(1)
        hot = (labels[:, None] == np.arange(CENTRES)).astype(x.dtype)
        c = (hot.T @ x) / np.maximum(hot.sum(0), 1)[:, None]
    return c


def tiny(a):
    x = a.copy()
    for _ in range(1000):
        x = x * 0.999
        x = x + 0.001
    return x


PROGRAMS = {
    "add": lambda a, b: a + b,
    "chain": lambda a, b: np.sqrt(np.sin(a) ** 2 + np.cos(a) ** 2) * a + b,
    "black_scholes": black_scholes,
    "sum": lambda a: a.sum(),
    "sum_axis_0": lambda a: a.sum(0),
    "sum_axis_1": lambda a: a.sum(1),
    "var": lambda a: a.var(),
    "argmax": lambda a: a.argmax(),
    "sqdiff": lambda a, b: ((a - b) ** 2).sum(),
    "transpose": lambda a: a.T.copy(),
    "addtranspose": lambda a: a + a.T,
    "stencil5": stencil5,
    "cg_matfree": cg_matfree,
    "kmeans": kmeans,
    "gemm": lambda a, b: a @ b,
    "tiny": tiny,
}
# Programs that write their input, which is copied for each run.
WRITING = {"stencil5"}


def checksum(result):
    values = np.asarray(result, dtype=np.float64).ravel()
    values = values * ((np.arange(values.size) % 1021 + 1) / 1021.0)
    return float(values.sum()), float(np.abs(values).sum())


def main(name, dtype, *inputs):
    program = PROGRAMS[name]
    arrays = [made(text, number, DTYPES[dtype]) for number, text in enumerate(inputs)]

    def once():
        given = [array.copy() for array in arrays] if name in WRITING else arrays
        start = time.perf_counter()
        result = program(*given)
        return (time.perf_counter() - start) * 1e3, result

    for _ in range(2):
        once()
    start = time.perf_counter()
    times = []
    while len(times) < FEWEST or (len(times) < MOST and time.perf_counter() - start < PATIENCE):
        times.append(once()[0])
    total, magnitude = checksum(once()[1])
    document = {"ms": statistics.median(times), "checksum": total, "magnitude": magnitude}
    print(json.dumps(document))


if __name__ == "__main__":
    main(*sys.argv[1:])
