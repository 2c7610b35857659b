//! Parameters of distributions, which are numbers or arrays that broadcast to the shape of the
//! draw, and that shape.

use crate::array::Argument;
use crate::array::Array;
use crate::creation::{Extent, ShapeArgument, full};
use crate::manipulation::{common_shape, refused};
use phalanx_graph::{Error, MeshHandle, Site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::broadcast;
use phalanx_ops::{Casting, DType, Shape, Weak, can_cast};

/// The shape of a draw: any shape that [`zeros`](crate::zeros) takes, or `None` for the shape to
/// which the parameters broadcast.
#[derive(Clone, Debug)]
pub struct Size(Option<ShapeArgument>);

macro_rules! sizes {
    ($([$($generics:tt)*] $shape:ty;)*) => {$(
        impl<$($generics)*> From<$shape> for Size {
            fn from(shape: $shape) -> Size { Size(Some(shape.into())) }
        }
    )*};
}
sizes! {
    [] ();
    [] usize;
    [] Vec<usize>;
    [] &[usize];
    [] &[i64];
    [const N: usize] [usize; N];
    [const N: usize] [i64; N];
    [const N: usize] [i32; N];
    [A: Extent] (A,);
    [A: Extent, B: Extent] (A, B);
    [A: Extent, B: Extent, C: Extent] (A, B, C);
    [A: Extent, B: Extent, C: Extent, D: Extent] (A, B, C, D);
    [] ShapeArgument;
}

impl From<Option<ShapeArgument>> for Size {
    fn from(shape: Option<ShapeArgument>) -> Size {
        Size(shape)
    }
}

impl Size {
    /// The shape of a draw with these parameters. Errors: those that the arrays carry,
    /// `OpError::Cast` for complex parameters, `OpError::Broadcast` for arrays that do not
    /// broadcast together, `OpError::BroadcastInto` for a shape to which they do not broadcast.
    pub(super) fn shape(&self, parameters: &[&Argument], site: Site) -> Result<Shape, Error> {
        parameters.iter().try_for_each(|parameter| real(parameter, site))?;
        self.shape_of_any(parameters, site)
    }

    /// As [`Size::shape`], for parameters that may be complex.
    pub(super) fn shape_of_any(
        &self,
        parameters: &[&Argument],
        site: Site,
    ) -> Result<Shape, Error> {
        let mut shapes = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            if let Argument::Array(array) = parameter {
                shapes.push(array.ok()?.shape());
            }
        }
        self.shape_over(&shapes, site)
    }

    /// As [`Size::shape`], for parameters of these shapes.
    pub(super) fn shape_over(&self, shapes: &[&[usize]], site: Site) -> Result<Shape, Error> {
        let (common, item) = (common_shape(shapes.iter().copied(), site)?, DType::F64.size());
        let Some(size) = &self.0 else {
            return ShapeArgument::from(common.as_slice()).resolve(item, site);
        };
        let shape = size.resolve(item, site)?;
        if broadcast(&common, &shape).is_ok_and(|both| both == shape) {
            return Ok(shape);
        }
        Err(Error::op(OpError::BroadcastInto { value: common, target: shape }, site))
    }
}

/// A parameter of a distribution.
pub(super) enum Parameter {
    /// One number for all elements.
    One(f64),
    /// A number for each element, in f64.
    Each(Array),
}

impl Parameter {
    /// A parameter that satisfies a condition, which NaN violates. `allowed` is true for a number
    /// that satisfies it; `wrong` marks the elements of an array that violate it. Collective for
    /// arrays, which are read. Errors: `OpError::Argument`.
    pub(super) fn checked(
        names: (&'static str, &'static str),
        value: Argument,
        allowed: impl Fn(f64) -> bool,
        wrong: impl Fn(&Array) -> Array,
        site: Site,
    ) -> Result<Parameter, Error> {
        let is_wrong = |array: &Array| wrong(array).logical_or(array.isnan());
        Parameter::looked_at(names, value, allowed, is_wrong, site)
    }

    fn looked_at(
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
                let wrong = within(site, || wrong(array));
                if wrong.any_at(site)?.holds(site)? {
                    let value = "an array with an element that is not allowed";
                    return Err(refused(operation, argument, value, site));
                }
                Ok(parameter)
            }
            Parameter::One(_) | Parameter::Each(_) => Ok(parameter),
        }
    }

    /// A parameter that may have any real value.
    pub(super) fn of(value: Argument, site: Site) -> Result<Parameter, Error> {
        let weak = match value {
            Argument::Weak(weak) => {
                weak.held_by(DType::F64).map_err(|error| Error::op(error, site))?;
                weak
            }
            Argument::Scalar(scalar) => scalar.to_weak(),
            Argument::Array(array) => {
                array.ok()?;
                let array = within(site, || array.converted(DType::F64, site).into_result())?;
                return Ok(Parameter::Each(array));
            }
        };
        Ok(Parameter::One(weak.to_complex().re))
    }

    /// A parameter that is not negative. As in NumPy, -0.0 is refused and NaN is allowed.
    pub(super) fn not_negative(
        names: (&'static str, &'static str),
        value: Argument,
        site: Site,
    ) -> Result<Parameter, Error> {
        let allowed = |number: f64| number.is_nan() || number.is_sign_positive();
        let wrong = |array: &Array| array.signbit().logical_and(array.isnan().logical_not());
        Parameter::looked_at(names, value, allowed, wrong, site)
    }

    /// A parameter that is above zero. As in NumPy, NaN is allowed.
    pub(super) fn positive(
        names: (&'static str, &'static str),
        value: Argument,
        site: Site,
    ) -> Result<Parameter, Error> {
        let allowed = |number: f64| number.is_nan() || number > 0.0;
        Parameter::looked_at(names, value, allowed, |array| array.less_equal(0), site)
    }

    /// A probability, from 0 to 1.
    pub(super) fn chance(
        names: (&'static str, &'static str),
        value: Argument,
        site: Site,
    ) -> Result<Parameter, Error> {
        let is_outside = |array: &Array| array.less(0).logical_or(array.greater(1));
        Parameter::checked(names, value, |number| (0.0..=1.0).contains(&number), is_outside, site)
    }

    /// The parameter as the second operand of an operation.
    pub(super) fn argument(&self) -> Argument {
        match self {
            Parameter::One(number) => Argument::from(*number),
            Parameter::Each(array) => Argument::from(array),
        }
    }

    /// The parameter as an array, which is 0-d for one number.
    pub(super) fn array(&self, mesh: &MeshHandle, site: Site) -> Result<Array, Error> {
        match self {
            Parameter::Each(array) => Ok(array.clone()),
            Parameter::One(number) => {
                mesh.enter(|| within(site, || full((), *number, DType::F64))).into_result()
            }
        }
    }

    /// The parameter broadcast to the shape of the draw. Errors: `OpError::BroadcastInto`.
    pub(super) fn spread(
        &self,
        shape: &[usize],
        mesh: &MeshHandle,
        site: Site,
    ) -> Result<Array, Error> {
        let array = self.array(mesh, site)?;
        within(site, || array.broadcast_to(shape).into_result())
    }
}

/// Returns an error for complex parameters. Errors: `OpError::Cast`, and the error that an array
/// carries.
fn real(value: &Argument, site: Site) -> Result<(), Error> {
    let from = match value {
        Argument::Array(array) => array.ok()?.dtype(),
        Argument::Scalar(scalar) => scalar.dtype(),
        Argument::Weak(Weak::Complex(_)) => DType::C128,
        Argument::Weak(_) => DType::F64,
    };
    if from.is_complex() { Err(Error::op(OpError::cast(from, DType::F64), site)) } else { Ok(()) }
}

/// A count as an integer. A float is truncated, as in NumPy, and so is a 0-d array, which is read:
/// an element of an array counts as a number. Errors: `OpError::Cast` for complex numbers and for
/// arrays of numbers that `i64` may not represent, `OpError::OutOfRange` beyond 64 bits,
/// `OpError::Argument` for NaN, and the error that an array carries.
pub(super) fn whole(
    (operation, argument): (&'static str, &'static str),
    value: Argument,
    site: Site,
) -> Result<Argument, Error> {
    let to = DType::I64;
    let weak = match &value {
        Argument::Array(array) => {
            let from = array.ok()?.dtype();
            if can_cast(from, to, Casting::Safe) {
                return Ok(value);
            }
            match array.ndim() {
                0 if from == DType::U64 => Weak::Int(array.item::<u64>()?.into()),
                0 if !from.is_complex() => Weak::Float(array.converted(DType::F64, site).item()?),
                _ => {
                    let casting = Casting::Safe;
                    return Err(Error::op(OpError::Cast { from, to, casting }, site));
                }
            }
        }
        Argument::Scalar(scalar) => scalar.to_weak(),
        Argument::Weak(weak) => *weak,
    };
    let beyond = |value: String| Error::op(OpError::OutOfRange { value, dtype: to }, site);
    match weak {
        Weak::Bool(truth) => Ok(i64::from(truth).into()),
        Weak::Int(number) => match i64::try_from(number) {
            Ok(number) => Ok(number.into()),
            Err(_) => Err(beyond(number.to_string())),
        },
        Weak::Large(_) => {
            weak.held_by(to).map_or_else(|error| Err(Error::op(error, site)), |()| Ok(value))
        }
        Weak::Float(number) if number.is_nan() => {
            Err(refused(operation, argument, number.to_string(), site))
        }
        Weak::Float(number) if (-(2f64.powi(63))..2f64.powi(63)).contains(&number) => {
            Ok((number as i64).into())
        }
        Weak::Float(number) => Err(beyond(number.to_string())),
        Weak::Complex(_) => Err(Error::op(OpError::cast(DType::C128, to), site)),
    }
}

/// The integer value of a parameter; `None` for an array. Errors: `OpError::Cast` for numbers that
/// are not integers, and the error that an array carries.
pub(super) fn integer(value: &Argument, site: Site) -> Result<Option<i128>, Error> {
    let weak = match value {
        Argument::Array(array) => {
            array.ok()?;
            return Ok(None);
        }
        Argument::Scalar(scalar) => scalar.to_weak(),
        Argument::Weak(weak) => *weak,
    };
    let from = match weak {
        Weak::Bool(truth) => return Ok(Some(truth.into())),
        Weak::Int(number) => return Ok(Some(number)),
        Weak::Large(_) => {
            return weak.held_by(DType::I64).map(|()| None).map_err(|error| Error::op(error, site));
        }
        Weak::Float(_) => DType::F64,
        Weak::Complex(_) => DType::C128,
    };
    Err(Error::op(OpError::cast(from, DType::I64), site))
}
