"""Random kernels of jit for CPUs, and their results as plain Python computes them.

A kernel is Python text. The reference runs the same text once for each thread, in order, with
NumPy's numbers, and remembers which thread reads and writes which element.
"""

import linecache
import random
import warnings

import numpy

from phalanx.x import jit

DEVICE_FUNCTIONS = """
@device
def limited(value, low):
    if value < low:
        return low
    return value


@device
def ordered(first, second):
    if first > second:
        return second, first
    return first, second


@device
def powers(value, count):
    total = numpy.int64(0)
    for turn in range(4):
        if turn >= count:
            break
        total += value * turn
    return total


@device
def stored(array, at, value):
    if at < 0:
        return
    array[at] = value
"""

# Statements that kernels on CPUs refuse, and what the error says.
WRONG = [
    ("while i < 3:\n    i = i + 1", "`while` needs a GPU"),
    ("part = jit.shared_memory(numpy.int32, 4)", "`shared_memory` needs a GPU"),
    ("jit.syncthreads()", "`syncthreads` needs a GPU"),
    ("print(i)", "`print` needs a GPU"),
    ("old = jit.atomic_add(counts, 0, 1)", "the result of `atomic_add` needs a GPU"),
    ("near = jit.shfl_down_sync(0xFFFFFFFF, i, 1)", "`shfl_down_sync` needs a GPU"),
    ("group = jit.cg.this_thread_block()", "`cg.this_thread_block` needs a GPU"),
    ("for q in range(a[0]):\n    counts[0] = q", "depends on elements needs a GPU"),
    ("for q in range(1000000):\n    counts[0] = q", "1000000 turns"),
    ("jit.atomic_cas(counts, 0, 1, 2)", "`atomic_cas` needs a GPU"),
    ("first = a.begin()", "`begin` needs a GPU"),
    ("value = missing + 1", "Unbound name"),
    ("value = a[i, 0]", "the array has 1 axes"),
    ("value = a[0.5]", "an index is an integer"),
]


class Writer:
    """Writes one kernel ``drawn(a, b, m, out, table, other, counts, n, scale)``.

    Threads read ``a``, ``b`` and ``m``; they write ``out`` and ``table`` at elements of their own,
    and the others anywhere.
    """

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.whole, self.real = ["n"], ["scale"]
        self.count = 0
        self.at = "i"

    def choose(self, *items):
        return self.random.choice(items)

    def integer(self, depth):
        kind = self.random.random()
        if depth == 0 or kind < 0.25:
            return self.choose(self.random.choice(self.whole), f"numpy.int64({self.at})",
                               f"numpy.int64({self.random.randrange(-3, 9)})")
        if kind < 0.35:
            return f"numpy.int64(a[{self.place('a')}])"
        if kind < 0.4:
            first, second = (f"({self.integer(0)}) % m.shape[{axis}]" for axis in (0, 1))
            return f"numpy.int64({self.choose(f'm[{first}, {second}]', f'm[{first}][{second}]')})"
        one, other = self.integer(depth - 1), self.integer(depth - 1)
        if kind < 0.75:
            return f"({one} {self.choose('+', '-', '*', '//', '%', '&', '|', '^')} {other})"
        if kind < 0.82:
            return f"({one} if {self.condition(depth - 1)} else {other})"
        if kind < 0.9:
            return f"{self.choose('min', 'max', 'limited')}({one}, {other})"
        if kind < 0.95:
            narrow = "numpy." + self.choose("int8", "int32", "uint8", "int16")
            return f"numpy.int64({narrow}({one}) {self.choose('+', '*')} {narrow}({other}))"
        return self.choose(f"abs({one})", f"powers({one}, {other})", f"ordered({one}, {other})[0]",
                           "numpy.int64(jit.threadIdx.x)", "numpy.int64(jit.blockIdx.x)",
                           "numpy.int64(jit.laneid())", "numpy.int64(len(a) + b.size)")

    def number(self, depth):
        kind = self.random.random()
        if depth == 0 or kind < 0.2:
            return self.choose(self.random.choice(self.real), f"numpy.float64({self.at})",
                               f"numpy.float64({self.choose(0.5, -2.0, 3.0)})")
        if kind < 0.4:
            return f"numpy.float64(b[{self.place('b')}])"
        one, other = self.number(depth - 1), self.number(depth - 1)
        if kind < 0.7:
            return f"({one} {self.choose('+', '-', '*')} {other})"
        if kind < 0.8:
            return f"({one} if {self.condition(depth - 1)} else {other})"
        if kind < 0.9:
            return f"{self.choose('min', 'max', 'limited')}({one}, {other})"
        return self.choose(f"abs({one})", f"numpy.float64({self.integer(depth - 1)})",
                           f"numpy.floor({one})", f"numpy.float64(numpy.float32({one}))")

    def condition(self, depth):
        kind = self.random.random()
        sign = self.choose("<", "<=", ">", ">=", "==", "!=")
        if depth == 0 or kind < 0.5:
            return f"{self.integer(0)} {sign} {self.integer(0)}"
        if kind < 0.7:
            return f"{self.number(depth - 1)} {sign} {self.number(depth - 1)}"
        if kind < 0.9:
            left, right = self.condition(depth - 1), self.condition(depth - 1)
            return f"({left} {self.choose('and', 'or')} {right})"
        return f"not ({self.condition(depth - 1)})"

    def place(self, array):
        return self.choose(f"{self.at} % {array}.size", f"({self.integer(1)}) % {array}.size",
                           f"({self.at} * 3 + 1) % {array}.size")

    def statements(self, depth, in_loop):
        lines = []
        counts = len(self.whole), len(self.real)
        for _ in range(self.random.randrange(1, 4)):
            lines += self.statement(depth, in_loop)
        del self.whole[counts[0]:], self.real[counts[1]:]
        return lines

    def statement(self, depth, in_loop):
        kind = self.random.random()
        if kind < 0.2:
            self.count += 1
            name = f"v{self.count}"
            if self.random.random() < 0.5:
                line = f"{name} = {self.integer(2)} + numpy.int64(0)"
                self.whole.append(name)
            else:
                line = f"{name} = {self.number(2)} + numpy.float64(0)"
                self.real.append(name)
            return [line]
        changed = [one for one in self.whole + self.real if one.startswith("v")]
        if kind < 0.3 and changed:
            name = self.random.choice(changed)
            value = self.integer(1) if name in self.whole else self.number(1)
            return [f"{name} {self.choose('=', '+=', '-=')} {value}"]
        if kind < 0.45:
            return [f"out[{self.at}] {self.choose('=', '+=')} {self.number(2)}"]
        if kind < 0.47:
            place = f"{self.at} // 3, {self.at} % 3"
            return [f"table[{place}] {self.choose('=', '-=')} {self.number(1)}"]
        if kind < 0.49:
            self.count += 1
            row = f"r{self.count}"
            return [f"{row} = table[{self.at} // 3]", f"{row}[{self.at} % 3] += {row}.size"]
        if kind < 0.52:
            return [f"stored(out, {self.at} + 0, {self.number(1)})"]
        if kind < 0.58:
            value = self.integer(1)
            atomic = self.choose("add", "sub", "max", "min")
            return [f"jit.atomic_{atomic}(counts, ({self.integer(1)}) % counts.size, {value})"]
        if kind < 0.63:
            return [f"other[{self.place('other')}] = {self.integer(2)}"]
        if kind < 0.65:
            return [f"out[{self.at}] = out[({self.at} + 1) % out.size] + {self.number(1)}"]
        if kind < 0.67:
            return [f"out[{self.at}] += numpy.float64(other[{self.place('other')}])"]
        if kind < 0.71 and in_loop:
            return [f"if {self.condition(1)}:", f"    {self.choose('break', 'continue')}"]
        if kind < 0.74:
            return [f"if {self.condition(1)}:", "    return"]
        if depth == 0:
            return [f"out[{self.at}] += {self.number(1)}"]
        if kind < 0.88:
            lines = [f"if {self.condition(2)}:", *indented(self.statements(depth - 1, in_loop))]
            if self.random.random() < 0.5:
                lines += ["else:", *indented(self.statements(depth - 1, in_loop))]
            return lines
        self.count += 1
        name = f"k{self.count}"
        bounds = self.choose("3", "n % 4", f"{self.at} % 3", f"{self.at} % 2, {self.at} % 2 + 3",
                             "5, 0, -2", "0, n, 3", f"min({self.at} % 5, 3), 4")
        self.whole.append(f"numpy.int64({name})")
        body = self.statements(depth - 1, True)
        self.whole.remove(f"numpy.int64({name})")
        return [f"for {name} in range({bounds}):", *indented(body)]

    def kernel(self, wrong=None):
        """The text, and the line of the statement that is wrong."""
        flat = self.random.random() < 0.7
        head = [self.choose("i = jit.grid(1)",
                            "i = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x")]
        if not flat:
            number = self.choose("x * jit.gridsize(2)[1] + y", "y * jit.gridsize(2)[0] + x")
            head = ["x, y = jit.grid(2)", f"i = {number}"]
        self.threads = "jit.gridsize(1)" if flat else "jit.gridsize(2)[0] * jit.gridsize(2)[1]"
        kind = self.random.random()
        inner = 0 if wrong is None else 1
        if not flat and kind < 0.4:
            # Guards along the axes, from which the kernel gets fewer threads.
            limits = self.choose("3", "n", "b.size"), self.choose("2", "n // 2", "a.shape[0]")
            if kind < 0.2:
                guards = [f"x < {limits[0]}", "i < n", f"{limits[1]} > y"]
                guards = self.random.sample(guards, 3)
                body = [f"if {' and '.join(guards)}:", *indented(self.statements(2, False))]
            else:
                guards = [f"x >= {limits[0]}", "i >= n", f"{limits[1]} <= y"]
                guards = self.random.sample(guards, 3)
                body = [f"if {' or '.join(guards)}:", "    return", *self.statements(2, False)]
                inner = inner and 2
        elif kind < 0.35:
            body = ["if i < n:", *indented(self.statements(2, False))]
        elif kind < 0.6:
            body = ["if i >= n:", "    return", *self.statements(2, False)]
            inner = inner and 2
        else:
            self.at = "e"
            loop = f"for e in range(i, n, {self.threads}):"
            body = [loop, *indented(self.statements(2, True))]
        line = None
        if wrong is not None:
            pad = body[inner][: -len(body[inner].lstrip())] if inner < len(body) else ""
            body[inner:inner] = [pad + one for one in wrong.split("\n")]
            line = 2 + len(head) + inner
        lines = ["def drawn(a, b, m, out, table, other, counts, n, scale):", *indented(head + body)]
        blocks = (self.random.randrange(1, 5), self.random.randrange(1, 12))
        shape = blocks
        if not flat:
            more = self.random.randrange(1, 4), self.random.randrange(1, 5)
            shape = ((blocks[0], more[0]), (blocks[1], more[1]))
        return "\n".join(lines) + "\n" + DEVICE_FUNCTIONS, shape, line

    def arguments(self, threads):
        """The arguments as NumPy's arrays and numbers."""
        generator = numpy.random.default_rng(self.random.randrange(10**6))
        n = self.random.choice([0, 1, threads // 2, threads, threads + 3, 2 * threads + 1])
        a = generator.integers(-5 if self.random.random() < 0.5 else 0, 9, 7)
        a = a.astype(self.choose("int32", "int64", "int8", "int16"))
        b = generator.integers(-9, 9, 11).astype(self.choose("float32", "float64", "int32"))
        m = generator.integers(-3, 3, (4, 3)).astype(self.choose("int32", "uint8"))
        m = self.choose(m, m.T, m[::2, 1:])
        return [a, b, m, generator.integers(-3, 3, max(n, 1)).astype("float64"),
                numpy.zeros((n // 3 + 1, 3)), generator.integers(-3, 3, 8),
                numpy.zeros(5, "int64"), n,
                float(generator.integers(-3, 4))]


def indented(lines):
    return ["    " + line for line in lines]


# The reference


class Memory:
    """An array that remembers the threads that read and write each element."""

    def __init__(self, array, threads):
        self.array, self.threads = array, threads
        self.size, self.shape, self.ndim = array.size, array.shape, array.ndim
        self.readers, self.writers = {}, {}

    def __len__(self):
        return len(self.array)

    def _within(self, at):
        at = at if isinstance(at, tuple) else (at,)
        for one, extent in zip(at, self.shape):
            if not 0 <= one < extent:
                raise IndexError(f"{one} of {extent}")
        return tuple(map(int, at))

    def __getitem__(self, at):
        at = self._within(at)
        if len(at) < self.ndim:
            return Row(self, at)
        self.readers.setdefault(at, set()).add(self.threads.now)
        return self.array[at]

    def __setitem__(self, at, value):
        at = self._within(at)
        self.writers.setdefault(at, []).append((self.threads.now, "store"))
        self.array[at] = value

    def combine(self, at, value, name, function):
        at = self._within(at)
        self.writers.setdefault(at, []).append((self.threads.now, name))
        self.array[at] = function(self.array[at], value)

    def conflicts(self):
        """Whether a thread reads what another one writes."""
        for at, written in self.writers.items():
            both = self.readers.get(at, set()), {thread for thread, _ in written}
            if both[0] and (both[0] != both[1] or len(both[0]) > 1):
                return True
        return False

    def specified(self):
        """Whether each element has a value that does not depend on the order of the threads."""
        found = numpy.ones(self.shape, bool)
        for at, written in self.writers.items():
            threads, names = {one[0] for one in written}, {one[1] for one in written}
            names = {"add" if one == "sub" else one for one in names}
            if len(threads) > 1 and (len(names) > 1 or "store" in names):
                found[at] = False
        return found


class Row:
    """A row of a memory."""

    def __init__(self, memory, at):
        self.memory, self.at, self.size = memory, at, memory.shape[-1]

    def __getitem__(self, at):
        return self.memory[(*self.at, at)]

    def __setitem__(self, at, value):
        self.memory[(*self.at, at)] = value


class _Triple:
    def __init__(self, values):
        self.x, self.y, self.z = (numpy.uint32(one) for one in (*values, 1, 1)[:3])


class Threads:
    """Stands for ``jit``, one thread after the other."""

    def __init__(self, grid, block):
        self.grid_of, self.block_of = (*grid, 1, 1)[:3], (*block, 1, 1)[:3]
        self.blockDim, self.gridDim = _Triple(self.block_of), _Triple(self.grid_of)
        self.now = None

    def each(self):
        number = 0
        for place in numpy.ndindex(*self.grid_of[::-1]):
            for thread in numpy.ndindex(*self.block_of[::-1]):
                self.blockIdx, self.threadIdx = _Triple(place[::-1]), _Triple(thread[::-1])
                self.now = number
                number += 1
                yield

    def grid(self, ndim):
        found = tuple(
            numpy.int64(getattr(self.blockIdx, axis)) * getattr(self, "blockDim").__dict__[axis]
            + getattr(self.threadIdx, axis) for axis in "xyz"[:ndim]
        )
        return numpy.int64(found[0]) if ndim == 1 else tuple(map(numpy.int64, found))

    def gridsize(self, ndim):
        found = tuple(numpy.int64(grid * block) for grid, block in
                      zip(self.grid_of[:ndim], self.block_of[:ndim]))
        return found[0] if ndim == 1 else found

    def laneid(self):
        x, y, _ = self.block_of
        thread = self.threadIdx
        rank = int(thread.x) + x * (int(thread.y) + y * int(thread.z))
        return numpy.uint32(rank % 32)

    def atomic_add(self, memory, at, value):
        memory.combine(at, value, "add", lambda old, new: old + new)

    def atomic_sub(self, memory, at, value):
        memory.combine(at, value, "sub", lambda old, new: old - new)

    def atomic_max(self, memory, at, value):
        memory.combine(at, value, "max", max)

    def atomic_min(self, memory, at, value):
        memory.combine(at, value, "min", min)


class _Numbers:
    """NumPy, whose types convert as ``astype`` does."""

    def __getattr__(self, name):
        found = getattr(numpy, name)
        if isinstance(found, type) and issubclass(found, numpy.generic):
            return lambda value: numpy.asarray(value).astype(found)[()]
        return found


def _range(*bounds):
    return map(numpy.int64, range(*map(int, bounds)))


def defined(text, file, **names):
    """The function ``drawn`` of a text, whose lines Python's inspection finds."""
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), names)
    return names["drawn"]


def kernel_of(text, file, mode="numpy"):
    """The kernel of a text."""
    device = jit.rawkernel(device=True, mode=mode)
    return jit.rawkernel(mode=mode)(
        defined(text, file, numpy=numpy, jit=jit, device=device)
    )


def reference(text, grid, block, arguments):
    """Runs a text with copies of the arguments; returns the memories, or None if a thread leaves
    an array or computes what NumPy does not."""
    threads = Threads(grid, block)
    memories = [Memory(one.copy(), threads) if isinstance(one, numpy.ndarray) else None
                for one in arguments]
    function = defined(text, "<reference>", numpy=_Numbers(), jit=threads, range=_range,
                       device=lambda one: one)
    numbers = {int: numpy.int64, float: numpy.float64}
    given = [numbers[type(one)](one) if memory is None else memory
             for one, memory in zip(arguments, memories)]
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for _ in threads.each():
            try:
                function(*given)
            except (IndexError, OverflowError, ValueError):
                return None
    return memories
