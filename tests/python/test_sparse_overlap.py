"""Products in which elements of the vector travel while rows that need none of them are computed,
compared with SciPy's."""

import re

import numpy
import pytest
import scipy.sparse

import phalanx

from .conftest import RANKS, device_count
from .sparse_linalg_cases import drawn, host, ours, some

DEVICES = RANKS * device_count()
split = pytest.mark.skipif(DEVICES == 1, reason="one device exchanges nothing")
N = 6000


def bands(rows, columns, kind="d", offsets=(-70, -1, 0, 1, 70)):
    """A matrix of diagonals, of small integers."""
    shape = (rows, columns)
    row = numpy.arange(rows).repeat(len(offsets))
    column = row * columns // rows + numpy.tile(offsets, rows)
    is_inside = (column >= 0) & (column < columns)
    row, column = row[is_inside], column[is_inside]
    values = numpy.random.default_rng(2).integers(-4, 5, row.size).astype(kind)
    return scipy.sparse.coo_array((values, (row, column)), shape=shape).tocsr()


def turned(matrix):
    """The matrix with its rows in the opposite order, so that devices have none of the elements of
    a vector that they need, but the one in the middle."""
    return matrix[::-1].tocsr()


def cut():
    """A matrix whose rows need elements of their own device alone."""
    return scipy.sparse.diags_array(numpy.arange(1.0, N + 1), format="csr")


def some_rows():
    """A matrix of which a few rows alone need elements of other devices: one with many entries, and
    the last one."""
    far = scipy.sparse.lil_array((N, N))
    far[100, 5 : N : 13] = 3
    far[N - 1, 0] = 2
    return (cut() + far.tocsr()).tocsr()


CASES = {
    "bands": bands(N, N),
    "wide": bands(5000, 9001),
    "high": bands(9001, 5000),
    "cut": cut(),
    "far": turned(bands(N, N)),
    "some rows": some_rows(),
    "few rows": bands(3, 9000),
    "no entries": scipy.sparse.csr_array((N, N)),
}


@pytest.mark.parametrize("name", CASES)
def test_patterns(name):
    matrix = CASES[name]
    own = ours(matrix)
    x = numpy.random.default_rng(4).integers(-5, 6, matrix.shape[1]).astype(float)
    y = numpy.random.default_rng(5).integers(-5, 6, matrix.shape[0]).astype(float)
    for _ in range(2):
        numpy.testing.assert_array_equal(host(own @ phalanx.asarray(x)), matrix @ x)
    numpy.testing.assert_array_equal(host(own.T @ phalanx.asarray(y)), matrix.T @ y)
    numpy.testing.assert_array_equal(host(phalanx.asarray(y) @ own), y @ matrix)
    # Many columns.
    both = numpy.stack([x, x + 1, -x], axis=1)
    numpy.testing.assert_array_equal(host(own @ phalanx.asarray(both)), matrix @ both)
    # Other values of the pattern, written and made anew.
    own.data[:] = own.data * 2
    numpy.testing.assert_array_equal(host(own @ phalanx.asarray(x)), 2 * (matrix @ x))
    numpy.testing.assert_array_equal(host((own * -3) @ phalanx.asarray(x)), -6 * (matrix @ x))


@pytest.mark.parametrize("kind", some("fdFD?bBhHiIlL"))
def test_dtypes(kind):
    matrix = bands(N, N).astype(kind)
    if kind in "FD":
        matrix.data *= 1 - 2j
    own = ours(matrix)
    x = numpy.random.default_rng(6).integers(0, 4, N).astype(kind)
    found, wanted = own @ phalanx.asarray(x), matrix @ x
    assert found.dtype == wanted.dtype
    numpy.testing.assert_array_equal(host(found), wanted)
    # Another dtype of the vector.
    found, wanted = own @ phalanx.asarray(x.astype("D")), matrix @ x.astype("D")
    assert found.dtype == wanted.dtype
    numpy.testing.assert_array_equal(host(found), wanted)


def test_sums_do_not_depend_on_devices():
    # On CPUs each row is added in the order of its entries, by SciPy too.
    matrix = bands(N, N)
    matrix.data[:] = drawn(matrix.nnz)
    x = drawn(N, seed=8)
    found, wanted = host(ours(matrix) @ phalanx.asarray(x)), matrix @ x
    numpy.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-13)
    if not phalanx.cuda.is_available():
        numpy.testing.assert_array_equal(found, wanted)


SEMIRINGS = {
    "min_plus": (numpy.minimum, numpy.add, numpy.inf),
    "max_times": (numpy.maximum, numpy.multiply, -numpy.inf),
    "max_min": (numpy.maximum, numpy.minimum, -numpy.inf),
    "or_and": (numpy.logical_or, numpy.logical_and, False),
}


@pytest.mark.parametrize("semiring", some(SEMIRINGS))
@pytest.mark.parametrize("name", ["bands", "some rows"])
def test_semirings(semiring, name):
    matrix = CASES[name]
    add, multiply, unit = SEMIRINGS[semiring]
    x = numpy.random.default_rng(9).integers(-5, 6, N).astype(float)
    row, column = matrix.tocoo().coords
    products = multiply(matrix.data, x[column])
    wanted = numpy.full(N, unit, dtype=products.dtype)
    add.at(wanted, row, products)
    found = ours(matrix).dot(phalanx.asarray(x), semiring=semiring)
    numpy.testing.assert_array_equal(host(found), wanted)


def test_unsorted_entries_and_duplicates():
    matrix = bands(N, N)
    rng = numpy.random.default_rng(1)
    data, indices, indptr = matrix.data.copy(), matrix.indices.copy(), matrix.indptr
    for row in range(N):
        order = rng.permutation(indptr[row + 1] - indptr[row]) + indptr[row]
        data[indptr[row] : indptr[row + 1]] = data[order]
        indices[indptr[row] : indptr[row + 1]] = indices[order]
    indices[indptr[9]] = indices[indptr[9] + 1]
    matrix = scipy.sparse.csr_array((data, indices, indptr), shape=(N, N))
    x = rng.integers(-5, 6, N).astype(float)
    numpy.testing.assert_array_equal(host(ours(matrix) @ phalanx.asarray(x)), matrix @ x)


def test_balanced_rows():
    # The devices have unequally many rows, and perhaps none.
    lengths = numpy.full(N, 2)
    lengths[0] = 5000
    row = numpy.arange(N).repeat(lengths)
    column = (row + numpy.arange(row.size) % 5000) % N
    matrix = scipy.sparse.coo_array((row % 5 - 2.0, (row, column)), shape=(N, N)).tocsr()
    own, x = ours(matrix).balanced(), numpy.arange(N) % 7.0
    found = phalanx.asarray(x)
    for _ in range(3):
        found, x = own @ found, matrix @ x
    numpy.testing.assert_array_equal(host(found), x)


def test_values_may_be_infinite():
    # What a row has been before elements arrived leaves no trace.
    matrix = bands(N, N)
    x = numpy.ones(N)
    x[::50] = numpy.inf
    with numpy.errstate(invalid="ignore"):
        found, wanted = host(ours(matrix) @ phalanx.asarray(x)), matrix @ x
    numpy.testing.assert_array_equal(found, wanted)


def plan(product):
    """The kinds and names of the steps of a plan."""
    found = []
    for line in str(product.explain()).splitlines():
        words = line.split()
        if words and words[0].isdigit():
            name = next((word for word in words if word[-1] == ":"), words[-1] + ":")
            found.append(words[1] if words[1] == "exchange" else re.sub(r"\d*:$", "", name))
    return found


def computed(*arrays):
    for array in arrays:
        float(array.sum())


@split
def test_elements_travel_while_rows_are_computed():
    own, x = ours(bands(N, N)), phalanx.asarray(numpy.arange(N) * 0.5)
    computed(own @ x)
    found = plan(own @ x)
    routines = ["take_in_block", "exchange", "spmm", "reshard", "spmm_rows"]
    places = [found.index(name) for name in routines]
    assert places == sorted(places), found
    # Neither the values of the matrix nor the vector are copied.
    assert "join_blocks" not in found and found.count("reshard") <= 2, found


@split
def test_nothing_moves_if_no_row_needs_it():
    own, x = ours(cut()), phalanx.asarray(numpy.arange(N) * 0.5)
    computed(own @ x)
    found = plan(own @ x)
    assert "exchange" not in found and "spmm_rows" not in found, found


@split
def test_rows_are_computed_once_if_most_need_others():
    own, x = ours(turned(bands(N, N))), phalanx.asarray(numpy.arange(N) * 0.5)
    computed(own @ x)
    assert "spmm_rows" not in plan(own @ x)
