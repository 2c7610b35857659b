"""Functions of few numbers: SciPy's own, on the host."""

import inspect

from .._host_calls import Calls, Held, agreed_seed
from ._parameters import PARAMETERS


class StatisticsCalls(Calls):
    """The functions of an area of statistics that are SciPy's own."""

    def __init__(self, area, parameters=PARAMETERS):
        super().__init__(area, parameters, omits_none=True)

    def called(self, function, name):
        """A statistic of the user, which SciPy calls with arrays of NumPy, many times."""
        return function


calls = StatisticsCalls("stats")
scipy_stats, to_host, from_host = calls.module, calls.to_host, calls.from_host


class HostObject(Held):
    """An object of SciPy: a distribution, frozen or not. Its methods run on the host.

    Arguments are copied to the host, which is refused for long arrays, and results back. Random
    numbers without a `random_state` have a seed on which all processes agree.
    """

    _calls = calls

    def __init__(self, of_scipy, name):
        super().__init__(of_scipy)
        self.__dict__["_name"] = name

    def __repr__(self):
        return f"<distribution {self._name} of SciPy>"

    def __call__(self, *args, **kwds):
        return HostObject(calls.answer(self._of_scipy, self._name, args, kwds), self._name)

    def _answer(self, function, args, options):
        for word in _random_parameters(function):
            if options.get(word) is None:
                options[word] = agreed_seed()
        made = calls.answer(function, self._name, args, options)
        return HostObject(made, self._name) if function.__name__ == "freeze" else from_host(made)

    def __reduce__(self):
        return HostObject, (self._of_scipy, self._name)


def _random_parameters(method):
    """The parameters of a method that take a seed."""
    if method.__name__ == "rvs":
        return ("random_state",)
    try:
        names = inspect.signature(method).parameters
    except (TypeError, ValueError):
        return ()
    return [one for one in ("rng", "random_state") if one in names]


def distribution(name):
    """A distribution of SciPy by its name."""
    return HostObject(calls.found(name), name)
