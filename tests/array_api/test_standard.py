"""The array API standard, version 2024.12: every name of ``standard.tsv``, called in the standard's
form, against array-api-strict, which implements the standard on NumPy's arrays.

Calls that the strict namespace refuses for their dtypes are left out: the standard does not define
them. All arrays, even small ones, are split over the devices.
"""

import ast
import csv
import inspect
import math
import pathlib
import warnings

import array_api_strict as strict
import numpy
import pytest

import phalanx as xp

xp.init(split_from=1)

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float32", "float64", "complex64", "complex128"]
LIMIT = {"float32": 2e-6, "float64": 1e-12, "complex64": 4e-6, "complex128": 2e-12}
ARRAY_SHAPES = [(), (0,), (5,), (3, 4), (2, 0, 3), (2, 3, 2)]
PAIRS = [((), ()), ((4,), ()), ((3, 4), (4,)), ((3, 1), (1, 4)), ((0, 3), (1, 3)), ((2, 3, 2), (3, 1))]


def rows():
    path = pathlib.Path(__file__).with_name("standard.tsv")
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t"))


ROWS = rows()


def names(*namespaces, kinds=("function",), categories=None):
    return [
        f"{row['namespace']}.{row['name']}" for row in ROWS
        if row["namespace"] in namespaces and row["kind"] in kinds
        and (categories is None or row["category"] in categories)
    ]


def function(module, name):
    namespace, _, name = name.partition(".")
    return getattr(module if namespace == "main" else getattr(module, namespace), name)


def row_of(name):
    namespace, _, name = name.partition(".")
    return next(row for row in ROWS if (row["namespace"], row["name"]) == (namespace, name))


# --- values --------------------------------------------------------------------------------------

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, math.inf, -math.inf, math.nan, 1e-3, -7.25]


def values(shape, dtype, seed=0):
    """An array of the host with small and special values of a dtype."""
    count = math.prod(shape)
    chance = numpy.random.default_rng([seed, count, DTYPES.index(dtype)])
    if dtype == "bool":
        return chance.integers(0, 2, shape).astype(bool)
    if "int" in dtype:
        limits = numpy.iinfo(dtype)
        found = chance.integers(max(limits.min, -9), 10, shape)
        if count > 4 and seed % 2:
            found = found.astype(dtype)
            found.reshape(-1)[:2] = limits.min, limits.max
        return numpy.asarray(found).astype(dtype).reshape(shape)
    found = numpy.asarray(chance.normal(size=shape) * 4)
    if count > 4 and seed % 2:
        found = chance.choice(SPECIAL, shape)
    if "complex" in dtype:
        found = found + 1j * numpy.asarray(chance.normal(size=shape))
    return numpy.asarray(found).astype(dtype).reshape(shape)


def both(array):
    """The same array of ours and of the strict namespace."""
    return xp.asarray(array), strict.asarray(array)


def of_host(result):
    return numpy.asarray(xp.asnumpy(result) if isinstance(result, xp.ndarray) else result)


def compare(got, expected, what, exact=False):
    if isinstance(expected, tuple | list):
        assert len(got) == len(expected), what
        for part, of_expected in zip(got, expected, strict=True):
            compare(part, of_expected, what, exact)
        return
    if not hasattr(expected, "dtype"):
        assert type(got) is type(expected) and (got == expected or got != got), what
        return
    assert isinstance(got, xp.ndarray), what
    host = numpy.asarray(expected._array if hasattr(expected, "_array") else expected)
    assert str(got.dtype) == str(host.dtype), (what, got.dtype, host.dtype)
    assert tuple(got.shape) == host.shape, (what, got.shape, host.shape)
    ours = of_host(got)
    if host.dtype.kind in "biu" or exact:
        numpy.testing.assert_array_equal(ours, host, err_msg=str(what))
    else:
        limit = LIMIT[str(host.dtype)]
        # By parts: an infinite part must not hide a difference in the other one.
        is_complex = host.dtype.kind == "c"
        parts = [(ours.real, host.real), (ours.imag, host.imag)] if is_complex else [(ours, host)]
        finite = abs(host[numpy.isfinite(host)])
        absolute = limit * max(1.0, float(finite.max(initial=0)))
        for part, of_host_part in parts:
            numpy.testing.assert_allclose(part, of_host_part, rtol=limit, atol=absolute,
                                          err_msg=str(what))


def meets(name, make, what, keywords=None, exact=False, after=lambda result: result):
    """Calls both functions with arguments made for each namespace and compares the results; returns
    whether the standard defines the result."""
    keywords = keywords or {}
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            expected = after(function(strict, name)(*make(strict), **keywords))
        except (TypeError, ValueError, IndexError, NotImplementedError):
            return False
        except (ArithmeticError, numpy.linalg.LinAlgError):
            return False
        got = after(function(xp, name)(*make(xp), **keywords))
    compare(got, expected, (name, what, keywords), exact)
    return True


# --- names ---------------------------------------------------------------------------------------

@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['namespace']}.{row['name']}")
def test_names_are_there(row):
    owner = {"main": xp, "linalg": xp.linalg, "fft": xp.fft, "array": xp.ndarray,
             "info": xp.__array_namespace_info__(), "dtype": type(xp.float64)}
    owner = {**owner, "dtype": numpy.dtype}[row["namespace"]]
    assert hasattr(owner, row["name"])


def by_name_alone(signature):
    """The parameters of a signature of the standard that are keyword-only."""
    text = signature.rpartition(" ->")[0].replace("x: object", "x")
    arguments = ast.parse(f"def function{text}: pass").body[0].args
    return [one.arg for one in arguments.kwonlyargs]


def by_name(function):
    """The parameters of one of our functions that may be given by name."""
    text = getattr(function, "__text_signature__", None) or str(inspect.signature(function))
    arguments = ast.parse(f"def function{text}: pass").body[0].args
    return {one.arg for one in [*arguments.args, *arguments.kwonlyargs]}


# Universal functions have no parameter by name in the standard.
@pytest.mark.parametrize("name", names("main", "linalg", "fft"))
def test_parameters_by_name_are_known(name):
    if isinstance(function(xp, name), xp.ufunc):
        return
    known = by_name(function(xp, name))
    assert not set(by_name_alone(row_of(name)["signature"])) - known


@pytest.mark.parametrize("name", ["e", "inf", "nan", "newaxis", "pi"])
def test_constants(name):
    got, expected = getattr(xp, name), getattr(strict, name)
    assert got == expected or (got != got and expected != expected)


def test_information():
    found = xp.__array_namespace_info__()
    capabilities = found.capabilities()
    assert capabilities["boolean indexing"] and capabilities["data-dependent shapes"]
    assert capabilities["max dimensions"] >= 32
    assert found.default_device() in found.devices()
    defaults = found.default_dtypes()
    assert defaults["real floating"] == xp.float64 and defaults["integral"] == xp.int64
    assert defaults["complex floating"] == xp.complex128 and defaults["indexing"] == xp.int64
    assert set(found.dtypes()) >= set(DTYPES)
    for kind in ["bool", "signed integer", "unsigned integer", "integral", "real floating",
                 "complex floating", "numeric", ("bool", "integral")]:
        expected = strict.__array_namespace_info__().dtypes(kind=kind)
        assert set(found.dtypes(kind=kind)) >= set(expected)
    assert xp.__array_api_version__ == "2024.12"
    assert xp.ones(2).__array_namespace__(api_version="2024.12") is xp


# --- elementwise ---------------------------------------------------------------------------------

ELEMENTWISE = names("main", categories=["elementwise_functions"])
UNARY = [name for name in ELEMENTWISE if "x2" not in row_of(name)["signature"] and name != "main.clip"]
BINARY = [name for name in ELEMENTWISE if "x2" in row_of(name)["signature"]]


@pytest.mark.parametrize("name", UNARY)
def test_elementwise_functions_of_one_array(name):
    count = 0
    for dtype in DTYPES:
        for seed, shape in enumerate(ARRAY_SHAPES):
            array = values(shape, dtype, seed)
            if name == "main.sign" and "complex" in dtype:
                # The sign of infinite numbers is a number in NumPy, and NaN in the standard.
                array[~numpy.isfinite(array)] = 2 - 1j
            count += meets(name, lambda np, x=array: [np.asarray(x)], (dtype, shape))
    assert count


def accepted_pairs(name):
    """Pairs of dtypes that the standard combines."""
    for first in DTYPES:
        for second in DTYPES:
            try:
                strict.result_type(strict.asarray(values((2,), first)),
                                   strict.asarray(values((2,), second)))
            except TypeError:
                continue
            yield first, second


@pytest.mark.parametrize("name", BINARY)
def test_elementwise_functions_of_two_arrays(name):
    count = 0
    for at, (first, second) in enumerate(accepted_pairs(name)):
        for seed, (left, right) in enumerate(PAIRS):
            if first != second and seed != at % len(PAIRS):
                continue
            a, b = values(left, first, seed), values(right, second, seed + 2)
            if "shift" in name:
                b = numpy.asarray(abs(b.astype("int64")) % 8).astype(second)
            if name in ("main.pow", "main.remainder", "main.floor_divide") and "int" in second:
                b = numpy.asarray(abs(b.astype("int64")) % 5 + 1).astype(second)
            count += meets(name, lambda np, a=a, b=b: [np.asarray(a), np.asarray(b)],
                           (first, second, left, right))
    assert count


@pytest.mark.parametrize("name", BINARY)
def test_elementwise_functions_of_arrays_and_numbers(name):
    count = 0
    for dtype in DTYPES:
        array = values((3, 4), dtype, 2)
        for number in [True, 2, 1.5, 1 + 2j]:
            count += meets(name, lambda np, x=array, n=number: [np.asarray(x), n], (dtype, number))
            positive = abs(array) + 1 if dtype not in ("bool",) else array
            positive = positive.astype(dtype) if "complex" not in dtype else array
            count += meets(name, lambda np, x=positive, n=number: [n, np.asarray(x)], (number, dtype))
    assert count


def test_clip():
    for dtype in DTYPES[1:-2]:
        array = values((3, 4), dtype, 2)
        for limits in [{"min": 1}, {"max": 3}, {"min": 1, "max": 3}, {}]:
            assert meets("main.clip", lambda np, x=array: [np.asarray(x)], dtype, limits)


OPERATORS = ["__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__pow__",
             "__and__", "__or__", "__xor__", "__lshift__", "__rshift__", "__lt__", "__le__",
             "__gt__", "__ge__", "__eq__", "__ne__"]


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name):
    count = 0
    forms = [name]
    if name not in ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"):
        forms += ["__r" + name[2:], "__i" + name[2:]]
    for form in forms:
        for dtype in DTYPES:
            a = values((3, 4), dtype, 2)
            b = numpy.asarray(abs(values((4,), dtype, 4)) % 5 + 1 if "complex" not in dtype
                              and dtype != "bool" else values((4,), dtype, 4)).astype(dtype)
            for other in [b, 2, True, 1.5]:
                makes = [(np.asarray(a), np.asarray(other) if isinstance(other, numpy.ndarray)
                          else other) for np in (xp, strict)]
                if form.startswith("__r") and form not in ("__rshift__",) and "int" in dtype:
                    makes = [(np.asarray(b), other if not isinstance(other, numpy.ndarray)
                              else np.asarray(other)) for np in (xp, strict)]
                with numpy.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        expected = getattr(makes[1][0], form)(makes[1][1])
                    except (TypeError, ValueError, OverflowError):
                        continue
                    if expected is NotImplemented:
                        continue
                    got = getattr(makes[0][0], form)(makes[0][1])
                compare(got, expected, (form, dtype, other))
                count += 1
    assert count


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_of_arrays(dtype):
    array = xp.asarray(values((), dtype, 0))
    host = values((), dtype, 0)
    assert bool(array) == bool(host)
    if "complex" not in dtype:
        assert int(array) == int(host) and float(array) == float(host)
    assert complex(array) == complex(host)
    if "int" in dtype:
        assert array.__index__() == int(host)


# --- the other functions, with arguments ---------------------------------------------------------

def x(shape, **keywords):
    """One array of a shape, and keywords."""
    return ([shape], (), keywords)


def xs(shapes, *more, **keywords):
    """Arrays of shapes, other arguments, and keywords."""
    return (shapes, more, keywords)


AXES = [x((3, 4)), x((3, 4), axis=0), x((3, 4), axis=-1, keepdims=True), x((2, 3, 2), axis=(0, 2)),
        x((5,)), x(()), x((2, 0, 3), axis=0), x((3, 4), axis=())]
ONE_AXIS = [x((3, 4), axis=0), x((3, 4), axis=1, keepdims=True), x((5,)), x((3, 4))]
CASES = {
    "main.all": AXES, "main.any": AXES, "main.max": AXES[:7], "main.min": AXES[:7],
    "main.mean": AXES[:6], "main.std": [*AXES[:6], x((3, 4), correction=1)],
    "main.var": [*AXES[:6], x((3, 4), axis=1, correction=1)],
    "main.sum": [*AXES, x((3, 4), dtype="float64")], "main.prod": [*AXES, x((3, 4), dtype="float64")],
    "main.count_nonzero": AXES, "main.argmax": ONE_AXIS, "main.argmin": ONE_AXIS,
    "main.cumulative_sum": [x((5,)), x((3, 4), axis=1), x((3, 4), axis=0, include_initial=True)],
    "main.cumulative_prod": [x((5,)), x((3, 4), axis=1), x((3, 4), axis=0, include_initial=True)],
    "main.diff": [x((5,)), x((3, 4), axis=0), x((3, 4), n=2)],
    "main.sort": [x((5,)), x((3, 4), axis=0), x((3, 4), descending=True)],
    "main.argsort": [x((5,)), x((3, 4), axis=0), x((3, 4), descending=True)],
    "main.nonzero": [x((5,)), x((3, 4))],
    "main.where": [],
    "main.searchsorted": [],
    "main.unique_all": [x((5,)), x((3, 4))], "main.unique_counts": [x((5,)), x((3, 4))],
    "main.unique_inverse": [x((5,)), x((3, 4))], "main.unique_values": [x((5,)), x((3, 4)), x((0,))],
    "main.broadcast_arrays": [xs([(3, 1), (4,)]), xs([(), (2, 3)])],
    "main.broadcast_to": [xs([(3, 1)], (2, 3, 4)), xs([()], (2, 2))],
    "main.concat": [], "main.stack": [],
    "main.expand_dims": [xs([(3, 4)], 1), x((3, 4), axis=-1)],
    "main.flip": [x((3, 4)), x((3, 4), axis=0), x((2, 3, 2), axis=(0, -1))],
    "main.moveaxis": [xs([(2, 3, 2)], 0, 2), xs([(2, 3, 2)], (0, 1), (1, 0))],
    "main.permute_dims": [xs([(2, 3, 2)], (2, 0, 1)), xs([(3, 4)], (1, 0))],
    "main.repeat": [xs([(3, 4)], 2), xs([(3, 4)], 2, axis=1)],
    "main.reshape": [xs([(3, 4)], (2, 6)), xs([(3, 4)], (-1,)), xs([(3, 4)], (4, 3), copy=True)],
    "main.roll": [xs([(3, 4)], 1), xs([(3, 4)], 1, axis=0), xs([(3, 4)], (1, -2), axis=(0, 1))],
    "main.squeeze": [xs([(3, 1)], 1), x((1, 3, 1), axis=(0, 2))],
    "main.tile": [xs([(3, 4)], (2, 1)), xs([(5,)], (2, 2))],
    "main.unstack": [x((3, 4)), x((3, 4), axis=1)],
    "main.take": [], "main.take_along_axis": [],
    "main.tril": [x((3, 4)), x((3, 4), k=1)], "main.triu": [x((3, 4)), x((3, 4), k=-1)],
    "main.zeros_like": [x((3, 4)), x((), dtype="int8")],
    "main.ones_like": [x((3, 4)), x((), dtype="int8")],
    "main.full_like": [xs([(3, 4)], True), xs([(3,)], 2, dtype="float32")],
    "main.matmul": [xs([(3, 4), (4, 2)]), xs([(4,), (4, 2)]), xs([(2, 3, 2), (2, 4)])],
    "main.matrix_transpose": [x((3, 4)), x((2, 3, 2))],
    "main.tensordot": [xs([(3, 4), (4, 2)], axes=1), xs([(3, 4), (4, 3)], axes=((0, 1), (1, 0)))],
    "main.vecdot": [xs([(3, 4), (4,)]), xs([(3, 4), (3, 4)], axis=0)],
    "main.meshgrid": [xs([(3,), (4,)]), xs([(3,), (4,)], indexing="ij")],
    "linalg.diagonal": [x((3, 4)), x((2, 3, 2), offset=1)],
    "linalg.matrix_norm": [x((3, 4)), x((3, 4), ord=1, keepdims=True), x((2, 3, 2), ord="nuc")],
    "linalg.vector_norm": [x((3, 4)), x((3, 4), axis=0), x((5,), ord=1), x((5,), ord=math.inf)],
    "linalg.outer": [xs([(3,), (4,)])],
    "linalg.trace": [x((3, 4)), x((2, 3, 2), offset=1)],
    "linalg.cross": [xs([(4, 3), (4, 3)]), xs([(3,), (4, 3)])],
    "linalg.svdvals": [x((3, 4)), x((2, 3, 2))],
    "linalg.pinv": [x((3, 4)), x((3, 4), rtol=1e-3)],
    "linalg.matrix_rank": [x((3, 4)), x((3, 4), rtol=1e-3)],
    "fft.fft": [x((5,)), x((3, 4), axis=0, norm="ortho"), x((5,), n=8)],
    "fft.ifft": [x((5,)), x((3, 4), axis=0, norm="forward")],
    "fft.fftn": [x((3, 4)), x((2, 3, 2), axes=(0, 1)), x((3, 4), s=(4, 6), axes=(0, 1))],
    "fft.ifftn": [x((3, 4)), x((2, 3, 2), axes=(0, 1))],
    "fft.rfft": [x((5,)), x((3, 4), axis=0)], "fft.irfft": [x((5,)), x((3, 4), n=5)],
    "fft.rfftn": [x((3, 4))], "fft.irfftn": [x((3, 4))],
    "fft.hfft": [x((5,)), x((5,), n=8)], "fft.ihfft": [x((5,)), x((3, 4), axis=0)],
    "fft.fftshift": [x((5,)), x((3, 4), axes=0)], "fft.ifftshift": [x((5,)), x((3, 4), axes=(0, 1))],
}
CASES |= {f"linalg.{name}": CASES[f"main.{name}"]
          for name in ["matmul", "matrix_transpose", "tensordot", "vecdot"]}
# Functions whose results are checked by their properties, and those with separate tests below.
SQUARE = ["cholesky", "det", "eigh", "eigvalsh", "inv", "matrix_power", "qr", "slogdet", "solve", "svd"]
OWN = ["main.asarray", "main.arange", "main.empty", "main.empty_like", "main.eye", "main.from_dlpack",
       "main.full", "main.linspace", "main.ones", "main.zeros", "main.astype", "main.can_cast",
       "main.finfo", "main.iinfo", "main.isdtype", "main.result_type", "main.__array_namespace_info__",
       "fft.fftfreq", "fft.rfftfreq", *(f"linalg.{name}" for name in SQUARE)]
OTHERS = [name for name in names("main", "linalg", "fft") if name not in ELEMENTWISE]


def test_every_function_has_cases():
    assert set(OTHERS) == set(CASES) | set(OWN)


@pytest.mark.parametrize("name", [name for name, cases in CASES.items() if cases])
def test_functions(name):
    count = 0
    is_exact = name.startswith("main.") and name.partition(".")[2] in (
        "broadcast_to", "flip", "moveaxis", "permute_dims", "repeat", "reshape", "roll", "squeeze",
        "tile", "tril", "triu", "sort")
    for dtype in DTYPES:
        for shapes, more, keywords in CASES[name]:
            # NaN and infinities if the standard defines their results.
            seed = 1 if name in ("main.max", "main.min", "main.sort") else 0
            arrays = [values(shape, dtype, seed * 3 + 2 * at) for at, shape in enumerate(shapes)]
            if name in ("main.max", "main.min", "main.sort", "main.argsort", "main.argmax",
                        "main.argmin"):
                arrays = [numpy.nan_to_num(array) for array in arrays]

            def make(np, arrays=arrays, more=more):
                return [*map(np.asarray, arrays), *more]

            def named(np, keywords=keywords):
                return {key: getattr(np, value) if key == "dtype" else value
                        for key, value in keywords.items()}

            with warnings.catch_warnings(), numpy.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    expected = function(strict, name)(*make(strict), **named(strict))
                except (TypeError, ValueError, IndexError, numpy.linalg.LinAlgError):
                    continue
                got = function(xp, name)(*make(xp), **named(xp))
            compare(got, expected, (name, dtype, shapes, more, keywords), is_exact)
            count += 1
    assert count


def test_functions_of_sequences_of_arrays():
    for dtype in DTYPES:
        parts = [values((3, 4), dtype, seed) for seed in (0, 2, 4)]
        for name in ["main.concat", "main.stack"]:
            for keywords in [{}, {"axis": 1}, {"axis": -1}]:
                assert meets(name, lambda np, p=parts: [[np.asarray(one) for one in p]], dtype,
                             keywords, exact=True)
        assert meets("main.concat", lambda np, p=parts: [tuple(np.asarray(one) for one in p)], dtype,
                     {"axis": None}, exact=True)


def test_selection_by_conditions_and_positions():
    for dtype in DTYPES:
        a, b = values((3, 4), dtype, 0), values((4,), dtype, 2)
        mask = values((3, 4), "bool")
        assert meets("main.where", lambda np, a=a, b=b: [np.asarray(one) for one in (mask, a, b)],
                     dtype, exact=True)
        places = numpy.array([2, 0, 1, 2])
        for axis in (0, 1, -1):
            assert meets("main.take", lambda np, a=a: [np.asarray(a), np.asarray(places % 3)], dtype,
                         {"axis": axis}, exact=True)
        along = numpy.array([[0, 3], [1, 1], [2, 0]])
        assert meets("main.take_along_axis", lambda np, a=a: [np.asarray(a), np.asarray(along)],
                     dtype, {"axis": 1}, exact=True)
        if "complex" in dtype or dtype == "bool":
            continue
        line = numpy.sort(values((7,), dtype, 0))
        for side in ("left", "right"):
            assert meets("main.searchsorted",
                         lambda np, a=a, line=line: [np.asarray(line), np.asarray(a)], dtype,
                         {"side": side})


def test_creation():
    for name, arguments, keywords in [
        ("arange", (5,), {}), ("arange", (1, 7, 2), {}), ("arange", (1.0, 2.0, 0.25), {}),
        ("arange", (3,), {"dtype": "float32"}), ("eye", (3,), {}), ("eye", (3, 4), {"k": 1}),
        ("full", ((2, 3), 4), {}), ("full", (3, 1.5), {}), ("full", (2, True), {}),
        ("full", ((), 2j), {}), ("full", (3, 4), {"dtype": "int8"}),
        ("linspace", (0, 1, 5), {}), ("linspace", (0.0, 1.0), {"num": 4, "endpoint": False}),
        ("linspace", (0, 1j, 3), {}), ("ones", ((2, 3),), {}), ("ones", (3,), {"dtype": "int16"}),
        ("zeros", ((2, 3),), {}), ("zeros", ((),), {"dtype": "bool"}),
    ]:
        def named(np, keywords=keywords):
            return {key: getattr(np, value) if key == "dtype" else value
                    for key, value in keywords.items()}

        expected = getattr(strict, name)(*arguments, **named(strict))
        compare(getattr(xp, name)(*arguments, **named(xp)), expected, (name, arguments, keywords))
    assert xp.empty((2, 3), dtype=xp.int8).shape == (2, 3)
    assert xp.empty_like(xp.ones(3), dtype=xp.int8).dtype == xp.int8
    for obj in [True, 3, 1.5, 2j, [1, 2], [[1.0], [2.0]], [True, False], [[1, 2.5]], []]:
        if obj == []:
            assert xp.asarray(obj).shape == (0,)
            continue
        compare(xp.asarray(obj), strict.asarray(obj), obj)
    a = xp.ones(3)
    assert xp.asarray(a, copy=False) is a or xp.asarray(a, copy=False).shape == (3,)
    copied = xp.asarray(a, copy=True)
    copied[0] = 7
    assert float(a[0]) == 1.0
    for device in xp.__array_namespace_info__().devices():
        assert xp.zeros(3, device=device).device == device
    compare(xp.from_dlpack(numpy.arange(5)), strict.asarray(numpy.arange(5)), "from_dlpack")
    for name in ["fftfreq", "rfftfreq"]:
        for size in (4, 5):
            compare(getattr(xp.fft, name)(size, d=0.5), getattr(strict.fft, name)(size, d=0.5), name)


def test_dtypes():
    for first in DTYPES:
        for second in DTYPES:
            one, two = getattr(xp, first), getattr(xp, second)
            try:
                expected = strict.result_type(getattr(strict, first), getattr(strict, second))
            except TypeError:
                continue
            expected = str(expected._np_dtype)
            assert str(numpy.dtype(xp.result_type(one, two))) == expected
            can = strict.can_cast(getattr(strict, first), getattr(strict, second))
            assert bool(xp.can_cast(one, two)) == can
        for kind in ["bool", "signed integer", "unsigned integer", "integral", "real floating",
                     "complex floating", "numeric", ("integral", "bool")]:
            assert xp.isdtype(getattr(xp, first), kind) == strict.isdtype(getattr(strict, first), kind)
        if "int" in first:
            found, expected = xp.iinfo(getattr(xp, first)), strict.iinfo(getattr(strict, first))
            assert (found.min, found.max, found.bits) == (expected.min, expected.max, expected.bits)
        if "float" in first or "complex" in first:
            found, expected = xp.finfo(getattr(xp, first)), strict.finfo(getattr(strict, first))
            for field in ["bits", "eps", "max", "min", "smallest_normal"]:
                assert float(getattr(found, field)) == float(getattr(expected, field))
        for target in DTYPES:
            array = abs(values((3, 4), first, 0)) if first != "bool" else values((3, 4), first, 0)
            array = array.astype(first)
            try:
                expected = strict.astype(strict.asarray(array), getattr(strict, target))
            except TypeError:
                continue
            compare(xp.astype(xp.asarray(array), getattr(xp, target)), expected, (first, target))


@pytest.mark.parametrize("dtype", DTYPES[-4:])
def test_square_matrices(dtype):
    """Results with more than one correct answer are checked by their properties."""
    limit = 50 * LIMIT[dtype]
    base = values((2, 4, 4), dtype, 2)
    definite = base @ base.conj().swapaxes(-1, -2) + 4 * numpy.eye(4, dtype=dtype)
    ours, theirs = both(definite)
    for name in ["cholesky", "det", "eigvalsh", "inv", "svdvals"]:
        got = of_host(getattr(xp.linalg, name)(ours))
        expected = getattr(strict.linalg, name)(theirs)._array
        assert got.dtype == expected.dtype
        numpy.testing.assert_allclose(got, expected, rtol=limit, atol=limit)
    upper = of_host(xp.linalg.cholesky(ours, upper=True))
    numpy.testing.assert_allclose(upper, numpy.linalg.cholesky(definite, upper=True), rtol=limit)
    numpy.testing.assert_allclose(
        of_host(xp.linalg.matrix_power(ours, 3)), numpy.linalg.matrix_power(definite, 3), rtol=limit)
    found = xp.linalg.eigh(ours)
    vectors, numbers = of_host(found.eigenvectors), of_host(found.eigenvalues)
    numpy.testing.assert_allclose(definite @ vectors, vectors * numbers[:, None, :],
                                  atol=limit * 50)
    for mode in ["reduced", "complete"]:
        for shape in [(4, 4), (5, 3), (3, 5)]:
            a = values(shape, dtype, 2)
            q, r = map(of_host, xp.linalg.qr(xp.asarray(a), mode=mode))
            numpy.testing.assert_allclose(q @ r, a, atol=limit * 10)
            numpy.testing.assert_allclose(q.conj().T @ q, numpy.eye(q.shape[1]), atol=limit * 10)
            assert r.shape == numpy.linalg.qr(a, mode=mode)[1].shape
    for is_full in [True, False]:
        a = values((5, 3), dtype, 2)
        found = xp.linalg.svd(xp.asarray(a), full_matrices=is_full)
        u, s, vh = of_host(found.U), of_host(found.S), of_host(found.Vh)
        assert u.shape == ((5, 5) if is_full else (5, 3))
        numpy.testing.assert_allclose(u[:, :3] * s @ vh, a, atol=limit * 10)
    found = xp.linalg.slogdet(ours)
    sign, logarithm = numpy.linalg.slogdet(definite)
    numpy.testing.assert_allclose(of_host(found.sign), sign, rtol=limit, atol=limit)
    numpy.testing.assert_allclose(of_host(found.logabsdet), logarithm, rtol=limit)
    for right in [(4,), (4, 2), (2, 4, 3)]:
        b = values(right, dtype, 2)
        try:
            expected = strict.linalg.solve(theirs, strict.asarray(b))._array
        except ValueError:
            continue
        numpy.testing.assert_allclose(of_host(xp.linalg.solve(ours, xp.asarray(b))), expected,
                                      rtol=limit * 10, atol=limit * 10)


KEYS = [0, -1, slice(None), slice(1, 3), slice(None, None, -1), slice(3, 0, -2), ..., None,
        (0, 1), (slice(1), 2), (..., 0), (None, 1, ..., None), (slice(None), slice(0, 0)), (1, ...),
        (slice(5, 9),), ()]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_indexing(key):
    host = values((3, 4), "float64", 0)
    ours, theirs = both(host)
    if not isinstance(key, tuple) and key is not ... and key is not None:
        key = (key, ...)
    try:
        expected = theirs[key]
    except IndexError:
        expected = None
    if expected is not None:
        compare(ours[key], expected, key, exact=True)
        written = host.copy()
        written[key] = 9
        ours[key] = 9
        numpy.testing.assert_array_equal(of_host(ours), written)


def test_indexing_by_masks_and_positions():
    host = values((3, 4), "float64", 0)
    ours, theirs = both(host)
    mask = values((3, 4), "bool")
    compare(ours[xp.asarray(mask)], theirs[strict.asarray(mask)], "mask", exact=True)
    nothing = numpy.zeros((3, 4), bool)
    compare(ours[xp.asarray(nothing)], theirs[strict.asarray(nothing)], "no element", exact=True)
    i, j = numpy.array([0, 2, 1]), numpy.array([3, 0, 3])
    compare(ours[xp.asarray(i), xp.asarray(j)], theirs[strict.asarray(i), strict.asarray(j)],
            "positions", exact=True)
    compare(ours[xp.asarray(i), 1], strict.asarray(host[i, 1]), "positions and a number", exact=True)
    ours[xp.asarray(mask)] = 5
    host[mask] = 5
    numpy.testing.assert_array_equal(of_host(ours), host)
    single = xp.asarray(3.0)
    assert float(single[()]) == 3.0
    assert of_host(single[xp.asarray(True)]).tolist() == [3.0]


def test_attributes():
    for shape in ARRAY_SHAPES:
        array = xp.asarray(values(shape, "float32"))
        assert (array.shape, array.ndim, array.size) == (shape, len(shape), math.prod(shape))
        assert array.dtype == xp.float32
        if len(shape) == 2:
            numpy.testing.assert_array_equal(of_host(array.T), values(shape, "float32").T)
        if len(shape) >= 2:
            expected = values(shape, "float32").swapaxes(-1, -2)
            numpy.testing.assert_array_equal(of_host(array.mT), expected)
        assert array.to_device(array.device).shape == shape


def test_exports():
    array = xp.asarray(numpy.arange(6.0)).with_sharding(None)
    assert len(array.__dlpack_device__()) == 2
    if str(array.device).startswith("cpu"):
        numpy.testing.assert_array_equal(numpy.from_dlpack(array), numpy.arange(6.0))
    back = xp.from_dlpack(array)
    numpy.testing.assert_array_equal(of_host(back), numpy.arange(6.0))
