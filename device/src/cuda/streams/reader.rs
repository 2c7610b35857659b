//! Other libraries that read a device's memory.

use super::stream::Stream;
use crate::cuda::driver::Context;
use std::sync::Arc;

/// Another library that reads a device's memory: when this is dropped, the device's later work
/// waits for the library's reads.
pub struct Reader {
    context: Arc<Context>,
    /// The stream in which the library works; `None` if unknown.
    stream: Option<Stream>,
}

impl Reader {
    /// A reader that works in a stream, or in an unknown one.
    pub fn new(context: &Arc<Context>, stream: Option<Stream>) -> Reader {
        Reader { context: context.clone(), stream }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let ordered = match &self.stream {
            Some(stream) if stream.is_lasting() => stream.precede(&self.context),
            // The stream may no longer exist, so wait for all work.
            _ => self.context.synchronize_all(),
        };
        if let Err(error) = ordered {
            self.context.fail(error);
        }
    }
}
