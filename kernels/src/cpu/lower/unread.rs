//! Steps that no other step needs.

use super::fused::count_reads;
use crate::cpu::program::{Phase, Step, Width};

/// Removes the steps whose results are not read, such as casts of what is summed as it is.
pub(super) fn remove_unread(phases: &mut [Phase]) {
    let reads = count_reads(phases);
    for phase in phases {
        phase.steps.retain(|step| match step {
            Step::Apply(apply) => apply.width != Width::Block || reads.contains_key(&apply.output),
            _ => true,
        });
    }
}

/// Removes the steps that write indices which only the fold of the best element reads: it counts.
pub(super) fn count_indices(phases: &mut [Phase]) {
    let reads = count_reads(phases);
    for phase in phases {
        for fold in phase.folds.iter_mut().filter(|fold| fold.best.is_some()) {
            let Some(register) = fold.index.filter(|index| reads.get(index) == Some(&1)) else {
                continue;
            };
            let writes = |step: &Step| match *step {
                Step::Index { axis, output, width: Width::Block } if output == register => {
                    Some(axis)
                }
                _ => None,
            };
            fold.counted = phase.steps.iter().find_map(writes);
            phase.steps.retain(|step| writes(step).is_none());
        }
    }
}
