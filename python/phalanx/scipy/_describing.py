"""Docstrings of modules of SciPy's names: a function's summary and a table of parameters."""

import functools
import inspect
import re

from .._documentation import _filled, _section

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
            # The interpreter may drop docstrings.
            if function.__doc__ is not None:
                function.__doc__ = composed(
                    function.__doc__,
                    list(inspect.signature(function).parameters.values()),
                    returns,
                    usual_raises if raises is None else raises or NOTHING,
                    notes or usual_notes,
                    table,
                    own,
                )
            return function

        return decorate

    return described


def class_describer(table, notes=COLLECTIVE, raises=None):
    """As `describer`, for classes: it describes the parameters of the constructor."""
    usual_notes, usual_raises = notes, raises or VALUE

    def described(raises=None, notes=None, **own):
        """Errors, notes and parameters that differ from the usual ones."""

        def decorate(cls):
            # The interpreter may drop docstrings.
            if cls.__doc__ is not None:
                cls.__doc__ = composed(
                    cls.__doc__,
                    list(inspect.signature(cls).parameters.values()),
                    None,
                    raises or usual_raises,
                    notes or usual_notes,
                    table,
                    own,
                )
            return cls

        return decorate

    return described


def composed(summary, parameters, returns, raises, notes, table, own):
    """A docstring of numpydoc's sections. Entries of `own` replace those of the table; `returns` is
    None for a class."""
    sections = [_wrapped(" ".join(one.split())) for one in re.split(r"\n\s*\n", summary.strip())]
    entries = []
    for one in parameters:
        if one.name in ("self", "cls"):
            continue
        kind, text = own[one.name] if one.name in own else table[one.name]
        entries.append(entry(f"{_starred(one)} : {_kind(kind, one)}", text))
    sections += _section("Parameters", entries)
    if returns is not None:
        kind, _, text = returns.partition(": ")
        sections += _section("Returns", [entry(kind, text) if text else kind])
    sections += _section("Raises", [entry(kind, text) for kind, text in raises.items()])
    sections += _section("Notes", [_wrapped(notes)])
    return "\n\n".join(sections) + "\n"


def entry(term, text):
    """An entry of a section."""
    return f"{term}\n{_wrapped(text, '    ')}"


@functools.cache
def _wrapped(text, indent=""):
    # Many functions share their texts.
    return "\n".join(_filled([text], indent))


def _starred(parameter):
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
    return stars.get(parameter.kind, "") + parameter.name


def _kind(kind, parameter):
    """The type of a parameter with its default."""
    default = parameter.default
    if default is inspect.Parameter.empty:
        return kind
    # An object without a value stands for no argument.
    is_unset = default is None or type(default) is object
    if is_unset:
        return f"{kind}, optional"
    return f"{kind}, default: {default.__name__ if isinstance(default, type) else repr(default)}"
