//! Launches of shapes that a thread has launched before.

use super::case::Generator;
use phalanx_device::Buffer;
use phalanx_kernels::cpu::{BufferLaunch, Compiled, compile, launch};
use phalanx_kernels::ir::parse;
use phalanx_ops::Scalar;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, with a count of the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every request is passed unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // When the thread ends, the count may be destroyed already.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) };
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SCALED: &str = "kernel(a: f64 in, b: f64 out; s0: f64) { for i0, i1 grid {
    v0: f64 = load a.0[i0, i1]
    v1: f64 = s0
    v2: f64 = multiply(v0, v1)
    v3: f64 = add(v2, v0)
    store b.1[i0, i1] = v3 } }";
const SUM: &str = "kernel(a: f64 in, b: f64 out; s0: f64) { for i0 grid { for i1 loop {
    v0: f64 = load a.0[i0, i1]
    v1: f64 = s0
    v2: f64 = multiply(v0, v1)
    fold v3: f64 = max(v2) }
    store b.1[i0] = v3 } }";

fn compiled(text: &str) -> Compiled {
    compile(&parse(text).expect("the text is a kernel")).expect("the kernel compiles")
}

fn numbers(buffer: &Buffer) -> Vec<f64> {
    let mut bytes = vec![0; buffer.len()];
    buffer.read(0, &mut bytes);
    let number = |bytes: &[u8]| f64::from_ne_bytes(bytes.try_into().expect("8 bytes"));
    bytes.chunks_exact(8).map(number).collect()
}

/// Launches on rows of 16 numbers, of which the first `columns` are read.
fn run(compiled: &Compiled, [from, to]: [&Buffer; 2], [rows, columns]: [usize; 2], scale: f64) {
    let outputs: &[isize] = if compiled.kernel().grid == 2 { &[128, 8] } else { &[8] };
    let arguments = BufferLaunch {
        extents: &[rows, columns],
        origins: &[0, 0],
        accesses: [(from, 0, &[128, 8][..]), (to, 0, outputs)].into_iter().collect(),
        guards: &[],
        scalars: [Scalar::new(scale)].into_iter().collect(),
    };
    launch(compiled, &arguments, None);
}

#[test]
fn launches_of_a_known_shape_see_their_own_buffers_and_scalars() {
    let kernels = [compiled(SCALED), compiled(SUM)];
    let mut generator = Generator(9);
    let random = |generator: &mut Generator| -> Vec<f64> {
        (0..16 * 16).map(|_| generator.below(1000) as f64).collect()
    };
    let sources: Vec<Vec<f64>> = (0..4).map(|_| random(&mut generator)).collect();
    let buffers: Vec<Buffer> = sources.iter().cloned().map(Buffer::from_vec).collect();
    for _ in 0..3000 {
        let source = generator.below(4);
        let [rows, columns] = [generator.below(16) + 1, generator.below(16) + 1];
        let scale = generator.below(9) as f64;
        let to = Buffer::from_vec(vec![-1.0; 256]);
        let kernel = &kernels[generator.below(2)];
        run(kernel, [&buffers[source], &to], [rows, columns], scale);
        let mut expected = vec![-1.0; 256];
        for row in 0..rows {
            let elements = &sources[source][16 * row..][..columns];
            if kernel.kernel().grid == 2 {
                for (column, element) in elements.iter().enumerate() {
                    expected[16 * row + column] = element * scale + element;
                }
            } else {
                expected[row] = elements.iter().map(|element| element * scale).fold(0.0, f64::max);
            }
        }
        assert_eq!(numbers(&to), expected);
    }
}

#[test]
fn a_launch_of_a_known_shape_allocates_nothing() {
    let kernels = [compiled(SCALED), compiled(SUM)];
    let from = Buffer::from_vec(vec![1.0; 256]);
    let to = Buffer::from_vec(vec![0.0; 256]);
    for kernel in &kernels {
        for extents in [[1, 1], [16, 16], [1, 16], [16, 3]] {
            // The second launch may find an arena that the first one made larger.
            for _ in 0..2 {
                run(kernel, [&from, &to], extents, 2.0);
            }
            let before = ALLOCATIONS.get();
            run(kernel, [&from, &to], extents, 3.0);
            assert_eq!(ALLOCATIONS.get(), before, "over {extents:?}\n{}", kernel.kernel());
        }
    }
}

#[test]
#[should_panic(expected = "bug: bytes 0..2056 of a buffer of 2048")]
fn a_launch_of_a_known_shape_is_checked_against_its_own_buffers() {
    let kernel = compiled(SCALED);
    let enough = Buffer::from_vec(vec![0.0; 16 * 16 + 1]);
    let to = Buffer::from_vec(vec![0.0; 16 * 16 + 1]);
    let short = Buffer::from_vec(vec![0.0; 16 * 16]);
    run(&kernel, [&enough, &to], [16, 17], 1.0);
    run(&kernel, [&short, &to], [16, 17], 1.0);
}
