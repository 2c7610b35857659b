"""Kernels in CUDA C++: CuPy's ``RawKernel`` and ``RawModule``."""

import os as _os

from . import _phalanx
from ._phalanx import _refusal


class CompileException(RuntimeError):
    """The compiler refused a text. The message has the compiler's messages, with the lines of the
    text to which they refer."""

    def get_message(self):
        """The message.

        Returns
        -------
        str
            The message.

        Raises
        ------
        None
            Nothing is raised.

        Notes
        -----
        Local.
        """
        return str(self)

    def dump(self, f):
        """Writes the message to a file.

        Parameters
        ----------
        f : file
            The file, which is open for writing.

        Returns
        -------
        None
            Nothing.

        Raises
        ------
        OSError
            The file cannot be written.

        Notes
        -----
        Local.
        """
        f.write(str(self) + "\n")


def _of_compiler(error):
    """An error of a native call; a refusal by the compiler as a ``CompileException``."""
    if getattr(error, "code", None) != _COMPILE:
        return error
    refused = CompileException(str(error))
    refused.code = _COMPILE
    return refused


def _compiling(act):
    """Calls a function that may compile."""
    try:
        return act()
    except RuntimeError as error:
        raise _of_compiler(error) from None


# The code of an error of the compiler.
_COMPILE = "PX054"


def _bytes_of(value):
    """The bytes of an argument that is passed by value."""
    if type(value).__module__ == "numpy":
        return _bytes_of_numpy(value)
    interface = getattr(value, "__cuda_array_interface__", None)
    if isinstance(interface, dict) and interface.get("data"):
        return _address(interface["data"][0] or 0, value)
    if hasattr(value, "_b_needsfree_"):
        # An array of ctypes.
        return bytes(value)
    if hasattr(value, "_bytes_for_kernels"):
        return value._bytes_for_kernels()
    pointer = getattr(value, "ptr", None)
    if isinstance(pointer, int):
        return _address(pointer, value)
    raise _refusal(
        TypeError, "type",
        f"a kernel cannot take a {type(value).__module__}.{type(value).__name__}: its arguments are "
        "arrays, numbers, elements of NumPy, structures of ctypes, bytes and pointers",
    )


def _address(pointer, owner):
    """The bytes of an address, whose owner is kept until the launch has run. Those of other
    processes are others, so their calls would differ."""
    if _phalanx.size() > 1:
        raise _refusal(
            TypeError, "type",
            "a kernel takes addresses in a program of one process only: pass an array",
        )
    from ._cuda_driver_calls import kept

    if _phalanx._gpus():
        kept.add(owner)
    return pointer.to_bytes(8, "little")


def _bytes_of_numpy(value):
    """The bytes of a structure: an array of one record."""
    if value.dtype.fields is not None and not value.dtype.hasobject and value.size == 1:
        return value.tobytes()
    raise _refusal(
        TypeError, "type",
        "a kernel cannot take a numpy.ndarray, which is in the host's memory: pass "
        "phalanx.asarray(a)",
    )


def _check_name(name):
    if not isinstance(name, str):
        raise _refusal(
            TypeError, "type", f"the name of a kernel is a text, not a {type(name).__name__}"
        )


def _refuse_backend(name, backend):
    if backend not in ("nvrtc", "nvcc"):
        raise _refusal(
            ValueError, "choice", f"{name}(): backend is 'nvrtc' or 'nvcc', not {backend!r}"
        )


def _texts(name, values):
    """A tuple of texts."""
    if not isinstance(values, (str, tuple, list, type(None))):
        raise _refusal(TypeError, "type", f"{name} is a tuple, not a {type(values).__name__}")
    values = (values,) if isinstance(values, str) else tuple(values or ())
    for value in values:
        if not isinstance(value, str):
            raise _refusal(
                TypeError, "type", f"{name} holds texts, not a {type(value).__name__}"
            )
    return values


class RawModule:
    """A program in CUDA C++ or in machine code, with kernels and variables.

    ``code`` is a text, ``path`` a file: a text (``.cu``), a cubin, a fatbin or PTX.
    ``options`` are those of the compiler. ``name_expressions`` name instances of templates, such as
    ``"scale<float>"``. The program is compiled when it is first used, kept on disk, and stays loaded
    for the life of the process; see docs/kernels.md.

    ``backend="nvcc"`` calls the compiler of the CUDA toolkit. With ``-dc`` or ``-rdc=true`` among
    the options the program is linked with CUDA's runtime of the device, where the toolkit is
    installed, so that kernels launch kernels; by NVRTC it is linked for the current GPU. With
    ``enable_cooperative_groups=True``, all thread blocks of a launch run at the same time.
    ``translate_cucomplex`` and ``jitify`` change nothing: the headers of CUDA are found where they
    are installed.

    Parameters
    ----------
    code : str, optional
        The text.
    path : str, optional
        The file.
    options : tuple of str, optional
        Options of the compiler.
    backend : str, optional
        ``"nvrtc"`` or ``"nvcc"``.
    translate_cucomplex, jitify : bool, optional
        Without effect.
    enable_cooperative_groups : bool, optional
        Whether all thread blocks of a launch run at the same time.
    name_expressions : sequence of str, optional
        Expressions that name instances of templates.

    Raises
    ------
    TypeError
        For neither or both of ``code`` and ``path``.
    ValueError
        For another backend.

    Notes
    -----
    Local.

    Examples
    --------
    >>> module = np.RawModule(code='''
    ... extern "C" __global__ void double_all(float* x, int n) {
    ...     int i = blockIdx.x * blockDim.x + threadIdx.x;
    ...     if (i < n) x[i] *= 2;
    ... }''')
    >>> double_all = module.get_function("double_all")
    """

    def __init__(self, code=None, path=None, options=(), backend="nvrtc",
                 translate_cucomplex=False, enable_cooperative_groups=False,
                 name_expressions=None, jitify=False):
        if code is not None and not isinstance(code, (str, bytes, bytearray, memoryview)):
            raise _refusal(
                TypeError, "type", f"RawModule(): code is a text, not a {type(code).__name__}"
            )
        if (code is None) == (path is None):
            raise _refusal(TypeError, "together", "RawModule(): give code or path, and not both")
        _refuse_backend("RawModule", backend)
        self.code, self.file_path, self.backend = code, path, backend
        self.options = _texts("RawModule(): options", options)
        self.name_expressions = _texts("RawModule(): name_expressions", name_expressions)
        self.enable_cooperative_groups = bool(enable_cooperative_groups)
        if backend == "nvcc" and self.name_expressions:
            raise _refusal(
                ValueError, "together", "RawModule(): name_expressions need backend='nvrtc'"
            )
        self._made, self._names = None, {}

    @property
    def _native(self):
        if self._made is None:
            self._made = self._make()
        return self._made

    def _make(self):
        code = self.code
        if isinstance(code, (bytearray, memoryview)):
            code = bytes(code)
        if self.file_path is not None:
            with open(self.file_path, "rb") as file:
                code = file.read()
            if _os.fspath(self.file_path).endswith((".cu", ".cuh", ".cpp")):
                code = code.decode()
        if isinstance(code, str):
            from . import _cuda_compiler as compiler

            if self.backend == "nvcc":
                code = compiler._image_by_nvcc(code, self.options)
            elif compiler._is_relocatable(self.options):
                code, self._names = compiler._linked_by_nvrtc(
                    code, self.options, self.name_expressions
                )
        return _phalanx._RawModule(code, list(self.options), list(self.name_expressions))

    def _symbol(self, name):
        """The name in machine code of a kernel or variable of a program that was linked."""
        self._native
        return self._names.get(name, name)

    @property
    def module(self):
        """The loaded program."""
        self.compile()
        return self

    def compile(self, log_stream=None):
        """Compiles and loads the program; without GPUs, only compiles it.

        Parameters
        ----------
        log_stream : file, optional
            A file that gets the messages of the compiler if it refuses the text.

        Returns
        -------
        None
            Nothing.

        Raises
        ------
        CompileException
            The compiler refuses the text.

        Notes
        -----
        Local.
        """
        try:
            if _phalanx._gpus():
                _compiling(self._native.load)
            else:
                _compiling(lambda: self._native.compile_for(_WITHOUT_GPU))
        except CompileException as error:
            if log_stream is not None:
                error.dump(log_stream)
            raise

    def get_function(self, name, per_shard=False):
        """A kernel of the program.

        Parameters
        ----------
        name : str
            The name of the kernel, or one of ``name_expressions``.
        per_shard : bool, optional
            Whether launches run on each device, with its blocks of the arrays.

        Returns
        -------
        RawKernel
            The kernel.

        Raises
        ------
        TypeError
            The name is no text.

        Notes
        -----
        Local.
        """
        kernel = RawKernel.__new__(RawKernel)
        kernel._of(self, name, per_shard)
        return kernel

    def get_global(self, name):
        """The memory of a variable of the program.

        Parameters
        ----------
        name : str
            The name of the variable, or one of ``name_expressions``.

        Returns
        -------
        cuda.MemoryPointer
            The memory. On several GPUs, writes go to the variable on each of them, and reads are
            those of the first.

        Raises
        ------
        ValueError
            If there is no such variable.

        Notes
        -----
        Local. Copies are Collective: recorded operations run before.
        """
        from ._cuda_memory_classes import _Variable

        if not _phalanx._gpus():
            raise _refusal(
                ValueError, "state", "get_global(): variables are on GPUs, and the session has none"
            )
        addresses, size = _compiling(lambda: self._native.variable(self._symbol(name)))
        return _Variable(self, addresses, size)


# The compute capability for which texts are compiled without a GPU.
_WITHOUT_GPU = 80


def _attribute(name, text, can_be_set=False):
    """A property that reads an attribute of a kernel, which loads it."""

    def read(kernel):
        return _compiling(lambda: kernel._native.attribute(name))

    def write(kernel, value):
        _compiling(lambda: kernel._native.set_attribute(name, int(value)))

    return property(read, write if can_be_set else None, doc=text)


class RawKernel:
    """A kernel in CUDA C++.

    ``kernel(grid, block, args, shared_mem=0)`` launches it: with the numbers of thread blocks and of
    threads of a thread block, and its arguments. An array is passed as the address of its first
    element, all others by value: Python's numbers as 8 bytes (``complex`` as 16, ``bool`` as 1),
    elements of NumPy, structures of ctypes and records of NumPy as their bytes.

    By default the kernel runs on one device, which gets whole arrays, so the results are those of
    one GPU. With ``per_shard=True``, it runs on each device with its blocks of the arrays. Parameters
    that are pointers to ``const`` are only read; through all others the kernel may write. The launch
    is recorded like any operation, and runs in order with the others; see docs/kernels.md.

    Parameters
    ----------
    code : str
        The text.
    name : str
        The name of the kernel.
    options : tuple of str, optional
        Options of the compiler.
    backend : str, optional
        ``"nvrtc"`` or ``"nvcc"``.
    translate_cucomplex, jitify : bool, optional
        Without effect.
    enable_cooperative_groups : bool, optional
        Whether all thread blocks run at the same time.
    per_shard : bool, optional
        Whether launches run on each device, with its blocks of the arrays.

    Raises
    ------
    ValueError
        For another backend.

    Notes
    -----
    Local. Calls record; all ranks must record the same.

    Examples
    --------
    >>> add = np.RawKernel('''
    ... extern "C" __global__ void add(const float* x, const float* y, float* z) {
    ...     int i = blockIdx.x * blockDim.x + threadIdx.x;
    ...     z[i] = x[i] + y[i];
    ... }''', "add")
    >>> add.name
    'add'
    """

    def __init__(self, code, name, options=(), backend="nvrtc", translate_cucomplex=False,
                 enable_cooperative_groups=False, jitify=False, per_shard=False):
        _check_name(name)
        module = RawModule(
            code=code, options=options, backend=backend,
            enable_cooperative_groups=enable_cooperative_groups,
            name_expressions=[name] if "<" in name and backend == "nvrtc" else None,
        )
        self._of(module, name, per_shard)

    def _of(self, module, name, per_shard, cooperative=False):
        _check_name(name)
        self._module, self.name, self.per_shard = module, name, bool(per_shard)
        self._cooperative = cooperative or module.enable_cooperative_groups
        self.__name__ = name
        self._made = None

    @property
    def _native(self):
        if self._made is None:
            symbol = self._module._symbol(self.name)
            self._made = self._module._native.kernel(symbol, self.per_shard, self._cooperative)
        return self._made

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        """Launches the kernel.

        Parameters
        ----------
        grid, block : tuple of int
            The numbers of thread blocks, and of threads of a thread block, along one to three axes.
        args : sequence
            The arguments.
        shared_mem : int, optional
            Bytes of shared memory beyond what the kernel declares.
        stream : optional
            Without effect: launches are in order with all other operations.

        Raises
        ------
        CompileException
            If the compiler refuses the text.
        ValueError
            For a size that the GPU cannot launch, arguments that do not fit the parameters, and a
            session without GPUs.
        TypeError
            For an argument that a kernel cannot take, such as an array of NumPy.

        Notes
        -----
        Local. All ranks must make the same call.
        """
        # Most calls: no frame of a helper, and no exception.
        native = self._made or self._native
        try:
            native.call(grid, block, args, shared_mem)
        except RuntimeError as error:
            raise _of_compiler(error) from None

    def compile(self, log_stream=None):
        """Compiles and loads the kernel's program; without GPUs, only compiles it.

        Parameters
        ----------
        log_stream : file, optional
            A file that gets the messages of the compiler if it refuses the text.

        Returns
        -------
        None
            Nothing.

        Raises
        ------
        CompileException
            The compiler refuses the text.

        Notes
        -----
        Local.
        """
        self._module.compile(log_stream)

    @property
    def code(self):
        """The text."""
        return self._module.code

    @property
    def options(self):
        """The options of the compiler."""
        return self._module.options

    @property
    def backend(self):
        """The compiler."""
        return self._module.backend

    @property
    def file_path(self):
        """The file of the program."""
        return self._module.file_path

    @property
    def enable_cooperative_groups(self):
        """Whether all thread blocks run at the same time."""
        return self._cooperative

    @property
    def kernel(self):
        """The loaded kernel."""
        self.compile()
        return self

    @property
    def attributes(self):
        """All attributes of the kernel on the first GPU, by name."""
        return {name: getattr(self, name) for name in _ATTRIBUTES}

    max_threads_per_block = _attribute(
        "max_threads_per_block", "The most threads of a thread block.")
    shared_size_bytes = _attribute("shared_size_bytes", "Bytes of shared memory that it declares.")
    const_size_bytes = _attribute("const_size_bytes", "Bytes of constant memory.")
    local_size_bytes = _attribute("local_size_bytes", "Bytes of local memory of a thread.")
    num_regs = _attribute("num_regs", "Registers of a thread.")
    ptx_version = _attribute("ptx_version", "The version of the virtual architecture, 90 for 9.0.")
    binary_version = _attribute("binary_version", "The version of the machine code, 90 for 9.0.")
    cache_mode_ca = _attribute(
        "cache_mode_ca", "Whether loads of global memory are cached in the first level.")
    max_dynamic_shared_size_bytes = _attribute(
        "max_dynamic_shared_size_bytes",
        "The most bytes of shared memory beyond what it declares; launches raise it as needed.",
        can_be_set=True)
    preferred_shared_memory_carveout = _attribute(
        "preferred_shared_memory_carveout",
        "The percentage of the first level's memory that is shared memory.", can_be_set=True)

    def __repr__(self):
        return f"<RawKernel {self.name!r}>"


class shard:
    """An argument of a launch with ``per_shard=True``: the place of the device's block in an array,
    a ``phalanx_shard`` by value.

    ``#include <phalanx.cuh>`` declares it: ``axes``, and for each axis ``extents`` and ``offsets`` of
    the block, as ``long long``.

    Parameters
    ----------
    array : ndarray
        The array, of 8 axes at most.

    Notes
    -----
    Local.

    Examples
    --------
    >>> place = np.cuda.shard(np.zeros(10))
    """

    __slots__ = ("array",)

    def __init__(self, array):
        if not isinstance(array, _phalanx.ndarray):
            raise _refusal(
                TypeError, "type", f"shard(): array is a phalanx.ndarray, not a {type(array).__name__}"
            )
        self.array = array


# The attributes that the driver knows.
_ATTRIBUTES = [name for name, value in vars(RawKernel).items()
               if isinstance(value, property) and value.fget.__name__ == "read"]
