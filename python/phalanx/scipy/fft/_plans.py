"""CuPy's ``get_fft_plan``: descriptions of transforms."""

import contextvars

import phalanx as np

from ._arguments import extents_and_axes, refuse
from ._parameters import described

# How many plans the program is inside of, by a ``with`` statement.
_inside = contextvars.ContextVar("phalanx_fft_plans", default=0)


class FftPlan:
    """The extents and axes of a transform, as `get_fft_plan` returns them.

    The session caches plans of whole programs, so this object holds no resources. It may be passed
    as `plan`, or used in a ``with`` statement.
    """

    def __init__(self, shape, axes, value_type):
        self.shape = tuple(shape)
        self.axes = tuple(axes)
        self.value_type = value_type

    def __enter__(self):
        _inside.set(_inside.get() + 1)
        return self

    def __exit__(self, *exception):
        _inside.set(_inside.get() - 1)

    def __repr__(self):
        return f"FftPlan(shape={self.shape}, axes={self.axes}, value_type={self.value_type!r})"


@described(
    "FftPlan: The plan.",
    {"ValueError": "The type of values, the extents or the axes are not allowed."},
    "Local: nothing is recorded.",
)
def get_fft_plan(a, shape=None, axes=None, value_type="C2C"):
    """A plan of a transform of an array, which transforms accept as `plan`."""
    if value_type not in ("C2C", "R2C", "C2R"):
        raise refuse(f"unknown value_type {value_type!r}", mistake="choice")
    a = a if isinstance(a, np.ndarray) else np.asarray(a)
    s, axes = extents_and_axes(a, shape, axes, is_halved=value_type == "C2R")
    return FftPlan(s, axes, value_type)


def check_kind(plan):
    """Refuses what is no plan of `get_fft_plan`, and a second plan."""
    if plan is None:
        return
    if _inside.get():
        raise refuse(
            "use a plan either as a context manager or as the argument plan", RuntimeError,
            "together",
        )
    if not isinstance(plan, FftPlan):
        raise refuse(
            "Passing a precomputed plan is not yet supported, except those of get_fft_plan",
            NotImplementedError,
            "type",
        )


def check_plan(plan, shape, axes):
    """Refuses a plan of another transform."""
    if plan is not None and (plan.shape != tuple(shape) or plan.axes != tuple(axes)):
        raise refuse(
            f"the plan is one of extents {plan.shape} along axes {plan.axes}, and the transform "
            f"one of extents {tuple(shape)} along axes {tuple(axes)}",
            mistake="together",
        )
