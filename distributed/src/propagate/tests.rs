//! Tests of the properties of placements, on every layout of the samples.

use super::*;
use crate::lower::Lowerings;
use crate::policy::Policy;
use crate::samples::{block_of, contains, for_each_layout, indices, meshes, shardings, views};
use phalanx_graph::{LeafId, Node, ScalarId, call_site};
use phalanx_ops::{DType, Index, IndexBox, Monoid, Op, Scalar};
use std::ops::Range;
use std::sync::Arc;

const POLICY: Policy = Policy { split_from: 16 };

/// A program that has recorded nothing, with leaves of dtype f64 and one scalar.
fn program(leaves: &[&[usize]]) -> Graph {
    let leaves = leaves.iter().map(|&shape| Node::temporary(shape.into(), DType::F64)).collect();
    Graph { nodes: Vec::new(), leaves, scalars: vec![Scalar::new(1.0_f64)] }
}

/// Records an operation. Returns the input that reads its value.
fn record(program: &mut Graph, op: NodeOp, inputs: &[Input], shape: &[usize]) -> Input {
    let (dtype, site) = (DType::F64, call_site());
    let node = Node::temporary(shape.into(), dtype);
    let (inputs, shape) = (inputs.iter().cloned().collect(), shape.into());
    let node = program.push(NodeData { op, inputs, shape, dtype, site, node });
    Input { source: Source::Node(node), map: None }
}

fn leaf(position: usize) -> Input {
    Input { source: Source::Leaf(LeafId::new(position)), map: None }
}

fn through(view: &AffineMap, input: &Input) -> Input {
    Input { source: input.source, map: Some(Arc::new(view.clone())) }
}

fn scalar() -> Input {
    Input { source: Source::Scalar(ScalarId::new(0)), map: None }
}

#[track_caller]
fn placed(program: &Graph, leaves: &[&Sharding], mesh: &Mesh) -> Vec<Placement> {
    assert_eq!(program.verify(), Ok(()));
    let leaves: Vec<Sharding> = leaves.iter().map(|&sharding| sharding.clone()).collect();
    propagate(program, &leaves, Setup { mesh, policy: &POLICY, lowerings: Lowerings::default() })
}

/// The positions of a box in C order of the array that contains it.
fn positions(of: &[Range<usize>], shape: &[usize]) -> Vec<usize> {
    let position = |index: &Vec<usize>| {
        index.iter().zip(shape).fold(0, |position, (&at, &extent)| position * extent + at)
    };
    indices(of).iter().map(position).collect()
}

#[test]
fn an_elementwise_result_has_the_sharding_of_its_operand() {
    for_each_layout(|sharding, shape, mesh| {
        let mut program = program(&[shape]);
        let root = record(&mut program, NodeOp::Elementwise(Op::Sqrt), &[leaf(0)], shape);
        record(&mut program, NodeOp::Elementwise(Op::Add), &[root, leaf(0)], shape);
        let expected = match mesh.devices() {
            1 => Sharding::replicated(2),
            _ => sharding.clone(),
        };
        let placements = placed(&program, &[sharding], mesh);
        assert_eq!(placements, [Placement::on(expected.clone()), Placement::on(expected)]);
    });
}

#[test]
fn an_elementwise_result_keeps_the_blocks_of_the_view_that_it_reads() {
    for_each_layout(|sharding, base, mesh| {
        for view in views(base).iter().filter(|_| mesh.devices() > 1) {
            let seen = sharding.through(view);
            let mut program = program(&[base]);
            let input = through(view, &leaf(0));
            record(&mut program, NodeOp::Elementwise(Op::Sqrt), &[input], &view.shape);
            let expected = match (seen.is_replicated(), sharding.is_replicated()) {
                (false, _) => seen,
                // Every device has all elements already, unless the view has more of them.
                (true, true) if size(base) >= size(&view.shape) => seen,
                (true, _) => POLICY.sharding(&view.shape, mesh),
            };
            let placements = placed(&program, &[sharding], mesh);
            assert_eq!(placements, [Placement::on(expected)], "{sharding}, {view:?}");
        }
    });
}

#[test]
fn a_result_has_the_sharding_for_which_its_operands_move_the_fewest_bytes() {
    for_each_layout(|a, shape, mesh| {
        let whole = AffineMap::identity(shape);
        for b in shardings(shape, mesh).iter().filter(|_| mesh.devices() > 1) {
            let mut program = program(&[shape, shape]);
            record(&mut program, NodeOp::Elementwise(Op::Add), &[leaf(0), leaf(1)], shape);
            let space = &placed(&program, &[a, b], mesh)[0].space;
            let operands = [a, b].into_iter();
            let split: Vec<&Sharding> = operands.filter(|it| !it.is_replicated()).collect();
            if split.is_empty() {
                assert!(space.is_replicated());
                continue;
            }
            assert!(split.contains(&space), "{space} is neither {a} nor {b}");
            let price = |space: &Sharding| -> Bytes {
                let read = |value: &Sharding| read_price(value, shape, 8, &whole, space, mesh);
                read(a) + read(b)
            };
            let least = split.iter().map(|other| price(other)).min();
            assert_eq!(Some(price(space)), least, "{space} of {a} and {b}");
        }
    });
}

#[test]
fn of_equal_prices_most_operands_win_and_then_the_first() {
    let (mesh, shape) = (Mesh::line(2), [4, 4]);
    let [rows, columns] = [0, 1].map(|axis| Sharding::even(&shape, axis, &mesh));
    let mut program = program(&[&shape, &shape]);
    record(&mut program, NodeOp::Elementwise(Op::Add), &[leaf(0), leaf(1)], &shape);
    assert_eq!(placed(&program, &[&rows, &columns], &mesh)[0].space, rows);
    assert_eq!(placed(&program, &[&columns, &rows], &mesh)[0].space, columns);
    // Two operands of half the bytes.
    program.leaves[1] = Node::temporary(shape[..].into(), DType::F32);
    let sharding_of = |source: Source| match source {
        Source::Leaf(leaf) if leaf.index() == 0 => Some(rows.clone()),
        Source::Leaf(_) => Some(columns.clone()),
        _ => None,
    };
    let inputs = [leaf(0), leaf(1), leaf(1)];
    let fresh = || Sharding::replicated(2);
    let aligned = align(&program, &inputs, &shape, &sharding_of, &mesh, &fresh);
    assert_eq!(aligned, columns);
}

#[test]
fn values_without_split_operands_have_the_default_sharding() {
    for mesh in meshes() {
        for shape in [&[15][..], &[16], &[40, 3], &[3, 40], &[2, 2, 5], &[0, 40], &[]] {
            let mut program = program(&[&[1]]);
            let fill = record(&mut program, NodeOp::Fill, &[scalar()], shape);
            record(&mut program, NodeOp::Elementwise(Op::Add), &[fill, scalar()], shape);
            let element = AffineMap::identity(&[1]).index(&[Index::At(0)]);
            let repeated = element.and_then(|element| element.broadcast_to(shape));
            let repeated = through(&repeated.expect("one element has any shape"), &leaf(0));
            record(&mut program, NodeOp::Cast, &[repeated], shape);
            let expected = Placement::on(POLICY.sharding(shape, &mesh));
            let placements = placed(&program, &[&Sharding::replicated(1)], &mesh);
            assert_eq!(placements, vec![expected; 3], "{shape:?} on {mesh}");
        }
    }
}

/// Checks that the devices whose terms are combined have each element that belongs to their part of
/// the result once, and no others. `kept` are the axes of the input that the result has.
#[track_caller]
fn check_terms(placement: &Placement, shape: &[usize], kept: &[usize], mesh: &Mesh) {
    let none: &[u8] = &[];
    let combined = placement.partial().map_or(none, |partial| &partial.mesh_axes[..]);
    let space = |device: usize| block_of(&placement.space, shape, mesh, device);
    let extents: Vec<usize> = kept.iter().map(|&axis| shape[axis]).collect();
    let whole: IndexBox = shape.iter().map(|&extent| 0..extent).collect();
    for device in 0..mesh.devices() {
        let own = mesh.coordinates(device);
        let is_partner = |other: &usize| {
            let there = mesh.coordinates(*other);
            let is_combined = |axis: usize| combined.contains(&(axis as u8));
            (0..mesh.ndim()).all(|axis| is_combined(axis) || own[axis] == there[axis])
        };
        let terms: Vec<IndexBox> = (0..mesh.devices()).filter(is_partner).map(space).collect();
        let result = block_of(&placement.output, &extents, mesh, device);
        for index in indices(&whole) {
            let at: Vec<usize> = kept.iter().map(|&axis| index[axis]).collect();
            let expected = usize::from(contains(&result, &at));
            let found = terms.iter().filter(|term| contains(term, &index)).count();
            assert_eq!(found, expected, "{index:?} of {} on {mesh}", placement.space);
        }
    }
}

#[test]
fn combined_terms_of_a_reduction_have_each_element_once() {
    for_each_layout(|sharding, shape, mesh| {
        for (axes, kept) in [(&[0_u8][..], &[1][..]), (&[1], &[0]), (&[0, 1], &[])] {
            let result: Vec<usize> = kept.iter().map(|&axis| shape[axis]).collect();
            let mut program = program(&[shape]);
            let op = NodeOp::Reduce { monoid: Monoid::Add, axes: axes.into() };
            record(&mut program, op, &[leaf(0)], &result);
            check_terms(&placed(&program, &[sharding], mesh)[0], shape, kept, mesh);
        }
    });
}

#[test]
fn combined_terms_of_an_accumulation_have_each_element_once() {
    for_each_layout(|sharding, shape, mesh| {
        let mut program = program(&[shape, shape]);
        let op = NodeOp::Accumulate { monoid: Monoid::Add };
        record(&mut program, op, &[leaf(0), leaf(1)], &[7]);
        let placement = &placed(&program, &[sharding, sharding], mesh)[0];
        check_terms(placement, shape, &[], mesh);
        assert_eq!(placement.output, Sharding::replicated(1));
    });
}

#[test]
fn a_base_decides_the_sharding_of_what_is_written_to_it() {
    for_each_layout(|sharding, base, mesh| {
        let is_target = |view: &&AffineMap| mesh.devices() > 1 && view.is_injective();
        for view in views(base).iter().filter(is_target) {
            let mut program = program(&[base, &view.shape]);
            let root = NodeOp::Elementwise(Op::Sqrt);
            let value = record(&mut program, root, &[leaf(1)], &view.shape);
            let op = NodeOp::Update(Arc::new(view.clone()));
            record(&mut program, op, &[leaf(0), value], base);
            let elsewhere = POLICY.sharding(&view.shape, mesh);
            let placements = placed(&program, &[sharding, &elsewhere], mesh);
            let space = sharding.through(view);
            let output = sharding.clone();
            let update = Placement { space: space.clone(), output, schedule: Schedule::Rule };
            assert_eq!(placements, [Placement::on(space), update], "{view:?}");
        }
    });
}

#[test]
fn a_reshape_moves_no_byte() {
    let cases: [(&[usize], usize, &[usize], usize); 10] = [
        (&[6, 4], 8, &[24], 8),
        (&[24], 8, &[2, 3, 4], 8),
        (&[4, 6], 8, &[8, 3], 8),
        (&[7, 5], 8, &[5, 7], 8),
        (&[1, 12], 8, &[3, 4], 8),
        (&[5, 3], 8, &[5, 1, 3], 8),
        (&[6, 2], 8, &[6, 4], 4),
        (&[6, 4], 4, &[6, 2], 8),
        (&[1, 1], 8, &[1], 8),
        (&[0, 3], 8, &[3, 0], 8),
    ];
    let bytes_of =
        |sharding: &Sharding, shape: &[usize], item: usize, mesh: &Mesh, device: usize| {
            let elements = positions(&block_of(sharding, shape, mesh, device), shape);
            elements.iter().flat_map(|at| at * item..(at + 1) * item).collect::<Vec<usize>>()
        };
    for mesh in meshes() {
        for (from, item, to, new_item) in cases {
            for sharding in shardings(from, &mesh) {
                let (before, after) = reshape(&sharding, (from, item), (to, new_item), &mesh);
                for device in 0..mesh.devices() {
                    assert_eq!(
                        bytes_of(&before, from, item, &mesh, device),
                        bytes_of(&after, to, new_item, &mesh, device),
                        "device {device} of {mesh}: {sharding} of {from:?}, {to:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_reshape_of_blocks_in_c_order_leaves_them_where_they_are() {
    for mesh in meshes() {
        for sharding in shardings(&[6, 4], &mesh) {
            let [Some(rows), None] = &sharding.axes[..] else { continue };
            if rows.bounds.is_ascending() {
                let (before, _) = reshape(&sharding, (&[6, 4], 8), (&[24], 8), &mesh);
                assert_eq!(before, sharding);
            }
        }
    }
}

#[test]
fn leading_blocks_are_consecutive_in_c_order() {
    for_each_layout(|sharding, shape, mesh| {
        let leading = leading(sharding, shape, mesh);
        for device in 0..mesh.devices() {
            let positions = positions(&block_of(&leading, shape, mesh, device), shape);
            let is_next = |pair: &[usize]| pair[1] == pair[0] + 1;
            assert!(positions.windows(2).all(is_next), "{leading} of {shape:?} on {mesh}");
        }
    });
}

#[test]
fn a_fill_is_cut_where_rows_of_its_reshape_begin() {
    for mesh in meshes() {
        let mut program = program(&[]);
        let fill = record(&mut program, NodeOp::Fill, &[scalar()], &[60]);
        record(&mut program, NodeOp::Reshape, &[fill], &[15, 4]);
        let placements = placed(&program, &[], &mesh);
        assert_eq!(placements[1].space, placements[0].output, "{mesh}");
        assert_eq!(placements[0].output.is_replicated(), mesh.devices() == 1);
    }
    // With whole rows, the first device would have 10 elements instead of 7.
    let mesh = Mesh::line(3);
    let mut program = program(&[]);
    let fill = record(&mut program, NodeOp::Fill, &[scalar()], &[20]);
    record(&mut program, NodeOp::Reshape, &[fill], &[4, 5]);
    assert_eq!(placed(&program, &[], &mesh)[0].output, Sharding::even(&[20], 0, &mesh));
}

#[test]
fn a_copy_is_split_as_a_new_array_if_most_of_it_would_move_at_each_use() {
    let mesh = Mesh::line(4);
    let shape = [400, 3];
    let even = Sharding::even(&shape, 0, &mesh);
    let whole = AffineMap::identity(&shape);
    let rows = |start, stop, step| {
        let range = Index::Range { start, stop, step };
        whole.index(&[range]).expect("a range of rows")
    };
    let copy_of = |view: &AffineMap, op: NodeOp| {
        let mut program = program(&[&shape]);
        record(&mut program, op, &[through(view, &leaf(0))], &view.shape);
        placed(&program, &[&even], &mesh).swap_remove(0).output
    };
    for view in [rows(None, None, -1), rows(Some(200), None, 1)] {
        let standard = Sharding::even(&view.shape, 0, &mesh);
        assert_ne!(even.through(&view), standard);
        assert_eq!(copy_of(&view, NodeOp::Cast), standard);
        // Other results keep the blocks of the view.
        assert_eq!(copy_of(&view, NodeOp::Elementwise(Op::Sqrt)), even.through(&view));
    }
    // A halo, and another axis, which may be what the program wants.
    let columns = whole.transpose(&[1, 0]);
    for view in [rows(Some(1), None, 1), columns] {
        assert_eq!(copy_of(&view, NodeOp::Cast), even.through(&view), "{view:?}");
    }
}
