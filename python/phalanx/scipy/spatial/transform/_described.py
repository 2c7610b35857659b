"""Docstrings of rotations, composed from a function's summary and a table of parameters."""

from ... import _describing
from ..._describing import COLLECTIVE as COLLECTIVE
from ..._describing import HOST as HOST
from ..._describing import RECORDED as RECORDED

_ARRAY = "array_like"

PARAMETERS = {
    "quat": (_ARRAY, "The quaternions, along the last axis; of any length but 0."),
    "scalar_first": ("bool", "Whether the scalar part is the first element, and not the last one."),
    "canonical": ("bool", "Whether the first part that is not zero, from the scalar part, is "
                  "positive."),
    "matrix": (_ARRAY, "The matrices, along the last two axes."),
    "assume_valid": ("bool", "Whether matrices are known to be rotations, and not checked."),
    "rotvec": (_ARRAY, "The vectors, along the last axis: axes times angles."),
    "degrees": ("bool", "Whether angles are in degrees, and not in radians."),
    "mrp": (_ARRAY, "The parameters, along the last axis: axes times the tangent of a quarter of "
            "the angle."),
    "seq": ("str", "The axes: letters of ``xyz`` for turns about fixed axes, of ``XYZ`` for those "
            "about axes that turn along."),
    "angles": ("float or array_like", "The angles; those about different axes are along the last "
               "axis."),
    "axes": (_ARRAY, "The axes, one in each row; each is orthogonal to the next one."),
    "order": ("{'extrinsic', 'intrinsic', 'e', 'i'}", "Whether axes are fixed or turn along."),
    "suppress_warnings": ("bool", "Whether there is no warning of angles that are not unique."),
    "rotations": ("Rotation or sequence of Rotation", "The rotations."),
    "vectors": (_ARRAY, "The vectors, along the last axis; other axes broadcast."),
    "inverse": ("bool", "Whether the inverse is applied."),
    "weights": (_ARRAY, "The weights; equal ones by default."),
    "axis": ("int or tuple of int", "The axes of the mean; all by default."),
    "num": ("int", "How many; a single one, without an axis, by default."),
    "shape": ("int or tuple of int", "The shape, in place of `num`."),
    "rng": ("Generator or int", "The generator of random numbers, or its seed."),
    "random_state": ("RandomState or int", "The generator of random numbers, or its seed."),
    "left": ("Rotation", "The rotations that are applied after this one; none by default."),
    "right": ("Rotation", "The rotations that are applied before this one; none by default."),
    "return_indices": ("bool", "Whether the numbers of the chosen rotations are returned."),
    "group": ("str", "The group: I, O, T, or D or C with a number."),
    "atol": ("float", "The angle below which rotations are equal; 1e-8 radians by default."),
    "a": (_ARRAY, "The vectors after the rotation, one in each row."),
    "b": (_ARRAY, "The vectors before the rotation, one in each row."),
    "return_sensitivity": ("bool", "Whether the sensitivity is returned."),
    "translation": (_ARRAY, "The translations, along the last axis."),
    "rotation": ("Rotation", "The rotations."),
    "exp_coords": (_ARRAY, "The coordinates, along the last axis: three of the rotation, three of "
                   "the translation."),
    "dual_quat": (_ARRAY, "The dual quaternions, along the last axis: the real part and the dual "
                  "part."),
    "vector": (_ARRAY, "The vectors, along the last axis; other axes broadcast."),
    "transforms": ("RigidTransform or sequence of RigidTransform", "The transforms."),
    "times": ("float or array_like", "The times."),
}

described = _describing.describer(PARAMETERS)
