//! The syntax of texts: statements and expressions.

use super::types::Type;
use phalanx_ops::Op;

/// Why a text is refused, and its line.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Failure {
    pub line: u32,
    pub what: String,
}

impl Failure {
    pub fn new(line: u32, what: impl Into<String>) -> Failure {
        Failure { line, what: what.into() }
    }
}

/// An operator of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    /// An operation of the table; integers are divided towards zero.
    Plain(Op),
    And,
    Or,
}

/// An operator of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unary {
    Plus,
    Minus,
    Not,
    Invert,
}

/// A type in a text.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum TypeName {
    Known(Type),
    /// A placeholder, or a name that is not known.
    Named(String),
    /// `complex<T>`.
    Complex(Box<TypeName>),
    /// `auto`: the type of the value.
    Auto,
}

/// An expression and its line.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Expression {
    pub line: u32,
    pub kind: Kind,
}

/// What an expression is.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Kind {
    Integer(i128, Type),
    Real(f64, Type),
    Name(String),
    Unary(Unary, Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>),
    Choice(Box<[Expression; 3]>),
    Cast(TypeName, Vec<Expression>),
    /// A function and its arguments.
    Call(String, Vec<Expression>),
    /// A method, the object and the arguments.
    Method(Box<Expression>, String, Vec<Expression>),
    Index(Box<Expression>, Box<Expression>),
    /// The address of something, as an argument.
    Address(Box<Expression>),
}

/// A statement and its line.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Statement {
    pub line: u32,
    pub kind: StatementKind,
}

/// What a statement does.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum StatementKind {
    Declare {
        of: TypeName,
        is_constant: bool,
        variables: Vec<Declared>,
    },
    /// `target = value`, or `target op= value`.
    Assign {
        target: Expression,
        by: Option<Binary>,
        value: Expression,
    },
    /// A call for its effect.
    Evaluate(Expression),
    If {
        condition: Expression,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// `for`; `while` has no beginning and no step.
    Loop {
        first: Vec<Statement>,
        condition: Option<Expression>,
        step: Vec<Statement>,
        body: Vec<Statement>,
    },
    Block(Vec<Statement>),
    Return(Option<Expression>),
}

/// A declared variable.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Declared {
    pub name: String,
    /// The number of elements, for an array.
    pub extent: Option<Option<Expression>>,
    /// Its value, or its elements.
    pub value: Option<Vec<Expression>>,
}

/// A function of the preamble.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Function {
    pub name: String,
    /// The names of types that a call decides.
    pub types: Vec<String>,
    pub result: Option<TypeName>,
    pub parameters: Vec<(TypeName, String)>,
    pub body: Vec<Statement>,
}
