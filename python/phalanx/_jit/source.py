"""The source of a Python function that is translated: its syntax tree, its lines and its names."""

import ast as _ast
import inspect as _inspect
import os as _os
import textwrap as _textwrap
import weakref as _weakref

from .._phalanx import _refusal

_sources = _weakref.WeakKeyDictionary()
# The trees by code objects: functions that a function makes share their text.
_trees = _weakref.WeakKeyDictionary()


class _Names:
    """The names outside of a function: its enclosing variables, then its globals. They are read at
    each use, so that a name may be defined after the function is."""

    def __init__(self, function):
        self._globals = function.__globals__
        cells = function.__closure__ or ()
        self._cells = dict(zip(function.__code__.co_freevars, cells))

    def __contains__(self, name):
        if name in self._cells:
            try:
                self._cells[name].cell_contents
            except ValueError:
                return False
            return True
        return name in self._globals

    def __getitem__(self, name):
        return self._cells[name].cell_contents if name in self._cells else self._globals[name]


class Source:
    """The syntax tree of a function, and what the translation asks about it."""

    def __init__(self, function, node, first_line, lines):
        self.name, self.node = function.__name__, node
        self.outer = _Names(function)
        self._file = _os.path.basename(function.__code__.co_filename)
        self._first_line, self._lines = first_line, lines
        arguments = node.args
        self.parameters = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
            raise _refusal(
                TypeError, "type",
                f"{self.name}(), line {first_line} of {self._file}: a function of a kernel has "
                "positional parameters only",
                "name each parameter; use no * and no **",
            )
        self.stores = self._count_stores()
        self.locals = {*self.stores, *self.parameters}

    def _count_stores(self):
        """How often each local name is assigned; a parameter is assigned by the call."""
        counts = dict.fromkeys(self.parameters, 1)
        for node in _ast.walk(self.node):
            if isinstance(node, _ast.Name) and isinstance(node.ctx, _ast.Store):
                counts[node.id] = counts.get(node.id, 0) + 1
        return counts

    def place(self, node):
        """Where a node is, and its line."""
        number = getattr(node, "lineno", 1)
        where = f"{self.name}(), line {self._first_line + number - 1} of {self._file}"
        return where, self._lines[number - 1].strip()


def source_of(function):
    """The source of a function; it is read once."""
    if function not in _sources:
        code = getattr(function, "__code__", None)
        if code not in _trees:
            node, first_line, lines = _read(function)
            _trees[code] = node, first_line, lines
        _sources[function] = Source(function, *_trees[code])
    return _sources[function]


def _read(function):
    """The tree of a function, the number of its first line, and its lines."""
    try:
        lines, first_line = _inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise _refusal(
            TypeError, "type",
            f"{getattr(function, '__name__', function)}(): the source is not there, so the "
            "function cannot be translated",
            "write the function in a file or in a cell of a notebook",
        ) from None
    text = _textwrap.dedent("".join(lines))
    if function.__name__ == "<lambda>":
        return _read_lambda(function, text, first_line)
    return _ast.parse(text).body[0], max(first_line, 1), text.splitlines()


def _read_lambda(function, text, first_line):
    """The lines around a lambda need not be a statement, so its text is cut out by the places that
    Python keeps of its body."""
    first_line = max(first_line, 1)
    tree = _parse_around(text)
    if tree is None:
        raise _refusal(
            TypeError, "type", f"line {first_line}: the source of the lambda cannot be read",
            "write the function with def",
        )
    lambdas = [one for one in _ast.walk(tree) if isinstance(one, _ast.Lambda)]
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    fitting = [
        one for one in lambdas
        if tuple(each.arg for each in one.args.args) == names and _compiles_to(one, code)
    ]
    if not fitting:
        fitting = lambdas if len(lambdas) == 1 else []
    if not fitting:
        raise _refusal(
            TypeError, "type", f"line {first_line}: there are several lambdas in the line",
            "write the function with def",
        )
    return fitting[0], first_line, text.splitlines()


def _parse_around(text):
    """The tree of lines that are part of a statement."""
    stripped = text.strip()
    start = stripped.find("lambda")
    for end in range(len(stripped), start, -1):
        for first in (0, start):
            try:
                return _ast.parse(stripped[first:end])
            except SyntaxError:
                continue
    return None


def _compiles_to(node, code):
    """Whether a lambda has the instructions of a code object."""
    compiled = compile(_ast.Expression(node), "<lambda>", "eval")
    inner = next(one for one in compiled.co_consts if hasattr(one, "co_code"))
    return inner.co_consts == code.co_consts and inner.co_names == code.co_names
