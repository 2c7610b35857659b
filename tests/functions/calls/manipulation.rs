//! Shapes, views and copies.

use crate::arguments::{Arguments, inexpressible};
use phalanx::{
    Array, AxisList, Casting, Ends, Index, PadMode, PadWidths, Positions, Sections, Statistic,
    Trim, append, array_split, atleast_1d, atleast_2d, atleast_3d, broadcast_arrays, column_stack,
    concat, copyto, delete, dsplit, dstack, fill_diagonal, flip, fliplr, flipud, hsplit, hstack,
    insert, matrix_transpose, moveaxis, pad, permute_dims, putmask, repeat, repeat_each, resize,
    roll, rollaxis, rot90, split, stack, swapaxes, tile, trim_zeros, unstack, vsplit, vstack,
};
use serde_json::Value;

calls! { a =>
    "reshape" | "ndarray.reshape": a.array(0).reshape(a.integers(1).as_slice()),
    "ravel" | "ndarray.ravel": a.array(0).ravel(),
    "ndarray.flatten": a.array(0).flatten(),
    "transpose" | "ndarray.transpose": match a.optional_integers(1) {
        Some(axes) => a.array(0).transpose(axes),
        None => a.array(0).t(),
    },
    "ndarray.T": a.array(0).t(),
    "ndarray.copy": a.array(0).copy(),
    "squeeze" | "ndarray.squeeze": a.array(0).squeeze(),
    "expand_dims": a.array(0).expand_dims(a.integers(1)),
    "broadcast_to": a.array(0).broadcast_to(a.shape(1)),
    "real" | "ndarray.real": a.array(0).real(),
    "imag" | "ndarray.imag": a.array(0).imag(),
    "ndarray.view": a.array(0).view(a.dtype(1)),
    "ndarray.astype": a.array(0).astype(a.dtype(1)),
    "ndarray.conj" | "ndarray.conjugate": a.array(0).conj(),
    "shape" | "ndarray.shape": a.array(0).shape(),
    "ndim" | "ndarray.ndim": a.array(0).ndim(),
    "size" | "ndarray.size": a.array(0).size(),
    "ndarray.dtype": a.array(0).dtype(),
    "moveaxis": moveaxis(&a.array(0), a.integers(1), a.integers(2)),
    "rollaxis": rollaxis(&a.array(0), a.int(1), a.int_or(2, 0)),
    "swapaxes" | "ndarray.swapaxes": swapaxes(&a.array(0), a.int(1), a.int(2)),
    "permute_dims": permute_dims(&a.array(0), a.integers(1)),
    "matrix_transpose": matrix_transpose(&a.array(0)),
    "ndarray.mT": a.array(0).mt(),
    "broadcast_arrays": broadcast_arrays(&refer(&a.arrays_from(0))),
    "atleast_1d": atleast_1d(&a.array(0)),
    "atleast_2d": atleast_2d(&a.array(0)),
    "atleast_3d": atleast_3d(&a.array(0)),
    "concatenate" | "concat": concat(&refer(&a.arrays(0)), axis_or(a, "axis", 0)),
    "stack": stack(&refer(&a.arrays(0)), a.int_or("axis", 0)),
    "vstack": vstack(&refer(&a.arrays(0))),
    "hstack": hstack(&refer(&a.arrays(0))),
    "dstack": dstack(&refer(&a.arrays(0))),
    "column_stack": column_stack(&refer(&a.arrays(0))),
    "array_split": array_split(&a.array(0), sections(a), a.int_or("axis", 0)),
    "split": split(&a.array(0), sections(a), a.int_or("axis", 0)),
    "hsplit": hsplit(&a.array(0), sections(a)),
    "vsplit": vsplit(&a.array(0), sections(a)),
    "dsplit": dsplit(&a.array(0), sections(a)),
    "unstack": unstack(&a.array(0), a.int_or("axis", 0)),
    "flip": flip(&a.array(0), AxisList::from(a.optional_integers(1))),
    "fliplr": fliplr(&a.array(0)),
    "flipud": flipud(&a.array(0)),
    "rot90": rot90(&a.array(0), a.int_or(1, 1), match a.optional_integers("axes").as_deref() {
        None => [0, 1],
        Some(&[first, second]) => [first, second],
        Some(_) => inexpressible("axes".into()),
    }),
    "roll": roll(&a.array(0), a.integers(1), AxisList::from(a.optional_integers("axis"))),
    "repeat" | "ndarray.repeat": match a.integers(1)[..] {
        [count] if count >= 0 => repeat(&a.array(0), count as usize, axis(a, "axis")),
        _ => repeat_each(&a.array(0), &counts(a), axis(a, "axis")),
    },
    "tile": tile(&a.array(0), a.shape(1)),
    "resize": resize(&a.array(0), a.shape(1)),
    "append": append(&a.array(0), &a.array(1), axis(a, "axis")),
    "delete": delete(&a.array(0), positions(a), axis(a, "axis")),
    "insert": insert(&a.array(0), positions(a), &a.array(2), axis(a, "axis")),
    "trim_zeros": trim_zeros(&a.array(0), match a.optional_text(1).as_deref() {
        None | Some("fb") => Trim::Both,
        Some("f") => Trim::Front,
        Some("b") => Trim::Back,
        Some(other) => inexpressible(format!("trim {other}")),
    }, axis(a, "axis")),
    "pad": pad(&a.array(0), widths(a, 1), mode(a)),
    "diagonal" | "ndarray.diagonal":
        a.array(0).diagonal(a.int_or(1, 0), a.int_or(2, 0), a.int_or(3, 1)),
    "trace" | "ndarray.trace": a.array(0).trace(a.int_or(1, 0), a.int_or(2, 0), a.int_or(3, 1)),
    "copyto": {
        let mask = match a.value("where") {
            Some(Value::Bool(true)) | None => None,
            Some(_) => Some(a.array("where")),
        };
        copyto(&a.array(0), a.argument(1), mask.as_ref(), Casting::SameKind)
    },
    "putmask": putmask(&a.array(0), &a.array(1), a.argument(2)),
    "fill_diagonal": fill_diagonal(&a.array(0), a.argument(1), a.flag("wrap")),
}

fn refer(arrays: &[Array]) -> Vec<&Array> {
    arrays.iter().collect()
}

fn axis(a: &Arguments, key: &'static str) -> AxisList {
    AxisList::from(a.optional_int(key))
}

fn axis_or(a: &Arguments, key: &'static str, default: i64) -> AxisList {
    AxisList::from(a.optional_or(key, default))
}

fn sections(a: &Arguments) -> Sections {
    match a.value(1) {
        Some(Value::Number(_)) => Sections::Count(a.extent(1)),
        _ => Sections::At(a.integers(1)),
    }
}

fn counts(a: &Arguments) -> Vec<usize> {
    let count = |count: i64| {
        usize::try_from(count).unwrap_or_else(|_| inexpressible(format!("count {count}")))
    };
    a.integers(1).into_iter().map(count).collect()
}

fn positions(a: &Arguments) -> Positions {
    match a.value(1) {
        Some(Value::Number(_)) => Positions::One(a.int(1)),
        Some(value) if value.get("slice").is_some() => {
            let index: Vec<Index> = a.index(1);
            Positions::from(index[0])
        }
        _ => Positions::Many(a.integers(1)),
    }
}

/// One number, a pair, or a tuple of pairs.
fn pairs<T: Copy>(value: &Value, read: &impl Fn(&Value) -> Option<T>) -> Option<Vec<(T, T)>> {
    let items = |value: &Value| value.get("tuple").unwrap_or(value).as_array().cloned();
    let Some(outer) = items(value) else {
        let one = read(value)?;
        return Some(vec![(one, one)]);
    };
    if let [first, second] = &outer[..]
        && let (Some(first), Some(second)) = (read(first), read(second))
    {
        return Some(vec![(first, second)]);
    }
    outer
        .iter()
        .map(|item| match &items(item)?[..] {
            [first, second] => Some((read(first)?, read(second)?)),
            _ => None,
        })
        .collect()
}

fn width_pairs(value: &Value) -> PadWidths {
    let read = |value: &Value| usize::try_from(value.as_i64()?).ok();
    let read = pairs(value, &read);
    PadWidths::Each(read.unwrap_or_else(|| inexpressible(format!("widths {value}"))))
}

fn widths(a: &Arguments, place: usize) -> PadWidths {
    width_pairs(&a.value(place).unwrap_or(Value::Null))
}

fn ends(a: &Arguments, key: &'static str) -> Ends {
    let Some(value) = a.value(key) else { return Ends::from(0) };
    let number = |value: &Value| match value {
        Value::Number(number) if number.is_i64() => number.as_i64().map(Into::into),
        other => other.as_f64().map(Into::into),
    };
    let read = pairs(&value, &number);
    Ends::Each(read.unwrap_or_else(|| inexpressible(format!("{key} {value}"))))
}

fn mode(a: &Arguments) -> PadMode {
    let statistic = |statistic| {
        let lengths = a.value("stat_length").filter(|value| !value.is_null());
        PadMode::Statistic(statistic, lengths.map(|value| width_pairs(&value)))
    };
    let odd = || a.optional_text("reflect_type").as_deref() == Some("odd");
    match a.optional_text("mode").as_deref() {
        None | Some("constant") => PadMode::Constant(ends(a, "constant_values")),
        Some("empty") => PadMode::Empty,
        Some("edge") => PadMode::Edge,
        Some("linear_ramp") => PadMode::LinearRamp(ends(a, "end_values")),
        Some("maximum") => statistic(Statistic::Maximum),
        Some("minimum") => statistic(Statistic::Minimum),
        Some("mean") => statistic(Statistic::Mean),
        Some("reflect") => PadMode::Reflect { odd: odd() },
        Some("symmetric") => PadMode::Symmetric { odd: odd() },
        Some("wrap") => PadMode::Wrap,
        Some(other) => inexpressible(format!("mode {other}")),
    }
}
