"""Texts in CUDA C++ as tokens: types, brackets, and the functions that a text defines."""

import re as _re
from typing import NamedTuple as _NamedTuple

# The types of cuFFT, CUDA and C++ by the dtypes of their elements.
_SPELLED = {
    "complex64": ("cufftComplex", "cuComplex", "cuFloatComplex", "float2"),
    "complex128": ("cufftDoubleComplex", "cuDoubleComplex", "double2"),
    "float32": ("cufftReal", "float"),
    "float64": ("cufftDoubleReal", "double"),
    "int8": ("signed char", "int8_t"),
    "uint8": ("unsigned char", "uint8_t"),
    "int16": ("short", "int16_t"),
    "uint16": ("unsigned short", "uint16_t"),
    "int32": ("int", "int32_t"),
    "uint32": ("unsigned int", "unsigned", "uint32_t"),
    "int64": ("long long", "long", "int64_t"),
    "uint64": ("unsigned long long", "unsigned long", "size_t", "uint64_t"),
    "bool": ("bool",),
}
DTYPE_OF = {name: dtype for dtype, names in _SPELLED.items() for name in names}


def spelling(dtype):
    """The name of the type of a dtype's elements: cuFFT's, or C++'s."""
    return _SPELLED[dtype][0]


_TOKEN = _re.compile(
    r"[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*"
    r"|<<=|>>=|->|\+\+|--|<<|>>|[-+*/%&|^=!<>]=|&&|\|\||::|\S"
)
_WORD = _re.compile(r"[A-Za-z_]\w*\Z")
DIRECTIVE = _re.compile(r"^[ \t]*#.*$", _re.M)
_QUALIFIERS = frozenset(
    "__device__ __host__ __forceinline__ __noinline__ static inline extern const constexpr".split()
)
_PAIRS = {"(": ")", "[": "]", "{": "}"}


def blank(matched):
    """Spaces for a match, so that lines keep their numbers."""
    return _re.sub(r"[^\n]", " ", matched[0])


def plain(text):
    """A text with spaces for comments and for what is in quotes."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\''
    return _re.sub(pattern, blank, text, flags=_re.S)


def closing(tokens, start):
    """The place of the bracket that closes the one at a place; None if there is none."""
    opened, closed, depth = tokens[start], _PAIRS[tokens[start]], 0
    for place in range(start, len(tokens)):
        depth += (tokens[place] == opened) - (tokens[place] == closed)
        if depth == 0:
            return place
    return None


def opening(tokens, end):
    """The place of the bracket that the one at a place closes; None if there is none."""
    closed = tokens[end]
    opened, depth = next(one for one, other in _PAIRS.items() if other == closed), 0
    for place in range(end, -1, -1):
        depth += (tokens[place] == closed) - (tokens[place] == opened)
        if depth == 0:
            return place
    return None


def is_word(token):
    """Whether a token is a name."""
    return _WORD.match(token) is not None


class Function(_NamedTuple):
    """A function that a text defines."""

    name: str
    returns: str
    # The type and the name of each parameter.
    parameters: tuple
    # The tokens between the braces.
    body: tuple


def _parameter(tokens):
    """The type and the name of a parameter."""
    words = [one for one in tokens if one not in ("const", "__restrict__")]
    if len(words) < 2 or not is_word(words[-1]):
        return " ".join(words), ""
    return " ".join(words[:-1]), words[-1]


def split(tokens):
    """Parts between commas that are in no brackets."""
    parts, depth = [[]], 0
    for token in tokens:
        depth += (token in "([{") - (token in ")]}")
        if token == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def tokens_of(plain):
    """The tokens of a text without comments and lines of the preprocessor."""
    return tuple(_TOKEN.findall(plain))


def expanded(tokens, numbers):
    """Tokens with those of numbers instead of the names of macros."""
    return tuple(one for token in tokens for one in numbers.get(token, (token,)))


def functions(plain):
    """The functions that a text without comments defines, and the tokens outside of their
    bodies."""
    tokens = _TOKEN.findall(DIRECTIVE.sub(blank, plain))
    defined, outside, start, place = [], [], 0, 0
    while place < len(tokens):
        token = tokens[place]
        end = place
        if token in (";", "}"):
            start = place + 1
        elif token == "{":
            # The members of a structure, or the first value of a variable.
            end = closing(tokens, place) or len(tokens) - 1
        elif token == "(" and place > start and is_word(tokens[place - 1]):
            end = closing(tokens, place) or len(tokens) - 1
            last = closing(tokens, end + 1) if tokens[end + 1 : end + 2] == ["{"] else None
            if last is not None:
                head = [one for one in tokens[start : place - 1] if one not in _QUALIFIERS]
                parameters = tuple(map(_parameter, split(tokens[place + 1 : end])))
                body = tuple(tokens[end + 2 : last])
                defined.append(Function(tokens[place - 1], " ".join(head), parameters, body))
                outside += tokens[place : end + 1]
                place, start = last + 1, last + 1
                continue
        outside += tokens[place : end + 1]
        place = end + 1
    return defined, outside
