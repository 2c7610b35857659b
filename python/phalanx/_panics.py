"""A panic of our Rust code, which is an internal error, as a Python exception.

PyO3 raises a class of its own that derives from `BaseException`, so a program that catches
`Exception` would end. Here the class becomes a `RuntimeError` with the code PX033. Every panic
enters Python through this class.
"""

from ._phalanx import _panic


def _text(panic):
    hint = "please report it with the program that caused it"
    return f"{panic.args[0] if panic.args else ''} [PX033]\n  hint    {hint}"


_panic.__bases__ = (RuntimeError,)
_panic.__module__, _panic.__name__, _panic.__qualname__ = "builtins", "RuntimeError", "RuntimeError"
_panic.__doc__ = "An internal error of Phalanx."
_panic.__str__ = _text
_panic.code = "PX033"
