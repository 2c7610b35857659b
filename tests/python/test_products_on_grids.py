"""Products of matrices on meshes of two axes or more."""

import json

import pytest

from . import worlds

worlds.apart()

GRIDS = [
    {"rows": 2, "columns": 2},
    {"rows": 2, "columns": 3},
    {"rows": 3, "columns": 2},
    {"rows": 4, "columns": 2},
    {"x": 2, "y": 2, "z": 2},
    {"x": 1, "y": 3, "z": 2},
]

# Rows, contracted points and columns: even and uneven blocks, and fewer points than devices.
SHAPES = [
    (64, 64, 64),
    (65, 67, 61),
    (100, 96, 120),
    (25, 97, 35),
    (40, 1000, 1),
    (1, 500, 40),
    (50, 5, 50),
    (7, 64, 7),
    (3, 65, 2),
    (2, 300, 3),
]

PROGRAM = """
import json, numpy, phalanx as np
GRID, SHAPES = {grid}, {shapes}
np.init(mesh=GRID, split_from=1 {devices})
rng = numpy.random.default_rng(0)
grids = 0
for rows, inner, columns in SHAPES:
    for dtype in ("i8", "f8", "f4", "c16"):
        a, b = (rng.integers(-9, 9, shape) for shape in ((rows, inner), (inner, columns)))
        if dtype == "c16":
            a, b = a + 1j * b.sum(), b - 1j * a.sum()
        a, b = a.astype(dtype), b.astype(dtype)
        x, y = np.array(a), np.array(b)
        product = x @ y
        text = product.explain()
        grids += text.count("= matmul(") > 2
        # Sums of small whole numbers are exact.
        numpy.testing.assert_array_equal(product.get(), a @ b)
        # Operands that are views, results that are read again, and operands on the grid.
        numpy.testing.assert_array_equal((np.array(a.T.copy()).T @ y).get(), a @ b)
        numpy.testing.assert_array_equal((x[:, ::-1] @ y[::-1]).get(), a @ b)
        numpy.testing.assert_array_equal(((x @ y) + 1).sum(0).get(), (a @ b + 1).sum(0))
        numpy.testing.assert_array_equal((x @ (y @ y.T)).get(), a @ (b @ b.T))
        if rows == 65 and dtype == "f8":
            with np.reproducible():
                numpy.testing.assert_array_equal((x @ y).get(), a @ b)
# Loops whose operands grow: a panel or the rest of one point is not refilled with more.
for sizes in (range(40, 60), range(3, 40), range(39, 3, -1), (12, 24, 12, 48), (64, 200, 65)):
    for size in sizes:
        a, b = (rng.integers(-4, 5, (size, size)).astype("f8") for _ in range(2))
        numpy.testing.assert_array_equal((np.array(a) @ np.array(b)).get(), a @ b)
        a, b = rng.integers(-9, 9, (20, size)), rng.integers(-9, 9, (size, 20))
        numpy.testing.assert_array_equal((np.array(a) @ np.array(b)).get(), a @ b)
if np.rank() == 0:
    print(json.dumps(grids))
"""


@pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: "x".join(map(str, grid.values())))
def test_products_have_the_numbers_of_numpy(grid):
    count = 1
    for extent in grid.values():
        count *= extent
    program = PROGRAM.format(grid=grid, shapes=SHAPES, devices=f', devices="cpu:{count}"')
    ended = worlds.run(program)
    assert json.loads(ended.stdout.splitlines()[-1]) >= 8, "no product runs on the grid"


@pytest.mark.parametrize(("processes", "devices"), [(4, 1), (2, 2)])
def test_products_in_processes(processes, devices):
    program = PROGRAM.format(grid={"rows": 2, "columns": 2}, shapes=SHAPES[:4], devices="")
    ended = worlds.run(program, processes=processes, devices=devices)
    assert json.loads(ended.stdout.splitlines()[-1]) >= 4, "no product runs on the grid"
