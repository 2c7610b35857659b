//! Segments: runs of steps that a device captures when they repeat and then launches as a whole.
//!
//! A segment's work depends on the addresses of its memory and on the scalars of the run. A loop
//! repeats both, in each round or in turn, because freed memory is allocated again in the same
//! order. A segment that runs a second time with the same addresses and scalars is captured, and
//! launched as a whole from then on. A segment whose addresses or scalars keep changing runs step
//! by step.

use crate::build::ScalarSource;
use crate::instance::{At, CopyBox, LocalStep, Memory};
use phalanx_device::Captured;
use phalanx_graph::ScalarId;
use phalanx_kernels::Executable;
use phalanx_ops::Scalar;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// The fewest steps that are worth a capture.
const FEWEST: usize = 3;
/// The most captures that a segment keeps: a loop that swaps its buffers has two or three.
const MOST_KNOWN: usize = 4;
/// After this many new runs, capturing ends once there are more new than repeated runs.
const MOST_NEW: usize = 16;

/// A maximal run of steps that only enqueue work of one device.
pub(crate) struct Segment {
    /// The positions of its steps among the device's steps.
    pub steps: Range<usize>,
    /// The memory that its steps access.
    memories: Vec<Memory>,
    /// The scalars of the run that they read.
    arguments: Vec<ScalarId>,
    known: Mutex<Known>,
}

/// The history of a segment's runs.
#[derive(Default)]
struct Known {
    /// The most recent first.
    runs: Vec<Run>,
    new: usize,
    again: usize,
    is_off: bool,
}

/// A run of a segment: its addresses and scalars, and the capture of it.
struct Run {
    key: Vec<u64>,
    captured: Option<Arc<dyn Captured>>,
}

/// How to run a segment.
pub(crate) enum Turn {
    /// Run its steps one by one.
    Steps,
    /// Capture its steps, which run a second time.
    Capture,
    /// Launch the capture.
    Launch(Arc<dyn Captured>),
}

/// The segments of a device's steps.
pub(crate) fn segments(steps: &[LocalStep], kernels: &[Arc<Executable>]) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut start = 0;
    for run in steps.split_inclusive(|step| !is_enqueued(step, kernels)) {
        let whole = start..start + run.len();
        start = whole.end;
        let behind = steps.get(start - 1).is_some_and(|step| !is_enqueued(step, kernels));
        let range = whole.start..whole.end - usize::from(behind);
        if range.len() >= FEWEST {
            segments.push(Segment::new(steps, range));
        }
    }
    segments
}

/// Whether a step only enqueues work, so the host computes nothing and waits for nothing.
fn is_enqueued(step: &LocalStep, kernels: &[Arc<Executable>]) -> bool {
    match step {
        LocalStep::Launch { kernel, .. } => kernels[*kernel].is_enqueued(),
        LocalStep::Zero { .. } | LocalStep::Copy(_) => true,
        // Routines of libraries have workspaces and streams of their own.
        LocalStep::Routine(_)
        | LocalStep::Start { .. }
        | LocalStep::Wait { .. }
        | LocalStep::Combine { .. }
        | LocalStep::Compress { .. } => false,
    }
}

impl Segment {
    fn new(steps: &[LocalStep], range: Range<usize>) -> Segment {
        let mut memories = Vec::new();
        let mut arguments = Vec::new();
        for step in &steps[range.clone()] {
            match step {
                LocalStep::Launch { accesses, scalars, .. } => {
                    memories.extend(accesses.iter().map(|at: &At| at.memory));
                    arguments.extend(scalars.iter().filter_map(|source| match source {
                        ScalarSource::Argument(argument) => Some(*argument),
                        _ => None,
                    }));
                }
                LocalStep::Zero { memory, .. } => memories.push(*memory),
                LocalStep::Copy(CopyBox { from, to, .. }) => {
                    memories.extend([from.memory, to.memory]);
                }
                _ => unreachable!("bug: a step of a segment waits for others"),
            }
        }
        memories.sort_unstable();
        memories.dedup();
        arguments.sort_unstable();
        arguments.dedup();
        Segment { steps: range, memories, arguments, known: Mutex::default() }
    }

    /// How to run with these addresses (`None` for host memory) and scalars.
    pub fn turn(&self, address: impl Fn(Memory) -> Option<u64>, scalars: &[Scalar]) -> Turn {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_off {
            return Turn::Steps;
        }
        let mut key = Vec::with_capacity(self.memories.len() + 2 * self.arguments.len());
        for memory in &self.memories {
            match address(*memory) {
                Some(address) => key.push(address),
                None => return Turn::Steps,
            }
        }
        for argument in &self.arguments {
            for word in scalars[argument.index()].bytes().chunks(8) {
                let mut whole = [0; 8];
                whole[..word.len()].copy_from_slice(word);
                key.push(u64::from_le_bytes(whole));
            }
        }
        if let Some(at) = known.runs.iter().position(|run| run.key == key) {
            known.again += 1;
            known.runs[..=at].rotate_right(1);
            return known.runs[0].captured.clone().map_or(Turn::Capture, Turn::Launch);
        }
        known.new += 1;
        if known.new > MOST_NEW && known.new > known.again {
            known.switch_off();
            return Turn::Steps;
        }
        known.runs.truncate(MOST_KNOWN - 1);
        known.runs.insert(0, Run { key, captured: None });
        Turn::Steps
    }

    /// Keeps the capture of the last turn; `None` if capturing failed.
    pub fn keep(&self, captured: Option<Arc<dyn Captured>>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match captured {
            Some(captured) => known.runs[0].captured = Some(captured),
            None => known.switch_off(),
        }
    }

    /// Notes that the capture that the last turn returned no longer exists; the next such run
    /// captures again.
    pub fn lost(&self) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(run) = known.runs.first_mut() {
            run.captured = None;
        }
    }
}

impl Known {
    fn switch_off(&mut self) {
        self.is_off = true;
        self.runs.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{ExchangeId, LocalId};
    use phalanx_device::DeviceError;
    use phalanx_ops::Bytes;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Counted(AtomicUsize);

    impl Captured for Counted {
        fn launch(&self) -> Result<bool, DeviceError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(true)
        }
    }

    fn local(position: usize) -> Memory {
        Memory::Local(LocalId::new(position))
    }

    fn zero(position: usize) -> LocalStep {
        LocalStep::Zero { memory: local(position), bytes: Bytes(8) }
    }

    fn wait() -> LocalStep {
        LocalStep::Wait { exchange: ExchangeId::new(0), unpack: Vec::new() }
    }

    fn turn(segment: &Segment, offset: u64) -> Turn {
        let address = |memory| match memory {
            Memory::Local(local) => Some(offset + local.index() as u64),
            _ => None,
        };
        segment.turn(address, &[Scalar::new(1.0f64)])
    }

    #[test]
    fn segments_are_between_steps_that_wait() {
        let steps = [zero(0), wait(), zero(0), zero(1), zero(1), wait(), zero(0), zero(0), zero(2)];
        let found = segments(&steps, &[]);
        let ranges: Vec<_> = found.iter().map(|segment| segment.steps.clone()).collect();
        assert_eq!(ranges, [2..5, 6..9]);
        assert_eq!(found[0].memories, [local(0), local(1)]);
        assert!(segments(&steps[..4], &[]).is_empty());
    }

    #[test]
    fn a_repeated_segment_is_captured_once() {
        let segment = &segments(&[zero(0), zero(1), zero(2)], &[])[0];
        for offset in [0, 100] {
            assert!(matches!(turn(segment, offset), Turn::Steps));
        }
        for offset in [0, 100] {
            assert!(matches!(turn(segment, offset), Turn::Capture));
            segment.keep(Some(Arc::new(Counted(AtomicUsize::new(0)))));
        }
        for offset in [0, 100, 0, 100] {
            assert!(matches!(turn(segment, offset), Turn::Launch(_)));
        }
    }

    #[test]
    fn a_segment_that_was_given_up_is_captured_again() {
        let segment = &segments(&[zero(0), zero(1), zero(2)], &[])[0];
        assert!(matches!(turn(segment, 0), Turn::Steps));
        assert!(matches!(turn(segment, 0), Turn::Capture));
        segment.keep(Some(Arc::new(Counted(AtomicUsize::new(0)))));
        assert!(matches!(turn(segment, 0), Turn::Launch(_)));
        segment.lost();
        assert!(matches!(turn(segment, 0), Turn::Capture));
    }

    #[test]
    fn a_segment_that_keeps_changing_is_not_captured() {
        let segment = &segments(&[zero(0), zero(1), zero(2)], &[])[0];
        for offset in 0..2 * MOST_NEW as u64 {
            assert!(matches!(turn(segment, 100 * offset), Turn::Steps));
        }
        assert!(matches!(turn(segment, 0), Turn::Steps));
        assert!(matches!(turn(segment, 0), Turn::Steps));
    }

    #[test]
    fn a_segment_that_cannot_be_captured_is_not_tried_again() {
        let segment = &segments(&[zero(0), zero(1), zero(2)], &[])[0];
        assert!(matches!(turn(segment, 0), Turn::Steps));
        assert!(matches!(turn(segment, 0), Turn::Capture));
        segment.keep(None);
        assert!(matches!(turn(segment, 0), Turn::Steps));
    }
}
