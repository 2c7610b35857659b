//! Tests: every use has its functions, and every called function is defined before its call.

use super::Uses;
use phalanx_device::cuda::with_words;
use phalanx_ops::{DType, Monoid, Op};
use std::collections::HashSet;

/// Names that the compiler defines without a header, and other words that look like calls.
#[rustfmt::skip]
const GIVEN: &[&str] = &[
    "KERNEL", "LOCAL_KERNEL", "__clzll", "__constant__", "__device__", "__double2float_rz",
    "__double_as_longlong", "__ffs", "__ffsll", "__float_as_uint", "__int2float_rz",
    "__launch_bounds__", "__ll2float_rz", "__longlong_as_double", "__popc", "__popcll",
    "__uint2float_rz", "__uint_as_float", "__ull2float_rz", "__umul64hi", "asm", "atanh", "cbrt",
    "cbrtf", "ceil", "copysign", "cosh", "exp", "exp2", "expm1", "expm1f", "fabs", "floor", "fma",
    "fmod", "for", "if", "log", "log10", "log1p", "log1pf", "log2", "log2f", "logf", "return",
    "rint", "rsqrtf", "signbit", "sinh", "sizeof", "sqrt", "tanh", "tanhf", "trunc", "volatile",
    "while",
];

/// The whole text.
fn text(uses: &Uses) -> String {
    with_words(&super::text(uses))
}

/// The words of a text, each with the character after it.
fn words(text: &str) -> impl Iterator<Item = (&str, Option<char>)> {
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let starts = text.char_indices().filter(move |&(at, char)| {
        is_part(char) && !text[..at].chars().next_back().is_some_and(is_part)
    });
    starts.map(move |(at, _)| {
        let rest = &text[at..];
        let end = rest.find(|char| !is_part(char)).unwrap_or(rest.len());
        (&rest[..end], rest[end..].chars().next())
    })
}

/// Fails if the text calls a function before its definition, or has a placeholder left.
fn check(text: &str, of: &str) {
    let mut defined: HashSet<&str> = GIVEN.iter().copied().collect();
    assert!(!text.contains('$'), "{of}: a placeholder is left in\n{text}");
    for line in text.lines() {
        let declares = ["DEVICE ", "FAR "].iter().any(|start| line.starts_with(start));
        if declares {
            let name = words(line).find(|(_, next)| *next == Some('(')).map(|(word, _)| word);
            defined.insert(name.unwrap_or_else(|| panic!("{of}: no function in {line}")));
        }
        for (word, next) in words(line) {
            let called = next == Some('(') && !word.starts_with(|char: char| char.is_ascii_digit());
            assert!(!called || defined.contains(word), "{of}: {word} is not defined in\n{text}");
        }
    }
}

/// Whether the text defines a function with these parameters' types.
fn defines(text: &str, name: &str, types: &[&str]) -> bool {
    text.lines().filter(|line| line.starts_with("DEVICE ")).any(|line| {
        let Some((before, after)) = line.split_once('(') else { return false };
        let parameters = after.split_once(')').map_or(after, |(inside, _)| inside);
        let found: Vec<_> = parameters
            .split(',')
            .filter_map(|parameter| parameter.split_whitespace().next())
            .map(|word| word.trim_end_matches('&'))
            .collect();
        before.ends_with(&format!(" {name}")) && found == types
    })
}

fn names(dtypes: &[DType]) -> Vec<&'static str> {
    dtypes.iter().map(|dtype| dtype.name()).collect()
}

#[test]
fn every_signature_has_its_function() {
    for &op in Op::ALL {
        for signature in op.signatures() {
            let inputs = signature.inputs();
            let uses =
                Uses { ops: [(op, inputs.to_vec())].into_iter().collect(), ..Uses::default() };
            let text = text(&uses);
            let of = format!("{op} of {inputs:?}");
            check(&text, &of);
            assert!(defines(&text, &format!("op_{op}"), &names(inputs)), "{of}\n{text}");
            let output = format!("DEVICE {} op_{op}(", signature.output);
            assert!(text.contains(&output), "{of}: no {output} in\n{text}");
        }
    }
}

#[test]
fn every_cast_has_its_function() {
    for &from in DType::ALL {
        for &to in DType::ALL {
            let uses = Uses { casts: [(from, to)].into_iter().collect(), ..Uses::default() };
            let text = text(&uses);
            let of = format!("{from} to {to}");
            check(&text, &of);
            assert!(defines(&text, &format!("cast_{to}"), &[from.name()]), "{of}\n{text}");
        }
    }
}

#[test]
fn every_monoid_has_its_functions() {
    for &monoid in Monoid::ALL {
        for &dtype in DType::ALL.iter().filter(|&&dtype| monoid.accepts(dtype)) {
            let uses = Uses { monoids: [(monoid, dtype)].into_iter().collect(), ..Uses::default() };
            let text = text(&uses);
            let of = format!("{monoid} of {dtype}");
            check(&text, &of);
            let name = dtype.name();
            let parameters = match monoid {
                Monoid::ArgMin | Monoid::ArgMax => vec![name, "Index", name, "Index"],
                Monoid::Moments => vec![name; 6],
                Monoid::Binned => vec!["Binned"; 2],
                _ => vec![name; 2],
            };
            assert!(defines(&text, &format!("combine_{monoid}"), &parameters), "{of}\n{text}");
            let identity = format!("DEVICE {dtype} identity_{monoid}_{dtype}() {{");
            assert!(text.contains(&identity), "{of}: no {identity} in\n{text}");
        }
    }
}

#[test]
fn a_kernel_gets_what_it_uses_and_no_more() {
    let ops = [(Op::Add, vec![DType::F32; 2])].into_iter().collect();
    let text = text(&Uses { ops, ..Uses::default() });
    assert!(text.contains("DEVICE f32 op_add(f32 a, f32 b) { return a + b; }"));
    let functions = text.lines().filter(|line| line.starts_with("DEVICE ")).count();
    assert_eq!(functions, 1, "{text}");
}

#[test]
fn each_definition_stands_once() {
    let text = text(&Uses::everything());
    check(&text, "everything");
    let mut seen = HashSet::new();
    for line in text.lines().filter(|line| line.starts_with("DEVICE ")) {
        assert!(seen.insert(line), "twice: {line}");
    }
}
