//! Averages, covariances and counts.

use super::statistics::{bins, options};
use crate::answer::Answer;
use crate::arguments::Arguments;
use phalanx::{
    CovarianceOptions, average, average_and_weights, bincount, corrcoef, cov, histogram_bin_edges,
};

fn averaged(a: &Arguments) -> Answer {
    let (array, weights) = (a.array(0), a.optional_array("weights"));
    if a.flag("returned") {
        return average_and_weights(&array, a.axes(), weights.as_ref()).into();
    }
    average(&array, a.axes(), weights.as_ref()).into()
}

fn covariance(a: &Arguments) -> CovarianceOptions {
    let mut options = CovarianceOptions::default();
    if let Some(more) = a.optional_array(1) {
        options = options.with(&more);
    }
    if !a.flag_or("rowvar", true) {
        options = options.columns();
    }
    if a.flag("bias") {
        options = options.biased();
    }
    if let Some(ddof) = a.optional_int("ddof") {
        options = options.ddof(ddof);
    }
    if let Some(weights) = a.optional_array("fweights") {
        options = options.fweights(&weights);
    }
    if let Some(weights) = a.optional_array("aweights") {
        options = options.aweights(&weights);
    }
    options
}

calls! { a =>
    "average": averaged(a),
    "cov": cov(&a.array(0), covariance(a)),
    "corrcoef": corrcoef(&a.array(0), covariance(a)),
    "bincount": bincount(
        &a.array(0),
        a.optional_array("weights").as_ref(),
        a.int_or("minlength", 0),
    ),
    "histogram_bin_edges": histogram_bin_edges(&a.array(0), bins(a), options(a)),
}
