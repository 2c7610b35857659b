//! Differences, gradients, integrals and convolutions.

use crate::answer::Answer;
use crate::arguments::{Arguments, inexpressible};
use phalanx::{
    Argument, Bound, ConvolveMode, DiffOptions, GradientOptions, convolve, correlate, diff,
    ediff1d, gradient, interp, trapezoid,
};

fn difference(a: &Arguments) -> DiffOptions {
    let mut options = DiffOptions::from(a.int_or(1, 1)).axis(a.int_or("axis", -1));
    if let Some(edge) = a.optional_argument("prepend") {
        options = options.prepend(edge);
    }
    if let Some(edge) = a.optional_argument("append") {
        options = options.append(edge);
    }
    options
}

fn gradients(a: &Arguments) -> Answer {
    let mut options = GradientOptions::default();
    for place in 1..a.count() {
        options = options.spacing(a.argument(place));
    }
    if a.has("axis") {
        options = options.axis(a.integers("axis").as_slice());
    }
    if let Some(order) = a.optional_int("edge_order") {
        options = options.edge_order(order);
    }
    let is_one = a.value("axis").is_some_and(|axis| axis.is_i64()) || a.array(0).ndim() == 1;
    let mut found = gradient(&a.array(0), options);
    if is_one && found.len() == 1 { found.remove(0).into() } else { found.into() }
}

fn integral(a: &Arguments) -> Answer {
    let spacing = a.optional_argument(1).or_else(|| a.optional_argument("dx"));
    let spacing = spacing.unwrap_or(Argument::from(1.0));
    trapezoid(&a.array(0), spacing, a.int_or("axis", -1)).into()
}

fn mode(a: &Arguments, default: ConvolveMode) -> ConvolveMode {
    a.optional_text(2).map_or(default, |name| {
        ConvolveMode::from_name(&name).unwrap_or_else(|| inexpressible(name))
    })
}

fn bound(a: &Arguments, keyword: &'static str) -> Bound {
    a.optional_argument(keyword).map_or(().into(), Bound::from)
}

calls! { a =>
    "interp": interp(
        &a.array(0),
        &a.array(1),
        &a.array(2),
        bound(a, "left"),
        bound(a, "right"),
    ),
    "diff": diff(&a.array(0), difference(a)),
    "ediff1d": ediff1d(
        &a.array(0),
        a.optional_array("to_begin").as_ref(),
        a.optional_array("to_end").as_ref(),
    ),
    "gradient": gradients(a),
    "trapezoid": integral(a),
    "convolve": convolve(&a.array(0), &a.array(1), mode(a, ConvolveMode::Full)),
    "correlate": correlate(&a.array(0), &a.array(1), mode(a, ConvolveMode::Valid)),
}
