//! Extrema over windows, in the dtype of the value.

use super::element::Element;
use crate::cpu::instructions::for_each_level;

/// Elements of the result that are computed together.
const LANES: usize = 32;

/// For each element, the least or greatest of those at `places`, which count from that element.
pub(super) fn extremum_row<T: Element>(
    is_greatest: bool,
    out: &mut [T],
    rows: &[T],
    places: &[usize],
) {
    if is_greatest { greatest(out, rows, places) } else { least(out, rows, places) }
}

/// The heights of the elements of a window. As in SciPy, the first one is a number, and the others
/// have the dtype of the value, where integers wrap.
pub(super) struct Heights<T> {
    pub first: f64,
    pub others: Vec<T>,
}

/// As `extremum_row`, with the heights of the places added for a greatest element and subtracted
/// for a least one.
pub(super) fn raised_row<T: Element>(
    is_greatest: bool,
    out: &mut [f64],
    rows: &[T],
    places: &[usize],
    heights: &Heights<T>,
) {
    if is_greatest {
        greatest_raised(out, rows, places, heights);
    } else {
        least_lowered(out, rows, places, heights);
    }
}

#[inline(always)]
fn chosen<T: Element, R: Copy>(
    out: &mut [R],
    rows: &[T],
    places: &[usize],
    changed: impl Fn(T, usize) -> R + Copy,
    choose: impl Fn(R, R) -> R + Copy,
) {
    let Some((&first, others)) = places.split_first() else { return };
    for (number, out) in out.chunks_mut(LANES).enumerate() {
        let start = number * LANES;
        if let Ok(out) = <&mut [R; LANES]>::try_from(&mut *out) {
            let Some(from) = rows[first + start..].first_chunk::<LANES>() else { continue };
            let mut so_far = from.map(|element| changed(element, 0));
            for (tap, &place) in (1..).zip(others) {
                let Some(read) = rows[place + start..].first_chunk::<LANES>() else { continue };
                for lane in 0..LANES {
                    so_far[lane] = choose(so_far[lane], changed(read[lane], tap));
                }
            }
            *out = so_far;
        } else {
            for (lane, out) in out.iter_mut().enumerate() {
                let read = |place: usize, tap| changed(rows[place + start + lane], tap);
                let others = (1..).zip(others);
                *out = others
                    .fold(read(first, 0), |so_far, (tap, &place)| choose(so_far, read(place, tap)));
            }
        }
    }
}

#[inline(always)]
fn lesser<T: PartialOrd>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

#[inline(always)]
fn greater<T: PartialOrd>(a: T, b: T) -> T {
    if b > a { b } else { a }
}

for_each_level! {
    fn least[T: Element][T](out: &mut [T], rows: &[T], places: &[usize]) {
        chosen(out, rows, places, |element, _| element, lesser);
    }
}

for_each_level! {
    fn greatest[T: Element][T](out: &mut [T], rows: &[T], places: &[usize]) {
        chosen(out, rows, places, |element, _| element, greater);
    }
}

for_each_level! {
    fn least_lowered[T: Element][T](
        out: &mut [f64],
        rows: &[T],
        places: &[usize],
        heights: &Heights<T>,
    ) {
        let lowered = |element: T, tap: usize| match tap {
            0 => element.wide() - heights.first,
            _ => element.minus(heights.others[tap - 1]).wide(),
        };
        chosen(out, rows, places, lowered, lesser);
    }
}

for_each_level! {
    fn greatest_raised[T: Element][T](
        out: &mut [f64],
        rows: &[T],
        places: &[usize],
        heights: &Heights<T>,
    ) {
        let raised = |element: T, tap: usize| match tap {
            0 => element.wide() + heights.first,
            _ => element.plus(heights.others[tap - 1]).wide(),
        };
        chosen(out, rows, places, raised, greater);
    }
}
