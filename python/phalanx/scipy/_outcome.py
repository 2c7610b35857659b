"""Results whose entries are attributes."""

import math

import phalanx as np

# SciPy shows these entries first, in this order, and then the others in the order of the result.
_FIRST = {name: place for place, name in enumerate((
    "message", "success", "status", "fun", "funl", "x", "xl", "col_ind", "nit", "lower", "upper",
    "eqlin", "ineqlin", "converged", "flag", "function_calls", "iterations", "root",
))}
_UNSHOWN = {"slack", "con", "crossover_nit"}


class Outcome(dict):
    """A result: a dictionary whose entries are attributes too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__

    def __dir__(self):
        return list(self)

    def __repr__(self):
        return _text(self) if self else f"{type(self).__name__}()"


def _text(value, start=0, margin=1):
    """An entry as SciPy shows it, on a line that begins at a column: the entries of a result in
    lines, arrays with few digits and elements."""
    if not isinstance(value, dict) or not value:
        with np.printoptions(linewidth=76 - start, edgeitems=2, threshold=12,
                             formatter={"float_kind": _number}):
            return str(value)
    width = max(map(len, value)) + margin
    lines = []
    for name in value:
        if name in _UNSHOWN:
            continue
        text = _text(value[name], start + width + 2, margin=0)
        lines.append((name, f"{name:>{width}}: " + text.replace("\n", "\n" + " " * (width + 2))))
    lines.sort(key=lambda line: _FIRST.get(line[0].lower(), len(_FIRST)))
    return "\n".join(line for _, line in lines)


def _number(x):
    """A number in ten columns."""
    if math.isfinite(x):
        return np.format_float_scientific(x, precision=3, pad_left=2, unique=False)
    return f"{float(x):10}"
