"""Statistics: parameters of ``scipy.stats``."""

import numpy
import scipy.stats

from . import distributions, formulas
from .drawing import FLOATS, Array
from .formulas import both

EXACT = set()
# Objects of the module whose methods are compared.
OBJECTS = distributions.METHODS
SIGNATURES = distributions.SIGNATURES
SHOWN = {"gaussian_kde": "dataset d n weights neff factor covariance inv_cov"}
COARSE = None
LEFT_OUT = {
    **dict.fromkeys(["bootstrap", "monte_carlo_test", "permutation_test"],
                    "random draws, and functions of the program"),
    "gaussian_kde.resample": "random draws",
    "gaussian_kde.integrate_box": "SciPy's integral is one of random points",
}
ARRAYS = {"dtypes": ["float64", "float64", "float64", "float32", "int32"], "least": 1, "most": 2,
          "longest": 20, "rare": ["int64", "int8"]}
POLICIES = ["propagate", "omit", "raise", "none"]


def sample(d):
    """Numbers, sometimes with NaN."""
    shape = d.shape()
    made = d.elements(shape, d.dtype())
    if made.dtype.kind == "f" and d.often(0.15):
        made = numpy.where(d.chance.random(shape) < 0.15, numpy.nan, made).astype(made.dtype)
    return d.laid(made)


def beside(d):
    """Another sample, usually of the same extents."""
    shape = list(d.first.shape)
    if shape and d.often(0.25):
        shape[d.whole(0, len(shape) - 1)] = d.extent()
    return d.laid(d.elements(tuple(shape), d.dtype()))


def paired(d):
    shape = d.first.shape if d.often(0.96) else (3,)
    return d.laid(d.elements(shape, d.dtype()))


def several(d):
    """Samples of one shape, or of other lengths along the first axis."""
    shape = d.shape(1, 2)
    count = d.whole(1 if d.often(0.1) else 2, 4)
    found = []
    for _ in range(count):
        own = (max(d.extent(), 3), *shape[1:]) if d.often(0.5) else shape
        found.append(d.laid(d.elements(own, d.dtype())))
    return found


def equal_samples(d):
    shape = (d.whole(1, 12),)
    return [d.laid(d.elements(shape, d.dtype())) for _ in range(d.whole(2, 4))]


def continuous(d):
    return Array(d.chance.normal(size=d.shape()))


def positive(d):
    made = numpy.round(d.chance.uniform(0.1, 5, d.shape()), 2).astype(d.one(FLOATS))
    return d.laid(made)


def share(d):
    return d.laid(numpy.round(d.chance.uniform(0, 1, d.shape()), 3))


def weights(d):
    made = numpy.round(d.chance.uniform(0, 2, d.first.shape), 2)
    return Array(made) if d.often(0.8) else None


def limits(d):
    return d.one([None, (-2, 2), (0, None), (None, 1.5), (3, 9), (-50, 50)])


def bins(d):
    return d.one([1, 3, 10, [0, 1, 2.5], Array(numpy.array([-5.0, 0, 1, 9]))])


PARAMETERS = {
    "a": sample, "x": sample, "data": sample, "samples": sample, "sample": sample, "values": beside,
    "y": paired, "b": paired, "data1": sample, "data2": beside,
    "axis": lambda d: None if d.often(0.15) else d.axis(),
    "nan_policy": lambda d: d.one(POLICIES if d.often(0.1) else POLICIES[:3]),
    "keepdims": lambda d: d.often(0.5),
    "alternative": lambda d: d.one(["two-sided", "less", "greater", "none" if d.often(0.1) else
                                    "less"]),
    "method": lambda d: d.one(["auto", "asymptotic", "exact"]),
    "ddof": lambda d: d.one([0, 1, 2, 0.5]), "bias": lambda d: d.often(0.5),
    "fisher": lambda d: d.often(0.5), "order": lambda d: d.one([1, 2, 3, 0, [1, 2], -1]),
    "center": lambda d: d.one(["mean", "median", "trimmed", "none"]),
    "proportiontocut": lambda d: d.one([0.05, 0.1, 0.25, 0.0, 0.6 if d.often(0.2) else 0.3]),
    "alpha": lambda d: d.one([0.5, 0.9, 0.95, 0.1]), "statistic": lambda d: d.one([
        "mean", "std", "median", "count", "sum", "min", "max"]),
    "bins": bins, "range": lambda d: d.one([None, (-2, 2), (0, 10)]),
    "expand_binnumbers": lambda d: d.often(0.5), "binned_statistic_result": lambda d: None,
    "lmb": lambda d: d.one([0, 0.5, 1, -1, 2]),
    "correction": lambda d: d.often(0.5), "use_continuity": lambda d: d.often(0.5),
    "f_obs": positive, "f_exp": lambda d: None, "sum_check": lambda d: d.often(0.5),
    "lambda_": lambda d: d.one([None, 1, 0, -1, "pearson", "log-likelihood", "none"]),
    "high": lambda d: d.one([2 * numpy.pi, 360, 4.0]), "low": lambda d: d.one([0, -3, 1.0]),
    "normalize": lambda d: d.often(0.5), "pvalues": share, "weights": weights,
    "numbins": lambda d: d.one([10, 3, 1]), "defaultreallimits": limits,
    "window_length": lambda d: None, "base": lambda d: d.one([None, 2]),
    "u_values": lambda d: d.array((d.whole(0, 9),)), "v_values": lambda d: d.array(
        (d.whole(0, 9),)), "u_weights": lambda d: None, "v_weights": lambda d: None,
    "pk": positive, "qk": lambda d: d.one([None, Array(numpy.round(d.chance.uniform(
        0.1, 1, d.first.shape), 2))]),
    "t": lambda d: d.one([(0.4, 0.8), (0.5, 1.0, 1.5)]), "equal_var": lambda d: d.often(0.5),
    "ps": share, "dtype": lambda d: d.one([None, float, "f4"]), "rng": lambda d: d.one([
        (25, 75), (10, 90), (0, 100), (50, 20)]), "scale": lambda d: d.one([1.0, "normal", 2]),
    "interpolation": lambda d: d.one(["linear", "lower", "midpoint", "none"]),
    "variant": lambda d: d.one(["b", "c", "none"]), "n": lambda d: d.one([1, 2, 3, 4, 5]),
    "sorted": lambda d: False, "standardize": lambda d: d.often(0.5),
    "ties": lambda d: d.one(["below", "above", "ignore"]),
    "score": lambda d: d.one([0, 1, 2.5, [0, 1], numpy.nan]), "kind": lambda d: d.one([
        "rank", "weak", "strict", "mean", "none"]),
    "p": lambda d: d.one([1, 2, -1, 0, 0.5]), "sparams": lambda d: (),
    "dist": lambda d: "norm", "fit": lambda d: d.often(0.5), "plot": lambda d: None,
    "rvalue": lambda d: d.often(0.5), "per": lambda d: d.one([50, 10, [10, 90], 110]),
    "limit": lambda d: d.one([(), (-2, 2)]),
    "interpolation_method": lambda d: d.one(["fraction", "lower", "higher", "none"]),
    "rankvals": lambda d: Array(scipy.stats.rankdata(d.chance.integers(0, 5, d.whole(0, 9)))),
    "upperlimit": lambda d: d.one([None, 2, -20]), "lowerlimit": lambda d: d.one([None, -1, 20]),
    "inclusive": lambda d: d.often(0.5), "limits": limits,
    "tail": lambda d: d.one(["right", "left", "none"]), "popmean": lambda d: d.one([0, 1.5]),
    "trim": lambda d: d.one([0, 0.1, 0.2]), "mean1": lambda d: d.number(), "std1": lambda d: 1.5,
    "nobs1": lambda d: d.whole(1, 9), "mean2": lambda d: d.number(), "std2": lambda d: 0.7,
    "nobs2": lambda d: d.whole(1, 9), "rank": lambda d: d.one([True, False, None]),
    "weigher": lambda d: None, "additive": lambda d: d.often(0.5),
    "zero_method": lambda d: d.one(["wilcox", "pratt", "zsplit"]),
    "lmbda": lambda d: 0.5, "scores": sample, "compare": beside,
    "distribution": lambda d: d.one(["t", "normal"]), "y_continuous": lambda d: d.often(0.5),
}
def dataset(d):
    """Points of a density, one in each column."""
    d.rows, d.count = getattr(d, "rows", None) or d.one([1, 1, 2, 3]), d.whole(5, 12)
    made = d.chance.normal(size=(d.rows, d.count) if d.rows > 1 or d.often(0.5) else d.count)
    return d.laid(numpy.round(made, 2).astype(d.one(["float64", "float64", "float32"])))


def places(d):
    count = d.whole(0, 6)
    rows = d.of.rows if d.often(0.95) else 4
    made = numpy.round(d.chance.normal(size=(rows, count)), 2)
    return d.laid(made[0] if rows == 1 and d.often(0.5) else made)


def bandwidth(d):
    return d.one([None, "scott", "silverman", 0.5, "none" if d.often(0.1) else 1.0])


# Data of searches whose minima are not flat.
SEARCHED = {"x": lambda d: Array(numpy.round(d.chance.gamma(2.0, size=d.whole(12, 30)), 2) + 0.1),
            "brack": lambda d: None, "optimizer": lambda d: None}
PAIRED = {"y": paired, "method": lambda d: None, "nan_policy": lambda d: d.one(POLICIES[:3])}
VECTORS = {"x": lambda d: d.array((d.whole(0, 12),)), "y": paired, "OFTEN": {"y": 1}}
TRIMMED = {"inclusive": lambda d: d.one([(True, True), (False, True), (False, False)])}
OWN = {
    **distributions.OWN,
    **{name: {"samples": several} for name in [
        "alexandergovern", "bartlett", "f_oneway", "kruskal", "levene", "median_test",
        "obrientransform"]},
    # Ranks of distances from a rounded mean.
    "fligner": {"samples": lambda d: [continuous(d) for _ in range(2)], "axis": lambda d: None},
    "friedmanchisquare": {"samples": equal_samples},
    **{name: {"y": beside} for name in [
        "ansari", "brunnermunzel", "cramervonmises_2samp", "epps_singleton_2samp", "mannwhitneyu",
        "mood", "ranksums"]},
    **{name: TRIMMED for name in ["tmean", "tsem", "tstd", "tvar"]},
    "ttest_ind": {"b": beside, "method": lambda d: None},
    "binned_statistic": {"x": lambda d: d.array((d.whole(1, 15),)), "values": paired},
    "binned_statistic_2d": {"x": lambda d: d.array((d.whole(1, 15),)), "values": paired,
                            "bins": lambda d: d.one([3, [2, 3], 1]),
                            "range": lambda d: d.one([None, [[-2, 2], [0, 5]]])},
    "binned_statistic_dd": {"sample": lambda d: d.array((d.whole(1, 12), 2)),
                            "values": lambda d: Array(d.chance.normal(size=d.first.shape[0])),
                            "bins": lambda d: d.one([3, [2, 3], 1]), "range": lambda d: None},
    "boxcox_llf": {"data": positive}, "yeojohnson_llf": {"data": sample},
    "chisquare": {"ddof": lambda d: d.one([0, 1])},
    "power_divergence": {"ddof": lambda d: d.one([0, 1])},
    "combine_pvalues": {"method": lambda d: d.one([
        "fisher", "pearson", "mudholkar_george", "tippett", "stouffer", "none"])},
    "differential_entropy": {"values": lambda d: Array(d.chance.normal(size=d.shape())),
                             "window_length": lambda d: d.one([None, 1, 2]),
                             "method": lambda d: d.one(["vasicek", "van es", "ebrahimi",
                                                        "correa", "auto", "none"])},
    "directional_stats": {"samples": lambda d: d.array((d.whole(1, 9), 3), FLOATS)},
    "false_discovery_control": {"method": lambda d: d.one(["bh", "by", "none"])},
    "gmean": {"a": positive}, "hmean": {"a": positive}, "gstd": {"a": positive},
    "gzscore": {"a": positive}, "pmean": {"a": positive},
    "expectile": {"a": lambda d: d.array((d.whole(1, 9),), FLOATS)},
    "kendalltau": {**PAIRED, "method": lambda d: d.one(["auto", "asymptotic"])},
    "kurtosistest": {"a": sample}, "linregress": {"y": paired},
    "median_abs_deviation": {"center": lambda d: d.one([numpy.mean, numpy.median])},
    "moment": {"center": lambda d: d.one([None, 0, 1.5])},
    "pearsonr": {**PAIRED}, "spearmanrho": {**PAIRED}, "pointbiserialr": {
        "x": lambda d: d.array((d.whole(0, 9),), ["bool"]), "y": paired},
    "percentileofscore": {"a": lambda d: d.array((d.whole(0, 9),))},
    "quantile": {"p": lambda d: d.one([0.5, 0.1, 1.0, 0.0]),
                 "method": lambda d: d.one([
                     "linear", "hazen", "weibull", "median_unbiased", "inverted_cdf", "none"]),
                 "weights": lambda d: None},
    "rankdata": {"method": lambda d: d.one(["average", "min", "max", "dense", "ordinal", "none"])},
    "scoreatpercentile": {"a": lambda d: d.array(d.shape(1, 2))},
    "siegelslopes": {"y": sample, "x": lambda d: d.one([None, paired(d)]),
                     "method": lambda d: d.one(["hierarchical", "separate", "none"])},
    "theilslopes": {"y": sample, "x": lambda d: d.one([None, paired(d)]),
                    "method": lambda d: d.one(["joint", "separate", "none"])},
    "somersd": {"x": lambda d: d.array((d.whole(0, 9),), ["int32"]), "OFTEN": {"y": 1}},
    "weightedtau": VECTORS, "spearmanr": {"a": lambda d: d.array(d.shape(1, 2)),
                                          "OFTEN": {"b": 0.8}},
    "wasserstein_distance": {}, "wilcoxon": {"method": lambda d: d.one(["auto", "asymptotic"])},
    "sigmaclip": {"low": lambda d: d.one([4.0, 1.5]), "high": lambda d: d.one([4.0, 2])},
    "ks_2samp": {"method": lambda d: d.one(["auto", "asymp", "none"])},
    # SciPy takes a skewness of exactly 0 for 1, so that rounding decides.
    "normaltest": {"a": continuous}, "skewtest": {"a": continuous},
    "jarque_bera": {"x": continuous},
    "variation": {"a": positive}, "tukey_hsd": {"args": lambda d: [Array(d.chance.normal(
        size=d.whole(2, 12))) for _ in range(3)]},
    "chatterjeexi": {"x": continuous, "y": lambda d: Array(d.chance.normal(size=d.first.shape)),
                     "method": lambda d: "asymptotic"},
    **{name: {one: lambda d: Array(numpy.round(d.chance.normal(size=d.shape(1, 2)), 2)),
              "cdf": lambda d: both(formulas.logistic) if d.function == "ks_1samp" and d.often(
                  0.95) else d.one(["norm", "norm", "expon", both(formulas.logistic), "none"]),
              "args": lambda d: d.one([(), (0.5,)] if d.values.get("cdf") == "norm" else [()]),
              "method": lambda d: d.one(["auto", "exact", "approx", "asymp"]),
              "N": lambda d: 20, "axis": lambda d: d.axis()}
       for name, one in (("ks_1samp", "x"), ("kstest", "rvs"), ("cramervonmises", "rvs"))},
    "boxcox": {**SEARCHED, "lmbda": lambda d: d.one([None, 0.5, 0.0]),
               "alpha": lambda d: d.one([None, 0.05])},
    "boxcox_normmax": {**SEARCHED, "method": lambda d: d.one(["pearsonr", "mle", "none"])},
    "yeojohnson": {**SEARCHED, "lmbda": lambda d: d.one([None, 0.5, 0.0])},
    "yeojohnson_normmax": SEARCHED,
    **{name: {**SEARCHED, "la": lambda d: -1.0, "lb": lambda d: 2.0, "N": lambda d: d.one([5, 9])}
       for name in ("boxcox_normplot", "yeojohnson_normplot")},
    "gaussian_kde": {"dataset": dataset, "bw_method": bandwidth, "weights": lambda d: d.one([
        None, Array(d.chance.uniform(0.1, 1, d.count))])},
    **{f"gaussian_kde.{name}": {"points": places, "x": places}
       for name in ("evaluate", "__call__", "pdf", "logpdf")},
    "gaussian_kde.integrate_box_1d": {"low": lambda d: d.one([-1.0, -numpy.inf]),
                                      "high": lambda d: d.one([1.5, numpy.inf])},
    "gaussian_kde.integrate_gaussian": {"mean": lambda d: Array(numpy.zeros(d.of.rows)),
                                        "cov": lambda d: Array(numpy.eye(d.of.rows) * 0.5)},
    "gaussian_kde.integrate_kde": {"other": lambda d: d.object("gaussian_kde", rows=d.of.rows)},
    "gaussian_kde.marginal": {"dimensions": lambda d: d.one([0, [0], [-1], [0, 0], [5]])},
    "gaussian_kde.set_bandwidth": {"bw_method": bandwidth},
    "tmax": {}, "tmin": {}, "trim1": {}, "mode": {}, "zmap": {},
    "probplot": {"x": lambda d: d.array((d.whole(2, 12),))},
    "lmoment": {"order": lambda d: d.one([None, 1, [1, 2, 3], 4])},
    "kstat": {}, "entropy": {"axis": lambda d: d.axis()},
}


def units(name, values):
    """The allowed difference in units of the precision of the result."""
    # A flat minimum is found by half of the digits.
    return 2**30 if "boxcox" in name or "yeojohnson" in name else 2**24


def excuse(name, values, found, expected):
    """Whether elements that are kept have another order, or arrays of objects are tuples."""
    if not isinstance(found, dict) or not isinstance(expected, dict):
        return False
    if name in ("trim1", "trimboth"):
        one, other = found[""], expected[""]
        axis = values.get("axis", 0)
        return one.shape == other.shape and one.dtype == other.dtype and numpy.array_equal(
            numpy.sort(one, axis if one.ndim > 1 else -1),
            numpy.sort(other, axis if one.ndim > 1 else -1), equal_nan=True)
    return name == "obrientransform" and expected.get("") is not None and (
        expected[""].dtype == object)
