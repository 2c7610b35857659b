"""The largest errors of functions: python benches/accuracy.py [POINTS] [FILE].

Each function is computed on the devices of `PHALANX_DEVICES` at so many points (a million unless
told otherwise) and compared with the same function in NumPy's long double, which has 64 bits of
fraction on x86-64. Half of the points have exponents from the whole range of the dtype, the others
are numbers as programs have them. Errors are in units in the last place of the exact result, of
logaddexp and logaddexp2 of the largest of operands and result, which may cancel. The bound is that
of the operation's row in ops/src/elementwise/table.rs: how far the result may be from the exact one
as rounded to the dtype, so that half a unit comes to it. Writes a table in Markdown to the file, if
one is given.
"""

import pathlib
import re
import sys

import numpy

import phalanx as np

POINTS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
TABLE = pathlib.Path(__file__).resolve().parents[1] / "ops/src/elementwise/table.rs"

# Where functions are looked at: the least and the greatest number; everywhere otherwise.
WITHIN = {
    "arcsin": (-1, 1),
    "arccos": (-1, 1),
    "arctanh": (-1, 1),
    "arccosh": (1, None),
    "log": (0, None),
    "log2": (0, None),
    "log10": (0, None),
    "log1p": (-1, None),
    "sqrt": (0, None),
}
UNARY = """sqrt cbrt reciprocal square exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos
arctan sinh cosh tanh arcsinh arccosh arctanh deg2rad rad2deg""".split()
BINARY = "divide power hypot arctan2 logaddexp logaddexp2".split()


def bounds():
    """The bound of each operation."""
    rows = re.findall(r'^    \w+ "(\w+)" .*\((\d+) \d+\)$', TABLE.read_text(), re.MULTILINE)
    return {name: int(bound) for name, bound in rows}


def points(dtype, count, seed, low=None, high=None):
    """Numbers of the dtype within an interval."""
    generator = numpy.random.default_rng(seed)
    least, greatest = {"float32": (-140, 127), "float64": (-1060, 1023)}[dtype]
    wide = numpy.exp2(generator.uniform(least, greatest, count // 2).astype(numpy.longdouble))
    usual = generator.uniform(0, 20, count - count // 2)
    numbers = numpy.concatenate([wide.astype(dtype), usual.astype(dtype)])
    numbers *= generator.choice(numpy.array([-1, 1], dtype), count)
    if low is not None and low >= 0:
        numbers = abs(numbers)
    if low == 1:
        numbers = numpy.where(numbers < 1, 1 + numbers, numbers)
    if high == 1 or low == -1:
        inside = generator.uniform(-1, 1, count).astype(dtype)
        numbers = numpy.where(abs(numbers) > 1, inside if high == 1 else abs(numbers), numbers)
    return numbers.astype(dtype)


def error(found, exact, dtype, operands):
    """The largest error in units in the last place, and where it is. Units are also those of the
    operands that are given."""
    information = numpy.finfo(dtype)
    with numpy.errstate(all="ignore"):
        rounded = exact.astype(dtype)
        sizes = [numpy.spacing(abs(one)) for one in [rounded, *operands]]
        unit = numpy.max(sizes, axis=0).astype(numpy.longdouble)
        errors = abs(found.astype(numpy.longdouble) - exact) / unit
    same = (found == rounded) | (numpy.isnan(found) & numpy.isnan(exact))
    # The largest number for what is a little larger than that, and infinity, are a unit apart.
    edge = (abs(rounded) >= information.max) | (abs(found) >= information.max)
    near = edge & (abs(numpy.clip(found, -information.max, information.max)) == information.max)
    errors = numpy.where(same, numpy.minimum(numpy.nan_to_num(errors, nan=0.0), 0.5), errors)
    errors = numpy.where(near & ~same, 1.0, errors)
    errors = numpy.where(numpy.isnan(errors), numpy.inf, errors)
    at = int(errors.argmax())
    return float(errors[at]), at


def measured(name, dtype, operands):
    """The largest error of a function at some points."""
    with numpy.errstate(all="ignore"):
        exact = getattr(numpy, name)(*(one.astype(numpy.longdouble) for one in operands))
    with np.errstate(all="ignore"):
        found = getattr(np, name)(*map(np.asarray, operands)).get()
    found = found.astype(dtype)
    cancels = operands if name.startswith("logaddexp") else []
    largest, at = error(found, exact, dtype, cancels)
    return largest, [float(one[at]) for one in operands]


def main():
    """Measures all functions and prints them."""
    known = bounds()
    lines = ["| Function | Bound | f32 | f64 |", "|---|---|---|---|"]
    for name in UNARY + BINARY:
        low, high = WITHIN.get(name, (None, None))
        cells = []
        for dtype in ("float32", "float64"):
            first = points(dtype, POINTS, 1, low, high)
            operands = [first]
            if name in BINARY:
                operands.append(points(dtype, POINTS, 2))
            if name == "power":
                operands = [abs(first), numpy.clip(operands[1], -50, 50)]
            largest, where = measured(name, dtype, operands)
            cells.append(f"{largest:.2f}")
            if largest > known[name] + 0.5:
                print(f"{name} {dtype}: {largest:.2f} units at {where}, bound {known[name]}")
        lines.append(f"| `{name}` | {known[name]} | {' | '.join(cells)} |")
    print("\n".join(lines))
    if len(sys.argv) > 2:
        pathlib.Path(sys.argv[2]).write_text("\n".join(lines) + "\n")


main()
