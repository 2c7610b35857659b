//! Ufuncs of the user's own.

use super::elementwise::ElementwiseKernel;
use super::reduction::{ReductionCall, ReductionKernel, table_operation};
use crate::array::{Argument, Array};
use crate::creation::arange;
use crate::dtypes::result_type;
use crate::indexing::AnyIndex;
use crate::manipulation::{concatenate, refused};
use crate::math::{cumulative_as, select};
use crate::recording::elementwise;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::shape::normalize_axis;
use phalanx_ops::{DType, Index, Op, Scalar, Weak};

/// A ufunc that an expression in C++ defines: with one input or two, as NumPy's ufuncs.
///
/// The expression is as the texts of [`ElementwiseKernel`], and computes in the common dtype of the
/// inputs. Calls are recorded and fused as other operations are. The methods `reduce` and
/// `accumulate`, and `at` for indices that occur more than once, need an expression of two inputs
/// that is associative: values are combined in their order, but grouped as the devices need.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::user_kernels::{ReductionCall, UserUfunc};
/// # use phalanx::{Array, Error};
/// # fn example(x: &Array, y: &Array) -> Result<(), Error> {
/// let either = UserUfunc::new("either", "x, y", "x + y - x * y")?.with_identity("0");
/// let each = either.call(&[x.into(), y.into()])?;
/// let any = either.reduce(x, &ReductionCall::default())?;
/// let so_far = either.accumulate(x, 0)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct UserUfunc {
    name: String,
    inputs: Vec<String>,
    expression: String,
    identity: Option<String>,
    kernel: ElementwiseKernel,
}

impl UserUfunc {
    /// A ufunc with the names of its inputs, separated by commas, and its expression.
    ///
    /// Local. Errors: `OpError::KernelText` for names or an expression that are not understood;
    /// `OpError::Argument` for another number of inputs than one or two.
    #[track_caller]
    pub fn new(name: &str, inputs: &str, expression: &str) -> Result<UserUfunc, Error> {
        let site = call_site();
        let inputs: Vec<String> = inputs.split(',').map(|name| name.trim().to_string()).collect();
        if inputs.len() > 2 {
            let given = inputs.len().to_string();
            return Err(refused("ufunc_from", "inputs", given, site));
        }
        let kernel = within(site, || kernel(name, &inputs, expression, "T"))?;
        Ok(UserUfunc {
            name: name.to_string(),
            inputs,
            expression: expression.to_string(),
            identity: None,
            kernel,
        })
    }

    /// With results of another dtype than that of the inputs, such as bool for a comparison. Local.
    ///
    /// Errors: `OpError::KernelText`.
    #[track_caller]
    pub fn with_output(self, dtype: DType) -> Result<UserUfunc, Error> {
        let site = call_site();
        let kernel = within(site, || {
            kernel(&self.name, &self.inputs, &self.expression, dtype.numpy_name())
        })?;
        Ok(UserUfunc { kernel, ..self })
    }

    /// With the value of no element, an expression. Local.
    #[must_use]
    pub fn with_identity(self, identity: &str) -> UserUfunc {
        UserUfunc { identity: Some(identity.to_string()), ..self }
    }

    /// The name. Local.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of the inputs. Local.
    #[must_use]
    pub fn inputs(&self) -> &[String] {
        &self.inputs
    }

    /// The results for these inputs, which broadcast together. Dtype: the common one of the inputs,
    /// unless another one is given. Local.
    ///
    /// Errors: `OpError::KernelArguments` for another number of inputs; those of
    /// [`ElementwiseKernel::call`].
    #[track_caller]
    pub fn call(&self, inputs: &[Argument]) -> Result<Array, Error> {
        self.called(inputs, None, call_site())
    }

    /// As [`UserUfunc::call`], with the inputs cast to `dtype`. Local. Errors: as `call`, and
    /// `OpError::OutOfRange` and `OpError::Cast` for a number that `dtype` does not hold.
    #[track_caller]
    pub fn call_as(&self, inputs: &[Argument], dtype: DType) -> Result<Array, Error> {
        self.called(inputs, Some(dtype), call_site())
    }

    fn called(
        &self,
        inputs: &[Argument],
        dtype: Option<DType>,
        site: Site,
    ) -> Result<Array, Error> {
        within(site, || {
            let mut cast = inputs.to_vec();
            // Without an array and a dtype, the kernel finds the dtype of numbers itself.
            if dtype.is_some() || inputs.iter().any(|input| input.as_array().is_some()) {
                let dtype = dtype.map_or_else(|| result_type(inputs), Ok)?;
                for input in &mut cast {
                    *input = match input {
                        Argument::Array(array) => array.ok()?.converted(dtype, site).into(),
                        Argument::Scalar(scalar) => Argument::Scalar(scalar.cast(dtype)),
                        Argument::Weak(weak) => {
                            let scalar = Scalar::assigned(dtype, *weak);
                            Argument::Scalar(scalar.map_err(|error| Error::op(error, site))?)
                        }
                    };
                }
            }
            let mut results = self.kernel.call(&cast, None)?;
            Ok(results.swap_remove(0))
        })
    }

    /// The combination of the elements over axes, in order. Without elements it is the identity.
    /// Local.
    ///
    /// Errors: `OpError::Argument` for a ufunc with one input; those of [`ReductionKernel::call`].
    #[track_caller]
    pub fn reduce(&self, array: &Array, call: &ReductionCall) -> Result<Array, Error> {
        let site = call_site();
        within(site, || {
            let combine = self.combination("reduce", site)?;
            let kernel = ReductionKernel::new(
                &self.name,
                ("T value", "T result"),
                ["value", &combine, "result = a"],
                self.identity.as_deref(),
            )?;
            let mut results = kernel.call(&[array.into()], call)?;
            Ok(results.swap_remove(0))
        })
    }

    /// For each element along an axis, the combination of the elements up to it. Local.
    ///
    /// Sums and products are scans. Other expressions take as many steps as the extent has binary
    /// digits, in each of which all elements are combined with earlier ones (Hillis and Steele,
    /// Data parallel algorithms, 1986).
    ///
    /// Errors: `OpError::Argument`, `OpError::Axis`.
    #[track_caller]
    pub fn accumulate(&self, array: &Array, axis: i64) -> Result<Array, Error> {
        let site = call_site();
        within(site, || {
            let combine = self.combination("accumulate", site)?;
            let number =
                normalize_axis(axis, array.ok()?.ndim()).map_err(|error| Error::op(error, site))?;
            if let Some(op @ (Op::Add | Op::Multiply)) = table_operation(&combine) {
                return cumulative_as(array, op, axis, array.dtype()).into_result();
            }
            let together = |one: &Array, other: &Array| self.called_on(one, other, site);
            scanned(array, number, together)
        })
    }

    /// The results for all pairs of an element of `one` and an element of `other`. Local.
    ///
    /// Errors: `OpError::Argument`; those of [`UserUfunc::call`].
    #[track_caller]
    pub fn outer(&self, one: &Array, other: &Array) -> Result<Array, Error> {
        let site = call_site();
        within(site, || {
            self.combination("outer", site)?;
            let mut shape = one.ok()?.shape().to_vec();
            shape.resize(shape.len() + other.ok()?.ndim(), 1);
            let one = one.reshape(shape.as_slice()).into_result()?;
            self.called(&[one.into(), other.into()], None, site)
        })
    }

    /// `array[items] = op(array[items], values)`, in which an element that is indexed more than
    /// once gets all its values in order; without values for a ufunc with one input.
    ///
    /// Collective if a ufunc has one input, because the number of rounds depends on the indices;
    /// else Local. Errors: `OpError::KernelArguments` for values that are missing or too many;
    /// those of indices; `OpError::ReadOnly`.
    #[track_caller]
    pub fn at(
        &self,
        array: &Array,
        items: &[AnyIndex],
        values: Option<Argument>,
    ) -> Result<(), Error> {
        let site = call_site();
        within(site, || {
            let (shape, size) = (array.ok()?.shape().to_vec(), array.size());
            let places = array.mesh()?.enter(|| arange(0, size as i64, 1));
            let places = places.reshape(shape.as_slice()).into_result()?;
            let places = places.index(items).into_result()?;
            let indexed = places.shape().to_vec();
            let count = places.size();
            let places = places.reshape([count]).into_result()?;
            let values = match (self.inputs.len(), values) {
                (2, Some(values)) => {
                    let values = values.into_array().converted(array.dtype(), site);
                    let values = values.broadcast_to(indexed.as_slice()).into_result()?;
                    Some(values.reshape([count]).into_result()?)
                }
                (1, None) => None,
                (_, values) => {
                    let given = if values.is_some() { "values" } else { "no values" };
                    return Err(refused("at", "values", given.to_string(), site));
                }
            };
            let new = || {
                let flat = array.reshape([size]).copy().into_result()?;
                match &values {
                    Some(values) => self.combined_at(&flat, &places, values, site)?,
                    None => self.repeated_at(&flat, &places, site)?,
                }
                flat.reshape(shape.as_slice()).into_result()
            };
            array.rewrite(new, site)
        })
    }

    /// Combines elements of a vector with the values for their places, in order.
    fn combined_at(
        &self,
        flat: &Array,
        places: &Array,
        values: &Array,
        site: Site,
    ) -> Result<(), Error> {
        if values.size() == 0 {
            return Ok(());
        }
        // The values of one place follow each other, in the order in which they were given. Then
        // the last of them gets the combination of all, and its write is the one that stays.
        let order = places.argsort(0);
        let (places, mut values) = (places.take(&order, 0), values.take(&order, 0));
        let count = values.size();
        let mut distance = 1;
        while distance < count {
            let (later, earlier) = (from(distance), until(count - distance));
            let combined =
                self.called_on(&values.slice([earlier]), &values.slice([later]), site)?;
            let sides = [places.slice([later]).into(), places.slice([earlier]).into()];
            let is_same = elementwise(Op::Equal, &sides, site);
            let new = select(&is_same, &combined, values.slice([later])).into_result()?;
            values = concatenate(&[&values.slice([until(distance)]), &new], 0).into_result()?;
            distance *= 2;
        }
        let new = self.called_on(&flat.take(&places, 0), &values, site)?;
        flat.try_assign_index([AnyIndex::Array(places)], new)
    }

    /// Applies a ufunc with one input as often as each place occurs.
    fn repeated_at(&self, flat: &Array, places: &Array, site: Site) -> Result<(), Error> {
        let counts = crate::statistics::bincount(places, None, flat.size() as i64);
        let most = if places.size() == 0 { 0 } else { counts.max(()).item::<i64>()? };
        for round in 0..most {
            let new = self.called(&[flat.into()], None, site)?;
            let sides = [(&counts).into(), Weak::Int(round.into()).into()];
            let occurs = elementwise(Op::Greater, &sides, site);
            let new = select(&occurs, new.converted(flat.dtype(), site), flat);
            flat.try_assign(new.into_result()?)?;
        }
        Ok(())
    }

    /// The combination of two arrays of one dtype, in that dtype.
    fn called_on(&self, one: &Array, other: &Array, site: Site) -> Result<Array, Error> {
        let result = self.called(&[one.into(), other.into()], None, site)?;
        Ok(result.converted(one.dtype(), site))
    }

    /// The expression in the names `a` and `b`.
    fn combination(&self, method: &'static str, site: Site) -> Result<String, Error> {
        match self.inputs.as_slice() {
            [one, other] => Ok(renamed(&self.expression, [one, other])),
            _ => {
                let reason = format!("{}: it does not have two inputs", self.name);
                Err(refused(method, "operation", reason, site))
            }
        }
    }
}

/// The kernel of an expression.
#[track_caller]
fn kernel(
    name: &str,
    inputs: &[String],
    expression: &str,
    output: &str,
) -> Result<ElementwiseKernel, Error> {
    let of: Vec<String> = inputs.iter().map(|name| format!("T {name}")).collect();
    let result = "result_of_ufunc";
    let text = format!("{result} = {expression}");
    ElementwiseKernel::new(name, (&of.join(", "), &format!("{output} {result}")), &text)
}

/// A text with `a` and `b` in place of two names.
fn renamed(text: &str, names: [&str; 2]) -> String {
    let is_inside = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut renamed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if is_inside(first) {
            rest.find(|letter| !is_inside(letter)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (word, after) = rest.split_at(end);
        renamed.push_str(match names.iter().position(|&name| name == word) {
            Some(0) => "a",
            Some(_) => "b",
            None => word,
        });
        rest = after;
    }
    renamed
}

fn from(start: usize) -> Index {
    Index::Range { start: Some(start as i64), stop: None, step: 1 }
}

fn until(stop: usize) -> Index {
    Index::Range { start: None, stop: Some(stop as i64), step: 1 }
}

/// The combinations of the elements of an axis up to each.
fn scanned(
    array: &Array,
    axis: usize,
    together: impl Fn(&Array, &Array) -> Result<Array, Error>,
) -> Result<Array, Error> {
    let extent = array.shape()[axis];
    let part = |of: &Array, index: Index| {
        let mut items = vec![Index::Range { start: None, stop: None, step: 1 }; axis];
        items.push(index);
        of.slice(items).into_result()
    };
    let mut values = array.copy().into_result()?;
    let mut distance = 1;
    while distance < extent {
        let (earlier, later) =
            (part(&values, until(extent - distance))?, part(&values, from(distance))?);
        let new = together(&earlier, &later)?;
        let kept = part(&values, until(distance))?;
        values = concatenate(&[&kept, &new], axis as i64).into_result()?;
        distance *= 2;
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::renamed;

    #[test]
    fn names_are_replaced_as_words_and_at_once() {
        assert_eq!(renamed("x + y - x*y", ["x", "y"]), "a + b - a*b");
        assert_eq!(renamed("b*a + ab - max(b, 1.0f)", ["b", "a"]), "a*b + ab - max(a, 1.0f)");
        assert_eq!(renamed("é + x", ["x", "y"]), "é + a");
    }
}
