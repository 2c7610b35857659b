//! Which GPUs and which processors one of several processes of a host takes.

use std::ops::Range;

/// The GPUs that fall to process `rank` of the `processes` of a host with `gpus`, in order: as many
/// as possible in a row for each process, or one that several share where there are too few.
pub(crate) fn share_of_gpus(rank: usize, processes: usize, gpus: usize) -> Range<usize> {
    match gpus {
        0 => 0..0,
        gpus if gpus < processes => rank % gpus..rank % gpus + 1,
        gpus => rank * gpus / processes..(rank + 1) * gpus / processes,
    }
}

/// The numbers of a list as the system writes it: `0-3,8`. `None` if the text is none.
pub(crate) fn processors(ranges: &str) -> Option<Vec<usize>> {
    let mut processors = Vec::new();
    for range in ranges.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if last < first || last > 1 << 20 {
            return None;
        }
        processors.extend(first..=last);
    }
    Some(processors)
}
