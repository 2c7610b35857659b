//! Transforms of neighbouring lines of many stretches on a GPU, which cuFFT cannot do in one call:
//! a kernel for lengths that are powers of two.

use crate::cuda::prelude::Uses;
use crate::cuda::routine::Routine;
use phalanx_device::DeviceError;
use phalanx_device::cuda::CudaDevice;

static TEXT: &str = include_str!("columns.cu");

/// Complex transforms of one length, of the lines of `outer` stretches of `inner` lines.
#[derive(Clone, Copy)]
pub(super) struct Columns {
    pub length: usize,
    pub outer: usize,
    pub inner: usize,
    pub is_double: bool,
    pub is_inverse: bool,
}

impl Columns {
    /// Lines of a thread block: a thread has eight elements, and a block at least 256 threads.
    const fn width(self) -> usize {
        let width = 2048 / self.length;
        if width > 8 { width } else { 8 }
    }

    fn blocks(self) -> usize {
        self.inner.div_ceil(self.width())
    }

    /// Whether the kernel supports these lines.
    pub(super) fn is_suitable(self) -> bool {
        let longest = if self.is_double { 512 } else { 1024 };
        self.length.is_power_of_two()
            && (8..=longest).contains(&self.length)
            && 2 * self.inner >= self.width()
            && self.outer * self.blocks() <= i32::MAX as usize
    }

    /// The text for these lines.
    pub(super) fn routine(self) -> Routine {
        let component = if self.is_double { "f64" } else { "f32" };
        let last = 1 << (self.length.ilog2() % 3);
        let defines = [
            ("R", String::from(component)),
            ("N", self.length.to_string()),
            ("W", self.width().to_string()),
            ("LAST", i32::to_string(&last)),
            ("INVERSE", u8::from(self.is_inverse).to_string()),
        ];
        Routine::new(TEXT, defines, Uses::default())
    }

    /// Enqueues the transforms.
    ///
    /// Errors: those of the compiler.
    ///
    /// # Safety
    /// All lines are in this device's memory and suitable (`is_suitable`); the results do not
    /// overlap the sources.
    pub(super) unsafe fn launch(
        self,
        [from, to]: [u64; 2],
        device: &CudaDevice,
    ) -> Result<(), DeviceError> {
        let words = [from, to, self.inner as u64, self.blocks() as u64];
        let threads = (self.width() * self.length / 8) as u32;
        // SAFETY: the words are those of `Argument` in the text; the rest is the caller's promise.
        unsafe {
            let size = (self.outer * self.blocks(), threads);
            self.routine().launch("columns", device, size, &words)
        }
    }
}

/// The texts for some lengths.
pub(super) fn sources() -> Vec<String> {
    let source = |(length, is_double)| {
        let columns = Columns { length, outer: 1, inner: 1, is_double, is_inverse: is_double };
        columns.routine().source()
    };
    [(8, true), (16, false), (256, true), (512, true), (512, false), (1024, false)]
        .map(source)
        .into()
}
