"""Which forms of C++ the analysis of a callback understands.

What a text does to its elements is only known if no other name, reference or address leads to
them. So each of its words and each ``&`` has to be of a form that is listed here; a text with any
other form gets whole arrays.
"""

import re as _re

from .tokens import DTYPE_OF, closing, is_word, opening

ASSIGNMENTS = frozenset("= += -= *= /= %= &= |= ^= <<= >>=".split())
STEPS = frozenset(("++", "--"))
# Words after which an operator has no operand before it.
BEFORE_VALUES = frozenset("return else case do throw".split())
# Words before brackets that hold no operand.
HEADS = frozenset("if for while switch".split())
# Other spellings of operators, assembler, and words that make types or names of values.
_HIDING = frozenset(
    "and and_eq bitand or_eq xor_eq asm __asm __asm__ decltype typeof __typeof __typeof__ std "
    "template const_cast alignas __attribute__ __declspec".split()
)
_HIDING_IN_BODIES = _HIDING | frozenset("typedef using struct class union enum namespace".split())
_BINARY = frozenset("+ - * / % << >> < > <= >= == != && || & | ^".split())
_UNARY_TOO = frozenset("+ - * &".split())
# What may be before and after a parameter that is only read.
_BEFORE_READS = _BINARY | ASSIGNMENTS | frozenset("( [ { , ! ~ ? : return ;".split())
_AFTER_READS = _BINARY | frozenset(") ] } , ; ? :".split())
_MARKS = frozenset("+ - / % << >> | ^ == != <= >= && || ?".split())
# Lines that go on, names with other letters, and quotes that are none: digits may be separated by
# them, and raw strings end elsewhere.
_ODD_TEXT = _re.compile(r"\\\s*\n|\?\?|\b\d[\w.]*'\w|\b(?:u8|[uUL])?R\"")
_ODD_CODE = _re.compile(r"[^\x20-\x7e\s]|[$@`\\]|%:")


def is_odd(text, plain):
    """Whether a compiler may see other tokens in a text; `plain` has no comments and quotes."""
    return bool(_ODD_TEXT.search(text) or _ODD_CODE.search(plain))


def _hides(tokens, words):
    return any(one in words or one.startswith(("__builtin", "_Pragma", "__pragma"))
               for one in tokens)


def hides_outside(tokens):
    """Whether what is outside of bodies has references, or words that hide what a text does. The
    address of the callback is no reference."""
    return _hides(tokens, _HIDING) or any(
        token in ("&", "&&") and tokens[place - 1] not in ("=", ")")
        for place, token in enumerate(tokens)
    )


def hides(tokens):
    """Whether a body has references, addresses, functions, other names of types, or assembler."""
    if _hides(tokens, _HIDING_IN_BODIES) or "::" in tokens:
        return True
    return any(
        token in ("&", "&&") and not _is_and(tokens, place)
        or token == "[" and _captures(tokens, place)
        for place, token in enumerate(tokens)
    )


def _captures(tokens, place):
    """Whether a bracket begins a lambda, an attribute, or names for the parts of a value."""
    before = _at(tokens, place - 1)
    return before in BEFORE_VALUES | {"auto"} or not (is_word(before) or before in ("]", ")"))


def _at(tokens, place):
    return tokens[place] if 0 <= place < len(tokens) else ""


def _enclosing(tokens, place):
    """The place of the innermost bracket around a place; -1 outside of all."""
    depth = 0
    for start in range(place - 1, -1, -1):
        if tokens[start] in (")", "]", "}"):
            depth += 1
        elif tokens[start] in ("(", "[", "{"):
            if depth == 0:
                return start
            depth -= 1
    return -1


def _is_operand_start(tokens, place):
    """Whether what begins at a place is an operand, and not the type of a declaration."""
    before = _at(tokens, place - 1)
    if before in (".", "->"):
        return True
    if before in BEFORE_VALUES:
        return before in ("return", "throw")
    if before == ":":
        return _is_choice(tokens, place - 1)
    if before in (",", "("):
        start = _enclosing(tokens, place)
        if _at(tokens, start) == "{":
            return _at(tokens, start - 1) in ("=", "return")
        if _at(tokens, start) != "(":
            return False
        if _at(tokens, start - 1) in ("for", "switch"):
            return False
        if _at(tokens, start - 1) in HEADS:
            # A condition declares a variable with a value of its own.
            end = closing(tokens, start) or len(tokens)
            return not {"=", ";", "{"}.intersection(tokens[place:end])
        return True
    return before in _BINARY | ASSIGNMENTS | {"[", "!", "~", "?"}


def _is_value_end(tokens, place):
    """Whether surely a value, and no type, ends at a place."""
    token = _at(tokens, place)
    if token == "]" or token[:1].isdigit() or token[:1] == "." and len(token) > 1:
        return True
    if token == ")":
        start = opening(tokens, place)
        if start is None:
            return False
        if is_word(_at(tokens, start - 1)) and _at(tokens, start - 1) not in HEADS | BEFORE_VALUES:
            return True
        # A type in brackets is a cast.
        depth = 0
        for one in tokens[start + 1 : place]:
            depth += (one in ("(", "[", "{")) - (one in (")", "]", "}"))
            if depth == 0 and (one in _MARKS or one[:1].isdigit()):
                return _at(tokens, start - 1) not in HEADS
        return False
    if not is_word(token) or token in DTYPE_OF or token in BEFORE_VALUES | HEADS:
        return False
    return token not in ("const", "auto", "volatile") and _is_operand_start(tokens, place)


def _is_and(tokens, place):
    """Whether an ``&`` or ``&&`` has two values as its operands."""
    after = _at(tokens, place + 1)
    if not (is_word(after) or after[:1].isdigit() or after in ("(", "~", "!", "-")):
        return False
    if after == "(" and _at(tokens, place + 2) in ("*", ")"):
        return False
    return _is_value_end(tokens, place - 1)


def is_changed(tokens, start, end):
    """Whether a value in a span, or brackets around it, are assigned, counted up or down. Brackets
    behind a star are an address, and what is changed is elsewhere."""
    while True:
        after, before = end, _at(tokens, start - 1)
        while _at(tokens, after) in (".", "->") and is_word(_at(tokens, after + 1)):
            after += 2
        if _at(tokens, after) in ASSIGNMENTS | STEPS or before in STEPS:
            return True
        start = _enclosing(tokens, start)
        if start < 0 or tokens[start] != "(" or _at(tokens, start - 1) in HEADS:
            return False
        if _at(tokens, start - 1) == "*" and _is_dereference(tokens, start - 1):
            return False
        end = (closing(tokens, start) or len(tokens)) + 1


def _is_dereference(tokens, place):
    """Whether a star surely has no operand before it."""
    before = _at(tokens, place - 1)
    if before == ")":
        start = opening(tokens, place - 1)
        return start is not None and _at(tokens, start - 1) in HEADS
    return before in _BEFORE_READS | {"", "}", "else", "do"}


def is_fixed(tokens, name):
    """Whether a body neither changes a parameter nor declares another variable of its name."""
    return is_parameter(tokens, name) and not any(
        is_changed(tokens, place, place + 1) for place, one in enumerate(tokens) if one == name
    )


def is_parameter(tokens, name):
    """Whether a body declares no other variable of a parameter's name."""
    return all(_is_named(tokens, place) for place, one in enumerate(tokens) if one == name)


def _is_named(tokens, place):
    """Whether a name at a place is a value in an expression, and declares nothing."""
    before, after = _at(tokens, place - 1), _at(tokens, place + 1)
    if before == ")":
        if not _is_cast(tokens, place - 1):
            return False
    elif before == ";":
        # In the head of a loop, the condition is behind a semicolon.
        if _at(tokens, _enclosing(tokens, place)) != "(":
            return False
    elif before not in _BEFORE_READS:
        return False
    if after not in _AFTER_READS:
        return False
    start, end = place, place
    while (_at(tokens, start - 1), _at(tokens, end + 1)) == ("(", ")"):
        start, end = start - 1, end + 1
    before = _at(tokens, start - 1)
    if before in _UNARY_TOO and not _is_value_end(tokens, start - 2):
        return before in "+-"
    if before == ",":
        return _is_operand_start(tokens, start)
    # A name in brackets behind a type is a declaration, unless that is in an expression.
    is_named = start < place and is_word(before) and before not in HEADS | BEFORE_VALUES
    return not is_named or _is_operand_start(tokens, start - 1)


def _is_cast(tokens, place):
    """Whether a type in brackets, which convert what is behind them, ends at a place."""
    start = opening(tokens, place)
    if start is None or is_word(_at(tokens, start - 1)) and tokens[start - 1] not in BEFORE_VALUES:
        return False
    inner = [one for one in tokens[start + 1 : place] if one != "*"]
    return bool(inner) and all(map(is_word, inner))


def _is_choice(tokens, place):
    """Whether a colon is that of a choice, and not that of a label or of a loop."""
    start = place
    while start > 0 and tokens[start - 1] not in (";", "{", "}"):
        start -= 1
    statement = tokens[start : place + 1]
    return statement.count("?") >= statement.count(":")
