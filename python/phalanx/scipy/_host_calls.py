"""Functions and objects of SciPy on the host, made from tables.

Arrays of ours are copied to the host as arguments, and results back. SciPy calls a function of the
user with arrays of ours, and may be given arrays of ours by it.
"""

import functools
import inspect
import math
import re

import phalanx as np

from . import _arguments, _host
from ._describing import composed

# Elements of an array on devices that may be copied to the host.
FEW = 1 << 20
_ERRORS = {
    "ValueError": "The value or the shape of an argument is not allowed, or an array is too long "
    "for the host.",
    "ImportError": "SciPy is not installed: ``pip install phalanx[scipy]``.",
}
_RANDOM = ("rng", "random_state", "seed")
# Functions whose further arguments SciPy broadcasts itself.
_BROADCASTS = (
    "bracket_minimum", "bracket_root", "cubature", "find_minimum", "find_root", "nsum", "tanhsinh",
)


class Kept:
    """An array of ours that SciPy passes on to the user's function, without a look at it."""

    def __init__(self, array):
        self.array = array


class Calls:
    """The functions of an area that are SciPy's own.

    `few` bounds the elements of an array that is copied. `adopt` makes an object of ours of an
    object of SciPy; it returns None for objects that it does not know. Options named in `ignored`
    are not passed on, nor a None that is the default of a table if `omits_none`.
    """

    def __init__(self, area, parameters, few=FEW, adopt=None, ignored=(), omits_none=False):
        self.area, self.parameters, self.few, self.adopt = area, parameters, few, adopt
        self.ignored, self.omits_none = ignored, omits_none
        self.notes = (
            "Local: the function is SciPy's, and runs on the host of every process. Collective if "
            "an argument is an array on devices, which is copied to the host, or if a function of "
            f"yours is. An array of more than 2**{few.bit_length() - 1} elements is refused."
        )

    def module(self, name):
        """SciPy's module; an ImportError that names the package if it is missing."""
        return _host.module(self.area, name)

    def found(self, name):
        """SciPy's function or class of a name."""
        return getattr(self.module(name), name)

    def call(self, name, *given, **options):
        """The result of SciPy's function of a name, with arguments and results as ours."""
        return self.from_host(self.answer(self.found(name), name, given, options))

    def answer(self, function, name, given, options):
        """What a function of SciPy returns for arguments of ours, as it is."""
        given = [self.to_host(one, name) for one in given]
        return function(*given, **self.to_host(options, name))

    def to_host(self, x, name):
        """An argument for SciPy: our arrays as NumPy's, functions as ones of NumPy's arrays."""
        if isinstance(x, np.ndarray):
            made = _host.copied(x, self.few, f"phalanx.scipy.{self.area}.{name}")
            return made[()] if x.ndim == 0 else made
        if type(x) in (list, tuple):
            return type(x)(self.to_host(one, name) for one in x)
        if type(x) is dict:
            return {key: self.to_host(value, name) for key, value in x.items()}
        if hasattr(x, "_of_scipy"):
            return x._of_scipy
        if hasattr(x, "nnz") and hasattr(type(x), "_home"):
            return self._sparse(x, name)
        if callable(x) and not isinstance(x, type) and not _is_of_scipy(x):
            return self.called(x, name)
        return x

    def _sparse(self, x, name):
        """A sparse matrix of SciPy for one of ours."""
        if x.nnz > self.few:
            raise _arguments.refuse(
                f"phalanx.scipy.{self.area}.{name} is computed on the host, and a matrix of "
                f"{x.nnz} elements, more than {self.few}, is too long to be copied there",
                mistake="large",
                hint="pass matrix.get() to copy it nevertheless",
            )
        return x.get()

    def from_host(self, x):
        """A result of SciPy: arrays as ours, objects as ours if there are some, or as they are."""
        import numpy

        if isinstance(x, Kept):
            return x.array
        if isinstance(x, numpy.ndarray):
            return _host.arrays(x)
        if isinstance(x, (numpy.generic, str, int, float, complex)) or x is None:
            return x
        if type(x) in (list, tuple):
            return type(x)(map(self.from_host, x))
        if type(x) is dict:
            return {key: self.from_host(value) for key, value in x.items()}
        if isinstance(x, tuple) and hasattr(x, "_fields"):
            made = list(map(self.from_host, x))
            try:
                return type(x)(*made)
            except TypeError:
                # It has more than its elements.
                return x
        made = self.adopt(x) if self.adopt else None
        return x if made is None else made

    def called(self, function, name):
        """A function of the user, for SciPy, which gives it arrays of NumPy and takes such ones."""

        def call(*given, **options):
            options = {key: self.from_host(value) for key, value in options.items()}
            return self.to_host(function(*map(self.from_host, given), **options), name)

        # SciPy reads the signature of some functions.
        return functools.update_wrapper(call, function)

    def made(self, name, text, returns, summary, own=None):
        """A function that calls SciPy's of the same name."""
        # The signature is written in the table, so that SciPy is imported by the first call only.
        signature = inspect.signature(eval(f"lambda {text}: None", {}))
        names = list(signature.parameters)
        random = next((one for one in _RANDOM if one in names), None)
        place = names.index(random) if random else 0
        if random and signature.parameters[random].kind == inspect.Parameter.KEYWORD_ONLY:
            # No argument without a name is this one.
            place = math.inf
        further = signature.parameters.get("args")
        keeps = (further is not None and further.kind != further.VAR_POSITIONAL
                 and name not in _BROADCASTS)
        omitted = {one.name for one in signature.parameters.values()
                   if one.default is None and self.omits_none}

        def call(*given, **options):
            options = {key: one for key, one in options.items()
                       if key not in self.ignored and not (one is None and key in omitted)}
            if keeps:
                given, options = _keep("args", names, given, options)
            bound = random is None or len(given) > place
            # All processes draw the same numbers.
            if not bound and all(options.get(one) is None for one in _RANDOM):
                options = {key: one for key, one in options.items() if key not in _RANDOM}
                options[random] = agreed_seed()
            return self.call(name, *given, **options)

        call.__name__ = call.__qualname__ = name
        call.__module__ = f"phalanx.scipy.{self.area}"
        call.__signature__ = signature
        call.__doc__ = composed(
            f"{summary} It is SciPy's function on the host.",
            list(signature.parameters.values()),
            returns,
            _ERRORS,
            self.notes,
            self.parameters,
            own or {},
        )
        return call

    def functions(self, table, own=None):
        """The functions of a table, by their names; `own` has parameters by the name of a function
        that differ from the area's."""
        own = own or {}
        return {name: self.made(name, *row, own=own.get(name)) for name, row in rows(table).items()}


def rows(table):
    """The signature, the result and the summary of the functions of a table, by their names."""
    made = {}
    for entry in re.split(r"\n(?=\w)", table.strip()):
        found = re.fullmatch(r"(\w+)\((.*?)\) -> (.*) \| (.*)", " ".join(entry.split()))
        made[found[1]] = found.groups()[1:]
    return made


def _keep(word, names, given, options):
    """Arguments in which the arrays for the user's function are kept as they are."""
    at, given = names.index(word), list(given)
    if at < len(given):
        given[at] = _kept(given[at])
    elif word in options:
        options = {**options, word: _kept(options[word])}
    return given, options


def _kept(x):
    if isinstance(x, np.ndarray):
        return (Kept(x),)
    if type(x) in (list, tuple):
        return type(x)(Kept(one) if isinstance(one, np.ndarray) else one for one in x)
    return x


def _is_of_scipy(x):
    return (getattr(type(x), "__module__", "") or "").startswith("scipy")


def agreed_seed():
    """A seed on which all processes agree."""
    return int(np.random.randint(0, 2**31 - 1))


class Held:
    """An object of SciPy whose methods take and return arrays of ours, and run on the host."""

    _calls = None

    def __init__(self, of_scipy):
        self.__dict__["_of_scipy"] = of_scipy

    def __repr__(self):
        return f"<{type(self._of_scipy).__name__} of SciPy>"

    def __dir__(self):
        return dir(self._of_scipy)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self._of_scipy, name)
        if not callable(found):
            return self._calls.from_host(found)

        @functools.wraps(found)
        def call(*args, **options):
            return self._answer(found, args, options)

        return call

    def __setattr__(self, name, value):
        setattr(self._of_scipy, name, self._calls.to_host(value, name))

    def _answer(self, function, args, options):
        name = type(self._of_scipy).__name__
        answer = self._calls.answer(function, name, args, options)
        return self if answer is self._of_scipy else self._calls.from_host(answer)


class HeldFunction(Held):
    """An object of SciPy that is called, too."""

    def __call__(self, *args, **options):
        return self._answer(self._of_scipy, args, options)


class Made(Held):
    """An object of SciPy that is made here, of arguments as SciPy's class takes them."""

    _kind = None

    def __init__(self, *args, **options):
        kind = self._kind
        super().__init__(self._calls.answer(self._calls.found(kind), kind, args, options))

    @classmethod
    def _named(cls, kind, text):
        """The class of ours for the one of SciPy of this name."""
        module = f"phalanx.scipy.{cls._calls.area}"
        return type(kind, (cls,), {"__doc__": text, "_kind": kind, "__module__": module})


def beside_all(names, space):
    """Replaces the functions of a module by ones that compute on the mesh of their arguments."""
    for name in names:
        if inspect.isfunction(space.get(name)):
            space[name] = _arguments.beside(space[name])
