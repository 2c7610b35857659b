"""Flags, bases, views and methods that change an array in place."""

import numpy
import pytest

import phalanx as np

FLAGS = ["c_contiguous", "f_contiguous", "writeable", "aligned", "forc", "fnc"]

VIEWS = [
    lambda np: np.zeros((2, 3)),
    lambda np: np.zeros((2, 3), order="F"),
    lambda np: np.zeros((2, 3)).T,
    lambda np: np.zeros((2, 3))[:, :2],
    lambda np: np.zeros((1, 3)),
    lambda np: np.zeros((0, 3)),
    lambda np: np.zeros(()),
    lambda np: np.zeros(6)[::2],
    lambda np: np.broadcast_to(np.zeros(3), (2, 3)),
]


@pytest.mark.parametrize("make", VIEWS)
def test_flags(make):
    ours, theirs = make(np).flags, make(numpy).flags
    for name in FLAGS:
        assert getattr(ours, name) == getattr(theirs, name), name
    for name in ["C", "F", "W", "FNC", "FORC"]:
        assert ours[name] == theirs[name], name


def test_flags_text():
    assert repr(np.zeros((2, 3)).flags) == repr(numpy.zeros((2, 3)).flags)
    with pytest.raises(KeyError):
        np.zeros(3).flags["Z"]


def test_base():
    a = np.arange(6).reshape(2, 3)
    assert np.arange(6).base is None
    part = a[1:, ::2]
    part.base[...] = 7
    assert (a == 7).all()
    assert part.base.base is None


def test_read_only_arrays_are_not_written():
    a = np.broadcast_to(np.zeros(3), (2, 3))
    with pytest.raises(ValueError, match="read-only"):
        a[9] = 1
    with pytest.raises(ValueError):
        a.fill(1)


def test_an_error_leaves_an_array_as_it_was():
    a = np.arange(4)
    for write in [
        lambda: a.put([9], 1),
        lambda: np.put_along_axis(a, np.array([9]), 1, axis=0),
        lambda: np.place(a, a > 0, []),
        lambda: a.resize(9),
    ]:
        with pytest.raises((IndexError, ValueError)):
            write()
        assert a.tolist() == [0, 1, 2, 3]


def test_methods_that_change_the_array():
    a = np.array([[3, 1, 2], [9, 7, 8]])
    b = a
    a.sort()
    assert b.tolist() == [[1, 2, 3], [7, 8, 9]]
    a.sort(axis=0)
    a.partition(1)
    a.fill(4)
    a.put([0, -1], [5, 6])
    assert b.tolist() == [[5, 4, 4], [4, 4, 6]]
    assert a.byteswap(inplace=True) is a
    assert b[0, 0] == numpy.array(5).byteswap()


def test_byte_orders_of_every_dtype():
    for kind in "?bBhHiIlLefdFD":
        numbers = (numpy.arange(60) * 37.25 % 211).astype(kind)
        for own in (numbers, numbers[::-3], numbers.reshape(5, 12).T, numbers[:0], numbers[3]):
            swapped = np.asarray(own).byteswap()
            assert swapped.dtype == own.dtype and swapped.shape == own.shape
            assert swapped.get().tobytes() == own.byteswap().tobytes(), kind


def test_positions_within_and_outside_of_the_axis():
    a = numpy.arange(24).reshape(4, 6)
    lists = ([], [0, 3], [3, 3, 0], [-1, 2], [4, 1], [-9, 9], [[0, 1], [2, 3]])
    for mode in ("wrap", "clip"):
        for at in (numpy.array(one, int) for one in lists):
            for axis in (None, 0, 1):
                expected = numpy.take(a, at, axis, mode=mode).tolist()
                assert np.take(np.asarray(a), np.asarray(at), axis, mode=mode).tolist() == expected
                changed = np.asarray(at)
                if at.size:
                    changed[...] += 7
                    expected = numpy.take(a, at + 7, axis, mode=mode).tolist()
                    assert np.take(np.asarray(a), changed, axis, mode=mode).tolist() == expected


def test_a_copy_that_is_not_allowed():
    a = np.arange(6).reshape(2, 3)
    assert np.shares_memory(np.reshape(a, (3, 2), copy=False), a)
    assert not np.shares_memory(np.reshape(a, (3, 2), copy=True), a)
    with pytest.raises(ValueError):
        np.reshape(a.T, (6,), copy=False)


def test_functions_of_python():
    def failing(_line):
        raise ZeroDivisionError("of the user")

    with pytest.raises(ZeroDivisionError, match="of the user"):
        np.apply_along_axis(failing, 0, np.eye(3))
    scaled = np.apply_along_axis(lambda line, by, plus=0: line * by + plus, 1, np.eye(2), 3, plus=1)
    assert scaled.tolist() == [[4, 1], [1, 4]]
    x = np.arange(5.0)
    assert np.piecewise(x, [x < 2], [lambda v: -v, lambda v: v**2]).tolist() == [-0.0, -1, 4, 9, 16]


def same(ours, theirs):
    numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)
    assert ours.dtype == theirs.dtype and ours.strides == theirs.strides


def numbers(*shape):
    return (numpy.arange(numpy.prod(shape)) * 7 % 31 - 9.0).reshape(shape)


def test_many_runs_of_positions():
    counts = numpy.arange(200) * 3 % 5
    mask = numpy.arange(200) * 7 % 11 > 4
    at = numpy.flatnonzero(mask)[::-1]
    for a in [numbers(200), numbers(200).astype("i2"), numbers(200, 3), numbers(200, 3).T]:
        axis = a.shape.index(200)
        same(np.repeat(np.asarray(a), counts, axis=axis), numpy.repeat(a, counts, axis=axis))
        for which in [mask, at, at[:20], numpy.arange(0, 200, 2), numpy.arange(100), [5, 5, 7]]:
            ours = np.delete(np.asarray(a), which, axis)
            numpy.testing.assert_array_equal(numpy.asarray(ours), numpy.delete(a, which, axis))
    for a in [numbers(200), numbers(200, 3), numpy.asfortranarray(numbers(200, 3))]:
        for which in [at, at[:20], numpy.full(50, 7), numpy.arange(200)]:
            for values in [2.5, numpy.arange(len(which)).reshape(-1, *[1] * (a.ndim - 1))]:
                ours = np.insert(np.asarray(a), which, values, axis=0)
                same(ours, numpy.insert(a, which, values, axis=0))


def test_joins_of_many_arrays():
    parts = [numbers(3 + number % 4, 2) for number in range(60)]
    same(np.concatenate([np.asarray(part) for part in parts]), numpy.concatenate(parts))
    rows = [numbers(5) + number for number in range(60)]
    for axis in [0, 1]:
        ours = np.stack([np.asarray(row) * 2 for row in rows], axis=axis)
        same(ours, numpy.stack([row * 2 for row in rows], axis=axis))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("at", [[2, 0], [[1, 3], [2, 2]], [4, 4, -1, 0, 1, 2, 3, 1], []])
def test_positions_of_an_inner_axis(at, order):
    at = numpy.array(at, dtype=int)
    for shape, items in [
        ((4, 5), (slice(None), at)),
        ((3, 5, 4), (slice(None), at)),
        ((3, 4, 5), (Ellipsis, at)),
        ((3, 4, 5), (slice(None, None, -1), slice(1, 3), at)),
        ((3, 5, 4), (slice(None), at, slice(None, None, 2))),
    ]:
        a = numpy.array(numbers(*shape), order=order)
        b = np.array(a, order=order)
        same(b[items], a[items])
        values = numbers(*a[items].shape) * 3
        for value in [8.0, values]:
            a[items] = value
            b[items] = np.asarray(value)
            same(b, a)
        numpy.add.at(a, items, values)
        np.add.at(b, items, values)
        same(b, a)
    mask = numpy.isin(numpy.arange(5), at)
    a = numpy.array(numbers(4, 5), order=order)
    same(np.array(a, order=order)[:, mask], a[:, mask])


@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (3, 5), (5, 3), (9, 2), (3, 3, 3), (2, 0)])
@pytest.mark.parametrize("value", [7, 2.5, [1.0], [1, 2, 3], numpy.arange(12).reshape(3, 4)])
def test_fill_diagonal(shape, value):
    for wrap in [False, True]:
        for make in [lambda np: np.zeros(shape), lambda np: np.ones(shape, order="F")]:
            ours, theirs = make(np), make(numpy)
            np.fill_diagonal(ours, value, wrap)
            numpy.fill_diagonal(theirs, value, wrap)
            same(ours, theirs)
    whole = np.zeros((6, 6))
    np.fill_diagonal(whole[1:5, ::2], 1)
    theirs = numpy.zeros((6, 6))
    numpy.fill_diagonal(theirs[1:5, ::2], 1)
    same(whole, theirs)
    whole.setflags(write=False)
    with pytest.raises(ValueError):
        np.fill_diagonal(whole, 1)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions_with_borders(mode):
    for count, taps in [(5, 5), (100, 31), (3000, 2), (700, 260), (6, 9)]:
        for cast in ["f8", "c16", "f4"]:
            a, v = numbers(count).astype(cast), numbers(taps).astype(cast)
            for ours, theirs in [
                (np.convolve(np.asarray(a), v, mode), numpy.convolve(a, v, mode)),
                (np.correlate(np.asarray(a), v, mode), numpy.correlate(a, v, mode)),
            ]:
                numpy.testing.assert_allclose(numpy.asarray(ours), theirs, 1e-5)
                assert ours.dtype == theirs.dtype
    # No term outside of a vector is a product of an infinity and a zero.
    a, v = numpy.ones(40), numpy.array([1, numpy.inf, 2])
    numpy.testing.assert_array_equal(
        numpy.asarray(np.convolve(np.asarray(a), v, mode)), numpy.convolve(a, v, mode)
    )


def test_sorts_of_short_columns():
    for cast in ["f4", "f8", "i4", "i8", "u1", "i2", "f2"]:
        for rows in [2, 4, 9]:
            a = numbers(rows, 300).astype(cast)
            same(np.sort(np.asarray(a), axis=0), numpy.sort(a, axis=0))
    a = numpy.where(numbers(4, 300) > 10, numpy.nan, numbers(4, 300))
    a[1] = -0.0
    ours = np.sort(np.asarray(a), axis=0)
    numpy.testing.assert_array_equal(numpy.asarray(ours), numpy.sort(a, axis=0))
    ours, theirs = numpy.asarray(np.median(np.asarray(a[1:]), axis=0)), numpy.median(a[1:], axis=0)
    numpy.testing.assert_array_equal(ours, theirs)


def test_selections_by_a_mask_of_the_same_size():
    a, mask = numbers(6, 7), numbers(6, 7)
    ours, condition = np.asarray(a), np.asarray(mask)
    same(np.extract(condition, ours), numpy.extract(mask, a))
    same(np.extract(condition > 3, ours.T), numpy.extract(mask > 3, a.T))
    flat = mask.ravel() > 3
    same(np.compress(flat, ours), numpy.compress(flat, a))
    same(np.compress(flat, ours.ravel(), axis=-1), numpy.compress(flat, a.ravel(), axis=-1))
    same(np.compress([0, 1, 1], ours, axis=1), numpy.compress([0, 1, 1], a, axis=1))
    with pytest.raises(numpy.exceptions.AxisError):
        np.compress(flat, ours.ravel(), axis=1)


@pytest.mark.parametrize("many", [5, 40, 3000])
def test_repetitions_by_an_array_of_counts(many):
    a = numpy.arange(many) * 3.0
    rng = numpy.random.default_rng(many)
    for counts in (
        rng.integers(0, 4, many),
        rng.integers(0, 4, many).astype("u1"),
        rng.integers(0, 2, many).astype(bool),
        numpy.zeros(many, int),
        numpy.where(numpy.arange(many) == many - 1, 7, 0),
        numpy.where(numpy.arange(many) == 0, 7, 0),
    ):
        same(np.repeat(np.asarray(a), np.asarray(counts)), numpy.repeat(a, counts))
        same(np.repeat(np.asarray(a), counts.tolist()), numpy.repeat(a, counts))
        rows = numpy.arange(3 * many).reshape(many, 3)
        ours = np.asarray(rows)
        same(np.repeat(ours, np.asarray(counts), axis=0), numpy.repeat(rows, counts, axis=0))
        ours = np.repeat(ours.T, counts, axis=1)
        same(ours, numpy.repeat(rows.T, counts, axis=1))
    below = numpy.ones(many, int)
    below[many // 2] = -1
    for wrong in (below, numpy.ones(many + 1, int)):
        with pytest.raises(ValueError):
            np.repeat(np.asarray(a), np.asarray(wrong))
    for wrong in (numpy.ones(many), numpy.ones(many, "u8")):
        with pytest.raises(TypeError):
            np.repeat(np.asarray(a), np.asarray(wrong))
    with pytest.raises(ValueError):
        np.repeat(np.asarray(a), np.ones((many, 1), int))


def test_repetitions_of_more_elements_than_there_can_be():
    counts = numpy.full(2000, 2**61)
    with pytest.raises((ValueError, MemoryError, OverflowError)):
        np.repeat(np.arange(2000), np.asarray(counts))


@pytest.mark.parametrize("many", [5, 40, 3000])
def test_deletions_by_an_array(many):
    a = numpy.arange(many) * 3.0
    rows = numpy.arange(3 * many).reshape(many, 3)
    rng = numpy.random.default_rng(many)
    masks = [rng.random(many) > share for share in (0.5, 0.01, 0.99, -1, 2)]
    places = [rng.integers(-many, many, count) for count in (3, 31, 32, 100)]
    places += [rng.integers(0, many, 40).astype("u2"), rng.integers(0, many, (8, 5))]
    for gone in masks + places:
        for given in (gone, np.asarray(gone)):
            same(np.delete(np.asarray(a), given), numpy.delete(a, gone))
            ours = np.asarray(rows)
            same(np.delete(ours, given, axis=0), numpy.delete(rows, gone, axis=0))
            ours, theirs = np.delete(ours.T, given, axis=1), numpy.delete(rows.T, gone, axis=1)
            numpy.testing.assert_array_equal(numpy.asarray(ours), theirs)
    for gone in masks[:1] + places[:4]:
        values = -1.0
        same(np.insert(np.asarray(a), np.asarray(gone), values), numpy.insert(a, gone, values))
    with pytest.raises(IndexError):
        np.delete(np.asarray(a), np.full(50, many))
    with pytest.raises(ValueError):
        np.delete(np.asarray(a), np.ones(many + 40, bool))
    with pytest.raises(ValueError):
        np.delete(np.asarray(a), np.ones((many, 40), bool))
    with pytest.raises(IndexError):
        np.delete(np.asarray(a), np.ones(40))


def test_rows_of_few_elements():
    # Lane blocks of CPUs hold whole rows of few elements.
    for columns in (1, 2, 3, 5, 7, 8, 33, 100):
        a = numbers(700, columns)
        ours = np.asarray(a)
        same(np.repeat(ours, 3, axis=0), numpy.repeat(a, 3, axis=0))
        same(np.repeat(ours, 3, axis=1), numpy.repeat(a, 3, axis=1))
        same(ours + np.arange(columns), a + numpy.arange(columns))
        same(ours[1:, : columns // 2 + 1] * 2, a[1:, : columns // 2 + 1] * 2)
        same(np.pad(ours, 2), numpy.pad(a, 2))
        for mine, theirs in zip(np.indices(a.shape), numpy.indices(a.shape), strict=True):
            same(mine, theirs)
        same(np.tril(ours, -1) + np.triu(ours, 1), numpy.tril(a, -1) + numpy.triu(a, 1))


def test_first_extremes_of_truth_values_and_complex_numbers():
    rng = numpy.random.default_rng(0)
    a = rng.random((40, 30)) > 0.8
    z = rng.integers(-2, 3, (40, 30)) + 1j * rng.integers(-2, 3, (40, 30))
    z[5, 3] = complex(numpy.nan, 1)
    z[7, 4] = complex(1, numpy.nan)
    for x in (a, z, z.astype("c8")):
        ours = np.asarray(x)
        for axis in (0, 1, None):
            for name in ("argmax", "argmin", "max", "min"):
                same(getattr(np, name)(ours, axis=axis), getattr(numpy, name)(x, axis=axis))


@pytest.mark.parametrize("bitorder", ["big", "little"])
def test_bits_of_bytes(bitorder):
    every = numpy.arange(256, dtype="u1")
    rng = numpy.random.default_rng(0)
    for a in (every, every[:1], every[:0], rng.integers(0, 256, (5, 9)).astype("u1"),
              rng.integers(0, 256, (3, 4, 7)).astype("u1")):
        ours = np.asarray(a)
        for axis in [None, *range(a.ndim)]:
            for count in (None, 0, 5, 13, -3, 200):
                if count is not None and count < 0 and a.size == 0:
                    continue
                given = {"axis": axis, "count": count, "bitorder": bitorder}
                found, expected = np.unpackbits(ours, **given), numpy.unpackbits(a, **given)
                numpy.testing.assert_array_equal(numpy.asarray(found), expected)
                assert found.dtype == expected.dtype
            bits = a > 100
            for given in (bits, bits.astype("i4") * 3, numpy.swapaxes(bits, 0, -1)):
                found = np.packbits(np.asarray(given), axis=axis, bitorder=bitorder)
                expected = numpy.packbits(given, axis=axis, bitorder=bitorder)
                numpy.testing.assert_array_equal(numpy.asarray(found), expected)
                assert found.dtype == expected.dtype
    back = np.packbits(np.unpackbits(np.asarray(every), bitorder=bitorder), bitorder=bitorder)
    numpy.testing.assert_array_equal(numpy.asarray(back), every)
