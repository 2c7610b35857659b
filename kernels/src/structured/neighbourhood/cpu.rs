//! Windows around each element, on the host.

use super::element::Element;
use super::extremum::{Heights, extremum_row, raised_row};
use super::geometry::Geometry;
use super::rank::{LANES, LARGEST_NETWORK, network, rank_row};
use super::rows::{Reader, Ring};
use super::sum::{LineOrder, Tap, add_line, add_window};
use crate::cpu::loops::for_type;
use crate::structured::Block;
use crate::structured::lines::Places;
use phalanx_ops::DType;
use phalanx_ops::structured::{Neighbourhood, WindowCombine};
use std::marker::PhantomData;

/// Calls a generic function with the type of the elements of a dtype.
macro_rules! with_element {
    ($dtype:expr, $T:ident => $call:expr) => {
        for_type!(
            $dtype,
            [
                Bool | U8 u8, I8 i8, I16 i16, I32 i32, I64 i64, U16 u16, U32 u32, U64 u64,
                F32 f32, F64 f64
            ],
            $T => $call
        )
        .unwrap_or_else(|| unreachable!("bug: windows of {}", $dtype))
    };
}

/// Computes the block `to` of the result. The operands are the block of the value, the window, the
/// heights if there are any, and the boxes of the halo.
///
/// Panics (`bug:`) if the boxes lack an element that a window reads.
pub fn run(
    op: &Neighbourhood,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    if to.is_empty() {
        return;
    }
    let call = Call::new(op, operands, to);
    match op.combine {
        WindowCombine::Sum | WindowCombine::Line | WindowCombine::Mean => {
            with_element!(operands[0].dtype, T => call.sum::<T>(pool));
        }
        WindowCombine::Minimum | WindowCombine::Maximum => match operands.get(2) {
            Some(heights) if op.has_heights => {
                with_element!(operands[0].dtype, T => call.raised::<T>(heights, pool));
            }
            _ => with_element!(operands[0].dtype, T => call.extremum::<T>(pool)),
        },
        WindowCombine::Rank(rank) => {
            with_element!(operands[0].dtype, T => call.rank::<T>(rank as usize, pool));
        }
    }
}

/// A call with its geometry and the elements of the window that count.
struct Call<'a> {
    op: &'a Neighbourhood,
    geometry: Geometry,
    to: &'a Block<'a>,
    /// The places in the window of its elements that count.
    counted: Vec<usize>,
    /// Plane, row and column of each of them, and its number.
    taps: Vec<([usize; 3], f64)>,
}

impl<'a> Call<'a> {
    fn new(op: &'a Neighbourhood, operands: &[Block<'_>], to: &'a Block<'a>) -> Call<'a> {
        let (geometry, window) = (Geometry::of(op, operands, to), &operands[1]);
        let [rows, columns] = geometry.inner();
        // SAFETY: nothing writes the operands meanwhile (condition 2 of `Buffer`).
        let numbers: Vec<f64> = unsafe {
            match window.dtype {
                DType::F64 => window.elements::<f64>().to_vec(),
                _ => window.elements::<u8>().iter().map(|&holds| f64::from(holds)).collect(),
            }
        };
        let of_plane = rows.window * columns.window;
        let is_line = op.combine == WindowCombine::Line;
        let counts = |at: &usize| is_line || numbers[*at] != 0.0;
        let counted: Vec<usize> = (0..numbers.len()).filter(counts).collect();
        let place = |at| [at / of_plane, at % of_plane / columns.window, at % columns.window];
        let taps = counted.iter().map(|&at| (place(at), numbers[at])).collect();
        Call { op, geometry, to, counted, taps }
    }

    fn sum<T: Element>(&self, pool: Option<&rayon::ThreadPool>) {
        let outside = self.geometry.border.number();
        let (geometry, element) = (&self.geometry, PhantomData);
        let reader = Reader { geometry, keep: |element: T| element.wide(), outside, element };
        let count = self.taps.len() as f64;
        let is_mean = self.op.combine == WindowCombine::Mean;
        let line = (self.op.combine == WindowCombine::Line)
            .then(|| LineOrder::of(&self.taps.iter().map(|tap| tap.1).collect::<Vec<_>>()));
        reader.for_each_stretch(
            pool,
            || (Vec::<Tap>::new(), Vec::<f64>::new()),
            |(taps, sums), ring, first, len| {
                let placed = |&([plane, row, column], number): &([usize; 3], f64)| {
                    (ring.place(plane, row, column), number)
                };
                taps.clear();
                taps.extend(self.taps.iter().map(placed));
                sums.resize(len, 0.0);
                match line {
                    Some(order) => add_line(sums, ring.elements(), taps, order),
                    None => add_window(sums, ring.elements(), taps),
                }
                if is_mean {
                    sums.iter_mut().for_each(|sum| *sum /= count);
                }
                with_element!(self.to.dtype, U => self.store::<U>(first, sums));
            },
        );
    }

    /// Stores numbers from a place of the block on.
    fn store<U: Element>(&self, first: usize, numbers: &[f64]) {
        let places = Places::<U>::of(self.to);
        let is_bool = self.to.dtype == DType::Bool;
        for (number, at) in numbers.iter().zip(first..) {
            let stored =
                if is_bool { U::narrow(f64::from(*number != 0.0)) } else { U::narrow(*number) };
            // SAFETY: stretches of the result are of one thread each and inside the block
            // (conditions 1 and 2 of `Places`).
            unsafe { places.at(at).write(stored) };
        }
    }

    /// The places of the window's elements in the rows.
    fn places<A>(&self, ring: &Ring<A>, into: &mut Vec<usize>) {
        into.clear();
        let taps = self.taps.iter();
        into.extend(taps.map(|([plane, row, column], _)| ring.place(*plane, *row, *column)));
    }

    fn extremum<T: Element>(&self, pool: Option<&rayon::ThreadPool>) {
        let is_greatest = self.op.combine == WindowCombine::Maximum;
        let (geometry, element, outside) = (&self.geometry, PhantomData, self.outside::<T>());
        let reader = Reader { geometry, keep: |element: T| element, outside, element };
        let out = Places::<T>::of(self.to);
        reader.for_each_stretch(pool, Vec::new, |places, ring, first, len| {
            self.places(ring, places);
            // SAFETY: stretches of the result are of one thread each and inside the block
            // (conditions 1 and 2 of `Places`).
            let out = unsafe { std::slice::from_raw_parts_mut(out.at(first), len) };
            if places.is_empty() {
                // No element of the window counts.
                out.fill(T::narrow(0.0));
            } else {
                extremum_row(is_greatest, out, ring.elements(), places);
            }
        });
    }

    /// Extrema with heights.
    fn raised<T: Element>(&self, heights: &Block<'_>, pool: Option<&rayon::ThreadPool>) {
        // SAFETY: nothing writes the heights meanwhile (condition 2 of `Buffer`).
        let heights = unsafe { heights.elements::<f64>() };
        let mut heights = self.counted.iter().map(|&at| heights[at]);
        let first = heights.next().unwrap_or(0.0);
        let heights = Heights { first, others: heights.map(T::narrow).collect() };
        let is_greatest = self.op.combine == WindowCombine::Maximum;
        let (geometry, element, outside) = (&self.geometry, PhantomData, self.outside::<T>());
        let reader = Reader { geometry, keep: |element: T| element, outside, element };
        let rows = || (Vec::new(), Vec::new());
        reader.for_each_stretch(pool, rows, |(places, extrema), ring, first, len| {
            self.places(ring, places);
            extrema.clear();
            extrema.resize(len, 0.0);
            if !places.is_empty() {
                raised_row(is_greatest, extrema, ring.elements(), places, &heights);
            }
            with_element!(self.to.dtype, U => self.store::<U>(first, extrema));
        });
    }

    /// Elements are compared as integers, so that NaN and the zeros have a place, too.
    fn rank<T: Element>(&self, rank: usize, pool: Option<&rayon::ThreadPool>) {
        let count = self.taps.len();
        // A rank beyond the elements that count is that of the greatest one.
        let rank = rank.min(count.saturating_sub(1));
        let is_small = (1..=LARGEST_NETWORK).contains(&count);
        let exchanges = is_small.then(|| network(count, rank));
        let (geometry, element) = (&self.geometry, PhantomData);
        let outside = self.outside::<T>().key();
        let reader = Reader { geometry, keep: |element: T| element.key(), outside, element };
        let out = Places::<T>::of(self.to);
        reader.for_each_stretch(
            pool,
            || {
                let lanes = vec![[outside; LANES]; count];
                (Vec::new(), lanes, Vec::with_capacity(count), Vec::new())
            },
            |(places, lanes, window, ranked), ring, first, len| {
                self.places(ring, places);
                ranked.clear();
                ranked.resize(len, T::narrow(0.0).key());
                if count > 0 {
                    let exchanges = (exchanges.as_deref(), rank);
                    rank_row(ranked, ring.elements(), places, exchanges, lanes, window);
                }
                for (key, at) in ranked.iter().zip(first..) {
                    // SAFETY: stretches of the result are of one thread each and inside the block
                    // (conditions 1 and 2 of `Places`).
                    unsafe { out.at(at).write(T::of_key(*key)) };
                }
            },
        );
    }

    /// The number outside of the value, as one of its elements.
    fn outside<T: Element>(&self) -> T {
        let number = self.geometry.border.number();
        let is_bool = self.to.dtype == DType::Bool;
        T::narrow(if is_bool { f64::from(number != 0.0) } else { number })
    }
}
