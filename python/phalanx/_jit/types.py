"""The types and values of kernels that are translated from Python: see ``translate``."""

import dataclasses as _dataclasses
import functools as _functools
import re as _re

import numpy as _numpy

# How C++ spells each dtype. Structures for float16 and complex numbers are in ``prelude``.
SPELLINGS = {
    "bool": "bool",
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned int",
    "int64": "long long",
    "uint64": "unsigned long long",
    "float16": "half",
    "float32": "float",
    "float64": "double",
    "complex64": "complex<float>",
    "complex128": "complex<double>",
}

# The order in which CUDA's mode promotes: the type of an operation is that of the later operand.
_ORDER = list(SPELLINGS)

BOOL, INT32, INT64 = _numpy.dtype("bool"), _numpy.dtype("int32"), _numpy.dtype("int64")
UINT32, UINT64 = _numpy.dtype("uint32"), _numpy.dtype("uint64")
FLOAT16 = _numpy.dtype("float16")
FLOAT32, FLOAT64 = _numpy.dtype("float32"), _numpy.dtype("float64")


def known_dtype(like):
    """The dtype of kernels for a dtype or its name; None if kernels do not have it."""
    try:
        return _known_dtype(like)
    except TypeError:
        # An object that cannot be hashed names no dtype.
        return None


@_functools.lru_cache(maxsize=256)
def _known_dtype(like):
    try:
        dtype = _numpy.dtype(like)
    except TypeError:
        return None
    name = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}.get(dtype.kind)
    if name is None:
        return None
    name = name if name == "bool" else f"{name}{dtype.itemsize * 8}"
    return _numpy.dtype(name) if name in SPELLINGS else None


def spelling(dtype):
    """A dtype in C++."""
    return SPELLINGS[dtype.name]


def real_of(dtype):
    """The dtype of the parts of a complex number; any other dtype itself."""
    return _numpy.dtype(f"float{dtype.itemsize * 4}") if dtype.kind == "c" else dtype


@_dataclasses.dataclass(frozen=True)
class Scalar:
    """A number."""

    dtype: _numpy.dtype

    @property
    def c(self):
        return spelling(self.dtype)

    def __str__(self):
        return self.dtype.name


@_dataclasses.dataclass(frozen=True)
class Array:
    """A view of an array. If it is contiguous in C order, its strides are not read."""

    dtype: _numpy.dtype
    ndim: int
    contiguous: bool

    @property
    def c(self):
        contiguous = str(self.contiguous).lower()
        return f"phalanx::Array<{spelling(self.dtype)}, {self.ndim}, {contiguous}>"

    def __str__(self):
        return f"array of {self.dtype.name} with {self.ndim} axes"


@_dataclasses.dataclass(frozen=True)
class Pointer:
    """Elements in one row, for example shared memory; ``size`` is None if it is not known."""

    element: object
    size: object = None

    @property
    def c(self):
        return f"{self.element.c}*"

    def __str__(self):
        return f"memory of {self.element}"


@_dataclasses.dataclass(frozen=True)
class Iterator:
    """A place among elements, other than a pointer."""

    c: str
    dtype: _numpy.dtype
    writable: bool = True

    def __str__(self):
        return f"iterator over {self.dtype.name}"


@_dataclasses.dataclass(frozen=True)
class Record:
    """Several values that a function returns: members ``v0``, ``v1`` and so on."""

    c: str
    members: tuple

    def __str__(self):
        return f"tuple of {len(self.members)}"


@_dataclasses.dataclass(frozen=True)
class Opaque:
    """A value with methods, such as a group of threads. ``kind`` names the table of methods."""

    c: str
    kind: str

    def __str__(self):
        return self.kind


class Known:
    """A Python object that the translation knows: a number, a tuple, a function, a module."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Data:
    """An expression of C++. ``pure`` is false if it must be evaluated exactly once."""

    __slots__ = ("code", "type", "pure")

    def __init__(self, code, type, pure=True):
        self.code, self.type, self.pure = code, type, pure

    @property
    def dtype(self):
        """The dtype of a number; None for other values."""
        return self.type.dtype if isinstance(self.type, Scalar) else None


class Several:
    """A tuple whose members are values of the translation."""

    __slots__ = ("items",)

    def __init__(self, items):
        self.items = list(items)


class Variable:
    """A variable of C++. ``literal`` says that its type came from a Python number and may widen."""

    __slots__ = ("name", "type", "literal")

    def __init__(self, name, type, literal):
        self.name, self.type, self.literal = name, type, literal


NUMBERS = (bool, int, float, complex, _numpy.generic)


def is_number(value):
    """Whether a value is a number that the translation knows."""
    if not isinstance(value, Known) or not isinstance(value.value, NUMBERS):
        return False
    return not isinstance(value.value, _numpy.generic) or known_dtype(value.value.dtype) is not None


def literal_dtype(mode, number):
    """The dtype of a number that stands alone."""
    if isinstance(number, _numpy.generic):
        return known_dtype(number.dtype)
    if isinstance(number, bool):
        return BOOL
    if isinstance(number, int):
        if not -(2**63) <= number < 2**64:
            return None
        if mode == "cuda" and -(2**31) <= number < 2**31:
            return INT32
        return INT64 if number < 2**63 else UINT64
    wide = mode == "numpy"
    if isinstance(number, float):
        return FLOAT64 if wide else FLOAT32
    return _numpy.dtype("complex128" if wide else "complex64")


def operand(mode, value):
    """How a value takes part in promotion: its dtype, or in NumPy's mode the class of a Python
    number, which takes the dtype of the other operand."""
    if isinstance(value, Data):
        return value.dtype
    number = value.value
    weak = mode == "numpy" and not isinstance(number, (bool, _numpy.generic))
    if weak and not (isinstance(number, int) and number >= 2**63):
        return type(number)
    return literal_dtype(mode, number)


_WEAK = {int: 0, float: 0.0, complex: 0j}


@_functools.lru_cache(maxsize=4096)
def promote(mode, *operands):
    """The dtype in which operands meet. Raises a TypeError if there is none."""
    if mode == "numpy":
        return known_dtype(_numpy.result_type(*(_WEAK.get(one, one) for one in operands)))
    dtypes = [literal_dtype(mode, _WEAK[one]) if one in _WEAK else one for one in operands]
    highest = max(dtypes, key=lambda one: _ORDER.index(one.name))
    if highest == _numpy.dtype("complex64") and FLOAT64 in dtypes:
        return _numpy.dtype("complex128")
    return highest


def fits(number, dtype):
    """Whether a dtype holds a known number of the same kind or a lower one."""
    if isinstance(number, _numpy.generic):
        number = number.item()
    if isinstance(number, bool):
        return True
    if isinstance(number, int):
        if dtype.kind in "iu":
            limits = _numpy.iinfo(dtype)
            return limits.min <= number <= limits.max
        return dtype.kind in "fc"
    return dtype.kind == "c" or (isinstance(number, float) and dtype.kind == "f")


def _real_literal(number, dtype):
    if number != number:
        text = "(0.0 / 0.0)"
    elif number in (float("inf"), float("-inf")):
        text = "(1.0 / 0.0)" if number > 0 else "(-1.0 / 0.0)"
    elif dtype == FLOAT64:
        return repr(number) if _has_no_sign(number) else f"({number!r})"
    else:
        narrow = float(_numpy.float32(number))
        if narrow in (float("inf"), float("-inf")):
            return _real_literal(narrow, dtype)
        return f"{narrow!r}f" if _has_no_sign(narrow) else f"({narrow!r}f)"
    return text if dtype == FLOAT64 else f"((float){text})"


def _has_no_sign(number):
    return not repr(number).startswith("-")


_SUFFIXES = {"int32": "", "uint32": "u", "int64": "LL", "uint64": "ull"}


def _integer_literal(number, dtype):
    if dtype.kind == "i" and number == _numpy.iinfo(dtype).min and dtype.itemsize >= 4:
        # C++ has no literals below zero: the number without its sign would be out of range.
        suffix = _SUFFIXES[dtype.name]
        return f"(-{-(number + 1)}{suffix} - 1{suffix})"
    if dtype.name in _SUFFIXES:
        text = f"{number}{_SUFFIXES[dtype.name]}"
        return text if number >= 0 else f"({text})"
    return f"(({spelling(dtype)}){number})"


def literal(number, dtype):
    """A known number as C++ of a dtype; integers wrap around."""
    if isinstance(number, _numpy.generic):
        number = number.item()
    if dtype.kind == "b":
        return "true" if number else "false"
    if dtype.kind in "iu":
        bits = dtype.itemsize * 8
        whole = int(number) & ((1 << bits) - 1)
        if dtype.kind == "i" and whole >> (bits - 1):
            whole -= 1 << bits
        return _integer_literal(whole, dtype)
    if dtype.kind == "f":
        number = _as_float(number)
        if dtype == FLOAT16:
            return f"half({_real_literal(float(_numpy.float16(number)), FLOAT32)})"
        return _real_literal(number, dtype)
    number, part = complex(number), real_of(dtype)
    parts = f"{_real_literal(number.real, part)}, {_real_literal(number.imag, part)}"
    return f"{spelling(dtype)}({parts})"


def _as_float(number):
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def convert(code, source, target):
    """An expression of one dtype as one of another, as ``astype`` converts."""
    if source == target:
        return code
    if target.kind == "b":
        if source.kind == "c":
            return f"(real({code}) != 0 || imag({code}) != 0)"
        return f"({_wide(code, source)} != 0)"
    if target.kind == "c":
        part = real_of(target)
        if source.kind == "c":
            real, imag = f"real({code})", f"imag({code})"
            if part != real_of(source):
                real, imag = f"({spelling(part)}){real}", f"({spelling(part)}){imag}"
            return f"{spelling(target)}({real}, {imag})"
        return f"{spelling(target)}({convert(code, source, part)}, 0)"
    if source.kind == "c":
        return convert(f"real({code})", real_of(source), target)
    if target == FLOAT16:
        wide = code if source in (FLOAT32, FLOAT64) else f"(float){code}"
        return f"half({wide})"
    return f"(({spelling(target)}){_wide(code, source)})"


def _wide(code, dtype):
    """float16 has one conversion, to float."""
    return f"(float){code}" if dtype == FLOAT16 else code


# Words that a variable of C++ must not be called: keywords, and names that the translation calls.
_TAKEN = frozenset("""
alignas alignof and and_eq asm atomic auto bitand bitor bool break case catch char class compl
complex concept const consteval constexpr constinit const_cast continue decltype default delete do
double dynamic_cast else enum explicit export extern false float for friend goto half if inline int
long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
register reinterpret_cast requires return short signed sizeof static static_assert static_cast
struct switch template this thread_local throw true try typedef typeid typename union unsigned
using virtual void volatile wchar_t while xor xor_eq main std NULL printf assert
threadIdx blockIdx blockDim gridDim warpSize dim3 uint3 phalanx cooperative_groups cuda
sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2
log10 log1p pow sqrt rsqrt cbrt hypot floor ceil trunc rint fabs abs fmin fmax fmod copysign
nextafter ldexp isnan isinf isfinite signbit erf erfc tgamma lgamma real imag conj arg norm min max
half NAN INFINITY memcpy size_t linux unix dynamic_shared_memory
""".split())


def c_name(name, used, prefix=""):
    """A name of C++ for a name of Python, which is not in use; adds it to those in use."""
    name = prefix + _re.sub(r"[^A-Za-z0-9_]", lambda found: f"u{ord(found[0]):x}", name)
    name = _re.sub(r"__+", "_", name)
    if name.startswith("_") or name in _TAKEN or name.startswith(("jit_", "atomic")) and not prefix:
        name = f"v{name}" if name.startswith("_") else f"v_{name}"
    unique, count = name, 0
    while unique in used:
        count += 1
        unique = f"{name}_{count}"
    used.add(unique)
    return unique
