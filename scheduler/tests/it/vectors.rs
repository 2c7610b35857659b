//! Vectors of whole numbers, split in many ways, and the sums that they should have.

use phalanx_array::{Array, HostArray};
use phalanx_collectives::World;
use phalanx_distributed::Policy;
use phalanx_ops::{Bounds, DType, Sharding, Split};
use phalanx_scheduler::{Session, SessionOptions};
use std::sync::Arc;

/// A session on this many devices that splits every array.
pub fn session_of(devices: usize, options: SessionOptions) -> Arc<Session> {
    let options = SessionOptions { policy: Policy { split_from: 1 }, ..options };
    let world = World::local(devices).expect("a world");
    Session::new(world, options).expect("a session")
}

pub fn numbers(count: usize) -> Vec<i64> {
    (0..count as i64).map(|at| (at * 37 + 11) % 101 - 50).collect()
}

pub fn sums(numbers: &[i64]) -> Vec<i64> {
    let running = numbers.iter().scan(0, |sum, number| {
        *sum += number;
        Some(*sum)
    });
    running.collect()
}

pub fn vector(numbers: &[i64]) -> Array {
    let bytes = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
    Array::from_host(&HostArray { dtype: DType::I64, shape: vec![numbers.len()], bytes })
}

/// Shardings of a vector of this many elements, with uneven and empty blocks too.
pub fn shardings(count: usize, devices: usize) -> Vec<Sharding> {
    let uneven = |first: usize| {
        let mut sizes = vec![0; devices];
        sizes[first] = count / 3;
        sizes[devices - 1 - first] += count - count / 3;
        Bounds::explicit(&sizes)
    };
    let of = |bounds| Sharding {
        axes: [Some(Split { mesh_axes: [0].into_iter().collect(), bounds })].into_iter().collect(),
        partial: None,
    };
    vec![of(Bounds::even(count, devices)), of(uneven(0)), of(uneven(devices / 2))]
}
