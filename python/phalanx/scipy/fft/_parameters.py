"""The parameters of Fourier transforms."""

from .._describing import NOTHING, describer

PARAMETERS = {
    "A": ("array_like", "The transformed array, of real numbers."),
    "a": ("array_like", "The array."),
    "axes": ("sequence of int or int", "The axes; None is the last axes, one for each extent."),
    "axis": ("int", "The axis of the transform."),
    "b": ("float", "The second parameter of the operator."),
    "backend": (
        "module, object or 'scipy'",
        "An object with `__ua_domain__` and `__ua_function__`.",
    ),
    "bias": ("float", "The exponent of the power law of the bias."),
    "coerce": ("bool", "Stored for the backend, and not used."),
    "d": ("float", "The distance of samples."),
    "device": ("object", "Not used: the sharding rule places the result."),
    "dln": ("float", "The step of the logarithm of the samples' places."),
    "h": ("float", "The parameter of the operator."),
    "initial": ("float", "The offset from which the nearest one is sought."),
    "mu": ("float", "The order of the Bessel function."),
    "n": ("int", "The extent of the transform, to which the axis is cut or padded with zeros."),
    "norm": (
        "{'backward', 'ortho', 'forward'}",
        "The direction that is scaled; both by the root for 'ortho'. None is 'backward'.",
    ),
    "offset": ("float", "The offset of the logarithm of the transform's places."),
    "only": ("bool", "Whether no other backend is tried if this one refuses."),
    "order": ("int", "The order of the derivative; negative ones integrate."),
    "orthogonalize": (
        "bool",
        "Whether the matrix of the transform is orthogonal up to a factor; None is true for the "
        "norm 'ortho' only.",
    ),
    "overwrite_x": ("bool", "Not used: no array is overwritten."),
    "period": ("float", "The period of the sequence; None is 2 pi."),
    "plan": ("FftPlan", "A plan of `get_fft_plan`, whose shape must be that of the transform."),
    "real": ("bool", "Whether the transform is one of real numbers."),
    "s": ("sequence of int or int", "The extents of the axes; -1 keeps one."),
    "shape": ("sequence of int or int", "The extents of the axes; -1 keeps one."),
    "target": ("int", "The number from which to search."),
    "try_last": ("bool", "Whether registered backends are tried first."),
    "type": ("{1, 2, 3, 4}", "The type of the transform."),
    "value_type": ("{'C2C', 'R2C', 'C2R'}", "The types of operand and result."),
    "workers": ("int", "Checked, and not used: all devices of the session compute."),
    "x": ("array_like", "The array."),
    "xp": ("module", "The module of the result; by default this one."),
}
RESULT = {
    "complex": "ndarray: Complex, of the precision of `x`; complex128 for bools and integers.",
    "real": "ndarray: Real, of the precision of `x`; float64 for bools and integers.",
    "same": "ndarray: The dtype of `x`; float64 for bools and integers.",
    "double": "ndarray: float64, or complex128 for a complex sequence.",
}
ERRORS = {
    "IndexError": "There is no such axis.",
    "ValueError": "An extent is below 1, or the norm, the axes or `workers` are not allowed.",
    "TypeError": "The numbers have a dtype without a transform.",
    "NotImplementedError": "`plan` is none of `get_fft_plan`.",
    "RuntimeError": "A plan is passed inside of a ``with`` statement of a plan.",
}

described = describer(PARAMETERS, raises=ERRORS)
__all__ = ["ERRORS", "NOTHING", "RESULT", "described"]
