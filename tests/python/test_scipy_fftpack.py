"""``phalanx.scipy.fftpack`` against SciPy."""

import numpy
import pytest

import phalanx as np
import phalanx.scipy.fftpack as ours

scipy_fftpack = pytest.importorskip("scipy.fftpack")


def numbers(*shape, kind="d"):
    draw = numpy.random.default_rng(5)
    made = draw.normal(size=shape)
    if kind in "FD":
        made = made + 1j * draw.normal(size=shape)
    return made.astype(kind)


def compare(name, x, *given, **options):
    want = getattr(scipy_fftpack, name)(x, *given, **options)
    found = getattr(ours, name)(np.asarray(x), *given, **options)
    assert isinstance(found, np.ndarray)
    found = found.get()
    assert found.dtype == want.dtype and found.shape == want.shape
    tolerance = 1e-5 if want.dtype.char in "fF" else 1e-13
    numpy.testing.assert_allclose(found, want, rtol=0, atol=tolerance * max(1, abs(want).max()))


def test_all_names_exist():
    assert set(scipy_fftpack.__all__) <= set(ours.__all__)


@pytest.mark.parametrize("kind", "dfFDi")
@pytest.mark.parametrize("name", ["fft", "ifft"])
def test_transforms_along_an_axis(name, kind):
    compare(name, numbers(3, 8, kind=kind))
    compare(name, numbers(3, 8, kind=kind), 5, 0)
    compare(name, numbers(3, 8, kind=kind), n=12)


@pytest.mark.parametrize("name", ["fft2", "ifft2", "fftn", "ifftn"])
def test_transforms_over_axes(name):
    compare(name, numbers(3, 4, 5))
    compare(name, numbers(3, 4, 5, kind="F"), (2, 4, 6)[3 - (2 if "2" in name else 3):])
    compare(name, numbers(3, 4, 5), shape=(2, 6), axes=(2, 0))


def test_plans():
    x = numbers(6, 5)
    own = np.asarray(x)
    for name, kind in ("fft", "C2C"), ("ifft", "C2C"), ("rfft", "R2C"), ("irfft", "C2C"):
        plan = ours.get_fft_plan(own, shape=(4,), axes=0, value_type=kind)
        found = getattr(ours, name)(own, n=4, axis=0, plan=plan)
        want = getattr(scipy_fftpack, name)(x, n=4, axis=0)
        numpy.testing.assert_allclose(found.get(), want, atol=1e-13)
        with pytest.raises(ValueError, match="the plan is one"):
            getattr(ours, name)(own, n=3, axis=0, plan=plan)
        with plan:
            numpy.testing.assert_allclose(
                getattr(ours, name)(own, n=4, axis=0).get(), want, atol=1e-13
            )
            with pytest.raises(RuntimeError):
                getattr(ours, name)(own, n=4, axis=0, plan=plan)
        with pytest.raises(NotImplementedError):
            getattr(ours, name)(own, plan="other")
    for name in "fft2", "ifft2", "fftn", "ifftn":
        plan = ours.get_fft_plan(own, axes=(0, 1))
        want = getattr(scipy_fftpack, name)(x)
        found = getattr(ours, name)(own, axes=(0, 1), plan=plan)
        numpy.testing.assert_allclose(found.get(), want, atol=1e-13)
        with pytest.raises(ValueError):
            getattr(ours, name)(own, shape=(3, 3), axes=(0, 1), plan=plan)


@pytest.mark.parametrize("kind", "dfi")
@pytest.mark.parametrize("n", [1, 2, 3, 8, 9])
def test_packed_transforms(n, kind):
    for name in ("rfft", "irfft"):
        compare(name, numbers(2, n, kind=kind))
        compare(name, numbers(n, 2, kind=kind), axis=0)
        compare(name, numbers(2, n, kind=kind), n + 2)
        if n > 2:
            compare(name, numbers(2, n, kind=kind), n - 1)


@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn"])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("type", [1, 2, 3, 4])
def test_cosine_transforms(name, type, norm):
    compare(name, numbers(3, 6), type, norm=norm)
    compare(name, numbers(3, 5, kind="f"), type, norm=norm)


OPERATORS = {
    "diff": [(), (2,), (3,), (-1,), (0,), (1, 3.0)],
    "hilbert": [()],
    "ihilbert": [()],
    "tilbert": [(0.3,), (0.3, 2.0)],
    "itilbert": [(0.3,), (0.3, 2.0)],
    "cs_diff": [(0.3, 0.5), (0.3, -0.5, 3.0)],
    "sc_diff": [(0.3, 0.5), (-0.3, 0.5, 3.0)],
    "ss_diff": [(0.3, 0.5), (0.3, 0.5, 3.0)],
    "cc_diff": [(0.3, 0.5), (0.3, 0.5, 3.0)],
    "shift": [(0.3,), (0.3, 2.0)],
}


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("n", [1, 2, 8, 9])
def test_operators(name, n):
    for given in OPERATORS[name]:
        compare(name, numbers(n), *given)
        compare(name, numbers(n, kind="D"), *given)
        compare(name, numbers(n, kind="f"), *given)


def test_operators_of_large_parameters_do_not_overflow():
    found = ours.cc_diff(np.asarray(numbers(64)), 100.0, 101.0).get()
    assert numpy.isfinite(found).all()


@pytest.mark.parametrize("n", [6, 7])
@pytest.mark.parametrize("d", [0, 1, 2, 3])
def test_products_with_packed_transforms(n, d):
    theirs = scipy_fftpack.convolve
    x = numbers(n)

    def kernel(k, scale):
        return scale * (k + 1.5)

    for zero in (None, True, False):
        want = theirs.init_convolution_kernel(n, kernel, d, zero, (2.0,))
        found = ours.convolve.init_convolution_kernel(n, kernel, d, zero, (2.0,))
        numpy.testing.assert_allclose(found.get(), want)
        for swap in (False, True):
            numpy.testing.assert_allclose(
                ours.convolve.convolve(x, found, swap).get(),
                theirs.convolve(x, want, swap),
                atol=1e-12,
            )
        numpy.testing.assert_allclose(
            ours.convolve.convolve_z(x, found, found[::-1]).get(),
            theirs.convolve_z(x, want, want[::-1].copy()),
            atol=1e-12,
        )
    ours.convolve.destroy_convolve_cache()


def test_lengths_and_frequencies():
    for target in (0, 1, 7, 13, 1009):
        assert ours.next_fast_len(target) == scipy_fftpack.next_fast_len(target)
    for n in (1, 5, 6):
        assert (ours.rfftfreq(n, 0.5).get() == scipy_fftpack.rfftfreq(n, 0.5)).all()
        assert (ours.fftfreq(n, 0.5).get() == scipy_fftpack.fftfreq(n, 0.5)).all()


@pytest.mark.parametrize("call", [
    lambda module, x: module.rfft(x * 1j),
    lambda module, x: module.irfft(x * 1j),
    lambda module, x: module.fft(x, axis=3),
    lambda module, x: module.rfft(x, n=0),
    lambda module, x: module.dct(x, type=7),
    lambda module, x: module.dct(x[:, :1], type=1),
    lambda module, x: module.fftn(x, shape=(2,), axes=(0, 1)),
    lambda module, x: module.fftn(x, axes=(0, 0)),
    lambda module, x: module.fftn(x, shape=(2,)),
    lambda module, x: module.dctn(x, shape=(2,)),
    lambda module, x: module.diff(x),
    lambda module, x: module.diff(x[0], 1.5),
    lambda module, x: module.hilbert(x),
    lambda module, x: module.dct([]),
    lambda module, x: module.rfft([]),
])
def test_mistakes(call):
    x = numbers(3, 4)
    with pytest.raises(Exception) as theirs:
        call(scipy_fftpack, x)
    with pytest.raises(theirs.type):
        call(ours, np.asarray(x))
