"""Rotations and rigid transforms: parameters of the classes of ``scipy.spatial.transform``."""

import numpy

from .drawing import FLOATS, Array

EXACT = set()
COARSE = None
LEADING = ()
ARRAYS = {"dtypes": ["float64", "float64", "float32"], "rare": ["int32"]}
LEFT_OUT = {"Rotation.random": "random draws"}
# A quaternion and its opposite are one rotation.
SHOWN = {**dict.fromkeys(["Rotation", "RigidTransform"], lambda one: (one.as_matrix(), one.shape)),
         "Slerp": lambda one: one.times, "RotationSpline": lambda one: one.times}
SEQUENCES = ["xyz", "zyx", "XYZ", "ZXZ", "zxz", "x", "Z", "zx", "XY", "xY", "xx", "abc", "xyzx"]


def lead(d):
    """The axes of rotations: one, some, or none of them."""
    made = getattr(d, "lead", None)
    if made is None:
        none = (0,) if d.often(0.3) else ()
        made = d.lead = d.one([(), (1,), (3,), (5,), (2, 3), (3,), (), none])
    return made


def beside(d):
    """Axes of another argument: the same, none, one, or others that do not fit."""
    one = d.of if d.of is not None else d
    return d.one([lead(one), lead(one), (), (1,), (4,) if d.often(0.1) else ()])


def triples(shape, count=3):
    def made(d):
        size = count if d.often(0.96) else count + 1
        return d.laid(d.chance.normal(size=(*shape(d), size)).astype(d.one(FLOATS)))
    return made


def whole_matrix(d):
    """A matrix of a rotation, or one that is near to it."""
    made = _rotations(d, lead(d))
    return d.laid(made + (0 if d.often(0.7) else 0.05 * d.chance.normal(size=made.shape)))


def _rotations(d, shape):
    made, _ = numpy.linalg.qr(d.chance.normal(size=(*shape, 3, 3)))
    return made * numpy.linalg.det(made)[..., None, None]


def rigid_matrix(d):
    shape = lead(d)
    made = numpy.zeros((*shape, 4, 4))
    made[..., :3, :3], made[..., 3, 3] = _rotations(d, shape), 1
    made[..., :3, 3] = d.chance.normal(size=(*shape, 3))
    if d.often(0.05):
        made[..., 3, 0] = 2
    return d.laid(made)


def angles(d):
    seq = d.values.get("seq")
    count = len(seq) if isinstance(seq, str) else 3
    shape = lead(d)
    made = numpy.round(d.chance.uniform(-3, 3, (*shape, count if d.often(0.96) else 4)), 2)
    return d.laid(made) if count > 1 or d.often(0.7) else d.one([0.5, Array([0.2, 1.0, -1.0])])


def frame(d):
    """Axes of which each is orthogonal to the next one."""
    made = _rotations(d, ())[: d.one([3, 3, 2, 1])]
    return Array(made if d.often(0.95) else made + 0.3)


def angles_about_axes(d):
    axes = d.array_of("axes")
    count = len(axes) if axes.ndim == 2 else 1
    return Array(numpy.round(d.chance.uniform(-1.5, 1.5, (*d.one([(), (3,)]), count)), 2))


def another(kind, shape=beside):
    return lambda d: d.object(kind, lead=shape(d))


def some(kind):
    return lambda d: d.one([[d.object(kind), d.object(kind)], d.object(kind, lead=(3,)), []])


def weights(d):
    shape = lead(d.of)
    made = d.chance.uniform(0.1, 1, shape if d.often(0.95) else (7,))
    return d.one([None, Array(made if d.often(0.95) else -made)])


def turns(d):
    return d.object("Rotation", lead=(d.count,) if d.often(0.95) else (d.count + 1,))


def ascending(d):
    d.count = d.whole(2, 6)
    made = numpy.cumsum(numpy.round(d.chance.uniform(0.2, 1, d.count), 2))
    d.line = made
    return Array(made if d.often(0.95) else made[::-1])


def inside(d):
    line = d.of.line
    made = d.chance.uniform(line[0], line[-1], d.one([(), (1,), (4,), (0,)]))
    return Array(made if d.often(0.93) else made + 9)


def vectors(d):
    d.count = d.whole(1, 6)
    return d.laid(d.chance.normal(size=(d.count, 3)) if d.often(0.9) else d.chance.normal(size=3))


def turned(d):
    """Vectors that are nearly turned ones."""
    a = d.array_of("a")
    if a.shape[-1:] != (3,) or d.often(0.04):
        return Array(numpy.ones((2, 3)))
    return d.laid(a @ _rotations(d, ()) + 0.05 * d.chance.normal(size=a.shape))


def index(d):
    return d.one([0, -1, slice(1, None), slice(None, None, -1), Ellipsis, Array(numpy.array([
        0, 0])), 9 if d.often(0.2) else 0])


DEGREES = {"degrees": lambda d: d.often(0.5), "suppress_warnings": lambda d: True}
PARAMETERS = {
    **DEGREES, "scalar_first": lambda d: d.often(0.5), "canonical": lambda d: d.often(0.5),
    "normalize": lambda d: True, "copy": lambda d: d.often(0.5), "inverse": lambda d: d.often(0.5),
    "assume_valid": lambda d: False, "quat": triples(lead, 4), "rotvec": triples(lead),
    "mrp": triples(lead), "seq": lambda d: d.one(SEQUENCES[:-4] if d.often(0.9) else SEQUENCES),
    "angles": angles, "num": lambda d: d.one([None, 0, 1, 3]), "shape": lambda d: d.one([
        None, (), 2, (2, 3)]), "modulus": lambda d: None, "order": lambda d: d.one([
            "e", "i", "extrinsic", "intrinsic", "none" if d.often(0.1) else "e"]),
    "matrix": whole_matrix, "axes": frame, "vectors": triples(beside), "vector": triples(beside),
    "n": lambda d: d.one([0, 1, 2, -1, 0.5, 3, -2.5]), "indexer": index, "weights": weights,
    "axis": lambda d: d.one([None, 0, -1, (0,), 5 if d.often(0.1) else 0]),
    "atol": lambda d: d.one([None, 0.1, 1.0]), "return_indices": lambda d: d.often(0.5),
    "left": another("Rotation", lambda d: (2,)), "right": another("Rotation", lambda d: (3,)),
    "rotations": some("Rotation"), "transforms": some("RigidTransform"),
    "group": lambda d: d.one(["I", "O", "T", "C3", "D4", "C1", "X2", "D0"]),
    "translation": triples(beside), "rotation": another("Rotation"), "dual_quat": triples(lead, 8),
    "exp_coords": triples(lead, 6),
}
OWN = {
    "RigidTransform": {"matrix": rigid_matrix}, "RigidTransform.from_matrix": {
        "matrix": rigid_matrix},
    "Rotation.__mul__": {"other": another("Rotation")},
    "RigidTransform.__mul__": {"other": another("RigidTransform")},
    "Rotation.approx_equal": {"other": another("Rotation")},
    "Rotation.from_davenport": {"angles": angles_about_axes},
    "Rotation.as_davenport": {"axes": lambda d: Array(_rotations(d, ())[: 3 if d.often(0.9) else
                                                                        2])},
    "Rotation.align_vectors": {"a": vectors, "b": turned, "weights": lambda d: d.one([
        None, Array(d.chance.uniform(0.1, 1, d.count))]), "return_sensitivity": lambda d: d.often(
            0.5)},
    "Rotation.create_group": {"axis": lambda d: d.one(["X", "Y", "Z", "W"])},
    **{name: {"times": ascending, "rotations": turns}
       for name in ("Slerp", "RotationSpline")},
    **{f"{name}.__call__": {"times": inside, "order": lambda d: d.one([0, 1, 2, 3 if d.often(
        0.2) else 0])} for name in ("Slerp", "RotationSpline")},
}


def units(name, values):
    """The allowed difference in units of the precision of the result."""
    return 2**24


def excuse(name, values, found, expected):
    """Whether SciPy computes with 32-bit floats, as it does for rotations of several axes."""
    if not isinstance(found, dict) or not isinstance(expected, dict) or list(found) != list(
            expected):
        return False
    singles = [key for key, one in expected.items() if getattr(one, "dtype", None) == "float32"]
    return bool(singles) and all(found[key].shape == expected[key].shape and numpy.allclose(
        found[key], expected[key], 1e-4, 1e-4) for key in singles)
