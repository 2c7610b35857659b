"""Arrays of rotations in three dimensions."""

import operator

import phalanx as np

from ..._arguments import beside, host, refuse
from . import _alignment, _angles, _quaternions
from ._described import COLLECTIVE, HOST, RECORDED, described
from ._quaternions import floating

_MADE = "Rotation: The rotations."
_SHAPE = {"ValueError": "The shape is not allowed."}
_BROADCAST = {"ValueError": "The shapes do not broadcast."}


def broadcast(one, other, text):
    """Refuses shapes that do not broadcast."""
    try:
        np.broadcast_shapes(one, other)
    except ValueError as error:
        raise refuse(text, mistake="together") from error


def counted(shape):
    """A shape as SciPy prints it in errors: the number of elements of one axis."""
    return shape[0] if len(shape) == 1 else shape


class Rotation:
    """Rotations in three dimensions, as quaternions of `float64` on devices.

    Collective: that no quaternion is zero is read.

    Parameters
    ----------
    quat : array_like
        The quaternions, along the last axis; of any length but 0.
    normalize : bool, default: True
        Whether quaternions are divided by their lengths.
    copy : bool, default: True
        Whether quaternions are copied, if they are not divided.
    scalar_first : bool, default: False
        Whether the scalar part is the first element, and not the last one.
    """

    # NumPy's arrays leave products to this class.
    __array_ufunc__ = None

    @beside
    def __init__(self, quat, normalize=True, copy=True, scalar_first=False):
        quat = floating(quat)
        if quat.ndim == 0 or quat.shape[-1] != 4:
            raise refuse(f"Expected `quat` to have shape (..., 4), got {quat.shape}.")
        if scalar_first:
            quat = np.roll(quat, -1, axis=-1)
        if normalize:
            quat = _quaternions.normalized(quat)
        self._quat = quat.copy() if copy and not normalize else quat

    @classmethod
    def _of(cls, quat):
        """Rotations of quaternions of length 1."""
        made = object.__new__(cls)
        made._quat = quat
        return made

    def _home(self):
        return getattr(self, "_quat", None)

    @classmethod
    @beside
    @described(_MADE, {"ValueError": "A quaternion is zero, or the shape is not allowed."},
               COLLECTIVE)
    def from_quat(cls, quat, *, scalar_first=False):
        """Rotations of quaternions."""
        return Rotation(quat, scalar_first=scalar_first)

    @classmethod
    @beside
    @described(_MADE, {"ValueError": "A determinant is not positive, or the shape is not allowed."},
               COLLECTIVE)
    def from_matrix(cls, matrix, *, assume_valid=False):
        """Rotations of matrices. The nearest rotations replace matrices that are none."""
        matrix = floating(matrix)
        if matrix.ndim < 2 or matrix.shape[-2:] != (3, 3):
            raise refuse(
                f"Expected `matrix` to have shape (3, 3) or (N, 3, 3), got {matrix.shape}"
            )
        if not assume_valid:
            matrix = _quaternions.rotations_of(matrix)
        return Rotation._of(_quaternions.of_matrices(matrix))

    @classmethod
    @beside
    @described(_MADE, _SHAPE, RECORDED)
    def from_rotvec(cls, rotvec, degrees=False):
        """Rotations of vectors whose length is the angle."""
        rotvec = _triples(rotvec, "rot_vec")
        return Rotation._of(_quaternions.of_vectors(_quaternions.radians(rotvec, degrees)))

    @classmethod
    @beside
    @described(_MADE, _SHAPE, RECORDED)
    def from_mrp(cls, mrp):
        """Rotations of modified Rodrigues parameters."""
        return Rotation._of(_quaternions.of_rodrigues(_triples(mrp, "mrp")))

    @classmethod
    @beside
    @described(_MADE, {"ValueError": "The sequence of axes or the shape is not allowed."}, RECORDED)
    def from_euler(cls, seq, angles, degrees=False):
        """Rotations of successive turns about coordinate axes."""
        return Rotation._of(_angles.of_euler(seq, angles, degrees))

    @classmethod
    @beside
    @described(_MADE, {"ValueError": "The axes, the order or the shape is not allowed."}, RECORDED)
    def from_davenport(cls, axes, order, angles, degrees=False):
        """Rotations of successive turns about given axes."""
        return Rotation._of(_angles.of_davenport(axes, order, angles, degrees))

    @classmethod
    @described(_MADE, {"ValueError": "Both `num` and `shape` are given."}, RECORDED)
    def identity(cls, num=None, *, shape=None):
        """Rotations by nothing."""
        lead = lead_of(num, shape)
        return Rotation._of(np.broadcast_to(np.asarray([0.0, 0.0, 0.0, 1.0]), (*lead, 4)).copy())

    @classmethod
    @described(_MADE, {"ValueError": "Both `num` and `shape` are given."}, RECORDED)
    def random(cls, num=None, rng=None, *, shape=None, random_state=None):
        """Rotations of a uniform distribution. Numbers of a seed are those of NumPy's generator."""
        lead = lead_of(num, shape)
        if random_state is not None:
            rng = random_state
            if not hasattr(rng, "normal"):
                rng = np.random.RandomState(rng)
        elif rng is None:
            rng = np.random
        elif not hasattr(rng, "normal"):
            rng = np.random.default_rng(rng)
        return Rotation(np.asarray(rng.normal(size=(*lead, 4))))

    @classmethod
    @described(_MADE, {"ValueError": "There is no such group."}, HOST,
               axis=("{'X', 'Y', 'Z'}", "The axis of the groups C and D."))
    def create_group(cls, group, axis="Z"):
        """The rotations of a group of symmetries of SciPy."""
        from .._host import scipy_spatial

        scipy_spatial("transform")
        from scipy.spatial.transform import Rotation as OfScipy

        return Rotation._of(np.asarray(OfScipy.create_group(group, axis=axis).as_quat()))

    @classmethod
    @beside
    @described(_MADE, {"TypeError": "An element is no rotation."}, RECORDED)
    def concatenate(cls, rotations):
        """Rotations one after the other."""
        if isinstance(rotations, Rotation):
            return Rotation._of(rotations._quat.copy())
        rotations = list(rotations)
        if not all(isinstance(one, Rotation) for one in rotations):
            raise refuse("input must contain Rotation objects only", TypeError)
        if not rotations:
            raise refuse("there are no rotations", IndexError)
        return Rotation._of(np.concatenate([np.atleast_2d(one._quat) for one in rotations]))

    @property
    def single(self):
        """Whether this is one rotation, without an axis."""
        return self._quat.ndim == 1

    @property
    def shape(self):
        """The shape of the rotations."""
        return self._quat.shape[:-1]

    @beside
    @described("ndarray: The quaternions, along a new last axis.", {}, RECORDED)
    def as_quat(self, canonical=False, *, scalar_first=False):
        """Quaternions of length 1."""
        quat = _quaternions.canonical(self._quat) if canonical else self._quat.copy()
        return np.roll(quat, 1, axis=-1) if scalar_first else quat

    @beside
    @described("ndarray: The matrices, along two new last axes.", {}, RECORDED)
    def as_matrix(self):
        """Matrices of the rotations."""
        return _quaternions.to_matrices(self._quat)

    @beside
    @described("ndarray: The vectors, along a new last axis.", {}, RECORDED)
    def as_rotvec(self, degrees=False):
        """Vectors along the axes, whose lengths are the angles."""
        return _quaternions.as_wanted(_quaternions.to_vectors(self._quat), degrees)

    @beside
    @described("ndarray: The parameters, along a new last axis.", {}, RECORDED)
    def as_mrp(self):
        """Modified Rodrigues parameters."""
        return _quaternions.to_rodrigues(self._quat)

    @beside
    @described("ndarray: The angles, along a new last axis.",
               {"ValueError": "The sequence of axes is not allowed."},
               "Collective, because a warning depends on data. Local with `suppress_warnings`: "
               "recorded, and computed when a value is observed.",
               seq=("str", "The three axes: letters of ``xyz`` for turns about fixed axes, of "
                    "``XYZ`` for those about axes that turn along."))
    def as_euler(self, seq, degrees=False, *, suppress_warnings=False):
        """Angles of three successive turns about coordinate axes."""
        return _angles.to_euler(self._quat, seq, degrees, suppress_warnings)

    @beside
    @described("ndarray: The angles, along a new last axis.",
               {"ValueError": "The axes or the order is not allowed."}, COLLECTIVE,
               axes=("array_like", "The three axes, one in each row."))
    def as_davenport(self, axes, order, degrees=False, *, suppress_warnings=False):
        """Angles of three successive turns about given axes."""
        return _angles.to_davenport(self._quat, axes, order, degrees, suppress_warnings)

    @beside
    @described("ndarray: The turned vectors.", _BROADCAST, RECORDED)
    def apply(self, vectors, inverse=False):
        """Vectors turned by the rotations."""
        vectors = floating(vectors)
        if vectors.ndim == 0 or vectors.shape[-1] != 3:
            raise refuse(f"Expected input of shape (..., 3), got {vectors.shape}.")
        lead = vectors.shape[:-1]
        broadcast(self.shape, lead, f"Cannot broadcast {counted(self.shape)} rotations to "
                  f"{counted(lead)} vectors.")
        quat = _quaternions.conjugate(self._quat) if inverse else self._quat
        return _quaternions.turned(quat, vectors)

    @beside
    @described(_MADE, {}, RECORDED)
    def inv(self):
        """The inverse rotations."""
        return Rotation._of(_quaternions.conjugate(self._quat))

    @beside
    @described("ndarray: The angles in radians.", {}, RECORDED)
    def magnitude(self):
        """The angles of the rotations, between 0 and pi."""
        return _quaternions.angles(self._quat)

    @beside
    @described("ndarray: Whether rotations are equal.", _BROADCAST, RECORDED,
               other=("Rotation", "The other rotations."),
               degrees=("bool", "Whether `atol` is in degrees."))
    def approx_equal(self, other, atol=None, degrees=False):
        """Whether rotations differ by less than an angle."""
        if atol is None:
            if degrees:
                import warnings

                warnings.warn("atol must be set to use the degrees flag, defaulting to 1e-8 "
                              "radians.", stacklevel=4)
            atol = 1e-8
        elif degrees:
            atol = float(_quaternions.radians(atol, True))
        broadcast(self.shape, other.shape,
                  f"Expected broadcastable shapes in both rotations, got {counted(self.shape)} "
                  f"rotations in first and {counted(other.shape)} rotations in second object.")
        apart = _quaternions.product(_quaternions.conjugate(self._quat), other._quat)
        return np.atleast_1d(_quaternions.angles(apart) < atol)

    @beside
    @described("Rotation: The mean.", {"ValueError": "There are no rotations, or weights or axes "
                                       "are not allowed."}, COLLECTIVE)
    def mean(self, weights=None, axis=None):
        """The mean of rotations: the one whose matrix is nearest to theirs."""
        return Rotation._of(_alignment.mean(self._quat, weights, axis))

    @beside
    @described("Rotation or (Rotation, ndarray, ndarray): The rotations, and with `return_indices` "
               "the numbers of those of `left` and `right`, or None.", {}, RECORDED)
    def reduce(self, left=None, right=None, return_indices=False):
        """Rotations of the smallest angles that rotations before and after them can make."""
        quat, numbers = _alignment.reduced(
            self._quat, *(None if one is None else one._quat for one in (left, right))
        )
        made = Rotation._of(quat)
        return (made, *numbers) if return_indices else made

    @classmethod
    @beside
    @described(
        "(Rotation, float) or (Rotation, float, ndarray): The rotation, the root of the weighted "
        "sum of squared distances, and with `return_sensitivity` a matrix: the covariance of the "
        "rotation for vectors with errors of variance 1.",
        {"ValueError": "Shapes or weights are not allowed."}, COLLECTIVE,
        weights=("array_like", "The weights; equal ones by default. One may be infinite: its "
                 "vectors are aligned exactly, by SciPy on the host."),
    )
    def align_vectors(cls, a, b, weights=None, return_sensitivity=False):
        """The rotation that turns vectors so that they are nearest to others."""
        quat, *rest = _alignment.aligned(a, b, weights, return_sensitivity)
        return (Rotation._of(quat), *rest)

    @beside
    def __mul__(self, other):
        if not isinstance(other, Rotation):
            return NotImplemented
        broadcast(self.shape, other.shape, f"Cannot broadcast {self.shape} rotations in first to "
                  f"{other.shape} rotations in second object.")
        quat = _quaternions.product(self._quat, other._quat)
        return Rotation._of(quat / np.sqrt((quat * quat).sum(-1, keepdims=True)))

    @beside
    def __pow__(self, n, modulus=None):
        if modulus is not None:
            raise refuse("modulus not supported", NotImplementedError)
        n = exponent(n)
        if n == 0:
            return Rotation.identity(shape=self.shape)
        if n == -1:
            return self.inv()
        if n == 1:
            return Rotation._of(self._quat.copy())
        return Rotation._of(_quaternions.of_vectors(n * _quaternions.to_vectors(self._quat)))

    def __len__(self):
        if self.single:
            raise refuse("Single rotation has no len().", TypeError)
        return self._quat.shape[0]

    def __bool__(self):
        return True

    def __iter__(self):
        if self.single:
            raise refuse("Single rotation is not iterable.", TypeError)
        return (Rotation._of(one) for one in self._quat)

    @beside
    def __getitem__(self, indexer):
        if self.single:
            raise refuse("Single rotation is not subscriptable.", TypeError)
        return Rotation._of(self._quat[lead_index(indexer)])

    @beside
    def __setitem__(self, indexer, value):
        if self.single:
            raise refuse("Single rotation is not subscriptable.", TypeError)
        if not isinstance(value, Rotation):
            raise refuse("value must be a Rotation object", TypeError)
        # Arrays may be shared with other rotations.
        quat = self._quat.copy()
        quat[lead_index(indexer)] = value._quat
        self._quat = quat

    def __repr__(self):
        text = f"{self.as_matrix()!r}".splitlines()
        return "Rotation.from_matrix(" + ("\n" + 21 * " ").join(text) + ")"

    def __getstate__(self):
        return self._quat.get()

    def __setstate__(self, state):
        self._quat = np.asarray(state)


def lead_of(num, shape):
    """The shape of a number of rotations or of a shape."""
    if num is not None and shape is not None:
        raise refuse("Only one of `num` or `shape` can be specified.")
    given = num if shape is None else shape
    if given is None:
        return ()
    if isinstance(given, list):
        raise refuse("`shape` must be an int or a tuple of ints or None.")
    return tuple(given) if isinstance(given, tuple) else (operator.index(given),)


def lead_index(indexer):
    """An index of rotations as one of their quaternions."""
    if isinstance(indexer, list):
        import numpy

        indexer = np.asarray(numpy.asarray(indexer))
    return (*(indexer if isinstance(indexer, tuple) else (indexer,)),)


def exponent(n):
    """An exponent as a number."""
    n = host(n, float)
    if n.size != 1 or n.ndim > 1:
        raise refuse("Array exponent must be a scalar")
    return float(n.reshape(()))


def _triples(x, name):
    x = floating(x)
    if x.ndim == 0 or x.shape[-1] != 3:
        raise refuse(f"Expected `{name}` to have shape (3,) or (N, 3), got {x.shape}")
    return x
