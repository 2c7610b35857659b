"""The translation of CUDA's own functions in kernels from Python: see ``translate``."""

import numpy as _numpy

from . import algorithms as _algorithms
from .types import (
    BOOL, FLOAT16, INT32, INT64, UINT32, UINT64, Array, Data, Iterator, Known, Opaque, Pointer,
    Record, Scalar, Several, convert, fits, is_number, literal_dtype, spelling,
)

# The dtypes for which CUDA has the instruction. Signed integers of 64 bits use the instruction for
# unsigned ones where both have the same effect on the bits.
_WORDS = ("int32", "uint32", "int64", "uint64")
_ATOMICS = {
    "add": (*_WORDS, "float16", "float32", "float64"),
    "sub": (*_WORDS, "float16", "float32", "float64"),
    "exch": (*_WORDS, "float16", "float32", "float64"),
    "min": (*_WORDS, "float16", "float32", "float64"),
    "max": (*_WORDS, "float16", "float32", "float64"),
    "inc": ("uint32",),
    "dec": ("uint32",),
    "cas": (*_WORDS, "uint16"),
    "and": _WORDS,
    "or": _WORDS,
    "xor": _WORDS,
}
_UPDATES = {"add": "Add", "sub": "Add", "min": "Least", "max": "Greatest", "exch": "Store"}
_NAMES = {"add": "Add", "sub": "Sub", "exch": "Exch", "min": "Min", "max": "Max", "inc": "Inc",
          "dec": "Dec", "cas": "CAS", "and": "And", "or": "Or", "xor": "Xor"}
_SHUFFLES = {"sync": "__shfl_sync", "up_sync": "__shfl_up_sync", "down_sync": "__shfl_down_sync",
             "xor_sync": "__shfl_xor_sync"}

# The methods of groups of threads: the member of the structure, and its result.
_RANK, _BIG = Scalar(UINT32), Scalar(UINT64)
_TRIPLE = Opaque("phalanx::Triple", "triple")
_METHODS = {
    "thread block": {
        "thread_rank": ("thread_rank", _RANK), "size": ("num_threads", _RANK),
        "num_threads": ("num_threads", _RANK), "group_index": ("group_index", _TRIPLE),
        "thread_index": ("thread_index", _TRIPLE), "dim_threads": ("dim_threads", _TRIPLE),
        "group_dim": ("dim_threads", _TRIPLE),
    },
    "grid": {
        "thread_rank": ("thread_rank", _BIG), "block_rank": ("block_rank", _BIG),
        "size": ("num_threads", _BIG), "num_threads": ("num_threads", _BIG),
        "num_blocks": ("num_blocks", _BIG), "dim_blocks": ("dim_blocks", _TRIPLE),
        "group_dim": ("dim_blocks", _TRIPLE), "block_index": ("block_index", _TRIPLE),
    },
}


class DeviceCalls:
    """The calls of functions of ``phalanx.x.jit``: a method ``jit_<name>`` each."""

    def constant(self, node, value, what):
        """A value that must be known."""
        if not isinstance(value, Known):
            self.fail(node, f"{what} must be known when the kernel is translated",
                      hint="write a number, or use a variable of the enclosing function")
        return value.value

    def _effect(self, code, type=None):
        return Data(code, type or Opaque("void", "nothing"), pure=False)

    # Threads

    def jit_grid(self, node, ndim):
        return self._over_axes(node, ndim, "grid", lambda axis: (
            f"((long long)blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis})"
        ))

    def jit_gridsize(self, node, ndim):
        return self._over_axes(node, ndim, "gridsize", lambda axis: (
            f"((long long)gridDim.{axis} * blockDim.{axis})"
        ))

    def _over_axes(self, node, ndim, name, spell):
        ndim = self.constant(node, ndim, "ndim")
        if not isinstance(ndim, int):
            self.fail(node, f"{name}() takes 1, 2 or 3, not {ndim!r}")
        if ndim not in (1, 2, 3):
            self.fail(node, f"{name}() takes 1, 2 or 3, not {ndim!r}", ValueError, "value")
        items = [Data(spell(axis), Scalar(INT64)) for axis in "xyz"[:ndim]]
        return items[0] if ndim == 1 else Several(items)

    def jit_laneid(self, node):
        thread = "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))"
        return Data(f"({thread} % 32u)", Scalar(UINT32))

    def jit_syncthreads(self, node):
        return self._effect("__syncthreads()")

    def jit_syncwarp(self, node, mask):
        return self._effect(f"__syncwarp({self.cast(node, mask, UINT32).code})")

    def jit_range(self, node, args=(), unroll=None):
        return self.python_range(node)

    def jit_shfl(self, node, name, mask, var, val_id, width):
        value = self.number(node, var)
        if isinstance(value, Known):
            value = self.cast(node, value, literal_dtype(self.mode, value.value))
        dtype = value.dtype
        if dtype.kind == "c":
            self.fail(node, "complex numbers cannot be shuffled", hint="shuffle both parts")
        wide = dtype
        if dtype == FLOAT16:
            wide = _numpy.dtype("float32")
        elif dtype.itemsize < 4:
            wide = INT32
        codes = [
            self.cast(node, mask, UINT32).code, self.converted(value, wide),
            self.cast(node, val_id, INT32).code, self.cast(node, width, INT32).code,
        ]
        code = f"{_SHUFFLES[name]}({', '.join(codes)})"
        return Data(convert(code, wide, dtype), Scalar(dtype), pure=False)

    def jit_shared_memory(self, node, dtype, size, alignment):
        dtype = self.constant(node, dtype, "the dtype of shared memory")
        size = self.constant(node, size, "the size of shared memory")
        alignment = self.constant(node, alignment, "alignment=")
        element = getattr(dtype, "_jit_element", None)
        if element is None:
            element = Scalar(self.dtype_of(node, Known(dtype)))
        if alignment is not None and (
            not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1)
        ):
            self.fail(node, f"alignment= is a power of two, not {alignment!r}", ValueError, "value")
        if size is None:
            return self._dynamic_memory(element, alignment)
        if isinstance(size, bool) or not isinstance(size, (int, _numpy.integer)) or size < 1:
            self.fail(node, f"the size is a number of elements or None, not {size!r}",
                      ValueError, "value")
        return self._static_memory(element, int(size), alignment)

    def _static_memory(self, element, size, alignment):
        name = self._free_name("shared")
        aligned = f"__align__({alignment}) " if alignment else ""
        self.declarations.append(f"    __shared__ {aligned}{element.c} {name}[{size}];")
        return Data(name, Pointer(element, size))

    def _free_name(self, name):
        self.declare(name, Scalar(INT32))
        return self.declarations.pop().split()[-1].rstrip(";")

    def _dynamic_memory(self, element, alignment):
        program = self.program
        program.shared_alignment = max(program.shared_alignment, alignment or 1)
        program.texts["dynamic shared memory"] = (
            f"extern __shared__ __align__({program.shared_alignment}) "
            "unsigned char dynamic_shared_memory[];"
        )
        return Data(f"(({element.c}*)dynamic_shared_memory)", Pointer(element))

    # Atomic operations

    def jit_atomic(self, node, name, array, index, value, alt_value=None):
        place, dtype = self._place(node, array, index)
        if dtype.name not in _ATOMICS[name]:
            self.fail(node, f"atomic_{name} is not there for {dtype}", mistake="dtype",
                      hint=f"it is there for {', '.join(_ATOMICS[name])}")
        values = [self.stored(node, value, Scalar(dtype))]
        if name == "cas":
            values.append(self.stored(node, alt_value, Scalar(dtype)))
        code = self._atomic(name, place, dtype, values)
        return Data(code, Scalar(dtype), pure=False)

    def _place(self, node, array, index):
        """The address of an element, and its dtype."""
        if isinstance(array, Data) and isinstance(array.type, Pointer):
            element = array.type.element
            if isinstance(element, Scalar):
                at = self.index(node, index, array.type.size)
                return f"({array.code} + {at})", element.dtype
        if not isinstance(array, Data) or not isinstance(array.type, Array):
            self.fail(node, f"atomic operations need an array, not {self.describe(array)}")
        items = self.members(node, index)
        indices = [index] if items is None else items.items
        if len(indices) != array.type.ndim:
            self.fail(node, f"the array has {array.type.ndim} axes, not {len(indices)}",
                      IndexError, "key")
        code, _ = self._element_of_array(node, array, indices)
        return f"&{code}", array.type.dtype

    def _atomic(self, name, place, dtype, values):
        kind, size = dtype.kind, dtype.itemsize
        if kind == "f" and (name in ("min", "max", "exch") or dtype == FLOAT16):
            if name == "exch" and dtype == _numpy.dtype("float32"):
                return f"atomicExch({place}, {values[0]})"
            return self._atomic_update(name, place, dtype, values[0])
        if name == "sub" and not (size == 4 and kind in "iu"):
            name, values = "add", [f"(-{values[0]})" if kind == "f" else f"(0 - {values[0]})"]
        function = f"atomic{_NAMES[name]}"
        if dtype == INT64 and name not in ("min", "max"):
            values = [f"(unsigned long long){one}" for one in values]
            return f"(long long){function}((unsigned long long*){place}, {', '.join(values)})"
        return f"{function}({place}, {', '.join(values)})"

    def _atomic_update(self, name, place, dtype, value):
        if name == "sub":
            value = f"half(-(float){value})"
        update = f"phalanx::{_UPDATES[name]}<{spelling(dtype)}>"
        return f"phalanx::atomic_update({place}, {update}{{{value}}})"

    # Groups of threads

    def jit_cg_this_thread_block(self, node):
        return Data("phalanx::ThreadBlock{}", Opaque("phalanx::ThreadBlock", "thread block"))

    def jit_cg_this_grid(self, node):
        return Data("phalanx::Grid{}", Opaque("phalanx::Grid", "grid"))

    def jit_cg_sync(self, node, group):
        kind = self._group(node, group)
        if kind == "thread block":
            return self._effect("__syncthreads()")
        self.program.headers.add("cooperative_groups")
        self.program.cooperative = True
        return self._effect("cooperative_groups::this_grid().sync()")

    def _group(self, node, group, only=None):
        kind = group.type.kind if isinstance(group, Data) and isinstance(
            group.type, Opaque) else None
        if kind not in _METHODS or only is not None and kind != only:
            self.fail(node, f"a {only or 'group of threads'} is needed, not {self.describe(group)}",
                      hint="make one with jit.cg.this_thread_block()")
        return kind

    def jit_cg_memcpy_async(self, node, group, dst, dst_idx, src, src_idx, size, aligned_size):
        self._group(node, group, "thread block")
        target = self._address(node, dst, dst_idx)
        source = self._address(node, src, src_idx)
        count = self.cast(node, size, UINT64).code
        # The copy looks at the addresses itself, so that this only states what it will find.
        aligned = self.constant(node, aligned_size, "aligned_size=")
        if aligned not in (None, 1, 2, 4, 8, 16):
            self.fail(node, f"aligned_size= is 1, 2, 4, 8 or 16, not {aligned!r}", ValueError,
                      "value")
        return self._effect(f"phalanx::memcpy_async({target}, {source}, {count})")

    def _address(self, node, array, index):
        """The address of an element of memory in one row."""
        at = self.index(node, index)
        if isinstance(array, Data) and isinstance(array.type, Pointer):
            return f"({array.code} + {at})"
        if isinstance(array, Data) and isinstance(array.type, Array) and array.type.contiguous:
            return f"({array.code}.data + {at})"
        self.fail(node, f"a contiguous array is needed, not {self.describe(array)}")

    def jit_cg_wait(self, node, group):
        self._group(node, group, "thread block")
        return self._effect("phalanx::wait_for_copies<0>()")

    def jit_cg_wait_prior(self, node, group, step):
        self._group(node, group, "thread block")
        step = self.constant(node, step, "step")
        if not isinstance(step, int) or step < 0:
            self.fail(node, f"step is a number of copies, not {step!r}", ValueError, "value")
        return self._effect(f"phalanx::wait_for_copies<{step}>()")

    def method_of_object(self, node, owner, name, positional, named):
        kind = owner.type.kind
        if kind.startswith("reduction"):
            return self._reduce(node, owner, name, positional, named)
        if kind in _METHODS and not (positional or named):
            if name == "sync":
                return self.jit_cg_sync(node, owner)
            if name == "is_valid" and kind == "grid":
                self.program.headers.add("cooperative_groups")
                self.program.cooperative = True
                return Data("cooperative_groups::this_grid().is_valid()", Scalar(BOOL))
            if name in _METHODS[kind]:
                member, result = _METHODS[kind][name]
                return Data(f"{owner.code}.{member}()", result)
        self.fail(node, f"a {kind} has no method `{name}` with these arguments", AttributeError,
                  "absent", f"it has {', '.join(_METHODS.get(kind, ()))}")

    # Reductions of warps and thread blocks

    def jit_cub_reduction(self, node, kind, storage):
        """``WarpReduce[dtype](storage)``: an object that remembers its storage."""
        c = kind._jit_c
        good = isinstance(storage, Data) and storage.type == kind.TempStorage._jit_element
        if not good:
            self.fail(node, f"{kind!r} needs storage, not {self.describe(storage)}",
                      hint="storage = jit.shared_memory(kind.TempStorage, 1); kind(storage[0])")
        return Data(f"&{storage.code}", Opaque(f"{c}::TempStorage*", f"reduction {kind.dtype}"))

    def _reduce(self, node, owner, name, positional, named):
        values = [*positional, *named.values()]
        operation = "phalanx::Sum()"
        if name == "Reduce" and len(values) > 1:
            operation = self.functor(node, values.pop(1), self._reduced_dtype(owner))
        elif name != "Sum":
            self.fail(node, f"a reduction has no method `{name}` with these arguments",
                      AttributeError, "absent", "it has Sum(value) and Reduce(value, operation)")
        if not 1 <= len(values) <= 2:
            self.fail(node, f"{name}() takes a value, and a number of valid values",
                      mistake="count")
        dtype = self._reduced_dtype(owner)
        codes = [owner.code, self.stored(node, values[0], Scalar(dtype)), operation]
        codes += [self.cast(node, one, INT32).code for one in values[1:]]
        c = owner.type.c.removesuffix("::TempStorage*")
        return Data(f"{c}::reduce({', '.join(codes)})", Scalar(dtype), pure=False)

    def _reduced_dtype(self, owner):
        return _numpy.dtype(owner.type.kind.split()[1])

    def functor(self, node, value, dtype):
        """An operation of two values as an object of C++: ``cub.Sum()`` or a device function."""
        found = value.value if isinstance(value, Known) else None
        name = getattr(found, "_jit_functor", None)
        if name is not None:
            return f"phalanx::{name}()"
        function = getattr(found, "_jit_function", found)
        if not callable(function) or not hasattr(function, "__code__"):
            self.fail(node, f"an operation is needed, not {self.describe(value)}",
                      hint="use jit.cub.Sum(), jit.cub.Max(), jit.cub.Min() or a device function")
        arguments = [Data("", Scalar(dtype)), Data("", Scalar(dtype))]
        mode = getattr(found, "_jit_mode", None)
        name, result = self.program.call(self, node, function, arguments, mode)
        if not isinstance(result, Scalar):
            self.fail(node, f"{function.__name__}() must return a number")
        c = spelling(dtype)
        self.program.function(f"{name}_object", f"""\
struct {name}_object {{
    __device__ {result.c} operator()({c} a, {c} b) const {{ return {name}(a, b); }}
}};""")
        return f"{name}_object()"

    # Algorithms of one thread

    def jit_thrust_make_constant_iterator(self, node, value):
        return self._virtual(node, value, "Constant")

    def jit_thrust_make_counting_iterator(self, node, value):
        return self._virtual(node, value, "Counting")

    def _virtual(self, node, value, name):
        value = self.number(node, value)
        dtype = value.dtype if isinstance(value, Data) else literal_dtype(self.mode, value.value)
        c = f"phalanx::{name}<{spelling(dtype)}>"
        code = f"{c}{{{self.converted(value, dtype)}, 0}}"
        return Data(code, Iterator(c, dtype, writable=False))

    def algorithm(self, node, name, positional, named):
        if name.startswith("make_"):
            if len(positional) != 1 or named:
                self.fail(node, f"{name}() takes one number", mistake="count")
            return getattr(self, f"jit_thrust_{name}")(node, positional[0])
        if named or not positional:
            self.fail(node, f"{name}() takes a policy, and then iterators by position",
                      mistake="count")
        self._check_policy(node, name, positional[0])
        arguments = positional[1:]
        form, result = self._form(node, name, arguments)
        each = "_each" if (form, result) == _algorithms.EACH.get(name) else ""
        dtype = self._value_dtype(node, arguments[0])
        codes = [
            self._argument(node, name, letter, one, dtype)
            for letter, one in zip(form.lower(), arguments)
        ]
        code = f"phalanx::{name}{each}({', '.join(codes)})"
        return self._result(node, code, result, form, arguments, dtype)

    def _check_policy(self, node, name, policy):
        found = getattr(policy.value, "_jit_policy", None) if isinstance(policy, Known) else None
        if found is None:
            self.fail(node, f"the first argument of {name}() is a policy",
                      hint="use jit.thrust.seq or jit.thrust.device")
        if found == "host":
            self.fail(node, "thrust.host does not run in kernels", ValueError, "value",
                      "use jit.thrust.seq or jit.thrust.device")

    def _form(self, node, name, arguments):
        """The form of the arguments, and the result."""
        forms = [_algorithms.ALGORITHMS[name]]
        if name in _algorithms.EACH:
            # A place in third position starts a range of values.
            is_each = len(arguments) > 3 and self._is_place(arguments[2])
            forms = [_algorithms.EACH[name]] if is_each else forms
        form, result = forms[0]
        least = sum(letter.islower() for letter in form)
        if not least <= len(arguments) <= len(form):
            self.fail(node, f"{name}() takes {least} to {len(form)} arguments after the policy, "
                      f"not {len(arguments)}", mistake="count")
        return form, result

    def _is_place(self, value):
        return isinstance(value, Data) and isinstance(value.type, (Pointer, Iterator))

    def _value_dtype(self, node, place):
        if not self._is_place(place):
            self.fail(node, f"an iterator is needed, not {self.describe(place)}",
                      hint="write x.begin(), x.end()")
        type = place.type
        element = type.element if isinstance(type, Pointer) else Scalar(type.dtype)
        if not isinstance(element, Scalar):
            self.fail(node, f"{type} holds no numbers")
        return element.dtype

    def _argument(self, node, name, letter, value, dtype):
        if letter in "fli":
            self._value_dtype(node, value)
            return value.code
        if letter == "o":
            return self.functor(node, value, dtype)
        value = self.number(node, value)
        if dtype.kind == "c" or dtype == FLOAT16:
            return self.cast(node, value, dtype).code
        if isinstance(value, Data):
            return value.code
        # A number takes the dtype of the elements if it fits.
        wanted = dtype if fits(value.value, dtype) else literal_dtype("numpy", value.value)
        return self.converted(value, wanted)

    def _result(self, node, code, result, form, arguments, dtype):
        if result is None:
            return self._effect(code)
        if result == "bool":
            return Data(code, Scalar(BOOL), pure=False)
        if result == "count":
            return Data(code, Scalar(INT64), pure=False)
        if result == "start":
            at = form.lower().index("v")
            start = arguments[at] if len(arguments) > at else None
            if isinstance(start, Data) and not (dtype.kind == "c" or dtype == FLOAT16):
                dtype = start.dtype
            elif start is not None and is_number(start) and not fits(start.value, dtype):
                dtype = literal_dtype("numpy", start.value)
            return Data(code, Scalar(dtype), pure=False)
        types = [arguments[at].type for at in result]
        types = [Pointer(one.element) if isinstance(one, Pointer) else one for one in types]
        if len(types) == 1:
            return Data(code, types[0], pure=False)
        names = ", ".join(one.c for one in types)
        return Data(code, Record(f"phalanx::Pair<{names}>", tuple(types)), pure=False)
