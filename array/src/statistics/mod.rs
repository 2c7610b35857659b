//! Statistics: counts, histograms, percentiles, averages and covariances, computed on the devices
//! where the elements reside.

mod average;
mod axis;
mod bin_rules;
mod bins;
mod counting;
mod covariance;
mod histogram;
mod methods;
mod multidimensional;
mod quantiles;
mod selection;
mod weighted;

pub use average::{average, average_and_weights};
pub use bins::{BinRule, Bins, HistogramOptions};
pub use counting::bincount;
pub use covariance::{CovarianceOptions, corrcoef, cov};
pub use histogram::{histogram, histogram_bin_edges};
pub use methods::QuantileMethod;
pub use multidimensional::{histogram2d, histogramdd};
pub use quantiles::{
    Quantiles, median, nanmedian, nanpercentile, nanquantile, percentile_along, quantile,
};
pub use selection::percentile;
pub use weighted::{
    nanpercentile_weighted, nanquantile_weighted, percentile_weighted, quantile_weighted,
};
