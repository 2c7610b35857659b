"""Statistics of samples with few elements: values, dtypes, warnings and errors are SciPy's."""

import itertools
import warnings

import numpy
import pytest
import scipy.stats

import phalanx as np
import phalanx.scipy.stats as own

from .stats_cases import parts

_DRAW = numpy.random.default_rng(3)
SAMPLES = {}
for _size in range(6):
    SAMPLES[f"x{_size}"] = _DRAW.normal(size=_size)
    SAMPLES[f"y{_size}"] = _DRAW.normal(size=_size)
    SAMPLES[f"f{_size}"] = SAMPLES[f"x{_size}"].astype("f")
    SAMPLES[f"X{_size}"] = _DRAW.normal(size=(_size, 3))
    SAMPLES[f"Y{_size}"] = _DRAW.normal(size=(_size, 3))
    SAMPLES[f"n{_size}"] = SAMPLES[f"x{_size}"].copy()
    SAMPLES[f"n{_size}"][:1] = numpy.nan
    SAMPLES[f"N{_size}"] = SAMPLES[f"X{_size}"].copy()
    SAMPLES[f"N{_size}"][:1, 0] = numpy.nan


def _evaluated(expression, module, wrap):
    names = {name: wrap(value) for name, value in SAMPLES.items()}
    with warnings.catch_warnings(record=True) as seen, numpy.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            value = parts(eval(expression, {"sp": module, **names}))
        except Exception as error:
            value = error
    return value, any(one.category.__name__ == "SmallSampleWarning" for one in seen)


def compare(expression):
    """Compares the results of an expression, their dtypes, and whether a sample is too small."""
    want, wanted_warning = _evaluated(expression, scipy.stats, numpy.asarray)
    found, warning = _evaluated(expression, own, np.asarray)
    if isinstance(want, Exception):
        assert isinstance(found, type(want)), f"{found!r} is no {want!r}"
        return
    assert not isinstance(found, Exception), f"only ours fails: {found!r}"
    for name, value in want.items():
        ours = found.get(name, found.get(name.lstrip(".")))
        assert ours.shape == value.shape, name
        assert ours.dtype == value.dtype, name
        near = 2e-4 if value.dtype == numpy.float32 else 1e-9
        numpy.testing.assert_allclose(ours, value, rtol=near, atol=near * 1e-2, err_msg=name)
    assert warning == wanted_warning


ONE = """
circmean circvar gmean gstd hmean kurtosis moment sem skew tmax tmean tmin tsem tstd tvar variation
differential_entropy jarque_bera kurtosistest normaltest skewtest siegelslopes theilslopes
""".split()
PAIRED = """
chatterjeexi kendalltau linregress pearsonr pointbiserialr spearmanr theilslopes ttest_rel wilcoxon
""".split()
TWO = """
alexandergovern brunnermunzel cramervonmises_2samp epps_singleton_2samp ks_2samp kruskal levene
mannwhitneyu ranksums ttest_ind ansari fligner zmap
""".split()


@pytest.mark.parametrize("size", range(6))
@pytest.mark.parametrize("name", ONE)
def test_one_sample(name, size):
    for call in (f"x{size}", f"f{size}", f"X{size}, axis=0", f"n{size}, nan_policy='omit'",
                 f"N{size}, axis=0, nan_policy='omit'", f"N{size}, axis=0"):
        compare(f"sp.{name}({call})")


# SciPy's results depend on rounding errors, or its code fails.
_UNKNOWN = {"theilslopes(n1, y2, nan_policy='omit')", "theilslopes(n2, y1, nan_policy='omit')",
            "kendalltau(n1, y2, nan_policy='omit')", "kendalltau(n2, y1, nan_policy='omit')",
            "linregress(X5, Y1, axis=0)", "linregress(X5, Y1, axis=0, keepdims=True)",
            "spearmanr(n5, y5, nan_policy='omit')"}


@pytest.mark.parametrize("sizes", list(itertools.product(range(6), range(6))))
@pytest.mark.parametrize("name", PAIRED + TWO)
def test_two_samples(name, sizes):
    a, b = sizes
    calls = [f"x{a}, y{b}", f"X{a}, Y{b}, axis=0"]
    if name not in ("pearsonr", "spearmanr"):
        calls += [f"X{a}, Y{b}, axis=0, keepdims=True", f"N{a}, Y{b}, axis=0, nan_policy='raise'"]
    if name != "pearsonr":
        calls += [f"n{a}, y{b}, nan_policy='omit'"]
    for call in calls:
        if f"{name}({call})" not in _UNKNOWN:
            compare(f"sp.{name}({call})")


@pytest.mark.parametrize("size", range(6))
@pytest.mark.parametrize("name", PAIRED + ["ks_2samp", "epps_singleton_2samp", "mannwhitneyu"])
def test_a_number_as_second_sample(name, size):
    for call in (f"x{size}, 1.5", f"x{size}, 2", f"f{size}, 1.5"):
        compare(f"sp.{name}({call})")


@pytest.mark.parametrize("size", range(1, 6))
@pytest.mark.parametrize("name", ["ks_2samp", "kendalltau", "linregress", "ttest_rel", "ranksums"])
def test_dtypes_of_single_precision(name, size):
    compare(f"sp.{name}(f{size}, f{size})")


EXPRESSIONS = """
sp.f_oneway(x1, y1); sp.f_oneway(n1, y0, nan_policy='omit'); sp.mood(x1, y1); sp.mood(x1, y2)
sp.bartlett(x1, y3); sp.bartlett(X1, Y3, axis=0); sp.kstat(x1); sp.quantile(x0, 0.3); sp.tmax(x0)
sp.describe(3.0); sp.describe(n3, nan_policy='omit'); sp.expectile(x0); sp.gstd(3.0)
sp.zscore(3.0); sp.entropy(f3, 1.5); sp.spearmanr(N3, Y3, nan_policy='omit')
sp.spearmanr(X1, Y1); sp.spearmanr(n2, y2, nan_policy='omit'); sp.weightedtau(n4, y4)
sp.chisquare(f3); sp.combine_pvalues(f1); sp.false_discovery_control([])
sp.cramervonmises(X1, 'norm')
sp.energy_distance(x1, 1.5); sp.wasserstein_distance(x1, 2); sp.gaussian_kde(n4)
sp.binned_statistic(x0, y0, bins=3); sp.wilcoxon([1.0], [1.0]); sp.yeojohnson(x1); sp.yeojohnson(f4)
sp.zmap(x3, y0); sp.zmap(n3, y3, nan_policy='raise'); sp.zmap(x3, n3, nan_policy='raise')
sp.kendalltau(n2, y3); sp.ttest_rel(x1, y5); sp.ttest_rel(x2, y5); sp.relfreq(3.0)
"""


@pytest.mark.parametrize(
    "expression", [one.strip() for line in EXPRESSIONS.splitlines() for one in line.split(";")
                   if one.strip()])
def test_further_small_samples(expression):
    if "yeojohnson" in expression:
        # The search stops at another point within its tolerance.
        want, _ = _evaluated(expression, scipy.stats, numpy.asarray)
        found, _ = _evaluated(expression, own, np.asarray)
        numpy.testing.assert_allclose(found["[1]"], want["[1]"], rtol=1e-5)
        assert found["[0]"].dtype == want["[0]"].dtype
        return
    compare(expression)
