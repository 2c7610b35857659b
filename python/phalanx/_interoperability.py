"""NumPy's protocols: NumPy's functions, called on our arrays, run here.

A function that is missing here raises a TypeError that names it. With ``PHALANX_FALLBACK=warn``
NumPy computes it on the host, with one warning for each function.
"""

import os
import sys
import warnings
import weakref as _weakref

from . import _cuda_streams as _streams
from . import _phalanx
from ._phalanx import _refusal

_warned = set()


def _falls_back(name):
    """Whether NumPy may compute a function that is missing here; warns once for each function."""
    if not _phalanx._falls_back():
        return False
    if name not in _warned:
        _warned.add(name)
        warnings.warn(
            f"{name} is computed by NumPy on the host (PHALANX_FALLBACK=warn)",
            RuntimeWarning,
            stacklevel=_level_of_the_program(),
        )
    return True


def _level_of_the_program():
    """The number of frames from the caller up to the first line that is neither ours nor
    NumPy's."""
    import numpy

    folders = tuple(os.path.dirname(module.__file__) + os.sep for module in (_phalanx, numpy))
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(folders):
        frame, level = frame.f_back, level + 1
    return level


def _map(change, value):
    """Applies a function to the items of nested arguments."""
    if isinstance(value, (list, tuple)):
        items = [_map(change, item) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {key: _map(change, item) for key, item in value.items()}
    return change(value)


def _to_host(value):
    import numpy

    return numpy.asarray(value) if isinstance(value, _phalanx.ndarray) else value


def _from_host(value):
    import numpy

    return _phalanx.asarray(value) if isinstance(value, numpy.ndarray) else value


def _on_host(function, arguments, keywords):
    """The result of a function on the host, for which our arrays are fetched."""
    return function(*_map(_to_host, arguments), **_map(_to_host, keywords))


def _outputs(keywords):
    """The outputs of a ufunc as a tuple. NumPy passes a tuple, and Numba the argument of the
    program."""
    outputs = keywords.get("out")
    return outputs if isinstance(outputs, tuple) else () if outputs is None else (outputs,)


def _ufunc_on_host(ufunc, method, inputs, keywords):
    """Runs a ufunc, or a method of one, on the host. Results for our arrays among the outputs are
    written back."""
    function = ufunc if method == "__call__" else getattr(ufunc, method)
    # `at` writes its first argument.
    outputs = inputs[:1] if method == "at" else _outputs(keywords)
    places = tuple(map(_to_host, outputs))
    inputs = _map(_to_host, inputs)
    keywords = _map(_to_host, {key: value for key, value in keywords.items() if key != "out"})
    if method == "at":
        inputs = (*places, *inputs[1:])
    elif outputs:
        keywords["out"] = places
    result = function(*inputs, **keywords)
    for output, place in zip(outputs, places):
        if isinstance(output, _phalanx.ndarray):
            output[...] = place
    if method == "at" or not outputs:
        return result
    results = result if isinstance(result, tuple) else (result,)
    results = [made if given is None else given for made, given in zip(results, outputs)]
    return tuple(results) if isinstance(result, tuple) else results[0]


def _is_numpys(ufunc):
    """Whether a ufunc is one of NumPy's own, and not one of another library with the same name."""
    import numpy

    modules = numpy, numpy._core.umath
    return any(getattr(module, ufunc.__name__, None) is ufunc for module in modules)


def _array_ufunc(self, ufunc, method, *inputs, **keywords):
    """Runs a ufunc, or a method of one, on arrays some of which are ours.

    A ufunc of NumPy runs as ours. If it writes into NumPy arrays it runs on the host, except for
    reductions. Ufuncs of other libraries, such as SciPy and Numba, run on the host.
    """
    import numpy

    import phalanx

    is_own = getattr(_phalanx, ufunc.__name__, None) is ufunc
    operands = (*inputs, *_outputs(keywords))
    if not is_own:
        # Our ufunc asks classes that are no subclasses of ours.
        operands = tuple(one for one in operands if isinstance(one, _phalanx.ndarray))
    if _phalanx._override_ufuncs(operands):
        return NotImplemented
    if is_own:
        # A subclass has called the method that it overrides.
        return (ufunc if method == "__call__" else getattr(ufunc, method))(*inputs, **keywords)
    if not _is_numpys(ufunc):
        return _ufunc_on_host(ufunc, method, inputs, keywords)
    written = inputs[:1] if method == "at" else _outputs(keywords)
    is_on_host = any(isinstance(output, numpy.ndarray) for output in written)
    if is_on_host and not method.startswith("reduce"):
        return _ufunc_on_host(ufunc, method, inputs, keywords)
    name = ufunc.__name__
    own = getattr(phalanx, name, None)
    function = own if method == "__call__" else getattr(own, method, None)
    if function is not None and is_on_host:
        return _into_host(function, inputs, keywords | {"out": written[0]})
    if function is not None:
        return function(*inputs, **keywords)
    if _falls_back(f"numpy.{name}"):
        host = ufunc if method == "__call__" else getattr(ufunc, method)
        return _map(_from_host, _on_host(host, inputs, keywords))
    raise _refusal(
        TypeError,
        "absent",
        f"phalanx has no {name}" + ("" if method == "__call__" else f".{method}"),
    )


def _into_host(function, arguments, keywords):
    """Calls one of our functions and copies its result into the NumPy array that the call
    writes."""
    import numpy

    output = keywords["out"]
    # Elements that `where` leaves out keep their values.
    is_kept = keywords.get("where") is not None
    place = _phalanx.array(output) if is_kept else _phalanx.empty(output.shape, output.dtype)
    function(*arguments, **keywords | {"out": place})
    numpy.copyto(output, place.get())
    return output


# NumPy's functions that write their first argument.
_WRITERS = {"copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal"}


def _array_function(self, function, types, arguments, keywords):
    """Runs a function of NumPy on arrays some of which are ours.

    Our function of the same name runs, unless the call changes a NumPy array in place or passes
    objects that our arrays cannot hold.
    """
    import numpy

    import phalanx

    if isinstance(function, _phalanx.function):
        # A subclass has called the method that it overrides.
        if not all(issubclass(kind, (_phalanx.ndarray, numpy.ndarray)) for kind in types):
            return NotImplemented
        return function._implementation(*arguments, **keywords)
    path = function.__module__.split(".")
    parts = [part for part in path[1:] if not part.startswith("_")]
    # NumPy keeps functions of its main namespace there.
    parts = [] if parts == ["lib"] else parts
    own = phalanx
    for part in [*parts, function.__name__] if path[0] == "numpy" else []:
        own = getattr(own, part, None)
    written = arguments[0] if arguments and function.__name__ in _WRITERS else self
    if not isinstance(written, _phalanx.ndarray):
        # NumPy writes the array itself, and not a copy.
        return function(arguments[0], *_map(_to_host, arguments[1:]), **_map(_to_host, keywords))
    if own is not None and own is not phalanx:
        if isinstance(keywords.get("out"), numpy.ndarray):
            return _into_host(own, arguments, keywords)
        try:
            return own(*arguments, **keywords)
        except TypeError as error:
            if getattr(error, "code", None) != _NO_ELEMENTS:
                raise
        return _on_host(function, arguments, keywords)
    name = f"{function.__module__}.{function.__name__}"
    if _falls_back(name):
        return _map(_from_host, _on_host(function, arguments, keywords))
    raise _refusal(TypeError, "absent", f"phalanx has no {name}")


# The code of the error for objects that our arrays cannot hold.
_NO_ELEMENTS = "PX146"


def _array_interface(self):
    """The layout of the array's buffer. It has no address: NumPy takes the memory by the buffer
    protocol."""
    if self._buffer_was_refused() or self.dtype.isbuiltin != 1:
        raise AttributeError("__array_interface__: the array gives no buffer of these elements")
    return {"version": 3, "shape": self.shape, "typestr": self.dtype.str}


_phalanx.ndarray.__array_interface__ = property(_array_interface)
_phalanx.ndarray.__array_ufunc__ = _array_ufunc
_phalanx.ndarray.__array_function__ = _array_function
# In an operation of two arrays, ours takes precedence.
_phalanx.ndarray.__array_priority__ = 100


def _whole_view(array):
    """The elements without a copy, if one device of this process has them all; else None."""
    views = array._shard_views()
    return views[0].data if len(views) == 1 and views[0].data.shape == array.shape else None


_CUDA = 2


def _gpu_of(array):
    """The device of this process whose memory is exported: of several GPUs the current one, if each
    holds the whole array. None on CPUs."""
    gpus = _phalanx._gpus()
    if len(gpus) < 2:
        return 0 if gpus else None
    if array.sharding.is_replicated:
        return _streams._current.device
    raise BufferError(_SEVERAL)


_SEVERAL = (
    "the array does not lie whole on one GPU: export the parts that this process holds, "
    "x.local_view()[n], or x.with_sharding(None), which every GPU has whole"
)


def _gpu_part(array):
    """The elements on one GPU, as an object that exports them."""
    number = _gpu_of(array)
    part = array._shard_views()[number].data
    if part.shape != array.shape:
        raise BufferError(_SEVERAL)
    return part


def _dlpack(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """The elements for another library. They are shared read-only if one device has them all and
    the library supports DLPack 1.0. Else they are copied, on the GPU that has them or to the host.

    On a GPU ``stream`` is the library's stream, which waits for our work: None or 1 is CUDA's
    default stream, 2 the default stream of the thread, another number a handle, and -1 asks for no
    order.
    """
    options = {} if max_version is None else {"max_version": max_version}
    if _gpu_of(self) is not None:
        place = None if dl_device is None else tuple(map(int, dl_device))
        return _gpu_part(self).__dlpack__(stream=stream, dl_device=place, copy=copy, **options)
    if dl_device is not None and tuple(dl_device) != (1, 0):
        raise _refusal(
            BufferError,
            "export",
            f"the elements are on the CPU, not on device {tuple(dl_device)}",
        )
    if stream is not None:
        raise _refusal(BufferError, "export", "the CPU has no streams")
    if not copy and max_version is not None and max_version[0] >= 1:
        view = _whole_view(self)
        if view is not None:
            return view.__dlpack__(**options)
    if copy is False:
        raise _refusal(
            BufferError,
            "export",
            "the array is on several devices, or the other library does not support read-only "
            "arrays: export the parts of x.local_view(), or a copy",
        )
    return self.get().__dlpack__(**options)


# The exported memory of arrays, by the identity of the array. The CUDA Array Interface reports no
# end of use: libraries hold the array as long as they use the memory.
_shown = {}


def _cuda_array_interface(self):
    """The elements for libraries that support the CUDA Array Interface, version 3: read-only, on a
    GPU that has them all.

    Exported memory is kept as long as the array object exists. Parts of ``x.local_view()`` free it
    earlier.
    """
    if not _phalanx._gpus():
        raise AttributeError("__cuda_array_interface__: the elements are on the CPU")
    try:
        part = _gpu_part(self)
    except BufferError as error:
        raise AttributeError(f"__cuda_array_interface__: {error}") from None
    kept = _shown.get(id(self))
    if kept is None:
        kept = _shown[id(self)] = {}
        _weakref.finalize(self, _shown.pop, id(self), None).atexit = False
    return kept.setdefault(part.ptr, part).__cuda_array_interface__


_phalanx.ndarray.__cuda_array_interface__ = property(_cuda_array_interface)


class _LocalView:
    """The result of `ndarray.local_view`."""

    def __init__(self, array):
        self._array = array
        self._views = array._shard_views()
        self._copies = None

    @property
    def _shards_of_view(self):
        return self._views

    def __len__(self):
        return len(self._views)

    def __getitem__(self, place):
        return self._views[place].data

    def __enter__(self):
        self._copies = [view.data.copy() for view in self._views]
        return self._copies

    def __exit__(self, *exception):
        if exception[0] is not None:
            return False
        split = [place for place, axes in enumerate(self._array.sharding.axes) if axes]
        if len(split) > 1:
            raise _refusal(
                ValueError,
                "value",
                "an array that is split along several axes is not written through its shards: "
                "write x[shard.index] for each",
            )
        # The array reads the copies in place from now on.
        for copy in self._copies:
            if isinstance(copy, _phalanx.DeviceShard):
                copy._settle()
            else:
                copy.flags.writeable = False
        if split:
            self._array[...] = self._joined(split[0])
        else:
            self._array[...] = self._copies[0]
        return False


    def _joined(self, axis):
        """The copies of all processes, in the order of the array."""
        joined = _phalanx.from_local(self._copies, axis=axis)
        extents = self._array._descending_blocks(axis)
        if extents is None:
            return joined
        # As in a reversed view, the first device has the last elements.
        parts, end = [], 0
        for count in extents:
            start, end = end, end + count
            parts.insert(0, joined[(slice(None),) * axis + (slice(start, end),)])
        return _phalanx.concatenate(parts, axis=axis)


def _local_view(self):
    """The parts of the array on the devices of this process, without a copy and read-only: NumPy
    arrays, or objects on GPUs.

    ``with x.local_view() as shards:`` gives copies that may be written inside of the ``with``
    block. At its end they become the elements of the array.

    Returns
    -------
    sequence of numpy.ndarray
        One part for each device of this process, in order.

    Raises
    ------
    ValueError
        At the end of the ``with`` block, if the array is split along several axes.

    Notes
    -----
    Collective: every process calls it, and every process writes if one does.
    """
    return _LocalView(self)


_phalanx.ndarray.local_view = _local_view


def _dlpack_device(self):
    """The device of the elements for DLPack: (1, 0) is the CPU, (2, n) the GPU cuda:n."""
    number = _gpu_of(self)
    return (1, 0) if number is None else (_CUDA, _phalanx._gpus()[number][0])


_phalanx.ndarray.__dlpack__ = _dlpack
_phalanx.ndarray.__dlpack_device__ = _dlpack_device


# DLPack's device types of memory that the host can read: its own, and memory pinned for CUDA or
# ROCm.
_OF_THE_HOST = (1, 3, 11)
# DLPack's device types of CUDA memory, and of CUDA managed memory.
_OF_CUDA = (_CUDA, 13)


def from_dlpack(x, /, *, device=None, copy=None):
    """An array of elements that another library exports. Every process must pass the same elements.

    Elements in the memory and layout that the devices of the session need are not copied:
    the array reads them in place, and gets memory of its own once it is written. Until then, a
    write to the elements changes the array.

    Parameters
    ----------
    x : object
        An array with ``__dlpack__`` and ``__dlpack_device__``, such as a tensor of PyTorch.
    device : str, optional
        With ``"cpu"`` the exporting library copies elements on another device to the host.
    copy : bool, optional
        True copies always, False never. By default elements are copied if needed.

    Returns
    -------
    ndarray
        An array of the object's shape and dtype.

    Raises
    ------
    BufferError
        The elements are on another device, or a copy is needed but not allowed.
    TypeError
        The object does not export by DLPack.
    ValueError
        The device is unknown.

    Notes
    -----
    Local: without communication between processes.
    """
    import numpy

    if device == _phalanx._device_name() != "cpu":
        # The device of arrays on GPUs: where the elements go without a choice.
        device = None
    if device not in (None, "cpu"):
        raise _refusal(ValueError, "choice", f"device must be 'cpu', not {device!r}")
    if isinstance(x, _phalanx.ndarray):
        return x.copy() if copy else x
    if not hasattr(x, "__dlpack__") or not hasattr(x, "__dlpack_device__"):
        raise _refusal(TypeError, "type", f"{type(x).__name__} exports nothing by DLPack")
    kind, number = map(int, x.__dlpack_device__())
    gpus = [ordinal for ordinal, _, _ in _phalanx._gpus()]
    if device is None and kind in _OF_CUDA and number in gpus:
        return _from_gpu(x, copy)
    is_elsewhere = kind not in _OF_THE_HOST
    if is_elsewhere and device is None:
        own = ", ".join(f"cuda:{ordinal}" for ordinal in gpus) or "CPUs"
        raise _refusal(
            BufferError,
            "export",
            f"the elements lie on a device of kind {kind}, number {number}, and those of the session"
            f" are {own}: copy them to the host first (x.cpu() in PyTorch), or say device='cpu'",
        )
    if is_elsewhere and copy is False:
        raise _refusal(
            BufferError,
            "export",
            "the elements lie on another device: they cannot be had without a copy",
        )
    if is_elsewhere:
        shown = numpy.from_dlpack(_OnHost(x))
    else:
        shown = numpy.from_dlpack(x)
    if copy:
        return _phalanx.asarray(shown)
    if copy is False and not shown.flags.c_contiguous:
        raise _refusal(
            BufferError,
            "export",
            "the elements do not lie in C order: they cannot be had without a copy",
        )
    made, is_shared = _phalanx._from_shared(shown)
    if copy is False and not is_shared and made.size > 0:
        raise _refusal(
            BufferError,
            "export",
            "a device of the session has elements that do not lie in one piece: they cannot be had"
            " without a copy",
        )
    return made


def _from_gpu(x, copy):
    """An array of another library's elements on a GPU of the session."""
    if copy:
        return _phalanx.array(x)
    made, is_shared = _phalanx._from_shared(x)
    if copy is False and not is_shared:
        raise BufferError(
            "the elements do not lie in C order and in one piece for each device: they cannot be had"
            " without a copy"
        )
    return made


class _OnHost:
    """An exporter whose library copies the elements to the host first."""

    def __init__(self, exporter):
        self._exporter = exporter

    def __dlpack__(self, **options):
        return self._exporter.__dlpack__(**options | {"dl_device": (1, 0)})

    def __dlpack_device__(self):
        return (1, 0)


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """The elements of an array as a NumPy array; any other object as NumPy converts it.

    Parameters
    ----------
    a : ndarray or array_like
        The array.
    stream : optional
        A stream of a GPU: the copy runs after the stream's earlier work, and before its later work.
        Without effect on CPUs.
    order : {'C', 'F', 'A', 'K'}, default: 'C'
        The order of elements in memory.
    out : numpy.ndarray, optional
        The array that is written and returned.
    blocking : bool, default: True
        Without effect: the call always waits for the elements.

    Returns
    -------
    numpy.ndarray
        An array of the same shape and dtype.

    Raises
    ------
    ValueError
        `out` has another shape, or the order is unknown.
    TypeError
        `out` is no NumPy array.

    Notes
    -----
    Collective, unless this process already holds the elements.
    """
    import numpy

    if isinstance(a, _phalanx.ndarray):
        return a.get(stream=stream, order=order, out=out, blocking=blocking)
    made = numpy.asarray(a, order=order)
    if out is None:
        return made
    numpy.copyto(out, made)
    return out


def get_array_module(*arguments):
    """``phalanx`` if one of the arguments is its array, else ``numpy``.

    Parameters
    ----------
    arguments : object
        The arguments of a program.

    Returns
    -------
    module

    Raises
    ------
    None
        Nothing is raised.

    Notes
    -----
    Local: a process may call it alone.
    """
    import phalanx

    if any(isinstance(argument, _phalanx.ndarray) for argument in arguments):
        return phalanx
    import numpy

    return numpy
