"""Random arguments: arrays of all dtypes, shapes and layouts, and the choices of an option."""

import numpy

import phalanx

REAL = ["float32", "float64", "int32", "uint8", "bool"]
FLOATS = ["float32", "float64"]
NUMBERS = [*REAL, "complex64", "complex128"]
# Most arrays have a usual dtype, so that most calls have a result.
RARE = ["float16", "int8", "int16", "uint16", "int64", "uint32"]

# How an array is a view of another one: what holds it, and the view of that.
LAYOUTS = {
    "transposed": (lambda a: a.T.copy(), lambda x: x.T),
    "reversed": (lambda a: a[::-1].copy(), lambda x: x[::-1]),
    "strided": (lambda a: numpy.repeat(a, 2, axis=0), lambda x: x[::2]),
    "late": (lambda a: numpy.concatenate([a[:1], a]), lambda x: x[1 if len(x) > 1 else 0:]),
    "last reversed": (lambda a: a[..., ::-1].copy(), lambda x: x[..., ::-1]),
}
# Wrong arguments; arrays of None or of texts have no place on devices.
WRONG_ARRAYS = [[], [1, 2, 3], 1j, "text"]
WRONG = [None, "text", 1.5, -1, 0, [], [1, 2, 3], (0, 0), 7, 1j]


class Array:
    """An array argument, which is a view in both libraries."""

    def __init__(self, array, layout=None):
        self.array = numpy.asarray(array)
        self.layout = layout
        hold, self.view = LAYOUTS.get(layout, (numpy.copy, lambda x: x))
        self.base = hold(self.array)

    def __repr__(self):
        shown = numpy.array2string(self.array, threshold=12, separator=", ").replace("\n", "")
        return f"array({shown}, {self.array.dtype}, {self.array.shape}, {self.layout})"

    def theirs(self):
        return self.view(self.base.copy())

    def ours(self, arrange=None):
        made = self.view(phalanx.asarray(self.base))
        return arrange(made) if arrange else made


class Pair:
    """A function of one library and the same of the other."""

    def __init__(self, theirs, ours):
        self.of_theirs, self.of_ours = theirs, ours

    def __repr__(self):
        return self.of_theirs.__name__

    def theirs(self):
        return self.of_theirs

    def ours(self, arrange=None):
        return self.of_ours


class Object:
    """An object of a class of one library and the same of the other, and the draws of the arguments
    that it is made from."""

    def __init__(self, kinds, given, keywords, draws):
        self.kinds, self.given, self.keywords, self.draws = kinds, given, keywords, draws

    def __repr__(self):
        return f"{self.kinds[0].__name__}{shown(self.given, self.keywords)}"

    def theirs(self):
        return self._made(self.kinds[0], lambda x: x.theirs())

    def ours(self, arrange=None):
        return self._made(self.kinds[1], lambda x: x.ours(arrange))

    def _made(self, kind, convert):
        given, keywords = converted(self.given, convert), converted(self.keywords, convert)
        return kind(*given, **keywords)


def converted(x, convert):
    """Arguments of one of the libraries, also in lists, tuples and dictionaries."""
    if isinstance(x, (Array, Pair, Object)):
        return convert(x)
    if type(x) is dict:
        return {key: converted(one, convert) for key, one in x.items()}
    return type(x)(converted(one, convert) for one in x) if type(x) in (list, tuple) else x


def shown(given, keywords):
    """Arguments as they are written."""
    words = [repr(one) for one in given] + [f"{key}={one!r}" for key, one in keywords.items()]
    return f"({', '.join(words)})"


class Draw:
    """The arguments of one call. `values` has what is drawn already, by the names of parameters,
    `first` is the first array, and `of` the draws of the object whose method is called."""

    def __init__(self, name, seed):
        self.chance, self.of = numpy.random.default_rng([seed, *name.encode()]), None
        self.values, self.first, self.wrong, self.is_odd = {}, numpy.zeros(3), None, False
        # What the entries of a function's table state about its arrays.
        self.dtypes, self.rare, self.least, self.most, self.longest = REAL, RARE, 1, 3, 24

    def one(self, choices):
        choices = list(choices)
        return choices[int(self.chance.integers(len(choices)))]

    def often(self, part):
        return self.chance.random() < part

    def whole(self, low, high):
        """A whole number from `low` to `high`."""
        return int(self.chance.integers(low, high + 1))

    def number(self, low=-3.0, high=3.0):
        return float(round(self.chance.uniform(low, high), 2))

    def array_of(self, name):
        """The array of a parameter that is drawn already, or an empty one."""
        value = self.values.get(name)
        return value.array if isinstance(value, Array) else numpy.zeros(0)

    def extent(self):
        usual = [1, 2, 3, 4, 5, 7, self.whole(1, self.longest), self.whole(1, self.longest)]
        return 0 if self.often(0.03) else self.one(usual)

    def shape(self, least=None, most=None):
        least, most = self.least if least is None else least, self.most if most is None else most
        ndim = self.one([one for one in [1, 1, 2, 2, 3] if least <= one <= most] or [least])
        if least == 0 and self.often(0.1):
            ndim = 0
        shape = tuple(self.extent() for _ in range(ndim))
        # Images of three axes are small.
        return shape if ndim < 3 else tuple(min(extent, 6) for extent in shape)

    def elements(self, shape, dtype):
        """Small numbers, many of them equal."""
        if dtype == "bool":
            return self.chance.random(shape) < self.one([0.3, 0.7])
        if "int" in dtype:
            low = 0 if dtype[0] == "u" else self.one([-9, 0])
            return self.chance.integers(low, self.one([3, 10, 100]), shape).astype(dtype)
        made = self.chance.normal(size=shape) * self.one([1, 3])
        if "complex" in dtype:
            made = made + 1j * self.chance.normal(size=shape)
        return numpy.asarray(numpy.round(made, self.one([0, 1, 3]))).astype(dtype)

    def dtype(self, dtypes=None):
        return self.one(self.rare) if dtypes is None and self.often(0.06) else self.one(
            self.dtypes if dtypes is None else dtypes)

    def array(self, shape=None, dtypes=None):
        """An array in some layout; sometimes a list."""
        shape = self.shape() if shape is None else tuple(shape)
        return self.laid(self.elements(shape, self.dtype(dtypes)))

    def laid(self, array):
        """An array in some layout."""
        array = numpy.asarray(array)
        if not array.ndim or not array.size or self.often(0.6):
            return Array(array)
        return Array(array, self.one(LAYOUTS))

    def axis(self, ndim=None):
        ndim = self.first.ndim if ndim is None else ndim
        return ndim + self.one([0, 1]) if self.often(0.04) else self.whole(-ndim, max(ndim - 1, 0))

    def axes(self, ndim=None):
        """Some axes: one, several in any order, at times one twice or one that does not exist."""
        ndim = self.first.ndim if ndim is None else ndim
        if self.often(0.3):
            return self.axis(ndim)
        some = [int(one) for one in self.chance.permutation(ndim)[: self.whole(1, max(ndim, 1))]]
        some = [one - ndim if self.often(0.3) else one for one in some]
        if some and self.often(0.05):
            some.append(some[0])
        if self.often(0.03):
            some.append(ndim)
        return tuple(some)

    def each_axis(self, draw, often=0.3):
        """A value for all axes, or one for each of the axes that are drawn."""
        if not self.often(often):
            return draw()
        count = self.first.ndim
        axes = self.values.get("axes")
        if isinstance(axes, tuple):
            count = len(axes)
        elif isinstance(axes, int):
            count = 1
        return [draw() for _ in range(count + (1 if self.often(0.05) else 0))]
