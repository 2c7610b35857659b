"""Docstrings of modules of SciPy's names: a function's summary and a table of parameters."""

import inspect

from .._documentation import _entry, _filled, _section

RECORDED = "Local: recorded, and computed when a value is observed."
COLLECTIVE = "Collective: every process calls it, because the result depends on data."
ALONE = "Local: a process may call it alone; nothing is recorded."
HOST = (
    "Local: SciPy computes it on the host of every process. Collective if an argument is an array "
    "on devices, which is copied to the host; long arrays are refused."
)

VALUE = {"ValueError": "The value or the shape of an argument is not allowed."}
NOTHING = {"None": "Nothing is raised."}


def describer(table, notes=RECORDED, raises=None):
    """A decorator factory for functions whose parameters a table describes.

    `table` has the type and the text of each parameter. Collectivity and errors are those of a
    function that does not state its own.
    """
    usual_notes, usual_raises = notes, raises or VALUE

    def described(returns, raises=None, notes=None, **own):
        """`returns` is the type of the result, a colon and a text; `raises` has a text for each
        class of errors; `own` has types and texts of parameters that differ from the table."""

        def decorate(function):
            parameters = list(inspect.signature(function).parameters.values())
            function.__doc__ = composed(
                function.__doc__,
                parameters,
                returns,
                usual_raises if raises is None else raises or NOTHING,
                notes or usual_notes,
                table,
                own,
            )
            return function

        return decorate

    return described


def composed(summary, parameters, returns, raises, notes, table, own):
    """A docstring of numpydoc's sections. Entries of `own` replace those of the table."""
    sections = ["\n".join(_filled([" ".join(summary.split())], ""))]
    entries = []
    for one in parameters:
        if one.name in ("self", "cls"):
            continue
        kind, text = own[one.name] if one.name in own else table[one.name]
        entries.append(_entry(f"{_starred(one)} : {_kind(kind, one)}", text))
    sections += _section("Parameters", entries)
    kind, _, text = returns.partition(": ")
    sections += _section("Returns", [_entry(kind, text) if text else kind])
    sections += _section("Raises", [_entry(kind, text) for kind, text in raises.items()])
    sections += _section("Notes", ["\n".join(_filled([notes], ""))])
    return "\n\n".join(sections) + "\n"


def _starred(parameter):
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
    return stars.get(parameter.kind, "") + parameter.name


def _kind(kind, parameter):
    """The type of a parameter with its default."""
    default = parameter.default
    if default is inspect.Parameter.empty:
        return kind
    return f"{kind}, optional" if default is None else f"{kind}, default: {default!r}"
