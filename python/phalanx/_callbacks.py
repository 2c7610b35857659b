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


def _of_objects(answer):
    """NumPy's arrays of objects as arrays of ours; other objects stay as they are."""
    import numpy

    if isinstance(answer, tuple):
        return tuple(map(_of_objects, answer))
    if not isinstance(answer, numpy.ndarray):
        return answer
    found = numpy.array(answer.ravel().tolist())
    if found.shape != (answer.size,):
        raise _refusal(
            TypeError,
            "elements",
            "arrays hold numbers and truth values: the function gives sequences",
        )
    return _phalanx.asarray(found.reshape(answer.shape))


class _PythonUfunc:
    """A ufunc of NumPy's that calls a Python function, for arrays of ours."""

    def __init__(self, host, text):
        self._host, self.__doc__, self.__name__ = host, text, host.__name__
        for name in ("identity", "nargs", "nin", "nout", "ntypes", "signature", "types"):
            setattr(self, name, getattr(host, name))

    def __repr__(self):
        return repr(self._host)

    def __call__(self, *args, **kwargs):
        return self._by(self._host, args, kwargs)

    def accumulate(self, *args, **kwargs):
        """The results of applying the function to more and more elements along an axis."""
        return self._by(self._host.accumulate, args, kwargs)

    def at(self, a, indices, /, *b):
        """Applies the function in place to the elements at indices, once for each index."""
        if not isinstance(a, _phalanx.ndarray) or _phalanx.isscalar(a):
            raise _refusal(TypeError, "type", "first operand must be array")
        host = a.get()
        self._host.at(host, _map(_to_host, indices), *_map(_to_host, b))
        a[...] = host

    def outer(self, *args, **kwargs):
        """The results for all pairs of elements of two arrays."""
        return self._by(self._host.outer, args, kwargs)

    def reduce(self, *args, **kwargs):
        """The result of applying the function to all elements along an axis."""
        return self._by(self._host.reduce, args, kwargs)

    def reduceat(self, *args, **kwargs):
        """The results of applying the function to slices along an axis."""
        return self._by(self._host.reduceat, args, kwargs)

    def _by(self, call, args, kwargs):
        fetched = []

        def to_host(value):
            host = _to_host(value)
            if host is not value:
                fetched.append((value, host))
            return host

        def kept(answer):
            if isinstance(answer, tuple):
                return tuple(map(kept, answer))
            # NumPy returns an output that it was given.
            for output, host in fetched:
                if answer is host:
                    _phalanx.copyto(output, host)
                    return output
            return _of_objects(answer)

        return kept(call(*_map(to_host, args), **_map(to_host, kwargs)))


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
        A function of arrays; its results have the shape to which the arrays broadcast. It has the
        methods `reduce`, `accumulate`, `reduceat` and `outer`, and the attributes of a ufunc.

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
    return _PythonUfunc(numpy.frompyfunc(func, nin, nout, **keywords), func.__doc__)
