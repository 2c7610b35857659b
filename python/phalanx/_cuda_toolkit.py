"""Where the compilers and libraries of the CUDA toolkit are: names of ``phalanx.cuda``."""

import os as _os


def _homes():
    """The folders in which a toolkit may be."""
    named = [_os.environ.get(name) for name in ("CUDA_PATH", "CUDA_HOME")]
    return [home for home in (*named, "/usr/local/cuda") if home]


def _program(name, homes, variable):
    """The path of a program: the variable names it, or it is in one of the folders or in PATH."""
    import shutil

    named = _os.environ.get(variable)
    if named:
        return shutil.which(named)
    for home in homes:
        found = shutil.which(_os.path.join(home, "bin", name))
        if found is not None:
            return found
    return shutil.which(name)


def get_nvcc_path():
    """The path of ``nvcc``, the compiler of the CUDA toolkit.

    Returns
    -------
    str or None
        The program that the variable ``NVCC`` names, that of the toolkit in ``CUDA_PATH``, or that
        in ``PATH``; None if there is none.

    Raises
    ------
    None
        Nothing is raised.

    Notes
    -----
    Local.
    """
    return _program("nvcc", _homes(), "NVCC")


def get_hipcc_path():
    """The path of ``hipcc``, the compiler of ROCm.

    Returns
    -------
    str or None
        The program in ``ROCM_HOME`` or in ``PATH``; None if there is none.

    Raises
    ------
    None
        Nothing is raised.

    Notes
    -----
    Local.
    """
    home = get_rocm_path()
    return _program("hipcc", [] if home is None else [home], "HIPCC")


def get_rocm_path():
    """The folder of ROCm. Sessions have no devices of ROCm.

    Returns
    -------
    str or None
        The folder that the variable ``ROCM_HOME`` names, or ``/opt/rocm``; None if there is none.

    Raises
    ------
    None
        Nothing is raised.

    Notes
    -----
    Local.
    """
    home = _os.environ.get("ROCM_HOME") or "/opt/rocm"
    return home if _os.path.isdir(home) else None


def get_local_runtime_version():
    """The version of CUDA that the session uses.

    Returns
    -------
    int
        The version, 13000 for 13.0; 0 on a CPU.

    Raises
    ------
    None
        Nothing is raised.

    Notes
    -----
    Local.
    """
    from . import _cuda_runtime

    return _cuda_runtime.runtimeGetVersion()


def folders_of(file, program=None):
    """The folders in which a library of the toolkit is, those beside a compiler first."""
    homes = _homes()
    if program is not None:
        homes.insert(0, _os.path.dirname(_os.path.dirname(_os.path.realpath(program))))
    folders = _os.environ.get("PHALANX_CUDA_PATH", "").split(_os.pathsep)
    for home in homes:
        folders += [_os.path.join(home, *below) for below in (
            ("lib64",), ("lib",), ("targets", "x86_64-linux", "lib"),
        )]
    return [folder for folder in folders if folder and _os.path.exists(_os.path.join(folder, file))]
