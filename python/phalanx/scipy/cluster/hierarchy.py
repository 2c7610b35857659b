"""Hierarchies of clusters: names of ``scipy.cluster.hierarchy``. They are SciPy's, on the host."""

from ._host import functions as _functions

__all__ = sorted(["ClusterNode", "ClusterWarning", "DisjointSet", *_functions()])

globals().update(_functions())


def __getattr__(name):
    # SciPy's own classes.
    if name in __all__:
        from ._host import hierarchy

        return getattr(hierarchy(name), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
