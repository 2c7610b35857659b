//! Reading a kernel's text, in the form that `Display` writes.
//!
//! Parameters may have any names, and white space is free. The parser does not check the rules of
//! the IR; `verify` does.

use super::print::parse_constant;
use super::{
    Access, AccessId, AxisId, Expr, Fold, GuardId, Kernel, Param, ParamId, Role, ScalarId, Stmt,
    Value, ValueId,
};
use phalanx_ops::{DType, Monoid, Op, Special};

/// The first position where a text is not a kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: expected {expected}, found {found}")]
pub struct ParseError {
    /// The line, from 1 on.
    pub line: usize,
    /// The column in characters, from 1 on.
    pub column: usize,
    /// The expected element of the form.
    pub expected: &'static str,
    /// The text at that position.
    pub found: String,
}

/// Reads a kernel.
///
/// Errors: `ParseError` at the first position that does not fit.
pub fn parse(text: &str) -> Result<Kernel, ParseError> {
    let mut parser = Parser {
        text,
        at: 0,
        names: Vec::new(),
        kernel: Kernel::default(),
        values: Vec::new(),
        accesses: Vec::new(),
        loop_axes: 0,
    };
    parser.kernel()?;
    Ok(parser.kernel)
}

struct Parser<'t> {
    text: &'t str,
    /// The byte position in the text.
    at: usize,
    /// The names of the parameters.
    names: Vec<&'t str>,
    kernel: Kernel,
    values: Vec<Option<Value>>,
    accesses: Vec<Option<Access>>,
    loop_axes: usize,
}

type Parsed<T> = Result<T, ParseError>;

/// An upper limit for every kind of number in a kernel; a larger number is a parse error.
const MOST: usize = 1 << 16;

impl<'t> Parser<'t> {
    fn kernel(&mut self) -> Parsed<()> {
        self.word("kernel")?;
        self.symbol('(')?;
        // A kernel without parameters begins with its scalars or guards.
        self.skip_symbol(';');
        while !self.skip_symbol(')') {
            self.declaration()?;
            if !self.skip_symbol(',') && !self.skip_symbol(';') && !self.peek_symbol(')') {
                return self.fail("`,`, `;` or `)`");
            }
        }
        self.symbol('{')?;
        self.word("for")?;
        let mut grid = 0;
        while !self.skip_word("grid") {
            let start = self.at;
            if self.numbered('i', "an axis or `grid`")? != grid {
                self.at = start;
                return self.fail("the grid axes in order");
            }
            grid += 1;
            self.skip_symbol(',');
        }
        self.kernel.grid = grid;
        self.symbol('{')?;
        let (body, folds) = self.body()?;
        if !folds.is_empty() {
            return self.fail("no fold outside of a loop");
        }
        self.kernel.body = body;
        self.symbol('}')?;
        self.space();
        if self.at < self.text.len() {
            return self.fail("the end of the text");
        }
        self.kernel.axes = grid + self.loop_axes;
        self.kernel.values = self.complete(self.values.clone(), "a definition of every value")?;
        self.kernel.accesses = self.complete(self.accesses.clone(), "a use of every access")?;
        Ok(())
    }

    fn complete<T>(&self, slots: Vec<Option<T>>, expected: &'static str) -> Parsed<Vec<T>> {
        match slots.into_iter().collect() {
            Some(all) => Ok(all),
            None => self.fail(expected),
        }
    }

    /// A parameter, a scalar or a guard.
    fn declaration(&mut self) -> Parsed<()> {
        let start = self.at;
        let name = self.identifier("a parameter")?;
        if self.peek_symbol('[') {
            self.at = start;
            let id = self.numbered('g', "a guard")?;
            if id != self.kernel.guards.len() {
                self.at = start;
                return self.fail("the guards in order");
            }
            let axes = self.axes()?;
            self.kernel.guards.push(axes);
            return Ok(());
        }
        self.symbol(':')?;
        let dtype = self.dtype()?;
        if matches!(self.peek(), Some(',' | ';' | ')')) {
            self.at = start;
            let id = self.numbered('s', "a scalar, or a parameter with its role")?;
            if id != self.kernel.scalars.len() {
                self.at = start;
                return self.fail("the scalars in order");
            }
            self.symbol(':')?;
            let dtype = self.dtype()?;
            self.kernel.scalars.push(dtype);
            return Ok(());
        }
        let before = self.at;
        let Some(role) = Role::from_name(self.identifier("a role")?) else {
            self.at = before;
            return self.fail("`in`, `out`, `inout` or `table`");
        };
        if self.names.contains(&name) {
            self.at = start;
            return self.fail("a name of its own for each parameter");
        }
        self.names.push(name);
        self.kernel.params.push(Param { dtype, role });
        Ok(())
    }

    /// Statements and folds up to the closing brace.
    fn body(&mut self) -> Parsed<(Vec<Stmt>, Vec<Fold>)> {
        let mut body = Vec::new();
        let mut folds = Vec::new();
        while !self.skip_symbol('}') {
            if self.skip_word("fold") {
                folds.push(self.fold()?);
            } else if !folds.is_empty() {
                return self.fail("`fold` or `}`: statements come before folds");
            } else if self.skip_word("for") {
                body.push(self.inner_loop()?);
            } else if self.skip_word("store") {
                let access = self.access()?;
                self.symbol('=')?;
                let value = self.value()?;
                body.push(Stmt::Store { access, value });
            } else if self.skip_word("accumulate") {
                body.push(self.accumulate()?);
            } else {
                body.push(self.assignment()?);
            }
        }
        Ok((body, folds))
    }

    fn inner_loop(&mut self) -> Parsed<Stmt> {
        let mut axes = vec![self.axis()?];
        while self.skip_symbol(',') {
            axes.push(self.axis()?);
        }
        self.word("loop")?;
        self.symbol('{')?;
        self.loop_axes += axes.len();
        let (body, folds) = self.body()?;
        Ok(Stmt::Loop { axes, body, folds })
    }

    fn accumulate(&mut self) -> Parsed<Stmt> {
        let access = self.access()?;
        self.word("at")?;
        let position = self.value()?;
        self.word("below")?;
        let length = ScalarId::new(self.numbered('s', "a scalar")?);
        self.symbol('=')?;
        let monoid = self.monoid()?;
        self.symbol('(')?;
        let value = self.value()?;
        self.symbol(')')?;
        Ok(Stmt::Accumulate { access, length, position, value, monoid })
    }

    fn fold(&mut self) -> Parsed<Fold> {
        let result = self.definition(Expr::Folded)?;
        let mut parts = Vec::new();
        while self.skip_symbol(',') {
            parts.push(self.definition(Expr::Folded)?);
        }
        self.symbol('=')?;
        let monoid = self.monoid()?;
        self.symbol('(')?;
        let value = self.value()?;
        let index = if self.skip_symbol(',') { Some(self.value()?) } else { None };
        self.symbol(')')?;
        Ok(Fold { monoid, value, index, result, parts })
    }

    /// `v3: f64`, where the value is defined as `expr`.
    fn definition(&mut self, expr: Expr) -> Parsed<ValueId> {
        self.space();
        let start = self.at;
        let id = self.numbered('v', "a statement or `}`")?;
        self.symbol(':')?;
        let dtype = self.dtype()?;
        if self.values.len() <= id {
            self.values.resize(id + 1, None);
        }
        if self.values[id].is_some() {
            self.at = start;
            return self.fail("one definition of each value");
        }
        self.values[id] = Some(Value { dtype, expr });
        Ok(ValueId::new(id))
    }

    fn assignment(&mut self) -> Parsed<Stmt> {
        let id = self.definition(Expr::Folded)?;
        self.symbol('=')?;
        let dtype = self.values[id.index()].as_ref().map_or(DType::Bool, |value| value.dtype);
        let expr = self.expression(dtype)?;
        self.values[id.index()] = Some(Value { dtype, expr });
        Ok(Stmt::Let(id))
    }

    fn expression(&mut self, dtype: DType) -> Parsed<Expr> {
        self.space();
        let start = self.at;
        let name = self.identifier("an expression")?;
        let expr = match name {
            "load" => {
                let access = self.access()?;
                let guard = if self.skip_word("if") { Some(self.guard()?) } else { None };
                Expr::Load { access, guard }
            }
            "constant" => Expr::Constant(self.constant(dtype)?),
            "index" => Expr::Index(self.axis()?),
            "inside" => Expr::Inside(self.guard()?),
            "cast" => Expr::Cast(self.operands::<1>()?[0]),
            "special" => self.special()?,
            "select" => {
                let [condition, on_true, on_false] = self.operands::<3>()?;
                Expr::Select { condition, on_true, on_false }
            }
            _ if !self.peek_symbol('(') => {
                self.at = start;
                Expr::Scalar(ScalarId::new(self.numbered('s', "an expression")?))
            }
            _ => {
                let Some(op) = Op::from_name(name) else {
                    self.at = start;
                    return self.fail("the name of an operation");
                };
                let inputs = match op.arity() {
                    1 => self.operands::<1>()?.to_vec(),
                    _ => self.operands::<2>()?.to_vec(),
                };
                Expr::Op { op, inputs }
            }
        };
        Ok(expr)
    }

    /// `NAME(v0, v1)`, of a special function.
    fn special(&mut self) -> Parsed<Expr> {
        self.space();
        let start = self.at;
        let name = self.identifier("a special function")?;
        let Some(known) = phalanx_special::find(name) else {
            self.at = start;
            return self.fail("the name of a special function");
        };
        self.symbol('(')?;
        let mut inputs = vec![self.value()?];
        while inputs.len() < known.arity {
            self.symbol(',')?;
            inputs.push(self.value()?);
        }
        self.symbol(')')?;
        Ok(Expr::Special { function: Special { name: known.name }, inputs })
    }

    fn constant(&mut self, dtype: DType) -> Parsed<phalanx_ops::Scalar> {
        self.space();
        let rest = &self.text[self.at..];
        let line = &rest[..rest.find(['\n', '}']).unwrap_or(rest.len())];
        match parse_constant(dtype, line.trim()) {
            Some(scalar) => {
                self.at += line.len();
                Ok(scalar)
            }
            None => self.fail("a number of the value's dtype"),
        }
    }

    /// `(v0, v1)`.
    fn operands<const N: usize>(&mut self) -> Parsed<[ValueId; N]> {
        let mut operands = [ValueId::new(0); N];
        self.symbol('(')?;
        for (at, operand) in operands.iter_mut().enumerate() {
            if at > 0 {
                self.symbol(',')?;
            }
            *operand = self.value()?;
        }
        self.symbol(')')?;
        Ok(operands)
    }

    /// `a.0[i0, i1]`.
    fn access(&mut self) -> Parsed<AccessId> {
        self.space();
        let start = self.at;
        let name = self.identifier("an access")?;
        let Some(param) = self.names.iter().position(|&known| known == name) else {
            self.at = start;
            return self.fail("the name of a parameter");
        };
        self.symbol('.')?;
        let id = self.number("the number of the access")?;
        let axes = self.axes()?;
        let access = Access { param: ParamId::new(param), axes };
        if self.accesses.len() <= id {
            self.accesses.resize(id + 1, None);
        }
        match &self.accesses[id] {
            Some(known) if *known != access => {
                self.at = start;
                return self.fail("the same parameter and axes wherever an access is used");
            }
            _ => self.accesses[id] = Some(access),
        }
        Ok(AccessId::new(id))
    }

    /// `[i0, i1]`.
    fn axes(&mut self) -> Parsed<Vec<AxisId>> {
        self.symbol('[')?;
        let mut axes = Vec::new();
        while !self.skip_symbol(']') {
            if !axes.is_empty() {
                self.symbol(',')?;
            }
            axes.push(self.axis()?);
        }
        Ok(axes)
    }

    fn axis(&mut self) -> Parsed<AxisId> {
        Ok(AxisId::new(self.numbered('i', "an axis")?))
    }

    fn guard(&mut self) -> Parsed<GuardId> {
        Ok(GuardId::new(self.numbered('g', "a guard")?))
    }

    fn value(&mut self) -> Parsed<ValueId> {
        Ok(ValueId::new(self.numbered('v', "a value")?))
    }

    fn dtype(&mut self) -> Parsed<DType> {
        self.space();
        let start = self.at;
        match DType::from_name(self.identifier("a dtype")?) {
            Some(dtype) => Ok(dtype),
            None => {
                self.at = start;
                self.fail("a dtype")
            }
        }
    }

    fn monoid(&mut self) -> Parsed<Monoid> {
        self.space();
        let start = self.at;
        match Monoid::from_name(self.identifier("a monoid")?) {
            Some(monoid) => Ok(monoid),
            None => {
                self.at = start;
                self.fail("a monoid")
            }
        }
    }

    /// A letter and a number, such as `v12`.
    fn numbered(&mut self, letter: char, expected: &'static str) -> Parsed<usize> {
        self.space();
        let start = self.at;
        let name = self.identifier(expected)?;
        let id = name.strip_prefix(letter).and_then(|digits| digits.parse().ok());
        match id.filter(|&id| id < MOST) {
            Some(id) => Ok(id),
            None => {
                self.at = start;
                self.fail(expected)
            }
        }
    }

    fn number(&mut self, expected: &'static str) -> Parsed<usize> {
        self.space();
        let rest = &self.text[self.at..];
        let digits = &rest[..rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len())];
        match digits.parse().ok().filter(|&number| number < MOST) {
            Some(number) => {
                self.at += digits.len();
                Ok(number)
            }
            None => self.fail(expected),
        }
    }

    fn identifier(&mut self, expected: &'static str) -> Parsed<&'t str> {
        self.space();
        let rest = &self.text[self.at..];
        let end = rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '_');
        let name = &rest[..end.unwrap_or(rest.len())];
        if name.is_empty() || name.starts_with(|char: char| char.is_ascii_digit()) {
            return self.fail(expected);
        }
        self.at += name.len();
        Ok(name)
    }

    fn skip_word(&mut self, word: &str) -> bool {
        let start = self.at;
        if self.identifier("").is_ok_and(|name| name == word) {
            return true;
        }
        self.at = start;
        false
    }

    fn word(&mut self, word: &'static str) -> Parsed<()> {
        if self.skip_word(word) { Ok(()) } else { self.fail(word) }
    }

    fn peek(&mut self) -> Option<char> {
        self.space();
        self.text[self.at..].chars().next()
    }

    fn peek_symbol(&mut self, symbol: char) -> bool {
        self.peek() == Some(symbol)
    }

    fn skip_symbol(&mut self, symbol: char) -> bool {
        let found = self.peek_symbol(symbol);
        if found {
            self.at += symbol.len_utf8();
        }
        found
    }

    fn symbol(&mut self, symbol: char) -> Parsed<()> {
        if self.skip_symbol(symbol) {
            return Ok(());
        }
        self.fail(match symbol {
            '(' => "`(`",
            ')' => "`)`",
            '{' => "`{`",
            '}' => "`}`",
            '[' => "`[`",
            ',' => "`,`",
            ':' => "`:`",
            '=' => "`=`",
            _ => "`.`",
        })
    }

    fn space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn fail<T>(&self, expected: &'static str) -> Parsed<T> {
        let rest = &self.text[self.at..];
        let at = self.at + rest.len() - rest.trim_start().len();
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let rest = &self.text[at..];
        let found = match rest.split_whitespace().next() {
            Some(word) => format!("`{word}`"),
            None => "the end of the text".to_owned(),
        };
        Err(ParseError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            expected,
            found,
        })
    }
}
