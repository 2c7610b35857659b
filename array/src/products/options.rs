//! Products with the options of NumPy's generalised ufuncs: the axes that are multiplied, the
//! dtype, and the output.

use super::checks::{self, Sums};
use crate::array::{Array, check_casting_at};
use crate::floating::{check_product, looks, warn_discarded};
use crate::manipulation::{MemoryOrder, moveaxis, refused, sound};
use crate::products::{matmul, matvec, vecdot, vecmat};
use crate::ufunc::Asked;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{Casting, DType, can_cast, promote};

/// A product of two operands that is a generalised ufunc in NumPy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Product {
    /// [`matmul`].
    Matmul,
    /// [`matvec`].
    Matvec,
    /// [`vecmat`].
    Vecmat,
    /// [`vecdot`], along the last axes.
    Vecdot,
}

/// The options of a product.
#[derive(Clone, Debug)]
pub struct ProductOptions {
    /// The multiplied axes of the left operand, of the right operand and of the result. `None`
    /// selects the last axes. The entry of the result may be absent for [`Product::Vecdot`].
    pub axes: Option<Vec<Vec<i64>>>,
    /// The axis of both operands that [`Product::Vecdot`] sums over, instead of `axes`.
    pub axis: Option<i64>,
    /// The dtype of the computation.
    pub dtype: Option<DType>,
    /// The dtypes of the loop, as in [`UfuncOptions::signature`](crate::UfuncOptions::signature):
    /// those of two operands and of a result. All three are equal in every loop of a product.
    pub signature: Option<Vec<Option<DType>>>,
    /// The casts that are allowed for operands, and for the result to `out`.
    pub casting: Casting,
    /// The array that receives the result and is returned. Before the multiplied axes it may have
    /// longer or more axes than the operands.
    pub out: Option<Array>,
    /// Whether the axis that [`Product::Vecdot`] sums over remains, with extent 1.
    pub keepdims: bool,
    /// The order of axes in memory of a result without `out`. `A` is `F` if all operands are in
    /// Fortran order, and `K` keeps the order of the product.
    pub order: MemoryOrder,
}

impl Default for ProductOptions {
    fn default() -> ProductOptions {
        let casting = Casting::SameKind;
        let order = MemoryOrder::K;
        let (axes, axis, dtype, signature, out) = (None, None, None, None, None);
        ProductOptions { axes, axis, dtype, signature, casting, out, keepdims: false, order }
    }
}

impl ProductOptions {
    /// Warns of the imaginary parts of a product in `computed` that the output discards.
    pub(super) fn warn_of_output(&self, computed: DType, site: Site) -> Result<(), Error> {
        match &self.out {
            Some(out) if can_cast(computed, out.dtype(), self.casting) => {
                warn_discarded(computed, out.dtype(), site)
            }
            _ => Ok(()),
        }
    }
}

impl Product {
    const fn name(self) -> &'static str {
        match self {
            Product::Matmul => "matmul",
            Product::Matvec => "matvec",
            Product::Vecmat => "vecmat",
            Product::Vecdot => "vecdot",
        }
    }

    /// The numbers of multiplied axes of the left operand, of the right operand and of the result.
    fn axes_of(self, a: &Array, b: &Array) -> [usize; 3] {
        match self {
            Product::Matmul => {
                let [m, n] = [a, b].map(|array| array.ndim().min(2));
                [m, n, (m + n).saturating_sub(2)]
            }
            Product::Matvec => [2, 1, 1],
            Product::Vecmat => [1, 2, 1],
            Product::Vecdot => [1, 1, 0],
        }
    }

    fn sums<'a>(self, a: &'a Array, b: &'a Array) -> Sums<'a> {
        match self {
            Product::Matmul => checks::of_matmul(a, b),
            Product::Matvec => checks::of_matvec(a, b),
            Product::Vecmat => checks::of_vecmat(a, b),
            Product::Vecdot => checks::of_vecdot(a, b, -1),
        }
    }

    fn dtype(self, a: &Array, b: &Array, options: &ProductOptions) -> Result<DType, OpError> {
        let operands = [a.dtype(), b.dtype()];
        let signature = options.signature.as_deref();
        let asked = Asked::of(self.name(), [2, 1], options.dtype, signature)?;
        let chosen = match asked {
            Some(asked) => asked.of_product(self.name(), operands)?,
            None => None,
        };
        Ok(chosen.unwrap_or(promote(operands[0], operands[1])))
    }

    fn compute(self, a: &Array, b: &Array) -> Array {
        match self {
            Product::Matmul => matmul(a, b),
            Product::Matvec => matvec(a, b),
            Product::Vecmat => vecmat(a, b),
            Product::Vecdot => vecdot(a, b, -1),
        }
    }
}

/// The dtype in which a product would be computed. Local. Errors: those of the operands;
/// `OpError::NoLoop`, `OpError::Arguments` and `OpError::Argument` as for [`product`].
#[track_caller]
pub fn product_dtype(
    product: Product,
    a: &Array,
    b: &Array,
    options: &ProductOptions,
) -> Result<DType, Error> {
    sound([a, b])?;
    product.dtype(a, b, options).map_err(|error| Error::op(error, call_site()))
}

/// A product with options. Local (records nodes). Errors: those of the product, `OpError::Cast`,
/// `OpError::Axis`, `OpError::BroadcastInto` for an output of another shape, `OpError::Argument`
/// for another number of axes, `OpError::Arguments` for `axis` beside `axes`.
#[track_caller]
#[must_use]
pub fn product(product: Product, a: &Array, b: &Array, options: &ProductOptions) -> Array {
    let site = call_site();
    Array::catch((|| {
        sound([a, b])?;
        let dtype = product.dtype(a, b, options).map_err(|error| Error::op(error, site))?;
        options.warn_of_output(dtype, site)?;
        let is_checked = looks();
        within(site, || try_product(product, (a, b), is_checked, options, site))
    })())
}

fn try_product(
    product: Product,
    (a, b): (&Array, &Array),
    is_checked: bool,
    options: &ProductOptions,
    site: Site,
) -> Result<Array, Error> {
    sound([a, b])?;
    let mut counts = product.axes_of(a, b);
    if options.keepdims && product == Product::Vecdot {
        counts[2] = 1;
    }
    let given = [a, b];
    let mut operands = given.map(Array::clone);
    let dtype = product.dtype(a, b, options).map_err(|error| Error::op(error, site))?;
    for operand in &mut operands {
        check_casting_at(operand.dtype(), dtype, options.casting, site)?;
        *operand = operand.converted(dtype, site);
    }
    let axes = axes(product, counts, options, site)?;
    for (operand, (axes, count)) in operands.iter_mut().zip(axes.iter().zip(counts)) {
        *operand = moveaxis(operand, axes.clone(), last(count)).into_result()?;
    }
    let [a, b] = &operands;
    let mut result = product.compute(a, b).into_result()?;
    if is_checked {
        check_product(product.name(), product.sums(a, b), &result, site);
    }
    if options.keepdims && product == Product::Vecdot {
        result = result.expand_dims(-1);
    }
    let Some(out) = &options.out else {
        let result = moveaxis(&result, last(counts[2]), axes[2].clone());
        return result.ordered_as(options.order, &given);
    };
    check_casting_at(result.dtype(), out.ok()?.dtype(), options.casting, site)?;
    let target = moveaxis(out, axes[2].clone(), last(counts[2])).into_result()?;
    let mut pairs = result.shape().iter().rev().zip(target.shape().iter().rev()).enumerate();
    let fits = result.ndim() <= target.ndim()
        && pairs.all(|(place, (&own, &there))| own == there || place >= counts[2] && own == 1);
    if !fits {
        let (value, target) = (result.shape().into(), target.shape().into());
        return Err(Error::op(OpError::BroadcastInto { value, target }, site));
    }
    target.try_assign(&result)?;
    Ok(out.clone())
}

/// The multiplied axes of both operands and of the result.
fn axes(
    product: Product,
    counts: [usize; 3],
    options: &ProductOptions,
    site: Site,
) -> Result<[Vec<i64>; 3], Error> {
    let operation = product.name();
    let given = match (&options.axes, options.axis) {
        (None, None) => return Ok(counts.map(last)),
        (Some(given), None) => given,
        (Some(_), Some(_)) => {
            let problem = "cannot specify both 'axis' and 'axes'";
            return Err(Error::op(OpError::Arguments { operation, problem }, site));
        }
        // The axis that is kept has the position of the one that is summed over.
        (None, Some(axis)) if product == Product::Vecdot => {
            return Ok([vec![axis], vec![axis], vec![axis; counts[2]]]);
        }
        (None, Some(axis)) => return Err(refused(operation, "axis", axis.to_string(), site)),
    };
    let found = match given.as_slice() {
        [left, right, result] => [left.clone(), right.clone(), result.clone()],
        [left, right] if product == Product::Vecdot => {
            [left.clone(), right.clone(), last(counts[2])]
        }
        _ => return Err(refused(operation, "axes", format!("{} entries", given.len()), site)),
    };
    match found.iter().zip(counts).find(|(axes, count)| axes.len() != *count) {
        Some((axes, count)) => {
            let value = format!("{axes:?} (instead of {count} axes)");
            Err(refused(operation, "axes", value, site))
        }
        None => Ok(found),
    }
}

fn last(count: usize) -> Vec<i64> {
    (-(count as i64)..0).collect()
}
