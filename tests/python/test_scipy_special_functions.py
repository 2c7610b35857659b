"""Functions of ``phalanx.scipy.special`` that are no ufuncs, against SciPy."""

import math

import numpy
import pytest

import phalanx as np
import phalanx.scipy.special as ours

theirs = pytest.importorskip("scipy.special")
pytestmark = pytest.mark.filterwarnings("ignore")
INF, NAN = math.inf, math.nan


def check(name, *given, precision=1e-12, dtype=None, **options):
    def owned(one):
        return np.asarray(one) if isinstance(one, numpy.ndarray) else one

    found = getattr(ours, name)(
        *map(owned, given), **{key: owned(one) for key, one in options.items()}
    )
    want = getattr(theirs, name)(*given, **options)
    several = isinstance(want, (tuple, list))
    for one, other in zip(found if several else (found,), want if several else (want,)):
        assert isinstance(one, np.ndarray), name
        other = numpy.asarray(other)
        assert one.shape == other.shape, (name, one.shape, other.shape)
        assert one.dtype == (dtype or other.dtype), (name, one.dtype)
        precise = 1e-5 if other.dtype.char in "fF" else precision
        scale = numpy.nanmax(abs(other[numpy.isfinite(other)]), initial=0)
        numpy.testing.assert_allclose(one.get(), other, rtol=precise, atol=scale * precise / 100)


def raised(name, *given, **options):
    with pytest.raises(Exception) as other:
        getattr(theirs, name)(*given, **options)
    with pytest.raises(type(other.value)):
        getattr(ours, name)(*given, **options)


def normal(*shape, seed=1):
    return numpy.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
def test_sums_of_exponentials(axis):
    a = normal(5, 7) * 30
    for given in [a, a.astype("float32"), (a * 3).astype(int), a + 1j * normal(5, 7, seed=2)]:
        check("logsumexp", given, axis=axis)
        check("logsumexp", given, axis=axis, keepdims=True)
        check("softmax", given, axis=axis)
        check("log_softmax", given, axis=axis)
    check("logsumexp", a + 1000, axis=axis, b=abs(normal(5, 7)))
    check("logsumexp", a, axis=axis, b=normal(7), return_sign=True)
    check("logsumexp", a, axis=axis, b=normal(5, 1), keepdims=True, return_sign=True)
    check("logsumexp", a + 2j, axis=axis, return_sign=True)


def test_sums_of_exponentials_of_special_numbers():
    for a in [
        [], [-INF], [-INF, -INF], [INF, INF], [INF, -INF], [1.0, NAN], [INF, 1.0], [0.0, -1e-20],
        [1e-30, -800.0],
    ]:
        check("logsumexp", numpy.array(a))
        if a:
            check("logsumexp", numpy.array(a), return_sign=True)
    one = numpy.array([1.0, 2.0])
    check("logsumexp", one, b=numpy.array([1.0, -1.0]))
    check("logsumexp", one, b=numpy.array([1.0, -1.0]), return_sign=True)
    check("logsumexp", numpy.array([INF, 2.0]), b=numpy.array([0.0, -1.0]), return_sign=True)
    check("logsumexp", numpy.array([1.0, 1.0]), b=numpy.array([1.0, -1.0]))
    check("logsumexp", numpy.array([1.0, 1.0]), b=numpy.array([1.0, -1.0]), return_sign=True)
    check("logsumexp", numpy.array([INF, INF]), b=numpy.array([1.0, -1.0]))
    check("logsumexp", one, b=numpy.array([1, 2]))
    check("logsumexp", 3.0)
    check("log_softmax", numpy.array([INF, 1.0]))
    check("softmax", numpy.array([1000.0, -1000.0]))
    check("softmax", 5.0)
    raised("softmax", numpy.array([]))
    raised("logsumexp", [1.0, 2.0], axis=2)
    assert abs(float(ours.logsumexp([0.0, -40.0])) - math.log1p(math.exp(-40))) < 1e-30


@pytest.mark.parametrize("name", ["jvp", "yvp", "ivp", "kvp", "h1vp", "h2vp"])
def test_derivatives_of_bessel_functions(name):
    v, z = numpy.array([[0], [1], [2], [5]]), numpy.linspace(0.5, 20, 11)
    for n in range(4):
        check(name, v, z, n)
    check(name, 1.5, z, precision=1e-11)
    check(name, 2, 3.5)
    check(name, 1, z.astype("float32"))
    raised(name, 1, 2.0, -1)
    raised(name, 1, 2.0, 1.5)


@pytest.mark.parametrize("name", ["spherical_jn", "spherical_yn", "spherical_in", "spherical_kn"])
def test_spherical_bessel_functions(name):
    n, z = numpy.arange(6)[:, None], numpy.linspace(0.5, 20, 11)
    for derivative in [False, True]:
        check(name, n, z, derivative, precision=1e-11)
        check(name, 2, 3.5, derivative=derivative)
    expected = "float32" if name == "spherical_kn" else "float64"
    assert getattr(ours, name)(1, np.ones(2, "float32")).dtype == expected
    with pytest.raises(TypeError):
        getattr(ours, name)(1, 1j)


def test_combinations():
    n, k = numpy.arange(-1, 12)[:, None], numpy.arange(-1, 13)
    check("comb", n, k)
    check("comb", n[1:], k[1:], repetition=True)
    check("comb", numpy.array([5.5, 6.25]), 2)
    check("perm", n, k)
    check("perm", 10.0, 3)
    for name in ["comb", "perm"]:
        for given in [(10, 3), (3, 10), (-1, 2), (40, 20), (200, 100), (5, 0)]:
            found = getattr(ours, name)(*given, exact=True)
            assert found == getattr(theirs, name)(*given, exact=True) and type(found) is int
        assert float(getattr(ours, name)(5, 2)) == getattr(theirs, name)(5, 2)
        raised(name, 5.5, 2, exact=True)
    assert ours.comb(5, 3, exact=True, repetition=True) == 35
    assert ours.comb(0, 0, exact=True, repetition=True) == 1
    assert ours.comb(np.asarray(5), numpy.int64(3), exact=True) == 10


def test_factorials():
    n = numpy.arange(-2, 20)
    for given in [n, n.astype("int8"), 5]:
        check("factorial", given, dtype="float64")
        check("factorial2", given, dtype="float64")
        check("factorialk", given, 3, dtype="float64")
    for dtype in ["int64", "int8"]:
        # SciPy returns nothing in the dtype in which it is given.
        nothing = numpy.array([], dtype)
        check("factorial", nothing)
        check("factorial2", nothing)
        check("factorialk", nothing, 3)
    check("factorial", numpy.array([2.5, -1.0, -0.5, NAN]))
    check("factorial", numpy.array([2.5, -1.0, -0.5, NAN]), extend="complex")
    check("factorial2", numpy.array([-3.0, 2.5, 7.0]), extend="complex")
    check("factorialk", numpy.array([-4.0, -3.0, -6.0, 2.5, 7.0]), 3, extend="complex")
    for name, given in [("factorial", (25,)), ("factorial2", (25,)), ("factorialk", (40, 3)),
                        ("factorial", (-1,))]:
        found = getattr(ours, name)(*given, exact=True)
        assert type(found) is int and found == getattr(theirs, name)(*given, exact=True)
    found = ours.factorial(np.asarray([0, 5, 20]), exact=True)
    assert found.dtype == "int64" and found.get().tolist() == [1, 120, math.factorial(20)]
    assert ours.factorial2(np.asarray([5, 6]), exact=True).get().tolist() == [15, 48]
    with pytest.raises(OverflowError):
        ours.factorial(np.asarray([25]), exact=True)
    raised("factorial", 5, extend="unknown")
    raised("factorial", 5, exact=True, extend="complex")
    raised("factorial", [1.5], exact=True)
    raised("factorial2", 5.5)
    raised("factorialk", 5, 0)
    raised("factorialk", 5, -1)
    raised("factorialk", [5, 6], [1, 2])


def test_functions_of_one_formula():
    x = numpy.linspace(-20, 20, 401)
    check("sinc", x, precision=1e-10)
    check("sinc", x.astype("float32"))
    for n in [1, 2, 3, 8]:
        check("diric", x, n, precision=1e-10)
    check("diric", numpy.arange(-4, 5) * 2 * math.pi, numpy.array([[1], [2], [3], [4]]))
    check("diric", x, 1.5)
    check("diric", x, 0)
    check("diric", x.astype("float32"), 3, precision=1e-10)
    check("softplus", x)
    check("multigammaln", numpy.array([3.5, 10.0]), 4)
    check("multigammaln", 3.5, 2)
    raised("multigammaln", 0.1, 3)
    raised("multigammaln", 3, 1.5)
    n = numpy.array([[0], [1], [2], [5]])
    check("polygamma", n, numpy.linspace(0.1, 20, 9))
    check("polygamma", 1, numpy.ones(3, "float32"))
    check("polygamma", -1, numpy.ones(3))
    check("zeta", numpy.linspace(1.1, 30, 9))
    check("zeta", numpy.linspace(-9.5, 0.9, 9), precision=1e-11)
    check("zeta", numpy.linspace(1.1, 30, 9), numpy.array([[0.5], [2.0]]))
    check("zeta", numpy.ones(2, "float32") * 3, 2)
    out = np.zeros(2)
    assert ours.zeta(np.asarray([2.0, 3.0]), out=out) is out and float(out[0]) > 1.6
    check("zeta", numpy.array([2 + 1j, 0.5 + 14j, -1.5 - 2j]), precision=1e-11)
    check("assoc_laguerre", numpy.linspace(0, 5, 9), 3, 0.5)
    check("lmbda", 2.5, 3.0)
    check("lmbda", 0.5, 3.0)
    check("lmbda", 3, -2.0)
    check("lmbda", 1.5, 0.0)
    raised("lmbda", [1], 2)
    raised("lmbda", -1, 2)


def test_lambert_w():
    x = numpy.concatenate([numpy.linspace(-0.36, 3, 50), [1e-300, 1e10, 1e300, 0.0, INF]])
    check("lambertw", x)
    check("lambertw", numpy.linspace(-0.36, -1e-6, 50), -1)
    check("lambertw", numpy.array([0.0]), -1)
    z = normal(200) * 3 + 1j * normal(200, seed=4) * 3
    for k in [0, 1, -1, 2, -2, 5, -7]:
        check("lambertw", z, k)
        check("lambertw", -numpy.linspace(0.4, 30, 20), k)
        check("lambertw", numpy.linspace(0.1, 30, 20), k)
    near = -math.exp(-1) + 0.2 * numpy.exp(1j * numpy.linspace(-3.1, 3.1, 40))
    for k in [0, 1, -1]:
        found = ours.lambertw(np.asarray(near), k).get()
        numpy.testing.assert_allclose(found, theirs.lambertw(near, k), rtol=1e-10)
        assert abs(found * numpy.exp(found) - near).max() < 1e-14
    check("lambertw", z[:3], numpy.array([[0], [1], [-1]]))
    assert ours.lambertw(2.0).dtype == "complex128"
    assert numpy.isnan(ours.lambertw(NAN).get())


DEGREES = numpy.arange(7)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_legendre_functions(count):
    z = numpy.linspace(-0.95, 0.95, 11)
    n, m = DEGREES[:, None, None], numpy.arange(-3, 4)[:, None]
    check("legendre_p", DEGREES[:, None], z, diff_n=count)
    check("legendre_p", 3, 0.5, diff_n=count)
    # SciPy has no loop for complex numbers here.
    found = ours.legendre_p(2, np.asarray(z + 0.5j), diff_n=count)[0].get()
    numpy.testing.assert_allclose(found, 1.5 * (z + 0.5j) ** 2 - 0.5, rtol=1e-13)
    check("legendre_p_all", 5, z, diff_n=count)
    check("legendre_p_all", 5, z.astype("float32"), diff_n=count)
    check("legendre_p_all", 0, 0.5, diff_n=count)
    for norm in [False, True]:
        check("assoc_legendre_p", n, m, z, norm=norm, diff_n=count, precision=1e-11)
        check("assoc_legendre_p", 3, 2, 1.5, branch_cut=3, norm=norm, diff_n=count)
        check("assoc_legendre_p", 4, -1, z + 0.5j, norm=norm, diff_n=count)
        check("assoc_legendre_p", 4, 3, z - 0.5j, norm=norm, branch_cut=3, diff_n=count)
        check("assoc_legendre_p_all", 4, 2, z, norm=norm, diff_n=count, precision=1e-11)
        check("assoc_legendre_p_all", 2, 3, 0.5, norm=norm, diff_n=count)
    check("assoc_legendre_p", 3, 2, z + 1.5j, branch_cut=numpy.array([[2], [3]]), diff_n=count)
    theta = numpy.linspace(0.1, 3.1, 11)
    check("sph_legendre_p", n, m, theta, diff_n=count, precision=1e-11)
    check("sph_legendre_p_all", 4, 3, theta, diff_n=count, precision=1e-11)
    check("sph_legendre_p_all", 4, 3, theta.astype("float32"), diff_n=count)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_spherical_harmonics(count):
    theta, phi = numpy.linspace(0.1, 3.1, 11), numpy.linspace(0, 6.2, 11)
    check("sph_harm_y", 3, -2, theta, phi, diff_n=count)
    check("sph_harm_y", 5, 4, 0.5, 0.25, diff_n=count)
    check("sph_harm_y_all", 3, 2, theta, phi, diff_n=count, precision=1e-11)
    check("sph_harm_y_all", 2, 3, 0.5, 0.25, diff_n=count)
    check("sph_harm_y_all", 2, 1, theta.astype("float32"), phi.astype("float32"), diff_n=count)
    if count == 0:
        n, m = DEGREES[:, None], numpy.arange(-3, 4)[:, None, None]
        check("sph_harm_y", n, m, theta, phi, precision=1e-11)
        check("sph_harm_y", 2, 1, theta[:, None], phi)
    total = ours.sph_harm_y(80, 37, np.asarray(theta), 0.5)
    want = theirs.sph_harm_y(80, 37, theta, 0.5)
    numpy.testing.assert_allclose(total.get(), want, rtol=1e-9, atol=1e-12)


def test_associated_legendre_functions_of_one_degree():
    m, v = numpy.array([-3, -1, 0, 1, 2, 5])[:, None, None], numpy.array([-2, 0, 1, 4, 7])[:, None]
    x = numpy.array([-1.0, -0.7, 0.0, 0.3, 1.0])
    check("lpmv", m, v, x, precision=1e-11)
    check("lpmv", 1, 2.5, x[1:4])
    check("lpmv", m, v, x.astype("float32"), dtype="float64")


def test_mistakes_of_legendre_functions():
    raised("legendre_p", 1.5, 0.5)
    raised("legendre_p", 2, 0.5, diff_n=3)
    raised("legendre_p", 2, 0.5, diff_n=-1)
    raised("legendre_p_all", -1, 0.5)
    raised("legendre_p_all", [1], 0.5)
    raised("assoc_legendre_p_all", 2, -1, 0.5)
    raised("sph_harm_y", 2.0, 1, 0.5, 0.5)
    check("sph_harm_y", 1, 2, 0.5, 0.5)
    check("assoc_legendre_p", 2, 3, 0.5)
