"""Where the bytes of a file come from."""

import bz2
import gzip
import io
import os
import stat

from ..._phalanx import _refusal
from ._header import LONGEST, Malformed

# Texts of this size and the arrays made of them stay in the cache of a processor.
CHUNK = 1 << 19
_PACKED = {".gz": gzip.open, ".bz2": bz2.open}


class Stored:
    """A file on a disk, of which parts are read."""

    def __init__(self, file):
        self._file = file
        self.size = os.fstat(file.fileno()).st_size

    def read(self, start, stop):
        """The bytes between two positions."""
        self._file.seek(start)
        return self._file.read(stop - start)

    def close(self):
        self._file.close()


class Held:
    """A text in memory."""

    def __init__(self, text):
        self._text, self.size = text, len(text)

    def read(self, start, stop):
        """The bytes between two positions."""
        return self._text[start:stop]

    def close(self):
        pass


def checked(source):
    """Refuses what is neither a path nor an open file."""
    if not isinstance(source, (str, os.PathLike)) and not hasattr(source, "read"):
        text = f"a file is a path or an open file, not {type(source).__name__}"
        raise _refusal(TypeError, "type", text)


def name_of(source):
    """What errors call the file."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "the file"


def lines_of(source):
    """A function that reads the next line, and one that closes what has been opened."""
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        file = _PACKED.get(os.path.splitext(path)[1], open)(path, "rb")
        return file.readline, file.close
    readline = getattr(source, "readline", None)
    if readline is None:
        readline = io.BytesIO(_bytes(source.read())).readline
    return lambda size: _bytes(readline(size)), lambda: None


def opened(source):
    """The bytes of a path or of an open file."""
    if not isinstance(source, (str, os.PathLike)):
        return Held(_bytes(source.read()))
    path = os.fspath(source)
    packed = _PACKED.get(os.path.splitext(path)[1])
    if packed is not None:
        with packed(path, "rb") as file:
            return Held(file.read())
    file = open(path, "rb")
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return Stored(file)
    with file:
        return Held(file.read())


def _bytes(text):
    return text.encode() if isinstance(text, str) else bytes(text)


def readline_of(source):
    """A function that reads the next line, from the start of opened bytes."""
    start = 0

    def following(size):
        nonlocal start
        line = source.read(start, min(start + size, start + 256))
        if b"\n" not in line and len(line) == 256:
            line = source.read(start, start + size)
        line = line[: line.find(b"\n") + 1 or len(line)]
        start += len(line)
        return line

    return following


def share(source, start, part, parts):
    """The range of bytes of one of several equal parts after a start, cut at ends of lines."""
    length = source.size - start

    def cut(number):
        if number in (0, parts):
            return start if number == 0 else source.size
        at = start + length * number // parts
        # A line that starts at the cut belongs to the part after it.
        at = max(at - 1, start)
        while at < source.size:
            piece = source.read(at, at + 4096)
            found = piece.find(b"\n")
            if found >= 0:
                return at + found + 1
            at += len(piece) or source.size
        return source.size

    return cut(part), cut(part + 1)


def chunks(source, start, stop):
    """The positions and the texts of pieces of a range of bytes, of complete lines."""
    left = b""
    while start + len(left) < stop:
        at = start + len(left)
        piece = source.read(at, min(stop, at + CHUNK))
        if not piece:
            raise Malformed("the file has become shorter")
        text, is_last = left + piece, at + len(piece) >= stop
        end = len(text) if is_last else text.rfind(b"\n") + 1
        if end == 0 and len(text) > LONGEST:
            raise Unfinished(start)
        if end:
            yield start, text[:end] if text[end - 1] == 10 else text[:end] + b"\n"
        start, left = start + end, text[end:]


class Unfinished(Exception):
    """A line that does not end, at a position."""

    def __init__(self, position):
        super().__init__(position)
        self.position = position


def line_at(source, header, position):
    """The number of the line at a position."""
    lines, start = header.lines + 1, header.size
    while start < position:
        piece = source.read(start, min(position, start + (1 << 22)))
        if not piece:
            break
        lines, start = lines + piece.count(b"\n"), start + len(piece)
    return lines


def line_of_entry(source, header, entry):
    """The number of the line of an entry, counted from zero, if no line before it is malformed."""
    line = header.lines
    for _, text in chunks(source, header.size, source.size):
        for one in text.split(b"\n")[:-1]:
            line += 1
            if one.strip():
                if entry == 0:
                    return line
                entry -= 1
    return line
