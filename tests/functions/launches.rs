//! Kernels of the user's own, here functions of the process: what they read and write, and when
//! they run.

use crate::meshes::{MESHES, on_meshes};
use phalanx::host_kernels::{HostCall, host_kernel};
use phalanx::launches::{LaunchArgument, LaunchKernel, LaunchSize, Share};
use phalanx::prelude::*;
use phalanx::{Limits, flush, zeros};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const SIZE: LaunchSize = LaunchSize { blocks: [1, 1, 1], threads: [1, 1, 1], shared: 0 };

fn of(array: &Array) -> LaunchArgument {
    LaunchArgument::Array(array.clone())
}

fn number(value: f64) -> LaunchArgument {
    LaunchArgument::Bytes(value.to_le_bytes()[..].into())
}

fn read(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(8).map(|word| f64::from_le_bytes(word.try_into().unwrap())).collect()
}

fn write(bytes: &mut [u8], values: &[f64]) {
    for (word, value) in bytes.chunks_exact_mut(8).zip(values) {
        word.copy_from_slice(&value.to_le_bytes());
    }
}

/// `y = a x + y` and `s[0] = sum(y)`.
fn axpy() -> LaunchKernel {
    let run = |call: &mut HostCall<'_>| {
        let (a, x) = (read(call.bytes(0))[0], read(call.bytes(1)));
        let y: Vec<f64> = read(call.bytes(2)).iter().zip(&x).map(|(y, x)| a * x + y).collect();
        write(call.bytes_mut(2), &y);
        write(call.bytes_mut(3), &[y.iter().sum()]);
    };
    host_kernel("axpy", run).writes(&[false, false, true, true])
}

#[test]
fn a_kernel_gets_whole_arrays_and_writes_them() {
    on_meshes(&MESHES, Limits::default(), |_| {
        let x = arange(0, 1001, 1).astype(DType::F64);
        let y = zeros([7, 143], DType::F64);
        let sum = zeros([0usize; 0], DType::F64);
        for a in [1.0, 2.0, 3.0] {
            axpy().launch(SIZE, &[number(a), of(&x), of(&y), of(&sum)]).unwrap();
        }
        let wanted: Vec<f64> = (0..1001).map(|x| 6.0 * f64::from(x)).collect();
        assert_eq!(y.to_vec::<f64>().unwrap(), wanted);
        assert_eq!(sum.item::<f64>().unwrap(), wanted.iter().sum::<f64>());
        // The operand that is only read keeps its value, and so does a copy made before.
        assert_eq!(x.sum(()).item::<f64>().unwrap(), 500_500.0);
    });
}

#[test]
fn copies_made_before_a_launch_keep_their_elements() {
    on_meshes(&MESHES, Limits::default(), |_| {
        for is_computed in [false, true] {
            let (x, y) = (arange(0, 100, 1).astype(DType::F64), zeros([100], DType::F64));
            if is_computed {
                flush().unwrap();
            }
            let (before, twin, later) = (y.copy(), y.copy(), &y + 1.0);
            let sum = zeros([1], DType::F64);
            axpy().launch(SIZE, &[number(1.0), of(&x), of(&y), of(&sum)]).unwrap();
            axpy().launch(SIZE, &[number(5.0), of(&x), of(&twin), of(&sum)]).unwrap();
            let total = |array: &Array| array.sum(()).item::<f64>().unwrap();
            assert_eq!([&before, &later, &y, &twin].map(total), [0.0, 100.0, 4950.0, 5.0 * 4950.0]);
        }
    });
}

#[test]
fn views_are_places_in_their_base() {
    on_meshes(&MESHES, Limits::default(), |_| {
        let base = zeros([10, 10], DType::F64);
        let fill = host_kernel("fill", |call| write(call.bytes_mut(0), &[1.0, 2.0, 3.0]));
        fill.launch(SIZE, &[of(&base.slice(s![2.., 3..]))]).unwrap();
        fill.launch(SIZE, &[of(&base.transpose([1, 0]).slice(s![9, 0..2]))]).unwrap();
        let wanted = |at: usize| match at {
            23..26 => (at - 22) as f64,
            9..12 => (at - 8) as f64,
            _ => 0.0,
        };
        let wanted: Vec<f64> = (0..100).map(wanted).collect();
        assert_eq!(base.to_vec::<f64>().unwrap(), wanted);
        // One array as several arguments is one memory, even if one of them is only read.
        let shift = host_kernel("shift", |call| {
            let from = read(call.bytes(0))[0];
            write(call.bytes_mut(1), &[from + 1.0]);
        });
        let line = zeros([4], DType::F64);
        for at in 0..3 {
            let (from, to) = (line.slice(s![at..]), line.slice(s![at + 1..]));
            shift.clone().writes(&[false, true]).launch(SIZE, &[of(&from), of(&to)]).unwrap();
        }
        assert_eq!(line.to_vec::<f64>().unwrap(), [0.0, 1.0, 2.0, 3.0]);
    });
}

#[test]
fn every_launch_runs_once_and_in_order() {
    on_meshes(&MESHES, Limits::default(), |_| {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let note = {
            let seen = seen.clone();
            let name = format!("note {:p}", Arc::as_ptr(&seen));
            host_kernel(&name, move |call| seen.lock().unwrap().push(read(call.bytes(0))[0]))
        };
        // Equal launches without arrays, and values that nobody needs.
        for turn in [1.0, 2.0, 1.0, 1.0] {
            note.launch(SIZE, &[number(turn)]).unwrap();
        }
        let dropped = zeros([5], DType::F64);
        note.launch(SIZE, &[number(7.0), of(&dropped)]).unwrap();
        drop(dropped);
        flush().unwrap();
        phalanx::synchronize().unwrap();
        assert_eq!(*seen.lock().unwrap(), [1.0, 2.0, 1.0, 1.0, 7.0]);
    });
}

#[test]
fn on_each_device_a_kernel_gets_its_blocks() {
    on_meshes(&MESHES, Limits::default(), |_| {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        CALLS.store(0, Ordering::Relaxed);
        let index = host_kernel("index", |call| {
            CALLS.fetch_add(1, Ordering::Relaxed);
            let (first, count) = (call.origins[0][0], call.extents[0][0]);
            let values: Vec<f64> = (first..first + count).map(|at| at as f64).collect();
            write(call.bytes_mut(0), &values);
        });
        let x = zeros([1003], DType::F64);
        index.clone().share(Share::Each).launch(SIZE, &[of(&x)]).unwrap();
        let wanted: Vec<f64> = (0..1003).map(f64::from).collect();
        assert_eq!((&x * 2.0).to_vec::<f64>().unwrap(), (&x + &x).to_vec::<f64>().unwrap());
        assert_eq!(x.to_vec::<f64>().unwrap(), wanted);
        assert_eq!(CALLS.load(Ordering::Relaxed), x.mesh().unwrap().mesh().devices());
        let index = index.share(Share::Each);
        for arguments in [vec![of(&x.slice(s![1..]))], vec![of(&x), of(&x.slice(s![1..]))]] {
            assert_eq!(index.launch(SIZE, &arguments).unwrap_err().code(), "PX180");
        }
        // Fewer elements than devices, and none.
        for count in [0, 1, 3] {
            let few = zeros([count], DType::F64);
            index.launch(SIZE, &[of(&few)]).unwrap();
            let wanted: Vec<f64> = (0..count).map(|at| at as f64).collect();
            assert_eq!(few.to_vec::<f64>().unwrap(), wanted);
        }
    });
}

#[test]
fn arrays_without_elements_and_of_truth_values() {
    on_meshes(&MESHES, Limits::default(), |_| {
        let invert = host_kernel("invert", |call| {
            call.bytes_mut(0).iter_mut().for_each(|byte| *byte = u8::from(*byte == 0));
        });
        for count in [0, 1, 7] {
            let truths = arange(0, count, 1).not_equal(0);
            invert.launch(SIZE, &[of(&truths)]).unwrap();
            let wanted: Vec<bool> = (0..count).map(|at| at == 0).collect();
            assert_eq!(truths.to_vec::<bool>().unwrap(), wanted);
        }
        let size = LaunchSize { blocks: [1, 70_000, 2], threads: [3, 70_001, 4], shared: 5 };
        let note = host_kernel("sizes", |call| {
            let LaunchSize { blocks, threads, shared } = call.size;
            let all = [blocks[1], blocks[2], threads[0], threads[1], threads[2], shared];
            write(call.bytes_mut(0), &all.map(f64::from));
        });
        let sizes = zeros([6], DType::F64);
        note.launch(size, &[of(&sizes)]).unwrap();
        assert_eq!(sizes.to_vec::<f64>().unwrap(), [70_000.0, 2.0, 3.0, 70_001.0, 4.0, 5.0]);
    });
}

#[test]
fn arrays_that_cannot_be_written_are_refused() {
    on_meshes(&[&[1], &[3]], Limits::default(), |_| {
        let wide = zeros([3], DType::F64).broadcast_to([2, 3]);
        let error = axpy().writes(&[false, false, true, true]);
        let error = error.launch(SIZE, &[number(1.0), of(&wide), of(&wide), of(&wide)]);
        assert!(error.unwrap_err().to_string().contains("argument 2"));
    });
}

#[test]
fn a_loop_of_launches_plans_once_and_writes_in_place() {
    on_meshes(&[&[1]], Limits::default(), |_| {
        let (x, y) = (full([1 << 16], 1.0, DType::F64), zeros([1 << 16], DType::F64));
        // Small operations would run when they are recorded.
        let sum = zeros([2000], DType::F64);
        flush().unwrap();
        let turn = |a: f64| {
            axpy().launch(SIZE, &[number(a), of(&x), of(&y), of(&sum)]).unwrap();
            flush().unwrap();
        };
        turn(0.5);
        let text = {
            axpy().launch(SIZE, &[number(0.5), of(&x), of(&y), of(&sum)]).unwrap();
            y.explain().unwrap()
        };
        (0..10).for_each(|at| turn(f64::from(at)));
        assert_eq!(sum.slice(s![0]).item::<f64>().unwrap(), 46.0 * 65_536.0);
        // The arrays are lent in their own memory.
        assert!(text.contains("axpy(") && text.matches(" in place of ").count() == 4, "{text}");
    });
}
