//! Reductions of the user's own.

use super::constants::constant;
use super::elementwise::{declare_input, fresh, raw, stopped};
use super::functions;
use super::intrinsics::missing;
use super::parameters::{
    Caller, Dtypes, Parameter, check_names, parameters, placeholders, refused,
};
use super::parse;
use super::places::Space;
use super::run::Runner;
use super::stop::Stop;
use super::syntax::{Binary, Expression, Failure, Function, Kind, Statement, TypeName};
use super::types::Type;
use super::values::Value;
use crate::array::{Argument, Array};
use crate::manipulation::moveaxis;
use crate::recording::mesh_of;
use crate::reductions::{Axes, reduce_by};
use phalanx_graph::{Error, MeshHandle, Site, call_site, within};
use phalanx_ops::error::OpError;
use phalanx_ops::shape::{broadcast, size};
use phalanx_ops::{DType, Index, Op, Shape};

/// A reduction that texts in C++ define, as CuPy's `ReductionKernel`: an expression that maps the
/// inputs of an element to a value, an expression that combines two values `a` and `b`, and
/// statements that compute the outputs from the combination `a` of all.
///
/// Texts are as those of [`ElementwiseKernel`](super::ElementwiseKernel). The combination must be
/// associative. Sums, products, extremes and logical and bitwise combinations are reduced as
/// NumPy's; other expressions are evaluated for halves of the values, then for halves of those, and
/// so on, in order.
///
/// ```
/// # use phalanx_array as phalanx;
/// use phalanx::user_kernels::{ReductionCall, ReductionKernel};
/// # use phalanx::{Array, Error};
/// # fn example(x: &Array) -> Result<(), Error> {
/// let norm = ReductionKernel::new(
///     "norm",
///     ("T x", "T y"),
///     ["x * x", "a + b", "y = sqrt(a)"],
///     Some("0"),
/// )?;
/// let rows = ReductionCall { axes: Some(vec![1]), ..ReductionCall::default() };
/// let norms = &norm.call(&[x.into()], &rows)?[0];
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ReductionKernel {
    name: String,
    inputs: Vec<Parameter>,
    outputs: Vec<Parameter>,
    /// The texts of the three parts.
    texts: [String; 3],
    map: Expression,
    combine: Expression,
    finish: Vec<Statement>,
    identity: Option<(String, Expression)>,
    reduced: Option<String>,
    preamble: Vec<Function>,
    /// The combination of values of several devices, if it is another text.
    across: Option<(String, Expression)>,
}

/// How a reduction is called.
#[derive(Clone, Default)]
pub struct ReductionCall {
    /// The axes that are reduced; `None` for all.
    pub axes: Option<Vec<i64>>,
    /// Whether they stay with extent 1.
    pub keepdims: bool,
    /// The arrays that are written and returned; if there are any, one for each output.
    pub out: Vec<Array>,
}

impl ReductionKernel {
    /// A reduction with its parameters, its three texts, and the value of no element.
    ///
    /// Local. Errors: `OpError::KernelText`.
    #[track_caller]
    pub fn new(
        name: &str,
        (inputs, outputs): (&str, &str),
        [map, combine, finish]: [&str; 3],
        identity: Option<&str>,
    ) -> Result<ReductionKernel, Error> {
        let site = call_site();
        let inputs = parameters(name, inputs, site)?;
        let outputs = parameters(name, outputs, site)?;
        check_names(name, &inputs, &outputs, site)?;
        let types = placeholders(inputs.iter().chain(&outputs));
        let expression = |text: &str| {
            parse::expression(text, &types).map_err(|failure| refused(name, text, failure, site))
        };
        let identity = identity.map(|text| Ok((text.to_string(), expression(text)?)));
        let statements = parse::statements(finish, &types);
        Ok(ReductionKernel {
            map: expression(map)?,
            combine: expression(combine)?,
            finish: statements.map_err(|failure| refused(name, finish, failure, site))?,
            identity: identity.transpose()?,
            name: name.to_string(),
            texts: [map, combine, finish].map(String::from),
            inputs,
            outputs,
            reduced: None,
            preamble: Vec::new(),
            across: None,
        })
    }

    /// With another type for the values that are combined than that of the first output. Local.
    #[must_use]
    pub fn reduce_type(self, name: &str) -> ReductionKernel {
        ReductionKernel { reduced: Some(name.to_string()), ..self }
    }

    /// With functions that the texts may call. Local. Errors: `OpError::KernelText`.
    #[track_caller]
    pub fn preamble(self, text: &str) -> Result<ReductionKernel, Error> {
        let (site, types) = (call_site(), placeholders(self.inputs.iter().chain(&self.outputs)));
        let functions = parse::functions(text, &types);
        let preamble = functions.map_err(|failure| refused(&self.name, text, failure, site))?;
        Ok(ReductionKernel { preamble, ..self })
    }

    /// With another text for the combination of the values that the devices have reduced.
    ///
    /// It must be the same function as the combination, apart from rounding: pairs of values are
    /// combined by the first text while a result has more of them than the mesh has devices, then
    /// by this one. The values of small arrays, which each device has, are combined likewise.
    /// Functions of the preamble, which is given before, may be called.
    /// Local. Errors: `OpError::KernelText` if the text is no expression of `a` and `b`, or calls a
    /// function that is not known.
    ///
    /// ```
    /// # use phalanx_array as phalanx;
    /// use phalanx::user_kernels::ReductionKernel;
    /// # use phalanx::Error;
    /// # fn example() -> Result<(), Error> {
    /// let texts = ["x", "hypot(a, b)", "y = a"];
    /// let length = ReductionKernel::new("length", ("T x", "T y"), texts, Some("0"))?
    ///     .across("sqrt(a * a + b * b)")?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn across(self, text: &str) -> Result<ReductionKernel, Error> {
        let (site, types) = (call_site(), placeholders(self.inputs.iter().chain(&self.outputs)));
        let expression = parse::expression(text, &types).and_then(|expression| {
            let mut used = [false; 2];
            operands(&expression, &mut used, (&types, &self.preamble))?;
            match used {
                [true, true] => Ok(expression),
                _ => Err(Failure::new(1, "`across` combines two values: it names `a` and `b`")),
            }
        });
        let expression = expression.map_err(|failure| refused(&self.name, text, failure, site))?;
        Ok(ReductionKernel { across: Some((text.to_string(), expression)), ..self })
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

    /// The outputs for these inputs.
    ///
    /// Shapes        Inputs that are not raw broadcast together; outputs have the axes that are not
    ///               reduced.
    /// Dtypes        Those of the parameters, as for an elementwise kernel.
    /// Collectivity  Local (records nodes).
    /// Errors        As for an elementwise kernel; `OpError::Axis`, and `OpError::EmptyReduction`
    ///               for no elements without an identity.
    #[track_caller]
    pub fn call(&self, inputs: &[Argument], call: &ReductionCall) -> Result<Vec<Array>, Error> {
        let site = call_site();
        let caller = Caller { kernel: &self.name, site };
        if inputs.len() != self.inputs.len() {
            let (takes, given) = (self.inputs.len(), inputs.len());
            return Err(caller.refuse(format!("it takes {takes} inputs, not {given}")));
        }
        if !call.out.is_empty() && call.out.len() != self.outputs.len() {
            let (gives, given) = (self.outputs.len(), call.out.len());
            return Err(caller.refuse(format!("it has {gives} outputs, and {given} are given")));
        }
        let outputs: Vec<Argument> = call.out.iter().map(Argument::from).collect();
        let mut dtypes = Dtypes::default();
        let mut shape = Shape::new();
        for (parameter, argument) in self.inputs.iter().zip(inputs) {
            let Some(array) = argument.as_array() else { continue };
            if !parameter.is_raw {
                let joined = broadcast(&shape, array.ok()?.shape());
                shape = joined.map_err(|error| Error::op(error, site))?;
            }
        }
        let pairs = self.inputs.iter().zip(inputs).chain(self.outputs.iter().zip(&outputs));
        dtypes.decide(pairs, caller)?;
        let mesh = mesh_of(inputs, site)?;
        let (axes, over) = over(call, shape.len(), site)?;
        let left = (0..shape.len()).filter(|axis| !over.contains(axis)).map(|axis| shape[axis]);
        let sizes = [size(&shape), left.product()];
        let mapped = self.mapped(inputs, &dtypes, (&shape, sizes), &mesh, site)?;
        let reduced = self.reduced(mapped, &dtypes, (axes, &over), site)?;
        let space = Space { shape: reduced.shape().into(), count: reduced.size() };
        let mut runner = Runner::new(site, mesh, space, &self.preamble);
        runner.sizes = sizes;
        runner.declare("a", Type(reduced.dtype()), true, Some(Value::array(reduced)));
        for (parameter, argument) in self.inputs.iter().zip(inputs) {
            if parameter.is_raw {
                runner.declare_raw(
                    &parameter.name,
                    raw(caller.array(parameter, argument)?, false, site)?,
                );
            }
        }
        for parameter in &self.outputs {
            let Some(dtype) = dtypes.of(parameter) else {
                return Err(caller.undecided(parameter));
            };
            runner.declare(&parameter.name, Type(dtype), false, None);
        }
        runner.types = dtypes.0;
        let run = runner.run(&self.finish);
        run.map_err(|stop| stopped(&self.name, &self.texts[2], stop, site))?;
        let mut results = Vec::with_capacity(self.outputs.len());
        for (number, parameter) in self.outputs.iter().enumerate() {
            let value = runner.value(&parameter.name);
            let result = match call.out.get(number) {
                None => fresh(&runner, parameter, value, (inputs, &results), site)?,
                Some(out) => {
                    if let Some(value) = value {
                        let new = value.argument(Type(out.ok()?.dtype()), site)?;
                        within(site, || out.try_assign(new))?;
                    }
                    out.clone()
                }
            };
            results.push(result);
        }
        Ok(results)
    }

    /// The type of the values that are combined.
    fn combined_type(&self, dtypes: &Dtypes<'_>, site: Site) -> Result<Type, Error> {
        let caller = Caller { kernel: &self.name, site };
        let undecided = || caller.refuse("no argument decides the dtype that is reduced");
        let Some(name) = &self.reduced else {
            let first = self.outputs.first().and_then(|output| dtypes.of(output));
            return first.map(Type).ok_or_else(undecided);
        };
        let words: Vec<&str> = name.split_whitespace().collect();
        let placeholder = || dtypes.0.iter().find(|(known, _)| known == name).map(|(_, of)| *of);
        Type::of_words(&words).or_else(placeholder).ok_or_else(undecided)
    }

    /// The value of each element.
    fn mapped(
        &self,
        inputs: &[Argument],
        dtypes: &Dtypes<'_>,
        (shape, sizes): (&Shape, [usize; 2]),
        mesh: &MeshHandle,
        site: Site,
    ) -> Result<Array, Error> {
        let of = self.combined_type(dtypes, site)?;
        let space = Space { shape: shape.clone(), count: size(shape) };
        let mut runner = Runner::new(site, mesh.clone(), space.clone(), &self.preamble);
        runner.sizes = sizes;
        let caller = Caller { kernel: &self.name, site };
        for (parameter, argument) in self.inputs.iter().zip(inputs) {
            declare_input(&mut runner, parameter, argument, dtypes, caller)?;
        }
        runner.types.clone_from(&dtypes.0);
        let value = runner.expression(&self.map);
        let refuse = |stop: Stop| stopped(&self.name, &self.texts[0], stop, site);
        let value = value.map_err(refuse)?;
        let place = super::arithmetic::Place { line: self.map.line, site };
        let value = super::arithmetic::assigned(value, of, place).map_err(refuse)?;
        space.spread(&value, of, site)
    }

    /// The combinations of the values over the axes.
    fn reduced(
        &self,
        values: Array,
        dtypes: &Dtypes<'_>,
        (axes, which): (Axes, &[usize]),
        site: Site,
    ) -> Result<Array, Error> {
        let keeps = axes.keepdims;
        let of_one: Vec<usize> = which.iter().map(|&axis| values.shape()[axis]).collect();
        let kept = (0..values.ndim()).filter(|axis| keeps || !which.contains(axis));
        let extent = |axis: usize| if which.contains(&axis) { 1 } else { values.shape()[axis] };
        let shape: Shape = kept.map(extent).collect();
        let dtype = values.dtype();
        let mesh = values.mesh()?;
        let space = Space { count: size(&shape), shape };
        let identity = match &self.identity {
            None => None,
            Some((text, expression)) => {
                let mut runner = Runner::new(site, mesh.clone(), space.clone(), &self.preamble);
                runner.types.clone_from(&dtypes.0);
                let value = runner.expression(expression);
                let refuse = |stop: Stop| stopped(&self.name, text, stop, site);
                let place = super::arithmetic::Place { line: 1, site };
                let value = value.map_err(refuse)?;
                Some(super::arithmetic::assigned(value, Type(dtype), place).map_err(refuse)?)
            }
        };
        if size(&of_one) == 0 {
            let Some(identity) = identity else {
                return Err(Error::op(OpError::EmptyReduction { operation: "reduce" }, site));
            };
            let array = space.spread(&identity, Type(dtype), site)?;
            return within(site, || array.copy().into_result());
        }
        let is_own = |name: &str| self.preamble.iter().any(|own| own.name == name);
        let op = known(&self.combine, is_own);
        let is_same = |(_, across): &(String, Expression)| known(across, is_own) == op;
        let is_all = self.across.as_ref().is_none_or(is_same);
        let Some(op) = op.filter(|_| is_all) else {
            let reduced = self.folded(&values, which, op, dtypes, site)?;
            let reduced = within(site, || reduced.reshape(&space.shape[..]).into_result())?;
            return match identity {
                None => Ok(reduced),
                Some(identity) => {
                    self.combination([identity, Value::array(reduced)], &space, dtypes, site)
                }
            };
        };
        let reduced = within(site, || reduce_by(op, &values, &axes, site))?.converted(dtype, site);
        match identity {
            Some(identity) if !is_neutral(op, &identity) => {
                self.combination([identity, Value::array(reduced)], &space, dtypes, site)
            }
            _ => Ok(reduced),
        }
    }

    /// The combination of two values.
    fn combination(
        &self,
        values: [Value; 2],
        space: &Space,
        dtypes: &Dtypes<'_>,
        site: Site,
    ) -> Result<Array, Error> {
        self.combined(values, (self.texts[1].as_str(), &self.combine), space, dtypes, site)
    }

    /// The value of an expression of two values.
    fn combined(
        &self,
        [a, b]: [Value; 2],
        (text, combine): (&str, &Expression),
        space: &Space,
        dtypes: &Dtypes<'_>,
        site: Site,
    ) -> Result<Array, Error> {
        let of = a.of;
        let mesh = match (&a.kind, &b.kind) {
            (super::values::ValueKind::Elements(it), _)
            | (_, super::values::ValueKind::Elements(it)) => it.array.mesh()?,
            _ => crate::recording::current_mesh(site)?,
        };
        let mut runner = Runner::new(site, mesh, space.clone(), &self.preamble);
        runner.types.clone_from(&dtypes.0);
        runner.declare("a", of, true, Some(a));
        runner.declare("b", of, true, Some(b));
        let refuse = |stop: Stop| stopped(&self.name, text, stop, site);
        let value = runner.expression(combine).map_err(refuse)?;
        let place = super::arithmetic::Place { line: combine.line, site };
        let value = super::arithmetic::assigned(value, of, place).map_err(refuse)?;
        space.spread(&value, of, site)
    }

    /// The combinations of values over axes, by halves. If the table has the operation, a part for
    /// each device is reduced by it first.
    fn folded(
        &self,
        values: &Array,
        axes: &[usize],
        op: Option<Op>,
        dtypes: &Dtypes<'_>,
        site: Site,
    ) -> Result<Array, Error> {
        let kept: Vec<usize> = (0..values.ndim()).filter(|axis| !axes.contains(axis)).collect();
        let rows = size(&kept.iter().map(|&axis| values.shape()[axis]).collect::<Vec<usize>>());
        let of_one: usize = axes.iter().map(|&axis| values.shape()[axis]).product();
        let from: Vec<i64> = axes.iter().map(|&axis| axis as i64).collect();
        let to: Vec<i64> = (kept.len()..values.ndim()).map(|axis| axis as i64).collect();
        let mut line = within(site, || {
            moveaxis(values, from.as_slice(), to.as_slice()).reshape([rows, of_one]).into_result()
        })?;
        let all = Index::Range { start: None, stop: None, step: 1 };
        let range = |start: usize, stop: usize, step: usize| Index::Range {
            start: Some(start as i64),
            stop: Some(stop as i64),
            step: step as i64,
        };
        // With no more values than this, each stands for the elements of a device.
        let devices = match &self.across {
            Some(_) => values.mesh()?.mesh().devices(),
            None => 0,
        };
        let combine = |a: Array, b: Array, count: usize| {
            let space = Space { shape: a.shape().into(), count: a.size() };
            let pair = [Value::array(a), Value::array(b)];
            match &self.across {
                Some((text, across)) if count <= devices => {
                    self.combined(pair, (text.as_str(), across), &space, dtypes, site)
                }
                _ => self.combination(pair, &space, dtypes, site),
            }
        };
        let part =
            |line: &Array, index: Index| within(site, || line.slice([all, index]).into_result());
        // What does not have a neighbour follows all others.
        let mut rest: Option<Array> = None;
        if let Some(op) = op.filter(|_| devices > 0 && of_one > devices) {
            let mut last = Axes::from(-1i64);
            last.keepdims = true;
            let piece = of_one / devices;
            let reduced = |array: &Array| -> Result<Array, Error> {
                let reduced = within(site, || reduce_by(op, array, &last, site))?;
                Ok(reduced.converted(values.dtype(), site))
            };
            if piece * devices < of_one {
                rest = Some(reduced(&part(&line, range(piece * devices, of_one, 1))?)?);
            }
            let pieces = part(&line, range(0, piece * devices, 1))?;
            let pieces = within(site, || pieces.reshape([rows, devices, piece]).into_result())?;
            line = reduced(&pieces)?;
            line = within(site, || line.reshape([rows, devices]).into_result())?;
        }
        while line.shape()[1] > 1 {
            let count = line.shape()[1];
            let even = count / 2 * 2;
            if even < count {
                let last = part(&line, range(even, count, 1))?;
                rest = Some(match rest {
                    None => last,
                    Some(rest) => combine(last, rest, count)?,
                });
            }
            let [a, b] = [0, 1].map(|first| part(&line, range(first, even, 2)));
            line = combine(a?, b?, count)?;
        }
        match rest {
            None => Ok(line),
            Some(rest) => combine(line, rest, 2),
        }
    }
}

/// Notes which of `a` and `b` an expression names. Errors: another variable, and a type or a
/// function that neither CUDA nor the placeholders and the preamble have.
fn operands(
    expression: &Expression,
    used: &mut [bool; 2],
    (types, preamble): (&[String], &[Function]),
) -> Result<(), Failure> {
    let refused = |what: String| Err(Failure::new(expression.line, what));
    let known = (types, preamble);
    let mut all =
        |parts: &[Expression]| parts.iter().try_for_each(|part| operands(part, used, known));
    match &expression.kind {
        Kind::Integer(..) | Kind::Real(..) => Ok(()),
        Kind::Name(name) => match name.as_str() {
            "a" => {
                used[0] = true;
                Ok(())
            }
            "b" => {
                used[1] = true;
                Ok(())
            }
            name if constant(name).is_some() => Ok(()),
            _ => refused(format!("`{name}` is not known here: `across` combines `a` and `b`")),
        },
        Kind::Address(_) | Kind::Index(..) => {
            refused(String::from("`a` and `b` are values: they have no addresses"))
        }
        Kind::Unary(_, one) => operands(one, used, known),
        Kind::Binary(_, one, other) => {
            operands(one, used, known)?;
            operands(other, used, known)
        }
        Kind::Choice(parts) => all(&parts[..]),
        Kind::Cast(to, parts) => match named(to) {
            Some(name) if !types.contains(name) => refused(format!("`{name}` is no type here")),
            _ => all(parts),
        },
        Kind::Call(name, parts) => {
            all(parts)?;
            let own = preamble.iter().find(|own| own.name == *name);
            let own = own.map(|own| own.parameters.len());
            match own.or_else(|| functions::takes(name)) {
                None => refused(missing(name)),
                Some(takes) if takes != parts.len() => {
                    let given = parts.len();
                    refused(format!("`{name}` takes {takes} arguments, not {given}"))
                }
                Some(_) => Ok(()),
            }
        }
        Kind::Method(_, name, _) if !["real", "imag"].contains(&name.as_str()) => {
            refused(format!("the method `{name}` is not known here"))
        }
        Kind::Method(object, _, parts) => {
            all(parts)?;
            operands(object, used, known)
        }
    }
}

/// The name in a type that C++ does not define.
fn named(of: &TypeName) -> Option<&String> {
    match of {
        TypeName::Known(_) | TypeName::Auto => None,
        TypeName::Named(name) => Some(name),
        TypeName::Complex(part) => named(part),
    }
}

/// The axes over which a call reduces `ndim`, also as numbers.
fn over(call: &ReductionCall, ndim: usize, site: Site) -> Result<(Axes, Vec<usize>), Error> {
    let mut axes = match &call.axes {
        None => Axes::from(()),
        Some(axes) => Axes::from(axes.as_slice()),
    };
    axes.keepdims = call.keepdims;
    let which = axes.resolve(ndim, site)?;
    Ok((axes, which.iter().map(|&axis| usize::from(axis)).collect()))
}

/// The operation of the table that the text of an expression of `a` and `b` is.
pub(super) fn table_operation(text: &str) -> Option<Op> {
    known(&parse::expression(text, &[]).ok()?, |_| false)
}

/// The operation of the table that an expression of `a` and `b` is.
fn known(expression: &Expression, is_own: impl Fn(&str) -> bool) -> Option<Op> {
    let name = |of: &Expression| match &of.kind {
        Kind::Name(name) if name == "a" || name == "b" => Some(name.clone()),
        _ => None,
    };
    let are_both = |one: &Expression, other: &Expression| {
        name(one).zip(name(other)).is_some_and(|(one, other)| one != other)
    };
    match &expression.kind {
        Kind::Binary(by, one, other) if are_both(one, other) => match by {
            Binary::Plain(
                op @ (Op::Add | Op::Multiply | Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor),
            ) => Some(*op),
            Binary::And => Some(Op::LogicalAnd),
            Binary::Or => Some(Op::LogicalOr),
            Binary::Plain(_) => None,
        },
        Kind::Call(function, _) if is_own(function) => None,
        Kind::Call(function, arguments) => match (function.as_str(), arguments.as_slice()) {
            ("min" | "fmin" | "fminf", [one, other]) if are_both(one, other) => Some(Op::Fmin),
            ("max" | "fmax" | "fmaxf", [one, other]) if are_both(one, other) => Some(Op::Fmax),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a combination with this value changes nothing.
fn is_neutral(op: Op, value: &Value) -> bool {
    let one = match op {
        Op::Add | Op::BitwiseOr | Op::BitwiseXor | Op::LogicalOr => 0,
        Op::Multiply | Op::LogicalAnd => 1,
        _ => return false,
    };
    let same = Value::integer(one, Type(DType::I64));
    let of = |value: &Value| match value.known()? {
        super::values::Number::Integer(number) => Some(number as f64),
        super::values::Number::Real(number) => Some(number),
    };
    of(value).is_some() && of(value) == of(&same)
}
