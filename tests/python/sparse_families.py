"""Families of sparse matrices that applications have, as SciPy's, and right-hand sides."""

import importlib.util
import pathlib

import numpy
import scipy.sparse


def second_differences(count):
    """The second difference along a line of points between two fixed ends."""
    parts = [-1.0, 2.0, -1.0]
    return scipy.sparse.diags_array(parts, offsets=[-1, 0, 1], shape=(count, count))


def sum_along_axes(parts):
    """The sum of operators that act on one axis of a grid each."""
    total = None
    for axis, part in enumerate(parts):
        whole = scipy.sparse.eye_array(1)
        for other, own in enumerate(parts):
            factor = part if other == axis else scipy.sparse.eye_array(own.shape[0])
            whole = scipy.sparse.kron(whole, factor, format="csr")
        total = whole if total is None else total + whole
    return scipy.sparse.csr_array(total)


def poisson(*counts):
    """The Laplace operator on a grid, with the value zero on its border."""
    return sum_along_axes([second_differences(count) for count in counts])


def convection_diffusion(count, speed=(30.0, -20.0)):
    """Diffusion with a flow, in upwind differences: not symmetric, an M-matrix."""
    step = 1.0 / (count + 1)
    parts = []
    for flow in speed:
        ahead, behind = min(flow, 0.0) * step, -max(flow, 0.0) * step
        line = [behind, abs(flow) * step, ahead]
        upwind = scipy.sparse.diags_array(line, offsets=[-1, 0, 1], shape=(count, count))
        parts.append(second_differences(count) + upwind)
    return sum_along_axes(parts)


def elasticity(columns, rows, poisson_ratio=0.3):
    """A plate in plane stress, of square elements with four corners and bilinear displacements.
    The left side is fixed. The unknowns of a point, along and across, are neighbours."""
    corners = numpy.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
    ratio = poisson_ratio
    stress = numpy.array([[1, ratio, 0], [ratio, 1, 0], [0, 0, (1 - ratio) / 2]]) / (1 - ratio**2)
    element = numpy.zeros((8, 8))
    # Two points of Gauss along each axis integrate the products of gradients exactly.
    for place in corners / numpy.sqrt(3):
        gradient = corners * (1 + corners * place)[:, ::-1] / 4 * 2
        strain = numpy.zeros((3, 8))
        strain[0, ::2] = strain[2, 1::2] = gradient[:, 0]
        strain[1, 1::2] = strain[2, ::2] = gradient[:, 1]
        # The area that belongs to the point of an element with sides of one.
        element += strain.T @ stress @ strain / 4
    points = numpy.arange((columns + 1) * (rows + 1)).reshape(columns + 1, rows + 1)
    nodes = [points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]]
    nodes = numpy.stack([part.ravel() for part in nodes], axis=1)
    unknowns = numpy.stack([2 * nodes, 2 * nodes + 1], axis=2).reshape(-1, 8)
    row, column = numpy.repeat(unknowns, 8, axis=1).ravel(), numpy.tile(unknowns, 8).ravel()
    values = numpy.tile(element.ravel(), len(unknowns))
    whole = scipy.sparse.coo_array((values, (row, column)), shape=(2 * points.size,) * 2).tocsr()
    free = slice(2 * (rows + 1), None)
    return scipy.sparse.csr_array(whole[free, free])


def laplacian(count, first, second):
    """The Laplacian of a graph without loops, plus the identity."""
    is_edge = first != second
    first, second = first[is_edge], second[is_edge]
    places = numpy.concatenate([first, second]), numpy.concatenate([second, first])
    ones = numpy.ones(places[0].size)
    near = scipy.sparse.coo_array((ones, places), shape=(count, count)).tocsr()
    near.data[:] = 1
    degrees = scipy.sparse.diags_array(near.sum(axis=1) + 1.0)
    return scipy.sparse.csr_array(degrees - near)


def power_law(count, edges=4, seed=11):
    """A graph that grows: new vertices prefer neighbours of many edges."""
    generator = numpy.random.default_rng(seed)
    ends = list(range(edges))
    first, second = [], []
    for vertex in range(edges, count):
        # A vertex is in the list once for each of its edges.
        chosen = {ends[place] for place in generator.integers(0, len(ends), edges)}
        first += [vertex] * len(chosen)
        second += chosen
        ends += [*chosen, *[vertex] * len(chosen)]
    return laplacian(count, numpy.array(first), numpy.array(second))


def geometric(count, neighbours=8.0, seed=12):
    """A graph of random points of a square, of which near ones are joined."""
    points = numpy.random.default_rng(seed).random((count, 2))
    radius = numpy.sqrt(neighbours / (numpy.pi * count))
    # Points of the same cell and of the four cells after it.
    cells = numpy.floor(points / radius).astype(int)
    across = cells.max() + 2
    key = cells[:, 0] * across + cells[:, 1]
    order = numpy.argsort(key, kind="stable")
    found = []
    for offset in (0, 1, across - 1, across, across + 1):
        low = numpy.searchsorted(key[order], key + offset, "left")
        high = numpy.searchsorted(key[order], key + offset, "right")
        first = numpy.repeat(numpy.arange(count), high - low)
        place = numpy.arange(first.size) - numpy.repeat(numpy.cumsum(high - low) - high, high - low)
        found.append(numpy.stack([first, order[place]]))
    first, second = numpy.concatenate(found, axis=1)
    is_near = ((points[first] - points[second]) ** 2).sum(axis=1) <= radius**2
    return laplacian(count, first[is_near], second[is_near])


def packaged():
    """Matrices of the collection of the Matrix Market that a package of Python ships: one of a
    least-squares problem of 1850 equations and 712 unknowns, and a Hermitian one of
    magnetohydrodynamics. None if the package has been installed without them."""
    found = importlib.util.find_spec("scipy.sparse.linalg")
    path = pathlib.Path(found.origin).parent / "tests" / "propack_test_data.npz"
    if not path.exists():
        return None
    with numpy.load(path, allow_pickle=True) as loaded:
        return {name: scipy.sparse.csr_array(loaded[name].item()) for name in loaded.files}


def right_hand_side(matrix, seed=13):
    """A right-hand side whose solution has parts of every frequency."""
    values = numpy.random.default_rng(seed).standard_normal(matrix.shape[0])
    return values.astype(matrix.dtype)
