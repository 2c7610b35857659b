//! Statistics.

use crate::arguments::Arguments;
use phalanx::{Bins, HistogramOptions, histogram, percentile};

/// The bins of a histogram; by default 10.
pub fn bins(a: &Arguments) -> Bins {
    match a.value("bins") {
        None => Bins::Count(10),
        Some(value) => match a.read_array(&value) {
            Some(edges) => Bins::Edges(edges),
            None => Bins::Count(a.extent("bins")),
        },
    }
}

/// The other arguments of a histogram.
pub fn options(a: &Arguments) -> HistogramOptions {
    let range = a.optional_floats("range").map(|range| (range[0], range[1]));
    let mut options = HistogramOptions::from(range);
    if let Some(weights) = a.optional_array("weights") {
        options = options.weights(&weights);
    }
    if a.flag("density") { options.density() } else { options }
}

calls! { a =>
    "histogram": histogram(&a.array(0), bins(a), options(a)),
    "percentile": percentile(&a.array(0), &a.floats(1)),
}
