//! NumPy's functions on meshes of several sizes, case by case against NumPy's answers.
//!
//! `tests/conformance/functions.py` expands the descriptions in `tests/conformance/functions/` to
//! cases; without them the tests report that they were skipped. A module of `calls` maps each
//! function of its topic to a call in Rust. Meshes of 1 and 3 devices run all cases, the others an
//! eighth that `PHALANX_TEST_TURN` decides; without it that of 4 runs all, too. With
//! `PHALANX_TEST_FULL=1` all meshes run all cases.

mod answer;
mod arguments;
mod beyond;
mod calls;
mod captures;
mod case;
mod compare;
mod csgraph;
mod distribution;
mod elements;
mod key;
mod launches;
mod matrices;
mod meshes;
mod multigrid;
mod orders;
mod run;
mod solvers;
mod sparse;
mod user_ufuncs;
mod words;

macro_rules! topics {
    ($($topic:ident)*) => {
        /// The topics that have calls.
        const TOPICS: &[&str] = &[$(stringify!($topic)),*];

        $(mod $topic {
            use crate::calls::$topic::CALLS;
            use crate::run::check;

            #[test]
            fn on_1_device() {
                check(stringify!($topic), CALLS, &[1]);
            }

            #[test]
            fn on_3_devices() {
                check(stringify!($topic), CALLS, &[3]);
            }

            #[test]
            fn on_4_devices() {
                check(stringify!($topic), CALLS, &[4]);
            }

            #[test]
            fn on_2_devices() {
                check(stringify!($topic), CALLS, &[2]);
            }

            #[test]
            fn on_8_devices() {
                check(stringify!($topic), CALLS, &[8]);
            }

            #[test]
            fn on_2_by_2_devices() {
                check(stringify!($topic), CALLS, &[2, 2]);
            }
        })*
    };
}

topics! {
    averages conversions creation differences dtypes elementary fft indexing linalg manipulation
    nan_reductions operators order_statistics polynomials products random reduction_options
    reduction_outputs reductions scans scipy selection sorting statistics ufunc_methods ufuncs
}

#[test]
fn every_topic_that_is_described_has_calls() {
    let Some(folder) = run::folder() else { return };
    let mut described = run::topics(&folder);
    let mut called: Vec<String> = TOPICS.iter().map(|&topic| String::from(topic)).collect();
    described.sort();
    called.sort();
    assert_eq!(described, called, "topics of tests/conformance/functions and of main.rs");
}
