"""Texts of ``ElementwiseKernel`` and ``ReductionKernel`` as programs in CUDA C++.

Texts that are plain arithmetic are recorded as operations. Others, with pointers, shared memory or
loops whose number of turns depends on elements, are compiled for GPUs, as CuPy compiles all. Such a
kernel runs as a ``RawKernel`` does: on one device, with whole arrays.
"""

import re as _re
import threading as _threading

from ._jit import prelude as _prelude
from ._jit import types as _types
from . import _phalanx
from ._phalanx import _refusal
from ._raw import RawKernel as _RawKernel

# Threads of a thread block of a reduction, and the most thread blocks.
_REDUCING_THREADS = 512
_MOST_BLOCKS = 2**31 - 1

# What texts use that depend on the number of threads.
_THREADS = _re.compile(
    r"\b(threadIdx|blockIdx|blockDim|gridDim|warpSize|cooperative_groups"
    r"|__shared__|__sync\w*|__shfl\w*)\b"
)

_PARAMETER = _re.compile(r"^(raw\s+)?(?:const\s+)?([A-Za-z_]\w*)\s+([A-Za-z_]\w*)$")


class Parameter:
    """A parameter: its name, its dtype or the letter that stands for one, and whether it is raw."""

    def __init__(self, text, kernel):
        matched = _PARAMETER.match(" ".join(text.split()))
        dtype = matched and _types.known_dtype(matched[2]) if matched and len(matched[2]) > 1 else None
        if matched is None or (dtype is None and len(matched[2]) > 1):
            raise _refusal(
                ValueError, "value",
                f"kernel '{kernel}': the parameter {text.strip()!r} is no type with a name, such as "
                "'T x', 'float32 x' or 'raw T x'",
            )
        self.raw, self.ctype, self.name = bool(matched[1]), matched[2], matched[3]
        self.dtype = dtype

    def described(self):
        """The parameter as the native kernels describe theirs."""
        return (self.name, self.dtype, self.ctype, self.raw)


def parameters(text, kernel):
    """The parameters of a text such as ``"T x, raw float32 y"``."""
    return [Parameter(part, kernel) for part in text.split(",") if part.strip()]


def _dtype_of(argument):
    """The dtype of an argument, and whether the argument may take another."""
    if isinstance(argument, _phalanx.ndarray):
        return _types.known_dtype(argument.dtype.name), False
    if type(argument).__module__ == "numpy":
        return _types.known_dtype(argument.dtype), False
    for kind, name in ((bool, "bool"), (int, "int64"), (float, "float64"), (complex, "complex128")):
        if isinstance(argument, kind):
            return _types.known_dtype(name), True
    return None, True


def _letters(kernel, given):
    """The dtype for which each letter stands; ``given`` are pairs of parameter and argument."""
    letters = {}
    for may_differ in (False, True):
        for parameter, argument in given:
            dtype, is_number = _dtype_of(argument)
            if dtype is None:
                raise _refusal(
                    TypeError, "type",
                    f"kernel '{kernel}': {parameter.name} is an array or a number, not a "
                    f"{type(argument).__name__}",
                )
            if is_number != may_differ:
                continue
            wanted = parameter.dtype or letters.get(parameter.ctype)
            if wanted is None:
                letters[parameter.ctype] = dtype
            elif wanted != dtype and not is_number:
                raise _refusal(
                    TypeError, "dtype",
                    f"kernel '{kernel}': {parameter.name} has dtype {dtype.name}, and "
                    f"{parameter.ctype} is {wanted.name}",
                )
    return letters


def _settled(kernel, parameter, letters):
    """The dtype of a parameter, once the letters stand for dtypes."""
    dtype = parameter.dtype or letters.get(parameter.ctype)
    if dtype is None:
        raise _refusal(
            TypeError, "dtype",
            f"kernel '{kernel}': no argument decides the dtype {parameter.ctype} of "
            f"{parameter.name}",
        )
    return dtype


def _number(value, dtype):
    """A number of a dtype, cast as arrays are."""
    import numpy

    return numpy.asarray(value).astype(dtype)[()]


def _arrays(given):
    """The arguments, with arrays of NumPy and sequences as arrays of ours."""
    import numpy

    def converted(value):
        is_array = isinstance(value, (list, tuple, numpy.ndarray))
        return _phalanx.asarray(value) if is_array else value

    return [converted(value) for value in given]


def _apart(inputs, outputs):
    """The inputs; those that share elements with an output, but are not the output, are copied."""
    def own(value):
        if not isinstance(value, _phalanx.ndarray):
            return value
        shares = any(value is not out and _phalanx.may_share_memory(value, out) for out in outputs)
        return value.copy() if shares else value

    return [own(value) for value in inputs]


class _Bound:
    """A parameter with its argument in a call: an array, or a number by value."""

    def __init__(self, parameter, value, dtype, is_read):
        self.parameter, self.value, self.dtype, self.is_read = parameter, value, dtype, is_read
        self.is_array = isinstance(value, _phalanx.ndarray)
        if not self.is_array:
            self.value = _number(value, dtype)

    def flattened(self):
        """The array as one row, if all its elements are neighbours."""
        self.value = self.value.reshape(-1)

    @property
    def ndim(self):
        return self.value.ndim if self.is_array else 0

    def form(self):
        """What the text depends on."""
        name = self.parameter.name
        contiguous = self.is_array and self.value.flags.c_contiguous
        return (name, self.parameter.raw, self.dtype.name, self.is_array, self.ndim, contiguous,
                self.is_read)

    def arguments(self):
        """The arguments of the launch."""
        if not self.is_array:
            return [self.value]
        numbers = (*self.value.shape, *self.value.strides)
        return [self.value, *map(int, numbers)]


def _declaration(form):
    """The parameters in C of a bound parameter."""
    name, _, dtype, is_array, ndim, _, is_read = form
    spelled = _types.SPELLINGS[dtype]
    if not is_array:
        return [f"const {spelled} {name}"]
    const = "const " if is_read else ""
    sizes = [f"long long {name}_{what}{axis}" for what in "nt" for axis in range(ndim)]
    return [f"{const}{spelled}* {name}_p", *sizes]


def _view(form):
    """The statement that makes the view of an array's parameters."""
    name, is_raw, dtype, is_array, ndim, contiguous, is_read = form
    if not is_array:
        return ""
    spelled = ("const " if is_read else "") + _types.SPELLINGS[dtype]
    own = name if is_raw else f"{name}_a"
    kind = f"phalanx::Elements<{spelled}, {ndim}, {str(contiguous).lower()}>"
    fill = "".join(
        f" {own}.shape_[{axis}] = {name}_n{axis}; {own}.strides_[{axis}] = {name}_t{axis};"
        for axis in range(ndim)
    )
    return f"    {kind} {own}; {own}.data = {name}_p;{fill}\n"


_ELEMENTS = """\
namespace phalanx {
// The index of an element, as texts read it.
template <int N>
struct Indices {
    long long count;
    long long shape_[N > 0 ? N : 1];
    long long index[N > 0 ? N : 1];
    static const int ndim = N;

    __device__ long long size() const { return count; }
    __device__ const long long* shape() const { return shape_; }
    __device__ const long long* get() const { return index; }
    __device__ void set(long long i) {
        for (int axis = N - 1; axis >= 0; --axis) {
            index[axis] = i % shape_[axis];
            i /= shape_[axis];
        }
    }
};

// The elements of an array, by their number in C order or by their indices. The strides are in
// bytes.
template <typename T, int N, bool contiguous>
struct Elements {
    T* data;
    long long shape_[N > 0 ? N : 1];
    long long strides_[N > 0 ? N : 1];
    static const int ndim = N;

    __device__ long long size() const {
        long long count = 1;
        for (int axis = 0; axis < N; ++axis) count *= shape_[axis];
        return count;
    }
    __device__ const long long* shape() const { return shape_; }
    __device__ const long long* strides() const { return strides_; }
    __device__ T& at(long long i) const {
        if (contiguous) return data[i];
        long long offset = 0;
        for (int axis = N - 1; axis >= 0; --axis) {
            offset += i % shape_[axis] * strides_[axis];
            i /= shape_[axis];
        }
        return *(T*)((char*)data + offset);
    }
    // For each type, so that a literal 0 is a number and no pointer.
    __device__ T& operator[](int i) const { return at(i); }
    __device__ T& operator[](unsigned i) const { return at(i); }
    __device__ T& operator[](long i) const { return at(i); }
    __device__ T& operator[](unsigned long i) const { return at(i); }
    __device__ T& operator[](long long i) const { return at(i); }
    __device__ T& operator[](unsigned long long i) const { return at(i); }
    __device__ T& operator[](const long long* index) const {
        long long offset = 0;
        for (int axis = 0; axis < N; ++axis) offset += index[axis] * strides_[axis];
        return *(T*)((char*)data + offset);
    }
};
}
"""


def _head(letters, forms, preamble):
    """What comes before the kernel: the types, and the functions of the preamble."""
    names = {form[2] for form in forms} | {dtype.name for dtype in letters.values()}
    text = ""
    if "float16" in names:
        text += _prelude.HALF
    if any(name.startswith("complex") for name in names):
        text += _prelude.COMPLEX
    text += _ELEMENTS
    for letter, dtype in sorted(letters.items()):
        text += f"typedef {_types.SPELLINGS[dtype.name]} {letter};\n"
    return f"{text}{preamble}\n"


def _indices(name, ndim, count, shape):
    fill = "".join(f" {name}.shape_[{axis}] = {shape}{axis};" for axis in range(ndim))
    return f"    phalanx::Indices<{ndim}> {name}; {name}.count = {count};{fill} (void){name};\n"


class _Tuning(_threading.local):
    """Chooses the numbers of thread blocks and threads inside of ``x.optimizing.optimize``."""

    choose = None


tuning = _Tuning()


class _Program:
    """The programs of a kernel, by the forms of its arguments."""

    # The numbers of threads of a thread block with which every text without threads runs.
    possible_threads = (32, 64, 128, 256, 512, 1024)

    def __init__(self, name, options, texts):
        self.name, self.options = name, tuple(options)
        self.uses_threads = _THREADS.search("\n".join(texts)) is not None
        # The prefix keeps it apart from the names of C++.
        self.symbol = f"kernel_{name}" if name.isidentifier() and name.isascii() else "kernel"
        self.texts, self._kernels = {}, {}

    def launch(self, key, text, sizes, threads, arguments, outputs):
        """Launches the kernel of a form; ``text`` makes its text, ``sizes`` are those of its
        work."""
        kernel = self._kernels.get(key)
        if kernel is None:
            self.texts[key] = text()
            kernel = self._kernels[key] = _RawKernel(self.texts[key], self.symbol, self.options)
        grid = self.grid(sizes, threads, 1)
        if tuning.choose is not None and not self.uses_threads:
            grid, threads = tuning.choose(
                self, self.texts[key], kernel, sizes, threads, arguments, outputs
            )
        kernel((min(max(grid, 1), _MOST_BLOCKS),), (threads,), arguments)


def _written(bound):
    """The arrays that a kernel writes."""
    return [one.value for one in bound if one.is_array and not one.is_read]


def _check_shape(kernel, parameter, found, wanted):
    if wanted is not None and tuple(found) != tuple(wanted):
        raise _refusal(
            ValueError, "value",
            f"kernel '{kernel}': the output {parameter.name} has shape {tuple(found)}, and the "
            f"results have {tuple(wanted)}",
        )


class Elementwise(_Program):
    """An elementwise kernel as a program."""

    def __init__(self, name, texts, operation, preamble, loop_prep, after_loop, options):
        super().__init__(name, options, (operation, preamble, loop_prep, after_loop))
        self.inputs = parameters(texts[0], name)
        self.outputs = parameters(texts[1], name)
        self.operation, self.preamble = operation, preamble
        self.loop_prep, self.after_loop = loop_prep, after_loop

    def call(self, arguments, size, threads):
        """The outputs for the arguments: the inputs, and the outputs if they are given."""
        nin = len(self.inputs)
        arguments = _arrays(arguments[:nin]) + list(arguments[nin:])
        arguments[:nin] = _apart(arguments[:nin], arguments[nin:])
        given = list(zip(self.inputs + self.outputs, arguments))
        counts = (len(self.inputs), len(self.inputs) + len(self.outputs))
        if len(arguments) not in counts:
            raise _refusal(
                TypeError, "count",
                f"kernel '{self.name}': it takes {counts[0]} inputs, or {counts[1]} inputs and "
                f"outputs, not {len(arguments)} arguments",
            )
        letters = _letters(self.name, given)
        shape = self._shape(given, size)
        for parameter, value in given[nin:]:
            _check_shape(self.name, parameter, value.shape, None if parameter.raw else shape)
        bound = [
            _Bound(parameter, self._spread(parameter, value, shape),
                   _settled(self.name, parameter, letters), position < len(self.inputs))
            for position, (parameter, value) in enumerate(given)
        ]
        for parameter in self.outputs[len(given) - len(self.inputs) :]:
            if parameter.raw:
                raise _refusal(
                    TypeError, "count",
                    f"kernel '{self.name}': the raw output {parameter.name} is not given",
                )
            dtype = _settled(self.name, parameter, letters)
            made = _phalanx.empty(shape, dtype=dtype.name)
            bound.append(_Bound(parameter, made, dtype, False))
        outputs = tuple(one.value for one in bound[len(self.inputs) :])
        count = 1
        for extent in shape:
            count *= extent
        if count > 0:
            self._launch(letters, bound, shape, count, threads)
        return outputs

    def _shape(self, given, size):
        """The shape of the elements."""
        if size is not None:
            return (int(size),)
        split = [value for parameter, value in given
                 if not parameter.raw and isinstance(value, _phalanx.ndarray)]
        if not split and not any(not parameter.raw for parameter, _ in given):
            raise _refusal(
                ValueError, "value",
                f"kernel '{self.name}': with raw parameters alone, size= is the number of elements",
            )
        return tuple(_phalanx.broadcast_shapes(*(value.shape for value in split)))

    def _spread(self, parameter, value, shape):
        """An argument with the shape of the elements."""
        if parameter.raw or not isinstance(value, _phalanx.ndarray) or value.shape == shape:
            return value
        return _phalanx.broadcast_to(value, shape)

    def _launch(self, letters, bound, shape, count, threads):
        own = [one for one in bound if one.is_array and not one.parameter.raw]
        uses_index = "_ind" in self.operation + self.loop_prep + self.after_loop
        if not uses_index and all(one.value.flags.c_contiguous for one in own):
            # One row: no index is divided.
            shape = (count,)
            for one in own:
                one.flattened()
        forms = tuple(one.form() for one in bound)
        key = (forms, tuple(sorted((name, dtype.name) for name, dtype in letters.items())),
               len(shape))
        arguments = [argument for one in bound for argument in one.arguments()]
        self.launch(
            key, lambda: self._text(letters, forms, len(shape)), (count,), max(int(threads), 1),
            (*arguments, count, *shape), _written(bound),
        )

    @staticmethod
    def grid(sizes, threads, turns):
        """The number of thread blocks, whose threads compute a number of elements each."""
        return -(-sizes[0] // (threads * turns))

    def _text(self, letters, forms, ndim):
        sizes = ["long long n_", *(f"long long shape_{axis}" for axis in range(ndim))]
        declared = [part for form in forms for part in _declaration(form)] + sizes
        elements = ""
        for name, is_raw, dtype, is_array, _, _, is_read in forms:
            if is_array and not is_raw:
                spelled = _types.SPELLINGS[dtype]
                kind = f"const {spelled}" if is_read else f"{spelled}&"
                elements += f"        {kind} {name} = {name}_a[i];\n"
        return (
            _head(letters, forms, self.preamble)
            + f'extern "C" __global__ void {self.symbol}(\n    '
            + ",\n    ".join(declared)
            + "\n) {\n"
            + "".join(map(_view, forms))
            + _indices("_ind", ndim, "n_", "shape_")
            + "    const long long n = n_; (void)n;\n"
            + f"    {self.loop_prep};\n"
            + "    const long long step_ = (long long)gridDim.x * blockDim.x;\n"
            + "    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n_;"
            + " i += step_) {\n"
            + ("        _ind.set(i);\n" if "_ind" in self.operation else "")
            + elements
            + f"        {self.operation};\n"
            + "    }\n"
            + f"    {self.after_loop};\n"
            + "}\n"
        )


def _axes(axes, ndim):
    """The axes as numbers from 0."""
    from .exceptions import AxisError

    for axis in axes:
        if not -ndim <= axis < ndim:
            raise _refusal(
                AxisError, "value", f"axis {axis} is out of bounds for array of dimension {ndim}"
            )
    numbers = [axis % ndim for axis in axes]
    if len(set(numbers)) < len(numbers):
        raise _refusal(ValueError, "value", "duplicate value in 'axis'")
    return numbers


class Reduction(_Program):
    """A reduction as a program: a thread block for each result."""

    # The text halves the threads, and has memory for the greatest number.
    possible_threads = (32, 64, 128, 256, _REDUCING_THREADS)

    def __init__(self, name, texts, expressions, identity, reduce_type, preamble, options):
        super().__init__(name, options, (*expressions, preamble))
        self.inputs = parameters(texts[0], name)
        self.outputs = parameters(texts[1], name)
        self.map_expr, self.reduce_expr, self.post_map_expr = expressions
        self.identity, self.reduce_type, self.preamble = identity, reduce_type, preamble

    def call(self, arguments, axes, keepdims, out):
        """The outputs for the inputs."""
        if len(arguments) != len(self.inputs):
            raise _refusal(
                TypeError, "count",
                f"kernel '{self.name}': it takes {len(self.inputs)} inputs, not {len(arguments)}",
            )
        arguments = _apart(_arrays(arguments), out)
        given = list(zip(self.inputs, arguments))
        letters = _letters(self.name, given + list(zip(self.outputs, out)))
        split = [value for parameter, value in given
                 if not parameter.raw and isinstance(value, _phalanx.ndarray)]
        shape = tuple(_phalanx.broadcast_shapes(*(value.shape for value in split)))
        ndim = len(shape)
        axes = range(ndim) if axes is None else _axes(axes, ndim)
        kept = [axis for axis in range(ndim) if axis not in axes]
        order = [*kept, *(axis for axis in range(ndim) if axis in axes)]
        rows = tuple(shape[axis] for axis in kept)
        result = tuple(1 if axis in axes else shape[axis] for axis in range(ndim))
        result = result if keepdims else rows
        count, length = 1, 1
        for axis in range(ndim):
            if axis in axes:
                length *= shape[axis]
            else:
                count *= shape[axis]
        if length == 0 and self.identity is None:
            raise _refusal(
                ValueError, "value",
                f"kernel '{self.name}': no elements, and the kernel has no identity",
            )
        bound = []
        for parameter, value in given:
            if not parameter.raw and isinstance(value, _phalanx.ndarray):
                value = _phalanx.broadcast_to(value, shape).transpose(order)
            dtype = _settled(self.name, parameter, letters)
            bound.append(_Bound(parameter, value, dtype, True))
        results = []
        for position, parameter in enumerate(self.outputs):
            dtype = _settled(self.name, parameter, letters)
            made = out[position] if position < len(out) else _phalanx.empty(result, dtype.name)
            _check_shape(self.name, parameter, made.shape, result)
            results.append(made)
            bound.append(_Bound(parameter, made.reshape(count), dtype, False))
            if not _phalanx.shares_memory(made, bound[-1].value) and count > 0:
                raise _refusal(
                    ValueError, "value", f"kernel '{self.name}': out must be contiguous"
                )
        if count > 0:
            self._launch(letters, bound, (count, length), shape, order)
        return tuple(results)

    def _launch(self, letters, bound, sizes, shape, order):
        forms = tuple(one.form() for one in bound)
        key = (forms, tuple(sorted((name, dtype.name) for name, dtype in letters.items())),
               tuple(order))
        # The distance of neighbours along each axis in C order.
        steps = [1] * len(shape)
        for axis in reversed(range(len(shape) - 1)):
            steps[axis] = steps[axis + 1] * shape[axis + 1]
        arguments = [argument for one in bound for argument in one.arguments()]
        self.launch(
            key, lambda: self._text(letters, forms, order), sizes, _REDUCING_THREADS,
            (*arguments, *sizes, *shape, *steps), _written(bound),
        )

    @staticmethod
    def grid(sizes, threads, turns):
        """The number of thread blocks, which compute a number of results each."""
        return -(-sizes[0] // turns)

    def _text(self, letters, forms, order):
        inputs, outputs = forms[: len(self.inputs)], forms[len(self.inputs) :]
        kind = self.reduce_type or _types.SPELLINGS[outputs[0][2]]
        # Names with a number are NumPy's, others those of C++.
        known = _types.known_dtype(kind) if kind[-1:].isdigit() else None
        kind = kind if known is None else _types.spelling(known)
        declared = [part for form in forms for part in _declaration(form)]
        declared += ["long long results_", "long long length_"]
        declared += [f"long long {what}_{axis}" for what in ("shape", "step") for axis in range(len(order))]
        number = "            long long i = 0, rest_ = row_ * length_ + at_;\n" + "".join(
            f"            i += rest_ % shape_{axis} * step_{axis}; rest_ /= shape_{axis};\n"
            for axis in reversed(order)
        )
        read = "".join(
            f"            const {_types.SPELLINGS[dtype]} {name} = {name}_a[row_ * length_ + at_];\n"
            for name, is_raw, dtype, is_array, _, _, _ in inputs if is_array and not is_raw
        )
        written = "".join(
            f"            {_types.SPELLINGS[dtype]}& {name} = {name}_a[row_];\n"
            for name, is_raw, dtype, _, _, _, _ in outputs if not is_raw
        )
        start = f"({kind})({self.identity})" if self.identity is not None else f"{kind}()"
        return (
            _head(letters, forms, self.preamble)
            + f"typedef {kind} type_;\n"
            + "__device__ inline type_ combined_(type_ a, type_ b) {\n"
            + f"    return type_({self.reduce_expr});\n}}\n"
            + f'extern "C" __global__ void {self.symbol}(\n    '
            + ",\n    ".join(declared)
            + "\n) {\n"
            + "".join(map(_view, forms))
            + _indices("_in_ind", len(order), "results_ * length_", "shape_")
            + _indices("_out_ind", 0, "results_", "")
            + f"    __shared__ __align__(16) char memory_[{_REDUCING_THREADS} * sizeof(type_)];\n"
            + f"    __shared__ bool has_[{_REDUCING_THREADS}];\n"
            + "    type_* all_ = (type_*)memory_;\n"
            + "    for (long long row_ = blockIdx.x; row_ < results_; row_ += gridDim.x) {\n"
            + f"        type_ sum_ = {start};\n"
            + f"        bool any_ = {'true' if self.identity is not None else 'false'};\n"
            + "        for (long long at_ = threadIdx.x; at_ < length_; at_ += blockDim.x) {\n"
            + number
            + "            (void)rest_; (void)i;\n"
            + ("            _in_ind.set(i);\n" if "_in_ind" in self.map_expr else "")
            + read
            + f"            type_ value_ = type_({self.map_expr});\n"
            + "            sum_ = any_ ? combined_(sum_, value_) : value_;\n"
            + "            any_ = true;\n"
            + "        }\n"
            + "        all_[threadIdx.x] = sum_; has_[threadIdx.x] = any_;\n"
            + "        __syncthreads();\n"
            + "        for (unsigned half_ = blockDim.x / 2; half_ > 0; half_ /= 2) {\n"
            + "            unsigned other_ = threadIdx.x + half_;\n"
            + "            if (threadIdx.x < half_ && has_[other_]) {\n"
            + "                all_[threadIdx.x] = has_[threadIdx.x]\n"
            + "                    ? combined_(all_[threadIdx.x], all_[other_]) : all_[other_];\n"
            + "                has_[threadIdx.x] = true;\n"
            + "            }\n"
            + "            __syncthreads();\n"
            + "        }\n"
            + "        if (threadIdx.x == 0) {\n"
            + "            const type_ a = all_[0]; (void)a;\n"
            + written
            + f"            {self.post_map_expr};\n"
            + "        }\n"
            + "        __syncthreads();\n"
            + "    }\n"
            + "}\n"
        )
