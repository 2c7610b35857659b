"""Factors of matrices, checked by their product and their form."""

import numpy

# The allowed error of a product of factors in units of rounding, for each row or column.
UNITS = 64.0


def epsilon(array):
    """The distance from 1 to the next number of an array's dtype."""
    return float(numpy.finfo(array.dtype).eps)


def wide(array):
    """The numbers converted to complex."""
    return array.astype("complex128")


def adjoint(matrices):
    """The conjugate transposes."""
    return matrices.conj().swapaxes(-1, -2)


def near(found, expected, unit, what):
    """A text about matrices that should be equal up to rounding and are not, or None."""
    if found.shape != expected.shape:
        return f"{what} has the shape {found.shape}, expected {expected.shape}"
    size = max(*expected.shape[-2:], 1)
    largest = numpy.abs(expected).max(axis=(-2, -1), initial=1.0)
    most = numpy.abs(found - expected).max(axis=(-2, -1), initial=0.0)
    if (most <= UNITS * unit * size * largest).all():
        return None
    return f"{what} is off by {most.max():e}"


def orthonormal(matrices, unit, what):
    """A text about matrices whose columns should be orthonormal and are not, or None."""
    products = adjoint(matrices) @ matrices
    identity = numpy.broadcast_to(numpy.eye(products.shape[-1]), products.shape)
    return near(products, identity, unit, what)


def check(way, given, found):
    """A text about wrong factors of a matrix, or of each of a stack, or None."""
    unit = max(map(epsilon, found))
    given = wide(given)
    match way, [wide(factor) for factor in found]:
        case "qr", [q, r]:
            return (
                orthonormal(q, unit, "q")
                or near(q @ r, given, unit, "q @ r")
                or near(r, numpy.triu(r), 0.0, "r below its diagonal")
            )
        case "svd", [u, s, vh]:
            count = s.shape[-1]
            product = (u[..., :count] * s[..., None, :]) @ vh[..., :count, :]
            return (
                orthonormal(u, unit, "u")
                or orthonormal(adjoint(vh), unit, "vh")
                or near(product, given, unit, "u * s @ vh")
            )
        case ("eigh" | "eig"), [values, vectors]:
            fault = orthonormal(vectors, unit, "v") if way == "eigh" else None
            norms = numpy.linalg.norm(vectors, axis=-2) ** 2
            if (numpy.abs(norms - 1.0) > UNITS * unit).any():
                fault = fault or "eigenvectors are no unit vectors"
            product = vectors * values[..., None, :]
            return fault or near(given @ vectors, product, unit, "a @ v - v * w")
    raise ValueError(f"bug: {way} compares no {len(found)} answers")


def unordered(found, expected):
    """A text about wrong elements of vectors, which may be in any order, or None."""
    if found.ndim == 0:
        return "a scalar has no order"
    unit = epsilon(found) if found.dtype.kind in "fc" else 0.0
    extent = found.shape[-1]
    # Both extents are computed: for vectors without elements `-1` is ambiguous.
    shape = (found.size // max(extent, 1), extent)
    for left, right in zip(wide(found).reshape(shape), wide(expected).reshape(shape)):
        rest = list(right)
        largest = max([1.0, *map(abs, rest)])
        for value in left:
            nearest = min(range(len(rest)), key=lambda at: abs(rest[at] - value))
            distance = abs(rest.pop(nearest) - value)
            # Eigenvalues of a defective matrix change by a root of a perturbation.
            if not distance <= unit**0.75 * largest:
                return f"{value} is {distance:e} from the nearest one expected"
    return None
