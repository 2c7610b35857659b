//! Searches in trees of points, against all distances.

use super::value::{Random, Value, evaluate};
use phalanx_ops::structured::TreeSearch;
use phalanx_ops::{DType, Scalar, Structured};

/// A tree of points: boxes, leaves and members.
struct Tree {
    dimensions: usize,
    width: usize,
    boxes: Vec<f64>,
    leaves: Vec<f64>,
    members: Vec<i64>,
}

impl Tree {
    fn of(points: &[Vec<f64>], dimensions: usize, depth: u32) -> Tree {
        let count = 1 << depth;
        let width = points.len().div_ceil(count);
        let mut order: Vec<usize> = (0..points.len()).collect();
        // Each level is split at the middles of its nodes, along the coordinates in turn.
        for level in 0..depth {
            let axis = level as usize % dimensions;
            for node in 0..1 << level {
                let bound = |node: usize| (node * points.len()) >> level;
                let part = &mut order[bound(node)..bound(node + 1)];
                part.sort_by(|&a, &b| points[a][axis].total_cmp(&points[b][axis]));
            }
        }
        let (mut leaves, mut members) = (Vec::new(), Vec::new());
        let bounds =
            |first: usize, last: usize| first * points.len() / count..last * points.len() / count;
        for leaf in 0..count {
            let own = &order[bounds(leaf, leaf + 1)];
            let padded = |place: usize| &points[own[place.min(own.len() - 1)]];
            leaves.extend(
                (0..dimensions).flat_map(|axis| (0..width).map(move |place| padded(place)[axis])),
            );
            let number = |place: usize| own.get(place).map_or(points.len(), |&number| number);
            members.extend((0..width).map(|place| number(place) as i64));
        }
        let mut boxes = Vec::new();
        for node in 0..2 * count - 1 {
            let level = (node + 1).ilog2();
            let (of_level, leaves) = (node + 1 - (1 << level), count >> level);
            let own = &order[bounds(of_level * leaves, (of_level + 1) * leaves)];
            let along = |axis: usize| own.iter().map(move |&number| points[number][axis]);
            boxes.extend((0..dimensions).map(|axis| along(axis).fold(f64::INFINITY, f64::min)));
            boxes.extend((0..dimensions).map(|axis| along(axis).fold(f64::NEG_INFINITY, f64::max)));
        }
        Tree { dimensions, width, boxes, leaves, members }
    }
}

/// The distance before the root, as the routine computes it.
fn apart(a: &[f64], b: &[f64], norm: f64, extents: &[f64]) -> f64 {
    let gaps = a.iter().zip(b).enumerate().map(|(axis, (x, y))| {
        let gap = (x - y).abs();
        match extents.get(axis) {
            Some(&extent) if extent > 0.0 => gap.min((extent - gap).abs()),
            _ => gap,
        }
    });
    gaps.fold(0.0, |sum, gap| match norm {
        1.0 => sum + gap,
        2.0 => sum + gap * gap,
        f64::INFINITY => f64::max(sum, gap),
        _ => sum + gap.powf(norm),
    })
}

fn floats(shape: &[usize], numbers: impl Iterator<Item = f64>) -> Value {
    Value::new(shape, numbers.map(Scalar::new), DType::F64)
}

#[test]
fn the_nearest_points_are_those_of_all_distances() {
    let mut random = Random(11);
    let cases: [(usize, usize, u32, usize); 7] = [
        (1, 40, 2, 3),
        (2, 700, 5, 1),
        (3, 1000, 6, 8),
        (3, 5, 0, 7),
        (4, 300, 3, 16),
        (2, 300, 4, 40),
        (9, 200, 4, 2),
    ];
    for (dimensions, count, depth, wanted) in cases {
        for norm in [1.0, 2.0, f64::INFINITY, 3.5] {
            for (is_periodic, limit) in [(false, f64::INFINITY), (false, 0.5), (true, 2.0)] {
                // Many coordinates are alike, so that points are equally far.
                let mut point =
                    || (0..dimensions).map(|_| random.below(32) as f64 / 8.0).collect::<Vec<f64>>();
                let points: Vec<Vec<f64>> = (0..count).map(|_| point()).collect();
                let queries: Vec<Vec<f64>> = (0..50).map(|_| point()).collect();
                let extents: Vec<f64> =
                    (0..dimensions).map(|axis| if axis % 2 == 0 { 4.0 } else { 0.0 }).collect();
                let extents = if is_periodic { &extents[..] } else { &[] };
                let tree = Tree::of(&points, dimensions, depth);
                let leaves = 1 << depth;
                let op = TreeSearch {
                    count: wanted as u64,
                    absent: count as u64,
                    norm: norm.to_bits(),
                    limit: f64::to_bits(limit),
                };
                let operands = [
                    floats(&[50, dimensions], queries.iter().flatten().copied()),
                    floats(&[2 * leaves - 1, 2, dimensions], tree.boxes.into_iter()),
                    floats(&[leaves, tree.dimensions, tree.width], tree.leaves.into_iter()),
                    Value::positions(&[leaves, tree.width], tree.members.into_iter()),
                    floats(&[extents.len()], extents.iter().copied()),
                ];
                let operands: Vec<&Value> = operands.iter().collect();
                let found = evaluate(Structured::TreeSearch(op), &operands);
                for (row, query) in queries.iter().enumerate() {
                    let mut should: Vec<(f64, usize)> = (0..count)
                        .map(|number| (apart(query, &points[number], norm, extents), number))
                        .filter(|(apart, _)| *apart < limit)
                        .collect();
                    should.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                    for place in 0..wanted {
                        let is = found.integer(row * wanted + place) as usize;
                        let number = should.get(place).map_or(count, |it| it.1);
                        let what = format!("{dimensions} {count} {norm} {is_periodic} {row}");
                        // Powers may be rounded otherwise on a GPU.
                        match should.get(place) {
                            Some(&(far, _)) if norm == 3.5 => {
                                let near = apart(query, &points[is], norm, extents);
                                assert!((near - far).abs() <= 1e-12 * far, "{what}");
                            }
                            _ => assert_eq!(is, number, "{what}"),
                        }
                    }
                }
            }
        }
    }
}
