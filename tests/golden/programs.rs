//! The programs, as a NumPy user writes them, each with a straightforward computation of the
//! expected result.

use crate::inputs::{array, numbers};
use crate::plans::Outcome;
use num_complex::Complex64;
use phalanx::host_kernels::host_kernel;
use phalanx::launches::{LaunchArgument, LaunchSize};
use phalanx::ndimage::{Border, Window, WindowOptions, window_filter};
use phalanx::prelude::*;
use phalanx::special::special;

/// Rows and columns of most inputs.
const ROWS: usize = 48;
const COLUMNS: usize = 40;
const SHAPE: [usize; 2] = [ROWS, COLUMNS];

fn outcome(results: Vec<(Array, Vec<f64>)>, kept: &[&Array]) -> Outcome {
    Outcome { results, _kept: kept.iter().map(|&array| array.clone()).collect() }
}

/// The value that each element of an image stands for, from `of` its row and column and a reader
/// of the image.
fn of_each(
    values: &[f64],
    of: impl Fn(i64, i64, &dyn Fn(i64, i64) -> f64) -> f64,
    border: Border,
) -> Vec<f64> {
    let read = |row: i64, column: i64| {
        let places = [(row, ROWS), (column, COLUMNS)].map(|(at, extent)| {
            border.position(at, extent).expect("an element stands outside of the image")
        });
        values[places[0] * COLUMNS + places[1]]
    };
    let index = |at: usize| ((at / COLUMNS) as i64, (at % COLUMNS) as i64);
    (0..values.len()).map(index).map(|(row, column)| of(row, column, &read)).collect()
}

/// `correlate(correlate(a, w), w)` with the five weights `w` of rows.
pub fn smoothed() -> Outcome {
    let weights = [0.1, 0.2, 0.4, 0.2, 0.1];
    let a = array(&SHAPE, 1);
    let column = from_slice(&weights, [5, 1]);
    let filter =
        |image: &Array| window_filter(image, Window::Sum(&column), &WindowOptions::default());
    let result = filter(&filter(&a));
    let sum = |row: i64, column: i64, read: &dyn Fn(i64, i64) -> f64| {
        (-2..=2).zip(weights).fold(0.0, |sum, (far, weight)| sum + read(row + far, column) * weight)
    };
    let once = of_each(&numbers(&SHAPE, 1), sum, Border::Reflect);
    outcome(vec![(result, of_each(&once, sum, Border::Reflect))], &[&a, &column])
}

/// `maximum_filter(a, 3, mode="wrap")`
pub fn greatest_around() -> Outcome {
    let (a, square) = (array(&SHAPE, 1), from_slice(&[true; 9], [3, 3]));
    let options = WindowOptions { border: Border::Wrap, ..WindowOptions::default() };
    let result = window_filter(&a, Window::Maximum(&square, None), &options);
    let greatest = |row: i64, column: i64, read: &dyn Fn(i64, i64) -> f64| {
        let around = (0..9).map(|at| read(row + at / 3 - 1, column + at % 3 - 1));
        around.fold(f64::NEG_INFINITY, f64::max)
    };
    let expected = of_each(&numbers(&SHAPE, 1), greatest, Border::Wrap);
    outcome(vec![(result, expected)], &[&a, &square])
}

/// `sqrt(a * a + b * b) / (1 + abs(a)) - b`
pub fn chain() -> Outcome {
    let (a, b) = (array(&SHAPE, 1), array(&SHAPE, 2));
    let result = (&a * &a + &b * &b).sqrt() / (1.0 + a.abs()) - &b;
    let pairs = numbers(&SHAPE, 1).into_iter().zip(numbers(&SHAPE, 2));
    let expected = pairs.map(|(a, b)| (a * a + b * b).sqrt() / (1.0 + a.abs()) - b).collect();
    outcome(vec![(result, expected)], &[&a, &b])
}

/// 300 operations: `for _ in range(150): y = y * 0.9 + a`
pub fn long_chain() -> Outcome {
    let a = array(&SHAPE, 1);
    let mut y = a.sin();
    for _ in 0..150 {
        y = y * 0.9 + &a;
    }
    let turns = |a: f64| (0..150).fold(a.sin(), |y, _| y * 0.9 + a);
    let expected = numbers(&SHAPE, 1).into_iter().map(turns).collect();
    outcome(vec![(y, expected)], &[&a])
}

/// `y = sin(a); for k in range(1, 5): y += a * k; y *= 0.5`, whole arrays written in place
pub fn whole_updates() -> Outcome {
    let a = array(&SHAPE, 1);
    let mut y = a.sin();
    for k in 1..5 {
        y += &a * k;
        y *= 0.5;
    }
    let turns = |a: f64| (1..5).fold(a.sin(), |y, k| (y + a * f64::from(k)) * 0.5);
    let expected = numbers(&SHAPE, 1).into_iter().map(turns).collect();
    outcome(vec![(y, expected)], &[&a])
}

/// The price of calls, with the normal distribution by the polynomial of Abramowitz and Stegun
/// 26.2.17.
pub fn black_scholes() -> Outcome {
    let (rate, volatility) = (0.02, 0.3);
    let (spot, strike) = (array(&SHAPE, 1) + 3.0, array(&SHAPE, 2) + 3.0);
    let time = array(&SHAPE, 3) / 8.0 + 1.0;
    spot.evaluate().expect("the inputs are made");
    let normal = |x: &Array| {
        let k = 1.0 / (1.0 + 0.2316419 * x.abs());
        let mut sum = &k * 1.330274429 - 1.821255978;
        for term in [1.781477937, -0.356563782, 0.319381530] {
            sum = &k * sum + term;
        }
        let tail = 0.3989422804014327 * (-0.5 * x * x).exp() * k * sum;
        select(&x.less(0.0), &tail, &(1.0 - &tail))
    };
    let root = time.sqrt();
    let d1 = ((&spot / &strike).log() + (rate + volatility * volatility / 2.0) * &time)
        / (volatility * &root);
    let d2 = &d1 - volatility * &root;
    let call = &spot * normal(&d1) - &strike * (-rate * &time).exp() * normal(&d2);
    let normal = |x: f64| {
        let k = 1.0 / (1.0 + 0.2316419 * x.abs());
        let terms = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.319381530];
        let sum = terms.into_iter().fold(0.0, |sum, term| k * sum + term);
        let tail = 0.3989422804014327 * (-0.5 * x * x).exp() * k * sum;
        if x < 0.0 { tail } else { 1.0 - tail }
    };
    let price = |((spot, strike), time): ((f64, f64), f64)| {
        let (spot, strike, time) = (spot + 3.0, strike + 3.0, time / 8.0 + 1.0);
        let root = time.sqrt();
        let d1 = ((spot / strike).ln() + (rate + volatility * volatility / 2.0) * time)
            / (volatility * root);
        let d2 = d1 - volatility * root;
        spot * normal(d1) - strike * (-rate * time).exp() * normal(d2)
    };
    let inputs = numbers(&SHAPE, 1).into_iter().zip(numbers(&SHAPE, 2)).zip(numbers(&SHAPE, 3));
    outcome(vec![(call, inputs.map(price).collect())], &[&spot, &strike, &time])
}

/// `((erf(a) + erfc(a)) * beta(2, q)).sum(axis=1)` of a matrix and a column
pub fn special_functions() -> Outcome {
    let (a, q) = (array(&SHAPE, 1), array(&[ROWS, 1], 2) + 3.0);
    q.evaluate().expect("the inputs are made");
    let ones = special("erf", [&a]) + special("erfc", [&a]);
    let result = (ones * special("beta", [Argument::from(2.0), (&q).into()])).sum(1);
    let of_row = |q: f64| COLUMNS as f64 / ((q + 3.0) * (q + 4.0));
    let expected = numbers(&[ROWS, 1], 2).into_iter().map(of_row).collect();
    outcome(vec![(result, expected)], &[&a, &q])
}

/// `a.var()`
pub fn variance() -> Outcome {
    let a = array(&SHAPE, 1);
    let result = a.var((), 0.0);
    outcome(vec![(result, vec![variance_of(&numbers(&SHAPE, 1))])], &[&a])
}

/// `a.var(axis=1)`
pub fn variance_of_rows() -> Outcome {
    let a = array(&SHAPE, 1);
    let result = a.var(1, 0.0);
    let expected = numbers(&SHAPE, 1).chunks(COLUMNS).map(variance_of).collect();
    outcome(vec![(result, expected)], &[&a])
}

fn variance_of(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / values.len() as f64
}

/// `(a - a.mean(0)) / a.std(0)`
pub fn standardised() -> Outcome {
    let a = array(&SHAPE, 1);
    let centred = &a - a.mean(0);
    let result = &centred / a.std(0, 0.0);
    drop(centred);
    let values = numbers(&SHAPE, 1);
    let columns: Vec<Vec<f64>> =
        (0..COLUMNS).map(|j| values.iter().skip(j).step_by(COLUMNS).copied().collect()).collect();
    let known: Vec<(f64, f64)> = columns
        .iter()
        .map(|column| (column.iter().sum::<f64>() / ROWS as f64, variance_of(column).sqrt()))
        .collect();
    let expected = values
        .chunks(COLUMNS)
        .flat_map(|row| row.iter().zip(&known).map(|(a, (mean, std))| (a - mean) / std))
        .collect();
    outcome(vec![(result, expected)], &[&a])
}

/// `(a + b * 1j).var()`
pub fn variance_of_complex_numbers() -> Outcome {
    let (a, b) = (array(&SHAPE, 1), array(&SHAPE, 2));
    let result = (&a + &b * Complex64::new(0.0, 1.0)).var((), 0.0);
    let expected = variance_of(&numbers(&SHAPE, 1)) + variance_of(&numbers(&SHAPE, 2));
    outcome(vec![(result, vec![expected])], &[&a, &b])
}

/// `e = exp(a - a.max(1, keepdims=True)); e / e.sum(1, keepdims=True)`
pub fn softmax() -> Outcome {
    let a = array(&SHAPE, 1);
    let e = (&a - a.max(keepdims(1))).exp();
    let result = &e / e.sum(keepdims(1));
    drop(e);
    let mut expected = numbers(&SHAPE, 1);
    for row in expected.chunks_mut(COLUMNS) {
        let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.iter_mut().for_each(|value| *value = (*value - largest).exp());
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|value| *value /= sum);
    }
    outcome(vec![(result, expected)], &[&a])
}

/// `a - a.mean(0)`
pub fn centred() -> Outcome {
    let a = array(&SHAPE, 1);
    let result = &a - a.mean(0);
    let values = numbers(&SHAPE, 1);
    let means: Vec<f64> = sums_of_columns(&values).iter().map(|sum| sum / ROWS as f64).collect();
    let expected =
        values.chunks(COLUMNS).flat_map(|row| row.iter().zip(&means).map(|(a, m)| a - m)).collect();
    outcome(vec![(result, expected)], &[&a])
}

fn sums_of_columns(values: &[f64]) -> Vec<f64> {
    (0..COLUMNS).map(|j| values.iter().skip(j).step_by(COLUMNS).sum()).collect()
}

/// `a.sum(0), a.sum(1)`
pub fn sums_of_rows_and_columns() -> Outcome {
    let a = array(&SHAPE, 1);
    let (columns, rows) = (a.sum(0), a.sum(1));
    let values = numbers(&SHAPE, 1);
    let sums_of_rows = values.chunks(COLUMNS).map(|row| row.iter().sum()).collect();
    outcome(vec![(columns, sums_of_columns(&values)), (rows, sums_of_rows)], &[&a])
}

/// `where(a > 0, a, 0).sum()`
pub fn masked_sum() -> Outcome {
    let a = array(&SHAPE, 1);
    let result = select(&a.greater(0.0), &a, 0.0).sum(());
    let expected = numbers(&SHAPE, 1).into_iter().filter(|&a| a > 0.0).sum();
    outcome(vec![(result, vec![expected])], &[&a])
}

/// `(a + b).sum(1).argmin()`
pub fn argmin_of_sum() -> Outcome {
    let (a, b) = (array(&SHAPE, 1), array(&SHAPE, 2));
    let result = (&a + &b).sum(1).argmin(());
    let sum = |row: &[f64]| row.iter().sum::<f64>();
    let (a_now, b_now) = (numbers(&SHAPE, 1), numbers(&SHAPE, 2));
    let rows = a_now.chunks(COLUMNS).zip(b_now.chunks(COLUMNS)).map(|(a, b)| sum(a) + sum(b));
    outcome(vec![(result, vec![first_smallest(rows) as f64])], &[&a, &b])
}

fn first_smallest(values: impl Iterator<Item = f64>) -> usize {
    let smaller =
        |best: (usize, f64), next: (usize, f64)| if next.1 < best.1 { next } else { best };
    values.enumerate().reduce(smaller).map_or(0, |(index, _)| index)
}

/// `a + a.T`
pub fn add_transpose() -> Outcome {
    let a = array(&[ROWS, ROWS], 1);
    let result = &a + a.t();
    let values = numbers(&[ROWS, ROWS], 1);
    let at = |i: usize, j: usize| values[i * ROWS + j] + values[j * ROWS + i];
    let expected = (0..ROWS * ROWS).map(|index| at(index / ROWS, index % ROWS)).collect();
    outcome(vec![(result, expected)], &[&a])
}

/// `a[1:] = a[:-1]`
pub fn shift() -> Outcome {
    let a = array(&[1000], 1);
    a.slice(s![1..]).assign(a.slice(s![..-1]));
    let mut expected = numbers(&[1000], 1);
    expected.copy_within(..999, 1);
    outcome(vec![(a, expected)], &[])
}

/// `g[1:-1, 1:-1] = 0.2 * (centre + north + south + west + east)`
fn smooth(g: &Array) {
    let centre = g.slice(s![1..-1, 1..-1]);
    let north = g.slice(s![..-2, 1..-1]);
    let south = g.slice(s![2.., 1..-1]);
    let west = g.slice(s![1..-1, ..-2]);
    let east = g.slice(s![1..-1, 2..]);
    centre.assign(0.2 * (&centre + north + south + west + east));
}

fn smooth_numbers(g: &mut [f64]) {
    let old = g.to_vec();
    for i in 1..ROWS - 1 {
        for j in 1..COLUMNS - 1 {
            let at = i * COLUMNS + j;
            g[at] =
                0.2 * (old[at] + old[at - COLUMNS] + old[at + COLUMNS] + old[at - 1] + old[at + 1]);
        }
    }
}

/// One iteration of smoothing.
pub fn stencil_step() -> Outcome {
    let g = array(&SHAPE, 1);
    smooth(&g);
    let mut expected = numbers(&SHAPE, 1);
    smooth_numbers(&mut expected);
    outcome(vec![(g, expected)], &[])
}

/// Two iterations of smoothing, which run the same kernel.
pub fn two_stencil_steps() -> Outcome {
    let g = array(&SHAPE, 1);
    let mut expected = numbers(&SHAPE, 1);
    for _ in 0..2 {
        smooth(&g);
        smooth_numbers(&mut expected);
    }
    outcome(vec![(g, expected)], &[])
}

/// The five-point Laplacian with zeros outside, written with partial in-place subtractions.
fn laplacian_of(p: &Array) -> Array {
    let q = 4.0 * p;
    q.slice(s![1.., ..]).subtract_assign(p.slice(s![..-1, ..]));
    q.slice(s![..-1, ..]).subtract_assign(p.slice(s![1.., ..]));
    q.slice(s![.., 1..]).subtract_assign(p.slice(s![.., ..-1]));
    q.slice(s![.., ..-1]).subtract_assign(p.slice(s![.., 1..]));
    q
}

fn laplacian_numbers(p: &[f64]) -> Vec<f64> {
    let at = |i: usize, j: usize| if i < ROWS && j < COLUMNS { p[i * COLUMNS + j] } else { 0.0 };
    let of = |i: usize, j: usize| {
        let (north, west) = (at(i.wrapping_sub(1), j), at(i, j.wrapping_sub(1)));
        4.0 * at(i, j) - north - at(i + 1, j) - west - at(i, j + 1)
    };
    (0..ROWS * COLUMNS).map(|index| of(index / COLUMNS, index % COLUMNS)).collect()
}

/// `A(p)` alone.
pub fn laplacian() -> Outcome {
    let p = array(&SHAPE, 3);
    let q = laplacian_of(&p);
    outcome(vec![(q, laplacian_numbers(&numbers(&SHAPE, 3)))], &[&p])
}

/// `A(p)` of a pending `p`: the values that the partial subtractions read are stored first.
pub fn pending_laplacian() -> Outcome {
    let (a, b) = (array(&SHAPE, 1), array(&SHAPE, 2));
    let p = &a * &b + &a;
    let q = laplacian_of(&p);
    let [a, b] = [1, 2].map(|seed| numbers(&SHAPE, seed));
    let p_now: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a * b + a).collect();
    let q_now = laplacian_numbers(&p_now);
    outcome(vec![(p, p_now), (q, q_now)], &[])
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// One iteration of the conjugate-gradient loop:
/// `q = A(p); alpha = rr / (p*q).sum(); x += alpha*p; r -= alpha*q; new = (r*r).sum(); p = r +
/// new/rr * p; rr = new`
pub fn conjugate_gradient_step() -> Outcome {
    let (mut x, mut r, mut p) = (array(&SHAPE, 1), array(&SHAPE, 2), array(&SHAPE, 3));
    let mut rr = (&r * &r).sum(());
    rr.evaluate().expect("the first residual is computed");
    let q = laplacian_of(&p);
    let alpha = &rr / (&p * &q).sum(());
    x += &alpha * &p;
    r -= &alpha * &q;
    let new = (&r * &r).sum(());
    p = &r + &new / &rr * &p;
    rr = new;
    let [mut x_now, mut r_now, mut p_now] = [1, 2, 3].map(|seed| numbers(&SHAPE, seed));
    let (q_now, rr_old) = (laplacian_numbers(&p_now), dot(&r_now, &r_now));
    let alpha = rr_old / dot(&p_now, &q_now);
    x_now.iter_mut().zip(&p_now).for_each(|(x, p)| *x += alpha * p);
    r_now.iter_mut().zip(&q_now).for_each(|(r, q)| *r -= alpha * q);
    let rr_now = dot(&r_now, &r_now);
    p_now.iter_mut().zip(&r_now).for_each(|(p, r)| *p = r + rr_now / rr_old * *p);
    outcome(vec![(x, x_now), (r, r_now), (p, p_now), (rr, vec![rr_now])], &[])
}

/// Points, their axes, and centres.
const POINTS: usize = 96;
const SPACE: usize = 8;
const CENTRES: usize = 6;

fn labels_of(x: &[f64], c: &[f64]) -> Vec<usize> {
    let distance =
        |x: &[f64], c: &[f64]| x.iter().zip(c).map(|(x, c)| (x - c) * (x - c)).sum::<f64>();
    x.chunks(SPACE).map(|x| first_smallest(c.chunks(SPACE).map(|c| distance(x, c)))).collect()
}

/// The means of the points of each label; NaN for a label without points.
fn means_of(x: &[f64], labels: &[usize]) -> Vec<f64> {
    let mut sums = vec![0.0; CENTRES * SPACE];
    let mut counts = [0.0; CENTRES];
    for (x, &label) in x.chunks(SPACE).zip(labels) {
        counts[label] += 1.0;
        sums[label * SPACE..].iter_mut().zip(x).for_each(|(sum, x)| *sum += x);
    }
    sums.iter().enumerate().map(|(at, sum)| sum / f64::max(counts[at / SPACE], 1.0)).collect()
}

fn points_and_centres() -> ([Array; 2], [Vec<f64>; 2]) {
    let (x, c) = ([POINTS, SPACE], [CENTRES, SPACE]);
    ([array(&x, 1), array(&c, 2)], [numbers(&x, 1), numbers(&c, 2)])
}

/// `((x[:, None, :] - c[None, :, :]) ** 2).sum(2).argmin(1)`
pub fn k_means_assignment() -> Outcome {
    let ([x, c], [x_now, c_now]) = points_and_centres();
    let labels = (x.expand_dims(1) - c.expand_dims(0)).square().sum(2).argmin(1);
    let expected = labels_of(&x_now, &c_now).into_iter().map(|label| label as f64).collect();
    outcome(vec![(labels, expected)], &[&x, &c])
}

/// `hot = labels[:, None] == arange(k); (hot[:, :, None] * x[:, None, :]).sum(0) /
/// maximum(hot.sum(0), 1)[:, None]`
pub fn k_means_update() -> Outcome {
    let ([x, c], [x_now, c_now]) = points_and_centres();
    let labels = (x.expand_dims(1) - c.expand_dims(0)).square().sum(2).argmin(1);
    labels.evaluate().expect("the labels are computed");
    let hot = labels.expand_dims(1).equal(arange(0, CENTRES as i64, 1));
    let sums = (hot.expand_dims(2) * x.expand_dims(1)).sum(0);
    let centres = sums / hot.sum(0).maximum(1).expand_dims(1);
    let expected = means_of(&x_now, &labels_of(&x_now, &c_now));
    outcome(vec![(centres, expected)], &[&x, &c, &labels])
}

/// A whole iteration with distances by `|x|² - 2 x·c + |c|²` and a one-hot product for the sums.
pub fn k_means_by_matmul() -> Outcome {
    let ([x, c], [x_now, c_now]) = points_and_centres();
    let distances = x.square().sum(keepdims(1)) - 2.0 * matmul(&x, &c.t()) + c.square().sum(1);
    let labels = distances.argmin(1);
    let hot = labels.expand_dims(1).equal(arange(0, CENTRES as i64, 1)).astype(DType::F64);
    let centres = matmul(&hot.t(), &x) / hot.sum(0).maximum(1.0).expand_dims(1);
    let nearest = labels_of(&x_now, &c_now);
    let expected = nearest.iter().map(|&label| label as f64).collect();
    let centres_now = means_of(&x_now, &nearest);
    outcome(vec![(centres, centres_now), (labels, expected)], &[&x, &c])
}

/// `y = exp(a)`, `a[:1] = 5`, `y - w.sum(1)[:, None]`
pub fn written_between() -> Outcome {
    let (a, w) = (array(&SHAPE, 1), array(&SHAPE, 2));
    let exponential = a.exp();
    a.slice(s![..1]).assign(5.0);
    let result = exponential - w.sum(keepdims(1));
    let (mut a_now, w_now) = (numbers(&SHAPE, 1), numbers(&SHAPE, 2));
    let columns = SHAPE[1];
    let sum = |row: usize| w_now[row * columns..][..columns].iter().sum::<f64>();
    let expected = a_now.iter().enumerate().map(|(at, a)| a.exp() - sum(at / columns)).collect();
    a_now[..columns].fill(5.0);
    outcome(vec![(result, expected), (a, a_now)], &[&w])
}

/// `y = exp(a)`, `put_along_axis(a, p, v, 1)`, `y - w.sum(1)[:, None]`
pub fn put_between() -> Outcome {
    let (a, w) = (array(&SHAPE, 1), array(&SHAPE, 2));
    let column = [ROWS, 1];
    let (positions, values) = (zeros(column, DType::I64), array(&column, 3));
    positions.evaluate().expect("positions are made");
    let exponential = a.exp();
    phalanx::put_along_axis(&a, &positions, &values, 1);
    let result = exponential - w.sum(keepdims(1));
    let (mut a_now, w_now) = (numbers(&SHAPE, 1), numbers(&SHAPE, 2));
    let sum = |row: usize| w_now[row * COLUMNS..][..COLUMNS].iter().sum::<f64>();
    let expected = a_now.iter().enumerate().map(|(at, a)| a.exp() - sum(at / COLUMNS)).collect();
    for (row, value) in numbers(&column, 3).into_iter().enumerate() {
        a_now[row * COLUMNS] = value;
    }
    outcome(vec![(result, expected), (a, a_now)], &[&w, &positions, &values])
}

/// `histogram(a, 8, (-2, 2))[0]`
pub fn histogram_of_range() -> Outcome {
    let a = array(&SHAPE, 1);
    let (counts, _) = histogram(&a, 8, Some((-2.0, 2.0)));
    let mut expected = vec![0.0; 8];
    for value in numbers(&SHAPE, 1) {
        expected[((value + 2.0) * 2.0).min(7.0) as usize] += 1.0;
    }
    outcome(vec![(counts, expected)], &[&a])
}

/// `cumsum(a * 2, axis=0) + 1`: totals of blocks, and scans that continue from them
pub fn running_sums() -> Outcome {
    let a = array(&SHAPE, 1);
    let result = cumsum(&(&a * 2), 0) + 1;
    let given = numbers(&SHAPE, 1);
    let mut sums = vec![0.0; COLUMNS];
    let mut expected = Vec::new();
    for row in given.chunks(COLUMNS) {
        sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += 2.0 * number);
        expected.extend(sums.iter().map(|sum| sum + 1.0));
    }
    outcome(vec![(result, expected)], &[&a])
}

/// `b = sort(a); b[1:] - b[:-1]; argsort(a); argsort(a.astype("f4"))` of a vector: sorted blocks,
/// routed by rank and merged; positions beside the elements, and packed with them
pub fn ranks() -> Outcome {
    let shape = [ROWS * COLUMNS];
    let a = array(&shape, 1);
    let sorted = sort(&a, 0);
    let gaps = sorted.slice(s![1..]) - sorted.slice(s![..-1]);
    let order = argsort(&a, 0);
    let narrow = argsort(&a.astype(DType::F32), 0);
    let given = numbers(&shape, 1);
    let mut positions: Vec<usize> = (0..given.len()).collect();
    positions.sort_by(|&one, &other| given[one].total_cmp(&given[other]));
    let gap = |pair: &[usize]| given[pair[1]] - given[pair[0]];
    let expected = positions.windows(2).map(gap).collect();
    let mut of_narrow: Vec<usize> = (0..given.len()).collect();
    of_narrow.sort_by(|&one, &other| (given[one] as f32).total_cmp(&(given[other] as f32)));
    let [positions, of_narrow] =
        [positions, of_narrow].map(|order| order.into_iter().map(|at| at as f64).collect());
    outcome(vec![(gaps, expected), (order, positions), (narrow, of_narrow)], &[&a])
}

/// `b = a[at] * 2; c = a.copy(); c[at] = b` of a vector: requests go to the owners of positions
pub fn requests() -> Outcome {
    let shape = [ROWS * COLUMNS];
    let a = array(&shape, 1);
    let at = arange(0, 60, 1) * 31;
    let doubled = a.take_with(&at, 0, Mode::Wrap) * 2;
    let written = a.copy();
    written.put(&at, &doubled, Mode::Wrap);
    let given = numbers(&shape, 1);
    let mut expected = given.clone();
    let mut taken = Vec::new();
    for at in (0..60).map(|at| at * 31) {
        taken.push(2.0 * given[at]);
        expected[at] = 2.0 * given[at];
    }
    outcome(vec![(doubled, taken), (written, expected)], &[&a])
}

/// `a @ b` of matrices: `b` is gathered in panels, each while the product of the panel before it
/// runs
pub fn product_in_panels() -> Outcome {
    let (rows, inner, columns) = (161, 265, 157);
    let a = array(&[rows, inner], 1);
    let b = from_function([inner, columns], |index| {
        (&index[0] % columns as i64).equal(&index[1]).astype(DType::F64)
    });
    b.evaluate().expect("an input is made");
    let mut expected = vec![0.0; rows * columns];
    let given = numbers(&[rows, inner], 1);
    for (sums, left) in expected.chunks_mut(columns).zip(given.chunks(inner)) {
        for left in left.chunks(columns) {
            sums.iter_mut().zip(left).for_each(|(sum, left)| *sum += left);
        }
    }
    outcome(vec![(matmul(&a, &b), expected)], &[&a, &b])
}

/// `a *= 2; launch: a[k] += b[k], s[0] = sum(a); r = a + 1`, twice: a kernel of the program's own
/// between operations, which runs in the memory of its arrays
pub fn launched() -> Outcome {
    let (mut a, b, sum) = (array(&SHAPE, 1), array(&SHAPE, 2), zeros([1], DType::F64));
    let add = host_kernel("add", |call| {
        let read = |word: &[u8]| f64::from_le_bytes(word.try_into().expect("eight bytes"));
        let b: Vec<f64> = call.bytes(1).chunks_exact(8).map(read).collect();
        let mut total = 0.0;
        for (word, b) in call.bytes_mut(0).chunks_exact_mut(8).zip(b) {
            let value = read(word) + b;
            total += value;
            word.copy_from_slice(&value.to_le_bytes());
        }
        call.bytes_mut(2).copy_from_slice(&total.to_le_bytes());
    });
    let add = add.writes(&[true, false, true]);
    let arguments = [&a, &b, &sum].map(|array| LaunchArgument::Array(array.clone()));
    let mut expected = numbers(&SHAPE, 1);
    for _ in 0..2 {
        a *= 2.0;
        let size = LaunchSize { blocks: [1; 3], threads: [1; 3], shared: 0 };
        add.launch(size, &arguments).expect("a launch is recorded");
        let pairs = expected.iter_mut().zip(numbers(&SHAPE, 2));
        pairs.for_each(|(a, b)| *a = *a * 2.0 + b);
    }
    let total = expected.iter().sum();
    let result = expected.iter().map(|a| a + 1.0).collect();
    outcome(vec![(&a + 1.0, result), (sum, vec![total])], &[&a, &b])
}
