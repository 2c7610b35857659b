"""Clusters: parameters of ``scipy.cluster.vq``."""

EXACT = set()
COARSE = set()
LEFT_OUT = {"kmeans": "random starts are those of other generators",
            "kmeans2": "random starts are those of other generators"}
ARRAYS = {"dtypes": ["float64", "float64", "float32", "int32"], "longest": 12}


def points(d):
    shape = (d.whole(1, 12), d.whole(1, 4)) if d.often(0.7) else (d.whole(1, 12),)
    return d.array(shape, ["float64", "float32", "int32"])


def codes(d):
    shape = d.first.shape[1:] if d.often(0.95) else (2,)
    return d.laid(d.elements((d.whole(1, 5), *shape), d.one([d.first.dtype.name, "float64"])))


PARAMETERS = {"obs": points, "code_book": codes, "check_finite": lambda d: d.often(0.5)}
OWN = {"whiten": {"check_finite": lambda d: d.one([None, True, False])}}


def units(name, values):
    """The allowed difference in units of the precision of the result."""
    return 2**12


def excuse(name, values, found, expected):
    return False
