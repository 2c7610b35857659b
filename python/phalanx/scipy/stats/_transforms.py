"""Transformations of samples towards the normal distribution."""

import math

import phalanx as np

from .._host_calls import FEW
from . import _pvalues
from ._arrays import array, floating, reduced, refuse
from ._correlation import _correlated
from ._described import COLLECTIVE, described

_LLF = "ndarray: The shape of the sample without the axis."
_LAMBDA = {"lmb": ("float", "The parameter of the transformation."),
           "lmbda": ("float", "The parameter of the transformation; by default the most likely "
                     "one.")}


def _boxed(x, power):
    if power == 0:
        return np.log(x)
    return np.expm1(power * np.log(x)) / power


def _johnson(x, power):
    size = np.log1p(np.abs(x))
    high = size if power == 0 else np.expm1(power * size) / power
    low = -size if power == 2 else -np.expm1((2 - power) * size) / (2 - power)
    return np.where(x >= 0, high, low)


def _log_variance(z):
    """The logarithm of the variance of ``exp(z)``, without overflow."""
    most = z.real.max(-1, keepdims=True)
    return 2 * most[..., 0] + np.log(np.exp(z - most).var(-1))


@described(_LLF, **_LAMBDA)
def boxcox_llf(lmb, data, *, axis=0, keepdims=False, nan_policy="propagate"):
    """The logarithm of the likelihood of a parameter of Box and Cox."""

    def core(x):
        n = x.shape[-1]
        logarithms = np.log(x)
        spread = np.log(logarithms.var(-1)) if lmb == 0 else (
            _log_variance(lmb * logarithms) - 2 * math.log(abs(lmb))
        )
        return (lmb - 1) * logarithms.sum(-1) - n / 2 * spread

    return reduced(core, [floating(data)], axis, nan_policy, keepdims)


@described(_LLF, **_LAMBDA)
def yeojohnson_llf(lmb, data, *, axis=0, nan_policy="propagate", keepdims=False):
    """The logarithm of the likelihood of a parameter of Yeo and Johnson."""

    def core(x):
        n = x.shape[-1]
        moved = _johnson(x, lmb)
        spread = moved.var(-1)
        # The logarithm of a variance below the least normal number would be wrong.
        logarithm = np.where(spread < np.finfo(moved.dtype).tiny, -np.inf, np.log(spread))
        return -n / 2 * logarithm + (lmb - 1) * (np.sign(x) * np.log1p(np.abs(x))).sum(-1)

    return reduced(core, [floating(data)], axis, nan_policy, keepdims)


def _vector(x):
    x = floating(x)
    if x.ndim != 1:
        raise refuse("Data must be 1-dimensional.")
    return x


def _positive(x):
    if bool((x <= 0).any()):
        raise refuse("Data must be positive.")


@described("tuple or ndarray: The transformed sample; then the parameter, if it is estimated, and "
           "its interval for `alpha`.", notes=COLLECTIVE, **_LAMBDA,
           alpha=("float", "One minus the level of the parameter's interval."))
def boxcox(x, lmbda=None, alpha=None, optimizer=None):
    """The transformation of Box and Cox of a sample of positive numbers."""
    if lmbda is not None:
        return _boxed(floating(x), lmbda)
    given = array(x)
    x = _vector(given)
    if x.size == 0:
        return given
    if bool((x == x[0]).all()):
        raise refuse("Data must not be constant.")
    _positive(x)
    best = boxcox_normmax(x, method="mle", optimizer=optimizer)
    moved = _boxed(x, best)
    if alpha is None:
        return moved, best
    from scipy import optimize, stats

    wanted = float(boxcox_llf(best, x)) - 0.5 * stats.chi2.ppf(1 - alpha, 1)

    def apart(power):
        return float(boxcox_llf(power, x)) - wanted

    ends = []
    for step in (-0.5, 0.5):
        end = best + step
        while apart(end) > 0 and abs(end - best) < 500:
            end += step
        ends.append(optimize.brentq(apart, *sorted((end, best))))
    return moved, best, tuple(ends)


def _medians(n):
    """Filliben's estimates of the medians of order statistics of the uniform distribution."""
    places = (np.arange(1, n + 1) - 0.3175) / (n + 0.365)
    last = 0.5 ** (1.0 / n)
    if n == 1:
        return np.full(1, last)
    ends = np.full(1, 1 - last), np.full(1, last)
    return np.concatenate([ends[0], places[1:-1], ends[1]])


def _quantiles(distribution, levels, parameters):
    """Quantiles of a distribution. SciPy computes few on the host if a special function is
    missing."""
    try:
        return distribution.ppf(levels, *parameters)
    except NotImplementedError:
        if levels.size > FEW:
            raise
        from scipy import stats

        return np.asarray(getattr(stats, distribution.name).ppf(levels.get(), *parameters))


def _straightness(ordered, transform):
    """A function of the parameter: one minus the correlation with normal quantiles."""
    quantiles = _pvalues.special("ndtri", _medians(ordered.shape[0]))

    def found(power):
        return 1 - float(_correlated(transform(ordered, float(power)), quantiles))

    return found


def _optimized(function, brack, optimizer):
    from scipy import optimize

    if optimizer is None:
        return float(optimize.brent(function, brack=brack))
    if not callable(optimizer):
        raise refuse("`optimizer` must be a callable", mistake="type")
    if brack is not None and brack != (-2.0, 2.0):
        raise refuse("`brack` must be None if `optimizer` is given", mistake="together")
    answer = optimizer(function)
    value = getattr(answer, "x", None)
    if value is None:
        raise refuse("`optimizer` must return an object containing the optimal `lmbda` in the "
                     "attribute `x`.", mistake="type")
    return float(value)


@described("float or ndarray: The parameter; both for the method 'all'.", notes=COLLECTIVE,
           method=("{'pearsonr', 'mle', 'all'}", "What is optimized: the correlation with normal "
                   "quantiles, the likelihood, or each."),
           ymax=("float", "The largest size of transformed elements; None is without a limit."))
def boxcox_normmax(x, brack=None, method="pearsonr", optimizer=None, *, ymax=None):
    """The parameter of Box and Cox that is optimal for a sample."""
    x = floating(x)
    if method not in ("pearsonr", "mle", "all"):
        raise refuse(f"Method {method} not recognized.", mistake="choice")
    if bool(~((x >= 0) & np.isfinite(x)).all()) or bool((x <= 0).any()):
        raise refuse("The `x` argument of `boxcox_normmax` must contain only positive, finite, "
                     "real numbers.")
    x = _vector(x)
    brack = (-2.0, 2.0) if brack is None else brack
    functions = {
        "pearsonr": lambda: _straightness(np.sort(x), _boxed),
        "mle": lambda: lambda power: -float(boxcox_llf(float(power), x)),
    }
    names = ["pearsonr", "mle"] if method == "all" else [method]
    found = [_optimized(functions[name](), brack, optimizer) for name in names]
    if ymax is not None:
        found = [_limited(x, one, ymax) for one in found]
    return np.asarray(found) if method == "all" else found[0]


def _limited(x, power, most):
    """The parameter nearest to one with which no transformed element is larger than a limit."""
    from scipy import optimize

    low, high = float(x.min()), float(x.max())

    def size(power):
        ends = [math.log(one) if power == 0 else math.expm1(power * math.log(one)) / power
                for one in (low, high)]
        return max(map(abs, ends)) - most

    try:
        if size(power) <= 0:
            return power
    except OverflowError:
        pass
    return optimize.brentq(lambda t: size(t * power), 0.0, 1.0) * power


def _plotted(x, la, lb, plot, count, transform, title):
    if lb <= la:
        raise refuse("`lb` has to be larger than `la`.")
    x = floating(x)
    if x.size == 0:
        return x
    powers = np.linspace(la, lb, num=count)
    ordered = np.sort(x.reshape(-1))
    function = _straightness(ordered, transform)
    values = np.asarray([1 - function(one) for one in powers.tolist()])
    if plot is not None:
        plot.plot(powers.get(), values.get(), "x")
        for name in ("set_title", "title"):
            if hasattr(plot, name):
                getattr(plot, name)(title)
                break
    return powers, values


_PLOT = {"la": ("float", "The least parameter."), "lb": ("float", "The largest parameter."),
         "N": ("int", "The number of parameters."),
         "plot": ("module or object", "Draws the result by its method `plot`.")}


@described("(ndarray, ndarray): Parameters and correlations.", notes=COLLECTIVE, **_PLOT)
def boxcox_normplot(x, la, lb, plot=None, N=80):
    """The correlations with normal quantiles for parameters of Box and Cox."""
    x = floating(x)
    if x.size and bool((x <= 0).any()):
        raise refuse("Data must be positive.")
    return _plotted(x, la, lb, plot, N, _boxed, "Box-Cox Normality Plot")


@described("(ndarray, ndarray): Parameters and correlations.", notes=COLLECTIVE, **_PLOT)
def yeojohnson_normplot(x, la, lb, plot=None, N=80):
    """The correlations with normal quantiles for parameters of Yeo and Johnson."""
    return _plotted(x, la, lb, plot, N, _johnson, "Yeo-Johnson Normality Plot")


@described("tuple or ndarray: The transformed sample; then the parameter, if it is estimated.",
           notes=COLLECTIVE, **_LAMBDA)
def yeojohnson(x, lmbda=None):
    """The transformation of Yeo and Johnson of a sample."""
    x = array(x)
    if x.size == 0:
        return x
    if x.dtype.kind == "c":
        raise refuse("Yeo-Johnson transformation is not defined for complex numbers.",
                     mistake="dtype")
    x = floating(x)
    if lmbda is not None:
        return _johnson(x, lmbda)
    best = yeojohnson_normmax(x)
    return _johnson(x.astype(np.float64), best), best


@described("float: The parameter.", notes=COLLECTIVE)
def yeojohnson_normmax(x, brack=None):
    """The parameter of Yeo and Johnson that is most likely for a sample."""
    from scipy import optimize

    x = floating(x).reshape(-1)
    if bool(~np.isfinite(x).all()):
        raise refuse("Yeo-Johnson input must be finite.")
    if bool((x == 0).all()):
        return 1.0

    values = x.astype(np.float64)

    def function(power):
        found = -float(yeojohnson_llf(float(power), values))
        # An infinite likelihood comes from a variance that is too small for its logarithm.
        return math.inf if math.isinf(found) else found

    if brack is not None:
        return float(optimize.brent(function, brack=brack))
    return float(optimize.fminbound(function, *_safe_powers(x), xtol=1.48e-08))


def _safe_powers(x):
    """The parameters of Yeo and Johnson with which elements up to 20 times as large as the largest
    one have squares in the range of the dtype."""
    limits = np.finfo(x.dtype)
    low, high, size = float(x.min()), float(x.max()), float(np.abs(x).max())
    eps, range_of_sizes = math.log(float(limits.eps)), math.log1p(20 * size)
    least = (math.log(float(limits.tiny)) - eps) / 2 / range_of_sizes
    most = (math.log(float(limits.max)) + eps) / 2 / range_of_sizes
    if high < 0:
        return 2 - most, 2 - least
    if low < 0:
        return max(2 - most, least), min(2 - least, most)
    return least, most


@described("tuple: Pairs of quantiles and ordered elements; with `fit` then slope, intercept and "
           "correlation.", notes=COLLECTIVE,
           dist=("str or distribution", "The distribution."),
           fit=("bool", "Whether a line is fitted."),
           plot=("module or object", "Draws the result by its method `plot`."),
           rvalue=("bool", "Whether the plot has the correlation."),
           sparams=("tuple", "The parameters of the distribution."))
def probplot(x, sparams=(), dist="norm", fit=True, plot=None, rvalue=False):
    """The quantiles of a distribution beside the ordered elements of a sample."""
    given = array(x).reshape(-1)
    x = floating(given)
    if x.size == 0:
        pair = given, given
        return (pair, (math.nan, math.nan, 0.0)) if fit else pair
    if isinstance(dist, str):
        import phalanx.scipy.stats as own

        dist = getattr(own, dist)
    sparams = () if sparams is None else sparams
    sparams = (sparams,) if isinstance(sparams, (int, float)) else tuple(sparams)
    expected = _quantiles(dist, _medians(x.shape[0]), sparams)
    ordered = np.sort(x)
    line = None
    if fit:
        from ._correlation import linregress

        found = linregress(expected, ordered)
        line = tuple(float(one) for one in (found.slope, found.intercept, found.rvalue))
    if plot is not None:
        places = expected.get()
        plot.plot(places, ordered.get(), "bo")
        if line is not None:
            plot.plot(places, line[0] * places + line[1], "r-")
    # Integers stay integers.
    ordered = ordered.astype(given.dtype, copy=False)
    return ((expected, ordered), line) if fit else (expected, ordered)
