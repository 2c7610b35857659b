"""What the translation of kernels to texts for CPUs knows of a launch: see ``host``."""

import itertools as _itertools
import re as _re

import numpy as _numpy

from . import forms as _forms
from .translate import Program
from .types import INT64, Data, Known, literal

# The most turns of a loop, and of all loops together.
MOST_TURNS = 10_000

# Names that texts have a meaning for.
NAMES = frozenset("""
thread_x thread_y thread_z block_x block_y block_z grid_x grid_y grid_z
i n raw bool_ half float16 float32 float64 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32
uint64 int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t ptrdiff_t intp uintp
complex64 complex128 int_ uint float_ uchar ushort ulong longlong ulonglong asm constexpr
""".split())

class NeedsValues(Exception):
    """The text depends on the numbers and on the shapes of the arguments."""


class Spreads(Exception):
    """Each turn of the loop that ends the kernel may be a thread of its own."""


class Cuts(Exception):
    """The kernel does nothing beyond some numbers of threads along the axes of the grid."""


class Formed(Data):
    """An integer of which a form is known."""

    __slots__ = ("form",)

    def __init__(self, code, type, pure, form):
        super().__init__(code, type, pure)
        self.form = form


class Place(Data):
    """An array, or a row of one: the raw parameter, the number of the argument, the place of its
    first element, the lengths of its axes, its strides in bytes, and the forms of the indices that
    select the row."""

    __slots__ = ("base", "number", "offset", "lengths", "strides", "axes")

    def __init__(self, type, base, number, offset, lengths, strides, axes=()):
        super().__init__(base if offset is None else f"{base}_{offset}", type)
        self.base, self.number, self.offset = base, number, offset
        self.lengths, self.strides, self.axes = lengths, strides, axes


class Access:
    """An element that a statement reads or writes. ``how`` is "read", "write" or an operation;
    ``form`` is of the index of the element, and ``axes`` are of the indices along the axes;
    ``is_in_loop`` says whether an element of the launch may run the statement several times."""

    __slots__ = ("base", "how", "is_write", "form", "axes", "is_in_loop", "where", "line")

    def __init__(self, base, how, form, axes, is_in_loop, where, line):
        self.base, self.how, self.is_write = base, how, how != "read"
        self.form, self.axes, self.is_in_loop = form, axes, is_in_loop
        self.where, self.line = where, line


def form_of(value):
    """The form of an integer; None if nothing is known."""
    if isinstance(value, Known):
        number = value.value
        whole = isinstance(number, (int, _numpy.integer)) and not isinstance(number, bool)
        return _forms.Form(int(number)) if whole else None
    return getattr(value, "form", None)


def within(form, dtype):
    """The form if the dtype holds its values. Known numbers wrap around, and sums of int64 are taken
    not to."""
    if form is None or dtype.kind not in "iu":
        return None
    limits, number = _numpy.iinfo(dtype), form.number()
    if number is not None:
        return _forms.Form((number - limits.min) % (limits.max - limits.min + 1) + limits.min)
    low, high = form.low(), form.high()
    known = low is not None and high is not None
    if known:
        return form if limits.min <= low and high <= limits.max else None
    return form if dtype == INT64 else None


class HostProgram(Program):
    """The text of a kernel for the threads of one launch.

    ``cuts`` has the most threads along axes of the grid, and ``order`` the axes in the order in
    which ``i`` counts threads, the fastest first.
    """

    def __init__(self, mode, grid, block, values=None, spread=None, cuts=(), order=(0, 1, 2)):
        super().__init__(mode, plain=True)
        self.grid, self.block, self.values = grid, block, values
        # Whether each turn of the loop that ends the kernel is an element of its own: None if that
        # is to be found out. Such a turn has the form ``turn``.
        self.spread, self.turn = spread, None
        self.cuts, self.order = dict(cuts), order
        self.sizes = [
            min(blocks * threads, self.cuts.get(axis, blocks * threads))
            for axis, (blocks, threads) in enumerate(zip(grid, block))
        ]
        self.count = self.sizes[0] * self.sizes[1] * self.sizes[2]
        self.is_flat = all(blocks * threads == 1 for blocks, threads in zip(grid[1:], block[1:]))
        self.accesses, self.written = [], set()
        self.inlined, self.effects = 0, 0
        # A form for the number of threads beyond which they do nothing; None for all threads.
        self.limit = None
        self._prologue = {}
        self.coordinates = [self._coordinate(axis) for axis in range(3)]
        self.number = self._number(order)

    def function(self, name, text):
        """Adds a function, whose loops take a known number of turns: a power halves its exponent,
        and Euclid's algorithm takes fewer than 1.5 turns for each bit."""
        bits = _re.search(r"int(\d+)$", name)
        if bits is not None and "while" in text:
            turns = int(bits[1]) * 3 // 2
            head = f"for (int turn = 0; turn < {turns}; ++turn)"
            text = _re.sub(r"while \((.*)\) \{", rf"{head} if (\1) {{", text)
        super().function(name, text)

    # Indices of threads

    def _coordinate(self, axis):
        """The forms of the index of the thread in its block, of the block, and in the grid."""
        grid, block = self.grid[axis], self.block[axis]
        name = "xyz"[axis]
        thread, place = (
            _forms.Form() if size <= 1 else _forms.between(0, size - 1, f"{word}_{name}")
            for size, word in ((block, "thread"), (grid, "block"))
        )
        return thread, place, thread.plus(place, block)

    def _number(self, order):
        """The form of the number of the thread that counts the axes in an order."""
        number, stride = _forms.Form(), 1
        for axis in order:
            number = number.plus(self.coordinates[axis][2], stride)
            stride *= self.sizes[axis]
        return number

    def best_order(self):
        """The order of the axes in which most indices are multiples of the number of the thread."""
        if self.is_flat:
            return self.order
        forms = [one.form for one in self.accesses if one.form is not None]

        def fitting(order):
            number = self._number(order)
            return sum(bool(_multiple(one.terms, number)) for one in forms)

        return max(_itertools.permutations(range(3)), key=fitting)

    def position(self, axis):
        """The index of the thread in the grid along an axis, as an int64."""
        size, at = self.sizes[axis], self.order.index(axis)
        if size <= 1:
            return "0LL"
        if self.spread:
            return self._once("grid_x", "long long", f"i % {size}LL")
        stride = 1
        for one in self.order[:at]:
            stride *= self.sizes[one]
        code = "i" if stride == 1 else f"i / {stride}LL"
        if all(self.sizes[one] == 1 for one in self.order[at + 1:]):
            return code if stride == 1 else self._once(f"grid_{'xyz'[axis]}", "long long", code)
        return self._once(f"grid_{'xyz'[axis]}", "long long", f"{code} % {size}LL")

    def thread(self, axis):
        """``threadIdx`` along an axis, as an unsigned int."""
        grid, block = self.grid[axis], self.block[axis]
        if block == 1:
            return "0u"
        at = self.position(axis)
        at = at if grid == 1 else f"{at} % {block}LL"
        return self._once(f"thread_{'xyz'[axis]}", "unsigned int", f"(unsigned int)({at})")

    def place(self, axis):
        """``blockIdx`` along an axis, as an unsigned int."""
        grid, block = self.grid[axis], self.block[axis]
        if grid == 1:
            return "0u"
        at = self.position(axis)
        at = at if block == 1 else f"{at} / {block}LL"
        return self._once(f"block_{'xyz'[axis]}", "unsigned int", f"(unsigned int)({at})")

    def _once(self, name, type, code):
        """A variable at the start of the text."""
        self._prologue.setdefault(name, f"{type} {name} = {code};")
        return name

    def prologue(self):
        return list(self._prologue.values())

    def spell(self, form):
        """A form as an int64; None if it has an atom without a text."""
        terms, parts = dict(form.terms), []
        number = self.turn or self.number
        by = None if self.spread and self.turn is None else _multiple(terms, number)
        if by:
            for atom in number.terms:
                del terms[atom]
            parts.append((by, "i"))
        for axis, (thread, place, whole) in enumerate(self.coordinates):
            by = _multiple(terms, whole)
            if by:
                for atom in whole.terms:
                    del terms[atom]
                parts.append((by, self.position(axis)))
                continue
            for other, spelled in ((thread, self.thread), (place, self.place)):
                for atom in other.terms:
                    if atom in terms:
                        parts.append((terms.pop(atom), f"(long long){spelled(axis)}"))
        for atom, by in terms.items():
            if atom.code is None:
                return None
            parts.append((by, f"(long long){atom.code}"))
        texts = [code if by == 1 else f"{code} * {literal(by, INT64)}" for by, code in parts]
        if form.constant or not texts:
            texts.append(literal(form.constant, INT64))
        return texts[0] if len(texts) == 1 else f"({' + '.join(texts)})"

    def is_thread(self, form):
        """Whether a form is the number of the thread in a grid of one axis."""
        return self.is_flat and self.axis_of(form) == 0

    def axis_of(self, form):
        """The axis along which a form is the index of the thread in the grid; None for others."""
        for axis, (_, _, whole) in enumerate(self.coordinates):
            if whole.terms and form.minus(whole).number() == 0:
                return axis
        return 0 if self.is_flat and form.number() == 0 and not self.number.terms else None

    def start_turns(self):
        """Makes the turns of a loop with a step over all threads elements of their own: the
        variable of the loop is ``i``."""
        code = self._once("turn_x", "long long", f"i / {self.count}LL")
        turn = _forms.between(0, None, code)
        self.turn = self.coordinates[0][2].plus(turn, self.count)
        return self.turn

    def owner(self, form):
        """The step of an index from thread to thread, and its rest of the step over all threads. No
        two threads have an index in common if both are the same for all indices. None if other
        parts of the index are no multiples of the step over all threads."""
        whole, terms = self.turn or self.number, dict(form.terms)
        step = _multiple(terms, whole)
        if not step:
            return None
        for atom in whole.terms:
            del terms[atom]
        if self.turn is not None:
            return None if terms else (step, form.constant)
        span = abs(step) * max(self.count, 1)
        if any(by % span for by in terms.values()):
            return None
        return step, form.constant % span

    def are_apart(self, forms):
        """Whether no two turns that are elements of their own have an index of these forms in
        common: all have the same step from turn to turn, and what they add to it is less."""
        steps = {one and _multiple(one.terms, self.turn) for one in forms}
        step = steps.pop()
        if steps or not step:
            return False
        rests = [one.minus(self.turn.times(step)) for one in forms]
        lows, highs = [one.low() for one in rests], [one.high() for one in rests]
        return None not in lows + highs and max(highs) - min(lows) < abs(step)


def _multiple(terms, whole):
    """The number by which the atoms of a form are multiplied; None if there is none."""
    found = {terms.get(atom, 0) / by for atom, by in whole.terms.items()}
    by = found.pop() if len(found) == 1 else 0
    return int(by) if by and by == int(by) else None
