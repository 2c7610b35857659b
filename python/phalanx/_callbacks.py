"""Python functions of single elements, called on the host."""

from . import _phalanx
from . import _vectorized
from ._phalanx import _refusal
from ._interoperability import _from_host, _map, _to_host


def _brought(value):
    """A result of NumPy as an array of ours; NumPy's scalars become arrays without axes."""
    import numpy

    return _phalanx.asarray(value) if isinstance(value, numpy.generic) else _from_host(value)


class vectorize:
    """A function of arrays made from a function of numbers, with NumPy's parameters.

    A function of plain arithmetic is translated for arrays of 10,000 elements and more, and runs on
    their devices, split like its operands. Other calls fetch their arrays (Collective), call the
    function for each element on the host of every process, and make arrays of the results. Without
    `otypes` the first result determines the dtype. Results that are no numbers raise a TypeError.
    """

    def __init__(self, *args, **kwargs):
        import numpy

        self._host = numpy.vectorize(*args, **kwargs)
        self.__doc__ = self._host.__doc__

    def __call__(self, *args, **kwargs):
        if not kwargs:
            translated = _vectorized.translated(self._host, args)
            if translated is not None:
                return translated
        answer = self._host(*_map(_to_host, args), **_map(_to_host, kwargs))
        if answer is self._host:
            # A decorator with options receives the function now.
            self.__doc__ = answer.__doc__
            return self
        return _map(_brought, answer)


def frompyfunc(func, /, nin, nout, *, identity=None):
    """A function of arrays made from a Python function; the arrays are broadcast to one shape.

    As `vectorize`, but all results determine the dtype: there are no arrays of objects.

    Parameters
    ----------
    func : callable
        A function of numbers.
    nin : int
        The number of its arguments.
    nout : int
        The number of its results.
    identity : scalar, optional
        The result for no elements.

    Returns
    -------
    callable
        A function of arrays; its results have the shape to which the arrays broadcast.

    Raises
    ------
    TypeError
        Raised by calls if results are no numbers.

    Notes
    -----
    Calls are Collective: arrays are fetched to the host, and the function is called there.
    """
    import numpy

    keywords = {} if identity is None else {"identity": identity}
    host = numpy.frompyfunc(func, nin, nout, **keywords)

    def made(objects):
        objects = numpy.asarray(objects, dtype=object)
        found = numpy.array(objects.ravel().tolist())
        if found.shape != (objects.size,):
            raise _refusal(
                TypeError,
                "elements",
                "arrays hold numbers and truth values: the function gives sequences",
            )
        return _phalanx.asarray(found.reshape(objects.shape))

    def call(*args):
        answer = host(*_map(_to_host, args))
        return tuple(map(made, answer)) if nout > 1 else made(answer)

    call.__doc__ = func.__doc__
    return call
