"""Tests and intervals by resampling, against SciPy's."""

import numpy
import pytest
import scipy.stats

import phalanx as np
import phalanx.scipy.stats as own

from .stats_cases import ARRAYS

X, Y = ARRAYS["x"], ARRAYS["y"]
V = ARRAYS["v"]


def difference(first, second, axis):
    return first.mean(axis) - second.mean(axis)


def product(first, second, axis):
    return (first * second).sum(axis)


@pytest.mark.parametrize("side", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("kind, first, second, statistic", [
    ("independent", X[:3], X[3:7], difference),
    ("samples", X[:4], X[4:8], difference),
    ("pairings", X[:3, :1], X[3:6, :1], product),
])
def test_all_permutations(kind, first, second, statistic, side):
    options = {"permutation_type": kind, "alternative": side}
    found = own.permutation_test((np.asarray(first), np.asarray(second)), statistic, **options)
    want = scipy.stats.permutation_test((first, second), statistic, **options)
    numpy.testing.assert_allclose(found.pvalue.get(), want.pvalue)
    numpy.testing.assert_allclose(found.statistic.get(), want.statistic)
    assert found.null_distribution.shape == want.null_distribution.shape
    few = own.permutation_test((np.asarray(first), np.asarray(second)), statistic,
                               n_resamples=12, batch=5, rng=2, **options)
    assert few.null_distribution.shape == (12, *found.statistic.shape)


def test_signs_of_one_sample():
    found = own.permutation_test((np.asarray(V[:6]),), lambda x, axis: x.mean(axis),
                                 permutation_type="samples")
    want = scipy.stats.permutation_test((V[:6],), lambda x, axis: x.mean(axis),
                                        permutation_type="samples")
    assert float(found.pvalue) == pytest.approx(want.pvalue)


def test_random_permutations_of_statistics_of_vectors():
    found = own.permutation_test((np.asarray(V), np.asarray(Y[:, 0])),
                                 lambda x, y: x.mean() - y.mean(), n_resamples=30, rng=1)
    assert found.null_distribution.shape == (30,) and 0 < float(found.pvalue) <= 1


@pytest.mark.parametrize("side", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("method", ["percentile", "basic", "BCa"])
def test_intervals_of_the_same_statistics(method, side):
    """With SciPy's random statistics, intervals are SciPy's."""
    options = {"method": method, "alternative": side, "confidence_level": 0.9}
    want = scipy.stats.bootstrap((V,), numpy.mean, n_resamples=400, rng=1, **options)
    known = own.bootstrap((np.asarray(V),), np.mean, n_resamples=3, rng=1)
    known = known._replace(bootstrap_distribution=np.asarray(want.bootstrap_distribution))
    found = own.bootstrap((np.asarray(V),), np.mean, n_resamples=0, bootstrap_result=known,
                          **options)
    numpy.testing.assert_allclose([float(one) for one in found.confidence_interval],
                                  want.confidence_interval, rtol=1e-11)
    assert float(found.standard_error) == pytest.approx(want.standard_error)


def test_intervals_of_several_samples():
    found = own.bootstrap((np.asarray(X), np.asarray(Y[:5])), difference, n_resamples=600,
                          batch=250, rng=1)
    want = scipy.stats.bootstrap((X, Y[:5]), difference, n_resamples=600, rng=1)
    assert found.bootstrap_distribution.shape == want.bootstrap_distribution.shape
    for mine, theirs in zip(found.confidence_interval, want.confidence_interval):
        numpy.testing.assert_allclose(mine.get(), theirs, atol=0.5)
    paired = own.bootstrap((np.asarray(V), np.asarray(Y[:, 0])), lambda x, y, axis: (
        x * y).mean(axis), paired=True, n_resamples=100, rng=1)
    assert paired.bootstrap_distribution.shape == (100,)


def test_random_samples_of_a_distribution():
    found = own.monte_carlo_test(
        np.asarray(V), lambda size: np.random.default_rng(1).normal(size=size),
        lambda x, axis: x.mean(axis), n_resamples=999,
    )
    want = scipy.stats.ttest_1samp(V * 1.0, 0).statistic
    assert found.null_distribution.shape == (999,) and want is not None
    exact = 2 * scipy.stats.norm.sf(abs(V.mean()) * 3)
    assert float(found.pvalue) == pytest.approx(exact, abs=0.08)
    several = own.monte_carlo_test(
        (np.asarray(X), np.asarray(Y)), (own.norm.rvs, own.norm.rvs), difference, n_resamples=49,
        batch=20,
    )
    assert several.pvalue.shape == (4,)


@pytest.mark.parametrize("call", [
    lambda module, x: module.bootstrap((x[:1],), numpy.mean),
    lambda module, x: module.bootstrap((x,), numpy.mean, method="other"),
    lambda module, x: module.bootstrap((x,), numpy.mean, n_resamples=-1),
    lambda module, x: module.bootstrap((x, x[:3]), difference, paired=True),
    lambda module, x: module.permutation_test((x,), numpy.mean),
    lambda module, x: module.permutation_test((x, x), difference, permutation_type="other"),
    lambda module, x: module.permutation_test((x, x), difference, n_resamples=0),
    lambda module, x: module.monte_carlo_test(x, 3, numpy.mean),
    lambda module, x: module.monte_carlo_test(x, numpy.zeros, 3),
])
def test_mistakes(call):
    with pytest.raises(Exception) as theirs:
        call(scipy.stats, V)
    with pytest.raises(theirs.type):
        call(own, V)
