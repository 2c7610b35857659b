"""CuPy's cuda.compiler: the errors of the compilers, and the compilers themselves."""

import os as _os

from . import _phalanx
from ._cuda_toolkit import get_hipcc_path as _get_hipcc_path
from ._cuda_toolkit import get_nvcc_path as _get_nvcc_path
from ._cuda_toolkit import folders_of as _folders_of
from ._phalanx import _refusal
from ._raw import CompileException as CompileException
from ._raw import _compiling

# The options that ask for code that is linked before it can be loaded.
_RELOCATABLE = frozenset(
    "-dc --device-c -rdc=true --relocatable-device-code=true -relocatable-device-code=true".split()
)
# The compute capability for which programs are compiled without a GPU.
_WITHOUT_GPU = "80"


class NVCCException(CompileException):
    """``nvcc`` is not found, or refused the text."""


class HIPCCException(CompileException):
    """``hipcc`` is not found, or refused the text."""


class JitifyException(CompileException):
    """The error of Jitify, a library for headers that is not used here: it is not raised."""


def _is_relocatable(options):
    """Whether options ask for code that is linked before it can be loaded."""
    options = tuple(options)
    pairs = zip(options, options[1:])
    return not _RELOCATABLE.isdisjoint(options) or any(
        name in ("-rdc", "--relocatable-device-code") and value == "true" for name, value in pairs
    )


def _architectures():
    """The compute capabilities of the session's GPUs."""
    return sorted({str(capability) for _, _, capability in _phalanx._gpus()}) or [_WITHOUT_GPU]


def _run(kind, command, folder, log_stream):
    """Runs a compiler on files in a folder; its messages are those of the error."""
    import subprocess

    try:
        ended = subprocess.run(
            command, capture_output=True, text=True, check=False, errors="replace"
        )
    except OSError as error:
        raise kind(f"{command[0]} does not start: {error}") from None
    messages = (ended.stdout + ended.stderr).replace(folder + _os.sep, "")
    if log_stream is not None:
        log_stream.write(messages)
    if ended.returncode != 0:
        raise kind(
            f"{_os.path.basename(command[0])} refused the text (status {ended.returncode}):\n"
            f"{messages}"
        )


def _by_nvcc(source, options, targets, form, is_linked, filename="kern.cu", log_stream=None):
    """The program that nvcc makes of a text: a ``cubin``, a ``fatbin`` or ``ptx``."""
    import tempfile

    nvcc = _get_nvcc_path()
    if nvcc is None:
        raise NVCCException(
            "nvcc was not found in CUDA_PATH, in PATH or in /usr/local/cuda: install the CUDA "
            "toolkit, or use NVRTC"
        )
    kinds = {"ptx": "compute"}
    codes = [f"-gencode=arch=compute_{to},code={kinds.get(form, 'sm')}_{to}" for to in targets]
    with tempfile.TemporaryDirectory() as folder:
        text, made = _os.path.join(folder, filename), _os.path.join(folder, f"made.{form}")
        with open(text, "w", encoding="utf-8") as file:
            file.write(source)
        if is_linked:
            part = _os.path.join(folder, "part.o")
            own = [one for one in options if one not in ("-dc", "--device-c")]
            _run(NVCCException, [nvcc, "-dc", *codes, *own, "-o", part, text], folder, log_stream)
            # Programs whose kernels launch kernels need the runtime of the device.
            found = _folders_of("libcudadevrt.a", nvcc)
            runtime = [*(f"-L{one}" for one in found[:1]), "-lcudadevrt"]
            command = [nvcc, "-dlink", f"-{form}", *codes, "-o", made, part, *runtime]
        else:
            command = [nvcc, f"-{form}", *codes, *options, "-o", made, text]
        _run(NVCCException, command, folder, log_stream)
        with open(made, "rb") as file:
            return file.read()


def _image_by_nvcc(source, options):
    """A program for all GPUs of the session, by nvcc."""
    return _by_nvcc(source, options, _architectures(), "fatbin", _is_relocatable(options))


def _linked_by_nvrtc(source, options, name_expressions):
    """A text that NVRTC compiles to code to be linked, linked with the runtime of the device where
    that is found: the program, and the names of instances of templates in it."""
    from ._cuda_arguments import LinkState

    image, names = compile_using_nvrtc(source, options, name_expressions=name_expressions)
    if not _phalanx._gpus():
        # Only compiled: the driver links.
        return image, names
    linker = LinkState()
    linker.add_ptr_data(image, "kern.ptx")
    for folder in _folders_of("libcudadevrt.a")[:1]:
        linker.add_ptr_file(_os.path.join(folder, "libcudadevrt.a"))
    return linker.complete(), names


def _check_text(name, source):
    if not isinstance(source, str):
        raise _refusal(
            TypeError, "type", f"{name}: the source is a text, not a {type(source).__name__}"
        )


def compile_using_nvrtc(source, options=(), arch=None, filename="kern.cu", name_expressions=None,
                        log_stream=None, cache_in_memory=False, jitify=False):
    """Compiles a text with NVRTC.

    Parameters
    ----------
    source : str
        The text.
    options : tuple of str, optional
        Options of the compiler.
    arch : str, optional
        The compute capability, ``"90"`` for 9.0. By default that of the current GPU.
    filename : str, optional
        The name of the text in messages.
    name_expressions : sequence of str, optional
        Expressions that name instances of templates.
    log_stream : file, optional
        A file that gets the messages of the compiler if it refuses the text.
    cache_in_memory, jitify : optional
        Without effect.

    Returns
    -------
    bytes
        The program, for ``Module.load``: machine code, or PTX if the options ask for code that is
        to be linked (``-dc``, ``-rdc=true``).
    dict
        The names of the instances in the program, for ``Module.mapping``.

    Raises
    ------
    CompileException
        If the compiler refuses the text.
    RuntimeError
        NVRTC is not installed.

    Notes
    -----
    Local.
    """
    from ._cuda_nvrtc import compiled

    _check_text("compile_using_nvrtc", source)
    options, expressions = tuple(options), tuple(name_expressions or ())
    is_relocatable = _is_relocatable(options)
    arch = str(arch or _current_architecture())
    made = compiled(source, options, arch, filename, expressions, is_relocatable)
    if made is not None:
        return made
    # The session's own compiler has messages with the lines of the text.
    capability = int("".join(filter(str.isdigit, arch)) or _WITHOUT_GPU)
    native = _phalanx._RawModule(source, list(options), list(expressions))
    try:
        _compiling(lambda: native.compile_for(capability))
    except CompileException as error:
        if log_stream is not None:
            error.dump(log_stream)
        raise
    raise CompileException(f"NVRTC refused the text for the compute capability {arch}")


def _current_architecture():
    """The compute capability of the current GPU."""
    from ._cuda_streams import _current

    gpus = _phalanx._gpus()
    return str(gpus[_current.device][2]) if gpus else _WITHOUT_GPU


def compile_using_nvcc(source, options=(), arch=None, filename="kern.cu", code_type="cubin",
                       separate_compilation=False, log_stream=None):
    """Compiles a text with ``nvcc``, the compiler of the CUDA toolkit.

    Parameters
    ----------
    source : str
        The text.
    options : tuple of str, optional
        Options of the compiler.
    arch : str, optional
        The compute capability, ``"90"`` for 9.0. By default that of the current GPU.
    filename : str, optional
        The name of the text in messages.
    code_type : str, optional
        ``"cubin"`` for machine code, or ``"ptx"``.
    separate_compilation : bool, optional
        Whether the program is linked with the runtime of the device, for kernels that launch
        kernels; only for machine code.
    log_stream : file, optional
        A file that gets the messages of the compiler.

    Returns
    -------
    bytes
        The program, for ``Module.load``.

    Raises
    ------
    NVCCException
        ``nvcc`` is not found, or refuses the text.
    ValueError
        Another type of code, or PTX that is to be linked.

    Notes
    -----
    Local.
    """
    _check_text("compile_using_nvcc", source)
    if code_type not in ("cubin", "ptx"):
        raise _refusal(
            ValueError, "choice",
            f"compile_using_nvcc: code_type is 'cubin' or 'ptx', not {code_type!r}",
        )
    if separate_compilation and code_type == "ptx":
        raise _refusal(
            ValueError, "together", "compile_using_nvcc: only a 'cubin' is linked"
        )
    targets = [str(arch or _current_architecture())]
    return _by_nvcc(
        source, tuple(options), targets, code_type, separate_compilation,
        _os.path.basename(filename), log_stream,
    )


def compile_using_hipcc(source, options=(), arch=None, log_stream=None):
    """Compiles a text with ``hipcc``, the compiler of ROCm. The session cannot load the program.

    Parameters
    ----------
    source : str
        The text.
    options : tuple of str, optional
        Options of the compiler.
    arch : str, optional
        The architecture, such as ``"gfx90a"``.
    log_stream : file, optional
        A file that gets the messages of the compiler.

    Returns
    -------
    bytes
        The program.

    Raises
    ------
    HIPCCException
        ``hipcc`` is not found, or refuses the text.

    Notes
    -----
    Local.
    """
    import tempfile

    _check_text("compile_using_hipcc", source)
    hipcc = _get_hipcc_path()
    if hipcc is None:
        raise HIPCCException("hipcc was not found in ROCM_HOME or in PATH: install ROCm")
    targets = [] if arch is None else [f"--offload-arch={arch}"]
    with tempfile.TemporaryDirectory() as folder:
        text, made = _os.path.join(folder, "kern.cpp"), _os.path.join(folder, "kern.hsaco")
        with open(text, "w", encoding="utf-8") as file:
            file.write(source)
        command = [hipcc, "--genco", *targets, *options, text, "-o", made]
        _run(HIPCCException, command, folder, log_stream)
        with open(made, "rb") as file:
            return file.read()


def is_valid_kernel_name(name):
    """Whether a text can be the name of a kernel.

    Parameters
    ----------
    name : str
        The text.

    Returns
    -------
    bool
        The answer.

    Raises
    ------
    AttributeError
        The name is no text.

    Notes
    -----
    Local.
    """
    return name.isascii() and name.isidentifier()
