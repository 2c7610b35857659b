//! Order statistics by selection.

use super::counting::count_positions;
use crate::array::Array;
use crate::creation::from_slice;
use crate::manipulation::refused;
use crate::math::{is_real, select};
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::DType;
use phalanx_ops::error::OpError;

/// The number of buckets in which a pass of the selection counts the candidates.
const BUCKETS: usize = 4096;
/// At most this many candidates are gathered and sorted.
const FEW: usize = 65_536;

/// The percentiles `q` (each from 0 to 100) of all elements, linearly interpolated as in NumPy, as
/// an `f64` array.
///
/// The order statistics are exact. Each pass counts the elements in finer buckets between the
/// smallest and largest candidate, until few candidates are left, which are gathered. Collective
/// over the mesh (each pass reads its counts). Any NaN makes every percentile NaN. Errors:
/// `OpError::Argument` for a `q` outside 0 to 100, `OpError::Dtype` for bools and complex numbers,
/// `OpError::Index` for no elements.
#[track_caller]
pub fn percentile(array: &Array, q: &[f64]) -> Array {
    let site = call_site();
    Array::catch(within(site, || {
        array.ok()?;
        if let Some(&bad) = q.iter().find(|q| !(0.0..=100.0).contains(*q)) {
            return Err(refused("percentile", "q", bad.to_string(), site));
        }
        if array.size() == 0 {
            let error = OpError::Index { index: -1, axis: 0, extent: 0 };
            return Err(Error::op(error, site));
        }
        // NumPy subtracts elements, which it does not define for bools.
        if array.dtype() == DType::Bool || !is_real(array.dtype()) {
            let (operation, dtypes) = ("percentile", vec![array.dtype()]);
            return Err(Error::op(OpError::Dtype { operation, dtypes }, site));
        }
        let value = array.astype_at(DType::F64, site);
        if value.isnan().any(()).item::<bool>()? {
            return Ok(from_slice(&vec![f64::NAN; q.len()], [q.len()]));
        }
        let last = (array.size() - 1) as f64;
        let positions: Vec<f64> = q.iter().map(|q| q / 100.0 * last).collect();
        let mut ranks: Vec<u64> = positions
            .iter()
            .flat_map(|p| [p.floor() as u64, (p.floor() as u64 + 1).min(last as u64)])
            .collect();
        ranks.sort_unstable();
        ranks.dedup();
        let found = select_ranks(&value, &ranks, site)?;
        let at = |rank: u64| ranks.binary_search(&rank).map_or(f64::NAN, |place| found[place]);
        let results: Vec<f64> = positions
            .iter()
            .map(|p| {
                let (low, t) = (at(p.floor() as u64), p - p.floor());
                let high = at((p.floor() as u64 + 1).min(last as u64));
                // NumPy's `_lerp` starts from the nearer end, so the result is monotone.
                let difference = high - low;
                if t >= 0.5 { high - difference * (1.0 - t) } else { low + difference * t }
            })
            .collect();
        Ok(from_slice(&results, [results.len()]))
    }))
}

/// The values from `low` to `high`. `count` elements are in the interval, and `below` elements are
/// smaller.
#[derive(Clone, Copy, PartialEq)]
struct Interval {
    low: f64,
    high: f64,
    below: u64,
    count: u64,
}

/// The elements with the given ranks (ascending) in sorted order.
fn select_ranks(value: &Array, ranks: &[u64], site: Site) -> Result<Vec<f64>, Error> {
    let (low, high) = (value.min(()), value.max(()));
    let whole =
        Interval { low: low.item()?, high: high.item()?, below: 0, count: value.size() as u64 };
    let mut found = vec![f64::NAN; ranks.len()];
    // Intervals with the indices, in `ranks`, of the wanted ranks inside them.
    let mut open = vec![(whole, (0..ranks.len()).collect::<Vec<usize>>())];
    while let Some((interval, wanted)) = open.pop() {
        let Interval { low, high, below, count } = interval;
        if low == high {
            wanted.iter().for_each(|&place| found[place] = low);
        } else if count as usize <= FEW || !(low.is_finite() && high.is_finite()) {
            let mask = value.greater_equal(low).logical_and(value.less_equal(high));
            let mut candidates = value.compress(&mask).to_vec::<f64>()?;
            candidates.sort_unstable_by(f64::total_cmp);
            wanted
                .iter()
                .for_each(|&place| found[place] = candidates[(ranks[place] - below) as usize]);
        } else {
            open.extend(narrow(value, interval, &wanted, ranks, site)?);
        }
    }
    Ok(found)
}

/// The narrower intervals that contain the wanted ranks of an interval. The smallest and the
/// largest candidate are in different buckets, so every new interval has fewer elements.
fn narrow(
    value: &Array,
    interval: Interval,
    wanted: &[usize],
    ranks: &[u64],
    site: Site,
) -> Result<Vec<(Interval, Vec<usize>)>, Error> {
    let Interval { low, high, below, .. } = interval;
    // Halves keep the width finite for any two finite bounds.
    let scale = BUCKETS as f64 / (high / 2.0 - low / 2.0);
    let inside = value.greater_equal(low).logical_and(value.less_equal(high));
    let bucket = ((value / 2.0 - low / 2.0) * scale)
        .minimum((BUCKETS - 1) as f64)
        .astype_at(DType::I64, site);
    let bucket = select(&inside, &bucket, -1i64);
    let counts = count_positions(&bucket, BUCKETS, site)?.to_vec::<i64>()?;
    let mut narrower: Vec<(usize, u64, Vec<usize>)> = Vec::new();
    let (mut at, mut passed) = (0, below);
    for &place in wanted {
        while passed + counts[at] as u64 <= ranks[place] {
            passed += counts[at] as u64;
            at += 1;
        }
        match narrower.last_mut() {
            Some((bucket, _, places)) if *bucket == at => places.push(place),
            _ => narrower.push((at, passed, vec![place])),
        }
    }
    let bounds: Vec<(Array, Array)> = narrower
        .iter()
        .map(|&(at, ..)| {
            let chosen = bucket.equal(at as i64);
            (
                select(&chosen, value, f64::INFINITY).min(()),
                select(&chosen, value, f64::NEG_INFINITY).max(()),
            )
        })
        .collect();
    let mut intervals = Vec::new();
    for ((at, below, places), (low, high)) in narrower.into_iter().zip(bounds) {
        let count = counts[at] as u64;
        intervals.push((Interval { low: low.item()?, high: high.item()?, below, count }, places));
    }
    Ok(intervals)
}
