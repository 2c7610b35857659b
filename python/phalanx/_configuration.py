"""The properties of the session for programs: NumPy's ``show_config`` and ``show_runtime``."""

import platform as _platform

from . import _phalanx
from ._phalanx import _refusal


def _properties():
    """The properties, by name."""
    import numpy

    mesh = _phalanx.mesh()
    return {
        "Phalanx": _phalanx.__version__,
        "NumPy": numpy.__version__,
        "Python": _platform.python_version(),
        "Platform": _platform.platform(),
        "Processes": _phalanx.size(),
        "Devices": mesh.devices,
        "Mesh": repr(mesh),
        "GPUs of this process": [name for _, name, _ in _phalanx._gpus()],
        "CUDA of the driver": _phalanx._driver_version(),
    }


def show_config(mode="stdout"):
    """Prints or returns the versions, the devices and the mesh of the session; ``phalanx info``
    prints more.

    Parameters
    ----------
    mode : {'stdout', 'dicts'}, default: 'stdout'
        Whether the properties are printed or returned.

    Returns
    -------
    dict or None
        A dictionary for 'dicts'.

    Raises
    ------
    ValueError
        PX141: the mode is unknown.

    Notes
    -----
    Local: a process may call it alone.
    """
    if mode not in ("stdout", "dicts"):
        raise _refusal(ValueError, "choice", f"mode is 'stdout' or 'dicts', not {mode!r}")
    properties = _properties()
    if mode == "dicts":
        return properties
    width = max(map(len, properties))
    print(*(f"{name:<{width}} : {value}" for name, value in properties.items()), sep="\n")


def show_runtime():
    """As ``show_config``.

    Returns
    -------
    None

    Raises
    ------
    None
        Nothing is raised.

    Notes
    -----
    Local: a process may call it alone.
    """
    show_config()
