//! The parameters of a kernel, and the dtypes that a call gives them.

use super::syntax::Failure;
use super::types::Type;
use crate::array::{Argument, Array};
use phalanx_graph::{Error, Site, within};
use phalanx_ops::DType;
use phalanx_ops::error::OpError;
use phalanx_ops::promote::default_dtype;

/// The type of a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ParameterType {
    /// A dtype.
    DType(DType),
    /// A placeholder, such as `T`: the dtype of the argument. All parameters of one placeholder
    /// have the same dtype.
    Placeholder(String),
}

/// A parameter of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// The name in the text.
    pub name: String,
    /// The type.
    pub of: ParameterType,
    /// Whether the text indexes the whole array, instead of reading one element.
    pub is_raw: bool,
}

/// The error of a kernel whose text is refused.
pub(super) fn refused(kernel: &str, text: &str, failure: Failure, site: Site) -> Error {
    let Failure { line, what: problem } = failure;
    let at = text.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default();
    let (kernel, text) = (kernel.to_string(), at.trim().to_string());
    Error::op(OpError::KernelText { kernel, line, text, problem }, site)
}

/// The parameters of a list such as `"T x, raw int32 y"`. Errors: `OpError::KernelText`.
pub(super) fn parameters(kernel: &str, list: &str, site: Site) -> Result<Vec<Parameter>, Error> {
    let refuse = |problem: String| refused(kernel, list, Failure::new(1, problem), site);
    let parameter = |text: &str| {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let is_raw = words.first() == Some(&"raw");
        words.drain(..usize::from(is_raw));
        let Some((name, of)) = words.split_last().filter(|(_, of)| !of.is_empty()) else {
            return Err(refuse(format!("a parameter has a type and a name, unlike `{text}`")));
        };
        let is_name = |word: &str| {
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            word.chars().all(is_part) && !word.starts_with(|first: char| first.is_ascii_digit())
        };
        // Parameters have the names of dtypes, and `uint` is NumPy's there.
        let known = match of {
            ["uint"] => Some(Type(DType::U64)),
            of => Type::of_words(of),
        };
        let of = match (known, of) {
            (Some(of), _) => ParameterType::DType(of.0),
            (None, [one]) if one.len() == 1 && is_name(one) => {
                ParameterType::Placeholder((*one).to_string())
            }
            _ => return Err(refuse(format!("`{}` is no type", of.join(" ")))),
        };
        if !is_name(name) || ["i", "n", "_ind"].contains(name) || Type::of_word(name).is_some() {
            return Err(refuse(format!("`{name}` is no name of a parameter")));
        }
        Ok(Parameter { name: (*name).to_string(), of, is_raw })
    };
    if list.trim().is_empty() {
        return Ok(Vec::new());
    }
    list.split(',').map(|text| parameter(text.trim())).collect()
}

/// Checks that no two parameters have one name. Errors: `OpError::KernelText`.
pub(super) fn check_names(
    kernel: &str,
    inputs: &[Parameter],
    outputs: &[Parameter],
    site: Site,
) -> Result<(), Error> {
    let all: Vec<&Parameter> = inputs.iter().chain(outputs).collect();
    for (at, parameter) in all.iter().enumerate() {
        if all[..at].iter().any(|other| other.name == parameter.name) {
            let failure = Failure::new(1, "two parameters have this name");
            return Err(refused(kernel, &parameter.name, failure, site));
        }
    }
    Ok(())
}

/// The names of placeholders among parameters.
pub(super) fn placeholders<'a>(all: impl Iterator<Item = &'a Parameter>) -> Vec<String> {
    let mut names = Vec::new();
    for parameter in all {
        if let ParameterType::Placeholder(name) = &parameter.of
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    }
    names
}

/// The dtypes of placeholders.
#[derive(Default)]
pub(super) struct Dtypes<'p>(pub Vec<(&'p str, Type)>);

impl<'p> Dtypes<'p> {
    fn of_name(&self, name: &str) -> Option<DType> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, of)| of.0)
    }

    /// The dtype of a parameter, if it is decided.
    pub fn of(&self, parameter: &Parameter) -> Option<DType> {
        match &parameter.of {
            ParameterType::DType(dtype) => Some(*dtype),
            ParameterType::Placeholder(name) => self.of_name(name),
        }
    }

    /// Decides the placeholders by arguments: arrays and scalars first, then numbers without a
    /// dtype. Errors: `OpError::KernelArguments` for arguments of other dtypes than the parameters.
    pub fn decide<'a>(
        &mut self,
        pairs: impl Iterator<Item = (&'p Parameter, &'a Argument)> + Clone,
        caller: Caller<'_>,
    ) -> Result<(), Error> {
        for (parameter, argument) in pairs.clone() {
            let Some(given) = argument.strong() else { continue };
            match (self.of(parameter), &parameter.of) {
                (Some(known), _) if known == given => {}
                (None, ParameterType::Placeholder(name)) => {
                    self.0.push((name, Type(given)));
                }
                (known, _) => {
                    let (name, known) = (&parameter.name, known.map_or("", DType::name));
                    let problem = format!("`{name}` is {given}, but its parameter is {known}");
                    return Err(caller.refuse(problem));
                }
            }
        }
        for (parameter, argument) in pairs {
            if let (None, ParameterType::Placeholder(name), Argument::Weak(number)) =
                (self.of(parameter), &parameter.of, argument)
            {
                self.0.push((name, Type(default_dtype(*number))));
            }
        }
        Ok(())
    }
}

/// A call of a kernel.
#[derive(Clone, Copy)]
pub(super) struct Caller<'a> {
    /// The kernel's name.
    pub kernel: &'a str,
    pub site: Site,
}

impl Caller<'_> {
    /// The error of arguments that do not fit.
    pub fn refuse(self, problem: impl Into<String>) -> Error {
        let (kernel, problem) = (self.kernel.to_string(), problem.into());
        Error::op(OpError::KernelArguments { kernel, problem }, self.site)
    }

    /// The error of a size that is not allowed.
    pub fn wrong_size(self, value: String) -> Error {
        let (operation, argument) = ("ElementwiseKernel", "size");
        Error::op(OpError::Argument { operation, argument, value }, self.site)
    }

    /// The error of a parameter whose dtype no argument decides.
    pub fn undecided(self, parameter: &Parameter) -> Error {
        self.refuse(format!("no argument decides the dtype of `{}`", parameter.name))
    }

    /// The array of an argument, which must be one. Errors: `OpError::KernelArguments`.
    pub fn array<'a>(
        self,
        parameter: &Parameter,
        argument: &'a Argument,
    ) -> Result<&'a Array, Error> {
        let Some(array) = argument.as_array() else {
            return Err(self.refuse(format!("`{}` must be an array", parameter.name)));
        };
        array.ok()?;
        Ok(array)
    }
}

/// An argument as an array of a dtype; numbers become 0-d arrays.
pub(super) fn as_array(argument: &Argument, dtype: DType, site: Site) -> Result<Array, Error> {
    let array = within(site, || argument.clone().into_array());
    Ok(array.ok()?.converted(dtype, site))
}
