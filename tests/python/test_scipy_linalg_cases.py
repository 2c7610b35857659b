"""Functions of ``scipy.linalg`` beside SciPy's, for the products of dtypes, shapes and options.

A table has the options of each function. Results that are not unique are compared by what is: the
moduli of vectors, products of factors, projections. Left out are cases where SciPy computes what
its text does not say, such as the inverse of a matrix taken as diagonal that is not.
"""

import itertools

import numpy
import pytest
import scipy.linalg

from phalanx.scipy import linalg

from .conftest import FULL
from .signal_cases import check, host, outcome, owned, some

KINDS = "fdFDl?" if FULL else "dF"
SHAPES = [(4, 4), (1, 1), (0, 0), (3, 5), (5, 3), (0, 3), (3, 0), (2, 3, 3), (2, 1, 4, 3),
          (0, 2, 2), (2, 0, 0), (3,)]


def drawn(shape, kind, seed=1, positive=False):
    """Numbers; a positive definite matrix, if it is wanted and the shape is that of one."""
    draws = numpy.random.default_rng(seed + sum(shape))
    x = draws.standard_normal(shape) * 3
    if kind in "FD":
        x = x + 1j * draws.standard_normal(shape)
    if positive and len(shape) > 1 and shape[-1] == shape[-2]:
        x = x @ x.conj().swapaxes(-1, -2) + 2 * shape[-1] * numpy.eye(shape[-1])
    return (x > 0 if kind == "?" else x).astype(kind)


def matrices(kind, positive=False):
    """Matrices and stacks of a dtype, in other orders of memory, singular and not finite."""
    for shape in SHAPES:
        yield drawn(shape, kind, positive=positive)
    yield drawn((4, 4), kind, positive=positive).T
    yield drawn((8, 8), kind, positive=positive)[::2, ::2]
    yield drawn((6, 6), kind, positive=positive)[::-1, ::-1]
    if kind in "dD":
        for bad in (numpy.nan, numpy.inf):
            yield numpy.where(numpy.eye(3), bad, 1).astype(kind)


def products(**lists):
    """The options of all combinations; None is an option that is not given."""
    for values in itertools.product(*lists.values()):
        yield {name: one for name, one in zip(lists, values) if one is not None}


BOTH = [False, True]
SUBSETS = [*products(subset_by_index=[None, [0, 1], [-1, 1], [0, 7]]),
           *products(subset_by_value=[[-1.0, 1.0], [-numpy.inf, numpy.inf], [2.0, 1.0]]),
           {"subset_by_index": [0, 1], "subset_by_value": [1.0, 2.0]}]
SHIFTS = [*products(atol=[None, 0.1], rtol=[None, 0.2, -1.0], return_rank=[None, True])]

# The options of functions of one matrix.
OPTIONS = {
    "bandwidth": [{}],
    "issymmetric": products(atol=[None, 1e-3], rtol=[None, 0.1]),
    "ishermitian": products(atol=[None, 1e-3], rtol=[None, 0.1]),
    "inv": products(assume_a=[None, "gen", "upper triangular", "lower triangular", "other"]),
    "det": products(overwrite_a=[None, True], check_finite=[None, True]),
    "svdvals": [{}],
    "svd": products(full_matrices=BOTH, compute_uv=[None, False], lapack_driver=["gesvd", "x", 1]),
    "pinv": SHIFTS,
    "orth": products(rcond=[None, 0.3]),
    "null_space": products(rcond=[None, 0.3], lapack_driver=["gesdd", "x"]),
    "lu": products(permute_l=BOTH, p_indices=BOTH),
    "lu_factor": [{}],
    "qr": products(mode=["full", "r", "economic", "raw", "x"], pivoting=BOTH),
    "rq": products(mode=["full", "r", "economic", "raw"]),
    "eigvals": products(homogeneous_eigvals=BOTH),
    "eig": products(left=BOTH, right=BOTH, homogeneous_eigvals=BOTH),
    "polar": products(side=["left", "right", "x"]),
    "expm": [{}],
    "cosm": [{}],
    "tanhm": [{}],
    "hessenberg": products(calc_q=BOTH),
    "schur": products(output=["real", "complex", "x"], sort=[None, "lhp"]),
    "ldl": products(lower=BOTH, hermitian=BOTH),
    "matrix_balance": products(permute=BOTH, scale=BOTH, separate=BOTH),
    "norm": products(ord=[None, "nuc", -2, numpy.inf, "x"], axis=[None, 0, (0, 1)],
                     keepdims=[None, True]),
}
# Those of functions of positive definite matrices.
OF_POSITIVE = {
    "cholesky": products(lower=BOTH),
    "cho_factor": products(lower=BOTH),
    "inv": products(assume_a=["sym", "her", "pos"], lower=BOTH),
    "pinvh": [one | two for one in SHIFTS for two in products(lower=BOTH)],
    "eigh": [one | two for one in SUBSETS for two in products(
        lower=BOTH, driver=[None, "evr", "evd", "gv", "x"])],
    "eigvalsh": [one | two for one in SUBSETS[::2] for two in products(type=[1, 4], lower=BOTH)],
    "sqrtm": [{}],
    "logm": [{}],
    "signm": [{}],
}
OPTIONS, OF_POSITIVE = ({name: list(rows) for name, rows in table.items()}
                        for table in (OPTIONS, OF_POSITIVE))


def adjoint(x):
    return x.conj().swapaxes(-1, -2)


def eigenvalues(x, homogeneous_eigvals=False, **options):
    """Eigenvalues in the order of rounded ones, with the moduli of vectors in the same order."""
    values, *vectors = x if isinstance(x, (tuple, list)) else [x]
    if homogeneous_eigvals:
        values = values[..., 0, :] / values[..., 1, :]
    order = numpy.lexsort((values.imag.round(3), values.real.round(3)))
    return [numpy.take_along_axis(values, order, -1),
            *(numpy.take_along_axis(abs(one), order[..., None, :], -1) for one in vectors)]


def singular(x, **options):
    """Singular values, and what the vectors yield."""
    if not isinstance(x, (tuple, list)):
        return x
    u, s, vh = x
    count = s.shape[-1]
    made = (u[..., :count] * s[..., None, :]) @ vh[..., :count, :]
    return [s, made, adjoint(u) @ u, vh @ adjoint(vh)]


UNIQUE = {
    "eig": eigenvalues,
    "eigvals": eigenvalues,
    "eigh": lambda x, **options: [x[0], abs(x[1])],
    "svd": singular,
    "orth": lambda x, **options: x @ adjoint(x),
    "null_space": lambda x, **options: x @ adjoint(x),
}
# What SciPy's text does not say, such as results for matrices without elements.
LEFT_OUT = {
    "lu": lambda a: a.size == 1, "lu_factor": lambda a: a.ndim == 1,
    # Truth values are drawn as matrices of lower rank.
    "qr": lambda a: a.dtype.kind == "b" or a.size == 0 and a.dtype.kind == "i",
    "eig": lambda a: a.dtype.kind == "b", "polar": lambda a: a.dtype.kind == "b",
    "rq": lambda a: a.dtype.kind in "bi", "ldl": lambda a: a.ndim > 2,
    "expm": lambda a: a.dtype.kind == "b" or not numpy.isfinite(a).all(),
    "cosm": lambda a: not numpy.isfinite(a).all(),
    "tanhm": lambda a: a.dtype.kind == "b",
}


def form(x):
    """The shapes and dtypes of results; numbers of Python are arrays without axes."""
    if isinstance(x, (tuple, list)):
        return [form(one) for one in x]
    x = numpy.asarray(x)
    return x.shape, x.dtype


def on_host(x):
    return [on_host(one) for one in x] if isinstance(x, (tuple, list)) else host(x)


def is_single(x):
    """Whether numbers of single precision are among arguments or results."""
    if isinstance(x, (tuple, list)):
        return any(map(is_single, x))
    return getattr(x, "dtype", numpy.dtype(object)).char in "fF"


def compare(name, *given, **options):
    """Calls a function of SciPy's and ours, and compares what is unique."""
    other = outcome(getattr(scipy.linalg, name), *map(copied, given), **options)
    own = outcome(getattr(linalg, name), *map(owned, given), **options)
    try:
        compare_results(name, given, options, own, other)
    except Exception as error:
        shapes = [getattr(one, "shape", one) for one in given]
        error.add_note(f"{name} of {shapes} with {options}")
        raise


def copied(x):
    return x.copy(order="K") if isinstance(x, numpy.ndarray) else x


def compare_results(name, given, options, own, other):
    if isinstance(own, Exception) or isinstance(other, Exception):
        check(own, other)
        return
    own, other = on_host(own), on_host(other)
    # SciPy has numbers of Python for some norms.
    assert name == "norm" or form(own) == form(other)
    tolerance = 1e-5 if name == "det" else 2e-3 if is_single([given, own]) else None
    if name in UNIQUE:
        own, other = (UNIQUE[name](one, **options) for one in (own, other))
    check(own, other, tolerance, dtype=False)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", some(OPTIONS))
def test_functions_of_a_matrix(name, kind):
    left_out = LEFT_OUT.get(name, lambda a: False)
    for a in matrices(kind):
        for options in OPTIONS[name] if not left_out(a) else ():
            compare(name, a, **options)


@pytest.mark.parametrize("kind", KINDS.replace("?", ""))
@pytest.mark.parametrize("name", OF_POSITIVE)
def test_functions_of_a_positive_definite_matrix(name, kind):
    for a in matrices(kind, positive=True):
        # SciPy's root and logarithm of what is not finite do not end.
        if name in ("sqrtm", "logm", "signm") and not numpy.isfinite(a).all():
            continue
        for options in OF_POSITIVE[name]:
            compare(name, a, **options)


PAIRS = ["dd", "ff", "DD", "fd", "fD", "dF", "li"] if FULL else ["dd", "fD", "li"]
SQUARE = [(4, 4), (1, 1), (0, 0), (3, 4), (2, 3, 3), (2, 1, 1), (1, 1, 1), (3,)]


def right_sides(n, kind):
    for shape in [(n,), (n, 2), (n, 0), (n + 1,), (2, n, 3), (2, n)]:
        yield drawn(shape, kind, 5)


def dominant(shape, kind):
    a = drawn(shape, kind)
    return a + (9 * numpy.eye(shape[-1])).astype(kind) if a.shape[-2:-1] == a.shape[-1:] else a


ASSUMED = {
    None: None, "gen": None, "other": None, "tridiagonal": None, "sym": None, "her": None,
    "upper triangular": None, "lower triangular": None,
    "diagonal": lambda a: a * numpy.eye(*a.shape[-2:], dtype=a.dtype),
    "pos": lambda a: a @ adjoint(a),
}


@pytest.mark.parametrize("assumed", ASSUMED)
@pytest.mark.parametrize("kinds", PAIRS)
def test_equations(kinds, assumed):
    for shape in SQUARE:
        a = dominant(shape, kinds[0])
        if a.shape[-2:-1] == a.shape[-1:] and ASSUMED[assumed]:
            a = ASSUMED[assumed](a).astype(kinds[0])
        for b in right_sides(shape[-1], kinds[1]):
            # SciPy does not divide stacks by one number.
            if shape in ((1, 1), (1, 1, 1)) and b.ndim > 2:
                continue
            for options in products(lower=BOTH, transposed=[None, True]):
                compare("solve", a, b, assume_a=assumed, **options)


@pytest.mark.parametrize("assumed", [*ASSUMED, "banded"])
def test_equations_without_a_solution(assumed):
    for a in (numpy.zeros((3, 3)), numpy.zeros((2, 3, 3)), numpy.full((3, 3), numpy.nan),
              numpy.zeros((1, 1)), -numpy.eye(3)):
        compare("solve", a, numpy.ones(a.shape[-1]), assume_a=assumed)


def test_bands_of_one_matrix():
    for n in (5, 12, 30):
        a = numpy.triu(numpy.tril(drawn((n, n), "d"), 2), -1)
        for assumed in ("banded", "tridiagonal"):
            for b in (drawn((n,), "d"), drawn((n, 3), "F")):
                for transposed in BOTH:
                    compare("solve", a, b, assume_a=assumed, transposed=transposed)
    compare("solve", numpy.ones((3, 3)), numpy.arange(3.0), assume_a="tridiagonal")


@pytest.mark.parametrize("kinds", PAIRS)
def test_equations_of_triangles_and_factors(kinds):
    for shape in [*SQUARE, (0, 3, 3)]:
        a, positive = dominant(shape, kinds[0]), drawn(shape, kinds[0], positive=True)
        factors = outcome(scipy.linalg.lu_factor, a) if a.ndim > 1 else ()
        for b in right_sides(shape[-1], kinds[1]):
            for options in products(trans=[0, 1, "C"], lower=BOTH, unit_diagonal=BOTH):
                compare("solve_triangular", a, b, **options)
            for trans in (0, 1, 2) if isinstance(factors, tuple) and a.ndim > 1 else ():
                if a.shape[-1] == a.shape[-2]:
                    compare("lu_solve", factors, b, trans)
            for lower in BOTH:
                factor = outcome(scipy.linalg.cho_factor, positive, lower)
                if isinstance(factor, tuple):
                    compare("cho_solve", factor, b)
                    compare("cho_solve", (factor[0], lower), b, check_finite=False)


@pytest.mark.parametrize("driver", [None, "gelss", "gelsy", "x"])
@pytest.mark.parametrize("kinds", PAIRS)
def test_least_squares(kinds, driver):
    for shape in [(4, 4), (5, 3), (3, 5), (1, 1), (0, 0), (0, 3), (3, 0), (2, 5, 3), (3,)]:
        for b in right_sides(shape[-2] if len(shape) > 1 else 3, kinds[1]):
            # SciPy does not compute residuals without right sides.
            for cond in [None, 0.3] if b.size or 0 in shape else []:
                a = drawn(shape, kinds[0])
                own = outcome(linalg.lstsq, owned(a), owned(b), cond, lapack_driver=driver)
                other = outcome(scipy.linalg.lstsq, a, b, cond, lapack_driver=driver)
                if isinstance(own, Exception) or isinstance(other, Exception):
                    check(own, other)
                    continue
                own = on_host(own)
                if driver == "gelsy":
                    assert numpy.shape(own[3]) == numpy.shape(other[3])
                    own, other = own[:3], other[:3]
                check(own, other, 2e-3 if "f" in kinds or "F" in kinds else None)


@pytest.mark.parametrize("kinds", PAIRS)
def test_generalised_eigenvalues(kinds):
    for shape in [(4, 4), (0, 0), (2, 3, 3), (3, 4)]:
        a = drawn(shape, kinds[0], positive=True)
        b = drawn(shape, kinds[1], 4, positive=True)
        for two in (b, drawn((2, 2), kinds[1], positive=True), -b):
            for options in products(lower=BOTH, eigvals_only=BOTH, type=[1, 3, 4], driver=[
                    None, "gvx", "ev"], subset_by_index=[None, [0, 1]]):
                if options["eigvals_only"]:
                    options.pop("eigvals_only")
                    compare("eigvalsh", a, two, **options)
                elif shape != (0, 0) or kinds[0] == kinds[1]:
                    compare("eigh", a, two, **options)
        for options in products(homogeneous_eigvals=BOTH):
            compare("eigvals", a, b, **options)
            compare("eig", a, b, left=True, **options)


@pytest.mark.parametrize("kinds", PAIRS)
def test_two_matrices(kinds):
    one, two = kinds
    for shape in [(4, 4), (1, 1), (0, 0), (2, 3, 3), (3, 4), (3,)]:
        a, e = drawn(shape, one), drawn(shape, two, 3)
        for options in products(method=[None, "SPS", "blockEnlarge", "x"], compute_expm=BOTH):
            compare("expm_frechet", a, e, **options)
        for t in (2, 0, -1, 0.5, 2.5, 1j):
            compare("fractional_matrix_power", drawn(shape, one, positive=True), t)
    for shape, another in [((5, 3), (5, 2)), ((5, 3), (5, 3)), ((5, 3), (4, 3)), ((5,), (5,)),
                           ((2, 5, 3), (2, 5, 2)), ((0, 5, 3), (5, 3))]:
        a, b = drawn(shape, one), drawn(another, two, 3)
        if "f" not in kinds and "F" not in kinds or one == two:
            compare("subspace_angles", a, b)
        compare("orthogonal_procrustes", a, b)
    for shape in [(4, 4), (5, 3), (3, 5), (2, 5, 3), (3,)]:
        rows, width = shape[-2:] if len(shape) > 1 else (3, 3)
        for c in [(rows,), (2, rows), (min(rows, width), 2), (2, 2, rows)]:
            for options in products(mode=["left", "right", "x"], pivoting=BOTH, conjugate=BOTH):
                # SciPy drops the imaginary parts of `c` for a real matrix.
                if (one in "dfl") == (two in "dfil"):
                    compare("qr_multiply", drawn(shape, one), drawn(c, two), **options)


VECTORS = [numpy.array([1, 2, 3], kind) for kind in "fdFDl?H"] + [
    numpy.array([1.5, -2, 3, 0.5]), numpy.ones(1), numpy.zeros(0), drawn((2, 4), "d"),
    drawn((2, 3, 4), "F"), drawn((0, 3), "d"), drawn((2, 0), "d"), drawn((2, 1), "l"),
    drawn((8,), "d")[::2], drawn((2, 8), "d")[:, ::-2], [1, 2], [0.0, 1, 2]]


@pytest.mark.parametrize("name", ["toeplitz", "hankel", "circulant", "companion", "fiedler",
                                  "fiedler_companion", "leslie", "convolution_matrix", "diagsvd",
                                  "block_diag"])
def test_matrices_of_vectors(name):
    for vector in VECTORS:
        if name in ("toeplitz", "hankel", "leslie"):
            for another in VECTORS[::2]:
                compare(name, vector, another)
        if name == "leslie":
            continue
        further = {"convolution_matrix": [(n, mode) for n in (0, 1, 4) for mode in
                                          ("full", "same", "valid", "x")],
                   "diagsvd": [(3, 3), (3, 5), (4, 2), (4, 4), (1, 1), (0, 0)],
                   "block_diag": [(), (numpy.ones((2, 2), "l"), numpy.ones((1, 0)))]}
        for rest in further.get(name, [()]):
            compare(name, vector, *rest)


@pytest.mark.parametrize("kinds", PAIRS)
def test_equations_of_constant_diagonals(kinds):
    for shape in [(4,), (1,), (0,), (2, 3), (3, 1)]:
        c = drawn(shape, kinds[0])
        if c.size:
            c[..., 0] = 40
        for b in right_sides(shape[-1], kinds[1]):
            row = drawn(shape[-1:], kinds[0], 3)
            for pair in (c, (c, row), (c, drawn((shape[-1] + 1,), kinds[0]))):
                compare("solve_toeplitz", pair, b)
                if shape[-1]:
                    compare("matmul_toeplitz", pair, b)
            for options in ({}, {"singular": "lstsq"}, {"baxis": -1, "outaxis": -1}):
                # Transforms of single precision are rounded in other places.
                if kinds[0] == kinds[1] or "f" not in kinds.lower():
                    compare("solve_circulant", c, b, **options)
    compare("solve_toeplitz", [0.0, 1, 2], [1.0, 2, 3])
    compare("solve_toeplitz", [1.0, 1, 1], [1.0, 2, 3])
    compare("solve_toeplitz", [numpy.nan, 1, 2], [1.0, 2, 3])


@pytest.mark.parametrize("kinds", PAIRS)
def test_bands(kinds):
    for below, above in [(1, 1), (0, 0), (2, 1), (0, 2), (3, 3)]:
        for n, stack in [(5, ()), (5, (2,)), (1, ()), (0, ()), (2, ()), (5, (0,))]:
            ab = drawn((*stack, below + above + 1, n), kinds[0])
            ab[..., above, :] = 20
            for b in right_sides(n, kinds[1]):
                compare("solve_banded", (below, above), ab, b)
            compare("solve_banded", (below, above), ab[..., 1:, :], b)
            if below != above:
                continue
            half = ab[..., : above + 1, :]
            for lower in BOTH:
                half = half[..., ::-1, :] if lower else half
                compare("cholesky_banded", half, lower=lower)
                factor = outcome(scipy.linalg.cholesky_banded, half, lower=lower)
                for b in right_sides(n, kinds[1]):
                    compare("solveh_banded", half, b, lower=lower)
                    if not isinstance(factor, Exception):
                        compare("cho_solve_banded", (factor, lower), b)
                for options in products(select=["a", "v", "i", "x"], select_range=[
                        None, (0, 1), (0.0, 50.0)], lower=[lower]):
                    compare("eigvals_banded", half, **options)
                    compare("eig_banded", half, **options)


def test_eigenvectors_of_bands_within_limits():
    # SciPy needs to be told how many there are at most; told too few, it writes beyond its memory.
    half = numpy.array([[0.0, 1, 1, 1, 1, 1], [1, 2, 3, 4, 5, 6]])
    own = on_host(linalg.eig_banded(owned(half), select="v", select_range=(0.0, 9.0), max_ev=1))
    other = scipy.linalg.eig_banded(half, select="v", select_range=(0.0, 9.0), max_ev=6)
    check(own, other)
