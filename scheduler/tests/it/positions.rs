//! Reads and writes at positions of split axes: positions go to the devices that own them, and no
//! axis is gathered.

use crate::vectors::{numbers, session_of, shardings, vector};
use phalanx_array::{AnyIndex, Argument, Array, MeshHandle, Mode, ufunc};
use phalanx_array::{put_along_axis, searchsorted, take, take_along_axis};
use phalanx_ops::structured::Side;
use phalanx_ops::{Bounds, Mesh, Op, Sharding, Split};
use phalanx_scheduler::SessionOptions;

/// Positions in an axis of this extent: scattered ones, some from the end, all the same, and all in
/// one block.
fn positions(extent: usize, count: usize) -> Vec<Vec<i64>> {
    let (extent, count) = (extent as i64, count as i64);
    vec![
        (0..count).map(|at| at * at * 31 % extent - if at % 3 == 0 { extent } else { 0 }).collect(),
        vec![extent - 1; count as usize],
        (0..count).map(|at| at % extent.min(3)).collect(),
    ]
}

fn place(position: i64, extent: usize) -> usize {
    (if position < 0 { position + extent as i64 } else { position }) as usize
}

fn read(array: &Array) -> Vec<i64> {
    array.to_vec::<i64>().expect("numbers")
}

#[test]
fn vectors_are_read_and_written_on_any_number_of_devices() {
    for devices in [1, 2, 3, 4, 8] {
        MeshHandle::new(session_of(devices, SessionOptions::default())).enter(|| {
            for (extent, count) in [(1, 1), (5, 2), (7, 50), (1000, 301)] {
                let table = numbers(extent);
                for (of_table, of_positions) in
                    shardings(extent, devices).iter().zip(shardings(count, devices).iter().rev())
                {
                    for at in positions(extent, count) {
                        check_vector(&table, &at, of_table, of_positions);
                    }
                }
            }
        });
    }
}

fn check_vector(table: &[i64], at: &[i64], of_table: &Sharding, of_positions: &Sharding) {
    let what = format!("{at:?} of {} by {of_table:?} and {of_positions:?}", table.len());
    let own = vector(table).with_sharding(of_table.clone());
    let positions = vector(at).with_sharding(of_positions.clone());
    let places: Vec<usize> = at.iter().map(|&at| place(at, table.len())).collect();
    let should: Vec<i64> = places.iter().map(|&at| 2 * table[at] + 1).collect();
    let doubled = &own * 2;
    assert_eq!(read(&(&doubled.take(&positions, 0) + 1)), should, "take {what}");
    let along = take_along_axis(&doubled, &positions, 0);
    assert_eq!(read(&(&along + 1)), should, "take_along_axis {what}");
    let mut written = table.to_vec();
    let mut added = table.to_vec();
    for (number, &at) in places.iter().enumerate() {
        written[at] = number as i64;
        added[at] += number as i64;
    }
    let values: Vec<i64> = (0..at.len() as i64).collect();
    let values = vector(&values).with_sharding(of_positions.clone());
    let target = own.copy();
    target.put(&positions, &values, Mode::Raise);
    assert_eq!(read(&target), written, "put {what}");
    let target = own.copy();
    ufunc(Op::Add).at(&target, [AnyIndex::Array(positions.clone())], &values);
    assert_eq!(read(&target), added, "add.at {what}");
    assert_eq!(read(&own), table, "the operand of {what}");
}

fn matrix(shape: [usize; 2]) -> (Array, Vec<i64>) {
    let given = numbers(shape[0] * shape[1]);
    (vector(&given).reshape(&shape[..]), given)
}

/// Rows, columns and elements of matrices whose axis is split, on a line of devices and along one
/// axis of a grid.
#[test]
fn axes_of_matrices_are_read_and_written() {
    for (devices, grid) in [(2, None), (3, None), (8, None), (4, Some((2, 2))), (6, Some((3, 2)))] {
        let mesh = grid.map(|(rows, columns)| Mesh::new(&[("x", rows), ("y", columns)]));
        let options = SessionOptions { mesh, ..SessionOptions::default() };
        MeshHandle::new(session_of(devices, options)).enter(|| {
            for (shape, axis) in [([90, 7], 0), ([7, 90], 1), ([90, 1], 0), ([3, 4], 1)] {
                let parts = grid.map_or(devices, |(rows, _)| rows);
                let extent = shape[axis];
                for bounds in [
                    Bounds::even(extent, parts),
                    Bounds::explicit(&[&[extent][..], &vec![0; parts - 1]].concat()),
                ] {
                    let split = |mesh_axis, bounds| {
                        Some(Split { mesh_axes: [mesh_axis].into_iter().collect(), bounds })
                    };
                    let mut sharding = Sharding::replicated(2);
                    sharding.axes[axis] = split(0, bounds);
                    if let Some((_, columns)) = grid {
                        sharding.axes[1 - axis] = split(1, Bounds::even(shape[1 - axis], columns));
                    }
                    check_matrix(shape, axis, &sharding);
                }
            }
        });
    }
}

fn check_matrix(shape: [usize; 2], axis: usize, sharding: &Sharding) {
    let (value, given) = matrix(shape);
    let value = value.with_sharding(sharding.clone());
    let (extent, lines) = (shape[axis], shape[1 - axis]);
    let what = format!("axis {axis} of {shape:?} by {sharding:?}");
    let element = |line: usize, place: usize| match axis {
        0 => place * shape[1] + line,
        _ => line * shape[1] + place,
    };
    let at: Vec<i64> = (0..55).map(|at| at * 31 % extent as i64).collect();
    let mut result = shape;
    result[axis] = at.len();
    let index = |line: usize, number: usize| match axis {
        0 => number * lines + line,
        _ => line * at.len() + number,
    };
    let mut should = vec![0; lines * at.len()];
    for line in 0..lines {
        for (number, &at) in at.iter().enumerate() {
            should[index(line, number)] = given[element(line, at as usize)];
        }
    }
    let is = value.take(&vector(&at), axis as i64);
    assert_eq!(read(&is), should, "take {what}");

    // Each line has positions of its own.
    let mut each = vec![0; lines * at.len()];
    let mut should = each.clone();
    let mut written = given.clone();
    for line in 0..lines {
        for number in 0..at.len() {
            let place = (at[number] as usize + 3 * line) % extent;
            each[index(line, number)] = place as i64;
            should[index(line, number)] = given[element(line, place)];
            written[element(line, place)] = index(line, number) as i64;
        }
    }
    let each = vector(&each).reshape(&result[..]);
    let is = take_along_axis(&value, &each, axis as i64);
    assert_eq!(read(&is), should, "take_along_axis {what}");
    let target = value.copy();
    let values: Vec<i64> = (0..should.len() as i64).collect();
    put_along_axis(&target, &each, vector(&values).reshape(&result[..]), axis as i64);
    assert_eq!(read(&target), written, "put_along_axis {what}");
}

/// The first write is the oldest: the last value of a position is kept, and operations are applied
/// in order, also if all values are for one device.
#[test]
fn writes_keep_their_order() {
    for devices in [2, 3, 8] {
        MeshHandle::new(session_of(devices, SessionOptions::default())).enter(|| {
            // More than a device receives at once.
            let count = 300_000 * devices;
            let at: Vec<i64> = (0..count as i64).map(|at| at % 5).collect();
            let values: Vec<i64> = (0..count as i64).collect();
            let target = vector(&numbers(1000));
            target.put(&vector(&at), vector(&values), Mode::Raise);
            let last: Vec<i64> =
                (0..5).map(|at| count as i64 - 5 + (at + 5 - count as i64 % 5) % 5).collect();
            assert_eq!(read(&target.slice(phalanx_array::s![..5])), last, "{devices} devices");
            let target = vector(&vec![1_000_000; 1000]);
            let halves: Vec<i64> =
                (0..count as i64).map(|at| if at < 10 { 2 } else { 1 }).collect();
            let values = Argument::from(&vector(&halves));
            ufunc(Op::FloorDivide).at(&target, [AnyIndex::Array(vector(&at))], values);
            assert_eq!(
                read(&target.slice(phalanx_array::s![..6])),
                [250_000, 250_000, 250_000, 250_000, 250_000, 1_000_000]
            );
            let same = vec![7; count];
            let is = take(&vector(&numbers(100_000)), &vector(&same), Some(0), Mode::Raise);
            assert_eq!(read(&is), vec![numbers(8)[7]; count]);
        });
    }
}

/// Rows so long that requests take several rounds, and one device answers all of them in parts.
#[test]
fn long_rows_are_read_in_rounds() {
    const ROW: usize = 64;
    for devices in [2, 3] {
        MeshHandle::new(session_of(devices, SessionOptions::default())).enter(|| {
            let (rows, count) = (60_000, 40_000);
            let table: Vec<i64> = (0..(rows * ROW) as i64).collect();
            let own = vector(&table).reshape([rows, ROW]);
            for step in [7919, 0] {
                let at: Vec<i64> =
                    (0..count).map(|at| (at * step + 59_000) % rows as i64).collect();
                let taken = own.take(&vector(&at), 0);
                let plan = taken.explain().expect("a plan");
                assert!(plan.contains("= take(") && plan.contains(", exchanged over"), "{plan}");
                let should: Vec<i64> =
                    at.iter().flat_map(|at| at * ROW as i64..(at + 1) * ROW as i64).collect();
                assert!(read(&taken) == should, "{devices} devices, {step}");
            }
        });
    }
}

/// Every device searches its block, and the counts are added.
#[test]
fn values_are_found_in_split_vectors() {
    for devices in [1, 2, 3, 8] {
        MeshHandle::new(session_of(devices, SessionOptions::default())).enter(|| {
            for count in [1, 7, 8, 500] {
                let mut sorted = numbers(count);
                sorted.sort_unstable();
                let values = numbers(90);
                for (of_sorted, of_values) in
                    shardings(count, devices).iter().zip(shardings(90, devices).iter().rev())
                {
                    let own = vector(&sorted).with_sharding(of_sorted.clone());
                    let looked = vector(&values).with_sharding(of_values.clone());
                    for side in [Side::Left, Side::Right] {
                        let before = |value: &i64| match side {
                            Side::Left => sorted.partition_point(|number| number < value),
                            Side::Right => sorted.partition_point(|number| number <= value),
                        };
                        let should: Vec<i64> =
                            values.iter().map(|value| before(value) as i64).collect();
                        let is = searchsorted(&own, &looked, side);
                        assert_eq!(read(&is), should, "{count} on {devices} by {of_sorted:?}");
                    }
                }
            }
        });
    }
}

/// No plan gathers a table, and the steps communicate.
#[test]
fn reads_and_writes_do_not_gather() {
    MeshHandle::new(session_of(4, SessionOptions::default())).enter(|| {
        let table = vector(&numbers(100_000));
        let positions = vector(&numbers(1000)) + 50;
        let target = table.copy();
        target.put(&positions, &positions, Mode::Wrap);
        for result in [table.take_with(&positions, 0, Mode::Wrap), target] {
            let plan = result.explain().expect("a plan");
            assert!(!plan.contains("gather of"), "{plan}");
            assert!(plan.contains(", exchanged over device"), "{plan}");
        }
    });
}

/// A search moves the values and the counts, not the vector.
#[test]
fn searches_add_counts() {
    MeshHandle::new(session_of(4, SessionOptions::default())).enter(|| {
        let sorted = vector(&(0..100_000).collect::<Vec<i64>>());
        let plan = searchsorted(&sorted, vector(&[3, 4]), Side::Left).explain().expect("a plan");
        assert!(plan.contains("i64[2] partial over device = searchsorted("), "{plan}");
    });
}
