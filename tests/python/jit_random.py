"""Random scalar functions for jit, and their values as NumPy computes them.

A function is Python text with ``numpy`` as its only name. NumPy runs it on arrays of one element at
a time, so its values have NumPy's dtypes.
"""

import ast
import random
import warnings

import numpy

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
          "float32", "float64", "complex64", "complex128", "float16"]
REAL = [one for one in DTYPES if not one.startswith("complex")]
# Functions whose results NumPy and C++ round alike.
UNARY = ["sqrt", "floor", "ceil", "trunc", "rint", "absolute", "sign", "square", "isnan",
         "isfinite", "negative", "logical_not", "fabs", "invert", "positive", "isinf"]
BINARY = ["minimum", "maximum", "copysign", "fmod", "logical_and", "logical_or", "logical_xor",
          "fmin", "fmax", "add", "subtract", "multiply", "floor_divide", "remainder",
          "true_divide", "less", "equal", "not_equal", "greater_equal", "gcd", "lcm",
          "left_shift", "right_shift", "bitwise_xor", "bitwise_and", "heaviside"]
# Others, which differ in the last place.
ROUNDED = ["sin", "cos", "tan", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "arcsin",
           "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "cbrt",
           "degrees", "radians", "reciprocal"]
ROUNDED_OF_TWO = ["hypot", "arctan2", "logaddexp", "float_power"]
OPERATORS = ["+", "-", "*", "/", "//", "%", "&", "|", "^", "<", "<=", "==", "!=", ">"]


class Writer:
    """Writes one function."""

    def __init__(self, seed, dtypes=REAL, arguments=2):
        self.random = random.Random(seed)
        self.dtypes = [self.random.choice(dtypes) for _ in range(arguments)]
        self.names = [f"x{at}" for at in range(arguments)]
        self.lines = []

    def literal(self):
        kind = self.random.random()
        if kind < 0.6:
            return str(self.random.choice([0, 1, 2, 3, 5, 7, 100, -1, -3]))
        if kind < 0.9:
            return str(self.random.choice([0.5, 1.5, -2.25, 3.0, 0.1, 1e3]))
        return self.random.choice(["True", "False"])

    def expression(self, depth):
        kind = self.random.random()
        if depth == 0 or kind < 0.15:
            return self.random.choice(self.names) if kind < 0.11 or self.random.random() < 0.75 \
                else self.literal()
        inner = [self.expression(depth - 1) for _ in range(3)]
        if kind < 0.5:
            return f"({inner[0]} {self.random.choice(OPERATORS)} {inner[1]})"
        if kind < 0.62:
            return f"numpy.{self.random.choice(UNARY)}({inner[0]})"
        if kind < 0.75:
            return f"numpy.{self.random.choice(BINARY)}({inner[0]}, {inner[1]})"
        if kind < 0.82:
            return f"CAST({self.random.choice(REAL)!r}, {inner[0]})"
        if kind < 0.88:
            return f"SELECT({inner[1]} > {inner[2]}, {inner[0]}, {inner[2]})"
        if kind < 0.92:
            return f"({inner[0]} ** {self.random.choice([0, 1, 2])})"
        if kind < 0.96:
            return f"({inner[0]} < {inner[1]} <= {inner[2]})"
        return f"(not {inner[0]})"

    def function(self, name):
        """The text of a function with a few statements."""
        lines = [f"def {name}({', '.join(self.names)}):"]
        for at in range(self.random.randrange(3)):
            value = f"({self.expression(2)} + {self.names[0]})"
            lines.append(f"    v{at} = {value}")
            self.names.append(f"v{at}")
        if self.random.random() < 0.3:
            changed = self.random.choice(self.names)
            lines.append(f"    for i in range({self.random.randrange(1, 4)}):")
            lines.append(f"        if i != 1:\n            {changed} = {changed} + {changed}")
        if self.random.random() < 0.4:
            lines.append(f"    if {self.expression(1)} > {self.expression(1)}:")
            lines.append(f"        return {self.expression(2)}")
        lines.append(f"    return {self.expression(3)}")
        return "\n".join(lines) + "\n"


def values(dtype, count, generator):
    """Values with those at the limits of the dtype."""
    dtype = numpy.dtype(dtype)
    if dtype.kind == "b":
        return generator.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        limits = numpy.iinfo(dtype)
        small = generator.integers(-9 if dtype.kind == "i" else 0, 20, count).astype(dtype)
        small[:4] = [limits.min, limits.max, 0, 1]
        return small
    made = (generator.normal(size=count) * 5).astype(dtype)
    made[:5] = [0.0, -0.0, numpy.inf, numpy.nan, 1.0]
    if dtype.kind == "c":
        made[5:] += 1j * generator.normal(size=count - 5)
    return made


def cast(dtype, value):
    """A conversion; floats beyond the integers have none."""
    dtype = numpy.dtype(dtype)
    if isinstance(value, (float, numpy.floating)) and dtype.kind in "iu":
        limits = numpy.iinfo(dtype)
        # The greatest integer itself may not be a float.
        if not limits.min <= value <= limits.max or float(value) >= float(limits.max):
            raise ValueError
    return numpy.asarray(value).astype(dtype)[()]


def select(condition, x, y):
    if type(x) in (bool, int, float) and type(y) in (bool, int, float):
        # The translation has one dtype for both of two Python numbers.
        raise ValueError
    return numpy.where(condition, x, y)[()]


def to_python(text):
    """The function as the translation reads it."""
    tree = ast.parse(text)
    return ast.unparse(Calls().visit(tree))


class Calls(ast.NodeTransformer):
    """Writes the calls of ``CAST`` and ``SELECT`` as conversions and conditional expressions."""

    def visit_Call(self, node):
        self.generic_visit(node)
        if ast.unparse(node.func) == "SELECT":
            condition, body, other = node.args
            return ast.IfExp(condition, body, other)
        if ast.unparse(node.func) == "CAST":
            name = node.args[0].value.replace("bool", "bool_")
            function = ast.parse(f"numpy.{name}", mode="eval").body
            return ast.Call(function, node.args[1:], [])
        return node


def expected(function, arrays):
    """The values of the function for scalars of NumPy's, one at a time; None where NumPy has none
    or where two elements have results of different dtypes."""
    rows = []
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for row in zip(*arrays):
            try:
                rows.append(function(*row))
            except (TypeError, ValueError, OverflowError, ZeroDivisionError):
                rows.append(None)
    return rows
