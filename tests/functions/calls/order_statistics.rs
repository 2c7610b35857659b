//! Medians, quantiles and histograms over several axes.

use crate::arguments::{Arguments, inexpressible};
use phalanx::{
    Bins, HistogramOptions, QuantileMethod, Quantiles, histogram2d, histogramdd, median, nanmedian,
    nanpercentile, nanquantile, percentile_along, quantile,
};
use serde_json::Value;

fn quantiles(a: &Arguments) -> Quantiles {
    match a.value(1) {
        Some(Value::Array(_)) => a.floats(1).into(),
        _ => a.float(1).into(),
    }
}

fn method(a: &Arguments) -> QuantileMethod {
    a.optional_text("method").map_or(QuantileMethod::Linear, |name| {
        QuantileMethod::from_name(&name).unwrap_or_else(|| inexpressible(name))
    })
}

/// The bins of `axes` axes: a number for all of them, or a list.
fn bins(a: &Arguments, axes: usize) -> Vec<Bins> {
    let count = |value: &Value| value.as_u64().map(|count| Bins::Count(count as usize));
    match a.value("bins") {
        None => vec![Bins::Count(10); axes],
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| match (count(item), a.read_argument(item)) {
                (Some(bins), _) => bins,
                (None, Some(phalanx::Argument::Array(edges))) => Bins::Edges(edges),
                _ => inexpressible(item.to_string()),
            })
            .collect(),
        Some(one) => vec![count(&one).unwrap_or_else(|| inexpressible(one.to_string())); axes],
    }
}

fn options(a: &Arguments) -> HistogramOptions {
    let mut options = HistogramOptions::default();
    if let Some(Value::Array(ranges)) = a.value("range") {
        let end = |pair: &Value, at: usize| pair[at].as_f64().unwrap_or(f64::NAN);
        let ranges: Vec<_> = ranges.iter().map(|pair| Some((end(pair, 0), end(pair, 1)))).collect();
        options = options.ranges(&ranges);
    }
    if let Some(weights) = a.optional_array("weights") {
        options = options.weights(&weights);
    }
    if a.flag("density") { options.density() } else { options }
}

fn two(a: &Arguments) -> [Bins; 2] {
    bins(a, 2).try_into().unwrap_or_else(|_| inexpressible(String::from("bins")))
}

calls! { a =>
    "median": median(&a.array(0), a.axes()),
    "nanmedian": nanmedian(&a.array(0), a.axes()),
    "quantile": quantile(&a.array(0), quantiles(a), a.axes(), method(a)),
    "nanquantile": nanquantile(&a.array(0), quantiles(a), a.axes(), method(a)),
    "percentile": percentile_along(&a.array(0), quantiles(a), a.axes(), method(a)),
    "nanpercentile": nanpercentile(&a.array(0), quantiles(a), a.axes(), method(a)),
    "histogram2d": histogram2d(&a.array(0), &a.array(1), two(a), options(a)),
    "histogramdd": histogramdd(&a.array(0), &bins(a, a.array(0).shape()[1]), options(a)),
}
