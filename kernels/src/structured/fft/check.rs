//! The extents and dtypes of a transform.

use crate::structured::Block;
use phalanx_ops::structured::{Fft, Transform};

/// Panics (`bug:`) if the shapes or dtypes of two blocks are not those of a transform.
pub(super) fn check(fft: &Fft, from: &Block<'_>, to: &Block<'_>) {
    let axis = usize::from(fft.axis);
    let expected = match fft.transform {
        Transform::Forward | Transform::Inverse => to.shape[axis],
        Transform::RealForward => {
            assert_eq!(to.shape[axis], from.shape[axis] / 2 + 1, "bug: extent of a transform");
            from.shape[axis]
        }
        Transform::RealInverse { extent } => {
            assert_eq!(to.shape[axis] as u64, extent, "bug: extent of a transform");
            to.shape[axis] / 2 + 1
        }
    };
    assert!(
        from.shape.len() == to.shape.len()
            && from.shape[axis] == expected
            && from.shape[..axis] == to.shape[..axis]
            && from.shape[axis + 1..] == to.shape[axis + 1..]
            && from.dtype.real() == to.dtype.real(),
        "bug: a transform of {:?} {} into {:?} {}",
        from.shape,
        from.dtype,
        to.shape,
        to.dtype
    );
}
