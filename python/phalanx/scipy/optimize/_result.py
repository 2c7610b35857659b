"""The results of searches."""

from .._outcome import Outcome


class OptimizeResult(Outcome):
    """The result of a search: a dictionary whose entries are attributes.

    Entries are `x`, `fun`, `success`, `status`, `message` and the counts `nit`, `nfev`, `njev` and
    `nhev`, and others that a method has.
    """
