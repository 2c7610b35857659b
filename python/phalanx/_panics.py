"""A panic of ours, which is a broken promise, as Python sees it.

Rust's binding raises a class of its own that derives from `BaseException`, so that a program that
catches `Exception` would end. Here it becomes a `RuntimeError` with the code PX033, wherever it
comes from: the class is the one place through which every panic enters Python.
"""

from ._phalanx import _panic


def _text(panic):
    hint = "please report it with the program that led to it"
    return f"{panic.args[0] if panic.args else ''} [PX033]\n  hint    {hint}"


_panic.__bases__ = (RuntimeError,)
_panic.__module__, _panic.__name__, _panic.__qualname__ = "builtins", "RuntimeError", "RuntimeError"
_panic.__doc__ = "A broken promise of Phalanx."
_panic.__str__ = _text
_panic.code = "PX033"
