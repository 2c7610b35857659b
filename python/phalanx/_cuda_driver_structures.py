"""The structures of CUDA's runtime and of its driver. This module is imported when one is used."""

import ctypes
from ctypes import c_float, c_int, c_size_t, c_uint, c_uint64

from ._cuda_driver_calls import CUDARuntimeError, call


class ChannelFormat(ctypes.Structure):
    """``cudaChannelFormatDesc``: the bits of each channel, and their kind."""

    _fields_ = [(name, c_int) for name in "xyzwf"]


class Extent(ctypes.Structure):
    """``cudaExtent`` and ``cudaPos``."""

    _fields_ = [(name, c_size_t) for name in ("width", "height", "depth")]


class PitchedPointer(ctypes.Structure):
    """``cudaPitchedPtr``."""

    _fields_ = [("ptr", c_uint64)] + [(name, c_size_t) for name in ("pitch", "xsize", "ysize")]


class Copy3D(ctypes.Structure):
    """``cudaMemcpy3DParms``."""

    _fields_ = [
        ("srcArray", c_uint64), ("srcPos", Extent), ("srcPtr", PitchedPointer),
        ("dstArray", c_uint64), ("dstPos", Extent), ("dstPtr", PitchedPointer),
        ("extent", Extent), ("kind", c_int),
    ]


class _Linear(ctypes.Structure):
    _fields_ = [("devPtr", c_uint64), ("desc", ChannelFormat), ("sizeInBytes", c_size_t)]


class _Pitch2D(ctypes.Structure):
    _fields_ = [("devPtr", c_uint64), ("desc", ChannelFormat), ("width", c_size_t),
                ("height", c_size_t), ("pitchInBytes", c_size_t)]


class _Resource(ctypes.Union):
    _fields_ = [("array", c_uint64), ("linear", _Linear), ("pitch2D", _Pitch2D),
                ("reserved", c_int * 32)]


class Resource(ctypes.Structure):
    """``cudaResourceDesc``."""

    _fields_ = [("resType", c_int), ("res", _Resource), ("flags", c_uint)]


class Texture(ctypes.Structure):
    """``cudaTextureDesc``."""

    _fields_ = [
        ("addressMode", c_int * 3), ("filterMode", c_int), ("readMode", c_int), ("sRGB", c_int),
        ("borderColor", c_float * 4), ("normalizedCoords", c_int), ("maxAnisotropy", c_uint),
        ("mipmapFilterMode", c_int), ("mipmapLevelBias", c_float),
        ("minMipmapLevelClamp", c_float), ("maxMipmapLevelClamp", c_float),
        ("disableTrilinearOptimization", c_int), ("seamlessCubemap", c_int),
    ]


class _DriverLinear(ctypes.Structure):
    _fields_ = [("devPtr", c_uint64), ("format", c_uint), ("numChannels", c_uint),
                ("sizeInBytes", c_size_t)]


class _DriverPitch2D(ctypes.Structure):
    _fields_ = [("devPtr", c_uint64), ("format", c_uint), ("numChannels", c_uint),
                ("width", c_size_t), ("height", c_size_t), ("pitchInBytes", c_size_t)]


class _DriverAny(ctypes.Union):
    _fields_ = [("array", c_uint64), ("linear", _DriverLinear), ("pitch2D", _DriverPitch2D),
                ("reserved", c_int * 32)]


class DriverResource(ctypes.Structure):
    """``CUDA_RESOURCE_DESC``."""

    _fields_ = [("resType", c_int), ("res", _DriverAny), ("flags", c_uint)]


class DriverTexture(ctypes.Structure):
    """``CUDA_TEXTURE_DESC``."""

    _fields_ = [
        ("addressMode", c_int * 3), ("filterMode", c_int), ("flags", c_uint),
        ("maxAnisotropy", c_uint), ("mipmapFilterMode", c_int), ("mipmapLevelBias", c_float),
        ("minMipmapLevelClamp", c_float), ("maxMipmapLevelClamp", c_float),
        ("borderColor", c_float * 4), ("reserved", c_int * 12),
    ]


class ArrayForm(ctypes.Structure):
    """``CUDA_ARRAY3D_DESCRIPTOR``."""

    _fields_ = [("width", c_size_t), ("height", c_size_t), ("depth", c_size_t),
                ("format", c_uint), ("channels", c_uint), ("flags", c_uint)]


def _end(prefix, has_volume):
    fields = [(f"{prefix}X", c_size_t), (f"{prefix}Y", c_size_t)]
    fields += [(f"{prefix}Z", c_size_t), (f"{prefix}Level", c_size_t)] if has_volume else []
    fields += [(f"{prefix}Kind", c_uint), (f"{prefix}Host", c_uint64),
               (f"{prefix}Device", c_uint64), (f"{prefix}Array", c_uint64)]
    fields += [(f"{prefix}Reserved", c_uint64)] if has_volume else []
    fields += [(f"{prefix}Pitch", c_size_t)]
    return fields + ([(f"{prefix}Height", c_size_t)] if has_volume else [])


class DriverCopy2D(ctypes.Structure):
    """``CUDA_MEMCPY2D``."""

    _fields_ = _end("src", False) + _end("dst", False) + [("width", c_size_t), ("height", c_size_t)]


class DriverCopy3D(ctypes.Structure):
    """``CUDA_MEMCPY3D``."""

    _fields_ = _end("src", True) + _end("dst", True) + [
        ("width", c_size_t), ("height", c_size_t), ("depth", c_size_t)]


class Location(ctypes.Structure):
    """``CUmemLocation``."""

    _fields_ = [("kind", c_int), ("number", c_int)]


class PoolProperties(ctypes.Structure):
    """``CUmemPoolProps``."""

    _fields_ = [("allocation", c_int), ("handles", c_int), ("location", Location),
                ("security", c_uint64), ("most", c_size_t), ("usage", ctypes.c_ushort),
                ("reserved", ctypes.c_ubyte * 54)]


class Handle(ctypes.Structure):
    """``CUipcMemHandle`` and ``CUipcEventHandle``."""

    _fields_ = [("bytes", ctypes.c_ubyte * 64)]


# The driver's formats of the elements of arrays, by kind and bits, and the bytes of a channel.
_SIGNED, _UNSIGNED, _FLOAT = range(3)
_FORMATS = {
    (_UNSIGNED, 8): 0x01, (_UNSIGNED, 16): 0x02, (_UNSIGNED, 32): 0x03, (_SIGNED, 8): 0x08,
    (_SIGNED, 16): 0x09, (_SIGNED, 32): 0x0A, (_FLOAT, 16): 0x10, (_FLOAT, 32): 0x20,
}
_SIZES = {code: bits // 8 for (_, bits), code in _FORMATS.items()}


def format_of(channels):
    """The driver's format, and the number of channels."""
    bits = [one for one in (channels.x, channels.y, channels.z, channels.w) if one]
    code = _FORMATS.get((channels.f, bits[0] if bits else 0))
    if code is None or len(set(bits)) != 1:
        # cudaErrorInvalidChannelDescriptor
        raise CUDARuntimeError(20)
    return code, len(bits)


def array_form(width, height, depth, channels, flags):
    """The driver's description of an array of CUDA."""
    code, count = format_of(channels)
    return ArrayForm(width, height, depth, code, count, flags)


def _form_of(array):
    form = ArrayForm()
    call("cuArray3DGetDescriptor_v2", ctypes.byref(form), array)
    return form


def element_size(array):
    """The bytes of an element of an array of CUDA."""
    form = _form_of(array)
    return _SIZES.get(form.format, 1) * form.channels


_OF_ARRAY, _LOAD_STORE = 0, 0x02


def can_be_surface(resource):
    """Whether a resource is an array of CUDA for surfaces: the driver does not refuse others, whose
    elements a kernel cannot write."""
    return resource.resType == _OF_ARRAY and bool(_form_of(resource.res.array).flags & _LOAD_STORE)


def driver_resource(given):
    """The driver's description of a resource."""
    made = DriverResource(resType=given.resType, flags=given.flags)
    if given.resType in (0, 1):
        made.res.array = given.res.array
        return made
    name = "linear" if given.resType == 2 else "pitch2D"
    source, to = getattr(given.res, name), getattr(made.res, name)
    to.format, to.numChannels = format_of(source.desc)
    for field in ("devPtr", "sizeInBytes", "width", "height", "pitchInBytes"):
        if hasattr(source, field):
            setattr(to, field, getattr(source, field))
    return made


_READ_AS_INTEGER, _NORMALIZED, _SRGB, _NO_TRILINEAR, _SEAMLESS = 0x01, 0x02, 0x10, 0x20, 0x40


def driver_texture(given):
    """The driver's description of a texture."""
    flags = (
        (given.readMode == 0) * _READ_AS_INTEGER
        | bool(given.normalizedCoords) * _NORMALIZED
        | bool(given.sRGB) * _SRGB
        | bool(given.disableTrilinearOptimization) * _NO_TRILINEAR
        | bool(given.seamlessCubemap) * _SEAMLESS
    )
    return DriverTexture(
        addressMode=given.addressMode, filterMode=given.filterMode, flags=flags,
        maxAnisotropy=given.maxAnisotropy, mipmapFilterMode=given.mipmapFilterMode,
        mipmapLevelBias=given.mipmapLevelBias, minMipmapLevelClamp=given.minMipmapLevelClamp,
        maxMipmapLevelClamp=given.maxMipmapLevelClamp, borderColor=given.borderColor,
    )
