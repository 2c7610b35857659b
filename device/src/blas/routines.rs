//! The functions of BLAS and LAPACK by their kind of element, with Fortran's calling convention.
//!
//! All arguments are pointers. Integers are passed as `i64`: on little-endian machines a library
//! with 32-bit integers reads the lower half, which is the same number if it is small enough. The
//! lengths of texts follow the other arguments, as compilers of Fortran pass them.

use super::names::Names;
use std::ffi::c_void;

/// A kind of element: the first letter of a function's name, `s`, `d`, `c` or `z`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub enum Kind {
    /// `f32`.
    S,
    /// `f64`.
    D,
    /// Complex numbers of two `f32`.
    C,
    /// Complex numbers of two `f64`.
    Z,
}

impl Kind {
    /// All kinds, in the order of tables.
    pub(super) const ALL: [Kind; 4] = [Kind::S, Kind::D, Kind::C, Kind::Z];

    const fn letter(self) -> &'static str {
        match self {
            Kind::S => "s",
            Kind::D => "d",
            Kind::C => "c",
            Kind::Z => "z",
        }
    }

    /// Whether the elements are complex.
    pub const fn is_complex(self) -> bool {
        matches!(self, Kind::C | Kind::Z)
    }
}

/// An integer argument.
type I = *const i64;
/// A matrix, a vector, a number, or an array of integers.
type P = *mut c_void;
/// A text of one letter.
type T = *const u8;
/// The length of a text.
type L = usize;

/// `gemm`: transposed `a` and `b`, `m`, `n`, `k`, `alpha`, `a`, its step, `b`, its step, `beta`,
/// `c`, its step.
pub type Gemm = unsafe extern "C" fn(T, T, I, I, I, P, P, I, P, I, P, P, I, L, L);
/// `gemv`: transposed `a`, `m`, `n`, `alpha`, `a`, its step, `x`, its step, `beta`, `y`, its step.
pub type Gemv = unsafe extern "C" fn(T, I, I, P, P, I, P, I, P, P, I, L);
/// `potrf`: triangle, `n`, `a`, its step, outcome.
pub type Potrf = unsafe extern "C" fn(T, I, P, I, P, L);
/// `getrf`: `m`, `n`, `a`, its step, pivots, outcome.
pub type Getrf = unsafe extern "C" fn(I, I, P, I, P, P);
/// `getrs`: transposed, `n`, columns, `a`, its step, pivots, `b`, its step, outcome.
pub type Getrs = unsafe extern "C" fn(T, I, I, P, I, P, P, I, P, L);
/// `getri`: `n`, `a`, its step, pivots, work, its length, outcome.
pub type Getri = unsafe extern "C" fn(I, P, I, P, P, I, P);
/// `geqrf`: `m`, `n`, `a`, its step, factors, work, its length, outcome.
pub type Geqrf = unsafe extern "C" fn(I, I, P, I, P, P, I, P);
/// `orgqr`, `ungqr`: `m`, `n`, `k`, `a`, its step, factors, work, its length, outcome.
pub type Orgqr = unsafe extern "C" fn(I, I, I, P, I, P, P, I, P);
/// `syevd`: task, triangle, `n`, `a`, its step, values, work, its length, integers, their length,
/// outcome.
pub type Syevd = unsafe extern "C" fn(T, T, I, P, I, P, P, I, P, I, P, L, L);
/// `heevd`: as `syevd`, with real work and its length after the other work.
pub type Heevd = unsafe extern "C" fn(T, T, I, P, I, P, P, I, P, I, P, I, P, L, L);
/// `geev` of real matrices: tasks, `n`, `a`, its step, real and imaginary parts of values, left
/// vectors, their step, right vectors, their step, work, its length, outcome.
pub type GeevReal = unsafe extern "C" fn(T, T, I, P, I, P, P, P, I, P, I, P, I, P, L, L);
/// `geev` of complex matrices: tasks, `n`, `a`, its step, values, left vectors, their step, right
/// vectors, their step, work, its length, real work, outcome.
pub type GeevComplex = unsafe extern "C" fn(T, T, I, P, I, P, P, I, P, I, P, I, P, P, L, L);
/// `gesdd` of real matrices: task, `m`, `n`, `a`, its step, values, `u`, its step, `vt`, its step,
/// work, its length, integers, outcome.
pub type GesddReal = unsafe extern "C" fn(T, I, I, P, I, P, P, I, P, I, P, I, P, P, L);
/// `gesdd` of complex matrices: as of real ones, with real work before the integers.
pub type GesddComplex = unsafe extern "C" fn(T, I, I, P, I, P, P, I, P, I, P, I, P, P, P, L);

/// The products of a library; tables are in the order of `Kind`.
pub struct Products {
    /// Of matrices.
    pub gemm: [Gemm; 4],
    /// Of a matrix and a vector.
    pub gemv: [Gemv; 4],
}

/// The factorisations of a library. Tables of four are in the order of `Kind`; tables of two have
/// single and double precision.
pub struct Lapack {
    /// Cholesky's factor.
    pub potrf: [Potrf; 4],
    /// The factors of Gauss's elimination with partial pivoting.
    pub getrf: [Getrf; 4],
    /// Solutions, by these factors.
    pub getrs: [Getrs; 4],
    /// The inverse, by these factors.
    pub getri: [Getri; 4],
    /// The factors of `QR`, by reflections.
    pub geqrf: [Geqrf; 4],
    /// `Q`, from reflections.
    pub orgqr: [Orgqr; 4],
    /// Eigenvalues of symmetric matrices.
    pub syevd: [Syevd; 2],
    /// Eigenvalues of Hermitian matrices.
    pub heevd: [Heevd; 2],
    /// Eigenvalues of real matrices, in double precision.
    pub geev_real: GeevReal,
    /// Eigenvalues of complex matrices, in double precision.
    pub geev_complex: GeevComplex,
    /// Singular values of real matrices.
    pub gesdd_real: [GesddReal; 2],
    /// Singular values of complex matrices.
    pub gesdd_complex: [GesddComplex; 2],
}

/// A function for each kind of element.
///
/// # Safety
/// `F` is the type of the functions.
unsafe fn each<F: Copy, const N: usize>(
    names: &Names<'_>,
    name: &str,
    kinds: [Kind; N],
) -> Result<[F; N], String> {
    let mut found = Vec::with_capacity(N);
    for kind in kinds {
        let name = match name {
            "orgqr" if kind.is_complex() => "ungqr",
            name => name,
        };
        // SAFETY: the caller's promise.
        found.push(unsafe { names.fortran::<F>(&format!("{}{name}", kind.letter()))? });
    }
    Ok(std::array::from_fn(|at| found[at]))
}

impl Products {
    /// The products of a library.
    ///
    /// Errors: the reason why the library is not used.
    pub(super) fn find(names: &Names<'_>) -> Result<Products, String> {
        // SAFETY: these are the types of BLAS's functions.
        unsafe {
            Ok(Products {
                gemm: each(names, "gemm", Kind::ALL)?,
                gemv: each(names, "gemv", Kind::ALL)?,
            })
        }
    }
}

impl Lapack {
    /// The factorisations of a library.
    ///
    /// Errors: the reason why they are not used.
    pub(super) fn find(names: &Names<'_>) -> Result<Lapack, String> {
        let (real, complex) = ([Kind::S, Kind::D], [Kind::C, Kind::Z]);
        // SAFETY: these are the types of LAPACK's functions.
        unsafe {
            Ok(Lapack {
                potrf: each(names, "potrf", Kind::ALL)?,
                getrf: each(names, "getrf", Kind::ALL)?,
                getrs: each(names, "getrs", Kind::ALL)?,
                getri: each(names, "getri", Kind::ALL)?,
                geqrf: each(names, "geqrf", Kind::ALL)?,
                orgqr: each(names, "orgqr", Kind::ALL)?,
                syevd: each(names, "syevd", real)?,
                heevd: each(names, "heevd", complex)?,
                geev_real: names.fortran("dgeev")?,
                geev_complex: names.fortran("zgeev")?,
                gesdd_real: each(names, "gesdd", real)?,
                gesdd_complex: each(names, "gesdd", complex)?,
            })
        }
    }
}
