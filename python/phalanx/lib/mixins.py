"""``numpy.lib.mixins``: the operators of classes that define ``__array_ufunc__``."""

from .. import _phalanx

__all__ = ["NDArrayOperatorsMixin"]

# The operators of two operands with a reflected and an in-place form, by their ufuncs.
_BINARY = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "matmul": "matmul",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "power",
    "lshift": "left_shift",
    "rshift": "right_shift",
    "and": "bitwise_and",
    "xor": "bitwise_xor",
    "or": "bitwise_or",
}
_COMPARISONS = {
    "lt": "less",
    "le": "less_equal",
    "eq": "equal",
    "ne": "not_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
_UNARY = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}


def _takes_no_part(other):
    """Whether an operand's class answers the operator by its own method."""
    return getattr(other, "__array_ufunc__", other) is None


def _forward(ufunc):
    def operator(self, other):
        return NotImplemented if _takes_no_part(other) else ufunc(self, other)

    return operator


def _reflected(ufunc):
    def operator(self, other):
        return NotImplemented if _takes_no_part(other) else ufunc(other, self)

    return operator


def _in_place(ufunc):
    def operator(self, other):
        return ufunc(self, other, out=(self,))

    return operator


def _alone(ufunc):
    def operator(self):
        return ufunc(self)

    return operator


class NDArrayOperatorsMixin:
    """Python's operators by ufuncs, for a class whose ``__array_ufunc__`` computes these."""

    __slots__ = ()
    # As in NumPy: a class with `__eq__` has no hash of its own.
    __hash__ = None


def _add(name, operator):
    operator.__name__ = f"__{name}__"
    operator.__qualname__ = f"NDArrayOperatorsMixin.__{name}__"
    setattr(NDArrayOperatorsMixin, operator.__name__, operator)


for _table, _forms in (
    (_BINARY | {"divmod": "divmod"}, {"": _forward, "r": _reflected, "i": _in_place}),
    (_COMPARISONS, {"": _forward}),
    (_UNARY, {"": _alone}),
):
    for _name, _ufunc in _table.items():
        for _prefix, _form in _forms.items():
            # Python has no `divmod` in place.
            if (_prefix, _name) != ("i", "divmod"):
                _add(_prefix + _name, _form(getattr(_phalanx, _ufunc)))
del _table, _forms, _name, _ufunc, _prefix, _form
