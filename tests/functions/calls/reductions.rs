//! Reductions over any axes.

calls! { a =>
    "sum" | "ndarray.sum": a.array(0).sum(a.axes()),
    "prod" | "ndarray.prod": a.array(0).prod(a.axes()),
    "min" | "amin" | "ndarray.min": a.array(0).min(a.axes()),
    "max" | "amax" | "ndarray.max": a.array(0).max(a.axes()),
    "any" | "ndarray.any": a.array(0).any(a.axes()),
    "all" | "ndarray.all": a.array(0).all(a.axes()),
    "count_nonzero": a.array(0).count_nonzero(a.axes()),
    "argmin" | "ndarray.argmin": a.array(0).argmin(a.axes()),
    "argmax" | "ndarray.argmax": a.array(0).argmax(a.axes()),
    "mean" | "ndarray.mean": a.array(0).mean(a.axes()),
    "var" | "ndarray.var": a.array(0).var(a.axes(), a.float_or("ddof", 0.0)),
    "std" | "ndarray.std": a.array(0).std(a.axes(), a.float_or("ddof", 0.0)),
}
