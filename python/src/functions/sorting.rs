//! Order: sorting, searching, and vectors as sets.

use crate::calls::answer::Answer;
use crate::calls::arguments::Arguments;
use crate::calls::named::named;
use crate::functions;
use crate::interpreter::errors::{raised, value_error};
use crate::interpreter::mistakes::Mistake;
use phalanx::{
    Array, Side, Unique, argpartition, argsort, argsort_descending, intersect1d,
    intersect1d_indices, isin, lexsort, partition, searchsorted, searchsorted_by, setdiff1d,
    setdiff1d_in_order, setxor1d, sort, sort_complex, sort_descending, union1d, unique,
    unique_along, unique_with,
};
use pyo3::prelude::*;
use pyo3::types::PyBool;

/// The axis, by default the last one; `None` for all elements in one line.
fn axis(a: &Arguments<'_, '_>) -> PyResult<Option<i64>> {
    match a.find("axis") {
        None => Ok(Some(-1)),
        Some(_) => a.optional_integer("axis"),
    }
}

/// Checks `kind`, `order` and `stable`, which do not change the result: every sort here is stable.
fn checked(a: &Arguments<'_, '_>) -> PyResult<()> {
    if a.has("order") {
        return Err(value_error(
            Mistake::Together,
            "Cannot specify order when the array has no fields.",
        ));
    }
    let kind = a.optional_text("kind")?;
    if a.takes("stable") && a.has("stable") && kind.is_some() {
        return Err(value_error(
            Mistake::Value,
            "`kind` and keyword parameters can't be provided at the same time",
        ));
    }
    let first = kind.as_deref().and_then(|kind| kind.chars().next());
    match first {
        None | Some('q' | 'Q' | 'm' | 'M' | 'h' | 'H' | 's' | 'S' | 'i' | 'I') => Ok(()),
        Some(_) => {
            Err(value_error(Mistake::Choice, format!("{}(): no such kind of sort", a.name())))
        }
    }
}

/// The positions that `partition` puts elements at.
fn kth(a: &Arguments<'_, '_>) -> PyResult<Vec<i64>> {
    if a.object("kth")?.is_instance_of::<PyBool>() {
        return Err(value_error(Mistake::Value, "Booleans unacceptable as partition index"));
    }
    a.integers("kth")
}

fn searched(a: &Arguments<'_, '_>) -> PyResult<Array> {
    let side = match a.text_or("side", "left")?.as_str() {
        "left" | "l" | "L" => Side::Left,
        "right" | "r" | "R" => Side::Right,
        other => {
            return Err(value_error(
                Mistake::Value,
                format!("search side must be 'left' or 'right' (got '{other}')"),
            ));
        }
    };
    let (array, values) = (a.array("a")?, a.argument("v")?);
    Ok(match a.optional_array("sorter")? {
        Some(order) => searchsorted_by(&array, &order, values, side),
        None => searchsorted(&array, values, side),
    })
}

fn found_unique(a: &Arguments<'_, '_>) -> PyResult<Answer> {
    let array = a.array("ar")?;
    let equal_nan = a.truth_or("equal_nan", true)?;
    let wants = ["return_index", "return_inverse", "return_counts"];
    let [index, inverse, counts] = wants.map(|name| a.truth_or(name, false));
    let (index, inverse, counts) = (index?, inverse?, counts?);
    let axis = a.optional_integer("axis")?;
    if axis.is_none() && equal_nan && !index && !inverse && !counts {
        return Ok(unique(&array).into());
    }
    let found = match axis {
        // The slices of a vector are its elements, and their NaNs are equal.
        Some(-1 | 0) if equal_nan && array.ndim() == 1 => unique_with(&array, true),
        Some(axis) => unique_along(&array, axis),
        None => unique_with(&array, equal_nan),
    };
    let found = found.map_err(|error| raised(a.py(), &error))?;
    let mut answers = vec![Answer::from(found.values)];
    let more = [(index, found.indices), (inverse, found.inverse), (counts, found.counts)];
    answers.extend(more.into_iter().filter(|(wanted, _)| *wanted).map(|(_, part)| part.into()));
    Ok(match answers.len() {
        1 => answers.remove(0),
        _ => Answer::Tuple(answers),
    })
}

/// The result for the functions of the array API standard, to which NaNs differ from each other.
fn different(a: &Arguments<'_, '_>) -> PyResult<Unique> {
    unique_with(&a.array("x")?, false).map_err(|error| raised(a.py(), &error))
}

functions! { FUNCTIONS, a =>
    "sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False)",
    "A sorted copy of an array.":
    {
        checked(a)?;
        if a.truth_or("descending", false)? {
            sort_descending(&a.array("a")?, axis(a)?)
        } else {
            sort(&a.array("a")?, axis(a)?)
        }
    };

    "argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False)",
    "The positions of the elements in sorted order.":
    {
        checked(a)?;
        if a.truth_or("descending", false)? {
            argsort_descending(&a.array("a")?, axis(a)?)
        } else {
            argsort(&a.array("a")?, axis(a)?)
        }
    };

    "sort_complex(a)",
    "A copy as complex numbers, sorted by real parts first.":
    sort_complex(&a.array("a")?);

    "lexsort(keys, axis=-1)",
    "The positions of the elements in the order of several keys; the last key is the primary one.":
    lexsort(&a.arrays("keys")?, a.integer_or("axis", -1)?);

    "partition(a, kth, axis=-1, kind='introselect', order=None)",
    "A copy whose elements at the positions `kth` are those of the sorted array.":
    {
        checked(a)?;
        partition(&a.array("a")?, &kth(a)?, axis(a)?)
    };

    "argpartition(a, kth, axis=-1, kind='introselect', order=None)",
    "The positions at which a partition has its elements; see `partition` for the order.":
    {
        checked(a)?;
        argpartition(&a.array("a")?, &kth(a)?, axis(a)?)
    };

    "searchsorted(a, v, side='left', sorter=None)",
    "The positions at which elements can be inserted so that a vector stays sorted.":
    searched(a);

    "unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, \
     equal_nan=True, sorted=True)",
    "The distinct elements in ascending order, or the distinct slices along an axis.":
    found_unique(a);

    "unique_values(x)",
    "The distinct elements in ascending order.":
    different(a)?.values;

    "unique_counts(x)",
    "The distinct elements in ascending order, and the number of occurrences of each.":
    {
        let found = different(a)?;
        named(a.py(), "UniqueCountsResult", vec![found.values.into(), found.counts.into()])
    };

    "unique_inverse(x)",
    "The distinct elements in ascending order, and for each element its index among them.":
    {
        let found = different(a)?;
        named(a.py(), "UniqueInverseResult", vec![found.values.into(), found.inverse.into()])
    };

    "unique_all(x)",
    "The distinct elements in ascending order, the first position of each, for each element its \
     index among them, and the number of occurrences of each.":
    {
        let found = different(a)?;
        let parts = [found.values, found.indices, found.inverse, found.counts];
        named(a.py(), "UniqueAllResult", parts.map(Answer::from).into())
    };

    "isin(element, test_elements, assume_unique=False, invert=False, *, kind=None)",
    "Whether each element is among the elements of another array.":
    isin(&a.array("element")?, &a.array("test_elements")?, a.truth_or("invert", false)?);

    "union1d(ar1, ar2)",
    "The distinct elements of two arrays in ascending order.":
    union1d(&a.array("ar1")?, &a.array("ar2")?);

    "intersect1d(ar1, ar2, assume_unique=False, return_indices=False)",
    "The distinct elements that are in both arrays, in ascending order.":
    {
        let (first, second) = (a.array("ar1")?, a.array("ar2")?);
        if a.truth_or("return_indices", false)? {
            Answer::from(intersect1d_indices(&first, &second))
        } else {
            Answer::from(intersect1d(&first, &second))
        }
    };

    "setdiff1d(ar1, ar2, assume_unique=False)",
    "The distinct elements of the first array that are not in the second.":
    {
        let (first, second) = (a.array("ar1")?, a.array("ar2")?);
        if a.truth_or("assume_unique", false)? {
            setdiff1d_in_order(&first, &second)
        } else {
            setdiff1d(&first, &second)
        }
    };

    "setxor1d(ar1, ar2, assume_unique=False)",
    "The distinct elements that are in only one of two arrays, in ascending order.":
    setxor1d(&a.array("ar1")?, &a.array("ar2")?);
}

functions! { METHODS, a =>
    "sort(a, axis=-1, kind=None, order=None, *, stable=None)",
    "Sorts the array in place.":
    {
        checked(a)?;
        a.array("a")?.try_sort(a.integer_or("axis", -1)?)
    };

    "partition(a, kth, axis=-1, kind='introselect', order=None)",
    "Reorders the array in place: the positions `kth` get the elements of the sorted array.":
    {
        checked(a)?;
        a.array("a")?.try_partition(&kth(a)?, a.integer_or("axis", -1)?)
    };
}
