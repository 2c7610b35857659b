//! How a function of elements becomes a loop over arrays.
//!
//! A loop is written once as a closure without captures. The closure's type identifies the
//! function, so a loop is a plain function pointer with the function inlined. Large functions are
//! written into their loops by `inlined!`. If the output is also
//! an input, the input is first copied, one stretch at a time, so that the inner loop always works
//! on slices that the compiler knows to be disjoint and can vectorise.

use crate::cpu::instructions::for_each_level;
use std::mem::MaybeUninit;

/// A loop over contiguous arrays: `output[i] = f(inputs[0][i], ..)` for `i < count`.
///
/// # Safety
///
/// The conditions in the documentation of the module `loops` hold.
pub type Loop = unsafe fn(inputs: &[*const u8], output: *mut u8, count: usize);

/// Elements copied at a time if the output is also an input.
pub(super) const STRETCH: usize = 256;

/// The loop of a function of one element.
pub(super) fn unary<A: Copy, O, F: Fn(A) -> O + Copy>(_: F) -> Loop {
    const { assert!(size_of::<F>() == 0, "the function of a loop captures nothing") };
    run_unary::<A, O, F>
}

/// The loop of a function of two elements.
pub(super) fn binary<A: Copy, B: Copy, O, F: Fn(A, B) -> O + Copy>(_: F) -> Loop {
    const { assert!(size_of::<F>() == 0, "the function of a loop captures nothing") };
    run_binary::<A, B, O, F>
}

/// The only value of a function type without captures.
///
/// # Safety
///
/// `F` has size zero and a value of it has existed.
unsafe fn conjure<F: Copy>() -> F {
    // SAFETY: a value of size zero has no bytes to read, and `F: Copy` lets it exist twice.
    unsafe { std::ptr::NonNull::<F>::dangling().read() }
}

/// Memory for a stretch of an input.
pub(super) struct Stage<T>([MaybeUninit<T>; STRETCH]);

impl<T: Copy> Stage<T> {
    pub(super) const fn new() -> Self {
        Stage([const { MaybeUninit::uninit() }; STRETCH])
    }

    /// The elements at `source`: in place if `aliased` is false, else copied here (at most
    /// `STRETCH`).
    ///
    /// # Safety
    ///
    /// `source` points to `count` readable elements; unless `aliased`, nothing writes them while
    /// the slice lives.
    pub(super) unsafe fn read(&mut self, source: *const T, count: usize, aliased: bool) -> &[T] {
        let start = if aliased {
            assert!(count <= STRETCH, "bug: a stretch is longer than its stage");
            let stage = self.0.as_mut_ptr().cast::<T>();
            // SAFETY: the stage holds `STRETCH` elements, is not the source, and the caller vouches
            // for the source.
            unsafe { std::ptr::copy_nonoverlapping(source, stage, count) };
            stage.cast_const()
        } else {
            source
        };
        // SAFETY: `count` elements at `start` are initialised: the caller's, or those just copied.
        unsafe { std::slice::from_raw_parts(start, count) }
    }
}

/// Runs a loop over slices, stretch by stretch if the output is also the input.
///
/// # Safety
///
/// The conditions in the documentation of the module `loops` hold.
pub(super) unsafe fn staged<A: Copy, O>(
    inputs: &[*const u8],
    output: *mut u8,
    count: usize,
    map: impl Fn(&[A], &mut [MaybeUninit<O>]),
) {
    let aliased = inputs[0] == output.cast_const();
    let mut stage = Stage::<A>::new();
    let mut at = 0;
    while at < count {
        let length = if aliased { STRETCH.min(count - at) } else { count };
        // SAFETY: conditions 1 and 3 of the module; `at + length <= count`.
        let a = unsafe { stage.read(inputs[0].cast::<A>().add(at), length, aliased) };
        // SAFETY: conditions 2 and 3; an aliased input was copied, so the slice is the only way to
        // these bytes.
        let out = unsafe {
            std::slice::from_raw_parts_mut(output.cast::<MaybeUninit<O>>().add(at), length)
        };
        map(a, out);
        at += length;
    }
}

/// As `staged`, with two inputs.
///
/// # Safety
///
/// The conditions in the documentation of the module `loops` hold.
pub(super) unsafe fn staged_pair<A: Copy, B: Copy, O>(
    inputs: &[*const u8],
    output: *mut u8,
    count: usize,
    map: impl Fn(&[A], &[B], &mut [MaybeUninit<O>]),
) {
    let a_aliased = inputs[0] == output.cast_const();
    let b_aliased = inputs[1] == output.cast_const();
    let mut a_stage = Stage::<A>::new();
    let mut b_stage = Stage::<B>::new();
    let mut at = 0;
    while at < count {
        let length = if a_aliased || b_aliased { STRETCH.min(count - at) } else { count };
        // SAFETY: conditions 1 and 3 of the module; `at + length <= count`.
        let a = unsafe { a_stage.read(inputs[0].cast::<A>().add(at), length, a_aliased) };
        // SAFETY: as for the first input.
        let b = unsafe { b_stage.read(inputs[1].cast::<B>().add(at), length, b_aliased) };
        // SAFETY: conditions 2 and 3; an aliased input was copied, so the slice is the only way to
        // these bytes.
        let out = unsafe {
            std::slice::from_raw_parts_mut(output.cast::<MaybeUninit<O>>().add(at), length)
        };
        map(a, b, out);
        at += length;
    }
}

unsafe fn run_unary<A: Copy, O, F: Fn(A) -> O + Copy>(
    inputs: &[*const u8],
    output: *mut u8,
    count: usize,
) {
    // SAFETY: `unary` was given a value of `F` and checked its size.
    let f = unsafe { conjure::<F>() };
    // SAFETY: the caller's promise.
    unsafe { staged(inputs, output, count, |a: &[A], out: &mut _| map_unary(a, out, f)) };
}

unsafe fn run_binary<A: Copy, B: Copy, O, F: Fn(A, B) -> O + Copy>(
    inputs: &[*const u8],
    output: *mut u8,
    count: usize,
) {
    // SAFETY: `binary` was given a value of `F` and checked its size.
    let f = unsafe { conjure::<F>() };
    // SAFETY: the caller's promise.
    unsafe {
        staged_pair(inputs, output, count, |a: &[A], b: &[B], out: &mut _| map_binary(a, b, out, f))
    };
}

/// The loop of a large function of one or two numbers of a type, or of one number with another
/// function for those that are far. The function stands in the loop itself: through a closure, the
/// compiler may call it, out of the loop's level of instructions.
macro_rules! inlined {
    ($T:ident, $function:ident) => {{
        for_each_level! {
            fn map[][](a: &[$T], out: &mut [MaybeUninit<$T>]) {
                for (out, &a) in out.iter_mut().zip(a) {
                    out.write(<$T as Real>::$function(a));
                }
            }
        }
        unsafe fn run(inputs: &[*const u8], output: *mut u8, count: usize) {
            // SAFETY: the caller's promise.
            unsafe { staged(inputs, output, count, map) };
        }
        run as Loop
    }};
    ($T:ident, $T2:ident, $function:ident) => {{
        for_each_level! {
            fn map[][](a: &[$T], b: &[$T], out: &mut [MaybeUninit<$T>]) {
                for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
                    out.write(<$T as Real>::$function(a, b));
                }
            }
        }
        unsafe fn run(inputs: &[*const u8], output: *mut u8, count: usize) {
            // SAFETY: the caller's promise.
            unsafe { staged_pair(inputs, output, count, map) };
        }
        run as Loop
    }};
    ($T:ident, $near:ident unless $is_far:ident $far:ident) => {{
        for_each_level! {
            fn map[][](a: &[$T], out: &mut [MaybeUninit<$T>], any: &mut bool) {
                for (out, &a) in out.iter_mut().zip(a) {
                    out.write(<$T as Real>::$near(a));
                }
                *any = a.iter().fold(false, |any, &a| any | <$T as Real>::$is_far(a));
            }
        }
        unsafe fn run(inputs: &[*const u8], output: *mut u8, count: usize) {
            let map = |a: &[$T], out: &mut [MaybeUninit<$T>]| {
                let mut any = false;
                map(a, out, &mut any);
                let pairs =
                    out.iter_mut().zip(a).filter(|(_, a)| any && <$T as Real>::$is_far(**a));
                pairs.for_each(|(out, &a)| {
                    out.write(<$T as Real>::$far(a));
                });
            };
            // SAFETY: the caller's promise.
            unsafe { staged(inputs, output, count, map) };
        }
        run as Loop
    }};
}

for_each_level! {
    fn map_unary[A: Copy, O, F: Fn(A) -> O][A, O, F](a: &[A], out: &mut [MaybeUninit<O>], f: F) {
        for (out, &a) in out.iter_mut().zip(a) {
            out.write(f(a));
        }
    }
}

for_each_level! {
    fn map_binary[A: Copy, B: Copy, O, F: Fn(A, B) -> O][A, B, O, F](
        a: &[A],
        b: &[B],
        out: &mut [MaybeUninit<O>],
        f: F,
    ) {
        for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
            out.write(f(a, b));
        }
    }
}

/// Makes a loop, or something else, for one of several element types: `T` names the type inside the
/// expression. Dtypes joined by `|` share one. `None` for other dtypes.
macro_rules! for_type {
    ($dtype:expr, [$($($variant:ident)|+ $type:ty),*], $T:ident => $make:expr) => {
        match $dtype {
            $($(::phalanx_ops::DType::$variant)|+ => {
                type $T = $type;
                Some($make)
            })*
            _ => None,
        }
    };
}

/// Loops over `f32` and `f64`.
macro_rules! floats {
    ($dtype:expr, $T:ident => $make:expr) => {
        $crate::cpu::loops::driver::for_type!($dtype, [F32 f32, F64 f64], $T => $make)
    };
}

/// Loops over complex numbers; `T` is the type of a component.
macro_rules! complexes {
    ($dtype:expr, $T:ident => $make:expr) => {
        $crate::cpu::loops::driver::for_type!($dtype, [C64 f32, C128 f64], $T => $make)
    };
}

/// Loops over signed and unsigned integers.
macro_rules! integers {
    ($dtype:expr, $T:ident => $make:expr) => {
        $crate::cpu::loops::driver::for_type!(
            $dtype,
            [I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64],
            $T => $make
        )
    };
}

/// Loops over integers and truth values by their order.
macro_rules! ordered {
    ($dtype:expr, $T:ident => $make:expr) => {
        $crate::cpu::loops::driver::for_type!(
            $dtype,
            [I8 i8, I16 i16, I32 i32, I64 i64, Bool | U8 u8, U16 u16, U32 u32, U64 u64],
            $T => $make
        )
    };
}

/// Loops over integers whose sign does not matter.
macro_rules! widths {
    ($dtype:expr, $T:ident => $make:expr) => {
        $crate::cpu::loops::driver::for_type!(
            $dtype,
            [I8 | U8 u8, I16 | U16 u16, I32 | U32 u32, I64 | U64 u64],
            $T => $make
        )
    };
}

/// Loops over the bits of integers and truth values.
macro_rules! bits {
    ($dtype:expr, $T:ident => $make:expr) => {
        $crate::cpu::loops::driver::for_type!(
            $dtype,
            [Bool | I8 | U8 u8, I16 | U16 u16, I32 | U32 u32, I64 | U64 u64],
            $T => $make
        )
    };
}

pub(crate) use for_type;
pub(super) use {bits, complexes, floats, inlined, integers, ordered, widths};
