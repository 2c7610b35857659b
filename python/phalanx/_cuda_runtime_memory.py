"""Memory, copies, pools of the driver, textures and memory of other processes: names of
``phalanx.cuda.runtime``. See there for the order of the calls and the work of arrays."""

from . import _phalanx
from ._cuda_documented import _COLLECTIVE, _ORDERED, documented as _documented
from ._cuda_driver_calls import (
    CUDARuntimeError as _CUDARuntimeError,
    Ordered as _Ordered,
    address as _address,
    call as _call,
    context as _context,
    has as _has,
    number as _number,
    ordinal as _ordinal,
    settle as _settle,
    tried as _tried,
)

_OUT_OF_MEMORY, _INVALID_DIRECTION = 2, 21
_HOST, _DEVICE, _ARRAY = 1, 2, 3


def _allocated(name, *arguments):
    """The address of new memory. The memory that the session caches is freed if there is no
    other."""
    status, results = _tried(name, *arguments)
    if status == _OUT_OF_MEMORY:
        _phalanx._release_cached()
        status, results = _tried(name, *arguments)
    if status:
        raise _CUDARuntimeError(status)
    return results[0]


@_documented("int", "The address; 0 for no bytes.")
def malloc(size):
    """Allocates memory on the current device."""
    return _allocated("cuMemAlloc_v2", size) if size or _context() is None else 0


@_documented("int", "The address.")
def mallocManaged(size, flags=1):
    """Allocates memory that the host and all devices address. The host must not use it while work
    on a device does."""
    return _allocated("cuMemAllocManaged", size, flags)


@_documented("int", "The address; 0 for no bytes.", _ORDERED)
def mallocAsync(size, stream):
    """Allocates memory of the current pool of the driver, in the order of a stream."""
    with _Ordered(stream) as handle:
        return _allocated("cuMemAllocAsync", size, handle) if size else 0


@_documented("int", "The address; 0 for no bytes.", _ORDERED)
def mallocFromPoolAsync(size, pool, stream):
    """Allocates memory of a pool of the driver, in the order of a stream."""
    with _Ordered(stream) as handle:
        return _allocated("cuMemAllocFromPoolAsync", size, _address(pool), handle) if size else 0


@_documented(notes=_COLLECTIVE)
def free(ptr):
    """Frees memory of ``malloc``, ``mallocManaged`` or ``mallocAsync``."""
    _settle()
    if _address(ptr):
        _call("cuMemFree_v2", _address(ptr))


@_documented(notes=_ORDERED)
def freeAsync(ptr, stream):
    """Frees memory of ``mallocAsync`` in the order of a stream."""
    with _Ordered(stream) as handle:
        if _address(ptr):
            _call("cuMemFreeAsync", _address(ptr), handle)


@_documented("int", "The address; 0 for no bytes.")
def hostAlloc(size, flags):
    """Allocates pinned memory on the host, which devices access directly."""
    return _allocated("cuMemHostAlloc", size, flags) if size or _context() is None else 0


@_documented(notes=_COLLECTIVE)
def freeHost(ptr):
    """Frees memory of ``hostAlloc``."""
    _settle()
    if _address(ptr):
        _call("cuMemFreeHost", _address(ptr))


@_documented()
def hostRegister(ptr, size, flags):
    """Pins memory of the host that is allocated already."""
    _call("cuMemHostRegister_v2", _address(ptr), size, flags)


@_documented(notes=_COLLECTIVE)
def hostUnregister(ptr):
    """Ends ``hostRegister``."""
    _settle()
    _call("cuMemHostUnregister", _address(ptr))


def _new_array(descPtr, width, height, depth, flags):
    import ctypes

    from . import _cuda_driver_structures as structures

    channels = structures.ChannelFormat.from_address(_address(descPtr))
    form = structures.array_form(width, height, depth, channels, flags)
    return _allocated("cuArray3DCreate_v2", ctypes.byref(form))


@_documented("int", "The handle of the array of CUDA.", height=(
    "int", "The extent of the second axis; 0 for an array of one axis."))
def mallocArray(descPtr, width, height, flags=0):
    """Allocates an array of CUDA with one or two axes, for textures and surfaces."""
    return _new_array(descPtr, width, height, 0, flags)


@_documented("int", "The handle of the array of CUDA.")
def malloc3DArray(descPtr, width, height, depth, flags=0):
    """Allocates an array of CUDA with up to three axes, for textures and surfaces."""
    return _new_array(descPtr, width, height, depth, flags)


@_documented(notes=_COLLECTIVE)
def freeArray(ptr):
    """Frees an array of CUDA."""
    _settle()
    if _address(ptr):
        _call("cuArrayDestroy", _address(ptr))


def _finish():
    """Waits for a copy: the driver may return before the device has written its memory, and streams
    of the session do not wait for CUDA's default stream."""
    _call("cuStreamSynchronize", 0)


def _check_kind(kind):
    if kind not in range(5):
        raise _CUDARuntimeError(_INVALID_DIRECTION)


@_documented(notes=_COLLECTIVE)
def memcpy(dst, src, size, kind):
    """Copies bytes, and waits until they are copied."""
    _settle()
    _check_kind(kind)
    if size:
        _call("cuMemcpy", _address(dst), _address(src), size)
        _finish()


@_documented(notes=_ORDERED)
def memcpyAsync(dst, src, size, kind, stream):
    """Copies bytes in the order of a stream."""
    _check_kind(kind)
    with _Ordered(stream) as handle:
        if size:
            _call("cuMemcpyAsync", _address(dst), _address(src), size, handle)


@_documented(notes=_COLLECTIVE)
def memcpyPeer(dst, dstDevice, src, srcDevice, size):
    """Copies bytes between devices, and waits until they are copied."""
    _settle()
    _call("cuMemcpyPeer", _address(dst), _context(dstDevice), _address(src), _context(srcDevice),
          size)
    _finish()


@_documented(notes=_ORDERED)
def memcpyPeerAsync(dst, dstDevice, src, srcDevice, size, stream):
    """Copies bytes between devices in the order of a stream."""
    with _Ordered(stream) as handle:
        _call("cuMemcpyPeerAsync", _address(dst), _context(dstDevice), _address(src),
              _context(srcDevice), size, handle)


def _kinds(kind, dst, src):
    """The kinds of memory of the destination and of the source of a copy."""
    _check_kind(kind)
    if kind == 4:
        on_device = [pointerGetMemoryType(one) in (2, 3) if one else True for one in (dst, src)]
        return [_DEVICE if one else _HOST for one in on_device]
    return _DEVICE if kind in (1, 3) else _HOST, _DEVICE if kind in (2, 3) else _HOST


def _set_end(copy, prefix, kind, address, pitch):
    """Sets the memory of one end of a copy of rows."""
    setattr(copy, f"{prefix}Kind", kind)
    setattr(copy, prefix + ("Host" if kind == _HOST else "Device"), address)
    setattr(copy, f"{prefix}Pitch", pitch)


def _copy_rows(copy, stream=None):
    """Copies rows as a structure of the driver states."""
    import ctypes

    if stream is None:
        _call("cuMemcpy2DUnaligned_v2", ctypes.byref(copy))
        _finish()
    else:
        _call("cuMemcpy2DAsync_v2", ctypes.byref(copy), stream)


def _rows(dst, dpitch, src, spitch, width, height, kind):
    from . import _cuda_driver_structures as structures

    copy = structures.DriverCopy2D(width=width, height=height)
    dst, src = _address(dst), _address(src)
    to, start = _kinds(kind, dst, src)
    _set_end(copy, "dst", to, dst, dpitch)
    _set_end(copy, "src", start, src, spitch)
    return copy


def _rows_from_array(dst, dpitch, src, wOffset, hOffset, width, height, kind):
    copy = _rows(dst, dpitch, 0, 0, width, height, kind)
    copy.srcKind, copy.srcArray, copy.srcX, copy.srcY = _ARRAY, _address(src), wOffset, hOffset
    return copy


def _rows_to_array(dst, wOffset, hOffset, src, spitch, width, height, kind):
    copy = _rows(0, 0, src, spitch, width, height, kind)
    copy.dstKind, copy.dstArray, copy.dstX, copy.dstY = _ARRAY, _address(dst), wOffset, hOffset
    return copy


@_documented(notes=_COLLECTIVE)
def memcpy2D(dst, dpitch, src, spitch, width, height, kind):
    """Copies rows, and waits until they are copied."""
    _settle()
    _copy_rows(_rows(dst, dpitch, src, spitch, width, height, kind))


@_documented(notes=_ORDERED)
def memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, stream):
    """Copies rows in the order of a stream."""
    copy = _rows(dst, dpitch, src, spitch, width, height, kind)
    with _Ordered(stream) as handle:
        _copy_rows(copy, handle)


@_documented(notes=_COLLECTIVE)
def memcpy2DFromArray(dst, dpitch, src, wOffset, hOffset, width, height, kind):
    """Copies rows from an array of CUDA, and waits until they are copied."""
    _settle()
    _copy_rows(_rows_from_array(dst, dpitch, src, wOffset, hOffset, width, height, kind))


@_documented(notes=_ORDERED)
def memcpy2DFromArrayAsync(dst, dpitch, src, wOffset, hOffset, width, height, kind, stream):
    """Copies rows from an array of CUDA in the order of a stream."""
    copy = _rows_from_array(dst, dpitch, src, wOffset, hOffset, width, height, kind)
    with _Ordered(stream) as handle:
        _copy_rows(copy, handle)


@_documented(notes=_COLLECTIVE)
def memcpy2DToArray(dst, wOffset, hOffset, src, spitch, width, height, kind):
    """Copies rows to an array of CUDA, and waits until they are copied."""
    _settle()
    _copy_rows(_rows_to_array(dst, wOffset, hOffset, src, spitch, width, height, kind))


@_documented(notes=_ORDERED)
def memcpy2DToArrayAsync(dst, wOffset, hOffset, src, spitch, width, height, kind, stream):
    """Copies rows to an array of CUDA in the order of a stream."""
    copy = _rows_to_array(dst, wOffset, hOffset, src, spitch, width, height, kind)
    with _Ordered(stream) as handle:
        _copy_rows(copy, handle)


def _volume(pointer):
    """The driver's structure of a copy of three axes."""
    from . import _cuda_driver_structures as structures

    given = structures.Copy3D.from_address(_address(pointer))
    copy = structures.DriverCopy3D(height=given.extent.height, depth=given.extent.depth)
    kinds = _kinds(given.kind, given.dstPtr.ptr, given.srcPtr.ptr)
    item = 1
    for prefix, kind in zip(("dst", "src"), kinds):
        array = getattr(given, f"{prefix}Array")
        place, memory = getattr(given, f"{prefix}Pos"), getattr(given, f"{prefix}Ptr")
        x = place.width
        if array:
            # The extent and the place are counted in elements of the array.
            item = structures.element_size(array)
            x *= item
            setattr(copy, f"{prefix}Kind", _ARRAY)
            setattr(copy, f"{prefix}Array", array)
        else:
            _set_end(copy, prefix, kind, memory.ptr, memory.pitch)
            setattr(copy, f"{prefix}Height", memory.ysize)
        for letter, value in zip("XYZ", (x, place.height, place.depth)):
            setattr(copy, prefix + letter, value)
    copy.width = given.extent.width * item
    return copy


@_documented(notes=_COLLECTIVE)
def memcpy3D(Memcpy3DParmsPtr):
    """Copies a block of three axes, and waits until it is copied."""
    import ctypes

    _settle()
    _call("cuMemcpy3D_v2", ctypes.byref(_volume(Memcpy3DParmsPtr)))
    _finish()


@_documented(notes=_ORDERED)
def memcpy3DAsync(Memcpy3DParmsPtr, stream):
    """Copies a block of three axes in the order of a stream."""
    import ctypes

    with _Ordered(stream) as handle:
        _call("cuMemcpy3DAsync_v2", ctypes.byref(_volume(Memcpy3DParmsPtr)), handle)


_BYTE = ("int", "The value of each byte.")


@_documented(notes=_COLLECTIVE, value=_BYTE)
def memset(ptr, value, size):
    """Sets bytes, and waits until they are set."""
    _settle()
    if size:
        _call("cuMemsetD8_v2", _address(ptr), value & 255, size)
        _finish()


@_documented(notes=_ORDERED, value=_BYTE)
def memsetAsync(ptr, value, size, stream):
    """Sets bytes in the order of a stream."""
    with _Ordered(stream) as handle:
        if size:
            _call("cuMemsetD8Async", _address(ptr), value & 255, size, handle)


_PLACE = ("int", "The number of the device; ``cudaCpuDeviceId`` for the host.")


def _location(device):
    """The place of managed memory: CUDA's number of a device, and the driver's structure."""
    from . import _cuda_driver_structures as structures

    if device < 0:
        return -1, structures.Location(2, 0)
    return _ordinal(device), structures.Location(1, _ordinal(device))


@_documented(notes=_ORDERED, dstDevice=_PLACE)
def memPrefetchAsync(devPtr, count, dstDevice, stream):
    """Moves managed memory to a device or to the host, in the order of a stream."""
    _context()
    of, location = _location(dstDevice)
    with _Ordered(stream) as handle:
        if _has("cuMemPrefetchAsync_v2"):
            _call("cuMemPrefetchAsync_v2", _address(devPtr), count, location, 0, handle)
        else:
            _call("cuMemPrefetchAsync", _address(devPtr), count, of, handle)


@_documented(device=_PLACE)
def memAdvise(devPtr, count, advice, device):
    """Advises the driver about the use of managed memory."""
    _context()
    of, location = _location(device)
    if _has("cuMemAdvise_v2"):
        _call("cuMemAdvise_v2", _address(devPtr), count, advice, location)
    else:
        _call("cuMemAdvise", _address(devPtr), count, advice, of)


class PointerAttributes:
    """What CUDA knows about an address: the number of its device, its addresses for the device and
    for the host, and its kind, ``memoryType...``."""

    def __init__(self, device, devicePointer, hostPointer, type=-1):
        self.device, self.type = device, type
        self.devicePointer, self.hostPointer = devicePointer, hostPointer


# The driver's numbers of the attributes of an address.
_MEMORY_TYPE, _DEVICE_POINTER, _HOST_POINTER, _IS_MANAGED, _ORDINAL = 2, 3, 4, 8, 9
_INVALID_VALUE = 1


def _attribute_of(address, attribute):
    """An attribute of an address; None if it has none."""
    import ctypes

    # The driver writes as many bytes as the attribute has, at most 8.
    value = ctypes.c_uint64()
    status, _ = _tried("cuPointerGetAttribute", ctypes.byref(value), attribute, address)
    if status not in (0, _INVALID_VALUE):
        raise _CUDARuntimeError(status)
    return None if status else value.value


@_documented("PointerAttributes", "The attributes. Memory that CUDA does not know is of the kind "
             "``memoryTypeUnregistered``, on the device ``cudaInvalidDeviceId``.")
def pointerGetAttributes(ptr):
    """What CUDA knows about an address."""
    ptr = _address(ptr)
    kind = pointerGetMemoryType(ptr)
    if kind == 0:
        return PointerAttributes(-2, 0, ptr, 0)
    ordinal = _attribute_of(ptr, _ORDINAL)
    return PointerAttributes(
        -2 if ordinal is None else _number(ordinal),
        _attribute_of(ptr, _DEVICE_POINTER) or 0,
        _attribute_of(ptr, _HOST_POINTER) or 0,
        kind,
    )


@_documented("int", "The kind, ``memoryType...``.")
def pointerGetMemoryType(ptr):
    """The kind of memory at an address."""
    ptr = _address(ptr)
    kind = _attribute_of(ptr, _MEMORY_TYPE) or 0
    return 3 if kind and _attribute_of(ptr, _IS_MANAGED) else kind


class MemPoolProps:
    """The properties of a pool of the driver: the kind of its memory, how other processes get it,
    and its place."""

    def __init__(self, allocType, handleType, locationType, devId):
        self.allocType, self.handleType = allocType, handleType
        self.locationType, self.devId = locationType, devId


_OF_POOL = ("int", "The pool.")


@_documented(*_OF_POOL)
def deviceGetDefaultMemPool(device):
    """The first pool of the driver on a device."""
    return _call("cuDeviceGetDefaultMemPool", _ordinal(device), device=device)


@_documented(*_OF_POOL)
def deviceGetMemPool(device):
    """The pool of the driver that ``mallocAsync`` uses on a device."""
    return _call("cuDeviceGetMemPool", _ordinal(device), device=device)


@_documented()
def deviceSetMemPool(device, pool):
    """Chooses the pool of the driver that ``mallocAsync`` uses on a device."""
    _call("cuDeviceSetMemPool", _ordinal(device), _address(pool), device=device)


@_documented(*_OF_POOL)
def memPoolCreate(props):
    """Makes a pool of the driver."""
    import ctypes

    from . import _cuda_driver_structures as structures

    _context()
    of = _ordinal(props.devId) if props.locationType == 1 else props.devId
    made = structures.PoolProperties(
        allocation=props.allocType, handles=props.handleType,
        location=structures.Location(props.locationType, of),
    )
    return _call("cuMemPoolCreate", ctypes.byref(made))


@_documented(notes=_COLLECTIVE)
def memPoolDestroy(pool):
    """Frees a pool of the driver once all its memory is freed."""
    _settle()
    _call("cuMemPoolDestroy", _address(pool))


@_documented(size=("int", "The number of bytes that the pool may keep."))
def memPoolTrimTo(pool, size):
    """Frees memory that a pool of the driver caches."""
    _call("cuMemPoolTrimTo", _address(pool), size)


def _pool_value(attr, value=0):
    import ctypes

    # The first three attributes are switches, the others numbers of bytes.
    return ctypes.c_int(value) if attr <= 3 else ctypes.c_uint64(value)


@_documented("int", "The value.")
def memPoolGetAttribute(pool, attr):
    """An attribute of a pool of the driver."""
    import ctypes

    value = _pool_value(attr)
    _call("cuMemPoolGetAttribute", _address(pool), attr, ctypes.byref(value))
    return value.value


@_documented()
def memPoolSetAttribute(pool, attr, value):
    """Sets an attribute of a pool of the driver."""
    import ctypes

    _call("cuMemPoolSetAttribute", _address(pool), attr, ctypes.byref(_pool_value(attr, value)))


def _handle_of(name, source):
    """The handle by which another process opens memory or an event, as bytes."""
    import ctypes

    from . import _cuda_driver_structures as structures

    handle = structures.Handle()
    _call(name, ctypes.byref(handle), _address(source))
    return bytes(handle.bytes)


def _handle_from(handle):
    """The structure of a handle of another process."""
    from . import _cuda_driver_structures as structures

    handle = bytes(handle)
    if len(handle) != 64:
        raise _CUDARuntimeError(_INVALID_VALUE)
    return structures.Handle.from_buffer_copy(handle)


@_documented("bytes", "The handle, of 64 bytes, for ``ipcOpenMemHandle`` in the other process.",
             _COLLECTIVE)
def ipcGetMemHandle(devPtr):
    """The handle by which another process on this machine opens memory of ``malloc``. The handle
    stands for the whole allocation that the address is in."""
    _settle()
    return _handle_of("cuIpcGetMemHandle", devPtr)


@_documented("int", "The address of the allocation in this process.")
def ipcOpenMemHandle(handle, flags=1):
    """Opens memory of another process. The other process must not free it before
    ``ipcCloseMemHandle``."""
    _context()
    return _call("cuIpcOpenMemHandle_v2", _handle_from(handle), flags)


@_documented(notes=_COLLECTIVE)
def ipcCloseMemHandle(devPtr):
    """Closes memory of another process."""
    _settle()
    _call("cuIpcCloseMemHandle", _address(devPtr))


@_documented("int", "The texture, which kernels take as ``cudaTextureObject_t``.")
def createTextureObject(ResDescPtr, TexDescPtr):
    """Makes a texture of a resource."""
    import ctypes

    from . import _cuda_driver_structures as structures

    _context()
    resource = structures.driver_resource(structures.Resource.from_address(_address(ResDescPtr)))
    texture = structures.driver_texture(structures.Texture.from_address(_address(TexDescPtr)))
    return _call("cuTexObjectCreate", ctypes.byref(resource), ctypes.byref(texture), None)


@_documented(notes=_COLLECTIVE)
def destroyTextureObject(texObject):
    """Frees a texture; its resource stays."""
    _settle()
    _call("cuTexObjectDestroy", _address(texObject))


@_documented("int", "The surface, which kernels take as ``cudaSurfaceObject_t``.")
def createSurfaceObject(ResDescPtr):
    """Makes a surface of an array of CUDA with the flag ``cudaArraySurfaceLoadStore``."""
    import ctypes

    from . import _cuda_driver_structures as structures

    _context()
    resource = structures.driver_resource(structures.Resource.from_address(_address(ResDescPtr)))
    if not structures.can_be_surface(resource):
        raise _CUDARuntimeError(_INVALID_VALUE)
    return _call("cuSurfObjectCreate", ctypes.byref(resource))


@_documented(notes=_COLLECTIVE)
def destroySurfaceObject(surfObject):
    """Frees a surface; its array of CUDA stays."""
    _settle()
    _call("cuSurfObjectDestroy", _address(surfObject))
