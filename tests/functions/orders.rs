//! Answers that are correct in several orders: partitions, and sorts that are not stable.

use crate::arguments::Arguments;
use crate::elements::{Number, numbers};
use phalanx::HostArray;
use std::cmp::Ordering;

/// The flat positions of each row of elements along an axis; without an axis, of all elements.
fn rows(shape: &[usize], axis: Option<i64>) -> Vec<Vec<usize>> {
    let size: usize = shape.iter().product();
    let Some(axis) = axis.filter(|_| !shape.is_empty()) else { return vec![(0..size).collect()] };
    let axis = axis.rem_euclid(shape.len() as i64) as usize;
    let step: usize = shape[axis + 1..].iter().product();
    let (extent, count) = (shape[axis], size / shape[axis].max(1));
    let start = |row: usize| row / step * step * extent + row % step;
    (0..count).map(|row| (0..extent).map(|at| start(row) + at * step).collect()).collect()
}

/// The axis of a sort: the last one by default; `None` for all elements.
fn axis(arguments: &Arguments, place: usize) -> Option<i64> {
    match arguments.value((place, "axis")) {
        Some(value) => value.as_i64(),
        None => Some(-1),
    }
}

/// NumPy's order of sorting: NaN last, complex numbers by their real parts first.
fn order(left: &Number, right: &Number) -> Ordering {
    if let (Number::Whole(left), Number::Whole(right)) = (left, right) {
        return left.cmp(right);
    }
    let part = |left: f64, right: f64| {
        left.is_nan().cmp(&right.is_nan()).then(left.partial_cmp(&right).unwrap_or(Ordering::Equal))
    };
    let ([left, left_imaginary], [right, right_imaginary]) = (left.parts(), right.parts());
    part(left, right).then(part(left_imaginary, right_imaginary))
}

/// The elements that positions along an axis choose.
fn chosen(
    given: &HostArray,
    positions: &HostArray,
    axis: Option<i64>,
) -> Result<Vec<Number>, String> {
    let (values, places) =
        (numbers(given.dtype, &given.bytes), numbers(positions.dtype, &positions.bytes));
    let mut chosen = vec![Number::Whole(0); places.len()];
    // Without an axis the result is a vector of all positions.
    let targets = rows(&positions.shape, axis.or(Some(0)));
    for (sources, targets) in rows(&given.shape, axis).iter().zip(targets) {
        let mut seen = vec![false; sources.len()];
        for target in targets {
            let Number::Whole(place) = places[target] else { return Err("no positions".into()) };
            let source = usize::try_from(place).ok().filter(|&place| place < sources.len());
            let source = source.ok_or(format!("position {place} of {}", sources.len()))?;
            if std::mem::replace(&mut seen[source], true) {
                return Err(format!("position {place} comes twice"));
            }
            chosen[target] = values[sources[source]];
        }
    }
    Ok(chosen)
}

/// Checks positions that sort the given array, with any order of equal elements.
pub fn sorting(
    arguments: &Arguments,
    given: &HostArray,
    found: &HostArray,
    expected: &HostArray,
) -> Result<(), String> {
    let axis = axis(arguments, 1);
    let (left, right) = (chosen(given, found, axis)?, chosen(given, expected, axis)?);
    same(&left, &right)
}

/// Checks a partition of elements, or of their positions: the pivots are where sorting would put
/// them, with smaller elements before them and greater ones after.
pub fn partition(
    arguments: &Arguments,
    given: &HostArray,
    found: &HostArray,
    are_positions: bool,
) -> Result<(), String> {
    let axis = axis(arguments, 2);
    let places = arguments.integers((1, "kth"));
    let parted = match are_positions {
        true => chosen(given, found, axis)?,
        false => numbers(found.dtype, &found.bytes),
    };
    let values = numbers(given.dtype, &given.bytes);
    let parted_rows = rows(&found.shape, axis.or(Some(0)));
    for (given_row, parted_row) in rows(&given.shape, axis).iter().zip(parted_rows) {
        let mut sorted: Vec<Number> = given_row.iter().map(|&at| values[at]).collect();
        sorted.sort_by(order);
        let row: Vec<Number> = parted_row.iter().map(|&at| parted[at]).collect();
        for &place in &places {
            let place = place.rem_euclid(row.len().max(1) as i64) as usize;
            let Some(pivot) = row.get(place) else { continue };
            same(std::slice::from_ref(pivot), &sorted[place..=place])?;
            if row[..place].iter().any(|one| order(one, pivot).is_gt())
                || row[place..].iter().any(|one| order(one, pivot).is_lt())
            {
                return Err(format!("not parted at {place}: {row:?}"));
            }
        }
        let mut again = row;
        again.sort_by(order);
        same(&again, &sorted)?;
    }
    Ok(())
}

fn same(found: &[Number], expected: &[Number]) -> Result<(), String> {
    let equal = |(left, right): (&Number, &Number)| order(left, right).is_eq();
    if found.len() == expected.len() && found.iter().zip(expected).all(equal) {
        return Ok(());
    }
    Err(format!("chooses {found:?}, expected {expected:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Case;

    fn arguments(keywords: &str) -> Arguments {
        let line = r#"{"function": "f", "text": "", "arrays": [], "arguments": [], "keywords": "#;
        Arguments::new(&Case::new(&format!("{line}{keywords}}}")), Vec::new())
    }

    #[test]
    fn an_array_that_is_not_parted_is_refused() {
        let given = HostArray::from_slice(&[3i64, 1, 2, 9, 7, 8], &[2, 3]);
        let last = arguments(r#"{"kth": 1}"#);
        let check = |found: [i64; 6]| {
            partition(&last, &given, &HostArray::from_slice(&found, &[2, 3]), false)
        };
        assert!(check([1, 2, 3, 7, 8, 9]).is_ok());
        assert!(check([1, 3, 2, 7, 8, 9]).is_err(), "another element at the place");
        assert!(check([3, 2, 1, 7, 8, 9]).is_err(), "the sides exchanged");
        assert!(check([1, 2, 4, 7, 8, 9]).is_err(), "another element");
        let first = arguments(r#"{"kth": 0, "axis": 0}"#);
        let positions = |found: [i64; 6]| {
            partition(&first, &given, &HostArray::from_slice(&found, &[2, 3]), true)
        };
        assert!(positions([0, 0, 0, 1, 1, 1]).is_ok());
        assert!(positions([0, 1, 0, 1, 0, 1]).is_err(), "a greater element first");
        assert!(positions([0, 0, 0, 1, 1, 0]).is_err(), "a position twice");
    }

    #[test]
    fn positions_that_do_not_sort_are_refused() {
        let given = HostArray::from_slice(&[2.0, f64::NAN, 2.0, 1.0], &[4]);
        let expected = HostArray::from_slice(&[3i64, 0, 2, 1], &[4]);
        let check = |found: [i64; 4]| {
            sorting(&arguments("{}"), &given, &HostArray::from_slice(&found, &[4]), &expected)
        };
        assert!(check([3, 2, 0, 1]).is_ok());
        assert!(check([3, 0, 1, 2]).is_err(), "NaN before a number");
        assert!(check([3, 0, 0, 1]).is_err(), "a position twice");
        assert!(check([3, 0, 4, 1]).is_err(), "a position beyond");
    }
}
