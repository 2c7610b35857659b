"""CuPy's ``cupyx.optimizing``: a search for the launches with which kernels are fastest."""

import contextlib as _contextlib
import json as _json
import math as _math
import os as _os
import time as _time

from .. import _kernel_programs
from .. import _phalanx
from .._phalanx import _refusal

# The numbers of elements of a thread, or of results of a thread block, that are tried.
_TURNS = (1, 2, 4, 8)
# The most threads of a thread block on any GPU.
_MOST_THREADS = 1024
# The most launches in one measurement, and the fewest measurements of a launch.
_MOST_LAUNCHES, _MEASUREMENTS = 100, 3
_FORM = "phalanx launches 1"


class _Options:
    """How long the search takes."""

    def __init__(self, *, max_trials=100, timeout=1, expected_total_time_per_trial=100e-6,
                 max_total_time_per_trial=0.1):
        self.max_trials, self.timeout = max_trials, timeout
        self.expected_total_time_per_trial = expected_total_time_per_trial
        self.max_total_time_per_trial = max_total_time_per_trial
        for name, value in vars(self).items():
            if not value > 0:
                raise _refusal(ValueError, "value", f"optimize(): {name} is above 0, not {value}")


class _Context:
    """The launches that were found under a key."""

    def __init__(self, key):
        self.key, self.records, self.is_changed = key, {}, False
        # Whether all processes have GPUs of one kind, so that all choose alike.
        self.is_alike = True

    def load(self, path):
        """Adds the records of a file, if there is one: with several processes what the first one
        has read, so that all launch alike. Collective."""
        content, self.is_alike = _by_the_first(_read, path)
        if content is None:
            return
        try:
            stored = _json.loads(content)
            form, key, records = stored["form"], stored["key"], stored["records"]
            found = {
                name: {one: record[one] for one in ("threads", "turns", "seconds")}
                for name, record in records.items()
            }
        except (ValueError, KeyError, TypeError, AttributeError):
            form, key, found = None, None, {}
        if form != _FORM:
            raise _refusal(
                ValueError, "value", f"optimize(): {path} is no file of optimize(path=...)"
            )
        if key != self.key:
            raise _refusal(
                ValueError, "key",
                f"optimize(): the launches in {path} have the key {key!r}, not {self.key!r}",
            )
        for name, record in found.items():
            if not _is_launch(record):
                raise _refusal(
                    ValueError, "value",
                    f"optimize(): no kernel has the launch for {name!r} in {path}: "
                    f"{_json.dumps(record)}",
                    "remove the entry, or the file, so that the search is done again",
                )
        self.records.update(found)

    def save(self, path):
        """Writes the records to a file, if they are new or there is none. With several processes
        the first one writes, and all get an error if it fails. Collective."""
        _by_the_first(self._write, path)
        self.is_changed = False

    def _write(self, path):
        if not self.is_changed and _os.path.exists(path):
            return
        # The file is whole at any time.
        part = f"{path}.{_os.getpid()}.part"
        with open(part, "w", encoding="utf-8") as file:
            stored = {"form": _FORM, "key": self.key, "records": self.records}
            _json.dump(stored, file, indent=1, sort_keys=True)
            file.write("\n")
        _os.replace(part, path)


def _is_launch(record):
    """Whether a record of a file is one of a launch."""
    threads, turns, seconds = (record[one] for one in ("threads", "turns", "seconds"))
    if type(threads) is not int or type(turns) is not int or type(seconds) not in (int, float):
        return False
    return 1 <= threads <= _MOST_THREADS and turns in _TURNS and seconds >= 0


def _read(path):
    """The text of a file; None without a file."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _by_the_first(act, path):
    """What the first process gets from a function of a path, an OSError included; and whether the
    GPUs of all processes are of one kind. Collective."""
    if _phalanx.size() == 1:
        return act(path), True
    import numpy

    own = {"devices": [gpu[1] for gpu in _phalanx._gpus()]}
    if _phalanx.rank() == 0:
        try:
            own["found"] = act(path)
        except OSError as error:
            own["error"] = error.errno, error.strerror, path
    line = numpy.frombuffer(f"{_json.dumps(own)}\n".encode(), "u1")
    with _phalanx._world():
        lines = _phalanx.from_local(line).get()
    told = list(map(_json.loads, lines.tobytes().decode().splitlines()))
    if "error" in told[0]:
        raise OSError(*told[0]["error"])
    return told[0]["found"], len({name for one in told for name in one["devices"]}) <= 1


# The contexts by their keys: blocks with the same key share what they found.
_contexts = {}


def _device_name():
    """The name of the GPU on which the kernels run."""
    return _phalanx._gpus()[0][1]


def _entry(program, text, sizes):
    """The name of a record: kernel, device, and the binary digits of the sizes."""
    import zlib

    digits = " ".join(str(int(size).bit_length()) for size in sizes)
    return f"{program.name} {zlib.crc32(text.encode()):08x}, {_device_name()}, 2**({digits})"


def _fits(record, program, kernel, threads):
    """Whether a kernel runs with the launch of a record, which may be of a file."""
    number = record["threads"]
    is_tried = number in program.possible_threads or number == threads
    return is_tried and number <= kernel.max_threads_per_block


def _possible(program, kernel, sizes, threads):
    """The numbers of threads and of turns that are tried, the usual ones first."""
    most = kernel.max_threads_per_block
    tried = [(threads, 1)]
    seen = {(program.grid(sizes, threads, 1), threads)}
    for turns in _TURNS:
        for number in program.possible_threads:
            launch = (program.grid(sizes, number, turns), number)
            if number <= most and launch not in seen:
                seen.add(launch)
                tried.append((number, turns))
    return tried


def _measured(kernel, launch, arguments, options):
    """The seconds of a launch, by the clock of the GPU."""
    from .._profiler import _Clock

    grid, threads = launch
    clock = _Clock(0)

    def seconds(launches):
        clock.start()
        for _ in range(launches):
            kernel((grid,), (threads,), arguments)
        _phalanx._hand_over()
        clock.stop()
        return clock.seconds() / launches

    # The first launches may load the program and make plans.
    seconds(1)
    best = seconds(1)
    launches = _math.ceil(options.expected_total_time_per_trial / max(best, 1e-9))
    launches = min(max(launches, 1), _MOST_LAUNCHES)
    seconds(launches)
    begin = _time.perf_counter()
    for _ in range(_MEASUREMENTS):
        best = min(best, seconds(launches))
        if _time.perf_counter() - begin > options.max_total_time_per_trial:
            break
    return best


def _search(context, options, entry, possible, measure):
    """Measures launches and records the fastest one."""
    begin = _time.perf_counter()
    best = None
    for threads, turns in possible[: options.max_trials]:
        seconds = measure(threads, turns)
        if best is None or seconds < best["seconds"]:
            best = {"threads": threads, "turns": turns, "seconds": seconds}
        if _time.perf_counter() - begin > options.timeout:
            break
    context.records[entry], context.is_changed = best, True
    return best


def _chooser(context, options):
    """Chooses the launches of a block."""

    def choose(program, text, kernel, sizes, threads, arguments, outputs):
        entry = _entry(program, text, sizes)
        record = context.records.get(entry) if context.is_alike else None
        if record is None or not _fits(record, program, kernel, threads):
            # All processes make the same launches, and each has a clock of its own. While
            # operations are captured, none runs.
            can_measure = _phalanx.size() == 1 and not _phalanx._is_capturing()
            if not can_measure or not all(out.flags.c_contiguous for out in outputs):
                return program.grid(sizes, threads, 1), threads
            # The kernel may read what it writes, so it is tried on copies.
            copies = {id(out): out.copy() for out in outputs}
            trial = tuple(copies.get(id(one), one) for one in arguments)

            def measure(threads, turns):
                launch = (program.grid(sizes, threads, turns), threads)
                return _measured(kernel, launch, trial, options)

            possible = _possible(program, kernel, sizes, threads)
            record = _search(context, options, entry, possible, measure)
        return program.grid(sizes, record["threads"], record["turns"]), record["threads"]

    return choose


@_contextlib.contextmanager
def optimize(*, key=None, path=None, readonly=False, **config_dict):
    """A context manager that finds the launches with which kernels are fastest.

    Kernels of ``ElementwiseKernel`` and ``ReductionKernel`` that are compiled as programs of CUDA
    are tried with several numbers of threads and thread blocks when they are first called in the
    block; the fastest numbers are used from then on for the same kernel, device, and sizes of the
    same power of two.

    Other operations and texts of plain arithmetic run in kernels that Phalanx makes, whose launches
    are not searched; nor are those of texts that use threads, and of a RawKernel, which states its
    own. On CPUs, and while operations are captured, nothing changes; with several processes only
    the records of a file are used.

    Parameters
    ----------
    key : str, optional
        Blocks with the same key share what they find.
    path : str or path, optional
        A file. What it has is used, and what was found is added to it when the block ends. With
        several processes it is the file of the first one, and all use what that has read, if their
        GPUs are of one kind.
    readonly : bool, optional
        Whether the file is only read.
    **config_dict : optional
        ``max_trials``, the most launches that are tried, 100; ``timeout``, the seconds after which
        the search for a kernel ends, 1; ``expected_total_time_per_trial``, the seconds that the
        launches of one measurement take together, 0.0001; ``max_total_time_per_trial``, the seconds
        after which no more measurements of a launch are made, 0.1.

    Returns
    -------
    context manager
        The block.

    Raises
    ------
    ValueError
        An option is not above 0, or the file has another key, another form, or a launch that is
        none.
    TypeError
        An option is unknown.
    OSError
        The file cannot be read or written.

    Notes
    -----
    Local; Collective with ``path`` at the start and at the end of the block.

    Examples
    --------
    >>> from phalanx.x import optimizing
    >>> norm = np.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    >>> with optimizing.optimize():
    ...     norm(np.arange(100.0))
    array(573.01832431)
    """
    if key is not None and not isinstance(key, str):
        raise _refusal(TypeError, "type", f"optimize(): key is a text, not a {type(key).__name__}")
    known = _Options.__init__.__kwdefaults__
    for name in config_dict:
        if name not in known:
            raise _refusal(
                TypeError, "keyword", f"optimize() got an unexpected keyword argument {name!r}"
            )
    options = _Options(**config_dict)
    # The first process may be the only one that opens the file, so all refuse what is no path.
    path = None if path is None else _os.fsdecode(path)
    if path is not None and "\0" in path:
        raise _refusal(ValueError, "value", "optimize(): a path has no null character")
    context = _contexts.setdefault(key, _Context(key))
    if path is not None:
        context.load(path)
    tuning = _kernel_programs.tuning
    before, tuning.choose = tuning.choose, _chooser(context, options)
    try:
        yield
    finally:
        tuning.choose = before
    if path is not None and not readonly:
        context.save(path)
