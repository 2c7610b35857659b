"""CuPy's cuda.nvrtc: NVRTC by its own functions. It needs NVRTC, and no GPU."""

from ._cuda_documented import documented as _documented
from ._cuda_nvrtc import library as _library
from ._phalanx import _refusal


class NVRTCError(RuntimeError):
    """An error of NVRTC. ``status`` is its number."""

    def __init__(self, status, msg=None):
        import ctypes

        self.status = int(status)
        if msg is None:
            text = _library().nvrtcGetErrorString
            text.restype = ctypes.c_char_p
            msg = (text(ctypes.c_int(self.status)) or b"").decode()
        super().__init__(msg)

    def __reduce__(self):
        return type(self), (self.status, self.args[0])


_ERRORS = {"NVRTCError": "NVRTC refuses the call.", "RuntimeError": "NVRTC is not installed."}
_PROGRAM = ("int", "The program.")


def check_status(status):
    """Raises the error that a number stands for; 0 is none."""
    if status != 0:
        raise NVRTCError(status)


def _call(name, *arguments):
    """Calls a function of NVRTC."""
    import ctypes

    function = getattr(_library(), f"nvrtc{name}", None)
    if function is None:
        raise _refusal(
            NotImplementedError, "absent", f"nvrtc: the installed version has no nvrtc{name}"
        )
    function.restype = ctypes.c_int
    check_status(function(*arguments))


def _handle(prog):
    import ctypes

    return ctypes.c_void_p(int(prog))


def _bytes(prog, name):
    """What a function writes, the size of which another one has."""
    import ctypes

    size = ctypes.c_size_t()
    _call(f"Get{name}Size", _handle(prog), ctypes.byref(size))
    found = ctypes.create_string_buffer(size.value)
    _call(f"Get{name}", _handle(prog), found)
    return found.raw


@_documented("tuple of int", "The major and the minor number.", raises=_ERRORS)
def getVersion():
    """The version of NVRTC."""
    import ctypes

    major, minor = ctypes.c_int(), ctypes.c_int()
    _call("Version", ctypes.byref(major), ctypes.byref(minor))
    return major.value, minor.value


@_documented("list of int", "The capabilities: 80 for 8.0.", raises=_ERRORS)
def getSupportedArchs():
    """The compute capabilities for which NVRTC compiles."""
    import ctypes

    count = ctypes.c_int()
    _call("GetNumSupportedArchs", ctypes.byref(count))
    found = (ctypes.c_int * count.value)()
    _call("GetSupportedArchs", found)
    return list(found)


def _text(function, parameter, value):
    """The bytes of a text, which a text or bytes are."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    raise _refusal(
        TypeError, "type",
        f"{function}(): {parameter} is a text or bytes, not a {type(value).__name__}",
    )


@_documented("int", "The program, which ``destroyProgram`` frees.",
             raises={"TypeError": "An argument is no text.", **_ERRORS},
             src=("str", "The text in CUDA C++."), name=("str", "Its name in messages."),
             headers=("list of str", "The texts of headers."),
             include_names=("list of str", "The names by which the text includes them."))
def createProgram(src, name, headers=(), include_names=()):
    """A program of a text."""
    import ctypes

    src, name = _text("createProgram", "src", src), _text("createProgram", "name", name)
    headers, include_names = (
        [_text("createProgram", parameter, text) for text in texts]
        for parameter, texts in (("a header", headers), ("a name of a header", include_names))
    )
    if len(headers) != len(include_names):
        raise _refusal(
            ValueError, "count",
            f"createProgram: {len(headers)} headers have {len(include_names)} names",
        )

    def array(texts):
        return (ctypes.c_char_p * len(texts))(*texts)

    program = ctypes.c_void_p()
    _call("CreateProgram", ctypes.byref(program), src, name, len(headers),
          array(headers), array(include_names))
    return program.value


@_documented(raises=_ERRORS, prog=_PROGRAM)
def destroyProgram(prog):
    """Frees a program."""
    import ctypes

    _call("DestroyProgram", ctypes.byref(_handle(prog)))


@_documented(raises=_ERRORS, prog=_PROGRAM,
             options=("sequence of str", "Options, such as ``--gpu-architecture=sm_90``."))
def compileProgram(prog, options):
    """Compiles a program. ``getProgramLog`` has the messages, also after an error."""
    import ctypes

    options = [_text("compileProgram", "an option", option) for option in options]
    texts = (ctypes.c_char_p * len(options))(*options)
    _call("CompileProgram", _handle(prog), len(options), texts)


@_documented("bytes", "The text, without the zero at its end.", raises=_ERRORS, prog=_PROGRAM)
def getPTX(prog):
    """The PTX of a compiled program."""
    return _bytes(prog, "PTX").rstrip(b"\0")


@_documented("bytes", "The cubin.", raises=_ERRORS, prog=_PROGRAM)
def getCUBIN(prog):
    """The machine code of a program that was compiled for ``sm_...``."""
    return _bytes(prog, "CUBIN")


@_documented("str", "The messages.", raises=_ERRORS, prog=_PROGRAM)
def getProgramLog(prog):
    """The messages of the compiler."""
    return _bytes(prog, "ProgramLog").rstrip(b"\0").decode(errors="replace")


@_documented(raises=_ERRORS, prog=_PROGRAM,
             name=("str", "The expression, such as ``scale<float>``."))
def addNameExpression(prog, name):
    """Adds an instance of a template, before the program is compiled."""
    _call("AddNameExpression", _handle(prog), _text("addNameExpression", "name", name))


@_documented("str", "The name.", raises=_ERRORS, prog=_PROGRAM,
             name=("str", "The expression that ``addNameExpression`` added."))
def getLoweredName(prog, name):
    """The name of an instance of a template in the compiled program."""
    import ctypes

    found, name = ctypes.c_char_p(), _text("getLoweredName", "name", name)
    _call("GetLoweredName", _handle(prog), name, ctypes.byref(found))
    return found.value.decode()
