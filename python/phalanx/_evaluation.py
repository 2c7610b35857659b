"""Evaluation, printing and pictures."""

import builtins as _builtins

from . import _phalanx


def _checked(name, array):
    """Checks that an argument is an array, and returns it."""
    if not isinstance(array, _phalanx.ndarray):
        raise _phalanx._refusal(
            TypeError,
            "type",
            f"{name}() takes a phalanx.ndarray, not {type(array).__name__}",
        )
    return array


def evaluate(*arrays):
    """Computes arrays together and waits for them. Collective.

    Parameters
    ----------
    arrays : ndarray
        The arrays.

    Returns
    -------
    None

    Raises
    ------
    Exception
        A recorded operation has failed; the error names the line that recorded it.

    Notes
    -----
    Collective: every process calls it.
    """
    for array in arrays:
        _checked("evaluate", array)
    for array in arrays:
        array.evaluate()


def print(*values, **keywords):
    """Prints on process 0 only. Collective if arrays are among the values.

    Parameters
    ----------
    values : object
        The values to print.
    keywords : object
        As for Python's function.

    Returns
    -------
    None

    Raises
    ------
    Exception
        A recorded operation has failed.
    """
    texts = [str(value) for value in values]
    if _phalanx.rank() == 0:
        _builtins.print(*texts, **keywords)


# Colours of devices, light enough for black text: as numbers of terminals, and for HTML.
_COLOURS = [
    (117, "#87d7ff"), (222, "#ffd787"), (151, "#afd7af"), (217, "#ffafaf"), (183, "#d7afff"),
    (180, "#d7af87"), (225, "#ffd7ff"), (252, "#d0d0d0"), (186, "#d7d787"), (123, "#87ffff"),
]
_SHARED = (255, "#eeeeee")
# The largest picture in a notebook and the smallest cell, in pixels.
_WIDTH, _HEIGHT, _LEAST = 480, 320, 28


class _Picture:
    """A picture of a sharding: text in a terminal, in colour if the terminal supports it; HTML in a
    notebook."""

    def __init__(self, title, drawn):
        self.title = title
        self.text, self._rows, self._columns, self._holders, self._devices = drawn

    def _colour(self, devices):
        """The colour of the first device that holds a block; another colour for a block that all
        devices or none hold."""
        if not devices or len(devices) == self._devices > 1:
            return _SHARED
        return _COLOURS[devices[0] % len(_COLOURS)]

    def coloured(self):
        """The text with the codes of terminals for colours."""
        lines, rows = [], iter(self._holders)
        for line in self.text.splitlines():
            parts = line.split("│")
            if len(parts) > 2:
                cells = zip(parts[1:-1], next(rows))
                parts[1:-1] = [
                    f"\x1b[30;48;5;{self._colour(devices)[0]}m{cell}\x1b[0m"
                    for cell, devices in cells
                ]
            lines.append("│".join(parts))
        return "\n".join(lines) + "\n"

    def __repr__(self):
        return f"{self.title}\n{self.coloured() if _has_colours() else self.text}"

    def _repr_html_(self):
        import html

        heights = _shares(self._rows, _HEIGHT)
        widths = _shares(self._columns, _WIDTH)
        label = 'style="padding: 2px 6px; border: 0; font-weight: normal; text-align: center"'
        head = "".join(f"<th {label}>{start}..{end}</th>" for start, end in self._columns)
        body = []
        for (start, end), height, holders in zip(self._rows, heights, self._holders):
            cells = "".join(
                f'<td style="background: {self._colour(devices)[1]}; color: #000; border: 1px solid '
                f"#555; text-align: center; width: {width}px; height: {height}px; "
                f'min-width: {width}px; padding: 0" title="{_names(devices)}">'
                f"{self._label(devices)}</td>"
                for devices, width in zip(holders, widths)
            )
            body.append(f"<tr><th {label}>{start}..{end}</th>{cells}</tr>")
        rest = "".join(
            f"<div>{html.escape(line)}</div>"
            for line in self.text.splitlines() if line.startswith("partial")
        )
        return (
            f"<div><b>{html.escape(self.title)}</b>"
            '<table style="border-collapse: collapse; margin: 4px 0; font-family: monospace">'
            f"<tr><th {label}></th>{head}</tr>{''.join(body)}</table>{rest}</div>"
        )

    def _label(self, devices):
        if not devices:
            return "-"
        if len(devices) == self._devices and len(devices) > 1:
            return "all"
        if len(devices) > 4:
            return f"{devices[0]},…,{devices[-1]}"
        return ",".join(map(str, devices))


def _names(devices):
    """The text that a notebook shows for a block under the pointer."""
    if not devices:
        return "no device"
    return ("device " if len(devices) == 1 else "devices ") + ", ".join(map(str, devices))


def _shares(ranges, most):
    """The lengths of the ranges in a picture."""
    whole = max(ranges[-1][1], 1)
    return [max(_LEAST, round(most * (end - start) / whole)) for start, end in ranges]


def _has_colours():
    """Whether standard output is a terminal with colours."""
    import os
    import sys

    # The convention of https://no-color.org.
    is_wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return is_wanted and sys.stdout is not None and sys.stdout.isatty()


def visualize_sharding(array):
    """A picture of the parts of an array and the devices that hold them, along its first two axes.

    A notebook shows it as HTML. Printed, it is text, in colours on a terminal. Every process gets
    the same picture.

    Parameters
    ----------
    array : ndarray
        The array.

    Returns
    -------
    object
        A picture, to be shown or printed.

    Raises
    ------
    ValueError
        The array has no elements to draw.

    Notes
    -----
    Local.
    """
    _checked("visualize_sharding", array)
    extents = ", ".join(map(str, array.shape))
    return _Picture(f"{array.dtype}[{extents}] {array.sharding!r}", array._drawing())


def explain(array):
    """The plan of all operations that are recorded and have not run, as text.

    Parameters
    ----------
    array : ndarray
        Any array of the session.

    Returns
    -------
    str

    Raises
    ------
    None
        Nothing is raised.

    Notes
    -----
    Local: plans a copy of the recorded operations; nothing runs.
    """
    return _checked("explain", array).explain()
