//! Signatures of functions, written as in Python.

use crate::interpreter::errors::type_error;
use crate::interpreter::mistakes::Mistake;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use smallvec::SmallVec;

/// The argument of each parameter in a call.
pub type Slots<'a, 'py> = SmallVec<[Option<Bound<'py, PyAny>>; 8]>;

/// How a parameter may be given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Positional,
    Both,
    Keyword,
    /// Takes all positional arguments that are left.
    Rest,
    /// Takes all keywords that are left.
    Keywords,
}

/// A parameter.
#[derive(Debug)]
struct Parameter {
    name: &'static str,
    kind: Kind,
    is_required: bool,
}

/// The signature of a function.
#[derive(Debug)]
pub struct Signature {
    /// The function's name.
    pub name: &'static str,
    /// The text in the parentheses.
    pub parameters_text: &'static str,
    parameters: Vec<Parameter>,
    /// Whether there is the parameter `like`, which must be an array of ours.
    pub takes_like: bool,
}

impl Signature {
    /// Reads `name(a, /, b=None, *rest, c=1)`.
    pub fn new(text: &'static str) -> Signature {
        let (name, rest) = text.split_once('(').expect("bug: a signature has parentheses");
        let parameters_text = rest.strip_suffix(')').expect("bug: a signature ends with one");
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut kind = Kind::Both;
        for part in split(parameters_text) {
            if part == "/" {
                parameters.iter_mut().for_each(|parameter| parameter.kind = Kind::Positional);
            } else if part == "*" {
                kind = Kind::Keyword;
            } else if let Some(name) = part.strip_prefix("**") {
                parameters.push(Parameter { name, kind: Kind::Keywords, is_required: false });
            } else if let Some(name) = part.strip_prefix('*') {
                parameters.push(Parameter { name, kind: Kind::Rest, is_required: false });
                kind = Kind::Keyword;
            } else {
                let name = part.split('=').next().unwrap_or(part);
                parameters.push(Parameter { name, kind, is_required: name.len() == part.len() });
            }
        }
        let takes_like = parameters.iter().any(|parameter| parameter.name == "like");
        Signature { name, parameters_text, parameters, takes_like }
    }

    /// The same parameters of a function of another name.
    pub fn named(self, name: &'static str) -> Signature {
        Signature { name, ..self }
    }

    /// The answer for `inspect.signature`; for a method, without the array that it is called on.
    ///
    /// `inspect` cannot read a `__text_signature__` with classes as defaults, such as `float`.
    pub fn inspected<'py>(&self, py: Python<'py>, is_method: bool) -> PyResult<Bound<'py, PyAny>> {
        let text = format!("lambda {}: None", self.parameters_text);
        let made = py.import("builtins")?.getattr("eval")?.call1((text, PyDict::new(py)))?;
        let signature = py.import("inspect")?.getattr("signature")?.call1((made,))?;
        if !is_method {
            return Ok(signature);
        }
        let all = signature.getattr("parameters")?.call_method0("values")?;
        let rest = all.try_iter()?.skip(1).collect::<PyResult<Vec<_>>>()?;
        let keywords = PyDict::new(py);
        keywords.set_item("parameters", rest)?;
        signature.call_method("replace", (), Some(&keywords))
    }

    /// The names of the parameters.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.parameters.iter().map(|parameter| parameter.name)
    }

    /// The place of a parameter.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter.name == name)
    }

    /// Binds the arguments of a call to the parameters. `receiver` precedes the arguments.
    pub fn bind<'a, 'py>(
        &self,
        receiver: Option<&Bound<'py, PyAny>>,
        arguments: &'a Bound<'py, PyTuple>,
        keywords: Option<&'a Bound<'py, PyDict>>,
    ) -> PyResult<Slots<'a, 'py>> {
        let mut slots: Slots<'a, 'py> = SmallVec::from_elem(None, self.parameters.len());
        let mut given = receiver.into_iter().cloned().chain(arguments.iter());
        let mut place = 0;
        while let Some(parameter) = self.parameters.get(place) {
            match parameter.kind {
                Kind::Positional | Kind::Both => match given.next() {
                    Some(argument) => slots[place] = Some(argument),
                    None => break,
                },
                Kind::Rest => {
                    let rest: Vec<_> = given.by_ref().collect();
                    slots[place] = Some(PyTuple::new(arguments.py(), rest)?.into_any());
                }
                Kind::Keyword | Kind::Keywords => break,
            }
            place += 1;
        }
        if given.next().is_some() {
            let most = self
                .parameters
                .iter()
                .filter(|parameter| !matches!(parameter.kind, Kind::Keyword | Kind::Keywords));
            let count = arguments.len() + usize::from(receiver.is_some());
            return Err(type_error(
                Mistake::Count,
                format!(
                    "{}() takes at most {} positional arguments but {count} were given",
                    self.name,
                    most.count()
                ),
            ));
        }
        for (key, value) in keywords.into_iter().flat_map(|keywords| keywords.iter()) {
            let key = key.cast::<PyString>()?.to_cow()?;
            let is_this = |parameter: &Parameter| {
                parameter.name == key && matches!(parameter.kind, Kind::Both | Kind::Keyword)
            };
            let Some(place) = self.parameters.iter().position(is_this) else {
                let others = self.parameters.last().filter(|last| last.kind == Kind::Keywords);
                if others.is_some()
                    && let Some(slot) = slots.last_mut()
                {
                    let gathered =
                        slot.get_or_insert_with(|| PyDict::new(arguments.py()).into_any());
                    gathered.set_item(&*key, value)?;
                    continue;
                }
                return Err(type_error(
                    Mistake::Keyword,
                    format!("{}() got an unexpected keyword argument '{key}'", self.name),
                ));
            };
            if slots[place].replace(value).is_some() {
                return Err(type_error(
                    Mistake::Keyword,
                    format!("{}() got multiple values for argument '{key}'", self.name),
                ));
            }
        }
        let missing = self.parameters.iter().zip(&slots);
        if let Some((parameter, _)) =
            missing.clone().find(|(parameter, slot)| parameter.is_required && slot.is_none())
        {
            return Err(type_error(
                Mistake::Count,
                format!("{}() missing required argument: '{}'", self.name, parameter.name),
            ));
        }
        Ok(slots)
    }
}

/// The parts between the commas outside of brackets and quotes.
fn split(text: &'static str) -> Vec<&'static str> {
    let (mut parts, mut depth, mut start, mut quoted) = (Vec::new(), 0, 0, false);
    for (place, letter) in text.char_indices() {
        match letter {
            '\'' => quoted = !quoted,
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth -= 1,
            ',' if depth == 0 && !quoted => {
                parts.push(text[start..place].trim());
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}
