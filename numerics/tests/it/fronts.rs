//! The plans of multifrontal factorisations, by dense computations of each front.

use phalanx_numerics::sparse::{Fronts, Stack};

/// Rows of a matrix: their starts, and the columns and values of entries.
type Rows = (Vec<usize>, Vec<u32>, Vec<f64>);

/// The five-point matrix of a grid, not symmetric, with random links to other points.
fn grid(width: usize, height: usize, links: usize) -> Rows {
    let (mut starts, mut columns, mut values) = (vec![0], vec![], vec![]);
    let mut state = 7_u64;
    for row in 0..width * height {
        let (x, y) = (row % width, row / width);
        let mut entries = vec![(row, 9.0)];
        entries.extend((x > 0).then(|| (row - 1, -1.0)));
        entries.extend((x + 1 < width).then(|| (row + 1, -1.5)));
        entries.extend((y > 0).then(|| (row - width, -0.5)));
        entries.extend((y + 1 < height).then(|| (row + width, -2.0)));
        if row < links {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
            let other = (state >> 33) as usize % (width * height);
            if entries.iter().all(|entry| entry.0 != other) {
                entries.push((other, 0.25));
            }
        }
        columns.extend(entries.iter().map(|entry| entry.0 as u32));
        values.extend(entries.iter().map(|entry| entry.1));
        starts.push(columns.len());
    }
    (starts, columns, values)
}

/// The device of each front of a stack, and its number there.
fn places(stack: &Stack) -> Vec<(usize, usize)> {
    let counts = stack.fronts.clone().unwrap_or_else(|| vec![1]);
    let of = |(device, &count): (usize, &usize)| (0..count).map(move |slot| (device, slot));
    counts.iter().enumerate().flat_map(of).collect()
}

/// The number of the front at a slot of a device; the front of a shared stack is every device's.
fn at(stack: &Stack, device: usize, slot: i64) -> usize {
    match &stack.fronts {
        None => 0,
        Some(counts) => counts[..device].iter().sum::<usize>() + slot as usize,
    }
}

/// Solves `A x = b` front by front.
fn solved(plan: &Fronts, values: &[f64], b: &[f64]) -> Vec<f64> {
    let n = plan.extent;
    // For each stack and front, the front after its own rows are eliminated, and its right side.
    let mut fronts: Vec<Vec<Vec<f64>>> = Vec::new();
    let mut sides: Vec<Vec<Vec<f64>>> = Vec::new();
    for stack in &plan.stacks {
        let rows = stack.own + stack.rim;
        let places = places(stack);
        let mut own: Vec<Vec<f64>> = vec![vec![0.0; rows * rows]; stack.len()];
        let mut side: Vec<Vec<f64>> = vec![vec![0.0; rows]; stack.len()];
        let mut first = 0;
        for (device, count) in stack.counts.iter().enumerate() {
            for entry in first..first + count {
                let place = stack.places[entry] as usize;
                let front = at(stack, device, (place / (rows * rows)) as i64);
                let value = values.get(stack.entries[entry] as usize).copied().unwrap_or(1.0);
                own[front][place % (rows * rows)] = value;
            }
            first += count;
        }
        for front in 0..stack.len() {
            let vertices = &stack.vertices[front * stack.own..(front + 1) * stack.own];
            for (side, &vertex) in side[front].iter_mut().zip(vertices) {
                *side = b.get(vertex as usize).copied().unwrap_or(0.0);
            }
            for link in &stack.children {
                let child = &plan.stacks[link.stack];
                if link.slots[front] < 0 {
                    continue;
                }
                let number = match stack.fronts {
                    Some(_) => at(child, places[front].0, link.slots[front]),
                    None => link.slots[front] as usize,
                };
                let (extent, skip) = (child.own + child.rim, child.own);
                let map = &link.rows[front * rows..(front + 1) * rows];
                for (to, &from) in map.iter().enumerate().filter(|(_, from)| **from >= 0) {
                    let from = skip + from as usize;
                    side[front][to] += sides[link.stack][number][from];
                    for (across, &column) in map.iter().enumerate().filter(|(_, at)| **at >= 0) {
                        own[front][to * rows + across] +=
                            fronts[link.stack][number][from * extent + skip + column as usize];
                    }
                }
            }
            for pivot in 0..stack.own {
                for row in pivot + 1..rows {
                    let factor = own[front][row * rows + pivot] / own[front][pivot * rows + pivot];
                    side[front][row] -= factor * side[front][pivot];
                    for column in pivot..rows {
                        own[front][row * rows + column] -=
                            factor * own[front][pivot * rows + column];
                    }
                }
            }
        }
        fronts.push(own);
        sides.push(side);
    }
    let mut x = vec![f64::NAN; n];
    let mut found: Vec<Vec<Vec<f64>>> = vec![Vec::new(); plan.stacks.len()];
    for (number, stack) in plan.stacks.iter().enumerate().rev() {
        let rows = stack.own + stack.rim;
        let places = places(stack);
        for front in 0..stack.len() {
            let mut all = vec![0.0; rows];
            for link in stack.parents.iter().filter(|link| link.slots[front] >= 0) {
                let parent = at(&plan.stacks[link.stack], places[front].0, link.slots[front]);
                for row in 0..stack.rim {
                    if let Ok(from) = usize::try_from(link.rows[front * stack.rim + row]) {
                        all[stack.own + row] = found[link.stack][parent][from];
                    }
                }
            }
            for row in (0..stack.own).rev() {
                let line = &fronts[number][front][row * rows..(row + 1) * rows];
                let known: f64 = (row + 1..rows).map(|column| line[column] * all[column]).sum();
                all[row] = (sides[number][front][row] - known) / line[row];
                if let Some(x) = x.get_mut(stack.vertices[front * stack.own + row] as usize) {
                    *x = all[row];
                }
            }
            found[number].push(all);
        }
    }
    x
}

#[test]
fn solutions_front_by_front() {
    let most = [1e9, 1e12];
    for (width, height, links) in
        [(1, 1, 0), (30, 1, 0), (60, 1, 0), (25, 31, 0), (25, 31, 40), (70, 60, 0)]
    {
        let (starts, columns, values) = grid(width, height, links);
        let n = width * height;
        let b: Vec<f64> = (0..n).map(|row| (row as f64).sin()).collect();
        for devices in [1, 2, 3, 4, 8] {
            let plan = Fronts::of(&starts, &columns, devices, most).unwrap();
            let x = solved(&plan, &values, &b);
            for row in 0..n {
                let entries = starts[row]..starts[row + 1];
                let sum: f64 = entries.map(|it| values[it] * x[columns[it] as usize]).sum();
                assert!((sum - b[row]).abs() < 1e-12, "row {row} of {n} on {devices} devices");
            }
            let parts = plan.stacks.iter().filter_map(|stack| stack.fronts.as_ref());
            assert!(parts.clone().all(|fronts| fronts.len() == devices));
            if n > 4000 {
                // Every device has fronts of its own.
                let sums = (0..devices).map(|at| parts.clone().map(|it| it[at]).sum::<usize>());
                assert!(sums.min() > Some(0), "{devices} devices");
            }
        }
    }
}

#[test]
fn plans_that_cost_too_much_are_refused() {
    // Every row is a neighbour of every other one.
    let n = 200;
    let starts: Vec<usize> = (0..=n).map(|row| row * n).collect();
    let columns: Vec<u32> = (0..n * n).map(|entry| (entry % n) as u32).collect();
    assert!(Fronts::of(&starts, &columns, 1, [1e4, 1e9]).is_none());
    assert!(Fronts::of(&starts, &columns, 1, [1e6, 1e3]).is_none());
    let plan = Fronts::of(&starts, &columns, 1, [1e6, 1e9]).unwrap();
    assert_eq!((plan.stacks.len(), plan.stacks[0].own, plan.stacks[0].rim), (1, n, 0));
    assert_eq!(plan.cost(), [40_000.0, 8e6]);
    // A hub is a neighbour of all others, which have two more neighbours each.
    let count = 20_000;
    let hub = |row: usize| {
        let near = [row.max(1) - 1, row, (row + 1).min(count - 1)];
        near.into_iter().chain([7]).collect::<std::collections::BTreeSet<_>>()
    };
    let columns: Vec<u32> = (0..count).flat_map(hub).map(|column| column as u32).collect();
    let ends = (0..count).scan(0, |end, row| {
        *end += hub(row).len();
        Some(*end)
    });
    let starts: Vec<usize> = [0].into_iter().chain(ends).collect();
    let plan = Fronts::of(&starts, &columns, 1, [1e7, 1e9]).unwrap();
    assert!(plan.stacks.iter().all(|stack| stack.own < 60 && stack.rim < 20));
    // No part of a complete graph can be separated.
    let n = 2_100;
    let starts: Vec<usize> = (0..=n).map(|row| row * n).collect();
    let columns: Vec<u32> = (0..n * n).map(|entry| (entry % n) as u32).collect();
    assert!(Fronts::of(&starts, &columns, 1, [1e9, 1e12]).is_none());
    // Components that are not connected have no separators.
    let (starts, columns, _) = grid(400, 1, 0);
    let apart: Vec<u32> = (0..400).collect();
    let alone: Vec<usize> = (0..=400).collect();
    let of =
        |starts: &[usize], columns: &[u32]| Fronts::of(starts, columns, 2, [1e9, 1e9]).unwrap();
    assert!(of(&alone, &apart).stacks.iter().all(|stack| stack.rim == 0));
    assert!(of(&starts, &columns).cost()[0] < 400.0 * 100.0);
}
