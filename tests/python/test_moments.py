"""Variances of arrays with blocks on several devices, combined from the moments of each block: as
near to NumPy's as on one device, for any blocks."""

import pytest

import phalanx as np

from . import worlds

# Every array is split. The last line counts differences.
PROGRAM = """
    import itertools
    import warnings

    import numpy
    import phalanx as np

    warnings.simplefilter("ignore")
    np.init(split_from=1)
    random = numpy.random.default_rng(7)
    SHAPES = [(), (0,), (1,), (3,), (5,), (100_003,), (3, 4001), (7001, 3), (65, 9, 17), (2, 1, 7000)]
    BOUNDS = {"float16": 2e-3, "float32": 2e-5, "float64": 1e-13, "int32": 1e-13, "bool": 1e-13,
              "complex64": 2e-5, "complex128": 1e-13}
    differences = 0

    def same(found, expected, bound, *what, absolute=0):
        global differences
        found, expected = np.asnumpy(found), numpy.asarray(expected)
        alike = found.dtype == expected.dtype and found.shape == expected.shape
        wide = [value.astype(complex) for value in (found, expected)]
        if not alike or not numpy.allclose(*wide, rtol=bound, atol=absolute, equal_nan=True):
            differences += 1
            print("differs:", *what, found, expected)

    for dtype, shape in itertools.product(BOUNDS, SHAPES):
        values = numpy.asarray(random.random(shape) * 10)
        if dtype.startswith("complex"):
            values = values + 1j * random.random(shape)
        values = numpy.asarray(values, dtype)
        # Halves are widened to singles.
        wide = values.astype("float32") if dtype == "float16" else values
        array = np.array(values)
        axes = [None, *range(len(shape)), *([(0, 2), (1, 2)] if len(shape) == 3 else [])]
        for axis, keepdims, ddof in itertools.product(axes, [False, True], [0, 1, 4]):
            for name in ["var", "std"]:
                given = {"axis": axis, "keepdims": keepdims, "ddof": ddof}
                expected = getattr(numpy, name)(wide, **given)
                if dtype == "float16":
                    expected = expected.astype("float16")
                found = getattr(np, name)(array, **given)
                same(found, expected, BOUNDS[dtype], name, dtype, shape, given)

    # Small numbers beside a large one, and blocks that a slice or a mask leaves uneven or empty.
    values = 1e9 + random.standard_normal(30_001)
    array = np.array(values)
    for part in [slice(None), slice(7, 9), slice(11, 20_011), slice(None, None, 3), slice(30_000, None)]:
        same(array[part].var(), values[part].var(), 1e-12, "near a large number", part)
    for least in [1e9, 1e9 + 3.5, 1e9 + 100]:
        expected = values[values > least].var()
        same(array[array > least].var(), expected, 1e-6, "chosen above", least)
    for value in [numpy.inf, -numpy.inf, numpy.nan]:
        for shape, axis in [((5003,), None), ((5003, 3), 0), ((3, 5003), 1)]:
            values = random.random(shape)
            values[tuple(extent // 2 for extent in shape)] = value
            same(np.array(values).var(axis), values.var(axis), 1e-13, value, shape)

    # With the mean, in any order, and of what is not there yet.
    values = random.random((4001, 3))
    array = np.array(values)
    centred = (values - values.mean(0)) / values.std(0)
    same((array - array.mean(0)) / array.std(0), centred, 1e-11, "mean first", absolute=1e-12)
    deviation, mean = array.std(0), array.mean(0)
    same((array - mean) / deviation, centred, 1e-11, "mean last", absolute=1e-12)
    same(mean, values.mean(0), 1e-13, "mean")
    rows = (values - values.mean(1, keepdims=True)) / values.std(1, keepdims=True)
    found = (array - array.mean(1, keepdims=True)) / array.std(1, keepdims=True)
    same(found, rows, 1e-8, "rows", absolute=1e-9)
    same((np.exp(array) * 2 + 1).var(0), (numpy.exp(values) * 2 + 1).var(0), 1e-12, "expression")
    exponentials = np.exp(array)
    same(exponentials.var(), numpy.exp(values).var(), 1e-12, "kept expression")
    same(exponentials, numpy.exp(values), 1e-13, "kept expression itself")
    same((array[:, 0] + 1j * array[:, 1]).std(), (values[:, 0] + 1j * values[:, 1]).std(), 1e-12, "complex")
    same(array.var(0) + array.var(0).var(), values.var(0) + values.var(0).var(), 1e-11, "twice")

    # With options that ask for more.
    same(array.var(dtype="float32"), values.var(dtype="float32"), 1e-4, "narrower")
    single = values.astype("float32")
    same(np.array(single).var(dtype="float64"), single.var(dtype="float64"), 1e-12, "wider")
    mask = values > 0.5
    same(array.var(0, where=np.array(mask)), values.var(0, where=mask), 1e-12, "where")
    result = np.zeros(3)
    array.var(0, out=result)
    same(result, values.var(0), 1e-12, "out")
    print("differences:", differences)
"""


@pytest.mark.parametrize("devices", [1, 2, 3, 4, 8])
def test_variances_are_those_of_numpy(devices):
    output = worlds.run(PROGRAM, devices=devices, timeout=240).stdout
    assert output.endswith("differences: 0\n"), output


def test_variances_of_processes():
    output = worlds.run(PROGRAM, processes=2, devices=2, timeout=240).stdout
    assert output.count("differences: 0\n") == 2, output


def test_a_variance_reads_once_and_is_combined_once():
    # On any number of devices, including one.
    for array in [np.ones(40_000), np.ones(40_000, "complex64")]:
        np.evaluate(array)
        variance = array.var()
        plan = variance.explain()
        # Otherwise it would be part of the next plan.
        np.evaluate(variance)
        assert plan.count("all-reduce") <= 1, plan
        steps = [line for line in plan.splitlines() if " launch " in line and "(in" in line]
        assert len(steps) == 1, plan
