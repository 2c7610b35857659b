//! The notes of a device: its steps and messages with their times.
//!
//! A GPU's work is enqueued and runs later, so its notes hold moments of its streams until these
//! are past. A step begins when the step before it has ended, but not before the host gave it. The
//! time of a moment is measured from the last known one, because the driver gives differences with
//! few digits.

use super::names::StepName;
use super::track::{Kind, Span, Track};
use phalanx_collectives::{CollectiveError, Observer, Operation};
use phalanx_device::{Completion, Device, DeviceError, Event, EventError, Moment};
use phalanx_waiting::lock;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// The most spans that a track keeps.
pub(super) const MOST_SPANS: usize = 1 << 20;
/// The number of open notes from which the recorder looks for the times of those that are past.
const MANY_OPEN: usize = 1024;
/// Seconds after which times are measured from a newer moment.
const FAR: f64 = 1.0;

/// The recorder of a device.
pub(crate) struct Recorder {
    device: Arc<dyn Device>,
    /// The start of the session.
    origin: Instant,
    notes: Mutex<Notes>,
}

#[derive(Default)]
struct Notes {
    names: Names,
    plan: u32,
    open: VecDeque<Open>,
    spans: Vec<Timed>,
    dropped: u64,
    /// A past moment of the device's streams, with its seconds from the first one.
    known: Option<(Moment, f64)>,
    /// The first such moment by the host's clock, in seconds from the start of the session.
    first: f64,
    /// The end of the last step.
    last: Option<Moment>,
    /// The end of the last step whose time is known, and that time.
    ended: Option<(Moment, f64)>,
}

/// Names by number.
#[derive(Default)]
pub(super) struct Names {
    numbers: FxHashMap<String, u32>,
    pub names: Vec<String>,
}

impl Names {
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(String::from(name));
        self.numbers.insert(String::from(name), number);
        number
    }
}

/// A note without times. It has at least one span.
struct Open {
    kind: Kind,
    name: u32,
    bytes: u64,
    plan: u32,
    spans: SmallVec<[[Moment; 2]; 1]>,
    /// When the host gave the work.
    given: Instant,
}

/// A span in seconds, by the clock of the host or of the device.
struct Timed {
    span: Span,
    seconds: [f64; 2],
    is_by_host: bool,
    given: f64,
}

impl Recorder {
    /// Starts to record. The device is idle.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn new(device: &Arc<dyn Device>, origin: Instant) -> Result<Arc<Recorder>, DeviceError> {
        device.keep_times();
        let mut notes = Notes::default();
        let (first, at) = now_of(device)?;
        notes.first = seconds(origin, at);
        if matches!(first, Moment::Stream(_)) {
            notes.last = Some(first.clone());
            notes.known = Some((first, 0.0));
        }
        let notes = Mutex::new(notes);
        Ok(Arc::new(Recorder { device: device.clone(), origin, notes }))
    }

    /// The following steps are those of this plan.
    pub fn begin(&self, plan: u32) {
        lock(&self.notes).plan = plan;
    }

    /// Notes a step that the host has given to the device since this time.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn step(&self, step: &StepName, given: Instant) -> Result<(), DeviceError> {
        let ended = self.device.moment()?;
        let begun = match &ended {
            Moment::Host(_) => None,
            Moment::Stream(_) => lock(&self.notes).last.replace(ended.clone()),
        };
        let begun = begun.unwrap_or(Moment::Host(given));
        self.note(step.kind, &step.name, step.bytes, smallvec![[begun, ended]], given);
        Ok(())
    }

    fn note(
        &self,
        kind: Kind,
        name: &str,
        bytes: u64,
        mut spans: SmallVec<[[Moment; 2]; 1]>,
        given: Instant,
    ) {
        let is_in_stream = |[start, _]: &[Moment; 2]| matches!(start, Moment::Stream(_));
        if spans.iter().any(is_in_stream) {
            // One note has the times of one clock.
            spans.retain(|span| is_in_stream(span));
        }
        let mut notes = lock(&self.notes);
        if notes.spans.len() + notes.open.len() >= MOST_SPANS {
            notes.dropped += 1;
            return;
        }
        let (name, plan) = (notes.names.number(name), notes.plan);
        notes.open.push_back(Open { kind, name, bytes, plan, spans, given });
        if notes.open.len() >= MANY_OPEN {
            notes.close(self.origin);
        }
    }

    /// The track of the device, which is idle then.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub fn track(&self, rank: usize) -> Result<Track, DeviceError> {
        let (last, at) = now_of(&self.device)?;
        let mut notes = lock(&self.notes);
        notes.close(self.origin);
        let ended = notes.seconds(&last);
        // The clocks of device and host run at slightly different rates.
        let (first, host) = (notes.first, seconds(self.origin, at) - notes.first);
        let rate = ended.filter(|ended| *ended > 0.0).map_or(1.0, |ended| host / ended);
        let spans = std::mem::take(&mut notes.spans);
        let timed = |Timed { span, seconds, is_by_host, given }: Timed| {
            let by_host = |at: f64| if is_by_host { at } else { first + at * rate };
            let [start, end] = seconds.map(by_host);
            let start = start.max(given).min(end);
            let [start, end] = [start, end].map(|at| (at * 1e9) as i64);
            Span { start, end, ..span }
        };
        Ok(Track {
            rank,
            name: self.device.name(),
            names: std::mem::take(&mut notes.names.names),
            spans: spans.into_iter().map(timed).collect(),
            dropped: notes.dropped,
        })
    }
}

/// The present moment of a device, which becomes idle, also by the host's clock.
fn now_of(device: &Arc<dyn Device>) -> Result<(Moment, Instant), DeviceError> {
    device.synchronize();
    let moment = device.moment()?;
    device.synchronize();
    Ok((moment, Instant::now()))
}

fn seconds(origin: Instant, at: Instant) -> f64 {
    at.saturating_duration_since(origin).as_secs_f64()
}

impl Notes {
    /// Gives the open notes their times, up to the first that is not past.
    fn close(&mut self, origin: Instant) {
        while let Some(open) = self.open.pop_front() {
            let is_by_host = matches!(open.spans[0][0], Moment::Host(_));
            let time = |at: &Moment| match (at, &self.ended) {
                (Moment::Host(at), _) => Some(seconds(origin, *at)),
                // A step begins at the end of the step before it.
                (Moment::Stream(at), Some((Moment::Stream(ended), known)))
                    if Arc::ptr_eq(at, ended) =>
                {
                    Some(*known)
                }
                (Moment::Stream(_), _) => self.seconds(at),
            };
            let times = open.spans.iter().map(|[start, end]| Some([time(start)?, time(end)?]));
            let Some(times) = times.collect::<Option<Vec<[f64; 2]>>>() else {
                self.open.push_front(open);
                return;
            };
            let start = times.iter().map(|time| time[0]).fold(f64::INFINITY, f64::min);
            let end = times.iter().map(|time| time[1]).fold(start, f64::max);
            let Open { kind, name, bytes, plan, spans, given } = open;
            let given = seconds(origin, given);
            let span = Span { kind, name, start: 0, end: 0, bytes, plan };
            self.spans.push(Timed { span, seconds: [start, end], is_by_host, given });
            if is_by_host {
                continue;
            }
            let last = (spans[0][1].clone(), times[0][1]);
            if self.known.as_ref().is_some_and(|(_, known)| last.1 - known > FAR) {
                self.known = Some(last.clone());
            }
            if kind != Kind::Message {
                self.ended = Some(last);
            }
        }
    }

    /// The seconds from the first moment of the device's streams to this one, if it is past.
    fn seconds(&self, at: &Moment) -> Option<f64> {
        let (known, seconds) = self.known.as_ref()?;
        Some(seconds + at.since(known)?)
    }
}

/// Messages under way.
struct Underway {
    inner: Event,
    recorder: Arc<Recorder>,
    operation: Operation,
    bytes: usize,
    given: Instant,
    is_noted: AtomicBool,
}

impl Completion for Underway {
    fn is_done(&self) -> bool {
        self.inner.is_done()
    }

    fn wait(&self) -> Result<(), EventError> {
        let outcome = self.inner.wait();
        if !self.is_noted.swap(true, Ordering::SeqCst) {
            let begun = Moment::Host(self.given);
            let known = self.inner.spans(&begun);
            let spans =
                if known.is_empty() { smallvec![[begun, Moment::now()]] } else { known.into() };
            self.recorder.message(self.operation, self.bytes, spans, self.given);
        }
        outcome
    }

    fn spans(&self, begun: &Moment) -> Vec<[Moment; 2]> {
        self.inner.spans(begun)
    }
}

impl Recorder {
    fn message(
        &self,
        operation: Operation,
        bytes: usize,
        spans: SmallVec<[[Moment; 2]; 1]>,
        given: Instant,
    ) {
        self.note(Kind::Message, operation.name(), bytes as u64, spans, given);
    }
}

/// The recorder of a device as an observer of its messages.
pub(crate) struct Messages(pub Arc<Recorder>);

impl Observer for Messages {
    fn observe(
        &self,
        operation: Operation,
        bytes: usize,
        call: &mut dyn FnMut() -> Result<Event, CollectiveError>,
    ) -> Result<Event, CollectiveError> {
        let (Messages(recorder), given) = (self, Instant::now());
        let event = call()?;
        if !event.is_ready() {
            return Ok(Event::driven(Arc::new(Underway {
                inner: event,
                recorder: recorder.clone(),
                operation,
                bytes,
                given,
                is_noted: AtomicBool::new(false),
            })));
        }
        // What a GPU enqueues with its other work is part of the step.
        if recorder.device.is_host() {
            let span = [Moment::Host(given), Moment::now()];
            recorder.message(operation, bytes, smallvec![span], given);
        }
        Ok(event)
    }
}
