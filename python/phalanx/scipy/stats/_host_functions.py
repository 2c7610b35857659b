"""Functions of few numbers that SciPy computes on the host."""

import functools

from .._host_calls import agreed_seed
from ._host import StatisticsCalls

# Signature, result and summary of each function.
_TABLE = """
anderson(x, dist="norm", *, method=None) -> AndersonResult | The test of Anderson and Darling of a
    sample's distribution.
anderson_ksamp(samples, *, variant="midrank", method=None) -> Anderson_ksampResult | The test of
    Anderson and Darling of the distributions of samples.
barnard_exact(table, alternative="two-sided", pooled=True, n=32) -> BarnardExactResult | Barnard's
    exact test of a table of two rows and columns.
binomtest(k, n, p=0.5, alternative="two-sided") -> BinomTestResult | The exact test of a number of
    successes.
boschloo_exact(table, alternative="two-sided", n=32) -> BoschlooExactResult | Boschloo's exact test
    of a table of two rows and columns.
bws_test(x, y, *, alternative="two-sided", method=None) -> PermutationTestResult | The test of
    Baumgartner, Weiss and Schindler of the distributions of two samples.
chi2_contingency(observed, correction=True, lambda_=None, *, method=None) -> Chi2ContingencyResult |
    The chi-squared test of a table of counts.
dunnett(*samples, control, alternative="two-sided", rng=None) -> DunnettResult | Dunnett's test of
    the means of samples against a control.
ecdf(sample) -> ECDFResult | The empirical distribution and survival functions of a sample.
fisher_exact(table, alternative=None, *, method=None) -> SignificanceResult | Fisher's exact test of
    a table of counts.
fit(dist, data, bounds=None, *, guess=None, method="mle", optimizer=None) -> FitResult | The
    parameters of a distribution that fit a sample, within bounds.
goodness_of_fit(dist, data, *, known_params=None, fit_params=None, guessed_params=None,
    statistic="ad", n_mc_samples=9999, rng=None) -> GoodnessOfFitResult | A test of a sample's
    distribution whose parameters are fitted.
logrank(x, y, alternative="two-sided") -> LogRankResult | The test of the survival functions of two
    samples.
make_distribution(dist) -> type | A class of distributions from a description.
multiscale_graphcorr(x, y, compute_distance=None, reps=1000, workers=1, is_twosamp=False,
    random_state=None) -> MGCResult | The multiscale correlation of two samples of points.
order_statistic(X, /, *, r, n) -> object | The distribution of an order statistic.
page_trend_test(data, ranked=False, predicted_ranks=None, method="auto") -> PageTrendTestResult |
    Page's test of a trend of treatments.
poisson_means_test(k1, n1, k2, n2, *, diff=0, alternative="two-sided") -> SignificanceResult | The
    test of the means of two Poisson distributions.
power(test, rvs, n_observations, *, significance=0.01, vectorized=None, n_resamples=10000,
    batch=None, kwargs=None) -> PowerResult | The power of a test, by random samples.
ppcc_max(x, brack=(0.0, 1.0), dist="tukeylambda") -> float | The shape of a distribution whose
    quantiles correlate best with a sample.
ppcc_plot(x, a, b, dist="tukeylambda", plot=None, N=80) -> (ndarray, ndarray) | The correlations of
    a sample with quantiles of a distribution, by its shape.
quantile_test(x, *, q=0, p=0.5, alternative="two-sided") -> QuantileTestResult | The test of a
    quantile of a sample's distribution.
shapiro(x, *, axis=None, nan_policy="propagate", keepdims=False) -> ShapiroResult | The test of
    Shapiro and Wilk of whether a sample is normally distributed.
sobol_indices(*, func, n, dists=None, method="saltelli_2010", rng=None) -> SobolResult | The
    sensitivity of a function to its variables.
truncate(X, lb=float("-inf"), ub=float("inf")) -> object | A distribution within limits.
abs(X, /) -> object | The distribution of the size of a random variable.
exp(X, /) -> object | The distribution of the exponential of a random variable.
log(X, /) -> object | The distribution of the logarithm of a random variable.
"""


def _agreed_optimizer():
    """SciPy's default optimizer, with a seed on which all processes agree."""
    from scipy import optimize

    return functools.partial(optimize.differential_evolution, rng=agreed_seed())


class _Calls(StatisticsCalls):
    def found(self, name):
        theirs = super().found(name)
        if name == "fit":
            return functools.partial(theirs, optimizer=_agreed_optimizer())
        return theirs


_OWN = {
    "anderson": {"dist": ("str", "The distribution by its name.")},
    "anderson_ksamp": {"samples": ("sequence of array_like", "The samples.")},
    "binomtest": {"k": ("int", "The number of successes."), "n": ("int", "The number of trials."),
                  "p": ("float", "The probability of a success.")},
    "barnard_exact": {"n": ("int", "The number of points at which the parameter is tried.")},
    "boschloo_exact": {"n": ("int", "The number of points at which the parameter is tried.")},
    "fit": {"dist": ("distribution", "The distribution."), "method": ("str", "The method of "
            "the fit.")},
    "goodness_of_fit": {"dist": ("distribution", "The distribution."),
                        "statistic": ("str or callable", "The statistic.")},
    "make_distribution": {"dist": ("object", "The description.")},
    "order_statistic": {"n": ("int", "The number of elements.")},
    "quantile_test": {"q": ("float", "The supposed quantile."),
                      "p": ("float", "Its probability.")},
    "sobol_indices": {"n": ("int", "The number of points, a power of 2."),
                      "method": ("str or callable", "The estimator.")},
    "ppcc_plot": {"a": ("float", "The least shape."), "b": ("float", "The largest shape."),
                  "N": ("int", "The number of shapes."),
                  "plot": ("module or object", "Draws the result by its method `plot`.")},
}
globals().update(_Calls("stats").functions(_TABLE, _OWN))
