"""Arguments of linear algebra: dtypes, matrices, checks, and batches of them."""

import phalanx as np

from .._arguments import array, refuse

# Dtypes that are computed in single precision.
_SINGLE = "?bBhHefF"


def lapack_dtype(*arrays):
    """The dtype in which matrices of these dtypes are computed: one of four."""
    chars = [one.dtype.char for one in arrays]
    is_complex = any(one.dtype.kind == "c" for one in arrays)
    is_single = all(char in _SINGLE for char in chars)
    return np.dtype({(0, 0): "d", (0, 1): "f", (1, 0): "D", (1, 1): "F"}[is_complex, is_single])


def real_of(dtype):
    """The real dtype of the same precision."""
    return np.dtype({"F": "f", "D": "d"}.get(np.dtype(dtype).char, np.dtype(dtype).char))


def epsilon(dtype):
    """The rounding of a dtype."""
    return float(np.finfo(real_of(dtype)).eps)


def checked(a, check_finite=True):
    """An argument as an array of numbers, without infinities and NaNs."""
    a = array(a)
    if check_finite and a.dtype.kind in "fc" and not bool(np.isfinite(a).all()):
        raise refuse("array must not contain infs or NaNs")
    return a


def matrix(a, check_finite=True, least=2):
    """A matrix, or several ones, of numbers in a dtype of LAPACK's."""
    a = checked(a, check_finite)
    if a.ndim < least:
        raise refuse(f"Expected at least ndim={least}, got a.ndim={a.ndim}")
    return a.astype(lapack_dtype(a), copy=False)


def square(a, check_finite=True):
    """A square matrix, or several ones, in a dtype of LAPACK's."""
    a = matrix(a, check_finite)
    if a.shape[-1] != a.shape[-2]:
        raise refuse(f"Expected a square matrix, got a.shape={a.shape}")
    return a


def together(*arrays):
    """Arrays in the one dtype of LAPACK's that holds them all."""
    dtype = lapack_dtype(*arrays)
    return [one.astype(dtype, copy=False) for one in arrays]


def adjoint(a):
    """The transposed matrices, conjugated."""
    a = np.swapaxes(a, -1, -2)
    return np.conj(a) if a.dtype.kind == "c" else a


def columns(a, b):
    """Right sides as matrices that broadcast with `a`, and whether they were vectors.

    A right side with one axis is a vector; one with more has the vectors as columns.
    """
    is_vector = b.ndim == 1
    b = b[:, None] if is_vector else b
    if b.shape[-2] != a.shape[-1]:
        raise refuse(f"shapes of a {a.shape} and b {b.shape} are incompatible")
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if batch:
        a = np.broadcast_to(a, batch + a.shape[-2:])
        b = np.broadcast_to(b, batch + b.shape[-2:])
    return a, b, is_vector


def result(x, is_vector):
    """Solutions in the form of the right sides."""
    return x[..., 0] if is_vector else x


def diagonals(values, rows=None, columns=None):
    """Matrices with given diagonals."""
    n = values.shape[-1]
    made = values[..., None] * np.eye(n, dtype=values.dtype)
    if rows is None:
        return made
    extra = (rows - n, columns - n)
    if extra[0] < 0 or extra[1] < 0:
        made = made[..., :rows, :columns]
    widths = [(0, 0)] * (made.ndim - 2) + [(0, max(one, 0)) for one in extra]
    return np.pad(made, widths)


def batched(*ranks):
    """A function of single arrays of these numbers of axes, for batches of such arrays.

    A rank of None is that of a right side: one axis, or two if it has more.
    """

    def decorate(function):
        import functools
        import itertools

        @functools.wraps(function)
        def call(*given, **options):
            arrays = [None if one is None else array(one) for one in given[: len(ranks)]]
            others = given[len(ranks) :]
            cores = []
            for one, rank in zip(arrays, ranks):
                rank = min(2, one.ndim) if rank is None else rank
                cores.append(0 if one is None else rank)
            shapes = [() if one is None else one.shape[: max(one.ndim - core, 0)]
                      for one, core in zip(arrays, cores)]
            batch = np.broadcast_shapes(*shapes) if any(shapes) else ()
            if not batch:
                return function(*arrays, *others, **options)
            if 0 in batch:
                raise refuse(f"`{function.__name__}` does not support zero-size batches.")
            arrays = [None if one is None
                      else np.broadcast_to(one, batch + one.shape[one.ndim - core :])
                      for one, core in zip(arrays, cores)]
            answers = [
                function(*(None if one is None else one[at] for one in arrays), *others, **options)
                for at in itertools.product(*map(range, batch))
            ]
            return _stacked(answers, batch)

        return call

    return decorate


def _stacked(answers, batch):
    if isinstance(answers[0], tuple):
        return tuple(_stacked(list(parts), batch) for parts in zip(*answers))
    made = np.stack([array(one) for one in answers])
    return made.reshape(*batch, *made.shape[1:])
