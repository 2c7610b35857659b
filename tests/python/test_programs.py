"""Random programs of NumPy that give the same results when `np` is Phalanx.

A program is a list of statements over a few variables: new arrays, views, reshapes, elementwise
functions, reductions, writes through views and positions. NumPy runs each statement when it is
drawn, so that the next one can use the current shapes. After each observation all variables are
compared: values, dtypes, shapes and strides. A failure is shown as a program to run.
"""

import contextlib
import warnings

import numpy
import phalanx
from hypothesis import given, note
from hypothesis import strategies as st

NAMES = ("a", "b", "c", "d")
DTYPES = ("int64", "int32", "uint8", "float32", "float64", "complex64")
# Sums of small multiples of a quarter are exact, so little depends on the order of a sum; the rest
# is rounding of the largest number in a program.
TOLERANCE = {"f": 1e-4, "d": 1e-10, "F": 1e-4, "D": 1e-10}
OBSERVE = "observe"
# No elements, one, two, few or many: a statement may be valid for one and invalid for another.
EXTENTS = st.sampled_from([0, 1, 1, 2, 3, 5, 17])


class Outcome:
    """A program that is run statement by statement."""

    def __init__(self, module):
        self.names = {"np": module}

    def run(self, statement):
        """Runs a statement; returns the class of its exception, if it raises one."""
        try:
            with numpy.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(statement, self.names)
        except Exception as error:
            return type(error)
        return None

    def variables(self):
        """The arrays by name."""
        return {name: self.names[name] for name in NAMES if name in self.names}


@st.composite
def indices(draw, shape):
    """A key of basic items for a shape, as Python writes it."""
    items = []
    for extent in shape[: draw(st.integers(0, len(shape)))]:
        kind = draw(st.sampled_from(["slice", "slice", "at", "new"]))
        if kind == "at" and extent > 0:
            items.append(str(draw(st.integers(-extent, extent - 1))))
        elif kind == "new":
            items += ["None", ":"]
        else:
            bound = st.none() | st.integers(-extent - 1, extent + 1)
            start, stop = draw(bound), draw(bound)
            step = draw(st.sampled_from([None, None, 2, -1, -2]))
            items.append(":".join("" if part is None else str(part) for part in (start, stop, step)))
    # Without the ellipsis a key with a position for each axis returns an element.
    leaves = ["..."] if not items or draw(st.booleans()) else []
    return ", ".join([*items, *leaves])


@st.composite
def positions(draw, extent):
    """A list of positions along an axis."""
    return str(draw(st.lists(st.integers(-extent, extent - 1), min_size=1, max_size=4)))


@st.composite
def statements(draw, arrays):
    """A statement that can use these variables."""
    kinds = ["new"]
    if arrays:
        kinds += ["view", "view", "reshape", "binary", "unary", "reduce", "take"]
        kinds += ["write", "write", "in_place", "in_place", "write_masked", "write_taken", OBSERVE]
    kind = draw(st.sampled_from(kinds))
    target = draw(st.sampled_from(NAMES))
    if kind == "new":
        shape = draw(st.lists(EXTENTS, min_size=1, max_size=3))
        size = int(numpy.prod(shape))
        dtype = draw(st.sampled_from(DTYPES))
        return f"{target} = (np.arange({size}) % 7).astype(np.{dtype}).reshape({tuple(shape)})"
    if kind == OBSERVE:
        return OBSERVE
    name = draw(st.sampled_from(sorted(arrays)))
    array = arrays[name]
    # A result without axes is an element, or an array made from it.
    made = st.sampled_from(["", "np.asarray"])
    other = draw(st.sampled_from(sorted(arrays)) | st.sampled_from(["2", "1.5", "-1", "True"]))
    match kind:
        case "view":
            view = draw(st.sampled_from(["T", "index", "index", "real"]))
            text = f"[{draw(indices(array.shape))}]" if view == "index" else f".{view}"
            return f"{target} = {name}{text}"
        case "reshape":
            shapes = [(-1,), array.shape[::-1], (1, *array.shape), (array.size,)]
            shapes += [(2, -1), (-1, 3)]
            return f"{target} = {name}.reshape({draw(st.sampled_from(shapes))})"
        case "binary":
            operator = draw(st.sampled_from(["+", "-", "*", "<", "=="]))
            text = f"{name} {operator} {other}"
            if draw(st.booleans()):
                function = draw(st.sampled_from(["maximum", "minimum", "add", "multiply"]))
                text = f"np.{function}({name}, {other})"
            return f"{target} = {draw(made)}({text})"
        case "unary":
            function = draw(st.sampled_from(["negative", "absolute", "square", "isfinite"]))
            return f"{target} = {draw(made)}(np.{function}({name}))"
        case "reduce":
            function = draw(st.sampled_from(["sum", "max", "min", "any", "all", "mean"]))
            axis = draw(st.none() | st.integers(-array.ndim, max(array.ndim - 1, 0)))
            keepdims = draw(st.booleans())
            return f"{target} = {draw(made)}({name}.{function}(axis={axis}, keepdims={keepdims}))"
        case "take" if array.ndim and array.shape[0]:
            return f"{target} = {name}[{draw(positions(array.shape[0]))}]"
        case "write_taken" if array.ndim and array.shape[0]:
            # Each position once: the winner of several writes to one position is not defined.
            place = draw(st.integers(-array.shape[0], array.shape[0] - 1))
            return f"{name}[[{place}]] = {other}"
        case "write_masked":
            return f"{name}[{name} == {draw(st.integers(0, 3))}] = {draw(st.integers(0, 9))}"
        case "write":
            return f"{name}[{draw(indices(array.shape))}] = {other}"
        case _:
            operator = draw(st.sampled_from(["+=", "-=", "*="]))
            if draw(st.booleans()):
                return f"{name} {operator} {other}"
            key, second = draw(indices(array.shape)), draw(indices(array.shape))
            value = draw(st.sampled_from([other, f"{name}[{second}]"]))
            return f"{name}[{key}] {operator} {value}"


def difference(expected, found):
    """The difference between two arrays, except elements."""
    if found.dtype != expected.dtype:
        return f"dtype {found.dtype}, expected {expected.dtype}"
    if found.flags.writeable != expected.flags.writeable:
        return f"{'an element' if found.flags.writeable else 'an array'} expected"
    if found.shape != expected.shape:
        return f"shape {found.shape}, expected {expected.shape}"
    matters = [axis for axis, extent in enumerate(expected.shape) if extent != 1]
    if expected.size and any(found.strides[axis] != expected.strides[axis] for axis in matters):
        return f"strides {found.strides}, expected {expected.strides}"
    return None


@given(st.data())
def test_programs_give_what_numpy_gives(data):
    expected, found = Outcome(numpy), Outcome(phalanx)
    largest, program = 1.0, []
    with contextlib.ExitStack() as shown:
        shown.callback(lambda: note("import phalanx as np\n" + "\n".join(program)))
        for _ in range(data.draw(st.integers(3, 14), "statements")):
            statement = data.draw(statements(expected.variables()))
            if statement != OBSERVE:
                program.append(statement)
                error, own_error = expected.run(statement), found.run(statement)
                assert same_class(error, own_error), (
                    f"{statement}: {own_error}, but NumPy raises {error}"
                )
            largest = max(largest, *map(magnitude, expected.variables().values()), 0.0)
            if statement == OBSERVE:
                program.append("print(" + ", ".join(expected.variables()) + ")")
                compare(expected, found, largest)
        compare(expected, found, largest)


def same_class(error, own_error):
    """Whether a program that catches NumPy's exception catches ours."""
    if error is None or own_error is None:
        return error is own_error
    # NumPy's own classes of a TypeError are not public.
    bases = [base for base in error.__mro__ if base.__module__ == "builtins"]
    return issubclass(own_error, bases[0])


def magnitude(array):
    """The largest finite magnitude among elements."""
    if array.dtype.kind not in "fc":
        return 0.0
    sizes = numpy.abs(array.astype("complex128"))
    return float(sizes[numpy.isfinite(sizes)].max(initial=0.0))


def compare(expected, found, largest):
    """Compares all variables."""
    arrays, own = expected.variables(), found.variables()
    assert arrays.keys() == own.keys()
    for name, array in arrays.items():
        fault = difference(array, own[name])
        assert not fault, f"{name}: {fault}"
        elements = own[name].get()
        array = numpy.asarray(array)
        if array.dtype.kind in "fc":
            tolerance = TOLERANCE[array.dtype.char]
            # Beyond this, rounding decides which elements overflow.
            if largest > 1e30:
                continue
            numpy.testing.assert_allclose(
                elements, array, rtol=tolerance, atol=tolerance * largest, err_msg=name
            )
        else:
            numpy.testing.assert_array_equal(elements, array, err_msg=name)
