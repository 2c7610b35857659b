//! Order: sorting, searching, sets.

use crate::arguments::{Arguments, inexpressible};
use phalanx::{
    Side, argpartition, argsort, digitize, intersect1d, isin, lexsort, partition, searchsorted,
    setdiff1d, setxor1d, sort, sort_complex, union1d, unique, unique_all,
};

calls! { a =>
    "sort": sort(&a.array(0), axis(a)),
    "ndarray.sort": a.array(0).sort(a.int_or("axis", -1)),
    "argsort": argsort(&a.array(0), axis(a)),
    "ndarray.argsort": a.array(0).argsort(axis(a)),
    "sort_complex": sort_complex(&a.array(0)),
    "partition": partition(&a.array(0), &a.integers(1), axis(a)),
    "argpartition" | "ndarray.argpartition":
        argpartition(&a.array(0), &a.integers(1), axis(a)),
    "lexsort": lexsort(&a.arrays(0), a.int_or("axis", -1)),
    "searchsorted": searchsorted(&a.array(0), a.argument(1), side(a)),
    "ndarray.searchsorted": a.array(0).searchsorted(a.argument(1), side(a)),
    "digitize": digitize(&a.array(0), &a.array(1), a.flag("right")),
    "unique" | "unique_values": unique(&a.array(0)),
    "unique_all": unique_all(&a.array(0))
        .map(|found| vec![found.values, found.indices, found.inverse, found.counts]),
    "unique_inverse": unique_all(&a.array(0)).map(|found| (found.values, found.inverse)),
    "unique_counts": unique_all(&a.array(0)).map(|found| (found.values, found.counts)),
    "isin": isin(&a.array(0), &a.array(1), a.flag("invert")),
    "union1d": union1d(&a.array(0), &a.array(1)),
    "intersect1d": intersect1d(&a.array(0), &a.array(1)),
    "setdiff1d": setdiff1d(&a.array(0), &a.array(1)),
    "setxor1d": setxor1d(&a.array(0), &a.array(1)),
}

/// The axis; by default the last one.
fn axis(a: &Arguments) -> Option<i64> {
    a.optional_or("axis", -1)
}

fn side(a: &Arguments) -> Side {
    match a.optional_text("side").as_deref() {
        None | Some("left") => Side::Left,
        Some("right") => Side::Right,
        Some(other) => inexpressible(format!("side {other}")),
    }
}
