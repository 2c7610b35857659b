//! The text form: a printed kernel is read back, and mistakes are reported with their place.

use super::random::random_kernel;
use phalanx_kernels::ir::{parse, verify};

#[test]
fn random_kernels_are_read_as_they_were_printed() {
    for seed in 0..500 {
        let kernel = random_kernel(seed);
        verify(&kernel).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{kernel}"));
        let text = kernel.to_string();
        let again = parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(again, kernel, "{text}");
        assert_eq!(again.to_string(), text);
    }
}

#[test]
fn parameters_may_have_any_names() {
    let named = "kernel(input: f64 in, result: f64 out) { for i0 grid {
        v0: f64 = load input.0[i0]
        store result.1[i0] = v0 } }";
    let plain = "kernel(a: f64 in, b: f64 out) {
  for i0 grid {
    v0: f64 = load a.0[i0]
    store b.1[i0] = v0
  }
}
";
    let kernel = parse(named).expect("the text is a kernel");
    assert_eq!(kernel.to_string(), plain);
}

#[test]
fn constants_keep_their_bits() {
    let constants = [
        "f64 = constant -0.0",
        "f64 = constant inf",
        "f64 = constant 1e-310",
        "f64 = constant bytes 010000000000f87f",
        "f32 = constant 0.1",
        "f16 = constant 0.0999755859375",
        "c128 = constant (1e-5-2e-7j)",
        "c64 = constant (-0.0+infj)",
        "i64 = constant -9223372036854775808",
        "u64 = constant 18446744073709551615",
        "bool = constant true",
    ];
    for constant in constants {
        let dtype = constant.split(' ').next().expect("a dtype");
        let text = format!(
            "kernel(a: {dtype} out) {{\n  for i0 grid {{\n    v0: {constant}\n\
             \x20   store a.0[i0] = v0\n  }}\n}}\n"
        );
        let kernel = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(kernel.to_string(), text);
    }
}

#[test]
fn mistakes_are_reported_with_their_position() {
    let mistakes = [
        (
            "kernel(a: f64 in) {\n  for i0 grid {\n    v0: f63 = load a.0[i0]\n  }\n}",
            "line 3, column 9: expected a dtype, found `f63`",
        ),
        (
            "kernel(a: f64 in) {\n  for i0 grid {\n    v0: f64 = lod(v0)\n  }\n}",
            "line 3, column 15: expected the name of an operation, found `lod(v0)`",
        ),
        (
            "kernel(a: f64 into) {",
            "line 1, column 15: expected `in`, `out`, `inout` or `table`, found `into)`",
        ),
        (
            "kernel(a: f64 in) {\n  for i1 grid {",
            "line 2, column 7: expected the grid axes in order, found `i1`",
        ),
        (
            "kernel(a: f64 in) {\n  for i0 grid {\n",
            "line 3, column 1: expected a statement or `}`, found the end of the text",
        ),
        (
            "kernel(a: f64 in, b: f64 out) \
             { for i0 grid { v1: f64 = load a.0[i0]\nstore b.1[i0] = v1 } }",
            "line 2, column 23: expected a definition of every value, found the end of the text",
        ),
    ];
    for (text, message) in mistakes {
        let error = parse(text).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
}

#[test]
fn each_broken_rule_is_found() {
    let broken = [
        ("kernel(a: f64 in) { for i0 grid { v0: f64 = load a.0[i1] } }", "axis 1 does not exist"),
        (
            "kernel(a: f64 in) { for i0, i1 grid { v0: f64 = load a.0[i1, i0] } }",
            "the axes of access 0 are not ascending",
        ),
        (
            "kernel(a: f64 in) { for i0 grid { for i1, i1 loop { } } }",
            "axis 1 belongs to 2 loops instead of one",
        ),
        (
            "kernel(a: f64 in) { for i0 grid { for i0 loop { } } }",
            "axis 0 belongs to 2 loops instead of one",
        ),
        (
            "kernel(a: f64 in) { for grid { for i0 loop { } v0: f64 = load a.0[i0] } }",
            "axis 0 is used outside of its loop",
        ),
        (
            "kernel(a: f64 in, b: f64 out) \
             { for grid { for i0 loop { v0: f64 = load a.0[i0] } store b.1[] = v0 } }",
            "v0 is used where it is not visible",
        ),
        (
            "kernel(;s0: f64) { for grid { v0: f64 = negative(v1)\nv1: f64 = s0 } }",
            "v0 is computed from v1, which does not come before it",
        ),
        (
            "kernel(a: f64 in) { for i0 grid { v0: f64 = load a.0[i0]\nstore a.0[i0] = v0 } }",
            "access 0 cannot be stored to: its parameter is `in`",
        ),
        (
            "kernel(a: f64 out) { for i0 grid { v0: f64 = load a.0[i0] } }",
            "access 0 cannot be loaded: its parameter is `out`",
        ),
        (
            "kernel(a: f64 in) { for i0 grid { v0: f32 = load a.0[i0] } }",
            "v0 is f32 where f64 is needed",
        ),
        (
            "kernel(a: f64 in) { for i0 grid { v0: f64 = index i0 } }",
            "v0 is f64 where i64 is needed",
        ),
        (
            "kernel(; s0: f64, s1: f32) \
             { for grid { v0: f64 = s0\nv1: f32 = s1\nv2: f64 = add(v0, v1) } }",
            "v2: no loop of add takes [F64, F32] to f64",
        ),
        (
            "kernel(; s0: f64) { for grid { v0: f64 = s0\nv1: f64 = select(v0, v0, v0) } }",
            "v0 is f64 where bool is needed",
        ),
        (
            "kernel(; s0: f64) \
             { for grid { for i0 loop { v0: f64 = s0\nfold v1: f64 = any(v0) } } }",
            "any cannot combine f64 here",
        ),
        (
            "kernel(; s0: f64) \
             { for grid { for i0 loop { v0: f64 = s0\nfold v1: f64 = argmin(v0) } } }",
            "a fold by argmin has an index or parts of another monoid",
        ),
        (
            "kernel(; s0: f64) \
             { for grid { for i0 loop { v0: f64 = s0\nfold v1: f32 = add(v0) } } }",
            "v1 is f32 where f64 is needed",
        ),
        (
            "kernel(a: f64 table; s0: f64) \
             { for i0 grid { v0: f64 = s0\nv1: i64 = index i0\n\
             accumulate a.0[] at v1 below s0 = add(v0) } }",
            "scalar 0 is f64 where the length of a table is needed",
        ),
    ];
    for (text, message) in broken {
        let kernel = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let error = verify(&kernel).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
}
