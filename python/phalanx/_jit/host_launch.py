"""Launches of kernels from Python on CPUs, as elementwise kernels with an element for each thread.

In such a text each statement runs for all threads before the next one does. That gives the results
of threads that run at the same time unless a thread reads an element that another one writes. Such
kernels are refused. Where the indices of an array do not show that there is no such thread, the
text runs once with copies of the arrays, and with marks: for each element the least and the
greatest thread that reads it, and those that write it. The result of such a check is kept if only
numbers and sizes decide it; else each launch waits for it.
"""

import collections as _collections
import contextlib as _contextlib
import re as _re

import numpy as _numpy

from .. import _phalanx
from .host import translate_host
from .host_program import Cuts, NeedsValues, Spreads
from .types import Array
from .._phalanx import _refusal

_MOST_BLOCKS = (2**31 - 1, 65535, 65535)
_MOST_THREADS = (1024, 1024, 64)
# The code of an error about a text.
_TEXT = "PX138"
# The most texts that a kernel keeps, and the most launches that were found to be free of conflicts.
_MOST_KEPT = 256
_BY_VALUES = object()
_MARKS = ("read_low", "read_high", "write_low", "write_high")


def launch(kernel, grid, block, args, types):
    """Runs a kernel on CPUs. ``kernel`` has the function, its mode, and ``host_plans``, where texts
    are kept; ``grid`` and ``block`` are tuples; ``types`` has the types of the arguments."""
    same, seen = [], {}
    for number, one in enumerate(args):
        is_array = isinstance(one, _phalanx.ndarray)
        same.append(seen.setdefault(id(one), number) if is_array else number)
    key = (grid, block, tuple(same), types)
    plans = kernel.host_plans
    plan = plans.get(key)
    if plan is None:
        plan = _kept(plans, key, _planned(kernel, key, None))
    if plan is _BY_VALUES:
        values = tuple(map(_value, args))
        plan = plans.get((key, values)) or _kept(
            plans, (key, values), _planned(kernel, key, values)
        )
    if plan.count and plan.outputs:
        plan.run(args)


def _kept(plans, key, plan):
    while len(plans) >= _MOST_KEPT:
        plans.pop(next(iter(plans)))
    plans[key] = plan
    return plan


def _sizes(name, grid, block):
    """A grid and a block with three axes. Sizes that no GPU launches are refused."""
    grid, block = ((*one, 1, 1)[:3] for one in (grid, block))
    threads = block[0] * block[1] * block[2]
    for what, sizes, most in (("grid", grid, _MOST_BLOCKS), ("block", block, _MOST_THREADS)):
        if not all(0 <= one <= limit for one, limit in zip(sizes, most)):
            raise _refusal(
                ValueError, "value", f"{name}(): a {what} of {sizes}; each number is at most {most}"
            )
    if threads > 1024:
        raise _refusal(
            ValueError, "value", f"{name}(): a block of {threads} threads; it has 1024 at most"
        )
    return grid, block


def _value(argument):
    """What a text may depend on, of an argument."""
    if isinstance(argument, _phalanx.ndarray):
        return argument.shape, argument.strides
    is_whole = isinstance(argument, (int, _numpy.integer)) and not isinstance(argument, bool)
    return int(argument) if is_whole else None


def _planned(kernel, key, values):
    from .kernels import _check_count, _checked

    grid, block, same, types = key

    grid, block = _sizes(kernel.__name__, grid, block)

    def run():
        _check_count(kernel._jit_function, types)
        options = {}
        while True:
            try:
                text = translate_host(
                    kernel._jit_function, types, kernel._jit_mode, grid, block, same, values,
                    **options
                )
            except NeedsValues:
                if not options.get("spread"):
                    return _BY_VALUES
                options["spread"] = False
            except Spreads:
                options["spread"] = True
            except Cuts as found:
                options["cuts"] = found.args[0]
            else:
                order = text.program.best_order()
                if order != text.program.order:
                    options["order"] = order
                elif options.get("spread") and not _are_apart(text.program):
                    options["spread"] = False
                else:
                    return _Plan(kernel.__name__, types, same, text)

    return _checked(kernel._jit_function, run)


class _Plan:
    """The text of a kernel for launches with a grid, a block and types."""

    def __init__(self, name, types, same, text):
        program = text.program
        self.name, self.text, self.count = name, text, program.count
        self.limit, self.spreads = program.limit, program.turn is not None
        self.arguments, self.inputs, self.outputs = {}, [], []
        declared = {False: [], True: []}
        for number, (type, parameter) in enumerate(zip(types, text.parameters)):
            if same[number] != number:
                continue
            self.arguments[parameter] = number
            is_output = parameter in program.written
            raw = "raw " if isinstance(type, Array) else ""
            declared[is_output].append(f"{raw}{type.dtype.name} {parameter}")
            (self.outputs if is_output else self.inputs).append(number)
        self.declared = [", ".join(declared[is_output]) for is_output in (False, True)]
        self.arrays = [number for number, type in enumerate(types)
                       if isinstance(type, Array) and same[number] == number]
        self.names = {parameter: number for number, parameter in enumerate(text.parameters)}
        self.kernel = self._kernel(self.declared[1], _spelled(text.lines))
        self.checked = [] if self.count == 1 else _in_doubt(program)
        if self.checked:
            numbers = {parameter for parameter, number in self.arguments.items()
                       if number not in self.arrays}
            self.depends = _dependences(text.lines, self.checked, numbers)
            marks = [f"raw int64 {base}_{mark}" for base in self.checked for mark in _MARKS]
            self.checking = self._kernel(
                ", ".join([self.declared[1], *marks]), _spelled(text.lines, self.checked)
            )
            self.good = _collections.OrderedDict()

    def _kernel(self, outputs, lines):
        from .. import ElementwiseKernel

        with self._understood():
            return ElementwiseKernel(
                self.declared[0], outputs, _cast("\n".join(lines)), f"jit_{self.name}",
                preamble=_cast(self.text.functions), no_return=True,
            )

    @_contextlib.contextmanager
    def _understood(self):
        """Reports a text that is not understood: its lines say nothing about the program."""
        try:
            yield
        except (ValueError, NotImplementedError) as error:
            if getattr(error, "code", None) != _TEXT:
                raise
            what = str(error).splitlines()[0].partition(": ")[2]
            raise _refusal(
                NotImplementedError, "absent",
                f"{self.name}(): the kernel needs a GPU, and the devices of this session are CPUs: "
                f"{what}", "docs/kernels.md states what kernels from Python may contain on CPUs",
            ) from None

    def run(self, args):
        count = self.count
        if self.limit is not None:
            limit = max(0, self.limit.of_arguments(args))
            count = limit if self.spreads else min(count, limit)
        if count == 0:
            return
        self._refuse_shared(args)
        if self.checked:
            self._check(args, count)
        self._call(self.kernel, args, [args[number] for number in self.outputs], count)

    def _call(self, kernel, args, outputs, count):
        with self._understood():
            kernel(*(args[number] for number in self.inputs), *outputs, size=count)

    def _refuse_shared(self, args):
        """Arrays that share elements with one that is written would not see what is written."""
        if len(self.arrays) == 1:
            return
        for written in self.outputs:
            for other in self.arrays:
                if other != written and _phalanx.shares_memory(args[written], args[other]):
                    raise _refusal(
                        ValueError, "together",
                        f"{self.name}(): arguments {written} and {other} share elements, and the "
                        "kernel writes them", "pass one array, and compute the other indices in "
                        "the kernel, or copy one of them",
                    )

    # Conflicts of threads

    def _check(self, args, count):
        """Refuses a launch in which a thread reads an element that another one writes."""
        key = None
        if self.depends is not None:
            numbers = tuple(args[self.arguments[one]] for one in self.depends)
            key = (count, numbers, tuple(args[number].shape for number in self.arrays))
            if key in self.good:
                return
        marks = []
        for base in self.checked:
            size = args[self.arguments[base]].size
            for start in (count, -1, count, -1):
                marks.append(_phalanx.full((size,), start, "int64"))
        outputs = [args[number].copy() for number in self.outputs]
        self._call(self.checking, args, [*outputs, *marks], count)
        for at, base in enumerate(self.checked):
            read_low, read_high, write_low, write_high = marks[4 * at : 4 * at + 4]
            alone = (read_low == read_high) & (write_low == write_high) & (read_low == write_low)
            apart = (read_high >= 0) & (write_high >= 0) & ~alone
            if bool(apart.any()):
                self._refuse_conflict(base)
        if key is not None:
            while len(self.good) >= _MOST_KEPT:
                self.good.popitem(last=False)
            self.good[key] = True

    def _refuse_conflict(self, base):
        accesses = [one for one in self.text.program.accesses if one.base == base]
        read = next(one for one in accesses if not one.is_write)
        write = next(one for one in accesses if one.is_write)
        raise _refusal(
            ValueError, "value",
            f"{read.where}: a thread reads elements that other threads write: `{read.line}`; "
            f"{write.where} writes them: `{write.line}`",
            "write to another array, or split the kernel at this line into two launches",
        )


def _cast(text):
    """The text with complex numbers as casts: a bracket before ``complex<T>(...)`` would be read as
    the bracket of a cast."""
    return _re.sub(r"\b(complex<\w+>)\(", r"static_cast<\1>(", text)


def _spelled(lines, checked=()):
    """The lines of a text: marks of the arrays that are checked as statements, others left out."""
    for line in lines:
        if not line.startswith("\1"):
            yield line
            continue
        _, base, kind, index, condition = line.split("\1")
        if base in checked:
            low, high = (f"{base}_{kind}_{end}[{index}]" for end in ("low", "high"))
            statement = f"atomicMin(&{low}, i); atomicMax(&{high}, i);"
            yield f"if ({condition}) {{ {statement} }}" if condition else statement


def _in_doubt(program):
    """The arrays that are read and written, and whose indices do not show that no thread reads what
    another one writes."""
    found = []
    for base in sorted(program.written):
        accesses = [one for one in program.accesses if one.base == base]
        if all(one.is_write for one in accesses):
            continue
        owners = {None if one.form is None else program.owner(one.form) for one in accesses}
        if len(owners) > 1 or None in owners:
            found.append(base)
    return found


def _are_apart(program):
    """Whether turns that are elements of their own have the results of turns in order: no two of
    them have an element in common, or it is combined, or one statement writes it once in a turn:
    such a statement runs for all turns in order, and the next turn of an inner loop after them."""
    if _in_doubt(program):
        return False
    for base in program.written:
        accesses = [one for one in program.accesses if one.base == base]
        indices = [[one.form for one in accesses], *zip(*(one.axes for one in accesses))]
        if any(map(program.are_apart, indices)):
            continue
        if len(accesses) == 1 and not accesses[0].is_in_loop:
            continue
        if len({one.how for one in accesses}) > 1 or accesses[0].how in ("read", "write", "exch"):
            return False
    return True


_ASSIGNMENT = _re.compile(r"(?:[\w<>]+ )*(\w+) = (.*);$")
_CONDITION = _re.compile(r"if \((.*)\) \{$")


def _dependences(lines, checked, parameters):
    """The numbers among the parameters that decide which elements of the checked arrays a thread
    reads and writes; None if elements decide it, too."""
    names = _collections.defaultdict(set)
    count = -1
    while count != sum(map(len, names.values())):
        count = sum(map(len, names.values()))
        around, last = [], set()

        def found(code, around=around):
            parts = {one for part in around for one in part}
            for name, bracket in _re.findall(r"([A-Za-z_]\w*)(\[?)", code):
                parts |= {"[]"} if bracket else names[name] | ({name} & parameters)
            return parts

        for line in map(str.strip, lines):
            if line.startswith("\1"):
                _, base, _, index, condition = line.split("\1")
                if base in checked:
                    names["\1"] |= found(f"{index} {condition}")
                continue
            condition = _CONDITION.match(line)
            if line == "}":
                last = around.pop()
            elif line == "else {":
                around.append(last)
            elif line.endswith("{"):
                around.append(found(condition[1]) if condition else set())
            for statement in _re.split("(?<=;) ", line):
                assignment = _ASSIGNMENT.match(statement)
                if assignment is not None:
                    names[assignment[1]] |= found(assignment[2])
    depends = names["\1"]
    return None if "[]" in depends else sorted(depends)
