"""Results with SciPy's field names: named tuples, some with further attributes."""

import collections


def result(name, fields, more="", unshown=""):
    """A class of named tuples. `more` has names of attributes besides the elements. Those of
    `unshown` are not printed, and a result may lack them."""
    base = collections.namedtuple(name, fields)
    shown = tuple(one for one in more.split() if not one.startswith("_"))
    extra = (*more.split(), *unshown.split())
    if not extra:
        base.__module__ = "phalanx.scipy.stats"
        return base

    class Result(base):
        def __new__(cls, *given, **options):
            attributes = {one: options.pop(one) for one in extra if one in options}
            made = super().__new__(cls, *given, **options)
            made.__dict__.update(attributes)
            return made

        def __repr__(self):
            fields = (*self._fields, *shown)
            return f"{name}({', '.join(f'{one}={getattr(self, one)!r}' for one in fields)})"

    Result.__name__ = Result.__qualname__ = name
    Result.__module__ = "phalanx.scipy.stats"
    return Result


Significance = result("SignificanceResult", "statistic pvalue")
ConfidenceInterval = result("ConfidenceInterval", "low high")
