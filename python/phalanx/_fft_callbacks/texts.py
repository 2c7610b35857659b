"""The texts of callbacks: what they name, and which elements they touch.

A callback that reads and writes only the element of its offset runs on every device with the
device's own block. The analysis of a text proves that; where the proof fails, the callback gets
whole arrays.
"""

import functools as _functools
import re as _re

from .._phalanx import _refusal
from .forms import hides, hides_outside, is_fixed, is_odd, is_parameter
from .pointers import Pointers
from .tokens import DIRECTIVE, DTYPE_OF, expanded, functions, plain, tokens_of

# Numbers, which may be in brackets.
_NUMBER = r"[-+]?[ \t]*(?:0[xXbB][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[uUlLfF]*"
_IN_BRACKETS = rf"\([ \t]*{_NUMBER}[ \t]*\)"
_DEFINE = _re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+"
    rf"({_NUMBER}|{_IN_BRACKETS}|\([ \t]*{_IN_BRACKETS}[ \t]*\))[ \t]*$",
    _re.M,
)
# Options of the compiler that define names, and one that defines a number.
_DEFINING = ("-D", "--define-macro", "-include", "--pre-include", "-U", "--undefine-macro")
_OPTION = _re.compile(rf"-D([A-Za-z_]\w*)(?:=({_NUMBER}))?\Z")
# Headers whose names the prelude has.
_INCLUDE = _re.compile(
    r'^[ \t]*#[ \t]*include[ \t]*[<"](?:cufft|cufftXt|cuComplex)\.h[>"][^\n]*$', _re.M
)
# The number of parameters of each kind of callback.
_COUNTS = {"load": 4, "store": 5}


def without_headers(text):
    """A text without the headers whose names the prelude has."""
    return _INCLUDE.sub("", text)


class Callback:
    """A callback: the text that defines it, its name, and what is known of it.

    ``kind`` is ``"load"`` or ``"store"``, ``name`` the function, or None if the text sets the
    pointer in a way that only a compiler understands. ``function`` is the definition, or None.
    ``before`` is a callback whose text the compiler reads first, ``options`` are the compiler's.
    """

    def __init__(self, kind, text, name, is_jit, before, options=()):
        self.kind, self.text, self.is_jit, self.before = kind, text, is_jit, before
        self.pointer = f"d_{kind}CallbackPtr"
        self.plain = plain(text)
        self.functions, self._outside = functions(self.plain)
        cast = r"(?:\(\s*\w+\s*\))?"
        assigned = _re.search(
            rf"\b{self.pointer}\s*=\s*{cast}\s*&?\s*([A-Za-z_]\w*)\s*;", self.plain
        )
        self.name = name or (assigned and assigned[1])
        if is_jit:
            self.name = self.name or self._only()
            if _re.search(rf"\b{_re.escape(self.name)}\b", self.plain) is None:
                raise _refusal(
                    ValueError, "value",
                    f"cb_{kind}_name is {self.name!r}, and the text of cb_{kind} has no such name",
                )
        elif not _re.search(rf"\b{self.pointer}\b", self.plain):
            raise _refusal(
                ValueError, "value",
                f"cb_{kind}: the text does not define {self.pointer}, the pointer to the callback; "
                "with cb_ver='jit' a text without one is taken",
            )
        own = [one for one in self.functions if one.name == self.name]
        self.function = own[0] if len(own) == 1 else None
        if self.function and len(self.function.parameters) != _COUNTS[kind]:
            raise _refusal(
                ValueError, "value",
                f"cb_{kind}: {self.name} has {len(self.function.parameters)} parameters, and a "
                f"{kind} callback has {_COUNTS[kind]}",
            )
        self._analyse(options)

    def _only(self):
        """The name of the only function that can be the callback."""
        def fits(one):
            first = one.parameters[0][0] if one.parameters else ""
            return (len(one.parameters) == _COUNTS[self.kind] and first.startswith("void")
                    and (one.returns == "void") == (self.kind == "store"))

        names = sorted({one.name for one in self.functions if fits(one)})
        if len(names) != 1:
            raise _refusal(
                ValueError, "value",
                f"cb_{self.kind}: the text has {len(names)} functions that can be the callback: "
                f"give cb_{self.kind}_name",
            )
        return names[0]

    def _means_what_it_says(self):
        """Whether no macro, no reference, no address and no assembler hides what the text does."""
        directives = _DEFINE.sub("", plain(without_headers(self.text)))
        return not (
            is_odd(self.text, directives.replace("#", " ")) or hides_outside(self._outside)
            or DIRECTIVE.search(directives) or any(hides(one.body) for one in self.functions)
        )

    def _numbers(self, options):
        """The tokens of the macros that are numbers. None if another macro is defined, or one has
        two meanings: what is before its definition has another."""
        numbers, before = {}, self.before
        for option in options:
            found = _OPTION.match(option)
            if found:
                numbers[found[1]] = tokens_of(found[2] or "1")
            elif option.startswith(_DEFINING):
                return None
        for found in _DEFINE.finditer(self.plain):
            name = found[1]
            if name in numbers or _re.search(rf"\b{name}\b", self.plain[: found.start()]):
                return None
            numbers[name] = tokens_of(found[2])
            if before and numbers[name] != before.numbers.get(name, numbers[name]):
                return None
        return {**before.numbers, **numbers} if before else numbers

    def _analyse(self, options):
        """Finds which elements the callback touches."""
        self.pointers = None
        self.is_own = self.reads_data_only = self.reads_info_only = False
        before, numbers = self.before, self._numbers(options)
        self.is_plain = (
            (before is None or before.is_plain) and numbers is not None
            and self._means_what_it_says()
        )
        self.numbers = numbers or {}
        if self.function is None or not self.is_plain:
            return
        names = [name for _, name in self.function.parameters]
        self.data, self.offset, self.info = names[0], names[1], names[-2]
        if not (self.data and self.offset) or self.numbers.keys() & set(names):
            return
        self.body = expanded(self.function.body, self.numbers)
        pointers = [one for one in (self.data, self.info) if one]
        if not (is_fixed(self.body, self.offset)
                and all(is_parameter(self.body, one) for one in pointers)):
            return
        pointers = Pointers(self.body, pointers)
        self.pointers = pointers
        self.reads_data_only = not pointers.may_write(self.data)
        self.reads_info_only = not pointers.may_write(self.info)
        dtype = self.dtype
        self.is_own = dtype is not None and self.data not in pointers.unknown and all(
            one.index == (self.offset,) and DTYPE_OF.get(one.kind) == dtype
            for one in pointers.of(self.data)
        )

    @property
    def dtype(self):
        """The dtype of the elements that the callback returns or takes; None if it is unknown."""
        if self.function is None:
            return None
        is_load = self.kind == "load"
        return DTYPE_OF.get(self.function.returns if is_load else self.function.parameters[2][0])

    @property
    def returned(self):
        """The spelling of the type of that element."""
        is_load = self.kind == "load"
        return self.function.returns if is_load else self.function.parameters[2][0]


@_functools.lru_cache(maxsize=256)
def callback(kind, text, name=None, is_jit=False, before=None, options=()):
    """The callback of a text; see `Callback`."""
    return Callback(kind, text, name, is_jit, before, options)
