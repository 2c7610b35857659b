//! Selection of elements.

use crate::answer::Answer;
use crate::arguments::{Arguments, inexpressible};
use crate::case::index;
use phalanx::{AnyIndex, Index, from_slice, select};
use serde_json::Value;

calls! { a =>
    "ndarray.__getitem__": selected(a),
    "ndarray.__setitem__": a.array(0).try_assign_index(items(a), a.argument(2)),
    "where": select(&a.array(0), a.argument(1), a.argument(2)),
}

fn selected(a: &Arguments) -> Answer {
    let items = items(a);
    let basic = items.iter().map(|item| match item {
        AnyIndex::Basic(item) => Some(*item),
        AnyIndex::Array(_) => None,
    });
    match basic.collect::<Option<Vec<Index>>>() {
        Some(basic) => a.array(0).slice(basic).into(),
        None => a.array(0).index(items).into(),
    }
}

/// The items of an index; a truth value is a mask of no axes.
fn items(a: &Arguments) -> Vec<AnyIndex> {
    let value = a.value(1).unwrap_or_else(|| inexpressible(String::from("no index")));
    let tuple = value.get("tuple").and_then(Value::as_array);
    let items = tuple.map_or(std::slice::from_ref(&value), Vec::as_slice);
    let item = |item: &Value| match (item.as_bool(), a.read_array(item)) {
        (Some(truth), _) => AnyIndex::Array(from_slice(&[truth], ())),
        (None, Some(array)) => AnyIndex::Array(array),
        (None, None) => AnyIndex::Basic(index(item)),
    };
    items.iter().map(item).collect()
}
