"""Writes NumPy's views, reshapes and orders in memory, for random programs.

    python views.py DIRECTORY

`DIRECTORY/views.tsv` then has a header line and a line for each case:

- `left`, `left_steps`: the shape of a base, `arange(size).reshape(shape)` of dtype int64, and the
  views taken of it one after the other, joined by `|` (see `STEPS`);
- `right`, `right_steps`: the same for a second operand, `-` if there is none;
- `operation`: the operation on them, `view` for none;
- `shape`, `strides` (in elements), `shares` (whether the result is a view of the left base),
  `values` (in C order): the result; `error` in place of a shape if NumPy raises an error.

The Rust side is `tests/property/views.rs`, which reads the directory named by
`PHALANX_CONFORMANCE_DATA`. Needs NumPy >= 2.2.
"""

import pathlib
import random
import sys
import warnings

import numpy as np

CASES = 20_000
RANDOM = random.Random(20240607)


def shape(ndim=None):
    ndim = RANDOM.choice([0, 1, 1, 2, 2, 2, 3, 3, 4]) if ndim is None else ndim
    return tuple(RANDOM.choice([0, 1, 1, 2, 3, 3, 4, 6]) for _ in range(ndim))


def bound(extent):
    return RANDOM.choice([None, None, RANDOM.randint(-extent - 2, extent + 2)])


def text(value):
    return "" if value is None else str(value)


def index(array):
    """An index with an ellipsis, so that NumPy never gives a scalar."""
    items, names = [], []
    for extent in array.shape[: RANDOM.randint(0, array.ndim)]:
        if RANDOM.random() < 0.15 and array.ndim + len(items) < 8:
            items.append(None)
            names.append("new")
        if RANDOM.random() < 0.2:
            inside = extent and RANDOM.random() < 0.97
            at = RANDOM.randint(-extent, extent - 1) if inside else extent
            items.append(at)
            names.append(str(at))
        else:
            start, stop = bound(extent), bound(extent)
            step = RANDOM.choice([None, None, 1, 2, 3, -1, -1, -2])
            if RANDOM.random() < 0.01:
                step = 0
            items.append(slice(start, stop, step))
            names.append(f"{text(start)}:{text(stop)}:{text(step)}")
    at = len(items) if RANDOM.random() < 0.7 else RANDOM.randint(0, len(items))
    items.insert(at, Ellipsis)
    names.insert(at, "...")
    return "index " + ",".join(names), lambda a: a[tuple(items)]


def transpose(array):
    axes = list(range(array.ndim))
    RANDOM.shuffle(axes)
    if axes and RANDOM.random() < 0.02:
        axes[0] = axes[-1]
    return "transpose " + ",".join(map(str, axes)), lambda a: a.transpose(axes)


def reshape(array):
    extents, rest = [], array.size
    for _ in range(RANDOM.randint(0, 3)):
        divisors = [by for by in range(1, rest + 1) if rest % by == 0] or [RANDOM.randint(0, 3)]
        extents.append(RANDOM.choice(divisors))
        rest //= max(extents[-1], 1)
    extents.insert(RANDOM.randint(0, len(extents)), rest)
    if RANDOM.random() < 0.2:
        extents[RANDOM.randrange(len(extents))] = -1
    if RANDOM.random() < 0.02:
        extents.append(2)
    return "reshape " + ",".join(map(str, extents)), lambda a: a.reshape(extents)


def merge(array):
    """A reshape that joins two neighbouring axes, or splits one."""
    extents = list(array.shape)
    if array.ndim >= 2 and RANDOM.random() < 0.6:
        at = RANDOM.randrange(array.ndim - 1)
        extents[at : at + 2] = [extents[at] * extents[at + 1]]
    elif extents:
        at = RANDOM.randrange(array.ndim)
        for by in (2, 3):
            if extents[at] and extents[at] % by == 0:
                parts = [by, extents[at] // by]
                extents[at : at + 1] = RANDOM.choice([parts, parts[::-1]])
                break
    return "reshape " + ",".join(map(str, extents)), lambda a: a.reshape(extents)


def broadcast(array):
    extents = [RANDOM.randint(0, 4) if e == 1 and RANDOM.random() < 0.7 else e for e in array.shape]
    if array.ndim < 4 and RANDOM.random() < 0.6:
        extents.insert(0, RANDOM.randint(0, 3))
    if extents and RANDOM.random() < 0.02:
        extents[-1] += 1
    return "broadcast " + ",".join(map(str, extents)), lambda a: np.broadcast_to(a, extents)


def expand(array):
    axis = RANDOM.randint(-array.ndim - 1, array.ndim)
    return f"expand {axis}", lambda a: np.expand_dims(a, axis)


STEPS = [
    (8, index),
    (4, transpose),
    (3, reshape),
    (3, merge),
    (1, broadcast),
    (1, expand),
    (1, lambda array: ("squeeze", np.squeeze)),
    (1, lambda array: ("ravel", np.ravel)),
    (1, lambda array: ("t", lambda a: a.T)),
    (1, lambda array: ("copy", lambda a: a.copy())),
    (1, lambda array: ("astype", lambda a: a.astype(float))),
    (1, lambda array: ("negative", np.negative)),
]


def program(extents, steps):
    """A base, the names of the operations, and the result (`None` after an error).

    An `OverflowError` means that the result is too large; the case is left out.
    """
    base = np.arange(int(np.prod(extents, dtype=int))).reshape(extents)
    array, names = base, []
    weights, makers = zip(*STEPS)
    for _ in range(steps):
        name, function = RANDOM.choices(makers, weights)[0](array)
        names.append(name)
        try:
            array = function(array)
        except (ValueError, IndexError):
            return base, names, None
        if array.ndim > 6 or array.size > 2000:
            raise OverflowError
    return base, names, array


def root(array):
    while array.base is not None:
        array = array.base
    return array


def axes_of(array):
    if RANDOM.random() < 0.3:
        return None
    axes = RANDOM.sample(range(array.ndim), RANDOM.randint(0, array.ndim))
    return tuple(axis - array.ndim if RANDOM.random() < 0.3 else axis for axis in axes)


def reduction(name):
    def make(array):
        axes, keepdims = axes_of(array), RANDOM.random() < 0.4
        if name in ("argmin", "argmax"):
            axes = RANDOM.choice([None, *range(array.ndim)])
        listed = "all" if axes is None else ",".join(map(str, np.atleast_1d(axes)))
        function = getattr(np, name)
        return (
            f"{name} {listed} {'keep' if keepdims else 'drop'}",
            lambda a: function(a, axis=axes, keepdims=keepdims),
        )

    return make


REDUCTIONS = "sum min max argmin argmax any all count_nonzero mean var prod".split()
BINARY = {
    "add": lambda a, b: a + b,
    "where": lambda a, b: np.where(a > b, a, b),
    "divide": lambda a, b: (a / (b * b + 1)),
    "matmul": lambda a, b: a @ b,
}


def fields(base, result):
    if result is None:
        return ["error", "-", "-", "-"]
    shared = root(result) is root(base)
    strides = [stride // result.itemsize for stride in result.strides]
    values = [repr(value) for value in result.ravel().tolist()]
    return [joined(result.shape), joined(strides), "yes" if shared else "no", joined(values)]


def joined(values):
    return ",".join(map(str, values))


def case():
    kind = RANDOM.random()
    base, names, array = program(shape(), RANDOM.randint(0, 4))
    line = [joined(base.shape), "|".join(names)]
    if kind < 0.5 or array is None:
        return line + ["-", "-", "view"] + fields(base, array)
    if kind < 0.75:
        name, function = reduction(RANDOM.choice(REDUCTIONS))(array)
        result = attempt(function, array)
        return line + ["-", "-", name] + fields(base, result)
    name = RANDOM.choice(list(BINARY))
    if RANDOM.random() < 0.7:
        # Two orders of the same axes.
        order = list(range(array.ndim))
        RANDOM.shuffle(order)
        extents = [0] * array.ndim
        for place, axis in enumerate(order):
            extents[axis] = array.shape[place] if RANDOM.random() < 0.8 else 1
        other = np.arange(int(np.prod(extents, dtype=int))).reshape(extents)
        steps, right = ["transpose " + joined(order)], other.transpose(order)
    else:
        other, steps, right = program(shape(), RANDOM.randint(0, 3))
    if right is None:
        raise OverflowError
    if name == "matmul" and (array.ndim != 2 or right.ndim != 2):
        raise OverflowError
    result = attempt(BINARY[name], array, right)
    return line + [joined(other.shape), "|".join(steps), name] + fields(base, result)


def attempt(function, *arguments):
    try:
        return np.asanyarray(function(*arguments))
    except ValueError:
        return None


def main(directory):
    header = "left left_steps right right_steps operation shape strides shares values"
    lines = [header.split()]
    # NumPy warns about means of no elements, which are cases too.
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while len(lines) <= CASES:
            try:
                lines.append(case())
            except OverflowError:
                continue
    path = pathlib.Path(directory) / "views.tsv"
    path.write_text("".join("\t".join(line) + "\n" for line in lines))


if __name__ == "__main__":
    main(sys.argv[1])
