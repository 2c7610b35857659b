//! The capture in progress on a thread: the stream of its work, the objects that it keeps alive,
//! and its failure.
//!
//! A capture is for the device with one own stream; the thread's work for other devices is not
//! captured.

use crate::DeviceError;
use cudarc::driver::sys::CUstream;
use std::any::Any;
use std::cell::RefCell;

/// The objects that a graph keeps alive, because it contains their addresses.
pub(in crate::cuda) type Kept = Vec<Box<dyn Any + Send>>;

/// A capture in progress.
pub(in crate::cuda) struct Capture {
    /// The device's own stream, in which its work runs without a capture.
    own: CUstream,
    stream: CUstream,
    pub kept: Kept,
    pub failure: Option<DeviceError>,
}

thread_local! {
    /// The capture in progress on this thread.
    static CAPTURE: RefCell<Option<Capture>> = const { RefCell::new(None) };
}

/// Begins the capture in `stream` of the work that the calling thread enqueues for the device with
/// the stream `own`.
pub(in crate::cuda) fn begin_capture(own: CUstream, stream: CUstream) {
    CAPTURE.set(Some(Capture { own, stream, kept: Vec::new(), failure: None }));
}

/// Ends the capture in progress on the calling thread, if there is one.
pub(in crate::cuda) fn end_capture() -> Option<Capture> {
    CAPTURE.take()
}

/// The stream in which the calling thread enqueues work for the device with the stream `own`.
pub(super) fn stream_for(own: CUstream) -> CUstream {
    CAPTURE.with_borrow(|capture| match capture {
        Some(capture) if capture.own == own => capture.stream,
        _ => own,
    })
}

/// Lets the capture in progress keep what its work uses; without one, `kept` is not called.
pub(super) fn keep<T: Send + 'static>(own: CUstream, kept: impl FnOnce() -> T) {
    CAPTURE.with_borrow_mut(|capture| match capture {
        Some(capture) if capture.own == own => capture.kept.push(Box::new(kept())),
        _ => {}
    });
}

/// Keeps a failure of the capture in progress, which does not affect the device; returns the error
/// if there is no capture.
pub(super) fn keep_failure(own: CUstream, error: DeviceError) -> Option<DeviceError> {
    CAPTURE.with_borrow_mut(|capture| match capture {
        Some(capture) if capture.own == own => {
            capture.failure.get_or_insert(error);
            None
        }
        _ => Some(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(call: &'static str) -> DeviceError {
        let (device, name, text) = (String::from("cuda:0"), String::new(), String::new());
        DeviceError::Cuda { device, call, name, text }
    }

    #[test]
    fn a_capture_is_for_one_device() {
        let [own, other, captured] = [8, 16, 24].map(|handle: usize| handle as CUstream);
        begin_capture(own, captured);
        assert_eq!([own, other].map(stream_for), [captured, other]);
        keep(own, || 7u64);
        keep(other, || -> u64 { unreachable!("bug: another device's work is captured") });
        assert_eq!(keep_failure(own, failure("first")), None);
        assert_eq!(keep_failure(own, failure("second")), None);
        assert_eq!(keep_failure(other, failure("third")), Some(failure("third")));
        let capture = end_capture().expect("a capture");
        assert_eq!((capture.kept.len(), capture.failure), (1, Some(failure("first"))));
        assert!(end_capture().is_none());
        assert_eq!(stream_for(own), own);
        assert_eq!(keep_failure(own, failure("fourth")), Some(failure("fourth")));
    }
}
