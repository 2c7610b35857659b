"""Angles of successive turns about axes: Euler's and Davenport's."""

import math
import re
import warnings

import phalanx as np

from ..._arguments import host, refuse
from . import _quaternions
from ._quaternions import dot, floating, parts, stacked

# Angles that are nearer to 0 or pi leave only the sum or the difference of the others.
_DEGENERATE = 1e-7


def _sequence(seq, whole):
    """The numbers of the axes, and whether they turn along."""
    if whole and len(seq) != 3:
        raise refuse(f"Expected 3 axes, got {seq}.")
    if not 1 <= len(seq) <= 3:
        raise refuse("Expected axis specification to be a non-empty string of upto 3 characters, "
                     f"got {seq}")
    is_intrinsic = re.fullmatch("[XYZ]+", seq) is not None
    if not is_intrinsic and re.fullmatch("[xyz]+", seq) is None:
        raise refuse("Expected axes from `seq` to be from ['x', 'y', 'z'] or ['X', 'Y', 'Z'], got "
                     f"{seq}")
    if any(one == other for one, other in zip(seq, seq[1:])):
        raise refuse(f"Expected consecutive axes to be different, got {seq}")
    return ["xyz".index(one) for one in seq.lower()], is_intrinsic


def _composed(turns, is_intrinsic):
    """The quaternions of successive turns."""
    found = turns[0]
    for one in turns[1:]:
        found = _quaternions.product(*((found, one) if is_intrinsic else (one, found)))
    return found


def of_euler(seq, angles, degrees):
    """Quaternions of Euler angles."""
    axes, is_intrinsic = _sequence(seq, False)
    angles = _quaternions.radians(floating(angles), degrees)
    is_scalar = angles.ndim == 0
    angles = np.atleast_1d(angles)
    if angles.shape[-1] != len(axes):
        raise refuse("Expected last dimension of `angles` to match number of sequence axes "
                     f"specified, got {1 if is_scalar else angles.shape[-1]}.")
    turns = [_quaternions.elementary(axis, angle) for axis, angle in zip(axes, parts(angles))]
    return _composed(turns, is_intrinsic)


def _order(order):
    if order not in ("e", "extrinsic", "i", "intrinsic"):
        raise refuse("order should be 'e'/'extrinsic' for extrinsic sequences or 'i'/'intrinsic' "
                     f"for intrinsic sequences, got {order}", mistake="choice")
    return order in ("i", "intrinsic")


def _axes(axes, whole):
    """Axes of length 1, on the host."""
    import numpy

    axes = numpy.atleast_2d(host(axes, float))
    if axes.shape[-1] != 3:
        raise refuse("Axes must be vectors of length 3.")
    if whole and axes.shape != (3, 3):
        raise refuse(f"Expected 3 axes, got {axes.shape[0]}.")
    if axes.shape[0] > 3:
        raise refuse(f"Expected up to 3 axes, got {axes.shape[0]}")
    axes = axes / numpy.linalg.norm(axes, axis=1, keepdims=True)
    if (abs((axes[1:] * axes[:-1]).sum(1)) > 1e-7).any():
        raise refuse("Consecutive axes must be orthogonal.")
    return axes


def of_davenport(axes, order, angles, degrees):
    """Quaternions of turns about given axes."""
    is_intrinsic = _order(order)
    axes = _axes(axes, False)
    angles = np.atleast_1d(_quaternions.radians(floating(angles), degrees))
    if angles.shape[-1] != axes.shape[0]:
        raise refuse(f"Expected `angles` to match number of axes, got {angles.shape[-1]} angles "
                     f"and {axes.shape[0]} axes.")
    turns = []
    for axis, angle in zip(axes.tolist(), parts(angles)):
        sine = np.sin(angle / 2)
        turns.append(stacked([*(sine * one for one in axis), np.cos(angle / 2)]))
    return _composed(turns, is_intrinsic)


def to_euler(q, seq, degrees, suppress_warnings):
    """Euler angles of quaternions, without matrices (Bernardes and Viollet 2022)."""
    axes, is_intrinsic = _sequence(seq, True)
    i, j, k = reversed(axes) if is_intrinsic else axes
    is_proper = i == k
    if is_proper:
        k = 3 - i - j
    # The sign of the permutation of the axes.
    sign = (i - j) * (j - k) * (k - i) // 2
    q = parts(q)
    a, b, c, d = q[3], q[i], q[j], sign * q[k]
    if not is_proper:
        # A turn about the second axis makes the sequence one of Euler's own.
        a, b, c, d = a - c, b + d, c + a, d - b
    middle = 0.0 if is_proper else math.pi / 2
    found = _three(a, b, c, d, is_intrinsic, 1 if is_proper else sign, middle, suppress_warnings)
    return _quaternions.as_wanted(found, degrees)


def to_davenport(q, axes, order, degrees, suppress_warnings):
    """Angles of turns about given axes, of quaternions."""
    import numpy

    is_intrinsic = _order(order)
    axes = _axes(axes, True)
    first, second, third = reversed(axes) if is_intrinsic else axes
    over = numpy.cross(first, second)
    middle = math.atan2(third @ over, third @ first)
    is_reversed = middle < 0
    if is_reversed:
        second, over, middle = -second, -over, -middle
    shift = np.asarray([*(math.sin(middle / 2) * second), math.cos(middle / 2)])
    moved = parts(_quaternions.product(shift, q))
    b, c, d = (dot(moved[:3], axis.tolist()) for axis in (first, second, over))
    found = _three(moved[3], b, c, d, is_intrinsic, 1, middle, suppress_warnings)
    if is_reversed:
        found = found * np.asarray([1.0, -1.0, 1.0])
    return _quaternions.as_wanted(found, degrees)


def _three(a, b, c, d, is_intrinsic, sign, middle, suppress_warnings):
    """The three angles, of the parts of quaternions along the first axis (b), the second one (c)
    and the one orthogonal to both (d)."""
    second = 2 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
    total, difference = np.arctan2(b, a), np.arctan2(d, c)
    is_zero = np.abs(second) <= _DEGENERATE
    is_half = np.abs(second - math.pi) <= _DEGENERATE
    is_lost = is_zero | is_half
    one, other = total - difference, sign * (total + difference)
    # The angle of the last turn is 0 where angles are not unique.
    if is_intrinsic:
        alone = sign * np.where(is_zero, 2 * total, 2 * difference)
        first, third = np.where(is_lost, alone, other), np.where(is_lost, 0.0, one)
    else:
        alone = np.where(is_zero, 2 * total, -2 * difference)
        first, third = np.where(is_lost, alone, one), np.where(is_lost, 0.0, other)
    made = stacked([first, second - middle, third])
    made = np.where(made < -math.pi, made + 2 * math.pi, made)
    made = np.where(made > math.pi, made - 2 * math.pi, made)
    if not suppress_warnings and bool(is_lost.any()):
        warnings.warn("Gimbal lock detected. Setting third angle to zero since it is not possible "
                      "to uniquely determine all angles.", stacklevel=4)
    return made

