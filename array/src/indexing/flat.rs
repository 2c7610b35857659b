//! All elements in C order as a vector: NumPy's `a.flat`.

use super::advanced::{AnyIndex, all_basic};
use super::linear::steps;
use super::positions::Mode;
use crate::array::{Argument, Array, cast_scalar, real_number};
use crate::creation::arange;
use crate::floating::warn_assigned;
use crate::manipulation::refused;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{Index, Kind, Scalar};

impl Array {
    /// NumPy's `a.flat[...]`: a copy of the elements that an index of one axis selects among all
    /// elements in C order. Collectivity and errors: as for [`Array::index`].
    #[track_caller]
    #[must_use]
    pub fn flat_index(&self, items: impl AsRef<[AnyIndex]>) -> Array {
        within(call_site(), || self.reshape([-1]).index(items).copy())
    }

    /// The element at a position in C order: the array of NumPy's `a.item(position)`. Local.
    /// Errors: `OpError::Index`.
    #[track_caller]
    #[must_use]
    pub fn flat_at(&self, position: i64) -> Array {
        within(call_site(), || self.ravel().slice([Index::At(position)]))
    }

    /// NumPy's `a.flat[...] = values`: values are repeated as often as needed.
    ///
    /// Collectivity: as for [`Array::index`]. Errors: those of [`Array::index`] and
    /// [`Array::try_put`]; for one position also `OpError::Sequence` for a value with axes, and
    /// `OpError::Argument` for a complex number and real elements.
    ///
    /// ```
    /// # use phalanx_array as phalanx;
    /// use phalanx::{Array, Error, ix};
    /// # fn example(a: &Array, values: &Array) -> Result<(), Error> {
    /// // a.flat[1:7] = values
    /// a.try_assign_flat(ix![1..7], values)
    /// # }
    /// ```
    #[track_caller]
    pub fn try_assign_flat(
        &self,
        items: impl AsRef<[AnyIndex]>,
        values: impl Into<Argument>,
    ) -> Result<(), Error> {
        let (site, items, values) = (call_site(), items.as_ref(), values.into());
        let flat = within(site, || self.reshape([-1]).into_result())?;
        let is_element = matches!(items, [AnyIndex::Basic(Index::At(_))]);
        if is_element {
            self.check_flat_element(&values, site)?;
        }
        warn_assigned(&values, self.dtype(), site)?;
        let values = match values {
            Argument::Scalar(scalar) if !is_element => {
                cast_scalar(self.dtype(), scalar, site)?.into()
            }
            values => values,
        };
        let is_one = !matches!(&values, Argument::Array(array) if array.size() != 1);
        // One value needs no positions if the vector is a view.
        if let Some(items) = all_basic(items).filter(|_| is_one && flat.has_base_of(self)) {
            return within(site, || {
                let value = match values {
                    Argument::Array(one) => Argument::Array(one.reshape(())),
                    number => number,
                };
                flat.slice(items).into_result()?.try_assign(value)
            });
        }
        let positions = within(site, || self.all_positions(site)?.index(items).into_result())?;
        within(site, || self.try_put(&positions, values, Mode::Raise))
    }

    /// NumPy's `a.flat = values`: writes values to all elements in C order, repeated as often as
    /// needed. Local. Errors: those of [`Array::try_put`].
    #[track_caller]
    pub fn try_fill_flat(&self, values: impl Into<Argument>) -> Result<(), Error> {
        let (site, values) = (call_site(), values.into());
        self.ok()?;
        warn_assigned(&values, self.dtype(), site)?;
        within(site, || match values {
            Argument::Array(values) if values.ndim() > 0 => {
                self.try_put(&self.all_positions(site)?, values, Mode::Raise)
            }
            Argument::Scalar(scalar) => self.try_assign(cast_scalar(self.dtype(), scalar, site)?),
            one => self.try_assign(one),
        })
    }

    /// Refuses a value for one element of `flat`: with the same error for every dtype, unlike
    /// [`Array::try_assign_at`].
    fn check_flat_element(&self, value: &Argument, site: Site) -> Result<(), Error> {
        let number = match value {
            Argument::Array(array) if array.ndim() > 0 => {
                return Err(Error::op(OpError::Sequence { is_type: false }, site));
            }
            Argument::Weak(weak) => *weak,
            Argument::Scalar(scalar) if self.dtype().kind() == Kind::Signed => real_number(*scalar),
            Argument::Scalar(_) | Argument::Array(_) => return Ok(()),
        };
        match Scalar::assigned(self.dtype(), number) {
            Ok(_) => Ok(()),
            Err(OpError::OutOfRange { value, .. }) => Err(refused("flat", "value", value, site)),
            Err(_) => Err(refused("flat", "value", "a complex number", site)),
        }
    }

    /// The positions of all elements.
    fn all_positions(&self, site: Site) -> Result<Array, Error> {
        let mesh = self.mesh()?;
        mesh.enter(|| within(site, || arange(0, self.size() as i64, 1))).into_result()
    }
}

/// The index along each axis of a position in C order: NumPy's `flatiter.coords`. Local.
///
/// ```
/// # use phalanx_array as phalanx;
/// assert_eq!(phalanx::flat_coordinates(&[2, 3, 4], 17), [1, 1, 1]);
/// ```
#[must_use]
pub fn flat_coordinates(shape: &[usize], position: usize) -> Vec<usize> {
    let along = |(&extent, step): (&usize, i64)| position / step as usize % extent.max(1);
    shape.iter().zip(steps(shape)).map(along).collect()
}
