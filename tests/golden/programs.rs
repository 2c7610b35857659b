//! The programs, as a NumPy user writes them, each with a straightforward computation of what it should give.

use crate::inputs::{array, numbers};
use crate::plans::Outcome;
use phalanx::prelude::*;

/// Rows and columns of most inputs.
const ROWS: usize = 48;
const COLUMNS: usize = 40;
const SHAPE: [usize; 2] = [ROWS, COLUMNS];

fn outcome(results: Vec<(Array, Vec<f64>)>, kept: &[&Array]) -> Outcome {
    Outcome { results, kept: kept.iter().map(|&array| array.clone()).collect() }
}

/// `sqrt(a * a + b * b) / (1 + |a|) - b`
pub fn chain() -> Outcome {
    let (a, b) = (array(&SHAPE, 1), array(&SHAPE, 2));
    let result = (&a * &a + &b * &b).sqrt() / (1.0 + a.abs()) - &b;
    let pairs = numbers(&SHAPE, 1).into_iter().zip(numbers(&SHAPE, 2));
    let expected = pairs.map(|(a, b)| (a * a + b * b).sqrt() / (1.0 + a.abs()) - b).collect();
    outcome(vec![(result, expected)], &[&a, &b])
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

/// `g[1:-1, 1:-1] = 0.2 * (centre + north + south + west + east)`
pub fn stencil_step() -> Outcome {
    let g = array(&SHAPE, 1);
    let centre = g.slice(s![1..-1, 1..-1]);
    let north = g.slice(s![..-2, 1..-1]);
    let south = g.slice(s![2.., 1..-1]);
    let west = g.slice(s![1..-1, ..-2]);
    let east = g.slice(s![1..-1, 2..]);
    centre.assign(0.2 * (&centre + north + south + west + east));
    let old = numbers(&SHAPE, 1);
    let mut expected = old.clone();
    for i in 1..ROWS - 1 {
        for j in 1..COLUMNS - 1 {
            let at = i * COLUMNS + j;
            expected[at] = 0.2 * (old[at] + old[at - COLUMNS] + old[at + COLUMNS] + old[at - 1] + old[at + 1]);
        }
    }
    outcome(vec![(g, expected)], &[])
}

/// The five-point Laplacian with zeros outside, written with partial in-place subtractions.
fn laplacian(p: &Array) -> Array {
    let q = 4.0 * p;
    q.slice(s![1.., ..]).subtract_assign(&p.slice(s![..-1, ..]));
    q.slice(s![..-1, ..]).subtract_assign(&p.slice(s![1.., ..]));
    q.slice(s![.., 1..]).subtract_assign(&p.slice(s![.., ..-1]));
    q.slice(s![.., ..-1]).subtract_assign(&p.slice(s![.., 1..]));
    q
}

fn laplacian_of(p: &[f64]) -> Vec<f64> {
    let at = |i: usize, j: usize| if i < ROWS && j < COLUMNS { p[i * COLUMNS + j] } else { 0.0 };
    let of = |i: usize, j: usize| {
        4.0 * at(i, j) - at(i.wrapping_sub(1), j) - at(i + 1, j) - at(i, j.wrapping_sub(1)) - at(i, j + 1)
    };
    (0..ROWS).flat_map(|i| (0..COLUMNS).map(move |j| of(i, j))).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// One turn of the conjugate-gradient loop:
/// `q = A(p); alpha = rr / (p*q).sum(); x += alpha*p; r -= alpha*q; new = (r*r).sum(); p = r + new/rr * p; rr = new`
pub fn conjugate_gradient_step() -> Outcome {
    let (mut x, mut r, mut p) = (array(&SHAPE, 1), array(&SHAPE, 2), array(&SHAPE, 3));
    let mut rr = (&r * &r).sum(());
    rr.evaluate().expect("the first residual is computed");
    let q = laplacian(&p);
    let alpha = &rr / (&p * &q).sum(());
    x += &alpha * &p;
    r -= &alpha * &q;
    let new = (&r * &r).sum(());
    p = &r + &new / &rr * &p;
    rr = new;
    let [mut x_now, mut r_now, mut p_now] = [1, 2, 3].map(|seed| numbers(&SHAPE, seed));
    let (q_now, rr_old) = (laplacian_of(&p_now), dot(&r_now, &r_now));
    let alpha = rr_old / dot(&p_now, &q_now);
    x_now.iter_mut().zip(&p_now).for_each(|(x, p)| *x += alpha * p);
    r_now.iter_mut().zip(&q_now).for_each(|(r, q)| *r -= alpha * q);
    let rr_now = dot(&r_now, &r_now);
    p_now.iter_mut().zip(&r_now).for_each(|(p, r)| *p = r + rr_now / rr_old * *p);
    outcome(vec![(x, x_now), (r, r_now), (p, p_now), (rr, vec![rr_now])], &[])
}
