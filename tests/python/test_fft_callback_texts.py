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
    (f"int& c = *(int*)info; c += 1; return {ELEMENT};", False, False, False),
    (f"int* c = (int*)info; c[1] += 1; return {ELEMENT};", True, True, False),
    (f"int* c = (int*)info; c += 1; return {ELEMENT};", True, True, False),
    (f"atomicAdd((int*)info, 1); return {ELEMENT};", True, True, False),
    (f"atomicAdd(&((int*)info)[2], 1); return {ELEMENT};", False, False, False),
    (f"const int* c = (const int*)info; ((int*)c)[0] = 1; return {ELEMENT};", True, True, False),
    (f"((int*)(const int*)info)[0] = 1; return {ELEMENT};", True, True, False),
    (f"auto f = [](double v) {{ return v; }}; return {ELEMENT};", False, False, False),
    (f"asm(\"\" : \"+l\"(offset)); return {ELEMENT};", False, False, False),
    (f"int a, offset{{3}}; return {ELEMENT};", False, False, False),
    ("Other x = ((Another*)in_)[offset]; return convert(x);", False, True, True),
    (f"size_t at = offset; return ((double2*)in_)[at];", False, True, True),
    (f"double2 t; (true ? {ELEMENT} : t).x = 3; return t;", True, False, True),
    (f"double2 t; (0, {ELEMENT}) = t; return t;", True, False, True),
    (f"int t; (true ? *(int*)info : t)++; return {ELEMENT};", True, True, False),
    (f"int t; ++(t, ((int*)info)[0]); return {ELEMENT};", True, True, False),
]

# Statements before a load that only reads its own element.
PLAIN_STATEMENTS = [
    "unsigned k = offset & 7, m = k & 3; if (k && m) k = 0;",
    "bool odd = (offset & 1) && offset > 3 || !offset;",
    "for (size_t k = 0; k < offset % 4; k++) ;", "for (int k = 0; offset > k && k < 3; ++k) ;",
    "double w = double(offset) + (double)(offset) - (double)offset * -offset;",
    "double w = offset < 3 ? sqrt(offset) : max(1, offset);",
    "double2 w = {1, offset}, v = make_cuDoubleComplex(offset, 0);",
    "double w = ((const double*)info)[offset % 3];", "double w = cosf(2 * (offset));",
    "size_t at; at = offset; at += (offset); while (at > offset) at--;",
    "switch (offset) { case 0: break; default: break; }", "if ((offset)) ; else if (offset) ;",
    "double2 v; if (v.x > 0 && v.y < 0 && offset) v.x = 1;",
]


@pytest.mark.parametrize("statements", PLAIN_STATEMENTS)
def test_what_only_reads_its_element(statements):
    found = Callback("load", load_of(f"{statements} return {ELEMENT};"), None, False, None)
    assert (found.is_own, found.reads_data_only, found.reads_info_only) == (True, True, True)


# Statements that make the offset another number, or may do so.
CHANGING = [
    "(offset) = 3;", "(offset)++;", "++(offset);", "((offset)) += 1;", "--offset;",
    "(c ? offset : t) = 3;", "(0, offset) = 3;", "(c ? t : offset)--;", "c ? offset = 3 : 0;",
    "size_t& o = offset; o = 3;", "auto&& o = offset; o = 3;", "size_t k, &o = offset; o = 3;",
    "size_t &o{offset};", "size_t &o(offset);", "size_t &(o) = offset;", "size_t (&o) = offset;",
    "for (size_t& o = offset; o < 3; o++) ;", "if (size_t& o = offset) o = 3;",
    "if (Other && o = offset) o = 3;", "Other & o = offset;", "const Other & o = offset;",
    "unsigned long & o = offset;", "*&offset = 3;", "*(&(offset)) = 3;", "*(size_t*)&(offset) = 3;",
    "*(Other*)&offset = 3;", "(size_t&)offset = 3;", "static_cast<size_t&>(offset) = 3;",
    "*std::addressof(offset) = 3;", "std::ref(offset).get() = 3;",
    "*__builtin_addressof(offset) = 3;", "decltype((offset)) o = offset; o = 3;",
    "__typeof__((offset)) o = offset;", "typedef size_t& R; R o = offset; o = 3;",
    "using R = size_t&; R o = offset; o = 3;", '__asm("" : "+l"(offset));',
    'asm volatile("" : "+l"(offset));', '__asm__ __volatile__("" : "+l"(offset));',
    "f<size_t&>(offset);", "f<size_t &>(offset);", "size_t bitand o = offset; o = 3;",
    "size_t and o = 3;", "offset xor_eq 3;", "offset or_eq 3;", "offset and_eq 3;",
    "unsigned k, offset(3);", "unsigned k, offset;", "unsigned k, offset, m;",
    "unsigned (offset);", "unsigned k, (offset);", "unsigned ((offset));", "Three (offset);",
    "unsigned *offset;", "unsigned (*offset);", "Three offset;", "unsigned k, offset{3};",
    "auto [offset, k] = pair;", "auto [k, offset] = pair;", "enum { offset };",
    "enum { k, offset };", "struct { int k; } offset;", "goto offset; offset: ;",
    "for (int k, offset; ;) ;", "unsigned __attribute__((unused)) offset;",
    "[&] { offset = 3; }();", "int k = [&o = offset] { return o++; }();",
    "off\\\nset = 3;", "int k = 1'000; offset++; k = 1'000;", 'R"( " )"; offset++; R"( " )";',
]


@pytest.mark.parametrize("statements", CHANGING)
def test_what_may_change_the_offset(statements):
    text = load_of(f"bool c = true; size_t t; {{ {statements} return {ELEMENT}; }}")
    assert not Callback("load", text, None, False, None).is_own


@pytest.mark.parametrize("helper", [
    "void f(size_t bitand o) { o = 3; }", "void f(size_t& o) { o = 3; }",
    "template<class T> void f(T o) { o = 3; }", "void f(size_t&& o) { o = 3; }",
    "typedef size_t& R; void f(R o) { o = 3; }", "void f(decltype((size_t())) o) { }",
    "using namespace std; void f(size_t o) { }",
])
def test_functions_that_may_change_the_offset(helper):
    text = load_of(f"f(1, offset); return {ELEMENT};", f"__device__ {helper}")
    assert not Callback("load", text, None, False, None).is_own
    plain = load_of(f"double k = f(offset); return {ELEMENT};", "__device__ void f(size_t o) { }")
    assert Callback("load", plain, None, False, None).is_own


# Statements that reach a neighbour of the element.
NEIGHBOURS = [
    f"double2 &e({ELEMENT}); return *(&e + 1);", f"double2 &e{{{ELEMENT}}}; return *(&e + 1);",
    f"double2 t; double2 &e = true ? {ELEMENT} : t; return *(&e + 1);",
    f"return *(&(0, {ELEMENT}) + 1);", f"return *(&{ELEMENT} + 1);",
    f"double2* p = (double2*)in_; return *(&(p[offset] = p[offset]) + 1);",
    f"return *(std::addressof({ELEMENT}) + 1);", f"auto&& e = {ELEMENT}; return *(&e + 1);",
    f"return *(__builtin_addressof({ELEMENT}) + 1);", f"const double2 &e = {ELEMENT}; return e;",
    "double2* p = (double2*)in_; p++; return p[offset];",
    "double2* p = (double2*)in_; (p) += 1; return p[offset];",
    "return ((double2*)in_ + 1)[offset];", "return *((double2*)in_ + offset + 1);",
    "return ((double2*)in_)<:offset + 1:>;", "return ((double2*)in_)[offset++];",
]


@pytest.mark.parametrize("body", NEIGHBOURS)
def test_what_reaches_a_neighbour(body):
    found = Callback("load", load_of(body), None, False, None)
    assert not found.is_own
    assert "&" not in body or not found.reads_data_only


def test_options_that_define_names():
    text = load_of(f"return {ELEMENT};")
    assert Callback("load", text, None, False, None, ("-lineinfo",)).is_own
    assert Callback("load", text, None, False, None, ("-DSIZE=3", "-DON")).is_own
    for options in (("-Doffset=3",), ("-DSIZE=x",), ("-D", "offset=3"),
                    ("--define-macro=in_=x",), ("-include", "x")):
        assert not Callback("load", text, None, False, None, options).is_own


def test_stores_behind_a_condition():
    for store in ("((double2*)out)[offset] = x;", "*((double2*)out + offset) = x;"):
        for head in ("if (c)", "for (; c;)", "while (c)", "switch (c)"):
            text = (
                "__device__ void st(void* out, size_t offset, cufftDoubleComplex x, void*, void*) {"
                f"bool c = x.x > 0; {head} {store} }}\n"
                "__device__ cufftCallbackStoreZ d_storeCallbackPtr = st;\n"
            )
            assert Callback("store", text, None, False, None).is_own, head


@pytest.mark.parametrize("number", [
    "8", "0.5f", "-0.5f", "1e-5f", "1E+3", "(2)", "(-1.5e2)", "((3))", "0x1Fu", "( 2 )", ".5", "3.",
])
def test_macros_that_are_numbers(number):
    text = load_of(f"double k = NUMBER * (offset + NUMBER); return {ELEMENT};",
                   f"#define NUMBER {number} // a number")
    assert Callback("load", text, None, False, None).is_own
    text = load_of("return ((double2*)in_)[offset * ONE];", "#define ONE 1")
    assert not Callback("load", text, None, False, None).is_own


@pytest.mark.parametrize("head", [
    "#define K 1\n#define K 2", "__device__ int f(int K) { return K; }\n#define K 2",
    "#define K (2", "#define K 2)", "#define K 2 + 3", "#define K 1e", "#define K offset",
])
def test_macros_with_another_meaning(head):
    assert not Callback("load", load_of(f"return {ELEMENT};", head), None, False, None).is_plain
    before = Callback("load", load_of(f"return {ELEMENT};", "#define K 1"), None, False, None)
    for number, is_plain in (("1", True), ("2", False)):
        store = f"#define K {number}\n" + text_of(STORE, "c16")
        assert Callback("store", store, None, False, before).is_plain is is_plain


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
    ("__device__ float f(float x) { return x; }\n__device__ int f(int x) { return x; }\n"
     + TWICE.replace("*= 2", "*= f(2)"), "defines f more than once"),
    (TWICE.replace("x.x *= 2;", "static double v = 2; x.x *= v;"), "kept between elements"),
    ("__device__ double f(double x) { static double v = 1; return v++; }\n"
     + TWICE.replace("*= 2", "*= f(2)"), "kept between elements"),
    ("#define K 2\n#define K 3\n" + TWICE.replace("*= 2", "*= K"), "too complex"),
    (TWICE.replace("*= 2;", "*= 2; { unsigned k, offset(3); x.x += offset; }"), "too complex"),
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
