"""What functions have in common: shapes, dtypes, errors and collectivity, each under a key.

``{a}`` stands for the first parameter.
"""

SHAPES = {
    "same": "The shape of `{a}`",
    "broadcast": "The shape to which the operands broadcast",
    "reduced": "The shape of `{a}` without the axes of `axis`, without any for None; "
    "with `keepdims` they stay with extent 1",
    "scanned": "The shape of `{a}`; a vector of all elements without an axis",
    "shape": "The shape that is given",
    "like": "The shape of `{a}`, or `shape`",
    "vector": "A vector",
    "0-d": "An array without axes",
    "size": "The shape `size`; without one that to which the parameters broadcast, of plain "
    "numbers a number of no axes",
    "joined": "The extents of the arrays, added up along the axis",
    "square": "The shape of `{a}`, `(..., n, n)`",
    "data": "A vector, whose length depends on the elements",
}

DTYPES = {
    "same": "that of `{a}`",
    "bool": "bool",
    "int64": "int64",
    "uint8": "uint8",
    "float64": "float64",
    "given": "`dtype`, float64 for None",
    "like": "`dtype`, that of `{a}` for None",
    "promoted": "what the operands promote to (NEP 50: Python's numbers give way)",
    "summed": "`dtype`, or that of `{a}`; bools and integers of less than 64 bits are combined in "
    "int64, unsigned ones in uint64",
    "mean": "`dtype`, or that of `{a}`; float64 of bools and integers",
    "variance": "`dtype`, or that of `{a}`, real of complex numbers; float64 of bools and integers",
    "floating": "that of `{a}`; float64 of bools and integers",
    "real": "real, of the precision of `{a}`; float64 of bools and integers",
    "complex": "complex, of the precision of `{a}`; complex128 of bools, integers and float64",
    "quotient": "what the operands promote to, float64 of bools and integers",
}

ERRORS = {
    "type": ("TypeError", "", "an argument is of a type that is not told above, or unknown"),
    "axis": ("AxisError", "PX003", "there is no such axis"),
    "duplicate": ("ValueError", "PX004", "an axis is named twice"),
    "permutation": ("ValueError", "PX005", "the axes are no permutation"),
    "reshape": ("ValueError", "PX006", "the number of elements differs"),
    "broadcast": ("ValueError", "PX001", "shapes do not broadcast"),
    "into": ("ValueError", "PX002", "the value does not broadcast to where it is written"),
    "dtype": ("TypeError", "PX011", "there is no loop for the dtypes"),
    "cast": ("TypeError", "PX012", "a cast would lose values"),
    "range": ("OverflowError", "PX013", "a number does not fit the dtype"),
    "inner": ("ValueError", "PX014", "the axes that are summed over differ"),
    "ndim": ("ValueError", "PX015", "another number of axes is needed"),
    "empty": ("ValueError", "PX016", "there are no elements, and no value for none"),
    "argument": ("ValueError", "PX017", "a value is not allowed"),
    "arguments": ("TypeError", "PX133", "arguments do not go together"),
    "large": ("ValueError", "PX019", "there would be too many elements"),
    "axes": ("ValueError", "PX023", "there would be more than 64 axes"),
    "bytes": ("ValueError", "PX024", "the bytes cannot be seen as the dtype"),
    "positions": ("IndexError", "PX025", "positions are no integers"),
    "mask": ("IndexError", "PX027", "a mask does not fit"),
    "bounds": ("IndexError", "PX007", "a position is outside of its axis"),
    "zero": ("ZeroDivisionError", "PX126", "a number is zero"),
    "index": ("IndexError", "PX028", "a position is outside of its axis"),
    "position": ("ValueError", "PX029", "a position is outside"),
    "matrix": ("LinAlgError", "PX124", "there are less than two axes"),
    "square": ("LinAlgError", "PX125", "the last two extents differ"),
    "matrices": ("LinAlgError", "PX134", "the matrices do not go together"),
    "singular": ("LinAlgError", "PX120", "a matrix is singular"),
    "definite": ("LinAlgError", "PX121", "a matrix is not positive definite"),
    "converge": ("LinAlgError", "PX122", "a factorisation does not converge"),
    "monotone": ("ValueError", "PX123", "edges are not monotone"),
    "nan": ("ValueError", "PX130", "there is nothing but NaN"),
    "weights": ("ZeroDivisionError", "PX131", "the sum of weights is zero"),
    "negative": ("ValueError", "PX132", "an integer is negative"),
    "read": ("OSError", "PX080", "a file cannot be read; FileNotFoundError if it is not there"),
    "write": ("OSError", "PX081", "a file cannot be written"),
    "npy": ("ValueError", "PX082", "a file is no .npy file (PX083 and PX084: or a damaged one)"),
    "objects": ("ValueError", "PX085", "a file holds objects of Python"),
    "text": ("ValueError", "", "what is read is no number"),
    "value": ("ValueError", "", "a value is not allowed"),
    "differs": ("AssertionError", "", "what is compared differs"),
    "gone": ("ConnectionError", "", "the other process has ended"),
    "nothing": ("None", "", "nothing is raised"),
    "own": ("Exception", "", "what the function raises"),
}

COLLECTIVITY = {
    "local": "Local: recorded, in the same order on every process, and computed when a value is "
    "observed.",
    "local alone": "Local: a process may call it alone; nothing is recorded.",
    "view": "Local: a view, which moves and copies nothing.",
    "collective": "Collective: every process calls it, for the result depends on data, and what is "
    "recorded is computed.",
    "collective alone": "Collective: every process calls it.",
    "collective error": "Collective: every process calls it, for whether there is a result depends "
    "on data; within `deferred_errors` that is seen at the next observation.",
    "positions": "Collective where positions may be outside, which is seen at once; else Local: "
    "recorded.",
    "fetched": "Collective if the array is still pending, which computes it; else Local.",
}

# The outputs of elementwise operations by the loops that there are.
LOOPS = {
    "bool": "bool",
    "promoted": "what the operands promote to (NEP 50: Python's numbers give way)",
    "integers": "what the operands promote to (NEP 50: Python's numbers give way), int8 of bools",
    "modulus": "that of the operand, real of complex numbers",
    "floating": "floating-point or complex, of the smallest precision that holds the operands: "
    "float16 of bools and 8-bit integers, float32 of 16-bit ones, else float64",
    "double": "float64, or complex128",
    "quotient": "floating-point or complex: float64 of bools and integers",
    "count": "uint8",
    "exponent": "floating-point, as of `x1`; the exponent of `frexp` is int32",
}
