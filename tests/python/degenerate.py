"""Compares operations with NumPy for every pair of dtypes and degenerate shapes, in a separate
process: `degenerate.py FAMILY SHARE SHARES` prints each difference and exits with 1 if one exists.

If the process dies, the last line of its standard error is the name of the current case: a crash
of a library or a driver is then a failed test with a name.
"""

import sys
import warnings

import numpy

import phalanx

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float16", "float32", "float64", "complex64", "complex128"]

# Pairs of operands. A star marks a view of stride 0.
PAIRS = [((1, 1), (1, 1)), ((1, 3), (3, 1)), ((3, 1), (1, 3)), ((1, 1), (1, 3)), ((3, 1), (1, 1)),
         ((0, 3), (1, 3)), ((3, 0), (3, 0)), ((0, 0), (1, 1)), ((), (1, 1)), ((), ()), ((1,), ()),
         ((1,), (1,)), ((0,), (1,)), ((1, 1, 1), (1, 1)), ("*23", (2, 3)), ("*11", "*11"),
         ("*31", "*13")]
SHAPES = [(1, 1), (1, 3), (3, 1), (0, 3), (3, 0), (0,), (1,), (), (1, 1, 1), "*23", "*11", "*32"]

def ufuncs(nin):
    """The elementwise operations of NumPy with so many operands that the module has, too."""
    names = [name for name in dir(numpy) if isinstance(getattr(numpy, name), numpy.ufunc)]
    alone = {getattr(numpy, name).__name__ for name in names}
    return sorted(name for name in alone if getattr(numpy, name).nin == nin
                  and getattr(numpy, name).signature is None and hasattr(phalanx, name))


BINARY = ufuncs(2)
UNARY = ufuncs(1)
PRODUCTS = {
    "dot": lambda np, a, b: np.dot(a, b),
    "matmul": lambda np, a, b: np.matmul(a, b),
    "matvec": lambda np, a, b: np.matvec(a, b),
    "vecmat": lambda np, a, b: np.vecmat(a, b),
    "vecdot": lambda np, a, b: np.vecdot(a, b),
    "matmul transposed": lambda np, a, b: np.matmul(a.T, b.T),
    "inner": lambda np, a, b: np.inner(a, b),
    "outer": lambda np, a, b: np.outer(a, b),
    "vdot": lambda np, a, b: np.vdot(a, b),
    "kron": lambda np, a, b: np.kron(a, b),
    "tensordot": lambda np, a, b: np.tensordot(a, b, axes=1),
    "tensordot 0": lambda np, a, b: np.tensordot(a, b, axes=0),
    "einsum": lambda np, a, b: np.einsum("...ij,...jk->...ik", a, b),
    "einsum whole": lambda np, a, b: np.einsum("...i,...i->...", a, b),
    "where": lambda np, a, b: np.where(a, a, b),
    "concatenate": lambda np, a, b: np.concatenate([a, b]),
    "stack": lambda np, a, b: np.stack([a, b]),
    "append": lambda np, a, b: np.append(a, b),
    "isin": lambda np, a, b: np.isin(a, b),
    "searchsorted": lambda np, a, b: np.searchsorted(a, b),
    "allclose": lambda np, a, b: np.allclose(a, b),
    "array_equal": lambda np, a, b: np.array_equal(a, b),
    "solve": lambda np, a, b: np.linalg.solve(a, b),
    "lstsq": lambda np, a, b: np.linalg.lstsq(a, b)[0],
    "corrcoef": lambda np, a, b: np.corrcoef(a, b),
    "cov": lambda np, a, b: np.cov(a, b),
    "convolve": lambda np, a, b: np.convolve(a, b),
    "correlate": lambda np, a, b: np.correlate(a, b),
    "cross": lambda np, a, b: np.cross(a, b),
    "average": lambda np, a, b: np.average(a, weights=b),
    "add.outer": lambda np, a, b: np.add.outer(a, b),
    "put_along_axis": lambda np, a, b: written(np, a, b),
    "add.at": lambda np, a, b: added_at(np, a, b, [0, 0]),
    "add.at everywhere": lambda np, a, b: added_at(np, a, b, ...),
}
WHOLE = {
    **{name: (lambda name: lambda np, a: getattr(np, name)(a))(name) for name in [
        "sum", "prod", "max", "min", "argmax", "argmin", "any", "all", "mean", "var", "std",
        "median", "ptp", "cumsum", "cumprod", "nansum", "nanmean", "nanmax", "sort", "argsort",
        "unique", "nonzero", "count_nonzero", "trace", "diag", "tril", "fliplr", "flipud", "ravel",
        "transpose", "squeeze", "diff", "ediff1d", "bincount", "nan_to_num", "trapezoid",
        "gradient", "atleast_3d", "logspace", "flatnonzero", "argwhere", "real", "imag", "angle"]},
    **{f"{name} along 0": (lambda name: lambda np, a: getattr(np, name)(a, axis=0))(name)
       for name in ["sum", "prod", "max", "argmin", "mean", "var", "cumsum", "sort", "argsort",
                    "median", "all"]},
    **{f"{name} along -1": (lambda name: lambda np, a: getattr(np, name)(a, axis=-1))(name)
       for name in ["sum", "prod", "min", "argmax", "mean", "std", "cumprod", "sort", "argsort",
                    "any"]},
    **{f"linalg.{name}": (lambda name: lambda np, a: getattr(np.linalg, name)(a))(name)
       for name in ["inv", "det", "norm", "cholesky", "matrix_rank", "slogdet", "cond",
                    "eigvalsh", "svdvals"]},
    **{f"fft.{name}": (lambda name: lambda np, a: getattr(np.fft, name)(a))(name)
       for name in ["fft", "ifft", "rfft", "irfft", "fft2", "ifft2", "fftn", "hfft", "ihfft"]},
    # Complex numbers have no order, and NumPy's answer for them follows from its sums.
    "histogram": lambda np, a: np.histogram(a) if a.dtype.kind != "c" else np.histogram(a.real),
    # With NumPy's own limit, noise in small singular values of 32-bit matrices is inverted.
    "pinv": lambda np, a: np.linalg.pinv(a, rcond=1e-2),
    "matrix_power": lambda np, a: np.linalg.matrix_power(a, 2),
    "clip": lambda np, a: np.clip(a, 0, 2),
    "percentile": lambda np, a: np.percentile(a, 30),
    "take": lambda np, a: np.take(a, [0, 0]),
    "repeat": lambda np, a: np.repeat(a, 2),
    "tile": lambda np, a: np.tile(a, 2),
    "roll": lambda np, a: np.roll(a, 1),
    "pad": lambda np, a: np.pad(a, 1),
    "astype": lambda np, a: a.astype("float32") if a.dtype.kind != "c" else a.astype("complex64"),
    "partition": lambda np, a: np.sort(np.partition(a, 0)),
    "boolean mask": lambda np, a: a[a != 0],
    "new axis": lambda np, a: a[..., None] + a[..., None],
    "negative stride": lambda np, a: a[..., ::-1] + 1,
}


def written(np, a, b):
    """A copy of `a` whose row of zeros is `b`."""
    a = a.copy()
    a[...] = b
    return a


def added_at(np, a, b, positions):
    """A copy of `a` with `b` added at positions, once for each time that a position occurs."""
    a = a.copy()
    np.add.at(a, positions, b)
    return a


def operand(shape, dtype, first):
    """Small nonzero numbers, so that quotients and inverses exist."""
    if isinstance(shape, str):
        whole = tuple(int(letter) for letter in shape[1:])
        return numpy.broadcast_to(numpy.asarray(first, dtype), whole)
    count = int(numpy.prod(shape))
    return ((numpy.arange(count) + first) % 3 + 1).astype(dtype).reshape(shape)


def ours(array):
    """The same array as one of ours; a view of stride 0 stays one."""
    if array.size and not any(array.strides) and array.ndim:
        return phalanx.broadcast_to(phalanx.asarray(array[(0,) * array.ndim]), array.shape)
    return phalanx.asarray(array)


def cases(family):
    """Names, functions, and the shapes of the operands."""
    if family == "binary":
        for name in BINARY:
            yield name, lambda np, a, b, name=name: getattr(np, name)(a, b), PAIRS, 2
    elif family == "unary":
        for name in UNARY:
            yield name, lambda np, a, name=name: getattr(np, name)(a), SHAPES, 1
    elif family == "products":
        for name, function in PRODUCTS.items():
            yield name, function, PAIRS, 2
    elif family == "whole":
        for name, function in WHOLE.items():
            yield name, function, SHAPES, 1
    else:
        raise ValueError(f"no family {family}")


def outcome(function, np, operands):
    try:
        return function(np, *operands)
    except (TypeError, ValueError, IndexError, numpy.linalg.LinAlgError, ArithmeticError) as error:
        return error


def difference(got, expected, units=64):
    """A text about a difference from NumPy's result, or None. Floats may differ by `units` units of
    the precision of their dtype, relative to the largest of them, or to 1."""
    if isinstance(expected, Exception) or isinstance(got, Exception):
        if isinstance(got, Exception) and isinstance(expected, Exception):
            same = isinstance(got, type(expected)) or isinstance(expected, type(got))
            return None if same else f"{type(got).__name__} for {type(expected).__name__}"
        return f"{got!r} for {expected!r}"
    if isinstance(expected, tuple | list):
        if len(got) != len(expected):
            return f"{len(got)} results for {len(expected)}"
        found = (difference(*pair, units) for pair in zip(got, expected, strict=True))
        return next((text for text in found if text), None)
    got, expected = numpy.asarray(phalanx.asnumpy(got)), numpy.asarray(expected)
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return f"{got.dtype}{got.shape} for {expected.dtype}{expected.shape}"
    if expected.dtype.kind in "biu":
        return None if numpy.array_equal(got, expected) else f"{got} for {expected}"
    exact = float(numpy.finfo(expected.dtype).eps) * (2 if expected.dtype.itemsize == 2 else 1)
    # For a singular matrix, infinity and a number beyond the precision mean the same.
    if (units and got.size == 1 and expected.size == 1 and expected.dtype.kind == "f"
            and abs(got) > 1 / exact / 16 and abs(expected) > 1 / exact / 16):
        return None
    is_complex = expected.dtype.kind == "c"
    parts = [(got.real, expected.real), (got.imag, expected.imag)] if is_complex else [(got, expected)]
    finite = abs(expected[numpy.isfinite(expected)])
    absolute = units * exact * max(1.0, float(finite.max(initial=0)))
    with numpy.errstate(all="ignore"):
        same = all(
            numpy.isclose(one, other, rtol=units * exact, atol=absolute, equal_nan=True).all()
            for one, other in parts)
    return None if same else f"{got} for {expected}"


def main(family, share, shares):
    warnings.simplefilter("ignore")
    numpy.seterr(all="ignore")
    count, differences, at = 0, 0, 0
    for name, function, shapes, many in cases(family):
        dtypes = [(a, b) for a in DTYPES for b in DTYPES] if many == 2 else [(a,) for a in DTYPES]
        waiting = []
        for each in dtypes:
            at += 1
            if at % shares != share:
                continue
            for shape in shapes:
                places = shape if many == 2 else (shape,)
                host = [operand(*pair) for pair in zip(places, each, (1, 2), strict=False)]
                label = f"{name} {each} {places}"
                print(label, file=sys.stderr)
                got = outcome(function, phalanx, [ours(array) for array in host])
                waiting.append((label, got, outcome(function, numpy, host)))
        for label, got, expected in waiting:
            count += 1
            print("reading", label, file=sys.stderr)
            try:
                text = difference(got, expected)
            except Exception as error:  # noqa: BLE001
                text = f"reading raised {error!r} for {expected!r}"
            if text:
                differences += 1
                print(f"{label}: {text}", flush=True)
    print(f"{count} cases of {family}, {differences} differences", flush=True)
    sys.exit(differences > 0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
