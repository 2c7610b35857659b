"""Evaluation, printing and pictures."""

import builtins as _builtins

from . import _phalanx


def evaluate(*arrays):
    """Waits for arrays, all of which are computed together. Collective."""
    for array in arrays:
        array.evaluate()


def print(*values, **keywords):
    """Prints from process 0 alone. Collective if arrays are among the values."""
    texts = [str(value) for value in values]
    if _phalanx.rank() == 0:
        _builtins.print(*texts, **keywords)


class _Picture:
    """A picture of a sharding: text in a terminal, HTML in a notebook."""

    def __init__(self, text, title):
        self.text = text
        self.title = title

    def __repr__(self):
        return f"{self.title}\n{self.text}"

    def _repr_html_(self):
        import html

        return (
            f"<div><b>{html.escape(self.title)}</b>"
            f'<pre style="line-height: 1.2">{html.escape(self.text)}</pre></div>'
        )


def visualize_sharding(array):
    """A picture of which device holds which part of an array.

    A notebook shows it as HTML; a terminal, when it is printed. Every process gets the same.
    """
    extents = ", ".join(map(str, array.shape))
    return _Picture(array.picture(), f"{array.dtype}[{extents}] {array.sharding!r}")


def explain(array):
    """The plan of everything that is recorded and not run yet, as text."""
    return array.explain()
