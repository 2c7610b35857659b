"""The texts of callbacks: what they name, and which elements they touch.

A callback that reads and writes only the element of its offset runs on every device with the
device's own block. The analysis of a text proves that; where the proof fails, the callback gets
whole arrays.
"""

import functools as _functools
import re as _re

from .._phalanx import _refusal
from .pointers import Pointers, has_lambda, is_fixed
from .tokens import DIRECTIVE, DTYPE_OF, functions, plain

_DEFINE = _re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([-+]?\.?\d[\w.]*)[ \t]*$", _re.M)
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
    ``before`` is a callback whose text the compiler reads first.
    """

    def __init__(self, kind, text, name, is_jit, before):
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
        self._analyse()

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
        """Whether no macro, no reference and no assembler hides what the text does."""
        directives = _DEFINE.sub("", plain(without_headers(self.text)))
        # Functions may write their arguments by references. The pointer to the callback has none.
        has_references = any(
            token in ("&", "&&") and self._outside[place - 1] not in ("=", ")")
            for place, token in enumerate(self._outside)
        )
        words = {"const_cast", "asm", "__asm__"}
        return not (
            has_references or DIRECTIVE.search(directives)
            or any(words.intersection(one.body) or has_lambda(one.body) for one in self.functions)
        )

    def _analyse(self):
        """Finds which elements the callback touches."""
        self.pointers = None
        self.is_own = self.reads_data_only = self.reads_info_only = False
        before = self.before
        self.numbers = (before.numbers if before else {}) | dict(_DEFINE.findall(self.plain))
        self.is_plain = (before is None or before.is_plain) and self._means_what_it_says()
        if self.function is None or not self.is_plain:
            return
        names = [name for _, name in self.function.parameters]
        self.data, self.offset, self.info = names[0], names[1], names[-2]
        if not (self.data and self.offset) or self.numbers.keys() & set(names):
            return
        self.body = tuple(self.numbers.get(token, token) for token in self.function.body)
        if not all(is_fixed(self.body, one) for one in (self.data, self.offset, self.info) if one):
            return
        pointers = Pointers(self.body, [one for one in (self.data, self.info) if one])
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
def callback(kind, text, name=None, is_jit=False, before=None):
    """The callback of a text; see `Callback`."""
    return Callback(kind, text, name, is_jit, before)
