//! Assignment: an array, a scalar or a number is written into an array.

use super::argument::Argument;
use super::handle::Array;
use super::output::check_casting_at;
use crate::floating::check_number;
use crate::manipulation::refused;
use crate::recording::check_meshes;
use phalanx_graph::{Error, Operand, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::{Casting, DType, Kind, Scalar, Weak};

impl Array {
    /// Writes `value`, broadcast to this array's shape, into this array through the view: NumPy's
    /// `a[...] = value`.
    ///
    /// Arrays and scalars with a dtype are cast as by `astype`, so floats are truncated for an
    /// integer array. Plain numbers must fit the dtype, and so must scalars if it is a signed
    /// integer dtype.
    ///
    /// Local (records a node). On an error, this array and all its views carry the error. See
    /// [`Array::try_assign`] for the errors.
    #[track_caller]
    pub fn assign(&self, value: impl Into<Argument>) {
        if let Err(error) = self.assign_argument(&value.into(), call_site()) {
            self.poison(error);
        }
    }

    /// [`Array::assign`], but on an error the array keeps its elements and the error is returned.
    ///
    /// Errors: `OpError::BroadcastInto`, `OpError::OutOfRange` for a number that does not fit an
    /// integer dtype, `DataError::Floating` for one whose cast has an error that
    /// [`errstate`](crate::errstate) raises, `OpError::Cast` for a complex number and a real dtype,
    /// `OpError::Argument` for a view that cannot be written, `OpError::Meshes`.
    #[track_caller]
    pub fn try_assign(&self, value: impl Into<Argument>) -> Result<(), Error> {
        self.assign_argument(&value.into(), call_site())
    }

    pub(super) fn assign_argument(&self, value: &Argument, site: Site) -> Result<(), Error> {
        check_meshes(std::iter::once(self).chain(value.as_array()), site)?;
        match value {
            Argument::Array(array) => self.assign_at(array, Casting::Unsafe, site),
            Argument::Weak(weak) => {
                self.write_scalar(assigned_number(self.dtype(), *weak, site)?, site)
            }
            // As in NumPy, a signed integer dtype takes the scalar as a number.
            Argument::Scalar(scalar) if self.dtype().kind() == Kind::Signed => {
                let number = real_number(*scalar);
                self.write_scalar(assigned_number(self.dtype(), number, site)?, site)
            }
            Argument::Scalar(scalar) => {
                self.write_scalar(cast_scalar(self.dtype(), *scalar, site)?, site)
            }
        }
    }

    fn write_scalar(&self, scalar: Scalar, site: Site) -> Result<(), Error> {
        self.check_writable(site)?;
        self.write(Operand::Scalar(scalar), site)
    }

    pub(crate) fn check_writable(&self, site: Site) -> Result<(), Error> {
        let text = match (self.is_element(), self.base_view()?.is_read_only) {
            (false, false) => return Ok(()),
            (true, _) => "an element, which never changes",
            (false, true) => "a read-only view",
        };
        Err(refused("assign", "target", text, site))
    }

    /// Writes an array, cast under the rule `casting`.
    pub(crate) fn assign_at(
        &self,
        value: &Array,
        casting: Casting,
        site: Site,
    ) -> Result<(), Error> {
        let value = self.assigned(value, casting, site)?;
        value.map_or(Ok(()), |value| self.write(value, site))
    }

    /// What a write of an array, cast under the rule `casting`, writes; `None` if it changes
    /// nothing.
    pub(super) fn assigned(
        &self,
        value: &Array,
        casting: Casting,
        site: Site,
    ) -> Result<Option<Operand>, Error> {
        value.ok()?;
        self.ok()?;
        let (from, to) = (value.dtype(), self.dtype());
        check_casting_at(from, to, casting, site)?;
        self.check_writable(site)?;
        // `a[i] += 1` of Python ends with `a[i] = a[i]`.
        if value.has_base_of(self) && value.base_view()? == self.base_view()? {
            return Ok(None);
        }
        let value = within(site, || without_leading(value, self.ndim()));
        let fits = value.ndim() <= self.ndim()
            && value
                .shape()
                .iter()
                .rev()
                .zip(self.shape().iter().rev())
                .all(|(&v, &t)| v == t || v == 1);
        if !fits {
            let error =
                OpError::BroadcastInto { value: value.shape().into(), target: self.shape().into() };
            return Err(Error::op(error, site));
        }
        let value = if from == to { value } else { value.checked_astype_at(to, site) };
        value.operand(site).map(Some)
    }
}

/// The element that results from assigning a number to an element of `dtype`. Errors: those of
/// [`Scalar::assigned`], and the floating-point error of the cast.
pub(crate) fn assigned_number(dtype: DType, number: Weak, site: Site) -> Result<Scalar, Error> {
    let element = Scalar::assigned(dtype, number).map_err(|error| Error::op(error, site))?;
    check_number(number, element, site)?;
    Ok(element)
}

/// The element of a number, of which NumPy makes an array first. Errors: those of
/// [`Scalar::wrapped`], and the floating-point error of the cast.
pub(crate) fn wrapped_number(dtype: DType, number: Weak, site: Site) -> Result<Scalar, Error> {
    let element = Scalar::wrapped(dtype, number).map_err(|error| Error::op(error, site))?;
    check_number(number, element, site)?;
    Ok(element)
}

/// The scalar as a number without a dtype, and without its imaginary part.
pub(crate) fn real_number(scalar: Scalar) -> Weak {
    match scalar.to_weak() {
        Weak::Complex(number) => Weak::Float(number.re),
        number => number,
    }
}

/// The scalar cast as by `astype`. Errors: the floating-point error of the cast.
pub(crate) fn cast_scalar(dtype: DType, scalar: Scalar, site: Site) -> Result<Scalar, Error> {
    let element = scalar.cast(dtype);
    check_number(scalar.to_weak(), element, site)?;
    Ok(element)
}

/// The value without its surplus leading axes, if their extent is 1, for a write into an array of
/// `ndim` axes.
pub(crate) fn without_leading(value: &Array, ndim: usize) -> Array {
    let extra = value.ndim().saturating_sub(ndim);
    if extra > 0 && value.shape()[..extra].iter().all(|&extent| extent == 1) {
        return value.reshape(&value.shape()[extra..]);
    }
    value.clone()
}
