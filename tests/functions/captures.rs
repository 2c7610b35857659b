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
        let copy = x.copy();
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
