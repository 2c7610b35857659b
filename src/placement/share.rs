//! The share of one of several processes of a host: some of its GPUs and of its cores.

use super::find::Placement;
use std::num::NonZero;
use std::ops::Range;

/// The GPUs of process `rank` among `processes` of a host with `gpus`. Each process gets an equal
/// share in order; if there are too few GPUs, several processes share one.
pub(crate) fn share_of_gpus(rank: usize, processes: usize, gpus: usize) -> Range<usize> {
    match gpus {
        0 => 0..0,
        gpus if gpus < processes => rank % gpus..rank % gpus + 1,
        gpus => rank * gpus / processes..(rank + 1) * gpus / processes,
    }
}

/// Parses a list as the system writes it: `0-3,8`. `None` if the text is not such a list.
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

/// The compute threads of one of several processes of a host: its share of the cores, but not more
/// than the launcher has bound it to.
pub(crate) fn threads_of(placement: &Placement) -> usize {
    let allowed = std::thread::available_parallelism().map_or(1, NonZero::get);
    let (_, processes) = placement.local();
    let cores = placement.cores.or_else(machine_cores).unwrap_or(allowed);
    allowed.min((cores / processes).max(1))
}

/// The number of online processors of this machine, whatever this process is bound to.
fn machine_cores() -> Option<usize> {
    let ranges = std::fs::read_to_string("/sys/devices/system/cpu/online").ok()?;
    processors(&ranges).map(|processors| processors.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_are_divided_in_order() {
        let shares = |processes, gpus| -> Vec<Range<usize>> {
            (0..processes).map(|rank| share_of_gpus(rank, processes, gpus)).collect()
        };
        assert_eq!(share_of_gpus(0, 1, 4), 0..4);
        assert_eq!(shares(4, 4), [0..1, 1..2, 2..3, 3..4]);
        assert_eq!(shares(2, 4), [0..2, 2..4]);
        assert_eq!(shares(3, 4), [0..1, 1..2, 2..4]);
        assert_eq!(shares(4, 2), [0..1, 1..2, 0..1, 1..2]);
        assert_eq!(shares(2, 0), [0..0, 0..0]);
    }
}
