"""`einsum` and the products that are ufuncs against NumPy: repeated labels, ellipses, extents of 1,
every pair of dtypes, `axes`, `dtype`, `casting` and `out`. The seed determines a case."""

import random
import warnings

import numpy as np
import phalanx as px
import pytest

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u8", "f2", "f4", "f8", "c8", "c16"]


def case(seed):
    """Subscripts, operands, and the other arguments."""
    draw, make = random.Random(seed), np.random.default_rng(seed)
    extent = {letter: draw.choice([1, 2, 2, 3, 3, 4, 0 if seed % 40 == 0 else 2]) for letter in "abcd"}
    hidden = [draw.choice([1, 2, 3]) for _ in range(draw.randrange(3))]
    dots = draw.random() < 0.4
    terms, operands = [], []
    same = draw.choice(DTYPES)
    for _ in range(draw.choice([1, 1, 2, 2, 2, 3])):
        letters = [draw.choice("abcd") for _ in range(draw.randrange(4))]
        shape = [1 if draw.random() < 0.05 else extent[letter] for letter in letters]
        if dots and draw.random() < 0.8:
            place = draw.randrange(len(letters) + 1)
            own = hidden[draw.randrange(len(hidden) + 1):]
            own = [1 if draw.random() < 0.2 else size for size in own]
            letters.insert(place, "...")
            shape[place:place] = own
        dtype = same if draw.random() < 0.6 else draw.choice(DTYPES)
        low = 0 if dtype[0] in "u?" else -5
        numbers = make.integers(low, 100 if dtype[1:] == "1" else 6, shape)
        if dtype[0] == "c":
            numbers = numbers + 1j * make.integers(-5, 6, shape)
        array = np.array(numbers).astype(dtype)
        if array.ndim > 1 and draw.random() < 0.3:
            array = np.asfortranarray(array)
        terms.append("".join(letters))
        operands.append(array)
    text = ",".join(terms)
    if draw.random() < 0.7:
        named = sorted(set(text) - set(",."))
        draw.shuffle(named)
        output = named[:draw.randrange(len(named) + 1)]
        if "..." in text and draw.random() < 0.95:
            output.insert(draw.randrange(len(output) + 1), "...")
        text += "->" + "".join(output)
    keywords = {}
    if draw.random() < 0.3:
        keywords["dtype"] = draw.choice(DTYPES)
    if draw.random() < 0.3:
        keywords["casting"] = draw.choice(["no", "equiv", "safe", "same_kind", "unsafe"])
    if draw.random() < 0.2:
        keywords["out"] = draw.choice(DTYPES)
    return text, operands, keywords


def outcome(module, convert, seed):
    text, operands, keywords = case(seed)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            if "out" in keywords:
                shape = np.einsum(text, *(np.ones(array.shape) for array in operands)).shape
                keywords["out"] = convert(np.zeros(shape, keywords["out"]))
            return module.einsum(text, *map(convert, operands), **keywords)
        except (TypeError, ValueError) as error:
            return error


def check(seed):
    expected = outcome(np, lambda array: array, seed)
    found = outcome(px, px.asarray, seed)
    what = f"seed {seed}: {case(seed)!r}"
    if isinstance(expected, Exception) or isinstance(found, Exception):
        # If there are two mistakes, either may be reported.
        assert isinstance(expected, Exception) and isinstance(found, Exception), (
            what, expected, found)
        return
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape), what
    near = {"e": 5e-3, "f": 1e-5, "F": 1e-5}.get(expected.dtype.char, 1e-12)
    if expected.dtype.kind in "fc":
        np.testing.assert_allclose(found.get(), expected, rtol=near, atol=near * 10, err_msg=what)
    else:
        np.testing.assert_array_equal(found.get(), expected, err_msg=what)


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_einsum_as_numpy(start):
    for seed in range(start, start + 100):
        check(seed)


def test_results_without_a_sum_are_views_that_can_be_written():
    for text, shape in [("ii->i", (3, 3)), ("ij->ji", (2, 3)), ("iij->ji", (2, 2, 3))]:
        theirs = np.arange(float(np.prod(shape))).reshape(shape)
        ours = px.asarray(theirs.copy())
        np.einsum(text, theirs)[...] = 7
        px.einsum(text, ours)[...] = 7
        np.testing.assert_array_equal(ours.get(), theirs)


def product_case(seed):
    """A product, its operands, and the other arguments."""
    draw, make = random.Random(seed), np.random.default_rng(seed)
    name = draw.choice(["matmul", "matmul", "matvec", "vecmat", "vecdot"])
    m, k, n = (draw.choice([1, 2, 3, 0 if seed % 30 == 0 else 2]) for _ in range(3))
    cores = {"matmul": [(m, k), (k, n), (m, n)], "matvec": [(m, k), (k,), (m,)],
             "vecmat": [(k,), (k, n), (n,)], "vecdot": [(k,), (k,), ()]}[name]
    if name == "matmul" and draw.random() < 0.2:
        cores = draw.choice([[(k,), (k, n), (n,)], [(m, k), (k,), (m,)], [(k,), (k,), ()]])
    outer = [draw.choice([1, 2, 3]) for _ in range(draw.randrange(3))]
    axes, operands = [], []
    is_moved = draw.random() < 0.5
    same = draw.choice(DTYPES)
    for core in cores[:2]:
        own = [1 if draw.random() < 0.3 else size for size in outer[draw.randrange(len(outer) + 1):]]
        dtype = same if draw.random() < 0.6 else draw.choice(DTYPES)
        numbers = make.integers(0 if dtype[0] in "u?" else -4, 5, (*own, *core))
        array = np.array(numbers).astype(dtype)
        places = draw.sample(range(array.ndim), len(core))
        if is_moved:
            array = np.moveaxis(array, range(array.ndim - len(core), array.ndim), places)
        axes.append(tuple(place - draw.choice([0, array.ndim]) for place in places))
        operands.append(np.ascontiguousarray(array))
    keywords = {}
    if is_moved:
        count = max(array.ndim - len(core) for array, core in zip(operands, cores))
        places = draw.sample(range(count + len(cores[2])), len(cores[2]))
        if cores[2] or draw.random() < 0.5:
            axes.append(tuple(places))
        keywords["axes"] = axes
    if draw.random() < 0.3:
        keywords["dtype"] = draw.choice(DTYPES)
    if draw.random() < 0.3:
        keywords["casting"] = draw.choice(["no", "equiv", "safe", "same_kind", "unsafe"])
    if name == "vecdot" and draw.random() < 0.4:
        keywords["keepdims"] = True
        if draw.random() < 0.5 and not is_moved:
            keywords["axis"] = -1
    if draw.random() < 0.3:
        keywords["out"] = (draw.choice(DTYPES), draw.choice([(), (), (2,), (1,)]))
    return name, operands, keywords


def product_outcome(module, convert, seed):
    name, operands, keywords = product_case(seed)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            if "out" in keywords:
                dtype, extra = keywords.pop("out")
                shape = getattr(np, name)(*operands, **{**keywords, "dtype": None}).shape
                keywords["out"] = convert(np.zeros((*extra, *shape), dtype))
            return getattr(module, name)(*map(convert, operands), **keywords)
        except (TypeError, ValueError) as error:
            return error


def check_product(seed):
    expected = product_outcome(np, lambda array: array, seed)
    found = product_outcome(px, px.asarray, seed)
    what = f"seed {seed}: {product_case(seed)!r}"
    if isinstance(expected, Exception) or isinstance(found, Exception):
        assert isinstance(found, Exception) and isinstance(expected, Exception), (
            what, expected, found)
        return
    expected = np.asarray(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape), what
    near = {"e": 5e-3, "f": 1e-5, "F": 1e-5}.get(expected.dtype.char, 1e-12)
    np.testing.assert_allclose(found.get(), expected, rtol=near, atol=near * 10, err_msg=what)


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_products_as_numpy(start):
    for seed in range(start, start + 100):
        check_product(seed)
