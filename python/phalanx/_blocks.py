"""Blocks as decorators."""

import functools as _functools


def decorated(block, function):
    """A function each of whose calls is inside of a block."""

    @_functools.wraps(function)
    def inside(*arguments, **keywords):
        with block:
            return function(*arguments, **keywords)

    return inside
