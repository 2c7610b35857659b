//! Host copies of buffers, for operations that a device does not compute itself.

use phalanx_device::Buffer;

/// Copies of buffers, one of each.
#[derive(Default)]
pub(crate) struct HostCopies<'a>(Vec<(&'a Buffer, Buffer)>);

impl<'a> HostCopies<'a> {
    /// Copies of these buffers.
    pub fn of(buffers: impl IntoIterator<Item = &'a Buffer>) -> HostCopies<'a> {
        let mut copies = HostCopies::default();
        for buffer in buffers {
            if copies.get(buffer).is_none() {
                copies.0.push((buffer, buffer.on_host()));
            }
        }
        copies
    }

    /// The copy of a buffer, if it has one.
    pub fn get(&self, buffer: &Buffer) -> Option<&Buffer> {
        self.0.iter().find(|(known, _)| known.same(buffer)).map(|(_, copy)| copy)
    }
}
