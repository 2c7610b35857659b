"""Checks of the arguments of Fourier transforms."""

import operator
import os
import threading

import phalanx as np

from .._arguments import refuse

_local = threading.local()


def floating(x, complex=None):
    """An argument as an array of floating-point or complex numbers. `complex` is False if complex
    numbers are refused."""
    if not isinstance(x, np.ndarray):
        x = np.asarray(x)
    char = x.dtype.char
    if char in "fdFD":
        if complex is False and char in "FD":
            raise refuse("x must be a real sequence", TypeError, "dtype")
        return x
    if x.dtype.kind in "biu":
        return x.astype(np.float64)
    # Halves are transformed in single precision.
    return x.astype(np.float32)


def part(x, axis, start=None, stop=None, step=None):
    """A slice along an axis."""
    index = [slice(None)] * x.ndim
    index[axis] = slice(start, stop, step)
    return x[tuple(index)]


def resized(x, n, axis):
    """An array whose axis is cut or padded with zeros to an extent."""
    extent = x.shape[axis]
    if n == extent:
        return x
    if n < extent:
        return part(x, axis, 0, n)
    widths = [(0, 0)] * x.ndim
    widths[axis] = (0, n - extent)
    return np.pad(x, widths)


def axis_of(axis, ndim):
    """An axis counted from the first one."""
    place = operator.index(axis)
    if not -ndim <= place < ndim:
        raise refuse(f"axis {axis} is out of bounds for {ndim} axes", IndexError)
    return place % ndim


def extent_of(n, extent):
    """The extent of a transform along an axis."""
    n = extent if n is None else operator.index(n)
    if n < 1:
        raise refuse(f"invalid number of data points ({n}) specified")
    return n


def norm_of(norm):
    """The name of a norm."""
    if norm is None:
        return "backward"
    if norm in ("backward", "ortho", "forward"):
        return norm
    raise refuse(
        f'Invalid norm value {norm!r}, should be "backward", "ortho" or "forward"',
        mistake="choice",
    )


SWAPPED = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def workers_of(workers):
    """The number of workers that an argument means, as SciPy counts them."""
    if workers is None:
        return getattr(_local, "workers", 1)
    workers = operator.index(workers)
    count = os.cpu_count() or 1
    if workers == 0:
        raise refuse("workers must not be zero")
    if workers < -count:
        raise refuse(f"workers value out of range; got {workers}, must not be less than {-count}")
    return workers if workers > 0 else workers + count + 1


def keep_workers(workers):
    """Stores the number of workers that calls of this thread mean by None."""
    _local.workers = workers


def several(value, name):
    """An argument that is an integer or a sequence of integers, as a list; None stays."""
    if value is None:
        return None
    try:
        return [operator.index(value)]
    except TypeError:
        pass
    try:
        return [operator.index(one) for one in value]
    except TypeError:
        raise refuse(
            f"{name} must be a scalar or iterable of integers", ValueError, "type"
        ) from None


def extents_and_axes(x, s, axes, is_halved=False):
    """The extents and the axes of a transform over several axes. The last axis has the numbers of
    a real transform that is inverted if `is_halved`."""
    s, axes = several(s, "shape"), several(axes, "axes")
    if axes is not None:
        if any(not -x.ndim <= one < x.ndim for one in axes):
            raise refuse("axes exceeds dimensionality of input")
        axes = [one % x.ndim for one in axes]
        if len(set(axes)) < len(axes):
            raise refuse("all axes must be unique")
    if s is None:
        axes = list(range(x.ndim)) if axes is None else axes
        s = [x.shape[axis] for axis in axes]
        if is_halved and axes:
            s[-1] = 2 * (s[-1] - 1)
    else:
        if axes is None:
            if len(s) > x.ndim:
                raise refuse("shape requires more axes than are present")
            axes = list(range(x.ndim - len(s), x.ndim))
        if len(s) != len(axes):
            raise refuse(
                "when given, axes and shape arguments have to be of the same length",
                mistake="together",
            )
        s = [x.shape[axis] if n == -1 else n for n, axis in zip(s, axes)]
    if any(n < 1 for n in s):
        raise refuse(f"invalid number of data points ({s}) specified")
    return s, axes
