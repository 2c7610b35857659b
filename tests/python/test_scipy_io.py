"""Matrix Market files: SciPy reads what is written, and what SciPy reads is read alike."""

import bz2
import gzip
import io
import os
import pathlib
import shutil

import numpy
import pytest
import scipy.io
import scipy.sparse

import phalanx
from phalanx.scipy import io as own
from phalanx.scipy import sparse
from phalanx.scipy.io import _numbers, _sources

from .conftest import RANKS
from .sparse_cases import check

BANNER = "%%MatrixMarket matrix "
VALUES = {"real": "-2.5e0", "double": "3", "integer": "-4", "unsigned-integer": "4",
          "complex": "1 -2", "pattern": ""}
SYMMETRIES = ["general", "symmetric", "skew-symmetric", "hermitian"]


@pytest.fixture
def folder(tmp_path):
    """A folder that all processes share."""
    name = numpy.zeros((1, 1000), "u1")
    name[0, : len(str(tmp_path))] = list(str(tmp_path).encode())
    first = phalanx.from_local(name).get()[0].tobytes()
    return pathlib.Path(first.rstrip(b"\0").decode())


def put(path, text):
    """A file that one process has written."""
    if phalanx.rank() == 0:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    phalanx.distributed.agree()
    return path


def same(found, wanted):
    """Results of reading are alike: class, dtype, shape, and entries in their order."""
    if not scipy.sparse.issparse(wanted):
        assert type(found) is phalanx.ndarray and found.dtype == wanted.dtype
        numpy.testing.assert_array_equal(found.get(), wanted)
        return
    kind = "array" if isinstance(wanted, scipy.sparse.sparray) else "matrix"
    assert type(found) is getattr(sparse, f"coo_{kind}") and found.shape == wanted.shape
    for name in ("data", "row", "col"):
        part, other = getattr(found, name), getattr(wanted, name)
        assert part.dtype == other.dtype
        numpy.testing.assert_array_equal(part.get(), other)


def both(text, **keywords):
    """The text is read as by SciPy, from memory and in ranges of bytes."""
    text = text.encode()
    same(own.mmread(io.BytesIO(text), **keywords), scipy.io.mmread(io.BytesIO(text), **keywords))
    assert own.mminfo(io.BytesIO(text)) == scipy.io.mminfo(io.BytesIO(text))


@pytest.mark.parametrize("symmetry", SYMMETRIES)
@pytest.mark.parametrize("field", list(VALUES))
def test_fields_and_symmetries_of_entries(field, symmetry):
    if field == "unsigned-integer" and symmetry == "skew-symmetric":
        return
    lines = "".join(f"{place} {VALUES[field]}\n" for place in ("1 1", "3 1", "2 3", "3 1", "4 4"))
    for spmatrix in (True, False):
        both(f"{BANNER}coordinate {field} {symmetry}\n4 4 5\n{lines}", spmatrix=spmatrix)


@pytest.mark.parametrize("symmetry", SYMMETRIES)
@pytest.mark.parametrize("field", ["real", "integer", "complex", "unsigned-integer"])
def test_fields_and_symmetries_of_arrays(field, symmetry):
    if field == "unsigned-integer" and symmetry == "skew-symmetric":
        return
    for rows in (1, 2, 5):
        strict = rows * (rows - 1) // 2
        count = {"general": rows * 3, "skew-symmetric": strict}.get(symmetry, strict + rows)
        second = " 7" if field == "complex" else ""
        numbers = "".join(f"{place + 1}{second}\n" for place in range(count))
        columns = 3 if symmetry == "general" else rows
        both(f"{BANNER}array {field} {symmetry}\n{rows} {columns}\n{numbers}")


@pytest.mark.parametrize("text", [
    "coordinate real general\n% note\n\n %more\n  3   3\t1  \n\n  1   1   1.5  \n\n\n",
    "coordinate real general\r\n% note\r\n3 3 2\r\n1 1 1.5\r\n2 2 1\r\n",
    "coordinate real general\n3 3 2\n1 1 1.5\n2 2 1",
    "Coordinate REAL General more\n3 3 1\n1 1 1.5\n",
    "coordinate real general\n3 3 5\n1 1 nan\n2 2 inf\n3 3 -inf\n1 2 NaN\n03 1 -0\n",
    "coordinate real general\n3 3 4\n1 1 1.\n2 2 .5\n1 3 1e400\n3 1 1e-400\n",
    "coordinate integer general\n12 3 2\n12 1 9007199254740993\n2 2 -9223372036854775808\n",
    "coordinate unsigned-integer general\n3 3 2\n1 1 18446744073709551615\n2 1 0\n",
    "coordinate real general\n3000000000 3 1\n2999999999 1 1.5\n",
    "coordinate real general\n3 4 0\n",
    "coordinate pattern symmetric\n0 0 0\n",
    "array complex general\n2 1\n  1\t2 \n\n3 4",
])
def test_texts_with_blanks_comments_and_unusual_numbers(text):
    both(BANNER + text)


def test_a_file_that_starts_with_one_percent_sign_and_arrays_of_nothing():
    both("%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1.5\n")
    # SciPy ends the process that reads these.
    for rows, columns in ((0, 3), (3, 0), (0, 0)):
        text = f"{BANNER}array real general\n{rows} {columns}\n".encode()
        assert own.mmread(io.BytesIO(text)).shape == (rows, columns)
        assert own.mminfo(io.BytesIO(text))[:3] == (rows, columns, 0)


# A line number, a class and a text. SciPy reads those marked with a star, and drops or misreads
# what is wrong in them.
MALFORMED = r"""
1  ValueError     |
1  ValueError     |3 3 1\n1 1 1.5\n
1  ValueError     |\n#coordinate real general\n3 3 1\n1 1 1.5\n
1  ValueError     |%%matrixmarket matrix coordinate real general\n3 3 1\n1 1 1.5\n
1  ValueError     |#coordinate quaternion general\n3 3 1\n1 1 1.5\n
1  ValueError     |#list real general\n3 3 1\n1 1 1.5\n
1  ValueError     |#coordinate real odd\n3 3 1\n1 1 1.5\n
1  ValueError     |#coordinate real\n3 3 1\n1 1 1.5\n
1  ValueError     |%%MatrixMarket tensor coordinate real general\n3 3 1\n1 1 1.5\n
1  ValueError     |%%MatrixMarket vector array real general\n2\n1\n2\n
1  ValueError     |#array pattern general\n2 1\n1\n3\n
2  ValueError     |#coordinate real general\n3 3\n1 1 1.5\n
2  ValueError     |#coordinate real general\n3 3 1 7\n1 1 1.5\n
3  ValueError     |#coordinate real general\n%\n3 x 1\n1 1 1.5\n
2  ValueError     |#coordinate real general\n-3 3 1\n1 1 1.5\n
2  OverflowError  |#coordinate real general\n99999999999999999999 3 1\n1 1 1.5\n
2  OverflowError  |#coordinate real general\n3 3 99999999999999999999\n1 1 1.5\n
3  ValueError     |#coordinate real general\n% c\n
2  ValueError     |#array real general\n2 2 4\n1\n2\n3\n4\n
3  ValueError     |#coordinate real general\n3 3 2\n% x\n1 1 1.5\n2 2 1\n
4  ValueError     |#coordinate real general\n3 3 1\n1 1 1.5\n% x\n
4  ValueError     |#coordinate real general\n3 3 4\n1 1 1.5\n2 2 1\n
6  ValueError     |#coordinate real general\n3 3 2\n\n1 1 1.5\n2 2 1\n3 3 1\n3 1 1\n
4  ValueError     |#coordinate real general\n3 3 2\n1 1 1.5\n4 2 1\n
4  ValueError     |#coordinate real general\n3 3 2\n1 1 1.5\n0 2 1\n
3  ValueError     |#coordinate real general\n3 3 2\n1 5 1.5\n1 2 1\n
3  ValueError     |#coordinate real general\n3 3 2\n-1 1 1.5\n1 2 1\n
4  ValueError     |#coordinate real general\n3 3 2\n2 2 1\n1 1 x\n
3  ValueError     |#coordinate real general\n3 3 1\n1.0 1 1\n
3  ValueError     |#coordinate real general\n3 3 1\n+1 1 1\n
3  ValueError     |#coordinate real general\n3 3 2\n1 1\n2 2 1\n
3  ValueError     |#coordinate real general\n3 3 2\n1 1 1.5 2 2 1\n
3  ValueError     |#coordinate real general\n3 3 1\n1,1,1.5\n
3  OverflowError  |#coordinate real general\n3 3 1\n99999999999999999999 1 1.5\n
3  OverflowError  |#coordinate integer general\n3 3 1\n1 1 9223372036854775808\n
3  ValueError     |#coordinate integer general\n3 3 1\n1 1 -\n
3  ValueError     |#coordinate unsigned-integer general\n3 3 1\n1 1 -1\n
3  OverflowError  |#coordinate unsigned-integer general\n3 3 1\n1 1 18446744073709551616\n
3  ValueError     |#coordinate complex general\n3 3 1\n1 1 1\n
5  ValueError     |#array real general\n2 2\n1\n2\n3\n
7  ValueError     |#array real general\n2 2\n1\n2\n3\n4\n5\n
4  ValueError     |#array real general\n2 2\n1\nx\n3\n4\n
3  ValueError     |#array real general\n2 2\n1 2 3 4\n
3  ValueError *   |#coordinate real general\n3 3 1\n1 1 1.5D+02\n
3  ValueError *   |#coordinate real general\n3 3 1\n1 1 0x10\n
3  ValueError *   |#coordinate real general\n3 3 1\n1 1 1_0\n
3  ValueError *   |#coordinate real general\n3 3 1\n1 1 1 9\n
3  ValueError *   |#coordinate integer general\n3 3 1\n1 1 1.5\n
3  ValueError *   |#coordinate pattern general\n3 3 1\n1 1 5\n
2  ValueError *   |#coordinate real symmetric\n3 4 1\n1 1 5\n
"""


@pytest.mark.parametrize("case", MALFORMED.strip().split("\n"))
def test_malformed_files_name_the_line_on_every_process(folder, case):
    told, _, text = case.partition("|")
    line, name, *is_read = told.split()
    text = text.replace("\\n", "\n").replace("#", BANNER).encode()
    kind = {"ValueError": ValueError, "OverflowError": OverflowError}[name]
    if not is_read:
        with pytest.raises(kind):
            scipy.io.mmread(io.BytesIO(text))
    path = put(folder / "bad.mtx", text)
    for source in (path, io.BytesIO(text)):
        with pytest.raises(kind, match=f"line {line}:") as refused:
            own.mmread(source)
        assert refused.value.code in ("PX144", "PX148")
    # The session computes on.
    assert float(phalanx.ones(5).sum()) == 5


MALFORMED_LINES = {"words": "7 x 1.5", "long": "7 8 1.5 2", "outside": "7 50001 1.5"}


@pytest.mark.parametrize("text", list(MALFORMED_LINES.values()), ids=list(MALFORMED_LINES))
def test_a_line_in_the_range_of_any_process_is_named(folder, text):
    count = 50000
    lines = [f"{place % 999 + 1} {place} {place * 0.1}" for place in range(1, count + 1)]
    for at in (0, 20000, count - 1):
        lines[at], kept = text, lines[at]
        whole = f"{BANNER}coordinate real general\n%\n999 {count} {count}\n" + "\n".join(lines)
        path = put(folder / "bad.mtx", whole)
        with pytest.raises(ValueError, match=f"line {at + 4}:"):
            own.mmread(path)
        lines[at] = kept


def many(count=60000, seed=5):
    generator = numpy.random.default_rng(seed)
    places = generator.integers(0, (9000, 700), (count, 2)).T
    values = generator.standard_normal(count) * 10.0 ** generator.integers(-200, 200, count)
    places = tuple(places.astype("i4"))
    return scipy.sparse.coo_array((values, places), shape=(9000, 700))


@pytest.mark.parametrize("layout", ["{} {} {}", "  {:>7}\t{:>5}   {}  ", "\n{} {} {}\r"])
def test_large_files_are_read_in_ranges(folder, layout):
    matrix = many()
    entries = zip(matrix.row + 1, matrix.col + 1, matrix.data.tolist())
    lines = "\n".join(layout.format(*entry) for entry in entries)
    text = f"{BANNER}coordinate real general\n9000 700 {matrix.nnz}\n{lines}".encode()
    assert len(text) > 2 * _sources.CHUNK
    # SciPy crashes on some of these texts.
    wanted = scipy.sparse.coo_matrix(matrix)
    same(own.mmread(put(folder / "large.mtx", text)), wanted)
    same(own.mmread(io.BytesIO(text)), wanted)
    for suffix, pack in ((".gz", gzip.compress), (".bz2", bz2.compress)):
        path = put(folder / f"large.mtx{suffix}", pack(text))
        same(own.mmread(path), wanted)
        assert own.mminfo(str(path))[:3] == (9000, 700, matrix.nnz)


def test_ranges_of_bytes_hold_every_line_once():
    text = b"head\n" + b"".join(b"%d\n" % 10**(place % 9) for place in range(40)) + b"last"
    source = _sources.Held(text)
    for parts in (1, 2, 3, 7, 60):
        found = b""
        for part in range(parts):
            start, stop = _sources.share(source, 5, part, parts)
            assert start == len(found) + 5 and text[start - 1] == 10
            found += text[start:stop]
        assert found == text[5:]


@pytest.mark.parametrize("field", ["real", "integer", "unsigned-integer", "complex", "pattern"])
def test_whole_texts_and_single_lines_have_the_same_numbers(field):
    generator = numpy.random.default_rng(3)
    values = {"real": "%r", "complex": "%r -1e5", "pattern": ""}.get(field, "%d")
    lines = []
    most = 10 ** generator.integers(1, 10, (300, 2))
    for place in generator.integers(1, most, (300, 2)).tolist():
        value = generator.standard_normal() if "r" in values else generator.integers(0, 10**15)
        words = [*map(str, place), *((values % value).split() if values else [])]
        lines.append(" " * int(generator.integers(0, 3)) + "  ".join(words))
    text = "\n".join(lines).encode() + b"\n"
    extents = (10**9, 10**9)
    count = 2 + _numbers.VALUES.get(field, 1)
    at_once = _numbers._at_once(text, 2, count, field)
    places, numbers = _numbers._by_lines(text, extents, count, field)
    for found, wanted in zip(at_once[0], places, strict=True):
        numpy.testing.assert_array_equal(found - 1, wanted)
    assert at_once[1].dtype == numbers.dtype
    numpy.testing.assert_array_equal(at_once[1], numbers)


def test_sources():
    text = f"{BANNER}coordinate real general\n2 3 1\n1 2 1.5\n"
    assert own.mminfo(io.StringIO(text)) == (2, 3, 1, "coordinate", "real", "general")
    assert own.mmread(io.StringIO(text)).toarray().tolist() == [[0, 1.5, 0], [0, 0, 0]]

    class Reader:
        def read(self, *_size):
            return text.encode()

    assert own.mmread(Reader()).nnz == own.mminfo(Reader())[2] == 1
    for source in (5, None, ["a"]):
        for function in (own.mmread, own.mminfo):
            with pytest.raises(TypeError):
                function(source)


def test_files_that_cannot_be_read(folder):
    for function in (own.mmread, own.mminfo):
        for name in ("none.mtx", "none.mtx.gz"):
            with pytest.raises(FileNotFoundError, match="none.mtx"):
                function(folder / name)
        with pytest.raises(OSError):
            function(put(folder / "bad.gz", b"not compressed"))
        with pytest.raises(OSError):
            function(folder)


@pytest.mark.skipif(RANKS == 1, reason="needs several processes")
def test_a_failure_of_one_process_is_the_failure_of_all(tmp_path, folder):
    text = f"{BANNER}coordinate real general\n2 3 1\n1 2 1.5\n"
    # The folder of one process has no file, or another one.
    if phalanx.rank() != 1:
        (tmp_path / "a.mtx").write_text(text)
    for function in (own.mmread, own.mminfo):
        with pytest.raises(FileNotFoundError, match="there is no such file"):
            function(tmp_path / "a.mtx")
    (tmp_path / "a.mtx").write_text(text.replace("1.5", "1.52" if phalanx.rank() == 1 else "1.5"))
    with pytest.raises(ValueError, match="differ"):
        own.mmread(tmp_path / "a.mtx")


def test_a_process_reads_and_writes_alone(tmp_path):
    with phalanx.local():
        matrix = sparse.coo_array(([1.0, 2.0 + phalanx.rank()], ([0, 1], [1, 0])), shape=(2, 2))
        own.mmwrite(tmp_path / "own", matrix)
        found = own.mmread(tmp_path / "own.mtx", spmatrix=False)
        assert found.data.tolist() == [1.0, 2.0 + phalanx.rank()]
    # The matrix stays that of the process.
    own.mmwrite(tmp_path / "again", found)
    assert scipy.io.mmread(tmp_path / "again.mtx").data.tolist() == [1.0, 2.0 + phalanx.rank()]


# Writing.


def written(a, **keywords):
    """The text that is written to a file object and, alike, to a path."""
    file = io.BytesIO()
    own.mmwrite(file, a, **keywords)
    return file.getvalue()


def is_read_as(text, a, **keywords):
    """SciPy and the module's own function read what SciPy's writer makes of the matrix."""
    other = io.BytesIO()
    scipy.io.mmwrite(other, a, **keywords)
    other = other.getvalue()
    assert own.mminfo(io.BytesIO(text)) == scipy.io.mminfo(io.BytesIO(other))
    wanted = scipy.io.mmread(io.BytesIO(other))
    same(own.mmread(io.BytesIO(text)), wanted)
    read = scipy.io.mmread(io.BytesIO(text))
    assert type(read) is type(wanted) and read.dtype == wanted.dtype
    if scipy.sparse.issparse(wanted):
        read, wanted = read.toarray(), wanted.toarray()
    numpy.testing.assert_array_equal(read, wanted)


PLACES = ([0, 1, 2, 2], [0, 2, 1, 0])
BASE = scipy.sparse.coo_array(([1.0, 2.5, 1e-300, 1 / 3], PLACES), shape=(3, 3))
MATRICES = {
    "plain": BASE,
    "symmetric": BASE + BASE.T,
    "skew": BASE - BASE.T,
    "hermitian": BASE * (1 + 2j) + (BASE * (1 + 2j)).conj().T,
    "wide": scipy.sparse.coo_array(numpy.array([[1.0, 0, 3]])),
    "empty": scipy.sparse.coo_array((3, 2)),
    "nothing": scipy.sparse.coo_array((0, 0)),
    "special": scipy.sparse.coo_array(numpy.array([[numpy.nan, numpy.inf], [-numpy.inf, 5e-324]])),
}


@pytest.mark.parametrize("name", list(MATRICES))
def test_matrices_with_and_without_symmetry(name):
    matrix = MATRICES[name].tocoo()
    is_read_as(written(sparse.coo_array(matrix)), matrix)
    is_read_as(written(matrix), matrix)
    dense = matrix.toarray()
    if dense.size:
        is_read_as(written(phalanx.asarray(dense)), dense)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dia", "bsr", "lil", "dok"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_formats(format, kind):
    matrix = getattr(scipy.sparse, f"{format}_{kind}")(BASE)
    is_read_as(written(getattr(sparse, f"{format}_{kind}")(matrix)), matrix)


@pytest.mark.parametrize("dtype", list("?bBhHiIlLfdFD"))
def test_dtypes(dtype):
    dense = numpy.array([[1, 0, 2], [3, 0, 1]]).astype(dtype)
    if dtype in "fFdD":
        dense = (dense / 3).astype(dtype)
    is_read_as(written(phalanx.asarray(dense)), dense)
    is_read_as(written(sparse.csr_array(phalanx.asarray(dense))), scipy.sparse.csr_array(dense))


@pytest.mark.parametrize("field", ["real", "integer", "complex", "pattern", "unsigned-integer"])
@pytest.mark.parametrize("symmetry", ["AUTO", None, "SYMMETRIC", "hermitian", "skew-symmetric"])
def test_fields_and_symmetries(field, symmetry):
    if field == "unsigned-integer" and symmetry == "skew-symmetric":
        return
    whole = scipy.sparse.coo_array(MATRICES["symmetric"] * 100)
    options = {"field": field, "symmetry": symmetry}
    is_read_as(written(sparse.coo_array(whole), **options), whole, **options)
    is_read_as(written(phalanx.asarray(whole.toarray()), **options), whole.toarray(), **options)


# SciPy writes out of its memory for more digits.
@pytest.mark.parametrize("precision", [None, -1, 0, 1, 3, 10])
def test_precision(precision):
    dense = numpy.array([[1 / 3, 1e5, 123456.789, 1e22], [-1.5, 0, 2e-308, 9.995]])
    is_read_as(written(dense, precision=precision), dense, precision=precision)
    narrow = dense[:, :1].astype("f")
    is_read_as(written(narrow, precision=precision), narrow, precision=precision)


@pytest.mark.parametrize("comment", [None, "", "one", "one\ntwo", "%"])
def test_comments(comment):
    other = io.BytesIO()
    scipy.io.mmwrite(other, BASE, comment=comment)
    found, wanted = written(BASE, comment=comment), other.getvalue()
    end = wanted.index(b"\n1 1 ")
    assert found[:end] == wanted[:end]


@pytest.mark.parametrize("a", [[[1, 2], [3, 4]], ((1, 2.5), (3, 4)), numpy.ones((99, 99)),
                               numpy.ones((100, 100)), numpy.array([[1, 2]], "f2")])
def test_arrays_of_other_kinds(a):
    if getattr(a, "dtype", None) != numpy.float16:
        is_read_as(written(a), a)
    assert scipy.io.mmread(io.BytesIO(written(a))).tolist() == numpy.asarray(a).tolist()


def test_large_matrices_are_written_together(folder):
    matrix = many()
    made = sparse.coo_array(matrix)
    path = folder / "large"
    own.mmwrite(path, made, comment="many")
    assert [file.name for file in folder.iterdir()] == ["large.mtx"]
    check(made, scipy.io.mmread(folder / "large.mtx", spmatrix=False))
    same(own.mmread(folder / "large.mtx", spmatrix=False), matrix)
    assert (folder / "large.mtx").read_bytes() == written(made, comment="many")
    dense = many(seed=6).toarray()[:400]
    own.mmwrite(str(path) + ".mtx", phalanx.asarray(dense))
    numpy.testing.assert_array_equal(scipy.io.mmread(folder / "large.mtx"), dense)
    # Names have the suffix that SciPy gives them.
    own.mmwrite(folder / "packed.gz", made)
    assert sorted(file.name for file in folder.iterdir()) == ["large.mtx", "packed.gz.mtx"]


REFUSED = [
    (ValueError, numpy.ones(3), {}), (ValueError, numpy.ones((2, 2, 2)), {}),
    (ValueError, numpy.float64(1), {}), (ValueError, "text", {}), (ValueError, 5, {}),
    (ValueError, None, {}), (ValueError, [1, 2], {}),
    (ValueError, scipy.sparse.coo_array([1.0, 0, 2]), {}),
    (ValueError, BASE, {"field": "odd"}), (ValueError, BASE, {"field": "REAL"}),
    (ValueError, BASE, {"symmetry": "odd"}), (ValueError, BASE, {"symmetry": "auto"}),
    (TypeError, BASE, {"precision": 3.5}), (TypeError, numpy.array([["a"]]), {}),
]


@pytest.mark.parametrize("case", range(len(REFUSED)))
def test_what_cannot_be_written(folder, case):
    kind, a, options = REFUSED[case]
    with pytest.raises(kind):
        scipy.io.mmwrite(io.BytesIO(), a, **options)
    with pytest.raises(kind):
        own.mmwrite(folder / "a.mtx", a, **options)
    assert not list(folder.iterdir())


@pytest.mark.parametrize("name", ["symmetric", "skew", "hermitian", "plain"])
def test_large_matrices_are_searched_on_demand(name):
    matrix = scipy.sparse.kron(scipy.sparse.eye_array(40), MATRICES[name]).tocoo()
    for symmetry in (None, "AUTO"):
        is_read_as(written(matrix, symmetry=symmetry), matrix, symmetry=symmetry)
        dense = matrix.toarray()
        is_read_as(written(dense, symmetry=symmetry), dense, symmetry=symmetry)


def test_a_symmetry_needs_a_square():
    with pytest.raises(ValueError, match="square"):
        own.mmwrite(io.BytesIO(), numpy.ones((2, 3)), symmetry="symmetric")


def test_targets_that_cannot_be_written(folder):
    for target in (5, None, io.StringIO()):
        with pytest.raises(TypeError):
            own.mmwrite(target, BASE)
    # SciPy reports nothing here, and writes nothing.
    with pytest.raises(FileNotFoundError):
        own.mmwrite(folder / "none" / "a.mtx", BASE)
    if phalanx.rank() == 0:
        (folder / "taken.mtx").mkdir()
        (folder / "full.mtx").symlink_to("/dev/full")
    phalanx.distributed.agree()
    for name in ("taken", "full"):
        with pytest.raises(OSError):
            own.mmwrite(folder / name, BASE)
    assert sorted(file.name for file in folder.iterdir()) == ["full.mtx", "taken.mtx"]


@pytest.mark.skipif(RANKS == 1, reason="needs several processes")
def test_processes_that_do_not_see_the_folder(tmp_path):
    path = tmp_path / f"here-{os.getppid()}" / "a.mtx"
    matrix = many(900)
    if phalanx.rank() == 0:
        path.parent.mkdir()
    own.mmwrite(path, sparse.coo_array(matrix))
    assert path.exists() == (phalanx.rank() == 0)
    if phalanx.rank() == 0:
        assert (scipy.io.mmread(path) != scipy.sparse.coo_matrix(matrix)).nnz == 0
        shutil.rmtree(path.parent)


def test_the_old_file_stays_when_the_new_one_fails(folder, monkeypatch):
    path = put(folder / "a.mtx", "old")

    def refuse(*_arguments):
        raise OSError(28, "no space")

    monkeypatch.setattr("phalanx.scipy.io._files.os.replace", refuse)
    with pytest.raises(OSError, match="no space"):
        own.mmwrite(path, BASE)
    assert path.read_text() == "old" and len(list(folder.iterdir())) == 1
