"""NVRTC by its functions in C: programs as bytes, for ``cuda.compiler`` and for programs that are
linked."""

import functools as _functools
import os as _os

from . import _phalanx


def library():
    """NVRTC. Raises a RuntimeError if it is not installed."""
    return _found()[0]


@_functools.cache
def _found():
    """NVRTC, and the folder in which it is."""
    import ctypes

    # The session finds and loads it; its functions are then known in the process.
    text = 'extern "C" __global__ void nothing() {}'
    _phalanx._RawModule(text, [], []).compile_for(80)
    library = ctypes.CDLL(None)
    for name in ("CreateProgram", "AddNameExpression", "CompileProgram", "GetCUBIN", "GetPTX",
                 "GetCUBINSize", "GetPTXSize", "GetLoweredName", "DestroyProgram"):
        getattr(library, f"nvrtc{name}").restype = ctypes.c_int
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = [line.split(maxsplit=5)[-1].strip() for line in maps if "libnvrtc.so" in line]
    return library, _os.path.dirname(paths[0]) if paths else ""


def _include_folders(beside):
    """The folders with CUDA's headers, as those of other programs."""
    toolkits = _os.environ.get("PHALANX_CUDA_PATH", "").split(_os.pathsep)
    homes = [_os.path.join(folder, "..") for folder in (beside, *toolkits) if folder]
    for home in (*homes, "/usr/local/cuda"):
        for below in (("include", "cccl"), ("include",)):
            folder = _os.path.join(home, *below)
            if _os.path.isdir(folder):
                yield folder


def compiled(source, options, arch, filename, expressions, is_relocatable):
    """The program in machine code, or in PTX if it is to be linked, and the names of instances of
    templates; None if NVRTC refuses the text."""
    import ctypes

    library, beside = _found()
    kind = "compute" if is_relocatable else "sm"
    words = [*options, f"--gpu-architecture={kind}_{arch}"]
    words += [f"--include-path={folder}" for folder in _include_folders(beside)]
    texts = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
    program = ctypes.c_void_p()

    def succeeds(name, *arguments):
        return getattr(library, f"nvrtc{name}")(*arguments) == 0

    if not succeeds("CreateProgram", ctypes.byref(program), source.encode(), filename.encode(), 0,
                    None, None):
        return None
    try:
        for expression in expressions:
            if not succeeds("AddNameExpression", program, expression.encode()):
                return None
        if not succeeds("CompileProgram", program, len(words), texts):
            return None
        form, size = "PTX" if is_relocatable else "CUBIN", ctypes.c_size_t()
        if not succeeds(f"Get{form}Size", program, ctypes.byref(size)):
            return None
        image = ctypes.create_string_buffer(size.value)
        if not succeeds(f"Get{form}", program, image):
            return None
        names = {}
        for expression in expressions:
            name = ctypes.c_char_p()
            if not succeeds("GetLoweredName", program, expression.encode(), ctypes.byref(name)):
                return None
            names[expression] = name.value.decode()
        # The size of a text counts the zero at its end.
        return image.raw.rstrip(b"\0") if is_relocatable else image.raw, names
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))
