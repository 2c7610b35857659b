//! Inputs in two forms: as arrays, and as the numbers that they hold.

use phalanx::prelude::*;
use phalanx::{Limits, Policy, Session};

/// A number from -2 to 2, in quarters, that depends on an index and a seed.
fn number(index: usize, seed: usize) -> f64 {
    ((index * 7 + seed * 5 + index / 11 * 3) % 17) as f64 / 4.0 - 2.0
}

/// The elements of the array of this seed, in C order.
pub fn numbers(shape: &[usize], seed: usize) -> Vec<f64> {
    (0..shape.iter().product()).map(|index| number(index, seed)).collect()
}

/// An evaluated array of these numbers.
pub fn array(shape: &[usize], seed: usize) -> Array {
    let made = from_function(shape, |indices| {
        let zero = full((), 0, DType::I64);
        let axes = indices.iter().zip(shape);
        let position =
            axes.fold(zero, |position, (index, &extent)| position * extent as i64 + index);
        let sum = &position * 7 + 5 * seed as i64 + position.floor_divide(11) * 3;
        (sum % 17).astype(DType::F64) / 4.0 - 2.0
    });
    made.evaluate().expect("an input is made");
    made
}

/// Arrays of at least this many elements are split in these tests.
const SPLIT_FROM: usize = 256;

/// Limits with which plans compute all operations, also small ones on one device.
pub fn by_plans() -> Limits {
    Limits { at_once: 0, ..Limits::default() }
}

/// Runs `body` on a separate line of devices.
pub fn on_devices<R>(devices: usize, limits: Limits, body: impl FnOnce(&Session) -> R) -> R {
    let config = Config::for_tests(devices).threads(2);
    let policy = Policy { split_from: SPLIT_FROM };
    let session = Session::with_options(config, None, policy, limits).expect("a session starts");
    let result = session.handle().enter(|| body(&session));
    session.finish().expect("the session ends well");
    result
}

#[test]
fn both_sides_of_an_input_agree() {
    for devices in [1, 4] {
        on_devices(devices, Limits::default(), |_| {
            let shape = [13, 31];
            assert_eq!(array(&shape, 3).to_vec::<f64>().unwrap(), numbers(&shape, 3));
        });
    }
}
