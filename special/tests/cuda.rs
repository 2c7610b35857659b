//! The text for GPUs: its form, and its values when a C++ compiler compiles it.

use phalanx_special::{CUDA, FUNCTIONS};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

#[test]
fn sections_follow_those_that_they_need() {
    let mut defined: HashSet<String> = ["nan:f64".to_owned(), "infinity:f64".to_owned()].into();
    let mut current = String::new();
    for line in CUDA.lines() {
        assert!(!line.contains('$'), "a placeholder in {line}");
        if let Some(header) = line.strip_prefix("//# ") {
            if !current.is_empty() {
                defined.insert(current);
            }
            let (name, types) = header.split_once(": ").expect("a header has types");
            assert_eq!(types, "f64");
            current = format!("{name}:f64");
        } else if let Some(needs) = line.strip_prefix("//+") {
            for need in needs.split_whitespace() {
                assert!(defined.contains(need), "{current} needs {need}, which is not before it");
            }
        }
    }
    defined.insert(current);
    for function in FUNCTIONS {
        assert!(defined.contains(&format!("special_{}:f64", function.name)), "{}", function.name);
    }
}

#[test]
fn functions_are_ordered_and_documented() {
    assert!(FUNCTIONS.is_sorted_by_key(|function| function.name));
    for function in FUNCTIONS {
        assert!(function.doc.ends_with('.'), "{}", function.name);
    }
}

/// Arguments of a function.
fn arguments(arity: usize) -> Vec<Vec<f64>> {
    let values: &[f64] = match arity {
        1 => &[
            -171.3,
            -20.25,
            -5.5,
            -2.3,
            -1.0,
            -0.7,
            -0.3,
            -1e-5,
            0.0,
            1e-9,
            0.03,
            0.2,
            0.5,
            0.8,
            0.97,
            1.0,
            1.3,
            2.0,
            2.7,
            4.4,
            6.0,
            9.5,
            14.2,
            25.0,
            48.0,
            77.7,
            160.5,
            1e4,
            f64::NAN,
            f64::INFINITY,
        ],
        2 => &[-2.5, -1.0, 0.0, 1e-3, 0.3, 0.9, 1.0, 2.0, 4.6, 12.0, 31.5, 150.0],
        3 => &[-1.5, 0.0, 0.2, 0.7, 1.0, 3.0, 8.4, 25.0],
        4 => &[0.3, 0.7, 1.0, 2.5, 6.0],
        _ => &[0.3, 1.4, 3.0],
    };
    let mut lists = vec![Vec::new()];
    for _ in 0..arity {
        lists = lists
            .iter()
            .flat_map(|list| {
                values.iter().map(|value| {
                    let mut list = list.clone();
                    list.push(*value);
                    list
                })
            })
            .collect();
    }
    lists
}

/// A C++ program that prints the bits of the value of each function for each list of arguments.
fn program() -> String {
    let mut text = format!("{}\n{CUDA}\n", include_str!("prelude.h"));
    text.push_str("int main() {\n");
    for function in FUNCTIONS {
        let lists = arguments(function.arity);
        let (name, arity, count) = (function.name, function.arity, lists.len());
        writeln!(text, "  {{ static const u64 a[{count}][{arity}] = {{").expect("a string");
        for list in lists {
            let bits: Vec<_> = list.iter().map(|x| format!("{}ull", x.to_bits())).collect();
            writeln!(text, "    {{{}}},", bits.join(", ")).expect("a string");
        }
        let each: Vec<_> = (0..arity).map(|i| format!("from_bits(a[i][{i}])")).collect();
        writeln!(
            text,
            "  }}; for (int i = 0; i < {count}; i++)\n    \
             printf(\"%llu\\n\", bits(special_{name}({})));}}",
            each.join(", ")
        )
        .expect("a string");
    }
    text.push_str("}\n");
    text
}

#[test]
fn a_cpp_compiler_computes_the_same() {
    let compiler = ["g++", "clang++"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok());
    let Some(compiler) = compiler else {
        println!("no C++ compiler");
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = folder.join("special.cpp");
    let binary = folder.join("special");
    std::fs::write(&source, program()).expect("the folder is writable");
    let compiled = Command::new(compiler)
        .args(["-std=c++17", "-O1", "-ffp-contract=off", "-w", "-o"])
        .args([&binary, &source])
        .output()
        .expect("the compiler starts");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&binary).output().expect("the program starts");
    assert!(output.status.success());
    let output = String::from_utf8(output.stdout).expect("the program prints numbers");
    let mut lines = output.lines();
    let mut failures = Vec::new();
    for function in FUNCTIONS {
        for list in arguments(function.arity) {
            let line = lines.next().expect("there is a line for each value");
            let theirs = f64::from_bits(line.parse().expect("a line is a number"));
            let ours = function.call(&list);
            // Other elementary functions have other last digits, which some functions magnify.
            let near = (ours - theirs).abs() <= 1e-9 * ours.abs() + 1e-13;
            if !(near || ours == theirs || ours.is_nan() && theirs.is_nan()) {
                failures.push(format!("{}({list:?}) = {ours}, in C++ {theirs}", function.name));
            }
        }
    }
    assert!(failures.is_empty(), "{} differ:\n{}", failures.len(), failures.join("\n"));
}
