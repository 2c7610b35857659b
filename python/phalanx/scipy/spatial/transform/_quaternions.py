"""Unit quaternions of rotations, with the scalar part last, in other forms.

Functions take parts as separate arrays, so that whole computations are fused.
"""

import math

import phalanx as np

from ..._arguments import refuse

# Angles below this one are small: series replace divisions.
_SMALL = 1e-3
# Squares of angles below which `turn_factors` are series, which are exact there.
_SERIES = 0.01


def floating(x):
    """An argument as an array of `float64`."""
    x = x if isinstance(x, np.ndarray) else np.asarray(x)
    return x.astype(np.float64, copy=False)


def parts(x):
    """The elements along the last axis."""
    return [x[..., at] for at in range(x.shape[-1])]


def stacked(values):
    """Arrays as the elements along a new last axis."""
    return np.stack(np.broadcast_arrays(*values), axis=-1)


def dot(a, b):
    """The scalar product of vectors of parts."""
    return sum(one * other for one, other in zip(a[1:], b[1:])) + a[0] * b[0]


def cross(a, b):
    """The vector product of vectors of parts."""
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]


def product(a, b):
    """The products of quaternions."""
    a, b = parts(a), parts(b)
    over = cross(a, b)
    vector = [a[3] * b[at] + b[3] * a[at] + over[at] for at in range(3)]
    return stacked([*vector, a[3] * b[3] - dot(a[:3], b[:3])])


def conjugate(q):
    """The quaternions of the inverse rotations."""
    return q * np.asarray([-1.0, -1.0, -1.0, 1.0])


def normalized(q):
    """Quaternions of length 1. Collective: zeros are refused."""
    length = np.sqrt((q * q).sum(-1, keepdims=True))
    if bool((length == 0).any()):
        raise refuse("Found zero norm quaternions in `quat`.")
    return q / length


def canonical(q):
    """Quaternions whose first part that is not zero, from the scalar part, is positive."""
    x, y, z, w = parts(q)
    is_reversed = (w < 0) | ((w == 0) & (
        (x < 0) | ((x == 0) & ((y < 0) | ((y == 0) & (z < 0))))
    ))
    return np.where(is_reversed[..., None], -q, q)


def of_vectors(vectors):
    """Quaternions of rotation vectors."""
    angle = np.sqrt((vectors * vectors).sum(-1))
    square = angle * angle
    near = 0.5 - square / 48 + square * square / 3840
    is_small = angle <= _SMALL
    scale = np.where(is_small, near, np.sin(angle / 2) / np.where(is_small, 1.0, angle))
    return stacked([*(scale * one for one in parts(vectors)), np.cos(angle / 2)])


def to_vectors(q):
    """Rotation vectors of quaternions."""
    *vector, w = parts(canonical(q))
    angle = 2 * np.arctan2(np.sqrt(dot(vector, vector)), w)
    square = angle * angle
    near = 2 + square / 12 + 7 * square * square / 2880
    is_small = angle <= _SMALL
    scale = np.where(is_small, near, angle / np.where(is_small, 1.0, np.sin(angle / 2)))
    return stacked([scale * one for one in vector])


def angles(q):
    """The angles of rotations, between 0 and pi."""
    x, y, z, w = parts(q)
    return 2 * np.arctan2(np.sqrt(x * x + y * y + z * z), np.abs(w))


def of_rodrigues(mrp):
    """Quaternions of modified Rodrigues parameters."""
    square = (mrp * mrp).sum(-1)
    return stacked([*(2 * one / (1 + square) for one in parts(mrp)), (1 - square) / (1 + square)])


def to_rodrigues(q):
    """Modified Rodrigues parameters of quaternions."""
    *vector, w = parts(q)
    # Of both quaternions, the one of at most half a turn.
    sign = np.where(w < 0, -1.0, 1.0)
    return stacked([sign * one / (1 + sign * w) for one in vector])


def rows(q):
    """The rows of the matrices of quaternions, as lists of parts."""
    x, y, z, w = parts(q)
    xx, yy, zz, ww = x * x, y * y, z * z, w * w
    xy, zw, xz, yw, yz, xw = x * y, z * w, x * z, y * w, y * z, x * w
    return [
        [xx - yy - zz + ww, 2 * (xy - zw), 2 * (xz + yw)],
        [2 * (xy + zw), -xx + yy - zz + ww, 2 * (yz - xw)],
        [2 * (xz - yw), 2 * (yz + xw), -xx - yy + zz + ww],
    ]


def to_matrices(q):
    """The matrices of quaternions."""
    return stacked([one for row in rows(q) for one in row]).reshape(*q.shape[:-1], 3, 3)


def turned(q, vectors):
    """Vectors turned by quaternions."""
    v = parts(vectors)
    return stacked([dot(row, v) for row in rows(q)])


def of_matrices(matrices):
    """Quaternions of matrices of rotations (Markley 2008): the largest part is computed first, so
    that no digits are lost."""
    m = [[matrices[..., row, column] for column in range(3)] for row in range(3)]
    trace = m[0][0] + m[1][1] + m[2][2]
    choice = np.argmax(stacked([m[0][0], m[1][1], m[2][2], trace]), axis=-1)[..., None]
    found = stacked([m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], 1 + trace])
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        made = [None, None, None, m[k][j] - m[j][k]]
        made[i] = 1 - trace + 2 * m[i][i]
        made[j] = m[j][i] + m[i][j]
        made[k] = m[k][i] + m[i][k]
        found = np.where(choice == i, stacked(made), found)
    return found / np.sqrt((found * found).sum(-1, keepdims=True))


def rotations_of(matrices):
    """Matrices with the nearest rotations in place of those that are none. Collective: matrices
    without a positive determinant are refused."""
    m = [parts(matrices[..., row, :]) for row in range(3)]
    wrong = dot(m[0], cross(m[1], m[2])) <= 0
    if bool(wrong.any()):
        first = int(np.argmax(wrong.reshape(-1)))
        raise refuse("Non-positive determinant (left-handed or null coordinate frame) in rotation "
                     f"matrix {first}: {matrices.reshape(-1, 3, 3)[first].get()}.")
    errors = [dot(m[i], m[j]) - (i == j) for i in range(3) for j in range(i, 3)]
    is_exact = np.abs(errors[0]) <= 1e-12
    for one in errors[1:]:
        is_exact = is_exact & (np.abs(one) <= 1e-12)
    if bool(is_exact.all()):
        return matrices
    return np.where(is_exact[..., None, None], matrices, _nearest(matrices))


def _nearest(matrices):
    """The nearest rotations of matrices with a positive determinant: their polar factors, by
    Newton's iteration with scaling (Higham 1986), which needs no decomposition."""
    for _ in range(12):
        m = [parts(matrices[..., row, :]) for row in range(3)]
        cofactors = [cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])]
        determinant = dot(m[0], cofactors[0])
        inverse = [[one / determinant for one in row] for row in cofactors]
        size, inverse_size = (np.sqrt(sum(dot(row, row) for row in x)) for x in (m, inverse))
        scale = np.sqrt(inverse_size / size)
        found = [(scale * a + b / scale) / 2 for x, y in zip(m, inverse) for a, b in zip(x, y)]
        matrices = stacked(found).reshape(matrices.shape)
    return matrices


def elementary(axis, angle):
    """Quaternions of turns about a coordinate axis."""
    values = [np.zeros_like(angle)] * 3 + [np.cos(angle / 2)]
    values[axis] = np.sin(angle / 2)
    return stacked(values)


def radians(angle, degrees):
    """Angles in radians."""
    return angle * (math.pi / 180) if degrees else angle


def as_wanted(angle, degrees):
    """Angles in degrees, if that is wanted."""
    return angle * (180 / math.pi) if degrees else angle


def turn_factors(vectors):
    """For rotation vectors of angles n, the factors (1 - cos n) / n**2 and (n - sin n) / n**3 of
    simple and double vector products; and their derivatives by n, divided by n."""
    square = dot(vectors, vectors)
    is_small = square < _SERIES
    n2 = np.where(is_small, 1.0, square)
    n = np.sqrt(n2)
    sine, cosine = np.sin(n), np.cos(n)

    def series(*terms):
        total = terms[-1]
        for one in reversed(terms[:-1]):
            total = one + square * total
        return total

    values = [
        (series(1 / 2, -1 / 24, 1 / 720, -1 / 40320, 1 / 3628800), (1 - cosine) / n2),
        (series(1 / 6, -1 / 120, 1 / 5040, -1 / 362880, 1 / 39916800), (n - sine) / (n2 * n)),
        (series(-1 / 12, 1 / 180, -1 / 6720, 1 / 453600, -1 / 47900160),
         (n * sine + 2 * cosine - 2) / (n2 * n2)),
        (series(-1 / 60, 1 / 1260, -1 / 60480, 1 / 4989600, -1 / 622702080),
         (3 * sine - 2 * n - n * cosine) / (n2 * n2 * n)),
    ]
    return [np.where(is_small, near, value) for near, value in values]
