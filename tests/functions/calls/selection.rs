//! Elements at positions and where conditions hold.

use crate::answer::Answer;
use crate::arguments::{Arguments, inexpressible};
use phalanx::{
    AnyIndex, Argument, Array, Mode, argwhere, choose, compress, extract, flatnonzero, ix_,
    nonzero, place, put_along_axis, ravel_multi_index, take, take_along_axis, unravel_index,
};

fn mode(a: &Arguments) -> Mode {
    match a.optional_text("mode").as_deref() {
        None | Some("raise") => Mode::Raise,
        Some("wrap") => Mode::Wrap,
        Some("clip") => Mode::Clip,
        Some(other) => inexpressible(format!("mode {other}")),
    }
}

fn shape(a: &Arguments, place: usize) -> Vec<usize> {
    a.integers(place).iter().map(|&extent| extent as usize).collect()
}

/// The array in an item of an index.
fn array_of(item: AnyIndex) -> Array {
    match item {
        AnyIndex::Array(array) => array,
        AnyIndex::Basic(item) => inexpressible(format!("{item:?}")),
    }
}

fn open_mesh(a: &Arguments) -> Answer {
    let items = ix_(&a.arrays_from(0));
    items.map(|items| items.into_iter().map(array_of).collect::<Vec<_>>()).into()
}

calls! { a =>
    "take" | "ndarray.take": take(&a.array(0), &a.array(1), a.optional_int("axis"), mode(a)),
    "put": a.array(0).put(&a.array(1), a.argument(2), mode(a)),
    "take_along_axis": take_along_axis(&a.array(0), &a.array(1), a.int_or((2, "axis"), -1)),
    "put_along_axis": put_along_axis(&a.array(0), &a.array(1), a.argument(2), a.int(3)),
    "choose": choose(
        &a.array(0),
        &a.arrays(1).into_iter().map(Argument::from).collect::<Vec<_>>(),
        mode(a),
    ),
    "compress": compress(&a.array(0), &a.array(1), a.optional_int("axis")),
    "extract": extract(&a.array(0), &a.array(1)),
    "place": place(&a.array(0), &a.array(1), &a.array(2)),
    "nonzero" | "ndarray.nonzero": nonzero(&a.array(0)),
    "flatnonzero": flatnonzero(&a.array(0)),
    "argwhere": argwhere(&a.array(0)),
    "unravel_index": unravel_index(&a.array(0), &shape(a, 1)),
    "ravel_multi_index": ravel_multi_index(&a.arrays(0), &shape(a, 1), mode(a)),
    "ix_": open_mesh(a),
}
