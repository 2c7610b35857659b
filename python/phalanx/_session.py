"""The end of the program ends the session."""

import atexit
import os
import sys

from . import _phalanx

_failure = None


def _note_failure(kind, value, trace):
    """Remembers why the program ends, then tells it as before."""
    global _failure
    _failure = f"{kind.__name__}: {value}"
    _previous(kind, value, trace)


_previous = sys.excepthook
sys.excepthook = _note_failure


@atexit.register
def _end():
    if _failure is not None:
        _phalanx._fail(_failure)
        return
    try:
        _phalanx.shutdown()
    except BaseException as error:
        # Nobody is left to catch it, and the exit code must tell.
        is_interrupt = isinstance(error, KeyboardInterrupt)
        text = type(error).__name__ if is_interrupt else f"{type(error).__name__}: {error}"
        print(text, file=sys.stderr)
        sys.stderr.flush()
        sys.stdout.flush()
        os._exit(130 if is_interrupt else 1)
