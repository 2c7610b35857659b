"""The largest errors of functions: python benches/accuracy.py [--points N] [--only TEXT]
[--into PAGE COLUMN].

Each function is computed on the devices of `PHALANX_DEVICES` at N points (default ten million)
and compared with the same function in NumPy's long double, which has 64 bits of fraction on x86-64.
Half of the points have exponents from the whole range of the dtype; the others are numbers typical
of programs. For f16 and bf16 the points are all 65,536 values, or random pairs of them.
Errors are in units in the last place of the exact result. For logaddexp and logaddexp2, whose terms
may cancel, the unit is that of the largest of operands and result; for complex numbers, that of the
larger component. The bound is in the operation's row in ops/src/elementwise/table.rs. It is the
allowed distance from the exact result rounded to the dtype, so half a unit is added to it here.

The reference has an error of a few units of 64 bits, which is 0.01 units of f64. NumPy's complex
log1p suffers from cancellation, so this program has its own. The conformance tests check complex
results that are not finite. The errors of some complex functions are bounded in a part of the plane
only, as those of NumPy, and are measured there. exp2 and power are the exponential of a product,
whose rounding error grows with the product (imaginary parts up to 4; bases from 1/e to e, exponents
up to 4). A quotient needs the reciprocal of the divisor, and loses bits of a numerator near zero.
sign needs a modulus that is a normal number. The power of real numbers is measured with exponents
up to 50.
The program prints tables in Markdown, and writes the errors into the columns of a page's tables
whose names begin with COLUMN, such as `CPU` of docs/accuracy.md. It fails if a bound is exceeded.
"""

import argparse
import pathlib
import re
import sys

import numpy

import phalanx as np

OPTIONS = argparse.ArgumentParser()
OPTIONS.add_argument("--points", type=int, default=10_000_000)
OPTIONS.add_argument("--only", default="")
OPTIONS.add_argument("--into", nargs=2, metavar=("PAGE", "COLUMN"))
# Points that are computed at a time.
CHUNK = 1 << 20
TABLE = pathlib.Path(__file__).resolve().parents[1] / "ops/src/elementwise/table.rs"

# The intervals in which functions are measured; other functions are measured everywhere.
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
arctan sinh cosh tanh arcsinh arccosh arctanh deg2rad radians rad2deg degrees""".split()
BINARY = "divide power hypot arctan2 logaddexp logaddexp2".split()
COMPLEX_UNARY = """absolute sign reciprocal square sqrt exp exp2 expm1 log log2 log10 log1p sin cos
tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh""".split()
COMPLEX_BINARY = "multiply divide power".split()

# Bits of the fraction, the exponent of the smallest normal number, and the largest number.
FORMATS = {
    "float16": (10, -14, 65504.0),
    "bfloat16": (7, -126, 2.0**127 * (2 - 2.0**-7)),
    "float32": (23, -126, float(numpy.finfo("f4").max)),
    "float64": (52, -1022, float(numpy.finfo("f8").max)),
}


def bounds():
    """The bounds of each operation, of real and of complex numbers."""
    rows = re.findall(r'^    \w+ "(\w+)" .*\((\d+) (\d+)\)$', TABLE.read_text(), re.MULTILINE)
    return {name: (int(real), int(of_complex)) for name, real, of_complex in rows}


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


def inside(numbers, low, high):
    """The numbers within an interval, repeated."""
    keep = numpy.ones(len(numbers), bool)
    if low is not None:
        keep &= numbers >= low
    if high is not None:
        keep &= numbers <= high
    return numpy.resize(numbers[keep], len(numbers))


def halves(dtype, count, seed):
    """All numbers of a type of 16 bits, in long double and in the type itself."""
    bits = numpy.resize(numpy.arange(1 << 16, dtype="u2"), max(count, 1 << 16))
    if seed % 10 > 1:
        bits = numpy.random.default_rng(seed).permutation(bits)
    if dtype == "float16":
        numbers = bits.view("f2").astype("f4")
    else:
        numbers = (bits.astype("u4") << 16).view("f4")
    return numpy.where(numpy.isnan(numbers), numpy.float32(1), numbers)


def unit(exact, dtype):
    """A unit in the last place of each number."""
    bits, least, largest = FORMATS[dtype]
    sizes = numpy.minimum(abs(exact), numpy.longdouble(largest))
    # Numbers in [1, 2) have the exponent 0.
    exponents = numpy.maximum(numpy.frexp(numpy.where(sizes > 0, sizes, 0.0))[1] - 1, least)
    exponents = numpy.where(sizes > 0, exponents, least)
    return numpy.ldexp(numpy.longdouble(1), exponents - bits)


def error(found, exact, dtype, operands):
    """The largest error in units in the last place, and its position. The unit is at least that of
    the given operands."""
    largest = FORMATS[dtype][2]
    with numpy.errstate(all="ignore"):
        last = numpy.max([unit(one, dtype) for one in [exact, *operands]], axis=0)
        # Numbers that exceed the largest one by at least half a unit round to infinity.
        beyond = abs(exact) >= largest + unit(numpy.longdouble(largest), dtype) / 2
        exact = numpy.where(beyond, numpy.copysign(numpy.longdouble(numpy.inf), exact), exact)
        errors = abs(found - exact) / last
    same = (found == exact) | (numpy.isnan(found) & numpy.isnan(exact))
    errors = numpy.where(same, 0.0, errors)
    # The largest number and infinity differ by one unit.
    one_inf = numpy.isinf(found) ^ numpy.isinf(exact)
    edge = one_inf & (abs(numpy.clip(found, -largest, largest)) == largest)
    edge &= abs(numpy.clip(exact, -largest, largest)) >= largest * (1 - 2.0**-6)
    errors = numpy.where(edge, 1.0, errors)
    errors = numpy.where(numpy.isnan(errors), numpy.inf, errors)
    at = int(errors.argmax())
    return float(errors[at]), at


def computed(name, dtype, operands):
    """A function of real numbers on the devices, in long double."""
    narrow = [np.asarray(one).astype(dtype) for one in operands]
    with np.errstate(all="ignore"):
        found = getattr(np, name)(*narrow)
    wide = found.astype("float64") if dtype == "float64" else found.astype("float32")
    return wide.get().astype(numpy.longdouble)


def measured(name, dtype, operands):
    """The largest error of a function at some points."""
    with numpy.errstate(all="ignore"):
        exact = getattr(numpy, name)(*(one.astype(numpy.longdouble) for one in operands))
    cancels = [one.astype(numpy.longdouble) for one in operands if name.startswith("logaddexp")]
    largest, at = error(computed(name, dtype, operands), exact, dtype, cancels)
    return largest, [float(one[at]) for one in operands]


def log1p(number):
    """The logarithm of `1 + number` without cancellation."""
    x, y = number.real, number.imag
    # Elsewhere cancellation is small compared with the angle.
    near = numpy.maximum(abs(x), abs(y)) < 0.5
    real = numpy.where(near, numpy.log1p(x * (2 + x) + y * y) / 2, numpy.log(numpy.hypot(1 + x, y)))
    result = real.astype(numpy.clongdouble)
    result.imag = numpy.arctan2(y, 1 + x)
    return result


def measured_complex(name, dtype, operands):
    """The largest error of a function of complex numbers, over finite results."""
    real = {"complex64": "float32", "complex128": "float64"}[dtype]
    with numpy.errstate(all="ignore"):
        function = log1p if name == "log1p" else getattr(numpy, name)
        exact = function(*(one.astype(numpy.clongdouble) for one in operands))
    with np.errstate(all="ignore"):
        found = getattr(np, name)(*map(np.asarray, operands)).get()
    found = found.astype(numpy.clongdouble)
    exact = numpy.asarray(exact).astype(numpy.clongdouble)
    largest = FORMATS[real][2]
    finite = (abs(exact.real) <= largest / 4) & (abs(exact.imag) <= largest / 4)
    found, exact = found[finite], exact[finite]
    with numpy.errstate(all="ignore"):
        last = unit(numpy.maximum(abs(exact.real), abs(exact.imag)), real)
        errors = numpy.maximum(abs(found.real - exact.real), abs(found.imag - exact.imag)) / last
    errors = numpy.where(numpy.isnan(errors), numpy.inf, errors)
    at = int(errors.argmax())
    return float(errors[at]), [complex(one[finite][at]) for one in operands], int(finite.sum())


def operands_of(name, dtype, complexes, count, chunk):
    """The points of a chunk, at which a function is measured."""
    first_seed = 10 * chunk
    if complexes:
        real = {"complex64": "float32", "complex128": "float64"}[dtype]

        def numbers(seed):
            result = numpy.empty(count, dtype)
            result.real = points(real, count, first_seed + seed)
            result.imag = points(real, count, first_seed + seed + 1)
            # The shift pairs wide exponents also with usual ones.
            result.imag = numpy.roll(result.imag, count // 4)
            return result

        rng = numpy.random.default_rng(first_seed + 9)
        first, second = numbers(1), numbers(3)
        if name == "power":
            sizes, angles = rng.uniform(-1, 1, count), rng.uniform(-numpy.pi, numpy.pi, count)
            first = numpy.exp(sizes + 1j * angles).astype(dtype)
            second = rng.uniform(-4, 4, count) + 1j * rng.uniform(-4, 4, count)
        if name == "sign":
            least = 2.0 ** FORMATS[real][1]
            first = numpy.where(abs(first) < least, 1 + first, first)
        if name == "exp2":
            first.imag = rng.uniform(-4, 4, count)
        if name == "divide":
            least = 2.0 ** (FORMATS[real][1] + 2)
            second = numpy.where(abs(second) < least, 1 + second, second)
            first = numpy.where(abs(first) < least * 2.0 ** FORMATS[real][0], 1 + first, first)
        return [first, second.astype(dtype)] if name in COMPLEX_BINARY else [first]
    low, high = WITHIN.get(name, (None, None))
    if dtype in ("float16", "bfloat16"):
        operands = [inside(halves(dtype, count, first_seed + 1), low, high)]
        if name in BINARY:
            operands.append(halves(dtype, count, first_seed + 2))
    else:
        operands = [points(dtype, count, first_seed + 1, low, high)]
        if name in BINARY:
            operands.append(points(dtype, count, first_seed + 2))
    if name == "power":
        operands = [abs(operands[0]), numpy.clip(operands[1], -50, 50)]
    return operands


def largest_error(name, dtype, complexes, wanted):
    """The largest error of a function in a dtype over at least `wanted` points, and its place."""
    if dtype in ("float16", "bfloat16") and name in UNARY:
        wanted = 1 << 16
    largest, where, done, finite, chunk = -1.0, None, 0, 0, 0
    while done < wanted:
        count = min(CHUNK, max(wanted - done, 1 << 16))
        operands = operands_of(name, dtype, complexes, count, chunk)
        if complexes:
            found, at, number = measured_complex(name, dtype, operands)
            finite += number
        else:
            found, at = measured(name, dtype, operands)
        if found > largest:
            largest, where = found, at
        done, chunk = done + count, chunk + 1
    if complexes and finite < done // 4:
        print(f"{name} {dtype}: finite at {finite} points only")
    return largest, where


BEYOND = []  # the functions that exceed their bounds


# The dtypes by their names in the page.
LONG = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
LONG |= {"c64": "complex64", "c128": "complex128"}


def errors_of(names, dtypes, complexes, options):
    """The largest errors by function and dtype; prints them as a table."""
    known, errors = bounds(), {}
    print(f"| Function | Bound | {' | '.join(dtypes)} |")
    print("|---" * (len(dtypes) + 2) + "|")
    for name in names:
        if options.only not in name:
            continue
        bound, cells = known[name][complexes], []
        for dtype in dtypes:
            largest, where = largest_error(name, dtype, complexes, options.points)
            errors[name, dtype] = f"{largest:.2f}"
            cells.append(f"{largest:.2f}")
            if largest > bound + 0.5:
                print(f"{name} {dtype}: {largest:.2f} units at {where}, bound {bound}", flush=True)
                BEYOND.append(name)
        print(f"| `{name}` | {bound} | {' | '.join(cells)} |", flush=True)
    return errors


def write_into(page, column, errors):
    """Replaces the cells of a page's columns whose names begin with `column`."""
    lines, heads = page.read_text().split("\n"), []
    for at, line in enumerate(lines):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == "Function":
            heads = cells
        name = cells[0].strip("`")
        for place, head in enumerate(heads):
            dtype = LONG.get(head.removeprefix(f"{column} "))
            if (name, dtype) in errors and place < len(cells):
                cells[place] = errors[name, dtype]
                lines[at] = f"| {' | '.join(cells)} |"
        if not line.startswith("|"):
            heads = []
    page.write_text("\n".join(lines))


def main():
    """Measures all functions and prints them."""
    options = OPTIONS.parse_args()
    real = ["float16", "bfloat16", "float32", "float64"]
    errors = errors_of(UNARY + BINARY, real, False, options)
    print()
    names = COMPLEX_UNARY + COMPLEX_BINARY
    of_complex = errors_of(names, ["complex64", "complex128"], True, options)
    if options.into:
        page, column = options.into
        write_into(pathlib.Path(page), column, {**errors, **of_complex})
    sys.exit(bool(BEYOND))


main()
