//! The bins that a caller asks for, and the number of equal bins by rules that read the data.
//!
//! The rules and their names are NumPy's. NumPy's documentation of `histogram_bin_edges` has their
//! sources.

use super::axis::{Axis, ends_of};
use super::bins::{BinRule, Bins};
use super::counting::count_positions;
use super::selection::percentile;
use crate::array::Array;
use crate::manipulation::stack;
use crate::math::is_real;
use crate::recording::check_shape;
use phalanx_graph::{Error, Site, within};
use phalanx_ops::DType;
use phalanx_ops::error::OpError;

impl Bins {
    /// The bins of the elements of an array. Collective for a rule.
    pub(super) fn of(
        &self,
        operation: &'static str,
        array: &Array,
        range: Option<(f64, f64)>,
        site: Site,
    ) -> Result<Axis, Error> {
        if !is_real(array.ok()?.dtype()) {
            let dtypes = vec![array.dtype()];
            return Err(Error::op(OpError::Dtype { operation, dtypes }, site));
        }
        match self {
            Bins::Count(count) => Axis::of_count(operation, array, *count, range, site),
            Bins::Rule(rule) => {
                let ends = ends_of(operation, array, 1, range, site)?;
                let count = rule.count(array, ends, range.is_some(), site)?;
                check_shape(&[count.saturating_add(1)], DType::F64, site)?;
                Axis::equal(array, ends, range.is_some(), count, site)
            }
            Bins::Edges(edges) => Axis::between(operation, edges, site),
        }
    }
}

impl BinRule {
    /// The number of bins between two edges. `is_given` says that a caller gave the edges;
    /// otherwise they are the smallest and largest element. Collective.
    fn count(
        self,
        array: &Array,
        (low, high): (f64, f64),
        is_given: bool,
        site: Site,
    ) -> Result<usize, Error> {
        within(site, || {
            let mut line = array.reshape([-1]);
            if is_given {
                let is_inside = line.greater_equal(low).logical_and(line.less_equal(high));
                line = line.compress(&is_inside);
            }
            let mut width = match line.ok()?.size() {
                0 => 0.0,
                _ => self.width(&line, (low, high), site)?,
            };
            if width.is_nan() || width <= 0.0 {
                return Ok(1);
            }
            // NumPy treats bools as integers.
            if line.dtype().is_integer() || line.dtype() == DType::Bool {
                width = width.max(1.0);
            }
            // A number of bins that is too large is an error where the edges are made.
            Ok((((high - low) / width).ceil() as usize).max(1))
        })
    }

    /// The width of the bins of a vector that is not empty; 0 if the rule gives none.
    fn width(self, line: &Array, range: (f64, f64), site: Site) -> Result<f64, Error> {
        let count = line.size() as f64;
        let values = line.astype(DType::F64);
        let number = |array: Array| array.item::<f64>();
        let extent = number(values.max(()) - values.min(()))?;
        Ok(match self {
            BinRule::SquareRoot => extent / count.sqrt(),
            BinRule::Sturges => extent / (count.log2() + 1.0),
            BinRule::Rice => extent / (2.0 * count.cbrt()),
            BinRule::Scott => {
                let factor = 24.0 * std::f64::consts::PI.sqrt() / count;
                factor.cbrt() * number(values.std((), 0.0))?
            }
            BinRule::FreedmanDiaconis => {
                let quartiles = percentile(&values, &[25.0, 75.0]).to_vec::<f64>()?;
                2.0 * (quartiles[1] - quartiles[0]) / count.cbrt()
            }
            BinRule::Doane => {
                let deviation = number(values.std((), 0.0))?;
                if line.size() < 3 || deviation.is_nan() || deviation <= 0.0 {
                    return Ok(0.0);
                }
                let expected = (6.0 * (count - 2.0) / ((count + 1.0) * (count + 3.0))).sqrt();
                let scaled = (&values - values.mean(())) / deviation;
                let skewness = number((&scaled * &scaled * &scaled).mean(()))?;
                extent / (1.0 + count.log2() + (1.0 + skewness.abs() / expected).log2())
            }
            BinRule::Auto => {
                let narrow = BinRule::FreedmanDiaconis.width(line, range, site)?;
                let root = BinRule::SquareRoot.width(line, range, site)?;
                narrow.max(root / 2.0).min(BinRule::Sturges.width(line, range, site)?)
            }
            BinRule::Stone => {
                if line.size() < 2 || extent == 0.0 {
                    return Ok(0.0);
                }
                let most = (count.sqrt() as usize).max(100);
                let concentration = |bins: usize| {
                    let chances = Array::catch(counted(line, bins, range, site)) / count;
                    (&chances * &chances).sum(())
                };
                let all: Vec<Array> = (1..=most).map(concentration).collect();
                let all = stack(&all.iter().collect::<Vec<_>>(), 0).to_vec::<f64>()?;
                let error = |(place, squares): (usize, f64)| {
                    let bins = (place + 1) as f64;
                    ((2.0 - (count + 1.0) * squares) * bins / extent, bins)
                };
                let best = all.into_iter().enumerate().map(error);
                let least = best.reduce(|a, b| if b.0 < a.0 { b } else { a });
                extent / least.map_or(1.0, |(_, bins)| bins)
            }
        })
    }
}

/// The number of elements in each of a number of equal bins, as `histogram` counts them.
fn counted(array: &Array, bins: usize, range: (f64, f64), site: Site) -> Result<Array, Error> {
    let operation = "histogram";
    let axis = Axis::of_count(operation, array, bins, Some(range), site)?;
    let axis = axis.in_dtype_of(operation, array, site)?;
    count_positions(&axis.bins_of(array, site), axis.count(), site)
}
