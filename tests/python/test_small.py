"""Operations on few elements, which run when they are recorded on one CPU device."""

import importlib.util
import operator
import pathlib

import numpy
import pytest

import phalanx as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZES = {
    "jacobi_2d": (3, 12),
    "heat_3d": (2, 8),
    "lu_by_rows": (12,),
    "cholesky_by_rows": (12,),
    "seidel_2d": (2, 10),
    "longest_common": (14,),
    "k_means": (300, 2),
    "n_body": (20, 3),
    "mandelbrot": (25, 6),
    "spectral_filter": (500, 2),
    "crc16": (40,),
    "back_substitution": (20,),
    "gram_schmidt": (12, 8),
}


def programs():
    """The programs of the benchmark."""
    place = ROOT / "benches" / "programs.py"
    spec = importlib.util.spec_from_file_location("programs", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PROGRAMS


@pytest.mark.parametrize("name", SIZES)
def test_programs_give_numpys_results(name):
    program, *_ = programs()[name]
    expected, found = (program(module, *SIZES[name]) for module in (numpy, np))
    numpy.testing.assert_allclose(np.asnumpy(found), expected, rtol=1e-9, atol=1e-12)


def test_every_program_is_tested():
    assert set(SIZES) == set(programs())


def test_slices_are_pythons():
    ends = [None, 0, 1, 5, 9, 10, 11, -1, -5, -10, -11, 1 << 70, -(1 << 70)]
    x, plain = np.arange(10), list(range(10))
    for start in ends:
        for stop in ends:
            for step in [None, 1, 2, -1, -3, 1 << 70, -(1 << 70)]:
                part = slice(start, stop, step)
                assert x[part].tolist() == plain[part], part
    with pytest.raises(ValueError):
        x[::0]


class Once:
    """An index that raises when it is asked first."""

    asked = 0

    def __index__(self):
        self.asked += 1
        if self.asked == 1:
            raise KeyError("once")
        return 2


def test_an_error_of_a_slice_is_raised():
    x = np.arange(10)
    for part in (slice(Once(), None), slice(None, Once()), slice(None, None, Once())):
        with pytest.raises(KeyError):
            x[part]
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        quotients = np.array([1, 2]) // np.array([0, 1])
        x[quotients[0] :]
    with pytest.raises((TypeError, IndexError)):
        x["a":]


@pytest.mark.parametrize(
    "items",
    [[], [1.0, 2.5], [1, 2], [True, 1], [1, True], [1, 2.0], [2.0, 1], [[1, 2]], [-1]],
)
def test_lists_become_numpys_arrays(items):
    expected, found = numpy.asarray(items), np.asarray(items)
    assert found.dtype == expected.dtype and found.tolist() == expected.tolist()
    large = np.asarray([1 << 63])
    assert large.dtype == "u8" and large.tolist() == [1 << 63]
    for dtype in ("f4", "i8", "f8", "?"):
        expected, found = numpy.array(items, dtype), np.array(items, dtype)
        assert found.dtype == expected.dtype and found.tolist() == expected.tolist()


def test_elements_are_copies():
    x = np.arange(6.0)
    np.flush()
    first, second = x[0], x[1]
    x[0], x[1] = x[1], x[0]
    x[2] += x[3]
    assert (first.item(), second.item()) == (0.0, 1.0)
    assert x.tolist() == [1.0, 0.0, 5.0, 3.0, 4.0, 5.0]
    view, shown = x[1:4], numpy.asarray(x)
    x[2] = 7
    assert view.tolist() == [0.0, 7.0, 3.0]
    assert shown[2] == 5.0


def test_errors_of_elements_are_raised_where_they_are_read():
    x = np.zeros(3)
    np.flush()
    with np.errstate(divide="raise"):
        quotient = 1.0 / x[0]
        with pytest.raises(FloatingPointError):
            float(quotient)
    assert float(1.0 / x[0]) == numpy.inf


def test_empty_writes_are_recorded_alike_on_all_ranks():
    # Whether the value is computed already may differ between ranks.
    x = np.zeros(1_000_000)
    for _ in range(20):
        x += 1
        np.flush()
        x[5:5] = 0
        x[7:7] = np.arange(0.0)
    assert float(x.sum()) == 20_000_000


DTYPES = "?bBhHiIlLqQefdFD"
OPERATORS = {
    "a + b": lambda a, b: a + b,
    "a - b": lambda a, b: a - b,
    "a * b": lambda a, b: a * b,
    "a / b": lambda a, b: a / b,
    "a // b": lambda a, b: a // b,
    "a % b": lambda a, b: a % b,
    "a ** b": lambda a, b: a**b,
    "a & b": lambda a, b: a & b,
    "a << b": lambda a, b: a << b,
    "a < b": lambda a, b: a < b,
    "a == b": lambda a, b: a == b,
    "-a": lambda a, b: -a,
    "~a": lambda a, b: ~a,
    "abs(a)": lambda a, b: abs(a),
    "maximum(a, b)": lambda a, b: module_of(a, b).maximum(a, b),
    "sqrt(a)": lambda a, b: module_of(a, b).sqrt(a),
    "hypot(a, b)": lambda a, b: module_of(a, b).hypot(a, b),
}


def module_of(*operands):
    return np if any(isinstance(operand, np.ndarray) for operand in operands) else numpy


def answer(operation, *operands):
    """The dtype and the element of a result, or the class of its error."""
    try:
        with numpy.errstate(all="ignore"):
            result = operation(*operands)
    except Exception as error:
        return next(of for of in (OverflowError, TypeError, ValueError) if isinstance(error, of))
    if not hasattr(result, "dtype"):
        return None
    assert np.asnumpy(result).shape == ()
    return str(result.dtype), np.asnumpy(result)


def alike(found, expected):
    if isinstance(expected, tuple) and isinstance(found, tuple):
        return found[0] == expected[0] and numpy.allclose(
            found[1], expected[1], rtol=1e-3 if "16" in found[0] else 1e-6, equal_nan=True
        )
    return found == expected


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_of_elements_are_numpys(name):
    operation = OPERATORS[name]
    numbers = [True, 3, -2, 300, 1 << 40, 2.5, -0.0, float("nan"), 1.5 + 2j]
    with numpy.errstate(all="ignore"):
        values = {of: numpy.array([3, 1, 0]).astype(of) for of in DTYPES}
    ours = {of: np.asarray(value) for of, value in values.items()}
    for of in DTYPES:
        for other in DTYPES:
            for at, with_at in ((0, 1), (1, 2)):
                expected = answer(operation, values[of][at], values[other][with_at])
                found = answer(operation, ours[of][at], ours[other][with_at])
                assert alike(found, expected), (of, other, at, found, expected)
        for number in numbers:
            for turn in (1, -1) if "b" in name.replace("abs", "") else (1,):
                expected = answer(operation, *(values[of][0], number)[::turn])
                found = answer(operation, *(ours[of][0], number)[::turn])
                # Of a bool of Python and one of its own, NumPy makes a number of Python.
                if expected is not None:
                    assert alike(found, expected), (of, number, found, expected)


@pytest.mark.parametrize("of", DTYPES)
def test_elements_are_written_as_numpys(of):
    numbers = [True, 3, -2, 300, 1 << 40, 1 << 70, 2.5, 1e300, float("nan"), 1.5 + 2j]
    sources = [numpy.array([2, 7]).astype(other) for other in DTYPES if other not in "FD"]
    for value in numbers + sources:
        is_number = isinstance(value, int | float | complex)
        target, mine = numpy.zeros(4, of), np.zeros(4, of)
        mine[1].item()

        def write(array, taken):
            try:
                with numpy.errstate(all="ignore"):
                    array[-2] = taken
            except Exception as error:
                return type(error)

        element = value if is_number else value[1]
        taken = value if is_number else np.asarray(value)[1]
        assert write(mine, taken) == write(target, element), value
        numpy.testing.assert_array_equal(np.asnumpy(mine), target)


def test_elements_are_indices():
    x, rows = np.arange(12).reshape(3, 4), np.array([2, -1, 0])
    assert float(x[rows[0], rows[1]]) == 11
    assert x[rows[0]].tolist() == [8, 9, 10, 11]
    x[rows[2], rows[0]] = 70
    assert float(x[0, 2]) == 70
    for key in (rows[0] + 1, (rows[0], rows[0] + 2)):
        with pytest.raises(IndexError):
            x[key]
        with pytest.raises(IndexError):
            x[key] = 1
    truth = rows > 0
    assert x[truth[0]].shape == (1, 3, 4)


def test_errors_of_elements_are_found():
    x = np.array([1.0, 0.0])
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        float(x[0] / x[1])
    with pytest.raises(ValueError):
        int(np.array([2])[0] ** np.array([-1])[0])
    assert bool(np.array([3])[0] < 10**30)


def test_an_element_does_not_change_with_its_array():
    x = np.arange(5.0)
    element, other = x[2], x[3]
    x[2] = 9
    assert float(element) == 2
    total = element + other
    assert float(total) == 5 and total.dtype == np.float64
    # As part of larger operations it is a scalar.
    assert (np.arange(2000.0) + element)[-1] == 2001


def test_comparisons_with_integers_beyond_every_dtype():
    cases = [("u8", [2**64 - 1, 5], 2**64), ("i8", [-(2**63), 1], -(2**63) - 1), ("i4", [7], 2**70)]
    for dtype, values, number in cases:
        plain, own = numpy.array(values, dtype), np.array(values, dtype=dtype)
        for name in ("less", "less_equal", "equal", "not_equal", "greater", "greater_equal"):
            for turn in (1, -1):
                expected = getattr(numpy, name)(*(plain, number)[::turn])
                found = getattr(np, name)(*(own, number)[::turn])
                assert found.tolist() == expected.tolist(), (name, dtype, turn)
                element = getattr(np, name)(*(own[0], number)[::turn])
                assert bool(element) == expected[0]


def test_an_element_of_another_mesh_is_no_index():
    x, matrix = np.arange(4.0), np.ones((2, 2))
    with np.local():
        position = np.array([1, 0, 2])
        position[0].item()
        for read in (lambda: x[position[0]], lambda: matrix[position[0], position[1]]):
            with pytest.raises(ValueError, match="PX018"):
                read()
        with pytest.raises(ValueError, match="PX018"):
            x[position[0]] = 3.0


def test_a_plan_of_an_element_names_the_line_that_shows_it():
    x = np.arange(3.0) + 1
    x.evaluate()
    plan = (x[1] + x[2]).explain()
    assert ".rs" not in plan


def test_the_position_of_a_number_in_order_is_0():
    assert np.argpartition(np.array(3.0), 0).tolist() == numpy.argpartition(3.0, 0).tolist()


VIEWS = {
    "all": lambda x: x,
    "slice": lambda x: x[1:-2],
    "reversed": lambda x: x[::-1],
    "steps": lambda x: x[1::3],
    "nothing": lambda x: x[2:2],
}


@pytest.mark.parametrize("of", ["f4", "f8", "i4", "u1", "?", "c16", "f2"])
@pytest.mark.parametrize("view", VIEWS)
def test_operators_in_place_are_numpys(of, view):
    o, rng = operator, numpy.random.default_rng(5)
    base, other = ((rng.random(23) * 9 + 1).astype(of) for _ in range(2))
    operators = [o.iadd, o.isub, o.imul, o.itruediv, o.ifloordiv, o.imod, o.ipow, o.iand, o.ilshift]
    others = [other, other[0], other[:1], 2, 2.5, other.real.astype("f8"), other.real.astype("i2"), True]
    for act in operators:
        for second in others:
            expected, found = base.copy(), np.array(base)
            targets = VIEWS[view](expected), VIEWS[view](found)
            if isinstance(second, numpy.ndarray) and second.size > 1:
                second = second[: targets[0].size]
            outcomes = []
            given = np.array(second) if isinstance(second, numpy.ndarray) else second
            for target, value in zip(targets, (second, given), strict=True):
                try:
                    with numpy.errstate(all="ignore"):
                        act(target, value)
                    outcomes.append(None)
                except (TypeError, ValueError, OverflowError) as error:
                    outcomes.append(error)
            assert (outcomes[0] is None) == (outcomes[1] is None), (act, second, outcomes)
            if outcomes[0] is None:
                numpy.testing.assert_allclose(np.asnumpy(found), expected, rtol=1e-3)


def test_operators_in_place_read_before_they_write():
    expected, found = numpy.arange(12.0), np.arange(12.0)
    for x in (expected, found):
        x[1:] += x[:-1]
        x[::-1] -= x
        x[2:7] *= x[3]
        x += x
    assert found.tolist() == expected.tolist()
    expected, found = (m.arange(36.0).reshape(6, 6) for m in (numpy, np))
    for x in (expected, found):
        x.T[...] += x
        x[:, 2] -= x[1, :] * x[3, 3]
        x[1:3, ::2] /= x[4, :3]
        x += x[0]
    assert found.tolist() == expected.tolist()


def test_an_operator_in_place_leaves_copies_and_results():
    x = np.arange(6.0)
    double, copy = x * 2, x.copy()
    x += 1
    assert (double.tolist(), copy.tolist()) == ([0, 2, 4, 6, 8, 10], [0, 1, 2, 3, 4, 5])
    assert x.tolist() == [1, 2, 3, 4, 5, 6]


def test_an_operator_in_place_warns_of_floating_point_errors():
    x = np.ones(3)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        x /= np.zeros(3)
        np.asnumpy(x)


@pytest.mark.parametrize("of", ["f4", "f8", "c8", "c16", "i4", "i8", "u8", "f2", "?"])
@pytest.mark.parametrize("name", ["dot", "inner", "matmul"])
def test_products_of_short_vectors_are_numpys(name, of):
    rng = numpy.random.default_rng(6)
    for count in (0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 1000, 1024, 1025, 1500):
        a, b = ((rng.random(2 * count) * 3).astype(of) for _ in range(2))
        if of.startswith("c"):
            a = a + (rng.random(2 * count) * 1j).astype(of)
        pairs = [(a[::2], b[:count]), (a[:count][::-1], b[1::2])]
        x, y = np.array(a), np.array(b)
        views = [(x[::2], y[:count]), (x[:count][::-1], y[1::2])]
        for operands, given in zip(pairs, views, strict=True):
            expected, found = getattr(numpy, name)(*operands), getattr(np, name)(*given)
            assert found.dtype == expected.dtype and found.shape == ()
            error = 2e-3 if of == "f2" else 1e-5
            numpy.testing.assert_allclose(np.asnumpy(found), expected, rtol=error)
