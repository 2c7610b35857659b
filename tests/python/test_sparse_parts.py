"""The parts of sparse matrices: dtypes of positions, what matrices share, and malformed parts."""

import numpy
import pytest
import scipy.sparse

import phalanx
from phalanx.scipy import sparse

from .sparse_cases import check, outcome, some

VALUES = [1.0, 2.0]
PLACES, STARTS = [0, 1], [0, 1, 2]
# Matrices `W` with positions of a dtype; `N` has positions of 32 bits.
MADE = {
    "lines": lambda sp, xp, kind, dtype: getattr(sp, f"csr_{kind}")(
        (xp.asarray(VALUES), xp.asarray(PLACES, dtype=dtype), xp.asarray(STARTS, dtype="i4")),
        shape=(2, 2),
    ),
    "columns": lambda sp, xp, kind, dtype: getattr(sp, f"csc_{kind}")(
        (xp.asarray(VALUES), xp.asarray(PLACES, dtype="i4"), xp.asarray(STARTS, dtype=dtype))
    ),
    "pairs": lambda sp, xp, kind, dtype: getattr(sp, f"csr_{kind}")(
        (xp.asarray(VALUES), (xp.asarray(PLACES, dtype=dtype),) * 2), shape=(2, 2)
    ),
    "entries": lambda sp, xp, kind, dtype: getattr(sp, f"coo_{kind}")(
        (xp.asarray(VALUES), (xp.asarray(PLACES, dtype=dtype),) * 2), shape=(2, 2)
    ),
    "blocks": lambda sp, xp, kind, dtype: getattr(sp, f"bsr_{kind}")(
        (xp.asarray(VALUES).reshape(2, 1, 1), xp.asarray(PLACES, dtype=dtype), STARTS)
    ),
}
EXPRESSIONS = """
W; W.T; W.tocsr(); W.tocsc(); W.tocoo(); W.tobsr(); W.tobsr((2, 2)); W.tobsr().tocsr(); W * 2; -W
W + N; N + W; W @ N; N @ W; W.tocsr()[:1]; W.tocsr()[[0, 1]]; W.tocsc()[:, 1:]; W.reshape(4, 1)
sp.csr_array(W); W.tocsr().multiply(N); W.tocsr().multiply(xp.ones((1, 2))); W > N; W.copy(); W != 0
W.maximum(N); W.tocoo().T; sp.kron(N, W, 'coo'); sp.hstack([W, N]); sp.vstack([N, W])
sp.block_diag([W, N]); sp.block_diag([N, [[1.0]]]); sp.tril(W); W.tolil().tocsr(); W.todok().tocoo()
sp.block_array([[N, W]], format='csr'); W.max(axis=0); W.astype('f'); W.power(2); N.tocoo(); N.T
sp.eye_array(3, format='csr'); sp.random_array((3, 3)); sp.swapaxes(W, 0, 1); sp.coo_array([[0, 1]])
"""


def expressions():
    return [one.strip() for one in EXPRESSIONS.replace("\n", ";").split(";") if one.strip()]


def dtypes(expression, name, kind, dtype, sp, xp):
    """The dtypes of the positions of a result."""
    matrix = MADE[name](sp, xp, kind, dtype)
    narrow = getattr(sp, f"csr_{kind}")(xp.asarray([[0.0, 1], [2, 0]]))
    found = eval(expression, {"W": matrix, "N": narrow, "sp": sp, "xp": xp})
    places = found.coords if found.format == "coo" else (found.indices, found.indptr)
    return [str(one.dtype) for one in places]


@pytest.mark.parametrize("expression", some(expressions()))
def test_dtypes_of_positions_are_those_of_scipy(expression):
    for name in MADE:
        for kind in ("array", "matrix"):
            if name == "blocks" and ("multiply" in expression or kind == "matrix"):
                # SciPy narrows some of these, and some not.
                continue
            for dtype in ("int64", "int32", "uint32", "uint16"):
                case = (expression, name, kind, dtype)
                other = dtypes(*case, scipy.sparse, numpy)
                assert dtypes(*case, sparse, phalanx) == other, case


def test_positions_that_are_set_keep_their_dtype():
    for format in ("csr", "csc", "bsr"):
        matrix = sparse.csr_matrix(numpy.eye(3)).asformat(format)
        assert matrix.indices.dtype == numpy.int32
        matrix.indices = matrix.indices.astype("int64")
        assert matrix.data.size == 3 and matrix.indices.dtype == numpy.int64
        matrix.resize(2, 3) if format != "bsr" else matrix.eliminate_zeros()
        assert matrix.indices.dtype == matrix.copy().indices.dtype == numpy.int64


def test_copies_have_positions_of_their_own():
    matrix = sparse.coo_array((phalanx.ones(2), (phalanx.arange(2), phalanx.arange(2))))
    same = (
        matrix.copy(), matrix.tocoo(copy=True), sparse.coo_array(matrix, copy=True),
        sparse.coo_matrix((matrix.data, matrix.coords), copy=True),
        matrix.T.transpose(copy=True).T,
    )
    assert matrix.tocoo() is matrix and sparse.coo_array(matrix).row is matrix.row
    matrix.row[0], matrix.col[0], matrix.data[0] = 1, 1, 7
    assert matrix.toarray().tolist() == [[0, 0], [0, 8]]
    for one in same:
        assert one.toarray().tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr", "dia"])
def test_values_are_one_array(format):
    matrix = sparse.csr_array(numpy.array([[1.0, 2], [3, 4]])).asformat(format)
    values, same = matrix.data, matrix
    assert matrix.data is values
    matrix *= 2
    matrix /= 4
    assert matrix is same and matrix.data is values
    values *= 10
    assert matrix.toarray().tolist() == [[5, 10], [15, 20]]
    matrix.data = phalanx.ones(values.shape)
    matrix.data[...] = 3
    assert matrix.toarray().tolist() == [[3, 3], [3, 3]]
    assert values.sum() == 50
    if format in ("csr", "csc"):
        # Another pattern has other values.
        matrix.setdiag(0)
        matrix.eliminate_zeros()
        assert matrix.data.tolist() == [3, 3]


def test_a_shape_may_add_places_to_lines():
    dense = phalanx.asarray([[1.0, 0, 2], [0, 3, 0]])
    for given in (dense, sparse.csr_array(dense), sparse.coo_matrix(dense)):
        wide = sparse.csr_array(given, shape=(2, 5))
        assert wide.shape == (2, 5) and wide.toarray().sum(axis=0).tolist() == [1, 3, 2, 0, 0]
        assert sparse.csc_matrix(given, shape=(4, 3)).toarray()[2:].tolist() == [[0] * 3] * 2
        for made, shape in (
            (sparse.csr_array, (3, 3)), (sparse.csr_array, (2, 2)), (sparse.csc_array, (2, 5)),
        ):
            with pytest.raises(ValueError):
                made(given, shape=shape)
    narrow = sparse.csr_array(sparse.csr_array(dense)[:, :1].toarray(), shape=(2, 1))
    assert narrow.toarray().tolist() == [[1], [0]]
    vector = sparse.csr_array(phalanx.asarray([0.0, 1, 0, 2]))
    longer = sparse.csr_array(vector, shape=(6,))
    assert longer.shape == (6,) and longer.toarray().tolist() == [0, 1, 0, 2, 0, 0]
    assert sparse.csr_array(vector, shape=(1, 4)).toarray().tolist() == [[0, 1, 0, 2]]
    line = sparse.csr_array(sparse.csr_array(dense)[[0]], shape=(3,))
    assert line.toarray().tolist() == [1, 0, 2]


# Constructors of a malformed part, `bad`, as SciPy's of the same module.
MALFORMED = {
    "values of entries": lambda sp, bad: sp.coo_matrix((bad, ([0, 1], [0, 1])), shape=(2, 2)),
    "rows": lambda sp, bad: sp.coo_matrix((VALUES, (bad, PLACES)), shape=(2, 2)),
    "columns": lambda sp, bad: sp.coo_array((VALUES, (PLACES, bad)), shape=(2, 2)),
    "values of rows": lambda sp, bad: sp.csr_matrix((bad, PLACES, STARTS), shape=(2, 2)),
    "places": lambda sp, bad: sp.csr_array((VALUES, bad, STARTS), shape=(2, 2)),
    "places of csc": lambda sp, bad: sp.csc_matrix((VALUES, bad, STARTS), shape=(2, 2)),
    "starts": lambda sp, bad: sp.csc_array((VALUES, PLACES, bad), shape=(2, 2)),
    "diagonals": lambda sp, bad: sp.dia_matrix((bad, [0]), shape=(2, 2)),
    "offsets": lambda sp, bad: sp.dia_array((VALUES, bad), shape=(2, 2)),
    "values of blocks": lambda sp, bad: sp.bsr_matrix((bad, PLACES, STARTS), shape=(2, 2)),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_text_and_objects_are_no_parts(name):
    for bad in ("text", ["a", "b"], b"xy", None, object(), numpy.array(["a", "b"])):
        other = outcome(MALFORMED[name], scipy.sparse, bad)
        if not isinstance(other, Exception):
            # SciPy has diagonals of text.
            other = ValueError()
        check(outcome(MALFORMED[name], sparse, bad), other)


def test_errors_name_what_is_wrong():
    parts = (VALUES, PLACES, [5, 6, 7])
    for made in (sparse.csr_array, sparse.csc_matrix):
        with pytest.raises(ValueError, match="index pointer should start with 0"):
            made(parts, shape=(2, 2))
    square = sparse.csr_matrix(numpy.eye(4))
    with pytest.raises(ValueError, match=r"shape must have length in \(2,\)"):
        square.reshape(16)
    assert sparse.csr_array(square).reshape(16).shape == (16,)


def test_powers_of_matrices():
    dense = numpy.array([[1.0, 2], [0, 3]])
    matrix = sparse.csr_matrix(dense)
    for power in range(6):
        found = matrix**power
        assert sparse.isspmatrix(found)
        numpy.testing.assert_array_equal(found.toarray(), numpy.linalg.matrix_power(dense, power))
    other = scipy.sparse.csr_matrix(dense)
    for power in (-1, 1.5, 2.0, [2], None, "2", numpy.int8(3)):
        check(outcome(lambda: matrix**power), outcome(lambda: other**power))
    with pytest.raises(TypeError, match="square"):
        sparse.csr_matrix(numpy.ones((2, 3))) ** 2


def test_products_of_blocks_without_entries():
    for dtype in ("f4", "F", "i4", "?"):
        one, none = numpy.array([[1, 2]], dtype=dtype), numpy.zeros((2, 1), dtype=dtype)
        for first, second in ((one, none), (none, one), (none, none)):
            for format in (None, "coo", "csr", "bsr"):
                own = sparse.kron(sparse.csr_array(first), phalanx.asarray(second), format)
                check(own, scipy.sparse.kron(scipy.sparse.csr_array(first), second, format))
