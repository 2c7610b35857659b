//! Arrangements known on the host: a list of positions along an axis is written as a few runs of
//! equally spaced positions, or taken if there are many runs.

use crate::array::Array;
use crate::creation::from_slice;
use crate::manipulation::argument::{along, span, with_extent};
use crate::manipulation::join::{blank, write_part};
use crate::recording::record_structured;
use phalanx_graph::{Error, Site, within};
use phalanx_ops::shape::saturating;
use phalanx_ops::structured::Take;
use phalanx_ops::{Index, Structured};

/// More runs than this are taken by a list of positions: each run is a write of its own.
pub(super) const MOST_RUNS: usize = 32;

/// The `count` positions `start, start + step, …`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    start: usize,
    step: i64,
    count: usize,
}

impl Run {
    fn index(self) -> Index {
        let start = saturating(self.start);
        if self.step == 0 || self.count == 1 {
            return span(self.start, self.start + 1);
        }
        let stop = start + self.step * self.count as i64;
        Index::Range { start: Some(start), stop: (stop >= 0).then_some(stop), step: self.step }
    }
}

/// The smallest number of runs that list the positions in their order, found greedily. `None` if
/// there are more than `MOST_RUNS`.
pub(super) fn runs(positions: &[usize]) -> Option<Vec<Run>> {
    let mut runs: Vec<Run> = Vec::new();
    for &position in positions {
        if let Some(last) = runs.last_mut() {
            let step = position as i64 - last.start as i64;
            if last.count == 1 {
                (last.step, last.count) = (step, 2);
                continue;
            }
            if step == last.step * last.count as i64 {
                last.count += 1;
                continue;
            }
        }
        if runs.len() == MOST_RUNS {
            return None;
        }
        runs.push(Run { start: position, step: 0, count: 1 });
    }
    Some(runs)
}

/// The runs of the positions below `extent` that are not among `others`, which are in ascending
/// order, each once.
pub(super) fn runs_between(others: &[usize], extent: usize) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut start = 0;
    for &other in others.iter().chain([&extent]) {
        if other > start {
            let step = i64::from(other - start > 1);
            runs.push(Run { start, step, count: other - start });
        }
        start = other + 1;
    }
    runs
}

impl Array {
    /// The elements at `positions` along an axis, in a new array in C order.
    pub(crate) fn arranged(
        &self,
        positions: &[usize],
        axis: usize,
        site: Site,
    ) -> Result<Array, Error> {
        match runs(positions) {
            Some(runs) => self.arranged_in_runs(&runs, axis, site),
            None => self.taken_at(positions, axis, site),
        }
    }

    /// The elements at the positions of a few runs along an axis, in a new array in C order.
    pub(super) fn arranged_in_runs(
        &self,
        runs: &[Run],
        axis: usize,
        site: Site,
    ) -> Result<Array, Error> {
        let extent = runs.iter().map(|run| run.count).sum();
        let shape = with_extent(self.shape(), axis, extent);
        let result = blank(&self.mesh()?, &shape, self.dtype(), None, site)?;
        let mut start = 0;
        for run in runs {
            let stop = start + run.count;
            let from = within(site, || self.slice(along(self.ndim(), axis, run.index())));
            write_part(&result, &along(self.ndim(), axis, span(start, stop)), &from, site)?;
            start = stop;
        }
        Ok(result)
    }

    /// The elements at `positions` along an axis, in a new array in C order, by one operation.
    pub(super) fn taken_at(
        &self,
        positions: &[usize],
        axis: usize,
        site: Site,
    ) -> Result<Array, Error> {
        let positions: Vec<i64> = positions.iter().map(|&position| position as i64).collect();
        let positions = self
            .mesh()?
            .enter(|| within(site, || from_slice(&positions, [positions.len()]).into_result()))?;
        let take = Structured::Take(Take { axis: axis as u8 });
        record_structured(take, &[self, &positions], site)
    }

    /// Writes the elements of `value` in their order to the positions of a few runs along an axis
    /// of this array.
    pub(super) fn arrange_from(
        &self,
        value: &Array,
        runs: &[Run],
        axis: usize,
        site: Site,
    ) -> Result<(), Error> {
        let mut start = 0;
        for run in runs {
            let stop = start + run.count;
            let part = within(site, || value.slice(along(value.ndim(), axis, span(start, stop))));
            write_part(self, &along(self.ndim(), axis, run.index()), &part, site)?;
            start = stop;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_give_the_positions() {
        let lists: [&[usize]; 7] = [
            &[],
            &[3],
            &[0, 1, 2, 5, 6, 7],
            &[9, 6, 3, 0],
            &[4, 4, 4, 2, 2],
            &[0, 2, 4, 5, 6, 3],
            &[1, 0],
        ];
        for list in lists {
            let given: Vec<usize> = runs(list)
                .expect("the runs are few")
                .iter()
                .flat_map(|run| {
                    (0..run.count as i64).map(|k| (run.start as i64 + k * run.step) as usize)
                })
                .collect();
            assert_eq!(given, list);
        }
        assert_eq!(runs(&[0, 1, 2, 5, 6, 7]).map(|runs| runs.len()), Some(2));
        let apart: Vec<usize> = (0..=2 * MOST_RUNS).map(|at| at * at).collect();
        assert!(runs(&apart).is_none(), "all steps differ");
        let backwards = Run { start: 9, step: -3, count: 4 };
        assert_eq!(
            backwards.index(),
            Index::Range { start: Some(9), stop: None, step: -3 },
            "a slice down to 0 has no stop"
        );
    }

    #[test]
    fn runs_between_others_give_the_rest() {
        let lists: [&[usize]; 6] = [&[], &[0], &[4], &[0, 1, 2, 3, 4], &[1, 3], &[0, 4]];
        for others in lists {
            let rest: Vec<usize> = (0..5).filter(|position| !others.contains(position)).collect();
            let given: Vec<usize> = runs_between(others, 5)
                .iter()
                .flat_map(|run| run.start..run.start + run.count)
                .collect();
            assert_eq!(given, rest);
        }
        assert_eq!(runs_between(&[2], 5).len(), 2);
    }
}
