//! Names of SciPy, compared with SciPy.

use super::fft::line;
use phalanx::linalg::{Ord, det, inv, norm, pinv, svdvals};
use phalanx::{Op, fft, i0, sinc};

calls! { a =>
    "scipy.special.cbrt": a.ufunc(Op::Cbrt),
    "scipy.special.exp2": a.ufunc(Op::Exp2),
    "scipy.special.expm1": a.ufunc(Op::Expm1),
    "scipy.special.log1p": a.ufunc(Op::Log1p),
    "scipy.special.sinc": sinc(&a.array(0)),
    "scipy.special.i0": i0(&a.array(0)),
    "scipy.linalg.det": det(&a.array(0)),
    "scipy.linalg.inv": inv(&a.array(0)),
    "scipy.linalg.pinv": pinv(&a.array(0), None),
    "scipy.linalg.norm": norm(&a.array(0), Ord::Default, None, false),
    "scipy.linalg.svdvals": svdvals(&a.array(0)),
    "scipy.fft.fft": fft::fft(&a.array(0), line(a)),
    "scipy.fft.ifft": fft::ifft(&a.array(0), line(a)),
    "scipy.fft.rfft": fft::rfft(&a.array(0), line(a)),
    "scipy.fft.irfft": fft::irfft(&a.array(0), line(a)),
    "scipy.fft.hfft": fft::hfft(&a.array(0), line(a)),
    "scipy.fft.ihfft": fft::ihfft(&a.array(0), line(a)),
}
