"""Functions, constructors, attributes and files of sparse matrices, against SciPy's."""

import copy
import inspect
import io
import pickle
import re

import numpy
import pytest
import scipy.sparse

import phalanx
from phalanx.scipy import sparse

from .sparse_cases import CLASSES, check, ours, outcome, pair, some, theirs
from .test_docstrings import parameters, section

# Expressions of the module as `sp`, with matrices `M` and arrays `A` and `B` of it, `D` dense.
FUNCTIONS = """
sp.eye(3)  sp.eye(3, 4)  sp.eye(3, k=1)  sp.eye(4, 3, k=-2, dtype='i4')  sp.eye(3, format='csr')
sp.eye(2, k=5)  sp.eye(3, format='csc')  sp.eye(3, format='coo')  sp.eye(3, 2, format='lil')
sp.eye_array(3)  sp.eye_array(3, 4, k=1)  sp.eye_array(3, format='csc')  sp.identity(3)
sp.eye_array(2, dtype='F', format='bsr')  sp.identity(2, dtype='?', format='dok')
sp.diags([1, 2, 3])  sp.diags([[1, 2, 3], [4, 5]], [0, 1])  sp.diags([1, -2], [0, 1], shape=(3, 3))
sp.diags([[1.0, 2], [3]], [-1, 2], shape=(3, 4))  sp.diags([1, 2, 3], 1)
sp.diags([[1, 2]], [0, 1])  sp.diags([1, 2, 3], dtype='f', format='csr')
sp.diags([[1, 2, 3]], [0], (2, 2))  sp.diags([[1, 2, 3, 4]], [0], (2, 3))
sp.diags([[1, 2]], [5], (2, 2))  sp.diags([[1, 2]], 0)  sp.diags_array([1, 2, 3], dtype=None)
sp.diags_array([[1j], [2]], offsets=[0, 1], shape=(2, 2))
sp.diags_array([1.0, 2], offsets=-1, format='csc')  sp.diags([], [])
sp.spdiags([[1, 2, 3], [4, 5, 6]], [0, 1], 3, 3)  sp.spdiags([1, 2, 3], -1, 4, 4)
sp.spdiags([[1, 2, 3]], [2], (3, 5))  sp.spdiags([[1, 2]], 0)
sp.spdiags([[1, 2], [3, 4]], [0, 0], 2, 2)  sp.kron(M, M)  sp.kron(M, D)  sp.kron(A, B)
sp.kron(D, M, format='csr')  sp.kron(M, [[1, 0], [0, 0]])  sp.kron(A, [[1, 2]])  sp.kron(M, M[:1])
sp.kron(M, sp.csr_matrix((2, 2)))  sp.kron(M, M, format='coo')  sp.kronsum(S, S)
sp.kronsum(S, [[1, 2], [3, 4]], format='csr')  sp.kronsum(M, S)  sp.kronsum(A, A)
sp.hstack([M, M])  sp.hstack([A, A, A])  sp.hstack([M.tocsc(), M.tocsc()])  sp.hstack([M, D])
sp.hstack([A.tocoo(), M])  sp.hstack([M, M.astype('i4')], format='csc')  sp.hstack([M, S])
sp.vstack([M, M])  sp.vstack([A, B])  sp.vstack([A.tocsc(), A.tocsc()], format='csr')
sp.vstack([M])  sp.vstack([M, M], dtype='f')  sp.vstack([M, S])  sp.vstack([A.tolil(), A.todok()])
sp.bmat([[M, None], [None, S]])  sp.bmat([[S, S], [S, None]], format='csr')  sp.bmat([[M], [S]])
sp.bmat([[A, None], [A, B]])  sp.bmat([[None, None]])  sp.bmat([[M.tocsc(), M.tocsc()]])
sp.block_array([[A, B], [B, A]])  sp.block_array([[A, None]], format='csc', dtype='F')
sp.block_diag([M, S])  sp.block_diag([A, [[1, 2]], 5, D])  sp.block_diag([M, 3], format='csr')
sp.block_diag([[1, 2], [[3], [4]]])  sp.block_diag([M, M], dtype='f')  sp.find(M)
sp.find(A.tocsc())  sp.find(D)  sp.find(C)  sp.tril(M)  sp.triu(M)  sp.tril(A, k=1)
sp.triu(A, -1, format='csr')  sp.tril(D)  sp.triu(C, 1)  sp.tril(M.tocsc(), k=-2, format='csc')
sp.issparse(M)  sp.issparse(D)  sp.isspmatrix(M)  sp.isspmatrix(A)  sp.isspmatrix_csr(M)
sp.isspmatrix_csr(A)  sp.isspmatrix_csc(M)  sp.isspmatrix_coo(C)  sp.isspmatrix_dia(M.todia())
sp.isspmatrix_bsr(M.tobsr())  sp.isspmatrix_lil(M.tolil())  sp.isspmatrix_dok(M.todok())
sp.get_index_dtype()  sp.get_index_dtype(maxval=2**31)  sp.get_index_dtype(maxval=2**31 - 1)
sp.get_index_dtype(np.arange(3))  sp.get_index_dtype((np.arange(3),), check_contents=True)
sp.get_index_dtype((np.asarray([2**40]),), check_contents=True)
sp.safely_cast_index_arrays(M, np.int64)  sp.safely_cast_index_arrays(C, np.int64)
sp.safely_cast_index_arrays(M.todia(), np.int64)  sp.safely_cast_index_arrays(M.tolil())
sp.safely_cast_index_arrays(M.tobsr(), np.int16)  sp.safely_cast_index_arrays(W, np.int8)
sp.permute_dims(A)  sp.permute_dims(A, (1, 0))  sp.permute_dims(A, (0, 1))
sp.permute_dims(A, (0, 0))  sp.permute_dims(A, (0, 2))  sp.permute_dims(A, (0,))
sp.swapaxes(A, 0, 1)  sp.swapaxes(A, 0, -1)  sp.swapaxes(A, 0, 3)  sp.expand_dims(V)
sp.expand_dims(V, axis=1)  sp.expand_dims(V, axis=-1)  sp.expand_dims(V, axis=3)
sp.permute_dims(V)  A.tocoo().tensordot(B.tocoo(), axes=1)
A.tocoo().tensordot(B.tocoo().T, axes=([1], [0]))  A.tocoo().tensordot(A.tocoo(), axes=([0], [0]))
A.tocoo().tensordot(D, axes=([1], [1]))  A.tocoo().tensordot(A.tocoo())
V.tocoo().tensordot(V.tocoo(), axes=1)  A.tocoo().tensordot(B, axes=3)  V.toarray()  V.shape
V.ndim  V + V  V - V  V * 2  V.multiply(V)  V @ V  V @ D.T[:, 0]  D @ V  A @ V  V.sum()
V.sum(axis=0)  V.max()  V.argmax()  V.min(axis=0)  V.mean()  V.T  V.tocoo()  V.tocsr()  V.tocsc()
V.todia()  V.tobsr()  V.tolil()  V.todok()  V.reshape(2, 2)  V.reshape(1, -1)  V > 1  V.nonzero()
V.count_nonzero()  V.diagonal()  V.astype('f')  V.sin()  abs(V)  -V  V == V  V.getnnz
V.multiply(D)  A.multiply(V)  V.multiply(A)  A * V  V.power(2)  V.copy()  V.maximum(1)  V != V * 2
V.tocoo() @ V  V.tocoo().reshape(4, 1)  V.todok() + V  V @ B.T  V.conj()  repr(V)  V / 2
V.tocoo().row  A.tocsr() * A.tocsc()  M.tocsr() * M.tocsc().T  A + M  M + A  A @ M.T  A.multiply(M)
M.maximum(A)  M + C  C + M.todia()  M - M.tobsr()  M.tolil() + M.todok()  M.todia() + M.todia()
A.todia() @ B.todia().T  A.tobsr((1, 2)) + A  A.tobsr((3, 2)) @ B.T  A.tobsr((1, 4)).T
A.tobsr((3, 4)).sum(axis=0)  A.tobsr((2, 2))  W.tobsr()  W.tobsr().blocksize
W.tobsr((2, 2)).tocoo()  W.tobsr((4, 4)).sum(axis=1)  A.todia().offsets  A.todia().data
A.tobsr((3, 2)).data  A.multiply(D[:1])  A.multiply(D[:, :1])  A[:1].multiply(A[:, :1])
A[:, :1].multiply(A[:1])  A[:1].multiply(D[:, :1])  A[:, :1].multiply(D[0])  A.multiply(A[:1])
A.multiply(A[:, :1])  A[:1].multiply(A)  A.tocsc()[:, :1].multiply(A)
"""
CONSTRUCTED = """
sp.{0}((2, 3))  sp.{0}((2, 3), dtype='i4')  sp.{0}((2, -3))  sp.{0}([[1, 2], [0, 3]])
sp.{0}([[1, 2], [0, 3]], dtype='F')  sp.{0}([[1, 2], [0, 3]], dtype='e')  sp.{0}([1, 0, 2])
sp.{0}(5)  sp.{0}([[1.5]], copy=True)  sp.{0}([[True, False]])  sp.{0}(np.zeros((0, 2)))  sp.{0}(M)
sp.{0}(A)  sp.{0}(M, dtype='f')  sp.{0}(A.tocoo(), copy=True)  sp.{0}(A.todia())  sp.{0}(M.tobsr())
sp.{0}(A.tolil())  sp.{0}(M.todok(), dtype='i8')  sp.{0}('text')
"""
OF_ENTRIES = """
sp.{0}(([1, 2, 3], ([0, 1, 0], [1, 1, 1])))  sp.{0}(([1.0, 2], ([0, 1], [0, 2])), shape=(3, 4))
sp.{0}(([1], ([7], [0])), shape=(2, 2))  sp.{0}(([1], ([-1], [0])), shape=(2, 2))
sp.{0}(([1, 2], ([0], [0])), shape=(2, 2))  sp.{0}(([], ([], [])), shape=(2, 2))
sp.{0}(([], ([], [])))  sp.{0}(([1, 2], ([0, 1], [0, 1])), dtype='D')
sp.{0}(([True, True], ([0, 0], [1, 1])))
"""
OF_PARTS = """
sp.{0}(([1, 2, 3], [2, 0, 1], [0, 2, 3]))  sp.{0}(([1, 2, 3], [2, 0, 1], [0, 2, 3]), shape=(2, 4))
sp.{0}(([1.0], [0], [0, 1, 1]), shape=(2, 2), dtype='f')  sp.{0}(([1, 2], [0], [0, 1]))
sp.{0}(([1], [0], [1, 1]))  sp.{0}(([1], [0], [0, 2]))  sp.{0}(([], [], [0]))
sp.{0}(([1, 2], [0, 1], [0, 1]), shape=(1, 2))  sp.{0}(([1, 2], [0, 0], [0, 2]), shape=(1, 1))
sp.{0}(([1, 2],) * 5)  sp.{0}(([[1]], [0], [0, 1]))
"""
def expressions(text):
    return [one for one in re.split(r"\n| {2,}", text) if one]


def names(module, numbers):
    dense = numpy.array([[0, 2.0, 0, 1], [3, 0, 0, 0], [0, 0, 5, 4]])
    square = numpy.array([[1.0, 2], [0, 3]])
    wide = numpy.kron(numpy.eye(3), numpy.ones((4, 4)))
    given = numbers.asarray
    matrix = module.csr_matrix(given(dense))
    return {
        "sp": module, "np": numbers, "D": given(dense), "M": matrix, "C": module.coo_matrix(matrix),
        "A": module.csr_array(given(dense)), "B": module.csr_array(given(dense[::-1].copy())),
        "S": module.csr_matrix(given(square)), "W": module.csr_array(given(wide)),
        "V": module.csr_array(given(numpy.array([0, 3.0, 0, -1]))),
    }


def compared(expression):
    own = outcome(lambda: eval(expression, names(sparse, phalanx)))
    other = outcome(lambda: eval(expression, names(scipy.sparse, numpy)))
    try:
        check(own, other)
    except Exception as error:
        error.add_note(f"{own!r} in place of {other!r}")
        raise


@pytest.mark.parametrize("expression", some(expressions(FUNCTIONS)))
def test_functions(expression):
    compared(expression)


def constructions():
    for name in CLASSES:
        format = name.split("_")[0]
        all_of_it = CONSTRUCTED
        if format in ("csr", "csc", "coo", "bsr"):
            all_of_it += OF_ENTRIES
        if format in ("csr", "csc"):
            all_of_it += OF_PARTS
        yield from (one.format(name) for one in expressions(all_of_it))


@pytest.mark.parametrize("expression", some(constructions()))
def test_constructors(expression):
    compared(expression)


@pytest.mark.parametrize("name", CLASSES)
def test_more_than_two_axes_are_refused(name):
    made = getattr(sparse, name)
    for given in ((2, 3, 4), (2, 3, 4, 5)):
        # Three numbers are the parts of a compressed matrix, and a vector of dok_array.
        if name[:3] not in ("csr", "csc", "dok"):
            with pytest.raises((ValueError, TypeError)):
                made(given)
    with pytest.raises((ValueError, TypeError), match="axes"):
        made(numpy.ones((2, 2, 2)))


def test_attributes_can_be_set():
    for name in ("csr_matrix", "csc_array"):
        own, other = pair(name, "plain")
        own.data, other.data = phalanx.asarray(other.data * 2), other.data * 2
        check(own, other)
        places = other.indices[::-1].copy() % min(other.shape)
        own.indices, other.indices = phalanx.asarray(places), places
        other.has_sorted_indices = other.has_canonical_format = False
        del other._has_sorted_indices, other._has_canonical_format
        assert own.has_sorted_indices == other.has_sorted_indices
        check(own.toarray(), other.toarray())
        check(own.indices, other.indices)
        # A whole new matrix, part by part.
        size = len(other.indptr)
        own.data, own.indices = phalanx.ones(2), phalanx.asarray([0, 1])
        own.indptr = phalanx.asarray([0] + [2] * (size - 1))
        assert own.nnz == 2 and own.toarray().sum() == 2
        own.indptr = phalanx.asarray([0, 1])
        with pytest.raises(ValueError):
            own.check_format()
    entries = sparse.coo_matrix(([1.0, 2], ([0, 1], [1, 0])), shape=(2, 2))
    entries.row, entries.data = [1, 1], phalanx.asarray([5.0, 6])
    assert entries.toarray().tolist() == [[0, 0], [6, 5]]
    diagonals = sparse.dia_matrix(([[1.0, 2]], [0]), shape=(2, 2))
    diagonals.offsets = [1]
    assert diagonals.toarray().tolist() == [[0, 2], [0, 0]]
    blocks = sparse.bsr_matrix(numpy.kron(numpy.eye(2), numpy.ones((2, 2))), blocksize=(2, 2))
    blocks.indices = [1, 0]
    assert blocks.toarray().tolist() == numpy.kron([[0, 1], [1, 0]], numpy.ones((2, 2))).tolist()
    matrix = sparse.csr_matrix(numpy.ones((2, 3)))
    matrix.shape = (3, 2)
    assert matrix.shape == (3, 2) and matrix.format == "csr"


def test_values_are_written_in_place():
    for format in ("csr", "csc", "coo", "bsr", "dia"):
        matrix = sparse.csr_array(numpy.diag([1.0, 2, 3])).asformat(format)
        matrix.data[...] = matrix.data * 10
        assert matrix.toarray().tolist() == [[10, 0, 0], [0, 20, 0], [0, 0, 30]], format


@pytest.mark.parametrize("name", CLASSES)
def test_copies(name):
    own, other = pair(name, "messy")
    for made in (copy.copy(own), copy.deepcopy(own), pickle.loads(pickle.dumps(own)), own.copy()):
        check(made, other)
        assert type(made) is type(own)
    back = own.get() if not name.startswith("dok") else sparse.csr_matrix(own).get()
    assert scipy.sparse.issparse(back)
    numpy.testing.assert_array_equal(back.toarray(), other.toarray())


def test_matrices_of_other_libraries_are_operands():
    own, other = pair("csr_matrix", "square")
    for result in (own + other, own * other, own @ other, other + own, own.multiply(other)):
        assert sparse.issparse(result)
    check(own @ other, other @ other)
    check(own.maximum(other * 2), other.maximum(other * 2))
    check(sparse.vstack([own, other]), scipy.sparse.vstack([other, other]))
    # As well as arrays of NumPy, from both sides.
    dense = numpy.arange(9.0).reshape(3, 3)
    for result in (dense @ own, dense + own, own @ dense, own - dense, dense - own):
        assert isinstance(result, phalanx.ndarray)
    check(dense @ own, dense @ other.toarray())
    assert (dense == own).shape == (3, 3)


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("compressed", [True, False])
def test_files_are_scipys(name, compressed):
    own, other = pair(name, "plain")
    file = io.BytesIO()
    if name[:3] in ("lil", "dok"):
        with pytest.raises(NotImplementedError):
            sparse.save_npz(file, own)
        return
    sparse.save_npz(file, own, compressed)
    file.seek(0)
    check(own, scipy.sparse.load_npz(file))
    file = io.BytesIO()
    scipy.sparse.save_npz(file, other, compressed)
    file.seek(0)
    check(sparse.load_npz(file), other)


@pytest.mark.one_process("each process would have a folder of its own")
def test_files_with_a_path(tmp_path):
    matrix = sparse.csr_array(numpy.array([[0, 1.0], [2, 0]]))
    sparse.save_npz(tmp_path / "matrix", matrix)
    check(sparse.load_npz(tmp_path / "matrix.npz"), matrix.get())
    assert [path.name for path in tmp_path.iterdir()] == ["matrix.npz"]
    vector = sparse.coo_array(numpy.array([0, 1.0, 2]))
    sparse.save_npz(tmp_path / "vector.npz", vector)
    check(sparse.load_npz(tmp_path / "vector.npz"), vector.get())
    with pytest.raises(OSError):
        sparse.save_npz(tmp_path / "none" / "matrix.npz", matrix)
    numpy.savez(tmp_path / "other.npz", x=numpy.ones(2))
    with pytest.raises(ValueError):
        sparse.load_npz(tmp_path / "other.npz")


def test_random_matrices():
    for made in (
        sparse.random(20, 30, density=0.1, rng=1),
        sparse.rand(20, 30, 0.1, random_state=1),
        sparse.random_array((20, 30), density=0.1, rng=phalanx.random.default_rng(1)),
        sparse.random(20, 30, 0.1, rng=numpy.random.default_rng(1)),
    ):
        assert made.format == "coo" and made.shape == (20, 30) and made.nnz == 60
        # No position is drawn twice.
        assert made.tocsr().nnz == 60
        values = made.data.get()
        assert made.dtype == numpy.float64 and ((0 <= values) & (values < 1)).all()
    same = [sparse.random(9, 9, 0.5, "csr", rng=7).toarray().get() for _ in range(2)]
    numpy.testing.assert_array_equal(*same)
    assert sparse.random_array((4, 4), density=1, dtype="i4", rng=2).dtype == numpy.int32
    assert sparse.random_array((4, 4), density=1, dtype="F", rng=2).dtype == numpy.complex64
    ones = sparse.random(3, 3, 1, data_rvs=lambda size: phalanx.ones(size), rng=1)
    assert ones.toarray().tolist() == numpy.ones((3, 3)).tolist()
    assert sparse.random_array((4, 5), density=0, format="csc", rng=1).nnz == 0
    many = sparse.random(10**7, 10**7, density=1e-12, rng=3)
    assert many.nnz == 100
    with pytest.raises(ValueError):
        sparse.random(3, 3, density=2)


def test_warnings():
    matrix = sparse.csr_matrix(numpy.eye(3))
    for call in (
        lambda: matrix == 0, lambda: matrix < 1, lambda: matrix <= matrix,
        lambda: matrix.maximum(1), lambda: sparse.csr_matrix(numpy.eye(200)[::-1].copy()).todia(),
    ):
        with pytest.warns(sparse.SparseEfficiencyWarning) as caught:
            call()
        assert caught[0].filename == __file__
    assert issubclass(sparse.SparseEfficiencyWarning, sparse.SparseWarning)
    assert issubclass(sparse.SparseWarning, Warning)


def test_text_shows_the_entries():
    for name in CLASSES:
        own, other = pair(name, "plain")
        # Our numbers are those of `repr` of NumPy's scalars or shorter.
        assert str(own).splitlines()[:3] == str(other).splitlines()[:3]
    long = sparse.eye(100, format="csr")
    assert len(str(long).splitlines()) == len(str(long.get()).splitlines())
    assert sparse.csr_matrix((2, 2), maxprint=3).getmaxprint() == 3


def members(kind):
    for own in dir(kind):
        if not own.startswith("_"):
            yield own


@pytest.mark.parametrize("name", CLASSES)
def test_every_member_of_scipys_classes_is_there(name):
    kind = getattr(sparse, name)
    assert not {own for own in members(getattr(scipy.sparse, name)) if not hasattr(kind, own)}
    assert all(hasattr(kind, own) for own in ("dtype", "device", "mT"))
    own, other = pair(name, "plain")
    assert not {one for one in vars(other) if not one.startswith("_") and not hasattr(kind, one)}


@pytest.mark.parametrize("name", CLASSES)
def test_methods_are_documented(name):
    kind = getattr(sparse, name)
    for own in members(kind):
        function = inspect.getattr_static(kind, own)
        function = getattr(function, "__func__", function)
        if not inspect.isfunction(function):
            assert not isinstance(function, property) or function.__doc__, own
            continue
        text = inspect.cleandoc(function.__doc__)
        lines = [line for line in section(text, "Parameters") if not line.startswith("    ")]
        told = {line.partition(" :")[0].lstrip("*") for line in lines}
        assert told == parameters(function, True), own
        assert section(text, "Returns") and section(text, "Raises"), own
        assert re.search("Local|Collective", "\n".join(section(text, "Notes"))), own


@pytest.mark.one_process("starts a program")
def test_import_needs_no_other_library():
    from . import worlds

    told = worlds.run(
        """
        import sys
        import phalanx.scipy.sparse
        print([name for name in ("numpy", "scipy") if name in sys.modules])
        """
    ).stdout
    assert told.strip() == "[]"


def test_names_of_cupy():
    matrix = sparse.csr_matrix(numpy.array([[1.0, 2j], [0, 3]]))
    check(matrix.A, matrix.get().toarray())
    check(matrix.H, matrix.get().conj().T)
    check(sparse.csr_array(matrix).mT, sparse.csr_array(matrix).get().T)
    assert type(matrix).__module__ == "phalanx.scipy.sparse"


def test_matrices_of_this_process_are_used_outside_of_its_block():
    with phalanx.local():
        matrix = sparse.csr_matrix(phalanx.array([[0, 1.0, 2], [3, 0, 0]]))
    expected = scipy.sparse.csr_matrix(numpy.array([[0, 1.0, 2], [3, 0, 0]]))
    for expression in (
        "A.argmax(axis=1)", "A[[0, 1], [1, 0]]", "A.tobsr()", "A.todia()", "A.max(axis=0)",
        "A + A.tocoo()", "A.tocsc()[:, 1:]", "A.tolil().shape", "A.todia().tocsr()", "A.T @ [1, 2]",
    ):
        check(eval(expression, {"A": matrix}), eval(expression, {"A": expected}))
    check(sparse.vstack([matrix, matrix]), scipy.sparse.vstack([expected, expected]))
    check(sparse.kron(matrix, [[1, 2]]), scipy.sparse.kron(expected, [[1, 2]]))
    matrix.setdiag(4)
    assert matrix.diagonal().tolist() == [4, 4]


def test_parts_of_stacked_matrices_keep_their_order():
    messy = theirs("csr_matrix", "messy")
    own = sparse.vstack([ours(messy), ours(messy)])
    assert own.indices.tolist() == messy.indices.tolist() * 2
    check(own, scipy.sparse.vstack([messy, messy]))
    own = sparse.hstack([ours(messy.tocsc()), ours(messy.tocsc())], dtype="f")
    check(own, scipy.sparse.hstack([messy.tocsc(), messy.tocsc()], dtype="f"))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dia", "lil", "bsr"])
@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_a_matrix_has_one_other_order_of_axes(form, kind):
    for module in (sparse, scipy.sparse):
        matrix = getattr(module, f"{form}_{kind}")(numpy.array([[0, 1.0, 2], [3, 0, 0]]))
        assert matrix.transpose(axes=(1, 0)).shape == (3, 2)
        for axes in (0, 1, (1, 0, 2)):
            with pytest.raises(ValueError):
                matrix.transpose(axes=axes)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "dia", "lil"])
def test_a_diagonal_is_set_from_a_vector(form):
    values = numpy.array([[5.0, 6], [7, 8]])
    for module in (sparse, scipy.sparse):
        matrix = getattr(module, f"{form}_array")(numpy.eye(2))
        with pytest.raises(ValueError):
            matrix.setdiag(values)
        assert matrix.toarray().tolist() == [[1, 0], [0, 1]]
