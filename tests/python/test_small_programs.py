"""Small programs as users write them, run with NumPy and with Phalanx as `np`: results agree in
values, dtypes, shapes, error classes and text. Each of them once differed."""

import array
import bisect
import collections
import io
import math
import operator

import numpy
import phalanx
import pytest


def outcome(call):
    """The result of a call, or the class of the exception that it raises."""
    try:
        return call()
    except Exception as error:
        # NumPy has private subclasses of TypeError for ufuncs.
        return TypeError if isinstance(error, TypeError) else type(error)


def loss_at_labels(np):
    """The mean cross-entropy, with rows selected by a range."""
    scores = np.arange(12.0).reshape(3, 4) / 5
    labels = [1, 0, 3]
    powers = np.exp(scores)
    chances = powers / powers.sum(axis=1, keepdims=True)
    gradient = chances.copy()
    gradient[range(3), labels] -= 1
    return -np.log(chances[range(3), labels]).mean(), gradient / 3


def keys_of_any_sequence(np):
    x = np.arange(12).reshape(3, 4)
    y = x.copy()
    y[range(1, 3), collections.deque([0, 2])] = -1
    np.add.at(y, range(2), 10)
    return (
        x[range(2)], x[:, range(0, 4, 2)], x[range(0)], x[range(2, -1, -1), 1:],
        x[array.array("i", [0, 2])], x[collections.deque([1])], x[memoryview(b"\0\1")],
        x[(range(2), range(2))], y,
        outcome(lambda: x[range(5)]), outcome(lambda: x[{0}]), outcome(lambda: x[b"0"]),
        outcome(lambda: x["0"]), outcome(lambda: x[iter([0])]), outcome(lambda: x[{0: 1}]),
    )


def sequences_beside_arrays(np):
    x = np.arange(4)
    return (
        x + range(4), range(4) - x, x == range(4), x != range(1, 5),
        x < collections.deque(range(4)), x * collections.deque(range(4)),
        x - array.array("i", range(4)), x @ range(4),
        x[2] + range(3), x[2] * range(3), outcome(lambda: x + range(3)), outcome(lambda: x + b"ab"),
        outcome(lambda: x + {1, 2}), outcome(lambda: x + {1: 2}), x == "text", x == b"text",
    )


def lists_repeated_by_elements(np):
    x = np.array([1, 2, 3])
    counts = [0] * (x.max() + 1)
    for one in x:
        counts[one] += 1
    names = ["a"]
    names *= x[1]
    return (
        counts, names, [None] * x[2], x[1] * [None], (0,) * x[1], x[1] * (1, 2), "ab" * x[1],
        [[0] * x[1] for _ in range(x[2])], outcome(lambda: [0] * x.mean()),
        outcome(lambda: x.mean() * [0]), outcome(lambda: [1] * x.any()), [1, 2, 3] * x,
        [1, 2] * np.array(2), [1, 2] + x[1], [1, 2] / x[1],
    )


def lines_from_the_end(np):
    x = np.arange(6).reshape(3, 2)
    z = np.array([1, 3, 5, 7])
    return (
        list(map(int, reversed(z))), [line.tolist() for line in reversed(x)],
        bisect.bisect(z, 4), bisect.bisect_left(z, 5), operator.indexOf(z, 5),
        sum(one * 2**place for place, one in enumerate(reversed(z))),
        outcome(lambda: list(reversed(np.array(1)))), len(z), z[-1],
    )


def arrays_that_refuse_writes(np):
    a, b, c = np.arange(4.0), np.arange(4.0), np.arange(6).reshape(2, 3)
    before = a[1:]
    a.flags.writeable = False
    b.setflags(write=False)
    c.flags["WRITEABLE"] = False
    view = a[1:]
    refused = [
        outcome(lambda: a.__setitem__(0, 1)), outcome(lambda: b.fill(3)), outcome(lambda: a.sort()),
        outcome(lambda: operator.iadd(a, 1)), outcome(lambda: np.add(a, 1, out=a)),
        outcome(lambda: np.put(a, 0, 1)), outcome(lambda: view.__setitem__(0, 1)),
        outcome(lambda: c.T.__setitem__((0, 0), 1)), outcome(lambda: np.copyto(a, 0)),
        outcome(lambda: a.reshape(2, 2).__setitem__(0, 1)), outcome(lambda: a.__setitem__([0], 1)),
        outcome(lambda: a.__setitem__(a > 1, 1)),
        outcome(lambda: setattr(view.flags, "writeable", True)),
    ]
    before[0] = 9
    c.shape = (3, 2)
    kept = [c.flags.writeable, view.flags.writeable, a.copy().flags.writeable]
    b.flags.writeable = True
    b[0] = 5
    return refused, kept, a, b, c, a + 1, a.sum(), b.flags.writeable, before.flags.writeable


def columns_of_text(np):
    text = "1 2.5\n2 3.5"
    record = [("i", "i4"), ("f", "f8")]
    table = np.loadtxt(io.StringIO(text), dtype=record)
    named = np.genfromtxt(io.StringIO("x,y\n1,2\n3,"), delimiter=",", names=True)
    columns = np.loadtxt(io.StringIO(text), dtype=record, unpack=True)
    return (
        table["i"], table["f"].mean(), table.dtype, table.shape, named["y"], named.dtype,
        [column.tolist() for column in columns], np.loadtxt(io.StringIO(text), unpack=True),
        np.loadtxt(io.StringIO("7")), np.genfromtxt(io.StringIO(text), dtype=None).dtype,
    )


def recurrences_by_a_python_function(np):
    smooth = np.frompyfunc(lambda a, b: 0.5 * a + 0.5 * b, 2, 1)
    divisor = np.frompyfunc(math.gcd, 2, 1)
    x = np.array([1.0, 2.0, 4.0])
    return (
        smooth.accumulate(x, dtype=object).astype(float), divisor.reduce([12, 18, 30]),
        divisor.outer([4, 6], [2, 3]).astype(int), divisor(12, 18), divisor.nin, divisor.nout,
        divisor.nargs, divisor.identity, repr(divisor), outcome(lambda: divisor.reduce([])),
        divisor.reduceat([12, 18, 7], [0, 2]).astype(int),
    )


def numbers_of_elements(np):
    squares = [n for n in range(30) if np.sqrt(n).is_integer()]
    half, ones = np.array([0.5])[0], np.array([7, 8])
    return (
        squares, (np.arange(4) ** 2).sum().is_integer(), half.as_integer_ratio(), half.hex(),
        ones[0].bit_count(), ones[1].denominator, int(ones[1].numerator),
        outcome(lambda: np.ones(2).is_integer()), outcome(lambda: np.ones(()).hex()),
        outcome(lambda: half.bit_count()), outcome(lambda: ones.any().is_integer()),
        hasattr(ones, "hex"), hasattr(half, "bit_count"), hasattr(np.ndarray, "is_integer"),
    )


def windows_of_a_measured_width(np):
    widths = np.array([2, 3])
    slide = np.lib.stride_tricks.sliding_window_view
    x = np.arange(5)
    return slide(x, widths.max()), slide(x, widths[:1]), slide(np.eye(3), widths.min(), axis=0)


def lists_in_random_order(np):
    order, pairs = list(range(20)), [["a", 1], ["b", 2], ["c", 3]]
    rng = np.random.default_rng(3)
    np.random.shuffle(order)
    rng.shuffle(pairs)
    host = numpy.arange(12).reshape(3, 4)
    rng.shuffle(host, axis=1)
    np.random.RandomState(1).shuffle(host)
    queue = collections.deque([1, 2])
    rng.shuffle(queue)
    return (
        order != list(range(20)), sorted(order), sorted(pairs), sorted(queue), type(order) is list,
        np.sort(host, axis=1)[:, 0].min(), sorted(host.ravel().tolist()),
        outcome(lambda: rng.shuffle((1, 2))), outcome(lambda: rng.shuffle(5)),
        outcome(lambda: rng.shuffle([1, 2], axis=1)), outcome(lambda: rng.shuffle(host, axis=2)),
        outcome(lambda: rng.shuffle([])), outcome(lambda: rng.shuffle("text")),
    )


def texts_of_older_versions(np):
    x = np.arange(2000.0)
    texts = []
    for version in ["1.13", "1.21", "1.25", "2.1", "2.2", False]:
        with np.printoptions(legacy=version):
            texts += [repr(x), repr(x.reshape(2, 1000)), str(x), repr(x[:0].reshape(2, 0))]
    return texts, outcome(lambda: x.item(0, 1)), outcome(lambda: x[:4].reshape(2, 2).item(0, 1, 0))


class Outline:
    """Points that convert to an array by a method, as classes of programs do."""

    def __init__(self, np):
        self.np, self.points = np, np.arange(4.0).reshape(2, 2)

    def __array__(self, dtype=None, copy=None):
        return self.np.asarray(self.points, dtype=dtype)


class Scaled(Outline):
    """An outline that answers operators before arrays do."""

    __array_priority__ = 10.0

    def __rmul__(self, factor):
        return "scaled", factor


def classes_that_convert_themselves(np):
    outline, scaled, row = Outline(np), Scaled(np), np.array([1.0, 2.0])
    return (
        np.asarray(outline), np.array(outline, dtype=int), np.mean(outline, axis=0),
        np.sin(outline), row * outline, outline + row, row @ outline, row > outline,
        np.array([outline, scaled]), np.concatenate([outline, outline]), np.linalg.det(scaled),
        np.add(outline, scaled), row * scaled, np.multiply(row, scaled), scaled + row, scaled - row,
    )


def many_irregular_positions(np):
    x, places = np.arange(120.0), (np.arange(60) ** 2) % 120
    table, lines = np.arange(240).reshape(2, 120), np.asfortranarray(np.ones((120, 2)))
    counts = np.arange(120) % 4
    return (
        np.delete(x, places), np.delete(table, places, axis=1), np.repeat(x, counts),
        np.repeat(table, counts, axis=1), np.insert(x, places, -1), np.delete(x, counts == 1),
        np.insert(table, places, np.arange(60), axis=1), np.insert(lines, places, 5.5, axis=0),
        np.insert(table, places, 2.5), np.delete(x + 1j, places), np.insert(x > 5, places, True),
    )


def elements_of_views_of_other_forms(np):
    grid = np.sin(np.arange(12.0)).reshape(3, 4)
    grid[1, 2] = grid[0, 1] + grid[-1, -1]
    grid[2][::2][1] = 7
    turned = grid[::-1, ::2]
    turned[0, 1] -= 1
    bits = np.array([1.5, -2.0]).view(np.int64)
    words = np.arange(4, dtype=np.int32).view(np.int16)
    words[2], words[-1] = 300, -1
    wide = np.zeros(8, dtype=np.uint8).view(np.float32)
    wide[1] = 1.5
    numbers = np.array([1 + 2j, 3 - 4j])
    numbers.real[1], numbers.imag[0] = 9, numbers.real[0] * 5
    truths = np.array([True, False, True])
    truths.view(np.uint8)[1] = 1
    return (
        grid, grid[1, 2] * 2, turned, bits[1], words, words[2] + words[3], wide.view(np.uint8),
        wide[1], numbers, numbers.imag[1], truths, outcome(lambda: grid[3, 0]),
    )


def fields_written_by_element(np):
    stars = np.zeros(6, dtype=[("flag", "?"), ("number", "i4"), ("place", "f8", (3,))])
    for at in range(6):
        stars["number"][at] = at * at
        stars["place"][at, at % 3] = stars["number"][at] / 2
        stars["flag"][at] = at % 2 == 0
    part = stars[1:5:2]
    part["number"][-1] += 100
    return (
        stars["number"], stars["place"], stars["flag"], part["number"][1] + 1,
        stars["place"][4, 1] * 2, stars["number"][-1],
    )


def results_in_lists(np):
    x = np.sin(np.arange(50.0))
    level, levels = x[0], []
    for value in x:
        level = 0.9 * level + 0.1 * value
        levels.append(level)
    mixed = [x[1], np.arange(3)[2], np.array([True])[0]]
    return (
        np.array(levels), np.mean(levels), np.array(mixed), np.array(mixed, dtype=np.float32),
        np.array([x[:1].max(), x.sum()]).shape, np.array([[x[0], x[1]], [x[2], x[3]]]),
        np.array([np.arange(3, dtype=np.int8)[1], np.arange(3, dtype=np.uint8)[1]]),
    )


PROGRAMS = [
    loss_at_labels, keys_of_any_sequence, sequences_beside_arrays, lists_repeated_by_elements,
    lines_from_the_end, arrays_that_refuse_writes, columns_of_text,
    recurrences_by_a_python_function, numbers_of_elements, texts_of_older_versions,
    windows_of_a_measured_width, lists_in_random_order, classes_that_convert_themselves,
    many_irregular_positions, elements_of_views_of_other_forms, fields_written_by_element,
    results_in_lists,
]


def same(found, expected):
    """Whether two results agree; sums may differ by rounding."""
    if isinstance(expected, (list, tuple)):
        is_like = isinstance(found, type(expected)) and len(found) == len(expected)
        return is_like and all(map(same, found, expected))
    if not isinstance(expected, (numpy.ndarray, numpy.generic)):
        return type(found) is type(expected) and found == expected
    if not isinstance(found, phalanx.ndarray):
        return False
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return False
    if expected.dtype.kind in "fc":
        return numpy.allclose(found.get(), expected, rtol=1e-12, atol=1e-14, equal_nan=True)
    return numpy.array_equal(found.get(), expected)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_programs_give_the_results_of_numpy(program):
    with numpy.errstate(all="ignore"):
        expected, found = program(numpy), program(phalanx)
    assert len(found) == len(expected)
    for place, pair in enumerate(zip(found, expected)):
        assert same(*pair), f"result {place}: {pair[0]!r}, and by NumPy {pair[1]!r}"
