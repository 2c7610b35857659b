"""Functions that make sparse matrices: of diagonals, products of blocks, random ones."""

import math

import phalanx as np

from ..._phalanx import _refusal
from ._arguments import checked_dtype, index_dtype, is_scalar, promoted
from ._classes import adopted, class_of, is_sparse
from ._core import Rows
from ._described import described
from ._dia import dia_array, dia_matrix


class _CommonType:
    """The default of `dtype`: the floating-point dtype to which the diagonals promote."""

    def __repr__(self):
        return "<common type>"


_COMMON = _CommonType()
_OF_DIAGONALS = {"ValueError": "The diagonals do not fit each other or the shape."}


def _is_array(*matrices):
    return any(is_sparse(one) and one._is_array for one in map(adopted, matrices))


def _entries(A, is_array):
    """A matrix in coordinate format, as an array or as a matrix."""
    return class_of("coo", is_array)(A)


@described("dia_array", _OF_DIAGONALS)
def diags_array(diagonals, /, *, offsets=0, shape=None, format=None, dtype=_COMMON):
    """The sparse array with the given diagonals. A diagonal of one element is filled with it."""
    if is_scalar(offsets):
        if len(diagonals) and not is_scalar(diagonals[0]):
            raise _refusal(
                ValueError, "together", "Different number of diagonals and offsets."
            )
        diagonals, offsets = [np.atleast_1d(np.asarray(diagonals))], [int(offsets)]
    else:
        diagonals = [np.atleast_1d(np.asarray(diagonal)) for diagonal in diagonals]
        offsets = np.atleast_1d(np.asarray(offsets)).tolist()
    if len(diagonals) != len(offsets):
        raise _refusal(ValueError, "together", "Different number of diagonals and offsets.")
    if shape is None:
        extent = len(diagonals[0]) + abs(offsets[0])
        shape = (extent, extent)
    rows, columns = (int(extent) for extent in shape)
    dtype = _dtype_of_diagonals(dtype, diagonals)
    ends = [min(rows + offset, columns - offset) + max(0, offset) for offset in offsets]
    width = max(0, *ends)
    lines = []
    for line, (offset, diagonal) in enumerate(zip(offsets, diagonals)):
        low = max(0, offset)
        length = min(rows + offset, columns - offset, rows, columns)
        if length < 0:
            text = f"Offset {offset} (index {line}) out of bounds"
            raise _refusal(ValueError, "value", text)
        found = diagonal[..., :length]
        if diagonal.ndim != 1 or found.size not in (1, length):
            text = (
                f"Diagonal length (index {line}: {len(diagonal)} at offset {offset}) does not "
                f"agree with array size ({rows}, {columns})."
            )
            raise _refusal(ValueError, "together", text)
        found = np.broadcast_to(found.astype(dtype), (length,))
        before, after = (np.zeros(count, dtype=dtype) for count in (low, width - low - length))
        lines.append(np.concatenate([before, found, after]))
    return dia_array((np.stack(lines), offsets), shape=(rows, columns)).asformat(format)


def _dtype_of_diagonals(dtype, diagonals):
    if dtype is None:
        return promoted(*diagonals)
    if dtype is not _COMMON:
        return checked_dtype(dtype)
    found = promoted(*diagonals)
    return found if found.kind in "fc" else np.dtype(np.float64)


@described("dia_matrix", _OF_DIAGONALS)
def diags(diagonals, offsets=0, shape=None, format=None, dtype=_COMMON):
    """The sparse matrix with the given diagonals. A diagonal of one element is filled with it."""
    made = diags_array(diagonals, offsets=offsets, shape=shape, dtype=dtype)
    return dia_matrix(made).asformat(format)


@described(
    "dia_matrix",
    {"ValueError": "The diagonals do not fit their numbers."},
    m=("int or (int, int)", "The number of rows, or the shape."),
)
def spdiags(data, diags, m=None, n=None, format=None):
    """The sparse matrix whose diagonals are rows of an array, placed by columns."""
    if m is None and n is None:
        m = n = len(data[0])
    elif n is None:
        m, n = m
    return dia_matrix((data, diags), shape=(m, n)).asformat(format)


@described("dia_matrix", n=("int", "The extent."))
def identity(n, dtype="d", format=None):
    """The identity matrix."""
    return eye(n, n, dtype=dtype, format=format)


@described("dia_array", m=("int", "The number of rows."))
def eye_array(m, n=None, *, k=0, dtype=float, format=None):
    """The sparse array with ones on a diagonal."""
    return _eye(m, n, k, dtype, format, True)


@described("dia_matrix", m=("int", "The number of rows."))
def eye(m, n=None, k=0, dtype=float, format=None):
    """The sparse matrix with ones on a diagonal."""
    return _eye(m, n, k, dtype, format, False)


def _eye(m, n, k, dtype, format, is_array):
    rows = int(m)
    columns = rows if n is None else int(n)
    dtype = checked_dtype(dtype)
    if rows == columns and k == 0 and format in ("csr", "csc", "coo"):
        places = np.arange(rows, dtype=index_dtype(rows))
        ones, made = np.ones(rows, dtype=dtype), class_of(format, is_array)
        if format == "coo":
            return made._of(ones, (places, places), (rows, rows), True)
        starts = np.arange(rows + 1)
        core = Rows.from_parts(starts, places, ones, (rows, rows))
        return made._of_core(core, (rows, rows), is_canonical=True)
    if min(rows + k, columns - k) < 0:
        raise _refusal(ValueError, "value", f"Offset {k} (index 0) out of bounds")
    ones = np.ones((1, max(0, min(rows + k, columns))), dtype=dtype)
    made = class_of("dia", is_array)
    return made((ones, [k]), shape=(rows, columns)).asformat(format)


@described("sparse matrix or array: Of blocks if `B` is dense, else in coordinate format.")
def kron(A, B, format=None):
    """The Kronecker product of two matrices."""
    is_array = _is_array(A, B)
    A, B = (_entries(one, is_array) for one in (A, B))
    if A.ndim == 1 or B.ndim == 1:
        return _product_of_vectors(A, B, format)
    shape = tuple(first * second for first, second in zip(A.shape, B.shape))
    made = class_of("coo", is_array)
    if A.nnz == 0 or B.nnz == 0:
        # As in SciPy, a product without entries has the default dtype.
        return made(shape).asformat(format)
    if format in (None, "bsr") and 2 * B.nnz >= math.prod(B.shape):
        own = A.tocsr()
        data = own.data[:, None, None] * B.toarray()
        parts = (data, own.indices, own.indptr)
        return class_of("bsr", is_array)(parts, shape=shape)
    coords = tuple(
        (own.astype(np.int64)[:, None] * extent + other).ravel()
        for own, other, extent in zip(A.coords, B.coords, B.shape)
    )
    values = (A.data[:, None] * B.data).ravel()
    narrow = index_dtype(max(shape), A._is_wide or B._is_wide)
    coords = tuple(place.astype(narrow, copy=False) for place in coords)
    return made._of(values, coords, shape).asformat(format)


def _product_of_vectors(A, B, format):
    """The Kronecker product of which one operand is a vector, as a row."""
    is_vector = A.ndim == B.ndim == 1
    A, B = (one.reshape(one._shape_as_2d) for one in (A, B))
    product = kron(A, B, format="coo")
    return (product.reshape(product.shape[1]) if is_vector else product).asformat(format)


@described("sparse matrix or array", {"ValueError": "A matrix is not square."})
def kronsum(A, B, format=None):
    """The Kronecker sum of two square matrices: ``kron(I, A) + kron(B, I)``."""
    is_array = _is_array(A, B)
    A, B = (_entries(one, is_array) for one in (A, B))
    for name, one in (("A", A), ("B", B)):
        if one.ndim != 2:
            text = f"kronsum requires 2D inputs. `{name}` is {one.ndim}D."
            raise _refusal(ValueError, "value", text)
        if one.shape[0] != one.shape[1]:
            raise _refusal(ValueError, "value", f"{name} is not square")
    dtype = promoted(A.dtype, B.dtype)
    of_a, of_b = (_eye(one.shape[0], None, 0, dtype, None, is_array) for one in (A, B))
    total = kron(of_b, A, format="coo") + kron(B, of_a, format="coo")
    return total.asformat(format)


# Of up to as many elements, positions are drawn from a permutation of all.
_FEW = 1 << 22


def _generator(rng, random_state):
    """The generator of an argument: ours, or one of NumPy's, whose numbers are on the host."""
    if rng is not None and random_state is not None:
        text = "rng and random_state are the same parameter"
        raise _refusal(TypeError, "together", text)
    rng = random_state if rng is None else rng
    if rng is None or hasattr(rng, "__index__"):
        return np.random.default_rng(rng)
    if hasattr(rng, "choice") and hasattr(rng, "uniform"):
        return rng
    text = f"a {type(rng).__name__} is no generator"
    raise _refusal(ValueError, "type", text, "give a phalanx.random.Generator or a seed")


def _distinct(rng, size, count):
    """Distinct positions, in any order."""
    if size <= _FEW or count > size // 3 or not isinstance(rng, np.random.Generator):
        return np.asarray(rng.choice(size, size=count, replace=False), dtype=np.int64)
    found = np.zeros(0, dtype=np.int64)
    while found.size < count:
        more = rng.integers(0, size, size=2 * (count - found.size) + 16)
        found = np.unique(np.concatenate([found, more]))
    return rng.permutation(found)[:count]


def _drawn(shape, density, dtype, rng, data_sampler):
    """The values and the positions of random entries."""
    if not 0 <= density <= 1:
        raise _refusal(ValueError, "value", "density expected to be 0 <= density <= 1")
    size = math.prod(shape)
    count = int(round(density * size))
    dtype = checked_dtype(dtype, np.float64)
    linear = _distinct(rng, size, count)
    coords, rest = [], linear
    for extent in shape:
        coords.append((rest % max(extent, 1)).astype(index_dtype(max(shape))))
        rest = rest // max(extent, 1)
    if data_sampler is not None:
        values = np.asarray(data_sampler(size=count))
    elif dtype.kind in "iu":
        limits = np.iinfo(dtype)
        values = np.asarray(rng.integers(limits.min, limits.max, size=count, dtype=dtype))
    elif dtype.kind == "c":
        parts = [np.asarray(rng.uniform(size=count)) for _ in range(2)]
        values = parts[0] + parts[1] * 1j
    else:
        values = np.asarray(rng.uniform(size=count))
    return values.astype(dtype, copy=False), tuple(coords)


@described(
    "coo_array",
    {"ValueError": "The density is not between 0 and 1."},
    "Collective: every process calls it. The numbers are those of Phalanx's generators.",
)
def random_array(
    shape, *, density=0.01, format="coo", dtype=None, rng=None, random_state=None,
    data_sampler=None,
):
    """The sparse array of random values at random positions."""
    shape = tuple(int(extent) for extent in shape)
    rng = _generator(rng, random_state)
    parts = _drawn(shape, density, dtype, rng, data_sampler)
    return class_of("coo", True)(parts, shape=shape).asformat(format)


@described(
    "coo_matrix",
    {"ValueError": "The density is not between 0 and 1."},
    "Collective: every process calls it. The numbers are those of Phalanx's generators.",
    m=("int", "The number of rows."),
)
def random(
    m, n, density=0.01, format="coo", dtype=None, rng=None, data_rvs=None, *, random_state=None
):
    """The sparse matrix of random values at random positions."""
    shape = (int(m), int(m if n is None else n))
    sampler = None if data_rvs is None else lambda size: data_rvs(size)
    parts = _drawn(shape, density, dtype, _generator(rng, random_state), sampler)
    return class_of("coo", False)(parts, shape=shape).asformat(format)


@described(
    "coo_matrix",
    {"ValueError": "The density is not between 0 and 1."},
    "Collective: every process calls it. The numbers are those of Phalanx's generators.",
    m=("int", "The number of rows."),
)
def rand(m, n, density=0.01, format="coo", dtype=None, rng=None, *, random_state=None):
    """The sparse matrix of uniform random values at random positions."""
    return random(m, n, density, format, dtype, rng, random_state=random_state)
