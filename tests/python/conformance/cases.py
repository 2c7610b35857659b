"""Cases: calls with their arrays, and NumPy's answers.

`tests/conformance/functions.py` expands the descriptions in `tests/conformance/functions/` to lines
of JSON, which this module reads. The code that made NumPy's answers also resolves the names of
functions here.
"""

import functools
import importlib.util
import json
import os
import pathlib
import re
import zlib

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[3]
NAME = re.compile(r'^\{"function":"([^"]*)"')
# Elements of an array that a message shows.
SHOWN_ELEMENTS = 40


@functools.cache
def expansion():
    """`tests/conformance/functions.py` as a module."""
    path = ROOT / "tests" / "conformance" / "functions.py"
    found = importlib.util.spec_from_file_location("conformance_functions", path)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def folder():
    """The folder with NumPy's answers, or None."""
    data = os.environ.get("PHALANX_CONFORMANCE_DATA")
    return pathlib.Path(data) / "functions" if data else None


@functools.cache
def topics():
    """For each topic, the lines of each of its functions."""
    found = {}
    for path in sorted(folder().glob("*.jsonl")) if folder() else ():
        functions = found.setdefault(path.stem, {})
        for line in path.read_text().splitlines():
            functions.setdefault(NAME.match(line)[1], []).append(line)
    return found


def chosen(lines, devices, full):
    """All lines on 1 and 3 devices; a quarter on other numbers, a different one for each."""
    if full or devices in (1, 3):
        return lines
    return [line for line in lines if zlib.crc32(line.encode()) % 4 == devices % 4]


def exists(module, name):
    """Whether a module has a function, method or attribute of this name."""
    if name.startswith("random.Generator."):
        generator = getattr(getattr(module, "random", None), "Generator", None)
        return hasattr(generator, name.removeprefix("random.Generator."))
    found = module
    for part in name.split("."):
        found = getattr(found, part, None)
        if found is None:
            return False
    return True


class Given:
    """An array among the arguments: a base, and the operations to a view of it."""

    def __init__(self, told):
        dtype, shape, digits, self.steps = told
        self.base = numpy.frombuffer(bytes.fromhex(digits), dtype).reshape(shape)

    def made(self, module, base):
        """The view of a base that is an array of the module."""
        view = base
        for kind, parameter in self.steps:
            match kind:
                case "transpose":
                    view = view.transpose(parameter)
                case "broadcast":
                    view = module.broadcast_to(view, tuple(parameter))
                case _:
                    view = view[tuple(map(item, parameter))]
        return view

    def statement(self, letter):
        """The statement of Python that makes the view."""
        elements = [repr(element) for element in self.base.ravel().tolist()]
        if len(elements) > SHOWN_ELEMENTS:
            more = f"... ({len(elements)} in all)"
            elements = elements[:SHOWN_ELEMENTS] + [more]
        text = f"np.array([{', '.join(elements)}], np.{self.base.dtype.name})"
        text += f".reshape({self.base.shape})"
        for kind, parameter in self.steps:
            match kind:
                case "transpose":
                    text += f".transpose({parameter})"
                case "broadcast":
                    text = f"np.broadcast_to({text}, {tuple(parameter)})"
                case _:
                    text += f"[{', '.join(map(item_text, parameter))}]"
        return f"{letter} = {text}"


def item(told):
    """An item of an index."""
    return slice(*told) if isinstance(told, list) else told


def item_text(told):
    """An item of an index as Python writes it."""
    if not isinstance(told, list):
        return str(told)
    start, stop, step = ("" if bound is None else str(bound) for bound in told)
    return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"


class Case:
    """A line: a call, its arrays, and NumPy's answer."""

    def __init__(self, line):
        self.line = json.loads(line)
        self.function = self.line["function"]
        self.expected = self.line["expected"]
        self.given = [Given(told) for told in self.line["arrays"]]

    def words(self):
        """The statements that make the arrays, and the call."""
        letters = "abcdefghijklmnopqrstuvwxyz"
        lines = [given.statement(letter) for given, letter in zip(self.given, letters)]
        return "\n      ".join([*lines, self.line["text"]])

    def arrays(self, module):
        """The bases and the views of them, as arrays of a module."""
        bases = [module.asarray(given.base.copy()) for given in self.given]
        views = [given.made(module, base) for given, base in zip(self.given, bases)]
        return bases, views

    def call(self, module, views):
        """The answer of the module's function."""
        arguments = [self.value(one, module, views) for one in self.line["arguments"]]
        keywords = {
            name: self.value(one, module, views) for name, one in self.line["keywords"].items()
        }
        return expansion().function(module, self.function)(*arguments, **keywords)

    def argument(self, place, name, default=None):
        """An argument other than an array, by its position or its name."""
        if len(self.line["arguments"]) > place:
            return self.value(self.line["arguments"][place], numpy, [])
        if name in self.line["keywords"]:
            return self.value(self.line["keywords"][name], numpy, [])
        return default

    def value(self, told, module, views):
        """The value of a JSON node."""
        if isinstance(told, list):
            return [self.value(one, module, views) for one in told]
        if not isinstance(told, dict):
            return told
        ((kind, content),) = told.items()
        match kind:
            case "array":
                return views[content]
            case "scalar":
                dtype, digits = content
                return numpy.frombuffer(bytes.fromhex(digits), dtype)[0]
            case "integer":
                return int(content)
            case "float":
                return float(content)
            case "complex":
                return complex(*content)
            case "tuple":
                return tuple(self.value(one, module, views) for one in content)
            case "dtype":
                return numpy.dtype(content)
            case "function":
                return getattr(module, content)
            case "slice":
                return slice(*content)
            case "ellipsis":
                return Ellipsis
        raise ValueError(f"bug: {kind} is no kind of argument")
