"""Arrays of rigid transforms in three dimensions: a rotation, and a translation after it."""

import phalanx as np

from ..._arguments import beside, refuse
from . import _alignment, _quaternions
from ._described import COLLECTIVE, RECORDED, described
from ._quaternions import cross, floating, parts, stacked, turn_factors
from ._rotation import Rotation, broadcast, exponent, lead_index, lead_of

_MADE = "RigidTransform: The transforms."
_SHAPE = {"ValueError": "The shape is not allowed."}
_BROADCAST = {"ValueError": "The shapes do not broadcast."}


class RigidTransform:
    """Rigid transforms in three dimensions, as quaternions and translations on devices.

    Collective: the matrices are read to check them.

    Parameters
    ----------
    matrix : array_like
        The matrices of four rows, along the last two axes.
    normalize : bool, default: True
        Whether the nearest rotations replace those parts that are none.
    copy : bool, default: True
        Without effect: the parts of the matrices are copied.
    """

    @beside
    def __init__(self, matrix, normalize=True, copy=True):
        matrix = floating(matrix)
        if matrix.ndim < 2 or matrix.shape[-2:] != (4, 4):
            raise refuse(f"Expected `matrix` to have shape (..., 4, 4), got {matrix.shape}.")
        wrong = (matrix[..., 3, :] != np.asarray([0.0, 0.0, 0.0, 1.0])).any(-1)
        if bool(wrong.any()):
            first = int(np.argmax(wrong.reshape(-1)))
            row = matrix.reshape(-1, 4, 4)[first, 3].get()
            raise refuse(f"Expected last row of transformation matrix {first} to be exactly "
                         f"[0, 0, 0, 1], got {row}.")
        made = Rotation.from_matrix(matrix[..., :3, :3], assume_valid=not normalize)
        self._quat, self._shift = made._quat, matrix[..., :3, 3]

    @classmethod
    def _of(cls, quat, shift):
        """Transforms of quaternions of length 1 and translations of the same shape."""
        made = object.__new__(cls)
        made._quat, made._shift = quat, shift
        return made

    @classmethod
    def _joined(cls, quat, shift):
        """Transforms of quaternions and translations that broadcast."""
        lead = np.broadcast_shapes(quat.shape[:-1], shift.shape[:-1])
        return cls._of(np.broadcast_to(quat, (*lead, 4)), np.broadcast_to(shift, (*lead, 3)))

    def _home(self):
        return getattr(self, "_quat", None)

    @classmethod
    @beside
    @described(_MADE, {"ValueError": "A matrix is no rigid transform, or the shape is wrong."},
               COLLECTIVE)
    def from_matrix(cls, matrix):
        """Transforms of matrices of four rows."""
        return RigidTransform(matrix)

    @classmethod
    @beside
    @described(_MADE, {"TypeError": "The argument is no rotation."}, RECORDED)
    def from_rotation(cls, rotation):
        """Transforms without a translation."""
        if not isinstance(rotation, Rotation):
            raise refuse(f"Expected `rotation` to be a `Rotation` instance, got {type(rotation)}.",
                         TypeError)
        return RigidTransform._of(rotation._quat, np.zeros((*rotation.shape, 3)))

    @classmethod
    @beside
    @described(_MADE, _SHAPE, RECORDED)
    def from_translation(cls, translation):
        """Transforms without a rotation."""
        translation = _vectors(translation, 3, "translation")
        return RigidTransform._joined(np.asarray([0.0, 0.0, 0.0, 1.0]), translation)

    @classmethod
    @beside
    @described(_MADE, {**_BROADCAST, "TypeError": "The argument is no rotation."}, RECORDED)
    def from_components(cls, translation, rotation):
        """Transforms of rotations, and of translations after them."""
        translation = _vectors(translation, 3, "translation")
        quat = RigidTransform.from_rotation(rotation)._quat
        _check(translation.shape[:-1], quat.shape[:-1])
        return RigidTransform._joined(quat, translation)

    @classmethod
    @beside
    @described(_MADE, _SHAPE, RECORDED)
    def from_exp_coords(cls, exp_coords):
        """Transforms of exponential coordinates: a rotation vector, and the speed of a screw."""
        exp_coords = _vectors(exp_coords, 6, "exp_coords")
        vectors, speeds = exp_coords[..., :3], exp_coords[..., 3:]
        first, second = turn_factors(parts(vectors))[:2]
        shift = _moved(vectors, speeds, first, second)
        return RigidTransform._of(_quaternions.of_vectors(vectors), shift)

    @classmethod
    @beside
    @described(_MADE, _SHAPE, RECORDED)
    def from_dual_quat(cls, dual_quat, *, scalar_first=False):
        """Transforms of dual quaternions, of which those that are none are corrected."""
        dual_quat = _vectors(dual_quat, 8, "dual_quat")
        real, dual = dual_quat[..., :4], dual_quat[..., 4:]
        if scalar_first:
            real, dual = np.roll(real, -1, axis=-1), np.roll(dual, -1, axis=-1)
        length = np.sqrt((real * real).sum(-1, keepdims=True))
        # A real part of zeros is the rotation by nothing.
        is_zero = length == 0
        unit = np.asarray([0.0, 0.0, 0.0, 1.0])
        length = np.where(is_zero, 1.0, length)
        real, dual = np.where(is_zero, unit, real / length), dual / length
        dual = dual - (real * dual).sum(-1, keepdims=True) * real
        shift = 2 * _quaternions.product(dual, _quaternions.conjugate(real))
        return RigidTransform._of(real, shift[..., :3])

    @classmethod
    @described(_MADE, {"ValueError": "Both `num` and `shape` are given."}, RECORDED)
    def identity(cls, num=None, *, shape=None):
        """Transforms by nothing."""
        lead = lead_of(num, shape)
        return RigidTransform._of(Rotation.identity(shape=lead)._quat, np.zeros((*lead, 3)))

    @classmethod
    @beside
    @described(_MADE, {"TypeError": "An element is no transform."}, RECORDED)
    def concatenate(cls, transforms):
        """Transforms one after the other."""
        if isinstance(transforms, RigidTransform):
            return RigidTransform._of(transforms._quat, transforms._shift)
        transforms = list(transforms)
        if not all(isinstance(one, RigidTransform) for one in transforms):
            raise refuse("input must contain RigidTransform objects only", TypeError)
        return RigidTransform._of(
            *(np.concatenate([np.atleast_2d(getattr(one, name)) for one in transforms])
              for name in ("_quat", "_shift"))
        )

    @property
    def single(self):
        """Whether this is one transform, without an axis."""
        return self._quat.ndim == 1

    @property
    def shape(self):
        """The shape of the transforms."""
        return self._quat.shape[:-1]

    @property
    def rotation(self):
        """The rotations."""
        return Rotation._of(self._quat)

    @property
    def translation(self):
        """The translations, along the last axis."""
        return self._shift.copy()

    @beside
    @described("ndarray: The matrices, along two new last axes.", {}, RECORDED)
    def as_matrix(self):
        """Matrices of four rows."""
        rows = _quaternions.rows(self._quat)
        zero = np.zeros(self.shape)
        values = [one for row, shift in zip(rows, parts(self._shift)) for one in (*row, shift)]
        return stacked([*values, zero, zero, zero, zero + 1.0]).reshape(*self.shape, 4, 4)

    @beside
    @described("(ndarray, Rotation): Translations and rotations.", {}, RECORDED)
    def as_components(self):
        """The translations and the rotations."""
        return self.translation, self.rotation

    @beside
    @described("ndarray: The coordinates, along a new last axis.", {}, RECORDED)
    def as_exp_coords(self):
        """Exponential coordinates: rotation vectors, and speeds of screws."""
        vectors = _quaternions.to_vectors(self._quat)
        square = (vectors * vectors).sum(-1)
        is_small = square < 1e-4
        n2 = np.where(is_small, 1.0, square)
        half = np.sqrt(n2) / 2
        factor = (1 - half * np.cos(half) / np.sin(half)) / n2
        near = 1 / 12 + square * (1 / 720 + square / 30240)
        factor = np.where(is_small, near, factor)
        speeds = _moved(vectors, self._shift, -0.5, factor)
        return np.concatenate([vectors, speeds], axis=-1)

    @beside
    @described("ndarray: The dual quaternions, along a new last axis.", {}, RECORDED)
    def as_dual_quat(self, *, scalar_first=False):
        """Dual quaternions: the real part and the dual part."""
        zero = np.zeros((*self.shape, 1))
        pure = np.concatenate([self._shift, zero], axis=-1)
        dual = 0.5 * _quaternions.product(pure, self._quat)
        both = [self._quat, dual]
        if scalar_first:
            both = [np.roll(one, 1, axis=-1) for one in both]
        return np.concatenate(both, axis=-1)

    @beside
    @described("ndarray: The transformed vectors.", _BROADCAST, RECORDED)
    def apply(self, vector, inverse=False):
        """Vectors transformed."""
        vector = _vectors(vector, 3, "vector")
        broadcast(self.shape, vector.shape[:-1], "operands could not be broadcast together")
        if inverse:
            turned = _quaternions.conjugate(self._quat)
            return _quaternions.turned(turned, vector - self._shift)
        return _quaternions.turned(self._quat, vector) + self._shift

    @beside
    @described(_MADE, {}, RECORDED)
    def inv(self):
        """The inverse transforms."""
        quat = _quaternions.conjugate(self._quat)
        return RigidTransform._of(quat, -_quaternions.turned(quat, self._shift))

    @beside
    @described("RigidTransform: The mean.", {"ValueError": "There are no transforms, or weights or "
                                             "axes are not allowed."}, COLLECTIVE)
    def mean(self, weights=None, axis=None):
        """The mean of transforms: of their rotations, and of their translations."""
        quat = _alignment.mean(self._quat, weights, axis)
        shift = self._shift if self._shift.ndim > 1 else self._shift[None]
        axes = _alignment.mean_axes(axis, shift.ndim - 1, "transform")
        weights = _alignment.mean_weights(weights, shift.shape[:-1], "transforms")
        if weights is None:
            return RigidTransform._of(quat, shift.mean(axes))
        shift = (shift * weights[..., None]).sum(axes)
        return RigidTransform._of(quat, shift / weights.sum(axes)[..., None])

    @beside
    def __mul__(self, other):
        if not isinstance(other, RigidTransform):
            return NotImplemented
        _check(self.shape, other.shape)
        quat = (self.rotation * other.rotation)._quat
        return RigidTransform._joined(quat, self.apply(other._shift))

    @beside
    def __pow__(self, n):
        n = exponent(n)
        if n == 0:
            return RigidTransform.identity(shape=self.shape)
        if n == -1:
            return self.inv()
        if n == 1:
            return RigidTransform._of(self._quat, self._shift)
        return RigidTransform.from_exp_coords(n * self.as_exp_coords())

    def __len__(self):
        if self.single:
            raise refuse("Single transform has no len", TypeError)
        return self._quat.shape[0]

    def __iter__(self):
        if self.single:
            raise refuse("Single transform is not iterable.", TypeError)
        return (RigidTransform._of(*both) for both in zip(self._quat, self._shift))

    @beside
    def __getitem__(self, indexer):
        if self.single:
            raise refuse("Single transform is not subscriptable.", TypeError)
        place = lead_index(indexer)
        return RigidTransform._of(self._quat[place], self._shift[place])

    @beside
    def __setitem__(self, indexer, value):
        if self.single:
            raise refuse("Single transform is not subscriptable.", TypeError)
        if not isinstance(value, RigidTransform):
            raise refuse("value must be a RigidTransform object", TypeError)
        place = lead_index(indexer)
        # Arrays may be shared with other transforms.
        quat, shift = self._quat.copy(), self._shift.copy()
        quat[place], shift[place] = value._quat, value._shift
        self._quat, self._shift = quat, shift

    def __repr__(self):
        text = f"{self.as_matrix()!r}".splitlines()
        return "RigidTransform.from_matrix(" + ("\n" + 27 * " ").join(text) + ")"

    def __getstate__(self):
        return self._quat.get(), self._shift.get()

    def __setstate__(self, state):
        self._quat, self._shift = map(np.asarray, state)


def _vectors(x, count, name):
    x = floating(x)
    if x.ndim == 0 or x.shape[-1] != count:
        raise refuse(f"Expected `{name}` to have shape (..., {count}), got {x.shape}.")
    return x


def _check(first, second):
    broadcast(first, second, f"Cannot broadcast {first} transforms in first to {second} transforms "
              "in second object.")


def _moved(vectors, speeds, first, second):
    """Vectors plus multiples of their simple and double products with rotation vectors."""
    vectors, speeds = parts(vectors), parts(speeds)
    once = cross(vectors, speeds)
    twice = cross(vectors, once)
    return stacked([a + first * b + second * c for a, b, c in zip(speeds, once, twice)])
