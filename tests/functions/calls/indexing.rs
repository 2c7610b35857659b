//! Selection of elements.

use crate::arguments::Arguments;
use phalanx::{AnyIndex, select};

calls! { a =>
    "ndarray.__getitem__": a.array(0).slice(a.index(1)),
    "ndarray.__setitem__": a.array(0).try_assign_index(items(a), a.argument(2)),
    "where": select(&a.array(0), a.argument(1), a.argument(2)),
}

fn items(a: &Arguments) -> Vec<AnyIndex> {
    a.index(1).into_iter().map(AnyIndex::Basic).collect()
}
