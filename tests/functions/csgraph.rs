//! Graphs on meshes of several sizes: the distributed algorithms against those of the host, and
//! results against their definitions.

use crate::meshes::{MESHES, on_meshes};
use phalanx::prelude::*;
use phalanx::sparse::Csr;
use phalanx::sparse::csgraph::{
    self, Connection, FlowMethod, GraphError, LaplacianOptions, NONE, PathOptions, Paths,
};
use phalanx::{DType, Limits};

/// The number of entries from which on an algorithm is distributed: always, and never.
const CHOICES: [usize; 2] = [0, usize::MAX];

/// An edge with its weight.
type Edge = (usize, usize, f64);

fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |bound| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
        (state >> 33) as usize % bound.max(1)
    }
}

/// Random edges, also twice between two nodes, with weights from `least` to `least + 6`.
fn edges(nodes: usize, count: usize, least: f64, seed: u64) -> Vec<Edge> {
    let mut below = random(seed);
    let edge = |_| (below(nodes), below(nodes), below(7) as f64 + least);
    (0..count).map(edge).collect()
}

fn graph(nodes: usize, edges: &[Edge]) -> Csr {
    let rows: Vec<i64> = edges.iter().map(|edge| edge.0 as i64).collect();
    let columns: Vec<i64> = edges.iter().map(|edge| edge.1 as i64).collect();
    let weights: Vec<f64> = edges.iter().map(|edge| edge.2).collect();
    let [rows, columns] = [rows, columns].map(Array::from_vec);
    Csr::from_triplets(&rows, &columns, &Array::from_vec(weights), [nodes, nodes]).unwrap()
}

/// Numbers of nodes and edges: none, one node, fewer nodes than devices, parts, many.
const SIZES: [(usize, usize); 7] = [(0, 0), (1, 2), (3, 0), (3, 4), (30, 20), (40, 70), (60, 400)];

fn ints(array: &Array) -> Vec<i64> {
    array.astype(DType::I64).to_vec::<i64>().unwrap()
}

fn floats(array: &Array) -> Vec<f64> {
    array.to_vec::<f64>().unwrap()
}

/// The entries of a matrix.
fn entries(matrix: &Csr) -> Vec<Edge> {
    let (rows, columns) = (ints(&matrix.rows()), ints(matrix.columns()));
    let places = rows.into_iter().zip(columns);
    let values = floats(&matrix.values().astype(DType::F64));
    places
        .zip(values)
        .map(|((row, column), value)| (row as usize, column as usize, value))
        .collect()
}

#[test]
fn components_are_those_of_the_host() {
    on_meshes(&MESHES, Limits::default(), |_| {
        for (at, (nodes, count)) in SIZES.into_iter().enumerate() {
            let made = graph(nodes, &edges(nodes, count, 1.0, at as u64));
            let found = CHOICES.map(|choice| {
                let weak = Connection::Weak;
                let (count, labels) = csgraph::connected_components(&made, weak, choice).unwrap();
                assert_eq!((labels.dtype(), labels.shape()), (DType::I32, [nodes].as_slice()));
                (count, ints(&labels))
            });
            assert_eq!(found[0], found[1], "{nodes} nodes, {count} edges");
            let strong = Connection::Strong;
            let (parts, labels) = csgraph::connected_components(&made, strong, None).unwrap();
            let largest = ints(&labels).into_iter().max().map_or(0, |last| last + 1);
            assert_eq!(largest, parts as i64);
            assert!(parts >= found[0].0);
        }
        // One long path, in which labels have to travel.
        let path: Vec<Edge> = (0..300).map(|at| (at * 8 % 301, (at + 1) * 8 % 301, 1.0)).collect();
        let (count, labels) =
            csgraph::connected_components(&graph(301, &path), Connection::Weak, 0).unwrap();
        assert_eq!((count, ints(&labels)), (1, vec![0; 301]));
    });
}

#[test]
fn searches_follow_the_entries() {
    on_meshes(&MESHES, Limits::default(), |_| {
        for (at, (nodes, count)) in SIZES.into_iter().enumerate().skip(1) {
            let made = graph(nodes, &edges(nodes, count, 1.0, 10 + at as u64));
            for directed in [true, false] {
                let found = CHOICES.map(|choice| {
                    let start = nodes / 2;
                    let found = csgraph::breadth_first_order(&made, start, directed, choice);
                    let found = found.unwrap();
                    let tree = csgraph::breadth_first_tree(&made, start, directed, choice);
                    let count = found.order.size();
                    assert_eq!(tree.unwrap().nnz(), count - 1);
                    (ints(&found.order), ints(&found.predecessors))
                });
                assert_eq!(found[0], found[1], "{nodes} nodes, {count} edges, {directed}");
                let deep = csgraph::depth_first_order(&made, nodes / 2, directed).unwrap();
                let mut reached = [ints(&deep.order), found[0].0.clone()];
                reached.iter_mut().for_each(|nodes| nodes.sort_unstable());
                assert_eq!(reached[0], reached[1]);
            }
        }
        // More distances than the frontiers follow.
        let path: Vec<Edge> = (0..400).map(|at| (at, at + 1, 1.0)).collect();
        let found = csgraph::breadth_first_order(&graph(401, &path), 0, true, 0).unwrap();
        assert_eq!(ints(&found.order), (0..401).collect::<Vec<i64>>());
        let beyond = csgraph::breadth_first_order(&graph(3, &[]), 3, true, None);
        assert!(beyond.unwrap_err().to_string().contains("3 among 3 nodes"));
    });
}

/// Checks that each path is as long as its last edge and the path before it.
fn check_predecessors(edges: &[Edge], directed: bool, sources: &[usize], found: &Paths) {
    let (distances, before) = (floats(&found.distances), found.predecessors.as_ref().unwrap());
    let before = ints(before);
    let nodes = distances.len() / sources.len();
    for (row, &source) in sources.iter().enumerate() {
        for node in 0..nodes {
            let (distance, last) = (distances[row * nodes + node], before[row * nodes + node]);
            let is_last = distance.is_infinite() || node == source;
            assert_eq!(last == i64::from(NONE), is_last);
            if !is_last {
                let last = last as usize;
                let leads = |edge: &&Edge| {
                    (edge.0, edge.1) == (last, node)
                        || (!directed && (edge.1, edge.0) == (last, node))
                };
                let weights = edges.iter().filter(leads).map(|edge| edge.2);
                let least = weights.fold(f64::INFINITY, f64::min);
                assert_eq!(distances[row * nodes + last] + least, distance);
            }
        }
    }
}

#[test]
fn shortest_paths_are_those_of_the_host() {
    on_meshes(&MESHES, Limits::default(), |_| {
        for (at, (nodes, count)) in SIZES.into_iter().enumerate().skip(1) {
            for (least, directed) in [(0.0, true), (1.0, false), (-1.0, true)] {
                let all = edges(nodes, count, least, 20 + at as u64);
                let made = graph(nodes, &all);
                let sources = vec![nodes / 2, 0, nodes - 1];
                let options = PathOptions::default().directed(directed).predecessors(true);
                let options = options.sources(sources.clone());
                let found = CHOICES.map(|choice| {
                    csgraph::bellman_ford(&made, &options.clone().gather_below(choice))
                });
                match &found {
                    [Ok(one), Ok(other)] => {
                        assert_eq!(floats(&one.distances), floats(&other.distances));
                        for found in [one, other] {
                            check_predecessors(&all, directed, &sources, found);
                        }
                    }
                    [Err(one), Err(other)] => {
                        let is_cycle =
                            |error: &GraphError| matches!(error, GraphError::NegativeCycle { .. });
                        assert!(is_cycle(one) && is_cycle(other));
                    }
                    _ => panic!("one of two algorithms has found a negative cycle"),
                }
                if least < 0.0 {
                    continue;
                }
                for limit in [f64::INFINITY, 5.0] {
                    let options = options.clone().limit(limit);
                    let [one, other] = CHOICES.map(|choice| {
                        csgraph::dijkstra(&made, &options.clone().gather_below(choice)).unwrap()
                    });
                    assert_eq!(floats(&one.distances), floats(&other.distances));
                    let options = options.min_only(true);
                    let [one, other] = CHOICES.map(|choice| {
                        csgraph::dijkstra(&made, &options.clone().gather_below(choice)).unwrap()
                    });
                    let distances = floats(&one.distances);
                    assert_eq!(distances, floats(&other.distances));
                    for found in [&one, &other] {
                        let firsts = ints(found.sources.as_ref().unwrap());
                        for (first, distance) in firsts.iter().zip(&distances) {
                            let is_source = *first >= 0 && sources.contains(&(*first as usize));
                            assert_eq!(is_source, distance.is_finite());
                        }
                    }
                }
                let all_pairs = PathOptions::default().directed(directed);
                let expected = csgraph::johnson(&made, &all_pairs).unwrap();
                for choice in CHOICES {
                    let found = csgraph::floyd_warshall(&made, directed, false, true, choice);
                    let found = found.unwrap();
                    assert_eq!(floats(&found.distances), floats(&expected.distances));
                    let sources: Vec<usize> = (0..nodes).collect();
                    check_predecessors(&all, directed, &sources, &found);
                    let before = found.predecessors.unwrap();
                    let again =
                        csgraph::construct_dist_matrix(&made, &before, directed, f64::INFINITY);
                    // Without a direction, an entry of zero is no edge.
                    if least > 0.0 || directed {
                        assert_eq!(floats(&again.unwrap()), floats(&expected.distances));
                    }
                }
            }
        }
        let path: Vec<Edge> = (0..400).map(|at| (at, at + 1, 1.0)).collect();
        let options = PathOptions::default().sources(vec![0]).gather_below(0);
        let found = csgraph::dijkstra(&graph(401, &path), &options).unwrap();
        assert_eq!(floats(&found.distances), (0..401).map(f64::from).collect::<Vec<f64>>());
        let cycle = graph(3, &[(0, 1, 1.0), (1, 2, -2.0), (2, 0, 0.5)]);
        for choice in CHOICES {
            let found = csgraph::floyd_warshall(&cycle, true, false, false, choice);
            assert!(matches!(found, Err(GraphError::NegativeCycle { .. })));
            let found = csgraph::bellman_ford(&cycle, &options.clone().gather_below(choice));
            assert!(matches!(found, Err(GraphError::NegativeCycle { node: 0 })));
        }
    });
}

#[test]
fn spanning_trees_are_those_of_the_host() {
    on_meshes(&MESHES, Limits::default(), |_| {
        for (at, (nodes, count)) in SIZES.into_iter().enumerate() {
            // Many weights are equal, and some are zero.
            let mut all = edges(nodes, count, -1.0, 40 + at as u64);
            if let Some(edge) = all.last_mut() {
                edge.2 = f64::NAN;
            }
            let made = graph(nodes, &all);
            let [one, other] = CHOICES
                .map(|choice| entries(&csgraph::minimum_spanning_tree(&made, choice).unwrap()));
            // NaN is not equal to itself.
            assert_eq!(format!("{one:?}"), format!("{other:?}"), "{nodes} nodes, {count} edges");
        }
    });
}

#[test]
fn laplacians_have_the_degrees_on_the_diagonal() {
    on_meshes(&MESHES, Limits::default(), |_| {
        for (at, (nodes, count)) in SIZES.into_iter().enumerate() {
            let all = edges(nodes, count, 1.0, 50 + at as u64);
            let mut expected = vec![0.0; nodes * nodes];
            for &(row, column, weight) in all.iter().filter(|edge| edge.0 != edge.1) {
                expected[row * nodes + column] -= weight;
                expected[column * nodes + column] += weight;
            }
            let made = graph(nodes, &all);
            let found = csgraph::laplacian(&made, LaplacianOptions::default()).unwrap();
            assert_eq!(floats(&found.matrix.to_dense()), expected);
            let diagonal: Vec<f64> = (0..nodes).map(|at| expected[at * (nodes + 1)]).collect();
            assert_eq!(floats(&found.diagonal), diagonal);
            let options =
                LaplacianOptions { normed: true, symmetrized: true, ..Default::default() };
            let found = csgraph::laplacian(&made, options).unwrap();
            let roots = floats(&found.diagonal);
            let dense = floats(&found.matrix.to_dense());
            let sums: Vec<f64> = (0..nodes)
                .map(|row| (0..nodes).map(|at| dense[row * nodes + at] * roots[at]).sum())
                .collect();
            assert!(sums.iter().all(|sum| sum.abs() < 1e-10), "rows are orthogonal to the roots");
        }
    });
}

#[test]
fn dense_graphs_have_the_least_of_equal_entries() {
    on_meshes(&MESHES, Limits::default(), |_| {
        let all = [(0, 1, 3.0), (0, 1, 2.0), (1, 1, 0.0), (2, 0, f64::NAN)];
        let made = csgraph::csgraph_to_dense(&graph(3, &all), -1.0).unwrap();
        let infinity = f64::INFINITY;
        assert_eq!(floats(&made), [-1.0, 2.0, -1.0, -1.0, 0.0, -1.0, infinity, -1.0, -1.0]);
    });
}

#[test]
fn gathered_algorithms_are_the_same_on_all_meshes() {
    on_meshes(&MESHES, Limits::default(), |_| {
        let all: Vec<Edge> = edges(20, 90, 1.0, 3);
        let made = graph(20, &all);
        let capacities = made.astype(DType::I32).unwrap();
        let found = [FlowMethod::Dinic, FlowMethod::EdmondsKarp].map(|method| {
            let found = csgraph::maximum_flow(&capacities, 2, 11, method).unwrap();
            assert_eq!(found.flow.dtype(), DType::I32);
            let sums = ints(&found.flow.reduce(phalanx::Op::Add, 1));
            let mut expected = vec![0; 20];
            (expected[2], expected[11]) = (found.value, -found.value);
            assert_eq!(sums, expected);
            found.value
        });
        assert_eq!(found[0], found[1]);
        assert!(csgraph::maximum_flow(&made, 2, 11, FlowMethod::Dinic).is_err());
        let (rows, columns) = csgraph::maximum_bipartite_matching(&made).unwrap();
        let (rows, columns) = (ints(&rows), ints(&columns));
        let count = rows.iter().filter(|&&row| row >= 0).count();
        assert_eq!(count, csgraph::structural_rank(&made).unwrap());
        assert_eq!(count, columns.iter().filter(|&&column| column >= 0).count());
        let tall = graph(3, &[(0, 1, 4.0), (1, 1, 2.0), (1, 2, 9.0), (2, 1, 3.0), (2, 2, 1.0)]);
        let narrow = tall.take_columns(&Array::from_vec(vec![1, 2])).unwrap();
        let (rows, columns) = csgraph::min_weight_full_bipartite_matching(&narrow, false).unwrap();
        assert_eq!((ints(&rows), ints(&columns)), (vec![1, 2], vec![0, 1]));
        let (rows, columns) = csgraph::min_weight_full_bipartite_matching(&narrow, true).unwrap();
        assert_eq!((ints(&rows), ints(&columns)), (vec![0, 1], vec![0, 1]));
        let none = csgraph::min_weight_full_bipartite_matching(&tall, false);
        assert!(matches!(none, Err(GraphError::NoFullMatching { rows: 3, columns: 3 })));
        let mut order = ints(&csgraph::reverse_cuthill_mckee(&made, false).unwrap());
        order.sort_unstable();
        assert_eq!(order, (0..20).collect::<Vec<i64>>());
        let options = PathOptions::default().predecessors(true);
        let found = csgraph::yen(&made, 0, 7, 4, &options).unwrap();
        let lengths = floats(&found.distances);
        assert!(lengths.is_sorted() && lengths.len() == 4);
        assert_eq!(found.predecessors.unwrap().shape(), [4, 20]);
        assert!(csgraph::connected_components(&narrow, Connection::Weak, None).is_err());
    });
}
