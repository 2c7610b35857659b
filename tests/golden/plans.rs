//! Programs with golden plans, on one device and on four. The tests assert the work and check the
//! values, so that no wrong plan becomes golden.

use crate::inputs::on_devices;
use crate::{files, programs};
use phalanx::{Array, Bytes, Limits};

/// The arrays that a program leaves.
pub struct Outcome {
    /// The results with the numbers they should hold, in C order.
    pub results: Vec<(Array, Vec<f64>)>,
    /// Other arrays that the program can still observe; they only have to be alive.
    pub _kept: Vec<Array>,
}

/// The steps of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    pub launches: usize,
    pub libraries: usize,
    pub exchanges: usize,
    pub collectives: usize,
}

impl Work {
    /// The steps of a plan's text.
    pub fn of(text: &str) -> Work {
        let mut work = Work::default();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            if words.next().is_none_or(|number| number.parse::<usize>().is_err()) {
                continue;
            }
            match words.next() {
                Some("launch") => work.launches += 1,
                Some("library") => work.libraries += 1,
                Some("exchange") => work.exchanges += 1,
                Some("all_reduce") => work.collectives += 1,
                other => panic!("a step of an unknown kind: {other:?}"),
            }
        }
        work
    }
}

/// One window, however long the program.
const ONE_WINDOW: Limits = Limits {
    soft: 4096,
    hard: 4096,
    bytes: Bytes(4 << 30),
    small: Bytes(64 << 10),
    at_once: 0,
    reproducible: false,
};

/// Checks a program's plans and values.
fn check(name: &str, program: fn() -> Outcome, one: [usize; 4], four: [usize; 4]) {
    assert_eq!(one[2..], [0, 0], "{name}: a world of one device has nobody to talk to");
    for (devices, [launches, libraries, exchanges, collectives]) in [(1, one), (4, four)] {
        on_devices(devices, ONE_WINDOW, |session| {
            let outcome = program();
            let text = outcome.results[0].0.explain().expect("a plan is explained");
            session.reset_peak();
            outcome.results[0].0.evaluate().expect("a result is computed");
            check_peak(name, &text, session.peak_bytes());
            check_values(name, devices, &outcome);
            let work = Work { launches, libraries, exchanges, collectives };
            assert_eq!(Work::of(&text), work, "{name} on {devices}:\n{text}");
            // On GPUs the plan also describes the launches; `null_gpus` checks these lines.
            let lines = text.lines().filter(|line| !line.starts_with("  gpu 0, "));
            let text: String = lines.flat_map(|line| [line, "\n"]).collect();
            files::check(&format!("plans/{name}.{devices}.plan"), &without_lines(&text));
        });
    }
    // Blocks of uneven sizes.
    on_devices(3, ONE_WINDOW, |_| check_values(name, 3, &program()));
}

/// Compares the peak that a plan states with the peak that the devices measured.
fn check_peak(name: &str, text: &str, measured: usize) {
    let (_, after) = text.split_once("peak ").expect("a plan tells its peak");
    let mut words = after.split([' ', ',']);
    let number: f64 =
        words.next().and_then(|word| word.parse().ok()).expect("the peak is a number");
    let unit = match words.next() {
        Some("B") => 1.0,
        Some("KiB") => 1024.0,
        Some("MiB") => 1024.0 * 1024.0,
        other => panic!("{name} tells its peak in {other:?}"),
    };
    let told = number * unit;
    // The text is rounded to tenths, and small buffers take a cache line.
    let excess = measured as f64 - told;
    let least = -64.0 - if unit > 1024.0 { unit / 20.0 } else { 0.0 };
    assert!(
        (least..2048.0 - least).contains(&excess),
        "{name}: {measured} bytes, not {told}\n{text}"
    );
}

fn check_values(name: &str, devices: usize, outcome: &Outcome) {
    for (position, (array, numbers)) in outcome.results.iter().enumerate() {
        let values = array.to_vec::<f64>().expect("a result is computed");
        assert_eq!(values.len(), numbers.len(), "{name} on {devices}, result {position}");
        for (index, (&value, &number)) in values.iter().zip(numbers).enumerate() {
            let close = (value - number).abs() <= 1e-11 * number.abs().max(1.0);
            assert!(
                close,
                "{name} on {devices}, result {position}[{index}]: {value}, not {number}"
            );
        }
    }
}

/// The text with `_` instead of each line number, so that an edit above the line changes nothing.
pub fn without_lines(text: &str) -> String {
    let mut parts = text.split(".rs:");
    let mut result = String::from(parts.next().unwrap_or_default());
    for part in parts {
        result += ".rs:_";
        result += part.trim_start_matches(|character: char| character.is_ascii_digit());
    }
    result
}

/// One test for each program, with the launches, library calls, exchanges and all-reduces on one
/// device and on four.
macro_rules! golden_plans {
    ($($name:ident $one:expr, $four:expr;)*) => {
        mod golden {
            use super::*;
            $(
                #[test]
                fn $name() {
                    check(stringify!($name), programs::$name, $one, $four);
                }
            )*
        }
    };
}

golden_plans! {
    chain [1, 0, 0, 0], [1, 0, 0, 0];
    long_chain [5, 0, 0, 0], [5, 0, 0, 0];
    whole_updates [1, 0, 0, 0], [1, 0, 0, 0];
    black_scholes [1, 0, 0, 0], [1, 0, 0, 0];
    special_functions [2, 0, 0, 0], [2, 0, 0, 0];
    variance [1, 0, 0, 0], [2, 0, 0, 1];
    standardised [1, 0, 0, 0], [3, 0, 0, 2];
    variance_of_complex_numbers [1, 0, 0, 0], [2, 0, 0, 1];
    variance_of_rows [1, 0, 0, 0], [1, 0, 0, 0];
    softmax [1, 0, 0, 0], [1, 0, 0, 0];
    centred [1, 0, 0, 0], [2, 0, 0, 1];
    sums_of_rows_and_columns [2, 0, 0, 0], [2, 0, 0, 1];
    masked_sum [1, 0, 0, 0], [1, 0, 0, 1];
    argmin_of_sum [1, 0, 0, 0], [1, 0, 0, 1];
    add_transpose [1, 0, 0, 0], [1, 0, 1, 0];
    shift [1, 0, 0, 0], [1, 0, 1, 0];
    stencil_step [1, 0, 0, 0], [1, 0, 1, 0];
    two_stencil_steps [2, 0, 0, 0], [2, 0, 2, 0];
    laplacian [1, 0, 0, 0], [1, 0, 1, 0];
    pending_laplacian [2, 0, 0, 0], [2, 0, 1, 0];
    // The rows at the borders of blocks, for each window.
    smoothed [0, 2, 0, 0], [0, 2, 2, 0];
    // What stands beyond each end is a box of its own.
    greatest_around [0, 1, 0, 0], [0, 1, 3, 0];
    // Three kernels would suffice on four devices. But a product is not fused with a sum whose loop
    // reads beyond its block, and quotients of single numbers have separate kernels.
    conjugate_gradient_step [1, 0, 0, 0], [3, 0, 1, 2];
    k_means_assignment [1, 0, 0, 0], [1, 0, 0, 0];
    // Counts are integers and sums are not, so they are combined separately.
    k_means_update [2, 0, 0, 0], [3, 0, 0, 2];
    // The library reads transposed operands in place, and the distances are fused into the argmin,
    // although the norms of the centres are recorded between them.
    k_means_by_matmul [5, 2, 0, 0], [5, 2, 0, 1];
    // If the first value were computed later, the array that is written in place would be copied.
    written_between [3, 0, 0, 0], [3, 0, 0, 0];
    put_between [2, 1, 0, 0], [4, 1, 0, 0];
    histogram_of_range [1, 0, 0, 0], [1, 0, 0, 1];
    running_sums [2, 1, 0, 0], [5, 3, 1, 0];
    ranks [2, 3, 0, 0], [2, 12, 1, 0];
    requests [3, 2, 0, 0], [4, 2, 0, 0];
    product_in_panels [0, 1, 0, 0], [4, 2, 2, 0];
    launched [4, 10, 0, 0], [11, 10, 7, 0];
}
