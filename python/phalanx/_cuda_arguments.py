"""CuPy's wrappers of arguments of kernels, and its linker: names of ``phalanx.cuda.function``."""

from ._cuda_documented import _DRIVER, documented as _documented
from ._cuda_driver_calls import context as _context, within as _within


class CPointer:
    """An address, as an argument of a kernel: 8 bytes.

    Parameters
    ----------
    p : int, optional
        The address.
    """

    def __init__(self, p=0):
        self._value = int(p)

    def _bytes_for_kernels(self):
        """The bytes that the kernel gets."""
        return (self._value & (2**64 - 1)).to_bytes(8, "little")


class CUIntMax(CPointer):
    """A ``uintmax_t``, as an argument of a kernel.

    Parameters
    ----------
    v : int
        The number.
    """

    def __init__(self, v):
        super().__init__(v)


class CIntptr(CPointer):
    """An ``intptr_t``, as an argument of a kernel.

    Parameters
    ----------
    v : int
        The number.
    """

    def __init__(self, v):
        super().__init__(v)


class CNumpyArray(CPointer):
    """The elements of an array of NumPy, as an argument of a kernel that takes them by value.

    Parameters
    ----------
    v : numpy.ndarray
        The array.
    """

    def __init__(self, v):
        self._array = v

    def _bytes_for_kernels(self):
        return self._array.tobytes()


class LinkState:
    """A linker: programs that are added and then linked to a cubin. It needs a GPU."""

    ptr = 0

    def __init__(self):
        from . import _cuda_driver as driver

        self._driver, self._context = driver, _context()
        self.ptr = driver.linkCreate()

    def __del__(self):
        if self.ptr and _within is not None:
            _within(self._context, "cuLinkDestroy", self.ptr)

    @_documented(raises=_DRIVER)
    def add_ptr_data(self, data, name):
        """Adds PTX."""
        self._driver.linkAddData(self.ptr, self._driver.CU_JIT_INPUT_PTX, data, name)

    @_documented(raises=_DRIVER)
    def add_ptr_file(self, path):
        """Adds a file of PTX or a library."""
        kind = (
            self._driver.CU_JIT_INPUT_LIBRARY if str(path).endswith(".a")
            else self._driver.CU_JIT_INPUT_PTX
        )
        self._driver.linkAddFile(self.ptr, kind, path)

    @_documented("bytes", "The cubin, for ``Module.load``.", raises=_DRIVER)
    def complete(self):
        """Links the programs that were added."""
        return self._driver.linkComplete(self.ptr)
