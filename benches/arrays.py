"""Single operations on large arrays in Python, beside NumPy's: python benches/arrays.py
[--only TEXT].

Prints the milliseconds of NumPy and of ours, the best of all rounds, and NumPy's time over ours.
"""

import sys
import time

import numpy
import phalanx
from timing import least

SECONDS, MOST = 0.5, 40
N = 1 << 24

# Shapes of the variables. `k` holds positions, `q` a quarter of the elements.
SHAPES = {
    "a": (N,),
    "b": (N,),
    "m": (4096, 4096),
    "v": (4096,),
    "s": (1024, 1024),
    "long": (N // 8, 8),
    "wide": (8, N // 8),
    "cube": (1000, 10, 1000),
    "rows": (4096, 1024),
    "q": (N // 4,),
    "r": (N // 4,),
    "h": (N // 16,),
    "i": (N // 16,),
}
FLOATS, INTEGERS = ("f4", "f8"), ("i4", "i8", "u1")
# Statement and dtypes.
CASES = [
    ("a.sum()", (*FLOATS, *INTEGERS, "?")),
    ("a.max()", (*FLOATS, *INTEGERS)),
    ("a.argmax()", (*FLOATS, *INTEGERS)),
    ("a.mean()", FLOATS),
    ("a.var()", FLOATS),
    ("m.sum(0)", (*FLOATS, *INTEGERS)),
    ("m.sum(1)", (*FLOATS, *INTEGERS)),
    ("m.max(0)", FLOATS),
    ("m.max(1)", FLOATS),
    ("m.argmax(0)", FLOATS),
    ("m.argmax(1)", FLOATS),
    ("m.T.sum(1)", FLOATS),
    ("a[::2].sum()", FLOATS),
    ("long.sum(0)", FLOATS),
    ("long.sum(1)", FLOATS),
    ("long.argmax(1)", FLOATS),
    ("wide.sum(0)", FLOATS),
    ("wide.sum(1)", FLOATS),
    ("cube.sum(1)", FLOATS),
    ("cube.sum((0, 2))", FLOATS),
    ("cube.sum((1, 2))", FLOATS),
    ("np.count_nonzero(a)", (*INTEGERS, "?")),
    ("np.isnan(a).any()", FLOATS),
    ("np.sort(q)", (*FLOATS, *INTEGERS)),
    ("np.argsort(q)", (*FLOATS, *INTEGERS)),
    ("np.sort(rows, axis=1)", FLOATS),
    ("np.partition(q, 1000)", FLOATS),
    ("np.median(q)", FLOATS),
    ("np.percentile(q, [5, 50, 95])", FLOATS),
    ("np.unique(h)", (*FLOATS, *INTEGERS)),
    ("np.searchsorted(h, i)", FLOATS),
    ("np.histogram(q, 100)[0]", FLOATS),
    ("np.bincount(q)", ("i4", "i8")),
    ("a + b", (*FLOATS, *INTEGERS)),
    ("a * b", (*FLOATS, *INTEGERS)),
    ("a / b", FLOATS),
    ("q % (r + 1)", (*FLOATS, "i4", "i8")),
    ("q // 3", (*FLOATS, *INTEGERS)),
    ("q ** 2", INTEGERS),
    ("np.sqrt(a)", FLOATS),
    ("np.floor(a)", FLOATS),
    ("np.clip(a, .2, .8)", FLOATS),
    ("np.where(a > b, a, b)", FLOATS),
    ("a > .5", FLOATS),
    ("a == b", INTEGERS),
    ("a.astype('i4')", FLOATS),
    ("a.astype('f8')", ("i4", "i8")),
    ("q[q > .5]", FLOATS),
    ("np.nonzero(q > .5)[0]", FLOATS),
    ("np.concatenate((a, b))", FLOATS),
    ("np.ascontiguousarray(m.T)", FLOATS),
    ("np.ascontiguousarray(a[::-1])", FLOATS),
    ("np.roll(a, 1000)", FLOATS),
    ("np.repeat(q, 4)", FLOATS),
    ("np.tile(q, 4)", FLOATS),
    ("np.diff(a)", FLOATS),
    ("a.cumsum()", FLOATS),
    ("m.cumsum(0)", FLOATS),
    ("a.take(k)", FLOATS),
    ("np.outer(v, v)", FLOATS),
    ("a.dot(b)", FLOATS),
    ("m @ v", FLOATS),
    ("v @ m", FLOATS),
    ("s @ s", (*FLOATS, "i8")),
    ("np.linalg.cholesky(s @ s.T + np.eye(1024))", ("f8",)),
    ("np.linalg.solve(s, s[0])", ("f8",)),
    ("np.linalg.inv(s)", ("f8",)),
    ("np.linalg.qr(s)[1]", ("f8",)),
    ("np.linalg.eigh(s + s.T)[0]", ("f8",)),
    ("np.linalg.svd(s)[1]", ("f8",)),
    ("np.fft.fft(h)", FLOATS),
    ("np.fft.rfft2(s)", FLOATS),
]


def values(generator, name, dtype):
    """NumPy's values of a variable."""
    if name == "k":
        return generator.integers(0, N, N // 4)
    shape = SHAPES[name]
    if dtype in FLOATS:
        return generator.random(shape).astype(dtype)
    if dtype == "?":
        return generator.random(shape) < 0.5
    return generator.integers(0, 100 if dtype == "u1" else 1 << 20, shape).astype(dtype)


def timed(statement, module, names):
    """The milliseconds of a statement whose result is computed."""
    code = compile(statement, "<case>", "eval")
    names = {"np": module, **names}

    def once():
        start = time.perf_counter()
        result = eval(code, names)
        if module is phalanx:
            phalanx.evaluate(result)
        return time.perf_counter() - start

    return least(once, SECONDS, MOST) * 1e3


def main():
    wanted = sys.argv[2] if sys.argv[1:2] == ["--only"] else ""
    generator = numpy.random.default_rng(1)
    for statement, dtypes in CASES:
        for dtype in dtypes:
            label = f"{statement} {dtype}"
            if wanted not in label:
                continue
            used = compile(statement, "<case>", "eval").co_names
            theirs = {
                name: values(generator, name, dtype) for name in ("k", *SHAPES) if name in used
            }
            ours = {name: phalanx.asarray(array).copy() for name, array in theirs.items()}
            phalanx.evaluate(*ours.values())
            numpy_ms = timed(statement, numpy, theirs)
            our_ms = timed(statement, phalanx, ours)
            print(
                f"{label:48} NumPy {numpy_ms:8.2f} ms   ours {our_ms:8.2f} ms   "
                f"ratio {numpy_ms / our_ms:6.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
