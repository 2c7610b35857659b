//! Products that read transposed operands without a copy.

use phalanx_ops::structured::Matmul;
use phalanx_ops::{AffineMap, Sharding, Structured};
use smallvec::SmallVec;

/// The product that reads an operand through a transposition of all its matrices. The term added to
/// a product is never read transposed.
pub(super) fn read_through(
    op: &Structured,
    operand: usize,
    (view, base): (&AffineMap, &[usize]),
    wanted: &Sharding,
) -> Option<(Structured, Sharding)> {
    let Structured::Matmul(Matmul { mut transposed, in_order }) = *op else { return None };
    *transposed.get_mut(operand)? = true;
    let product = Structured::Matmul(Matmul { transposed, in_order });
    is_transposition(view, base).then(|| (product, swapped(wanted)))
}

/// Whether a view transposes all matrices of its base.
fn is_transposition(map: &AffineMap, base: &[usize]) -> bool {
    let ndim = base.len();
    ndim >= 2 && {
        let mut axes: SmallVec<[usize; 4]> = (0..ndim).collect();
        axes.swap(ndim - 2, ndim - 1);
        *map == AffineMap::identity(base).transpose(&axes)
    }
}

/// The sharding with its last two axes swapped.
fn swapped(sharding: &Sharding) -> Sharding {
    let (mut sharding, ndim) = (sharding.clone(), sharding.axes.len());
    sharding.axes.swap(ndim - 2, ndim - 1);
    sharding
}
