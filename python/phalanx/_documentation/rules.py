"""The texts that functions share: shapes, dtypes, errors and collectivity, each under a key.

``{a}`` stands for the first parameter.
"""

SHAPES = {
    "same": "The shape of `{a}`",
    "broadcast": "The shape to which the operands broadcast",
    "reduced": "The shape of `{a}` without the axes `axis`; None stands for all axes, and "
    "`keepdims` keeps them with extent 1",
    "scanned": "The shape of `{a}`; without an axis, a vector of all elements",
    "shape": "The given shape",
    "like": "The shape of `{a}`, or `shape`",
    "vector": "A vector",
    "0-d": "An array without axes",
    "size": "The shape `size`; by default the shape to which the parameters broadcast, which has "
    "no axes for plain numbers",
    "joined": "The shape of the arrays, with the extents along the axis added up",
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
    "promoted": "the dtype to which the operands promote (NEP 50: Python's numbers are weak)",
    "summed": "`dtype`, or that of `{a}`; bools and integers of less than 64 bits are combined in "
    "int64, unsigned ones in uint64",
    "mean": "`dtype`, or that of `{a}`; float64 for bools and integers",
    "variance": "`dtype`, or that of `{a}`; real for complex numbers, float64 for bools and "
    "integers",
    "floating": "that of `{a}`; float64 for bools and integers",
    "real": "real, of the precision of `{a}`; float64 for bools and integers",
    "complex": "complex, of the precision of `{a}`; complex128 for bools, integers and float64",
    "quotient": "the dtype to which the operands promote; float64 for bools and integers",
}

ERRORS = {
    "type": ("TypeError", "", "an argument has an unsupported type"),
    "axis": ("AxisError", "PX003", "there is no such axis"),
    "duplicate": ("ValueError", "PX004", "an axis is named twice"),
    "permutation": ("ValueError", "PX005", "the axes are not a permutation"),
    "reshape": ("ValueError", "PX006", "the number of elements differs"),
    "broadcast": ("ValueError", "PX001", "shapes do not broadcast"),
    "into": ("ValueError", "PX002", "the value does not broadcast to the written elements"),
    "dtype": ("TypeError", "PX011", "there is no loop for the dtypes"),
    "cast": ("TypeError", "PX012", "a cast would lose values"),
    "range": ("OverflowError", "PX013", "a number does not fit the dtype"),
    "inner": ("ValueError", "PX014", "the extents of the axes that are summed over differ"),
    "ndim": ("ValueError", "PX015", "the number of axes is wrong"),
    "empty": ("ValueError", "PX016", "there are no elements, and the operation has no identity"),
    "argument": ("ValueError", "PX017", "a value is not allowed"),
    "arguments": ("TypeError", "PX133", "the arguments do not fit together"),
    "large": ("ValueError", "PX019", "there would be too many elements"),
    "axes": ("ValueError", "PX023", "there would be more than 64 axes"),
    "bytes": ("ValueError", "PX024", "the bytes cannot be viewed as the dtype"),
    "positions": ("IndexError", "PX025", "positions are not integers"),
    "mask": ("IndexError", "PX027", "a mask does not fit"),
    "bounds": ("IndexError", "PX007", "a position is outside of its axis"),
    "many": ("IndexError", "PX008", "there are fewer axes than indices"),
    "zero": ("ZeroDivisionError", "PX126", "a number is zero"),
    "index": ("IndexError", "PX028", "a position is outside of its axis"),
    "position": ("ValueError", "PX029", "a position is out of bounds"),
    "matrix": ("LinAlgError", "PX124", "there are fewer than two axes"),
    "square": ("LinAlgError", "PX125", "the last two extents differ"),
    "matrices": ("LinAlgError", "PX134", "the matrices do not fit together"),
    "singular": ("LinAlgError", "PX120", "a matrix is singular"),
    "definite": ("LinAlgError", "PX121", "a matrix is not positive definite"),
    "converge": ("LinAlgError", "PX122", "a factorisation does not converge"),
    "monotone": ("ValueError", "PX123", "edges are not monotone"),
    "nan": ("ValueError", "PX130", "all elements are NaN"),
    "weights": ("ZeroDivisionError", "PX131", "the sum of weights is zero"),
    "negative": ("ValueError", "PX132", "an integer is negative"),
    "read": ("OSError", "PX080", "a file cannot be read; FileNotFoundError if it does not exist"),
    "write": ("OSError", "PX081", "a file cannot be written"),
    "npy": ("ValueError", "PX082", "a file is not a .npy file (PX083 and PX084: it is damaged)"),
    "objects": ("ValueError", "PX085", "a file holds Python objects"),
    "text": ("ValueError", "", "the text is not a number"),
    "value": ("ValueError", "", "a value is not allowed"),
    "differs": ("AssertionError", "", "the compared values differ"),
    "gone": ("ConnectionError", "", "the other process has ended"),
    "nothing": ("None", "", "nothing is raised"),
    "own": ("Exception", "", "the exception of the function"),
}

COLLECTIVITY = {
    "local": "Local: recorded, in the same order on every process, and computed when a value is "
    "observed.",
    "local alone": "Local: a process may call it alone; nothing is recorded.",
    "view": "Local: a view, which moves and copies nothing.",
    "collective": "Collective: every process calls it. The result depends on data, so the recorded "
    "operations are computed.",
    "collective alone": "Collective: every process calls it.",
    "collective error": "Collective: every process calls it, because data decide whether it fails. "
    "Within `deferred_errors` the next observation raises the error.",
    "positions": "Collective if positions may be out of bounds, which is checked at once; else "
    "Local: recorded.",
    "fetched": "Collective if the array is pending, because it is then computed; else Local.",
}

# The dtypes of the results of elementwise operations, by their loops.
LOOPS = {
    "bool": "bool",
    "promoted": "the dtype to which the operands promote (NEP 50: Python's numbers are weak)",
    "integers": "the dtype to which the operands promote (NEP 50: Python's numbers are weak); "
    "int8 for bools",
    "modulus": "that of the operand; real for complex numbers",
    "floating": "floating-point or complex, of the smallest precision that holds the operands: "
    "float16 for bools and 8-bit integers, float32 for 16-bit ones, else float64",
    "double": "float64, or complex128",
    "quotient": "floating-point or complex; float64 for bools and integers",
    "count": "uint8",
    "exponent": "floating-point, as for `x1`; the exponent of `frexp` is int32",
}
