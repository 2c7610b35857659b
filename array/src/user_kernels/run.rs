//! The interpreter: runs the statements of a text over whole arrays.

use super::arithmetic::{Place, assigned, binary, choice, truth, unary};
use super::functions;
use super::places::{self, Space, Writing};
use super::stop::Run;
use super::syntax::{
    Binary, Declared, Expression, Function, Kind, Statement, StatementKind, TypeName,
};
use super::types::Type;
use super::values::Value;
use crate::array::Array;
use phalanx_graph::{MeshHandle, Site};
use phalanx_ops::{DType, Op};

/// The most turns of all loops together.
pub(super) const MOST_TURNS: usize = 10_000;

/// A variable.
#[derive(Clone)]
pub(super) struct Variable<'a> {
    pub name: &'a str,
    pub of: Type,
    pub is_constant: bool,
    pub kind: Held,
    /// The number of its last assignment.
    pub version: u64,
}

/// What a variable holds.
#[derive(Clone)]
pub(super) enum Held {
    /// A value, once it is assigned.
    One(Option<Value>),
    /// An array of the text.
    Many(Vec<Option<Value>>),
    /// The raw array with this number.
    Raw(usize),
}

/// A raw array.
pub(super) struct Raw {
    /// The elements in C order. The text replaces it when it writes.
    pub vector: Array,
    pub shape: Vec<usize>,
    pub is_output: bool,
    pub is_written: bool,
}

/// The result of statements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// They end.
    Ends,
    /// They return for all elements for which they run.
    Returns,
}

/// What a function has returned so far.
#[derive(Clone, Default)]
pub(super) struct Returned {
    /// The type of the function; `None` for that of the values.
    pub of: Option<Type>,
    pub value: Option<Value>,
    /// The elements for which it has returned.
    pub done: Option<Value>,
}

/// The state of a text that runs.
pub(super) struct Runner<'a> {
    pub site: Site,
    pub mesh: MeshHandle,
    pub space: Space,
    /// Placeholders of types.
    pub types: Vec<(&'a str, Type)>,
    pub functions: &'a [Function],
    pub raws: Vec<Raw>,
    /// The sizes `_in_ind.size()` and `_out_ind.size()` of a reduction.
    pub sizes: [usize; 2],
    pub(super) variables: Vec<Variable<'a>>,
    /// The elements for which the statement runs; `None` for all.
    pub(super) mask: Option<Value>,
    /// What the function returns; `None` outside of functions.
    pub(super) returned: Option<Returned>,
    /// Whether C++ computes the expression for some elements only.
    pub(super) is_partial: bool,
    assignments: u64,
    turns: usize,
    pub(super) depth: usize,
}

impl<'a> Runner<'a> {
    pub fn new(site: Site, mesh: MeshHandle, space: Space, functions: &'a [Function]) -> Self {
        Runner {
            site,
            mesh,
            sizes: [space.count; 2],
            space,
            types: Vec::new(),
            functions,
            raws: Vec::new(),
            variables: Vec::with_capacity(8),
            mask: None,
            returned: None,
            is_partial: false,
            assignments: 0,
            turns: 0,
            depth: 0,
        }
    }

    /// Declares a variable that the text did not.
    pub fn declare(&mut self, name: &'a str, of: Type, is_constant: bool, value: Option<Value>) {
        let kind = Held::One(value);
        self.variables.push(Variable { name, of, is_constant, kind, version: 0 });
    }

    /// Declares a raw array.
    pub fn declare_raw(&mut self, name: &'a str, raw: Raw) {
        let (of, kind) = (Type(raw.vector.dtype()), Held::Raw(self.raws.len()));
        self.variables.push(Variable { name, of, is_constant: true, kind, version: 0 });
        self.raws.push(raw);
    }

    /// The value of a variable that the text has assigned.
    pub fn value(&self, name: &str) -> Option<Value> {
        match &self.find(name)?.kind {
            Held::One(value) => value.clone(),
            Held::Many(_) | Held::Raw(_) => None,
        }
    }

    pub(super) fn find(&self, name: &str) -> Option<&Variable<'a>> {
        self.variables.iter().rev().find(|variable| variable.name == name)
    }

    pub(super) fn place(&self, line: u32) -> Place {
        Place { line, site: self.site }
    }

    /// Runs the statements of a kernel.
    pub fn run(&mut self, statements: &'a [Statement]) -> Run<()> {
        self.statements(statements).map(drop)
    }

    pub(super) fn statements(&mut self, statements: &'a [Statement]) -> Run<Flow> {
        for statement in statements {
            if self.statement(statement)? == Flow::Returns {
                return Ok(Flow::Returns);
            }
        }
        Ok(Flow::Ends)
    }

    fn statement(&mut self, statement: &'a Statement) -> Run<Flow> {
        let place = self.place(statement.line);
        match &statement.kind {
            StatementKind::Declare { of, is_constant, variables } => {
                for variable in variables {
                    self.declaration(of, *is_constant, variable, place)?;
                }
            }
            StatementKind::Assign { target, by, value } => {
                let value = self.expression(value)?;
                self.assign(target, *by, value, place)?;
            }
            StatementKind::Evaluate(call) => self.evaluate(call)?,
            StatementKind::Block(statements) => return self.scope(|it| it.statements(statements)),
            StatementKind::Loop { first, condition, step, body } => {
                return self.scope(|it| it.turns(first, condition.as_ref(), step, body, place));
            }
            StatementKind::Return(Some(value)) => {
                let value = self.expression(value)?;
                return self.returns(value, place);
            }
            StatementKind::Return(None) => return Err(place.refuse("`return` needs a value here")),
            StatementKind::If { condition, then, otherwise } => {
                let condition = self.expression(condition)?;
                return self.branch(condition, [then, otherwise], place);
            }
        }
        Ok(Flow::Ends)
    }

    /// Runs with variables that end there.
    fn scope<T>(&mut self, run: impl FnOnce(&mut Self) -> Run<T>) -> Run<T> {
        let outer = self.variables.len();
        let found = run(self);
        self.variables.truncate(outer);
        found
    }

    /// Runs the turns of a loop whose condition is known in each.
    fn turns(
        &mut self,
        first: &'a [Statement],
        condition: Option<&'a Expression>,
        step: &'a [Statement],
        body: &'a [Statement],
        place: Place,
    ) -> Run<Flow> {
        self.statements(first)?;
        loop {
            let Some(condition) = condition else {
                return Err(place.refuse("a loop needs a condition"));
            };
            let is_on = self.expression(condition)?;
            let Some(is_on) = truth(is_on, place)?.known_integer() else {
                let what = "the number of turns of a loop must not depend on elements";
                return Err(place.refuse(what));
            };
            if is_on == 0 {
                return Ok(Flow::Ends);
            }
            self.turns += 1;
            if self.turns > MOST_TURNS {
                let what = format!("the loops take more than {MOST_TURNS} turns");
                return Err(place.refuse(what));
            }
            if self.scope(|it| it.statements(body))? == Flow::Returns {
                return Ok(Flow::Returns);
            }
            self.statements(step)?;
        }
    }

    /// Returns a value for the elements for which the statement runs.
    fn returns(&mut self, value: Value, place: Place) -> Run<Flow> {
        let Some(Returned { of, value: before, done }) = self.returned.take() else {
            return Err(place.refuse("only functions return"));
        };
        let value = match of {
            Some(of) => assigned(value, of, place)?,
            None => value,
        };
        // Elements that have returned keep their value.
        let value = match (before, &done) {
            (Some(before), Some(done)) => choice(done.clone(), before, value, place)?,
            _ => value,
        };
        let done = match (&self.mask, done) {
            (None, _) => Some(Value::bool(true)),
            (Some(mask), None) => Some(mask.clone()),
            (Some(mask), Some(done)) => Some(binary(Binary::Or, done, mask.clone(), place)?),
        };
        self.returned = Some(Returned { of, value: Some(value), done });
        Ok(Flow::Returns)
    }

    /// Runs the branches of a condition.
    fn branch(
        &mut self,
        condition: Value,
        branches: [&'a [Statement]; 2],
        place: Place,
    ) -> Run<Flow> {
        let condition = truth(condition, place)?;
        if let Some(number) = condition.known_integer() {
            let branch = branches[usize::from(number == 0)];
            return self.scope(|it| it.statements(branch));
        }
        let not = unary(super::syntax::Unary::Not, condition.clone(), place)?;
        let (before, mask) = (self.variables.clone(), self.mask.clone());
        let mut after = Vec::with_capacity(2);
        for (branch, holds) in branches.into_iter().zip([&condition, &not]) {
            self.variables = before.clone();
            self.mask = Some(match &mask {
                None => holds.clone(),
                Some(mask) => binary(Binary::And, mask.clone(), holds.clone(), place)?,
            });
            let flow = self.scope(|it| it.statements(branch))?;
            after.push((flow, std::mem::take(&mut self.variables)));
        }
        self.mask = mask;
        let (Some(otherwise), Some(then)) = (after.pop(), after.pop()) else {
            unreachable!("bug: two branches")
        };
        // Where a branch has returned, its variables are not read any more.
        self.variables = match (then, otherwise) {
            ((Flow::Ends, then), (Flow::Ends, otherwise)) => {
                self.merged(&condition, before, then, otherwise, place)?
            }
            ((Flow::Ends, then), _) => then,
            (_, (Flow::Ends, otherwise)) => otherwise,
            _ => {
                self.variables = before;
                return Ok(Flow::Returns);
            }
        };
        Ok(Flow::Ends)
    }

    /// The variables after two branches: those that they changed are selected.
    fn merged(
        &self,
        condition: &Value,
        before: Vec<Variable<'a>>,
        then: Vec<Variable<'a>>,
        otherwise: Vec<Variable<'a>>,
        place: Place,
    ) -> Run<Vec<Variable<'a>>> {
        let select = |of: Type, a: Option<Value>, b: Option<Value>| -> Run<Option<Value>> {
            let (Some(a), Some(b)) = (&a, &b) else { return Ok(a.or(b)) };
            let chosen = choice(condition.clone(), a.clone(), b.clone(), place)?;
            Ok(Some(chosen.converted(of, place.site)?))
        };
        let all = before.into_iter().zip(then).zip(otherwise);
        let merge = |((before, then), otherwise): ((Variable<'a>, Variable<'a>), Variable<'a>)| {
            if then.version == before.version && otherwise.version == before.version {
                return Ok(before);
            }
            let kind = match (then.kind, otherwise.kind) {
                (Held::One(a), Held::One(b)) => Held::One(select(before.of, a, b)?),
                (Held::Many(a), Held::Many(b)) => {
                    let pairs = a.into_iter().zip(b);
                    let chosen = pairs.map(|(a, b)| select(before.of, a, b));
                    Held::Many(chosen.collect::<Run<_>>()?)
                }
                (kind, _) => kind,
            };
            Ok(Variable { kind, version: then.version.max(otherwise.version), ..before })
        };
        all.map(merge).collect()
    }

    fn declaration(
        &mut self,
        of: &'a TypeName,
        is_constant: bool,
        declared: &'a Declared,
        place: Place,
    ) -> Run<()> {
        let Declared { name, extent, value } = declared;
        let given = value.iter().flatten().map(|value| self.expression(value));
        let mut given = given.collect::<Run<Vec<Value>>>()?;
        let of = match (self.type_of(of, place)?, given.first()) {
            (Some(of), _) => of,
            (None, Some(value)) => value.of,
            (None, None) => return Err(place.refuse("`auto` needs a value")),
        };
        for value in &mut given {
            *value = assigned(value.clone(), of, place)?;
        }
        let kind = match extent {
            None if given.len() > 1 => return Err(place.refuse("one variable has several values")),
            None => Held::One(given.pop()),
            Some(extent) => {
                let count = match extent {
                    None => given.len(),
                    Some(extent) => {
                        let extent = self.expression(extent)?;
                        let known = extent.known_integer().and_then(|it| usize::try_from(it).ok());
                        let Some(count) = known.filter(|it| *it <= MOST_TURNS) else {
                            return Err(place.refuse("the length of an array must be known"));
                        };
                        count
                    }
                };
                if given.len() > count {
                    return Err(place.refuse("an array has more values than elements"));
                }
                // Elements without a value are zero if there are values.
                let rest = (!given.is_empty()).then(|| Value::integer(0, Type::INT));
                let rest = rest.map(|zero| zero.converted(of, place.site)).transpose()?;
                let mut all: Vec<Option<Value>> = given.into_iter().map(Some).collect();
                all.resize(count, rest);
                Held::Many(all)
            }
        };
        self.assignments += 1;
        let version = self.assignments;
        self.variables.push(Variable { name, of, is_constant, kind, version });
        Ok(())
    }

    /// The type of a name; `None` for `auto`.
    pub(super) fn type_of(&self, name: &TypeName, place: Place) -> Run<Option<Type>> {
        Ok(match name {
            TypeName::Auto => None,
            TypeName::Known(of) => Some(*of),
            TypeName::Named(name) => {
                let known = self.types.iter().rev().find(|(known, _)| known == name);
                match known {
                    Some((_, of)) => Some(*of),
                    None => return Err(place.refuse(format!("`{name}` is no type here"))),
                }
            }
            TypeName::Complex(part) => match self.type_of(part, place)?.map(|part| part.0) {
                Some(DType::F32) => Some(Type(DType::C64)),
                Some(DType::F64) => Some(Type(DType::C128)),
                _ => return Err(place.refuse("the parts of a complex number are floats")),
            },
        })
    }

    /// Assigns to a variable or to an element.
    pub(super) fn assign(
        &mut self,
        target: &'a Expression,
        by: Option<Binary>,
        value: Value,
        place: Place,
    ) -> Run<()> {
        let value = match by {
            None => value,
            Some(by) => binary(by, self.expression(target)?, value, place)?,
        };
        let (name, index) = match &target.kind {
            Kind::Name(name) => (name, None),
            Kind::Index(base, index) => match &base.kind {
                Kind::Name(name) => (name, Some(self.expression(index)?)),
                _ => return Err(place.refuse("this cannot be assigned")),
            },
            _ => return Err(place.refuse("this cannot be assigned")),
        };
        let known = self.variables.iter().rposition(|variable| variable.name == *name);
        let Some(at) = known else { return Err(self.unknown(name, place)) };
        let (of, is_constant) = (self.variables[at].of, self.variables[at].is_constant);
        if let (Held::Raw(raw), Some(index)) = (&self.variables[at].kind, &index) {
            return self.write(*raw, index, &value, None, place);
        }
        if is_constant {
            return Err(place.refuse(format!("`{name}` is constant")));
        }
        let value = assigned(value, of, place)?;
        self.assignments += 1;
        let version = self.assignments;
        let variable = &mut self.variables[at];
        match (&mut variable.kind, index) {
            (Held::One(held), None) => *held = Some(value),
            (Held::Many(all), Some(index)) => {
                let known = index.known_integer().and_then(|it| usize::try_from(it).ok());
                match known.and_then(|at| all.get_mut(at)) {
                    Some(held) => *held = Some(value),
                    None => {
                        let what = "an index of an array of the text must be known and inside";
                        return Err(place.refuse(what));
                    }
                }
            }
            _ => return Err(place.refuse(format!("`{name}` cannot be assigned like this"))),
        }
        variable.version = version;
        Ok(())
    }

    /// Writes elements of a raw array.
    fn write(
        &mut self,
        raw: usize,
        index: &Value,
        value: &Value,
        by: Option<Op>,
        place: Place,
    ) -> Run<()> {
        if !self.raws[raw].is_output {
            return Err(place.refuse("an input is constant"));
        }
        let of = Type(self.raws[raw].vector.dtype());
        let value = assigned(value.clone(), of, place)?;
        let mask = match &self.mask {
            None => None,
            Some(mask) => Some(self.space.spread(mask, Type::BOOL, place.site)?),
        };
        let writing = Writing { by, mask: mask.as_ref() };
        let vector = &self.raws[raw].vector;
        let new = places::written(vector, (index, &value), writing, &self.space, place)?;
        self.raws[raw].vector = new;
        self.raws[raw].is_written = true;
        Ok(())
    }

    /// Runs a call for its effect.
    fn evaluate(&mut self, call: &'a Expression) -> Run<()> {
        let place = self.place(call.line);
        let Kind::Call(name, arguments) = &call.kind else {
            return Err(place.refuse("this expression does nothing"));
        };
        let by = match name.as_str() {
            "atomicAdd" | "atomicSub" => Some(Op::Add),
            "atomicMax" => Some(Op::Maximum),
            "atomicMin" => Some(Op::Minimum),
            "atomicAnd" => Some(Op::BitwiseAnd),
            "atomicOr" => Some(Op::BitwiseOr),
            "atomicXor" => Some(Op::BitwiseXor),
            "atomicExch" => None,
            _ => {
                if self.written(name, arguments, place)?.is_none() {
                    self.expression(call)?;
                }
                return Ok(());
            }
        };
        let [target, value] = arguments.as_slice() else {
            return Err(place.refuse(format!("`{name}` takes an address and a value")));
        };
        let Kind::Address(target) = &target.kind else {
            return Err(place.refuse(format!("`{name}` takes the address of an element first")));
        };
        let raw = match &target.kind {
            Kind::Index(base, index) => match (&base.kind, index) {
                (Kind::Name(name), index) => match self.find(name).map(|found| &found.kind) {
                    Some(Held::Raw(raw)) => Some((*raw, index)),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        let Some((raw, index)) = raw else {
            return Err(place.refuse(format!("`{name}` takes an element of a raw array")));
        };
        let (index, mut value) = (self.expression(index)?, self.expression(value)?);
        if name == "atomicSub" {
            value = functions::negative(value, place)?;
        }
        self.write(raw, &index, &value, by, place)
    }
}
