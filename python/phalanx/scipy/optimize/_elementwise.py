"""Zeros and fixed points of many equations of one variable each."""

import warnings

import phalanx as np

from .._arguments import array, refuse
from . import _host
from ._described import ITERATED, described


@described(
    "ndarray: The fixed points.",
    {"ValueError": "The method is unknown.",
     "RuntimeError": "It did not converge after `maxiter` iterations."}, ITERATED,
    method=("{'del2', 'iteration'}", "Whether Steffensen's acceleration is used."),
)
def fixed_point(func, x0, args=(), xtol=1e-08, maxiter=500, method="del2"):
    """The points that a function maps to themselves, of each element."""
    if method not in ("del2", "iteration"):
        raise refuse(f"the method {method!r} is unknown", KeyError, mistake="choice")
    p0 = array(x0)
    p0 = p0 if p0.dtype.kind in "fc" else p0.astype(np.float64)
    for _ in range(maxiter):
        p = array(func(p0, *args))
        if method == "del2":
            p2 = array(func(p, *args))
            d = p2 - 2.0 * p + p0
            p = np.where(d != 0, p0 - (p - p0) ** 2 / np.where(d != 0, d, 1), p2)
        error = np.where(p0 != 0, (p - p0) / np.where(p0 != 0, p0, 1), p)
        if bool((np.abs(error) < xtol).all()):
            return p
        p0 = p
    raise RuntimeError(f"Failed to converge after {maxiter} iterations, value is {p}")


@described(
    "ndarray or tuple: The zeros; with `full_output` also which ones converged, and where the "
    "derivative was 0.",
    {"ValueError": "A tolerance or `maxiter` is not positive.",
     "RuntimeError": "No element converged."},
    ITERATED + " A single number is SciPy's, on the host.",
    x0=("array_like", "The first points."), x1=("array_like", "Second points, for secants."),
    fprime=("callable", "The derivative of the function; secants by default."),
)
def newton(
    func, x0, fprime=None, args=(), tol=1.48e-08, maxiter=50, fprime2=None, x1=None, rtol=0.0,
    full_output=False, disp=True,
):
    """The zeros of a function, of each element, by Newton's, Halley's or the secant method."""
    if tol <= 0:
        raise refuse(f"tol too small ({tol:g} <= 0)")
    if int(maxiter) < 1:
        raise refuse("maxiter must be greater than 0")
    is_one = not isinstance(x0, (np.ndarray, list, tuple)) and getattr(x0, "size", 1) == 1
    if is_one or (isinstance(x0, np.ndarray) and x0.ndim == 0):
        return _host.of_scipy("newton", func, x0, fprime, args, tol, maxiter, fprime2, x1, rtol,
                              full_output, disp)
    p = array(x0)
    p = p if p.dtype.kind in "fc" else p.astype(np.float64)
    if fprime is not None:
        p, failures, flat = _by_derivatives(func, p, fprime, args, tol, maxiter, fprime2)
    else:
        p, failures, flat = _by_secants(func, p, x1, args, tol, maxiter)
    _report(p, failures, flat, fprime is None)
    if not full_output:
        return p
    import collections

    result = collections.namedtuple("result", ("root", "converged", "zero_der"))
    return result(p, ~failures, flat)


def _by_derivatives(func, p, fprime, args, tol, maxiter, fprime2):
    failures = np.ones(p.shape, dtype=bool)
    moving = failures
    for _ in range(maxiter):
        value = array(func(p, *args))
        if bool((value == 0).all()):
            failures = value.astype(bool)
            break
        slope = array(fprime(p, *args))
        moving = slope != 0
        if not bool(moving.any()):
            break
        step = value / np.where(moving, slope, 1)
        if fprime2 is not None:
            step = step / (1.0 - 0.5 * step * array(fprime2(p, *args)) / np.where(moving, slope, 1))
        step = np.where(moving, step, 0)
        p = p - step
        failures = np.where(moving, np.abs(step) >= tol, failures)
        if not bool((failures & moving).any()):
            break
    return p, failures, ~moving & failures


def _by_secants(func, p, x1, args, tol, maxiter):
    if x1 is None:
        step = 2.0 ** (-52 / 3)
        q = p * (1 + step) + np.where(p.real >= 0, step, -step)
    else:
        q = array(x1).astype(p.dtype)
    before, here = array(func(p, *args)), array(func(q, *args))
    active = np.ones(p.shape, dtype=bool)
    failures = active
    for _ in range(maxiter):
        moving = here != before
        if not bool(moving.any()):
            middle = (q + p) / 2.0
            p = np.where(active & (q == p), middle, p)
            return p, failures, ~moving & active
        step = here * (q - p) / np.where(moving, here - before, 1)
        after = np.where(moving & active, q - step, p)
        middle = np.where(~moving & active, (q + p) / 2.0, after)
        p, after = np.where(active, middle, p), middle
        active = active & moving
        failures = failures & (np.abs(step) >= tol) & moving
        if not bool((failures & moving).any()):
            p = after
            break
        p, q = q, after
        before, here = here, array(func(q, *args))
    else:
        p = q
    return p, failures, ~moving & failures


def _report(p, failures, flat, secants):
    """Warns of elements without a zero, or fails if all elements are such ones."""
    text = "derivative was zero" if not secants else "tolerance was reached"
    if bool(flat.any()):
        every = "all" if bool(flat.all()) else "some"
        warnings.warn(f"{every} {text}", RuntimeWarning, stacklevel=4)
    elif bool(failures.any()):
        if bool(failures.all()):
            raise RuntimeError("all failed to converge")
        warnings.warn("some failed to converge", RuntimeWarning, stacklevel=4)
