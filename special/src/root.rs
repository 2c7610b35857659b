//! A solver of equations of one unknown, to which its caller passes the values of the function.
//!
//! ```text
//! let mut s = [0.0; 16];
//! root_start(&mut s, guess, low, high, rises);
//! while root_next(&mut s) {
//!     s[1] = f(s[0]);
//! }
//! s[0]
//! ```
//!
//! Steps of growing size lead from the guess to a change of sign; then follows Chandrupatla's
//! method (Adv. Eng. Softw. 28, 1997), which takes steps of inverse quadratic interpolation where
//! they are safe and halves the interval elsewhere.
//!
//! The state: 0 the argument, 1 the value, 2 the phase, 3 to 8 the points a, b, c with their values
//! at 6 to 8, 9 the number of values, 10 and 11 the limits, 12 the step, 13 whether f rises,
//! 14 whether the steps are quotients.

/// Begins a search from a guess within limits; the steps are quotients if the lower limit is at
/// least 0.
pub(crate) fn root_start(s: &mut [f64; 16], guess: f64, low: f64, high: f64, rises: bool) {
    s[0] = guess;
    s[1] = 0.0;
    s[2] = 0.0;
    s[9] = 0.0;
    s[10] = low;
    s[11] = high;
    s[12] = if low >= 0.0 { 2.0 } else { 1.0 };
    s[13] = if rises { 1.0 } else { 0.0 };
    s[14] = if low >= 0.0 { 1.0 } else { 0.0 };
}

/// Takes the value s[1] at s[0], and gives the next argument in s[0]; false at the end, when s[0]
/// is the root, a limit that the root is beyond, or nan.
pub(crate) fn root_next(s: &mut [f64; 16]) -> bool {
    if s[2] == 0.0 {
        s[2] = 1.0;
        return true;
    }
    let x = s[0];
    let f = s[1];
    s[9] += 1.0;
    if f == 0.0 || x.is_nan() || s[9] > 300.0 {
        return false;
    }
    if f.is_nan() {
        s[0] = f64::NAN;
        return false;
    }
    if s[2] == 1.0 {
        s[2] = 2.0;
        s[3] = x;
        s[6] = f;
        return root_widen(s);
    }
    if s[2] == 2.0 {
        if (f < 0.0) == (s[6] < 0.0) {
            s[3] = x;
            s[6] = f;
            return root_widen(s);
        }
        s[4] = x;
        s[7] = f;
        return root_narrow(s);
    }
    if s[2] == 3.0 {
        if (f < 0.0) == (s[6] < 0.0) {
            s[3] = x;
            s[6] = f;
        } else {
            s[4] = x;
            s[7] = f;
        }
        return root_narrow(s);
    }
    // Chandrupatla's step: a is the newest point, b has the other sign, c is the one before.
    if (f < 0.0) == (s[6] < 0.0) {
        s[5] = s[3];
        s[8] = s[6];
    } else {
        s[5] = s[4];
        s[8] = s[7];
        s[4] = s[3];
        s[7] = s[6];
    }
    s[3] = x;
    s[6] = f;
    root_interpolate(s)
}

/// The next argument on the way to a change of sign.
fn root_widen(s: &mut [f64; 16]) -> bool {
    let x = s[3];
    let up = (s[6] < 0.0) == (s[13] == 1.0);
    let limit = if up { s[11] } else { s[10] };
    if x == limit {
        s[0] = limit;
        return false;
    }
    let step = s[12];
    let mut next = if up { x + step } else { x - step };
    s[12] = 2.0 * step;
    if s[14] == 1.0 {
        next = if up { x * step } else { x / step };
        s[12] = if step < 1e100 { step * step } else { step };
    }
    let beyond = if up { next > limit } else { next < limit };
    s[0] = if beyond { limit } else { next };
    true
}

/// Halves an interval of very different numbers by their geometric mean, else begins to
/// interpolate.
fn root_narrow(s: &mut [f64; 16]) -> bool {
    let a = s[3];
    let b = s[4];
    if s[14] == 1.0 && (a > 4.0 * b || b > 4.0 * a) && a.max(b) > 1e-307 {
        s[2] = 3.0;
        s[0] = a.max(1e-308).sqrt() * b.max(1e-308).sqrt();
        return true;
    }
    s[2] = 4.0;
    s[0] = a + s[6] / (s[6] - s[7]) * (b - a);
    if s[0].is_nan() || s[0] == a || s[0] == b {
        s[0] = 0.5 * a + 0.5 * b;
    }
    // A third point is needed only from the second step on.
    s[5] = b;
    s[8] = s[7];
    if s[0] == a || s[0] == b {
        return false;
    }
    true
}

fn root_interpolate(s: &mut [f64; 16]) -> bool {
    let a = s[3];
    let b = s[4];
    let c = s[5];
    let fa = s[6];
    let fb = s[7];
    let fc = s[8];
    let best = if fa.abs() < fb.abs() { a } else { b };
    let tolerance = 2.3e-16 * best.abs() + 5e-324;
    let limit = tolerance / (b - a).abs();
    if limit > 0.5 {
        s[0] = best;
        return false;
    }
    let xi = (a - b) / (c - b);
    let phi = (fa - fb) / (fc - fb);
    let mut t = 0.5;
    if phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi {
        t = fa / (fb - fa) * (fc / (fb - fc))
            + (c - a) / (b - a) * (fa / (fc - fa)) * (fb / (fc - fb));
    }
    if !(t >= limit) {
        t = limit;
    }
    if t > 1.0 - limit {
        t = 1.0 - limit;
    }
    let next = a + t * (b - a);
    if next == a || next == b {
        s[0] = best;
        return false;
    }
    s[0] = next;
    true
}
