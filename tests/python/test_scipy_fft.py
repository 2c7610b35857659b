"""``phalanx.scipy.fft`` against SciPy."""

import inspect
import subprocess
import sys
import types

import numpy
import pytest

import phalanx as np
import phalanx.scipy.fft as ours
import phalanx.scipy.fftpack

scipy_fft = pytest.importorskip("scipy.fft")

ONE = "fft ifft rfft irfft hfft ihfft".split()
TWO = "fft2 ifft2 rfft2 irfft2 hfft2 ihfft2".split()
MANY = "fftn ifftn rfftn irfftn hfftn ihfftn".split()
REAL = {"rfft", "ihfft", "rfft2", "ihfft2", "rfftn", "ihfftn"}
COSINES = "dct idct dst idst".split()


def numbers(*shape, kind="d"):
    draw = numpy.random.default_rng(5)
    made = draw.normal(size=shape) * (5 if kind in "il" else 1)
    if kind in "FD":
        made = made + 1j * draw.normal(size=shape)
    return made.astype(kind)


def compare(name, x, *given, **options):
    want = getattr(scipy_fft, name)(x, *given, **options)
    found = getattr(ours, name)(np.asarray(x), *given, **options)
    assert isinstance(found, np.ndarray)
    found = found.get()
    assert found.dtype == want.dtype and found.shape == want.shape
    precision = 1e-6 if want.dtype.char in "fF" else 1e-14
    tolerance = precision * 4 * max(1, abs(want).max(initial=0))
    numpy.testing.assert_allclose(found, want, rtol=0, atol=tolerance)


def test_all_names_exist_with_the_signatures():
    for name in scipy_fft.__all__:
        theirs = inspect.signature(getattr(scipy_fft, name))
        assert inspect.signature(getattr(ours, name)) == theirs, name
    assert set(ours.__all__) == set(scipy_fft.__all__) | {"get_fft_plan"}


def test_scipy_is_not_imported():
    code = "import sys, phalanx.scipy.fft, phalanx.scipy.fftpack; assert 'scipy' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("name", ONE)
def test_transforms_along_an_axis(name, norm):
    for kind in "dfiFD?e"[: 3 if name in REAL else 7]:
        compare(name, numbers(3, 8, kind=kind), norm=norm)
    compare(name, numbers(4, 7), 5, 0, norm)
    compare(name, numbers(4, 7), n=9, overwrite_x=True, workers=1)
    compare(name, numbers(0, 7))
    compare(name, numbers(3, 2), n=1)


@pytest.mark.parametrize("name", TWO + MANY)
def test_transforms_over_axes(name):
    for kind in "dfiFD"[: 3 if name in REAL else 5]:
        compare(name, numbers(3, 4, 6, kind=kind), norm="ortho")
    compare(name, numbers(3, 4, 6), (2, 5), norm="forward")
    compare(name, numbers(3, 4, 6), s=(4, 2), axes=(2, 0))
    compare(name, numbers(3, 4, 6), s=(-1, 2))
    compare(name, numbers(3, 4, 6), axes=(1,))


@pytest.mark.parametrize("orthogonalize", [None, True, False])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("type", [1, 2, 3, 4])
@pytest.mark.parametrize("name", COSINES)
def test_cosine_transforms(name, type, norm, orthogonalize):
    options = {"norm": norm, "orthogonalize": orthogonalize}
    for n in (1, 2, 3, 4, 5, 8, 15):
        if n > 1 or type > 1 or "s" in name:
            compare(name, numbers(2, n), type, **options)
    compare(name, numbers(5, 2, 3), type, axis=0, **options)
    compare(name, numbers(5, 6), type, 4, **options)
    compare(name, numbers(5, 6), type, 9, 0, **options)
    for kind in "fie":
        compare(name, numbers(3, 6, kind=kind), type, **options)
    compare(name, numbers(0, 6), type, **options)
    # SciPy ignores `orthogonalize` for complex numbers.
    x = numbers(3, 6, kind="D")
    transform = getattr(scipy_fft, name)
    want = transform(x.real, type, **options) + 1j * transform(x.imag, type, **options)
    found = getattr(ours, name)(np.asarray(x), type, **options)
    numpy.testing.assert_allclose(found.get(), want, atol=1e-13)
    if orthogonalize is None:
        compare(name, numbers(3, 6, kind="F"), type, norm=norm)


@pytest.mark.parametrize("type", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["dctn", "idctn", "dstn", "idstn"])
def test_cosine_transforms_over_axes(name, type):
    compare(name, numbers(3, 4, 5), type)
    compare(name, numbers(3, 4, 5, kind="F"), type, norm="ortho")
    compare(name, numbers(3, 4, 5), type, (2, 6), norm="forward")
    compare(name, numbers(3, 4, 5), type, s=(2, 6), axes=(2, 0), orthogonalize=True)
    compare(name, numbers(3, 4, 5), type, axes=1)


@pytest.mark.parametrize("name", COSINES)
@pytest.mark.parametrize("type", [2, 3, 4])
def test_long_cosine_transforms(name, type):
    compare(name, numbers(1000), type)
    compare(name, numbers(1001), type)
    compare(name, numbers(1000, kind="f"), type)


@pytest.mark.parametrize("placed", [None, 0, 1])
@pytest.mark.parametrize("axis", [0, 1])
def test_transforms_of_sharded_arrays(axis, placed):
    x = numbers(7, 10)
    array = np.asarray(x).with_sharding(placed)
    for name in ("fft", "rfft", "dct", "dst", "idct"):
        for type in (1, 2, 4) if "t" == name[-1] and "f" not in name else (None,):
            given = {} if type is None else {"type": type}
            found = getattr(ours, name)(array, axis=axis, **given).get()
            want = getattr(scipy_fft, name)(x, axis=axis, **given)
            numpy.testing.assert_allclose(found, want, atol=1e-12)


@pytest.mark.filterwarnings("ignore:singular")
@pytest.mark.parametrize("bias", [0.0, 0.4, -1.0, 1.0])
@pytest.mark.parametrize("mu", [0.0, 1.5, 3.0, -1.0])
def test_hankel_transforms(mu, bias):
    for offset in (0.0, 0.3):
        for n in (11, 12):
            for name in ("fht", "ifht"):
                x = numbers(2, n)
                with numpy.errstate(all="ignore"):
                    want = getattr(scipy_fft, name)(x, 0.1, mu, offset, bias)
                found = getattr(ours, name)(np.asarray(x), 0.1, mu, offset, bias).get()
                largest = numpy.nanmax(abs(want), initial=1)
                numpy.testing.assert_allclose(found, want, rtol=1e-11, atol=1e-13 * largest)
        want = scipy_fft.fhtoffset(0.1, mu, offset, bias)
        assert ours.fhtoffset(0.1, mu, offset, bias) == pytest.approx(want, abs=1e-13)


def test_hankel_transforms_of_single_precision():
    x = numbers(8, kind="f")
    for name in ("fht", "ifht"):
        for bias in (0.0, 0.5):
            want = getattr(scipy_fft, name)(x, 0.1, 0.0, bias=bias)
            found = getattr(ours, name)(np.asarray(x), np.asarray(0.1), 0.0, bias=bias)
            assert found.dtype == want.dtype == ("float64" if bias else "float32")
            numpy.testing.assert_allclose(found.get(), want, rtol=1e-5)
    with pytest.warns(UserWarning, match="singular transform"):
        ours.fht(np.asarray(numbers(8)), 0.1, 0.0, bias=-1.0)


def test_what_is_no_plan_is_refused_before_other_arguments():
    x = np.asarray(numbers(4, 4))
    for call in (
        lambda: ours.hfft(x, norm="", plan="other"), lambda: ours.fft2(x, s=(1,), plan=3),
    ):
        with pytest.raises(NotImplementedError, match="not yet supported"):
            call()


def test_fast_lengths():
    for target in [*range(200), 1009, 99999, 10**9 + 7]:
        for real in (False, True):
            for name in ("next_fast_len", "prev_fast_len"):
                theirs, own = getattr(scipy_fft, name), getattr(ours, name)
                assert own(target, real) == theirs(target, real)


def test_frequencies_and_shifts():
    for n in (1, 6, 7):
        for name in ("fftfreq", "rfftfreq"):
            found = getattr(ours, name)(n, 0.5)
            assert (found.get() == getattr(scipy_fft, name)(n, 0.5)).all()
            assert isinstance(getattr(ours, name)(n, xp=numpy), numpy.ndarray)
    x = numbers(3, 4)
    for name in ("fftshift", "ifftshift"):
        compare(name, x)
        compare(name, x, 0)


def test_workers_are_stored():
    assert ours.get_workers() == scipy_fft.get_workers()
    with ours.set_workers(3):
        assert ours.get_workers() == 3
    assert ours.get_workers() == 1
    with pytest.raises(ValueError):
        with ours.set_workers(0):
            pass


@pytest.mark.parametrize("call", [
    lambda module, x: module.fft(x, axis=3),
    lambda module, x: module.fft(x, n=0),
    lambda module, x: module.fft(x, norm="other"),
    lambda module, x: module.fft(x, plan=1),
    lambda module, x: module.fft(x, workers=0),
    lambda module, x: module.fft(x, workers="a"),
    lambda module, x: module.fft(x, n=2.5),
    lambda module, x: module.fft([]),
    lambda module, x: module.rfft(x * 1j),
    lambda module, x: module.irfft(x[:, :1]),
    lambda module, x: module.dct(x, type=5),
    lambda module, x: module.dct(x, axis=3),
    lambda module, x: module.dct(x, n=0),
    lambda module, x: module.dct(x[:, :1], type=1),
    lambda module, x: module.dct(x, norm="other"),
    lambda module, x: module.dct(1.0),
    lambda module, x: module.dct([]),
    lambda module, x: module.fftn(x, axes=(0, 0)),
    lambda module, x: module.fftn(x, s=(1, 2), axes=(0,)),
    lambda module, x: module.fftn(x, s=(1, 2, 3)),
    lambda module, x: module.dctn(x, axes=(0, 0)),
    lambda module, x: module.dctn(x, s=(0, 2)),
    lambda module, x: module.rfftn(x, axes=()),
    lambda module, x: module.irfftn(x, axes=()),
    lambda module, x: module.next_fast_len(-1),
    lambda module, x: module.next_fast_len(1.5),
    lambda module, x: module.fht(x * 1j, 0.1, 0.0),
    lambda module, x: module.set_backend("other"),
    lambda module, x: module.set_backend(3),
    lambda module, x: module.skip_backend(3),
    lambda module, x: module.set_global_backend(3),
    lambda module, x: module.register_backend(None),
])
def test_mistakes(call):
    x = numbers(3, 4)
    with pytest.raises(Exception) as theirs:
        call(scipy_fft, x)
    with pytest.raises(theirs.type):
        call(ours, np.asarray(x))


def test_transforms_without_axes_return_the_numbers():
    for name in ("fftn", "ifftn", "dctn"):
        compare(name, numbers(3, 4), axes=())


@pytest.mark.parametrize("name", [*ONE, *TWO, *MANY, *COSINES, "dctn", "idstn"])
def test_scipy_computes_with_our_arrays(name):
    x = numbers(4, 6)
    with scipy_fft.set_backend(ours, only=True):
        found = getattr(scipy_fft, name)(np.asarray(x))
    assert isinstance(found, np.ndarray)
    numpy.testing.assert_allclose(found.get(), getattr(scipy_fft, name)(x), atol=1e-13)


def test_other_backends_compute_our_functions():
    calls = []

    def function(method, given, options):
        calls.append((method.__name__, options))
        return NotImplemented if method.__name__ == "ifft" else "answer"

    backend = types.SimpleNamespace(__ua_domain__="numpy.scipy.fft", __ua_function__=function)
    x = np.asarray(numbers(4))
    with ours.set_backend(backend):
        assert ours.fft(x, norm="ortho") == "answer"
        assert isinstance(ours.ifft(x), np.ndarray)
        with ours.skip_backend(backend):
            assert isinstance(ours.fft(x), np.ndarray)
        with ours.set_backend(ours):
            assert isinstance(ours.fft(x), np.ndarray)
    assert calls == [("fft", {"norm": "ortho"}), ("ifft", {})]
    with ours.set_backend(backend, only=True), pytest.raises(NotImplementedError):
        ours.ifft(x)
    ours.set_global_backend(backend)
    assert ours.dct(x) == "answer"
    ours.set_global_backend(ours)
    assert isinstance(ours.dct(x), np.ndarray)
    with ours.set_backend("scipy"):
        assert isinstance(ours.fft(numbers(4)), numpy.ndarray)


def test_plans_are_those_of_their_transforms():
    x = np.asarray(numbers(3, 8))
    plan = ours.get_fft_plan(x, axes=1)
    assert (ours.fft(x, plan=plan) == ours.fft(x)).all()
    with plan:
        numpy.testing.assert_allclose(ours.fft(x).get(), numpy.fft.fft(x.get()), atol=1e-12)
        with pytest.raises(RuntimeError):
            ours.fft(x, plan=plan)
    ours.fft(x, plan=plan)
    assert (ours.fftn(x, plan=ours.get_fft_plan(x)) == ours.fftn(x)).all()
    with pytest.raises(ValueError):
        ours.fft(x, axis=0, plan=plan)
    half = ours.get_fft_plan(ours.rfft(x), axes=1, value_type="C2R")
    assert half.shape == (8,)
    ours.irfft(ours.rfft(x), plan=half)
    with pytest.raises(ValueError):
        ours.get_fft_plan(x, value_type="other")
    assert phalanx.scipy.fftpack.get_fft_plan is ours.get_fft_plan
