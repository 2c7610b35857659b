"""Matrices: parameters of the functions of ``scipy.linalg`` that are computed on devices."""

import numpy

from .drawing import Array

EXACT = set()
COARSE = None
LEADING = ("a", "A", "c", "s", "f")
ARRAYS = {"dtypes": ["float64", "float64", "complex128", "int32"], "longest": 7,
          "rare": ["float32", "complex64", "uint8"], "least": 1, "most": 1}
NEVER_WRONG = ("lower", "trans")
LEFT_OUT = {"clarkson_woodruff_transform": "random draws"}
MODES = ["full", "same", "valid", "none"]


def side(d):
    return 0 if d.often(0.03) else d.one([1, 2, 3, 3, 4, 5, 6])


def lead(d):
    """Axes before those of a matrix."""
    return d.one([(), (), (), (2,), (2, 1), (0,) if d.often(0.2) else ()])


def square(d):
    """A matrix far from singular ones, or one of whole numbers."""
    n = side(d)
    d.side = n
    shape = (*lead(d), n, n) if d.often(0.97) else (n, n + 1)
    kind = d.dtype()
    made = d.elements(shape, kind)
    if kind in ("float64", "float32", "complex128", "complex64") and shape[-1] == n:
        made = (made + numpy.eye(n) * 9).astype(kind)
    return d.laid(made)


def wide(d):
    """A matrix of any extents, of full rank."""
    shape = (*lead(d), side(d), side(d))
    kind = d.dtype()
    made = d.chance.normal(size=shape)
    made = made + 1j * d.chance.normal(size=shape) if "complex" in kind else made * 3
    return d.laid(made.astype(kind))


def calm(d):
    """A square matrix whose exponential is not large."""
    n = side(d)
    made = d.chance.normal(size=(*lead(d), n, n)) * 0.5
    kind = d.dtype()
    made = made + 0.3j * d.chance.normal(size=(n, n)) if "complex" in kind else made
    return d.laid(made.astype(kind) if "int" not in kind else made)


def tall(d):
    count = d.whole(1, 4)
    return d.laid(d.chance.normal(size=(count + d.whole(0, 3), count)))


def plain(d):
    d.side = max(side(d), 1)
    return d.laid(d.chance.normal(size=(d.side, d.one([1, 2, 3, 5]))))


def positive(d):
    """A Hermitian matrix with positive eigenvalues, or nearly one."""
    n = side(d)
    d.side = n
    made = d.chance.normal(size=(*lead(d), n, n)) + (
        1j * d.chance.normal(size=(n, n)) if d.often(0.3) else 0)
    made = made @ made.conj().swapaxes(-1, -2) + numpy.eye(n) * 0.5
    made = made.astype("complex64" if made.dtype.kind == "c" else "float32") if d.often(
        0.15) else made
    return d.laid(made if d.often(0.93) else -made)


def symmetric(d):
    n = side(d)
    made = d.elements((n, n), d.one(["float64", "complex128", "int32"]))
    return d.laid(made + made.conj().T if d.often(0.7) else made)


def right(d):
    """A right side of a system: vectors or one vector."""
    shape = d.one([(d.side,), (d.side, 2), (d.side, 1), (d.side, 0) if d.often(0.1) else (d.side,)])
    made = d.elements(shape if d.often(0.96) else (d.side + 1,), d.one([
        "float64", "float64", "complex128", "int32", "float32"]))
    return d.laid(made)


def same(d):
    first = d.first.shape
    return d.laid(d.chance.normal(size=first if d.often(0.95) else (2, 9)))


def rows(d):
    count = d.first.shape[0] if d.first.ndim else 1
    return d.laid(d.chance.normal(size=(count if d.often(0.95) else count + 1, d.whole(1, 3))))


def vector(d):
    shape = (*d.one([(), (), (2,)]), d.one([0 if d.often(0.1) else 1, 2, 3, 5]))
    return d.laid(d.elements(shape, d.dtype()))


def leading_vector(d):
    """Coefficients, of which the first is not 0."""
    made = d.elements((d.one([1, 2, 3, 5]),), d.dtype())
    made = made.astype("f8") if made.dtype.kind in "bu" else made
    made[0] = 2 if d.often(0.9) else 0
    return d.laid(made)


def factors(of):
    """What a factorisation of SciPy returns for a matrix, and its lower triangle."""
    def made(d):
        import scipy.linalg

        d.side = d.whole(1, 5)
        base = d.chance.normal(size=(d.side, d.side)) + numpy.eye(d.side) * 9
        if of == "lu":
            return tuple(map(Array, scipy.linalg.lu_factor(base)))
        c, lower = scipy.linalg.cho_factor(base @ base.T, lower=d.often(0.5))
        return (Array(c), lower)
    return made


def first_column(d):
    d.side = max(side(d), 1)
    made = d.chance.normal(size=d.side)
    made[0] += 9
    return d.laid(made)


CHECKED = {"check_finite": lambda d: d.often(0.5), "overwrite_a": lambda d: False,
           "overwrite_b": lambda d: False}
PARAMETERS = {
    **CHECKED, "a": wide, "A": square, "lower": lambda d: d.often(0.5), "b": right, "c": vector,
    "r": lambda d: d.one([None, vector(d)]), "n": lambda d: d.one([1, 2, 3, 4, 5, 0 if d.often(
        0.1) else 8]), "scale": lambda d: d.one([None, "sqrtn", "n", "none"]), "mode": lambda
    d: d.one(["full", "economic", "r", "none"]), "ord": lambda d: d.one([
        None, 1, -1, 2, -2, numpy.inf, "fro", "nuc", "none", 0]), "axis": lambda d: d.one([
            None, None, (0, 1), (-2, -1), 0, -1, (0, 0) if d.often(0.1) else 1]),
    "keepdims": lambda d: d.often(0.5), "trans": lambda d: d.one([0, 1, 2, "T", "C", "N"]),
    "unit_diagonal": lambda d: d.often(0.5), "assume_a": lambda d: d.one([None, "gen"]),
    "transposed": lambda d: False, "full_matrices": lambda d: d.often(0.5),
    "compute_uv": lambda d: d.often(0.7), "lapack_driver": lambda d: d.one([
        "gesdd", "gesvd", "none"]), "rcond": lambda d: d.one([None, 1e-3]), "atol": lambda d: d.one(
            [None, 0.1]), "rtol": lambda d: d.one([None, 1e-3]),
    "return_rank": lambda d: d.often(0.5), "side": lambda d: d.one(["right", "left", "none"]),
    "permute_l": lambda d: d.often(0.5), "p_indices": lambda d: d.often(0.5), "full": lambda
    d: d.often(0.5), "M": lambda d: d.one([d.first.size, d.first.size + 2]), "N": lambda d: d.one([
        d.first.size, d.first.size + 1]), "s": vector, "f": vector, "arrs": lambda d: [
            d.laid(d.elements((side(d), side(d)), d.dtype())) for _ in range(d.whole(0, 3))],
    "lwork": lambda d: None, "workers": lambda d: None, "method": lambda d: d.one([
        None, "SPS", "blockEnlarge", "none"]), "compute_expm": lambda d: d.often(0.5),
    "E": same, "type": lambda d: 1, "subset_by_index": lambda d: None,
    "subset_by_value": lambda d: None, "driver": lambda d: d.one([None, "ev", "evr"]),
    "eigvals_only": lambda d: d.often(0.5), "dtype": lambda d: d.one([int, float, complex]),
    "B": same, "x": right,
}
SQUARE = {"a": square}
OWN = {
    **{name: {"a": positive} for name in ("cholesky", "cho_factor", "pinvh")},
    **{name: {"a": positive, "b": lambda d: None} for name in ("eigh", "eigvalsh")},
    **{name: SQUARE for name in ("det", "inv", "lu_factor")},
    "solve": {**SQUARE, "ARRAYS": {"rare": ["float32"]}}, "solve_triangular": SQUARE,
    "cho_solve": {"c_and_lower": factors("cholesky")}, "lu_solve": {"lu_and_piv": factors("lu")},
    **{name: {"a": symmetric} for name in ("ishermitian", "issymmetric", "bandwidth")},
    **{name: {"a": vector} for name in ("fiedler",)},
    **{name: {"a": leading_vector} for name in ("companion", "fiedler_companion")},
    "convolution_matrix": {"a": vector, "mode": lambda d: d.one(MODES)},
    "khatri_rao": {"a": plain, "b": lambda d: d.laid(d.chance.normal(size=(
        d.whole(1, 4), d.first.shape[-1] if d.first.ndim else 1)))},
    "leslie": {"f": vector, "s": lambda d: d.laid(d.elements((max(d.first.shape[-1:] + (1,)) - 1,),
                                                              "float64"))},
    "matmul_toeplitz": {"c_or_cr": first_column, "x": right},
    "orthogonal_procrustes": {"A": tall, "B": same}, "subspace_angles": {"A": plain, "B": rows},
    **{name: {"A": calm} for name in ("coshm", "cosm", "expm", "sinhm", "sinm", "tanhm", "tanm")},
    **{name: {"A": wide} for name in ("null_space", "orth")},
    "rq": {"a": wide}, "polar": {"a": wide}, "expm_frechet": {"A": calm},
    "solve_circulant": {"c": first_column, "b": right, "singular": lambda d: d.one([
        "raise", "lstsq", "none"]), "tol": lambda d: None, "caxis": lambda d: -1,
        "baxis": lambda d: 0, "outaxis": lambda d: 0},
    "diagsvd": {"s": lambda d: d.laid(d.elements((d.whole(0, 4),), d.dtype()))},
    "toeplitz": {}, "norm": {"a": wide}, "hadamard": {"n": lambda d: d.one([1, 2, 4, 8, 3])},
    "svd": {"a": wide}, "svdvals": {"a": wide}, "lu": {"a": wide}, "pinv": {"a": wide},
}


# Factors, whose columns have any sign, or any basis.
FACTORS = ("svd", "eigh", "null_space", "orth", "rq", "polar", "lu")


def compared(name, values, found):
    """What is compared: of factors the products that do not depend on the signs of columns."""
    if isinstance(found, Exception):
        return found
    # SciPy returns lists for several matrices.
    found.pop(".kind", None)
    if name not in FACTORS:
        return found
    if name in ("null_space", "orth"):
        return _projected(found, "")
    if name == "eigh" and ".1" in found:
        return _projected(found, ".1", one_by_one=True)
    if name == "svd" and ".0" in found:
        u, s, v = (found[f".{key}"] for key in range(3))
        count = s.shape[-1]
        product = (u[..., :count] * s[..., None, :]) @ v[..., :count, :]
        return {"s": s, "product": product, "parts": str([u.shape, v.shape, u.dtype, v.dtype])}
    if name == "rq":
        r = found.get(".0", found.get(""))
        made = {"r": r @ r.conj().swapaxes(-1, -2), "parts": str(sorted(found))}
        return made | ({"product": r @ found[".1"]} if ".1" in found else {})
    return found


def _projected(found, key, one_by_one=False):
    one = found[key]
    rows = one.swapaxes(-1, -2)
    made = rows[..., :, :, None] * rows.conj()[..., :, None, :] if one_by_one else (
        one @ one.conj().swapaxes(-1, -2))
    return {**found, key: made, "parts": str((one.shape, one.dtype))}


def units(name, values):
    """The allowed difference in units of the precision of the result."""
    # A cosine near 1 has half of the digits of its angle.
    return 2**30 if name == "subspace_angles" else 2**26


def excuse(name, values, found, expected):
    return False
