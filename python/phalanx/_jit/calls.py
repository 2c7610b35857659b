"""The translation of calls in kernels from Python: see ``translate``."""

import ast as _ast
import inspect as _inspect
import types as _types

import numpy as _numpy

from . import operations as _operations
from .device import DeviceCalls
from .source import source_of
from .types import (
    BOOL, FLOAT64, INT32, INT64, Array, Data, Iterator, Known, Opaque, Pointer, Scalar, Several,
    is_number, known_dtype, literal_dtype, operand, promote, spelling,
)

# Functions of the module math that are operations of NumPy's under another name.
_OF_MATH = {"gamma": "tgamma", "fabs": "fabs", "pow": "power"}
_TO_INTEGERS = {"floor", "ceil", "trunc"}
_PYTHON_TYPES = {bool: BOOL, int: INT64, float: FLOAT64, complex: _numpy.dtype("complex128")}


class Calls(DeviceCalls):
    """The calls of a function."""

    def value_Call(self, node):
        if isinstance(node.func, _ast.Attribute):
            owner = self.expression(node.func.value)
            if isinstance(owner, (Data, Several)):
                return self.method(node, owner, node.func.attr)
            function = self.attribute(node.func, owner, node.func.attr)
        else:
            function = self.expression(node.func)
        if not isinstance(function, Known) or not callable(function.value):
            self.fail(node, f"{self.describe(function)} is not a function")
        return self.call(node, function.value)

    def arguments(self, node):
        """The values of the arguments of a call."""
        positional, named = [], {}
        for one in node.args:
            if isinstance(one, _ast.Starred):
                items = self.members(one, self.expression(one.value))
                if items is None:
                    self.fail(one, "only a tuple can be unpacked")
                positional += items.items
            else:
                positional.append(self.expression(one))
        for one in node.keywords:
            if one.arg is None:
                self.fail(node, "`**` is not there in kernels", hint="name each argument")
            named[one.arg] = self.expression(one.value)
        return positional, named

    def call(self, node, function):
        positional, named = self.arguments(node)
        builtin = getattr(function, "_jit_name", None)
        if builtin is not None:
            return self._call_builtin(node, function, builtin, positional, named)
        if getattr(function, "_jit_c", None) is not None:
            if len(positional) != 1 or named:
                self.fail(node, f"{function!r} takes its storage", mistake="count")
            return self.jit_cub_reduction(node, function, positional[0])
        if getattr(function, "_jit_device", None) is not None:
            return self._call_kernel(node, function, positional, named)
        if function is print:
            return self._print(node, positional, named)
        values = [*positional, *named.values()]
        if all(isinstance(one, Known) for one in values):
            return self._call_known(node, function, positional, named)
        return self._call_on_numbers(node, function, positional, named)

    def _bound(self, node, function, positional, named):
        """The arguments by the names of the parameters; defaults are known values."""
        try:
            bound = _inspect.signature(function).bind(*positional, **named)
        except TypeError as error:
            self.fail(node, f"{function.__name__}(): {error}", mistake="count")
        bound.apply_defaults()
        return {
            name: one if isinstance(one, (Known, Data, Several, tuple)) else Known(one)
            for name, one in bound.arguments.items()
        }

    def _call_builtin(self, node, function, name, positional, named):
        if name.startswith("thrust."):
            return self.algorithm(node, name.removeprefix("thrust."), positional, named)
        bound = self._bound(node, function, positional, named)
        family, _, rest = name.partition("_")
        if family in ("atomic", "shfl") and hasattr(self, f"jit_{family}"):
            return getattr(self, f"jit_{family}")(node, rest, **bound)
        return getattr(self, f"jit_{name.replace('.', '_')}")(node, **bound)

    def _call_known(self, node, function, positional, named):
        """A call whose arguments are all known is made now."""
        if self._is_of_arrays(function):
            # NumPy's function of the same name gives a number, and not an array on a device.
            function = getattr(_numpy, function.__name__, function)
        if isinstance(function, _types.FunctionType) and self._draws_on_devices(function):
            return self._call_function(node, function, positional, named)
        try:
            value = function(
                *(one.value for one in positional),
                **{name: one.value for name, one in named.items()},
            )
        except Exception as error:
            if hasattr(error, "code"):
                raise
            self.fail(node, f"{type(error).__name__}: {str(error).splitlines()[0]}")
        return self.known(value)

    def _is_of_arrays(self, function):
        module = getattr(function, "__module__", None) or ""
        is_ufunc = type(function).__name__ == "ufunc"
        return hasattr(function, "__name__") and (is_ufunc or module.startswith("phalanx"))

    def _draws_on_devices(self, function):
        """Whether a function of Python that is called without values of the kernel is part of the
        kernel all the same, because it uses names such as threadIdx."""
        try:
            source = source_of(function)
        except TypeError:
            return False
        inner = (_ast.FunctionDef, _ast.Lambda, _ast.ClassDef)
        waiting = [source.node.body] if isinstance(source.node, _ast.Lambda) else [
            *source.node.body
        ]
        while waiting:
            one = waiting.pop()
            if not isinstance(one, inner):
                waiting += _ast.iter_child_nodes(one)
            if isinstance(one, _ast.Attribute) and isinstance(one.value, _ast.Name):
                if one.value.id in source.outer and one.value.id not in source.locals:
                    owner = source.outer[one.value.id]
                    found = getattr(owner, one.attr, None)
                    name = getattr(found, "_jit_name", None)
                    if name is not None or hasattr(type(found), "_jit_data"):
                        return True
        return False

    def _call_kernel(self, node, kernel, positional, named):
        if not kernel._jit_device:
            self.fail(node, f"{kernel.__name__}() is a kernel, which kernels do not call",
                      hint="write @jit.rawkernel(device=True) before it")
        return self._call_function(node, kernel._jit_function, positional, named, kernel._jit_mode)

    def _call_function(self, node, function, positional, named, mode=None):
        # A function without a source, or with other than positional parameters, is refused here.
        source_of(function)
        bound = self._bound(node, function, positional, named)
        arguments = [self._typed(node, one, mode or self.mode) for one in bound.values()]
        name, result = self.program.call(self, node, function, arguments, mode)
        code = f"{name}({', '.join(self._passed(arguments))})"
        if result is None:
            self.before(node, f"{code};")
            return Known(None)
        return Data(code, result, pure=False)

    def _typed(self, node, value, mode):
        """An argument of a function: a Python number has the type of its parameter."""
        if not is_number(value):
            return value
        dtype = literal_dtype(mode, value.value)
        if dtype is None:
            self.fail(node, "the number is out of the range of 64 bits", OverflowError, "large")
        return Data(self.converted(value, dtype), Scalar(dtype))

    def _passed(self, arguments):
        """The arguments of C++: objects that the translation knows are none."""
        for one in arguments:
            if isinstance(one, Several):
                yield from self._passed(one.items)
            elif isinstance(one, Data):
                yield one.code

    def _call_on_numbers(self, node, function, positional, named):
        special = getattr(self, f"python_{function.__name__}", None) if (
            getattr(function, "__module__", None) == "builtins"
        ) else None
        if special is not None:
            self._check_arguments(node, function.__name__, special, positional, named)
            return special(node, *positional, **named)
        dtype = _PYTHON_TYPES.get(function)
        if isinstance(function, type) and issubclass(function, _numpy.generic):
            dtype = known_dtype(function)
        if dtype is not None:
            return self._convert(node, function, positional, dtype)
        name = getattr(function, "__name__", "")
        module = getattr(function, "__module__", None) or ""
        if type(function).__name__ == "ufunc":
            return self._call_ufunc(node, name, positional, named)
        if module == "math":
            return self._call_math(node, name, positional)
        if module.partition(".")[0] in ("numpy", "phalanx"):
            return self._call_numpy(node, name, positional, named)
        if isinstance(function, _types.FunctionType):
            return self._call_function(node, function, positional, named)
        self.fail(node, f"`{name or function!r}` is not there in kernels",
                  hint="use NumPy's or math's functions of numbers, or write a device function")

    def _convert(self, node, function, positional, dtype):
        if function is complex and len(positional) == 2:
            parts = [self.cast(node, one, FLOAT64).code for one in positional]
            return Data(f"complex<double>({', '.join(parts)})", Scalar(dtype))
        if len(positional) != 1:
            self.fail(node, f"{function.__name__}() takes one number", mistake="count")
        value = self.number(node, positional[0])
        if dtype.kind != "c" and isinstance(value, Data) and value.dtype.kind == "c":
            if dtype.kind != "b":
                self.fail(node, f"a complex number has no value as {dtype}", hint="use .real")
        return self.cast(node, value, dtype)

    def _call_ufunc(self, node, name, positional, named):
        known = _operations.known_name(name)
        dtype = named.pop("dtype", None)
        if known is None or named:
            what = f"`{name}`" if known is None else f"`{name}` with {', '.join(named)}="
            self.fail(node, f"{what} is not there in kernels")
        if len(positional) != _operations.arity(known):
            self.fail(node, f"{name}() takes {_operations.arity(known)} numbers", mistake="count")
        if dtype is not None:
            positional = [self.cast(node, one, known_dtype(dtype.value)) for one in positional]
        return self.operate(node, known, *positional)

    def _call_math(self, node, name, positional):
        if name == "log" and len(positional) == 2:
            parts = [self.operate(node, "log", one) for one in positional]
            return self.operate(node, "true_divide", *parts)
        known = _OF_MATH.get(name) or _operations.known_name(name)
        if known is None or known == "remainder":
            self.fail(node, f"`math.{name}` is not there in kernels")
        if len(positional) != _operations.arity(known):
            self.fail(node, f"{name}() takes {_operations.arity(known)} numbers", mistake="count")
        if known not in ("gcd", "lcm"):
            # The functions of math take floats: integers are converted first.
            positional = [self._as_float(node, one) for one in positional]
        if known == "ldexp":
            positional[1] = self.cast(node, positional[1], INT32)
        value = self.operate(node, known, *positional)
        return self.cast(node, value, INT64) if name in _TO_INTEGERS else value

    def _as_float(self, node, value):
        value = self.number(node, value)
        if isinstance(value, Data) and value.dtype.kind not in "fc":
            return self.cast(node, value, FLOAT64)
        return Known(float(value.value)) if isinstance(value, Known) else value

    def _call_numpy(self, node, name, positional, named):
        """Functions of NumPy's that are no ufuncs."""
        special = getattr(self, f"numpy_{name}", None)
        if special is None or named:
            self.fail(node, f"`{name}` is not there in kernels",
                      hint="write a loop over the elements")
        self._check_arguments(node, name, special, positional, named)
        return special(node, *positional)

    def _check_arguments(self, node, name, method, positional, named):
        try:
            _inspect.signature(method).bind(node, *positional, **named)
        except TypeError as error:
            self.fail(node, f"{name}(): {error}", mistake="count")

    # Functions of NumPy's and Python's

    def numpy_where(self, node, condition, x, y):
        known, code = self.truth(node, condition)
        if known is not None:
            return x if known else y
        return self._select(node, code, x, y)

    def numpy_clip(self, node, x, low, high):
        return self.operate(node, "minimum", self.operate(node, "maximum", x, low), high)

    def numpy_real(self, node, x):
        return self.part(self.once(node, self.number(node, x)), "real")

    def numpy_imag(self, node, x):
        return self.part(self.once(node, self.number(node, x)), "imag")

    def numpy_angle(self, node, x):
        x = self.once(node, self.number(node, x))
        return self.operate(node, "arctan2", self.part(x, "imag"), self.part(x, "real"))

    def numpy_rsqrt(self, node, x):
        return self.operate(node, "rsqrt", x)

    def python_len(self, node, x):
        if isinstance(x, Data) and isinstance(x.type, Array) and x.type.ndim:
            return Data(f"{x.code}.shape[0]", Scalar(INT64))
        if isinstance(x, Several):
            return Known(len(x.items))
        if isinstance(x, Data) and isinstance(x.type, Pointer) and x.type.size is not None:
            return Known(x.type.size)
        self.fail(node, f"{self.describe(x)} has no length")

    def _extreme(self, node, values, sign):
        if len(values) == 1:
            items = self.members(node, values[0])
            if items is None or not items.items:
                self.fail(node, "min() and max() take several numbers, or a tuple of them",
                          hint="write a loop over the elements of an array")
            values = items.items
        values = [self.number(node, one) for one in values]
        dtype = promote(self.mode, *(operand(self.mode, one) for one in values))
        code = self.converted(values[0], dtype)
        for one in values[1:]:
            try:
                code = _operations.extreme(
                    self.program, dtype, [code, self.converted(one, dtype)], sign
                )
            except TypeError as error:
                self.fail(node, str(error))
        pure = all(isinstance(one, Known) or one.pure for one in values)
        return Data(code, Scalar(dtype), pure)

    def python_min(self, node, *values):
        return self._extreme(node, values, "<")

    def python_max(self, node, *values):
        return self._extreme(node, values, ">")

    def python_abs(self, node, x):
        return self.operate(node, "absolute", x)

    def python_pow(self, node, x, y):
        return self.binary(node, x, _ast.Pow(), y)

    def python_round(self, node, x, digits=None):
        if digits is not None:
            self.fail(node, "round() to digits is not there in kernels")
        return self.cast(node, self.operate(node, "rint", self._as_float(node, x)), INT64)

    def python_divmod(self, node, x, y):
        x, y = (self.once(node, one) for one in (x, y))
        return Several([
            self.operate(node, "floor_divide", x, y), self.operate(node, "remainder", x, y)
        ])

    def python_tuple(self, node, x):
        items = self.members(node, x)
        if items is None:
            self.fail(node, f"{self.describe(x)} is no tuple")
        return items

    def python_range(self, node, *arguments):
        self.fail(node, "range() is there as the head of a `for` loop only")

    def python_sum(self, node, x):
        items = self.members(node, x)
        if items is None or not items.items:
            self.fail(node, "sum() takes a tuple of numbers", hint="write a loop")
        total = items.items[0]
        for one in items.items[1:]:
            total = self.binary(node, total, _ast.Add(), one)
        return total

    def range_arguments(self, node):
        """The arguments of a call of range, and its unroll=; None for another expression."""
        if not isinstance(node, _ast.Call):
            return None
        function = self.expression(node.func)
        name = getattr(function.value, "_jit_name", None) if isinstance(function, Known) else None
        if not isinstance(function, Known) or function.value is not range and name != "range":
            return None
        positional, named = self.arguments(node)
        unroll = named.pop("unroll", Known(None)) if name == "range" else Known(None)
        if named or not isinstance(unroll, Known):
            self.fail(node, f"range() has no argument {', '.join(named) or 'unroll= of a kernel'}",
                      mistake="keyword")
        return positional, unroll.value

    def _print(self, node, positional, named):
        """print() writes when the stream is synchronized, in any order of the threads."""
        if named or self.program.plain:
            self.fail(node, "print() takes values only, in kernels only")
        formats, values = [], []
        for one in positional:
            if isinstance(one, Known) and not is_number(one):
                formats.append(str(one.value).replace("%", "%%"))
                continue
            one = self.number(node, one)
            dtype = one.dtype if isinstance(one, Data) else literal_dtype("numpy", one.value)
            if dtype.kind == "c":
                self.fail(node, "print() takes no complex numbers", hint="print both parts")
            form, wide = {"f": ("%g", FLOAT64), "u": ("%llu", _numpy.dtype("uint64"))}.get(
                dtype.kind, ("%lld", INT64)
            )
            formats.append(form)
            values.append(self.converted(one, wide))
        line = " ".join(formats).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        self.before(node, f"printf({', '.join([f'{chr(34)}{line}{chr(92)}n{chr(34)}', *values])});")
        return Known(None)

    # Methods

    def method(self, node, owner, name):
        positional, named = self.arguments(node)
        if isinstance(owner, Data) and isinstance(owner.type, Scalar):
            return self._method_of_number(node, owner, name, positional, named)
        if isinstance(owner, Data) and isinstance(owner.type, Opaque):
            return self.method_of_object(node, owner, name, positional, named)
        if isinstance(owner, Data) and name in ("begin", "end") and not (positional or named):
            return self._iterator(node, owner, name)
        self.fail(node, f"{self.describe(owner)} has no method `{name}` in kernels",
                  AttributeError, "absent", "write a loop over the elements")

    def _method_of_number(self, node, owner, name, positional, named):
        if name in ("conj", "conjugate") and not positional:
            return self.operate(node, "conjugate", owner)
        if name == "item" and not positional:
            return owner
        if name == "astype":
            wanted = positional[0] if positional else named.get("dtype")
            dtype = self.dtype_of(node, wanted)
            return self.cast(node, owner, dtype)
        self.fail(node, f"a number has no method `{name}` in kernels", AttributeError, "absent")

    def dtype_of(self, node, value):
        """The dtype that a known object names."""
        found = value.value if isinstance(value, Known) else None
        dtype = _PYTHON_TYPES.get(found) if isinstance(found, type) else None
        dtype = dtype or (None if found is None else known_dtype(found))
        if dtype is None:
            what = "a value of the kernel" if value is None or found is None else repr(found)
            self.fail(node, f"{what} is no dtype of kernels", mistake="dtype")
        return dtype

    def _iterator(self, node, owner, name):
        type = owner.type
        if isinstance(type, Pointer) and type.size is not None:
            code = owner.code if name == "begin" else f"({owner.code} + {type.size})"
            return Data(code, Pointer(type.element))
        if not isinstance(type, Array) or type.ndim != 1:
            self.fail(node, f"{type} has no `{name}`", hint="index it down to one axis: x[i]")
        end = "" if name == "begin" else f" + {owner.code}.shape[0]"
        if type.contiguous:
            return Data(f"({owner.code}.data{end})", Pointer(Scalar(type.dtype)))
        c = f"phalanx::Strided<{spelling(type.dtype)}>"
        first = f"{c}{{(char*){owner.code}.data, {owner.code}.strides[0]}}"
        return Data(f"({first}{end})", Iterator(c, type.dtype))
