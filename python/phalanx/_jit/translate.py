"""The translation of Python functions to CUDA C++: statements, names and programs.

A program is the text of one kernel, or of one function of scalars, for one tuple of argument types.
Each Python function that it calls is translated once for each tuple of types. Local variables are
declared at the top of their function, where their types are known from their first assignments.
Expressions are in ``expressions``, calls in ``calls``.
"""

import ast as _ast
import builtins as _builtins
import contextlib as _contextlib
import re as _re

import numpy as _numpy

from . import algorithms as _algorithms
from . import prelude as _prelude
from .calls import Calls
from .expressions import Expressions
from .source import source_of
from .types import (
    INT32, INT64, UINT64, Array, Data, Known, Record, Scalar, Several, Variable, c_name, convert,
    fits, is_number, literal, literal_dtype, operand, promote, spelling,
)
from .._phalanx import _refusal

# A function that makes another one of itself with new constants never ends: see Program.function.
_MOST_FUNCTIONS = 200

_HINTS = {
    "AsyncFor": "use `for`",
    "AsyncFunctionDef": "define a device function outside: @jit.rawkernel(device=True)",
    "Assert": "leave it out, or store a flag in an array",
    "ClassDef": "define classes outside of kernels",
    "Delete": "leave it out",
    "Dict": "pass arrays, or use a tuple",
    "DictComp": "write a `for` loop",
    "FunctionDef": "define a device function outside: @jit.rawkernel(device=True)",
    "GeneratorExp": "write a `for` loop",
    "Global": "store results in an array that is an argument",
    "Import": "import it outside of the kernel",
    "ImportFrom": "import it outside of the kernel",
    "JoinedStr": "use print() with several arguments",
    "Lambda": "define a device function outside: @jit.rawkernel(device=True)",
    "List": "use a tuple, or jit.shared_memory",
    "ListComp": "write a `for` loop",
    "Match": "use if and elif",
    "NamedExpr": "assign it in a statement of its own",
    "Nonlocal": "return the value",
    "Raise": "store a flag in an array, and raise the error after the call",
    "Set": "use a tuple",
    "SetComp": "write a `for` loop",
    "Starred": "name each of the values",
    "Try": "test for the condition with `if`",
    "With": "write its effects as statements",
    "Yield": "store results in an array",
}


class _Widen(Exception):
    """The type of a variable must be wider than that of its first assignment, a Python number."""


class _Later:
    """A returned value, which is converted once the types of all returned values are known."""

    def __init__(self, node, value):
        self.node, self.value = node, value


class Program:
    """The text of a kernel, and the functions that it calls."""

    def __init__(self, mode, plain=False):
        self.mode = mode
        # A plain text has no variables of helper statements: for ElementwiseKernel.
        self.plain = plain
        self.texts = {}
        self.headers = set()
        self.cooperative = False
        self.shared_alignment = 16
        self._names = set()
        self._translated = {}
        self._running = set()

    def function(self, name, text):
        """Adds a function of C++, once."""
        self.texts.setdefault(name, text)

    def call(self, caller, node, function, arguments, mode=None):
        """The name in C++ and the result type of a Python function for some arguments. A device
        function has a mode of its own; other functions have that of their caller."""
        mode = mode or caller.mode
        key = (function, mode, tuple(_key(one) for one in arguments))
        if key in self._running:
            caller.fail(
                node, f"{function.__name__}() calls itself", ValueError, "value",
                "write a loop: functions of kernels cannot be recursive",
            )
        if key not in self._translated:
            if len(self._translated) >= _MOST_FUNCTIONS:
                caller.fail(
                    node, f"the kernel calls more than {_MOST_FUNCTIONS} functions", ValueError,
                    "value", "functions that make functions must come to an end",
                )
            self._running.add(key)
            try:
                name = c_name(function.__name__.strip("<>"), self._names, "jit_")
                made = translate(self, function, arguments, name, mode)
                self._translated[key] = (name, made.result)
                self.texts[name] = made.text
            finally:
                self._running.discard(key)
        return self._translated[key]

    def assemble(self, *last):
        """The whole text: the parts of the prelude that are used, the functions, and ``last``."""
        body = "\n\n".join([*self.texts.values(), *last])
        if self.plain:
            return body
        headers = [text for name, text in _prelude.HEADERS.items() if name in self.headers]
        parts = _algorithms.parts_of(body)
        whole = "".join(parts) + body
        uses = {
            "half": r"\bhalf\b", "complex": r"\bcomplex<", "array": r"phalanx::Array<",
            "atomics": r"phalanx::atomic_update", "groups": r"phalanx::(ThreadBlock|Grid|Triple)",
            "waiting copies": r"phalanx::(memcpy_async|wait_for_copies)",
            "functors": r"phalanx::(Sum|Max|Min)\b", "reductions": r"phalanx::\w+Reduce<",
        }
        prelude = [
            text for name, text in _prelude.PARTS.items() if _re.search(uses[name], whole)
        ]
        return "\n".join([*headers, *prelude, *parts, body, ""])


def _key(argument):
    """What a translated function depends on, of an argument."""
    if isinstance(argument, Data):
        return argument.type
    if isinstance(argument, Several):
        return tuple(_key(one) for one in argument.items)
    try:
        hash(argument.value)
    except TypeError:
        return (type(argument.value), id(argument.value))
    return (type(argument.value), argument.value)


class Function(Expressions, Calls):
    """The translation of one Python function for arguments of some types."""

    def __init__(self, program, source, mode, widened):
        self.program, self.mode, self.source = program, mode, source
        self.widened = widened
        self.names = set()
        self.environment = {}
        self.variables = {}
        self.declarations = []
        self.lines = []
        self.returned = []
        self.depth = 1
        # Whether the present expression may be skipped, so that no statement may precede it.
        self.guarded = False
        # The conditions under which it is evaluated.
        self.conditions = []
        # Whether the present statement is in a branch or a loop.
        self.branches = 0
        self.loops = []

    # Errors and lines of text

    def fail(self, node, text, kind=TypeError, mistake="type", hint=None):
        """Raises an error that names the function and the line of the program."""
        where, line = self.source.place(node)
        hint = hint or "docs/kernels.md states what kernels from Python may contain"
        raise _refusal(kind, mistake, f"{where}: {text}: `{line}`", hint)

    def unsupported(self, node):
        name = type(node).__name__
        words = _re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
        self.fail(node, f"`{words}` is not there in kernels", hint=_HINTS.get(name))

    def emit(self, line):
        self.lines.append("    " * self.depth + line)

    def before(self, node, line):
        """Adds a statement before the present one."""
        if self.guarded:
            self.fail(
                node, "this value needs a statement of its own, and its expression may be skipped",
                hint="assign it to a variable before",
            )
        self.emit(line)

    @_contextlib.contextmanager
    def block(self, head):
        self.emit(f"{head} {{")
        self.depth += 1
        self.branches += 1
        try:
            yield
        finally:
            self.depth -= 1
            self.branches -= 1
        self.emit("}")

    @_contextlib.contextmanager
    def guard(self, condition=None, guarded=True):
        """The expressions inside may be skipped: they are evaluated if the condition holds."""
        before, self.guarded = self.guarded, guarded
        count = len(self.conditions)
        if condition is not None:
            self.conditions.append(condition)
        try:
            yield
        finally:
            self.guarded = before
            del self.conditions[count:]

    # Variables

    def declare(self, name, type):
        """A variable of C++ with a name that is not in use."""
        name = c_name(name, self.names)
        start = ""
        if self.program.plain and isinstance(type, Scalar):
            # A reader that computes both branches reads variables before they are assigned.
            start = f" = {literal(0, type.dtype)}"
        self.declarations.append(f"    {type.c} {name}{start};")
        return name

    def temporary(self, type):
        return self.declare("temporary", type)

    def bind_parameter(self, name, argument):
        """Binds a parameter of the function; returns the parameters of C++."""
        if isinstance(argument, Several):
            parameters, items = [], []
            for number, one in enumerate(argument.items):
                parameters += self.bind_parameter(f"{name}.{number}", one)
                items.append(self.environment[f"{name}.{number}"])
            self.environment[name] = Several(items)
            return parameters
        if isinstance(argument, Known):
            self.environment[name] = argument
            return []
        in_c = c_name(name.replace(".", "_"), self.names)
        self.variables[name] = Variable(in_c, argument.type, False)
        self.environment[name] = Data(in_c, argument.type)
        return [f"{argument.type.c} {in_c}"]

    def set_name(self, node, name, value):
        """Assigns a value to a local name."""
        if isinstance(value, Data):
            return self._set_variable(node, name, value)
        if isinstance(value, Several):
            return self._set_several(node, name, value)
        once = self.source.stores.get(name) == 1 and name not in self.variables
        if is_number(value) and not once:
            return self._set_variable(node, name, value)
        known = self.environment.get(name)
        same = isinstance(known, Known) and known.value is value.value
        if self.branches and name in self.environment and not same:
            self.fail(
                node, f"`{name}` would be one object in one branch and another in the other",
                hint="give the two objects names of their own",
            )
        self.environment[name] = value

    def _set_several(self, node, name, value):
        known = self.environment.get(name)
        if self.branches and isinstance(known, Several) and len(known.items) != len(value.items):
            self.fail(
                node, f"`{name}` is a tuple of {len(known.items)}, and here of {len(value.items)}"
            )
        names = [f"{name}.{number}" for number in range(len(value.items))]
        self._set_parallel(node, list(zip(names, value.items)))
        self.environment[name] = Several(self.environment[one] for one in names)

    def _set_parallel(self, node, pairs):
        """Assigns values to names, so that no value sees an assignment to another name."""
        written = [self.variables[name].name for name, _ in pairs if name in self.variables]
        pattern = _re.compile(rf"\b({'|'.join(written)})\b") if written else None
        ready = []
        for name, value in pairs:
            if isinstance(value, Data) and pattern and pattern.search(value.code):
                kept = self.temporary(value.type)
                self.emit(f"{kept} = {value.code};")
                value = Data(kept, value.type)
            ready.append((name, value))
        for name, value in ready:
            self.set_name(node, name, value)

    def _set_variable(self, node, name, value):
        variable = self.variables.get(name)
        if variable is None:
            variable = self._new_variable(node, name, value)
        code = self._assigned(node, name, variable, value)
        self.environment[name] = Data(variable.name, variable.type)
        self.emit(f"{variable.name} = {code};")

    def _new_variable(self, node, name, value):
        if name in self.environment and self.branches:
            self.fail(
                node, f"`{name}` would be a variable in one branch and an object in the other",
                hint="give the variable another name",
            )
        if isinstance(value, Data) and value.type.c == "void":
            self.fail(node, "this call has no value", hint="write it as a statement of its own")
        is_literal = isinstance(value, Known) and not isinstance(value.value, _numpy.generic)
        if isinstance(value, Known):
            dtype = self.widened.get(name) or literal_dtype(self.mode, value.value)
            if dtype is None:
                self.fail(node, "the number is out of the range of 64 bits", OverflowError, "large")
            type = Scalar(dtype)
        else:
            type = value.type
        variable = Variable(self.declare(name.replace(".", "_"), type), type, is_literal)
        self.variables[name] = variable
        return variable

    def _assigned(self, node, name, variable, value):
        """The text of a value that is assigned to a variable."""
        if not isinstance(variable.type, Scalar):
            if isinstance(value, Data) and value.type.c == variable.type.c:
                return value.code
            self._refuse_type(node, name, variable.type, value)
        target = variable.type.dtype
        number = operand(self.mode, value) if is_number(value) or _is_scalar(value) else None
        if number is None:
            self._refuse_type(node, name, variable.type, value)
        if variable.literal:
            wider = promote(self.mode, target, number)
            if wider != target and not (is_number(value) and fits(value.value, target)):
                raise _Widen(name, wider)
        if not self.may_store(value, target, between_integers=variable.literal):
            self._refuse_type(node, name, variable.type, value)
        return self.converted(value, target)

    def _refuse_type(self, node, name, type, value):
        name = name.replace(".", " item ")
        hint = f"convert it: np.{type}(...)" if isinstance(type, Scalar) else "use another name"
        self.fail(
            node, f"`{name}` is {type} since its first assignment, and this is "
            f"{self.describe(value)}", hint=hint,
        )

    def may_store(self, value, target, between_integers=True):
        """Whether an assignment converts a value to a dtype: within its kind, or to a higher one;
        elements of arrays take any integer for an integer."""
        if isinstance(value, Known) and fits(value.value, target):
            return True
        source = value.dtype if isinstance(value, Data) else literal_dtype(self.mode, value.value)
        if source is None:
            return False
        if between_integers and source.kind in "biu" and target.kind in "iu":
            return True
        order = "buifc"
        return order.index(source.kind) <= order.index(target.kind)

    def converted(self, value, target):
        """A number as C++ of a dtype."""
        if isinstance(value, Known):
            return literal(value.value, target)
        return convert(value.code, value.dtype, target)

    # Statements

    def run(self, statements):
        """Translates statements. True if the end is not reached, so that what follows is not
        translated: a condition that is known may protect it from types that it is not for."""
        for statement in statements:
            method = getattr(self, f"do_{type(statement).__name__}", None)
            if method is None:
                self.unsupported(statement)
            if method(statement) is True:
                return True
        return False

    def do_Pass(self, node):
        pass

    def do_Expr(self, node):
        value = self.expression(node.value)
        if isinstance(value, Data) and not value.pure:
            self.emit(f"{value.code};")

    def do_Assign(self, node):
        value = self.expression(node.value)
        if len(node.targets) > 1 and isinstance(value, Data):
            kept = self.temporary(value.type)
            self.emit(f"{kept} = {value.code};")
            value = Data(kept, value.type)
        for target in node.targets:
            self.assign(target, value)

    def do_AnnAssign(self, node):
        if node.value is not None:
            self.assign(node.target, self.expression(node.value))

    def assign(self, target, value):
        if isinstance(target, _ast.Name):
            self.set_name(target, target.id, value)
        elif isinstance(target, (_ast.Tuple, _ast.List)):
            self._unpack(target, value)
        elif isinstance(target, _ast.Subscript):
            place, element = self.element(target)
            self.emit(f"{place} = {self.stored(target, value, element)};")
        else:
            self.unsupported(target)

    def _unpack(self, target, value):
        value = self.members(target, value)
        if value is None or len(value.items) != len(target.elts):
            found = "one value" if value is None else f"{len(value.items)} values"
            self.fail(target, f"{len(target.elts)} names take {found}", ValueError, "value")
        if all(isinstance(one, _ast.Name) for one in target.elts):
            pairs = [(one.id, item) for one, item in zip(target.elts, value.items)]
            return self._set_parallel(target, pairs)
        kept = [self._keep(item) for item in value.items]
        for one, item in zip(target.elts, kept):
            self.assign(one, item)

    def _keep(self, value):
        """A value that later assignments do not change."""
        if not isinstance(value, Data):
            return value
        kept = self.temporary(value.type)
        self.emit(f"{kept} = {value.code};")
        return Data(kept, value.type)

    def do_AugAssign(self, node):
        if isinstance(node.target, _ast.Name):
            before = self.expression(_ast.copy_location(
                _ast.Name(node.target.id, _ast.Load()), node.target
            ))
            value = self.binary(node, before, node.op, self.expression(node.value))
            return self.set_name(node, node.target.id, value)
        if not isinstance(node.target, _ast.Subscript):
            self.unsupported(node.target)
        place, element = self.element(node.target, twice=True)
        before = Data(place, element)
        value = self.binary(node, before, node.op, self.expression(node.value))
        self.emit(f"{place} = {self.stored(node, value, element)};")

    def do_If(self, node):
        known, condition = self.condition(node.test)
        if known is not None:
            return self.run(node.body if known else node.orelse)
        with self.block(f"if ({condition})"):
            ends = self.run(node.body)
        if not node.orelse:
            return False
        with self.block("else"):
            return self.run(node.orelse) and ends

    def do_While(self, node):
        if node.orelse:
            self.fail(node, "`else` of a loop is not there in kernels", hint="use a flag")
        with self.guard():
            known, condition = self.condition(node.test)
        if known is False:
            return
        with self.block(f"while ({condition or 'true'})"):
            self.loops.append("while")
            self.run(node.body)
            self.loops.pop()

    def do_For(self, node):
        if node.orelse:
            self.fail(node, "`else` of a loop is not there in kernels", hint="use a flag")
        found = self.range_arguments(node.iter)
        if found is not None:
            return self._run_range(node, *found)
        items = self.expression(node.iter)
        items = self.members(node.iter, items)
        if items is None:
            self.fail(
                node.iter, "loops run over range(...) or over a tuple",
                hint="for i in range(len(x)): ... x[i]",
            )
        for item in items.items:
            if self._run_unrolled(node, item):
                return True
        return False

    def _run_unrolled(self, node, item):
        """The body for one item of a tuple."""
        self.loops.append("tuple")
        if isinstance(node.target, _ast.Name) and isinstance(item, Known):
            self.environment[node.target.id] = item
        else:
            self.assign(node.target, item)
        ends = self.run(node.body)
        self.loops.pop()
        return ends

    def _run_range(self, node, arguments, unroll):
        if not isinstance(node.target, _ast.Name):
            self.fail(node.target, "the variable of range(...) is one name")
        start, stop, step, dtype = self._range(node.iter, arguments)
        for line in self._pragma(node.iter, unroll):
            # A pragma starts its line.
            self.lines.append(line)
        fixed = all(isinstance(one, Known) for one in (start, stop, step))
        counter = INT32 if fixed and dtype == INT32 else UINT64 if dtype == UINT64 else INT64
        name = c_name(f"{node.target.id}_next", self.names)
        first, ends, condition, by = self._turns(name, counter, start, stop, step)
        head = f"for ({spelling(counter)} {name} = {first}{ends}; {condition}; {name} += {by})"
        with self.block(head):
            self.loops.append("for")
            value = Data(convert(name, counter, dtype), Scalar(dtype))
            self.set_name(node.target, node.target.id, value)
            self.run(node.body)
            self.loops.pop()

    def _turns(self, name, counter, start, stop, step):
        """The start, further variables, the condition and the step of a loop. Stop and step are
        evaluated once, as in Python."""
        first, ends = self.converted(start, counter), ""
        end = self.converted(stop, counter)
        if isinstance(stop, Data):
            end, code = c_name(f"{name}_stop", self.names), end
            ends += f", {end} = {code}"
        if isinstance(step, Known):
            sign = "<" if step.value > 0 else ">"
            return first, ends, f"{name} {sign} {end}", self.converted(step, counter)
        by = c_name(f"{name}_step", self.names)
        ends += f", {by} = {self.converted(step, counter)}"
        condition = f"{name} < {end}"
        if step.dtype.kind == "i":
            condition = f"{by} > 0 ? {condition} : {name} > {end}"
        return first, ends, condition, by

    def _range(self, node, arguments):
        """Start, stop, step and the dtype of the variable."""
        if not 1 <= len(arguments) <= 3:
            self.fail(node, f"range() takes 1 to 3 arguments, not {len(arguments)}", TypeError,
                      "count")
        for one in arguments:
            kind = operand("cuda", one) if is_number(one) or _is_scalar(one) else None
            if kind is None or kind.kind not in "biu":
                self.fail(
                    node, f"range() takes integers, not {self.describe(one)}",
                    hint="convert it with int(...)",
                )
        dtype = promote(self.mode, *(operand(self.mode, one) for one in arguments))
        if dtype.kind == "f":
            dtype = INT64
        elif dtype.kind == "b":
            dtype = INT32
        elif all(isinstance(one, Known) for one in arguments) and self.mode == "numpy":
            dtype = INT64
        start, stop = (Known(0), arguments[0]) if len(arguments) == 1 else arguments[:2]
        step = arguments[2] if len(arguments) == 3 else Known(1)
        if isinstance(step, Known) and step.value == 0:
            self.fail(node, "the step of range() must not be zero", ValueError, "value")
        return start, stop, step, dtype

    def _pragma(self, node, unroll):
        if unroll is None:
            return []
        if unroll is True:
            return ["#pragma unroll"]
        if unroll is False:
            return ["#pragma unroll(1)"]
        if isinstance(unroll, int) and unroll > 0:
            return [f"#pragma unroll({unroll})"]
        self.fail(node, f"unroll= is a truth value or a number of turns, not {unroll!r}")

    def do_Break(self, node):
        return self._leave(node, "break")

    def do_Continue(self, node):
        return self._leave(node, "continue")

    def _leave(self, node, word):
        if self.loops[-1] == "tuple":
            self.fail(
                node, f"`{word}` is not there in loops over a tuple, which are unrolled",
                hint="use `if` around the rest of the body",
            )
        self.emit(f"{word};")
        return True

    def do_Return(self, node):
        value = Known(None) if node.value is None else self.expression(node.value)
        self.returned.append(_Later(node, value))
        self.emit(f"\0{len(self.returned) - 1}\0")
        return True

    # Results

    def result(self, name):
        """The type of the returned values, None if there are none; writes them into the text."""
        values = [one.value for one in self.returned]
        nones = [isinstance(one, Known) and one.value is None for one in values]
        if all(nones):
            self.lines = [_re.sub("\0\\d+\0", "return;", line) for line in self.lines]
            return None
        if any(nones):
            node = self.returned[nones.index(True)].node
            self.fail(node, "other returns have a value", hint="return a value everywhere")
        type = self._common(name)
        texts = [f"return {self._returned(one, type)};" for one in self.returned]
        self.lines = [
            _re.sub("\0(\\d+)\0", lambda found: texts[int(found[1])], line) for line in self.lines
        ]
        return type

    def _common(self, name):
        """The type of all returned values."""
        first = self.returned[0]
        if isinstance(first.value, Several):
            return self._record(name, len(first.value.items))
        if is_number(first.value) or _is_scalar(first.value):
            return Scalar(self._common_dtype([(one.node, one.value) for one in self.returned]))
        for one in self.returned:
            if not isinstance(one.value, Data) or one.value.type != first.value.type:
                self.fail(one.node, f"a function cannot return {self.describe(one.value)} here",
                          hint="return numbers, tuples of numbers, or the same kind everywhere")
        return first.value.type

    def _common_dtype(self, values):
        for node, value in values:
            if not is_number(value) and not _is_scalar(value):
                self.fail(node, f"other returns are numbers, and this is {self.describe(value)}")
        operands = [operand(self.mode, value) for _, value in values]
        if any(one is None for one in operands):
            node = next(node for (node, _), one in zip(values, operands) if one is None)
            self.fail(node, "the number is out of the range of 64 bits", OverflowError, "large")
        return promote(self.mode, *operands)

    def _record(self, name, count):
        for one in self.returned:
            if not isinstance(one.value, Several) or len(one.value.items) != count:
                self.fail(one.node, f"other returns are tuples of {count} values")
        dtypes = [
            self._common_dtype([(one.node, one.value.items[number]) for one in self.returned])
            for number in range(count)
        ]
        members = tuple(Scalar(one) for one in dtypes)
        fields = " ".join(f"{one.c} v{number};" for number, one in enumerate(members))
        self.program.function(f"{name}_result", f"struct {name}_result {{ {fields} }};")
        return Record(f"{name}_result", members)

    def _returned(self, one, type):
        if isinstance(type, Scalar):
            return self.converted(one.value, type.dtype)
        if isinstance(type, Record):
            items = [
                self.converted(item, member.dtype)
                for item, member in zip(one.value.items, type.members)
            ]
            return f"{type.c}{{{', '.join(items)}}}"
        return one.value.code

    # Names

    def do_name(self, node):
        """The value of a name: a local one, a variable of the enclosing function, or a global."""
        name = node.id
        if name in self.environment:
            return self.environment[name]
        if name in self.source.locals:
            self.fail(
                node, f"`{name}` is read before its first assignment", NameError, "value",
                "assign it before",
            )
        if name in self.source.outer:
            return self.known(self.source.outer[name])
        if hasattr(_builtins, name):
            return Known(getattr(_builtins, name))
        self.fail(
            node, f"Unbound name: {name}", NameError, "value",
            "define it, or pass it as an argument",
        )


def _is_scalar(value):
    return isinstance(value, Data) and isinstance(value.type, Scalar)


class Translated:
    """The text of one function, and the type of its result."""

    def __init__(self, text, result):
        self.text, self.result = text, result


def _attempt(program, source, arguments, mode, widened):
    function = Function(program, source, mode, widened)
    parameters = []
    for name, argument in zip(source.parameters, arguments):
        parameters += function.bind_parameter(name, argument)
    if isinstance(source.node, _ast.Lambda):
        function.do_Return(_ast.copy_location(_ast.Return(source.node.body), source.node.body))
    else:
        function.run(source.node.body)
    return function, parameters


def _translated(program, function, arguments, mode):
    source = source_of(function)
    widened = {}
    while True:
        try:
            return _attempt(program, source, arguments, mode, widened)
        except _Widen as wider:
            name, dtype = wider.args
            widened[name] = dtype


def translate(program, function, arguments, name, mode):
    """Translates a Python function to a device function."""
    made, parameters = _translated(program, function, arguments, mode)
    result = made.result(name)
    spelled = "void" if result is None else result.c
    head = f"static __device__ {spelled} {name}({', '.join(parameters)}) {{"
    return Translated("\n".join([head, *made.declarations, *made.lines, "}"]), result)


def translate_kernel(program, function, types, name):
    """Translates a Python function to a kernel. An array becomes a pointer, the length of each
    axis, and the stride of each axis in bytes."""
    arguments = [Data("", one) for one in types]
    made, parameters = _translated(program, function, arguments, program.mode)
    for one in made.returned:
        if not (isinstance(one.value, Known) and one.value.value is None):
            made.fail(
                one.node, "a kernel returns no value",
                hint="store results in an array, or write @jit.rawkernel(device=True)",
            )
    made.result(name)
    arrays, flat = [], []
    for parameter, type in zip(parameters, types):
        if not isinstance(type, Array):
            flat.append(parameter)
            continue
        given = parameter.rsplit(" ", 1)[1]
        axes = range(type.ndim)
        lengths = [c_name(f"{given}_length_{axis}", made.names) for axis in axes]
        strides = [c_name(f"{given}_stride_{axis}", made.names) for axis in axes]
        data = c_name(f"{given}_data", made.names)
        flat.append(f"{spelling(type.dtype)}* {data}")
        flat += [f"long long {one}" for one in (*lengths, *strides)]
        parts = f"{{{data}, {{{', '.join(lengths)}}}, {{{', '.join(strides)}}}}}"
        arrays.append(f"    {type.c} {given} = {parts};")
    head = f'extern "C" __global__ void {name}({", ".join(flat)}) {{'
    return "\n".join([head, *arrays, *made.declarations, *made.lines, "}"])
