"""Rotations between rotations at given times."""

import phalanx as np

from ..._arguments import beside, host, refuse
from . import _quaternions
from ._described import COLLECTIVE, RECORDED, described
from ._quaternions import cross, dot, floating, parts, stacked, turn_factors
from ._rotation import Rotation

def _flat(times):
    times = floating(times)
    if times.ndim > 1:
        raise refuse("`times` must be at most 1-dimensional.")
    return times


class Slerp:
    """Rotations that turn uniformly from one of several rotations to the next one.

    Collective: the times are read to check them.

    Parameters
    ----------
    times : array_like
        The times of the rotations, ascending.
    rotations : Rotation
        The rotations, at least two.
    """

    @beside
    def __init__(self, times, rotations):
        if not isinstance(rotations, Rotation):
            raise refuse("`rotations` must be a `Rotation` instance.", TypeError)
        if rotations.single or len(rotations) <= 1:
            raise refuse("`rotations` must be a sequence of at least 2 rotations.")
        if len(rotations.shape) > 1:
            raise refuse("Rotations with more than 1 leading dimension are not supported.")
        times = floating(times)
        if times.ndim != 1:
            raise refuse("Expected times to be specified in a 1 dimensional array, got "
                         f"{times.ndim} dimensions.")
        if times.shape[0] != len(rotations):
            raise refuse("Expected number of rotations to be equal to number of timestamps given, "
                         f"got {len(rotations)} rotations and {times.shape[0]} timestamps.")
        if not bool((np.diff(times) > 0).all()):
            raise refuse("Times must be in strictly increasing order.")
        self.times, self.rotations = times, rotations[:-1]
        self.timedelta = np.diff(times)
        self.rotvecs = (self.rotations.inv() * rotations[1:]).as_rotvec()
        self._ends = float(times[0]), float(times[-1])

    def _home(self):
        return getattr(self, "times", None)

    @beside
    @described("Rotation: The rotations at the times.",
               {"ValueError": "A time is not between the first and the last one."}, COLLECTIVE)
    def __call__(self, times):
        """The rotations at times."""
        times = _flat(times)
        first, last = self._ends
        if bool(((times < first) | (times > last)).any()):
            raise refuse(f"Interpolation times must be within the range [{first}, {last}], both "
                         "inclusive.")
        place = np.clip(np.searchsorted(self.times, times) - 1, 0, None)
        part = (times - self.times[place]) / self.timedelta[place]
        turns = Rotation._of(_quaternions.of_vectors(self.rotvecs[place] * part[..., None]))
        return Rotation._of(self.rotations._quat[place]) * turns


class RotationSpline:
    """Rotations that turn from one of several rotations to the next one with a continuous angular
    acceleration.

    The coefficients are SciPy's, computed on the host from few rotations, and evaluated on
    devices. Collective: times and rotations are copied to the host.

    Parameters
    ----------
    times : array_like
        The times of the rotations, ascending.
    rotations : Rotation
        The rotations, at least two.
    """

    @beside
    def __init__(self, times, rotations):
        from ... import _host
        from .._host import scipy_spatial

        if not isinstance(rotations, Rotation):
            raise refuse("`rotations` must be a `Rotation` instance.", TypeError)
        if rotations.single:
            raise refuse("`rotations` must be a sequence of rotations.")
        scipy_spatial("transform")
        from scipy.spatial.transform import Rotation as OfScipy
        from scipy.spatial.transform import RotationSpline as SplineOfScipy

        quats = _host.copied(rotations._quat, 1 << 22, "RotationSpline")
        self._of_scipy = SplineOfScipy(host(times, float), OfScipy.from_quat(quats))
        self.times = np.asarray(self._of_scipy.times)
        self.rotations = rotations
        self._coefficients = np.asarray(self._of_scipy.interpolator.c.copy())

    def _home(self):
        return getattr(self, "times", None)

    @property
    def interpolator(self):
        """The piecewise polynomials of rotation vectors: SciPy's object on the host."""
        return self._of_scipy.interpolator

    @beside
    @described("Rotation or ndarray: The rotations, or with `order` 1 or 2 the angular rates or "
               "accelerations, along a new last axis.", {"ValueError": "`order` is not allowed, or "
               "there are several axes."}, RECORDED,
               order=("{0, 1, 2}", "The order of the derivative."))
    def __call__(self, times, order=0):
        """The rotations at times, their angular rates or their angular accelerations."""
        if order not in (0, 1, 2):
            raise refuse("`order` must be 0, 1 or 2.", mistake="choice")
        times = _flat(times)
        place = np.searchsorted(self.times, times, side="right") - 1
        place = np.clip(place, 0, self.times.shape[0] - 2)
        t = (times - self.times[place])[..., None]
        third, second, first, zeroth = (one[place] for one in self._coefficients)
        vectors = ((third * t + second) * t + first) * t + zeroth
        if order == 0:
            turns = Rotation._of(_quaternions.of_vectors(vectors))
            return Rotation._of(self.rotations._quat[place]) * turns
        speeds = (3 * third * t + 2 * second) * t + first
        if order == 1:
            return _rates(vectors, speeds)
        return _accelerations(vectors, speeds, 6 * third * t + 2 * second)


def _rates(vectors, speeds):
    """Angular rates of rotation vectors and their derivatives by time."""
    vectors, speeds = parts(vectors), parts(speeds)
    first, second = turn_factors(vectors)[:2]
    once = cross(vectors, speeds)
    twice = cross(vectors, once)
    return stacked([a - first * b + second * c for a, b, c in zip(speeds, once, twice)])


def _accelerations(vectors, speeds, changes):
    """Angular accelerations: the derivatives of the angular rates by time."""
    vectors, speeds, changes = parts(vectors), parts(speeds), parts(changes)
    first, second, first_slope, second_slope = turn_factors(vectors)
    along = dot(vectors, speeds)
    once = cross(vectors, speeds)
    twice = cross(vectors, once)
    change_once = cross(vectors, changes)
    change_twice = [a + b for a, b in zip(cross(speeds, once), cross(vectors, change_once))]
    return stacked([
        changes[at]
        - first * change_once[at] - along * first_slope * once[at]
        + second * change_twice[at] + along * second_slope * twice[at]
        for at in range(3)
    ])
