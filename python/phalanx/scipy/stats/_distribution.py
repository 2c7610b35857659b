"""Distributions of one variable: parameters, supports, and what their functions have in common.

A distribution defines some of `_pdf`, `_logpdf`, `_cdf`, `_sf`, `_ppf`, ... for the location 0 and
the scale 1. They get arrays and compute arrays, so everything is recorded on devices.
"""

import math

import phalanx as np

from ._arrays import array, floating, quiet, refuse
from ._described import COLLECTIVE, HOST, RECORDED, describer
from ._resampling import generator

_ARGUMENTS = ("array_like", "The shape parameters, then `loc` and `scale`; they broadcast.")
_OPTIONS = ("array_like", "Parameters by their names.")
_ERRORS = {"TypeError": "A parameter is missing or unknown."}
_TABLE = {
    "args": _ARGUMENTS,
    "confidence": ("array_like", "The probability of the interval."),
    "data": ("array_like", "The sample."),
    "fit_options": ("object", "Starting values and fixed values (`floc`, `fscale`, `f0`, ...)."),
    "func": ("callable", "The function; None is the identity."),
    "k": ("array_like", "The whole numbers."),
    "kwds": _OPTIONS,
    "moments": ("str", "Letters of 'm', 'v', 's' and 'k': mean, variance, skewness, kurtosis."),
    "order": ("int", "The order."),
    "p": ("array_like", "The probabilities."),
    "q": ("array_like", "The probabilities."),
    "random_state": ("int or Generator", "The seed or the generator."),
    "size": ("int or tuple of int", "The shape; by default that of the parameters."),
    "theta": ("sequence", "All parameters."),
    "x": ("array_like", "The points."),
}
described = describer(_TABLE, RECORDED, _ERRORS)
_VALUES = "ndarray: The values, float64."
# The most probabilities that a distribution function sums at once.
_MOST_TERMS = 1 << 28


def number(x):
    """A parameter or points as float64."""
    x = array(x)
    return x if x.dtype.char == "d" else x.astype(np.float64)


class Common:
    """A distribution of one variable."""

    name = ""
    shapes = ()
    # The names of location and scale.
    _places = ("loc", "scale")
    a, b = -math.inf, math.inf

    def __init__(self):
        self.__doc__ = type(self).__doc__
        self.numargs = len(self.shapes)

    def __repr__(self):
        return f"<distribution {self.name}>"

    def __reduce__(self):
        return _named, (self.name,)

    def __call__(self, *args, **kwds):
        return Frozen(self, args, kwds)

    @described("Frozen: The distribution.", args=_ARGUMENTS)
    def freeze(self, *args, **kwds):
        """The distribution with fixed parameters."""
        return Frozen(self, args, kwds)

    def _named(self, args, kwds):
        """All parameters, as they are given."""
        names = (*self.shapes, *self._places)
        if len(args) > len(names):
            raise refuse(f"{self.name} takes at most {len(names)} parameters", TypeError, "count")
        given = dict(zip(names, args))
        for name, value in kwds.items():
            if name not in names:
                raise refuse(f"{self.name} has no parameter {name!r}", TypeError, "keyword")
            if name in given:
                raise refuse(f"{self.name} got several values of {name!r}", TypeError, "keyword")
            given[name] = value
        missing = [name for name in self.shapes if name not in given]
        if missing:
            raise refuse(f"{self.name} needs the parameter {missing[0]!r}", TypeError, "count")
        rest = {"loc": 0.0, "scale": 1.0}
        return [given[name] if name in given else rest[name] for name in names]

    def _parameters(self, args, kwds):
        """Shape parameters, location, scale, and whether they are allowed."""
        values = [number(one) for one in self._named(args, kwds)]
        shapes = values[: len(self.shapes)]
        loc = values[len(self.shapes)]
        scale = values[-1] if len(self._places) > 1 else np.asarray(1.0)
        valid = (scale > 0) & ~np.isnan(loc)
        allowed = self._argcheck(*shapes)
        return shapes, loc, scale, valid if allowed is True else valid & allowed

    def _argcheck(self, *shapes):
        allowed = True
        for one in shapes:
            allowed = one > 0 if allowed is True else allowed & (one > 0)
        return allowed

    def _support(self, *shapes):
        return self.a, self.b

    def _on_host(self):
        from ._host import scipy_stats

        return getattr(scipy_stats(self.name), self.name)

    def _hosted(self, method, args, kwds):
        """Values of a method of SciPy for few parameters."""
        from ._host import to_host

        args = to_host(tuple(args), self.name)
        return np.asarray(getattr(self._on_host(), method)(*args, **to_host(kwds, self.name)))

    @property
    def _of_scipy(self):
        """SciPy's distribution, for functions that SciPy computes."""
        return self._on_host()

    def _stats(self, *shapes):
        """Mean, variance, skewness and excess kurtosis; by default of SciPy for few parameters."""
        from ._host import to_host

        given = (to_host(one, self.name) for one in shapes)
        return tuple(map(np.asarray, self._on_host().stats(*given, moments="mvsk")))

    # Descriptions.

    def _moments(self, args, kwds):
        """Mean, variance, skewness and excess kurtosis with location and scale."""
        shapes, loc, scale, valid = self._parameters(args, kwds)
        shape = np.broadcast_shapes(loc.shape, scale.shape, *(one.shape for one in shapes))
        with quiet():
            mean, variance, skew, kurtosis = (number(one) for one in self._stats(*shapes))
            found = mean * scale + loc, variance * scale * scale, skew, kurtosis
            return [np.broadcast_to(np.where(valid, one, np.nan), shape) for one in found]

    @described("ndarray or tuple of ndarray: The descriptions, in the order of 'mvsk'.")
    def stats(self, *args, moments="mv", **kwds):
        """Mean, variance, skewness and excess kurtosis."""
        found = self._moments(args, kwds)
        picked = tuple(one for one, letter in zip(found, "mvsk") if letter in moments)
        return picked[0] if len(picked) == 1 else picked

    @described(_VALUES)
    def mean(self, *args, **kwds):
        """The mean."""
        return self._moments(args, kwds)[0]

    @described(_VALUES)
    def var(self, *args, **kwds):
        """The variance."""
        return self._moments(args, kwds)[1]

    @described(_VALUES)
    def std(self, *args, **kwds):
        """The standard deviation."""
        return np.sqrt(self._moments(args, kwds)[1])

    @described(_VALUES)
    def median(self, *args, **kwds):
        """The median."""
        return self.ppf(0.5, *args, **kwds)

    @described("(ndarray, ndarray): The limits.")
    def interval(self, confidence, *args, **kwds):
        """The interval of a probability with equal tails."""
        confidence = number(confidence)
        tail = (1.0 - confidence) / 2
        return self.ppf(tail, *args, **kwds), self.ppf(1.0 - tail, *args, **kwds)

    @described("(ndarray, ndarray): The limits.")
    def support(self, *args, **kwds):
        """The least and the largest possible value."""
        shapes, loc, scale, valid = self._parameters(args, kwds)
        ends = (number(one) * scale + loc for one in self._support(*shapes))
        return tuple(np.where(valid, one, np.nan) for one in ends)

    @described(_VALUES, {"ValueError": "The order is negative or no integer.", **_ERRORS},
               "Local: recorded, and computed when a value is observed. Orders above 4 are "
               "computed by SciPy on the host.")
    def moment(self, order, *args, **kwds):
        """The moment of an order about zero."""
        if order != int(order):
            raise refuse("Moment must be an integer.")
        if order < 0:
            raise refuse("Moment must be non-negative.")
        order = int(order)
        if order > 4:
            return self._hosted("moment", (order, *args), kwds)
        mean, variance, skew, kurtosis = self._moments(args, kwds)
        third = skew * variance**1.5
        fourth = (kurtosis + 3) * variance**2
        return [
            np.ones_like(mean),
            mean,
            variance + mean**2,
            third + 3 * mean * variance + mean**3,
            fourth + 4 * mean * third + 6 * mean**2 * variance + mean**4,
        ][order]

    @described("ndarray: The value.", notes=HOST, loc=("float", "The location."),
               scale=("float", "The scale."), lb=("float", "The lower limit."),
               ub=("float", "The upper limit."), args=("tuple", "The shape parameters."),
               conditional=("bool", "Whether it is divided by the probability of the limits."))
    def expect(self, func=None, args=(), loc=0, scale=1, lb=None, ub=None, conditional=False,
               **kwds):
        """The mean of a function of a random number, by SciPy on the host."""
        if len(self._places) > 1:
            kwds["scale"] = scale
        return np.asarray(self._on_host().expect(
            func, args=args, loc=loc, lb=lb, ub=ub, conditional=conditional, **kwds
        ))

    @described("ndarray: Random numbers.", notes=COLLECTIVE)
    def rvs(self, *args, size=None, random_state=None, **kwds):
        """Random numbers, which depend on the seed but not on the number of devices."""
        shapes, loc, scale, valid = self._parameters(args, kwds)
        if not bool(valid.all()):
            raise refuse("Domain error in arguments. The `scale` parameter must be positive for "
                         "all distributions, and many distributions have restrictions on shape "
                         "parameters.")
        own = np.broadcast_shapes(loc.shape, scale.shape, *(one.shape for one in shapes))
        shape = own if size is None else (size,) if isinstance(size, int) else tuple(size)
        if np.broadcast_shapes(shape, own) != shape:
            raise refuse(f"size does not match the broadcast shape of the parameters. {size}, "
                         f"{own}", mistake="together")
        drawn = array(self._rvs(_draws(random_state), shape, *shapes))
        return self._placed(drawn, loc, scale)

    def _placed(self, drawn, loc, scale):
        return drawn * scale + loc

    def _rvs(self, draw, shape, *shapes):
        return self._ppf(array(draw.random(shape)), *shapes)

    # Inverse functions.

    @described(_VALUES)
    def ppf(self, q, *args, **kwds):
        """The quantile of probabilities: the inverse of `cdf`."""
        return self._inverse(self._ppf, q, args, kwds, False)

    @described(_VALUES)
    def isf(self, q, *args, **kwds):
        """The value that is exceeded with probabilities: the inverse of `sf`."""
        return self._inverse(self._isf, q, args, kwds, True)

    def _inverse(self, function, q, args, kwds, is_upper):
        q = number(q)
        shapes, loc, scale, valid = self._parameters(args, kwds)
        low, high = self._support(*shapes)
        low = self._before(low)
        with quiet():
            found = function(q, *shapes)
            first, last = (high, low) if is_upper else (low, high)
            found = np.where(q == 0, first, np.where(q == 1, last, found)) * scale + loc
            return np.where(valid & (q >= 0) & (q <= 1), found, np.nan)

    def _before(self, low):
        return low

    def _isf(self, q, *shapes):
        return self._ppf(1.0 - q, *shapes)

    def _logcdf(self, x, *shapes):
        return np.log(self._cdf(x, *shapes))

    def _sf(self, x, *shapes):
        return 1.0 - self._cdf(x, *shapes)

    def _cdf(self, x, *shapes):
        return 1.0 - self._sf(x, *shapes)

    def _logsf(self, x, *shapes):
        return np.log(self._sf(x, *shapes))

    @described(_VALUES)
    def cdf(self, x, *args, **kwds):
        """The probability of at most a value."""
        return self._cumulated(self._cdf, x, args, kwds, 0.0, 1.0)

    @described(_VALUES)
    def sf(self, x, *args, **kwds):
        """The probability of more than a value."""
        return self._cumulated(self._sf, x, args, kwds, 1.0, 0.0)

    @described(_VALUES)
    def logcdf(self, x, *args, **kwds):
        """The logarithm of `cdf`."""
        return self._cumulated(self._logcdf, x, args, kwds, -math.inf, 0.0)

    @described(_VALUES)
    def logsf(self, x, *args, **kwds):
        """The logarithm of `sf`."""
        return self._cumulated(self._logsf, x, args, kwds, 0.0, -math.inf)


class Continuous(Common):
    """A continuous distribution of one variable."""

    def _pdf(self, x, *shapes):
        return np.exp(self._logpdf(x, *shapes))

    def _logpdf(self, x, *shapes):
        return np.log(self._pdf(x, *shapes))

    def _at(self, x, args, kwds):
        x = number(x)
        shapes, loc, scale, valid = self._parameters(args, kwds)
        y = (x - loc) / scale
        low, high = self._support(*shapes)
        return y, shapes, scale, valid & (y == y), low, high

    @described(_VALUES)
    def pdf(self, x, *args, **kwds):
        """The density."""
        with quiet():
            y, shapes, scale, valid, low, high = self._at(x, args, kwds)
            inside = (y >= low) & (y <= high) & np.isfinite(y)
            found = np.where(inside, self._pdf(y, *shapes) / scale, 0.0)
            return np.where(valid, found, np.nan)

    @described(_VALUES)
    def logpdf(self, x, *args, **kwds):
        """The logarithm of the density."""
        with quiet():
            y, shapes, scale, valid, low, high = self._at(x, args, kwds)
            inside = (y >= low) & (y <= high) & np.isfinite(y)
            found = np.where(inside, self._logpdf(y, *shapes) - np.log(scale), -np.inf)
            return np.where(valid, found, np.nan)

    def _cumulated(self, function, x, args, kwds, before, after):
        with quiet():
            y, shapes, _, valid, low, high = self._at(x, args, kwds)
            found = function(y, *shapes)
            found = np.where(y <= low, before, np.where(y >= high, after, found))
            return np.where(valid, found, np.nan)

    def _entropy(self, *shapes):
        return None

    @described(_VALUES, notes="Local: recorded, and computed when a value is observed. Some "
               "distributions' are computed by SciPy on the host.")
    def entropy(self, *args, **kwds):
        """The differential entropy."""
        shapes, loc, scale, valid = self._parameters(args, kwds)
        with quiet():
            found = self._entropy(*shapes)
            if found is None:
                return self._hosted("entropy", args, kwds)
            shape = np.broadcast_shapes(loc.shape, scale.shape, *(one.shape for one in shapes))
            found = np.where(valid, number(found) + np.log(scale), np.nan)
            return np.broadcast_to(found, shape)

    @described("float: The sum.", notes=COLLECTIVE)
    def nnlf(self, theta, x):
        """Minus the sum of the logarithms of the density at the elements of a sample."""
        return -float(self.logpdf(x, *theta).sum())

    @described("tuple of float: Shape parameters, location and scale.",
               {"ValueError": "A parameter is not allowed, or the sample has no elements."},
               COLLECTIVE, args=("float", "Starting values of the shape parameters."),
               kwds=("object", "Starting values `loc` and `scale`, fixed values `floc`, `fscale`, "
                     "`f0`, ..., `method` and `optimizer`."))
    def fit(self, data, *args, **kwds):
        """The most likely parameters of a sample. Only sums over the sample are read."""
        from ._fitting import fit

        return fit(self, floating(data).reshape(-1), args, kwds)

    def _closed(self, data, fixed):
        """The most likely parameters by a formula; None if there is none."""
        return None

    def _start(self, data):
        """Starting values of the shape parameters."""
        return (1.0,) * len(self.shapes)


class Discrete(Common):
    """A distribution of whole numbers."""

    _places = ("loc",)

    def _placed(self, drawn, loc, scale):
        return (drawn + loc).astype(np.int64)

    def _before(self, low):
        return low - 1

    def _at(self, k, args, kwds):
        k = number(k)
        shapes, loc, _, valid = self._parameters(args, kwds)
        k = k - loc
        low, high = self._support(*shapes)
        return k, shapes, valid & (k == k), low, high

    def _pmf(self, k, *shapes):
        return np.exp(self._logpmf(k, *shapes))

    def _logpmf(self, k, *shapes):
        return np.log(self._pmf(k, *shapes))

    @described(_VALUES)
    def pmf(self, k, *args, **kwds):
        """The probability of whole numbers."""
        with quiet():
            k, shapes, valid, low, high = self._at(k, args, kwds)
            inside = (k >= low) & (k <= high) & (np.floor(k) == k) & np.isfinite(k)
            return np.where(valid, np.where(inside, self._pmf(k, *shapes), 0.0), np.nan)

    @described(_VALUES)
    def logpmf(self, k, *args, **kwds):
        """The logarithm of the probability of whole numbers."""
        with quiet():
            k, shapes, valid, low, high = self._at(k, args, kwds)
            inside = (k >= low) & (k <= high) & (np.floor(k) == k) & np.isfinite(k)
            return np.where(valid, np.where(inside, self._logpmf(k, *shapes), -np.inf), np.nan)

    def _cumulated(self, function, x, args, kwds, before, after):
        with quiet():
            k, shapes, valid, low, high = self._at(x, args, kwds)
            whole = np.floor(k)
            found = function(whole, *shapes)
            found = np.where(k < low, before, np.where(whole >= high, after, found))
            return np.where(valid, found, np.nan)

    def _cdf(self, k, *shapes):
        """The sum of probabilities of all numbers up to the given ones."""
        low, high = (number(one) for one in self._support(*shapes))
        start = low if low.ndim else float(low)
        reach = np.minimum(k, high) - low
        reach = np.where((reach >= 0) & np.isfinite(reach), reach, 0.0)
        count = int(float(reach.max())) + 1 if reach.size else 1
        size = max(k.size, *(one.size for one in shapes))
        if count * size > _MOST_TERMS:
            raise refuse(f"{self.name} would sum {count} probabilities for {size} values",
                         mistake="large")
        steps = np.arange(count, dtype=np.float64)
        places = (start[..., None] if low.ndim else start) + steps
        values = self._pmf(places, *(one[..., None] for one in shapes))
        inside = places <= np.minimum(k, high)[..., None]
        return np.clip(np.where(inside, values, 0.0).sum(-1), 0.0, 1.0)

    def _ppf(self, q, *shapes):
        return self._searched(q, shapes, lambda k, *rest: self._cdf(k, *rest) >= q)

    def _isf(self, q, *shapes):
        return self._searched(q, shapes, lambda k, *rest: self._sf(k, *rest) <= q)

    def _searched(self, q, shapes, reaches):
        """The least number that reaches a probability, by bisection. Collective: the number of
        steps is read."""
        low, high = (number(one) for one in self._support(*shapes))
        shape = np.broadcast_shapes(q.shape, *(one.shape for one in shapes))
        low = np.broadcast_to(low - 1, shape)
        if bool(np.isfinite(high).all()):
            high = np.broadcast_to(high, shape)
        else:
            mean, variance, *_ = self._stats(*shapes)
            reach = np.broadcast_to(np.ceil(np.sqrt(number(variance)) + 1), shape)
            high = np.broadcast_to(np.floor(number(mean)) + 2.0 * reach, shape)
            for _ in range(64):
                short = ~reaches(high, *shapes) & (q > 0) & (q < 1)
                if not bool(short.any()):
                    break
                low = np.where(short, high, low)
                reach = reach * 2
                high = np.where(short, high + reach, high)
        spread = high - low
        most = float(np.where(np.isnan(spread), 1.0, spread).max()) if spread.size else 1.0
        for _ in range(max(math.ceil(math.log2(max(most, 1.0))) + 1, 1)):
            middle = np.floor((low + high) / 2)
            ok = reaches(middle, *shapes) & (middle > low)
            is_open = high - low > 1
            low, high = (np.where(is_open & ~ok, middle, low),
                         np.where(is_open & ok, middle, high))
        return high

    def _entropy(self, *shapes):
        return None

    @described(_VALUES, notes="Local: recorded, and computed when a value is observed. Some "
               "distributions' are computed by SciPy on the host.")
    def entropy(self, *args, **kwds):
        """The entropy."""
        shapes, loc, _, valid = self._parameters(args, kwds)
        with quiet():
            found = self._entropy(*shapes)
            if found is None:
                return self._hosted("entropy", args, kwds)
            shape = np.broadcast_shapes(loc.shape, *(one.shape for one in shapes))
            return np.broadcast_to(np.where(valid, number(found), np.nan), shape)


def _draws(random_state):
    """A generator of ours of a seed, of a generator of ours, or of one of NumPy's."""
    if type(random_state).__module__.startswith("numpy.random"):
        integers = getattr(random_state, "integers", None) or random_state.randint
        random_state = int(integers(0, 2**31 - 1))
    if isinstance(random_state, np.random.RandomState):
        random_state = int(random_state.randint(0, 2**31 - 1))
    return generator(random_state)


def _named(name):
    import phalanx.scipy.stats as own

    return getattr(own, name)


class Frozen:
    """A distribution with fixed parameters."""

    def __init__(self, dist, args, kwds):
        self.dist, self.args, self.kwds = dist, tuple(args), dict(kwds)
        # Mistakes are reported now.
        dist._named(self.args, self.kwds)

    def __repr__(self):
        given = [*map(repr, self.args), *(f"{name}={value!r}" for name, value in
                                          self.kwds.items())]
        return f"{self.dist.name}({', '.join(given)})"

    @property
    def _of_scipy(self):
        from ._host import to_host

        name = self.dist.name
        return self.dist._on_host()(*to_host(self.args, name), **to_host(self.kwds, name))

    @property
    def a(self):
        """The least possible value."""
        return self.support()[0]

    @property
    def b(self):
        """The largest possible value."""
        return self.support()[1]

    @described("ndarray: Random numbers.", notes=COLLECTIVE)
    def rvs(self, size=None, random_state=None):
        """Random numbers."""
        return self.dist.rvs(*self.args, size=size, random_state=random_state, **self.kwds)

    @described("ndarray or tuple of ndarray: The descriptions, in the order of 'mvsk'.")
    def stats(self, moments="mv"):
        """Mean, variance, skewness and excess kurtosis."""
        return self.dist.stats(*self.args, moments=moments, **self.kwds)

    @described("ndarray: The value.", notes=HOST, lb=("float", "The lower limit."),
               ub=("float", "The upper limit."),
               conditional=("bool", "Whether it is divided by the probability of the limits."))
    def expect(self, func=None, lb=None, ub=None, conditional=False, **kwds):
        """The mean of a function of a random number, by SciPy on the host."""
        values = self.dist._named(self.args, self.kwds)
        count = len(self.dist.shapes)
        places = dict(zip(self.dist._places, values[count:]))
        return self.dist.expect(func, tuple(values[:count]), **places, lb=lb, ub=ub,
                                conditional=conditional, **kwds)


def _forwarded(name, parameter):
    """A method of a frozen distribution that calls the one of its distribution."""
    if parameter is None:

        def method(self):
            return getattr(self.dist, name)(*self.args, **self.kwds)

    else:
        scope = {}
        exec(f"def method(self, {parameter}):\n"
             f"    return getattr(self.dist, {name!r})({parameter}, *self.args, **self.kwds)",
             scope)
        method = scope["method"]
    method.__name__ = name
    method.__qualname__ = f"Frozen.{name}"
    method.__module__ = __name__
    source = getattr(Discrete, name, None) or getattr(Continuous, name)
    # The interpreter may drop docstrings.
    method.__doc__ = source.__doc__ and source.__doc__.split("\n\n")[0]
    return described("ndarray or tuple of ndarray: The values.")(method)


for _name, _parameter in {
    "pdf": "x", "logpdf": "x", "pmf": "k", "logpmf": "k", "cdf": "x", "logcdf": "x", "sf": "x",
    "logsf": "x", "ppf": "q", "isf": "q", "mean": None, "var": None, "std": None, "median": None,
    "entropy": None, "support": None, "moment": "order", "interval": "confidence",
}.items():
    setattr(Frozen, _name, _forwarded(_name, _parameter))
