"""Special functions: the names of ``scipy.special``.

Most are elementwise functions of real numbers, which native code computes on every device with the
calls of NumPy's ufuncs, and functions of arrays made of these. Functions of few numbers, such as
zeros and quadrature nodes, are SciPy's own on the host; their docstrings say so.
"""

_MODULES = {
    "_sums": "log_softmax logsumexp softmax",
    "_derivatives": "h1vp h2vp ivp jvp kvp spherical_in spherical_jn spherical_kn spherical_yn yvp",
    "_several": "assoc_laguerre comb diric factorial factorial2 factorialk lambertw lmbda "
    "multigammaln perm polygamma sinc zeta",
    "_legendre": "assoc_legendre_p assoc_legendre_p_all legendre_p legendre_p_all sph_harm_y "
    "sph_harm_y_all sph_legendre_p sph_legendre_p_all",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}
# Another name for the same function.
_ALIASES = {"digamma": "psi", "jn": "jv"}


def _names():
    import importlib.util

    from . import _host, _host_table, _table

    names = {*_HOME, *_table.ROWS, *_host_table.FAMILIES, *_host.names()}
    if importlib.util.find_spec("scipy") is None:
        # Classes that only SciPy has.
        names -= {*_host_table.CLASSES}
    return sorted(names)


def __getattr__(name):
    if name == "__all__":
        value = _names()
    elif name.startswith("_"):
        value = None
    else:
        value = _found(name)
    if value is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def _found(name):
    import importlib

    if name in _HOME:
        from .._arguments import beside

        value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
        return beside(_of_module(value))
    if name in _ALIASES:
        return __getattr__(_ALIASES[name])
    from . import _table, _ufuncs

    row = _table.ROWS.get(name)
    value = None if row is None else _ufuncs.made(name)
    if value is not None:
        return value
    from . import _host, _polynomials

    if row is not None:
        return _host.elementwise(name, row, _ufuncs.summary(name))
    return _polynomials.found(name) or _host.found(name)


def _of_module(function):
    # The name by which programs import the function, also when it is pickled.
    function.__module__ = __name__
    return function


def __dir__():
    return [*__getattr__("__all__"), "__all__", "__doc__", "__name__"]
