//! The interpreter of expressions.

use super::arithmetic::{Place, apply, assigned, binary, choice, truth, unary};
use super::compositions;
use super::constants::constant;
use super::functions;
use super::intrinsics;
use super::places;
use super::pointers;
use super::run::{Flow, Held, Raw, Returned, Runner, Variable};
use super::stop::{Run, Stop};
use super::syntax::{Binary, Expression, Failure, Function, Kind, TypeName, Unary};
use super::types::Type;
use super::values::{Elements, Value, ValueKind};
use crate::creation::index_of;
use phalanx_graph::within;
use phalanx_ops::Op;

/// How deeply functions may call each other.
const DEEPEST: usize = 50;

impl<'a> Runner<'a> {
    pub(super) fn unknown(&self, name: &str, place: Place) -> Stop {
        place.refuse(format!("`{name}` is not known here"))
    }

    /// The value of an expression.
    pub fn expression(&mut self, expression: &'a Expression) -> Run<Value> {
        let place = self.place(expression.line);
        match &expression.kind {
            Kind::Integer(number, of) => Ok(Value::integer(*number, *of)),
            Kind::Real(number, of) => Ok(Value::real(*number, *of)),
            Kind::Name(name) => self.named(name, place),
            Kind::Unary(by, value) => {
                let value = self.expression(value)?;
                unary(*by, value, place)
            }
            Kind::Binary(by, a, b) => {
                let a = self.expression(a)?;
                // What a known operand decides is not computed.
                if let Some(number) = a.known_integer()
                    && (*by == Binary::And && number == 0 || *by == Binary::Or && number != 0)
                {
                    return Ok(Value::bool(*by == Binary::Or));
                }
                let is_logical = matches!(by, Binary::And | Binary::Or) && a.known().is_none();
                let b = self.part_of(b, is_logical)?;
                binary(*by, a, b, place)
            }
            Kind::Choice(parts) => {
                let [condition, a, b] = &**parts;
                let condition = truth(self.expression(condition)?, place)?;
                if let Some(number) = condition.known_integer() {
                    let (chosen, other) = if number != 0 { (a, b) } else { (b, a) };
                    let chosen = self.expression(chosen)?;
                    // The other one has a part in the type, but is not computed.
                    let of = match self.type_of_expression(other) {
                        Some(other) if other != chosen.of => chosen.of.common(other),
                        _ => chosen.of,
                    };
                    return assigned(chosen, of, place);
                }
                let (a, b) = (self.part_of(a, true)?, self.part_of(b, true)?);
                choice(condition, a, b, place)
            }
            Kind::Cast(to, values) => self.cast(to, values, place),
            Kind::Call(name, arguments) => self.call(name, arguments, place),
            Kind::Method(object, name, arguments) => self.method(object, name, arguments, place),
            Kind::Index(base, index) => self.element(base, index, place),
            Kind::Address(value) => match &value.kind {
                Kind::Index(..) => self.expression(value),
                _ => Err(place.refuse("addresses are not known here")),
            },
        }
    }

    /// The value of a part of an expression, which C++ computes for some elements only if
    /// `is_partial`.
    fn part_of(&mut self, part: &'a Expression, is_partial: bool) -> Run<Value> {
        let before = self.is_partial;
        self.is_partial |= is_partial;
        let value = self.expression(part);
        self.is_partial = before;
        value
    }

    fn named(&mut self, name: &str, place: Place) -> Run<Value> {
        if let Some(variable) = self.find(name) {
            return match &variable.kind {
                Held::One(Some(value)) => Ok(value.clone()),
                Held::One(None) => Err(place.refuse(format!("`{name}` has no value yet"))),
                Held::Many(_) => Err(place.refuse(format!("`{name}` is an array"))),
                Held::Raw(_) => Err(place.refuse(format!("`{name}` is a raw array"))),
            };
        }
        match name {
            "i" => self.number(),
            "n" => Ok(Value::integer(self.space.count as i128, Type::LONG)),
            _ => constant(name).ok_or_else(|| self.unknown(name, place)),
        }
    }

    /// The type of an expression, without its value; `None` if it is not known.
    fn type_of_expression(&self, expression: &Expression) -> Option<Type> {
        let place = self.place(expression.line);
        let of = |expression: &Expression| self.type_of_expression(expression);
        Some(match &expression.kind {
            Kind::Integer(_, of) | Kind::Real(_, of) => *of,
            Kind::Name(name) => match self.find(name) {
                Some(variable) => variable.of,
                None if name == "i" || name == "n" => Type::LONG,
                None => constant(name)?.of,
            },
            Kind::Unary(Unary::Not, _) | Kind::Binary(Binary::And | Binary::Or, ..) => Type::BOOL,
            Kind::Unary(_, value) => of(value)?.promoted(),
            Kind::Binary(Binary::Plain(op), ..) if op.is_comparison() => Type::BOOL,
            Kind::Binary(Binary::Plain(Op::LeftShift | Op::RightShift), value, _) => {
                of(value)?.promoted()
            }
            Kind::Binary(_, a, b) => of(a)?.common(of(b)?),
            Kind::Choice(parts) => {
                let [a, b] = [of(&parts[1])?, of(&parts[2])?];
                if a == b { a } else { a.common(b) }
            }
            Kind::Cast(to, _) => self.type_of(to, place).ok()??,
            Kind::Call(name, arguments) => {
                if let Some(own) = self.functions.iter().find(|own| own.name == *name) {
                    return self.type_of(own.result.as_ref()?, place).ok()?;
                }
                let types: Option<Vec<Type>> = arguments.iter().map(of).collect();
                pointers::result_type(name, &types?)?
            }
            Kind::Method(object, name, _) => match name.as_str() {
                "size" | "ndim" => Type::LONG,
                _ => of(object)?.floating().part(),
            },
            Kind::Index(base, _) => match &base.kind {
                Kind::Name(name) => self.find(name)?.of,
                _ => Type::LONG,
            },
            Kind::Address(value) => of(value)?,
        })
    }

    /// `i`: the number of each element.
    fn number(&self) -> Run<Value> {
        let of_axis = |axis| index_of(&self.space.shape, axis, &self.mesh, self.site);
        let indices = (0..self.space.shape.len()).map(of_axis).collect::<Result<Vec<_>, _>>()?;
        Ok(match indices.is_empty() {
            true => Value::integer(0, Type::LONG),
            false => places::numbers(&indices, &self.space, self.site)?,
        })
    }

    fn cast(&mut self, to: &TypeName, values: &'a [Expression], place: Place) -> Run<Value> {
        let Some(to) = self.type_of(to, place)? else {
            return Err(place.refuse("`auto` is no cast"));
        };
        let given = values.iter().map(|value| self.expression(value));
        let given = given.collect::<Run<Vec<Value>>>()?;
        match given.as_slice() {
            [] => Ok(Value::integer(0, Type::INT).converted(to, place.site)?),
            [value] => assigned(value.clone(), to, place),
            [real, imaginary] if to.is_complex() => {
                if real.of.is_complex() || imaginary.of.is_complex() {
                    return Err(place.refuse("the parts of a complex number are real"));
                }
                let part = to.part();
                Ok(apply(Op::Complex, part, &[real, imaginary], place)?)
            }
            _ => Err(place.refuse("a cast has one operand")),
        }
    }

    fn call(&mut self, name: &str, arguments: &'a [Expression], place: Place) -> Run<Value> {
        if let Some(written) = self.written(name, arguments, place)? {
            return written.ok_or_else(|| place.refuse(format!("`{name}` returns nothing")));
        }
        let given = arguments.iter().map(|argument| self.expression(argument));
        let given = given.collect::<Run<Vec<Value>>>()?;
        let functions = self.functions;
        if let Some(function) = functions.iter().find(|function| function.name == name) {
            return self.inlined(function, given, place);
        }
        match functions::call(name, &given, place)? {
            Some(value) => Ok(value),
            None => Err(place.refuse(intrinsics::missing(name))),
        }
    }

    /// The value of a function of the preamble.
    fn inlined(&mut self, function: &'a Function, given: Vec<Value>, place: Place) -> Run<Value> {
        let Function { name, types, result, parameters, body } = function;
        if given.len() != parameters.len() {
            let (takes, given) = (parameters.len(), given.len());
            return Err(place.refuse(format!("`{name}` takes {takes} arguments, not {given}")));
        }
        if self.depth == DEEPEST {
            return Err(place.refuse(format!("`{name}` calls itself too often")));
        }
        let known = self.types.len();
        // A parameter whose type is a placeholder of the function decides it.
        for own in types {
            let is_own = |(of, _): &&(TypeName, String)| *of == TypeName::Named(own.clone());
            let at = parameters.iter().position(|parameter| is_own(&parameter));
            let Some(at) = at else {
                return Err(place.refuse(format!("no argument of `{name}` decides `{own}`")));
            };
            self.types.push((own, given[at].of));
        }
        let mut own = Vec::new();
        for ((of, parameter), value) in parameters.iter().zip(given) {
            let of = self.type_of(of, place)?.unwrap_or(value.of);
            let kind = Held::One(Some(assigned(value, of, place)?));
            let name = parameter.as_str();
            own.push(Variable { name, of, is_constant: false, kind, version: 0 });
        }
        // A function sees its parameters alone.
        let outer = std::mem::replace(&mut self.variables, own);
        let mask = self.mask.take();
        let of = result.as_ref().map(|of| self.type_of(of, place)).transpose()?.flatten();
        let before = self.returned.replace(Returned { of, ..Returned::default() });
        let was_partial = std::mem::take(&mut self.is_partial);
        self.depth += 1;
        let flow = self.statements(body);
        self.depth -= 1;
        (self.variables, self.mask, self.is_partial) = (outer, mask, was_partial);
        let returned = std::mem::replace(&mut self.returned, before);
        self.types.truncate(known);
        let flow = flow.map_err(|stop| match stop {
            Stop::Text(Failure { line, what }) => {
                place.refuse(format!("in `{name}`, line {line} of the preamble: {what}"))
            }
            stop => stop,
        })?;
        match (flow, returned.and_then(|returned| returned.value), result) {
            (Flow::Returns, Some(value), Some(_)) => Ok(value),
            (_, Some(_), Some(_)) => {
                Err(place.refuse(format!("`{name}` returns for some elements only")))
            }
            _ => Err(place.refuse(format!("`{name}` returns nothing"))),
        }
    }

    fn method(
        &mut self,
        object: &'a Expression,
        name: &str,
        arguments: &'a [Expression],
        place: Place,
    ) -> Run<Value> {
        if !arguments.is_empty() {
            return Err(place.refuse(format!("`{name}` takes no arguments")));
        }
        let size = |size: usize| Ok(Value::integer(size as i128, Type::LONG));
        if let Kind::Name(of) = &object.kind {
            match (of.as_str(), name, self.find(of).map(|found| &found.kind)) {
                ("_ind", "size", _) => return size(self.space.count),
                ("_in_ind", "size", _) => return size(self.sizes[0]),
                ("_out_ind", "size", _) => return size(self.sizes[1]),
                (_, "size", Some(Held::Raw(raw))) => return size(self.raws[*raw].vector.size()),
                (_, "ndim", Some(Held::Raw(raw))) => return size(self.raws[*raw].shape.len()),
                _ => {}
            }
        }
        let part = match name {
            "real" => Op::Real,
            "imag" => Op::Imag,
            _ => return Err(place.refuse(format!("the method `{name}` is not known here"))),
        };
        let value = self.expression(object)?;
        compositions::part(part, &value, place)
    }

    /// An element of an array.
    fn element(&mut self, base: &'a Expression, index: &'a Expression, place: Place) -> Run<Value> {
        if let Kind::Method(object, method, _) = &base.kind
            && let Kind::Name(name) = &object.kind
        {
            let index = self.expression(index)?;
            let axis = index.known_integer().and_then(|axis| usize::try_from(axis).ok());
            let Some(axis) = axis else {
                return Err(place.refuse("the number of an axis must be known"));
            };
            let beyond = |ndim: usize| place.refuse(format!("axis {axis} of {ndim}"));
            if name == "_ind" && method == "get" {
                if axis >= self.space.shape.len() {
                    return Err(beyond(self.space.shape.len()));
                }
                let array = index_of(&self.space.shape, axis, &self.mesh, self.site)?;
                // Of a vector, it is the number of the element.
                let line = (self.space.shape.len() == 1).then_some((1, 0));
                let elements = Elements { array, line };
                return Ok(Value { of: Type::LONG, kind: ValueKind::Elements(elements) });
            }
            if let (Some(Held::Raw(raw)), "shape") =
                (self.find(name).map(|found| &found.kind), method.as_str())
            {
                let shape = &self.raws[*raw].shape;
                let extent = shape.get(axis).ok_or_else(|| beyond(shape.len()))?;
                return Ok(Value::integer(*extent as i128, Type::LONG));
            }
        }
        let Kind::Name(name) = &base.kind else {
            return Err(place.refuse("this has no elements"));
        };
        // `x[_ind.get()]` is the element at the kernel's own place.
        if let Kind::Method(object, method, _) = &index.kind
            && method == "get"
            && matches!(&object.kind, Kind::Name(name) if name == "_ind")
            && let Some(Held::Raw(raw)) = self.find(name).map(|found| &found.kind)
        {
            let Raw { vector, shape, .. } = &self.raws[*raw];
            if shape[..] != self.space.shape[..] {
                return Err(place.refuse("the array has another shape than the kernel"));
            }
            let array = within(self.site, || vector.reshape(&shape[..]).into_result())?;
            return Ok(Value::array(array));
        }
        let index = self.expression(index)?;
        self.element_at(name, &index, place)
    }

    /// The element of the array of a name at an index.
    pub(super) fn element_at(&self, name: &str, index: &Value, place: Place) -> Run<Value> {
        match self.find(name).map(|found| &found.kind) {
            None => Err(self.unknown(name, place)),
            Some(Held::One(_)) => Err(place.refuse(format!("`{name}` is no array; see `raw`"))),
            Some(Held::Raw(raw)) => {
                places::read(&self.raws[*raw].vector, index, &self.space, place)
            }
            Some(Held::Many(all)) => {
                let known = index.known_integer().and_then(|it| usize::try_from(it).ok());
                let Some(held) = known.and_then(|at| all.get(at)) else {
                    let what = "an index of an array of the text must be known and inside";
                    return Err(place.refuse(what));
                };
                held.clone().ok_or_else(|| place.refuse("the element has no value yet"))
            }
        }
    }
}
