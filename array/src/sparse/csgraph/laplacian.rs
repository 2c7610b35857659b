//! Laplacians of graphs.

use super::gathered::{nodes_of, numbers};
use super::minima::at;
use crate::array::Array;
use crate::manipulation::try_concatenate;
use crate::math::select;
use crate::products::conjugated;
use crate::sparse::Csr;
use phalanx_graph::{Error, call_site, within};
use phalanx_ops::{DType, Op, promote};

/// The options of [`laplacian`]. The default has SciPy's values.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaplacianOptions {
    /// Whether the rows and the columns are divided by the square roots of the degrees.
    pub normed: bool,
    /// Whether the degree of a node is the sum of its row in place of its column.
    pub use_out_degree: bool,
    /// Whether the graph is the sum of the matrix and its conjugate transpose.
    pub symmetrized: bool,
    /// The dtype of the results; by default that of the matrix, or `f64` for a normed Laplacian of
    /// integers.
    pub dtype: Option<DType>,
}

/// The result of [`laplacian`].
#[derive(Clone, Debug)]
pub struct Laplacian {
    /// The Laplacian, with an entry for each element of the diagonal.
    pub matrix: Csr,
    /// The degrees of the nodes; of a normed Laplacian, their square roots, and 1 for nodes without
    /// edges.
    pub diagonal: Array,
}

/// SciPy's `laplacian`: the degrees of the nodes on the diagonal, less the matrix without its
/// diagonal.
///
/// Shapes `(n, n)` and `(n,)`. Collective over the mesh; distributed. Errors: `OpError::Argument`
/// for a matrix that is not square.
#[track_caller]
pub fn laplacian(graph: &Csr, options: LaplacianOptions) -> Result<Laplacian, Error> {
    let site = call_site();
    within(site, || {
        let nodes = nodes_of("laplacian", graph, site)?;
        let own = match options.normed && !graph.dtype().is_inexact() {
            true => DType::F64,
            false => graph.dtype(),
        };
        let mut graph = graph.astype(own)?;
        if options.symmetrized {
            let turned = graph.transpose()?;
            let turned = turned.with_values(&conjugated(turned.values()))?;
            graph = graph.combine(Op::Add, &turned)?;
        }
        let dtype = options.dtype.unwrap_or(own);
        let (rows, columns) = (graph.rows(), graph.columns().converted(DType::I64, site));
        let is_off = rows.not_equal(&columns);
        let off = graph.kept(&is_off)?;
        let (rows, columns) = (off.rows(), off.columns().converted(DType::I64, site));
        let degrees = off.reduce(Op::Add, i64::from(options.use_out_degree));
        let (values, diagonal, degrees) = if options.normed {
            let is_alone = degrees.equal(0);
            let roots = select(&is_alone, 1, degrees.sqrt());
            let values = off.values() / at(&roots, &rows) / at(&roots, &columns);
            (values, select(&is_alone, 0, 1), roots)
        } else {
            (off.values().clone(), degrees.clone(), degrees)
        };
        // As integers subtract, also without a sign.
        let wide = promote(values.dtype(), dtype);
        let negated = values.converted(wide, site).multiply(-1).converted(dtype, site);
        let all = numbers(&off.values().mesh()?, nodes);
        let joined = |parts: [&Array; 2]| try_concatenate(&parts, &0.into(), None, site);
        let matrix = Csr::from_triplets(
            &joined([&rows, &all])?,
            &joined([&columns, &all])?,
            &joined([&negated, &diagonal.converted(dtype, site)])?,
            [nodes, nodes],
        )?;
        Ok(Laplacian { matrix, diagonal: degrees.converted(dtype, site).into_result()? })
    })
}
