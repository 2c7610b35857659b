"""Random scalar functions: g++ runs their translation, and NumPy the functions themselves."""

import linecache

import numpy
import pytest

from phalanx._jit import kernels as _jit
from phalanx._jit import prelude as _jit_prelude

from . import jit_emulation as emulation
from . import jit_random as drawn

ROWS = 24


def define(text, file, **names):
    """A function of a text, whose lines Python's inspection finds."""
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space = {"numpy": numpy, **names}
    exec(compile(text, file, "exec"), space)
    return next(one for name, one in space.items() if name.startswith("drawn"))


def translated(seeds, mode="numpy"):
    """The functions of the seeds that are translated: their texts, references and compiled forms;
    and the messages of the others."""
    kept, refused = [], []
    for seed in seeds:
        writer = drawn.Writer(seed)
        dtypes = tuple(writer.dtypes)
        text = writer.function(f"drawn_{seed}")
        reference = define(text, f"<reference {seed}>", CAST=drawn.cast, SELECT=drawn.select)
        function = define(drawn.to_python(text), f"<drawn {seed}>")
        try:
            made = _jit.compile_scalar(function, dtypes, mode, plain=True)
        except (TypeError, ValueError, OverflowError) as error:
            assert error.code.startswith("PX"), error
            refused.append((seed, text, dtypes, str(error), reference))
            continue
        kept.append((text, dtypes, reference, made))
    calls = emulation.library_of([(made[0], made[1], dtypes, made[2])
                                  for _, dtypes, _, made in kept])
    return [(*one, call) for one, call in zip(kept, calls)], refused


def differences(seeds):
    """How the functions of the seeds differ from NumPy."""
    found = []
    compared = 0
    kept, refused = translated(seeds)
    for number, (text, dtypes, reference, made, call) in enumerate(kept):
        generator = numpy.random.default_rng(number)
        arrays = [drawn.values(one, ROWS, generator) for one in dtypes]
        out = call(*arrays)
        for row, one, wanted in zip(zip(*arrays), out, drawn.expected(reference, arrays)):
            if wanted is None:
                continue
            compared += 1
            wanted = numpy.asarray(wanted).astype(out.dtype)[()]
            if not (one == wanted or (one != one and wanted != wanted)):
                found.append(f"{text}{dtypes} at {row}: {one!r}, not {wanted!r}\n{made[0]}")
                break
    return found, refused, compared


@pytest.mark.parametrize("first", range(0, 90, 30))
def test_random_functions_have_numpys_values(first):
    found, _, compared = differences(range(first, first + 30))
    assert not found, "\n\n".join(found)
    assert compared > 200


@pytest.mark.parametrize("mode", ["numpy", "cuda"])
def test_random_functions_compile_for_gpus(mode):
    texts, names = [_jit_prelude.HALF, _jit_prelude.COMPLEX], set()
    for seed in range(500, 600):
        writer = drawn.Writer(seed, drawn.DTYPES)
        text = drawn.to_python(writer.function(f"drawn_{seed}"))
        function = define(text, f"<compiled {mode} {seed}>")
        try:
            made = _jit.compile_scalar(function, writer.dtypes, mode, plain=True)
        except (TypeError, ValueError, OverflowError) as error:
            assert error.code.startswith("PX"), error
            continue
        texts.append(f"namespace f{seed} {{ {made[0]} }}")
        names.add(made[1])
    assert len(names) > 20
    emulation.compile_for_gpu("\n".join(texts))


COMPLEX = ["x0 + x1 * 2", "x0 - 1j", "x0 * x1 / (x1 + 3)", "numpy.exp(x0)", "numpy.sqrt(x0)",
           "numpy.log(x0)", "numpy.sin(x0)", "numpy.cos(x0)", "numpy.tan(x0)", "numpy.sinh(x0)",
           "numpy.cosh(x0)", "numpy.tanh(x0)", "abs(x0)", "x0.conj()", "x0.real * x1.imag",
           "x0 == x1", "x0 != x1", "x0 ** 2", "x0 ** x1", "numpy.angle(x0)", "-x0"]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_functions_have_numpys_values(dtype):
    kept = []
    for number, text in enumerate(COMPLEX):
        function = define(f"def drawn(x0, x1):\n    return {text}\n", f"<complex {number}>")
        made = _jit.compile_scalar(function, (dtype, dtype), plain=True)
        kept.append((made[0], made[1], (dtype, dtype), made[2]))
        kept[-1] += (function,)
    calls = emulation.library_of([one[:4] for one in kept])
    generator = numpy.random.default_rng(7)
    x0, x1 = ((generator.normal(size=50) + 1j * generator.normal(size=50)).astype(dtype)
              for _ in range(2))
    for text, call, (*_, function) in zip(COMPLEX, calls, kept):
        wanted = numpy.array([function(*row) for row in zip(x0, x1)])
        out = call(x0, x1)
        assert out.dtype == wanted.dtype, text
        tolerance = 1e-4 if dtype == "complex64" else 1e-11
        numpy.testing.assert_allclose(out, wanted, rtol=tolerance, err_msg=text)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int32", "uint64"])
def test_functions_of_numpy_have_numpys_values(dtype):
    kept = []
    names = sorted({*drawn.UNARY, *drawn.ROUNDED, *drawn.BINARY, *drawn.ROUNDED_OF_TWO} - {
        "float_power"} | {"square", "signbit", "conjugate", "arctan2", "power"})
    generator = numpy.random.default_rng(7)
    x0, x1 = (numpy.abs(drawn.values(dtype, 60, generator)) for _ in range(2))
    x1 = numpy.where(x1 > 6, numpy.asarray(6, dtype), x1) if dtype[0] in "iu" else x1
    if dtype.startswith("int"):
        # The least integer has no absolute value.
        x0, x1 = numpy.maximum(x0, 0), numpy.maximum(x1, 0)
    if dtype[0] in "iu":
        # NumPy's reciprocal of zero depends on the processor.
        names.remove("reciprocal")
    for name in names:
        one = getattr(numpy, name).nin == 1
        text = f"def drawn(x0, x1):\n    return numpy.{name}(x0{'' if one else ', x1'})\n"
        function = define(text, f"<{name}>")
        try:
            with numpy.errstate(all="ignore"):
                wanted = getattr(numpy, name)(*(x0, x1)[: 1 if one else 2])
        except TypeError:
            with pytest.raises(TypeError):
                _jit.compile_scalar(function, (dtype, dtype))
            continue
        made = _jit.compile_scalar(function, (dtype, dtype), plain=True)
        assert made[2] == wanted.dtype, name
        kept.append((made[0], made[1], (dtype, dtype), made[2], name, wanted))
    calls = emulation.library_of([one[:4] for one in kept])
    for call, (*_, name, wanted) in zip(calls, kept):
        found = call(x0, x1)
        tolerance = {"float16": 2e-3, "float32": 1e-5}.get(wanted.dtype.name, 1e-13)
        with numpy.errstate(all="ignore"):
            numpy.testing.assert_allclose(found, wanted, rtol=tolerance, err_msg=name)
