"""Answers compared with NumPy's.

The rules are those of the tests in Rust (`tests/functions/compare.rs`): dtypes and shapes are
equal; strides and aliases too, if the description requires them; elements are equal within its
tolerance. Functions with several correct answers are compared in a named way.
"""

import functools

import numpy

from . import factors, orders


class Difference(Exception):
    """An answer that differs from NumPy's."""


class Found:
    """An array of an answer, with its elements on the host."""

    def __init__(self, array):
        self.array = array
        self.host = array.get()
        # The array's own attributes, which must agree with its elements.
        self.dtype, self.shape = array.dtype, array.shape


def fetched(answer, array_class):
    """An answer with the elements of its arrays fetched."""
    if isinstance(answer, array_class):
        return Found(answer)
    if isinstance(answer, (tuple, list)):
        return [fetched(one, array_class) for one in answer]
    return answer


def words(found):
    """The kind of an answer."""
    match found:
        case Found():
            return f"an array {found.dtype.name}{list(found.shape)}"
        case list():
            return f"{len(found)} answers"
    return f"{type(found).__name__} {found!r}"


def host(told):
    """The array of a JSON node."""
    dtype, shape, digits = told
    return numpy.frombuffer(bytes.fromhex(digits), dtype).reshape(shape)


class Comparison:
    """How the answers of a case are compared."""

    def __init__(self, case, bases):
        self.case = case
        self.bases = bases
        self.tolerance = case.line["tolerance"]
        self.way = case.line["compare"]

    def check(self, found):
        """Compares an answer with NumPy's."""
        if self.way in ("values", "shape", "same"):
            self.plain(found, self.case.expected, self.way == "values")
        else:
            self.plain(found, self.case.expected, False)
            self.by_word(found)

    def by_word(self, found):
        """Compares answers of functions with several correct ones."""
        found = [one.host for one in (found if isinstance(found, list) else [found])]
        told = self.case.expected
        wanted = [host(one["values"]) for one in told.get("items", [told])]
        given = self.case.given[0].made(numpy, self.case.given[0].base)
        match self.way, len(found):
            case "argsort", 1:
                fault = orders.sorting(self.case, given, found[0], wanted[0])
            case ("partition" | "argpartition") as way, 1:
                fault = orders.partition(self.case, given, found[0], way == "argpartition")
            case "unordered", 1:
                fault = factors.unordered(found[0], wanted[0])
            case ("svd" | "eigh"), 1:
                # Without the vectors, singular values and eigenvalues are in order.
                fault = self.elements(found[0], wanted[0])
            case way, _:
                fault = None
                if way in ("svd", "eigh"):
                    number = 1 if way == "svd" else 0
                    fault = self.elements(found[number], wanted[number])
                elif way == "eig":
                    fault = factors.unordered(found[0], wanted[0])
                fault = fault or factors.check(way, given, found)
        if fault:
            raise Difference(fault)

    def plain(self, found, expected, with_elements):
        """Compares dtypes, shapes, layouts and, if wanted, elements."""
        match expected:
            case {"items": items}:
                if not isinstance(found, list) or len(found) != len(items):
                    raise Difference(f"{words(found)}, expected {len(items)} answers")
                for number, (one, wanted) in enumerate(zip(found, items)):
                    try:
                        self.plain(one, wanted, with_elements)
                    except Difference as difference:
                        raise Difference(f"answer {number}: {difference}") from None
            case {"values": values}:
                self.array(found, host(values), expected, with_elements)
            case {"dtype": name}:
                is_dtype = isinstance(found, (numpy.dtype, type))
                if not is_dtype or numpy.dtype(found).name != name:
                    raise Difference(f"{words(found)}, expected the dtype {name}")
            case {"python": value}:
                python(found, value)

    def array(self, found, wanted, expected, with_elements):
        """Compares an array, or a number if NumPy returns one."""
        if isinstance(found, (bool, int, float, complex, numpy.generic)):
            elements = numpy.asarray(found)
        elif isinstance(found, Found):
            elements = found.host
            if (found.dtype, found.shape) != (elements.dtype, elements.shape):
                raise Difference(f"{words(found)} whose elements are {words(elements)}")
        else:
            raise Difference(f"{words(found)}, expected an array")
        if elements.dtype != wanted.dtype:
            raise Difference(f"dtype {elements.dtype.name}, expected {wanted.dtype.name}")
        if elements.shape != wanted.shape:
            raise Difference(f"shape {elements.shape}, expected {wanted.shape}")
        if with_elements and (fault := self.elements(elements, wanted)):
            raise Difference(fault)
        if "strides" in expected and isinstance(found, Found):
            self.layout(found, expected["strides"])

    def layout(self, found, expected):
        """Compares strides."""
        strides = [stride // found.dtype.itemsize for stride in found.array.strides]
        # Strides have no effect along an axis of one position, or in an array without elements.
        matters = [axis for axis, extent in enumerate(found.shape) if extent != 1]
        if 0 not in found.shape and any(strides[axis] != expected[axis] for axis in matters):
            raise Difference(f"strides {strides}, expected {expected}")

    def aliases(self, found, expected):
        """Checks which bases the answers are views of, by writing into the bases. Must be the last
        check, since it changes the elements."""
        if "items" in expected:
            for one, wanted in zip(found, expected["items"]):
                self.aliases(one, wanted)
        if "shares" not in expected or not isinstance(found, Found) or 0 in found.shape:
            return
        for number, base in enumerate(self.bases):
            if 0 in base.shape:
                continue
            seen = []
            for value in (0, 1):
                base[...] = value
                seen.append(found.array.get().tobytes())
            if (seen[0] != seen[1]) != (number in expected["shares"]):
                told = "is a view of" if seen[0] != seen[1] else "is no view of"
                raise Difference(f"the answer {told} {chr(ord('a') + number)}")

    @functools.cached_property
    def magnitude(self):
        """The largest finite magnitude among the elements given."""
        largest = 0.0
        for given in self.case.given:
            sizes = numpy.abs(wide(given.base))
            largest = max(largest, float(sizes[numpy.isfinite(sizes)].max(initial=0.0)))
        return largest

    def elements(self, found, wanted):
        """A text about wrong elements, or None."""
        if self.near(found, wanted).all():
            return None
        with numpy.printoptions(threshold=60, linewidth=10**6):
            return f"found    {found.tolist()}\n      expected {wanted.tolist()}"

    def near(self, found, wanted):
        """Which elements are near enough."""
        if found.dtype.kind == "b":
            # Any byte except 0 is true: views of other elements contain such bytes.
            return (found.view("u1") != 0) == (wanted.view("u1") != 0)
        if found.dtype.kind in "iu":
            return found == wanted
        same = same_bits(found, wanted)
        if self.tolerance == "exact" or same.all():
            return same
        unit = epsilon(found.dtype)
        is_complex = found.dtype.kind == "c"
        found, wanted = wide(found), wide(wanted)
        left, right = numpy.abs(found), numpy.abs(wanted)
        finite = numpy.isfinite(left) & numpy.isfinite(right)
        with numpy.errstate(all="ignore"):
            close = numpy.abs(found - wanted) <= self.distance(unit, right)
        # Infinities of real numbers have a sign. Which part of a complex number is infinite or
        # NaN depends on the order of operations.
        equal = found == wanted
        if is_complex:
            equal |= ~numpy.isfinite(left) & ~numpy.isfinite(right)
        return same | numpy.where(finite, close, equal)

    def distance(self, unit, expected):
        """The allowed distance from expected elements of these magnitudes."""
        name, _, rest = self.tolerance.partition("(")
        parameters = [float(text) for text in rest.rstrip(")").split(",") if text]
        units = parameters[0] if parameters else 32.0
        match name:
            case "rounded":
                return units * unit * numpy.maximum(expected, self.magnitude)
            case "squared":
                return units * unit * numpy.maximum(expected, self.magnitude**2)
            case "ulp":
                return units * unit * expected
            case "near":
                return parameters[0] * expected + parameters[1]
        raise ValueError(f"bug: {self.tolerance} is no tolerance")


def epsilon(dtype):
    """The distance from 1 to the next number of a dtype; 0 for integers."""
    return float(numpy.finfo(dtype).eps) if dtype.kind in "fc" else 0.0


def wide(array):
    """Numbers in the widest dtype of their kind."""
    return array.astype("complex128" if array.dtype.kind == "c" else "float64")


def same_bits(found, wanted):
    """Which floats have the same bits, or are both NaN, in both their parts."""
    if found.dtype.kind == "c":
        return same_bits(found.real, wanted.real) & same_bits(found.imag, wanted.imag)
    same = (found == wanted) & (numpy.signbit(found) == numpy.signbit(wanted))
    return same | (numpy.isnan(found) & numpy.isnan(wanted))


def python(found, expected):
    """Compares with a value of Python that is no array."""
    value = found
    if isinstance(found, Found) and found.shape == () and found.dtype.kind in "biu":
        value = found.host.item()
    if isinstance(found, numpy.generic):
        value = found.item()
    if type(value) is not type(expected) or value != expected:
        raise Difference(f"{words(found)}, expected {expected!r}")
