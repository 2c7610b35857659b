"""``with`` blocks as decorators."""

import functools as _functools


def decorated(block, function):
    """A function that enters the ``with`` block for each call."""

    @_functools.wraps(function)
    def inside(*arguments, **keywords):
        with block:
            return function(*arguments, **keywords)

    return inside
