//! Points in streams with their times. Their events are kept for later points, because making one
//! takes the host as long as a launch.

use super::stream::{Event, Stream};
use crate::DeviceError;
use crate::cuda::driver::Context;
use std::sync::{Arc, Mutex, PoisonError};

/// The events that no point uses.
#[derive(Default)]
pub(in crate::cuda) struct TimedEvents(Mutex<Vec<Event>>);

/// A point in a stream, whose time is known once the work before it is done.
pub struct Timed {
    /// `None` only while it is dropped.
    event: Option<Event>,
    events: Arc<TimedEvents>,
}

impl Timed {
    /// The current end of a stream of a device.
    ///
    /// Errors: `DeviceError::Cuda`.
    pub(in crate::cuda) fn end_of(
        stream: &Stream,
        context: &Arc<Context>,
        events: &Arc<TimedEvents>,
    ) -> Result<Timed, DeviceError> {
        let known = events.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let event = known.map_or_else(|| Event::new(context, true, false), Ok)?;
        event.record(stream)?;
        Ok(Timed { event: Some(event), events: events.clone() })
    }

    /// Milliseconds from another point of the same device to this one; `None` if one of them is not
    /// past.
    pub(crate) fn since(&self, earlier: &Timed) -> Option<f32> {
        // The driver's call fails if one of the points is not past.
        self.event.as_ref()?.elapsed_since(earlier.event.as_ref()?).ok()
    }
}

impl Drop for Timed {
    fn drop(&mut self) {
        self.events.0.lock().unwrap_or_else(PoisonError::into_inner).extend(self.event.take());
    }
}
