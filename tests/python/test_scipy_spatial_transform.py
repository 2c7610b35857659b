"""Rotations and rigid transforms of ``scipy.spatial.transform``, compared with SciPy's."""

import pickle

import numpy
import pytest
import scipy.spatial.transform as theirs

import phalanx
from phalanx.scipy.spatial import transform as ours

from .signal_cases import outcome, some
from .spatial_cases import check, owned

KINDS = (ours.Rotation, ours.RigidTransform, ours.Slerp, ours.RotationSpline)


def plain(x):
    """A result as arrays that can be compared; quaternions with one sign."""
    if isinstance(x, (ours.Rotation, theirs.Rotation)):
        return x.as_quat(canonical=True)
    if isinstance(x, (ours.RigidTransform, theirs.RigidTransform)):
        return x.as_matrix()
    return tuple(map(plain, x)) if isinstance(x, tuple) else x


def both(kind, make):
    """SciPy's object and ours, of a constructor's name and arguments."""
    name, *given = make
    return [getattr(getattr(place, kind), name)(*change) for place, change in
            ((theirs, given), (ours, [owned(one) for one in given]))]


def same(other, own, tolerance=1e-12):
    check(own if isinstance(own, Exception) else plain(own),
          other if isinstance(other, Exception) else plain(other), tolerance)


def compare(kind, name, *given, tolerance=1e-12, **options):
    """Calls a static method of SciPy's class and of ours."""
    other = outcome(getattr(getattr(theirs, kind), name), *given, **options)
    options = {key: owned(value) for key, value in options.items()}
    own = outcome(getattr(getattr(ours, kind), name), *map(owned, given), **options)
    same(other, own, tolerance)


def draws(seed=0):
    return numpy.random.default_rng(seed)


def quaternions(shape=(7,), seed=0):
    x = draws(seed).standard_normal((*shape, 4))
    if shape == (7,):
        # Turns by nothing, by half a turn, and by very little.
        x[:3] = [[0, 0, 0, -1], [0, -1, 0, 0], [1e-9, 0, 2e-9, 1]]
    return x


def rotations(shape=(7,), seed=0):
    return both("Rotation", ("from_quat", quaternions(shape, seed)))


SHAPES = [(7,), (), (0,), (1,), (2, 3)]
SEQUENCES = ["xyz", "zyx", "XYZ", "ZXZ", "zxz", "yzx", "YXZ", "xzx"]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_forms(shape):
    other, own = rotations(shape)
    for name, options in (("as_quat", {}), ("as_quat", {"canonical": True}),
                          ("as_quat", {"scalar_first": True}), ("as_matrix", {}),
                          ("as_rotvec", {}), ("as_rotvec", {"degrees": True}), ("as_mrp", {}),
                          ("inv", {}), ("magnitude", {})):
        same(getattr(other, name)(**options), getattr(own, name)(**options))
    assert (own.shape, own.single) == (other.shape, other.single)
    same(outcome(len, other), outcome(len, own))
    if shape == ():
        same(outcome(list, other), outcome(list, own))
    else:
        for one, another in zip(other, own, strict=True):
            same(one, another)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_constructors(shape):
    r = rotations(shape)[0]
    compare("Rotation", "from_quat", quaternions(shape), scalar_first=True)
    compare("Rotation", "from_matrix", r.as_matrix())
    compare("Rotation", "from_matrix", r.as_matrix(), assume_valid=True)
    compare("Rotation", "from_rotvec", r.as_rotvec() * 1.5)
    compare("Rotation", "from_rotvec", r.as_rotvec(degrees=True), degrees=True)
    compare("Rotation", "from_rotvec", r.as_rotvec() * 1e-4)
    compare("Rotation", "from_mrp", r.as_mrp())
    for seq in some(["x", "Y", "xy", "ZX", *SEQUENCES]):
        angles = draws(1).uniform(-7, 7, (*shape, len(seq)))
        compare("Rotation", "from_euler", seq, angles)
        compare("Rotation", "from_euler", seq, angles * 50, degrees=True)


@pytest.mark.parametrize("kind", "fi")
def test_other_dtypes(kind):
    x = (draws(2).standard_normal((5, 4)) * 9).astype(kind)
    compare("Rotation", "from_quat", x)
    compare("Rotation", "from_rotvec", x[:, :3])


@pytest.mark.parametrize("seq", SEQUENCES)
def test_euler_angles(seq):
    other, own = rotations()
    for degrees in (False, True):
        same(other.as_euler(seq, degrees, suppress_warnings=True),
             own.as_euler(seq, degrees, suppress_warnings=True), 1e-7)
    # Angles that are not unique.
    middle = (0.0, numpy.pi) if seq[0].lower() == seq[2].lower() else (0.5, -0.5)
    angles = [[0.3, one * (1 if one in (0.0, numpy.pi) else numpy.pi), 0.4] for one in middle]
    other, own = both("Rotation", ("from_euler", seq, numpy.array(angles)))
    with pytest.warns(UserWarning, match="Gimbal"):
        found = own.as_euler(seq)
    same(other.as_euler(seq, suppress_warnings=True), found, 1e-7)


@pytest.mark.parametrize("order", ["e", "intrinsic"])
def test_davenport_angles(order):
    turn = theirs.Rotation.from_rotvec([0.3, -0.5, 0.9])
    tilt = theirs.Rotation.from_rotvec([0.0, 0.7, 0.0]).apply([0, 0, 1.0])
    for axes in (numpy.eye(3), numpy.eye(3)[[0, 1, 0]], -numpy.eye(3)[[2, 0, 1]],
                 numpy.array([[0, 0, 1.0], [0, 1.0, 0], tilt])):
        axes = turn.apply(axes) * 2
        angles = draws(3).uniform(-1, 1, (6, 3))
        for count in (1, 2, 3):
            compare("Rotation", "from_davenport", axes[:count], order, angles[:, :count])
        other, own = both("Rotation", ("from_davenport", axes, order, angles))
        same(other.as_davenport(axes, order), own.as_davenport(owned(axes), order), 1e-9)
        same(other[0].as_davenport(axes, order, True), own[0].as_davenport(axes, order, True), 1e-9)


def test_matrices_that_are_no_rotations():
    m = rotations((40,))[0].as_matrix()
    noise = draws(4).standard_normal(m.shape)
    compare("Rotation", "from_matrix", m + 0.1 * noise, tolerance=1e-10)
    compare("Rotation", "from_matrix", 3 * m[0] + 0.4 * noise[0], tolerance=1e-10)
    stretched = m[:5] @ numpy.diag([1e-3, 1.0, 1e3])
    compare("Rotation", "from_matrix", stretched, tolerance=1e-9)
    for wrong in (-m, numpy.zeros((3, 3)), m[:, :2], m[0, 0], numpy.eye(4)):
        compare("Rotation", "from_matrix", wrong)


def test_apply():
    for shape in ((7,), (), (1,), (2, 3)):
        other, own = rotations(shape)
        for vectors in ((3,), (7, 3), (1, 3), (2, 7, 3), (2, 3, 3), (4, 3), (3, 2), (0, 3)):
            x = draws(5).standard_normal(vectors)
            for inverse in (False, True):
                same(outcome(other.apply, x, inverse), outcome(own.apply, owned(x), inverse))


def test_products_and_powers():
    for shapes in (((7,), (7,)), ((7,), ()), ((), (7,)), ((2, 1), (3,)), ((7,), (2,))):
        (other, own), (other_right, own_right) = rotations(shapes[0]), rotations(shapes[1], 9)
        same(outcome(lambda: other * other_right), outcome(lambda: own * own_right))
        same(outcome(other.approx_equal, other_right), outcome(own.approx_equal, own_right))
    for exponent in (0, 1, -1, 2, 0.5, -2.7, numpy.array([3.0]), numpy.array([1.0, 2])):
        same(outcome(lambda: other**exponent), outcome(lambda: own**exponent), 1e-11)
    same(outcome(pow, other, 2, 3), outcome(pow, own, 2, 3))
    same(outcome(lambda: other * 3), outcome(lambda: own * 3))
    near = own * ours.Rotation.from_rotvec([0, 0, 1e-3])
    assert own.approx_equal(near, atol=1e-2).all() and not own.approx_equal(near).any()
    assert own.approx_equal(near, atol=1, degrees=True).all()


def test_means():
    other, own = rotations((9,))
    weights = draws(6).random(9)
    for given in (None, weights, -weights, weights[:4]):
        same(outcome(other.mean, given), outcome(own.mean, owned(given)), 1e-10)
    other, own = rotations((4, 3))
    for axis in (None, 0, 1, -1, (0, 1), 2, 1.5):
        same(outcome(other.mean, axis=axis), outcome(own.mean, axis=axis), 1e-10)
    other, own = rotations((0,))
    same(outcome(other.mean), outcome(own.mean))


@pytest.mark.parametrize("count", [1, 2, 3, 50])
def test_alignment(count):
    b = draws(7).standard_normal((count, 3))
    a = theirs.Rotation.from_rotvec([0.3, 0.4, -1]).apply(b)
    a = a + 0.1 * draws(8).standard_normal(a.shape)
    weights = draws(9).random(count)
    infinite = weights.copy()
    infinite[-1] = numpy.inf
    for given in (None, weights, infinite, -weights, weights[1:], weights[:, None]):
        if given is not None and not given.size:
            continue
        compare("Rotation", "align_vectors", a, b, given, tolerance=1e-9)
        compare("Rotation", "align_vectors", a, b, given, True, tolerance=1e-8)
    compare("Rotation", "align_vectors", a[0], b[0])
    compare("Rotation", "align_vectors", a, b[:, :2])
    compare("Rotation", "align_vectors", a, b[:-1])
    compare("Rotation", "align_vectors", numpy.eye(3), numpy.diag([1.0, 1, -1]), tolerance=1e-9)


@pytest.mark.parametrize("group", ["I", "O", "T", "C1", "C5", "D4"])
def test_groups(group):
    compare("Rotation", "create_group", group, axis="X")
    other, own = rotations((12,))
    groups = both("Rotation", ("create_group", group))
    for left, right in ((0, 1), (1, 0), (1, 1), (0, 0)):
        results = []
        for one, elements in zip((other, own), groups):
            sides = [elements if side else None for side in (left, right)]
            results.append(one.reduce(*sides, return_indices=True))
        # Equal angles may have several reductions.
        same(results[0][0].magnitude(), results[1][0].magnitude(), 1e-9)
        for their, our in zip(results[0][1:], results[1][1:]):
            assert (their is None) == (our is None)
        if left and not right:
            same(groups[0][results[1][1].get()] * other, results[1][0])


def test_groups_are_checked():
    for group in ("Q", "C0", "Cx", 3):
        compare("Rotation", "create_group", group)
    compare("Rotation", "create_group", "I", "Q")


def test_wrong_arguments():
    for name, given in (
        ("from_quat", [numpy.zeros(4)]), ("from_quat", [numpy.ones(3)]),
        ("from_rotvec", [numpy.ones(2)]), ("from_mrp", [numpy.ones((2, 4))]),
        ("from_euler", ["x", [1, 2]]), ("from_euler", ["xy", 1]), ("from_euler", ["xx", [1, 2]]),
        ("from_euler", ["xY", [1, 2]]), ("from_euler", ["", 1]), ("from_euler", ["q", 1]),
        ("from_euler", ["x", 1]), ("from_euler", ["x", [[1], [2]]]),
        ("from_davenport", [[1, 0, 0], "e", 1]), ("from_davenport", [[1, 0, 0], "e", [1, 2]]),
        ("from_davenport", [numpy.ones((2, 3)), "e", [1, 2]]),
        ("from_davenport", [numpy.eye(3), "z", [1, 2, 3]]),
        ("from_davenport", [numpy.eye(4), "e", [1, 2, 3]]),
        ("concatenate", [[]]), ("concatenate", [[1]]), ("identity", []), ("identity", [3]),
    ):
        compare("Rotation", name, *given)
    compare("Rotation", "identity", shape=(2, 3))
    compare("Rotation", "identity", 2, shape=3)
    other, own = rotations()
    for name, given in (("as_euler", ["xy"]), ("as_euler", ["xxy"]), ("as_euler", ["xyq"]),
                        ("as_davenport", [numpy.eye(3)[:2], "e"]), ("apply", [[1, 2]]),
                        ("as_davenport", [numpy.eye(3), "z"])):
        same(outcome(getattr(other, name), *given), outcome(getattr(own, name), *given))


@pytest.mark.parametrize("kind", ["Rotation", "RigidTransform"])
def test_elements(kind):
    other, own = rotations()
    if kind == "RigidTransform":
        shift = draws(1).standard_normal((7, 3))
        other = theirs.RigidTransform.from_components(shift, other)
        own = ours.RigidTransform.from_components(owned(shift), own)
    for index in (0, -1, slice(1, 5, 2), [0, 3], numpy.array([2, 2]), numpy.arange(7) > 3, 9, None):
        same(outcome(lambda: other[index]), outcome(lambda: own[index]))
    same(outcome(lambda: other[0][0]), outcome(lambda: own[0][0]))
    kept = own[:]
    other[1:3], own[1:3] = other[5:], own[5:]
    same(other, own)
    same(outcome(lambda: other[0] == 1), outcome(lambda: own[0] == 1))
    assert not numpy.array_equal(plain(kept).get(), plain(own).get())
    same(outcome(other.__setitem__, 0, 3), outcome(own.__setitem__, 0, 3))
    same(outcome(other[0].__setitem__, 0, 3), outcome(own[0].__setitem__, 0, 3))
    for one, another in zip(other, own, strict=True):
        same(one, another)
    same(getattr(theirs, kind).concatenate([other, other[0]]),
         getattr(ours, kind).concatenate([own, own[0]]))
    same(other, pickle.loads(pickle.dumps(own)))
    assert repr(own[0]).startswith(f"{kind}.from_matrix(array([[")


def test_random_rotations():
    for given in ({}, {"num": 5}, {"shape": (2, 3)}, {"num": 0}):
        own = ours.Rotation.random(**given)
        assert own.shape == theirs.Rotation.random(**given).shape
    own = ours.Rotation.random(4000, rng=3)
    numpy.testing.assert_allclose((own.as_quat() ** 2).sum(-1).get(), 1)
    assert abs(own.as_quat().get().mean(0)).max() < 0.05
    same(own, ours.Rotation.random(4000, rng=3))
    made = numpy.random.default_rng(3)
    same(theirs.Rotation.random(6, rng=numpy.random.default_rng(3)),
         ours.Rotation.random(6, rng=made))


def test_slerp():
    times = numpy.array([0, 1, 1.5, 4, 5, 5.25, 6])
    other, own = rotations()
    spherical = theirs.Slerp(times, other), ours.Slerp(owned(times), own)
    for at in (0.3, 0, 6, times, numpy.linspace(0, 6, 40), [], [[1.0]], 7, -1):
        same(outcome(spherical[0], at), outcome(spherical[1], owned(at)), 1e-11)
    for wrong in (times[:3], times[::-1], times[:, None], times * 0):
        same(outcome(theirs.Slerp, wrong, other), outcome(ours.Slerp, owned(wrong), own))
    same(outcome(theirs.Slerp, [0], other[0]), outcome(ours.Slerp, [0], own[0]))
    same(outcome(theirs.Slerp, [0, 1], 3), outcome(ours.Slerp, [0, 1], 3))


@pytest.mark.parametrize("count", [2, 3, 7])
def test_spline(count):
    times = numpy.array([0, 1, 1.5, 4, 5, 5.25, 6])[:count]
    other, own = rotations((7,))
    spline = theirs.RotationSpline(times, other[:count]), ours.RotationSpline(times, own[:count])
    for order in (0, 1, 2, 3):
        for at in (0.3, 0, times, numpy.linspace(-1, 7, 50), 0.0001, [[1.0]]):
            same(outcome(spline[0], at, order), outcome(spline[1], owned(at), order), 1e-8)
    same(outcome(theirs.RotationSpline, times, other[:1]),
         outcome(ours.RotationSpline, times, own[:1]))
    same(outcome(theirs.RotationSpline, times * 0, other[:count]),
         outcome(ours.RotationSpline, times * 0, own[:count]))


def rigid(shape=(7,), seed=0):
    shift = draws(seed + 50).standard_normal((*shape, 3))
    other, own = rotations(shape, seed)
    return (theirs.RigidTransform.from_components(shift, other),
            ours.RigidTransform.from_components(owned(shift), own))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_rigid_forms(shape):
    other, own = rigid(shape)
    for name in ("as_matrix", "as_exp_coords", "as_dual_quat", "inv", "as_components"):
        other_result = getattr(other, name)()
        own_result = getattr(own, name)()
        if name == "as_dual_quat":
            # Both signs are of the same transform.
            sign = numpy.sign((other_result * own_result.get()).sum(-1, keepdims=True))
            other_result = other_result * sign
        same(other_result, own_result, 1e-9)
    same(other.as_matrix()[..., :3, 3], own.translation)
    same(other.rotation, own.rotation)
    for name, values in (("from_matrix", other.as_matrix()),
                         ("from_exp_coords", draws(3).standard_normal((*shape, 6))),
                         ("from_exp_coords", 1e-5 * draws(3).standard_normal((*shape, 6))),
                         ("from_dual_quat", draws(4).standard_normal((*shape, 8))),
                         ("from_translation", draws(5).standard_normal((*shape, 3)))):
        compare("RigidTransform", name, values, tolerance=1e-10)


def test_rigid_arithmetic():
    for shapes in (((7,), (7,)), ((7,), ()), ((), (7,)), ((7,), (2,))):
        (other, own), (other_right, own_right) = rigid(shapes[0]), rigid(shapes[1], 9)
        same(outcome(lambda: other * other_right), outcome(lambda: own * own_right))
    other, own = rigid()
    # SciPy rounds the exponent to `float32`.
    for exponent in (0, 1, -1, 2, 0.5, -2.75):
        same(other**exponent, own**exponent, 1e-9)
    for vectors in ((3,), (7, 3), (2, 7, 3), (4, 3), (2,)):
        x = draws(5).standard_normal(vectors)
        for inverse in (False, True):
            same(outcome(other.apply, x, inverse), outcome(own.apply, owned(x), inverse))
    weights = draws(6).random(7)
    for given in ({}, {"weights": weights}, {"axis": 0}, {"weights": -weights}, {"axis": 3}):
        same(outcome(other.mean, **given),
             outcome(own.mean, **{key: owned(value) for key, value in given.items()}), 1e-10)
    same(outcome(len, other[0]), outcome(len, own[0]))
    same(outcome(list, other[0]), outcome(list, own[0]))


def test_rigid_arguments():
    matrix = numpy.eye(4)
    skew = matrix.copy()
    skew[0, 1] = 0.3
    for name, given in (
        ("from_matrix", numpy.ones((2, 4, 4))), ("from_matrix", numpy.eye(3)),
        ("from_matrix", skew), ("from_matrix", -matrix), ("from_translation", [1, 2]),
        ("from_exp_coords", numpy.ones((3, 5))), ("from_dual_quat", numpy.zeros(8)),
        ("from_dual_quat", numpy.ones(7)), ("from_rotation", 3), ("concatenate", [3]),
        ("identity", 0), ("identity", 2), ("from_dual_quat", numpy.arange(8.0)),
    ):
        compare("RigidTransform", name, given)
    compare("RigidTransform", "from_dual_quat", numpy.arange(8.0), scalar_first=True)
    other, own = rotations()
    same(outcome(theirs.RigidTransform.from_components, numpy.ones((4, 3)), other),
         outcome(ours.RigidTransform.from_components, numpy.ones((4, 3)), own))
    for kind in KINDS:
        assert kind.__doc__ and isinstance(own._quat, phalanx.ndarray)
