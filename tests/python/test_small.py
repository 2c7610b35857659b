"""Operations on few elements, which run when they are recorded on one CPU device."""

import importlib.util
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
