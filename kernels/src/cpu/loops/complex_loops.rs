//! Loops of functions of complex numbers, which are computed in `f64`: blocks of usual numbers in
//! vectors, the others one by one.

use super::driver::{staged, staged_pair};
use num_complex::{Complex, Complex64};
use std::mem::MaybeUninit;

/// Numbers of a block.
pub(super) const BLOCK: usize = 32;

/// The real or imaginary parts of a block.
pub(super) type Column = [f64; BLOCK];

/// `f32` or `f64`.
pub(super) trait Component: Copy + Into<f64> {
    fn rounded(number: f64) -> Self;
}

impl Component for f32 {
    fn rounded(number: f64) -> f32 {
        number as f32
    }
}

impl Component for f64 {
    fn rounded(number: f64) -> f64 {
        number
    }
}

fn widened<T: Component>(number: Complex<T>) -> Complex64 {
    Complex::new(number.re.into(), number.im.into())
}

fn rounded<T: Component>(number: Complex64) -> Complex<T> {
    Complex::new(T::rounded(number.re), T::rounded(number.im))
}

/// The parts of at most `BLOCK` numbers; unused places hold 1.
fn columns<T: Component>(numbers: &[Complex<T>]) -> [Column; 2] {
    let (mut re, mut im) = ([1.0; BLOCK], [1.0; BLOCK]);
    for ((re, im), &number) in re.iter_mut().zip(&mut im).zip(numbers) {
        (*re, *im) = (number.re.into(), number.im.into());
    }
    [re, im]
}

/// Writes the results of a block, and those of `any` for the numbers that are not usual.
fn write<T: Component>(
    [re, im]: [Column; 2],
    usual: &[bool; BLOCK],
    out: &mut [MaybeUninit<Complex<T>>],
    any: impl Fn(usize) -> Complex64,
) {
    for (out, (&re, &im)) in out.iter_mut().zip(re.iter().zip(&im)) {
        out.write(rounded(Complex::new(re, im)));
    }
    if usual.iter().fold(true, |all, usual| all & usual) {
        return;
    }
    for (at, out) in out.iter_mut().enumerate().filter(|&(at, _)| !usual[at]) {
        out.write(rounded(any(at)));
    }
}

/// The loop of a function of one number: `block` replaces the parts of a block by those of the
/// results and states which numbers are usual; `any` computes the others.
///
/// # Safety
///
/// The conditions in the documentation of the module `loops` hold.
pub(super) unsafe fn run<T: Component>(
    inputs: &[*const u8],
    output: *mut u8,
    count: usize,
    block: fn(&mut Column, &mut Column, &mut [bool; BLOCK]),
    any: fn(Complex64) -> Complex64,
) {
    let map = |a: &[Complex<T>], out: &mut [MaybeUninit<Complex<T>>]| {
        for (a, out) in a.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            let ([mut re, mut im], mut usual) = (columns(a), [true; BLOCK]);
            block(&mut re, &mut im, &mut usual);
            write([re, im], &usual, out, |at| any(widened(a[at])));
        }
    };
    // SAFETY: the caller's promise.
    unsafe { staged(inputs, output, count, map) };
}

/// As `run` of a function of two numbers; `block` replaces the parts of the first.
///
/// # Safety
///
/// The conditions in the documentation of the module `loops` hold.
pub(super) unsafe fn run_pair<T: Component>(
    inputs: &[*const u8],
    output: *mut u8,
    count: usize,
    block: fn(&mut [Column; 2], &[Column; 2], &mut [bool; BLOCK]),
    any: fn(Complex64, Complex64) -> Complex64,
) {
    let map = |a: &[Complex<T>], b: &[Complex<T>], out: &mut [MaybeUninit<Complex<T>>]| {
        let all = a.chunks(BLOCK).zip(b.chunks(BLOCK)).zip(out.chunks_mut(BLOCK));
        for ((a, b), out) in all {
            let (mut first, second, mut usual) = (columns(a), columns(b), [true; BLOCK]);
            block(&mut first, &second, &mut usual);
            write(first, &usual, out, |at| any(widened(a[at]), widened(b[at])));
        }
    };
    // SAFETY: the caller's promise.
    unsafe { staged_pair(inputs, output, count, map) };
}

/// The loop of a function of one complex number: `$usual` of `functions::complex`, compiled for
/// each level of instructions, and `$any` for all other numbers.
macro_rules! complex_function {
    ($dtype:expr, $usual:path, $any:path) => {{
        for_each_level! {
            fn block[][](re: &mut Column, im: &mut Column, usual: &mut [bool; BLOCK]) {
                for at in 0..BLOCK {
                    (re[at], im[at], usual[at]) = $usual(re[at], im[at]);
                }
            }
        }
        unsafe fn run<T: Component>(inputs: &[*const u8], output: *mut u8, count: usize) {
            // SAFETY: the caller's promise.
            unsafe { complex_loops::run::<T>(inputs, output, count, block, $any) };
        }
        match $dtype {
            DType::C64 => Some(run::<f32> as Loop),
            DType::C128 => Some(run::<f64> as Loop),
            _ => None,
        }
    }};
}

pub(super) use complex_function;
