"""The lines of a file: numbers as text."""

import numpy


def lines(team, columns, positions, digits):
    """The text of the entries of this process. The first columns are positions counted from zero,
    the last one, if there is one more, has the values. Collective."""
    own = [_own(team, column) for column in columns]
    words = [(place.astype("i8") + 1).tolist() for place in own[:positions]]
    pattern = ["%d"] * positions
    for values in own[positions:]:
        parts = (values.real, values.imag) if values.dtype.kind == "c" else (values,)
        for part in parts:
            form, numbers = _numbers(part, digits)
            pattern.append(form)
            words.append(numbers)
    if not own[0].size:
        return b""
    if len(words) == 1:
        # The operator of one value takes no tuple.
        text = "\n".join(map(pattern[0].__mod__, words[0]))
    else:
        text = "\n".join(map(" ".join(pattern).__mod__, zip(*words)))
    return text.encode() + b"\n"


def _own(team, column):
    """The part of a vector on this process."""
    if team.count == 1:
        return column.get()
    # All columns are split evenly, so that their parts belong together.
    parts = [shard.data for shard in column.with_sharding(0).local_shards()]
    # Parts in the memory of a GPU are fetched.
    hosts = [part if isinstance(part, numpy.ndarray) else part.get() for part in parts]
    return numpy.concatenate(hosts)


def _numbers(values, digits):
    """The form of numbers, and the numbers."""
    if values.dtype.kind in "biu":
        return "%d", values.tolist()
    if digits >= 0:
        return f"%.{max(digits - 1, 0)}e", values.tolist()
    if values.dtype.itemsize < 8:
        # The digits that a narrow number needs are fewer than those of its value as a wide one.
        return "%s", values.astype("f4").astype("U32").tolist()
    return "%r", values.tolist()
