"""Callbacks of Fourier transforms: their texts, which NVRTC compiles where it is installed."""

import numpy
import pytest

import phalanx as np
from phalanx._fft_callbacks import kernels
from phalanx._fft_callbacks.texts import Callback

from .fft_callback_cases import (
    COUNTED,
    JIT,
    LOAD,
    LOAD_DATA,
    PLAIN,
    SHIFTED,
    STORE,
    TWICE,
    TYPES,
    callbacks,
    load_of,
    text_of,
)

has_gpu = np.cuda.is_available()
needs_gpu = pytest.mark.skipif(not has_gpu, reason="the session has no GPU")
on_cpus = pytest.mark.skipif(has_gpu, reason="the session has GPUs")

# Bodies, and whether they touch only their own element, whether they only read the data, and
# whether they only read the auxiliary data.
ELEMENT = "((cufftDoubleComplex*)in_)[offset]"
USES = [
    (f"return {ELEMENT};", True, True, True),
    ("return ((cufftDoubleComplex*)in_)[offset + 1];", False, True, True),
    ("return ((cufftDoubleComplex*)in_)[0];", False, True, True),
    (f"offset += 1; return {ELEMENT};", False, False, False),
    (f"{{ size_t offset = 3; return {ELEMENT}; }}", False, False, False),
    ("double2 r = {((double*)in_)[offset], 0}; return r;", False, True, True),
    ("return *(cufftDoubleComplex*)in_;", False, True, True),
    (f"{ELEMENT}.x = 1; return {ELEMENT};", True, False, True),
    ("return read((double2*)in_, offset);", False, False, True),
    ("return read((const double2*)in_, offset);", False, True, True),
    (f"double s = *(double*)info; double2 x = {ELEMENT}; x.x += s; return x;", True, True, True),
    (f"double2 x = {ELEMENT}; x.x *= (float)*(float*)info; return x;", True, True, True),
    (f"const double* w = (const double*)info; double2 x = {ELEMENT}; x.x *= w[3]; return x;",
     True, True, True),
    (f"double2 x = {ELEMENT}; x.x *= ((Given*)info)->scale; return x;", True, True, True),
    (f"((int*)info)[0] = 1; return {ELEMENT};", True, True, False),
    (f"((int*)info)[0]++; return {ELEMENT};", True, True, False),
    (f"++*(int*)info; return {ELEMENT};", True, True, False),
    (f"int& c = *(int*)info; c += 1; return {ELEMENT};", True, True, False),
    (f"int* c = (int*)info; c[1] += 1; return {ELEMENT};", True, True, False),
    (f"int* c = (int*)info; c += 1; return {ELEMENT};", True, True, False),
    (f"atomicAdd((int*)info, 1); return {ELEMENT};", True, True, False),
    (f"atomicAdd(&((int*)info)[2], 1); return {ELEMENT};", True, True, False),
    (f"const int* c = (const int*)info; ((int*)c)[0] = 1; return {ELEMENT};", True, True, False),
    (f"((int*)(const int*)info)[0] = 1; return {ELEMENT};", True, True, False),
    (f"auto f = [](double v) {{ return v; }}; return {ELEMENT};", False, False, False),
    (f"asm(\"\" : \"+l\"(offset)); return {ELEMENT};", False, False, False),
    (f"int a, offset{{3}}; return {ELEMENT};", False, False, False),
    ("Other x = ((Another*)in_)[offset]; return convert(x);", False, True, True),
    (f"size_t at = offset; return ((double2*)in_)[at];", False, True, True),
]


@pytest.mark.parametrize("body, is_own, reads_data, reads_info", USES)
def test_what_a_text_touches(body, is_own, reads_data, reads_info):
    found = Callback("load", load_of(body), None, False, None)
    assert (found.is_own, found.reads_data_only, found.reads_info_only) == (
        is_own, reads_data, reads_info)


@pytest.mark.parametrize("head", [
    "#define in_ other", "#ifdef A\n#endif", "#define F(x) x",
    "__device__ void change(double& x) { x = 1; }",
    "struct Changes { __device__ void change(double& x) { x = 1; } };",
])
def test_texts_whose_words_may_mean_something_else(head):
    found = Callback("load", load_of(f"return {ELEMENT};", head), None, False, None)
    assert not (found.is_own or found.reads_data_only or found.reads_info_only)
    # A comment changes nothing, and the number of a macro does not either.
    numbers = f"#define SIZE 8 // in_\n#define HALF -0.5f\n"
    assert Callback("load", load_of(f"return {ELEMENT};", numbers), None, False, None).is_own
    commented = load_of(f"return {ELEMENT};", f"/* {head} */ // in_ = \"in_\"")
    assert Callback("load", commented, None, False, None).is_own


@needs_gpu
def test_a_text_that_the_compiler_refuses():
    with pytest.raises(np.cuda.compiler.CompileException, match=r"cb_load\(4\).*\n.*nothing"):
        with callbacks(load_of("\nreturn nothing;", "")):
            np.fft.fft(np.ones(4)).get()


@pytest.fixture
def nvrtc():
    """Skips a test where NVRTC is not installed."""
    try:
        np.RawModule(code='extern "C" __global__ void nothing() {}').compile()
    except RuntimeError as error:
        assert "NVRTC was not found" in str(error)
        pytest.skip("NVRTC is not installed")


def compile_text(callback, dtype, is_each):
    text = kernels.text_of(callback, numpy.dtype(dtype).name, is_each)
    np.RawKernel(text, kernels.symbol(callback), per_shard=is_each).compile()


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize("dtype", list(TYPES))
@pytest.mark.parametrize("is_each", [True, False], ids=["each", "whole"])
def test_kernels_are_compiled(dtype, is_each):
    load = Callback("load", text_of(LOAD, dtype), None, False, None)
    store = Callback("store", text_of(STORE, dtype), None, False, load)
    assert load.is_own and store.is_own and load.reads_info_only and store.reads_info_only
    compile_text(load, dtype, is_each)
    compile_text(store, dtype, is_each)


@pytest.mark.usefixtures("nvrtc")
def test_other_texts_are_compiled():
    for text, kind, dtype in ((SHIFTED, "load", "c16"), (COUNTED, "store", "c16")):
        compile_text(Callback(kind, text, None, False, None), dtype, False)
    compile_text(Callback("load", JIT, None, True, None), "c8", True)
    for body, _ in PLAIN.values():
        compile_text(Callback("load", load_of(body), None, False, None), "c16", True)
    uses = "".join(
        f"__device__ {real} all{f}({c} a, {c} b) {{ return cuCreal{f}(a) + cuCimag{f}(b)"
        f" + cuCabs{f}(cuCfma{f}(cuCadd{f}(a, b), cuCsub{f}(a, b), cuCdiv{f}(a, b))); }}\n"
        for c, real, f in (("cuComplex", "float", "f"), ("cuDoubleComplex", "double", ""))
    )
    np.RawModule(code=kernels.PRELUDE + uses + "__device__ cuComplex to(cuDoubleComplex a) {"
                 " return cuComplexDoubleToFloat(cuComplexFloatToDouble(make_cuComplex(a.x, 0))); }"
                 ).compile()


@pytest.mark.usefixtures("nvrtc")
def test_texts_that_the_compiler_refuses_show_their_lines():
    refused = np.cuda.compiler.CompileException
    bad = Callback("load", load_of("\nreturn nothing;", ""), None, False, None)
    with pytest.raises(refused, match=r"cb_load\(4\): error(.|\n)*nothing"):
        compile_text(bad, "c16", True)
    store = Callback("store", text_of(STORE, "c16") + "\nwrong", None, False, None)
    with pytest.raises(refused, match=r"cb_store\(\d+\): error"):
        compile_text(store, "c16", True)
    # The compiler finds what the text hides.
    hidden = text_of(LOAD, "f4").replace("= scaled", "= 1 ? scaled : scaled")
    found = Callback("load", hidden, None, False, None)
    assert found.name is None and not found.is_own
    compile_text(found, "f4", False)
    with pytest.raises(refused, match="must be a cufftCallbackLoadC"):
        compile_text(found, "c8", False)
    hidden = text_of(LOAD, "f4").replace("cufftReal scaled", "Number scaled")
    hidden = "typedef float Number;\n" + hidden
    with pytest.raises(refused, match="must return a cufftDoubleReal"):
        compile_text(Callback("load", hidden, None, False, None), "f8", False)


@pytest.mark.parametrize("arguments, error, message", [
    ({}, ValueError, "give cb_load, cb_store or both"),
    ({"cb_load": ""}, ValueError, "give cb_load, cb_store or both"),
    ({"cb_load": 3}, TypeError, "cb_load is a text"),
    ({"cb_load": TWICE, "cb_ver": "other"}, ValueError, "'legacy' or 'jit'"),
    ({"cb_load": JIT}, ValueError, "does not define d_loadCallbackPtr"),
    ({"cb_store": TWICE}, ValueError, "does not define d_storeCallbackPtr"),
    ({"cb_load": JIT, "cb_load_name": "other", "cb_ver": "jit"}, ValueError, "no such name"),
    ({"cb_load": JIT + JIT.replace("doubled", "again"), "cb_ver": "jit"}, ValueError,
     "2 functions.*cb_load_name"),
    ({"cb_store": JIT, "cb_ver": "jit"}, ValueError, "0 functions.*cb_store_name"),
    ({"cb_load": TWICE.replace(", void* sharedPtr", "")}, ValueError, "3 parameters"),
    ({"cb_load": TWICE, "cb_store_data": LOAD_DATA}, ValueError, "no text cb_store"),
    ({"cb_load": TWICE, "cb_load_aux_arr": LOAD_DATA}, TypeError, "is a phalanx.ndarray"),
    ({"cb_load": TWICE, "cb_load_data": "text"}, TypeError, "is an array"),
    ({"cb_load": TWICE, "nvrtc_options": 3}, TypeError, "nvrtc_options"),
    ({"cb_load": TWICE, "other": 3}, TypeError, "other"),
])
def test_wrong_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        callbacks(**arguments)


def test_data_are_given_once():
    data = np.asarray(LOAD_DATA)
    with pytest.raises(ValueError, match="not both"):
        callbacks(TWICE, cb_load_aux_arr=data, cb_load_data=data)


def test_callbacks_of_other_elements_are_refused():
    x = np.ones(8)
    for function, text in ((np.fft.rfft, TWICE), (np.fft.fft, text_of(LOAD, "f8"))):
        with callbacks(text), pytest.raises(TypeError, match="load callback.*returns.*reads cufft"):
            function(x)
    store = text_of(STORE, "c16")
    with callbacks(cb_store=store, cb_store_data=np.ones(1)):
        with pytest.raises(TypeError, match="takes cufftDoubleComplex.*writes cufftDoubleReal"):
            np.fft.irfft(x)
        with pytest.raises(TypeError, match="writes cufftComplex"):
            np.fft.fft(x.astype("f4"))


@on_cpus
@pytest.mark.parametrize("text, reason", [
    (SHIFTED, "touches other elements"),
    (TWICE.replace("*= 2", "*= atomicAdd((int*)callerInfo, 1)"), "writes the auxiliary array"),
    (TWICE.replace("*= 2", "*= ((Given*)callerInfo)->scale"), "as Given, which is no dtype"),
    ("#define F(x) x\n" + TWICE, "too complex"),
    (TWICE.replace("x.x *= 2;", "cufftDoubleComplex y[2];"), "array of complex numbers"),
    (text_of(LOAD, "c16"), "there is none"),
    (TWICE.replace("x.x *= 2;", "for (int k = 0; k < 3; x.x += 1) k++;"), "head of a loop"),
    (TWICE.replace("x.x *= 2;", "x.x = 1, x.y = 2;"), "in an expression"),
    (TWICE.replace("x.x *= 2;", "x.x = x.y = 0;"), "in an expression"),
    (TWICE.replace("x.x *= 2;", "double v = x.x++;"), "changes the part"),
])
def test_texts_that_cpus_do_not_run(text, reason):
    message = f"(?s)are CPUs.*{reason}.*PX180"
    with callbacks(text), pytest.raises(ValueError, match=message) as caught:
        np.fft.fft(np.ones(8, "c16"))
    assert caught.value.code == "PX180"


@on_cpus
def test_texts_that_are_no_arithmetic_show_their_line():
    text = TWICE.replace("x.x *= 2;", "while (x.x > 0) x.x -= 1;")
    with callbacks(text), pytest.raises(ValueError, match="PX138"):
        np.fft.fft(np.ones(8, "c16"))
