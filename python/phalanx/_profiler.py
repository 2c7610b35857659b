"""CuPy's ``cupyx.profiler``: how long a function takes, and names for parts of a program."""

import contextlib as _contextlib
import math as _math
import time as _time

from . import _phalanx


class _PerfCaseResult:
    """The times of a function, as CuPy's ``benchmark`` gives them."""

    def __init__(self, name, cpu, whole):
        import numpy

        self.name = name
        # Seconds until the calls returned, and until what they recorded was computed: CuPy's times
        # of the CPU and of each GPU.
        self.cpu_times = numpy.asarray(cpu)
        self.gpu_times = numpy.asarray([whole])

    def to_str(self, show_gpu=False):
        """The times as text."""
        parts = [self._line("CPU", self.cpu_times)]
        if show_gpu:
            parts.append(self._line("done", self.gpu_times[0]))
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
    """Waits for what a function has recorded."""
    if isinstance(result, _phalanx.ndarray):
        result.evaluate()
    elif isinstance(result, (list, tuple)):
        for part in result:
            _evaluate(part)
    else:
        _phalanx.flush()


def benchmark(func, args=(), kwargs=None, n_repeat=10000, *, name=None, n_warmup=10,
              max_duration=_math.inf, devices=None):
    """Calls a function again and again, and measures each call.

    ``cpu_times`` are the seconds until a call returned, ``gpu_times[0]`` those until the arrays that
    it returned were computed. Every process calls as often: ``max_duration``, in seconds, is looked
    at where there is one process. ``devices`` says nothing here.
    """
    kwargs = {} if kwargs is None else kwargs
    if name is None:
        name = getattr(func, "__name__", type(func).__name__)
    for _ in range(n_warmup):
        _evaluate(func(*args, **kwargs))
    alone = _phalanx.size() == 1
    begin = _time.perf_counter()
    cpu, whole = [], []
    for _ in range(n_repeat):
        start = _time.perf_counter()
        result = func(*args, **kwargs)
        returned = _time.perf_counter()
        _evaluate(result)
        done = _time.perf_counter()
        cpu.append(returned - start)
        whole.append(done - start)
        if alone and done - begin > max_duration:
            break
    return _PerfCaseResult(name, cpu, whole)


@_contextlib.contextmanager
def profile():
    """A block that a profiler of CUDA would look at: nothing looks at a CPU by that way."""
    yield


class time_range(_contextlib.ContextDecorator):
    """A part of a program, as a block or a decorator, that is logged with its time.

    The name and the seconds go to the logger ``phalanx.profiler`` of Python, at the level of
    debugging; with ``sync`` what the part recorded belongs to it. Colours say nothing here.
    """

    def __init__(self, message=None, color_id=None, argb_color=None, sync=False):
        if color_id is not None and argb_color is not None:
            raise ValueError("Only either color_id or argb_color can be specified")
        self._message = message
        self._sync = sync
        self._begun = []

    def __call__(self, function):
        if self._message is None:
            self._message = function.__name__
        return super().__call__(function)

    def __enter__(self):
        if self._message is None:
            raise TypeError("time_range needs a message")
        self._begun.append(_time.perf_counter())
        return self

    def __exit__(self, *exception):
        import logging

        if self._sync and exception[0] is None:
            _phalanx.flush()
        seconds = _time.perf_counter() - self._begun.pop()
        logging.getLogger("phalanx.profiler").debug("%s: %.6f s", self._message, seconds)
        return False
