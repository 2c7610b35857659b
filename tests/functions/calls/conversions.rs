//! Arrays of arrays, of bytes, of numbers, of bits and of text; text of arrays.

use crate::answer::Answer;
use crate::arguments::{Arguments, inexpressible};
use phalanx::{
    Array, BitOrder, DType, Nested, Op, apply_along_axis, apply_over_axes, array, array_str,
    array2string, asanyarray, asarray, asarray_chkfinite, astype, block, broadcast_shapes, copy,
    cumsum, diag, diag_indices_from, from_function, frombuffer, fromiter, fromstring, isfortran,
    mask_indices, may_share_memory, packbits, poly, polydiv, polyfit, row_stack, shares_memory,
    sort, tril, tril_indices_from, triu, triu_indices_from, unpackbits, unwrap,
};
use serde_json::Value;

fn order(a: &Arguments) -> BitOrder {
    match a.optional_text("bitorder").as_deref() {
        None | Some("big") => BitOrder::Big,
        Some("little") => BitOrder::Little,
        Some(other) => inexpressible(format!("bitorder {other}")),
    }
}

fn nested(a: &Arguments, value: &Value) -> Nested {
    if let Value::Array(items) = value {
        return Nested::List(items.iter().map(|item| nested(a, item)).collect());
    }
    match a.read_argument(value) {
        Some(phalanx::Argument::Array(array)) => Nested::Array(array),
        _ => inexpressible(value.to_string()),
    }
}

fn shapes(a: &Arguments) -> Answer {
    let shape = |place: usize| -> Vec<usize> {
        a.integers(place).iter().map(|&extent| extent as usize).collect()
    };
    let all: Vec<Vec<usize>> = (0..a.count()).map(shape).collect();
    broadcast_shapes(&all.iter().map(Vec::as_slice).collect::<Vec<_>>()).into()
}

fn buffer(a: &Arguments) -> Answer {
    let bytes = a.array(0).to_host().map(|host| host.bytes);
    let count = a.optional_int("count").map(|count| count as usize);
    bytes.map(|bytes| frombuffer(&bytes, a.dtype(1), count, a.int_or("offset", 0) as usize)).into()
}

fn numbers(a: &Arguments) -> Array {
    let count = a.optional_int("count").map(|count| count as usize);
    let numbers: Vec<phalanx_ops::Weak> = match a.value(0) {
        Some(Value::Array(items)) => {
            let number = |item: &Value| match a.read_argument(item) {
                Some(phalanx::Argument::Weak(weak)) => weak,
                _ => inexpressible(item.to_string()),
            };
            items.iter().map(number).collect()
        }
        other => inexpressible(format!("{other:?}")),
    };
    fromiter(numbers, a.dtype(1), count)
}

/// The name of a function that is an argument.
fn function(a: &Arguments, place: usize) -> String {
    let value = a.value(place).unwrap_or_default();
    value["function"].as_str().unwrap_or_else(|| inexpressible(value.to_string())).to_owned()
}

fn reduced(array: &Array, name: &str, axis: i64) -> Array {
    match name {
        "sum" => array.sum(axis),
        other => inexpressible(other.to_owned()),
    }
}

fn lines(a: &Arguments) -> Array {
    let (name, axis) = (function(a, 0), a.int(1));
    let line = |array: &Array| match name.as_str() {
        "sum" => array.sum(()),
        "sort" => sort(array, -1),
        "cumsum" => cumsum(array, None),
        "diag" => diag(array, 0),
        other => inexpressible(other.to_owned()),
    };
    apply_along_axis(line, axis, &a.array(2))
}

fn masked(name: &str, array: &Array, offset: i64) -> Array {
    match name {
        "tril" => tril(array, offset),
        "triu" => triu(array, offset),
        other => inexpressible(other.to_owned()),
    }
}

fn of_indices(a: &Arguments) -> Array {
    let op = match function(a, 0).as_str() {
        "add" => Op::Add,
        "multiply" => Op::Multiply,
        "less" => Op::Less,
        other => inexpressible(other.to_owned()),
    };
    let dtype = a.optional_dtype("dtype").unwrap_or(DType::F64);
    from_function(a.shape(1), |index| {
        let [first, second] = [0, 1].map(|axis| index[axis].astype(dtype));
        Array::apply(op, &[first.into(), second.into()])
    })
}

calls! { a =>
    "copy": copy(&a.array(0)),
    "array": array(&a.array(0), a.optional_dtype("dtype")),
    "asarray": asarray(&a.array(0), a.optional_dtype("dtype")),
    "asanyarray": asanyarray(&a.array(0), a.optional_dtype("dtype")),
    "asarray_chkfinite": asarray_chkfinite(&a.array(0), a.optional_dtype("dtype")),
    "astype": astype(&a.array(0), a.dtype(1)),
    "isfortran": isfortran(&a.array(0)),
    "shares_memory": shares_memory(&a.array(0), &a.array(1)),
    "may_share_memory": may_share_memory(&a.array(0), &a.array(1)),
    "frombuffer": buffer(a),
    "fromiter": numbers(a),
    "fromstring": fromstring(&a.text(0), a.dtype(1), &a.text("sep")),
    "packbits": packbits(&a.array(0), a.optional_int("axis"), order(a)),
    "unpackbits": unpackbits(
        &a.array(0),
        a.optional_int("axis"),
        a.optional_int("count"),
        order(a),
    ),
    "array_str": array_str(&a.array(0)),
    "array2string": array2string(&a.array(0)),
    "diag_indices_from": diag_indices_from(&a.array(0)),
    "tril_indices_from": tril_indices_from(&a.array(0), a.int_or(1, 0)),
    "triu_indices_from": triu_indices_from(&a.array(0), a.int_or(1, 0)),
    "row_stack": row_stack(&a.arrays(0).iter().collect::<Vec<_>>()),
    "broadcast_shapes": shapes(a),
    "unwrap": unwrap(
        &a.array(0),
        a.optional_float("discont"),
        a.int_or("axis", -1),
        a.float_or("period", std::f64::consts::TAU),
    ),
    "poly": poly(&a.array(0)),
    "polydiv": polydiv(&a.array(0), &a.array(1)),
    "polyfit": polyfit(
        &a.array(0),
        &a.array(1),
        a.extent(2),
        None,
        a.optional_array("w").as_ref(),
    ),
    "block": block(nested(a, &a.value(0).unwrap_or_default())),
    "apply_along_axis": lines(a),
    "apply_over_axes": {
        let (name, array) = (function(a, 0), a.array(1));
        apply_over_axes(|array, axis| reduced(array, &name, axis), &array, &a.integers(2))
    },
    "mask_indices": {
        let name = function(a, 1);
        mask_indices(a.extent(0), |array, offset| masked(&name, array, offset), a.int_or(2, 0))
    },
    "fromfunction": of_indices(a),
}
