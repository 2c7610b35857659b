"""The translation of kernels from Python to texts of ``ElementwiseKernel``, which run on CPUs.

A launch is an elementwise kernel with an element for each thread: ``i`` is the number of the
thread, the arrays are raw parameters, and functions are written where they are called. The
statements of such a text run for all threads at once, one after the other, so there is no way for
threads to wait for each other, and loops take the same number of turns in all threads: a condition
guards the rest.
``break``, ``continue`` and ``return`` are variables that the statements after them ask.

``host_launch`` runs the texts.
"""

import ast as _ast
import re as _re

import numpy as _numpy

from . import forms as _forms
from .host_program import (
    MOST_TURNS, NAMES, Cuts, Formed, HostProgram, NeedsValues, Place, Spreads, form_of, within,
)
from .host_values import HostValues
from .source import source_of
from .translate import _MOST_FUNCTIONS, Function, _is_scalar, _key, _Later, _Widen
from .types import (
    INT64, Array, Data, Known, Scalar, Several, c_name, is_number, literal, operand, promote,
    spelling,
)


class _Loop:
    """A loop that is being translated: the variables by which it is left."""

    def __init__(self, names):
        self.on, self.turn = c_name("go", names), c_name("stay", names)


class HostFunction(HostValues, Function):
    """The translation of one Python function for a launch."""

    def __init__(self, program, source, mode, widened):
        super().__init__(program, source, mode, widened)
        self.names = set(NAMES)
        # What is known of local variables here.
        self.facts = {}
        # The variables that a statement was left by, in order.
        self.leaves = []
        self.running = None
        # Whether a loop runs the statement that calls this function, several times in a thread.
        self.is_repeated = False
        # Whether all statements before have only assigned variables, in a kernel.
        self.is_start = False
        # The expression of the present statement whose value is not used.
        self.discarded = None
        # The number of accesses before the present statement, and before calls around the present
        # expression.
        self.first_access, self.calls = 0, []

    def needs_gpu(self, node, what, hint=None):
        """Refuses a construct that threads of a GPU have only."""
        self.fail(
            node, f"{what} needs a GPU, and the devices of this session are CPUs",
            NotImplementedError, "absent",
            hint or "docs/kernels.md states what kernels from Python may contain on CPUs",
        )

    def before(self, node, line):
        # Statements of a text have no effect on what they do not assign, so this may always run.
        self.emit(line)

    # Statements

    def run(self, statements):
        for number, statement in enumerate(statements):
            if isinstance(statement, _ast.If) and self.is_start and self.program.limit is None:
                is_last = number == len(statements) - 1
                found = self._limit(statement, is_last)
                if self.program.limit is not None or self.program.cuts:
                    self.is_start = False
                    return self.run([*found, *statements[number + 1:]])
            if isinstance(statement, _ast.For) and self.is_start and (
                    number == len(statements) - 1 and self._spread(statement)):
                return False
            self.is_start &= isinstance(statement, (_ast.Assign, _ast.AnnAssign, _ast.Expr)) and (
                self.program.effects == 0)
            before = len(self.leaves)
            self.first_access = len(self.program.accesses)
            if super().run([statement]):
                return True
            left = sorted({*self.leaves[before:]})
            rest = statements[number + 1:]
            if left and rest:
                facts, stored = dict(self.facts), _stored_names(rest)
                with self.block(f"if ({' && '.join(left)})"):
                    ends = self.run(rest)
                self._forget(facts, stored)
                return ends
        return False

    def _forget(self, facts, names):
        """Goes back to what was known, but for variables that may have been assigned since."""
        self.facts = facts
        for name in names:
            known = facts.pop(name, None)
            if known is not None and self.source.stores.get(name) == 1:
                facts[name] = _forms.between(known.low(), known.high())

    def do_Expr(self, node):
        self.discarded = node.value
        super().do_Expr(node)
        self.discarded = None

    def _limit(self, node, is_last):
        """What is left of an ``if`` at the start of a kernel that compares indices of the thread
        with numbers: the other threads do nothing, and the kernel has fewer threads."""
        program, is_inverse = self.program, not is_last or bool(node.orelse)
        if is_inverse and (node.orelse or len(node.body) != 1 or not isinstance(
                node.body[0], _ast.Return)):
            return [node]
        joint = _ast.Or if is_inverse else _ast.And
        is_joint = isinstance(node.test, _ast.BoolOp) and isinstance(node.test.op, joint)
        rest, cuts = [], {}
        for one in node.test.values if is_joint else [node.test]:
            axis, limit = self._limit_of(one, is_inverse)
            if limit is None or axis in cuts or program.is_flat and program.limit is not None:
                rest.append(one)
            elif program.is_flat:
                program.limit = limit
            elif limit.number() is None:
                raise NeedsValues
            else:
                cuts[axis] = max(limit.number(), 0)
        if cuts and not program.cuts:
            raise Cuts(cuts)
        if not rest:
            return [] if is_inverse else node.body
        test = rest[0] if len(rest) == 1 else _ast.copy_location(
            _ast.BoolOp(node.test.op, rest), node.test)
        return [_ast.copy_location(_ast.If(test, node.body, []), node)]

    def _limit_of(self, test, is_inverse):
        """The axis whose index a comparison is about, and the number of threads along it for which
        the comparison holds, or does not hold."""
        words = (_ast.GtE, _ast.LtE) if is_inverse else (_ast.Lt, _ast.Gt)
        if not isinstance(test, _ast.Compare) or not isinstance(test.ops[0], words) or len(
                test.ops) > 1:
            return None, None
        sides = [test.left, test.comparators[0]]
        if isinstance(test.ops[0], words[1]):
            sides.reverse()
        program, count = self.program, len(self.lines)
        accesses, effects = len(program.accesses), program.effects
        values = [self.expression(one) for one in sides]
        thread, limit = map(form_of, values)
        del self.lines[count:]
        if len(program.accesses) != accesses or program.effects != effects:
            del program.accesses[accesses:]
            return None, None
        axis = None if thread is None else program.axis_of(thread)
        if axis is None or limit is None:
            return None, None
        common = promote(self.mode, *(operand(self.mode, one) for one in values))
        if common.kind == "u" and (limit.low() is None or limit.low() < 0):
            # A negative number is compared as a great one.
            return None, None
        return axis, limit if all(one.of_arguments for one in limit.terms) else None

    def _spread(self, node):
        """Translates a loop from the thread over all elements, with a step over all threads. Its
        turns do not depend on each other if they have variables of their own."""
        program, count = self.program, len(self.lines)
        if program.spread is False or not isinstance(node.target, _ast.Name) or node.orelse:
            return False
        accesses, effects = len(program.accesses), program.effects
        found = self.range_arguments(node.iter)
        forms = [form_of(one) for one in found[0]] if found and len(found[0]) == 3 else [None]
        del self.lines[count:]
        if len(program.accesses) != accesses or program.effects != effects or None in forms:
            return False
        start, stop, step = forms
        good = program.is_thread(start) and step.number() == program.count and all(
            one.of_arguments for one in stop.terms)
        if not good or not self._has_own_variables(node):
            return False
        if program.spread is None:
            raise Spreads
        program.limit, self.is_start = stop, False
        name = node.target.id
        dtype = self._range(node.iter, found[0])[3]
        code = "i" if dtype == INT64 else f"(({spelling(dtype)})i)"
        form = program.start_turns()
        self.set_name(node.target, name, Formed(code, Scalar(dtype), True, form))
        self.facts[name] = form
        self.run(node.body)
        return True

    def _has_own_variables(self, node):
        leaving = (_ast.Break, _ast.Continue, _ast.Return)
        if any(isinstance(one, leaving) for one in _ast.walk(node)):
            return False
        return all(
            name not in self.environment and _is_own(name, node.body)
            for name in _stored_names([node]) - {node.target.id}
        ) and node.target.id not in {*self.environment, *_stored_names(node.body)}

    def do_If(self, node):
        known, condition = self.condition(node.test)
        if known is not None:
            return self.run(node.body if known else node.orelse)
        facts = dict(self.facts)
        with self.block(f"if ({condition})"):
            ends = self.run(node.body)
        self.facts = dict(facts)
        if node.orelse:
            with self.block("else"):
                ends = self.run(node.orelse) and ends
        self._forget(facts, _stored_names(node.body + node.orelse))
        return ends and bool(node.orelse)

    def do_While(self, node):
        known, _ = self.condition(node.test)
        if known is not False:
            self.needs_gpu(node, "`while`", "write `for` over range(...), with `break`")

    def _run_range(self, node, arguments, unroll):
        if not isinstance(node.target, _ast.Name):
            self.fail(node.target, "the variable of range(...) is one name")
        start, stop, step, dtype = self._range(node.iter, arguments)
        forms = [form_of(one) for one in (start, stop, step)]
        turns, full, sign = self._turns_of(node, forms)
        turn = c_name("turn", self.names)
        first, last, by = (
            self._kept(one, form, word)
            for one, form, word in zip((start, stop, step), forms, ("first", "last", "step"))
        )
        if forms[2] is not None and forms[2].number() is not None:
            by = literal(forms[2].number(), INT64)
        value = f"({first} + {turn} * {by})"
        # What the body assigns may be from an earlier turn, or from none.
        stored = _stored_names([node])
        self._forget(self.facts, stored)
        loop = _Loop(self.names)
        at = len(self.lines)
        self.emit("")
        with self.block(f"for (int {turn} = 0; {turn} < {turns}; ++{turn})"):
            guard = len(self.lines)
            self.lines += ["", ""]
            self.depth += 1
            self.loops.append(loop)
            before = len(self.leaves)
            self._start_turn(node, value, dtype, forms, turn, turns)
            self.run(node.body)
            self.loops.pop()
            left = {*self.leaves[before:]}
            self.leaves[before:] = sorted(left - {loop.on, loop.turn})
            self.depth -= 1
            self.emit("}")
        self._forget(self.facts, stored)
        conditions = sorted(left - {loop.turn})
        if full < turns:
            # A turn that all threads take has a condition that is known.
            whole = f"{turn} < {full} || " if full else ""
            conditions.append(f"({whole}{value} {sign} {last})")
        pad = "    " * (self.depth + 1)
        self.lines[guard] = f"{pad}if ({' && '.join(conditions)}) {{" if conditions else f"{pad}{{"
        flags = [one for one in (loop.on, loop.turn) if one in left]
        self.declarations += [f"    bool {one} = true;" for one in flags]
        if loop.turn in left:
            self.lines[guard + 1] = f"{pad}    {loop.turn} = true;"
        self.lines[at] = f"{'    ' * self.depth}{loop.on} = true;" if loop.on in left else ""

    def _start_turn(self, node, value, dtype, forms, turn, turns):
        """Assigns the variable of a loop."""
        form = None
        if forms[0] is not None and forms[2] is not None and forms[2].number() is not None:
            counter = _forms.between(0, max(turns - 1, 0), turn)
            form = within(forms[0].plus(counter.times(forms[2].number())), dtype)
        code = value if dtype == INT64 else f"(({spelling(dtype)}){value})"
        self.set_name(node.target, node.target.id, Formed(code, Scalar(dtype), True, form))

    def is_in_loop(self):
        """Whether a thread, or a turn that is an element of its own, may run the present statement
        several times. A loop over a tuple writes its body once for each item."""
        return self.is_repeated or any(isinstance(one, _Loop) for one in self.loops)

    def _kept(self, value, form, name):
        """A bound of a loop as an int64, which later assignments do not change."""
        if form is not None and form.number() is not None:
            return literal(form.number(), INT64)
        kept = self.declare(name, Scalar(INT64))
        self.emit(f"{kept} = {self.converted(value, INT64)};")
        return kept

    def _turns_of(self, node, forms):
        """The most turns of a loop, how many of them all threads take, and the sign of its
        condition."""
        start, stop, step = forms
        step_low, step_high = (None, None) if step is None else (step.low(), step.high())
        if None in forms or step_low is None or step_high is None or step_low <= 0 <= step_high:
            self._unknown_turns(node)
        if step_low > 0:
            apart, by, sign = stop.minus(start), step_low, "<"
        else:
            apart, by, sign = start.minus(stop), -step_high, ">"
        high = apart.high()
        if high is None:
            self._unknown_turns(node)
        turns = max(0, -(-high // by))
        if turns > MOST_TURNS:
            self.demand_values()
            self.needs_gpu(
                node, f"a loop of {turns} turns (more than {MOST_TURNS})",
                "let more threads take fewer turns",
            )
        low = apart.low()
        widest = max(abs(step_low), abs(step_high))
        full = 0 if low is None else min(max(0, -(-low // widest)), turns)
        return turns, full, sign

    def _unknown_turns(self, node):
        self.demand_values()
        self.needs_gpu(
            node, "a loop whose number of turns depends on elements",
            "take a known number of turns, and leave the loop with `break`",
        )

    def demand_values(self):
        if self.program.values is None:
            raise NeedsValues

    def _pragma(self, node, unroll):
        super()._pragma(node, unroll)
        return []

    def _leave(self, node, word):
        loop = self.loops[-1]
        if not isinstance(loop, _Loop):
            return super()._leave(node, word)
        flag = loop.on if word == "break" else loop.turn
        self.emit(f"{flag} = false;")
        self.leaves.append(flag)
        return True

    def do_Return(self, node):
        value = Known(None) if node.value is None else self.expression(node.value)
        self.returned.append(_Later(node, value))
        self.returned[-1].is_last = self.branches == 0
        if self.branches:
            if self.running is None:
                self.running = c_name("running", self.names)
            self.leaves.append(self.running)
        self.emit(f"\0{len(self.returned) - 1}\0")
        return True

    # Variables

    def do_name(self, node):
        value = super().do_name(node)
        fact = self.facts.get(node.id)
        if fact is not None and _is_scalar(value):
            return Formed(value.code, value.type, value.pure, fact)
        return value

    def known(self, value):
        found = super().known(value)
        if isinstance(found, Data) and found.code == "warpSize":
            return Formed("32", found.type, True, _forms.Form(32))
        return found

    def set_name(self, node, name, value):
        if isinstance(value, Place):
            if name in self.environment and self.branches:
                self.fail(
                    node, f"`{name}` would be one object in one branch and another in the other",
                    hint="give the two objects names of their own",
                )
            self.environment[name] = self._kept_place(value)
            return
        super().set_name(node, name, value)

    def _kept_place(self, value):
        """A row whose place later assignments do not change."""
        if value.offset is None or _re.fullmatch(r"offset\w*", value.offset):
            return value
        kept = self.declare("offset", Scalar(INT64))
        self.emit(f"{kept} = {value.offset};")
        return Place(
            value.type, value.base, value.number, kept, value.lengths, value.strides, value.axes
        )

    def _set_variable(self, node, name, value):
        form = form_of(value)
        super()._set_variable(node, name, value)
        type = self.variables[name].type
        self.facts.pop(name, None)
        if isinstance(type, Scalar) and type.dtype.kind in "iu":
            form = within(form, type.dtype)
            self.facts[name] = form if form is not None else _forms.between(None, None)

    def bind(self, name, value):
        """Binds a parameter of a function that is written where it is called."""
        if isinstance(value, Several):
            items = []
            for number, one in enumerate(value.items):
                self.bind(f"{name}.{number}", one)
                items.append(self.environment[f"{name}.{number}"])
            self.environment[name] = Several(items)
        elif isinstance(value, Place):
            self.environment[name] = self._kept_place(value)
        elif isinstance(value, Data) and isinstance(value.type, Scalar):
            self._set_variable(self.source.node, name, value)
        else:
            self.environment[name] = value

    # Functions

    def _call_function(self, node, function, positional, named, mode=None):
        """Writes a function where it is called."""
        source, program = source_of(function), self.program
        mode = mode or self.mode
        bound = self._bound(node, function, positional, named)
        arguments = [self._typed(node, one, mode) for one in bound.values()]
        key = (function, mode, tuple(_key(one) for one in arguments))
        program.inlined += 1
        if key in program._running:
            self.fail(
                node, f"{function.__name__}() calls itself", ValueError, "value",
                "write a loop: functions of kernels cannot be recursive",
            )
        if program.inlined > 10 * _MOST_FUNCTIONS or len(program._running) > _MOST_FUNCTIONS:
            self.fail(
                node, f"the kernel calls more than {_MOST_FUNCTIONS} functions", ValueError,
                "value", "functions that make functions must come to an end",
            )
        count, effects = len(program.accesses), program.effects
        program._running.add(key)
        try:
            made = self._inlined(source, mode, arguments)
        finally:
            program._running.discard(key)
        if program.effects != effects:
            self._check_effects(node, function, program.accesses, count)
        value = made.inline_result(node, function.__name__)
        self.lines += made.lines
        return value

    def _check_effects(self, node, function, accesses, count):
        """A function that writes runs before the rest of its statement, and for all threads."""
        if self.guarded or self.conditions:
            self.fail(
                node, f"{function.__name__}() writes elements, and its expression may be skipped",
                hint="call it in a statement of its own",
            )
        read = {one.base for one in accesses[self.first_access : self.calls[-1]]}
        if any(one.is_write and one.base in read for one in accesses[count:]):
            self.fail(
                node, f"{function.__name__}() writes elements of an array that the statement has "
                "read", hint="assign the element to a variable before",
            )

    def call(self, node, function):
        self.calls.append(len(self.program.accesses))
        try:
            return super().call(node, function)
        finally:
            self.calls.pop()

    def _inlined(self, source, mode, arguments):
        widened, program = {}, self.program
        names, count = set(self.names), len(self.declarations)
        noted = len(program.accesses)
        while True:
            made = HostFunction(program, source, mode, widened)
            made.names, made.declarations, made.depth = self.names, self.declarations, self.depth
            made.conditions = list(self.conditions)
            made.is_repeated = self.is_in_loop()
            try:
                for name, one in zip(source.parameters, arguments):
                    made.bind(name, one)
                if isinstance(source.node, _ast.Lambda):
                    body = source.node.body
                    made.do_Return(_ast.copy_location(_ast.Return(body), body))
                else:
                    made.run(source.node.body)
                return made
            except _Widen as wider:
                name, dtype = wider.args
                widened[name] = dtype
                self.names = set(names)
                del self.declarations[count:], program.accesses[noted:]

    def inline_result(self, node, name):
        """The value of a function that is written where it is called; ends its returns."""
        values = [one.value for one in self.returned]
        nones = [isinstance(one, Known) and one.value is None for one in values]
        results = []
        if all(nones):
            value = Known(None)
        elif any(nones):
            self.fail(self.returned[nones.index(True)].node, "other returns have a value",
                      hint="return a value everywhere")
        elif len(values) == 1 and self.returned[0].is_last:
            value = values[0]
        else:
            value, results = self._results(values)
        self.finish(results)
        return value

    def _results(self, values):
        """The variables of the returned values, and the statements of each return."""
        first = self.returned[0].value
        if isinstance(first, Several):
            count = len(first.items)
            for one in self.returned:
                if not isinstance(one.value, Several) or len(one.value.items) != count:
                    self.fail(one.node, f"other returns are tuples of {count} values")
            rows = [one.items for one in values]
        else:
            rows = [[one] for one in values]
        if not all(is_number(one) or _is_scalar(one) for row in rows for one in row):
            same = all(isinstance(one, Known) and isinstance(first, Known)
                       and one.value is first.value for one in values)
            if same:
                return first, []
            self.fail(self.returned[-1].node, "a function returns numbers or tuples of numbers",
                      hint="return numbers, tuples of numbers, or the same object everywhere")
        variables, texts = [], [[] for _ in rows]
        for column in zip(*rows):
            pairs = [(later.node, one) for later, one in zip(self.returned, column)]
            dtype = self._common_dtype(pairs)
            variable = self.declare("result", Scalar(dtype))
            variables.append(Data(variable, Scalar(dtype)))
            for text, one in zip(texts, column):
                text.append(f"{variable} = {self.converted(one, dtype)};")
        value = Several(variables) if isinstance(first, Several) else variables[0]
        return value, [" ".join(one) for one in texts]

    def finish(self, results=()):
        """Writes the returns into the text."""
        leave = "" if self.running is None else f"{self.running} = false;"

        def spelled(found):
            number = int(found[1])
            text = results[number] if results else ""
            return text if self.returned[number].is_last else f"{text} {leave}".strip()

        self.lines = [_re.sub("\0(\\d+)\0", spelled, line) for line in self.lines]
        if self.running is not None:
            self.declarations.append(f"    bool {self.running} = true;")
            self.lines.insert(0, f"{'    ' * self.depth}{self.running} = true;")


def _stored_names(statements):
    """The names that statements may assign."""
    return {
        one.id for statement in statements for one in _ast.walk(statement)
        if isinstance(one, _ast.Name) and isinstance(one.ctx, _ast.Store)
    }


def _is_own(name, statements):
    """Whether statements assign a variable before they read it, each time that they run."""
    uses = [one for one in statements if name in _names([one])]
    first = uses[0]
    if isinstance(first, _ast.Assign):
        return name not in _names([first.value]) and name in _stored_names([first])
    if len(uses) > 1:
        return False
    if isinstance(first, _ast.If):
        parts = [one for one in (first.body, first.orelse) if name in _names(one)]
        return name not in _names([first.test]) and all(_is_own(name, one) for one in parts)
    if isinstance(first, _ast.For):
        if name in _names([first.iter]):
            return False
        target = name in _names([first.target])
        return target or _is_own(name, first.body)
    return False


def _names(statements):
    return {one.id for statement in statements for one in _ast.walk(statement)
            if isinstance(one, _ast.Name)}


class HostText:
    """The lines of a translated kernel, with marks, and its raw parameters and numbers."""

    def __init__(self, program, made, parameters):
        self.program, self.parameters = program, parameters
        self.functions = "\n\n".join(program.texts.values())
        self.lines = [*program.prologue(), *made.declarations, *made.lines]


def translate_host(function, types, mode, grid, block, same, values=None, **options):
    """Translates a kernel for a launch.

    ``same`` has for each argument the number of the first one that is the same array. ``values``
    has for each argument its shape and strides, or the number; without them, ``NeedsValues`` is
    raised if the text depends on them. ``options`` are those of ``HostProgram``. ``Spreads`` is
    raised if ``spread`` is None and the turns of the last loop may be elements of their own, and
    ``Cuts`` if threads beyond some numbers do nothing.
    """
    source, widened = source_of(function), {}
    while True:
        program = HostProgram(mode, grid, block, values, **options)
        made = HostFunction(program, source, mode, widened)
        try:
            parameters = _bind_arguments(program, made, types, same, values)
            made.is_start = True
            made.run(source.node.body)
            break
        except _Widen as wider:
            name, dtype = wider.args
            widened[name] = dtype
    for one in made.returned:
        if not (isinstance(one.value, Known) and one.value.value is None):
            made.fail(
                one.node, "a kernel returns no value",
                hint="store results in an array, or write @jit.rawkernel(device=True)",
            )
    made.finish()
    return HostText(program, made, parameters)


def _bind_arguments(program, made, types, same, values):
    """Binds the arguments of a kernel to raw parameters and numbers; returns their names."""
    parameters = []
    for number, (name, type) in enumerate(zip(made.source.parameters, types)):
        if same[number] != number:
            parameters.append(parameters[same[number]])
            made.environment[name] = made.environment[made.source.parameters[same[number]]]
            continue
        in_c = c_name(name, made.names, "p_")
        parameters.append(in_c)
        if isinstance(type, Array):
            shape, strides = ((), ()) if values is None else values[number]
            lengths = []
            for axis in range(type.ndim):
                code = f"{in_c}.shape()[{axis}LL]"
                form = _forms.between(
                    0, None, code, lambda args, at=number, axis=axis: args[at].shape[axis]
                ) if values is None else _forms.Form(shape[axis])
                lengths.append(Formed(code, Scalar(INT64), True, form))
            made.environment[name] = Place(type, in_c, number, None, lengths, strides)
            continue
        form = None
        if type.dtype.kind in "iu":
            limits = _numpy.iinfo(type.dtype)
            bounds = (limits.min, limits.max) if type.dtype != INT64 else (None, None)
            form = _forms.between(*bounds, in_c, lambda args, at=number: int(args[at]))
            if values is not None:
                form = _forms.Form(int(values[number]))
        made._set_variable(made.source.node, name, Formed(in_c, type, True, form))
        if form is not None:
            made.facts[name] = form
    return parameters
