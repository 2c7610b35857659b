//! Programs with an error in their data: integers to negative integer powers.

use super::{Outcome, SPLIT_FROM};
use phalanx::prelude::*;
use phalanx::{Error, MeshHandle, deferred_errors, flush};
use std::fmt::Display;

/// Arrays of this length are split.
const LENGTH: usize = 4 * SPLIT_FROM;

/// Twos, except for a negative number at a position, if one is given; nothing is known of them
/// before they are computed.
fn exponents(length: usize, negative: Option<usize>) -> Array {
    let mut values = vec![2.0; length];
    if let Some(place) = negative {
        values[place] = -1.0;
    }
    from_slice(&values[..], [length]).astype(DType::I64)
}

/// Writes the outcome of an observation: a value, or the code and the line of an error in the data.
/// Other errors end the program.
fn tell(name: &str, outcome: Result<impl Display, Error>) -> Result<(), Error> {
    match outcome {
        Ok(value) => println!("{name} {value}"),
        Err(error) if error.code() == "PX022" => match error.site() {
            Some(site) => println!("{name} PX022 {}:{}", site.file(), site.line()),
            None => println!("{name} PX022 nowhere"),
        },
        Err(error) => return Err(error),
    }
    Ok(())
}

fn is_pending() -> bool {
    MeshHandle::current().is_some_and(|mesh| mesh.pending() > 0)
}

fn sum(array: &Array) -> Result<i64, Error> {
    array.sum(()).item()
}

/// The call of the power raises the error, and work continues without that call.
pub fn refuse() -> Outcome {
    for length in [10, LENGTH] {
        let base = arange(0, length, 1);
        println!("sharding {}", base.sharding()?);
        for place in [0, length / 2, length - 1] {
            let exponents = exponents(length, Some(place));
            let refused = base.power(&exponents);
            tell("call", refused.ok().map(|_| "gives an array"))?;
            tell("use", sum(&(&refused + 1)))?;
            let least = exponents.min(()).item::<i64>()?;
            println!("least {least}");
            exponents.slice(s![place as i64]).assign(2);
            tell("squares", sum(&base.power(&exponents)))?;
        }
    }
    Ok(())
}

type Observation = fn(&Array) -> Result<usize, Error>;

/// Each reports how many elements it has seen.
const OBSERVATIONS: [(&str, Observation); 6] = [
    ("evaluate", |array| array.evaluate().map(|()| 0)),
    ("flush", |_| flush().map(|()| 0)),
    ("item", |array| sum(array).map(|_| 1)),
    ("to_vec", |array| Ok(array.to_vec::<i64>()?.len())),
    ("view", |array| Ok(array.slice(s![1..]).to_host()?.shape[0])),
    ("print", |array| phalanx::print(&array.slice(s![..2])).map(|()| 2)),
];

/// Inside of `deferred_errors` nothing waits; each kind of observation raises the error, once.
pub fn defer() -> Outcome {
    let base = arange(0, LENGTH, 1);
    for (turn, (name, observe)) in OBSERVATIONS.into_iter().enumerate() {
        flush()?;
        let negative = exponents(LENGTH, Some(turn * LENGTH / OBSERVATIONS.len()));
        let others = exponents(LENGTH, None);
        let (refused, fine) = deferred_errors(|| {
            let refused = base.power(&negative);
            (refused, base.power(&others))
        });
        refused.ok()?;
        println!("pending {}", is_pending());
        // The observation of another value raises the error, and later work is not affected.
        tell(name, observe(&fine))?;
        tell(name, observe(&(&fine + 1)))?;
    }
    // An observation inside of the scope raises the errors too, in their order.
    let negative = exponents(LENGTH, Some(LENGTH - 1));
    deferred_errors(|| {
        let twice = [base.power(&negative), (&base + 1).power(&negative)];
        tell("inside", sum(&twice[1]))?;
        tell("inside", sum(&base))
    })?;
    tell("inside", sum(&base))?;
    // Outside of it the call raises the error again.
    tell("call", base.power(&negative).ok().map(|_| "gives an array"))?;
    Ok(())
}

/// Lets the end of the session raise the error.
pub fn leave_to_the_end() -> Outcome {
    let base = arange(0, LENGTH, 1);
    let negative = exponents(LENGTH, Some(LENGTH / 3));
    deferred_errors(|| drop(base.power(&negative)));
    println!("pending {}", is_pending());
    Ok(())
}

/// One rank reads a Local value while errors wait to be raised.
pub fn read_on_one(reader: &str) -> Outcome {
    let is_reader = phalanx::rank() == reader.parse::<usize>()?;
    let known = arange(0, 10, 1);
    let number = known.sum(());
    number.evaluate()?;
    let base = arange(0, LENGTH, 1);
    let negative = exponents(LENGTH, Some(LENGTH - 1));
    deferred_errors(|| {
        drop(base.power(&negative));
        drop((&base + 1).power(&negative));
    });
    if is_reader {
        tell("too early", number.item::<i64>())?;
    }
    // This closes the window, but shows no value.
    println!("chosen {}", base.compress(&base.less(7)).size());
    if is_reader {
        tell("alone", number.item::<i64>())?;
        tell("alone", known.evaluate().map(|()| "well"))?;
        tell("alone", known.slice(s![2..]).to_vec::<i64>().map(|read| read.len()))?;
        tell("alone", known.reshape([5, 2]).t().to_host().map(|read| read.shape.len()))?;
        println!("shown {number}");
    }
    // All ranks read a split value, although it has been evaluated.
    let all = || base.to_vec::<i64>().map(|read| read.len());
    tell("together", all())?;
    if is_reader {
        tell("alone", number.item::<i64>())?;
    }
    tell("together", all())?;
    if is_reader {
        tell("alone", number.item::<i64>())?;
    }
    tell("together", sum(&base))?;
    Ok(())
}
