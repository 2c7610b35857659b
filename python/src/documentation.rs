//! Docstrings in NumPy's style, made of a row's signature and summary.

use crate::signature::Signature;
use std::fmt::Write;

/// What parameters of these names are in most functions: name, type, text.
const PARAMETERS: &[(&str, &str, &str)] = &[
    ("a", "array_like", "The array."),
    ("x", "array_like", "The array."),
    ("x1", "array_like", "The first array."),
    ("x2", "array_like", "The second array, broadcast with the first."),
    ("b", "array_like", "The other array."),
    ("arr", "array_like", "The array."),
    ("ary", "array_like", "The array."),
    ("array", "array_like", "The array."),
    ("arrays", "sequence of array_like", "The arrays."),
    (
        "axis",
        "int or tuple of int, optional",
        "The axis, or the axes, counted from the end if negative.",
    ),
    ("axes", "tuple of int, optional", "The axes."),
    ("axis1", "int", "The first axis."),
    ("axis2", "int", "The second axis."),
    ("dtype", "dtype, optional", "The dtype of the result."),
    ("out", "ndarray, optional", "The array that is written and returned."),
    ("keepdims", "bool", "Whether the axes stay with extent 1."),
    ("initial", "scalar, optional", "Combined with the elements, too."),
    ("where", "array_like of bool", "The elements that count; all by default."),
    ("order", "{'C', 'F', 'A', 'K'}, optional", "The order of elements in memory."),
    ("casting", "{'no', 'equiv', 'safe', 'same_kind', 'unsafe'}", "Which casts are allowed."),
    ("norm", "{'backward', 'ortho', 'forward'}, optional", "The direction that is scaled."),
    ("copy", "bool, optional", "Whether the result is a copy."),
    ("device", "None", "For programs of the array API standard."),
    ("subok", "bool", "Without effect: there are no subclasses."),
    ("shape", "int or tuple of int", "The extents."),
    ("size", "int or tuple of int, optional", "The extents of the result."),
    ("n", "int, optional", "How many."),
    ("s", "sequence of int, optional", "The extents of the transform."),
    ("k", "int", "The diagonal; 0 is the main one."),
    ("ddof", "float", "Subtracted from the number of elements."),
    ("weights", "array_like, optional", "The weight of each element."),
    ("q", "array_like", "Which quantiles."),
    ("method", "str", "How to choose between neighbours."),
    ("bins", "int or array_like", "How many bins, or their edges."),
    ("range", "(float, float), optional", "The least and the greatest value that count."),
    ("density", "bool", "Whether the integral is 1."),
    ("mode", "str", "What to do beyond the edges."),
    ("kind", "str, optional", "As in NumPy."),
    ("stable", "bool, optional", "Whether equal elements keep their order."),
    ("rtol", "float", "The relative tolerance."),
    ("atol", "float", "The absolute tolerance."),
    ("equal_nan", "bool", "Whether NaN equals NaN."),
    ("indices", "array_like of int", "The positions."),
    ("values", "array_like", "The values."),
    ("shift", "int or tuple of int", "By how many places."),
    ("decimals", "int", "How many decimals."),
    ("seed", "int, optional", "Where the sequence of numbers begins."),
];

/// The docstring of a row.
pub fn docstring(signature: &Signature, summary: &str) -> String {
    let mut text = format!("{}({})\n\n{summary}", signature.name, signature.parameters_text);
    let described: Vec<_> = signature
        .names()
        .filter_map(|name| PARAMETERS.iter().find(|(known, ..)| *known == name))
        .collect();
    if !described.is_empty() {
        text += "\n\nParameters\n----------";
        for (name, kind, what) in described {
            let _ = write!(text, "\n{name} : {kind}\n    {what}");
        }
    }
    text + "\n\nShapes, dtypes and errors are those of NumPy's function of this name."
}
