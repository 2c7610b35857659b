"""Distributions, against SciPy's."""

import pickle

import numpy
import pytest
import scipy.stats

import phalanx as np
import phalanx.scipy.stats as own

DISTRIBUTIONS = {
    "norm": (), "gamma": (2.3,), "erlang": (3,), "chi2": (4.5,), "chi": (3.2,),
    "invgamma": (5.5,), "beta": (2.3, 1.7), "arcsine": (), "t": (5.3,), "f": (4.0, 11.0),
    "lognorm": (0.7,), "gibrat": (), "halfnorm": (), "maxwell": (), "nakagami": (2.1,),
    "gennorm": (1.7,), "uniform": (), "expon": (), "laplace": (), "logistic": (), "cauchy": (),
    "halfcauchy": (), "halflogistic": (), "hypsecant": (), "pareto": (5.2,), "lomax": (5.2,),
    "powerlaw": (2.5,), "weibull_min": (1.8,), "weibull_max": (1.8,), "rayleigh": (),
    "gumbel_r": (), "gumbel_l": (), "genpareto": (0.2,), "genextreme": (-0.2,), "fisk": (5.5,),
    "triang": (0.3,), "loguniform": (0.5, 3.0), "gompertz": (1.3,), "binom": (10, 0.3),
    "bernoulli": (0.3,), "poisson": (3.7,), "geom": (0.3,), "nbinom": (4.5, 0.4),
    "hypergeom": (20, 7, 12), "randint": (2, 9), "planck": (0.6,), "dlaplace": (0.8,),
    "levy": (), "levy_l": (), "dweibull": (1.7,), "dgamma": (1.4,), "genlogistic": (0.7,),
    "johnsonsu": (0.4, 1.6), "johnsonsb": (0.4, 1.6), "moyal": (), "betaprime": (2.5, 6.0),
    "burr": (6.5, 1.3), "burr12": (5.0, 3.0), "invweibull": (6.3,), "exponweib": (2.1, 1.4),
    "exponpow": (1.7,), "gengamma": (2.2, 1.5), "truncexpon": (2.5,), "semicircular": (),
    "rdist": (3.2,), "anglit": (), "bradford": (0.4,), "kappa3": (6.0,), "loggamma": (1.4,),
    "loglaplace": (5.3,), "powernorm": (2.4,), "fatiguelife": (1.3,), "halfgennorm": (0.9,),
    "laplace_asymmetric": (1.8,), "mielke": (3.4, 6.2), "zipf": (6.5,),
    "yulesimon": (11.0,), "boltzmann": (1.4, 19), "betabinom": (5, 2.3, 0.63),
}
LEVELS = numpy.array([0, 1e-8, 0.01, 0.2, 0.5, 0.77, 0.99, 1, -0.1, 1.2, numpy.nan])
# These functions end at infinity or between whole numbers with NaN, or lose digits, in SciPy.
SKIPPED = {("hypergeom", 2.5), ("fisk", 100.0), ("gompertz", 100.0), ("burr", 100.0),
           ("mielke", 100.0), ("zipf", 2.5), ("zipf", 100.0),
           ("yulesimon", 2.5)}


def available(function, *given, **options):
    """The result of a function; the test is skipped while a special function is missing."""
    try:
        found = function(*given, **options)
        return found.get() if isinstance(found, np.ndarray) else found
    except NotImplementedError as error:
        pytest.skip(str(error))


def of(name):
    theirs = getattr(scipy.stats, name)
    discrete = hasattr(theirs, "pmf")
    return getattr(own, name), theirs, discrete, {"loc": 1} if discrete else {
        "loc": 0.5, "scale": 2.0}


def points(name):
    _, theirs, discrete, options = of(name)
    base = theirs.ppf([0.01, 0.1, 0.3, 0.5, 0.8, 0.99], *DISTRIBUTIONS[name])
    base = base * options.get("scale", 1.0) + options["loc"]
    more = [-3.0, 0, 1.0, 2, 2.5, 100, numpy.inf, -numpy.inf, numpy.nan]
    return numpy.array([one for one in [*base, *more] if (name, one) not in SKIPPED])


def check(found, want, x=None, near=1e-9, message=""):
    found, want = numpy.asarray(found), numpy.asarray(want)
    assert found.shape == want.shape, message
    if x is not None:
        # Densities of SciPy may be NaN at infinity.
        want = numpy.where(numpy.isinf(x) & numpy.isnan(want), found, want)
    numpy.testing.assert_allclose(found, want, rtol=near, atol=1e-13, err_msg=message)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_densities_and_probabilities(name):
    mine, theirs, discrete, options = of(name)
    shapes, x = DISTRIBUTIONS[name], points(name)
    densities = ["pmf", "logpmf"] if discrete else ["pdf", "logpdf"]
    for method in (*densities, "cdf", "sf", "logcdf", "logsf"):
        found = available(getattr(mine, method), np.asarray(x), *shapes, **options)
        check(found, getattr(theirs, method)(x, *shapes, **options), x, message=method)
    frozen = mine(*shapes, **options)
    check(available(frozen.cdf, np.asarray(x)), theirs.cdf(x, *shapes, **options), x)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_quantiles(name):
    mine, theirs, _, options = of(name)
    shapes = DISTRIBUTIONS[name]
    for method in ("ppf", "isf"):
        found = available(getattr(mine, method), np.asarray(LEVELS), *shapes, **options)
        near = 2e-8 if name in ("mielke", "levy_l") else 1e-9
        check(found, getattr(theirs, method)(LEVELS, *shapes, **options), near=near,
              message=method)
    ends = available(lambda: [one.get() for one in mine.interval(0.9, *shapes, **options)])
    check(ends, theirs.interval(0.9, *shapes, **options))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_descriptions(name):
    mine, theirs, _, options = of(name)
    shapes = DISTRIBUTIONS[name]
    for method in ("mean", "var", "std", "median", "entropy"):
        found = available(getattr(mine, method), *shapes, **options)
        check(found, getattr(theirs, method)(*shapes, **options), message=method)
    check([one.get() for one in mine.support(*shapes, **options)],
          theirs.support(*shapes, **options))
    found = available(lambda: [one.get() for one in mine.stats(*shapes, moments="mvsk",
                                                               **options)])
    check(found, theirs.stats(*shapes, moments="mvsk", **options), near=1e-8)
    # The others are part of the numbers above, and SciPy integrates many of them.
    for order in (0, 3):
        check(available(mine.moment, order, *shapes, **options),
              theirs.moment(order, *shapes, **options), near=1e-8, message=str(order))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name, shapes in DISTRIBUTIONS.items() if shapes])
def test_parameters_broadcast(name):
    mine, theirs, discrete, _ = of(name)
    shapes = [numpy.array([one, one + 1 if one >= 1 else one * 1.1, -1])
              for one in DISTRIBUTIONS[name]]
    own_shapes = list(map(np.asarray, shapes))
    x = points(name)[:, None]
    density = "pmf" if discrete else "pdf"
    check(available(getattr(mine, density), np.asarray(x), *own_shapes),
          getattr(theirs, density)(x, *shapes), x)
    check(available(mine.cdf, np.asarray(x), *own_shapes), theirs.cdf(x, *shapes), x)
    levels = LEVELS[:, None]
    check(available(mine.ppf, np.asarray(levels), *own_shapes), theirs.ppf(levels, *shapes))


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_random_numbers(name):
    mine, theirs, discrete, options = of(name)
    shapes = DISTRIBUTIONS[name]
    drawn = available(mine.rvs, *shapes, size=(50, 40), random_state=3, **options)
    assert drawn.shape == (50, 40) and drawn.dtype == ("i8" if discrete else "f8")
    again = mine.rvs(*shapes, size=(50, 40), random_state=3, **options).get()
    assert (drawn == again).all()
    assert mine.rvs(*shapes).shape == ()
    if discrete:
        values, counts = numpy.unique(drawn, return_counts=True)
        expected = theirs.pmf(values, *shapes, **options) * drawn.size
        spread = numpy.sqrt(expected) + 1e-9
        assert (abs(counts - expected) < 6 * spread + 3).all()
    else:
        assert scipy.stats.kstest(drawn.ravel(), theirs(*shapes, **options).cdf).pvalue > 1e-4


FITS = [
    ("norm", (), {}), ("norm", (), {"floc": 0.1}), ("expon", (), {}), ("uniform", (), {}),
    ("laplace", (), {}), ("lognorm", (0.6,), {"floc": 0}), ("gamma", (2.5,), {"floc": 0}),
    ("gamma", (2.5,), {}), ("weibull_min", (1.7,), {"floc": 0}),
    ("beta", (2.0, 3.0), {"floc": 0, "fscale": 1}), ("t", (6.0,), {}), ("logistic", (), {}),
    ("gumbel_r", (), {}), ("pareto", (3.0,), {"floc": 0, "fscale": 1}), ("cauchy", (), {}),
    ("genextreme", (0.1,), {}), ("invgamma", (4.0,), {"floc": 0}),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name, shapes, options", FITS)
def test_fits_are_as_likely(name, shapes, options):
    theirs = getattr(scipy.stats, name)
    data = theirs.rvs(*shapes, size=80, random_state=numpy.random.default_rng(7))
    found = available(getattr(own, name).fit, np.asarray(data), **options)
    want = theirs.fit(data, **options)
    assert theirs.nnlf(found, data) <= theirs.nnlf(want, data) + 1e-3
    assert available(getattr(own, name).nnlf, found, np.asarray(data)) == pytest.approx(
        theirs.nnlf(found, data))


def test_fits_by_moments():
    data = scipy.stats.norm.rvs(size=50, random_state=1)
    assert own.norm.fit(np.asarray(data), method="MM") == pytest.approx(
        scipy.stats.norm.fit(data, method="MM"))
    with pytest.raises(ValueError):
        own.norm.fit(np.asarray(data), method="other")


def test_distributions_are_frozen_and_pickled():
    assert pickle.loads(pickle.dumps(own.norm)) is own.norm
    frozen = own.gamma(2.0, scale=3)
    assert repr(frozen) == "gamma(2.0, scale=3)"
    assert float(pickle.loads(pickle.dumps(frozen)).mean()) == 6.0
    assert float(own.norm(1).expect()) == pytest.approx(1.0)
    assert float(own.poisson.expect(args=(3.0,))) == pytest.approx(3.0)
    assert own.norm.freeze(2.0).mean().get() == 2.0


@pytest.mark.parametrize("call", [
    lambda module: module.norm.pdf(1, 2, 3, 4),
    lambda module: module.gamma.pdf(1.0),
    lambda module: module.norm.pdf(1.0, foo=2),
    lambda module: module.norm.rvs(scale=-1),
    lambda module: module.gamma(),
    lambda module: module.norm.fit([numpy.nan]),
    lambda module: module.norm.fit([1.0, 2], floc=0, fscale=1),
    lambda module: module.norm.moment(-1),
    lambda module: module.norm.rvs([0.0, 0, 0], size=2),
    lambda module: module.multivariate_normal.pdf([1.0, 2], None, numpy.ones((2, 2))),
    lambda module: module.multivariate_normal([1.0, 2], numpy.eye(3)),
    lambda module: module.gaussian_kde([1.0]),
])
def test_mistakes(call):
    with pytest.raises(Exception) as theirs:
        call(scipy.stats)
    with pytest.raises(theirs.type):
        call(own)


def test_normal_distributions_of_several_variables():
    draw = numpy.random.default_rng(2)
    mean, cov = draw.normal(size=3), numpy.cov(draw.normal(size=(3, 9)))
    x = draw.normal(size=(4, 5, 3))
    mine, theirs = own.multivariate_normal, scipy.stats.multivariate_normal
    for given in ((mean, cov), (None, cov), (mean, 2.0), (mean, numpy.diag(cov).copy()), (mean,)):
        check(mine.logpdf(np.asarray(x), *given).get(), theirs.logpdf(x, *given))
    frozen, other = mine(mean, cov), theirs(mean, cov)
    check(frozen.pdf(x).get(), other.pdf(x))
    assert frozen.entropy() == pytest.approx(other.entropy())
    numpy.testing.assert_allclose(frozen.cdf(x[0]).get(), other.cdf(x[0]), atol=2e-3)
    for size in (1, 7, (2, 3)):
        assert frozen.rvs(size).shape == other.rvs(size).shape
    drawn = mine.rvs(mean, cov, size=5000, random_state=2).get()
    numpy.testing.assert_allclose(numpy.cov(drawn.T), cov, atol=0.2)
    for found, want in zip(mine.fit(np.asarray(x.reshape(-1, 3))), theirs.fit(x.reshape(-1, 3))):
        check(found.get(), want)
    singular = numpy.ones((2, 2))
    at = [[1.0, 1], [1, 2]]
    check(mine.pdf(at, None, singular, allow_singular=True).get(),
          theirs.pdf(at, None, singular, allow_singular=True))


@pytest.mark.parametrize("shared", [{}, {"bw_method": "silverman"}, {"bw_method": 0.3},
                                    {"weights": True}, {"bw_method": lambda kde: 0.2}])
@pytest.mark.parametrize("variables", [1, 2])
def test_densities_by_kernels(variables, shared):
    draw = numpy.random.default_rng(4)
    data, x = draw.normal(size=(variables, 30)), draw.normal(size=(variables, 7))
    options = {**shared, "weights": abs(draw.normal(size=30))} if "weights" in shared else shared
    mine, theirs = own.gaussian_kde(np.asarray(data), **options), scipy.stats.gaussian_kde(
        data, **options)
    check(mine(np.asarray(x)).get(), theirs(x))
    check(mine.logpdf(np.asarray(x)).get(), theirs.logpdf(x))
    check(mine.covariance.get(), theirs.covariance)
    check(mine.inv_cov.get(), theirs.inv_cov)
    assert mine.neff == pytest.approx(theirs.neff) and mine.factor == pytest.approx(theirs.factor)
    mean, cov = numpy.full(variables, 0.1), numpy.eye(variables) / 2
    check(mine.integrate_gaussian(mean, cov).get(), theirs.integrate_gaussian(mean, cov))
    other = own.gaussian_kde(np.asarray(data / 2)), scipy.stats.gaussian_kde(data / 2)
    check(mine.integrate_kde(other[0]).get(), theirs.integrate_kde(other[1]))
    if variables == 1:
        check(available(mine.integrate_box_1d, -1, 0.5), theirs.integrate_box_1d(-1, 0.5))
    else:
        check(mine.marginal(1)(np.asarray(x[1])).get(), theirs.marginal(1)(x[1]))
        found = mine.integrate_box([-1, -1], [1, 0.5])
        assert found == pytest.approx(theirs.integrate_box([-1, -1], [1, 0.5]), rel=1e-2)
    assert mine.resample(5, seed=1).shape == (variables, 5)
    assert mine.resample().shape == theirs.resample().shape
    with pytest.raises(ValueError):
        mine(np.zeros((3, 2)))


def test_densities_by_kernels_in_blocks(monkeypatch):
    from phalanx.scipy.stats import _kde

    monkeypatch.setattr(_kde, "_BLOCK", 64)
    data, x = numpy.random.default_rng(4).normal(size=(2, 30)), numpy.linspace(-1, 1, 26)
    x = x.reshape(2, 13)
    check(own.gaussian_kde(np.asarray(data))(x).get(), scipy.stats.gaussian_kde(data)(x))
