//! The sections of the `.cu` files: small pieces of text, each for some functions and dtypes.
//!
//! A section starts with a line `//# NAMES: TYPES` and ends at the next one. Each name and each of
//! its types makes one instance of the section's body. A name may carry text in parentheses, up to
//! two pieces separated by `;`. A type is a dtype or a group (`integers`, `signed`, `unsigned`,
//! `floats`, `halves`, `complexes`); `f32,i32` means operands of different dtypes; a section
//! without types has one instance. A name list that does not end with a colon continues in the next
//! `//#` line. A line `//+ NAME:TYPE …` names the functions to define before this one, except the
//! words of all texts (`phalanx_device::cuda::with_words`). Comments are left out of the text.
//!
//! Placeholders in bodies and in `//+` lines:
//!
//! | | |
//! |---|---|
//! | `$F` | the name |
//! | `$Q`, `$D` | the first and the second piece of text that it carries |
//! | `$T`, `$S` | the first and the second type |
//! | `$U`, `$W` | the integer without sign of the same width; that of at least 32 bits |
//! | `$R`, `$C` | the dtype of the components; the complex dtype of such components |
//! | `$B`, `$I` | the integer that holds the bits of a float; the bits of infinity |
//! | `$O`, `$P` | the dtype that `cast_O` casts to; the dtype of its components |

use phalanx_device::cuda::BINNED;
use phalanx_ops::{DType, Kind};
use std::collections::HashMap;
use std::sync::OnceLock;

const FILES: [&str; 11] = [
    include_str!("types.cu"),
    include_str!("cast.cu"),
    include_str!("arithmetic.cu"),
    include_str!("integer.cu"),
    include_str!("comparison.cu"),
    include_str!("rounding.cu"),
    include_str!("real_f32.cu"),
    include_str!("real_f64.cu"),
    include_str!("complex.cu"),
    BINNED,
    phalanx_special::CUDA,
];

/// A function's name and its types: `f32`, `f32,i32`, or nothing.
pub(super) type Key = (String, String);

/// A piece of text for one function and one list of types.
#[derive(Debug)]
pub(super) struct Instance {
    /// The functions to define before this one.
    pub needs: Vec<Key>,
    /// The definition.
    pub text: String,
}

/// Every instance of every section.
pub(super) fn all() -> &'static HashMap<Key, Instance> {
    static INSTANCES: OnceLock<HashMap<Key, Instance>> = OnceLock::new();
    INSTANCES.get_or_init(|| {
        let mut instances = HashMap::new();
        for file in FILES {
            read(file, &mut instances);
        }
        instances
    })
}

/// The current section while a file is read.
#[derive(Default)]
struct Section {
    header: String,
    needs: String,
    body: String,
}

fn read(file: &str, instances: &mut HashMap<Key, Instance>) {
    let mut section = Section::default();
    for line in file.lines() {
        if let Some(header) = line.strip_prefix("//#") {
            if section.header.contains(": ") || section.header.ends_with(':') {
                instantiate(&std::mem::take(&mut section), instances);
            }
            section.header.push_str(header);
        } else if let Some(needs) = line.strip_prefix("//+") {
            section.needs.push_str(needs);
        } else if !line.trim_start().starts_with("//") && !line.is_empty() {
            section.body.push_str(line);
            section.body.push('\n');
        }
    }
    instantiate(&section, instances);
}

fn instantiate(section: &Section, instances: &mut HashMap<Key, Instance>) {
    let (names, types) = section
        .header
        .rsplit_once(':')
        .unwrap_or_else(|| panic!("bug: a section without types: {}", section.header));
    for (name, pieces) in functions(names) {
        for types in type_lists(types) {
            let replace = |text: &str| replaced(text, &name, &pieces, &types);
            let text = replace(&section.body);
            let needs = replace(&section.needs);
            let needs = needs.split_whitespace().map(|need| {
                let (name, types) = need.split_once(':').unwrap_or((need, ""));
                (name.to_owned(), types.to_owned())
            });
            let needs = needs.collect();
            let names: Vec<_> = types.iter().map(|dtype| dtype.name()).collect();
            let key = (name.clone(), names.join(","));
            let old = instances.insert(key, Instance { needs, text });
            assert!(old.is_none(), "bug: two sections for {name} of {names:?}");
        }
    }
}

/// The names in a header, with the pieces of text that they carry.
fn functions(names: &str) -> Vec<(String, Vec<String>)> {
    let mut functions = Vec::new();
    let mut rest = names.trim();
    while !rest.is_empty() {
        let end = rest.find([' ', '(']).unwrap_or(rest.len());
        let name = rest[..end].to_owned();
        rest = &rest[end..];
        let mut pieces = Vec::new();
        if let Some(inside) = rest.strip_prefix('(') {
            let (text, after) = inside.split_once(')').expect("bug: an open parenthesis");
            pieces = text.split(';').map(str::to_owned).collect();
            rest = after;
        }
        rest = rest.trim_start();
        functions.push((name, pieces));
    }
    functions
}

/// The lists of types in a header.
fn type_lists(types: &str) -> Vec<Vec<DType>> {
    let of_kind = |kind: Kind| DType::ALL.iter().filter(move |dtype| dtype.kind() == kind);
    let single = |dtype: &DType| vec![*dtype];
    let mut lists = Vec::new();
    for word in types.split_whitespace() {
        match word {
            "signed" => lists.extend(of_kind(Kind::Signed).map(single)),
            "unsigned" => lists.extend(of_kind(Kind::Unsigned).map(single)),
            "integers" => {
                let integers = DType::ALL.iter().filter(|dtype| dtype.is_integer());
                lists.extend(integers.map(single));
            }
            "floats" => lists.extend([vec![DType::F32], vec![DType::F64]]),
            "halves" => lists.extend([vec![DType::F16], vec![DType::BF16]]),
            "complexes" => lists.extend(of_kind(Kind::Complex).map(single)),
            word => lists.push(word.split(',').map(dtype_of).collect()),
        }
    }
    if lists.is_empty() { vec![Vec::new()] } else { lists }
}

fn dtype_of(name: &str) -> DType {
    DType::from_name(name).unwrap_or_else(|| panic!("bug: no dtype {name}"))
}

fn replaced(text: &str, name: &str, pieces: &[String], types: &[DType]) -> String {
    if !text.contains('$') {
        return text.to_owned();
    }
    let mut result = String::with_capacity(text.len());
    let mut parts = text.split('$');
    result.extend(parts.next());
    for part in parts {
        let (letter, rest) = part.split_at(1);
        result.push_str(&value_of(letter, name, pieces, types));
        result.push_str(rest);
    }
    result
}

fn value_of(letter: &str, name: &str, pieces: &[String], types: &[DType]) -> String {
    let first = types.first().copied();
    let of_first = |f: fn(DType) -> &'static str| first.map(|dtype| f(dtype).to_owned());
    let cast = || name.strip_prefix("cast_").map(dtype_of);
    let value = match letter {
        "F" => Some(name.to_owned()),
        "Q" => pieces.first().cloned(),
        "D" => pieces.get(1).cloned(),
        "T" => of_first(DType::name),
        "S" => types.get(1).map(|dtype| dtype.name().to_owned()),
        "U" => of_first(|dtype| unsigned(dtype.size())),
        "W" => of_first(|dtype| unsigned(dtype.size().max(4))),
        "B" => of_first(|dtype| unsigned(dtype.size())),
        "R" => of_first(|dtype| dtype.real().name()),
        "C" => of_first(|dtype| if dtype == DType::F32 { "c64" } else { "c128" }),
        "I" => of_first(|dtype| if dtype == DType::F16 { "0x7c00" } else { "0x7f80" }),
        "O" => cast().map(|dtype| dtype.name().to_owned()),
        "P" => cast().map(|dtype| dtype.real().name().to_owned()),
        _ => None,
    };
    value.unwrap_or_else(|| panic!("bug: ${letter} means nothing for {name} of {types:?}"))
}

const fn unsigned(size: usize) -> &'static str {
    match size {
        1 => "u8",
        2 => "u16",
        4 => "u32",
        _ => "u64",
    }
}
