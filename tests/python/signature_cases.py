"""Calls of SciPy's functions that are drawn from their signatures, compared with SciPy's results.

Each parameter has a strategy: that of the function, of its area, or of all areas, by its name
(`signatures/`). A class is a function, too, and a method is a function whose first argument is an
object, which is drawn as a call of the class. Optional parameters are left out at times; each is
given by position or by name. Some calls have a wrong argument. Results are compared by dtype, shape
and value, errors by class.
`python -m tests.python.signature_cases AREA FIRST COUNT [NAME...]` runs seeds of an area.
"""

import functools
import importlib
import inspect
import sys
import traceback
import warnings
import zlib

import numpy

import phalanx

from .conftest import device_count
from .signatures import areas
from .signatures.drawing import (
    WRONG, WRONG_ARRAYS, Array, Draw, Object, converted, shown,
)

DEVICES = device_count()
# Errors that SciPy does not raise on purpose: any error is right, and for some of them a result.
ACCIDENTS = (AttributeError, NameError, SystemError, AssertionError, ZeroDivisionError, KeyError,
             RecursionError, numpy._core._exceptions._UFuncOutputCastingError)
FAULTS = (AttributeError, NameError, RecursionError,
          numpy._core._exceptions._UFuncOutputCastingError)
# Parameters that mean nothing here, or that let SciPy write to an argument.
NEVER_WRONG = ("overwrite", "device", "xp", "plan", "_cache", "workers", "self")
# The most units of the precision of 32-bit floats.
SINGLE = 4096
OF_HOST = ("the function is SciPy's", "SciPy computes it on the host")
CLASS_OF_HOST = ("the system is SciPy's",)
# Operators of objects, which are methods as the others are.
OPERATORS = ("__call__", "__getitem__", "__len__", "__mul__", "__pow__", "__add__")


class Area:
    """The functions of a module that are compared, and how their arguments are drawn."""

    def __init__(self, name):
        self.name = name
        self.table = areas.table(name)
        self.theirs = importlib.import_module(f"scipy.{name}")
        self.ours = importlib.import_module(f"phalanx.scipy.{name}")

    def public(self):
        """The functions, classes and methods that both have and that run on devices."""
        names = getattr(self.ours, "__all__", None) or dir(self.ours)
        compared = [name for name in sorted(names) if self._is_compared(name)]
        objects = getattr(self.table, "OBJECTS", {})
        return [one for name in compared for one in (name, *self._methods(name))] + [
            f"{name}.{method}" for name, methods in objects.items() for method in methods]

    def _is_compared(self, name):
        own, other = getattr(self.ours, name, None), getattr(self.theirs, name, None)
        if name[0] == "_" or not callable(own) or not callable(other):
            return False
        if own is other or inspect.isclass(other) and issubclass(other, (Exception, dict)):
            return False
        if not (inspect.isclass(other) or inspect.isroutine(other)
                or isinstance(other, numpy.ufunc)):
            # Objects such as distributions.
            return False
        text = " ".join((own.__doc__ or "").split())
        phrases = CLASS_OF_HOST if inspect.isclass(other) else OF_HOST
        is_of_host = any(phrase in text for phrase in phrases)
        return not is_of_host or name in getattr(self.table, "OF_HOST", ())

    def _methods(self, name):
        """The methods of a class that both have."""
        other = getattr(self.theirs, name)
        if not inspect.isclass(other) or name in self.table.LEFT_OUT:
            return []
        own = getattr(self.ours, name)
        return [f"{name}.{one}" for one in dir(other) if (one[0] != "_" or one in OPERATORS)
                and callable(getattr(other, one)) and callable(getattr(own, one, None))
                and not inspect.isclass(getattr(other, one))]

    def functions(self):
        """The compared functions for which no reason speaks against it."""
        left_out = self.table.LEFT_OUT
        return [name for name in self.public() if name not in left_out
                and f".{name.partition('.')[2]}" not in left_out]

    def both(self, name):
        """The function of SciPy and ours."""
        path = name.split(".")
        return [functools.reduce(getattr, path, one) for one in (self.theirs, self.ours)]

    def signature(self, name):
        known = getattr(self.table, "SIGNATURES", {})
        given = known.get(name, known.get(f".{name.partition('.')[2]}"))
        other = self.both(name)[0]
        if isinstance(other, numpy.ufunc):
            given = f"{', '.join(f'x{place}' for place in range(other.nin))}, /"
        if given is not None:
            return inspect.signature(eval(f"lambda {given}: None"))
        return inspect.signature(other)

    def own(self, name):
        """What the table states for a function: of a method, also for those of that name."""
        of_name = self.table.OWN.get(f".{name.partition('.')[2]}", {})
        return {**of_name, **self.table.OWN.get(name, {})}

    def strategies(self, name):
        """The strategy of each parameter of a function."""
        own = self.own(name)
        found = {}
        for one in self.signature(name).parameters.values():
            if one.kind == one.VAR_KEYWORD:
                continue
            if one.name == "self":
                found["self"] = lambda d: d.object(name.partition(".")[0])
                continue
            for strategies in (own, self.table.PARAMETERS, areas.COMMON):
                if one.name in strategies:
                    found[one.name] = strategies[one.name]
                    break
            else:
                if one.default is one.empty:
                    raise KeyError(f"no strategy for {one.name} of {self.name}.{name}")
        return found

    def _object(self, d, kind, **known):
        """An object of a class, from arguments that are drawn as for a call of the class. `known`
        is what their strategies find in the draws."""
        inner = Draw(kind, 0)
        inner.chance = d.chance
        vars(inner).update(known)
        given, keywords = self._drawn(inner, kind, 0)
        return Object(self.both(kind), given, keywords, inner)

    def draw(self, name, seed):
        """Positional and named arguments of the case of a seed, and the draws."""
        d = Draw(f"{self.name}.{name}", seed)
        return *self._drawn(d, name, 0.06), d

    def _drawn(self, d, name, wrong_often):
        """Positional and named arguments; sometimes one is wrong."""
        d.function, d.object = name, functools.partial(self._object, d)
        own, strategies = self.own(name), self.strategies(name)
        for key, value in {**getattr(self.table, "ARRAYS", {}), **own.get("ARRAYS", {})}.items():
            setattr(d, key, value)
        parameters = self.signature(name).parameters
        # Axes are known before the parameters that have a value for each of them.
        leading = getattr(self.table, "LEADING", areas.LEADING)
        array = next((one for one in strategies if one in leading), None)
        order = sorted(strategies, key=lambda one: (
            one != "self", one != array, one not in ("axes", "axis")))
        required = [one for one in strategies if parameters[one].default is inspect.Parameter.empty]
        never = own.get("NEVER_WRONG", getattr(self.table, "NEVER_WRONG", ()))
        may_be_wrong = [one for one in strategies if not one.startswith(NEVER_WRONG)
                        and one not in never
                        and parameters[one].kind != inspect.Parameter.VAR_POSITIONAL]
        wrong = d.one(may_be_wrong) if may_be_wrong and d.often(wrong_often) else None
        for one in order:
            if one in required or one == wrong or d.often(own.get("OFTEN", {}).get(one, 0.35)):
                mistakes = WRONG_ARRAYS if one == array else WRONG
                drawn = strategies[one](d)
                if one == wrong:
                    # A number in place of an array is a mistake as a text is one.
                    d.is_odd = isinstance(drawn, Array)
                    drawn = d.one(mistakes)
                d.values[one] = drawn
                if one == "self":
                    d.of = drawn.draws
                if isinstance(drawn, Array) and one == array:
                    d.first = drawn.array
        if "CHECK" in own:
            own["CHECK"](d)
        d.wrong = wrong if wrong in d.values else None
        return self._placed(d, parameters)

    @staticmethod
    def _placed(d, parameters):
        """Arguments by position as long as none is left out, then by name."""
        given, keywords, by_position = [], {}, True
        for one in parameters.values():
            if one.kind == one.VAR_KEYWORD:
                continue
            if one.kind == one.VAR_POSITIONAL:
                given += d.values[one.name]
                continue
            by_position = by_position and one.name in d.values and one.kind != one.KEYWORD_ONLY
            if by_position and one.kind != one.POSITIONAL_ONLY and one.name != "self" and (
                    d.often(0.15)):
                by_position = False
            if by_position:
                given.append(d.values[one.name])
            elif one.name in d.values:
                keywords[one.name] = d.values[one.name]
        return given, keywords

    def _has_two_mistakes(self, name, values, found, expected):
        """Whether both refuse a call for different mistakes: with fewer of its optional arguments,
        SciPy's error is the same and ours is of its class."""
        if not isinstance(found, Exception) or not isinstance(expected, Exception):
            return False
        parameters = self.signature(name).parameters
        other, own = self.both(name)
        is_optional = {key: parameters[key].default is not inspect.Parameter.empty
                       for key in values}

        def called(function, values, convert):
            given = [one for key, one in values.items() if not is_optional[key]]
            if given and isinstance(given[0], list) and parameters[next(iter(
                    values))].kind == inspect.Parameter.VAR_POSITIONAL:
                given = given[0] + given[1:]
            optional = {key: one for key, one in values.items() if is_optional[key]}
            return outcome(function, given, optional, convert)

        kept = {key: values[key] for key in parameters if key in values}
        for key in list(kept):
            fewer = {one: value for one, value in kept.items() if one != key}
            if is_optional[key] and type(called(other, fewer, lambda x: x.theirs())) is type(
                    expected):
                kept = fewer
        if len(kept) == len(values):
            return False
        return difference(called(own, kept, lambda x: x.ours()), expected, 0) is None

    def case(self, name, seed, digest=None):
        """A text about a difference of a case from SciPy, or None. `digest` receives the bits of
        the result."""
        given, keywords, d = self.draw(name, seed)
        values = d.values
        told = f"{self.name}.{name}{shown(given, keywords)}"
        if areas.undefined(self.name, name, values):
            return None
        other, own = self.both(name)
        compared = getattr(self.table, "compared", lambda name, values, found: found)
        expected = compared(name, values, outcome(other, given, keywords, lambda x: x.theirs()))
        found = compared(name, values, outcome(own, given, keywords, lambda x: x.ours()))
        units = self.table.units(name, values)
        is_coarse = self.table.COARSE is None or name in self.table.COARSE
        coarse = precision(values) if is_coarse else 0.0
        text = difference(found, expected, units, coarse)
        if text and not (self.table.excuse(name, values, found, expected)
                         or _is_nonsense(d, found, expected)
                         or self._has_two_mistakes(name, values, found, expected)):
            return f"{text}\n    {told}"
        if digest is not None:
            digest[self.name, name, seed] = bits(found)
        if DEVICES > 1:
            chance = numpy.random.default_rng([seed, zlib.crc32(name.encode())])
            moved = compared(name, values, outcome(
                own, given, keywords, lambda x: x.ours(lambda a: rearranged(a, chance))))
            exact = name in self.table.EXACT
            text = "other bits" if exact and bits(moved) != bits(found) else (
                difference(moved, found, 4 * units, coarse))
            if text:
                return f"moved borders: {text}\n    {told}\n    {moved!r}\n    {found!r}"
        return None


def _is_nonsense(d, found, expected):
    """Whether a wrong argument has no one right outcome: if SciPy does not look at it, or if it is
    refused by the operation that happens to fail first, not by a check."""
    if d.wrong is None:
        return False
    wrong = d.values[d.wrong]
    is_odd = d.is_odd or isinstance(wrong, (str, complex, list, tuple)) or wrong is None
    if isinstance(found, TypeError) or is_odd and isinstance(found, Exception):
        return True
    if not isinstance(expected, Exception):
        return isinstance(wrong, (str, complex))
    frame = traceback.extract_tb(expected.__traceback__)[-1]
    return not (frame.line or "").startswith("raise ")


def rearranged(a, chance):
    """An array with other borders of blocks: some are empty."""
    if not a.ndim or not a.size:
        return a
    axis = int(chance.integers(a.ndim))
    cuts = numpy.sort(chance.integers(0, a.shape[axis] + 1, DEVICES - 1))
    blocks = numpy.diff([0, *cuts, a.shape[axis]]).tolist()
    names = ["device" if one == axis else None for one in range(a.ndim)]
    return a.with_sharding(phalanx.Sharding(*names, blocks={axis: blocks}))


def outcome(function, given, keywords, convert):
    """The parts of a result and of the arguments after the call, or an error."""
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            # An object may refuse its arguments.
            given, keywords = converted(given, convert), converted(keywords, convert)
            found = parts(function(*given, **keywords))
            arrays = [*given, *keywords.values()]
            after = {f"argument {place}{key}": one for place, x in enumerate(arrays)
                     if isinstance(x, (numpy.ndarray, phalanx.ndarray, list))
                     or type(x).__name__ in areas.SHOWN
                     for key, one in parts(x).items()}
            return found | after
        except Exception as error:
            return error


def parts(value, name=""):
    """The arrays and plain values of a result, by their place in it."""
    if isinstance(value, phalanx.ndarray):
        return {name: value.get()}
    if isinstance(value, (numpy.ndarray, numpy.generic, bool, int, float, complex)):
        return {name: numpy.asarray(value)}
    if value is None or isinstance(value, (str, slice, type)):
        return {name: value}
    how = areas.SHOWN.get(type(value).__name__)
    if how is not None:
        pairs = [("class", type(value).__name__), *(enumerate([how(value)]) if callable(how) else [
            (key, getattr(value, key)) for key in how.split()])]
    elif hasattr(value, "toarray"):
        pairs = [("format", value.format), ("", value.toarray())]
    elif isinstance(value, dict):
        pairs = value.items()
    elif hasattr(value, "_fields"):
        pairs = zip(value._fields, value, strict=True)
    elif isinstance(value, (set, frozenset)):
        pairs = {"kind": type(value).__name__, "": numpy.asarray(sorted(value))}.items()
    elif isinstance(value, list) and value and all(isinstance(one, int) for one in value):
        pairs = {"kind": "list", "": numpy.asarray(value)}.items()
    elif isinstance(value, (tuple, list)):
        pairs = {"kind": type(value).__name__, **dict(enumerate(value))}.items()
    elif callable(value) or not hasattr(value, "__dict__"):
        return {name: f"a {type(value).__name__}"}
    else:
        pairs = [(key, one) for key, one in vars(value).items() if key[0] != "_"]
    inner = (parts(part, f"{name}.{key}") for key, part in pairs)
    return {place: one for some in inner for place, one in some.items()}


def bits(found):
    """What of an outcome is equal for equal bits; NaN has many bits."""
    if isinstance(found, Exception):
        return type(found).__name__
    made = {}
    for name, one in found.items():
        if isinstance(one, numpy.ndarray) and one.dtype.kind in "fc":
            one = numpy.where(one != one, numpy.asarray(numpy.nan, one.dtype), one) + 0
        is_array = isinstance(one, numpy.ndarray) and one.dtype != object
        made[name] = (one.shape, zlib.crc32(one.tobytes())) if is_array else str(one)
    return str(made)


def precision(values):
    """The precision of the coarsest floats among arguments."""
    arrays = arrays_of(list(values.values()))
    # SciPy computes with short integers in 32-bit floats.
    floats = [one.dtype if one.dtype.kind in "fc" else "f4" for one in arrays
              if one.dtype.kind in "fc" or one.dtype.itemsize < 4]
    return max((float(numpy.finfo(one).eps) for one in floats), default=0.0)


def arrays_of(value):
    """The arrays in an argument, also those of an object."""
    if isinstance(value, Array):
        return [value.array]
    inner = list(value.draws.values.values()) if isinstance(value, Object) else value
    return [one for part in inner for one in arrays_of(part)] if isinstance(
        inner, (list, tuple)) else []


def difference(found, expected, units, coarse=0.0):
    """A text about a difference, or None. Floats may differ by `units` units of the precision of
    their dtype, or of a coarser one, relative to the largest of them or to 1."""
    if isinstance(expected, Exception) or isinstance(found, Exception):
        if not isinstance(expected, Exception):
            lines = traceback.extract_tb(found.__traceback__)[-1]
            return f"{found!r} at {lines.filename[-30:]}:{lines.lineno} for {words(expected)}"
        if not isinstance(found, Exception):
            return None if isinstance(expected, FAULTS) else f"{words(found)} for {expected!r}"
        if isinstance(expected, ACCIDENTS):
            return None
        # NumPy's classes derive from Python's.
        kind = next(one for one in type(expected).__mro__ if one.__module__[:5] not in (
            "numpy", "scipy"))
        return None if isinstance(found, kind) else f"{found!r} for {expected!r}"
    if list(found) != list(expected):
        missing = [one for one in expected if one not in found]
        if missing or any(one not in expected for one in found):
            return f"{words(found)} for {words(expected)}"
    for name, one in expected.items():
        text = leaf(found[name], one, units, coarse)
        if text:
            return f"{name or 'result'}: {text}"
    return None


def words(found):
    return {key: (one.dtype, one.shape) if isinstance(one, numpy.ndarray) else one
            for key, one in found.items()}


def leaf(found, expected, units, coarse=0.0):
    """A text about a difference of one array or value, or None."""
    if not isinstance(expected, numpy.ndarray) or not isinstance(found, numpy.ndarray):
        same = type(found) is type(expected) and found == expected
        return None if same else f"{found!r} for {expected!r}"
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return f"{found.dtype}{found.shape} for {expected.dtype}{expected.shape}"
    if expected.dtype == object:
        pairs = zip(found.ravel(), expected.ravel(), strict=True)
        return next(filter(None, (difference(*map(parts, pair), units) for pair in pairs)), None)
    if expected.dtype.kind not in "fc":
        same = numpy.array_equal(found, expected)
        return None if same else f"{found!r} for {expected!r}"
    own = float(numpy.finfo(expected.dtype).eps)
    limit = max((units if own < 1e-10 else min(units, SINGLE)) * own, min(units, SINGLE) * coarse)
    size = abs(expected[numpy.isfinite(expected)]).max(initial=1.0)
    with numpy.errstate(all="ignore"):
        both = [(found.real, expected.real), (found.imag, expected.imag)]
        pairs = both if expected.dtype.kind == "c" else both[:1]
        same = all(numpy.isclose(*pair, rtol=limit, atol=limit * float(size), equal_nan=True).all()
                   for pair in pairs)
    return None if same else f"{found!r} for {expected!r}"


def main(area, first, count, *names):
    """Prints the differences of some seeds, and exits with their number."""
    phalanx.init(split_from=1)
    digest_path = names[0][1:] if names and names[0][0] == "@" else None
    names = names[1:] if digest_path else names
    digest, failed, calls = {}, 0, 0
    work = Area(area)
    for name in names or work.functions():
        told = []
        for seed in range(int(first), int(first) + int(count)):
            try:
                text = work.case(name, seed, digest)
            except Exception as error:
                text = f"{name} {seed}: {traceback.format_exc()}{error!r}"
            calls += 1
            if text:
                told.append(f"- {seed}: {text}")
        failed += len(told)
        if told:
            print(f"## {area}.{name}: {len(told)} of {count}")
            print("\n".join(one[:1500] for one in told[:4]), flush=True)
    print(f"{area}: {calls} calls, {failed} differences, {DEVICES} devices")
    if digest_path:
        with open(digest_path, "w") as file:
            file.writelines(f"{key} {value}\n" for key, value in digest.items())
    return failed


if __name__ == "__main__":
    sys.exit(min(main(*sys.argv[1:]), 100))
