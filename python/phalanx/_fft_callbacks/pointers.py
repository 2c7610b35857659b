"""Which elements the body of a callback reads and writes through its pointers."""

from typing import NamedTuple as _NamedTuple

from .forms import BEFORE_VALUES, HEADS, is_changed
from .tokens import DTYPE_OF, closing, is_word, opening


class Access(_NamedTuple):
    """An element that a body reads or writes through one of its pointers."""

    # The pointer, the spelling of the type of its elements, and the tokens of the index.
    pointer: str
    kind: str
    index: tuple
    # Where its tokens begin and end.
    start: int
    end: int
    is_write: bool


class Pointers:
    """How a body uses its pointers: ``accesses``, the declarations of other names for them, and the
    pointers whose use is ``unknown`` or may be a write."""

    def __init__(self, tokens, names):
        self.tokens, self.accesses, self.declared = tokens, [], []
        self.unknown, self._may_write = set(), set()
        # Names of pointers in the body: which parameter it is, the type, and whether it is const.
        self._known = {name: (name, None, False) for name in names}
        for place, token in enumerate(tokens):
            before = tokens[place - 1] if place else ""
            if token in self._known and before not in (".", "->"):
                self._use(place)

    def may_write(self, pointer):
        """Whether the body may write through a pointer."""
        return pointer in self._may_write or any(
            one.is_write for one in self.accesses if one.pointer == pointer
        )

    def of(self, pointer):
        """The accesses through a pointer."""
        return [one for one in self.accesses if one.pointer == pointer]

    def _at(self, place):
        return self.tokens[place] if 0 <= place < len(self.tokens) else ""

    def _is_operand(self, place):
        """Whether a value ends at a place, so that an operator behind it has two operands."""
        token = self._at(place)
        if token == ")":
            start = opening(self.tokens, place)
            if start is None:
                return True
            is_head = self._at(start - 1) in HEADS
            return not is_head and " ".join(self.tokens[start + 1 : place]) not in DTYPE_OF
        is_value = token == "]" or token[:1].isdigit() or token != "" and is_word(token)
        return is_value and token not in BEFORE_VALUES

    def _is_group(self, start, end):
        """Whether brackets around a span only group."""
        return (self._at(start - 1) == "(" and self._at(end) == ")"
                and not self._is_operand(start - 2) and self._at(start - 2) != ">")

    def _use(self, place):
        name = self.tokens[place]
        pointer, kind, is_const = self._known[name]
        if kind is None:
            cast = self._cast(place)
            if cast is None:
                self._lost(pointer, False)
                return
            kind, is_const, start, end = cast
        else:
            start, end = place, place + 1
        while self._is_group(start, end):
            start, end = start - 1, end + 1
        if self._declares(pointer, kind, is_const, start, end):
            return
        access = self._access(pointer, kind, start, end)
        if access is None:
            # Another cast before this one may make the elements no longer const.
            self._lost(pointer, is_const and self._at(start - 1) != ")")
        else:
            self.accesses.append(access)

    def _lost(self, pointer, is_const):
        """A use that is no access to one element."""
        self.unknown.add(pointer)
        if not is_const:
            self._may_write.add(pointer)

    def _cast(self, place):
        """The type of a pointer that is cast, whether it is const, and where the cast begins and
        ends."""
        tokens = self.tokens
        if self._at(place - 1) == ")":
            start = opening(tokens, place - 1)
            inner, end = tokens[(start or 0) + 1 : place - 1], place + 1
        elif (self._at(place - 1), self._at(place + 1), self._at(place - 2)) == ("(", ")", ">"):
            start = next((n for n in range(place - 3, -1, -1) if tokens[n] == "<"), None)
            inner, end = tokens[(start or 0) + 1 : place - 2], place + 2
            start = None if start is None else start - 1
            if start is None or tokens[start] not in ("static_cast", "reinterpret_cast"):
                return None
        else:
            return None
        if start is None or inner.count("*") != 1 or inner[-1] != "*":
            return None
        words = [one for one in inner[:-1] if one != "const"]
        if not words or not all(map(is_word, words)):
            return None
        return " ".join(words), "const" in inner, start, end

    def _declares(self, pointer, kind, is_const, start, end):
        """Notes another name for a pointer: ``T* name = (T*)pointer;``."""
        tokens = self.tokens
        if self._at(start - 1) != "=" or self._at(end) != ";" or not is_word(self._at(start - 2)):
            return False
        first = start - 2
        while first > 0 and self._at(first - 1) not in (";", "{", "}", ")"):
            first -= 1
        head = [one for one in tokens[first : start - 2] if one not in ("__restrict__",)]
        words = [one for one in head if one not in ("const", "*")]
        is_auto = words == ["auto"]
        if not words or not is_auto and (head.count("*") != 1 or " ".join(words) != kind):
            return False
        if tokens[start - 2] in self._known:
            return False
        # The pointer itself may be const, too: only what is before the star counts.
        before = head[: head.index("*")] if "*" in head else []
        is_const = is_const if is_auto else "const" in before
        self._known[tokens[start - 2]] = (pointer, kind, is_const)
        self.declared.append((first, end + 1))
        return True

    def _access(self, pointer, kind, start, end):
        tokens = self.tokens
        if self._at(end) == "[":
            closed = closing(tokens, end)
            if closed is None:
                return None
            index, end = tokens[end + 1 : closed], closed + 1
        elif self._at(end) == "->":
            index = ["0"]
        elif self._at(start - 1) == "*" and not self._is_operand(start - 2):
            index, start = ["0"], start - 1
        elif (self._at(end) == "+" and self._at(start - 1) == "(" and self._at(start - 2) == "*"
                and not self._is_operand(start - 3)):
            closed = closing(tokens, start - 1)
            if closed is None:
                return None
            index, start, end = tokens[end + 1 : closed], start - 2, closed + 1
        else:
            return None
        while self._is_group(start, end):
            start, end = start - 1, end + 1
        after = end
        while self._at(after) in (".", "->") and is_word(self._at(after + 1)):
            after += 2
        if self._at(after) in ("[", "("):
            return None
        is_write = is_changed(tokens, start, end)
        return Access(pointer, kind, tuple(index), start, end, is_write)
