"""Direct solvers and incomplete factors of sparse matrices, compared with SciPy's."""

import itertools
import warnings

import numpy
import pytest
import scipy.sparse
import scipy.sparse.linalg as theirs

import phalanx
from phalanx.scipy import sparse
from phalanx.scipy.sparse import linalg

from .conftest import RANKS
from .sparse_linalg_cases import definite, drawn, general, host, ours, outcome, same_error, some

ORDERS = ["NATURAL", "COLAMD", "MMD_ATA", "MMD_AT_PLUS_A"]


def columns(rows=30, kind="d"):
    return scipy.sparse.csc_array(general(rows, kind))


def square_grid(side):
    """The five-point matrix of a square."""
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    one = scipy.sparse.eye_array(side)
    return scipy.sparse.csc_array(scipy.sparse.kron(line, one) + scipy.sparse.kron(one, line))


def is_product(lu, matrix):
    """Whether the product of the factors is the matrix with its rows and columns in their order."""
    rows, order = host(lu.perm_r), host(lu.perm_c)
    assert sorted(rows) == sorted(order) == list(range(matrix.shape[0]))
    product = host((lu.L @ lu.U).toarray())[rows][:, order]
    return numpy.allclose(product, matrix.toarray(), atol=1e-5 if lu.L.dtype.char in "fF" else 1e-12)


@pytest.mark.parametrize("order, kind", some(itertools.product([None, *ORDERS], "dfFDi")))
def test_factors_have_the_matrix_as_their_product(order, kind):
    matrix = columns(40, kind)
    lu = linalg.splu(ours(matrix), permc_spec=order)
    other = theirs.splu(matrix, permc_spec=order)
    assert lu.shape == (40, 40) and lu.L.dtype == other.L.dtype
    assert isinstance(lu.L, sparse.csc_array) and isinstance(lu.U, sparse.csc_array)
    assert lu.nnz == lu.L.nnz + lu.U.nnz
    assert lu.perm_r.dtype == other.perm_r.dtype
    lower, upper = host(lu.L.toarray()), host(lu.U.toarray())
    assert (numpy.tril(lower) == lower).all() and (numpy.diagonal(lower) == 1).all()
    assert (numpy.triu(upper) == upper).all()
    assert is_product(lu, matrix)


@pytest.mark.parametrize("kind, trans", some(itertools.product("dfFD", "NTH")))
def test_solutions_of_all_systems(kind, trans):
    matrix = columns(40, kind)
    lu, other = linalg.splu(ours(matrix)), theirs.splu(matrix)
    for b in (drawn(40, kind=kind), drawn(40, 3, kind), drawn(40, 1, kind)):
        found, wanted = lu.solve(phalanx.asarray(b), trans), other.solve(b, trans)
        assert found.dtype == wanted.dtype and found.shape == wanted.shape
        tolerance = 1e-4 if kind in "fF" else 1e-10
        numpy.testing.assert_allclose(host(found), wanted, rtol=tolerance, atol=tolerance)


def test_large_matrices_are_factorised_in_blocks():
    matrix = square_grid(60)
    b = drawn(3600, 2)
    lu = linalg.splu(ours(matrix))
    for trans, system in zip("NT", (matrix, matrix.T)):
        x = host(lu.solve(phalanx.asarray(b), trans))
        assert numpy.abs(system @ x - b).max() < 1e-10
    shifted = matrix + scipy.sparse.eye_array(3600, k=1) * 1j
    lu = linalg.splu(ours(scipy.sparse.csc_array(shifted)))
    for trans, system in zip("NTH", (shifted, shifted.T, shifted.conj().T)):
        x = host(lu.solve(phalanx.asarray(b.astype("D")), trans))
        assert numpy.abs(system @ x - b).max() < 1e-10
    # The factors are then computed by columns.
    assert 2 * 3600 < lu.nnz == lu.L.nnz + lu.U.nnz
    assert linalg.splu(ours(matrix), permc_spec="MMD_AT_PLUS_A").nnz < lu.nnz


def test_a_singular_matrix_in_blocks_is_refused():
    side = 60
    ring = scipy.sparse.lil_array(square_grid(side))
    # The sums of all rows become zero.
    ring.setdiag(0)
    ring = scipy.sparse.csr_array(ring)
    ring = scipy.sparse.csc_array(ring - scipy.sparse.diags_array(ring.sum(axis=1)))
    block = scipy.sparse.block_diag([ring, scipy.sparse.csc_array((1, 1))], format="csc")
    with pytest.raises(RuntimeError, match="singular"):
        linalg.splu(ours(block))


def test_pivots_stay_on_the_diagonal_below_a_threshold():
    matrix = scipy.sparse.csc_array(numpy.array([[1.0, 2, 0], [3, 1, 1], [0, 1, 5]]))
    options = {"diag_pivot_thresh": 0.1, "permc_spec": "NATURAL"}
    assert host(linalg.splu(ours(matrix), **options).perm_r).tolist() == [0, 1, 2]
    assert host(theirs.splu(matrix, **options).perm_r).tolist() == [0, 1, 2]
    named = {"options": {"DiagPivotThresh": 0.1, "ColPerm": "NATURAL", "SymmetricMode": True}}
    assert host(linalg.splu(ours(matrix), **named).perm_r).tolist() == [0, 1, 2]
    options["diag_pivot_thresh"] = 1.0
    assert host(linalg.splu(ours(matrix), **options).perm_r).tolist() != [0, 1, 2]


@pytest.mark.parametrize("drop, fill", [(0.0, 100), (1e-4, 10), (0.05, 10), (0.2, 10), (0.0, 1.0)])
def test_incomplete_factors_are_nearly_the_inverse(drop, fill):
    matrix = square_grid(12)
    complete = linalg.splu(ours(matrix), permc_spec="COLAMD")
    lu = linalg.spilu(ours(matrix), drop_tol=drop, fill_factor=fill)
    b = drawn(144)
    x = host(lu.solve(phalanx.asarray(b)))
    error = numpy.linalg.norm(matrix @ x - b) / numpy.linalg.norm(b)
    if drop == 0.0 and fill > 1:
        assert error < 1e-12
    else:
        assert lu.nnz < complete.nnz or drop == 1e-4
        assert error < max(3 * drop, 1e-3) or fill == 1.0
    # It shortens the iteration.
    operator = linalg.LinearOperator(matrix.shape, lu.solve, dtype="d")
    steps = []
    _, info = linalg.gmres(
        ours(matrix), phalanx.asarray(b), rtol=1e-8, M=operator, maxiter=100,
        callback=steps.append, callback_type="pr_norm",
    )
    alone = []
    linalg.gmres(ours(matrix), phalanx.asarray(b), rtol=1e-8, maxiter=100,
                 callback=alone.append, callback_type="pr_norm")
    assert info == 0 and len(steps) < len(alone)


def test_rules_of_dropping():
    matrix = ours(square_grid(12))
    rules = {rule: linalg.spilu(matrix, drop_tol=0.3, drop_rule=rule).nnz
             for rule in ("basic", "basic,area", "area", "prows, column")}
    assert rules["basic"] == rules["basic,area"] < rules["area"] == rules["prows, column"]


@pytest.mark.parametrize("format", ["csc", "csr", "coo", "lil"])
@pytest.mark.parametrize("b", some(["d", "f", "D", "i", "column", "block", "sparse", "sparse1"]))
def test_solutions_by_spsolve(format, b):
    matrix = general(30).asformat(format)
    right = {
        "column": drawn(30, 1), "block": drawn(30, 4),
        "sparse": scipy.sparse.csc_array(general(30)[:, :5]),
        "sparse1": scipy.sparse.csc_array(general(30)[:, [3]]),
    }.get(b)
    if right is None:
        right = (drawn(30) * 10).astype(b)
    with warnings.catch_warnings(record=True) as own_warnings:
        warnings.simplefilter("always")
        given = ours(right) if scipy.sparse.issparse(right) else phalanx.asarray(right)
        found = linalg.spsolve(ours(matrix), given)
    with warnings.catch_warnings(record=True) as other_warnings:
        warnings.simplefilter("always")
        wanted = theirs.spsolve(matrix, right)
    names = [[one.category.__name__ for one in all] for all in (own_warnings, other_warnings)]
    # SciPy's direct solver of several right sides converts rows to columns; ours needs no columns.
    if (format, b) != ("csr", "sparse"):
        assert names[0] == names[1]
    assert sparse.issparse(found) == scipy.sparse.issparse(wanted)
    if sparse.issparse(found):
        assert found.format == wanted.format and found.shape == wanted.shape
        found, wanted = found.toarray(), wanted.toarray()
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    numpy.testing.assert_allclose(host(found), wanted, rtol=1e-10, atol=1e-12)


def test_duplicates_are_summed_and_the_matrix_stays():
    coordinates = ([0, 0, 1, 1, 0], [0, 0, 1, 0, 1])
    matrix = sparse.coo_array(([1.0, 2.0, 4.0, 1.0, 1.0], coordinates), shape=(2, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = linalg.spsolve(matrix, phalanx.asarray([4.0, 5.0]))
    numpy.testing.assert_allclose(host(x), [1.0, 1.0])
    assert matrix.nnz == 5


def test_a_factorised_matrix_is_used_again():
    matrix = columns(25)
    solve = linalg.factorized(ours(matrix))
    for seed in range(3):
        b = drawn(25, seed=seed)
        numpy.testing.assert_allclose(matrix @ host(solve(phalanx.asarray(b))), b, atol=1e-12)


def test_singular_matrices():
    singular = scipy.sparse.csc_array(numpy.array([[1.0, 2], [2, 4]]))
    empty = scipy.sparse.csc_array((3, 3))
    unknown = scipy.sparse.csc_array(numpy.array([[numpy.nan, 1], [1, 2]]))
    for matrix in (singular, empty, unknown):
        own = ours(matrix)
        for name in ("splu", "spilu", "factorized"):
            call, other = getattr(linalg, name), getattr(theirs, name)
            same_error(outcome(call, own), outcome(other, matrix))
        with pytest.warns(linalg.MatrixRankWarning):
            x = linalg.spsolve(own, phalanx.ones(matrix.shape[0]))
        assert numpy.isnan(host(x)).all()


@pytest.mark.parametrize("rows", [0, 1])
def test_smallest_matrices(rows):
    matrix = scipy.sparse.csc_array(numpy.full((rows, rows), 2.0))
    lu = linalg.splu(ours(matrix))
    assert host(lu.solve(phalanx.ones(rows))).tolist() == [0.5] * rows
    assert host(lu.solve(phalanx.ones((rows, 2)))).shape == (rows, 2)
    assert lu.nnz == 2 * rows and lu.L.shape == (rows, rows)


def test_bad_arguments_are_refused_as_in_scipy():
    matrix, narrow = columns(4), scipy.sparse.csc_array((3, 4))
    own, lu, other = ours(matrix), linalg.splu(ours(matrix)), theirs.splu(matrix)
    calls = [
        lambda of, m, _: of.splu(m(narrow)),
        lambda of, m, _: of.spilu(m(narrow)),
        lambda of, m, _: of.spsolve(m(narrow), numpy.ones(3)),
        lambda of, m, _: of.spsolve(m(matrix), numpy.ones(3)),
        lambda of, m, _: of.splu(m(matrix), permc_spec="none"),
        lambda of, m, _: of.splu(m(matrix), options={"none": 1}),
        lambda of, m, _: of.spilu(m(matrix), drop_rule="none"),
        lambda of, m, lu: lu.solve(numpy.ones(3)),
        lambda of, m, lu: lu.solve(numpy.ones((2, 2, 2))),
        lambda of, m, lu: lu.solve(numpy.ones(4), "X"),
        lambda of, m, lu: lu.solve(numpy.ones(4) * 1j),
        lambda of, m, _: of.SuperLU(),
    ]
    for call in calls:
        same_error(outcome(call, linalg, ours, lu), outcome(call, theirs, lambda it: it, other))
    assert linalg.use_solver(useUmfpack=False, assumeSortedIndices=True) is None
    with pytest.raises(TypeError, match="keyword"):
        linalg.use_solver(other=1)
    with pytest.raises(ValueError, match="between 0 and 2"):
        linalg.ssor(own, 2.0)


def product_of(name, matrix, **options):
    """The matrix whose inverse an approximate inverse is."""
    inverse = getattr(linalg, name)(ours(matrix), **options)
    elements = host(inverse.matmat(phalanx.eye(matrix.shape[0], dtype=inverse.dtype)))
    return inverse, numpy.linalg.inv(elements)


@pytest.mark.parametrize("kind", "dfDF")
def test_incomplete_factors_agree_with_the_matrix_on_its_pattern(kind):
    grid = scipy.sparse.csr_array(square_grid(6))
    if kind in "DF":
        change = scipy.sparse.eye_array(36, k=1, format="csr") * 0.3j
        grid = grid + change.multiply(abs(grid) > 0) + (change.multiply(abs(grid) > 0)).conj().T
    grid = grid.astype(kind)
    tolerance = 1e-4 if kind in "fF" else 1e-10
    for name in ("ilu0", "ic0"):
        inverse, product = product_of(name, grid)
        assert inverse.dtype == numpy.dtype(kind)
        pattern = abs(grid).toarray() > 0
        numpy.testing.assert_allclose(product[pattern], grid.toarray()[pattern], atol=tolerance)
        assert (abs(product[~pattern]) > 0.01).any()
        # The adjoint.
        b = drawn(36, kind=kind)
        found = host(inverse.rmatvec(phalanx.asarray(b)))
        numpy.testing.assert_allclose(product.conj().T @ found, b, atol=10 * tolerance)
    for factor in (1.0, 1.4):
        inverse, product = product_of("ssor", grid, factor=factor)
        dense = grid.toarray()
        diagonal = numpy.diag(numpy.diag(dense))
        lower, upper = numpy.tril(dense, -1), numpy.triu(dense, 1)
        wanted = (diagonal / factor + lower) @ numpy.linalg.inv(diagonal)
        wanted = wanted @ (diagonal / factor + upper) * factor / (2 - factor)
        numpy.testing.assert_allclose(product, wanted, atol=tolerance)


def test_preconditioners_of_factors_shorten_iterations():
    matrix = square_grid(24)
    b = drawn(576)
    counts = {}
    for name in (None, "ssor", "ic0", "ilu0"):
        steps = []
        inverse = name and getattr(linalg, name)(ours(matrix))
        x, info = linalg.cg(
            ours(matrix), phalanx.asarray(b), rtol=1e-8, M=inverse, callback=steps.append
        )
        assert info == 0
        assert numpy.linalg.norm(matrix @ host(x) - b) <= 2e-8 * numpy.linalg.norm(b)
        counts[name] = len(steps)
    assert counts["ic0"] < counts["ssor"] < counts[None]
    # For a symmetric matrix both have the same product.
    assert abs(counts["ic0"] - counts["ilu0"]) <= 1


def test_pivots_that_incomplete_factors_cannot_have():
    indefinite = scipy.sparse.csr_array(numpy.array([[1.0, 2], [2, 1]]))
    with pytest.raises(RuntimeError, match="not positive"):
        linalg.ic0(ours(indefinite))
    hollow = scipy.sparse.csr_array(numpy.array([[0.0, 2], [2, 1]]))
    for name in ("ilu0", "ssor"):
        with pytest.raises(RuntimeError, match="zero"):
            getattr(linalg, name)(ours(hollow))
    with pytest.raises(TypeError, match="elements"):
        linalg.ilu0(linalg.LinearOperator((2, 2), lambda x: x, dtype="d"))


def test_eigenvalues_near_a_number_by_factors():
    matrix = square_grid(50)
    found = linalg.eigsh(ours(matrix), k=3, sigma=1.3, return_eigenvectors=False)
    wanted = theirs.eigsh(matrix, k=3, sigma=1.3, return_eigenvectors=False)
    numpy.testing.assert_allclose(sorted(host(found)), sorted(wanted), rtol=1e-8)
    if RANKS == 1:
        inverse = linalg.inv(ours(columns(20)))
        assert numpy.allclose(host(inverse.toarray()) @ columns(20).toarray(), numpy.eye(20))


def test_definite_matrices_of_all_kinds():
    for kind in "dfFD":
        matrix = scipy.sparse.csc_array(definite(20, kind))
        b = drawn(20, kind=kind)
        x = linalg.spsolve(ours(matrix), phalanx.asarray(b))
        assert numpy.abs(matrix @ host(x) - b).max() < (1e-4 if kind in "fF" else 1e-12)


@pytest.mark.parametrize("kind", "?bBhHiq")
def test_integers_and_bools(kind):
    matrix = scipy.sparse.csc_array(numpy.array([[1, 1], [0, 1]]).astype(kind))
    lu, other = linalg.splu(ours(matrix)), theirs.splu(matrix)
    assert lu.L.dtype == other.L.dtype and lu.L.indices.dtype == other.L.indices.dtype
    assert lu.L is lu.L
    x, y = linalg.spsolve(ours(matrix), phalanx.ones(2)), theirs.spsolve(matrix, numpy.ones(2))
    assert x.dtype == y.dtype and host(x).tolist() == y.tolist()


def test_words_in_any_case():
    matrix = columns(12)
    own = ours(matrix)
    lu = linalg.splu(own, permc_spec="natural", options=[("Equil", True)])
    assert lu.nnz == linalg.splu(own, permc_spec="NATURAL").nnz
    b = phalanx.asarray(drawn(12))
    assert host(lu.solve(b, "t")).tolist() == host(lu.solve(b, "T")).tolist()
    assert linalg.spilu(own, drop_rule="BASIC, Area").nnz == linalg.spilu(own).nnz


def test_products_with_narrow_factors_have_the_wider_dtype():
    inverse = linalg.ilu0(ours(scipy.sparse.csr_array(square_grid(6)).astype("f")))
    assert (inverse @ phalanx.ones(36, dtype="d")).dtype == numpy.float64
    assert (inverse @ phalanx.ones(36, dtype="f")).dtype == numpy.float32


def convection(width, height, kind):
    """The matrix of a grid whose flow makes it unsymmetric, with some far links."""
    lines = [
        scipy.sparse.diags_array([-1.2, 2.1, -0.8], offsets=[-1, 0, 1], shape=(side, side))
        for side in (width, height)
    ]
    ones = [scipy.sparse.eye_array(side) for side in (width, height)]
    grid = scipy.sparse.kron(lines[0], ones[1]) + scipy.sparse.kron(ones[0], lines[1])
    far = scipy.sparse.random_array(
        grid.shape, density=2e-7, rng=numpy.random.default_rng(3), format="csr"
    )
    matrix = scipy.sparse.csc_array(grid + 0.1 * far)
    return (matrix * (1 + 0.25j if kind in "FD" else 1)).astype(kind)


def by_fronts(matrix):
    """The factors by dense matrices on the devices, whatever these are."""
    return linalg.splu(matrix, options={"Fronts": True})


@pytest.mark.parametrize("kind", "dfFD")
def test_large_matrices_are_factorised_by_fronts(kind):
    matrix = convection(90, 120, kind)
    lu = by_fronts(ours(matrix))
    assert lu.fronts["elements"] > matrix.nnz and lu.fronts["largest"] < matrix.shape[0]
    assert lu.fronts["bytes"] == lu.fronts["elements"] * (16 if kind in "FD" else 8)
    tolerance = 1e-4 if kind in "fF" else 1e-11
    for b in (drawn(matrix.shape[0], kind=kind), drawn(matrix.shape[0], 2, kind)):
        for trans, system in (("N", matrix), ("T", matrix.T), ("H", matrix.conj().T)):
            x = host(lu.solve(phalanx.asarray(b), trans))
            assert x.shape == b.shape and x.dtype == kind
            assert abs(system @ x - b).max() < tolerance, trans
    assert linalg.splu(ours(columns(40))).fronts is None


@pytest.mark.parametrize("method", ["spsolve", "factorized", "eigsh"])
def test_large_systems(method):
    matrix = square_grid(320 if method == "spsolve" else 105)
    b = drawn(matrix.shape[0])
    if method == "eigsh":
        found = host(linalg.eigsh(ours(matrix), k=3, sigma=0.01, return_eigenvectors=False))
        lines = 4 * numpy.sin(numpy.arange(1, 9) * numpy.pi / 212) ** 2
        wanted = (lines[:, None] + lines).ravel()
        wanted = wanted[numpy.argsort(abs(wanted - 0.01))[:3]]
        assert numpy.allclose(numpy.sort(found), numpy.sort(wanted), rtol=1e-8)
        return
    matrix_of_ours, b_of_ours = ours(matrix), phalanx.asarray(b)
    if method == "spsolve":
        x = linalg.spsolve(matrix_of_ours, b_of_ours)
    else:
        x = linalg.factorized(matrix_of_ours)(b_of_ours)
    assert abs(matrix @ host(x) - b).max() < 1e-9


def test_large_matrices_with_pivots_of_zero_are_factorised_on_the_host():
    rows = 12_000
    swapped = numpy.arange(rows) ^ 1
    matrix = scipy.sparse.csc_array((numpy.ones(rows), (numpy.arange(rows), swapped)))
    zeros = numpy.arange(rows) % 1000 == 0
    matrix = scipy.sparse.csc_array(matrix + scipy.sparse.diags_array(numpy.where(zeros, 0.0, 0.25)))
    b = drawn(rows)
    assert abs(matrix @ host(by_fronts(ours(matrix)).solve(phalanx.asarray(b))) - b).max() < 1e-12
    matrix[:, [7]] = 0
    with pytest.raises(RuntimeError, match="singular"):
        by_fronts(ours(scipy.sparse.csc_array(matrix)))
    with pytest.raises(RuntimeError, match="singular"):
        by_fronts(sparse.csc_array((rows, rows)))


@pytest.mark.parametrize("cls", [sparse.csc_array, sparse.csr_array])
def test_other_matrices_of_a_pattern_are_factorised_as_the_first_one(cls):
    matrix = scipy.sparse.csc_array(convection(21, 17, "d"))
    own, b = cls(ours(matrix)), drawn(matrix.shape[0], 2)

    def solved(own, matrix):
        with warnings.catch_warnings():
            # Both packages warn of another format.
            warnings.simplefilter("ignore")
            lu = by_fronts(own)
        x = host(lu.solve(phalanx.asarray(b)))
        assert abs(matrix @ x - b).max() < 1e-11 * max(1, abs(x).max())
        return lu

    first = solved(own, matrix)
    before = host(first.solve(phalanx.asarray(b)))
    second = solved(own * 2.5, matrix * 2.5)
    assert second.fronts == first.fronts
    solved(own.astype("D") * (1 + 2j), matrix * (1 + 2j))
    solved(own + 3 * sparse.eye_array(matrix.shape[0]), matrix + 3 * scipy.sparse.eye_array(
        matrix.shape[0]))
    own.data[:] = own.data ** 2 + 1
    changed = own.tocsc().get()
    solved(own, changed)
    # A pivot of zero ends in factors on the host, and the next matrix is factorised as before.
    zero = own * 0.0
    with pytest.raises(RuntimeError, match="singular"):
        by_fronts(sparse.csc_array(zero))
    assert solved(own * 3.0, changed * 3.0).fronts == first.fronts
    # The first factors are still those of the first matrix.
    assert (host(first.solve(phalanx.asarray(b))) == before).all()


def test_writes_into_positions_change_nothing():
    matrix = columns(40)
    own, b = ours(matrix), drawn(40)
    for form in ("csr", "csc"):
        one = own.asformat(form)
        one @ phalanx.asarray(b), phalanx.asarray(b) @ one
        linalg.splu(one.tocsc())
        one.indices[:] = 0
        one.indptr[1:] = 0
        assert (one.toarray().get() == matrix.toarray()).all()
        assert abs(host(one @ phalanx.asarray(b)) - matrix @ b).max() < 1e-12
        assert abs(host(phalanx.asarray(b) @ one) - b @ matrix).max() < 1e-12


def test_solutions_of_large_nearly_singular_matrices_have_small_residuals():
    matrix = square_grid(105)
    matrix = scipy.sparse.csc_array(matrix - scipy.sparse.diags_array(matrix.sum(axis=1)))
    wanted = drawn(matrix.shape[0])
    b = matrix @ wanted
    x = host(by_fronts(ours(matrix)).solve(phalanx.asarray(b)))
    assert abs(matrix @ x - b).max() < 1e-9 * max(abs(b).max(), abs(x).max())


def test_large_right_hand_sides_of_different_sizes_are_refined_each():
    matrix = convection(90, 120, "d")
    b = drawn(matrix.shape[0], 3) * [1e12, 1.0, 1e-12]
    b[0, 0] = numpy.nan
    x = host(by_fronts(ours(matrix)).solve(phalanx.asarray(b)))
    assert numpy.isnan(x[:, 0]).all()
    for column in (1, 2):
        rest = abs(matrix @ x[:, column] - b[:, column]).max()
        assert rest < 1e-12 * (abs(x[:, column]).max() + abs(b[:, column]).max())


def test_badly_scaled_matrices_are_solved_as_well_as_others():
    matrix = square_grid(105)
    scales = 2.0 ** numpy.random.default_rng(4).integers(-25, 25, matrix.shape[0])
    scaled = scipy.sparse.diags_array(scales)
    scaled = scipy.sparse.csc_array(scaled @ matrix @ scaled)
    lu = by_fronts(ours(scaled))
    assert lu.fronts is not None
    b = drawn(matrix.shape[0])
    # Powers of two change no digit of the solution but its exponent.
    wanted = theirs.splu(matrix).solve(b)
    for trans in "NT":
        found = host(lu.solve(phalanx.asarray(b * scales), trans)) * scales
        assert numpy.allclose(found, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("rows", [1, 2, 3, 40, 90])
def test_small_matrices_by_fronts(rows):
    matrix = scipy.sparse.csc_array(general(rows, "d"))
    lu, b = by_fronts(ours(matrix)), drawn(rows, 2)
    assert lu.shape == (rows, rows)
    assert numpy.allclose(host(lu.solve(phalanx.asarray(b))), theirs.splu(matrix).solve(b))
