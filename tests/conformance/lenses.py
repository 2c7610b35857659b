"""Writes NumPy's views of components and of bytes, for random programs that write.

    python lenses.py DIRECTORY

`DIRECTORY/lenses.tsv` then has a header line and a line for each program:

- `program`: instructions joined by `|`, over arrays with the names `a` to `h`;
- `arrays`: for each name at the end, `name dtype shape strides elements` joined by `|`; strides are
  in bytes, elements in C order as hexadecimal bytes.

Instructions:

- `a = dtype shape elements`: a new array;
- `b = a STEP`: a view, where a step is `real`, `imag`, `view DTYPE`, `index ITEMS`, `transpose
  AXES` or `reshape SHAPE`; `b ! a STEP` where NumPy raises an error;
- `b <- a`: `b[...] = a`, for equal dtypes; `b <- elements`: the same for one element;
- `b += a`: for integers;
- `evaluate a`: does nothing in NumPy.

Bools are compared by their truth, and programs write no bytes other than 0 and 1 into arrays of
bools: the meaning of such bytes is not defined. The Rust side is `tests/property/lenses.rs`, which
reads the directory named by `PHALANX_CONFORMANCE_DATA`. Needs NumPy >= 2.2.
"""

import pathlib
import random
import sys

import numpy as np

PROGRAMS = 6000
RANDOM = random.Random(20260921)
NAMES = "abcdefgh"
DTYPES = dict(
    zip(
        "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c64 c128".split(),
        map(np.dtype, "?bhilBHILefdFD"),
    )
)
TEXT = {dtype: name for name, dtype in DTYPES.items()}


def elements(array):
    array = np.asarray(array)
    if array.dtype == bool:
        array = array.view(np.uint8) != 0 if array.ndim else np.array(bool(array))
    return array.tobytes().hex()


def numbers(values):
    return ",".join(map(str, values))


def made():
    dtype = DTYPES[RANDOM.choice(["c128", "c64", "f64", "f32", "u8", "i16", "c128", *DTYPES])]
    ndim = RANDOM.choice([0, 1, 1, 2, 2, 2, 3])
    shape = tuple(RANDOM.choice([0, 1, 2, 3, 4, 6, 8]) for _ in range(ndim))
    values = [RANDOM.randint(0, 1 if dtype == bool else 90) for _ in range(int(np.prod(shape)))]
    array = np.array(values).astype(dtype).reshape(shape)
    if dtype.kind == "c":
        array += 1j * (np.arange(array.size).reshape(shape) + 100)
    return array, f"{TEXT[dtype]} {numbers(shape)} {elements(array)}"


def slice_text(item):
    if not isinstance(item, slice):
        return str(item)
    return ":".join("" if bound is None else str(bound) for bound in (item.start, item.stop, item.step))


def step(array):
    """The name of an operation and its result, which may be an error."""
    kind = RANDOM.choice(["real", "imag", "view", "view", "view", "index", "index", "transpose", "reshape"])
    if kind in ("real", "imag"):
        return kind, lambda: getattr(array, kind)
    if kind == "view":
        near = [name for name, dtype in DTYPES.items() if dtype.itemsize == array.dtype.itemsize]
        name = RANDOM.choice([*near, *DTYPES, "bool"])
        return f"view {name}", lambda: array.view(DTYPES[name])
    if kind == "transpose":
        axes = list(range(array.ndim))
        RANDOM.shuffle(axes)
        return f"transpose {numbers(axes)}", lambda: array.transpose(axes)
    if kind == "reshape":
        shape = RANDOM.choice([[-1], [1, -1], list(array.shape) + [1], [-1, 2], [2, -1], [-1, 4]])
        return f"reshape {numbers(shape)}", lambda: array.reshape(shape)
    items = []
    for extent in array.shape[: RANDOM.randint(0, array.ndim)]:
        if RANDOM.random() < 0.15 and extent and array.ndim > 1:
            items.append(RANDOM.randint(-extent, extent - 1))
        else:
            bound = lambda: RANDOM.choice([None, None, RANDOM.randint(-extent - 1, extent + 1)])
            items.append(slice(bound(), bound(), RANDOM.choice([None, None, 1, 2, -1])))
    return f"index {','.join(map(slice_text, items))}", lambda: array[(*items, ...)]


def is_behind_bytes(array):
    """Whether bytes other than 0 and 1 may be written into an array of bools."""
    base = array
    while base.base is not None:
        base = base.base
    return base.dtype == bool and array.dtype != bool


def is_plain(array):
    """Whether bools have the bytes 0 and 1."""
    return array.dtype != bool or bool((array.copy().reshape(-1).view(np.uint8) <= 1).all())


def program():
    arrays, lines = {}, []
    for _ in range(RANDOM.randint(4, 14)):
        name = RANDOM.choice(NAMES)
        kind = RANDOM.random()
        if not arrays or kind < 0.1:
            arrays[name], text = made()
            lines.append(f"{name} = {text}")
            continue
        of = RANDOM.choice(sorted(arrays))
        array = arrays[of]
        if kind < 0.6:
            text, function = step(array)
            try:
                arrays[name] = function()
                lines.append(f"{name} = {of} {text}")
            except (ValueError, TypeError):
                arrays.pop(name, None)
                lines.append(f"{name} ! {of} {text}")
        elif kind < 0.7:
            lines.append(f"evaluate {of}")
        elif not array.flags.writeable or is_behind_bytes(array):
            continue
        else:
            fits = lambda other: (
                other.dtype == array.dtype
                and is_plain(other)
                and other.ndim <= array.ndim
                and can_broadcast(other.shape, array.shape)
            )
            others = [other for other in sorted(arrays) if fits(arrays[other])]
            if others and RANDOM.random() < 0.7:
                other = RANDOM.choice(others)
                if array.dtype.kind in "iu" and RANDOM.random() < 0.5:
                    array += arrays[other]
                    lines.append(f"{of} += {other}")
                else:
                    array[...] = arrays[other]
                    lines.append(f"{of} <- {other}")
            else:
                value = np.array(RANDOM.randint(0, 1 if array.dtype == bool else 7)).astype(array.dtype)
                array[...] = value
                lines.append(f"{of} <- {elements(value)}")
    shown = [
        f"{name} {TEXT[array.dtype]} {numbers(array.shape)} {numbers(array.strides)} {elements(truth(array))}"
        for name, array in sorted(arrays.items())
    ]
    return "|".join(lines) + "\t" + "|".join(shown)


def truth(array):
    if array.dtype != bool:
        return array
    return (array.copy().reshape(-1).view(np.uint8) != 0).reshape(array.shape)


def can_broadcast(shape, target):
    try:
        return np.broadcast_shapes(shape, target) == target
    except ValueError:
        return False


def main():
    lines = ["program\tarrays", *(program() for _ in range(PROGRAMS))]
    path = pathlib.Path(sys.argv[1]) / "lenses.tsv"
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
