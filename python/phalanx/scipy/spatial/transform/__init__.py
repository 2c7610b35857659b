"""Rotations and rigid transforms in three dimensions: names of ``scipy.spatial.transform``."""

from ._interpolation import RotationSpline, Slerp
from ._rigid import RigidTransform
from ._rotation import Rotation

__all__ = ["RigidTransform", "Rotation", "RotationSpline", "Slerp"]
