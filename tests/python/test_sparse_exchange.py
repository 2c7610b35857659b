"""Products with vectors of which devices need a few elements of each other's blocks."""

import numpy
import pytest
import scipy.sparse

import phalanx

from .sparse_linalg_cases import host, ours, some


def ring(rows, columns, kind):
    """A matrix of bands that also joins the first rows to the last columns, so that the first and
    the last device are neighbours; some rows have no entries."""
    generator = numpy.random.default_rng(5)
    row = numpy.arange(rows).repeat(6)
    column = (row * columns // rows + generator.integers(-9, 10, row.size)) % columns
    row, column = row[row % 11 != 4], column[row % 11 != 4]
    values = generator.integers(-9, 10, row.size)
    made = scipy.sparse.coo_array((values, (row, column)), shape=(rows, columns)).tocsr()
    made = made.astype(kind)
    return made * (1 - 2j) if kind in "FD" else made


@pytest.mark.parametrize("kind", some("dfDi"))
@pytest.mark.parametrize("shape", [(6000, 6000), (4999, 8011), (9001, 5003)])
def test_products(shape, kind):
    matrix = ring(*shape, kind)
    own = ours(matrix)
    for seed in range(2):
        x = numpy.random.default_rng(seed).integers(-5, 6, shape[1]).astype(kind)
        found, wanted = own @ phalanx.asarray(x), matrix @ x
        assert found.dtype == wanted.dtype
        numpy.testing.assert_array_equal(host(found), wanted)
    # Other values of the same pattern, and a matrix.
    numpy.testing.assert_array_equal(host((own * 3) @ phalanx.asarray(x)), (matrix * 3) @ x)
    both = numpy.stack([x, x + 1], axis=1)
    numpy.testing.assert_array_equal(host(own @ phalanx.asarray(both)), matrix @ both)


def test_powers():
    # The result of a product is the operand of the next one.
    matrix = ring(6000, 6000, "d")
    own, x = ours(matrix), numpy.arange(6000.0) % 7
    found = phalanx.asarray(x)
    for _ in range(5):
        found, x = own @ found, matrix @ x
    numpy.testing.assert_array_equal(host(found), x)
