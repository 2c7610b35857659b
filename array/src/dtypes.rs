//! Dtypes: promotion, kinds and names.

use crate::array::{Argument, Array, dtype_of_number};
use crate::floating::check_number;
use crate::manipulation::refused;
use phalanx_graph::{Error, Site, call_site};
use phalanx_ops::error::OpError;
use phalanx_ops::{DType, Kind, Scalar, Weak, promote, promote_weak};

/// NumPy's `promote_types`: the smallest dtype to which both can be cast safely. Local.
#[must_use]
pub fn promote_types(a: DType, b: DType) -> DType {
    promote(a, b)
}

/// NumPy's `result_type`: the dtype of a computation with these arrays, scalars and numbers.
/// Numbers adapt to the others. Local. Errors: `OpError::Argument` without arguments,
/// `OpError::OutOfRange` for an integer beyond 64 bits among integers alone.
#[track_caller]
pub fn result_type(arguments: &[Argument]) -> Result<DType, Error> {
    let site = call_site();
    for argument in arguments {
        if let Argument::Array(array) = argument {
            array.ok()?;
        }
    }
    let weak = |argument: &Argument| match argument {
        Argument::Weak(weak) => Some(*weak),
        _ => None,
    };
    let strong = promote_all(arguments.iter().filter_map(Argument::strong));
    let numbers = arguments.iter().filter_map(weak);
    let dtype = match strong {
        Some(dtype) => Some(numbers.clone().fold(dtype, promote_weak)),
        None => numbers.clone().map(phalanx_ops::promote::default_dtype).reduce(promote),
    };
    let dtype = dtype.ok_or_else(|| refused("result_type", "arguments", "none", site))?;
    // Beside a float, an integer is a float.
    let outside = |number: Weak| {
        let to = if dtype.is_inexact() { dtype } else { dtype_of_number(number) };
        number.held_by(to).err()
    };
    if strong.is_none()
        && let Some(error) = numbers.clone().find_map(outside)
    {
        return Err(Error::op(error, site));
    }
    Ok(dtype)
}

/// `choice` in `dtype`, the dtype that all choices promote to. Errors: `OpError::OutOfRange`.
pub(crate) fn choice_in(dtype: DType, choice: &Argument, site: Site) -> Result<Argument, Error> {
    Ok(match choice {
        Argument::Array(choice) => choice.ok()?.converted(dtype, site).into(),
        Argument::Weak(weak) => {
            let number = Scalar::filled(dtype, *weak).map_err(|error| Error::op(error, site))?;
            check_number(*weak, number, site)?;
            number.into()
        }
        Argument::Scalar(scalar) => scalar.cast(dtype).into(),
    })
}

/// NumPy's `min_scalar_type`: the smallest dtype that holds a number; for an array, its own. Local.
/// Errors: `OpError::OutOfRange` for an integer that no dtype holds, the error of the array.
#[track_caller]
pub fn min_scalar_type(value: &Argument) -> Result<DType, Error> {
    let weak = match value {
        Argument::Array(array) => return Ok(array.ok()?.dtype()),
        // As in NumPy, for which bfloat16 is a dtype of an extension.
        Argument::Scalar(scalar) if scalar.dtype() == DType::BF16 => return Ok(DType::BF16),
        Argument::Scalar(scalar) => scalar.to_weak(),
        Argument::Weak(weak) => *weak,
    };
    let fits = |value: f64, largest: f64| !value.is_finite() || value.abs() <= largest;
    if weak.kind() == Kind::Signed {
        let widest = dtype_of_number(weak);
        weak.held_by(widest).map_err(|error| Error::op(error, call_site()))?;
    }
    Ok(match weak {
        Weak::Bool(_) => DType::Bool,
        Weak::Int(value) => {
            let holds = |dtype: &DType| Scalar::assigned(*dtype, Weak::Int(value)).is_ok();
            let narrow = if value < 0 {
                [DType::I8, DType::I16, DType::I32]
            } else {
                [DType::U8, DType::U16, DType::U32]
            };
            let wide = if value < 0 { DType::I64 } else { DType::U64 };
            narrow.into_iter().find(holds).unwrap_or(wide)
        }
        Weak::Large(_) => unreachable!("bug: a dtype holds an integer beyond 128 bits"),
        Weak::Float(value) if fits(value, 65000.0) => DType::F16,
        Weak::Float(value) if fits(value, 3.4e38) => DType::F32,
        Weak::Float(_) => DType::F64,
        Weak::Complex(value) if fits(value.re, 3.4e38) && fits(value.im, 3.4e38) => DType::C64,
        Weak::Complex(_) => DType::C128,
    })
}

/// NumPy's `common_type`: the floating-point or complex dtype to which all arrays promote; integers
/// count as `f64`. Local. Errors: `OpError::Dtype` for bools.
#[track_caller]
pub fn common_type(arrays: &[&Array]) -> Result<DType, Error> {
    let site = call_site();
    let (mut precision, mut is_complex) = (DType::F16, false);
    for array in arrays {
        let dtype = array.ok()?.dtype();
        is_complex |= dtype.is_complex();
        let real = match dtype.kind() {
            Kind::Bool => {
                let (operation, dtypes) = ("common_type", vec![dtype]);
                return Err(Error::op(OpError::Dtype { operation, dtypes }, site));
            }
            Kind::Signed | Kind::Unsigned => DType::F64,
            Kind::Float | Kind::Complex => dtype.real(),
        };
        precision = promote(precision, real);
    }
    Ok(if is_complex { promote(precision, DType::C64) } else { precision })
}

/// A kind of dtypes, as in the Array API standard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DTypeKind {
    /// Bools.
    Bool,
    /// Signed integers.
    SignedInteger,
    /// Unsigned integers.
    UnsignedInteger,
    /// Signed and unsigned integers.
    Integral,
    /// Floats.
    RealFloating,
    /// Complex numbers.
    ComplexFloating,
    /// All dtypes but bool.
    Numeric,
    /// Floats and complex numbers.
    Inexact,
    /// One dtype.
    Is(DType),
}

impl DTypeKind {
    /// The kind with this NumPy name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<DTypeKind> {
        Some(match name {
            "bool" => DTypeKind::Bool,
            "signed integer" => DTypeKind::SignedInteger,
            "unsigned integer" => DTypeKind::UnsignedInteger,
            "integral" => DTypeKind::Integral,
            "real floating" => DTypeKind::RealFloating,
            "complex floating" => DTypeKind::ComplexFloating,
            "numeric" => DTypeKind::Numeric,
            _ => return None,
        })
    }

    fn has(self, dtype: DType) -> bool {
        match self {
            DTypeKind::Bool => dtype == DType::Bool,
            DTypeKind::SignedInteger => dtype.kind() == Kind::Signed,
            DTypeKind::UnsignedInteger => dtype.kind() == Kind::Unsigned,
            DTypeKind::Integral => matches!(dtype.kind(), Kind::Signed | Kind::Unsigned),
            DTypeKind::RealFloating => dtype.kind() == Kind::Float,
            DTypeKind::ComplexFloating => dtype.kind() == Kind::Complex,
            DTypeKind::Numeric => dtype != DType::Bool,
            DTypeKind::Inexact => dtype.is_inexact(),
            DTypeKind::Is(one) => dtype == one,
        }
    }
}

/// NumPy's `isdtype`: whether a dtype is of at least one of the kinds. Local.
#[must_use]
pub fn isdtype(dtype: DType, kinds: &[DTypeKind]) -> bool {
    kinds.iter().any(|kind| kind.has(dtype))
}

/// NumPy's `issubdtype`: whether a dtype is of the kind. Local.
#[must_use]
pub fn issubdtype(dtype: DType, kind: DTypeKind) -> bool {
    kind.has(dtype)
}

/// NumPy's `typename`: the description of a type character; `None` for an unknown one. Local.
#[must_use]
pub fn typename(character: char) -> Option<&'static str> {
    Some(match character {
        '?' => "bool",
        'b' => "signed char",
        'B' => "unsigned char",
        'h' => "short",
        'H' => "unsigned short",
        'i' => "integer",
        'I' => "unsigned integer",
        'l' => "long integer",
        'L' => "unsigned long integer",
        'q' => "long long integer",
        'Q' => "unsigned long long integer",
        'f' => "single precision",
        'd' => "double precision",
        'F' => "complex single precision",
        'D' => "complex double precision",
        _ => return None,
    })
}

/// NumPy's `mintypecode`: the character of the smallest type in `typeset` to which all `typechars`
/// that are in `typeset` can be cast; `default` if none of them is. Local.
#[must_use]
pub fn mintypecode(typechars: &str, typeset: &str, default: char) -> char {
    let among = |character: &char| typeset.contains(*character);
    let found: Vec<char> = typechars.chars().filter(among).collect();
    if found.contains(&'F') && found.contains(&'d') {
        return 'D';
    }
    let by_size = |character: &char| "GDFgdfQqLlIiHhBb?".find(*character);
    found.into_iter().min_by_key(by_size).unwrap_or(default)
}

/// NumPy's `isscalar`: whether an argument is a number and not an array. Local.
#[must_use]
pub fn isscalar(argument: &Argument) -> bool {
    !matches!(argument, Argument::Array(_))
}

/// NumPy's `iterable`: whether an argument has items: whether it is an array with axes. Local.
#[must_use]
pub fn iterable(argument: &Argument) -> bool {
    matches!(argument, Argument::Array(array) if array.ndim() > 0)
}

/// The distance from 1 to the next number of a floating-point dtype; for a complex dtype, of its
/// parts.
pub(crate) const fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 1.0 / 1024.0,
        DType::BF16 => 1.0 / 128.0,
        DType::F32 | DType::C64 => f32::EPSILON as f64,
        _ => f64::EPSILON,
    }
}

/// The dtype to which several dtypes promote. As in NumPy, the highest kind is promoted first: two
/// integer dtypes with a float need no dtype that holds both of them.
pub(crate) fn promote_all(dtypes: impl IntoIterator<Item = DType>) -> Option<DType> {
    let mut all: Vec<DType> = dtypes.into_iter().collect();
    all.sort_by_key(|dtype| std::cmp::Reverse(dtype.kind()));
    all.into_iter().reduce(promote)
}
