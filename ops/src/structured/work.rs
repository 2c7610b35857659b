//! Kinds of work.

/// The kind of work of a structured operation. Operations of one kind take about the same time for
/// an amount of work, so a price of each kind is measured.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Work {
    /// Reads its operands and writes its result once, in order.
    Pass,
    /// Computes with elements, as fused kernels do.
    Arithmetic,
    /// Products of matrices.
    Product,
    /// Fourier transforms.
    Transform,
    /// Sorting.
    Sort,
    /// Sorting whose result is positions.
    SortPositions,
    /// Merging sorted runs.
    Merge,
    /// Finding the elements of some ranks.
    Select,
    /// Running combinations.
    Scan,
    /// Reads or writes at positions in any order.
    Positions,
    /// Factorisations of matrices that consist of products for the most part.
    Factors,
    /// Eigenvalues and singular values.
    Spectrum,
}
