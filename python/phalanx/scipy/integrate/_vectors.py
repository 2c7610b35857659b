"""Integrals of functions whose values are arrays, by intervals that are halved."""

import heapq
import math
import sys

import phalanx as np

from .._arguments import refuse
from .._outcome import Outcome
from . import _kronrod
from ._described import described

_MESSAGES = (
    "Target precision reached.", "Target precision not reached.",
    "Target precision could not be reached due to rounding error.",
    "Non-finite values encountered.",
)
# Intervals that are halved before the sum is compared with the tolerance again.
_TOGETHER = 128


def _largest(x):
    return np.abs(x).max() if isinstance(x, np.ndarray) and x.ndim else abs(x)


def _euclidean(x):
    return np.linalg.norm(x) if isinstance(x, np.ndarray) else abs(x)


def _value(x):
    """The value of the user's function: an array of ours, or a number."""
    import numpy

    return np.asarray(x) if isinstance(x, (numpy.ndarray, list, tuple)) else x


class _Kronrod:
    """The rule of Gauss and Kronrod of 15 or 21 points on an interval."""

    def __init__(self, points):
        self.evaluations, self.of_halves = points, 2 * points
        nodes, weights, gauss = (
            getattr(_kronrod, f"{name}_{points}")
            for name in ("NODES", "WEIGHTS", "GAUSS_WEIGHTS")
        )
        half = list(zip(nodes, weights, [gauss[at // 2] if at % 2 else 0.0
                                         for at in range(len(nodes))]))
        self.points = half + [(-node, *rest) for node, *rest in half[-2::-1]]

    def __call__(self, a, b, function, norm):
        middle, h = 0.5 * (a + b), 0.5 * (b - a)
        values = [_value(function(middle + h * node)) for node, _, _ in self.points]
        total = sum(weight * value for (_, weight, _), value in zip(self.points, values))
        gauss = sum(weight * value for (_, _, weight), value in zip(self.points, values) if weight)
        sizes = sum(weight * abs(value) for (_, weight, _), value in zip(self.points, values))
        mean = total / 2.0
        spread = sum(weight * abs(value - mean)
                     for (_, weight, _), value in zip(self.points, values))
        error, scale = float(norm((total - gauss) * h)), float(norm(spread * h))
        if scale != 0 and error != 0:
            error = scale * min(1.0, (200 * error / scale) ** 1.5)
        rounding = float(norm(50 * sys.float_info.epsilon * h * sizes))
        if rounding > sys.float_info.min:
            error = max(error, rounding)
        return h * total, error, rounding


class _Trapezoids:
    """The rule of two trapezoids on an interval."""

    # Two halves have a point in common.
    evaluations, of_halves = 3, 5

    def __call__(self, a, b, function, norm):
        first, middle, last = (_value(function(x)) for x in (a, 0.5 * (a + b), b))
        h = b - a
        one, two = 0.5 * h * (first + last), 0.25 * h * (first + 2 * middle + last)
        error = float(norm(one - two)) / 3
        sizes = 0.25 * h * (abs(first) + 2 * abs(middle) + abs(last))
        return two, error, float(norm(sizes)) * 2e-16


def _rule(name):
    if name == "trapezoid":
        return _Trapezoids()
    if name not in (None, "gk21", "gk15"):
        raise refuse(f"unknown quadrature {name!r}", mistake="choice")
    return _Kronrod(15 if name == "gk15" else 21)


# The least variable of an infinite interval for which its square has an inverse.
_LEAST = sys.float_info.min**0.5


def _half_line(function, start, sign):
    def changed(t):
        if t < _LEAST:
            return 0.0
        return sign * function(start + sign * (1 - t) / t) / t / t

    return changed, lambda x: 1 / (sign * (x - start) + 1)


def _line(function):
    def changed(t):
        if abs(t) < _LEAST:
            return 0.0
        return function((1 - abs(t)) / t) / t / t

    return changed, lambda x: math.copysign(1, x) / (abs(x) + 1)


@described(
    "(ndarray, float) or (ndarray, float, object): The integral, an estimate of the norm of its "
    "error, and with `full_output` more on how it was computed.",
    {"ValueError": "A limit is no number, or a word is unknown."},
    "Collective: every process calls it, because norms decide which intervals are halved. "
    "Sums of values are computed on devices.",
    f=("callable", "A function of a number, whose values are arrays."),
    norm=("{'max', '2'} or callable", "The norm of errors."),
    points=("sequence of float", "Where intervals end at first."),
)
def quad_vec(
    f, a, b, epsabs=1e-200, epsrel=1e-08, norm="2", cache_size=100000000.0, limit=10000, workers=1,
    points=None, quadrature=None, full_output=False, *, args=(),
):
    """The integral of a function whose values are arrays."""
    args = args if isinstance(args, tuple) else (args,)
    a, b = float(a), float(b)

    def function(x):
        return f(x, *args)

    options = {"epsabs": epsabs, "epsrel": epsrel, "norm": norm, "limit": limit}
    is_finite = math.isfinite(a), math.isfinite(b)
    if all(is_finite):
        return _integrate(function, a, b, points, quadrature, full_output, options)
    if math.isnan(a) or math.isnan(b):
        raise refuse(f"invalid integration bounds a={a}, b={b}")
    quadrature = "gk15" if quadrature is None else quadrature
    if any(is_finite):
        start, end = (a, b) if is_finite[0] else (b, a)
        changed, place = _half_line(function, start, math.copysign(1, end))
        ends, sign = (0.0, 1.0), 1 if is_finite[0] else -1
        points = None if points is None else [place(one) for one in points]
    else:
        changed, place = _line(function)
        ends, sign = ((-1.0, 1.0) if a != b else (1.0, 1.0)), -1 if b < a else 1
        points = [0.0, *(place(one) for one in points or ())]
    found = _integrate(changed, *ends, points, quadrature, full_output, options)
    return sign * found[0], *found[1:]


def _integrate(function, a, b, points, quadrature, full_output, options):
    rule = _rule(quadrature)
    norm = {None: _largest, "max": _largest, "2": _euclidean}.get(options["norm"], options["norm"])
    if not callable(norm):
        raise refuse(f"the norm {norm!r} is unknown", KeyError, mistake="choice")
    inner, ends = sorted(float(one) for one in points or ()), [a]
    ends += [one for at, one in enumerate(inner) if a < one < b and one not in inner[:at]]
    ends.append(b)
    total = error = rounding = 0.0
    heap, count = [], 0
    for start, stop in zip(ends, ends[1:]):
        part, one_error, one_rounding = rule(start, stop, function, norm)
        total, error, rounding = total + part, error + one_error, rounding + one_rounding
        # The number keeps arrays from being compared.
        heap.append((-one_error, start, stop, count, part))
        count += 1
    evaluations = rule.evaluations * count
    heapq.heapify(heap)
    status = 1
    while heap and len(heap) < options["limit"]:
        tolerance = max(options["epsabs"], options["epsrel"] * float(norm(total)))
        taken, taken_error = [], 0.0
        while heap and len(taken) < _TOGETHER:
            if taken and taken_error > error - tolerance / 8:
                break
            taken.append(heapq.heappop(heap))
            taken_error -= taken[-1][0]
        for negative, start, stop, _, part in taken:
            middle = 0.5 * (start + stop)
            halves = []
            for ends in ((start, middle), (middle, stop)):
                halves.append(rule(*ends, function, norm))
                heapq.heappush(heap, (-halves[-1][1], *ends, count, halves[-1][0]))
                count += 1
            evaluations += rule.of_halves
            total = total + (halves[0][0] + halves[1][0] - part)
            error += halves[0][1] + halves[1][1] + negative
            rounding += halves[0][2] + halves[1][2]
        if len(heap) >= 2:
            tolerance = max(options["epsabs"], options["epsrel"] * float(norm(total)))
            if error < tolerance / 8:
                status = 0
                break
            if error < rounding:
                status = 2
                break
        if not (math.isfinite(error) and math.isfinite(rounding)):
            status = 3
            break
    if not full_output:
        return total, error + rounding
    info = Outcome(
        success=status == 0, status=status, neval=evaluations, message=_MESSAGES[status],
        intervals=np.asarray([[start, stop] for _, start, stop, _, _ in heap]),
        errors=np.asarray([-negative for negative, *_ in heap]),
        integrals=np.stack([np.asarray(part) for *_, part in heap]),
    )
    return total, error + rounding, info
