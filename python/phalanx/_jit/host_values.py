"""The values of kernels that are translated to texts for CPUs: see ``host``."""

import ast as _ast
import re as _re

import numpy as _numpy

from . import device as _device
from . import forms as _forms
from .host_program import Access, Formed, Place, form_of, within
from .types import INT64, UINT32, Array, Data, Known, Opaque, Scalar, Several, literal

_BUILTINS = ("grid", "gridsize", "laneid", "range")
_ATOMICS = {"add": "Add", "sub": "Sub", "min": "Min", "max": "Max", "and": "And", "or": "Or",
            "xor": "Xor", "exch": "Exch"}
_COMPARISONS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal")
_DIVISIONS = {"floor_divide": "/", "remainder": "%"}


class HostValues:
    """Operations, indices of threads, and elements: methods of ``host.HostFunction``."""

    # Operations

    def operate(self, node, name, *values):
        found = super().operate(node, name, *values)
        forms = [form_of(one) for one in values]
        if None in forms:
            return found
        if name in _COMPARISONS:
            if all(one.low() is not None and one.low() >= 0 for one in forms):
                decided = _forms.compare(name, *forms)
                return found if decided is None else Known(decided)
            return found
        if found.dtype.kind not in "iu":
            return found
        code = found.code
        if name in _DIVISIONS and (forms[0].low() or 0) >= 0 and (forms[1].low() or 0) > 0:
            if forms[0].low() is not None:
                codes = [self.converted(one, found.dtype) for one in values]
                code = f"({codes[0]} {_DIVISIONS[name]} {codes[1]})"
        form = within(_forms.combine(name, forms), found.dtype)
        return Formed(code, found.type, found.pure, form)

    def cast(self, node, value, dtype):
        found = super().cast(node, value, dtype)
        form = form_of(value)
        if form is not None and (form.low() is None or form.high() is None) and (
                not isinstance(value, Data) or value.dtype != dtype):
            # The conversion may wrap around.
            form = None
        form = within(form, dtype)
        return found if form is None else Formed(found.code, found.type, found.pure, form)

    def once(self, node, value):
        kept = super().once(node, value)
        form = form_of(value)
        if isinstance(kept, Data) and form is not None:
            return Formed(kept.code, kept.type, kept.pure, form)
        return kept

    def _extreme(self, node, values, sign):
        found = super()._extreme(node, values, sign)
        if len(values) == 1:
            values = self.members(node, values[0]).items
        forms = [form_of(one) for one in values]
        if None in forms or found.dtype.kind not in "iu":
            return found
        form = _forms.least(forms) if sign == "<" else _forms.greatest(forms)
        return Formed(found.code, found.type, found.pure, within(form, found.dtype))

    # Threads

    def attribute(self, node, value, name):
        if isinstance(value, Data) and isinstance(value.type, Opaque):
            if value.type.kind == "triple" and name in ("x", "y", "z"):
                return self._coordinate(value.code, "xyz".index(name))
        return super().attribute(node, value, name)

    def _coordinate(self, name, axis):
        program, type = self.program, Scalar(UINT32)
        thread, place, _ = program.coordinates[axis]
        if name in ("blockDim", "gridDim"):
            size = (program.block if name == "blockDim" else program.grid)[axis]
            return Formed(f"{size}u", type, True, _forms.Form(size))
        if name == "threadIdx":
            return Formed(program.thread(axis), type, True, thread)
        return Formed(program.place(axis), type, True, place)

    def jit_grid(self, node, ndim):
        program = self.program
        return self._along(node, ndim, "grid", lambda axis: (
            program.position(axis), program.coordinates[axis][2]
        ))

    def jit_gridsize(self, node, ndim):
        program = self.program
        sizes = [grid * block for grid, block in zip(program.grid, program.block)]
        return self._along(node, ndim, "gridsize", lambda axis: (
            literal(sizes[axis], INT64), _forms.Form(sizes[axis])
        ))

    def _along(self, node, ndim, name, find):
        self._over_axes(node, ndim, name, lambda axis: "")
        items = [Formed(code, Scalar(INT64), True, form)
                 for code, form in map(find, range(ndim.value))]
        return items[0] if ndim.value == 1 else Several(items)

    def jit_laneid(self, node):
        program = self.program
        x, y, z = program.block
        form = program.coordinates[0][0].plus(program.coordinates[1][0], x)
        form = form.plus(program.coordinates[2][0], x * y)
        code = f"((unsigned int)({program.spell(form)} % 32LL))"
        return Formed(code, Scalar(UINT32), True, _forms.combine(
            "remainder", [form, _forms.Form(32)]
        ))

    # Arrays

    def _attribute_of_array(self, value, name):
        if name == "shape":
            return Several(value.lengths)
        if name == "strides":
            self.demand_values()
            return Several(Known(_numpy.int64(one)) for one in value.strides)
        if name in ("size", "nbytes"):
            size = self._size(value)
            if name == "size":
                return size
            width = value.type.dtype.itemsize
            form = size.form and size.form.times(width)
            return Formed(f"({size.code} * {width}LL)", Scalar(INT64), True, form)
        return super()._attribute_of_array(value, name)

    def _size(self, value):
        if value.offset is None and len(value.lengths) != 1:
            form = _forms.between(
                0, None, f"{value.base}.size()", lambda args, at=value.number: args[at].size
            )
            if self.program.values is not None:
                form = _forms.Form(1)
                for one in value.lengths:
                    form = form.times(one.form.number())
            return Formed(f"{value.base}.size()", Scalar(INT64), True, form)
        code, form = "1LL", _forms.Form(1)
        for number, one in enumerate(value.lengths):
            code = one.code if number == 0 else f"({code} * {one.code})"
            form = form and _forms.combine("multiply", [form, one.form])
        return Formed(code, Scalar(INT64), True, form)

    def python_len(self, node, x):
        if isinstance(x, Place) and x.lengths:
            return x.lengths[0]
        return super().python_len(node, x)

    def value_Subscript(self, node):
        owner = self.expression(node.value)
        if not isinstance(owner, Place):
            return super().value_Subscript(node)
        if isinstance(node.slice, _ast.Slice):
            self._indices(node)
        found = self._select_place(node, owner)
        if isinstance(found, Place):
            return found
        base, index, form, axes = found
        self._note(node, base, index, form, axes, "read")
        return Data(f"{base}[{index}]", Scalar(owner.type.dtype))

    def _index_of(self, node, owner):
        """The raw parameter of an element, its index, the form of it, and the forms of the indices
        along the axes."""
        found = self._select_place(node, owner)
        if isinstance(found, Place):
            self.fail(node, f"the index selects {found.type}, and not one element",
                      hint="write a loop over the remaining axes")
        return found

    def _select_place(self, node, owner):
        """The element, or the row, that a subscript selects."""
        return self._selected(node, owner, self._indices(node))

    def _selected(self, node, owner, indices):
        lengths = owner.lengths
        if len(indices) > len(lengths):
            self.fail(node, f"the array has {len(lengths)} axes, not {len(indices)}", IndexError,
                      "key")
        code, form, axes = "0LL", _forms.Form(), list(owner.axes)
        for axis, length in enumerate(lengths):
            at, at_form = ("0LL", _forms.Form()) if axis >= len(indices) else self._at(
                node, indices[axis], length
            )
            if axis < len(indices):
                axes.append(at_form)
            if axis == 0:
                code, form = at, at_form
            else:
                code = f"({code} * {length.code} + {at})" if at != "0LL" else (
                    f"({code} * {length.code})")
                form = form and _forms.combine("multiply", [form, length.form])
                form = form and at_form and form.plus(at_form)
        spelled = form and self.program.spell(form)
        code = spelled or code
        if owner.offset is not None:
            code, form = f"({owner.offset} + {code})", None
        if len(indices) == len(lengths):
            return owner.base, code, form, axes
        rest = len(lengths) - len(indices)
        type = Array(owner.type.dtype, rest, owner.type.contiguous)
        strides = owner.strides and owner.strides[-rest:]
        return Place(type, owner.base, owner.number, code, lengths[-rest:], strides, axes)

    def _at(self, node, value, length):
        """An index along one axis as an int64, and its form."""
        code = self.index(node, value, length.code)
        form = form_of(value)
        if isinstance(value, Known):
            if value.value < 0:
                return f"({code})", length.form.plus(form)
            return f"{code}LL", form
        spelled = form and self.program.spell(form)
        if spelled:
            return spelled, form
        return (code if value.dtype == INT64 else f"((long long){code})"), form

    def element(self, node, twice=False):
        owner = self.expression(node.value)
        if not isinstance(owner, Place):
            return super().element(node, twice)
        base, index, form, axes = self._index_of(node, owner)
        if len(index) > 30:
            kept = self.declare("at", Scalar(INT64))
            self.emit(f"{kept} = {index};")
            index = kept
        if twice:
            self._note(node, base, index, form, axes, "read")
        self._note(node, base, index, form, axes, "write")
        return f"{base}[{index}]", Scalar(owner.type.dtype)

    def _note(self, node, base, index, form, axes, how):
        """Remembers an access, with a mark in the text: see ``host_launch``."""
        program = self.program
        where, line = self.source.place(node)
        program.accesses.append(Access(base, how, form, axes, self.is_in_loop(), where, line))
        if how != "read":
            program.written.add(base)
            program.effects += 1
        kind = "read" if how == "read" else "write"
        conditions = " && ".join(self.conditions)
        mark = f"\1{base}\1{kind}\1{index}\1{conditions}"
        self.lines.append(mark)

    # Calls

    def _call_builtin(self, node, function, name, positional, named):
        family, _, rest = name.partition("_")
        if name not in _BUILTINS and not (family == "atomic" and rest in _ATOMICS):
            self.needs_gpu(node, f"`{name}`")
        return super()._call_builtin(node, function, name, positional, named)

    def jit_cub_reduction(self, node, kind, storage):
        self.needs_gpu(node, f"`{kind!r}`")

    def _iterator(self, node, owner, name):
        self.needs_gpu(node, f"`{name}`")

    def _print(self, node, positional, named):
        self.needs_gpu(node, "`print`")

    def jit_atomic(self, node, name, array, index, value, alt_value=None):
        if node is not self.discarded:
            self.needs_gpu(node, f"the result of `atomic_{name}`",
                           "write it as a statement of its own")
        if not isinstance(array, Place):
            self.fail(node, f"atomic operations need an array, not {self.describe(array)}")
        dtype = array.type.dtype
        if dtype.name not in _device._ATOMICS[name]:
            self.fail(node, f"atomic_{name} is not there for {dtype}", mistake="dtype",
                      hint=f"it is there for {', '.join(_device._ATOMICS[name])}")
        items = self.members(node, index)
        indices = [index] if items is None else items.items
        if len(indices) != array.type.ndim:
            self.fail(node, f"the array has {array.type.ndim} axes, not {len(indices)}",
                      IndexError, "key")
        base, at, form, axes = self._selected(node, array, indices)
        code = self.stored(node, value, Scalar(dtype))
        self._note(node, base, at, form, axes, "add" if name == "sub" else name)
        self.emit(f"atomic{_ATOMICS[name]}(&{base}[{at}], {code});")
        return Known(None)
