"""Special functions of complex numbers, and at the edges of their domains, against SciPy."""

import math

import numpy
import pytest

import phalanx as np
import phalanx.scipy.special as ours
from phalanx.scipy.special import _complex, _host
from phalanx.scipy.special._table import ROWS

theirs = pytest.importorskip("scipy.special")
pytestmark = pytest.mark.filterwarnings("ignore")

COUNT = 300
INF, NAN = math.inf, math.nan
# Bounds that differ from 2e-13, because SciPy's values have fewer digits.
PRECISION = {"exp1": 1e-11, "expi": 1e-11, "fresnel": 1e-9, "erfcx": 1e-11, "wofz": 1e-11}
OF_ONE = [name for name in _complex.VALUES if not name.startswith("xlog")]


def tupled(values):
    return values if isinstance(values, tuple) else (values,)


def points(region):
    """Complex numbers of a region."""
    draw = numpy.random.default_rng(5)
    turns = numpy.exp(1j * draw.uniform(-math.pi, math.pi, COUNT))
    if region == "axis":
        return draw.uniform(-20, 20, COUNT) + 0j
    if region == "imaginary axis":
        return draw.uniform(-20, 20, COUNT) * 1j
    if region == "next to integers":
        return numpy.rint(draw.uniform(-9, 3, COUNT)) + turns * 10 ** draw.uniform(-7, -1, COUNT)
    if region == "circle around -1":
        return turns * 0.999999 - 1
    low, high = {"small": (-9, -1), "middle": (-1, 0.8), "large": (0.8, 1.7)}[region]
    return turns * 10 ** draw.uniform(low, high, COUNT)


def compare(name, arguments, precision):
    found = tupled(getattr(ours, name)(*map(np.asarray, arguments)))
    want = tupled(getattr(theirs, name)(*arguments))
    assert len(found) == len(want)
    for one, other in zip(found, want):
        one = one.get()
        assert one.dtype == other.dtype and one.shape == other.shape
        finite = numpy.isfinite(other) & (numpy.abs(other) < 1e290)
        size = numpy.abs(other[finite])
        error = numpy.abs(one - other)[finite] / numpy.where(size == 0, 1, size)
        assert error.max(initial=0) < precision, f"{name}: {error.max():.1e}"
        assert numpy.isfinite(one[finite]).all()


@pytest.mark.parametrize("region", [
    "small", "middle", "large", "axis", "imaginary axis", "next to integers", "circle around -1",
])
@pytest.mark.parametrize("name", OF_ONE)
def test_values(name, region):
    z = points(region)
    if name == "log_ndtr":
        # SciPy's values have few digits where they are small.
        z = numpy.where(z.real > 1, 1 - z, z)
    compare(name, [z], PRECISION.get(name, 5e-13))
    found = getattr(ours, name)(np.asarray(z[:9].astype("complex64")))
    assert {one.dtype.name for one in tupled(found)} == {"complex64"}


def test_small_logarithms_of_the_normal_distribution():
    x = numpy.linspace(1, 30, 59)
    found = ours.log_ndtr(np.asarray(x + 0j)).get()
    numpy.testing.assert_allclose(found.real, theirs.log_ndtr(x), rtol=1e-11)
    # Next to the axis by the derivative.
    moved = ours.log_ndtr(np.asarray(x + 1e-9j)).get()
    slope = numpy.exp(-x * x / 2 - theirs.log_ndtr(x)) / math.sqrt(2 * math.pi)
    numpy.testing.assert_allclose(moved.imag, 1e-9 * slope, rtol=1e-8)


@pytest.mark.parametrize("name", ["xlogy", "xlog1py"])
def test_products_with_logarithms(name):
    x, y = points("middle"), points("large")
    x[:5], y[3] = 0, 0
    compare(name, [x, y], 1e-13)
    compare(name, [x, y.real.copy() + 30], 1e-13)
    compare(name, [x.astype("F"), y.astype("F")], 1e-5)
    found = getattr(ours, name)(np.asarray([0j, 0j]), np.asarray([0j, complex(NAN, 0)])).get()
    assert found[0] == 0 and numpy.isnan(found[1])


CUTS = {
    "loggamma": [-2.5, -0.5, 0.5, 3.0], "psi": [-2.5, 0.5], "exp1": [-3.0, -45.0, 2.0],
    "expi": [-3.0, 3.0], "spence": [-2.0, -0.5, 0.5, 3.0], "log1p": [-3.0, 2.0],
    "sici": [2.0, 9.0], "shichi": [2.0, 9.0], "gamma": [-2.5, 4.0], "erf": [-2.0, 3.0],
}


@pytest.mark.parametrize("name", CUTS)
def test_both_sides_of_cuts(name):
    z = numpy.array([complex(x, y) for x in CUTS[name] for y in (0.0, -0.0)])
    compare(name, [z], 1e-12)


EDGES = {
    "loggamma": [0, -1, -3, complex(-INF, 0), complex(NAN, 0)], "gamma": [0, -2],
    "rgamma": [0, -4], "psi": [0, -1], "erf": [complex(INF, 0), complex(-INF, 0)],
    "erfc": [complex(INF, 0), complex(-INF, 0)], "erfi": [complex(INF, 0)],
    "ndtr": [complex(INF, 0), complex(-INF, 0)], "exp1": [0], "spence": [0, 1],
    "wofz": [complex(0, INF), complex(1, INF), 0, complex(0, -INF), -30j, complex(INF, -1),
             complex(-INF, -INF), complex(0, NAN)],
    "sici": [complex(INF, 0), complex(-INF, 0)],
    "dawsn": [0, complex(INF, 0)], "log1p": [-1, 0],
}


@pytest.mark.parametrize("name", EDGES)
def test_edges(name):
    z = numpy.array(EDGES[name], "D")
    found, want = tupled(getattr(ours, name)(np.asarray(z))), tupled(getattr(theirs, name)(z))
    for one, other in zip(found, want):
        one = one.get()
        is_nan = numpy.isnan(other)
        assert numpy.array_equal(numpy.isnan(one), is_nan)
        numpy.testing.assert_allclose(one.real[~is_nan], other.real[~is_nan], rtol=1e-12)
        numpy.testing.assert_allclose(one.imag[~is_nan], other.imag[~is_nan], rtol=1e-12)


HOSTED = {
    "jv": [0.5, 2 + 1j], "kve": [1.0, 0.5 - 3j], "airy": [1 + 2j], "hankel1": [0.5, 1 + 1j],
    "hyp2f1": [0.5, 1.0, 1.5, 0.3 + 0.1j], "hyp0f1": [1.5, 2j], "elliprf": [1j, 2.0, 3 + 1j],
    "wrightomega": [1 + 3j], "eval_legendre": [2.5, 0.5 + 1j],
}


@pytest.mark.parametrize("name", HOSTED)
def test_functions_on_the_host(name, monkeypatch):
    arguments = [numpy.full(3, one) for one in HOSTED[name]]
    for kinds in ("dD", "fF"):
        given = [one.astype(kinds[one.dtype.kind == "c"]) for one in arguments]
        found = tupled(getattr(ours, name)(*map(np.asarray, given)))
        for one, other in zip(found, tupled(getattr(theirs, name)(*given))):
            assert one.dtype == other.dtype
            numpy.testing.assert_array_equal(one.get(), other)
    text = " ".join(getattr(ours, name).__doc__.split())
    assert "on the host" in text and "Collective" in text
    monkeypatch.setattr(_host.calls, "few", 2)
    with pytest.raises(ValueError, match="too long"):
        getattr(ours, name)(*map(np.asarray, arguments))


def test_every_complex_loop_is_there():
    for name, row in ROWS.items():
        loops = getattr(getattr(ours, name), "types", ())
        takes = any({*loop.partition("->")[0]} & {*"FD"} for loop in loops)
        assert takes == row.is_complex, name


LIMITS = [-INF, NAN, INF, 0.0, -1.0, -3.0, 1.0, -2.5, 2.0, 3.5]


@pytest.mark.parametrize("name", ["beta", "betaln", "binom", "gammaln", "polygamma", "ellipkinc"])
def test_limits_of_real_functions(name):
    x, y = numpy.meshgrid(LIMITS, LIMITS)
    if name == "polygamma":
        # An order without bound is a limit only of arguments that are none themselves.
        x = numpy.where(numpy.isinf(x) & numpy.isfinite(y), 2, numpy.abs(numpy.rint(x)))
    if name == "ellipkinc":
        x, y = numpy.meshgrid([-math.pi, -math.pi / 2, 0, math.pi / 2, 9.0], [-1, 0, 0.5, 1.0])
    arguments = [x] if name == "gammaln" else [x, y]
    found = getattr(ours, name)(*map(np.asarray, arguments)).get()
    numpy.testing.assert_allclose(found, getattr(theirs, name)(*arguments), rtol=1e-10)


def test_beta_functions_next_to_poles():
    x, y = numpy.meshgrid(numpy.arange(-9, 10), numpy.arange(-9, 10))
    found = ours.beta(np.asarray(x), np.asarray(y)).get()
    numpy.testing.assert_allclose(found, theirs.beta(x, y), rtol=1e-12)
    a = numpy.array([-100.3, -100.3, 1e-200, 2.5, -0.3, 1e-200, -7.5])
    b = numpy.array([1e-200, -1e-200, -100.3, 1e-250, 1e-40, 1e-200, 1e-5])
    found = ours.beta(np.asarray(a), np.asarray(b)).get()
    numpy.testing.assert_allclose(found, theirs.beta(a, b), rtol=1e-9)


def test_zeta_of_nan():
    x, q = numpy.meshgrid([NAN, 1.0, 2.5], [-INF, -2.0, 0.0, 0.5, 3.0])
    out = np.zeros((5, 3))
    assert ours.zeta(np.asarray(x), np.asarray(q), out) is out
    numpy.testing.assert_allclose(out.get(), theirs.zeta(x, q), rtol=1e-12)


def test_a_negative_binomial_distribution_without_failures():
    k, n, p = numpy.meshgrid([0, 1, 5], [0, 2], [0, 0.25, 1.0])
    want = theirs.nbdtri(k, n, p)
    numpy.testing.assert_allclose(ours.nbdtri(*map(np.asarray, (k, n, p))).get(), want, rtol=1e-10)


def test_zeta_of_complex_numbers():
    z = numpy.array([0.5 + 14j, 2 - 1j, -3.5 + 0.25j])
    numpy.testing.assert_allclose(ours.zeta(np.asarray(z)).get(), theirs.zeta(z), rtol=1e-13)
    out = np.empty(3, complex)
    assert ours.zeta(np.asarray(z), out=out) is out
    numpy.testing.assert_allclose(out.get(), theirs.zeta(z), rtol=1e-13)


@pytest.mark.one_process("arrays of one process")
def test_local_arrays_outside_of_their_block():
    with np.local():
        x, z = np.asarray([0.5, 1.5, 2.5]), np.asarray([0.5 + 1j, 1.5 - 2j])
    for name, *given in [
        ("beta", x, 2), ("binom", 5, x), ("zeta", x, 2), ("polygamma", 2, x), ("softmax", x),
        ("gamma", z), ("erf", z), ("exp1", z), ("sici", z), ("spence", z), ("xlogy", 1.5, z),
        ("jv", 1.0, z), ("wofz", z), ("log1p", z),
    ]:
        found = tupled(getattr(ours, name)(*given))
        want = tupled(getattr(theirs, name)(
            *[one.get() if isinstance(one, np.ndarray) else one for one in given]
        ))
        for one, other in zip(found, want):
            numpy.testing.assert_allclose(one.get(), other, rtol=1e-12)
