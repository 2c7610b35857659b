"""Functions of inner arrays, called at all outer positions: NumPy's generalized ufuncs.

A signature such as ``(m,n),(n)->(m)`` names the inner axes, which are the last ones. All other axes
are outer ones, which broadcast.
"""

import itertools as _itertools
import math as _math
import re as _re

from . import _phalanx
from ._phalanx import _refusal

_NAME = r"\s*(?:[A-Za-z_]\w*|\d+)\s*(?:\?|\|1)?\s*"
_CORE = rf"\s*\((?:{_NAME}(?:,{_NAME})*)?\s*\)\s*"
_CORES = rf"(?:{_CORE}(?:,{_CORE})*)?"
_SIGNATURE = _re.compile(rf"^{_CORES}->{_CORES}$")
_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
_ORDERS = ("C", "F", "A", "K")
# Casting rules by which a function for other dtypes is chosen; others are replaced by 'safe'.
_NARROW = ("no", "equiv", "safe")


class _WrongCall(TypeError, ValueError):
    """Arguments that NumPy refuses with one of the two classes, and CuPy with the other."""


class _Axis:
    """An inner axis: its name, whether operands may lack it, whether an extent of 1 broadcasts."""

    def __init__(self, text):
        self.name = text.strip(" ?").removesuffix("|1").strip()
        self.may_lack, self.broadcasts = text.endswith("?"), text.endswith("|1")


def _parsed(signature):
    """The inner axes of inputs and of outputs."""
    if not isinstance(signature, str):
        raise _refusal(
            _WrongCall, "value", f"a signature is a str, not {type(signature).__name__}"
        )
    if not _SIGNATURE.match(signature):
        raise _refusal(ValueError, "value", f"not a signature: {signature!r}")
    sides = []
    for side in signature.split("->"):
        cores = _re.findall(r"\(([^)]*)\)", side)
        sides.append([[_Axis(one.strip()) for one in core.split(",") if one.strip()]
                      for core in cores])
    inputs, outputs = sides
    if not outputs:
        raise _refusal(ValueError, "value", f"not a signature: {signature!r}")
    if any(one.broadcasts for core in outputs for one in core):
        raise _refusal(
            ValueError, "value", f"not a signature: {signature!r}: outputs have no `|1`"
        )
    return inputs or [[]], outputs


def _needs_out(function):
    """Whether a function is called with ``out=`` always, because the parameter has no default."""
    import inspect

    try:
        parameter = inspect.signature(function).parameters.get("out")
    except (TypeError, ValueError):
        return False
    return parameter is not None and parameter.default is parameter.empty


class GeneralizedUFunc:
    """A function of inner arrays, called for all outer positions: NumPy's generalized ufunc.

    ``GeneralizedUFunc(function, "(m,n),(n)->(m)")``. With ``supports_batched`` the function
    receives whole arrays, with the outer axes first, and is called once; else it is called for each
    outer position. With ``supports_out`` it accepts ``out=``, which it writes. ``signatures`` are
    pairs of dtypes and of functions for them, such as ``("dd->d", function)``.
    ``try_fastcall_func`` is called first, with all arguments; it gives the result, or
    ``NotImplemented``.
    """

    def __init__(self, func, signature, *, name=None, doc=None, supports_batched=False,
                 supports_out=False, signatures=None, try_fastcall_func=None):
        self.__name__ = name or getattr(func, "__name__", "gufunc")
        self._function = func
        self._inputs, self._outputs = _parsed(signature)
        self.signature = signature
        self._is_batched, self._takes_out = supports_batched, supports_out
        self._loops = [self._loop(one) for one in signatures or ()]
        self._fast = try_fastcall_func
        self.__doc__ = doc or getattr(func, "__doc__", None)

    nin = property(lambda self: len(self._inputs), doc="The number of inputs.")
    nout = property(lambda self: len(self._outputs), doc="The number of outputs.")
    nargs = property(lambda self: self.nin + self.nout, doc="The number of both.")
    types = property(
        lambda self: ["->".join("".join(one.char for one in side) for side in loop[:2])
                      for loop in self._loops],
        doc="The dtypes for which there are functions.",
    )

    def __repr__(self):
        return f"<GeneralizedUFunc {self.__name__!r} {self.signature}>"

    def _loop(self, one):
        """The dtypes of inputs and outputs, and the function for them."""
        import numpy

        text, function = (one, self._function) if isinstance(one, str) else one
        inputs, _, outputs = text.partition("->")
        if len(inputs) != self.nin or len(outputs) != self.nout:
            raise self._wrong(f"{text!r} are not the dtypes of {self.nin} inputs and {self.nout} "
                              "outputs")
        return [*map(numpy.dtype, inputs)], [*map(numpy.dtype, outputs)], function

    def _wrong(self, text, kind=ValueError, mistake="value"):
        return _refusal(kind, mistake, f"{self.__name__}(): {text}")

    def __call__(self, *args, out=None, axes=None, axis=None, keepdims=False, dtype=None,
                 casting="same_kind", signature=None, order="K"):
        if self._fast is not None:
            found = self._fast(
                *args, out=out, axes=axes, axis=axis, keepdims=keepdims, dtype=dtype,
                casting=casting, signature=signature, order=order,
            )
            if found is not NotImplemented:
                return found
        if not self.nin <= len(args) <= self.nargs:
            raise self._wrong(
                f"takes {self.nin} inputs and {self.nout} outputs, not {len(args)} arrays",
                _WrongCall, "count",
            )
        outs = self._outs(args[self.nin:], out)
        order = self._check_options(dtype, signature, casting, order)
        arrays = [_phalanx.asarray(array) for array in args[:self.nin]]
        wanted, results, function = self._chosen(arrays, dtype, casting, signature)
        arrays = [self._cast(array, to, casting) for array, to in zip(arrays, wanted)]
        are_fortran = all(array.flags.f_contiguous and not array.flags.c_contiguous
                          for array in arrays)
        lacking = self._lacking(arrays)
        given, places = self._axes(axes, axis, self._kept(keepdims), lacking)
        arrays = [self._last(array, where) for array, where in zip(arrays, given)]
        arrays, extents = self._filled(arrays, lacking)
        counts = [len(core) for core in self._inputs]
        # Outputs that are given may have more outer positions than the inputs.
        outer = _phalanx.broadcast_shapes(
            *(array.shape[:array.ndim - count] for array, count in zip(arrays, counts)),
            *(self._outer_of(one, where) for one, where in zip(outs, places) if one is not None),
        )
        for one, where in zip(outs, places):
            if one is not None and self._outer_of(one, where) != outer:
                raise self._wrong(
                    f"out has shape {one.shape}, and the outer axes are {outer}",
                    mistake="together",
                )
        arrays = [
            _phalanx.broadcast_to(array, outer + array.shape[array.ndim - count:])
            for array, count in zip(arrays, counts)
        ]
        targets = self._targets(function, arrays, outs, places, results, lacking, extents, outer)
        called = self._called(function, arrays, outer, extents, targets)
        answers = []
        for number, result in enumerate(called):
            out, where, to = outs[number], places[number], results[number]
            if targets is None:
                result = self._placed(result, number, outer, extents, lacking, keepdims, where)
                result = self._cast(result, to, casting)
            elif out is None:
                result = self._first(result, where)
            answers.append(out if targets is not None and out is not None else self._stored(
                result, out, casting, order, are_fortran))
        return answers[0] if self.nout == 1 else tuple(answers)

    def _check_options(self, dtype, signature, casting, order):
        """Refuses options that no call has; returns the order."""
        if dtype is not None and signature is not None:
            raise self._wrong("dtype and signature are both given", TypeError, "together")
        if casting not in _CASTINGS:
            raise self._wrong(f"casting is one of {_CASTINGS}, not {casting!r}", mistake="choice")
        if not isinstance(order, str) or order.upper() not in _ORDERS:
            raise self._wrong(f"order is one of {_ORDERS}, not {order!r}", mistake="choice")
        return order.upper()

    def _kept(self, keepdims):
        import numpy

        if not isinstance(keepdims, (bool, numpy.bool_)):
            raise self._wrong(f"keepdims is a bool, not {keepdims!r}", TypeError, "type")
        return bool(keepdims)

    def _outer_of(self, out, where):
        """The extents of the outer axes of an output that is given."""
        return self._last(out, where).shape[:out.ndim - len(where)]

    def _targets(self, function, arrays, outs, places, results, lacking, extents, outer):
        """The arrays that a function writes itself, with the outer axes first; None if it gives its
        results."""
        if not self._takes_out or lacking or any(
            len(where) != len(core) for where, core in zip(places, self._outputs)
        ):
            return None
        needs = _needs_out(function)
        if not needs and any(one is None for one in outs):
            return None
        dtype = _phalanx.result_type(*arrays)
        targets = []
        for one, where, core, to in zip(outs, places, self._outputs, results):
            shape = outer + self._extents(core, extents)
            if one is None:
                targets.append(_phalanx.zeros(shape, dtype if to is None else to))
                continue
            target = self._last(one, where)
            if target.shape != shape:
                raise self._wrong(
                    f"out has shape {target.shape} with its inner axes last, and the output "
                    f"{shape}", mistake="together",
                )
            targets.append(target)
        return targets

    def _extents(self, core, extents):
        return tuple(int(one.name) if one.name.isdigit() else extents.get(one.name, 1)
                     for one in core)

    def _placed(self, result, number, outer, extents, lacking, keepdims, where):
        """A result with its axes where the call wants them."""
        core = self._outputs[number]
        inner = result.shape[result.ndim - len(core):]
        known = [int(one.name) if one.name.isdigit() else extents.get(one.name) for one in core]
        good = result.ndim >= len(core) and all(
            one in (None, extent) for one, extent in zip(known, inner)
        )
        if not good:
            raise self._wrong(
                f"the function gives shape {result.shape} for output {number}, whose inner axes "
                f"are {tuple(known)}", mistake="together",
            )
        if result.shape != outer + inner:
            result = _phalanx.broadcast_to(result, outer + inner)
        dropped = [place - len(core) for place, one in enumerate(core) if one.name in lacking]
        result = _phalanx.squeeze(result, tuple(dropped)) if dropped else result
        if keepdims:
            result = result[(..., *[None] * len(where))]
        return self._first(result, where)

    def _outs(self, positional, out):
        if positional and out is not None:
            raise self._wrong("out is given twice", TypeError, "count")
        if not positional and isinstance(out, tuple) and len(out) != self.nout:
            raise self._wrong(f"out has {len(out)} arrays for {self.nout} outputs")
        outs = positional if positional else out if isinstance(out, tuple) else (out,)
        outs = list(outs) + [None] * (self.nout - len(outs))
        for one in outs:
            if one is not None and not isinstance(one, _phalanx.ndarray):
                raise self._wrong(f"out is a phalanx.ndarray, not {type(one).__name__}", TypeError,
                                  "type")
        return outs

    def _chosen(self, arrays, dtype, casting, signature):
        """The dtypes of inputs and outputs, None for any, and the function for them."""
        import numpy

        asked = [None] * self.nargs
        if signature is not None:
            asked = self._asked(signature)
        elif dtype is not None:
            asked[self.nin:] = [numpy.dtype(dtype)] * self.nout
        rule = casting if casting in _NARROW else "safe"
        for inputs, outputs, function in self._loops:
            fits = all(one in (None, own) for one, own in zip(asked, inputs + outputs))
            if signature is None:
                fits &= all(
                    _phalanx.can_cast(array.dtype, own, rule)
                    for array, own in zip(arrays, inputs)
                )
            if fits:
                return inputs, outputs, function
        if signature is not None:
            raise self._wrong(f"there is no function for {signature!r}", TypeError, "type")
        return [None] * self.nin, asked[self.nin:], self._function

    def _asked(self, signature):
        """The dtypes that a call names."""
        import numpy

        if isinstance(signature, str):
            inputs, arrow, outputs = signature.partition("->")
            parts = [*inputs, *outputs] if arrow else [None] * self.nin + [signature] * self.nout
            counts = (len(inputs), len(outputs)) if arrow else (self.nin, len(signature))
            # One letter is the dtype of each output.
            counts = counts if arrow or len(signature) != 1 else (self.nin, self.nout)
        else:
            parts, counts = list(signature), (len(signature) - self.nout, self.nout)
        if counts != (self.nin, self.nout):
            raise self._wrong(f"{signature!r} are not the dtypes of {self.nin} inputs and "
                              f"{self.nout} outputs", _WrongCall, "type")
        return [None if one is None else numpy.dtype(one) for one in parts]

    def _cast(self, array, to, casting):
        if to is None or to == array.dtype:
            return array
        if not _phalanx.can_cast(array.dtype, to, casting):
            raise self._wrong(f"cannot cast from {array.dtype} to {to} by the rule {casting!r}",
                              TypeError, "type")
        return array.astype(to)

    def _lacking(self, arrays):
        """The names of the inner axes that the inputs lack."""
        lacking = set()
        for number, (array, core) in enumerate(zip(arrays, self._inputs)):
            missing = len(core) - array.ndim
            for one in core:
                if missing > 0 and one.may_lack:
                    lacking.add(one.name)
                    missing -= 1
            if missing > 0:
                raise self._wrong(
                    f"input {number} has {array.ndim} axes, too few for {self.signature}"
                )
        for array, core in zip(arrays, self._inputs):
            if array.ndim >= len(core) and any(one.name in lacking for one in core):
                raise self._wrong("an axis is lacking in some inputs, and not in others")
        return lacking

    def _axes(self, axes, axis, keepdims, lacking):
        """The positions of the inner axes of inputs and of outputs; by default the last ones."""
        counts = [sum(one.name not in lacking for one in core)
                  for core in self._inputs + self._outputs]
        if keepdims and (any(self._outputs) or len({len(core) for core in self._inputs}) != 1):
            raise self._wrong("keepdims needs outputs without inner axes, and inputs with as many",
                              _WrongCall)
        if keepdims:
            # Outputs keep axes of extent 1: those of axis=, or the last ones.
            counts[self.nin:] = [counts[0]] * self.nout
        if axis is not None:
            axes = self._axes_of(axis, axes, counts)
        if axes is None:
            given = [tuple(range(-count, 0)) for count in counts]
        else:
            if not isinstance(axes, list):
                raise self._wrong(f"axes is a list, not {type(axes).__name__}", _WrongCall, "type")
            if len(axes) == self.nin and not any(self._outputs):
                axes = axes + [tuple(range(-count, 0)) for count in counts[self.nin:]]
            if len(axes) != self.nargs:
                raise self._wrong(f"axes has {len(axes)} entries for {self.nargs} operands")
            given = [self._positions(number, one) for number, one in enumerate(axes)]
        for number, (where, count) in enumerate(zip(given, counts)):
            if len(where) != count:
                from .exceptions import AxisError

                raise self._wrong(f"axes names {len(where)} axes of operand {number}, which has "
                                  f"{count} inner ones", AxisError)
            if len(set(where)) != count:
                raise self._wrong(f"axes of operand {number} has a position twice: {where}")
        return given[:self.nin], given[self.nin:]

    def _axes_of(self, axis, axes, counts):
        """``axes=`` for an ``axis=``."""
        if axes is not None:
            raise self._wrong("axis and axes are both given", _WrongCall, "together")
        names = {one.name for core in self._inputs + self._outputs for one in core}
        if len(names) != 1 or max(counts) != 1:
            raise self._wrong("axis needs one inner axis, which all operands share", _WrongCall)
        if isinstance(axis, (tuple, list)):
            raise self._wrong(f"axis is an integer, not {axis!r}", _WrongCall, "type")
        return [axis if count else () for count in counts]

    def _positions(self, number, given):
        """The positions of the inner axes of an operand."""
        import operator

        items = given if isinstance(given, (tuple, list)) else (given,)
        try:
            return tuple(operator.index(one) for one in items)
        except TypeError:
            raise self._wrong(f"axes of operand {number} are integers, not {given!r}", _WrongCall,
                              "type") from None

    def _last(self, array, where):
        """The array with its inner axes last."""
        if where == tuple(range(-len(where), 0)):
            return array
        return _phalanx.moveaxis(array, where, tuple(range(-len(where), 0)))

    def _first(self, array, where):
        """The array with the last axes moved to their positions."""
        if where == tuple(range(-len(where), 0)):
            return array
        return _phalanx.moveaxis(array, tuple(range(-len(where), 0)), where)

    def _filled(self, arrays, lacking):
        """The arrays with all inner axes, and their extents by name."""
        filled = []
        extents = {}
        for array, core in zip(arrays, self._inputs):
            present = sum(one.name not in lacking for one in core)
            shape = iter(array.shape[array.ndim - present:])
            inner = [1 if one.name in lacking else next(shape) for one in core]
            array = array.reshape(array.shape[:array.ndim - present] + tuple(inner))
            for one, extent in zip(core, inner):
                wanted = int(one.name) if one.name.isdigit() else extents.get(one.name, extent)
                if one.broadcasts and extent == 1:
                    extents.setdefault(one.name, 1)
                    continue
                if wanted == 1 != extent and self._broadcasts(one.name):
                    wanted = extent
                if extent != wanted:
                    raise self._wrong(f"{one.name} is both {wanted} and {extent}: {self.signature}",
                                      mistake="together")
                extents[one.name] = extent
            filled.append(array)
        spread = []
        for array, core in zip(filled, self._inputs):
            inner = tuple(extents[one.name] for one in core)
            if array.shape[array.ndim - len(core):] != inner:
                array = _phalanx.broadcast_to(array, array.shape[:array.ndim - len(core)] + inner)
            spread.append(array)
        return spread, extents

    def _broadcasts(self, name):
        return any(one.broadcasts for core in self._inputs for one in core if one.name == name)

    def _called(self, function, arrays, outer, extents, targets):
        """The results of the function, with the outer axes first."""
        def call(arrays, outs):
            if outs is None:
                found = _phalanx._agreed_call(function, *arrays)
            else:
                keyword = {"out": outs[0] if self.nout == 1 else tuple(outs)}
                found = _phalanx._agreed_call(lambda *given: function(*given, **keyword), *arrays)
            if outs is not None:
                # The function writes the outputs, or gives what is to be written.
                found = found if isinstance(found, tuple) else (found,)
                for out, one in zip(outs, found):
                    if one is not None and one is not out:
                        _phalanx.copyto(out, one)
                return outs
            found = found if isinstance(found, tuple) else (found,)
            if len(found) != self.nout:
                raise self._wrong(f"the function gives {len(found)} outputs, not {self.nout}")
            return [_phalanx.asarray(one) for one in found]

        if self._is_batched or not outer:
            return call(arrays, targets)
        if _math.prod(outer) == 0:
            return self._empty(arrays, outer, extents)
        calls = []
        for place in _itertools.product(*map(range, outer)):
            place = (*place, ...)
            outs = None if targets is None else [one[place] for one in targets]
            calls.append(call([array[place] for array in arrays], outs))
        if targets is not None:
            return targets
        stacked = [_phalanx.stack(list(one)) for one in zip(*calls)]
        return [one.reshape(outer + one.shape[1:]) for one in stacked]

    def _empty(self, arrays, outer, extents):
        """The outputs if there is no outer position, where the function is not called."""
        dtype = _phalanx.result_type(*arrays)
        shapes = [
            outer + tuple(int(one.name) if one.name.isdigit() else extents.get(one.name, 0)
                          for one in core)
            for core in self._outputs
        ]
        return [_phalanx.zeros(shape, dtype) for shape in shapes]

    def _stored(self, result, out, casting, order, are_fortran):
        if out is None:
            if order == "A":
                order = "F" if are_fortran else "C"
            return result if order == "K" else _phalanx.asarray(result, order=order)
        if out.shape != result.shape:
            raise self._wrong(f"out has shape {out.shape}, and the output {result.shape}",
                              mistake="together")
        _phalanx.copyto(out, self._cast(result, out.dtype, casting))
        return out


GeneralizedUFunc.__module__ = "phalanx.x"
