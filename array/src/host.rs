//! Host arrays: plain data in C order, as files and `to_host` give it.

use phalanx_ops::error::OpError;
use phalanx_ops::{AffineMap, DType, Element};

/// An array in host memory: C order, native byte order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostArray {
    /// The dtype of the elements.
    pub dtype: DType,
    /// The extents.
    pub shape: Vec<usize>,
    /// `product(shape) * dtype.size()` bytes.
    pub bytes: Vec<u8>,
}

impl HostArray {
    /// The host array that holds a copy of `data`, whose length is the product of `shape`.
    pub fn from_slice<T: Element>(data: &[T], shape: &[usize]) -> HostArray {
        let mut bytes = Vec::with_capacity(size_of_val(data));
        for &value in data {
            bytes.extend_from_slice(phalanx_ops::Scalar::new(value).bytes());
        }
        HostArray { dtype: T::DTYPE, shape: shape.to_vec(), bytes }
    }

    /// The elements as `T`, converted as `astype` converts.
    pub(crate) fn to_vec<T: Element>(&self) -> Vec<T> {
        let size = self.dtype.size();
        self.bytes
            .chunks_exact(size)
            .map(|bytes| phalanx_ops::Scalar::from_bytes(self.dtype, bytes).to_element())
            .collect()
    }

    /// A view of the elements, as a copy.
    pub(crate) fn through(&self, map: &AffineMap) -> HostArray {
        let shape = map.shape.to_vec();
        let item = self.dtype.size();
        let mut bytes = Vec::with_capacity(shape.iter().product::<usize>() * item);
        let mut index = vec![0; shape.len()];
        for _ in 0..shape.iter().product() {
            let place = map
                .apply(&index)
                .iter()
                .zip(&self.shape)
                .fold(0, |at, (&i, extent)| at * extent + i as usize);
            bytes.extend_from_slice(&self.bytes[place * item..(place + 1) * item]);
            for axis in (0..shape.len()).rev() {
                index[axis] += 1;
                if index[axis] < shape[axis] {
                    break;
                }
                index[axis] = 0;
            }
        }
        HostArray { dtype: self.dtype, shape, bytes }
    }

    /// How many elements there are; the greatest number there is if the shape has more.
    pub fn size(&self) -> usize {
        if self.shape.contains(&0) {
            return 0;
        }
        self.shape.iter().fold(1, |size, &extent| size.saturating_mul(extent))
    }

    /// Whether the bytes are those of an array of the shape.
    ///
    /// Errors: `OpError::TooManyAxes`, `OpError::TooLarge`, `OpError::DataLength`.
    pub fn check(&self) -> Result<(), OpError> {
        let item = self.dtype.size();
        phalanx_ops::shape::check(&self.shape, item)?;
        if self.size() * item == self.bytes.len() {
            return Ok(());
        }
        let given = self.bytes.len() / item;
        Err(OpError::DataLength { given, shape: self.shape.clone() })
    }
}
