"""Callbacks of Fourier transforms as elementwise operations, for sessions without GPUs.

A callback that touches only the element of its offset, and computes with plain arithmetic, is
rewritten as the text of an ``ElementwiseKernel``: pointers become parameters, and the members ``x``
and ``y`` of complex numbers become their parts. The kernel is recorded like any operation, for
arrays of any sharding.
"""

import functools as _functools

from .. import _phalanx
from .._kernels import ElementwiseKernel as _ElementwiseKernel
from .forms import ASSIGNMENTS
from .pointers import Pointers
from .tokens import DTYPE_OF, closing, expanded, is_word, opening, spelling, split

_COMPLEX = {"complex64": "complex<float>", "complex128": "complex<double>"}
_REAL = {"float32": "float", "float64": "double"}
_SPELLED = _COMPLEX | _REAL
_MAKERS = {
    "make_cuComplex": "complex<float>", "make_cuFloatComplex": "complex<float>",
    "make_float2": "complex<float>", "make_cuDoubleComplex": "complex<double>",
    "make_double2": "complex<double>", "cuComplexDoubleToFloat": "complex<float>",
    "cuComplexFloatToDouble": "complex<double>",
}
# The functions of cuComplex.h as functions of C++; those of single precision end with f.
_FUNCTIONS = {
    "cuCreal": "real(a)", "cuCimag": "imag(a)", "cuConj": "conj(a)", "cuCabs": "abs(a)",
    "cuCadd": "a + b", "cuCsub": "a - b", "cuCmul": "a * b", "cuCdiv": "a / b",
    "cuCfma": "a * b + c",
}
_REAL_RESULTS = ("cuCreal", "cuCimag", "cuCabs")
_PARTS = {"x": "real", "y": "imag"}
# The names that the text of an elementwise kernel has for itself.
_RESERVED = frozenset(
    "i n _ind value_ out_ info_ offset_ complex real imag conj arg norm".split()
)

# Words of variables that are not those of one call.
_KEPT = frozenset("static extern thread_local __shared__ __device__ __constant__".split())


class NotElementwise(Exception):
    """Why a callback is no elementwise operation."""


def _preamble_of(names):
    """Those functions of cuComplex.h that a text names."""
    text = ""
    for name, expression in _FUNCTIONS.items():
        for own, real in ((name, "double"), (name + "f", "float")):
            if own in names:
                kind = f"complex<{real}>"
                result = real if name in _REAL_RESULTS else kind
                count = 1 + ("b" in expression.replace("abs", "")) + (name == "cuCfma")
                taken = ", ".join(f"{kind} {one}" for one in "abc"[:count])
                text += f"{result} {own}({taken}) {{ return {expression}; }}\n"
    return text


def _end_of_statement(tokens, place):
    """The place of the semicolon that ends the statement with a place."""
    depth = 0
    for end in range(place, len(tokens)):
        if tokens[end] == ";" and depth == 0:
            return end
        depth += (tokens[end] in ("(", "[", "{")) - (tokens[end] in (")", "]", "}"))
        if depth < 0:
            break
    raise NotElementwise("it changes complex numbers in the head of a loop")


class _Rewriter:
    """Rewrites the tokens of a body or of a function."""

    def __init__(self, types):
        # The dtypes of variables that are complex.
        self.types = dict(types)

    def rewritten(self, tokens):
        """Tokens with complex numbers instead of structures."""
        tokens = self._declarations(list(tokens))
        tokens = self._members(tokens)
        return [self._spelled(one) for one in tokens]

    def _spelled(self, token):
        dtype = DTYPE_OF.get(token)
        if token in _MAKERS:
            return _MAKERS[token]
        return _SPELLED.get(dtype, token) if " " not in token else token

    def _declarations(self, tokens):
        """Gives complex variables a first value, and notes their types."""
        made, place = [], 0
        while place < len(tokens):
            token = tokens[place]
            kind = _COMPLEX.get(DTYPE_OF.get(token))
            after = tokens[place + 1] if place + 1 < len(tokens) else ""
            made.append(token)
            place += 1
            if token == "auto" and tokens[place + 1 : place + 2] == ["="]:
                self._note_auto(after, tokens[place + 2 : place + 4])
            if kind is None or not is_word(after):
                continue
            end = _end_of_statement(tokens, place)
            made += self._declarators(tokens[place:end], kind, DTYPE_OF[token])
            place = end
        return made

    def _note_auto(self, name, value):
        """Notes the type of a variable that starts as another variable or as an element."""
        known = self.types.get(value[0]) if value[1:] and value[1] in (";", "[") else None
        if known is not None:
            self.types[name] = known

    def _declarators(self, tokens, kind, dtype):
        """The variables of one declaration, each with a value."""
        made = []
        for part in split(tokens):
            name, rest = part[0], part[1:]
            self.types[name] = dtype
            if rest[:1] == ["["]:
                raise NotElementwise("it has an array of complex numbers")
            if not rest:
                rest = ["=", kind, "(", "0", ",", "0", ")"]
            else:
                rest = rest[1:] if rest[0] == "=" else rest
                if rest[0] == "{":
                    inner = split(rest[1 : closing(rest, 0)])
                    inner += [["0"]] * (2 - len(inner))
                    rest = [kind, "(", *inner[0], ",", *inner[1], ")"]
                rest = ["=", *rest]
            made += [*([","] if made else []), name, *rest]
        return made

    def _members(self, tokens):
        """Parts of complex numbers instead of the members ``x`` and ``y``."""
        place = 0
        while place < len(tokens):
            is_member = (
                tokens[place] == "." and place + 1 < len(tokens) and tokens[place + 1] in _PARTS
                and tokens[place + 2 : place + 3] != ["("]
            )
            if not is_member:
                place += 1
                continue
            start = self._start_of(tokens, place)
            whole, part = tokens[start:place], tokens[place + 1]
            after = tokens[place + 2] if place + 2 < len(tokens) else ""
            if after in ASSIGNMENTS:
                tokens = self._assigned(tokens, start, place, whole, part, after)
            elif after in ("++", "--") or start and tokens[start - 1] in ("++", "--", "&"):
                raise NotElementwise(f"it changes the part {part} of a number in an expression")
            else:
                tokens[start : place + 2] = [_PARTS[part], "(", *whole, ")"]
            place = start
        return tokens

    def _start_of(self, tokens, place):
        """Where the value before a point begins."""
        start = place - 1
        if tokens[start] in (")", "]"):
            start = opening(tokens, start)
            if start and is_word(tokens[start - 1]):
                start -= 1
        return start

    def _assigned(self, tokens, start, place, whole, part, operator):
        """An assignment to a part as one to the number."""
        if len(whole) != 1 or whole[0] not in self.types:
            raise NotElementwise(f"it assigns the part {part} of a number that is no variable")
        if start and tokens[start - 1] not in (";", "{", "}", ")", "else"):
            raise NotElementwise(f"it assigns the part {part} of a number in an expression")
        end = _end_of_statement(tokens, place + 3)
        name, value = whole[0], ["(", *tokens[place + 3 : end], ")"]
        real = ["real", "(", name, ")"]
        imaginary = ["imag", "(", name, ")"]
        own = real if part == "x" else imaginary
        new = value if operator == "=" else ["(", *own, operator[:-1], *value, ")"]
        kind = _COMPLEX[self.types[name]]
        parts = [*new, ",", *imaginary] if part == "x" else [*real, ",", *new]
        return [*tokens[:start], name, "=", kind, "(", *parts, ")", *tokens[end:]]


def _renamed(tokens):
    """Tokens without the names of elementwise kernels."""
    return [f"{one}_of_text" if one in _RESERVED else one for one in tokens]


def _text(tokens):
    """A text of tokens, a statement a line."""
    made = " ".join(tokens)
    for end in ("; ", "{ ", "} "):
        made = made.replace(end, end.strip() + "\n")
    return made


def _helpers(callback):
    """The other functions of the program, each with the numbers of its text."""
    texts = [callback.before, callback] if callback.before else [callback]
    found = [(one, text.numbers) for text in texts for one in text.functions]
    names = [one.name for one, _ in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise NotElementwise(f"it defines {twice} more than once")
    return [pair for pair in found if pair[0] is not callback.function]


def _helper(one, numbers):
    """Another function of the text, as one of the preamble."""
    if any("*" in kind for kind, _ in one.parameters):
        raise NotElementwise(f"its function {one.name} takes a pointer")
    types, taken = {}, []
    for kind, name in one.parameters:
        dtype, (name,) = DTYPE_OF.get(kind), _renamed([name])
        taken.append(f"{_SPELLED.get(dtype, kind)} {name}")
        if dtype in _COMPLEX:
            types[name] = dtype
    body = _renamed(expanded(one.body, numbers))
    returns = _SPELLED.get(DTYPE_OF.get(one.returns), one.returns)
    body, (name,) = _text(_Rewriter(types).rewritten(body)), _renamed([one.name])
    return f"{returns} {name}({', '.join(taken)}) {{\n{body}\n}}\n"


def _ends_with_return(tokens):
    """Whether a body returns once, at its end."""
    if tokens.count("return") != 1:
        return False
    place = tokens.index("return")
    depth = sum((one == "{") - (one == "}") for one in tokens[:place])
    is_statement = place == 0 or tokens[place - 1] in (";", "}")
    return depth == 0 and is_statement and tokens.index(";", place) == len(tokens) - 1


def _of_dtype(dtype):
    """C++'s spelling of a dtype."""
    return _SPELLED.get(dtype) or spelling(dtype)


class Elements:
    """A callback as an elementwise kernel."""

    def __init__(self, callback):
        if callback.pointers is None:
            raise NotElementwise("its text is too complex to be translated")
        if not callback.is_own:
            raise NotElementwise("it touches other elements than the one of its offset")
        if callback.info in callback.pointers.unknown or not callback.reads_info_only:
            raise NotElementwise("it writes the auxiliary array, or passes its address on")
        kinds = {one.kind for one in callback.pointers.of(callback.info)}
        if len(kinds) > 1:
            raise NotElementwise("it reads the auxiliary array as elements of several types")
        if not kinds <= DTYPE_OF.keys():
            raise NotElementwise(f"it reads auxiliary data as {kinds.pop()}, which is no dtype")
        self.info_dtype = DTYPE_OF[next(iter(kinds))] if kinds else None
        helpers = _helpers(callback)
        tokens = self._body(callback)
        named = set(tokens).union(*(_renamed(one.body) for one, _ in helpers))
        used = [pair for pair in helpers if _renamed([pair[0].name])[0] in named]
        if not _KEPT.isdisjoint(callback.body) or any(
            not _KEPT.isdisjoint(one.body) for one, _ in used
        ):
            raise NotElementwise("it has a variable that is kept between elements")
        preamble = _preamble_of(named) + "".join(_helper(*pair) for pair in used)
        dtype = callback.dtype
        operation = "const unsigned long long offset_ = i ;\n"
        if callback.kind == "store":
            operation += self._store(callback, tokens)
        elif _ends_with_return(tokens):
            tokens[tokens.index("return")] = "out_ ="
            operation += _text(self._rewritten(callback, tokens))
        else:
            function, call = self._function(callback, tokens)
            preamble, operation = preamble + function, operation + call
        inputs = f"{dtype} value_" + (f", raw {self.info_dtype} info_" if kinds else "")
        self.kernel = _ElementwiseKernel(
            inputs, f"{dtype} out_", operation, f"fft_{callback.kind}_callback", preamble=preamble,
        )

    def _body(self, callback):
        """The tokens of the body, with parameters of the kernel instead of pointers."""
        tokens = _renamed(callback.body)
        pointers = callback.pointers
        placed = {one.start: one for one in pointers.accesses}
        tokens = self._replaced(tokens, 0, len(tokens), placed, dict(pointers.declared), callback)
        (offset,) = _renamed([callback.offset])
        return ["offset_" if one == offset else one for one in tokens]

    def _rewritten(self, callback, tokens, others=()):
        """Tokens with complex numbers; `others` are more variables of the dtype of the elements."""
        types = dict.fromkeys(["value_", "out_", *others], callback.dtype)
        types["info_"] = self.info_dtype
        types = {name: one for name, one in types.items() if one in _COMPLEX}
        return _Rewriter(types).rewritten(tokens)

    def _store(self, callback, tokens):
        """The operation of a store callback."""
        if "return" in tokens:
            raise NotElementwise("it returns before its end")
        kind = _SPELLED[callback.dtype]
        (element,) = _renamed([callback.function.parameters[2][1] or "element"])
        zero = f"{kind}(0, 0)" if callback.dtype in _COMPLEX else "0"
        text = _text(self._rewritten(callback, tokens, [element]))
        return f"{kind} {element} = value_ ;\nout_ = {zero} ;\n{text}"

    def _function(self, callback, tokens):
        """A function for a load callback that returns at several places, and its call. The elements
        of the auxiliary array are its arguments."""
        kind, given, made, place = _SPELLED[callback.dtype], [], [], 0
        while place < len(tokens):
            if tokens[place] != "info_":
                made.append(tokens[place])
                place += 1
                continue
            end = closing(tokens, place + 1)
            index = tokens[place + 2 : end]
            if any(is_word(one) and one != "offset_" and one not in DTYPE_OF for one in index):
                raise NotElementwise(
                    "it returns before its end, and reads auxiliary data whose index is computed"
                )
            made.append(f"given{len(given)}_")
            given.append(index)
            place = end + 1
        names = [f"given{number}_" for number in range(len(given))]
        types = {name: self.info_dtype for name in names} | {"value_": callback.dtype}
        types = {name: one for name, one in types.items() if one in _COMPLEX}
        body = _text(_Rewriter(types).rewritten(made))
        taken = [f"{kind} value_", "unsigned long long offset_"]
        taken += [f"{_of_dtype(self.info_dtype)} {name}" for name in names]
        call = ", ".join(["value_", "offset_", *(f"info_[{' '.join(one)}]" for one in given)])
        return (
            f"{kind} loaded_({', '.join(taken)}) {{\n{body}\n}}\n", f"out_ = loaded_({call});"
        )

    def _replaced(self, tokens, start, end, placed, skipped, callback):
        """Tokens with parameters instead of the elements that pointers lead to."""
        made, place = [], start
        while place < end:
            if place in skipped:
                place = skipped[place]
                continue
            access = placed.get(place)
            if access is None:
                made.append(tokens[place])
                place += 1
                continue
            if access.pointer == callback.info:
                made += ["info_", "[", *self._index(access, callback), "]"]
            else:
                made.append("value_" if callback.kind == "load" else "out_")
            place = access.end
        return made

    def _index(self, access, callback):
        """The tokens of an index, which may read elements, too."""
        tokens = _renamed(access.index)
        inner = Pointers(access.index, [one for one in (callback.data, callback.info) if one])
        if inner.unknown:
            raise NotElementwise("an index of the auxiliary array uses another name of a pointer")
        placed = {one.start: one for one in inner.accesses}
        return self._replaced(tokens, 0, len(tokens), placed, {}, callback)

    def computed(self, array, info):
        """The elements of an array after the callback."""
        if self.info_dtype is None:
            return self.kernel(array)
        if not isinstance(info, _phalanx.ndarray):
            raise NotElementwise(
                "it reads auxiliary data, and there is none" if info is None
                else "the auxiliary data are an address"
            )
        info = info.reshape(-1)
        if info.dtype.name != self.info_dtype:
            info = _phalanx.ascontiguousarray(info).view(self.info_dtype)
        return self.kernel(array, info)


@_functools.lru_cache(maxsize=256)
def elements(callback):
    """The elementwise operation of a callback."""
    return Elements(callback)
