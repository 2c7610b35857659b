//! Operands that a product reads transposed as they reside.

use phalanx_ops::structured::Matmul;
use phalanx_ops::{AffineMap, Sharding, Structured};
use smallvec::SmallVec;

/// The product that reads an operand through the transposition of all its matrices.
///
/// What is added to a product is never read transposed.
pub(super) fn read_through(
    op: &Structured,
    operand: usize,
    (view, base): (&AffineMap, &[usize]),
    wanted: &Sharding,
) -> Option<(Structured, Sharding)> {
    let Structured::Matmul(Matmul { mut transposed }) = *op else { return None };
    *transposed.get_mut(operand)? = true;
    let product = Structured::Matmul(Matmul { transposed });
    is_transposition(view, base).then(|| (product, swapped(wanted)))
}

/// Whether a view is that of all matrices of its base, transposed.
fn is_transposition(map: &AffineMap, base: &[usize]) -> bool {
    let ndim = base.len();
    ndim >= 2 && {
        let mut axes: SmallVec<[usize; 4]> = (0..ndim).collect();
        axes.swap(ndim - 2, ndim - 1);
        *map == AffineMap::identity(base).transpose(&axes)
    }
}

/// The sharding with its last two axes exchanged.
fn swapped(sharding: &Sharding) -> Sharding {
    let (mut sharding, ndim) = (sharding.clone(), sharding.axes.len());
    sharding.axes.swap(ndim - 2, ndim - 1);
    sharding
}
