//! Products of dense matrices at the entries of a sparse one.

use super::csr::Csr;
use super::split::{record, sharded};
use crate::array::Array;
use crate::manipulation::refused;
use phalanx_graph::{Error, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::promote;
use phalanx_ops::structured::Sparse;

impl Csr {
    /// The elements of the product of two dense matrices at the entries of this matrix, multiplied
    /// by its values: a matrix with these entries and the values `s[i, j] (x @ y)[i, j]`. The
    /// product itself is not computed. It is also called sampled dense-dense product (SDDMM).
    ///
    /// Shapes `(n, m), (n, k), (k, m) -> (n, m)`; dtype: the promotion of all three. Each device
    /// has the rows of `x` that are its rows of the matrix, and receives the columns of `y` that
    /// these need. Collectivity: as [`Csr::matvec`]. Errors: `OpError::Ndim`,
    /// `OpError::ContractedSizes`, `OpError::Argument` for a product of another shape.
    ///
    /// ```
    /// # use phalanx_array as phalanx;
    /// use phalanx::sparse::Csr;
    /// # fn example(seen: &Csr, users: &phalanx::Array, items: &phalanx::Array)
    /// # -> Result<Csr, phalanx::Error> {
    /// // The errors of a factorisation at the elements that are known.
    /// let ones = seen.with_values(&phalanx::ones_like(seen.values(), None))?;
    /// let known = ones.sampled_product(users, &items.t())?;
    /// seen.with_values(&(seen.values() - known.values()))
    /// # }
    /// ```
    #[track_caller]
    pub fn sampled_product(&self, x: &Array, y: &Array) -> Result<Csr, Error> {
        let (site, operation) = (call_site(), "sampled_product");
        for operand in [x, y] {
            let ndim = operand.ok()?.ndim();
            if ndim != 2 {
                return Err(Error::op(OpError::Ndim { operation, expected: "2", ndim }, site));
            }
        }
        let (left, right) = (x.shape(), y.shape());
        if left[1] != right[0] {
            let (left, right) = (left.into(), right.into());
            return Err(Error::op(OpError::ContractedSizes { operation, left, right }, site));
        }
        let shape = [left[0], right[1]];
        if shape != self.shape() {
            let value = format!("a product of shape {shape:?} for {:?}", self.shape());
            return Err(refused(operation, "y", value, site));
        }
        within(site, || {
            let dtype = promote(promote(self.dtype(), x.dtype()), y.dtype());
            let [values, x, y] = [self.values(), x, y].map(|given| given.converted(dtype, site));
            let x = match self.row_split() {
                Some(split) => x.with_sharding(sharded(0, 2, split)),
                None => x,
            };
            let (columns, y, is_local) = match self.needs_of_dense(site)? {
                Some(needs) => (&needs.places, needs.rows_of(&y.t(), site)?, true),
                None => (&self.columns, y.t(), false),
            };
            let values = self.as_entries(values);
            let operands = [columns, &self.starts, &self.ends, &values, &x, &y];
            Ok(self.of_values(record(Sparse::SampledProduct { is_local }, &operands, site)?))
        })
    }
}
