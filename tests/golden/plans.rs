//! Programs whose plans are golden: on one device and on four, with the work asserted and the values checked, so that no
//! wrong plan becomes golden.

use crate::inputs::on_devices;
use crate::{files, programs};
use phalanx::Array;

/// What a program leaves behind.
pub struct Outcome {
    /// The results with the numbers they should hold, in C order.
    pub results: Vec<(Array, Vec<f64>)>,
    /// Other arrays that the program can still observe.
    pub kept: Vec<Array>,
}

/// The steps of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Work {
    launches: usize,
    libraries: usize,
    exchanges: usize,
    collectives: usize,
}

impl Work {
    /// The steps of a plan's text.
    fn of(text: &str) -> Work {
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
                Some("all_reduce" | "collective") => work.collectives += 1,
                other => panic!("a step of an unknown kind: {other:?}"),
            }
        }
        work
    }
}

/// A step count, in the order in which tests name it.
fn work([launches, exchanges, collectives]: [usize; 3]) -> Work {
    Work { launches, libraries: 0, exchanges, collectives }
}

/// Checks a program's plans and values.
fn check(name: &str, program: fn() -> Outcome, expected: [(usize, Work); 2]) {
    for (devices, expected) in expected {
        on_devices(devices, |_| {
            let outcome = program();
            let text = outcome.results[0].0.explain().expect("a plan is explained");
            assert_eq!(Work::of(&text), expected, "{name} on {devices}:\n{text}");
            check_values(name, devices, &outcome);
            files::check(&format!("{name}.{devices}.plan"), &text);
        });
    }
    // Blocks of uneven sizes.
    on_devices(3, |_| check_values(name, 3, &program()));
}

fn check_values(name: &str, devices: usize, outcome: &Outcome) {
    for (position, (array, numbers)) in outcome.results.iter().enumerate() {
        let values = array.to_vec::<f64>().expect("a result is computed");
        assert_eq!(values.len(), numbers.len(), "{name} on {devices}, result {position}");
        for (index, (&value, &number)) in values.iter().zip(numbers).enumerate() {
            let close = (value - number).abs() <= 1e-11 * number.abs().max(1.0);
            assert!(close, "{name} on {devices}, result {position}, element {index}: {value}, not {number}");
        }
    }
}

/// One test for each program: its name, and for one and four devices the launches, exchanges and all-reduces.
macro_rules! golden_plans {
    ($($(#[doc = $text:expr])* $name:ident $one:expr, $four:expr;)*) => {
        mod golden {
            use super::*;
            $(
                $(#[doc = $text])*
                #[test]
                fn $name() {
                    check(stringify!($name), programs::$name, [(1, work($one)), (4, work($four))]);
                }
            )*
        }
    };
}

golden_plans! {
    chain [1, 0, 0], [1, 0, 0];
    variance [1, 0, 0], [3, 0, 2];
    variance_of_rows [1, 0, 0], [1, 0, 0];
    softmax [1, 0, 0], [1, 0, 0];
    stencil_step [1, 0, 0], [1, 1, 0];
    conjugate_gradient_step [3, 0, 0], [4, 1, 2];
}
