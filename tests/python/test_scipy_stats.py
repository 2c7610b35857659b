"""Descriptions of samples, scores, ranks, bins and transformations, against SciPy's."""

import inspect
import re
import subprocess
import sys

import numpy
import pytest
import scipy.stats

import phalanx as np
import phalanx.scipy.stats as own
from phalanx.scipy.stats import contingency, qmc
from phalanx.scipy.stats._distribution import Frozen

from .stats_cases import ARRAYS, cases, compare, policies
from .test_docstrings import parameters, section

ONE = ["x", "n", "i", "f", "v", "x[:1]"]
DESCRIPTIONS = cases("""
sp.gmean(p, weights=p**2)  sp.hmean(p, weights=p**2, axis=1)  sp.pmean(p, 0, weights=p)
sp.gmean(p, axis=(0, 1))  sp.gmean(x, axis=1, keepdims=True)  sp.pmean(p, 2.5, axis=1)
sp.pmean(x, -1.5)  sp.hmean(x)  sp.pmean(p, 2, keepdims=True)  sp.gmean(i, dtype='f4')
sp.skew(x, bias=False)  sp.kurtosis(x, bias=False, fisher=False)  sp.skew(n, bias=False,
nan_policy='omit')  sp.kurtosis(n, bias=False, nan_policy='omit')  sp.skew(x[:2], bias=False)
sp.kurtosis(x[:3], bias=False)  sp.skew(ones)  sp.kurtosis(ones)  sp.moment(x, [1, 2, 3])
sp.moment(x, 3, center=0.5)  sp.moment(x, 1.5)  sp.moment(x, [])  sp.moment(n, 0)
sp.describe(n, nan_policy='omit', ddof=0, bias=False)  sp.describe([])  sp.describe(x, axis=None)
sp.entropy(p, p**2, base=2, axis=1)  sp.entropy(p, p[:, :1])  sp.entropy(x, base=-1)
sp.entropy(p * 1j)  sp.entropy(p, p * 1j, axis=None)
sp.differential_entropy(v, method='x')  sp.differential_entropy(v, window_length=2, base=2)
sp.differential_entropy(v, window_length=5)  sp.differential_entropy(x, method='correa')
sp.differential_entropy(x, method='vasicek')  sp.differential_entropy(x, method='ebrahimi')
sp.differential_entropy(x, method='van es')  sp.differential_entropy(long)
sp.expectile(v, 0)  sp.expectile(v, 0.1)  sp.expectile(v, 0.9, weights=p[:, 0])
sp.expectile(v, 1)  sp.expectile(v, 1.5)  sp.circmean(x * 3, high=5, low=-2)
sp.circstd(x, normalize=True)  sp.circvar(x, axis=0)  sp.directional_stats(x)
sp.directional_stats(v)  sp.directional_stats(x, normalize=False)  sp.kstat(x, 1, axis=0)
sp.kstat(x, 3, axis=1)  sp.kstat(x, 4, axis=0)  sp.kstat(x, 5)  sp.kstatvar(x, 1, axis=0)
sp.kstatvar(x, 3)  sp.lmoment(x, order=2)  sp.lmoment(x, order=[1, 4], axis=1)
sp.lmoment(x, standardize=False)  sp.lmoment(x, order=0)  sp.variation(x, ddof=9)
sp.variation(x, ddof=10)  sp.iqr(x, rng=(10, 80), scale='normal', interpolation='lower', axis=1)
sp.iqr(x, rng=(10, 180))  sp.iqr(x, rng=10)  sp.iqr(x, scale='x')
sp.median_abs_deviation(x, scale='normal')  sp.median_abs_deviation(x, scale='x')
sp.median_abs_deviation(x, center=3)  sp.mode([[1, 2, 2], [3, 3, 1]], axis=1)  sp.mode(['a'])
sp.skew(x, nan_policy='x')  sp.gstd(p, ddof=0)  sp.sem(x, ddof=0, axis=1)
""".replace("\n", " \n").replace(",\n", ", ").replace(", \n", ", "))
DESCRIPTIONS += policies("skew kurtosis sem variation median_abs_deviation circmean circvar "
                         "kstat lmoment", ONE)
DESCRIPTIONS += policies("gmean hmean gstd", ["p", "pn", "f + 3"])
DESCRIPTIONS += policies("moment", ["x", "n"], ", 3") + policies("pmean", ["p", "pn"], ", 2.5")
DESCRIPTIONS += policies("mode iqr describe", ["x", "i", "v"])
DESCRIPTIONS += policies("mode iqr", ["n"]) + policies("entropy", ["p", "pn"])


@pytest.mark.parametrize("expression", DESCRIPTIONS)
def test_descriptions(expression):
    compare(expression, 1e-10)


SCORES = cases("""
sp.zmap(x, p, axis=0, ddof=1)  sp.zmap(x, p[:3])  sp.zmap(x, p, axis=None)  sp.zscore(ones)
sp.zscore(x, nan_policy='x')  sp.sigmaclip(x, 1.5, 1.5)  sp.trim_mean(x, 0.6)
sp.trimboth(x, 0.6)  sp.trimboth(np.sort(x.ravel()) if 0 else [1, 2, 3, 4, 5, 6], 0.2)
sp.trim1([1, 2, 3, 4, 5, 6], 0.4, 'left')  sp.trim1([1, 2, 3, 4, 5, 6], 0.4)
sp.scoreatpercentile(x, 30)  sp.scoreatpercentile(x, [30, 60], axis=0)
sp.scoreatpercentile(x, 30, interpolation_method='lower')  sp.scoreatpercentile(x, 130)
sp.scoreatpercentile(x, 30, interpolation_method='higher')
sp.scoreatpercentile(x, 30, interpolation_method='x')  sp.scoreatpercentile(x, 30, limit=(-1, 1))
sp.percentileofscore(i[:, 0], 2)  sp.percentileofscore(i[:, 0], [2, 3.5, np.nan], 'weak')
sp.percentileofscore(i[:, 0], 2, 'strict')  sp.percentileofscore(i[:, 0], 2, 'mean')
sp.percentileofscore(n[:, 1], 0.2)  sp.percentileofscore(n[:, 1], 0.2, nan_policy='omit')
sp.percentileofscore(n[:, 1], 0.2, nan_policy='raise')  sp.cumfreq(x)  sp.relfreq(x, 5, (-1, 1))
sp.cumfreq(x, 4, weights=p.ravel())  sp.relfreq([])  sp.relfreq(v, 4)
sp.quantile(x, 0.3)  sp.quantile(x, 0.3, axis=1, keepdims=True, method='hazen')
sp.quantile(v, array([0.2, 0.4]))  sp.quantile(x, array([[0.2], [0.4]]), method='weibull')
sp.quantile(x, array([[0.2, 0.4]]), axis=1)  sp.quantile(n, 0.3, nan_policy='omit')
sp.obrientransform(v, w)  sp.bayes_mvs(v)  sp.bayes_mvs(v, 2)  sp.tiecorrect(sp.rankdata(i))
sp.tiecorrect([1.0])  sp.tmean(x, (50, 60))  sp.tmin(x, 50)  sp.rankdata(x, 'x')
sp.rankdata(i, 'dense', axis=0)  sp.rankdata(i, 'min', axis=1)  sp.rankdata(i, 'max')
sp.rankdata(i, 'ordinal', axis=0)  sp.rankdata(n, 'dense', axis=0)  sp.rankdata([])
sp.rankdata(n, 'min', axis=0, nan_policy='omit')  sp.rankdata(3.0)
""")
SCORES += policies("zscore", ONE) + policies("gzscore", ["p", "pn"])
SCORES += policies("trim_mean", ["x", "n", "v"], ", 0.15") + policies("rankdata", ["x", "n", "i"])
for _limits in ("", ", (-0.5, 2)", ", (0, None), (False, True)"):
    SCORES += policies("tmean tvar tstd tsem", ["x", "i", "f", "v"], _limits)
SCORES += policies("tmin tmax", ["x", "i", "v"], "") + policies("tmin tmax", ["x", "i"], ", 0.5")


@pytest.mark.parametrize("expression", SCORES)
def test_scores_and_ranks(expression):
    compare(expression, 1e-10)


def test_trimmed_samples_have_the_same_elements():
    x = ARRAYS["x"]
    for axis in (0, 1, None):
        for name, given in (("trimboth", (0.2,)), ("trim1", (0.3, "left")), ("trim1", (0.3,))):
            found = getattr(own, name)(np.asarray(x), *given, axis=axis).get()
            want = getattr(scipy.stats, name)(x, *given, axis=axis)
            assert (found == numpy.sort(want, axis=axis or 0)).all()


BINS = [
    f"sp.binned_statistic{call.replace('STATISTIC', statistic)}"
    for statistic in ("'mean'", "'median'", "'count'", "'sum'", "'std'", "'min'", "'max'", "'x'",
                      "lambda v: v.max() - v.min()")
    for call in (
        "(v, w, STATISTIC, bins=5)",
        "(v, [w, 2 * w], STATISTIC, bins=7, range=(-0.8, 0.8))",
        "(v, w, STATISTIC, bins=array([-3, 0, 0.2, 3]))",
        "_2d(v, w, p[:, 0], STATISTIC, bins=[3, 4])",
        "_2d(v, w, p[:, 0], STATISTIC, bins=3, expand_binnumbers=True, range=[(-1, 1), (0, 1)])",
        "_dd(x[:, :3], w, STATISTIC, bins=[2, 3, 2])",
    )
]


@pytest.mark.parametrize("expression", BINS)
def test_statistics_of_bins(expression):
    compare(expression)


TRANSFORMS = cases("""
sp.boxcox_llf(0, p)  sp.boxcox_llf(-1.3, p, axis=1, keepdims=True)  sp.boxcox_llf(2, p, axis=None)
sp.boxcox_llf(0.5, pn, nan_policy='omit')  sp.yeojohnson_llf(0, x)  sp.yeojohnson_llf(2, x, axis=1)
sp.yeojohnson_llf(0.7, n, nan_policy='omit')  sp.boxcox(p[:, 0], 0)  sp.boxcox(p[:, 0], 1.5)
sp.yeojohnson(x, 0)  sp.yeojohnson(x, 2)  sp.yeojohnson(x, -0.5)  sp.boxcox(v)  sp.boxcox([1.0, 1])
sp.boxcox(p)  sp.boxcox_normmax(p[:, 0], method='x')  sp.boxcox_normplot(p[:, 0], 2, 1)
sp.boxcox_normplot(p[:, 0], -2, 2, N=5)  sp.yeojohnson_normplot(v, -2, 2, N=5)
sp.probplot(v, fit=False)  sp.yeojohnson(v * 1j)  sp.boxcox_llf(4, p * (1 + 1j))
sp.boxcox_llf(-3, p * (1 - 2j), axis=1)  sp.boxcox_llf(0, p * 1j)
sp.boxcox_llf(3, (p * 1j)[:0])  sp.boxcox_llf(3, array([], 'F'))  sp.boxcox_llf(3, p[:0])
""")
SEARCHED = cases("""
sp.boxcox(p[:, 0])  sp.boxcox(p[:, 0], alpha=0.05)  sp.boxcox_normmax(p[:, 0])
sp.boxcox_normmax(p[:, 0], method='mle')  sp.boxcox_normmax(p[:, 0], method='all')
sp.yeojohnson(v)  sp.yeojohnson_normmax(v)  sp.probplot(v)
""")


@pytest.mark.parametrize("expression", TRANSFORMS)
def test_transformations(expression):
    compare(expression)


@pytest.mark.parametrize("expression", SEARCHED)
def test_parameters_that_are_searched(expression):
    compare(expression, 2e-5)


def test_all_names_exist():
    old = {"biasedurn", "kde", "morestats", "mstats_basic", "mstats_extras", "mvn", "stats"}
    assert set(scipy.stats.__all__) - old <= set(own.__all__)
    for name in own.__all__:
        assert getattr(own, name) is not None
    with pytest.raises(AttributeError):
        own.no_such_name


def test_signatures_are_those_of_scipy():
    old = {"random_state", "seed", "midrank"}
    for name in own.__all__:
        function = getattr(own, name)
        if not inspect.isfunction(function):
            continue
        theirs = inspect.signature(getattr(scipy.stats, name)).parameters
        found = inspect.signature(function).parameters
        assert set(theirs) - old <= set(found) | {"method"}, name
        for key in set(theirs) & set(found):
            assert theirs[key].kind == found[key].kind, (name, key)


def test_scipy_is_not_imported():
    code = ("import sys, phalanx as np, phalanx.scipy.stats as s; s.skew(np.arange(9.0)); s.norm; "
            "assert 'scipy' not in sys.modules")
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def functions():
    found = [(f"{module.__name__}.{name}", getattr(module, name), False)
             for module in (own, contingency, qmc) for name in module.__all__
             if inspect.isfunction(getattr(module, name))]
    for one in (own.norm, own.binom, own.multivariate_normal, own.gaussian_kde(
            np.arange(3.0)), own.multivariate_normal([0.0]), Frozen, own.ttest_rel.__globals__[
                "TtestResult"]):
        kind = one if inspect.isclass(one) else type(one)
        for base in kind.__mro__:
            for name, value in vars(base).items():
                if inspect.isfunction(value) and not name.startswith("_"):
                    if base.__module__.startswith("phalanx"):
                        found.append((f"{base.__name__}.{name}", value, True))
    return found


def test_docstrings_are_whole():
    described = functions()
    assert len(described) > 200
    for name, function, is_method in described:
        text = inspect.cleandoc(function.__doc__)
        lines = [line for line in section(text, "Parameters") if not line.startswith("    ")]
        told = {one.partition(" :")[0].lstrip("*") for one in lines}
        assert told == parameters(function, is_method), name
        assert section(text, "Returns") and section(text, "Raises"), name
        assert re.search("Local|Collective", "\n".join(section(text, "Notes"))), name


def test_entropies_of_halves():
    x = numpy.array([[1, 2, 3], [5, 0.5, 4]], "e")
    for given in [(x,), (x, x[::-1].copy()), (x, x.astype("f"))]:
        want = scipy.stats.entropy(*given)
        found = own.entropy(*map(np.asarray, given))
        assert found.dtype == want.dtype == "float32"
        numpy.testing.assert_allclose(found.get(), want, rtol=5e-3)


def test_long_arrays_are_not_copied_to_the_host():
    with pytest.raises(ValueError, match="on the host"):
        own.shapiro(np.zeros((1 << 20) + 1))


HOSTED = cases("""
sp.shapiro(x, axis=0)  sp.fisher_exact([[8, 2], [1, 5]])  sp.barnard_exact([[8, 2], [1, 5]])
sp.boschloo_exact([[8, 2], [1, 5]])  sp.chi2_contingency(i + 1)  sp.anderson_ksamp([v, w])
sp.page_trend_test(x).pvalue  sp.poisson_means_test(3, 10, 5, 12)  sp.quantile_test(v)
sp.bws_test(v[:4], w[4:])  sp.ppcc_max(v)  sp.contingency.expected_freq(i)
sp.contingency.margins(i)  sp.contingency.crosstab(i[:, 0], i[:, 1])
sp.contingency.crosstab(i[:, 0], i[:, 1], levels=([0, 1], [1, 2, 3])).count
sp.contingency.association(i + 1)  sp.skewnorm.pdf(v, 2.0)  sp.truncnorm(-1, 2).cdf(v)
sp.qmc.scale(uniform, [0, 1, 2, 3], [4, 5, 6, 7])  sp.qmc.discrepancy(uniform)
sp.qmc.scale(x, [0, 1, 2, 3], [4, 5, 6, 7])  sp.qmc.Sobol(2, rng=1).random(8)
sp.qmc.Halton(2, rng=1).random(5)  sp.mstats.gmean([1.0, 2.0])  sp.distributions.norm.mean()
sp.dunnett(v, w, control=p[:, 0], rng=1).pvalue  sp.tukey_hsd(v, w, p[:, 0]).pvalue
""")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", HOSTED)
def test_functions_of_few_numbers(expression):
    compare(expression, 1e-8)


def test_engines_of_all_processes_agree():
    engine = qmc.Sobol(2)
    assert isinstance(engine.random(4), np.ndarray) and isinstance(engine.reset(), qmc.Sobol)
    normal = qmc.MultivariateNormalQMC([0.0, 1.0], engine=qmc.Sobol(2, rng=1))
    assert normal.random(4).shape == (4, 2)
    assert own.dirichlet.rvs([1.0, 2.0], size=3).shape == (3, 2)


def test_random_methods_of_scipy_have_an_agreed_seed():
    x = ARRAYS["v"]
    found = own.fit(own.norm, np.asarray(x), {"loc": (-3, 3), "scale": (0.1, 5)})
    want = scipy.stats.norm.fit(x)
    numpy.testing.assert_allclose(found.params[:2], want, rtol=1e-4)
    frozen = own.multivariate_t([0.0, 0.0], df=3)
    assert float(frozen.cdf([0.0, 0.0])) == pytest.approx(0.25, abs=1e-2)
    assert frozen.rvs(4).shape == (4, 2)
    assert numpy.isfinite(own.goodness_of_fit(own.norm, np.asarray(x), n_mc_samples=10).pvalue)
