"""CuPy's module ``cuda.texture``: textures and surfaces for kernels in CUDA C++.

A kernel takes a ``TextureObject`` as ``cudaTextureObject_t`` and a ``SurfaceObject`` as
``cudaSurfaceObject_t``. A launch keeps both, and what they read, until it has run. Launches run on
the first device of the session, so make the memory while that device is current.

A texture over an array of Phalanx reads the elements that the array has when the
``ResourceDescriptor`` is made: a later operation that changes the array writes other memory. Make
another descriptor then, or use memory of ``phalanx.cuda.alloc``, which stays in place.
"""

from . import _cuda_runtime as _runtime
from . import _phalanx
from ._cuda_documented import documented as _documented
from ._cuda_driver_calls import (
    address as _address,
    context as _context,
    ordinal as _ordinal,
    within as _within,
)
from ._phalanx import _refusal

_KINDS = {"i": _runtime.cudaChannelFormatKindSigned, "u": _runtime.cudaChannelFormatKindUnsigned,
          "f": _runtime.cudaChannelFormatKindFloat}
_NOTHING = {"None": "No error."}
_COPIES = ("Collective: all recorded operations run first; with a stream, they are handed to the "
           "devices.")


def _structures():
    from . import _cuda_driver_structures

    return _cuda_driver_structures


class _Described:
    """An object with a structure of CUDA; ``ptr`` is its address."""

    @property
    def ptr(self):
        """The address of the structure of CUDA's runtime."""
        import ctypes

        return ctypes.addressof(self._structure)


class ChannelFormatDescriptor(_Described):
    """The form of the elements of a texture: up to four channels.

    Parameters
    ----------
    x, y, z, w : int
        The bits of each channel; 0 for a channel that is not there.
    f : int
        The kind of the channels, ``runtime.cudaChannelFormatKind...``.
    """

    ptr = _Described.ptr

    def __init__(self, x, y, z, w, f):
        self._structure = _structures().ChannelFormat(x, y, z, w, f)

    @_documented("dict", "The arguments by name.", raises=_NOTHING)
    def get_channel_format(self):
        """The arguments with which the object was made."""
        return {name: getattr(self._structure, name) for name in "xyzwf"}

    def _channels(self):
        """The bits of the channels that are there."""
        return [bits for bits in list(self.get_channel_format().values())[:4] if bits]


class CUDAarray:
    """An array of CUDA with one to three axes: memory in an order that suits textures.

    Parameters
    ----------
    desc : ChannelFormatDescriptor
        The form of the elements.
    width, height, depth : int
        The extents, in elements; 0 for an axis that is not there.
    flags : int, optional
        ``runtime.cudaArray...``; surfaces need ``cudaArraySurfaceLoadStore``.

    Raises
    ------
    ValueError
        An axis that is not there is before one that is.
    """

    desc = _within = None
    ptr = width = height = depth = flags = ndim = 0

    def __init__(self, desc, width, height=0, depth=0, flags=0):
        if not isinstance(desc, ChannelFormatDescriptor):
            raise _refusal(
                TypeError, "type",
                f"CUDAarray: desc is a ChannelFormatDescriptor, not a {type(desc).__name__}",
            )
        if width <= 0 or (height <= 0 and depth > 0):
            raise _refusal(
                ValueError, "value", f"CUDAarray: there is no array of {width}, {height}, {depth}"
            )
        self._within = _context()
        self.desc, self.flags = desc, flags
        self.width, self.height, self.depth = width, height, depth
        self.ndim = 3 if depth > 0 else 2 if height > 0 else 1
        self.device_id = _runtime.getDevice()
        self.ptr = _runtime.malloc3DArray(desc.ptr, width, height, depth, flags)

    def __del__(self):
        if self.ptr and _within is not None:
            _within(self._within, "cuArrayDestroy", self.ptr)

    def __int__(self):
        return self.ptr

    def _shape(self):
        row = len(self.desc._channels()) * self.width
        return (self.depth, self.height, row)[3 - self.ndim:]

    def _check(self, array, name):
        import numpy

        if tuple(array.shape) != self._shape():
            raise _refusal(
                ValueError, "together",
                f"{name}: the shape is {tuple(array.shape)}, and that of the elements is "
                f"{self._shape()}",
            )
        dtype, bits = numpy.dtype(array.dtype), self.desc._channels()[0]
        if _KINDS.get(dtype.kind) != self.desc._structure.f or dtype.itemsize * 8 != bits:
            raise _refusal(
                ValueError, "dtype", f"{name}: a {dtype} is not of the kind of the channels"
            )
        return dtype.itemsize

    def _copy(self, address, on_device, item, stream, to_array):
        """Copies all elements from an address, or to it."""
        structures = _structures()
        row = self._shape()[-1] * item
        height, depth = max(self.height, 1), max(self.depth, 1)
        memory = structures.PitchedPointer(address, row, row, height)
        copy = structures.Copy3D(extent=structures.Extent(self.width, height, depth))
        if to_array:
            copy.dstArray, copy.srcPtr = self.ptr, memory
        else:
            copy.srcArray, copy.dstPtr = self.ptr, memory
        device = _runtime.memcpyDeviceToDevice
        host = _runtime.memcpyHostToDevice if to_array else _runtime.memcpyDeviceToHost
        copy.kind = device if on_device else host
        import ctypes

        if stream is None:
            _runtime.memcpy3D(ctypes.addressof(copy))
        else:
            _runtime.memcpy3DAsync(ctypes.addressof(copy), stream)

    @_documented(notes=_COPIES, in_arr=("ndarray or numpy.ndarray", "The elements."),
                 stream=("Stream, optional", "The stream in whose order they are copied; without "
                         "one, the call waits for the copy."),
                 raises={"ValueError": "The shape or the dtype differs.",
                         "CUDARuntimeError": "CUDA refuses the call."})
    def copy_from(self, in_arr, stream=None):
        """Copies the elements of an array of Phalanx or NumPy. Its shape is ``(depth, height, width
        * channels)``, without the axes that are not there."""
        import numpy

        item = self._check(in_arr, "copy_from")
        kept = None
        if isinstance(in_arr, _phalanx.ndarray):
            kept = _whole(in_arr, self.device_id)
            if kept is None:
                in_arr = in_arr.get()
        if kept is not None:
            self._copy(kept.ptr, True, item, stream, to_array=True)
            if stream is not None:
                # Later operations may reuse the memory of the elements.
                _before(stream)
        else:
            elements = numpy.ascontiguousarray(in_arr)
            self._copy(elements.ctypes.data, False, item, stream, to_array=True)

    @_documented(notes=_COPIES,
                 out_arr=("ndarray or numpy.ndarray", "The array that gets the elements; one of "
                          "NumPy is contiguous in C order."),
                 stream=("Stream, optional", "The stream in whose order they are copied; without "
                         "one, the call waits for the copy."),
                 raises={"ValueError": "The shape or the dtype differs, or the array is not "
                         "contiguous.",
                         "CUDARuntimeError": "CUDA refuses the call."})
    def copy_to(self, out_arr, stream=None):
        """Copies the elements to an array of Phalanx or NumPy. Its shape is ``(depth, height, width
        * channels)``, without the axes that are not there."""
        import numpy

        item = self._check(out_arr, "copy_to")
        if isinstance(out_arr, _phalanx.ndarray):
            if _phalanx.size() > 1 or len(_phalanx._gpus()) > 1:
                elements = numpy.empty(out_arr.shape, out_arr.dtype)
                self._copy(elements.ctypes.data, False, item, None, to_array=False)
                out_arr[...] = _phalanx.asarray(elements)
                return
            from ._cuda_memory_classes import pooled

            memory = pooled(out_arr.nbytes)
            self._copy(memory.ptr, True, item, stream, to_array=False)
            if stream is not None:
                _before(stream)
            elements = _phalanx.asarray(memory).view(out_arr.dtype)
            out_arr[...] = elements.reshape(out_arr.shape)
            return
        if not out_arr.flags.c_contiguous:
            raise _refusal(
                ValueError, "value", "copy_to: the array is not contiguous in C order"
            )
        self._copy(out_arr.ctypes.data, False, item, stream, to_array=False)


def _before(stream):
    from . import _cuda_streams

    _cuda_streams._before(stream)


def _whole(array, device):
    """The memory of all elements of an array on a device, in C order; None if the device has only a
    part. Collective if the array is pending."""
    for shard in array._shard_views():
        data = shard.data
        if shard.device == device and tuple(data.shape) == tuple(array.shape):
            return data
    return None


class ResourceDescriptor(_Described):
    """What a texture or a surface reads.

    Parameters
    ----------
    restype : int
        ``runtime.cudaResourceType...``: of an array, of linear memory or of memory of rows.
    cuArr : CUDAarray, optional
        The array of CUDA.
    arr : ndarray or MemoryPointer, optional
        The linear memory, or the memory of rows: an array that one device has whole, or an object
        with ``ptr``.
    chDesc : ChannelFormatDescriptor, optional
        The form of the elements of ``arr``.
    sizeInBytes : int, optional
        The bytes of linear memory.
    width, height : int, optional
        The extents in elements of memory of rows.
    pitchInBytes : int, optional
        The bytes from one row to the next.

    Raises
    ------
    ValueError
        The array is split over devices.
    NotImplementedError
        For arrays of several resolutions.

    Notes
    -----
    Collective if ``arr`` is pending.
    """

    ptr = _Described.ptr
    arr = chDesc = cuArr = None

    def __init__(self, restype, cuArr=None, arr=None, chDesc=None, sizeInBytes=0, width=0,
                 height=0, pitchInBytes=0):
        if restype == _runtime.cudaResourceTypeMipmappedArray:
            raise _refusal(
                NotImplementedError, "absent",
                "ResourceDescriptor: textures have one resolution",
            )
        self._structure = structure = _structures().Resource(resType=restype)
        self.cuArr, self.arr, self.chDesc = cuArr, arr, chDesc
        if restype == _runtime.cudaResourceTypeArray:
            if not isinstance(cuArr, CUDAarray):
                raise _refusal(
                    TypeError, "type",
                    f"ResourceDescriptor: cuArr is a CUDAarray, not a {type(cuArr).__name__}",
                )
            structure.res.array = cuArr.ptr
            return
        if not isinstance(chDesc, ChannelFormatDescriptor):
            raise _refusal(
                TypeError, "type",
                "ResourceDescriptor: chDesc is a ChannelFormatDescriptor, not a "
                f"{type(chDesc).__name__}",
            )
        is_linear = restype == _runtime.cudaResourceTypeLinear
        part = structure.res.linear if is_linear else structure.res.pitch2D
        part.devPtr, part.desc = self._address_of(arr), chDesc._structure
        if is_linear:
            part.sizeInBytes = sizeInBytes
        else:
            part.width, part.height, part.pitchInBytes = width, height, pitchInBytes

    def _address_of(self, arr):
        if not isinstance(arr, _phalanx.ndarray):
            return _address(arr)
        # CPUs are refused first.
        _ordinal(_runtime.getDevice())
        self._memory = _whole(arr, _runtime.getDevice())
        if self._memory is None:
            raise _refusal(
                ValueError, "state", "ResourceDescriptor: arr is split over devices",
                "CUDAarray.copy_from gathers the elements; memory of phalanx.cuda.alloc is on one "
                "device",
            )
        return self._memory.ptr

    @_documented("dict", "The structure: the kind, and the fields of the resource.",
                 raises=_NOTHING)
    def get_resource_desc(self):
        """The resource as a dictionary with CUDA's names."""
        structure, form = self._structure, self.chDesc
        if structure.resType == _runtime.cudaResourceTypeArray:
            return {"resType": structure.resType, "array": {"array": structure.res.array}}
        is_linear = structure.resType == _runtime.cudaResourceTypeLinear
        name = "linear" if is_linear else "pitch2D"
        part = getattr(structure.res, name)
        fields = ["sizeInBytes"] if is_linear else ["width", "height", "pitchInBytes"]
        described = {"devPtr": part.devPtr, "desc": form.get_channel_format()}
        described.update((field, getattr(part, field)) for field in fields)
        return {"resType": structure.resType, name: described}


class TextureDescriptor(_Described):
    """How a texture is read.

    Parameters
    ----------
    addressModes : sequence of int, optional
        ``runtime.cudaAddressMode...`` of each axis, for coordinates outside.
    filterMode : int, optional
        ``runtime.cudaFilterMode...``.
    readMode : int, optional
        ``runtime.cudaReadMode...``.
    sRGB : int, optional
        Whether values are converted from sRGB.
    borderColors : sequence of float, optional
        The values outside with ``cudaAddressModeBorder``.
    normalizedCoords : int, optional
        Whether coordinates are from 0 to 1.
    maxAnisotropy : int, optional
        The most anisotropy.

    Raises
    ------
    ValueError
        There are more than three modes or four colours.
    """

    ptr = _Described.ptr

    def __init__(self, addressModes=None, filterMode=0, readMode=0, sRGB=None, borderColors=None,
                 normalizedCoords=None, maxAnisotropy=None):
        structure = _structures().Texture(
            filterMode=filterMode, readMode=readMode, sRGB=sRGB or 0,
            normalizedCoords=normalizedCoords or 0, maxAnisotropy=maxAnisotropy or 0,
        )
        for name, values, to in (
            ("addressModes", addressModes, structure.addressMode),
            ("borderColors", borderColors, structure.borderColor),
        ):
            values = tuple(values or ())
            if len(values) > len(to):
                raise _refusal(
                    ValueError, "count",
                    f"TextureDescriptor: {name} has at most {len(to)} values, not {len(values)}",
                )
            to[:len(values)] = values
        self._structure = structure

    @_documented("dict", "The fields.", raises=_NOTHING)
    def get_texture_desc(self):
        """The fields of the structure, with CUDA's names."""
        names = "filterMode readMode sRGB normalizedCoords maxAnisotropy".split()
        return {
            "addressMode": tuple(self._structure.addressMode),
            "borderColor": tuple(self._structure.borderColor),
            **{name: getattr(self._structure, name) for name in names},
        }


class TextureObject:
    """A texture, which kernels take as ``cudaTextureObject_t``.

    Parameters
    ----------
    ResDesc : ResourceDescriptor
        What is read.
    TexDesc : TextureDescriptor
        How it is read.
    """

    ptr = 0
    ResDesc = TexDesc = None

    def __init__(self, ResDesc, TexDesc):
        self.ResDesc, self.TexDesc = ResDesc, TexDesc
        self._context = _context()
        self.ptr = _runtime.createTextureObject(ResDesc.ptr, TexDesc.ptr)

    def __int__(self):
        return self.ptr

    def __del__(self):
        if self.ptr and _within is not None:
            _within(self._context, "cuTexObjectDestroy", self.ptr)


class SurfaceObject:
    """A surface, which kernels take as ``cudaSurfaceObject_t`` and write.

    Parameters
    ----------
    ResDesc : ResourceDescriptor
        An array of CUDA with the flag ``runtime.cudaArraySurfaceLoadStore``.
    """

    ptr = 0
    ResDesc = None

    def __init__(self, ResDesc):
        self.ResDesc = ResDesc
        self._context = _context()
        self.ptr = _runtime.createSurfaceObject(ResDesc.ptr)

    def __int__(self):
        return self.ptr

    def __del__(self):
        if self.ptr and _within is not None:
            _within(self._context, "cuSurfObjectDestroy", self.ptr)
