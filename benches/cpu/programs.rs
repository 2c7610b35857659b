//! The programs, as a NumPy user writes them; `numpy_peer.py` has the same programs.

use crate::cases::Program;
use phalanx::prelude::*;

/// Centres of k-means.
const CENTRES: usize = 32;

impl Program {
    /// Whether the program writes its input, which is then copied for each run.
    pub fn writes_input(self) -> bool {
        self == Program::Stencil5
    }

    /// Records the program.
    pub fn record(self, inputs: &[Array]) -> Array {
        let a = &inputs[0];
        let b = || &inputs[1];
        match self {
            Program::Add => a + b(),
            Program::Chain => (a.sin().power(2) + a.cos().power(2)).sqrt() * a + b(),
            Program::BlackScholes => black_scholes(a, b(), &inputs[2]),
            Program::Sum => a.sum(()),
            Program::SumAxis0 => a.sum(0),
            Program::SumAxis1 => a.sum(1),
            Program::Var => a.var((), 0.0),
            Program::Argmax => a.argmax(()),
            Program::Sqdiff => (a - b()).power(2).sum(()),
            Program::Transpose => a.t().copy(),
            Program::AddTranspose => a + a.t(),
            Program::Stencil5 => stencil(a),
            Program::CgMatfree => conjugate_gradient(a),
            Program::Kmeans => k_means(a),
            Program::Gemm => matmul(a, b()),
            Program::Tiny => tiny(a),
        }
    }
}

/// Prices of calls, with the normal distribution by the polynomial of Abramowitz and Stegun
/// 26.2.17.
fn black_scholes(spot: &Array, strike: &Array, time: &Array) -> Array {
    let (rate, volatility) = (0.02, 0.3);
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
    let d1 = ((spot / strike).log() + (rate + volatility * volatility / 2.0) * time)
        / (volatility * &root);
    let d2 = &d1 - volatility * &root;
    spot * normal(&d1) - strike * (-rate * time).exp() * normal(&d2)
}

fn stencil(g: &Array) -> Array {
    let centre = g.slice(s![1..-1, 1..-1]);
    let north = g.slice(s![..-2, 1..-1]);
    let south = g.slice(s![2.., 1..-1]);
    let west = g.slice(s![1..-1, ..-2]);
    let east = g.slice(s![1..-1, 2..]);
    for _ in 0..50 {
        centre.assign(0.2 * (&centre + &north + &south + &west + &east));
    }
    g.clone()
}

fn conjugate_gradient(b: &Array) -> Array {
    let mut x = zeros(b.shape().to_vec(), b.dtype());
    let mut r = b.copy();
    let mut p = r.copy();
    let mut rr = (&r * &r).sum(());
    for _ in 0..25 {
        let q = 4.0 * &p;
        q.slice(s![1.., ..]).subtract_assign(p.slice(s![..-1, ..]));
        q.slice(s![..-1, ..]).subtract_assign(p.slice(s![1.., ..]));
        q.slice(s![.., 1..]).subtract_assign(p.slice(s![.., ..-1]));
        q.slice(s![.., ..-1]).subtract_assign(p.slice(s![.., 1..]));
        let alpha = &rr / (&p * &q).sum(());
        x += &alpha * &p;
        r -= &alpha * &q;
        let new = (&r * &r).sum(());
        p = &r + &new / &rr * &p;
        rr = new;
    }
    x
}

fn k_means(x: &Array) -> Array {
    let mut c = x.slice(s![..CENTRES]).copy();
    let squares = x.power(2).sum(keepdims(1));
    for _ in 0..5 {
        let distances = &squares - 2.0 * matmul(x, &c.t()) + c.power(2).sum(1);
        let labels = distances.argmin(1);
        let hot = labels.expand_dims(1).equal(arange(0, CENTRES as i64, 1)).astype(x.dtype());
        c = matmul(&hot.t(), x) / hot.sum(0).maximum(1).expand_dims(1);
    }
    c
}

/// Operations of `tiny`.
pub const OPERATIONS: usize = 2000;

fn tiny(a: &Array) -> Array {
    let mut x = a.copy();
    for _ in 0..OPERATIONS / 2 {
        let scaled = x * 0.999;
        x = scaled + 0.001;
    }
    x
}
