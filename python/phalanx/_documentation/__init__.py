"""Docstrings in NumPy's style, composed from tables at the first use.

`functions.tsv` has the result, the collectivity and the errors of each function; `parameters`
describes the parameters; `rules` has the texts of the keys of both; `distribution.tsv`, which
`cargo xtask docs` writes, has the movement of data between devices.
"""

import functools
import importlib.resources
import inspect
import re
import sys
import textwrap

from .parameters import GENERAL, lookup
from .rules import COLLECTIVITY, DTYPES, ERRORS, LOOPS, SHAPES

_WIDTH = 88


class Rules:
    """The entries of the tables for a function."""

    def __init__(self, name, fields):
        self.name = name
        self.returns, self.shape, self.dtype, self.collectivity, errors = fields
        # Class, code and text of each error.
        self.errors = []
        for one in filter(None, errors.split("; ")):
            key, _, own = one.partition(": ")
            kind, code, text = ERRORS[key]
            self.errors.append((kind, code, own or text))


@functools.cache
def _table(name):
    """The rows of a table, each under every name of its first field."""
    text = importlib.resources.files(__name__).joinpath(name).read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines()[1:])
    return {name: fields for names, *fields in rows for name in names.split(" ")}


@functools.cache
def _otherwise():
    return lookup()


def rules(name):
    """The rules of a function, by its name without ``phalanx.``; None if there are none."""
    fields = _table("functions.tsv").get(name)
    return None if fields is None else Rules(name, fields)


def distribution(name):
    """The movement of data between devices by a function; None if the table has none."""
    return _table("distribution.tsv").get(name, [None])[0]


def split(text):
    """The parameters of a signature, as written, with the marks ``/`` and ``*``."""
    parts, depth, current, quoted = [], 0, "", False
    for letter in text:
        quoted ^= letter == "'"
        depth += 0 if quoted else (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0 and not quoted:
            parts.append(current.strip())
            current = ""
        else:
            current += letter
    return [part for part in [*parts, current.strip()] if part]


def parameter(function, name):
    """Type and text of a function's parameter; None if it is in no table."""
    return _otherwise().get((function, name)) or GENERAL.get(name)


def of_function(path, parameters, summary):
    """The docstring of a function at a path."""
    name = path.removeprefix("phalanx.")
    found = rules(name)
    described = [_parameter(name, part) for part in split(parameters) if part not in "/*"]
    first = split(parameters)[0].partition("=")[0] if parameters else ""
    sections = [f"{name.rpartition('.')[2]}({parameters})", "\n".join(_filled([summary], ""))]
    sections += _section("Parameters", described)
    if found is not None:
        sections += _section("Returns", [_returns(found, first.lstrip("*"))])
        sections += _section("Raises", _raised(found.errors))
        notes = [COLLECTIVITY.get(found.collectivity, found.collectivity)]
        sections += _section("Notes", ["\n".join(_filled(notes + _moves(name), ""))])
    return "\n\n".join(sections)


def describe(name, home=None):
    """Sets the whole docstrings of the functions of a Python module, and of the methods of its
    classes. Their source has only the first sentences. `home` is the name by which programs import
    the module."""
    home = home or name
    for own, value in list(vars(sys.modules[name]).items()):
        if own.startswith("_"):
            continue
        if inspect.isfunction(value):
            _describe(f"{home}.{own}", value, is_method=False)
        elif inspect.isclass(value) and value.__module__.startswith("phalanx."):
            for method, function in vars(value).items():
                # A class method contains its function.
                function = getattr(function, "__func__", function)
                if inspect.isfunction(function):
                    _describe(f"{home}.{own}.{method}", function, is_method=True)


def _describe(path, function, is_method):
    if rules(path.removeprefix("phalanx.")) is None:
        return
    signature = inspect.signature(function)
    if is_method:
        own = list(signature.parameters.values())[1:]
        signature = signature.replace(parameters=own)
    parameters = re.sub(r"<class '(\w+)'>", r"\1", str(signature)[1:-1])
    summary = (function.__doc__ or "").strip().split("\n\n")[0]
    function.__doc__ = of_function(path, parameters, " ".join(summary.split()))


def of_ufunc(name, parameters, summary, loops):
    """The docstring of an elementwise operation; `loops` has NumPy's type characters."""
    described = []
    for part in split(parameters):
        if part in "/*":
            continue
        own = part.partition("=")[0]
        kind, text = _OF_UFUNCS.get(own) or GENERAL[own]
        described.append(_described(own, kind, text, part))
    rule = _RULES_OF_UFUNCS.get(name) or rule_of_loops(loops)
    count = 2 if "out2" in parameters else 1
    returns = "(ndarray, ndarray)" if count == 2 else "ndarray"
    text = f"The shape to which the operands broadcast. Dtype: {LOOPS[rule]}."
    raised = [ERRORS["dtype"], ("TypeError", "", "`casting` does not allow the dtype of `out`")]
    if "x2" in parameters:
        raised += [ERRORS["broadcast"], ERRORS["range"]]
    if name == "power":
        raised += [("ValueError", "PX022", "an integer has a negative integer power")]
    notes = [COLLECTIVITY["local"] if name != "power" else _OF_POWER]
    notes += ["Distribution: local."]
    summary = "\n".join(_filled([summary], ""))
    sections = [f"{name}({parameters})", summary, *_section("Parameters", described)]
    sections += _section("Returns", [_entry(returns, text)])
    sections += _section("Raises", _raised(raised))
    sections += _section("Notes", ["\n".join(_filled(notes, ""))])
    return "\n\n".join(sections)


_OF_UFUNCS = {
    "out": ("ndarray or tuple of ndarray", "The array that is written and returned."),
    "out2": ("ndarray", "The array of the second result."),
    "where": ("array_like of bool", "Where the result is written. Elsewhere `out` keeps its "
              "elements; without `out` they are 0."),
    "dtype": ("dtype", "The dtype in which the operation is computed."),
    "casting": ("{'no', 'equiv', 'safe', 'same_kind', 'unsafe'}", "The casts that are allowed."),
    "order": ("{'C', 'F', 'A', 'K'}", "The order of the results in memory."),
}
# Rules that the loops do not show: integers are divided in float64, and exponents are integers.
_RULES_OF_UFUNCS = {"divide": "quotient", "frexp": "exponent"}
_OF_POWER = (
    "Local: recorded, and computed when a value is observed. Collective if integers are raised to "
    "the power of an array of integers that may be negative."
)


def rule_of_loops(loops):
    """The key of `LOOPS` that loops such as ``bb->b`` follow."""
    pairs = [loop.split("->") for group in loops for loop in group.split()]
    given = "".join(operands for operands, _ in pairs)
    if all(result == "?" for _, result in pairs):
        return "bool"
    if all(result == "B" for _, result in pairs):
        return "count"
    if "l" in given and any(set(operands) != {result} for operands, result in pairs):
        return "exponent" if "i" in given and "F" not in given else "modulus"
    if not any(letter in given for letter in "bBhHiIlL"):
        if "f" not in given:
            return "double"
        return "floating"
    return "promoted" if "?" in given else "integers"


def _parameter(function, part):
    name, _, default = part.partition("=")
    kind, text = parameter(function, name.lstrip("*")) or ("object", "")
    return _described(name, kind, text, part)


def _described(name, kind, text, part):
    default = part.partition("=")[2]
    if default == "None" and kind != "None":
        kind = kind.removesuffix(" or None") + ", optional"
    elif default and default != kind:
        kind += f", default: {default}"
    return _entry(f"{name} : {kind}", text)


def _returns(found, first):
    def of(table, key):
        key, semicolon, rest = key.partition("; ")
        return (table.get(key, key) + semicolon + rest).replace("{a}", first)

    text = ""
    if found.shape:
        shape = of(SHAPES, found.shape)
        text = f"{shape[0].upper()}{shape[1:]}."
    if found.dtype:
        dtype = of(DTYPES, found.dtype)
        text += f" Dtype: {dtype[0].lower() if dtype[:4] == 'What' else dtype[0]}{dtype[1:]}."
    return _entry(found.returns, text)


def _raised(errors):
    of_class = {}
    for kind, code, text in errors:
        sentence = f"{code}: {text}." if code else f"{text[0].upper()}{text[1:]}."
        of_class.setdefault(kind, []).append(sentence)
    return [_entry(kind, " ".join(texts)) for kind, texts in of_class.items()]


def _moves(name):
    how = distribution(name)
    return [f"Distribution: {how}."] if how else []


def _entry(term, text):
    return "\n".join([term, *_filled([text], "    ")])


def _filled(texts, indent):
    text = " ".join(filter(None, texts))
    return textwrap.wrap(
        text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False,
        break_on_hyphens=False,
    )


def _section(title, entries):
    if not entries:
        return []
    return ["\n".join([title, "-" * len(title), *entries])]
