"""Writes the text of NumPy's `str` for random arrays.

    python display.py DIRECTORY [CASES [SEED]]

`DIRECTORY/display.tsv` then has a header line and a line for each case:

- `dtype`: the name of the dtype in Phalanx;
- `shape`: the extents, joined by `,`;
- `bytes`: elements in hexadecimal, in little-endian byte order; they are repeated in C order
  until the shape is full (`np.resize`);
- `text`: NumPy's text, with `\\n` for line breaks.

The Rust side is `array/tests/it/display.rs`. It reads the table in `array/tests/data`, which this
script wrote with its default seed and 400 cases, and the one in the directory named by
`PHALANX_CONFORMANCE_DATA`, if there is one. Needs NumPy >= 2.4.
"""

import pathlib
import random
import sys
import warnings

import numpy as np

CASES = int(sys.argv[2]) if len(sys.argv) > 2 else 3000
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 20240608
RANDOM = random.Random(SEED)
GENERATOR = np.random.default_rng(SEED)

INTEGERS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
FLOATS = ["f16", "f32", "f64"]
COMPLEX = ["c64", "c128"]
NUMPY = {
    "bool": "?", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2",
    "u32": "u4", "u64": "u8", "f16": "f2", "f32": "f4", "f64": "f8", "c64": "c8", "c128": "c16",
}  # fmt: skip
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 1e8, 1e-4, 999.5, 1e3, 1e6, 1e16, 5e-324]


def shape():
    kind = RANDOM.random()
    if kind < 0.12:
        return ()
    if kind < 0.22:
        return RANDOM.choice(
            [(1001,), (1000,), (2000,), (40, 30), (3, 400), (400, 3), (6, 7, 40), (8, 7, 40),
             (2, 3, 4, 50), (9, 9, 9, 9), (1, 1500), (1500, 1), (7, 200), (1001, 1, 1)]
        )  # fmt: skip
    ndim = RANDOM.choice([1, 1, 1, 2, 2, 3, 4])
    extents = [0, 1, 1, 2, 2, 3, 4, 5, 7] if ndim > 1 else [0, 1, 2, 3, 4, 5, 8, 13, 30, 60]
    return tuple(RANDOM.choice(extents) for _ in range(ndim))


def reals(count):
    """Doubles of one of many kinds."""
    look = RANDOM.randrange(12)
    signs = GENERATOR.choice([-1.0, 1.0], count) if RANDOM.random() < 0.5 else 1.0
    if look == 0:
        values = GENERATOR.integers(0, 10, count).astype(float)
    elif look == 1:
        values = GENERATOR.normal(size=count)
    elif look == 2:
        values = GENERATOR.random(count)
    elif look == 3:
        values = 10.0 ** GENERATOR.uniform(-320, 308, count)
    elif look == 4:
        values = 10.0 ** GENERATOR.uniform(-8, 5, count)
    elif look == 5:
        values = 10.0 ** GENERATOR.uniform(-2, 1, count)
    elif look == 6:
        values = GENERATOR.choice(SPECIAL, count)
    elif look == 7:
        values = GENERATOR.integers(0, 10**9, count) / 10.0 ** RANDOM.randrange(12)
    elif look == 8:
        values = 2.0 ** GENERATOR.integers(RANDOM.choice([-1074, -149, -24, -10]), 12, count)
    elif look == 9:
        values = GENERATOR.integers(0, 4096, count) / 2.0 ** RANDOM.randrange(3, 14)
    elif look == 10:
        values = 10.0 ** RANDOM.randrange(-12, 20) * GENERATOR.uniform(1, 9, count)
    else:
        values = np.round(GENERATOR.normal(size=count), RANDOM.randrange(5))
    values = values * signs
    if RANDOM.random() < 0.2:
        values = np.where(GENERATOR.random(count) < 0.2, GENERATOR.choice(SPECIAL, count), values)
    return values


def elements(name, count):
    dtype = np.dtype(NUMPY[name])
    if name == "bool":
        chance = RANDOM.choice([0, 0.5, 1])
        return (GENERATOR.random(count) < chance).astype(dtype)
    if name in INTEGERS:
        limits = np.iinfo(dtype)
        if RANDOM.random() < 0.5:
            return GENERATOR.integers(0 if limits.min == 0 else -9, 99, count).astype(dtype)
        return GENERATOR.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)
    if name in FLOATS:
        if RANDOM.random() < 0.15:
            return np.frombuffer(GENERATOR.bytes(count * dtype.itemsize), dtype)
        return reals(count).astype(dtype)
    values = np.empty(count, dtype)
    values.real = reals(count)
    values.imag = reals(count)
    return values


def main():
    lines = ["dtype\tshape\tbytes\ttext"]
    for _ in range(CASES):
        name = RANDOM.choice(["bool", *INTEGERS, *FLOATS * 5, *COMPLEX * 6])
        extents = shape()
        size = int(np.prod(extents, dtype=int))
        values = elements(name, min(size, RANDOM.choice([7, 29])))
        array = np.resize(values, extents) if size else np.empty(extents, values.dtype)
        text = str(array).replace("\n", "\\n")
        joined = ",".join(map(str, extents))
        lines.append(f"{name}\t{joined}\t{values.tobytes().hex()}\t{text}")
    path = pathlib.Path(sys.argv[1], "display.tsv")
    path.write_text("\n".join(lines) + "\n")


with warnings.catch_warnings(), np.errstate(all="ignore"):
    warnings.simplefilter("ignore")
    main()
