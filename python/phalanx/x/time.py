"""CuPy's ``cupyx.time``, the earlier place of ``profiler.benchmark``."""

import math as _math

from .. import _profiler


def repeat(func, args=(), kwargs=None, n_repeat=10000, *, name=None, n_warmup=10,
           max_duration=_math.inf, devices=None):
    """As ``profiler.benchmark``, which replaces it.

    Parameters
    ----------
    func : callable
        The function.
    args : tuple, optional
        Its positional arguments.
    kwargs : dict, optional
        Its arguments by name.
    n_repeat : int, optional
        The number of calls that are measured.
    name : str, optional
        The name in the result.
    n_warmup : int, optional
        The number of calls before them.
    max_duration : float, optional
        The most seconds.
    devices : sequence of int, optional
        The numbers of the GPUs whose times are measured; all of this process by default.

    Returns
    -------
    object
        The times: ``cpu_times`` and ``gpu_times``.

    Raises
    ------
    Exception
        The errors of the function.

    Notes
    -----
    Collective.
    """
    import warnings

    warnings.warn(
        "phalanx.x.time.repeat is deprecated: use phalanx.x.profiler.benchmark",
        DeprecationWarning, stacklevel=2,
    )
    return _profiler.benchmark(
        func, args, kwargs, n_repeat, name=name, n_warmup=n_warmup, max_duration=max_duration,
        devices=devices,
    )
