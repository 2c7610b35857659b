//! Memory of a device that belongs to other code.

use crate::DevicePointer;
use crate::strides::{assert_in_bounds, contiguous};
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

/// Elements in a device's memory that another library owns, such as those of a tensor.
pub struct ForeignMemory {
    device: String,
    start: DevicePointer,
    length: usize,
    offset: usize,
    strides: Vec<isize>,
    is_packed: bool,
    is_lasting: bool,
    owner: Arc<dyn Any + Send + Sync>,
}

impl ForeignMemory {
    /// The elements of `item` bytes that the strides reach from `first` on the device with this
    /// name. Elements that are not lasting are read before the call that receives them returns;
    /// lasting ones are read for as long as they are needed.
    ///
    /// # Safety
    /// Until the owner is dropped, the device may read the elements in all work that it receives
    /// from now on. Nothing writes elements that are lasting.
    pub unsafe fn new(
        device: String,
        first: DevicePointer,
        shape: &[usize],
        strides: &[isize],
        item: usize,
        is_lasting: bool,
        owner: Arc<dyn Any + Send + Sync>,
    ) -> ForeignMemory {
        let (mut lowest, mut highest) = (0, 0);
        for (&extent, &stride) in shape.iter().zip(strides) {
            let reach = stride * (extent as isize - 1);
            lowest += reach.min(0);
            highest += reach.max(0);
        }
        let is_empty = shape.contains(&0);
        let length = if is_empty { 0 } else { (highest - lowest) as usize + item };
        let packed = contiguous(shape, item);
        let mut axes = strides.iter().zip(&packed).zip(shape);
        ForeignMemory {
            device,
            start: first.offset(lowest as i64),
            length,
            offset: if is_empty { 0 } else { lowest.unsigned_abs() },
            strides: strides.to_vec(),
            is_packed: is_empty || axes.all(|((a, b), &extent)| a == b || extent == 1),
            is_lasting,
            owner,
        }
    }

    /// Elements in host bytes, as memory of a CPU device. Panics if they are out of bounds.
    pub fn of_host(
        device: String,
        bytes: Arc<Vec<u8>>,
        first: usize,
        shape: &[usize],
        strides: &[isize],
        item: usize,
        is_lasting: bool,
    ) -> ForeignMemory {
        assert_in_bounds(bytes.len(), first as isize, strides, shape, item);
        let address = DevicePointer::from(bytes.as_ptr().cast_mut()).after(first as u64);
        // SAFETY: the bytes are in bounds, and nothing writes those of an `Arc`.
        unsafe { ForeignMemory::new(device, address, shape, strides, item, is_lasting, bytes) }
    }

    /// The name of the device.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Bytes from the lowest element to the end of the highest one.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The offset of the first element in these bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The byte stride of each axis.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Whether the elements are consecutive in C order and may be read for as long as needed.
    pub fn is_lent_in_order(&self) -> bool {
        self.is_packed && self.is_lasting
    }

    /// Whether the elements may be read for as long as needed.
    pub fn is_lasting(&self) -> bool {
        self.is_lasting
    }

    /// The address of a range of the bytes. Panics if it is out of bounds.
    pub(crate) fn address(&self, bytes: &Range<usize>) -> DevicePointer {
        assert!(bytes.end <= self.length, "bug: bytes {bytes:?} of {}", self.length);
        self.start.after(bytes.start as u64)
    }

    /// The owner, which keeps the memory.
    pub(crate) fn owner(&self) -> Arc<dyn Any + Send + Sync> {
        self.owner.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(shape: &[usize], strides: &[isize]) -> ForeignMemory {
        // SAFETY: nothing reads it.
        unsafe {
            let first = DevicePointer::from_address(4096);
            ForeignMemory::new("cuda:0".into(), first, shape, strides, 8, true, Arc::new(()))
        }
    }

    #[test]
    fn strides_reach_both_ways() {
        let turned = memory(&[3, 4], &[8, -24]);
        assert_eq!((turned.offset(), turned.length()), (72, 96));
        assert_eq!(turned.address(&(8..16)), DevicePointer::from_address(4096 - 72 + 8));
        assert!(!turned.is_lent_in_order());
        assert!(memory(&[3, 1, 4], &[32, 7, 8]).is_lent_in_order());
        assert_eq!(memory(&[3, 0], &[8, 8]).length(), 0);
    }
}
