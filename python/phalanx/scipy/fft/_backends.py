"""Other libraries that compute transforms: uarray's protocol, as ``scipy.fft`` has it.

Functions here compute by themselves, unless a program sets another backend. A backend receives
SciPy's function, where SciPy is installed, and the arguments of the call.
"""

import contextlib
import contextvars
import functools

from ._arguments import refuse
from ._parameters import described

DOMAIN = "numpy.scipy.fft"

# Pairs of a word and its values: ("set", backend, only) and ("skip", backend).
_stack = contextvars.ContextVar("phalanx_fft_backends", default=())
_global = []
_registered = []
functions = {}
_BACKEND_ERRORS = {
    "AttributeError": "The object is no backend.",
    "ValueError": "The name is unknown, or the backend is one of another domain.",
}
_NOTES = "Local: nothing is recorded. The setting is that of the thread or task."


def dispatched(function):
    """A function that other backends may compute."""

    @functools.wraps(function)
    def call(*given, **options):
        if _stack.get() or _global or _registered:
            return _by_backends(function, given, options)
        return function(*given, **options)

    functions[function.__name__] = function
    return call


def own(method, given, options):
    """The protocol's ``__ua_function__`` of this module."""
    function = functions.get(getattr(method, "__name__", None))
    return NotImplemented if function is None else function(*given, **options)


class _Own:
    """This module, as a backend."""

    __ua_domain__ = DOMAIN
    __ua_function__ = staticmethod(own)


def _tried():
    """The backends in the order in which they are tried, each with `only`."""
    skipped, found = [], []
    for word, backend, *only in reversed(_stack.get()):
        if word == "skip":
            skipped.append(backend)
        elif not any(backend is one for one in skipped):
            found.append((backend, only[0]))
    rest = [(one, False) for one in _registered]
    for backend, only, is_last in _global:
        rest = [*rest, (backend, only)] if is_last else [(backend, only), *rest]
    rest.append((_Own, False))
    return found + [one for one in rest if not any(one[0] is other for other in skipped)]


def _by_backends(function, given, options):
    method = _method(function)
    for backend, only in _tried():
        if backend is _Own:
            return function(*given, **options)
        answer = backend.__ua_function__(method, given, options)
        if answer is not NotImplemented:
            return answer
        if only:
            break
    raise refuse("No selected backends had an implementation for this function.",
                 NotImplementedError, "absent")


def _method(function):
    try:
        import scipy.fft
    except ImportError:
        return function
    return getattr(scipy.fft, function.__name__)


def _backend(backend):
    """A backend by its name or as an object; our module stands for itself."""
    if isinstance(backend, str):
        if backend != "scipy":
            raise refuse(f"Unknown backend {backend}", mistake="choice")
        from scipy.fft._backend import _ScipyBackend

        return _ScipyBackend
    if backend.__ua_domain__ != DOMAIN:
        raise refuse(f'Backend does not implement "{DOMAIN}"', mistake="choice")
    is_own = getattr(backend, "__ua_function__", None) is own
    return _Own if is_own else backend


@contextlib.contextmanager
def _with(entry):
    token = _stack.set((*_stack.get(), entry))
    try:
        yield
    finally:
        _stack.reset(token)


@described("context manager", _BACKEND_ERRORS, _NOTES)
def set_backend(backend, coerce=False, only=False):
    """Lets a backend compute the transforms in a ``with`` statement."""
    return _with(("set", _backend(backend), bool(only)))


@described("context manager", _BACKEND_ERRORS, _NOTES)
def skip_backend(backend):
    """Lets no transform in a ``with`` statement use a backend."""
    return _with(("skip", _backend(backend)))


@described("None", _BACKEND_ERRORS, "Local: nothing is recorded. All threads have the setting.")
def set_global_backend(backend, coerce=False, only=False, try_last=False):
    """Lets a backend compute the transforms from now on, in place of an earlier one."""
    backend = _backend(backend)
    is_plain = backend is _Own and not try_last
    _global[:] = [] if is_plain else [(backend, bool(only), bool(try_last))]


@described("None", _BACKEND_ERRORS, "Local: nothing is recorded. All threads have the setting.")
def register_backend(backend):
    """Adds a backend that is tried if no other one that is set computes a transform."""
    backend = _backend(backend)
    if backend is not _Own and not any(backend is one for one in _registered):
        _registered.append(backend)
