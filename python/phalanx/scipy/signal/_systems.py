"""Linear systems: SciPy's own objects on the host, with arrays of ours at their surface."""

import textwrap

from ._described import composed
from ._host import calls
from ._parameters import OF_FUNCTIONS, OF_METHODS

_NOTES = (
    "Local: the system is SciPy's, on the host of every process. Arrays on devices are read "
    "(Collective); results are arrays of ours."
)
_RAISED = {
    "ValueError": "The value or the shape of an argument is not allowed.",
    "ImportError": "SciPy is not installed: ``pip install phalanx[scipy]``.",
}
_OWN = OF_METHODS | OF_FUNCTIONS["cont2discrete"]
_FORMS = {2: "TransferFunction", 3: "ZerosPolesGain", 4: "StateSpace"}


def from_scipy(system):
    """A system of SciPy as ours."""
    name = type(system).__name__
    made = object.__new__(_CLASSES[name])
    made._of_scipy = system
    return made


class _System:
    """A system, which is SciPy's."""

    def __new__(cls, *system, **keywords):
        name = cls.__name__
        if name in ("lti", "dlti") and len(system) not in _FORMS:
            from ._arrays import refuse

            raise refuse(
                "2, 3 or 4 arguments make a system: numerator and denominator, zeros, poles and "
                "gain, or four matrices",
                mistake="count",
            )
        form = name.removesuffix("Continuous").removesuffix("Discrete")
        made = calls.answer(calls.found(form), form, system, keywords)
        return made if not type(made).__module__.startswith("scipy") else from_scipy(made)

    def __repr__(self):
        return repr(self._of_scipy)

    def __reduce__(self):
        return from_scipy, (self._of_scipy,)

    def _binary(self, name, other):
        found = getattr(self._of_scipy, name)(calls.to_host(other, "StateSpace"))
        return found if found is NotImplemented else calls.from_host(found)


def _attribute(name, text):
    def read(self):
        return calls.from_host(getattr(self._of_scipy, name))

    def write(self, value):
        setattr(self._of_scipy, name, calls.to_host(value, name))

    return property(read, write, doc=text)


def _method(name, given, returns, summary):
    import inspect

    signature = inspect.signature(eval(f"lambda self{given}: None", {}))

    def call(self, *given, **keywords):
        found = calls.answer(getattr(self._of_scipy, name), name, given, keywords)
        return calls.from_host(found)

    call.__name__, call.__signature__ = name, signature
    parameters = list(signature.parameters.values())
    call.__doc__ = composed(summary, parameters, returns, _RAISED, _NOTES, _OWN)
    return call


def _operator(name):
    def call(self, other):
        return self._binary(name, other)

    call.__name__ = name
    return call


_OF_ALL = {
    "dt": "The step of time; None in continuous time.",
    "poles": "The poles.",
    "zeros": "The zeros.",
}
_RESPONSES = "(ndarray, ndarray): Frequencies and the complex response."
_MAGNITUDES = (
    "(ndarray, ndarray, ndarray): Frequencies, magnitude in decibels and phase in degrees."
)


_PARAMETERS = """

Parameters
----------
*system : system or array_like
    {}
**kwargs : float
    The step of time `dt`, for a system in discrete time.

Notes
-----
""" + textwrap.fill(_NOTES, 88)


class lti(_System):
    """A linear system in continuous time."""

    impulse = _method("impulse", ", X0=None, T=None, N=None", "(ndarray, ndarray): Times and "
                      "the response.", "The response to an impulse.")
    step = _method("step", ", X0=None, T=None, N=None", "(ndarray, ndarray): Times and the "
                   "response.", "The response to a step.")
    output = _method("output", ", U, T, X0=None", "(ndarray, ndarray, ndarray): Times, output and "
                     "states.", "The output for an input.")
    bode = _method("bode", ", w=None, n=100", _MAGNITUDES, "The magnitude and the phase.")
    freqresp = _method("freqresp", ", w=None, n=10000", _RESPONSES, "The frequency response.")
    to_discrete = _method("to_discrete", ", dt, method='zoh', alpha=None", "dlti: The system.",
                          "The system in discrete time.")


class dlti(_System):
    """A linear system in discrete time."""

    impulse = _method("impulse", ", x0=None, t=None, n=None", "(ndarray, tuple of ndarray): Times "
                      "and responses.", "The response to an impulse.")
    step = _method("step", ", x0=None, t=None, n=None", "(ndarray, tuple of ndarray): Times and "
                   "responses.", "The response to a step.")
    output = _method("output", ", u, t, x0=None", "tuple of ndarray: Times, output, and the states "
                     "of a state-space system.", "The output for an input.")
    bode = _method("bode", ", w=None, n=100", _MAGNITUDES, "The magnitude and the phase.")
    freqresp = _method("freqresp", ", w=None, n=10000, whole=False", _RESPONSES,
                       "The frequency response.")


class _Form(_System):
    """A system in one of its forms."""

    to_ss = _method("to_ss", "", "StateSpace: The system.", "The state-space form.")
    to_tf = _method("to_tf", "", "TransferFunction: The system.", "The transfer function.")
    to_zpk = _method("to_zpk", "", "ZerosPolesGain: The system.", "Zeros, poles and gain.")


class TransferFunction(_Form):
    """A linear system as a quotient of polynomials; with `dt` in discrete time."""

    num = _attribute("num", "The numerator.")
    den = _attribute("den", "The denominator.")


class ZerosPolesGain(_Form):
    """A linear system of zeros, poles and a gain; with `dt` in discrete time."""

    gain = _attribute("gain", "The gain.")


class StateSpace(_Form):
    """A linear system of four matrices; with `dt` in discrete time."""

    A, B, C, D = (_attribute(name, f"The matrix {name}.") for name in "ABCD")
    __add__, __sub__, __mul__, __truediv__, __radd__, __rsub__, __rmul__ = map(
        _operator,
        "__add__ __sub__ __mul__ __truediv__ __radd__ __rsub__ __rmul__".split(),
    )

    def __neg__(self):
        return calls.from_host(-self._of_scipy)


for _class in (lti, dlti, _Form):
    for _name, _text in _OF_ALL.items():
        setattr(_class, _name, _attribute(_name, _text))

_ANY = "Numerator and denominator; zeros, poles and gain; or four matrices."
for _class, _text in (
    (lti, _ANY),
    (dlti, _ANY),
    (TransferFunction, "Another system, or numerator and denominator."),
    (ZerosPolesGain, "Another system, or zeros, poles and gain."),
    (StateSpace, "Another system, or the matrices A, B, C and D."),
):
    # The interpreter may drop docstrings.
    _class.__doc__ = _class.__doc__ and _class.__doc__ + _PARAMETERS.format(_text)

# The forms in continuous and in discrete time, by the names of SciPy's classes.
_CLASSES = {
    form.__name__ + time: type(form.__name__ + time, (form, base), {"__doc__": form.__doc__})
    for form in (TransferFunction, ZerosPolesGain, StateSpace)
    for time, base in (("Continuous", lti), ("Discrete", dlti))
}
for _class in (lti, dlti, TransferFunction, ZerosPolesGain, StateSpace, *_CLASSES.values()):
    # The name by which programs import the class.
    _class.__module__ = "phalanx.scipy.signal"
