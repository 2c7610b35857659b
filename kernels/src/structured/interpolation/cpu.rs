//! Values of splines at points, on the host: row by row of the points.

use super::points::{Coordinates, Points};
use super::taps::{Taps, taps};
use crate::structured::lines::{Places, each};
use crate::structured::{Block, Plain};
use phalanx_ops::DType;
use phalanx_ops::structured::{Interpolate, WINDOW_AXES};

/// The points of a thread, at least.
const GRAIN: usize = 1 << 10;
/// The longest row whose coefficients are found once for all rows, and the fewest rows for that.
const LONGEST: usize = 1 << 16;
const FEWEST: usize = 4;

/// Elements of one of two dtypes.
#[derive(Clone, Copy)]
enum Elements<'a> {
    Single(&'a [f32]),
    Double(&'a [f64]),
}

impl<'a> Elements<'a> {
    fn of(block: &'a Block<'_>) -> Elements<'a> {
        // SAFETY: nothing writes the operands meanwhile (condition 2 of `Buffer`).
        unsafe {
            match block.dtype {
                DType::F32 => Elements::Single(block.elements()),
                _ => Elements::Double(block.elements()),
            }
        }
    }

    fn from(self, first: usize) -> Elements<'a> {
        match self {
            Elements::Single(all) => Elements::Single(&all[first..]),
            Elements::Double(all) => Elements::Double(&all[first..]),
        }
    }

    fn at(self, place: usize) -> f64 {
        match self {
            Elements::Single(all) => all[place].into(),
            Elements::Double(all) => all[place],
        }
    }
}

/// Where values are written.
#[derive(Clone, Copy)]
enum Values {
    Single(Places<f32>),
    Double(Places<f64>),
}

/// Computes the block `to` of the result from the block of the coefficients and the coordinates.
pub fn run(
    op: &Interpolate,
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    if to.is_empty() {
        return;
    }
    match Elements::of(&operands[0]) {
        Elements::Single(image) => of_order(op, image, operands, to, pool),
        Elements::Double(image) => of_order(op, image, operands, to, pool),
    }
}

fn of_order<T: Plain + Into<f64>>(
    op: &Interpolate,
    image: &[T],
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    match op.order {
        0 => rows::<T, 1>(op, image, operands, to, pool),
        1 => rows::<T, 2>(op, image, operands, to, pool),
        2 => rows::<T, 3>(op, image, operands, to, pool),
        3 => rows::<T, 4>(op, image, operands, to, pool),
        4 => rows::<T, 5>(op, image, operands, to, pool),
        _ => rows::<T, 6>(op, image, operands, to, pool),
    }
}

/// How the coefficients around the points of a row are found, along an axis.
enum Found {
    /// They are the same for all points of the row.
    Once,
    /// They are the same in all rows.
    Table(Vec<Taps>),
    /// For each point.
    Each,
}

fn rows<T: Plain + Into<f64>, const TAPS: usize>(
    op: &Interpolate,
    image: &[T],
    operands: &[Block<'_>],
    to: &Block<'_>,
    pool: Option<&rayon::ThreadPool>,
) {
    let points = Points::of(op, operands, to);
    let elements = |of: &Coordinates| Elements::of(&operands[of.operand]).from(of.first);
    let coordinates: Vec<Elements<'_>> = points.coordinates.iter().map(elements).collect();
    let [outer @ .., columns] = &points.extents[..] else { unreachable!("bug: no points") };
    let (columns, count) = (*columns, outer.iter().product::<usize>());
    let number = f64::from_bits(op.number);
    let axes = points.axes.len();
    let last = outer.len();
    let is_table = |axis: usize| {
        let [others @ .., stride] = &points.strides[axis][..] else { return false };
        let is_short = columns <= LONGEST && count * points.leading >= FEWEST;
        *stride != 0 && is_short && others.iter().all(|&stride| stride == 0)
    };
    let found: Vec<Found> = (0..axes)
        .map(|axis| match points.strides[axis][last] {
            0 => Found::Once,
            _ if is_table(axis) => {
                let at = |place| taps::<TAPS>(op, coordinates[axis].at(place), points.axes[axis]);
                Found::Table((0..columns).map(at).collect())
            }
            _ => Found::Each,
        })
        .collect();
    let out = match to.dtype {
        DType::F32 => Values::Single(Places::of(to)),
        _ => Values::Double(Places::of(to)),
    };
    // Few rows are divided.
    let pieces = columns.div_ceil(GRAIN);
    let per_row = columns.div_ceil(pieces);
    each(pool, points.leading * count * pieces, GRAIN.div_ceil(per_row), |part| {
        let mut own = [Taps::NONE; WINDOW_AXES];
        let (mut from, mut weights) = ([0; WINDOW_AXES], [0.0; WINDOW_AXES]);
        for piece in part {
            let (row, start) = (piece / pieces, piece % pieces * per_row);
            let base = row / count * points.image();
            let mut rest = row % count;
            from.fill(0);
            for axis in (0..last).rev() {
                let at = rest % outer[axis];
                rest /= outer[axis];
                let strides = points.strides.iter().map(|strides| strides[axis]);
                from.iter_mut().zip(strides).for_each(|(from, stride)| *from += at * stride);
            }
            let find = |axis: usize, column: usize| {
                let place = from[axis] + column * points.strides[axis][last];
                taps::<TAPS>(op, coordinates[axis].at(place), points.axes[axis])
            };
            for axis in 0..axes {
                if matches!(found[axis], Found::Once) {
                    own[axis] = find(axis, 0);
                }
            }
            for column in start..columns.min(start + per_row) {
                for axis in 0..axes {
                    if matches!(found[axis], Found::Each) {
                        own[axis] = find(axis, column);
                    }
                }
                let mut around = [&Taps::NONE; WINDOW_AXES];
                for axis in 0..axes {
                    around[axis] = match &found[axis] {
                        Found::Table(table) => &table[column],
                        _ => &own[axis],
                    };
                }
                let around = &around[..axes];
                let value = if around.iter().all(|taps| taps.is_inside) {
                    match around {
                        [rows, columns] if rows.beyond | columns.beyond == 0 => {
                            in_plane::<T, TAPS>(&image[base..], rows, columns)
                        }
                        _ => {
                            let mut sum = Sum { image, around, number, total: 0.0 };
                            sum.add::<TAPS>(base, &mut weights, 0);
                            sum.total
                        }
                    }
                } else {
                    number
                };
                let place = row * columns + column;
                // SAFETY: the place is in the block and of this thread alone (conditions 1 and 2
                // of `Places`).
                unsafe {
                    match out {
                        Values::Single(out) => out.at(place).write(value as f32),
                        Values::Double(out) => out.at(place).write(value),
                    }
                }
            }
        }
    });
}

/// The sum of the coefficients around a point with two coordinates, all of them inside.
fn in_plane<T: Plain + Into<f64>, const TAPS: usize>(
    image: &[T],
    rows: &Taps,
    columns: &Taps,
) -> f64 {
    let mut total = 0.0;
    let first = columns.places[0];
    // Neighbours of an axis whose elements follow each other are read together.
    let is_run = (1..TAPS).all(|tap| columns.places[tap] == first + tap);
    for row in 0..TAPS {
        let mut terms = [0.0; TAPS];
        let run = image.get(rows.places[row] + first..).and_then(|run| run.first_chunk::<TAPS>());
        match run.filter(|_| is_run) {
            Some(run) => {
                for column in 0..TAPS {
                    let element: f64 = run[column].into();
                    terms[column] = element * rows.weights[row] * columns.weights[column];
                }
            }
            None => {
                for column in 0..TAPS {
                    let element: f64 = image[rows.places[row] + columns.places[column]].into();
                    terms[column] = element * rows.weights[row] * columns.weights[column];
                }
            }
        }
        for term in terms {
            total += term;
        }
    }
    total
}

/// The sum of the coefficients around a point, multiplied by the splines' values one after the
/// other.
struct Sum<'a, T> {
    image: &'a [T],
    around: &'a [&'a Taps],
    number: f64,
    total: f64,
}

impl<T: Plain + Into<f64>> Sum<'_, T> {
    /// Adds the coefficients from `base` on, whose first `weights` are those of the first axes.
    fn add<const TAPS: usize>(
        &mut self,
        base: usize,
        weights: &mut [f64; WINDOW_AXES],
        axis: usize,
    ) {
        let taps = self.around[axis];
        let is_last = axis + 1 == self.around.len();
        for tap in 0..TAPS {
            let at = base + taps.places[tap];
            weights[axis] = taps.weights[tap];
            if taps.beyond >> tap & 1 == 1 {
                self.add_number::<TAPS>(weights, axis);
            } else if is_last {
                self.total += product(self.image[at].into(), &weights[..=axis]);
            } else {
                self.add::<TAPS>(at, weights, axis + 1);
            }
        }
    }

    /// Adds the number for all coefficients that are outside along this axis.
    fn add_number<const TAPS: usize>(&mut self, weights: &mut [f64; WINDOW_AXES], axis: usize) {
        let inner = axis + 1;
        let Some(taps) = self.around.get(inner) else {
            self.total += product(self.number, &weights[..inner]);
            return;
        };
        for tap in 0..TAPS {
            weights[inner] = taps.weights[tap];
            self.add_number::<TAPS>(weights, inner);
        }
    }
}

fn product(value: f64, weights: &[f64]) -> f64 {
    weights.iter().fold(value, |product, weight| product * weight)
}
