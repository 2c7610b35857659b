"""Docstrings of the functions that kernels from Python call, in NumPy's style."""

import inspect as _inspect

from . import algorithms as _algorithms

_PARAMETERS = {
    "ndim": ("int", "The number of axes: 1, 2 or 3."),
    "mask": ("int", "A bit for each lane of the warp that takes part."),
    "dtype": ("dtype", "The dtype of the elements, or the storage of a reduction of ``cub``."),
    "size": ("int or None", "The number of elements, or of bytes to copy; None is dynamic memory."),
    "alignment": ("int, optional", "The alignment in bytes, a power of two."),
    "var": ("number", "The variable that lanes read from each other."),
    "val_id": ("int", "The lane, or the distance between lanes."),
    "width": ("int, optional", "The lanes of a group within the warp, a power of two."),
    "array": ("array", "The array, or shared memory."),
    "index": ("int or tuple of ints", "The indices of the element."),
    "value": ("number", "The value that is combined with the element, or repeated."),
    "alt_value": ("number, optional", "The value that is stored by ``atomic_cas``."),
    "args": ("ints or iterators", "Start, stop and step, or the arguments of the algorithm."),
    "unroll": ("bool or int, optional", "Whether the loop is unrolled, or by how many turns."),
    "group": ("group", "The group of threads."),
    "dst": ("array", "The shared memory that is written."),
    "dst_idx": ("int", "The first element that is written."),
    "src": ("array", "The contiguous array that is read."),
    "src_idx": ("int", "The first element that is read."),
    "aligned_size": ("int, optional", "The alignment of both in bytes, which needs no promise."),
    "step": ("int", "The number of copies that may still run."),
    "policy": ("policy", "``thrust.seq`` or ``thrust.device``."),
}
# The result of each function, and a line of a kernel that calls it.
_USES = {
    "grid": ("int or tuple of ints", "x[jit.grid(1)] = 0"),
    "gridsize": ("int or tuple of ints", "x[0] = jit.gridsize(1)"),
    "laneid": ("int", "x[jit.laneid()] = 0"),
    "syncthreads": ("None", "jit.syncthreads()"),
    "syncwarp": ("None", "jit.syncwarp(mask=0xF)"),
    "shared_memory": ("memory", "memory = jit.shared_memory('float32', 128)"),
    "range": ("range", "for i in jit.range(4, unroll=True): x[i] = i"),
    "shfl_sync": ("number", "x[0] = jit.shfl_sync(0xFFFFFFFF, x[1], 0)"),
    "shfl_up_sync": ("number", "x[0] = jit.shfl_up_sync(0xFFFFFFFF, x[1], 1)"),
    "shfl_down_sync": ("number", "x[0] = jit.shfl_down_sync(0xFFFFFFFF, x[1], 1)"),
    "shfl_xor_sync": ("number", "x[0] = jit.shfl_xor_sync(0xFFFFFFFF, x[1], 1)"),
    "atomic_cas": ("number", "jit.atomic_cas(x, 0, 1, 2)"),
    "cg.this_thread_block": ("group", "group = jit.cg.this_thread_block()"),
    "cg.this_grid": ("group", "group = jit.cg.this_grid()"),
    "cg.sync": ("None", "jit.cg.sync(jit.cg.this_thread_block())"),
    "cg.memcpy_async": ("None", "jit.cg.memcpy_async(group, memory, 0, x, 0, 128)"),
    "cg.wait": ("None", "jit.cg.wait(jit.cg.this_thread_block())"),
    "cg.wait_prior": ("None", "jit.cg.wait_prior(jit.cg.this_thread_block(), 1)"),
    "thrust.make_constant_iterator": ("iterator", "ones = jit.thrust.make_constant_iterator(1)"),
    "thrust.make_counting_iterator": ("iterator", "all = jit.thrust.make_counting_iterator(0)"),
}


def describe(function, name, summary):
    """The docstring of a function that kernels call."""
    result, line = _USES.get(name) or _use(name)
    names = _inspect.signature(function).parameters.values()
    lines = []
    for one in names:
        star = "*" if one.kind is one.VAR_POSITIONAL else ""
        kind, text = _PARAMETERS[one.name]
        lines += [f"{star}{one.name} : {kind}", f"    {text}"]
    parameters = ["Parameters", "----------", *lines, ""] if lines else []
    return "\n".join([
        _inspect.cleandoc(summary), "", *parameters,
        "Returns", "-------", result, "    A value of the kernel." if result != "None" else
        "    There is no value.", "",
        "Raises", "------", "RuntimeError", "    It is called outside of a kernel.",
        "TypeError", "    The arguments are others; the call of the kernel raises it.", "",
        "Notes", "-----", "Local. Each thread calls it by itself.", "",
        "Examples", "--------", ">>> from phalanx.x import jit", ">>> @jit.rawkernel()",
        "... def kernel(x):", f"...     {line}",
    ])


def _use(name):
    if name.startswith("atomic_"):
        return "number", f"jit.{name}(x, 0, 1)"
    form = _algorithms.ALGORITHMS[name.removeprefix("thrust.")][0]
    values = {"f": "x.begin()", "l": "x.end()", "i": "x.begin()", "v": "0"}
    given = ", ".join(values[letter] for letter in form if letter.islower())
    return "iterator, number or None", f"jit.{name}(jit.thrust.seq, {given})"
