//! Checks of a library's results on tiny matrices.

use super::routines::{Kind, Lapack, Products};
use std::ffi::c_void;
use std::ptr::from_mut;

/// The numbers of `Kind` in memory.
fn stored(kind: Kind, numbers: &[f64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &number in numbers {
        match kind {
            Kind::S => bytes.extend((number as f32).to_ne_bytes()),
            Kind::D => bytes.extend(number.to_ne_bytes()),
            Kind::C => bytes.extend([number as f32, 0.0].map(f32::to_ne_bytes).concat()),
            Kind::Z => bytes.extend([number, 0.0].map(f64::to_ne_bytes).concat()),
        }
    }
    bytes
}

/// Aligned memory with a copy of bytes.
fn aligned(bytes: &[u8]) -> Vec<u128> {
    let words = bytes.chunks(16).map(|chunk| {
        let mut word = [0; 16];
        word[..chunk.len()].copy_from_slice(chunk);
        u128::from_ne_bytes(word)
    });
    words.collect()
}

fn pointer(memory: &mut [u128]) -> *mut c_void {
    memory.as_mut_ptr().cast()
}

/// Multiplies a matrix of two rows and three columns by one of three rows and two columns, and by
/// a vector.
///
/// Errors: the reason why the library is not used.
pub(super) fn products(products: &Products) -> Result<(), String> {
    for kind in Kind::ALL {
        let made = |numbers: &[f64]| aligned(&stored(kind, numbers));
        // In Fortran's order: the rows 1 3 5 and 2 4 6, and the rows 1 4, 2 5 and 3 6.
        let (mut a, mut b) =
            (made(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), made(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        let (mut one, mut zero) = (made(&[1.0]), made(&[0.0]));
        let (mut c, mut y) = (made(&[0.0; 4]), made(&[0.0; 2]));
        let (two, three, step) = (2_i64, 3_i64, 1_i64);
        let [a, b, one, zero] = [&mut a, &mut b, &mut one, &mut zero].map(|it| pointer(it));
        // SAFETY: the matrices have these extents, and lengths of texts are 1.
        unsafe {
            products.gemm[kind as usize](
                b"N".as_ptr(),
                b"N".as_ptr(),
                &two,
                &two,
                &three,
                one,
                a,
                &two,
                b,
                &three,
                zero,
                pointer(&mut c),
                &two,
                1,
                1,
            );
            products.gemv[kind as usize](
                b"N".as_ptr(),
                &two,
                &three,
                one,
                a,
                &two,
                b,
                &step,
                zero,
                pointer(&mut y),
                &step,
                1,
            );
        }
        if c != made(&[22.0, 28.0, 49.0, 64.0]) || y != made(&[22.0, 28.0]) {
            return Err(format!("its product of {kind:?} numbers is wrong"));
        }
    }
    Ok(())
}

/// Multiplies matrices that are large enough for a library's buffers. OpenBLAS never gives up, or
/// ends the process, if it is refused their memory later.
pub(super) fn warm(products: &Products) {
    const ROWS: usize = 128;
    let rows = ROWS as i64;
    let matrix = || aligned(&stored(Kind::D, &[0.0; ROWS * ROWS]));
    let (mut a, mut c) = (matrix(), matrix());
    let (mut one, mut zero) = (aligned(&1f64.to_ne_bytes()), aligned(&0f64.to_ne_bytes()));
    let a = pointer(&mut a);
    // SAFETY: the matrices have these extents, and lengths of texts are 1.
    unsafe {
        products.gemm[Kind::D as usize](
            b"N".as_ptr(),
            b"N".as_ptr(),
            &rows,
            &rows,
            &rows,
            pointer(&mut one),
            a,
            &rows,
            a,
            &rows,
            pointer(&mut zero),
            pointer(&mut c),
            &rows,
            1,
            1,
        );
    }
}

/// Factorises a matrix of two rows. Returns whether the library writes integers of 64 bits.
///
/// Errors: the reason why its factorisations are not used.
pub(super) fn has_wide_integers(lapack: &Lapack) -> Result<bool, String> {
    const UNTOUCHED: i64 = 0x5a5a_5a5a_5a5a_5a5a;
    for kind in Kind::ALL {
        let made = |numbers: &[f64]| aligned(&stored(kind, numbers));
        let mut a = made(&[0.0, 4.0, 2.0, 2.0]);
        let (mut pivots, mut outcome) = ([UNTOUCHED; 2], 0_i64);
        let two = 2_i64;
        // SAFETY: the matrix has two rows and columns, and there is room for two pivots of either
        // size.
        unsafe {
            let (pivots, outcome) = (from_mut(&mut pivots).cast(), from_mut(&mut outcome).cast());
            lapack.getrf[kind as usize](&two, &two, pointer(&mut a), &two, pivots, outcome);
        }
        if a != made(&[4.0, 0.0, 2.0, 2.0]) || outcome as i32 != 0 {
            return Err(format!("its factorisation of {kind:?} numbers is wrong"));
        }
        match pivots {
            [2, 2] => {}
            [0x2_0000_0002, UNTOUCHED] => {
                if kind == Kind::Z {
                    return Ok(false);
                }
            }
            _ => return Err(String::from("its integers have neither 32 nor 64 bits")),
        }
    }
    Ok(true)
}
