//! Translates the functions of `src/*.rs` to CUDA C, and lists those for users.
//!
//! `README-subset.md` describes the subset of Rust. The results are in `OUT_DIR`: `special.cu`, the
//! sections of CUDA C, and `functions.rs`, the table `FUNCTIONS`.

#[path = "build/expressions.rs"]
mod expressions;
#[path = "build/program.rs"]
mod program;
#[path = "build/statements.rs"]
mod statements;

use program::{Function, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

fn main() {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=build");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    match run(&out) {
        Ok(()) => {}
        Err(errors) => {
            for error in errors {
                println!("cargo::error={error}");
            }
            process::exit(1);
        }
    }
}

fn run(out: &Path) -> Result<(), Vec<String>> {
    let files = files();
    let mut program = Program::default();
    let mut errors = Vec::new();
    for path in &files {
        if let Err(error) = program.read(path) {
            errors.push(error);
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut sections = BTreeMap::new();
    for table in program.tables.values() {
        match statements::table(&program, table) {
            Ok(text) => drop(sections.insert(table.name.clone(), (text, BTreeSet::new()))),
            Err(error) => errors.push(error),
        }
    }
    for function in program.functions.values() {
        match statements::function(&program, function) {
            Ok((text, needs)) => drop(sections.insert(function.name.clone(), (text, needs))),
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let text = ordered(&sections).map_err(|error| vec![error])?;
    let save = |name: &str, text: &str| fs::write(out.join(name), text).expect("OUT_DIR is ours");
    save("special.cu", &text);
    save("functions.rs", &listed(&program));
    Ok(())
}

/// The files of functions.
fn files() -> Vec<PathBuf> {
    let entries = fs::read_dir("src").expect("the folder src exists");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("the folder is readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter(|path| {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            !["lib", "function", "arithmetic"].contains(&&*stem)
        })
        .collect();
    files.sort();
    files
}

type Sections = BTreeMap<String, (String, BTreeSet<String>)>;

/// The sections, each after those that it needs.
fn ordered(sections: &Sections) -> Result<String, String> {
    let mut text = String::from("// Written by build.rs of phalanx-special.\n");
    let mut state = BTreeMap::new();
    for name in sections.keys() {
        visit(name, sections, &mut state, &mut text)?;
    }
    Ok(text)
}

fn visit(
    name: &str,
    sections: &Sections,
    state: &mut BTreeMap<String, bool>,
    text: &mut String,
) -> Result<(), String> {
    match state.get(name) {
        Some(true) => return Ok(()),
        Some(false) => return Err(format!("{name} calls itself")),
        None => {}
    }
    let Some((body, needs)) = sections.get(name) else { return Ok(()) };
    state.insert(name.to_owned(), false);
    for need in needs {
        visit(need, sections, state, text).map_err(|error| format!("{error}, in {name}"))?;
    }
    state.insert(name.to_owned(), true);
    writeln!(text, "//# special_{name}: f64").expect("writes to a string");
    if !needs.is_empty() {
        text.push_str("//+");
        for need in needs {
            let prefix = if sections.contains_key(need) { "special_" } else { "" };
            write!(text, " {prefix}{need}:f64").expect("writes to a string");
        }
        text.push('\n');
    }
    text.push_str(body);
    Ok(())
}

/// The table of the functions for users.
fn listed(program: &Program) -> String {
    let mut text = String::from("&[\n");
    for Function { name, module, parameters, doc, .. } in
        program.functions.values().filter(|function| function.is_public)
    {
        let arity = parameters.len();
        writeln!(
            text,
            "    Function {{ name: {name:?}, arity: {arity}, doc: {doc:?}, \
             f: Pointer::F{arity}(crate::{module}::{name}) }},"
        )
        .expect("writes to a string");
    }
    text.push_str("]\n");
    text
}
