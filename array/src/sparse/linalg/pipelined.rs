//! Conjugate gradients in which devices combine numbers once in an iteration.
//!
//! Source: P. Ghysels, W. Vanroose, "Hiding global synchronization latency in the preconditioned
//! conjugate gradient algorithm", Parallel Computing 40(7), 2014, algorithm 4. The residual and the
//! products with the matrix follow by recurrences, whose rounding errors grow, so they are computed
//! anew from time to time, as in its section 4 and in S. Cools et al., "Analyzing the effect of
//! local rounding error propagation on the maximal attainable accuracy of the pipelined conjugate
//! gradient method", SIAM J. Matrix Anal. Appl. 39(1), 2018. When that happens is a simpler rule
//! than theirs: it needs no norms but that of the residual.

use super::numbers::{epsilon, inner, norm, quotient, read_real, real, square};
use super::options::Solved;
use super::problem::{Problem, Progress};
use crate::array::Array;
use phalanx_graph::Error;

/// The most iterations after which vectors are computed anew.
const MOST_STEPS: usize = 100;

/// The vectors of an iterate, in the names of the source: its residual `r`, `u = M r`, `w = A u`.
struct Vectors {
    r: Array,
    u: Array,
    w: Array,
}

/// What is recorded of an iterate before the next step.
struct Numbers {
    /// `(r, u)`, `(w, u)` and `(r, r)`, which devices combine together.
    gamma: Array,
    delta: Array,
    square: Array,
    /// `m = M w`, `n = A m`. No number is an operand, so that devices need not wait for any.
    m: Array,
    n: Array,
}

/// The last step: its numbers, the direction `p`, `s = A p`, `q = M s`, `z = A q`.
struct Step {
    gamma: Array,
    alpha: Array,
    p: Array,
    s: Array,
    q: Array,
    z: Array,
}

impl Vectors {
    fn of(problem: &Problem<'_>, r: Array) -> Result<Vectors, Error> {
        let u = problem.preconditioned(&r)?;
        let w = problem.product(&u)?;
        Ok(Vectors { r, u, w })
    }

    fn numbers(&self, problem: &Problem<'_>) -> Result<Numbers, Error> {
        let Vectors { r, u, w } = self;
        let square = square(r);
        let has_inverse = problem.has_preconditioner();
        let gamma = if has_inverse { real(&inner(r, u)) } else { square.clone() };
        let delta = real(&inner(w, u));
        let m = problem.preconditioned(w)?;
        let n = problem.product(&m)?;
        Ok(Numbers { gamma, delta, square, m, n })
    }

    /// The step from these vectors, and the vectors after it. Without a preconditioner, `u` is `r`
    /// and `q` is `s`.
    fn step(self, numbers: Numbers, last: Option<Step>, has_inverse: bool) -> (Step, Vectors) {
        let Vectors { r, u, w } = self;
        let Numbers { gamma, delta, m, n, .. } = numbers;
        // Vanishing residuals of iterations that are not checked give zeros.
        let step = match last {
            None => {
                let alpha = quotient(&gamma, &delta);
                Step { gamma, alpha, p: u.clone(), s: w.clone(), q: m, z: n }
            }
            Some(last) => {
                let beta = quotient(&gamma, &last.gamma);
                let divisor = delta - quotient(&(&beta * &gamma), &last.alpha);
                let alpha = quotient(&gamma, &divisor);
                let p = &u + &beta * last.p;
                let s = &w + &beta * last.s;
                let q = if has_inverse { m + &beta * last.q } else { s.clone() };
                let z = n + &beta * last.z;
                Step { gamma, alpha, p, s, q, z }
            }
        };
        let alpha = &step.alpha;
        let r = r - alpha * &step.s;
        let u = if has_inverse { u - alpha * &step.q } else { r.clone() };
        let w = w - alpha * &step.z;
        (step, Vectors { r, u, w })
    }
}

impl Step {
    /// The products with the direction, computed anew.
    fn renew(&mut self, problem: &Problem<'_>) -> Result<(), Error> {
        self.s = problem.product(&self.p)?;
        self.q = problem.preconditioned(&self.s)?;
        self.z = problem.product(&self.q)?;
        Ok(())
    }
}

pub(super) fn pipelined(
    problem: &Problem<'_>,
    mut progress: Progress<'_>,
) -> Result<Solved, Error> {
    let has_inverse = problem.has_preconditioner();
    // Vectors are computed anew if the residual has fallen by this factor: then the errors of the
    // recurrences, which are relative to the larger residual, are still small.
    let fall = epsilon(problem.dtype).powf(0.2);
    let (mut steps, mut largest) = (0, problem.size_of_residual);
    let mut last_exact = f64::INFINITY;
    let vectors = Vectors::of(problem, problem.residual.clone())?;
    let numbers = vectors.numbers(problem)?;
    let (mut step, mut vectors) = vectors.step(numbers, None, has_inverse);
    loop {
        let x = &progress.x + &step.alpha * &step.p;
        let mut numbers = vectors.numbers(problem)?;
        steps += 1;
        let mut residual = match progress.is_read() {
            true => Some(read_real(&[&numbers.square])?[0].sqrt()),
            false => None,
        };
        let is_end = residual.is_some_and(|residual| residual <= progress.limit);
        let has_fallen = residual.is_some_and(|residual| residual <= fall * largest);
        let renewed = match is_end || has_fallen || steps >= MOST_STEPS {
            true => Some(problem.residual_of(&x)?),
            false => None,
        };
        if is_end && let Some(r) = &renewed {
            // The recurrence may have lost the residual. If that is as small as rounding lets it
            // be, it does not fall any more, and the solver ends as the ordinary method does.
            let exact = read_real(&[&norm(r)])?[0];
            if exact > progress.limit && exact <= last_exact / 2.0 {
                (residual, last_exact) = (Some(exact), exact);
            }
        }
        match residual {
            None => progress.passes(x),
            Some(residual) => {
                if let Some(info) = progress.accept(x, residual) {
                    return progress.ended(info);
                }
            }
        }
        if let Some(r) = renewed {
            (steps, largest) = (0, residual.unwrap_or(largest));
            vectors = Vectors::of(problem, r)?;
            step.renew(problem)?;
            numbers = vectors.numbers(problem)?;
        }
        (step, vectors) = vectors.step(numbers, Some(step), has_inverse);
    }
}
