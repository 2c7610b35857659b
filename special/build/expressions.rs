//! Translation of expressions.

use crate::program::{Program, Ty};
use quote::ToTokens;
use std::collections::{BTreeSet, HashMap, HashSet};
use syn::punctuated::Punctuated;
use syn::{BinOp, Block, Expr, Lit, Stmt, Token, UnOp};

/// Functions of one or two numbers that libm and CUDA C have under one name.
const GIVEN: &[&str] = &[
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos",
    "cosh", "exp", "exp10", "exp2", "expm1", "fabs", "floor", "fma", "fmax", "fmin", "fmod",
    "hypot", "ldexp", "log", "log10", "log1p", "log2", "pow", "rint", "sin", "sinh", "sqrt", "tan",
    "tanh", "trunc",
];

/// Words of C++, CUDA C and `words.cu` that no variable may have as its name.
const RESERVED: &[&str] = &[
    "and",
    "asm",
    "auto",
    "bits",
    "case",
    "catch",
    "char",
    "class",
    "default",
    "delete",
    "do",
    "double",
    "export",
    "f64",
    "far",
    "float",
    "from_bits",
    "goto",
    "i64",
    "int",
    "inline",
    "linux",
    "long",
    "near",
    "new",
    "not",
    "operator",
    "or",
    "pause",
    "register",
    "short",
    "signed",
    "sizeof",
    "small",
    "switch",
    "template",
    "this",
    "throw",
    "try",
    "typedef",
    "typename",
    "u64",
    "union",
    "unix",
    "unsigned",
    "using",
    "void",
    "volatile",
    "widen",
    "xor",
    "begin",
    "barrier",
    "fence",
    "y0",
    "y1",
    "j0",
    "j1",
    "yn",
    "jn",
    "gamma",
];

/// A translated expression.
pub struct Text {
    pub text: String,
    pub ty: Ty,
    /// Whether the text needs no parentheses as an operand.
    pub is_atom: bool,
}

impl Text {
    fn atom(text: impl Into<String>, ty: Ty) -> Text {
        Text { text: text.into(), ty, is_atom: true }
    }

    fn compound(text: String, ty: Ty) -> Text {
        Text { text, ty, is_atom: false }
    }

    /// The text as an operand.
    pub fn operand(&self) -> String {
        if self.is_atom { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// The translation of one function.
pub struct Translator<'a> {
    pub program: &'a Program,
    pub file: &'a str,
    pub scopes: Vec<HashMap<String, (String, Ty)>>,
    pub used: HashSet<String>,
    pub needs: BTreeSet<String>,
    pub out: String,
    pub depth: usize,
    pub result: Ty,
}

impl<'a> Translator<'a> {
    pub fn new(program: &'a Program, file: &'a str) -> Translator<'a> {
        Translator {
            program,
            file,
            scopes: vec![HashMap::new()],
            used: HashSet::new(),
            needs: BTreeSet::new(),
            out: String::new(),
            depth: 1,
            result: Ty::Unit,
        }
    }

    pub fn fail<T>(&self, at: &impl ToTokens, why: &str) -> Result<T, String> {
        Err(format!("{}: {why}: {}", self.file, at.to_token_stream()))
    }

    /// A new variable of the current scope; returns its name in C.
    pub fn declare(&mut self, name: &str, ty: Ty) -> String {
        let mut c_name = name.to_owned();
        if RESERVED.contains(&name) || GIVEN.contains(&name) || name == "_" {
            c_name.push('_');
        }
        let base = c_name.clone();
        let mut count = 1;
        while !self.used.insert(c_name.clone()) {
            count += 1;
            c_name = format!("{base}_{count}");
        }
        let scope = self.scopes.last_mut().expect("a function has a scope");
        scope.insert(name.to_owned(), (c_name.clone(), ty));
        c_name
    }

    fn variable(&self, name: &str) -> Option<&(String, Ty)> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    pub fn expression(&mut self, expr: &Expr) -> Result<Text, String> {
        match expr {
            Expr::Paren(paren) => self.expression(&paren.expr),
            Expr::Group(group) => self.expression(&group.expr),
            Expr::Lit(literal) => self.literal(&literal.lit),
            Expr::Path(path) => self.path(path),
            Expr::Unary(unary) => {
                let of = self.expression(&unary.expr)?;
                let sign = match unary.op {
                    UnOp::Neg(_) => "-",
                    UnOp::Not(_) if of.ty == Ty::Bool => "!",
                    UnOp::Not(_) => "~",
                    UnOp::Deref(_) => return Ok(of),
                    _ => return self.fail(expr, "no operator of the subset"),
                };
                Ok(Text::compound(format!("{sign}{}", of.operand()), of.ty))
            }
            Expr::Binary(binary) => self.binary(binary),
            Expr::Cast(cast) => {
                let of = self.expression(&cast.expr)?;
                let Some(ty) = Ty::read(&cast.ty) else {
                    return self.fail(expr, "a cast to no type of the subset");
                };
                let text = format!("({}){}", ty.c_name(), of.operand());
                Ok(Text::compound(text, ty))
            }
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method(call),
            Expr::Index(index) => {
                let of = self.expression(&index.expr)?;
                let at = self.expression(&index.index)?;
                let Some(element) = of.ty.element().cloned() else {
                    return self.fail(expr, "an index of no array");
                };
                Ok(Text::atom(format!("{}[{}]", of.operand(), at.text), element))
            }
            Expr::Reference(reference) => self.expression(&reference.expr),
            Expr::Macro(call) if call.mac.path.is_ident("horner") => self.horner(call),
            Expr::If(conditional) => {
                let (_, other) = match &conditional.else_branch {
                    Some((token, other)) => (token, other),
                    None => return self.fail(expr, "an `if` without `else` as a value"),
                };
                let (Some(yes), true) = (single(&conditional.then_branch), is_single(other)) else {
                    return self.fail(expr, "statements in a value: bind it with a `let`");
                };
                let condition = self.expression(&conditional.cond)?;
                let yes = self.expression(yes)?;
                let no = self.expression(other)?;
                let ty = if yes.ty == Ty::Int { no.ty.clone() } else { yes.ty.clone() };
                let text =
                    format!("{} ? {} : {}", condition.operand(), yes.operand(), no.operand());
                Ok(Text::compound(text, ty))
            }
            Expr::Block(block) => match single(&block.block) {
                Some(value) => self.expression(value),
                None => self.fail(expr, "statements in a value: bind it with a `let`"),
            },
            _ => self.fail(expr, "no expression of the subset"),
        }
    }

    fn literal(&mut self, literal: &Lit) -> Result<Text, String> {
        match literal {
            Lit::Float(float) => Ok(Text::atom(float.base10_digits(), Ty::F64)),
            Lit::Int(int) => {
                let ty = match int.suffix() {
                    "" => Ty::Int,
                    "f64" => return Ok(Text::atom(format!("{int}.0"), Ty::F64)),
                    "i64" => Ty::I64,
                    "u64" => Ty::U64,
                    "i32" => Ty::I32,
                    "usize" => Ty::Usize,
                    _ => return self.fail(literal, "no suffix of the subset"),
                };
                let digits = int.base10_digits();
                let Ok(value) = digits.parse::<u64>() else {
                    return self.fail(literal, "a large integer");
                };
                let suffix = match () {
                    () if ty == Ty::U64 || value > i64::MAX as u64 => "ull",
                    () if value > i32::MAX as u64 => "ll",
                    () => "",
                };
                Ok(Text::atom(format!("{digits}{suffix}"), ty))
            }
            Lit::Bool(bool) => Ok(Text::atom(bool.value.to_string(), Ty::Bool)),
            _ => self.fail(literal, "no literal of the subset"),
        }
    }

    fn path(&mut self, path: &syn::ExprPath) -> Result<Text, String> {
        let names: Vec<_> =
            path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let name = names.last().map_or("", String::as_str);
        if names.len() == 1
            && let Some((c_name, ty)) = self.variable(name)
        {
            return Ok(Text::atom(c_name.clone(), ty.clone()));
        }
        if names.len() > 1 && names[names.len() - 2] == "f64" {
            let given = match name {
                "NAN" => Some(("nan_f64()", "nan")),
                "INFINITY" => Some(("infinity_f64()", "infinity")),
                "NEG_INFINITY" => Some(("(-infinity_f64())", "infinity")),
                _ => None,
            };
            if let Some((text, need)) = given {
                self.needs.insert(need.to_owned());
                return Ok(Text::atom(text, Ty::F64));
            }
            let text = match name {
                "EPSILON" => "2.220446049250313e-16",
                "MAX" => "1.7976931348623157e308",
                "MIN_POSITIVE" => "2.2250738585072014e-308",
                _ => return self.fail(path, "no constant of the subset"),
            };
            return Ok(Text::atom(text, Ty::F64));
        }
        if names.len() > 1 && names[names.len() - 2] == "i64" && name == "MAX" {
            return Ok(Text::atom("9223372036854775807ll", Ty::I64));
        }
        if names.len() > 1 && names[names.len() - 2] == "consts" {
            return match constant(name) {
                Some(value) => Ok(Text::atom(format!("{value:?}"), Ty::F64)),
                None => self.fail(path, "no constant of the subset"),
            };
        }
        if let Some(constant) = self.program.constants.get(name) {
            let scopes = std::mem::replace(&mut self.scopes, vec![HashMap::new()]);
            let value = self.expression(&constant.value);
            self.scopes = scopes;
            return Ok(Text::atom(value?.operand(), constant.ty.clone()));
        }
        if let Some(table) = self.program.tables.get(name) {
            self.needs.insert(name.to_owned());
            return Ok(Text::atom(format!("special_{name}"), table.ty.clone()));
        }
        self.fail(path, &format!("{name} is not known"))
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Result<Text, String> {
        let left = self.expression(&binary.left)?;
        let right = self.expression(&binary.right)?;
        let common = if left.ty == Ty::Int { right.ty.clone() } else { left.ty.clone() };
        let float = common.is_float();
        let shifts = matches!(binary.op, BinOp::Shl(_) | BinOp::Shr(_));
        if !shifts && left.ty.is_float() != right.ty.is_float() {
            return self.fail(binary, "operands of different types");
        }
        let bits = !float;
        let (sign, ty) = match binary.op {
            BinOp::Add(_) => ("+", common),
            BinOp::Sub(_) => ("-", common),
            BinOp::Mul(_) => ("*", common),
            BinOp::Div(_) => ("/", common),
            BinOp::Rem(_) if float => {
                return Ok(Text::atom(format!("fmod({}, {})", left.text, right.text), Ty::F64));
            }
            BinOp::Rem(_) => ("%", common),
            BinOp::And(_) => ("&&", Ty::Bool),
            BinOp::Or(_) => ("||", Ty::Bool),
            BinOp::Eq(_) => ("==", Ty::Bool),
            BinOp::Ne(_) => ("!=", Ty::Bool),
            BinOp::Lt(_) => ("<", Ty::Bool),
            BinOp::Le(_) => ("<=", Ty::Bool),
            BinOp::Gt(_) => (">", Ty::Bool),
            BinOp::Ge(_) => (">=", Ty::Bool),
            BinOp::BitAnd(_) if bits => ("&", common),
            BinOp::BitOr(_) if bits => ("|", common),
            BinOp::BitXor(_) if bits => ("^", common),
            BinOp::Shl(_) if bits && left.ty == Ty::Int => {
                let text = format!("(i64){} << {}", left.operand(), right.operand());
                return Ok(Text::compound(text, Ty::Int));
            }
            BinOp::Shl(_) if bits => ("<<", left.ty.clone()),
            BinOp::Shr(_) if bits => (">>", left.ty.clone()),
            _ => return self.fail(binary, "no operator of the subset"),
        };
        Ok(Text::compound(format!("{} {sign} {}", left.operand(), right.operand()), ty))
    }

    pub fn call(&mut self, call: &syn::ExprCall) -> Result<Text, String> {
        let Expr::Path(path) = &*call.func else { return self.fail(call, "no function's name") };
        let names: Vec<_> =
            path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let name = names.last().map_or("", String::as_str);
        let mut arguments = Vec::new();
        for argument in &call.args {
            arguments.push(self.expression(argument)?);
        }
        let texts: Vec<_> = arguments.iter().map(|argument| argument.text.as_str()).collect();
        let texts = texts.join(", ");
        if name == "from_bits" {
            return Ok(Text::atom(format!("from_bits((u64)({texts}))"), Ty::F64));
        }
        // Functions of `arithmetic.rs`.
        match name {
            "fused" => return Ok(Text::atom(format!("fma({texts})"), Ty::F64)),
            "rsqrt" => return Ok(Text::atom(format!("rsqrt({texts})"), Ty::F64)),
            "sincos" => {
                let [x, to] = &arguments[..] else { return self.fail(call, "sincos(x, &mut to)") };
                let (x, to) = (&x.text, to.operand());
                return Ok(Text::atom(format!("sincos({x}, &{to}[0], &{to}[1])"), Ty::Unit));
            }
            _ => {}
        }
        // A function of this crate with the name of one of these calls it.
        if GIVEN.contains(&name) {
            return Ok(Text::atom(format!("{name}({texts})"), Ty::F64));
        }
        if let Some(function) = self.program.functions.get(name) {
            if function.parameters.len() != arguments.len() {
                return self.fail(call, "another number of arguments");
            }
            self.needs.insert(name.to_owned());
            return Ok(Text::atom(format!("special_{name}({texts})"), function.result.clone()));
        }
        self.fail(call, &format!("{name} is not known"))
    }

    fn method(&mut self, call: &syn::ExprMethodCall) -> Result<Text, String> {
        let receiver = self.expression(&call.receiver)?;
        let x = receiver.operand();
        let name = call.method.to_string();
        let mut arguments = Vec::new();
        for argument in &call.args {
            arguments.push(self.expression(argument)?);
        }
        let plain =
            x.chars().all(|letter| letter.is_ascii_alphanumeric() || "_[]".contains(letter));
        let other = arguments.first().map(Text::operand).unwrap_or_default();
        let float = receiver.ty.is_float();
        let text = match name.as_str() {
            "is_nan" if plain => return Ok(Text::compound(format!("{x} != {x}"), Ty::Bool)),
            "is_finite" => {
                self.needs.insert("infinity".to_owned());
                return Ok(Text::compound(format!("fabs({x}) < infinity_f64()"), Ty::Bool));
            }
            "is_infinite" => {
                self.needs.insert("infinity".to_owned());
                return Ok(Text::compound(format!("fabs({x}) == infinity_f64()"), Ty::Bool));
            }
            "is_sign_negative" if float => {
                return Ok(Text::atom(format!("((i64)bits({x}) < 0)"), Ty::Bool));
            }
            "to_bits" if float => return Ok(Text::atom(format!("bits({x})"), Ty::U64)),
            "abs" if float => format!("fabs({})", receiver.text),
            "sqrt" | "floor" | "ceil" | "trunc" if float => format!("{name}({})", receiver.text),
            "min" if float => format!("fmin({}, {})", receiver.text, arguments[0].text),
            "max" if float => format!("fmax({}, {})", receiver.text, arguments[0].text),
            "copysign" if float => format!("copysign({}, {})", receiver.text, arguments[0].text),
            "abs" if plain => {
                return Ok(Text::compound(format!("{x} < 0 ? -{x} : {x}"), receiver.ty));
            }
            "min" => format!("({x} < {other} ? {x} : {other})"),
            "max" => format!("({x} > {other} ? {x} : {other})"),
            _ => return self.fail(call, &format!("no method {name} of such an operand")),
        };
        Ok(Text::atom(text, receiver.ty))
    }

    /// `horner!(x; c0, c1, …)`.
    fn horner(&mut self, call: &syn::ExprMacro) -> Result<Text, String> {
        let parser = |input: syn::parse::ParseStream<'_>| {
            let x: Expr = input.parse()?;
            input.parse::<Token![;]>()?;
            let coefficients = Punctuated::<Expr, Token![,]>::parse_terminated(input)?;
            Ok((x, coefficients))
        };
        let parsed = syn::parse::Parser::parse2(parser, call.mac.tokens.clone());
        let Ok((x, coefficients)) = parsed else { return self.fail(call, "horner!(x; c0, …)") };
        let x = self.expression(&x)?;
        let plain = x.text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        if !plain {
            return self.fail(call, "horner! of more than a variable");
        }
        let mut text = String::new();
        for coefficient in coefficients.iter().rev() {
            let coefficient = self.expression(coefficient)?.operand();
            if text.is_empty() {
                text = coefficient;
            } else {
                text = format!("fma({}, {text}, {coefficient})", x.text);
            }
        }
        Ok(Text::atom(text, Ty::F64))
    }
}

/// The only expression of a block without statements.
fn single(block: &Block) -> Option<&Expr> {
    match block.stmts.as_slice() {
        [Stmt::Expr(Expr::Return(_) | Expr::While(_) | Expr::ForLoop(_), None)] => None,
        [Stmt::Expr(expr, None)] => is_single(expr).then_some(expr),
        _ => None,
    }
}

/// Whether a value has no statements, so that it can be an operand.
pub fn is_single(expr: &Expr) -> bool {
    match expr {
        Expr::Block(block) => single(&block.block).is_some(),
        Expr::If(conditional) => {
            single(&conditional.then_branch).is_some()
                && conditional.else_branch.as_ref().is_some_and(|(_, other)| is_single(other))
        }
        Expr::Return(_) | Expr::Assign(_) | Expr::Break(_) | Expr::Loop(_) => false,
        _ => true,
    }
}

fn constant(name: &str) -> Option<f64> {
    use std::f64::consts as c;
    Some(match name {
        "PI" => c::PI,
        "TAU" => c::TAU,
        "E" => c::E,
        "LN_2" => c::LN_2,
        "LN_10" => c::LN_10,
        "LOG2_E" => c::LOG2_E,
        "LOG10_E" => c::LOG10_E,
        "LOG10_2" => c::LOG10_2,
        "LOG2_10" => c::LOG2_10,
        "SQRT_2" => c::SQRT_2,
        "FRAC_1_SQRT_2" => c::FRAC_1_SQRT_2,
        "FRAC_PI_2" => c::FRAC_PI_2,
        "FRAC_PI_3" => c::FRAC_PI_3,
        "FRAC_PI_4" => c::FRAC_PI_4,
        "FRAC_PI_6" => c::FRAC_PI_6,
        "FRAC_PI_8" => c::FRAC_PI_8,
        "FRAC_1_PI" => c::FRAC_1_PI,
        "FRAC_2_PI" => c::FRAC_2_PI,
        "FRAC_2_SQRT_PI" => c::FRAC_2_SQRT_PI,
        _ => return None,
    })
}
