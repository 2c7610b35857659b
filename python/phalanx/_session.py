"""The end of the program ends the session."""

import atexit
import functools
import os
import sys

from . import _phalanx

_failure = None


def _note_failure(kind, value, trace):
    """Records why the program ends, then calls the previous hook."""
    global _failure
    _failure = f"{kind.__name__}: {value}"
    _previous(kind, value, trace)


_previous = sys.excepthook
# A launcher forwards an interrupt that the terminal has already sent. A Python function cannot
# ignore the second one, which may be raised at the function's first instruction, so a native
# function does.
sys.excepthook = functools.partial(_phalanx._uninterrupted, _note_failure)


@atexit.register
def _end():
    if _failure is not None:
        try:
            _phalanx._fail(_failure)
        except KeyboardInterrupt:
            # The program is ending, and the failure has been reported to the other processes.
            pass
        return
    try:
        _phalanx.shutdown()
    except BaseException as error:
        # No code is left to catch the error, so the exit code must report it.
        is_interrupt = isinstance(error, KeyboardInterrupt)
        text = type(error).__name__ if is_interrupt else f"{type(error).__name__}: {error}"
        print(text, file=sys.stderr)
        sys.stderr.flush()
        sys.stdout.flush()
        os._exit(130 if is_interrupt else 1)
