//! Translation of functions, statements and tables.

use crate::expressions::{Translator, is_single};
use crate::program::{Constant, Function, Program, Ty};
use std::collections::{BTreeSet, HashMap};
use syn::{Block, Expr, Local, Pat, RangeLimits, Stmt};

/// Functions whose text is longer than this are called, not inlined.
const INLINED: usize = 500;

/// Where the value of a block goes.
#[derive(Clone)]
enum Goal {
    Result,
    Variable(String),
    Nowhere,
}

/// The text of a function, and the names that it needs.
pub fn function(program: &Program, f: &Function) -> Result<(String, BTreeSet<String>), String> {
    let mut to = Translator::new(program, &f.file);
    to.result = f.result.clone();
    let mut parameters = Vec::new();
    for (name, ty) in &f.parameters {
        let c_name = to.declare(name, ty.clone());
        parameters.push(match ty {
            Ty::Reference(element, true) => format!("{}* {c_name}", element.c_name()),
            Ty::Reference(element, false) => format!("const {}* {c_name}", element.c_name()),
            _ => format!("{} {c_name}", ty.c_name()),
        });
    }
    let into = if f.result == Ty::Unit { Goal::Nowhere } else { Goal::Result };
    to.block(&f.body, &into)?;
    let word = if to.out.len() > INLINED { "FAR" } else { "DEVICE" };
    let head =
        format!("{word} {} special_{}({})", f.result.c_name(), f.name, parameters.join(", "));
    Ok((format!("{head} {{\n{}}}\n", to.out), to.needs))
}

/// The text of a table.
pub fn table(program: &Program, table: &Constant) -> Result<String, String> {
    let mut to = Translator::new(program, &table.file);
    let (sizes, values) = elements(&mut to, &table.value)?;
    let mut element = &table.ty;
    while let Some(inner) = element.element() {
        element = inner;
    }
    let sizes: String = sizes.iter().map(|size| format!("[{size}]")).collect();
    Ok(format!("TABLE {} special_{}{sizes} = {values};\n", element.c_name(), table.name))
}

/// The sizes and the text of an array's elements.
fn elements(to: &mut Translator<'_>, value: &Expr) -> Result<(Vec<usize>, String), String> {
    let Expr::Array(array) = value else { return to.fail(value, "no list of elements") };
    let mut inner = Vec::new();
    let mut texts = Vec::new();
    for element in &array.elems {
        if matches!(element, Expr::Array(_)) {
            let (sizes, text) = elements(to, element)?;
            inner = sizes;
            texts.push(text);
        } else {
            texts.push(to.expression(element)?.text);
        }
    }
    let mut sizes = vec![texts.len()];
    sizes.extend(inner);
    // Lines of a moderate width.
    let mut text = String::from("{");
    let mut width = 0;
    for element in texts {
        if width > 80 {
            text.push_str("\n    ");
            width = 0;
        }
        width += element.len() + 2;
        text.push_str(&element);
        text.push_str(", ");
    }
    Ok((sizes, format!("{}}}", text.trim_end_matches(", "))))
}

impl Translator<'_> {
    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn block(&mut self, block: &Block, into: &Goal) -> Result<Ty, String> {
        self.scopes.push(HashMap::new());
        let mut ty = Ty::Unit;
        for (at, statement) in block.stmts.iter().enumerate() {
            let last = at + 1 == block.stmts.len();
            match statement {
                Stmt::Local(local) => self.local(local)?,
                Stmt::Expr(expr, None) if last => ty = self.value(expr, into)?,
                Stmt::Expr(expr, _) => drop(self.value(expr, &Goal::Nowhere)?),
                _ => return self.fail(statement, "no statement of the subset"),
            }
        }
        self.scopes.pop();
        Ok(ty)
    }

    fn local(&mut self, local: &Local) -> Result<(), String> {
        let (name, ty) = match &local.pat {
            Pat::Ident(pattern) => (pattern.ident.to_string(), None),
            Pat::Type(typed) => {
                let Pat::Ident(pattern) = &*typed.pat else {
                    return self.fail(local, "no plain name");
                };
                let Some(ty) = Ty::read(&typed.ty) else {
                    return self.fail(local, "no type of the subset");
                };
                (pattern.ident.to_string(), Some(ty))
            }
            _ => return self.fail(local, "no plain name"),
        };
        let Some(init) = &local.init else {
            let Some(ty) = ty else { return self.fail(local, "a type is missing") };
            let c_type = ty.c_name();
            let c_name = self.declare(&name, ty);
            self.line(&format!("{c_type} {c_name};"));
            return Ok(());
        };
        match &*init.expr {
            Expr::Array(_) => {
                let (sizes, values) = elements(self, &init.expr)?;
                let [size] = sizes.as_slice() else { return self.fail(local, "a nested array") };
                let element = ty.as_ref().and_then(Ty::element).cloned().unwrap_or(Ty::F64);
                let c_name = self.declare(&name, Ty::Array(Box::new(element.clone())));
                self.line(&format!("{} {c_name}[{size}] = {values};", element.c_name()));
            }
            Expr::Repeat(repeat) => {
                let value = self.expression(&repeat.expr)?;
                let size = self.expression(&repeat.len)?.text;
                let element = match ty.as_ref().and_then(Ty::element) {
                    Some(element) => element.clone(),
                    None if value.ty == Ty::Int => Ty::I64,
                    None => value.ty,
                };
                let c_name = self.declare(&name, Ty::Array(Box::new(element.clone())));
                self.line(&format!("{} {c_name}[{size}];", element.c_name()));
                self.line(&format!(
                    "for (i64 i = 0; i < {size}; i++) {c_name}[i] = {};",
                    value.text
                ));
            }
            expr if is_single(expr) => {
                let value = self.expression(expr)?;
                let ty = ty.unwrap_or(if value.ty == Ty::Int { Ty::I64 } else { value.ty });
                if ty.element().is_some() {
                    return self.fail(local, "a copy of an array");
                }
                let c_type = ty.c_name();
                let c_name = self.declare(&name, ty);
                self.line(&format!("{c_type} {c_name} = {};", value.text));
            }
            expr => {
                // The variable's type is known after its value, but its declaration comes first.
                let before = std::mem::take(&mut self.out);
                let mut hidden = String::from("\u{1}");
                hidden.push_str(&name);
                let found = self.value(expr, &Goal::Variable(hidden.clone()))?;
                let ty = ty.unwrap_or(if found == Ty::Int { Ty::I64 } else { found });
                let body = std::mem::replace(&mut self.out, before);
                let c_type = ty.c_name();
                let c_name = self.declare(&name, ty);
                self.line(&format!("{c_type} {c_name};"));
                // A name with a mark is always followed by a space.
                let body = body.replace(&format!("{hidden} "), &format!("{c_name} "));
                self.out.push_str(&body);
            }
        }
        Ok(())
    }

    /// Translates a statement, or an expression whose value goes somewhere; returns its type.
    fn value(&mut self, expr: &Expr, into: &Goal) -> Result<Ty, String> {
        match expr {
            Expr::Paren(paren) => self.value(&paren.expr, into),
            Expr::If(conditional) => {
                let condition = self.expression(&conditional.cond)?.text;
                self.line(&format!("if ({condition}) {{"));
                self.depth += 1;
                let mut ty = self.block(&conditional.then_branch, into)?;
                self.depth -= 1;
                if let Some((_, other)) = &conditional.else_branch {
                    self.line("} else {");
                    self.depth += 1;
                    let second = match &**other {
                        Expr::Block(block) => self.block(&block.block, into)?,
                        other => self.value(other, into)?,
                    };
                    self.depth -= 1;
                    if ty == Ty::Unit || ty == Ty::Int {
                        ty = second;
                    }
                }
                self.line("}");
                Ok(ty)
            }
            Expr::Block(block) => {
                self.line("{");
                self.depth += 1;
                let ty = self.block(&block.block, into)?;
                self.depth -= 1;
                self.line("}");
                Ok(ty)
            }
            Expr::While(repeat) => {
                if repeat.label.is_some() {
                    return self.fail(expr, "a label");
                }
                let condition = self.expression(&repeat.cond)?.text;
                self.line(&format!("while ({condition}) {{"));
                self.depth += 1;
                self.block(&repeat.body, &Goal::Nowhere)?;
                self.depth -= 1;
                self.line("}");
                Ok(Ty::Unit)
            }
            Expr::Loop(repeat) => {
                if repeat.label.is_some() {
                    return self.fail(expr, "a label");
                }
                self.line("for (;;) {");
                self.depth += 1;
                self.block(&repeat.body, &Goal::Nowhere)?;
                self.depth -= 1;
                self.line("}");
                Ok(Ty::Unit)
            }
            Expr::ForLoop(repeat) => self.counted(repeat),
            Expr::Return(result) => {
                let Some(value) = &result.expr else {
                    self.line("return;");
                    return Ok(Ty::Unit);
                };
                self.value(value, &Goal::Result)?;
                Ok(Ty::Unit)
            }
            Expr::Break(stop) => {
                if stop.label.is_some() || stop.expr.is_some() {
                    return self.fail(expr, "a label or value of `break`");
                }
                self.line("break;");
                Ok(Ty::Unit)
            }
            Expr::Continue(_) => {
                self.line("continue;");
                Ok(Ty::Unit)
            }
            Expr::Assign(assign) => {
                let to = self.expression(&assign.left)?;
                self.value(&assign.right, &Goal::Variable(to.text))?;
                Ok(Ty::Unit)
            }
            Expr::Binary(binary) if is_update(&binary.op) => {
                let to = self.expression(&binary.left)?;
                let by = self.expression(&binary.right)?;
                let sign = match binary.op {
                    syn::BinOp::AddAssign(_) => "+=",
                    syn::BinOp::SubAssign(_) => "-=",
                    syn::BinOp::MulAssign(_) => "*=",
                    syn::BinOp::DivAssign(_) => "/=",
                    syn::BinOp::ShrAssign(_) => ">>=",
                    syn::BinOp::ShlAssign(_) => "<<=",
                    syn::BinOp::BitAndAssign(_) => "&=",
                    syn::BinOp::BitOrAssign(_) => "|=",
                    syn::BinOp::BitXorAssign(_) => "^=",
                    syn::BinOp::RemAssign(_) if !to.ty.is_float() => "%=",
                    _ => return self.fail(expr, "no operator of the subset"),
                };
                self.line(&format!("{} {sign} {};", to.text, by.text));
                Ok(Ty::Unit)
            }
            _ => {
                let value = self.expression(expr)?;
                match into {
                    Goal::Result => self.line(&format!("return {};", value.text)),
                    Goal::Variable(name) => self.line(&format!("{name} = {};", value.text)),
                    Goal::Nowhere if matches!(expr, Expr::Call(_)) => {
                        self.line(&format!("{};", value.text));
                    }
                    Goal::Nowhere => return self.fail(expr, "a value that nothing uses"),
                }
                Ok(value.ty)
            }
        }
    }

    fn counted(&mut self, repeat: &syn::ExprForLoop) -> Result<Ty, String> {
        let Pat::Ident(pattern) = &*repeat.pat else {
            if matches!(&*repeat.pat, Pat::Wild(_)) {
                return self.counted_as(repeat, "_".to_owned());
            }
            return self.fail(repeat, "no plain name");
        };
        self.counted_as(repeat, pattern.ident.to_string())
    }

    fn counted_as(&mut self, repeat: &syn::ExprForLoop, name: String) -> Result<Ty, String> {
        let (range, reversed) = match &*repeat.expr {
            Expr::MethodCall(call) if call.method == "rev" => (&*call.receiver, true),
            other => (other, false),
        };
        let range = match range {
            Expr::Paren(paren) => &*paren.expr,
            other => other,
        };
        let Expr::Range(range) = range else { return self.fail(repeat, "no range") };
        let (Some(start), Some(end)) = (&range.start, &range.end) else {
            return self.fail(repeat, "a range without an end");
        };
        let closed = matches!(range.limits, RangeLimits::Closed(_));
        let first = self.expression(start)?;
        let end = self.expression(end)?;
        self.scopes.push(HashMap::new());
        let i = self.declare(&name, Ty::I64);
        let stop = self.declare(&format!("{name}_end"), Ty::I64);
        let (first, end) = (first.operand(), end.operand());
        self.line(&if reversed {
            let less = if closed { "" } else { " - 1" };
            format!("for (i64 {i} = {end}{less}, {stop} = {first}; {i} >= {stop}; {i}--) {{")
        } else {
            let sign = if closed { "<=" } else { "<" };
            format!("for (i64 {i} = {first}, {stop} = {end}; {i} {sign} {stop}; {i}++) {{")
        });
        self.depth += 1;
        self.block(&repeat.body, &Goal::Nowhere)?;
        self.depth -= 1;
        self.line("}");
        self.scopes.pop();
        Ok(Ty::Unit)
    }
}

fn is_update(op: &syn::BinOp) -> bool {
    use syn::BinOp as Op;
    matches!(
        op,
        Op::AddAssign(_)
            | Op::SubAssign(_)
            | Op::MulAssign(_)
            | Op::DivAssign(_)
            | Op::RemAssign(_)
            | Op::BitAndAssign(_)
            | Op::BitOrAssign(_)
            | Op::BitXorAssign(_)
            | Op::ShlAssign(_)
            | Op::ShrAssign(_)
    )
}
