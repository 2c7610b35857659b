"""Writes NumPy's results for every elementwise operation, dtype and special value.

    python elementwise.py DIRECTORY

The directory then holds raw arrays (`*.bin`, native byte order) and tables (`*.tsv`, one header
line each):

- `loops.tsv`: operation, input dtypes, output dtype, count, input files, NumPy's output, and the
  reference, which is computed in the next wider precision and rounded (`-` where NumPy's output is
  exact by definition);
- `casts.tsv`: source dtype, target dtype, count, input file, output file; out-of-range conversions
  are left out;
- `promote.tsv`, `promote_weak.tsv`, `can_cast.tsv`, `resolve.tsv`: NumPy's rules, cell by cell;
- `weak_values.tsv`: operations between an array and a Python integer, by value.

The Rust side is `kernels/tests/it/elementwise/`, which reads the directory named by
`PHALANX_CONFORMANCE_DATA`. Needs NumPy >= 2.2. NumPy lacks bfloat16, whose rules are tested in unit
tests.
"""

import itertools
import pathlib
import sys
import warnings

import numpy as np

DTYPES = dict(
    zip("?bhilBHILefdFD", "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c64 c128".split())
)
WEAK = {"int": int, "float": float, "complex": complex}
# Outputs of functions with several outputs, as separate operations.
COMPONENTS = {
    "modf_fractional": (np.modf, 0),
    "modf_integral": (np.modf, 1),
    "frexp_mantissa": (np.frexp, 0),
    "frexp_exponent": (np.frexp, 1),
}
# Operations that round: NumPy's own result is not the only correct one.
ROUNDED = set(
    "absolute arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt cos cosh deg2rad degrees"
    " divide exp exp2 expm1 float_power hypot log log10 log1p log2 logaddexp logaddexp2 multiply"
    " power rad2deg radians reciprocal sign sin sinh sqrt square tan tanh".split()
)
WIDER = {"e": "d", "f": "d", "d": "g", "F": "D", "D": "G"}
RANDOM = 3000
GENERATOR = np.random.default_rng(20240607)


def operations():
    """Name and function of each operation with one output."""
    found = {}
    for name in sorted(dir(np)):
        ufunc = getattr(np, name)
        if isinstance(ufunc, np.ufunc) and ufunc.signature is None and ufunc.nout == 1:
            found[ufunc.__name__] = ufunc
    del found["isnat"]
    for name, (ufunc, output) in COMPONENTS.items():
        found[name] = component(ufunc, output)
    found["real"] = part(np.real)
    found["imag"] = part(np.imag)
    found["complex"] = constructor()
    found["philox"] = philox()
    return found


class component:
    """One output of a ufunc, with the attributes used here."""

    def __init__(self, ufunc, output):
        self.ufunc, self.output, self.nin = ufunc, output, ufunc.nin
        self.types = [kept(text, output) for text in ufunc.types]

    def __call__(self, *args, dtype=None):
        return self.ufunc(*args)[self.output]

    def resolve_dtypes(self, dtypes):
        resolved = self.ufunc.resolve_dtypes((dtypes[0], None, None))
        return (resolved[0], resolved[1 + self.output])


class part:
    """`real` and `imag`, which are not ufuncs, with the attributes used here."""

    nin = 1
    types = [*(f"{char}->{char}" for char in "?bBhHiIlLefd"), "F->f", "D->d"]

    def __init__(self, function):
        self.function = function

    def __call__(self, *args, dtype=None):
        return self.function(args[0]).copy()

    def resolve_dtypes(self, dtypes):
        dtype = np.dtype(dtypes[0])
        return (dtype, np.empty(0, dtype).real.dtype)


class constructor:
    """The complex numbers of given parts, with the attributes used here."""

    nin = 2
    types = ["ff->F", "dd->D"]

    def __call__(self, real, imag, dtype=None):
        result = np.empty(real.shape, np.result_type(real, np.complex64))
        result.real, result.imag = real, imag
        return result

    def resolve_dtypes(self, dtypes):
        own = [dtype for dtype in dtypes if isinstance(dtype, np.dtype)]
        weak = {int: 0, float: 0.0, complex: 0j}
        values = [weak.get(dtype, 0) for dtype in dtypes if dtype in weak]
        if not own:
            own = [np.dtype(float)]
        # As in ufuncs, numbers first take the dtype that all operands promote to.
        numbers = [np.result_type(*own, *values)] if values else []
        dtype = np.result_type(np.float32, *own, *numbers)
        if dtype.kind == "c" or dtype.itemsize > 8:
            raise TypeError("parts are real")
        return (dtype, dtype, np.result_type(dtype, np.complex64))


class philox:
    """Philox4x32-10 in NumPy's integers, with the attributes used here."""

    nin = 2
    types = ["LL->L"]

    def __call__(self, counter, key, dtype=None):
        low = np.uint64(0xFFFFFFFF)
        half = np.uint64(32)
        zero = np.zeros_like(counter)
        words = [counter & low, counter >> half, zero, zero]
        keys = [key & low, key >> half]
        for _ in range(10):
            a = words[0] * np.uint64(0xD2511F53)
            b = words[2] * np.uint64(0xCD9E8D57)
            words = [
                (b >> half) ^ words[1] ^ keys[0],
                b & low,
                (a >> half) ^ words[3] ^ keys[1],
                a & low,
            ]
            keys = [(keys[0] + np.uint64(0x9E3779B9)) & low, (keys[1] + np.uint64(0xBB67AE85)) & low]
        return words[0] | (words[1] << half)

    def resolve_dtypes(self, dtypes):
        # As in ufuncs, numbers first take the dtype that all operands promote to.
        own = [dtype for dtype in dtypes if isinstance(dtype, np.dtype)]
        weak = {int: 0, float: 0.0, complex: 0j}
        values = [weak[dtype] for dtype in dtypes if dtype in weak]
        wide = np.dtype(np.uint64)
        if any(dtype.kind not in "bu" for dtype in own + [np.result_type(*own, *values)]):
            raise TypeError("counters are unsigned")
        return (wide, wide, wide)


def kept(text, output):
    inputs, outputs = text.split("->")
    return f"{inputs}->{outputs[output]}"


def canonical(char):
    return {"q": "l", "Q": "L"}.get(char, char)


def loops(ufunc):
    """Distinct loops as (input characters, output character)."""
    seen = {}
    for text in ufunc.types:
        if not any(char in "gGOmM" for char in text):
            inputs, output = text.split("->")
            seen.setdefault("".join(map(canonical, inputs)), canonical(output))
    return seen.items()


def real_specials(dtype, few=False):
    info = np.finfo(dtype)
    # fmt: off
    values = [
        0.0, 1.0, 0.5, 2.0, 3.0, np.inf, info.tiny, info.smallest_subnormal, info.max, 1.5, 10.0,
        100.0,
    ]
    # fmt: on
    if not few:
        # fmt: off
        values += [
            info.eps, 1 + info.eps, 1 - info.epsneg, info.tiny * (1 - info.eps),
            info.smallest_subnormal * 7, info.max / 2, 0.25, 0.75, 2.5, 3.5, 7.0, 8.0, np.pi, np.e,
            np.pi / 2, np.pi / 4, np.log(2), 1 / 3, 0.1, 1e-3, 1e-5, 11.0, 16.0, 20.0, 22.5, 45.0,
            88.5, 89.0, 103.5, 127.5, 180.0, 255.0, 360.0, 709.5, 710.0, 745.0, 1023.5, 1024.0,
            1075.0, 4095.5, 65504.0, 2.0**23 + 0.5, 2.0**24 + 1, 2.0**31, 2.0**52 - 0.5, 2.0**53,
            2.0**63, 1e10, 1e22, 1e30, 1e-30, 1e-40,
        ]
        # fmt: on
    with np.errstate(over="ignore"):
        positive = np.array(values, dtype=np.float64).astype(dtype)
        exact = [info.tiny, info.smallest_subnormal, info.max]
        positive = np.concatenate([positive, np.array(exact, dtype=dtype)])
    return np.unique(
        np.concatenate([positive, -positive, np.array([np.nan, -0.0, 0.0], dtype=dtype)]).view(
            f"u{np.dtype(dtype).itemsize}"
        )
    ).view(dtype)


def real_random(dtype, count):
    info = np.finfo(dtype)
    third = count // 3
    with np.errstate(over="ignore", under="ignore"):
        exponents = GENERATOR.uniform(info.minexp - info.nmant, info.maxexp, third)
        wide = np.exp2(exponents.astype(np.longdouble)).astype(dtype)
        wide *= GENERATOR.choice([-1, 1], third).astype(dtype)
    parts = [wide, GENERATOR.uniform(-2, 2, third), GENERATOR.normal(0, 20, count - 2 * third)]
    return np.concatenate([part.astype(dtype) for part in parts])


def integer_specials(dtype):
    info = np.iinfo(dtype)
    if info.bits == 8:
        return np.arange(info.min, info.max + 1).astype(dtype)
    values = [info.min, info.min + 1, info.max, info.max - 1, info.max // 2, info.max // 3]
    # fmt: off
    values += [
        *range(0, 13), 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256, 1000, 30030,
        32767,
    ]
    # fmt: on
    values += [1 << bit for bit in range(0, info.bits - 1, 5)]
    if info.min < 0:
        values += [-value for value in values if value != info.min]
    return np.unique(
        np.array([value for value in values if info.min <= value <= info.max], dtype=dtype)
    )


def integer_random(dtype, count):
    info = np.iinfo(dtype)
    half = count // 2
    wide = GENERATOR.integers(info.min, info.max, half, dtype=dtype, endpoint=True)
    shift = GENERATOR.integers(0, info.bits - 1, count - half).astype(dtype)
    narrow = (
        GENERATOR.integers(info.min, info.max, count - half, dtype=dtype, endpoint=True) >> shift
    )
    return np.concatenate([wide, narrow])


def specials(char, few=False):
    dtype = np.dtype(char)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        return integer_specials(dtype)
    if dtype.kind == "f":
        return real_specials(dtype, few)
    part = np.dtype({"F": "f", "D": "d"}[char])
    values = real_specials(part, few=True)
    if few:
        chosen = np.array(
            [0.0, -0.0, 1.0, -1.0, 0.5, np.inf, -np.inf, np.nan, -3.0, np.finfo(part).max],
            dtype=part,
        )
        values = chosen
    re, im = np.meshgrid(values, values)
    return pack(re.ravel(), im.ravel(), dtype)


def randoms(char, count):
    dtype = np.dtype(char)
    if dtype.kind == "b":
        return GENERATOR.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        return integer_random(dtype, count)
    if dtype.kind == "f":
        return real_random(dtype, count)
    part = np.dtype({"F": "f", "D": "d"}[char])
    plain = GENERATOR.normal(0, 3, (2, count // 2)).astype(part)
    unit = GENERATOR.uniform(0, 2 * np.pi, count // 4)
    circle = np.array([np.cos(unit), np.sin(unit)]).astype(part)
    rest = count - count // 2 - count // 4
    wide = np.array([GENERATOR.permutation(real_random(part, rest)), real_random(part, rest)])
    re, im = np.concatenate([plain, circle, wide], axis=1)
    return pack(re, im, dtype)


def pack(re, im, dtype):
    values = np.empty(len(re), dtype)
    values.real, values.imag = re, im
    return values


class Store:
    """Arrays written once under a name, and the tables."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.written = {}

    def array(self, name, make):
        if name not in self.written:
            values = np.ascontiguousarray(make())
            values.tofile(self.directory / f"{name}.bin")
            self.written[name] = values
        return self.written[name]

    def table(self, name, header, rows):
        lines = ["\t".join(header)] + ["\t".join(map(str, row)) for row in rows]
        (self.directory / f"{name}.tsv").write_text("\n".join(lines) + "\n")
        print(f"{name}: {len(rows)} rows")


def operands(store, name, inputs):
    """Names and arrays of the operands for a loop."""
    if len(inputs) == 1:
        key = f"unary.{DTYPES[inputs]}"
        values = store.array(
            key, lambda: np.concatenate([specials(inputs), randoms(inputs, RANDOM)])
        )
        keys, arrays = [key], [values]
    else:

        def pair(position):
            def make():
                few = any(char in "FD" for char in inputs)
                grid = np.meshgrid(
                    specials(inputs[0], few), specials(inputs[1], few), indexing="ij"
                )
                return np.concatenate([grid[position].ravel(), randoms(inputs[position], RANDOM)])

            return make

        keys = [f"binary.{DTYPES[inputs[0]]}.{DTYPES[inputs[1]]}.{position}" for position in (0, 1)]
        arrays = [store.array(key, pair(position)) for position, key in enumerate(keys)]
    # NumPy raises for integers to negative powers, and 1 / 0 is unspecified for integers.
    adjust = None
    if name == "power" and inputs[0] in "bhil":
        adjust = (1, lambda values: np.where(values < 0, values & 15, values))
    if name == "reciprocal" and inputs[0] in "bhilBHIL":
        adjust = (0, lambda values: np.where(values == 0, 1, values).astype(values.dtype))
    if name == "exp2" and inputs in "FD":
        # The reference's precision is too small for the angle im * log(2) of a larger number.
        adjust = (0, lambda values: np.where(np.abs(values.imag) > 1e4, values.real + 1j, values))
    if adjust:
        position, change = adjust
        keys[position] += f".{name}"
        old = arrays[position]
        arrays[position] = store.array(keys[position], lambda: change(old))
    return keys, arrays


def reference(name, ufunc, inputs, output, arrays):
    """The result computed in the next wider precision and rounded, or None."""
    if name not in ROUNDED or inputs[0] not in WIDER:
        return None
    wide = [array.astype(WIDER[char]) for array, char in zip(arrays, inputs)]
    result = ufunc(*wide)
    if name == "log1p" and inputs in "FD":
        # NumPy adds 1 first, which loses small numbers in any precision.
        z = wide[0]
        small = np.abs(z) < 0.5
        result.real[small] = np.log1p(z.real[small] * (2 + z.real[small]) + z.imag[small] ** 2) / 2
    result = result.astype(np.dtype(output))
    by_the_standard(name, inputs, arrays, result)
    return result


def by_the_standard(name, inputs, arrays, result):
    """The result with the values of the Array API standard where NumPy's differ: the complex expm1
    of infinities and NaN, for which NumPy multiplies infinities by zeros, and of zeros."""
    if name != "expm1" or inputs not in "FD":
        return
    re, im = arrays[0].real, arrays[0].imag
    angle = np.isfinite(im)
    nothing = ~angle & ~np.isneginf(re)
    result.real[nothing] = np.where(np.isposinf(re), np.inf, np.nan)[nothing]
    result.imag[nothing] = np.nan
    falls = np.isneginf(re)
    sign = np.where(angle, np.sin(np.where(angle, im, 0).astype(np.longdouble)), im)
    result.real[falls] = -1
    result.imag[falls] = np.copysign(0.0, sign)[falls]
    real = im == 0
    result.real[real] = np.expm1(re)[real] + 0.0
    result.imag[real] = im[real]


def write_loops(store):
    rows = []
    for name, ufunc in operations().items():
        for inputs, output in loops(ufunc):
            keys, arrays = operands(store, name, inputs)
            result = ufunc(*arrays)
            by_the_standard(name, inputs, arrays, result)
            assert result.dtype == np.dtype(output), (name, inputs, output, result.dtype)
            dtypes = ",".join(DTYPES[char] for char in inputs)
            key = f"loop.{name}.{dtypes.replace(',', '.')}"
            store.array(key, lambda: result)
            wide = reference(name, ufunc, inputs, output, arrays)
            if wide is not None:
                store.array(f"{key}.reference", lambda: wide)
            rows.append(
                [
                    name,
                    dtypes,
                    DTYPES[output],
                    len(result),
                    ",".join(keys),
                    key,
                    "-" if wide is None else f"{key}.reference",
                ]
            )
    store.table(
        "loops", ["operation", "inputs", "output", "count", "operands", "numpy", "reference"], rows
    )


def write_casts(store):
    rows = []
    for source, target in itertools.product(DTYPES, repeat=2):
        values = store.array(
            f"unary.{DTYPES[source]}",
            lambda: np.concatenate([specials(source), randoms(source, RANDOM)]),
        )
        if source in "efdFD" and target in "bhilBHIL":
            info = np.iinfo(target)
            # The wider precision keeps the bounds of the range exact.
            real = values.real.astype(np.longdouble)
            values = values[
                (real > np.longdouble(info.min) - 1) & (real < np.longdouble(info.max) + 1)
            ]
        key = f"cast.{DTYPES[source]}.{DTYPES[target]}"
        store.array(f"{key}.from", lambda: values)
        store.array(f"{key}.to", lambda: values.astype(target))
        rows.append([DTYPES[source], DTYPES[target], len(values), f"{key}.from", f"{key}.to"])
    store.table("casts", ["from", "to", "count", "operand", "numpy"], rows)


def write_rules(store):
    pairs = list(itertools.product(DTYPES, repeat=2))
    store.table(
        "promote",
        ["a", "b", "result"],
        [[DTYPES[a], DTYPES[b], DTYPES[canonical(np.result_type(a, b).char)]] for a, b in pairs],
    )
    store.table(
        "promote_weak",
        ["dtype", "weak", "result"],
        [
            [DTYPES[a], name, DTYPES[canonical(np.result_type(np.empty(1, a), weak(0)).char)]]
            for a in DTYPES
            for name, weak in WEAK.items()
        ],
    )
    store.table(
        "can_cast",
        ["from", "to", "casting", "allowed"],
        [
            [DTYPES[a], DTYPES[b], casting, str(np.can_cast(a, b, casting)).lower()]
            for a, b in pairs
            for casting in ("no", "equiv", "safe", "same_kind", "unsafe")
        ],
    )


def write_resolutions(store):
    rows = []
    for name, ufunc in operations().items():
        kinds = {**{DTYPES[char]: np.dtype(char) for char in DTYPES}, **WEAK}
        for combination in itertools.product(kinds, repeat=ufunc.nin):
            if all(kind in WEAK for kind in combination):
                continue
            try:
                resolved = ufunc.resolve_dtypes(
                    tuple(kinds[kind] for kind in combination) + (None,)
                )
                chars = [canonical(dtype.char) for dtype in resolved]
                answer = ",".join(DTYPES[char] for char in chars[:-1]) + "->" + DTYPES[chars[-1]]
            except TypeError:
                answer = "-"
            rows.append([name, ",".join(combination), answer])
    store.table("resolve", ["operation", "operands", "loop"], rows)


def write_weak_values(store):
    """Arrays with Python integers in and out of range, on either side.

    The answer is a list, or the error's name.
    """
    rows = []
    # fmt: off
    values = [
        0, 1, -1, 127, 128, -128, -129, 255, 256, 300, 2**31, -(2**31) - 1, 2**63 - 1, 2**63,
        -(2**63), -(2**63) - 1, 2**64 - 1, 2**64, 2**64 + 1, 2**70, -(2**70),
    ]
    # fmt: on
    # fmt: off
    names = [
        "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "add", "maximum",
        "bitwise_or",
    ]
    # fmt: on
    for name, char, value, side in itertools.product(
        names, "?bhilBHILd", values, ("right", "left")
    ):
        dtype = np.dtype(char)
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            array = np.array([info.min, 0, 1, info.max - 1, info.max], dtype)
        else:
            array = np.array([0, 1], dtype)
        operands = (array, value) if side == "right" else (value, array)
        try:
            result = getattr(np, name)(*operands)
            if result.dtype.kind == "O":
                continue
            answer = (
                DTYPES[canonical(result.dtype.char)]
                + ":"
                + ",".join(str(int(item)) for item in result)
            )
        except (OverflowError, TypeError) as error:
            answer = type(error).__name__
        rows.append(
            [name, DTYPES[char], ",".join(str(int(item)) for item in array), value, side, answer]
        )
    store.table("weak_values", ["operation", "dtype", "array", "value", "side", "answer"], rows)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    version = tuple(int(part) for part in np.__version__.split(".")[:2])
    if version < (2, 2):
        sys.exit(f"needs NumPy >= 2.2, found {np.__version__}")
    # Casts of complex to real numbers are intended.
    warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
    store = Store(sys.argv[1])
    with np.errstate(all="ignore"):
        write_loops(store)
        write_casts(store)
        write_rules(store)
        write_resolutions(store)
        write_weak_values(store)


if __name__ == "__main__":
    main()
