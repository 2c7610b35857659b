"""Roots by spectral steps along the residuals, without derivatives."""

import math

import phalanx as np

from .._arguments import array, refuse
from ._result import OptimizeResult

_MESSAGES = {True: "successful convergence", False: "too many function evaluations required"}


def spectral(function, x0, callback=None, ftol=1e-8, fatol=1e-300, maxfev=1000, fnorm=None,
             disp=False, M=10, eta_strategy=None, sigma_eps=1e-10, sigma_0=1.0,
             line_search="cruz"):
    """The root by the method DF-SANE.

    Source: W. La Cruz, J. M. Martinez, M. Raydan, "Spectral residual method without gradient
    information for solving large-scale nonlinear systems of equations" (2006).
    """
    if line_search not in ("cruz", "cheng"):
        raise refuse(f"Invalid value {line_search!r} for 'line_search'", mistake="choice")
    x = array(x0)
    x = x if x.dtype.kind in "fc" else x.astype(np.float64)
    evaluations = [0]

    def evaluated(x):
        evaluations[0] += 1
        value = array(function(x))
        return value, float((np.abs(value) ** 2).sum())

    norm = (lambda value, square: math.sqrt(square)) if fnorm is None else (
        lambda value, square: float(fnorm(value)))
    value, square = evaluated(x)
    first, last = norm(value, square), [square]
    sigma, iterations = sigma_0, 0
    eta = eta_strategy or (lambda turn, x, value: norm_0 / (1 + turn) ** 2)
    norm_0, converged = square, False
    while True:
        size = norm(value, square)
        if callback is not None:
            callback(x, value)
        if size < fatol + ftol * first:
            converged = True
            break
        if evaluations[0] >= maxfev:
            break
        if not sigma_eps <= abs(sigma) <= 1 / sigma_eps:
            sigma = 1.0 if size > 1 else 1e5 if size < 1e-5 else 1 / size
        direction = -sigma * value
        found = _searched(evaluated, x, direction, square, max(last[-M:]),
                          eta(iterations, x, value), evaluations, maxfev)
        if found is None:
            break
        new, new_value, new_square = found
        step, change = new - x, new_value - value
        along = (np.conj(step) * change).sum().item()
        sigma = (np.abs(step) ** 2).sum().item() / along if along else math.inf
        x, value, square = new, new_value, new_square
        last.append(square)
        iterations += 1
    if disp:
        print(_MESSAGES[converged])
    return OptimizeResult(
        x=x, success=converged, message=_MESSAGES[converged], fun=value, nfev=evaluations[0],
        nit=iterations, method="df-sane",
    )


def _searched(evaluated, x, direction, square, most, eta, evaluations, maxfev):
    """A step forward or backward after which the residuals are not too large."""
    sizes = [1.0, 1.0]
    while evaluations[0] < maxfev:
        for side, sign in enumerate((1, -1)):
            size = sizes[side]
            point = x + sign * size * direction
            value, found = evaluated(point)
            if found <= most + eta - 1e-4 * size**2 * square:
                return point, value, found
            trial = size**2 * square / (found + (2 * size - 1) * square)
            sizes[side] = min(max(trial, 0.1 * size), 0.5 * size)
            if evaluations[0] >= maxfev:
                return None
    return None
