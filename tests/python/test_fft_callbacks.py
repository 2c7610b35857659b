"""Callbacks of Fourier transforms: the results of `fft.config.set_cufft_callbacks`.

On GPUs the texts run as kernels. On CPUs they are translated, and the kernels are run by g++ on
blocks of arrays.
"""

import contextvars
import functools
import inspect
import pickle
import re
import subprocess
import sys
import threading

import numpy
import pytest

import phalanx as np
import phalanx.fft.config
import phalanx.scipy.fft
from phalanx._fft_callbacks import kernels, manager

from . import fft_callback_emulation as emulation
from .fft_callback_cases import (
    COUNTED,
    HALF,
    JIT,
    LOAD,
    LOAD_DATA,
    PLAIN,
    SHIFTED,
    TWICE,
    callbacks,
    check,
    contexts,
    drawn,
    expected,
    kinds_of,
    load_of,
    loaded,
    text_of,
)

config = phalanx.fft.config
has_gpu = np.cuda.is_available()
needs_gpu = pytest.mark.skipif(not has_gpu, reason="the session has no GPU")
on_cpus = pytest.mark.skipif(has_gpu, reason="the session has GPUs")


# Where callbacks run: by the session, or by kernels that g++ compiles.
@pytest.fixture(params=["session", pytest.param("emulated", marks=on_cpus)])
def place(request, monkeypatch):
    if request.param == "emulated":
        emulate(monkeypatch)
    return request.param


@pytest.fixture
def emulated(monkeypatch):
    """Kernels run on the CPU, and the test may see which ones."""
    emulate(monkeypatch)
    emulation.Kernel.ran.clear()
    return emulation.Kernel.ran


def emulate(monkeypatch):
    kernels.kernel.cache_clear()
    monkeypatch.setattr(kernels, "_RawKernel", emulation.Kernel)
    monkeypatch.setattr(manager, "_has_gpus", lambda: True)


@pytest.fixture(autouse=True)
def forget():
    """No kernel of one test is that of another."""
    yield
    kernels.kernel.cache_clear()


ONE_AXIS = [
    ("fft", (4, 7), {}, 7, -1), ("fft", (4, 7), {"n": 9}, 9, -1),
    ("fft", (9, 5), {"axis": 0}, 9, 0), ("fft", (13,), {"n": 5}, 5, 0),
    ("ifft", (3, 8), {"n": 5}, 5, -1),
    ("ifft", (5, 2, 3), {"axis": 1, "n": 4}, 4, 1), ("rfft", (4, 7), {}, 7, -1),
    ("rfft", (6, 5), {"axis": 0, "n": 8}, 8, 0), ("irfft", (4, 7), {}, 12, -1),
    ("irfft", (4, 7), {"n": 9}, 9, -1), ("irfft", (7, 3), {"n": 15, "axis": 0}, 15, 0),
    ("hfft", (4, 7), {"n": 11}, 11, -1), ("hfft", (5, 3), {"axis": 0}, 8, 0),
    ("ihfft", (4, 7), {}, 7, -1), ("ihfft", (8, 3), {"axis": 0, "n": 6}, 6, 0),
    ("fft", (5, 1), {}, 1, -1), ("irfft", (5, 2), {"n": 1}, 1, -1),
]
SEVERAL_AXES = [
    ("fftn", (4, 7, 5), {}, (4, 7, 5), (0, 1, 2)),
    ("fftn", (4, 7, 5), {"s": (3, 9), "axes": (0, 2)}, (3, 9), (0, 2)),
    ("fftn", (6, 5), {"axes": (0,)}, (6,), (0,)),
    ("ifftn", (6, 5), {"s": (4, 8), "axes": (0, 1)}, (4, 8), (0, 1)),
    ("ifftn", (3, 4, 5), {"axes": (2, 1)}, (5, 4), (2, 1)), ("fft2", (2, 6, 5), {}, (6, 5), (1, 2)),
    ("ifft2", (6, 5), {"axes": (1, 0)}, (5, 6), (1, 0)),
    ("rfftn", (4, 7, 5), {}, (4, 7, 5), (0, 1, 2)),
    ("rfftn", (6, 8), {"s": (5, 9), "axes": (1, 0)}, (5, 9), (1, 0)),
    ("rfft2", (3, 6, 5), {"s": (7, 4)}, (7, 4), (1, 2)), ("irfftn", (6, 5), {}, (6, 8), (0, 1)),
    ("irfftn", (4, 3, 5), {"s": (5, 7), "axes": (0, 2)}, (5, 7), (0, 2)),
    ("irfft2", (6, 5), {"s": (4, 11)}, (4, 11), (0, 1)),
]


@pytest.mark.parametrize("is_single", [True, False], ids=["single", "double"])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("name, shape, call, extent, axis", ONE_AXIS)
def test_along_one_axis(place, name, shape, call, extent, axis, norm, is_single):
    array = drawn(shape, kinds_of(name, is_single)[0])
    check(name, array, call, [extent], [axis], norm, is_single)


@pytest.mark.parametrize("is_single", [True, False], ids=["single", "double"])
@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("name, shape, call, extents, axes", SEVERAL_AXES)
def test_over_several_axes(place, name, shape, call, extents, axes, norm, is_single):
    array = drawn(shape, kinds_of(name, is_single)[0])
    check(name, array, call, extents, axes, norm, is_single)


@pytest.mark.parametrize("name, shape, extents, axes", [
    ("fft", (4, 7), (7,), (-1,)), ("irfft", (4, 7), (12,), (-1,)), ("ihfft", (4, 7), (7,), (-1,)),
    ("rfftn", (4, 7), (4, 7), (0, 1)), ("fft2", (3, 4, 7), (4, 7), (1, 2)),
])
def test_transforms_of_scipy(place, name, shape, extents, axes):
    array = drawn(shape, kinds_of(name, False)[0])
    check(name, array, {}, extents, axes, "ortho", False, getattr(phalanx.scipy.fft, name))


def test_plans_of_scipy(place):
    array = drawn((4, 7), "c16")
    plan = phalanx.scipy.fft.get_fft_plan(np.asarray(array))
    check("fftn", array, {"plan": plan}, (4, 7), (0, 1), None, False, phalanx.scipy.fft.fftn)


def test_hermitian_transforms_over_several_axes(place):
    array = drawn((4, 5), "c16")
    with contexts("irfftn", False):
        found = phalanx.scipy.fft.hfftn(np.asarray(array))
    wanted = expected("irfftn", numpy.conj(array), (4, 8), (0, 1), "forward")
    numpy.testing.assert_allclose(found.get(), wanted, atol=1e-11)


def test_dtypes_that_are_converted(place):
    for dtype, is_single in (("i4", False), ("f2", True), ("f4", True), ("?", False)):
        array = (drawn((3, 5), "f8") * 4).astype(dtype)
        check("fft", array, {}, [5], [-1], None, is_single)
    check("fft", drawn((3, 5), "c16"), {"axis": -1}, [5], [-1], None, False, numpy.fft.fft)


def test_results_are_written_to_out(place):
    array, out = drawn((6, 4), "c16"), np.zeros((6, 4), "c16")
    with contexts("fft", False):
        found = np.fft.fft(np.asarray(array), axis=0, out=out)
    assert found is out
    numpy.testing.assert_allclose(out.get(), expected("fft", array, [6], [0], None), atol=1e-12)


@pytest.mark.parametrize("shape", [(3, 4), (1, 4), (4, 1), (2, 4, 4), (4,)])
def test_out_of_another_shape(place, shape):
    for array, call in ((np.ones((4, 4)), {"axis": 0}), (np.ones(4), {}), (np.ones((1, 4)), {})):
        def errors():
            out = np.full(shape, 7, "c16")
            try:
                assert np.fft.fft(array, out=out, **call) is out
            except ValueError as error:
                assert np.all(out == 7)
                return error.code, str(error).split("\n")[0]
        plain = errors()
        with callbacks(TWICE):
            assert errors() == plain
        assert (plain is None) == (array.shape == shape) and (plain is None or plain[0] == "PX002")


def test_out_of_another_kind(place):
    x = np.ones((4, 4))
    for out in (3, numpy.zeros((4, 4), "c16"), np.zeros((4, 4)), np.zeros((4, 4), "i4")):
        with pytest.raises(Exception) as plain:
            np.fft.fft(x, out=out)
        with callbacks(TWICE), pytest.raises(type(plain.value)) as found:
            np.fft.fft(x, out=out)
        assert str(found.value).split("\n")[0] == str(plain.value).split("\n")[0]


def counts(plan):
    """The launches, calls of libraries and exchanges that the first line of a plan shows."""
    head = plan.split("\n")[0]
    return [int((re.search(rf"(\d+) {name}", head) or "00")[1])
            for name in ("launch", "library call", "exchange")]


@pytest.mark.parametrize("name, shape, call", [
    ("fft", (60, 80), {}), ("fft", (60, 80), {"axis": 0}), ("ifft2", (60, 80), {}),
    ("fftn", (12, 6, 10), {}), ("fft", (600,), {}),
])
def test_a_transform_is_computed_once(name, shape, call):
    def planned(transform):
        # What is recorded for other arrays, and not computed yet, is in a plan, too.
        array = np.asarray(drawn(shape, "c16"))
        np.fft.fft(np.ones(3)).get()
        made = transform(array, **call)
        found = counts(made.explain())
        made.get()
        return found

    def spied(*args, **kwargs):
        seen.append(args)
        return native(*args, **kwargs)

    native, seen = getattr(np._phalanx.fft, name), []
    spied = functools.wraps(native)(spied)
    manager._dtype_of(spied, np.dtype("c16"))
    seen.clear()
    _, calls, exchanges = planned(native)
    with callbacks(TWICE):
        _, found_calls, found_exchanges = planned(manager._Transform(spied))
    assert not seen
    if not has_gpu:
        # A callback counts elements along the last axis: another one is swapped to and fro.
        swaps = 2 if call else 0
        assert found_calls == calls and found_exchanges <= exchanges + swaps


@pytest.mark.parametrize("name, shape, call", [
    (name, shape, call) for name, shape, call, _, _ in (*ONE_AXIS, *SEVERAL_AXES)
] + [("rfft", (3, 0), {"n": 4}), ("fft", (0, 3), {}), ("rfftn", (0, 3, 4), {"axes": (1, 2)})])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i4", "?"])
def test_the_shape_of_a_transform_is_known(name, shape, call, dtype):
    native, array = getattr(np._phalanx.fft, name), np.zeros(shape, dtype)
    bound = manager._signature(native).bind(array, **call)
    bound.apply_defaults()
    found = manager._result(manager._KINDS[name][0], bound.arguments, array)
    if found is not None:
        plain = native(array, **call)
        assert found == plain.shape and manager._dtype_of(native, array.dtype) == plain.dtype
    assert (found is None) == (0 in shape[1:] or dtype[0] == "c" and name[:2] in ("rf", "ih"))


def test_views_and_empty_arrays(place):
    whole = drawn((12, 10), "c16")
    for part in (numpy.s_[::2, 3:8], numpy.s_[::-1, ::3]):
        x = np.asarray(whole)[part]
        with contexts("fft", False):
            found = np.fft.fft(x), np.fft.fft(x.T)
        for one, array in zip(found, (whole[part], whole[part].T)):
            wanted = expected("fft", array, [array.shape[-1]], [-1], None)
            numpy.testing.assert_allclose(one.get(), wanted, atol=1e-11)
    with contexts("fft", False):
        assert np.fft.fft(np.zeros((0, 4), "c16")).shape == (0, 4)


def real_times(array, factor):
    return numpy.fft.fft(array.real * factor + 1j * array.imag)


def test_contexts_are_nested_and_restored(place):
    array = drawn((8,), "c16")
    x, twice = np.asarray(array), callbacks(TWICE)
    results = []
    assert config.get_current_callback_manager() is None
    with twice as entered:
        assert entered is twice and config.get_current_callback_manager() is twice
        results.append((np.fft.fft(x), 2))
        with callbacks(HALF) as inner:
            assert config.get_current_callback_manager() is inner
            results.append((np.fft.fft(x), 0.5))
            with twice:
                results.append((np.fft.fft(x), 2))
            results.append((np.fft.fft(x), 0.5))
        with pytest.raises(ZeroDivisionError), inner:
            raise ZeroDivisionError
        assert config.get_current_callback_manager() is twice
        results.append((np.fft.fft(x), 2))
    assert config.get_current_callback_manager() is None
    results.append((np.fft.fft(x), 1))
    for found, factor in results:
        numpy.testing.assert_allclose(found.get(), real_times(array, factor), atol=1e-12)


def test_contexts_may_be_left_in_another_order(place):
    def generator():
        with outer:
            yield

    outer, inner = callbacks(TWICE), callbacks(HALF)
    current = config.get_current_callback_manager
    made = generator()
    next(made)
    assert current() is outer
    with inner:
        made.close()
        assert current() is inner
        made = generator()
        next(made)
        assert current() is outer
    assert current() is outer
    made.close()
    assert current() is None
    with pytest.raises(RuntimeError, match="without being entered"):
        outer.__exit__(None, None, None)


def test_contexts_may_be_left_in_another_thread():
    outer, inner = callbacks(TWICE), callbacks(HALF)
    x = np.ones(4, "c16")
    plain = np.fft.fft(x).tolist()
    failed = []

    def leave(manager):
        try:
            manager.__exit__(None, None, None)
        except Exception as error:
            failed.append(error)

    with outer:
        inner.__enter__()
        thread = threading.Thread(target=leave, args=(inner,))
        thread.start()
        thread.join()
        assert not failed and config.get_current_callback_manager() is outer
        assert np.fft.fft(x).tolist() != plain
    assert config.get_current_callback_manager() is None
    assert np.fft.fft(x).tolist() == plain


def test_a_copied_context_keeps_its_callbacks():
    outer = callbacks(TWICE)
    with outer:
        copied = contextvars.copy_context()
    assert config.get_current_callback_manager() is None
    assert copied.run(config.get_current_callback_manager) is outer


def test_each_thread_has_its_callbacks():
    seen = []
    with callbacks(TWICE):
        thread = threading.Thread(target=lambda: seen.append(config.get_current_callback_manager()))
        thread.start()
        thread.join()
    assert seen == [None]


def test_the_auxiliary_data_are_those_of_the_call(place):
    array = drawn((6,), "c16")
    data = np.asarray(LOAD_DATA)
    with callbacks(text_of(LOAD, "c16"), cb_load_data=data):
        first = np.fft.fft(np.asarray(array))
        data *= 2
        second = np.fft.fft(np.asarray(array))
    wanted = expected("fft", array, [6], [0], None, store=lambda one: one)
    numpy.testing.assert_allclose(first.get(), wanted, atol=1e-12)
    doubled = loaded(array).real * 2 + 1j * array.imag
    numpy.testing.assert_allclose(second.get(), numpy.fft.fft(doubled), atol=1e-12)


def test_the_memory_of_an_array_is_auxiliary_data(place):
    array = drawn((6,), "c16")
    with callbacks(text_of(LOAD, "c16"), cb_load_data=np.asarray(LOAD_DATA).data):
        found = np.fft.fft(np.asarray(array))
    wanted = expected("fft", array, [6], [0], None, store=lambda one: one)
    numpy.testing.assert_allclose(found.get(), wanted, atol=1e-12)


@pytest.mark.parametrize("name", [None, "doubled"])
def test_texts_of_the_version_jit(place, name):
    array = drawn((5,), "c8")
    with callbacks(JIT, cb_load_name=name, cb_ver="jit", nvrtc_options=("-DX=1",)) as manager:
        found = np.fft.fft(np.asarray(array))
    assert "load=doubled" in repr(manager)
    numpy.testing.assert_allclose(found.get(), numpy.fft.fft(2 * array), rtol=1e-5)


@pytest.mark.parametrize("case", list(PLAIN))
def test_texts_that_touch_their_own_element(place, case):
    body, function = PLAIN[case]
    array = drawn((5, 6), "c16")
    manager = callbacks(load_of(body))
    assert manager._load.is_own
    with manager:
        found = np.fft.fft(np.asarray(array))
    offset = numpy.arange(array.size).reshape(array.shape)
    numpy.testing.assert_allclose(found.get(), numpy.fft.fft(function(array, offset)), atol=1e-10)


def test_a_store_callback_uses_functions_of_the_load_callback(place):
    body = "((cufftDoubleComplex*)out)[offset] = turned(x);"
    store = (
        "__device__ void st(void* out, size_t offset, cufftDoubleComplex x, void*, void*) {"
        f"{body} }}\n__device__ cufftCallbackStoreZ d_storeCallbackPtr = st;\n"
    )
    array = drawn((5,), "c16")
    with callbacks(load_of(PLAIN["alias"][0]), store):
        found = np.fft.ifft(np.asarray(array))
    numpy.testing.assert_allclose(found.get(), numpy.fft.ifft(array) * 1j, atol=1e-12)


def test_macros_belong_to_their_text(place):
    helper = """#define SCALE (-25e-1)
    __device__ cufftDoubleComplex turned(cufftDoubleComplex value) {
        double K = SCALE;
        value.x *= K;
        return value;
    }
    """
    store = """#define K 3
    __device__ void st(void* out, size_t offset, cufftDoubleComplex x, void*, void*) {
        cufftDoubleComplex y = turned(x);
        y.y *= K - SCALE;
        if (offset % 2) ((cufftDoubleComplex*)out)[offset] = x;
        else ((cufftDoubleComplex*)out)[offset] = y;
    }
    __device__ cufftCallbackStoreZ d_storeCallbackPtr = st;
    """
    array = drawn((6,), "c16")
    with callbacks(load_of(PLAIN["function"][0], helper), store) as entered:
        assert entered._store.is_own
        found = np.fft.fft(np.asarray(array))
    wanted = numpy.fft.fft(array.real * -2.5 + 1j * array.imag)
    even = wanted.real * -2.5 + 5.5j * wanted.imag
    wanted = numpy.where(numpy.arange(6) % 2, wanted, even)
    numpy.testing.assert_allclose(found.get(), wanted, atol=1e-12)


def test_which_kernels_run(emulated):
    array = np.asarray(drawn((8,), "c16"))
    with callbacks(TWICE):
        np.fft.fft(array).evaluate()
    with callbacks(SHIFTED):
        found = np.fft.fft(array)
    assert emulated == [("fft_load_callback", True), ("fft_load_callback", False)]
    wanted = numpy.fft.fft(numpy.roll(array.get(), 4))
    numpy.testing.assert_allclose(found.get(), wanted, atol=1e-12)


def count_signs(array):
    counts = np.zeros(2, "i4")
    with callbacks(cb_store=COUNTED, cb_store_data=counts):
        found = np.fft.ifft(np.asarray(array))
    numpy.testing.assert_allclose(found.get(), numpy.fft.ifft(array), atol=1e-12)
    positive = int((found.get().real > 0).sum())
    assert counts.tolist() == [array.size - positive, positive]


def test_auxiliary_data_that_are_written(emulated):
    count_signs(drawn((9,), "c16"))


@pytest.mark.parametrize("splits", [(1, 1), (4, 1), (1, 3), (3, 3), (20, 1)])
def test_offsets_are_those_of_the_whole_array(emulated, monkeypatch, splits):
    monkeypatch.setattr(emulation.Kernel, "splits", splits)
    body = "cufftDoubleComplex x; x.x = offset; x.y = 0; return x;"
    for shape in ((17,), (5, 4), (3, 1, 5), (4, 3, 2, 5), (2,) * 8):
        with callbacks(load_of(body)):
            found = np.fft.fftn(np.zeros(shape, "c16"))
        wanted = numpy.fft.fftn(numpy.arange(found.size).reshape(shape))
        numpy.testing.assert_allclose(found.get(), wanted, atol=1e-9)
    assert all(is_each for _, is_each in emulated)
    emulated.clear()
    with callbacks(load_of(body)):
        found = np.fft.fft(np.zeros((1,) * 8 + (5,), "c16"))
    numpy.testing.assert_allclose(found.get().ravel(), numpy.fft.fft(numpy.arange(5)), atol=1e-12)
    assert emulated == [("fft_load_callback", False)]


@needs_gpu
def test_texts_that_touch_other_elements_get_whole_arrays():
    array = drawn((8,), "c16")
    with callbacks(SHIFTED):
        found = np.fft.fft(np.asarray(array))
    numpy.testing.assert_allclose(found.get(), numpy.fft.fft(numpy.roll(array, 4)), atol=1e-12)
    count_signs(drawn((1001,), "c16"))


@needs_gpu
@pytest.mark.parametrize("shape", [(1 << 20,), (1000, 1003), (64, 65, 66), (1, 5, 1)])
def test_large_arrays(shape):
    array = drawn(shape, "c16")
    check("fftn", array, {}, shape, range(len(shape)), None, False)
    check("fft", array, {"axis": 0}, shape[:1], [0], "ortho", False)


@needs_gpu
def test_memory_of_cuda_is_auxiliary_data():
    if np._phalanx.size() > 1:
        pytest.skip("addresses belong to one process")
    array = drawn((6,), "c16")
    memory = np.cuda.alloc(24)
    memory.copy_from_host(LOAD_DATA.ctypes.data, 24)
    with callbacks(text_of(LOAD, "c16"), cb_load_data=memory):
        found = np.fft.fft(np.asarray(array))
    wanted = expected("fft", array, [6], [0], None, store=lambda one: one)
    numpy.testing.assert_allclose(found.get(), wanted, atol=1e-12)


@needs_gpu
def test_a_plan_shows_the_callbacks():
    with contexts("fft", False):
        plan = np.fft.fft(np.asarray(drawn((100,), "c16"))).explain()
    assert "fft_load_callback" in plan and "fft_store_callback" in plan


def test_errors_of_transforms_are_the_same(place):
    x = np.ones((4, 4))
    calls = [
        lambda: np.fft.fft(x, n=0), lambda: np.fft.fft(x, axis=2), lambda: np.fft.fft(x, norm="no"),
        lambda: np.fft.rfft(x * 1j), lambda: np.fft.fftn(x, s=(2,), axes=(0, 1)),
        lambda: np.fft.fft(x, 1, 2, 3, 4, 5, 6), lambda: np.fft.fft(np.ones(())),
    ]
    for call in calls:
        with pytest.raises(Exception) as plain:
            call()
        with callbacks(TWICE), pytest.raises(type(plain.value)) as found:
            call()
        assert str(found.value).split("\n")[0] == str(plain.value).split("\n")[0]
    with callbacks(TWICE), pytest.raises(ValueError, match="each axis is transformed once"):
        np.fft.fftn(x, axes=(0, 0))


def test_what_an_import_needs():
    # The analysis of texts is imported by the first text, and descriptions when they are read.
    names = ["texts", "tokens", "pointers", "forms", "elements", "kernels"]
    names = [f"phalanx._fft_callbacks.{name}" for name in names] + ["phalanx._documentation"]
    text = f"import sys, phalanx.fft; print([one for one in {names} if one in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert ended.stdout.strip() == "[]", ended.stderr


def test_the_functions_stay_what_they_are():
    assert str(inspect.signature(np.fft.fft)) == "(a, n=None, axis=-1, norm=None, out=None)"
    assert np.fft.fft.__qualname__ == "fft" and inspect.isroutine(np.fft.fft)
    assert np.fft.fft.__module__ == "phalanx.fft" and repr(np.fft.fft).endswith("phalanx.fft.fft>")
    assert pickle.loads(pickle.dumps(np.fft.irfft2)) is np.fft.irfft2
    method = type("Holder", (), {"transform": np.fft.fft, "__array__": lambda *_: numpy.ones(2)})
    assert np.fft.fft.__get__(np.ones(2))().tolist() == method().transform().tolist() == [2, 0]
    assert np.fft.fft.__name__ == "fft" and "Parameters" in np.fft.fft.__doc__
    assert np.fft.config.set_cufft_callbacks.__module__ == "phalanx.fft.config"
