"""Transforms: parameters of ``scipy.fft``."""

from .drawing import FLOATS

ARRAYS = {"dtypes": ["float64", "float32", "complex128", "complex64", "int32"], "longest": 40,
          "rare": ["float16", "bool", "uint8", "int64"]}
EXACT = {"fftshift", "ifftshift"}
COARSE = set()
LEFT_OUT = dict.fromkeys(
    ["get_workers", "register_backend", "set_backend", "set_global_backend",
     "set_workers", "skip_backend"], "state of the program")


def real(d):
    return d.array(dtypes=["float64", "float32", "int32"] if d.often(0.9) else None)


def extents(d):
    """Lengths of the transformed axes; axes are drawn before."""
    axes = d.values.get("axes")
    count = len(axes) if isinstance(axes, tuple) else 1 if isinstance(axes, int) else d.whole(
        1, max(d.first.ndim, 1))
    count += d.often(0.05)
    return tuple(d.one([1, 2, 4, 5, 8, 13, 0 if d.often(0.05) else 3]) for _ in range(count))


PARAMETERS = {
    "x": lambda d: d.array(),
    "n": lambda d: d.one([None, 1, 4, 5, 8, 16, 31, 0 if d.often(0.2) else 7]),
    "s": extents,
    "shape": extents,
    "norm": lambda d: d.one([None, "ortho", "forward", "backward", "none" if d.often(0.1) else
                             "ortho"]),
    "overwrite_x": lambda d: False,
    "workers": lambda d: d.one([None, 1, 2]),
    "plan": lambda d: None,
    "type": lambda d: d.one([1, 2, 3, 4, 5 if d.often(0.1) else 2]),
    "orthogonalize": lambda d: d.one([None, True, False]),
    "d": lambda d: d.one([1.0, 0.5, 3]),
    "xp": lambda d: None, "device": lambda d: None,
    "dln": lambda d: d.one([0.1, 0.5]), "mu": lambda d: d.one([0, 0.5, 1, 2.5]),
    "offset": lambda d: d.one([0.0, 0.3]), "bias": lambda d: d.one([0.0, 0.2, -0.1]),
    "initial": lambda d: d.one([0.0, 0.5]),
    "target": lambda d: d.one([1, 7, 97, 1000, 1021, 0 if d.often(0.2) else 13]),
    "real": lambda d: d.often(0.5),
    "a": lambda d: d.array(d.shape(1, 2), FLOATS), "A": lambda d: d.array(d.shape(1, 2), FLOATS),
}
COSINE = {"x": lambda d: d.array(dtypes=["float64", "float32", "int32"] if d.often(0.8) else None)}
REAL = {"x": real}
OWN = {
    **{name: COSINE for name in ["dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn"]},
    **{name: REAL for name in ["rfft", "rfft2", "rfftn", "ihfft", "ihfft2", "ihfftn"]},
    "fftfreq": {"n": lambda d: d.whole(0, 9)}, "rfftfreq": {"n": lambda d: d.whole(0, 9)},
    "fftshift": {"x": lambda d: d.array()}, "ifftshift": {"x": lambda d: d.array()},
}


def units(name, values):
    """The allowed difference in units of the precision of the result."""
    return 2**14 if "fht" in name or "ht" in name else 1024


def excuse(name, values, found, expected):
    return False
