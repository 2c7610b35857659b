"""CuPy's cuda.compiler: the error of the compilers, and the compilers themselves."""

from ._raw import CompileException as CompileException
from ._raw import RawModule as _RawModule


def compile_using_nvrtc(source, options=(), arch=None, filename="kern.cu", name_expressions=None,
                        log_stream=None, cache_in_memory=False, jitify=False):
    """Compiles a text with NVRTC; the program can be loaded at once afterwards.

    Parameters
    ----------
    source : str
        The text.
    options : tuple of str, optional
        Options of the compiler.
    arch, filename, cache_in_memory, jitify : optional
        Without effect.
    name_expressions : sequence of str, optional
        Expressions that name instances of templates.
    log_stream : file, optional
        A file that gets the messages of the compiler if it refuses the text.

    Returns
    -------
    RawModule
        The program.

    Raises
    ------
    CompileException
        If the compiler refuses the text.

    Notes
    -----
    Local.
    """
    module = _RawModule(code=source, options=options, name_expressions=name_expressions)
    module.compile(log_stream)
    return module


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

    Notes
    -----
    Local.
    """
    return name.isascii() and name.isidentifier()
