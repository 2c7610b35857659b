//! Sorts of split axes: every device sorts its block and sends each element to the device that has
//! its rank, so no device holds more than its blocks.

use crate::vectors::{numbers, session_of, shardings, vector};
use phalanx_array::{Array, HostArray, MeshHandle, argsort, partition, sort};
use phalanx_ops::{Bounds, DType, Mesh, Sharding, Split};
use phalanx_scheduler::SessionOptions;

/// Vectors that are hard to share evenly, and one that is not.
fn vectors(count: usize) -> Vec<Vec<i64>> {
    let count = count as i64;
    vec![
        numbers(count as usize),
        vec![5; count as usize],
        (0..count).collect(),
        (0..count).rev().collect(),
        (0..count).map(|at| at % 3).collect(),
    ]
}

fn order(given: &[i64]) -> Vec<i64> {
    let mut positions: Vec<i64> = (0..given.len() as i64).collect();
    positions.sort_by_key(|&at| given[at as usize]);
    positions
}

#[test]
fn vectors_are_sorted_on_any_number_of_devices() {
    for devices in [1, 2, 3, 4, 8] {
        MeshHandle::new(session_of(devices, SessionOptions::default())).enter(|| {
            for count in [1, 2, 7, 8, 1000] {
                for (sharding, given) in shardings(count, devices)
                    .iter()
                    .flat_map(|s| vectors(count).into_iter().map(move |v| (s, v)))
                {
                    let value = vector(&given).with_sharding(sharding.clone());
                    let what = format!("{count} elements on {devices} devices by {sharding:?}");
                    let mut sorted = given.clone();
                    sorted.sort_unstable();
                    let is = sort(&(&value * 3), 0);
                    let tripled: Vec<i64> = sorted.iter().map(|number| 3 * number).collect();
                    assert_eq!(is.to_vec::<i64>().expect("a sort"), tripled, "{what}");
                    let is = argsort(&value, 0).to_vec::<i64>().expect("positions");
                    assert_eq!(is, order(&given), "{what}");
                    let turned: Vec<i64> = given.iter().rev().copied().collect();
                    let back = value.slice(phalanx_array::s![..; -1]);
                    let is = argsort(&back, 0).to_vec::<i64>().expect("positions");
                    assert_eq!(is, order(&turned), "{what}");
                    let middle = partition(&value, &[count as i64 / 2], 0);
                    let middle = middle.to_vec::<i64>().expect("a partition");
                    assert_eq!(middle[count / 2], sorted[count / 2], "{what}");
                }
            }
        });
    }
}

fn matrix(shape: [usize; 2]) -> (Array, Vec<i64>) {
    let given = numbers(shape[0] * shape[1]);
    let bytes = given.iter().flat_map(|number| number.to_ne_bytes()).collect();
    (Array::from_host(&HostArray { dtype: DType::I64, shape: shape.to_vec(), bytes }), given)
}

/// A few lines along each axis, on a line of devices and along one axis of a grid.
#[test]
fn few_lines_are_sorted_along_a_split_axis() {
    for (devices, grid) in [(2, None), (3, None), (8, None), (4, Some((2, 2))), (6, Some((3, 2)))] {
        let mesh = grid.map(|(rows, columns)| Mesh::new(&[("x", rows), ("y", columns)]));
        let options = SessionOptions { mesh, ..SessionOptions::default() };
        MeshHandle::new(session_of(devices, options)).enter(|| {
            for (shape, axis) in [([2, 8200], 1), ([8200, 2], 0), ([1, 90], 1), ([90, 1], 0)] {
                let parts = grid.map_or(devices, |(rows, _)| rows);
                for bounds in [
                    Bounds::even(shape[axis], parts),
                    Bounds::explicit(&[&[shape[axis]][..], &vec![0; parts - 1]].concat()),
                ] {
                    let split = Split { mesh_axes: [0].into_iter().collect(), bounds };
                    let mut sharding = Sharding::replicated(2);
                    sharding.axes[axis] = Some(split);
                    let (value, given) = matrix(shape);
                    let value = value.with_sharding(sharding);
                    let mut should = given.clone();
                    let mut places = vec![0; given.len()];
                    let lines = shape[1 - axis];
                    for line in 0..lines {
                        let at = |row: usize| match axis {
                            0 => row * lines + line,
                            _ => line * shape[1] + row,
                        };
                        let of_line: Vec<i64> =
                            (0..shape[axis]).map(|row| given[at(row)]).collect();
                        for (row, had) in order(&of_line).into_iter().enumerate() {
                            should[at(row)] = of_line[had as usize];
                            places[at(row)] = had;
                        }
                    }
                    let what = format!("{shape:?} on {devices} devices");
                    let is = sort(&value, axis as i64).to_vec::<i64>().expect("a sort");
                    assert_eq!(is, should, "{what}");
                    let is = argsort(&value, axis as i64).to_vec::<i64>().expect("positions");
                    assert_eq!(is, places, "{what}");
                }
            }
        });
    }
}

/// No plan gathers, and each device sends at most its block.
#[test]
fn sorts_of_split_vectors_do_not_gather() {
    MeshHandle::new(session_of(4, SessionOptions::default())).enter(|| {
        let value = vector(&numbers(1000));
        value.evaluate().expect("a vector");
        for result in [sort(&value, 0), argsort(&value, 0)] {
            let plan = result.explain().expect("a plan");
            assert!(!plan.contains("gather of") && plan.contains("= route("), "{plan}");
        }
    });
}

/// Each line would have cuts and messages of its own.
#[test]
fn many_short_lines_are_shared_instead() {
    MeshHandle::new(session_of(8, SessionOptions::default())).enter(|| {
        for shape in [[8, 2003], [16, 501]] {
            let (value, given) = matrix(shape);
            let value = value.with_sharding(Sharding::even(&shape, 0, &Mesh::line(8)));
            let result = sort(&value, 0);
            let plan = result.explain().expect("a plan");
            assert!(!plan.contains("= route("), "{plan}");
            let mut first: Vec<i64> = given.iter().step_by(shape[1]).copied().collect();
            first.sort_unstable();
            let is = result.to_vec::<i64>().expect("a sort");
            assert_eq!(is.into_iter().step_by(shape[1]).collect::<Vec<_>>(), first);
        }
    });
}
