"""Arguments of NumPy's functions that few programs use: compared with NumPy's answer, its dtype,
its layout in memory, its error and its warning."""

import warnings

import numpy
import pytest

import phalanx as np

DTYPES = ["?", "i1", "u2", "i8", "f2", "f4", "f8", "c8", "c16"]


def answered(module, compute):
    """The answer or the class of the error, and the classes of the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer, error = compute(module), None
        except Exception as raised:  # Both sides are compared.
            answer, error = None, raised
    told = ("ComplexWarning", "RankWarning", "DeprecationWarning")
    return answer, error, {one.category.__name__ for one in caught} & set(told)


def same(ours, theirs, tolerance):
    if isinstance(theirs, (tuple, list)):
        assert type(ours) is type(theirs) or hasattr(theirs, "_fields")
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs):
            same(one, other, tolerance)
        return
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    ours = ours.get() if hasattr(ours, "get") else ours
    numpy.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


def check(compute, tolerance=1e-6):
    ours, our_error, our_warnings = answered(np, compute)
    theirs, error, expected = answered(numpy, compute)
    if error is not None:
        known = [kind for kind in type(error).__mro__ if kind.__module__ == "builtins"]
        assert isinstance(our_error, known[0]), (our_error, error)
        return
    assert our_error is None, our_error
    same(ours, theirs, tolerance)
    assert our_warnings == expected


VALUES = numpy.array([[3.0, -1.0, 2.5, 7.0], [0.5, 4.0, 1.0, -2.0]])


@pytest.mark.parametrize("name", ["quantile", "percentile", "nanquantile", "nanpercentile"])
@pytest.mark.parametrize("kind", ["i1", "i8", "f2", "f4", "f8"])
def test_quantiles_have_the_dtypes_and_places_of_numpy(name, kind):
    whole = 100 if "percent" in name else 1
    for parts in (0.5, 0.25, numpy.float32(0.5), numpy.array([0.25, 0.5], "f2"),
                  numpy.array([[0.25], [0.75]], "f4"), [0.0, 1.0], numpy.zeros(0)):
        for axis in (None, 0, 1, (0, 1)):
            for method in ("linear", "lower", "midpoint", "hazen"):
                q = numpy.multiply(parts, whole) if isinstance(parts, list) else parts * whole
                check(lambda m: getattr(m, name)(
                    m.asarray(VALUES).astype(kind), q, axis=axis, method=method
                ), 1e-2 if kind == "f2" else 1e-3)
    if not name.startswith("nan"):
        found = getattr(np, name)(np.asarray(VALUES), [0.5 * whole, whole], axis=1)
        assert found.flags.c_contiguous
    for bad in (-0.5, 2.0, [0.5, 1.5], float("nan"), numpy.full((1, 1, 1), 0.5), 1j):
        check(lambda m: getattr(m, name)(m.asarray(VALUES), numpy.multiply(bad, whole)))


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_quantiles_of_weighted_elements(name):
    values = VALUES.copy()
    if name.startswith("nan"):
        values[0, 1] = numpy.nan
    every = numpy.array([[1, 0, 2, 1], [0, 3, 1, 1]])
    for weights, axis in ((every, None), (every, 1), (every + 0.5, 0), (every[1] + 1.0, (1,))):
        if name.startswith("nan") and weights.ndim == 1:
            continue
        for q in (0.0, 0.3, [0.5, 1.0], numpy.float32(0.7)):
            check(lambda m: getattr(m, name)(
                m.asarray(values), q, axis=axis, weights=m.asarray(weights), method="inverted_cdf"
            ))
    for weights, method in ((every, "linear"), (-every, "inverted_cdf"), (every * 0, "inverted_cdf"),
                            (every[0], "inverted_cdf")):
        check(lambda m: getattr(m, name)(
            m.asarray(values), 0.5, weights=m.asarray(weights), method=method
        ))


def test_differences_of_integers_do_not_wrap():
    assert float(np.percentile(np.asarray([-128, 127], "i1"), 25)) == -64.25


def test_transforms_along_no_axes_and_by_half_numbers():
    x = np.arange(12.0).reshape(3, 4)
    for name in ("fftn", "ifftn", "fft2", "ifft2"):
        assert getattr(np.fft, name)(x, axes=()) is x
    a = numpy.arange(24.0).reshape(2, 3, 4)
    for name in ("fft2", "ifft2", "rfft2", "irfft2"):
        check(lambda m: getattr(m.fft, name)(m.asarray(a), axes=None))
        check(lambda m: getattr(m.fft, name)(m.asarray(a), s=(2, 5), axes=(0, 0)))
        check(lambda m: getattr(m.fft, name)(m.asarray(a), s=[3, None], axes=(0, 1)))
        check(lambda m: getattr(m.fft, name)(m.asarray(a), s=(2, 2, 2), axes=None))
    for name in ("rfftn", "irfftn"):
        check(lambda m: getattr(m.fft, name)(m.asarray(a), axes=()))
    for norm in ("forward", "ortho"):
        check(lambda m: m.fft.fft(m.asarray(a).astype("f2")[0, 0, :3], norm=norm), 1e-5)
    # In half precision the root of 17, 31 and 2049 and its inverse round differently.
    for extent in (17, 31, 2049):
        for norm in ("forward", "ortho"):
            for name in ("rfft", "ifft"):
                check(lambda m: getattr(m.fft, name)(m.eye(1, extent, dtype="f2")[0], norm=norm))


def test_long_axes_of_half_numbers_are_scaled():
    """Their extent is beyond the range of half precision, and NumPy's factor is 0."""
    x = np.ones(70000, "f2")
    assert abs(complex(np.fft.ifft(x)[0]) - 1) < 1e-3
    assert abs(complex(np.fft.fft(x, norm="ortho")[0]) / 70000**.5 - 1) < 1e-3


def test_edges_of_bins():
    x = numpy.array([0.0, 1.0, 2.5, 7.0, numpy.nan])
    nan = numpy.nan
    for edges in ([1, 3, nan, nan], [nan, nan, 3, 1], [nan, nan], [1, 1, 2], [2, 2, 1], [1, 3, 2], [],
                  [[1, 2]]):
        for right in (False, True):
            check(lambda m: m.digitize(m.asarray(x), m.asarray(numpy.array(edges)), right))
    check(lambda m: m.digitize(m.asarray(x * 1j), m.asarray([1, 2])))
    check(lambda m: m.histogram(m.arange(10), range=10))
    check(lambda m: m.histogram(m.arange(10), bins=[0, 5, 9], range=(1, 2, 3)))
    check(lambda m: m.histogram_bin_edges(m.arange(4), weights=m.ones(3)))
    points = numpy.arange(8.0).reshape(4, 2)
    check(lambda m: m.histogramdd(m.asarray(points), 3))
    check(lambda m: m.histogramdd(m.asarray(points), 3, weights=m.ones(4) * 1j))


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "i1", "?"])
def test_equal_bins_between_the_least_and_the_largest(kind):
    """Their edges are computed in the dtype of the elements; given ends are rounded to it."""
    chance = numpy.random.default_rng(5)
    values = (chance.normal(size=200) * 3).round(1).astype(kind)
    for bins in (3, 7, 10, 50, "auto", "sqrt"):
        for x in (values, values[:5], values[:1], values[:0]):
            check(lambda m: m.histogram(m.asarray(x), bins), 0)
            check(lambda m: m.histogram(m.asarray(x), bins, density=True), 1e-12)
            check(lambda m: m.histogram_bin_edges(m.asarray(x), bins, range=(-1.1, 2.3)), 0)
            check(lambda m: m.histogram(m.asarray(x), bins, range=(-1.1, 2.3)), 0)
    check(lambda m: m.histogram2d(m.asarray(values), m.asarray(values[::-1].copy()), 7), 0)
    x = numpy.array([0.3, 0.1, 1.736], kind)
    check(lambda m: m.histogram(m.asarray(x), 1, range=(0.1, 0.3)), 0)


def test_edges_that_half_precision_moves():
    """NumPy counts two of these elements in bins that do not contain them."""
    chance = numpy.random.default_rng(289)
    x = (chance.normal(size=2000) * chance.choice([1, 30])).astype("f2")
    counts, edges = (found.get() for found in np.histogram(np.asarray(x), 1000))
    assert counts.sum() == 2000
    for place in range(999):
        assert counts[place] == ((x >= edges[place]) & (x < edges[place + 1])).sum()


def test_bins_between_ends_that_are_farther_apart_than_the_dtype_reaches():
    counts, edges = np.histogram(np.array([-60000, 1, 60000], "f2"), 3)
    assert counts.get().tolist() == [1, 1, 1] and edges.get().tolist()[::3] == [-60000, 60000]


def test_weights_of_covariances():
    x = numpy.array([[1.0, 2.0, 4.0], [0.5, -1.0, 3.0]])
    for weights in ([1, 2, 1], [1.0, 2.0, 0.0], [0.5, 1, 1], [-1.0, 1, 1], [[1, 1, 1]], [1, 1]):
        for name in ("fweights", "aweights"):
            check(lambda m: m.cov(m.asarray(x), **{name: m.asarray(weights)}))
    check(lambda m: m.cov(m.asarray(x), dtype="i8"))
    check(lambda m: m.cov(m.asarray(x[:, :1]), m.asarray(x[0]), rowvar=False))
    check(lambda m: m.corrcoef(m.zeros((0, 3), "c8")))


def test_insertions_and_deletions():
    x = numpy.arange(4.0)
    for obj in (True, numpy.True_, [True, False], numpy.array([True, False, True, False]), 1, [0, -1],
                numpy.array([[1, 2]]), slice(None, None, 2), [1.5], 9):
        check(lambda m: m.delete(m.asarray(x), obj))
    for obj in (1, [0, 2], numpy.array([[0, 1]]), numpy.True_, numpy.array([True, False, True, False])):
        check(lambda m: m.insert(m.asarray(x), obj, 7))
    check(lambda m: m.insert(m.asarray(x), 1, m.asarray([1j])))
    # The axis and the positions are checked before the values.
    small = x.astype("u1")
    for obj, values, axis in ((1, -2, 1), (9, -2, 0), ([9], [-3], None), ([[1]], -2, None),
                              ([0, 9], -2, 0), (1, -2, None), (1, 1j, 3)):
        check(lambda m: m.insert(m.asarray(small), obj, values, axis))


@pytest.mark.parametrize("kind", ["i4", "f4", "f8", "c16"])
def test_elements_around_an_array(kind):
    x = VALUES.astype(kind)
    check(lambda m: m.pad(m.asarray(x), 2, "median"))
    check(lambda m: m.pad(m.asarray(x), ((1, 2), (0, 3)), "median", stat_length=2))

    def edge(line, widths, axis, keywords):
        line[: widths[0]] = keywords.get("value", 0) + axis
        line[line.shape[0] - widths[1] :] = -1

    check(lambda m: m.pad(m.asarray(x), ((1, 2), (2, 1)), edge, value=5))
    check(lambda m: m.pad(m.asarray(x), 1, "edge", unknown=3))
    check(lambda m: m.pad(m.asarray(x), {5: 1}))


def test_shifts_and_repetitions():
    x = numpy.arange(6).reshape(2, 3)
    for shift in ("1", 2.0, ["1", "2"], [1, 2], 2**70, "x", None, [[1]]):
        check(lambda m: m.roll(m.asarray(x), shift))
        check(lambda m: m.roll(m.asarray(x), shift, axis=1))
    for repeats in (1.5, [1, 2], [[1, 2]], -1):
        check(lambda m: m.repeat(m.asarray(x), repeats, axis=0))
    check(lambda m: m.squeeze(m.asarray(3.0), axis=0))
    check(lambda m: m.repeat(m.asarray(3.0), 2, axis=-1))
    for arguments in ((-3, 2), (2, 0), (2, -1)):
        check(lambda m: m.diag_indices(*arguments))
    for mode in (0, 1, 2, 5):
        check(lambda m: m.convolve(m.arange(3.0), m.arange(2.0), mode))
        check(lambda m: m.correlate(m.arange(3.0), m.arange(2.0), mode))
    for order in (numpy.array([2, 0, 1]), numpy.array([True, False, True]), numpy.arange(3.0)):
        check(lambda m: m.searchsorted(m.asarray([2, 3, 1]), 2, sorter=m.asarray(order)))
    check(lambda m: m.interp(1.5, m.asarray([1.0, 2.0]), m.asarray([1.0, 2.0]), left=1j))


@pytest.mark.parametrize("period", [360, -24, 0.7, numpy.pi / 10, numpy.float16(0.3)])
@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "i2"])
def test_interpolation_with_a_period_takes_remainders_in_float64(kind, period):
    x = numpy.array([-500.0, 3.25, 100.125, 1000.5, 0.0, 36.0625], kind)
    xp = numpy.array([334.5, 80.5, -52.5, 226.5, 15.75], kind)
    wide = xp.astype("f8")
    assert numpy.diff(numpy.sort(wide % abs(float(period)))).min() > 1e-2, "distinct places"
    for values in ("f2", "f8", "c8"):
        fp = numpy.array([1.0, -2.0, 4.5, 0.25, 8.0], values)
        # Each of the two arguments alone, so that one cannot hide the other.
        for at, points in ((x, wide), (x.astype("f8"), xp), (x, xp), (x.reshape(2, 3), xp)):
            answer = numpy.interp(at, points, fp, period=period)
            assert answer.dtype == ("c16" if values == "c8" else "f8") and answer.shape == at.shape
            check(
                lambda m: m.interp(m.asarray(at), m.asarray(points), m.asarray(fp), period=period),
                1e-11,
            )


@pytest.mark.parametrize("kind", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (3, 3), (1, 2), (2, 1), (2, 4, 3), (0, 3)])
def test_reflectors_of_factorisations(kind, shape):
    x = numpy.random.default_rng(3).normal(size=shape).astype(kind)
    if x.dtype.kind == "c":
        x = (x + 1j * numpy.random.default_rng(4).normal(size=shape)).astype(kind)
    tolerance = 2e-4 if numpy.finfo(kind).dtype == "f4" else 1e-9
    for mode in ("raw", "full"):
        check(lambda m: m.linalg.qr(m.asarray(x), mode), tolerance)
    triangle = numpy.triu(x)
    check(lambda m: m.linalg.qr(m.asarray(triangle), "raw"), tolerance)


def test_casts_that_lose_imaginary_parts_warn():
    for kind in DTYPES:
        check(lambda m: (m.ones(2, "c16") * 2).astype(kind))
        check(lambda m: m.asarray(m.ones(2, "c16") * 2, dtype=kind))

    def written(m):
        x = m.zeros(3)
        x[:] = m.ones(3) * (1 + 1j)
        x[[0, 1]] = m.ones(2) * 2j
        return x

    def copied(m):
        x = m.zeros(3)
        m.copyto(x, m.ones(3) * 1j, casting="unsafe")
        return x

    check(written)
    check(copied)
    parts = [numpy.ones(2), numpy.ones(2) * 1j]
    for name in ("concatenate", "stack", "hstack", "vstack"):
        for casting in ("no", "safe", "same_kind", "unsafe"):
            for options in ({}, {"dtype": "f4"}):
                check(lambda m: getattr(m, name)(
                    [m.asarray(part) for part in parts], casting=casting, **options
                ))
    if hasattr(numpy, "row_stack"):  # NumPy 2.5 has it no more.
        check(lambda m: m.row_stack([m.ones(2), m.ones(2)]))
    mixed = [numpy.ones(1, kind) for kind in ("i1", "u2", "f2")]
    check(lambda m: m.concatenate([m.asarray(part) for part in mixed]))


def test_another_sharding_keeps_the_order_of_elements():
    x = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    for axes in ((None, None), ("device", None), (None, "device")):
        asked = np.Sharding(*axes)
        y = x.with_sharding(asked)
        assert y.flags.f_contiguous and y.sharding == x.copy().with_sharding(asked).sharding
        numpy.testing.assert_array_equal((y + 1).get(), x.get() + 1)
