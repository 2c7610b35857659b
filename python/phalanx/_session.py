"""The end of the program ends the session."""

import atexit
import functools
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
# A launcher passes an interrupt on that the terminal has sent already. No function of Python could
# put it off: it may be raised at the function's first step.
sys.excepthook = functools.partial(_phalanx._uninterrupted, _note_failure)


@atexit.register
def _end():
    if _failure is not None:
        try:
            _phalanx._fail(_failure)
        except KeyboardInterrupt:
            # The program ends already, and the others are told.
            pass
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
