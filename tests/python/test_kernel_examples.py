"""The examples with kernels compute what NumPy computes, with a million elements, on any devices.
Those in CUDA C++ run where there is a GPU."""

import importlib
import math
import sys

import numpy
import pytest

import phalanx as np

from . import kernel_example_guide as guide
from . import worlds
from .test_gallery import FOLDER

SIZE = 2**20
needs_gpu = pytest.mark.skipif(not np.cuda.is_available(), reason="the session has no GPU")


def example(name):
    """The module of an example."""
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(FOLDER))


def host(value):
    """Arrays as NumPy's, in tuples, lists and dictionaries."""
    if isinstance(value, dict):
        return {key: host(one) for key, one in value.items()}
    if isinstance(value, (tuple, list)):
        return [host(one) for one in value]
    return np.asnumpy(value) if isinstance(value, np.ndarray) else value


def close(found, expected, rtol=1e-11, atol=0.0):
    assert found.shape == numpy.shape(expected)
    numpy.testing.assert_allclose(found, expected, rtol=rtol, atol=atol)



def test_black_scholes():
    module = example("black_scholes")
    results = host(module.main(SIZE))
    price, strike, years = results.pop("options")
    assert price.size == SIZE and len(numpy.unique(strike)) > SIZE // 2
    erfc = numpy.vectorize(math.erfc, otypes=[float])
    spread = module.VOLATILITY * numpy.sqrt(years)
    first = (numpy.log(price / strike) + (module.RATE + module.VOLATILITY**2 / 2) * years) / spread
    discounted = strike * numpy.exp(-module.RATE * years)
    below = [erfc(-x / 2**0.5) / 2 for x in (first, first - spread)]
    call = price * below[0] - discounted * below[1]
    gpu = {"threads"} if np.cuda.is_available() else set()
    assert set(results) == {"arrays", "elements"} | gpu
    for calls, puts in results.values():
        # The approximation has errors of 1e-7 times the price and the strike.
        close(calls, call, rtol=0, atol=2e-5)
        close(puts, call - price + discounted, rtol=0, atol=2e-5)
        close(calls, results["arrays"][0], rtol=0, atol=1e-9)
        close(puts, results["arrays"][1], rtol=0, atol=1e-9)


def test_k_means():
    results = host(example("k_means_kernels").main(SIZE, centres=5, steps=4))
    points = numpy.stack(results.pop("points"), axis=1)
    middle = points[:5].copy()
    for _ in range(4):
        nearest = ((points[:, None] - middle) ** 2).sum(axis=2).argmin(axis=1)
        counts = numpy.bincount(nearest, minlength=5)
        middle = numpy.stack(
            [numpy.bincount(nearest, points[:, axis], minlength=5) for axis in range(2)], axis=1
        ) / counts[:, None]
    gpu = {"threads"} if np.cuda.is_available() else set()
    assert set(results) == {"reduction"} | gpu
    for centres, groups in results.values():
        close(centres, middle, atol=1e-9)
        # A point on the border of two groups may be in either.
        assert (groups != nearest).mean() < 1e-5


def test_gaussian_mixture():
    results = host(example("gaussian_mixture").main(SIZE, steps=5))
    points = numpy.stack(results["points"], axis=1)
    means, variances = numpy.array([[-0.5, 0.0], [0.5, 0.0]]), numpy.ones((2, 2))
    weights = numpy.full(2, 0.5)
    for _ in range(5):
        density = numpy.stack([
            weight * numpy.exp(-((points - mean) ** 2 / variance).sum(axis=1) / 2)
            / (2 * numpy.pi * numpy.sqrt(variance.prod()))
            for mean, variance, weight in zip(means, variances, weights)
        ])
        total = density.sum(axis=0)
        likelihood = numpy.log(total).mean()
        share = density / total
        count = share.sum(axis=1)
        means = share @ points / count[:, None]
        variances = share @ points**2 / count[:, None] - means**2
        weights = count / SIZE
    for found, expected in zip(results["fitted"], (means, variances, weights, likelihood)):
        close(found, expected, rtol=1e-9, atol=1e-10)
    assert abs(means[0] - -1).max() < 0.3, "the parts are found"


def test_conjugate_gradients():
    results = host(example("conjugate_gradients").main(SIZE, steps=20))
    right = results["right"]
    assert right.size == SIZE

    def operator(x):
        wide = numpy.pad(x, 1)
        around = wide[1:-1, :-2] + wide[1:-1, 2:] + wide[:-2, 1:-1] + wide[2:, 1:-1]
        return 4 * x - around

    x, residual = numpy.zeros_like(right), right.copy()
    direction, square = residual, (residual**2).sum()
    for _ in range(20):
        image = operator(direction)
        factor = square / (direction * image).sum()
        x, residual = x + factor * direction, residual - factor * image
        square, before = (residual**2).sum(), square
        direction = residual + square / before * direction
    found, norm = results["solution"]
    close(found, x, rtol=1e-8, atol=1e-8)
    close(norm, square**0.5, rtol=1e-8)
    close(numpy.sqrt(((right - operator(found)) ** 2).sum()), norm, rtol=1e-8)


def test_conjugate_gradients_converge():
    results = host(example("conjugate_gradients").main(1024, steps=120))
    assert results["solution"][1] < 1e-6 * numpy.linalg.norm(results["right"])


@pytest.mark.parametrize("parts", [1, 3, 8])
def test_streams(parts):
    results = example("streams").main(SIZE, parts=parts)
    times, done = results.pop("times"), results.pop("done")
    results = host(results)
    x = results["operand"]
    close(x, numpy.linspace(-1, 1, SIZE), atol=1e-15)
    edges = [number * SIZE // parts for number in range(parts + 1)]
    total = 0
    for number, (begin, end) in enumerate(zip(edges, edges[1:])):
        mapped = numpy.sin(x[begin:end]) * (number + 1)
        close(results["mapped"][number], mapped, atol=1e-14)
        close(results["sums"][number], (mapped**2).sum())
        total += (mapped**2).sum()
    close(results["total"], total)
    assert done and len(times) == parts
    assert 0 <= times[0] and sorted(times) == times


@pytest.mark.parametrize("bins", [5, 64])
def test_histogram(bins):
    results = host(example("histogram").main(SIZE, bins=bins))
    x = results.pop("operand")
    bin_of = (x * numpy.float32(bins)).astype(int)
    expected = numpy.bincount(bin_of[bin_of < bins], minlength=bins)
    gpu = {"blocks"} if np.cuda.is_available() else set()
    assert set(results) == {"elements"} | gpu and expected.min() > 0
    for counts in results.values():
        assert numpy.array_equal(counts, expected)


def test_stencil():
    results = host(example("stencil").main(SIZE, steps=3))
    plate = results["before"]
    assert plate.size == SIZE
    for _ in range(3):
        after = plate.copy()
        inner = plate[1:-1, 1:-1]
        around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        after[1:-1, 1:-1] = inner + 0.2 * (around - 4 * inner)
        plate = after
    close(results["after"], plate, atol=1e-15)
    assert not numpy.array_equal(results["after"], results["before"])


@needs_gpu
def test_struct_arguments():
    points, distances = host(example("cuda_programs").struct_arguments(SIZE))
    assert points.shape == (SIZE, 3)
    plane = points @ numpy.array([0.6, 0.0, 0.8]) - 0.25
    close(distances, abs(plane) * 2 - 3, atol=1e-14)


@needs_gpu
@pytest.mark.parametrize("m, n, k", [(1024, 1024, 1024), (1023, 1025, 70), (1, 5, 3)])
def test_matrix_product(m, n, k):
    a, b, c = host(example("cuda_programs").matrix_product(m, n, k))
    assert (a.shape, b.shape) == ((m, k), (k, n))
    close(c, a.astype("f8") @ b.astype("f8"), rtol=0, atol=2e-6 * k)


@needs_gpu
def test_templates():
    x, cubes, whole, squares = host(example("cuda_programs").templates(SIZE))
    assert x.dtype == "f8" and whole.dtype == "i4" and x.size == SIZE
    close(cubes, x**3)
    assert numpy.array_equal(squares, whole**2)


@needs_gpu
def test_cooperative_sum():
    x, total = host(example("cuda_programs").cooperative_sum(SIZE))
    close(total, [x.sum()])


@needs_gpu
def test_loaded_program():
    x, scaled, factor = host(example("cuda_programs").loaded_program(SIZE))
    assert numpy.array_equal(scaled, x * 2.5) and factor == 2.5 and x.size == SIZE


def test_programs_in_cuda_run_where_there_is_a_gpu():
    made = example("cuda_programs").main(2**10)
    names = ["struct_arguments", "matrix_product", "templates", "cooperative_sum", "loaded_program"]
    assert list(made) == (names if np.cuda.is_available() else [])


def test_type_placeholders():
    (x, y, long), spelled, letters, numbers, out = host(guide.type_placeholders(SIZE))
    assert spelled.dtype == letters.dtype == "f4" and numbers.dtype == "i8" and out.dtype == "f8"
    assert numpy.array_equal(spelled, (x - y) ** 2) and numpy.array_equal(letters, spelled)
    assert numpy.array_equal(numbers, (long - 5) ** 2)
    # In C++ a float and an integer meet as a float.
    assert numpy.array_equal(out, (x * long.astype("f4")).astype("f8"))


def test_a_letter_is_a_type():
    x, wide, narrow = host(guide.local_type(SIZE))
    close(wide, (x / 2) ** 2 + 1)
    assert narrow.dtype == "f4"
    close(narrow, (x / 2) ** 2 + 1, rtol=1e-6)


def test_raw_operands():
    (x, y), z = host(guide.raw_operands(SIZE))
    assert numpy.array_equal(z, x + y[::-1])


def test_indices():
    x, places = host(guide.indices(SIZE))
    rows, columns = numpy.indices(x.shape)
    assert numpy.array_equal(places, rows * 10000 + columns)


def test_only_raw_operands():
    x, out = host(guide.only_raw(SIZE))
    assert numpy.array_equal(out, x[: SIZE // 2] + x[1 : SIZE // 2 + 1])


def test_several_outputs():
    x, root, whole = host(guide.several_outputs(SIZE))
    close(root, numpy.sqrt(x))
    assert whole.dtype == "i8" and numpy.array_equal(whole, numpy.sqrt(x).astype(int))


def test_preamble_and_loop_prep():
    x, y = host(guide.preamble_and_loop_prep(SIZE))
    assert numpy.array_equal(y, numpy.minimum(x * 1.5, 1000))


def test_reduction_with_post_map():
    x, whole, rows, kept, columns = host(guide.reduction_with_post_map(SIZE))
    norm = numpy.linalg.norm
    close(whole, norm(x))
    close(rows, norm(x, axis=1))
    close(kept, norm(x, axis=1, keepdims=True))
    close(columns, norm(x, axis=0))


def test_reduction_of_two_operands():
    (x, y), near = host(guide.reduction_of_two(SIZE))
    close(near, (x == y).mean())


def test_fused_functions():
    (x, y), squares, above, sums = host(guide.fused(SIZE))
    assert numpy.array_equal(squares, (x - y) ** 2)
    assert numpy.array_equal(above, numpy.where(x > y, x, 0) * 2)
    close(sums, ((x - y) ** 2).sum())


def test_measured_functions(caplog):
    caplog.set_level("DEBUG", "phalanx.profiler")
    x, times, calls, result = guide.measured(SIZE)
    assert calls == [2] * 7 + [3]
    assert times.name == "own" and times.cpu_times.shape == (5,) and (times.cpu_times > 0).all()
    assert times.gpu_times.shape[1] == 5 and (times.gpu_times > 0).all()
    close(host(result), host(x) ** 3)
    names = [record.getMessage().partition(":")[0] for record in caplog.records]
    assert names.count("function") == 8 and names.count("measured") == 1


@pytest.mark.one_process("other processes' blocks of the array are not counted")
def test_memory_pools():
    (one, three, total, after, free, pinned), kept = guide.pools(SIZE)
    assert 16 * SIZE <= three - one < 17 * SIZE and total >= three
    assert after <= three - 16 * SIZE
    assert free == pinned == 0
    assert numpy.array_equal(kept, numpy.arange(SIZE) + 1.5)


@pytest.mark.parametrize("name", [
    "black_scholes", "k_means_kernels", "gaussian_mixture", "conjugate_gradients", "streams",
    "histogram", "stencil", "cuda_programs",
])
def test_examples_print_the_same_on_several_devices(name):
    worlds.apart()
    path = str(FOLDER / f"{name}.py")
    alone, together = (worlds.run(path, devices=devices).stdout for devices in (1, 3))
    assert alone and alone == together
