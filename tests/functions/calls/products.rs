//! Products of vectors, matrices and stacks of them.

use crate::arguments::{Arguments, inexpressible};
use phalanx::{
    ContractedAxes, cross, dot, einsum, inner, kron, matmul, matrix_power, matvec, multi_dot,
    outer, tensordot, vdot, vecdot, vecmat,
};
use serde_json::Value;

calls! { a =>
    "matmul": matmul(&a.array(0), &a.array(1)),
    "dot": dot(&a.array(0), &a.array(1)),
    "vdot": vdot(&a.array(0), &a.array(1)),
    "inner": inner(&a.array(0), &a.array(1)),
    "outer": outer(&a.array(0), &a.array(1)),
    "vecdot": vecdot(&a.array(0), &a.array(1), a.int_or("axis", -1)),
    "matvec": matvec(&a.array(0), &a.array(1)),
    "vecmat": vecmat(&a.array(0), &a.array(1)),
    "tensordot": tensordot(&a.array(0), &a.array(1), contracted(a)),
    "kron": kron(&a.array(0), &a.array(1)),
    "cross": cross(&a.array(0), &a.array(1), [-1, -1, -1]),
    "einsum": einsum(&a.text(0), &a.arrays_from(1).iter().collect::<Vec<_>>()),
    "linalg.matrix_power": matrix_power(&a.array(0), a.int(1)),
    "linalg.multi_dot": multi_dot(&a.arrays(0).iter().collect::<Vec<_>>()),
}

fn contracted(a: &Arguments) -> ContractedAxes {
    let list = |value: &Value| -> Option<Vec<i64>> {
        match value.get("tuple").unwrap_or(value) {
            Value::Array(items) => items.iter().map(Value::as_i64).collect(),
            one => one.as_i64().map(|axis| vec![axis]),
        }
    };
    match a.value(2) {
        Some(Value::Number(_)) => ContractedAxes::Count(a.extent(2)),
        Some(value) => match value.get("tuple").unwrap_or(&value).as_array().map(Vec::as_slice) {
            Some([left, right]) => match (list(left), list(right)) {
                (Some(left), Some(right)) => ContractedAxes::Pairs(left, right),
                _ => inexpressible(format!("axes {value}")),
            },
            _ => inexpressible(format!("axes {value}")),
        },
        None => ContractedAxes::Count(2),
    }
}
