"""Correlations, regressions and tests of samples, against SciPy's."""

import numpy
import pytest
import scipy.stats

import phalanx as np
import phalanx.scipy.stats as own

from .stats_cases import ARRAYS, cases, compare, policies

SIDES = ("two-sided", "less", "greater")


def sides(expressions):
    """Calls with each alternative."""
    return [f"{one[:-1]}, alternative='{side}')" for one in expressions for side in SIDES]


CORRELATIONS = sides(cases("""
sp.pearsonr(v, w)  sp.pearsonr(x, y, axis=1)  sp.pearsonr(x, y, axis=None)  sp.spearmanr(v, w)
sp.spearmanr(i, j)  sp.spearmanr(x, axis=1)  sp.spearmanr(x, y, axis=None)
sp.spearmanr(n[:, 1], y[:, 1], nan_policy='omit')  sp.spearmanrho(x, y)
sp.spearmanrho(n, y, axis=0, nan_policy='omit')  sp.kendalltau(v, w)  sp.kendalltau(i, j)
sp.kendalltau(v, w, method='asymptotic', variant='c')  sp.kendalltau(x, y, axis=1)
sp.kendalltau(i, j, method='exact')  sp.linregress(v, w)  sp.linregress(x, y, axis=1)
sp.linregress(n, y, nan_policy='omit')  sp.somersd(i[:, 0], j[:, 0]).pvalue
"""))
CORRELATIONS += cases("""
sp.pearsonr(v[:2], w[:2])  sp.pearsonr(v[:1], w[:1])  sp.pearsonr(v, w[:3])  sp.pearsonr(f, g)
sp.pearsonr([1.0, 1, 1], [1.0, 2, 3])  sp.pearsonr(v[:3], w[:3])  sp.pearsonr(v * 1j, w)
sp.spearmanr(n, y)  sp.spearmanr(n[:, :2])  sp.spearmanr(v[:2], w[:2])  sp.spearmanr(v)
sp.spearmanr(v, w[:3])  sp.spearmanr(n, nan_policy='raise')  sp.kendalltau(v, w, variant='x')
sp.kendalltau(np.arange(60), np.arange(60)[::-1])  sp.kendalltau([1, 1, 1], [1, 2, 3])
sp.kendalltau(n[:, 1], w)  sp.kendalltau(n[:, 1], w, nan_policy='omit')  sp.kendalltau([], [])
sp.kendalltau([1, 2], [1, 2, 3])  sp.kendalltau(long[:, 0], long[:, 1])
sp.weightedtau(v, w)  sp.weightedtau(i, j)  sp.weightedtau(v, w, rank=False, additive=False)
sp.weightedtau(v, w, rank=None, weigher=lambda r: 1 / (r + 2.0) ** 2)
sp.weightedtau(v, w, rank=[8, 7, 6, 5, 4, 3, 2, 1, 0])  sp.pointbiserialr(i[:, 0] > 1, w)
sp.linregress(v[:2], w[:2])  sp.linregress([1.0, 1, 1], [1.0, 2, 3])  sp.linregress(v, w[:3])
sp.linregress(v[:1], w[:1])  sp.theilslopes(w, v)  sp.theilslopes(j[:, 0], i[:, 0], 0.9)
sp.theilslopes(w, v, method='joint')  sp.theilslopes(w)  sp.theilslopes(y, x, axis=1)
sp.theilslopes(y, axis=0)  sp.theilslopes(w, v, method='x')  sp.siegelslopes(w, v)
sp.siegelslopes(j[:, 0], i[:, 0], method='separate')  sp.siegelslopes(w)
sp.siegelslopes(y, x, axis=1)  sp.siegelslopes(w, v, method='x')  sp.chatterjeexi(x, y)
sp.chatterjeexi(i, j)  sp.chatterjeexi(x, y, axis=1, y_continuous=True)
""")


@pytest.mark.parametrize("expression", CORRELATIONS)
def test_correlations(expression):
    compare(expression, 1e-10)


MEANS = sides(policies("ttest_rel ttest_ind", ["x, y", "n, m", "i, j", "f, g", "v, w"]))
MEANS += sides(policies("ttest_1samp", ["x, 0.3", "n, 0.3", "f, 0.3"]))
MEANS += policies("ttest_ind", ["x, y", "n, m"], ", equal_var=False")
MEANS += policies("ttest_ind", ["x, y", "n, m"], ", trim=0.2")
MEANS += policies("f_oneway alexandergovern", ["x, y, x * y", "n, m, x", "i, j, i * j", "v, w"])
MEANS += policies("f_oneway", ["x, y, x * y", "n, m, x"], ", equal_var=False")
MEANS += cases("""
sp.ttest_1samp(x, array([[1.0, 2, 3, 4]]))  sp.ttest_ind(x, z)  sp.ttest_ind(x[:1], z[:1])
sp.ttest_ind_from_stats(1.0, 2.0, 10, 1.5, 2.5, 12)  sp.ttest_1samp(x[:1], 0)
sp.ttest_ind_from_stats(1.0, 2.0, 10, 1.5, 2.5, 12, equal_var=False, alternative='less')
sp.ttest_ind(x, y, trim=0.6)  sp.ttest_rel(v, w[:3])  sp.ttest_ind(x, y, alternative='x')
sp.f_oneway([1.0, 1, 1], [1.0, 1, 1])  sp.f_oneway([1.0, 1, 1], [2.0, 2, 2])
sp.tukey_hsd(v, w, p[:, 0]).pvalue  sp.tukey_hsd(v, z[:, 0], equal_var=False).statistic
sp.tukey_hsd(v, w, p[:, 0]).confidence_interval(0.9)  sp.tukey_hsd(v)  sp.tukey_hsd(x, y)
sp.tukey_hsd(v, z[:, 0], w, equal_var=False).pvalue  sp.tukey_hsd(v, [np.nan, 1.0])
sp.tukey_hsd(v, z[:, 0], w, equal_var=False).confidence_interval()  sp.tukey_hsd(v, [1.0])
sp.ttest_ind(x, y, keepdims=True)  sp.f_oneway(x, y, axis=1, keepdims=True)
""")


@pytest.mark.parametrize("expression", MEANS)
def test_tests_of_means(expression):
    compare(expression, 1e-10)


def test_intervals_of_means_and_correlations():
    for side in SIDES:
        for name, given in (("ttest_1samp", ("x", 0.2)), ("ttest_ind", ("x", "y")),
                            ("ttest_rel", ("x", "y")), ("pearsonr", ("v", "w"))):
            arrays = [ARRAYS[one] if isinstance(one, str) else one for one in given]
            theirs = getattr(scipy.stats, name)(*arrays, alternative=side)
            found = getattr(own, name)(*map(np.asarray, arrays), alternative=side)
            for mine, one in zip(found.confidence_interval(0.9), theirs.confidence_interval(0.9)):
                numpy.testing.assert_allclose(mine.get(), one, rtol=1e-10)


RANKS = sides(policies("mannwhitneyu ranksums mood ansari", ["x, y", "n, m", "i, j", "v, w"]))
RANKS += sides(policies("brunnermunzel", ["x, y", "n, m", "i, j"]))
for _zeros in ("wilcox", "pratt", "zsplit"):
    RANKS += policies("wilcoxon", ["x, y", "i, j", "n, m"], f", zero_method='{_zeros}'")
    RANKS += policies("wilcoxon", ["i, j"], f", zero_method='{_zeros}', correction=True, "
                      "method='asymptotic', alternative='less'")
RANKS += policies("kruskal friedmanchisquare levene bartlett fligner",
                  ["x, y, x * y", "n, m, x", "i, j, i * j", "v, w, x[:, 1]"])
RANKS += [f"sp.{name}(x, y, z[:7, :], center='{center}', proportiontocut=0.2)"
          for name in ("levene", "fligner") for center in ("mean", "trimmed", "x")]
RANKS += cases("""
sp.mannwhitneyu(x, z, method='exact')  sp.mannwhitneyu(i, j, use_continuity=False)
sp.mannwhitneyu([], [1.0])  sp.mannwhitneyu(v, w, method='x')  sp.mannwhitneyu(long, long * 2)
sp.wilcoxon(i[:, 0] - j[:, 0])  sp.wilcoxon(long)  sp.wilcoxon(np.concatenate([long, long + 0.1]))
sp.wilcoxon(long, method='exact')  sp.wilcoxon(x, method='x')  sp.wilcoxon(x, zero_method='x')
sp.kruskal(x, z)  sp.levene(x)  sp.friedmanchisquare(x, y)  sp.brunnermunzel(x, y,
distribution='normal')  sp.ansari(np.concatenate([v] * 7), np.concatenate([w] * 7))
sp.ansari(np.concatenate([v] * 7), np.concatenate([w] * 6))  sp.kruskal(x, y, keepdims=True)
sp.median_test(i[:, 0], j[:, 0])  sp.median_test(i[:, 0], j[:, 0], ties='above')
sp.median_test(i[:, 0], j[:, 0], ties='ignore')  sp.median_test(i[:, 0], j[:, 0], ties='x')
sp.median_test(v, w, n[:, 1], nan_policy='omit')  sp.median_test(v)
""".replace(",\n", ", "))


@pytest.mark.parametrize("expression", [one for one in RANKS if not (
    # SciPy fails to convert NaN to integers.
    one.startswith("sp.bartlett(i") or one.startswith("sp.bartlett(n") and "propagate" in one)])
def test_tests_by_ranks_and_of_variances(expression):
    compare(expression, 1e-10)


FITS = sides(policies("skewtest kurtosistest", ["x", "n", "long", "f"]))
FITS += policies("normaltest jarque_bera", ["x", "n", "long", "f"])
FITS += sides([f"sp.ks_1samp(x, normal, axis={axis}, method='{method}')"
               for axis in (0, 1, None) for method in ("auto", "asymp", "approx")])
FITS += sides([f"sp.ks_2samp({given}, axis={axis}, method='{method}')"
               for given in ("x, y", "i, j", "long, z[:, :3]") for axis in (0, None)
               for method in ("auto", "asymp")])
FITS += policies("ks_1samp cramervonmises", ["x", "n"], ", normal")
FITS += policies("ks_2samp cramervonmises_2samp epps_singleton_2samp", ["long, long * 0.7", "v, w"])
FITS += policies("combine_pvalues", ["uniform", "uniform[:, 0]"])
FITS += [f"sp.combine_pvalues(uniform, '{method}', axis=1)" for method in (
    "pearson", "mudholkar_george", "tippett", "stouffer", "x")]
FITS += [f"sp.power_divergence(i + 1, lambda_={one})" for one in (
    "None", "'pearson'", "'log-likelihood'", "'freeman-tukey'", "'mod-log-likelihood'", "'neyman'",
    "'cressie-read'", "0.3", "'x'")]
FITS += policies("chisquare", ["i + 1", "p"])
FITS += [f"sp.false_discovery_control(uniform, axis={axis}, method='{method}')"
         for axis in (0, 1, None) for method in ("bh", "by", "x")]
FITS += cases("""
sp.chisquare(i + 1, 2.0 * i + 2)  sp.chisquare(i + 1, i + 1.0, ddof=1)
sp.chisquare(i + 1, 2.0 * i + 2, sum_check=False)  sp.chisquare(i[:, 0] + 1, ddof=array([0, 1]))
sp.cramervonmises_2samp(long, z[:, :3])  sp.epps_singleton_2samp(long, long + 0.5, (0.3, 0.9))
sp.combine_pvalues(uniform[:, 0], 'stouffer', weights=[1, 2, 3, 4, 5, 6, 7, 8, 9])
sp.kstest(v, 'norm')  sp.kstest(v, 'norm', (0.1, 2))  sp.kstest(v, w)  sp.kstest(v, normal)
sp.ks_1samp(v, normal, alternative='q')  sp.false_discovery_control(x)  sp.skewtest(x[:7])
sp.cramervonmises(v, 'expon')  sp.kurtosistest(x[:4])
sp.wasserstein_distance(v, z[:, 0])  sp.wasserstein_distance(i[:, 0], j[:, 0])
sp.wasserstein_distance(v, w, p[:, 0], p[:, 1])  sp.wasserstein_distance([], [1.0])
sp.wasserstein_distance(v, w, v)  sp.wasserstein_distance(v, w, p[:4, 0])
sp.energy_distance(v, z[:, 0])  sp.energy_distance(i[:, 0], j[:, 0])
sp.energy_distance(v, w, None, p[:, 1])  sp.wasserstein_distance_nd(x, z)
""")


@pytest.mark.parametrize("expression", FITS)
def test_tests_of_distributions(expression):
    compare(expression, 1e-9)


def test_numbers_of_many_elements():
    draw = numpy.random.default_rng(3)
    x, y = draw.normal(size=3000), draw.integers(0, 50, size=3000).astype(float)
    for name in ("kendalltau", "spearmanr", "mannwhitneyu", "ks_2samp", "wasserstein_distance"):
        found = getattr(own, name)(np.asarray(x), np.asarray(y))
        want = getattr(scipy.stats, name)(x, y)
        if name == "wasserstein_distance":
            assert float(found) == pytest.approx(want, rel=1e-11)
        else:
            assert float(found.statistic) == pytest.approx(want.statistic, rel=1e-11)
            assert float(found.pvalue) == pytest.approx(want.pvalue, rel=1e-9)


@pytest.mark.parametrize("name", ["mannwhitneyu", "ansari", "mood", "kruskal", "ttest_ind"])
@pytest.mark.parametrize("other", [2, 2.0, numpy.float32(2), numpy.float64(2), [2.0]])
def test_numbers_of_python_do_not_widen_samples(name, other):
    x = numpy.array([1, 2, 3, 4], "f4")
    found, want = getattr(own, name)(np.array(x), other), getattr(scipy.stats, name)(x, other)
    assert found.statistic.dtype == want.statistic.dtype
    assert found.pvalue.dtype == want.pvalue.dtype
    numpy.testing.assert_allclose(found.pvalue.get(), want.pvalue, rtol=1e-5)


def test_a_single_observation_adds_nothing_to_the_common_variance():
    x = numpy.arange(12.0).reshape(4, 3)
    for a, b in [(x, x[:1] + 2), (x[:1], x), (x[0, 0], x[:, 1]), (x[:1], x[1:2])]:
        for equal in (True, False):
            found = own.ttest_ind(np.asarray(a), np.asarray(b), equal_var=equal)
            want = scipy.stats.ttest_ind(a, b, equal_var=equal)
            numpy.testing.assert_allclose(found.statistic.get(), want.statistic, rtol=1e-12)
            numpy.testing.assert_allclose(found.pvalue.get(), want.pvalue, rtol=1e-10)


@pytest.mark.parametrize("expression", [
    "wilcoxon(x)", "wilcoxon(x, method='asymptotic')", "ks_2samp(x, y)", "ttest_rel(x, y)",
    "linregress(x, y)", "pearsonr(x, y)", "mannwhitneyu(x, y)",
])
def test_texts_of_results_name_the_fields_of_scipy(expression):
    x = numpy.sin(numpy.arange(12.0)) + 0.4
    texts = [
        repr(eval(f"stats.{expression}", {"stats": stats, "x": asarray(x), "y": asarray(x) ** 2}))
        for stats, asarray in [(own, np.asarray), (scipy.stats, numpy.asarray)]
    ]
    found, want = ([part.split("(")[-1] for part in text.split("=")[:-1]] for text in texts)
    assert [name.split()[-1] for name in found] == [name.split()[-1] for name in want]


def test_the_text_of_tukeys_test_is_the_table_of_scipy():
    samples = [numpy.arange(3.0), numpy.arange(4.0) + 2.5, numpy.array([7.0, 9.5])]
    found, want = own.tukey_hsd(*map(np.asarray, samples)), scipy.stats.tukey_hsd(*samples)
    assert str(found) == str(want)
    found.confidence_interval(0.9), want.confidence_interval(0.9)
    assert str(found).splitlines()[0] == str(want).splitlines()[0]
