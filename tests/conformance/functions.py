"""Expands the descriptions of functions in `functions/` and writes NumPy's answers.

    python functions.py DIRECTORY [TOPIC ...]

`functions/TOPIC.json` describes functions and their arguments; `functions/README.md` defines the
form. `DIRECTORY/functions/TOPIC.jsonl` then holds a line of JSON for each case: the call, its
arrays as bytes, the views of them, and NumPy's answer, or the class of its exception. The same
descriptions always give the same cases.

The Rust side is `tests/functions/`, which reads the directory named by
`PHALANX_CONFORMANCE_DATA`. Needs NumPy >= 2.2. SciPy answers for names such as
`scipy.special.i0`.
"""

import importlib
import itertools
import json
import math
import pathlib
import random
import sys
import warnings
import zlib

import numpy as np

DESCRIPTIONS = pathlib.Path(__file__).resolve().with_suffix("")
# The default number of cases of a pattern.
CASES = 40
DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 "
    "complex128"
).split()
# The classes by which errors are distinguished; others count as their nearest base among these.
CLASSES = (
    "AxisError LinAlgError ValueError TypeError IndexError OverflowError ZeroDivisionError "
    "MemoryError NotImplementedError KeyError AttributeError RuntimeError DTypePromotionError"
).split()


class Chooser:
    """Alternatives in random order; each occurs once before any is repeated."""

    def __init__(self, name):
        self.random = random.Random(zlib.crc32(name.encode()))
        self.queues = {}
        self.taken = []

    def pick(self, place, alternatives):
        queue = self.queues.setdefault((place, len(alternatives)), [])
        if not queue:
            queue.extend(range(len(alternatives)))
            self.random.shuffle(queue)
        chosen = queue.pop()
        self.taken.append((place, chosen))
        return alternatives[chosen]


class Case:
    """A call with its arguments."""

    def __init__(self, pattern, shared, chooser):
        self.shared = shared
        self.chooser = chooser
        self.random = chooser.random
        # For each array: the view, the base, and the operations from the base to the view.
        self.arrays = []
        together = pattern.get("together", [{}])
        self.together = chooser.pick("together", together)
        self.arguments = [
            self.value(node, f"{place}") for place, node in enumerate(pattern.get("arguments", []))
        ]
        self.keywords = {}
        for name, node in pattern.get("keywords", {}).items():
            value = self.value(node, name)
            if value is not ABSENT:
                self.keywords[name] = value
        while self.arguments and self.arguments[-1] is ABSENT:
            self.arguments.pop()

    def value(self, node, place):
        """The Python value of a node of the description."""
        if isinstance(node, list):
            return [self.value(item, f"{place}.{at}") for at, item in enumerate(node)]
        if not isinstance(node, dict):
            return node
        kind, content = next(iter(node.items()))
        place = f"{place}.{kind}"
        match kind:
            case "choice":
                chosen = self.chooser.pick(place, content)
                return self.value(chosen, f"{place}.{content.index(chosen)}")
            case "use":
                return self.value(self.together[content], place)
            case "array":
                return self.array(content, place)
            case "tuple":
                content = content if isinstance(content, list) else self.value(content, place)
                return tuple(self.value(content, place))
            case "same_as":
                return self.arrays[content][0]
            case "function":
                return function(np, content)
            case "absent":
                return ABSENT
            case "dtype":
                return np.dtype(self.one_of(content, "dtypes", place))
            case "float":
                return float(content)
            case "complex":
                return complex(*content)
            case "scalar":
                content = {"shape": [], "values": "small", **content}
                dtype = np.dtype(self.one_of(field(content, "dtype"), "dtypes", place + "dtype"))
                return self.values(content["values"], (), dtype, place)[()]
            case "slice":
                return slice(*content)
            case "ellipsis":
                return Ellipsis
            case "axis_of":
                return self.axis(self.shape_of(content))
            case "axes_of":
                return self.axes(self.shape_of(content))
            case "permutation_of":
                order = list(range(len(self.shape_of(content))))
                self.random.shuffle(order)
                if order and self.random.random() < 0.08:
                    order[0] = self.random.choice([order[-1], len(order)])
                return tuple(self.negated(axis, len(order)) for axis in order)
            case "reshape_of":
                return self.reshaped(self.shape_of(content))
        raise SystemExit(f"{kind} at {place} is no kind of argument")

    def shape_of(self, number):
        return self.arrays[number][0].shape

    def one_of(self, alternatives, group, place):
        """An item of a list, of the shared list with this name, or the single value."""
        if isinstance(alternatives, dict):
            alternatives = self.value(alternatives, place)
        if isinstance(alternatives, str):
            alternatives = self.shared[group].get(alternatives, [alternatives])
        if group == "shapes" and all(isinstance(extent, int) for extent in alternatives):
            return alternatives
        return self.chooser.pick(place, alternatives)

    def negated(self, axis, ndim):
        return axis - ndim if self.random.random() < 0.3 else axis

    def axis(self, shape):
        ndim = len(shape)
        if ndim == 0 or self.random.random() < 0.06:
            return self.random.choice([ndim, -ndim - 1, 0])
        return self.negated(self.random.randrange(ndim), ndim)

    def axes(self, shape):
        ndim = len(shape)
        draw = self.random.random()
        if draw < 0.25:
            return None
        if draw < 0.6 or ndim == 0:
            return self.axis(shape)
        axes = self.random.sample(range(ndim), self.random.randint(0 if draw < 0.65 else 1, ndim))
        if axes and draw > 0.96:
            axes.append(self.random.choice([axes[0], ndim]))
        return tuple(self.negated(axis, ndim) for axis in axes)

    def reshaped(self, shape):
        size, extents = math.prod(shape), []
        for _ in range(self.random.randint(0, 2)):
            divisors = [by for by in range(1, size + 1) if size % by == 0] or [0, 2]
            extents.append(self.random.choice(divisors))
            size //= max(extents[-1], 1)
        extents.insert(self.random.randint(0, len(extents)), size)
        if self.random.random() < 0.25:
            extents[self.random.randrange(len(extents))] = -1
        if self.random.random() < 0.05:
            extents.append(2)
        return tuple(extents)

    def array(self, content, place):
        if isinstance(content, str):
            content = {"like": content}
        while "like" in content:
            rest = {key: value for key, value in content.items() if key != "like"}
            base = self.shared["arrays"][content["like"]]
            # A field given in the singular replaces the plural one, and the reverse.
            base = {key: value for key, value in base.items() if not {key, key + "s"} & rest.keys()}
            base = {key: value for key, value in base.items() if key.removesuffix("s") not in rest}
            content = {**base, **rest}
        dtype = np.dtype(
            self.one_of(field(content, "dtype", "float64"), "dtypes", place + ".dtype")
        )
        layout = self.one_of(field(content, "layout", "C"), "layouts", place + ".layout")
        if "data" in content:
            data = np.array(self.value(content["data"], place)).astype(dtype)
        else:
            shape = tuple(self.one_of(field(content, "shape"), "shapes", place + ".shape"))
            data = self.values(content.get("values", "small"), shape, dtype, place)
        base, steps, view = self.laid_out(data, layout)
        self.arrays.append((view, base, steps))
        return view

    def values(self, kind, shape, dtype, place):
        kind = self.one_of(kind, "values", place + ".values")
        name, _, rest = kind.partition("(")
        parameters = [float(text) for text in rest.rstrip(")").split(",") if text]
        seed = self.random.getrandbits(32)
        if name not in VALUES:
            raise SystemExit(f"{name} at {place} is no kind of values")
        with np.errstate(all="ignore"):
            made = VALUES[name](np.random.RandomState(seed), shape, dtype, *parameters)
            return np.ascontiguousarray(np.asarray(made).astype(dtype)).reshape(shape)

    def laid_out(self, data, layout):
        """A base, the operations to a view with these elements, and the view."""
        shape, ndim = data.shape, data.ndim
        whole = [[None, None, None]] * ndim
        if layout == "C" or ndim == 0:
            return (data, [], data) if layout != "inner" else self.inner(data)
        if layout in ("F", "transposed"):
            order = list(range(ndim))[::-1]
            if layout == "transposed":
                self.random.shuffle(order)
            base = np.ascontiguousarray(data.transpose(np.argsort(order)))
            return base, [["transpose", order]], base.transpose(order)
        axis = self.random.randrange(ndim)
        if layout == "strided":
            whole[axis] = [None, None, 2]
            extents = list(shape)
            extents[axis] = max(2 * shape[axis] - self.random.randint(0, 1), 0)
            base = np.full(extents, 1, data.dtype)
        elif layout == "reversed":
            axes = [axis] if self.random.random() < 0.5 else range(ndim)
            for one in axes:
                whole[one] = [None, None, -1]
            base = np.empty(shape, data.dtype)
        elif layout == "cropped":
            whole[axis] = [1, 1 + shape[axis], None]
            extents = list(shape)
            extents[axis] += 2
            base = np.full(extents, 1, data.dtype)
        elif layout == "broadcast":
            index = tuple(slice(0, 1) if one == axis else slice(None) for one in range(ndim))
            base = data[index].copy()
            return base, [["broadcast", list(shape)]], np.broadcast_to(base, shape)
        else:
            raise SystemExit(f"{layout} is no layout")
        view = base[tuple(slice(*one) for one in whole)]
        view[...] = data
        return base, [["index", whole]], view

    def inner(self, data):
        base = np.array([1, 1, 1]).astype(data.dtype)
        base[1] = data
        return base, [["index", [1]]], base[1, ...]

    def encoded(self, value):
        """A value as JSON: arrays by number, values that JSON lacks by an object of one entry."""
        for number, (view, _, _) in enumerate(self.arrays):
            if view is value:
                return {"array": number}
        match value:
            case None | bool() | str():
                return value
            case np.generic():
                return {"scalar": [value.dtype.name, value.tobytes().hex()]}
            case int():
                return value if abs(value) < 2**63 else {"integer": str(value)}
            case float():
                return value if math.isfinite(value) else {"float": str(value)}
            case complex():
                return {"complex": [value.real, value.imag]}
            case list():
                return [self.encoded(item) for item in value]
            case tuple():
                return {"tuple": [self.encoded(item) for item in value]}
            case np.dtype():
                return {"dtype": value.name}
            case _ if callable(value):
                return {"function": value.__name__}
            case slice():
                return {"slice": [value.start, value.stop, value.step]}
            case _ if value is Ellipsis:
                return {"ellipsis": True}
        raise SystemExit(f"{value!r} cannot be an argument")

    def text(self, name):
        """The call as Python, with arrays by the letters a, b, c, …"""

        def written(value):
            for number, (view, _, _) in enumerate(self.arrays):
                if view is value:
                    return chr(ord("a") + number)
            match value:
                case list():
                    return "[" + ", ".join(map(written, value)) + "]"
                case tuple():
                    inside = ", ".join(map(written, value))
                    return f"({inside},)" if len(value) == 1 else f"({inside})"
                case np.dtype():
                    return f"np.{value.name}"
                case np.generic():
                    return f"np.{value.dtype.name}({value.item()!r})"
                case _ if callable(value):
                    return f"np.{value.__name__}"
            return repr(value)

        arguments = [written(value) for value in self.arguments]
        keywords = [f"{key}={written(value)}" for key, value in self.keywords.items()]
        if name.startswith("ndarray."):
            first, name = arguments.pop(0), name.removeprefix("ndarray.")
            return f"{first}.{name}({', '.join(arguments + keywords)})"
        if name.startswith("random.Generator."):
            seed, name = arguments.pop(0), name.removeprefix("random.Generator.")
            call = f"{name}({', '.join(arguments + keywords)})"
            return f"np.random.default_rng({seed}).{call}"
        return f"np.{name}({', '.join(arguments + keywords)})"


ABSENT = object()


def field(content, name, default=None):
    return content.get(name, content.get(name + "s", default))


# Values of arrays.


def some(random, shape, dtype, low, high):
    """Whole numbers; for floats, multiples of a quarter."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return random.randint(0, 2, shape)
    if kind == "u":
        return random.randint(max(low, 0), high + 1, shape)
    if kind == "i":
        return random.randint(low, high + 1, shape)
    quarters = random.randint(4 * low, 4 * high + 1, shape) / 4
    if kind == "c":
        return quarters + 1j * (random.randint(4 * low, 4 * high + 1, shape) / 4)
    return quarters


def specials(dtype):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return [False, True]
    if kind in "iu":
        info = np.iinfo(dtype)
        return [0, 1, info.min, info.max, info.max - 1, info.min + 1, 2]
    info = np.finfo(dtype)
    real = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -2.5, float(info.tiny)]
    real += [float(info.smallest_subnormal), 3.0]
    if kind == "c":
        return [complex(a, b) for a, b in itertools.product(real[:8], real[:8])]
    return real


def special(random, shape, dtype):
    values = np.array(specials(dtype), dtype)
    return values[random.randint(0, len(values), shape)]


def mixed(random, shape, dtype, share=0.3):
    values = np.asarray(some(random, shape, dtype, -5, 5)).astype(dtype)
    return np.where(random.random_sample(shape) < share, special(random, shape, dtype), values)


def with_nan(random, shape, dtype, share=0.25):
    values = np.asarray(some(random, shape, dtype, -5, 5)).astype(dtype)
    if np.dtype(dtype).kind not in "fc":
        return values
    return np.where(random.random_sample(shape) < share, np.array(np.nan, dtype), values)


def uniform(random, shape, dtype, low, high):
    kind = np.dtype(dtype).kind
    if kind in "biu":
        return random.randint(math.ceil(max(low, 0) if kind != "i" else low), int(high) + 1, shape)
    values = random.uniform(low, high, shape)
    return values + 1j * random.uniform(low, high, shape) if kind == "c" else values


def permuted(random, shape, dtype):
    return random.permutation(math.prod(shape)).reshape(shape)


def indices(random, shape, dtype, count):
    low = 0 if np.dtype(dtype).kind == "u" else -int(count)
    return random.randint(low, max(int(count), 1), shape)


def nonnegative_indices(random, shape, dtype, count):
    return random.randint(0, max(int(count), 1), shape)


def increasing(random, shape, dtype):
    return np.sort(np.asarray(some(random, shape, dtype, -9, 9)).astype(dtype), axis=-1)


def distinct_increasing(random, shape, dtype):
    count = math.prod(shape)
    return (np.cumsum(random.randint(1, 4, count)) - 3).reshape(shape)


def matrix(random, shape, dtype):
    values = random.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.uniform(-1, 1, shape)
    return values


def well_conditioned(random, shape, dtype):
    return matrix(random, shape, dtype) + 2 * shape[-1] * np.eye(shape[-2], shape[-1])


def positive_definite(random, shape, dtype):
    factor = matrix(random, shape, dtype)
    return factor @ np.swapaxes(factor, -1, -2).conj() + np.eye(shape[-1])


def hermitian(random, shape, dtype):
    factor = matrix(random, shape, dtype)
    return factor + np.swapaxes(factor, -1, -2).conj()


def singular(random, shape, dtype):
    values = matrix(random, shape, dtype)
    values[..., -1:] = 0
    return values


def real_edges(random, shape, dtype):
    """Floats of all magnitudes."""
    values = random.choice([-1, 1], shape) * 2.0 ** random.uniform(-8, 8, shape)
    return values + 1j * random.uniform(-2, 2, shape) if np.dtype(dtype).kind == "c" else values


VALUES = {
    "small": lambda r, s, d: some(r, s, d, -5, 5),
    "positive": lambda r, s, d: some(r, s, d, 1, 6),
    "nonnegative": lambda r, s, d: some(r, s, d, 0, 6),
    "few": lambda r, s, d: some(r, s, d, 0, 2) if d.kind in "biu" else r.randint(0, 4, s),
    "between": lambda r, s, d, low, high: uniform(r, s, d, low, high),
    "integers": lambda r, s, d, low, high: r.randint(int(low), int(high) + 1, s),
    "unit": lambda r, s, d: uniform(r, s, d, -1, 1),
    "normal": lambda r, s, d: r.standard_normal(s) * (1 + 1j if d.kind == "c" else 1),
    "magnitudes": real_edges,
    "special": special,
    "mixed": mixed,
    "nan": with_nan,
    "boolean": lambda r, s, d: r.randint(0, 2, s),
    "zeros": lambda r, s, d: np.zeros(s),
    "ones": lambda r, s, d: np.ones(s),
    "count": lambda r, s, d: np.arange(math.prod(s)).reshape(s),
    "permutation": permuted,
    "sorted": increasing,
    "increasing": distinct_increasing,
    "indices": indices,
    "positions": nonnegative_indices,
    "matrix": matrix,
    "well_conditioned": well_conditioned,
    "positive_definite": positive_definite,
    "hermitian": hermitian,
    "singular": singular,
}


# NumPy's answers.


def function(module, name):
    """The function, method or attribute of this name, as a callable."""
    if name.startswith("ndarray."):
        attribute = name.removeprefix("ndarray.")

        def call(array, *arguments, **keywords):
            found = getattr(array, attribute)
            return found(*arguments, **keywords) if callable(found) else found

        return call
    if name.startswith("random.Generator."):
        method = name.removeprefix("random.Generator.")

        def drawn(seed, *arguments, **keywords):
            return getattr(module.random.default_rng(seed), method)(*arguments, **keywords)

        return drawn
    home, _, attribute = name.rpartition(".")
    if module is np and home.startswith("scipy."):
        return getattr(importlib.import_module(home), attribute)
    found = module
    for part in name.split("."):
        found = getattr(found, part)
    return found


def root(array):
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def answer(value, case, layout):
    """An answer as JSON."""
    match value:
        case np.ndarray() | np.generic():
            array = np.asarray(value)
            if array.dtype.name not in DTYPES:
                raise TypeError(f"an answer of dtype {array.dtype}")
            told = {"values": [array.dtype.name, list(array.shape), array.tobytes().hex()]}
            if layout and isinstance(value, np.ndarray):
                told["strides"] = [stride // array.itemsize for stride in value.strides]
                shared = [n for n, one in enumerate(case.arrays) if root(one[0]) is root(value)]
                told["shares"] = shared
            return told
        case tuple() | list():
            return {"items": [answer(item, case, layout) for item in value]}
        case None | bool() | int() | str():
            return {"python": value}
        case float() | complex():
            return answer(np.asarray(value)[()], case, False)
        case np.dtype():
            return {"dtype": value.name}
        case type() if issubclass(value, np.generic):
            return {"dtype": np.dtype(value).name}
    raise TypeError(f"an answer of type {type(value)}")


def error_class(error):
    names = [base.__name__ for base in type(error).__mro__]
    return next((name for name in names if name in CLASSES), names[0])


def line(name, described, pattern, case):
    setting = lambda key, default: pattern.get(key, described.get(key, default))
    told = {
        "function": name,
        "text": case.text(name),
        "arrays": [
            [base.dtype.name, list(base.shape), base.tobytes().hex(), steps]
            for _, base, steps in case.arrays
        ],
        "arguments": [case.encoded(value) for value in case.arguments],
        "keywords": {key: case.encoded(value) for key, value in case.keywords.items()},
        "tolerance": setting("tolerance", "exact"),
        "compare": setting("compare", "values"),
    }
    mutated = setting("mutates", None)
    layout = setting("layout", False)
    called = function(np, name)
    try:
        result = called(*case.arguments, **case.keywords)
    except Exception as error:
        told["expected"] = {"raises": error_class(error)}
        return told
    if mutated is not None:
        view, base, _ = case.arrays[mutated]
        told["mutates"] = mutated
        result = (view, base)
    told["expected"] = answer(result, case, layout)
    return told


def cases(described, name, shared):
    """The cases of a function, each with its pattern."""
    for number, pattern in enumerate(described["patterns"]):
        chooser = Chooser(f"{name} {number}")
        wanted, seen = pattern.get("cases", described.get("cases", CASES)), set()
        for _ in range(3 * wanted):
            if len(seen) == wanted:
                break
            chooser.taken.clear()
            case = Case(pattern, shared, chooser)
            key = (tuple(chooser.taken), case.text(name))
            if key not in seen:
                seen.add(key)
                yield pattern, case


def topics():
    paths = sorted(DESCRIPTIONS.glob("*.json"))
    return [path.stem for path in paths if path.stem != "shared"]


def description(topic):
    return json.loads((DESCRIPTIONS / f"{topic}.json").read_text())


def main(directory, chosen):
    folder = pathlib.Path(directory) / "functions"
    folder.mkdir(parents=True, exist_ok=True)
    shared = description("shared")
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for topic in chosen or topics():
            lines = []
            described_topic = description(topic)
            extended = {
                group: {**shared[group], **described_topic.get(group, {})} for group in shared
            }
            for described in described_topic["functions"]:
                names = described["name"]
                for name in names if isinstance(names, list) else [names]:
                    try:
                        for pattern, case in cases(described, name, extended):
                            lines.append(line(name, described, pattern, case))
                    except Exception as error:
                        error.add_note(f"in {topic}.json, function {name}")
                        raise
            text = "".join(json.dumps(told, separators=(",", ":")) + "\n" for told in lines)
            (folder / f"{topic}.jsonl").write_text(text)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
