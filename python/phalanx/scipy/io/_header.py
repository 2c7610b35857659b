"""The first lines of Matrix Market files."""

import dataclasses

import numpy

FORMATS = ("array", "coordinate")
SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
# The dtype of the values of a field. Entries of a pattern are ones.
DTYPES = {
    "real": numpy.dtype("f8"),
    "double": numpy.dtype("f8"),
    "pattern": numpy.dtype("f8"),
    "complex": numpy.dtype("c16"),
    "integer": numpy.dtype("i8"),
    "unsigned-integer": numpy.dtype("u8"),
}
_BANNERS = ("%%MatrixMarket", "%MatrixMarket")
# No line of a file with numbers is nearly as long.
LONGEST = 1 << 20


class Malformed(Exception):
    """What is wrong with a file, at the number of a line or at none."""

    def __init__(self, text, line=None, kind=ValueError):
        super().__init__(text if line is None else f"line {line}: {text}")
        self.text, self.line, self.kind = text, line, kind


@dataclasses.dataclass
class Header:
    """What a file states before its entries."""

    object: str
    format: str
    field: str
    symmetry: str
    shape: tuple
    # The number of entries; of an array, the number of its elements.
    entries: int
    # The number of lines and of bytes before the entries.
    lines: int
    size: int

    @property
    def stored(self):
        """The number of lines that the entries take."""
        rows = self.shape[0]
        if self.format == "coordinate" or self.symmetry == "general":
            return self.entries
        # Only the lower triangle is there, and the diagonal if it may be other than zero.
        return rows * (rows - 1 if self.symmetry == "skew-symmetric" else rows + 1) // 2


def number(word, line, is_signed=True):
    """An integer of the file."""
    digits = word[1:] if is_signed and word[:1] in ("-", b"-") else word
    if not (digits.isascii() and digits.isdigit()):
        raise Malformed("a number is not a whole one", line)
    # Texts of thousands of digits take long, and Python refuses them.
    if len(digits) > 20 and digits.lstrip(b"0" if isinstance(digits, bytes) else "0")[20:]:
        raise Malformed("a whole number has more than 64 bits", line, OverflowError)
    value = int(word)
    low, high = (-(2**63), 2**63) if is_signed else (0, 2**64)
    if not low <= value < high:
        raise Malformed("a whole number has more than 64 bits", line, OverflowError)
    return value


def read(readline):
    """The header of a file, of which a function reads the next bytes up to the end of a line."""
    lines = size = 0

    def following():
        nonlocal lines, size
        line = readline(LONGEST)
        lines, size = lines + bool(line), size + len(line)
        return line.decode("latin-1")

    words = following().split()
    if not words or words[0] not in _BANNERS:
        raise Malformed("it does not start with %%MatrixMarket", 1)
    words = [word.lower() for word in words[1:5]] + [""] * 4
    choices = (("matrix", "vector"), FORMATS, tuple(DTYPES), SYMMETRIES)
    for word, known in zip(words, choices):
        if word not in known:
            raise Malformed(f"{word!r} is not one of {', '.join(known)}", 1)
    line = following()
    while line and (not line.strip() or line.lstrip().startswith("%")):
        line = following()
    if not line:
        raise Malformed("the file ends before the line of the extents", lines + 1)
    extents = [number(word, lines) for word in line.split()]
    count = (words[0] == "matrix") + 1 + (words[1] == "coordinate")
    if len(extents) != count:
        raise Malformed(f"the line of the extents has {len(extents)} numbers, not {count}", lines)
    if any(extent < 0 for extent in extents):
        raise Malformed("an extent or the number of entries is negative", lines)
    shape = (extents[0], extents[1] if words[0] == "matrix" else 1)
    entries = extents[-1] if words[1] == "coordinate" else shape[0] * shape[1]
    return Header(*words[:4], shape, entries, lines, size)


def written(format, field, symmetry, comment, extents):
    """The text before the entries."""
    comments = "".join(f"%{line}\n" for line in (comment or "").split("\n"))
    numbers = " ".join(map(str, extents))
    text = f"%%MatrixMarket matrix {format} {field} {symmetry}\n{comments}{numbers}\n"
    return text.encode()
