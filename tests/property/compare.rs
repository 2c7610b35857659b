//! Arrays of Phalanx compared with those of the reference.

use crate::execute::{Arrays, elements};
use crate::program::{Instruction, Name};
use crate::reference::{Plain, Reference, Value, positions};
use phalanx::Array;

/// The allowed difference due to another order of rounding, for each unit of magnitude.
const TOLERANCE: f64 = 1e-11;

/// Compares shapes, dtypes, strides, and which arrays share elements.
pub fn forms(reference: &Reference, arrays: &Arrays) -> Result<(), String> {
    let names = reference.names();
    let pairs: Vec<(Name, &Plain, &Array)> = names
        .iter()
        .filter_map(|&name| Some((name, reference.get(name)?, arrays.get(name))))
        .collect();
    for (position, &(name, plain, array)) in pairs.iter().enumerate() {
        if array.shape() != plain.shape() {
            let (found, expected) = (array.shape(), plain.shape());
            return Err(format!("`{name}` has shape {found:?}, expected {expected:?}"));
        }
        if array.dtype() != plain.dtype() {
            let (found, expected) = (array.dtype().name(), plain.dtype().name());
            return Err(format!("`{name}` has dtype {found}, expected {expected}"));
        }
        let size = array.dtype().size() as i64;
        let found: Vec<i64> = array.strides().iter().map(|&stride| stride as i64 / size).collect();
        // Strides have no effect along an axis of one position, or in an array without elements.
        let matters = |axis: &usize| plain.shape()[*axis] != 1 && plain.size() != 0;
        if (0..array.ndim()).filter(matters).any(|axis| found[axis] != plain.strides()[axis]) {
            let expected = plain.strides();
            return Err(format!("`{name}` has strides {found:?}, expected {expected:?}"));
        }
        for (other, other_plain, other_array) in &pairs[..position] {
            let (found, expected) =
                (array.has_base_of(other_array), plain.shares_memory(other_plain));
            if found != expected {
                return Err(format!("`{name}` and `{other}` share: {found}, expected {expected}"));
            }
        }
    }
    Ok(())
}

/// Compares the observation of an instruction; other instructions observe nothing.
pub fn observed(
    instruction: &Instruction,
    reference: &Reference,
    arrays: &Arrays,
) -> Result<(), String> {
    let of = match instruction {
        Instruction::Read { of } | Instruction::Shards { of } | Instruction::Explain { of } => *of,
        _ => return Ok(()),
    };
    let Some(plain) = reference.get(of) else { return Ok(()) };
    let array = arrays.get(of);
    match instruction {
        Instruction::Shards { .. } => shards(plain, array),
        Instruction::Explain { .. } => explained(array),
        _ => {
            let host = array.to_host().map_err(|error| error.to_string())?;
            if host.shape != plain.shape() || host.dtype != plain.dtype() {
                return Err(format!("read a {} of shape {:?}", host.dtype.name(), host.shape));
            }
            values(plain, &elements(&host), &plain.values())
        }
    }
}

fn values(plain: &Plain, found: &[Value], expected: &[Value]) -> Result<(), String> {
    let tolerance = plain.rounded().map(|magnitude| TOLERANCE * (1.0 + magnitude));
    let agrees = |found: Value, expected: Value| {
        found.same(expected)
            || tolerance.is_some_and(|most| (found.float() - expected.float()).abs() <= most)
    };
    let pairs = found.iter().zip(expected);
    if found.len() == expected.len() && pairs.clone().all(|(a, b)| agrees(*a, *b)) {
        return Ok(());
    }
    let text =
        |values: &[Value]| values.iter().map(Value::to_string).collect::<Vec<String>>().join(", ");
    let shape = plain.shape();
    Err(format!("shape {shape:?}\n  found    {}\n  expected {}", text(found), text(expected)))
}

/// Checks that every device holds the part of the array that its shard states.
fn shards(plain: &Plain, array: &Array) -> Result<(), String> {
    let whole = plain.values();
    let shards = array.local_shards().map_err(|error| error.to_string())?;
    let mut seen = vec![false; whole.len()];
    for (start, shard) in shards {
        let mut expected = Vec::new();
        for index in positions(&shard.shape) {
            let index = index.iter().zip(&start).map(|(at, start)| at + start);
            let place = index.zip(plain.shape()).fold(0, |place, (at, extent)| place * extent + at);
            let Some(&value) = whole.get(place) else {
                return Err(format!("a shard of shape {:?} at {start:?}", shard.shape));
            };
            seen[place] = true;
            expected.push(value);
        }
        values(plain, &elements(&shard), &expected)
            .map_err(|fault| format!("shard at {start:?}, {:?}: {fault}", shard.shape))?;
    }
    if seen.iter().all(|&seen| seen) { Ok(()) } else { Err(String::from("elements in no shard")) }
}

/// Checks that the plan has a text and that the predicted sharding is the actual one.
fn explained(array: &Array) -> Result<(), String> {
    array.explain().map_err(|error| error.to_string())?;
    let blocks = || -> Result<Vec<_>, phalanx::Error> {
        let (sharding, handle) = (array.sharding()?, array.mesh()?);
        let mesh = handle.mesh();
        let block = |device| sharding.block(array.shape(), mesh, &mesh.coordinates(device));
        Ok((0..mesh.devices()).map(block).collect())
    };
    let foretold = blocks().map_err(|error| error.to_string())?;
    array.evaluate().map_err(|error| error.to_string())?;
    let found = blocks().map_err(|error| error.to_string())?;
    if found == foretold {
        return Ok(());
    }
    Err(format!("blocks {found:?} after the evaluation, foretold {foretold:?}"))
}
