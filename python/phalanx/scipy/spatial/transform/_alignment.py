"""Means of rotations, rotations that align vectors, and reduction by groups of symmetries."""

import operator
import warnings

import phalanx as np

from ... import _host
from ..._arguments import refuse
from . import _quaternions
from ._quaternions import floating

# Vectors that are copied to the host to be aligned exactly.
_MOST = 1 << 22
# Products of rotations and elements of groups in one block.
_BLOCK = 1 << 24


def mean_axes(axis, ndim, of):
    """The axes of a mean, in order."""
    if axis is None:
        return tuple(range(ndim))
    try:
        axes = tuple(map(operator.index, axis if isinstance(axis, tuple) else (axis,)))
    except TypeError as error:
        raise refuse("`axis` must be None, int, or tuple of ints.") from error
    if any(not -ndim <= one < ndim for one in axes):
        raise refuse(f"axis {axes} is out of bounds for {of} with {ndim} axes.")
    return tuple(sorted({one % ndim for one in axes}))


def mean_weights(weights, shape, of):
    """Weights of a mean with the shape of rotations; None if there are none. Collective."""
    if weights is None:
        return None
    weights = floating(weights)
    # Weights of a vector do not broadcast.
    if len(shape) == 1 and weights.shape != shape:
        raise refuse(f"Expected a weight for each of the {shape[0]} {of}, got shape "
                     f"{weights.shape}.", mistake="together")
    if bool((weights < 0).any()):
        raise refuse("`weights` must be non-negative.")
    try:
        return np.broadcast_to(weights, shape)
    except ValueError as error:
        raise refuse(f"Expected `weights` to have number of values equal to number of {of}, got "
                     f"shape {weights.shape} for {shape} {of}.") from error


def mean(quat, weights, axis):
    """The quaternion of the mean: the eigenvector of the largest eigenvalue of the sum of the
    products of quaternions with themselves (Markley 2007)."""
    if 0 in quat.shape:
        raise refuse("Mean of an empty rotation set is undefined.")
    # One rotation is a vector of one.
    quat = quat if quat.ndim > 1 else quat[None]
    axes = mean_axes(axis, quat.ndim - 1, "rotation")
    weights = mean_weights(weights, quat.shape[:-1], "rotations")
    products = quat[..., :, None] * quat[..., None, :]
    if weights is not None:
        products = products * weights[..., None, None]
    return np.linalg.eigh(products.sum(axes))[1][..., -1]


def reduced(quat, left, right):
    """Quaternions of the smallest angles of products ``left * quat * right``, and the numbers of
    the elements of `left` and of `right`, or None."""
    lead = quat.shape[:-1]
    quat = quat.reshape(-1, 4)
    if left is None and right is None:
        return quat.reshape(*lead, 4), (None, None)
    unit = np.asarray([[0.0, 0.0, 0.0, 1.0]])
    before = unit if left is None else left.reshape(-1, 4)
    after = unit if right is None else right.reshape(-1, 4)
    count = before.shape[0] * after.shape[0]
    step = max(_BLOCK // (4 * count), 1)
    choices = []
    for first in range(0, quat.shape[0], step):
        part = quat[first : first + step]
        turned = _quaternions.product(before[None, :, :], part[:, None, :])
        # The scalar part of the product decides the angle.
        scalar = (turned[:, :, None, :] * _quaternions.conjugate(after)).sum(-1)
        choices.append(np.argmax(np.abs(scalar).reshape(-1, count), axis=1))
    choice = np.concatenate(choices) if choices else np.zeros(0, dtype=np.int64)
    one, other = choice // after.shape[0], choice % after.shape[0]
    made = _quaternions.product(_quaternions.product(before[one], quat), after[other])
    numbers = (None if left is None else one, None if right is None else other)
    return made.reshape(*lead, 4), numbers


def aligned(a, b, weights, return_sensitivity):
    """The quaternion of the rotation of `b` that is nearest to `a`, the root of the weighted sum of
    squared distances, and the sensitivity if it is wanted. Collective."""
    import numpy

    given = floating(a), floating(b)
    for name, one in zip("ab", given):
        if one.ndim not in (1, 2) or one.shape[-1] != 3:
            raise refuse(f"Expected input `{name}` to have shape (3,) or (N, 3), got {one.shape}")
    if given[0].shape != given[1].shape:
        raise refuse(f"Expected inputs `a` and `b` to have same shapes, got {given[0].shape} and "
                     f"{given[1].shape} respectively.")
    a, b = (np.atleast_2d(one) for one in given)
    count = a.shape[0]
    if weights is None:
        weights = np.ones(count)
    else:
        weights = floating(weights)
        if weights.ndim != 1:
            raise refuse(f"Expected `weights` to be 1 dimensional, got shape {weights.shape}.")
        if weights.shape[0] != count:
            raise refuse("Expected `weights` to have number of values equal to number of input "
                         f"vectors, got {weights.shape[0]} values and {count} vectors.")
        if bool((weights < 0).any()):
            raise refuse("`weights` may not contain negative values")
    infinite = int(np.isinf(weights).sum())
    if infinite > 1:
        raise refuse("Only one infinite weight is allowed")
    if infinite or count == 1:
        if return_sensitivity:
            raise refuse("Cannot return sensitivity matrix with an infinite weight or one vector "
                         "pair")
        return _exactly(a, b, weights)
    products = ((weights[:, None] * a).T @ b).get()
    squares = float((weights * ((a * a).sum(1) + (b * b).sum(1))).sum())
    # Kabsch 1976: the rotation of the singular vectors.
    left, s, right = numpy.linalg.svd(products)
    if numpy.linalg.det(left @ right) < 0:
        s[2] = -s[2]
        left[:, 2] = -left[:, 2]
    if s[1] + s[2] < 1e-16 * s[0]:
        warnings.warn("Optimal rotation is not uniquely or poorly defined for the given sets of "
                      "vectors.", stacklevel=4)
    quat = _quaternions.of_matrices(np.asarray(left @ right))
    distance = max(squares - 2 * s.sum(), 0.0) ** 0.5
    if not return_sensitivity:
        return quat, distance
    scale = float(weights.mean()) / ((s[0] + s[1]) * (s[1] + s[2]) * (s[2] + s[0]))
    kappa = s[0] * s[1] + s[1] * s[2] + s[2] * s[0]
    with numpy.errstate(divide="ignore", invalid="ignore"):
        made = scale * (kappa * numpy.eye(3) + products @ products.T)
    return quat, distance, np.asarray(made)


def _exactly(a, b, weights):
    """By SciPy on the host: one pair of vectors is aligned exactly."""
    from .._host import scipy_spatial

    scipy_spatial("transform")
    from scipy.spatial.transform import Rotation

    copies = [_host.copied(one, _MOST, "align_vectors with an exact pair") for one in (a, b)]
    made, distance = Rotation.align_vectors(*copies, weights.get())
    return np.asarray(made.as_quat()), float(distance)
