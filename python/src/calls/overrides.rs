//! NumPy's protocols `__array_ufunc__` and `__array_function__`, by which the class of an argument
//! answers a call itself.

use crate::convert::dtypes::numpy;
use crate::convert::{is_element_of_numpy, on_host};
use crate::interpreter::errors::type_error;
use crate::interpreter::mistakes::Mistake;
use crate::objects::ndarray::Ndarray;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use smallvec::SmallVec;

/// A protocol.
#[derive(Clone, Copy)]
enum Protocol {
    Ufuncs,
    Functions,
}

impl Protocol {
    /// The name of its method.
    fn name(self, py: Python<'_>) -> &Bound<'_, PyString> {
        match self {
            Protocol::Ufuncs => intern!(py, "__array_ufunc__"),
            Protocol::Functions => intern!(py, "__array_function__"),
        }
    }
}

/// An argument whose class has a method of the protocol, and the method.
type Overriding<'py> = SmallVec<[(Bound<'py, PyAny>, Bound<'py, PyAny>); 2]>;

/// The answer of the classes of operands to a call of a ufunc or of its method. `None` if no class
/// overrides it.
///
/// The first `inputs` arguments are operands; `names` are the parameters that follow. In a call of
/// the ufunc itself these are the outputs, and `names` is empty.
pub fn of_ufunc<'py>(
    ufunc: &Bound<'py, PyAny>,
    method: &str,
    (inputs, names): (usize, &[&str]),
    arguments: &Bound<'py, PyTuple>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<Py<PyAny>>> {
    let py = ufunc.py();
    let out = keywords.map(|keywords| keywords.get_item("out")).transpose()?.flatten();
    if out.is_none() && arguments.iter_borrowed().all(|object| is_known(&object)) {
        return Ok(None);
    }
    let outputs = match out.as_ref().map(|out| out.cast::<PyTuple>()) {
        Some(Ok(outputs)) => outputs.iter().collect(),
        Some(Err(_)) => out.iter().cloned().collect(),
        None => SmallVec::<[_; 2]>::new(),
    };
    let found = overriding(arguments.iter().chain(outputs.iter().cloned()), Protocol::Ufuncs)?;
    if found.is_empty() {
        return Ok(None);
    }
    if let Some((object, _)) = found.iter().find(|(_, answer)| answer.is_none()) {
        // Ours, such as polynomials, are converted; they only have operators of their own.
        if is_of(object, "phalanx")? {
            return Ok(None);
        }
        return Err(type_error(
            Mistake::Type,
            format!("operand {} does not support ufuncs (__array_ufunc__=None)", object.repr()?),
        ));
    }
    let inputs = inputs.min(arguments.len());
    let passed = keywords.map_or_else(|| Ok(PyDict::new(py)), |keywords| keywords.copy())?;
    for (name, value) in names.iter().zip(arguments.iter().skip(inputs)) {
        passed.set_item(name, value)?;
    }
    if names.is_empty() && arguments.len() > inputs {
        passed.set_item("out", arguments.get_slice(inputs, arguments.len()))?;
    }
    // The protocol passes outputs as a tuple, and leaves them out if there are none.
    if let Some(out) = passed.get_item("out")? {
        let outputs = match out.cast::<PyTuple>() {
            Ok(outputs) => outputs.clone(),
            Err(_) => PyTuple::new(py, [out])?,
        };
        if outputs.iter().all(|output| output.is_none()) {
            passed.del_item("out")?;
        } else {
            passed.set_item("out", outputs)?;
        }
    }
    let operands = arguments.get_slice(0, inputs);
    for (object, answer) in &found {
        let mut given = vec![object.clone(), ufunc.clone(), PyString::new(py, method).into_any()];
        given.extend(operands.iter());
        let passed = passed.copy()?;
        if let Some(of_numpy) = ufunc_for(object, ufunc)? {
            given[1] = of_numpy;
            for operand in &mut given[3..] {
                *operand = on_host(operand)?;
            }
            if let Some(mask) = passed.get_item("where")? {
                passed.set_item("where", on_host(&mask)?)?;
            }
        }
        let answer = answer.call(PyTuple::new(py, given)?, Some(&passed))?;
        if !answer.is(py.NotImplemented()) {
            return Ok(Some(answer.unbind()));
        }
    }
    unanswered(&found, &format!("__array_ufunc__({}, '{method}')", ufunc.repr()?))
}

/// NumPy's ufunc, for classes that keep what it gives as their own memory, which must be NumPy's:
/// those of pandas. `None` for other classes, and if NumPy has no such ufunc.
fn ufunc_for<'py>(
    object: &Bound<'py, PyAny>,
    ufunc: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !is_of(object, "pandas")? {
        return Ok(None);
    }
    let name = ufunc.getattr("__name__")?.cast_into::<PyString>()?;
    numpy(object.py())?.getattr_opt(name)
}

/// Whether the class of an object is of a package.
fn is_of(object: &Bound<'_, PyAny>, package: &str) -> PyResult<bool> {
    let module = object.get_type().module()?;
    Ok(module.to_str()?.split('.').next() == Some(package))
}

/// As [`of_ufunc`], for an operator. An operand that takes part in no ufunc is left to the
/// operator.
pub fn of_operator(name: &str, operands: &[&Bound<'_, PyAny>]) -> PyResult<Option<Py<PyAny>>> {
    if operands.iter().all(|object| is_known(object)) {
        return Ok(None);
    }
    let found = overriding(operands.iter().copied().cloned(), Protocol::Ufuncs)?;
    if found.is_empty() || found.iter().any(|(_, answer)| answer.is_none()) {
        return Ok(None);
    }
    let py = found[0].0.py();
    let ufunc = py.import("phalanx._phalanx")?.getattr(name)?;
    of_ufunc(&ufunc, "__call__", (operands.len(), &[]), &PyTuple::new(py, operands)?, None)
}

/// As [`of_operator`], for an operator that writes its first operand; whether a class has answered.
pub fn of_operator_in_place(
    name: &str,
    target: &Bound<'_, PyAny>,
    other: &Bound<'_, PyAny>,
) -> PyResult<bool> {
    // A series would take the place of the array; its elements are written instead.
    if !override_any([target.clone(), other.clone()])? || is_of(other, "pandas")? {
        return Ok(false);
    }
    let py = target.py();
    let ufunc = py.import("phalanx._phalanx")?.getattr(name)?;
    let operands = PyTuple::new(py, [target, other, target])?;
    let answer = of_ufunc(&ufunc, "__call__", (2, &[]), &operands, None)?;
    match answer {
        None => Ok(false),
        Some(answer) if answer.is(target) => Ok(true),
        // The interpreter gets the array itself from the operator.
        Some(answer) => Err(type_error(
            Mistake::Type,
            format!(
                "{name} in place gives a {}, which cannot take the place of the array",
                answer.bind(py).get_type().name()?
            ),
        )),
    }
}

/// Whether the class of an object overrides ufuncs, or takes part in none.
pub fn answers(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(method(object, Protocol::Ufuncs)?.is_some())
}

/// Whether a class of the objects overrides ufuncs, or takes part in none.
#[pyfunction(name = "_override_ufuncs")]
pub fn override_ufuncs(objects: &Bound<'_, PyTuple>) -> PyResult<bool> {
    override_any(objects.iter())
}

fn override_any<'py>(objects: impl IntoIterator<Item = Bound<'py, PyAny>>) -> PyResult<bool> {
    Ok(!overriding(objects, Protocol::Ufuncs)?.is_empty())
}

/// The answer of the classes of arguments, and of items of lists among them, to a call of a
/// function. `None` if no class overrides it.
pub fn of_function<'py>(
    function: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<Py<PyAny>>> {
    let is_alone = |object: &Bound<'_, PyAny>| {
        let is_sequence = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
        is_known(object) && !is_sequence
    };
    // Most calls.
    if arguments.iter_borrowed().all(|object| is_alone(&object))
        && keywords.is_none_or(|given| given.iter().all(|(_, object)| is_alone(&object)))
    {
        return Ok(None);
    }
    let given = arguments.iter().chain(keywords.iter().flat_map(|given| given.values().iter()));
    let objects = given.flat_map(|object| match () {
        () if let Ok(list) = object.cast::<PyList>() => list.iter().collect(),
        () if let Ok(tuple) = object.cast::<PyTuple>() => tuple.iter().collect(),
        () => vec![object],
    });
    by_function(function, objects, arguments, keywords.cloned())
}

/// The answer of the class of the argument `like` to a call of a function that makes an array.
pub fn of_like<'py>(
    function: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<Py<PyAny>>> {
    let Some(keywords) = keywords else { return Ok(None) };
    let Some(like) = keywords.get_item("like")? else { return Ok(None) };
    let others = keywords.copy()?;
    others.del_item("like")?;
    by_function(function, [like], arguments, Some(others))
}

fn by_function<'py>(
    function: &Bound<'py, PyAny>,
    objects: impl IntoIterator<Item = Bound<'py, PyAny>>,
    arguments: &Bound<'py, PyTuple>,
    keywords: Option<Bound<'py, PyDict>>,
) -> PyResult<Option<Py<PyAny>>> {
    let py = function.py();
    let mut types: SmallVec<[Bound<'py, PyAny>; 2]> = SmallVec::new();
    let objects: SmallVec<[_; 8]> =
        objects.into_iter().filter(|object| !is_plain(object)).collect();
    let found = overriding(objects.iter().cloned(), Protocol::Functions)?;
    if found.is_empty() {
        return Ok(None);
    }
    // Arrays of ours and of NumPy's are among the types, after the classes that override.
    for object in found.iter().map(|(object, _)| object).chain(&objects) {
        let class = object.get_type().into_any();
        let is_known = types.iter().any(|known| known.is(&class));
        if !is_known && class.getattr_opt(Protocol::Functions.name(py))?.is_some() {
            types.push(class);
        }
    }
    let types = PyTuple::new(py, types)?;
    let keywords = keywords.unwrap_or_else(|| PyDict::new(py));
    for (object, answer) in &found {
        let answer = answer.call1((object, function, &types, arguments, &keywords))?;
        if !answer.is(py.NotImplemented()) {
            return Ok(Some(answer.unbind()));
        }
    }
    // A plain array among the arguments is asked as well, and answers for subclasses.
    let has_plain = objects.iter().any(|object| object.is_exact_instance_of::<Ndarray>());
    if has_plain && found.iter().all(|(object, _)| object.is_instance_of::<Ndarray>()) {
        return Ok(None);
    }
    unanswered(&found, &format!("__array_function__({})", function.repr()?))
}

/// The end of a call that no class has answered. Objects of other libraries that can be converted
/// are converted, because their classes may answer for NumPy's arrays alone.
fn unanswered(found: &Overriding<'_>, call: &str) -> PyResult<Option<Py<PyAny>>> {
    let mut classes = Vec::new();
    for (object, _) in found {
        let class = object.get_type();
        if object.is_instance_of::<Ndarray>() || class.getattr_opt("__array__")?.is_none() {
            classes.push(format!("'{}'", class.name()?));
        }
    }
    if classes.is_empty() {
        return Ok(None);
    }
    let classes = classes.join(", ");
    Err(type_error(
        Mistake::Type,
        format!("operand type(s) all returned NotImplemented from {call}: {classes}"),
    ))
}

/// The objects whose classes override a protocol, one of each class: in order, but a subclass
/// before its base classes.
fn overriding<'py>(
    objects: impl IntoIterator<Item = Bound<'py, PyAny>>,
    protocol: Protocol,
) -> PyResult<Overriding<'py>> {
    let mut found = Overriding::new();
    for object in objects {
        let Some(answer) = method(&object, protocol)? else { continue };
        let class = object.get_type();
        if found.iter().any(|(other, _)| other.get_type().is(&class)) {
            continue;
        }
        let mut place = found.len();
        for (before, (other, _)) in found.iter().enumerate().rev() {
            if class.is_subclass(&other.get_type())? {
                place = before;
            }
        }
        found.insert(place, (object, answer));
    }
    Ok(found)
}

/// The method of an object's class, unless it is that of our arrays or of NumPy's.
fn method<'py>(
    object: &Bound<'py, PyAny>,
    protocol: Protocol,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if is_known(object) || is_element_of_numpy(object)? {
        return Ok(None);
    }
    let py = object.py();
    let name = protocol.name(py);
    let Some(found) = object.get_type().getattr_opt(name)? else { return Ok(None) };
    if found.is(&py.get_type::<Ndarray>().getattr(name)?) {
        return Ok(None);
    }
    let of_numpy = numpy(py)?.getattr("ndarray")?.getattr(name)?;
    Ok((!found.is(&of_numpy)).then_some(found))
}

/// Whether an object is an array of ours or of one of Python's classes: it overrides nothing.
fn is_known(object: &Bound<'_, PyAny>) -> bool {
    object.is_exact_instance_of::<Ndarray>() || is_plain(object)
}

/// Whether an object is of one of Python's classes that are most often arguments.
fn is_plain(object: &Bound<'_, PyAny>) -> bool {
    object.is_none()
        || object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyBool>()
        || object.is_exact_instance_of::<PyString>()
        || object.is_exact_instance_of::<PyTuple>()
        || object.is_exact_instance_of::<PyList>()
        || object.is_instance_of::<PyType>()
}
