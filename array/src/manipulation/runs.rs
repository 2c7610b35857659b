//! Arrangements known on the host: a list of positions along an axis is written as a few runs of
//! equally spaced positions.

use crate::array::Array;
use crate::manipulation::argument::{along, span, with_extent};
use crate::manipulation::join::{blank, write_part};
use phalanx_graph::{Error, Site, within};
use phalanx_ops::Index;
use phalanx_ops::shape::saturating;

/// The `count` positions `start, start + step, …`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
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

/// The smallest number of runs that list the positions in their order, found greedily.
fn runs(positions: &[usize]) -> Vec<Run> {
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
        runs.push(Run { start: position, step: 0, count: 1 });
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
        let shape = with_extent(self.shape(), axis, positions.len());
        let result = blank(&self.mesh()?, &shape, self.dtype(), None, site)?;
        let mut start = 0;
        for run in runs(positions) {
            let stop = start + run.count;
            let from = within(site, || self.slice(along(self.ndim(), axis, run.index())));
            write_part(&result, &along(self.ndim(), axis, span(start, stop)), &from, site)?;
            start = stop;
        }
        Ok(result)
    }

    /// Writes the elements of `value` in their order to `positions` along an axis of this array.
    pub(crate) fn arrange_from(
        &self,
        value: &Array,
        positions: &[usize],
        axis: usize,
        site: Site,
    ) -> Result<(), Error> {
        let mut start = 0;
        for run in runs(positions) {
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
                .iter()
                .flat_map(|run| {
                    (0..run.count as i64).map(|k| (run.start as i64 + k * run.step) as usize)
                })
                .collect();
            assert_eq!(given, list);
        }
        assert_eq!(runs(&[0, 1, 2, 5, 6, 7]).len(), 2);
        let backwards = Run { start: 9, step: -3, count: 4 };
        assert_eq!(
            backwards.index(),
            Index::Range { start: Some(9), stop: None, step: -3 },
            "a slice down to 0 has no stop"
        );
    }
}
