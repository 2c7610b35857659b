"""Calls of functions with random arguments, compared with NumPy; `test_drawn.py` runs them.

The arguments of a function are drawn from the shapes, dtypes, special values, axes and options that
it takes, and from some that it refuses: extents are 0, 1, 2, few or many; values are small
integers, numbers near them, extremes of the dtype, zeros of both signs, infinities and NaN. Results
are compared by class, dtype, shape and value; errors by their class. If a case differs, its seed is
printed; `draw(name, seed)` returns its arguments again.
"""

import math
import warnings

import numpy

import phalanx

from .degenerate import difference, ours

BOOLS = ["bool"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEXES = ["complex64", "complex128"]
REAL = BOOLS + INTEGERS + FLOATS
NUMBERS = INTEGERS + FLOATS + COMPLEXES
ALL = REAL + COMPLEXES
WIDE = ["float32", "float64", "complex64", "complex128"]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, math.inf, -math.inf, math.nan, 1e-3, 3.0]


class Draw:
    """Arguments of one case."""

    def __init__(self, name, seed):
        self.chance = numpy.random.default_rng([seed, *name.encode()])

    def one(self, choices):
        return choices[int(self.chance.integers(len(choices)))]

    def maybe(self, value, often=0.5):
        """A value, or None."""
        return value if self.chance.random() < often else None

    def some(self, options):
        """For each option one of its choices, or nothing."""
        drawn = {name: self.maybe(self.one(choices)) for name, choices in options.items()}
        return {name: chosen for name, chosen in drawn.items() if chosen is not None}

    def extent(self):
        return self.one([0, 1, 1, 2, 2, 3, 4, 5, 7, int(self.chance.integers(8, 40))])

    def shape(self, least=0, most=3):
        return tuple(self.extent() for _ in range(int(self.chance.integers(least, most + 1))))

    def array(self, dtypes=tuple(ALL), shape=None, special=True, least=0, most=3):
        """An array, sometimes in another order or a view of one element."""
        dtype = self.one(list(dtypes))
        shape = self.shape(least, most) if shape is None else tuple(shape)
        if dtype == "bool":
            made = self.chance.integers(0, 2, shape).astype(bool)
        elif "int" in dtype:
            limits = numpy.iinfo(dtype)
            made = self.chance.integers(max(-6, limits.min), 7, shape).astype(dtype)
            if special and self.chance.random() < 0.15:
                made = numpy.where(self.chance.random(shape) < 0.3, limits.max, made).astype(dtype)
        else:
            made = numpy.round(self.chance.normal(size=shape) * 3, self.one([0, 1, 3]))
            if "complex" in dtype:
                made = made + 1j * numpy.round(self.chance.normal(size=shape) * 3, 1)
            if special and self.chance.random() < 0.3:
                made = numpy.where(self.chance.random(shape) < 0.3,
                                   self.chance.choice(SPECIAL, shape), made)
            made = numpy.asarray(made).astype(dtype)
        made = numpy.asarray(made)
        if made.ndim == 2 and self.chance.random() < 0.2:
            return numpy.asfortranarray(made)
        return made

    def beside(self, array, dtypes=tuple(ALL)):
        """An array that usually broadcasts with another one."""
        shape = [1 if self.chance.random() < 0.25 else extent for extent in array.shape]
        shape = shape[int(self.chance.integers(0, len(shape) + 1)):]
        if shape and self.chance.random() < 0.05:
            shape[0] += 1
        return self.array(dtypes, shape)

    def axis(self, array, none=True):
        ndim = array.ndim
        choices = list(range(-ndim, ndim)) * 3 + ([None] if none else []) + [ndim]
        return self.one(choices)

    def axes(self, array):
        if array.ndim > 1 and self.chance.random() < 0.3:
            return tuple(int(a) for a in self.chance.permutation(array.ndim)[:2])
        return self.axis(array)

    def positions(self, extent, shape=None):
        shape = self.shape(0, 2) if shape is None else shape
        past = 1 if self.chance.random() < 0.1 else 0
        return self.chance.integers(-max(extent, 1), max(extent, 1) + past, shape)


def reduction(dtypes=ALL, **options):
    def arguments(d):
        array = d.array(dtypes)
        keywords = {"axis": d.axes(array), "keepdims": bool(d.one([False, True]))}
        return [array], keywords | d.some(options)
    return arguments


def along(dtypes=ALL, none=False, **options):
    def arguments(d):
        array = d.array(dtypes, least=0)
        keywords = {"axis": d.axis(array, none)}
        return [array], keywords | d.some(options)
    return arguments


def stable(d):
    """With a stable sort: otherwise equal elements have no order."""
    arguments, keywords = along(REAL, True)(d)
    return arguments, keywords | {"kind": "stable"}


def two(first=ALL, second=ALL):
    def arguments(d):
        a = d.array(first)
        return [a, d.beside(a, second)], {}
    return arguments


# The most elements of a dtype whose product stays in its range in any order.
FACTORS = {"float16": 2, "float32": 12, "complex64": 12, "float64": 60, "complex128": 60}


def multiplied(d):
    """Without infinities and NaN of complex numbers, and without partial products beyond the range
    of the dtype: otherwise NumPy's own order decides whether a zero meets an infinity. NumPy also
    multiplies by one first, which turns a zero beside an infinity into NaN."""
    (array,), keywords = reduction(NUMBERS)(d)
    if array.dtype.kind == "c":
        array = numpy.where(numpy.isfinite(array), array, 1).astype(array.dtype)
    if array.size > FACTORS.get(array.dtype.name, array.size):
        array = numpy.sign(array)
    return [array], keywords


def integrated(d):
    """Without extremes of 64-bit integers: their sums wrap, and the result is only rounding
    error."""
    (array,), keywords = along(NUMBERS)(d)
    if array.dtype.kind in "iu":
        array = array % 100
    return [array], keywords


def products_of_two(d):
    """Without NaN: NumPy's product with a 0-d array loses it if the array is zero."""
    a = d.array(NUMBERS, special=False)
    return [a, d.array(NUMBERS, d.one([a.shape, a.shape[-1:], ()]), special=False)], {}


def clipped(d):
    a = d.array(REAL)
    limits = [d.maybe(d.one([d.beside(a, REAL), 0, 2, 1.5, -1]), 0.8) for _ in range(2)]
    return [a, *limits], {}


def chosen(d):
    """Without negative numbers for unsigned dtypes: NumPy wraps them before 2.5, then refuses."""
    a = d.array(ALL)
    other = d.one([d.beside(a), 2, -1, 1.5, True])
    is_negative = isinstance(other, int) and other < 0
    return [d.beside(a, BOOLS), a, 1 if is_negative and a.dtype.kind == "u" else other], {}


def taken(d):
    a = d.array(ALL, least=1)
    axis = d.axis(a)
    extent = a.size if axis is None else a.shape[axis] if axis < a.ndim else 1
    # NumPy's "wrap" does not end if there are no elements to take from.
    mode = d.one(["raise", "wrap" if extent else "clip", "clip"])
    return [a, d.positions(extent)], {"axis": axis, "mode": mode}


def indexed(d):
    a = d.array(ALL, least=1)
    items = []
    for extent in a.shape[: int(d.chance.integers(1, a.ndim + 1))]:
        items.append(d.one([
            slice(None), slice(1, None), slice(None, None, -1), slice(-3, 5, 2), None, ...,
            int(d.chance.integers(-max(extent, 1), max(extent, 1))),
            d.positions(extent, (3,)), d.positions(extent, (2, 1)), d.chance.random(extent) < 0.5]))
    return [a, tuple(items)], {}


def product(d):
    kind, dtypes = d.one(["mm", "mv", "vm", "vv", "stack"]), ALL
    m, k, n, s = d.extent(), d.extent(), d.extent(), d.extent()
    shapes = {"mm": [(m, k), (k, n)], "mv": [(m, k), (k,)], "vm": [(k,), (k, n)],
              "vv": [(k,), (k,)], "stack": [(s, m, k), (k, n)]}[kind]
    return [d.array(dtypes, shape, special=False) for shape in shapes], {}


def equation(d):
    m, k, n = d.extent(), d.extent(), d.extent()
    text, shapes = d.one([
        ("ij,jk->ik", [(m, k), (k, n)]), ("ij,jk", [(m, k), (k, n)]), ("ii->i", [(m, m)]),
        ("ii", [(m, m)]), ("ij->ji", [(m, k)]), ("i,j->ij", [(m,), (n,)]), ("ij,ij->i", [(m, k)] * 2),
        ("...ij,...jk->...ik", [(2, m, k), (k, n)]), ("i,i->", [(m,), (m,)]), ("ij->", [(m, k)]),
        ("...i->...", [(2, m)]), ("iij->j", [(m, m, k)]), ("ij,kj,k->i", [(m, k), (n, k), (n,)])])
    return [text, *[d.array(ALL, shape, special=False) for shape in shapes]], {}


def histogram(d):
    a = d.array(REAL, special=False)
    bins = d.one([1, 5, 10, [0, 1, 2, 5], [-3.5, 0.5, 2.25], "auto", [2, 1]])
    keywords = {}
    if d.chance.random() < 0.3:
        keywords["range"] = d.one([(-2, 2), (0.0, 1.5), (1, 0)])
    if d.chance.random() < 0.3:
        keywords["weights"] = d.array(["float64", "int32"], a.shape, special=False)
    if d.chance.random() < 0.3:
        keywords["density"] = True
    if "weights" in keywords and bins == "auto":
        bins = 4
    return [a, bins], keywords


def quantile(limit):
    def arguments(d):
        a = d.array(REAL[1:], special=False)
        q = d.one([0.0, 1.0, 0.5, 0.3, [0.25, 0.75], [0.1]])
        q = numpy.multiply(q, limit).tolist() if limit != 1 else q
        method = d.one(["linear", "linear", "lower", "higher", "midpoint", "nearest", "hazen",
                        "median_unbiased", "inverted_cdf"])
        return [a, q], {"axis": d.axes(a), "method": method, "keepdims": bool(d.one([0, 1]))}
    return arguments


def padded(d):
    a = d.array(ALL, least=1)
    width = d.one([1, 2, (1, 2), 0, [(1, 0)] * a.ndim])
    mode = d.one(["constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum",
                  "minimum", "mean", "median"])
    if mode == "linear_ramp" and a.dtype.kind == "c":
        # NumPy multiplies differently on all lines if one line is constant.
        a[~numpy.isfinite(a)] = 0
    if mode == "mean" and a.dtype.kind in "iu" and a.itemsize == 8:
        # The mean is a float64, which does not have all integers of 64 bits.
        a %= 1000
    return [a, width], {"mode": mode}


def inserted(d):
    a = d.array(ALL, least=1)
    axis = d.axis(a)
    extent = a.size if axis is None else a.shape[axis] if axis < a.ndim else 1
    where = d.one([0, -1, [0, 0], [extent], slice(0, 2), int(extent // 2)])
    return [a, where, d.one([1, -2.5, True])], {"axis": axis}


def deleted(d):
    a = d.array(ALL, least=1)
    axis = d.axis(a)
    extent = a.size if axis is None else a.shape[axis] if axis < a.ndim else 1
    where = d.one([0, -1, [0, 0], slice(0, 2), slice(None, None, 2), numpy.arange(extent) % 2 == 0,
                   int(extent)])
    return [a, where], {"axis": axis}


def lines(d):
    return [d.array(NUMBERS, (d.extent(),), special=False),
            d.array(NUMBERS, (d.extent(),), special=False), d.one(["full", "same", "valid"])], {}


def interpolated(d):
    xp = numpy.sort(numpy.round(d.chance.normal(size=d.extent()) * 3, 1))
    keywords = {"period": d.one([2.0, 5])} if d.chance.random() < 0.3 else {}
    if keywords:
        # If a period maps several points to one position, NumPy takes any of them.
        xp = xp[numpy.unique(numpy.round(xp % keywords["period"], 3), return_index=True)[1]]
    return [d.array(["float64", "int32"]), xp, d.array(["float64", "float32"], xp.shape)], keywords


def matrix(dtypes=tuple(WIDE), is_square=False, least=2):
    def arguments(d):
        n = d.extent()
        shape = (n, n if is_square and d.chance.random() < 0.95 else d.extent())
        if d.chance.random() < 0.3:
            shape = (d.one([0, 1, 3]), *shape)
        a = d.array(dtypes, shape, special=False)
        if is_square and shape[-1] == shape[-2]:
            a = (a + 9 * numpy.eye(shape[-1])).astype(a.dtype)
        return [a], {}
    return arguments


def rolled(d):
    a = d.array(ALL)
    axis = d.one([None, 0, -1, (0, 1)])
    return [a, d.one([1, -2, 0, 30, (1, 2), [1]])], {"axis": axis}


def repeated(d):
    a = d.array(ALL)
    axis = d.axis(a)
    extent = a.size if axis is None else a.shape[axis] if axis < a.ndim else 1
    return [a, d.one([0, 1, 3, d.chance.integers(0, 3, extent)])], {"axis": axis}


def joined(d):
    a = d.array(ALL, least=1)
    return [[a, d.array(ALL, a.shape), a]], {"axis": d.axis(a, False)}


def transformed(d):
    a = d.array(["float16", "float32", "float64", "complex64", "complex128", "int32", "bool"],
                special=False, least=1)
    keywords = {"axis": d.axis(a, False), "norm": d.one([None, "ortho", "forward"])}
    if d.chance.random() < 0.3:
        keywords["n"] = d.one([1, 4, 7])
    return [a], keywords


def several_transformed(d):
    a = d.array(["float32", "float64", "complex64", "complex128", "int32"], special=False, least=1)
    axes = d.one([None, (0,), (-1,), tuple(range(a.ndim)), ()])
    return [a], {"axes": axes, "norm": d.one([None, "ortho"])}


def chosen_by_number(d):
    selector = d.array(INTEGERS[:4], special=False, most=2)
    count = int(d.chance.integers(1, 4))
    choices = [d.one([d.beside(selector), d.beside(selector), 1, -1, 2.5]) for _ in range(count)]
    past = 1 if d.chance.random() < 0.1 else 0
    return [abs(selector) % (count + past), choices], {"mode": d.one(["raise", "wrap", "clip"])}


def selected(d):
    """Without Python numbers among the choices: NumPy refuses them beside unsigned integers."""
    a = d.array()
    count = int(d.chance.integers(1, 4))
    conditions = [d.beside(a, BOOLS) for _ in range(count)]
    return [conditions, [d.beside(a) for _ in range(count)], d.one([0, 1.5, d.beside(a)])], {}


def taken_along(d):
    a = d.array(least=1)
    axis = d.axis(a)
    if axis is None or axis == a.ndim:
        return [a, d.positions(a.size, (3,))], {"axis": axis}
    shape = list(a.shape)
    shape[axis] = d.extent()
    return [a, d.positions(a.shape[axis], tuple(shape))], {"axis": axis}


def sets(d):
    return [d.array(REAL, most=2), d.array(REAL, most=2)], {}


def searched(d):
    sorted_ = numpy.sort(d.array(REAL[1:], (d.extent(),), False))
    numbers = [300, -1, 1.5, 0.1, True, 70000, 2**40]
    values = d.one([d.array(REAL[1:], special=False), d.one(numbers)])
    return [sorted_, values], {"side": d.one(["left", "right"])}


def binned(d):
    edges = numpy.sort(d.array(REAL[1:], (d.extent(),), False))
    edges = edges[::-1].copy() if d.chance.random() < 0.4 else edges
    return [d.array(REAL[1:]), edges], {"right": bool(d.one([0, 1]))}


def histogram_of_two(d):
    count, keywords = d.extent(), {}
    if d.chance.random() < 0.3:
        keywords["range"] = [d.one([(-2, 2), (0.0, 1.5)]) for _ in range(2)]
    if d.chance.random() < 0.3:
        keywords["weights"] = d.array(["float64"], (count,), False)
    if d.chance.random() < 0.3:
        keywords["density"] = True
    vectors = [d.array(REAL, (count,), False) for _ in range(2)]
    return [*vectors, d.one([3, (2, 5), [0, 1, 3]])], keywords


def shifted(d):
    a = d.array(INTEGERS, special=False)
    return [a, abs(d.beside(a, INTEGERS)) % 9], {}


def moved(d):
    a = d.array()
    return [a, d.axis(a, False), d.axis(a, False)], {}


def contracted(d):
    m, k, n = d.extent(), d.extent(), d.extent()
    return [d.array(shape=(m, k), special=False), d.array(shape=(k, n), special=False),
            d.one([0, 1, 2])], {}


def crossed(d):
    """Vectors of two numbers only before NumPy 2.5, which refuses them."""
    extents = [3] if numpy.lib.NumpyVersion(numpy.__version__) >= "2.5.0" else [2, 3]
    a = d.array(NUMBERS, (*d.shape(0, 2), d.one(extents)), special=False)
    shape = (d.one(extents),) if d.chance.random() < 0.5 else a.shape
    return [a, d.array(NUMBERS, shape, special=False)], {}


def beside_number(dtypes):
    """With a Python number, which takes the dtype of the array if possible."""
    def arguments(d):
        return [d.array(dtypes), d.one([1, -1, 2, 300, 2.5, True, 0, 1e10, -0.5])], {}
    return arguments


def either(*ways):
    return lambda d: d.one(ways)(d)


def only(dtypes=ALL, **form):
    return lambda d: ([d.array(dtypes, **form)], {})


# For each function, how arguments are drawn, and the allowed difference of results in units of the
# precision of the result's dtype, relative to its largest element.
FUNCTIONS = {
    "sum": (reduction(dtype=["float64", "int32", "complex128"]), 64),
    "prod": (multiplied, 64), "max": (reduction(), 0), "min": (reduction(), 0),
    "any": (reduction(), 0), "all": (reduction(), 0), "mean": (reduction(), 64),
    "var": (reduction(ddof=[0, 1]), 512), "std": (reduction(ddof=[0, 1]), 512),
    "ptp": (reduction(REAL[1:]), 0), "nansum": (reduction(), 64), "nanmax": (reduction(REAL), 0),
    "nanmean": (reduction(FLOATS), 64), "nanvar": (reduction(FLOATS), 512),
    "median": (reduction(REAL[1:]), 8), "count_nonzero": (reduction(), 0),
    "argmax": (along(REAL, True), 0), "argmin": (along(REAL, True), 0),
    "cumsum": (along(none=True, dtype=["float64", "int16"]), 256),
    "cumprod": (along(NUMBERS, True), 256),
    "sort": (along(none=True), 0), "argsort": (stable, 0),
    "diff": (along(NUMBERS, n=[1, 2]), 0), "flip": (along(none=True), 0),
    "unique": (lambda d: ([d.array(REAL)], {}), 0),
    "add": (either(two(), beside_number(ALL)), 0), "multiply": (either(two(), beside_number(ALL)), 2),
    "divide": (either(two(), beside_number(ALL)), 4),
    "floor_divide": (either(two(REAL, REAL), beside_number(REAL)), 0),
    "remainder": (either(two(REAL, REAL), beside_number(REAL)), 0),
    "maximum": (either(two(), beside_number(ALL)), 0), "fmin": (two(), 0),
    "arctan2": (two(REAL, REAL), 8), "hypot": (two(REAL, REAL), 8), "logaddexp": (two(REAL, REAL), 16),
    "equal": (either(two(), beside_number(ALL)), 0),
    "less_equal": (either(two(), beside_number(ALL)), 0), "bitwise_and": (two(INTEGERS, INTEGERS), 0),
    "gcd": (two(INTEGERS, INTEGERS), 0), "copysign": (two(REAL, REAL), 0),
    "clip": (clipped, 0), "where": (chosen, 0), "take": (taken, 0),
    "matmul": (product, 256), "dot": (product, 256), "inner": (products_of_two, 256),
    "outer": (two(NUMBERS, NUMBERS), 4), "kron": (two(NUMBERS, NUMBERS), 4), "einsum": (equation, 256),
    "histogram": (histogram, 64), "quantile": (quantile(1), 16), "percentile": (quantile(100), 16),
    "pad": (padded, 64), "insert": (inserted, 0), "delete": (deleted, 0),
    "convolve": (lines, 256), "correlate": (lines, 256), "interp": (interpolated, 64),
    "roll": (rolled, 0), "repeat": (repeated, 0), "concatenate": (joined, 0), "stack": (joined, 0),
    "trapezoid": (integrated, 64), "gradient": (lambda d: ([d.array(FLOATS, least=1)], {}), 64),
    "nan_to_num": (lambda d: ([d.array()], {}), 0), "round": (lambda d: ([d.array(NUMBERS), d.one([0, 1, 2])], {}), 4),
    "isclose": (two(REAL, REAL), 0), "allclose": (two(REAL, REAL), 0), "array_equal": (two(), 0),
    "isin": (two(REAL, REAL), 0), "searchsorted": (searched, 0), "digitize": (binned, 0),
    "bincount": (lambda d: ([abs(d.array(INTEGERS[:4], (d.extent(),), False))], {"minlength": d.one([0, 3])}), 0),
    "tile": (lambda d: ([d.array(), d.one([2, (1, 2), (2, 1, 1), 0])], {}), 0),
    "tril": (lambda d: ([d.array(least=1), d.one([0, 1, -2])], {}), 0),
    "transpose": (lambda d: ([d.array()], {}), 0), "ravel": (lambda d: ([d.array()], {"order": d.one("CFAK")}), 0),
    "linalg.solve": (lambda d: ([*matrix(is_square=True)(d)[0], d.array(WIDE, (d.extent(),), False)], {}), 4096),
    "linalg.inv": (matrix(is_square=True), 4096), "linalg.det": (matrix(is_square=True), 4096),
    "linalg.norm": (matrix(), 256), "linalg.svdvals": (matrix(), 4096),
    "linalg.matrix_rank": (matrix(), 0), "fft.fft": (transformed, 256), "fft.ifft": (transformed, 256),
    "fft.rfft": (transformed, 256), "fft.fftn": (several_transformed, 256),
    "average": (lambda d: ([d.array(NUMBERS)], {}), 64), "cov": (lambda d: ([d.array(NUMBERS, least=1, most=2, special=False)], {}), 512),
    "vander": (lambda d: ([d.array(NUMBERS, (d.extent(),), False), d.one([None, 2, 4])], {}), 64),
    "polyval": (lambda d: ([d.array(NUMBERS, (d.extent(),), False), d.array(NUMBERS, special=False)], {}), 256),
    "nonzero": (lambda d: ([d.array(least=1)], {}), 0),
    "index": (indexed, 0), "choose": (chosen_by_number, 0), "select": (selected, 0),
    "take_along_axis": (taken_along, 0), "union1d": (sets, 0), "intersect1d": (sets, 0),
    "setdiff1d": (sets, 0), "setxor1d": (sets, 0), "histogram2d": (histogram_of_two, 64),
    "left_shift": (shifted, 0), "right_shift": (shifted, 0), "moveaxis": (moved, 0),
    "swapaxes": (moved, 0), "tensordot": (contracted, 256), "cross": (crossed, 64),
    "nanmin": (reduction(REAL), 0), "nanprod": (multiplied, 64), "nanstd": (reduction(FLOATS), 512),
    "nanmedian": (reduction(FLOATS), 8), "nanargmax": (along(REAL, True), 0),
    "nancumsum": (along(none=True), 256), "fmod": (two(REAL, REAL), 0),
    "float_power": (two(REAL, REAL), 64), "heaviside": (two(REAL, REAL), 0),
    "nextafter": (two(FLOATS, FLOATS), 0), "lcm": (two(INTEGERS, INTEGERS), 0),
    "logical_xor": (two(), 0), "divmod": (two(REAL, REAL), 0), "ldexp": (two(FLOATS, ["int8", "int32"]), 0),
    "sign": (only(), 4), "rint": (only(), 0), "sqrt": (only(), 8), "exp": (only(), 16),
    "log": (only(), 16), "log1p": (only(), 16), "sin": (only(), 16), "angle": (only(), 16),
    "reciprocal": (only(NUMBERS), 4), "spacing": (only(FLOATS), 0), "modf": (only(REAL), 0),
    "frexp": (only(FLOATS), 0), "unique_counts": (only(REAL), 0), "argwhere": (only(), 0),
    "ediff1d": (lambda d: ([d.array(NUMBERS)], {"to_begin": d.one([None, 1]), "to_end": d.one([None, [1, 2]])}), 0),
    "trace": (lambda d: ([d.array(least=1), d.one([0, 1, -1])], {}), 64),
    "rot90": (lambda d: ([d.array(least=1), d.one([1, 2, -1])], {}), 0),
    "diag": (lambda d: ([d.array(most=2), d.one([0, 1, -2])], {}), 0),
    "resize": (lambda d: ([d.array(), d.one([3, (2, 3), 0, (4, 1)])], {}), 0),
    "append": (lambda d: ([d.array(), d.array()], {"axis": d.one([None, 0, -1])}), 0),
    "array_split": (lambda d: ([d.array(least=1), d.one([1, 2, 3, [1, 3]])], {"axis": d.one([0, -1])}), 0),
    "compress": (lambda d: ([d.array(BOOLS, (d.extent(),)), d.array(least=1)], {"axis": d.one([None, 0, -1])}), 0),
    "linalg.slogdet": (matrix(is_square=True), 4096), "linalg.pinv": (matrix(is_square=True), 4096),
    "fft.ihfft": (transformed, 256), "fft.ifftn": (several_transformed, 256),
    "polyadd": (lambda d: (lines(d)[0][:2], {}), 4), "polymul": (lambda d: (lines(d)[0][:2], {}), 256),
}


def draw(name, seed):
    return FUNCTIONS[name][0](Draw(name, seed))


def called(np, name, arguments, keywords):
    if name == "index":
        array, items = arguments
        return array[items]
    function = np
    for part in name.split("."):
        function = getattr(function, part)
    return function(*arguments, **keywords)


def argument(value):
    """An argument with our arrays instead of NumPy's."""
    if isinstance(value, numpy.ndarray):
        return ours(value)
    if isinstance(value, list) and value and isinstance(value[0], numpy.ndarray):
        return [argument(one) for one in value]
    if isinstance(value, tuple):
        return tuple(argument(one) for one in value)
    return value


REFUSALS = (TypeError, ValueError, IndexError, ArithmeticError, numpy.linalg.LinAlgError)


def outcome(np, name, arguments, keywords):
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = called(np, name, arguments, keywords)
            # A late error belongs to the call.
            if np is phalanx:
                for one in result if isinstance(result, tuple | list) else [result]:
                    if isinstance(one, phalanx.ndarray):
                        one.get()
            return result
        except REFUSALS as error:
            return error


def case(name, seed):
    """A text about a difference of a case from NumPy, or None."""
    arguments, keywords = draw(name, seed)
    expected = outcome(numpy, name, arguments, keywords)
    given = {key: argument(value) for key, value in keywords.items()}
    got = outcome(phalanx, name, [argument(one) for one in arguments], given)
    return difference(got, expected, FUNCTIONS[name][1])
