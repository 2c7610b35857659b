//! The items of the files: functions, constants and tables.

use quote::ToTokens;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use syn::{Attribute, Expr, FnArg, Item, Lit, Meta, Pat, ReturnType, Type, Visibility};

/// A type of the subset.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    F64,
    I64,
    I32,
    U64,
    Usize,
    Bool,
    Unit,
    /// An integer literal without a type.
    Int,
    Array(Box<Ty>),
    /// A reference to an array, and whether it may be written.
    Reference(Box<Ty>, bool),
}

impl Ty {
    pub fn c_name(&self) -> &'static str {
        match self {
            Ty::F64 => "f64",
            Ty::I64 | Ty::Usize | Ty::Int => "i64",
            Ty::I32 => "i32",
            Ty::U64 => "u64",
            Ty::Bool => "bool",
            Ty::Unit => "void",
            Ty::Array(_) | Ty::Reference(..) => panic!("bug: an array has no such name"),
        }
    }

    pub fn is_float(&self) -> bool {
        *self == Ty::F64
    }

    /// The type of the elements.
    pub fn element(&self) -> Option<&Ty> {
        match self {
            Ty::Array(element) | Ty::Reference(element, _) => Some(element),
            _ => None,
        }
    }

    pub fn read(ty: &Type) -> Option<Ty> {
        match ty {
            Type::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                Some(match name.as_str() {
                    "f64" => Ty::F64,
                    "i64" => Ty::I64,
                    "i32" => Ty::I32,
                    "u64" => Ty::U64,
                    "usize" => Ty::Usize,
                    "bool" => Ty::Bool,
                    _ => return None,
                })
            }
            Type::Array(array) => Some(Ty::Array(Box::new(Ty::read(&array.elem)?))),
            Type::Slice(slice) => Some(Ty::Array(Box::new(Ty::read(&slice.elem)?))),
            Type::Reference(reference) => {
                let Ty::Array(element) = Ty::read(&reference.elem)? else { return None };
                Some(Ty::Reference(element, reference.mutability.is_some()))
            }
            Type::Tuple(tuple) if tuple.elems.is_empty() => Some(Ty::Unit),
            _ => None,
        }
    }
}

pub struct Function {
    pub name: String,
    pub module: String,
    pub file: String,
    pub is_public: bool,
    pub parameters: Vec<(String, Ty)>,
    pub result: Ty,
    pub doc: String,
    pub body: syn::Block,
}

pub struct Constant {
    pub name: String,
    pub file: String,
    pub ty: Ty,
    pub value: Expr,
}

/// All items of all files.
#[derive(Default)]
pub struct Program {
    pub functions: BTreeMap<String, Function>,
    pub constants: BTreeMap<String, Constant>,
    pub tables: BTreeMap<String, Constant>,
}

impl Program {
    pub fn read(&mut self, path: &Path) -> Result<(), String> {
        let file = path.display().to_string();
        let module = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(path).map_err(|error| format!("{file}: {error}"))?;
        let parsed = syn::parse_file(&text).map_err(|error| format!("{file}: {error}"))?;
        for item in parsed.items {
            let name = item.to_token_stream().to_string();
            let name: String = name.chars().take(60).collect();
            self.add(item, &file, &module).map_err(|why| format!("{file}: {why}: {name}"))?;
        }
        Ok(())
    }

    fn add(&mut self, item: Item, file: &str, module: &str) -> Result<(), String> {
        let file = file.to_owned();
        match item {
            Item::Use(_) => Ok(()),
            Item::Mod(item) if is_test(&item.attrs) => Ok(()),
            Item::Const(item) => {
                let ty = Ty::read(&item.ty).ok_or("no type of the subset")?;
                let name = item.ident.to_string();
                self.add_constant(Constant { name, file, ty, value: *item.expr })
            }
            Item::Static(item) => {
                let ty = Ty::read(&item.ty).ok_or("no type of the subset")?;
                let name = item.ident.to_string();
                self.add_constant(Constant { name, file, ty, value: *item.expr })
            }
            Item::Fn(item) => {
                let name = item.sig.ident.to_string();
                let mut parameters = Vec::new();
                for input in &item.sig.inputs {
                    let FnArg::Typed(input) = input else { return Err("a method".into()) };
                    let Pat::Ident(pattern) = &*input.pat else { return Err("a pattern".into()) };
                    let ty = Ty::read(&input.ty).ok_or("a parameter's type")?;
                    parameters.push((pattern.ident.to_string(), ty));
                }
                let result = match &item.sig.output {
                    ReturnType::Default => Ty::Unit,
                    ReturnType::Type(_, ty) => Ty::read(ty).ok_or("the result's type")?,
                };
                let is_public = matches!(item.vis, Visibility::Public(_));
                let floats = parameters.iter().all(|(_, ty)| ty.is_float()) && result.is_float();
                if is_public && (!floats || parameters.len() > 7 || parameters.is_empty()) {
                    return Err(format!("{name} is public, but has not 1 to 7 f64s"));
                }
                let doc = first_line(&item.attrs);
                if is_public && !doc.ends_with('.') {
                    return Err(format!("{name}: its first doc line is no full sentence"));
                }
                let module = module.to_owned();
                let body = *item.block;
                let new = Function {
                    name: name.clone(),
                    module,
                    file,
                    is_public,
                    parameters,
                    result,
                    doc,
                    body,
                };
                match self.functions.insert(name, new) {
                    None => Ok(()),
                    Some(old) => Err(format!("{} is also in {}", old.name, old.file)),
                }
            }
            _ => Err("no item of the subset".into()),
        }
    }

    fn add_constant(&mut self, new: Constant) -> Result<(), String> {
        let is_table = matches!(new.ty, Ty::Array(_));
        let map = if is_table { &mut self.tables } else { &mut self.constants };
        match map.insert(new.name.clone(), new) {
            None => Ok(()),
            Some(old) => Err(format!("{} is also in {}", old.name, old.file)),
        }
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("cfg"))
}

/// The first paragraph of the docs.
fn first_line(attributes: &[Attribute]) -> String {
    let docs = attributes.iter().filter(|attribute| attribute.path().is_ident("doc"));
    // The first paragraph, because a sentence may be longer than a line.
    let mut text = String::new();
    for attribute in docs {
        let Meta::NameValue(pair) = &attribute.meta else { continue };
        let Expr::Lit(literal) = &pair.value else { continue };
        let Lit::Str(line) = &literal.lit else { continue };
        let line = line.value();
        if line.trim().is_empty() {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(line.trim());
    }
    text
}
