"""The ``phalanx`` program: ``python -m phalanx run -n 4 script.py``."""

import contextlib
import importlib
import signal
import sys

from . import _phalanx


def main() -> None:
    """Runs the program with the command line."""
    if sys.argv[1:3] == ["demo", "--fetch"]:
        from . import _fetch_demo_data

        _fetch_demo_data.main(sys.argv[3:], _phalanx._data_folder())
        return
    if sys.argv[1:2] == ["info"]:
        # NumPy's library is in the process of most programs, so `info` shows it.
        with contextlib.suppress(ImportError):
            importlib.import_module("numpy")
    # The program handles interrupts itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    own = [sys.executable, "-m", "phalanx"]
    sys.exit(_phalanx._main(["phalanx", *sys.argv[1:]], own))


if __name__ == "__main__":
    main()
