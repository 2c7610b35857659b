//! Distributions of whole numbers.

use super::Generator;
use crate::array::Array;
use crate::creation::{ShapeArgument, from_slice, zeros};
use crate::error::{Error, Site, call_site, within};
use crate::manipulation::refused;
use crate::sorting::{Side, searchsorted};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Kind, Scalar};

/// Parts of the largest chance below which numbers never occur.
const NEGLIGIBLE: f64 = 1e-30;
/// The most numbers that a table of chances has.
const MOST: usize = 1 << 22;

/// The chances, summed up, of the numbers from the first on.
struct Table {
    first: i64,
    sums: Vec<f64>,
}

impl Table {
    /// The table of a distribution with its largest chance at `mode`: `up(k)` is the chance of
    /// `k + 1` in parts of that of `k`, and `down(k)` the chance of `k - 1`. Nothing if it has too
    /// many numbers.
    fn new(mode: i64, up: impl Fn(f64) -> f64, down: impl Fn(f64) -> f64) -> Option<Table> {
        let side = |factor: &dyn Fn(f64) -> f64, step: i64| {
            let (mut chances, mut chance, mut number) = (Vec::new(), 1.0, mode);
            while chances.len() < MOST {
                chance *= factor(number as f64);
                number += step;
                if chance.is_nan() || chance < NEGLIGIBLE {
                    return Some(chances);
                }
                chances.push(chance);
            }
            None
        };
        let (mut chances, above) = (side(&down, -1)?, side(&up, 1)?);
        let first = mode - chances.len() as i64;
        chances.reverse();
        chances.push(1.0);
        chances.extend(above);
        let all: f64 = chances.iter().sum();
        let mut sum = 0.0;
        let sums = chances.iter().map(|chance| {
            sum += chance / all;
            sum
        });
        Some(Table { first, sums: sums.collect() })
    }
}

impl Generator {
    /// Integers from `low` to before `high` (`i64`), each equally often but for a part in 2⁶⁴ of
    /// their number. Errors: `OpError::Argument` for no integers.
    #[track_caller]
    #[must_use]
    pub fn integers(&self, low: i64, high: i64, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        within(site, || self.integers_as(low, high, shape, DType::I64))
    }

    /// As [`Generator::integers`], of another dtype. Errors: `OpError::Dtype` for one that is
    /// neither an integer nor bool, `OpError::Argument` also for integers that it has not.
    #[track_caller]
    #[must_use]
    pub fn integers_as(
        &self,
        low: i64,
        high: i64,
        shape: impl Into<ShapeArgument>,
        dtype: DType,
    ) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            if !matches!(dtype.kind(), Kind::Bool | Kind::Signed | Kind::Unsigned) {
                let (operation, dtypes) = ("integers", vec![dtype]);
                return Err(Error::op(OpError::Dtype { operation, dtypes }, site));
            }
            let shape = shape.resolve(DType::I64.size(), site)?;
            if shape.contains(&0) {
                // As NumPy, which looks at no range to draw nothing.
                return zeros(shape.as_slice(), dtype).ok().cloned();
            }
            if low >= high {
                return Err(refused("integers", "range", format!("{low} to {high}"), site));
            }
            let (least, most) = limits(dtype);
            if i128::from(low) < least || i128::from(high) - 1 > most {
                let value = format!("{low} to {high} in {dtype}");
                return Err(refused("integers", "range", value, site));
            }
            let count = high.wrapping_sub(low) as u64;
            let chosen = self.bits(shape.as_slice()).remainder(Scalar::new(count));
            let chosen = chosen.converted(DType::I64, site) + low;
            chosen.converted(dtype, site).ok().cloned()
        }))
    }

    /// How many trials (`i64`) of `count` succeed, each with this chance. Errors:
    /// `OpError::Argument` for a negative count, or so large a one that the numbers cannot be
    /// tabled, and for a chance outside of 0 to 1.
    #[track_caller]
    #[must_use]
    pub fn binomial(&self, count: i64, chance: f64, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            if count < 0 {
                return Err(refused("binomial", "count", count.to_string(), site));
            }
            if !(0.0..=1.0).contains(&chance) {
                return Err(refused("binomial", "chance", chance.to_string(), site));
            }
            let (n, odds) = (count as f64, chance / (1.0 - chance));
            let mode = (((n + 1.0) * chance).floor() as i64).min(count);
            let up = |k: f64| (n - k) / (k + 1.0) * odds;
            let down = |k: f64| k / (n - k + 1.0) / odds;
            let table = Table::new(mode, up, down);
            let table = table.ok_or_else(|| refused("binomial", "count", count.to_string(), site));
            self.tabled(&table?, shape, site)
        }))
    }

    /// How often (`i64`) something happens that happens `mean` times on average, independently.
    /// Errors: `OpError::Argument` for a negative mean or NaN, or so large a mean that the numbers
    /// cannot be tabled.
    #[track_caller]
    #[must_use]
    pub fn poisson(&self, mean: f64, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            let refuse = || refused("poisson", "mean", mean.to_string(), site);
            if !(0.0..=1e15).contains(&mean) {
                return Err(refuse());
            }
            let table = Table::new(mean.floor() as i64, |k| mean / (k + 1.0), |k| k / mean);
            self.tabled(&table.ok_or_else(refuse)?, shape, site)
        }))
    }

    /// Numbers with the chances of a table, which every device has.
    fn tabled(&self, table: &Table, shape: ShapeArgument, site: Site) -> Result<Array, Error> {
        let numbers = self.random(shape, DType::F64);
        let sums = from_slice(&table.sums, [table.sums.len()]);
        let found = searchsorted(&sums, &numbers, Side::Right);
        let last = table.sums.len() as i64 - 1;
        (found.converted(DType::I64, site).minimum(last) + table.first).ok().cloned()
    }

    /// The number (`i64`) of the first trial that succeeds, of which each does with this chance.
    /// Errors: `OpError::Argument` for a chance that is not above 0 and at most 1.
    #[track_caller]
    #[must_use]
    pub fn geometric(&self, chance: f64, shape: impl Into<ShapeArgument>) -> Array {
        let (site, shape) = (call_site(), shape.into());
        Array::catch(within(site, || {
            if !(chance > 0.0 && chance <= 1.0) {
                return Err(refused("geometric", "chance", chance.to_string(), site));
            }
            let failures = self.standard_exponential(shape, DType::F64) / -(-chance).ln_1p();
            // The largest float that is an `i64`.
            let trials = failures.ceil().maximum(1.0).minimum(9_223_372_036_854_774_784.0);
            trials.converted(DType::I64, site).ok().cloned()
        }))
    }
}

/// The least and the largest integer of a dtype.
fn limits(dtype: DType) -> (i128, i128) {
    let bits = 8 * dtype.size() as u32;
    match dtype.kind() {
        Kind::Bool => (0, 1),
        Kind::Unsigned => (0, (1i128 << bits) - 1),
        _ => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
    }
}
