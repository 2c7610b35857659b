"""The translation of Python expressions to CUDA C++: see ``translate``."""

import ast as _ast
import operator as _operator
import re as _re

import numpy as _numpy

from . import operations as _operations
from .types import (
    BOOL, INT64, NUMBERS, Array, Data, Iterator, Known, Opaque, Pointer, Record, Scalar, Several,
    convert, fits, is_number, literal, literal_dtype, operand, promote, real_of,
)

_UFUNCS = {
    _ast.Add: "add", _ast.Sub: "subtract", _ast.Mult: "multiply", _ast.Div: "true_divide",
    _ast.FloorDiv: "floor_divide", _ast.Mod: "remainder", _ast.Pow: "power",
    _ast.LShift: "left_shift", _ast.RShift: "right_shift", _ast.BitAnd: "bitwise_and",
    _ast.BitOr: "bitwise_or", _ast.BitXor: "bitwise_xor", _ast.Eq: "equal",
    _ast.NotEq: "not_equal", _ast.Lt: "less", _ast.LtE: "less_equal", _ast.Gt: "greater",
    _ast.GtE: "greater_equal", _ast.USub: "negative", _ast.UAdd: "positive",
    _ast.Invert: "invert",
}
_COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
# Operations on objects that the translation knows are Python's own.
_PYTHONS = {
    _ast.Add: _operator.add, _ast.Sub: _operator.sub, _ast.Mult: _operator.mul,
    _ast.Div: _operator.truediv, _ast.FloorDiv: _operator.floordiv, _ast.Mod: _operator.mod,
    _ast.Pow: _operator.pow, _ast.LShift: _operator.lshift, _ast.RShift: _operator.rshift,
    _ast.BitAnd: _operator.and_, _ast.BitOr: _operator.or_, _ast.BitXor: _operator.xor,
    _ast.Eq: _operator.eq, _ast.NotEq: _operator.ne, _ast.Lt: _operator.lt,
    _ast.LtE: _operator.le, _ast.Gt: _operator.gt, _ast.GtE: _operator.ge,
    _ast.USub: _operator.neg, _ast.UAdd: _operator.pos, _ast.Invert: _operator.invert,
    _ast.Is: _operator.is_, _ast.IsNot: _operator.is_not,
    _ast.In: lambda item, items: item in items,
    _ast.NotIn: lambda item, items: item not in items,
}


def is_scalar(value):
    """Whether a value is a number, known or not."""
    return is_number(value) or (isinstance(value, Data) and isinstance(value.type, Scalar))


class Expressions:
    """The expressions of a function: the methods ``do_<class of the syntax tree>`` and others."""

    def expression(self, node):
        """The value of an expression."""
        if isinstance(node, _ast.Name):
            return self.do_name(node)
        method = getattr(self, f"value_{type(node).__name__}", None)
        if method is None:
            self.unsupported(node)
        return method(node)

    def describe(self, value):
        """A value for an error."""
        if isinstance(value, Data):
            return str(value.type)
        if isinstance(value, Several):
            return f"a tuple of {len(value.items)}"
        if isinstance(value.value, NUMBERS):
            return f"the number {value.value!r}"
        return f"{value.value!r}"

    def known(self, value):
        """A Python object as a value. Objects such as ``threadIdx`` stand for variables of C++."""
        place = getattr(type(value), "_jit_data", None)
        return place(value) if place is not None else Known(value)

    def members(self, node, value):
        """The members of a tuple; None if the value is not one."""
        if isinstance(value, Several):
            return value
        if isinstance(value, Known) and isinstance(value.value, (tuple, list)):
            return Several(self.known(one) for one in value.value)
        if isinstance(value, Data) and isinstance(value.type, Record):
            code = value.code
            if not value.pure:
                code = self.temporary(value.type)
                self.before(node, f"{code} = {value.code};")
            return Several(
                Data(f"{code}.v{number}", one) for number, one in enumerate(value.type.members)
            )
        return None

    # Numbers

    def number(self, node, value):
        """A value that must be a number."""
        if not is_scalar(value):
            self.fail(
                node, f"a number is needed, not {self.describe(value)}",
                hint="index the array, or the tuple" if not isinstance(value, Known) else None,
            )
        return value

    def operate(self, node, name, *values):
        """An operation of NumPy's on numbers."""
        if name in _COMPARISONS:
            values = [self._comparable(one, values) for one in values]
        operands = tuple(operand(self.mode, self.number(node, one)) for one in values)
        if any(one is None for one in operands):
            self.fail(node, "the number is out of the range of 64 bits", OverflowError, "large")
        try:
            dtypes, result = _operations.resolve(self.mode, name, operands)
            codes = [self.operand(node, one, dtype) for one, dtype in zip(values, dtypes)]
            code = _operations.spell(self.program, self.mode, name, dtypes, result, codes)
        except TypeError as error:
            if hasattr(error, "code"):
                raise
            types = ", ".join(self.describe(one) for one in values)
            self.fail(node, f"`{name}` of {types}: {str(error).splitlines()[0]}")
        pure = all(isinstance(one, Known) or one.pure for one in values)
        return Data(code, Scalar(result), pure)

    def _comparable(self, value, values):
        """A Python integer beyond the dtype that it is compared with: it is compared all the same,
        as a number of 64 bits."""
        if not is_number(value) or type(value.value) is not int or self.mode != "numpy":
            return value
        others = [one.dtype for one in values if isinstance(one, Data) and one.dtype is not None]
        within = all(one.kind not in "iu" or fits(value.value, one) for one in others)
        wide = literal_dtype(self.mode, value.value)
        return value if within or wide is None else Known(wide.type(value.value))

    def operand(self, node, value, dtype):
        """A number as C++ of the dtype of an operation."""
        if isinstance(value, Known) and self.mode == "numpy" and not fits(value.value, dtype):
            if dtype.kind in "iu":
                self.fail(
                    node, f"{value.value!r} is out of the range of {dtype}", OverflowError, "large",
                    f"convert the other operand, for example with np.{_wider(value.value)}(...)",
                )
        return self.converted(value, dtype)

    def cast(self, node, value, dtype):
        """A number converted as ``astype`` converts."""
        value = self.number(node, value)
        pure = isinstance(value, Known) or value.pure
        try:
            return Data(self.converted(value, dtype), Scalar(dtype), pure)
        except (TypeError, ValueError, OverflowError):
            self.fail(node, f"{self.describe(value)} has no value as {dtype}", ValueError, "value")

    def stored(self, node, value, type):
        """A value as C++ for an element of an array."""
        if not isinstance(type, Scalar):
            self.fail(node, f"an element of {type} cannot be assigned")
        value = self.number(node, value)
        if not self.may_store(value, type.dtype):
            self.fail(
                node, f"an element is {type}, and this is {self.describe(value)}",
                hint=f"convert it: np.{type}(...)",
            )
        return self.converted(value, type.dtype)

    def truth(self, node, value):
        """Whether a value is true, if that is known, and else a condition of C++."""
        if isinstance(value, Known):
            return bool(value.value), None
        if isinstance(value, Several):
            return bool(value.items), None
        if not is_scalar(value):
            self.fail(node, f"{value.type} is neither true nor false", hint="compare an element")
        return None, convert(value.code, value.dtype, BOOL)

    def condition(self, node):
        """As ``truth``, of an expression. Operators of logic do not keep their operands here."""
        if isinstance(node, _ast.BoolOp):
            return self._condition_of_all(node)
        if isinstance(node, _ast.UnaryOp) and isinstance(node.op, _ast.Not):
            known, code = self.condition(node.operand)
            return (not known, None) if known is not None else (None, f"(!{code})")
        return self.truth(node, self.expression(node))

    def _condition_of_all(self, node):
        with self.guard(guarded=self.guarded):
            return self._conditions_of_all(node)

    def _conditions_of_all(self, node):
        decides = isinstance(node.op, _ast.Or)
        codes = []
        for one in node.values:
            known, code = self.condition(one)
            if known is None:
                codes.append(code)
                # What follows is skipped if this operand decides.
                self.guarded = True
                self.conditions.append(f"!{code}" if decides else code)
            elif known is decides:
                if not codes:
                    return decides, None
                codes.append("true" if decides else "false")
                break
        if not codes:
            return not decides, None
        sign = " || " if decides else " && "
        return None, f"({sign.join(codes)})" if len(codes) > 1 else codes[0]

    def value_BoolOp(self, node):
        """`and` and `or` give one of their operands."""
        value = self.expression(node.values[0])
        for one in node.values[1:]:
            value = self._logical(node, value, one)
        return value

    def _logical(self, node, left, right_node):
        is_or = isinstance(node.op, _ast.Or)
        known, condition = self.truth(node, left)
        if known is not None:
            return left if known is is_or else self.expression(right_node)
        skips = f"!{condition}" if is_or else condition
        if left.dtype == BOOL:
            with self.guard(skips):
                right = self.expression(right_node)
            if is_number(right) and isinstance(right.value, bool) or (
                isinstance(right, Data) and right.dtype == BOOL
            ):
                sign = "||" if is_or else "&&"
                pure = left.pure and (isinstance(right, Known) or right.pure)
                code = self.converted(right, BOOL)
                return Data(f"({condition} {sign} {code})", Scalar(BOOL), pure)
        else:
            with self.guard(skips):
                right = self.expression(right_node)
        left = self.once(node, left)
        known, condition = self.truth(node, left)
        return self._select(node, condition, left, right) if is_or else self._select(
            node, condition, right, left
        )

    def once(self, node, value):
        """A value that may be written twice."""
        if not isinstance(value, Data):
            return value
        # Text that is written twice in nested expressions would grow without bounds.
        if value.pure and (self.guarded or len(value.code) < 80):
            return value
        kept = self.temporary(value.type)
        self.before(node, f"{kept} = {value.code};")
        return Data(kept, value.type)

    # Expressions

    def value_Constant(self, node):
        return Known(node.value)

    def value_Tuple(self, node):
        items = []
        for one in node.elts:
            if isinstance(one, _ast.Starred):
                inner = self.members(one, self.expression(one.value))
                if inner is None:
                    self.fail(one, "only a tuple can be unpacked")
                items += inner.items
            else:
                items.append(self.expression(one))
        if all(isinstance(one, Known) for one in items):
            return Known(tuple(one.value for one in items))
        return Several(items)

    def value_BinOp(self, node):
        return self.binary(node, self.expression(node.left), node.op, self.expression(node.right))

    def binary(self, node, left, op, right):
        if isinstance(left, Known) and isinstance(right, Known):
            return self.fold(node, op, left.value, right.value)
        moved = self._move(node, left, op, right)
        if moved is not None:
            return moved
        if type(op) not in _UFUNCS:
            self.fail(node, f"`{type(op).__name__}` is not there in kernels",
                      hint="write loops, or use thrust.inner_product")
        self._check_exponent(node, left, op, right)
        return self.operate(node, _UFUNCS[type(op)], left, right)

    def fold(self, node, op, *values):
        """An operation on known objects."""
        try:
            return self.known(_PYTHONS[type(op)](*values))
        except Exception as error:
            self.fail(node, f"{type(error).__name__}: {error}")

    def _check_exponent(self, node, left, op, right):
        """NumPy refuses negative powers of integers, too."""
        if not isinstance(op, _ast.Pow) or not is_number(right) or not isinstance(left, Data):
            return
        exponent = right.value
        if left.dtype is not None and left.dtype.kind in "iu" and (
            isinstance(exponent, (int, _numpy.integer)) and exponent < 0
        ):
            self.fail(node, "integers to negative integer powers are not allowed", ValueError,
                      "value", "convert the base with float(...)")

    def _move(self, node, left, op, right):
        """Sums of a pointer or an iterator and an integer, and differences of two."""
        if not isinstance(op, (_ast.Add, _ast.Sub)):
            return None
        moves = [isinstance(one, Data) and isinstance(one.type, (Pointer, Iterator))
                 for one in (left, right)]
        if moves == [True, True] and isinstance(op, _ast.Sub):
            return Data(f"((long long)({left.code} - {right.code}))", Scalar(INT64))
        if moves == [False, True] and isinstance(op, _ast.Add):
            left, right = right, left
        elif moves != [True, False]:
            return None
        by = self.index(node, right)
        sign = "+" if isinstance(op, _ast.Add) else "-"
        type = Pointer(left.type.element) if isinstance(left.type, Pointer) else left.type
        return Data(f"({left.code} {sign} {by})", type, left.pure)

    def value_UnaryOp(self, node):
        if isinstance(node.op, _ast.Not):
            known, code = self.condition(node)
            if known is not None:
                return Known(known)
            return Data(code, Scalar(BOOL), _is_pure(code))
        value = self.expression(node.operand)
        if isinstance(value, Known):
            return self.fold(node, node.op, value.value)
        return self.operate(node, _UFUNCS[type(node.op)], value)

    def value_Compare(self, node):
        left, parts, pure = self.expression(node.left), [], True
        before = self.guarded
        for number, (op, right_node) in enumerate(zip(node.ops, node.comparators)):
            right = self.expression(right_node)
            if number < len(node.ops) - 1:
                right = self.once(node, right)
            part = self._compare(node, left, op, right)
            left = right
            if isinstance(part, Known):
                if part.value:
                    continue
                self.guarded = before
                return Known(False) if not parts else self._all(parts + ["false"], pure)
            parts.append(convert(part.code, part.dtype, BOOL))
            pure = pure and part.pure
            self.guarded = True
        self.guarded = before
        return self._all(parts, pure) if parts else Known(True)

    def _all(self, parts, pure):
        code = parts[0] if len(parts) == 1 else f"({' && '.join(parts)})"
        return Data(code, Scalar(BOOL), pure)

    def _compare(self, node, left, op, right):
        if isinstance(left, Known) and isinstance(right, Known):
            return self.fold(node, op, left.value, right.value)
        if isinstance(op, (_ast.Is, _ast.IsNot)):
            if Known in (type(left), type(right)):
                return Known(isinstance(op, _ast.IsNot))
            self.fail(node, "`is` compares objects, which values of kernels are not", hint="use ==")
        if isinstance(op, (_ast.In, _ast.NotIn)):
            return self._contains(node, left, right, isinstance(op, _ast.In))
        places = [isinstance(one, Data) and isinstance(one.type, (Pointer, Iterator))
                  for one in (left, right)]
        if all(places):
            sign = {"Eq": "==", "NotEq": "!=", "Lt": "<", "Gt": ">"}.get(type(op).__name__)
            if sign is not None:
                return Data(f"({left.code} {sign} {right.code})", Scalar(BOOL))
        return self.operate(node, _UFUNCS[type(op)], left, right)

    def _contains(self, node, item, items, wanted):
        items = self.members(node, items)
        if items is None:
            self.fail(node, "`in` looks into tuples only", hint="write a loop")
        item = self.once(node, item)
        parts = [self._compare(node, item, _ast.Eq(), one) for one in items.items]
        codes = [one.code if isinstance(one, Data) else str(one.value).lower() for one in parts]
        code = f"({' || '.join(codes)})" if codes else "false"
        return Data(code if wanted else f"(!{code})", Scalar(BOOL))

    def value_IfExp(self, node):
        known, condition = self.condition(node.test)
        if known is not None:
            return self.expression(node.body if known else node.orelse)
        with self.guard(condition):
            body = self.expression(node.body)
        with self.guard(f"!{condition}"):
            other = self.expression(node.orelse)
        return self._select(node, condition, body, other)

    def _select(self, node, condition, body, other):
        if is_scalar(body) and is_scalar(other):
            operands = operand(self.mode, body), operand(self.mode, other)
            if any(one is None for one in operands):
                self.fail(node, "the number is out of the range of 64 bits", OverflowError, "large")
            dtype = promote(self.mode, *operands)
            codes = [self.operand(node, one, dtype) for one in (body, other)]
            pure = _is_pure(condition, body, other)
            return Data(f"({condition} ? {codes[0]} : {codes[1]})", Scalar(dtype), pure)
        both = isinstance(body, Data) and isinstance(other, Data)
        if both and body.type.c == other.type.c:
            pure = _is_pure(condition, body, other)
            return Data(f"({condition} ? {body.code} : {other.code})", body.type, pure)
        self.fail(
            node, f"the value is {self.describe(body)} or {self.describe(other)}",
            hint="use an `if` statement",
        )

    # Attributes and elements

    def value_Attribute(self, node):
        return self.attribute(node, self.expression(node.value), node.attr)

    def attribute(self, node, value, name):
        if isinstance(value, Data):
            found = self._attribute_of_data(value, name)
            if found is not None:
                return found
            self.fail(node, f"{value.type} has no attribute `{name}` in kernels", AttributeError,
                      "absent")
        if isinstance(value, Several):
            self.fail(node, "a tuple has no attributes in kernels", AttributeError, "absent")
        try:
            return self.known(getattr(value.value, name))
        except AttributeError as error:
            self.fail(node, str(error).splitlines()[0], AttributeError, "absent")

    def _attribute_of_data(self, value, name):
        type = value.type
        if isinstance(type, Array):
            return self._attribute_of_array(value, name)
        if isinstance(type, Scalar):
            if name in ("real", "imag"):
                return self.part(value, name)
            if name in ("ndim", "size", "shape", "strides", "T", "itemsize", "dtype"):
                zero = type.dtype.type(0)
                return value if name == "T" else Known(getattr(zero, name))
        if isinstance(type, Pointer) and name in ("size", "dtype", "ndim", "shape"):
            if isinstance(type.element, Scalar) and type.size is not None:
                values = {"size": type.size, "dtype": type.element.dtype, "ndim": 1,
                          "shape": (type.size,)}
                return Known(values[name])
        if isinstance(type, Opaque) and type.kind == "triple" and name in ("x", "y", "z"):
            return Data(f"{value.code}.{name}", Scalar(_numpy.dtype("uint32")), value.pure)
        return None

    def _attribute_of_array(self, value, name):
        type = value.type
        if name in ("shape", "strides"):
            parts = [f"{value.code}.{name}[{axis}]" for axis in range(type.ndim)]
            return Several(Data(one, Scalar(INT64)) for one in parts)
        if name == "size":
            code = f"{value.code}.shape[0]" if type.ndim == 1 else f"{value.code}.size()"
            return Data(code, Scalar(INT64))
        if name == "nbytes":
            return Data(f"({value.code}.size() * {type.dtype.itemsize})", Scalar(INT64))
        known = {"ndim": type.ndim, "dtype": type.dtype, "itemsize": type.dtype.itemsize}
        return Known(known[name]) if name in known else None

    def part(self, value, name):
        """The real or the imaginary part of a number."""
        if value.dtype.kind == "c":
            return Data(f"{name}({value.code})", Scalar(real_of(value.dtype)), value.pure)
        zero = Data(literal(0, value.dtype), value.type)
        return value if name == "real" else zero

    def value_Subscript(self, node):
        owner = self.expression(node.value)
        if isinstance(node.slice, _ast.Slice) and isinstance(owner, (Known, Several)):
            return self._slice(node, owner)
        if isinstance(owner, Known) and not isinstance(owner.value, (tuple, list)):
            return self._known_item(node, owner)
        items = self.members(node, owner)
        if items is not None:
            return self._item(node, items)
        place, type = self._element(node, owner)
        return Data(place, type)

    def _known_item(self, node, owner):
        index = self.expression(node.slice)
        if isinstance(index, Several) or not isinstance(index, Known):
            self.fail(
                node, f"{type(owner.value).__name__} cannot be indexed by a value of the kernel",
                hint="pass it to the kernel as an array",
            )
        try:
            return self.known(owner.value[index.value])
        except Exception as error:
            self.fail(node, f"{type(error).__name__}: {str(error).splitlines()[0]}")

    def _slice(self, node, owner):
        owner = self.members(node, owner)
        parts = [None if one is None else self.expression(one)
                 for one in (node.slice.lower, node.slice.upper, node.slice.step)]
        if owner is None or any(one is not None and not isinstance(one, Known) for one in parts):
            self.fail(node, "slices are there for tuples only, with known bounds")
        made = slice(*(None if one is None else one.value for one in parts))
        return Several(owner.items[made])

    def _item(self, node, items):
        """An item of a tuple; an index that is not known selects among numbers of one dtype."""
        index, count = self.expression(node.slice), len(items.items)
        if isinstance(index, Known) and isinstance(index.value, (int, _numpy.integer)):
            if not -count <= index.value < count:
                self.fail(node, f"a tuple of {count} has no item {index.value}", IndexError, "key")
            return items.items[index.value]
        dtypes = [one.dtype if isinstance(one, Data) else literal_dtype(self.mode, one.value)
                  if is_number(one) else None for one in items.items]
        if not count or any(one is None for one in dtypes) or not is_scalar(index):
            self.fail(node, "this tuple is indexed by known integers only")
        dtype = promote(self.mode, *dtypes)
        at = self.once(node, self.operate(node, "add", index, Known(0))).code
        code = self.converted(items.items[-1], dtype)
        for number in range(count - 2, -1, -1):
            value = self.converted(items.items[number], dtype)
            code = f"({at} == {number} || {at} == {number - count} ? {value} : {code})"
        return Data(code, Scalar(dtype), False)

    def index(self, node, value, length=None):
        """An index as C++. A known negative one counts from the end."""
        value = self.number(node, value)
        dtype = value.dtype if isinstance(value, Data) else literal_dtype("cuda", value.value)
        if dtype is None or dtype.kind not in "iu":
            self.fail(
                node, f"an index is an integer, not {self.describe(value)}",
                IndexError if isinstance(value, Known) else TypeError, "key",
                "convert it with int(...)",
            )
        if isinstance(value, Data):
            return value.code
        if value.value < 0 and length is not None:
            return f"{length} - {-int(value.value)}"
        return str(int(value.value))

    def element(self, node, twice=False):
        """The place of an element that is assigned, and its type. ``twice`` says that the place is
        written twice, so that the indices must be evaluated before."""
        owner = self.expression(node.value)
        if not isinstance(owner, Data):
            self.fail(node, f"{self.describe(owner)} cannot be changed in a kernel",
                      hint="store results in an array")
        self._has_impure_index = False
        place, type = self._element(node, owner)
        if not isinstance(type, (Scalar, Opaque)):
            self.fail(node, f"the index selects {type}, and not one element",
                      hint="write a loop over the remaining axes")
        if isinstance(owner.type, Iterator) and not owner.type.writable:
            self.fail(node, "the iterator is read only")
        if twice and self._has_impure_index:
            kept = self.temporary(Pointer(type))
            self.before(node, f"{kept} = &{place};")
            place = f"(*{kept})"
        return place, type

    _has_impure_index = False

    def _element(self, node, owner):
        """The text and the type of an element, or of a row of an array."""
        indices = self._indices(node)
        type = owner.type
        if isinstance(type, Array):
            return self._element_of_array(node, owner, indices)
        if not isinstance(type, (Pointer, Iterator)):
            self.fail(node, f"{type} has no elements", hint="index arrays and tuples only")
        if len(indices) != 1:
            self.fail(node, f"{type} has 1 axis, not {len(indices)}", IndexError, "key")
        length = getattr(type, "size", None)
        place = f"{owner.code}[{self.index(node, indices[0], length)}]"
        if isinstance(type, Pointer):
            return place, type.element
        return place, Scalar(type.dtype)

    def _indices(self, node):
        if isinstance(node.slice, _ast.Slice) or isinstance(node.slice, _ast.Tuple) and any(
            isinstance(one, _ast.Slice) for one in node.slice.elts
        ):
            self.fail(node, "slices of arrays are not there in kernels",
                      hint="use integers; x[i] is row i of an array with more axes")
        index = self.expression(node.slice)
        items = self.members(node, index)
        found = [index] if items is None else items.items
        if found and isinstance(found[-1], Known) and found[-1].value is Ellipsis:
            found = found[:-1]
        if any(isinstance(one, Data) and not one.pure for one in found):
            self._has_impure_index = True
        return found

    def _element_of_array(self, node, owner, indices):
        type, code = owner.type, owner.code
        if len(indices) > type.ndim:
            self.fail(node, f"the array has {type.ndim} axes, not {len(indices)}", IndexError,
                      "key")
        at = ", ".join(
            self.index(node, one, f"{code}.shape[{axis}]") for axis, one in enumerate(indices)
        )
        if len(indices) == type.ndim:
            return f"{code}({at})", Scalar(type.dtype)
        if not indices:
            return code, type
        rest = Array(type.dtype, type.ndim - len(indices), type.contiguous)
        return f"{code}.row({at})", rest


# Calls of functions that may write, or that wait for other threads.
_IMPURE = _re.compile(r"\bjit_\w+\(|atomic|__\w+\(|phalanx::\w+\(|printf")


def _is_pure(condition, *values):
    pure = all(isinstance(one, Known) or one.pure for one in values)
    return pure and not _IMPURE.search(condition)


def _wider(number):
    return "int64" if -(2**63) <= number < 2**63 else "uint64"
