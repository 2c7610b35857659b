//! Parameters of distributions: numbers, or arrays that broadcast to the shape that is drawn.

use crate::array::Array;
use crate::creation::full;
use crate::error::{Error, Site, within};
use crate::manipulation::refused;
use crate::operand::Argument;
use crate::window::MeshHandle;
use phalanx_ops::DType;

/// What a distribution is told.
pub(super) enum Parameter {
    /// One number for all that are drawn.
    One(f64),
    /// One for each, in f64.
    Each(Array),
}

impl Parameter {
    /// A parameter that `allowed` holds for and, if it is an array, `wrong` holds nowhere in: both
    /// say the same. Collective for arrays, which are looked at. Errors: `OpError::Argument`.
    pub(super) fn checked(
        (operation, argument): (&'static str, &'static str),
        value: Argument,
        allowed: impl Fn(f64) -> bool,
        wrong: impl Fn(&Array) -> Array,
        site: Site,
    ) -> Result<Parameter, Error> {
        let parameter = Parameter::of(value, site)?;
        match &parameter {
            Parameter::One(number) if !allowed(*number) => {
                Err(refused(operation, argument, number.to_string(), site))
            }
            Parameter::Each(array) if array.size() > 0 => {
                let wrong = within(site, || wrong(array).logical_or(array.isnan()));
                match wrong.any_at(site)?.holds(site)? {
                    true => {
                        let value = "an array with an element that is not allowed";
                        Err(refused(operation, argument, value, site))
                    }
                    false => Ok(parameter),
                }
            }
            Parameter::One(_) | Parameter::Each(_) => Ok(parameter),
        }
    }

    /// A parameter of any value.
    pub(super) fn of(value: Argument, site: Site) -> Result<Parameter, Error> {
        let weak = match value {
            Argument::Weak(weak) => weak,
            Argument::Scalar(scalar) => scalar.to_weak(),
            Argument::Array(array) => {
                array.ok()?;
                let array = within(site, || array.converted(DType::F64, site).ok().cloned())?;
                return Ok(Parameter::Each(array));
            }
        };
        Ok(Parameter::One(weak.to_complex().re))
    }

    /// One that is not negative.
    pub(super) fn not_negative(
        names: (&'static str, &'static str),
        value: Argument,
        site: Site,
    ) -> Result<Parameter, Error> {
        Parameter::checked(names, value, |number| number >= 0.0, |array| array.less(0), site)
    }

    /// One that is above zero.
    pub(super) fn positive(
        names: (&'static str, &'static str),
        value: Argument,
        site: Site,
    ) -> Result<Parameter, Error> {
        Parameter::checked(names, value, |number| number > 0.0, |array| array.less_equal(0), site)
    }

    /// A chance: from 0 to 1.
    pub(super) fn chance(
        names: (&'static str, &'static str),
        value: Argument,
        site: Site,
    ) -> Result<Parameter, Error> {
        let is_outside = |array: &Array| array.less(0).logical_or(array.greater(1));
        Parameter::checked(names, value, |number| (0.0..=1.0).contains(&number), is_outside, site)
    }

    /// An array, be it of one number.
    pub(super) fn array(&self, mesh: &MeshHandle, site: Site) -> Result<Array, Error> {
        match self {
            Parameter::Each(array) => Ok(array.clone()),
            Parameter::One(number) => {
                mesh.enter(|| within(site, || full((), *number, DType::F64))).ok().cloned()
            }
        }
    }

    /// The array broadcast to the shape that is drawn. Errors: `OpError::BroadcastInto`.
    pub(super) fn spread(
        &self,
        shape: &[usize],
        mesh: &MeshHandle,
        site: Site,
    ) -> Result<Array, Error> {
        let array = self.array(mesh, site)?;
        within(site, || array.broadcast_to(shape).ok().cloned())
    }
}
