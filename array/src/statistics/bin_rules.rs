//! The number of equal bins of a histogram, by rules that read the data.
//!
//! The rules and their names are NumPy's. NumPy's documentation of `histogram_bin_edges` has their
//! sources.

use super::histogram::histogram;
use super::selection::percentile;
use crate::array::Array;
use crate::manipulation::stack;
use phalanx_graph::{Error, Site, within};
use phalanx_ops::DType;

/// A rule for the number of bins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinRule {
    /// The narrower bins of `Sturges` and `FreedmanDiaconis`. The latter are at least half as wide
    /// as those of `SquareRoot`.
    Auto,
    /// As `Sturges`, corrected for the skewness of the data.
    Doane,
    /// By the distance between the quartiles.
    FreedmanDiaconis,
    /// By the cube root of the number of elements.
    Rice,
    /// By the standard deviation.
    Scott,
    /// By the square root of the number of elements.
    SquareRoot,
    /// By the smallest error, as estimated by leaving out one element.
    Stone,
    /// By the logarithm of the number of elements.
    Sturges,
}

impl BinRule {
    /// The rule with this name in NumPy; `None` for another name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<BinRule> {
        Some(match name {
            "auto" => BinRule::Auto,
            "doane" => BinRule::Doane,
            "fd" => BinRule::FreedmanDiaconis,
            "rice" => BinRule::Rice,
            "scott" => BinRule::Scott,
            "sqrt" => BinRule::SquareRoot,
            "stone" => BinRule::Stone,
            "sturges" => BinRule::Sturges,
            _ => return None,
        })
    }

    /// The number of bins between two edges. `is_given` says that a caller gave the edges;
    /// otherwise they are the smallest and largest element. Collective.
    pub(super) fn count(
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
                _ => self.width(&line, (low, high))?,
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
    fn width(self, line: &Array, range: (f64, f64)) -> Result<f64, Error> {
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
                let narrow = BinRule::FreedmanDiaconis.width(line, range)?;
                let root = BinRule::SquareRoot.width(line, range)?;
                narrow.max(root / 2.0).min(BinRule::Sturges.width(line, range)?)
            }
            BinRule::Stone => {
                if line.size() < 2 || extent == 0.0 {
                    return Ok(0.0);
                }
                let most = (count.sqrt() as usize).max(100);
                let concentration = |bins: usize| {
                    let chances = histogram(line, bins, range).0 / count;
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
