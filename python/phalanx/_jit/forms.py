"""What is known of integers before a kernel runs on CPUs: sums of unknown integers, and bounds.

A form is ``constant + sum(coefficient * atom)``. An atom stands for one integer, such as the index
of a thread; its bounds are those over all threads. Loops take their number of turns from forms, and
indices are compared by them: see ``host``.
"""

# How often a bound may lead to another one.
_DEPTH = 3


class Atom:
    """An integer. ``code`` is its text, and ``of_arguments`` computes it from the arguments of the
    kernel, if it is known then. ``below`` and ``above`` are forms that it does not exceed, or
    undercut."""

    __slots__ = ("low", "high", "code", "of_arguments", "below", "above")

    def __init__(self, low=None, high=None, code=None, of_arguments=None):
        self.low, self.high, self.code, self.of_arguments = low, high, code, of_arguments
        self.below, self.above = (), ()


class Form:
    """A sum of a constant and of multiples of atoms."""

    __slots__ = ("constant", "terms")

    def __init__(self, constant=0, terms=()):
        self.constant = constant
        self.terms = {atom: by for atom, by in dict(terms).items() if by}

    def plus(self, other, by=1):
        """The sum of this form and of a multiple of another one."""
        terms = dict(self.terms)
        for atom, coefficient in other.terms.items():
            terms[atom] = terms.get(atom, 0) + by * coefficient
        return Form(self.constant + by * other.constant, terms)

    def minus(self, other):
        return self.plus(other, -1)

    def times(self, by):
        return Form().plus(self, by)

    def number(self):
        """The number that the form is; None if it has atoms."""
        return None if self.terms else self.constant

    def of_arguments(self, args):
        """The number that the form is for some arguments."""
        return self.constant + sum(by * atom.of_arguments(args) for atom, by in self.terms.items())

    def low(self):
        """A number that the form does not undercut; None if there is none."""
        return _bound(self, False, _DEPTH)

    def high(self):
        """A number that the form does not exceed; None if there is none."""
        return _bound(self, True, _DEPTH)


def of(atom):
    return Form(0, {atom: 1})


def between(low, high, code=None, of_arguments=None):
    """An integer of which only bounds are known."""
    return of(Atom(low, high, code, of_arguments))


def _bound(form, is_upper, depth):
    found = form.constant
    for atom, by in form.terms.items():
        edge = atom.high if (by > 0) == is_upper else atom.low
        if edge is None:
            found = None
            break
        found += by * edge
    if depth:
        for atom, by in form.terms.items():
            for other in atom.below if (by > 0) == is_upper else atom.above:
                nearer = _bound(form.plus(of(atom).minus(other), -by), is_upper, depth - 1)
                if nearer is not None and (found is None or (nearer < found) == is_upper):
                    found = nearer
    return found


def _product(a, b):
    for one, other in ((a, b), (b, a)):
        if one.number() is not None:
            return other.times(one.number())
    corners = [x * y if x is not None and y is not None else None
               for x in (a.low(), a.high()) for y in (b.low(), b.high())]
    return None if None in corners else between(min(corners), max(corners))


def _quotient(a, b):
    by = b.number()
    if by is None or by <= 0:
        return None
    if all(one % by == 0 for one in (a.constant, *a.terms.values())):
        return Form(a.constant // by, {atom: one // by for atom, one in a.terms.items()})
    low, high = a.low(), a.high()
    return between(None if low is None else low // by, None if high is None else high // by)


def _remainder(a, b):
    by, low, high = b.number(), a.low(), a.high()
    if by is None or by <= 0:
        return None
    if low is not None and high is not None and 0 <= low and high < by:
        return a
    return between(0, by - 1)


def _shifted(a, b, combine):
    by = b.number()
    return combine(a, Form(1 << by)) if by is not None and 0 <= by < 63 else None


def _masked(a, b):
    for one, other in ((a, b), (b, a)):
        if one.number() is not None and one.number() >= 0:
            return between(0, one.number())
    return None


def least(items):
    """The least of some forms."""
    lows, highs = [one.low() for one in items], [one.high() for one in items]
    highs = [one for one in highs if one is not None]
    atom = Atom(None if None in lows else min(lows), min(highs) if highs else None)
    atom.below = tuple(items)
    return of(atom)


def greatest(items):
    """The greatest of some forms."""
    lows, highs = [one.low() for one in items], [one.high() for one in items]
    lows = [one for one in lows if one is not None]
    atom = Atom(max(lows) if lows else None, None if None in highs else max(highs))
    atom.above = tuple(items)
    return of(atom)


_RULES = {
    "add": lambda a, b: a.plus(b),
    "subtract": lambda a, b: a.minus(b),
    "multiply": _product,
    "floor_divide": _quotient,
    "remainder": _remainder,
    "left_shift": lambda a, b: _shifted(a, b, _product),
    "right_shift": lambda a, b: _shifted(a, b, _quotient),
    "bitwise_and": _masked,
    "minimum": lambda a, b: least((a, b)),
    "maximum": lambda a, b: greatest((a, b)),
    "negative": lambda a: a.times(-1),
    "positive": lambda a: a,
}


def combine(name, operands):
    """The form of an operation of NumPy's on forms; None if nothing is known of the result."""
    rule = _RULES.get(name)
    return None if rule is None or None in operands else rule(*operands)


def compare(name, a, b):
    """Whether a comparison holds; None if that is not known, or differs between threads."""
    apart = a.minus(b)
    low, high = apart.low(), apart.high()
    at_least = low is not None and low >= 0
    more = low is not None and low > 0
    at_most = high is not None and high <= 0
    less = high is not None and high < 0
    decided = {
        "less": (less, at_least), "less_equal": (at_most, more),
        "greater": (more, at_most), "greater_equal": (at_least, less),
        "equal": (at_least and at_most, more or less),
        "not_equal": (more or less, at_least and at_most),
    }[name]
    return True if decided[0] else False if decided[1] else None
