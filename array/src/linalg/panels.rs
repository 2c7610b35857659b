//! Triangular factors of few columns, on the host.

use num_complex::{Complex32, Complex64};
use phalanx_graph::{Error, HostArray, call_site};
use phalanx_numerics::linalg::Element as Matrix;
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Element};

/// Both triangular factors of each matrix of a stack in one array, with the diagonal of the upper
/// one, and the order of the rows. Meant for few columns: a matrix with many is factorised by
/// panels of columns and products of matrices.
///
/// Shapes `(…, m, n) -> (…, m, n), (…, m)`. Dtypes `f32`, `f64`, `c64` and `c128`; the order is in
/// `i64`. Rows are exchanged by LAPACK's measure of numbers; a column without a pivot stays. Local.
/// Errors: `OpError::Dtype`, `OpError::Ndim` for fewer than two axes, `OpError::DataLength`.
/// Source: G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th edition, algorithm 3.4.1.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::HostArray;
/// use phalanx::linalg::factored_panel;
///
/// let (factors, order) = factored_panel(&HostArray::from_slice(&[1.0, 2.0, 4.0, 6.0], &[2, 2]))?;
/// assert_eq!(factors.to_vec::<f64>(), [4.0, 6.0, 0.25, 0.5]);
/// assert_eq!(order.to_vec::<i64>(), [1, 0]);
/// # Ok::<(), phalanx::Error>(())
/// ```
#[track_caller]
pub fn factored_panel(panel: &HostArray) -> Result<(HostArray, HostArray), Error> {
    let site = call_site();
    let refused = |error| Error::op(error, site);
    panel.check().map_err(refused)?;
    let [.., rows, width] = panel.shape[..] else {
        return Err(refused(OpError::Ndim {
            operation: "lu",
            expected: "2 or more",
            ndim: panel.shape.len(),
        }));
    };
    let factored = match panel.dtype {
        DType::F32 => factored::<f32>,
        DType::F64 => factored::<f64>,
        DType::C64 => factored::<Complex32>,
        DType::C128 => factored::<Complex64>,
        dtype => {
            return Err(refused(OpError::Dtype { operation: "lu", dtypes: vec![dtype] }));
        }
    };
    Ok(factored(panel, rows, width))
}

fn factored<T: Element + Matrix>(
    panel: &HostArray,
    rows: usize,
    width: usize,
) -> (HostArray, HostArray) {
    let mut elements = panel.to_vec::<T>();
    let orders = &panel.shape[..panel.shape.len() - 1];
    let (size, count) = (rows * width, orders[..orders.len() - 1].iter().product::<usize>());
    let mut order = Vec::with_capacity(count * rows);
    for number in 0..count {
        let matrix = &mut elements[number * size..][..size];
        if width == 0 {
            order.extend(0..rows as i64);
        } else {
            order.extend(T::eliminate(matrix, width).into_iter().map(|row| row as i64));
        }
    }
    (HostArray::from_slice(&elements, &panel.shape), HostArray::from_slice(&order, orders))
}
