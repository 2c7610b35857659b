"""Writes the files of this folder with NumPy: python generate.py"""

import pathlib

import numpy as np

here = pathlib.Path(__file__).parent

pairs = [0 + 1j, -2.5 + 0.5j, 1e10 - 1e-10j, complex(3.0, -0.0), 7 + 7j, -1 + 8j]
arrays = {"bool": np.array([1, 0, 1, 1, 0, 0], bool)}
for name in ("int8", "int16", "int32", "int64"):
    limits = np.iinfo(name)
    arrays[name] = np.array([0, -1, 2, limits.min, limits.max, 5], name)
for name in ("uint8", "uint16", "uint32", "uint64"):
    arrays[name] = np.array([0, 1, 2, 3, np.iinfo(name).max, 5], name)
arrays["float16"] = np.array([0, -1.5, 65504, np.inf, 6e-8, 0.333], "float16")
arrays["float32"] = np.array([0, -1.5, 1e30, np.inf, 1e-40, 0.1], "float32")
arrays["float64"] = np.array([0, -1.5, 1e300, np.inf, 5e-324, 0.1], "float64")
arrays["complex64"] = np.array(pairs, "complex64")
arrays["complex128"] = np.array(pairs, "complex128")
arrays = {name: array.reshape(2, 3) for name, array in arrays.items()}

np.savez(here / "little.npz", **arrays)
np.savez_compressed(
    here / "big.npz", **{k: a.astype(a.dtype.newbyteorder(">")) for k, a in arrays.items()}
)

numbers = np.arange(60, dtype="int16").reshape(3, 4, 5)
# `t` is in Fortran order and in the other byte order too.
np.savez_compressed(
    here / "fortran.npz",
    c=numbers,
    f=np.asfortranarray(numbers),
    t=np.asfortranarray(numbers.astype(">i2")),
)

for version in ((1, 0), (2, 0), (3, 0)):
    with open(here / f"version{version[0]}.npy", "wb") as file:
        np.lib.format.write_array(file, np.array([1.5, 2.5]), version=version)
np.save(here / "scalar.npy", np.array(2.25))
np.save(here / "empty.npy", np.zeros((3, 0, 2), "float32"))
np.save(here / "truth.npy", np.array([2, 0, 255], "uint8").view(bool))
np.save(here / "object.npy", np.array([{"a": 1}, None], object), allow_pickle=True)
np.savez(here / "object.npz", numbers=np.arange(2), objects=np.array([None], object))
np.save(here / "structured.npy", np.zeros(2, [("x", "<f8"), ("y", "<i4")]))
