//! Linear operators: what the solvers need to know of a matrix.

use crate::array::Array;
use crate::manipulation::{refused, stack};
use crate::products::{conjugated, matmul};
use crate::sparse::Csr;
use phalanx_graph::{Error, Site, call_site, outside, within};
use phalanx_ops::DType;
use phalanx_ops::error::OpError;
use std::sync::OnceLock;

/// A linear map of vectors, of which only products are needed: a sparse matrix, an array with two
/// axes, or a [`Function`].
///
/// The solvers call the methods on every process, in the same order. An implementation must take no
/// decision by data of one process alone.
pub trait LinearOperator {
    /// The numbers of rows and columns. Local.
    fn shape(&self) -> [usize; 2];

    /// The dtype of the elements. Local.
    fn dtype(&self) -> DType;

    /// The product with a vector. Shapes `(columns) -> (rows)`. Local (records nodes), unless the
    /// implementation observes values.
    fn apply(&self, x: &Array) -> Result<Array, Error>;

    /// The product of the conjugate transpose with a vector. Shapes `(rows) -> (columns)`. Local
    /// or Collective as [`LinearOperator::apply`]. Errors: `OpError::Arguments` for an operator
    /// without an adjoint.
    #[track_caller]
    fn apply_adjoint(&self, _x: &Array) -> Result<Array, Error> {
        let problem = "the operator has no adjoint; pass one with Function::with_adjoint";
        Err(Error::op(OpError::Arguments { operation: "apply_adjoint", problem }, call_site()))
    }

    /// The products with the columns of a matrix. Shapes `(columns, k) -> (rows, k)`. The default
    /// applies the operator to each column.
    #[track_caller]
    fn apply_block(&self, x: &Array) -> Result<Array, Error> {
        by_columns(self.shape()[0], x, call_site(), &|column| self.apply(column))
    }

    /// The products of the conjugate transpose with the columns of a matrix. Shapes
    /// `(rows, k) -> (columns, k)`. The default applies the adjoint to each column.
    #[track_caller]
    fn apply_adjoint_block(&self, x: &Array) -> Result<Array, Error> {
        by_columns(self.shape()[1], x, call_site(), &|column| self.apply_adjoint(column))
    }

    /// A vector with an element for each row, on the devices that have the rows of the operator, so
    /// that the vectors of a solver and products are split alike. The default is the vector itself.
    /// Local (records nodes).
    fn placed(&self, vector: &Array) -> Result<Array, Error> {
        Ok(vector.clone())
    }

    /// The sum of the diagonal (0-d), if it is cheap to compute. [`expm_multiply`] then needs fewer
    /// products. Local (records nodes).
    ///
    /// [`expm_multiply`]: crate::sparse::linalg::expm_multiply
    fn trace(&self) -> Result<Option<Array>, Error> {
        Ok(None)
    }

    /// The largest sum of absolute values of a column (0-d), if it is cheap to compute. Local
    /// (records nodes).
    fn one_norm(&self) -> Result<Option<Array>, Error> {
        Ok(None)
    }

    /// The same operator for many products with vectors of a dtype: with its values converted, and
    /// with what products need made once. `None` stands for the operator itself. Local, or
    /// Collective over the mesh for a matrix whose entries must be sorted.
    fn prepared(&self, _dtype: DType) -> Result<Option<Box<dyn LinearOperator + '_>>, Error> {
        Ok(None)
    }
}

/// The products with the columns of a matrix, one by one.
fn by_columns(
    rows: usize,
    x: &Array,
    site: Site,
    apply: &dyn Fn(&Array) -> Result<Array, Error>,
) -> Result<Array, Error> {
    within(site, || {
        let ndim = x.ok()?.ndim();
        if ndim != 2 {
            let (operation, expected) = ("apply_block", "2");
            return Err(Error::op(OpError::Ndim { operation, expected, ndim }, site));
        }
        let columns = x.shape()[1];
        if columns == 0 {
            let nothing = || crate::creation::zeros([rows, 0], x.dtype());
            return x.mesh()?.enter(nothing).into_result();
        }
        let column = |at: usize| apply(&x.slice(crate::s![.., at as i64]).copy());
        let products = (0..columns).map(column).collect::<Result<Vec<Array>, Error>>()?;
        stack(&products.iter().collect::<Vec<_>>(), 1).into_result()
    })
}

/// A sparse matrix that keeps its conjugate transpose, which the first product with it makes.
///
/// A [`Csr`] is an operator too. Its conjugate transpose is made by every call of a solver that
/// needs it; with this type, calls share it.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::sparse::Csr;
/// use phalanx::sparse::linalg::{LinearOperator, SparseOperator};
/// # fn example(matrix: Csr, x: &phalanx::Array) -> Result<phalanx::Array, phalanx::Error> {
/// let operator = SparseOperator::from(matrix);
/// operator.apply_adjoint(&operator.apply(x)?)
/// # }
/// ```
pub struct SparseOperator {
    matrix: Csr,
    adjoint: OnceLock<Csr>,
}

impl From<Csr> for SparseOperator {
    fn from(matrix: Csr) -> SparseOperator {
        SparseOperator { matrix, adjoint: OnceLock::new() }
    }
}

impl SparseOperator {
    /// The matrix. Local.
    pub fn matrix(&self) -> &Csr {
        &self.matrix
    }

    /// The conjugate transpose. The first call is Collective over the mesh, later ones are Local.
    /// Errors: those of [`Csr::transpose`].
    #[track_caller]
    pub fn adjoint(&self) -> Result<&Csr, Error> {
        if let Some(adjoint) = self.adjoint.get() {
            return Ok(adjoint);
        }
        let site = call_site();
        let made = within(site, || {
            let transpose = self.matrix.transpose()?;
            Ok::<Csr, Error>(transpose.of_values(conjugated(transpose.values())))
        })?;
        Ok(self.adjoint.get_or_init(|| made))
    }
}

impl LinearOperator for SparseOperator {
    fn shape(&self) -> [usize; 2] {
        self.matrix.shape()
    }

    fn dtype(&self) -> DType {
        self.matrix.dtype()
    }

    #[track_caller]
    fn apply(&self, x: &Array) -> Result<Array, Error> {
        self.matrix.matvec(x).into_result()
    }

    #[track_caller]
    fn apply_adjoint(&self, x: &Array) -> Result<Array, Error> {
        self.adjoint()?.matvec(x).into_result()
    }

    #[track_caller]
    fn apply_block(&self, x: &Array) -> Result<Array, Error> {
        self.matrix.matmat(x).into_result()
    }

    #[track_caller]
    fn apply_adjoint_block(&self, x: &Array) -> Result<Array, Error> {
        self.adjoint()?.matmat(x).into_result()
    }

    fn placed(&self, vector: &Array) -> Result<Array, Error> {
        Csr::placed(&self.matrix, vector)
    }

    #[track_caller]
    fn trace(&self) -> Result<Option<Array>, Error> {
        let site = call_site();
        within(site, || super::entries::diagonal(&self.matrix)?.sum(()).into_result().map(Some))
    }

    #[track_caller]
    fn one_norm(&self) -> Result<Option<Array>, Error> {
        let site = call_site();
        within(site, || super::entries::column_sums(&self.matrix)?.max(()).into_result().map(Some))
    }

    fn prepared(&self, dtype: DType) -> Result<Option<Box<dyn LinearOperator + '_>>, Error> {
        if dtype == self.dtype() {
            return Ok(None);
        }
        let converted = |matrix: &Csr| matrix.astype(dtype);
        let made = SparseOperator::from(converted(&self.matrix)?);
        if let Some(adjoint) = self.adjoint.get() {
            let adjoint = converted(adjoint)?;
            made.adjoint.get_or_init(|| adjoint);
        }
        Ok(Some(Box::new(made)))
    }
}

impl LinearOperator for Csr {
    fn shape(&self) -> [usize; 2] {
        Csr::shape(self)
    }

    fn dtype(&self) -> DType {
        Csr::dtype(self)
    }

    #[track_caller]
    fn apply(&self, x: &Array) -> Result<Array, Error> {
        self.matvec(x).into_result()
    }

    #[track_caller]
    fn apply_adjoint(&self, x: &Array) -> Result<Array, Error> {
        SparseOperator::from(self.clone()).apply_adjoint(x)
    }

    #[track_caller]
    fn apply_block(&self, x: &Array) -> Result<Array, Error> {
        self.matmat(x).into_result()
    }

    #[track_caller]
    fn apply_adjoint_block(&self, x: &Array) -> Result<Array, Error> {
        SparseOperator::from(self.clone()).apply_adjoint_block(x)
    }

    fn placed(&self, vector: &Array) -> Result<Array, Error> {
        Csr::placed(self, vector)
    }

    #[track_caller]
    fn trace(&self) -> Result<Option<Array>, Error> {
        SparseOperator::from(self.clone()).trace()
    }

    #[track_caller]
    fn one_norm(&self) -> Result<Option<Array>, Error> {
        SparseOperator::from(self.clone()).one_norm()
    }

    fn prepared(&self, dtype: DType) -> Result<Option<Box<dyn LinearOperator + '_>>, Error> {
        let converted = if dtype == self.dtype() { self.clone() } else { self.astype(dtype)? };
        Ok(Some(Box::new(SparseOperator::from(converted))))
    }
}

/// An array with two axes is the operator of its matrix product. With another number of axes its
/// shape is `[0, 0]`, which the solvers refuse for a vector with elements.
impl LinearOperator for Array {
    fn shape(&self) -> [usize; 2] {
        match *Array::shape(self) {
            [rows, columns] => [rows, columns],
            _ => [0, 0],
        }
    }

    fn dtype(&self) -> DType {
        Array::dtype(self)
    }

    #[track_caller]
    fn apply(&self, x: &Array) -> Result<Array, Error> {
        matmul(self, x).into_result()
    }

    #[track_caller]
    fn apply_adjoint(&self, x: &Array) -> Result<Array, Error> {
        let site = call_site();
        within(site, || conjugated(&matmul(&conjugated(x), self)).into_result())
    }

    #[track_caller]
    fn apply_block(&self, x: &Array) -> Result<Array, Error> {
        matmul(self, x).into_result()
    }

    #[track_caller]
    fn apply_adjoint_block(&self, x: &Array) -> Result<Array, Error> {
        let site = call_site();
        within(site, || conjugated(&matmul(&self.t(), &conjugated(x))).into_result())
    }

    #[track_caller]
    fn trace(&self) -> Result<Option<Array>, Error> {
        Array::trace(self, 0, 0, 1).into_result().map(Some)
    }

    #[track_caller]
    fn one_norm(&self) -> Result<Option<Array>, Error> {
        let site = call_site();
        within(site, || self.absolute().sum(0).max(()).into_result().map(Some))
    }

    fn prepared(&self, dtype: DType) -> Result<Option<Box<dyn LinearOperator + '_>>, Error> {
        if dtype == Array::dtype(self) {
            return Ok(None);
        }
        Ok(Some(Box::new(self.astype(dtype).into_result()?)))
    }
}

/// A product of an operator, as a function of the other factor.
type Product<'a> = Box<dyn Fn(&Array) -> Result<Array, Error> + 'a>;

/// A linear operator of functions that compute its products.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::sparse::linalg::Function;
/// use phalanx_ops::DType;
/// # fn example() -> Function<'static> {
/// Function::new([9, 9], DType::F64, |x| (x * 2.0).into_result())
/// # }
/// ```
pub struct Function<'a> {
    shape: [usize; 2],
    dtype: DType,
    product: Product<'a>,
    adjoint: Option<Product<'a>>,
    block: Option<Product<'a>>,
}

impl<'a> Function<'a> {
    /// The operator with this product with vectors. The function must be linear, and record the
    /// same operations on every process. Local.
    pub fn new(
        shape: [usize; 2],
        dtype: DType,
        product: impl Fn(&Array) -> Result<Array, Error> + 'a,
    ) -> Function<'a> {
        Function { shape, dtype, product: Box::new(product), adjoint: None, block: None }
    }

    /// Adds the product of the conjugate transpose with vectors. Local.
    #[must_use]
    pub fn with_adjoint(
        self,
        adjoint: impl Fn(&Array) -> Result<Array, Error> + 'a,
    ) -> Function<'a> {
        Function { adjoint: Some(Box::new(adjoint)), ..self }
    }

    /// Adds the product with matrices, which otherwise is computed column by column. Local.
    #[must_use]
    pub fn with_block(self, block: impl Fn(&Array) -> Result<Array, Error> + 'a) -> Function<'a> {
        Function { block: Some(Box::new(block)), ..self }
    }
}

impl LinearOperator for Function<'_> {
    fn shape(&self) -> [usize; 2] {
        self.shape
    }

    fn dtype(&self) -> DType {
        self.dtype
    }

    fn apply(&self, x: &Array) -> Result<Array, Error> {
        outside(|| (self.product)(x))
    }

    #[track_caller]
    fn apply_adjoint(&self, x: &Array) -> Result<Array, Error> {
        match &self.adjoint {
            Some(adjoint) => outside(|| adjoint(x)),
            None => {
                let problem = "the operator has no adjoint; pass one with Function::with_adjoint";
                let error = OpError::Arguments { operation: "apply_adjoint", problem };
                Err(Error::op(error, call_site()))
            }
        }
    }

    #[track_caller]
    fn apply_block(&self, x: &Array) -> Result<Array, Error> {
        match &self.block {
            Some(block) => outside(|| block(x)),
            None => by_columns(self.shape[0], x, call_site(), &|column| self.apply(column)),
        }
    }
}

/// An operator as a solver uses it: prepared for the dtype in which it computes, its products
/// checked.
pub(super) struct Prepared<'a> {
    operator: Form<'a>,
    dtype: DType,
    name: &'static str,
    site: Site,
}

enum Form<'a> {
    Given(&'a dyn LinearOperator),
    Made(Box<dyn LinearOperator + 'a>),
}

impl<'a> Prepared<'a> {
    pub(super) fn new(
        operator: &'a dyn LinearOperator,
        dtype: DType,
        name: &'static str,
        site: Site,
    ) -> Result<Prepared<'a>, Error> {
        let operator = match operator.prepared(dtype)? {
            Some(made) => Form::Made(made),
            None => Form::Given(operator),
        };
        Ok(Prepared { operator, dtype, name, site })
    }

    pub(super) fn get(&self) -> &dyn LinearOperator {
        match &self.operator {
            Form::Given(operator) => *operator,
            Form::Made(operator) => operator.as_ref(),
        }
    }

    pub(super) fn shape(&self) -> [usize; 2] {
        self.get().shape()
    }

    pub(super) fn apply(&self, x: &Array) -> Result<Array, Error> {
        self.checked(self.get().apply(x)?, &[self.shape()[0]])
    }

    pub(super) fn apply_adjoint(&self, x: &Array) -> Result<Array, Error> {
        self.checked(self.get().apply_adjoint(x)?, &[self.shape()[1]])
    }

    pub(super) fn apply_block(&self, x: &Array) -> Result<Array, Error> {
        self.checked(self.get().apply_block(x)?, &[self.shape()[0], x.shape()[1]])
    }

    pub(super) fn apply_adjoint_block(&self, x: &Array) -> Result<Array, Error> {
        self.checked(self.get().apply_adjoint_block(x)?, &[self.shape()[1], x.shape()[1]])
    }

    /// The product in the solver's dtype. Errors: `OpError::Argument` for another shape.
    fn checked(&self, product: Array, shape: &[usize]) -> Result<Array, Error> {
        if product.ok()?.shape() != shape {
            let value = format!("{:?} in place of {shape:?}", product.shape());
            return Err(refused(self.name, "the shape of a product", value, self.site));
        }
        product.converted(self.dtype, self.site).into_result()
    }
}
