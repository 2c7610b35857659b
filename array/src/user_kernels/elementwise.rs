//! Elementwise kernels of the user's own.

use super::parameters::{
    Caller, Dtypes, Parameter, as_array, check_names, parameters, placeholders, refused,
};
use super::parse;
use super::places::Space;
use super::run::{Raw, Runner};
use super::stop::Stop;
use super::syntax::{Function, Statement};
use super::types::Type;
use super::values::{Elements, Value, ValueKind};
use crate::array::{Argument, Array};
use crate::creation::{full, zeros};
use crate::recording::mesh_of;
use phalanx_graph::{Error, Site, call_site, within};
use phalanx_ops::shape::broadcast;
use phalanx_ops::{DType, Shape, Weak};

/// An elementwise operation that a text in C++ defines, as CuPy's `ElementwiseKernel`.
///
/// The text computes the outputs of one element from the inputs of that element. It is plain
/// arithmetic: variables, arrays with known indices, operators, casts, `if`, loops whose number of
/// turns is known, calls of CUDA's mathematical functions and of functions of the preamble. `i` is
/// the number of the element in C order, `n` the number of all, `_ind.get()[k]` the index along an
/// axis. The text may index `raw` parameters by any integer, from any element: an index outside of
/// the array reads an unspecified element and writes nothing. If several elements write one place,
/// the last one stays; `atomicAdd` and its kin combine the values.
///
/// Operands have the types that C++ gives them. Each operation is recorded, so a kernel runs on all
/// devices, whatever the shardings of its operands, and is fused with what is before and after it.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::user_kernels::ElementwiseKernel;
/// # use phalanx::{Array, Error};
/// # fn example(x: &Array, y: &Array) -> Result<(), Error> {
/// let kernel = ElementwiseKernel::new(
///     "squared_difference",
///     ("T x, T y", "T z"),
///     "T d = x - y; z = d * d;",
/// )?;
/// let squares = &kernel.call(&[x.into(), y.into()], None)?[0];
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ElementwiseKernel {
    name: String,
    inputs: Vec<Parameter>,
    outputs: Vec<Parameter>,
    text: String,
    statements: Vec<Statement>,
    before: (String, Vec<Statement>),
    preamble: Vec<Function>,
}

impl ElementwiseKernel {
    /// A kernel with its parameters, the inputs and the outputs, and its text.
    ///
    /// Local. Errors: `OpError::KernelText` for parameters or a text that are not understood.
    #[track_caller]
    pub fn new(
        name: &str,
        (inputs, outputs): (&str, &str),
        text: &str,
    ) -> Result<ElementwiseKernel, Error> {
        let site = call_site();
        let inputs = parameters(name, inputs, site)?;
        let outputs = parameters(name, outputs, site)?;
        check_names(name, &inputs, &outputs, site)?;
        let types = placeholders(inputs.iter().chain(&outputs));
        let statements = parse::statements(text, &types);
        Ok(ElementwiseKernel {
            statements: statements.map_err(|failure| refused(name, text, failure, site))?,
            name: name.to_string(),
            inputs,
            outputs,
            text: text.to_string(),
            before: (String::new(), Vec::new()),
            preamble: Vec::new(),
        })
    }

    /// With functions that the text may call, such as `__device__ T square(T x) { return x * x; }`.
    ///
    /// Local. Errors: `OpError::KernelText`.
    #[track_caller]
    pub fn preamble(self, text: &str) -> Result<ElementwiseKernel, Error> {
        let (site, types) = (call_site(), self.types());
        let functions = parse::functions(text, &types);
        let preamble = functions.map_err(|failure| refused(&self.name, text, failure, site))?;
        Ok(ElementwiseKernel { preamble, ..self })
    }

    /// With statements before those of the text: CuPy's `loop_prep`. Local. Errors:
    /// `OpError::KernelText`.
    #[track_caller]
    pub fn loop_prep(self, text: &str) -> Result<ElementwiseKernel, Error> {
        let (site, types) = (call_site(), self.types());
        let before = parse::statements(text, &types);
        let before = before.map_err(|failure| refused(&self.name, text, failure, site))?;
        Ok(ElementwiseKernel { before: (text.to_string(), before), ..self })
    }

    fn types(&self) -> Vec<String> {
        placeholders(self.inputs.iter().chain(&self.outputs))
    }

    /// The name. Local.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The inputs. Local.
    pub fn inputs(&self) -> &[Parameter] {
        &self.inputs
    }

    /// The outputs. Local.
    pub fn outputs(&self) -> &[Parameter] {
        &self.outputs
    }

    /// The outputs for these inputs, or the given outputs, which follow the inputs.
    ///
    /// Shapes        Arguments that are not raw broadcast together; outputs have that shape. If all
    ///               are raw, the kernel has `size` elements.
    /// Dtypes        Those of the parameters; a placeholder has the dtype of its first array, or
    ///               the default dtype of a number. Numbers are converted.
    /// Collectivity  Local (records nodes).
    /// Errors        `OpError::KernelArguments` for arguments of another number or dtype,
    ///               `OpError::Argument`, `OpError::Broadcast`, `OpError::BroadcastInto`,
    ///               `OpError::KernelText` for what the text may not do with these types.
    #[track_caller]
    pub fn call<'a>(
        &'a self,
        arguments: &[Argument],
        size: Option<usize>,
    ) -> Result<Vec<Array>, Error> {
        let site = call_site();
        let caller = Caller { kernel: &self.name, site };
        let (takes, gives) = (self.inputs.len(), self.outputs.len());
        if arguments.len() != takes && arguments.len() != takes + gives {
            let given = arguments.len();
            return Err(caller.refuse(format!(
                "it takes {takes} inputs, or {} inputs and outputs, not {given} arguments",
                takes + gives
            )));
        }
        let (inputs, outputs) = arguments.split_at(takes);
        for argument in arguments {
            argument.as_array().map_or(Ok(()), |array| array.ok().map(drop))?;
        }
        let mut dtypes = Dtypes::default();
        let pairs = self.inputs.iter().zip(inputs).chain(self.outputs.iter().zip(outputs));
        dtypes.decide(pairs.clone(), caller)?;
        let space = space(pairs, size, caller)?;
        let mesh = mesh_of(arguments, site)?;
        let mut runner = Runner::new(site, mesh, space, &self.preamble);
        for (parameter, argument) in self.inputs.iter().zip(inputs) {
            declare_input(&mut runner, parameter, argument, &dtypes, caller)?;
        }
        for (number, parameter) in self.outputs.iter().enumerate() {
            let given =
                outputs.get(number).map(|output| caller.array(parameter, output)).transpose()?;
            let Some(dtype) = dtypes.of(parameter) else {
                return Err(caller.undecided(parameter));
            };
            match (parameter.is_raw, given) {
                (true, None) => {
                    let problem = format!("the raw output `{}` must be given", parameter.name);
                    return Err(caller.refuse(problem));
                }
                (true, Some(array)) => {
                    let raw = raw(array, true, site)?;
                    runner.declare_raw(&parameter.name, raw);
                }
                (false, given) => {
                    let value = given.map(loaded);
                    runner.declare(&parameter.name, Type(dtype), false, value);
                }
            }
        }
        runner.types = dtypes.0;
        let run = |runner: &mut Runner<'a>, statements: &'a [Statement], text: &str| {
            runner.run(statements).map_err(|stop| stopped(&self.name, text, stop, site))
        };
        run(&mut runner, &self.before.1, &self.before.0)?;
        run(&mut runner, &self.statements, &self.text)?;
        self.results(&runner, (inputs, outputs), caller)
    }

    /// Writes what the text has assigned.
    fn results(
        &self,
        runner: &Runner<'_>,
        (inputs, given): (&[Argument], &[Argument]),
        caller: Caller<'_>,
    ) -> Result<Vec<Array>, Error> {
        let site = caller.site;
        // All values are there before the first output is written, because an output may be an
        // input, too.
        let value = |parameter: &Parameter| {
            let value = runner.value(&parameter.name)?;
            Some(if given.is_empty() { value } else { value.kept(given, site) })
        };
        let values: Vec<Option<Value>> = self.outputs.iter().map(value).collect();
        let mut raws = runner.raws.iter().filter(|raw| raw.is_output);
        let mut result = |(number, parameter): (usize, &Parameter), before: &[Array]| {
            let given =
                given.get(number).map(|given| caller.array(parameter, given)).transpose()?;
            if parameter.is_raw {
                let (Some(given), Some(raw)) = (given, raws.next()) else {
                    unreachable!("bug: a raw output is given")
                };
                if raw.is_written {
                    let new = within(site, || raw.vector.reshape(given.shape()).into_result())?;
                    within(site, || given.try_assign(new))?;
                }
                return Ok(given.clone());
            }
            let value = values[number].clone();
            match given {
                Some(given) => {
                    if let Some(value) = value {
                        let new = value.argument(Type(given.dtype()), site)?;
                        within(site, || given.try_assign(new))?;
                    }
                    Ok(given.clone())
                }
                None => fresh(runner, parameter, value, (inputs, before), site),
            }
        };
        let mut results = Vec::with_capacity(self.outputs.len());
        for output in self.outputs.iter().enumerate() {
            let result = result(output, &results)?;
            results.push(result);
        }
        Ok(results)
    }
}

/// The error of a text that stops.
pub(super) fn stopped(kernel: &str, text: &str, stop: Stop, site: Site) -> Error {
    match stop {
        Stop::Text(failure) => refused(kernel, text, failure, site),
        Stop::Array(error) => error,
    }
}

/// A value that is loaded from an array of the caller's.
pub(super) fn loaded(array: &Array) -> Value {
    let elements = Elements { array: array.clone(), line: None };
    Value { of: Type(array.dtype()), kind: ValueKind::Elements(elements) }
}

/// A raw array.
pub(super) fn raw(array: &Array, is_output: bool, site: Site) -> Result<Raw, Error> {
    let vector = within(site, || array.reshape([-1]).into_result())?;
    Ok(Raw { vector, shape: array.shape().to_vec(), is_output, is_written: false })
}

/// A real number as a known one, so that a condition on it is decided and a loop may take as many
/// turns as it says.
fn known(number: &Argument, of: Type) -> Option<Value> {
    let weak = match number {
        Argument::Weak(weak) => *weak,
        Argument::Scalar(scalar) => scalar.to_weak(),
        Argument::Array(_) => return None,
    };
    let is_full = matches!(of.0, DType::F32 | DType::F64);
    let is_half = matches!(of.0, DType::F16 | DType::BF16);
    match weak {
        _ if of.is_complex() => None,
        Weak::Bool(is) if of.0 == DType::Bool => Some(Value::bool(is)),
        Weak::Int(number) if of.is_integer() => Some(Value::integer(number, of)),
        Weak::Float(number) if is_full || is_half => Some(Value::real(number, of)),
        Weak::Int(number) if is_full => Some(Value::real(number as f64, of)),
        _ => None,
    }
}

/// Declares an input with its argument.
pub(super) fn declare_input<'a>(
    runner: &mut Runner<'a>,
    parameter: &'a Parameter,
    argument: &Argument,
    dtypes: &Dtypes<'_>,
    caller: Caller<'_>,
) -> Result<(), Error> {
    let site = runner.site;
    let Some(dtype) = dtypes.of(parameter) else {
        return Err(caller.undecided(parameter));
    };
    if parameter.is_raw {
        let raw = raw(caller.array(parameter, argument)?, false, site)?;
        runner.declare_raw(&parameter.name, raw);
        return Ok(());
    }
    let value = match argument {
        Argument::Array(array) => loaded(array),
        number => match known(number, Type(dtype)) {
            Some(known) => known,
            None => Value::array(as_array(number, dtype, site)?),
        },
    };
    runner.declare(&parameter.name, Type(dtype), true, Some(value));
    Ok(())
}

/// The elements of a kernel.
fn space<'a>(
    pairs: impl Iterator<Item = (&'a Parameter, &'a Argument)>,
    size: Option<usize>,
    caller: Caller<'_>,
) -> Result<Space, Error> {
    let mut plain = pairs.filter(|(parameter, _)| !parameter.is_raw).peekable();
    let is_undecided = plain.peek().is_none();
    let (mut shape, mut has_arrays) = (Shape::new(), false);
    for array in plain.filter_map(|(_, argument)| argument.as_array()) {
        let joined = broadcast(&shape, array.shape());
        shape = joined.map_err(|error| Error::op(error, caller.site))?;
        has_arrays = true;
    }
    let shape = match size {
        Some(size) if has_arrays => {
            return Err(caller.wrong_size(format!("{size} beside arrays that are not raw")));
        }
        None if is_undecided => {
            return Err(caller.wrong_size(String::from("None with raw arguments alone")));
        }
        Some(size) => [size].as_slice().into(),
        // Of numbers alone: a kernel of one element.
        None => shape,
    };
    Ok(Space { count: phalanx_ops::shape::size(&shape), shape })
}

/// A new array with the value of an output. It shares no memory with the inputs, of which the value
/// may be a view, nor with the outputs before it.
pub(super) fn fresh(
    runner: &Runner<'_>,
    parameter: &Parameter,
    value: Option<Value>,
    (inputs, before): (&[Argument], &[Array]),
    site: Site,
) -> Result<Array, Error> {
    let shape = &runner.space.shape[..];
    if let Some(Value { kind: ValueKind::Elements(elements), .. }) = &value
        && elements.array.shape() == shape
        && !inputs
            .iter()
            .filter_map(Argument::as_array)
            .chain(before)
            .any(|other| other.has_base_of(&elements.array))
    {
        return elements.array.clone().into_result();
    }
    let dtype = match (&value, &parameter.of) {
        (Some(value), _) => value.of.0,
        (None, super::ParameterType::DType(dtype)) => *dtype,
        (None, super::ParameterType::Placeholder(name)) => {
            let known = runner.types.iter().find(|(known, _)| known == name);
            known.map_or(DType::F64, |(_, of)| of.0)
        }
    };
    runner.mesh.enter(|| {
        within(site, || {
            let Some(value) = value else { return zeros(shape, dtype).into_result() };
            match value.argument(value.of, site)? {
                Argument::Array(array) => {
                    let array = match array.shape() == shape {
                        true => array,
                        false => array.broadcast_to(shape),
                    };
                    array.copy().into_result()
                }
                Argument::Scalar(scalar) => {
                    let one = Argument::Scalar(scalar).into_array();
                    one.broadcast_to(shape).copy().into_result()
                }
                Argument::Weak(number) => full(shape, number, dtype).into_result(),
            }
        })
    })
}
