//! Distributions of integers.

use super::Generator;
use super::parameters::{Parameter, Size, whole};
use crate::array::Argument;
use crate::array::Array;
use crate::creation::{arange, from_slice, full, zeros};
use crate::manipulation::{broadcast_shapes, refused, stack};
use crate::math::select;
use crate::reductions::axis;
use crate::sorting::{Side, searchsorted};
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Index, Shape, Weak};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Probabilities below this fraction of the largest one count as zero.
const NEGLIGIBLE: f64 = 1e-30;
/// The limit of numbers in a table: on each side of the mode, and of several tables together.
const MOST: usize = 1 << 22;

/// The variance from which a binomial number is a rounded normal number. Its skewness is below 1e-7
/// there, and rounding errors of `f64` would falsify an exact method at still larger variances.
const NORMAL: f64 = (1u64 << 48) as f64;

/// The variance above which a distribution certainly has more numbers than a table: they reach
/// about twelve standard deviations from the mode.
const WIDEST: f64 = 2e11;

/// The largest mean of Poisson and negative binomial numbers.
const MOST_EVENTS: f64 = 1e15;

/// The cumulative probabilities of the numbers from `first` on.
struct Table {
    first: i64,
    sums: Vec<f64>,
}

impl Table {
    /// The table of a distribution whose largest probability is at `mode`. `up(k)` is the
    /// probability of `k + 1` divided by that of `k`, and `down(k)` the probability of `k - 1`
    /// divided by that of `k`. `None` if the distribution has too many numbers, as its variance may
    /// show at once.
    fn new(
        mode: i64,
        variance: f64,
        up: impl Fn(f64) -> f64,
        down: impl Fn(f64) -> f64,
    ) -> Option<Table> {
        if variance > WIDEST {
            return None;
        }
        let side = |factor: &dyn Fn(f64) -> f64, step: i64| {
            let (mut chances, mut chance, mut number) = (Vec::new(), 1.0, mode);
            while chances.len() < MOST {
                chance *= factor(number as f64);
                number = number.wrapping_add(step);
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
    /// The number (`i64`) of trials of `count` that succeed, each with this probability. Both are
    /// numbers, or arrays that broadcast to the shape and are read (Collective). Numbers above 2⁵³
    /// are rounded to `f64`. Errors: `OpError::Argument` for a negative count and for a probability
    /// outside 0 to 1; `OpError::OutOfRange`, `OpError::Cast`, `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn binomial(
        &self,
        count: impl Into<Argument>,
        chance: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let (site, count, chance) = (call_site(), count.into(), chance.into());
        let size = size.into();
        Array::catch(within(site, || {
            let count = whole(("binomial", "count"), count, site)?;
            let shape = size.shape(&[&count, &chance], site)?;
            let count = Parameter::not_negative(("binomial", "count"), count, site)?;
            let chance = Parameter::chance(("binomial", "chance"), chance, site)?;
            if let (&Parameter::One(n), &Parameter::One(chance)) = (&count, &chance) {
                let odds = chance / (1.0 - chance);
                let mode = (((n + 1.0) * chance).floor() as i64).min(n as i64);
                let up = |k: f64| (n - k) / (k + 1.0) * odds;
                let down = |k: f64| k / (n - k + 1.0) / odds;
                if let Some(table) = Table::new(mode, n * chance * (1.0 - chance), up, down) {
                    return self.tabled(&table, &shape, site);
                }
            }
            let count = count.spread(&shape, &self.mesh, site)?;
            let chance = chance.spread(&shape, &self.mesh, site)?;
            let mut drawn = self.successes(&count, &chance, &shape, site)?;
            let variance = &count * &chance * (1.0 - &chance);
            let is_normal = variance.greater(NORMAL);
            if is_normal.size() > 0 && is_normal.any_at(site)?.holds(site)? {
                let normal = self.standard_normal(shape.as_slice(), DType::F64);
                let rounded = (normal * variance.sqrt() + &count * &chance).rint();
                drawn = select(&is_normal, rounded.maximum(0.0).minimum(&count), drawn);
            }
            drawn.converted(DType::I64, site).into_result()
        }))
    }

    /// The number (`i64`) of independent events whose average number is `mean`. The mean is a
    /// number, or an array that broadcasts to the shape and is read (Collective). Errors:
    /// `OpError::Argument` for a negative mean, for NaN, and for a mean above 10¹⁵;
    /// `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn poisson(&self, mean: impl Into<Argument>, size: impl Into<Size>) -> Array {
        let (site, mean, size) = (call_site(), mean.into(), size.into());
        Array::catch(within(site, || {
            let shape = size.shape(&[&mean], site)?;
            let is_inside = |mean: f64| (0.0..=MOST_EVENTS).contains(&mean);
            let is_outside = |array: &Array| array.less(0).logical_or(array.greater(MOST_EVENTS));
            let mean = Parameter::checked(("poisson", "mean"), mean, is_inside, is_outside, site)?;
            if let Parameter::One(mean) = mean
                && let Some(table) =
                    Table::new(mean.floor() as i64, mean, |k| mean / (k + 1.0), |k| k / mean)
            {
                return self.tabled(&table, &shape, site);
            }
            let mean = mean.spread(&shape, &self.mesh, site)?;
            self.events(&mean, &shape, site)?.converted(DType::I64, site).into_result()
        }))
    }

    /// The number (`i64`) of trials that fail before `count` trials succeed, each with this
    /// probability; a count need not be whole. Both are numbers, or arrays that broadcast to the
    /// shape and are read (Collective). Errors: `OpError::Argument` for a count that is not
    /// positive, for a probability that is not above 0 and at most 1, and if the mean may exceed
    /// 10¹⁵; `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn negative_binomial(
        &self,
        count: impl Into<Argument>,
        chance: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let (site, count, chance) = (call_site(), count.into(), chance.into());
        let size = size.into();
        Array::catch(within(site, || {
            let shape = size.shape(&[&count, &chance], site)?;
            let operation = "negative_binomial";
            let count = Parameter::checked(
                (operation, "n"),
                count,
                |count| count > 0.0 && count.is_finite(),
                |array| array.less_equal(0).logical_or(array.isinf()),
                site,
            )?;
            let chance = Parameter::checked(
                (operation, "p"),
                chance,
                |chance| chance > 0.0 && chance <= 1.0,
                |array| array.less_equal(0).logical_or(array.greater(1)),
                site,
            )?;
            let beyond = |value: String| Err(refused(operation, "n", value, site));
            if let (&Parameter::One(count), &Parameter::One(chance)) = (&count, &chance) {
                let fails = 1.0 - chance;
                if largest_mean(count, chance) > MOST_EVENTS {
                    return beyond(count.to_string());
                }
                let mode = ((count - 1.0) * fails / chance).floor().max(0.0);
                let variance = count * fails / (chance * chance);
                let up = |k: f64| (k + count) / (k + 1.0) * fails;
                let down = |k: f64| k / (k - 1.0 + count) / fails;
                if let Some(table) = Table::new(mode as i64, variance, up, down) {
                    return self.tabled(&table, &shape, site);
                }
            }
            let count = count.spread(&shape, &self.mesh, site)?;
            let chance = chance.spread(&shape, &self.mesh, site)?;
            let largest = (1.0 - &chance) / &chance * (&count + count.sqrt() * 10.0);
            let is_beyond = largest.greater(MOST_EVENTS);
            if is_beyond.size() > 0 && is_beyond.any_at(site)?.holds(site)? {
                return beyond("an array with an element that is too large".to_owned());
            }
            // A Poisson number whose mean is a gamma number is a negative binomial number.
            let mean = self.gamma_of(&count, &shape, site)? * (1.0 - &chance) / &chance;
            let drawn = self.events(&mean.minimum(MOST_EVENTS), &shape, site)?;
            drawn.converted(DType::I64, site).into_result()
        }))
    }

    /// The number (`i64`) of good items in a sample of `sample` items, taken from `good` good and
    /// `bad` bad items. The three are numbers, or arrays that broadcast to the shape and are read
    /// (Collective). Errors: `OpError::Argument` for negative numbers, for a sample of more items
    /// than exist, and for a distribution too large for a table; `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn hypergeometric(
        &self,
        good: impl Into<Argument>,
        bad: impl Into<Argument>,
        sample: impl Into<Argument>,
        size: impl Into<Size>,
    ) -> Array {
        let (site, size) = (call_site(), size.into());
        let given = [good.into(), bad.into(), sample.into()];
        Array::catch(within(site, || {
            let [good, bad, sample] = given;
            let whole = |name, value| whole(("hypergeometric", name), value, site);
            let given = [whole("good", good)?, whole("bad", bad)?, whole("sample", sample)?];
            let shape = size.shape(&[&given[0], &given[1], &given[2]], site)?;
            let mut all = SmallVec::<[Parameter; 3]>::new();
            for value in given {
                all.push(Parameter::of(value, site)?);
            }
            let one = |place: usize| match all[place] {
                Parameter::One(number) => Some(number as i64),
                Parameter::Each(_) => None,
            };
            if let (Some(good), Some(bad), Some(sample)) = (one(0), one(1), one(2)) {
                let table = of_sample([good, bad, sample], site)?;
                return self.tabled(&table, &shape, site);
            }
            let arrays = all.iter().map(|one| one.array(&self.mesh, site));
            let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
            let shapes: Vec<&[usize]> = arrays.iter().map(Array::shape).collect();
            let common = broadcast_shapes(&shapes)?;
            let numbers = |array: &Array| {
                let spread = array.broadcast_to(common.as_slice());
                spread.converted(DType::I64, site).to_vec::<i64>()
            };
            let (good, bad, sample) =
                (numbers(&arrays[0])?, numbers(&arrays[1])?, numbers(&arrays[2])?);
            let each = (0..good.len()).map(|place| [good[place], bad[place], sample[place]]);
            self.tabled_each(each, of_sample, (&common, &shape), site)
        }))
    }

    /// Numbers with the probabilities of one table for each set of parameters; equal sets share a
    /// table. `common` is the shape of the sets.
    fn tabled_each<P: Ord + Copy>(
        &self,
        sets: impl Iterator<Item = P>,
        make: impl Fn(P, Site) -> Result<Table, Error>,
        (common, shape): (&[usize], &Shape),
        site: Site,
    ) -> Result<Array, Error> {
        let mut known: BTreeMap<P, [i64; 4]> = BTreeMap::new();
        let (mut sums, mut columns) = (Vec::<f64>::new(), [const { Vec::<i64>::new() }; 4]);
        for set in sets {
            let row = match known.get(&set) {
                Some(row) => *row,
                None => {
                    // The tables are concatenated. Table `number` holds sums from `number` to
                    // `number + 1`, so the concatenation is sorted.
                    let (table, number) = (make(set, site)?, known.len() as i64);
                    let first = sums.len() as i64;
                    sums.extend(table.sums.iter().map(|sum| sum + number as f64));
                    if sums.len() > MOST {
                        let value = "too many for a table";
                        return Err(refused(
                            "hypergeometric",
                            "the sets of parameters",
                            value,
                            site,
                        ));
                    }
                    let row = [number, first, sums.len() as i64 - 1, table.first - first];
                    known.insert(set, row);
                    row
                }
            };
            columns.iter_mut().zip(row).for_each(|(column, entry)| column.push(entry));
        }
        let numbers = self.random(shape.as_slice(), DType::F64);
        let [number, first, last, shift] = columns.map(|column| from_slice(&column, common));
        let sums = from_slice(&sums, [sums.len()]);
        let found = searchsorted(&sums, &(numbers + number), Side::Right);
        let found = found.converted(DType::I64, site).maximum(first).minimum(last);
        (found + shift).broadcast_to(shape.as_slice()).into_result()
    }

    /// The numbers (`i64`) of `count` draws that have each of some results, along a last axis. If
    /// the probabilities sum to less than 1, the last result has the rest. `count` may be an array,
    /// and `chances` a stack of vectors of probabilities; both broadcast to the size. The work is
    /// proportional to the product of the largest count and the number of results.
    ///
    /// Collective: arrays of counts and of probabilities are read. Errors: `OpError::Argument` for
    /// a negative count, and for probabilities that are not vectors, are negative, or sum to more
    /// than 1; `OpError::OutOfRange` for a count that is not finite; `OpError::Cast` for complex
    /// counts; `OpError::BroadcastInto`.
    #[track_caller]
    #[must_use]
    pub fn multinomial(
        &self,
        count: impl Into<Argument>,
        chances: &Array,
        size: impl Into<Size>,
    ) -> Array {
        let (site, count, size) = (call_site(), count.into(), size.into());
        Array::catch(within(site, || {
            let refuse =
                |argument, value: String| Err(refused("multinomial", argument, value, site));
            if chances.ok()?.ndim() == 0 || chances.shape().last() == Some(&0) {
                return refuse("pvals", format!("an array of shape {:?}", chances.shape()));
            }
            let counts: &[usize] = match &count {
                Argument::Array(counts) => counts.ok()?.shape(),
                _ => &[],
            };
            let vectors = &chances.shape()[..chances.ndim() - 1];
            let shape = size.shape_over(&[counts, vectors], site)?;
            let draws = self.draws_of(&count, site)?;
            let edges = self.edges_of_results(chances, site)?;
            let mut every = shape.clone();
            every.push(draws);
            let numbers = self.random(every.as_slice(), DType::F64);
            let (count, is_drawn) = self.mesh.enter(|| match &count {
                Argument::Array(counts) => {
                    let counts = counts.converted(DType::I64, site).broadcast_to(shape.as_slice());
                    // The number of draws is that of the largest count; an element of a smaller
                    // count uses the first ones.
                    let index = arange(0i64, draws as i64, 1i64);
                    (counts.clone(), Some(index.less(counts.expand_dims(-1))))
                }
                _ => (full(shape.as_slice(), draws as i64, DType::I64), None),
            });
            let mut below = self.mesh.enter(|| zeros(shape.as_slice(), DType::I64));
            let mut found = Vec::with_capacity(edges.len() + 1);
            for edge in edges {
                let is_below = numbers.less(edge);
                let counted = is_drawn.iter().fold(is_below, |all, one| all.logical_and(one));
                let next = counted.sum(axis(-1));
                found.push(&next - &below);
                below = next;
            }
            found.push(count - below);
            stack(&found.iter().collect::<Vec<_>>(), -1).into_result()
        }))
    }

    /// The upper bounds of all results of a multinomial distribution but the last: a uniform number
    /// below a bound draws that result or an earlier one. Errors: `OpError::Argument` for a value
    /// that is not a probability, or for a sum above 1.
    fn edges_of_results(&self, chances: &Array, site: Site) -> Result<Vec<Argument>, Error> {
        let refuse = |value: String| Err(refused("multinomial", "pvals", value, site));
        let (results, most) = (chances.shape()[chances.ndim() - 1], 1.0 + 1e-12);
        let chances = chances.converted(DType::F64, site);
        if chances.ndim() == 1 {
            let chances = chances.to_vec::<f64>()?;
            if let Some(wrong) = chances.iter().find(|chance| !(0.0..=1.0).contains(*chance)) {
                return refuse(wrong.to_string());
            }
            let mut sum = 0.0;
            let sums = chances[..results - 1].iter().map(|chance| {
                sum += chance;
                Argument::from(sum)
            });
            let sums = sums.collect();
            return if sum > most { refuse(format!("a sum of {sum}")) } else { Ok(sums) };
        }
        let (mut sums, mut sum) = (Vec::with_capacity(results), None::<Array>);
        for place in 0..results as i64 - 1 {
            let chance = chances.slice([Index::Ellipsis, Index::At(place)]);
            let next = sum.map_or_else(|| chance.clone(), |sum| sum + &chance);
            sums.push(Argument::Array(next.expand_dims(-1)));
            sum = Some(next);
        }
        if chances.size() > 0 {
            let fits = chances.greater_equal(0).logical_and(chances.less_equal(1));
            let is_more = sum.map(|sum| sum.greater(most).any(()));
            if fits.logical_not().any(()).holds(site)? {
                return refuse("a number that is not from 0 to 1".to_owned());
            }
            if let Some(is_more) = is_more
                && is_more.holds(site)?
            {
                return refuse("a sum of more than 1".to_owned());
            }
        }
        Ok(sums)
    }

    /// The largest number of draws of a multinomial distribution.
    fn draws_of(&self, count: &Argument, site: Site) -> Result<usize, Error> {
        let refuse = |count: i64| refused("multinomial", "n", count.to_string(), site);
        let most = match count {
            Argument::Array(counts) => {
                let (from, to) = (counts.ok()?.dtype(), DType::I64);
                if from.is_complex() {
                    return Err(Error::op(OpError::cast(from, to), site));
                }
                if counts.size() == 0 {
                    return Ok(0);
                }
                if from.is_inexact() && !counts.isfinite().all(()).item::<bool>()? {
                    let value = String::from("NaN");
                    return Err(Error::op(OpError::OutOfRange { value, dtype: to }, site));
                }
                let counts = counts.converted(DType::I64, site);
                let (least, most) = (counts.min(()), counts.max(()));
                let (least, most) = (least.item::<i64>()?, most.item::<i64>()?);
                if least < 0 {
                    return Err(refuse(least));
                }
                most
            }
            Argument::Weak(number) => one_count(*number, site)?,
            Argument::Scalar(number) => one_count(number.to_weak(), site)?,
        };
        usize::try_from(most).map_err(|_| refuse(most))
    }

    /// Numbers with the probabilities of a table, which every device holds whole.
    fn tabled(&self, table: &Table, shape: &Shape, site: Site) -> Result<Array, Error> {
        let numbers = self.random(shape.as_slice(), DType::F64);
        let sums = from_slice(&table.sums, [table.sums.len()]);
        let found = searchsorted(&sums, &numbers, Side::Right);
        let last = table.sums.len() as i64 - 1;
        (found.converted(DType::I64, site).minimum(last) + table.first).into_result()
    }

    /// The number (`i64`) of the first trial that succeeds, where each trial succeeds with this
    /// probability. The probability is a number, or an array that broadcasts to the shape and is
    /// read (Collective). Errors: `OpError::Argument` for a probability that is not above 0 and at
    /// most 1.
    #[track_caller]
    #[must_use]
    pub fn geometric(&self, chance: impl Into<Argument>, size: impl Into<Size>) -> Array {
        let (site, chance, size) = (call_site(), chance.into(), size.into());
        Array::catch(within(site, || {
            let shape = size.shape(&[&chance], site)?;
            let names = ("geometric", "chance");
            let rate = match &chance {
                Argument::Array(_) => {
                    let chances = self.parameter(names, chance, false, site)?;
                    let is_above = chances.greater(1).logical_or(chances.isnan());
                    if chances.size() > 0 && is_above.any_at(site)?.holds(site)? {
                        let value = "a number that is not from 0 to 1".to_owned();
                        return Err(refused(names.0, names.1, value, site));
                    }
                    Argument::Array(-(-chances).log1p())
                }
                Argument::Weak(_) | Argument::Scalar(_) => {
                    let chance = number_of(&chance);
                    if !(chance > 0.0 && chance <= 1.0) {
                        return Err(refused(names.0, names.1, chance.to_string(), site));
                    }
                    Argument::from(-(-chance).ln_1p())
                }
            };
            let failures = self.standard_exponential(shape.as_slice(), DType::F64).divide(rate);
            // The largest float that fits `i64`.
            let trials = failures.ceil().maximum(1.0).minimum(9_223_372_036_854_774_784.0);
            trials.converted(DType::I64, site).into_result()
        }))
    }
}

/// The mean that the gamma number of a negative binomial distribution does not exceed, but with a
/// chance that does not count. NumPy's bound is of the same form.
fn largest_mean(count: f64, chance: f64) -> f64 {
    (1.0 - chance) / chance * (count + 10.0 * count.sqrt())
}

/// The table of the number of good items in a sample of good and bad items.
fn of_sample([good, bad, sample]: [i64; 3], site: Site) -> Result<Table, Error> {
    let refuse =
        |argument, value: i64| refused("hypergeometric", argument, value.to_string(), site);
    for (argument, value) in [("ngood", good), ("nbad", bad), ("nsample", sample)] {
        if !(0..1 << 50).contains(&value) {
            return Err(refuse(argument, value));
        }
    }
    if sample > good + bad {
        return Err(refuse("nsample", sample));
    }
    let (g, b, n) = (good as f64, bad as f64, sample as f64);
    let mode = ((n + 1.0) * (g + 1.0) / (g + b + 2.0)).floor() as i64;
    let mode = mode.clamp((sample - bad).max(0), sample.min(good));
    let up = |k: f64| (g - k) * (n - k) / ((k + 1.0) * (b - n + k + 1.0));
    let down = |k: f64| k * (b - n + k) / ((g - k + 1.0) * (n - k + 1.0));
    // The variance of a hypergeometric number is at most that of a binomial one.
    let chance = g / (g + b).max(1.0);
    let variance = n * chance * (1.0 - chance) * (g + b - n) / (g + b).max(1.0);
    Table::new(mode, variance, up, down).ok_or_else(|| refuse("nsample", sample))
}

/// The value of an argument that is a number; NaN for an array.
fn number_of(argument: &Argument) -> f64 {
    match argument {
        Argument::Weak(weak) => weak.to_complex().re,
        Argument::Scalar(scalar) => scalar.to_weak().to_complex().re,
        Argument::Array(_) => f64::NAN,
    }
}

/// A number of draws. Floats are truncated, as in NumPy. Errors: `OpError::OutOfRange`,
/// `OpError::Cast` for a complex number.
fn one_count(number: Weak, site: Site) -> Result<i64, Error> {
    let dtype = DType::I64;
    let out_of_range = |value: String| Err(Error::op(OpError::OutOfRange { value, dtype }, site));
    match number {
        Weak::Bool(truth) => Ok(truth.into()),
        Weak::Int(number) => i64::try_from(number).or_else(|_| out_of_range(number.to_string())),
        // 2^63 is the smallest positive float that does not fit `i64`.
        Weak::Float(number) if number.abs() < 9_223_372_036_854_775_808.0 => Ok(number as i64),
        Weak::Large(_) => number.held_by(dtype).map(|()| 0).map_err(|error| Error::op(error, site)),
        Weak::Float(number) => out_of_range(number.to_string()),
        Weak::Complex(_) => Err(Error::op(OpError::cast(DType::C128, dtype), site)),
    }
}
