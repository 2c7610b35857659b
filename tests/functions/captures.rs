//! Graphs of captured operations: what a launch reads and writes.

use crate::meshes::{self, MESHES};
use phalanx::host_kernels::{HostCall, host_kernel};
use phalanx::launches::{LaunchArgument, LaunchSize};
use phalanx::prelude::*;
use phalanx::{CapturedGraph, Limits, MeshHandle, begin_capture, end_capture, matmul, zeros};

/// Runs a program on meshes: with all operations recorded, and with small ones that run at once.
fn on_meshes(program: impl Fn(&MeshHandle)) {
    for at_once in [0, 1024] {
        meshes::on_meshes(&MESHES, Limits { at_once, ..Limits::default() }, &program);
    }
}

fn captured(mesh: &MeshHandle, body: impl FnOnce()) -> CapturedGraph {
    begin_capture(mesh).unwrap();
    assert!(mesh.is_capturing());
    body();
    let graph = end_capture(mesh).unwrap().expect("a graph");
    assert!(!mesh.is_capturing());
    graph
}

fn values(array: &Array) -> Vec<f64> {
    array.to_vec::<f64>().unwrap()
}

#[test]
fn a_launch_reads_and_writes_arrays_as_they_are_then() {
    on_meshes(|mesh| {
        let x = arange(0, 7, 1).astype(DType::F64);
        let y = zeros([7], DType::F64);
        let mut made = None;
        let graph = captured(mesh, || {
            let twice = &x * 2.0;
            y.assign(&(&y + &twice));
            made = Some(&y - 1.0);
        });
        let made = made.unwrap();
        // Nothing has run.
        assert_eq!((values(&y), values(&made)), (vec![0.0; 7], vec![0.0; 7]));
        graph.launch().unwrap();
        let once: Vec<f64> = (0..7).map(|at| 2.0 * f64::from(at)).collect();
        assert_eq!(values(&y), once);
        graph.launch().unwrap();
        x.assign(zeros([7], DType::F64));
        graph.launch().unwrap();
        let all: Vec<f64> = once.iter().map(|value| 2.0 * value).collect();
        assert_eq!(values(&y), all);
        assert_eq!(values(&made), all.iter().map(|value| value - 1.0).collect::<Vec<f64>>());
    });
}

#[test]
fn views_copies_and_elements_are_those_of_the_launch() {
    on_meshes(|mesh| {
        let x = arange(0, 12, 1).astype(DType::F64).reshape([3, 4]);
        // This copy is made when it is first used: inside of the capture, but of the value before.
        let copy = x.with_sharding((&x + 1.0).sharding().unwrap());
        let total = zeros((), DType::F64);
        let graph = captured(mesh, || {
            let row = x.slice(s![1]);
            row.assign(&(&row + &copy.slice(s![0])));
            total.assign(x.sum(()));
        });
        x.assign(zeros([3, 4], DType::F64));
        for launch in 1..=3 {
            graph.launch().unwrap();
            let row: Vec<f64> = (0..4).map(|at| f64::from(launch * at)).collect();
            assert_eq!(values(&x), [vec![0.0; 4], row.clone(), vec![0.0; 4]].concat());
            assert_eq!(values(&total), [row.iter().sum::<f64>()]);
        }
        assert_eq!(values(&copy), (0..12).map(f64::from).collect::<Vec<f64>>());
    });
}

#[test]
fn elements_are_read_by_each_launch() {
    on_meshes(|mesh| {
        let counts = zeros([3], DType::F64);
        counts.evaluate().unwrap();
        let graph = captured(mesh, || {
            counts.try_assign_at([1], &counts.at([1]) + 5.0, false).unwrap();
        });
        for _ in 0..3 {
            graph.launch().unwrap();
        }
        assert_eq!(values(&counts), [0.0, 15.0, 0.0]);
    });
}

#[test]
fn values_are_not_computed_in_a_capture() {
    on_meshes(|mesh| {
        let x = arange(0, 5, 1).astype(DType::F64);
        begin_capture(mesh).unwrap();
        let y = &x + 1.0;
        let error = y.evaluate().unwrap_err();
        assert_eq!((error.code(), error.numpy_class()), ("PX181", "RuntimeError"));
        assert_eq!(begin_capture(mesh).unwrap_err().code(), "PX181");
        // Values from before it are known.
        assert_eq!(values(&x), [0.0, 1.0, 2.0, 3.0, 4.0]);
        let graph = end_capture(mesh).unwrap().expect("a graph");
        assert!(end_capture(mesh).unwrap().is_none());
        graph.launch().unwrap();
        assert_eq!(values(&y), [1.0, 2.0, 3.0, 4.0, 5.0]);
    });
}

#[test]
fn kernels_products_and_checks_are_captured() {
    on_meshes(|mesh| {
        let a = arange(0, 9, 1).astype(DType::F64).reshape([3, 3]);
        let v = zeros([3], DType::F64);
        let run = |call: &mut HostCall<'_>| {
            call.bytes_mut(0).copy_from_slice(&1.0f64.to_le_bytes().repeat(3));
        };
        let ones = host_kernel("ones", run).writes(&[true]);
        let size = LaunchSize { blocks: [1, 1, 1], threads: [1, 1, 1], shared: 0 };
        let graph = captured(mesh, || {
            ones.launch(size, &[LaunchArgument::Array(v.clone())]).unwrap();
            v.assign(matmul(&a, &v));
        });
        graph.launch().unwrap();
        assert_eq!(values(&v), [3.0, 12.0, 21.0]);
        let at = arange(0, 3, 1);
        let mut taken = None;
        let graph = captured(mesh, || taken = Some(v.take(&at, 0)));
        graph.launch().unwrap();
        assert_eq!(values(taken.as_ref().unwrap()), [3.0, 12.0, 21.0]);
        at.assign(&(&at + 1));
        graph.launch().unwrap();
        let error = taken.unwrap().evaluate().unwrap_err();
        assert_eq!(error.numpy_class(), "IndexError");
    });
}

#[test]
fn long_graphs_and_dropped_arrays_are_launched() {
    on_meshes(|mesh| {
        let x = arange(0, 100, 1).astype(DType::F64);
        let graph = {
            let y = x.copy();
            let graph = captured(mesh, || {
                for _ in 0..500 {
                    y.assign(&(&y + 1.0));
                }
                x.assign(&(&y * 2.0));
            });
            drop(y);
            graph
        };
        graph.launch().unwrap();
        graph.launch().unwrap();
        let expected: Vec<f64> = (0..100).map(|at| 2.0 * (f64::from(at) + 1000.0)).collect();
        assert_eq!(values(&x), expected);
        assert!(graph.dot().starts_with("digraph captured {\n  n0 ["));
    });
}

#[test]
fn arrays_without_axes_are_read_and_written_by_each_launch() {
    on_meshes(|mesh| {
        let (count, factor) = (zeros((), DType::I64), full((), 2.0, DType::F64));
        let x = arange(0, 3, 1).astype(DType::F64);
        let (mut twice, mut scaled) = (None, None);
        let graph = captured(mesh, || {
            count.assign(&(&count + 1));
            twice = Some(&count * 2);
            scaled = Some(&x * &factor);
            factor.assign(&(&factor + 1.0));
            // The values from before can be read, those of the capture cannot.
            assert_eq!(count.item::<i64>().unwrap_err().code(), "PX181");
        });
        let (twice, scaled) = (twice.unwrap(), scaled.unwrap());
        assert_eq!((values(&count), values(&twice)), (vec![0.0], vec![0.0]));
        assert_eq!((values(&factor), values(&scaled)), (vec![2.0], vec![0.0; 3]));
        assert_eq!((&twice + 1).item::<i64>().unwrap(), 1);
        for launch in 1..=5 {
            graph.launch().unwrap();
            let (count, factor) = (values(&count)[0], values(&factor)[0]);
            assert_eq!((count, factor), (f64::from(launch), f64::from(launch) + 2.0));
            assert_eq!(values(&twice), [2.0 * count]);
            assert_eq!(values(&scaled), [0.0, factor - 1.0, 2.0 * (factor - 1.0)]);
        }
    });
}

#[test]
fn elements_stay_and_small_products_are_recorded() {
    on_meshes(|mesh| {
        let x = arange(0, 5, 1).astype(DType::F64);
        let element = x.at([2]);
        assert!(element.claim(true));
        assert_eq!(element.item::<f64>().unwrap(), 2.0);
        let (mut next, mut sum, mut square) = (None, None, None);
        let graph = captured(mesh, || {
            assert_eq!(element.item::<f64>().unwrap(), 2.0);
            next = Some(&element + 1.0);
            sum = Some(&x + next.as_ref().unwrap());
            square = Some(dot(&x, &x));
        });
        let (next, sum, square) = (next.unwrap(), sum.unwrap(), square.unwrap());
        // Reading and using it agree.
        assert_eq!(
            (values(&next), values(&(&next + zeros([2], DType::F64)))),
            (vec![0.0], vec![0.0; 2])
        );
        assert_eq!((element.item::<f64>().unwrap(), values(&(&x * &element))[4]), (2.0, 8.0));
        x.assign(full([5], 2.0, DType::F64));
        graph.launch().unwrap();
        assert_eq!((values(&next), values(&sum)), (vec![3.0], vec![5.0; 5]));
        assert_eq!(values(&square), [20.0]);
        assert_eq!(values(&stack(&[&element, &element], 0)), [2.0, 2.0]);
        // A second graph reads what the first one makes.
        let mut later = None;
        let second = captured(mesh, || later = Some(&x * &square));
        x.assign(full([5], 1.0, DType::F64));
        graph.launch().unwrap();
        second.launch().unwrap();
        assert_eq!(values(&later.unwrap()), [5.0; 5]);
    });
}

#[test]
fn a_refused_selection_leaves_a_graph_that_runs() {
    on_meshes(|mesh| {
        let x = arange(0, 10, 1).astype(DType::F64);
        let mut sum = None;
        let graph = captured(mesh, || {
            let selections = [x.compress(&x.greater(2.0)), unique(&x)];
            for selection in selections {
                assert_eq!(selection.ok().unwrap_err().code(), "PX181");
            }
            assert_eq!(nonzero(&x).unwrap_err().code(), "PX181");
            sum = Some(x.sum(()));
            // These need no value, and have no user in the graph.
            let _ = (sort(&x, -1), cumsum(&x, 0), fft::fft(&x, ()));
        });
        for _ in 0..2 {
            graph.launch().unwrap();
            assert_eq!(values(sum.as_ref().unwrap()), [45.0]);
        }
        assert_eq!(values(&(&x + 1.0))[9], 10.0);
    });
}

#[test]
fn a_graph_does_not_depend_on_copies_that_are_alive() {
    on_meshes(|mesh| {
        let x = arange(0, 12, 1).astype(DType::F64);
        let sharding = (&x + 1.0).sharding().unwrap();
        let mut copies = Vec::new();
        let kept = captured(mesh, || copies.push(x.with_sharding(sharding.clone())));
        let dropped = captured(mesh, || drop(x.with_sharding(sharding)));
        assert_eq!((kept.len(), dropped.len()), (1, 1));
        x.assign(full([12], 3.0, DType::F64));
        kept.launch().unwrap();
        dropped.launch().unwrap();
        assert_eq!(values(&copies[0]), [3.0; 12]);
    });
}

#[test]
fn questions_about_an_array_are_not_captured() {
    on_meshes(|mesh| {
        let x = arange(0, 12, 1).astype(DType::F64);
        x.evaluate().unwrap();
        // Made when it is first used.
        let copy = x.with_sharding((&x + 1.0).sharding().unwrap());
        let was_pending = copy.is_pending();
        let graph = captured(mesh, || {
            let _ = (copy.sharding().unwrap(), copy.explain().unwrap(), copy.flags().unwrap());
            let part = copy.slice(s![1..3]);
            assert!(part.base().unwrap().is_some() && part.may_share_memory(&copy));
            assert!(copy.is_unchanged(&copy.snapshot().unwrap()));
            // Nothing of this has computed the copy.
            assert_eq!(copy.is_pending(), was_pending);
        });
        assert!(graph.is_empty());
        x.assign(&(&x + 1.0));
        assert_eq!(values(&copy), (0..12).map(f64::from).collect::<Vec<f64>>());
    });
}

#[test]
fn an_error_of_an_array_stays() {
    on_meshes(|mesh| {
        let (broken, x) = (zeros([2], DType::F64), zeros([2], DType::F64));
        broken.assign(zeros([3], DType::F64));
        let code = broken.evaluate().unwrap_err().code();
        let graph = captured(mesh, || {
            assert_eq!((&broken * 2.0).ok().unwrap_err().code(), code);
            x.assign(&(&x + 1.0));
        });
        assert_eq!(broken.evaluate().unwrap_err().code(), code);
        graph.launch().unwrap();
        assert_eq!((values(&x), broken.evaluate().unwrap_err().code()), (vec![1.0; 2], code));
    });
}

#[test]
fn checks_are_those_of_the_launch() {
    on_meshes(|mesh| {
        let (x, at) = (arange(0, 5, 1).astype(DType::F64), full((), 10, DType::I64));
        let mut taken = None;
        let graph = captured(mesh, || taken = Some(x.take(&at, 0)));
        let taken = taken.unwrap();
        graph.launch().unwrap();
        assert_eq!(taken.evaluate().unwrap_err().numpy_class(), "IndexError");
        at.assign(3);
        graph.launch().unwrap();
        assert_eq!(values(&taken), [3.0]);
        // A graph that is launched in a capture takes its checks along.
        let outer = captured(mesh, || graph.launch().unwrap());
        at.assign(-7);
        outer.launch().unwrap();
        assert_eq!(taken.evaluate().unwrap_err().numpy_class(), "IndexError");
    });
}

/// The session of each mesh ends after the program, with its capture.
#[test]
fn a_session_ends_in_a_capture() {
    on_meshes(|mesh| {
        let x = arange(0, 5, 1).astype(DType::F64);
        begin_capture(mesh).unwrap();
        let taken = x.take(&arange(0, 3, 1), 0);
        x.assign(&(&x + &taken.sum(())));
        assert!(taken.is_pending());
    });
}

#[test]
fn data_of_the_host_are_not_overwritten() {
    on_meshes(|mesh| {
        let data: Vec<f64> = (0..5000).map(f64::from).collect();
        let mut twice = None;
        let graph = captured(mesh, || twice = Some(from_slice(&data, [5000]) * 2.0));
        let twice = twice.unwrap();
        for _ in 0..3 {
            graph.launch().unwrap();
            assert_eq!(values(&twice), data.iter().map(|value| 2.0 * value).collect::<Vec<f64>>());
        }
    });
}
