"""Reading of Matrix Market files. Each process reads the lines of its own range of bytes."""

import zlib

import numpy

import phalanx as np

from ..sparse._arguments import index_dtype
from ..sparse._classes import class_of
from . import _header, _numbers, _sources
from ._header import DTYPES, Malformed
from ._processes import Processes


def mminfo(source):
    """What the first lines of a Matrix Market file state.

    Parameters
    ----------
    source : str, path or file object
        The file. Names that end in .gz or .bz2 are compressed files.

    Returns
    -------
    (int, int, int, str, str, str)
        The number of rows, of columns and of entries, as the file states it; 'coordinate' or
        'array'; the field: 'real', 'double', 'complex', 'integer', 'unsigned-integer' or
        'pattern'; the symmetry: 'general', 'symmetric', 'skew-symmetric' or 'hermitian'.

    Raises
    ------
    ValueError
        The lines are malformed; OverflowError if a number has more than 64 bits.
    OSError
        The file cannot be read; FileNotFoundError if it does not exist.
    TypeError
        `source` is neither a path nor a file object.

    Notes
    -----
    Collective: every process reads the first lines.
    """
    _sources.checked(source)
    team, failure = Processes(_sources.name_of(source)), None
    try:
        readline, close = _sources.lines_of(source)
        try:
            header = _header.read(readline)
        finally:
            close()
    except Exception as error:
        failure = error
    team.shared(failure)
    rows, columns = header.shape
    return rows, columns, header.entries, header.format, header.field, header.symmetry


def mmread(source, *, spmatrix=True):
    """The matrix of a Matrix Market file.

    Parameters
    ----------
    source : str, path or file object
        The file, the same on all processes. Names that end in .gz or .bz2 are compressed files.
    spmatrix : bool, default: True
        Whether a sparse result is a coo_matrix, and not a coo_array.

    Returns
    -------
    ndarray, coo_matrix or coo_array
        An array for the array format; sparse for the coordinate format. Both triangles of a
        symmetric matrix are there: the mirrored entries follow those of the file.

    Raises
    ------
    ValueError
        The file is malformed; the text has the number of the line. OverflowError if a whole
        number has more than 64 bits.
    OSError
        The file cannot be read; FileNotFoundError if it does not exist.
    TypeError
        `source` is neither a path nor a file object.

    Notes
    -----
    Collective: each process reads its own range of the bytes of a plain file. Of a compressed
    file or a file object, every process reads all bytes, and the numbers of its own range.
    """
    _sources.checked(source)
    team = Processes(_sources.name_of(source))
    opened, failure = None, None
    try:
        try:
            opened = _sources.opened(source)
            header, state = _begun(opened)
        except Exception as error:
            failure, state = error, [0, 0]
        states = team.shared(failure, state)
        if (states != states[0]).any():
            failure = Malformed("the processes read files that differ")
        team.shared(failure)
        return _whole(team, opened, header, spmatrix)
    finally:
        if opened is not None:
            opened.close()


def _begun(source):
    """The header of a file, and numbers that are unlike for unlike files."""
    header = _header.read(_sources.readline_of(source))
    if header.object == "vector":
        raise Malformed("files of vectors are not supported", 1)
    if header.format == "array" and header.field == "pattern":
        raise Malformed("an array has no pattern", 1)
    if header.symmetry != "general" and header.shape[0] != header.shape[1]:
        raise Malformed(f"a {header.symmetry} matrix is square", header.lines)
    if header.symmetry == "skew-symmetric" and header.field == "unsigned-integer":
        raise Malformed("unsigned integers have no skew-symmetric matrix", 1)
    return header, [source.size, zlib.crc32(source.read(0, header.size))]


def _whole(team, source, header, spmatrix):
    failure, count = None, 0
    try:
        places, values = _own(team, source, header)
        count = values.size
    except Exception as error:
        failure = error
    total = int(team.shared(failure, [count])[:, 0].sum())
    if total != header.stored:
        team.shared(_other_count(source, header, total))
    if header.format == "array":
        return _dense(team.array(values), header)
    values, coords = _mirrored(team, places, values, header.symmetry)
    return class_of("coo", not spmatrix)._of(values, coords, header.shape)


def _own(team, source, header):
    """The positions and the values of this process's range of bytes."""
    is_sparse = header.format == "coordinate"
    extents = header.shape if is_sparse else ()
    narrow = numpy.dtype(str(index_dtype(max(header.shape))))
    start, stop = _sources.share(source, header.size, team.own, team.count)
    places = [[numpy.zeros(0, narrow)] for _ in extents]
    values = [numpy.zeros(0, DTYPES[header.field])]
    try:
        for at, text in _sources.chunks(source, start, stop):
            found, own = _numbers.columns(text, extents, header.field)
            values.append(own)
            for place, more in zip(places, found):
                place.append(more.astype(narrow, copy=False))
    except Malformed as error:
        if error.line is None:
            raise
        line = _sources.line_at(source, header, at) + error.line - 1
        raise Malformed(error.text, line, error.kind) from error
    except _sources.Unfinished as error:
        line = _sources.line_at(source, header, error.position)
        raise Malformed("the line is too long", line) from error
    return [numpy.concatenate(place) for place in places], numpy.concatenate(values)


def _other_count(source, header, total):
    is_short = total < header.stored
    try:
        line = _sources.line_of_entry(source, header, total if is_short else header.stored)
    except Exception as error:
        return error
    if is_short:
        missing = header.stored - total
        return Malformed(f"{missing} more lines of numbers are missing after it", line)
    return Malformed(f"the file has more lines of numbers than {header.stored}", line)


def _mirrored(team, places, values, symmetry):
    """The entries of the file, and after them those of the other triangle."""
    whole = [team.array(part) for part in (values, *places)]
    if symmetry != "general":
        is_off = places[0] != places[1]
        values, rows, columns = (part[is_off] for part in (values, *places))
        if symmetry == "skew-symmetric":
            values = -values
        elif symmetry == "hermitian":
            values = values.conj()
        others = [team.array(part) for part in (values, columns, rows)]
        whole = [np.concatenate(pair) for pair in zip(whole, others)]
    return whole[0], whole[1:]


def _dense(values, header):
    """An array of its elements column by column."""
    rows, columns = header.shape
    if header.symmetry == "general":
        return values.reshape(columns, rows).T.copy()
    if values.size == 0:
        return np.zeros(header.shape, dtype=values.dtype)
    row, column = np.arange(rows)[:, None], np.arange(rows)[None, :]
    low, first = np.maximum(row, column), np.minimum(row, column)
    # A column of the triangle starts after those before it, which are one element shorter each.
    is_skew = header.symmetry == "skew-symmetric"
    height = rows - 1 if is_skew else rows
    place = first * height - first * (first - 1) // 2 + low - first - is_skew
    found = values[np.maximum(place, 0)]
    if is_skew:
        return np.where(row > column, found, np.where(row < column, -found, 0)).astype(values.dtype)
    return np.where(row < column, found.conj(), found) if header.symmetry == "hermitian" else found
