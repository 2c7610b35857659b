//! Connected parts of masks.
//!
//! Each device finds the parts of its block. Then the processes look at the elements on both sides
//! of the borders of blocks, and join the parts that meet there.

use crate::array::Array;
use crate::creation::{arange, from_slice, zeros};
use crate::manipulation::{concatenate, refused};
use crate::math::{cumulative_as, select};
use crate::recording::{record_structured, taken};
use crate::sorting::{Side, searchsorted};
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::structured::{Components, Structured, Take, WINDOW_AXES};
use phalanx_ops::{DType, Op, Split};
use rustc_hash::FxHashMap;

/// SciPy's `label` of `scipy.ndimage`: the connected parts of a mask, numbered from 1 in the order
/// of their first elements; 0 where the mask is false. Also returns the number of parts.
///
/// The structure has three elements along each axis and is symmetric about its centre: an element
/// is connected to those around it where the structure is true. Shape: that of the mask; `i32`.
/// Collective: every process reads the elements at the borders of blocks. Errors: `OpError::Ndim`
/// if the structure has other axes than the mask, or there are more than [`WINDOW_AXES`];
/// `OpError::Argument` for another structure.
#[track_caller]
pub fn label(mask: &Array, structure: &Array) -> Result<(Array, usize), Error> {
    let site = call_site();
    within(site, || {
        let (mask, structure) = (mask.ok()?, structure.ok()?);
        if mask.ndim() != structure.ndim() || mask.ndim() > WINDOW_AXES {
            let (expected, ndim) = ("that of the mask, at most 8", structure.ndim());
            return Err(Error::op(OpError::Ndim { operation: "label", expected, ndim }, site));
        }
        let holds = structure.converted(DType::Bool, site).to_vec::<bool>()?;
        let is_symmetric = holds.iter().eq(holds.iter().rev());
        if structure.shape().iter().any(|&extent| extent != 3) || !is_symmetric {
            let given = format!("{:?}", structure.shape());
            return Err(refused("label", "structure", given, site));
        }
        let mesh = mask.mesh()?;
        let mask = mask.converted(DType::Bool, site);
        let shape = mask.shape().to_vec();
        let mut extents = [0; WINDOW_AXES];
        extents.iter_mut().zip(&shape).for_each(|(into, &extent)| *into = extent as u64);
        let op = Components { extents };
        let positions = op.positions(shape.len());
        let op = Structured::Components(op);
        let structure = structure.converted(DType::Bool, site);
        let mut roots = record_structured(op, &[&mask, &structure], site)?;
        let joined = joined_parts(&roots, &holds, site)?;
        mesh.enter(|| {
            let mut flat = roots.reshape([-1i64]);
            if !joined.is_empty() {
                let (mut from, mut to): (Vec<i64>, Vec<i64>) = joined.into_iter().unzip();
                // Every device has an entry, if the tables are split.
                let most = from.len().max(mesh.mesh().devices());
                let greatest = if positions == DType::I32 { i32::MAX.into() } else { i64::MAX };
                from.resize(most, greatest);
                to.resize(most, greatest);
                let last = from.len() as i64 - 1;
                let [from, to] = [from, to]
                    .map(|roots| from_slice(&roots, roots.len()).converted(positions, site));
                let place = searchsorted(&from, &flat, Side::Left).minimum(last);
                let is_joined = taken(&from, &place, site)?.equal(&flat);
                flat = select(&is_joined, taken(&to, &place, site)?, &flat);
                roots = flat.reshape(shape.as_slice());
            }
            if flat.size() == 0 {
                return Ok((roots.converted(DType::I32, site), 0));
            }
            // The table of the parts' numbers begins with that of elements that are in none. No
            // array but the table is alive when it is computed, so no other one is written.
            let numbers = {
                let own = arange(0, flat.size() as i64, 1).converted(positions, site);
                let firsts = [&zeros([1], DType::Bool), &own.equal(&flat)];
                cumulative_as(&concatenate(&firsts, 0), Op::Add, 0, positions)
            };
            let last = numbers.slice([phalanx_ops::Index::At(-1)]);
            let count = last.converted(DType::I64, site).item::<i64>()?;
            let places = (flat + 1i64).converted(DType::I64, site);
            let labels = taken(&numbers, &places, site)?.converted(DType::I32, site);
            Ok((labels.reshape(shape.as_slice()).into_result()?, count as usize))
        })
    })
}

/// The parts that meet at the borders of blocks: pairs of a part and the first one that it is
/// connected with, in ascending order.
fn joined_parts(roots: &Array, structure: &[bool], site: Site) -> Result<Vec<(i64, i64)>, Error> {
    // Only a computed value says for certain where its blocks begin.
    roots.evaluate()?;
    let sharding = roots.sharding()?;
    let mut meeting = Meeting::default();
    for (axis, split) in sharding.axes.iter().enumerate() {
        let Some(split) = split else { continue };
        let starts = starts(split);
        if starts.is_empty() {
            continue;
        }
        let side = |back: i64| -> Result<(Vec<i64>, Vec<usize>), Error> {
            let places: Vec<i64> = starts.iter().map(|&start| start as i64 - back).collect();
            let places = roots.mesh()?.enter(|| from_slice(&places, places.len()));
            let take = Structured::Take(Take { axis: axis as u8 });
            let rows = record_structured(take, &[roots, &places], site)?;
            Ok((rows.converted(DType::I64, site).to_vec::<i64>()?, rows.shape().to_vec()))
        };
        let ((before, shape), (behind, _)) = (side(1)?, side(0)?);
        meeting.join(&before, &behind, &shape, axis, structure);
    }
    Ok(meeting.into_pairs())
}

/// The places at which blocks begin, but for the first one.
fn starts(split: &Split) -> Vec<usize> {
    let blocks = (0..split.bounds.parts()).map(|part| split.bounds.block(part));
    let mut starts: Vec<usize> =
        blocks.filter(|block| !block.is_empty() && block.start > 0).map(|it| it.start).collect();
    starts.sort_unstable();
    starts
}

/// Parts that are connected, as a forest.
#[derive(Default)]
struct Meeting {
    parents: FxHashMap<i64, i64>,
}

impl Meeting {
    fn root(&mut self, mut part: i64) -> i64 {
        while let Some(&parent) = self.parents.get(&part) {
            if let Some(&above) = self.parents.get(&parent) {
                self.parents.insert(part, above);
            }
            part = parent;
        }
        part
    }

    /// Joins the parts of elements that are connected across borders: `before` and `behind` have
    /// the elements on both sides, at the same positions but for the axis.
    fn join(
        &mut self,
        before: &[i64],
        behind: &[i64],
        shape: &[usize],
        axis: usize,
        structure: &[bool],
    ) {
        for (number, _) in structure.iter().enumerate().filter(|(_, holds)| **holds) {
            let mut along = vec![0i64; shape.len()];
            let mut rest = number;
            for step in along.iter_mut().rev() {
                *step = (rest % 3) as i64 - 1;
                rest /= 3;
            }
            if along[axis] != -1 {
                continue;
            }
            along[axis] = 0;
            for (place, &part) in behind.iter().enumerate().filter(|(_, part)| **part >= 0) {
                let (mut rest, mut other, mut stride) = (place, 0, 1);
                let mut is_inside = true;
                for own in (0..shape.len()).rev() {
                    let at = (rest % shape[own]) as i64 + along[own];
                    is_inside &= (0..shape[own] as i64).contains(&at);
                    other += at * stride;
                    stride *= shape[own] as i64;
                    rest /= shape[own];
                }
                if is_inside && before[other as usize] >= 0 {
                    let [a, b] = [before[other as usize], part].map(|part| self.root(part));
                    if a != b {
                        self.parents.insert(a.max(b), a.min(b));
                    }
                }
            }
        }
    }

    fn into_pairs(mut self) -> Vec<(i64, i64)> {
        let parts: Vec<i64> = self.parents.keys().copied().collect();
        let mut pairs: Vec<(i64, i64)> =
            parts.into_iter().map(|part| (part, self.root(part))).collect();
        pairs.sort_unstable();
        pairs
    }
}
