//! The arguments of histograms.

use crate::array::Array;

/// The bins of an axis: a number of equal bins, or the bins between edges.
#[derive(Clone)]
pub enum Bins {
    /// A number of equal bins.
    Count(usize),
    /// Equal bins, whose number follows from a rule.
    Rule(BinRule),
    /// The edges, in ascending order.
    Edges(Array),
}

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
}

impl From<usize> for Bins {
    fn from(count: usize) -> Bins {
        Bins::Count(count)
    }
}

impl From<BinRule> for Bins {
    fn from(rule: BinRule) -> Bins {
        Bins::Rule(rule)
    }
}

impl From<&Array> for Bins {
    fn from(edges: &Array) -> Bins {
        Bins::Edges(edges.clone())
    }
}

/// The further arguments of a histogram. `()` is the default, and `(low, high)` a range alone.
#[derive(Clone, Default)]
pub struct HistogramOptions {
    pub(super) ranges: Vec<Option<(f64, f64)>>,
    pub(super) is_density: bool,
    pub(super) weights: Option<Array>,
}

impl From<()> for HistogramOptions {
    fn from((): ()) -> HistogramOptions {
        HistogramOptions::default()
    }
}

impl From<(f64, f64)> for HistogramOptions {
    fn from(range: (f64, f64)) -> HistogramOptions {
        Some(range).into()
    }
}

impl From<Option<(f64, f64)>> for HistogramOptions {
    fn from(range: Option<(f64, f64)>) -> HistogramOptions {
        HistogramOptions::default().ranges(&[range])
    }
}

impl HistogramOptions {
    /// The smallest and largest edge of each axis; `None` selects the smallest and largest element.
    #[must_use]
    pub fn ranges(self, ranges: &[Option<(f64, f64)>]) -> HistogramOptions {
        HistogramOptions { ranges: ranges.to_vec(), ..self }
    }

    /// The histogram is the density of the samples, whose integral is 1.
    #[must_use]
    pub fn density(self) -> HistogramOptions {
        HistogramOptions { is_density: true, ..self }
    }

    /// The weight of each sample.
    #[must_use]
    pub fn weights(self, weights: &Array) -> HistogramOptions {
        HistogramOptions { weights: Some(weights.clone()), ..self }
    }
}
