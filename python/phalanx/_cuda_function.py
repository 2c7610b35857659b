"""CuPy's Module and Function: programs in machine code, and their kernels."""

from . import _phalanx
from ._cuda_arguments import (
    CIntptr as CIntptr,
    CNumpyArray as CNumpyArray,
    CPointer as CPointer,
    CUIntMax as CUIntMax,
    LinkState as LinkState,
)
from ._phalanx import _refusal
from ._raw import RawKernel as _RawKernel
from ._raw import RawModule as _RawModule


class Function:
    """A kernel of a ``Module``; ``function(grid, block, args)`` launches it as ``RawKernel`` does."""

    module = None

    def __init__(self, module, name):
        self.module, self._kernel = module, module._raw.get_function(name)
        self._cooperative = _RawKernel.__new__(_RawKernel)
        self._cooperative._of(module._raw, name, per_shard=False, cooperative=True)

    @property
    def ptr(self):
        """The driver's handle."""
        return self._kernel._native.address()

    def __call__(self, grid, block, args, shared_mem=0, stream=None,
                 enable_cooperative_groups=False):
        kernel = self._cooperative if enable_cooperative_groups else self._kernel
        kernel(grid, block, args, shared_mem=shared_mem)

    def linear_launch(self, size, args, shared_mem=0, block_max_size=128, stream=None,
                      enable_cooperative_groups=False):
        """Launches at least ``size`` threads along the first axis.

        Parameters
        ----------
        size : int
            The number of threads.
        args : sequence
            The arguments; see ``RawKernel``.
        shared_mem : int, optional
            Bytes of shared memory beyond what the kernel declares.
        block_max_size : int, optional
            The most threads of a thread block.
        stream : optional
            Without effect: launches are in order with all other operations.
        enable_cooperative_groups : bool, optional
            Whether all thread blocks run at the same time.

        Returns
        -------
        None
            Nothing.

        Raises
        ------
        ValueError
            The GPU cannot launch this size, or the arguments do not fit the parameters.

        Notes
        -----
        Local. All ranks must make the same call.
        """
        threads = min(max(int(size), 1), block_max_size)
        blocks = min(max(-(-int(size) // threads), 1), 2**31 - 1)
        self(
            (blocks,), (threads,), args, shared_mem,
            enable_cooperative_groups=enable_cooperative_groups,
        )


class Module:
    """A program in machine code: a cubin, a fatbin or PTX."""

    mapping = None

    def __init__(self):
        self._loaded = None
        self.mapping = {}

    @property
    def _raw(self):
        if self._loaded is None:
            raise _refusal(RuntimeError, "state", "Module: load or load_file comes first")
        return self._loaded

    @property
    def ptr(self):
        """The driver's handle; 0 before a program is loaded."""
        return 0 if self._loaded is None else self._loaded._native.address()

    def load(self, cubin):
        """Loads a program from bytes.

        Parameters
        ----------
        cubin : bytes
            A cubin, a fatbin or PTX.

        Returns
        -------
        None
            Nothing.

        Raises
        ------
        ValueError
            A GPU cannot run the image.
        RuntimeError
            The session has no GPUs.

        Notes
        -----
        Local.
        """
        self._load(_RawModule(code=bytes(cubin)))

    def load_file(self, filename):
        """Loads a program from a file.

        Parameters
        ----------
        filename : str or path
            The file: a cubin, a fatbin or PTX.

        Returns
        -------
        None
            Nothing.

        Raises
        ------
        OSError
            The file cannot be read.
        ValueError
            A GPU cannot run the image.
        RuntimeError
            The session has no GPUs.

        Notes
        -----
        Local.
        """
        self._load(_RawModule(path=filename))

    def _load(self, raw):
        if not _phalanx._gpus():
            raise _refusal(
                RuntimeError, "state", "Module: programs are loaded on GPUs, and the session has none"
            )
        raw.compile()
        self._loaded = raw

    def get_function(self, name):
        """A kernel of the program.

        Parameters
        ----------
        name : str
            The name of the kernel.

        Returns
        -------
        Function
            The kernel.

        Raises
        ------
        RuntimeError
            No program is loaded.

        Notes
        -----
        Local.
        """
        return Function(self, self.mapping.get(name, name))

    def get_global_var(self, name):
        """The memory of a variable of the program.

        Parameters
        ----------
        name : str
            The name of the variable.

        Returns
        -------
        object
            The memory, with ``ptr``, ``size()``, ``memset`` and copies to and from the host.

        Raises
        ------
        RuntimeError
            No program is loaded.
        ValueError
            There is no such variable.

        Notes
        -----
        Local. Copies are Collective.
        """
        return self._raw.get_global(self.mapping.get(name, name))
