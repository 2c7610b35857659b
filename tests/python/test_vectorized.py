"""Calls of vectorize that run on the devices, against NumPy's."""

import numpy
import pytest

import phalanx as np
from phalanx import _vectorized

N = 12_000
FLOATS = numpy.linspace(-3, 3, N)
WHOLE = numpy.arange(N) % 97 - 40
SCALE = 2.0


def branch(x, y):
    if x > y:
        return x - y
    return (x + y) * 0.5


def polynomial(x):
    return ((x + 2) * x - 1) * x


def mixed(x):
    return 1 if x > 0 else 0.5


def scaled(x):
    return x * SCALE


def truth(x):
    return x > 0


def loop(x):
    total = x
    for k in range(4):
        total = total * x + k
    return total


def remainder(x):
    return x // 7 + x % 5


CASES = [(polynomial, 1), (branch, 2), (truth, 1), (loop, 1), (remainder, 1), (scaled, 1),
         (lambda x: numpy.sin(x) + numpy.minimum(x, 1), 1)]


@pytest.fixture
def on_devices(monkeypatch):
    """The functions that were translated, and what became of them."""
    seen = []
    own = _vectorized.translated

    def noted(host, args):
        answer = own(host, args)
        seen.append(answer is not None)
        return answer

    monkeypatch.setattr(_vectorized, "translated", noted)
    return seen


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4"])
@pytest.mark.parametrize("function, count", CASES)
def test_results_are_numpys(function, count, dtype, on_devices):
    given = [(FLOATS if dtype[0] == "f" else WHOLE).astype(dtype), WHOLE[::-1].astype(dtype)][:count]
    expected = numpy.vectorize(function)(*given)
    result = np.vectorize(function)(*map(np.asarray, given))
    assert result.dtype == expected.dtype and isinstance(result, np.ndarray)
    numpy.testing.assert_allclose(np.asnumpy(result), expected, rtol=2e-6, atol=1e-6)
    assert on_devices == [True]


def test_numbers_broadcasts_and_otypes(on_devices):
    x, row = np.asarray(FLOATS.reshape(3, -1)), np.asarray(FLOATS[: N // 3])
    host = FLOATS.reshape(3, -1)
    for args, given in [((x, 2), (host, 2)), ((1.5, x), (1.5, host)), ((x, row), (host, FLOATS[: N // 3]))]:
        expected = numpy.vectorize(branch)(*given)
        numpy.testing.assert_allclose(np.asnumpy(np.vectorize(branch)(*args)), expected)
    result = np.vectorize(polynomial, otypes=["d"])(x)
    numpy.testing.assert_allclose(np.asnumpy(result), numpy.vectorize(polynomial)(host))
    assert on_devices == [True] * 4


def test_what_python_must_compute_is_computed_on_the_host(on_devices):
    x = np.asarray(FLOATS)
    kept = []

    def keeps(x):
        kept.append(1)
        return x

    for function, otypes in [(mixed, None), (keeps, None), (abs, None), (polynomial, ["f"]),
                             (lambda x: int(x), None)]:
        # The first number is positive.
        expected = numpy.vectorize(function, otypes=otypes)(FLOATS[::-1])
        result = np.vectorize(function, otypes=otypes)(x[::-1])
        assert result.dtype == expected.dtype
        numpy.testing.assert_array_equal(np.asnumpy(result), expected)
    assert on_devices == [False] * 5 and kept
    np.vectorize(polynomial)(x[:10])
    assert on_devices[-1] is False


def test_values_from_outside_are_those_of_the_call(on_devices):
    global SCALE
    x = np.asarray(FLOATS)
    own = np.vectorize(scaled)
    for SCALE in (2.0, 3.0, 2.0):
        numpy.testing.assert_array_equal(np.asnumpy(own(x)), FLOATS * SCALE)
    assert on_devices == [True] * 3
