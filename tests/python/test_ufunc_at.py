"""`ufunc.at` against NumPy: every form of index, every pair of dtypes, operations of one and two
operands. The seed determines a case."""

import random
import warnings

import numpy as np
import phalanx as px
import pytest

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
BINARY = [
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "power", "maximum",
    "minimum", "fmax", "bitwise_and", "bitwise_or", "bitwise_xor", "logical_and", "logical_xor",
    "less", "equal", "copysign", "left_shift", "ldexp", "gcd", "hypot", "arctan2",
]
UNARY = ["negative", "square", "absolute", "logical_not", "invert", "sign", "isnan", "sqrt"]


def index_of(draw, shape):
    """An index into an array of a shape, in any of NumPy's forms."""

    def positions(extent):
        extents = draw.choice([(0,), (1,), (3,), (5,), (2, 2)])
        count = int(np.prod(extents))
        if extent == 0 and count:
            return []
        drawn = [draw.randrange(-extent, extent) for _ in range(count)]
        kind = draw.choice(["list", "array", "int8"])
        drawn = np.array(drawn, "i1" if kind == "int8" else "i8").reshape(extents)
        return drawn.tolist() if kind == "list" and count else drawn

    def item(extent):
        kind = draw.randrange(6)
        if kind == 0 and extent:
            return draw.randrange(-extent, extent)
        if kind == 1:
            return slice(*(draw.choice([None, -2, 0, 1, 3]) for _ in range(2)),
                         draw.choice([None, 2, -1]))
        if kind == 2:
            return np.array([draw.random() < 0.5 for _ in range(extent)], bool)
        return positions(extent)

    kind = draw.randrange(8)
    if kind == 0:
        return np.array([draw.random() < 0.5 for _ in range(int(np.prod(shape)))],
                        bool).reshape(shape)
    if kind == 1:
        return draw.choice([..., None, (), True, False, slice(None)])
    items = [item(extent) for extent in shape[:draw.randrange(len(shape) + 1)]]
    if draw.random() < 0.3:
        items.insert(draw.randrange(len(items) + 1), None)
    if draw.random() < 0.3:
        items.append(...)
    if len(items) == 1 and draw.random() < 0.7:
        return items[0]
    return tuple(items)


def case(seed):
    """Operation, array, index and values."""
    draw = random.Random(seed)
    shape = draw.choice([(), (1,), (5,), (7,), (3, 4), (2, 1), (2, 3, 2), (0, 3)])
    make = np.random.default_rng(seed)

    def numbers(dtype, shape):
        low = 0 if dtype[0] in "u?" else -4
        whole = make.integers(low, 5, shape)
        if dtype[0] in "fc":
            whole = whole * draw.choice([1, 0.5, 0.1])
        return np.array(whole).astype(dtype)

    a = numbers(draw.choice(DTYPES), shape)
    index = index_of(draw, shape)
    if draw.random() < 0.2:
        return draw.choice(UNARY), a, index, ()
    try:
        shown = a[index].shape
    except IndexError:
        shown = ()
    form = draw.randrange(6)
    if form == 0:
        b = draw.choice([1, 2, 3, 200, -1, 0.5, 1.5, True, 2j, np.float32(0.1), np.int8(3)])
    elif form == 1 and shown:
        b = numbers(draw.choice(DTYPES), shown[-1:])
    elif form == 2 and len(shown) > 1:
        b = numbers(draw.choice(DTYPES), (shown[0],) + (1,) * (len(shown) - 1))
    elif form == 3:
        b = numbers(draw.choice(DTYPES), ())
    else:
        b = numbers(draw.choice(DTYPES), shown)
    return draw.choice(BINARY), a, index, (b,)


def outcome(call):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call()
        except (TypeError, ValueError, IndexError, OverflowError) as error:
            return error


def ours(index):
    """The index, sometimes with our arrays instead of NumPy's."""
    if isinstance(index, tuple):
        return tuple(ours(item) for item in index)
    return px.asarray(index) if isinstance(index, np.ndarray) else index


def check(seed):
    name, a, index, values = case(seed)

    def numpy_at():
        host = a.copy()
        # NumPy has a defect in values broadcast along several axes of one index array.
        whole = tuple(np.array(np.broadcast_to(b, a[index].shape)) for b in values)
        getattr(np, name).at(host, index, *whole)
        return host

    def phalanx_at():
        device = px.asarray(a)
        getattr(px, name).at(device, ours(index) if seed % 2 else index, *values)
        return device.get()

    expected, found = outcome(numpy_at), outcome(phalanx_at)
    what = f"seed {seed}: {name}.at of {a!r} at {index!r} with {values!r}"
    if isinstance(expected, Exception) or isinstance(found, Exception):
        # If there are two mistakes, either may be reported.
        assert isinstance(expected, Exception) and isinstance(found, Exception), (what, expected, found)
        return
    assert found.dtype == expected.dtype, what
    with np.errstate(all="ignore"):
        near = {"f2": 2e-3, "f4": 1e-6, "c8": 1e-6}.get(a.dtype.str[1:], 1e-14)
        np.testing.assert_allclose(found, expected, rtol=near, atol=0, err_msg=what)


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_at_as_numpy(start):
    for seed in range(start, start + 100):
        check(seed)


@pytest.mark.parametrize("name, arguments, kind", [
    ("add", ([0],), ValueError), ("negative", ([0], 1), ValueError), ("modf", ([0],), ValueError),
    ("add", ([9], 1), IndexError), ("add", (0.5, 1), IndexError), ("add", ([0, 1], [[1, 2]]), ValueError),
    ("power", ([0, 0], -1), ValueError), ("bitwise_and", ([0], 0.5), TypeError),
    ("add", ([0], 2**64), OverflowError),
])
def test_mistakes_raise_as_numpy_does(name, arguments, kind):
    with pytest.raises(kind):
        getattr(np, name).at(np.arange(4), *arguments)
    device = px.arange(4)
    with pytest.raises(kind, match="PX"):
        getattr(px, name).at(device, *arguments)
    assert device.get().tolist() == [0, 1, 2, 3]


def test_the_array_must_be_one_of_ours():
    for array in ([1, 2, 3], np.arange(3)):
        with pytest.raises(TypeError, match="first operand must be array"):
            px.add.at(array, [0], 1)
    fixed = px.broadcast_to(px.arange(3), (2, 3))
    with pytest.raises(ValueError):
        px.add.at(fixed, [0], 1)


def test_scatters_take_every_index():
    a = px.zeros((3, 4), "f4")
    px.x.scatter_add(a, (px.array([0, 0, 2]), px.array([1, 1, 3])), 2)
    px.x.scatter_max(a, (slice(1, None), [0, 2]), px.array([[5.0, 6.0]], "f4"))
    px.x.scatter_min(a, (a > 4).get(), 1)
    np.add.at(a, ([0], [0]), 7)
    assert a.get().tolist() == [[7, 4, 0, 0], [1, 0, 1, 0], [1, 0, 1, 2]]
