"""CuPy's ``cupyx.profiler``: times of functions, and names for parts of a program."""

import contextlib as _contextlib
import math as _math
import time as _time

from . import _phalanx
from ._phalanx import _refusal


class _PerfCaseResult:
    """The times of a function, in the form of CuPy's ``benchmark``."""

    def __init__(self, name, cpu, whole, devices):
        import numpy

        self.name = name
        self._devices = devices
        # Seconds until the calls returned, and seconds of each device until their results were
        # computed: CuPy's times of the CPU and of each GPU.
        self.cpu_times = numpy.asarray(cpu)
        self.gpu_times = numpy.asarray(whole)

    def to_str(self, show_gpu=False):
        """The times as text."""
        parts = [self._line("CPU", self.cpu_times)]
        if show_gpu:
            named = self._devices or [None]
            for number, times in zip(named, self.gpu_times):
                parts.append(self._line("done" if number is None else f"GPU-{number}", times))
        return f"{self.name:<20s}:" + " ".join(parts)

    @staticmethod
    def _line(name, times):
        micro = times * 1e6
        line = f"    {name}: {micro.mean():9.3f} us"
        if len(micro) > 1:
            line += f"   +/- {micro.std():6.3f} (min: {micro.min():9.3f} / max: {micro.max():9.3f}) us"
        return line

    def __repr__(self):
        return self.to_str(show_gpu=True)


def _evaluate(result):
    """Waits for the arrays that a function returned, or hands the recorded operations to the
    devices."""
    if isinstance(result, _phalanx.ndarray):
        result.evaluate()
    elif isinstance(result, (list, tuple)):
        for part in result:
            _evaluate(part)
    else:
        _phalanx._hand_over()


def benchmark(func, args=(), kwargs=None, n_repeat=10000, *, name=None, n_warmup=10,
              max_duration=_math.inf, devices=None):
    """Calls a function repeatedly and measures each call.

    ``cpu_times`` are the seconds until a call returned. ``gpu_times`` has a row for each GPU, or
    for each of ``devices``: the seconds, by the GPU's own clock, until the returned arrays were
    computed. On CPUs there is one row, by the host's clock. Every process makes the same number of
    calls: ``max_duration``, in seconds, applies only if there is one process.
    """
    kwargs = {} if kwargs is None else kwargs
    if name is None:
        name = getattr(func, "__name__", type(func).__name__)
    for _ in range(n_warmup):
        _evaluate(func(*args, **kwargs))
    numbers = list(range(len(_phalanx._gpus())) if devices is None else devices)
    numbers = numbers if _phalanx._gpus() else []
    clocks = [_Clock(number) for number in numbers]
    alone = _phalanx.size() == 1
    _phalanx._synchronize()
    begin = _time.perf_counter()
    cpu, whole = [], [[] for _ in clocks or [None]]
    for _ in range(n_repeat):
        for clock in clocks:
            clock.start()
        start = _time.perf_counter()
        result = func(*args, **kwargs)
        returned = _time.perf_counter()
        _evaluate(result)
        for clock in clocks:
            clock.stop()
        times = [clock.seconds() for clock in clocks]
        done = _time.perf_counter()
        cpu.append(returned - start)
        for row, seconds in zip(whole, times or [done - start]):
            row.append(seconds)
        if alone and done - begin > max_duration:
            break
    return _PerfCaseResult(name, cpu, whole, numbers)


class _Clock:
    """The time of a GPU between two points of its work."""

    def __init__(self, device):
        self._stream = _phalanx._Stream.of_work(device)
        self._events = [_phalanx._Event(device, True, False) for _ in range(2)]

    def start(self):
        self._events[0].record(self._stream)

    def stop(self):
        self._events[1].record(self._stream)

    def seconds(self):
        start, end = self._events
        end.synchronize()
        return end.elapsed_since(start) / 1e3


@_contextlib.contextmanager
def profile():
    """A context manager: CUDA's profilers record its ``with`` block (``nsys profile -c
    cudaProfilerApi``), after the earlier operations have run. Collective. On CPUs nothing is
    recorded."""
    _phalanx._synchronize()
    _phalanx._profile(True)
    try:
        yield
        _phalanx._synchronize()
    finally:
        _phalanx._profile(False)


class time_range(_contextlib.ContextDecorator):
    """A named part of a program, as a ``with`` block or a decorator: profilers show it, and its
    time is logged.

    With GPUs the name is passed to NVTX, if that is found. The name and the seconds are logged by
    Python's logger ``phalanx.profiler`` at the level DEBUG. With ``sync`` the part includes the
    operations that it recorded. Colours have no effect.
    """

    def __init__(self, message=None, color_id=None, argb_color=None, sync=False):
        if color_id is not None and argb_color is not None:
            raise _refusal(
                ValueError,
                "choice",
                "Only either color_id or argb_color can be specified",
            )
        self._message = message
        self._sync = sync
        self._begun = []

    def __call__(self, function):
        if self._message is None:
            self._message = function.__name__
        return super().__call__(function)

    def __enter__(self):
        if self._message is None:
            raise _refusal(TypeError, "count", "time_range needs a message")
        _phalanx._push_range(self._message)
        self._begun.append(_time.perf_counter())
        return self

    def __exit__(self, *exception):
        import logging

        try:
            if self._sync and exception[0] is None:
                _phalanx._synchronize()
        finally:
            _phalanx._pop_range()
        seconds = _time.perf_counter() - self._begun.pop()
        logging.getLogger("phalanx.profiler").debug("%s: %.6f s", self._message, seconds)
        return False


def load_ipython_extension(ipython):
    """Adds ``%gpu_timeit`` and ``%%gpu_timeit`` to IPython: ``benchmark`` of an expression, or of a
    cell. ``%load_ext phalanx.x.profiler`` calls this.

    ``-n`` or ``--n-repeat`` is the number of calls, ``-w`` or ``--n-warmup`` that of the calls
    before them, ``--max-duration`` the most seconds.

    Parameters
    ----------
    ipython : InteractiveShell
        The shell of IPython.

    Returns
    -------
    None
        Nothing.

    Raises
    ------
    ValueError
        By the magic: an option is no number, or there is nothing to measure.

    Notes
    -----
    Local.
    """
    def gpu_timeit(line, cell=None):
        options, text = _options_of_magic(line)
        if not (text if cell is None else cell).strip():
            raise _refusal(ValueError, "value", "gpu_timeit: there is nothing to measure")
        names = ipython.user_ns
        if cell is None:
            code = compile(text, "<gpu_timeit>", "eval")
        else:
            code = compile(ipython.transform_cell(cell), "<gpu_timeit>", "exec")
        # The value of an expression; None of a cell, whose operations are handed to the devices.
        print(benchmark(lambda: eval(code, names), name="run", **options))

    ipython.register_magic_function(gpu_timeit, "line_cell", "gpu_timeit")


def _options_of_magic(line):
    """The options of ``%gpu_timeit``, and the text after them."""
    names = {"-n": "n_repeat", "--n-repeat": "n_repeat", "-w": "n_warmup", "--n-warmup": "n_warmup",
             "--max-duration": "max_duration"}
    options, rest = {}, line.strip()
    while rest.startswith("-"):
        option, _, after = rest.partition(" ")
        name, _, value = option.partition("=")
        if name not in names:
            # The expression begins with a sign.
            break
        if not value:
            value, _, after = after.lstrip().partition(" ")
        kind = float if name == "--max-duration" else int
        try:
            options[names[name]] = kind(value)
        except ValueError:
            raise _refusal(
                ValueError, "value", f"gpu_timeit: {name} is a number, not {value!r}"
            ) from None
        rest = after.lstrip()
    return options, rest
