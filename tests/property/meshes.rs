//! Results that must be the same on every mesh: random numbers, sparse products, products of
//! matrices by every schedule.

use phalanx::prelude::*;
use phalanx::random::ChoiceOptions;
use phalanx::sparse::Csr;
use phalanx::sparse::linalg::{Options, cg};
use phalanx::{Limits, Mesh, Policy, Session, random, sort};

/// The results of `body` on meshes of several forms, one device first.
fn on_meshes<R>(body: impl Fn(&str) -> R) -> Vec<(String, R)> {
    let grid = Mesh::new(&[("x", 2), ("y", 2)]);
    [Mesh::line(1), Mesh::line(3), Mesh::line(4), grid, Mesh::line(8)]
        .into_iter()
        .map(|mesh| {
            let config = Config::for_tests(mesh.devices()).threads(2);
            let (policy, name) = (Policy { split_from: 1 }, mesh.to_string());
            let session = Session::with_options(config, Some(mesh), policy, Limits::default());
            let session = session.expect("a session");
            let result = session.handle().enter(|| body(&name));
            session.finish().expect("the session ends well");
            (name, result)
        })
        .collect()
}

fn all_equal<R: PartialEq + std::fmt::Debug>(results: Vec<(String, R)>) {
    for (mesh, result) in &results[1..] {
        assert_eq!(*result, results[0].1, "{mesh}");
    }
}

#[test]
fn random_numbers_are_those_of_their_seed() {
    all_equal(on_meshes(|_| {
        let numbers = random::seeded(7).unwrap();
        let bits = numbers.bits([5, 7]).to_vec::<u64>().unwrap();
        let uniform = numbers.random([1000], DType::F64).to_vec::<f64>().unwrap();
        let single = numbers.random([100], DType::F32).to_vec::<f64>().unwrap();
        let integers = numbers.integers(-3, 4, [50, 2]).to_vec::<i64>().unwrap();
        let normal = numbers.standard_normal([64], DType::F64).to_vec::<f64>().unwrap();
        let order = numbers.permutation(100).to_vec::<i64>().unwrap();
        assert!(uniform.iter().chain(&single).all(|number| (0.0..1.0).contains(number)));
        assert!(integers.iter().all(|number| (-3..4).contains(number)));
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..100));
        let items = arange(0, 30, 1);
        numbers.shuffle(&items, 0);
        let rows = arange(0, 12, 1).reshape([3, 4]);
        let lines = numbers.permuted(&rows, 1);
        assert_eq!(sort(&lines, 1).to_vec::<i64>().unwrap(), rows.to_vec::<i64>().unwrap());
        let slices = numbers.shuffled(&rows, 1);
        let offsets = (&slices - slices.slice(s![0, ..])).slice(s![.., 0]);
        assert_eq!(offsets.to_vec::<i64>().unwrap(), [0, 4, 8]);
        numbers.shuffle(&rows, 1);
        assert_eq!(sort(&rows, 1).slice(s![.., 0]).to_vec::<i64>().unwrap(), [0, 4, 8]);
        let few = numbers
            .choice(&items, [4], ChoiceOptions::default().replace(false))
            .to_vec::<i64>()
            .unwrap();
        let weights = from_slice(&[0.0, 1.0, 0.0], [3]);
        let chosen = numbers.choice(3, [20], ChoiceOptions::default().weights(&weights));
        assert_eq!(chosen.to_vec::<i64>().unwrap(), [1; 20]);
        let weights = from_slice(&[0.0, 0.5, 0.0, 0.25, 0.25], [5]);
        let once = ChoiceOptions::default().replace(false).weights(&weights);
        let chosen = numbers.choice(5, [3], once);
        assert_eq!(sort(&chosen, 0).to_vec::<i64>().unwrap(), [1, 3, 4]);
        let narrow = numbers.integers_as(-100, 100, [50], DType::I8);
        assert!(narrow.to_vec::<i64>().unwrap().iter().all(|n| (-100..100).contains(n)));
        (bits, uniform, single, integers, normal, order, items.to_vec::<i64>().unwrap(), few)
    }));
}

/// The first words of other generators, and the word of number 69,999.
///
/// The words of NumPy's generators are NumPy's for the seed 1; those of MRG32k3a are for the
/// initial state of its author.
#[test]
fn words_of_other_generators_are_theirs() {
    use random::Stream;
    let cases = [
        (Stream::pcg64(PCG_SEED), PCG64),
        (Stream::pcg64dxsm(PCG_SEED), PCG64_DXSM),
        (Stream::Philox4x64([PCG_SEED[0], PCG_SEED[1]]), PHILOX),
        (Stream::mrg32k3a([12_345; 6]), MRG),
    ];
    all_equal(on_meshes(|mesh| {
        for (stream, known) in cases {
            let numbers = random::streamed(stream).unwrap();
            let words = numbers.bits([2, 35_000]);
            let found = [[0, 0], [0, 1], [1, 34_999]].map(|at| words.at(at).item::<u64>().unwrap());
            assert_eq!(found, known, "{stream:?} on {mesh}");
            // Drawing in parts gives the same words as drawing at once.
            let numbers = random::streamed(stream).unwrap();
            let parts = [3, 1, 70].map(|count| numbers.bits([count]).to_vec::<u64>().unwrap());
            let whole = words.reshape([-1]).slice(s![..74]).to_vec::<u64>().unwrap();
            assert_eq!(parts.concat(), whole, "{stream:?} on {mesh}");
            assert_eq!(numbers.state().next, 74);
        }
        let numbers = random::streamed(cases[0].0).unwrap();
        numbers.gamma(2.0, 1.0, [50]).to_vec::<f64>().unwrap()
    }));
}

const PCG_SEED: [u64; 4] =
    [0x672d_8ee5_6d67_91ff, 0x8ae1_9ca1_4eb1_072c, 0x4915_796d_1322_fc4a, 0xd0cc_2bdc_aba0_49bd];
const PCG64: [u64; 3] = [0x8306_bdf3_7922_e4ff, 0xf351_96bb_c152_a866, 0xc746_6d03_3365_f020];
const PCG64_DXSM: [u64; 3] = [0x4569_de53_b956_589f, 0x4783_8278_a685_28bf, 0x317b_da1f_ef26_0dfd];
const PHILOX: [u64; 3] = [0x1119_efbd_6bc0_ce3a, 0x143a_31df_2c79_cf7e, 0x9bbb_6ea9_37f3_a229];
const MRG: [u64; 3] = [0x2083_cced_518b_0582, 0x4f26_d051_d36a_b288, 0xee15_3b97_f1d7_61e6];

/// Integers with one range per element, and trials with one chance per element, broadcast.
#[test]
fn parameters_may_be_arrays() {
    all_equal(on_meshes(|_| {
        let numbers = random::seeded(9).unwrap();
        let low = from_slice(&[-3i64, 5, i64::MIN], [3, 1]);
        let high = from_slice(&[10i64, i64::MAX], [2]);
        let drawn = numbers.integers_as(&low, &high, [200, 3, 2], DType::I64);
        assert_eq!(drawn.shape(), [200, 3, 2]);
        assert!(drawn.less(&low).any(()).item::<bool>().is_ok_and(|any| !any));
        assert!(drawn.greater_equal(&high).any(()).item::<bool>().is_ok_and(|any| !any));
        let chances = from_slice(&[0.25, 1.0], [2]);
        let trials = numbers.geometric(&chances, [4000, 2]);
        let means = trials.mean(0).to_vec::<f64>().unwrap();
        assert!((means[0] - 4.0).abs() < 0.4 && means[1] == 1.0, "{means:?}");
        let ones = from_slice(&[1i64, 1], [2]);
        for (code, array) in [
            ("PX017", numbers.integers_as(&ones, &ones, [2], DType::I64)),
            ("PX017", numbers.integers_as(&ones, &(&ones * 300), [2], DType::U8)),
            ("PX011", numbers.integers_as(&chances, &ones, [2], DType::I64)),
            ("PX011", numbers.integers_as(&ones, &(&ones + 1), [2], DType::F64)),
            ("PX017", numbers.geometric(from_slice(&[0.5, 0.0], [2]), [2])),
            ("PX017", numbers.geometric(from_slice(&[0.5, f64::NAN], [2]), [2])),
            ("PX011", random::Generator::drawn_as(&chances, DType::I32)),
            ("PX011", random::Generator::drawn_as(&ones, DType::C64)),
        ] {
            assert_eq!(array.evaluate().unwrap_err().code(), code);
        }
        let single = random::Generator::drawn_as(&numbers.gamma(2.0, 1.0, [9]), DType::F32);
        (drawn.to_vec::<i64>().unwrap(), means, single.to_vec::<f32>().unwrap())
    }));
}

/// Mean, variance and correlation of many numbers are within the limits of chance.
#[test]
fn random_numbers_have_their_moments() {
    on_meshes(|mesh| {
        let numbers = random::seeded(1).unwrap();
        let uniform = numbers.random([100_000], DType::F64);
        let mean = uniform.mean(()).item::<f64>().unwrap();
        let variance = uniform.var((), 0.0).item::<f64>().unwrap();
        assert!((mean - 0.5).abs() < 0.005 && (variance - 1.0 / 12.0).abs() < 0.002, "{mesh}");
        let normal = numbers.standard_normal([100_000], DType::F64);
        let mean = normal.mean(()).item::<f64>().unwrap();
        let variance = normal.var((), 0.0).item::<f64>().unwrap();
        assert!(mean.abs() < 0.015 && (variance - 1.0).abs() < 0.03, "{mesh}");
        let (before, after) = (normal.slice(s![..-1]), normal.slice(s![1..]));
        let together = (before * after).mean(()).item::<f64>().unwrap();
        assert!(together.abs() < 0.015, "{mesh}");
    });
}

/// A distribution with its mean and variance.
type Distribution = (&'static str, fn(&random::Generator) -> Array, f64, f64);

/// The count of numbers drawn from each distribution.
const DRAWN: usize = 40_000;

const DISTRIBUTIONS: &[Distribution] = &[
    ("uniform", |of| of.uniform(-1.0, 2.0, [DRAWN]), 0.5, 0.75),
    ("normal", |of| of.normal(3.0, 0.5, [DRAWN]), 3.0, 0.25),
    // exp(1/8), (exp(1/4) - 1) exp(1/4)
    ("lognormal", |of| of.lognormal(0.0, 0.5, [DRAWN]), 1.133_148, 0.364_696),
    ("exponential", |of| of.exponential(2.0, [DRAWN]), 2.0, 4.0),
    ("laplace", |of| of.laplace(1.0, 0.5, [DRAWN]), 1.0, 0.5),
    // π² / 3 and π² / 6
    ("logistic", |of| of.logistic(1.0, 1.0, [DRAWN]), 1.0, 3.289_868),
    ("gumbel", |of| of.gumbel(0.0, 1.0, [DRAWN]), 0.577_216, 1.644_934),
    // √(π / 2) and 2 - π / 2
    ("rayleigh", |of| of.rayleigh(1.0, [DRAWN]), 1.253_314, 0.429_204),
    // Γ(3/2) and 1 - π / 4
    ("weibull", |of| of.weibull(2.0, [DRAWN]), 0.886_227, 0.214_602),
    ("pareto", |of| of.pareto(9.0, [DRAWN]), 0.125, 0.020_089),
    ("power", |of| of.power(3.0, [DRAWN]), 0.75, 0.037_5),
    ("triangular", |of| of.triangular(0.0, 1.0, 4.0, [DRAWN]), 5.0 / 3.0, 13.0 / 18.0),
    ("geometric", |of| of.geometric(0.25, [DRAWN]), 4.0, 12.0),
    ("binomial", |of| of.binomial(20, 0.3, [DRAWN]), 6.0, 4.2),
    ("poisson", |of| of.poisson(3.5, [DRAWN]), 3.5, 3.5),
    ("large poisson", |of| of.poisson(10_000.0, [DRAWN]), 10_000.0, 10_000.0),
    ("integers", |of| of.integers(0, 7, [DRAWN]), 3.0, 4.0),
];

/// Draws are the same on every mesh, and have the expected mean and variance.
#[test]
fn distributions_have_their_moments() {
    let found = on_meshes(|_| {
        let numbers = random::seeded(3).unwrap();
        let moments = DISTRIBUTIONS.iter().map(|(name, draw, mean, variance)| {
            let drawn = draw(&numbers);
            let first = drawn.slice(s![..5]).to_vec::<f64>().unwrap();
            let found = drawn.mean(()).item::<f64>().unwrap();
            let spread = drawn.var((), 0.0).item::<f64>().unwrap();
            // Six standard deviations of the mean; variances with long tails vary more.
            let most = 6.0 * (variance / DRAWN as f64).sqrt();
            assert!((found - mean).abs() < most, "{name}: mean {found}, not {mean}");
            assert!((spread / variance - 1.0).abs() < 0.12, "{name}: {spread}, not {variance}");
            (*name, first)
        });
        moments.collect::<Vec<_>>()
    });
    all_equal(found);
}

/// Quotients of normal numbers have no mean, and vectors have a covariance.
#[test]
fn other_distributions_are_those_of_their_names() {
    on_meshes(|mesh| {
        let numbers = random::seeded(4).unwrap();
        let inside = numbers.standard_cauchy([DRAWN]).abs().less(1.0).mean(());
        assert!((inside.item::<f64>().unwrap() - 0.5).abs() < 0.02, "{mesh}");
        let mean = from_slice(&[1.0, -2.0], [2]);
        let covariance = from_slice(&[2.0, 0.6, 0.6, 1.0], [2, 2]);
        let vectors = numbers.multivariate_normal(&mean, &covariance, [DRAWN]);
        assert_eq!(vectors.shape(), [DRAWN, 2]);
        let found = vectors.mean(0).to_vec::<f64>().unwrap();
        assert!((found[0] - 1.0).abs() < 0.05 && (found[1] + 2.0).abs() < 0.05, "{mesh}");
        let found = phalanx::cov(&vectors.t(), ()).to_vec::<f64>().unwrap();
        for (found, expected) in found.iter().zip([2.0, 0.6, 0.6, 1.0]) {
            assert!((found - expected).abs() < 0.1, "{mesh}: {found}, not {expected}");
        }
        // If two of three items with these chances are chosen, the first is among them in 5/6 of
        // the cases: 1/2 + 1/4 · 2/3 + 1/4 · 2/3.
        let weights = from_slice(&[0.5, 0.25, 0.25], [3]);
        let chosen = (0..400).map(|_| {
            let once = ChoiceOptions::default().replace(false).weights(&weights);
            let two = numbers.choice(3, [2], once);
            two.to_vec::<i64>().unwrap().contains(&0)
        });
        if mesh.contains("=1)") {
            let share = chosen.filter(|has| *has).count() as f64 / 400.0;
            assert!((share - 5.0 / 6.0).abs() < 0.08, "{share}");
        }
    });
}

#[test]
fn mistakes_in_distributions_are_refused() {
    on_meshes(|mesh| {
        let numbers = random::seeded(5).unwrap();
        let items = arange(0, 3, 1);
        let weighted = |weights: &[f64], replace| {
            let weights = from_slice(weights, [weights.len()]);
            let options = ChoiceOptions::default().replace(replace).weights(&weights);
            numbers.choice(&items, [3], options)
        };
        for (code, array) in [
            ("PX013", numbers.uniform(0.0, f64::INFINITY, [3])),
            ("PX013", numbers.uniform(-1e308, 1e308, [3])),
            ("PX017", numbers.uniform(1.0, 0.0, [3])),
            ("PX017", numbers.normal(0.0, -1.0, [3])),
            ("PX017", numbers.lognormal(0.0, -1.0, [3])),
            ("PX017", numbers.integers(3, 3, [3])),
            ("PX017", numbers.integers_as(0, 300, [3], DType::U8)),
            ("PX011", numbers.integers_as(0, 3, [3], DType::F64)),
            ("PX011", numbers.random([3], DType::I64)),
            ("PX017", numbers.geometric(0.0, [3])),
            ("PX017", numbers.binomial(3, 1.5, [3])),
            ("PX017", numbers.poisson(f64::NAN, [3])),
            ("PX017", numbers.triangular(0.0, 3.0, 2.0, [3])),
            ("PX003", numbers.permuted(&items, 1)),
            ("PX003", numbers.shuffled(&items, 1)),
            ("PX017", weighted(&[0.5, 0.5], true)),
            ("PX017", weighted(&[0.5, 0.5, 0.5], true)),
            ("PX132", weighted(&[-0.5, 1.0, 0.5], true)),
            ("PX017", weighted(&[f64::NAN, 0.5, 0.5], true)),
            ("PX017", weighted(&[0.5, 0.5, 0.0], false)),
        ] {
            assert_eq!(array.evaluate().unwrap_err().code(), code, "{mesh}: {array:?}");
        }
        numbers.shuffle(&items, 1);
        assert_eq!(items.evaluate().unwrap_err().code(), "PX003", "{mesh}");
    });
}

#[test]
fn sparse_products_are_those_of_dense_matrices() {
    all_equal(on_meshes(|mesh| {
        for shape in [[7usize, 5], [1, 1], [4, 9], [13, 13], [3, 0]] {
            let count = (shape[0] * shape[1]) as i64;
            let numbers = (arange(0, count, 1) * 7).remainder(11) - 4;
            let dense = select(&numbers.less(2), 0, &numbers).reshape(shape);
            let matrix = Csr::from_dense(&dense).unwrap();
            let back = matrix.to_dense();
            assert_eq!(
                back.to_vec::<i64>().unwrap(),
                dense.to_vec::<i64>().unwrap(),
                "{mesh} {shape:?}"
            );
            let vector = arange(0, shape[1] as i64, 1) - 2;
            let product = matrix.matvec(&vector);
            let expected = (&dense * &vector).sum(1);
            assert_eq!(
                product.to_vec::<i64>().unwrap(),
                expected.to_vec::<i64>().unwrap(),
                "{mesh} {shape:?}"
            );
        }
        // Triplets in any order; triplets of the same position are added.
        let rows = from_slice(&[2i64, 0, 2, 1, 0], [5]);
        let columns = from_slice(&[1i64, 3, 1, 0, 0], [5]);
        let values = from_slice(&[1.0, 2.0, 3.0, 4.0, 5.0], [5]);
        let matrix = Csr::from_triplets(&rows, &columns, &values, [4, 4]).unwrap();
        let product = matrix.matvec(&from_slice(&[1.0, 10.0, 100.0, 1000.0], [4]));
        product.to_vec::<f64>().unwrap()
    }));
}

#[test]
fn conjugate_gradients_solve() {
    on_meshes(|mesh| {
        let n = 40;
        let dense = zeros([n, n], DType::F64);
        let index = arange(0, n as i64, 1);
        let distance = (index.expand_dims(1) - &index).abs();
        dense.assign(select(&distance.equal(0), 4.0, select(&distance.equal(1), -1.0, 0.0)));
        let matrix = Csr::from_dense(&dense).unwrap();
        let b = index.astype(DType::F64).sin();
        let solution = cg(&matrix, &b, Options::default().rtol(1e-12).maxiter(100)).unwrap();
        let left = (&b - matmul(&dense, &solution.x)).abs().max(()).item::<f64>().unwrap();
        assert!(left < 1e-11 && solution.iterations < 60, "{mesh}: {left}");
    });
}

/// By gathering, in panels, and by partial products; the plan states which.
#[test]
fn products_of_matrices_are_the_same_by_every_schedule() {
    let results = on_meshes(|mesh| {
        let numbers = |rows: i64, columns: i64, factor: i64| {
            let all = (arange(0, rows * columns, 1) * factor).remainder(17) - 8;
            all.astype(DType::F64).reshape([rows, columns])
        };
        // Products and sums of small whole numbers are exact.
        let (tall, wide) = (numbers(3001, 12, 5), numbers(12, 3001, 7));
        tall.evaluate().unwrap();
        wide.evaluate().unwrap();
        let inner = matmul(&tall.t(), &tall);
        if mesh.starts_with("mesh(device=") && !mesh.contains("=1)") {
            let plan = inner.explain().unwrap();
            assert!(plan.contains("1 all-reduce"), "{plan}");
        }
        let outer = matmul(&tall, &wide).sum(()).item::<f64>().unwrap();
        let large = numbers(81, 21, 3);
        large.evaluate().unwrap();
        let square = matmul(&large, &large.t());
        if mesh.contains("=4)") {
            let plan = square.explain().unwrap();
            assert!(plan.contains("2 library calls"), "{plan}");
        }
        let corner = square.slice(s![-3.., ..3]).to_vec::<f64>().unwrap();
        let trace = (&large * &large).sum(()) - square.trace(0, 0, 1);
        assert_eq!(trace.item::<f64>().unwrap(), 0.0, "{mesh}");
        let stack =
            matmul(&numbers(15, 8, 3).reshape([3, 5, 8]), &numbers(24, 4, 5).reshape([3, 8, 4]));
        (inner.to_vec::<f64>().unwrap(), outer, corner, stack.to_vec::<f64>().unwrap())
    });
    all_equal(results);
}

/// Routines whose result is exchanged right after them run once for each chunk.
#[test]
fn values_are_the_same_if_they_are_sent_in_chunks() {
    let results = on_meshes(|mesh| {
        let numbers = (arange(0, 203 * 31, 1) * 37).remainder(101).astype(DType::F64) - 50;
        let matrix = numbers.reshape([203, 31]);
        matrix.evaluate().unwrap();
        let sorted = sort(&matrix, 1);
        let flipped = sorted.slice(s![..;-1, ..]) + &sorted;
        let plan = flipped.explain().unwrap();
        if ["=3)", "=4)", "=8)"].iter().any(|devices| mesh.ends_with(devices)) {
            assert!(plan.contains(" chunks"), "{plan}");
        }
        let turned = sorted.t() * 2;
        // Two routines in a row, then a third along the axis that was split.
        let cube = numbers.slice(s![..6240]).reshape([78, 8, 10]);
        let spectrum = fft::fftn(&cube, ());
        let product = matmul(&matrix, &matrix.t());
        let shifted = roll(&product, 7, 0) - &product;
        // The rows of the second product overwrite what the first one reads.
        let square = (arange(0, 141 * 141, 1) % 7).astype(DType::F64).reshape([141, 141]);
        let twice = matmul(&(&square + 1), &matmul(&square, &(&square + 2)));
        let sums = (&twice + twice.t()).sum(0);
        let all = [turned, flipped, spectrum.real(), spectrum.imag(), shifted, sums];
        all.map(|array| array.to_vec::<f64>().unwrap())
    });
    all_equal(results);
}
