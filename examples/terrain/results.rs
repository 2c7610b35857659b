//! The numbers that the program finds.

use super::arguments::{Arguments, Cell};
use super::input::Input;
use super::relief::Relief;
use phalanx::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;

/// Bins of the histogram of heights.
const BINS: usize = 32;
/// The percentiles of height that are taken.
const PERCENTILES: [f64; 5] = [5.0, 25.0, 50.0, 75.0, 95.0];
/// The side of a tile, in cells, unless the grid is smaller.
const TILE_SIDE: usize = 20;
/// A cell with a larger slope counts as steep, in degrees.
const STEEP: f64 = 25.0;

/// Values that are recorded and not yet read. A read starts the computation on all devices.
pub struct Measurements {
    lowest: Array,
    highest: Array,
    mean: Array,
    deviation: Array,
    summit: Array,
    counts: Array,
    edges: Array,
    percentiles: Array,
    tile_side: usize,
    tile_mean: Array,
    tile_variance: Array,
    steep_cells: Array,
    steep_heights: Array,
    flat_cells: Array,
    mean_slope: Array,
    greatest_slope: Array,
}

impl Measurements {
    /// Records the statistics of the heights.
    pub fn record(height: &Array, relief: &Relief) -> Measurements {
        let (rows, columns) = (height.shape()[0], height.shape()[1]);
        let (counts, edges) = histogram(height, BINS, None);

        // The whole tiles, with axes (down, side, across, side).
        let side = TILE_SIDE.min(rows).min(columns);
        let (down, across) = (rows / side, columns / side);
        let fitting = height.slice(s![..down * side, ..across * side]);
        let tiles = fitting.reshape([down, side, across, side]);

        let steep = relief.slope.greater(STEEP);
        Measurements {
            lowest: height.min(()),
            highest: height.max(()),
            mean: height.mean(()),
            deviation: height.std((), 0.0),
            summit: height.argmax(()),
            counts,
            edges,
            percentiles: percentile(height, &PERCENTILES),
            tile_side: side,
            tile_mean: tiles.mean([1, 3]),
            tile_variance: tiles.var([1, 3], 0.0),
            steep_cells: steep.count_nonzero(()),
            steep_heights: height.slice(s![1..-1, 1..-1]).compress(&steep),
            flat_cells: relief.flat.count_nonzero(()),
            mean_slope: relief.slope.mean(()),
            greatest_slope: relief.slope.max(()),
        }
    }

    /// Computes everything that has been recorded so far.
    ///
    /// `evaluate` on a value that is already computed does nothing, so it is called on the last
    /// recorded value.
    ///
    /// Collectivity  Collective.
    pub fn evaluate(&self) -> Result<(), phalanx::Error> {
        self.greatest_slope.evaluate()
    }
}

/// The arrays and numbers that the program finds.
pub struct Results {
    /// The image.
    pub hillshade: Array,
    /// The numbers.
    pub document: Document,
    arrays: Vec<(&'static str, Array)>,
}

/// The numbers. They depend on the input alone, not on devices or processes.
#[derive(Debug, Serialize)]
pub struct Document {
    pub(super) shape: Vec<usize>,
    pub(super) cell: [f64; 2],
    pub(super) scale: usize,
    pub(super) steps: usize,
    pub(super) height: Height,
    pub(super) histogram: Histogram,
    pub(super) summit: Summit,
    pub(super) steep: Steep,
    pub(super) flat_cells: i64,
    pub(super) slope: Slope,
    pub(super) tiles: Tiles,
    pub(super) smoothed: Smoothed,
    arrays: BTreeMap<&'static str, Sums>,
}

#[derive(Debug, Serialize)]
pub(super) struct Height {
    pub(super) minimum: f64,
    pub(super) maximum: f64,
    pub(super) mean: f64,
    pub(super) standard_deviation: f64,
    pub(super) percentiles: Vec<[f64; 2]>,
}

#[derive(Debug, Serialize)]
pub(super) struct Histogram {
    pub(super) counts: Vec<i64>,
    pub(super) edges: Vec<f64>,
}

#[derive(Debug, Serialize)]
pub(super) struct Summit {
    pub(super) row: i64,
    pub(super) column: i64,
}

#[derive(Debug, Serialize)]
pub(super) struct Steep {
    pub(super) degrees: f64,
    pub(super) cells: i64,
    pub(super) mean_height: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(super) struct Slope {
    pub(super) mean: f64,
    pub(super) maximum: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct Tiles {
    pub(super) side: usize,
    pub(super) shape: Vec<usize>,
    pub(super) lowest_mean: f64,
    pub(super) highest_mean: f64,
    pub(super) largest_variance: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct Smoothed {
    pub(super) minimum: f64,
    pub(super) maximum: f64,
    pub(super) mean_change: f64,
}

/// Dtype, shape, sum of absolute values and sum of squares of an array.
#[derive(Debug, Serialize)]
struct Sums {
    dtype: &'static str,
    shape: Vec<usize>,
    sum_absolute: Number,
    sum_squares: Number,
}

/// A sum of integers, which is exact, or of real numbers.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Number {
    Integer(i64),
    Real(f64),
}

impl Results {
    /// Reads all values.
    ///
    /// Collectivity  Collective.
    pub fn collect(
        input: &Input,
        arguments: &Arguments,
        relief: Relief,
        found: Measurements,
        smoothed: Array,
    ) -> Result<Results, phalanx::Error> {
        let height = &input.height;
        let columns = height.shape()[1] as i64;
        let Cell { x, y } = input.cell;
        let arrays = vec![
            ("slope", relief.slope),
            ("aspect", relief.aspect),
            ("curvature", relief.curvature),
            ("hillshade", relief.hillshade.clone()),
            ("histogram_counts", found.counts.clone()),
            ("histogram_edges", found.edges.clone()),
            ("percentiles", found.percentiles.clone()),
            ("tile_mean", found.tile_mean.clone()),
            ("tile_variance", found.tile_variance.clone()),
            ("smoothed", smoothed.clone()),
        ];

        // All operations are recorded before a value is read, so that they are computed together.
        let sums: Vec<(Array, Array)> = arrays.iter().map(|(_, array)| sums(array)).collect();
        let tile_means = (found.tile_mean.min(()), found.tile_mean.max(()));
        let largest_variance = found.tile_variance.max(());
        let (lowest, highest) = (smoothed.min(()), smoothed.max(()));
        let mean_change = (height - &smoothed).absolute().mean(());

        let summit = found.summit.item::<i64>()?;
        let steep_cells = found.steep_cells.item::<i64>()?;
        let mean_height = match steep_cells {
            0 => None,
            _ => Some(found.steep_heights.mean(()).item::<f64>()?),
        };
        let mut table = BTreeMap::new();
        for ((name, array), (absolute, squares)) in arrays.iter().zip(sums) {
            table.insert(
                *name,
                Sums {
                    dtype: array.dtype().numpy_name(),
                    shape: array.shape().to_vec(),
                    sum_absolute: number(&absolute)?,
                    sum_squares: number(&squares)?,
                },
            );
        }
        let percentiles = found.percentiles.to_vec::<f64>()?;
        let document = Document {
            shape: height.shape().to_vec(),
            cell: [x, y],
            scale: arguments.scale,
            steps: arguments.steps,
            height: Height {
                minimum: found.lowest.item()?,
                maximum: found.highest.item()?,
                mean: found.mean.item()?,
                standard_deviation: found.deviation.item()?,
                percentiles: PERCENTILES.into_iter().zip(percentiles).map(Into::into).collect(),
            },
            histogram: Histogram { counts: found.counts.to_vec()?, edges: found.edges.to_vec()? },
            summit: Summit { row: summit / columns, column: summit % columns },
            steep: Steep { degrees: STEEP, cells: steep_cells, mean_height },
            flat_cells: found.flat_cells.item()?,
            slope: Slope { mean: found.mean_slope.item()?, maximum: found.greatest_slope.item()? },
            tiles: Tiles {
                side: found.tile_side,
                shape: found.tile_mean.shape().to_vec(),
                lowest_mean: tile_means.0.item()?,
                highest_mean: tile_means.1.item()?,
                largest_variance: largest_variance.item()?,
            },
            smoothed: Smoothed {
                minimum: lowest.item()?,
                maximum: highest.item()?,
                mean_change: mean_change.item()?,
            },
            arrays: table,
        };
        Ok(Results { hillshade: relief.hillshade, document, arrays })
    }

    /// The arrays with their names, to be saved.
    pub fn named(&self) -> Vec<(&str, &Array)> {
        self.arrays.iter().map(|(name, array)| (*name, array)).collect()
    }
}

/// The sums of absolute values and of squares, in the widest dtype of the kind.
fn sums(array: &Array) -> (Array, Array) {
    let wide = if array.dtype().is_integer() { DType::I64 } else { DType::F64 };
    let values = array.astype(wide);
    (values.absolute().sum(()), (&values * &values).sum(()))
}

fn number(sum: &Array) -> Result<Number, phalanx::Error> {
    Ok(match sum.dtype() {
        DType::I64 => Number::Integer(sum.item()?),
        _ => Number::Real(sum.item()?),
    })
}

impl Document {
    /// The numbers as JSON, with the plan if there is one; `f64` in full precision.
    pub fn json(&self, plan: Option<&str>) -> Result<String, serde_json::Error> {
        #[derive(Serialize)]
        struct WithPlan<'a> {
            #[serde(flatten)]
            document: &'a Document,
            #[serde(skip_serializing_if = "Option::is_none")]
            plan: Option<&'a str>,
        }
        Ok(serde_json::to_string_pretty(&WithPlan { document: self, plan })? + "\n")
    }
}
