"""The most likely parameters of a sample: only sums over the sample go to the host."""

import math

import phalanx as np

from ._arrays import refuse

# The penalty of an element outside of the support.
_PENALTY = 100 * math.log(1.7e308)


def _fixed(distribution, kwds):
    """The fixed parameters, by their places."""
    shapes = distribution.shapes
    names = [*shapes, "loc", "scale"]
    found = {}
    for place, name in enumerate(names):
        aliases = [f"f{name}", f"fix_{name}"]
        if place < len(shapes):
            aliases.append(f"f{place}")
        given = [kwds.pop(alias) for alias in aliases if alias in kwds]
        given = [one for one in given if one is not None]
        if len(given) > 1:
            raise refuse(f"the parameter {name!r} is fixed several times", TypeError, "keyword")
        if given:
            found[place] = float(given[0])
    return found


def fit(distribution, data, args, kwds):
    """The parameters of a distribution, fixed or most likely."""
    kwds = dict(kwds)
    method = str(kwds.pop("method", "mle")).lower()
    if method == "mm":
        from ._host import to_host

        # Moments of few parameters; SciPy solves for them.
        theirs = distribution._on_host()
        found = theirs.fit(to_host(data, distribution.name), *args, **kwds, method="MM")
        return tuple(float(one) for one in found)
    if method != "mle":
        raise refuse(f"Method '{method}' not available; must be one of ['mle', 'mm']",
                     mistake="choice")
    optimizer = kwds.pop("optimizer", None)
    count = len(distribution.shapes)
    if len(args) > count:
        raise refuse("Too many input arguments.", TypeError, "count")
    fixed = _fixed(distribution, kwds)
    if data.shape[0] == 0 or not bool(np.isfinite(data).all()):
        raise refuse("The data contains non-finite values.")
    loc, scale = kwds.pop("loc", None), kwds.pop("scale", None)
    if kwds:
        raise refuse(f"Unknown keyword arguments: {sorted(kwds)}.", TypeError, "keyword")
    if len(fixed) == count + 2:
        raise refuse("All parameters fixed. There is nothing to optimize.")
    closed = distribution._closed(data, fixed)
    if closed is not None:
        return tuple(float(one) for one in closed)
    shapes = [*args, *distribution._start(data)[len(args) :]]
    guess = _placed(distribution, data, shapes, loc, scale, fixed)
    return _searched(distribution, data, guess, fixed, optimizer)


def _placed(distribution, data, shapes, loc, scale, fixed):
    """Starting values: location and scale by the mean and the variance."""
    mean, variance = float(data.mean()), float(data.var())
    own_mean, own_variance, *_ = (float(one) for one in distribution._moments(shapes, {}))
    if not (math.isfinite(own_mean) and math.isfinite(own_variance) and own_variance > 0):
        own_mean, own_variance = 0.0, 1.0
        ends = np.quantile(data, [0.25, 0.75]).tolist()
        variance = ((ends[1] - ends[0]) / 2) ** 2 or variance
        mean = float(np.median(data))
    if scale is None:
        scale = math.sqrt(variance / own_variance) or 1.0
    if loc is None:
        loc = mean - scale * own_mean
    # All elements must be possible.
    low, high = (float(one) for one in distribution._support(*map(np.asarray, map(float, shapes))))
    least, most = float(data.min()), float(data.max())
    if math.isfinite(low) and loc + scale * low >= least:
        loc = least - scale * low - 0.1 * max(most - least, 1e-6)
    if math.isfinite(high) and loc + scale * high <= most:
        if math.isfinite(low):
            scale = (most - least) * 1.2 / (high - low) or 1.0
            loc = least - scale * low - 0.1 * max(most - least, 1e-6)
        else:
            loc = most - scale * high + 0.1 * max(most - least, 1e-6)
    values = [*map(float, shapes), float(loc), float(scale)]
    return [fixed.get(place, one) for place, one in enumerate(values)]


def _searched(distribution, data, guess, fixed, optimizer):
    from scipy import optimize

    free = [place for place in range(len(guess)) if place not in fixed]

    def whole(values):
        found = list(guess)
        for place, one in zip(free, values):
            found[place] = float(one)
        return found

    def function(values):
        theta = whole(values)
        if theta[-1] <= 0:
            return math.inf
        if not bool(np.asarray(distribution._argcheck(*map(np.asarray, theta[:-2]))).all()):
            return math.inf
        found = distribution.logpdf(data, *theta)
        finite = np.isfinite(found)
        sums = np.stack([np.where(finite, found, 0.0).sum(), (~finite).sum().astype(np.float64)])
        total, outside = sums.tolist()
        return -total + outside * _PENALTY

    start = [guess[place] for place in free]
    if optimizer is not None:
        found = optimizer(function, start, disp=0)
    else:
        found = optimize.fmin(function, start, disp=0, maxiter=400 * len(free),
                              maxfun=400 * len(free), xtol=1e-6, ftol=1e-8)
    theta = whole(np.atleast_1d(np.asarray(found)).tolist())
    if not math.isfinite(function([theta[place] for place in free])):
        from ._arrays import FitError

        raise FitError("Optimization failed: the parameters are not allowed.")
    return tuple(theta)
