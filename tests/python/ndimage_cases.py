"""Comparison of functions on images with SciPy's, and images in all kinds of splits."""

import warnings

import numpy
import scipy.ndimage

import phalanx
from phalanx.scipy import ndimage

from .conftest import FULL, device_count

DEVICES = device_count()
MODES = "reflect constant nearest mirror wrap".split()
GRID_MODES = "grid-mirror grid-constant grid-wrap".split()


def some(cases, part=3):
    """The cases of a test: all of them with `PHALANX_TEST_FULL=1`, else a part."""
    cases = list(cases)
    return cases if FULL else cases[::part]


def image(shape, dtype="d", seed=0, largest=100):
    """Elements that fit every dtype."""
    drawn = numpy.random.default_rng(seed).random(shape) * largest
    if numpy.dtype(dtype).kind == "c":
        drawn = drawn + 1j * numpy.random.default_rng(seed + 1).random(shape)
    return (drawn > largest / 2) if dtype == "?" else drawn.astype(dtype)


def ours(x):
    """An argument for our function."""
    return phalanx.asarray(x) if isinstance(x, numpy.ndarray) else x


def on_host(x):
    """A result on the host."""
    if isinstance(x, phalanx.ndarray):
        return x.get()
    if isinstance(x, (tuple, list)):
        return type(x)(map(on_host, x))
    if isinstance(x, dict):
        return {key: on_host(value) for key, value in x.items()}
    return x


def called(function, given, keywords, convert=lambda x: x):
    """The result of a call, or its error."""
    given = [convert(x) for x in given]
    keywords = {name: convert(x) for name, x in keywords.items()}
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return on_host(function(*given, **keywords))
        except Exception as error:
            return error


def check_equal(found, expected, tolerance, case):
    """Fails unless a result is SciPy's."""
    if isinstance(expected, Exception):
        assert isinstance(found, type(expected)), f"{case}: {found!r} is not {expected!r}"
        return
    assert not isinstance(found, Exception), f"{case}: {found!r}"
    if isinstance(expected, (tuple, list)):
        assert type(found) is type(expected) and len(found) == len(expected), case
        for one, other in zip(found, expected):
            check_equal(one, other, tolerance, case)
    elif isinstance(expected, dict):
        assert list(found) == list(expected), case
        check_equal(list(found.values()), list(expected.values()), tolerance, case)
    elif expected is None or isinstance(expected, (slice, int)):
        assert found == expected, f"{case}: {found!r} is not {expected!r}"
    else:
        found, expected = numpy.asarray(found), numpy.asarray(expected)
        assert found.dtype == expected.dtype and found.shape == expected.shape, case
        if found.dtype == "float32" and phalanx.cuda.is_available():
            # A sum that is rounded otherwise in its last bits may be rounded to the other neighbor.
            tolerance = max(tolerance, 1.2e-7)
        if expected.dtype == object:
            check_equal(found.tolist(), expected.tolist(), tolerance, case)
            return
        numpy.testing.assert_allclose(
            found, expected, rtol=tolerance, atol=tolerance, err_msg=str(case)
        )


def same(name, *given, tolerance=1e-11, **keywords):
    """Fails unless a function has SciPy's result, or an error of the same class."""
    expected = called(getattr(scipy.ndimage, name), given, keywords)
    found = called(getattr(ndimage, name), given, keywords, ours)
    shown = [x if numpy.ndim(x) == 0 else numpy.asarray(x).shape for x in given]
    check_equal(found, expected, tolerance, (name, shown, keywords))


def splits(x):
    """An image with every split: whole on each device, and along each axis."""
    x = phalanx.asarray(x)
    yield x.with_sharding(None)
    for axis, extent in enumerate(x.shape):
        if extent > 1:
            yield x.with_sharding(axis)


def same_bits(name, x, *given, **keywords):
    """Fails unless a function has the same bits for every split of the image: those of SciPy, but
    for means, which SciPy adds up as it goes along, and for GPUs, which fuse products and sums."""
    function = getattr(ndimage, name)
    results = [on_host(function(split, *given, **keywords)) for split in splits(x)]
    for result in results[1:]:
        numpy.testing.assert_array_equal(result, results[0], err_msg=f"{name} {keywords}")
    expected = getattr(scipy.ndimage, name)(x, *given, **keywords)
    if phalanx.cuda.is_available():
        scale = numpy.abs(x.astype(float)).max() + 1
        numpy.testing.assert_allclose(results[0], expected, rtol=1e-12, atol=1e-13 * scale)
    elif name != "uniform_filter":
        numpy.testing.assert_array_equal(results[0], expected, err_msg=f"{name} {keywords}")
