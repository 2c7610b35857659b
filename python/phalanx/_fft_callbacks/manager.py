"""Callbacks of Fourier transforms: CuPy's ``set_cufft_callbacks``.

A text in CUDA C++ changes each element that a transform reads, and each that it writes. It runs as
a kernel before and after the transform.
"""

import contextvars as _contextvars
import functools as _functools
import math as _math

from .. import _phalanx
from .._phalanx import _refusal

# The entered callbacks of this context, the innermost last; None if there are none.
_current = _contextvars.ContextVar("phalanx_fft_callbacks", default=None)

# The code of an error about a launch that is not possible.
_LAUNCH = "PX180"

# What each function computes: the types of elements, the function that does so without a scale, and
# whether it is an inverse.
_KINDS = {
    "fft": ("C2C", "fft", False),
    "ifft": ("C2C", "ifft", True),
    "rfft": ("R2C", "rfft", False),
    "irfft": ("C2R", "irfft", True),
    "hfft": ("C2R", "irfft", False),
    "ihfft": ("R2C", "rfft", True),
    **{
        name + end: (kind, name + "n", is_inverse)
        for end in ("2", "n")
        for name, kind, is_inverse in (
            ("fft", "C2C", False), ("ifft", "C2C", True),
            ("rfft", "R2C", False), ("irfft", "C2R", True),
        )
    },
}


def _text_of(name, text):
    """The text of a callback; None if there is none."""
    if text is not None and not isinstance(text, str):
        raise _refusal(TypeError, "type", f"{name} is a text, not a {type(text).__name__}")
    return text or None


def _data_of(kind, has_text, array, data):
    """The auxiliary data of a callback: an array or an address."""
    if array is not None and data is not None:
        raise _refusal(
            ValueError, "together", f"give cb_{kind}_data or cb_{kind}_aux_arr, and not both"
        )
    if array is None and data is None:
        return None
    if not has_text:
        raise _refusal(
            ValueError, "together", f"there are data for cb_{kind}, and no text cb_{kind}"
        )
    if array is not None and not isinstance(array, _phalanx.ndarray):
        raise _refusal(
            TypeError, "type",
            f"cb_{kind}_aux_arr is a phalanx.ndarray, not a "
            f"{type(array).__module__}.{type(array).__name__}",
        )
    if array is not None or isinstance(data, _phalanx.ndarray):
        return data if array is None else array
    if isinstance(data, _phalanx.memory):
        # The memory of an array: its bytes as an array.
        return _phalanx.ndarray((data.nbytes,), "uint8", data)
    if not isinstance(getattr(data, "ptr", None), int):
        raise _refusal(
            TypeError, "type",
            f"cb_{kind}_data is an array, its memory or a pointer of phalanx.cuda, not a "
            f"{type(data).__module__}.{type(data).__name__}",
        )
    return data


class _Entry:
    """One entrance into callbacks."""

    __slots__ = ("manager", "is_left")

    def __init__(self, manager):
        self.manager, self.is_left = manager, False


class set_cufft_callbacks:
    """A context manager in which each Fourier transform runs callbacks in CUDA C++.

    The load callback returns each element that the transform reads; the store callback writes each
    element of its result. They are device functions with the parameters of cuFFT's: the data, the
    offset of the element, the element (of a store callback), the auxiliary data, and a pointer to
    shared memory, which is null. The types ``cufftComplex``, ``cufftDoubleComplex``, ``cufftReal``
    and ``cufftDoubleReal`` and those of the pointers are declared, and so are the functions of
    ``cuComplex.h``.

    A callback runs once for each element of a transform over any number of axes: the load callback
    after the array is cut or padded, the store callback before the result is scaled. An offset
    counts in C order; in a transform along one axis, that axis is swapped with the last one
    before. On several devices, offsets are those of the whole array. The auxiliary data are shared
    by all devices.

    The callbacks are kernels before and after the transform, so they cost a pass over the elements
    each. A callback that touches only the element of its offset, and does not write the auxiliary
    data, runs on each device with its block; any other gets whole arrays on one device. On CPUs the
    former are translated if they are plain arithmetic, and the latter are refused.

    Parameters
    ----------
    cb_load, cb_store : str, optional
        The texts. A legacy text defines ``d_loadCallbackPtr`` or ``d_storeCallbackPtr``; the store
        callback may use names of the load callback's text.
    cb_load_aux_arr, cb_store_aux_arr : ndarray, optional
        Auxiliary data, as of ``cb_load_data``.
    cb_load_name, cb_store_name : str, optional
        The functions in texts of the version ``"jit"``. Without them, the text has one that fits.
    cb_load_data, cb_store_data : ndarray or pointer, optional
        Auxiliary data: an array, ``x.data`` of an array, or memory of ``phalanx.cuda``.
    cb_ver : {'legacy', 'jit'}, optional
        How the texts name the callbacks.
    nvrtc_options : tuple of str, optional
        Options of the compiler.

    Raises
    ------
    TypeError
        A text is no text, or data are no data.
    ValueError
        There is no text, or the text does not name a callback.

    Notes
    -----
    Local. Contexts may be nested: the inner one replaces the callbacks of the outer one. Each
    thread has its own. The transforms are Collective as without callbacks.

    Examples
    --------
    >>> import phalanx as np
    >>> double = r'''
    ... __device__ cufftDoubleComplex twice(void* data, size_t offset, void* info, void* shared) {
    ...     cufftDoubleComplex x = ((cufftDoubleComplex*)data)[offset];
    ...     x.x *= 2; x.y *= 2;
    ...     return x;
    ... }
    ... __device__ cufftCallbackLoadZ d_loadCallbackPtr = twice;
    ... '''
    >>> with np.fft.config.set_cufft_callbacks(cb_load=double):
    ...     y = np.fft.fft(np.array([1.0, 2.0]))
    >>> y
    array([ 6.+0.j, -2.+0.j])
    """

    def __init__(self, cb_load=None, cb_store=None, cb_load_aux_arr=None, *,
                 cb_store_aux_arr=None, cb_load_name=None, cb_store_name=None, cb_load_data=None,
                 cb_store_data=None, cb_ver="legacy", nvrtc_options=()):
        from .._raw import _texts
        from .texts import callback

        if cb_ver not in ("legacy", "jit"):
            raise _refusal(
                ValueError, "choice", f"cb_ver is 'legacy' or 'jit', not {cb_ver!r}"
            )
        self.cb_load, self.cb_store = _text_of("cb_load", cb_load), _text_of("cb_store", cb_store)
        if self.cb_load is None and self.cb_store is None:
            raise _refusal(ValueError, "together", "give cb_load, cb_store or both")
        self.cb_load_name = _text_of("cb_load_name", cb_load_name)
        self.cb_store_name = _text_of("cb_store_name", cb_store_name)
        self.cb_ver = cb_ver
        self.nvrtc_options = _texts("nvrtc_options", nvrtc_options)
        self.cb_load_data = _data_of("load", self.cb_load, cb_load_aux_arr, cb_load_data)
        self.cb_store_data = _data_of("store", self.cb_store, cb_store_aux_arr, cb_store_data)
        is_jit, options = cb_ver == "jit", self.nvrtc_options
        self._load = self._store = None
        # What was entered and is not left, in all contexts.
        self._entries = []
        if self.cb_load:
            name = self.cb_load_name if is_jit else None
            self._load = callback("load", self.cb_load, name, is_jit, None, options)
        if self.cb_store:
            # A legacy program is one text.
            name, before = (self.cb_store_name, None) if is_jit else (None, self._load)
            self._store = callback("store", self.cb_store, name, is_jit, before, options)

    def __enter__(self):
        entry = _Entry(self)
        self._entries.append(entry)
        _current.set((*(_current.get() or ()), entry))
        return self

    def __exit__(self, *exception):
        entered = _current.get() or ()
        own = [entry for entry in entered if entry.manager is self]
        if own:
            # Others may have been entered since: those of a generator that is closed inside of
            # another context.
            left = own[-1]
            _current.set(tuple(entry for entry in entered if entry is not left) or None)
        elif self._entries:
            # It was entered in another context, whose variable cannot be set from here.
            left = self._entries[-1]
            left.is_left = True
        else:
            raise _refusal(RuntimeError, "value", "these callbacks are left without being entered")
        if left in self._entries:
            self._entries.remove(left)

    def __repr__(self):
        names = ", ".join(f"{one.kind}={one.name}" for one in (self._load, self._store) if one)
        return f"<set_cufft_callbacks {names}>"

    def _loaded(self, array):
        """The array that the transform reads."""
        return self._applied(self._load, array, self.cb_load_data)

    def _stored(self, array):
        """The result of the transform, before it is scaled."""
        return self._applied(self._store, array, self.cb_store_data)

    def _applied(self, callback, array, info):
        """The elements of an array after a callback."""
        if callback is None:
            return array
        _check_dtype(callback, array.dtype.name)
        if not _has_gpus():
            return _translated(callback, array, info)
        from .kernels import launch

        return launch(callback, array, info, self.nvrtc_options)


def get_current_callback_manager():
    """The callbacks of transforms in this context.

    Returns
    -------
    set_cufft_callbacks or None
        The innermost context manager; None outside of all.

    Raises
    ------
    None
        Nothing is raised.

    Notes
    -----
    Local.
    """
    return _innermost(_current.get() or ())


def _innermost(entered):
    """The innermost callbacks that are not left."""
    return next((entry.manager for entry in reversed(entered) if not entry.is_left), None)


def _has_gpus():
    """Whether the session has GPUs."""
    return _phalanx._gpu_count() > 0


def _check_dtype(callback, dtype):
    """Refuses a callback of other elements than those of the transform."""
    from .tokens import spelling

    known = callback.dtype
    if known is not None and known != dtype:
        does, acts = ("returns", "reads") if callback.kind == "load" else ("takes", "writes")
        raise _refusal(
            TypeError, "dtype",
            f"the {callback.kind} callback {callback.name} {does} {callback.returned}, and the "
            f"transform {acts} {spelling(dtype)}",
            "complex64 is cufftComplex, complex128 cufftDoubleComplex, float32 cufftReal, float64 "
            "cufftDoubleReal",
        )


def _translated(callback, array, info):
    """The elements of an array after a callback, without a GPU."""
    from .elements import NotElementwise, elements

    try:
        return elements(callback).computed(array, info)
    except NotElementwise as reason:
        refused = ValueError(
            f"the {callback.kind} callback runs on GPUs, and the devices of this session are CPUs. "
            f"It cannot be translated for CPUs: {reason} [{_LAUNCH}]\n"
            "  hint    see docs/cupy.md for the callbacks that run on CPUs"
        )
        refused.code = _LAUNCH
        raise refused from None


def _resized(array, axis, extent):
    """An array that is cut or padded with zeros along an axis."""
    missing = extent - array.shape[axis]
    if missing > 0:
        widths = [(0, 0)] * array.ndim
        widths[axis] = (0, missing)
        return _phalanx.pad(array, widths)
    return array[(slice(None),) * axis + (slice(extent),)] if missing < 0 else array


def _of_several(axes, wanted, ndim):
    """The axes and extents of a transform over several axes, of which either may be None."""
    if axes is None:
        axes = range(ndim) if wanted is None else range(ndim - len(wanted), ndim)
    return axes, [None] * len(axes) if wanted is None else wanted


def _axes_of(name, bound, ndim):
    """The axes of a transform, and the extents that the call asks for; None for one's own."""
    if "axis" in bound:
        axes, wanted = [bound["axis"]], [bound["n"]]
    else:
        axes, wanted = _of_several(bound["axes"], bound["s"], ndim)
    axes = [int(axis) % ndim for axis in axes]
    if len(set(axes)) < len(axes):
        raise _refusal(
            ValueError, "value", f"{name}: with callbacks, each axis is transformed once"
        )
    return axes, [None if one in (None, -1) else int(one) for one in wanted]


def _scale(norm, is_inverse, count):
    """The factor of the result."""
    if norm == "ortho":
        return 1 / _math.sqrt(count)
    return 1 / count if is_inverse == (norm in (None, "backward")) else 1.0


@_functools.lru_cache(maxsize=None)
def _dtype_of(native, dtype):
    """The dtype of a transform of elements of a dtype."""
    return native(_phalanx.zeros((2, 2), dtype)).dtype


def _result(kind, bound, array):
    """The shape of a transform; None if it may have none, and the function has to say why not.

    The function is not called for it: what it records is computed even if nothing reads it.
    """
    ndim = array.ndim
    axes, wanted = bound.get("axes", [bound.get("axis")]), bound.get("s", [bound.get("n")])
    if not all(one is None or isinstance(one, (list, tuple)) for one in (axes, wanted)):
        return None
    axes, wanted = _of_several(axes, wanted, ndim)
    is_known = (
        array.dtype.kind in ("biuf" if kind == "R2C" else "biufc") and len(axes) > 0
        and len(wanted) == len(axes) and bound["norm"] in (None, "backward", "ortho", "forward")
        and all(isinstance(one, int) and -ndim <= one < ndim for one in axes)
        and all(one is None or isinstance(one, int) and one > 0 for one in wanted)
        and len({one % ndim for one in axes}) == len(axes)
    )
    if not is_known:
        return None
    shape = list(array.shape)
    for axis, extent in zip(axes, wanted):
        shape[axis] = shape[axis] if extent is None else extent
    last, extent = axes[-1], wanted[-1]
    if kind == "R2C" and shape[last] > 0:
        shape[last] = shape[last] // 2 + 1
    elif kind == "C2R":
        shape[last] = extent or 2 * (array.shape[last] - 1)
    is_full = all(shape[axis] > 0 and array.shape[axis] > 0 for axis in axes)
    return tuple(shape) if is_full else None


def _transformed(callbacks, native, bound):
    """A transform with callbacks."""
    name, out = native.__name__, bound.pop("out")
    kind, plain, is_inverse = _KINDS[name]
    array = _phalanx.asarray(bound["a"])
    shape = _result(kind, bound, array)
    if shape is None:
        # The function's own error, or an argument that only the function understands.
        shape = native(**bound).shape
    dtype = _dtype_of(native, array.dtype)
    if out is not None and not (
        isinstance(out, _phalanx.ndarray) and out.shape == shape
        and _phalanx.can_cast(dtype, out.dtype, "same_kind")
    ):
        native(**bound, out=out)
    axes, wanted = _axes_of(name, bound, array.ndim)
    if not axes:
        return native(**bound, out=out)
    last = axes[-1]
    is_single = dtype.name in ("complex64", "float32")
    real, complex = ("float32", "complex64") if is_single else ("float64", "complex128")
    array = array.astype(real if kind == "R2C" else complex, copy=False)
    array = _phalanx.conj(array) if name == "hfft" else array
    for axis, extent in zip(axes, wanted):
        extent = extent or array.shape[axis]
        if kind == "C2R" and axis == last:
            extent = shape[axis] // 2 + 1
        array = _resized(array, axis, extent)
    sizes = [array.shape[axis] for axis in axes]
    sizes[-1] = shape[last] if kind == "C2R" else sizes[-1]
    is_swapped = len(axes) == 1 and last != array.ndim - 1
    if is_swapped:
        array = array.swapaxes(last, -1)
    array = callbacks._loaded(array)
    along = [array.ndim - 1] if len(axes) == 1 else axes
    function = getattr(_phalanx.fft, plain if plain.endswith("n") else plain + "n")
    unscaled = "forward" if plain.startswith("i") else "backward"
    found = callbacks._stored(function(array, sizes, along, unscaled))
    if is_swapped:
        found = found.swapaxes(last, -1)
    scale = _scale(bound["norm"], is_inverse, _math.prod(sizes))
    found = found if scale == 1.0 else found * scale
    found = _phalanx.conj(found) if name == "ihfft" else found
    return found if out is None else _phalanx.positive(found, out=out)


def functions():
    """The transforms of ``phalanx.fft``, by their names."""
    return {name: _Transform(getattr(_phalanx.fft, name)) for name in _KINDS}


@_functools.lru_cache(maxsize=None)
def _signature(native):
    """The parameters of a function."""
    import inspect

    return inspect.signature(native)


class _Transform:
    """A function of ``numpy.fft`` that runs the callbacks of its context.

    Its description is that of the function without callbacks, which is made when it is read.
    """

    __module__ = "phalanx.fft"

    def __init__(self, native):
        self.__name__ = self.__qualname__ = native.__name__
        self._native = native

    def __call__(self, *args, **kwargs):
        entered = _current.get()
        callbacks = entered and _innermost(entered)
        if callbacks is None:
            return self._native(*args, **kwargs)
        try:
            bound = self.__signature__.bind(*args, **kwargs)
        except TypeError:
            # The function's own error.
            return self._native(*args, **kwargs)
        bound.apply_defaults()
        return _transformed(callbacks, self._native, bound.arguments)

    def __get__(self, instance, owner=None):
        return self if instance is None else _functools.partial(self, instance)

    def __repr__(self):
        return repr(self._native)

    def __reduce__(self):
        return self.__name__

    @property
    def __signature__(self):
        return _signature(self._native)

    @property
    def __doc__(self):
        return self._native.__doc__


for _class in (set_cufft_callbacks, get_current_callback_manager):
    _class.__module__ = "phalanx.fft.config"
