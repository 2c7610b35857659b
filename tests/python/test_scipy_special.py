"""``phalanx.scipy.special`` against SciPy."""

import importlib.util
import inspect
import itertools
import math
import pickle
import subprocess
import sys

import numpy
import pytest

import phalanx as np
import phalanx.scipy.special as ours
from phalanx.scipy.special import _host, _host_table, _ufunc
from phalanx.scipy.special._table import ROWS

from .special_cases import EDGES_BEYOND, INVERSES, PRECISION, domains, drawn

theirs = pytest.importorskip("scipy.special")

DOMAINS = domains()
UFUNCS = [name for name in ROWS if isinstance(getattr(ours, name), _ufunc.SpecialUfunc)]
REAL = [name for name in UFUNCS if name in DOMAINS]
COUNT = 300
pytestmark = pytest.mark.filterwarnings("ignore")


def tupled(values):
    return values if isinstance(values, tuple) else (values,)


def on_devices(arguments):
    return [np.asarray(one) for one in arguments]


def of_ours(name, arguments):
    """The values of ours, which refuses the degrees that SciPy's refuses."""
    return getattr(ours, name)(*on_devices(whole(name, arguments)))


def whole(name, arguments):
    """The arguments with integers where a function takes nothing else."""
    if name in ("eval_hermite", "eval_hermitenorm"):
        return [numpy.nan_to_num(arguments[0]).astype("int64"), *arguments[1:]]
    return arguments


def distance(found, want):
    """The largest error, relative to the value or to a thousandth of a typical one."""
    with numpy.errstate(all="ignore"):
        assert numpy.array_equal(numpy.isnan(found), numpy.isnan(want))
        size = numpy.abs(want)
        finite = size[numpy.isfinite(size)]
        scale = numpy.maximum(size, numpy.median(finite) * 1e-3 if finite.size else 0)
        error = numpy.abs(found - want) / numpy.maximum(scale, 1e-300)
        return numpy.where((found == want) | numpy.isnan(want), 0, error).max(initial=0)


def of_scipy(name, arguments):
    """The values of SciPy."""
    return getattr(theirs, name)(*whole(name, arguments))


def compare(name, arguments, precision):
    found = tupled(of_ours(name, arguments))
    want = tupled(of_scipy(name, arguments))
    assert len(found) == len(want)
    for one, other in zip(found, want):
        assert isinstance(one, np.ndarray) and one.shape == numpy.shape(other)
        error = distance(one.get(), numpy.asarray(other))
        assert error <= precision, f"{name}: {error:.2e}"


def test_every_name_of_scipy_exists():
    assert set(theirs.__all__) <= set(ours.__all__)
    for name in ours.__all__:
        assert hasattr(ours, name), name
    with pytest.raises(AttributeError):
        ours.no_function


def test_functions_have_the_signatures_of_scipy():
    for name in theirs.__all__:
        own, other = getattr(ours, name), getattr(theirs, name)
        if isinstance(other, type) or isinstance(own, _ufunc.SpecialUfunc):
            continue
        if isinstance(other, numpy.ufunc) or type(other).__name__ == "MultiUFunc":
            continue
        assert inspect.signature(own) == inspect.signature(other), name


def test_ufuncs_have_the_shape_of_scipy():
    for name in UFUNCS:
        own, other = getattr(ours, name), getattr(theirs, name)
        if name == "softplus":
            continue
        assert (own.nin, own.nout, own.nargs) == (other.nin, other.nout, other.nargs), name
        assert own.__name__ == other.__name__ and repr(own) == repr(other)
        assert own.identity is None and own.signature is None
        assert len(own.types) == own.ntypes
        for loop in own.types:
            inputs, results = loop.split("->")
            assert (len(inputs), len(results)) == (own.nin, own.nout)
    assert ours.jn is ours.jv and ours.digamma is ours.psi


def test_every_docstring_has_its_sections():
    for name in ours.__all__:
        text = getattr(ours, name).__doc__
        if name in _host_table.CLASSES:
            continue
        for section in ["Parameters", "Returns", "Raises", "Notes"]:
            if section == "Parameters" and name == "geterr":
                continue
            assert f"\n{section}\n{'-' * len(section)}\n" in text, name
        assert "Local" in text or "Collective" in text, name
        assert max(map(len, text.splitlines())) <= 100, name


def test_scipy_and_this_module_are_imported_when_they_are_needed():
    code = (
        "import sys, phalanx; assert 'phalanx.scipy.special' not in sys.modules\n"
        "import phalanx.scipy.special as special; assert 'scipy' not in sys.modules\n"
        "special.gamma; special.roots_legendre; assert 'scipy' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("name", [name for name in REAL if name not in INVERSES])
def test_values(name):
    precision = PRECISION.get(name, 1e-11)
    if precision is not None:
        compare(name, drawn(numpy, DOMAINS[name], COUNT), precision)


@pytest.mark.parametrize("name", [name for name in INVERSES if name in UFUNCS])
def test_inverses(name):
    forward, place, probability, solutions = INVERSES[name]
    arguments = drawn(numpy, DOMAINS[name], COUNT)
    # The argument with the probability's place in the inverse has that of the solution here.
    others = [one for i, one in enumerate(arguments) if i != probability]
    solution = drawn(numpy, [solutions], COUNT, seed=5)[0]
    given = getattr(theirs, forward)(*others[:place], solution, *others[place:])
    is_used = (given > 1e-6) & (given < 1 - 1e-6)
    assert is_used.sum() > COUNT / 10
    given = given[is_used]
    others = [one[is_used] for one in others]
    inputs = [*others[:probability], given, *others[probability:]]
    found = getattr(ours, name)(*on_devices(inputs)).get()

    def again(solution):
        return getattr(theirs, forward)(*others[:place], solution, *others[place:])

    # Some functions are not monotone, so that there are several solutions or none that is found.
    is_solved = abs(again(getattr(theirs, name)(*inputs)) - given) < 1e-4 * given
    assert is_solved.mean() > 0.5
    error = abs(again(found) - given) / given
    assert (error[is_solved] < 1e-10).mean() > 0.98


def test_integrals_that_scipy_computes_with_few_digits():
    quad = pytest.importorskip("scipy.integrate").quad

    def integral(function, low, high):
        return quad(function, low, high, epsabs=0, epsrel=1e-13, limit=400)[0]

    x = numpy.array([0.1, 0.7, 2.5, 6.0, 9.0])
    apt, bpt, ant, bnt = (one.get() for one in ours.itairy(np.asarray(x)))
    for part, function, sign in [
        (apt, lambda t: theirs.airy(t)[0], 1), (bpt, lambda t: theirs.airy(t)[2], 1),
        (ant, lambda t: theirs.airy(-t)[0], 1), (bnt, lambda t: theirs.airy(-t)[2], 1),
    ]:
        want = [integral(function, 0, one) for one in x]
        numpy.testing.assert_allclose(part, want, rtol=1e-11)
    for name, low, high in [
        ("itj0y0", theirs.j0, theirs.y0), ("iti0k0", theirs.i0, theirs.k0),
    ]:
        first, second = (one.get() for one in getattr(ours, name)(np.asarray(x)))
        numpy.testing.assert_allclose(first, [integral(low, 0, one) for one in x], rtol=1e-10)
        want = [integral(high, 0, 1e-9) + integral(high, 1e-9, one) for one in x]
        # The quadrature ends at a logarithm.
        numpy.testing.assert_allclose(second, want, atol=1e-7)
    first, second = (one.get() for one in ours.it2i0k0(np.asarray(x)))
    want = [integral(lambda t: (theirs.i0(t) - 1) / t, 0, one) for one in x]
    numpy.testing.assert_allclose(first, want, rtol=1e-8)
    want = [integral(lambda t: theirs.k0(t) / t, one, one + 40) for one in x]
    numpy.testing.assert_allclose(second, want, rtol=1e-10)
    first, second = (one.get() for one in ours.it2j0y0(np.asarray(x)))
    numpy.testing.assert_allclose(first, theirs.it2j0y0(x)[0], rtol=1e-9)
    numpy.testing.assert_allclose(second, theirs.it2j0y0(x)[1], rtol=1e-5)


def test_kelvin_functions_are_bessel_functions_of_complex_arguments():
    x = numpy.linspace(0.05, 25, 101)
    turn = numpy.exp(0.75j * numpy.pi)
    first, second = theirs.jv(0, turn * x), theirs.kv(0, numpy.exp(0.25j * numpy.pi) * x)
    slope = turn * theirs.jvp(0, turn * x)
    other = numpy.exp(0.25j * numpy.pi) * theirs.kvp(0, numpy.exp(0.25j * numpy.pi) * x)
    found = [one.get() for one in ours.kelvin(np.asarray(x))]
    for one, want in zip(found, (first, second, slope, other)):
        assert (abs(one - want) / abs(want)).max() < 1e-12
    parts = "ber bei ker kei berp beip kerp keip".split()
    pairs = [(first, "ber", "bei"), (second, "ker", "kei"), (slope, "berp", "beip"),
             (other, "kerp", "keip")]
    assert len(parts) == 8
    for want, real, imaginary in pairs:
        size = abs(want)
        assert (abs(getattr(ours, real)(np.asarray(x)).get() - want.real) / size).max() < 1e-12
        error = abs(getattr(ours, imaginary)(np.asarray(x)).get() - want.imag) / size
        assert error.max() < 1e-12


def test_modified_fresnel_integrals_of_negative_numbers():
    x = numpy.linspace(0.1, 5, 20)
    whole = math.sqrt(math.pi) * numpy.exp(0.25j * math.pi)
    up, down = ours.modfresnelp(np.asarray(-x))[0].get(), ours.modfresnelm(np.asarray(-x))[0].get()
    numpy.testing.assert_allclose(up, whole - theirs.modfresnelp(x)[0], rtol=1e-12)
    numpy.testing.assert_allclose(down, whole.conj() - theirs.modfresnelm(x)[0], rtol=1e-12)


@pytest.mark.parametrize("name", REAL)
def test_single_precision_and_broadcasting(name):
    arguments = [one.astype("float32") for one in drawn(numpy, DOMAINS[name], 12)]
    shapes = [(3, 1), (4,), (1, 4), (3, 4), ()]
    shaped = [
        one[: math.prod(shape)].reshape(shape) for one, shape in zip(arguments, shapes)
    ] if len(arguments) > 1 else [arguments[0].reshape(3, 4)]
    found = tupled(of_ours(name, shaped))
    wide = tupled(of_ours(name, [one.astype("float64") for one in shaped]))
    # Functions of integers have no loop of single precision.
    single = "float64" if name in ("eval_hermite", "eval_hermitenorm") else "float32"
    shape = numpy.broadcast_shapes(*[one.shape for one in shaped])
    for one, want in zip(found, wide):
        assert one.shape == want.shape == shape
        assert one.dtype == ("complex64" if want.dtype.kind == "c" else single)
        # Values in double precision are rounded once; small integers show the order of axes.
        with numpy.errstate(all="ignore"):
            numpy.testing.assert_allclose(
                one.get(), want.get().astype(one.dtype), rtol=1e-6, atol=1e-37
            )


@pytest.mark.parametrize("name", REAL)
def test_numbers_that_are_none(name):
    arguments = [one[:4] for one in drawn(numpy, DOMAINS[name], 4)]
    for place in range(len(arguments)):
        given = [one.copy() for one in arguments]
        given[place][1] = numpy.nan
        found = tupled(of_ours(name, given))
        if name.startswith(("mathieu_", "obl_", "pro_")):
            # SciPy's functions crash.
            assert all(numpy.isnan(one.get()[1]) for one in found)
            continue
        for one, other in zip(found, tupled(of_scipy(name, given))):
            is_nan = numpy.isnan(one.get())
            assert is_nan[1] or not numpy.isnan(other)[1], (name, place)
            assert not is_nan[[0, 2, 3]].any() or numpy.isnan(other)[[0, 2, 3]].any()


EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, -0.5, math.inf, -math.inf, math.nan, 1e-300, 1e300]


@pytest.mark.parametrize("name", [name for name in REAL if len(DOMAINS[name]) == 1])
def test_values_at_edges(name):
    x = numpy.array([one for one in EDGES if one not in EDGES_BEYOND.get(name, ())])
    found = tupled(getattr(ours, name)(np.asarray(x)))
    want = tupled(getattr(theirs, name)(x))
    for one, other in zip(found, want):
        numpy.testing.assert_allclose(one.get(), other, rtol=1e-7, atol=1e-300, err_msg=name)


OF_EACH_KIND = [
    *[numpy.ones(2, kind) for kind in ("?", "b", "H", "i", "l", "L", "e", "f", "d", "F")],
    1, 2.5, 1j, True,
]


@pytest.mark.parametrize("name", UFUNCS)
def test_dtypes_are_those_of_scipys_loops(name):
    function, other = getattr(ours, name), getattr(theirs, name)
    if name.startswith(("obl_", "pro_", "mathieu_")) or name == "softplus":
        pytest.skip("SciPy's function crashes, or is no ufunc")
    draw = numpy.random.default_rng(3)
    count = len(OF_EACH_KIND)
    combined = (
        list(itertools.product(OF_EACH_KIND, repeat=function.nin)) if function.nin < 3
        else [[OF_EACH_KIND[at] for at in draw.integers(0, count, function.nin)] for _ in range(60)]
    )
    for given in combined[:: 1 if function.nin == 1 else 3]:
        try:
            want = tupled(other(*given))[0].dtype
        except TypeError:
            want = None
        own = [np.asarray(one) if isinstance(one, numpy.ndarray) else one for one in given]
        if want is None:
            with pytest.raises(TypeError):
                function(*own)
        else:
            assert tupled(function(*own))[0].dtype == want, given


@pytest.mark.parametrize("order", ["K", "C", "F", "A"])
@pytest.mark.parametrize("name", ["gamma", "erf", "jv"])
def test_orders_of_results(name, order):
    given = [1.5] * (getattr(theirs, name).nin - 1)
    for made in (
        lambda m: m.ones((3, 4)), lambda m: m.ones((4, 3)).T,
        lambda m: m.ones((2, 3, 4)).transpose(1, 0, 2),
    ):
        found = getattr(ours, name)(*given, made(np), order=order)
        assert found.strides == getattr(theirs, name)(*given, made(numpy), order=order).strides


def test_dtypes():
    single = np.asarray([1.0, 2.0], "float32")
    assert ours.beta(single, single).dtype == ours.agm(single, 2.5).dtype == "float32"
    # SciPy's loop of double precision is the first here.
    assert ours.beta(single, 2.5).dtype == ours.gamma(single.astype("float16")).dtype == "float64"
    assert ours.gamma(single.astype(np.bfloat16)).dtype == "float32"
    for kind in ("b", "e", "f", "d", "l"):
        x = numpy.array([0, 1, 2], kind)
        assert ours.softplus(np.asarray(x)).dtype == theirs.softplus(x).dtype
        for name in ("softmax", "log_softmax"):
            found, want = getattr(ours, name)(np.asarray(x)), getattr(theirs, name)(x)
            assert found.dtype == want.dtype
            numpy.testing.assert_allclose(found.get(), want, rtol=2e-3)
        for n in (x, 2, 1.0, x.astype("f")):
            own = np.asarray(n) if isinstance(n, numpy.ndarray) else n
            assert ours.polygamma(own, np.asarray(x)).dtype == theirs.polygamma(n, x).dtype
        assert ours.zeta(np.asarray(x + 2)).dtype == theirs.zeta(x + 2).dtype
        assert ours.zeta(np.asarray(x), 2.5).dtype == theirs.zeta(x, 2.5).dtype
    with pytest.raises(TypeError):
        ours.softmax(np.asarray([True, False]))
    with pytest.raises(TypeError):
        ours.eval_hermite(2.0, single)


def test_numbers_give_arrays_without_axes():
    found = ours.gamma(5)
    assert isinstance(found, np.ndarray) and found.shape == () and float(found) == 24
    assert float(ours.beta(2, numpy.float32(1))) == 0.5
    assert [one.shape for one in ours.airy(0.5)] == [()] * 4


def test_lists_and_arrays_of_numpy_are_operands():
    want = theirs.gamma([1.5, 2.5])
    for given in [[1.5, 2.5], numpy.array([1.5, 2.5]), np.array([1.5, 2.5])]:
        numpy.testing.assert_allclose(ours.gamma(given).get(), want, rtol=1e-14)
    assert ours.gamma(np.zeros((0, 3))).shape == (0, 3)


def test_outputs():
    x = np.asarray([1.5, 2.5, 3.5])
    want = theirs.gamma(x.get())
    out = np.zeros(3)
    assert ours.gamma(x, out=out) is out and ours.gamma(x, out=(out,)) is out
    numpy.testing.assert_allclose(out.get(), want, rtol=1e-14)
    other = np.zeros((2, 3), "float32")
    assert ours.gamma(x, other) is other
    numpy.testing.assert_allclose(other.get(), [want, want], rtol=1e-6)
    parts = np.zeros(3), np.zeros(3)
    s, c = ours.fresnel(x, *parts)
    assert s is parts[0] and c is parts[1]
    s, c = ours.fresnel(x, out=(None, parts[1]))
    assert s is not parts[0] and c is parts[1]
    numpy.testing.assert_allclose(c.get(), theirs.fresnel(x.get())[1], rtol=1e-13)


def test_conditions():
    x = np.asarray([1.5, 2.5, 3.5])
    out = np.full(3, -1.0)
    is_used = np.asarray([True, False, True])
    ours.gamma(x, out=out, where=is_used)
    want = numpy.where(is_used.get(), theirs.gamma(x.get()), -1)
    numpy.testing.assert_allclose(out.get(), want, rtol=1e-14)
    assert ours.gamma(x, where=[[True], [False]]).shape == (2, 3)
    assert float(ours.gamma(x, where=False)[0]) == 0
    with pytest.raises(TypeError):
        ours.gamma(x, where=np.asarray([1, 0, 1]))


def test_named_loops():
    x = np.asarray([1.5, 2.5])
    assert ours.gamma(x, dtype="float32").dtype == "float32"
    assert ours.gamma(x, signature="f->f").dtype == "float32"
    assert ours.beta(x, 2, sig=("float32", None, None)).dtype == "float32"
    assert ours.gamma(x.astype("float32"), dtype=float).dtype == "float64"
    assert ours.gamma(x, order="F").dtype == "float64"
    for options in [
        {"dtype": "int32"}, {"dtype": "float16"}, {"dtype": "float32", "casting": "safe"},
        {"signature": "e->e"}, {"dtype": "float64", "signature": "d->d"}, {"unknown": 1},
        {"out": np.zeros(2, "int32")}, {"out": numpy.zeros(2)},
    ]:
        with pytest.raises(TypeError):
            ours.gamma(x, **options)
    with pytest.raises(TypeError):
        ours.gamma(np.asarray([1, 2]), casting="equiv")
    for options in [
        {"casting": "unknown"}, {"order": "Z"}, {"out": np.zeros(3)},
        {"out": (np.zeros(2), np.zeros(2))},
    ]:
        with pytest.raises(ValueError):
            ours.gamma(x, **options)


def test_mistakes():
    x = np.asarray([1.5, 2.5])
    for call in [
        lambda: ours.gamma(), lambda: ours.gamma(x, x, x), lambda: ours.gamma("text"),
        lambda: ours.gamma(None), lambda: ours.gamma(x, x, out=x), lambda: ours.airy(x, out=x),
        lambda: ours.agm(1j, 2), lambda: ours.agm(x, np.asarray([1j])), lambda: ours.beta(x),
        lambda: ours.gamma(numpy.array([object()])),
    ]:
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError):
        ours.beta(x, np.zeros(3))
    with pytest.raises(ValueError):
        ours.gamma.outer(x, x)
    with pytest.raises(TypeError, match="no loop for complex numbers"):
        ours.ndtri(1j)


def test_outer_and_pickles():
    a, b = np.asarray([1.0, 2.0]), np.asarray([[1.0, 2.0, 3.0]])
    want = theirs.beta.outer(a.get(), b.get())
    numpy.testing.assert_allclose(ours.beta.outer(a, b).get(), want, rtol=1e-14)
    for name in ["gamma", "jn", "logsumexp", "roots_legendre"]:
        function = getattr(ours, name)
        assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize("name", ["hankel1", "hankel1e", "hankel2", "hankel2e"])
def test_hankel_functions_of_negative_numbers(name):
    v = numpy.array([0, 1, 2, 0.5, 1.25, 3, -0.3])
    x = -numpy.array([0.5, 1.5, 3, 2, 7.5, 20, 4])
    found, want = getattr(ours, name)(v, x).get(), getattr(theirs, name)(v, x)
    assert (abs(found - want) / abs(want)).max() < 1e-12


def test_long_arrays_are_split_over_devices():
    x = numpy.linspace(0.1, 20, 10007)
    found = ours.gamma(np.asarray(x)) + ours.j0(np.asarray(x))
    numpy.testing.assert_allclose(found.get(), theirs.gamma(x) + theirs.j0(x), rtol=1e-12)
    rows = np.asarray(x[:10000].reshape(100, 100)).T[::3, ::-1]
    numpy.testing.assert_allclose(ours.erf(rows).get(), theirs.erf(rows.get()), rtol=1e-14)


HOSTED = {
    "ai_zeros": (3,), "bernoulli": (5,), "euler": (6,), "ellip_harm": (5, 8, 1, 1, 2.5),
    "ellip_harm_2": (5, 8, 2, 1, 10), "ellip_normal": (5, 8, 2, 1), "jn_zeros": (1, 3),
    "jnjnp_zeros": (3,), "kelvin_zeros": (2,), "lqmn": (1, 2, 0.3), "lqn": (2, 0.3),
    "mathieu_even_coef": (2, 5.0), "obl_cv_seq": (0, 3, 1.0), "pbdn_seq": (2, 1 + 1j),
    "pbdv_seq": (2.5, 1.0), "riccati_jn": (3, 1.5), "roots_legendre": (5,), "p_roots": (4, True),
    "roots_jacobi": (4, 0.5, 1.5), "roots_gegenbauer": (4, 1.5), "roots_hermite": (6,),
    "js_roots": (3, 2.0, 1.0), "stirling2": ([5, 6], [2, 3]), "y0_zeros": (2,), "erf_zeros": (2,),
    "fresnel_zeros": (2,),
}


@pytest.mark.parametrize("name", HOSTED)
def test_functions_on_the_host(name):
    found = tupled(getattr(ours, name)(*HOSTED[name]))
    want = tupled(getattr(theirs, name)(*HOSTED[name]))
    assert len(found) == len(want)
    for one, other in zip(found, want):
        assert isinstance(one, np.ndarray) == isinstance(other, (numpy.ndarray, numpy.generic))
        numpy.testing.assert_array_equal(numpy.asarray(one), numpy.asarray(other, "complex128"))


def test_functions_without_a_native_part_are_those_of_scipy():
    for name, row in ROWS.items():
        if name in UFUNCS or name not in DOMAINS:
            continue
        arguments = [
            one.astype("int64") if text[0] == "i" else one
            for one, text in zip(drawn(numpy, DOMAINS[name], 5), DOMAINS[name])
        ]
        found = tupled(getattr(ours, name)(*on_devices(arguments)))
        want = tupled(getattr(theirs, name)(*arguments))
        for one, other in zip(found, want):
            assert isinstance(one, np.ndarray)
            numpy.testing.assert_array_equal(one.get(), other)
        assert "SciPy's function on the host" in " ".join(getattr(ours, name).__doc__.split())


def test_long_arrays_are_not_copied_to_the_host(monkeypatch):
    monkeypatch.setattr(_host.calls, "few", 10)
    with pytest.raises(ValueError, match="too long"):
        ours.ellip_harm(5, 8, 1, 1, np.zeros(11))


def test_a_missing_scipy_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install phalanx\[scipy\]"):
        ours.roots_legendre(3)


def test_polynomials_as_objects():
    x = numpy.linspace(-0.9, 0.9, 7)
    for name, given in {
        "legendre": (), "chebyt": (), "chebyu": (), "chebyc": (), "chebys": (), "hermite": (),
        "hermitenorm": (), "laguerre": (), "gegenbauer": (1.5,), "genlaguerre": (0.5,),
        "jacobi": (0.5, 1.5), "sh_legendre": (), "sh_chebyt": (), "sh_chebyu": (),
        "sh_jacobi": (2.5, 1.5),
    }.items():
        for monic in [False, True]:
            own = getattr(ours, name)(4, *given, monic=monic)
            other = getattr(theirs, name)(4, *given, monic=monic)
            numpy.testing.assert_allclose(own.coef.get(), other.coef)
            numpy.testing.assert_allclose(own(np.asarray(x)).get(), other(x), rtol=1e-9, atol=1e-12)
            numpy.testing.assert_allclose(own.weights.get(), other.weights)
            assert own.limits == other.limits and own.normcoef == other.normcoef
            assert own.order == 4


def test_errors_of_the_host_are_those_of_scipy():
    assert ours.errstate is theirs.errstate
    assert ours.SpecialFunctionError is theirs.SpecialFunctionError
    assert ours.geterr() == theirs.geterr()
    former = ours.seterr(all="warn")
    assert theirs.geterr()["domain"] == "warn"
    ours.seterr(**former)


def test_functions_of_arrays_of_this_process():
    """Arrays that were made in a block of `local` may be used after it, where numbers that a
    computation adds to them have to be on their mesh."""
    generator = numpy.random.default_rng(0)
    for name in sorted(ROWS):
        function = getattr(ours, name)
        if not isinstance(function, _ufunc.SpecialUfunc) or function.nout != 1:
            continue
        for loop in function.types:
            chars = loop.partition("->")[0]
            if set(chars) - set("fdFD"):
                continue
            given = [generator.uniform(0.1, 3, 5).astype(char) for char in chars]
            with np.local():
                own = [np.asarray(one) for one in given]
            assert function(*own).shape == (5,), (name, loop)


@pytest.mark.parametrize("signature", ["bad", "dd", "", "d->dd", "dd->d"])
def test_signatures_of_another_form_are_refused(signature):
    with pytest.raises(ValueError, match="signature"):
        ours.gamma(np.ones(3), signature=signature)
