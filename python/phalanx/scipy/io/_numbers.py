"""The numbers of the lines of a text.

Whole texts are read by operations on arrays, which take few nanoseconds for a byte. A text that
is not laid out evenly, or that has a mistake, is read again line by line.
"""

import warnings

import numpy

from ._header import Malformed, number

# The number of numbers on a line, after the positions.
VALUES = {"pattern": 0, "complex": 2}
_MOST_DIGITS = 18


def columns(text, extents, field):
    """The positions, counted from zero, and the values of the lines of a text, whose last line is
    complete. `extents` has the extents of the axes whose positions are there."""
    count = len(extents) + VALUES.get(field, 1)
    found = _at_once(text, len(extents), count, field)
    if found is not None:
        places, values = found
        if all(_is_within(place, extent) for place, extent in zip(places, extents)):
            return [place - 1 for place in places], values
    return _by_lines(text, extents, count, field)


def _is_within(place, extent):
    return place.size == 0 or (place.min() >= 1 and place.max() <= extent)


def _at_once(text, positions, count, field):
    """The positions and the values, if every line has all of its numbers and nothing else."""
    buffer = bytearray(text)
    letters = numpy.frombuffer(buffer, "u1")
    # Unsigned differences wrap, so that one comparison tests a range. Control characters other
    # than blanks are mistakes.
    if ((letters < 9) | (letters - numpy.uint8(14) < 18)).any():
        return None
    is_text = letters > 32
    edges = numpy.flatnonzero(is_text[1:] != is_text[:-1]) + 1
    if is_text[0]:
        edges = numpy.concatenate([[0], edges])
    ends = numpy.flatnonzero(letters == 10)
    if edges.size != 2 * count * ends.size:
        return None
    edges = edges.reshape(ends.size, count, 2)
    is_apart = (edges[:, -1, 0] < ends).all() and (edges[1:, 0, 0] > ends[:-1]).all()
    if not is_apart:
        return None
    is_real = field not in ("integer", "unsigned-integer")
    read = []
    for place in range(positions if is_real else count):
        is_signed = field == "integer" and place == positions
        whole = _whole(letters, edges[:, place, 0], edges[:, place, 1], is_signed, is_real)
        if whole is None:
            return None
        read.append(whole)
    places = read[:positions]
    if field == "pattern":
        return places, numpy.ones(ends.size)
    if not is_real:
        return places, read[positions].astype("u8" if field[0] == "u" else "i8", copy=False)
    # The positions are blank by now.
    values = _reals(bytes(buffer))
    if values is None or values.size != (count - positions) * ends.size:
        return None
    return places, values.view("c16") if field == "complex" else values


def _whole(letters, starts, ends, is_signed, is_blanked):
    """Whole numbers between positions of a text, digit by digit from the last one. Those that are
    blanked are replaced by blanks."""
    starts, place = starts.copy(), ends - 1
    if is_signed:
        is_negative = letters[starts] == ord("-")
        starts += is_negative
    longest = int((ends - starts).max(initial=0))
    if longest > _MOST_DIGITS or (ends == starts).any():
        return None
    total, scale = numpy.zeros(starts.size, "i8"), 1
    for _ in range(longest):
        is_digit = place >= starts
        # Numbers that are read to their start stay at the blank before it.
        at = numpy.maximum(place, 0)
        digit = (letters[at] - numpy.uint8(48)) * is_digit
        if digit.max() > 9:
            return None
        total += digit.astype("i8") * scale
        if is_blanked:
            letters[at] = 32
        scale *= 10
        place = numpy.maximum(place - 1, starts - 1)
    return numpy.where(is_negative, -total, total) if is_signed else total


def _reals(text):
    """The numbers of a text between blanks."""
    if not text.strip():
        return None
    with warnings.catch_warnings():
        # Early versions of NumPy 2 warn of texts that are no numbers, and read less of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return numpy.fromstring(text, sep=" ")
        except ValueError:
            return None


def _by_lines(text, extents, count, field):
    """The positions and the values line by line. The number of a line in an error counts from the
    start of the text."""
    places, values = [[] for _ in extents], []
    for at, line in enumerate(text.split(b"\n"), 1):
        words = line.split()
        if not words:
            continue
        if len(words) != count:
            raise Malformed(f"a line has {len(words)} numbers, and not {count}", at)
        for word, place, extent in zip(words, places, extents):
            position = number(word, at)
            if not 1 <= position <= extent:
                raise Malformed(f"the position {position} is not between 1 and {extent}", at)
            place.append(position - 1)
        values.append(_value(words[len(extents) :], field, at))
    dtype = {"complex": "c16", "integer": "i8", "unsigned-integer": "u8"}.get(field, "f8")
    return [numpy.array(place, dtype="i8") for place in places], numpy.array(values, dtype=dtype)


def _value(words, field, line):
    if field in ("integer", "unsigned-integer"):
        return number(words[0], line, field == "integer")
    try:
        # Python's numbers may have underscores.
        parts = [float(word) for word in words if b"_" not in word]
    except ValueError:
        parts = []
    if len(parts) != len(words):
        raise Malformed("a number is not a real one", line)
    if field == "complex":
        return complex(*parts)
    return parts[0] if parts else 1.0
