"""Docstrings of functions that call CUDA's driver: each function states its purpose, its result and
its collectivity, and the parameters that many functions share are described here."""

import inspect as _inspect

_POINTER = "int or object"
_PARAMETERS = {
    "advice": ("int", "The advice, ``cudaMemAdvise...``."),
    "arg": ("object", "The argument of the function."),
    "attr": ("int", "The attribute, ``cudaMemPool...``."),
    "attrib": ("int or str", "The attribute: ``cudaDevAttr...``, or its name without this prefix."),
    "attribute": ("int", "The attribute, ``CU_FUNC_ATTRIBUTE_...``."),
    "blockSize": ("int", "The number of threads of a thread block."),
    "blockSizeLimit": ("int", "The most threads of a thread block; 0 for no limit."),
    "block_dim_x": ("int", "The number of threads of a thread block along the first axis."),
    "block_dim_y": ("int", "The number of threads of a thread block along the second axis."),
    "block_dim_z": ("int", "The number of threads of a thread block along the third axis."),
    "callback": ("callable", "The function."),
    "count": ("int", "The number of bytes."),
    "ctx": ("int", "The context."),
    "data": ("bytes", "The program."),
    "dec": ("int", "The device."),
    "depth": ("int", "The extent of the third axis, in elements."),
    "descPtr": (_POINTER, "The address of a ``cudaChannelFormatDesc``."),
    "dev": ("int", "The number of the device."),
    "devPtr": (_POINTER, "The address of the memory: a number, or an object with ``ptr`` or "
               "``value``."),
    "device": ("int", "The number of the device."),
    "dpitch": ("int", "The bytes from one row of the destination to the next."),
    "dst": (_POINTER, "The destination: a number, or an object with ``ptr`` or ``value``."),
    "dstDevice": ("int", "The number of the device of the destination."),
    "dynamicSMemSize": ("int", "The bytes of dynamic shared memory."),
    "end": ("int", "The event at the end."),
    "event": (_POINTER, "The handle of an event, or an object with ``ptr``."),
    "extra": (_POINTER, "The address of further options; 0 for none."),
    "f": (_POINTER, "The handle of a kernel, or an object with ``ptr``."),
    "filename": ("str", "The file."),
    "flags": ("int", "Flags of CUDA."),
    "func": (_POINTER, "The handle of a kernel, or an object with ``ptr``."),
    "funcname": ("str", "The name of the kernel."),
    "graph": ("int", "The graph."),
    "graphExec": ("int", "The executable graph."),
    "grid_dim_x": ("int", "The number of thread blocks along the first axis."),
    "grid_dim_y": ("int", "The number of thread blocks along the second axis."),
    "grid_dim_z": ("int", "The number of thread blocks along the third axis."),
    "hOffset": ("int", "The first row in the array of CUDA."),
    "handle": ("bytes", "The handle of the other process."),
    "height": ("int", "The number of rows."),
    "image": ("bytes", "A cubin, a fatbin or PTX."),
    "input_type": ("int", "The kind of program, ``CU_JIT_INPUT_...``."),
    "kernel_params": (_POINTER, "The address of the addresses of the arguments."),
    "kind": ("int", "The direction, ``memcpy...``."),
    "limit": ("int", "The limit, ``cudaLimit...``."),
    "mem": ("object", "The other memory: a number, or an object with ``ptr`` or ``value``."),
    "Memcpy3DParmsPtr": (_POINTER, "The address of a ``cudaMemcpy3DParms``."),
    "mode": ("int", "The mode, ``streamCaptureMode...``."),
    "module": ("int", "The program."),
    "name": ("str", "The name in messages."),
    "path": ("str", "The file."),
    "pci_bus_id": ("str", "The address, such as ``0000:1b:00.0``."),
    "peerDevice": ("int", "The number of the other device."),
    "pool": ("int", "The pool of the driver."),
    "priority": ("int", "The priority; a lower number is preferred."),
    "props": ("MemPoolProps", "The properties."),
    "ptr": (_POINTER, "The address: a number, or an object with ``ptr`` or ``value``."),
    "ResDescPtr": (_POINTER, "The address of a ``cudaResourceDesc``."),
    "shared_mem_bytes": ("int", "The bytes of dynamic shared memory."),
    "size": ("int", "The number of bytes."),
    "spitch": ("int", "The bytes from one row of the source to the next."),
    "src": (_POINTER, "The source: a number, or an object with ``ptr`` or ``value``."),
    "srcDevice": ("int", "The number of the device of the source."),
    "start": ("int", "The event at the start."),
    "state": ("int", "The state of the linker."),
    "status": ("int", "The number of an error; 0 for success."),
    "stream": ("Stream or int", "The stream, or its handle."),
    "surfObject": ("int", "The surface."),
    "TexDescPtr": (_POINTER, "The address of a ``cudaTextureDesc``."),
    "texObject": ("int", "The texture."),
    "value": ("int", "The value."),
    "varname": ("str", "The name of the variable."),
    "wOffset": ("int", "The first byte of a row in the array of CUDA."),
    "width": ("int", "The extent of a row: bytes in copies, elements in arrays of CUDA."),
}
_RUNTIME = {"CUDARuntimeError": "CUDA refuses the call, or the devices of the session are CPUs."}
_DRIVER = {"CUDADriverError": "CUDA refuses the call.",
           "CUDARuntimeError": "The devices of the session are CPUs."}
_LOCAL, _COLLECTIVE = "Local.", "Collective: all recorded operations run first."
_ORDERED = ("Collective: recorded operations are handed to the devices, and the work runs after "
            "them in the stream.")


def documented(returns="None", result="", notes=_LOCAL, raises=None, **parameters):
    """A decorator: completes the docstring of a function with its parameters, its result, its
    errors and its collectivity."""

    def complete(function):
        lines = [_inspect.cleandoc(function.__doc__), ""]
        named = list(_inspect.signature(function).parameters.values())
        named = [one for one in named if one.name not in ("self", "cls")]
        if named:
            lines += ["Parameters", "----------"]
        for one in named:
            kind, text = parameters.get(one.name) or _PARAMETERS[one.name]
            optional = "" if one.default is one.empty else ", optional"
            lines += [f"{one.name} : {kind}{optional}", f"    {text}"]
        lines += ["", "Returns", "-------", returns]
        if returns != "None" or result:
            lines += [f"    {result}"]
        lines += ["", "Raises", "------"]
        for kind, text in (_RUNTIME if raises is None else raises).items():
            lines += [kind, f"    {text}"]
        lines += ["", "Notes", "-----", notes]
        function.__doc__ = "\n".join(lines).replace("\n\n\n", "\n\n")
        return function

    return complete
